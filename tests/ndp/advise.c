/* advise.c - declares parts of managed memory to lie with the device, in the ways that the driver has, and withdraws
 * them again, around kernels that add one to each word. Says "verified" when the driver takes all calls and all is
 * right. */
#include <cuda.h>
#include <stdio.h>

enum { PAGE_BYTES = 4096, PAGES = 32, WORDS = PAGES * PAGE_BYTES / 4, THREADS = 256 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry add(.param .u64 to)\n{\n"
			  ".reg .b64 %rd<3>; .reg .b32 %r<5>;\n"
			  "ld.param.u64 %rd1, [to];\n"
			  "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
			  "mad.lo.u32 %r3, %r1, %r2, %r0;\n"
			  "mul.wide.u32 %rd2, %r3, 4; add.s64 %rd1, %rd1, %rd2;\n"
			  "ld.global.u32 %r4, [%rd1]; add.u32 %r4, %r4, 1; st.global.u32 [%rd1], %r4;\n"
			  "ret;\n}\n";

static int failed, launches;

static void ok(CUresult r)
{
	failed |= r != CUDA_SUCCESS;
}

static void run(CUfunction add, CUdeviceptr to)
{
	void *params[] = {&to};

	ok(cuLaunchKernel(add, WORDS / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
	ok(cuCtxSynchronize());
	launches++;
	for (int i = 0; i < WORDS; i++)
		failed |= ((const volatile int *)(uintptr_t)to)[i] != launches;
}

int main(void)
{
	const CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
	CUdeviceptr all;
	CUcontext context;
	CUmodule module;
	CUfunction add;
	CUdevice device;

	ok(cuInit(0));
	ok(cuDeviceGet(&device, 0));
	ok(cuCtxCreate(&context, 0, device));
	ok(cuModuleLoadData(&module, ptx));
	ok(cuModuleGetFunction(&add, module, "add"));
	ok(cuMemAllocManaged(&all, WORDS * 4, CU_MEM_ATTACH_GLOBAL));
	/* Three groups: two pages, four, eight. */
	ok(cuMemAdvise_v2(all, 2 * PAGE_BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, location));
	ok(cuMemPrefetchAsync_v2(all + 2 * PAGE_BYTES, 4 * PAGE_BYTES, location, 0, NULL));
	ok(cuMemAdvise_v2(all + 6 * PAGE_BYTES, 8 * PAGE_BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, location));
	/* All of it: says nothing of parts, and takes theirs back. Then the first two pages again. */
	ok(cuMemPrefetchAsync_v2(all, WORDS * 4, location, 0, NULL));
	ok(cuMemAdvise_v2(all, 2 * PAGE_BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, location));
	run(add, all);
	/* With kernels behind it what is withdrawn moves: three of four lines of two pages. */
	ok(cuMemAdvise_v2(all, 2 * PAGE_BYTES, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, location));
	run(add, all);
	run(add, all);
	ok(cuMemFree(all));
	puts(failed ? "advise: wrong" : "advise: verified");
	return failed;
}
