/*
 * Monte Carlo pricing of a portfolio of swaptions in the LIBOR market model, once with derivatives (by the adjoint
 * method) and once without.  Long loops over small per-path arrays, which lie in global memory.
 *
 * Every path's value and derivative are compared bit for bit with the same operations on the host.  The first paths are
 * also computed in a different way, in double precision and with the derivative carried forwards, so that an error in
 * the adjoint method itself would show.
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
	SAMPLES_COUNT = 256,
	STEPS_MAX = LIBOR_RATES_MAX,
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

/* One path's arrays on the host. */
struct path {
	float z[STEPS_MAX];
	float L[LIBOR_RATES_MAX];
	float L_b[LIBOR_RATES_MAX];
	float B[LIBOR_RATES_MAX], S[LIBOR_RATES_MAX];
	float B_b[LIBOR_RATES_MAX], S_b[LIBOR_RATES_MAX];
	float history[STEPS_MAX + 1][LIBOR_RATES_MAX]; /* the last row: after the last step */
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

static CUdeviceptr per_path_alloc(const struct libor *work, size_t elements_count)
{
	return workload_device_alloc(work->paths_count * elements_count * sizeof(float));
}

static void portfolio_compute(struct libor *work)
{
	struct workload_gpu gpu = workload_gpu_open(libor_ptx);
	size_t bytes = work->paths_count * sizeof(float);
	float initial_rate = INITIAL_RATE;
	CUdeviceptr market;
	CUdeviceptr z = workload_device_copy(work->z, bytes * work->steps);
	CUdeviceptr L = per_path_alloc(work, work->rates);
	CUdeviceptr L_b = per_path_alloc(work, work->rates);
	CUdeviceptr scratch = per_path_alloc(work, 4 * (size_t)(work->rates - work->steps));
	CUdeviceptr history = per_path_alloc(work, ((size_t)work->steps + 1) * work->rates);
	CUdeviceptr value = per_path_alloc(work, 1);
	CUdeviceptr derivative = per_path_alloc(work, 1);
	void *greeks_params[] = {&z, &L, &L_b, &scratch, &history, &value, &derivative, &initial_rate,
				 &work->steps, &work->rates, &work->options_count};
	void *value_params[] = {&z, &L, &scratch, &value, &initial_rate, &work->steps, &work->rates,
				&work->options_count};
	CUdeviceptr all[] = {z, L, L_b, scratch, history, value, derivative};
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

/* ---- The reference: the kernels' operations in the same order --------------------------------------------------- */

static float growth_of(float delta, float rate)
{
	return fmaf(delta, rate, 1.0f);
}

/* The exponent of one rate's factor over one step. */
static float exponent_of(float scaled, float volatility, float drift, float shock)
{
	return fmaf(scaled, drift, volatility * fmaf(-0.5f, scaled, shock));
}

static void path_evolve(const struct libor *work, struct path *path)
{
	float delta = work->market.delta;

	for (unsigned int i = 0; i < work->rates; i++)
		path->L[i] = INITIAL_RATE;
	memcpy(path->history[0], path->L, sizeof(path->L));
	for (unsigned int n = 0; n < work->steps; n++) {
		float shock = sqrtf(delta) * path->z[n];
		float drift = 0.0f;

		for (unsigned int i = n + 1; i < work->rates; i++) {
			float volatility = work->market.lambda[i - n - 1];
			float scaled = delta * volatility;
			float rate = path->L[i];

			drift += scaled * rate / growth_of(delta, rate);
			path->L[i] = rate * libor_exp(exponent_of(scaled, volatility, drift, shock));
			path->history[n + 1][i] = path->L[i];
		}
	}
}

/* What the swaptions pay, with the derivatives B_b and S_b. */
static float swaptions_pay(const struct libor *work, struct path *path)
{
	float v = 0.0f;

	memset(path->B_b, 0, sizeof(path->B_b));
	memset(path->S_b, 0, sizeof(path->S_b));
	for (unsigned int option = 0; option < work->options_count; option++) {
		unsigned int m = work->market.maturity[option] - 1;
		float rate = work->market.swaprate[option];
		float swap = fmaf(rate, path->S[m], path->B[m]) - 1.0f;

		if (swap < 0.0f) {
			v = fmaf(-100.0f, swap, v);
			path->S_b[m] = fmaf(-100.0f, rate, path->S_b[m]);
			path->B_b[m] -= 100.0f;
		}
	}
	return v;
}

static float portfolio_price(const struct libor *work, struct path *path)
{
	float delta = work->market.delta;
	unsigned int steps = work->steps;
	float b = 1.0f;
	float s = 0.0f;
	float v;

	for (unsigned int n = steps; n < work->rates; n++) {
		b = b / growth_of(delta, path->L[n]);
		s = fmaf(delta, b, s);
		path->B[n - steps] = b;
		path->S[n - steps] = s;
	}
	v = swaptions_pay(work, path);
	for (unsigned int m = work->rates - steps; m-- > 0;) {
		float growth = growth_of(delta, path->L[m + steps]);
		float bond_b = fmaf(delta, path->S_b[m], path->B_b[m]);

		path->L_b[m + steps] = -bond_b * path->B[m] * (delta / growth);
		if (m > 0) {
			path->S_b[m - 1] += path->S_b[m];
			path->B_b[m - 1] += bond_b / growth;
		}
	}
	b = 1.0f;
	for (unsigned int n = 0; n < steps; n++)
		b = b / growth_of(delta, path->L[n]);
	v = b * v;
	for (unsigned int n = 0; n < steps; n++)
		path->L_b[n] = -v * delta / growth_of(delta, path->L[n]);
	for (unsigned int n = steps; n < work->rates; n++)
		path->L_b[n] = b * path->L_b[n];
	return v;
}

static void path_return(const struct libor *work, struct path *path)
{
	float delta = work->market.delta;

	for (unsigned int n = work->steps; n-- > 0;) {
		float later = 0.0f;

		for (unsigned int i = work->rates - 1; i > n; i--) {
			float volatility = work->market.lambda[i - n - 1];
			float before = path->history[n][i];
			float after = path->history[n + 1][i];
			float share = delta / growth_of(delta, before);

			later = fmaf(volatility * after, path->L_b[i], later);
			path->L_b[i] =
				fmaf(later * volatility, share * share, path->L_b[i] * (after / before));
		}
	}
}

static bool paths_check(const struct libor *work)
{
	struct path *path = workload_host_alloc(1, sizeof(*path));
	float *value = workload_host_alloc(work->paths_count, sizeof(float));
	float *derivative = workload_host_alloc(work->paths_count, sizeof(float));
	bool right;

	for (size_t p = 0; p < work->paths_count; p++) {
		for (unsigned int n = 0; n < work->steps; n++)
			path->z[n] = work->z[path_index(p, n, work->steps)];
		path_evolve(work, path);
		value[p] = portfolio_price(work, path);
		path_return(work, path);
		derivative[p] = path->L_b[work->rates - 1];
	}
	right = workload_same_f32("value", work->value, value, work->paths_count, 0) &&
		workload_same_f32("value without derivative", work->value_only, value, work->paths_count, 0) &&
		workload_same_f32("derivative", work->derivative, derivative, work->paths_count, 0);
	free(path);
	free(value);
	free(derivative);
	return right;
}

/* ---- The other way: double precision, derivative with respect to the last rate carried forwards ------------------ */

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

static bool samples_check(const struct libor *work)
{
	for (size_t path = 0; path < SAMPLES_COUNT; path++) {
		struct sample sample = {.at_strike = false};
		float value;
		float slope;

		sample_evolve(work, path, &sample);
		sample_price(work, &sample);
		value = (float)sample.result.value;
		slope = (float)sample.result.slope;
		if (!workload_close_f32("value against double precision", &work->value[path], &value, 1, 1e-3f))
			return false;
		if (!sample.at_strike && !workload_close_f32("derivative against double precision",
							     &work->derivative[path], &slope, 1, 1e-3f))
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
		{"paths", "paths", 4096, 4096, SAMPLES_COUNT, 1 << 20, LIBOR_BLOCK_THREADS, NULL},
		{"rates", "forward rates, above the number of steps plus one", 12, 80, 3, LIBOR_RATES_MAX, 1, NULL},
		{"steps", "time steps", 6, 40, 1, LIBOR_RATES_MAX - 2, 1, NULL},
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
	right = paths_check(&work) && samples_check(&work);
	free(work.z);
	free(work.value);
	free(work.value_only);
	free(work.derivative);
	return workload_finish(right, "%u paths, %u rates, %u steps, %u options", work.paths_count, work.rates,
			       work.steps, work.options_count);
}
