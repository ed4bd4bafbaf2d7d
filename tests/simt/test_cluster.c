/* test_cluster.c - clusters of one CTA: their registers, addresses and barrier. */
#include "rig.h"

/* Every kernel is a grid of such clusters. */
static void registers_are_those_of_one_cta(void **state)
{
	struct rig r;

	(void)state;
	rig_check(&r,
		  RIG_KERNEL("mov.u32 %r1, %clusterid.x; mov.u32 %r2, %nclusterid.x; mov.u32 %r3, %cluster_ctaid.x;\n"
			     "mov.u32 %r4, %cluster_nctaid.x; mov.u32 %r5, %cluster_nctaid.z;\n"
			     "mov.u32 %r6, %cluster_ctarank; mov.u32 %r7, %cluster_nctarank;\n"
			     "mov.pred %p1, %is_explicit_cluster; selp.u32 %r8, 1, 0, %p1;\n"
			     "mad.lo.u32 %r1, %r1, 10, %r2; mad.lo.u32 %r1, %r1, 10, %r3;\n"
			     "mad.lo.u32 %r1, %r1, 10, %r4; mad.lo.u32 %r1, %r1, 10, %r5;\n"
			     "mad.lo.u32 %r1, %r1, 10, %r6; mad.lo.u32 %r1, %r1, 10, %r7;\n"
			     "mad.lo.u32 %r1, %r1, 10, %r8; st.global.u32 [%at], %r1;"),
		  3, 32);
	for (uint32_t k = 0; k < 96; k++)
		assert_int_equal(r.words[k], k / 32 * 10000000 + 3011010);
	rig_close(&r);
}

/* The shared memory of CTA 0 of the cluster is the own. */
static void addresses_are_the_own_shared_memory(void **state)
{
	struct rig r;

	(void)state;
	rig_check(&r,
		  RIG_KERNEL(".shared .align 8 .b32 s[64]; mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.u32 %r1, %r1, %r2;\n"
			     "st.shared.u32 [%r1], %t; mapa.shared::cluster.u32 %r3, %r1, 0;\n"
			     "ld.shared::cluster.u32 %r4, [%r3]; cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd1, %rd1;\n"
			     "mapa.u64 %rd2, %rd1, %cluster_ctarank; atom.relaxed.cluster.add.u32 %r5, [%rd2], 100;\n"
			     "getctarank.u64 %r6, %rd2; isspacep.shared::cluster %p1, %rd2; selp.u32 %r7, 1, 0, %p1;\n"
			     "ld.shared.u32 %r8, [%r1]; add.u32 %r8, %r8, %r4; add.u32 %r8, %r8, %r5;\n"
			     "mad.lo.u32 %r8, %r8, 10, %r6; mad.lo.u32 %r8, %r8, 10, %r7; st.global.u32 [%at], %r8;"),
		  2, 64);
	for (uint32_t k = 0; k < 128; k++)
		assert_int_equal(r.words[k], (3 * (k % 64) + 100) * 100 + 1);
	rig_close(&r);
}

static void another_rank_is_a_fault(void **state)
{
	struct rig r;

	(void)state;
	rig_check_fault(&r, RIG_KERNEL("cvta.shared.u64 %rd1, 0; mapa.u64 %rd2, %rd1, %t; st.global.u64 [%at], %rd2;"),
			1, 32, SIMT_FAULT_INSTRUCTION);
	assert_non_null(strstr(r.launch.fault.text, "mapa to CTA 1 of a cluster that has one"));
	rig_close(&r);
}

/* Warps add to what the others have written before; named barriers are others. */
static void barrier_waits_for_all_warps(void **state)
{
	struct rig r;

	(void)state;
	rig_check(&r,
		  RIG_KERNEL(".shared .b32 s[256]; mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2;\n"
			     "st.shared.u32 [%r3], %t; setp.lt.u32 %p1, %t, 64; @%p1 bar.sync 1, 64;\n"
			     "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
			     "xor.b32 %r4, %r2, 1020; add.u32 %r4, %r4, %r1; ld.shared.u32 %r5, [%r4];\n"
			     "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n"
			     "st.shared.u32 [%r3], 1000; add.u32 %r5, %r5, 1; st.global.u32 [%at], %r5;"),
		  2, 256);
	for (uint32_t k = 0; k < 512; k++)
		assert_int_equal(r.words[k], 256 - k % 256);
	rig_close(&r);
}

/* Between them other threads may run on, which this barrier does not do. */
static void halves_of_the_barrier_stand_together(void **state)
{
	static const char *const bodies[] = {
	    "barrier.cluster.arrive; add.u32 %r1, %r1, 1; barrier.cluster.wait;",
	    "barrier.cluster.arrive; L: barrier.cluster.wait; setp.eq.u32 %p1, %t, 99; @%p1 bra L;",
	    "setp.eq.u32 %p1, %t, 99; @%p1 barrier.cluster.arrive; barrier.cluster.wait;",
	    "barrier.cluster.wait;",
	};

	(void)state;
	for (uint32_t k = 0; k < sizeof(bodies) / sizeof(bodies[0]); k++) {
		char text[2048];
		struct rig r;

		snprintf(text, sizeof(text),
			 RIG_HEAD ".visible .entry k(.param .u64 out)\n{ .reg .pred %%p<2>; .reg .b32 %%r<2>, %%t;\n"
				  "mov.u32 %%t, %%tid.x;\n%s\nret; }\n", bodies[k]);
		rig_open(&r, text);
		assert_false(rig_build(&r, "k"));
		assert_non_null(strstr(r.errors, "do not follow each other"));
		rig_close(&r);
	}
}

/* A kernel may ask for what it has anyway, and knows that it did. */
static void one_may_be_asked_for(void **state)
{
	struct rig r;
	static const char text[] = RIG_HEAD
	    ".visible .entry k(.param .u64 out) .explicitcluster .reqnctapercluster %s\n"
	    "{ .reg .pred %%p; .reg .b32 %%r; .reg .b64 %%rd; ld.param.u64 %%rd, [out];\n"
	    "mov.pred %%p, %%is_explicit_cluster; selp.u32 %%r, 7, 0, %%p; st.global.u32 [%%rd], %%r; ret; }\n";
	char one[2048], two[2048];

	(void)state;
	snprintf(one, sizeof(one), text, "1, 1, 1");
	snprintf(two, sizeof(two), text, "2");
	rig_check(&r, one, 1, 1);
	assert_int_equal(r.words[0], 7);
	rig_close(&r);
	rig_open(&r, two);
	assert_false(rig_build(&r, "k"));
	assert_non_null(strstr(r.errors, "clusters of more than one CTA"));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(registers_are_those_of_one_cta),
	    cmocka_unit_test(addresses_are_the_own_shared_memory),
	    cmocka_unit_test(another_rank_is_a_fault),
	    cmocka_unit_test(barrier_waits_for_all_warps),
	    cmocka_unit_test(halves_of_the_barrier_stand_together),
	    cmocka_unit_test(one_may_be_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
