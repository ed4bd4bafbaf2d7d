/* graph.c - graphs, their dependencies, and what is instantiated of them. */
#include "cudart/priv.h"

/* Structures and enumerators are the driver's under other names. */
_Static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData), "edge data differ from the driver's");
_Static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS),
	       "instantiation parameters differ from the driver's");
_Static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo),
	       "update results differ from the driver's");
_Static_assert((int)cudaGraphNodeTypeConditional == (int)CU_GRAPH_NODE_TYPE_CONDITIONAL,
	       "node types differ from the driver's");

/* An entry point that is one call of the driver. */
#define SAME(name, params, call)                                                                                       \
	CUDART_API cudaError_t name params                                                                             \
	{                                                                                                              \
		CUDART_ENTER();                                                                                        \
		return cudart_result(call);                                                                            \
	}                                                                                                              \
	_Static_assert(1, "")

SAME(cudaGraphCreate, (cudaGraph_t *graph, unsigned int flags), cuGraphCreate(graph, flags));
SAME(cudaGraphDestroy, (cudaGraph_t graph), cuGraphDestroy(graph));
SAME(cudaGraphClone, (cudaGraph_t *clone, cudaGraph_t original), cuGraphClone(clone, original));
SAME(cudaGraphNodeFindInClone, (cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone),
     cuGraphNodeFindInClone(node, original, clone));
SAME(cudaGraphDebugDotPrint, (cudaGraph_t graph, const char *path, unsigned int flags),
     cuGraphDebugDotPrint(graph, path, flags));

/* ---- lists and dependencies ---- */

SAME(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
     cuGraphGetNodes(graph, nodes, count));
SAME(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
     cuGraphGetRootNodes(graph, nodes, count));

/* The name under which a version has the form with the edges' data. */
#if CUDART_VERSION >= 13000
#define WITH_DATA(name) name
#else
#define WITH_DATA(name) name##_v2

SAME(cudaGraphGetEdges, (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count),
     cuGraphGetEdges(graph, from, to, count));
SAME(cudaGraphNodeGetDependencies, (cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count),
     cuGraphNodeGetDependencies(node, nodes, count));
SAME(cudaGraphNodeGetDependentNodes, (cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count),
     cuGraphNodeGetDependentNodes(node, nodes, count));
SAME(cudaGraphAddDependencies,
     (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count),
     cuGraphAddDependencies(graph, from, to, count));
SAME(cudaGraphRemoveDependencies,
     (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count),
     cuGraphRemoveDependencies(graph, from, to, count));
#endif

SAME(WITH_DATA(cudaGraphGetEdges), (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
     cudaGraphEdgeData *data, size_t *count),
     cuGraphGetEdges_v2(graph, from, to, (CUgraphEdgeData *)data, count));
SAME(WITH_DATA(cudaGraphNodeGetDependencies),
     (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *count),
     cuGraphNodeGetDependencies_v2(node, nodes, (CUgraphEdgeData *)data, count));
SAME(WITH_DATA(cudaGraphNodeGetDependentNodes),
     (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *count),
     cuGraphNodeGetDependentNodes_v2(node, nodes, (CUgraphEdgeData *)data, count));
SAME(WITH_DATA(cudaGraphAddDependencies), (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
     const cudaGraphEdgeData *data, size_t count),
     cuGraphAddDependencies_v2(graph, from, to, (const CUgraphEdgeData *)data, count));
SAME(WITH_DATA(cudaGraphRemoveDependencies),
     (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
      size_t count),
     cuGraphRemoveDependencies_v2(graph, from, to, (const CUgraphEdgeData *)data, count));

/* ---- executable graphs ---- */

SAME(cudaGraphInstantiateWithFlags, (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags),
     cuGraphInstantiateWithFlags(exec, graph, flags));

#if CUDART_VERSION >= 12000
SAME(cudaGraphInstantiate, (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags),
     cuGraphInstantiateWithFlags(exec, graph, flags));
SAME(cudaGraphExecUpdate, (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info),
     cuGraphExecUpdate(exec, graph, (CUgraphExecUpdateResultInfo *)info));
#else
SAME(cudaGraphInstantiate,
     (cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error_node, char *log, size_t log_bytes),
     cuGraphInstantiate_v2(exec, graph, error_node, log, log_bytes));

CUDART_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
					   enum cudaGraphExecUpdateResult *update)
{
	CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};

	CUDART_ENTER();
	if (!update)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = cudart_result(cuGraphExecUpdate(exec, graph, &info));

	*update = (enum cudaGraphExecUpdateResult)info.result;
	if (error_node)
		*error_node = info.errorNode;
	return e;
}
#endif

SAME(cudaGraphInstantiateWithParams,
     (cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params),
     cuGraphInstantiateWithParams(exec, graph, (CUDA_GRAPH_INSTANTIATE_PARAMS *)params));
CUDART_PTSZ(cudaGraphInstantiateWithParams,
	    (cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params), (exec, graph, params));
SAME(cudaGraphExecDestroy, (cudaGraphExec_t exec), cuGraphExecDestroy(exec));
SAME(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream), cuGraphUpload(exec, stream));
CUDART_PTSZ(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream), (exec, cudart_per_thread(stream)));
SAME(cudaGraphNodeSetEnabled, (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int is_enabled),
     cuGraphNodeSetEnabled(exec, node, is_enabled));
SAME(cudaGraphNodeGetEnabled, (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *is_enabled),
     cuGraphNodeGetEnabled(exec, node, is_enabled));

CUDART_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
	cuuint64_t value = 0;

	CUDART_ENTER();
	if (!flags)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = cudart_result(cuGraphExecGetFlags(exec, &value));

	*flags = value;
	return e;
}

/* As a launch of a kernel, it returns before a kernel of it fails: the calls after it report the fault. */
CUDART_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	bool was_faulty = cudart_is_sticky(cudaPeekAtLastError());

	CUDART_ENTER();

	cudaError_t e = cudart_error(cuGraphLaunch(exec, stream));

	if (cudart_is_sticky(e) && !was_faulty) {
		cudart_fault(e);
		return cudaSuccess;
	}
	return cudart_fail(e);
}
CUDART_PTSZ(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), (exec, cudart_per_thread(stream)));

/* ---- memory and user objects ---- */

SAME(cudaDeviceGraphMemTrim, (int device), cuDeviceGraphMemTrim(device));
SAME(cudaDeviceGetGraphMemAttribute, (int device, enum cudaGraphMemAttributeType attribute, void *value),
     cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attribute, value));
SAME(cudaDeviceSetGraphMemAttribute, (int device, enum cudaGraphMemAttributeType attribute, void *value),
     cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attribute, value));
SAME(cudaUserObjectCreate, (cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy, unsigned int count,
     unsigned int flags),
     cuUserObjectCreate(object, pointer, destroy, count, flags));
SAME(cudaUserObjectRetain, (cudaUserObject_t object, unsigned int count), cuUserObjectRetain(object, count));
SAME(cudaUserObjectRelease, (cudaUserObject_t object, unsigned int count), cuUserObjectRelease(object, count));
SAME(cudaGraphRetainUserObject,
     (cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags),
     cuGraphRetainUserObject(graph, object, count, flags));
SAME(cudaGraphReleaseUserObject, (cudaGraph_t graph, cudaUserObject_t object, unsigned int count),
     cuGraphReleaseUserObject(graph, object, count));
