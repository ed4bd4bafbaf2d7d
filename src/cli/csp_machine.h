/* csp_machine.h - a coprocessor by name or file, with settings. */
#ifndef STRATA_CLI_CSP_MACHINE_H
#define STRATA_CLI_CSP_MACHINE_H

#include "cli/paths.h"
#include "csp/config.h"

#include <glib.h>

/* Looks in the folder csp of the machines; sets: of char *, "csp.fu_count=32". False with messages. */
bool cli_csp_machine_load(const struct cli_paths *paths, const char *name, const GPtrArray *sets,
			  struct csp_config *out, struct base_diag_list *diag);

#endif
