/* graph_old.c - the forms that calls of graphs and capture had in earlier versions of the interface. */
#include "cuda/graph.h"
#include "cuda/perthread.h"

#undef cuGraphAddKernelNode
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate
#undef cuGraphInstantiate
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuStreamBeginCapture
#undef cuStreamGetCaptureInfo

#define OLD __attribute__((visibility("default")))

static CUDA_KERNEL_NODE_PARAMS newer(const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	return (CUDA_KERNEL_NODE_PARAMS){
	    .func = p->func,
	    .gridDimX = p->gridDimX, .gridDimY = p->gridDimY, .gridDimZ = p->gridDimZ,
	    .blockDimX = p->blockDimX, .blockDimY = p->blockDimY, .blockDimZ = p->blockDimZ,
	    .sharedMemBytes = p->sharedMemBytes,
	    .kernelParams = p->kernelParams,
	    .extra = p->extra,
	};
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
			      const CUDA_KERNEL_NODE_PARAMS_v1 *params);
OLD CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				  const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;

	const CUDA_KERNEL_NODE_PARAMS p = newer(params);

	return cuGraphAddKernelNode_v2(node, graph, from, count, &p);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params);
OLD CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
	CUDA_KERNEL_NODE_PARAMS p;
	CUresult result = params ? cuGraphKernelNodeGetParams_v2(node, &p) : CUDA_ERROR_INVALID_VALUE;

	if (result == CUDA_SUCCESS)
		*params = (CUDA_KERNEL_NODE_PARAMS_v1){
		    p.func, p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ,
		    p.sharedMemBytes, p.kernelParams, p.extra,
		};
	return result;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params);
OLD CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;

	const CUDA_KERNEL_NODE_PARAMS p = newer(params);

	return cuGraphKernelNodeSetParams_v2(node, &p);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params);
OLD CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
					    const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;

	const CUDA_KERNEL_NODE_PARAMS p = newer(params);

	return cuGraphExecKernelNodeSetParams_v2(exec, node, &p);
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t log_bytes);
OLD CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t log_bytes)
{
	return cuGraphInstantiate_v2(exec, graph, error_node, log, log_bytes);
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *error_node, CUgraphExecUpdateResult *update);
OLD CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *error_node,
			       CUgraphExecUpdateResult *update)
{
	CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
	CUresult result = update ? cuGraphExecUpdate_v2(exec, graph, &info) : CUDA_ERROR_INVALID_VALUE;

	if (update)
		*update = info.result;
	if (error_node)
		*error_node = info.errorNode;
	return result;
}

CUresult cuStreamBeginCapture(CUstream stream);
OLD CUresult cuStreamBeginCapture(CUstream stream)
{
	return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUDA_PER_THREAD(cuStreamBeginCapture, _ptsz, CUstream);

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id);
OLD CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id)
{
	return cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}
CUDA_PER_THREAD(cuStreamGetCaptureInfo, _ptsz, CUstream, CUstreamCaptureStatus *, cuuint64_t *);
