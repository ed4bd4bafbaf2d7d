/* result.h - the results of a run as one JSON object in a file, and in short. */
#ifndef STRATA_MACHINE_RESULT_H
#define STRATA_MACHINE_RESULT_H

#include "machine/run.h"

#include <jansson.h>

/* Writes the result object (all its fields except verified, workload and args, which the cli knows)
 * to the session's result_path or a spare one, atomically (temporary file, then rename). False: errno tells. */
bool machine_result_write(const struct machine_run *run);
/* Leaves an empty file PATH.lost: how the library tells the command that it could not write what belongs at path. An
 * internal error leaves it too. */
void machine_result_lost(const char *path);
/* What the results of a run on this machine say of the machine itself: "machine", "params", "peak_bytes_per_s". */
json_t *machine_session_json(const struct machine_session *s);
/* The short text for runs without strata: time, IPC, main stall. */
void machine_result_print_short(const struct machine_run *run, int fd);

#endif
