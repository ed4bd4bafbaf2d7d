/* Points of a sweep and its front: what a grid, a log scale and a Latin hypercube give, and which points none beats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sweep/plan.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_plan(const char *axes, struct sweep_plan *plan)
{
	g_autofree char *text = g_strconcat("machines: [m]\nprograms: [w]\n", axes, NULL);
	g_autofree char *path = g_build_filename(g_get_tmp_dir(), "strata-test-sweep-XXXXXX", NULL);
	struct base_diag_list diag;
	const int fd = g_mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_true(g_file_set_contents(path, text, -1, NULL));
	base_diag_init(&diag);
	assert_true(sweep_plan_read(path, plan, &diag));
	base_diag_free(&diag);
	g_unlink(path);
}

static const char *setting(const struct sweep_plan *plan, uint32_t point, uint32_t axis)
{
	return ((char **)plan->points->pdata[point])[axis];
}

static void test_grid(void **state)
{
	struct sweep_plan plan;

	(void)state;
	read_plan("axes:\n  a.a: [x, y]\n  b.b: {from: 1, to: 1000, steps: 4, scale: log}\n", &plan);
	assert_int_equal(plan.points->len, 8);
	assert_string_equal(setting(&plan, 0, 0), "a.a=x");
	assert_string_equal(setting(&plan, 0, 1), "b.b=1");
	assert_string_equal(setting(&plan, 1, 1), "b.b=10");
	assert_string_equal(setting(&plan, 3, 1), "b.b=1000");
	assert_string_equal(setting(&plan, 4, 0), "a.a=y");
	assert_string_equal(setting(&plan, 4, 1), "b.b=1");
	assert_null(setting(&plan, 0, 2));
	sweep_plan_free(&plan);
	read_plan("axes:\n  b.b: {from: 0.5, to: 1, steps: 3}\n", &plan);
	assert_string_equal(setting(&plan, 1, 0), "b.b=0.75");
	sweep_plan_free(&plan);
	read_plan("", &plan); /* machines and programs alone: one point without settings */
	assert_int_equal(plan.points->len, 1);
	assert_null(setting(&plan, 0, 0));
	sweep_plan_free(&plan);
}

/* Each axis has one point in each of its parts, and two axes are not in step. */
static void test_latin(void **state)
{
	struct sweep_plan plan;
	uint64_t seen[2] = {0, 0};
	uint32_t in_step = 0;

	(void)state;
	read_plan("sweep: latin\npoints: 50\naxes:\n  a.a: {from: 0.0, to: 50}\n  b.b: {from: 0.0, to: 50}\n", &plan);
	for (uint32_t p = 0; p < 50; p++) {
		const uint32_t a = (uint32_t)atof(setting(&plan, p, 0) + strlen("a.a=")),
			       b = (uint32_t)atof(setting(&plan, p, 1) + strlen("b.b="));

		seen[0] |= 1ull << a;
		seen[1] |= 1ull << b;
		in_step += a == b;
	}
	assert_true(seen[0] == (1ull << 50) - 1 && seen[1] == (1ull << 50) - 1);
	assert_in_range(in_step, 0, 5);
	sweep_plan_free(&plan);
}

static void test_pareto(void **state)
{
	const double values[] = {1, 9, 5, /* best in the first */
				 5, 5, 5, /* beaten by the next */
				 5, 4, 5, /* on the front */
				 5, 4, 5, /* as good as that one: neither beats the other */
				 9, 9, 1, /* best in the third */
				 0, 0, NAN};
	const bool expected[] = {true, false, true, true, true, false};
	bool is_best[6];

	(void)state;
	sweep_pareto(values, 6, 3, is_best);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(is_best[i], expected[i]);
}

/* A file that lists its runs: what several have in common is there once. */
static void test_runs(void **state)
{
	struct base_diag_list diag;
	struct sweep_plan plan;
	const struct sweep_run *run;
	g_autofree char *path = g_build_filename(g_get_tmp_dir(), "strata-test-sweep-runs.yaml", NULL);

	(void)state;
	assert_true(g_file_set_contents(path,
					"settings: {s: {a.a: 1, b.b: 2}}\n"
					"runs:\n"
					"- {run: A, machine: m, program: w -x 1, set: s}\n"
					"- {run: B, machine: n, program: w -x 1, set: {a.a: 3}}\n"
					"- {run: C, machine: m, program: ./p, set: s}\n",
					-1, NULL));
	base_diag_init(&diag);
	assert_true(sweep_plan_read(path, &plan, &diag));
	base_diag_free(&diag);
	g_unlink(path);
	assert_int_equal(plan.runs->len, 3);
	assert_int_equal(plan.machines->len, 2);
	assert_int_equal(plan.programs->len, 2);
	assert_int_equal(plan.points->len, 2);
	assert_int_equal(GPOINTER_TO_INT(plan.is_workload->pdata[0]), TRUE);
	assert_int_equal(GPOINTER_TO_INT(plan.is_workload->pdata[1]), FALSE);
	assert_string_equal(((char **)plan.programs->pdata[0])[2], "1");
	assert_string_equal(setting(&plan, 0, 1), "b.b=2");
	run = plan.runs->pdata[2];
	assert_string_equal(run->name, "C");
	assert_true(run->machine == 0 && run->program == 1 && run->point == 0);
	sweep_plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_grid),
	    cmocka_unit_test(test_runs),
	    cmocka_unit_test(test_latin),
	    cmocka_unit_test(test_pareto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
