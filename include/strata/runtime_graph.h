/*
 * Graphs and stream capture of the CUDA runtime API. Included by cuda_runtime_api.h, whose rules hold here too; what
 * the calls do is described at those of the driver (strata/cuda_graph.h).
 *
 * Versions: 12 changed how graphs are instantiated and updated; 13 gave the calls about dependencies the edges' data,
 * which 12 has under names that end in _v2 or _v3.
 */
#ifndef STRATA_RUNTIME_GRAPH_H
#define STRATA_RUNTIME_GRAPH_H

#include <strata/runtime_graph_types.h>

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cudaGraphInstantiateWithParams cudaGraphInstantiateWithParams_ptsz
#define cudaGraphLaunch cudaGraphLaunch_ptsz
#define cudaGraphUpload cudaGraphUpload_ptsz
#define cudaStreamBeginCapture cudaStreamBeginCapture_ptsz
#define cudaStreamBeginCaptureToGraph cudaStreamBeginCaptureToGraph_ptsz
#define cudaStreamEndCapture cudaStreamEndCapture_ptsz
#define cudaStreamIsCapturing cudaStreamIsCapturing_ptsz
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_ptsz
#define cudaStreamGetCaptureInfo_v2 cudaStreamGetCaptureInfo_v2_ptsz
#define cudaStreamGetCaptureInfo_v3 cudaStreamGetCaptureInfo_v3_ptsz
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_ptsz
#define cudaStreamUpdateCaptureDependencies_v2 cudaStreamUpdateCaptureDependencies_v2_ptsz
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ---- Graphs and dependencies ------------------------------------------------------------------------------------- */

extern cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
extern cudaError_t cudaGraphDestroy(cudaGraph_t graph);
extern cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t original);
extern cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone);
extern cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags);
extern cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
extern cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
#if CUDART_VERSION >= 13000
extern cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
				     cudaGraphEdgeData *data, size_t *count);
extern cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data,
						size_t *count);
extern cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
						  cudaGraphEdgeData *data, size_t *count);
extern cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
					    const cudaGraphEdgeData *data, size_t count);
extern cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
					       const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t count);
#else
extern cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count);
extern cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
extern cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
extern cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
					    size_t count);
extern cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
					       const cudaGraphNode_t *to, size_t count);
extern cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
					cudaGraphEdgeData *data, size_t *count);
extern cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
						   cudaGraphEdgeData *data, size_t *count);
extern cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
						     cudaGraphEdgeData *data, size_t *count);
extern cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
					       const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t count);
extern cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
						  const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
						  size_t count);
#endif

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

#if CUDART_VERSION >= 13000
extern cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
				    const cudaGraphEdgeData *data, size_t count, struct cudaGraphNodeParams *params);
#else
extern cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
				    size_t count, struct cudaGraphNodeParams *params);
extern cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
				       const cudaGraphEdgeData *data, size_t count,
				       struct cudaGraphNodeParams *params);
#endif
extern cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					  size_t count, const struct cudaKernelNodeParams *params);
extern cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					  size_t count, const struct cudaMemcpy3DParms *params);
extern cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					    size_t count, void *destination, const void *source, size_t bytes,
					    enum cudaMemcpyKind kind);
extern cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
						  const cudaGraphNode_t *from, size_t count, const void *symbol,
						  const void *source, size_t bytes, size_t offset,
						  enum cudaMemcpyKind kind);
extern cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
						    const cudaGraphNode_t *from, size_t count, void *destination,
						    const void *symbol, size_t bytes, size_t offset,
						    enum cudaMemcpyKind kind);
extern cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					  size_t count, const struct cudaMemsetParams *params);
extern cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					size_t count, const struct cudaHostNodeParams *params);
extern cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					      size_t count, cudaGraph_t child);
extern cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					 size_t count);
extern cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					       size_t count, cudaEvent_t event);
extern cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					     size_t count, cudaEvent_t event);
extern cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					    size_t count, struct cudaMemAllocNodeParams *params);
extern cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from,
					   size_t count, void *pointer);
extern cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
extern cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);

extern cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params);
extern cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params);
extern cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params);
extern cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
						   cudaLaunchAttributeValue *value);
extern cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
						   const cudaLaunchAttributeValue *value);
extern cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from);
extern cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params);
extern cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params);
extern cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *destination, const void *source,
						  size_t bytes, enum cudaMemcpyKind kind);
extern cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *source,
							size_t bytes, size_t offset, enum cudaMemcpyKind kind);
extern cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *destination, const void *symbol,
							  size_t bytes, size_t offset, enum cudaMemcpyKind kind);
extern cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params);
extern cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params);
extern cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params);
extern cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params);
extern cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *child);
extern cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event);
extern cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
extern cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event);
extern cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
extern cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params);
extern cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer);

/* ---- Executable graphs ------------------------------------------------------------------------------------------- */

#if CUDART_VERSION >= 12000
extern cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
					unsigned long long flags STRATA_OR(0));
extern cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info);
#else
extern cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
					char *log, size_t log_bytes);
extern cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
				       enum cudaGraphExecUpdateResult *result);
#endif
extern cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
						 unsigned long long flags STRATA_OR(0));
extern cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
						  cudaGraphInstantiateParams *params);
extern cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags);
extern cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
extern cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
extern cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
extern cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					      struct cudaGraphNodeParams *params);
extern cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
						    const struct cudaKernelNodeParams *params);
extern cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
						    const struct cudaMemcpy3DParms *params);
extern cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *destination,
						      const void *source, size_t bytes, enum cudaMemcpyKind kind);
extern cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
							    const void *symbol, const void *source, size_t bytes,
							    size_t offset, enum cudaMemcpyKind kind);
extern cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
							      void *destination, const void *symbol, size_t bytes,
							      size_t offset, enum cudaMemcpyKind kind);
extern cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
						    const struct cudaMemsetParams *params);
extern cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
						  const struct cudaHostNodeParams *params);
extern cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child);
extern cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event);
extern cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event);
extern cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int is_enabled);
extern cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *is_enabled);

extern cudaError_t cudaDeviceGraphMemTrim(int device);
extern cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value);
extern cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value);

extern cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy,
					unsigned int count, unsigned int flags);
extern cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count STRATA_OR(1));
extern cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count STRATA_OR(1));
extern cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
					     unsigned int count STRATA_OR(1), unsigned int flags STRATA_OR(0));
extern cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
					      unsigned int count STRATA_OR(1));

/* ---- Capture ----------------------------------------------------------------------------------------------------- */

extern cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
extern cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *from,
						 const cudaGraphEdgeData *data, size_t count,
						 enum cudaStreamCaptureMode mode);
extern cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
extern cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
extern cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
#if CUDART_VERSION >= 13000
extern cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
					    unsigned long long *id STRATA_OR(0), cudaGraph_t *graph STRATA_OR(0),
					    const cudaGraphNode_t **nodes STRATA_OR(0),
					    const cudaGraphEdgeData **data STRATA_OR(0), size_t *count STRATA_OR(0));
extern cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
						       const cudaGraphEdgeData *data, size_t count,
						       unsigned int flags STRATA_OR(0));
#else
extern cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
					       unsigned long long *id STRATA_OR(0), cudaGraph_t *graph STRATA_OR(0),
					       const cudaGraphNode_t **nodes STRATA_OR(0), size_t *count STRATA_OR(0));
extern cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
					       unsigned long long *id STRATA_OR(0), cudaGraph_t *graph STRATA_OR(0),
					       const cudaGraphNode_t **nodes STRATA_OR(0),
					       const cudaGraphEdgeData **data STRATA_OR(0),
					       size_t *count STRATA_OR(0));
extern cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count,
						       unsigned int flags STRATA_OR(0));
extern cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *nodes,
							  const cudaGraphEdgeData *data, size_t count,
							  unsigned int flags STRATA_OR(0));
#if CUDART_VERSION >= 12000 && !defined(STRATA_CUDART_BUILD)
#undef cudaStreamGetCaptureInfo
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v2
#else
extern cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
					    unsigned long long *id);
#endif
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
