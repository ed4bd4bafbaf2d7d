/* params.c - one kernel, launched with parameters that decide how long its loops are: the sums must be those of each
 * launch, whatever code the machine has kept. Exit status 0: they are. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>

static const char text[] = ".version 6.0\n.target sm_60\n.address_size 64\n"
			   ".visible .entry sum(.param .u64 out, .param .u32 rounds, .param .u32 step)\n{\n"
			   "\t.reg .b64 %a;\n\t.reg .b32 %r<5>;\n\t.reg .pred %p;\n"
			   "\tld.param.u64 %a, [out];\n\tld.param.u32 %r1, [rounds];\n\tld.param.u32 %r4, [step];\n"
			   "\tmov.u32 %r2, 0;\n\tmov.u32 %r3, %tid.x;\n"
			   "LOOP:\n\tadd.u32 %r3, %r3, %r4;\n\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p, %r2, %r1;\n"
			   "\t@%p bra LOOP;\n\tst.global.u32 [%a], %r3;\n\tret;\n}\n";

int main(void)
{
	/* The first again at the end: its code is still there, and past the limit there is code for any number. */
	static const uint32_t rounds[] = {3, 7, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 7};
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction f;
	CUdeviceptr out;

	if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, 0, device) ||
	    cuModuleLoadData(&module, text) || cuModuleGetFunction(&f, module, "sum") || cuMemAlloc(&out, 4))
		return 1;
	for (uint32_t k = 0; k < sizeof(rounds) / sizeof(rounds[0]); k++) {
		uint32_t count = rounds[k], step = 10 + k, got = 0;
		void *args[] = {&out, &count, &step};

		if (cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL) || cuMemcpyDtoH(&got, out, 4))
			return 1;
		if (got != count * step) {
			fprintf(stderr, "%u rounds of %u: %u\n", count, step, got);
			return 1;
		}
	}
	return 0;
}
