/* sweep_kind.c - files of sweeps: what is taken has points, and each sets every axis. */
#include <string.h>

#include "base/check.h"
#include "mutants.h"
#include "sweep/plan.h"

static void check_plan(const struct sweep_plan *p)
{
	CHECK(p->points->len && p->points->len <= SWEEP_POINTS_MAX && p->objectives->len);
	CHECK(p->designs->len || (p->machines->len && p->programs->len == p->is_workload->len));
	for (uint32_t i = 0; i < p->runs->len; i++) {
		const struct sweep_run *run = p->runs->pdata[i];

		CHECK(run->point < p->points->len && run->program < p->programs->len);
		CHECK(run->machine < p->machines->len);
	}
	for (uint32_t i = 0; i < p->points->len; i++) {
		char **sets = p->points->pdata[i];

		CHECK(p->runs->len || p->kind == SWEEP_LIST || g_strv_length(sets) == p->axes->len);
		for (uint32_t k = 0; sets[k]; k++)
			CHECK(strchr(sets[k], '='));
	}
}

static bool read_sweep(const char *text, size_t bytes)
{
	struct sweep_plan plan;
	struct base_diag_list diag;

	base_diag_init(&diag);

	const bool is_taken = sweep_plan_read(mutants_file(text, bytes), &plan, &diag);

	CHECK(is_taken == !diag.error_count);
	if (is_taken)
		check_plan(&plan);
	sweep_plan_free(&plan);
	base_diag_free(&diag);
	return is_taken;
}

const struct mutants_kind mutants_kind = {.name = "sweep", .part_count = 1, .read = read_sweep};
