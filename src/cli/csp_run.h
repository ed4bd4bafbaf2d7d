/* csp_run.h - a program run on the modelled coprocessor: files in and out, Ctrl-C, results, the run store. */
#ifndef STRATA_CLI_CSP_RUN_H
#define STRATA_CLI_CSP_RUN_H

#include <glib.h>

#include "csp/config.h"
#include "csp/machine.h"
#include "csp/program.h"

struct cli_csp_run {
	const char *json;	   /* NULL: no file of results */
	const GPtrArray *inputs, *outputs, *defines; /* "NAME=FILE", "NAME=FILE", "NAME=VALUE" */
	unsigned int watch; /* enum csp_watch */
	bool is_explained;  /* as strata csp why has it; json is then the explanation's */
};

/* The exit status, after a message when something is wrong. */
int cli_csp_run(const struct cli_csp_run *o, const char *file, struct csp_config *config,
		const struct csp_program *program, struct base_diag_list *diag);
/* Between the two a signal that ends a program stops the machine's run instead (NULL: there is none now), is known by
 * cli_csp_was_interrupted, and a second one ends us. */
void cli_csp_signals_catch(struct csp_machine *m);
void cli_csp_signals_release(void);
bool cli_csp_was_interrupted(void);
/* The values of "NAME=FILE"s, into the machine. False with messages. */
bool cli_csp_inputs(struct csp_machine *m, const GPtrArray *inputs, struct base_diag_list *diag);

#endif
