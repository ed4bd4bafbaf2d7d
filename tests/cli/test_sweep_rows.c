/* Runs of a sweep made by hand: which have speed-ups, over what and how fast, and the digits of their file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/sweep_rows.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

static void run_add(json_t *runs, int point, const char *machine, const char *argument, int time_ps, bool is_verified)
{
	json_array_append_new(runs, json_pack("{s:i, s:s, s:s, s:[s], s:b, s:b, s:{s:i}}", "point", point, "machine",
					      machine, "workload", "w", "args", argument, "done", 1, "verified",
					      is_verified, "result", "time_ps", time_ps));
}

/* 0: null. */
static double speedup_of(const json_t *runs, size_t run)
{
	const json_t *speedup = json_object_get(json_array_get(runs, run), "speedup");

	assert_non_null(speedup);
	return json_number_value(speedup);
}

static void test_machines(void **state)
{
	json_t *runs = json_array();

	(void)state;
	run_add(runs, 0, "a", "x", 80, true);
	run_add(runs, 0, "b", "x", 40, true);
	run_add(runs, 0, "b", "y", 20, true); /* other arguments are another program */
	run_add(runs, 1, "a", "x", 60, true);
	run_add(runs, 1, "b", "x", 20, true);
	cli_sweep_speedups_put(runs);
	for (size_t i = 0; i < 5; i++)
		assert_float_equal(speedup_of(runs, i), ((const double[]){1, 2, 1, 1, 3})[i], 0);
	json_decref(runs);
}

static void test_points(void **state)
{
	json_t *runs = json_array();

	(void)state;
	run_add(runs, 0, "a", "x", 80, true);
	run_add(runs, 1, "a", "x", 40, true);
	cli_sweep_speedups_put(runs);
	assert_float_equal(speedup_of(runs, 1), 2, 0);
	json_decref(runs);
}

/* Other launches than the first run has timed are no faster or slower than it. */
static void test_parts(void **state)
{
	json_t *runs = json_array();

	(void)state;
	for (int i = 0; i < 5; i++) {
		run_add(runs, i, "a", "x", 80 >> i, true);
		json_object_set_new(json_array_get(runs, (size_t)i), "part",
				    json_string(i == 0 ? "" : i & 1 ? "run.only=1" : "run.only=2"));
	}
	cli_sweep_speedups_put(runs);
	for (size_t i = 0; i < 5; i++)
		assert_float_equal(speedup_of(runs, i), ((const double[]){1, 1, 1, 4, 4})[i], 0);
	json_decref(runs);
}

/* A wrong run is no measure of another, and none of its own speed. */
static void test_unverified(void **state)
{
	json_t *runs = json_array();

	(void)state;
	run_add(runs, 0, "a", "x", 80, false);
	run_add(runs, 0, "b", "x", 40, true);
	run_add(runs, 1, "a", "x", 80, true);
	run_add(runs, 1, "b", "x", 40, false);
	cli_sweep_speedups_put(runs);
	for (size_t i = 0; i < 4; i++)
		assert_float_equal(speedup_of(runs, i), ((const double[]){0, 0, 1, 0})[i], 0);
	json_decref(runs);
}

/* Each has a base of its own: a search among all runs for each of them would take minutes. */
static void test_many(void **state)
{
	enum { COUNT = 50000 };
	json_t *runs = json_array();

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		run_add(runs, i, "a", "x", 80, true);
		run_add(runs, i, "b", "x", 20, true);
	}
	cli_sweep_speedups_put(runs);
	assert_float_equal(speedup_of(runs, 2 * COUNT - 1), 4, 0);
	json_decref(runs);
}

static void test_csv(void **state)
{
	json_t *runs = json_array(), *sweep;
	g_autofree char *text = NULL;

	(void)state;
	run_add(runs, 0, "a", "x, \"y\"", 80, true);
	json_object_set_new(json_array_get(runs, 0), "values",
			    json_pack("{s:I, s:b}", "run.seed", (json_int_t)9007199254740993, "gpu.is_on", 1));
	json_object_set_new(json_array_get(runs, 0), "objectives",
			    json_pack("{s:I, s:f, s:n}", "time_ps", (json_int_t)1234567890123456789, "ipc", 0.1,
				      "none"));
	json_object_set_new(json_array_get(runs, 0), "mark", json_string("SAMPLED"));
	cli_sweep_speedups_put(runs);
	sweep = json_pack("{s:o}", "runs", runs);
	text = cli_sweep_csv(sweep);
	assert_string_equal(text, "point,machine,workload,args,run.seed,gpu.is_on,time_ps,ipc,none,"
				  "speedup,done,verified,is_pareto,mark\n"
				  "0,a,w,\"x, \"\"y\"\"\",9007199254740993,true,1234567890123456789,0.1,,"
				  "1,true,true,,SAMPLED\n");
	json_decref(sweep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_machines), cmocka_unit_test(test_points), cmocka_unit_test(test_unverified),
	    cmocka_unit_test(test_many),     cmocka_unit_test(test_csv),    cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
