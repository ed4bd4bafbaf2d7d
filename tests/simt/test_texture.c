/* test_texture.c - texture fetches, filters, address modes, queries; surfaces. */
#include "rig.h"

#include "simt/texture.h"

enum { W = 4, H = 3 };

static struct simt_tex_desc image(const struct rig *r, enum simt_texel texel, uint8_t channels)
{
	return (struct simt_tex_desc){.image[0] = {r->out + 8192, 64, 1024, W, H, 1},
				      .levels = 1,
				      .channels = channels,
				      .texel = (uint8_t)texel,
				      .sampler = {.address = {SIMT_TEX_CLAMP, SIMT_TEX_CLAMP, SIMT_TEX_CLAMP},
						  .lod_max = SIMT_TEX_LEVELS_MAX}};
}

/* Runs k(out, handle); floats at out + 8192 are 10 * y + x. */
static bool run(struct rig *r, const struct simt_tex_desc *d, uint32_t block)
{
	struct simt_textures *t = simt_textures_new();
	uint64_t params[2] = {r->out, simt_texture_create(t, d)};

	if (!rig_build(r, "k"))
		fail_msg("%s", r->errors);
	memcpy(r->params, params, sizeof(params));
	r->launch = (struct simt_launch){.program = r->program,
					 .mem = r->mem,
					 .textures = t,
					 .grid = {1, 1, 1},
					 .block = {block, 1, 1},
					 .params = r->params};
	assert_true(simt_launch_begin(&r->launch, 4, &r->diag));
	bool ok = simt_run_functional(&r->launch, &r->warp_instructions, &r->thread_instructions, NULL);

	simt_launch_end(&r->launch);
	simt_textures_free(t);
	return ok;
}

static void fill(struct rig *r)
{
	for (uint32_t y = 0; y < H; y++)
		for (uint32_t x = 0; x < W; x++)
			((float *)r->words)[2048 + y * 16 + x] = (float)(10 * y + x);
}

#define KERNEL(body)                                                                                                  \
	RIG_HEAD ".visible .entry k(.param .u64 out, .param .u64 h) { .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 " \
		 "%rd<9>;\n"                                                                                          \
		 ".reg .pred %p<4>; .reg .b16 %h<9>; ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [h]; mov.u32 %r1, " \
		 "%tid.x;\n"                                                                                          \
		 "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3; cvt.rn.f32.u32 %f1, %r1;\n" body "\nret; }\n"

#define FETCH KERNEL("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f1, %f1}]; st.global.f32 [%rd3], %f4;")

static void expect_fetch(const struct simt_tex_sampler *change, const float *want, uint32_t n)
{
	struct rig r;

	rig_open(&r, FETCH);
	fill(&r);
	struct simt_tex_desc d = image(&r, SIMT_TEXEL_F32, 1);

	d.sampler = *change;
	assert_true(run(&r, &d, n));
	for (uint32_t i = 0; i < n; i++)
		if (((float *)r.words)[i] != want[i])
			fail_msg("thread %u: %g, expected %g", i, ((float *)r.words)[i], want[i]);
	rig_close(&r);
}

static void test_filters_and_modes(void **state)
{
	(void)state;
	/* (0,0) (1,1) (2,2) (3,3): clamped to row 2, (4,4): column 3 */
	expect_fetch(&(struct simt_tex_sampler){.address = {1, 1, 1}}, (float[]){0, 11, 22, 23, 23}, 5);
	expect_fetch(&(struct simt_tex_sampler){.address = {3, 3, 3}}, (float[]){0, 11, 22, 0, 0}, 5);
	/* At a texel corner the four neighbours count equally: mean of (0,0) (1,0) (0,1) (1,1) = 5.5 */
	expect_fetch(&(struct simt_tex_sampler){.address = {1, 1, 1}, .is_linear_filter = true},
		     (float[]){0, 5.5f, 16.5f, 22.5f}, 4);
	/* normalised: every integer is the whole texture again */
	expect_fetch(&(struct simt_tex_sampler){.address = {0, 0, 0}, .is_normalized = true}, (float[]){0, 0, 0}, 3);
	expect_fetch(&(struct simt_tex_sampler){.address = {2, 2, 2}, .is_normalized = true},
		     (float[]){0, 23, 0, 23}, 4);
}

static void test_integers_and_normalised_bytes(void **state)
{
	static const char text[] =
	    KERNEL("tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {%r1, 1}];\n"
		   "st.global.v4.u32 [%rd1+64], {%r4, %r5, %r6, %r7};\n"
		   "txq.width.b32 %r8, [%rd2]; txq.height.b32 %r9, [%rd2]; st.global.v2.u32 [%rd1], {%r8, %r9};");
	struct rig r;

	(void)state;
	rig_open(&r, text);
	struct simt_tex_desc d = image(&r, SIMT_TEXEL_U8, 2);
	uint8_t *row = (uint8_t *)(uintptr_t)(d.image[0].addr + d.image[0].pitch_bytes);

	row[0] = 255;
	row[1] = 51;
	d.is_integer_read = true;
	assert_true(run(&r, &d, 1));
	assert_memory_equal(&r.words[16], ((uint32_t[]){255, 51, 0, 1}), 16);
	assert_memory_equal(r.words, ((uint32_t[]){W, H}), 8);
	d.is_integer_read = false;
	assert_true(run(&r, &d, 1));
	assert_memory_equal(&r.words[16], ((float[]){1.0f, 0.2f, 0.0f, 1.0f}), 16);
	rig_close(&r);
}

static void test_gather(void **state)
{
	static const char text[] =
	    KERNEL("mov.f32 %f2, 0f40000000; tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f2, %f2}];\n"
		   "st.global.v4.f32 [%rd1], {%f4, %f5, %f6, %f7};");
	struct rig r;

	(void)state;
	rig_open(&r, text);
	fill(&r);
	struct simt_tex_desc d = image(&r, SIMT_TEXEL_F32, 1);

	assert_true(run(&r, &d, 1));
	assert_memory_equal(r.words, ((float[]){21, 22, 12, 11}), 16);
	rig_close(&r);
}

static void test_surfaces(void **state)
{
	static const char text[] = KERNEL("shl.b32 %r2, %r1, 2; sust.b.2d.b32.zero [%rd2, {%r2, 2}], {%r1}; "
					  "suld.b.2d.b32.clamp %r3, [%rd2, {%r2, 7}];\n"
					  "st.global.u32 [%rd3], %r3; suld.b.2d.b32.zero %r3, [%rd2, {%r2, 3}]; "
					  "add.u32 %r3, %r3, 9; st.global.u32 [%rd3+64], %r3;");
	static const char trap[] = KERNEL("mov.u32 %r2, 16; suld.b.2d.b32.trap %r3, [%rd2, {%r2, 0}];");
	struct rig r;

	(void)state;
	rig_open(&r, text);
	struct simt_tex_desc d = image(&r, SIMT_TEXEL_U32, 1);

	assert_true(run(&r, &d, 6));
	assert_memory_equal(r.words, ((uint32_t[]){0, 1, 2, 3, 3, 3}), 24);
	assert_memory_equal(&r.words[16], ((uint32_t[]){9, 9, 9, 9, 9, 9}), 24);
	rig_close(&r);
	rig_open(&r, trap);
	assert_false(run(&r, &d, 1));
	assert_non_null(strstr(r.launch.fault.text,
			       "surface access outside the surface: byte 16, row 0, slice 0 of 4 x 3 x 1 texels"));
	rig_close(&r);
}

static void test_texture_reference_and_bad_handle(void **state)
{
	static const char text[] = RIG_HEAD
	    ".global .texref ref;\n"
	    ".visible .entry k(.param .u64 out, .param .u64 h) { .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"
	    "ld.param.u64 %rd1, [out]; mov.u32 %r1, 2; tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [ref, {%r1}];\n"
	    "st.global.f32 [%rd1], %f1; ret; }\n";
	struct rig r;
	uint64_t addr, size;

	(void)state;
	rig_open(&r, text);
	fill(&r);
	struct simt_tex_desc d = image(&r, SIMT_TEXEL_F32, 1);

	assert_true(simt_module_var(r.module, "ref", &addr, &size));
	assert_false(run(&r, &d, 1));
	assert_non_null(strstr(r.launch.fault.text, "reference 'ref' is not bound to a texture or surface"));
	*(uint64_t *)(uintptr_t)addr = 1;
	assert_true(run(&r, &d, 1));
	assert_true(*(float *)r.words == 2.0f);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_filters_and_modes),
	    cmocka_unit_test(test_integers_and_normalised_bytes),
	    cmocka_unit_test(test_gather),
	    cmocka_unit_test(test_surfaces),
	    cmocka_unit_test(test_texture_reference_and_bad_handle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
