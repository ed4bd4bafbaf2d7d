/* test_texref.c - texture and surface references, as programs before texture objects use them; separate samplers. */
#include "fetch.h"

enum { W = 8, H = 4 };

#define OUT4 "mov.b32 %o0, %f4; mov.b32 %o1, %f5; mov.b32 %o2, %f6; mov.b32 %o3, %f7;"

static CUarray ramp(void)
{
	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = W, .Height = H, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1,
					   .Flags = CUDA_ARRAY3D_SURFACE_LDST};
	float texels[W * H];

	for (int i = 0; i < W * H; i++)
		texels[i] = (float)i;
	return fetch_array(&d, texels);
}

/* Runs f and compares the first result of each thread. */
static void expect(struct fetch *f, const float in[][4], const float *want, unsigned int count)
{
	float got[FETCH_MAX][4];

	OK(fetch_run(f, 0, in, count, got));
	for (unsigned int i = 0; i < count; i++)
		if (got[i][0] != want[i])
			fail_msg("thread %u: %g, expected %g", i, got[i][0], want[i]);
}

static void array(void **state)
{
	CUcontext c = begin();
	CUarray a = ramp(), back;
	struct fetch f;
	CUtexref t, again;
	CUaddress_mode mode;
	unsigned int flags;

	(void)state;
	fetch_load(&f, ".global .texref image;",
		   "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, {%f0, %f1}];" OUT4);
	assert_int_equal(cuModuleGetTexRef(&t, f.module, "nothing"), CUDA_ERROR_NOT_FOUND);
	OK(cuModuleGetTexRef(&t, f.module, "image"));
	OK(cuModuleGetTexRef(&again, f.module, "image"));
	assert_ptr_equal(t, again);
	assert_int_equal(cuTexRefGetArray(&back, t), CUDA_ERROR_INVALID_VALUE);
	OK(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefGetArray(&back, t));
	assert_ptr_equal(back, a);
	OK(cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_CLAMP));
	OK(cuTexRefSetAddressMode(t, 1, CU_TR_ADDRESS_MODE_BORDER));
	OK(cuTexRefSetBorderColor(t, (float[]){-5, 0, 0, 0}));
	OK(cuTexRefGetAddressMode(&mode, t, 1));
	assert_int_equal(mode, CU_TR_ADDRESS_MODE_BORDER);
	expect(&f, (const float[][4]){{1.5f, 2}, {99, 3}, {0, 4}}, (float[]){17, 31, -5}, 3);
	OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
	expect(&f, (const float[][4]){{2, 1.5f}}, (float[]){9.5f}, 1);
	OK(cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES));
	OK(cuTexRefGetFlags(&flags, t));
	assert_int_equal(flags, CU_TRSF_NORMALIZED_COORDINATES);
	expect(&f, (const float[][4]){{0.25f, 0.375f}}, (float[]){9.5f}, 1);
	assert_int_equal(cuTexRefSetFlags(t, 0x1000), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuTexRefDestroy(t), CUDA_ERROR_INVALID_VALUE);
	OK(cuModuleUnload(f.module));
	assert_int_equal(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_POINT), CUDA_ERROR_INVALID_HANDLE);
	OK(cuCtxDestroy(c));
}

static void memory(void **state)
{
	CUcontext c = begin();
	const CUDA_ARRAY_DESCRIPTOR d = {W, H, CU_AD_FORMAT_FLOAT, 1};
	float line[W * H];
	CUdeviceptr p, back;
	size_t offset = 7;
	struct fetch f;
	CUtexref t;

	(void)state;
	for (int i = 0; i < W * H; i++)
		line[i] = (float)(2 * i);
	OK(cuMemAlloc(&p, sizeof(line)));
	OK(cuMemcpyHtoD(p, line, sizeof(line)));
	fetch_load(&f, ".tex .u64 image;", "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [image, {%r0}];" OUT4);
	OK(cuModuleGetTexRef(&t, f.module, "image"));
	OK(cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 1));
	OK(cuTexRefSetAddress(&offset, t, p, sizeof(line)));
	assert_int_equal(offset, 0);
	OK(cuTexRefGetAddress(&back, t));
	assert_int_equal(back, p);
	expect(&f, (const float[][4]){{0}, {5}, {31}, {32}}, (float[]){0, 10, 62, 0}, 4);
	OK(cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 2));
	expect(&f, (const float[][4]){{1}, {15}, {16}}, (float[]){4, 60, 0}, 3);
	fetch_load(&f, ".global .texref rows;", "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [rows, {%f0, %f1}];" OUT4);
	OK(cuModuleGetTexRef(&t, f.module, "rows"));
	OK(cuTexRefSetAddress2D(t, &d, p, W * 4));
	expect(&f, (const float[][4]){{3, 2}}, (float[]){38}, 1);
	OK(cuCtxDestroy(c));
}

static void unbound(void **state)
{
	CUcontext c = begin();
	float out[1][4];
	struct fetch f;

	(void)state;
	fetch_load(&f, ".global .texref image;",
		   "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, {%f0, %f1}];" OUT4);

	struct capture text = capture_begin(STDERR_FILENO);
	CUresult result = fetch_run(&f, 0, (const float[][4]){{0}}, 1, out);
	char *message = capture_end(&text);

	assert_int_equal(result, CUDA_ERROR_ILLEGAL_ADDRESS);
	assert_non_null(strstr(message, "reference 'image' is not bound"));
	free(message);
	OK(cuCtxDestroy(c));
}

static void surface(void **state)
{
	CUcontext c = begin();
	CUarray a = ramp(), back;
	float texels[W * H];
	struct fetch f;
	CUsurfref s;
	float out[2][4];

	(void)state;
	fetch_load(&f, ".global .surfref image;",
		   "shl.b32 %r0, %r0, 2; suld.b.2d.b32.trap {%o0}, [image, {%r0, %r1}];\n"
		   "sust.b.2d.b32.trap [image, {%r0, %r1}], {%f2};");
	OK(cuModuleGetSurfRef(&s, f.module, "image"));
	assert_int_equal(cuSurfRefGetArray(&back, s), CUDA_ERROR_INVALID_VALUE);
	OK(cuSurfRefSetArray(s, a, 0));
	OK(cuSurfRefGetArray(&back, s));
	assert_ptr_equal(back, a);
	OK(fetch_run(&f, 0, (const float[][4]){{1, 1, 50}, {7, 3, 60}}, 2, out));
	assert_true(out[0][0] == 9 && out[1][0] == 31);
	fetch_array_read(a, texels, W * 4, H, 1);
	assert_true(texels[9] == 50 && texels[31] == 60 && texels[10] == 10);
	OK(cuCtxDestroy(c));
}

/* .independent texturing mode: the texture's data with a sampler of the module. */
static void sampler(void **state)
{
	static const char decls[] =
		".global .samplerref near = { addr_mode_0 = clamp_to_edge, addr_mode_1 = clamp_to_edge,"
		" filter_mode = nearest, force_unnormalized_coords = 1 };\n"
		".global .samplerref smooth = { addr_mode_0 = wrap, addr_mode_1 = wrap, filter_mode = linear };";
	static const CUDA_TEXTURE_DESC td = {.flags = CU_TRSF_NORMALIZED_COORDINATES};
	CUcontext c = begin();
	CUtexObject t = fetch_texture(ramp(), &td);
	const uint32_t modes[1][4] = {{3, 0, 1, 0}};

	(void)state;
	fetch_expect(decls, "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, near, {%f0, %f1}];" OUT4, t,
		     (const float[][4]){{1.5f, 2}, {99, 3}}, (float[][4]){{17, 0, 0, 1}, {31, 0, 0, 1}}, 2);
	fetch_expect(decls, "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, smooth, {%f0, %f1}];" OUT4, t,
		     (const float[][4]){{0.25f, 0.375f}, {1.25f, 0.375f}},
		     (float[][4]){{9.5f, 0, 0, 1}, {9.5f, 0, 0, 1}}, 2);
	fetch_expect(decls,
		     "txq.addr_mode_0.b32 %o0, [near]; txq.filter_mode.b32 %o1, [near];"
		     "txq.force_unnormalized_coords.b32 %o2, [near]; txq.addr_mode_1.b32 %o3, [smooth];",
		     t, (const float[][4]){{0}}, modes, 1);
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(array), cmocka_unit_test(memory), cmocka_unit_test(unbound),
					   cmocka_unit_test(surface), cmocka_unit_test(sampler)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
