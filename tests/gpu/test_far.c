/* test_far.c - an L2 of two partitions: what a far hit costs, copies, what writes leave of them, what fits, and that
 * nobody waits for ever or reads what is old.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "gpu/l2_inside.h"
#include "rig.h"

enum { LINE = 128, PARTITION_STACKS = 2, FAR_BYTES = 32, HEADER = 8 };

/* Stacks 0 and 1 are the first partition's. All clocks are the same, so that cycles add up. */
#define PARTITIONS                                                                                                  \
	"gpu.l2_partition_count", "2", "gpu.sms_per_cluster_count", "1", "l2.write_policy", "back",                 \
	    "l2.write_allocate", "true", "gpu.sm_clock_khz", "1000000", "gpu.xbar_clock_khz", "1000000",            \
	    "gpu.l2_clock_khz", "1000000", "dram.refresh", "false", "sm.inst_cache_kept", "true"
#define TWO_SMS PARTITIONS, "gpu.sm_count", "2"

static uint64_t the_line, other_line;

/* The first CTA's line and the second's; a warp of 32 words each. */
static uint64_t lines_by_cta(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return (thread / 32 ? other_line : the_line) + thread % 32 * 4;
}

/* The first line at or behind the address that is at home in the partition. */
static uint64_t line_of(struct rig *r, uint32_t partition, uint64_t addr_bytes)
{
	while (gpu_stack_of(r->gpu, 0, addr_bytes) / PARTITION_STACKS != partition)
		addr_bytes += LINE;
	return addr_bytes;
}

static const struct fake_inst *loading(void)
{
	static struct fake_inst insts[] = {FAKE_LOAD(1, lines_by_cta), FAKE_ALU(SIMT_UNIT_INT, 2, 1), FAKE_EXIT};

	insts[0].cache = PTX_CG; /* past the L1 */
	return insts;
}

static uint64_t load(struct rig *r, uint32_t ctas)
{
	return rig_run(r, loading(), 3, ctas, 32);
}

/* ---- latency ---- */

/* What the second of two loads takes, which finds its line in the L2; of SM 0. */
static uint64_t hit_cycles(const char *latency, const char *copies, uint32_t partition)
{
	const char *const settings[] = {TWO_SMS, "gpu.l2_far_latency_cycles", latency, "gpu.l2_far_copies", copies,
					NULL};
	struct rig r;
	uint64_t cycles;

	rig_open(&r, NULL, NULL, settings);
	the_line = line_of(&r, partition, RIG_MEMORY);
	load(&r, 1);
	cycles = load(&r, 1);
	rig_close(&r);
	return cycles;
}

/* A request of a header there and a line home, on wires of 32 B a cycle, and twice the way. */
static void far_hits_take_the_link(void **state)
{
	static const char *const latencies[] = {"0", "50", "72"};
	static const uint64_t ways[] = {0, 50, 72};
	const uint64_t wires = 1 + (HEADER + LINE + FAR_BYTES - 1) / FAR_BYTES;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(latencies); i++) {
		const uint64_t near = hit_cycles(latencies[i], "false", 0);

		assert_int_equal(near, hit_cycles("0", "false", 0));
		assert_int_equal(hit_cycles(latencies[i], "false", 1), near + 2 * ways[i] + wires);
		assert_int_equal(hit_cycles(latencies[i], "true", 1), near); /* a copy */
	}
}

/* A machine whose L2 is one hits as the near partition does. */
static void one_partition_is_near(void **state)
{
	static const char *const one[] = {TWO_SMS, "gpu.l2_partition_count", "1", NULL};
	const uint64_t near = hit_cycles("72", "false", 0);
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, one);
	the_line = line_of(&r, 1, RIG_MEMORY);
	load(&r, 1);
	assert_int_equal(load(&r, 1), near);
	rig_close(&r);
}

/* Half of far reads' bytes on a link: 5 flits a line, where wires of 136 B take one. */
static void wires_bound_far_hits(void **state)
{
	static const char *const wide[] = {TWO_SMS, "gpu.l2_far_copies", "false", "gpu.l2_far_bytes", "136", NULL};
	const uint64_t narrow = hit_cycles("72", "false", 1);
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, wide);
	the_line = line_of(&r, 1, RIG_MEMORY);
	load(&r, 1);
	assert_int_equal(load(&r, 1), narrow - 4);
	assert_int_equal(rig_stat(&r, "l2_far_answer.bytes"), 2 * (HEADER + LINE));
	assert_int_equal(rig_stat(&r, "l2_far.hits"), 1);
	assert_int_equal(rig_stat(&r, "l2_far.copies"), 0);
	rig_close(&r);
}

/* ---- copies ---- */

static struct fake_inst write_of(bool is_atomic)
{
	struct fake_inst i = FAKE_STORE(1, lines_by_cta);

	if (is_atomic)
		i.flags = SIMT_STORE | SIMT_ATOMIC;
	return i;
}

/* A write of the SM of the home, or of the one that has the copy: it is gone, and the next read asks again. */
static void drops_copy(bool is_atomic, bool is_near_home)
{
	static const char *const settings[] = {TWO_SMS, NULL};
	const struct fake_inst write[] = {write_of(is_atomic), FAKE_FENCE, FAKE_EXIT};
	uint64_t far, local;
	struct rig r;

	rig_open(&r, NULL, NULL, settings);
	far = line_of(&r, 1, RIG_MEMORY);
	local = line_of(&r, 0, RIG_MEMORY + (1 << 20));
	the_line = far;
	load(&r, 1);
	load(&r, 1);
	assert_int_equal(rig_stat(&r, "l2_far.copy_hits"), 1);
	assert_int_equal(rig_stat(&r, "l2_far.copies_dropped"), 0);
	the_line = is_near_home ? local : far;
	other_line = is_near_home ? far : local;
	rig_run(&r, write, ARRAY_COUNT(write), 2, 32); /* CTA 1 is SM 1's, in the far line's partition */
	assert_int_equal(rig_stat(&r, "l2_far.copies_dropped"), 1);
	assert_int_equal(rig_stat(&r, "l2_far.waited_writes"), is_near_home);
	the_line = far;
	load(&r, 1);
	assert_int_equal(rig_stat(&r, "l2_far.copy_hits"), 1);
	load(&r, 1);
	assert_int_equal(rig_stat(&r, "l2_far.copy_hits"), 2);
	rig_close(&r);
}

static void writes_drop_copies(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		drops_copy(i & 1, i & 2);
}

/* A fence behind a write waits for the way to the copy and back, if there is one: two headers on the wires and twice
 * the latency. */
static void fences_wait_for_copies(void **state)
{
	static const char *const settings[] = {TWO_SMS, NULL};
	const struct fake_inst write[] = {write_of(false), FAKE_FENCE, FAKE_EXIT};
	uint64_t cycles[2], far, local;
	struct rig r;

	(void)state;
	for (uint32_t has_copy = 0; has_copy < 2; has_copy++) {
		rig_open(&r, NULL, NULL, settings);
		far = line_of(&r, 1, RIG_MEMORY);
		local = line_of(&r, 0, RIG_MEMORY + (1 << 20));
		the_line = local;
		other_line = far;
		rig_run(&r, write, ARRAY_COUNT(write), 2, 32); /* both lines are in the L2, and the code */
		the_line = has_copy ? far : local;
		load(&r, 1);
		the_line = local;
		cycles[has_copy] = rig_run(&r, write, ARRAY_COUNT(write), 2, 32);
		rig_close(&r);
	}
	assert_int_equal(cycles[1] - cycles[0], 2 * 72 + 2);
}

/* ---- what fits ---- */

enum { L2_LINES = 2048, CTA_LINES = 32 };

/* Each CTA of one warp reads lines of all: so many visits. */
static uint64_t sweep(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + ((uint64_t)visit * CTA_LINES + thread % 32) * LINE;
}

/* Reads of memory in a second round of both SMs through so many lines. */
static uint64_t second_round(const char *copies, uint32_t lines)
{
	const char *const settings[] = {TWO_SMS, "gpu.l2_far_copies", copies, "l2.size_bytes", "262144", NULL};
	struct fake_inst insts[] = {FAKE_LOAD(1, sweep), FAKE_LOOP(0, lines / CTA_LINES - 1), FAKE_EXIT};
	uint64_t before;
	struct rig r;

	insts[0].cache = PTX_CG;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, 3, 2, 32);
	before = rig_stat(&r, "vault.reads");
	assert_int_equal(before, lines + 1); /* and the code */
	rig_run(&r, insts, 3, 2, 32);
	before = rig_stat(&r, "vault.reads") - before;
	rig_close(&r);
	return before;
}

/* What SMs of both partitions read is in both as far as copies are kept: half as much fits. */
static void copies_take_room(void **state)
{
	(void)state;
	assert_int_equal(second_round("true", L2_LINES * 3 / 8), 0);
	assert_int_equal(second_round("false", L2_LINES * 3 / 4), 0);
	assert_true(second_round("true", L2_LINES * 3 / 4) > L2_LINES / 8);
}

/* ---- all at once ---- */

/* Few lines, so that all SMs meet at them. */
static uint64_t crowd(uint64_t thread, uint32_t visit)
{
	uint64_t z = (thread / 8 * 31 + visit + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 29) * 0xbf58476d1ce4e5b9ull;
	return RIG_MEMORY + ((z ^ z >> 32) & 63) * LINE + thread % 32 * 4;
}

static uint64_t crowd_beside(uint64_t thread, uint32_t visit)
{
	return crowd(thread + 77, visit + 5);
}

static void meet(const char *const *settings)
{
	struct fake_inst insts[] = {FAKE_LOAD(1, crowd),  FAKE_STORE(1, crowd_beside), FAKE_LOAD(2, crowd_beside),
				    FAKE_STORE(2, crowd), FAKE_FENCE,		      FAKE_LOAD(3, crowd),
				    FAKE_LOOP(0, 12),     FAKE_EXIT};
	struct rig r;

	insts[0].cache = insts[2].cache = insts[5].cache = PTX_CG;
	insts[3].flags |= SIMT_ATOMIC;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, ARRAY_COUNT(insts), 32, 64);
	assert_int_equal(rig_stat(&r, "memory.requests"), rig_stat(&r, "memory.answers"));
	assert_true(rig_stat(&r, "l2_far.waited_writes") > 100);
	assert_true(rig_stat(&r, "l2_far.copy_hits") > 0);
	rig_close(&r);
}

#define CROWD PARTITIONS, "gpu.sm_count", "8"
#define SECTORS "l2.write_validate", "true", "l2.sector_bytes", "32"
#define SMALLEST                                                                                             \
	"gpu.l2_queue_count", "1", "xbar.depth_count", "1", "link.depth_count", "1", "l2.mshr_count", "2",    \
	    "l2.mshr_merge_count", "1", "dram.queue_entries", "1", "dram.write_high_count", "1",             \
	    "dram.write_low_count", "0", "l2.size_bytes", "16384", "l2.way_count", "1"

/* The auditor, which the rig sets, stops at a copy that an acknowledged write has made old. */
static void nothing_is_stale(void **state)
{
	static const char *const kinds[][64] = {
	    {CROWD, NULL},
	    {CROWD, SECTORS, NULL},
	    {CROWD, "gpu.l2_far_latency_cycles", "1000", NULL},
	    {CROWD, "gpu.l2_far_bytes", "1", SECTORS, NULL},
	    {CROWD, SMALLEST, NULL},
	    {CROWD, SMALLEST, SECTORS, NULL},
	    {CROWD, "gpu.address_map", "divided", "gpu.stack_count", "5", "gpu.l2_slices_per_stack_count", "2",
	     "l2.size_bytes", "327680", NULL},
	    {CROWD, "gpu.l2_interval_cycles", "3", "gpu.l2_clock_khz", "500000", NULL},
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(kinds); i++)
		meet(kinds[i]);
}

/* A read of one sector passes an atomic on another one of its line, which waits for memory at home: the copy of what
 * was read is no older for it. */
static void atomics_age_their_sectors(void **state)
{
	enum { ONE = 0xff, OTHER = 0xff00 };
	static const char *const settings[] = {TWO_SMS, SECTORS, NULL};
	struct fake_inst insts[] = {write_of(true), FAKE_LOAD(2, lines_by_cta), FAKE_FENCE,
				    FAKE_LOAD(3, lines_by_cta), FAKE_EXIT};
	struct rig r;

	(void)state;
	insts[0].lanes = OTHER;
	insts[1].lanes = insts[3].lanes = ONE;
	insts[1].cache = insts[3].cache = PTX_CG;
	rig_open(&r, NULL, NULL, settings);
	the_line = line_of(&r, 1, RIG_MEMORY);
	rig_run(&r, insts + 3, 2, 1, 32);
	rig_run(&r, insts, ARRAY_COUNT(insts), 1, 32);
	assert_int_equal(rig_stat(&r, "l2_far.copies_dropped"), 1);
	assert_int_equal(rig_stat(&r, "l2_far.copy_hits"), 1);
	rig_close(&r);
}

/* What is executed for its values only leaves copies too: they are as young as their lines, by sector and by line. */
static void warm_copies_are_young(void **state)
{
	static const char *const kinds[][40] = {{TWO_SMS, NULL}, {TWO_SMS, SECTORS, NULL}};
	static const struct mem_req_bytes all = {{~0ull, ~0ull}};
	const struct fake_inst write[] = {write_of(false), FAKE_FENCE, FAKE_EXIT};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct l2_slice *mirror = NULL;
		struct rig r;

		rig_open(&r, NULL, NULL, kinds[i]);
		the_line = line_of(&r, 0, RIG_MEMORY + (1 << 20));
		other_line = line_of(&r, 1, RIG_MEMORY);
		rig_run(&r, write, ARRAY_COUNT(write), 2, 32); /* SM 1 writes its line, which is at home there */
		the_line = other_line;
		load(&r, 1);
		for (uint32_t s = 0; s < r.gpu->partition_slices; s++) {
			if (mem_cache_has_line(r.gpu->slices[s]->cache, the_line))
				mirror = r.gpu->slices[s];
		}
		assert_non_null(mirror);
		the_line = line_of(&r, 0, RIG_MEMORY + (1 << 20));
		rig_run(&r, write, ARRAY_COUNT(write), 2, 32);
		assert_int_equal(rig_stat(&r, "l2_far.copies_dropped"), 1);
		the_line = other_line;
		l2_slice_warm(mirror, the_line, &all, false);
		load(&r, 1);
		assert_int_equal(rig_stat(&r, "l2_far.copy_hits"), 1);
		rig_close(&r);
	}
}

/* ---- what cannot be ---- */

static void refused(void **state)
{
	static const struct {
		const char *settings[4], *text;
	} cases[] = {
	    {{"l2.write_policy", "through", "l2.write_allocate", "false"}, "l2.write_policy = back"},
	    {{"gpu.stack_sm_count", "1"}, "the L2 is one"},
	    {{"gpu.sms_per_cluster_count", "4"}, "two clusters"},
	    {{"l2.mshr_count", "1"}, "l2.mshr_count"},
	};
	static const char *const settings[] = {TWO_SMS, NULL};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct sim_param_groups groups;
		struct base_diag_list diag;
		struct rig r;

		base_diag_init(&diag);
		rig_config(&r, &groups);
		for (uint32_t k = 0; settings[k]; k += 2)
			assert_true(sim_param_set(groups.items, groups.count, settings[k], settings[k + 1],
						  (struct base_place){0}, &diag));
		assert_true(gpu_config_check(&r.config, &diag));
		for (uint32_t k = 0; k < 4 && cases[i].settings[k]; k += 2)
			assert_true(sim_param_set(groups.items, groups.count, cases[i].settings[k],
						  cases[i].settings[k + 1], (struct base_place){0}, &diag));
		assert_false(gpu_config_check(&r.config, &diag));
		assert_non_null(strstr(diag.first->text, cases[i].text));
		base_diag_free(&diag);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(far_hits_take_the_link), cmocka_unit_test(one_partition_is_near),
	    cmocka_unit_test(wires_bound_far_hits),   cmocka_unit_test(writes_drop_copies),
	    cmocka_unit_test(fences_wait_for_copies), cmocka_unit_test(copies_take_room),
	    cmocka_unit_test(nothing_is_stale),	      cmocka_unit_test(atomics_age_their_sectors),
	    cmocka_unit_test(warm_copies_are_young),  cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
