/* why_gap.h - of two runs of the store: which difference between their machines makes which part of the gap. */
#ifndef STRATA_CLI_WHY_GAP_H
#define STRATA_CLI_WHY_GAP_H

#include <jansson.h>

#include "cli/options.h"

/* Runs the program of a and b on both machines again, and for each parameter that differs on the first with the
 * second's value and on the second with the first's. Puts "gap" into the difference of the two, which has its
 * "params", and prints it. slots: as of a batch. Returns the exit status, after a message where it is not CLI_OK. */
int cli_why_gap(const struct cli_paths *paths, const json_t *a, const json_t *b, json_t *difference, uint32_t slots);

#endif
