/* keep.h - what every command does with finished runs: the run store, and the JSON file that the user asked for. */
#ifndef STRATA_CLI_KEEP_H
#define STRATA_CLI_KEEP_H

#include <jansson.h>
#include <stdbool.h>

/* STRATA_STORE, or .strata/runs.db in the working directory. */
const char *cli_store_path(void);
/* Can the file that an option ("json") names be written? To be asked before hours of simulation. False after a
 * message; true when path is NULL. */
bool cli_output_check(const char *command, const char *option, const char *path);
/* Can a run be kept in the store? To be asked before as well. False after a message. */
bool cli_store_check(const char *command);
/* Adds the results of one run to the store, as soon as it has ended. False after a message; they are then in a file
 * that the message names, unless no folder takes one. */
bool cli_runs_keep(const json_t *runs);
/* Of results whose own place does not take them, which has been said: into such a file, which a message names. */
void cli_unsaved_keep(const json_t *runs);
/* Writes the array to path (NULL: nothing to do). False after a message. */
bool cli_json_keep(const char *path, const json_t *runs);

#endif
