/* ops.h - the sizes that ops.cu and ops.c share. */
#ifndef STRATA_TESTS_GOLDEN_OPS_H
#define STRATA_TESTS_GOLDEN_OPS_H

enum {
	CTAS = 16, CTA_THREADS = 128, THREADS = CTAS * CTA_THREADS, WARPS = THREADS / 32,
	BINS = 64,		/* of atomics in a row */
	SCATTERED = 1024,	/* words of scattered atomics */
	FEW = 5,		/* words that all lanes of a CTA want */
	TEXELS = 2048, SIDE = 64,
	WORDS = 4096,		/* of copies and of doubles */
	SHARED_FLOATS = 1024,	/* of a CTA, wide accesses */
	TABLE = 4096,		/* words of constant memory */
	TILE = 16, DEPTH = 64,	/* a matrix product of a warp: TILE x TILE, over DEPTH */
};

#endif
