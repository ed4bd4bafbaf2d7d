/* part_door.c - a part's program, from its session to its results. */
#include "machine/part_door.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "machine/message.h"
#include "machine/result.h"
#include "machine/session.h"
#include "machine/watch.h"

enum { EXIT_WRONG = 1, EXIT_MISTAKE = 2, EXIT_TIMEOUT = 124, EXIT_OWN_FAILURE = 125, EXIT_BY_SIGNAL = 128 };

struct opened {
	const struct machine_part_door *door;
	void *ctx;
	struct machine_session session;
	struct machine_run run;
	struct machine_part_end end;
	struct base_diag_list diag; /* what is wrong; said at the end */
};

/* ---- before the run ---- */

static bool load_session(struct opened *o)
{
	const struct machine_part *part = o->door->part;

	if (!machine_session_load(&o->session, &o->diag))
		return false;
	if (!o->session.is_default && machine_config_has(&o->session.config, part))
		return true;
	if (o->session.is_default)
		machine_message("error: strata starts this program: strata run --machine %s -- FILE%s",
				part->files->machine, part->files->suffix);
	else
		machine_message("error: machine '%s' does not run %s", o->session.machine, part->runs);
	return false;
}

/* The machine with its program. */
static bool build(struct opened *o)
{
	const struct machine_part_door *door = o->door;

	if (door->read && !door->read(o->ctx, &o->session.config, &o->diag))
		return false;
	o->run = (struct machine_run){.session = &o->session,
				      .name = o->session.machine,
				      .host = machine_host_params(&o->session.config),
				      .params = machine_run_params(&o->session.config)};
	o->run.machine = machine_new(&o->session.config, o->run.params->audit, &o->diag);
	machine_session_use_threads(&o->session, NULL);
	return o->run.machine && (!door->load || door->load(o->ctx, o->run.machine, &o->diag));
}

/* ---- after it ---- */

static bool is_whole(const struct opened *o)
{
	return !o->run.fault && !o->end.was_stopped && !o->end.was_limited;
}

/* By a signal the results so far are kept; the command ends a program whose time is over by one. */
static void note_end(struct opened *o)
{
	const uint64_t deadline_ns = machine_session_deadline_ns();
	struct machine_run *run = &o->run;

	run->ended = MACHINE_ENDED_BY_EXIT;
	if (o->end.was_stopped) {
		run->is_wall_over = deadline_ns && machine_live_now_ns() >= deadline_ns;
		run->is_interrupted = !run->is_wall_over;
		run->ended = run->is_wall_over ? "timeout" : "signal";
		machine_message("%s: keeping the results so far",
				run->is_wall_over ? "the time is over" : "interrupted");
	} else if (o->end.was_limited) {
		run->is_simulated_over = true;
		run->ended = "timeout";
		machine_message("error: ended by the limit of simulated time (run.timeout_simulated_ps)");
	}
}

/* False after a message. */
static bool write_results(struct opened *o)
{
	struct machine_run *run = &o->run;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	run->kernel_time_ps = o->end.time_ps;
	run->kernel_cycles = o->end.cycles;
	run->host_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	run->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	if (!*o->session.result_path || machine_result_write(run))
		return true;
	machine_message("error: cannot write the results to %s: %s", o->session.result_path, strerror(errno));
	machine_result_lost(o->session.result_path);
	return false;
}

/* Nothing that was counted has been lost on the way. */
static bool laws_hold(const struct opened *o)
{
	const char *broken = is_whole(o) ? sim_stats_broken_law(o->run.machine->ctx.stats) : NULL;

	if (broken)
		machine_message("error: a law does not hold: %s", broken);
	return !broken;
}

static int status_of(const struct opened *o)
{
	if (o->end.was_limited)
		return EXIT_TIMEOUT;
	if (o->run.fault)
		return EXIT_MISTAKE;
	return o->end.is_wrong ? EXIT_WRONG : EXIT_SUCCESS;
}

/* A machine that is there, to its results. */
static int run(struct opened *o)
{
	const struct machine_part_door *door = o->door;
	const struct machine_watched watched = {door->progress, door->stop, o->ctx};
	struct machine_run *run = &o->run;
	int exit_status;

	machine_session_claim(&o->session);
	run->kernels = machine_kernels_new(1);
	run->live = machine_live_new(o->session.live_path, o->session.machine, o->session.program);
	machine_watch_begin(&watched, run->live);
	if (!door->run(o->ctx, &o->end, &o->diag))
		run->fault = g_strdup(o->diag.first->text);
	machine_watch_end();
	note_end(o);
	exit_status = status_of(o);
	if (!laws_hold(o) || !write_results(o))
		exit_status = EXIT_OWN_FAILURE;
	if (is_whole(o) && door->keep && !door->keep(o->ctx, &o->diag))
		exit_status = EXIT_OWN_FAILURE;
	return machine_watch_signal() ? EXIT_BY_SIGNAL + machine_watch_signal() : exit_status;
}

int machine_part_door_main(const struct machine_part_door *door, void *ctx)
{
	static struct opened o;
	int exit_status = EXIT_MISTAKE;

	o.door = door;
	o.ctx = ctx;
	base_diag_init(&o.diag);
	if (load_session(&o) && build(&o))
		exit_status = run(&o);
	machine_print_diag(&o.diag);
	base_diag_free(&o.diag);
	if (o.run.kernels)
		machine_run_free(&o.run);
	else
		machine_free(o.run.machine);
	return exit_status;
}
