/*
 * Monte Carlo pricing of a portfolio of swaptions in the LIBOR market model, once with derivatives (by the adjoint
 * method) and once without.  Long loops over small per-path arrays, which lie in local memory.
 *
 * Every path's value and derivative are compared with another way to them, in double precision and with the derivative
 * carried forwards, so that an error in the adjoint method itself would show.
 */
#include "common/workload.h"
#include "libor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char libor_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	PATHS_LEAST = 256,
};

static const float INITIAL_RATE = 0.051f;

/* An option this near to its strike pays or not depending on rounding, which makes its derivative jump. */
static const double STRIKE_MARGIN = 1e-4;

struct libor {
	unsigned int paths_count; /* a multiple of LIBOR_BLOCK_THREADS */
	unsigned int rates;
	unsigned int steps;
	unsigned int options_count;
	struct libor_market market;
	float *z; /* random shocks: steps per path, in the device's layout */
	float *value;
	float *value_only; /* by the kernel without derivatives */
	float *derivative;
};

/* Where element n of a path's array of `elements_count` is (see libor.h). */
static size_t path_index(size_t path, size_t n, size_t elements_count)
{
	size_t cta = path / LIBOR_BLOCK_THREADS;

	return (cta * elements_count + n) * LIBOR_BLOCK_THREADS + path % LIBOR_BLOCK_THREADS;
}

static void input_make(struct libor *work, uint64_t seed)
{
	unsigned int last = work->rates - work->steps;

	work->market.delta = 0.25f;
	for (unsigned int i = 0; i < work->rates; i++)
		work->market.lambda[i] = 0.2f;
	/* Maturities spread evenly; strikes below, at and above the initial rate in turn. */
	for (unsigned int option = 0; option < work->options_count; option++) {
		work->market.maturity[option] = 1 + option * (last - 1) / (work->options_count - 1);
		work->market.swaprate[option] = 0.045f + 0.005f * (float)(option % 3);
	}
	work->z = workload_host_alloc((size_t)work->paths_count * work->steps, sizeof(float));
	work->value = workload_host_alloc(work->paths_count, sizeof(float));
	work->value_only = workload_host_alloc(work->paths_count, sizeof(float));
	work->derivative = workload_host_alloc(work->paths_count, sizeof(float));
	for (size_t path = 0; path < work->paths_count; path++)
		for (size_t n = 0; n < work->steps; n++)
			work->z[path_index(path, n, work->steps)] =
				workload_random_normal(seed, 0, path * work->steps + n);
}

static void portfolio_compute(struct libor *work)
{
	struct workload_gpu gpu = workload_gpu_open(libor_ptx);
	size_t bytes = work->paths_count * sizeof(float);
	float initial_rate = INITIAL_RATE;
	CUdeviceptr market;
	CUdeviceptr z = workload_device_copy(work->z, bytes * work->steps);
	CUdeviceptr value = workload_device_alloc(bytes);
	CUdeviceptr derivative = workload_device_alloc(bytes);
	void *greeks_params[] = {&z, &value, &derivative, &initial_rate, &work->steps, &work->rates,
				 &work->options_count};
	void *value_params[] = {&z, &value, &initial_rate, &work->steps, &work->rates, &work->options_count};
	CUdeviceptr all[] = {z, value, derivative};
	struct workload_dim grid = {work->paths_count / LIBOR_BLOCK_THREADS, 1, 1};
	struct workload_dim block = {LIBOR_BLOCK_THREADS, 1, 1};

	WORKLOAD_CUDA(cuModuleGetGlobal(&market, NULL, gpu.module, "libor_constants"));
	WORKLOAD_CUDA(cuMemcpyHtoD(market, &work->market, sizeof(work->market)));
	workload_launch(workload_gpu_kernel(&gpu, "libor_greeks"), grid, block, greeks_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(work->value, value, bytes));
	WORKLOAD_CUDA(cuMemcpyDtoH(work->derivative, derivative, bytes));
	WORKLOAD_CUDA(cuMemsetD32(value, 0, work->paths_count));
	workload_launch(workload_gpu_kernel(&gpu, "libor_value"), grid, block, value_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(work->value_only, value, bytes));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		WORKLOAD_CUDA(cuMemFree(all[i]));
	workload_gpu_close(&gpu);
}

/* ---- The reference: double precision, derivative with respect to the last rate carried forwards ------------------ */

/* A number and its derivative. */
struct dual {
	double value;
	double slope;
};

struct sample {
	struct dual L[LIBOR_RATES_MAX];
	struct dual result;
	bool at_strike; /* some option is within STRIKE_MARGIN of its strike */
};

static struct dual dual_growth(double delta, struct dual rate)
{
	return (struct dual){1.0 + delta * rate.value, delta * rate.slope};
}

static struct dual dual_divide(struct dual a, struct dual b)
{
	return (struct dual){a.value / b.value, (a.slope * b.value - a.value * b.slope) / (b.value * b.value)};
}

static void sample_evolve(const struct libor *work, size_t path, struct sample *sample)
{
	double delta = work->market.delta;

	for (unsigned int i = 0; i < work->rates; i++)
		sample->L[i] = (struct dual){INITIAL_RATE, i == work->rates - 1};
	for (unsigned int n = 0; n < work->steps; n++) {
		double shock = sqrt(delta) * work->z[path_index(path, n, work->steps)];
		struct dual drift = {0.0, 0.0};

		for (unsigned int i = n + 1; i < work->rates; i++) {
			double volatility = work->market.lambda[i - n - 1];
			double scaled = delta * volatility;
			struct dual rate = sample->L[i];
			struct dual share = dual_divide(rate, dual_growth(delta, rate));
			double factor;

			drift.value += scaled * share.value;
			drift.slope += scaled * share.slope;
			factor = exp(scaled * drift.value + volatility * (shock - 0.5 * scaled));
			sample->L[i].value = rate.value * factor;
			sample->L[i].slope = factor * (rate.slope + rate.value * scaled * drift.slope);
		}
	}
}

static void sample_price(const struct libor *work, struct sample *sample)
{
	double delta = work->market.delta;
	struct dual discount = {1.0, 0.0};
	struct dual bond = {1.0, 0.0};
	struct dual annuity = {0.0, 0.0};
	struct dual v = {0.0, 0.0};

	for (unsigned int n = 0; n < work->steps; n++)
		discount = dual_divide(discount, dual_growth(delta, sample->L[n]));
	for (unsigned int n = work->steps; n < work->rates; n++) {
		bond = dual_divide(bond, dual_growth(delta, sample->L[n]));
		annuity.value += delta * bond.value;
		annuity.slope += delta * bond.slope;
		for (unsigned int option = 0; option < work->options_count; option++) {
			double rate = work->market.swaprate[option];
			double swap = bond.value + rate * annuity.value - 1.0;

			if (work->market.maturity[option] != n - work->steps + 1)
				continue;
			sample->at_strike |= fabs(swap) < STRIKE_MARGIN;
			if (swap < 0.0) {
				v.value -= 100.0 * swap;
				v.slope -= 100.0 * (bond.slope + rate * annuity.slope);
			}
		}
	}
	sample->result.value = discount.value * v.value;
	sample->result.slope = discount.slope * v.value + discount.value * v.slope;
}

static bool paths_check(const struct libor *work)
{
	for (size_t path = 0; path < work->paths_count; path++) {
		struct sample sample = {.at_strike = false};
		float value;
		float slope;

		sample_evolve(work, path, &sample);
		sample_price(work, &sample);
		value = (float)sample.result.value;
		slope = (float)sample.result.slope;
		if (!workload_close_f32("value", &work->value[path], &value, 1, 1e-3f) ||
		    !workload_close_f32("value without derivative", &work->value_only[path], &value, 1, 1e-3f))
			return false;
		if (!sample.at_strike &&
		    !workload_close_f32("derivative", &work->derivative[path], &slope, 1, 1e-3f))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"libor", "Monte Carlo pricing of swaptions in the LIBOR market model.",
		"4,096 paths, 12 rates, 6 steps, 6 options",
		"4,096 paths, 80 rates, 40 steps, 15 options (TOM states no size)"};
	static const struct workload_count counts[] = {
		{"paths", "paths", 4096, 4096, PATHS_LEAST, 1 << 20, LIBOR_BLOCK_THREADS, NULL},
		{"rates", "forward rates, above the number of steps plus one", 12, 80, 3, LIBOR_RATES_MAX, 1, NULL},
		{"steps", "time steps", 6, 40, 1, LIBOR_STEPS_MAX, 1, NULL},
		{"options", "swaptions", 6, 15, 2, LIBOR_OPTIONS_MAX, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct libor work = {
		.paths_count = options.counts[0],
		.rates = options.counts[1],
		.steps = options.counts[2],
		.options_count = options.counts[3],
	};
	bool right;

	if (work.rates < work.steps + 2)
		workload_fail("%u steps need at least %u rates, not %u", work.steps, work.steps + 2, work.rates);
	input_make(&work, options.seed);
	portfolio_compute(&work);
	right = paths_check(&work);
	free(work.z);
	free(work.value);
	free(work.value_only);
	free(work.derivative);
	return workload_finish(right, "%u paths, %u rates, %u steps, %u options", work.paths_count, work.rates,
			       work.steps, work.options_count);
}
