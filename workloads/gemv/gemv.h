/*
 * Shared by the host programs and the kernels of gemv: the form of the matrix, and its numbers.
 *
 * Weights are whole numbers from -8 to 7, the vector's elements from -2 to 2, and scales 0.5, 1 or 1.5: every sum of
 * up to 65,536 products is a float exactly, in any order.  So the result has to be the reference's bit for bit in every
 * type and form.
 */
#ifndef GEMV_H
#define GEMV_H

enum {
	GEMV_BLOCK_THREADS = 256, /* eight rows, or one */
	GEMV_GROUP = 32, /* int4: weights that share a scale */
	GEMV_COLUMNS_MULTIPLE = 256, /* a warp's 32 lanes with 8 columns each */
	GEMV_COLUMNS_MAX = 65536,
};

#endif
