/* planted.c - a kernel whose time is due to what its arguments plant, for the test of what strata why says of it.
 *
 *   planted CTAS THREADS ROUNDS LANE WARP ROUND WORDS [BYTES [HUB]]
 *
 * Thread t of CTAs of THREADS threads adds up ROUNDS words: in round i that at lane * LANE + warp * WARP + i * ROUND,
 * modulo WORDS, a power of two. BYTES are copied to the device, and back, for nothing. With a HUB of 1 each round reads
 * the first word of all before, and two words more, 32 and 64 behind its own. The sums are checked.
 */
#include <cuda.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CTAS, THREADS, ROUNDS, LANE, WARP, ROUND, WORDS, BYTES, HUB, NUMBERS, LANES = 32 };

enum { NEXT = 32 }; /* words from a round's first to its second, and third, with a hub */

static const char ptx[] = ".version 6.0\n"
			  ".target sm_70\n"
			  ".address_size 64\n"
			  ".visible .entry sums(.param .u64 in, .param .u64 out, .param .u32 rounds,\n"
			  "    .param .u32 lane, .param .u32 warp, .param .u32 round, .param .u32 mask) {\n"
			  "  .reg .pred %p;\n"
			  "  .reg .b32 %r<20>;\n"
			  "  .reg .b64 %d<8>;\n"
			  "  ld.param.u64 %d1, [in];\n"
			  "  ld.param.u64 %d2, [out];\n"
			  "  ld.param.u32 %r1, [rounds];\n"
			  "  ld.param.u32 %r2, [lane];\n"
			  "  ld.param.u32 %r3, [warp];\n"
			  "  ld.param.u32 %r4, [round];\n"
			  "  ld.param.u32 %r5, [mask];\n"
			  "  mov.u32 %r6, %ctaid.x;\n"
			  "  mov.u32 %r7, %ntid.x;\n"
			  "  mov.u32 %r8, %tid.x;\n"
			  "  mad.lo.u32 %r9, %r6, %r7, %r8;\n"
			  "  and.b32 %r10, %r9, 31;\n"
			  "  shr.u32 %r11, %r9, 5;\n"
			  "  mul.lo.u32 %r12, %r10, %r2;\n"
			  "  mad.lo.u32 %r12, %r11, %r3, %r12;\n"
			  "  mov.u32 %r13, 0;\n"
			  "next:\n"
			  "  and.b32 %r14, %r12, %r5;\n"
			  "  mul.wide.u32 %d3, %r14, 4;\n"
			  "  add.u64 %d4, %d1, %d3;\n"
			  "  ld.global.u32 %r15, [%d4];\n"
			  "  add.u32 %r13, %r13, %r15;\n"
			  "  add.u32 %r12, %r12, %r4;\n"
			  "  sub.u32 %r1, %r1, 1;\n"
			  "  setp.ne.u32 %p, %r1, 0;\n"
			  "  @%p bra next;\n"
			  "  mul.wide.u32 %d5, %r9, 4;\n"
			  "  add.u64 %d6, %d2, %d5;\n"
			  "  st.global.u32 [%d6], %r13;\n"
			  "  ret;\n"
			  "}\n"
			  ".visible .entry hub(.param .u64 in, .param .u64 out, .param .u32 rounds,\n"
			  "    .param .u32 lane, .param .u32 warp, .param .u32 round, .param .u32 mask) {\n"
			  "  .reg .pred %p;\n"
			  "  .reg .b32 %r<20>;\n"
			  "  .reg .b64 %d<8>;\n"
			  "  ld.param.u64 %d1, [in];\n"
			  "  ld.param.u64 %d2, [out];\n"
			  "  ld.param.u32 %r1, [rounds];\n"
			  "  ld.param.u32 %r2, [lane];\n"
			  "  ld.param.u32 %r3, [warp];\n"
			  "  ld.param.u32 %r4, [round];\n"
			  "  ld.param.u32 %r5, [mask];\n"
			  "  mov.u32 %r6, %ctaid.x;\n"
			  "  mov.u32 %r7, %ntid.x;\n"
			  "  mov.u32 %r8, %tid.x;\n"
			  "  mad.lo.u32 %r9, %r6, %r7, %r8;\n"
			  "  and.b32 %r10, %r9, 31;\n"
			  "  shr.u32 %r11, %r9, 5;\n"
			  "  mul.lo.u32 %r12, %r10, %r2;\n"
			  "  mad.lo.u32 %r12, %r11, %r3, %r12;\n"
			  "  mov.u32 %r13, 0;\n"
			  "next:\n"
			  "  and.b32 %r14, %r12, %r5;\n"
			  "  mul.wide.u32 %d3, %r14, 4;\n"
			  "  add.u64 %d4, %d1, %d3;\n"
			  "  ld.global.u32 %r16, [%d1];\n"
			  "  ld.global.u32 %r15, [%d4];\n"
			  "  ld.global.u32 %r17, [%d4+128];\n"
			  "  ld.global.u32 %r18, [%d4+256];\n"
			  "  add.u32 %r13, %r13, %r15;\n"
			  "  add.u32 %r13, %r13, %r16;\n"
			  "  add.u32 %r13, %r13, %r17;\n"
			  "  add.u32 %r13, %r13, %r18;\n"
			  "  add.u32 %r12, %r12, %r4;\n"
			  "  sub.u32 %r1, %r1, 1;\n"
			  "  setp.ne.u32 %p, %r1, 0;\n"
			  "  @%p bra next;\n"
			  "  mul.wide.u32 %d5, %r9, 4;\n"
			  "  add.u64 %d6, %d2, %d5;\n"
			  "  st.global.u32 [%d6], %r13;\n"
			  "  ret;\n"
			  "}\n";

static void must(CUresult result, const char *what)
{
	if (result == CUDA_SUCCESS)
		return;
	fprintf(stderr, "planted: %s: error %d\n", what, (int)result);
	exit(3);
}

static uint32_t sum_of(const uint32_t *n, uint32_t thread)
{
	uint32_t at = thread % LANES * n[LANE] + thread / LANES * n[WARP], sum = 0;

	for (uint32_t i = 0; i < n[ROUNDS]; i++, at += n[ROUND])
		for (uint32_t k = 0; k <= 2 * n[HUB]; k++)
			sum += (at % n[WORDS] + k * NEXT) * 2654435761u;
	return sum;
}

static bool is_right(const uint32_t *n, const uint32_t *sums)
{
	for (uint32_t thread = 0; thread < n[CTAS] * n[THREADS]; thread++)
		if (sums[thread] != sum_of(n, thread))
			return false;
	return true;
}

static void copy_for_nothing(size_t bytes)
{
	char *memory = calloc(bytes, 1);
	CUdeviceptr other;

	if (!memory)
		exit(3);
	must(cuMemAlloc(&other, bytes), "cuMemAlloc");
	must(cuMemcpyHtoD(other, memory, bytes), "cuMemcpyHtoD");
	must(cuMemcpyDtoH(memory, other, bytes), "cuMemcpyDtoH");
	must(cuMemFree(other), "cuMemFree");
	free(memory);
}

static void run(CUfunction kernel, const uint32_t *n, uint32_t *in, uint32_t *sums)
{
	const uint32_t threads = n[CTAS] * n[THREADS];
	uint32_t rounds = n[ROUNDS], lane = n[LANE], warp = n[WARP], round = n[ROUND], mask = n[WORDS] - 1;
	CUdeviceptr from, to;
	void *parameters[] = {&from, &to, &rounds, &lane, &warp, &round, &mask};

	const size_t words = n[WORDS] + 2 * NEXT;

	for (uint32_t i = 0; i < words; i++)
		in[i] = i * 2654435761u;
	must(cuMemAlloc(&from, words * sizeof(*in)), "cuMemAlloc");
	must(cuMemAlloc(&to, threads * sizeof(*sums)), "cuMemAlloc");
	must(cuMemcpyHtoD(from, in, words * sizeof(*in)), "cuMemcpyHtoD");
	must(cuLaunchKernel(kernel, n[CTAS], 1, 1, n[THREADS], 1, 1, 0, NULL, parameters, NULL), "cuLaunchKernel");
	must(cuMemcpyDtoH(sums, to, threads * sizeof(*sums)), "cuMemcpyDtoH");
	must(cuMemFree(from), "cuMemFree");
	must(cuMemFree(to), "cuMemFree");
}

int main(int argc, char **argv)
{
	uint32_t n[NUMBERS] = {0}, *in, *sums;
	CUcontext context;
	CUmodule module;
	CUfunction kernel;
	bool right;

	if (argc < BYTES + 1)
		return 2;
	for (int i = 0; i < NUMBERS && i + 1 < argc; i++)
		n[i] = (uint32_t)strtoul(argv[i + 1], NULL, 0);
	in = calloc((size_t)n[WORDS] + 2 * NEXT, sizeof(*in));
	sums = calloc((size_t)n[CTAS] * n[THREADS], sizeof(*sums));
	if (!in || !sums)
		return 3;
	must(cuInit(0), "cuInit");
	must(cuCtxCreate(&context, 0, 0), "cuCtxCreate");
	must(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
	must(cuModuleGetFunction(&kernel, module, n[HUB] ? "hub" : "sums"), "cuModuleGetFunction");
	if (n[BYTES])
		copy_for_nothing(n[BYTES]);
	must(cuProfilerStart(), "cuProfilerStart");
	run(kernel, n, in, sums);
	must(cuProfilerStop(), "cuProfilerStop");
	right = is_right(n, sums);
	must(cuCtxDestroy(context), "cuCtxDestroy");
	puts(right ? "right" : "wrong");
	free(in);
	free(sums);
	return !right;
}
