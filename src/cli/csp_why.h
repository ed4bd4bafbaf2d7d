/* csp_why.h - why a program of the coprocessor takes its time. Between the files of csp_run.h. */
#ifndef STRATA_CLI_CSP_WHY_H
#define STRATA_CLI_CSP_WHY_H

#include <jansson.h>

#include "cli/csp_run.h"

/* Explains the run, which had an account and came to its end, runs its program again with one resource after the other
 * made ideal (csp_cases.def), prints all of it and writes options->json. The exit status. */
int cli_csp_explain(const struct cli_csp_run *options, const struct csp_config *config,
		    const struct csp_program *program, json_t *run);

#endif
