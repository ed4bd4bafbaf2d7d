/* main.c - strata-csp FILE.csp [OPTIONS]: a program of the coprocessor, run on the machine of the session.
 *
 * Its exit status is 0; 1 when a check has failed; 2 after a mistake of the program, or of who started it; 124 at the
 * limit of simulated time; 125 where a file or memory was not to be had; 128 and the number of the signal that ended
 * it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "csprun/arguments.h"
#include "csprun/watch.h"
#include "machine/csp.h"
#include "machine/message.h"
#include "machine/result.h"
#include "machine/session.h"

enum { EXIT_CHECK = 1, EXIT_MISTAKE = 2, EXIT_TIMEOUT = 124, EXIT_OWN_FAILURE = 125, EXIT_BY_SIGNAL = 128 };

struct door {
	struct machine_session session;
	struct machine_run run;
	struct csprun_arguments arguments;
	struct csp_program *program;
	struct csp_machine *csp;
	struct csp_result result;
	struct base_diag_list diag; /* what is wrong; said at the end */
};

/* ---- before the run ---- */

static bool load_session(struct door *d)
{
	if (!machine_session_load(&d->session, &d->diag))
		return false;
	if (!d->session.is_default && machine_csp_config(&d->session.config))
		return true;
	if (d->session.is_default)
		machine_message("error: strata starts this program: strata run --machine csp-alpha -- FILE.csp");
	else
		machine_message("error: machine '%s' has no coprocessor", d->session.machine);
	return false;
}

static bool assemble(struct door *d)
{
	const struct csprun_arguments *a = &d->arguments;

	d->program = csp_assemble_file(a->file, machine_csp_config(&d->session.config),
				       (const struct csp_define *)(void *)a->defines->data, a->defines->len, &d->diag);
	return d->program;
}

typedef bool port_do(struct csp_machine *m, const char *name, const char *path, struct base_diag_list *diag);

static bool ports_do(struct csp_machine *m, const GArray *ports, port_do *act, struct base_diag_list *diag)
{
	for (uint32_t i = 0; i < ports->len; i++) {
		const struct csprun_port *p = &g_array_index(ports, struct csprun_port, i);

		if (!act(m, p->name, p->path, diag))
			return false;
	}
	return true;
}

/* Before hours of simulation: is there such an output, and can its file be written? */
static bool output_check(struct csp_machine *m, const char *name, const char *path, struct base_diag_list *diag)
{
	g_autofree char *dir = g_path_get_dirname(path);

	if (!csp_port_exists(m, name, true, diag))
		return false;
	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		errno = EISDIR;
	else if (!access(g_file_test(path, G_FILE_TEST_EXISTS) ? path : dir, W_OK))
		return true;
	base_diag_error(diag, (struct base_place){.file = path}, "cannot write it: %s", strerror(errno));
	return false;
}

/* The machine with its program and its data. */
static bool build(struct door *d)
{
	d->run = (struct machine_run){.session = &d->session,
				      .name = d->session.machine,
				      .host = machine_host_params(&d->session.config),
				      .params = machine_run_params(&d->session.config)};
	d->run.machine = machine_new(&d->session.config, d->run.params->audit, &d->diag);
	d->csp = d->run.machine ? machine_csp(d->run.machine) : NULL;
	return d->csp && csp_machine_load(d->csp, d->program, &d->diag) &&
	       ports_do(d->csp, d->arguments.outputs, output_check, &d->diag) &&
	       csp_machine_data(d->csp, &d->diag) && ports_do(d->csp, d->arguments.inputs, csp_machine_input, &d->diag);
}

/* ---- after it ---- */

static bool is_whole(const struct door *d)
{
	return !d->run.fault && !d->result.was_stopped && !d->result.was_limited;
}

/* By a signal the results so far are kept; the command ends a program whose time is over by one. */
static void note_end(struct door *d)
{
	const uint64_t deadline_ns = machine_session_deadline_ns();
	struct machine_run *run = &d->run;

	run->ended = MACHINE_ENDED_BY_EXIT;
	if (d->result.was_stopped) {
		run->is_wall_over = deadline_ns && machine_live_now_ns() >= deadline_ns;
		run->is_interrupted = !run->is_wall_over;
		run->ended = run->is_wall_over ? "timeout" : "signal";
		machine_message("%s: keeping the results so far",
				run->is_wall_over ? "the time is over" : "interrupted");
	} else if (d->result.was_limited) {
		run->is_simulated_over = true;
		run->ended = "timeout";
		machine_message("error: ended by the limit of simulated time (run.timeout_simulated_ps)");
	}
}

/* False after a message. */
static bool write_results(struct door *d)
{
	struct machine_run *run = &d->run;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	run->kernel_time_ps = d->result.time_ps;
	run->kernel_cycles = d->result.cycles;
	run->host_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	run->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	if (!*d->session.result_path || machine_result_write(run))
		return true;
	machine_message("error: cannot write the results to %s: %s", d->session.result_path, strerror(errno));
	machine_result_lost(d->session.result_path);
	return false;
}

/* Nothing that was counted has been lost on the way. */
static bool laws_hold(const struct door *d)
{
	const char *broken = is_whole(d) ? sim_stats_broken_law(d->run.machine->ctx.stats) : NULL;

	if (broken)
		machine_message("error: a law does not hold: %s", broken);
	return !broken;
}

static int status_of(const struct door *d)
{
	if (d->result.was_limited)
		return EXIT_TIMEOUT;
	if (d->run.fault)
		return EXIT_MISTAKE;
	return d->result.checks_passed < d->result.checks ? EXIT_CHECK : EXIT_SUCCESS;
}

/* A machine that is there, to its results. */
static int run(struct door *d)
{
	struct machine_run *run = &d->run;
	int exit_status;

	machine_session_claim(&d->session);
	run->kernels = machine_kernels_new(1);
	run->live = machine_live_new(d->session.live_path, d->session.machine, d->session.program);
	csprun_watch_begin(d->csp, run->live);
	if (!csp_machine_run(d->csp, &d->result, &d->diag))
		run->fault = g_strdup(d->diag.first->text);
	csprun_watch_end();
	note_end(d);
	exit_status = status_of(d);
	if (!laws_hold(d) || !write_results(d))
		exit_status = EXIT_OWN_FAILURE;
	if (is_whole(d) && !ports_do(d->csp, d->arguments.outputs, csp_machine_output, &d->diag))
		exit_status = EXIT_OWN_FAILURE;
	return csprun_watch_signal() ? EXIT_BY_SIGNAL + csprun_watch_signal() : exit_status;
}

int main(int argc, char **argv)
{
	static struct door d;
	int exit_status = EXIT_MISTAKE;

	base_diag_init(&d.diag);
	if (csprun_arguments_read(&d.arguments, argc, argv) && load_session(&d) && assemble(&d) && build(&d))
		exit_status = run(&d);
	machine_print_diag(&d.diag);
	base_diag_free(&d.diag);
	if (d.run.kernels)
		machine_run_free(&d.run);
	else
		machine_free(d.run.machine);
	csp_program_free(d.program);
	csprun_arguments_free(&d.arguments);
	return exit_status;
}
