/* subject.c - a program whose results are right or wrong as its arguments say, for the tests of what strata says of it.
 *
 *   subject [ok|fault|refused|silent|idle|set|clock] [N]
 *
 * Launches a kernel of N threads (default 256; "-": read from standard input), copies its results back, and prints
 * their sum. fault: a second kernel stores outside of every allocation. refused: a second launch has blocks that are
 * too large. Both go unnoticed: the exit status is 0. silent: no launch at all, not even cuInit. idle: a context and a
 * module, and no launch; set: and memory that is set. clock: copies what a kernel has read from its clock, too. Writes
 * the sum to result.txt in the working directory.
 */
#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_THREADS = 64, THREADS_DEFAULT = 256, BLOCK_TOO_LARGE_THREADS = 4096 };

static const char ptx[] = ".version 6.0\n"
			  ".target sm_70\n"
			  ".address_size 64\n"
			  ".visible .entry number(.param .u64 out) {\n"
			  "  .reg .b32 %r<5>;\n"
			  "  .reg .b64 %rd<4>;\n"
			  "  ld.param.u64 %rd1, [out];\n"
			  "  mov.u32 %r1, %ctaid.x;\n"
			  "  mov.u32 %r2, %ntid.x;\n"
			  "  mov.u32 %r3, %tid.x;\n"
			  "  mad.lo.u32 %r4, %r1, %r2, %r3;\n"
			  "  mul.wide.u32 %rd2, %r4, 4;\n"
			  "  add.u64 %rd3, %rd1, %rd2;\n"
			  "  st.global.u32 [%rd3], %r4;\n"
			  "  ret;\n"
			  "}\n"
			  ".visible .entry outside() {\n"
			  "  .reg .b64 %rd<2>;\n"
			  "  mov.u64 %rd1, 64;\n"
			  "  st.global.u32 [%rd1], 1;\n"
			  "  ret;\n"
			  "}\n"
			  ".visible .entry clock(.param .u64 out) {\n"
			  "  .reg .b32 %r<2>;\n"
			  "  .reg .b64 %rd<2>;\n"
			  "  ld.param.u64 %rd1, [out];\n"
			  "  ld.global.u32 %r1, [%rd1];\n"
			  "  mov.u32 %r1, %clock;\n"
			  "  st.global.u32 [%rd1], %r1;\n"
			  "  ret;\n"
			  "}\n";

static void must(CUresult result, const char *what)
{
	if (result == CUDA_SUCCESS)
		return;
	fprintf(stderr, "subject: %s: error %d\n", what, (int)result);
	exit(3);
}

static unsigned long long sum_of(CUmodule module, unsigned count)
{
	unsigned *values = calloc(count, sizeof(*values));
	unsigned long long sum = 0;
	CUfunction number;
	CUdeviceptr out;
	void *args[] = {&out};

	must(cuModuleGetFunction(&number, module, "number"), "cuModuleGetFunction");
	must(cuMemAlloc(&out, count * sizeof(*values)), "cuMemAlloc");
	must(cuLaunchKernel(number, count / BLOCK_THREADS, 1, 1, BLOCK_THREADS, 1, 1, 0, NULL, args, NULL),
	     "cuLaunchKernel");
	must(cuMemcpyDtoH(values, out, count * sizeof(*values)), "cuMemcpyDtoH");
	for (unsigned i = 0; i < count; i++)
		sum += values[i];
	free(values);
	return sum;
}

static void read_clock(CUmodule module)
{
	CUfunction function;
	CUdeviceptr out;
	void *args[] = {&out};
	unsigned value;

	must(cuModuleGetFunction(&function, module, "clock"), "cuModuleGetFunction");
	must(cuMemAlloc(&out, sizeof(value)), "cuMemAlloc");
	must(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), "cuLaunchKernel");
	must(cuMemcpyDtoH(&value, out, sizeof(value)), "cuMemcpyDtoH");
}

/* What a careless program does: a launch whose errors nobody reads. */
static void launch_wrongly(CUmodule module, const char *how)
{
	CUfunction function;
	unsigned threads = strcmp(how, "refused") ? 1 : BLOCK_TOO_LARGE_THREADS;

	if (!strcmp(how, "ok"))
		return;
	must(cuModuleGetFunction(&function, module, "outside"), "cuModuleGetFunction");
	cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, NULL, NULL);
	cuCtxSynchronize();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "ok";
	unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : THREADS_DEFAULT;
	unsigned long long sum;
	CUdevice device;
	CUcontext context;
	CUmodule module;

	if (!strcmp(how, "silent"))
		return 0;
	if (argc > 2 && !strcmp(argv[2], "-") && scanf("%u", &count) != 1)
		count = BLOCK_THREADS;
	must(cuInit(0), "cuInit");
	must(cuDeviceGet(&device, 0), "cuDeviceGet");
	must(cuCtxCreate(&context, 0, device), "cuCtxCreate");
	must(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
	if (!strcmp(how, "idle"))
		return 0;
	if (!strcmp(how, "set")) {
		CUdeviceptr memory;

		must(cuMemAlloc(&memory, 256), "cuMemAlloc");
		must(cuMemsetD32(memory, 7, 64), "cuMemsetD32");
		return 0;
	}
	sum = sum_of(module, count);
	if (!strcmp(how, "clock"))
		read_clock(module);
	else
		launch_wrongly(module, how);
	printf("sum %llu\n", sum);

	FILE *f = fopen("result.txt", "w");

	if (f) {
		fprintf(f, "sum %llu of %u\n", sum, count);
		fclose(f);
	}
	return 0;
}
