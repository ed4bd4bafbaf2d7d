/* launch.c - launches in all their forms. */
#include "cudart/priv.h"
#include "cudart/registration.h"

/* What <<<...>>> pushed and the kernel's stub has not popped yet. Nested when an argument is itself a launch. */
struct configuration {
	dim3 grid, block;
	size_t shared_bytes;
	void *stream;
};

enum { CONFIGURATION_MAX = 64 };

static _Thread_local struct configuration pushed[CONFIGURATION_MAX];
static _Thread_local unsigned int pushed_count;

CUDART_API unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream)
{
	if (pushed_count == CONFIGURATION_MAX)
		return (unsigned int)cudart_fail(cudaErrorInvalidConfiguration);
	pushed[pushed_count++] = (struct configuration){grid, block, shared_bytes, stream};
	return 0;
}

CUDART_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
	if (!pushed_count)
		return cudart_fail(cudaErrorMissingConfiguration);

	const struct configuration *c = &pushed[--pushed_count];

	*grid = c->grid;
	*block = c->block;
	*shared_bytes = c->shared_bytes;
	*(void **)stream = c->stream;
	return cudaSuccess;
}

/* A shape that the driver calls an invalid value has a code of its own here. */
static cudaError_t launch_error(CUresult result)
{
	cudaError_t e = cudart_error(result);

	if (e == cudaErrorInvalidValue)
		e = cudaErrorInvalidConfiguration;
	/* A launch returns before its kernel fails; what comes after it sees the fault. */
	if (cudart_is_sticky(e) && cudaPeekAtLastError() != e) {
		cudart_fault(e);
		return cudaSuccess;
	}
	return cudart_fail(e);
}

CUDART_API cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes,
					cudaStream_t stream)
{
	CUfunction function;
	cudaError_t e;

	CUDART_ENTER();
	e = cudart_function(kernel, &function);
	if (e != cudaSuccess)
		return cudart_fail(e);
	if (shared_bytes > UINT32_MAX)
		return cudart_fail(cudaErrorInvalidConfiguration);
	return launch_error(cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
					   (unsigned int)shared_bytes, stream, args, NULL));
}
CUDART_ALIAS(cudaLaunchKernel, _ptsz);

CUDART_API cudaError_t __cudaGetKernel(const void **handle, const void *host)
{
	return cudart_fail(cudart_kernel_handle(host, handle));
}

CUDART_API cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes,
					  cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, args, shared_bytes, stream);
}
CUDART_ALIAS(__cudaLaunchKernel, _ptsz);
