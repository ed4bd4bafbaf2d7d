/* TOM's controller on a small machine with real kernels: what is offloaded, what the packets weigh, that values are
 * right although only the packet's registers exist in the stack, and that coherence holds and is needed. */
#include "base/check.h"
#include "mem/map.h"
#include "ndp/map/mapping.h"
#include "ndp/map/observer.h"
#include "rig.h"

static const char *const machine[] = {"gpu.stack_sm_count", "1",    "ndp.mechanism", "tom",
				      "ndp.tom_control",    "none", NULL};

#define KERNEL(body) KERNEL_WITH("", "bar.sync 0;\n" body)

static void open_with(struct rig *r, const char *ptx, const char *const *settings)
{
	rig_open(r, ptx, machine, settings, NULL);
}

/* One live-in, one live-out, four lines written; the first access is the block's third instruction. */
static const char one_block[] = KERNEL("mul.wide.u32 %rd4, %r4, 4;\n"
				       "add.u64 %rd5, %rd2, %rd4;\n"
				       "st.global.u32 [%rd5], %r4;\n"
				       "st.global.u32 [%rd5+4096], %r4;\n"
				       "mul.lo.u32 %r5, %r4, 3;\n"
				       "st.global.u32 [%rd5+8192], %r5;\n"
				       "st.global.u32 [%rd5+16384], %r5;\n"
				       "bar.sync 0;\n"
				       "red.global.add.u32 [%rd2+32768], %r5;\n");

static void packets_weigh_what_they_carry(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, one_block, NULL);
	assert_true(rig_run(&r, 4, 40, 0)); /* a warp of 32 lanes and one of 8 in each CTA */
	assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 8);
	assert_int_equal(rig_stat(&r, "l2_slice.offload_packets"), 8);
	/* Request: two PCs and the mask in 16 B, and 4 B for each active lane's register. */
	assert_int_equal(rig_stat(&r, "tom.request_bytes"), 4 * (16 + 32 * 4 + 16 + 8 * 4));
	/* Acknowledgment: the live-out, and 6 B per line: 40 words at 160 B steps lie in 4, 5, ... lines of each array.
	 */
	assert_int_equal(rig_stat(&r, "tom.answer_bytes"), 4 * (32 * 4 + 8 * 4) + 6 * rig_stat(&r, "tom.answer_lines"));
	/* CTA c's words begin at byte 160 c: full warps touch 1 line where that is a multiple of 128, else 2; the
	 * others 1. */
	assert_int_equal(rig_stat(&r, "tom.answer_lines"), 4 * ((1 + 1) + (2 + 1) + (2 + 1) + (2 + 1)));
	assert_int_equal(rig_stat(&r, "tom.trial_count"), 8);
	for (uint32_t i = 0; i < 160; i++) {
		assert_int_equal(r.out[i], i);
		assert_int_equal(r.out[1024 + i], i);
		assert_int_equal(r.out[2048 + i], 3 * i);
		assert_int_equal(r.out[4096 + i], 3 * i);
	}
	assert_int_equal(r.out[8192], 3 * 159 * 160 / 2);
	rig_close(&r);
}

/* What the controller says a packet weighs is what the links carry. */
static void links_carry_the_packets(void **state)
{
	static const char *const light[] = {"ndp.tom_packet_bytes", "0", "ndp.tom_line_address_bytes", "0", NULL};
	static const char *const heavy[] = {"ndp.tom_packet_bytes", "16", "ndp.tom_line_address_bytes", "64", NULL};
	const char *const *const settings[] = {light, heavy};
	uint64_t tx_bytes[2], rx_bytes[2], lines = 0;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig r;

		open_with(&r, one_block, settings[i]);
		assert_true(rig_run(&r, 4, 40, 0));
		assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 8);
		tx_bytes[i] = rig_stat(&r, "link_tx.bytes");
		rx_bytes[i] = rig_stat(&r, "link_rx.bytes");
		lines = rig_stat(&r, "tom.answer_lines");
		rig_close(&r);
	}
	assert_int_equal(tx_bytes[1] - tx_bytes[0], 8 * 16);
	assert_int_equal(rx_bytes[1] - rx_bytes[0], 64 * lines);
}

/* The block overwrites its live-in, and lanes part, before its first access: what has run on trial must not show. */
static void trials_leave_no_trace(void **state)
{
	static const char ptx[] =
	    KERNEL("mul.lo.u32 %r4, %r4, 5;\n"
		   "and.b32 %r5, %r4, 1;\n"
		   "setp.eq.u32 %p1, %r5, 0;\n"
		   "mov.u32 %r11, 1;\n"
		   "@%p1 bra even;\n"
		   "add.u32 %r4, %r4, 7;\n"
		   "add.u32 %r11, %r4, 2;\n"
		   "even:\n"
		   "and.b32 %r6, %r4, 1023;\n"
		   "mul.wide.u32 %rd4, %r6, 4;\n"
		   "add.u64 %rd5, %rd1, %rd4;\n"
		   "ld.global.u32 %r7, [%rd5];\n"
		   "ld.global.u32 %r8, [%rd5+4096];\n"
		   "ld.global.u32 %r9, [%rd5+8192];\n"
		   "ld.global.u32 %r10, [%rd5+12288];\n"
		   "add.u32 %r7, %r7, %r8;\n"
		   "add.u32 %r9, %r9, %r10;\n"
		   "add.u32 %r7, %r7, %r11;\n"
		   "add.u32 %r4, %r7, %r9;\n"
		   "bra.uni done;\n"
		   "done:\n"
		   "bar.sync 0;\n"
		   "mov.u32 %r12, %tid.x; mov.u32 %r13, %ctaid.x; mad.lo.u32 %r14, %r13, %r3, %r12;\n"
		   "mul.wide.u32 %rd6, %r14, 4;\n"
		   "add.u64 %rd7, %rd2, %rd6;\n"
		   "st.volatile.global.u32 [%rd7], %r4;\n");
	struct rig r;

	(void)state;
	open_with(&r, ptx, NULL);
	assert_true(rig_run(&r, 8, 128, 0));
	assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 32);
	assert_int_equal(rig_stat(&r, "tom.trial_count"), 32);
	assert_true(rig_stat(&r, "sm.trial_instructions") >= 32 * 7);
	for (uint32_t i = 0; i < 1024; i++) {
		uint32_t x = 5 * i, y = x & 1 ? x + 7 : x, z = x & 1 ? y + 2 : 1;

		assert_int_equal(r.out[i], 4 * (y & 1023) + 1024 + 2048 + 3072 + z);
	}
	rig_close(&r);
}

/* A loop of n rounds: asked once, offloaded when n is worth it. */
#define LOOP_FROM(start)                                                                                               \
	KERNEL("cvt.u32.u64 %r20, %rd3;\n"                                                                             \
	       "mul.wide.u32 %rd4, %r4, 4;\n"                                                                          \
	       "add.u64 %rd5, %rd1, %rd4;\n" start "mov.u32 %r7, 0;\n"                                                 \
	       "next:\n"                                                                                               \
	       "ld.global.u32 %r8, [%rd5];\n"                                                                          \
	       "add.u32 %r7, %r7, %r8;\n"                                                                              \
	       "add.u64 %rd5, %rd5, 1024;\n"                                                                           \
	       "add.u32 %r6, %r6, 1;\n"                                                                                \
	       "setp.lt.u32 %p1, %r6, %r20;\n"                                                                         \
	       "@%p1 bra next;\n"                                                                                      \
	       "bar.sync 0;\n"                                                                                         \
	       "mul.wide.u32 %rd6, %r4, 4; add.u64 %rd7, %rd2, %rd6;\n"                                                \
	       "st.volatile.global.u32 [%rd7], %r7;\n")

static const char loop[] = LOOP_FROM("mov.u32 %r6, 0;\n");
/* From a register to another: %r9 is 70, which no instruction says as a constant. */
static const char difference_loop[] =
    LOOP_FROM("shr.u32 %r9, %r3, 7; mul.lo.u32 %r9, %r9, 70; add.u32 %r20, %r20, %r9; mov.u32 %r6, %r9;\n");

static void the_difference_of_two_registers_decides(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, difference_loop, NULL);
	assert_true(rig_run(&r, 8, 128, 40));
	assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 32);
	for (uint32_t i = 0; i < 1024; i++)
		assert_int_equal(r.out[i], 40 * i + 256 * 39 * 40 / 2);
	rig_close(&r);

	open_with(&r, difference_loop, NULL);
	assert_true(rig_run(&r, 8, 128, 4)); /* the end is at 74, above the threshold, the way there is not */
	assert_int_equal(rig_stat(&r, "tom.condition_false_count"), 32);
	rig_close(&r);
}

static void loops_are_asked_once(void **state)
{
	static const char *const control[] = {"ndp.tom_control", "ctrl", "gpu.stack_sm_warp_slot_count", "1",
					      "ndp.tom_ask_again", "false", NULL};
	struct rig r;

	(void)state;
	open_with(&r, loop, control);
	assert_true(rig_run(&r, 8, 128, 40));
	assert_int_equal(rig_stat(&r, "tom.instance_count"), 32);
	assert_int_equal(rig_stat(&r, "tom.offloaded_count") + rig_stat(&r, "tom.full_count"), 32);
	assert_true(rig_stat(&r, "tom.full_count") > 0 && rig_stat(&r, "tom.offloaded_count") > 0);
	assert_int_equal(rig_stat(&r, "tom.pending_max"), 1);
	for (uint32_t i = 0; i < 1024; i++)
		assert_int_equal(r.out[i], 40 * i + 256 * 39 * 40 / 2);
	rig_close(&r);

	open_with(&r, loop, control);
	assert_true(rig_run(&r, 8, 128, 2));
	assert_int_equal(rig_stat(&r, "tom.condition_false_count"), 32);
	rig_close(&r);
}

/* With one place per stack most loops are refused. Asked again at each round, more of them leave later. */
static void ask_again(const char *mechanism)
{
	uint64_t offloaded[2];

	for (uint32_t again = 0; again < 2; again++) {
		const char *const settings[] = {"ndp.tom_control", "ctrl", "gpu.stack_sm_warp_slot_count", "1",
						"ndp.tom_ask_again", again ? "true" : "false",
						"ndp.mechanism", mechanism, NULL};
		struct rig r;

		open_with(&r, loop, settings);
		assert_true(rig_run(&r, 8, 128, 40));
		offloaded[again] = rig_stat(&r, "tom.offloaded_count");
		assert_int_equal(rig_stat(&r, "tom.instance_count"),
				 offloaded[again] + rig_stat(&r, "tom.full_count") +
				     rig_stat(&r, "tom.condition_false_count"));
		assert_true(again ? rig_stat(&r, "tom.instance_count") > 64 : rig_stat(&r, "tom.instance_count") == 32);
		for (uint32_t i = 0; i < 1024; i++)
			assert_int_equal(r.out[i], 40 * i + 256 * 39 * 40 / 2);
		rig_close(&r);
	}
	assert_true(offloaded[1] > offloaded[0]);
}

static void refused_loops_ask_again(void **state)
{
	(void)state;
	ask_again("tom");
	ask_again("tom-ideal");
}

/* A request is no access: the 10,000 cycles before a slice's tags are not on its way, unless it is made to go there. */
static void requests_pass_the_tags(void **state)
{
	static const char *const pass[] = {"true", "false"};
	uint64_t ps[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const char *const settings[] = {"gpu.l2_messages_pass", pass[i], "gpu.l2_entry_cycles", "10000", NULL};
		struct rig r;

		open_with(&r, one_block, settings);
		assert_true(rig_run(&r, 1, 32, 0));
		assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 1);
		assert_int_equal(rig_stat(&r, "l2_slice.offload_packets"), 1);
		ps[i] = sim_now_ps(r.ctx.engine);
		rig_close(&r);
	}
	assert_in_range(ps[1] - ps[0], 10000 * 1000 / 1.4, 10000 * 1000 / 1.4 + 20000);
}

/* A block is pending from its decision on, or only from when its request leaves, once the stores before it are in
 * memory: then more are decided than there are places. A limit of its own lets as many. */
static void pending_is_counted_from(void **state)
{
	static const struct {
		const char *from, *limit;
		uint32_t least, most; /* pending at once */
	} cases[] = {{"decision", "0", 4, 4}, {"sent", "0", 5, 64}, {"decision", "9", 9, 9}};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		const char *const settings[] = {"ndp.tom_pending_from", cases[i].from, "ndp.tom_pending_limit_count",
						cases[i].limit, "ndp.tom_control", "ctrl",
						"gpu.stack_sm_warp_slot_count", "4", NULL};
		struct rig r;

		open_with(&r, loop, settings);
		assert_true(rig_run(&r, 16, 128, 40));
		assert_in_range(rig_stat(&r, "tom.pending_max"), cases[i].least, cases[i].most);
		assert_true(rig_stat(&r, "tom.full_count") > 0);
		/* what has ended is not pending: most of the 64 warps find room, sooner or later */
		assert_true(rig_stat(&r, "tom.offloaded_count") > 32);
		/* four places of each stack, all of the time at most */
		assert_true(rig_stat(&r, "gpu.offload_place_ps") > 0);
		assert_true(rig_stat(&r, "gpu.offload_place_ps") <=
			    4 * 4 * sim_now_ps(r.ctx.engine));
		for (uint32_t k = 0; k < 2048; k++)
			assert_int_equal(r.out[k], 40 * k + 256 * 39 * 40 / 2);
		rig_close(&r);
	}
}

/* Blocks wait at a stack whose registers others hold, or its one MSHR holds them up. */
static void stack_sms_have_an_sms_resources(void **state)
{
	static const char *const cases[][2] = {
	    {"gpu.stack_sm_registers", "false"}, {"gpu.stack_sm_registers", "true"}, {"gpu.stack_sm_mshr_count", "1"}};
	uint64_t waits[3], ps[3];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		const char *const settings[] = {"ndp.tom_control", "none", "sm.register_count", "2048",
						"sm.register_alloc_count", "1024", "gpu.sm_count", "16",
						cases[i][0], cases[i][1], NULL};
		struct rig r;

		open_with(&r, loop, settings);
		assert_true(rig_run(&r, 16, 64, 40));
		assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 32);
		waits[i] = rig_stat(&r, "gpu.offload_wait_max");
		ps[i] = sim_now_ps(r.ctx.engine);
		rig_close(&r);
	}
	assert_int_equal(waits[0], 0);
	assert_true(waits[1] > 0 && ps[1] > ps[0] && ps[2] > ps[1]);
}

/* Warps write a line each, meet at the barrier, and then read what the next warp wrote, in a block, twice over. */
static const char exchange[] = KERNEL("cvt.u32.u64 %r20, %rd3;\n"
				      "add.u32 %r5, %r1, 32; rem.u32 %r5, %r5, %r3; mad.lo.u32 %r6, %r2, %r3, %r5;\n"
				      "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd2, %rd4;\n"
				      "mul.wide.u32 %rd6, %r6, 4; add.u64 %rd7, %rd2, %rd6;\n"
				      "mov.u32 %r7, 0;\n"
				      "again:\n"
				      "st.global.u32 [%rd5], %r7;\n"
				      "bar.sync 0;\n"
				      "ld.global.u32 %r8, [%rd7];\n"
				      "ld.global.u32 %r9, [%rd7+16384];\n"
				      "ld.global.u32 %r10, [%rd7+32768];\n"
				      "ld.global.u32 %r13, [%rd7+40960];\n"
				      "ld.global.u32 %r14, [%rd7+45056];\n"
				      "ld.global.u32 %r15, [%rd7+49152];\n"
				      "add.u32 %r9, %r9, %r10;\n"
				      "add.u32 %r9, %r9, %r13;\n"
				      "add.u32 %r9, %r9, %r14;\n"
				      "add.u32 %r9, %r9, %r15;\n"
				      "add.u32 %r11, %r8, %r9;\n"
				      "st.global.u32 [%rd7+16384], %r11;\n"
				      "bar.sync 0;\n"
				      "ld.volatile.global.u32 %r12, [%rd5+16384];\n"
				      "add.u32 %r7, %r7, %r12;\n"
				      "add.u32 %r7, %r7, 1;\n"
				      "setp.lt.u32 %p1, %r7, %r20;\n"
				      "@%p1 bra again;\n");

/* Every warp floods stack 0 with stores and then writes a line there; after the barrier another warp's block, in stack
 * 2, reads it. (Mapping two_bit: the stack is bits 8:7 of the address.) */
static const char late_stores[] =
    KERNEL("shr.u32 %r16, %r4, 5; and.b32 %r18, %r1, 31;\n"
	   "mul.wide.u32 %rd8, %r18, 512; add.u64 %rd9, %rd2, %rd8; add.u64 %rd10, %rd9, 65536;\n"
	   "add.u64 %rd11, %rd1, 256;\n"
	   "add.u32 %r5, %r1, 32; rem.u32 %r5, %r5, %r3; mad.lo.u32 %r6, %r2, %r3, %r5;\n"
	   "shr.u32 %r6, %r6, 5;\n"
	   "mul.wide.u32 %rd13, %r18, 4; add.u64 %rd13, %rd2, %rd13;\n"
	   "mul.wide.u32 %rd4, %r16, 512; add.u64 %rd5, %rd13, %rd4;\n"
	   "mul.wide.u32 %rd6, %r6, 512; add.u64 %rd7, %rd13, %rd6;\n"
	   "st.global.u32 [%rd10], %r1; st.global.u32 [%rd10+16384], %r1;\n"
	   "st.global.u32 [%rd10+32768], %r1; st.global.u32 [%rd10+49152], %r1;\n"
	   "st.global.u32 [%rd10+65536], %r1; st.global.u32 [%rd10+81920], %r1;\n"
	   "st.global.u32 [%rd5], %r4;\n"
	   "bar.sync 0;\n"
	   "ld.global.u32 %r7, [%rd11];\n"
	   "ld.global.u32 %r8, [%rd7];\n"
	   "ld.global.u32 %r9, [%rd11+512]; ld.global.u32 %r10, [%rd11+1024];\n"
	   "ld.global.u32 %r11, [%rd11+1536]; ld.global.u32 %r12, [%rd11+2048];\n"
	   "ld.global.u32 %r13, [%rd11+2560]; ld.global.u32 %r14, [%rd11+3072];\n"
	   "ld.global.u32 %r15, [%rd11+3584]; ld.global.u32 %r22, [%rd11+4096];\n"
	   "add.u32 %r7, %r7, %r9; add.u32 %r7, %r7, %r10; add.u32 %r7, %r7, %r11;\n"
	   "add.u32 %r7, %r7, %r12; add.u32 %r7, %r7, %r13; add.u32 %r7, %r7, %r14;\n"
	   "add.u32 %r7, %r7, %r15; add.u32 %r7, %r7, %r22; add.u32 %r8, %r8, %r7;\n"
	   "st.global.u32 [%rd7+40960], %r8;\n");

/* All warps write and read one line of stack 0 from blocks in stack 1, and the way from 0 to 1 is slow: the line is on
 * it, for an earlier block, when the next block begins. */
static const char shared_lines[] = KERNEL("cvt.u32.u64 %r20, %rd3;\n"
					  "and.b32 %r5, %r1, 31; mul.wide.u32 %rd4, %r5, 4; add.u64 %rd5, %rd2, %rd4;\n"
					  "mov.u32 %r6, 0;\n"
					  "again:\n"
					  "st.global.u32 [%rd5], %r6;\n"
					  "bar.warp.sync -1;\n"
					  "ld.global.u32 %r7, [%rd5+640];\n"
					  "ld.global.u32 %r8, [%rd5+4224];\n"
					  "ld.global.u32 %r9, [%rd5+8320];\n"
					  "ld.global.u32 %r10, [%rd5+12416];\n"
					  "ld.global.u32 %r12, [%rd5];\n"
					  "add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9; add.u32 %r7, %r7, %r10;\n"
					  "add.u32 %r7, %r7, %r12;\n"
					  "st.global.u32 [%rd5+20480], %r7;\n"
					  "bar.warp.sync -1;\n"
					  "add.u32 %r6, %r6, 1;\n"
					  "setp.lt.u32 %p1, %r6, %r20;\n"
					  "@%p1 bra again;\n");

static void coherence_holds_and_is_needed(void **state)
{
	static const struct {
		const char *ptx;
		uint32_t ctas, threads;
		uint64_t n;
	} kernels[] = {{exchange, 4, 256, 1000}, {late_stores, 4, 256, 0}, {shared_lines, 4, 256, 16}};
	static const char *const settings[] = {"gpu.address_map",
					       "two_bit",
					       "link.bandwidth_mbytes_per_s",
					       "4000",
					       "mesh.bandwidth_mbytes_per_s",
					       "400",
					       NULL};
	static const char *const control[] = {"gpu.address_map",
					      "two_bit",
					      "link.bandwidth_mbytes_per_s",
					      "4000",
					      "mesh.bandwidth_mbytes_per_s",
					      "400",
					      "ndp.tom_control",
					      "ctrl",
					      "gpu.stack_sm_warp_slot_count",
					      "2",
					      NULL};
	static const char *const written[] = {"gpu.address_map",
					      "two_bit",
					      "link.bandwidth_mbytes_per_s",
					      "4000",
					      "mesh.bandwidth_mbytes_per_s",
					      "400",
					      "ndp.tom_flush",
					      "written",
					      NULL};
	static const char *const off[] = {"gpu.address_map",
					  "two_bit",
					  "link.bandwidth_mbytes_per_s",
					  "4000",
					  "mesh.bandwidth_mbytes_per_s",
					  "400",
					  "ndp.tom_coherence",
					  "false",
					  NULL};
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(kernels); i++) {
		open_with(&r, kernels[i].ptx, settings);
		/* CHECKs: nothing is stale */
		assert_true(rig_run(&r, kernels[i].ctas, kernels[i].threads, kernels[i].n));
		assert_true(rig_stat(&r, "tom.offloaded_count") >= 32);
		assert_int_equal(rig_stat(&r, "gpu.stale_reads"), 0);
		rig_close(&r);
		open_with(&r, kernels[i].ptx, control);
		assert_true(rig_run(&r, kernels[i].ctas, kernels[i].threads, kernels[i].n));
		assert_true(rig_stat(&r, "tom.offloaded_count") > 0 && rig_stat(&r, "tom.full_count") > 0);
		assert_int_equal(rig_stat(&r, "gpu.stale_reads"), 0);
		rig_close(&r);
		open_with(&r, kernels[i].ptx, written);
		assert_true(rig_run(&r, kernels[i].ctas, kernels[i].threads, kernels[i].n));
		assert_int_equal(rig_stat(&r, "gpu.stale_reads"), 0);
		rig_close(&r);
		open_with(&r, kernels[i].ptx, off);
		assert_true(rig_run(&r, kernels[i].ctas, kernels[i].threads, kernels[i].n));
		if (rig_stat(&r, "gpu.stale_reads") == 0)
			fail_msg("kernel %u: the auditor found nothing", i);
		rig_close(&r);
	}
}

/* Lines of what a launch only reads stay in the stacks' L1s, and nothing else does: the auditor ends a run whose block
 * reads what its home has overwritten. */
static void lines_of_what_is_only_read_stay(void **state)
{
	static const char writes_both[] =
	    LOOP_FROM("mov.u32 %r6, 0; add.u64 %rd12, %rd1, 131072; st.global.u32 [%rd12], %r4; bar.sync 0;\n");
	/* Where it stores follows from what it loads. */
	static const char writes_anything[] =
	    LOOP_FROM("mov.u32 %r6, 0; ld.global.u64 %rd12, [%rd1]; and.b64 %rd12, %rd12, 255;\n"
		      "add.u64 %rd13, %rd2, %rd12; st.global.u32 [%rd13+65536], %r4; bar.sync 0;\n");
	static const char *const kernels[] = {loop, writes_both, writes_anything};
	static const char *const written[] = {"ndp.tom_flush", "written", NULL};
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(kernels); i++) {
		open_with(&r, kernels[i], written);
		assert_true(rig_run(&r, 64, 128, 40));
		assert_true(rig_stat(&r, "tom.offloaded_count") >= 256);
		assert_int_equal(rig_stat(&r, "gpu.offload_kept_lines") > 0, i == 0);
		for (uint32_t k = 0; k < 8192; k++)
			assert_int_equal(r.out[k], 40 * k + 256 * 39 * 40 / 2);
		rig_close(&r);
	}
	open_with(&r, loop, NULL);
	assert_true(rig_run(&r, 64, 128, 40));
	assert_int_equal(rig_stat(&r, "gpu.offload_kept_lines"), 0);
	rig_close(&r);
}

/* Each stack has a copy of what is only read, and its SM reads that; of what is written there is none. */
static void stacks_read_copies(void **state)
{
	static const char writes_both[] =
	    LOOP_FROM("mov.u32 %r6, 0; add.u64 %rd12, %rd1, 131072; st.global.u32 [%rd12], %r4; bar.sync 0;\n");
	static const char *const copied[] = {"ndp.tom_copy_bytes", "262144", NULL};
	static const char *const too_large[] = {"ndp.tom_copy_bytes", "262143", NULL};
	static const struct {
		const char *ptx;
		const char *const *settings;
		bool has_copies;
	} runs[] = {{loop, NULL, false}, {loop, copied, true}, {loop, too_large, false}, {writes_both, copied, false}};
	uint64_t between[ARRAY_COUNT(runs)];
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(runs); i++) {
		open_with(&r, runs[i].ptx, runs[i].settings);
		assert_true(rig_run(&r, 64, 128, 40));
		assert_int_equal(rig_stat(&r, "tom.copied_bytes"), runs[i].has_copies ? 3 * 262144 : 0);
		assert_int_equal(rig_stat(&r, "tom.copied_wire_bytes"), runs[i].has_copies ? 3 * 262144 : 0);
		assert_int_equal(rig_stat(&r, "tom.copied_reads") > 0, runs[i].has_copies);
		between[i] = rig_stat(&r, "mesh.bytes");
		for (uint32_t k = 0; k < 8192; k++)
			assert_int_equal(r.out[k], 40 * k + 256 * 39 * 40 / 2);
		rig_close(&r);
	}
	assert_true(between[1] < between[0] / 2);
	assert_int_equal(between[2], between[0]);
}

/* Blocks whose lines the GPU's caches have stay, those that read each line once go. */
static void blocks_that_live_in_the_caches_stay(void **state)
{
	/* All warps read the same lines, a round after the other. */
	static const char same_lines[] =
	    LOOP_FROM("mov.u32 %r6, 0; and.b32 %r11, %r1, 31; mul.wide.u32 %rd4, %r11, 4;\n"
		      "add.u64 %rd5, %rd1, %rd4;\n");
	static const char *const settings[] = {"ndp.tom_control", "ctrl", "gpu.stack_sm_warp_slot_count", "1",
					       "ndp.tom_stay_hit_ratio", "0.5", "ndp.tom_stay_learn_count", "32", NULL};
	struct rig r;

	(void)state;
	open_with(&r, same_lines, settings);
	assert_true(rig_run(&r, 64, 128, 40));
	assert_true(rig_stat(&r, "tom.cached_count") >= 128);
	for (uint32_t i = 0; i < 8192; i++)
		assert_int_equal(r.out[i], 40 * (i & 31) + 256 * 39 * 40 / 2);
	rig_close(&r);
	open_with(&r, loop, settings); /* eight warps, eight lines apart in each round */
	assert_true(rig_run(&r, 2, 128, 40));
	assert_int_equal(rig_stat(&r, "tom.cached_count"), 0);
	assert_true(rig_stat(&r, "tom.offloaded_count") > 0);
	rig_close(&r);
}

/* With one place in each stack all others wait: by the times of what comes back few are sent. */
static void slow_blocks_stay(void **state)
{
	static const char *const settings[] = {"gpu.stack_sm_warp_slot_count", "1", "ndp.timed", "true",
					       "mesh.bandwidth_mbytes_per_s", "400", NULL};
	uint64_t offloaded;
	struct rig r;

	(void)state;
	open_with(&r, loop, settings);
	assert_true(rig_run(&r, 64, 128, 40));
	offloaded = rig_stat(&r, "tom.offloaded_count");
	assert_true(offloaded > 0 && offloaded < 128);
	assert_true(rig_stat(&r, "tom.slow_count") >= 128);
	for (uint32_t i = 0; i < 8192; i++)
		assert_int_equal(r.out[i], 40 * i + 256 * 39 * 40 / 2);
	rig_close(&r);
}

/* A loop that adds up over the warp in each round, from round 0; what comes before it is up to `start`. */
#define SHUFFLES_FROM(mask, start) \
	KERNEL("cvt.u32.u64 %r20, %rd3;\n" \
	       "mul.wide.u32 %rd4, %r4, 4;\n" \
	       "add.u64 %rd5, %rd1, %rd4; mov.u32 %r7, 0; mov.u32 %r6, 0;\n" start "next:\n" \
	       "ld.global.u32 %r8, [%rd5];\n" \
	       "shfl.sync.bfly.b32 %r9, %r8, 16, 31, " mask "; add.u32 %r8, %r8, %r9;\n" \
	       "shfl.sync.bfly.b32 %r9, %r8, 8, 31, " mask "; add.u32 %r8, %r8, %r9;\n" \
	       "shfl.sync.bfly.b32 %r9, %r8, 4, 31, " mask "; add.u32 %r8, %r8, %r9;\n" \
	       "shfl.sync.bfly.b32 %r9, %r8, 2, 31, " mask "; add.u32 %r8, %r8, %r9;\n" \
	       "shfl.sync.bfly.b32 %r9, %r8, 1, 31, " mask "; add.u32 %r8, %r8, %r9;\n" \
	       "add.u32 %r7, %r7, %r8;\n" \
	       "add.u64 %rd5, %rd5, 1024;\n" \
	       "add.u32 %r6, %r6, 1;\n" \
	       "setp.lt.u32 %p1, %r6, %r20;\n" \
	       "@%p1 bra next;\n" \
	       "over:\n" \
	       "bar.sync 0;\n" \
	       "mul.wide.u32 %rd6, %r4, 4; add.u64 %rd7, %rd2, %rd6;\n" \
	       "st.volatile.global.u32 [%rd7], %r7;\n")

static void check_sums(const struct rig *r)
{
	for (uint32_t i = 0; i < 1024; i++) {
		uint32_t sum = 0;

		for (uint32_t lane = 0; lane < 32; lane++)
			for (uint32_t round = 0; round < 40; round++)
				sum += (i & ~31u) + lane + 256 * round;
		assert_int_equal(r->out[i], sum);
	}
}

/* With ndp.shuffles they are part of a block, whose warp moves as a whole, or stays where its lanes have parted. */
static void warps_shuffle_in_the_stacks(void **state)
{
	static const char whole[] = SHUFFLES_FROM("-1", "");
	static const char parted[] = SHUFFLES_FROM(
	    "0xffff0000", "and.b32 %r11, %r1, 31; setp.lt.u32 %p2, %r11, 16; @%p2 bra over;\n");
	static const char *const on[] = {"ndp.shuffles", "true", NULL};
	static const char *const ideal[] = {"ndp.shuffles", "true", "ndp.mechanism", "tom-ideal", NULL};
	const char *const *const all[] = {on, ideal};
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(all); i++) {
		open_with(&r, whole, all[i]);
		assert_true(rig_run(&r, 8, 128, 40));
		assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 32);
		check_sums(&r);
		rig_close(&r);
		open_with(&r, parted, all[i]);
		assert_true(rig_run(&r, 8, 128, 40));
		assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 0);
		assert_int_equal(rig_stat(&r, "tom.parted_count"), 32);
		rig_close(&r);
	}
	open_with(&r, whole, NULL);
	assert_true(rig_run(&r, 8, 128, 40));
	assert_int_equal(rig_stat(&r, "tom.instance_count"), 0);
	check_sums(&r);
	rig_close(&r);
}

/* Lanes that part on trial come to a shuffle of their own before the block's first access: it stays. */
static void parted_lanes_do_not_shuffle_on_trial(void **state)
{
	static const char ptx[] =
	    KERNEL("mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd2, %rd4; and.b32 %r5, %r1, 1;\n"
		   "bar.sync 0;\n"
		   "setp.eq.u32 %p1, %r5, 0;\n"
		   "mov.u32 %r6, %r4;\n"
		   "@%p1 bra even;\n"
		   "shfl.sync.bfly.b32 %r6, %r4, 2, 31, 0xaaaaaaaa;\n"
		   "even:\n"
		   "st.global.u32 [%rd5], %r6;\n"
		   "st.global.u32 [%rd5+4096], %r6;\n"
		   "st.global.u32 [%rd5+8192], %r6;\n"
		   "st.global.u32 [%rd5+12288], %r6;\n"
		   "bra.uni done;\n"
		   "done:\n"
		   "bar.sync 0;\n");
	static const char *const on[] = {"ndp.shuffles", "true", NULL};
	struct rig r;

	(void)state;
	open_with(&r, ptx, on);
	assert_true(rig_run(&r, 8, 128, 0));
	assert_int_equal(rig_stat(&r, "tom.instance_count"), 32);
	assert_int_equal(rig_stat(&r, "tom.no_access_count"), 32);
	for (uint32_t i = 0; i < 1024; i++)
		assert_int_equal(r.out[i + 3072], i & 1 ? i ^ 2 : i);
	rig_close(&r);
}

/* Nothing may wait for ever when every buffer holds one thing. */
static void smallest_queues(void **state)
{
	static const char *const tiny[] = {"link.depth_count",
					   "1",
					   "mesh.depth_count",
					   "1",
					   "xbar.depth_count",
					   "1",
					   "dram.queue_entries",
					   "2",
					   "dram.write_high_count",
					   "1",
					   "dram.write_low_count",
					   "0",
					   "sm.miss_queue_count",
					   "1",
					   "sm.store_count",
					   "1",
					   "gpu.l2_queue_count",
					   "1",
					   "l1d.mshr_count",
					   "1",
					   "l1i.mshr_count",
					   "1",
					   "l2.mshr_count",
					   "1",
					   "sm.lsu_queue_count",
					   "1",
					   "gpu.stack_sm_warp_slot_count",
					   "1",
					   NULL};
	static const char *const places[] = {"0", "1", "48"};
	static const char *const kernels[] = {one_block, loop, exchange};
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(kernels); i++) {
		open_with(&r, kernels[i], tiny);
		assert_true(rig_run(&r, 6, 128, 20));
		assert_true(rig_stat(&r, "tom.offloaded_count") >= 24);
		assert_int_equal(rig_stat(&r, "gpu.offloads"), rig_stat(&r, "gpu.offload_answers"));
		rig_close(&r);
	}
	/* No more requests at a stack than it has places, whatever is wanted; and with places for all none waits. */
	for (uint32_t i = 0; i < ARRAY_COUNT(places); i++) {
		const char *const settings[] = {
		    "gpu.stack_sm_warp_slot_count", "1", "gpu.stack_sm_request_count", places[i], NULL};

		open_with(&r, loop, settings);
		assert_true(rig_run(&r, 8, 128, 40));
		assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 32);
		assert_int_equal(rig_stat(&r, "gpu.offloads"), rig_stat(&r, "gpu.offload_answers"));
		assert_true(rig_stat(&r, "gpu.offload_wait_max") <= strtoull(places[i], NULL, 10));
		assert_int_equal(rig_stat(&r, "gpu.offload_credit_waits") > 0, i < 2);
		for (uint32_t k = 0; k < 1024; k++)
			assert_int_equal(r.out[k], 40 * k + 256 * 39 * 40 / 2);
		rig_close(&r);
	}
}

/* Input that lies in the host's memory: the stack SMs read it over RX, the host's wires and TX, and no vault does. */
static void blocks_reach_the_host(void **state)
{
	enum { LINES = (2048 + 256 * 39) / 32, LINE = 128 };
	static const char *const settings[][3] = {{NULL}, {"link.depth_count", "1", NULL}};

	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		struct rig r;

		open_with(&r, loop, settings[k]);
		r.in = (uint32_t *)(uintptr_t)simt_memory_alloc(r.mem, WORDS * 4, 128, SIMT_ALLOC_HOST);
		for (uint32_t i = 0; i < WORDS; i++)
			r.in[i] = i;
		assert_true(rig_run(&r, 16, 128, 40));
		assert_int_equal(rig_stat(&r, "gpu.offload_answers"), 64);
		assert_true(rig_stat(&r, "host_link.reads") >= LINES);
		assert_int_equal(rig_stat(&r, "host_link.read_bytes"), rig_stat(&r, "host_link.reads") * LINE);
		assert_true(rig_stat(&r, "link_tx.wire_bytes") > rig_stat(&r, "host_link.read_bytes"));
		assert_true(rig_stat(&r, "vault.read_bytes") < LINES * LINE); /* code */
		for (uint32_t i = 0; i < 2048; i++)
			assert_int_equal(r.out[i], 40 * i + 256 * 39 * 40 / 2);
		rig_close(&r);
	}
}

/* host.access_wires is about the learning phase: what the program keeps in the host's memory takes the wires. */
static void the_programs_host_memory_takes_the_wires(void **state)
{
	static const char *const settings[][3] = {{NULL}, {"host.access_wires", "latency_only", NULL}};
	uint64_t ps[2];

	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		struct rig r;

		open_with(&r, loop, settings[k]);
		r.in = (uint32_t *)(uintptr_t)simt_memory_alloc(r.mem, WORDS * 4, 128, SIMT_ALLOC_HOST);
		memset(r.in, 0, WORDS * 4);
		assert_true(rig_run(&r, 16, 128, 40));
		ps[k] = sim_now_ps(r.ctx.engine);
		rig_close(&r);
	}
	assert_int_equal(ps[0], ps[1]);
}

/* Where blocks may have to wait for an SM's atomics, each line of them is reported written, in a packet. */
static void written_atomics_are_reported(void **state)
{
	static const char ptx[] = KERNEL("mul.wide.u32 %rd6, %r4, 4; add.u64 %rd7, %rd2, %rd6;\n"
					 "red.global.add.u32 [%rd7], 1;\n");
	struct rig r;

	(void)state;
	open_with(&r, ptx, NULL);
	assert_true(rig_run(&r, 16, 128, 0));
	assert_int_equal(rig_stat(&r, "gpu.offloads"), 0);
	assert_int_equal(rig_stat(&r, "sm.atomic_lines"), 64);
	assert_int_equal(rig_stat(&r, "xbar_reply.packets"), rig_stat(&r, "memory.answers") + 64);
	rig_close(&r);
}

/* Heavy requests fill TX while next to nothing comes back: blocks that add to TX are kept. */
static void requests_make_tx_busy(void **state)
{
	static const char *const settings[] = {
	    "ndp.tom_control", "ctrl", "ndp.tom_packet_bytes", "1024", "link.bandwidth_mbytes_per_s", "500", NULL};
	struct rig r;

	(void)state;
	open_with(&r, loop, settings);
	assert_true(rig_run(&r, 128, 128, 40));
	assert_true(rig_stat(&r, "tom.tx_busy_count") > 0);
	assert_int_equal(rig_stat(&r, "tom.rx_busy_count"), 0);
	rig_close(&r);
}

/* ---- the learned mapping ---- */

#define LEARN "ndp.tom_mapping", "learned", "host.access_wires", "latency_only"

/* Every instance has one fate. */
static void reasons_add_up(const struct rig *r)
{
	static const char *const fates[] = {
	    "tom.offloaded_count", "tom.condition_false_count", "tom.learning_count", "tom.full_count",
	    "tom.tx_busy_count",   "tom.rx_busy_count",		"tom.alu_full_count", "tom.no_access_count",
	    "tom.no_room_count"};
	uint64_t sum = 0;

	for (uint32_t i = 0; i < sizeof(fates) / sizeof(fates[0]); i++)
		sum += rig_stat(r, fates[i]);
	assert_int_equal(sum, rig_stat(r, "tom.instance_count"));
}

/* All warps are in the loop for longer than learning may take: the running ones are judged, and asked again in their
 * next round, so that the rest of the loop is offloaded. */
static void learning_is_bounded(void **state)
{
	static const char *const bounded[] = {LEARN, "ndp.tom_learn_limit_ps", "5000000", NULL};
	static const char *const more[] = {
	    LEARN, "ndp.tom_learn_limit_ps", "5000000", "ndp.tom_learn_min_count", "33", NULL};
	static const char *const unbounded[] = {
	    LEARN, "ndp.tom_learn_limit_ps", "1000000000", "ndp.tom_learn_min_count", "4", NULL};
	struct rig r;

	(void)state;
	open_with(&r, loop, bounded);
	assert_true(rig_run(&r, 16, 128, 40));
	assert_int_equal(rig_stat(&r, "mapping.learned_instances"), 64);
	/* rounds are 1 KB apart, within 128 B of one another */
	assert_int_equal(rig_stat(&r, "mapping.learned_bit"), 7);
	assert_int_equal(rig_stat(&r, "mapping.learned_ranges"), 1);
	assert_int_equal(rig_stat(&r, "gpu.pauses"), 1);
	assert_true(rig_stat(&r, "mapping.learning_ps") >= 5000000 && rig_stat(&r, "mapping.learning_ps") < 9000000);
	assert_int_equal(rig_stat(&r, "tom.instance_count"), 2 * 64);
	assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 64);
	assert_int_equal(rig_stat(&r, "mapping.observed_instances"), 64);
	assert_int_equal(rig_stat(&r, "mapping.single_in_force"), 64);
	assert_int_equal(rig_stat(&r, "tom.learning_count"), 64);
	reasons_add_up(&r);
	for (uint32_t i = 0; i < 2048; i++)
		assert_int_equal(r.out[i], 40 * i + 256 * 39 * 40 / 2);
	rig_close(&r);

	/* More instances wanted than the first kernel has: the second one's count as well. */
	open_with(&r, loop, more);
	assert_true(rig_run(&r, 8, 128, 40));
	assert_int_equal(rig_stat(&r, "gpu.pauses"), 0);
	assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 0);
	assert_true(rig_run(&r, 8, 128, 40));
	assert_int_equal(rig_stat(&r, "gpu.pauses"), 1);
	assert_true(rig_stat(&r, "mapping.learned_instances") >= 33 && rig_stat(&r, "mapping.learned_instances") <= 64);
	assert_true(rig_stat(&r, "tom.offloaded_count") > 0);
	rig_close(&r);

	open_with(&r, loop, unbounded);
	assert_true(rig_run(&r, 8, 128, 40));
	assert_int_equal(rig_stat(&r, "mapping.learned_instances"), 4); /* that have ended */
	/* 40 rounds, of 1 us where no other warp was first */
	assert_true(rig_stat(&r, "mapping.learning_ps") > 15000000);
	rig_close(&r);
}

/* Too few instances for any judgement: learning ends all the same, with those that were seen, or with none. */
static void learning_ends(void **state)
{
	static const char *const few[] = {
	    LEARN, "ndp.tom_learn_min_count", "1000000", "ndp.tom_learn_bound_ps", "10000000", NULL};
	struct rig r;

	(void)state;
	open_with(&r, loop, few);
	assert_true(rig_run(&r, 8, 128, 40));
	assert_int_equal(rig_stat(&r, "gpu.pauses"), 1);
	assert_true(rig_stat(&r, "mapping.learning_ps") >= 10000000 && rig_stat(&r, "mapping.learning_ps") < 12000000);
	assert_int_equal(rig_stat(&r, "mapping.learned_instances"), 32);
	assert_true(rig_stat(&r, "tom.offloaded_count") > 0);
	reasons_add_up(&r);
	for (uint32_t i = 0; i < 1024; i++)
		assert_int_equal(r.out[i], 40 * i + 256 * 39 * 40 / 2);
	rig_close(&r);

	open_with(&r, loop, few);
	for (uint32_t k = 0; k < 8; k++)
		assert_true(rig_run(&r, 8, 128, 2)); /* the condition holds for none */
	assert_int_equal(rig_stat(&r, "gpu.pauses"), 1);
	assert_int_equal(rig_stat(&r, "mapping.learned_instances"), 0);
	assert_int_equal(rig_stat(&r, "mapping.learned_bit"), 0);
	assert_true(rig_stat(&r, "mapping.learning_ps") >= 10000000);
	assert_true(rig_run(&r, 8, 128, 40)); /* nothing is in the host's memory any more */
	assert_int_equal(rig_stat(&r, "tom.learning_count"), 0);
	assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 32);
	reasons_add_up(&r);
	rig_close(&r);
}

/* Blocks that all stay at home and read the same lines n times over; the first one is what is learned from. Its lines
 * came from the host's memory: after the pause they must come again, from their new places. */
static void a_pause_empties_the_caches(void **state)
{
	static const char ptx[] = KERNEL("cvt.u32.u64 %r20, %rd3;\n"
					 "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd1, %rd4;\n"
					 "mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
					 "again:\n"
					 "bar.sync 0;\n"
					 "ld.global.u32 %r8, [%rd5]; ld.global.u32 %r9, [%rd5+4096];\n"
					 "ld.global.u32 %r10, [%rd5+8192]; ld.global.u32 %r11, [%rd5+12288];\n"
					 "ld.global.u32 %r12, [%rd5+16384]; ld.global.u32 %r13, [%rd5+20480];\n"
					 "ld.global.u32 %r14, [%rd5+24576]; ld.global.u32 %r15, [%rd5+28672];\n"
					 "add.u32 %r8, %r8, %r9; add.u32 %r8, %r8, %r10; add.u32 %r8, %r8, %r11;\n"
					 "add.u32 %r8, %r8, %r12; add.u32 %r8, %r8, %r13; add.u32 %r8, %r8, %r14;\n"
					 "add.u32 %r8, %r8, %r15; add.u32 %r7, %r7, %r8;\n"
					 "bar.sync 0;\n"
					 "add.u32 %r6, %r6, 1;\n"
					 "setp.lt.u32 %p1, %r6, %r20;\n"
					 "@%p1 bra again;\n"
					 "mul.wide.u32 %rd6, %r4, 4; add.u64 %rd7, %rd2, %rd6;\n"
					 "st.volatile.global.u32 [%rd7], %r7;\n");
	static const char *const settings[] = {LEARN,
					       "ndp.tom_learn_min_count",
					       "1",
					       "ndp.tom_control",
					       "ctrl_alu",
					       "ndp.tom_alu_warp_count",
					       "0",
					       NULL};
	struct rig r;

	(void)state;
	open_with(&r, ptx, settings);
	assert_true(rig_run(&r, 1, 32, 5));
	assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 0);
	assert_int_equal(rig_stat(&r, "gpu.pauses"), 1);
	assert_int_equal(rig_stat(&r, "l1d.read_misses"), 2 * 8);
	assert_in_range(rig_stat(&r, "l2.read_misses"), 2 * 8, 2 * 8 + 7); /* and a few lines of code */
	assert_int_equal(rig_stat(&r, "host_link.reads"), 8);
	rig_close(&r);
}

/* Sixteen words, n bytes apart. A step of 4 KB leaves bits 8:7 alone; one of 128 B needs bits from 11 on. */
#define STEP "ld.global.u32 %r8, [%rd5]; add.u32 %r7, %r7, %r8; add.u64 %rd5, %rd5, %rd3;\n"
static const char steps[] = KERNEL("mul.wide.u32 %rd4, %r2, 2048; add.u64 %rd5, %rd1, %rd4;\n"
				   "mul.wide.u32 %rd6, %r1, 4; add.u64 %rd5, %rd5, %rd6;\n"
				   "mov.u32 %r7, 0;\n"
				   "bar.sync 0;\n" STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
				       STEP STEP "bar.sync 0;\n"
				   "mul.wide.u32 %rd6, %r4, 4; add.u64 %rd7, %rd2, %rd6;\n"
				   "st.volatile.global.u32 [%rd7], %r7;\n");

static void relearning_follows_a_phase_change(void **state)
{
	static const char *const settings[] = {
	    LEARN, "ndp.tom_learn_min_count", "4", "ndp.tom_relearn", "true",
	    "ndp.tom_relearn_window_count", "8", NULL};
	static const char *const off[] = {LEARN, "ndp.tom_learn_min_count", "4", NULL};
	const char *const *const both[] = {settings, off};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig r;

		open_with(&r, steps, both[i]);
		assert_true(rig_run(&r, 32, 32, 4096));
		assert_int_equal(rig_stat(&r, "mapping.learned_bit"), 7);
		assert_int_equal(rig_stat(&r, "gpu.pauses"), 1);
		for (uint32_t k = 0; k < 3; k++)
			assert_true(rig_run(&r, 64, 32, 128));
		assert_int_equal(rig_stat(&r, "mapping.learned_bit"), i == 0 ? 11 : 7);
		assert_int_equal(rig_stat(&r, "gpu.pauses"), i == 0 ? 2 : 1);
		assert_int_equal(rig_stat(&r, "mapping.relearned_count"), i == 0);
		assert_int_equal(rig_stat(&r, "mapping.remapped_bytes"), i == 0 ? WORDS * 4 / 4 * 3 : 0);
		assert_int_equal(rig_stat(&r, "mapping.remapped_wire_bytes"), rig_stat(&r, "mapping.remapped_bytes"));
		assert_int_equal(rig_stat(&r, "gpu.offloads"), rig_stat(&r, "gpu.offload_answers"));
		assert_true(rig_stat(&r, "tom.offloaded_count") > 0);
		for (uint32_t k = 0; k < 64 * 32; k++)
			assert_int_equal(r.out[k], 16 * (k / 32 * 512 + k % 32) + 32 * 120);
		rig_close(&r);
	}
}

/* Sixteen words of `in`, or with n = 1 of `out`, which the first kernel's blocks do not touch. */
#define WORD "ld.global.u32 %r8, [%rd5]; add.u32 %r7, %r7, %r8; add.u64 %rd5, %rd5, 128;\n"
static const char in_or_out[] = KERNEL("setp.eq.u64 %p1, %rd3, 0; selp.b64 %rd5, %rd1, %rd2, %p1;\n"
				       "mul.wide.u32 %rd4, %r2, 2048; add.u64 %rd5, %rd5, %rd4;\n"
				       "mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd5, %rd4;\n"
				       "mov.u32 %r7, 0;\n"
				       "bar.sync 0;\n" WORD WORD WORD WORD WORD WORD WORD WORD WORD WORD WORD WORD WORD
					   WORD WORD WORD "bar.sync 0;\n"
				       "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd7, %rd2, 131072;\n"
				       "add.u64 %rd7, %rd7, %rd4;\n"
				       "st.volatile.global.u32 [%rd7], %r7;\n");

/* What later kernels' blocks touch is marked and moved, once; or it keeps its place. */
static void later_kernels_ranges_are_marked(void **state)
{
	(void)state;
	for (uint32_t on = 0; on < 2; on++) {
		const char *const settings[] = {LEARN, "ndp.tom_learn_min_count", "4", "ndp.tom_learn_every_kernel",
						on ? "true" : "false", "ndp.tom_mapping_page_bytes", "4096",
						NULL};
		uint64_t between[3];
		struct rig r;

		open_with(&r, in_or_out, settings);
		assert_true(rig_run(&r, 32, 32, 0));
		assert_int_equal(rig_stat(&r, "mapping.learned_ranges"), 1);
		for (uint32_t k = 0; k < 3; k++) {
			assert_true(rig_run(&r, 32, 32, 1));
			between[k] = rig_stat(&r, "mesh.bytes");
		}
		assert_int_equal(rig_stat(&r, "mapping.later_ranges"), on);
		assert_int_equal(rig_stat(&r, "mapping.learned_ranges"), 1 + on);
		assert_int_equal(rig_stat(&r, "gpu.pauses"), 1 + on);
		assert_int_equal(rig_stat(&r, "mapping.relearned_count"), 0);
		assert_int_equal(rig_stat(&r, "mapping.remapped_bytes"), on ? WORDS * 4 / 4 * 3 : 0);
		assert_int_equal(rig_stat(&r, "mapping.learned_bit"), 11);
		/* What is moved is where its blocks are. */
		assert_true(between[0] > 0);
		assert_int_equal(between[1], on ? between[0] : 2 * between[0]);
		assert_int_equal(between[2], on ? between[0] : 3 * between[0]);
		for (uint32_t k = 0; k < 32 * 32; k++)
			assert_int_equal(r.out[32768 + k], 0); /* what is read is 0 */
		rig_close(&r);
	}
}

/* The second block saves more: it writes more lines, and nothing comes back. */
static const char two_blocks[] = KERNEL("mul.wide.u32 %rd4, %r4, 4;\n"
					"add.u64 %rd5, %rd2, %rd4;\n"
					"st.global.u32 [%rd5], %r4;\n"
					"st.global.u32 [%rd5+4096], %r4;\n"
					"st.global.u32 [%rd5+8192], %r4;\n"
					"bar.sync 0;\n"
					"st.global.u32 [%rd5+12288], %r4;\n"
					"st.global.u32 [%rd5+16384], %r4;\n"
					"st.global.u32 [%rd5+20480], %r4;\n"
					"st.global.u32 [%rd5+24576], %r4;\n"
					"bar.sync 0;\n"
					"red.global.add.u32 [%rd2+65536], 1;\n");

/* Blocks that the table cannot describe, and those for which it has no entry, stay on the GPU. */
static void table_keeps_what_it_cannot_hold(void **state)
{
	static const struct {
		const char *settings[5];
		uint64_t undescribed, no_entry, offloaded;
	} cases[] = {
	    {{NULL}, 0, 0, 8},
	    {{"ndp.tom_table_entry_bits", "134", NULL}, 2, 0, 0}, /* vectors of two registers */
	    {{"ndp.tom_table_entry_count", "1", NULL}, 0, 1, 4},
	};
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		open_with(&r, two_blocks, cases[i].settings);
		assert_true(rig_run(&r, 4, 32, 0));
		assert_true(rig_run(&r, 4, 32, 0)); /* a candidate counts once */
		assert_int_equal(rig_stat(&r, "tom.undescribed_count"), cases[i].undescribed);
		assert_int_equal(rig_stat(&r, "tom.no_entry_count"), cases[i].no_entry);
		assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 2 * cases[i].offloaded);
		for (uint32_t k = 0; k < 7 * 1024; k++)
			assert_int_equal(r.out[k], k % 1024 < 128 ? k % 1024 : 0);
		/* 128 B a line; the block of four lines is the one that has the entry */
		if (i == 2)
			assert_int_equal(rig_stat(&r, "tom.answer_lines"), 2 * 4 * 4);
		rig_close(&r);
	}
}

/* A kernel that is built again, for fewer registers, has the same candidates. */
static void a_program_built_again_counts_nothing(void **state)
{
	static const char *const settings[] = {"ndp.tom_table_entry_count", "1", NULL};
	struct base_diag_list diag;
	struct rig r;

	(void)state;
	open_with(&r, two_blocks, settings);
	assert_true(rig_run(&r, 4, 32, 0));
	base_diag_init(&diag);
	simt_program_free(r.program);
	r.program = simt_program_build(r.module, "k", simt_isa_choose(NULL), NULL, &diag);
	r.program->is_again = true;
	assert_true(rig_run(&r, 4, 32, 0));
	assert_int_equal(rig_stat(&r, "tom.no_entry_count"), 1);
	assert_int_equal(rig_stat(&r, "tom.offloaded_count"), 2 * 4);
	base_diag_free(&diag);
	rig_close(&r);
}

static void needs_its_machine(void **state)
{
	static const char *const settings[] = {"ndp.mechanism", "tom", "l2.write_policy", "back", NULL};
	struct machine_config c;
	struct base_diag_list diag;
	void *ctx;

	(void)state;
	machine_config_defaults(&c, machine_parts);
	rig_set_all(&c, settings);

	const struct ndp_site site = machine_ndp_site(&c);

	base_diag_init(&diag);
	assert_null(ndp_mechanism_new(&site, &ctx, &diag));
	assert_int_equal(diag.error_count, 2); /* no stack SMs, and stores that do not reach memory */
	base_diag_free(&diag);
}

/* The ideal system sends no requests, so it has nothing to count them by. */
static void the_ideal_system_counts_no_requests(void **state)
{
	static const char *const settings[][6] = {
	    {"ndp.mechanism", "tom-ideal", "gpu.stack_sm_count", "1"},
	    {"ndp.mechanism", "tom-ideal", "gpu.stack_sm_count", "1", "ndp.tom_pending_limit_count", "4"},
	    {"ndp.mechanism", "tom-ideal", "gpu.stack_sm_count", "1", "ndp.tom_pending_from", "sent"}};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(settings); i++) {
		const char *all[7] = {0};
		struct base_diag_list diag;
		struct machine_config c;
		void *ctx;

		memcpy(all, settings[i], sizeof(settings[i]));
		machine_config_defaults(&c, machine_parts);
		rig_set_all(&c, all);

		const struct ndp_site site = machine_ndp_site(&c);

		base_diag_init(&diag);
		const struct carry_policy *ops = ndp_mechanism_new(&site, &ctx, &diag);

		assert_int_equal(diag.error_count, i > 0);
		assert_true(!i == (ops != NULL));
		if (i)
			assert_non_null(strstr(diag.first->text, all[4]));
		else
			ops->free(ctx);
		base_diag_free(&diag);
	}
}

/* A kernel is aborted while the SMs come to a stand: what was to change has not, and is tried again. */
static void abort_while_stopping(void **state)
{
	static const char *const settings[] = {LEARN, "ndp.tom_learn_min_count", "1", "ndp.tom_relearn", "true",
					     "ndp.tom_relearn_window_count", "1", NULL};
	const struct simt_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
	struct base_diag_list diag;
	struct map_instance in;
	struct map_learned *m;
	struct ndp_site site;
	struct rig r;

	(void)state;
	open_with(&r, one_block, settings);
	site = machine_ndp_site(&r.config);
	site.ctx = &r.ctx;
	base_diag_init(&diag);
	m = map_learned_new(&site, &diag);
	for (uint32_t i = 0; i < 2; i++) { /* aborted, and not */
		map_learned_kernel_begin(m, &l, 1);
		map_instance_open(&in, (uint32_t)site.gpu->gpu.stack_count, 0);
		map_instance_touch(&in, 0, 0);
		map_instance_touch(&in, 128, 0); /* best by bit 8: one stack */
		map_learned_instance_touched(m, r.gpu, true, &in, 1);
		map_learned_instance_ended(m, r.gpu, &in);
		assert_int_equal(rig_stat(&r, "gpu.pauses"), i + 1);
		assert_true(map_learned_is_learning(m));
		if (i == 0)
			map_learned_kernel_end(m);
	}
	map_learned_resumed(m);
	assert_false(map_learned_is_learning(m));
	assert_int_equal(map_learned_bit(m), 8);
	for (uint32_t i = 0; i < 2; i++) { /* another phase would have it otherwise: aborted, and not */
		map_instance_open(&in, (uint32_t)site.gpu->gpu.stack_count, 0);
		map_instance_touch(&in, 0, 0);
		map_instance_touch(&in, 256, 0);
		map_learned_instance_ended(m, r.gpu, &in);
		assert_int_equal(rig_stat(&r, "gpu.pauses"), i + 3);
		assert_int_equal(map_learned_bit(m), 8);
		if (i == 0)
			map_learned_kernel_end(m);
	}
	map_learned_resumed(m);
	assert_int_equal(map_learned_bit(m), 9);
	map_learned_free(m);
	base_diag_free(&diag);
	rig_close(&r);
}

/* A learned page's banks are hashed as the machine's own are. */
static void learned_pages_hash_banks(void **state)
{
	enum { BYTES = 16 << 20 };
	static const char *const hashes[] = {"none", "low_row", "all_row"};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(hashes); i++) {
		const char *const settings[] = {LEARN, "ndp.tom_learn_min_count", "1", "gpu.bank_hash", hashes[i],
						NULL};
		struct simt_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
		struct coalesced_line line = {0};
		struct base_diag_list diag;
		struct map_learned *m;
		struct map_instance in;
		struct ndp_site site;
		struct mem_map expected;
		struct rig r;

		open_with(&r, one_block, settings);
		site = machine_ndp_site(&r.config);
		site.ctx = &r.ctx;
		base_diag_init(&diag);
		m = map_learned_new(&site, &diag);
		l.mem = r.mem;
		line.addr_bytes = simt_memory_alloc(r.mem, BYTES, 4096, SIMT_ALLOC_DEVICE);
		map_learned_kernel_begin(m, &l, 1);
		map_learned_mark(m, &l, &line, 1);
		map_instance_open(&in, (uint32_t)site.gpu->gpu.stack_count, 0);
		map_instance_touch(&in, 0, 0);
		map_instance_touch(&in, 128, 0);
		map_learned_instance_touched(m, r.gpu, true, &in, 1);
		map_learned_instance_ended(m, r.gpu, &in);
		map_learned_resumed(m);
		mem_map_two_bit(&expected, map_learned_bit(m), (uint32_t)site.gpu->gpu.stack_count,
				(uint32_t)site.gpu->dram.vault_count, dram_vault_bank_count(&site.gpu->dram),
				(uint32_t)site.gpu->dram.row_bytes, 128);
		if (i == 0) /* the lowest bits of the row twice: not at all */
			mem_map_hash_banks(&expected, 0, expected.bank.bit_count);
		if (i == 2)
			mem_map_hash_banks(&expected, expected.bank.bit_count,
					   expected.row.bit_count - expected.bank.bit_count);
		for (uint64_t at = 0; at < BYTES; at += 8192 - 128) {
			struct mem_req req = {.addr_bytes = line.addr_bytes + at, .bank = UINT8_MAX};

			map_learned_place(m, &req);
			assert_int_equal(req.bank, mem_map_place(&expected, req.addr_bytes).bank);
		}
		map_learned_free(m);
		base_diag_free(&diag);
		rig_close(&r);
	}
}

/* What an aborted kernel leaves running is not judged in the next one. */
static void abort_ends_instances(void **state)
{
	static const char *const settings[] = {LEARN, "ndp.tom_learn_bound_ps", "0", NULL};
	struct simt_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
	const struct coalesced_line line = {.addr_bytes = 128};
	struct sim_stats *stats = sim_stats_new();
	struct base_diag_list diag;
	struct map_observer *o;
	struct mem_req r0 = {.addr_bytes = 128};
	struct ndp_site site;
	struct rig r;
	uint64_t judged;

	(void)state;
	open_with(&r, one_block, settings);
	l.mem = r.mem;
	site = machine_ndp_site(&r.config);
	site.ctx = &r.ctx;
	base_diag_init(&diag);
	o = map_observer_new(&site, &diag);
	map_observer_add_stats(o, stats);
	for (uint32_t i = 0; i < 2; i++) { /* a warp slot each */
		map_observer_kernel_begin(o, NULL, &l, 1);
		map_observer_enter(o, 0, i);
		map_observer_touch(o, r.gpu, 0, i, &line, 1);
		if (i == 0)
			map_observer_kernel_end(o);
	}
	map_observer_access(o, r.gpu, &r0);
	map_observer_resumed(o);
	map_observer_kernel_end(o);
	assert_true(sim_stats_value(stats, "mapping.learned_instances", &judged));
	assert_int_equal(judged, 1);
	map_observer_free(o);
	sim_stats_free(stats);
	base_diag_free(&diag);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_program_built_again_counts_nothing),
	    cmocka_unit_test(packets_weigh_what_they_carry),
	    cmocka_unit_test(links_carry_the_packets),
	    cmocka_unit_test(trials_leave_no_trace),
	    cmocka_unit_test(loops_are_asked_once),
	    cmocka_unit_test(refused_loops_ask_again),
	    cmocka_unit_test(requests_pass_the_tags),
	    cmocka_unit_test(pending_is_counted_from),
	    cmocka_unit_test(stack_sms_have_an_sms_resources),
	    cmocka_unit_test(the_difference_of_two_registers_decides),
	    cmocka_unit_test(coherence_holds_and_is_needed),
	    cmocka_unit_test(lines_of_what_is_only_read_stay),
	    cmocka_unit_test(blocks_that_live_in_the_caches_stay),
	    cmocka_unit_test(slow_blocks_stay),
	    cmocka_unit_test(stacks_read_copies),
	    cmocka_unit_test(warps_shuffle_in_the_stacks),
	    cmocka_unit_test(parted_lanes_do_not_shuffle_on_trial),
	    cmocka_unit_test(smallest_queues),
	    cmocka_unit_test(blocks_reach_the_host),
	    cmocka_unit_test(the_programs_host_memory_takes_the_wires),
	    cmocka_unit_test(written_atomics_are_reported),
	    cmocka_unit_test(requests_make_tx_busy),
	    cmocka_unit_test(learning_is_bounded),
	    cmocka_unit_test(learning_ends),
	    cmocka_unit_test(a_pause_empties_the_caches),
	    cmocka_unit_test(relearning_follows_a_phase_change),
	    cmocka_unit_test(later_kernels_ranges_are_marked),
	    cmocka_unit_test(the_ideal_system_counts_no_requests),
	    cmocka_unit_test(abort_while_stopping),
	    cmocka_unit_test(learned_pages_hash_banks),
	    cmocka_unit_test(abort_ends_instances),
	    cmocka_unit_test(table_keeps_what_it_cannot_hold),
	    cmocka_unit_test(needs_its_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
