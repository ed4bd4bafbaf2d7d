/* Runs and expressions as a file has them: what words, lists and settings make, what each operator and function gives,
 * and what is said of a mistake, with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/check.h"
#include "experiment/expression.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a test does with the document, while its nodes are there. */
struct reading {
	bool is_quick, is_sampled;
	struct experiment experiment;
	struct experiment_names *names;
	GArray *numbers; /* of the entry `ask`, a list of expressions; of each its first number */
	GArray *lacking; /* whether a field was asked for that nothing stands in for */
};

static double minus(const double *x)
{
	return x[0] - x[1];
}

/* A model of a text and a number; there is no "bad". */
static double times_length(const char *dir, const char *const *texts, const double *x, char **why)
{
	assert_string_equal(dir, "models");
	if (!strcmp(texts[0], "bad"))
		*why = g_strdup("there is no bad");
	return (double)strlen(texts[0]) * x[0];
}

static const struct experiment_model models[] = {
    {"minus", 2, minus, 0, NULL}, {"length", 1, NULL, 1, times_length}, {NULL, 0, NULL, 0, NULL}};

/* Field "x" of run i is 10 (i + 1), "x.y" 1 more; there is no other. */
static double field(void *ctx, uint32_t run, const char *path, struct base_place at, bool is_needed)
{
	struct reading *r = ctx;

	assert_true(at.line > 0);
	if (!strcmp(path, "x"))
		return 10 * (run + 1);
	if (!strcmp(path, "x.y"))
		return 10 * (run + 1) + 1;
	g_array_append_val(r->lacking, is_needed);
	return NAN;
}

static void ask(struct reading *r, struct base_yaml *y, yaml_node_t *list)
{
	BASE_YAML_EACH_ITEM(list, item) {
		struct experiment_expression *e =
		    experiment_expression_read(r->names, y, base_yaml_node(y, *item), r->is_quick);
		double x;

		if (!e || !experiment_check(r->names, e, 0, y->diag))
			continue;
		x = experiment_number(r->names, e, 0, field, r);
		g_array_append_val(r->numbers, x);
	}
}

static void take(void *ctx, struct base_yaml *y, yaml_node_t *root)
{
	struct reading *r = ctx;
	struct experiment_nodes nodes;
	yaml_node_t *define, *asked;
	const struct base_yaml_entry entries[] = {{"words", &nodes.words},
						  {"settings", &nodes.settings},
						  {"runs", &nodes.runs},
						  {"define", &define},
						  {"ask", &asked}};

	base_yaml_entries(y, root, "a test", entries, ARRAY_COUNT(entries));
	experiment_read(y, &nodes,
			r->is_quick ? EXPERIMENT_QUICK : r->is_sampled ? EXPERIMENT_SAMPLED : EXPERIMENT_FULL,
			&r->experiment);
	r->names = experiment_names_new(&r->experiment, models, "models");
	if (define)
		experiment_names_define(r->names, y, define, r->is_quick);
	experiment_follow_read(r->names, y->diag);
	if (asked)
		ask(r, y, asked);
}

/* The messages, without the folder of the file; "" when there are none. */
static char *text_read(const char *text, struct reading *r)
{
	static const struct base_yaml_words words = {"a test", "`runs:`"};
	g_autofree char *dir = g_dir_make_tmp("strata-test-experiment-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "t.yaml", NULL), *prefix = g_strconcat(dir, "/", NULL);
	g_autofree char *all = NULL;
	g_auto(GStrv) parts = NULL;
	struct base_diag_list diag;
	bool is_read;

	assert_true(g_file_set_contents(path, text, -1, NULL));
	base_diag_init(&diag);
	r->numbers = g_array_new(FALSE, FALSE, sizeof(double));
	r->lacking = g_array_new(FALSE, FALSE, sizeof(bool));
	is_read = base_yaml_read(path, &words, take, r, &diag);
	assert_int_equal(is_read, !diag.error_count);
	all = base_diag_join(&diag);
	base_diag_free(&diag);
	g_unlink(path);
	g_rmdir(dir);
	parts = g_strsplit(all, prefix, -1);
	return g_strjoinv("", parts);
}

static void reading_free(struct reading *r)
{
	g_array_free(r->numbers, TRUE);
	g_array_free(r->lacking, TRUE);
	if (r->names)
		experiment_names_free(r->names);
	experiment_free(&r->experiment);
	*r = (struct reading){0};
}

static const struct experiment_run *run_of(const struct reading *r, uint32_t i)
{
	assert_true(i < r->experiment.runs->len);
	return r->experiment.runs->pdata[i];
}

/* ---- runs ---- */

static const char both[] = "words: {base: -t $n, n: {quick: 4, full: 64}, cost: $$5}\n"
			   "settings:\n"
			   "  a: {x.one: 1}\n"
			   "  ab: [a, {x.two: $n}]\n"
			   "runs:\n"
			   "  - {run: ONE, machine: m, program: prog}\n"
			   "  - for:\n"
			   "      kind: [{id: A, more: ''}, {id: B, more: $base}]\n"
			   "      side: [8, {quick: 16, full: 1024}]\n"
			   "    run: ${id}_$side\n"
			   "    name: kind $id, $side for $cost\n"
			   "    machine: m-$id\n"
			   "    set: [ab, {y: $side}]\n"
			   "    quick_set: {y: 0}\n"
			   "    full_set: a\n"
			   "    program: prog -s $side $more\n";

static void runs_are_made(void **state)
{
	struct reading r = {.is_quick = true};
	g_autofree char *said = text_read(both, &r), *said_full = NULL;
	const struct experiment_run *run;

	(void)state;
	assert_string_equal(said, "");
	assert_int_equal(r.experiment.runs->len, 5);
	run = run_of(&r, 0);
	assert_string_equal(run->name, "ONE");
	assert_string_equal(run->arguments, "");
	assert_string_equal(run->sets, "");
	/* The last list goes fastest. */
	assert_string_equal(run_of(&r, 1)->id, "A_8");
	assert_string_equal(run_of(&r, 2)->id, "A_16");
	run = run_of(&r, 4);
	assert_string_equal(run->id, "B_16");
	assert_string_equal(run->name, "kind B, 16 for $5");
	assert_string_equal(run->machine, "m-B");
	assert_string_equal(run->program, "prog");
	assert_string_equal(run->arguments, "-s 16 -t 4");
	assert_string_equal(run->sets, "x.one=1 x.two=4 y=16 y=0");
	reading_free(&r);
	said_full = text_read(both, &r);
	assert_string_equal(said_full, "");
	assert_string_equal(run_of(&r, 4)->arguments, "-s 1024 -t 64");
	assert_string_equal(run_of(&r, 4)->sets, "x.one=1 x.two=64 y=1024 x.one=1");
	reading_free(&r);
}

/* Sampled runs are full ones without what only these have. */
static void full_settings_are_of_full_runs(void **state)
{
	static const struct base_yaml_words words = {"a test", "`runs:`"};
	static const char text[] = "runs: [{run: A, machine: m, program: {quick: p, full: q}, full_set: {x: 1}}]\n";
	g_autofree char *dir = g_dir_make_tmp("strata-test-experiment-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "t.yaml", NULL);
	struct base_diag_list diag;
	struct reading r = {.is_sampled = true};

	(void)state;
	assert_true(g_file_set_contents(path, text, -1, NULL));
	base_diag_init(&diag);
	r.numbers = g_array_new(FALSE, FALSE, sizeof(double));
	r.lacking = g_array_new(FALSE, FALSE, sizeof(bool));
	assert_true(base_yaml_read(path, &words, take, &r, &diag));
	assert_string_equal(run_of(&r, 0)->program, "q");
	assert_string_equal(run_of(&r, 0)->sets, "");
	base_diag_free(&diag);
	g_unlink(path);
	g_rmdir(dir);
	reading_free(&r);
}

static void settings_follow(void **state)
{
	static const char text[] = "words: {w: A}\n"
				   "runs:\n"
				   "  - {run: A, machine: m, program: p}\n"
				   "  - {run: B, machine: m, program: p, name: b, set: {z: 1},\n"
				   "     set_from: {a.b: \"half($w)\", c: \"$w[x] + 0.5\"}}\n"
				   "  - {run: C, machine: m, program: p, name: c, set_from: {a.b: \"max(A[z], 1)\"}}\n"
				   "define: {half(run): \"run[x] / 2\"}\n";
	struct reading r = {0};
	g_autofree char *said = text_read(text, &r), *sets = NULL;

	(void)state;
	assert_string_equal(said, "");
	assert_null(run_of(&r, 0)->follows);
	assert_string_equal(run_of(&r, 1)->sets, "z=1");
	sets = experiment_follow_sets(r.names, run_of(&r, 1), field, &r);
	assert_string_equal(sets, "a.b=5 c=10.5");
	assert_null(experiment_follow_sets(r.names, run_of(&r, 2), field, &r));
	reading_free(&r);
}

/* ---- expressions ---- */

#define THREE "runs: [{run: A, machine: m, program: p}, {run: B, machine: m, program: p, name: b}," \
	      " {run: C, machine: m, program: p, name: c}]\n"

static void expressions_are_computed(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{"1 + 2 * 3 - 8 / 4 / 2", 6},
		{"-(1 - 3) * -2", -4},
		{"1.5e3 / 1000", 1.5},
		{"A[x] / B[x] + C[x.y]", 31.5},
		{"half(B)", 10},
		{"all", 60},
		{"two(C, A)", 3},
		{"part(B, \"y\")", 21},
		{"sum([A, B, C][x] * 2)", 120},
		{"max([A, B, C][x] / [1, 2, 3])", 10},
		{"min(3, [2, 5], 4)", 2},
		{"mean(1, 2, 6)", 3},
		{"geomean(2, 8)", 4},
		{"abs(2 - 5)", 3},
		{"sum(abs([1, -2]))", 3},
		{"cbrt(27)", 3},
		{"sum(log10([10, 1000]))", 4},
		{"log2(8)", 3},
		{"first([5, 6, 7], [A, B, C][x] > 15)", 6},
		{"first([5, 6], [0, 0])", NAN},
		{"or(A[z], 7)", 7},
		{"or(A[x], 7)", 10},
		{"sum(or([A, B][w], [A, B][x]))", 30},
		{"sum([[1, 2], 3, [4]])", 10},
		{"max(where([A, B, C][x], [1, 1, 0]))", 20},
		{"sum(where([1, 2], [1, none]))", NAN},
		{"min(where([1, 2], [0, 0]))", NAN},
		{"sum(runs(\"?\")[x])", 60},
		{"sum(upto(2, 5))", 14},
		{"max(upto(3, 3))", 3},
		{"minus(5, 2)", 3},
		{"sum(minus([A, B][x], 1))", 28},
		{"sum(minus([7, 8], [1, 2]))", 12},
		{"minus(none, 2)", NAN},
		{"length(\"four\", 2)", 8},
		{"sum(length([\"one\", \"four\"], A[x]))", 70},
		{"length(\"four\", none)", NAN},
		{"A[z] + 1", NAN},
		{"max(1, none)", NAN},
		{"min(none, 1)", NAN},
		{"sum([1, 0] < [0, 1])", 1},
		{"none[x]", NAN},
		{"none < 1", NAN},
		{"1 <= 1", 1},
		{"1 < 1", 0},
		{"2 > 1", 1},
		{"1 >= 2", 0},
		{"1 = 1.5 within 0.5", 1},
		{"1 = 1.5 within 0.25", 0},
		{"size", 100},
	};
	GString *text = g_string_new(THREE "define:\n"
					   "  half(run): run[x] / 2\n"
					   "  all: sum([A, B, C][x])\n"
					   "  two(run, against): half(run) / half(against)\n"
					   "  part(run, name): run[x.{name}]\n"
					   "  size: {quick: 1, full: 100}\n"
					   "ask:\n");
	struct reading r = {0};
	g_autofree char *said = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		g_string_append_printf(text, "  - '%s'\n", cases[i].text);
	said = text_read(text->str, &r);
	assert_string_equal(said, "");
	assert_int_equal(r.numbers->len, ARRAY_COUNT(cases));
	for (uint32_t i = 0; i < r.numbers->len; i++) {
		const double x = g_array_index(r.numbers, double, i), wanted = cases[i].value;

		if (isnan(wanted) ? !isnan(x) : fabs(x - wanted) > 1e-12)
			fail_msg("%s is %g", cases[i].text, x);
	}
	/* `or` says that what is missing is not needed. */
	assert_int_equal(r.lacking->len, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(g_array_index(r.lacking, bool, i), i == 3);
	g_string_free(text, TRUE);
	reading_free(&r);
}

/* ---- mistakes ---- */

static void mistakes_have_places(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"run: []\n", "t.yaml:1:1: error: a test has no 'run'; did you mean 'runs'?"},
		{"runs: [{run: A, program: p}]\n", "t.yaml:1:8: error: a run needs `machine:`"},
		{"runs: [{run: A, machine: m, program: p, sets: a}]\n",
		 "t.yaml:1:41: error: a run has no 'sets'; did you mean 'set'?"},
		{"runs: [{run: A, machine: m, program: p $x}]\n",
		 "t.yaml:1:38: error: $x is no word, and no list of `for`"},
		{"runs: [{run: A, machine: m, program: p $}]\n",
		 "t.yaml:1:38: error: '$': expected $NAME, ${NAME} or $$"},
		{"words: {a: $b, b: $a}\nruns: [{run: A, machine: $a, program: p}]\n", "is in a circle of words"},
		{"words: {a: {quick: 1}}\nruns: [{run: A, machine: $a, program: p}]\n",
		 "t.yaml:1:12: error: expected {quick: VALUE, full: VALUE}"},
		{"runs: [{run: A, machine: m, program: p, set: b}]\n",
		 "t.yaml:1:46: error: 'b' is no group of `settings:`"},
		{"settings: {b: [b]}\nruns: [{run: A, machine: m, program: p, set: b}]\n", "a circle of groups"},
		{"runs: [{run: A, machine: m, program: p, set: {a: 1 2}}]\n",
		 "t.yaml:1:47: error: 'a=1 2' is no setting: it has a space"},
		{"runs: [{run: A B, machine: m, program: p}]\n",
		 "t.yaml:1:14: error: 'A B' is no run's name: expected letters, digits and _"},
		{"runs: [{run: A, machine: m, program: p}, {run: A, machine: m, program: q}]\n",
		 "t.yaml:1:48: error: the run 'A' is there twice"},
		{"runs: [{run: A, name: x, machine: m, program: p}, {run: B, name: x, machine: n, program: p}]\n",
		 "t.yaml:1:57: error: the runs A and B are both called 'x'"},
		{"words: {a: 1}\nruns: [{for: {a: [1]}, run: A, machine: m, program: p}]\n",
		 "t.yaml:2:15: error: $a is there twice"},
		{"runs: []\n", "t.yaml:1:7: error: there are no runs"},
		{"runs: [{for: {a: []}, run: A, machine: m, program: p}]\n",
		 "t.yaml:1:18: error: the list is empty: there are no runs"},
		{"runs: [{for: {a: 1}, run: A, machine: m, program: p}]\n",
		 "t.yaml:1:18: error: expected a list of texts, or of {word: text, ...}"},
		{THREE "ask:\n - A[x] +\n",
		 "t.yaml:3:10: error: expected a number, a run, a definition, '(' or '[', found the end"},
		{THREE "ask:\n - A[x] B\n", "t.yaml:3:9: error: expected an operator or the end, found 'B'"},
		{THREE "ask:\n - (1 + 2\n", "t.yaml:3:10: error: expected ')', found the end"},
		{THREE "ask:\n - A[]\n", "t.yaml:3:6: error: expected a field of the results, found ']'"},
		{THREE "ask:\n - 1 = 2\n",
		 "t.yaml:3:9: error: expected 'within' and how far they may be apart, found the end"},
		{THREE "ask:\n - D[x]\n", "t.yaml:3:4: error: 'D' is no run, no definition and no function"},
		{THREE "ask:\n - 1 + A\n",
		 "t.yaml:3:6: error: expected a number, found a run: its fields are NAME[FIELD]"},
		{THREE "ask:\n - '[1, 2] + [1, 2, 3]'\n", "t.yaml:3:12: error: lists of different lengths"},
		{THREE "ask:\n - '[1, 2]'\n", "t.yaml:3:5: error: expected a number, found a list"},
		{THREE "ask:\n - 1[x]\n", "t.yaml:3:6: error: [x] is a field of a run, or of a list of runs"},
		{THREE "ask:\n - A[x.{y}]\n", "t.yaml:3:6: error: 'x.{y}': {name} is a parameter that is a text"},
		{THREE "ask:\n - max()\n", "t.yaml:3:4: error: max of no numbers"},
		{THREE "ask:\n - abs(1, 2)\n", "t.yaml:3:4: error: abs needs one value"},
		{THREE "ask:\n - 'where([1], [1, 2])'\n", "t.yaml:3:5: error: where needs a list of values"},
		{THREE "ask:\n - 'runs(\"D*\")'\n", "t.yaml:3:5: error: no run is called as in 'D*'"},
		{THREE "ask:\n - sum(upto(2, 1))\n", "t.yaml:3:8: error: upto needs two whole numbers"},
		{THREE "ask:\n - sum(upto(0, A[x]))\n", "error: upto needs two whole numbers"},
		{THREE "ask:\n - sum(upto(0, 99999))\n", "error: this is too much to compute"},
		{THREE "ask:\n - minus(1)\n", "error: 'minus' has another number of parameters"},
		{THREE "ask:\n - 'sum(minus([1, 2], [1, 2, 3]))'\n", "error: lists of different lengths"},
		{THREE "ask:\n - 'length(1, 2)'\n",
		 "t.yaml:3:5: error: 'length' needs a text, as \"a\", before its numbers"},
		{THREE "ask:\n - 'length(\"a\", \"b\")'\n", "t.yaml:3:5: error: expected a number, found a text"},
		{THREE "ask:\n - 'length(\"bad\", 1)'\n", "t.yaml:3:5: error: there is no bad"},
		{"runs: [{run: A, machine: m, program: p, set_from: 1}]\n", "t.yaml:1:51: error: "},
		{"runs: [{run: A, machine: m, program: p, set_from: {a: 'A[x]'}}]\n",
		 "t.yaml:1:55: error: 'A[x]' is of a run that has `set_from:` itself"},
		{"runs: [{run: A, machine: m, program: p, set_from: {a: 'B[x]'}}]\n",
		 "t.yaml:1:55: error: 'B' is no run, no definition and no function"},
		{"runs: [{run: A, machine: m, program: p, set_from: {a: 1 +}}]\n", "t.yaml:1:55: error: expected"},
		{THREE "define: {minus(a): a}\n", "'minus' is a run, a function or a definition already"},
		{THREE "ask:\n - 'runs(A)'\n", "t.yaml:3:5: error: runs needs a text"},
		{THREE "ask:\n - 'first(1, 2)'\n", "t.yaml:3:5: error: first needs a list of values"},
		{THREE "define: {f(x): x}\nask:\n - f(1, 2)\n",
		 "t.yaml:4:4: error: 'f' has another number of parameters"},
		{THREE "define: {f: f + 1}\nask: [f]\n",
		 "t.yaml:2:13: error: 'f' is defined by itself, or by too much"},
		{THREE "define: {A: 1}\n",
		 "t.yaml:2:10: error: 'A' is a run, a function or a definition already"},
		{THREE "define: {max: 1}\n",
		 "t.yaml:2:10: error: 'max' is a run, a function or a definition already"},
		{THREE "define: {'f(x': 1}\n", "t.yaml:2:14: error: expected ',' or ')', found the end"},
		{THREE "define: {'f(x, x)': 1}\n", "error: expected another parameter's name"},
		{THREE "define: {l(x): '[x, x]', m(x): l(l(l(l(l(l(x)))))), n: sum(m(m(m(1))))}\nask: [n]\n",
		 "this is too much to compute"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct reading r = {.is_quick = true};
		g_autofree char *said = text_read(cases[i].text, &r);

		if (!strstr(said, cases[i].message))
			fail_msg("case %zu says: %s", i, said);
		reading_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(runs_are_made),
		cmocka_unit_test(full_settings_are_of_full_runs),
		cmocka_unit_test(settings_follow),
	    cmocka_unit_test(expressions_are_computed),
	    cmocka_unit_test(mistakes_have_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
