/* Percentiles against sorted lists, and what the histogram may be wrong by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "memory/latency.h"

enum { COUNT = 20000 };

struct sample {
	uint64_t values[MEMORY_LATENCY_COUNT][COUNT];
	uint64_t count[MEMORY_LATENCY_COUNT];
};

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t nearest_rank(const uint64_t *sorted, uint64_t count, double q)
{
	return count ? sorted[(uint64_t)ceil(q * (double)count) - 1] : 0;
}

static uint64_t state_of_random = 1;

static uint64_t next_random(void)
{
	state_of_random = state_of_random * 6364136223846793005ull + 1442695040888963407ull;
	return state_of_random >> 20;
}

/* kind 0: any; 1: few different ones; 2: rising; 3: falling; 4: over many orders. */
static uint64_t value_of(uint32_t kind, uint32_t i)
{
	switch (kind) {
	case 0:
		return next_random() % 100000;
	case 1:
		return 37 + next_random() % 3;
	case 2:
		return i;
	case 3:
		return COUNT - i;
	default:
		return next_random() >> next_random() % 44;
	}
}

static void add(struct sample *s, enum memory_latency_of of, uint64_t value)
{
	s->values[of][s->count[of]++] = value;
}

static void is_close(uint64_t got, uint64_t wanted, bool is_exact)
{
	if (is_exact)
		assert_int_equal(got, wanted);
	assert_true(got <= wanted && wanted - got <= wanted / 1024);
}

static void check(uint32_t kind, uint32_t count, uint32_t exact_max, uint32_t write_percent)
{
	const bool is_exact = count <= exact_max;
	struct memory_latency_record *r = memory_latency_record_new(0, exact_max);
	struct sample *s = calloc(1, sizeof(*s));
	struct memory_latency out[MEMORY_LATENCY_COUNT];

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t value = value_of(kind, i);
		const bool is_write = next_random() % 100 < write_percent;

		memory_latency_add(r, value, is_write);
		add(s, is_write ? MEMORY_LATENCY_WRITES : MEMORY_LATENCY_READS, value);
		add(s, MEMORY_LATENCY_ALL, value);
	}
	assert_int_equal(memory_latency_read(r, out), is_exact);
	for (uint32_t of = 0; of < MEMORY_LATENCY_COUNT; of++) {
		const uint64_t n = s->count[of];
		double sum = 0;

		qsort(s->values[of], n, sizeof(uint64_t), compare);
		for (uint64_t i = 0; i < n; i++)
			sum += (double)s->values[of][i];
		assert_int_equal(out[of].count, n);
		assert_int_equal(out[of].max, n ? s->values[of][n - 1] : 0);
		assert_true(fabs(out[of].mean - (n ? sum / (double)n : 0)) <= 1e-9 * out[of].mean);
		is_close(out[of].p50, nearest_rank(s->values[of], n, 0.5), is_exact);
		is_close(out[of].p90, nearest_rank(s->values[of], n, 0.9), is_exact);
		is_close(out[of].p95, nearest_rank(s->values[of], n, 0.95), is_exact);
		is_close(out[of].p99, nearest_rank(s->values[of], n, 0.99), is_exact);
		is_close(out[of].p999, nearest_rank(s->values[of], n, 0.999), is_exact);
	}
	memory_latency_record_free(r);
	free(s);
}

static void test_percentiles(void **state)
{
	static const uint32_t counts[] = {0, 1, 2, 3, 100, 1000, 1001, COUNT};

	(void)state;
	for (uint32_t kind = 0; kind < 5; kind++)
		for (uint32_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
			for (uint32_t write_percent = 0; write_percent <= 100; write_percent += 50)
				check(kind, counts[i], COUNT, write_percent);
}

static void test_histogram(void **state)
{
	(void)state;
	for (uint32_t kind = 0; kind < 5; kind++) {
		check(kind, COUNT, 0, 30);
		check(kind, COUNT, 1000, 30);
		check(kind, COUNT, COUNT - 1, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
