/* csp_result.h - the result object of a run of the coprocessor. Between the files of csp_run.h. */
#ifndef STRATA_CLI_CSP_RESULT_H
#define STRATA_CLI_CSP_RESULT_H

#include <jansson.h>

#include "cli/csp_run.h"
#include "csp/machine.h"

/* The exit status that a run deserves. */
int cli_csp_status(const struct csp_result *r);
/* docs/results.md; free with json_decref. */
json_t *cli_csp_result(const struct cli_csp_run *options, const char *file, struct csp_config *c,
		       const struct csp_program *p, const struct csp_machine *m, const struct csp_result *r);

#endif
