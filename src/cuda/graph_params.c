/* graph_params.c - entry points that read and change the parameters of nodes. */
#include "cuda/graph.h"

/* Reading: checks the node, then evaluates `what`, an assignment. */
#define GET(name, kind, type, what)                                                                                    \
	CUresult name(CUgraphNode node, type *out)                                                                     \
	{                                                                                                              \
		CUDA_CALL(CUDA_NEEDS_HEALTH);                                                                          \
		if (!out || !cuda_graph_node_is(node, CU_GRAPH_NODE_TYPE_##kind))                                      \
			return CUDA_ERROR_INVALID_VALUE;                                                               \
		what;                                                                                                  \
		return CUDA_SUCCESS;                                                                                   \
	}                                                                                                              \
	_Static_assert(1, "")

static CUDA_KERNEL_NODE_PARAMS kernel_of(const struct CUgraphNode_st *n)
{
	const struct cuda_launch *l = &n->kernel.launch;

	return (CUDA_KERNEL_NODE_PARAMS){
	    .func = l->f,
	    .gridDimX = l->grid[0], .gridDimY = l->grid[1], .gridDimZ = l->grid[2],
	    .blockDimX = l->block[0], .blockDimY = l->block[1], .blockDimZ = l->block[2],
	    .sharedMemBytes = l->dynamic_bytes,
	    .kernelParams = n->kernel.params,
	    .ctx = n->ctx,
	};
}

GET(cuGraphKernelNodeGetParams_v2, KERNEL, CUDA_KERNEL_NODE_PARAMS, *out = kernel_of(node));
GET(cuGraphMemcpyNodeGetParams, MEMCPY, CUDA_MEMCPY3D, *out = node->copy);
GET(cuGraphMemsetNodeGetParams, MEMSET, CUDA_MEMSET_NODE_PARAMS, *out = node->fill);
GET(cuGraphHostNodeGetParams, HOST, CUDA_HOST_NODE_PARAMS, *out = node->host);
GET(cuGraphChildGraphNodeGetGraph, GRAPH, CUgraph, *out = node->child);
GET(cuGraphEventRecordNodeGetEvent, EVENT_RECORD, CUevent, *out = node->event);
GET(cuGraphEventWaitNodeGetEvent, WAIT_EVENT, CUevent, *out = node->event);
GET(cuGraphMemAllocNodeGetParams, MEM_ALLOC, CUDA_MEM_ALLOC_NODE_PARAMS,
    *out = *cuda_graph_memory_params(node->memory));
GET(cuGraphMemFreeNodeGetParams, MEM_FREE, CUdeviceptr, *out = node->freed);

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue *value)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, node);
	if (!value || !cuda_graph_node_is(node, CU_GRAPH_NODE_TYPE_KERNEL))
		return CUDA_ERROR_INVALID_VALUE;
	*value = (CUkernelNodeAttrValue){0};
	switch (attribute) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		*value = node->kernel.window;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		value->cooperative = node->kernel.launch.is_cooperative;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		value->priority = node->kernel.priority;
		return CUDA_SUCCESS;
	default:
		return cuda_not_supported("an attribute of cuGraphKernelNodeGetAttribute");
	}
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
				       const CUkernelNodeAttrValue *value)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, node);
	if (!value || !cuda_graph_node_is(node, CU_GRAPH_NODE_TYPE_KERNEL))
		return CUDA_ERROR_INVALID_VALUE;
	switch (attribute) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		node->kernel.window = *value;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		node->kernel.launch.is_cooperative = value->cooperative;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		node->kernel.priority = value->priority;
		return CUDA_SUCCESS;
	default:
		return cuda_not_supported("an attribute of cuGraphKernelNodeSetAttribute");
	}
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, to);
	if (!cuda_graph_node_is(to, CU_GRAPH_NODE_TYPE_KERNEL) || !cuda_graph_node_is(from, CU_GRAPH_NODE_TYPE_KERNEL))
		return CUDA_ERROR_INVALID_VALUE;
	to->kernel.launch.is_cooperative = from->kernel.launch.is_cooperative;
	to->kernel.priority = from->kernel.priority;
	to->kernel.window = from->kernel.window;
	return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, node);
	if (!params || !cuda_object_is(node, CUDA_KIND_GRAPH_NODE))
		return CUDA_ERROR_INVALID_VALUE;
	return cuda_graph_set(node, params);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, exec);
	if (!params || !cuda_object_is(exec, CUDA_KIND_GRAPH_EXEC) || !cuda_object_is(node, CUDA_KIND_GRAPH_NODE))
		return CUDA_ERROR_INVALID_VALUE;

	CUgraphNode n = cuda_graph_find(exec->graph, node);

	if (!n)
		return CUDA_ERROR_INVALID_VALUE;
	if (params->type == CU_GRAPH_NODE_TYPE_GRAPH)
		return cuda_graph_exec_set_child(n, params->graph.graph);
	return cuda_graph_set(n, params);
}

/* Changing, in a graph and in what was instantiated; `what` fills in p. */
#define SET(graph_name, exec_name, kind, argument, is_right, what)						       \
	CUresult graph_name(CUgraphNode node, argument)								       \
	{													       \
		CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_##kind};					       \
														       \
		if (!(is_right))										       \
			return CUDA_ERROR_INVALID_VALUE;							       \
		what;												       \
		return cuGraphNodeSetParams(node, &p);								       \
	}													       \
	CUresult exec_name(CUgraphExec exec, CUgraphNode node, argument)					       \
	{													       \
		CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_##kind};					       \
														       \
		if (!(is_right))										       \
			return CUDA_ERROR_INVALID_VALUE;							       \
		what;												       \
		return cuGraphExecNodeSetParams(exec, node, &p);						       \
	}													       \
	_Static_assert(1, "")

SET(cuGraphKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams_v2, KERNEL, const CUDA_KERNEL_NODE_PARAMS *params,
    params, p.kernel = *params);
SET(cuGraphHostNodeSetParams, cuGraphExecHostNodeSetParams, HOST, const CUDA_HOST_NODE_PARAMS *params, params,
    p.host = *params);
SET(cuGraphEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent, EVENT_RECORD, CUevent event, event,
    p.eventRecord.event = event);
SET(cuGraphEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent, WAIT_EVENT, CUevent event, event,
    p.eventWait.event = event);

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy,
					CUcontext context)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};

	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	p.memcpy = (CUDA_MEMCPY_NODE_PARAMS){.copyCtx = context, .copyParams = *copy};
	return cuGraphExecNodeSetParams(exec, node, &p);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};

	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	p.memcpy.copyParams = *copy;
	return cuGraphNodeSetParams(node, &p);
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *m,
					CUcontext context)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};

	if (!m)
		return CUDA_ERROR_INVALID_VALUE;
	p.memset = (CUDA_MEMSET_NODE_PARAMS_v2){.dst = m->dst, .pitch = m->pitch, .value = m->value,
						.elementSize = m->elementSize, .width = m->width,
						.height = m->height, .ctx = context};
	return cuGraphExecNodeSetParams(exec, node, &p);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *m)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};

	if (!m)
		return CUDA_ERROR_INVALID_VALUE;
	p.memset = (CUDA_MEMSET_NODE_PARAMS_v2){.dst = m->dst, .pitch = m->pitch, .value = m->value,
						.elementSize = m->elementSize, .width = m->width,
						.height = m->height};
	return cuGraphNodeSetParams(node, &p);
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = child}};

	return cuGraphExecNodeSetParams(exec, node, &p);
}
