/* function.c - what programs ask about a kernel and set for it; occupancy. */
#include <string.h>

#include "base/check.h"
#include "cudart/priv.h"

/* Returns from the caller when kernel is none. */
#define FIND(kernel, function)                                                                                         \
	do {                                                                                                           \
		CUDART_ENTER();                                                                                        \
                                                                                                                       \
		cudaError_t find_error = cudart_function(kernel, function);                                            \
                                                                                                                       \
		if (find_error != cudaSuccess)                                                                         \
			return cudart_fail(find_error);                                                                \
	} while (0)

CUDART_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
	CUfunction function;

	FIND(kernel, &function);
	if (!attributes)
		return cudart_fail(cudaErrorInvalidValue);

	/* The size_t members come first in the structure, then the int members, in the order of the rows. */
	static const CUfunction_attribute sizes[] = {
		CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
		CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
	};
	static const CUfunction_attribute counts[] = {
		CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_NUM_REGS,
		CU_FUNC_ATTRIBUTE_PTX_VERSION, CU_FUNC_ATTRIBUTE_BINARY_VERSION, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
		CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
	};
	size_t *size_members = &attributes->sharedSizeBytes;
	int *count_members = &attributes->maxThreadsPerBlock;
	CUresult result = CUDA_SUCCESS;

	memset(attributes, 0, sizeof(*attributes)); /* clusters, which the device does not have, stay 0 */
	for (uint32_t i = 0; result == CUDA_SUCCESS && i < ARRAY_COUNT(sizes); i++) {
		int value = 0;

		result = cuFuncGetAttribute(&value, sizes[i], function);
		size_members[i] = (size_t)value;
	}
	for (uint32_t i = 0; result == CUDA_SUCCESS && i < ARRAY_COUNT(counts); i++)
		result = cuFuncGetAttribute(&count_members[i], counts[i], function);
	return cudart_result(result);
}

CUDART_API cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
	CUfunction function;

	FIND(kernel, &function);
	if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize &&
	    attribute != cudaFuncAttributePreferredSharedMemoryCarveout)
		return cudart_fail(cudaErrorInvalidValue);
	return cudart_result(cuFuncSetAttribute(function, (CUfunction_attribute)attribute, value));
}

CUDART_API cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config)
{
	CUfunction function;

	FIND(kernel, &function);
	return cudart_result(cuFuncSetCacheConfig(function, (CUfunc_cache)config));
}

CUDART_API cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig config)
{
	CUfunction function;

	FIND(kernel, &function);
	return cudart_result(cuFuncSetSharedMemConfig(function, (CUsharedconfig)config));
}

CUDART_API cudaError_t cudaFuncGetName(const char **name, const void *kernel)
{
	CUDART_ENTER();
	if (!name)
		return cudart_fail(cudaErrorInvalidValue);
	*name = cudart_function_name(kernel);
	return *name ? cudaSuccess : cudart_fail(cudaErrorInvalidDeviceFunction);
}

CUDART_API cudaError_t cudaFuncGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *bytes)
{
	CUfunction function;

	FIND(kernel, &function);
	return cudart_result(cuFuncGetParamInfo(function, index, offset, bytes));
}

CUDART_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *kernel)
{
	if (!function)
		return cudart_fail(cudaErrorInvalidValue);
	FIND(kernel, function);
	return cudaSuccess;
}

/* ---- occupancy ---- */

CUDART_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
									      int block_size, size_t shared_bytes,
									      unsigned int flags)
{
	CUfunction function;

	FIND(kernel, &function);
	return cudart_result(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
										  shared_bytes, flags));
}

CUDART_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int block_size,
								     size_t shared_bytes)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block_size, shared_bytes,
								      cudaOccupancyDefault);
}

CUDART_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, const void *kernel, int blocks,
								 int block_size)
{
	CUfunction function;

	FIND(kernel, &function);
	return cudart_result(cuOccupancyAvailableDynamicSMemPerBlock(shared_bytes, function, blocks, block_size));
}
