/* manual.h - the tables of commands and options in other forms than --help: manual pages, and lines for shells. */
#ifndef STRATA_CLI_MANUAL_H
#define STRATA_CLI_MANUAL_H

#include "cli/options.h"

struct cli_summary {
	const char *name, *summary;
};

/* Examples of the commands together, a command line in each line, for --help and the manual page. */
extern const char cli_manual_examples[];

/* The manual page of a command (man 1 strata-NAME), as troff with the man macros, on the standard output. */
void cli_manual_print(const struct cli_about *about, const struct cli_option *options);
/* That of strata itself. */
void cli_manual_main_print(const struct cli_summary *commands, uint32_t count);
/* A line per option: "--NAME", a tab, METAVAR or nothing, a tab, its text. */
void cli_shell_print(const struct cli_option *options);

#endif
