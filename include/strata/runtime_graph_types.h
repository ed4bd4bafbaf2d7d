/*
 * Types of graphs and stream capture in the CUDA runtime API, with the values and layouts that programs are compiled
 * against (CUDA Runtime API reference, versions 11.8 to 13.0). Included by driver_types.h.
 */
#ifndef STRATA_RUNTIME_GRAPH_TYPES_H
#define STRATA_RUNTIME_GRAPH_TYPES_H

#include <driver_types.h>

typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUuserObject_st *cudaUserObject_t;

enum cudaGraphNodeType {
	cudaGraphNodeTypeKernel = 0,
	cudaGraphNodeTypeMemcpy = 1,
	cudaGraphNodeTypeMemset = 2,
	cudaGraphNodeTypeHost = 3,
	cudaGraphNodeTypeGraph = 4,
	cudaGraphNodeTypeEmpty = 5,
	cudaGraphNodeTypeWaitEvent = 6,
	cudaGraphNodeTypeEventRecord = 7,
	cudaGraphNodeTypeExtSemaphoreSignal = 8,
	cudaGraphNodeTypeExtSemaphoreWait = 9,
	cudaGraphNodeTypeMemAlloc = 10,
	cudaGraphNodeTypeMemFree = 11,
	cudaGraphNodeTypeConditional = 13,
};

/* What a dependency waits for. All zero: the whole node before, for the whole node after. */
typedef struct cudaGraphEdgeData_st {
	unsigned char from_port;
	unsigned char to_port;
	unsigned char type;
	unsigned char reserved[5];
} cudaGraphEdgeData;

/* Parameters of nodes. `func` is a kernel as in a launch. */
struct cudaKernelNodeParams {
	void *func;
	dim3 gridDim;
	dim3 blockDim;
	unsigned int sharedMemBytes;
	void **kernelParams;
	void **extra;
};

struct cudaMemcpyNodeParams {
	int flags;
	int reserved[3];
	struct cudaMemcpy3DParms copyParams;
};

/* `width` elements of 1, 2 or 4 bytes in each of `height` rows, `pitch` bytes apart. */
struct cudaMemsetParams {
	void *dst;
	size_t pitch;
	unsigned int value;
	unsigned int elementSize;
	size_t width;
	size_t height;
};

struct cudaHostNodeParams {
	cudaHostFn_t fn;
	void *userData;
};

/* `dptr` is an output. */
struct cudaMemAllocNodeParams {
	struct cudaMemPoolProps poolProps;
	const struct cudaMemAccessDesc *accessDescs;
	size_t accessDescCount;
	size_t bytesize;
	void *dptr;
};

struct cudaMemFreeNodeParams {
	void *dptr;
};

/* `ownership`: 0, a copy of the graph; 1, the graph itself, which then belongs to the node. */
struct cudaChildGraphNodeParams {
	cudaGraph_t graph;
	int ownership;
};

struct cudaEventRecordNodeParams {
	cudaEvent_t event;
};

struct cudaEventWaitNodeParams {
	cudaEvent_t event;
};

/* Any of them, for cudaGraphAddNode and the calls that take every type. */
struct cudaGraphNodeParams {
	enum cudaGraphNodeType type;
	int reserved0[3];
	union {
		long long reserved1[29];
#if !defined(__cplusplus) || __cplusplus >= 201103L
		struct cudaKernelNodeParams kernel;
#endif
		struct cudaMemcpyNodeParams memcpy;
		struct cudaMemsetParams memset;
		struct cudaHostNodeParams host;
		struct cudaChildGraphNodeParams graph;
		struct cudaEventWaitNodeParams eventWait;
		struct cudaEventRecordNodeParams eventRecord;
		struct cudaMemAllocNodeParams alloc;
		struct cudaMemFreeNodeParams free;
	};
	long long reserved2;
};

/* Instantiation and update. */
enum cudaGraphInstantiateFlags {
	cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
	cudaGraphInstantiateFlagUpload = 2,
	cudaGraphInstantiateFlagDeviceLaunch = 4,
	cudaGraphInstantiateFlagUseNodePriority = 8,
};

typedef enum cudaGraphInstantiateResult {
	cudaGraphInstantiateSuccess = 0,
	cudaGraphInstantiateError = 1,
	cudaGraphInstantiateInvalidStructure = 2,
	cudaGraphInstantiateNodeOperationNotSupported = 3,
	cudaGraphInstantiateMultipleDevicesNotSupported = 4,
} cudaGraphInstantiateResult;

typedef struct cudaGraphInstantiateParams_st {
	unsigned long long flags;
	cudaStream_t uploadStream;
	cudaGraphNode_t errNode_out;
	cudaGraphInstantiateResult result_out;
} cudaGraphInstantiateParams;

enum cudaGraphExecUpdateResult {
	cudaGraphExecUpdateSuccess = 0,
	cudaGraphExecUpdateError = 1,
	cudaGraphExecUpdateErrorTopologyChanged = 2,
	cudaGraphExecUpdateErrorNodeTypeChanged = 3,
	cudaGraphExecUpdateErrorFunctionChanged = 4,
	cudaGraphExecUpdateErrorParametersChanged = 5,
	cudaGraphExecUpdateErrorNotSupported = 6,
	cudaGraphExecUpdateErrorUnsupportedFunctionChange = 7,
	cudaGraphExecUpdateErrorAttributesChanged = 8,
};

typedef struct cudaGraphExecUpdateResultInfo_st {
	enum cudaGraphExecUpdateResult result;
	cudaGraphNode_t errorNode;
	cudaGraphNode_t errorFromNode;
} cudaGraphExecUpdateResultInfo;

/* Memory that graphs allocate, in bytes. */
enum cudaGraphMemAttributeType {
	cudaGraphMemAttrUsedMemCurrent = 0,
	cudaGraphMemAttrUsedMemHigh = 1,
	cudaGraphMemAttrReservedMemCurrent = 2,
	cudaGraphMemAttrReservedMemHigh = 3,
};

enum cudaGraphDebugDotFlags {
	cudaGraphDebugDotFlagsVerbose = 1 << 0,
	cudaGraphDebugDotFlagsKernelNodeParams = 1 << 2,
	cudaGraphDebugDotFlagsMemcpyNodeParams = 1 << 3,
	cudaGraphDebugDotFlagsMemsetNodeParams = 1 << 4,
	cudaGraphDebugDotFlagsHostNodeParams = 1 << 5,
	cudaGraphDebugDotFlagsEventNodeParams = 1 << 6,
	cudaGraphDebugDotFlagsHandles = 1 << 10,
};

enum cudaUserObjectFlags {
	cudaUserObjectNoDestructorSync = 1,
};

enum cudaUserObjectRetainFlags {
	cudaGraphUserObjectMove = 1,
};

/* Stream capture. */
enum cudaStreamCaptureStatus {
	cudaStreamCaptureStatusNone = 0,
	cudaStreamCaptureStatusActive = 1,
	cudaStreamCaptureStatusInvalidated = 2,
};

enum cudaStreamCaptureMode {
	cudaStreamCaptureModeGlobal = 0,
	cudaStreamCaptureModeThreadLocal = 1,
	cudaStreamCaptureModeRelaxed = 2,
};

enum cudaStreamUpdateCaptureDependenciesFlags {
	cudaStreamAddCaptureDependencies = 0,
	cudaStreamSetCaptureDependencies = 1,
};

#endif
