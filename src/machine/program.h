/* program.h - the whole program's part of the results. */
#ifndef STRATA_MACHINE_PROGRAM_H
#define STRATA_MACHINE_PROGRAM_H

#include <jansson.h>

#include "machine/timeline.h"

/* The object "program": time of the whole program and where it went. The timeline is settled. */
json_t *machine_program_json(const struct machine_timeline *t);
/* The array "timeline": what was kept of the work, in the order of the calls. */
json_t *machine_program_work_json(const struct machine_timeline *t);

#endif
