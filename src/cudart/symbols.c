/* symbols.c - the program's __device__ and __constant__ variables: copies, addresses, sizes. */
#include "cudart/priv.h"

static cudaError_t locate(const void *symbol, size_t bytes, size_t offset, void **pointer)
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

CUDART_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t bytes, size_t offset,
					       enum cudaMemcpyKind kind, cudaStream_t stream)
{
	void *pointer = NULL;

	CUDART_ENTER();
	if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudart_fail(cudaErrorInvalidMemcpyDirection);

	cudaError_t e = locate(symbol, bytes, offset, &pointer);

	return e == cudaSuccess ? cudaMemcpyAsync(pointer, source, bytes, kind, stream) : e;
}
CUDART_ALIAS(cudaMemcpyToSymbolAsync, _ptsz);

CUDART_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *source, size_t bytes, size_t offset,
					  enum cudaMemcpyKind kind)
{
	return cudaMemcpyToSymbolAsync(symbol, source, bytes, offset, kind, NULL);
}
CUDART_ALIAS(cudaMemcpyToSymbol, _ptds);

CUDART_API cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const void *symbol, size_t bytes, size_t offset,
						 enum cudaMemcpyKind kind, cudaStream_t stream)
{
	void *pointer = NULL;

	CUDART_ENTER();
	if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudart_fail(cudaErrorInvalidMemcpyDirection);

	cudaError_t e = locate(symbol, bytes, offset, &pointer);

	return e == cudaSuccess ? cudaMemcpyAsync(destination, pointer, bytes, kind, stream) : e;
}
CUDART_ALIAS(cudaMemcpyFromSymbolAsync, _ptsz);

CUDART_API cudaError_t cudaMemcpyFromSymbol(void *destination, const void *symbol, size_t bytes, size_t offset,
					    enum cudaMemcpyKind kind)
{
	return cudaMemcpyFromSymbolAsync(destination, symbol, bytes, offset, kind, NULL);
}
CUDART_ALIAS(cudaMemcpyFromSymbol, _ptds);

CUDART_API cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
	CUDART_ENTER();
	if (!pointer)
		return cudart_fail(cudaErrorInvalidValue);
	return locate(symbol, 0, 0, pointer);
}

CUDART_API cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
	CUDART_ENTER();
	if (!bytes)
		return cudart_fail(cudaErrorInvalidValue);
	return cudart_fail(cudart_variable(symbol, NULL, bytes));
}
