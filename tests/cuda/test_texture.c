/* test_texture.c - texture objects over arrays, lines and pitched rows, read by a kernel. */
#include "common.h"

/* out[y * 8 + x] = tex2D(t, x + 0.25, y + 0.25) for one CTA of 8 x 4. */
static const char ptx_2d[] =
	PTX_HEAD ".visible .entry k(.param .u64 t, .param .u64 out)\n"
		 "{\n .reg .b64 %rd<5>;\n .reg .b32 %r<4>;\n .reg .f32 %f<8>;\n"
		 " ld.param.u64 %rd1, [t];\n ld.param.u64 %rd2, [out];\n"
		 " mov.u32 %r1, %tid.x;\n mov.u32 %r2, %tid.y;\n"
		 " cvt.rn.f32.u32 %f1, %r1;\n cvt.rn.f32.u32 %f2, %r2;\n"
		 " add.f32 %f1, %f1, 0f3e800000;\n add.f32 %f2, %f2, 0f3e800000;\n"
		 " tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];\n"
		 " mad.lo.u32 %r3, %r2, 8, %r1;\n mul.wide.u32 %rd3, %r3, 4;\n add.u64 %rd4, %rd2, %rd3;\n"
		 " st.global.f32 [%rd4], %f3;\n ret;\n}\n";

enum { W = 8, H = 4 };

static void check_2d(const CUDA_RESOURCE_DESC *r, const float *image)
{
	const CUDA_TEXTURE_DESC td = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
				      .filterMode = CU_TR_FILTER_MODE_POINT};
	CUfunction f = kernel(ptx_2d, "k");
	CUtexObject t;
	CUdeviceptr out;
	float got[W * H];
	void *params[] = {&t, &out};
	CUDA_RESOURCE_DESC back;

	OK(cuTexObjectCreate(&t, r, &td, NULL));
	OK(cuTexObjectGetResourceDesc(&back, t));
	assert_int_equal(back.resType, r->resType);
	OK(cuMemAlloc(&out, sizeof(got)));
	OK(cuLaunchKernel(f, 1, 1, 1, W, H, 1, 0, NULL, params, NULL));
	OK(cuMemcpyDtoH(got, out, sizeof(got)));
	assert_memory_equal(got, image, sizeof(got));
	OK(cuTexObjectDestroy(t));
	assert_int_equal(cuTexObjectDestroy(t), CUDA_ERROR_INVALID_VALUE);
}

static void array_and_pitch(void **state)
{
	CUcontext c = begin();
	float image[W * H];
	CUarray a;
	CUdeviceptr d;
	size_t pitch;
	const CUDA_ARRAY_DESCRIPTOR desc = {W, H, CU_AD_FORMAT_FLOAT, 1};

	(void)state;
	for (int i = 0; i < W * H; i++)
		image[i] = (float)i * 1.5f;
	OK(cuArrayCreate(&a, &desc));

	CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = image, .srcPitch = W * 4,
			      .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = a, .WidthInBytes = W * 4, .Height = H};
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};

	OK(cuMemcpy2D(&copy));
	r.res.array.hArray = a;
	check_2d(&r, image);
	OK(cuMemAllocPitch(&d, &pitch, W * 4, H, 4));
	copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.dstDevice = d;
	copy.dstPitch = pitch;
	OK(cuMemcpy2D(&copy));
	memset(&r, 0, sizeof(r));
	r.resType = CU_RESOURCE_TYPE_PITCH2D;
	r.res.pitch2D.devPtr = d;
	r.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
	r.res.pitch2D.numChannels = 1;
	r.res.pitch2D.width = W;
	r.res.pitch2D.height = H;
	r.res.pitch2D.pitchInBytes = pitch;
	check_2d(&r, image);
	OK(cuCtxDestroy(c));
}

static void wrong_objects(void **state)
{
	CUcontext c = begin();
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR};
	CUDA_TEXTURE_DESC td = {.filterMode = CU_TR_FILTER_MODE_POINT};
	CUtexObject t;
	CUsurfObject s;

	(void)state;
	r.res.linear.devPtr = 12345;
	r.res.linear.format = CU_AD_FORMAT_FLOAT;
	r.res.linear.numChannels = 1;
	r.res.linear.sizeInBytes = 64;
	assert_int_equal(cuTexObjectCreate(&t, &r, &td, NULL), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemAlloc(&r.res.linear.devPtr, 64));
	r.res.linear.numChannels = 3;
	assert_int_equal(cuTexObjectCreate(&t, &r, &td, NULL), CUDA_ERROR_INVALID_VALUE);
	r.res.linear.numChannels = 1;
	assert_int_equal(cuTexObjectCreate(&t, &r, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	OK(cuTexObjectCreate(&t, &r, &td, NULL));
	assert_int_equal(cuSurfObjectCreate(&s, &r), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuSurfObjectDestroy(t), CUDA_ERROR_INVALID_VALUE);
	r.resType = CU_RESOURCE_TYPE_ARRAY;
	r.res.array.hArray = NULL;
	assert_int_equal(cuTexObjectCreate(&t, &r, &td, NULL), CUDA_ERROR_INVALID_HANDLE);
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(array_and_pitch), cmocka_unit_test(wrong_objects)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
