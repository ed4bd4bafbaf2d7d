/* why.c - strata why: where a run's time goes, what bounds it, and what each resource would be worth if it were ideal.
 */
#include "cli/command.h"

#include "base/check.h"
#include "cli/batch.h"
#include "cli/input.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "cli/scratch.h"
#include "cli/timeout.h"
#include "cli/why_gap.h"
#include "machine/explain.h"
#include "machine/memories.h"
#include "machine/parts.h"
#include "report/report.h"
#include "report/runs.h"
#include "report/why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MAX = 4096, STATS_SHOWN = 20, CASES_MAX = 63 };

static const struct cli_about about = {
    .name = "why",
    .usage = "strata why [--machine M] [--set K=V] WORKLOAD | -- PROGRAM [ARGS]\n"
	     "       strata why RUN [RUN] [--try]",
    .summary =
	"Runs a program and says where its time went, what each resource alone would need, and, by running it\n"
	"again with one resource after the other made ideal, what each of them is worth. Of RUNs in the store (a\n"
	"number, last, last-1, ...) it says the same without new runs, and of two also what differs; with --try\n"
	"by new runs, each with one of the differences, which of them makes which part of the gap.",
    .examples = "  strata why --machine tom-ctrl-tmap kmeans\n"
	"  strata why last-1 last\n"
	"  strata why last-1 last --try",
};

struct why_options {
	const char *machine, *json, *size, *timeout, *jobs;
	GPtrArray *sets;
	struct cli_verify verify;
	bool has_no_cases, tries;
	uint32_t slots;
};

/* ---- machines with an ideal resource ---- */

/* The setting with the name of the machine's first memory; NULL: it has none. */
static char *named(const struct machine_config *config, const char *setting)
{
	static const char first[] = "MEMORY.";
	const struct machine_memories *memories;

	if (!g_str_has_prefix(setting, first))
		return g_strdup(setting);
	memories = machine_memories_of(config);
	return memories->count
		   ? g_strconcat(memories->items[0].name, ".", setting + strlen(first), NULL)
		   : NULL;
}

/* A parameter's value on this machine, and the largest that it may have; false: the machine has no such parameter. */
static bool value_of(struct machine_config *config, const char *key, double *value, double *max)
{
	const struct sim_param_group *group;
	const struct sim_param_desc *row;
	struct sim_param_groups groups;

	machine_config_groups(config, &groups);
	row = sim_param_groups_find(&groups, key, &group);
	if (!row)
		return false;
	*value = sim_param_value(group, row);
	*max = row->max;
	return true;
}

/* "KEY*N" or "KEY=OTHER*N" as "KEY=VALUE" of this machine; NULL: it has no such parameter. */
static char *multiplied(struct machine_config *config, const char *setting)
{
	const char *star = strchr(setting, '*'), *equals = strchr(setting, '=');
	g_autofree char *key = g_strndup(setting, (size_t)((equals ? equals : star) - setting));
	g_autofree char *from = equals ? g_strndup(equals + 1, (size_t)(star - equals - 1)) : g_strdup(key);
	double value, own, max, ignored;

	if (!value_of(config, key, &own, &max) || !value_of(config, from, &value, &ignored))
		return NULL;
	return g_strdup_printf("%s=%.0f", key, MIN(value * strtod(star + 1, NULL), max));
}

/* "KEY=VALUE"; false: there is no such parameter, or it has no such value. */
static bool set(struct machine_config *config, const char *text, struct base_diag_list *diag)
{
	const char *equals = text ? strchr(text, '=') : NULL;
	g_autofree char *key = equals ? g_strndup(text, (size_t)(equals - text)) : NULL;

	return key && machine_config_set(config, key, equals + 1, (struct base_place){0}, diag);
}

/* Does setting it change nothing? */
static bool has_value(const struct machine_config *config, const char *text, struct base_diag_list *diag)
{
	struct machine_config changed = *config;

	return set(&changed, text, diag) && !memcmp(&changed, config, sizeof(changed));
}

/* One setting of a case; it is added to done as it is on this machine. */
static bool setting_apply(struct machine_config *config, const char *setting, GString *done,
			  struct base_diag_list *diag)
{
	g_autofree char *name = NULL, *text = NULL;

	if (*setting == '?')
		return has_value(config, setting + 1, diag);
	name = named(config, setting);
	text = name && strchr(name, '*') ? multiplied(config, name) : g_strdup(name);
	if (!text || has_value(config, text, diag))
		return text;
	g_string_append_printf(done, "%s%s", done->len ? " " : "", text);
	return set(config, text, diag);
}

/* What the case sets on this machine, "KEY=VALUE KEY=VALUE"; NULL: it changes nothing here, or makes no machine. */
static char *case_apply(const struct sim_explain_case *c, struct machine_session *session)
{
	g_auto(GStrv) settings = g_strsplit(c->settings, " ", -1);
	GString *done = g_string_new(NULL);
	struct base_diag_list diag;
	bool is_ok = true;

	base_diag_init(&diag);
	for (char **setting = settings; is_ok && *setting; setting++)
		is_ok = !**setting || setting_apply(&session->config, *setting, done, &diag);
	is_ok = is_ok && done->len && machine_config_check(&session->config, &diag);
	base_diag_free(&diag);
	return g_string_free(done, !is_ok);
}

/* ---- runs ---- */

struct work {
	const struct why_options *options;
	const struct cli_target *target;
	struct cli_batch batch;
	struct machine_session *sessions; /* by job: the machine itself, then the cases */
	const struct sim_explain_case *of[CASES_MAX + 1];
	char *setting[CASES_MAX + 1]; /* what it sets */
	char *input;
	bool is_kept;
};

static void keep(void *ctx, struct cli_job *job)
{
	struct work *w = ctx;

	/* A machine that nobody has asked for is not among the user's runs. */
	if (job == w->batch.jobs && !cli_runs_keep(job->results))
		w->is_kept = false;
}

static uint32_t machines_make(struct work *w, const struct machine_session *base)
{
	struct machine_explain rows;
	uint32_t count = 1;

	w->sessions[0] = *base;
	if (w->options->has_no_cases)
		return count;
	machine_explain_of(&base->config, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		for (const struct sim_explain_case *c = rows.items[i]->cases; c->name; c++) {
			CHECK(count <= CASES_MAX);
			w->sessions[count] = *base;
			w->setting[count] = case_apply(c, &w->sessions[count]);
			if (!w->setting[count])
				continue;
			w->of[count] = c;
			count++;
		}
	return count;
}

static bool jobs_make(struct work *w, const char *scratch, uint32_t count)
{
	w->batch.job_count = count;
	w->batch.jobs = g_new0(struct cli_job, count);
	for (uint32_t i = 0; i < count; i++) {
		w->batch.jobs[i] = (struct cli_job){.target = w->target,
						    .machine = &w->sessions[i],
						    .is_captured = true,
						    .verify = w->options->verify,
						    .input_path = w->input};
		if (!cli_job_prepare(&w->batch.jobs[i], scratch, i))
			return false;
	}
	return true;
}

/* ---- what is printed ---- */

static int by_speedup(const void *left, const void *right)
{
	const json_t *const *a = left, *const *b = right;
	const double x = report_number(*a, "speedup", NULL), y = report_number(*b, "speedup", NULL);

	return x > y ? -1 : x < y;
}

static double ratio(const json_t *base, const json_t *run, const char *key)
{
	const double time_ps = report_number(run, key, NULL);

	return time_ps > 0 ? report_number(base, key, NULL) / time_ps : 0;
}

static json_t *experiment(const struct work *w, uint32_t i, const json_t *base)
{
	const json_t *run = w->batch.jobs[i].result;
	const struct sim_explain_case *c = w->of[i];
	json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:b, s:f, s:f, s:f, s:b}", "name", c->name, "what", c->what,
				"settings", c->settings, "setting", w->setting[i], "is_best", c->is_best, "time_ps",
				report_number(run, "time_ps", NULL), "speedup", ratio(base, run, "time_ps"),
				"program_speedup", ratio(base, run, "total_time_ps"), "verified",
				json_is_true(json_object_get(run, "verified")));

	if (c->when && report_why_holds(base, c->when))
		json_object_set_new(row, "times", json_real(c->times));
	return row;
}

static json_t *what_if(const struct work *w)
{
	const json_t *base = w->batch.jobs[0].result;
	json_t *out = json_array();
	g_autofree json_t **all = g_new(json_t *, w->batch.job_count + 1);
	uint32_t count = 0;

	for (uint32_t i = 1; i < w->batch.job_count; i++)
		if (cli_job_is_finished(&w->batch.jobs[i]))
			all[count++] = experiment(w, i, base);
	qsort(all, count, sizeof(all[0]), by_speedup);
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(out, all[i]);
	return out;
}

static int report(struct work *w)
{
	const struct cli_job *base = &w->batch.jobs[0];
	int exit_status = w->is_kept ? CLI_OK : CLI_UNABLE;
	json_t *why, *rows;

	if (!cli_job_is_finished(base) || !report_has_run(base->result)) {
		if (w->batch.is_interrupted) {
			cli_error("why: interrupted before the program had ended: there is nothing to explain");
			return CLI_INTERRUPTED;
		}
		cli_error("why: the program has no results on this machine: there is nothing to explain");
		return CLI_FAILED;
	}
	if (report_is_untimed(base->result)) {
		cli_error("why: nothing of the program was timed: there is nothing to explain");
		return CLI_USAGE;
	}
	why = report_why(base->result, NULL);
	rows = what_if(w);
	report_why_try(why, base->result, rows);
	report_cause_print(stdout, why);
	report_summary_print(stdout, base->result);
	report_what_if_print(stdout, rows);
	report_why_print(stdout, why);
	json_object_set_new(why, "what_if", rows);
	json_object_set(why, "run", base->result);
	if (!cli_json_keep(w->options->json, why))
		exit_status = CLI_UNABLE;
	if (w->batch.is_interrupted) {
		cli_error("why: interrupted: %zu of %u machines with an ideal resource have run", json_array_size(rows),
			  w->batch.job_count - 1);
		json_decref(why);
		return CLI_INTERRUPTED;
	}
	json_decref(why);
	return exit_status == CLI_OK && cli_job_not_verified(base) ? CLI_FAILED : exit_status;
}

static int run_all(struct work *w, const struct cli_paths *paths, const struct machine_session *base)
{
	char *scratch = cli_scratch_make();
	int exit_status = CLI_UNABLE;
	uint32_t count;

	if (!scratch)
		return CLI_UNABLE;
	w->batch = (struct cli_batch){.paths = paths, .done = keep, .ctx = w, .slots = w->options->slots};
	w->sessions = g_new(struct machine_session, CASES_MAX + 1);
	w->is_kept = true;
	count = machines_make(w, base);
	w->input = w->target->is_self_checking ? NULL : cli_input_copy(scratch);
	if ((w->target->is_self_checking || w->input) && jobs_make(w, scratch, count)) {
		cli_batch_run(&w->batch);
		exit_status = w->batch.exit_status == CLI_OK ? report(w) : w->batch.exit_status;
	}
	for (uint32_t i = 0; i < w->batch.job_count; i++)
		cli_job_free(&w->batch.jobs[i]);
	g_free(w->batch.jobs);
	for (uint32_t i = 0; i <= CASES_MAX; i++)
		g_free(w->setting[i]);
	g_free(w->sessions);
	g_free(w->input);
	cli_scratch_remove(scratch);
	return exit_status;
}

/* With the account on, where the machine can have it, unless the user says something else. */
static bool machine_load(const struct cli_paths *paths, struct why_options *o, const struct cli_target *target,
			 struct machine_session *out)
{
	static char on[] = "run.account=true";
	const char *name = o->machine ? o->machine : cli_target_machine(target);

	if (!cli_machine_load(paths, name, o->sets, out))
		return false;
	if (!machine_config_has_account(&out->config))
		return true;
	g_ptr_array_insert(o->sets, 0, on);
	return cli_machine_load(paths, name, o->sets, out);
}

static int of_program(const struct cli_paths *paths, struct why_options *o, const struct cli_words *words)
{
	GPtrArray *targets = g_ptr_array_new();
	struct work w = {.options = o};
	int exit_status = CLI_USAGE;
	g_autofree struct machine_session *session = g_new0(struct machine_session, 1);

	if (cli_timeout_add(about.name, o->timeout, o->sets) &&
	    cli_number_parse(about.name, "jobs", o->jobs, SLOTS_MAX, &o->slots) &&
	    cli_targets_resolve(paths, about.name, words->words, words->program, o->size, targets) &&
	    machine_load(paths, o, targets->pdata[0], session) &&
	    cli_store_check(about.name)) {
		w.target = targets->pdata[0];
		exit_status = run_all(&w, paths, session);
	}
	cli_targets_free(targets);
	return exit_status;
}

/* ---- runs of the store ---- */

static bool is_run(const char *word)
{
	return g_ascii_isdigit(*word) || !strcmp(word, "last") || g_str_has_prefix(word, "last-");
}

static json_t *stored(const char *word, int *exit_status)
{
	json_t *run = cli_run_stored(about.name, word, exit_status);

	if (run && (!report_has_run(run) || report_is_untimed(run))) {
		cli_error("why: %s of run %s: there is nothing to explain",
			  report_has_run(run) ? "nothing was timed" : "there are no results", word);
		*exit_status = CLI_USAGE;
		json_decref(run);
		run = NULL;
	}
	return run;
}

static int of_runs(const struct cli_paths *paths, struct why_options *o, const GPtrArray *words)
{
	json_t *runs[2] = {NULL, NULL}, *out = json_array(), *difference = NULL;
	int exit_status = CLI_OK;

	for (uint32_t i = 0; i < words->len && exit_status == CLI_OK; i++) {
		int failed;

		runs[i] = stored(words->pdata[i], &failed);
		if (!runs[i])
			exit_status = failed;
	}
	/* Of two the question is what makes the difference: that comes first. */
	if (exit_status == CLI_OK && words->len == 2) {
		difference = report_runs_difference(runs[0], runs[1]);
		if (o->tries)
			exit_status = cli_why_gap(paths, runs[0], runs[1], difference, o->slots);
	}
	if (exit_status == CLI_OK && words->len == 2) {
		report_runs_difference_print(stdout, difference, STATS_SHOWN);
		putchar('\n');
	}
	for (uint32_t i = 0; i < words->len && exit_status == CLI_OK; i++) {
		json_t *why = report_why(runs[i], runs[1 - i]);

		report_summary_print(stdout, runs[i]);
		report_why_print(stdout, why);
		json_array_append_new(out, why);
	}
	if (difference)
		json_array_append_new(out, difference);
	if (exit_status == CLI_OK && !cli_json_keep(o->json, out))
		exit_status = CLI_UNABLE;
	json_decref(runs[0]);
	json_decref(runs[1]);
	json_decref(out);
	return exit_status;
}

/* ---- the command line ---- */

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct why_options *o = ctx;
	const GPtrArray *w = words->words;
	const bool is_stored = !words->program && w->len && is_run(w->pdata[0]);

	if (!cli_output_check(about.name, "json", o->json))
		return CLI_USAGE;
	if (is_stored && w->len > 2) {
		cli_error("why: one run, or two");
		return CLI_USAGE;
	}
	if (is_stored && (o->machine || o->sets->len || o->timeout || o->size || o->has_no_cases ||
			  o->verify.command || o->verify.text || (o->jobs && !o->tries))) {
		cli_error("why: a run in the store has its machine and settings: --json is the only option here, and "
			  "of two --try");
		return CLI_USAGE;
	}
	if (o->tries && (!is_stored || w->len != 2)) {
		cli_error("why: --try: expected two runs of the store");
		return CLI_USAGE;
	}
	if (is_stored)
		return cli_number_parse(about.name, "jobs", o->jobs, SLOTS_MAX, &o->slots) ? of_runs(paths, o, w)
											   : CLI_USAGE;
	if (!words->program && w->len > 1) {
		cli_error("why: one workload at a time");
		return CLI_USAGE;
	}
	return of_program(paths, o, words);
}

int cli_why(int argc, char **argv)
{
	struct why_options o = {0};
	const struct cli_option options[] = {
	    {"machine", CLI_TEXT, &o.machine, "M", "the machine: a name or a .yaml file (default tom-baseline)", 0},
	    {"set", CLI_LIST, &o.sets, "K=V", "override one parameter; may be given several times", 0},
	    {"size", CLI_TEXT, &o.size, "S", "a workload's input size: small (default) or paper", 0},
	    CLI_TIMEOUT_OPTION(&o.timeout),
	    CLI_VERIFY_OPTIONS(o.verify),
	    {"try", CLI_FLAG, &o.tries, NULL, "of two runs: by new runs, the part of the gap of each difference", 0},
	    {"no-what-if", CLI_FLAG, &o.has_no_cases, NULL, "one run, none with ideal resources", 0},
	    {"jobs", CLI_TEXT, &o.jobs, "N", "at most N runs side by side (default: the cores it may use)", 'j'},
	    {"json", CLI_TEXT, &o.json, "FILE", "write all of it there", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
