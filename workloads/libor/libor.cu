#include <strata/kernel.h>

#include "libor.h"

/* The market, which every path reads. */
__constant__ struct libor_market libor_constants;

/* Element n of a per-path array.  64 bits, so that the compiler may turn the index into a running pointer. */
#define AT(array, n) ((array)[(unsigned long long)(n) * LIBOR_BLOCK_THREADS])

/* The part of this path in an array of `elements_count` elements per path. */
static __device__ __forceinline__ float *path_array(float *array, unsigned int elements_count)
{
	return array + blockIdx.x * elements_count * LIBOR_BLOCK_THREADS + threadIdx.x;
}

/*
 * Evolve the forward rates L over `steps` time steps.  With `keep`, a constant, `history` gets the rates at the start
 * and those that each step changes, for the way back.
 */
static __device__ __forceinline__ void path_evolve(float *L, const float *z, float *history, bool keep,
						   unsigned int steps, unsigned int rates)
{
	float delta = libor_constants.delta;
	float root = sqrtf(delta);

	if (keep) {
#pragma unroll 1
		for (unsigned int i = 0; i < rates; i++)
			AT(history, i) = AT(L, i);
	}
	for (unsigned int n = 0; n < steps; n++) {
		float shock = root * AT(z, n);
		float drift = 0.0f;

#pragma unroll 1
		for (unsigned int i = n + 1; i < rates; i++) {
			float volatility = libor_constants.lambda[i - n - 1];
			float scaled = delta * volatility;
			float rate = AT(L, i);

			drift += scaled * rate / fmaf(delta, rate, 1.0f);
			rate *= libor_exp(fmaf(scaled, drift, volatility * fmaf(-0.5f, scaled, shock)));
			AT(L, i) = rate;
			if (keep)
				AT(history, (n + 1) * rates + i) = rate;
		}
	}
}

/* Values B of bonds and S of annuities that start after the last step. */
static __device__ __forceinline__ void bonds_price(float delta, const float *L, float *B, float *S, unsigned int steps,
						   unsigned int rates)
{
	float b = 1.0f;
	float s = 0.0f;

#pragma unroll 1
	for (unsigned int n = steps; n < rates; n++) {
		b = b / fmaf(delta, AT(L, n), 1.0f);
		s = fmaf(delta, b, s);
		AT(B, n - steps) = b;
		AT(S, n - steps) = s;
	}
}

/* What the swaptions pay.  With `derive`, a constant, also the derivatives with respect to B and S. */
static __device__ __forceinline__ float swaptions_pay(const float *B, const float *S, float *B_b, float *S_b,
						      bool derive, unsigned int options_count)
{
	float v = 0.0f;

#pragma unroll 1
	for (unsigned int option = 0; option < options_count; option++) {
		unsigned int m = libor_constants.maturity[option] - 1;
		float rate = libor_constants.swaprate[option];
		float swap = fmaf(rate, AT(S, m), AT(B, m)) - 1.0f;

		if (swap < 0.0f) {
			v = fmaf(-100.0f, swap, v);
			if (derive) {
				AT(S_b, m) = fmaf(-100.0f, rate, AT(S_b, m));
				AT(B_b, m) -= 100.0f;
			}
		}
	}
	return v;
}

/*
 * Value of the portfolio, discounted, and its derivatives L_b with respect to the rates at the last step.  The last two
 * loops, one load and one store per iteration with a trip count known only when the kernel runs, are TOM's example of
 * conditional offloading candidates (section 3.1.5).
 */
static __device__ __forceinline__ float portfolio_b(const float *L, float *L_b, float *B, float *S, float *B_b,
						    float *S_b, unsigned int steps, unsigned int rates,
						    unsigned int options_count)
{
	float delta = libor_constants.delta;
	float b = 1.0f;
	float v;

	bonds_price(delta, L, B, S, steps, rates);
#pragma unroll 1
	for (unsigned int m = 0; m < rates - steps; m++) {
		AT(B_b, m) = 0.0f;
		AT(S_b, m) = 0.0f;
	}
	v = swaptions_pay(B, S, B_b, S_b, true, options_count);
#pragma unroll 1
	for (unsigned int m = rates - steps; m-- > 0;) {
		float growth = fmaf(delta, AT(L, m + steps), 1.0f);
		float bond_b = fmaf(delta, AT(S_b, m), AT(B_b, m));

		AT(L_b, m + steps) = -bond_b * AT(B, m) * (delta / growth);
		if (m > 0) {
			AT(S_b, m - 1) += AT(S_b, m);
			AT(B_b, m - 1) += bond_b / growth;
		}
	}
#pragma unroll 1
	for (unsigned int n = 0; n < steps; n++)
		b = b / fmaf(delta, AT(L, n), 1.0f);
	v = b * v;
#pragma unroll 1
	for (unsigned int n = 0; n < steps; n++)
		AT(L_b, n) = -v * delta / fmaf(delta, AT(L, n), 1.0f);
#pragma unroll 1
	for (unsigned int n = steps; n < rates; n++)
		AT(L_b, n) = b * AT(L_b, n);
	return v;
}

/* The derivatives back through the time steps, from the rates that were kept. */
static __device__ __forceinline__ void path_return(const float *history, float *L_b, unsigned int steps,
						   unsigned int rates)
{
	float delta = libor_constants.delta;

	for (unsigned int n = steps; n-- > 0;) {
		float later = 0.0f; /* a rate's derivative through the drift, which this and all later rates use */

#pragma unroll 1
		for (unsigned int i = rates - 1; i > n; i--) {
			float volatility = libor_constants.lambda[i - n - 1];
			float before = AT(history, n * rates + i);
			float after = AT(history, (n + 1) * rates + i);
			float share = delta / fmaf(delta, before, 1.0f);

			later = fmaf(volatility * after, AT(L_b, i), later);
			AT(L_b, i) = fmaf(later * volatility, share * share, AT(L_b, i) * (after / before));
		}
	}
}

/* Value of the portfolio along each path, and its derivative with respect to the last rate. */
extern "C" __global__ void libor_greeks(const float *z, float *L, float *L_b, float *scratch, float *history,
					float *value, float *derivative, float initial_rate, unsigned int steps,
					unsigned int rates, unsigned int options_count)
{
	unsigned int path = blockIdx.x * LIBOR_BLOCK_THREADS + threadIdx.x;
	unsigned int later = (rates - steps) * LIBOR_BLOCK_THREADS;
	float *B = path_array(scratch, 4 * (rates - steps));

	z = path_array((float *)z, steps);
	L = path_array(L, rates);
	L_b = path_array(L_b, rates);
	history = path_array(history, (steps + 1) * rates);
#pragma unroll 1
	for (unsigned int i = 0; i < rates; i++)
		AT(L, i) = initial_rate;
	path_evolve(L, z, history, true, steps, rates);
	value[path] = portfolio_b(L, L_b, B, B + later, B + 2 * later, B + 3 * later, steps, rates, options_count);
	path_return(history, L_b, steps, rates);
	derivative[path] = AT(L_b, rates - 1);
}

/* Value only. */
extern "C" __global__ void libor_value(const float *z, float *L, float *scratch, float *value, float initial_rate,
				       unsigned int steps, unsigned int rates, unsigned int options_count)
{
	unsigned int path = blockIdx.x * LIBOR_BLOCK_THREADS + threadIdx.x;
	float *B = path_array(scratch, 4 * (rates - steps));
	float *S = B + (rates - steps) * LIBOR_BLOCK_THREADS;
	float b = 1.0f;

	z = path_array((float *)z, steps);
	L = path_array(L, rates);
#pragma unroll 1
	for (unsigned int i = 0; i < rates; i++)
		AT(L, i) = initial_rate;
	path_evolve(L, z, L, false, steps, rates);
	bonds_price(libor_constants.delta, L, B, S, steps, rates);
#pragma unroll 1
	for (unsigned int n = 0; n < steps; n++)
		b = b / fmaf(libor_constants.delta, AT(L, n), 1.0f);
	value[path] = b * swaptions_pay(B, S, B, S, false, options_count);
}
