/*
 * Decoding by a language model, by threads: the input and the check of the CUDA program.  What a step does is done one
 * part after the other, the rows of each matrix, the splits of a head's positions and the heads shared out; a layer's
 * norms are each thread team's own.
 */
#include "common/attention_threads.h"
#include "common/jobs.h"
#include "common/rows_threads.h"
#include "llmdecode/host.h"

enum { WHO = LLMDECODE_COUNTS_COUNT };
static const struct workload_count counts[] = {LLMDECODE_COUNTS, WORKLOAD_WHO};

struct job {
	struct decoding d;
	float *x, *normed, *heads, *attended, *inner;
	struct attention_partial *partials; /* [query's head][split] */
};

static size_t splits_count(size_t positions)
{
	return (positions + LLMDECODE_SPLIT - 1) / LLMDECODE_SPLIT;
}

static void job_make(void *job, const struct workload_options *options)
{
	struct job *j = job;
	const struct model *m = &j->d.m;

	j->d = decoding_make(options);
	j->x = workload_host_alloc(m->width, sizeof(*j->x));
	j->normed = workload_host_alloc(m->width, sizeof(*j->normed));
	j->heads = workload_host_alloc(model_rows(m, MATRIX_HEADS), sizeof(*j->heads));
	j->attended = workload_host_alloc(model_columns(m, MATRIX_OUT), sizeof(*j->attended));
	j->inner = workload_host_alloc(m->inner, sizeof(*j->inner));
	j->partials = workload_host_alloc(m->heads * splits_count(m->positions), sizeof(*j->partials));
}

static void job_free(void *job)
{
	struct job *j = job;

	decoding_free(&j->d);
	free(j->x);
	free(j->normed);
	free(j->heads);
	free(j->attended);
	free(j->inner);
	free(j->partials);
}

static void embed(const struct job *j, const struct workload_part *part, unsigned int token)
{
	const struct model *m = &j->d.m;

	for (size_t c = workload_part_begin(part, m->width); c < workload_part_end(part, m->width); c++)
		j->x[c] = half_value(m->embedding[(size_t)token * m->width + c]);
	workload_part_wait(part);
}

/* The root-mean-square norm of x: each team has the sum, and writes its part. */
static void norm(const struct job *j, const struct workload_part *part, const float *gains)
{
	const size_t width = j->d.m.width;
	const float scale = 1 / sqrtf(rows_float(j->x, j->x, width) / (float)width + LLMDECODE_EPSILON);

	for (size_t c = workload_part_begin(part, width); c < workload_part_end(part, width); c++)
		j->normed[c] = gains[c] * (j->x[c] * scale);
	workload_part_wait(part);
}

/* A matrix times a vector; `is_added`: to what is there. */
static void rows(const struct workload_part *part, const uint16_t *matrix, const float *vector, float *result,
		 size_t count, size_t columns, bool is_added)
{
#pragma omp parallel for
	for (size_t r = workload_part_begin(part, count); r < workload_part_end(part, count); r++) {
		const float sum = rows_half(matrix + r * columns, vector, columns);

		result[r] = is_added ? result[r] + sum : sum;
	}
	workload_part_wait(part);
}

static void swiglu(const struct job *j, const struct workload_part *part, const struct layer *l)
{
	const size_t count = j->d.m.inner, width = j->d.m.width;

#pragma omp parallel for
	for (size_t r = workload_part_begin(part, count); r < workload_part_end(part, count); r++) {
		const float gate = rows_half(l->matrices[MATRIX_GATE] + r * width, j->normed, width);
		const float up = rows_half(l->matrices[MATRIX_UP] + r * width, j->normed, width);

		j->inner[r] = gate / (1 + expf(-gate)) * up;
	}
	workload_part_wait(part);
}

/* Elements i and i + 64 of a head are turned by their position (RoPE). */
static void head_turn(const struct model *m, float *head, size_t position, float scale)
{
	const float *turns = m->turns + 2 * position * LLMDECODE_PAIRS;

	for (size_t i = 0; i < LLMDECODE_PAIRS; i++) {
		const float low = head[i], high = head[i + LLMDECODE_PAIRS];

		head[i] = (low * turns[2 * i] - high * turns[2 * i + 1]) * scale;
		head[i + LLMDECODE_PAIRS] = (high * turns[2 * i] + low * turns[2 * i + 1]) * scale;
	}
}

static void head_append(uint16_t *to, const float *head)
{
	for (size_t c = 0; c < LLMDECODE_HEAD; c++)
		to[c] = half_from(head[c]);
}

/* Queries are turned and scaled and stay; a head's new key and value go to its cache. */
static void rotate(const struct job *j, const struct workload_part *part, const struct layer *l, size_t position)
{
	const struct model *m = &j->d.m;
	const size_t cached = model_cached_heads(m), count = m->heads + cached;

#pragma omp parallel for
	for (size_t h = workload_part_begin(part, count); h < workload_part_end(part, count); h++) {
		float *head = j->heads + h * LLMDECODE_HEAD;
		const bool is_query = h < m->heads;

		head_turn(m, head, position, is_query ? 0.08838834764831845f : 1); /* 1 / sqrt(128) */
		if (!is_query) {
			const size_t to = ((h - m->heads) * m->positions + position) * LLMDECODE_HEAD;

			head_append(l->keys + to, head);
			head_append(l->values + to, head + cached * LLMDECODE_HEAD);
		}
	}
	workload_part_wait(part);
}

static void split_attend(const struct job *j, const struct layer *l, size_t head, size_t split, size_t context)
{
	const size_t splits = splits_count(context), begin = split * LLMDECODE_SPLIT;
	const size_t end = begin + LLMDECODE_SPLIT < context ? begin + LLMDECODE_SPLIT : context;
	const float *queries = j->heads + head * LLMDECODE_QUERIES * LLMDECODE_HEAD;
	struct attention_partial *first = j->partials + head * LLMDECODE_QUERIES * splits + split;

	for (size_t q = 0; q < LLMDECODE_QUERIES; q++)
		attention_partial_begin(&first[q * splits]);
	for (size_t i = begin; i < end; i++) {
		const size_t row = (head * j->d.m.positions + i) * LLMDECODE_HEAD;

		attention_position(first, splits, queries, LLMDECODE_QUERIES, l->keys + row, l->values + row);
	}
}

static void attend(const struct job *j, const struct workload_part *part, const struct layer *l, size_t context)
{
	const struct model *m = &j->d.m;
	const size_t splits = splits_count(context), count = model_cached_heads(m) * splits;

#pragma omp parallel for
	for (size_t i = workload_part_begin(part, count); i < workload_part_end(part, count); i++)
		split_attend(j, l, i / splits, i % splits, context);
	workload_part_wait(part);
#pragma omp parallel for
	for (size_t h = workload_part_begin(part, m->heads); h < workload_part_end(part, m->heads); h++)
		attention_partials_combine(j->partials + h * splits, splits, j->attended + h * LLMDECODE_HEAD);
	workload_part_wait(part);
}

static void layer(const struct job *j, const struct workload_part *part, const struct layer *l, size_t position)
{
	const struct model *m = &j->d.m;

	norm(j, part, l->gains[0]);
	rows(part, l->matrices[MATRIX_HEADS], j->normed, j->heads, model_rows(m, MATRIX_HEADS), m->width, false);
	rotate(j, part, l, position);
	attend(j, part, l, position + 1);
	rows(part, l->matrices[MATRIX_OUT], j->attended, j->x, m->width, model_columns(m, MATRIX_OUT), true);
	norm(j, part, l->gains[1]);
	swiglu(j, part, l);
	rows(part, l->matrices[MATRIX_DOWN], j->inner, j->x, m->width, m->inner, true);
}

static void job_part(void *job, const struct workload_part *part)
{
	const struct job j = *(struct job *)job; /* on the team's stack */
	const struct model *m = &j.d.m;

	for (unsigned int s = 0; s < j.d.steps; s++) {
		embed(&j, part, j.d.tokens[s]);
		for (unsigned int l = 0; l < m->layers; l++)
			layer(&j, part, &m->layer[l], m->context + s);
		norm(&j, part, m->gains);
		rows(part, m->embedding, j.normed, decoding_logits(&j.d, s), m->vocabulary, m->width, false);
		if (part->number == 0)
			decoding_choose(&j.d, s);
		workload_part_wait(part);
	}
}

static bool job_check(const void *job, const struct workload_options *options)
{
	(void)options;
	return decoding_check(&((const struct job *)job)->d);
}

/* Matrices and the cache, each once a step. */
static double data_bytes(const unsigned int *o)
{
	const double width = o[LLMDECODE_WIDTH], heads = (double)o[LLMDECODE_HEADS] * LLMDECODE_HEAD;
	const double cache = heads / LLMDECODE_QUERIES * 2 * o[LLMDECODE_CONTEXT];
	const double matrices = width * (2 * heads + heads) + 3 * width * o[LLMDECODE_INNER];

	return o[LLMDECODE_TOKENS] * sizeof(uint16_t) *
	       (o[LLMDECODE_LAYERS] * (matrices + cache) + width * o[LLMDECODE_VOCABULARY]);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"llmdecode-omp", "Tokens by a language model's decoding, by threads.",
		"2 layers of 256, 1,024 tokens, 2 steps after 512 positions",
		"2 layers of 1,024, 151,936 tokens, 2 steps after 512 positions"};
	static const struct job_kind kind = {sizeof(struct job), job_make, job_part, job_check, job_free};
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const bool right = jobs_do(&kind, o, WHO, data_bytes(o.counts));

	return workload_finish(right, "%u layers, %u tokens after %u positions", o.counts[LLMDECODE_LAYERS],
			       o.counts[LLMDECODE_TOKENS], o.counts[LLMDECODE_CONTEXT]);
}
