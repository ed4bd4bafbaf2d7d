/*
 * A layer of experts by threads: the input and the check of the CUDA program.  Tokens are routed, then the rows of all
 * chosen experts' upper matrices are shared out, and then those of the lower ones.
 */
#include "common/jobs.h"
#include "common/rows_threads.h"
#include "moe/host.h"

enum { WHO = MOE_COUNTS_COUNT };
static const struct workload_count counts[] = {MOE_COUNTS, WORKLOAD_WHO};

struct job {
	struct moe m;
	float *hidden; /* inner elements of each token's experts */
};

static void job_make(void *job, const struct workload_options *options)
{
	struct job *j = job;

	j->m = moe_make(options);
	j->hidden = workload_host_alloc((size_t)j->m.tokens * j->m.best * j->m.inner, sizeof(*j->hidden));
}

static void job_free(void *job)
{
	struct job *j = job;

	moe_free(&j->m);
	free(j->hidden);
}

/* A token's best experts, of equal ones the lower number, and their shares, a softmax over their scores. */
static void token_route(const struct moe *m, size_t token)
{
	float scores[MOE_EXPERTS_MAX], first = 0, sum = 0;

	for (size_t e = 0; e < m->experts; e++)
		scores[e] = rows_float(m->router + e * m->width, m->x + token * m->width, m->width);
	for (size_t b = token * m->best; b < (token + 1) * m->best; b++) {
		unsigned int at = 0;

		for (unsigned int e = 1; e < m->experts; e++)
			if (scores[e] > scores[at])
				at = e;
		if (b == token * m->best)
			first = scores[at];
		m->chosen[b] = at;
		m->shares[b] = expf(scores[at] - first);
		sum += m->shares[b];
		scores[at] = -1e30f;
	}
	for (size_t b = token * m->best; b < (token + 1) * m->best; b++)
		m->shares[b] /= sum;
}

/* Row `row` of the upper matrices of the expert at place `slot` of all tokens' choices. */
static float up_row(const struct moe *m, size_t slot, size_t row)
{
	const float *x = m->x + slot / m->best * m->width;
	const size_t at = m->chosen[slot] * moe_expert_elements(m) + row * m->width;
	const float gate = rows_half(m->gates + at, x, m->width);

	return gate / (1 + expf(-gate)) * rows_half(m->ups + at, x, m->width);
}

/* An element of a token's result: a row of each of its experts' lower matrices, by their shares. */
static float down_row(const struct job *j, size_t token, size_t row)
{
	const struct moe *m = &j->m;
	float sum = 0;

	for (size_t slot = token * m->best; slot < (token + 1) * m->best; slot++) {
		const uint16_t *weights = m->downs + m->chosen[slot] * moe_expert_elements(m) + row * m->inner;

		sum += m->shares[slot] * rows_half(weights, j->hidden + slot * m->inner, m->inner);
	}
	return sum;
}

static void job_part(void *job, const struct workload_part *part)
{
	const struct job j = *(struct job *)job; /* on the team's stack */
	const struct moe *m = &j.m;
	const size_t slots = (size_t)m->tokens * m->best;
	const size_t up_begin = workload_part_begin(part, slots * m->inner);
	const size_t up_end = workload_part_end(part, slots * m->inner);
	const size_t down_begin = workload_part_begin(part, (size_t)m->tokens * m->width);
	const size_t down_end = workload_part_end(part, (size_t)m->tokens * m->width);

#pragma omp parallel for
	for (size_t token = workload_part_begin(part, m->tokens); token < workload_part_end(part, m->tokens); token++)
		token_route(m, token);
	workload_part_wait(part);
#pragma omp parallel for
	for (size_t i = up_begin; i < up_end; i++)
		j.hidden[i] = up_row(m, i / m->inner, i % m->inner);
	workload_part_wait(part);
#pragma omp parallel for
	for (size_t i = down_begin; i < down_end; i++)
		m->result[i] = down_row(&j, i / m->width, i % m->width);
}

static bool job_check(const void *job, const struct workload_options *options)
{
	(void)options;
	return moe_check(&((const struct job *)job)->m);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"moe-omp", "A layer of experts, by threads.",
						    "2 tokens of 512, experts of 768 rows",
						    "8 tokens of 1,024, experts of 3,584 rows"};
	static const struct job_kind kind = {sizeof(struct job), job_make, job_part, job_check, job_free};
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const double slots = (double)o.counts[MOE_TOKENS] * o.counts[MOE_BEST];
	const double elements = 3.0 * slots * o.counts[MOE_WIDTH] * o.counts[MOE_INNER];
	const bool right = jobs_do(&kind, o, WHO, elements * sizeof(uint16_t));

	return workload_finish(right, "%u tokens of %u, %u of %u experts of %u rows", o.counts[MOE_TOKENS],
			       o.counts[MOE_WIDTH], o.counts[MOE_BEST], o.counts[MOE_EXPERTS], o.counts[MOE_INNER]);
}
