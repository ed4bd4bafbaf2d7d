/* host.c WHAT [BYTES ROUNDS CTAS] - kernels that the arrays have not, each for its own reason, and what they compute:
 * print, check (assert), allocate, recurse, point (a call through a pointer), texture, grid (a barrier of all CTAs);
 * reads: each CTA reads BYTES, all threads together, ROUNDS times, and would print; sines: ROUNDS of them a thread;
 * jumps: each thread follows pointers, ROUNDS times 16; counts: each thread adds one to one place; writes: as
 * reads, and then the arrays read what it has written;
 * outside: a thread writes where nothing is. Exit status 0: the results are right. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256 };

#define BEGIN \
	"{\n\t.reg .b64 %o, %d<4>;\n\t.reg .b32 %t, %c, %n, %r<6>;\n\t.reg .f32 %f<3>;\n\t.reg .pred %p<3>;\n" \
	"\tld.param.u64 %o, [out];\n\tmov.u32 %t, %tid.x;\n\tmov.u32 %c, %ctaid.x;\n\tmov.u32 %n, %ntid.x;\n" \
	"\tmad.lo.s32 %r0, %c, %n, %t;\n\tmul.wide.u32 %d0, %r0, 4;\n\tadd.u64 %d0, %o, %d0;\n"
#define PRINT \
	"\tmov.u64 %d2, words;\n\tcvta.global.u64 %d2, %d2;\n" \
	"\t{ .param .b64 p0; st.param.b64 [p0], %d2; .param .b64 p1; st.param.b64 [p1], 0; .param .b32 got;\n" \
	"\tcall.uni (got), vprintf, (p0, p1);\n\tld.param.b32 %r1, [got]; }\n"

#define JUMP "\tld.global.u64 %d1, [%d1];\n"
#define JUMP4 JUMP JUMP JUMP JUMP

static const char text[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 a);\n.extern .func free (.param .b64 a);\n"
    ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
    ".global .align 1 .b8 words[8] = {115, 101, 114, 118, 101, 100, 10, 0};\n"
    ".func (.param .b32 r) count(.param .b32 n)\n{\n\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n"
    "\tld.param.u32 %r0, [n];\n\tmov.u32 %r1, 0;\n\tsetp.eq.u32 %p, %r0, 0;\n\t@%p bra done;\n\tsub.u32 %r0, %r0, 1;\n"
    "\t{ .param .b32 a; st.param.b32 [a], %r0; .param .b32 b; call (b), count, (a);\n\tld.param.b32 %r1, [b]; }\n"
    "\tadd.u32 %r1, %r1, 7;\ndone:\n\tst.param.b32 [r], %r1;\n\tret;\n}\n"
    ".visible .entry print(.param .u64 out)\n" BEGIN
    "\tsetp.ne.u32 %p0, %r0, 0;\n\t@%p0 bra quiet;\n" PRINT "quiet:\n\tst.global.u32 [%d0], 77;\n\tret;\n}\n"
    ".visible .entry check(.param .u64 out)\n" BEGIN
    "\tsetp.lt.u32 %p0, %r0, 0x7fffffff;\n\t@%p0 bra right;\n\tmov.u64 %d2, words;\n\tcvta.global.u64 %d2, %d2;\n"
    "\t{ .param .b64 a; st.param.b64 [a], %d2; .param .b64 b; st.param.b64 [b], %d2; .param .b32 c;\n"
    "\tst.param.b32 [c], 1; .param .b64 d; st.param.b64 [d], %d2; .param .b64 e; st.param.b64 [e], 1;\n"
    "\tcall.uni __assertfail, (a, b, c, d, e); }\nright:\n\tst.global.u32 [%d0], 77;\n\tret;\n}\n"
    ".visible .entry allocate(.param .u64 out)\n" BEGIN
    "\t{ .param .b64 a; st.param.b64 [a], 16; .param .b64 b; call.uni (b), malloc, (a);\n\tld.param.b64 %d1, [b]; }\n"
    "\tst.u32 [%d1], 77;\n\tld.u32 %r1, [%d1];\n\tst.global.u32 [%d0], %r1;\n"
    "\t{ .param .b64 a; st.param.b64 [a], %d1; call.uni free, (a); }\n\tret;\n}\n"
    ".visible .entry recurse(.param .u64 out)\n" BEGIN
    "\t{ .param .b32 a; st.param.b32 [a], 11; .param .b32 b; call.uni (b), count, (a);\n\tld.param.b32 %r1, [b]; }\n"
    "\tst.global.u32 [%d0], %r1;\n\tret;\n}\n"
    ".func (.param .b32 r) seven(.param .b32 n)\n{\n\t.reg .b32 %r0;\n\tld.param.u32 %r0, [n];\n"
    "\tmul.lo.u32 %r0, %r0, 7;\n\tst.param.b32 [r], %r0;\n\tret;\n}\n"
    ".visible .entry point(.param .u64 out)\n" BEGIN
    "\tmov.u64 %d1, seven;\nform: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    "\t{ .param .b32 a; st.param.b32 [a], 11; .param .b32 b; call (b), %d1, (a), form;\n\tld.param.b32 %r1, [b]; }\n"
    "\tst.global.u32 [%d0], %r1;\n\tret;\n}\n"
    ".visible .entry texture(.param .u64 out, .param .u64 from)\n" BEGIN
    "\tld.param.u64 %d1, [from];\n\tand.b32 %r0, %r0, 255;\n"
    "\ttex.level.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%d1, {%r0}], 0;\n\tst.global.u32 [%d0], %r1;\n\tret;\n}\n"
    ".visible .entry reads(.param .u64 out, .param .u64 from, .param .u32 bytes, .param .u32 rounds)\n" BEGIN
    "\tld.param.u32 %r2, [rounds];\n\tld.param.u32 %r4, [bytes];\n\tmov.u32 %r5, 0;\nround:\n"
    "\tld.param.u64 %d1, [from];\n\tmul.wide.u32 %d3, %c, %r4;\n\tadd.u64 %d1, %d1, %d3;\n"
    "\tmul.wide.u32 %d3, %t, 4;\n\tadd.u64 %d1, %d1, %d3;\n\tmul.lo.u32 %r3, %t, 4;\nagain:\n"
    "\tld.global.u32 %r1, [%d1];\n\tadd.u32 %r5, %r5, %r1;\n\tadd.u64 %d1, %d1, 1024;\n\tadd.u32 %r3, %r3, 1024;\n"
    "\tsetp.lt.u32 %p0, %r3, %r4;\n\t@%p0 bra again;\n\tsub.u32 %r2, %r2, 1;\n\tsetp.ne.u32 %p0, %r2, 0;\n"
    "\t@%p0 bra round;\n\tst.global.u32 [%d0], %r5;\n\tsetp.ne.u32 %p1, %c, 0xffffffff;\n\t@%p1 ret;\n" PRINT
    "\tret;\n}\n"
    ".visible .entry sines(.param .u64 out, .param .u64 from, .param .u32 bytes, .param .u32 rounds)\n" BEGIN
    "\tld.param.u32 %r2, [rounds];\n\tmov.f32 %f0, 0f3F000000;\nround:\n\tsin.approx.f32 %f0, %f0;\n"
    "\tsub.u32 %r2, %r2, 1;\n\tsetp.ne.u32 %p0, %r2, 0;\n\t@%p0 bra round;\n\tsetp.gt.f32 %p0, %f0, 0f00000000;\n"
    "\tselp.u32 %r1, 77, 0, %p0;\n\tst.global.u32 [%d0], %r1;\n\tsetp.ne.u32 %p1, %c, 0xffffffff;\n\t@%p1 ret;\n"
    PRINT "\tret;\n}\n"
    ".visible .entry jumps(.param .u64 out, .param .u64 from, .param .u32 bytes, .param .u32 rounds)\n" BEGIN
    "\tld.param.u32 %r2, [rounds];\n\tld.param.u64 %d1, [from];\n\tmul.wide.u32 %d3, %r0, 8;\n"
    "\tadd.u64 %d1, %d1, %d3;\nround:\n" JUMP4 JUMP4 JUMP4 JUMP4
    "\tsub.u32 %r2, %r2, 1;\n\tsetp.ne.u32 %p0, %r2, 0;\n\t@%p0 bra round;\n\tsetp.ne.u64 %p0, %d1, 0;\n"
    "\tselp.u32 %r1, 77, 0, %p0;\n\tst.global.u32 [%d0], %r1;\n\tret;\n}\n"
    ".visible .entry grid(.param .u64 out, .param .u64 from, .param .u32 bytes, .param .u32 rounds, .param .u32 ctas)\n"
    BEGIN "\tld.param.u64 %d1, [from];\n\tld.param.u32 %r5, [ctas];\n\tmov.u32 %r1, %envreg1;\n"
    "\tmov.u32 %r2, %envreg2;\n\tor.b32 %r1, %r1, %r2;\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 ret;\n"
    "\tsetp.ne.u32 %p0, %t, 0;\n"
    "\t@%p0 bra wait;\n\tred.global.add.u32 [%d1], 1;\nagain:\n\tld.volatile.global.u32 %r2, [%d1];\n"
    "\tsetp.le.u32 %p1, %r2, %r5;\n\t@%p1 bra again;\nwait:\n\tbar.sync 0;\n\tst.global.u32 [%d0], 77;\n\tret;\n}\n"
    ".visible .entry outside(.param .u64 out)\n" BEGIN
    "\tsetp.ne.u32 %p0, %r0, 300;\n\t@%p0 bra inside;\n\tst.global.u32 [%d0+1099511627776], 1;\ninside:\n"
    "\tst.global.u32 [%d0], 77;\n\tsetp.ne.u32 %p1, %c, 0xffffffff;\n\t@%p1 ret;\n" PRINT "\tret;\n}\n"
    ".visible .entry plain(.param .u64 out)\n" BEGIN
    "\tld.global.u32 %r1, [%d0];\n\tst.global.u32 [%d0], %r1;\n\tret;\n}\n"
    ".visible .entry counts(.param .u64 out)\n" BEGIN
    "\tred.global.add.u32 [%o], 1;\n\tsetp.ne.u32 %p1, %c, 0xffffffff;\n\t@%p1 ret;\n" PRINT "\tret;\n}\n";

static CUdeviceptr out, from;
static uint32_t bytes = 1024, rounds = 1, ctas = 3;

static int make_texture(CUtexObject *object)
{
	uint32_t values[THREADS];
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
	CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_READ_AS_INTEGER};

	for (uint32_t i = 0; i < THREADS; i++)
		values[i] = 77;
	resource.res.linear.devPtr = from;
	resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
	resource.res.linear.numChannels = 1;
	resource.res.linear.sizeInBytes = sizeof(values);
	return cuMemcpyHtoD(from, values, sizeof(values)) || cuTexObjectCreate(object, &resource, &how, NULL);
}

/* As many pointers as there are threads, each to another one: neighbours to two that are 61 apart. */
static int make_ring(void)
{
	const uint32_t count = ctas * THREADS;
	uint64_t *ring = malloc(count * sizeof(*ring));
	int is_wrong = !ring || (size_t)ctas * bytes < count * sizeof(*ring);

	for (uint32_t i = 0; i < count && !is_wrong; i++)
		ring[i] = from + sizeof(*ring) * ((i * 61 + 17) % count);
	is_wrong = is_wrong || cuMemcpyHtoD(from, ring, count * sizeof(*ring));
	free(ring);
	return is_wrong;
}

static int run(CUmodule module, const char *what)
{
	CUtexObject object = 0;
	void *args[] = {&out, strcmp(what, "texture") ? (void *)&from : (void *)&object, &bytes, &rounds, &ctas};
	CUfunction f;

	if (!strcmp(what, "writes"))
		return run(module, "reads") || run(module, "plain");

	if (!strcmp(what, "jumps") && make_ring())
		return 1;
	if (cuModuleGetFunction(&f, module, what) || (!strcmp(what, "texture") && make_texture(&object)))
		return 1;
	if (!strcmp(what, "grid"))
		return cuLaunchCooperativeKernel(f, ctas, 1, 1, THREADS, 1, 1, 0, NULL, args) || cuCtxSynchronize();
	return cuLaunchKernel(f, ctas, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL) || cuCtxSynchronize();
}

/* What each thread has written; of counts one place has all. */
static int is_right(const char *what)
{
	const int is_sum = !strcmp(what, "reads") || !strcmp(what, "writes");
	const uint32_t threads = ctas * THREADS, each = is_sum ? rounds * (bytes / 1024) : 77;
	uint32_t *got = malloc(threads * 4);
	int is_wrong = !got || cuMemcpyDtoH(got, out, threads * 4);

	if (!strcmp(what, "counts"))
		is_wrong |= is_wrong || got[0] != threads;
	else
		for (uint32_t i = 0; i < threads && !is_wrong; i++)
			is_wrong = got[i] != each;
	free(got);
	return !is_wrong;
}

int main(int argc, char **argv)
{
	CUdevice device;
	CUcontext context;
	CUmodule module;

	if (argc > 4) {
		bytes = (uint32_t)atoi(argv[2]);
		rounds = (uint32_t)atoi(argv[3]);
		ctas = (uint32_t)atoi(argv[4]);
	}
	if (argc < 2 || cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, 0, device) ||
	    cuModuleLoadData(&module, text) || cuMemAlloc(&out, (size_t)ctas * THREADS * 4) ||
	    cuMemAlloc(&from, (size_t)ctas * bytes) || cuMemsetD32(out, 0, (size_t)ctas * THREADS) ||
	    cuMemsetD32(from, 1, (size_t)ctas * bytes / 4))
		return 1;
	return run(module, argv[1]) || !is_right(argv[1]);
}
