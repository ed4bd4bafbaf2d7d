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
#include "cli/keep.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/scratch.h"
#include "csp/machine.h"
#include "machine/json.h"
#include "machine/live.h"
#include "machine/tables.h"
#include "report/report.h"

/* ---- Ctrl-C ---- */

static struct csp_machine *running;

/* The second one ends us. */
static void on_interrupt(int signal_number)
{
	(void)signal_number;
	csp_machine_stop(running);
}

static void catch_signals(struct csp_machine *m)
{
	const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};

	running = m;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup stays nohup */
		sigaction(SIGHUP, &action, NULL);
}

static void release_signals(void)
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

/* Before hours of simulation: is there such an output, and can its file be written? */
static bool output_check(struct csp_machine *m, const char *name, const char *path, struct base_diag_list *diag)
{
	return csp_port_exists(m, name, true, diag) && cli_output_check("csp", "output", path);
}

/* ---- results ---- */

static void put_stat(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
		     const struct sim_hist *hist)
{
	g_autofree char *key = g_strconcat(prefix, ".", row->name, NULL);

	if (!hist)
		put_int(ctx, key, value);
}

static const char *why_not_verified(const struct csp_result *r)
{
	if (r->was_stopped)
		return "interrupted";
	if (r->was_limited)
		return "ended by csp.limit_cycles";
	if (!r->checks)
		return "the program checks nothing";
	return r->checks_passed < r->checks ? "a check failed" : NULL;
}

static int status_of(const struct csp_result *r)
{
	if (r->was_stopped)
		return CLI_INTERRUPTED;
	return r->was_limited || r->checks_passed < r->checks ? CLI_FAILED : CLI_OK;
}

/* Of one file, its own; with those that it includes, of all their sums, a line each as sha256sum without names. */
static char *sources_sha256(const struct csp_program *p)
{
	g_autoptr(GString) sums = g_string_new(NULL);

	for (char **file = p->files; *file; file++) {
		g_autofree char *sum = cli_file_sha256(*file);

		if (!sum)
			return NULL;
		if (!p->files[1])
			return g_steal_pointer(&sum);
		g_string_append_printf(sums, "%s\n", sum);
	}
	return g_compute_checksum_for_string(G_CHECKSUM_SHA256, sums->str, -1);
}

/* What the run was of. */
static void put_head(json_t *o, const char *file, const struct csp_program *p, const struct csp_config *c,
		     const struct cli_csp_run *options, const struct csp_result *r)
{
	g_autofree char *name = g_path_get_basename(file), *sum = sources_sha256(p);
	g_autofree char *path = g_canonicalize_filename(file, NULL);
	const char *why = why_not_verified(r);
	json_t *args = json_array();

	for (uint32_t i = 0; i < options->defines->len; i++) {
		json_array_append_new(args, json_string("--define"));
		json_array_append_new(args, json_string(options->defines->pdata[i]));
	}
	put_text(o, "workload", name);
	json_object_set_new(o, "args", args);
	put_text(o, "machine", c->about.name);
	put_text(o, "mechanism", "none");
	json_object_set_new(o, "verified", json_boolean(!why));
	put_text(o, "verified_by", "workload");
	json_object_set_new(o, "not_verified", why ? json_string(why) : json_null());
	put_int(o, "exit_status", (uint64_t)status_of(r));
	json_object_set_new(o, "interrupted", json_boolean(r->was_stopped));
	put_text(o, "timed_out", r->was_limited ? "simulated" : NULL);
	put_text(o, "program", file);
	put_text(o, "program_path", path);
	put_text(o, "program_sha256", sum);
	put_text(o, "machine_file", c->about.path[0] ? c->about.path : NULL);
}

static void put_measures(json_t *o, json_t *units, const struct csp_program *p)
{
	json_t *measures = json_object();

	for (uint32_t i = 0; i < p->measure_count; i++) {
		g_autofree char *key = g_strconcat("measures.", p->measures[i].name, NULL);

		put_real(measures, p->measures[i].name, p->measures[i].value);
		put_text(units, key, p->measures[i].name);
	}
	json_object_set_new(o, "measures", measures);
}

static void put_coprocessor(json_t *o, const struct csp_result *r)
{
	json_t *c = json_object();

	put_int(c, "cores", r->cores);
	put_int(c, "cfmas", r->cfmas);
	put_real(c, "utilisation", r->utilisation);
	put_int(c, "from_memory_bytes", r->from_memory_bytes);
	put_int(c, "to_memory_bytes", r->to_memory_bytes);
	put_int(c, "checks", r->checks);
	put_int(c, "checks_passed", r->checks_passed);
	put_real(c, "worst_error", r->worst_error);
	json_object_set_new(o, "coprocessor", c);
}

static void put_units(json_t *units)
{
	put_text(units, "time_ps", "ps");
	put_text(units, "energy_pj", "pJ");
	put_text(units, "energy_total_pj", "pJ");
	put_text(units, "coprocessor.utilisation",
		 "of the functional units of the cores that have a program, 0 to 1");
	put_text(units, "coprocessor.worst_error", "the largest error of all checks over its bound");
}

static json_t *run_json(const struct cli_csp_run *options, const char *file, struct csp_config *c,
			const struct csp_program *p, const struct csp_machine *m, const struct csp_result *r)
{
	json_t *o = json_object(), *energy = json_object(), *stats = json_object(), *units = json_object();
	struct sim_param_groups groups;
	char hash[32];

	csp_config_groups(c, &groups);
	g_snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)csp_machine_hash(m));
	put_head(o, file, p, c, options, r);
	put_int(o, "cycles", r->cycles);
	put_int(o, "time_ps", r->time_ps);
	put_int(o, "total_time_ps", r->time_ps);
	put_measures(o, units, p);
	put_coprocessor(o, r);
	put_real(o, "energy_total_pj", r->energy.total_pj);
	for (uint32_t i = 0; i < r->energy.component_count; i++)
		put_real(energy, r->energy.components[i].name, r->energy.components[i].pj);
	json_object_set_new(o, "energy_pj", energy);
	sim_stats_each(csp_machine_stats(m), put_stat, stats);
	json_object_set_new(o, "stats", stats);
	put_text(o, "run_hash", hash);
	put_real(o, "host_seconds", r->host_seconds);
	json_object_set_new(o, "params", machine_params_json(&groups, units));
	put_units(units);
	json_object_set_new(o, "units", units);
	cli_provenance_put(o);
	return o;
}

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
	catch_signals(m);
	watch_begin(&w, m, dir, machine, file);
	has_run = csp_machine_run(m, r, diag);
	watch_end(&w);
	release_signals();
	cli_scratch_remove(dir);
	return has_run;
}

int cli_csp_run(const struct cli_csp_run *o, const char *file, struct csp_config *config,
		const struct csp_program *program, struct base_diag_list *diag)
{
	struct csp_machine *m = csp_machine_new(config, program, o->audit, diag);
	int exit_status = CLI_USAGE;
	struct csp_result r;
	bool has_run = false;

	if (m && ports_do(m, o->outputs, output_check, diag) && csp_machine_data(m, diag) &&
	    ports_do(m, o->inputs, csp_machine_input, diag))
		has_run = run_watched(m, config->about.name, file, &r, diag, &exit_status);
	if (has_run) {
		json_t *out = run_json(o, file, config, program, m, &r);

		exit_status = status_of(&r);
		/* Whatever becomes of its files, the run is kept. */
		if (!keep(o->json, out))
			exit_status = CLI_UNABLE;
		if (!r.was_stopped && !r.was_limited && !ports_do(m, o->outputs, csp_machine_output, diag))
			exit_status = CLI_UNABLE;
		report_summary_print(stdout, out);
		json_decref(out);
	}
	csp_machine_free(m);
	return exit_status;
}
