/* test_spans.c - a timeline in a bounded number of entries loses nothing but detail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/spans.h"

enum { CAP = 64, TRACKS = 4 };

static uint64_t total(const struct sim_spans *s, uint32_t track)
{
	const struct sim_span *items;
	const uint32_t count = sim_spans_read(s, &items);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += items[i].track == track ? items[i].count : 0;
	return sum;
}

static void keeps_what_it_is_given(void **state)
{
	struct sim_spans *s = sim_spans_new(CAP, TRACKS);
	const struct sim_span *items;

	(void)state;
	for (uint32_t i = 0; i < CAP - 1; i++)
		sim_spans_add(s, i % TRACKS, i, i * 10, i * 10 + 25);
	assert_int_equal(sim_spans_read(s, &items), CAP - 1);
	for (uint32_t i = 0; i < CAP - 1; i++) {
		assert_int_equal(items[i].track, i % TRACKS);
		assert_int_equal(items[i].name, i);
		assert_int_equal(items[i].start_ps, i * 10);
		assert_int_equal(items[i].end_ps, i * 10 + 25);
		assert_int_equal(items[i].count, 1);
	}
	sim_spans_free(s);
}

static void merges_neighbours_of_a_track(void **state)
{
	struct sim_spans *s = sim_spans_new(CAP, TRACKS);
	const struct sim_span *items;
	uint32_t count;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		sim_spans_add(s, i % TRACKS, i % TRACKS, i * 1000ull, i * 1000ull + 700);
		count = sim_spans_read(s, &items);
		assert_true(count < CAP);
	}
	for (uint32_t t = 0; t < TRACKS; t++)
		assert_int_equal(total(s, t), 100000 / TRACKS);
	count = sim_spans_read(s, &items);
	assert_true(count > CAP / 4);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(items[i].name, items[i].track);
		/* Every TRACKS-th begins on this track, 1000 ps apart. */
		assert_int_equal(items[i].end_ps - items[i].start_ps, (items[i].count - 1) * TRACKS * 1000ull + 700);
	}
	sim_spans_free(s);
}

static void says_several_where_names_differ(void **state)
{
	struct sim_spans *s = sim_spans_new(1, 2);
	const struct sim_span *items;
	uint32_t count;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		sim_spans_add(s, 0, i, i, i + 1);
	count = sim_spans_read(s, &items);
	assert_int_equal(count, 1);
	assert_true(items[0].name == SIM_SPAN_SEVERAL);
	assert_int_equal(items[0].count, 8);
	assert_int_equal(items[0].start_ps, 0);
	assert_int_equal(items[0].end_ps, 8);
	sim_spans_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keeps_what_it_is_given),
	    cmocka_unit_test(merges_neighbours_of_a_track),
	    cmocka_unit_test(says_several_where_names_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
