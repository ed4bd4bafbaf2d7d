/* values.c - values KIND [CTAS]: a kernel whose results say in which order its SMs' stores, loads and atomics were. It
 * prints a hash of all that the kernel has written. No result is wrong: what is asked is that the same comes out each
 * time.
 *
 *   race       CTAs store into, and load from, the same few words in every cycle, by addresses of several kinds
 *   last       threads load the same few words in almost every cycle, and store there at their end
 *   order      what atomics on one word return
 *   flag       two CTAs hand a flag to and fro; the others wait for what they count
 *   wide       vectors and bytes across the words of others, by generic addresses that also mean other memories
 *   print      threads print, in the order in which they come to it
 *   assert     a thread of a late CTA asserts, others go on
 *   fault      a thread of a late CTA reads where nothing is, others go on; two of one cycle
 *   heap       threads take memory of the device and give it back
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CTAS = 48, CTAS_MAX = 960, THREADS = 96, WORDS = 1 << 17 };

#define HEAD                                                                                                 \
	".version 6.0\n.target sm_60\n.address_size 64\n"                                                    \
	".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"                            \
	".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n" \
	".extern .func (.param .b64 r) malloc (.param .b64 s);\n"                                            \
	".extern .func free (.param .b64 p);\n"                                                              \
	".global .align 1 .b8 text[16] = {99, 116, 97, 32, 37, 117, 32, 97, 116, 32, 37, 117, 10, 0};\n"      \
	".global .align 1 .b8 word[4] = {98, 97, 100, 0};\n"                                                 \
	".visible .entry k(.param .u64 out)\n{\n"                                                            \
	".reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %d<30>; .reg .b16 %h<8>;\n"                           \
	".shared .align 16 .b8 sh[4096];\n.local .align 16 .b8 lo[64];\n"                                    \
	"ld.param.u64 %d1, [out];\n"                                                                         \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"                                \
	"mad.lo.u32 %r4, %r2, %r3, %r1;\n" /* thread of the grid */                                          \
	"mul.wide.u32 %d2, %r4, 4; add.u64 %d2, %d1, %d2; add.u64 %d2, %d2, 131072;\n" /* its result */      \
	"mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
#define TAIL "st.global.u32 [%d2], %r6;\nret;\n}\n"
/* r6 = r6 * 31 + r7 */
#define MIX "mad.lo.u32 %r6, %r6, 31, %r7;\n"
#define LOOP(n, body) "L" #n ":\n" body "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, " #n ";\n@%p1 bra L" #n ";\n"
/* d3 = out + 4 * (r8 % 64) */
#define PLACE "and.b32 %r8, %r8, 63; mul.wide.u32 %d3, %r8, 4; add.u64 %d3, %d1, %d3;\n"

static const struct kind {
	const char *name, *body;
} kinds[] = {
    {"race", LOOP(60, "mad.lo.u32 %r8, %r5, 7, %r1;\n" PLACE "mad.lo.u32 %r9, %r4, 61, %r5; st.global.u32 [%d3], %r9;\n"
		      "mad.lo.u32 %r8, %r5, 5, %r1;\n" PLACE "ld.volatile.global.u32 %r7, [%d3];\n" MIX
		      "ld.global.cg.u32 %r7, [%d3+4];\n" MIX "ld.global.u32 %r7, [%d1+8];\n" MIX)},
    {"last", LOOP(60, "mad.lo.u32 %r8, %r5, 7, %r1;\n" PLACE "ld.global.u32 %r7, [%d3];\n" MIX)
	     "mad.lo.u32 %r7, %r6, 31, %r4;\nst.global.u32 [%d3], %r7;\n"},
    {"order", LOOP(40, "atom.global.add.u32 %r7, [%d1], 1;\n" MIX "and.b32 %r8, %r5, 3;\n" PLACE
		       "atom.global.exch.b32 %r7, [%d3+64], %r4;\n" MIX "red.global.max.u32 [%d3+128], %r4;\n"
		       "ld.volatile.global.u32 %r7, [%d3+128];\n" MIX)},
    {"flag", "setp.gt.u32 %p2, %r2, 1;\n@%p2 bra WATCH;\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 bra END;\n"
	     "HAND:\nld.volatile.global.u32 %r7, [%d1];\nand.b32 %r8, %r7, 1;\nadd.u32 %r6, %r6, 1;\n"
	     "setp.ne.u32 %p1, %r8, %r2;\n@%p1 bra HAND;\nadd.u32 %r7, %r7, 1;\nst.volatile.global.u32 [%d1], %r7;\n"
	     "setp.lt.u32 %p1, %r7, 100;\n@%p1 bra HAND;\nbra END;\n"
	     "WATCH:\nld.volatile.global.u32 %r7, [%d1];\n" MIX "setp.lt.u32 %p1, %r7, 60;\n@%p1 bra WATCH;\nEND:\n"},
    {"wide", "cvta.global.u64 %d4, %d1; mov.u64 %d5, sh; cvta.shared.u64 %d5, %d5; mov.u64 %d6, lo;\n"
	     "cvta.local.u64 %d6, %d6;\n"
	     LOOP(40, "mad.lo.u32 %r8, %r5, 3, %r1;\n" PLACE "and.b32 %r10, %r1, 3; setp.eq.u32 %p2, %r10, 1;\n"
		      "setp.eq.u32 %p3, %r10, 2; sub.u64 %d7, %d3, %d1; and.b64 %d8, %d7, 240; add.u64 %d9, %d4, %d8;\n"
		      "@%p2 add.u64 %d9, %d5, %d8; @%p3 and.b64 %d8, %d8, 48; @%p3 add.u64 %d9, %d6, %d8;\n"
		      "st.v2.u32 [%d9], {%r4, %r5}; ld.v4.u32 {%r7, %r11, %r12, %r13}, [%d9];\n" MIX
		      "xor.b32 %r7, %r11, %r12;\n" MIX "st.global.u8 [%d3+1], %r4; ld.global.s8 %r7, [%d3+2];\n" MIX
		      "ld.volatile.global.u64 %d10, [%d1+32]; cvt.u32.u64 %r7, %d10;\n" MIX)},
    {"print", "setp.ne.u32 %p2, %r1, 5;\n@%p2 bra END;\n"
	      LOOP(3, "st.local.u32 [lo], %r2; st.local.u32 [lo+4], %r5; mov.u64 %d6, lo; cvta.local.u64 %d6, %d6;\n"
		      "mov.u64 %d7, text; cvta.global.u64 %d7, %d7;\n"
		      "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d7; st.param.b64 [a], %d6;\n"
		      "call (r), vprintf, (f, a); ld.param.b32 %r7, [r]; }\n"
		      "atom.global.add.u32 %r7, [%d1], 1;\n" MIX) "END:\n"},
    {"assert", LOOP(50, "atom.global.add.u32 %r7, [%d1], 1;\n" MIX "ld.volatile.global.u32 %r7, [%d1+4];\n" MIX
			"st.global.u32 [%d1+4], %r4;\n")
	       "setp.ne.u32 %p2, %r2, 11;\n@%p2 bra END;\nmov.u64 %d7, word; cvta.global.u64 %d7, %d7;\n"
	       "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s; st.param.b64 [m], %d7;\n"
	       "st.param.b64 [f], %d7; st.param.b32 [l], 7; st.param.b64 [n], %d7; st.param.b64 [s], 1;\n"
	       "call __assertfail, (m, f, l, n, s); }\nEND:\n"},
    {"fault", LOOP(50, "ld.volatile.global.u32 %r7, [%d1+4];\n" MIX "st.global.u32 [%d1+4], %r4;\n")
	      "and.b32 %r8, %r2, 7; setp.ne.u32 %p2, %r8, 5;\n@%p2 bra END;\nadd.u64 %d3, %d1, 0x700000000;\n"
	      "ld.global.u32 %r7, [%d3];\n" MIX "END:\n" LOOP(90, "add.u32 %r6, %r6, %r5;\n")},
    {"heap", LOOP(5, "{ .param .b64 s; .param .b64 r; st.param.b64 [s], 48; call (r), malloc, (s);\n"
		     "ld.param.b64 %d7, [r]; }\n"
		     "st.u32 [%d7], %r4; ld.u32 %r7, [%d7]; cvt.u32.u64 %r8, %d7; xor.b32 %r7, %r7, %r8;\n" MIX
		     "{ .param .b64 p; st.param.b64 [p], %d7; call free, (p); }\n")},
};

static void check(CUresult r, const char *what)
{
	const char *name;

	if (r == CUDA_SUCCESS)
		return;
	cuGetErrorName(r, &name);
	printf("%s: %s\n", what, name);
	exit(r == CUDA_ERROR_ASSERT || r == CUDA_ERROR_ILLEGAL_ADDRESS ? 3 : 1);
}

int main(int argc, char **argv)
{
	static uint32_t words[WORDS];
	static char text[16384];
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction kernel;
	CUdeviceptr out;
	void *args[] = {&out};
	const struct kind *kind = NULL;
	uint64_t hash = 1469598103934665603u;
	const uint32_t ctas = argc == 3 ? (uint32_t)atoi(argv[2]) : CTAS;

	for (uint32_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc > 1 && !strcmp(argv[1], kinds[i].name))
			kind = &kinds[i];
	if (!kind || ctas < 1 || ctas > CTAS_MAX)
		return 2;
	snprintf(text, sizeof(text), "%s%s%s", HEAD, kind->body, TAIL);
	check(cuInit(0), "init");
	check(cuDeviceGet(&device, 0), "device");
	check(cuCtxCreate(&context, 0, device), "context");
	check(cuModuleLoadData(&module, text), "module");
	check(cuModuleGetFunction(&kernel, module, "k"), "kernel");
	check(cuMemAlloc(&out, sizeof(words)), "memory");
	check(cuMemsetD32(out, 0, WORDS), "memory");
	check(cuLaunchKernel(kernel, ctas, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL), "launch");
	check(cuCtxSynchronize(), "kernel");
	check(cuMemcpyDtoH(words, out, sizeof(words)), "copy");
	for (uint32_t i = 0; i < WORDS; i++)
		hash = (hash ^ words[i]) * 1099511628211u;
	printf("%s: %016llx\n", kind->name, (unsigned long long)hash);
	return 0;
}
