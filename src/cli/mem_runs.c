/* mem_runs.c - a thread per free core takes the next measurement until there is none. */
#include "cli/mem_runs.h"

#include "cli/batch.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/scratch.h"
#include "machine/live.h"
#include "machine/tables.h"

#include <glib.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Set by a signal, or when a run has failed: no run sends another request, none is started. */
static atomic_bool is_stopped;
static volatile sig_atomic_t was_interrupted;

struct state {
	struct cli_mem_run *runs;
	struct machine_live **live; /* of those that run, for strata top; NULL: nowhere to write it */
	char *dir;
	uint32_t count, next, running_count, done_count;
	bool has_failed;
	bool is_left; /* nobody waits for the threads any more, and what they still do is lost */
	pthread_mutex_t lock;
	pthread_cond_t ended; /* a run has, or a thread */
};

/* The second one ends us. */
static void on_interrupt(int signal_number)
{
	(void)signal_number;
	was_interrupted = 1;
	is_stopped = true;
}

static void catch_signals(void)
{
	const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup stays nohup */
		sigaction(SIGHUP, &action, NULL);
}

/* ---- one run ---- */

static bool measure(struct cli_mem_run *run, struct memory_trace *trace)
{
	const struct memory_measure_config c = {.memory = run->memory,
						.stream = &run->params,
						.kind = run->kind,
						.trace = trace,
						.is_stopped = &is_stopped,
						.progress = &run->progress};
	struct memory_measure *m = memory_measure_new(&c, &run->diag);

	if (!m)
		return false;
	memory_measure_run(m, &run->result);
	if (!run->is_point) {
		run->units = json_object();
		run->stats = machine_stats_json(memory_measure_stats(m), run->units);
	}
	memory_measure_free(m);
	return !trace || !memory_trace_has_failed(trace);
}

static bool run_one(struct cli_mem_run *run)
{
	if (run->kind != MEMORY_TRACE)
		return measure(run, NULL);

	struct memory_trace *trace = memory_trace_open(run->stream, run->format, &run->diag);
	const bool is_done = trace && measure(run, trace);

	memory_trace_close(trace);
	return is_done;
}

static void *work(void *ctx)
{
	struct state *s = ctx;

	pthread_mutex_lock(&s->lock);
	while (s->next < s->count && !is_stopped) {
		struct cli_mem_run *run = &s->runs[s->next++];

		s->running_count++;
		pthread_mutex_unlock(&s->lock);

		const bool is_done = run_one(run);

		pthread_mutex_lock(&s->lock);
		run->is_done = is_done && !s->is_left;
		s->running_count--;
		s->done_count++;
		if (!run->is_done)
			s->has_failed = is_stopped = true;
		pthread_cond_signal(&s->ended);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* ---- progress ---- */

/* Requests that are done, of those that will be; a trace does not tell how many it has. */
static double progress_of(const struct state *s)
{
	double done = 0, wanted = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct cli_mem_run *run = &s->runs[i];
		const double count = (double)run->params.request_count;

		if (run->params.request_count == 0)
			return 0;
		wanted += count;
		done += run->is_done ? count : (double)atomic_load(&run->progress.done_count);
	}
	return done / wanted;
}

static void print_progress(const struct state *s, struct cli_progress *p)
{
	double requests = 0;
	char rate[32];

	for (uint32_t i = 0; i < s->count; i++)
		requests += (double)atomic_load(&s->runs[i].progress.done_count);
	cli_live_count(requests / cli_progress_s(p), rate);
	cli_progress_draw(p, progress_of(s), "%u of %u runs done, %u running, %s requests/s", s->done_count, s->count,
			  s->running_count, rate);
}

static uint64_t time_ps_of(const struct memory_progress *p)
{
	const uint64_t per_ps = atomic_load(&p->units_per_ps);

	return per_ps ? atomic_load(&p->now_units) / per_ps : 0;
}

/* With the lock held: a file for each run that is under way. */
static void tell_top(struct state *s)
{
	/* Made when somebody could want to look; where there is no room for it nothing else fails. */
	if (!s->dir && !access(g_get_tmp_dir(), W_OK)) {
		s->dir = cli_scratch_make();
		s->live = s->dir ? g_new0(struct machine_live *, s->count) : NULL;
	}
	for (uint32_t i = 0; s->live && i < s->next; i++) {
		const struct cli_mem_run *run = &s->runs[i];
		const struct sim_progress p = {.time_ps = time_ps_of(&run->progress),
					       .accesses = atomic_load(&run->progress.done_count),
					       .done = atomic_load(&run->progress.done_count),
					       .total = run->params.request_count,
					       .of = "requests"};

		if (run->is_done) {
			machine_live_free(s->live[i]);
			s->live[i] = NULL;
			continue;
		}
		if (!s->live[i]) {
			g_autofree char *path = cli_live_path(s->dir, i), *own = g_strconcat(path, ".1", NULL);
			g_autofree char *stream = g_path_get_basename(run->stream);

			s->live[i] = machine_live_new(own, run->memory->about.name, stream);
		}
		machine_live_write(s->live[i], &p, NULL, 0);
	}
}

static void live_end(struct state *s)
{
	for (uint32_t i = 0; s->live && i < s->count; i++)
		machine_live_free(s->live[i]);
	g_clear_pointer(&s->live, g_free);
	if (s->dir)
		cli_scratch_remove(s->dir);
	s->dir = NULL;
}

/* How long runs may take to end after a signal: one that takes longer may never. */
enum { GRACE_S = 3 };

/* With the lock held, until all have ended, or one does not after a signal. */
static void wait_for_all(struct state *s)
{
	struct cli_progress progress;
	time_t interrupted = 0;

	cli_progress_begin(&progress);
	while (!s->is_left && (s->running_count || (s->next < s->count && !is_stopped))) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 500000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&s->ended, &s->lock, &until);
		if (s->running_count)
			tell_top(s);
		if (cli_progress_is_due(&progress))
			print_progress(s, &progress);
		if (was_interrupted && !interrupted)
			interrupted = time(NULL);
		s->is_left = interrupted && s->running_count && time(NULL) - interrupted > GRACE_S;
	}
	cli_progress_clear(&progress);
}

static const struct cli_mem_run *first_failed(const struct state *s)
{
	for (uint32_t i = 0; i < s->count && !s->is_left; i++)
		if (s->runs[i].diag.error_count)
			return &s->runs[i];
	return NULL;
}

int cli_mem_runs(struct cli_mem_run *runs, uint32_t count, uint32_t slots, bool *are_left)
{
	/* Static: threads that are left go on using it. */
	static struct state s = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
	const uint32_t wanted = slots ? slots : cli_usable_cores();
	g_autofree pthread_t *threads = g_new(pthread_t, wanted);
	uint32_t thread_count = 0;

	s.runs = runs;
	s.count = count;
	for (uint32_t i = 0; i < count; i++)
		base_diag_init(&runs[i].diag);
	catch_signals();
	json_object_seed(0); /* which jansson wants to do before there are threads */
	while (thread_count < MIN(wanted, count) && !pthread_create(&threads[thread_count], NULL, work, &s))
		thread_count++;
	if (!thread_count)
		work(&s); /* the host lends no thread */
	pthread_mutex_lock(&s.lock);
	wait_for_all(&s);
	live_end(&s);
	*are_left = s.is_left;
	pthread_mutex_unlock(&s.lock);
	for (uint32_t i = 0; i < thread_count && !*are_left; i++)
		pthread_join(threads[i], NULL);
	/* The same trace has the same mistake in every run. */
	if (s.has_failed && first_failed(&s)) {
		cli_diag_print(&first_failed(&s)->diag);
		return CLI_USAGE;
	}
	return was_interrupted ? CLI_INTERRUPTED : CLI_OK;
}

void cli_mem_run_free(struct cli_mem_run *run)
{
	json_decref(run->stats);
	json_decref(run->units);
	base_diag_free(&run->diag);
}
