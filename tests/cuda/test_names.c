/* test_names.c - the names of the interface: all there, found by version, and forms that differ by version. */
#include <dlfcn.h>

#include "common.h"

static const struct name {
	const char *name, *plain;
	int since;
	cuuint64_t flags;
} names[] = {
#define SYMBOL(name, plain, since) {#name, #plain, since, CU_GET_PROC_ADDRESS_LEGACY_STREAM},
#define PER_THREAD(name, plain, since) {#name, #plain, since, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM},
#define OLD(name, plain, since) {#name, #plain, since, CU_GET_PROC_ADDRESS_LEGACY_STREAM},
#include "cuda/symbols.def"
#undef SYMBOL
#undef PER_THREAD
#undef OLD
};

static void every_name(void **state)
{
	(void)state;
	assert_true(sizeof(names) / sizeof(names[0]) > 660);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *symbol = dlsym(RTLD_DEFAULT, names[i].name), *found;
		CUdriverProcAddressQueryResult status;

		if (!symbol)
			fail_msg("%s is not there", names[i].name);
		if (cuGetProcAddress(names[i].plain, &found, names[i].since, names[i].flags, &status) != CUDA_SUCCESS ||
		    found != symbol)
			fail_msg("%s is not what version %d has as %s", names[i].name, names[i].since, names[i].plain);
	}
}

static void newest_of_a_version(void **state)
{
	static const struct {
		const char *plain, *name;
		int version;
		cuuint64_t flags;
	} cases[] = {
		{"cuCtxCreate", "cuCtxCreate", 3010, 0},
		{"cuCtxCreate", "cuCtxCreate_v2", 11030, 0},
		{"cuCtxCreate", "cuCtxCreate_v3", 12040, 0},
		{"cuCtxCreate", "cuCtxCreate_v4", 13000, 0},
		{"cuCtxGetDevice", "cuCtxGetDevice", 12090, 0},
		{"cuCtxGetDevice", "cuCtxGetDevice_v2", 13000, 0},
		{"cuMemAlloc", "cuMemAlloc_v2", 12000, 0},
		{"cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v2_ptsz", 13000, 2},
		{"cuMemcpy2D", "cuMemcpy2D_v2_ptds", 7000, 2},
		{"cuMemcpy2D", "cuMemcpy2D_v2", 7000, 1},
		{"cuMemcpy2D", "cuMemcpy2D_v2", 6050, 2},
		{"cuMemFree", "cuMemFree_v2", 12000, 2},
	};
	void *found;
	CUdriverProcAddressQueryResult status;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		OK(cuGetProcAddress(cases[i].plain, &found, cases[i].version, cases[i].flags, &status));
		if (found != dlsym(RTLD_DEFAULT, cases[i].name))
			fail_msg("%s of version %d is not %s", cases[i].plain, cases[i].version, cases[i].name);
	}
	assert_int_equal(cuGetProcAddress("cuStreamGetDevice", &found, 12000, 0, &status), CUDA_ERROR_NOT_FOUND);
	assert_int_equal(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	assert_null(found);
}

static CUresult call(const char *name)
{
	return ((CUresult(*)(void))dlsym(RTLD_DEFAULT, name))();
}

static void absent_and_old_ones_say_so(void **state)
{
	CUcontext c = begin();
	struct capture text = capture_begin(STDERR_FILENO);

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(call("cuMulticastCreate"), CUDA_ERROR_NOT_SUPPORTED);
		assert_int_equal(call("cuMemAlloc"), CUDA_ERROR_INVALID_CONTEXT);
	}

	char *said = capture_end(&text);

	assert_string_equal(said, "strata: cuMulticastCreate is not supported\n"
				  "strata: cuMemAlloc is CUDA 3.1's form, with addresses and sizes of 32 bits; "
				  "contexts here are of CUDA 3.2 and newer, whose form is named cuMemAlloc_v2\n");
	free(said);
	OK(cuCtxDestroy(c));
}

static void contexts(void **state)
{
	CUctxCreateParams params = {0};
	CUcontext c, d, current;
	CUdevice device = -1;
	CUevent e, f;
	unsigned int flags;
	float ms = -1;

	(void)state;
	OK(cuInit(0));
	OK(cuCtxCreate_v4(&c, NULL, 0, 0));
	OK(cuCtxCreate_v4(&d, &params, CU_CTX_SCHED_YIELD, 0));
	params.numExecAffinityParams = 1;
	params.execAffinityParams = (void *)&params;
	assert_int_equal(cuCtxCreate_v4(&current, &params, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
	OK(cuCtxGetCurrent(&current));
	assert_ptr_equal(current, d);
	OK(cuCtxGetDevice_v2(&device, c));
	assert_int_equal(device, 0);
	assert_int_equal(cuCtxGetDevice_v2(&device, (CUcontext)&device), CUDA_ERROR_INVALID_CONTEXT);
	OK(cuCtxSynchronize_v2(c));
	OK(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
	OK(cuCtxGetFlags(&flags));
	assert_int_equal(flags, CU_CTX_SCHED_SPIN);
	OK(cuEventCreate(&e, 0));
	OK(cuEventCreate(&f, 0));
	OK(cuEventRecord(e, NULL));
	OK(cuCtxRecordEvent(d, f));
	assert_int_equal(cuCtxRecordEvent(c, f), CUDA_ERROR_INVALID_HANDLE);
	OK(cuCtxWaitEvent(c, f));
	OK(cuEventSynchronize(f));
	OK(cuEventElapsedTime_v2(&ms, e, f));
	assert_true(ms >= 0);
	OK(cuStreamGetDevice(NULL, &device));
	OK(cuCtxDestroy(d));
	OK(cuCtxDestroy(c));
}

enum { BYTES = 64 };

static void batches(void **state)
{
	CUcontext c = begin();
	CUdeviceptr p[2], to[2], from[2];
	unsigned char a[BYTES], b[BYTES], back[2][BYTES];
	size_t sizes[2] = {BYTES, BYTES}, first[1] = {0}, failed = 0;
	CUmemcpyAttributes attributes[1] = {{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}};
	CUstream s;

	(void)state;
	for (int i = 0; i < BYTES; i++) {
		a[i] = (unsigned char)i;
		b[i] = (unsigned char)(200 - i);
	}
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < 2; i++)
		OK(cuMemAlloc(&p[i], BYTES));
	memcpy(to, p, sizeof(to));
	from[0] = (CUdeviceptr)a;
	from[1] = (CUdeviceptr)b;
	OK(cuMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 1, s));
	assert_int_equal(cuMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 1, NULL), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 0, s), CUDA_ERROR_INVALID_VALUE);

	/* Back, by boxes: the one as a line, the other as 2 layers of 4 rows of 8 bytes. */
	CUDA_MEMCPY3D_BATCH_OP boxes[2] = {
		{.src = {CU_MEMCPY_OPERAND_TYPE_POINTER, {.ptr = {.ptr = p[0]}}},
		 .dst = {CU_MEMCPY_OPERAND_TYPE_POINTER, {.ptr = {.ptr = (CUdeviceptr)back[0]}}},
		 .extent = {BYTES, 1, 1}, .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY},
		{.src = {CU_MEMCPY_OPERAND_TYPE_POINTER, {.ptr = {.ptr = p[1], .rowLength = 8, .layerHeight = 4}}},
		 .dst = {CU_MEMCPY_OPERAND_TYPE_POINTER, {.ptr = {.ptr = (CUdeviceptr)back[1]}}},
		 .extent = {8, 4, 2}, .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM},
	};

	OK(cuMemcpy3DBatchAsync(2, boxes, 0, s));
	OK(cuStreamSynchronize(s));
	assert_memory_equal(back[0], a, BYTES);
	assert_memory_equal(back[1], b, BYTES);

	/* CUDA 12's form names the copy at fault. */
	sizes[1] = 1 << 20;
	CUresult (*copy)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
			 size_t *, CUstream) = dlsym(RTLD_DEFAULT, "cuMemcpyBatchAsync");

	assert_int_equal(copy(to, from, sizes, 2, attributes, first, 1, &failed, s), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(failed, 1);
	OK(cuCtxDestroy(c));
}

static void libraries(void **state)
{
	static const char ptx[] = PTX_KERNELS ".visible .global .attribute(.managed) .align 4 .u32 shown;\n";
	char image[sizeof(ptx)];
	CUlibrary library;
	CUkernel k, all[8];
	CUmodule module;
	CUfunction f;
	CUdeviceptr p;
	CUcontext c, d;
	const char *name;
	size_t offset, bytes;
	unsigned int count, add = 40, out[32];
	int value;

	(void)state;
	OK(cuInit(0));
	memcpy(image, ptx, sizeof(ptx));
	OK(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0)); /* before there is a context */
	memset(image, 0, sizeof(image));
	assert_int_equal(cuLibraryGetKernel(&k, library, "store"), CUDA_ERROR_INVALID_CONTEXT);
	OK(cuCtxCreate(&c, 0, 0));
	OK(cuLibraryGetKernel(&k, library, "store"));
	assert_int_equal(cuLibraryGetKernel(&k, library, "none"), CUDA_ERROR_NOT_FOUND);
	OK(cuLibraryGetKernelCount(&count, library));
	assert_int_equal(count, 4);
	OK(cuLibraryEnumerateKernels(all, 8, library));
	assert_ptr_equal(all[0], k);
	OK(cuKernelGetName(&name, all[1]));
	assert_string_equal(name, "wild");
	OK(cuKernelGetParamInfo(k, 1, &offset, &bytes));
	assert_int_equal(offset, 8);
	assert_int_equal(bytes, 4);
	assert_int_equal(cuKernelGetParamInfo(k, 2, &offset, NULL), CUDA_ERROR_INVALID_VALUE);
	OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, all[2], 0));
	assert_int_equal(value, 64);
	OK(cuLibraryGetGlobal(&p, &bytes, library, "table"));
	assert_int_equal(bytes, 16);
	assert_int_equal(cuLibraryGetManaged(&p, &bytes, library, "table"), CUDA_ERROR_NOT_FOUND);
	OK(cuLibraryGetManaged(&p, &bytes, library, "shown"));
	OK(cuLibraryGetModule(&module, library));
	OK(cuModuleGetFunctionCount(&count, module));
	assert_int_equal(count, 4);

	/* As a function, in this context and in another. */
	for (int i = 0; i < 2; i++) {
		OK(cuMemAlloc(&p, sizeof(out)));
		OK(launch1((CUfunction)k, 32, (void *[]){&p, &add}));
		OK(cuMemcpyDtoH(out, p, sizeof(out)));
		assert_int_equal(out[31], 71);
		OK(cuKernelGetFunction(&f, k));
		OK(cuFuncGetName(&name, f));
		assert_string_equal(name, "store");
		if (i == 0)
			OK(cuCtxCreate(&d, 0, 0));
	}
	OK(cuCtxDestroy(d));
	OK(cuLibraryUnload(library));
	assert_int_equal(cuLibraryGetModule(&module, library), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(launch1((CUfunction)k, 32, (void *[]){&p, &add}), CUDA_ERROR_INVALID_HANDLE);
	OK(cuCtxDestroy(c));
}

static void launches_and_streams_with_attributes(void **state)
{
	CUcontext c = begin();
	CUfunction f = kernel(PTX_KERNELS, "store");
	CUlaunchAttribute attributes[2] = {{.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}},
					   {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
					    .value = {.clusterDim = {1, 1, 1}}}};
	CUlaunchConfig config = {.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1,
				 .blockDimZ = 1, .attrs = attributes, .numAttrs = 2};
	CUstreamAttrValue value = {.syncPolicy = 3}, other;
	unsigned int add = 8, out[32];
	struct capture text;
	CUdeviceptr p;
	CUstream s;

	(void)state;
	OK(cuMemAlloc(&p, sizeof(out)));
	OK(cuLaunchKernelEx(&config, f, (void *[]){&p, &add}, NULL));
	OK(cuMemcpyDtoH(out, p, sizeof(out)));
	assert_int_equal(out[31], 39);
	config.gridDimX = 100000; /* more than can be resident at once */
	assert_int_equal(cuLaunchKernelEx(&config, f, (void *[]){&p, &add}, NULL),
			 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
	config.gridDimX = 2;
	attributes[1].value.clusterDim.x = 2;
	text = capture_begin(STDERR_FILENO);
	assert_int_equal(cuLaunchKernelEx(&config, f, (void *[]){&p, &add}, NULL), CUDA_ERROR_NOT_SUPPORTED);
	free(capture_end(&text));

	OK(cuStreamCreate(&s, 0));
	OK(cuStreamSetAttribute(NULL, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	OK(cuStreamCopyAttributes(s, NULL));
	OK(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &other));
	assert_int_equal(other.syncPolicy, 3);
	assert_int_equal(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value), CUDA_ERROR_INVALID_VALUE);
	OK(cuCtxDestroy(c));
}

static void device_runtime(void **state)
{
	static const char ptx[] = PTX_HEAD
		".extern .func (.param .b32 r) cnpDeviceSynchronize();\n"
		".extern .func (.param .b32 r) __cuda_syscall_cnpv2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
		".visible .entry parent()\n{\n .param .b32 r;\n"
		" call.uni (r), cnpDeviceSynchronize, ();\n call.uni (r), cnpDeviceSynchronize, ();\n ret;\n}\n"
		".visible .entry wrong(.param .u64 at, .param .u64 out)\n{\n .reg .b64 %d<3>;\n .reg .b32 %r<2>;\n"
		" .param .b64 p;\n .param .b64 s;\n .param .b32 r;\n"
		" ld.param.u64 %d1, [at];\n ld.param.u64 %d2, [out];\n"
		" st.param.b64 [p], %d1;\n st.param.b64 [s], 0;\n"
		" call.uni (r), __cuda_syscall_cnpv2LaunchDeviceV2, (p, s);\n"
		" ld.param.b32 %r1, [r];\n st.global.u32 [%d2], %r1;\n ret;\n}\n";
	CUcontext c = begin();
	CUfunction f = kernel(ptx, "parent");
	struct capture text = capture_begin(STDERR_FILENO);
	CUdeviceptr out;
	char *said;

	(void)state;
	assert_int_equal(launch1(f, 1, NULL), CUDA_ERROR_NOT_SUPPORTED);
	said = capture_end(&text);
	assert_non_null(strstr(said, "kernel parent asks the device runtime for what is not supported: it calls "
				     "cnpDeviceSynchronize\n"));
	assert_null(strstr(strstr(said, "asks") + 1, "asks")); /* once */
	free(said);

	/* Launches of what is no buffer for parameters. */
	f = kernel(ptx, "wrong");
	OK(cuMemAlloc(&out, 256));
	for (int i = 0; i < 3; i++) {
		CUdeviceptr at = i == 0 ? 0 : i == 1 ? out + 128 : 0x7fffffffffffffff;
		int error = 0;

		OK(launch1(f, 1, (void *[]){&at, &out}));
		OK(cuMemcpyDtoH(&error, out, sizeof(error)));
		assert_int_equal(error, 1);
	}
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name), cmocka_unit_test(newest_of_a_version),
		cmocka_unit_test(absent_and_old_ones_say_so), cmocka_unit_test(contexts), cmocka_unit_test(batches),
		cmocka_unit_test(libraries), cmocka_unit_test(launches_and_streams_with_attributes),
		cmocka_unit_test(device_runtime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
