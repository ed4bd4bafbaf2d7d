/* Histograms against sorted values, and merging over instances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/stat.h"

struct values {
	uint64_t reads, depth_max;
	struct sim_hist latency;
};

static const struct sim_stat_desc rows[] = {
	{"reads", SIM_STAT_COUNT, "requests", "doc", offsetof(struct values, reads)},
	{"depth_max", SIM_STAT_MAX, "requests", "doc", offsetof(struct values, depth_max)},
	{"latency", SIM_STAT_HIST, "ps", "doc", offsetof(struct values, latency)},
};

enum { SMALL, LARGE, SIZE_COUNT };

struct sizes {
#include "sim/stat_fields.inc"
	STAT_COUNT(before, packets, "doc")
	STAT_ARRAY(packets, SIZE_COUNT)
	STAT_ELEMENT(packets, LARGE, large, packets, "doc")
	STAT_ELEMENT(packets, SMALL, small, packets, "doc")
#include "sim/stat_end.inc"
};

static const struct sim_stat_desc size_rows[] = {
#define STAT_STRUCT struct sizes
#include "sim/stat_rows.inc"
	STAT_COUNT(before, packets, "doc")
	STAT_ARRAY(packets, SIZE_COUNT)
	STAT_ELEMENT(packets, LARGE, large, packets, "doc")
	STAT_ELEMENT(packets, SMALL, small, packets, "doc")
#include "sim/stat_end.inc"
};

/* The elements of an array have names of their own, whatever the order of their rows. */
static void test_elements_of_arrays(void **state)
{
	struct sizes v = {.packets = {[SMALL] = 3, [LARGE] = 5}};
	struct sim_stats *s = sim_stats_new();
	uint64_t value;

	(void)state;
	sim_stats_add(s, "x", size_rows, 3, &v, sizeof(v));
	assert_true(sim_stats_value(s, "x.small", &value) && value == 3);
	assert_true(sim_stats_value(s, "x.large", &value) && value == 5);
	assert_true(sim_stats_value(s, "x.before", &value) && value == 0);
	sim_stats_free(s);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void test_quantiles(void **state)
{
	enum { COUNT = 5000 };
	static const double quantiles[] = {0.001, 0.25, 0.5, 0.9, 0.99, 1};
	static uint64_t sorted[COUNT];
	struct sim_hist *h = calloc(1, sizeof(*h));
	uint64_t seed = 1;

	(void)state;
	assert_int_equal(sim_hist_quantile(h, 0.5), 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		sorted[i] = seed >> (20 + seed % 40);
		sim_hist_add(h, sorted[i]);
	}
	qsort(sorted, COUNT, sizeof(*sorted), compare);
	for (uint32_t i = 0; i < 6; i++) {
		uint64_t exact = sorted[(uint32_t)(quantiles[i] * COUNT + 0.999999) - 1];
		uint64_t got = sim_hist_quantile(h, quantiles[i]);

		assert_true(got <= exact && exact - got <= exact / 16);
	}
	assert_int_equal(h->max, sorted[COUNT - 1]);
	assert_true(sim_hist_bucket(UINT64_MAX) < SIM_HIST_BUCKETS);
	free(h);
}

static void test_instances_are_merged(void **state)
{
	struct values *v = calloc(2, sizeof(*v));
	struct sim_stats *s = sim_stats_new();
	struct sim_hist *h = calloc(1, sizeof(*h));
	uint64_t value;

	(void)state;
	v[0].reads = 3;
	v[1].reads = 4;
	v[0].depth_max = 9;
	v[1].depth_max = 5;
	sim_hist_add(&v[0].latency, 10);
	sim_hist_add(&v[1].latency, 12);
	sim_stats_add(s, "vault", rows, 3, &v[0], sizeof(v[0]));
	sim_stats_add(s, "vault", rows, 3, &v[1], sizeof(v[1]));
	assert_true(sim_stats_value(s, "vault.reads", &value) && value == 7);
	assert_true(sim_stats_value(s, "vault.depth_max", &value) && value == 9);
	assert_true(sim_stats_instance_value(s, "vault.reads", 1, &value) && value == 4);
	assert_false(sim_stats_instance_value(s, "vault.reads", 2, &value));
	assert_false(sim_stats_value(s, "vault.latency", &value));
	assert_false(sim_stats_value(s, "vaul.reads", &value));
	assert_true(sim_stats_hist(s, "vault.latency", h));
	assert_true(h->count == 2 && h->sum == 22 && h->max == 12);
	assert_int_equal(sim_stats_instance_count(s, "vault"), 2);
	assert_int_equal(sim_stats_instance_count(s, "other"), 0);
	sim_stats_free(s);
	free(h);
	free(v);
}

/* Laws over counts of several tables and instances; what an aborted kernel leaves open is not looked for again. */
static void test_laws(void **state)
{
	struct sizes v[2] = {0};
	struct values w = {0};
	struct sim_stats *s = sim_stats_new();

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		sim_stats_law(s, "x.before = x.small + x.large");
		sim_stats_add(s, "x", size_rows, 3, &v[i], sizeof(v[i]));
	}
	sim_stats_law(s, "vault.reads + x.small = x.large");
	sim_stats_add(s, "vault", rows, 3, &w, sizeof(w));
	assert_null(sim_stats_broken_law(s));
	v[0].before = 7;
	assert_string_equal(sim_stats_broken_law(s), "x.before = x.small + x.large");
	v[0].packets[SMALL] = 2;
	v[1].packets[LARGE] = 5;
	assert_string_equal(sim_stats_broken_law(s), "vault.reads + x.small = x.large");
	w.reads = 3;
	assert_null(sim_stats_broken_law(s));
	w.reads = 4;
	sim_stats_laws_settle(s);
	assert_null(sim_stats_broken_law(s));
	w.reads = 3;
	assert_string_equal(sim_stats_broken_law(s), "vault.reads + x.small = x.large");
	sim_stats_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements_of_arrays),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_instances_are_merged),
		cmocka_unit_test(test_laws),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
