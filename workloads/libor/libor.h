/*
 * Shared by the host program and the kernels: limits, and the arithmetic that both have to do alike.
 *
 * Per path, arrays lie in global memory as local memory would: element n of the CTA's threads is one line, so that the
 * address is base + n * LIBOR_BLOCK_THREADS with the stride known at compile time.
 */
#ifndef LIBOR_H
#define LIBOR_H

#define LIBOR_BLOCK_THREADS 64
#define LIBOR_RATES_MAX 80
#define LIBOR_OPTIONS_MAX 16

/* The market: one copy, in constant memory, read by every path. */
struct libor_market {
	float delta;                              /* years per step */
	float lambda[LIBOR_RATES_MAX];            /* volatility by time to maturity */
	unsigned int maturity[LIBOR_OPTIONS_MAX]; /* 1 to rates - steps */
	float swaprate[LIBOR_OPTIONS_MAX];
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define LIBOR_BOTH __device__ __forceinline__
#else
#include <math.h>
#define LIBOR_BOTH inline
#endif

/*
 * e^x for |x| < 80, with the same bits on host and device: x = k ln 2 + r, a polynomial for e^r, and k added to the
 * exponent.  The coefficients are the Taylor series; with |r| <= 0.35 the error is below 3 ulp.
 */
static LIBOR_BOTH float libor_exp(float x)
{
	/* Adding and subtracting 1.5 * 2^23 rounds to an integer; the sum's low bits are that integer. */
	const float magic = 12582912.0f;
	union {
		float f;
		unsigned int u;
	} shifted, result;
	float k, r, p;

	shifted.f = fmaf(x, 1.44269504f, magic);
	k = shifted.f - magic;
	r = fmaf(k, -0.693145752f, x);
	r = fmaf(k, -1.42860677e-6f, r);
	p = fmaf(r, 1.38888889e-3f, 8.33333333e-3f);
	p = fmaf(p, r, 4.16666667e-2f);
	p = fmaf(p, r, 0.166666667f);
	p = fmaf(p, r, 0.5f);
	p = fmaf(p, r, 1.0f);
	result.f = fmaf(p, r, 1.0f);
	result.u += shifted.u << 23;
	return result.f;
}

#endif
