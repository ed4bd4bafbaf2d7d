/* test_virtual.c - reserved addresses and memory that is mapped to them: what kernels and copies reach, when memory
 * lives and ends, mistakes.
 */
#include "common.h"

enum { MIB = 1 << 20, GRANULE = 2 * MIB };

static const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
					 .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

static CUmemGenericAllocationHandle create(size_t bytes)
{
	CUmemGenericAllocationHandle h;

	OK(cuMemCreate(&h, bytes, &prop, 0));
	return h;
}

static CUdeviceptr reserve(size_t bytes)
{
	CUdeviceptr p;

	OK(cuMemAddressReserve(&p, bytes, 0, 0, 0));
	return p;
}

static CUresult allow(CUdeviceptr p, size_t bytes, CUmemAccess_flags flags)
{
	const CUmemAccessDesc d = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};

	return cuMemSetAccess(p, bytes, &d, 1);
}

static CUresult store(CUdeviceptr p, uint32_t add)
{
	void *params[] = {&p, &add};
	CUmodule m;
	CUfunction f;
	CUresult result;

	OK(cuModuleLoadData(&m, PTX_KERNELS));
	OK(cuModuleGetFunction(&f, m, "store"));
	result = launch1(f, 32, params);
	if (result == CUDA_SUCCESS)
		OK(cuModuleUnload(m));
	return result;
}

static uint32_t word(CUdeviceptr p)
{
	uint32_t value;

	OK(cuMemcpyDtoH(&value, p, 4));
	return value;
}

static size_t free_bytes(void)
{
	size_t left, all;

	OK(cuMemGetInfo(&left, &all));
	return left;
}

/* A range that grows: two pieces of memory side by side are one range for kernels and copies. */
static void pieces(void **state)
{
	CUcontext c = begin();
	const size_t before = free_bytes();
	CUdeviceptr p = reserve(4 * (size_t)GRANULE);
	CUmemGenericAllocationHandle a = create(GRANULE), b = create(GRANULE);
	uint8_t *host = malloc(2 * GRANULE);
	int is_supported = 0;

	(void)state;
	OK(cuDeviceGetAttribute(&is_supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
	assert_true(is_supported);
	assert_int_equal(before - free_bytes(), 2 * GRANULE);
	OK(cuMemMap(p, GRANULE, 0, a, 0));
	OK(cuMemMap(p + GRANULE, GRANULE, 0, b, 0));
	OK(cuMemRelease(a));
	OK(cuMemRelease(b));
	assert_int_equal(before - free_bytes(), 2 * GRANULE);
	assert_int_equal(cuMemcpyDtoH(host, p, 4), CUDA_ERROR_INVALID_VALUE); /* no access yet */
	OK(allow(p, 2 * GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
	assert_int_equal(word(p + 4), 0);
	for (size_t i = 0; i < 2 * GRANULE; i++)
		host[i] = (uint8_t)(i * 7 >> 3);
	OK(cuMemcpyHtoD(p, host, 2 * GRANULE));
	OK(store(p + GRANULE - 64, 1000)); /* 16 words of each piece */
	assert_int_equal(word(p + GRANULE - 4), 1015);
	assert_int_equal(word(p + GRANULE), 1016);
	assert_memory_equal(&(uint32_t){word(p + 4)}, host + 4, 4);
	OK(cuMemsetD32(p + GRANULE - 8, 7, 4));
	assert_int_equal(word(p + GRANULE + 4), 7);
	assert_int_equal(cuMemcpyHtoD(p + GRANULE, host, 2 * GRANULE), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemAddressFree(p, 4 * (size_t)GRANULE), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemUnmap(p, 2 * GRANULE));
	assert_int_equal(free_bytes(), before);
	OK(cuMemAddressFree(p, 4 * (size_t)GRANULE));
	assert_int_equal(cuMemcpyDtoH(host, p, 4), CUDA_ERROR_INVALID_VALUE);
	free(host);
	OK(cuCtxDestroy(c));
}

/* Memory mapped twice is one memory; mapped again elsewhere it is as it was; new memory is zero. */
static void one_memory(void **state)
{
	CUcontext c = begin();
	CUdeviceptr p = reserve(4 * (size_t)GRANULE), q = p + 2 * GRANULE;
	CUmemGenericAllocationHandle h = create(GRANULE), again;

	(void)state;
	OK(cuMemMap(p, GRANULE, 0, h, 0));
	OK(cuMemMap(q, GRANULE, 0, h, 0));
	OK(allow(p, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
	OK(allow(q, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READ));
	OK(store(p, 50));
	assert_int_equal(word(q + 4), 51);
	OK(cuMemUnmap(p, GRANULE));
	OK(cuMemRelease(h));
	OK(cuMemRetainAllocationHandle(&again, (void *)(q + 100)));
	OK(cuMemUnmap(q, GRANULE));
	OK(cuMemMap(p + GRANULE, GRANULE, 0, again, 0));
	OK(allow(p + GRANULE, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READ));
	assert_int_equal(word(p + GRANULE + 8), 52);
	OK(cuMemUnmap(p + GRANULE, GRANULE));
	OK(cuMemRelease(again));
	assert_int_equal(cuMemRelease(again), CUDA_ERROR_INVALID_VALUE);
	h = create(GRANULE);
	OK(cuMemMap(p, GRANULE, 0, h, 0));
	OK(allow(p, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READ));
	assert_int_equal(word(p + 8), 0);
	OK(cuMemUnmap(p, GRANULE));
	OK(cuMemRelease(h));
	OK(cuMemAddressFree(p, 4 * (size_t)GRANULE));
	OK(cuCtxDestroy(c));
}

/* The message of a launch that faults; its context is new, and gone afterwards. */
static void expect_fault(CUdeviceptr p, const char *message)
{
	CUcontext c = begin();
	struct capture err = capture_begin(STDERR_FILENO);

	assert_int_equal(store(p, 1), CUDA_ERROR_ILLEGAL_ADDRESS);

	char *text = capture_end(&err);

	if (!strstr(text, message))
		fail_msg("'%s' has no '%s'", text, message);
	free(text);
	OK(cuCtxDestroy(c));
}

static void faults(void **state)
{
	CUcontext c = begin();
	CUdeviceptr p = reserve(4 * (size_t)GRANULE);
	CUmemGenericAllocationHandle h = create(GRANULE);
	unsigned long long flags;

	(void)state;
	expect_fault(p, "illegal write");
	OK(cuMemMap(p + GRANULE, GRANULE, 0, h, 0));
	OK(cuMemGetAccess(&flags, &prop.location, p + GRANULE));
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
	expect_fault(p + GRANULE, "illegal write");
	OK(allow(p + GRANULE, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READ));
	OK(cuMemGetAccess(&flags, &prop.location, p + GRANULE + 5));
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
	expect_fault(p + GRANULE, "mapped memory, which is read-only");
	OK(allow(p + GRANULE, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
	OK(store(p + GRANULE, 1));
	expect_fault(p + 2 * GRANULE - 64, "thread (16,0,0): illegal write");
	OK(cuMemUnmap(p + GRANULE, GRANULE));
	expect_fault(p + GRANULE, "mapped memory (freed)");
	OK(cuMemRelease(h));
	OK(cuMemAddressFree(p, 4 * (size_t)GRANULE));
	OK(cuCtxDestroy(c));
}

static void reservations(void **state)
{
	CUcontext c = begin();
	size_t left = free_bytes(), granularity;
	CUdeviceptr a = reserve(GRANULE), b, wanted;

	(void)state;
	OK(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	assert_int_equal(granularity, GRANULE);
	/* More addresses than there is memory; one of them taken back, and had again by its address. */
	b = reserve((left + GRANULE) / GRANULE * GRANULE * 4);
	assert_true(b >= a + GRANULE);
	OK(cuMemAddressFree(a, GRANULE));
	OK(cuMemAddressReserve(&wanted, GRANULE, 0, a, 0));
	assert_int_equal(wanted, a);
	OK(cuMemAddressFree(a, GRANULE));
	OK(cuMemAddressReserve(&a, GRANULE, 1 << 30, b, 0)); /* taken: another */
	assert_true(a != b && a % (1 << 30) == 0);
	OK(cuMemAddressFree(a, GRANULE));
	OK(cuMemAddressFree(b, (left + GRANULE) / GRANULE * GRANULE * 4));
	assert_int_equal(cuMemAddressReserve(&a, (size_t)1 << 62, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
	OK(cuCtxDestroy(c));
}

static void mistakes(void **state)
{
	CUcontext c = begin();
	const CUdeviceptr p = reserve(4 * (size_t)GRANULE);
	const CUmemGenericAllocationHandle h = create(2 * GRANULE);
	CUmemGenericAllocationHandle no;
	CUmemAllocationProp other = prop, shared = prop;
	CUdeviceptr q;
	int host;

	(void)state;
	other.location.id = 1;
	shared.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	assert_int_equal(cuMemCreate(&no, GRANULE, &other, 0), CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(cuMemCreate(&no, MIB, &prop, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemCreate(&no, (size_t)1 << 50, &prop, 0), CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(cuMemAddressReserve(&q, MIB, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemAddressReserve(&q, GRANULE, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemAddressFree(p, GRANULE), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemMap(p + MIB, GRANULE, 0, h, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemMap(p + 3 * GRANULE, 2 * GRANULE, 0, h, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemMap(p, 4 * (size_t)GRANULE, 0, h, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemMap(p, GRANULE, 0, 12345, 0), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemMap(p, 2 * GRANULE, 0, h, 0));
	assert_int_equal(cuMemMap(p + GRANULE, GRANULE, 0, h, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemUnmap(p, GRANULE), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(allow(p, 3 * GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(allow(p, 2 * GRANULE, (CUmemAccess_flags)2), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemRetainAllocationHandle(&no, &host), CUDA_ERROR_INVALID_VALUE);

	struct capture err = capture_begin(STDERR_FILENO);

	assert_int_equal(cuMemCreate(&no, GRANULE, &shared, 0), CUDA_ERROR_NOT_SUPPORTED);

	char *text = capture_end(&err);

	assert_non_null(strstr(text, "cuMemCreate with handle types to share the memory"));
	free(text);
	/* All of the device's memory is taken: nothing is left for cuMemAlloc. */
	no = create(free_bytes() / GRANULE * GRANULE);
	assert_int_equal(cuMemAlloc(&q, GRANULE), CUDA_ERROR_OUT_OF_MEMORY);
	OK(cuMemRelease(no));
	OK(cuMemAlloc(&q, GRANULE));
	OK(cuMemFree(q));
	OK(cuMemUnmap(p, 2 * GRANULE));
	OK(cuMemRelease(h));
	OK(cuCtxDestroy(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pieces),	    cmocka_unit_test(one_memory), cmocka_unit_test(faults),
	    cmocka_unit_test(reservations), cmocka_unit_test(mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
