/* shared.c [stores] - a table of 64 KB that all CTAs read: each of 256 CTAs of 256 threads adds all of it up in 64
 * rounds, and the sums must be right. With `stores` thread 0 of each CTA then adds one to a word of the table, and the
 * sums of a third kernel must have that. Exit status 0: they have. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 256, CTAS = 256, WORDS = 16384, ROUNDS = WORDS / THREADS };

static const char text[] =
    ".version 6.5\n.target sm_60\n.address_size 64\n"
    ".visible .entry sum(.param .u64 table, .param .u64 out)\n{\n"
    "\t.reg .b64 %a, %o, %u;\n\t.reg .b32 %t, %c, %s, %v, %j;\n\t.reg .pred %p;\n"
    "\tld.param.u64 %a, [table];\n\tld.param.u64 %o, [out];\n\tmov.u32 %t, %tid.x;\n\tmov.u32 %c, %ctaid.x;\n"
    "\tmad.lo.s32 %c, %c, 256, %t;\n\tmul.wide.u32 %u, %c, 4;\n\tadd.u64 %o, %o, %u;\n"
    "\tmul.wide.u32 %u, %t, 4;\n\tadd.u64 %a, %a, %u;\n\tmov.u32 %s, 0;\n\tmov.u32 %j, 0;\n"
    "again:\n\tld.global.u32 %v, [%a];\n\tadd.u32 %s, %s, %v;\n\tadd.u64 %a, %a, 1024;\n\tadd.u32 %j, %j, 1;\n"
    "\tsetp.lt.u32 %p, %j, 64;\n\t@%p bra again;\n\tst.global.u32 [%o], %s;\n\tret;\n}\n"
    ".visible .entry change(.param .u64 table)\n{\n"
    "\t.reg .b64 %a, %u;\n\t.reg .b32 %t, %c, %v;\n\t.reg .pred %p;\n"
    "\tmov.u32 %t, %tid.x;\n\tsetp.ne.u32 %p, %t, 0;\n\t@%p ret;\n"
    "\tld.param.u64 %a, [table];\n\tmov.u32 %c, %ctaid.x;\n\tmul.wide.u32 %u, %c, 256;\n\tadd.u64 %a, %a, %u;\n"
    "\tld.global.u32 %v, [%a];\n\tadd.u32 %v, %v, 1;\n\tst.global.u32 [%a], %v;\n\tret;\n}\n";

static uint32_t table[WORDS], got[CTAS * THREADS];

static uint32_t sum_of(uint32_t thread)
{
	uint32_t sum = 0;

	for (uint32_t j = 0; j < ROUNDS; j++)
		sum += table[thread + j * THREADS];
	return sum;
}

static int sums_are_right(CUfunction sum, CUdeviceptr on_device, CUdeviceptr out)
{
	void *args[] = {&on_device, &out};

	if (cuLaunchKernel(sum, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL) ||
	    cuMemcpyDtoH(got, out, sizeof(got)))
		return 0;
	for (uint32_t i = 0; i < CTAS * THREADS; i++)
		if (got[i] != sum_of(i % THREADS)) {
			fprintf(stderr, "thread %u has %u\n", i, got[i]);
			return 0;
		}
	return 1;
}

int main(int argc, char **argv)
{
	CUcontext context;
	CUmodule module;
	CUfunction sum, change;
	CUdeviceptr on_device, out;
	void *args[] = {&on_device};

	for (uint32_t i = 0; i < WORDS; i++)
		table[i] = i * 2654435761u;
	if (cuInit(0) || cuCtxCreate(&context, 0, 0) || cuModuleLoadData(&module, text) ||
	    cuModuleGetFunction(&sum, module, "sum") || cuModuleGetFunction(&change, module, "change") ||
	    cuMemAlloc(&on_device, sizeof(table)) || cuMemAlloc(&out, sizeof(got)) ||
	    cuMemcpyHtoD(on_device, table, sizeof(table)) || !sums_are_right(sum, on_device, out))
		return 1;
	if (argc < 2 || strcmp(argv[1], "stores"))
		return 0;
	if (cuLaunchKernel(change, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL))
		return 1;
	for (uint32_t i = 0; i < WORDS; i += 64)
		table[i]++;
	return !sums_are_right(sum, on_device, out);
}
