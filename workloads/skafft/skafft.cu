#include <strata/kernel.h>

#include "skafft.h"

struct __attribute__((aligned(8))) sample {
	float re, im;
};

/* One row or column of a matrix per CTA, in place, in radix 2 through shared memory: element i of it lies at
 * first + i * step, where first is blockIdx.x * between. */
extern "C" __global__ void transform(struct sample *matrices, const struct sample *factors, unsigned int step,
				     unsigned int between)
{
	__shared__ struct sample x[SKAFFT_SIDE];
	struct sample *line = matrices + blockIdx.y * SKAFFT_SIDE * SKAFFT_SIDE + blockIdx.x * between;
	const unsigned int thread = threadIdx.x;

	for (unsigned int i = thread; i < SKAFFT_SIDE; i += SKAFFT_THREADS)
		x[__brev(i) >> (32 - SKAFFT_LOG)] = line[i * step];
	__syncthreads();
	for (unsigned int half = 1; half < SKAFFT_SIDE; half *= 2) {
		const unsigned int offset = thread & (half - 1), i = 2 * (thread - offset) + offset;
		const struct sample w = factors[half - 1 + offset];
		const struct sample a = x[i], b = x[i + half];
		const float re = fmaf(w.re, b.re, -(w.im * b.im)), im = fmaf(w.re, b.im, w.im * b.re);

		x[i].re = a.re + re;
		x[i].im = a.im + im;
		x[i + half].re = a.re - re;
		x[i + half].im = a.im - im;
		__syncthreads();
	}
	for (unsigned int i = thread; i < SKAFFT_SIDE; i += SKAFFT_THREADS)
		line[i * step] = x[i];
}
