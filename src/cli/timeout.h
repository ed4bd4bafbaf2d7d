/* timeout.h - the option --timeout: limits of wall-clock and of simulated time. */
#ifndef STRATA_CLI_TIMEOUT_H
#define STRATA_CLI_TIMEOUT_H

#include <glib.h>
#include <stdbool.h>

/* Its row in a command's option table. */
#define CLI_TIMEOUT_OPTION(out)                                                                                  \
	{"timeout", CLI_TEXT, (out), "T",                                                                         \
	 "end the program after this time (30s, 5min), its kernels after simulated:10ms, or both: 1h,simulated:1s", 0}

/* Appends the settings that the text, which may be NULL, stands for. False after a message. */
bool cli_timeout_add(const char *command, const char *text, GPtrArray *sets);

#endif
