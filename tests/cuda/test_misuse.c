/* test_misuse.c - wrong calls and the code that each must return. */
#include "common.h"

static void before_init(void **state)
{
	CUdevice d;
	CUdeviceptr p;
	int n;

	(void)state;
	assert_int_equal(cuDeviceGet(&d, 0), CUDA_ERROR_NOT_INITIALIZED);
	assert_int_equal(cuMemAlloc(&p, 4), CUDA_ERROR_NOT_INITIALIZED);
	assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
	assert_int_equal(cuInit(1), CUDA_ERROR_INVALID_VALUE);
	OK(cuDriverGetVersion(&n));
	assert_true(n >= CUDA_VERSION);
	assert_int_equal(cuDriverGetVersion(NULL), CUDA_ERROR_INVALID_VALUE);
}

static void without_context(void **state)
{
	CUdevice d;
	CUdeviceptr p;
	CUcontext c = (CUcontext)1;
	CUmodule m;
	CUstream s;
	CUevent e;

	(void)state;
	OK(cuInit(0));
	OK(cuCtxGetCurrent(&c));
	assert_null(c);
	assert_int_equal(cuCtxGetDevice(&d), CUDA_ERROR_INVALID_CONTEXT);
	assert_int_equal(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
	assert_int_equal(cuModuleLoadData(&m, PTX_KERNELS), CUDA_ERROR_INVALID_CONTEXT);
	assert_int_equal(cuStreamCreate(&s, 0), CUDA_ERROR_INVALID_CONTEXT);
	assert_int_equal(cuEventCreate(&e, 0), CUDA_ERROR_INVALID_CONTEXT);
	assert_int_equal(cuCtxPopCurrent(NULL), CUDA_ERROR_INVALID_CONTEXT);
}

#define EXPECT(code, call)                                                                                             \
	do {                                                                                                           \
		CUresult got = (call);                                                                                 \
		if (got != (code))                                                                                     \
			fail_msg("%s: returned %d, expected %s", #call, got, #code);                                   \
	} while (0)

#define INVALID_VALUE CUDA_ERROR_INVALID_VALUE
#define INVALID_HANDLE CUDA_ERROR_INVALID_HANDLE

static void devices_and_contexts(void **state)
{
	CUcontext c = begin(), dead;
	CUdevice d;
	int n;
	size_t size;
	char name[32];
	unsigned int flags;

	(void)state;
	EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&d, 1));
	EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&d, -1));
	EXPECT(INVALID_VALUE, cuDeviceGet(NULL, 0));
	EXPECT(INVALID_VALUE, cuDeviceGetCount(NULL));
	EXPECT(INVALID_VALUE, cuDeviceGetName(name, 0, 0));
	EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetName(name, 32, 3));
	EXPECT(INVALID_VALUE, cuDeviceGetAttribute(&n, (CUdevice_attribute)9999, 0));
	EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1));
	EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceTotalMem(&size, 1));
	EXPECT(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&dead, 0, 1));
	EXPECT(INVALID_VALUE, cuCtxCreate(NULL, 0, 0));
	EXPECT(INVALID_VALUE, cuCtxCreate(&dead, 0x1000, 0));
	OK(cuCtxCreate(&dead, 0, 0));
	OK(cuCtxDestroy(dead));
	EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(dead));
	EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(dead));
	EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(dead));
	EXPECT(INVALID_VALUE, cuCtxDestroy(NULL));
	EXPECT(INVALID_VALUE, cuCtxGetFlags(NULL));
	OK(cuCtxGetFlags(&flags));
	EXPECT(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&size, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
	EXPECT(INVALID_VALUE, cuCtxGetLimit(&size, (CUlimit)99));
	EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
	OK(cuCtxDestroy(c));
}

/* A handle, or an address, carries its context: calls with one need no current context, and work in the handle's. */
static void handles_carry_their_context(void **state)
{
	CUcontext c = begin(), d, popped, of = NULL;
	CUstream s, t;
	CUevent e, f;
	CUdeviceptr p, q = 0;
	CUmemorytype type;
	CUmodule m;
	CUfunction k;
	CUdevice device = -1;
	unsigned long long id;
	unsigned int flags;
	int priority, value;
	float ms;

	(void)state;
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&e, 0));
	OK(cuEventCreate(&f, 0));
	OK(cuMemAlloc(&p, 64));
	OK(cuModuleLoadData(&m, PTX_KERNELS));
	OK(cuModuleGetFunction(&k, m, "store"));
	OK(cuCtxPopCurrent(&popped));
	assert_ptr_equal(popped, c);
	EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuStreamSynchronize(NULL));
	OK(cuStreamGetCtx(s, &of));
	assert_ptr_equal(of, c);
	OK(cuStreamGetId(s, &id));
	OK(cuStreamGetFlags(s, &flags));
	OK(cuStreamGetPriority(s, &priority));
	OK(cuStreamGetDevice(s, &device));
	OK(cuMemsetD32Async(p, 1, 16, s));
	OK(cuStreamSynchronize(s));
	OK(cuStreamQuery(s));
	OK(cuEventRecord(e, s));
	OK(cuEventRecord(f, s));
	OK(cuEventSynchronize(f));
	OK(cuEventQuery(e));
	OK(cuEventElapsedTime(&ms, e, f));
	OK(cuStreamWaitEvent(s, e, 0));
	OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
	OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, p));
	assert_ptr_equal(of, c);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, k));
	/* Another context is current: what is made belongs to the stream's. */
	OK(cuCtxCreate(&d, 0, 0));
	OK(cuStreamCreate(&t, 0));
	OK(cuMemAllocAsync(&q, 64, s));
	OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, q));
	assert_ptr_equal(of, c);
	OK(cuStreamGetCtx(NULL, &of));
	assert_ptr_equal(of, d);
	EXPECT(INVALID_HANDLE, cuEventRecord(e, t));
	OK(cuCtxDestroy(d));
	OK(cuEventDestroy(e));
	OK(cuEventDestroy(f));
	OK(cuStreamDestroy(s));
	EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuStreamQuery(s)); /* it is gone, and with it what it carried */
	OK(cuCtxDestroy(c));
}

static void stream_memory_operations(void **state)
{
	CUcontext c = begin();
	CUstream s;
	CUdeviceptr p;
	uint32_t words[4];
	CUstreamBatchMemOpParams batch[3] = {{CU_STREAM_MEM_OP_WRITE_VALUE_32}, {CU_STREAM_MEM_OP_BARRIER},
					     {CU_STREAM_MEM_OP_WAIT_VALUE_32}};

	(void)state;
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&p, 16));
	OK(cuMemsetD8(p, 0, 16));
	OK(cuStreamWriteValue32(s, p, 7, 0));
	OK(cuStreamWriteValue64(NULL, p + 8, 0x123456789abcdef0, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
	OK(cuMemcpyDtoH(words, p, 16));
	assert_int_equal(words[0], 7);
	assert_int_equal(words[1], 0);
	assert_int_equal(words[2], 0x9abcdef0);
	assert_int_equal(words[3], 0x12345678);
	OK(cuStreamWaitValue32(s, p, 7, CU_STREAM_WAIT_VALUE_GEQ));
	OK(cuStreamWaitValue32(s, p, 0x80000009, CU_STREAM_WAIT_VALUE_GEQ)); /* of counters that wrap */
	OK(cuStreamWaitValue32(s, p, 7, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuStreamWaitValue32(s, p, 4, CU_STREAM_WAIT_VALUE_AND));
	OK(cuStreamWaitValue32(s, p, 8, CU_STREAM_WAIT_VALUE_NOR));
	OK(cuStreamWaitValue64(s, p + 8, 0x123456789abcdef0, CU_STREAM_WAIT_VALUE_EQ));
	EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitValue32(s, p, 8, CU_STREAM_WAIT_VALUE_GEQ));
	EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitValue32(s, p, 8, CU_STREAM_WAIT_VALUE_EQ));
	EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitValue32(s, p, 8, CU_STREAM_WAIT_VALUE_AND));
	EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitValue32(s, p, 0xfffffff8, CU_STREAM_WAIT_VALUE_NOR));
	EXPECT(INVALID_VALUE, cuStreamWaitValue32(s, p + 2, 7, CU_STREAM_WAIT_VALUE_EQ));
	EXPECT(INVALID_VALUE, cuStreamWaitValue64(s, p + 4, 7, CU_STREAM_WAIT_VALUE_EQ));
	EXPECT(INVALID_VALUE, cuStreamWriteValue32(s, p + 16, 7, 0));
	EXPECT(INVALID_VALUE, cuStreamWriteValue32(s, p, 7, 2));
	batch[0].writeValue.address = batch[2].waitValue.address = p + 4;
	batch[0].writeValue.value = batch[2].waitValue.value = 99;
	OK(cuStreamBatchMemOp(s, 3, batch, 0));
	OK(cuMemcpyDtoH(words, p, 16));
	assert_int_equal(words[1], 99);
	EXPECT(INVALID_VALUE, cuStreamBatchMemOp(s, 257, batch, 0));
	EXPECT(INVALID_VALUE, cuStreamBatchMemOp(s, 1, NULL, 0));
	OK(cuCtxDestroy(c));
}

static void memory(void **state)
{
	CUcontext c = begin();
	CUdeviceptr p, q;
	size_t size, pitch, total;
	void *host;
	char buffer[64];
	CUmemorytype type;

	(void)state;
	EXPECT(INVALID_VALUE, cuMemAlloc(NULL, 4));
	EXPECT(INVALID_VALUE, cuMemAlloc(&p, 0));
	OK(cuMemGetInfo(&size, &total));
	EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, total + 1));
	EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, SIZE_MAX));
	OK(cuMemAlloc(&p, 64));
	EXPECT(INVALID_VALUE, cuMemFree(p + 4));
	EXPECT(INVALID_VALUE, cuMemFree(12345));
	EXPECT(INVALID_VALUE, cuMemcpyHtoD(p + 4, buffer, 64));
	EXPECT(INVALID_VALUE, cuMemcpyHtoD(p, NULL, 64));
	EXPECT(INVALID_VALUE, cuMemcpyDtoH(buffer, (CUdeviceptr)buffer, 64));
	EXPECT(INVALID_VALUE, cuMemcpyDtoH(buffer, p, SIZE_MAX));
	EXPECT(INVALID_VALUE, cuMemcpyDtoD(p, p + 1, 64));
	EXPECT(INVALID_VALUE, cuMemsetD32(p + 2, 1, 4));
	EXPECT(INVALID_VALUE, cuMemsetD32(p, 1, 17));
	EXPECT(INVALID_VALUE, cuMemsetD32(p, 1, SIZE_MAX));
	EXPECT(INVALID_VALUE, cuMemsetD2D8(p, 4, 1, 8, 2));
	EXPECT(INVALID_VALUE, cuMemAllocPitch(&q, &pitch, 100, 4, 3));
	EXPECT(INVALID_VALUE, cuMemAllocManaged(&q, 100, 0));
	EXPECT(INVALID_VALUE, cuMemHostAlloc(&host, 100, 0x100));
	EXPECT(INVALID_VALUE, cuMemFreeHost(buffer));
	EXPECT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(buffer));
	OK(cuMemHostRegister(buffer, 64, 0));
	EXPECT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(buffer + 8, 64, 0));
	OK(cuMemHostUnregister(buffer));
	EXPECT(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&q, &size, 12345));
	EXPECT(INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 12345));
	OK(cuMemFree(p));
	EXPECT(INVALID_VALUE, cuMemFree(p));
	OK(cuMemFree(0));
	EXPECT(INVALID_VALUE, cuMemcpyDtoH(buffer, p, 4));
	OK(cuCtxDestroy(c));
}

static void modules_and_launches(void **state)
{
	CUcontext c = begin();
	CUmodule m, dead;
	CUfunction f, small;
	CUdeviceptr p;
	size_t size = 4;
	int n;
	uint32_t add = 1;
	void *params[] = {&p, &add}, *holes[] = {&p, NULL};
	void *short_extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &p, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			       CU_LAUNCH_PARAM_END};

	(void)state;
	OK(cuMemAlloc(&p, 4096));
	EXPECT(INVALID_VALUE, cuModuleLoadData(&m, NULL));
	EXPECT(INVALID_VALUE, cuModuleLoadData(NULL, PTX_KERNELS));
	EXPECT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, ""));
	EXPECT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, "\001\002\003"));
	EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&m, "\177ELF"));
	EXPECT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, "\xb1\x43\x62\x46\3\0\0\0 no such version"));
	EXPECT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, "\x50\xed\x55\xba\1\0\1\0 header too short"));
	EXPECT(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&m, "hello, world"));
	EXPECT(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "no-such-file.ptx"));
	OK(cuModuleLoadData(&dead, PTX_KERNELS));
	OK(cuModuleUnload(dead));
	EXPECT(INVALID_HANDLE, cuModuleUnload(dead));
	EXPECT(INVALID_HANDLE, cuModuleGetFunction(&f, dead, "store"));
	OK(cuModuleLoadData(&m, PTX_KERNELS));
	EXPECT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, m, "nothing"));
	EXPECT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, m, "table"));
	EXPECT(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&p, &size, m, "store"));
	OK(cuModuleGetFunction(&f, m, "store"));
	OK(cuModuleGetFunction(&small, m, "small"));
	EXPECT(INVALID_HANDLE, launch1(NULL, 1, params));
	EXPECT(INVALID_HANDLE, launch1((CUfunction)m, 1, params));
	EXPECT(INVALID_VALUE, launch1(f, 0, params));
	EXPECT(INVALID_VALUE, launch1(f, 1025, params));
	EXPECT(INVALID_VALUE, cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	EXPECT(INVALID_VALUE, cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, params, NULL));
	EXPECT(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, NULL, params, NULL));
	EXPECT(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 1 << 20, NULL, params, NULL));
	EXPECT(INVALID_VALUE, launch1(f, 1, NULL));
	EXPECT(INVALID_VALUE, launch1(f, 1, holes));
	EXPECT(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, short_extra));
	size = 4;
	EXPECT(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, short_extra));
	EXPECT(INVALID_HANDLE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, (CUstream)m, params, NULL));
	EXPECT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, launch1(small, 65, NULL));
	EXPECT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
	       cuLaunchCooperativeKernel(small, 1 << 20, 1, 1, 32, 1, 1, 0, NULL, NULL));
	EXPECT(INVALID_VALUE, cuFuncGetAttribute(&n, (CUfunction_attribute)77, f));
	EXPECT(INVALID_HANDLE, cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL));
	EXPECT(INVALID_VALUE,
	       cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 24));
	EXPECT(INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 0, 0));
	OK(cuCtxDestroy(c));
}

static void streams_and_events(void **state)
{
	CUcontext c = begin();
	CUstream s;
	CUevent e, quiet, fresh;
	float ms;

	(void)state;
	EXPECT(INVALID_VALUE, cuStreamCreate(&s, 2));
	EXPECT(INVALID_VALUE, cuStreamCreate(NULL, 0));
	OK(cuStreamCreate(&s, 0));
	OK(cuStreamDestroy(s));
	EXPECT(INVALID_HANDLE, cuStreamDestroy(s));
	EXPECT(INVALID_HANDLE, cuStreamSynchronize(s));
	EXPECT(INVALID_HANDLE, cuStreamDestroy(NULL));
	EXPECT(INVALID_VALUE, cuEventCreate(&e, 8));
	OK(cuEventCreate(&e, 0));
	OK(cuEventCreate(&fresh, 0));
	OK(cuEventCreate(&quiet, CU_EVENT_DISABLE_TIMING));
	OK(cuEventRecord(e, NULL));
	OK(cuEventRecord(quiet, NULL));
	EXPECT(INVALID_HANDLE, cuEventRecord(e, s));
	EXPECT(INVALID_HANDLE, cuEventElapsedTime(&ms, e, fresh));
	EXPECT(INVALID_HANDLE, cuEventElapsedTime(&ms, e, quiet));
	EXPECT(INVALID_VALUE, cuEventElapsedTime(NULL, e, e));
	EXPECT(INVALID_VALUE, cuStreamWaitEvent(NULL, e, 8));
	EXPECT(INVALID_VALUE, cuLaunchHostFunc(NULL, NULL, NULL));
	OK(cuEventDestroy(e));
	EXPECT(INVALID_HANDLE, cuEventDestroy(e));
	EXPECT(INVALID_HANDLE, cuEventQuery(e));
	OK(cuCtxDestroy(c));
}

static void names(void **state)
{
	const char *text;
	void *entry;
	CUdriverProcAddressQueryResult status;

	(void)state;
	OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
	assert_string_equal(text, "CUDA_ERROR_OUT_OF_MEMORY");
	OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
	assert_string_equal(text, "out of memory");
	assert_int_equal(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
	assert_null(text);
	OK(cuGetProcAddress("cuMemAlloc", &entry, 12000, 0, &status));
	assert_ptr_equal(entry, (void *)cuMemAlloc);
	EXPECT(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNothing", &entry, 12000, 0, &status));
	assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_init),	     cmocka_unit_test(without_context),
		cmocka_unit_test(devices_and_contexts), cmocka_unit_test(handles_carry_their_context),
		cmocka_unit_test(stream_memory_operations),
		cmocka_unit_test(memory),
		cmocka_unit_test(modules_and_launches), cmocka_unit_test(streams_and_events),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
