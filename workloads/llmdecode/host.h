/* What llmdecode decodes and how it is checked, for the CUDA program and the program of threads. */
#ifndef LLMDECODE_HOST_H
#define LLMDECODE_HOST_H

#include "llmdecode/model.h"

enum {
	LLMDECODE_WIDTH,
	LLMDECODE_INNER,
	LLMDECODE_HEADS,
	LLMDECODE_VOCABULARY,
	LLMDECODE_LAYERS,
	LLMDECODE_CONTEXT,
	LLMDECODE_TOKENS,
	LLMDECODE_COUNTS_COUNT
};
/* Rows of a program's counts. */
#define LLMDECODE_COUNTS \
	{"width", "elements of a token", 256, 1024, LLMDECODE_MULTIPLE, 8192, LLMDECODE_MULTIPLE, NULL}, \
	{"inner", "rows of the feed-forward layer's upper matrices", 768, 3072, LLMDECODE_MULTIPLE, 32768, \
	 LLMDECODE_MULTIPLE, NULL}, \
	{"heads", "of queries; two share one of keys and values", 4, 16, LLMDECODE_QUERIES, 128, LLMDECODE_QUERIES, \
	 NULL}, \
	{"vocabulary", "tokens that there are", 1024, 151936, 1, 1 << 20, 1, NULL}, \
	{"layers", "layers", 2, 2, 1, 128, 1, NULL}, \
	{"context", "positions in the cache at first", 512, 512, 0, 1 << 16, 1, NULL}, \
	{"tokens", "tokens to be made", 2, 2, 1, 1024, 1, NULL}

/* tokens[0] is given; the others are chosen, one more than there are steps. */
struct decoding {
	struct model m;
	unsigned int steps;
	uint32_t *tokens;
	float *logits; /* of all tokens, step after step */
};

static inline void decoding_input(const struct decoding *d)
{
	const struct model *m = &d->m;

	for (unsigned int l = 0; l < m->layers; l++) {
		for (unsigned int i = 0; i < MATRICES; i++)
			workload_input(m->layer[l].matrices[i], model_elements(m, i) * sizeof(uint16_t));
		workload_input(m->layer[l].keys, model_cache_elements(m) * sizeof(uint16_t));
		workload_input(m->layer[l].values, model_cache_elements(m) * sizeof(uint16_t));
	}
	workload_input(m->embedding, (size_t)m->vocabulary * m->width * sizeof(uint16_t));
	workload_input_number(m->context);
	workload_input_number(d->steps);
	workload_input_number(d->tokens[0]);
}

static inline struct decoding decoding_make(const struct workload_options *options)
{
	const unsigned int *c = options->counts, steps = c[LLMDECODE_TOKENS];
	struct decoding d = {.m = {.width = c[LLMDECODE_WIDTH],
				   .inner = c[LLMDECODE_INNER],
				   .heads = c[LLMDECODE_HEADS],
				   .vocabulary = c[LLMDECODE_VOCABULARY],
				   .layers = c[LLMDECODE_LAYERS],
				   .context = c[LLMDECODE_CONTEXT],
				   .positions = c[LLMDECODE_CONTEXT] + steps},
			     .steps = steps};

	d.tokens = workload_host_alloc(steps + 1, sizeof(*d.tokens));
	d.logits = workload_host_alloc((size_t)steps * d.m.vocabulary, sizeof(*d.logits));
	model_make(&d.m, options->seed);
	d.tokens[0] = (uint32_t)(workload_random(options->seed, 2, 0) % d.m.vocabulary);
	decoding_input(&d);
	return d;
}

static inline float *decoding_logits(const struct decoding *d, unsigned int step)
{
	return d->logits + (size_t)step * d->m.vocabulary;
}

static inline unsigned int decoding_highest(const float *logits, unsigned int count)
{
	unsigned int at = 0;

	for (unsigned int t = 1; t < count; t++)
		if (logits[t] > logits[at])
			at = t;
	return at;
}

/* The token after a step, whose logits are there. */
static inline void decoding_choose(const struct decoding *d, unsigned int step)
{
	d->tokens[step + 1] = decoding_highest(decoding_logits(d, step), d->m.vocabulary);
}

/* With the same steps in double precision on the tokens that were chosen: every logit within 2e-3 of max(1, |logit|),
 * and the token chosen no further than that below the highest.  The cache gets their keys and values. */
static inline bool decoding_check(const struct decoding *d)
{
	static const float bound = 2e-3f;
	const unsigned int count = d->m.vocabulary;
	float *want = workload_host_alloc(count, sizeof(*want));
	bool right = true;

	for (unsigned int s = 0; right && s < d->steps; s++) {
		model_step(&d->m, d->tokens[s], d->m.context + s, want);
		right = workload_close_f32("logit", decoding_logits(d, s), want, count, bound) &&
			workload_close_f32("highest logit", &want[d->tokens[s + 1]],
					   &want[decoding_highest(want, count)], 1, bound);
	}
	free(want);
	return right;
}

static inline void decoding_free(struct decoding *d)
{
	model_free(&d->m);
	free(d->tokens);
	free(d->logits);
}

#endif
