/* arithmetic.c - roots, functions, quotients and fma of the machine beside the host's doubles: a line for each, the
 * largest error of 2,048 arguments relative to the value, as a power of two. Exit status 1: fma is neither the fused
 * one nor product and sum in some lane; the last line says which. */
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 256, CTAS = 8, COUNT = THREADS * CTAS, RESULTS = 9 };

static const char text[] =
    ".version 6.5\n.target sm_60\n.address_size 64\n"
    ".visible .entry functions(.param .u64 in, .param .u64 out)\n{\n"
    "\t.reg .b64 %i, %o, %u;\n\t.reg .f32 %x, %y, %z, %r;\n\t.reg .b32 %t, %c, %n;\n\t.reg .pred %p;\n"
    "\tld.param.u64 %i, [in];\n\tld.param.u64 %o, [out];\n\tmov.u32 %t, %tid.x;\n\tmov.u32 %c, %ctaid.x;\n"
    "\tmov.u32 %n, %ntid.x;\n\tmad.lo.u32 %t, %c, %n, %t;\n"
    "\tmul.wide.u32 %u, %t, 12;\n\tadd.u64 %i, %i, %u;\n\tmul.wide.u32 %u, %t, 36;\n\tadd.u64 %o, %o, %u;\n"
    "\tld.global.f32 %x, [%i];\n\tld.global.f32 %y, [%i+4];\n\tld.global.f32 %z, [%i+8];\n"
    "\tsqrt.approx.f32 %r, %x;\n\tst.global.f32 [%o], %r;\n"
    "\tsqrt.rn.f32 %r, %x;\n\tst.global.f32 [%o+4], %r;\n"
    "\trsqrt.approx.f32 %r, %x;\n\tst.global.f32 [%o+8], %r;\n"
    "\tdiv.rn.f32 %r, %x, %y;\n\tst.global.f32 [%o+12], %r;\n"
    "\trcp.rn.f32 %r, %x;\n\tst.global.f32 [%o+16], %r;\n"
    "\tex2.approx.f32 %r, %y;\n\tst.global.f32 [%o+20], %r;\n"
    "\tsetp.lt.u32 %p, %c, 8;\n" /* holds for all: an instruction with a guard is counted, too */
    "\t@ %p fma.rn.f32 %r, %x, %y, %z;\n\tst.global.f32 [%o+24], %r;\n"
    "\tsin.approx.f32 %r, %y;\n\tst.global.f32 [%o+28], %r;\n"
    "\tlg2.approx.f32 %r, %x;\n\tst.global.f32 [%o+32], %r;\n"
    "\tret;\n}\n";

static const char *const names[RESULTS] = {"sqrt.approx", "sqrt.rn", "rsqrt.approx", "div.rn", "rcp.rn",
					   "ex2.approx",  "fma.rn",  "sin.approx",   "lg2.approx"};

static float in[COUNT][3], out[COUNT][RESULTS];

/* Numbers of which no rounding shows in all: two thirds have all bits, the others few. */
static void fill(void)
{
	uint32_t state = 1;

	for (uint32_t n = 0; n < COUNT; n++)
		for (uint32_t k = 0; k < 3; k++) {
			state = state * 1664525 + 1013904223;
			in[n][k] = (float)(1 + state % 1000003) / (n % 3 ? 7919 : 8192);
			if (k == 2)
				in[n][k] = -in[n][0] * in[n][1] * (1 + (float)(state % 5) * 0x1p-20f);
		}
}

static double wanted(uint32_t function, const float *x)
{
	switch (function) {
	case 0:
	case 1: return sqrt((double)x[0]);
	case 2: return 1 / sqrt((double)x[0]);
	case 3: return (double)x[0] / (double)x[1];
	case 4: return 1 / (double)x[0];
	case 5: return exp2((double)x[1]);
	case 6: return fma((double)x[0], (double)x[1], (double)x[2]);
	case 7: return sin((double)x[1]);
	default: return log2((double)x[0]);
	}
}

/* Of sin and lg2 absolute, as PTX has it; of fma in neither way. */
static double error_of(uint32_t function, const float *x, float got)
{
	const double want = wanted(function, x);

	return fabs((double)got - want) / (function > 6 ? 1 : fabs(want));
}

static int fma_kind(void)
{
	uint32_t fused = 0, separate = 0;

	for (uint32_t n = 0; n < COUNT; n++) {
		const volatile float product = in[n][0] * in[n][1];

		fused += out[n][6] == fmaf(in[n][0], in[n][1], in[n][2]);
		separate += out[n][6] == product + in[n][2];
	}
	printf("fma is %s\n", fused == COUNT ? "fused" : separate == COUNT ? "separate" : "neither");
	return fused != COUNT && separate != COUNT;
}

int main(void)
{
	CUcontext context;
	CUmodule module;
	CUfunction f;
	CUdeviceptr to, from;
	void *args[] = {&from, &to};

	fill();
	if (cuInit(0) || cuCtxCreate(&context, 0, 0) || cuModuleLoadData(&module, text) ||
	    cuModuleGetFunction(&f, module, "functions") || cuMemAlloc(&to, sizeof(out)) ||
	    cuMemAlloc(&from, sizeof(in)) || cuMemcpyHtoD(from, in, sizeof(in)) ||
	    cuLaunchKernel(f, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL) ||
	    cuMemcpyDtoH(out, to, sizeof(out)))
		return 2;
	for (uint32_t function = 0; function < RESULTS; function++) {
		double most = 0;

		for (uint32_t n = 0; function != 6 && n < COUNT; n++)
			most = fmax(most, error_of(function, in[n], out[n][function]));
		if (function != 6)
			printf("%s %.2f\n", names[function], log2(most + 0x1p-60));
	}
	return fma_kind();
}
