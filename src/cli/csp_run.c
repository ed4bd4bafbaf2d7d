/* csp_run.c - strata csp run. */
#include "cli/csp_run.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "cli/csp_result.h"
#include "cli/csp_why.h"
#include "cli/keep.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/scratch.h"
#include "csp/machine.h"
#include "machine/live.h"
#include "report/report.h"

/* ---- Ctrl-C ---- */

static struct csp_machine *volatile running;
static volatile sig_atomic_t was_interrupted;

/* The second one ends us. */
static void on_interrupt(int signal_number)
{
	struct csp_machine *m = running;

	(void)signal_number;
	was_interrupted = 1;
	if (m)
		csp_machine_stop(m);
}

bool cli_csp_was_interrupted(void)
{
	return was_interrupted;
}

void cli_csp_signals_catch(struct csp_machine *m)
{
	const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};

	running = m;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup stays nohup */
		sigaction(SIGHUP, &action, NULL);
}

void cli_csp_signals_release(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN)
		signal(SIGHUP, SIG_DFL);
}

/* ---- how far it is: a thread that looks, for a terminal and for strata top ---- */

struct watch {
	const struct csp_machine *machine;
	struct machine_live *live;
	struct cli_progress progress;
	pthread_t thread;
	sem_t over;
	bool is_watched;
};

static void draw(struct cli_progress *progress, const struct sim_progress *p, double ps_per_s)
{
	char time[32], rate[32];

	cli_progress_draw(progress, 0, "%s simulated, %s/s, %" PRIu64 " of %" PRIu64 " %s",
			  cli_live_time((double)p->time_ps, time), cli_live_time(ps_per_s, rate), p->done, p->total,
			  p->of);
}

static void *watch(void *ctx)
{
	struct watch *w = ctx;
	struct timespec until;
	uint64_t last_ps = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	for (;;) {
		struct sim_progress p;

		until.tv_nsec += MACHINE_LIVE_PERIOD_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (!sem_clockwait(&w->over, CLOCK_MONOTONIC, &until))
			return NULL;
		csp_machine_progress(w->machine, &p);
		machine_live_write(w->live, &p, NULL, 0);
		if (cli_progress_is_due(&w->progress))
			draw(&w->progress, &p, (double)(p.time_ps - last_ps) * 1e9 / MACHINE_LIVE_PERIOD_NS);
		last_ps = p.time_ps;
	}
}

/* Signals go to the thread that simulates. */
static void watch_begin(struct watch *w, const struct csp_machine *m, const char *dir, const char *machine,
			const char *file)
{
	g_autofree char *path = cli_live_path(dir, 0), *own = g_strconcat(path, ".1", NULL);
	g_autofree char *name = g_path_get_basename(file);
	sigset_t all, before;

	*w = (struct watch){.machine = m, .live = machine_live_new(own, machine, name)};
	cli_progress_begin(&w->progress);
	sem_init(&w->over, 0, 0);
	json_object_seed(0); /* which jansson wants to do before there are threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	w->is_watched = !pthread_create(&w->thread, NULL, watch, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void watch_end(struct watch *w)
{
	sem_post(&w->over);
	if (w->is_watched)
		pthread_join(w->thread, NULL);
	cli_progress_clear(&w->progress);
	machine_live_free(w->live);
	sem_destroy(&w->over);
}

/* ---- files ---- */

typedef bool port_do(struct csp_machine *m, const char *name, const char *path, struct base_diag_list *diag);

/* Does it for each "NAME=FILE". */
static bool ports_do(struct csp_machine *m, const GPtrArray *texts, port_do *act, struct base_diag_list *diag)
{
	for (uint32_t i = 0; i < texts->len; i++) {
		const char *text = texts->pdata[i], *equals = strchr(text, '=');
		g_autofree char *name = g_strndup(text, (size_t)(equals - text));

		if (!act(m, name, equals + 1, diag))
			return false;
	}
	return true;
}

bool cli_csp_inputs(struct csp_machine *m, const GPtrArray *inputs, struct base_diag_list *diag)
{
	return ports_do(m, inputs, csp_machine_input, diag);
}

/* Before hours of simulation: is there such an output, and can its file be written? */
static bool output_check(struct csp_machine *m, const char *name, const char *path, struct base_diag_list *diag)
{
	return csp_port_exists(m, name, true, diag) && cli_output_check("csp", "output", path);
}

/* ---- a run ---- */

/* Into the store and the file; what is wrong is said. */
static bool keep(const char *json, json_t *run)
{
	json_t *runs = json_pack("[O]", run);
	const bool is_kept = cli_runs_keep(runs);

	json_decref(runs);
	return cli_json_keep(json, run) && is_kept;
}

/* False, with the exit status set or messages in diag: it did not come to its end. */
static bool run_watched(struct csp_machine *m, const char *machine, const char *file, struct csp_result *r,
			struct base_diag_list *diag, int *exit_status)
{
	char *dir = cli_scratch_make();
	struct watch w;
	bool has_run;

	if (!dir) {
		*exit_status = CLI_UNABLE;
		return false;
	}
	cli_csp_signals_catch(m);
	watch_begin(&w, m, dir, machine, file);
	has_run = csp_machine_run(m, r, diag);
	watch_end(&w);
	cli_csp_signals_release();
	cli_scratch_remove(dir);
	return has_run;
}

int cli_csp_run(const struct cli_csp_run *o, const char *file, struct csp_config *config,
		const struct csp_program *program, struct base_diag_list *diag)
{
	struct csp_machine *m = csp_machine_new(config, program, o->watch, diag);
	int exit_status = CLI_USAGE;
	struct csp_result r;
	bool has_run = false;

	if (m && ports_do(m, o->outputs, output_check, diag) && csp_machine_data(m, diag) &&
	    cli_csp_inputs(m, o->inputs, diag))
		has_run = run_watched(m, config->about.name, file, &r, diag, &exit_status);
	if (has_run) {
		json_t *out = cli_csp_result(o, file, config, program, m, &r);

		exit_status = cli_csp_status(&r);
		/* Whatever becomes of its files, the run is kept. */
		if (!keep(o->is_explained ? NULL : o->json, out))
			exit_status = CLI_UNABLE;
		if (!r.was_stopped && !r.was_limited && !ports_do(m, o->outputs, csp_machine_output, diag))
			exit_status = CLI_UNABLE;
		report_summary_print(stdout, out);
		if (o->is_explained && exit_status == CLI_OK)
			exit_status = cli_csp_explain(o, config, program, out);
		json_decref(out);
	}
	csp_machine_free(m);
	return exit_status;
}
