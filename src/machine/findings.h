/* findings.h - what the memory checker found, handed from the driver library to `strata check` as a JSON file. */
#ifndef STRATA_MACHINE_FINDINGS_H
#define STRATA_MACHINE_FINDINGS_H

#include <stdbool.h>

#include "machine/run.h"
#include "simt/check.h"

/* Writes {"findings": [...], "dropped": N, "launches": N, "launches_refused": N, "is_complete": B} to the
 * session's check_path or a spare one, atomically. is_complete: the program has ended by itself, so that leaks are
 * among the findings. Says so where it cannot. */
void machine_findings_write(const struct machine_run *run, const struct simt_check *c, bool is_complete);

#endif
