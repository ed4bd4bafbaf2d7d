/* Energy by hand: counted events of processors, channels and near-data processors, and the powers of the NDP thesis'
 * section 4.9.3; for how long cores are awake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "channel/energy.h"
#include "cpu/energy.h"
#include "threads/cpu/awake.h"

static const struct sim_stat_desc cpu_rows[] = {
#define STAT_STRUCT struct cpu_stats
#include "sim/stat_rows.inc"
#include "cpu/cpu_stats.def"
#include "sim/stat_end.inc"
};
static const struct sim_stat_desc channel_rows[] = {
#define STAT_STRUCT struct channel_stats
#include "sim/stat_rows.inc"
#include "channel/channel_stats.def"
#include "sim/stat_end.inc"
};

struct rig {
	struct cpu_params cpu;
	struct channel_params channel;
	struct cpu_stats cpu_stats;
	struct channel_stats channel_stats;
	struct energy_report report;
};

static void defaults(struct rig *g)
{
	const struct sim_param_group cpu = {"cpu", cpu_param_rows, cpu_param_row_count, &g->cpu, NULL};
	const struct sim_param_group channel = {"channel", channel_param_rows, channel_param_row_count, &g->channel,
						NULL};

	*g = (struct rig){.cpu_stats = {.reads = 0}};
	sim_param_defaults(&cpu);
	sim_param_defaults(&channel);
}

static void account(struct rig *g, const struct energy_table *cpu, const struct energy_table *channel, uint64_t time_ps)
{
	const struct cpu_energy_counts cpu_counts = cpu_energy_counts(&g->cpu);
	const struct channel_energy_counts channel_counts = channel_energy_counts(&g->channel);
	struct sim_stats *stats = sim_stats_new();
	struct energy_list list = {.count = 0};

	sim_stats_add(stats, "cpu", cpu_rows, ARRAY_COUNT(cpu_rows), &g->cpu_stats, sizeof(g->cpu_stats));
	sim_stats_add(stats, "channel", channel_rows, ARRAY_COUNT(channel_rows), &g->channel_stats,
		      sizeof(g->channel_stats));
	energy_list_add(&list, cpu, &g->cpu, &cpu_counts, sizeof(cpu_counts));
	energy_list_add(&list, channel, &g->channel, &channel_counts, sizeof(channel_counts));
	energy_account(&list, stats, time_ps, &g->report);
	sim_stats_free(stats);
}

static void assert_pj(const struct rig *g, const char *name, double pj)
{
	for (uint32_t i = 0; i < g->report.component_count; i++)
		if (!strcmp(g->report.components[i].name, name)) {
			const double difference = g->report.components[i].pj - pj;

			assert_true(difference < 1e-6 * (pj + 1) && -difference < 1e-6 * (pj + 1));
			return;
		}
	fail_msg("no component %s", name);
}

/* 8 NDPs of 5.9 W with an NDP-M of 2 W each and an NDP-AP of 4 W are 67.2 W; ten cores asleep save 100 W. */
static void test_powers(void **state)
{
	const uint64_t second_ps = 1000000000000;
	struct rig g;
	double awake_w;

	(void)state;
	defaults(&g);
	g.cpu.core_count = 10;
	g.channel.ndp_count = 8;
	g.cpu_stats.awake_ps = 10 * second_ps;
	account(&g, &cpu_power_table, &channel_power_table, second_ps);
	assert_pj(&g, "ndps", 8 * 5.9e12);
	assert_pj(&g, "ndp_managers", 8 * 2e12);
	assert_pj(&g, "ndp_points", 4e12);
	assert_pj(&g, "server", 200e12);
	assert_pj(&g, "processor", 100e12);
	assert_pj(&g, "cores", 100e12);
	awake_w = g.report.total_pj / (double)second_ps;
	assert_true(awake_w > 467.199 && awake_w < 467.201);
	g.cpu_stats.awake_ps = 0;
	account(&g, &cpu_power_table, &channel_power_table, second_ps);
	assert_pj(&g, "cores", 0);
	assert_true(awake_w - g.report.total_pj / (double)second_ps > 99.999);
	/* NDPs of 1.9 W idle, whose 512 cores have an instruction per ns each: 4 W more for each NDP. */
	g.channel.ndp_mw = 1900;
	g.channel.ndp_instruction_pj = 62.5;
	g.channel_stats.instructions = 512 * 1000000000ull;
	account(&g, &cpu_power_table, &channel_power_table, second_ps);
	assert_pj(&g, "ndps", 8 * 1.9e12 + 8 * 4e12);
}

static void test_events(void **state)
{
	struct rig g;

	(void)state;
	defaults(&g);
	g.cpu.channel_count = 2;
	g.cpu.up_mbytes_per_s = 20000;
	g.cpu.down_mbytes_per_s = 10000;
	g.cpu_stats = (struct cpu_stats){.reads = 100, .writes = 50, .atomics = 7, .prefetches = 3, .l1_hits = 120,
					 .stream_requests = 11, .walks = 4, .misses = 30, .memory_reads = 20,
					 .l2_write_backs = 5, .rated_bytes = 1000, .up_bytes = 2560,
					 .down_bytes = 640};
	g.channel_stats = (struct channel_stats){.reads = 9, .writes = 8, .atomics = 2, .prefetches = 1,
						 .summary_lookups = 40, .summary_changes = 3, .summary_returns = 2,
						 .directory_lookups = 25, .directory_reads = 6, .directory_writes = 1,
						 .point_lookups = 12, .point_write_backs = 5};
	account(&g, &cpu_energy_table, &channel_energy_table, 1000000);
	assert_pj(&g, "cpu_l1", 160 * 15);
	assert_pj(&g, "cpu_l2", (160 - 120 + 11 + 4) * 50);
	assert_pj(&g, "cpu_llc", 55 * 250);
	assert_pj(&g, "dram_rate", 8000 * 9.1);
	/* In a microsecond two channels could carry 40000 bytes up and 20000 down. */
	assert_pj(&g, "channel_up_active", 2560 * 8 * 2.0);
	assert_pj(&g, "channel_up_idle", (40000 - 2560) * 8 * 1.5);
	assert_pj(&g, "channel_down_active", 640 * 8 * 2.0);
	assert_pj(&g, "channel_down_idle", (20000 - 640) * 8 * 1.5);
	assert_pj(&g, "ndp_caches", 20);
	assert_pj(&g, "ndp_directory", 45 + 32 * 5);
	assert_pj(&g, "ndp_point", 17 * 50);
}

/* Of a processor that states its parts: 3 mW are 3000 pJ in a microsecond. */
static void test_chip(void **state)
{
	struct rig g;

	(void)state;
	defaults(&g);
	account(&g, &cpu_chip_table, &channel_energy_table, 1000000);
	for (uint32_t i = 0; i < cpu_chip_table.component_count; i++)
		assert_false(g.report.components[i].is_counted);
	g.cpu.llc_static_mw = 60;
	g.cpu.core_count = 6;
	g.cpu.fetch_pj = 2;
	g.cpu.core_pj = 30;
	g.cpu.bus_pj = 9;
	g.cpu.controller_pj = 0.5;
	g.cpu.fetch_static_mw = 3;
	g.cpu.core_static_mw = 40;
	g.cpu.l1_static_mw = 5;
	g.cpu.l2_static_mw = 7;
	g.cpu.bus_static_mw = 13;
	g.cpu.controller_static_mw = 11;
	g.cpu_stats = (struct cpu_stats){.instructions = 1000, .slots = 20, .up_bytes = 2560, .down_bytes = 640};
	account(&g, &cpu_chip_table, &channel_energy_table, 1000000);
	for (uint32_t i = 0; i < cpu_chip_table.component_count; i++)
		assert_true(g.report.components[i].is_counted);
	assert_pj(&g, "cpu_fetch", 2000);
	assert_pj(&g, "cpu_core", 30000);
	assert_pj(&g, "cpu_bus", 180);
	assert_pj(&g, "cpu_controller", 3200 * 8 * 0.5);
	assert_pj(&g, "cpu_fetch_static", 6 * 3000.);
	assert_pj(&g, "cpu_core_static", 6 * 40000.);
	assert_pj(&g, "cpu_l1_static", 6 * 5000.);
	assert_pj(&g, "cpu_l2_static", 6 * 7000.);
	assert_pj(&g, "cpu_llc_static", 60000);
	assert_pj(&g, "cpu_bus_static", 13000);
	assert_pj(&g, "cpu_controller_static", 11000);
}

/* Two cores with two threads each, and two NDP cores: units 0 and 2 are of core 0, 4 and 5 are near. */
static void test_awake(void **state)
{
	uint64_t cpu_ps = 0, near_ps = 0;
	struct awake *a = awake_new(6, 4, 2, &cpu_ps, &near_ps, NULL);

	(void)state;
	awake_runs(a, 0, 0, 100);
	awake_runs(a, 2, 1, 150);
	awake_rests(a, 0, 0, 200); /* the core's other thread runs */
	assert_int_equal(cpu_ps, 0);
	awake_rests(a, 2, 1, 300);
	assert_int_equal(cpu_ps, 200);
	awake_rests(a, 2, 1, 400); /* it does already */
	awake_runs(a, 2, 1, 500);
	awake_runs(a, 4, 1, 600); /* it has gone to an NDP */
	assert_int_equal(cpu_ps, 300);
	awake_runs(a, 1, 2, 600);
	awake_runs(a, 1, 3, 700); /* its turn on the same unit */
	awake_rests(a, 1, 2, 750);
	assert_int_equal(awake_threads(a)[1], 3);
	awake_until(a, 800); /* who asks on the way sees what has been */
	assert_int_equal(cpu_ps, 500);
	assert_int_equal(near_ps, 200);
	awake_until(a, 790); /* another unit is not so far */
	awake_rests(a, 1, 3, 795);
	assert_int_equal(cpu_ps, 500);
	awake_runs(a, 1, 3, 800);
	awake_end(a, 1000);
	assert_int_equal(cpu_ps, 700);
	assert_int_equal(near_ps, 400);
	awake_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_powers), cmocka_unit_test(test_events),
					   cmocka_unit_test(test_chip),
					   cmocka_unit_test(test_awake)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
