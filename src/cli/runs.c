/* runs.c - strata runs: what the run store holds. */
#include "cli/command.h"

#include "base/check.h"
#include "base/diag.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "report/report.h"
#include "report/runs.h"

#include <stdio.h>
#include <string.h>

enum { STATS_SHOWN = 20, LAST_MAX = 1000000000 };

static const struct cli_about about = {
    .name = "runs",
    .usage = "strata runs list [--workload W] [--machine M] [--verified] [--last N]\n"
	     "       strata runs show RUN  |  diff RUN RUN [--all]  |  rm RUN...  |  export [RUN...] --json F|--csv F",
    .summary =
	"Shows what the run store holds, and takes runs out of it.\n"
	"list    the runs in the store, oldest first\n"
	"show    the summary of one run again, as when it ended\n"
	"diff    what differs between two runs: what ran, parameters, results, statistics\n"
	"rm      takes runs out of the store\n"
	"export  all runs, or those named, as the JSON that run and compare write, or as a table\n"
	"RUN is the number that list prints, or last, last-1, ... The store is .strata/runs.db, or STRATA_STORE.",
    .examples = "  strata runs list --workload 'b*' --last 10\n"
	"  strata runs diff 1 2\n"
	"  strata runs export --csv all.csv",
};

struct runs_options {
	const char *json, *csv, *last;
	struct report_runs_filter filter;
	bool is_all;
};

static int fail(char *message, int status)
{
	cli_error("runs: %s", message);
	g_free(message);
	return status;
}

/* The number of a run that a word names; 0 after a message. */
static uint64_t number_of(const char *word)
{
	char *message;
	const uint64_t number = report_runs_number(cli_store_path(), word, &message);

	if (message)
		fail(message, CLI_USAGE);
	return number;
}

static int list(const struct runs_options *o, char **words, uint32_t count)
{
	char *message;
	json_t *runs = report_runs_list(cli_store_path(), &o->filter, &message);
	int status = CLI_OK;

	(void)words, (void)count;
	if (!runs)
		return fail(message, CLI_USAGE);
	message = report_runs_check(runs);
	if (message) {
		json_decref(runs);
		return fail(message, CLI_UNABLE);
	}
	if (o->json)
		status = cli_json_keep(o->json, runs) ? CLI_OK : CLI_UNABLE;
	else if (json_array_size(runs))
		report_runs_print(stdout, runs);
	else
		printf("no such run in %s\n", cli_store_path());
	json_decref(runs);
	return status;
}

static int show(const struct runs_options *o, char **words, uint32_t count)
{
	int status = CLI_OK;
	json_t *run = cli_run_stored(about.name, words[0], &status);

	(void)count;
	if (!run)
		return status;
	if (o->json)
		status = cli_json_keep(o->json, run) ? CLI_OK : CLI_UNABLE;
	else
		report_summary_print(stdout, run);
	json_decref(run);
	return status;
}

static int diff(const struct runs_options *o, char **words, uint32_t count)
{
	int status = CLI_USAGE;
	json_t *a = cli_run_stored(about.name, words[0], &status);
	json_t *b = a ? cli_run_stored(about.name, words[1], &status) : NULL;

	(void)count;
	if (b) {
		json_t *difference = report_runs_difference(a, b);

		status = CLI_OK;
		if (o->json)
			status = cli_json_keep(o->json, difference) ? CLI_OK : CLI_UNABLE;
		else
			report_runs_difference_print(stdout, difference, o->is_all ? UINT32_MAX : STATS_SHOWN);
		json_decref(difference);
	}
	json_decref(a);
	json_decref(b);
	return status;
}

/* All are looked for before the first one goes. */
static int rm(const struct runs_options *o, char **words, uint32_t count)
{
	g_autofree uint64_t *numbers = g_new(uint64_t, count);
	char *message;

	(void)o;
	for (uint32_t i = 0; i < count; i++)
		if (!(numbers[i] = number_of(words[i])))
			return CLI_USAGE;
	for (uint32_t i = 0; i < count; i++)
		if (!report_runs_remove(cli_store_path(), numbers[i], &message))
			return fail(message, CLI_USAGE);
	printf("%u %s taken out of %s\n", count, count == 1 ? "run" : "runs", cli_store_path());
	return CLI_OK;
}

/* The results of the runs named, or of all; NULL with the exit status after a message. */
static json_t *results_of(const struct runs_options *o, char **words, uint32_t count, int *status)
{
	json_t *runs = json_array(), *all, *head;
	char *message;
	size_t i;

	*status = CLI_UNABLE;
	for (uint32_t w = 0; w < count; w++)
		if (json_array_append_new(runs, cli_run_stored(about.name, words[w], status)))
			goto failed;
	if (count)
		return runs;
	all = report_runs_list(cli_store_path(), &o->filter, &message);
	*status = all ? CLI_UNABLE : CLI_USAGE;
	json_array_foreach(all, i, head) {
		const uint64_t number = (uint64_t)json_integer_value(json_object_get(head, "id"));

		if (json_array_append_new(runs, report_runs_get(cli_store_path(), number, &message)))
			break;
	}
	json_decref(all);
	if (!message)
		return runs;
	fail(message, *status);
failed:
	json_decref(runs);
	return NULL;
}

static int export(const struct runs_options *o, char **words, uint32_t count)
{
	int status;
	json_t *runs;

	if (!o->json && !o->csv) {
		cli_error("runs export: expected --json FILE or --csv FILE");
		return CLI_USAGE;
	}
	runs = results_of(o, words, count, &status);
	if (!runs)
		return status;
	status = cli_json_keep(o->json, runs) ? CLI_OK : CLI_UNABLE;
	if (o->csv) {
		g_autofree char *csv = report_runs_csv(runs);

		if (!cli_text_keep(o->csv, csv, strlen(csv)))
			status = CLI_UNABLE;
	}
	json_decref(runs);
	return status;
}

static const struct action {
	const char *name;
	uint32_t min, max; /* words */
	int (*run)(const struct runs_options *o, char **words, uint32_t count);
	const char *options; /* that it takes, beside --json */
} actions[] = {
    {"list", 0, 0, list, "workload machine verified last"},
    {"show", 1, 1, show, ""},
    {"diff", 2, 2, diff, "all"},
    {"rm", 1, UINT32_MAX, rm, ""},
    {"export", 0, UINT32_MAX, export, "workload machine verified last csv"},
};

static int unknown(const char *name)
{
	const char *names[ARRAY_COUNT(actions)], *nearest;

	for (size_t i = 0; i < ARRAY_COUNT(actions); i++)
		names[i] = actions[i].name;
	nearest = base_nearest_name(name, names, ARRAY_COUNT(names));
	if (nearest)
		cli_error("runs: unknown action '%s'; did you mean '%s'?", name, nearest);
	else
		cli_error("runs: expected list, show, diff, rm or export; see `strata runs --help`");
	return CLI_USAGE;
}

/* An option that the action does not look at is a mistake, too. */
static bool options_fit(const struct runs_options *o, const struct action *a, uint32_t count)
{
	const struct {
		const char *name;
		bool is_given;
	} given[] = {
	    {"workload", o->filter.workload},
	    {"machine", o->filter.machine},
	    {"verified", o->filter.is_verified},
	    {"last", o->last},
	    {"csv", o->csv},
	    {"all", o->is_all},
	};
	g_auto(GStrv) taken = g_strsplit(a->options, " ", -1);

	for (size_t i = 0; i < ARRAY_COUNT(given); i++) {
		if (!given[i].is_given)
			continue;
		if (!g_strv_contains((const char *const *)taken, given[i].name)) {
			cli_error("runs %s: takes no --%s", a->name, given[i].name);
			return false;
		}
		if (count && !strcmp(a->name, "export") && strcmp(given[i].name, "csv") != 0) {
			cli_error("runs export: takes runs by their numbers or by --%s, not both", given[i].name);
			return false;
		}
	}
	if (o->json && !strcmp(a->name, "rm")) {
		cli_error("runs rm: takes no --json");
		return false;
	}
	return true;
}

static int run_words(void *ctx, const struct cli_words *words, const struct cli_paths *paths)
{
	struct runs_options *o = ctx;
	char **given = (char **)words->words->pdata;
	const uint32_t given_count = words->words->len;
	const char *name = given_count ? given[0] : "";
	const uint32_t count = given_count ? given_count - 1 : 0;
	const struct action *a = NULL;

	(void)paths;
	if (words->program) {
		cli_error("runs: takes no program");
		return CLI_USAGE;
	}

	for (size_t i = 0; i < ARRAY_COUNT(actions); i++)
		if (!strcmp(actions[i].name, name))
			a = &actions[i];
	if (!a)
		return unknown(name);
	if (count < a->min || count > a->max) {
		cli_error("runs %s: expected %s; see `strata runs --help`", name,
			  a->max == 0   ? "no run"
			  : a->min == 2 ? "two runs"
			  : a->max == 1 ? "one run"
					: "runs");
		return CLI_USAGE;
	}
	if (!options_fit(o, a, count) || !cli_number_parse(about.name, "last", o->last, LAST_MAX, &o->filter.last) ||
	    !cli_output_check(about.name, "json", o->json) || !cli_output_check(about.name, "csv", o->csv))
		return CLI_USAGE;
	return a->run(o, given + 1, count);
}

int cli_runs(int argc, char **argv)
{
	struct runs_options o = {0};
	const struct cli_option options[] = {
	    {"workload", CLI_TEXT, &o.filter.workload, "W",
	     "list, export: programs of that name; * and ? as in a shell", 0},
	    {"machine", CLI_TEXT, &o.filter.machine, "M", "list, export: on machines of that name, likewise", 0},
	    {"verified", CLI_FLAG, &o.filter.is_verified, NULL, "list, export: only runs that were verified", 0},
	    {"last", CLI_TEXT, &o.last, "N", "list, export: only the newest N of them", 0},
	    {"all", CLI_FLAG, &o.is_all, NULL, "diff: all statistics, not the first 20", 0},
	    {"json", CLI_TEXT, &o.json, "FILE", "list, show, diff, export: there, as JSON", 0},
	    {"csv", CLI_TEXT, &o.csv, "FILE", "export: there, a line per run, a column per value", 0},
	    {0},
	};

	return cli_command(&about, options, argc, argv, run_words, &o);
}
