/* test_sm.c - one SM: latencies as the sums of their parts, issue order, occupancy, stall accounting. */
#include <string.h>

#include "base/check.h"
#include "rig.h"

enum { CHAIN = 40 };

static uint64_t same_line(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return RIG_MEMORY + thread % 32 * 4;
}

static uint64_t line_per_visit(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + thread % 32 * 4 + (uint64_t)visit * 128;
}

static uint64_t shared_stride_8(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return thread % 32 * 32;
}

/* A chain of count copies of an instruction whose result it reads, after a warm-up copy, in straight code. */
static uint32_t chain(struct fake_inst *insts, struct fake_inst link, uint32_t count)
{
	link.read_count = link.write_count = 1;
	link.sb[0] = link.sb[1] = 3;
	for (uint32_t i = 0; i < count; i++)
		insts[i] = link;
	insts[count] = (struct fake_inst)FAKE_EXIT;
	return count + 1;
}

/* What one link of the chain costs, in hundredths of a cycle; the instruction cache holds the code after a first run.
 */
static uint64_t chain_cost(const char *const *settings, struct fake_inst link)
{
	struct fake_inst insts[3 * CHAIN + 1];
	struct rig r;
	uint64_t shorter, longer;

	/* A loop keeps the code in few lines: branches would add their penalty, so the code is straight and the lines
	 * are brought in by the L2 before; a dependent chain hides the remaining fetches. */
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, chain(insts, link, 3 * CHAIN), 1, 32);
	shorter = rig_run(&r, insts, chain(insts, link, CHAIN), 1, 32);
	longer = rig_run(&r, insts, chain(insts, link, 3 * CHAIN), 1, 32);
	rig_close(&r);
	return (longer - shorter) * 100 / (2 * CHAIN);
}

/* Code does not change: the second run of a kernel finds it in the instruction cache, unless that begins empty. */
static void code_is_kept(void **state)
{
	static const char *const off[] = {"sm.inst_cache_kept", "false", NULL};
	struct fake_inst insts[CHAIN + 1], link = FAKE_ALU(SIMT_UNIT_INT, 0, 0);
	const uint32_t count = chain(insts, link, CHAIN);
	struct rig r;
	uint64_t misses;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		rig_open(&r, NULL, NULL, i ? off : NULL);
		rig_run(&r, insts, count, 1, 32);
		misses = rig_stat(&r, "l1i.read_misses");
		assert_true(misses >= 3); /* lines of 16 instructions */
		rig_run(&r, insts, count, 1, 32);
		assert_int_equal(rig_stat(&r, "l1i.read_misses"), i ? 2 * misses : misses);
		rig_close(&r);
	}
}

static void alu_latency(void **state)
{
	static const char *const fast_fetch[] = {"l1i.size_bytes", "65536", NULL};
	struct fake_inst link = FAKE_ALU(SIMT_UNIT_INT, 0, 0);

	(void)state;
	/* Eight links of 150 cycles each hide an L1I miss; a link of 10 does not: compare a long unit. */
	static const char *const slow[] = {"sm.int_latency_cycles", "400", NULL};

	assert_int_equal(chain_cost(slow, link), 40000);
	link.issue_slots = 4;
	assert_int_equal(chain_cost(slow, link), 40300);
	assert_true(chain_cost(fast_fetch, link) >= 1000);
}

/* The estimate, then three steps on the other unit, each after the one before. */
static void special_function_latency(void **state)
{
	static const char *const settings[] = {"sm.sfu_latency_cycles", "400", "sm.fp32_latency_cycles", "20", NULL};
	struct fake_inst link = FAKE_ALU(SIMT_UNIT_SFU, 0, 0);

	(void)state;
	assert_int_equal(chain_cost(settings, link), 40000);
	link.issue_slots = 4;
	assert_int_equal(chain_cost(settings, link), 46000);
}

/* Cycles of 64 independent instructions of a unit per warp: 64 cycles of the unit each, and the steps of special
 * functions 32. */
static uint64_t independent_run(uint32_t unit, uint8_t issue_slots, uint32_t warps)
{
	static const char *const settings[] = {
	    "sm.sfu_interval_cycles", "64", "sm.fp64_interval_cycles", "64", "sm.fp32_interval_cycles", "32", NULL};
	struct fake_inst insts[65];
	struct rig r;
	uint64_t cycles;

	for (uint32_t i = 0; i < 64; i++) {
		insts[i] = (struct fake_inst)FAKE_ALU(unit, 0, 0);
		insts[i].read_count = insts[i].write_count = 0;
		insts[i].issue_slots = issue_slots;
	}
	insts[64] = (struct fake_inst)FAKE_EXIT;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, 65, 1, 32 * warps);
	cycles = rig_run(&r, insts, 65, 1, 32 * warps);
	rig_close(&r);
	return cycles;
}

/* One's steps go on beside the next one's estimate: they do not hold the special-function unit. */
static void special_function_steps_leave_the_unit(void **state)
{
	uint64_t one = independent_run(SIMT_UNIT_SFU, 1, 1);

	(void)state;
	assert_true(one >= 63 * 64);
	assert_true(independent_run(SIMT_UNIT_SFU, 2, 1) <= one + 64);
}

/* Each of two schedulers has its own unit for double precision; both share the unit for special functions. */
static void units_of_schedulers(void **state)
{
	uint64_t alone = independent_run(SIMT_UNIT_FP64, 1, 1);

	(void)state;
	assert_true(alone >= 63 * 64);
	assert_true(independent_run(SIMT_UNIT_FP64, 1, 2) <= alone + 64);
	assert_true(independent_run(SIMT_UNIT_FP64, 1, 4) >= 127 * 64);
	assert_true(independent_run(SIMT_UNIT_SFU, 1, 2) >= 127 * 64);
}

/* Cycles of 64 instructions that read the registers, in each of warps, whose code is in the instruction cache. */
static uint64_t front_end_run(const char *const *settings, const uint16_t *reads, uint8_t read_count, uint32_t warps)
{
	struct fake_inst insts[65];
	struct rig r;
	uint64_t cycles;

	for (uint32_t i = 0; i < 64; i++) {
		insts[i] = (struct fake_inst)FAKE_ALU(SIMT_UNIT_FP32, 0, 0);
		insts[i].write_count = 0;
		insts[i].read_count = read_count;
		memcpy(insts[i].sb, reads, read_count * sizeof(*reads));
	}
	insts[64] = (struct fake_inst)FAKE_EXIT;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, 65, 1, 32 * warps);
	cycles = rig_run(&r, insts, 65, 1, 32 * warps);
	rig_close(&r);
	return cycles;
}

/* Six collectors that read three operands each, one a cycle, take an instruction in four cycles: one and a half a cycle
 * for two schedulers. Two operands take three, and hold nobody up. Eight warps, 64 instructions each. */
static void operand_collectors(void **state)
{
	static const char *const off[] = {NULL};
	static const char *const on[] = {"sm.collector_count", "6", "sm.register_bank_count", "0", NULL};
	static const char *const one_bank[] = {"sm.collector_count", "6", "sm.register_bank_count", "1", NULL};
	static const uint16_t reads[] = {1, 2, 3};
	const uint64_t free_cycles = front_end_run(off, reads, 3, 8);

	(void)state;
	assert_in_range(free_cycles, 8 * 64 / 2, 8 * 64 / 2 + 64);
	assert_in_range(front_end_run(on, reads, 3, 8), 8 * 64 * 4 / 6, 8 * 64 * 4 / 6 + 64);
	assert_in_range(front_end_run(on, reads, 2, 8), free_cycles, free_cycles + 4);
	/* Every read of all of them is of one bank. */
	assert_in_range(front_end_run(one_bank, reads, 3, 8), 8 * 64 * 3, 8 * 64 * 3 + 64);
}

/* A collector that reads four a cycle has an instruction for two cycles, whatever its operands. All of one
 * bank, they are read one by one still. */
static void collectors_read_at_once(void **state)
{
	static const char *const settings[] = {"sm.collector_count", "2", "sm.collector_read_count", "4",
					       "sm.register_bank_count", "0", NULL};
	static const char *const one_by_one[] = {"sm.collector_count", "2", "sm.register_bank_count", "0", NULL};
	static const char *const one_bank[] = {"sm.collector_count", "6", "sm.collector_read_count", "4",
					       "sm.register_bank_count", "1", NULL};
	static const uint16_t reads[] = {1, 2, 3};

	(void)state;
	assert_in_range(front_end_run(settings, reads, 3, 8), 8 * 64, 8 * 64 + 64);
	assert_in_range(front_end_run(one_by_one, reads, 3, 8), 8 * 64 * 2, 8 * 64 * 2 + 64);
	assert_in_range(front_end_run(one_bank, reads, 3, 8), 8 * 64 * 3, 8 * 64 * 3 + 64);
}

/* Banks are by register and warp slot: three registers of one bank take three cycles to read, of different ones too,
 * since a collector reads one a cycle; but other collectors then find their banks free. */
static void register_banks(void **state)
{
	static const char *const settings[] = {"sm.collector_count", "8", "sm.register_bank_count", "4",
					       "sm.scheduler_count", "1", NULL};
	static const uint16_t apart[] = {0, 1, 2}, together[] = {0, 4, 8};

	(void)state;
	assert_in_range(front_end_run(settings, apart, 3, 1), 64, 64 + 64);
	assert_in_range(front_end_run(settings, together, 3, 1), 3 * 64, 3 * 64 + 64);
}

/* ---- sm.divergence_is_free ---- */

#define FREE_DIVERGENCE "sm.divergence_is_free", "true"

/* Cycles of 64 independent instructions of the two units in turns for each of eight warps, that the lanes of path have
 * come to; their code is in the instruction cache. */
static uint64_t path_run_of(const char *const *settings, uint32_t unit, uint32_t other, uint32_t path)
{
	struct fake_inst insts[66];
	struct rig r;
	uint64_t cycles;

	insts[0] = (struct fake_inst)FAKE_ALU(SIMT_UNIT_INT, 0, 0);
	for (uint32_t i = 1; i < 65; i++) {
		insts[i] = (struct fake_inst)FAKE_ALU(i % 2 ? unit : other, 0, 0);
		insts[i].write_count = 0;
		insts[i].path = path;
	}
	insts[65] = (struct fake_inst)FAKE_EXIT;
	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, insts, 66, 1, 32 * 8);
	cycles = rig_run(&r, insts, 66, 1, 32 * 8);
	rig_close(&r);
	return cycles;
}

static uint64_t path_run(const char *const *settings, uint32_t unit, uint32_t path)
{
	return path_run_of(settings, unit, unit, path);
}

/* Issue: two schedulers, 512 instructions, of which one takes as much of a cycle as lanes have come to it. So with one
 * fetch of two instructions a cycle, and with one collector that takes two cycles. */
static void diverged_instructions_share_slots(void **state)
{
	static const char *const as_it_is[] = {NULL};
	static const char *const ideal[] = {FREE_DIVERGENCE, NULL};
	static const char *const fetch[] = {FREE_DIVERGENCE, "sm.fetch_warp_count", "1", "sm.ibuffer_count", "1", NULL};
	static const char *const collect[] = {FREE_DIVERGENCE, "sm.collector_count", "1", NULL};
	const uint64_t whole = path_run(as_it_is, SIMT_UNIT_INT, 0);

	(void)state;
	assert_in_range(whole, 8 * 64 / 2, 8 * 64 / 2 + 64);
	assert_int_equal(path_run(as_it_is, SIMT_UNIT_INT, 0xffff), whole);
	assert_int_equal(path_run(ideal, SIMT_UNIT_INT, 0), whole);
	assert_in_range(whole - path_run(ideal, SIMT_UNIT_INT, 0x00ffff00), 8 * 64 / 4 - 8, 8 * 64 / 4 + 8);
	assert_in_range(whole - path_run(ideal, SIMT_UNIT_INT, 0xff), 8 * 64 * 3 / 8 - 8, 8 * 64 * 3 / 8 + 8);
	assert_in_range(whole - path_run(ideal, SIMT_UNIT_INT, 0xffffff), 8 * 64 / 8 - 8, 8 * 64 / 8 + 8);
	/* Where no unit holds it up. */
	assert_in_range(whole - path_run_of(ideal, SIMT_UNIT_INT, SIMT_UNIT_FP32, 0xffffff), 8 * 64 / 8 - 8,
			8 * 64 / 8 + 8);
	assert_in_range(path_run(fetch, SIMT_UNIT_INT, 0), 8 * 64, 8 * 64 + 100);
	assert_in_range(path_run(fetch, SIMT_UNIT_INT, 0xffff), 8 * 64 / 2, 8 * 64 / 2 + 100);
	assert_in_range(path_run(collect, SIMT_UNIT_INT, 0), 8 * 64 * 2, 8 * 64 * 2 + 100);
	assert_in_range(path_run(collect, SIMT_UNIT_INT, 0xffff), 8 * 64, 8 * 64 + 100);
}

/* A unit is held for the share of its interval: of each scheduler's own, and of the one for both. */
static void diverged_instructions_share_units(void **state)
{
	static const char *const ideal[] = {FREE_DIVERGENCE, "sm.fp64_interval_cycles", "64", "sm.sfu_interval_cycles",
					    "64", NULL};

	(void)state;
	assert_in_range(path_run(ideal, SIMT_UNIT_FP64, 0), 255 * 64, 257 * 64);
	assert_in_range(path_run(ideal, SIMT_UNIT_FP64, 0xff), 255 * 16, 261 * 16);
	assert_in_range(path_run(ideal, SIMT_UNIT_FP64, 1), 255 * 2, 256 * 2 + 80);
	assert_in_range(path_run(ideal, SIMT_UNIT_SFU, 0xff), 511 * 16, 517 * 16);
}

/* A chain of latencies: five of 32 lanes wait for 62.5 cycles of 400, with four steps of the unit for 62.97. */
static void diverged_latencies(void **state)
{
	static const char *const ideal[] = {FREE_DIVERGENCE, "sm.int_latency_cycles", "400", NULL};
	struct fake_inst link = FAKE_ALU(SIMT_UNIT_INT, 0, 0);

	(void)state;
	assert_int_equal(chain_cost(ideal, link), 40000);
	link.path = 0xff000000;
	assert_int_equal(chain_cost(ideal, link), 10000);
	link.path = 0x1f;
	assert_in_range(chain_cost(ideal, link), 6249, 6251);
	link.issue_slots = 4;
	assert_in_range(chain_cost(ideal, link), 6296, 6297);
}

/* Nothing changes for warps whose threads are all on one path, be they as many as a warp's lanes or not. */
static void free_divergence_of_converged_warps(void **state)
{
	struct fake_inst insts[] = {
	    FAKE_LOAD(1, line_per_visit), FAKE_ALU(SIMT_UNIT_FP64, 2, 1), FAKE_ALU(SIMT_UNIT_SFU, 3, 2),
	    FAKE_ALU(SIMT_UNIT_INT, 4, 3), FAKE_SHARED(5, shared_stride_8), FAKE_BARRIER,
	    FAKE_STORE(5, same_line), FAKE_LOOP(0, 5), FAKE_EXIT};
	static const char *const off[] = {"sm.fetch_warp_count", "1", "sm.collector_count", "2", NULL};
	static const char *const on[] = {FREE_DIVERGENCE, "sm.fetch_warp_count", "1", "sm.collector_count", "2", NULL};

	(void)state;
	for (uint32_t threads = 48; threads <= 256; threads += 48)
		assert_int_equal(rig_cycles(on, insts, ARRAY_COUNT(insts), 3, threads),
				 rig_cycles(off, insts, ARRAY_COUNT(insts), 3, threads));
}

/* Of sixteen warps one fetches in a cycle: with an instruction a fetch one issues, with two two do. A warp alone waits
 * for each fetch, unless the next one has begun. */
static void fetch_turns(void **state)
{
	static const char *const one[] = {"sm.fetch_warp_count", "1", "sm.ibuffer_count", "1", NULL};
	static const char *const two[] = {"sm.fetch_warp_count", "1", "sm.ibuffer_count", "2", NULL};
	static const char *const all[] = {"sm.ibuffer_count", "1", NULL};
	static const char *const later[] = {"sm.ibuffer_count", "2", "sm.fetch_ahead", "false", NULL};
	static const char *const ahead[] = {"sm.ibuffer_count", "2", NULL};
	static const uint16_t none[] = {0};

	(void)state;
	assert_in_range(front_end_run(one, none, 0, 16), 16 * 64, 16 * 64 + 100);
	assert_in_range(front_end_run(two, none, 0, 16), 8 * 64, 8 * 64 + 100);
	assert_in_range(front_end_run(all, none, 0, 16), 8 * 64, 8 * 64 + 100);
	/* Four cycles of the fetch, after the second instruction's issue; or two of them beside these. */
	assert_in_range(front_end_run(later, none, 0, 1), 32 * 6, 32 * 6 + 64);
	assert_in_range(front_end_run(ahead, none, 0, 1), 32 * 4, 32 * 4 + 64);
}

/* Cycles of a CTA of warps that fetch one group, from memory the first time, and end. */
static uint64_t placed_run(const char *launch_cycles, uint32_t warps)
{
	const char *const settings[] = {"sm.fetch_warp_count", "1", "sm.cta_launch_cycles", launch_cycles, NULL};
	const struct fake_inst end = FAKE_EXIT;
	struct rig r;
	uint64_t cycles;

	rig_open(&r, NULL, NULL, settings);
	rig_run(&r, &end, 1, 1, 32);
	cycles = rig_run(&r, &end, 1, 1, 32 * warps);
	rig_close(&r);
	return cycles;
}

/* 48 warps start in one cycle and fetch one after the other, however far ahead that is: also behind the cycles for
 * which the SM keeps turns at first (256), and across their end. */
static void fetch_turns_of_a_launch(void **state)
{
	static const char *const launch_cycles[] = {"0", "20", "100", "230", "400", "5000"};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(launch_cycles); i++)
		assert_int_equal(placed_run(launch_cycles[i], 48), placed_run(launch_cycles[i], 1) + 47);
}

/* Issue, a cycle later the L1 access, the hit latency. */
static void l1_hit_latency(void **state)
{
	static const char *const settings[] = {"l1d.hit_latency_cycles", "400", NULL};
	struct fake_inst link = FAKE_LOAD(0, same_line);

	(void)state;
	assert_int_equal(chain_cost(settings, link), 40100);
}

/* Conflict-free: issue to LSU 1, latency. Eight-way conflict: seven more passes. */
static void shared_latency(void **state)
{
	static const char *const settings[] = {"sm.shared_latency_cycles", "400", NULL};
	struct fake_inst link = FAKE_SHARED(0, same_line);

	(void)state;
	assert_int_equal(chain_cost(settings, link), 40100);
	link.addr = shared_stride_8;
	assert_int_equal(chain_cost(settings, link), 40800);
}

/* In picoseconds: crossbar there and back (a flit each, a sector with its header), the way to the tags, L2 hit latency;
 * each passage into another clock domain waits for its next edge: at most one L2 cycle in, one L2 cycle out, one SM
 * cycle at the end. */
static void l2_hit_latency(void **state)
{
	const double sm_ps = 1e6 / 1400, xbar_ps = 800, l2_ps = 1e6 / 700;
	const double exact = 1 * sm_ps + (1 + 8) * xbar_ps + 120 * sm_ps + 4 * l2_ps + (1 + 8) * xbar_ps + 1 * sm_ps;
	struct fake_inst link = FAKE_LOAD(0, same_line);
	double cost;

	(void)state;
	link.cache = PTX_CG;
	link.access_bytes = 1; /* 32 lanes of one line at 4 B: one sector per 8 lanes; lanes 0..7 only */
	link.lanes = 0xff;
	cost = (double)chain_cost(NULL, link) / 100 * sm_ps;
	assert_true(cost >= exact);
	assert_true(cost <= exact + 2 * l2_ps + sm_ps);
}

/* One slice answers a request per L2 cycle however long the way to its tags is: it is a pipeline. 512 hits are 1024 SM
 * cycles, and some more at the ends. */
static void l2_hit_rate(void **state)
{
	struct fake_inst insts[17];
	struct rig r;
	uint64_t cycles;

	(void)state;
	for (uint16_t i = 0; i < 16; i++) {
		insts[i] = (struct fake_inst)FAKE_LOAD(i, same_line);
		insts[i].read_count = 0;
		insts[i].cache = PTX_CG;
		insts[i].access_bytes = 1;
		insts[i].lanes = 0xff;
	}
	insts[16] = (struct fake_inst)FAKE_EXIT;
	rig_open(&r, NULL, NULL, NULL);
	rig_run(&r, insts, 17, 1, 32 * 32);
	cycles = rig_run(&r, insts, 17, 1, 32 * 32);
	assert_in_range(cycles, 1024, 2 * 1024);
	rig_close(&r);
}

/* Beyond an L2 hit's parts: TX flit and latency, DRAM (a row hit or an activation), TSVs and controller, RX flits and
 * latency, no L2 hit latency; edges of L2 and DRAM clock. */
static void dram_latency(void **state)
{
	const double sm_ps = 1e6 / 1400, xbar_ps = 800, l2_ps = 1e6 / 700, ck_ps = 1250, flit_ps = 200;
	const double wires = (2 + 120) * sm_ps + 9 * xbar_ps + 12 * xbar_ps + flit_ps + 9 * flit_ps + 2 * 8000;
	const double row_hit = 11 * ck_ps + 2 * 6400 + 1500 + 71429, activation = (11 + 11) * ck_ps;
	struct fake_inst insts[9];
	struct rig r;
	struct sim_hist h;

	(void)state;
	rig_open(&r, NULL, NULL, NULL);
	for (uint32_t i = 0; i < 8; i++) {
		insts[i] = (struct fake_inst)FAKE_LOAD(0, line_per_visit);
		insts[i].read_count = 1;
	}
	insts[7] = (struct fake_inst)FAKE_LOOP(0, 30);
	insts[8] = (struct fake_inst)FAKE_EXIT;
	rig_run(&r, insts, 9, 1, 32);
	assert_true(sim_stats_hist(r.ctx.stats, "memory.data_read_latency_ps", &h));
	assert_int_equal(h.count, 31); /* the seven loads of an iteration share a line */
	double mean = (double)h.sum / (double)h.count;

	/* The mean lies between all row hits with no edge lost and all activations with every edge and a conflict. */
	assert_true(mean >= wires + row_hit - sm_ps * 2);
	assert_true(mean <= wires + row_hit + activation + 3 * l2_ps + 3 * ck_ps + 2 * sm_ps + 200000);
	rig_close(&r);
}

static void stalls_add_up(void **state)
{
	const struct fake_inst insts[] = {
	    FAKE_LOAD(1, line_per_visit),
	    FAKE_ALU(SIMT_UNIT_FP32, 2, 1),
	    FAKE_ALU(SIMT_UNIT_SFU, 3, 2),
	    FAKE_BARRIER,
	    FAKE_STORE(3, line_per_visit),
	    FAKE_FENCE,
	    FAKE_SHARED(4, shared_stride_8),
	    FAKE_LOOP(0, 5),
	    FAKE_EXIT,
	};
	static const char *const reasons[] = {
	    "sm.stall_lsu",   "sm.stall_unit",    "sm.stall_fetch",   "sm.stall_execution", "sm.stall_memory",
	    "sm.stall_fence", "sm.stall_barrier", "sm.stall_offload", "sm.stall_idle",      "sm.issued_cycles"};
	static const char *const settings[] = {"gpu.sm_count", "5", NULL};
	struct rig r;
	uint64_t sum = 0, cycles;

	(void)state;
	rig_open(&r, NULL, NULL, settings);
	cycles = rig_run(&r, insts, ARRAY_COUNT(insts), 23, 160);
	for (uint32_t i = 0; i < ARRAY_COUNT(reasons); i++)
		sum += rig_stat(&r, reasons[i]);
	assert_int_equal(sum, cycles * 2 * 5);
	assert_int_equal(rig_stat(&r, "sm.issued_cycles"), rig_stat(&r, "sm.warp_instructions"));
	assert_int_equal(rig_stat(&r, "sm.warp_instructions"), 23 * 5 * (8 * 6 + 1));
	assert_true(rig_stat(&r, "sm.stall_memory") > 0 && rig_stat(&r, "sm.stall_fence") > 0);
	rig_close(&r);
}

static void occupancy(void **state)
{
	static const struct {
		const char *key, *value;
		uint32_t threads, expected;
	} cases[] = {
	    {"sm.cta_slot_count", "8", 32, 8},
	    {"sm.cta_slot_count", "3", 32, 3},
	    {"sm.thread_slot_count", "1536", 512, 3},
	    {"sm.warp_slot_count", "7", 96, 2},
	    {"sm.register_count", "4096", 128, 4096 / (4 * 320)},
	    {"sm.thread_slot_count", "1536", 1024, 1},
	};
	struct fake_inst insts[] = {FAKE_ALU(SIMT_UNIT_INT, 9, 1), FAKE_EXIT}; /* ten registers: 320 per warp */

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const char *const settings[] = {cases[i].key, cases[i].value, NULL};
		struct simt_program *p = fake_program_new("test", insts, 2);
		struct base_diag_list diag;
		struct rig r;

		base_diag_init(&diag);
		rig_open(&r, NULL, NULL, settings);
		assert_int_equal(gpu_ctas_per_sm(r.gpu, p, cases[i].threads, 0, &diag), cases[i].expected);
		rig_run(&r, insts, 2, 20, cases[i].threads);
		assert_int_equal(rig_stat(&r, "sm.warps_max"), cases[i].expected * ((cases[i].threads + 31) / 32));
		p->shared_static_bytes = 20000;
		assert_true(gpu_ctas_per_sm(r.gpu, p, 32, 0, &diag) <= 2);
		assert_int_equal(diag.error_count, 0);
		assert_int_equal(gpu_ctas_per_sm(r.gpu, p, 32, 40000, &diag), 0);
		assert_int_equal(diag.error_count, 1);
		rig_close(&r);
		base_diag_free(&diag);
		fake_program_free(p);
	}
}

/* Independent instructions, one scheduler: round robin changes the warp at every issue, greedy stays. */
static void issue_order(void **state)
{
	static const char *const lrr[] = {"sm.scheduler", "lrr", "sm.scheduler_count", "1", NULL};
	static const char *const gto[] = {"sm.scheduler", "gto", "sm.scheduler_count", "1", NULL};
	struct fake_inst insts[5];

	(void)state;
	for (uint16_t i = 0; i < 4; i++)
		insts[i] = (struct fake_inst)FAKE_ALU(SIMT_UNIT_INT, (uint16_t)(10 + i), i);
	insts[4] = (struct fake_inst)FAKE_EXIT;
	rig_cycles(lrr, insts, 5, 1, 128);
	assert_int_equal(fake_trace_count, 20);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(fake_trace[i], i % 4);
	rig_cycles(gto, insts, 5, 1, 128);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(fake_trace[i], i / 5);
}

/* The older warp misses the L1 and is behind the younger one. Whenever its next instructions have been fetched it could
 * go on, but the younger keeps its turn until it has used up two lines of code: greedy. */
static uint64_t older_misses(uint64_t thread, uint32_t visit)
{
	return visit && thread < 32 ? 0x200000100000ull : 0x200000000000ull;
}

static void greedy_keeps_its_turn(void **state)
{
	static const char *const settings[] = {"sm.scheduler_count", "1", NULL};
	enum { ALUS = 500 };
	struct fake_inst insts[ALUS + 4];
	uint32_t count = 0, turns = 0;

	(void)state;
	insts[count++] = (struct fake_inst)FAKE_LOAD(1, older_misses);
	insts[count++] = (struct fake_inst)FAKE_ALU(SIMT_UNIT_INT, 2, 1);
	insts[count++] = (struct fake_inst)FAKE_LOOP(0, 1);
	for (uint32_t i = 0; i < ALUS; i++)
		insts[count++] = (struct fake_inst)FAKE_ALU(SIMT_UNIT_INT, (uint16_t)(10 + i % 40), 3);
	insts[count++] = (struct fake_inst)FAKE_EXIT;
	rig_cycles(settings, insts, count, 1, 64);
	assert_int_equal(fake_trace_count, 2 * (count + 3));
	for (uint32_t i = 1; i < fake_trace_count; i++)
		turns += fake_trace[i] != fake_trace[i - 1];
	assert_true(turns < 2 * ALUS / 24);
}

/* A barrier in the middle: no warp passes it before the last has come. */
static void barrier(void **state)
{
	const struct fake_inst insts[] = {FAKE_LOAD(1, line_per_visit), FAKE_ALU(SIMT_UNIT_INT, 2, 1), FAKE_BARRIER,
					  FAKE_EXIT};
	uint32_t seen[8] = {0};

	(void)state;
	rig_cycles(NULL, insts, 4, 1, 256);
	assert_int_equal(fake_trace_count, 32);
	for (uint32_t i = 0; i < 32; i++) {
		if (++seen[fake_trace[i]] == 4)
			assert_true(i >= 24); /* all 24 instructions up to the barrier came first */
	}
}

/* ---- asynchronous copies, tensor units ---- */

/* Cycles of a program that copies one line from memory and computes 400 cycles long: what stands between them, at most
 * three instructions, decides whether the one hides the other. */
static uint64_t copy_run(const struct fake_inst *between, uint32_t count)
{
	static const char *const settings[] = {"sm.int_latency_cycles", "200", NULL};
	struct fake_inst insts[16] = {FAKE_COPY(line_per_visit), FAKE_COMMIT};
	uint32_t n = 2;
	struct rig r;
	uint64_t cycles;

	memcpy(&insts[n], between, count * sizeof(*between));
	n += count;
	for (uint32_t i = 0; i < 2; i++)
		insts[n++] = (struct fake_inst)FAKE_ALU(SIMT_UNIT_INT, 3, 3);
	insts[n++] = (struct fake_inst)FAKE_ALU(SIMT_UNIT_INT, 4, 3);
	insts[n++] = (struct fake_inst)FAKE_WAIT(SIMT_GROUPS_NONE);
	insts[n++] = (struct fake_inst)FAKE_EXIT;
	rig_open(&r, NULL, NULL, settings);
	cycles = rig_run(&r, insts, n, 1, 32);
	assert_int_equal(rig_stat(&r, "sm.async_copies"), 1 + (count == 3));
	rig_close(&r);
	return cycles;
}

static void copies_and_waits(void **state)
{
	static const struct fake_inst nothing[] = {FAKE_WAIT(1)}, fence[] = {FAKE_FENCE}, wait[] = {FAKE_WAIT(0)};
	static const struct fake_inst two_groups[] = {FAKE_COPY(line_per_visit), FAKE_COMMIT, FAKE_WAIT(2)};
	static const struct fake_inst first_of_two[] = {FAKE_COPY(line_per_visit), FAKE_COMMIT, FAKE_WAIT(1)};
	const uint64_t hidden = copy_run(nothing, 1);

	(void)state;
	assert_true(hidden >= 600);
	assert_true(copy_run(wait, 1) >= hidden + 150);
	assert_true(copy_run(fence, 1) <= hidden + 20);
	assert_true(copy_run(two_groups, 3) <= hidden + 20);
	assert_true(copy_run(first_of_two, 3) >= hidden + 150);
}

/* A bulk copy to global memory reads its data over the banks as a load of shared memory does, and holds the load-store
 * unit for as long. */
static void copies_from_shared(void **state)
{
	uint64_t cycles[2], passes[2], conflicts[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct fake_inst insts[65];
		struct rig r;

		for (uint32_t k = 0; k < 64; k++)
			insts[k] = (struct fake_inst){.unit = SIMT_UNIT_LDST, .flags = SIMT_STORE | SIMT_FROM_SHARED,
						      .space = SIMT_MEM_GLOBAL, .access_bytes = 4,
						      .copy_stride_bytes = i ? 128 : 4, .addr = same_line};
		insts[64] = (struct fake_inst)FAKE_EXIT;
		rig_open(&r, NULL, NULL, NULL);
		cycles[i] = rig_run(&r, insts, 65, 1, 32);
		passes[i] = rig_stat(&r, "sm.shared_accesses");
		conflicts[i] = rig_stat(&r, "sm.shared_conflicts");
		assert_int_equal(rig_stat(&r, "sm.store_instructions"), 64);
		assert_int_equal(rig_stat(&r, "sm.async_copies"), 0);
		rig_close(&r);
	}
	assert_int_equal(passes[0], 64);
	assert_int_equal(conflicts[0], 0);
	assert_int_equal(passes[1], 64 * 32);
	assert_int_equal(conflicts[1], 64 * 31);
	if (cycles[1] < 64 * 32 || cycles[1] < cycles[0] + 500) /* stores to one line take their time, too */
		fail_msg("%u cycles without conflicts, %u with", (uint32_t)cycles[0], (uint32_t)cycles[1]);
}

/* A slot holds a scheduler's unit for one interval. */
static void tensor_units(void **state)
{
	static const char *const settings[] = {"sm.tensor_interval_cycles", "64", NULL};
	struct fake_inst insts[65];
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		insts[i] = (struct fake_inst){.unit = SIMT_UNIT_TENSOR, .issue_slots = 2};
	insts[64] = (struct fake_inst)FAKE_EXIT;
	rig_open(&r, NULL, NULL, settings);
	const uint64_t cycles = rig_run(&r, insts, 65, 1, 64);

	assert_true(cycles >= 63 * 128 && cycles < 68 * 128);
	assert_int_equal(rig_stat(&r, "sm.tensor_slots"), 2 * 64 * 2);
	assert_int_equal(rig_stat(&r, "sm.tensor_threads"), 2 * 64 * 32);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(code_is_kept),
	    cmocka_unit_test(alu_latency),
	    cmocka_unit_test(special_function_latency),
	    cmocka_unit_test(special_function_steps_leave_the_unit),
	    cmocka_unit_test(units_of_schedulers),
	    cmocka_unit_test(operand_collectors),
	    cmocka_unit_test(collectors_read_at_once),
	    cmocka_unit_test(register_banks),
	    cmocka_unit_test(diverged_instructions_share_slots),
	    cmocka_unit_test(diverged_instructions_share_units),
	    cmocka_unit_test(diverged_latencies),
	    cmocka_unit_test(free_divergence_of_converged_warps),
	    cmocka_unit_test(fetch_turns),
	    cmocka_unit_test(fetch_turns_of_a_launch),
	    cmocka_unit_test(l1_hit_latency),
	    cmocka_unit_test(shared_latency),
	    cmocka_unit_test(l2_hit_latency),
	    cmocka_unit_test(l2_hit_rate),
	    cmocka_unit_test(dram_latency),
	    cmocka_unit_test(stalls_add_up),
	    cmocka_unit_test(occupancy),
	    cmocka_unit_test(issue_order),
	    cmocka_unit_test(greedy_keeps_its_turn),
	    cmocka_unit_test(barrier),
	    cmocka_unit_test(copies_and_waits),
	    cmocka_unit_test(copies_from_shared),
	    cmocka_unit_test(tensor_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
