/* csp_kind.c - programs of the coprocessor: assembled, or refused with messages at a place; some of them run for a
 * while. */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "csp/machine.h"
#include "mutants.h"

enum { CORES = 3, LIMIT_CYCLES = 2000, RUN = 200 }; /* RUN: one of so many runs */

static bool has_place(const struct base_diag_list *diag)
{
	return diag->first && g_str_has_prefix(diag->first->text, PROGRAMS_DIR "/");
}

static void run(const struct csp_config *config, const struct csp_program *p, struct base_diag_list *diag)
{
	struct csp_machine *m = csp_machine_new(config, p, CSP_ACCOUNT, diag);
	struct csp_result r;

	if (m && csp_machine_data(m, diag))
		csp_machine_run(m, &r, diag);
	csp_machine_free(m);
}

static bool read_program(const char *text, size_t bytes)
{
	g_autofree char *whole = g_strndup(text, bytes); /* up to its first NUL, as csp_assemble takes it */
	struct csp_config config;
	struct base_diag_list diag;

	csp_config_defaults(&config);
	config.csp.core_count = CORES;
	config.csp.limit_cycles = LIMIT_CYCLES;
	base_diag_init(&diag);

	struct csp_program *p = csp_assemble(whole, PROGRAMS_DIR "/mutant", &config, NULL, 0, &diag);
	const bool is_taken = p != NULL;

	CHECK(is_taken || has_place(&diag));
	if (p && g_str_hash(whole) % RUN == 0)
		run(&config, p, &diag);
	csp_program_free(p);
	base_diag_free(&diag);
	return is_taken;
}

const struct mutants_kind mutants_kind = {.name = "csp", .part_count = 1, .read = read_program};
