/* rounds.h - does a cache of a machine hold what fits into it? A working set is read twice, and what the second round
 * misses is counted. */
#ifndef STRATA_TESTS_GPU_ROUNDS_H
#define STRATA_TESTS_GPU_ROUNDS_H

#include <stdint.h>

#include "gpu/priv.h"

/* Lines of the second round that the slices of the L2 missed, of so many from first on. */
uint64_t rounds_slices(struct gpu *g, uint64_t first, uint64_t lines);
/* The same of a cache of a stack's SM, of the lines that lie in that stack only, or of all. */
uint64_t rounds_stack(struct gpu *g, struct mem_cache *c, uint32_t stack, uint64_t first, uint64_t lines, bool has_all);

#endif
