/* beside.h - a paper's bars beside ours. */
#ifndef STRATA_REPRODUCE_BESIDE_H
#define STRATA_REPRODUCE_BESIDE_H

#include <stdio.h>

#include "reproduce/outcome.h"

/* For each quantity of the paper of which there are two published and measured numbers or more: both, row by row.
 * Nothing where there is none. */
void reproduce_beside_write(FILE *out, const struct reproduce_outcomes *o);

#endif
