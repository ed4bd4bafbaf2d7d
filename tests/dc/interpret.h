/* interpret.h - what the words of a kernel compute, CTA after CTA, the simplest way: the oracle of compiler and
 * machine. */
#ifndef STRATA_TESTS_DC_INTERPRET_H
#define STRATA_TESTS_DC_INTERPRET_H

#include "dc/word.h"
#include "simt/simt.h"

/* Runs the launch's grid. False: *text (to be freed by g_free) says what went wrong. Counts may be NULL. */
struct interpreted {
	uint64_t words, compute_cycles, accesses, spills; /* expected cycles, of arrays alone */
};
bool interpret(const struct dc_kernel *k, const struct simt_module *m, const struct simt_launch *l,
	       struct interpreted *counts, char **text);

#endif
