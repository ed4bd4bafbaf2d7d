/* The language model of llmdecode: its form, its weights, and one step of it on the host in double precision. */
#ifndef LLMDECODE_MODEL_H
#define LLMDECODE_MODEL_H

#include "common/attention_host.h"
#include "llmdecode/llmdecode.h"

#include <string.h>

/* Matrices of a layer, in half precision, row by row. */
enum { MATRIX_HEADS, MATRIX_OUT, MATRIX_GATE, MATRIX_UP, MATRIX_DOWN, MATRICES };

struct layer {
	uint16_t *matrices[MATRICES];
	uint16_t *keys, *values; /* head by head, `positions` of each */
	float *gains[2]; /* of the norms before attention and before the feed-forward layer */
};

struct model {
	unsigned int width, inner, heads, vocabulary, layers, context, positions;
	struct layer *layer;
	uint16_t *embedding; /* a row for each token; the last matrix as well */
	float *gains; /* of the last norm */
	float *turns; /* cosine and sine of each pair at each position */
};

static inline unsigned int model_cached_heads(const struct model *m)
{
	return m->heads / LLMDECODE_QUERIES;
}

static inline unsigned int model_rows(const struct model *m, unsigned int matrix)
{
	switch (matrix) {
	case MATRIX_HEADS:
		return (m->heads + 2 * model_cached_heads(m)) * LLMDECODE_HEAD;
	case MATRIX_GATE:
	case MATRIX_UP:
		return m->inner;
	default:
		return m->width;
	}
}

static inline unsigned int model_columns(const struct model *m, unsigned int matrix)
{
	return matrix == MATRIX_DOWN ? m->inner : matrix == MATRIX_OUT ? m->heads * LLMDECODE_HEAD : m->width;
}

static inline size_t model_elements(const struct model *m, unsigned int matrix)
{
	return (size_t)model_rows(m, matrix) * model_columns(m, matrix);
}

static inline size_t model_cache_elements(const struct model *m)
{
	return (size_t)model_cached_heads(m) * m->positions * LLMDECODE_HEAD;
}

/* Of a size that leaves what comes out of a matrix of the size of what goes in. */
static inline uint16_t *model_weights(uint64_t seed, uint32_t stream, size_t count, unsigned int columns)
{
	uint16_t *weights = workload_host_alloc(count, sizeof(*weights));
	const float scale = sqrtf(12.0f / (float)columns);

	for (size_t i = 0; i < count; i++)
		weights[i] = half_from(scale * (workload_random_float(seed, stream, i) - 0.5f));
	return weights;
}

static inline float *model_gains(uint64_t seed, uint32_t stream, unsigned int count)
{
	float *gains = workload_host_alloc(count, sizeof(*gains));

	for (size_t i = 0; i < count; i++)
		gains[i] = 0.5f + workload_random_float(seed, stream, i);
	return gains;
}

static inline void model_layer_make(const struct model *m, struct layer *l, uint64_t seed, uint32_t stream)
{
	for (unsigned int matrix = 0; matrix < MATRICES; matrix++)
		l->matrices[matrix] = model_weights(seed, stream + matrix, model_elements(m, matrix),
						    model_columns(m, matrix));
	l->gains[0] = model_gains(seed, stream + MATRICES, m->width);
	l->gains[1] = model_gains(seed, stream + MATRICES + 1, m->width);
	l->keys = attention_rows(seed, stream + MATRICES + 2, model_cache_elements(m) / LLMDECODE_HEAD);
	l->values = attention_rows(seed, stream + MATRICES + 3, model_cache_elements(m) / LLMDECODE_HEAD);
}

/* Adds the weights, and the cache, all of whose positions are filled; those from `context` on are written over. */
static inline void model_make(struct model *m, uint64_t seed)
{
	m->layer = workload_host_alloc(m->layers, sizeof(*m->layer));
	for (unsigned int l = 0; l < m->layers; l++)
		model_layer_make(m, &m->layer[l], seed, 100 + 16 * l);
	m->embedding = model_weights(seed, 0, (size_t)m->vocabulary * m->width, m->width);
	m->gains = model_gains(seed, 1, m->width);
	m->turns = workload_host_alloc((size_t)m->positions * LLMDECODE_PAIRS * 2, sizeof(*m->turns));
	for (size_t i = 0; i < (size_t)m->positions * LLMDECODE_PAIRS; i++) {
		const double pair = (double)(i % LLMDECODE_PAIRS) / LLMDECODE_PAIRS;
		const double angle = (double)(i / LLMDECODE_PAIRS) * pow(10000, -pair);

		m->turns[2 * i] = (float)cos(angle);
		m->turns[2 * i + 1] = (float)sin(angle);
	}
}

static inline void model_free(struct model *m)
{
	for (unsigned int l = 0; l < m->layers; l++) {
		for (unsigned int matrix = 0; matrix < MATRICES; matrix++)
			free(m->layer[l].matrices[matrix]);
		free(m->layer[l].keys);
		free(m->layer[l].values);
		free(m->layer[l].gains[0]);
		free(m->layer[l].gains[1]);
	}
	free(m->layer);
	free(m->embedding);
	free(m->gains);
	free(m->turns);
}

/* ---- One step on the host --------------------------------------------------------------------------------------- */

static inline void model_product(const uint16_t *matrix, const double *vector, unsigned int rows, unsigned int columns,
				 double *result)
{
	for (unsigned int r = 0; r < rows; r++) {
		const uint16_t *row = matrix + (size_t)r * columns;

		result[r] = 0;
		for (unsigned int c = 0; c < columns; c++)
			result[r] += half_value(row[c]) * vector[c];
	}
}

static inline void model_norm(const double *x, const float *gains, unsigned int width, double *normed)
{
	double sum = 0;

	for (unsigned int c = 0; c < width; c++)
		sum += x[c] * x[c];
	for (unsigned int c = 0; c < width; c++)
		normed[c] = gains[c] * x[c] / sqrt(sum / width + (double)LLMDECODE_EPSILON);
}

static inline void model_turn(const struct model *m, unsigned int position, double *head)
{
	for (unsigned int i = 0; i < LLMDECODE_PAIRS; i++) {
		const float *turn = m->turns + 2 * ((size_t)position * LLMDECODE_PAIRS + i);
		const double low = head[i], high = head[i + LLMDECODE_PAIRS];

		head[i] = low * turn[0] - high * turn[1];
		head[i + LLMDECODE_PAIRS] = high * turn[0] + low * turn[1];
	}
}

/* The new key and value of each head go into the cache, in half precision; queries are turned. */
static inline void model_append(const struct model *m, const struct layer *l, unsigned int position, double *heads)
{
	const unsigned int cached = model_cached_heads(m);

	for (unsigned int h = 0; h < m->heads + cached; h++)
		model_turn(m, position, heads + (size_t)h * LLMDECODE_HEAD);
	for (unsigned int h = 0; h < cached; h++) {
		const size_t to = ((size_t)h * m->positions + position) * LLMDECODE_HEAD;
		const double *key = heads + (size_t)(m->heads + h) * LLMDECODE_HEAD;
		const double *value = key + (size_t)cached * LLMDECODE_HEAD;

		for (unsigned int c = 0; c < LLMDECODE_HEAD; c++) {
			l->keys[to + c] = half_from((float)key[c]);
			l->values[to + c] = half_from((float)value[c]);
		}
	}
}

static inline void model_attend(const struct model *m, const struct layer *l, unsigned int position,
				const double *queries, double *result)
{
	const uint16_t **rows = workload_host_alloc(2 * ((size_t)position + 1), sizeof(*rows));

	for (unsigned int h = 0; h < m->heads; h++) {
		const size_t first = (size_t)(h / LLMDECODE_QUERIES) * m->positions;
		float query[LLMDECODE_HEAD], want[LLMDECODE_HEAD];

		for (size_t i = 0; i <= position; i++) {
			rows[i] = l->keys + (first + i) * LLMDECODE_HEAD;
			rows[position + 1 + i] = l->values + (first + i) * LLMDECODE_HEAD;
		}
		for (size_t c = 0; c < LLMDECODE_HEAD; c++)
			query[c] = (float)(queries[h * (size_t)LLMDECODE_HEAD + c] / sqrt(LLMDECODE_HEAD));
		attention_reference(query, rows, rows + position + 1, position + 1, want);
		for (size_t c = 0; c < LLMDECODE_HEAD; c++)
			result[h * (size_t)LLMDECODE_HEAD + c] = want[c];
	}
	free(rows);
}

static inline void model_add(double *to, const double *what, unsigned int count)
{
	for (unsigned int c = 0; c < count; c++)
		to[c] += what[c];
}

/* Room for what a step has between its products. */
struct model_room {
	double *x, *normed, *heads, *attended, *gate, *up, *product;
};

static inline void model_layer(const struct model *m, const struct layer *l, unsigned int position,
			       struct model_room *r)
{
	const unsigned int width = m->width;

	model_norm(r->x, l->gains[0], width, r->normed);
	model_product(l->matrices[MATRIX_HEADS], r->normed, model_rows(m, MATRIX_HEADS), width, r->heads);
	model_append(m, l, position, r->heads);
	model_attend(m, l, position, r->heads, r->attended);
	model_product(l->matrices[MATRIX_OUT], r->attended, width, model_columns(m, MATRIX_OUT), r->product);
	model_add(r->x, r->product, width);
	model_norm(r->x, l->gains[1], width, r->normed);
	model_product(l->matrices[MATRIX_GATE], r->normed, m->inner, width, r->gate);
	model_product(l->matrices[MATRIX_UP], r->normed, m->inner, width, r->up);
	for (unsigned int c = 0; c < m->inner; c++)
		r->gate[c] = r->gate[c] / (1 + exp(-r->gate[c])) * r->up[c];
	model_product(l->matrices[MATRIX_DOWN], r->gate, width, m->inner, r->product);
	model_add(r->x, r->product, width);
}

static inline struct model_room model_room_new(const struct model *m)
{
	return (struct model_room){
		workload_host_alloc(m->width, sizeof(double)),
		workload_host_alloc(m->width, sizeof(double)),
		workload_host_alloc(model_rows(m, MATRIX_HEADS), sizeof(double)),
		workload_host_alloc(model_columns(m, MATRIX_OUT), sizeof(double)),
		workload_host_alloc(m->inner, sizeof(double)),
		workload_host_alloc(m->inner, sizeof(double)),
		workload_host_alloc(m->width, sizeof(double)),
	};
}

static inline void model_room_free(struct model_room *r)
{
	double *all[] = {r->x, r->normed, r->heads, r->attended, r->gate, r->up, r->product};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]);
}

/* The logits after `token` at `position`; the cache gets its keys and values. */
static inline void model_step(const struct model *m, unsigned int token, unsigned int position, float *logits)
{
	struct model_room r = model_room_new(m);
	double *all = workload_host_alloc(m->vocabulary, sizeof(*all));

	for (unsigned int c = 0; c < m->width; c++)
		r.x[c] = half_value(m->embedding[(size_t)token * m->width + c]);
	for (unsigned int l = 0; l < m->layers; l++)
		model_layer(m, &m->layer[l], position, &r);
	model_norm(r.x, m->gains, m->width, r.normed);
	model_product(m->embedding, r.normed, m->vocabulary, m->width, all);
	for (unsigned int t = 0; t < m->vocabulary; t++)
		logits[t] = (float)all[t];
	free(all);
	model_room_free(&r);
}

#endif
