/* telescope_kind.c - descriptions of telescopes: loaded, checked, and what they need computed. */
#include "base/check.h"
#include "mutants.h"
#include "ska/model.h"

static const char *const dirs[] = {TELESCOPES_DIR};
static const struct sim_search search = {dirs, 1};

static bool read_telescope(const char *text, size_t bytes)
{
	static struct ska_telescope t;
	static struct ska_result r;
	struct base_diag_list diag;

	base_diag_init(&diag);

	const bool is_taken = ska_telescope_load(mutants_file(text, bytes), &search, &t, &diag) &&
			      ska_telescope_check(&t, &diag);

	CHECK(is_taken == !diag.error_count);
	if (is_taken)
		ska_model(&t, &r);
	base_diag_free(&diag);
	return is_taken;
}

const struct mutants_kind mutants_kind = {.name = "telescope", .part_count = 1, .read = read_telescope};
