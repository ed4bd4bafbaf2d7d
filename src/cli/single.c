#include "cli/single.h"

#include "cli/keep.h"
#include "cli/scratch.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

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

static int run_job(const struct cli_single *s, const struct cli_paths *paths, struct cli_job *job)
{
	char *dir = cli_scratch_make();
	int exit_status = CLI_UNABLE;

	if (!dir)
		return CLI_UNABLE;
	hand_on_signals();
	if (cli_job_prepare(job, dir, 0))
		exit_status = cli_job_start(paths, job);
	if (job->pid) {
		do
			program_pid = job->pid;
		while (!cli_job_step(job, wait_for(job->pid)));
		exit_status = s->report(job, s->ctx);
	}
	cli_job_free(job);
	cli_scratch_remove(dir);
	return exit_status;
}

static int run_words(const struct cli_single *s, const struct cli_paths *paths, const struct cli_words *words)
{
	const struct cli_single_options *o = s->options;
	const char *name = s->about->name;
	GPtrArray *targets = g_ptr_array_new();
	struct machine_session session;
	int exit_status = CLI_USAGE;

	if (!cli_output_check(name, "json", o->json))
		exit_status = CLI_USAGE;
	else if (words->words->len > 1 && !words->program)
		cli_error("%s: one workload at a time; `strata compare` takes several", name);
	else if (cli_targets_resolve(paths, name, words->words, words->program, o->size, targets) &&
		 cli_machine_load(paths, o->machine ? o->machine : "tom-baseline", o->sets, &session) &&
		 (!s->is_kept || cli_store_check(name))) {
		struct cli_job job = {
		    .target = targets->pdata[0],
		    .machine = &session,
		    .is_checked = s->is_checked,
		    .verify = o->verify,
		};

		exit_status = run_job(s, paths, &job);
	}
	cli_targets_free(targets);
	return exit_status;
}

int cli_single_run(const struct cli_single *s, const struct cli_words *words)
{
	struct cli_paths paths;
	int exit_status;

	cli_paths_find(&paths);
	exit_status = run_words(s, &paths, words);
	cli_paths_free(&paths);
	return exit_status;
}
