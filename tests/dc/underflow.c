/* underflow.c [single] - double and half precision at the end of their ranges: prints what comes out, bit by bit.
 * single: a product of floats that is denormal, besides. Exit status 0: it ran. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 256, WORDS = 12 };

/* Of thread t: doubles from 2^-1074 on, and halves from 2^-24 on, with all their bits. */
static const char text[] =
    ".version 6.5\n.target sm_60\n.address_size 64\n"
    ".visible .entry ends(.param .u64 out)\n{\n"
    "\t.reg .b64 %o, %u, %w;\n\t.reg .f64 %a, %b, %c, %r;\n\t.reg .b32 %t, %v;\n\t.reg .f32 %f;\n"
    "\t.reg .b16 %h, %k, %q;\n"
    "\tld.param.u64 %o, [out];\n\tmov.u32 %t, %tid.x;\n\tmul.wide.u32 %u, %t, 96;\n\tadd.u64 %o, %o, %u;\n"
    /* a: t * 2^-1074 * something odd; b: about 1 / 2^(t & 31); c: near the least normal number */
    "\tmul.wide.u32 %u, %t, 0x1234567;\n\tmul.lo.u64 %u, %u, %u;\n\tmov.b64 %a, %u;\n"
    "\tand.b32 %v, %t, 31;\n\tcvt.u64.u32 %w, %v;\n\tshl.b64 %w, %w, 52;\n\tmov.u64 %u, 0x3ff5555555555555;\n"
    "\tsub.u64 %u, %u, %w;\n\tmov.b64 %b, %u;\n"
    "\tmul.wide.u32 %u, %t, 0x10000001;\n\tadd.u64 %u, %u, 0x000fffffffffff00;\n\tmov.b64 %c, %u;\n"
    "\tmul.rn.f64 %r, %a, %b;\n\tst.global.f64 [%o], %r;\n"
    "\tmul.rn.f64 %r, %c, %b;\n\tst.global.f64 [%o+8], %r;\n"
    "\tsub.rn.f64 %r, %c, %a;\n\tst.global.f64 [%o+16], %r;\n"
    "\tfma.rn.f64 %r, %c, %b, %a;\n\tst.global.f64 [%o+24], %r;\n"
    "\tdiv.rn.f64 %r, %c, %b;\n\tst.global.f64 [%o+32], %r;\n"
    "\tsqrt.rn.f64 %r, %a;\n\tst.global.f64 [%o+40], %r;\n"
    "\tcvt.rpi.f64.f64 %r, %a;\n\tst.global.f64 [%o+48], %r;\n"
    "\tcvt.rn.f64.s64 %r, 1;\n\tadd.f64 %r, %r, %a;\n\tst.global.f64 [%o+56], %r;\n"
    /* halves: h: t + 1 times 2^-24; k: about 1 / 2^(t & 15) */
    "\tadd.u32 %v, %t, 1;\n\tcvt.u16.u32 %h, %v;\n\tand.b32 %v, %t, 15;\n\tshl.b32 %v, %v, 10;\n"
    "\tsub.u32 %v, 0x3d55, %v;\n\tcvt.u16.u32 %k, %v;\n"
    "\tmul.rn.f16 %q, %h, %k;\n\tcvt.u32.u16 %v, %q;\n\tst.global.u32 [%o+64], %v;\n"
    "\tmul.rn.f16 %q, %k, %k;\n\tcvt.u32.u16 %v, %q;\n\tst.global.u32 [%o+68], %v;\n"
    "\tfma.rn.f16 %q, %h, %k, %h;\n\tcvt.u32.u16 %v, %q;\n\tst.global.u32 [%o+72], %v;\n"
    "\tsub.rn.f16 %q, %h, %k;\n\tcvt.u32.u16 %v, %q;\n\tst.global.u32 [%o+76], %v;\n"
    "\tcvt.f32.f16 %f, %h;\n\tst.global.f32 [%o+80], %f;\n"
    "\tmul.f32 %f, %f, 0f3eaaaaab;\n\tcvt.rn.f16.f32 %q, %f;\n\tcvt.u32.u16 %v, %q;\n\tst.global.u32 [%o+84], %v;\n"
    "\tmov.u32 %v, 0;\n\tst.global.u32 [%o+88], %v;\n\tst.global.u32 [%o+92], %v;\n\tret;\n}\n"
    ".visible .entry single(.param .u64 out)\n{\n\t.reg .b64 %o;\n\t.reg .f32 %f;\n"
    "\tld.param.u64 %o, [out];\n\tld.global.f32 %f, [%o];\n\tmul.f32 %f, %f, 0f1e3ce508;\n\tst.global.f32 [%o+4], %f;\n"
    "\tret;\n}\n";

int main(int argc, char **argv)
{
	static uint64_t got[THREADS * WORDS];
	const float small = 1e-20f;
	CUcontext context;
	CUmodule module;
	CUfunction f;
	CUdeviceptr out;
	void *args[] = {&out};

	if (cuInit(0) || cuCtxCreate(&context, 0, 0) || cuModuleLoadData(&module, text) ||
	    cuModuleGetFunction(&f, module, "ends") || cuMemAlloc(&out, sizeof(got)) ||
	    cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL) || cuMemcpyDtoH(got, out, sizeof(got)))
		return 1;
	for (size_t n = 0; n < THREADS * WORDS; n++)
		printf("%016llx%c", (unsigned long long)got[n], n % WORDS == WORDS - 1 ? '\n' : ' ');
	if (argc > 1 && !strcmp(argv[1], "single") &&
	    (cuModuleGetFunction(&f, module, "single") || cuMemcpyHtoD(out, &small, sizeof(small)) ||
	     cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL)))
		return 1;
	return 0;
}
