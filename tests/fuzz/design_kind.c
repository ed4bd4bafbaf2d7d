/* design_kind.c - descriptions of the coprocessor: loaded, checked, and their power computed. */
#include "base/check.h"
#include "csp/config.h"
#include "csp/power.h"
#include "mutants.h"

static const char *const dirs[] = {DESIGNS_DIR};
static const struct sim_search search = {dirs, 1};

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
	static struct csp_config c;
	struct base_diag_list diag;

	base_diag_init(&diag);

	const bool is_taken = csp_config_load(mutants_file(text, bytes), &search, &c, &diag) &&
			      csp_config_check(&c, &diag);

	CHECK(is_taken == !diag.error_count);
	if (is_taken)
		check_power(&c);
	base_diag_free(&diag);
	return is_taken;
}

const struct mutants_kind mutants_kind = {.name = "design", .part_count = 1, .read = read_design};
