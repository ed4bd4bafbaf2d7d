/* run.c - a run from the program's first call to its results. */
#include "machine/run.h"

#include <errno.h>
#include <fenv.h>
#include <glib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "device/launches.h"
#include "machine/interrupt.h"
#include "machine/machine.h"
#include "machine/message.h"
#include "machine/result.h"
#include "machine/session.h"
#include "machine/sums.h"

enum { EXIT_OWN_FAILURE = 125 }; /* docs/cli.md */

static struct machine_session session; /* of the one run */
static const struct machine_door *used_door;

/* ---- begin ---- */

static enum machine_begin build(struct machine_run *run, struct base_diag_list *diag)
{
	if (!machine_session_load(&session, diag))
		return MACHINE_REFUSED;
	if (!machine_config_runs_kernels(&session.config)) {
		base_diag_error(diag, (struct base_place){0}, "machine '%s' has no GPU", session.machine);
		return MACHINE_REFUSED;
	}
	*run = (struct machine_run){.session = &session,
				    .name = session.machine,
				    .host = machine_host_params(&session.config),
				    .params = machine_run_params(&session.config),
				    .range = device_launches_range(machine_run_params(&session.config)->only),
				    .is_checked = *session.check_path};
	if (!machine_has_memory(&session.config))
		return MACHINE_NO_MEMORY;
	run->machine = machine_new(&session.config, run->params->audit, diag);
	if (!run->machine)
		return MACHINE_REFUSED;
	run->device = &run->machine->device;
	if (used_door->open(run))
		return MACHINE_BEGUN;
	machine_free(run->machine);
	run->machine = NULL;
	run->device = NULL;
	return MACHINE_NO_MEMORY;
}

enum machine_begin machine_run_begin(struct machine_run *run, const struct machine_door *door)
{
	struct base_diag_list diag;
	enum machine_begin result;

	used_door = door;
	base_diag_init(&diag);
	result = build(run, &diag);
	machine_print_diag(&diag);
	base_diag_free(&diag);
	if (result == MACHINE_NO_MEMORY && !session.is_default)
		_exit(EXIT_OWN_FAILURE); /* a status that no program's failure has */
	if (result != MACHINE_BEGUN)
		return result;
	machine_session_claim(&session);
	run->host_threads = machine_session_use_threads(&session, run->device);
	run->sums = machine_sums_new(run->machine);
	run->kernels = machine_kernels_new(run->params->kernel_count);
	machine_kernels_measure(run->kernels, run->sums);
	if (run->params->mode == RUN_SAMPLED || *run->params->fast_forward || *run->params->only ||
	    *run->params->checkpoint)
		machine_kernels_show_detail(run->kernels);
	run->timeline = machine_timeline_new(run->host, run->params, &run->device->traits, run->machine->ctx.stats);
	run->live = machine_live_new(session.live_path, run->name, session.program);
	machine_interrupt_install(run, door);
	if (session.is_default)
		machine_message("no machine given (start programs with `strata run`): using %s", session.machine);
	return result;
}

/* ---- what the program does ---- */

static void record(struct machine_run *run, const struct simt_launch *l, const struct device_result *result,
		   uint64_t time_ps)
{
	struct machine_kernel k = {
	    .name = l->program->name,
	    .is_faulted = l->fault.kind != SIMT_FAULT_NONE && l->fault.kind != SIMT_FAULT_STOPPED,
	    .result = *result,
	    .time_ps = time_ps,
	    .counts = machine_sums_end(run->sums),
	};

	memcpy(k.grid, l->grid, sizeof(k.grid));
	memcpy(k.block, l->block, sizeof(k.block));
	machine_kernels_add(run->kernels, &k);
}

void machine_run_region(struct machine_run *run, bool is_begin)
{
	if (run->device->ops->region && !run->range)
		run->device->ops->region(run->device, is_begin);
}

/* What is given within a range is of interest, whenever it runs. */
static void find_range(struct machine_run *run)
{
	if (run->range && used_door->is_in_range && run->device->ops->region)
		run->device->ops->region(run->device, used_door->is_in_range(run->range));
}

bool machine_run_launch(struct machine_run *run, struct simt_launch *l, struct machine_stream *stream,
			uint64_t given_ps, uint64_t ready_ps, struct device_result *result)
{
	const uint64_t start =
	    MAX(machine_timeline_start_ps(run->timeline, MACHINE_WORK_KERNEL, stream, given_ps), ready_ps);
	const char *name = machine_kernels_name(run->kernels, l->program->name);
	fenv_t of_program;
	uint64_t time_ps;
	bool is_right;

	run->device->ops->advance_ps(run->device, start);
	run->running_kernel = name;
	run->launch_count++;
	machine_sums_begin(run->sums);
	find_range(run);
	/* Kernels have rounding modes of their own; the program's is the host's, as what its denormals are. */
	fegetenv(&of_program);
	fesetenv(FE_DFL_ENV);
	is_right = run->device->ops->launch(run->device, l, result);
	fesetenv(&of_program);
	run->running_kernel = NULL;
	run->is_simulated_over = run->is_simulated_over || result->stop == DEVICE_STOP_SIMULATED;
	time_ps = result->end_ps - result->start_ps;
	run->kernel_time_ps += time_ps;
	run->kernel_cycles += result->cycles;
	/* The device begins with its next cycle, and rounds to picoseconds in its own way. */
	result->start_ps = MAX(result->start_ps, start);
	result->end_ps = MAX(result->end_ps, result->start_ps);
	record(run, l, result, time_ps);
	machine_timeline_add(run->timeline, MACHINE_WORK_KERNEL, stream, name, result->start_ps, result->end_ps, 0,
			     false);
	if (!is_right && !run->fault)
		run->fault = g_strdup(l->fault.text);
	return is_right;
}

/* ---- results ---- */

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void settle(struct machine_run *run, const char *ended)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	machine_timeline_settle(run->timeline);
	run->host_seconds = cpu_seconds();
	run->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	run->ended = ended;
}

void machine_run_keep(struct machine_run *run)
{
	const uint64_t work_count = machine_timeline_work_count(run->timeline), begin_ns = machine_now_ns();

	run->is_keep_due = false;
	if (run->is_written || work_count == run->kept_work_count)
		return;
	settle(run, MACHINE_ENDED_UNSEEN);
	run->kept_work_count = work_count;
	/* Where it does not succeed, the end will say so. */
	machine_result_write(run);
	run->keep_cost_ns = machine_now_ns() - begin_ns;
}

/* A name that no launch has is a mistake that only shows at the end. */
static void say_all_skipped(const struct machine_run *run)
{
	const struct run_params *p = run->params;
	struct machine_estimates e;

	if (run->fault || !machine_kernels_estimates(run->kernels, &e) || !e.skipped_launches ||
	    e.skipped_launches != machine_kernels_counts(run->kernels).ran)
		return;
	if (*p->only)
		machine_message("run.only = %s: none of the %llu launches is of it; nothing was timed", p->only,
				(unsigned long long)e.skipped_launches);
	else if (*p->checkpoint)
		machine_message("run.checkpoint = %s: it has all %llu launches; nothing was timed", p->checkpoint,
				(unsigned long long)e.skipped_launches);
	else
		machine_message("run.fast_forward = %s: all %llu launches came before it; nothing was timed",
				p->fast_forward, (unsigned long long)e.skipped_launches);
}

void machine_run_write(struct machine_run *run, const char *ended)
{
	if (run->is_written)
		return;
	run->is_written = true;
	used_door->close(run, !strcmp(ended, MACHINE_ENDED_BY_EXIT));
	say_all_skipped(run);
	settle(run, ended);
	if (session.result_path[0] && !machine_result_write(run)) {
		machine_message("error: cannot write the results to %s: %s", session.result_path, strerror(errno));
		machine_result_lost(session.result_path);
	}
	if (session.is_default)
		machine_result_print_short(run, STDERR_FILENO);
}

/* ---- end ---- */

void machine_run_end(struct machine_run *run)
{
	machine_interrupt_hold();
	if (pthread_mutex_trylock(used_door->lock)) {
		run->device->ops->interrupt(run->device, DEVICE_STOP_USER);
		pthread_mutex_lock(used_door->lock);
	}
	machine_run_write(run, MACHINE_ENDED_BY_EXIT);
	machine_interrupt_end();
}

void machine_run_free(struct machine_run *run)
{
	machine_sums_free(run->sums);
	machine_free(run->machine);
	machine_timeline_free(run->timeline);
	machine_kernels_free(run->kernels);
	machine_live_free(run->live);
	g_free(run->fault);
}
