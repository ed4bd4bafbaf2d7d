/* Blocks in two parts on a small machine with real kernels: what packets are sent and what they weigh, by hand; values
 * with poison in every register that did not travel; smallest buffers on every network; credits. */
#include <sys/wait.h>
#include <unistd.h>

#include "ndp/carry/priv.h"
#include "ndp/carry/split/nsu.h"
#include "rig.h"

static struct split *split_of(const struct gpu *g)
{
	return gpu_ext_self(g, &carry_split_ops);
}

static const char *const machine[] = {"nsu.is_present",  "true",       "ndp.mechanism", "nsu",
				      "gpu.address_map", "random_page", "nsu.clock_khz", "350000",
				      "gpu.sm_clock_khz", "700000",     NULL};

#define KERNEL(body) MODULE("", body)
#define MODULE(globals, body)                                                                               \
	KERNEL_WITH(globals, "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4;\n" \
			     "bar.sync 0;\n" body)

static void open_with(struct rig *r, const char *ptx, const char *const *settings)
{
	rig_open(r, ptx, machine, settings, NULL);
}

/* out[i] = in[i] + in[i + 4096] */
static const char add[] = KERNEL("ld.global.u32 %r5, [%rd5];\n"
				 "ld.global.u32 %r6, [%rd5+16384];\n"
				 "add.u32 %r7, %r5, %r6;\n"
				 "st.global.u32 [%rd6], %r7;\n");

/* 64 full warps and no live-in: a command of one flit, two aligned reads, their data of a line each, one address, one
 * write, and a flit for each acknowledgment; no line is in a cache. */
static void aligned_packets(void **state)
{
	enum { WARPS = 64, FLIT = 16, LINE = 128 };
	struct rig r;

	(void)state;
	open_with(&r, add, NULL);
	assert_true(rig_run(&r, 16, 128, 0));
	assert_int_equal(rig_stat(&r, "partition.blocks"), WARPS);
	assert_int_equal(rig_stat(&r, "packet.command_bytes"), WARPS * FLIT);
	assert_int_equal(rig_stat(&r, "packet.read_bytes"), 2 * WARPS * FLIT);
	assert_int_equal(rig_stat(&r, "packet.data_bytes"), 2 * WARPS * (FLIT + LINE));
	assert_int_equal(rig_stat(&r, "packet.address_bytes"), WARPS * FLIT);
	assert_int_equal(rig_stat(&r, "packet.write_bytes"), WARPS * (FLIT + LINE));
	assert_int_equal(rig_stat(&r, "packet.written_bytes"), WARPS * FLIT);
	assert_int_equal(rig_stat(&r, "packet.invalidation_bytes"), WARPS * FLIT);
	assert_int_equal(rig_stat(&r, "packet.answer_bytes"), WARPS * FLIT);
	/* What crosses the links to the stacks besides: code of the SMs. */
	assert_int_equal(rig_stat(&r, "link_tx.wire_bytes") - rig_stat(&r, "l2.read_misses") * FLIT, 4 * WARPS * FLIT);
	/* Reads hold the stack of the unit: of its lines only those of the other load may lie elsewhere. */
	assert_int_equal(rig_stat(&r, "vault.read_bytes"),
			 2 * WARPS * LINE + (rig_stat(&r, "l2.read_misses") + rig_stat(&r, "packet.fetches")) * LINE);
	assert_int_equal(rig_stat(&r, "partition.boundary_instructions"), 2 * WARPS);
	assert_int_equal(rig_stat(&r, "partition.skipped_instructions"), WARPS);
	assert_int_equal(rig_stat(&r, "nsu.warp_instructions"), 6 * WARPS);
	assert_int_equal(rig_stat(&r, "nsu.int_threads"), 32 * WARPS);
	for (uint32_t i = 0; i < 2048; i++)
		assert_int_equal(r.out[i], 2 * i + 4096);
	rig_close(&r);
}

/* Lanes of a warp read words one beside the line's begin: two lines, and an offset per lane; 20 lanes are active, and
 * two registers travel, one back. */
static const char shifted[] = KERNEL("xor.b32 %r8, %r4, 5; xor.b32 %r9, %r4, 9;\n"
				     "bar.sync 0;\n"
				     "ld.global.u32 %r5, [%rd5+4];\n"
				     "ld.global.u32 %r6, [%rd5+16388];\n"
				     "ld.global.u32 %r10, [%rd5+32772];\n"
				     "ld.global.u32 %r11, [%rd5+65540];\n"
				     "add.u32 %r7, %r5, %r6; add.u32 %r7, %r7, %r8; sub.u32 %r7, %r7, %r9;\n"
				     "add.u32 %r7, %r7, %r10; sub.u32 %r7, %r7, %r11;\n"
				     "st.global.u32 [%rd6], %r7;\n"
				     "bar.sync 0;\n"
				     "st.volatile.global.u32 [%rd6+65536], %r7;\n");

static void misaligned_packets(void **state)
{
	enum { FLIT = 16, LANES = 20 };
	struct rig r;

	(void)state;
	open_with(&r, shifted, NULL);
	assert_true(rig_run(&r, 1, LANES, 0));
	assert_int_equal(rig_stat(&r, "partition.blocks"), 1);
	assert_int_equal(rig_stat(&r, "packet.commands"), 1);
	assert_int_equal(rig_stat(&r, "packet.command_bytes"), FLIT + 2 * 4 * LANES);
	assert_int_equal(rig_stat(&r, "packet.reads"), 4); /* 20 words from word 1: one line, misaligned */
	assert_int_equal(rig_stat(&r, "packet.read_bytes"), 4 * (FLIT + 2 * FLIT)); /* 20 offsets: two flits */
	assert_int_equal(rig_stat(&r, "packet.data_bytes"), 4 * (FLIT + 4 * LANES));
	assert_int_equal(rig_stat(&r, "packet.address_bytes"), FLIT);
	assert_int_equal(rig_stat(&r, "packet.answer_bytes"), FLIT + 4 * LANES);
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t v = (i + 1) + (i + 4097) + (i ^ 5) - (i ^ 9) + (i + 8193) - (i + 16385);

		assert_int_equal(r.out[i], v);
		assert_int_equal(r.out[16384 + i], v);
	}
	rig_close(&r);
}

/* The L1 holds the line of the first load, the L2 also that of another SM: reads are answered from there and allocate
 * nothing. After the block's store the line is in no cache. */
static const char cached[] = KERNEL("ld.volatile.global.u32 %r12, [%rd6];\n"
				    "bar.sync 0;\n"
				    "atom.global.add.u32 %r13, [%rd5+65536], 0; add.u32 %r12, %r12, %r13;\n"
				    "bar.sync 0;\n"
				    "ld.global.u32 %r5, [%rd5+65536];\n"
				    "ld.global.u32 %r6, [%rd5+16384];\n"
				    "add.u32 %r7, %r5, %r6;\n"
				    "st.global.u32 [%rd5+65536], %r7;\n"
				    "bar.sync 0;\n"
				    "atom.global.add.u32 %r13, [%rd5+65536], 1;\n");

static void caches_answer(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, cached, NULL);
	assert_true(rig_run(&r, 1, 32, 0));
	assert_int_equal(rig_stat(&r, "partition.read_lines"), 2);
	assert_int_equal(rig_stat(&r, "partition.read_l1_hits"), 0); /* atomics leave no line in the L1 */
	assert_int_equal(rig_stat(&r, "partition.read_l2_hits"), 1);
	assert_int_equal(rig_stat(&r, "packet.invalidations"), 1);
	assert_true(rig_stat(&r, "l2.invalidations") >= 1);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(r.in[16384 + i], 16384 + i + 4096 + i + 1);
	rig_close(&r);
}

/* Eight times the same two lines, of the first 16 words by two lanes each: the first read is noted, the second fills,
 * the others are headers, with offsets for the first line. An atomic after the n-th time takes that line away. */
static const char shared_words[] = KERNEL("and.b32 %r8, %r1, 15; mul.wide.u32 %rd7, %r8, 4; add.u64 %rd8, %rd1, %rd7;\n"
					  "mov.u32 %r14, 0;\n"
					  "again:\n"
					  "bar.sync 0;\n"
					  "ld.global.u32 %r5, [%rd8];\n"
					  "ld.global.u32 %r6, [%rd5+16384];\n"
					  "add.u32 %r7, %r5, %r6;\n"
					  "st.global.u32 [%rd6], %r7;\n"
					  "bar.sync 0;\n"
					  "cvt.u32.u64 %r15, %rd3; setp.eq.u32 %p1, %r14, %r15; mov.u32 %r13, 0;\n"
					  "@%p1 atom.global.add.u32 %r13, [%rd1+120], 1;\n"
					  "and.b32 %r13, %r13, 0; add.u32 %r14, %r14, %r13; /* waits for it */\n"
					  "add.u32 %r14, %r14, 1; setp.lt.u32 %p2, %r14, 8;\n"
					  "@%p2 bra again;\n");

static void unit_cache_holds(void **state)
{
	static const char *const settings[] = {"nsu.cache_bytes", "256", NULL};
	static const uint32_t when[] = {100, 4};
	enum { FLIT = 16, LINE = 128, TIMES = 8 };

	(void)state;
	for (uint32_t drops = 0; drops < 2; drops++) {
		uint32_t fills = 2 + drops, held = 2 * (TIMES - 2) - 2 * drops;
		uint32_t shared = TIMES - 2 - 2 * drops, own = TIMES - 2;
		struct rig r;

		open_with(&r, shared_words, settings);
		assert_true(rig_run(&r, 1, 32, when[drops]));
		assert_int_equal(rig_stat(&r, "partition.blocks"), TIMES);
		assert_int_equal(rig_stat(&r, "partition.unit_drops"), drops);
		assert_int_equal(rig_stat(&r, "partition.read_unit_hits"), held);
		assert_int_equal(rig_stat(&r, "nsu.cache_fills"), fills);
		assert_int_equal(rig_stat(&r, "nsu.cache_reads"), held);
		assert_int_equal(rig_stat(&r, "packet.data"), 2 * TIMES - held);
		assert_int_equal(rig_stat(&r, "packet.held_bytes"), shared * 3 * FLIT + own * FLIT);
		assert_int_equal(rig_stat(&r, "partition.unit_hit_bytes"), (shared + own) * (FLIT + LINE));
		/* What a misaligned read fills comes with its offsets. */
		assert_int_equal(rig_stat(&r, "packet.data_bytes"),
				 (2 * TIMES - held) * (FLIT + LINE) + (fills - 1) * 2 * FLIT);
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(r.out[i], (i & 15) + i + 4096);
		rig_close(&r);
	}
}

/* Blocks of two targets in turn read one line, so that two units hold it: an atomic takes it from both, which the
 * auditor sees when they read it again. */
static const char two_targets[] = KERNEL("mov.u32 %r14, 0;\n"
					 "again:\n"
					 "and.b32 %r15, %r14, 1; mul.wide.u32 %rd7, %r15, 4096;\n"
					 "add.u64 %rd8, %rd5, %rd7;\n"
					 "bar.sync 0;\n"
					 "ld.global.u32 %r5, [%rd8];\n"
					 "ld.global.u32 %r6, [%rd5+8192];\n"
					 "add.u32 %r7, %r5, %r6;\n"
					 "st.global.u32 [%rd6], %r7;\n"
					 "bar.sync 0;\n"
					 "setp.eq.u32 %p1, %r14, 3; mov.u32 %r13, 0;\n"
					 "@%p1 atom.global.add.u32 %r13, [%rd5+8192], 1;\n"
					 "and.b32 %r13, %r13, 0; add.u32 %r14, %r14, %r13; /* waits for it */\n"
					 "add.u32 %r14, %r14, 1; setp.lt.u32 %p2, %r14, 8;\n"
					 "@%p2 bra again;\n");

static void a_store_drops_the_line_everywhere(void **state)
{
	static const char *const settings[] = {"nsu.cache_bytes", "512",     "gpu.address_map", "two_bit",
					       "gpu.map_bit",	  "12", NULL};
	struct rig r;

	(void)state;
	open_with(&r, two_targets, settings);
	assert_true(rig_run(&r, 1, 32, 0));
	assert_int_equal(rig_stat(&r, "partition.blocks"), 8);
	assert_int_equal(rig_stat(&r, "nsu.cache_fills"), 6); /* of two lines in each of two units, and of one again */
	assert_int_equal(rig_stat(&r, "partition.unit_drops"), 2);
	rig_close(&r);
}

/* The fourth of eight blocks writes a line that its unit holds: it is given up, which the auditor sees, and filled
 * again. */
static const char written_line[] = KERNEL("mov.u32 %r14, 0;\n"
					  "again:\n"
					  "setp.eq.u32 %p1, %r14, 3; selp.b64 %rd9, %rd5, %rd6, %p1;\n"
					  "bar.sync 0;\n"
					  "ld.global.u32 %r5, [%rd5];\n"
					  "ld.global.u32 %r6, [%rd5+8192];\n"
					  "add.u32 %r7, %r5, %r6;\n"
					  "st.global.u32 [%rd9], %r7;\n"
					  "bar.sync 0;\n"
					  "add.u32 %r14, %r14, 1; setp.lt.u32 %p2, %r14, 8;\n"
					  "@%p2 bra again;\n");

static void a_units_write_drops_the_line(void **state)
{
	static const char *const settings[] = {"nsu.cache_bytes", "256", NULL};
	struct rig r;

	(void)state;
	open_with(&r, written_line, settings);
	assert_true(rig_run(&r, 1, 32, 0));
	assert_int_equal(rig_stat(&r, "partition.blocks"), 8);
	assert_int_equal(rig_stat(&r, "partition.unit_drops"), 1);
	assert_int_equal(rig_stat(&r, "nsu.cache_fills"), 3);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(r.out[i], 2 * (i + 2048) + i);
	rig_close(&r);
}

/* The auditor of the directory: words are fresh that were asked for, and since every store that is done. */
static void auditor_of_unit_caches(void **state)
{
	struct nsu_audit *a = nsu_audit_new(2);

	(void)state;
	assert_false(nsu_audit_is_fresh(a, 0, 256, 1));
	nsu_audit_asked(a, 0, 256, 3, 5);
	assert_true(nsu_audit_is_fresh(a, 0, 300, 3));
	assert_false(nsu_audit_is_fresh(a, 0, 256, 7));
	assert_false(nsu_audit_is_fresh(a, 1, 256, 1));
	assert_false(nsu_audit_is_fresh(a, 0, 384, 1));
	nsu_audit_stored(a, 384, 9);
	nsu_audit_stored(a, 260, 5);
	assert_true(nsu_audit_is_fresh(a, 0, 256, 3));
	nsu_audit_stored(a, 260, 6);
	nsu_audit_stored(a, 260, 2);
	assert_false(nsu_audit_is_fresh(a, 0, 256, 1));
	nsu_audit_asked(a, 0, 256, 2, 7);
	assert_true(nsu_audit_is_fresh(a, 0, 256, 2));
	assert_false(nsu_audit_is_fresh(a, 0, 256, 3));
	nsu_audit_kernel(a, 0);
	assert_false(nsu_audit_is_fresh(a, 0, 256, 2));
	nsu_audit_free(a);
}

/* One line of cache, many that want it, values right and nothing left behind on every network. */
static void unit_cache_of_a_line(void **state)
{
	static const char *const settings[] = {"nsu.cache_bytes", "128", "nsu.topology", "ring", NULL};
	struct rig r;

	(void)state;
	open_with(&r, shared_words, settings);
	assert_true(rig_run(&r, 16, 128, 100));
	assert_true(rig_stat(&r, "partition.read_unit_hits") > 0);
	assert_int_equal(rig_stat(&r, "packet.held") + rig_stat(&r, "packet.data"),
			 rig_stat(&r, "partition.read_lines"));
	for (uint32_t i = 0; i < 2048; i++)
		assert_int_equal(r.out[i], (i & 15) + i + 4096);
	rig_close(&r);
}

/* The words that lanes read stand in memory; a volatile load is no part of a block. */
static const char indexed[] = KERNEL("ld.volatile.global.u32 %r8, [%rd5]; mul.wide.u32 %rd7, %r8, 4;\n"
				     "add.u64 %rd8, %rd1, %rd7;\n"
				     "bar.sync 0;\n"
				     "ld.global.u32 %r5, [%rd8];\n"
				     "ld.global.u32 %r6, [%rd8+16384];\n"
				     "add.u32 %r7, %r5, %r6;\n"
				     "st.global.u32 [%rd6], %r7;\n");

/* The first of the four pages from the second 16 KB on that lies in this stack, as the number of its first word. */
static uint32_t page_in(const struct rig *r, uint32_t stack)
{
	uint32_t word = 4096;

	while (gpu_stack_of(r->gpu, 0, (uint64_t)(uintptr_t)&r->in[word]) != stack)
		word += 1024;
	return word;
}

/* A block goes to the stack that most of its first access's lines lie in; among equals to that of the lowest lane. */
static void targets_have_most_lines(void **state)
{
	static const char *const settings[] = {"gpu.address_map", "two_bit", "gpu.map_bit", "12", NULL};
	static const struct {
		uint32_t first_stack, first_lanes, other_stack, target;
	} cases[] = {{3, 8, 2, 2}, {2, 8, 3, 3}, {3, 16, 2, 3}, {2, 16, 3, 2}, {1, 24, 0, 1}};

	(void)state;
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig r;

		open_with(&r, indexed, settings);
		for (uint32_t lane = 0; lane < 32; lane++) /* eight lanes a line */
			r.in[lane] = page_in(&r, lane < cases[i].first_lanes ? cases[i].first_stack :
									       cases[i].other_stack) +
				     lane / 8 * 32 + lane % 8;
		assert_true(rig_run(&r, 1, 32, 0));
		for (uint32_t s = 0; s < 4; s++)
			assert_int_equal(split_of(r.gpu)->nsus[s]->stats.blocks, s == cases[i].target);
		rig_close(&r);
	}
}

/* Indirect loads diverge: every lane a line, more lines than the pending buffer has places. */
static const char gather[] = KERNEL("mul.lo.u32 %r8, %r4, 97; and.b32 %r8, %r8, 16383; mul.wide.u32 %rd7, %r8, 4;\n"
				    "add.u64 %rd8, %rd1, %rd7;\n"
				    "bar.sync 0;\n"
				    "ld.global.u32 %r5, [%rd8];\n"
				    "ld.global.u32 %r6, [%rd8+65536];\n"
				    "ld.global.u32 %r9, [%rd5];\n"
				    "add.u32 %r7, %r5, %r6; add.u32 %r7, %r7, %r9;\n"
				    "st.global.u32 [%rd6], %r7;\n"
				    "st.global.u32 [%rd6+65536], %r9;\n");

/* A unit is done with a block whose last instructions the warp has not fetched: they are the unit's, in lines of code
 * that come from memory one after the other. The answer waits for OFLD.END. */
static const char long_end[] = KERNEL("ld.global.u32 %r5, [%rd5];\n"
				      "ld.global.u32 %r6, [%rd5+16384];\n"
				      "ld.global.u32 %r8, [%rd5+32768];\n"
				      "ld.global.u32 %r9, [%rd5+65536];\n"
#define MIX "add.u32 %r7, %r5, %r6; xor.b32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9; add.u32 %r5, %r7, %r6;\n"
				      MIX MIX MIX MIX MIX MIX
				      "bar.sync 0;\n"
				      "st.volatile.global.u32 [%rd6], %r7;\n");

static void answers_may_be_early(void **state)
{
	static const char *const settings[] = {"sm.inst_bytes", "32", "sm.ibuffer_count", "2", "l1i.size_bytes", "1024",
					       "l1i.way_count", "1", "xbar.latency_cycles", "400", NULL};
	struct rig r;

	(void)state;
	open_with(&r, long_end, settings);
	assert_true(rig_run(&r, 4, 32, 0));
	assert_int_equal(rig_stat(&r, "partition.blocks"), 4);
	assert_int_equal(rig_stat(&r, "partition.answers"), 4);
	assert_true(rig_stat(&r, "partition.early_answers") > 0);
	for (uint32_t i = 0; i < 128; i++) {
		uint32_t a = i, sum = 0;

		for (uint32_t k = 0; k < 6; k++) {
			sum = ((a + i + 4096) ^ (i + 8192)) + i + 16384;
			a = sum + i + 4096;
		}
		assert_int_equal(r.out[i], sum);
	}
	rig_close(&r);
}

/* Everything of one place: commands, entries (what the block needs), packets, writes, network, links, queues. */
static void smallest_buffers_complete(void **state)
{
	static const char *const shapes[] = {"full", "hypercube", "ring", "mesh2d"};
	const char *settings[] = {"nsu.topology", NULL,
				  "nsu.pending_entry_count", "1", "nsu.ready_entry_count", "1",
				  "nsu.command_entry_count", "1", "nsu.read_entry_count", "3",
				  "nsu.write_entry_count", "2", "nsu.write_queue_count", "1",
				  "nsu.warp_slot_count", "1", "mesh.depth_count", "1",
				  "link.depth_count", "1", "xbar.depth_count", "1",
				  "gpu.l2_queue_count", "1", "sm.lsu_queue_count", "1",
				  "sm.miss_queue_count", "1", "dram.queue_entries", "2",
				  "dram.write_high_count", "1", "dram.write_low_count", "0",
				  "gpu.stack_count", "8", "nsu.inst_cache_bytes", "128", NULL};

	(void)state;
	for (uint32_t t = 0; t < 4; t++) {
		struct rig r;

		settings[1] = shapes[t];
		open_with(&r, gather, settings);
		assert_true(rig_run(&r, 8, 128, 0));
		assert_int_equal(rig_stat(&r, "partition.blocks"), 32);
		assert_true(rig_stat(&r, "partition.pending_stalls") > 0 && rig_stat(&r, "partition.credit_waits") > 0);
		assert_int_equal(rig_stat(&r, "nsu.warps_max"), 1);
		for (uint32_t i = 0; i < 1024; i++) {
			uint32_t at = 97 * i & 16383;

			assert_int_equal(r.out[i], 2 * at + 16384 + i);
			assert_int_equal(r.out[16384 + i], i);
		}
		rig_close(&r);
	}
}

/* Messages that are free cross no link and take no time, with buffers of one place, too; data goes as before. */
static void messages_may_be_free(void **state)
{
	static const char *const settings[] = {"nsu.free_messages", "true",
					       "nsu.pending_entry_count", "1", "nsu.ready_entry_count", "1",
					       "nsu.command_entry_count", "1", "nsu.read_entry_count", "3",
					       "nsu.write_entry_count", "2", "nsu.warp_slot_count", "1",
					       "gpu.stack_count", "8", NULL};
	struct rig r;

	(void)state;
	open_with(&r, gather, settings);
	assert_true(rig_run(&r, 8, 128, 0));
	assert_int_equal(rig_stat(&r, "partition.blocks"), 32);
	assert_int_equal(rig_stat(&r, "partition.answers"), 32);
	assert_int_equal(rig_stat(&r, "packet.commands") + rig_stat(&r, "packet.answers") +
			 rig_stat(&r, "packet.credits"), 0);
	assert_int_equal(rig_stat(&r, "packet.data"), rig_stat(&r, "partition.read_lines"));
	assert_true(rig_stat(&r, "partition.credit_waits") > 0);
	for (uint32_t i = 0; i < 1024; i++)
		assert_int_equal(r.out[i], 2 * (97 * i & 16383) + 16384 + i);
	rig_close(&r);
}

/* One block of one warp: its command goes beside its reads, its answer by itself, which takes the link's latency. */
static void free_answer_saves_the_link(void **state)
{
	enum { LINK_PS = 1000000, CLOSE_PS = 100000 };
	const char *settings[] = {"link.latency_ps", "1000000", "nsu.free_messages", NULL, NULL};
	uint64_t time_ps[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig r;

		settings[3] = i ? "true" : "false";
		open_with(&r, shifted, settings);
		assert_true(rig_run(&r, 1, 20, 0));
		assert_int_equal(rig_stat(&r, "packet.answers"), 1 - i);
		time_ps[i] = rig_stat(&r, "gpu.time_ps");
		rig_close(&r);
	}
	assert_in_range(time_ps[0] - time_ps[1], LINK_PS, LINK_PS + CLOSE_PS);
}

/* The second block of two waits for the entries of the first: their credits, too, do without the link. */
static void free_credits_save_the_link(void **state)
{
	enum { LINK_PS = 1000000, IDLE_PS = 150000, CLOSE_PS = 100000 }; /* idle: most of credit_return_cycles */
	const char *settings[] = {"link.latency_ps", "1000000", "gpu.address_map", "two_bit", "gpu.map_bit", "12",
				  "nsu.read_entry_count", "4", "nsu.free_messages", NULL, NULL};
	uint64_t wait_ps[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig r;

		settings[9] = i ? "true" : "false";
		open_with(&r, shifted, settings);
		assert_true(rig_run(&r, 1, 64, 0));
		assert_int_equal(rig_stat(&r, "partition.credit_waits"), 1);
		wait_ps[i] = rig_stat(&r, "partition.credit_wait_ps");
		rig_close(&r);
	}
	assert_in_range(wait_ps[0] - wait_ps[1], LINK_PS + IDLE_PS, LINK_PS + IDLE_PS + CLOSE_PS);
}

/* Fewer entries than the loads of the kernel's block: blocks are cut so that each fits. */
static void blocks_fit_the_buffers(void **state)
{
	static const char *const settings[] = {"nsu.read_entry_count", "2", NULL};
	struct rig r;

	(void)state;
	open_with(&r, gather, settings);
	assert_true(rig_run(&r, 2, 64, 0));
	assert_true(rig_stat(&r, "partition.blocks") > 0);
	assert_in_range(rig_stat(&r, "nsu.reads_max"), 1, 2);
	assert_int_equal(r.out[3], 2 * 3 * 97 + 16384 + 3);
	rig_close(&r);
}

/* A parameter and a constant of the next 128 B line but one. */
static const char constants[] = MODULE(".const .align 128 .b32 table[96] = {1000};\n",
				       "ld.global.u32 %r5, [%rd5];\n"
				       "ld.param.u32 %r8, [n]; ld.const.u32 %r9, [table];\n"
				       "add.u32 %r7, %r5, %r8; add.u32 %r7, %r7, %r9;\n"
				       "st.global.u32 [%rd6], %r7;\n");

/* Units read both through their constant cache, once per block; with one line they put each other out. */
static void constants_are_cached(void **state)
{
	enum { WARPS = 64, LINE = 128 };
	/* Few blocks at a time, which do not hide what a miss costs. */
	static const char *const settings[][7] = {
	    {"nsu.slot_credits", "false", "nsu.params_are_live_ins", "false", NULL},
	    {"nsu.slot_credits", "false", "nsu.params_are_live_ins", "false", "nsu.const_cache_bytes", "128", NULL}};
	uint64_t misses[2], ps[2];

	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		struct rig r;

		open_with(&r, constants, settings[k]);
		assert_true(rig_run(&r, 16, 128, 7));
		assert_int_equal(rig_stat(&r, "partition.blocks"), WARPS);
		assert_int_equal(rig_stat(&r, "nsu.constant_reads"), 2 * WARPS);
		assert_true(rig_stat(&r, "nsu.stall_constant") > 0);
		misses[k] = rig_stat(&r, "nsu.constant_misses");
		ps[k] = sim_now_ps(r.ctx.engine);
		for (uint32_t i = 0; i < 2048; i++)
			assert_int_equal(r.out[i], i + 1007);
		rig_close(&r);
	}
	/* A warp that comes while a line is fetched misses too. */
	assert_in_range(misses[0], 2, 2 * WARPS - 1);
	assert_true(misses[1] > misses[0] && ps[1] > ps[0]);
}

/* One array of each kind is in the host's memory: its reads and the units' writes cross RX, the host's wires and TX. */
static const char both_memories[] = KERNEL("add.u64 %rd7, %rd3, %rd4;\n"
					   "bar.sync 0;\n"
					   "ld.global.u32 %r5, [%rd5];\n"
					   "ld.global.u32 %r6, [%rd7];\n"
					   "add.u32 %r8, %r5, %r6;\n"
					   "st.global.u32 [%rd6], %r8;\n"
					   "st.global.u32 [%rd7+65536], %r8;\n");

static void units_reach_the_host(void **state)
{
	enum { WARPS = 64, FLIT = 16, LINE = 128 };
	static const char *const settings[][3] = {{NULL}, {"link.depth_count", "1", NULL}};

	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		struct rig r;
		uint32_t *host;

		open_with(&r, both_memories, settings[k]);
		host = (uint32_t *)(uintptr_t)simt_memory_alloc(r.mem, WORDS * 4, 4096, SIMT_ALLOC_HOST);
		for (uint32_t i = 0; i < WORDS; i++)
			host[i] = 3 * i;
		assert_true(rig_run(&r, 16, 128, (uint64_t)(uintptr_t)host));
		assert_int_equal(rig_stat(&r, "partition.blocks"), WARPS);
		assert_int_equal(rig_stat(&r, "host_link.reads"), WARPS);
		assert_int_equal(rig_stat(&r, "host_link.read_bytes"), WARPS * LINE);
		assert_int_equal(rig_stat(&r, "host_link.writes"), WARPS);
		assert_int_equal(rig_stat(&r, "host_link.write_bytes"), WARPS * LINE);
		assert_int_equal(rig_stat(&r, "packet.data_bytes"), 2 * WARPS * (FLIT + LINE));
		assert_int_equal(rig_stat(&r, "packet.written_bytes"), 2 * WARPS * FLIT);
		assert_int_equal(rig_stat(&r, "packet.invalidation_bytes"), 2 * WARPS * FLIT);
		/* Up: a write, and per write of a vault and per block a flit. */
		assert_int_equal(rig_stat(&r, "packet.answer_bytes"), WARPS * FLIT);
		assert_true(rig_stat(&r, "link_rx.wire_bytes") >= WARPS * (FLIT + LINE + 2 * FLIT));
		for (uint32_t i = 0; i < 2048; i++) {
			assert_int_equal(r.out[i], 4 * i);
			assert_int_equal(host[16384 + i], 4 * i);
		}
		rig_close(&r);
	}
}

/* A narrower unit needs more cycles, a slower one more time. */
static void width_and_clock_matter(void **state)
{
	static const char *const settings[][3] = {{NULL},
						  {"nsu.lane_count", "4", NULL},
						  {"nsu.clock_khz", "175000", NULL},
						  {"nsu.boundary_cycles", "16", NULL}};
	uint64_t issued[4], ps[4];

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct rig r;

		open_with(&r, add, settings[i]);
		assert_true(rig_run(&r, 64, 128, 0));
		issued[i] = rig_stat(&r, "nsu.issued_cycles");
		ps[i] = sim_now_ps(r.ctx.engine);
		assert_int_equal(rig_stat(&r, "nsu.cycles"),
				 rig_stat(&r, "nsu.issued_cycles") + rig_stat(&r, "nsu.stall_execution") +
				     rig_stat(&r, "nsu.stall_fetch") + rig_stat(&r, "nsu.stall_constant") +
				     rig_stat(&r, "nsu.stall_room") +
				     rig_stat(&r, "nsu.stall_data") + rig_stat(&r, "nsu.stall_address") +
				     rig_stat(&r, "nsu.stall_acks") + rig_stat(&r, "nsu.stall_idle"));
		rig_close(&r);
	}
	assert_int_equal(issued[0], 6 * 256);
	/* The kernel may end while the last OFLD.END of a unit still holds its issue. */
	assert_in_range(issued[1], 8 * 6 * 256 - 4 * 7, 8 * 6 * 256);
	assert_in_range(issued[3], (4 + 2 * 16) * 256 - 15 * 4, (4 + 2 * 16) * 256);
	assert_true(ps[1] > ps[0] && ps[2] > ps[0] && ps[3] > ps[0]);
}

/* out[i] = in[i] + in[i + 4096], in double precision. */
static const char doubles[] = KERNEL(".reg .f64 %fd<4>;\n"
				     "ld.global.u32 %r5, [%rd5];\n"
				     "ld.global.u32 %r6, [%rd5+16384];\n"
				     "cvt.rn.f64.u32 %fd1, %r5;\n"
				     "cvt.rn.f64.u32 %fd2, %r6;\n"
				     "add.f64 %fd3, %fd1, %fd2;\n"
				     "add.f64 %fd3, %fd3, %fd1;\n"
				     "sub.f64 %fd3, %fd3, %fd1;\n"
				     "cvt.rzi.u32.f64 %r7, %fd3;\n"
				     "st.global.u32 [%rd6], %r7;\n");

/* Eleven instructions with the block's boundaries. The three of double precision hold their unit for 8 cycles, and the
 * issue for one; or for 8. Conversions are not theirs. */
static void units_overlap(void **state)
{
	uint64_t issued[2], ps[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const char *const settings[] = {"nsu.units_overlap", i ? "false" : "true", NULL};
		struct rig r;

		open_with(&r, doubles, settings);
		assert_true(rig_run(&r, 64, 128, 0));
		issued[i] = rig_stat(&r, "nsu.issued_cycles");
		ps[i] = sim_now_ps(r.ctx.engine);
		assert_int_equal(rig_stat(&r, "nsu.fp64_threads"), 3 * 32 * 256);
		for (uint32_t j = 0; j < 8192; j++)
			assert_int_equal(r.out[j], 2 * j + 4096);
		rig_close(&r);
	}
	assert_int_equal(issued[0], 11 * 256);
	assert_int_equal(issued[1], (8 + 3 * 8) * 256);
	assert_true(ps[0] < ps[1] * 9 / 10);
}

/* With one entry for commands and four slots five blocks may be under way to a unit or there; else one at a time comes,
 * each after the credit of the one before. */
static void credits_cover_slots(void **state)
{
	uint64_t waits[2], ps[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const char *const settings[] = {"nsu.command_entry_count", "1", "nsu.warp_slot_count", "4",
						"nsu.slot_credits", i ? "false" : "true",
						"gpu.l2_messages_pass", "false", NULL};
		struct rig r;

		open_with(&r, add, settings);
		assert_true(rig_run(&r, 64, 128, 0));
		assert_int_equal(rig_stat(&r, "partition.blocks"), 256);
		assert_int_equal(rig_stat(&r, "nsu.commands_max"), 1);
		waits[i] = rig_stat(&r, "partition.credit_wait_ps");
		ps[i] = sim_now_ps(r.ctx.engine);
		assert_true(i ? rig_stat(&r, "nsu.warps_max") < 4 : rig_stat(&r, "nsu.warps_max") == 4);
		rig_close(&r);
	}
	assert_true(2 * waits[0] < waits[1] && 2 * ps[0] < ps[1]);
}

/* A kernel that ends in a fault with blocks under way leaves a machine that works. */
static const char faulty[] = KERNEL("setp.eq.u32 %p1, %r4, 700; selp.b64 %rd7, 64, %rd5, %p1;\n"
				    "bar.sync 0;\n"
				    "ld.global.u32 %r5, [%rd7];\n"
				    "ld.global.u32 %r6, [%rd5+16384];\n"
				    "add.u32 %r7, %r5, %r6;\n"
				    "st.global.u32 [%rd6], %r7;\n");

static void faults_clean_up(void **state)
{
	const struct nsu_program *p;
	struct rig r;
	uint32_t warps = 0;

	(void)state;
	open_with(&r, faulty, NULL);
	assert_false(rig_run(&r, 8, 128, 0));
	assert_int_equal(r.fault.kind, SIMT_FAULT_ADDRESS);
	p = split_of(r.gpu)->partitions_free->program;
	for (const struct nsu_warp *w = p->all_warps; w; w = w->next)
		warps++;
	for (const struct nsu_warp *w = p->free_warps; w; w = w->next_free)
		warps--;
	assert_int_equal(warps, 0); /* all registers of the units are free again */
	assert_true(rig_run(&r, 2, 128, 0));
	assert_int_equal(r.out[200], 2 * 200 + 4096);
	rig_close(&r);
}

/* Past the limit, what is under way ends without timing. */
static void limit_ends_blocks(void **state)
{
	static const char *const settings[] = {"run.instruction_limit_count", "20000", NULL};
	struct rig r;

	(void)state;
	open_with(&r, add, settings);
	assert_true(rig_run(&r, 16, 128, 0));
	assert_true(rig_stat(&r, "partition.blocks") > 0 && rig_stat(&r, "gpu.untimed_warp_instructions") > 0);
	for (uint32_t i = 0; i < 2048; i++)
		assert_int_equal(r.out[i], 2 * i + 4096);
	rig_close(&r);
}

/* A credit that does not come back is found at the kernel's end. */
static void leaked_credit_is_found(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		const struct nsu_credits leak = {.reads = UINT32_MAX}; /* one less */
		struct rig r;

		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		open_with(&r, add, NULL);
		buffer_manager_return(split_of(r.gpu)->manager, 1, &leak);
		rig_run(&r, 16, 128, 0);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* The SMs are stopped in the middle: blocks end first, and the rest goes on. */
static uint64_t pause_epoch(void *ctx, struct gpu *g, uint64_t cycle)
{
	(void)ctx;
	if (cycle < 500)
		carry_pause(g, 1000);
	return 300;
}

static void resumed(void *ctx, struct gpu *g)
{
	(void)ctx;
	assert_null(split_of(g)->partitions_live);
	assert_int_equal(split_of(g)->packet_count, 0);
}

static void stop_sms(struct carry_policy *ops)
{
	ops->epoch = pause_epoch;
	ops->epoch_cycles = 300;
	ops->resumed = resumed;
}

static void pauses_wait_for_blocks(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, add, machine, NULL, stop_sms);
	assert_true(rig_run(&r, 16, 128, 0));
	assert_int_equal(rig_stat(&r, "gpu.pauses"), 1);
	for (uint32_t i = 0; i < 2048; i++)
		assert_int_equal(r.out[i], 2 * i + 4096);
	rig_close(&r);
}

/* ---- a stop of the SMs between the decision about a block and its begin ---- */

static struct {
	struct carry_policy of; /* as the mechanism has it */
	uint32_t decided, left, stops;
} watched;

static struct carry_verdict decide_and_stop(void *ctx, struct gpu *g, uint32_t sm, const struct simt_warp *w,
					    uint32_t mark)
{
	const struct carry_verdict v = watched.of.block_begin(ctx, g, sm, w, mark);

	assert_true(v.way == CARRY_SPLIT && v.is_observed);
	if (watched.decided++ % 16 == 3 && !g->is_paused) {
		watched.stops++;
		carry_pause(g, 1);
	}
	return v;
}

static void count_left(void *ctx, struct gpu *g, uint32_t home_sm, uint32_t slot)
{
	watched.left++;
	watched.of.block_left(ctx, g, home_sm, slot);
}

static void watch_blocks(struct carry_policy *ops)
{
	watched.of = *ops;
	ops->block_begin = decide_and_stop;
	ops->block_left = count_left;
	ops->resumed = resumed;
}

/* A block that is decided waits for its live-in, a load, when the SMs stop. The mechanism hears of its end all the
 * same: one that ndp.timed has counted as away would be away for ever. */
static void a_stop_forgets_no_decided_block(void **state)
{
	static const char live_in[] = KERNEL("ld.global.u32 %r5, [%rd5];\n"
					     "bar.sync 0;\n"
					     "ld.global.u32 %r6, [%rd5+16384];\n"
					     "add.u32 %r7, %r5, %r6;\n"
					     "st.global.u32 [%rd6], %r7;\n");
	static const char *const settings[] = {"ndp.timed", "true", "ndp.timed_first_count", "1000", NULL};
	struct rig r;

	(void)state;
	watched.decided = watched.left = watched.stops = 0;
	rig_open(&r, live_in, machine, settings, watch_blocks);
	assert_true(rig_run(&r, 16, 128, 0));
	assert_true(watched.stops > 1);
	assert_int_equal(rig_stat(&r, "gpu.pauses"), watched.stops);
	assert_int_equal(rig_stat(&r, "partition.blocks"), watched.decided);
	assert_int_equal(watched.left, watched.decided);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(aligned_packets),
	    cmocka_unit_test(misaligned_packets),
	    cmocka_unit_test(caches_answer),
	    cmocka_unit_test(unit_cache_holds),
	    cmocka_unit_test(a_units_write_drops_the_line),
	    cmocka_unit_test(auditor_of_unit_caches),
	    cmocka_unit_test(unit_cache_of_a_line),
	    cmocka_unit_test(a_store_drops_the_line_everywhere),
	    cmocka_unit_test(targets_have_most_lines),
	    cmocka_unit_test(answers_may_be_early),
	    cmocka_unit_test(smallest_buffers_complete),
	    cmocka_unit_test(messages_may_be_free),
	    cmocka_unit_test(free_answer_saves_the_link),
	    cmocka_unit_test(free_credits_save_the_link),
	    cmocka_unit_test(blocks_fit_the_buffers),
	    cmocka_unit_test(constants_are_cached),
	    cmocka_unit_test(units_reach_the_host),
	    cmocka_unit_test(width_and_clock_matter),
	    cmocka_unit_test(units_overlap),
	    cmocka_unit_test(credits_cover_slots),
	    cmocka_unit_test(faults_clean_up),
	    cmocka_unit_test(limit_ends_blocks),
	    cmocka_unit_test(leaked_credit_is_found),
	    cmocka_unit_test(pauses_wait_for_blocks),
	    cmocka_unit_test(a_stop_forgets_no_decided_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
