/* served.c [forever|waits|streams] - a kernel that prints, which the arrays refuse; forever: and never ends; or
 * one that waits for what nobody writes, which they take; or one that copies 4 MB and would print. Exit status 0:
 * it ran, and wrote what it was to. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".global .align 1 .b8 words[8] = {115, 101, 114, 118, 101, 100, 10, 0};\n"
    ".visible .entry prints(.param .u64 out, .param .u32 forever)\n{\n"
    "\t.reg .b64 %d<4>;\n\t.reg .b32 %r<3>;\n\t.reg .pred %p1;\n"
    "\tld.param.u64 %d1, [out];\n\tmov.u64 %d2, words;\n\tcvta.global.u64 %d2, %d2;\n"
    "\t{ .param .b64 p0; st.param.b64 [p0], %d2; .param .b64 p1; st.param.b64 [p1], 0; .param .b32 got;\n"
    "\tcall.uni (got), vprintf, (p0, p1);\n\tld.param.b32 %r1, [got]; }\n"
    "\tmov.u32 %r1, 77;\n\tst.global.u32 [%d1], %r1;\n"
    "\tld.param.u32 %r2, [forever];\n\tsetp.ne.u32 %p1, %r2, 0;\nround:\n\t@%p1 bra round;\n\tret;\n}\n"
    ".visible .entry waits(.param .u64 out)\n{\n"
    "\t.reg .b64 %d1;\n\t.reg .b32 %r1;\n\t.reg .pred %p1;\n"
    "\tld.param.u64 %d1, [out];\nagain:\n\tld.volatile.global.u32 %r1, [%d1];\n"
    "\tsetp.ne.u32 %p1, %r1, 77;\n\t@%p1 bra again;\n\tret;\n}\n"
    ".visible .entry streams(.param .u64 out, .param .u64 in)\n{\n"
    "\t.reg .b64 %o, %i, %d2, %u;\n\t.reg .b32 %t, %c, %v<4>;\n\t.reg .pred %p;\n"
    "\tld.param.u64 %o, [out];\n\tld.param.u64 %i, [in];\n\tmov.u32 %t, %tid.x;\n\tmov.u32 %c, %ctaid.x;\n"
    "\tmad.lo.s32 %c, %c, 256, %t;\n\tmul.wide.u32 %u, %c, 16;\n\tadd.u64 %o, %o, %u;\n\tadd.u64 %i, %i, %u;\n"
    "\tld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%i];\n\tst.global.v4.u32 [%o], {%v0, %v1, %v2, %v3};\n"
    "\tsetp.ne.u32 %p, %c, 0xffffffff;\n\t@%p ret;\n\tmov.u64 %d2, words;\n\tcvta.global.u64 %d2, %d2;\n"
    "\t{ .param .b64 p0; st.param.b64 [p0], %d2; .param .b64 p1; st.param.b64 [p1], 0; .param .b32 got;\n"
    "\tcall.uni (got), vprintf, (p0, p1);\n\tld.param.b32 %t, [got]; }\n\tret;\n}\n";

enum { STREAM_BYTES = 4 << 20, STREAM_CTAS = STREAM_BYTES / 16 / 256 };

static int streams(CUmodule module, CUdeviceptr out)
{
	CUfunction f;
	CUdeviceptr in, to;
	void *args[] = {&to, &in};
	uint32_t last = 0;

	return cuModuleGetFunction(&f, module, "streams") || cuMemAlloc(&in, STREAM_BYTES) ||
	       cuMemAlloc(&to, STREAM_BYTES) || cuMemsetD32(in, 77, STREAM_BYTES / 4) ||
	       cuLaunchKernel(f, STREAM_CTAS, 1, 1, 256, 1, 1, 0, NULL, args, NULL) ||
	       cuMemcpyDtoH(&last, to + STREAM_BYTES - 4, 4) || last != 77 || out == 0;
}

int main(int argc, char **argv)
{
	const char *entry = argc > 1 && !strcmp(argv[1], "waits") ? "waits" : "prints";
	uint32_t got = 0, forever = argc > 1;
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction f;
	CUdeviceptr out;
	void *args[] = {&out, &forever};
	const int is_stream = argc > 1 && !strcmp(argv[1], "streams");

	if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, 0, device) ||
	    cuModuleLoadData(&module, text) || cuModuleGetFunction(&f, module, entry) || cuMemAlloc(&out, 4) ||
	    cuMemsetD32(out, 0, 1))
		return 1;
	if (is_stream)
		return streams(module, out);
	if (cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL) ||
	    cuMemcpyDtoH(&got, out, 4))
		return 1;
	return got == 77 ? 0 : 1;
}
