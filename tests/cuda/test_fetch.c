/* test_fetch.c - what kernels read through textures: every geometry, filter and address mode, by value.
 *
 * The expected values follow from the CUDA C++ Programming Guide (Texture Fetching, Texture Gather, Cubemap Textures).
 */
#include "fetch.h"

enum { W = 4, H = 3, D = 2 };

#define OUT4 "mov.b32 %o0, %f4; mov.b32 %o1, %f5; mov.b32 %o2, %f6; mov.b32 %o3, %f7;"

/* Texel (x, y, z) of a W x H x slices image is 100 z + 10 y + x. */
static CUarray numbered(size_t height, size_t depth, unsigned int flags)
{
	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = W, .Height = height, .Depth = depth, .Format = CU_AD_FORMAT_FLOAT,
					   .NumChannels = 1, .Flags = flags};
	const size_t rows = height ? height : 1, slices = depth ? depth : 1;
	float texels[8 * H * W];

	for (size_t z = 0; z < slices; z++)
		for (size_t y = 0; y < rows; y++)
			for (size_t x = 0; x < W; x++)
				texels[(z * rows + y) * W + x] = (float)(100 * z + 10 * y + x);
	return fetch_array(&d, texels);
}

static CUDA_TEXTURE_DESC sampling(CUaddress_mode mode, CUfilter_mode filter, unsigned int flags)
{
	return (CUDA_TEXTURE_DESC){.addressMode = {mode, mode, mode}, .filterMode = filter, .flags = flags,
				   .maxMipmapLevelClamp = 15};
}

/* One result per thread, channels 1 to 3 as a one-channel texture has them. */
static void expect1(const char *body, CUtexObject t, const float in[][4], const float *want, unsigned int count)
{
	float all[FETCH_MAX][4];

	for (unsigned int i = 0; i < count; i++)
		memcpy(all[i], (float[]){want[i], 0, 0, 1}, 16);
	fetch_expect("", body, t, in, all, count);
}

static void geometries(void **state)
{
	const CUDA_TEXTURE_DESC point = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
	CUcontext c = begin();

	(void)state;
	expect1("tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0}];" OUT4, fetch_texture(numbered(0, 0, 0), &point),
		(const float[][4]){{0}, {1.5f}, {3.9f}, {9}, {-2}}, (float[]){0, 1, 3, 3, 0}, 5);
	expect1("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];" OUT4,
		fetch_texture(numbered(H, 0, 0), &point),
		(const float[][4]){{0, 0}, {2.5f, 1.5f}, {7, 7}}, (float[]){0, 12, 23}, 3);
	expect1("tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1, %f2, %f3}];" OUT4,
		fetch_texture(numbered(H, D, 0), &point),
		(const float[][4]){{0, 0, 1.5f}, {2, 1, 0.5f}, {3, 2, 9}}, (float[]){100, 12, 123}, 3);
	expect1("tex.a1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%r1, %f0}];" OUT4,
		fetch_texture(numbered(0, 2, CUDA_ARRAY3D_LAYERED), &point),
		(const float[][4]){{1.5f, 0}, {2.5f, 1}, {2.5f, 7}}, (float[]){1, 102, 102}, 3);
	expect1("tex.a2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%r2, %f0, %f1, %f1}];" OUT4,
		fetch_texture(numbered(H, 3, CUDA_ARRAY3D_LAYERED), &point),
		(const float[][4]){{1.5f, 2.5f, 0}, {0, 1, 2}, {9, 9, 9}}, (float[]){21, 210, 223}, 3);
	expect1("tex.2d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%t, {%r0, %r1}];" OUT4,
		fetch_texture(numbered(H, 0, 0), &point),
		(const float[][4]){{3, 2}, {1, 0}, {-1, 5}}, (float[]){23, 1, 20}, 3);
	OK(cuCtxDestroy(c));
}

static void offsets(void **state)
{
	const CUDA_TEXTURE_DESC point = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
	CUcontext c = begin();
	CUtexObject t = fetch_texture(numbered(H, 0, 0), &point);

	(void)state;
	expect1("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}], {1, -1};" OUT4, t,
		(const float[][4]){{0, 1}, {2.5f, 2.5f}, {3, 0}}, (float[]){1, 13, 3}, 3);
	expect1("tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}], %f2, {-2, 1};" OUT4, t,
		(const float[][4]){{2, 1, 0}}, (float[]){20}, 1);
	expect1("tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0}], 2;" OUT4,
		fetch_texture(numbered(0, 0, 0), &point), (const float[][4]){{0}, {1}, {3}}, (float[]){2, 3, 3}, 3);
	expect1("tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1, %f2, %f2}], {1, 1, 1, 0};" OUT4,
		fetch_texture(numbered(H, D, 0), &point), (const float[][4]){{0, 0, 0}}, (float[]){111}, 1);
	OK(cuCtxDestroy(c));
}

static void address_modes(void **state)
{
	static const char body[] = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];" OUT4;
	/* normalised: x in quarters, y in the middle of row 0 */
	static const float in[][4] = {{-0.375f, 0.1f}, {-0.125f, 0.1f}, {0.125f, 0.1f}, {0.875f, 0.1f}, {1.125f, 0.1f},
				      {1.375f, 0.1f}, {2.125f, 0.1f}};
	CUcontext c = begin();
	CUarray a = numbered(H, 0, 0);
	CUDA_TEXTURE_DESC d = sampling(CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT,
				       CU_TRSF_NORMALIZED_COORDINATES);

	(void)state;
	expect1(body, fetch_texture(a, &d), in, (float[]){2, 3, 0, 3, 0, 1, 0}, 7);
	d.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR;
	expect1(body, fetch_texture(a, &d), in, (float[]){1, 0, 0, 3, 3, 2, 0}, 7);
	d.addressMode[0] = CU_TR_ADDRESS_MODE_CLAMP;
	expect1(body, fetch_texture(a, &d), in, (float[]){0, 0, 0, 3, 3, 3, 3}, 7);
	/* wrap and mirror need normalised coordinates */
	d = sampling(CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT, 0);
	expect1(body, fetch_texture(a, &d), (const float[][4]){{5, 0}, {-3, 1}}, (float[]){3, 10}, 2);
	OK(cuCtxDestroy(c));
}

static void border(void **state)
{
	static const char body[] = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];" OUT4;
	CUDA_TEXTURE_DESC d = sampling(CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, 0);
	CUcontext c = begin();
	CUarray a = numbered(H, 0, 0);

	(void)state;
	fetch_expect("", body, fetch_texture(a, &d), (const float[][4]){{-1, 0}, {1, 1}, {0, 3}},
		     (float[][4]){{0, 0, 0, 1}, {11, 0, 0, 1}, {0, 0, 0, 1}}, 3);
	memcpy(d.borderColor, (float[]){0.5f, 0.25f, 2, 4}, 16);
	fetch_expect("", body, fetch_texture(a, &d), (const float[][4]){{-1, 0}, {1, 1}, {0, 3}},
		     (float[][4]){{0.5f, 0, 0, 1}, {11, 0, 0, 1}, {0.5f, 0, 0, 1}}, 3);
	/* half of texel (0, 0), half of the border */
	d.filterMode = CU_TR_FILTER_MODE_LINEAR;
	d.borderColor[0] = 64;
	fetch_expect("", body, fetch_texture(a, &d), (const float[][4]){{0, 1.5f}, {0, 0}},
		     (float[][4]){{(64 + 10) / 2.0f, 0, 0, 1}, {48, 0, 0, 1}}, 2);
	OK(cuCtxDestroy(c));
}

static void linear_filter(void **state)
{
	CUDA_TEXTURE_DESC d = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0);
	CUcontext c = begin();

	(void)state;
	expect1("tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0}];" OUT4, fetch_texture(numbered(0, 0, 0), &d),
		(const float[][4]){{0}, {0.5f}, {1}, {1.25f}, {3.75f}, {2.00390625f}, {2.001953125f}},
		(float[]){0, 0, 0.5f, 0.75f, 3, 1.50390625f, 1.50390625f}, 6);
	expect1("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];" OUT4, fetch_texture(numbered(H, 0, 0), &d),
		(const float[][4]){{1, 1}, {2.75f, 1.5f}, {0, 2}}, (float[]){5.5f, 12.25f, 15}, 3);
	expect1("tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1, %f2, %f2}];" OUT4,
		fetch_texture(numbered(H, D, 0), &d), (const float[][4]){{1, 1, 1}, {1.5f, 1.5f, 0.75f}},
		(float[]){55.5f, 36}, 2);
	expect1("tex.a2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%r2, %f0, %f1, %f1}];" OUT4,
		fetch_texture(numbered(H, 2, CUDA_ARRAY3D_LAYERED), &d), (const float[][4]){{1, 1, 1}},
		(float[]){105.5f}, 1);
	d.flags = CU_TRSF_NORMALIZED_COORDINATES;
	d.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
	expect1("tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0}];" OUT4, fetch_texture(numbered(0, 0, 0), &d),
		(const float[][4]){{0}, {0.125f}, {1}}, (float[]){1.5f, 0, 1.5f}, 3);
	OK(cuCtxDestroy(c));
}

/* Formats: integers as they are and normalised, halves, one to four channels. */
static void formats(void **state)
{
	static const char f[] = "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%t, {%r0}];" OUT4;
	static const char u[] = "tex.1d.v4.u32.s32 {%o0, %o1, %o2, %o3}, [%t, {%r0}];";
	static const char s[] = "tex.1d.v4.s32.s32 {%o0, %o1, %o2, %o3}, [%t, {%r0}];";
	static const float in[][4] = {{0}, {1}};
	CUDA_TEXTURE_DESC as_float = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
	CUDA_TEXTURE_DESC as_int = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER);
	CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 2, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 4};
	CUcontext c = begin();
	CUarray a = fetch_array(&d, (uint8_t[]){0, 51, 102, 255, 1, 2, 3, 4});

	(void)state;
	fetch_expect("", u, fetch_texture(a, &as_int), in, (uint32_t[][4]){{0, 51, 102, 255}, {1, 2, 3, 4}}, 2);
	fetch_expect("", f, fetch_texture(a, &as_float), in,
		     (float[][4]){{0, 0.2f, 0.4f, 1}, {1 / 255.0f, 2 / 255.0f, 3 / 255.0f, 4 / 255.0f}}, 2);
	d.Format = CU_AD_FORMAT_SIGNED_INT8;
	a = fetch_array(&d, (int8_t[]){-128, -127, 127, -1, 1, 2, 3, 4});
	fetch_expect("", s, fetch_texture(a, &as_int), in, (int32_t[][4]){{-128, -127, 127, -1}, {1, 2, 3, 4}}, 2);
	fetch_expect("", f, fetch_texture(a, &as_float), in,
		     (float[][4]){{-1, -1, 1, -1 / 127.0f}, {1 / 127.0f, 2 / 127.0f, 3 / 127.0f, 4 / 127.0f}}, 2);
	d.Format = CU_AD_FORMAT_SIGNED_INT16;
	d.NumChannels = 2;
	a = fetch_array(&d, (int16_t[]){-32768, 32767, 5, -6});
	fetch_expect("", s, fetch_texture(a, &as_int), in, (int32_t[][4]){{-32768, 32767, 0, 1}, {5, -6, 0, 1}}, 2);
	d.Format = CU_AD_FORMAT_UNSIGNED_INT32;
	d.NumChannels = 1;
	a = fetch_array(&d, (uint32_t[]){4000000000u, 7});
	fetch_expect("", u, fetch_texture(a, &as_int), in, (uint32_t[][4]){{4000000000u, 0, 0, 1}, {7, 0, 0, 1}}, 2);
	d.Format = CU_AD_FORMAT_HALF;
	d.NumChannels = 2;
	a = fetch_array(&d, (uint16_t[]){0x3c00, 0xc000, 0x0001, 0x7bff});
	fetch_expect("", f, fetch_texture(a, &as_float), in,
		     (float[][4]){{1, -2, 0, 1}, {0x1p-24f, 65504, 0, 1}}, 2);
	OK(cuCtxDestroy(c));
}

/* Results as halves: four registers, or two with a pair each. */
static void half_results(void **state)
{
	CUDA_TEXTURE_DESC td = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 2, .Height = 1, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4};
	CUcontext c = begin();
	CUtexObject t = fetch_texture(fetch_array(&d, (float[]){1, -2, 0.1f, 65504, 0, 0.5f, 3, 1e6f}), &td);

	(void)state;
	fetch_expect("", "tex.2d.v2.f16x2.f32 {%o0, %o1}, [%t, {%f0, %f1}];", t, (const float[][4]){{0}, {1}},
		     (uint32_t[][4]){{0xc0003c00, 0x7bff2e66, 0, 0}, {0x38000000, 0x7c004200, 0, 0}}, 2);
	fetch_expect("",
		     "tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%t, {%f0, %f1}]; mov.b32 %o0, {%h0, %h1};"
		     "mov.b32 %o1, {%h2, %h3};",
		     t, (const float[][4]){{0}}, (uint32_t[][4]){{0xc0003c00, 0x7bff2e66, 0, 0}}, 1);
	OK(cuCtxDestroy(c));
}

static void gather(void **state)
{
	CUDA_TEXTURE_DESC td = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
	CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 2, .Height = 2, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 2,
				     .Flags = CUDA_ARRAY3D_TEXTURE_GATHER};
	CUcontext c = begin();
	CUtexObject t = fetch_texture(numbered(H, 0, CUDA_ARRAY3D_TEXTURE_GATHER), &td);

	(void)state;
	fetch_expect("", "tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];" OUT4, t,
		     (const float[][4]){{1, 1}, {2.25f, 2.5f}}, (float[][4]){{10, 11, 1, 0}, {22 - 1, 22, 22, 21}}, 2);
	fetch_expect("", "tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}], {1, 1};" OUT4, t,
		     (const float[][4]){{1, 1}}, (float[][4]){{21, 22, 12, 11}}, 1);
	t = fetch_texture(fetch_array(&d, (float[]){1, 2, 3, 4, 5, 6, 7, 8}), &td);
	fetch_expect("", "tld4.g.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];" OUT4, t,
		     (const float[][4]){{1, 1}}, (float[][4]){{6, 8, 4, 2}}, 1);
	fetch_expect("", "tld4.a.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];" OUT4, t,
		     (const float[][4]){{1, 1}}, (float[][4]){{1, 1, 1, 1}}, 1);
	OK(cuCtxDestroy(c));
}

/* Face f of cube n holds 1000 n + 100 f + 10 y + x. */
static CUarray cubes(size_t count)
{
	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 4, .Height = 4, .Depth = 6 * count, .Format = CU_AD_FORMAT_FLOAT,
					   .NumChannels = 1,
					   .Flags = CUDA_ARRAY3D_CUBEMAP | (count > 1 ? CUDA_ARRAY3D_LAYERED : 0)};
	float texels[2 * 6 * 16];

	for (size_t i = 0; i < 6 * count * 16; i++)
		texels[i] = (float)(i / 96 * 1000 + i / 16 % 6 * 100 + i / 4 % 4 * 10 + i % 4);
	return fetch_array(&d, texels);
}

static void cube_maps(void **state)
{
	CUDA_TEXTURE_DESC td = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT,
					CU_TRSF_NORMALIZED_COORDINATES);
	/* s = 0.6, t = 0.2 on each face: column 2 or 3, row 1 or 2 */
	static const float in[][4] = {{1, -0.2f, -0.6f}, {-1, -0.2f, 0.6f}, {0.6f, 1, 0.2f}, {0.6f, -1, -0.2f},
				      {0.6f, -0.2f, 1}, {-0.6f, -0.2f, -1}, {-2, 1.9f, 0.1f}};
	static const float want[] = {23, 123, 223, 323, 423, 523, 102};
	CUcontext c = begin();

	(void)state;
	expect1("tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1, %f2, %f2}];" OUT4,
		fetch_texture(cubes(1), &td), in, want, 7);
	expect1("tex.acube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%r3, %f0, %f1, %f2}];" OUT4,
		fetch_texture(cubes(2), &td), (const float[][4]){{1, -0.2f, -0.6f, 1}, {0.6f, -0.2f, 1, 0}},
		(float[]){1023, 423}, 2);
	td.filterMode = CU_TR_FILTER_MODE_LINEAR;
	expect1("tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1, %f2, %f2}];" OUT4,
		fetch_texture(cubes(1), &td), (const float[][4]){{0, 0, 1}, {0.5f, 0, 1}},
		(float[]){400 + 16.5f, 400 + 17.5f}, 2);
	OK(cuCtxDestroy(c));
}

/* Level l of an 8 x 8 texture holds 1000 l + x. */
static CUtexObject mipmapped(CUfilter_mode filter, CUfilter_mode mip, float bias, float least, float most)
{
	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 8, .Height = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
	CUDA_TEXTURE_DESC td = sampling(CU_TR_ADDRESS_MODE_CLAMP, filter, CU_TRSF_NORMALIZED_COORDINATES);
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
	CUtexObject t;

	OK(cuMipmappedArrayCreate(&r.res.mipmap.hMipmappedArray, &d, 4));
	for (unsigned int l = 0; l < 4; l++) {
		CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .dstMemoryType = CU_MEMORYTYPE_ARRAY};
		CUDA_ARRAY3D_DESCRIPTOR level;
		float texels[64];

		OK(cuMipmappedArrayGetLevel(&copy.dstArray, r.res.mipmap.hMipmappedArray, l));
		OK(cuArray3DGetDescriptor(&level, copy.dstArray));
		assert_int_equal(level.Width, 8u >> l);
		assert_int_equal(level.Height, 8 >> l);
		for (unsigned int i = 0; i < 64u >> 2 * l; i++)
			texels[i] = (float)(1000 * l + i % (8u >> l));
		copy.srcHost = texels;
		copy.srcPitch = copy.WidthInBytes = 4 * level.Width;
		copy.Height = level.Height;
		OK(cuMemcpy2D(&copy));
	}
	td.mipmapFilterMode = mip;
	td.mipmapLevelBias = bias;
	td.minMipmapLevelClamp = least;
	td.maxMipmapLevelClamp = most;
	OK(cuTexObjectCreate(&t, &r, &td, NULL));
	return t;
}

static void mipmaps(void **state)
{
	static const char level[] = "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}], %f2;" OUT4;
	static const char grad[] = "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}], {%f2, 0f00000000}, "
				   "{0f00000000, %f3};" OUT4;
	static const float in[][4] = {{0.3f, 0, 0}, {0.3f, 0, 1}, {0.3f, 0, 1.25f}, {0.3f, 0, 1.75f}, {0.9f, 0, 3},
				      {0.3f, 0, 9}, {0.3f, 0, -1}};
	CUcontext c = begin();
	CUtexObject t = mipmapped(CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_POINT, 0, 0, 15);

	(void)state;
	expect1(level, t, in, (float[]){2, 1001, 1001, 2000, 3000, 3000, 2}, 7);
	expect1("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];" OUT4, t, in, (float[]){2}, 1);
	expect1("tex.base.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];" OUT4, t, in, (float[]){2}, 1);
	/* steps of 1/8, 2/8, 1/2 and 1 of the texture: levels 0, 1, 2 and 3 */
	expect1(grad, t, (const float[][4]){{0.3f, 0, 0.125f, 0}, {0.3f, 0, 0.125f, 0.25f}, {0.3f, 0, 0.5f, 0.125f},
					    {0.3f, 0, 0, 1}}, (float[]){2, 1001, 2000, 3000}, 4);
	expect1(level, mipmapped(CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_POINT, 0, 1, 2), in,
		(float[]){1001, 1001, 1001, 2000, 2001, 2000, 1001}, 7);
	expect1(level, mipmapped(CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_POINT, 1, 0, 15), in,
		(float[]){1001, 2000, 2000, 3000, 3000, 3000, 2}, 7);
	expect1(level, mipmapped(CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR, 0, 0, 15), in,
		(float[]){2, 1001, 1250.75f, 1750.25f, 3000, 3000, 2}, 7);
	fetch_expect("",
		     "txq.level.width.b32 %o0, [%t], %r0; txq.level.height.b32 %o1, [%t], %r0;\n"
		     "txq.num_mipmap_levels.b32 %o2, [%t];",
		     t, (const float[][4]){{0}, {2}}, (uint32_t[][4]){{8, 8, 4, 0}, {2, 2, 4, 0}}, 2);
	OK(cuCtxDestroy(c));
}

static void srgb(void **state)
{
	CUDA_TEXTURE_DESC td = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_SRGB);
	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 2, .Height = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT8,
					   .NumChannels = 4};
	CUcontext c = begin();
	CUtexObject t = fetch_texture(fetch_array(&d, (uint8_t[]){0, 255, 188, 128, 10, 11, 55, 255}), &td);
	struct fetch f;
	float got[2][4];

	(void)state;
	fetch_load(&f, "", "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];" OUT4);
	OK(fetch_run(&f, t, (const float[][4]){{0}, {1}}, 2, got));
	assert_true(got[0][0] == 0 && got[0][1] == 1 && got[0][3] == 128 / 255.0f);
	/* IEC 61966-2-1: 188 is 0.5028, 10 is on the line, 11 and 55 are on the curve */
	assert_true(got[0][2] > 0.502f && got[0][2] < 0.504f);
	assert_true(got[1][0] > 0.00302f && got[1][0] < 0.00305f);
	assert_true(got[1][1] > 0.00333f && got[1][1] < 0.00336f);
	assert_true(got[1][2] > 0.0381f && got[1][2] < 0.0383f);
	OK(cuCtxDestroy(c));
}

static void views(void **state)
{
	CUDA_TEXTURE_DESC td = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER);
	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 2, .Height = 1, .Depth = 3, .Format = CU_AD_FORMAT_UNSIGNED_INT32,
					   .NumChannels = 1, .Flags = CUDA_ARRAY3D_LAYERED};
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
	CUDA_RESOURCE_VIEW_DESC v = {.format = CU_RES_VIEW_FORMAT_UINT_4X8, .width = 2, .height = 1, .depth = 3,
				     .firstLayer = 1, .lastLayer = 2}, back;
	CUcontext c = begin();
	CUtexObject t;

	(void)state;
	r.res.array.hArray = fetch_array(&d, (uint32_t[]){1, 2, 0x04030201, 4, 5, 0xfffefdfc});
	OK(cuTexObjectCreate(&t, &r, &td, &v));
	OK(cuTexObjectGetResourceViewDesc(&back, t));
	assert_int_equal(back.firstLayer, 1);
	fetch_expect("", "tex.a2d.v4.u32.s32 {%o0, %o1, %o2, %o3}, [%t, {%r2, %r0, %r1, %r1}];", t,
		     (const float[][4]){{0, 0, 0}, {1, 0, 1}},
		     (uint32_t[][4]){{1, 2, 3, 4}, {0xfc, 0xfd, 0xfe, 0xff}}, 2);
	v.format = CU_RES_VIEW_FORMAT_UINT_4X16;
	assert_int_equal(cuTexObjectCreate(&t, &r, &td, &v), CUDA_ERROR_INVALID_VALUE);
	OK(cuTexObjectCreate(&t, &r, &td, NULL));
	assert_int_equal(cuTexObjectGetResourceViewDesc(&back, t), CUDA_ERROR_INVALID_VALUE);
	OK(cuCtxDestroy(c));
}

static void linear_memory(void **state)
{
	CUDA_TEXTURE_DESC td = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR};
	CUcontext c = begin();
	CUtexObject t;

	(void)state;
	OK(cuMemAlloc(&r.res.linear.devPtr, 64));
	OK(cuMemcpyHtoD(r.res.linear.devPtr, ((float[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}), 64));
	r.res.linear.format = CU_AD_FORMAT_FLOAT;
	r.res.linear.numChannels = 4;
	r.res.linear.sizeInBytes = 48;
	OK(cuTexObjectCreate(&t, &r, &td, NULL));
	/* 3 elements; beyond them and before them zeros */
	fetch_expect("", "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%t, {%r0}];" OUT4, t,
		     (const float[][4]){{0}, {2}, {3}, {-1}},
		     (float[][4]){{1, 2, 3, 4}, {9, 10, 11, 12}, {0, 0, 0, 0}, {0, 0, 0, 0}}, 4);
	/* Longer than the memory: what is fetched decides. */
	r.res.linear.sizeInBytes = 1 << 20;
	OK(cuTexObjectCreate(&t, &r, &td, NULL));
	fetch_expect("", "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%t, {%r0}];" OUT4, t, (const float[][4]){{3}},
		     (float[][4]){{13, 14, 15, 16}}, 1);
	OK(cuCtxDestroy(c));
}

static void queries(void **state)
{
	CUDA_TEXTURE_DESC td = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
	CUcontext c = begin();

	(void)state;
	fetch_expect("",
		     "txq.width.b32 %o0, [%t]; txq.height.b32 %o1, [%t]; txq.depth.b32 %o2, [%t];\n"
		     "txq.channel_order.b32 %o3, [%t];",
		     fetch_texture(numbered(H, D, 0), &td), (const float[][4]){{0}},
		     (uint32_t[][4]){{W, H, D, 0x10B0}}, 1);
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(geometries), cmocka_unit_test(offsets), cmocka_unit_test(address_modes),
		cmocka_unit_test(border), cmocka_unit_test(linear_filter), cmocka_unit_test(formats),
		cmocka_unit_test(half_results), cmocka_unit_test(gather), cmocka_unit_test(cube_maps),
		cmocka_unit_test(mipmaps), cmocka_unit_test(srgb), cmocka_unit_test(views),
		cmocka_unit_test(linear_memory), cmocka_unit_test(queries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
