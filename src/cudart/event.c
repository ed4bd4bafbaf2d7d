/* event.c - events: marks of simulated time in a stream. */
#include "cudart/priv.h"

CUDART_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	CUDART_ENTER();
	return cudart_result(cuEventCreate(event, flags));
}

CUDART_API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

CUDART_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	CUDART_ENTER();
	return cudart_result(cuEventRecordWithFlags(event, stream, flags));
}
CUDART_PTSZ(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
	    (event, cudart_per_thread(stream), flags));

CUDART_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
CUDART_PTSZ(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, cudart_per_thread(stream)));

CUDART_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
	CUDART_ENTER();
	return cudart_result(cuEventQuery(event));
}

CUDART_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	CUDART_ENTER();
	return cudart_result(cuEventSynchronize(event));
}

CUDART_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	CUDART_ENTER();
	return cudart_result(cuEventDestroy(event));
}

CUDART_API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
	CUDART_ENTER();
	return cudart_result(cuEventElapsedTime(milliseconds, start, end));
}

/* 12.8 and 12.9 export the call under this name; 13 under the plain one. */
CUDART_API cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
	return cudaEventElapsedTime(milliseconds, start, end);
}
