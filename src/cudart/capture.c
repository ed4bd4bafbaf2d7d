/* capture.c - stream capture. */
#include "cudart/priv.h"

CUDART_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	CUDART_ENTER();
	return cudart_result(cuStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
}
CUDART_PTSZ(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
	    (cudart_per_thread(stream), mode));

CUDART_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
						     const cudaGraphNode_t *from, const cudaGraphEdgeData *data,
						     size_t count, enum cudaStreamCaptureMode mode)
{
	CUDART_ENTER();
	return cudart_result(cuStreamBeginCaptureToGraph(stream, graph, from, (const CUgraphEdgeData *)data, count,
							 (CUstreamCaptureMode)mode));
}
CUDART_PTSZ(cudaStreamBeginCaptureToGraph,
	    (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphEdgeData *data,
	     size_t count, enum cudaStreamCaptureMode mode),
	    (cudart_per_thread(stream), graph, from, data, count, mode));

CUDART_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	CUDART_ENTER();
	return cudart_result(cuStreamEndCapture(stream, graph));
}
CUDART_PTSZ(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), (cudart_per_thread(stream), graph));

CUDART_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	CUDART_ENTER();
	return cudart_result(cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)status));
}
CUDART_PTSZ(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status),
	    (cudart_per_thread(stream), status));

CUDART_API cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	CUDART_ENTER();
	return cudart_result(cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode));
}

/* ---- questions and dependencies, in the form of each version ---- */

static cudaError_t get_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
			    cudaGraph_t *graph, const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data,
			    size_t *count)
{
	cuuint64_t number = 0;

	CUDART_ENTER();

	cudaError_t e = cudart_result(cuStreamGetCaptureInfo_v3(stream, (CUstreamCaptureStatus *)status, &number, graph,
								nodes, (const CUgraphEdgeData **)data, count));

	if (id && number)
		*id = number;
	return e;
}

#if CUDART_VERSION >= 13000
#define INFO_WITH_DATA(suffix) cudaStreamGetCaptureInfo##suffix
#define UPDATE_WITH_DATA(suffix) cudaStreamUpdateCaptureDependencies##suffix
#else
#define INFO_WITH_DATA(suffix) cudaStreamGetCaptureInfo_v3##suffix
#define UPDATE_WITH_DATA(suffix) cudaStreamUpdateCaptureDependencies_v2##suffix

CUDART_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
						unsigned long long *id)
{
	return get_info(stream, status, id, NULL, NULL, NULL, NULL);
}
CUDART_PTSZ(cudaStreamGetCaptureInfo,
	    (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id),
	    (cudart_per_thread(stream), status, id));

CUDART_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
						   unsigned long long *id, cudaGraph_t *graph,
						   const cudaGraphNode_t **nodes, size_t *count)
{
	return get_info(stream, status, id, graph, nodes, NULL, count);
}
CUDART_PTSZ(cudaStreamGetCaptureInfo_v2,
	    (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
	     const cudaGraphNode_t **nodes, size_t *count),
	    (cudart_per_thread(stream), status, id, graph, nodes, count));

CUDART_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count,
							   unsigned int flags)
{
	CUDART_ENTER();
	return cudart_result(cuStreamUpdateCaptureDependencies(stream, nodes, count, flags));
}
CUDART_PTSZ(cudaStreamUpdateCaptureDependencies,
	    (cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned int flags),
	    (cudart_per_thread(stream), nodes, count, flags));
#endif

CUDART_API cudaError_t INFO_WITH_DATA()(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
					unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **nodes,
					const cudaGraphEdgeData **data, size_t *count)
{
	return get_info(stream, status, id, graph, nodes, data, count);
}

CUDART_API cudaError_t INFO_WITH_DATA(_ptsz)(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
					     unsigned long long *id, cudaGraph_t *graph,
					     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data,
					     size_t *count)
{
	return get_info(cudart_per_thread(stream), status, id, graph, nodes, data, count);
}

CUDART_API cudaError_t UPDATE_WITH_DATA()(cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *data,
					  size_t count, unsigned int flags)
{
	CUDART_ENTER();
	return cudart_result(cuStreamUpdateCaptureDependencies_v2(stream, nodes, (const CUgraphEdgeData *)data, count,
								  flags));
}

CUDART_API cudaError_t UPDATE_WITH_DATA(_ptsz)(cudaStream_t stream, cudaGraphNode_t *nodes,
					       const cudaGraphEdgeData *data, size_t count, unsigned int flags)
{
	return UPDATE_WITH_DATA()(cudart_per_thread(stream), nodes, data, count, flags);
}
