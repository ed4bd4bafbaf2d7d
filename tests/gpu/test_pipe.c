/* test_pipe.c - what an SM of GPGPU-Sim's GTX 480 has and others here lack: results that meet, latencies by kind, the
 * way to the load-store unit and to the L1D's tags, parameters in the constant cache, warps that end with their stores.
 */
#include <string.h>

#include "base/check.h"
#include "rig.h"

enum { COUNT = 64 };

#define PIPE "sm.collector_count", "6", "sm.collector_read_count", "4", "sm.register_bank_count", "0"
#define ONE "sm.scheduler_count", "1"

static uint64_t same_line(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return RIG_MEMORY + thread % 32 * 4;
}

static uint64_t other_line(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return RIG_MEMORY + 4096 + thread % 32 * 4;
}

static uint64_t no_offset(uint64_t thread, uint32_t visit)
{
	(void)thread;
	(void)visit;
	return 0;
}

/* The program's cycles in a second run, which finds its code in the caches. */
static uint64_t warm_cycles(const char *const *settings, const struct fake_inst *insts, uint32_t count, uint32_t warps)
{
	struct rig r;
	uint64_t cycles;

	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, count, 1, 32 * warps);
	cycles = rig_run(&r, insts, count, 1, 32 * warps);
	rig_close(&r);
	return cycles;
}

/* What COUNT instructions more without operands take, of these kinds in turns, in each of warps. */
static uint64_t kinds_run(const char *const *settings, uint8_t kind, uint8_t other, uint32_t warps)
{
	struct fake_inst insts[2 * COUNT + 1];
	uint64_t cycles[2];

	for (uint32_t k = 0; k < 2; k++) {
		const uint32_t count = (1 + k) * COUNT;

		for (uint32_t i = 0; i < count; i++)
			insts[i] = (struct fake_inst){
			    .unit = SIMT_UNIT_INT, .kind = i % 2 ? other : kind, .issue_slots = 1};
		insts[count] = (struct fake_inst)FAKE_EXIT;
		cycles[k] = warm_cycles(settings, insts, count + 1, warps);
	}
	return cycles[1] - cycles[0];
}

/* One unit. A result that takes a cycle longer is ready together with the next one's, which so begins a cycle later:
 * three cycles for two instructions. */
static void results_meet(void **state)
{
	static const char *const off[] = {PIPE, ONE, "sm.move_latency_cycles", "9", NULL};
	static const char *const on[] = {PIPE, ONE, "sm.move_latency_cycles", "9", "sm.result_bus_count", "2", NULL};

	(void)state;
	assert_int_equal(kinds_run(off, SIMT_KIND_ADD, SIMT_KIND_MOVE, 1), COUNT);
	assert_int_equal(kinds_run(on, SIMT_KIND_ADD, SIMT_KIND_MOVE, 1), COUNT * 3 / 2);
	assert_int_equal(kinds_run(on, SIMT_KIND_ADD, SIMT_KIND_ADD, 1), COUNT);
}

/* Two units on one bus give a result a cycle, on two of them two. */
static void results_take_buses(void **state)
{
	static const char *const two[] = {PIPE, "sm.result_bus_count", "2", NULL};
	static const char *const one[] = {PIPE, "sm.result_bus_count", "1", NULL};

	(void)state;
	assert_in_range(kinds_run(two, SIMT_KIND_ADD, SIMT_KIND_ADD, 8), 4 * COUNT - 4, 4 * COUNT + 4);
	assert_in_range(kinds_run(one, SIMT_KIND_ADD, SIMT_KIND_ADD, 8), 8 * COUNT - 4, 8 * COUNT + 4);
}

/* Writes of results take banks from reads: of one bank, an instruction that reads and writes takes two cycles. */
static void results_take_banks(void **state)
{
	static const char *const settings[] = {"sm.collector_count", "6", "sm.collector_read_count", "4",
					       "sm.register_bank_count", "1", "sm.result_bus_count", "2", NULL};
	struct fake_inst insts[COUNT + 1];

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		insts[i] = (struct fake_inst)FAKE_ALU(SIMT_UNIT_INT, (uint16_t)(1 + i), 0);
	insts[COUNT] = (struct fake_inst)FAKE_EXIT;
	for (uint32_t writes = 0; writes < 2; writes++) {
		uint64_t cycles;

		for (uint32_t i = 0; i < COUNT; i++)
			insts[i].write_count = (uint8_t)writes;
		cycles = warm_cycles(settings, insts, COUNT + 1, 8);
		assert_in_range(cycles, (1 + writes) * 8 * COUNT, (1 + writes) * 8 * COUNT + 80);
	}
}

/* What COUNT instructions of a unit take that read so many registers each, one after the other, in one warp. */
static uint64_t readers_run(const char *const *settings, uint8_t unit, uint8_t read_count)
{
	struct fake_inst insts[COUNT + 1];

	for (uint32_t i = 0; i < COUNT; i++) {
		insts[i] = (struct fake_inst){.unit = unit, .issue_slots = 1, .read_count = read_count};
		for (uint16_t k = 0; k < read_count; k++)
			insts[i].sb[k] = k;
	}
	insts[COUNT] = (struct fake_inst)FAKE_EXIT;
	return warm_cycles(settings, insts, COUNT + 1, 1);
}

/* One collector, which reads one operand a cycle, or four: an instruction has it for its operands and a cycle more. So
 * have branches, which take none without buses. */
static void operands_are_collected(void **state)
{
	static const char *const one[] = {ONE, "sm.collector_count", "1", "sm.collector_read_count", "1",
					  "sm.register_bank_count", "0", "sm.result_bus_count", "2", NULL};
	static const char *const four[] = {ONE, "sm.collector_count", "1", "sm.collector_read_count", "4",
					   "sm.register_bank_count", "0", "sm.result_bus_count", "2", NULL};
	static const char *const off[] = {ONE, "sm.collector_count", "1", "sm.collector_read_count", "1",
					  "sm.register_bank_count", "0", NULL};

	(void)state;
	assert_int_equal(readers_run(one, SIMT_UNIT_INT, 3) - readers_run(four, SIMT_UNIT_INT, 3),
			 (4 - 2) * (COUNT - 1));
	assert_int_equal(readers_run(one, SIMT_UNIT_CTRL, 3) - readers_run(off, SIMT_UNIT_CTRL, 3),
			 (4 - 1) * (COUNT - 1));
}

/* Ten instructions have results ten cycles after they issue, the SFU, which follows, after five: with one bus its
 * result is behind theirs. */
static void results_of_the_sfu_take_buses(void **state)
{
	const char *settings[] = {PIPE, ONE, "sm.sfu_latency_cycles", "5", "sm.result_bus_count", "2", NULL};
	struct fake_inst insts[13];
	uint64_t cycles;

	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		insts[i] = (struct fake_inst){.unit = SIMT_UNIT_INT, .issue_slots = 1, .read_count = 1};
	insts[10] = (struct fake_inst){.unit = SIMT_UNIT_SFU, .issue_slots = 1, .write_count = 1, .sb = {3}};
	insts[11] = (struct fake_inst)FAKE_ALU(SIMT_UNIT_INT, 4, 3);
	insts[12] = (struct fake_inst)FAKE_EXIT;
	cycles = warm_cycles(settings, insts, 13, 1);
	settings[ARRAY_COUNT(settings) - 2] = "1";
	assert_int_equal(warm_cycles(settings, insts, 13, 1), cycles + 5);
}

static uint32_t issued_by[2], issued_count;

/* Counts whose warps issue the first COUNT accesses: warps are the schedulers' in turn. */
static uint64_t count_of_warps(uint64_t thread, uint32_t visit)
{
	if (thread % SIMT_LANES == 0 && issued_count++ < COUNT)
		issued_by[thread / SIMT_LANES % 2]++;
	return same_line(thread, visit);
}

static void count_issued(const char *const *settings)
{
	struct fake_inst insts[COUNT + 1];

	for (uint32_t i = 0; i < COUNT; i++)
		insts[i] = (struct fake_inst)FAKE_SHARED((uint16_t)i, count_of_warps);
	insts[COUNT] = (struct fake_inst)FAKE_EXIT;
	memset(issued_by, 0, sizeof(issued_by));
	issued_count = 0;
	rig_cycles(settings, insts, COUNT + 1, 1, 8 * SIMT_LANES);
}

/* The load-store unit takes one access a cycle: with buses the schedulers share it, without the first goes first. */
static void schedulers_take_turns(void **state)
{
	static const char *const off[] = {PIPE, "sm.lsu_queue_count", "1", NULL};
	static const char *const on[] = {PIPE, "sm.lsu_queue_count", "1", "sm.result_bus_count", "2", NULL};

	(void)state;
	count_issued(off);
	assert_true(issued_by[0] > issued_by[1]);
	count_issued(on);
	assert_int_equal(issued_by[0], issued_by[1]);
}

/* Eight cycles each: two schedulers' double-precision instructions share the SFU, also with its own. */
static void doubles_take_the_sfu(void **state)
{
	static const char *const off[] = {"sm.fp64_interval_cycles", "8", "sm.sfu_interval_cycles", "8", NULL};
	static const char *const on[] = {"sm.fp64_interval_cycles", "8", "sm.sfu_interval_cycles", "8",
					 "sm.fp64_on_sfu",	    "true", NULL};
	struct fake_inst insts[COUNT + 1];
	uint64_t apart, shared;

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		insts[i] = (struct fake_inst){.unit = i % 2 ? SIMT_UNIT_SFU : SIMT_UNIT_FP64, .issue_slots = 1};
	insts[COUNT] = (struct fake_inst)FAKE_EXIT;
	apart = warm_cycles(off, insts, COUNT + 1, 8);
	shared = warm_cycles(on, insts, COUNT + 1, 8);
	/* Half of them are the SFU's, or all. */
	assert_in_range(apart, 8 * 8 * COUNT / 2, 8 * 8 * COUNT / 2 + 100);
	assert_in_range(shared, 8 * 8 * COUNT, 8 * 8 * COUNT + 100);
}

/* What one link of a chain of dependent instructions costs, one in each of warps; the code is cached. */
static uint64_t chain_cost(const char *const *settings, struct fake_inst link, uint32_t warps)
{
	struct fake_inst insts[2 * COUNT + 1];
	uint64_t cycles[2];
	struct rig r;

	link.read_count = link.write_count = 1;
	link.sb[0] = link.sb[1] = 3;
	rig_open(&r, NULL, NULL, settings);
	for (uint32_t round = 0; round < 3; round++) {
		const uint32_t count = round == 1 ? COUNT : 2 * COUNT;

		for (uint32_t i = 0; i < count; i++)
			insts[i] = link;
		insts[count] = (struct fake_inst)FAKE_EXIT;
		cycles[round % 2] = rig_run(&r, insts, count + 1, 1, 32 * warps);
	}
	rig_close(&r);
	return (cycles[0] - cycles[1]) / COUNT;
}

static void kinds_have_latencies(void **state)
{
	static const char *const settings[] = {"sm.mad_latency_cycles", "20", "sm.minmax_latency_cycles", "30",
					       "sm.move_latency_cycles", "40", "sm.int_latency_cycles", "50", NULL};
	static const uint8_t latencies[SIMT_KIND_COUNT] = {
	    [SIMT_KIND_MOVE] = 40, [SIMT_KIND_ADD] = 50, [SIMT_KIND_MUL] = 50, [SIMT_KIND_MAD] = 20,
	    [SIMT_KIND_MINMAX] = 30};
	struct fake_inst link = FAKE_ALU(SIMT_UNIT_INT, 0, 0);

	(void)state;
	for (uint8_t kind = 0; kind < SIMT_KIND_COUNT; kind++) {
		link.kind = kind;
		assert_int_equal(chain_cost(settings, link, 1), latencies[kind]);
		assert_int_equal(chain_cost(NULL, link, 1), 10);
	}
}

static void kinds_have_intervals(void **state)
{
	static const char *const settings[] = {ONE, "sm.minmax_interval_cycles", "3", "sm.mad_interval_cycles", "2",
					       "sm.int_interval_cycles", "4", NULL};
	static const char *const on_buses[] = {PIPE, ONE, "sm.minmax_interval_cycles", "3", "sm.result_bus_count", "2",
					       NULL};

	(void)state;
	assert_int_equal(kinds_run(settings, SIMT_KIND_MINMAX, SIMT_KIND_MINMAX, 1), 3 * COUNT);
	assert_int_equal(kinds_run(settings, SIMT_KIND_MAD, SIMT_KIND_MAD, 1), 2 * COUNT);
	assert_int_equal(kinds_run(settings, SIMT_KIND_MUL, SIMT_KIND_MUL, 1), 4 * COUNT);
	assert_int_equal(kinds_run(on_buses, SIMT_KIND_MINMAX, SIMT_KIND_MINMAX, 1), 3 * COUNT);
}

/* A hit: to the load-store unit, to the tags, and the value a cycle later. Shared memory is not behind the tags. */
static void ways_to_memory(void **state)
{
	static const char *const settings[] = {"sm.lsu_entry_cycles", "5", "sm.l1d_entry_cycles", "35",
					       "l1d.hit_latency_cycles", "1", "sm.shared_latency_cycles", "26", NULL};

	(void)state;
	assert_int_equal(chain_cost(settings, (struct fake_inst)FAKE_LOAD(0, same_line), 1), 5 + 35 + 1);
	/* Of two warps one comes a cycle later; neither's line comes sooner for the other's. */
	assert_int_equal(chain_cost(settings, (struct fake_inst)FAKE_LOAD(0, same_line), 2), 5 + 35 + 1);
	assert_int_equal(chain_cost(settings, (struct fake_inst)FAKE_SHARED(0, same_line), 1), 5 + 26);
}

/* Cycles of two loads of different lines that miss and a chain of 40 shared accesses, with one MSHR. */
static uint64_t behind_a_miss(const char *entry_cycles)
{
	const char *const settings[] = {"l1d.mshr_count", "1", "sm.l1d_entry_cycles", entry_cycles, NULL};
	struct fake_inst insts[43];

	insts[0] = (struct fake_inst)FAKE_LOAD(1, same_line);
	insts[1] = (struct fake_inst)FAKE_LOAD(2, other_line);
	for (uint32_t i = 2; i < 42; i++) {
		insts[i] = (struct fake_inst)FAKE_SHARED(3, same_line);
		insts[i].read_count = 1;
		insts[i].sb[1] = 3;
	}
	insts[42] = (struct fake_inst)FAKE_EXIT;
	return warm_cycles(settings, insts, 43, 1);
}

/* A line that waits for an MSHR on its way to the tags holds up no access to shared memory; without the way it waits in
 * the load-store unit, which goes on when the first line is here, from the L2 some 150 cycles later. */
static void lines_wait_apart(void **state)
{
	(void)state;
	assert_true(behind_a_miss("0") > behind_a_miss("8") + 100);
}

/* Stores take the way too, and all that were issued are counted until they are acknowledged (the auditor is on). */
static void stores_take_the_way(void **state)
{
	static const char *const settings[] = {"sm.l1d_entry_cycles", "500", NULL};
	const struct fake_inst insts[] = {FAKE_STORE(1, same_line), FAKE_FENCE, FAKE_LOAD(2, other_line), FAKE_EXIT};
	const uint64_t cycles = warm_cycles(NULL, insts, 4, 1);

	(void)state;
	/* Other edges of clocks are met, and the vault may have refreshed. */
	assert_in_range(warm_cycles(settings, insts, 4, 1), cycles + 2 * 500 - 32, cycles + 2 * 500 + 32);
}

/* The first parameter of a kernel misses in the constant cache, the next one of its line hits; the next kernel misses
 * again, unless the cache is kept. */
static void parameters_are_cached(void **state)
{
	static const char *const off[] = {NULL}, *const on[] = {"sm.params_cached", "true", NULL};
	static const char *const kept[] = {"sm.params_cached", "true", "sm.const_cache_kept", "true", NULL};
	static const struct {
		const char *const *settings;
		uint32_t misses;
	} cases[] = {{off, 0}, {on, 2}, {kept, 1}};
	struct fake_inst insts[] = {FAKE_LOAD(1, no_offset), FAKE_ALU(SIMT_UNIT_INT, 2, 1), FAKE_LOAD(3, no_offset),
				    FAKE_EXIT};

	(void)state;
	insts[0].space = insts[2].space = SIMT_MEM_PARAM;
	insts[0].flags = insts[2].flags = SIMT_LOAD | SIMT_KERNEL_PARAM;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct rig r;

		rig_open(&r, NULL, NULL, cases[i].settings);
		rig_run(&r, insts, 4, 1, 32);
		rig_run(&r, insts, 4, 1, 32);
		assert_int_equal(rig_stat(&r, "l1c.read_misses"), cases[i].misses);
		assert_int_equal(rig_stat(&r, "l1c.reads"), i ? 4 : 0);
		rig_close(&r);
	}
}

/* Cycles of CTAs that run one after the other and end with a store. */
static uint64_t storing_ctas(const char *ends_stored, uint32_t ctas)
{
	const char *const settings[] = {"sm.cta_slot_count", "1", "sm.warp_ends_stored", ends_stored, NULL};
	const struct fake_inst insts[] = {FAKE_STORE(1, same_line), FAKE_EXIT};

	return rig_cycles(settings, insts, 2, ctas, 32);
}

/* The last CTA's store ends the kernel in both cases; each one before it takes a store's time only where its warp waits
 * for it. */
static void warps_end_stored(void **state)
{
	const uint64_t store = storing_ctas("false", 1);

	(void)state;
	assert_int_equal(storing_ctas("true", 1), store);
	assert_true(storing_ctas("false", 4) < store + 3 * 100);
	assert_true(storing_ctas("true", 4) > store + 3 * 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(results_meet),
	    cmocka_unit_test(results_take_buses),
	    cmocka_unit_test(results_take_banks),
	    cmocka_unit_test(kinds_have_latencies),
	    cmocka_unit_test(kinds_have_intervals),
	    cmocka_unit_test(ways_to_memory),
	    cmocka_unit_test(lines_wait_apart),
	    cmocka_unit_test(stores_take_the_way),
	    cmocka_unit_test(parameters_are_cached),
	    cmocka_unit_test(warps_end_stored),
	    cmocka_unit_test(doubles_take_the_sfu),
	    cmocka_unit_test(operands_are_collected),
	    cmocka_unit_test(results_of_the_sfu_take_buses),
	    cmocka_unit_test(schedulers_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
