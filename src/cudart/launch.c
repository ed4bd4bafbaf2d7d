/* launch.c - launches in all their forms. */
#include "cuda/refused.h"
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

/* ---- launching ---- */

struct launch {
	const void *kernel;
	dim3 grid, block;
	void **arguments;
	size_t shared_bytes;
	cudaStream_t stream;
	bool is_cooperative;
};

static bool is_between_1_and(CUdevice_attribute limit, uint64_t value)
{
	int most = 0;

	cuDeviceGetAttribute(&most, limit, 0);
	return value >= 1 && value <= (uint64_t)most;
}

static bool is_shape_possible(const struct launch *l)
{
	return is_between_1_and(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, l->grid.x) &&
	       is_between_1_and(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, l->grid.y) &&
	       is_between_1_and(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, l->grid.z) &&
	       is_between_1_and(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, l->block.x) &&
	       is_between_1_and(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, l->block.y) &&
	       is_between_1_and(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, l->block.z) &&
	       is_between_1_and(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
				(uint64_t)l->block.x * l->block.y * l->block.z);
}

/* The driver never sees this launch. */
static cudaError_t refuse(const void *kernel, cudaError_t e)
{
	cuda_launch_refused(cudart_function_name(kernel), cudaGetErrorString(e));
	return cudart_fail(e);
}

static cudaError_t launch(const struct launch *l)
{
	bool was_faulty = cudart_is_sticky(cudaPeekAtLastError());
	CUfunction function;
	CUresult result;
	cudaError_t e;

	CUDART_ENTER();
	e = cudart_function(l->kernel, &function);
	if (e != cudaSuccess)
		return refuse(l->kernel, e);
	if (l->shared_bytes > UINT32_MAX)
		return refuse(l->kernel, cudaErrorInvalidValue);
	if (l->is_cooperative)
		result = cuLaunchCooperativeKernel(function, l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y,
						   l->block.z, (unsigned int)l->shared_bytes, l->stream, l->arguments);
	else
		result = cuLaunchKernel(function, l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z,
					(unsigned int)l->shared_bytes, l->stream, l->arguments, NULL);
	e = cudart_error(result);
	if (e == cudaErrorInvalidValue && !is_shape_possible(l))
		e = cudaErrorInvalidConfiguration;
	/* A launch returns before its kernel fails: the calls after it report the fault. */
	if (cudart_is_sticky(e) && !was_faulty) {
		cudart_fault(e);
		return cudaSuccess;
	}
	return cudart_fail(e);
}

CUDART_API cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
					size_t shared_bytes, cudaStream_t stream)
{
	return launch(&(struct launch){kernel, grid, block, arguments, shared_bytes, stream, false});
}
CUDART_PTSZ(cudaLaunchKernel, (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
		    cudaStream_t stream),
	    (kernel, grid, block, arguments, shared_bytes, cudart_per_thread(stream)));

CUDART_API cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
						   size_t shared_bytes, cudaStream_t stream)
{
	return launch(&(struct launch){kernel, grid, block, arguments, shared_bytes, stream, true});
}
CUDART_PTSZ(cudaLaunchCooperativeKernel,
	    (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
	       cudaStream_t stream),
	    (kernel, grid, block, arguments, shared_bytes, cudart_per_thread(stream)));

/* Attributes that ask for what is not modelled are refused; those that only advise change nothing. */
static cudaError_t apply(struct launch *l, const cudaLaunchAttribute *a)
{
	switch (a->id) {
	case cudaLaunchAttributeIgnore:
	case cudaLaunchAttributeAccessPolicyWindow:
	case cudaLaunchAttributeSynchronizationPolicy:
	case cudaLaunchAttributePriority:
	case cudaLaunchAttributeProgrammaticStreamSerialization: /* a permission to overlap with the launch before */
		return cudaSuccess;
	case cudaLaunchAttributeCooperative:
		l->is_cooperative = a->val.cooperative;
		return cudaSuccess;
	case cudaLaunchAttributeClusterDimension:
		return a->val.clusterDim.x * a->val.clusterDim.y * a->val.clusterDim.z == 1
			   ? cudaSuccess
			   : cudart_not_supported("a launch with clusters of more than one block");
	default:
		return cudart_not_supported("a launch attribute of cudaLaunchKernelExC");
	}
}

static cudaError_t launch_config(const cudaLaunchConfig_t *config, const void *kernel, void **arguments,
				 cudaStream_t stream)
{
	if (config->numAttrs && !config->attrs)
		return cudart_fail(cudaErrorInvalidValue);

	struct launch l = {kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
			   stream, false};

	for (unsigned int i = 0; i < config->numAttrs; i++) {
		cudaError_t e = apply(&l, &config->attrs[i]);

		if (e != cudaSuccess)
			return refuse(kernel, e);
	}
	return launch(&l);
}

CUDART_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments)
{
	if (!config)
		return cudart_fail(cudaErrorInvalidValue);
	return launch_config(config, kernel, arguments, config->stream);
}

CUDART_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *kernel,
						void **arguments)
{
	if (!config)
		return cudart_fail(cudaErrorInvalidValue);
	return launch_config(config, kernel, arguments, cudart_per_thread(config->stream));
}

/* ---- kernels as handles ---- */

CUDART_API cudaError_t __cudaGetKernel(const void **handle, const void *host)
{
	return cudart_fail(cudart_kernel_handle(host, handle));
}

CUDART_API cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *host)
{
	if (!handle)
		return cudart_fail(cudaErrorInvalidValue);
	return cudart_fail(cudart_kernel_handle(host, (const void **)handle));
}

CUDART_API cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes,
					  cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, args, shared_bytes, stream);
}
CUDART_PTSZ(__cudaLaunchKernel, (const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes,
	      cudaStream_t stream),
	    (kernel, grid, block, args, shared_bytes, cudart_per_thread(stream)));
