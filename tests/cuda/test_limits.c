/* test_limits.c - context limits that kernels feel, facts about kernels that cannot run, images that are not PTX. */
#include "common.h"

/* out = malloc(bytes) of the device. */
static const char heap_ptx[] = PTX_HEAD
	".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
	".visible .entry k(.param .u64 out, .param .u64 bytes)\n"
	"{\n .reg .b64 %rd<4>;\n .param .b64 n;\n .param .b64 r;\n ld.param.u64 %rd1, [out];\n"
	" ld.param.u64 %rd2, [bytes];\n st.param.b64 [n], %rd2;\n call (r), malloc, (n);\n"
	" ld.param.b64 %rd3, [r];\n st.global.u64 [%rd1], %rd3;\n ret;\n}\n";

static uint64_t device_malloc(CUfunction f, CUdeviceptr out, uint64_t bytes)
{
	void *params[] = {&out, &bytes};
	uint64_t p;

	OK(launch1(f, 1, params));
	OK(cuMemcpyDtoH(&p, out, sizeof(p)));
	return p;
}

static void heap(void **state)
{
	CUcontext c = begin();
	CUfunction f = kernel(heap_ptx, "k");
	CUdeviceptr out;
	size_t bytes;

	(void)state;
	OK(cuMemAlloc(&out, 8));
	OK(cuCtxGetLimit(&bytes, CU_LIMIT_MALLOC_HEAP_SIZE));
	assert_int_equal(bytes, 8 << 20);
	OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 32 << 20));
	assert_int_not_equal(device_malloc(f, out, 20 << 20), 0);
	assert_int_equal(device_malloc(f, out, 20 << 20), 0);
	/* in use: it keeps its size */
	assert_int_equal(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 64 << 20), CUDA_ERROR_INVALID_VALUE);
	OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 32 << 20));
	assert_int_equal(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
	OK(cuCtxDestroy(c));
}

/* f(n) has 1000 bytes of local memory and calls itself n times. */
static const char recursion_ptx[] = PTX_HEAD
	".func (.param .b32 r) f(.param .b32 n)\n"
	"{\n .local .align 8 .b8 l[1000];\n .reg .b32 %r<4>;\n .reg .pred %p;\n .param .b32 q;\n .param .b32 a;\n"
	" ld.param.b32 %r1, [n];\n st.local.u32 [l], %r1;\n mov.u32 %r2, 0;\n setp.eq.u32 %p, %r1, 0;\n @%p bra E;\n"
	" sub.u32 %r3, %r1, 1;\n st.param.b32 [a], %r3;\n call (q), f, (a);\n ld.param.b32 %r2, [q];\nE:\n"
	" ld.local.u32 %r3, [l];\n add.u32 %r2, %r2, %r3;\n st.param.b32 [r], %r2;\n ret;\n}\n"
	".visible .entry k(.param .u64 out, .param .u32 n)\n"
	"{\n .reg .b64 %rd<2>;\n .reg .b32 %r<3>;\n .param .b32 q;\n .param .b32 a;\n ld.param.u64 %rd1, [out];\n"
	" ld.param.u32 %r1, [n];\n st.param.b32 [a], %r1;\n call (q), f, (a);\n ld.param.b32 %r2, [q];\n"
	" st.global.u32 [%rd1], %r2;\n ret;\n}\n";

static void stack(void **state)
{
	CUcontext c = begin();
	CUfunction f = kernel(recursion_ptx, "k");
	uint32_t n = 40, sum;
	CUdeviceptr out;
	void *params[] = {&out, &n};

	(void)state;
	OK(cuMemAlloc(&out, 4));
	OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 64 << 10));
	OK(launch1(f, 1, params));
	OK(cuMemcpyDtoH(&sum, out, 4));
	assert_int_equal(sum, 40 * 41 / 2);
	assert_int_equal(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1 << 20), CUDA_ERROR_INVALID_VALUE);
	OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));

	struct capture text = capture_begin(STDERR_FILENO);
	CUresult result = launch1(f, 1, params);
	char *message = capture_end(&text);

	assert_int_equal(result, CUDA_ERROR_HARDWARE_STACK_ERROR);
	assert_non_null(strstr(message, "local memory exhausted"));
	free(message);
	OK(cuCtxDestroy(c));
}

static void attributes_of_a_kernel_that_cannot_run(void **state)
{
	static const char ptx[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
				  ".visible .entry k(.param .u64 p) .maxntid 96, 2, 1\n"
				  "{\n .shared .align 4 .b8 s[512];\n .local .align 8 .b8 l[24];\n .reg .b64 %rd<2>;\n"
				  " .reg .b32 %r<4>;\n ld.param.u64 %rd1, [p];\n mov.u32 %r1, %tid.x;\n"
				  " wgmma.fence.sync.aligned;\n st.global.u32 [%rd1], %r1;\n"
				  " ret;\n}\n";
	static const struct {
		CUfunction_attribute attribute;
		int value;
	} facts[] = {{CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 192}, {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 512},
		     {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 24}, {CU_FUNC_ATTRIBUTE_NUM_REGS, 3},
		     {CU_FUNC_ATTRIBUTE_PTX_VERSION, 90}, {CU_FUNC_ATTRIBUTE_BINARY_VERSION, 90}};
	CUcontext c = begin();
	CUfunction f = kernel(ptx, "k");
	struct capture text = capture_begin(STDERR_FILENO);
	int value;

	(void)state;
	for (unsigned int i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		OK(cuFuncGetAttribute(&value, facts[i].attribute, f));
		assert_int_equal(value, facts[i].value);
	}
	assert_int_equal(launch1(f, 1, (void *[]){&c}), CUDA_ERROR_NOT_SUPPORTED);
	free(capture_end(&text));
	OK(cuCtxDestroy(c));
}

static void images(void **state)
{
	static const struct {
		const char *bytes;
		CUresult result;
		const char *text;
	} cases[] = {
		{"\177ELF\2\1\1", CUDA_ERROR_NO_BINARY_FOR_GPU, "this is a cubin for a real GPU; expected PTX text"},
		{"BC\xc0\xde rest", CUDA_ERROR_NO_BINARY_FOR_GPU, "this is compiler bitcode; expected PTX text"},
		{"\xed\x43\x4e\x7f\1", CUDA_ERROR_NO_BINARY_FOR_GPU,
		 "this is intermediate code for link-time optimisation; expected PTX text"},
		{"\1\2\3\4", CUDA_ERROR_INVALID_IMAGE, "neither PTX text nor any known binary"},
		{"", CUDA_ERROR_INVALID_IMAGE, "the image is empty"},
	};
	CUcontext c = begin();
	char info[200] = "", error[200] = "";
	CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
				  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	CUmodule m;

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		void *values[] = {info, (void *)sizeof(info), error, (void *)sizeof(error)};

		assert_int_equal(cuModuleLoadDataEx(&m, cases[i].bytes, 4, options, values), cases[i].result);
		if (!strstr(error, cases[i].text))
			fail_msg("'%s' lacks '%s'", error, cases[i].text);
		assert_int_equal((size_t)values[3], strlen(error));
	}

	void *values[] = {info, (void *)sizeof(info), error, (void *)sizeof(error)};

	/* newer than the device: runs all the same, and says so where who asks will see it */
	OK(cuModuleLoadDataEx(&m, ".version 8.0\n.target sm_90\n.address_size 64\n", 4, options, values));
	assert_non_null(strstr(info, "target sm_90 is above the device's compute capability 7.5"));
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(heap), cmocka_unit_test(stack),
					   cmocka_unit_test(attributes_of_a_kernel_that_cannot_run),
					   cmocka_unit_test(images)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
