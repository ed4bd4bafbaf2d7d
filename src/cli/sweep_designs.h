/* sweep_designs.h - a sweep over designs of the coprocessor: nothing runs, power and area are closed forms. */
#ifndef STRATA_CLI_SWEEP_DESIGNS_H
#define STRATA_CLI_SWEEP_DESIGNS_H

#include "cli/sweep_runs.h"

/* Prints the table of a plan with designs, and writes the object of sweep_table.h to json (NULL: nowhere). Returns an
 * exit status, after a message when it is not CLI_OK. */
int cli_sweep_designs(const struct cli_sweep *s, const char *name, const char *json);

#endif
