/* test_mmu.c - address translation: the TLB against a naive model, a walk's cost as the sum of its reads, merging,
 * where the reads go, and the smallest sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "gpu/mmu.h"
#include "gpu/tlb.h"
#include "rig.h"

enum { PAGE = 2 << 20 };

/* ---- TLB ---- */

/* Keys of each set, most recently used first. */
struct naive {
	uint64_t keys[64][64];
	uint32_t counts[64];
	uint32_t set_count, way_count;
};

static bool naive_use(struct naive *n, uint64_t key, bool is_inserted)
{
	uint64_t *set = n->keys[key % n->set_count];
	uint32_t *count = &n->counts[key % n->set_count], i = 0;
	bool has_found;

	while (i < *count && set[i] != key)
		i++;
	has_found = i < *count;
	if (!has_found && !is_inserted)
		return false;
	if (!has_found)
		i = *count < n->way_count ? (*count)++ : n->way_count - 1;
	memmove(set + 1, set, i * sizeof(*set));
	set[0] = key;
	return has_found;
}

static void tlb_is_lru(void **state)
{
	static const uint32_t shapes[][2] = {{1, 1}, {1, 0}, {4, 0}, {16, 0}, {16, 4}, {64, 2}, {8, 1}, {12, 3}};

	(void)state;
	srand(1);
	for (uint32_t i = 0; i < ARRAY_COUNT(shapes); i++) {
		uint32_t entries = shapes[i][0], ways = shapes[i][1] ? shapes[i][1] : entries;
		struct naive *n = calloc(1, sizeof(*n));
		struct tlb *t = tlb_new(entries, shapes[i][1]);

		n->set_count = entries / ways;
		n->way_count = ways;
		for (uint32_t k = 0; k < 20000; k++) {
			uint64_t key = (uint64_t)rand() % (entries * 2 + 3);
			bool is_inserted = rand() % 3 == 0;

			if (is_inserted) {
				tlb_insert(t, key);
				naive_use(n, key, true);
			} else {
				assert_int_equal(tlb_find(t, key), naive_use(n, key, false));
			}
			if (k == 10000) {
				tlb_clear(t);
				memset(n->counts, 0, sizeof(n->counts));
			}
		}
		tlb_free(t);
		free(n);
	}
}

/* ---- sizes ---- */

static void levels_and_bits(void **state)
{
	struct sim_param_groups groups;
	struct rig r;

	(void)state;
	assert_int_equal(mmu_level_count(4096), 4);
	assert_int_equal(mmu_level_count(65536), 4);
	assert_int_equal(mmu_level_count(2 << 20), 3);
	assert_int_equal(mmu_level_count(1 << 30), 2);
	rig_config(&r, &groups);
	/* TLB 1 + 27 + 14 + 5 + 4, walker 1 + 27 + 23 + 2, line 1 + 41 + 32 + 4 + 6 + 6 + 1, upper 1 + 18 + 23 + 1 */
	assert_int_equal(gpu_mmu_bits(&r.config.mmu), 32 * 51 + 2 * 53 + 2 * 91 + 2 * 43);
	r.config.mmu.tlb_way_count = 4; /* 3 bits of the page are the set's number, 2 bits of rank instead of 5 */
	r.config.mmu.walk_cache_entry_count = 4;
	assert_int_equal(gpu_mmu_bits(&r.config.mmu), 32 * 45 + 2 * 53 + 2 * 91 + 4 * (1 + 18 + 23 + 2));
}

/* ---- the cost of a walk ---- */

/* One clock for all, rows closed after use, no refresh: every read that meets nobody takes the same time. */
#define EVEN                                                                                             \
	"gpu.sm_clock_khz", "1000000", "gpu.xbar_clock_khz", "1000000", "gpu.l2_clock_khz", "1000000",   \
	    "dram.t_ck_ps", "1000", "dram.page_policy", "closed", "dram.refresh", "false"

static uint64_t same_line(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return RIG_MEMORY + 0x7b5ce280 + thread % 32 * 4; /* no two reads of a walk in one bank */
}

static uint64_t page_per_visit(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + thread % 32 * 4 + (uint64_t)visit * (PAGE + 4096);
}

static uint64_t line_per_lane(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + (thread % 32 + 32 * (uint64_t)visit) * 128;
}

static uint64_t page_per_lane(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + (thread % 32 + visit) * (PAGE + 128);
}

/* A load of one sector past the L1, as a walk's reads are; dependent on the one before it. */
static struct fake_inst sector_load(uint64_t (*addr)(uint64_t, uint32_t))
{
	struct fake_inst i = FAKE_LOAD(1, addr);

	i.cache = PTX_CG;
	i.lanes = 0xff;
	i.read_count = 1;
	i.sb[0] = i.sb[1] = 1;
	return i;
}

static struct sim_hist hist(struct rig *r, const char *key)
{
	struct sim_hist h;

	assert_true(sim_stats_hist(r->ctx.stats, key, &h));
	return h;
}

static void cold_miss_costs_its_reads(void **state)
{
	static const struct {
		const char *page_bytes;
		uint32_t levels;
	} cases[] = {{"4096", 4}, {"65536", 4}, {"2097152", 3}, {"1073741824", 2}};
	static const char *const off[] = {EVEN, NULL};
	const struct fake_inst insts[] = {sector_load(same_line), FAKE_EXIT};
	struct rig r;
	uint64_t cycles, read_ps;

	(void)state;
	rig_open(&r, NULL, NULL, off);
	cycles = rig_run(&r, insts, 2, 1, 32);
	read_ps = hist(&r, "memory.data_read_latency_ps").sum;
	rig_close(&r);
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const char *const on[] = {EVEN, "mmu.where", "all", "mmu.page_bytes", cases[i].page_bytes, NULL};

		rig_open(&r, NULL, NULL, on);
		assert_int_equal(rig_run(&r, insts, 2, 1, 32), cycles + cases[i].levels * read_ps / 1000);
		assert_int_equal(hist(&r, "mmu.walk_latency_ps").sum, cases[i].levels * read_ps);
		assert_int_equal(hist(&r, "memory.page_latency_ps").count, cases[i].levels);
		assert_int_equal(rig_stat(&r, "mmu.misses"), 1);
		/* The page stays known to the next kernel. */
		rig_run(&r, insts, 2, 1, 32);
		assert_int_equal(rig_stat(&r, "mmu.hits"), 1);
		assert_int_equal(rig_stat(&r, "mmu.walks"), 1);
		rig_close(&r);
	}
}

/* Cycles of ten more loads from a page that is known, each dependent on the one before it. */
static uint64_t ten_hits_cycles(const char *const *settings)
{
	struct fake_inst insts[] = {sector_load(same_line), FAKE_LOOP(0, 9), FAKE_EXIT};
	uint64_t ten;

	insts[0].cache = PTX_CA;
	ten = rig_cycles(settings, insts, 3, 1, 32);
	insts[1].times = 19;
	return rig_cycles(settings, insts, 3, 1, 32) - ten;
}

static void hits_cost_the_latency_set(void **state)
{
	static const char *const off[] = {"mmu.tlb_latency_cycles", "7", NULL};
	static const char *const on[] = {"mmu.where", "all", NULL};
	static const char *const slow[] = {"mmu.where", "all", "mmu.tlb_latency_cycles", "7", NULL};
	uint64_t base = ten_hits_cycles(off);

	(void)state;
	assert_int_equal(ten_hits_cycles(on), base);
	assert_int_equal(ten_hits_cycles(slow), base + 10 * 7);
}

/* ---- lines that wait ---- */

static void misses_on_a_page_share_a_walk(void **state)
{
	static const char *const settings[] = {EVEN, "mmu.where", "all", "mmu.wait_line_count", "64", NULL};
	static const char *const tight[] = {EVEN, "mmu.where", "all", "mmu.wait_line_count", "5", NULL};
	const struct fake_inst insts[] = {FAKE_LOAD(1, line_per_lane), FAKE_LOAD(2, line_per_lane), FAKE_EXIT};
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, 3, 1, 32);
	assert_int_equal(rig_stat(&r, "mmu.accesses"), 64);
	assert_int_equal(rig_stat(&r, "mmu.misses"), 64);
	assert_int_equal(rig_stat(&r, "mmu.merged_misses"), 63);
	assert_int_equal(rig_stat(&r, "mmu.walks"), 1);
	assert_int_equal(rig_stat(&r, "mmu.full_stalls"), 0);
	rig_close(&r);
	/* Five wait; the sixth holds the others, and they find the page. */
	rig_open(&r, NULL, NULL, tight);
	rig_run(&r, insts, 3, 1, 32);
	assert_int_equal(rig_stat(&r, "mmu.misses"), 5);
	assert_int_equal(rig_stat(&r, "mmu.hits"), 59);
	assert_int_equal(rig_stat(&r, "mmu.full_stalls"), 1);
	rig_close(&r);
}

static uint64_t walks_cycles(const char *walkers, const char *cached, uint64_t *reads)
{
	const char *const settings[] = {"mmu.where", "all", "mmu.wait_line_count", "64", "mmu.walker_count", walkers,
					"mmu.walk_cache_entry_count", cached, NULL};
	const struct fake_inst insts[] = {FAKE_LOAD(1, page_per_lane), FAKE_EXIT};
	struct rig r;
	uint64_t cycles;

	rig_open(&r, NULL, NULL, settings);
	cycles = rig_run(&r, insts, 2, 1, 32);
	assert_int_equal(rig_stat(&r, "mmu.walks"), 32);
	assert_int_equal(rig_stat(&r, "mmu.walks_max"), atoi(walkers));
	*reads = rig_stat(&r, "mmu.local_reads") + rig_stat(&r, "mmu.remote_reads");
	rig_close(&r);
	return cycles;
}

static void walkers_and_walk_cache(void **state)
{
	uint64_t reads, serial = walks_cycles("1", "0", &reads), cached, parallel;

	(void)state;
	assert_int_equal(reads, 32 * 3);
	parallel = walks_cycles("8", "0", &reads);
	assert_int_equal(reads, 32 * 3);
	assert_true(parallel * 4 < serial);
	/* 32 pages lie under one lowest table: the first walk reads three entries, the others one. */
	cached = walks_cycles("1", "2", &reads);
	assert_int_equal(reads, 3 + 31);
	assert_true(cached < serial / 2);
}

static void old_pages_leave(void **state)
{
	static const char *const settings[] = {"mmu.where", "all", "mmu.tlb_entry_count", "8", NULL};
	struct fake_inst insts[] = {sector_load(page_per_visit), FAKE_LOOP(0, 8), FAKE_EXIT};
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	for (uint32_t i = 0; i < 2; i++) /* nine pages in turn through eight places of an LRU */
		rig_run(&r, insts, 3, 1, 32);
	assert_int_equal(rig_stat(&r, "mmu.walks"), 18);
	rig_close(&r);
}

/* ---- stack SMs ---- */

static struct carry_verdict block_begin(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w, uint32_t mark)
{
	(void)g;
	(void)sm;
	(void)w;
	(void)mark;
	return (struct carry_verdict){.way = CARRY_OFFLOAD, .is_free = true, .stack = 1, .block = ctx};
}

static const struct carry_policy ops = {.name = "test", .block_begin = block_begin};

/* A block of loads and stores at one stack. */
static void run_block(struct rig *r, const char *const *settings, uint64_t (*addr)(uint64_t, uint32_t))
{
	struct carry_block block = {1, 2, 3, (const uint16_t[]){1}, (const uint16_t[]){2}, 1, 1, 2};
	struct fake_inst insts[] = {FAKE_ALU(SIMT_UNIT_INT, 1, 1), FAKE_LOAD(2, addr), FAKE_STORE(2, addr), FAKE_EXIT};

	insts[1].mark = 1;
	rig_open(r, &ops, &block, settings);
	rig_run(r, insts, 4, 8, 128);
	assert_int_equal(rig_stat(r, "gpu.offloads"), 32);
}

#define STACKS "gpu.stack_sm_count", "1"

static void stack_walks_cross_the_mesh(void **state)
{
	static const char *const off[] = {STACKS, NULL};
	static const char *const on[] = {STACKS, "mmu.where", "stacks", "mmu.walk_cache_entry_count", "0", NULL};
	uint64_t mesh_bytes, dram_bytes, local, remote;
	struct rig r;

	(void)state;
	run_block(&r, off, page_per_lane);
	mesh_bytes = rig_stat(&r, "mesh.wire_bytes");
	dram_bytes = rig_stat(&r, "vault.read_bytes");
	rig_close(&r);
	run_block(&r, on, page_per_lane);
	local = rig_stat(&r, "mmu.local_reads");
	remote = rig_stat(&r, "mmu.remote_reads");
	assert_int_equal(local + remote, 3 * rig_stat(&r, "mmu.walks"));
	assert_true(local > 0 && remote > 0);
	/* A header there; a header and a sector back. */
	assert_int_equal(rig_stat(&r, "mesh.wire_bytes"), mesh_bytes + remote * (16 + 16 + 32));
	assert_int_equal(rig_stat(&r, "vault.read_bytes"), dram_bytes + (local + remote) * 64); /* a burst */
	/* Only the block's accesses are translated. */
	assert_int_equal(rig_stat(&r, "mmu.accesses"), 32 * 2 * 32);
	rig_close(&r);
}

/* Pages of one stack, one after the other: as many as three quarters of the TLB's entries. */
static struct {
	uint32_t count, stride, shift;
} pages_of_stack;

static uint64_t own_page(uint64_t thread, uint32_t visit)
{
	const uint64_t page = (thread + visit) % pages_of_stack.count * pages_of_stack.stride;

	return RIG_MEMORY + ((page + (pages_of_stack.stride > 1)) << pages_of_stack.shift) + thread % 8 * 64;
}

static void hold_pages(const char *map, uint32_t stacks, uint32_t entries, uint32_t ways, uint32_t page_shift)
{
	char numbers[5][16];
	const char *const settings[] = {
	    STACKS, "mmu.where", "stacks", "gpu.address_map", map, "gpu.stack_count", numbers[0],
	    "mmu.tlb_entry_count", numbers[1], "mmu.tlb_way_count", numbers[2], "mmu.page_bytes", numbers[3],
	    "gpu.map_bit", numbers[4], NULL};
	const bool has_stacks = !strcmp(map, "two_bit");
	struct rig r;

	snprintf(numbers[0], sizeof(numbers[0]), "%u", stacks);
	snprintf(numbers[1], sizeof(numbers[1]), "%u", entries);
	snprintf(numbers[2], sizeof(numbers[2]), "%u", ways);
	snprintf(numbers[3], sizeof(numbers[3]), "%u", 1u << page_shift);
	snprintf(numbers[4], sizeof(numbers[4]), "%u", has_stacks ? page_shift : 7);
	pages_of_stack.count = entries * 3 / 4;
	pages_of_stack.stride = has_stacks ? stacks : 1;
	pages_of_stack.shift = page_shift;
	run_block(&r, settings, own_page); /* 32 warps of loads and stores */
	if (rig_stat(&r, "mmu.walks") != pages_of_stack.count)
		fail_msg("%s, %u stacks, %u entries of %u ways, pages of 2^%u: %u pages of one stack took %llu walks",
			 map, stacks, entries, ways, page_shift, pages_of_stack.count,
			 (unsigned long long)rig_stat(&r, "mmu.walks"));
	rig_close(&r);
}

/* The TLB of a stack's SM sees the pages of its stack: its sets go by their numbers within the stack. Each is walked
 * for once, whatever the numbers of stacks, sets and ways. */
static void stack_tlbs_hold_their_pages(void **state)
{
	static const uint32_t shifts[] = {12, 16, 21}, ways[] = {1, 2, 4};

	(void)state;
	for (uint32_t stacks = 2; stacks <= 8; stacks *= 2)
		for (uint32_t i = 0; i < ARRAY_COUNT(shifts) * ARRAY_COUNT(ways); i++)
			for (uint32_t entries = 8; entries <= 32; entries *= 2) {
				hold_pages("two_bit", stacks, entries, ways[i % 3], shifts[i / 3]);
				hold_pages("baseline", stacks, entries, ways[i % 3], shifts[i / 3]);
			}
}

/* ---- the smallest sizes ---- */

#define TINY                                                                                                     \
	"mmu.tlb_entry_count", "1", "mmu.walker_count", "1", "mmu.wait_line_count", "1", "link.depth_count", "1", \
	    "mesh.depth_count", "1", "sm.lsu_queue_count", "1", "sm.store_count", "1", "sm.miss_queue_count", "1", \
	    "l1d.mshr_count", "1", "l1d.mshr_merge_count", "1", "l2.mshr_count", "1", "dram.queue_entries", "1",   \
	    "dram.write_high_count", "1", "dram.write_low_count", "0", "xbar.depth_count", "1",                  \
	    "gpu.l2_queue_count", "1"

static struct fake_inst atomic(uint8_t dst, uint64_t (*addr)(uint64_t, uint32_t))
{
	struct fake_inst i = FAKE_LOAD(dst, addr);

	i.flags = SIMT_ATOMIC;
	return i;
}

static void smallest_sizes(void **state)
{
	static const char *const all[] = {TINY, "mmu.where", "all", "gpu.sm_count", "3", NULL};
	static const char *const stacks[] = {TINY, STACKS, "mmu.where", "stacks", NULL};
	const struct fake_inst insts[] = {
	    FAKE_LOAD(1, page_per_lane), FAKE_STORE(1, page_per_lane), FAKE_FENCE, atomic(3, page_per_lane),
	    FAKE_STORE(3, line_per_lane), FAKE_BARRIER, FAKE_LOOP(0, 2), FAKE_EXIT,
	};
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, all);
	rig_run(&r, insts, ARRAY_COUNT(insts), 6, 64);
	assert_true(rig_stat(&r, "mmu.full_stalls") > 0);
	rig_close(&r);
	run_block(&r, stacks, page_per_lane);
	assert_true(rig_stat(&r, "mmu.full_stalls") > 0);
	rig_close(&r);
}

static struct gpu *to_interrupt;

static uint64_t interrupting(uint64_t thread, uint32_t visit)
{
	if (thread == 300)
		gpu_interrupt(to_interrupt, DEVICE_STOP_USER);
	return page_per_lane(thread, visit);
}

/* Stopped with walks under way; afterwards the machine works. */
static void interrupt(void **state)
{
	static const char *const settings[] = {"mmu.where", "all", NULL};
	const struct fake_inst insts[] = {FAKE_STORE(1, page_per_lane), FAKE_LOAD(2, interrupting), FAKE_EXIT};
	const struct fake_inst after[] = {FAKE_STORE(1, page_per_lane), FAKE_LOAD(2, page_per_lane), FAKE_EXIT};
	struct simt_program *p = fake_program_new("test", insts, 3);
	struct simt_launch l = fake_launch(p, 8, 128);
	struct device_result result;
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	to_interrupt = r.gpu;
	assert_false(gpu_launch(r.gpu, &l, &result));
	rig_run(&r, after, 3, 8, 128);
	fake_program_free(p);
	rig_close(&r);
}

static void bad_configurations(void **state)
{
	static const struct {
		const char *settings[4];
		const char *text;
	} cases[] = {
	    {{"mmu.tlb_way_count", "3"}, "mmu.tlb_way_count"},
	    {{"mmu.tlb_way_count", "64"}, "mmu.tlb_way_count"},
	    {{"mmu.page_bytes", "12288"}, "power of two"},
	    {{"mmu.where", "stacks"}, "gpu.stack_sm_count"},
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct sim_param_groups groups;
		struct rig r;
		struct base_diag_list diag;

		base_diag_init(&diag);
		rig_config(&r, &groups);
		assert_true(sim_param_set(groups.items, groups.count, cases[i].settings[0],
					  cases[i].settings[1], (struct base_place){0}, &diag));
		assert_false(gpu_config_check(&r.config, &diag));
		assert_non_null(strstr(diag.first->text, cases[i].text));
		base_diag_free(&diag);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tlb_is_lru),
	    cmocka_unit_test(levels_and_bits),
	    cmocka_unit_test(cold_miss_costs_its_reads),
	    cmocka_unit_test(hits_cost_the_latency_set),
	    cmocka_unit_test(misses_on_a_page_share_a_walk),
	    cmocka_unit_test(walkers_and_walk_cache),
	    cmocka_unit_test(old_pages_leave),
	    cmocka_unit_test(stack_walks_cross_the_mesh),
	    cmocka_unit_test(stack_tlbs_hold_their_pages),
	    cmocka_unit_test(smallest_sizes),
	    cmocka_unit_test(interrupt),
	    cmocka_unit_test(bad_configurations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
