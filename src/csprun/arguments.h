/* arguments.h - what a program of the coprocessor is given on its command line: FILE.csp [OPTIONS]. */
#ifndef STRATA_CSPRUN_ARGUMENTS_H
#define STRATA_CSPRUN_ARGUMENTS_H

#include <glib.h>

#include "csp/program.h"

/* "NAME=FILE" of an option. */
struct csprun_port {
	char *name;
	const char *path;
};

struct csprun_arguments {
	const char *file;
	GArray *defines;	 /* struct csp_define */
	GArray *inputs, *outputs; /* struct csprun_port */
};

/* Keeps argv's texts. False after a message. */
bool csprun_arguments_read(struct csprun_arguments *a, int argc, char **argv);
void csprun_arguments_free(struct csprun_arguments *a);

#endif
