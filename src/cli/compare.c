/* compare.c - strata compare: every workload on every machine, side by side on the host's cores, and one table. */
#include "cli/command.h"

#include "cli/batch.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/scratch.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

static const struct cli_about about = {
    .name = "compare",
    .usage = "strata compare --machines A,B,... WORKLOAD...  |  strata compare --machines A,B,... -- PROGRAM [ARGS]",
    .summary = "Runs every workload, or one program, on every machine and prints the table: time, speed-up over the\n"
	       "first machine, IPC, traffic, energy. Runs go side by side, as many as the host has cores.",
};

/* The results of the finished runs of one workload, by process and then by machine: the first process of a script is
 * compared with the first process on the other machines. A run that was asked to end is left out. */
static void add_workload(const struct cli_batch *b, uint32_t first, uint32_t machine_count, json_t *runs)
{
	size_t process_count = 1;

	for (size_t process = 0; process < process_count; process++) {
		for (uint32_t i = first; i < first + machine_count; i++) {
			if (!cli_batch_job_is_finished(b, i))
				continue;
			process_count = MAX(process_count, json_array_size(b->jobs[i].results));
			json_array_append(runs, json_array_get(b->jobs[i].results, process));
		}
	}
}

static json_t *results_of(const struct cli_batch *b, uint32_t machine_count)
{
	json_t *runs = json_array();

	for (uint32_t i = 0; i < b->job_count; i += machine_count)
		add_workload(b, i, machine_count, runs);
	return runs;
}

static int finish(const struct cli_batch *b, uint32_t machine_count, const char *json)
{
	json_t *runs = results_of(b, machine_count);
	bool is_good = true, is_kept = true;
	size_t count = json_array_size(runs);

	for (uint32_t i = 0; i < b->job_count; i++)
		is_good = is_good && b->jobs[i].has_result && !b->jobs[i].exit_status;
	if (count) {
		report_comparison_print(stdout, runs);
		is_kept = cli_runs_keep(json, runs);
		if (is_kept)
			printf("\nfull results: %s%s%s\n", cli_store_path(), json ? " and " : "", json ? json : "");
	}
	fflush(stdout);
	json_decref(runs);
	if (b->is_interrupted) {
		cli_error("interrupted: %zu of %u runs are finished and kept", count, b->job_count);
		return CLI_INTERRUPTED;
	}
	return is_good && is_kept && !b->is_broken ? CLI_OK : CLI_FAILED;
}

static bool make_jobs(struct cli_batch *b, const char *dir, GPtrArray *targets, const struct machine_session *machines,
		      uint32_t machine_count)
{
	b->job_count = targets->len * machine_count;
	b->jobs = g_new0(struct cli_job, b->job_count);
	for (uint32_t i = 0; i < b->job_count; i++) {
		b->jobs[i].target = targets->pdata[i / machine_count];
		b->jobs[i].machine = &machines[i % machine_count];
		if (!cli_job_prepare(&b->jobs[i], dir, i, true))
			return false;
	}
	return true;
}

static int compare(const struct cli_paths *paths, GPtrArray *targets, const struct machine_session *machines,
		   uint32_t machine_count, const char *json)
{
	struct cli_batch b = {.paths = paths};
	char *dir = cli_scratch_make();
	int exit_status = CLI_FAILED;

	if (!dir)
		return CLI_FAILED;
	if (make_jobs(&b, dir, targets, machines, machine_count)) {
		cli_batch_run(&b);
		exit_status = finish(&b, machine_count, json);
	}
	for (uint32_t i = 0; i < b.job_count; i++)
		cli_job_free(&b.jobs[i]);
	g_free(b.jobs);
	cli_scratch_remove(dir);
	return exit_status;
}

static bool load_machines(const struct cli_paths *paths, char **names, GPtrArray *sets,
			  struct machine_session *machines)
{
	for (uint32_t i = 0; names[i]; i++) {
		if (!*names[i]) {
			cli_error("compare: empty name in --machines; write --machines A,B");
			return false;
		}
		/* One is enough: a wrong --set would be told once for every machine. */
		if (!cli_machine_load(paths, names[i], sets, &machines[i]))
			return false;
	}
	return true;
}

struct compare_options {
	const char *machines, *json, *size;
	GPtrArray *sets;
};

static int compare_words(const struct cli_paths *paths, const struct compare_options *o, const struct cli_words *words)
{
	GPtrArray *targets = g_ptr_array_new();
	g_auto(GStrv) names = g_strsplit(o->machines ? o->machines : "", ",", -1);
	uint32_t count = g_strv_length(names);
	g_autofree struct machine_session *machines = g_new0(struct machine_session, count + 1);
	int exit_status = CLI_USAGE;

	if (!o->machines)
		cli_error("compare: expected --machines A,B,...; `strata list machines` prints them");
	else if (cli_output_check(about.name, "json", o->json) &&
		 cli_targets_resolve(paths, about.name, words->words, words->program, o->size, targets) &&
		 load_machines(paths, names, o->sets, machines) && cli_store_check(about.name))
		exit_status = compare(paths, targets, machines, count, o->json);
	cli_targets_free(targets);
	return exit_status;
}

int cli_compare(int argc, char **argv)
{
	struct compare_options o = {.sets = g_ptr_array_new()};
	const struct cli_option options[] = {
	    {"machines", CLI_TEXT, &o.machines, "A,B,...",
	     "the machines; the first is what the others are compared with"},
	    {"set", CLI_LIST, o.sets, "K=V", "override one parameter on all machines; may be given several times"},
	    {"size", CLI_TEXT, &o.size, "S", "the workloads' input size: small (default) or paper"},
	    {"json", CLI_TEXT, &o.json, "FILE", "write all results there as a JSON array"},
	    {0},
	};
	struct cli_words words;
	enum cli_parse parsed = cli_options_parse(&about, options, argc, argv, &words);
	int exit_status = parsed == CLI_PARSE_HELP ? CLI_OK : CLI_USAGE;

	if (parsed == CLI_PARSED) {
		struct cli_paths paths;

		cli_paths_find(&paths);
		exit_status = compare_words(&paths, &o, &words);
		cli_paths_free(&paths);
	}
	g_ptr_array_free(words.words, TRUE);
	g_ptr_array_free(o.sets, TRUE);
	return exit_status;
}
