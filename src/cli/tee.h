/* tee.h - a program's standard output, passed on as it comes and kept in a file as well. */
#ifndef STRATA_CLI_TEE_H
#define STRATA_CLI_TEE_H

#include <glib.h>

struct cli_tee {
	GThread *thread; /* NULL: not started */
	int read_fd;     /* of the pipe that the program writes to */
	int file_fd;
};

/* Starts passing on what is written to the returned descriptor, which the caller hands to the program and closes. -1
 * after a message. */
int cli_tee_start(struct cli_tee *tee, const char *path);
/* Waits until every process that holds the other end has closed it. */
void cli_tee_end(struct cli_tee *tee);

#endif
