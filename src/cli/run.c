/* run.c - strata run: one program on one machine, its summary, and its exit status. */
#include "cli/command.h"

#include "cli/job.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/scratch.h"
#include "report/report.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static const struct cli_about about = {
    .name = "run",
    .usage = "strata run [options] WORKLOAD  |  strata run [options] -- PROGRAM [ARGS]",
    .summary = "Runs a program that uses the CUDA driver API on a modelled machine and prints what was measured.\n"
	       "The exit status is the program's.",
};

struct run_options {
	const char *machine, *json, *size;
	GPtrArray *sets;
};

static volatile sig_atomic_t program_pid;

/* Ctrl-C goes to the program anyway (same process group), and it ends by itself; other wishes to end are handed on. */
static void on_end(int signal_number)
{
	if (program_pid)
		kill(program_pid, signal_number);
}

static void hand_on_signals(void)
{
	const struct sigaction action = {.sa_handler = on_end};

	signal(SIGINT, SIG_IGN);
	sigaction(SIGTERM, &action, NULL);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup stays nohup */
		sigaction(SIGHUP, &action, NULL);
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int report(const struct cli_job *job, const char *json)
{
	json_t *runs = json_array();

	json_array_append(runs, job->result);
	report_summary_print(stdout, job->result);
	fflush(stdout);

	bool is_kept = cli_runs_keep(json, runs);

	json_decref(runs);
	return job->exit_status ? job->exit_status : is_kept ? CLI_OK : CLI_FAILED;
}

static int run_job(const struct cli_paths *paths, struct cli_job *job, const char *json)
{
	char *dir = cli_scratch_make();
	int exit_status = CLI_FAILED;

	if (!dir)
		return CLI_FAILED;
	hand_on_signals();
	if (cli_job_prepare(job, dir, 0, false) && !cli_job_start(paths, job)) {
		exit_status = CLI_USAGE;
	} else if (job->pid) {
		program_pid = job->pid;
		cli_job_finish(job, wait_for(job->pid));
		exit_status = report(job, json);
	}
	cli_job_free(job);
	cli_scratch_remove(dir);
	return exit_status;
}

static int run_words(const struct cli_paths *paths, const struct run_options *o, const struct cli_words *words)
{
	GPtrArray *targets = g_ptr_array_new();
	struct machine_session session;
	int exit_status = CLI_USAGE;

	if (!cli_json_check(about.name, o->json))
		exit_status = CLI_USAGE;
	else if (words->words->len > 1 && !words->program)
		cli_error("run: one workload at a time; `strata compare` takes several");
	else if (cli_targets_resolve(paths, about.name, words->words, words->program, o->size, targets) &&
		 cli_machine_load(paths, o->machine ? o->machine : "tom-baseline", o->sets, &session) &&
		 cli_store_check(about.name)) {
		struct cli_job job = {.target = targets->pdata[0], .machine = &session};

		exit_status = run_job(paths, &job, o->json);
	}
	cli_targets_free(targets);
	return exit_status;
}

int cli_run(int argc, char **argv)
{
	struct run_options o = {.sets = g_ptr_array_new()};
	const struct cli_option options[] = {
	    {"machine", CLI_TEXT, &o.machine, "M", "the machine: a name or a .yaml file (default tom-baseline)"},
	    {"set", CLI_LIST, o.sets, "K=V", "override one parameter; may be given several times"},
	    {"size", CLI_TEXT, &o.size, "S", "a workload's input size: small (default) or paper"},
	    {"json", CLI_TEXT, &o.json, "FILE", "write the results there as a JSON array"},
	    {0},
	};
	struct cli_words words;
	enum cli_parse parsed = cli_options_parse(&about, options, argc, argv, &words);
	int exit_status = parsed == CLI_PARSE_HELP ? CLI_OK : CLI_USAGE;

	if (parsed == CLI_PARSED) {
		struct cli_paths paths;

		cli_paths_find(&paths);
		exit_status = run_words(&paths, &o, &words);
		cli_paths_free(&paths);
	}
	g_ptr_array_free(words.words, TRUE);
	g_ptr_array_free(o.sets, TRUE);
	return exit_status;
}
