/* input.h - what the programs of a comparison share, and must not: standard input and the working directory. Each run
 * gets its own copy, so that all machines do the same work. */
#ifndef STRATA_CLI_INPUT_H
#define STRATA_CLI_INPUT_H

#include <stdbool.h>

/* Reads standard input to its end into a file in dir. Its path, to be freed with g_free; "/dev/null" when standard
 * input is a terminal; NULL after a message. Says so on stderr when the end does not come for a second. */
char *cli_input_copy(const char *dir);

/* Copies the working directory, without .strata, into a new directory `to`. False after a message. */
bool cli_cwd_copy(const char *to);

#endif
