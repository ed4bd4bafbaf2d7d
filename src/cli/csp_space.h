/* csp_space.h - strata csp space: the design space as a table. */
#ifndef STRATA_CLI_CSP_SPACE_H
#define STRATA_CLI_CSP_SPACE_H

#include "cli/paths.h"
#include "csp/power.h"

#include <jansson.h>

/* The coprocessor of a machine, with the settings of --set. False after messages: there is none of that name, or it
 * has no coprocessor. */
bool cli_csp_config_load(const struct cli_paths *paths, const char *name, GPtrArray *sets, struct csp_config *out);

/* Prints power and area of the machine itself, channelization and input included, then the Pareto front (all: every
 * point), and writes all of it to json (NULL: nowhere) under the machine's name. nodes: process nodes after 14 nm. An
 * exit status. */
int cli_csp_space(const char *machine, const struct csp_config *config, int nodes, bool all, const char *json);

/* Power and area of a design for an application: correlation, channelization, io_w, node_w. */
void cli_csp_design_put(json_t *o, const struct csp_config *c, const struct csp_application *a);

#endif
