/* compare.c - strata compare: every workload on every machine, side by side on the host's cores, and one table. */
#include "cli/command.h"

#include "cli/job.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/scratch.h"
#include "report/report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct cli_about about = {
    .name = "compare",
    .usage = "strata compare --machines A,B,... WORKLOAD...  |  strata compare --machines A,B,... -- PROGRAM [ARGS]",
    .summary = "Runs every workload, or one program, on every machine and prints the table: time, speed-up over the\n"
	       "first machine, IPC, traffic, energy. Runs go side by side, as many as the host has cores.",
};

enum { POLL_NS = 20 * 1000 * 1000, PROGRESS_PERIOD_POLLS = 25, OUTPUT_SHOWN_BYTES = 2000 };

static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int signal_number)
{
	(void)signal_number;
	is_interrupted = 1;
}

struct batch {
	const struct cli_paths *paths;
	struct cli_job *jobs;
	uint32_t job_count, next, running_count, done_count;
	uint32_t slots; /* at most so many side by side */
	time_t begin;
	bool has_progress;
	bool is_stopped; /* no more starts; running ones were asked to end */
	bool is_broken;  /* a program could not be started */
};

static void print_progress(const struct batch *b)
{
	long elapsed = (long)(time(NULL) - b->begin);

	fprintf(stderr, "\r%u of %u runs done, %u running, %ld s", b->done_count, b->job_count, b->running_count,
		elapsed);
	if (b->done_count)
		fprintf(stderr, ", about %ld s left",
			elapsed * (long)(b->job_count - b->done_count) / (long)b->done_count);
	fputs("\033[K", stderr);
}

static void clear_progress(const struct batch *b)
{
	if (b->has_progress)
		fputs("\r\033[K", stderr);
}

static void stop(struct batch *b)
{
	b->is_stopped = true;
	for (uint32_t i = 0; i < b->next; i++)
		if (b->jobs[i].pid && !b->jobs[i].is_done)
			kill(-b->jobs[i].pid, SIGTERM);
}

static void start_some(struct batch *b)
{
	while (!b->is_stopped && b->next < b->job_count && b->running_count < b->slots) {
		if (!cli_job_start(b->paths, &b->jobs[b->next])) {
			b->is_broken = true;
			stop(b);
			return;
		}
		b->next++;
		b->running_count++;
	}
}

static void print_output_end(const struct cli_job *job)
{
	g_autofree char *text = NULL;
	gsize length = 0;

	if (!g_file_get_contents(job->output_path, &text, &length, NULL) || !length)
		return;

	const char *end = length > OUTPUT_SHOWN_BYTES ? text + length - OUTPUT_SHOWN_BYTES : text;

	fprintf(stderr, "%s%s", end, text[length - 1] == '\n' ? "" : "\n");
}

static void report_failed(const struct batch *b, const struct cli_job *job)
{
	if (!job->exit_status || b->is_stopped)
		return;
	clear_progress(b);
	cli_error("%s on %s ended with status %d; the end of its output:", job->target->name, job->machine->machine,
		  job->exit_status);
	print_output_end(job);
}

static void collect(struct batch *b)
{
	for (uint32_t i = 0; i < b->next; i++) {
		struct cli_job *job = &b->jobs[i];
		int status;

		if (job->is_done || waitpid(job->pid, &status, WNOHANG) != job->pid)
			continue;
		cli_job_finish(job, status);
		b->running_count--;
		b->done_count++;
		report_failed(b, job);
	}
}

static void run_all(struct batch *b)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	uint32_t polls = 0;

	for (;;) {
		if (is_interrupted && !b->is_stopped)
			stop(b);
		start_some(b);
		if (!b->running_count)
			break;
		if (b->has_progress && polls++ % PROGRESS_PERIOD_POLLS == 0)
			print_progress(b);
		nanosleep(&pause, NULL);
		collect(b);
	}
	clear_progress(b);
}

/* Finished runs in order of workloads, then machines. A run that was asked to end is left out. */
static json_t *results_of(const struct batch *b)
{
	json_t *runs = json_array();

	for (uint32_t i = 0; i < b->job_count; i++) {
		const struct cli_job *job = &b->jobs[i];

		if (job->is_done && !(b->is_stopped && job->exit_status))
			json_array_append(runs, job->result);
	}
	return runs;
}

static int finish(const struct batch *b, const char *json)
{
	json_t *runs = results_of(b);
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
	if (is_interrupted) {
		cli_error("interrupted: %zu of %u runs are finished and kept", count, b->job_count);
		return CLI_INTERRUPTED;
	}
	return is_good && is_kept && !b->is_broken ? CLI_OK : CLI_FAILED;
}

static bool make_jobs(struct batch *b, const char *dir, GPtrArray *targets, const struct machine_session *machines,
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
	struct batch b = {.paths = paths,
			  .slots = g_get_num_processors(),
			  .begin = time(NULL),
			  .has_progress = isatty(STDERR_FILENO)};
	const struct sigaction action = {.sa_handler = on_interrupt};
	char *dir = cli_scratch_make();
	int exit_status = CLI_FAILED;

	if (!dir)
		return CLI_FAILED;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup stays nohup */
		sigaction(SIGHUP, &action, NULL);
	if (make_jobs(&b, dir, targets, machines, machine_count)) {
		run_all(&b);
		exit_status = finish(&b, json);
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
	else if (cli_json_check(about.name, o->json) &&
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
