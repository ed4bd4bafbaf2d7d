/*
 * The C++ forms of the runtime API: typed pointers, kernels and variables by name. Each is one call of the C interface.
 * Not included by hand: include <cuda_runtime.h>.
 */
#ifndef STRATA_RUNTIME_TEMPLATES_H
#define STRATA_RUNTIME_TEMPLATES_H

#include <cuda_runtime_api.h>

#define STRATA_API template <class T> static __inline__ __host__ cudaError_t

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

STRATA_API cudaMalloc(T **pointer, size_t bytes)
{
	return ::cudaMalloc((void **)pointer, bytes);
}

STRATA_API cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = 0)
{
	return ::cudaHostAlloc((void **)pointer, bytes, flags);
}

STRATA_API cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags)
{
	return ::cudaHostAlloc((void **)pointer, bytes, flags);
}

STRATA_API cudaHostGetDevicePointer(T **device_pointer, void *pointer, unsigned int flags)
{
	return ::cudaHostGetDevicePointer((void **)device_pointer, pointer, flags);
}

STRATA_API cudaMallocManaged(T **pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
	return ::cudaMallocManaged((void **)pointer, bytes, flags);
}

STRATA_API cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
	return ::cudaMallocPitch((void **)pointer, pitch, width, height);
}

STRATA_API cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
	return ::cudaMallocAsync((void **)pointer, bytes, stream);
}

STRATA_API cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream);
}

STRATA_API cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream);
}

STRATA_API cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t bytes = 0,
				    unsigned int flags = cudaMemAttachSingle)
{
	return ::cudaStreamAttachMemAsync(stream, (void *)pointer, bytes, flags);
}

#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
/* 12 has the calls of 13 beside its own. */
extern "C" cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, cudaMemLocation location,
					       unsigned int flags, cudaStream_t stream);
static __inline__ __host__ cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes,
							    cudaMemLocation location, unsigned int flags,
							    cudaStream_t stream = 0)
{
	return ::cudaMemPrefetchAsync_v2(pointer, bytes, location, flags, stream);
}
#endif

/* ---- Variables -------------------------------------------------------------------------------------------------- */

STRATA_API cudaMemcpyToSymbol(const T &symbol, const void *source, size_t bytes, size_t offset = 0,
			      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return ::cudaMemcpyToSymbol((const void *)&symbol, source, bytes, offset, kind);
}

STRATA_API cudaMemcpyToSymbolAsync(const T &symbol, const void *source, size_t bytes, size_t offset = 0,
				   cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&symbol, source, bytes, offset, kind, stream);
}

STRATA_API cudaMemcpyFromSymbol(void *destination, const T &symbol, size_t bytes, size_t offset = 0,
				cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return ::cudaMemcpyFromSymbol(destination, (const void *)&symbol, bytes, offset, kind);
}

STRATA_API cudaMemcpyFromSymbolAsync(void *destination, const T &symbol, size_t bytes, size_t offset = 0,
				     cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
	return ::cudaMemcpyFromSymbolAsync(destination, (const void *)&symbol, bytes, offset, kind, stream);
}

STRATA_API cudaGetSymbolAddress(void **pointer, const T &symbol)
{
	return ::cudaGetSymbolAddress(pointer, (const void *)&symbol);
}

STRATA_API cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
	return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

/* ---- Kernels ---------------------------------------------------------------------------------------------------- */

STRATA_API cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0,
			    cudaStream_t stream = 0)
{
	return ::cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}

STRATA_API cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0,
				       cudaStream_t stream = 0)
{
	return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}

/* A launch by a structure. The arguments are converted to the parameters' types as in <<<>>>. */
template <class... Parameters, class... Arguments>
static __inline__ __host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
							  void (*kernel)(Parameters...), Arguments &&...arguments)
{
	return [&](Parameters... converted) {
		void *pointers[sizeof...(Parameters) + 1] = {(void *)&converted..., nullptr};

		return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
	}(static_cast<Arguments &&>(arguments)...);
}

STRATA_API cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config)
{
	return ::cudaFuncSetCacheConfig((const void *)kernel, config);
}

STRATA_API cudaFuncSetSharedMemConfig(T *kernel, cudaSharedMemConfig config)
{
	return ::cudaFuncSetSharedMemConfig((const void *)kernel, config);
}

STRATA_API cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel)
{
	return ::cudaFuncGetAttributes(attributes, (const void *)kernel);
}

STRATA_API cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
	return ::cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

STRATA_API cudaFuncGetName(const char **name, T *kernel)
{
	return ::cudaFuncGetName(name, (const void *)kernel);
}

/* ---- Occupancy -------------------------------------------------------------------------------------------------- */

STRATA_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int block_size, size_t shared_bytes)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size, shared_bytes);
}

STRATA_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel, int block_size,
								  size_t shared_bytes, unsigned int flags)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, block_size,
									shared_bytes, flags);
}

STRATA_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, T *kernel, int blocks, int block_size)
{
	return ::cudaOccupancyAvailableDynamicSMemPerBlock(shared_bytes, (const void *)kernel, blocks, block_size);
}

/* The block size of highest occupancy, the larger of equals, and the least grid that fills the device with it.
 * `shared_bytes_of` gives the dynamic shared memory of a block size. */
template <class Shared, class T>
static __inline__ __host__ cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid_size, int *block_size, T kernel,
							Shared shared_bytes_of, int block_size_limit = 0,
							unsigned int flags = 0)
{
	int device, sm_count, largest, warp_size, best_threads = 0;
	cudaFuncAttributes attributes;
	cudaError_t e;

	if (!min_grid_size || !block_size || !kernel)
		return cudaErrorInvalidValue;
	if ((e = ::cudaGetDevice(&device)) != cudaSuccess ||
	    (e = ::cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device)) != cudaSuccess ||
	    (e = ::cudaDeviceGetAttribute(&warp_size, cudaDevAttrWarpSize, device)) != cudaSuccess ||
	    (e = ::cudaDeviceGetAttribute(&largest, cudaDevAttrMaxThreadsPerBlock, device)) != cudaSuccess ||
	    (e = ::cudaFuncGetAttributes(&attributes, (const void *)kernel)) != cudaSuccess)
		return e;
	if (attributes.maxThreadsPerBlock < largest)
		largest = attributes.maxThreadsPerBlock;
	if (block_size_limit && block_size_limit < largest)
		largest = block_size_limit;
	*min_grid_size = *block_size = 0;
	/* All sizes are multiples of a warp, except a limit that is none. */
	for (int rounded = (largest + warp_size - 1) / warp_size * warp_size; rounded > 0; rounded -= warp_size) {
		int size = rounded < largest ? rounded : largest, blocks;

		e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)kernel, size,
									     shared_bytes_of(size), flags);
		if (e != cudaSuccess)
			return e;
		if (blocks * size > best_threads) {
			best_threads = blocks * size;
			*block_size = size;
			*min_grid_size = blocks * sm_count;
		}
	}
	return cudaSuccess;
}

template <class Shared, class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid_size,
										      int *block_size, T kernel,
										      Shared shared_bytes_of,
										      int block_size_limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid_size, block_size, kernel,
								       shared_bytes_of, block_size_limit, 0);
}

STRATA_API cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid_size, int *block_size, T kernel,
						       size_t shared_bytes = 0, int block_size_limit = 0,
						       unsigned int flags = 0)
{
	auto same = [=](int) -> size_t { return shared_bytes; };

	return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid_size, block_size, kernel, same,
								       block_size_limit, flags);
}

STRATA_API cudaOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size, T kernel, size_t shared_bytes = 0,
					      int block_size_limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeWithFlags(min_grid_size, block_size, kernel, shared_bytes,
							   block_size_limit, 0);
}

/* ---- Textures, events ------------------------------------------------------------------------------------------- */

static __inline__ __host__ cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
	return ::cudaEventCreateWithFlags(event, flags);
}

/* ---- Graphs ------------------------------------------------------------------------------------------------------ */

STRATA_API cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					  size_t count, const T &symbol, const void *source, size_t bytes,
					  size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, from, count, (const void *)&symbol, source, bytes, offset,
						kind);
}

STRATA_API cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					    size_t count, void *destination, const T &symbol, size_t bytes,
					    size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, from, count, destination, (const void *)&symbol, bytes,
						  offset, kind);
}

STRATA_API cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *source,
						size_t bytes, size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, source, bytes, offset, kind);
}

STRATA_API cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *destination, const T &symbol,
						  size_t bytes, size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, destination, (const void *)&symbol, bytes, offset, kind);
}

STRATA_API cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol,
						    const void *source, size_t bytes, size_t offset,
						    cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, source, bytes, offset,
							  kind);
}

STRATA_API cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *destination,
						      const T &symbol, size_t bytes, size_t offset,
						      cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, destination, (const void *)&symbol, bytes,
							    offset, kind);
}

#if CUDART_VERSION >= 12000
/* The forms before CUDA 12. */
static __inline__ __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
							    cudaGraphNode_t *error_node, char *log, size_t log_bytes)
{
	if (error_node)
		*error_node = 0;
	if (log && log_bytes)
		*log = 0;
	return ::cudaGraphInstantiate(exec, graph, 0);
}

static __inline__ __host__ cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
							   cudaGraphNode_t *error_node,
							   cudaGraphExecUpdateResult *update)
{
	cudaGraphExecUpdateResultInfo info = cudaGraphExecUpdateResultInfo();
	cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);

	if (error_node)
		*error_node = info.errorNode;
	if (update)
		*update = info.result;
	return error;
}
#endif

#undef STRATA_API

#endif
