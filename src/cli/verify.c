/* verify.c - runs the check that was asked for and says what makes a run wrong. */
#include "cli/verify.h"

#include "base/check.h"
#include "cli/job.h"
#include "cli/options.h"
#include "cli/wait.h"
#include "machine/run.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_PROGRAM = 127 };

bool cli_verify_needs_output(const struct cli_verify *v)
{
	return v->command || v->text;
}

static _Noreturn void child(const struct cli_job *job)
{
	int in = open(job->output_path, O_RDONLY);
	int out = open(job->check_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (job->is_captured)
		setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGINT, SIG_DFL);
	cli_wait_child();
	signal(SIGPIPE, SIG_DFL);
	setenv("STRATA_OUTPUT", job->output_path, 1);
	if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0 || (job->work_dir && chdir(job->work_dir)))
		_exit(NO_PROGRAM);
	execl("/bin/sh", "sh", "-c", job->verify.command, (char *)NULL);
	_exit(NO_PROGRAM);
}

pid_t cli_verify_start(struct cli_job *job)
{
	pid_t pid;

	if (!job->verify.command)
		return 0;
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(job);
	/* Here too: the group must be there when it is to be ended, however far the child has come. */
	if (pid > 0 && job->is_captured)
		setpgid(pid, pid);
	if (pid < 0)
		cli_error("cannot start the check command: %s", strerror(errno));
	return pid;
}

/* "2 of 3 launches" */
static char *launches_text(const json_t *result, double count, const char *what)
{
	return g_strdup_printf("%.0f of %.0f launches %s", count, report_number(result, "launches", NULL), what);
}

/* Did the machine do anything for the program, in any of its processes? One that only asks for its properties, or whose
 * regions ran on the host, leaves no work. */
static bool has_worked(const struct cli_job *job)
{
	static const char *const work[] = {"launches", "time_ps", "timeline_count"};
	const json_t *result;
	size_t i;

	json_array_foreach(job->results, i, result) {
		for (size_t k = 0; k < ARRAY_COUNT(work); k++)
			if (report_number(result, work[k], NULL) > 0)
				return true;
	}
	return false;
}

/* Wrong whatever the program says about itself; NULL: nothing is. */
static char *machine_reason(const struct cli_job *job, const json_t *result)
{
	const double faulted = report_number(result, "launches_faulted", NULL);
	const double refused = report_number(result, "launches_refused", NULL);
	const double flushed = report_number(result, "duality", "denormals");
	const bool is_killed = !g_strcmp0(json_string_value(json_object_get(result, "ended")), MACHINE_ENDED_UNSEEN);
	const bool is_whole = report_has_run(result) && !is_killed;
	const char *timed_out = json_string_value(json_object_get(result, "timed_out"));

	if (timed_out)
		return g_strdup_printf("it reached the limit of %s time", timed_out);
	if (!is_whole && job->is_result_lost)
		return g_strdup(job->exit_status == EXIT_BY_SIGNAL + SIGABRT ? "an internal error of Strata ended it"
									     : "its results could not be written");
	if (!report_has_run(result))
		return g_strdup("nothing was measured");
	if (json_is_true(json_object_get(result, "interrupted")) || job->exit_status == CLI_INTERRUPTED)
		return g_strdup("it was interrupted");
	if (is_killed && !job->exit_status)
		return g_strdup("it was killed, or left by _exit; these are its results before");
	if (faulted > 0)
		return launches_text(result, faulted, "faulted");
	if (json_is_string(json_object_get(result, "fault")))
		return g_strdup(report_number(result, "launches", NULL) > 0 ? "a kernel faulted"
									    : "the program faulted");
	if (refused > 0)
		return launches_text(result, refused, "were refused");
	if (flushed > 0)
		return g_strdup_printf("%.0f denormal operands and results became zero on this machine "
				       "(duality.denormals)", flushed);
	return has_worked(job) ? NULL : g_strdup("nothing was measured");
}

static char *status_text(const char *what, int status)
{
	if (status > EXIT_BY_SIGNAL && status < EXIT_BY_SIGNAL + NSIG)
		return g_strdup_printf("%ssignal %d (%s)", what, status - EXIT_BY_SIGNAL,
				       g_strsignal(status - EXIT_BY_SIGNAL));
	return g_strdup_printf("%sexit status %d", what, status);
}

static bool has_text(const struct cli_job *job)
{
	g_autofree char *output = NULL;
	gsize length = 0;

	return g_file_get_contents(job->output_path, &output, &length, NULL) &&
	       memmem(output, length, job->verify.text, strlen(job->verify.text));
}

/* What the check of the program's results says; NULL: they are right. A program that is known to check nothing has no
 * check of its own. */
static char *check_reason(const struct cli_job *job, const json_t *result)
{
	const char *unchecked = json_string_value(json_object_get(result, "unchecked"));

	if (job->exit_status)
		return status_text("", job->exit_status);
	if (job->verify.command && job->check_status)
		return status_text("the check command: ", job->check_status);
	if (job->verify.text && !has_text(job))
		return g_strdup("the expected text is not in its output");
	return job->verify.command || job->verify.text ? NULL : g_strdup(unchecked);
}

static const char *verified_by(const struct cli_job *job)
{
	if (job->verify.command)
		return "command";
	if (job->verify.text)
		return "text";
	if (job->target->is_self_checking || (job->target->part && job->target->part->files->is_self_checking))
		return "workload";
	return "exit";
}

void cli_verify_judge(const struct cli_job *job, json_t *result)
{
	g_autofree char *of_machine = machine_reason(job, result);
	g_autofree char *reason = of_machine ? g_steal_pointer(&of_machine) : check_reason(job, result);

	json_object_set_new(result, "verified", json_boolean(!reason));
	json_object_set_new(result, "verified_by", json_string(verified_by(job)));
	json_object_set_new(result, "not_verified", reason ? json_string(reason) : json_null());
}
