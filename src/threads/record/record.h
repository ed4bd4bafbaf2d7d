/* record.h - the parameters of recording a trace. */
#ifndef STRATA_THREADS_RECORD_H
#define STRATA_THREADS_RECORD_H

#include "sim/param.h"

struct record_params {
#include "sim/param_fields.inc"
#include "threads/record/record_params.def"
#include "sim/param_end.inc"
};

/* The group "record". */
void record_params_groups(struct record_params *p, struct sim_param_groups *out);

/* The options of the model (libstrata-record.so): its file, the units, the parameters as numbers in the order of their
 * rows, and as a text for the trace. malloc'ed. */
char *record_options(const struct record_params *p, const char *path, uint32_t unit_count);

#endif
