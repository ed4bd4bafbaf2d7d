/* overlap.c - a kernel copies two floats per thread, now between arrays and now within one, where the second read is of
 * what the first write has written. Says "verified" when all is right. */
#include <cuda.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 32, STRIDE = 32, COUNT = THREADS * STRIDE, ROUNDS = 6 };

/* to[0] = from[0]; to[1] = 2 * from[1], per thread, STRIDE floats apart */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry copy(.param .u64 to, .param .u64 from)\n{\n"
			  ".reg .b64 %rd<4>; .reg .f32 %f<2>; .reg .b32 %r0;\n"
			  "ld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [from];\n"
			  "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd3, %r0, 128;\n"
			  "add.s64 %rd1, %rd1, %rd3;\nadd.s64 %rd2, %rd2, %rd3;\n"
			  "ld.global.f32 %f0, [%rd2];\nst.global.f32 [%rd1], %f0;\n"
			  "ld.global.f32 %f1, [%rd2+4];\nadd.f32 %f1, %f1, %f1;\nst.global.f32 [%rd1+4], %f1;\n"
			  "ret;\n}\n";

static int failed;

static void ok(CUresult r)
{
	failed |= r != CUDA_SUCCESS;
}

/* Whether the arrays differ or not, a thread's statements have their order. */
static void want(float *to, const float *from)
{
	for (int t = 0; t < THREADS; t++) {
		to[t * STRIDE] = from[t * STRIDE];
		to[t * STRIDE + 1] = 2 * from[t * STRIDE + 1];
	}
}

int main(void)
{
	static float in[COUNT], expected[COUNT], got[COUNT];
	CUdeviceptr a, b;
	CUcontext context;
	CUmodule module;
	CUfunction copy;
	CUdevice device;

	ok(cuInit(0));
	ok(cuDeviceGet(&device, 0));
	ok(cuCtxCreate(&context, 0, device));
	ok(cuModuleLoadData(&module, ptx));
	ok(cuModuleGetFunction(&copy, module, "copy"));
	ok(cuMemAlloc(&a, sizeof(in)));
	ok(cuMemAlloc(&b, sizeof(in)));
	for (int i = 0; i < COUNT; i++)
		in[i] = (float)(i + 1);
	for (int round = 0; round < ROUNDS; round++) {
		int is_apart = round % 2;
		CUdeviceptr to = is_apart ? b : a + sizeof(float), from = a;
		void *params[] = {&to, &from};

		ok(cuMemcpyHtoD(a, in, sizeof(in)));
		ok(cuMemcpyHtoD(b, in, sizeof(in)));
		ok(cuLaunchKernel(copy, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
		ok(cuMemcpyDtoH(got, is_apart ? b : a, sizeof(got)));
		memcpy(expected, in, sizeof(in));
		want(is_apart ? expected : expected + 1, is_apart ? in : expected);
		failed |= memcmp(got, expected, sizeof(got)) != 0;
	}
	puts(failed ? "overlap: wrong" : "overlap: verified");
	return failed;
}
