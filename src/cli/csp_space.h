/* csp_space.h - strata csp space: the design space as a table. */
#ifndef STRATA_CLI_CSP_SPACE_H
#define STRATA_CLI_CSP_SPACE_H

#include "csp/config.h"

/* Prints power and area of the machine itself, channelization and input included, then the Pareto front (all: every
 * point), and writes all of it to json (NULL: nowhere). nodes: process nodes after 14 nm. An exit status. */
int cli_csp_space(const struct csp_config *config, int nodes, bool all, const char *json);

#endif
