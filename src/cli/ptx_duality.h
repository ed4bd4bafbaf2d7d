/* ptx_duality.h - strata ptx duality: a module's kernels as code of Duality Cache. */
#ifndef STRATA_CLI_PTX_DUALITY_H
#define STRATA_CLI_PTX_DUALITY_H

#include "ptx/ptx.h"

#include <glib.h>

struct cli_duality {
	const char *kernel, *block, *grid, *without, *after;
	GPtrArray *params; /* "NAME=VALUE" */
	bool is_plain, is_open, is_summary;
};

/* Prints the kernels; exit status. */
int cli_ptx_duality(const struct ptx_module *m, const struct cli_duality *o);

#endif
