#include "cli/batch.h"

#include "cli/options.h"

#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLL_NS = 20 * 1000 * 1000, PROGRESS_PERIOD_POLLS = 25, OUTPUT_SHOWN_BYTES = 2000 };

static volatile sig_atomic_t was_interrupted;

static void on_interrupt(int signal_number)
{
	(void)signal_number;
	was_interrupted = 1;
}

struct state {
	struct cli_batch *batch;
	uint32_t next, running_count, done_count;
	uint32_t slots; /* at most so many side by side */
	time_t begin;
	bool has_progress;
	bool is_stopped; /* no more starts; running ones were asked to end */
};

static void print_progress(const struct state *s)
{
	long elapsed = (long)(time(NULL) - s->begin);
	uint32_t count = s->batch->job_count;

	fprintf(stderr, "\r%u of %u runs done, %u running, %ld s", s->done_count, count, s->running_count, elapsed);
	if (s->done_count)
		fprintf(stderr, ", about %ld s left", elapsed * (long)(count - s->done_count) / (long)s->done_count);
	fputs("\033[K", stderr);
}

static void clear_progress(const struct state *s)
{
	if (s->has_progress)
		fputs("\r\033[K", stderr);
}

static void stop(struct state *s)
{
	s->is_stopped = true;
	for (uint32_t i = 0; i < s->next; i++)
		if (s->batch->jobs[i].pid && !s->batch->jobs[i].is_done)
			kill(-s->batch->jobs[i].pid, SIGTERM);
}

static void start_some(struct state *s)
{
	struct cli_batch *b = s->batch;

	while (!s->is_stopped && s->next < b->job_count && s->running_count < s->slots) {
		if (!cli_job_start(b->paths, &b->jobs[s->next])) {
			b->is_broken = true;
			stop(s);
			return;
		}
		s->next++;
		s->running_count++;
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

static void report_failed(const struct state *s, const struct cli_job *job)
{
	if (!job->exit_status)
		return;
	clear_progress(s);
	cli_error("%s on %s ended with status %d; the end of its output:", job->target->name, job->machine->machine,
		  job->exit_status);
	print_output_end(job);
}

static void collect(struct state *s)
{
	for (uint32_t i = 0; i < s->next; i++) {
		struct cli_job *job = &s->batch->jobs[i];
		int status;

		if (job->is_done || waitpid(job->pid, &status, WNOHANG) != job->pid)
			continue;
		cli_job_finish(job, status);
		s->running_count--;
		s->done_count++;
		if (s->is_stopped && job->exit_status)
			continue;
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

void cli_batch_run(struct cli_batch *batch)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	struct state s = {.batch = batch,
			  .slots = g_get_num_processors(),
			  .begin = time(NULL),
			  .has_progress = isatty(STDERR_FILENO)};
	uint32_t polls = 0;

	catch_signals();
	for (;;) {
		if (was_interrupted && !s.is_stopped)
			stop(&s);
		start_some(&s);
		if (!s.running_count)
			break;
		if (s.has_progress && polls++ % PROGRESS_PERIOD_POLLS == 0)
			print_progress(&s);
		nanosleep(&pause, NULL);
		collect(&s);
	}
	clear_progress(&s);
	batch->is_interrupted = was_interrupted;
}

bool cli_batch_job_is_finished(const struct cli_batch *batch, uint32_t index)
{
	const struct cli_job *job = &batch->jobs[index];

	return job->is_done && !((batch->is_interrupted || batch->is_broken) && job->exit_status);
}
