/* test_basic.c - arithmetic kernels, memory of every space and width, moves and packing. */
#include "rig.h"

static void test_vectoradd(void **state)
{
	static const char text[] = RIG_HEAD
	    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{\n"
	    ".reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<11>;\n"
	    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r2, [n];\n"
	    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r1, %r3, %r4, %r5;\n"
	    "setp.ge.s32 %p1, %r1, %r2; @%p1 bra DONE;\n"
	    "cvta.to.global.u64 %rd4, %rd1; mul.wide.s32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5;\n"
	    "cvta.to.global.u64 %rd7, %rd2; add.s64 %rd8, %rd7, %rd5; ld.global.f32 %f1, [%rd8];\n"
	    "ld.global.f32 %f2, [%rd6]; add.f32 %f3, %f2, %f1; cvta.to.global.u64 %rd9, %rd3;\n"
	    "add.s64 %rd10, %rd9, %rd5; st.global.f32 [%rd10], %f3;\nDONE: ret;\n}\n";
	struct rig r;
	const uint32_t n = 1000;

	(void)state;
	rig_open(&r, text);
	uint64_t addr[4];

	for (int k = 0; k < 3; k++)
		addr[k] = simt_memory_alloc(r.mem, n * 4, 1, SIMT_ALLOC_DEVICE);
	addr[3] = n;
	float *a = (float *)(uintptr_t)addr[0], *b = (float *)(uintptr_t)addr[1], *c = (float *)(uintptr_t)addr[2];

	for (uint32_t i = 0; i < n; i++) {
		a[i] = (float)i * 0.5f;
		b[i] = 3.25f - (float)i;
	}
	assert_true(rig_run(&r, "add", (n + 255) / 256, 256, addr, 4));
	for (uint32_t i = 0; i < n; i++)
		assert_true(c[i] == a[i] + b[i]);
	assert_int_equal(r.program->param_bytes, 28);
	rig_close(&r);
}

/* Kinds of arithmetic, and which loads are of the kernel's parameters. */
static void test_kinds(void **state)
{
	static const char text[] = RIG_KERNEL(
	    "mad.lo.u32 %r1, %t, %t, %t; fma.rn.f32 %f1, %f1, %f1, %f1; min.s32 %r2, %r1, %t; max.f32 %f2, %f1, %f1;\n"
	    "sub.u32 %r3, %r1, %t; mul.wide.u32 %rd1, %r3, 4; setp.lt.u32 %p1, %r1, %t; ld.global.u32 %r4, [%out];\n");
	static const struct {
		const char *begin;
		enum simt_kind kind;
	} wanted[] = {{"mad.lo", SIMT_KIND_MAD},     {"fma.rn", SIMT_KIND_MAD},	{"min.s32", SIMT_KIND_MINMAX},
		      {"max.f32", SIMT_KIND_MINMAX}, {"sub.u32", SIMT_KIND_ADD}, {"mul.wide", SIMT_KIND_MUL},
		      {"setp.lt", SIMT_KIND_MOVE}};
	struct rig r;
	uint32_t found = 0, params = 0, loads = 0;

	(void)state;
	rig_open(&r, text);
	assert_true(rig_build(&r, "k"));
	for (uint32_t i = 0; i < r.program->inst_count; i++) {
		const struct simt_inst *inst = &r.program->insts[i];
		const char *of = inst->ptx->text;

		for (size_t k = 0; k < sizeof(wanted) / sizeof(*wanted); k++) {
			if (strncmp(of, wanted[k].begin, strlen(wanted[k].begin)))
				continue;
			assert_int_equal(inst->kind, wanted[k].kind);
			found |= 1u << k;
		}
		params += (inst->flags & SIMT_KERNEL_PARAM) != 0 && !strncmp(of, "ld.param", 8);
		loads += (inst->flags & SIMT_LOAD) != 0;
	}
	assert_int_equal(found, (1u << sizeof(wanted) / sizeof(*wanted)) - 1);
	assert_true(params > 0 && params == loads - 1);
	rig_close(&r);
}

static void test_reduction(void **state)
{
	static const char text[] = RIG_KERNEL(
	    ".shared .align 4 .b8 buf[1024];\n"
	    "mov.u32 %r1, buf; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; add.u32 %r4, %i, 1; st.shared.u32 [%r3], "
	    "%r4;\n"
	    "bar.sync 0; mov.u32 %r5, 128;\n"
	    "LOOP: setp.ge.u32 %p1, %t, %r5; @%p1 bra SKIP;\n"
	    "shl.b32 %r6, %r5, 2; add.u32 %r7, %r3, %r6; ld.shared.u32 %r8, [%r7]; ld.shared.u32 %r9, [%r3];\n"
	    "add.u32 %r9, %r9, %r8; st.shared.u32 [%r3], %r9;\n"
	    "SKIP: bar.sync 0; shr.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra LOOP;\n"
	    "setp.ne.u32 %p3, %t, 0; @%p3 bra END; mov.u32 %r10, %ctaid.x; mul.wide.u32 %rd1, %r10, 4;\n"
	    "add.u64 %rd2, %out, %rd1; ld.shared.u32 %r11, [buf]; st.global.u32 [%rd2], %r11;\nEND:");
	struct rig r;

	(void)state;
	rig_check(&r, text, 4, 256);
	for (uint32_t c = 0; c < 4; c++)
		assert_int_equal(r.words[c], 256 * 257 / 2 + c * 256 * 256);
	rig_close(&r);
}

/* Between vectors: all is read before any is written, immediates and narrow parts included, under divergence too. */
static void test_vector_mov(void **state)
{
	struct rig r;

	(void)state;
	rig_check(&r,
		  RIG_KERNEL("mov.u32 %r1, 5; mov.u32 %r2, 9; setp.lt.u32 %p1, %t, 16;\n"
			     "@%p1 mov.v2.u32 {%r1, %r2}, {%r2, %r1};\n"
			     "mov.v2.u64 {%rd1, %rd2}, {0x100000000, 3}; cvt.u32.u64 %r3, %rd2;\n"
			     "mov.v4.u16 {%h1, %h2, %h3, %h4}, {1, 2, 3, 4}; cvt.u32.u16 %r4, %h4;\n"
			     "mad.lo.u32 %r5, %r1, 100, %r2; mad.lo.u32 %r5, %r5, 100, %r3;\n"
			     "mad.lo.u32 %r5, %r5, 100, %r4; st.global.u32 [%at], %r5;"),
		  1, 32);
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(r.words[t], t < 16 ? 9050304 : 5090304);
	rig_close(&r);
}

/* 128 bits: there and back through memory, as halves, from one register to another. */
static void test_wide_registers(void **state)
{
	struct rig r;

	(void)state;
	rig_check(&r,
		  RIG_KERNEL(".reg .b128 %q<4>; .shared .align 16 .b8 s[1024];\n"
			     "mul.wide.u32 %rd1, %t, 16; add.u64 %rd2, %out, %rd1; mov.u32 %r5, s;\n"
			     "shl.b32 %r6, %t, 4; add.u32 %r5, %r5, %r6; cvt.u64.u32 %rd3, %t;\n"
			     "mov.b128 %q1, {%rd3, 7};\n"
			     "st.shared.b128 [%r5], %q1; ld.shared.b128 %q2, [%r5];\n"
			     "setp.lt.u32 %p1, %t, 16; @%p1 mov.b128 %q2, {7, %rd3}; mov.b128 %q3, %q2;\n"
			     "mov.b128 {_, %rd4}, %q3; add.u64 %rd4, %rd4, 100; mov.b128 {%rd5, _}, %q3;\n"
			     "mov.b128 %q1, {%rd5, %rd4}; st.global.b128 [%rd2], %q1;"),
		  1, 32);
	for (uint32_t t = 0; t < 32; t++) {
		const uint64_t *row = (const uint64_t *)(const void *)(r.words + 4 * t);

		assert_int_equal(row[0], t < 16 ? 7 : t);
		assert_int_equal(row[1], 100 + (t < 16 ? t : 7));
	}
	rig_close(&r);
}

/* What no other register of the machine shows. */
static void test_odd_registers(void **state)
{
	struct rig r;

	(void)state;
	rig_check(&r,
		  RIG_KERNEL("mov.u64 %rd1, %pm3_64; mov.u32 %r1, %pm7; mov.u64 %rd2, %current_graph_exec;\n"
			     "add.u64 %rd1, %rd1, %rd2; cvt.u32.u64 %r2, %rd1; add.u32 %r1, %r1, %r2;\n"
			     "mov.u32 %r3, %aggr_smem_size; mov.u32 %r4, %total_smem_size; sub.u32 %r3, %r3, %r4;\n"
			     "pmevent 3; pmevent.mask 0xff; ld.mmio.relaxed.sys.global.u32 %r5, [%out].unified;\n"
			     "fence.mbarrier_init.release.cluster; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r5;\n"
			     "add.u32 %r1, %r1, 9; bar.sync 0; st.mmio.relaxed.sys.global.u32 [%at], %r1;"),
		  1, 64);
	for (uint32_t t = 0; t < 64; t++)
		assert_int_equal(r.words[t], 9);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectoradd), cmocka_unit_test(test_kinds),
					   cmocka_unit_test(test_reduction),
					   cmocka_unit_test(test_vector_mov),
					   cmocka_unit_test(test_wide_registers),
					   cmocka_unit_test(test_odd_registers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
