/* findings.h - what the memory checker found, handed from the driver library to `strata check` as a JSON file. */
#ifndef STRATA_MACHINE_FINDINGS_H
#define STRATA_MACHINE_FINDINGS_H

#include <stdbool.h>

#include "machine/session.h"
#include "simt/check.h"

/* Writes {"findings": [...], "dropped": N, "launches": N, "launches_refused": N, "is_complete": B} to s->check_path or
 * a spare one, atomically. is_complete: the program has ended by itself, so that leaks are among the findings. False:
 * errno tells. */
bool machine_findings_write(const struct machine_session *s, const struct simt_check *c,
			    const struct machine_launch_counts *launches, bool is_complete);

#endif
