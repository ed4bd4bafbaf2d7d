/* Shared by the host program and the kernel. */
#ifndef NW_H
#define NW_H

#define NW_TILE 16 /* cells along a side of a tile, and threads of a CTA: Rodinia's */

#if !defined(__CUDA__) && !defined(__CUDACC__)
#include "common/program.h"

enum { NW_LETTERS = 24, NW_SCORE_MAX = 10 };

/* The score of two letters: symmetric, the same for every seed's sequences. */
static inline int nw_score(unsigned int a, unsigned int b)
{
	unsigned int low = a < b ? a : b, high = a < b ? b : a;

	return a == b ? NW_SCORE_MAX
		      : (int)(workload_random(0, 9, low * NW_LETTERS + high) % (NW_SCORE_MAX + 1)) - NW_SCORE_MAX / 2;
}
#endif

#endif
