/* Shared memory that stays at the core of the GPU which a CTA has left: its accesses go there and back over the links,
 * their values are right, and it keeps its place there until the CTA has ended. */
#include "base/check.h"
#include "rig.h"

#define MOVES                                                                                                          \
	"ndp.mechanism", "bom", "gpu.stack_sm_count", "1", "gpu.stack_sm_caches", "false",                            \
	    "gpu.stack_sm_l2_invalidate", "true", "ndp.bom_look_cycles", "16", "ndp.bom_interval_cycles", "1",        \
	    "ndp.bom_slow_ratio", "0", "ndp.bom_miss_rate", "false", "ndp.bom_packets", "true"
static const char *const stays[] = {MOVES, "gpu.stack_sm_shared", "false", "gpu.stack_sm_shared_stays", "true", NULL};
static const char *const travels[] = {MOVES, "gpu.stack_sm_shared", "true", NULL};
static const char *const refused[] = {MOVES, "gpu.stack_sm_shared", "false", NULL};

/* Each thread adds n times what its neighbour has left in shared memory; a CTA of number c does so c times. */
#define NEIGHBOURS(bytes)                                                                                              \
	KERNEL_WITH(".shared .align 4 .b8 words[" bytes "];\n",                                                        \
		    "mov.u32 %r14, words; shl.b32 %r11, %r1, 2; add.u32 %r11, %r11, %r14;\n"                           \
		    "xor.b32 %r12, %r1, 1; shl.b32 %r12, %r12, 2; add.u32 %r12, %r12, %r14;\n"                         \
		    "cvt.u32.u64 %r20, %rd3; mad.lo.u32 %r20, %r2, %r20, %r20; mov.u32 %r6, 0; mov.u32 %r5, %r4;\n"    \
		    "again: st.shared.u32 [%r11], %r5; bar.sync 0; ld.shared.u32 %r7, [%r12]; bar.sync 0;\n"          \
		    "add.u32 %r5, %r5, %r7; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r20; @%p1 bra again;\n"        \
		    "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd2, %rd4; st.volatile.global.u32 [%rd5], %r5;\n")
static const char small[] = NEIGHBOURS("512"), half[] = NEIGHBOURS("24576");

enum { CTAS = 24, THREADS = 128, N = 4 };

struct run {
	uint64_t time_ps, moves, far, context_bytes, tx, rx;
};

static struct run run_of(const char *ptx, const char *const *machine, const char *const *settings)
{
	struct run out;
	struct rig r;

	rig_open(&r, ptx, machine, settings, NULL);
	assert_true(rig_run(&r, CTAS, THREADS, N));
	for (uint32_t cta = 0; cta < CTAS; cta++)
		for (uint32_t i = 0; i < THREADS; i++) {
			uint32_t mine = cta * THREADS + i, its = cta * THREADS + (i ^ 1);

			for (uint32_t k = 0; k < (cta + 1) * N; k++) {
				const uint32_t sum = mine + its;

				mine = its = sum;
			}
			assert_int_equal(r.out[cta * THREADS + i], mine);
		}
	assert_int_equal(rig_stat(&r, "gpu.far_accesses"), rig_stat(&r, "gpu.far_done"));
	out = (struct run){.time_ps = rig_stat(&r, "gpu.time_ps"),
			   .moves = rig_stat(&r, "gpu.cta_moves"),
			   .far = rig_stat(&r, "gpu.far_accesses"),
			   .context_bytes = rig_stat(&r, "gpu.cta_context_bytes"),
			   .tx = rig_stat(&r, "link_tx.bytes"),
			   .rx = rig_stat(&r, "link_rx.bytes")};
	rig_close(&r);
	return out;
}

/* An address and a word of each lane go there with a store, the address with a load, and the words come back. */
static void accesses_cross_the_links(void **state)
{
	enum { STORE = 16 + 2 * 128, LOAD = 16 + 128, BACK = 16 + 128 };
	const struct run far = run_of(small, stays, NULL), near = run_of(small, travels, NULL);

	(void)state;
	assert_true(far.moves > 0 && far.far > 0 && near.moves > 0);
	assert_int_equal(near.far, 0);
	assert_int_equal(run_of(small, refused, NULL).moves, 0);
	assert_int_equal(far.far % 2, 0); /* a store and a load in turn */
	assert_true(far.rx >= far.far / 2 * (STORE + LOAD));
	assert_true(far.tx >= far.far / 2 * BACK + far.context_bytes);
	/* The memory does not travel: of as many warps as many bytes less. */
	assert_int_equal(near.context_bytes / near.moves - far.context_bytes / far.moves, 512);
}

/* A load waits for both links and the crossbar. */
static void accesses_wait_for_the_links(void **state)
{
	static const char *const slow[] = {"link.latency_ps", "1000000", "ndp.bom_packets", "false", NULL};
	const struct run far = run_of(small, stays, slow), near = run_of(small, travels, slow);

	(void)state;
	assert_true(far.moves > 0 && far.far > 0);
	assert_true(far.time_ps > near.time_ps + 2 * 1000000);
}

/* CTAs of which two fill a core: one that has left keeps its place there, and so a core with shared memory for four is
 * faster, though it takes two. The same with small queues everywhere. */
static void places_are_kept(void **state)
{
	static const char *const tiny[] = {"link.depth_count", "1", "xbar.depth_count", "1", "sm.miss_queue_count", "1",
					   "sm.lsu_queue_count", "1", NULL};
	static const char *const two[] = {"sm.cta_slot_count", "2", NULL};
	static const char *const wide[] = {"sm.cta_slot_count", "2", "sm.shared_bytes", "98304", NULL};
	const struct run far = run_of(half, stays, two), roomy = run_of(half, stays, wide);

	(void)state;
	assert_true(far.moves > 0 && far.far > 0);
	assert_true(far.time_ps > roomy.time_ps);
	assert_true(run_of(half, stays, tiny).far > 0);
}

/* What is on its way when a run is cut short is not lost (the sanitizers' build sees it), and values are right. */
static void a_cut_run_keeps_its_records(void **state)
{
	uint32_t cut = 0;
	char limit[16];

	(void)state;
	for (uint32_t i = 1; i <= 8; i++) {
		const char *const settings[] = {"run.instruction_limit_count", limit, NULL};
		struct rig r;

		snprintf(limit, sizeof(limit), "%u", 60000 * i);
		rig_open(&r, small, stays, settings, NULL);
		assert_true(rig_run(&r, CTAS, THREADS, N));
		cut += rig_stat(&r, "gpu.far_accesses") > rig_stat(&r, "gpu.far_done");
		assert_int_equal(r.out[0], 16 * 0 + 8 * 1);
		rig_close(&r);
	}
	assert_true(cut > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(accesses_cross_the_links),
	    cmocka_unit_test(accesses_wait_for_the_links),
	    cmocka_unit_test(places_are_kept),
	    cmocka_unit_test(a_cut_run_keeps_its_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
