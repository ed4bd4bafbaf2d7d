/* test_forms.c - rare instruction forms, by value: narrow floats, vector atomics, parts of SIMD video registers. */
#include "fetch.h"

static CUdeviceptr memory_of(const void *bytes, size_t count)
{
	CUdeviceptr p;

	OK(cuMemAlloc(&p, 256));
	OK(cuMemcpyHtoD(p, bytes, count));
	return p;
}

/* PTX ISA, cvt; the codes are those of the OCP specifications. */
static void narrow_floats(void **state)
{
	CUcontext c = begin();

	(void)state;
	/* 1 = 0x38, -448 = 0xfe (the largest), 1e9 is cut to 448, 2^-9 is the least, 2^-10 ties to even: 0 */
	fetch_expect("",
		     "cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1; cvt.rn.satfinite.e4m3x2.f32 %h1, %f2, %f3;"
		     "cvt.u32.u16 %o0, %h0; cvt.u32.u16 %o1, %h1;"
		     "cvt.rn.f16x2.e4m3x2 %o2, %h0; cvt.rn.f16x2.e4m3x2 %o3, %h1;",
		     0, (const float[][4]){{1, -448, 1e9f, 0x1p-9f}, {0x1p-10f, -17, 0x3p-10f, 19}},
		     (uint32_t[][4]){{0x38fe, 0x7e01, 0x3c00df00, 0x5f001800},
				     {0x00d8, 0x025a, 0x0000cc00, 0x1c004d00}}, 2);
	fetch_expect("",
		     "cvt.rn.satfinite.e5m2x2.f32 %h0, %f0, %f1; cvt.rn.satfinite.relu.e5m2x2.f32 %h1, %f2, %f3;"
		     "cvt.u32.u16 %o0, %h0; cvt.u32.u16 %o1, %h1; cvt.rn.f16x2.e5m2x2 %o2, %h0;",
		     0, (const float[][4]){{1, -1e9f, -3, 1.25f}}, (uint32_t[][4]){{0x3cfb, 0x003d, 0x3c00fb00, 0}}, 1);
	fetch_expect("",
		     "cvt.rn.satfinite.e2m3x2.f32 %h0, %f0, %f1; cvt.rn.satfinite.e3m2x2.f32 %h1, %f2, %f3;"
		     "cvt.u32.u16 %o0, %h0; cvt.u32.u16 %o1, %h1;"
		     "cvt.rn.f16x2.e2m3x2 %o2, %h0; cvt.rn.f16x2.e3m2x2 %o3, %h1;",
		     0, (const float[][4]){{1, -100, 0.25f, -28}},
		     (uint32_t[][4]){{0x083f, 0x043f, 0x3c00c780, 0x3400cf00}}, 1);
	fetch_expect("",
		     "mov.b32 %r0, %f0; mov.b32 %r1, %f1; cvt.rna.tf32.f32 %o0, %r0; cvt.rn.tf32.f32 %o1, %r0;"
		     "cvt.rz.tf32.f32 %o2, %r1; cvt.rn.relu.tf32.f32 %o3, %r1;",
		     0, (const float[][4]){{1 + 0x1p-11f, -(1 + 0x1.8p-10f)}},
		     (uint32_t[][4]){{0x3f802000, 0x3f800000, 0xbf802000, 0}}, 1);
	OK(cuCtxDestroy(c));
}

static void vector_atomics(void **state)
{
	CUcontext c = begin();
	CUdeviceptr p = memory_of((float[]){10, 20, 30, 40}, 16);
	float after[4];
	uint16_t halves[8];

	(void)state;
	fetch_expect("",
		     "atom.global.v2.f32.add {%f4, %f5}, [%t], {%f1, %f0}; mov.b32 %o0, %f4; mov.b32 %o1, %f5;"
		     "red.global.add.v4.f32 [%t], {%f0, %f0, %f0, %f1};",
		     p, (const float[][4]){{1, 2}}, (float[][4]){{10, 20, 0, 0}}, 1);
	OK(cuMemcpyDtoH(after, p, 16));
	assert_memory_equal(after, ((float[]){13, 22, 31, 42}), 16);
	p = memory_of((uint16_t[]){0x3c00, 0x4000, 0x4200, 0x4400, 0, 0, 0, 0x3c00}, 16);
	fetch_expect("",
		     "cvt.rn.f16.f32 %h0, %f0;"
		     "red.global.add.noftz.v8.f16 [%t], {%h0, %h0, %h0, %h0, %h0, %h0, %h0, %h0};"
		     "mov.b32 %r0, {%h0, %h0}; red.global.max.noftz.v2.f16x2 [%t], {%r0, %r0};",
		     p, (const float[][4]){{1}}, (uint32_t[][4]){{0}}, 1);
	OK(cuMemcpyDtoH(halves, p, 16));
	assert_memory_equal(halves, ((uint16_t[]){0x4000, 0x4200, 0x4400, 0x4500, 0x3c00, 0x3c00, 0x3c00, 0x4000}), 16);
	p = memory_of((uint32_t[]){1, 2, 3, 4, 5, 6, 7, 8}, 32);
	fetch_expect("",
		     "ld.global.v8.b32 {%o0, %o1, _, %o2, _, _, _, %o3}, [%t];"
		     "st.global.v8.b32 [%t+32], {%o3, %o3, %o3, %o3, %o2, %o2, %o2, %o0};",
		     p, (const float[][4]){{0}}, (uint32_t[][4]){{1, 2, 4, 8}}, 1);
	fetch_expect("", "ld.global.v4.b32 {%o0, %o1, %o2, %o3}, [%t+48];", p, (const float[][4]){{0}},
		     (uint32_t[][4]){{4, 4, 4, 1}}, 1);
	/* Eight of 16 bits, and eight of 8: as many of the bytes before. */
	p = memory_of((uint16_t[]){0xff01, 2, 3, 4, 0x805, 6, 7, 8}, 16);
	fetch_expect(".shared .align 16 .b8 s8[16];",
		     "ld.global.v8.u16 {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}, [%t];"
		     "mov.b32 %o0, {%h0, %h7}; st.shared.v8.b16 [s8], {%h7, %h6, %h5, %h4, %h3, %h2, %h1, %h0};"
		     "ld.shared.v8.s8 {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}, [s8+8];"
		     "cvt.s32.s16 %o1, %h7; mov.b32 %o2, {%h0, %h4};"
		     "st.global.v8.u8 [%t], {%h6, %h6, %h7, %h6, %h7, %h7, %h7, %h7}; ld.global.u32 %o3, [%t];",
		     p, (const float[][4]){{0}}, (uint32_t[][4]){{0x0008ff01, 0xffffffff, 0x00020004, 0x01ff0101}}, 1);
	OK(cuCtxDestroy(c));
}

static void video_parts(void **state)
{
	CUcontext c = begin();

	(void)state;
	/* a = 4 3 2 1, b = 8 7 6 5 (bytes, highest first), c = ff ff ff ff */
	fetch_expect("",
		     "mov.u32 %r4, 0x04030201; mov.u32 %r5, 0x08070605; mov.u32 %r6, -1;\n"
		     "vadd4.u32.u32.u32 %o0.b20, %r4, %r5, %r6; vsub4.u32.u32.u32 %o1, %r4.b7654, %r5.b3210, %r6;\n"
		     "vadd4.u32.u32.u32 %o2.b3210, %r4.b0000, %r5.b7777, %r6;\n"
		     "vadd2.u32.u32.u32 %o3.h1, %r4.h01, %r5.h32, %r6;",
		     0, (const float[][4]){{0}}, (uint32_t[][4]){{0xff0aff06, 0x04040404, 0x09090909, 0x0a08ffff}}, 1);
	OK(cuCtxDestroy(c));
}

static void extend_and_find(void **state)
{
	CUcontext c = begin();

	(void)state;
	fetch_expect("",
		     "szext.clamp.u32 %o0, %r0, %r1; szext.wrap.s32 %o1, %r0, %r1; szext.clamp.s32 %o2, %r0, %r1;"
		     "szext.wrap.u32 %o3, %r0, %r1;",
		     0, (const float[][4]){{0xbc, 4}, {0xbc, 0}, {0xbc, 40}},
		     (uint32_t[][4]){{0xc, 0xfffffffc, 0xfffffffc, 0xc}, {0, 0, 0, 0},
				     {0xbc, 0xffffffbc, 0xbc, 0xbc}}, 3);
	fetch_expect("",
		     "fns.b32 %o0, %r0, %r1, %r2; fns.b32 %o1, %r0, %r1, 0;"
		     "fns.b32 %o2, %r0, 31, -2; fns.b32 %o3, %r0, 0, 9;",
		     0, (const float[][4]){{0x34, 2, 2}, {0x34, 3, 1}},
		     (uint32_t[][4]){{4, 2, 4, UINT32_MAX}, {4, UINT32_MAX, 4, UINT32_MAX}}, 2);
	OK(cuCtxDestroy(c));
}

/* Accepted, and without effect on any value. */
static void hints(void **state)
{
	CUcontext c = begin();
	CUdeviceptr p = memory_of((uint32_t[]){5, 6, 7, 8}, 16);

	(void)state;
	fetch_expect("",
		     "griddepcontrol.wait; griddepcontrol.launch_dependents; setmaxnreg.inc.sync.aligned.u32 64;\n"
		     "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d0, 0.5;\n"
		     "createpolicy.fractional.L2::evict_first.b64 %d1;\n"
		     "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d2, [%t], 64, 128;\n"
		     "createpolicy.cvt.L2.b64 %d3, %d2;\n"
		     "ld.global.L2::cache_hint.u32 %o0, [%t], %d0; st.global.L2::cache_hint.u32 [%t+4], %o0, %d1;\n"
		     "ld.global.L1::evict_last.L2::cache_hint.v2.u32 {%o1, %o2}, [%t], %d3;\n"
		     "atom.global.add.L2::cache_hint.u32 %o3, [%t], 1, %d2;\n"
		     "red.global.add.L2::cache_hint.u32 [%t], 1, %d2;\n"
		     "bar.cta.sync 0; nanosleep.u32 20;",
		     p, (const float[][4]){{0}}, (uint32_t[][4]){{5, 5, 5, 5}}, 1);
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(narrow_floats), cmocka_unit_test(vector_atomics),
					   cmocka_unit_test(video_parts), cmocka_unit_test(extend_and_find),
					   cmocka_unit_test(hints)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
