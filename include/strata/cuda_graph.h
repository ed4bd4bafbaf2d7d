/*
 * Graphs and stream capture of the CUDA driver API.  Included by cuda.h, whose rules hold here too.
 *
 * A graph is a set of nodes and dependencies.  Instantiating makes an executable copy; launching that is one call,
 * after which a node runs when those that it depends on have ended.  Calls named _v2 (and _v3) take or give the data of
 * dependencies where those without do not.  A list's output may be NULL: the call then only gives the count.
 */
#ifndef STRATA_CUDA_GRAPH_H
#define STRATA_CUDA_GRAPH_H

#include <strata/cuda_graph_types.h>

#define cuGraphAddKernelNode cuGraphAddKernelNode_v2
#define cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2
#define cuGraphExecUpdate cuGraphExecUpdate_v2
#define cuGraphInstantiate cuGraphInstantiateWithFlags
#define cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2
#define cuStreamBeginCapture cuStreamBeginCapture_v2
#define cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v2

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Graphs.  `flags` must be 0. */
CUresult CUDAAPI cuGraphCreate(CUgraph *graph, unsigned int flags);
CUresult CUDAAPI cuGraphDestroy(CUgraph graph);
CUresult CUDAAPI cuGraphClone(CUgraph *clone, CUgraph original);
/* The node of a clone that was made from this one. */
CUresult CUDAAPI cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone);
/* Lists, in the order in which the nodes were added; `count` is the room on entry and the number on return. */
CUresult CUDAAPI cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult CUDAAPI cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult CUDAAPI cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);
CUresult CUDAAPI cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
				    size_t *count);
/* The graph in Graphviz' language; `flags` are CUgraphDebugDot_flags. */
CUresult CUDAAPI cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags);

/* Dependencies: pairs of nodes of the graph.  A cycle is found when the graph is instantiated. */
CUresult CUDAAPI cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
CUresult CUDAAPI cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
					   const CUgraphEdgeData *data, size_t count);
CUresult CUDAAPI cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
					   size_t count);
CUresult CUDAAPI cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
					      const CUgraphEdgeData *data, size_t count);
CUresult CUDAAPI cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count);
CUresult CUDAAPI cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
					       size_t *count);
CUresult CUDAAPI cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count);
CUresult CUDAAPI cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
						 size_t *count);

/* Nodes.  They depend on `count` nodes `from` of the same graph, and take a copy of their parameters. */
CUresult CUDAAPI cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				CUgraphNodeParams *params);
CUresult CUDAAPI cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *from,
				   const CUgraphEdgeData *data, size_t count, CUgraphNodeParams *params);
CUresult CUDAAPI cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
					 const CUDA_KERNEL_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				      const CUDA_MEMCPY3D *copy, CUcontext context);
CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				      const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context);
CUresult CUDAAPI cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				    const CUDA_HOST_NODE_PARAMS *params);
/* A copy of `child` runs in the node's place. */
CUresult CUDAAPI cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
					  CUgraph child);
CUresult CUDAAPI cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count);
CUresult CUDAAPI cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
					   CUevent event);
CUresult CUDAAPI cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
					 CUevent event);
CUresult CUDAAPI cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
					CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				       CUdeviceptr address);
CUresult CUDAAPI cuGraphDestroyNode(CUgraphNode node);
CUresult CUDAAPI cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type);

/* Parameters of nodes; the pointers that come back lead into the node. */
CUresult CUDAAPI cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params);
CUresult CUDAAPI cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
					       CUkernelNodeAttrValue *value);
CUresult CUDAAPI cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
					       const CUkernelNodeAttrValue *value);
CUresult CUDAAPI cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from);
CUresult CUDAAPI cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy);
CUresult CUDAAPI cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy);
CUresult CUDAAPI cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child);
CUresult CUDAAPI cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event);
CUresult CUDAAPI cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event);
CUresult CUDAAPI cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event);
CUresult CUDAAPI cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event);
CUresult CUDAAPI cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address);

/* Executable graphs.  `flags` are CUgraphInstantiate_flags. */
CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
CUresult CUDAAPI cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params);
/* The form before CUDA 12; the log is left empty. */
CUresult CUDAAPI cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log,
				       size_t log_bytes);
CUresult CUDAAPI cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags);
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec exec);
CUresult CUDAAPI cuGraphUpload(CUgraphExec exec, CUstream stream);
CUresult CUDAAPI cuGraphLaunch(CUgraphExec exec, CUstream stream);
/* New parameters for a node, which is named by its original in the graph that was instantiated. */
CUresult CUDAAPI cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params);
CUresult CUDAAPI cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
						   const CUDA_KERNEL_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy,
						CUcontext context);
CUresult CUDAAPI cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
						const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context);
CUresult CUDAAPI cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child);
CUresult CUDAAPI cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event);
CUresult CUDAAPI cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event);
/* All parameters from a graph of the same shape. */
CUresult CUDAAPI cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info);
/* Kernels, copies and memsets that are not enabled do nothing. */
CUresult CUDAAPI cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int is_enabled);
CUresult CUDAAPI cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *is_enabled);

/* Memory of allocation nodes. */
CUresult CUDAAPI cuDeviceGraphMemTrim(CUdevice device);
CUresult CUDAAPI cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value);
/* The two high-water marks can be put back to 0. */
CUresult CUDAAPI cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value);

/* User objects: `destroy` is called when the last reference is gone.  Graphs and what is made of them hold some. */
CUresult CUDAAPI cuUserObjectCreate(CUuserObject *object, void *pointer, CUhostFn destroy, unsigned int count,
				    unsigned int flags);
CUresult CUDAAPI cuUserObjectRetain(CUuserObject object, unsigned int count);
CUresult CUDAAPI cuUserObjectRelease(CUuserObject object, unsigned int count);
CUresult CUDAAPI cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags);
CUresult CUDAAPI cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count);

/* Capture: what is given to the stream becomes nodes of a graph instead of running. */
CUresult CUDAAPI cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode);
CUresult CUDAAPI cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *from,
					     const CUgraphEdgeData *data, size_t count, CUstreamCaptureMode mode);
CUresult CUDAAPI cuStreamEndCapture(CUstream stream, CUgraph *graph);
CUresult CUDAAPI cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);
/* The nodes that come back hold until the stream's next call. */
CUresult CUDAAPI cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
					   CUgraph *graph, const CUgraphNode **nodes, size_t *count);
CUresult CUDAAPI cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
					   CUgraph *graph, const CUgraphNode **nodes, const CUgraphEdgeData **data,
					   size_t *count);
CUresult CUDAAPI cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t count,
						   unsigned int flags);
CUresult CUDAAPI cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *data,
						      size_t count, unsigned int flags);
/* Which calls a capture forbids to this thread; gives back what held before. */
CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
