#include <strata/kernel.h>

#include "libor.h"

/* The market, which every path reads. */
__constant__ struct libor_market libor_constants;

/* e^x by the unit for special functions. */
static __device__ __forceinline__ float fast_exp(float x)
{
	return __nvvm_ex2_approx_f(x * 1.44269504f);
}

/* a / b by the reciprocal of the same unit. */
static __device__ __forceinline__ float fast_divide(float a, float b)
{
	return __nvvm_div_approx_f(a, b);
}

/* Element n of a thread's array of shocks. */
static __device__ __forceinline__ void shocks_read(const float *all, float *z, unsigned int steps)
{
	all += blockIdx.x * steps * LIBOR_BLOCK_THREADS + threadIdx.x;
#pragma unroll 1
	for (unsigned int n = 0; n < steps; n++)
		z[n] = all[(unsigned long long)n * LIBOR_BLOCK_THREADS];
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
			history[i] = L[i];
	}
#pragma unroll 1
	for (unsigned int n = 0; n < steps; n++) {
		float shock = root * z[n];
		float drift = 0.0f;

#pragma unroll 1
		for (unsigned int i = n + 1; i < rates; i++) {
			float volatility = libor_constants.lambda[i - n - 1];
			float scaled = delta * volatility;
			float rate = L[i];

			drift += fast_divide(scaled * rate, (float)(1.0 + delta * rate));
			rate *= fast_exp((float)(scaled * drift + volatility * (shock - 0.5 * scaled)));
			L[i] = rate;
			if (keep)
				history[(n + 1) * rates + i] = rate;
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
		b = (float)(b / (1.0 + delta * L[n]));
		s = s + delta * b;
		B[n - steps] = b;
		S[n - steps] = s;
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
		float swap = (float)(B[m] + rate * S[m] - 1.0);

		if (swap < 0.0f) {
			v += -100.0f * swap;
			if (derive) {
				S_b[m] += -100.0f * rate;
				B_b[m] += -100.0f;
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
static __device__ __forceinline__ float portfolio_b(const float *L, float *L_b, unsigned int steps, unsigned int rates,
						    unsigned int options_count)
{
	float B[LIBOR_RATES_MAX], S[LIBOR_RATES_MAX], B_b[LIBOR_RATES_MAX], S_b[LIBOR_RATES_MAX];
	float delta = libor_constants.delta;
	float b = 1.0f;
	float v;

	bonds_price(delta, L, B, S, steps, rates);
#pragma unroll 1
	for (unsigned int m = 0; m < rates - steps; m++) {
		B_b[m] = 0.0f;
		S_b[m] = 0.0f;
	}
	v = swaptions_pay(B, S, B_b, S_b, true, options_count);
#pragma unroll 1
	for (unsigned int m = rates - steps; m-- > 0;) {
		double growth = 1.0 + delta * L[m + steps];
		float bond_b = B_b[m] + delta * S_b[m];

		L_b[m + steps] = (float)(-bond_b * B[m] * (delta / growth));
		if (m > 0) {
			S_b[m - 1] += S_b[m];
			B_b[m - 1] += (float)(bond_b / growth);
		}
	}
#pragma unroll 1
	for (unsigned int n = 0; n < steps; n++)
		b = (float)(b / (1.0 + delta * L[n]));
	v = b * v;
#pragma unroll 1
	for (unsigned int n = 0; n < steps; n++)
		L_b[n] = (float)(-v * delta / (1.0 + delta * L[n]));
#pragma unroll 1
	for (unsigned int n = steps; n < rates; n++)
		L_b[n] = b * L_b[n];
	return v;
}

/* The derivatives back through the time steps, from the rates that were kept. */
static __device__ __forceinline__ void path_return(const float *history, float *L_b, unsigned int steps,
						   unsigned int rates)
{
	float delta = libor_constants.delta;

#pragma unroll 1
	for (unsigned int n = steps; n-- > 0;) {
		float later = 0.0f; /* a rate's derivative through the drift, which this and all later rates use */

#pragma unroll 1
		for (unsigned int i = rates - 1; i > n; i--) {
			float volatility = libor_constants.lambda[i - n - 1];
			float before = history[n * rates + i];
			float after = history[(n + 1) * rates + i];
			float share = fast_divide(delta, (float)(1.0 + delta * before));

			later += volatility * after * L_b[i];
			L_b[i] = L_b[i] * fast_divide(after, before) + later * volatility * share * share;
		}
	}
}

/* Value of the portfolio along each path, and its derivative with respect to the last rate. */
extern "C" __global__ void libor_greeks(const float *shocks, float *value, float *derivative, float initial_rate,
					unsigned int steps, unsigned int rates, unsigned int options_count)
{
	unsigned int path = blockIdx.x * LIBOR_BLOCK_THREADS + threadIdx.x;
	float L[LIBOR_RATES_MAX], L_b[LIBOR_RATES_MAX], z[LIBOR_STEPS_MAX];
	float history[(LIBOR_STEPS_MAX + 1) * LIBOR_RATES_MAX];

	shocks_read(shocks, z, steps);
#pragma unroll 1
	for (unsigned int i = 0; i < rates; i++)
		L[i] = initial_rate;
	path_evolve(L, z, history, true, steps, rates);
	value[path] = portfolio_b(L, L_b, steps, rates, options_count);
	path_return(history, L_b, steps, rates);
	derivative[path] = L_b[rates - 1];
}

/* Value only. */
extern "C" __global__ void libor_value(const float *shocks, float *value, float initial_rate, unsigned int steps,
				       unsigned int rates, unsigned int options_count)
{
	unsigned int path = blockIdx.x * LIBOR_BLOCK_THREADS + threadIdx.x;
	float L[LIBOR_RATES_MAX], z[LIBOR_STEPS_MAX], B[LIBOR_RATES_MAX], S[LIBOR_RATES_MAX];
	float b = 1.0f;

	shocks_read(shocks, z, steps);
#pragma unroll 1
	for (unsigned int i = 0; i < rates; i++)
		L[i] = initial_rate;
	path_evolve(L, z, L, false, steps, rates);
	bonds_price(libor_constants.delta, L, B, S, steps, rates);
#pragma unroll 1
	for (unsigned int n = 0; n < steps; n++)
		b = (float)(b / (1.0 + libor_constants.delta * L[n]));
	value[path] = b * swaptions_pay(B, S, B, S, false, options_count);
}
