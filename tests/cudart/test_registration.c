/* What a compiled program does before and around main, done by hand: fat binaries of both kinds are registered with
 * their kernels and variables, kernels are launched through every door, and binaries come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "cudart/clang/fatbin_write.h"

/* The entry points that only compilers call. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device_name, const char *name, int thread_limit,
			    void *tid, void *bid, dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device_name, const char *name, int is_extern, size_t bytes,
		       int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **slot, char *device_name, const char *name, int is_extern,
			      size_t bytes, int is_constant, int is_global);
char __cudaInitModule(void **handle);
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
cudaError_t __cudaGetKernel(const void **handle, const void *host);
cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes,
			       cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes,
				    cudaStream_t stream);

#define PTX_HEAD ".version 6.0\n.target sm_70\n.address_size 64\n"
/* A kernel that adds its argument to a variable. */
#define ADD_KERNEL(name, variable)                                                                                     \
	".visible .entry " name "(.param .u32 n)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [n];\n"                       \
	"ld.global.u32 %r2, [" variable "];\nadd.u32 %r3, %r2, %r1;\nst.global.u32 [" variable "], %r3;\nret;\n}\n"

static const char plain_text[] = PTX_HEAD ".visible .global .align 4 .u32 total = 100;\n" ADD_KERNEL("add", "total");
static const char newer_text[] = PTX_HEAD ".visible .global .align 4 .u32 total = 200;\n" ADD_KERNEL("add", "total");
static const char managed_text[] = PTX_HEAD ".visible .global .attribute(.managed) .align 4 .u32 shared_total = 7;\n"
	ADD_KERNEL("add_managed", "shared_total");
static const char kernel_text[] = PTX_HEAD ".extern .global .align 4 .u32 linked_total;\n"
	ADD_KERNEL("add_linked", "linked_total");
static const char variable_text[] = PTX_HEAD ".visible .global .align 4 .u32 linked_total = 40;\n";

struct wrapper {
	uint32_t magic, version;
	const void *container;
	const void *const *linked;
};

static GByteArray *container_of(enum fatbin_packing packing, uint32_t sm, const char *text, uint32_t other_sm,
				const char *other)
{
	GByteArray *c = fatbin_begin();

	fatbin_add(c, packing, FATBIN_PTX, sm, text, strlen(text) + 1);
	if (other)
		fatbin_add(c, packing, FATBIN_PTX, other_sm, other, strlen(other) + 1);
	fatbin_end(c);
	return c;
}

static void **register_one(struct wrapper *w, const char *stub, char *name)
{
	void **handle = __cudaRegisterFatBinary(w);

	__cudaRegisterFunction(handle, stub, name, name, -1, NULL, NULL, NULL, NULL, NULL);
	return handle;
}

static const dim3 one = {1, 1, 1};

static uint32_t read_variable(const void *shadow)
{
	uint32_t value = 0;

	assert_int_equal(cudaMemcpyFromSymbol(&value, shadow, sizeof(value), 0, cudaMemcpyDeviceToHost), cudaSuccess);
	return value;
}

/* ---- one container ---- */

static char add_stub, total_shadow;

static void launch_all_ways(uint32_t n)
{
	void *args[] = {&n};
	const void *kernel = NULL;
	dim3 grid, block;
	size_t shared_bytes = 1;
	void *stream = &stream;
	cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
	cudaLaunchConfig_t config = {.gridDim = one, .blockDim = one, .attrs = &attribute, .numAttrs = 1};

	assert_int_equal(__cudaPushCallConfiguration((dim3){3, 1, 1}, one, 16, cudaStreamLegacy), 0);
	assert_int_equal(__cudaPushCallConfiguration(one, one, 0, NULL), 0);
	assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream), cudaSuccess);
	assert_int_equal(grid.x, 1);
	assert_null(stream);
	assert_int_equal(__cudaGetKernel(&kernel, &add_stub), cudaSuccess);
	assert_int_equal(__cudaLaunchKernel(kernel, grid, block, args, shared_bytes, stream), cudaSuccess);
	assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream), cudaSuccess);
	assert_int_equal(grid.x, 3);
	assert_int_equal(shared_bytes, 16);
	assert_ptr_equal(stream, cudaStreamLegacy);
	assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream),
			 cudaErrorMissingConfiguration);
	assert_int_equal(cudaGetLastError(), cudaErrorMissingConfiguration);

	assert_int_equal(__cudaLaunchKernel(&add_stub, one, one, args, 0, NULL), cudaSuccess);
	assert_int_equal(__cudaLaunchKernel_ptsz(kernel, one, one, args, 0, NULL), cudaSuccess);
	assert_int_equal(cudaLaunchKernel(&add_stub, one, one, args, 0, cudaStreamPerThread), cudaSuccess);
	assert_int_equal(cudaLaunchCooperativeKernel(kernel, one, one, args, 0, NULL), cudaSuccess);
	assert_int_equal(cudaLaunchKernelExC(&config, &add_stub, args), cudaSuccess);
}

static void test_one_container(void **unused)
{
	/* Capability 7.0: the text for 6.0 is the right one, the newer is not for this device. */
	GByteArray *container = container_of(FATBIN_ZSTD, 80, newer_text, 60, plain_text);
	struct wrapper w = {0x466243b1, 1, container->data, NULL};
	void **handle = register_one(&w, &add_stub, "add");

	(void)unused;
	__cudaRegisterVar(handle, &total_shadow, "total", "total", 0, 4, 0, 1);
	__cudaRegisterFatBinaryEnd(handle);
	launch_all_ways(3);
	assert_int_equal(read_variable(&total_shadow), 100 + 6 * 3);
	assert_int_equal(cudaDeviceReset(), cudaSuccess);
	assert_int_equal(read_variable(&total_shadow), 100);

	/* What a binary brought goes with it. */
	size_t size = 0;

	assert_int_equal(cudaGetSymbolSize(&size, &total_shadow), cudaSuccess);
	assert_int_equal(size, 4);
	__cudaUnregisterFatBinary(handle);
	assert_int_equal(cudaGetSymbolSize(&size, &total_shadow), cudaErrorInvalidSymbol);
	assert_int_equal(cudaLaunchKernel(&add_stub, one, one, NULL, 0, NULL), cudaErrorInvalidDeviceFunction);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
	g_byte_array_free(container, TRUE);
}

static void test_launch_attributes(void **unused)
{
	GByteArray *container = container_of(FATBIN_RAW, 70, plain_text, 0, NULL);
	struct wrapper w = {0x466243b1, 1, container->data, NULL};
	void **handle = register_one(&w, &add_stub, "add");
	uint32_t n = 1;
	void *args[] = {&n};
	cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {2, 1, 1}};
	cudaLaunchConfig_t config = {.gridDim = {2, 1, 1}, .blockDim = one, .attrs = &attribute, .numAttrs = 1};

	(void)unused;
	assert_int_equal(cudaLaunchKernelExC(&config, &add_stub, args), cudaErrorNotSupported);
	attribute.val.clusterDim.x = 1;
	assert_int_equal(cudaLaunchKernelExC(&config, &add_stub, args), cudaSuccess);
	attribute.id = (cudaLaunchAttributeID)99;
	assert_int_equal(cudaLaunchKernelExC(&config, &add_stub, args), cudaErrorNotSupported);
	assert_int_equal(cudaLaunchKernelExC(NULL, &add_stub, args), cudaErrorInvalidValue);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
	__cudaUnregisterFatBinary(handle);
	g_byte_array_free(container, TRUE);
}

/* ---- managed variables ---- */

static char managed_stub;
static uint32_t *managed_slot;

static void test_managed(void **unused)
{
	GByteArray *container = container_of(FATBIN_LZ4, 75, managed_text, 0, NULL);
	struct wrapper w = {0x466243b1, 1, container->data, NULL};
	void **handle = register_one(&w, &managed_stub, "add_managed");
	uint32_t n = 5, value = 0;
	void *args[] = {&n};

	(void)unused;
	__cudaRegisterManagedVar(handle, (void **)&managed_slot, "shared_total", "shared_total", 0, 4, 0, 1);
	__cudaRegisterFatBinaryEnd(handle);
	assert_int_equal(__cudaInitModule(handle), 1);
	assert_non_null(managed_slot);
	assert_int_equal(*managed_slot, 7);
	*managed_slot = 20;
	assert_int_equal(cudaLaunchKernel(&managed_stub, one, one, args, 0, NULL), cudaSuccess);
	assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
	assert_int_equal(*managed_slot, 25);
	/* Host code names it by where it is. */
	assert_int_equal(cudaMemcpyFromSymbol(&value, managed_slot, 4, 0, cudaMemcpyDefault), cudaSuccess);
	assert_int_equal(value, 25);
	__cudaUnregisterFatBinary(handle);
	g_byte_array_free(container, TRUE);
}

/* ---- several containers to link ---- */

static char linked_stub, linked_shadow;

static void test_linked(void **unused)
{
	GByteArray *first = container_of(FATBIN_ZSTD, 75, kernel_text, 0, NULL);
	GByteArray *second = container_of(FATBIN_LZ4, 75, variable_text, 0, NULL);
	GByteArray *whole = fatbin_begin(); /* what the device linker made: machine code */
	const void *linked[] = {first->data, second->data, NULL};
	uint32_t n = 2;
	void *args[] = {&n};

	(void)unused;
	fatbin_add(whole, FATBIN_RAW, FATBIN_CODE, 75, "code", 4);
	fatbin_end(whole);

	struct wrapper w = {0x466243b1, 2, whole->data, linked};
	void **handle = register_one(&w, &linked_stub, "add_linked");

	__cudaRegisterVar(handle, &linked_shadow, "linked_total", "linked_total", 0, 4, 0, 1);
	__cudaRegisterFatBinaryEnd(handle);
	assert_int_equal(cudaLaunchKernel(&linked_stub, one, one, args, 0, NULL), cudaSuccess);
	assert_int_equal(read_variable(&linked_shadow), 42);
	__cudaUnregisterFatBinary(handle);
	g_byte_array_free(first, TRUE);
	g_byte_array_free(second, TRUE);
	g_byte_array_free(whole, TRUE);
}

/* ---- what cannot be loaded ---- */

static void test_useless(void **unused)
{
	GByteArray *code = fatbin_begin(), *text = container_of(FATBIN_RAW, 70, plain_text, 0, NULL);
	struct wrapper no_ptx = {0x466243b1, 1, NULL, NULL}, no_kernel = {0x466243b1, 1, text->data, NULL};
	static char no_ptx_stub, no_kernel_stub;

	(void)unused;
	fatbin_add(code, FATBIN_RAW, FATBIN_CODE, 75, "code", 4);
	fatbin_end(code);
	no_ptx.container = code->data;

	void **first = register_one(&no_ptx, &no_ptx_stub, "gone");
	void **second = register_one(&no_kernel, &no_kernel_stub, "missing");

	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(cudaLaunchKernel(&no_ptx_stub, one, one, NULL, 0, NULL),
				 cudaErrorNoKernelImageForDevice);
		assert_int_equal(cudaLaunchKernel(&no_kernel_stub, one, one, NULL, 0, NULL),
				 cudaErrorInvalidDeviceFunction);
	}
	cudaGetLastError();
	__cudaUnregisterFatBinary(first);
	__cudaUnregisterFatBinary(second);
	g_byte_array_free(code, TRUE);
	g_byte_array_free(text, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_container), cmocka_unit_test(test_launch_attributes),
		cmocka_unit_test(test_managed),	      cmocka_unit_test(test_linked),
		cmocka_unit_test(test_useless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
