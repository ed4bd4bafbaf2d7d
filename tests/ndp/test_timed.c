/* The window by which blocks go only while they take no longer away than at home. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ndp/blocks/timed.h"

static void a_window_follows_the_times(void **state)
{
	struct ndp_timed t = {0};

	(void)state;
	assert_true(ndp_timed_may_go(&t, 1));
	ndp_timed_goes(&t);
	assert_false(ndp_timed_may_go(&t, 1));
	ndp_timed_ended(&t, true, 1000, 2); /* nothing is known of those at home: it stays as it is */
	assert_int_equal(t.window, 1);
	ndp_timed_ended(&t, false, 1200, 2); /* 600 ps an access */
	for (uint32_t i = 0; i < 10; i++) {
		ndp_timed_goes(&t);
		ndp_timed_ended(&t, true, 1199, 2);
	}
	assert_int_equal(t.window, 11);
	for (uint32_t i = 0; i < 4; i++) {
		ndp_timed_goes(&t);
		ndp_timed_ended(&t, true, 601, 1);
	}
	assert_int_equal(t.window, 7);
	for (uint32_t i = 0; i < 7; i++) {
		assert_true(ndp_timed_may_go(&t, 1));
		ndp_timed_goes(&t);
	}
	assert_false(ndp_timed_may_go(&t, 1));
	for (uint32_t i = 0; i < 7; i++)
		ndp_timed_ended(&t, true, 6000, 1);
	assert_int_equal(t.window, 1); /* a probe is left */
	for (uint32_t rest = 64; rest <= 4096; rest *= 2) { /* each after twice as many as the one before */
		for (uint32_t i = 0; i < rest; i++)
			assert_false(ndp_timed_may_go(&t, 1));
		assert_true(ndp_timed_may_go(&t, 1));
		ndp_timed_goes(&t);
		ndp_timed_ended(&t, true, 6000, 1);
	}
	for (uint32_t i = 0; i < 4096; i++)
		assert_false(ndp_timed_may_go(&t, 1));
	assert_true(ndp_timed_may_go(&t, 1));
	ndp_timed_goes(&t);
	ndp_timed_ended(&t, true, 600, 1);
	assert_int_equal(t.window, 2);
	assert_true(ndp_timed_may_go(&t, 1));
}

/* A lone load at home has ended in the cycle in which it is issued. */
static void nothing_is_faster_than_no_time(void **state)
{
	struct ndp_timed t = {0};

	(void)state;
	assert_true(ndp_timed_may_go(&t, 2));
	ndp_timed_ended(&t, false, 0, 1);
	ndp_timed_goes(&t);
	ndp_timed_ended(&t, true, 1, 1);
	assert_int_equal(t.window, 1);
}

/* Those at home become slower, and what was too slow is fast enough. */
static void the_latest_count(void **state)
{
	struct ndp_timed t = {0};

	(void)state;
	assert_true(ndp_timed_may_go(&t, 4));
	ndp_timed_ended(&t, false, 100, 1);
	ndp_timed_goes(&t);
	ndp_timed_ended(&t, true, 500, 1);
	assert_int_equal(t.window, 3);
	for (uint32_t i = 0; i < 200; i++)
		ndp_timed_ended(&t, false, 600, 1);
	ndp_timed_goes(&t);
	ndp_timed_ended(&t, true, 500, 1);
	assert_int_equal(t.window, 4);
	ndp_timed_goes(&t);
	ndp_timed_ended(&t, true, 500, 0); /* without an access it says nothing */
	assert_int_equal(t.window, 4);
	assert_int_equal(t.away_count, 0);
}

static void instances_are_timed_where_they_run(void **state)
{
	struct ndp_timed t = {0};
	struct ndp_timed_instance home = {0}, away = {0};

	(void)state;
	assert_true(ndp_timed_may_go(&t, 2));
	ndp_timed_open(&home, &t, 1000);
	home.accesses = 4;
	ndp_timed_close(&home, 1800);
	assert_true(t.home_ps == 200);
	ndp_timed_close(&home, 9000); /* it is closed */
	assert_true(t.home_ps == 200);
	ndp_timed_open(&away, &t, 0); /* what came before it left does not count */
	away.accesses = 7;
	ndp_timed_leave(&away, 5000);
	assert_int_equal(t.away_count, 1);
	away.accesses = 4;
	ndp_timed_close(&away, 5800);
	assert_int_equal(t.away_count, 0);
	assert_int_equal(t.window, 3);
	ndp_timed_open(&home, &t, 0); /* its last access is not told */
	home.ends_in_access = true;
	home.accesses = 1;
	ndp_timed_close(&home, 400);
	assert_true(t.home_ps == 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_window_follows_the_times),
	    cmocka_unit_test(nothing_is_faster_than_no_time),
	    cmocka_unit_test(the_latest_count),
	    cmocka_unit_test(instances_are_timed_where_they_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
