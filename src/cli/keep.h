/* keep.h - what every command does with finished runs: the run store, and the JSON file that the user asked for. */
#ifndef STRATA_CLI_KEEP_H
#define STRATA_CLI_KEEP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* STRATA_STORE, or .strata/runs.db in the working directory. */
const char *cli_store_path(void);
/* Can the file that an option ("json") names be written? To be asked before hours of simulation. False after a
 * message; true when path is NULL. "-" is standard output, which has nothing else then: what else is printed there, by
 * programs too, goes to standard error from now on. */
bool cli_output_check(const char *command, const char *option, const char *path);
/* Can a run be kept in the store? To be asked before as well. False after a message. */
bool cli_store_check(const char *command);
/* Adds the results of one run to the store, as soon as it has ended. False after a message; they are then in a file
 * that the message names, unless no folder takes one. */
bool cli_runs_keep(const json_t *runs);
/* Keeps results whose own place does not take them, which has been said, in such a file, which a message names. */
void cli_unsaved_keep(const json_t *runs);
/* The result of a run of the store, by the user's word for it, with all fields of the types that they must have. NULL
 * after a message of the command's; *exit_status is then CLI_USAGE where the word names no run, and CLI_UNABLE. */
json_t *cli_run_stored(const char *command, const char *word, int *exit_status);
/* Those of a JSON file of the user's, an array. NULL after a message; *exit_status is then CLI_USAGE. */
json_t *cli_runs_of_file(const char *command, const char *path, int *exit_status);
/* Writes the array to path (NULL: nothing to do). False after a message. */
bool cli_json_keep(const char *path, const json_t *runs);
/* Writes a text in the same way. */
bool cli_text_keep(const char *path, const char *text, size_t length);

#endif
