/* fetch.h - a kernel around one texture or surface instruction, for tests of what it reads and writes. */
#ifndef TESTS_CUDA_FETCH_H
#define TESTS_CUDA_FETCH_H

#include "common.h"

enum { FETCH_MAX = 32 };

/* Thread t runs `body` with %f0 to %f3 and, as integers, %r0 to %r3 = in[t], and stores %o0 to %o3 to out[t]; %t is
 * the object. `decls` stands at module scope. */
struct fetch {
	const char *decls, *body;
	CUmodule module;
	CUfunction function;
	CUdeviceptr in, out;
};

static inline void fetch_load(struct fetch *f, const char *decls, const char *body)
{
	char *ptx = NULL;

	assert_true(asprintf(&ptx,
			     ".version 7.0\n.target sm_75\n.address_size 64\n%s\n"
			     ".visible .entry k(.param .u64 t, .param .u64 in, .param .u64 out)\n"
			     "{\n.reg .b64 %%t, %%in, %%out, %%at, %%d<4>;\n.reg .f32 %%f<12>;\n"
			     ".reg .b32 %%r<12>, %%o<4>;\n"
			     ".reg .b16 %%h<8>;\n.reg .pred %%p<4>;\n"
			     "ld.param.u64 %%t, [t]; ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n"
			     "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%at, %%r0, 16;\n"
			     "add.u64 %%in, %%in, %%at; add.u64 %%out, %%out, %%at;\n"
			     "ld.global.v4.f32 {%%f0, %%f1, %%f2, %%f3}, [%%in];\n"
			     "cvt.rzi.s32.f32 %%r0, %%f0; cvt.rzi.s32.f32 %%r1, %%f1;\n"
			     "cvt.rzi.s32.f32 %%r2, %%f2; cvt.rzi.s32.f32 %%r3, %%f3;\n"
			     "mov.u32 %%o0, 0; mov.u32 %%o1, 0; mov.u32 %%o2, 0; mov.u32 %%o3, 0;\n"
			     "%s\n"
			     "st.global.v4.b32 [%%out], {%%o0, %%o1, %%o2, %%o3};\nret;\n}\n",
			     decls, body) > 0);
	OK(cuModuleLoadData(&f->module, ptx));
	OK(cuModuleGetFunction(&f->function, f->module, "k"));
	OK(cuMemAlloc(&f->in, FETCH_MAX * 16));
	OK(cuMemAlloc(&f->out, FETCH_MAX * 16));
	free(ptx);
}

static inline CUresult fetch_run(struct fetch *f, uint64_t object, const float in[][4], unsigned int count, void *out)
{
	void *params[] = {&object, &f->in, &f->out};
	CUresult result;

	OK(cuMemcpyHtoD(f->in, in, count * 16));
	result = launch1(f->function, count, params);
	if (result == CUDA_SUCCESS)
		result = cuCtxSynchronize();
	if (result == CUDA_SUCCESS)
		OK(cuMemcpyDtoH(out, f->out, count * 16));
	return result;
}

/* Runs `body` on the inputs and compares all four results of each thread. */
static inline void fetch_expect(const char *decls, const char *body, uint64_t object, const float in[][4],
				const void *want, unsigned int count)
{
	struct fetch f;
	uint32_t got[FETCH_MAX][4];
	const uint32_t(*w)[4] = want;

	fetch_load(&f, decls, body);
	OK(fetch_run(&f, object, in, count, got));
	for (unsigned int t = 0; t < count; t++) {
		for (int c = 0; c < 4; c++) {
			float g, e;

			memcpy(&g, &got[t][c], 4);
			memcpy(&e, &w[t][c], 4);
			if (got[t][c] != w[t][c])
				fail_msg("%s\nat (%g %g %g %g): result %d is %08x = %g, expected %08x = %g", body,
					 in[t][0], in[t][1], in[t][2], in[t][3], c, got[t][c], g, w[t][c], e);
		}
	}
	OK(cuMemFree(f.in));
	OK(cuMemFree(f.out));
	OK(cuModuleUnload(f.module));
}

/* An array with the given texels, row by row and slice by slice. */
static inline CUarray fetch_array(const CUDA_ARRAY3D_DESCRIPTOR *d, const void *texels)
{
	static const size_t bytes[] = {[CU_AD_FORMAT_UNSIGNED_INT8] = 1, [CU_AD_FORMAT_UNSIGNED_INT16] = 2,
				       [CU_AD_FORMAT_UNSIGNED_INT32] = 4, [CU_AD_FORMAT_SIGNED_INT8] = 1,
				       [CU_AD_FORMAT_SIGNED_INT16] = 2, [CU_AD_FORMAT_SIGNED_INT32] = 4,
				       [CU_AD_FORMAT_HALF] = 2, [CU_AD_FORMAT_FLOAT] = 4};
	CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = texels,
			   .dstMemoryType = CU_MEMORYTYPE_ARRAY};

	c.WidthInBytes = d->Width * bytes[d->Format] * d->NumChannels;
	c.Height = c.srcHeight = d->Height ? d->Height : 1;
	c.Depth = d->Depth ? d->Depth : 1;
	c.srcPitch = c.WidthInBytes;
	OK(cuArray3DCreate(&c.dstArray, d));
	OK(cuMemcpy3D(&c));
	return c.dstArray;
}

/* Reads an array back, row by row and slice by slice. */
static inline void fetch_array_read(CUarray a, void *texels, size_t row_bytes, size_t rows, size_t slices)
{
	CUDA_MEMCPY3D c = {.dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = texels, .srcMemoryType = CU_MEMORYTYPE_ARRAY,
			   .srcArray = a, .WidthInBytes = row_bytes, .Height = rows, .Depth = slices,
			   .dstPitch = row_bytes, .dstHeight = rows};

	OK(cuMemcpy3D(&c));
}

static inline CUtexObject fetch_texture(CUarray a, const CUDA_TEXTURE_DESC *td)
{
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
	CUtexObject t;

	r.res.array.hArray = a;
	OK(cuTexObjectCreate(&t, &r, td, NULL));
	return t;
}

static inline CUsurfObject fetch_surface(CUarray a)
{
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
	CUsurfObject s;

	r.res.array.hArray = a;
	OK(cuSurfObjectCreate(&s, &r));
	return s;
}

#endif
