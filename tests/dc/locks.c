/* locks.c KERNEL CTAS - CTAs of 128 threads of which the first takes a lock (lock), waits for all others (all), or for
 * the one before (chain). Exit status 0: what they have counted is right; 3: the launch is refused, and the context can
 * still be used; 4: it ends with an error. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* [data]: a counter that is no atomic's; [data + 4]: the lock, those that have come, or whose turn it is. */
#define BEGIN(name)                                                                            \
	".visible .entry " name "(.param .u64 data)\n{\n"                                           \
	"\t.reg .b64 %d<2>;\n\t.reg .b32 %r<8>;\n\t.reg .pred %p<4>;\n"                            \
	"\tld.param.u64 %d1, [data];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %ctaid.x;\n"          \
	"\tmov.u32 %r3, %nctaid.x;\n\tsetp.ne.u32 %p1, %r1, 0;\n"
#define COUNT "\tld.volatile.global.u32 %r5, [%d1];\n\tadd.u32 %r5, %r5, 1;\n\tst.volatile.global.u32 [%d1], %r5;\n"

static const char text[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    BEGIN("lock")
    "\t@%p1 bra READY;\nA:\n\tatom.global.cas.b32 %r4, [%d1+4], 0, 1;\n\tsetp.ne.u32 %p2, %r4, 0;\n\t@%p2 bra A;\n"
    "\tmembar.gl;\nREADY:\n\tbar.sync 0;\n\tsetp.ne.u32 %p3, %r1, 77;\n\t@%p3 bra DONE;\n" COUNT
    "DONE:\n\tbar.sync 0;\n\tmembar.gl;\n\t@!%p1 atom.global.exch.b32 %r4, [%d1+4], 0;\n\tret;\n}\n"
    BEGIN("all")
    "\t@%p1 bra READY;\n\tatom.global.add.u32 %r4, [%d1+4], 1;\nA:\n\tld.volatile.global.u32 %r4, [%d1+4];\n"
    "\tsetp.lt.u32 %p2, %r4, %r3;\n\t@%p2 bra A;\n"
    "\tatom.global.add.u32 %r5, [%d1], 1;\nREADY:\n\tbar.sync 0;\n\tret;\n}\n"
    BEGIN("chain")
    "\t@%p1 bra READY;\nA:\n\tld.volatile.global.u32 %r4, [%d1+4];\n\tsetp.ne.u32 %p2, %r4, %r2;\n\t@%p2 bra A;\n" COUNT
    "\tmembar.gl;\n\tadd.u32 %r4, %r2, 1;\n\tst.volatile.global.u32 [%d1+4], %r4;\n"
    "READY:\n\tbar.sync 0;\n\tret;\n}\n";

int main(int argc, char **argv)
{
	const unsigned ctas = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	uint32_t got = 0;
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction f;
	CUdeviceptr data;
	void *args[] = {&data};
	CUresult launched;

	if (argc < 3 || cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, 0, device) ||
	    cuModuleLoadData(&module, text) || cuModuleGetFunction(&f, module, argv[1]) || cuMemAlloc(&data, 8) ||
	    cuMemsetD32(data, 0, 2))
		return 1;
	launched = cuLaunchKernel(f, ctas, 1, 1, 128, 1, 1, 0, NULL, args, NULL);
	if (launched)
		return launched == CUDA_ERROR_NOT_SUPPORTED && !cuMemcpyDtoH(&got, data, 4) ? 3 : 4;
	if (cuMemcpyDtoH(&got, data, 4))
		return 4;
	printf("%u of %u\n", got, ctas);
	return got == ctas ? 0 : 1;
}
