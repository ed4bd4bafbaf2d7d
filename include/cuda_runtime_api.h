/*
 * The CUDA runtime API, as far as Strata's libcudart implements it: the C interface. C++ and kernels include
 * <cuda_runtime.h>, which adds templates and the device side.
 *
 * A program that includes this header compiles unchanged against the real runtime. Rules that hold for every call (CUDA
 * Runtime API reference 13.0):
 *   - The first call starts the driver and makes the device's primary context current.
 *   - Sizes, pitches and offsets are bytes unless a comment says otherwise.
 *   - An error is returned and kept for cudaGetLastError. After a fault of a kernel every call returns the fault until
 *     cudaDeviceReset.
 *   - Handles and memory are owned by the caller until the matching Destroy or Free, or cudaDeviceReset.
 *   - The library exports more names than these; what it does not implement returns cudaErrorNotSupported and names
 *     itself once on stderr.
 * CUDART_VERSION (driver_types.h) chooses between the interfaces of 11, 12 and 13.
 */
#ifndef STRATA_CUDA_RUNTIME_API_H
#define STRATA_CUDA_RUNTIME_API_H

#ifdef __NVCC__
#include_next <cuda_runtime_api.h>
#else

#if !defined(__LP64__) && !defined(_LP64)
#error "the CUDA runtime interface of Strata needs a 64-bit host"
#endif

#include <driver_types.h>

#ifdef __cplusplus
#define STRATA_OR(value) = value
#else
#define STRATA_OR(value)
#endif

/* Binary names: 12 gave the new layout of the properties a new name, and 13 took it back. */
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000 && !defined(STRATA_CUDART_BUILD)
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif

/* With per-thread default streams the calls that take a stream, or imply one, have names of their own. */
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cudaGetDriverEntryPoint cudaGetDriverEntryPoint_ptsz
#define cudaGetDriverEntryPointByVersion cudaGetDriverEntryPointByVersion_ptsz
#define cudaStreamGetPriority cudaStreamGetPriority_ptsz
#define cudaStreamGetFlags cudaStreamGetFlags_ptsz
#define cudaStreamGetId cudaStreamGetId_ptsz
#define cudaStreamGetDevice cudaStreamGetDevice_ptsz
#define cudaStreamWaitEvent cudaStreamWaitEvent_ptsz
#define cudaStreamAddCallback cudaStreamAddCallback_ptsz
#define cudaLaunchHostFunc cudaLaunchHostFunc_ptsz
#define cudaStreamSynchronize cudaStreamSynchronize_ptsz
#define cudaStreamQuery cudaStreamQuery_ptsz
#define cudaStreamAttachMemAsync cudaStreamAttachMemAsync_ptsz
#define cudaEventRecord cudaEventRecord_ptsz
#define cudaEventRecordWithFlags cudaEventRecordWithFlags_ptsz
#define cudaLaunchKernel cudaLaunchKernel_ptsz
#define cudaLaunchKernelExC cudaLaunchKernelExC_ptsz
#define cudaLaunchCooperativeKernel cudaLaunchCooperativeKernel_ptsz
#define cudaMallocAsync cudaMallocAsync_ptsz
#define cudaFreeAsync cudaFreeAsync_ptsz
#define cudaMallocFromPoolAsync cudaMallocFromPoolAsync_ptsz
#define cudaMemcpyAsync cudaMemcpyAsync_ptsz
#define cudaMemcpy2DAsync cudaMemcpy2DAsync_ptsz
#define cudaMemcpy3DAsync cudaMemcpy3DAsync_ptsz
#define cudaMemcpy3DPeerAsync cudaMemcpy3DPeerAsync_ptsz
#define cudaMemcpyToArrayAsync cudaMemcpyToArrayAsync_ptsz
#define cudaMemcpyFromArrayAsync cudaMemcpyFromArrayAsync_ptsz
#define cudaMemcpy2DToArrayAsync cudaMemcpy2DToArrayAsync_ptsz
#define cudaMemcpy2DFromArrayAsync cudaMemcpy2DFromArrayAsync_ptsz
#define cudaMemcpyToSymbolAsync cudaMemcpyToSymbolAsync_ptsz
#define cudaMemcpyFromSymbolAsync cudaMemcpyFromSymbolAsync_ptsz
#define cudaMemsetAsync cudaMemsetAsync_ptsz
#define cudaMemset2DAsync cudaMemset2DAsync_ptsz
#define cudaMemset3DAsync cudaMemset3DAsync_ptsz
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_ptsz
#define cudaMemcpy cudaMemcpy_ptds
#define cudaMemcpy2D cudaMemcpy2D_ptds
#define cudaMemcpy3D cudaMemcpy3D_ptds
#define cudaMemcpy3DPeer cudaMemcpy3DPeer_ptds
#define cudaMemcpyToArray cudaMemcpyToArray_ptds
#define cudaMemcpyFromArray cudaMemcpyFromArray_ptds
#define cudaMemcpyArrayToArray cudaMemcpyArrayToArray_ptds
#define cudaMemcpy2DToArray cudaMemcpy2DToArray_ptds
#define cudaMemcpy2DFromArray cudaMemcpy2DFromArray_ptds
#define cudaMemcpy2DArrayToArray cudaMemcpy2DArrayToArray_ptds
#define cudaMemcpyToSymbol cudaMemcpyToSymbol_ptds
#define cudaMemcpyFromSymbol cudaMemcpyFromSymbol_ptds
#define cudaMemset cudaMemset_ptds
#define cudaMemset2D cudaMemset2D_ptds
#define cudaMemset3D cudaMemset3D_ptds
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ---- Errors and versions ----------------------------------------------------------------------------------------- */

/* The last error of this thread, and cudaSuccess from then on; a fault of a kernel stays until cudaDeviceReset. */
extern __host__ cudaError_t cudaGetLastError(void);
/* The same without clearing it. */
extern __host__ cudaError_t cudaPeekAtLastError(void);
/* The enumerator's own name, and a text; static storage. */
extern const char *cudaGetErrorName(cudaError_t error);
extern const char *cudaGetErrorString(cudaError_t error);
/* The newest interface that the driver serves, and the one of this library, as 1000 * major + 10 * minor. */
extern __host__ cudaError_t cudaDriverGetVersion(int *version);
extern __host__ cudaError_t cudaRuntimeGetVersion(int *version);
/* Address of a function of the driver API by its plain name; `status` may be NULL. */
extern __host__ cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
						    enum cudaDriverEntryPointQueryResult *status STRATA_OR(NULL));
extern __host__ cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
							     unsigned int cuda_version, unsigned long long flags,
							     enum cudaDriverEntryPointQueryResult *status
							     STRATA_OR(NULL));
/* Marks the part of the program that a profiler is to look at. */
extern __host__ cudaError_t cudaProfilerStart(void);
extern __host__ cudaError_t cudaProfilerStop(void);

/* ---- The device -------------------------------------------------------------------------------------------------- */

extern __host__ cudaError_t cudaGetDeviceCount(int *count);
extern __host__ cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
extern __host__ cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
/* The device whose properties are nearest to the given ones. */
extern __host__ cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties);
extern __host__ cudaError_t cudaSetDevice(int device);
extern __host__ cudaError_t cudaGetDevice(int *device);
extern __host__ cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
extern __host__ cudaError_t cudaSetValidDevices(int *devices, int count);
extern __host__ cudaError_t cudaSetDeviceFlags(unsigned int flags);
extern __host__ cudaError_t cudaGetDeviceFlags(unsigned int *flags);
/* Wait for everything that was given to the device. */
extern __host__ cudaError_t cudaDeviceSynchronize(void);
/* Frees all that the program holds on the device, and forgets a fault. */
extern __host__ cudaError_t cudaDeviceReset(void);
extern __host__ cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
extern __host__ cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
extern __host__ cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
extern __host__ cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
extern __host__ cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
extern __host__ cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
/* Numerically lower is more urgent. */
extern __host__ cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
extern __host__ cudaError_t cudaDeviceGetPCIBusId(char *bus_id, int length, int device);
extern __host__ cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *bus_id);
extern __host__ cudaError_t cudaDeviceCanAccessPeer(int *can_access, int device, int peer);
extern __host__ cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
extern __host__ cudaError_t cudaDeviceDisablePeerAccess(int peer);
extern __host__ cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source,
						      int destination);
/* The longest line of such elements that a texture object can read. */
extern __host__ cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *elements,
								 const struct cudaChannelFormatDesc *format,
								 int device);
/* Names of CUDA 4 and before. */
extern __host__ cudaError_t cudaThreadSynchronize(void);
extern __host__ cudaError_t cudaThreadExit(void);
extern __host__ cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);
extern __host__ cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config);
extern __host__ cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
extern __host__ cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);

/* ---- Streams and events ------------------------------------------------------------------------------------------ */

extern __host__ cudaError_t cudaStreamCreate(cudaStream_t *stream);
extern __host__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
extern __host__ cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
extern __host__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
extern __host__ cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
extern __host__ cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
extern __host__ cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
extern __host__ cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
extern __host__ cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
						unsigned int flags STRATA_OR(0));
/* Call `callback` when the stream gets there; it must not call this API. */
extern __host__ cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user_data,
						  unsigned int flags);
extern __host__ cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data);
extern __host__ cudaError_t cudaStreamSynchronize(cudaStream_t stream);
/* cudaSuccess when the stream is idle, cudaErrorNotReady while it has work. */
extern __host__ cudaError_t cudaStreamQuery(cudaStream_t stream);
extern __host__ cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes STRATA_OR(0),
						     unsigned int flags STRATA_OR(cudaMemAttachSingle));
extern __host__ cudaError_t cudaEventCreate(cudaEvent_t *event);
extern __host__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
extern __host__ cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream STRATA_OR(0),
						     unsigned int flags STRATA_OR(0));
extern __host__ cudaError_t cudaEventQuery(cudaEvent_t event);
extern __host__ cudaError_t cudaEventSynchronize(cudaEvent_t event);
extern __host__ cudaError_t cudaEventDestroy(cudaEvent_t event);
/* Simulated milliseconds from `start` to `end`. */
extern __host__ cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

/* `kernel` is the host function of the same name; `arguments` point to the values in order. */
extern __host__ cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
					     size_t shared_bytes STRATA_OR(0), cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
						void **arguments);
/* For grids whose blocks all have to be resident at once (cooperative groups). */
extern __host__ cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
							size_t shared_bytes STRATA_OR(0),
							cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config);
extern __host__ cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig config);
extern __host__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);
extern __host__ cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value);
/* Advice and preferences of a stream: kept, and without effect. */
extern __host__ cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
						   const cudaLaunchAttributeValue *value);
extern __host__ cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
						   cudaLaunchAttributeValue *value);
extern __host__ cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
/* Offset and size of a kernel's parameter; `bytes` may be NULL. */
extern __host__ cudaError_t cudaFuncGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *bytes);
extern __host__ cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
							    int value, int device);
/* Device code as a library: loaded into a context when that first uses it. Its kernels launch like any. */
extern __host__ cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
						enum cudaJitOption *jit_options, void **jit_values,
						unsigned int jit_count, enum cudaLibraryOption *options, void **values,
						unsigned int options_count);
extern __host__ cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
						    enum cudaJitOption *jit_options, void **jit_values,
						    unsigned int jit_count, enum cudaLibraryOption *options,
						    void **values, unsigned int options_count);
extern __host__ cudaError_t cudaLibraryUnload(cudaLibrary_t library);
extern __host__ cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name);
extern __host__ cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library);
extern __host__ cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int kernels_count,
							cudaLibrary_t library);
extern __host__ cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library,
						 const char *name);
extern __host__ cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library,
						  const char *name);
extern __host__ cudaError_t cudaFuncGetName(const char **name, const void *kernel);
extern __host__ cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *kernel);
extern __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
			int block_size, size_t shared_bytes);
extern __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
			int block_size, size_t shared_bytes, unsigned int flags);
extern __host__ cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, const void *kernel,
								      int blocks, int block_size);

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

extern __host__ cudaError_t cudaMalloc(void **pointer, size_t bytes);
extern __host__ cudaError_t cudaFree(void *pointer);
extern __host__ cudaError_t cudaMallocHost(void **pointer, size_t bytes);
extern __host__ cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags);
extern __host__ cudaError_t cudaFreeHost(void *pointer);
extern __host__ cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags);
extern __host__ cudaError_t cudaHostUnregister(void *pointer);
extern __host__ cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *pointer, unsigned int flags);
extern __host__ cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer);
extern __host__ cudaError_t cudaMallocManaged(void **pointer, size_t bytes,
					      unsigned int flags STRATA_OR(cudaMemAttachGlobal));
/* Rows of `width` bytes, padded to the pitch that is returned. */
extern __host__ cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
extern __host__ cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent);
extern __host__ cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
extern __host__ cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);
extern __host__ cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_bytes,
						     enum cudaMemRangeAttribute attribute, const void *pointer,
						     size_t bytes);
extern __host__ cudaError_t cudaMemRangeGetAttributes(void **data, size_t *data_bytes,
						      enum cudaMemRangeAttribute *attributes, size_t count,
						      const void *pointer, size_t bytes);
#if CUDART_VERSION >= 13000
extern __host__ cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
						 unsigned int flags, cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
					  struct cudaMemLocation location);
extern __host__ cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
						      struct cudaMemLocation *locations, size_t *first,
						      size_t locations_count, unsigned long long flags,
						      cudaStream_t stream);
extern __host__ cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *sizes, size_t count,
						     unsigned long long flags, cudaStream_t stream);
extern __host__ cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
								struct cudaMemLocation *locations, size_t *first,
								size_t locations_count, unsigned long long flags,
								cudaStream_t stream);
extern __host__ cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
						     enum cudaMemAllocationType type);
extern __host__ cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
					      enum cudaMemAllocationType type);
extern __host__ cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
					      cudaMemPool_t pool);
#else
extern __host__ cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
						 cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice, int device);
#endif

/* ---- Stream-ordered memory --------------------------------------------------------------------------------------- */

extern __host__ cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
extern __host__ cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
extern __host__ cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
						    cudaStream_t stream);
extern __host__ cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
extern __host__ cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
extern __host__ cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
extern __host__ cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
extern __host__ cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
extern __host__ cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
extern __host__ cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
extern __host__ cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
extern __host__ cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *descriptors,
						 size_t count);
extern __host__ cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
						 struct cudaMemLocation *location);

/* ---- Copies and fills -------------------------------------------------------------------------------------------- */

extern __host__ cudaError_t cudaMemcpy(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind);
extern __host__ cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t bytes,
					    enum cudaMemcpyKind kind, cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemcpyPeer(void *destination, int destination_device, const void *source,
					   int source_device, size_t bytes);
extern __host__ cudaError_t cudaMemcpyPeerAsync(void *destination, int destination_device, const void *source,
						int source_device, size_t bytes, cudaStream_t stream STRATA_OR(0));
/* `height` rows of `width` bytes. */
extern __host__ cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source,
					 size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
extern __host__ cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source,
					      size_t source_pitch, size_t width, size_t height,
					      enum cudaMemcpyKind kind, cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters);
/* Copies of which none depends on another, in a stream that is not the legacy one (cuMemcpyBatchAsync). */
#if CUDART_VERSION >= 13000
extern __host__ cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes,
						 size_t count, struct cudaMemcpyAttributes *attributes, size_t *first,
						 size_t attributes_count, cudaStream_t stream);
#else
extern __host__ cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
						 struct cudaMemcpyAttributes *attributes, size_t *first,
						 size_t attributes_count, size_t *failed, cudaStream_t stream);
#endif
extern __host__ cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters,
					      cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters);
extern __host__ cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters,
						  cudaStream_t stream STRATA_OR(0));
/* Offsets into arrays: x in bytes, y in rows. */
extern __host__ cudaError_t cudaMemcpyToArray(cudaArray_t destination, size_t x, size_t y, const void *source,
					      size_t bytes, enum cudaMemcpyKind kind);
extern __host__ cudaError_t cudaMemcpyToArrayAsync(cudaArray_t destination, size_t x, size_t y, const void *source,
						   size_t bytes, enum cudaMemcpyKind kind,
						   cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemcpyFromArray(void *destination, cudaArray_const_t source, size_t x, size_t y,
						size_t bytes, enum cudaMemcpyKind kind);
extern __host__ cudaError_t cudaMemcpyFromArrayAsync(void *destination, cudaArray_const_t source, size_t x, size_t y,
						     size_t bytes, enum cudaMemcpyKind kind,
						     cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemcpyArrayToArray(cudaArray_t destination, size_t destination_x,
						   size_t destination_y, cudaArray_const_t source, size_t source_x,
						   size_t source_y, size_t bytes,
						   enum cudaMemcpyKind kind STRATA_OR(cudaMemcpyDeviceToDevice));
extern __host__ cudaError_t cudaMemcpy2DToArray(cudaArray_t destination, size_t x, size_t y, const void *source,
						size_t source_pitch, size_t width, size_t height,
						enum cudaMemcpyKind kind);
extern __host__ cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t destination, size_t x, size_t y, const void *source,
						     size_t source_pitch, size_t width, size_t height,
						     enum cudaMemcpyKind kind, cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemcpy2DFromArray(void *destination, size_t destination_pitch,
						  cudaArray_const_t source, size_t x, size_t y, size_t width,
						  size_t height, enum cudaMemcpyKind kind);
extern __host__ cudaError_t cudaMemcpy2DFromArrayAsync(void *destination, size_t destination_pitch,
						       cudaArray_const_t source, size_t x, size_t y, size_t width,
						       size_t height, enum cudaMemcpyKind kind,
						       cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t destination, size_t destination_x,
						     size_t destination_y, cudaArray_const_t source, size_t source_x,
						     size_t source_y, size_t width, size_t height,
						     enum cudaMemcpyKind kind STRATA_OR(cudaMemcpyDeviceToDevice));
/* A `symbol` is a __device__ or __constant__ variable. */
extern __host__ cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *source, size_t bytes,
					       size_t offset STRATA_OR(0),
					       enum cudaMemcpyKind kind STRATA_OR(cudaMemcpyHostToDevice));
extern __host__ cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t bytes,
						    size_t offset, enum cudaMemcpyKind kind,
						    cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemcpyFromSymbol(void *destination, const void *symbol, size_t bytes,
						 size_t offset STRATA_OR(0),
						 enum cudaMemcpyKind kind STRATA_OR(cudaMemcpyDeviceToHost));
extern __host__ cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const void *symbol, size_t bytes,
						      size_t offset, enum cudaMemcpyKind kind,
						      cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol);
extern __host__ cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);
/* Bytes of value `value`. */
extern __host__ cudaError_t cudaMemset(void *pointer, int value, size_t bytes);
extern __host__ cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height);
extern __host__ cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
					      cudaStream_t stream STRATA_OR(0));
extern __host__ cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent);
extern __host__ cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
					      cudaStream_t stream STRATA_OR(0));

/* ---- Arrays, textures, surfaces ---------------------------------------------------------------------------------- */

extern struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
							  enum cudaChannelFormatKind kind);
extern __host__ cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array);
extern __host__ cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
					    size_t width, size_t height STRATA_OR(0),
					    unsigned int flags STRATA_OR(0));
extern __host__ cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
					      struct cudaExtent extent, unsigned int flags STRATA_OR(0));
extern __host__ cudaError_t cudaFreeArray(cudaArray_t array);
/* Levels beyond the one of a single element are not made; a level's array goes with the mipmapped array. */
extern __host__ cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
						     const struct cudaChannelFormatDesc *format,
						     struct cudaExtent extent, unsigned int levels,
						     unsigned int flags STRATA_OR(0));
extern __host__ cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array,
						       unsigned int number);
extern __host__ cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
extern __host__ cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
					     unsigned int *flags, cudaArray_t array);
/* `view` may be NULL: elements are then read as the resource describes them. */
extern __host__ cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
						    const struct cudaResourceDesc *resource,
						    const struct cudaTextureDesc *texture,
						    const struct cudaResourceViewDesc *view);
extern __host__ cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
extern __host__ cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
							     cudaTextureObject_t object);
extern __host__ cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture,
							    cudaTextureObject_t object);
extern __host__ cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
						    const struct cudaResourceDesc *resource);
extern __host__ cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
extern __host__ cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
							     cudaSurfaceObject_t object);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#include <strata/runtime_graph.h>

#endif
#endif
