/* attacks.c [arrays] - kernels that read and write where they must not: every space, below, above and far from what is
 * there, negative and at the end of all addresses; labels, parameters, constants and handles. Each is launched in a
 * context of its own, on the machine of the session, and gets the same error on every kind of machine. arrays: of one
 * that has no textures and no calls through pointers, which it refuses. Exit status 0: all did. */
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 256, SHARED = 64, LOCAL = 64, THREADS = 64 };

/* Kernels have the parameters A, an array of BYTES, and O, an offset. %t: the lane's number; %a, %o: A and O; %x: what
 * is loaded. */
static const char head[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".const .align 8 .b64 C[4] = {1, 2, 3, 4};\n.global .align 8 .b64 G[4] = {1, 2, 3, 4};\n.global .texref T;\n"
    ".visible .entry k(.param .u64 A, .param .u64 O)\n{\n"
    "\t.reg .b64 %a, %o, %d, %e, %x, %y;\n\t.reg .b32 %t, %i, %j;\n\t.reg .f32 %f<8>;\n\t.reg .pred %p, %q;\n"
    "\t.shared .align 8 .b8 S[64];\n\t.local .align 8 .b8 L[64];\n"
    "\tld.param.u64 %a, [A];\n\tld.param.u64 %o, [O];\n\tmov.u32 %t, %tid.x;\n\tcvta.to.global.u64 %d, %a;\n"
    "\tmov.u64 %x, 0;\n";
/* What was loaded is used. */
static const char tail[] = "\tst.global.u64 [%d], %x;\n\tret;\n}\n";

enum { ADDRESS = CUDA_ERROR_ILLEGAL_ADDRESS, ALIGNMENT = CUDA_ERROR_MISALIGNED_ADDRESS, PC = CUDA_ERROR_INVALID_PC,
       LAUNCH = CUDA_ERROR_LAUNCH_FAILED, REFUSED = CUDA_ERROR_NOT_SUPPORTED };

struct attack {
	const char *name, *code;
	uint64_t offset; /* O */
	int expected, arrays; /* arrays: where they give another one; 0: the same */
};

#define FAR32 0x7ffffff8ull
#define FAR40 0x10000000000ull
#define END (uint64_t)-8

/* One access in a space with the offsets of every kind. base: what %e is before O is added. */
#define IN_SPACE(name, code, size, half) \
	{name " below", code, (uint64_t)-8, ADDRESS, 0}, {name " above", code, size, ADDRESS, 0}, \
	{name " half above", code, (size)-4, half, 0}, {name " 2 GB away", code, FAR32, ADDRESS, 0}, \
	{name " 1 TB away", code, FAR40, ADDRESS, 0}, {name " 2^63 away", code, 1ull << 63, ADDRESS, 0}

#define LOAD(space, base) "\tmov.u64 %e, " base ";\n\tadd.u64 %e, %e, %o;\n\tld" space ".u64 %x, [%e];\n"
#define STORE(space, base) "\tmov.u64 %e, " base ";\n\tadd.u64 %e, %e, %o;\n\tst" space ".u64 [%e], %x;\n"
#define PAIR(space, base) "\tmov.u64 %e, " base ";\n\tadd.u64 %e, %e, %o;\n\tld" space ".v2.u64 {%x, %y}, [%e];\n"
#define ATOM(space, base) "\tmov.u64 %e, " base ";\n\tadd.u64 %e, %e, %o;\n\tatom" space ".add.u64 %x, [%e], 1;\n"
/* Only the last lane goes wrong, after the others were right. */
#define LAST(access) "\tsetp.ne.u32 %p, %t, 63;\n\tselp.b64 %o, 0, %o, %p;\n" access
#define LOOP                                                                                                           \
	"\tmov.u32 %i, 0;\nAGAIN:\n\tadd.u32 %i, %i, 1;\n" \
	"\tadd.u64 %x, %x, 3;\n\tsetp.lt.u32 %p, %i, %j;\n\t@%p bra AGAIN;\n"
#define BRX "ts: .branchtargets P0, P1;\n\tbrx.idx %i, ts;\nP0:\n\tadd.u64 %x, %x, 1;\nP1:\n\tadd.u64 %x, %x, 2;\n"
#define FUNCTION "\tcvt.u64.u32 %y, %t;\n\tadd.u64 %y, %y, %o;\n\tp: .callprototype _ ();\n\tcall %y, (), p;\n"

static const struct attack attacks[] = {
    {"nothing", "", 0, 0, 0},
    IN_SPACE("global load", LOAD(".global", "%d"), BYTES, ALIGNMENT),
    IN_SPACE("global store", STORE(".global", "%d"), BYTES, ALIGNMENT),
    IN_SPACE("global atomic", ATOM(".global", "%d"), BYTES, ALIGNMENT),
    IN_SPACE("generic load", LOAD("", "%a"), BYTES, ALIGNMENT),
    IN_SPACE("generic store", STORE("", "%a"), BYTES, ALIGNMENT),
    IN_SPACE("last lane's load", LAST(LOAD(".global", "%d")), BYTES, ALIGNMENT),
    IN_SPACE("last lane's store", LAST(STORE(".global", "%d")), BYTES, ALIGNMENT),
    IN_SPACE("shared load", LOAD(".shared", "S"), SHARED, ADDRESS),
    IN_SPACE("shared store", STORE(".shared", "S"), SHARED, ADDRESS),
    IN_SPACE("shared atomic", ATOM(".shared", "S"), SHARED, ADDRESS),
    IN_SPACE("constant load", LOAD(".const", "C"), 4096, ALIGNMENT),
    IN_SPACE("parameter", LOAD(".param", "A"), 16, ADDRESS),
    {"global pair at the end", PAIR(".global", "%d"), BYTES - 8, ALIGNMENT, 0},
    {"global pair above", PAIR(".global", "%d"), BYTES, ADDRESS, 0},
    {"shared pair above", PAIR(".shared", "S"), SHARED, ADDRESS, 0},
    {"local load far below", LOAD(".local", "L"), (uint64_t)-65536, ADDRESS, 0},
    {"local store far above", STORE(".local", "L"), 1 << 20, ADDRESS, 0},
    {"local store 2 GB away", STORE(".local", "L"), FAR32, ADDRESS, 0},
    {"local store 1 TB away", STORE(".local", "L"), FAR40, ADDRESS, 0},
    {"local load, misaligned", LOAD(".local", "L"), 4, ALIGNMENT, 0},
    {"the last address, load", "\tld.global.u64 %x, [%o];\n", END, ADDRESS, 0},
    {"the last address, store", "\tst.global.u64 [%o], %x;\n", END, ADDRESS, 0},
    {"the last address, generic", "\tst.u64 [%o], %x;\n", END, ADDRESS, 0},
    {"the last byte", "\tld.global.u8 %x, [%o];\n", (uint64_t)-1, ADDRESS, 0},
    {"the last address, last lane", LAST("\tadd.u64 %e, %d, %o;\n\tsub.u64 %e, %e, %d;\n\tselp.b64 %e, %d, %e, %p;\n"
					 "\tld.global.u64 %x, [%e];\n"), END, ADDRESS, 0},
    {"null", "\tld.global.u64 %x, [%o];\n", 0, ADDRESS, 0},
    {"null, by number", "\tld.global.u64 %x, [0];\n", 0, ADDRESS, 0},
    {"the shared window without memory", "\tadd.u64 %e, %o, 65536;\n\tst.u64 [%e], %x;\n", 0, ADDRESS, 0},
    {"parameter above, by name", "\tld.param.u64 %x, [A+16];\n", 0, ADDRESS, 0},
    {"parameter below, by name", "\tld.param.u64 %x, [A+-8];\n", 0, ADDRESS, 0},
    {"parameter far, by name", "\tld.param.u64 %x, [A+4096];\n", 0, ADDRESS, 0},
    {"parameter 1 MB away, by name", "\tld.param.u64 %x, [A+1048576];\n", 0, ADDRESS, 0},
    {"parameter 2 GB away, by name", "\tld.param.u64 %x, [A+0x7ffffff8];\n", 0, ADDRESS, 0},
    {"parameter, misaligned", "\tld.param.u64 %x, [A+4];\n", 0, ALIGNMENT, 0},
    {"parameter pair half above", "\tld.param.v2.u64 {%x, %y}, [A+8];\n", 0, ADDRESS, 0},
    {"parameter that nobody reads", "\tld.param.u64 %y, [A+64];\n", 0, ADDRESS, 0},
    {"parameter as a loop's bound", "\tld.param.u32 %j, [A+-8];\n" LOOP, 0, ADDRESS, 0},
    {"parameter above as a loop's bound", "\tld.param.u32 %j, [A+1048576];\n" LOOP, 0, ADDRESS, 0},
    {"parameter where no lane comes",
     "\tsetp.ne.u64 %p, %o, 0;\n\t@!%p bra OVER;\n\tld.param.u64 %x, [A+4096];\nOVER:\n", 0, 0, 0},
    {"constant where no lane comes",
     "\tsetp.ne.u64 %p, %o, 0;\n\t@!%p bra OVER;\n\tld.const.u64 %x, [C+1048576];\nOVER:\n", 0, 0, 0},
    {"constant below, by name", "\tld.const.u64 %x, [C+-1048576];\n", 0, ADDRESS, 0},
    {"constant above, by name", "\tld.const.u64 %x, [C+1048576];\n", 0, ADDRESS, 0},
    {"constant, misaligned", "\tld.const.u64 %x, [C+4];\n", 0, ALIGNMENT, 0},
    {"label 0", "\tcvt.u32.u64 %i, %o;\n" BRX, 0, 0, 0},
    {"label 2 of 2", "\tcvt.u32.u64 %i, %o;\n" BRX, 2, PC, 0},
    {"label -1", "\tcvt.u32.u64 %i, %o;\n" BRX, (uint64_t)-1, PC, 0},
    {"label 7 of one lane", "\tsetp.eq.u32 %p, %t, 9;\n\tselp.b32 %i, 7, 1, %p;\n" BRX, 0, PC, 0},
    {"label 7 by number", "\tmov.u32 %i, 7;\n" BRX, 0, PC, 0},
    {"a handle of no texture", "\ttex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%o, {%f4}];\n", 0x1234, ADDRESS, REFUSED},
    {"a handle of no surface", "\tmov.u32 %i, 0;\n\tsust.b.1d.b32.trap [%o, {%i}], %i;\n", 0x1234, ADDRESS, REFUSED},
    {"a trap", "\ttrap;\n", 0, LAUNCH, 0},
    {"a call of no function", FUNCTION, 0, PC, REFUSED},
    {"a call far away", FUNCTION, END, PC, REFUSED},
};

static int launch(const struct attack *a)
{
	static char text[sizeof(head) + sizeof(tail) + 4096];
	CUcontext context;
	CUmodule module;
	CUfunction f;
	CUdeviceptr array;
	uint64_t offset = a->offset;
	void *args[] = {&array, &offset};
	CUresult result;

	snprintf(text, sizeof(text), "%s%s%s", head, a->code, tail);
	result = cuCtxCreate(&context, 0, 0);
	if (!result)
		result = cuModuleLoadData(&module, text);
	if (!result)
		result = cuModuleGetFunction(&f, module, "k");
	if (!result)
		result = cuMemAlloc(&array, BYTES);
	if (result) {
		fprintf(stderr, "%s: error %d before it was launched\n", a->name, result);
		return -1;
	}
	result = cuLaunchKernel(f, 2, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL);
	if (!result)
		result = cuCtxSynchronize();
	cuCtxDestroy(context);
	return (int)result;
}

int main(int argc, char **argv)
{
	const bool arrays = argc > 1 && !strcmp(argv[1], "arrays");
	unsigned int wrong = 0;

	if (cuInit(0))
		return 2;
	for (size_t k = 0; k < sizeof(attacks) / sizeof(attacks[0]); k++) {
		const struct attack *a = &attacks[k];
		const int expected = arrays && a->arrays ? a->arrays : a->expected, got = launch(a);

		if (got == expected)
			continue;
		fprintf(stderr, "%s: error %d; expected %d\n", a->name, got, expected);
		wrong++;
	}
	if (wrong)
		fprintf(stderr, "%u of %zu attacks\n", wrong, sizeof(attacks) / sizeof(attacks[0]));
	return wrong ? 1 : 0;
}
