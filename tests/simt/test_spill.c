/* Registers that do not fit the bound live in local memory: the same results with fewer registers, and no findings. */
#include "rig.h"

enum { THREADS = 96, CTAS = 2 };

/* 24 words and 8 longs, all live around a loop; guarded writes, a branch that lanes take differently, a vector load, a
 * jump table and a call in which all of them are live. */
static const char crowded[] =
    RIG_HEAD ".func (.param .b32 ret) twist(.param .b32 a)\n{\n"
	     ".reg .b32 %x<20>;\n"
	     "ld.param.b32 %x0, [a]; add.u32 %x1, %x0, 1; mul.lo.u32 %x2, %x1, %x0; xor.b32 %x3, %x2, %x1;\n"
	     "add.u32 %x4, %x3, %x2; mul.lo.u32 %x5, %x4, %x1; xor.b32 %x6, %x5, %x0; add.u32 %x7, %x6, %x3;\n"
	     "add.u32 %x8, %x1, %x2; add.u32 %x8, %x8, %x3; add.u32 %x8, %x8, %x4; add.u32 %x8, %x8, %x5;\n"
	     "add.u32 %x8, %x8, %x6; add.u32 %x8, %x8, %x7;\n"
	     "st.param.b32 [ret], %x8; ret;\n}\n"
	     ".visible .entry k(.param .u64 out)\n{\n"
	     ".reg .pred %p<4>; .reg .b32 %v<32>, %t, %i, %n, %s, %w<4>; .reg .b16 %h;\n"
	     ".reg .b64 %l<8>, %out, %at, %sum;\n"
	     ".local .align 16 .b8 own[32];\n"
	     "ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x;\n"
	     "mad.lo.u32 %i, %i, %n, %t; mul.wide.u32 %at, %i, 16; add.u64 %at, %at, %out;\n"
	     "st.local.v4.u32 [own], {%i, %t, %n, %i};\n"
#define MAKE(k) "mad.lo.u32 %v" #k ", %i, " #k ", 7;\n"
	     MAKE(0) MAKE(1) MAKE(2) MAKE(3) MAKE(4) MAKE(5) MAKE(6) MAKE(7) MAKE(8) MAKE(9) MAKE(10) MAKE(11)
	     MAKE(12) MAKE(13) MAKE(14) MAKE(15) MAKE(16) MAKE(17) MAKE(18) MAKE(19) MAKE(20) MAKE(21) MAKE(22) MAKE(23)
#define MAKE_LONG(k, v) "mul.wide.u32 %l" #k ", %v" #v ", 12345;\n"
	     MAKE_LONG(0, 3) MAKE_LONG(1, 5) MAKE_LONG(2, 7) MAKE_LONG(3, 9) MAKE_LONG(4, 11) MAKE_LONG(5, 13)
	     MAKE_LONG(6, 15) MAKE_LONG(7, 17)
	     "cvt.u16.u32 %h, %t;\n"
	     "mov.u32 %s, 0;\n"
	     "again:\n"
	     "and.b32 %n, %t, 3; setp.eq.u32 %p1, %n, 1; setp.lt.u32 %p2, %n, 2;\n"
#define STEP(a, b, c) "xor.b32 %v" #a ", %v" #b ", %v" #c "; @%p1 add.u32 %v" #b ", %v" #c ", 5;\n"
	     STEP(0, 1, 2) STEP(3, 4, 5) STEP(6, 7, 8) STEP(9, 10, 11) STEP(12, 13, 14) STEP(15, 16, 17)
	     STEP(18, 19, 20) STEP(21, 22, 23) STEP(2, 9, 23) STEP(5, 12, 20) STEP(8, 15, 17) STEP(11, 18, 14)
	     "@%p2 bra skip;\n"
	     "add.u64 %l0, %l1, %l7; add.u64 %l2, %l3, %l6; @!%p1 xor.b64 %l4, %l5, %l0;\n"
	     "ld.local.v4.u32 {%w0, %w1, %w2, %w3}, [own]; add.u32 %v4, %v4, %w0; add.u32 %v10, %v10, %w3;\n"
	     "skip:\n"
	     "ts: .branchtargets one, two, one, three;\n"
	     "brx.idx %n, ts;\n"
	     "one: add.u32 %v1, %v1, %v22; bra joined;\n"
	     "two: add.u32 %v2, %v2, %v21; bra joined;\n"
	     "three: sub.u32 %v3, %v3, %v20; add.u64 %l1, %l1, %l2;\n"
	     "joined:\n"
	     "{ .param .b32 pa; .param .b32 pr; st.param.b32 [pa], %v6; call (pr), twist, (pa);\n"
	     "ld.param.b32 %v7, [pr]; }\n"
	     "add.u16 %h, %h, 3;\n"
	     "add.u32 %s, %s, 1; setp.lt.u32 %p3, %s, 4; @%p3 bra again;\n"
	     "mov.u32 %w0, 0;\n"
#define SUM(k) "mad.lo.u32 %w0, %w0, 31, %v" #k ";\n"
	     SUM(0) SUM(1) SUM(2) SUM(3) SUM(4) SUM(5) SUM(6) SUM(7) SUM(8) SUM(9) SUM(10) SUM(11)
	     SUM(12) SUM(13) SUM(14) SUM(15) SUM(16) SUM(17) SUM(18) SUM(19) SUM(20) SUM(21) SUM(22) SUM(23)
	     "mov.u64 %sum, 0;\n"
#define SUM_LONG(k) "mad.lo.u64 %sum, %sum, 31, %l" #k ";\n"
	     SUM_LONG(0) SUM_LONG(1) SUM_LONG(2) SUM_LONG(3) SUM_LONG(4) SUM_LONG(5) SUM_LONG(6) SUM_LONG(7)
	     "cvt.u32.u16 %w1, %h;\n"
	     "st.global.u32 [%at], %w0; st.global.u32 [%at+4], %w1; st.global.u64 [%at+8], %sum;\n"
	     "ret;\n}\n";

static void run(struct rig *r, uint32_t max, uint32_t *words)
{
	const struct simt_register_bounds bounds = {max, max};

	rig_open_checked(r, crowded);
	r->bounds = &bounds;
	if (!rig_run(r, "k", CTAS, THREADS, &r->out, 1))
		fail_msg("%s", r->launch.fault.text);
	r->bounds = NULL;
	memcpy(words, r->words, CTAS * THREADS * 16);
	assert_int_equal(simt_check_finding_count(r->check), 0);
}

static void test_same_results_with_fewer_registers(void **state)
{
	static uint32_t want[CTAS * THREADS * 4], words[CTAS * THREADS * 4];
	uint64_t instructions = 0;
	struct rig r;

	(void)state;
	run(&r, SIMT_REGISTER_MAX, want);
	assert_int_equal(r.program->spill_bytes_per_thread, 0);
	assert_true(r.program->slot_count > 40);
	instructions = r.warp_instructions;
	rig_close(&r);
	for (uint32_t max = 40; max >= 12; max -= 4) {
		run(&r, max, words);
		assert_true(r.program->slot_count <= max);
		assert_true(r.program->spill_bytes_per_thread > 0);
		assert_int_equal(r.program->local_bytes_per_thread % 16, 0);
		assert_true(r.program->local_bytes_per_thread >= 32 + r.program->spill_bytes_per_thread);
		assert_true(r.warp_instructions > instructions); /* fewer registers, more accesses */
		instructions = r.warp_instructions;
		assert_memory_equal(words, want, sizeof(want));
		rig_close(&r);
	}
}

/* Fewer than any instruction needs: as few as there can be. */
static void test_bound_out_of_reach(void **state)
{
	static uint32_t want[CTAS * THREADS * 4], words[CTAS * THREADS * 4];
	struct rig r;

	(void)state;
	run(&r, SIMT_REGISTER_MAX, want);
	rig_close(&r);
	run(&r, 1, words);
	assert_true(r.program->slot_count > 1 && r.program->slot_count <= 12);
	assert_memory_equal(words, want, sizeof(want));
	rig_close(&r);
}

/* Whole live ranges up to the number of registers that is free, and no fewer than needed beyond. */
static void test_free_registers_are_used(void **state)
{
	static const struct simt_register_bounds free_8 = {8, SIMT_REGISTER_MAX}, free_12 = {12, SIMT_REGISTER_MAX};
	/* Two words live at once, at most; the constants of the parameters and %i would take more. */
	static const char light[] = RIG_KERNEL("ld.global.u32 %r1, [%at]; add.u32 %r2, %r1, 3;\n"
					  "st.global.u32 [%at], %r2;");
	uint32_t whole;
	struct rig r;

	(void)state;
	rig_open(&r, light);
	assert_true(rig_build(&r, "k"));
	whole = r.program->slot_count;
	r.bounds = &free_8;
	assert_true(rig_build(&r, "k"));
	assert_int_equal(r.program->slot_count, whole < 8 ? whole : 8);
	r.bounds = &free_12;
	assert_true(rig_build(&r, "k"));
	assert_int_equal(r.program->slot_count, whole < 12 ? whole : 12);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same_results_with_fewer_registers),
	    cmocka_unit_test(test_bound_out_of_reach),
	    cmocka_unit_test(test_free_registers_are_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
