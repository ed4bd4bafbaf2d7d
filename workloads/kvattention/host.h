/* The cache of kvattention and its reference, for the CUDA program and the program of threads. */
#ifndef KVATTENTION_HOST_H
#define KVATTENTION_HOST_H

#include "common/attention_host.h"
#include "kvattention/kvattention.h"

enum { KVATTENTION_ALL_QUERIES = KVATTENTION_HEADS * KVATTENTION_QUERIES };

struct kvattention {
	unsigned int context;
	uint16_t *keys, *values; /* head by head */
	float *queries, *result;
};

static inline struct kvattention kvattention_make(uint64_t seed, unsigned int context)
{
	const size_t rows = (size_t)KVATTENTION_HEADS * context;

	const size_t elements = KVATTENTION_ALL_QUERIES * ATTENTION_ELEMENTS;
	const struct kvattention k = {context, attention_rows(seed, 0, rows), attention_rows(seed, 1, rows),
				      attention_queries(seed, 2, KVATTENTION_ALL_QUERIES),
				      workload_host_alloc(elements, sizeof(float))};

	workload_input(k.keys, rows * ATTENTION_ELEMENTS * sizeof(*k.keys));
	workload_input(k.values, rows * ATTENTION_ELEMENTS * sizeof(*k.values));
	workload_input(k.queries, elements * sizeof(*k.queries));
	return k;
}

/* Within 1e-4 of double precision. */
static inline bool kvattention_check(const struct kvattention *k)
{
	const uint16_t **keys = workload_host_alloc(k->context, sizeof(*keys));
	const uint16_t **values = workload_host_alloc(k->context, sizeof(*values));
	float want[ATTENTION_ELEMENTS];
	bool right = true;

	for (size_t q = 0; right && q < KVATTENTION_ALL_QUERIES; q++) {
		const size_t first = q / KVATTENTION_QUERIES * k->context;

		for (size_t i = 0; i < k->context; i++) {
			keys[i] = k->keys + (first + i) * ATTENTION_ELEMENTS;
			values[i] = k->values + (first + i) * ATTENTION_ELEMENTS;
		}
		attention_reference(k->queries + q * ATTENTION_ELEMENTS, keys, values, k->context, want);
		right = workload_close_f32("result", k->result + q * ATTENTION_ELEMENTS, want, ATTENTION_ELEMENTS,
					   1e-4f);
	}
	free(keys);
	free(values);
	return right;
}

static inline void kvattention_free(struct kvattention *k)
{
	free(k->keys);
	free(k->values);
	free(k->queries);
	free(k->result);
}

#endif
