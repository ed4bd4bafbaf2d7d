/* The experts of moe and its reference, for the CUDA program and the program of threads. */
#ifndef MOE_HOST_H
#define MOE_HOST_H

#include "common/half.h"
#include "common/program.h"
#include "moe/moe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOE_WIDTH, MOE_INNER, MOE_TOKENS, MOE_EXPERTS, MOE_BEST, MOE_COUNTS_COUNT };
/* Rows of a program's counts. */
#define MOE_COUNTS \
	{"width", "elements of a token", 512, 1024, MOE_MULTIPLE, 8192, MOE_MULTIPLE, NULL}, \
	{"inner", "rows of an expert's upper matrices", 768, 3584, MOE_MULTIPLE, 32768, MOE_MULTIPLE, NULL}, \
	{"tokens", "tokens", 2, 8, 1, 4096, 1, NULL}, \
	{"experts", "experts", 8, 8, 1, MOE_EXPERTS_MAX, 1, NULL}, \
	{"best", "experts of a token", 2, 2, 1, MOE_BEST_MAX, 1, NULL}

struct moe {
	unsigned int width, inner, tokens, experts, best;
	float *router; /* a row for each expert */
	uint16_t *gates, *ups, *downs; /* of each expert */
	float *x; /* tokens */
	uint32_t *chosen; /* experts of each token */
	float *shares;
	float *result;
};

static inline size_t moe_expert_elements(const struct moe *m)
{
	return (size_t)m->width * m->inner;
}

static inline uint16_t *moe_halves(uint64_t seed, uint32_t stream, size_t count, float scale)
{
	uint16_t *halves = workload_host_alloc(count, sizeof(*halves));

	for (size_t i = 0; i < count; i++)
		halves[i] = half_from(scale * (workload_random_float(seed, stream, i) - 0.5f));
	return halves;
}

static inline float *moe_floats(uint64_t seed, uint32_t stream, size_t count)
{
	float *floats = workload_host_alloc(count, sizeof(*floats));

	for (size_t i = 0; i < count; i++)
		floats[i] = 2 * workload_random_float(seed, stream, i) - 1;
	return floats;
}

/* Weights are scaled so that what comes out of a matrix is of the size of what goes in. */
static inline struct moe moe_make(const struct workload_options *options)
{
	const unsigned int *counts = options->counts;
	struct moe m = {.width = counts[MOE_WIDTH],
			.inner = counts[MOE_INNER],
			.tokens = counts[MOE_TOKENS],
			.experts = counts[MOE_EXPERTS],
			.best = counts[MOE_BEST]};
	const size_t weights = m.experts * moe_expert_elements(&m), slots = (size_t)m.tokens * m.best;

	if (m.best > m.experts)
		workload_fail("--best must not exceed --experts");
	m.router = moe_floats(options->seed, 0, (size_t)m.experts * m.width);
	m.gates = moe_halves(options->seed, 1, weights, sqrtf(12.0f / (float)m.width));
	m.ups = moe_halves(options->seed, 2, weights, sqrtf(12.0f / (float)m.width));
	m.downs = moe_halves(options->seed, 3, weights, sqrtf(12.0f / (float)m.inner));
	m.x = moe_floats(options->seed, 4, (size_t)m.tokens * m.width);
	m.chosen = workload_host_alloc(slots, sizeof(*m.chosen));
	m.shares = workload_host_alloc(slots, sizeof(*m.shares));
	m.result = workload_host_alloc((size_t)m.tokens * m.width, sizeof(*m.result));
	workload_input(m.router, (size_t)m.experts * m.width * sizeof(*m.router));
	workload_input(m.gates, weights * sizeof(*m.gates));
	workload_input(m.ups, weights * sizeof(*m.ups));
	workload_input(m.downs, weights * sizeof(*m.downs));
	workload_input(m.x, (size_t)m.tokens * m.width * sizeof(*m.x));
	workload_input_number(m.best);
	return m;
}

static inline void moe_free(struct moe *m)
{
	free(m->router);
	free(m->gates);
	free(m->ups);
	free(m->downs);
	free(m->x);
	free(m->chosen);
	free(m->shares);
	free(m->result);
}

static inline double moe_row(const uint16_t *row, const double *vector, unsigned int count)
{
	double sum = 0;

	for (unsigned int c = 0; c < count; c++)
		sum += (double)half_value(row[c]) * vector[c];
	return sum;
}

/* What one expert makes of a token, in double precision, times its share, is added to `sums`. */
static inline void moe_expert_add(const struct moe *m, unsigned int expert, double share, const double *x,
				  double *inner, double *sums)
{
	const size_t first = expert * moe_expert_elements(m);

	for (unsigned int r = 0; r < m->inner; r++) {
		const double gate = moe_row(m->gates + first + (size_t)r * m->width, x, m->width);

		inner[r] = gate / (1 + exp(-gate)) * moe_row(m->ups + first + (size_t)r * m->width, x, m->width);
	}
	for (unsigned int c = 0; c < m->width; c++)
		sums[c] += share * moe_row(m->downs + first + (size_t)c * m->inner, inner, m->inner);
}

/* That the experts chosen for a token are its best, of those left each time; scores nearer than 1e-4 count as equal,
 * for they are sums in single precision.  Writes the shares. */
static inline bool moe_choice_check(const struct moe *m, unsigned int token, double *shares)
{
	double scores[MOE_EXPERTS_MAX], chosen_scores[MOE_BEST_MAX], sum = 0;
	const uint32_t *chosen = m->chosen + (size_t)token * m->best;

	for (unsigned int e = 0; e < m->experts; e++) {
		scores[e] = 0;
		for (unsigned int c = 0; c < m->width; c++)
			scores[e] += (double)m->router[(size_t)e * m->width + c] * m->x[(size_t)token * m->width + c];
	}
	for (unsigned int b = 0; b < m->best; b++) {
		uint32_t best = 0;

		for (unsigned int e = 1; e < m->experts; e++)
			if (scores[e] > scores[best])
				best = e;
		if (chosen[b] >= m->experts || !(scores[chosen[b]] >= scores[best] - 1e-4))
			return workload_same_u32("expert", &chosen[b], &best, 1);
		chosen_scores[b] = scores[chosen[b]];
		sum += exp(chosen_scores[b] - chosen_scores[0]);
		scores[chosen[b]] = -1e30;
	}
	for (unsigned int b = 0; b < m->best; b++)
		shares[b] = exp(chosen_scores[b] - chosen_scores[0]) / sum;
	return true;
}

/* The choice as above, and the result within 1e-3 of double precision. */
static inline bool moe_check(const struct moe *m)
{
	double *x = workload_host_alloc(m->width, sizeof(*x)), *inner = workload_host_alloc(m->inner, sizeof(*inner));
	double *sums = workload_host_alloc(m->width, sizeof(*sums)), shares[MOE_BEST_MAX];
	float *want = workload_host_alloc(m->width, sizeof(*want));
	bool right = true;

	for (unsigned int t = 0; right && t < m->tokens; t++) {
		right = moe_choice_check(m, t, shares);
		memset(sums, 0, m->width * sizeof(*sums));
		for (unsigned int c = 0; c < m->width; c++)
			x[c] = m->x[(size_t)t * m->width + c];
		for (unsigned int b = 0; right && b < m->best; b++)
			moe_expert_add(m, m->chosen[(size_t)t * m->best + b], shares[b], x, inner, sums);
		for (unsigned int c = 0; c < m->width; c++)
			want[c] = (float)sums[c];
		right = right && workload_close_f32("result", m->result + (size_t)t * m->width, want, m->width, 1e-3f);
	}
	free(x);
	free(inner);
	free(sums);
	free(want);
	return right;
}

#endif
