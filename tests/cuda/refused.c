/* refused.c [arrays] - a kernel that no machine runs, and one that does run: the first is refused at its launch, with
 * the error of what is not supported, and the program goes on. arrays: so is one with a texture, of a machine that has
 * none. Exit status 0: it was so. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry groups(.param .u64 out, .param .u64 image)\n{\n\twgmma.fence.sync.aligned;\n\tret;\n}\n"
    ".visible .entry texture(.param .u64 out, .param .u64 image)\n{\n\t.reg .b64 %i;\n\t.reg .f32 %f<5>;\n"
    "\tld.param.u64 %i, [image];\n\tmov.f32 %f4, 0f00000000;\n\ttex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%i, {%f4}];\n"
    "\tret;\n}\n"
    ".visible .entry runs(.param .u64 out, .param .u64 image)\n{\n\t.reg .b64 %o;\n\t.reg .b32 %v;\n"
    "\tld.param.u64 %o, [out];\n\tld.global.u32 %v, [%o];\n\tadd.u32 %v, %v, 7;\n\tst.global.u32 [%o], %v;\n"
    "\tret;\n}\n";

static CUmodule module;

static CUresult launch(const char *name, CUdeviceptr out)
{
	uint64_t image = 0;
	void *args[] = {&out, &image};
	CUfunction f;
	CUresult result = cuModuleGetFunction(&f, module, name);

	if (!result)
		result = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
	return result;
}

int main(int argc, char **argv)
{
	const char *const refused[] = {"groups", "texture"};
	const int count = argc > 1 && !strcmp(argv[1], "arrays") ? 2 : 1;
	uint32_t got = 0;
	CUcontext context;
	CUdeviceptr out;

	if (cuInit(0) || cuCtxCreate(&context, 0, 0) || cuModuleLoadData(&module, text) || cuMemAlloc(&out, 4) ||
	    cuMemsetD32(out, 0, 1))
		return 2;
	for (int k = 0; k < count; k++) {
		const CUresult result = launch(refused[k], out);

		if (result != CUDA_ERROR_NOT_SUPPORTED || cuCtxSynchronize() || launch("runs", out)) {
			fprintf(stderr, "%s: error %d\n", refused[k], result);
			return 1;
		}
	}
	return cuMemcpyDtoH(&got, out, 4) || got != 7 * (uint32_t)count;
}
