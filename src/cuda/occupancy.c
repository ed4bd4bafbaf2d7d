/* occupancy.c - how many CTAs fit: the dispatcher's own rule, device_ops.ctas_fit. */
#include "cuda/driver.h"

static CUresult check_function(CUfunction function)
{
	function = cuda_function_of(function);
	if (!cuda_object_is(function, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	return cuda_function_program(function) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/* The kernel's own limit on threads counts as well as the SM's resources. */
static uint32_t ctas_per_sm(CUfunction f, uint32_t threads, size_t shared_bytes)
{
	return threads > f->program->max_threads_per_cta ? 0
							 : cuda_function_ctas_per_sm(f, threads, shared_bytes, NULL);
}

static int max_threads_per_cta(void)
{
	return (int)cuda_driver.run.device->traits.cta_thread_count;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ctas_count, CUfunction function, int block_size,
							      size_t shared_bytes, unsigned int flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	if (!ctas_count || block_size <= 0 || block_size > max_threads_per_cta() ||
	    flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;

	CUresult result = check_function(function);

	if (result == CUDA_SUCCESS)
		*ctas_count = (int)ctas_per_sm(function, (uint32_t)block_size, shared_bytes);
	return result;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas_count, CUfunction function, int block_size,
						     size_t shared_bytes)
{
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas_count, function, block_size, shared_bytes, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid_size, int *block_size, CUfunction function,
						   CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes,
						   int block_size_limit, unsigned int flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	if (!min_grid_size || !block_size || block_size_limit < 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;

	CUresult result = check_function(function);
	/* What a multiprocessor holds: of a CTA that is spread over several there is no occupancy. */
	int largest = MIN(max_threads_per_cta(), (int)cuda_driver.run.device->traits.thread_count), best_size = 0;
	uint32_t best_threads = 0, best_ctas = 0;

	if (result != CUDA_SUCCESS)
		return result;
	if (block_size_limit && block_size_limit < largest)
		largest = block_size_limit;
	/* From the largest down in whole warps: of equal occupancies the largest block wins. */
	for (int size = largest; size > 0; size = (size - 1) / SIMT_LANES * SIMT_LANES) {
		size_t bytes = shared_bytes_of ? shared_bytes_of(size) : shared_bytes;
		uint32_t ctas = ctas_per_sm(function, (uint32_t)size, bytes);

		if (ctas * (uint32_t)size > best_threads) {
			best_threads = ctas * (uint32_t)size;
			best_ctas = ctas;
			best_size = size;
		}
	}
	if (!best_size)
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	*block_size = best_size;
	*min_grid_size = (int)(best_ctas * cuda_driver.run.device->traits.multiprocessor_count);
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size, CUfunction function,
					  CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes, int block_size_limit)
{
	return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid_size, block_size, function, shared_bytes_of,
							 shared_bytes, block_size_limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, CUfunction function, int ctas_count,
						 int block_size)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, function);
	if (!shared_bytes || ctas_count <= 0 || block_size <= 0 || block_size > max_threads_per_cta())
		return CUDA_ERROR_INVALID_VALUE;

	CUresult result = check_function(function);

	if (result != CUDA_SUCCESS)
		return result;
	if (ctas_per_sm(function, (uint32_t)block_size, 0) < (uint32_t)ctas_count)
		return CUDA_ERROR_INVALID_VALUE;

	/* The largest size that still fits; occupancy only falls with it. */
	size_t low = 0, high = cuda_driver.run.device->traits.shared_bytes + 1;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (ctas_per_sm(function, (uint32_t)block_size, middle) >= (uint32_t)ctas_count)
			low = middle;
		else
			high = middle;
	}
	*shared_bytes = low;
	return CUDA_SUCCESS;
}
