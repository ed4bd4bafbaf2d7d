/* test_machine.c - the whole machine: bandwidth, traffic, determinism, smallest queues, offloading, ends and failures.
 */
#include <string.h>

#include "base/check.h"
#include "mem/map.h"
#include "rig.h"

static uint64_t stream(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + thread * 4 + (uint64_t)visit * (64 << 20);
}

static uint64_t stream_out(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + (1ull << 30) + thread * 4 + (uint64_t)visit * (64 << 20);
}

static uint64_t scattered(uint64_t thread, uint32_t visit)
{
	uint64_t z = (thread * 31 + visit + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 29) * 0xbf58476d1ce4e5b9ull;
	return RIG_MEMORY + ((z ^ z >> 32) & 0x3ffffff) / 4 * 4;
}

static struct fake_inst atomic(uint16_t dst, uint64_t (*addr)(uint64_t, uint32_t))
{
	struct fake_inst i = FAKE_LOAD(dst, addr);

	i.flags = SIMT_LOAD | SIMT_STORE | SIMT_ATOMIC;
	return i;
}

/* Loads only: RX carries a header and eight flits per line and must be nearly always busy. */
static void link_bandwidth(void **state)
{
	static const char *const settings[] = {"gpu.sm_count", "68", "run.audit", "false", NULL};
	const struct fake_inst insts[] = {FAKE_LOAD(1, stream), FAKE_LOAD(2, stream_out), FAKE_EXIT};
	struct rig r;
	uint64_t rx_bytes;
	double ps, used;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	ps = (double)rig_run(&r, insts, 3, 4000, 256) * 1e6 / 1400;
	rx_bytes = rig_stat(&r, "link_rx.wire_bytes");
	used = (double)rx_bytes / (ps * 0.16); /* 4 links of 0.04 B/ps */
	assert_true(used > 0.85 && used <= 1.0);
	/* 2 * 4000 * 256 * 4 B in lines of 8 + 1 flits; and the code, read once. */
	assert_int_equal(rig_stat(&r, "vault.reads"), 2 * 4000 * 8 + 1);
	assert_int_equal(rx_bytes, (2 * 4000 * 8 + 1) * 144);
	assert_int_equal(rig_stat(&r, "link_tx.wire_bytes"), (2 * 4000 * 8 + 1) * 16);
	assert_int_equal(rig_stat(&r, "vault.read_bytes"), (2 * 4000 * 8 + 1) * 128);
	rig_close(&r);
}

static const struct fake_inst mixed[] = {
    FAKE_LOAD(1, scattered),
    FAKE_STORE(1, stream_out),
    FAKE_ALU(SIMT_UNIT_FP32, 2, 1),
    FAKE_STORE(2, scattered),
    FAKE_FENCE,
    FAKE_BARRIER,
    FAKE_LOOP(0, 3),
    FAKE_LOAD(3, stream),
    FAKE_EXIT,
};

static uint32_t with_atomics(struct fake_inst *insts)
{
	memcpy(insts, mixed, sizeof(mixed));
	insts[7] = atomic(3, scattered);
	return ARRAY_COUNT(mixed);
}

static void determinism(void **state)
{
	static const char *const settings[] = {"gpu.sm_count", "9", NULL};
	struct fake_inst insts[ARRAY_COUNT(mixed)];
	uint32_t count = with_atomics(insts);
	struct rig a, b;

	(void)state;
	rig_open(&a, NULL, NULL, settings);
	rig_open(&b, NULL, NULL, settings);
	for (uint32_t i = 0; i < 2; i++) { /* two machines in turn, neither sees the other */
		uint64_t cycles = rig_run(&a, insts, count, 40, 128);

		assert_int_equal(rig_run(&b, insts, count, 40, 128), cycles);
		assert_int_equal(sim_ctx_hash(&a.ctx), sim_ctx_hash(&b.ctx));
	}
	rig_run(&b, insts, count, 1, 32);
	assert_int_not_equal(sim_ctx_hash(&a.ctx), sim_ctx_hash(&b.ctx));
	rig_close(&a);
	rig_close(&b);
}

#define TINY                                                                                                           \
	"gpu.sm_count", "6", "gpu.sms_per_cluster_count", "3", "gpu.l2_queue_count", "1", "xbar.depth_count", "1",     \
	    "link.depth_count", "1", "mesh.depth_count", "1", "sm.lsu_queue_count", "1", "sm.store_count", "1",        \
	    "sm.miss_queue_count", "1", "l1d.mshr_count", "1", "l1d.mshr_merge_count", "1", "l2.mshr_count", "1",      \
	    "l2.mshr_merge_count", "1", "l1i.mshr_count", "1", "l1i.mshr_merge_count", "1", "dram.queue_entries", "1", \
	    "dram.write_high_count", "1", "dram.write_low_count", "0", "sm.ibuffer_count", "1"

#define CREDITS "link.credit_latency_ps", "100000", "mesh.credit_latency_ps", "100000"

/* Every queue of one place: slow, but it ends, and the checks of a kernel's end hold. */
static void smallest_queues(void **state)
{
	static const char *const settings[] = {TINY, NULL};
	static const char *const with_switch[] = {TINY, "gpu.stack_switch_entry_count", "1", NULL};
	static const char *const with_credits[] = {TINY, CREDITS, NULL};
	static const char *const roomy[] = {"gpu.sm_count", "6", "gpu.sms_per_cluster_count", "3", NULL};
	struct fake_inst insts[ARRAY_COUNT(mixed)];
	uint32_t count = with_atomics(insts);

	(void)state;
	assert_true(rig_cycles(settings, insts, count, 12, 64) > 2 * rig_cycles(roomy, insts, count, 12, 64));
	assert_true(rig_cycles(with_switch, insts, count, 12, 64) > 2 * rig_cycles(roomy, insts, count, 12, 64));
	assert_true(rig_cycles(with_credits, insts, count, 12, 64) > rig_cycles(settings, insts, count, 12, 64));
}

/* ---- a vault that everybody wants ---- */

#define ONE_STACK(vaults, entries)                                                                                \
	"gpu.stack_count", "1", "gpu.l2_slices_per_stack_count", vaults, "dram.vault_count", vaults,              \
	    "dram.queue_entries", entries, "dram.write_high_count", "2", "dram.write_low_count", "1"

enum { VAULTS = 8, BANKS = 8, HOT_WARPS = 12, ROWS_EACH = 8 };

static uint64_t hot[2 * HOT_WARPS * ROWS_EACH], cold[2 * HOT_WARPS * ROWS_EACH];

/* Rows of one bank of a vault; and rows of all banks of the others. */
static void find_hot_and_cold(void)
{
	struct mem_map map;
	uint32_t hots = 0, colds = 0;

	mem_map_baseline(&map, 1, VAULTS, BANKS, 4096, 128);
	for (uint64_t addr = RIG_MEMORY; hots < ARRAY_COUNT(hot) || colds < ARRAY_COUNT(cold); addr += 128) {
		const struct mem_place at = mem_map_place(&map, addr);

		if (at.column_bytes)
			continue;
		if (at.vault != 3 && colds < ARRAY_COUNT(cold))
			cold[colds++] = addr;
		if (at.vault == 3 && at.bank == 5 && hots < ARRAY_COUNT(hot))
			hot[hots++] = addr;
	}
}

static uint64_t hot_or_cold(uint64_t thread, uint32_t visit)
{
	const uint64_t number = thread / 64 * ROWS_EACH + visit;

	return (thread / 32 % 2 ? hot : cold)[number] + thread % 32 * 4;
}

/* Reads to the other vaults wait behind those to the hot one, or do not: their mean says so. */
static void switch_past_a_full_vault(void **state)
{
	const struct fake_inst insts[] = {FAKE_LOAD(1, hot_or_cold), FAKE_LOOP(0, ROWS_EACH - 1), FAKE_EXIT};
	static const char *const entries[] = {"0", "64"};
	uint64_t mean_ps[2], hot_stalls;

	(void)state;
	find_hot_and_cold();
	for (uint32_t i = 0; i < 2; i++) {
		const char *const settings[] = {ONE_STACK("8", "4"), "gpu.sm_count", "2", "dram.bank_count", "8",
						"l2.mshr_count", "128", "gpu.l2_queue_count", "128",
						"sm.miss_queue_count", "256", "l1d.mshr_count", "256",
						"gpu.stack_switch_entry_count", entries[i], NULL};
		struct sim_hist latency;
		struct rig r;

		rig_open(&r, NULL, NULL, settings);
		rig_run(&r, insts, ARRAY_COUNT(insts), 2, 2 * HOT_WARPS * 32);
		assert_true(sim_stats_hist(r.ctx.stats, "memory.data_read_latency_ps", &latency));
		mean_ps[i] = latency.sum / latency.count;
		assert_int_equal(latency.count, 4 * HOT_WARPS * ROWS_EACH);
		if (sim_stats_value(r.ctx.stats, "switch.full_stalls", &hot_stalls)) {
			assert_int_equal(i, 1);
			assert_int_equal(rig_stat(&r, "switch.requests"), rig_stat(&r, "vault.reads"));
			assert_true(rig_stat(&r, "switch.waits") > HOT_WARPS * ROWS_EACH);
			assert_true(rig_stat(&r, "switch.wait_units") > 0);
			assert_in_range(rig_stat(&r, "switch.occupancy_max"), 16, 64);
		}
		rig_close(&r);
	}
	assert_true(mean_ps[1] < mean_ps[0] * 3 / 4);
}

/* A line that the L2 has, for threads of odd warps; the others stream from memory. */
static uint64_t hit_or_stream(uint64_t thread, uint32_t visit)
{
	return thread / 32 % 2 ? RIG_MEMORY + thread % 32 * 4
			       : RIG_MEMORY + (1 << 20) + thread * 4 + (uint64_t)visit * (1 << 20);
}

/* More lines come from memory than a slice may answer. Those that it has wait no longer for their turn than those: were
 * they behind all that come from memory, they would wait until there is none. */
static void hits_take_their_turn(void **state)
{
	enum { ROUNDS = 64 };
	static const char *const settings[] = {"gpu.stack_count", "1", "gpu.l2_slices_per_stack_count", "1",
					       "gpu.sm_count", "16", "gpu.sms_per_cluster_count", "1",
					       "link.bandwidth_mbytes_per_s", "1000000", "l2.mshr_count", "512",
					       "gpu.l2_queue_count", "64", "sm.scheduler", "lrr", NULL};
	struct fake_inst insts[] = {FAKE_LOAD(1, hit_or_stream), FAKE_LOOP(0, ROUNDS - 1), FAKE_EXIT};
	struct sim_hist latency;
	struct rig r;

	(void)state;
	insts[0].cache = PTX_CG;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, ARRAY_COUNT(insts), 16, 256);
	assert_true(sim_stats_hist(r.ctx.stats, "memory.data_read_latency_ps", &latency));
	assert_true(2 * sim_hist_quantile(&latency, 0.95) < 3 * sim_hist_quantile(&latency, 0.5));
	rig_close(&r);
}

/* Sixteen SMs write one flag over and over. While the first write is on its way, those behind it become one. */
static uint64_t flag(uint64_t thread, uint32_t visit)
{
	(void)thread, (void)visit;
	return RIG_MEMORY + 64;
}

/* And one warp the ends of a line in turn, whose bytes do not touch. */
static uint64_t ends_in_turn(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + (visit & 1) * 96 + (thread & 7) * 4;
}

static void hot_writes_merge(void **state)
{
	enum { SMS = 16, WARPS = 8, ROUNDS = 64, STORES = SMS * WARPS * ROUNDS };
	struct fake_inst insts[] = {FAKE_STORE(1, flag), FAKE_LOOP(0, ROUNDS - 1), FAKE_EXIT};
	uint64_t cycles[2];
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const char *const settings[] = {"gpu.sm_count", "16", "gpu.l2_merges_writes", i ? "false" : "true",
						NULL};

		rig_open(&r, NULL, NULL, settings);
		cycles[i] = rig_run(&r, insts, ARRAY_COUNT(insts), SMS, WARPS * 32);
		assert_int_equal(rig_stat(&r, "l2_slice.requests"), STORES + rig_stat(&r, "l1i.read_misses"));
		assert_int_equal(rig_stat(&r, "vault.writes"), STORES - rig_stat(&r, "l2_slice.merged_writes"));
		assert_int_equal(rig_stat(&r, "vault.write_bytes"), 64 * rig_stat(&r, "vault.writes"));
		assert_true(i ? rig_stat(&r, "l2_slice.merged_writes") == 0
			      : 3 * rig_stat(&r, "vault.writes") < STORES);
		rig_close(&r);
	}
	assert_true(2 * cycles[0] < cycles[1]);
}

/* Eight writes: the first leaves, and while the link is busy with it the next of either end wait, which those after
 * them join. */
static void writes_apart_do_not_merge(void **state)
{
	static const char *const settings[] = {"link.bandwidth_mbytes_per_s", "1", "link.depth_count", "1", NULL};
	const struct fake_inst insts[] = {FAKE_STORE(1, ends_in_turn), FAKE_LOOP(0, 7), FAKE_EXIT};
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, ARRAY_COUNT(insts), 1, 8);
	assert_int_equal(rig_stat(&r, "l2_slice.merged_writes"), 5);
	assert_int_equal(rig_stat(&r, "vault.writes"), 3);
	rig_close(&r);
}

/* With one vault there is nobody to let past: all enter as they came, and nothing changes. */
static void switch_keeps_order(void **state)
{
	struct fake_inst insts[ARRAY_COUNT(mixed)];
	const uint32_t count = with_atomics(insts);
	static const char *const entries[] = {"0", "512"};
	uint64_t cycles[2], hits[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const char *const settings[] = {ONE_STACK("1", "8"), "dram.scheduler", "fifo",
						"link.depth_count", "4096", "gpu.stack_switch_entry_count", entries[i],
						NULL};
		struct rig r;

		rig_open(&r, NULL, NULL, settings);
		cycles[i] = rig_run(&r, insts, count, 8, 128);
		hits[i] = rig_stat(&r, "vault.row_hits");
		if (i)
			assert_true(rig_stat(&r, "switch.occupancy_max") > 8);
		rig_close(&r);
	}
	assert_int_equal(cycles[0], cycles[1]);
	assert_int_equal(hits[0], hits[1]);
}

/* ---- host memory ---- */

static uint64_t host_stream(uint64_t thread, uint32_t visit)
{
	return FAKE_HOST_MEMORY + 4 * thread + (1 << 20) * (uint64_t)visit;
}

static const struct fake_inst host_reads[] = {FAKE_LOAD(1, host_stream), FAKE_ALU(SIMT_UNIT_FP32, 2, 1), FAKE_EXIT};
static const struct fake_inst host_writes[] = {FAKE_STORE(2, host_stream), FAKE_EXIT};

static void host_memory_is_behind_its_wires(void **state)
{
	enum { CTAS = 64, LINES = CTAS * 4, WIRE_BYTES = LINES * (128 + 24), PS_PER_BYTE = 125 };
	struct rig r;
	uint64_t time_ps;

	(void)state;
	fake_has_host = true;
	rig_open(&r, NULL, NULL, (const char *const[]){"gpu.sm_count", "4", NULL});
	rig_run(&r, host_reads, ARRAY_COUNT(host_reads), CTAS, 128);
	time_ps = rig_stat(&r, "gpu.time_ps");
	assert_int_equal(rig_stat(&r, "host_link.reads"), LINES);
	assert_int_equal(rig_stat(&r, "host_link.read_bytes"), LINES * 128);
	assert_int_equal(rig_stat(&r, "host_link.down_wire_bytes"), WIRE_BYTES);
	assert_int_equal(rig_stat(&r, "host_link.up_wire_bytes"), LINES * 24);
	assert_true(rig_stat(&r, "vault.read_bytes") < 1024); /* code */
	/* All data one after the other over the wires, and once the latency. */
	assert_true(time_ps > WIRE_BYTES * PS_PER_BYTE + 1000000);
	assert_true(time_ps < WIRE_BYTES * PS_PER_BYTE * 3 / 2 + 2000000);

	/* What is in the L2 does not travel again. */
	rig_run(&r, host_reads, ARRAY_COUNT(host_reads), CTAS, 128);
	assert_int_equal(rig_stat(&r, "host_link.reads"), LINES);
	rig_run(&r, host_writes, ARRAY_COUNT(host_writes), CTAS, 128);
	assert_int_equal(rig_stat(&r, "host_link.writes"), LINES);
	assert_int_equal(rig_stat(&r, "host_link.up_wire_bytes"), LINES * 24 + WIRE_BYTES);
	assert_int_equal(rig_stat(&r, "host_link.down_wire_bytes"), WIRE_BYTES);
	rig_close(&r);

	/* The same from the stacks. */
	rig_open(&r, NULL, NULL, (const char *const[]){"gpu.sm_count", "4", NULL});
	fake_has_host = false;
	rig_run(&r, host_reads, ARRAY_COUNT(host_reads), CTAS, 128);
	assert_int_equal(rig_stat(&r, "host_link.reads"), 0);
	assert_true(rig_stat(&r, "vault.read_bytes") >= LINES * 128);
	assert_true(rig_stat(&r, "gpu.time_ps") < time_ps / 2);
	rig_close(&r);
}

static uint64_t host_flag(uint64_t thread, uint32_t visit)
{
	(void)thread, (void)visit;
	return FAKE_HOST_MEMORY + 64;
}

/* Writes to the stacks merge beside a host memory as without one. Those to the host, which wait behind them for the
 * link, do not. */
static void host_memory_leaves_merging(void **state)
{
	enum { SMS = 16, WARPS = 8, ROUNDS = 64, STORES = SMS * WARPS * ROUNDS };
	const struct fake_inst alone[] = {FAKE_STORE(1, flag), FAKE_LOOP(0, ROUNDS - 1), FAKE_EXIT};
	const struct fake_inst both[] = {FAKE_STORE(1, flag), FAKE_STORE(1, host_flag), FAKE_LOOP(0, ROUNDS - 1),
					 FAKE_EXIT};
	uint64_t merged[2];
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		fake_has_host = i;
		rig_open(&r, NULL, NULL, (const char *const[]){"gpu.sm_count", "16", NULL});
		rig_run(&r, alone, ARRAY_COUNT(alone), SMS, WARPS * 32);
		merged[i] = rig_stat(&r, "l2_slice.merged_writes");
		rig_close(&r);
	}
	assert_true(3 * merged[0] > 2 * STORES);
	assert_int_equal(merged[0], merged[1]);
	rig_open(&r, NULL, NULL, (const char *const[]){"gpu.sm_count", "16", NULL});
	rig_run(&r, both, ARRAY_COUNT(both), SMS, WARPS * 32);
	assert_true(rig_stat(&r, "l2_slice.merged_writes") > 0);
	assert_int_equal(rig_stat(&r, "host_link.writes"), STORES);
	rig_close(&r);
	fake_has_host = false;
}

static uint64_t mean_read_ps(struct rig *r)
{
	struct sim_hist latency;

	assert_true(sim_stats_hist(r->ctx.stats, "memory.data_read_latency_ps", &latency));
	return latency.sum / latency.count;
}

static const struct fake_inst one_host_read[] = {FAKE_LOAD(1, host_stream), FAKE_EXIT};

/* One line of 128 bytes is two of the host's: they are read one after the other from one bank, 26 cycles of 1.25 ns and
 * 4 more; what comes besides are the edges of two clocks. Many lines come at the rate of the DRAM, where that is less
 * than the link's; each is read and written once. */
static void host_memory_is_dram(void **state)
{
	enum { CTAS = 64, LINES = CTAS * 4, DRAM_PS = 30 * 1250, EDGE_PS = 1250 + 1429 };
	static const char *const plain[] = {"host_dram.vault_count", "1", "host_dram.data_rate_mbps", "0",
					    "host_dram.controller_latency_ps", "0", "host_dram.tsv_latency_ps", "0",
					    "host_memory.capacity_bytes", "3GiB", NULL};
	/* 8 bits at 1.6 Gb/s: 1.6 GB/s of the link's 8 */
	static const char *const slow[] = {"gpu.sm_count", "4", "host_dram.vault_count", "1",
					   "host_dram.data_rate_mbps", "1600", "host_dram.data_bits", "8",
					   "host_dram.refresh", "false", NULL};
	struct rig r;
	uint64_t alone_ps, with_ps, time_ps;

	(void)state;
	fake_has_host = true;
	rig_open(&r, NULL, NULL, NULL);
	rig_run(&r, one_host_read, ARRAY_COUNT(one_host_read), 1, 32);
	alone_ps = mean_read_ps(&r);
	rig_close(&r);
	rig_has_host_memory = true;
	rig_open(&r, NULL, NULL, plain);
	rig_run(&r, one_host_read, ARRAY_COUNT(one_host_read), 1, 32);
	with_ps = mean_read_ps(&r);
	assert_int_equal(rig_stat(&r, "host_memory.requests"), 2);
	rig_close(&r);
	assert_in_range(with_ps, alone_ps + DRAM_PS - 1429, alone_ps + DRAM_PS + EDGE_PS);

	rig_open(&r, NULL, NULL, slow);
	rig_run(&r, host_reads, ARRAY_COUNT(host_reads), CTAS, 128);
	time_ps = rig_stat(&r, "gpu.time_ps");
	assert_in_range(time_ps, LINES * 128 * 625, LINES * 128 * 625 * 6 / 5 + 2000000);
	rig_run(&r, host_writes, ARRAY_COUNT(host_writes), CTAS, 128);
	assert_int_equal(rig_stat(&r, "host_vault.reads"), 2 * LINES);
	assert_int_equal(rig_stat(&r, "host_vault.read_bytes"), LINES * 128);
	assert_int_equal(rig_stat(&r, "host_vault.write_bytes"), LINES * 128);
	assert_int_equal(rig_stat(&r, "host_memory.requests"), rig_stat(&r, "host_memory.answers"));
	assert_true(rig_stat(&r, "host_memory.refusals") > 0);
	assert_int_equal(rig_stat(&r, "host_link.down_wire_bytes"), LINES * (128 + 24));
	rig_close(&r);
	rig_has_host_memory = false;
	fake_has_host = false;
}

static void host_memory_through_smallest_queues(void **state)
{
	static const char *const settings[] = {TINY, "host.access_latency_ps", "0", NULL};
	static const char *const with_memory[] = {TINY, "host.access_latency_ps", "0", "host_dram.vault_count", "1",
						  "host_dram.queue_entries", "2", "host_dram.write_high_count", "1",
						  "host_dram.write_low_count", "0", NULL};
	struct rig r;

	(void)state;
	fake_has_host = true;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, host_reads, ARRAY_COUNT(host_reads), 24, 128);
	rig_run(&r, host_writes, ARRAY_COUNT(host_writes), 24, 128);
	assert_int_equal(rig_stat(&r, "host_link.read_bytes"), rig_stat(&r, "host_link.write_bytes"));
	rig_close(&r);
	rig_has_host_memory = true;
	rig_open(&r, NULL, NULL, with_memory);
	rig_run(&r, host_reads, ARRAY_COUNT(host_reads), 24, 128);
	rig_run(&r, host_writes, ARRAY_COUNT(host_writes), 24, 128);
	assert_int_equal(rig_stat(&r, "host_vault.read_bytes"), rig_stat(&r, "host_link.read_bytes"));
	assert_int_equal(rig_stat(&r, "host_vault.write_bytes"), rig_stat(&r, "host_link.write_bytes"));
	rig_close(&r);
	rig_has_host_memory = false;
	fake_has_host = false;
}

static void write_back_l2(void **state)
{
	static const char *const settings[] = {
	    "l2.write_policy", "back", "l2.size_bytes", "65536", "l2.way_count", "1", NULL};
	struct fake_inst insts[ARRAY_COUNT(mixed)];
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, with_atomics(insts), 8, 64);
	assert_int_equal(rig_stat(&r, "memory.requests"), rig_stat(&r, "memory.answers"));
	rig_close(&r);
}

/* Two lines that share a set of the L2 but no bank: the dirty one is written back to its own bank, whose row is open
 * still. Each row is opened once: theirs, and that of the code. */
static uint64_t dirty_line(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return RIG_MEMORY + (12 << 10) + thread * 4; /* not in the code's bank */
}

static uint64_t other_line(uint64_t thread, uint32_t visit)
{
	return dirty_line(thread, visit) + (1 << 20) + (16 << 10);
}

static void victims_go_home(void **state)
{
	static const char *const settings[] = {
	    "l2.write_policy", "back", "l2.write_allocate", "true", "l2.size_bytes", "16384", "l2.way_count", "1",
	    "l2.index_hash", "none", "gpu.stack_count", "1", "gpu.l2_slices_per_stack_count", "1",
	    "dram.vault_count", "1", "dram.refresh", "false", NULL};
	const struct fake_inst insts[] = {FAKE_STORE(1, dirty_line), FAKE_FENCE, FAKE_LOAD(2, other_line), FAKE_EXIT};
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, 4, 1, 32);
	assert_int_equal(rig_stat(&r, "l2.writebacks"), 1);
	assert_int_equal(rig_stat(&r, "vault.row_conflicts"), 0);
	assert_int_equal(rig_stat(&r, "vault.activates"), 3);
	rig_close(&r);
}

/* ---- an L2 whose lines have sectors ---- */

#define SECTORS "l2.write_policy", "back", "l2.write_allocate", "true", "l2.write_validate", "true", \
	"l2.sector_bytes", "32", "sm.inst_cache_kept", "true"

/* A word of a sector of its own in every line, the third. */
static uint64_t one_word(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return RIG_MEMORY + (1 << 20) + thread * 128 + 64;
}

static uint64_t whole_lines(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return RIG_MEMORY + (2 << 20) + thread * 4;
}

/* Half of one_word's sector is written by the other words of the line's first half. */
static uint64_t beside(uint64_t thread, uint32_t visit)
{
	return one_word(thread, visit) + 4;
}

static void sectors_save_reads(void **state)
{
	static const char *const settings[] = {SECTORS, NULL};
	const struct fake_inst code[] = {FAKE_EXIT};
	struct fake_inst read[] = {FAKE_LOAD(1, one_word), FAKE_EXIT};
	const struct fake_inst line[] = {FAKE_LOAD(1, whole_lines), FAKE_EXIT};
	const struct fake_inst write[] = {FAKE_STORE(1, whole_lines), FAKE_FENCE, FAKE_EXIT};
	const struct fake_inst partial[] = {FAKE_STORE(1, beside), FAKE_FENCE, FAKE_EXIT};
	uint64_t before;
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, code, 1, 1, 32);
	before = rig_stat(&r, "vault.reads");
	rig_run(&r, write, ARRAY_COUNT(write), 1, 32); /* a whole line: nothing is fetched, nothing goes to memory */
	assert_int_equal(rig_stat(&r, "l2.sector_fills"), before);
	assert_int_equal(rig_stat(&r, "vault.writes"), 0);
	rig_run(&r, line, ARRAY_COUNT(line), 1, 32); /* and it can be read */
	assert_int_equal(rig_stat(&r, "l2.sector_fills"), before);
	rig_run(&r, partial, ARRAY_COUNT(partial), 1, 32); /* words: nothing is fetched either */
	assert_int_equal(rig_stat(&r, "l2.sector_fills"), before);
	read[0].cache = PTX_CG; /* past the L1: of each line the sector, which is not whole */
	rig_run(&r, read, ARRAY_COUNT(read), 1, 32);
	assert_int_equal(rig_stat(&r, "l2.sector_fills"), before + 32);
	assert_int_equal(rig_stat(&r, "l2.sector_misses"), 32);
	rig_run(&r, read, ARRAY_COUNT(read), 1, 32);
	assert_int_equal(rig_stat(&r, "l2.sector_fills"), before + 32);
	rig_close(&r);
}

static uint64_t first_word(uint64_t thread, uint32_t visit)
{
	return one_word(thread, visit) - 64;
}

/* The L1D moves what it lacks and no more: of each line one sector, then another one, which the line waits for. */
static void sectors_of_the_l1(void **state)
{
	static const char *const settings[] = {SECTORS, "l1d.sector_bytes", "32", NULL};
	const struct fake_inst code[] = {FAKE_EXIT};
	const struct fake_inst same[] = {FAKE_LOAD(1, one_word), FAKE_LOAD(2, beside), FAKE_EXIT};
	const struct fake_inst other[] = {FAKE_LOAD(1, one_word), FAKE_LOAD(2, first_word), FAKE_EXIT};
	const struct fake_inst line[] = {FAKE_LOAD(1, whole_lines), FAKE_EXIT};
	uint64_t fetched;
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, code, 1, 1, 32);
	fetched = rig_stat(&r, "l2.sector_fills");
	rig_run(&r, same, ARRAY_COUNT(same), 1, 32);
	assert_int_equal(rig_stat(&r, "l2.sector_fills"), fetched + 32);
	assert_int_equal(rig_stat(&r, "l1d.sector_fills"), 32);
	rig_run(&r, other, ARRAY_COUNT(other), 1, 32);
	assert_int_equal(rig_stat(&r, "l2.sector_fills"), fetched + 64);
	assert_int_equal(rig_stat(&r, "l1d.sector_fills"), 96);
	rig_run(&r, line, ARRAY_COUNT(line), 1, 32); /* a whole line is one request */
	assert_int_equal(rig_stat(&r, "l1d.sector_fills"), 100);
	assert_int_equal(rig_stat(&r, "memory.requests"), rig_stat(&r, "memory.answers"));
	rig_close(&r);
}

/* Reads of whole lines: by how many requests a slice has them from memory, and how long it looks them up. */
static uint64_t whole_line_cycles(const char *const *settings, uint64_t *vault_reads)
{
	const struct fake_inst read[] = {FAKE_LOAD(1, whole_lines), FAKE_EXIT};
	uint64_t cycles;
	struct rig r;

	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, read, ARRAY_COUNT(read), 32, 256);
	*vault_reads = rig_stat(&r, "vault.reads");
	cycles = rig_run(&r, read, ARRAY_COUNT(read), 32, 256);
	rig_close(&r);
	return cycles;
}

#define SLOW_SECTORS SECTORS, "gpu.l2_interval_cycles", "64"

static void sectors_together(void **state)
{
	static const char *const one[] = {SLOW_SECTORS, NULL};
	static const char *const four[] = {SLOW_SECTORS, "gpu.l2_lookup_sector_count", "4", NULL};
	static const char *const runs[] = {SLOW_SECTORS, "gpu.l2_fetches_runs", "true", NULL};
	uint64_t singly, looked_up, together;
	const uint64_t by_one = whole_line_cycles(one, &singly), by_four = whole_line_cycles(four, &looked_up);

	(void)state;
	assert_true(by_four * 2 < by_one);
	assert_int_equal(singly, looked_up);
	whole_line_cycles(runs, &together);
	assert_true(together * 2 < singly);
}

/* Shared memory takes of the store that it has with the L1D what the compute capability knows. */
static void shared_pool(void **state)
{
	static const char *const settings[] = {"sm.shared_pool",    "hopper",
					       "l1d.size_bytes",    "262144",
					       "l1d.way_count",     "32",
					       "sm.shared_bytes",   "233472",
					       "sm.shared_reserved_bytes", "1024",
					       NULL};
	static const uint64_t kib[][2] = {{0, 0}, {1, 8}, {64, 64}, {65, 100}, {200, 228}, {228, 228}, {1000, 228}};
	struct fake_inst insts[] = {FAKE_EXIT};
	struct simt_program *p = fake_program_new("test", insts, 1);
	struct base_diag_list diag;
	struct rig r;

	(void)state;
	base_diag_init(&diag);
	rig_open(&r, NULL, NULL, settings);
	for (uint32_t i = 0; i < ARRAY_COUNT(kib); i++)
		assert_int_equal(gpu_pool_shared_bytes(&r.config, kib[i][0] * 1024), kib[i][1] * 1024);
	assert_int_equal(gpu_ctas_per_sm(r.gpu, p, 32, 227 * 1024, &diag), 1);
	assert_int_equal(gpu_ctas_per_sm(r.gpu, p, 32, 227 * 1024 + 1, &diag), 0);
	base_diag_free(&diag);
	fake_program_free(p);
	rig_close(&r);
}

/* A cache of one set, one line, in each slice: what goes is written by sectors. */
static void sectors_written_back(void **state)
{
	static const char *const settings[] = {SECTORS, "l2.size_bytes", "2048", "l2.way_count", "1",
					       "gpu.l2_slices_per_stack_count", "4", NULL};
	const struct fake_inst insts[] = {FAKE_STORE(1, one_word), FAKE_FENCE, FAKE_LOAD(2, whole_lines), FAKE_EXIT};
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, ARRAY_COUNT(insts), 8, 128);
	assert_true(rig_stat(&r, "l2.writebacks") > 500);
	assert_int_equal(rig_stat(&r, "l2.sector_writebacks"), rig_stat(&r, "l2.writebacks"));
	assert_int_equal(rig_stat(&r, "vault.writes"), rig_stat(&r, "l2.writebacks"));
	assert_int_equal(rig_stat(&r, "memory.requests"), rig_stat(&r, "memory.answers"));
	rig_close(&r);
}

/* Six channels of one vault, with the rig's auditor of commands: two slices a channel take its banks in turn, so a
 * program that the tags hold up needs half the time. All requests are answered, with hostile queues too. */
#define SIX_CHANNELS "gpu.stack_count", "6", "dram.vault_count", "1", "gpu.address_map", "divided", \
	"l2.size_bytes", "98304", "l2.way_count", "8"

static void six_channels(void **state)
{
	static const char *const roomy[] = {SECTORS, SIX_CHANNELS, "gpu.l2_slices_per_stack_count", "2", NULL};
	static const char *const tight[] = {SECTORS,
					    SIX_CHANNELS,
					    "gpu.bank_hash",
					    "all_row",
					    "gpu.l2_slices_per_stack_count",
					    "4",
					    "l2.mshr_count",
					    "1",
					    "gpu.l2_queue_count",
					    "1",
					    "link.depth_count",
					    "1",
					    "dram.queue_entries",
					    "2",
					    "dram.write_high_count",
					    "1",
					    "dram.write_low_count",
					    "0",
					    "xbar.depth_count",
					    "1",
					    NULL};
	struct fake_inst insts[ARRAY_COUNT(mixed)];
	const uint32_t count = with_atomics(insts);
	const struct fake_inst lines[] = {FAKE_LOAD(1, whole_lines), FAKE_EXIT};
	uint64_t cycles[2];
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const char *const slow[] = {
		    SIX_CHANNELS, "gpu.l2_interval_cycles", "64", "gpu.l2_slices_per_stack_count", i ? "2" : "1", NULL};

		cycles[i] = rig_cycles(slow, lines, 2, 48, 256);
	}
	assert_in_range(10 * cycles[0] / cycles[1], 17, 20);
	for (uint32_t i = 0; i < 2; i++) {
		rig_open(&r, NULL, NULL, i ? tight : roomy);
		rig_run(&r, insts, count, 8, 64);
		assert_int_equal(rig_stat(&r, "memory.requests"), rig_stat(&r, "memory.answers"));
		rig_close(&r);
	}
}

/* Of every warp the same line: 32 words in a row, one word of them, and two lanes at each of 16. */
static uint64_t words_in_a_row(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return RIG_MEMORY + thread % 32 * 4;
}

static uint64_t same_word(uint64_t thread, uint32_t visit)
{
	(void)thread;
	(void)visit;
	return RIG_MEMORY;
}

static uint64_t words_of_two_lanes(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return RIG_MEMORY + thread % 32 / 2 * 4;
}

enum { ATOMIC_CTAS = 8, ATOMIC_WARPS = 4 };

/* SM cycles of so many atomics by each of the warps of eight SMs, in an L2 that keeps the results. */
static uint64_t atomic_cycles(uint64_t (*addr)(uint64_t, uint32_t), uint32_t times, bool has_result,
			      const char *access_bytes, const char *interval)
{
	const char *const settings[] = {"gpu.sm_count", "8", "l2.write_policy", "back", "l2.write_allocate", "true",
					"gpu.l2_atomic_bytes", access_bytes, "gpu.l2_atomic_interval_cycles", interval,
					NULL};
	struct fake_inst insts[] = {atomic(1, addr), FAKE_LOOP(0, times - 1), FAKE_EXIT};

	if (!has_result) {
		insts[0].write_count = 0;
		insts[0].read_count = 1;
	}
	return rig_cycles(settings, insts, 3, ATOMIC_CTAS, ATOMIC_WARPS * 32);
}

/* Atomics of all SMs at one line are as fast as its slice: an access for the words that lie in gpu.l2_atomic_bytes, and
 * one by one for lanes at the same word, two cycles of an SM each times their interval. */
static void atomics_hold_their_slice(void **state)
{
	static const struct {
		uint64_t (*addr)(uint64_t, uint32_t);
		const char *access_bytes, *interval;
		uint32_t cycles;
	} cases[] = {
	    {words_in_a_row, "32", "1", 4},	  {words_in_a_row, "4", "1", 32},     {words_in_a_row, "16", "3", 24},
	    {words_in_a_row, "128", "16", 16},	  {same_word, "32", "1", 32},	      {same_word, "128", "2", 64},
	    {words_of_two_lanes, "32", "1", 2 * 2}, {words_of_two_lanes, "4", "1", 32},
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		for (uint32_t has_result = 0; has_result < 2; has_result++) {
			uint64_t cycles[2];

			for (uint32_t k = 0; k < 2; k++)
				cycles[k] = atomic_cycles(cases[i].addr, 16 * (k + 1), has_result,
							  cases[i].access_bytes, cases[i].interval);
			/* The crossbar brings a line's words in four flits of its clock: less. */
			assert_in_range(cycles[1] - cycles[0],
					16ull * ATOMIC_CTAS * ATOMIC_WARPS * 2 * cases[i].cycles * 98 / 100,
					16ull * ATOMIC_CTAS * ATOMIC_WARPS * 2 * cases[i].cycles * 102 / 100);
		}
	}
}

/* Those that waited for the line hold the slice when it comes, one after the other: the second round, all hits, waits
 * for them; but for the last of all, nobody waits behind that. */
static void atomics_that_missed_hold_it_too(void **state)
{
	const uint64_t each = 2 * 32 * 64, count = 2 * ATOMIC_CTAS;
	const char *const settings[] = {"gpu.sm_count", "8", "l2.write_policy", "back", "l2.write_allocate", "true",
					"gpu.l2_atomic_interval_cycles", "64", NULL};
	const struct fake_inst insts[] = {atomic(1, same_word), FAKE_LOOP(0, 1), FAKE_EXIT};

	(void)state;
	assert_in_range(rig_cycles(settings, insts, 3, ATOMIC_CTAS, 32), (count - 1) * each, count * each);
}

static uint64_t line_of_warp(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return RIG_MEMORY + thread * 4;
}

/* Loads and stores of whole lines that are in the L2, by one SM: a line's words are four flits of the crossbar, an
 * acknowledgment is one, or one for each sector. */
static void acknowledgments_per_sector(void **state)
{
	static const char *const is_on[] = {"false", "true"};
	uint64_t cycles[2][2], flits[2][2];

	(void)state;
	for (uint32_t on = 0; on < 2; on++) {
		for (uint32_t k = 0; k < 2; k++) {
			const char *const settings[] = {"l2.write_policy", "back", "l2.write_allocate", "true",
							"gpu.l2_ack_per_sector", is_on[on], NULL};
			struct fake_inst insts[] = {FAKE_LOAD(1, line_of_warp), FAKE_STORE(1, line_of_warp),
						    FAKE_LOOP(0, 32 * (k + 1) - 1), FAKE_EXIT};
			struct rig r;

			insts[0].cache = PTX_CG;
			rig_open(&r, NULL, NULL, settings);
			cycles[on][k] = rig_run(&r, insts, 4, 4, 256);
			flits[on][k] = rig_stat(&r, "xbar_reply.flits");
			rig_close(&r);
		}
		/* A pair more, of 32 warps 32 times: 4 + 1 or 4 + 4 flits, each a cycle of 1.25 GHz. */
		const uint64_t more = 32 * 32 * (on ? 8 : 5);

		assert_int_equal(flits[on][1] - flits[on][0], more);
		assert_in_range(cycles[on][1] - cycles[on][0], more * 1400 / 1250, more * 1400 / 1250 * 103 / 100);
	}
}

/* An atomic takes its line out of the L1: the load after it reads it again. */
static void atomics_leave_no_line(void **state)
{
	const struct fake_inst with[] = {FAKE_LOAD(1, dirty_line), FAKE_FENCE, atomic(2, dirty_line), FAKE_FENCE,
					 FAKE_LOAD(3, dirty_line), FAKE_EXIT};
	const struct fake_inst without[] = {FAKE_LOAD(1, dirty_line), FAKE_FENCE, FAKE_LOAD(3, dirty_line), FAKE_EXIT};
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, NULL);
	rig_run(&r, without, ARRAY_COUNT(without), 1, 32);
	assert_int_equal(rig_stat(&r, "l1d.read_hits"), 1);
	assert_int_equal(rig_stat(&r, "l1d.read_misses"), 1);
	rig_run(&r, with, ARRAY_COUNT(with), 1, 32);
	assert_int_equal(rig_stat(&r, "l1d.read_hits"), 1);
	assert_int_equal(rig_stat(&r, "l1d.read_misses"), 3);
	rig_close(&r);
}

static void address_maps(void **state)
{
	static const char *const maps[] = {"baseline", "two_bit", "random_page"};
	uint64_t cycles[3];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		const char *const settings[] = {"gpu.address_map", maps[i], "gpu.map_bit", "12",
						"gpu.sm_count",    "8",     NULL};

		cycles[i] = rig_cycles(settings, mixed, ARRAY_COUNT(mixed), 32, 128);
	}
	assert_int_not_equal(cycles[0], cycles[1]);
	assert_int_not_equal(cycles[0], cycles[2]);
}

/* ---- acknowledgments smaller than a flit ---- */

static void small_acknowledgments(void **state)
{
	static const char *const settings[] = {"link.ack_bytes", "1", NULL};
	const struct fake_inst insts[] = {FAKE_STORE(1, stream), FAKE_EXIT};
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, 2, 256, 256);
	/* 2048 stores of a line, spread evenly over four stacks: 32 flits each; and one line of code. */
	assert_int_equal(rig_stat(&r, "link_rx.wire_bytes"), 2048 + 144);
	rig_close(&r);
}

/* ---- offloading ---- */

struct mechanism {
	struct carry_block block;
	struct carry_verdict offload;
	uint32_t begun, ended, placed, epochs, refuse_each;
};

static struct carry_verdict block_begin(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w, uint32_t mark)
{
	struct mechanism *m = ctx;
	struct carry_verdict o = m->offload;

	(void)g;
	(void)sm;
	(void)w;
	assert_int_equal(mark, 1);
	o.block = &m->block;
	o.way = m->refuse_each == 0 || ++m->begun % m->refuse_each != 0 ? CARRY_OFFLOAD : CARRY_STAY;
	o.stack = m->begun % 4;
	m->begun += m->refuse_each == 0;
	return o;
}

static void block_end(void *ctx, struct gpu *g, uint32_t sm, const struct carry_verdict *o, uint32_t line_count)
{
	struct mechanism *m = ctx;

	(void)g;
	(void)sm;
	assert_true(line_count <= (o->invalidate_lines ? 64 : 0));
	assert_true(o->way == CARRY_OFFLOAD);
	m->ended++;
}

static void cta_placed(void *ctx, struct gpu *g, uint32_t sm, uint64_t cta)
{
	(void)g;
	(void)sm;
	assert_int_equal(cta, ((struct mechanism *)ctx)->placed);
	((struct mechanism *)ctx)->placed++;
}

static uint64_t epoch(void *ctx, struct gpu *g, uint64_t cycle)
{
	struct mechanism *m = ctx;

	(void)g;
	m->epochs++;
	assert_int_equal(cycle, m->epochs * 100);
	return 100;
}

static const struct carry_policy ops = {
    .name = "test",
    .block_begin = block_begin,
    .block_end = block_end,
    .cta_placed = cta_placed,
    .epoch = epoch,
    .epoch_cycles = 100,
};

static void offload_with(struct mechanism *m, const char *const *settings, uint64_t packets_bytes)
{
	static const uint16_t live_in[] = {1}, live_out[] = {3};
	const struct fake_inst insts[] = {
	    FAKE_LOAD(1, scattered),
	    {.unit = SIMT_UNIT_LDST,
	     .flags = SIMT_LOAD,
	     .space = SIMT_MEM_GLOBAL,
	     .access_bytes = 4,
	     .read_count = 1,
	     .write_count = 1,
	     .sb = {1, 2},
	     .addr = stream,
	     .mark = 1},
	    FAKE_STORE(2, stream_out),
	    FAKE_ALU(SIMT_UNIT_INT, 3, 2),
	    FAKE_STORE(3, scattered),
	    FAKE_EXIT,
	};
	struct rig r;
	uint64_t cycles;

	m->block = (struct carry_block){1, 3, 4, live_in, live_out, 1, 1, 2};
	rig_open(&r, &ops, m, settings);
	cycles = rig_run(&r, insts, ARRAY_COUNT(insts), 24, 256);
	assert_int_equal(rig_stat(&r, "sm.warp_instructions"), 24 * 8 * 6);
	assert_int_equal(m->ended, rig_stat(&r, "gpu.offloads"));
	assert_int_equal(rig_stat(&r, "sm.guest_warps"), m->ended);
	assert_true(rig_stat(&r, "sm.stall_offload") > 0);
	assert_int_equal(m->placed, 24);
	assert_true(m->epochs > 0 && m->epochs * 100 < cycles);
	assert_int_equal(rig_stat(&r, "l2_slice.offload_packets") > 0, packets_bytes > 0);
	rig_close(&r);
}

#define STACKS "gpu.stack_sm_count", "1", "gpu.stack_sm_warp_slot_count", "3"

static void offload_free(void **state)
{
	static const char *const settings[] = {"gpu.sm_count", "4", STACKS, NULL};
	struct mechanism m = {.offload = {.is_free = true}};

	(void)state;
	offload_with(&m, settings, 0);
	assert_int_equal(m.ended, 24 * 8);
}

static void offload_packets(void **state)
{
	static const char *const settings[] = {"gpu.sm_count", "4", STACKS, NULL};
	struct mechanism m = {
	    .offload = {.request_bytes = 144, .reply_bytes = 128, .latency_cycles = 10, .invalidate_lines = true},
	    .refuse_each = 3};

	(void)state;
	offload_with(&m, settings, 272);
	assert_int_equal(m.ended, 24 * 8 * 2 / 3);
}

static void offload_smallest_queues(void **state)
{
	static const char *const settings[] = {TINY, STACKS, NULL};
	static const char *const with_switch[] = {TINY, STACKS, "gpu.stack_switch_entry_count", "1", NULL};
	static const char *const with_credits[] = {TINY, STACKS, CREDITS, NULL};
	struct mechanism m = {.offload = {.request_bytes = 144, .reply_bytes = 128, .invalidate_lines = true}};

	(void)state;
	offload_with(&m, settings, 272);
	m = (struct mechanism){.offload = m.offload};
	offload_with(&m, with_switch, 272);
	m = (struct mechanism){.offload = m.offload};
	offload_with(&m, with_credits, 272);
}

/* ---- ends ---- */

static void instruction_limit(void **state)
{
	static const char *const settings[] = {"run.instruction_limit_count", "20000", NULL};
	struct rig r;
	uint64_t timed;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, mixed, ARRAY_COUNT(mixed), 64, 64);
	timed = rig_stat(&r, "sm.thread_instructions");
	assert_true(timed >= 20000 && timed <= 20000 + 64);
	assert_int_equal(timed / 32 + rig_stat(&r, "gpu.untimed_warp_instructions"), 64 * 2 * (7 * 4 + 2));
	assert_int_equal(rig_run(&r, mixed, ARRAY_COUNT(mixed), 2, 64), 0);
	rig_close(&r);
}

static void functional_mode(void **state)
{
	static const char *const settings[] = {"run.mode", "functional", NULL};
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	assert_int_equal(rig_run(&r, mixed, ARRAY_COUNT(mixed), 3, 64), 0);
	assert_int_equal(rig_stat(&r, "gpu.untimed_warp_instructions"), 3 * 2 * (7 * 4 + 2));
	assert_int_equal(sim_now_ps(r.ctx.engine), 0);
	rig_close(&r);
}

static struct gpu *to_interrupt;

static uint64_t interrupting(uint64_t thread, uint32_t visit)
{
	if (thread == 3000)
		gpu_interrupt(to_interrupt, DEVICE_STOP_USER);
	return stream(thread, visit);
}

/* Stopped in the middle, with requests everywhere; afterwards the machine works and all checks hold. */
static void interrupt(void **state)
{
	const struct fake_inst insts[] = {FAKE_LOAD(1, scattered), FAKE_LOAD(2, interrupting), FAKE_STORE(1, scattered),
					  FAKE_EXIT};
	struct simt_program *p = fake_program_new("test", insts, 4);
	struct simt_launch l = fake_launch(p, 64, 128);
	struct device_result result;
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, NULL);
	to_interrupt = r.gpu;
	assert_false(gpu_launch(r.gpu, &l, &result));
	assert_int_equal(l.fault.kind, SIMT_FAULT_STOPPED);
	assert_int_equal(result.stop, DEVICE_STOP_USER);
	sim_advance_ps(r.ctx.engine, sim_now_ps(r.ctx.engine) + 12345678);
	rig_run(&r, mixed, ARRAY_COUNT(mixed), 16, 128);
	fake_program_free(p);
	rig_close(&r);
}

/* The same with accesses in the host's memory. */
static void interrupt_host_memory(void **state)
{
	const struct fake_inst insts[] = {FAKE_LOAD(1, host_stream), FAKE_LOAD(2, interrupting),
					  FAKE_STORE(1, host_stream), FAKE_EXIT};
	struct simt_program *p = fake_program_new("test", insts, 4);
	struct simt_launch l = fake_launch(p, 64, 128);
	struct device_result result;
	struct rig r;

	(void)state;
	fake_has_host = rig_has_host_memory = true;
	rig_open(&r, NULL, NULL, NULL);
	to_interrupt = r.gpu;
	assert_false(gpu_launch(r.gpu, &l, &result));
	assert_int_equal(result.stop, DEVICE_STOP_USER);
	assert_true(mem_memory_is_idle(r.memory));
	rig_run(&r, host_reads, ARRAY_COUNT(host_reads), 16, 128);
	fake_program_free(p);
	rig_close(&r);
	fake_has_host = rig_has_host_memory = false;
}

/* Between two kernels: the next one ends at its beginning, the one after it runs. */
static void interrupt_between(void **state)
{
	struct simt_program *p = fake_program_new("test", mixed, ARRAY_COUNT(mixed));
	struct simt_launch l = fake_launch(p, 4, 64), again = fake_launch(p, 4, 64);
	struct device_result result;
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, NULL);
	gpu_interrupt(r.gpu, DEVICE_STOP_WALL);
	assert_false(gpu_launch(r.gpu, &l, &result));
	assert_int_equal(l.fault.kind, SIMT_FAULT_TIMEOUT);
	assert_int_equal(result.warp_instructions, 0);
	assert_true(gpu_launch(r.gpu, &again, &result));
	assert_int_equal(result.stop, DEVICE_STOP_NONE);
	fake_program_free(p);
	rig_close(&r);
}

/* The limit of simulated time ends a kernel on the way, and the next one at once. */
static void simulated_limit(void **state)
{
	static const char *const settings[] = {"run.timeout_simulated_ps", "100ns", NULL};
	struct simt_program *p = fake_program_new("test", mixed, ARRAY_COUNT(mixed));
	struct simt_launch l = fake_launch(p, 64, 128), again = fake_launch(p, 64, 128);
	struct device_result result;
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	assert_false(gpu_launch(r.gpu, &l, &result));
	assert_int_equal(l.fault.kind, SIMT_FAULT_TIMEOUT);
	assert_int_equal(result.stop, DEVICE_STOP_SIMULATED);
	assert_in_range(sim_now_ps(r.ctx.engine), 1, 101000);
	assert_false(gpu_launch(r.gpu, &again, &result));
	assert_int_equal(result.warp_instructions, 0);
	fake_program_free(p);
	rig_close(&r);
}

static void bad_configurations(void **state)
{
	static const struct {
		const char *key, *value, *text;
	} cases[] = {
	    {"gpu.stack_count", "3", "powers of two"},     {"l2.size_bytes", "1000000", "l2.size_bytes"},
	    {"l1d.write_policy", "back", "write-through"}, {"sm.warp_slot_count", "200", "64 warp slots"},
	    {"sm.sector_bytes", "48", "power of two"},     {"gpu.sm_clock_khz", "1399999", "unit of time"},
	    {"sm.ibuffer_count", "3", "power of two"},     {"dram.vault_count", "6", "gpu.address_map"},
	    {"l1d.sector_bytes", "32", "l2.sector_bytes"}, {"l1t.sector_bytes", "32", "only lines"},
	    {"sm.shared_pool", "hopper", "l1d.size_bytes"}, {"l2.write_validate", "true", "l2.sector_bytes"},
	    {"l1d.write_validate", "true", "only the L2"}, {"l1i.write_validate", "true", "only the L2"},
	    {"l2.sector_bytes", "48", "power of two"},     {"gpu.interleave_bytes", "8192", "dram.row_bytes"},
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct sim_param_groups groups;
		struct rig r;
		struct base_diag_list diag;

		base_diag_init(&diag);
		rig_config(&r, &groups);
		assert_true(gpu_config_check(&r.config, &diag));
		assert_true(sim_param_set(groups.items, groups.count, cases[i].key, cases[i].value,
					  (struct base_place){0}, &diag));
		assert_false(gpu_config_check(&r.config, &diag));
		assert_non_null(strstr(diag.first->text, cases[i].text));
		base_diag_free(&diag);
	}
}

/* Each may be set, and both may not. */
static void bad_pairs(void **state)
{
	static const struct {
		const char *settings[2][2], *text;
	} cases[] = {
	    {{{"l2.sector_bytes", "32"}, {"l2.allocate_on_miss", "true"}}, "chooses its way"},
	    {{{"gpu.address_map", "divided"}, {"gpu.stack_sm_count", "1"}}, "another map"},
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct base_diag_list diag;

		base_diag_init(&diag);
		for (uint32_t set = 1; set <= 3; set++) {
			struct sim_param_groups groups;
			struct rig r;

			rig_config(&r, &groups);
			for (uint32_t k = 0; k < 2; k++)
				if (set & 1u << k)
					assert_true(sim_param_set(groups.items, groups.count, cases[i].settings[k][0],
								  cases[i].settings[k][1], (struct base_place){0},
								  &diag));
			assert_int_equal(gpu_config_check(&r.config, &diag), set != 3);
		}
		assert_non_null(strstr(diag.first->text, cases[i].text));
		base_diag_free(&diag);
	}
}

/* As many SMs as the engine has components for are built; one more is refused with what to do. */
static void largest_machine(void **state)
{
	static const char *const most[] = {"gpu.sm_count", "1018", "gpu.sms_per_cluster_count", "1",
					 "gpu.stack_count", "64", "gpu.stack_sm_count", "16", NULL};
	struct sim_param_groups groups;
	struct base_diag_list diag;
	struct rig r;

	(void)state;
	rig_open(&r, NULL, NULL, most);
	rig_close(&r);
	base_diag_init(&diag);
	rig_config(&r, &groups);
	for (uint32_t i = 2; most[i]; i += 2)
		assert_true(sim_param_set(groups.items, groups.count, most[i], most[i + 1], (struct base_place){0},
					  &diag));
	r.config.gpu.sm_count = 1019;
	assert_false(gpu_config_check(&r.config, &diag));
	assert_non_null(strstr(diag.first->text, "gpu.sm_count = 1019"));
	assert_non_null(strstr(diag.first->text, "raise gpu.sms_per_cluster_count"));
	base_diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(link_bandwidth),
	    cmocka_unit_test(determinism),
	    cmocka_unit_test(smallest_queues),
	    cmocka_unit_test(switch_past_a_full_vault),
	    cmocka_unit_test(hits_take_their_turn),
	    cmocka_unit_test(hot_writes_merge),
	    cmocka_unit_test(writes_apart_do_not_merge),
	    cmocka_unit_test(switch_keeps_order),
	    cmocka_unit_test(host_memory_is_behind_its_wires),
	    cmocka_unit_test(host_memory_leaves_merging),
	    cmocka_unit_test(host_memory_is_dram),
	    cmocka_unit_test(host_memory_through_smallest_queues),
	    cmocka_unit_test(write_back_l2),
	    cmocka_unit_test(victims_go_home),
	    cmocka_unit_test(sectors_save_reads),
	    cmocka_unit_test(sectors_of_the_l1),
	    cmocka_unit_test(sectors_together),
	    cmocka_unit_test(shared_pool),
	    cmocka_unit_test(sectors_written_back),
	    cmocka_unit_test(six_channels),
	    cmocka_unit_test(atomics_leave_no_line),
	    cmocka_unit_test(atomics_hold_their_slice),
	    cmocka_unit_test(atomics_that_missed_hold_it_too),
	    cmocka_unit_test(acknowledgments_per_sector),
	    cmocka_unit_test(address_maps),
	    cmocka_unit_test(small_acknowledgments),
	    cmocka_unit_test(offload_free),
	    cmocka_unit_test(offload_packets),
	    cmocka_unit_test(offload_smallest_queues),
	    cmocka_unit_test(instruction_limit),
	    cmocka_unit_test(functional_mode),
	    cmocka_unit_test(interrupt),
	    cmocka_unit_test(interrupt_host_memory),
	    cmocka_unit_test(interrupt_between),
	    cmocka_unit_test(simulated_limit),
	    cmocka_unit_test(bad_configurations),
	    cmocka_unit_test(bad_pairs),
	    cmocka_unit_test(largest_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
