/* batch.c - a job per free core; signals, progress and the order of reports. */
#include "cli/batch.h"

#include "cli/live.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/running.h"
#include "cli/tree.h"
#include "cli/wait.h"
#include "sim/team.h"

#include <errno.h>
#include <glib.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLL_NS = 20 * 1000 * 1000 };

static const uint64_t ns_per_s = 1000000000;

static volatile sig_atomic_t was_interrupted;
static volatile uint64_t interrupted_ns;
static volatile sig_atomic_t is_over; /* the user has no patience left */

/* A signal comes twice when the whole process group has it, from timeout(1). */
static void on_interrupt(int signal_number)
{
	const uint64_t now = cli_now_ns();

	(void)signal_number;
	if (was_interrupted && now - interrupted_ns > ns_per_s / 3)
		is_over = 1;
	if (!was_interrupted)
		interrupted_ns = now;
	was_interrupted = 1;
}

struct state {
	struct cli_batch *batch;
	uint32_t next, done_count;
	struct cli_division division;
	uint32_t had_count; /* of those that are done: before the batch began */
	struct cli_progress own, *progress;
	bool is_stopped; /* no more starts; running ones were asked to end */
	GHashTable *told;    /* reasons, of a program on a machine: set */
	uint32_t same_count; /* of runs that had nothing new to say */
};

/* Runs that were there before take no time: they say nothing of what is left. */
static void print_progress(struct state *s)
{
	const uint32_t count = s->batch->job_count, ran = s->done_count - s->had_count;
	const double per_min = ran * 60 / cli_progress_s(s->progress);
	g_autofree char *rate = ran ? g_strdup_printf(", %.*f a minute", per_min < 10, per_min) : g_strdup("");
	struct cli_running now;
	char speed[32];

	cli_running_look(s->batch->jobs, s->next, &now);
	cli_progress_draw(s->progress, (ran + now.done) / (count - s->had_count),
			  "%u of %u runs done, %u running%s%s%s%s", s->done_count, count,
			  s->division.running_count, rate,
			  now.instructions_per_s > 0 ? ", " : "",
			  now.instructions_per_s > 0 ? cli_live_count(now.instructions_per_s, speed) : "",
			  now.instructions_per_s > 0 ? " instructions/s" : "");
}

static void kill_all(const struct state *s, int signal_number)
{
	for (uint32_t i = 0; i < s->next; i++)
		if (s->batch->jobs[i].pid && !s->batch->jobs[i].is_done)
			kill(-s->batch->jobs[i].pid, signal_number);
}

static void stop(struct state *s)
{
	s->is_stopped = true;
	for (uint32_t i = 0; i < s->next; i++) {
		struct cli_job *job = &s->batch->jobs[i];

		if (!job->pid || job->is_done)
			continue;
		job->is_asked_to_end = true;
		kill(-job->pid, SIGTERM);
	}
}

/* A program whose time is over ends by itself, or is asked to, or made to. */
static void watch_time(struct cli_job *job)
{
	const uint64_t now = cli_now_ns(), asked = job->deadline_ns + CLI_WAIT_GRACE_S * ns_per_s;

	if (!job->deadline_ns || job->is_checking || now < asked)
		return;
	if (!job->is_timed_out)
		kill(-job->pid, SIGTERM);
	job->is_timed_out = true;
	if (now > asked + CLI_WAIT_KILL_S * ns_per_s)
		kill(-job->pid, SIGKILL);
}

/* Jobs that have not begun, as far as they could begin now. */
static uint32_t waiting_count(const struct state *s)
{
	const struct cli_batch *b = s->batch;
	uint32_t count = 0;

	for (uint32_t i = s->next; i < b->job_count && count < s->division.slots; i++)
		count += !b->jobs[i].is_done;
	return count;
}

static void start_some(struct state *s)
{
	struct cli_batch *b = s->batch;

	while (!s->is_stopped && s->next < b->job_count && cli_division_has_place(&s->division)) {
		if (b->jobs[s->next].is_done) {
			s->next++;
			s->done_count++;
			s->had_count++;
			continue;
		}
		if (b->prepare && !b->prepare(b->ctx, &b->jobs[s->next])) {
			b->exit_status = CLI_UNABLE;
			stop(s);
			return;
		}
		b->jobs[s->next].threads = cli_division_begin(&s->division, waiting_count(s));
		b->exit_status = cli_job_start(b->paths, &b->jobs[s->next]);
		if (b->exit_status != CLI_OK) {
			cli_division_end(&s->division, b->jobs[s->next].threads);
			stop(s);
			return;
		}
		s->next++;
	}
}

/* The first of a program's runs on a machine, or on what strata why and a sweep make of it, says it for all that fail
 * for the same reason. */
static void report_failed(struct state *s, const struct cli_job *job)
{
	const char *reason = cli_job_not_verified(job);

	if (!reason)
		return;
	if (!g_hash_table_add(s->told, g_strdup_printf("%s on %s: %s", job->target->name, job->machine->machine,
						       reason))) {
		s->same_count++;
		return;
	}
	cli_progress_clear(s->progress);
	cli_error("%s on %s: not verified: %s; the end of its output:", job->target->name, job->machine->machine,
		  reason);
	cli_output_print_end(job->output_path);
	cli_output_print_end(job->error_path);
	cli_output_print_end(job->check_path);
}

static bool has_ended(pid_t pid, int *status)
{
	pid_t ended = waitpid(pid, status, WNOHANG);

	if (ended >= 0 || errno != ECHILD)
		return ended == pid;
	*status = CLI_WAIT_UNKNOWN;
	return true;
}

static void collect(struct state *s)
{
	for (uint32_t i = 0; i < s->next; i++) {
		struct cli_job *job = &s->batch->jobs[i];
		int status;

		if (job->is_done)
			continue;
		watch_time(job);
		if (!has_ended(job->pid, &status))
			continue;
		if (!cli_job_step(job, status))
			continue;
		cli_division_end(&s->division, job->threads);
		s->done_count++;
		if (!cli_job_is_finished(job))
			continue;
		cli_running_ended(job);
		report_failed(s, job);
		if (s->batch->done)
			s->batch->done(s->batch->ctx, job);
	}
}

static void catch_signals(void)
{
	const struct sigaction action = {.sa_handler = on_interrupt};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup stays nohup */
		sigaction(SIGHUP, &action, NULL);
}

bool cli_batch_was_interrupted(void)
{
	return was_interrupted;
}

uint32_t cli_usable_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? g_get_num_processors() : (uint32_t)CPU_COUNT(&set);
}

bool cli_threads_divide(const char *command, const char *option, uint32_t *threads, uint32_t *slots)
{
	*threads = 0;
	if (!option)
		return true;
	if (!strcmp(option, "auto")) {
		*threads = CLI_THREADS_AUTO;
		return true;
	}
	if (!g_ascii_isdigit(*option)) {
		cli_error("%s: bad --threads '%s', expected auto or a number of 1 to %u", command, option,
			  SIM_TEAM_MAX);
		return false;
	}
	if (!cli_number_parse(command, "threads", option, SIM_TEAM_MAX, threads))
		return false;
	if (!*slots)
		*slots = MAX(cli_usable_cores() / *threads, 1);
	return true;
}

static void draw(struct state *s)
{
	if (s->batch->draw)
		s->batch->draw(s->batch->ctx);
	else
		print_progress(s);
}

void cli_batch_run(struct cli_batch *batch)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	const uint32_t cores = cli_usable_cores();
	struct state s = {
	    .batch = batch,
	    .division = {.cores = cores, .slots = batch->slots ? batch->slots : cores, .threads = batch->threads},
	};

	s.told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	s.progress = batch->progress ? batch->progress : &s.own;
	if (!batch->progress)
		cli_progress_begin(&s.own);
	catch_signals();
	for (;;) {
		if (was_interrupted && !s.is_stopped)
			stop(&s);
		if (is_over)
			kill_all(&s, SIGKILL);
		start_some(&s);
		if (!s.division.running_count)
			break;
		if (cli_progress_is_due(s.progress))
			draw(&s);
		nanosleep(&pause, NULL);
		collect(&s);
	}
	cli_progress_clear(s.progress);
	if (s.same_count)
		cli_error("%u more runs like these were not verified for the same reasons", s.same_count);
	g_hash_table_destroy(s.told);
	batch->is_interrupted = was_interrupted;
}
