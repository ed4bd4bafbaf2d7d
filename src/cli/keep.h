/* keep.h - what every command does with finished runs: the JSON file and the run store. */
#ifndef STRATA_CLI_KEEP_H
#define STRATA_CLI_KEEP_H

#include <jansson.h>
#include <stdbool.h>

/* STRATA_STORE, or .strata/runs.db in the working directory. */
const char *cli_store_path(void);
/* Can the file that an option ("json") names be written? To be asked before hours of simulation. False after a
 * message; true when path is NULL. */
bool cli_output_check(const char *command, const char *option, const char *path);
/* Can a run be kept in the store? To be asked before as well; makes the store. False after a message. */
bool cli_store_check(const char *command);
/* Writes the array to json_path (NULL: no file) and adds it to the store. False after printed messages. */
bool cli_runs_keep(const char *json_path, const json_t *runs);

#endif
