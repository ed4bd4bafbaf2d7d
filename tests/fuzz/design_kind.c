/* design_kind.c - descriptions of the coprocessor: loaded, checked, and their power computed. */
#include "base/check.h"
#include "csp/power.h"
#include "machine/csp.h"
#include "machine/description.h"
#include "mutants.h"

static const char *const dirs[] = {DESIGNS_DIR};
static const struct sim_search search = {dirs, 1}, no_memories = {NULL, 0};

/* Nothing is looked at: the sanitizer looks. */
static void check_power(const struct csp_config *c)
{
	const struct csp_application a = csp_application_default();
	struct csp_power p;
	uint32_t transceivers;

	csp_power_correlation(c, &a, &p);
	csp_power_channelization(c, &a, &p);
	csp_power_io_w(c, &a, &transceivers);
}

static bool read_design(const char *text, size_t bytes)
{
	static struct machine_description about;
	struct base_diag_list diag;

	base_diag_init(&diag);

	const bool is_taken =
	    machine_description_load(mutants_file(text, bytes), &search, &no_memories, &about, &diag) &&
	    machine_config_check(&about.config, &diag);

	CHECK(is_taken == !diag.error_count);
	if (is_taken && machine_csp_config(&about.config))
		check_power(machine_csp_config(&about.config));
	base_diag_free(&diag);
	return is_taken;
}

const struct mutants_kind mutants_kind = {.name = "design", .part_count = 1, .read = read_design};
