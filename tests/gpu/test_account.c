/* test_account.c - each stage of waiting on memory has the length that the model gives it: one parameter is raised, and
 * its own stage grows, by as much as the parameter says, and no other. */
#include <string.h>

#include "base/check.h"
#include "gpu/account.h"
#include "mem/map.h"
#include "rig.h"

/* TSVs: two bursts of 4 cycles, the words' way and the controller's. Host: 24 bytes up and 152 down at 8 a cycle. */
enum { GROWN_MAX = 2, SETTINGS_MAX = 64, TSV_CYCLES = 4 + 4 + 2 + 10, HOST_CYCLES = 1000 + 3 + 19 };

/* Every clock has 1 GHz, and every stage is a whole number of cycles, so that nothing is rounded. */
static const char *const one_clock[] = {
    "run.account", "true", "gpu.sm_clock_khz", "1000000", "gpu.xbar_clock_khz", "1000000", "gpu.l2_clock_khz",
    "1000000", "dram.t_ck_ps", "1000", "dram.data_rate_mbps", "2000", "dram.refresh", "false",
    "link.bandwidth_mbytes_per_s", "16000", "link.latency_ps", "8000", "mesh.bandwidth_mbytes_per_s", "16000",
    "xbar.flit_bytes", "32", "mesh.latency_ps", "8000", "dram.controller_latency_ps", "10000",
    "dram.tsv_latency_ps", "2000", NULL};

static uint64_t other_row_addr, other_stack_addr;

/* A line of another row of the bank of RIG_MEMORY, and one in another stack. */
static void find_addresses(void)
{
	struct mem_map map;
	struct mem_place home;

	mem_map_baseline(&map, 4, 16, 16, 4096, 128);
	home = mem_map_place(&map, RIG_MEMORY);
	for (uint64_t addr = RIG_MEMORY; !other_row_addr || !other_stack_addr; addr += 128) {
		const struct mem_place at = mem_map_place(&map, addr);

		if (at.stack != home.stack)
			other_stack_addr = addr;
		else if (at.vault == home.vault && at.bank == home.bank && at.row != home.row)
			other_row_addr = addr;
	}
}

static uint64_t first_row(uint64_t thread, uint32_t visit)
{
	(void)thread;
	(void)visit;
	return RIG_MEMORY;
}

static uint64_t other_row(uint64_t thread, uint32_t visit)
{
	(void)thread;
	(void)visit;
	return other_row_addr;
}

static uint64_t row_by_warp(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return thread < SIMT_LANES ? RIG_MEMORY : other_row_addr;
}

static uint64_t other_stack(uint64_t thread, uint32_t visit)
{
	(void)thread;
	(void)visit;
	return other_stack_addr;
}

static uint64_t word(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return thread % SIMT_LANES * 4;
}

static uint64_t on_host(uint64_t thread, uint32_t visit)
{
	(void)thread;
	(void)visit;
	return FAKE_HOST_MEMORY;
}

/* Each load's result is waited for, so that no load is under way beside another of its warp. */
#define USE(reg) FAKE_ALU(SIMT_UNIT_INT, (reg) + 1, reg)

static const struct fake_inst miss_insts[] = {FAKE_LOAD(1, first_row), USE(1), FAKE_EXIT};
static const struct fake_inst l1_hit_insts[] = {FAKE_LOAD(1, first_row), USE(1), FAKE_LOAD(3, first_row), USE(3),
						FAKE_EXIT};
static const struct fake_inst two_rows_insts[] = {FAKE_LOAD(1, first_row), USE(1), FAKE_LOAD(3, other_row), USE(3),
						  FAKE_EXIT};
static const struct fake_inst at_once_insts[] = {FAKE_LOAD(1, row_by_warp), USE(1), FAKE_EXIT};
static const struct fake_inst shared_insts[] = {FAKE_SHARED(1, word), USE(1), FAKE_EXIT};
static const struct fake_inst host_insts[] = {FAKE_LOAD(1, on_host), USE(1), FAKE_EXIT};
static const struct fake_inst far_insts[] = {FAKE_LOAD(1, other_stack), USE(1), FAKE_EXIT};
static const struct fake_inst fence_insts[] = {FAKE_STORE(1, first_row), FAKE_FENCE, FAKE_EXIT};
static struct fake_inst l2_hit_insts[] = {FAKE_LOAD(1, first_row), USE(1), FAKE_LOAD(3, first_row), USE(3), FAKE_EXIT};

struct load {
	const struct fake_inst *insts;
	uint32_t count, ctas, threads;
	uint32_t pc;       /* of the load whose parts are looked at */
	bool is_on_stacks; /* it is that of the stacks' SMs */
	uint32_t answer;   /* not a load's parts, but those of this wait of all instructions: enum account_answer + 1 */
};

enum { SECOND = 2, OF_FETCH = ACCOUNT_FETCH + 1, OF_FENCE = ACCOUNT_FENCE + 1 };

static const struct load miss = {miss_insts, ARRAY_COUNT(miss_insts), 1, 32, 0, false, 0},
			 l1_hit = {l1_hit_insts, ARRAY_COUNT(l1_hit_insts), 1, 32, SECOND, false, 0},
			 l2_hit = {l2_hit_insts, ARRAY_COUNT(l2_hit_insts), 1, 32, SECOND, false, 0},
			 two_rows = {two_rows_insts, ARRAY_COUNT(two_rows_insts), 1, 32, SECOND, false, 0},
			 at_once = {at_once_insts, ARRAY_COUNT(at_once_insts), 1, 64, 0, false, 0},
			 shared = {shared_insts, ARRAY_COUNT(shared_insts), 1, 32, 0, false, 0},
			 host = {host_insts, ARRAY_COUNT(host_insts), 1, 32, 0, false, 0},
			 far = {far_insts, ARRAY_COUNT(far_insts), 2, 32, 0, true, 0},
			 fence = {fence_insts, ARRAY_COUNT(fence_insts), 1, 32, 0, false, OF_FENCE},
			 fetch = {shared_insts, ARRAY_COUNT(shared_insts), 1, 32, 0, false, OF_FETCH};

static void add_answers(const struct account_kernel *k, uint32_t answer, uint64_t *parts)
{
	for (uint32_t i = 0; i < ACCOUNT_PART_COUNT; i++)
		parts[i] = k->nowhere[0].answers[answer][i];
	for (uint32_t pc = 0; pc < k->inst_count; pc++)
		for (uint32_t i = 0; i < ACCOUNT_PART_COUNT; i++)
			parts[i] += k->insts[pc].cell[0].answers[answer][i];
}

/* The same machine for all: its SM and, for `far`, one in each stack. */
static void parts_of(const struct load *load, const char *key, const char *value, uint64_t *parts)
{
	const char *settings[SETTINGS_MAX];
	uint32_t count = 0;
	const struct account *a;
	struct rig r;

	for (const char *const *s = one_clock; *s; s++)
		settings[count++] = *s;
	if (load->is_on_stacks) {
		settings[count++] = "gpu.stack_sm_count";
		settings[count++] = "1";
		settings[count++] = "gpu.stack_sm_ctas";
		settings[count++] = "true";
	}
	settings[count++] = key;
	settings[count++] = value;
	settings[count] = NULL;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, load->insts, load->count, load->ctas, load->threads);
	a = gpu_account_of(r.gpu);
	assert_int_equal(a->kernel_count, 1);
	if (load->answer)
		add_answers(a->kernels[0], load->answer - 1, parts);
	else
		memcpy(parts, a->kernels[0]->insts[load->pc].cell[load->is_on_stacks].memory,
		       ACCOUNT_PART_COUNT * sizeof(parts[0]));
	rig_close(&r);
}

struct growth {
	uint32_t part;
	uint64_t cycles, more; /* with the low value; and more with the high one */
};

/* A packet of 16 bytes is a cycle of a link, an answer of 144 nine; one of 8 bytes is a flit of the crossbar, an answer
 * of 136 five, of 40 two. */
static const struct row {
	const struct load *load;
	const char *key, *low, *high;
	struct growth grown[GROWN_MAX]; /* the others stay */
} rows[] = {
    {&miss, "xbar.latency_cycles", "8", "13", {{NET_STAGE_XBAR, 8 + 1, 5}, {NET_STAGE_XBAR_HOME, 8 + 5, 5}}},
    {&miss, "gpu.l2_entry_cycles", "120", "127", {{NET_STAGE_L2, 120, 7}}},
    {&miss, "link.latency_ps", "8000", "15000", {{NET_STAGE_TX, 8 + 1, 7}, {NET_STAGE_RX, 8 + 9, 7}}},
    {&miss, "link.bandwidth_mbytes_per_s", "16000", "8000", {{NET_STAGE_TX, 8 + 1, 1}, {NET_STAGE_RX, 8 + 9, 9}}},
    {&miss, "dram.t_rcd", "11", "16", {{NET_STAGE_BANK, 11 + 11, 5}}},
    {&miss, "dram.t_cl", "11", "16", {{NET_STAGE_BANK, 11 + 11, 5}}},
    {&two_rows, "dram.t_rp", "11", "16", {{NET_STAGE_BANK, 11 + 11 + 11, 5}}},
    {&miss, "dram.tsv_latency_ps", "2000", "5000", {{NET_STAGE_TSV, TSV_CYCLES, 3}}},
    {&miss, "dram.controller_latency_ps", "10000", "16000", {{NET_STAGE_TSV, TSV_CYCLES, 6}}},
    {&l1_hit, "l1d.hit_latency_cycles", "36", "41", {{NET_STAGE_L1, 36, 5}}},
    {&l2_hit, "l2.hit_latency_cycles", "4", "9", {{NET_STAGE_L2_HOME, 4, 5}}},
    {&l2_hit, "gpu.l2_entry_cycles", "120", "127", {{NET_STAGE_L2, 120, 7}}},
    {&shared, "sm.shared_latency_cycles", "26", "31", {{ACCOUNT_SHARED, 26, 5}}},
    {&host, "host.access_latency_ps", "1000000", "1005000", {{NET_STAGE_HOST, HOST_CYCLES, 5}}},
    {&far, "mesh.latency_ps", "8000", "15000", {{NET_STAGE_MESH, 8 + 1, 7}, {NET_STAGE_MESH_HOME, 8 + 9, 7}}},
    /* A line of code comes as a line of data does. */
    {&fetch, "xbar.latency_cycles", "8", "13", {{NET_STAGE_XBAR, 8 + 1, 5}, {NET_STAGE_XBAR_HOME, 8 + 5, 5}}},
    {&fetch, "gpu.l2_entry_cycles", "120", "127", {{NET_STAGE_L2, 120, 7}}},
    {&fetch, "dram.t_rcd", "11", "16", {{NET_STAGE_BANK, 11 + 11, 5}}},
    /* A store is two flits, its acknowledgment one. */
    {&fence, "xbar.latency_cycles", "8", "13", {{NET_STAGE_XBAR, 8 + 2, 5}, {NET_STAGE_XBAR_HOME, 8 + 1, 5}}},
    {&fence, "gpu.l2_entry_cycles", "120", "127", {{NET_STAGE_L2, 120, 7}}},
    /* The second warp's row waits in the queue until the first one's may be closed. */
    {&at_once, "dram.t_ras", "40", "45", {{NET_STAGE_QUEUE, 39, 5}}},
};

static void row_check(const struct row *row)
{
	uint64_t low[ACCOUNT_PART_COUNT], high[ACCOUNT_PART_COUNT], more[ACCOUNT_PART_COUNT] = {0};

	parts_of(row->load, row->key, row->low, low);
	parts_of(row->load, row->key, row->high, high);
	for (const struct growth *g = row->grown; g < row->grown + GROWN_MAX && g->more; g++) {
		more[g->part] = g->more;
		if (low[g->part] != g->cycles)
			fail_msg("%s: %s is %llu cycles, expected %llu", row->key, gpu_account_parts.rows[g->part].name,
				 (unsigned long long)low[g->part], (unsigned long long)g->cycles);
	}
	for (uint32_t i = 0; i < ACCOUNT_PART_COUNT; i++)
		if (high[i] != low[i] + more[i])
			fail_msg("%s: %s grows from %llu to %llu cycles, expected %llu more", row->key,
				 gpu_account_parts.rows[i].name, (unsigned long long)low[i],
				 (unsigned long long)high[i],
				 (unsigned long long)more[i]);
}

static void stages_have_their_length(void **state)
{
	(void)state;
	find_addresses();
	l2_hit_insts[SECOND].cache = PTX_CG;
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		fake_has_host = rows[i].load == &host;
		row_check(&rows[i]);
	}
	fake_has_host = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(stages_have_their_length)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
