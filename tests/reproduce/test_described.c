/* Papers that are data: ours are read for quick and full runs and say nothing without their runs; mistakes in such a
 * file have places; a number is what the expressions say, and a field that a run does not have is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/check.h"
#include "reproduce/described.h"
#include "reproduce/outcome.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a paper without its runs: what our models and its own arithmetic say. */
static enum reproduce_status status_without_runs(const char *id)
{
	static const char *const passing[] = {"T1 (a)", "T1 (b)", "T1 (c)", "N9"};
	static const char *const same[] = {"TOM-56", "TOM-57", "TOM-58", "NSU-38"};

	for (size_t i = 0; i < ARRAY_COUNT(passing); i++)
		if (!strcmp(id, passing[i]))
			return REPRODUCE_PASS;
	for (size_t i = 0; i < ARRAY_COUNT(same); i++)
		if (!strcmp(id, same[i]))
			return REPRODUCE_SAME;
	return REPRODUCE_ABSENT;
}

static void judged_without_runs(const char *dir, bool is_quick)
{
	g_autofree char *path = g_build_filename(dir, REPRODUCE_FILE, NULL);
	const struct reproduce_paper *paper;
	struct reproduce_published_set *published;
	struct reproduce_data *d;
	struct reproduce_outcomes o;
	struct base_diag_list diag;
	uint32_t run_count = 0;
	bool is_model;

	base_diag_init(&diag);
	paper = reproduce_described_read(path, is_quick ? EXPERIMENT_QUICK : EXPERIMENT_FULL, &diag);
	if (!paper)
		fail_msg("%s", base_diag_join(&diag));
	/* A model needs no run. */
	is_model = !strcmp(paper->name, "csp") || !strcmp(paper->name, "ska") || !strcmp(paper->name, "duality");
	published = reproduce_published_read(dir, is_quick, &diag);
	assert_non_null(published);
	if (!reproduce_described_check(paper, published, &diag))
		fail_msg("%s", base_diag_join(&diag));
	/* Each run is one of configurations and programs, and no two are the same one. */
	for (uint32_t i = 0; i < paper->config_count * paper->workload_count; i++)
		run_count += reproduce_is_run(paper, i / paper->workload_count, i % paper->workload_count);
	assert_int_equal(run_count, paper->cell_count);
	d = reproduce_data_new(paper);
	o = reproduce_judge(d, published);
	assert_int_equal(o.count, paper->row_count + paper->claim_count);
	for (uint32_t i = 0; i < o.count; i++)
		if (o.items[i].status != status_without_runs(o.items[i].id) && strcmp(paper->name, "sort") && !is_model)
			fail_msg("%s of %s is %s", o.items[i].id, dir, reproduce_status_name(o.items[i].status));
	for (uint32_t i = 0; i < paper->chart_count; i++)
		for (uint32_t b = 0; b < paper->charts[i].bar_count; b++)
			for (uint32_t g = 0; g < paper->charts[i].group_count; g++)
				assert_true(isnan(reproduce_described_number(d, paper->charts[i].expressions[b], g)) ||
					    is_model ||
					    g_str_has_prefix(paper->charts[i].title, "Figure 5: accesses outside"));
	assert_false(reproduce_described_lacks(paper, &diag));
	reproduce_outcomes_free(&o);
	reproduce_data_free(d);
	reproduce_published_free(published);
	reproduce_described_free(paper);
	base_diag_free(&diag);
}

static void ours_are_whole(void **state)
{
	GDir *papers = g_dir_open(PAPERS_DIR, 0, NULL);
	uint32_t count = 0;

	(void)state;
	for (const char *name; (name = g_dir_read_name(papers));) {
		g_autofree char *dir = g_build_filename(PAPERS_DIR, name, NULL);

		if (!reproduce_is_described(dir))
			continue;
		judged_without_runs(dir, true);
		judged_without_runs(dir, false);
		count++;
	}
	g_dir_close(papers);
	assert_true(count > 0);
}

/* What a paper says that its runs, which are all the same, do not have; the first messages of it. */
static char *fields_lacking(const char *dir, json_t *run)
{
	g_autofree char *path = g_build_filename(dir, REPRODUCE_FILE, NULL);
	const struct reproduce_paper *paper;
	struct reproduce_published_set *published;
	struct reproduce_outcomes o;
	struct reproduce_data *d;
	struct base_diag_list diag;
	char *said;

	base_diag_init(&diag);
	paper = reproduce_described_read(path, EXPERIMENT_QUICK, &diag);
	published = reproduce_published_read(dir, true, &diag);
	assert_true(paper && published);
	d = reproduce_data_new(paper);
	for (uint32_t i = 0; i < paper->config_count * paper->workload_count; i++)
		d->runs[i] = json_incref(run);
	o = reproduce_judge(d, published);
	for (uint32_t i = 0; i < paper->chart_count; i++)
		for (uint32_t b = 0; b < paper->charts[i].bar_count; b++)
			reproduce_described_number(d, paper->charts[i].expressions[b], 0);
	reproduce_described_lacks(paper, &diag);
	said = base_diag_join(&diag);
	reproduce_outcomes_free(&o);
	reproduce_data_free(d);
	reproduce_published_free(published);
	reproduce_described_free(paper);
	base_diag_free(&diag);
	return said;
}

/* Gives the run the fields that are said to be missing; of statistics only those that there are. Returns how many. */
static uint32_t fields_add(json_t *run, const char *said, const char *known, const char *paper)
{
	static const char what[] = " has no field ";
	uint32_t count = 0;

	for (const char *p = said; (p = strstr(p, what)); count++) {
		g_autofree char *path = g_strndup(p + strlen(what), strcspn(p + strlen(what), "\n"));
		g_auto(GStrv) parts = g_strsplit(path, ".", 2);
		g_autofree char *line = g_strdup_printf("\n%s\n", parts[1] ? parts[1] : "");
		json_t *outer = json_object_get(run, parts[0]);

		p += strlen(what);
		/* The coprocessor's statistics have a list of their own. */
		if (!strcmp(parts[0], "stats") && !strstr(known, line) && !g_str_has_prefix(line, "\ncore."))
			fail_msg("%s names %s, which is no statistic", paper, path);
		if (!outer)
			json_object_set_new(run, parts[0], outer = parts[1] ? json_object() : json_real(1));
		if (parts[1])
			json_object_set_new(outer, parts[1], json_real(1));
	}
	return count;
}

/* A statistic that is called otherwise now is missed here, and not when a paper runs, though its name be made of a
 * definition's parameters. */
static void statistics_are_there(void **state)
{
	g_autofree char *known = NULL;
	GDir *papers = g_dir_open(PAPERS_DIR, 0, NULL);
	uint32_t count = 0;

	(void)state;
	assert_true(g_file_get_contents(STATISTICS, &known, NULL, NULL));
	for (const char *name; (name = g_dir_read_name(papers));) {
		g_autofree char *dir = g_build_filename(PAPERS_DIR, name, NULL);
		json_t *run = json_pack("{s:b, s:f, s:[]}", "verified", 1, "cycles", 1.0, "kernels");
		uint32_t more = reproduce_is_described(dir);

		while (more) {
			g_autofree char *said = fields_lacking(dir, run);

			more = fields_add(run, said, known, name);
		}
		count += (uint32_t)json_object_size(json_object_get(run, "stats"));
		json_decref(run);
	}
	g_dir_close(papers);
	assert_true(count > 90);
}

/* ---- a small one ---- */

#define HEAD "title: T\nruns: [{run: A, machine: m, program: p -q}, {run: B, machine: m2, program: p, set: {a.b: 1}}]\n"
#define NUMBERS "numbers: {N-1: {is: 'A[time_ps] / B[time_ps]', within: 0.5}}\n"
static const char results[] = "h\nN-1,p,A,ratio,2,x,exact,s\n";

/* The paper and its published numbers; NULL with what was said. */
static const struct reproduce_paper *paper_make(const char *text, const char *published_text,
						struct reproduce_published_set **published, char **said)
{
	g_autofree char *dir = g_dir_make_tmp("strata-described-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, REPRODUCE_FILE, NULL);
	g_autofree char *csv = g_build_filename(dir, "results.csv", NULL);
	const struct reproduce_paper *paper;
	struct base_diag_list diag;

	assert_true(g_file_set_contents(path, text, -1, NULL) && g_file_set_contents(csv, published_text, -1, NULL));
	base_diag_init(&diag);
	paper = reproduce_described_read(path, EXPERIMENT_QUICK, &diag);
	*published = reproduce_published_read(dir, true, &diag);
	if (paper && *published && !reproduce_described_check(paper, *published, &diag)) {
		reproduce_described_free(paper);
		paper = NULL;
	}
	g_unlink(path);
	g_unlink(csv);
	g_rmdir(dir);
	assert_true(!paper == (diag.error_count > 0));
	*said = base_diag_join(&diag);
	base_diag_free(&diag);
	return paper;
}

static json_t *run_make(double time)
{
	return json_pack("{s:f, s:f, s:b, s:{s:f}}", "cycles", 1.0, "time_ps", time, "verified", 1, "stats", "a.b",
			 3.0);
}

static void numbers_are_those_of_runs(void **state)
{
	static const char text[] = HEAD "define: {more: 'A[stats.a.b] + A[stats.a.c]'}\n"
					"numbers: {N-1: {is: 'A[time_ps] / B[time_ps]', within: 0.5, as: C}}\n"
					"claims:\n"
					"- claim: C\n"
					"  text: '{=0} within {~0}, more than {=1:.1} and than B''s'\n"
					"  seen: '{0:.1} {1:+} {2}'\n"
					"  terms: [number: N-1, 'A[stats.a.b] > 2', 'A[time_ps] > B[time_ps]',"
					" more, 'or(A[stats.a.c], 4) = 3 within 1']\n";
	struct reproduce_published_set *published;
	g_autofree char *said = NULL, *lacks = NULL;
	const struct reproduce_paper *paper = paper_make(text, results, &published, &said);
	struct reproduce_data *d;
	struct reproduce_outcomes o;
	struct base_diag_list diag;

	(void)state;
	assert_string_equal(said, "");
	assert_string_equal(reproduce_arguments(paper, 0, 0), "-q");
	assert_string_equal(paper->configs[1].sets, "a.b=1");
	d = reproduce_data_new(paper);
	d->runs[0] = run_make(500);
	d->runs[1] = run_make(200);
	o = reproduce_judge(d, published);
	assert_true(o.items[0].measured == 2.5);
	assert_int_equal(o.items[0].status, REPRODUCE_SAME);
	assert_int_equal(o.items[1].status, REPRODUCE_PASS);
	assert_string_equal(o.items[1].text, "2 within 0.5, more than 2.0 and than B's");
	assert_string_equal(o.items[1].note, "2.5 +3 500");
	reproduce_outcomes_free(&o);
	/* What is only shown may be missing; that the run has no such field is told all the same, with its place. */
	base_diag_init(&diag);
	assert_true(reproduce_described_lacks(paper, &diag));
	lacks = base_diag_join(&diag);
	assert_non_null(strstr(lacks, "paper.yaml:3:"));
	assert_non_null(strstr(lacks, ": error: the run A has no field stats.a.c"));
	base_diag_free(&diag);
	/* A run that is not verified is in no number, and lacks nothing. */
	json_object_set_new(d->runs[1], "verified", json_false());
	o = reproduce_judge(d, published);
	assert_int_equal(o.items[0].status, REPRODUCE_ABSENT);
	assert_int_equal(o.items[1].status, REPRODUCE_ABSENT);
	reproduce_outcomes_free(&o);
	reproduce_data_free(d);
	reproduce_published_free(published);
	reproduce_described_free(paper);
}

/* Each claim is one term, of A's 500 and B's 200. */
static void terms_stand_to_each_other(void **state)
{
	static const struct {
		const char *term;
		enum reproduce_status status;
	} cases[] = {
	    {"A[time_ps] = B[time_ps] within 300", REPRODUCE_PASS},
	    {"A[time_ps] = B[time_ps] within 299", REPRODUCE_FAIL},
	    {"A[time_ps] >= B[time_ps] + 300", REPRODUCE_PASS},
	    {"A[time_ps] >= B[time_ps] + 301", REPRODUCE_FAIL},
	    {"A[time_ps] > B[time_ps] + 300", REPRODUCE_FAIL},
	    {"B[time_ps] <= A[time_ps] - 300", REPRODUCE_PASS},
	    {"B[time_ps] < A[time_ps] - 300", REPRODUCE_FAIL},
	    {"A[time_ps] > none", REPRODUCE_ABSENT},
	};
	g_autoptr(GString) text = g_string_new(HEAD NUMBERS "claims:\n");
	struct reproduce_published_set *published;
	g_autofree char *said = NULL;
	const struct reproduce_paper *paper;
	struct reproduce_outcomes o;
	struct reproduce_data *d;

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		g_string_append_printf(text, "- {claim: C%zu, text: t, seen: s, terms: ['%s']}\n", i, cases[i].term);
	paper = paper_make(text->str, results, &published, &said);
	assert_string_equal(said, "");
	d = reproduce_data_new(paper);
	d->runs[0] = run_make(500);
	d->runs[1] = run_make(200);
	o = reproduce_judge(d, published);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		if (o.items[1 + i].status != cases[i].status)
			fail_msg("%s is %s", cases[i].term, reproduce_status_name(o.items[1 + i].status));
	reproduce_outcomes_free(&o);
	reproduce_data_free(d);
	reproduce_published_free(published);
	reproduce_described_free(paper);
}

/* Words by index; none where there is no such word. A term on the other side of where it turns says the opposite. */
static void terms_have_words_and_turns(void **state)
{
	static const char text[] = HEAD NUMBERS "claims:\n"
						"- claim: C\n"
						"  text: t\n"
						"  seen: '{0:s} {1:s} {2:s}'\n"
						"  terms:\n"
						"  - {is: 'A[time_ps] - 499', words: [one, two, three]}\n"
						"  - {is: 'B[time_ps] - 100', words: [one]}\n"
						"  - {is: 'A[time_ps] - 499 < 1', words: [one, two]}\n"
						"- claim: D\n"
						"  text: t\n"
						"  seen: s\n"
						"  terms: [{is: '0 - B[time_ps] > 10', turn: 0}]\n"
						"- claim: E\n"
						"  text: t\n"
						"  seen: s\n"
						"  terms: ['0 - B[time_ps] > 10', {is: 'B[time_ps] > 201', turn: 0}]\n";
	struct reproduce_published_set *published;
	g_autofree char *said = NULL;
	const struct reproduce_paper *paper = paper_make(text, results, &published, &said);
	struct reproduce_outcomes o;
	struct reproduce_data *d;

	(void)state;
	assert_string_equal(said, "");
	d = reproduce_data_new(paper);
	d->runs[0] = run_make(500);
	d->runs[1] = run_make(200);
	o = reproduce_judge(d, published);
	assert_string_equal(o.items[1].note, "two - two");
	assert_int_equal(o.items[1].status, REPRODUCE_FAIL);
	assert_true(o.items[2].numbers.is_contrary);
	assert_false(o.items[3].numbers.is_contrary);
	reproduce_outcomes_free(&o);
	reproduce_data_free(d);
	reproduce_published_free(published);
	reproduce_described_free(paper);
}

static void mistakes_have_places(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"title: T\n", "paper.yaml:1:1: error: a paper needs `runs:`"},
		{"[1]\n", "not a paper: expected `title:`, `runs:`, ..."},
		{HEAD NUMBERS "claim: []\n", "paper.yaml:4:1: error: a paper has no 'claim'; did you mean 'claims'?"},
		{HEAD "numbers: {N-1: {is: 'A[time_ps] /'}}\n", "paper.yaml:3:34: error: expected a number, a run"},
		{HEAD "numbers: {N-1: {within: 1}}\n", "paper.yaml:3:11: error: the number 'N-1' needs `is:`"},
		{HEAD "numbers: {N-1: {is: 1, within: x}}\n",
		 "paper.yaml:3:32: error: 'x' is no number: expected a tolerance"},
		{HEAD "numbers: {N-1: {is: 1, as: X}}\n", "paper.yaml:3:11: error: N-1 is as 'X', which is no claim"},
		{HEAD "numbers: {N-2: {is: 1}}\n", "paper.yaml:3:11: error: 'N-2' is no number of results.csv"},
		{HEAD "numbers: {N-2: {is: 1}}\n", "'N-1' of results.csv is not in `numbers:`"},
		{HEAD NUMBERS "claims: [{claim: C, text: t, terms: [1]}]\n",
		 "paper.yaml:4:10: error: a claim needs `seen:`"},
		{HEAD NUMBERS "claims: [{claim: C, text: '{1}', seen: s, terms: [1]}]\n",
		 "paper.yaml:4:27: error: '{1}': expected {0}, {=0} or {~0}, a term's number from 0 to 0"},
		{HEAD NUMBERS "claims: [{claim: C, text: '{0:s}', seen: s, terms: [1]}]\n", "'{0:s}': expected {0}"},
		{HEAD NUMBERS "claims: [{claim: C, text: '{0', seen: s, terms: [1]}]\n", "'{0': expected {0}"},
		{HEAD NUMBERS "claims: [{claim: C, text: t, seen: s, terms: [number: N-3]}]\n",
		 "paper.yaml:4:55: error: 'N-3' is none of `numbers:`"},
		{HEAD NUMBERS "claims: [{claim: C, text: t, seen: s, terms: [{is: 1, number: N-1}]}]\n",
		 "paper.yaml:4:47: error: a term is an expression, {number: ID}, or {is: EXPRESSION"},
		{HEAD NUMBERS "claims: [{claim: C, text: t, seen: s, terms: [{is: 1, turn: x}]}]\n",
		 "'x' is no number: expected where the answer turns round"},
		{HEAD NUMBERS "claims: [{claim: C, text: '{=0:s}', seen: s, terms: [{is: 1, words: [a, b]}]}]\n",
		 "'{=0:s}': expected {0}"},
		{HEAD NUMBERS "claims: [{claim: C, text: t, seen: s, terms: []}]\n",
		 "error: expected 1 to 6 terms, found 0"},
		{HEAD NUMBERS "claims: [{claim: C, text: t, seen: s, terms: ['1 = 1 within A[x]']}]\n",
		 "expected a tolerance that no run decides"},
		{HEAD NUMBERS "charts: [{title: t, groups: [a, b], bars: [{bar: b, is: '[1, 2, 3]'}]}]\n",
		 "paper.yaml:4:58: error: expected 2 numbers, found 3"},
		{HEAD "numbers: {N-1: {is: 1, noted: 2}}\n", "paper.yaml:3:31: error: `noted:` goes with `note:`"},
		{HEAD "numbers: {N-1: {is: 1, note: '{1}', noted: 2}}\n", "'{1}': expected {0}"},
		{HEAD NUMBERS "figures: [{title: t, plot: bars, of: [A]}]\n",
		 "paper.yaml:4:28: error: 'bars': expected speedup, traffic, energy or blocks"},
		{HEAD NUMBERS "figures: [{title: t, plot: speedup, of: [C]}]\n",
		 "paper.yaml:4:42: error: no run is called 'C'"},
		{HEAD NUMBERS "scatters: [{title: t, x: a, y: b, series: [s], points: few}]\n",
		 "paper.yaml:4:56: error: no model has points 'few'"},
		{HEAD NUMBERS "scatters: [{title: t, x: a, series: [s], points: few}]\n",
		 "paper.yaml:4:12: error: a scatter needs `y:`"},
		{HEAD NUMBERS "charts: [{title: t, groups: [a, b], bars: [{bar: b}]}]\n",
		 "paper.yaml:4:44: error: a bar needs `is:`"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct reproduce_published_set *published;
		g_autofree char *said = NULL;

		assert_null(paper_make(cases[i].text, results, &published, &said));
		if (!strstr(said, cases[i].message))
			fail_msg("case %zu says: %s", i, said);
		if (published)
			reproduce_published_free(published);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ours_are_whole),
	    cmocka_unit_test(statistics_are_there),
	    cmocka_unit_test(numbers_are_those_of_runs),
	    cmocka_unit_test(terms_stand_to_each_other),
	    cmocka_unit_test(terms_have_words_and_turns),
	    cmocka_unit_test(mistakes_have_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
