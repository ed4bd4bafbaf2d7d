/* symbols.c - the program's __device__ and __constant__ variables: copies, addresses, sizes. */
#include "cudart/order.h"

cudaError_t cudart_locate(const void *symbol, size_t bytes, size_t offset, void **pointer)
{
	CUdeviceptr address;
	size_t size_bytes;
	cudaError_t e = cudart_variable(symbol, &address, &size_bytes);

	if (e != cudaSuccess)
		return cudart_fail(e);
	if (offset > size_bytes || bytes > size_bytes - offset)
		return cudart_fail(cudaErrorInvalidValue);
	*pointer = (void *)(address + offset);
	return cudaSuccess;
}

static cudaError_t copy_to(const void *symbol, const void *source, size_t bytes, size_t offset,
			   enum cudaMemcpyKind kind, const struct cudart_order *o)
{
	void *pointer = NULL;

	CUDART_ENTER();
	if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudart_fail(cudaErrorInvalidMemcpyDirection);

	cudaError_t e = cudart_locate(symbol, bytes, offset, &pointer);

	return e == cudaSuccess ? cudart_copy(pointer, source, bytes, kind, o) : e;
}

CUDART_SYNC(cudaMemcpyToSymbol,
	    (const void *symbol, const void *source, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
	    copy_to(symbol, source, bytes, offset, kind, o));
CUDART_ASYNC(cudaMemcpyToSymbolAsync,
	     (const void *symbol, const void *source, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
	      cudaStream_t stream),
	     copy_to(symbol, source, bytes, offset, kind, o));

static cudaError_t copy_from(void *destination, const void *symbol, size_t bytes, size_t offset,
			     enum cudaMemcpyKind kind, const struct cudart_order *o)
{
	void *pointer = NULL;

	CUDART_ENTER();
	if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudart_fail(cudaErrorInvalidMemcpyDirection);

	cudaError_t e = cudart_locate(symbol, bytes, offset, &pointer);

	return e == cudaSuccess ? cudart_copy(destination, pointer, bytes, kind, o) : e;
}

CUDART_SYNC(cudaMemcpyFromSymbol,
	    (void *destination, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
	    copy_from(destination, symbol, bytes, offset, kind, o));
CUDART_ASYNC(cudaMemcpyFromSymbolAsync,
	     (void *destination, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
	      cudaStream_t stream),
	     copy_from(destination, symbol, bytes, offset, kind, o));

CUDART_API cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
	CUDART_ENTER();
	if (!pointer)
		return cudart_fail(cudaErrorInvalidValue);
	return cudart_locate(symbol, 0, 0, pointer);
}

CUDART_API cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
	CUDART_ENTER();
	if (!bytes)
		return cudart_fail(cudaErrorInvalidValue);
	return cudart_fail(cudart_variable(symbol, NULL, bytes));
}
