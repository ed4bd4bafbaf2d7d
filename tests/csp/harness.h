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

#include "machine/csp.h"
#include "machine/description.h"
#include "machine/parts.h"

struct harness {
	struct csp_config config;
	struct machine_config whole; /* with it */
	struct csp_program *program;
	struct machine *built;
	struct csp_machine *machine; /* its */
	struct csp_result result;
	struct base_diag_list diag;
};

/* machine: "alpha" or "beta". */
static inline void harness_begin(struct harness *h, const char *machine)
{
	static const char *const dirs[] = {MACHINES_DIR};
	static const struct sim_search search = {dirs, 1}, no_memories = {NULL, 0};
	static struct machine_description about;
	g_autofree char *name = g_strconcat("csp-", machine, NULL);

	memset(h, 0, sizeof(*h));
	base_diag_init(&h->diag);
	if (!machine_description_load(name, &search, &no_memories, &about, &h->diag))
		fail_msg("%s", h->diag.first->text);
	h->whole = about.config;
	h->config = *machine_csp_config(&about.config);
}

static inline void harness_set(struct harness *h, const char *assignment)
{
	struct sim_param_groups groups = {.count = 0};

	csp_config_groups(&h->config, &groups);
	if (!sim_description_set(&groups, assignment, "test", &h->diag))
		fail_msg("%s", h->diag.first->text);
}

/* The machine without a program, and with an account. */
static inline void harness_build_bare(struct harness *h)
{
	struct run_params *run = machine_config_at(&h->whole, &machine_run_part);

	run->account = true;
	*(struct csp_config *)machine_config_at(&h->whole, &machine_csp_part) = h->config;
	h->built = machine_new(&h->whole, true, &h->diag);
	if (!h->built)
		fail_msg("%s", h->diag.first->text);
	h->machine = machine_csp(h->built);
}

/* The machine with its data, before the run. */
static inline void harness_build(struct harness *h, struct csp_program *program)
{
	if (!program)
		fail_msg("%s", h->diag.first->text);
	h->program = program;
	harness_build_bare(h);
	if (!csp_machine_load(h->machine, program, &h->diag) || !csp_machine_data(h->machine, &h->diag))
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
	machine_free(h->built);
	csp_program_free(h->program);
	base_diag_free(&h->diag);
}

#endif
