/* why_gap.c - each difference by itself, in both directions: what it adds to the first run, and what the second is
 * spared without it. What it does in both is its part of the gap; what the parts leave, differences do together. */
#include "cli/why_gap.h"

#include "cli/batch.h"
#include "cli/scratch.h"
#include "report/report.h"
#include "report/runs.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { CAUSES_MAX = 24, ENDS = 2 };

static const double ps_per_us = 1e6, small = 0.05;

struct cause {
	const json_t *pair; /* of the difference: name, a, b */
	int jobs[ENDS];	    /* on a's machine with b's value, on b's with a's; -1: that is no machine */
};

struct gap {
	const json_t *runs[ENDS];
	struct cause causes[CAUSES_MAX];
	uint32_t cause_count;
	GPtrArray *targets;
	struct machine_session *sessions; /* by job: the two machines, then those between them */
	struct cli_batch batch;
	char *scratch;
};

/* ---- what is run ---- */

static bool refuse(const char *why)
{
	cli_error("why: --try: %s", why);
	return false;
}

static bool is_set(const json_t *run, const char *key)
{
	const json_t *value = json_object_get(run, key);

	return value && !json_is_null(value);
}

static bool can_run_again(const json_t *a, const json_t *b)
{
	if (!report_is_same_work(a, b))
		return refuse("the two runs are not of the same program with the same arguments and input, or of the "
			      "same part of it");
	if (!json_is_true(json_object_get(a, "verified")) || !json_is_true(json_object_get(b, "verified")))
		return refuse("a run that is not verified says nothing of time");
	if (!(report_number(a, "time_ps", NULL) > 0 && report_number(b, "time_ps", NULL) > 0))
		return refuse("of one of the runs nothing was timed");
	if (report_number(a, "process", NULL) > 1)
		return refuse("the runs are of a process that another one has started");
	if (!is_set(a, "program_path") || !is_set(a, "machine_text") || !is_set(b, "machine_text"))
		return refuse("the results do not say what has run, and on which machine");
	return true;
}

/* A parameter as --set has it; NULL: one of the machines has not got it. */
static char *setting_of(const json_t *pair, const char *side)
{
	const char *name = json_string_value(json_object_get(pair, "name"));
	const json_t *value = json_object_get(pair, side);

	if (json_is_string(value))
		return g_strdup_printf("%s=%s", name, json_string_value(value));
	if (json_is_boolean(value))
		return g_strdup_printf("%s=%s", name, json_is_true(value) ? "true" : "false");
	if (json_is_integer(value))
		return g_strdup_printf("%s=%" JSON_INTEGER_FORMAT, name, json_integer_value(value));
	return json_is_real(value) ? g_strdup_printf("%s=%.17g", name, json_real_value(value)) : NULL;
}

static bool machine_of(struct gap *g, const struct cli_paths *paths, uint32_t end)
{
	g_autofree char *path = g_strdup_printf("%s/%s.yaml", g->scratch, end ? "second" : "first");
	g_autoptr(GPtrArray) sets = g_ptr_array_new();

	if (!g_file_set_contents(path, json_string_value(json_object_get(g->runs[end], "machine_text")), -1, NULL)) {
		cli_error("why: cannot write %s: %s", path, strerror(errno));
		return false;
	}
	return cli_machine_load(paths, path, sets, &g->sessions[end]);
}

/* The machine of one end with the other's value; false: there is no such machine. */
static bool between(struct gap *g, const json_t *pair, uint32_t end, struct machine_session *out)
{
	g_autofree char *setting = setting_of(pair, end ? "a" : "b");
	char *value = setting ? strchr(setting, '=') : NULL;
	struct base_diag_list diag;
	bool is_ok;

	if (!value)
		return false;
	*value++ = '\0';
	*out = g->sessions[end];
	base_diag_init(&diag);
	is_ok = machine_config_set(&out->config, setting, value, (struct base_place){0}, &diag) &&
		machine_config_check(&out->config, &diag);
	base_diag_free(&diag);
	return is_ok;
}

static bool causes_find(struct gap *g, const json_t *params)
{
	json_t *pair;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)params, i, pair) {
		if (report_only_looks(json_string_value(json_object_get(pair, "name"))))
			continue;
		if (g->cause_count == CAUSES_MAX)
			return refuse("more than 24 parameters differ");
		g->causes[g->cause_count++] = (struct cause){.pair = pair, .jobs = {-1, -1}};
	}
	return g->cause_count || refuse("no parameter differs that decides anything");
}

static void machines_make(struct gap *g)
{
	uint32_t count = ENDS;

	for (uint32_t i = 0; i < g->cause_count; i++)
		for (uint32_t end = 0; end < ENDS; end++)
			if (between(g, g->causes[i].pair, end, &g->sessions[count]))
				g->causes[i].jobs[end] = (int)count++;
	g->batch.job_count = count;
}

static bool target_find(struct gap *g, const struct cli_paths *paths)
{
	const json_t *args = json_object_get(g->runs[0], "args");
	g_autofree char **argv = g_new0(char *, json_array_size(args) + 2);
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	json_t *arg;
	size_t i;

	argv[0] = (char *)(uintptr_t)json_string_value(json_object_get(g->runs[0], "program_path"));
	json_array_foreach((json_t *)(uintptr_t)args, i, arg)
		argv[i + 1] = (char *)(uintptr_t)json_string_value(arg);
	return cli_targets_resolve(paths, "why", none, argv, NULL, g->targets);
}

static bool jobs_run(struct gap *g)
{
	g->batch.jobs = g_new0(struct cli_job, g->batch.job_count);
	for (uint32_t i = 0; i < g->batch.job_count; i++) {
		g->batch.jobs[i] = (struct cli_job){
		    .target = g->targets->pdata[0], .machine = &g->sessions[i], .is_captured = true};
		if (!cli_job_prepare(&g->batch.jobs[i], g->scratch, i))
			return false;
	}
	cli_batch_run(&g->batch);
	return true;
}

/* ---- what it says ---- */

/* NAN: it did not run, or not well. */
static double time_of(const struct gap *g, int job)
{
	const struct cli_job *j = job < 0 ? NULL : &g->batch.jobs[job];
	double time_ps;

	if (!j || !cli_job_is_finished(j) || cli_job_not_verified(j))
		return NAN;
	time_ps = report_number(j->result, "time_ps", NULL);
	return time_ps > 0 ? time_ps : NAN;
}

static json_t *number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

/* What there is in both; of what was tried in one direction only, what it was there. */
static double common_of(double x, double y)
{
	if (isnan(x) || isnan(y))
		return isnan(x) ? y : x;
	if (x * y <= 0)
		return 0;
	return fabs(x) < fabs(y) ? x : y;
}

static json_t *gap_json(const struct gap *g)
{
	const double a = time_of(g, 0), b = time_of(g, 1);
	json_t *rows = json_array(), *left = json_array(), *row;
	double sum = 0;
	size_t at;

	for (uint32_t i = 0; i < g->cause_count; i++) {
		const struct cause *c = &g->causes[i];
		const double added = time_of(g, c->jobs[0]) - a, spared = b - time_of(g, c->jobs[1]);
		const double worth = common_of(added, spared);
		json_t *name = json_object_get(c->pair, "name");

		if (isnan(worth)) {
			json_array_append(left, name);
			continue;
		}
		sum += worth;
		row = json_pack("{s:O, s:O, s:O, s:o, s:o, s:f, s:f, s:f}", "name", name, "a",
				json_object_get(c->pair, "a"), "b", json_object_get(c->pair, "b"), "added_ps",
				number(added), "spared_ps", number(spared), "worth_ps", worth, "share",
				b != a ? worth / (b - a) : 0, "size", fabs(worth));
		report_insert(rows, "size", row);
	}
	json_array_foreach(rows, at, row)
		json_object_del(row, "size");
	return json_pack("{s:f, s:f, s:f, s:o, s:f, s:o}", "a_ps", a, "b_ps", b, "gap_ps", b - a, "parts", rows,
			 "together_ps", b - a - sum, "not_tried", left);
}

static void print_part(const json_t *row, const char *key)
{
	fputc(' ', stdout);
	if (report_has(row, key, NULL))
		printf("%+13.3f", report_number(row, key, NULL) / ps_per_us);
	else
		printf("%13s", "-");
}

/* In words: what makes most of it. */
static void print_largest(const json_t *gap)
{
	const json_t *first = json_array_get(json_object_get(gap, "parts"), 0);
	const double share = report_number(first, "share", NULL);

	const double gap_us = report_number(gap, "gap_ps", NULL) / ps_per_us;

	if (share >= small)
		printf("%.0f %% of the gap of %+.3f us is %s alone.\n", 100 * share, gap_us,
		       json_string_value(json_object_get(first, "name")));
	else
		printf("None of the differences makes the gap of %+.3f us alone.\n", gap_us);
}

static void print_gap(const json_t *gap)
{
	const double whole = report_number(gap, "gap_ps", NULL);
	const json_t *row;
	size_t i;

	print_largest(gap);
	printf("which difference makes which part of %+.3f us\n  %-34s %13s %13s %13s\n", whole / ps_per_us, "",
	       "adds us", "spares us", "part us");
	json_array_foreach(json_object_get(gap, "parts"), i, row) {
		printf("  %-34s", json_string_value(json_object_get(row, "name")));
		print_part(row, "added_ps");
		print_part(row, "spared_ps");
		print_part(row, "worth_ps");
		printf("  %5.1f %%\n", 100 * report_number(row, "share", NULL));
	}
	printf("  %-34s %13s %13s", "what several of them do together", "", "");
	print_part(gap, "together_ps");
	printf("  %5.1f %%\n", whole != 0 ? 100 * report_number(gap, "together_ps", NULL) / whole : 0);
	json_array_foreach(json_object_get(gap, "not_tried"), i, row)
		printf("  %-34s by itself makes no machine, or none that runs this program\n", json_string_value(row));
	putchar('\n');
}

/* The ends are run again: where they take another time they are other runs, by their input or by the program. */
static bool are_those(const struct gap *g)
{
	for (uint32_t end = 0; end < ENDS; end++) {
		const double stored = report_number(g->runs[end], "time_ps", NULL), now = time_of(g, (int)end);

		if (stored == now)
			continue;
		cli_error("why: --try: the %s run took %.3f us and takes %.3f now: its program, its input or Strata is "
			  "another; run both again",
			  end ? "second" : "first", stored / ps_per_us, now / ps_per_us);
		return false;
	}
	return true;
}

static int gap_say(const struct gap *g, json_t *difference)
{
	json_t *gap;

	if (g->batch.exit_status != CLI_OK)
		return g->batch.exit_status;
	if (g->batch.is_interrupted) {
		cli_error("why: interrupted: not all differences have been tried");
		return CLI_INTERRUPTED;
	}
	if (isnan(time_of(g, 0)) || isnan(time_of(g, 1))) {
		cli_error("why: --try: the program does not run as it did");
		return CLI_FAILED;
	}
	if (!are_those(g))
		return CLI_USAGE;
	gap = gap_json(g);
	print_gap(gap);
	json_object_set_new(difference, "gap", gap);
	return CLI_OK;
}

int cli_why_gap(const struct cli_paths *paths, const json_t *a, const json_t *b, json_t *difference, uint32_t slots)
{
	struct gap g = {.runs = {a, b}, .targets = g_ptr_array_new(), .batch = {.paths = paths, .slots = slots}};
	int exit_status = CLI_USAGE;

	if (can_run_again(a, b) && causes_find(&g, json_object_get(difference, "params")) &&
	    target_find(&g, paths)) {
		g.scratch = cli_scratch_make();
		g.sessions = g_new0(struct machine_session, ENDS + ENDS * CAUSES_MAX);
		exit_status = CLI_UNABLE;
		if (g.scratch && machine_of(&g, paths, 0) && machine_of(&g, paths, 1)) {
			machines_make(&g);
			exit_status = jobs_run(&g) ? gap_say(&g, difference) : CLI_UNABLE;
		}
	}
	for (uint32_t i = 0; g.batch.jobs && i < g.batch.job_count; i++)
		cli_job_free(&g.batch.jobs[i]);
	g_free(g.batch.jobs);
	g_free(g.sessions);
	cli_targets_free(g.targets);
	if (g.scratch)
		cli_scratch_remove(g.scratch);
	return exit_status;
}
