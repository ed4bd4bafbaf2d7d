/* Experiments of papers: the runs of a row, the number that moves, mistakes with their places, fields of results; and
 * each deviation of ours with a reason has an experiment, or the reason says that no run shows it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/check.h"
#include "experiment/expression.h"
#include "reproduce/published.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct base_place at = {"experiments.csv", 7, 1};

static struct reproduce_experiment *experiment_of(const char *line, struct base_diag_list *diag)
{
	g_auto(GStrv) fields = g_strsplit(line, ";", -1);
	struct reproduce_experiment *x;

	base_diag_init(diag);
	x = reproduce_experiment_read(fields, at, diag);
	return x;
}

/* "machine: sets: program" */
static void is_side(const struct reproduce_experiment *x, enum reproduce_side side, const char *wanted)
{
	struct reproduce_side_run run = reproduce_experiment_side(x, side, "/paper");
	GString *text = g_string_new(run.machine);

	g_string_append(text, ":");
	for (uint32_t i = 0; i < run.sets->len; i++)
		g_string_append_printf(text, " %s%s", i < run.own_count ? "" : "+", (char *)run.sets->pdata[i]);
	g_string_append_printf(text, ": %s", run.program);
	assert_string_equal(text->str, wanted);
	g_string_free(text, TRUE);
	reproduce_side_run_free(&run);
}

static void a_row_is_two_runs_or_four(void **state)
{
	struct base_diag_list diag;
	struct reproduce_experiment *x =
	    experiment_of("A-1,T (a);m --set a=1;p --n 2;--set b=2 --set a=3 -- q --n 3;time_ps;;-5;10", &diag);

	(void)state;
	assert_non_null(x);
	assert_string_equal(x->ids[1], "T (a)");
	assert_int_equal(reproduce_experiment_side_count(x), 2);
	is_side(x, REPRODUCE_WITHOUT, "m: a=1: p --n 2");
	is_side(x, REPRODUCE_WITH, "m: a=1 +b=2 +a=3: q --n 3");
	reproduce_experiment_free(x);
	base_diag_free(&diag);

	x = experiment_of("A-1;own.yaml;p;--machine other.yaml --set b=2;time_ps;o --set c=1;-5;10", &diag);
	assert_non_null(x);
	assert_int_equal(reproduce_experiment_side_count(x), 4);
	is_side(x, REPRODUCE_WITHOUT, "/paper/own.yaml:: p");
	is_side(x, REPRODUCE_WITH, "/paper/other.yaml: +b=2: p");
	is_side(x, REPRODUCE_OVER_WITHOUT, "o: c=1: p");
	is_side(x, REPRODUCE_OVER_WITH, "/paper/other.yaml: c=1 +b=2: p");
	reproduce_experiment_free(x);
	base_diag_free(&diag);
}

/* Fields "a" and "b" of four runs. */
static double field(void *ctx, uint32_t run, const char *path, struct base_place where, bool is_needed)
{
	static const double a[] = {10, 12, 5, 3}, b[] = {2, 4, 1, 1};

	(void)ctx, (void)is_needed;
	assert_int_equal(where.line, at.line);
	return !strcmp(path, "a") ? a[run] : b[run];
}

static double change_of(const char *line)
{
	static char *names[] = {"one", "two", "three", "four"};
	struct base_diag_list diag;
	struct reproduce_experiment *x = experiment_of(line, &diag);
	struct experiment runs = {0};
	struct experiment_expression *e;
	struct experiment_names *all;
	g_autofree char *text = reproduce_experiment_expression(x, names);
	double change;

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		struct experiment_run *run = g_new0(struct experiment_run, 1);

		run->id = g_strdup(names[i]);
		experiment_add(&runs, run);
	}
	all = experiment_names_new(&runs, NULL, NULL);
	e = experiment_expression_of(all, text, at, &diag);
	assert_non_null(e);
	assert_true(experiment_check(all, e, 0, &diag));
	change = experiment_number(all, e, 0, field, NULL);
	experiment_names_free(all);
	experiment_free(&runs);
	reproduce_experiment_free(x);
	base_diag_free(&diag);
	return change;
}

static void a_change_is_in_per_cent(void **state)
{
	(void)state;
	assert_true(fabs(change_of("A;m;p;--set c=1;a;;0;1") - 20) < 1e-9);
	/* 12 / 4 after 10 / 2; 12 / 3 after 10 / 5; (12 / 4) / 3 after (10 / 2) / 5 */
	assert_true(fabs(change_of("A;m;p;--set c=1;a/b;;0;1") + 40) < 1e-9);
	assert_true(fabs(change_of("A;m;p;--set c=1;a;o;0;1") - 100) < 1e-9);
	assert_true(fabs(change_of("A;m;p;--set c=1;a/b;o;0;1")) < 1e-9);
}

static void mistakes_have_places(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
	    {"A;m;p;--sett c=1;a;;0;1", "'--sett c=1' at '--sett': expected `--set K=V`, `--machine M` or `-- PROGRAM"},
	    {"A;m;p;--set c;a;;0;1", "'--set c' at '--set': expected"},
	    {"A;m;p;--set c=1 --;a;;0;1", "at '--': expected"},
	    {"A;m --machine n;p;--set c=1;a;;0;1", "'m --machine n' at '--machine': expected a machine with settings"},
	    {"A;m;p;--set c=1;a;o -- q;0;1", "'o -- q' at '--': expected a machine with settings"},
	    {"A;;p;--set c=1;a;;0;1", "expected a machine with settings, `M --set K=V`"},
	    {"A;m;;--set c=1;a;;0;1", "expected a program, a change and a field of the results"},
	    {"A;m;p;;a;;0;1", "expected a program, a change and a field of the results"},
	    {"A;m;p;--set c=1;;;0;1", "expected a program, a change and a field of the results"},
	    {"A;m;p;--set c=1;a;;zero;1", "'zero' is no number"},
	    {"A;m;p;--set c=1;a;;2;1", "a band goes up: from 2 to 1 % does not"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct base_diag_list diag;
		char *text;

		assert_null(experiment_of(cases[i].line, &diag));
		text = base_diag_join(&diag);
		if (!strstr(text, cases[i].message) || !strstr(text, "experiments.csv:7:1: error: "))
			fail_msg("%s: %s, expected %s", cases[i].line, text, cases[i].message);
		free(text);
		base_diag_free(&diag);
	}
}

static void fields_are_numbers_of_a_result(void **state)
{
	json_t *run = json_pack("{s:i, s:{s:i, s:s, s:{s:i}}, s:[{s:i}, {s:i}, {s:s}], s:n}", "time_ps", 5, "stats",
				"gpu.a.b", 7, "name", "x", "gpu.cta_cycles", "sum", 9, "channels", "up", 3, "up", 4,
				"other", "x", "energy_total_pj");
	double x;

	(void)state;
	assert_true(reproduce_result_field(run, "time_ps", &x) && x == 5);
	assert_true(reproduce_result_field(run, "stats.gpu.a.b", &x) && x == 7);
	assert_true(reproduce_result_field(run, "stats.gpu.cta_cycles.sum", &x) && x == 9);
	assert_true(reproduce_result_field(run, "channels.up", &x) && x == 7);
	assert_false(reproduce_result_field(run, "stats.gpu.cta_cycles", &x));
	assert_false(reproduce_result_field(run, "stats.gpu.cta_cycles.p90", &x));
	assert_false(reproduce_result_field(run, "stats.name", &x));
	assert_false(reproduce_result_field(run, "channels.down", &x));
	assert_false(reproduce_result_field(run, "energy_total_pj", &x));
	assert_false(reproduce_result_field(run, "none", &x));
	json_decref(run);
}

static void each_has_an_experiment(const char *paper, bool is_quick)
{
	g_autofree char *dir = g_build_filename(PAPERS_DIR, paper, NULL);
	struct base_diag_list diag;
	struct reproduce_published_set *set;
	const char *id, *text;
	GHashTableIter i;

	base_diag_init(&diag);
	set = reproduce_published_read(dir, is_quick, &diag);
	if (!set)
		fail_msg("%s", base_diag_join(&diag));
	g_hash_table_iter_init(&i, set->explanations);
	while (g_hash_table_iter_next(&i, (gpointer *)&id, (gpointer *)&text))
		if (!g_str_has_prefix(text, "No run shows it:") && !g_hash_table_contains(set->experiments, id))
			fail_msg("%s: %s has a reason and no experiment", paper, id);
	reproduce_published_free(set);
	base_diag_free(&diag);
}

static void reasons_have_experiments(void **state)
{
	static const char *const papers[] = {"tom",	"nsu",	"bom",	    "channel", "clean",
					     "sort",	"hpcg", "graph500", "hardware"};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(papers); i++) {
		each_has_an_experiment(papers[i], true);
		each_has_an_experiment(papers[i], false);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_row_is_two_runs_or_four),      cmocka_unit_test(a_change_is_in_per_cent),
	    cmocka_unit_test(mistakes_have_places),	      cmocka_unit_test(fields_are_numbers_of_a_result),
	    cmocka_unit_test(reasons_have_experiments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
