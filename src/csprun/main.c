/* main.c - strata-csp FILE.csp [OPTIONS]: a program of the coprocessor, run on the machine of the session. Its exit
 * status is that of every such program (machine/part_door.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csprun/arguments.h"
#include "machine/csp.h"
#include "machine/part_door.h"

enum { EXIT_MISTAKE = 2 };

struct program {
	struct csprun_arguments arguments;
	struct csp_program *text;
	struct csp_machine *csp;
};

/* ---- before the run ---- */

static bool assemble(void *ctx, const struct machine_config *c, struct base_diag_list *diag)
{
	struct program *p = ctx;
	const struct csprun_arguments *a = &p->arguments;

	p->text = csp_assemble_file(a->file, machine_csp_config(c), (const struct csp_define *)(void *)a->defines->data,
				    a->defines->len, diag);
	return p->text;
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

/* The program and its data. */
static bool load(void *ctx, const struct machine *m, struct base_diag_list *diag)
{
	struct program *p = ctx;

	p->csp = machine_csp(m);
	return csp_machine_load(p->csp, p->text, diag) && ports_do(p->csp, p->arguments.outputs, output_check, diag) &&
	       csp_machine_data(p->csp, diag) && ports_do(p->csp, p->arguments.inputs, csp_machine_input, diag);
}

/* ---- the run, and after it ---- */

static bool run(void *ctx, struct machine_part_end *end, struct base_diag_list *diag)
{
	struct program *p = ctx;
	struct csp_result result;
	const bool is_right = csp_machine_run(p->csp, &result, diag);

	*end = (struct machine_part_end){.time_ps = result.time_ps,
					 .cycles = result.cycles,
					 .was_stopped = result.was_stopped,
					 .was_limited = result.was_limited,
					 .is_wrong = result.checks_passed < result.checks};
	return is_right;
}

static bool keep(void *ctx, struct base_diag_list *diag)
{
	const struct program *p = ctx;

	return ports_do(p->csp, p->arguments.outputs, csp_machine_output, diag);
}

static void progress(void *ctx, struct sim_progress *out)
{
	const struct program *p = ctx;

	csp_machine_progress(p->csp, out);
}

static void stop(void *ctx)
{
	const struct program *p = ctx;

	csp_machine_stop(p->csp);
}

int main(int argc, char **argv)
{
	static const struct machine_part_door door = {.part = &machine_csp_part,
						      .read = assemble,
						      .load = load,
						      .run = run,
						      .keep = keep,
						      .progress = progress,
						      .stop = stop};
	struct program program = {0};
	int exit_status = EXIT_MISTAKE;

	if (csprun_arguments_read(&program.arguments, argc, argv))
		exit_status = machine_part_door_main(&door, &program);
	csp_program_free(program.text);
	csprun_arguments_free(&program.arguments);
	return exit_status;
}
