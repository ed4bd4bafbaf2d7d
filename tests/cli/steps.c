/* steps.c - a program of nine launches whose host looks at memory, and changes it, between them, for the test of
 * checkpoints.
 *
 *   steps [plain|pinned|managed|heap|text] [SEED]
 *
 * A kernel makes each word v of an array 3 v + the number of its thread. Before the fourth launch the host reads the
 * array and adds up what it finds, before the sixth it sets a part of it, before the eighth the array moves to
 * another place and the old one is set free. pinned, managed: the array lies where the host reads it without a call:
 * before each launch it looks at the second word, and adds it to the last. heap: the second kernel takes memory from
 * the device's heap; text: it prints. The sums are printed.
 */
#include <cuda.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, CTAS = 40, WORDS = THREADS * CTAS, LAUNCHES = 9, READ = 3, SET = 5, MOVE = 7, OTHER = 1 };

static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 a);\n"
    ".global .align 1 .b8 line[7] = {104, 101, 108, 108, 111, 10, 0};\n"
    ".visible .entry step(.param .u64 at) {\n"
    "  .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [at]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2;\n"
    "  ld.global.u32 %r5, [%d3]; mad.lo.u32 %r5, %r5, 3, %r4; st.global.u32 [%d3], %r5; ret; }\n"
    ".visible .entry text(.param .u64 at) {\n"
    "  .reg .b64 %d<3>;\n"
    "  mov.u64 %d1, line; cvta.global.u64 %d1, %d1; mov.u64 %d2, 0;\n"
    "  { .param .b64 a; st.param.b64 [a], %d1; .param .b64 b; st.param.b64 [b], %d2; .param .b32 r;\n"
    "  call.uni (r), vprintf, (a, b); } ret; }\n"
    ".visible .entry heap(.param .u64 at) {\n"
    "  .reg .b64 %d<3>;\n"
    "  { .param .b64 a; st.param.b64 [a], 16; .param .b64 b; call.uni (b), malloc, (a);\n"
    "  ld.param.b64 %d1, [b]; } ld.param.u64 %d2, [at]; st.global.u64 [%d2], %d1; ret; }\n";

static void must(CUresult result, const char *what)
{
	if (result == CUDA_SUCCESS)
		return;
	fprintf(stderr, "steps: %s: error %d\n", what, (int)result);
	exit(3);
}

static uint32_t words[WORDS];
static unsigned long long seen; /* by the host, without a call */

static CUdeviceptr array_new(const char *how)
{
	CUdeviceptr at = 0;
	void *pinned;

	if (!strcmp(how, "pinned")) {
		must(cuMemAllocHost(&pinned, sizeof(words)), "cuMemAllocHost");
		return (CUdeviceptr)pinned;
	}
	if (!strcmp(how, "managed"))
		must(cuMemAllocManaged(&at, sizeof(words), CU_MEM_ATTACH_GLOBAL), "cuMemAllocManaged");
	else
		must(cuMemAlloc(&at, sizeof(words)), "cuMemAlloc");
	return at;
}

static unsigned long long sum_of(CUdeviceptr at)
{
	unsigned long long sum = 0;

	must(cuMemcpyDtoH(words, at, sizeof(words)), "cuMemcpyDtoH");
	for (uint32_t i = 0; i < WORDS; i++)
		sum += words[i];
	return sum;
}

static CUdeviceptr move(CUdeviceptr at, const char *how)
{
	const CUdeviceptr to = array_new(how);

	must(cuMemcpyDtoD(to, at, sizeof(words)), "cuMemcpyDtoD");
	must(strcmp(how, "pinned") ? cuMemFree(at) : cuMemFreeHost((void *)at), "cuMemFree");
	return to;
}

/* Before launch i. */
static CUdeviceptr between(uint32_t i, CUdeviceptr at, const char *how)
{
	if (!strcmp(how, "pinned") || !strcmp(how, "managed")) {
		seen += ((const uint32_t *)at)[1];
		((uint32_t *)at)[WORDS - 1] += ((const uint32_t *)at)[1];
	}
	if (i == READ)
		printf("then %llu\n", sum_of(at));
	if (i == SET)
		must(cuMemsetD32(at + 4096, (unsigned)sum_of(at), THREADS), "cuMemsetD32");
	return i == MOVE ? move(at, how) : at;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";
	const uint32_t seed = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
	CUfunction step, other;
	CUcontext context;
	CUmodule module;
	CUdeviceptr at;
	CUdevice device;
	void *args[] = {&at};

	must(cuInit(0), "cuInit");
	must(cuDeviceGet(&device, 0), "cuDeviceGet");
	must(cuCtxCreate(&context, 0, device), "cuCtxCreate");
	must(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
	must(cuModuleGetFunction(&step, module, "step"), "cuModuleGetFunction");
	must(cuModuleGetFunction(&other, module, !strcmp(how, "heap") || !strcmp(how, "text") ? how : "step"),
	     "cuModuleGetFunction");
	at = array_new(how);
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = seed * i;
	must(cuMemcpyHtoD(at, words, sizeof(words)), "cuMemcpyHtoD");
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		const bool is_other = i == OTHER;

		at = between(i, at, how);
		must(cuLaunchKernel(is_other ? other : step, is_other && other != step ? 1 : CTAS, 1, 1,
				    is_other && other != step ? 1 : THREADS, 1, 1, 0, NULL, args, NULL),
		     "cuLaunchKernel");
	}
	printf("sum %llu, seen %llu\n", sum_of(at), seen);
	return 0;
}
