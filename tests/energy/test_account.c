/* Energy by hand: the papers' figures times known events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "energy/events.h"
#include "mem/vault.h"
#include "net/channel.h"

static const struct energy_component *find(const struct energy_report *r, const char *name)
{
	for (uint32_t i = 0; i < r->component_count; i++) {
		if (!strcmp(r->components[i].name, name))
			return &r->components[i];
	}
	fail_msg("no component %s", name);
	return NULL;
}

static double component(const struct energy_report *r, const char *name)
{
	return find(r, name)->pj;
}

/* All of it, or nothing, is by time. */
static void hold_static(const struct energy_report *r, const char *name, bool is_static)
{
	assert_true(find(r, name)->pj > 0);
	assert_true(find(r, name)->static_pj == (is_static ? find(r, name)->pj : 0));
}

/* Of 1 us, with a stack of rows of 2 KB in 16 banks. */
static void account(const struct energy_params *p, const struct energy_gpu_counts *gpu, const struct sim_stats *stats,
		    struct energy_report *report)
{
	/* 32 MB: 32 rows of each bank by 8192 refreshes are 1/256 of a row. */
	const struct energy_memory_shape shape = {.stack_count = 1, .vault_count = 16, .rank_count = 2,
						  .bank_count = 16, .row_bytes = 2048,
						  .capacity_bytes = 32 << 20, .ck_ps = 1250};
	const struct energy_memory_counts memory = energy_memory_counts(p, &shape);
	struct energy_list list = {.count = 0};

	energy_list_add(&list, &energy_gpu_table, p, gpu, sizeof(*gpu));
	energy_list_add(&list, &energy_memory_table, p, &memory, sizeof(memory));
	energy_account(&list, stats, 1000000, report);
}

static void test_links_dram_and_static(void **state)
{
	struct energy_params p;
	const struct sim_param_group g = {"energy", energy_param_rows, energy_param_row_count, &p, NULL};
	struct sim_stats *stats = sim_stats_new();
	struct net_channel_stats tx = {.wire_bytes = 1000}, rx = {.wire_bytes = 3000};
	uint64_t host[] = {100, 900};
	static const struct sim_stat_desc host_rows[] = {
	    {"up_wire_bytes", SIM_STAT_COUNT, "bytes", "", 0}, {"down_wire_bytes", SIM_STAT_COUNT, "bytes", "", 8}};
	struct vault_stats *vault = calloc(1, sizeof(*vault));
	struct energy_report report;
	const struct energy_gpu_counts counts = {
	    .sm_count = 2, .l2_count = 1, .link_count = 2, .link_bits_per_ps = 0.64};
	double total = 0;

	(void)state;
	sim_param_defaults(&g);
	vault->activates = 10;
	vault->refreshes = 5;
	vault->refreshes_between_kernels = 2; /* cost nothing */
	vault->read_bytes = 4096;
	vault->write_bytes = 1024;
	sim_stats_add(stats, "link_tx", net_channel_stat_rows, net_channel_stat_row_count, &tx, sizeof(tx));
	sim_stats_add(stats, "link_rx", net_channel_stat_rows, net_channel_stat_row_count, &rx, sizeof(rx));
	sim_stats_add(stats, "host_link", host_rows, 2, host, sizeof(host));
	sim_stats_add(stats, "vault", vault_stat_rows, vault_stat_row_count, vault, sizeof(*vault));
	account(&p, &counts, stats, &report);
	assert_true(component(&report, "link_active") == 4000 * 8 * 2.0);
	assert_true(component(&report, "link_idle") == (2 * 0.64 * 1e6 - 4000 * 8) * 1.5);
	assert_true(component(&report, "dram_activate") == 10 * 11800 / 2.0);
	assert_float_equal(component(&report, "dram_refresh"), 3 * 16 / 256.0 * 11800 / 2.0, 1e-6);
	assert_true(component(&report, "dram_row_buffer") == 5120 * 8 * 4.0);
	assert_true(component(&report, "sm_static") == 2 * 600 * 1e3); /* 0.6 W for 1 us is 0.6 uJ */
	assert_true(component(&report, "l2_static") == 1500 * 1e3);
	assert_true(component(&report, "l2") == 0); /* no such group */
	assert_true(component(&report, "host_wires") == (100 + 900) * 8 * 10.0);
	hold_static(&report, "link_active", false);
	hold_static(&report, "link_idle", true);
	hold_static(&report, "sm_static", true);
	hold_static(&report, "dram_row_buffer", false);
	for (uint32_t i = 0; i < report.component_count; i++)
		total += report.components[i].pj;
	assert_true(total == report.total_pj);
	sim_stats_free(stats);
	free(vault);
}

/* Of a stack of 16 vaults with two ranks: writes that cost more, refreshes of banks, background by state. */
static void test_dram_by_state(void **state)
{
	struct energy_params p;
	const struct sim_param_group g = {"energy", energy_param_rows, energy_param_row_count, &p, NULL};
	struct sim_stats *stats = sim_stats_new();
	struct vault_stats *vault = calloc(1, sizeof(*vault));
	const struct energy_gpu_counts counts = {.link_count = 0};
	struct energy_report report;

	(void)state;
	sim_param_defaults(&g);
	vault->write_bytes = 1024;
	vault->read_bytes = 512;
	vault->refreshes = 256;
	vault->refreshed_banks = 768;
	vault->refreshed_banks_between_kernels = 256;
	vault->precharged_cycles = 32 * 100; /* 1 us is 800 cycles, of each of the 32 ranks */
	vault->power_down_cycles = 32 * 200;
	vault->self_refresh_cycles = 32 * 400;
	sim_stats_add(stats, "vault", vault_stat_rows, vault_stat_row_count, vault, sizeof(*vault));
	account(&p, &counts, stats, &report);
	assert_true(component(&report, "dram_static") == 400 * 1e3); /* one figure for all */
	assert_true(component(&report, "dram_row_buffer") == 1536 * 8 * 4.0);
	assert_float_equal(component(&report, "dram_refresh"), (256 * 16 + 512) / 256.0 * 11800 / 2.0, 1e-6);
	p.dram_row_buffer_write_pj = 6;
	p.dram_precharged_mw = 320;
	p.dram_power_down_mw = 160;
	p.dram_self_refresh_mw = 80;
	p.dram_refresh_rows_count = 4; /* and not what the capacity has */
	account(&p, &counts, stats, &report);
	assert_true(component(&report, "dram_row_buffer") == 512 * 8 * 4.0 + 1024 * 8 * 6.0);
	assert_float_equal(component(&report, "dram_static"), (100 * 400 + 100 * 320 + 200 * 160 + 400 * 80) * 1.25,
			   1e-6);
	hold_static(&report, "dram_static", true);
	hold_static(&report, "dram_row_buffer", false);
	assert_true(component(&report, "dram_refresh") == (256 * 16 + 512) * 4 * 11800 / 2.0);
	sim_stats_free(stats);
	free(vault);
}

/* 6 KB that a changed mapping moves over two links each: read and written, three rows of 2 KB in each stack. */
static void test_changed_mapping(void **state)
{
	struct energy_params p;
	const struct sim_param_group g = {"energy", energy_param_rows, energy_param_row_count, &p, NULL};
	struct sim_stats *stats = sim_stats_new();
	uint64_t mapping[] = {6144, 12288};
	static const struct sim_stat_desc rows[] = {{"remapped_bytes", SIM_STAT_COUNT, "bytes", "", 0},
						    {"remapped_wire_bytes", SIM_STAT_COUNT, "bytes", "", 8}};
	const struct energy_gpu_counts counts = {.mesh_count = 1, .mesh_bits_per_ps = 0.32};
	struct energy_report report;

	(void)state;
	sim_param_defaults(&g);
	sim_stats_add(stats, "mapping", rows, 2, mapping, sizeof(mapping));
	account(&p, &counts, stats, &report);
	assert_true(component(&report, "mesh_active") == 12288 * 8 * 2.0);
	assert_true(component(&report, "mesh_idle") == (0.32 * 1e6 - 12288 * 8) * 1.5);
	assert_true(component(&report, "dram_activate") == 6 * 11800 / 2.0);
	assert_true(component(&report, "dram_row_buffer") == 2 * 6144 * 8 * 4.0);
	sim_stats_free(stats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_links_dram_and_static),
					   cmocka_unit_test(test_changed_mapping),
					   cmocka_unit_test(test_dram_by_state)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
