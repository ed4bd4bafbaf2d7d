/* Kernels have PTX's arithmetic whatever the program's floating-point mode is, and the program keeps its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cuda.h>
#include <fenv.h>
#include <xmmintrin.h>

enum { FLUSHES = 0x8040 /* results and operands that are denormal are 0 */ };

static const char text[] = ".version 6.0\n.target sm_60\n.address_size 64\n"
			   ".visible .entry k(.param .u64 out)\n{\n\t.reg .b64 %o;\n\t.reg .f32 %a, %b;\n"
			   "\tld.param.u64 %o, [out];\n"
			   "\tld.global.f32 %a, [%o];\n\tadd.rn.f32 %b, %a, %a;\n\tst.global.f32 [%o], %b;\n"
			   "\tld.global.f32 %a, [%o+4];\n\tadd.rn.f32 %b, %a, 0f33000000;\n"
			   "\tst.global.f32 [%o+4], %b;\n"
			   "\tret;\n}\n";

static void the_programs_mode_is_its_own(void **state)
{
	uint32_t words[] = {3 /* a denormal */, 0x3f800000 /* 1, to which 2^-25 is added */};
	const uint32_t right[] = {6, 0x3f800000};
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction kernel;
	CUdeviceptr out;
	void *args[] = {&out};

	(void)state;
	assert_int_equal(cuInit(0), CUDA_SUCCESS);
	fesetround(FE_UPWARD);
	_mm_setcsr(_mm_getcsr() | FLUSHES);
	assert_int_equal(cuDeviceGet(&device, 0), CUDA_SUCCESS);
	assert_int_equal(cuCtxCreate(&context, 0, device), CUDA_SUCCESS);
	assert_int_equal(cuModuleLoadData(&module, text), CUDA_SUCCESS);
	assert_int_equal(cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
	assert_int_equal(cuMemAlloc(&out, sizeof(words)), CUDA_SUCCESS);
	assert_int_equal(cuMemcpyHtoD(out, words, sizeof(words)), CUDA_SUCCESS);
	assert_int_equal(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), CUDA_SUCCESS);
	assert_int_equal(cuMemcpyDtoH(words, out, sizeof(words)), CUDA_SUCCESS);
	assert_int_equal(fegetround(), FE_UPWARD);
	assert_int_equal(_mm_getcsr() & FLUSHES, FLUSHES);
	fesetround(FE_TONEAREST);
	_mm_setcsr(_mm_getcsr() & ~(unsigned)FLUSHES);
	assert_memory_equal(words, right, sizeof(words));
	assert_int_equal(cuCtxDestroy(context), CUDA_SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_programs_mode_is_its_own)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
