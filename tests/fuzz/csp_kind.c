/* csp_kind.c - programs of the coprocessor: assembled, or refused with messages at a place; some of them run for a
 * while. */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "machine/csp.h"
#include "machine/parts.h"
#include "mutants.h"

enum { CORES = 3, LIMIT_PS = 4600000, RUN = 200 }; /* RUN: one of so many runs; LIMIT_PS: 2000 cycles */

static bool has_place(const struct base_diag_list *diag)
{
	return diag->first && g_str_has_prefix(diag->first->text, PROGRAMS_DIR "/");
}

static void run(const struct machine_config *config, const struct csp_program *p, struct base_diag_list *diag)
{
	struct machine *m = machine_new(config, false, diag);
	struct csp_machine *csp;
	struct csp_result r;

	CHECK(m);
	csp = machine_csp(m);
	if (csp_machine_load(csp, p, diag) && csp_machine_data(csp, diag))
		csp_machine_run(csp, &r, diag);
	machine_free(m);
}

static bool read_program(const char *text, size_t bytes)
{
	g_autofree char *whole = g_strndup(text, bytes); /* up to its first NUL, as csp_assemble takes it */
	static struct machine_config config;
	struct csp_config *csp;
	struct run_params *how;
	struct base_diag_list diag;

	machine_config_defaults(&config, machine_parts);
	machine_config_drop(&config, &machine_gpu_part);
	csp = machine_config_at(&config, &machine_csp_part);
	csp->csp.core_count = CORES;
	how = machine_config_at(&config, &machine_run_part);
	how->account = true;
	how->timeout_simulated_ps = LIMIT_PS;
	base_diag_init(&diag);

	struct csp_program *p = csp_assemble(whole, PROGRAMS_DIR "/mutant", csp, NULL, 0, &diag);
	const bool is_taken = p != NULL;

	CHECK(is_taken || has_place(&diag));
	if (p && g_str_hash(whole) % RUN == 0)
		run(&config, p, &diag);
	csp_program_free(p);
	base_diag_free(&diag);
	return is_taken;
}

const struct mutants_kind mutants_kind = {.name = "csp", .part_count = 1, .read = read_program};
