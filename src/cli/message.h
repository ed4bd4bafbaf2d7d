/* message.h - what a user is told on stderr. */
#ifndef STRATA_CLI_MESSAGE_H
#define STRATA_CLI_MESSAGE_H

#include "base/diag.h"

/* "strata: MESSAGE" on stderr. */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* All messages on stderr, a line each; "strata: " goes before those that have no place of their own. */
void cli_diag_print(const struct base_diag_list *diag);
/* Prints them without those that this process has printed here of the same thing before. */
void cli_diag_print_once(const char *of, const struct base_diag_list *diag);

/* A name of a file, which may be any bytes, as it stands in a table, a session or JSON: UTF-8 on one line. */
char *cli_name_shown(const char *name);

#endif
