/* large.c KERNEL THREADS - a CTA of so many threads, and a second one, of a kernel that works by itself (alone) or at
 * whose barrier all meet (barrier), that uses a warp's lanes (lanes), or shared memory (shared) or would do so if it
 * were launched with any (unsized); then says what the device's and the kernel's limits are. Exit status 0: it ran, and
 * every thread wrote its number; 2: the launch was refused; 1: anything else. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A kernel that writes to out[CTA * threads + thread] that number and 7. */
#define KERNEL(name, variables, before)                                                                           \
	".visible .entry " name "(.param .u64 out)\n{\n\t.reg .b64 %d<4>;\n\t.reg .b32 %r<12>;\n\t.reg .pred %p1;\n" \
	variables "\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %tid.y;\n"                     \
	"\tmov.u32 %r3, %ntid.x;\n\tmov.u32 %r4, %ntid.y;\n\tmov.u32 %r5, %ctaid.x;\n"                              \
	"\tmad.lo.u32 %r6, %r5, %r4, %r2;\n\tmad.lo.u32 %r6, %r6, %r3, %r1;\n"                                      \
	before "\tadd.u32 %r7, %r6, 7;\n\tmul.wide.u32 %d2, %r6, 4;\n\tadd.u64 %d3, %d1, %d2;\n"                    \
	"\tst.global.u32 [%d3], %r7;\n\tret;\n}\n"

static const char text[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n.extern .shared .align 4 .b8 given[];\n"
    KERNEL("alone", "", "")
    KERNEL("barrier", "", "\tbar.sync 0;\n")
    KERNEL("lanes", "", "\tvote.sync.any.pred %p1, 0, -1;\n")
    KERNEL("shared", "\t.shared .align 4 .b32 own;\n", "\tst.shared.u32 [own], %r1;\n")
    KERNEL("unsized", "", "\tmov.u64 %d2, given;\n");

int main(int argc, char **argv)
{
	const unsigned int threads = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 0) : 0, width = threads / 2;
	const size_t count = 2 * (size_t)threads, bytes = count * sizeof(uint32_t);
	uint32_t *got = malloc(bytes + 1);
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction f;
	CUdeviceptr out;
	void *args[] = {&out};
	int of_device, wide, of_kernel, resident;

	if (!got || argc != 3 || cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, 0, device) ||
	    cuDeviceGetAttribute(&of_device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device) ||
	    cuDeviceGetAttribute(&wide, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, device) ||
	    cuModuleLoadData(&module, text) || cuModuleGetFunction(&f, module, argv[1]) ||
	    cuFuncGetAttribute(&of_kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f) ||
	    cuOccupancyMaxPotentialBlockSize(&(int){0}, &resident, f, NULL, 0, 0) || cuMemAlloc(&out, bytes) ||
	    cuMemsetD32(out, 0, count))
		return 1;
	printf("device %d wide %d kernel %d resident %d\n", of_device, wide, of_kernel, resident);
	/* Two rows, so that a thread's number is made of both its coordinates. */
	if (cuLaunchKernel(f, 2, 1, 1, width, 2, 1, 0, NULL, args, NULL)) {
		free(got);
		return 2;
	}
	if (cuMemcpyDtoH(got, out, bytes))
		return 1;
	for (size_t n = 0; n < count; n++)
		if (got[n] != n + 7) {
			fprintf(stderr, "thread %zu wrote %u\n", n, got[n]);
			return 1;
		}
	free(got);
	return 0;
}
