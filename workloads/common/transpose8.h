/*
 * transpose8.h - eight vectors of eight floats, so that vector i has the i-th floats of all. Included between
 * WIDE_BEGIN and WIDE_END.
 */
#ifndef TRANSPOSE8_H
#define TRANSPOSE8_H

#include "common/wide.h"

/* Pairs of floats of neighbours, pairs of those, and halves of those: the three steps of AVX's shuffles. */
static inline void transpose_8(wide_8 v[8])
{
	wide_8 a[8], b[8];

#pragma GCC unroll 4
	for (unsigned int i = 0; i < 8; i += 2) {
		a[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
		a[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
	}
#pragma GCC unroll 4
	for (unsigned int i = 0; i < 8; i += 4) {
		b[i] = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
		b[i + 1] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
		b[i + 2] = __builtin_shufflevector(a[i + 1], a[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
		b[i + 3] = __builtin_shufflevector(a[i + 1], a[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
	}
#pragma GCC unroll 4
	for (unsigned int i = 0; i < 4; i++) {
		v[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
		v[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
	}
}

#endif
