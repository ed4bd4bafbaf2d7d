/* NSU's decider: shares of static ratios, epochs across kernels, suppressed blocks and their probes, traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "machine/parts.h"
#include "ndp/nsu/decide.h"

enum { ALL, STATIC, CLIMB };

/* Two blocks: one that stores and sends nothing, one that only loads and returns a register. */
static struct nsu_block blocks[] = {
	{.begin_pc = 4, .last_pc = 9, .store_entries = 1},
	{.begin_pc = 12, .last_pc = 14, .return_words = 1},
};
static const struct nsu_code code = {.blocks = blocks, .block_count = 2};

static struct machine_config config;

static struct nsu_decider *decider_new(uint32_t decision, bool cache_aware)
{
	struct nsu_control_params *p;
	struct ndp_site site;
	struct nsu_decider *d;
	struct base_diag_list diag;

	machine_config_defaults(&config, machine_parts);
	p = &((struct ndp_config *)machine_config_at(&config, &machine_ndp_part))->nsu;
	p->nsu_decision = decision;
	p->nsu_cache_aware = cache_aware;
	p->nsu_epoch_cycles = 1000;
	p->nsu_ratio = 0.25;
	base_diag_init(&diag);
	site = machine_ndp_site(&config);
	d = nsu_decider_new(&site, &diag);
	base_diag_free(&diag);
	assert_non_null(d);
	return d;
}

static uint64_t stat_of(struct nsu_decider *d, const char *name)
{
	struct sim_stats *stats = sim_stats_new();
	uint64_t value = UINT64_MAX;

	nsu_decider_add_stats(d, stats);
	assert_true(sim_stats_value(stats, name, &value));
	sim_stats_free(stats);
	return value;
}

static uint32_t offload(struct nsu_decider *d, uint32_t block, uint32_t count)
{
	uint32_t offloaded = 0;

	for (uint32_t i = 0; i < count; i++)
		offloaded += nsu_decider_offload(d, block, NULL, &(const char *){NULL});
	return offloaded;
}

static void shares(void **state)
{
	struct nsu_decider *d = decider_new(STATIC, false);

	(void)state;
	nsu_decider_kernel_begin(d, "k", &code, 0, 0);
	assert_in_range(offload(d, 0, 40000), 9500, 10500);
	assert_int_equal(nsu_decider_epoch(d, 1), 0); /* no epochs */
	assert_int_equal(stat_of(d, "nsu_control.instances"), 40000);
	assert_int_equal(stat_of(d, "nsu_control.offloaded") + stat_of(d, "nsu_control.kept_by_ratio"), 40000);
	assert_int_equal(stat_of(d, "nsu_control.code_blocks"), 2);
	assert_int_equal(stat_of(d, "nsu_control.code_return_words"), 1);
	nsu_decider_free(d);
	d = decider_new(ALL, false);
	nsu_decider_kernel_begin(d, "k", &code, 0, 0);
	assert_int_equal(offload(d, 0, 1000), 1000);
	nsu_decider_free(d);
}

static void epochs_go_on(void **state)
{
	struct nsu_decider *d = decider_new(CLIMB, false);
	struct gpu_series items[8];

	(void)state;
	/* 700 cycles, 5 instances of 6 instructions that stay or have ended; then 300 of another kernel. */
	nsu_decider_kernel_begin(d, "k", &code, 0, 0);
	assert_int_equal(nsu_decider_epoch(d, 1), 999);
	for (uint32_t i = 0; i < 5; i++) {
		if (nsu_decider_offload(d, 0, NULL, &(const char *){NULL}))
			nsu_decider_ended(d, 0, 2, 1);
	}
	nsu_decider_kernel_end(d, 700);
	assert_int_equal(stat_of(d, "nsu_control.epochs"), 0);
	nsu_decider_kernel_begin(d, "other", &code, 700, 0);
	assert_int_equal(nsu_decider_epoch(d, 1), 299);
	assert_int_equal(nsu_decider_epoch(d, 300), 1000);
	assert_int_equal(stat_of(d, "nsu_control.epochs"), 1);
	nsu_decider_kernel_end(d, 2100); /* a second, in which nothing ran: the ratio stays */
	assert_int_equal(stat_of(d, "nsu_control.epochs"), 2);
	assert_int_equal(stat_of(d, "nsu_control.climbs"), 1);
	assert_int_equal(nsu_decider_series(d, items, 8), 4);
	assert_string_equal(items[0].name, "nsu.epoch_end");
	assert_int_equal(items[0].count, 2);
	assert_true(items[0].values[0] == 1000 && items[0].values[1] == 2000);
	assert_true(fabs(items[1].values[1] - 0.1) < 1e-9);
	assert_true(fabs(items[2].values[0] - 0.03) < 1e-9); /* 30 instructions in 1000 cycles */
	nsu_decider_free(d);
}

static void suppressed(void **state)
{
	struct nsu_decider *d = decider_new(ALL, true);
	struct gpu_series items[8];
	uint32_t probes;

	(void)state;
	nsu_decider_kernel_begin(d, "k", &code, 0, 0);
	for (uint32_t i = 0; i < 64; i++) {
		assert_true(nsu_decider_offload(d, 0, NULL, &(const char *){NULL}));
		assert_true(nsu_decider_offload(d, 1, NULL, &(const char *){NULL}));
		nsu_decider_ended(d, 0, 4, 4);
		nsu_decider_ended(d, 1, 4, 4);
	}
	/* Nothing missed: the stores of the first save 128 bytes; the register of the second costs 128. */
	assert_int_equal(offload(d, 0, 1000), 1000);
	probes = offload(d, 1, 10000);
	assert_in_range(probes, 50, 150);
	assert_int_equal(stat_of(d, "nsu_control.probes"), probes);
	assert_int_equal(stat_of(d, "nsu_control.kept_by_benefit"), 10000 - probes);
	/* A second launch knows it; another kernel does not. */
	nsu_decider_kernel_end(d, 1000);
	nsu_decider_kernel_begin(d, "k", &code, 1000, 0);
	assert_in_range(offload(d, 1, 1000), 0, 50);
	nsu_decider_kernel_end(d, 1100);
	nsu_decider_kernel_begin(d, "other", &code, 1100, 0);
	assert_int_equal(offload(d, 1, 1000), 1000);
	assert_int_equal(nsu_decider_series(d, items, 8), 8);
	assert_string_equal(items[5].name, "nsu.benefit k 2");
	assert_true(items[4].values[0] == 128 && items[5].values[0] == -128);
	assert_string_equal(items[6].name, "nsu.benefit other 1");
	assert_true(isnan(items[6].values[0]));
	nsu_decider_free(d);
}

static void contradiction(void **state)
{
	struct nsu_control_params *p;
	struct ndp_site site;
	struct base_diag_list diag;

	(void)state;
	machine_config_defaults(&config, machine_parts);
	p = &((struct ndp_config *)machine_config_at(&config, &machine_ndp_part))->nsu;
	p->nsu_decision = CLIMB;
	p->nsu_climb_step_max_ratio = 0.01;
	base_diag_init(&diag);
	site = machine_ndp_site(&config);
	assert_null(nsu_decider_new(&site, &diag));
	assert_int_equal(diag.error_count, 1);
	base_diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(shares),
	    cmocka_unit_test(epochs_go_on),
	    cmocka_unit_test(suppressed),
	    cmocka_unit_test(contradiction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
