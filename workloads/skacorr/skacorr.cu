#include <strata/kernel.h>

#include "skacorr.h"

struct __attribute__((aligned(8))) sample {
	float re, im;
};

/* sum += a conj(b) */
static __device__ __forceinline__ void add(struct sample *sum, struct sample a, struct sample b)
{
	sum->re = fmaf(a.im, b.im, fmaf(a.re, b.re, sum->re));
	sum->im = fmaf(-a.re, b.im, fmaf(a.im, b.re, sum->im));
}

/* A tile of pairs of signals per CTA, of one channel; tiles above the diagonal do nothing. Input [time][signal], output
 * [signal][signal]: the first of a pair is not below the second's tile. */
extern "C" __global__ void correlate(const struct sample *input, struct sample *output, unsigned int signals,
				     unsigned int times)
{
	__shared__ struct sample rows[SKACORR_STEPS][SKACORR_TILE], columns[SKACORR_STEPS][SKACORR_TILE];
	const unsigned int x = threadIdx.x, y = threadIdx.y, thread = y * SKACORR_SIDE + x;
	const unsigned int row = blockIdx.y * SKACORR_TILE, column = blockIdx.x * SKACORR_TILE;
	struct sample s00 = {0, 0}, s01 = {0, 0}, s10 = {0, 0}, s11 = {0, 0};

	if (column > row)
		return;
	for (unsigned int first = 0; first < times; first += SKACORR_STEPS) {
		for (unsigned int i = thread; i < SKACORR_STEPS * SKACORR_TILE; i += SKACORR_SIDE * SKACORR_SIDE) {
			const unsigned int step = i / SKACORR_TILE, signal = i % SKACORR_TILE;

			rows[step][signal] = input[(first + step) * signals + row + signal];
			columns[step][signal] = input[(first + step) * signals + column + signal];
		}
		__syncthreads();
		for (unsigned int step = 0; step < SKACORR_STEPS; step++) {
			const struct sample a0 = rows[step][y], a1 = rows[step][y + SKACORR_SIDE];
			const struct sample b0 = columns[step][x], b1 = columns[step][x + SKACORR_SIDE];

			add(&s00, a0, b0);
			add(&s01, a0, b1);
			add(&s10, a1, b0);
			add(&s11, a1, b1);
		}
		__syncthreads();
	}
	output[(row + y) * signals + column + x] = s00;
	output[(row + y) * signals + column + x + SKACORR_SIDE] = s01;
	output[(row + y + SKACORR_SIDE) * signals + column + x] = s10;
	output[(row + y + SKACORR_SIDE) * signals + column + x + SKACORR_SIDE] = s11;
}
