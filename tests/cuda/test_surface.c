/* test_surface.c - surfaces: loads, stores and reductions of every width, geometry and out-of-range mode, by value. */
#include "fetch.h"

enum { W = 4, H = 3, D = 2 };

static CUarray blank(CUarray_format format, unsigned int channels, size_t height, size_t depth, unsigned int flags)
{
	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = W, .Height = height, .Depth = depth, .Format = format,
					   .NumChannels = channels, .Flags = flags | CUDA_ARRAY3D_SURFACE_LDST};
	static const uint8_t zeros[16 * W * H * D];

	return fetch_array(&d, zeros);
}

/* Runs `body` on `in` and checks the array's bytes afterwards. */
static void expect_array(const char *body, CUarray a, const float in[][4], unsigned int count, const void *want,
			 size_t row_bytes, size_t rows, size_t slices)
{
	struct fetch f;
	uint32_t out[FETCH_MAX][4];
	uint8_t got[16 * W * H * D];

	fetch_load(&f, "", body);
	OK(fetch_run(&f, fetch_surface(a), in, count, out));
	fetch_array_read(a, got, row_bytes, rows, slices);
	assert_memory_equal(got, want, row_bytes * rows * slices);
	OK(cuModuleUnload(f.module));
}

/* x counts bytes. */
static void geometries(void **state)
{
	CUcontext c = begin();
	CUarray a = blank(CU_AD_FORMAT_UNSIGNED_INT32, 1, 0, 0, 0);
	uint32_t want[W * H * D] = {0};

	(void)state;
	want[1] = 7;
	want[3] = 9;
	expect_array("shl.b32 %r0, %r0, 2; sust.b.1d.b32.trap [%t, {%r0}], {%r1};", a,
		     (const float[][4]){{1, 7}, {3, 9}}, 2, want, 16, 1, 1);
	fetch_expect("", "shl.b32 %r0, %r0, 2; suld.b.1d.b32.trap {%o0}, [%t, {%r0}];", fetch_surface(a),
		     (const float[][4]){{1}, {2}}, (uint32_t[][4]){{7}, {0}}, 2);
	a = blank(CU_AD_FORMAT_UNSIGNED_INT32, 1, H, 0, 0);
	memset(want, 0, sizeof(want));
	want[2 * W + 3] = 5;
	expect_array("shl.b32 %r0, %r0, 2; sust.b.2d.b32.trap [%t, {%r0, %r1}], {%r2};", a,
		     (const float[][4]){{3, 2, 5}}, 1, want, 16, H, 1);
	a = blank(CU_AD_FORMAT_UNSIGNED_INT32, 1, H, D, 0);
	memset(want, 0, sizeof(want));
	want[(1 * H + 2) * W + 1] = 6;
	expect_array("shl.b32 %r0, %r0, 2; sust.b.3d.b32.trap [%t, {%r0, %r1, %r2, %r2}], {%r3};", a,
		     (const float[][4]){{1, 2, 1, 6}}, 1, want, 16, H, D);
	a = blank(CU_AD_FORMAT_UNSIGNED_INT32, 1, 0, 2, CUDA_ARRAY3D_LAYERED);
	memset(want, 0, sizeof(want));
	want[W + 2] = 8;
	expect_array("shl.b32 %r0, %r0, 2; sust.b.a1d.b32.trap [%t, {%r1, %r0}], {%r2};", a,
		     (const float[][4]){{2, 1, 8}}, 1, want, 16, 1, 2);
	a = blank(CU_AD_FORMAT_UNSIGNED_INT32, 1, H, 2, CUDA_ARRAY3D_LAYERED);
	memset(want, 0, sizeof(want));
	want[(H + 1) * W] = 4;
	expect_array("shl.b32 %r0, %r0, 2; sust.b.a2d.b32.trap [%t, {%r2, %r0, %r1, %r1}], {%r3};", a,
		     (const float[][4]){{0, 1, 1, 4}}, 1, want, 16, H, 2);
	fetch_expect("", "shl.b32 %r0, %r0, 2; suld.b.a2d.b32.trap {%o0}, [%t, {%r2, %r0, %r1, %r1}];",
		     fetch_surface(a), (const float[][4]){{0, 1, 1}, {0, 1, 0}}, (uint32_t[][4]){{4}, {0}}, 2);
	OK(cuCtxDestroy(c));
}

static void widths(void **state)
{
	CUcontext c = begin();
	CUarray a = blank(CU_AD_FORMAT_UNSIGNED_INT32, 4, 0, 0, 0);
	uint32_t want[W * 4] = {0};

	(void)state;
	want[4] = 11, want[5] = 12, want[6] = 13, want[7] = 14;
	expect_array("sust.b.1d.v4.b32.trap [%t, {16}], {%r0, %r1, %r2, %r3};", a, (const float[][4]){{11, 12, 13, 14}},
		     1, want, 64, 1, 1);
	fetch_expect("", "suld.b.1d.v4.b32.trap {%o0, %o1, %o2, %o3}, [%t, {%r0}];", fetch_surface(a),
		     (const float[][4]){{16}, {0}}, (uint32_t[][4]){{11, 12, 13, 14}, {0}}, 2);
	fetch_expect("",
		     "suld.b.1d.v2.b64.trap {%d0, %d1}, [%t, {%r0}]; mov.b64 {%o0, %o1}, %d0; mov.b64 {%o2, %o3}, %d1;",
		     fetch_surface(a), (const float[][4]){{16}}, (uint32_t[][4]){{11, 12, 13, 14}}, 1);
	a = blank(CU_AD_FORMAT_UNSIGNED_INT8, 2, 0, 0, 0);
	expect_array("cvt.u16.u32 %h0, %r1; cvt.u16.u32 %h1, %r2; sust.b.1d.v2.b8.trap [%t, {%r0}], {%h0, %h1};", a,
		     (const float[][4]){{2, 200, 300}}, 1, (uint8_t[]){0, 0, 200, 44, 0, 0, 0, 0}, 8, 1, 1);
	fetch_expect("", "suld.b.1d.b8.trap {%h0}, [%t, {%r0}]; cvt.u32.u16 %o0, %h0;", fetch_surface(a),
		     (const float[][4]){{2}, {3}}, (uint32_t[][4]){{200}, {44}}, 2);
	a = blank(CU_AD_FORMAT_SIGNED_INT16, 1, 0, 0, 0);
	expect_array("cvt.u16.s32 %h0, %r1; sust.b.1d.b16.trap [%t, {%r0}], {%h0};", a,
		     (const float[][4]){{2, -2}, {6, 5}}, 2, (int16_t[]){0, -2, 0, 5}, 8, 1, 1);
	OK(cuCtxDestroy(c));
}

static void out_of_range(void **state)
{
	CUcontext c = begin();
	CUarray a = blank(CU_AD_FORMAT_UNSIGNED_INT32, 1, H, 0, 0);
	uint32_t want[W * H] = {0};
	struct fetch f;
	uint32_t out[1][4];

	(void)state;
	want[2 * W + 3] = 5;
	want[0] = 6;
	expect_array("sust.b.2d.b32.clamp [%t, {%r0, %r1}], {%r2};", a, (const float[][4]){{100, 9, 5}, {-4, -1, 6}}, 2,
		     want, 16, H, 1);
	expect_array("sust.b.2d.b32.zero [%t, {%r0, %r1}], {%r2};", a, (const float[][4]){{16, 0, 5}, {0, 3, 5}}, 2,
		     want, 16, H, 1);
	fetch_expect("", "mov.u32 %o0, 77; suld.b.2d.b32.zero {%o0}, [%t, {%r0, %r1}];", fetch_surface(a),
		     (const float[][4]){{16, 2}, {12, 2}, {0, -1}}, (uint32_t[][4]){{0}, {5}, {0}}, 3);
	fetch_expect("", "suld.b.2d.b32.clamp {%o0}, [%t, {%r0, %r1}];", fetch_surface(a),
		     (const float[][4]){{16, 2}, {-4, -8}}, (uint32_t[][4]){{5}, {6}}, 2);
	fetch_load(&f, "", "suld.b.2d.b32.trap {%o0}, [%t, {%r0, %r1}];");

	struct capture text = capture_begin(STDERR_FILENO);
	CUresult result = fetch_run(&f, fetch_surface(a), (const float[][4]){{16, 0}}, 1, out);
	char *message = capture_end(&text);

	assert_int_equal(result, CUDA_ERROR_ILLEGAL_ADDRESS);
	assert_non_null(strstr(message, "surface access outside the surface: byte 16, row 0, slice 0"));
	free(message);
	OK(cuCtxDestroy(c));
}

static void reductions(void **state)
{
	CUcontext c = begin();
	CUarray a = blank(CU_AD_FORMAT_UNSIGNED_INT32, 1, 0, 0, 0);
	uint32_t want[W] = {0};

	(void)state;
	want[1] = 1 + 2 + 3;
	expect_array("sured.b.add.1d.u32.trap [%t, {4}], %r0;", a, (const float[][4]){{1}, {2}, {3}}, 3, want, 16, 1,
		     1);
	want[1] = 7;
	expect_array("sured.b.max.1d.u32.trap [%t, {4}], %r0;", a, (const float[][4]){{7}, {5}}, 2, want, 16, 1, 1);
	want[1] = 4;
	expect_array("sured.b.min.1d.u32.trap [%t, {4}], %r0;", a, (const float[][4]){{9}, {4}}, 2, want, 16, 1, 1);
	want[1] = 12;
	expect_array("sured.b.or.1d.b32.clamp [%t, {4}], %r0;", a, (const float[][4]){{8}}, 1, want, 16, 1, 1);
	want[1] = 8;
	expect_array("sured.b.and.1d.b32.zero [%t, {4}], %r0;", a, (const float[][4]){{10}}, 1, want, 16, 1, 1);
	/* counted in samples, and as signed as the format */
	a = blank(CU_AD_FORMAT_SIGNED_INT32, 1, 0, 0, 0);
	want[1] = (uint32_t)-3;
	expect_array("sured.p.min.1d.b32.trap [%t, {1}], %r0;", a, (const float[][4]){{5}, {-3}}, 2, want, 16, 1, 1);
	a = blank(CU_AD_FORMAT_UNSIGNED_INT32, 2, 0, 0, 0);
	expect_array("cvt.s64.s32 %d0, %r0; sured.b.add.1d.u64.trap [%t, {8}], %d0;", a,
		     (const float[][4]){{1}, {-2}}, 2, (uint64_t[]){0, UINT64_MAX, 0, 0}, 32, 1, 1);
	OK(cuCtxDestroy(c));
}

static void formatted_stores(void **state)
{
	static const char body[] = "sust.p.1d.v4.b32.trap [%t, {1}], {%f0, %f1, %f2, %f3};";
	CUcontext c = begin();

	(void)state;
	expect_array(body, blank(CU_AD_FORMAT_HALF, 2, 0, 0, 0), (const float[][4]){{1, -2, 3, 4}}, 1,
		     (uint16_t[]){0, 0, 0x3c00, 0xc000, 0, 0, 0, 0}, 16, 1, 1);
	expect_array(body, blank(CU_AD_FORMAT_FLOAT, 4, 0, 0, 0), (const float[][4]){{1, -2, 3, 4}}, 1,
		     (float[16]){0, 0, 0, 0, 1, -2, 3, 4}, 64, 1, 1);
	expect_array("sust.p.1d.v2.b32.trap [%t, {2}], {%r0, %r1};", blank(CU_AD_FORMAT_UNSIGNED_INT8, 2, 0, 0, 0),
		     (const float[][4]){{200, 3}}, 1, (uint8_t[]){0, 0, 0, 0, 200, 3, 0, 0}, 8, 1, 1);
	OK(cuCtxDestroy(c));
}

static void queries(void **state)
{
	CUcontext c = begin();

	(void)state;
	fetch_expect("",
		     "suq.width.b32 %o0, [%t]; suq.height.b32 %o1, [%t]; suq.array_size.b32 %o2, [%t];\n"
		     "suq.channel_data_type.b32 %o3, [%t];",
		     fetch_surface(blank(CU_AD_FORMAT_FLOAT, 1, H, 2, CUDA_ARRAY3D_LAYERED)), (const float[][4]){{0}},
		     (uint32_t[][4]){{W, H, 2, 0x10DE}}, 1);
	OK(cuCtxDestroy(c));
}

static void needs_the_flag(void **state)
{
	const CUDA_ARRAY_DESCRIPTOR d = {4, 4, CU_AD_FORMAT_FLOAT, 1};
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
	CUcontext c = begin();
	CUsurfObject s;

	(void)state;
	OK(cuArrayCreate(&r.res.array.hArray, &d));
	assert_int_equal(cuSurfObjectCreate(&s, &r), CUDA_ERROR_INVALID_VALUE);
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(geometries), cmocka_unit_test(widths), cmocka_unit_test(out_of_range),
		cmocka_unit_test(reductions), cmocka_unit_test(formatted_stores), cmocka_unit_test(queries),
		cmocka_unit_test(needs_the_flag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
