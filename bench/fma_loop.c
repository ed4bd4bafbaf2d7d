/* fma_loop.c - an arithmetic loop for comparing SMs of GPU models: fma_loop [ROUNDS [CTAS [THREADS]]].
 *
 * Every thread does ROUNDS rounds of 16 multiply-adds of f32 in four chains, so that operand collectors and issue, and
 * not latency, bound a full SM. It prints the sum of what the threads have and exits 1 if that is not what the host
 * has.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHAINS = 4, FMAS = 16 };

#define FMA4                                         \
	"fma.rn.f32 %f0, %f0, %f4, %f5;\n"           \
	"fma.rn.f32 %f1, %f1, %f4, %f5;\n"           \
	"fma.rn.f32 %f2, %f2, %f4, %f5;\n"           \
	"fma.rn.f32 %f3, %f3, %f4, %f5;\n"

static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry fma_loop(.param .u64 out, .param .u32 rounds)\n{\n"
    ".reg .f32 %f<8>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<5>;\n.reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [rounds];\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "mov.f32 %f0, 0f3F800000;\nmov.f32 %f1, 0f40000000;\nmov.f32 %f2, 0f40400000;\nmov.f32 %f3, 0f40800000;\n"
    "mov.f32 %f4, 0f3F000000;\nmov.f32 %f5, 0f3F800000;\n"
    "LOOP:\n" FMA4 FMA4 FMA4 FMA4 "sub.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra LOOP;\n"
    "add.f32 %f0, %f0, %f1;\nadd.f32 %f2, %f2, %f3;\nadd.f32 %f0, %f0, %f2;\n"
    "cvta.to.global.u64 %rd2, %rd1;\nmul.wide.s32 %rd3, %r5, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
    "st.global.f32 [%rd4], %f0;\nret;\n}\n";

static void check(CUresult result, const char *what)
{
	if (result == CUDA_SUCCESS)
		return;
	fprintf(stderr, "fma_loop: %s: error %d\n", what, (int)result);
	exit(2);
}

/* What a thread has at the end: halves and adds one, which float does exactly as the host does. */
static float wanted(uint32_t rounds)
{
	float sum[CHAINS] = {1, 2, 3, 4};

	for (uint32_t i = 0; i < rounds * (FMAS / CHAINS); i++)
		for (uint32_t k = 0; k < CHAINS; k++)
			sum[k] = sum[k] * 0.5f + 1.0f;
	return sum[0] + sum[1] + (sum[2] + sum[3]);
}

static uint32_t number(int argc, char **argv, int i, uint32_t otherwise)
{
	return argc > i ? (uint32_t)strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	uint32_t rounds = number(argc, argv, 1, 100), ctas = number(argc, argv, 2, 120),
		 threads = number(argc, argv, 3, 192);
	const size_t count = (size_t)ctas * threads;
	float *host = malloc(count * sizeof(*host));
	void *params[2];
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction kernel;
	CUdeviceptr out;
	size_t wrong = 0;

	if (!host || !count || !rounds)
		return 2;
	check(cuInit(0), "cuInit");
	check(cuDeviceGet(&device, 0), "cuDeviceGet");
	check(cuCtxCreate(&context, 0, device), "cuCtxCreate");
	check(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
	check(cuModuleGetFunction(&kernel, module, "fma_loop"), "cuModuleGetFunction");
	check(cuMemAlloc(&out, count * sizeof(*host)), "cuMemAlloc");
	params[0] = &out;
	params[1] = &rounds;
	check(cuLaunchKernel(kernel, ctas, 1, 1, threads, 1, 1, 0, NULL, params, NULL), "cuLaunchKernel");
	check(cuMemcpyDtoH(host, out, count * sizeof(*host)), "cuMemcpyDtoH");
	for (size_t i = 0; i < count; i++)
		wrong += host[i] != wanted(rounds);
	printf("fma_loop: %zu threads, %zu wrong\n", count, wrong);
	free(host);
	return wrong != 0;
}
