/* test_words.c - compiled kernels leave the memory that the functional simulator leaves: kernels of the workloads on
 * made-up data, by both compilers, every word checked by the validator. Shows the counters side by side. */
#include "rig.h"

#include <glib.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/check.h"

static const char *workload_dir;
static double log_speedup, log_based;
static uint64_t plain_accesses, full_accesses, full_spills, based_spills;

/* The same launch by words, from the same memory. */
static void compare(struct dc_rig *r, const char *name, const char *what, const struct dc_options *o,
		    const uint8_t *before, const uint8_t *want, struct interpreted *counts)
{
	struct dc_kernel *k = dc_rig_compile(ptx_module_func(r->ptx, name), o, &r->diag);
	char *text = NULL, *wrong;

	if (!k)
		fail_msg("%s", base_diag_join(&r->diag));
	wrong = dc_validate(k);
	if (wrong)
		fail_msg("%s %s: %s", name, what, wrong);
	memcpy(dc_rig_memory(r), before, MEMORY_BYTES);
	if (!interpret(k, r->module, &r->launch, counts, &text))
		fail_msg("%s %s: %s", name, what, text);
	for (uint32_t n = 0; n < MEMORY_BYTES / 4; n++)
		if (((const uint32_t *)(const void *)want)[n] != ((uint32_t *)(uintptr_t)r->buffer)[n])
			fail_msg("%s %s: word %u of slice %u is %08x, not %08x", name, what, n % (SLICE_BYTES / 4),
				 n / (SLICE_BYTES / 4), ((uint32_t *)(uintptr_t)r->buffer)[n],
				 ((const uint32_t *)(const void *)want)[n]);
	dc_kernel_free(k);
}

static void compare_all(struct dc_rig *r, const char *name)
{
	g_autofree uint8_t *before = g_memdup2(dc_rig_memory(r), MEMORY_BYTES), *want = NULL;
	struct dc_options full = dc_options_full, based;
	struct interpreted plain_counts = {0}, full_counts = {0}, based_counts = {0};

	want = dc_rig_wanted(r, name);
	memcpy(full.block, r->launch.block, sizeof(full.block));
	memcpy(full.grid, r->launch.grid, sizeof(full.grid));
	full.params = r->params;
	compare(r, name, "plain", &dc_options_plain, before, want, &plain_counts);
	compare(r, name, "full", &full, before, want, &full_counts);
	based = full;
	based.base_offset = true;
	compare(r, name, "base and offset", &based, before, want, &based_counts);
	log_based += log((double)full_counts.compute_cycles / (double)based_counts.compute_cycles);
	full_spills += full_counts.spills;
	based_spills += based_counts.spills;
	print_message("%-19s compute %9" G_GUINT64_FORMAT " -> %9" G_GUINT64_FORMAT
		      " = %.2f x, accesses with spills %6" G_GUINT64_FORMAT " -> %6" G_GUINT64_FORMAT
		      ", without %6" G_GUINT64_FORMAT " -> %6" G_GUINT64_FORMAT "\n",
		      name, plain_counts.compute_cycles, full_counts.compute_cycles,
		      (double)plain_counts.compute_cycles / (double)full_counts.compute_cycles,
		      plain_counts.accesses + plain_counts.spills, full_counts.accesses + full_counts.spills,
		      plain_counts.accesses, full_counts.accesses);
	log_speedup += log((double)plain_counts.compute_cycles / (double)full_counts.compute_cycles);
	plain_accesses += plain_counts.accesses + plain_counts.spills;
	full_accesses += full_counts.accesses + full_counts.spills;
}

static void workloads_compute_the_same(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < dc_case_count; n++) {
		struct dc_rig r;

		dc_rig_case(&r, workload_dir, &dc_cases[n]);
		compare_all(&r, dc_cases[n].name);
		dc_rig_close(&r);
	}
	print_message("geometric mean of compute %.2f x; accesses with spills %+.1f %%\n",
		      exp(log_speedup / dc_case_count), 100 * ((double)full_accesses / (double)plain_accesses - 1));
	print_message("addresses as base and offset: geometric mean of compute %.3f x, spills %+.1f %%\n",
		      exp(log_based / dc_case_count), 100 * ((double)based_spills / (double)full_spills - 1));
	assert_true(log_speedup > 0 && full_accesses < plain_accesses);
	assert_true(log_based > 0 && based_spills < full_spills);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(workloads_compute_the_same),
	};

	CHECK(argc == 2);
	workload_dir = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
