/* harness.h - programs for the coprocessor in tests: assembled, run, looked at. */
#ifndef STRATA_TESTS_CSP_HARNESS_H
#define STRATA_TESTS_CSP_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glib.h>
#include <string.h>

#include "csp/machine.h"

struct harness {
	struct csp_config config;
	struct csp_program *program;
	struct csp_machine *machine;
	struct csp_result result;
	struct base_diag_list diag;
};

static inline void harness_begin(struct harness *h, const char *machine)
{
	static const char *const dirs[] = {MACHINES_DIR};
	static const struct sim_search search = {dirs, 1};

	memset(h, 0, sizeof(*h));
	base_diag_init(&h->diag);
	if (!csp_config_load(machine, &search, &h->config, &h->diag))
		fail_msg("%s", h->diag.first->text);
}

static inline void harness_set(struct harness *h, const char *assignment)
{
	if (!csp_config_set(&h->config, assignment, "test", &h->diag))
		fail_msg("%s", h->diag.first->text);
}

/* The machine with its data, before the run. */
static inline void harness_build(struct harness *h, struct csp_program *program)
{
	if (!program || !csp_config_check(&h->config, &h->diag))
		fail_msg("%s", h->diag.first->text);
	h->program = program;
	h->machine = csp_machine_new(&h->config, program, CSP_AUDIT | CSP_ACCOUNT, &h->diag);
	if (!h->machine || !csp_machine_data(h->machine, &h->diag))
		fail_msg("%s", h->diag.first->text);
}

static inline void harness_run(struct harness *h)
{
	if (!csp_machine_run(h->machine, &h->result, &h->diag))
		fail_msg("%s", h->diag.first->text);
}

static inline void harness_text(struct harness *h, const char *text)
{
	harness_build(h, csp_assemble(text, "text", &h->config, NULL, 0, &h->diag));
	harness_run(h);
}

static inline void harness_file(struct harness *h, const char *name, const struct csp_define *defines, uint32_t count)
{
	g_autofree char *path = g_build_filename(PROGRAMS_DIR, name, NULL);

	harness_build(h, csp_assemble_file(path, &h->config, defines, count, &h->diag));
	harness_run(h);
}

static inline uint64_t harness_stat(const struct harness *h, const char *key)
{
	uint64_t value = 0;

	if (!sim_stats_value(csp_machine_stats(h->machine), key, &value))
		fail_msg("no statistic %s", key);
	return value;
}

static inline void harness_end(struct harness *h)
{
	csp_machine_free(h->machine);
	csp_program_free(h->program);
	base_diag_free(&h->diag);
}

#endif
