/* graph_node.c - nodes of graphs: parameters in the runtime's form, made the driver's and back. */
#include <string.h>

#include "cudart/order.h"

_Static_assert(sizeof(struct cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS), "memsets differ from the driver's");
_Static_assert(sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS),
	       "host nodes differ from the driver's");
_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS),
	       "allocation nodes differ from the driver's");
_Static_assert(sizeof(struct cudaGraphNodeParams) == sizeof(CUgraphNodeParams), "nodes differ from the driver's");
_Static_assert(sizeof(struct cudaChildGraphNodeParams) == sizeof(CUDA_CHILD_GRAPH_NODE_PARAMS),
	       "child graph nodes differ from the driver's");

/* ---- to the driver's form; errors are recorded ---- */

static cudaError_t from_kernel(const struct cudaKernelNodeParams *p, CUgraphNodeParams *d)
{
	CUfunction function;

	if (!p)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = cudart_function(p->func, &function);

	if (e != cudaSuccess)
		return cudart_fail(e);
	*d = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_KERNEL};
	d->kernel = (CUDA_KERNEL_NODE_PARAMS){
		.func = function,
		.gridDimX = p->gridDim.x, .gridDimY = p->gridDim.y, .gridDimZ = p->gridDim.z,
		.blockDimX = p->blockDim.x, .blockDimY = p->blockDim.y, .blockDimZ = p->blockDim.z,
		.sharedMemBytes = p->sharedMemBytes,
		.kernelParams = p->kernelParams,
		.extra = p->extra,
	};
	return cudaSuccess;
}

static cudaError_t from_box(const struct cudaMemcpy3DParms *p, CUgraphNodeParams *d)
{
	*d = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY};
	return cudart_copy_box(p, &d->memcpy.copyParams);
}

static cudaError_t from_line(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind,
			     CUgraphNodeParams *d)
{
	*d = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY};
	return cudart_copy_line(destination, source, bytes, kind, &d->memcpy.copyParams);
}

static cudaError_t from_to_symbol(const void *symbol, const void *source, size_t bytes, size_t offset,
				  enum cudaMemcpyKind kind, CUgraphNodeParams *d)
{
	void *pointer;
	cudaError_t e = cudart_locate(symbol, bytes, offset, &pointer);

	return e == cudaSuccess ? from_line(pointer, source, bytes, kind, d) : e;
}

static cudaError_t from_from_symbol(void *destination, const void *symbol, size_t bytes, size_t offset,
				    enum cudaMemcpyKind kind, CUgraphNodeParams *d)
{
	void *pointer;
	cudaError_t e = cudart_locate(symbol, bytes, offset, &pointer);

	return e == cudaSuccess ? from_line(destination, pointer, bytes, kind, d) : e;
}

static cudaError_t from_memset(const struct cudaMemsetParams *p, CUgraphNodeParams *d)
{
	if (!p)
		return cudart_fail(cudaErrorInvalidValue);
	*d = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMSET};
	d->memset = (CUDA_MEMSET_NODE_PARAMS_v2){.dst = (CUdeviceptr)p->dst, .pitch = p->pitch, .value = p->value,
						 .elementSize = p->elementSize, .width = p->width,
						 .height = p->height};
	return cudaSuccess;
}

static cudaError_t from_host(const struct cudaHostNodeParams *p, CUgraphNodeParams *d)
{
	if (!p)
		return cudart_fail(cudaErrorInvalidValue);
	*d = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_HOST, .host = {p->fn, p->userData}};
	return cudaSuccess;
}

/* The union that both have; only kernels, copies and memsets look different. */
static cudaError_t from_any(const struct cudaGraphNodeParams *p, CUgraphNodeParams *d)
{
	if (!p)
		return cudart_fail(cudaErrorInvalidValue);
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
		return from_kernel(&p->kernel, d);
	case cudaGraphNodeTypeMemcpy:
		return p->memcpy.flags ? cudart_fail(cudaErrorInvalidValue) : from_box(&p->memcpy.copyParams, d);
	case cudaGraphNodeTypeMemset:
		return from_memset(&p->memset, d);
	default:
		memcpy(d, p, sizeof(*d));
		return cudaSuccess;
	}
}

/* ---- adding ---- */

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
		       const cudaGraphEdgeData *data, size_t count, cudaError_t e, CUgraphNodeParams *d)
{
	if (e != cudaSuccess)
		return e;
	return cudart_result(cuGraphAddNode_v2(node, graph, from, (const CUgraphEdgeData *)data, count, d));
}

static cudaError_t add_any(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
			   const cudaGraphEdgeData *data, size_t count, struct cudaGraphNodeParams *params)
{
	CUgraphNodeParams d;

	CUDART_ENTER();

	cudaError_t e = add(node, graph, from, data, count, from_any(params, &d), &d);

	if (e == cudaSuccess && params->type == cudaGraphNodeTypeMemAlloc)
		params->alloc.dptr = (void *)d.alloc.dptr;
	return e;
}

#if CUDART_VERSION >= 13000
CUDART_API cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					const cudaGraphEdgeData *data, size_t count,
					struct cudaGraphNodeParams *params)
{
	return add_any(node, graph, from, data, count, params);
}
#else
CUDART_API cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					size_t count, struct cudaGraphNodeParams *params)
{
	return add_any(node, graph, from, NULL, count, params);
}

CUDART_API cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					   const cudaGraphEdgeData *data, size_t count,
					   struct cudaGraphNodeParams *params)
{
	return add_any(node, graph, from, data, count, params);
}
#endif

#define NODE cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from, size_t count

/* An entry point that adds a node: its own parameters, and how they become the driver's d. */
#define ADD(name, params, translation)                                                                                 \
	CUDART_API cudaError_t name params                                                                             \
	{                                                                                                              \
		CUgraphNodeParams d;                                                                                   \
                                                                                                                       \
		CUDART_ENTER();                                                                                        \
		return add(node, graph, from, NULL, count, translation, &d);                                           \
	}                                                                                                              \
	_Static_assert(1, "")

ADD(cudaGraphAddKernelNode, (NODE, const struct cudaKernelNodeParams *params), from_kernel(params, &d));
ADD(cudaGraphAddMemcpyNode, (NODE, const struct cudaMemcpy3DParms *params), from_box(params, &d));
ADD(cudaGraphAddMemcpyNode1D,
    (NODE, void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind),
    from_line(destination, source, bytes, kind, &d));
ADD(cudaGraphAddMemcpyNodeToSymbol,
    (NODE, const void *symbol, const void *source, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
    from_to_symbol(symbol, source, bytes, offset, kind, &d));
ADD(cudaGraphAddMemcpyNodeFromSymbol,
    (NODE, void *destination, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
    from_from_symbol(destination, symbol, bytes, offset, kind, &d));
ADD(cudaGraphAddMemsetNode, (NODE, const struct cudaMemsetParams *params), from_memset(params, &d));
ADD(cudaGraphAddHostNode, (NODE, const struct cudaHostNodeParams *params), from_host(params, &d));

/* An entry point that is one call of the driver. */
#define SAME(name, params, call)                                                                                       \
	CUDART_API cudaError_t name params                                                                             \
	{                                                                                                              \
		CUDART_ENTER();                                                                                        \
		return cudart_result(call);                                                                            \
	}                                                                                                              \
	_Static_assert(1, "")

SAME(cudaGraphAddChildGraphNode, (NODE, cudaGraph_t child), cuGraphAddChildGraphNode(node, graph, from, count, child));
SAME(cudaGraphAddEmptyNode, (NODE), cuGraphAddEmptyNode(node, graph, from, count));
SAME(cudaGraphAddEventRecordNode, (NODE, cudaEvent_t event),
     cuGraphAddEventRecordNode(node, graph, from, count, event));
SAME(cudaGraphAddEventWaitNode, (NODE, cudaEvent_t event), cuGraphAddEventWaitNode(node, graph, from, count, event));
SAME(cudaGraphAddMemAllocNode, (NODE, struct cudaMemAllocNodeParams *params),
     cuGraphAddMemAllocNode(node, graph, from, count, (CUDA_MEM_ALLOC_NODE_PARAMS *)params));
SAME(cudaGraphAddMemFreeNode, (NODE, void *pointer),
     cuGraphAddMemFreeNode(node, graph, from, count, (CUdeviceptr)pointer));
SAME(cudaGraphDestroyNode, (cudaGraphNode_t node), cuGraphDestroyNode(node));
SAME(cudaGraphNodeGetType, (cudaGraphNode_t node, enum cudaGraphNodeType *type),
     cuGraphNodeGetType(node, (CUgraphNodeType *)type));

/* ---- reading ---- */

CUDART_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS d;

	CUDART_ENTER();
	if (!params)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = cudart_result(cuGraphKernelNodeGetParams(node, &d));

	if (e != cudaSuccess)
		return e;
	*params = (struct cudaKernelNodeParams){
		.func = (void *)cudart_function_host(d.func),
		.gridDim = {d.gridDimX, d.gridDimY, d.gridDimZ},
		.blockDim = {d.blockDimX, d.blockDimY, d.blockDimZ},
		.sharedMemBytes = d.sharedMemBytes,
		.kernelParams = d.kernelParams,
	};
	return cudaSuccess;
}

static enum cudaMemcpyKind kind_of(const CUDA_MEMCPY3D *c)
{
	bool from_host = c->srcMemoryType == CU_MEMORYTYPE_HOST, to_host = c->dstMemoryType == CU_MEMORYTYPE_HOST;

	if (c->srcMemoryType == CU_MEMORYTYPE_UNIFIED || c->dstMemoryType == CU_MEMORYTYPE_UNIFIED)
		return cudaMemcpyDefault;
	if (from_host)
		return to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
	return to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

static struct cudaMemcpy3DParms to_box(const CUDA_MEMCPY3D *c)
{
	struct cudaMemcpy3DParms p = {.kind = kind_of(c), .extent = {c->WidthInBytes, c->Height, c->Depth}};
	size_t unit = 1;

	p.srcPos = (struct cudaPos){c->srcXInBytes, c->srcY, c->srcZ};
	p.dstPos = (struct cudaPos){c->dstXInBytes, c->dstY, c->dstZ};
	if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY) {
		p.srcArray = (cudaArray_t)c->srcArray;
		unit = cudart_element_bytes(p.srcArray);
		p.srcPos.x /= unit ? unit : 1;
	} else {
		p.srcPtr = (struct cudaPitchedPtr){
			c->srcMemoryType == CU_MEMORYTYPE_HOST ? (void *)c->srcHost : (void *)c->srcDevice, c->srcPitch,
			c->WidthInBytes, c->srcHeight};
	}
	if (c->dstMemoryType == CU_MEMORYTYPE_ARRAY) {
		p.dstArray = (cudaArray_t)c->dstArray;
		unit = cudart_element_bytes(p.dstArray);
		p.dstPos.x /= unit ? unit : 1;
	} else {
		p.dstPtr = (struct cudaPitchedPtr){
			c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost : (void *)c->dstDevice, c->dstPitch,
			c->WidthInBytes, c->dstHeight};
	}
	p.extent.width /= unit ? unit : 1;
	return p;
}

CUDART_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params)
{
	CUDA_MEMCPY3D c;

	CUDART_ENTER();
	if (!params)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = cudart_result(cuGraphMemcpyNodeGetParams(node, &c));

	if (e == cudaSuccess)
		*params = to_box(&c);
	return e;
}

SAME(cudaGraphMemsetNodeGetParams, (cudaGraphNode_t node, struct cudaMemsetParams *params),
     cuGraphMemsetNodeGetParams(node, (CUDA_MEMSET_NODE_PARAMS *)params));
SAME(cudaGraphHostNodeGetParams, (cudaGraphNode_t node, struct cudaHostNodeParams *params),
     cuGraphHostNodeGetParams(node, (CUDA_HOST_NODE_PARAMS *)params));
SAME(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t *child),
     cuGraphChildGraphNodeGetGraph(node, child));
SAME(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
     cuGraphEventRecordNodeGetEvent(node, event));
SAME(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
     cuGraphEventWaitNodeGetEvent(node, event));
SAME(cudaGraphMemAllocNodeGetParams, (cudaGraphNode_t node, struct cudaMemAllocNodeParams *params),
     cuGraphMemAllocNodeGetParams(node, (CUDA_MEM_ALLOC_NODE_PARAMS *)params));
SAME(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void *pointer),
     cuGraphMemFreeNodeGetParams(node, (CUdeviceptr *)pointer));
SAME(cudaGraphKernelNodeCopyAttributes, (cudaGraphNode_t to, cudaGraphNode_t from),
     cuGraphKernelNodeCopyAttributes(to, from));
SAME(cudaGraphKernelNodeGetAttribute,
     (cudaGraphNode_t node, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value),
     cuGraphKernelNodeGetAttribute(node, (CUkernelNodeAttrID)attribute, (CUkernelNodeAttrValue *)value));
SAME(cudaGraphKernelNodeSetAttribute,
     (cudaGraphNode_t node, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value),
     cuGraphKernelNodeSetAttribute(node, (CUkernelNodeAttrID)attribute, (const CUkernelNodeAttrValue *)value));

/* ---- changing ---- */

static cudaError_t set(cudaGraphNode_t node, cudaError_t e, CUgraphNodeParams *d)
{
	return e == cudaSuccess ? cudart_result(cuGraphNodeSetParams(node, d)) : e;
}

static cudaError_t set_exec(cudaGraphExec_t exec, cudaGraphNode_t node, cudaError_t e, CUgraphNodeParams *d)
{
	return e == cudaSuccess ? cudart_result(cuGraphExecNodeSetParams(exec, node, d)) : e;
}

#define ARGUMENTS(...) __VA_ARGS__

/* The two entry points that change a node in a graph and in what was instantiated of it. */
#define SET(name, exec_name, params, translation)                                                                      \
	CUDART_API cudaError_t name(cudaGraphNode_t node, ARGUMENTS params)                                            \
	{                                                                                                              \
		CUgraphNodeParams d;                                                                                   \
                                                                                                                       \
		CUDART_ENTER();                                                                                        \
		return set(node, translation, &d);                                                                     \
	}                                                                                                              \
	CUDART_API cudaError_t exec_name(cudaGraphExec_t exec, cudaGraphNode_t node, ARGUMENTS params)                 \
	{                                                                                                              \
		CUgraphNodeParams d;                                                                                   \
                                                                                                                       \
		CUDART_ENTER();                                                                                        \
		return set_exec(exec, node, translation, &d);                                                          \
	}                                                                                                              \
	_Static_assert(1, "")

SET(cudaGraphNodeSetParams, cudaGraphExecNodeSetParams, (struct cudaGraphNodeParams *params), from_any(params, &d));
SET(cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams, (const struct cudaKernelNodeParams *params),
    from_kernel(params, &d));
SET(cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, (const struct cudaMemcpy3DParms *params),
    from_box(params, &d));
SET(cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
    (void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind),
    from_line(destination, source, bytes, kind, &d));
SET(cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphExecMemcpyNodeSetParamsToSymbol,
    (const void *symbol, const void *source, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
    from_to_symbol(symbol, source, bytes, offset, kind, &d));
SET(cudaGraphMemcpyNodeSetParamsFromSymbol, cudaGraphExecMemcpyNodeSetParamsFromSymbol,
    (void *destination, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
    from_from_symbol(destination, symbol, bytes, offset, kind, &d));
SET(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, (const struct cudaMemsetParams *params),
    from_memset(params, &d));
SET(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, (const struct cudaHostNodeParams *params),
    from_host(params, &d));
SAME(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
     cuGraphEventRecordNodeSetEvent(node, event));
SAME(cudaGraphExecEventRecordNodeSetEvent, (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event),
     cuGraphExecEventRecordNodeSetEvent(exec, node, event));
SAME(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
     cuGraphEventWaitNodeSetEvent(node, event));
SAME(cudaGraphExecEventWaitNodeSetEvent, (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event),
     cuGraphExecEventWaitNodeSetEvent(exec, node, event));
SAME(cudaGraphExecChildGraphNodeSetParams, (cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child),
     cuGraphExecChildGraphNodeSetParams(exec, node, child));
