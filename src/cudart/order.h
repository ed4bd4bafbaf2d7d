/* order.h - where a copy, fill or allocation stands in the order of the program's work, and the entry points that
 * differ only in that.
 *
 * A synchronous call works in the legacy default stream; under its name _ptds, in the calling thread's default stream.
 * A call that takes a stream means the legacy default stream by NULL, or under its name _ptsz the thread's.
 */
#ifndef STRATA_CUDART_ORDER_H
#define STRATA_CUDART_ORDER_H

#include "cudart/priv.h"

struct cudart_order {
	cudaStream_t stream;
	bool is_async;
};

/* Whether the driver's synchronous form of a call is the right one. */
static inline bool cudart_order_is_legacy(const struct cudart_order *o)
{
	return !o->is_async && !o->stream;
}

/* The end of a call that was given to o's stream: waits for it if the call is synchronous. */
static inline cudaError_t cudart_order_end(const struct cudart_order *o, CUresult result)
{
	if (result == CUDA_SUCCESS && !o->is_async && o->stream)
		result = cuStreamSynchronize(o->stream);
	return cudart_result(result);
}

/* Defines name and name_ptds; `call` is an expression that uses o. */
#define CUDART_SYNC(name, params, call)                                                                                \
	CUDART_API cudaError_t name params                                                                             \
	{                                                                                                              \
		const struct cudart_order *o = &(const struct cudart_order){NULL, false};                              \
                                                                                                                       \
		return call;                                                                                           \
	}                                                                                                              \
	CUDART_API cudaError_t name##_ptds params;                                                                     \
	CUDART_API cudaError_t name##_ptds params                                                                      \
	{                                                                                                              \
		const struct cudart_order *o = &(const struct cudart_order){cudaStreamPerThread, false};               \
                                                                                                                       \
		return call;                                                                                           \
	}                                                                                                              \
	_Static_assert(1, "")

/* Defines name and name_ptsz; one of the parameters is `stream`. */
#define CUDART_ASYNC(name, params, call)                                                                               \
	CUDART_API cudaError_t name params                                                                             \
	{                                                                                                              \
		const struct cudart_order *o = &(const struct cudart_order){stream, true};                             \
                                                                                                                       \
		return call;                                                                                           \
	}                                                                                                              \
	CUDART_API cudaError_t name##_ptsz params;                                                                     \
	CUDART_API cudaError_t name##_ptsz params                                                                      \
	{                                                                                                              \
		const struct cudart_order *o =                                                                         \
			&(const struct cudart_order){stream ? stream : cudaStreamPerThread, true};                     \
                                                                                                                       \
		return call;                                                                                           \
	}                                                                                                              \
	_Static_assert(1, "")

/* A copy of a box, or of a line, as the driver has it (copy.c); an error is recorded. */
cudaError_t cudart_copy_box(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *c);
cudaError_t cudart_copy_line(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind,
			     CUDA_MEMCPY3D *c);
/* Bytes of an element of an array; 0 if it is none, with the error recorded. */
size_t cudart_element_bytes(cudaArray_const_t array);

/* Where `bytes` of a variable of the program begin, `offset` from its start (symbols.c); an error is recorded. */
cudaError_t cudart_locate(const void *symbol, size_t bytes, size_t offset, void **pointer);

/* A copy of a line of bytes (copy.c). */
cudaError_t cudart_copy(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind,
			const struct cudart_order *o);

#endif
