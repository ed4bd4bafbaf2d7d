/*
 * The CUDA driver API, as far as Strata's libcuda.so.1 implements it.
 *
 * A program that includes this header and links to libcuda compiles unchanged against a real driver.  Rules that hold
 * for every call (CUDA Driver API reference, version 12.0):
 *   - cuInit comes first; before it every call but cuDriverGetVersion and the cuGetError* pair returns
 *     CUDA_ERROR_NOT_INITIALIZED.
 *   - A NULL or out-of-range argument gives CUDA_ERROR_INVALID_VALUE, a dead handle CUDA_ERROR_INVALID_HANDLE, a call
 *     that needs a current context without one CUDA_ERROR_INVALID_CONTEXT; outputs are then left alone.
 *   - A kernel that failed (illegal address, trap, ...) makes its context return that error from then on.
 *   - Sizes, pitches and offsets are bytes unless the name says elements (the N of cuMemsetD16/D32 counts elements).
 *   - Handles are owned by the caller until the matching Destroy, Unload or Free; destroying a context frees what it
 *     owns.
 *   - What is not implemented returns CUDA_ERROR_NOT_SUPPORTED and names itself once on stderr.
 * Time that these calls show (events, kernel clocks) is simulated time; host time never appears.
 */
#ifndef STRATA_CUDA_H
#define STRATA_CUDA_H

#if !defined(__LP64__) && !defined(_LP64)
#error "the CUDA driver interface of Strata needs a 64-bit host"
#endif
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error "per-thread default streams are not available by macro; pass CU_STREAM_PER_THREAD as the stream instead"
#endif

#include <strata/cuda_types.h>

/*
 * Calls whose binary interface changed once carry a suffix in the library; sources use the plain name.
 */
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuCtxCreate cuCtxCreate_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuDeviceGetUuid cuDeviceGetUuid_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuEventDestroy cuEventDestroy_v2
#define cuGetProcAddress cuGetProcAddress_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuMemcpy2D cuMemcpy2D_v2
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2
#define cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2
#define cuMemcpy3D cuMemcpy3D_v2
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2
#define cuMemcpyAtoA cuMemcpyAtoA_v2
#define cuMemcpyAtoD cuMemcpyAtoD_v2
#define cuMemcpyAtoH cuMemcpyAtoH_v2
#define cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2
#define cuMemcpy3DBatchAsync cuMemcpy3DBatchAsync_v2
#define cuMemcpyBatchAsync cuMemcpyBatchAsync_v2
#define cuMemcpyDtoA cuMemcpyDtoA_v2
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyHtoA cuMemcpyHtoA_v2
#define cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemsetD16 cuMemsetD16_v2
#define cuMemsetD2D16 cuMemsetD2D16_v2
#define cuMemsetD2D32 cuMemsetD2D32_v2
#define cuMemsetD2D8 cuMemsetD2D8_v2
#define cuMemsetD32 cuMemsetD32_v2
#define cuMemsetD8 cuMemsetD8_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuStreamBatchMemOp cuStreamBatchMemOp_v2
#define cuStreamDestroy cuStreamDestroy_v2
#define cuStreamWaitValue32 cuStreamWaitValue32_v2
#define cuStreamWaitValue64 cuStreamWaitValue64_v2
#define cuStreamWriteValue32 cuStreamWriteValue32_v2
#define cuStreamWriteValue64 cuStreamWriteValue64_v2
#define cuTexRefGetAddress cuTexRefGetAddress_v2
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ---- Errors, start-up, versions, entry points ------------------------------------------------------------------- */

/* The text that describes `error` ("out of memory"); static storage.  INVALID_VALUE and NULL for an unknown code. */
CUresult CUDAAPI cuGetErrorString(CUresult error, const char **text);
/* The enumerator's own name ("CUDA_ERROR_OUT_OF_MEMORY"); static storage. */
CUresult CUDAAPI cuGetErrorName(CUresult error, const char **name);
/* Start the driver: `flags` must be 0.  May be called any number of times. */
CUresult CUDAAPI cuInit(unsigned int flags);
/* The newest version of the interface that the driver serves, as 1000 * major + 10 * minor. */
CUresult CUDAAPI cuDriverGetVersion(int *version);
/* Address of an entry point by its plain name; `status` (may be NULL) tells a wrong name from a wrong version. */
CUresult CUDAAPI cuGetProcAddress_v2(const char *symbol, void **function, int cuda_version, cuuint64_t flags,
				     CUdriverProcAddressQueryResult *status);
/* Mark the part of the program that a profiler is to look at. */
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);

/* ---- Devices ---------------------------------------------------------------------------------------------------- */

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal);
CUresult CUDAAPI cuDeviceGetCount(int *count);
/* The device's name, cut to `length` bytes with its terminating NUL. */
CUresult CUDAAPI cuDeviceGetName(char *name, int length, CUdevice device);
CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
#undef cuDeviceGetUuid
CUresult CUDAAPI cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
#define cuDeviceGetUuid cuDeviceGetUuid_v2
CUresult CUDAAPI cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
/* One attribute of the modelled machine; INVALID_VALUE for an unknown one. */
CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult CUDAAPI cuDeviceGetProperties(CUdevprop *properties, CUdevice device);
CUresult CUDAAPI cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult CUDAAPI cuDeviceGetPCIBusId(char *bus_id, int length, CUdevice device);
CUresult CUDAAPI cuDeviceGetByPCIBusId(CUdevice *device, const char *bus_id);
CUresult CUDAAPI cuDeviceCanAccessPeer(int *can_access, CUdevice device, CUdevice peer);
CUresult CUDAAPI cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice source,
					 CUdevice destination);

/* ---- Contexts --------------------------------------------------------------------------------------------------- */

/* Create a context and push it on the calling thread's stack; `flags` are CUctx_flags. */
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
/* Forms of newer versions: `params` may be NULL; a context of part of the device gives UNSUPPORTED_EXEC_AFFINITY. */
CUresult CUDAAPI cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *params, int params_count, unsigned int flags,
				CUdevice device);
CUresult CUDAAPI cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned int flags, CUdevice device);
CUresult CUDAAPI cuCtxDestroy_v2(CUcontext context);
CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext context);
/* Take the current context off the stack; `context` may be NULL. */
CUresult CUDAAPI cuCtxPopCurrent_v2(CUcontext *context);
/* Replace the top of the stack; NULL only pops. */
CUresult CUDAAPI cuCtxSetCurrent(CUcontext context);
/* The current context, or NULL when there is none (not an error). */
CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context);
CUresult CUDAAPI cuCtxGetDevice(CUdevice *device);
CUresult CUDAAPI cuCtxGetFlags(unsigned int *flags);
CUresult CUDAAPI cuCtxGetId(CUcontext context, unsigned long long *id);
/* Wait for everything that was given to the current context. */
CUresult CUDAAPI cuCtxSynchronize(void);
/* The same of a context that need not be current; NULL is the current one. */
CUresult CUDAAPI cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
CUresult CUDAAPI cuCtxSynchronize_v2(CUcontext context);
CUresult CUDAAPI cuCtxSetFlags(unsigned int flags);
/* The event stands for all work that the context has now; and all streams of the context wait for the event. */
CUresult CUDAAPI cuCtxRecordEvent(CUcontext context, CUevent event);
CUresult CUDAAPI cuCtxWaitEvent(CUcontext context, CUevent event);
CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, size_t value);
CUresult CUDAAPI cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult CUDAAPI cuCtxGetCacheConfig(CUfunc_cache *config);
CUresult CUDAAPI cuCtxSetCacheConfig(CUfunc_cache config);
CUresult CUDAAPI cuCtxGetSharedMemConfig(CUsharedconfig *config);
CUresult CUDAAPI cuCtxSetSharedMemConfig(CUsharedconfig config);
CUresult CUDAAPI cuCtxGetApiVersion(CUcontext context, unsigned int *version);
/* Numerically lower is more urgent. */
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult CUDAAPI cuCtxResetPersistingL2Cache(void);
CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext peer);
/* Old forms, kept by the driver: a usage count over one context. */
CUresult CUDAAPI cuCtxAttach(CUcontext *context, unsigned int flags);
CUresult CUDAAPI cuCtxDetach(CUcontext context);
/* The primary context of a device, counted: created by the first Retain, destroyed by the last Release. */
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags);
CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);

/* ---- Modules and linking ---------------------------------------------------------------------------------------- */

/* Load PTX (or a fat binary that holds PTX) from a file, or from memory as text that ends in NUL. */
CUresult CUDAAPI cuModuleLoad(CUmodule *module, const char *path);
CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image);
/* As above; options and values are parallel arrays of `options_count` entries.  Log buffers get the messages. */
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int options_count,
				    CUjit_option *options, void **values);
CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule *module, const void *fat_binary);
CUresult CUDAAPI cuModuleUnload(CUmodule module);
/* NOT_FOUND when the module has no such kernel. */
CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
/* Address and size of a global or constant variable; either output may be NULL. */
CUresult CUDAAPI cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name);
CUresult CUDAAPI cuModuleGetTexRef(CUtexref *texref, CUmodule module, const char *name);
CUresult CUDAAPI cuModuleGetSurfRef(CUsurfref *surfref, CUmodule module, const char *name);

/* How many kernels a module has, and their handles. */
CUresult CUDAAPI cuModuleGetFunctionCount(unsigned int *count, CUmodule module);
CUresult CUDAAPI cuModuleEnumerateFunctions(CUfunction *functions, unsigned int functions_count, CUmodule module);
/* Lazy: kernels are decoded when they are first needed. */
CUresult CUDAAPI cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);

/*
 * Libraries: an image that is loaded into a context when that first uses it. A kernel's handle stands for its function
 * in the current context, also where a CUfunction is launched or asked about.
 */
CUresult CUDAAPI cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *jit_options, void **jit_values,
				   unsigned int jit_count, CUlibraryOption *options, void **values,
				   unsigned int options_count);
CUresult CUDAAPI cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options,
				       void **jit_values, unsigned int jit_count, CUlibraryOption *options,
				       void **values, unsigned int options_count);
CUresult CUDAAPI cuLibraryUnload(CUlibrary library);
CUresult CUDAAPI cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult CUDAAPI cuLibraryGetKernelCount(unsigned int *count, CUlibrary library);
CUresult CUDAAPI cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int kernels_count, CUlibrary library);
CUresult CUDAAPI cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult CUDAAPI cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name);
CUresult CUDAAPI cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name);
CUresult CUDAAPI cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult CUDAAPI cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUresult CUDAAPI cuKernelGetName(const char **name, CUkernel kernel);
CUresult CUDAAPI cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes);
CUresult CUDAAPI cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device);
CUresult CUDAAPI cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device);
CUresult CUDAAPI cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device);

/* Link several PTX texts into one image.  The image belongs to the link state and dies with it. */
CUresult CUDAAPI cuLinkCreate_v2(unsigned int options_count, CUjit_option *options, void **values, CUlinkState *state);
CUresult CUDAAPI cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
				  unsigned int options_count, CUjit_option *options, void **values);
CUresult CUDAAPI cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
				  unsigned int options_count, CUjit_option *options, void **values);
CUresult CUDAAPI cuLinkComplete(CUlinkState state, void **image, size_t *bytes);
CUresult CUDAAPI cuLinkDestroy(CUlinkState state);
/* The same two under their unsuffixed binary names, which GCC's offloading library looks up. */
#undef cuLinkCreate
#undef cuLinkAddData
CUresult CUDAAPI cuLinkCreate(unsigned int options_count, CUjit_option *options, void **values, CUlinkState *state);
CUresult CUDAAPI cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
			       unsigned int options_count, CUjit_option *options, void **values);
#define cuLinkCreate cuLinkCreate_v2
#define cuLinkAddData cuLinkAddData_v2

/* ---- Functions, launches, occupancy ----------------------------------------------------------------------------- */

CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult CUDAAPI cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult CUDAAPI cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUresult CUDAAPI cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config);
CUresult CUDAAPI cuFuncGetModule(CUmodule *module, CUfunction function);
/* The name as in the image; it lives as long as the function. */
CUresult CUDAAPI cuFuncGetName(const char **name, CUfunction function);
/* Offset and size of a kernel's parameter; `bytes` may be NULL. INVALID_VALUE past the last. */
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes);
CUresult CUDAAPI cuFuncLoad(CUfunction function);
CUresult CUDAAPI cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function);
/*
 * Start a grid of grid_x * grid_y * grid_z CTAs of block_x * block_y * block_z threads.  Parameters come either as
 * `params`, an array of pointers to the values in order, or packed in `extra`; not both.
 */
CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
				unsigned int block_x, unsigned int block_y, unsigned int block_z,
				unsigned int shared_bytes, CUstream stream, void **params, void **extra);
/* The same for grids whose CTAs all have to be resident at once (CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE). */
CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
					   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
					   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
					   void **params);
/* Either of the two, as one structure. */
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra);
/* Call `function` on a host thread when the stream gets there; it must not call this API. */
CUresult CUDAAPI cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user_data);
/* CTAs of `block_size` threads that one SM can hold. */
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas_count, CUfunction function, int block_size,
							     size_t shared_bytes);
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ctas_count, CUfunction function,
								      int block_size, size_t shared_bytes,
								      unsigned int flags);
/* A block size (at most `block_size_limit`; 0: no limit) of highest occupancy, and the least grid that fills it. */
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size, CUfunction function,
						  CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes,
						  int block_size_limit);
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid_size, int *block_size, CUfunction function,
							   CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes,
							   int block_size_limit, unsigned int flags);
CUresult CUDAAPI cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, CUfunction function, int ctas_count,
							 int block_size);

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

CUresult CUDAAPI cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes);
CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *address, size_t bytes);
/* Rows of `width_bytes`, padded to the pitch that is returned; elements are of 4, 8 or 16 bytes. */
CUresult CUDAAPI cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch_bytes, size_t width_bytes, size_t height,
				    unsigned int element_bytes);
CUresult CUDAAPI cuMemFree_v2(CUdeviceptr address);
/* Start and size of the allocation that holds `address`; either output may be NULL. */
CUresult CUDAAPI cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address);
CUresult CUDAAPI cuMemAllocHost_v2(void **pointer, size_t bytes);
CUresult CUDAAPI cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags);
CUresult CUDAAPI cuMemFreeHost(void *pointer);
CUresult CUDAAPI cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags);
CUresult CUDAAPI cuMemHostUnregister(void *pointer);
CUresult CUDAAPI cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *pointer, unsigned int flags);
CUresult CUDAAPI cuMemHostGetFlags(unsigned int *flags, void *pointer);
/* Memory that host and kernels reach by the same address; `flags` are CUmemAttach_flags. */
CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice destination, CUstream stream);
CUresult CUDAAPI cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags,
				       CUstream stream);
/* Ranges of managed memory; locations[k] is that of the ranges from number first[k] on. Not in the legacy stream. What
 * a discarded range holds is not needed any more. */
CUresult CUDAAPI cuMemPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, CUmemLocation *locations,
					 size_t *first, size_t locations_count, unsigned long long flags,
					 CUstream stream);
CUresult CUDAAPI cuMemDiscardBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, unsigned long long flags,
					CUstream stream);
CUresult CUDAAPI cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count,
						   CUmemLocation *locations, size_t *first, size_t locations_count,
						   unsigned long long flags, CUstream stream);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device);
CUresult CUDAAPI cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location);
CUresult CUDAAPI cuMemRangeGetAttribute(void *data, size_t data_bytes, CUmem_range_attribute attribute,
					CUdeviceptr address, size_t bytes);
/* `data` points to a value of the attribute's own type. */
CUresult CUDAAPI cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address);
CUresult CUDAAPI cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data,
					CUdeviceptr address);
CUresult CUDAAPI cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address);
/* Stream-ordered allocation, from the device's current pool. */
CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr address, CUstream stream);
/* Pools count the memory that is allocated from them. Theirs is the memory of the one device, and it is not shared. */
CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream);
CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties);
/* A pool with allocations goes with the last of them. The default pool stays (INVALID_VALUE). */
CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool pool);
CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes_to_keep);
/* `value` points to an int for the reuse attributes and to a cuuint64_t for the others. */
CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *descriptors, size_t count);
CUresult CUDAAPI cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location);
CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);
CUresult CUDAAPI cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);
/* The same by location and kind of memory; there are pools of the device's memory only. */
CUresult CUDAAPI cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type);
CUresult CUDAAPI cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type);
CUresult CUDAAPI cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool);

/* Addresses and memory apart: memory is created without an address, mapped to reserved addresses, and made accessible.
 * Sizes and addresses are multiples of the granularity, 2 MiB. */
CUresult CUDAAPI cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
					       CUmemAllocationGranularity_flags which);
CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment_bytes, CUdeviceptr wanted,
				     unsigned long long flags);
/* A whole reservation, in which nothing is mapped. */
CUresult CUDAAPI cuMemAddressFree(CUdeviceptr address, size_t bytes);
CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
			     unsigned long long flags);
/* The memory goes when its last handle is released and its last mapping is gone. */
CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle);
/* One more handle's worth of the memory that is mapped at `address`. */
CUresult CUDAAPI cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address);
CUresult CUDAAPI cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
							CUmemGenericAllocationHandle handle);
/* Nothing can be accessed before cuMemSetAccess. Memory may be mapped to several places. */
CUresult CUDAAPI cuMemMap(CUdeviceptr address, size_t bytes, size_t offset_bytes, CUmemGenericAllocationHandle handle,
			  unsigned long long flags);
/* These two take whole mappings, one or several side by side. */
CUresult CUDAAPI cuMemUnmap(CUdeviceptr address, size_t bytes);
CUresult CUDAAPI cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *descriptors, size_t count);
CUresult CUDAAPI cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address);

/* Copies: H host, D device, A array.  Async forms are ordered in their stream; the others have happened on return. */
CUresult CUDAAPI cuMemcpy(CUdeviceptr destination, CUdeviceptr source, size_t bytes);
CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr destination, const void *source, size_t bytes);
CUresult CUDAAPI cuMemcpyDtoH_v2(void *destination, CUdeviceptr source, size_t bytes);
CUresult CUDAAPI cuMemcpyDtoD_v2(CUdeviceptr destination, CUdeviceptr source, size_t bytes);
CUresult CUDAAPI cuMemcpyHtoDAsync_v2(CUdeviceptr destination, const void *source, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyDtoHAsync_v2(void *destination, CUdeviceptr source, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyDtoDAsync_v2(CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyPeer(CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,
			      CUcontext source_context, size_t bytes);
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,
				   CUcontext source_context, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyDtoA_v2(CUarray destination, size_t destination_offset, CUdeviceptr source, size_t bytes);
CUresult CUDAAPI cuMemcpyAtoD_v2(CUdeviceptr destination, CUarray source, size_t source_offset, size_t bytes);
CUresult CUDAAPI cuMemcpyHtoA_v2(CUarray destination, size_t destination_offset, const void *source, size_t bytes);
CUresult CUDAAPI cuMemcpyAtoH_v2(void *destination, CUarray source, size_t source_offset, size_t bytes);
CUresult CUDAAPI cuMemcpyAtoA_v2(CUarray destination, size_t destination_offset, CUarray source, size_t source_offset,
				 size_t bytes);
CUresult CUDAAPI cuMemcpyHtoAAsync_v2(CUarray destination, size_t destination_offset, const void *source, size_t bytes,
				      CUstream stream);
CUresult CUDAAPI cuMemcpyAtoHAsync_v2(void *destination, CUarray source, size_t source_offset, size_t bytes,
				      CUstream stream);
CUresult CUDAAPI cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy);
CUresult CUDAAPI cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy);
CUresult CUDAAPI cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream);
CUresult CUDAAPI cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy);
CUresult CUDAAPI cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult CUDAAPI cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy);
CUresult CUDAAPI cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream);
/*
 * `count` copies, of which none depends on another, in a stream that is not the legacy one. Attribute i holds for the
 * copies from first[i] on. The forms of CUDA 12 (without _v2) tell which copy is at fault; SIZE_MAX: not one alone.
 */
CUresult CUDAAPI cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
				       CUmemcpyAttributes *attributes, size_t *first, size_t attributes_count,
				       CUstream stream);
CUresult CUDAAPI cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, unsigned long long flags,
					 CUstream stream);
#undef cuMemcpyBatchAsync
#undef cuMemcpy3DBatchAsync
CUresult CUDAAPI cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
				    CUmemcpyAttributes *attributes, size_t *first, size_t attributes_count,
				    size_t *failed, CUstream stream);
CUresult CUDAAPI cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed,
				      unsigned long long flags, CUstream stream);
#define cuMemcpyBatchAsync cuMemcpyBatchAsync_v2
#define cuMemcpy3DBatchAsync cuMemcpy3DBatchAsync_v2

/* Fills: `count` elements of 1, 2 or 4 bytes, or `height` rows of `width` elements, `pitch_bytes` apart. */
CUresult CUDAAPI cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t count);
CUresult CUDAAPI cuMemsetD16_v2(CUdeviceptr address, unsigned short value, size_t count);
CUresult CUDAAPI cuMemsetD32_v2(CUdeviceptr address, unsigned int value, size_t count);
CUresult CUDAAPI cuMemsetD2D8_v2(CUdeviceptr address, size_t pitch_bytes, unsigned char value, size_t width,
				 size_t height);
CUresult CUDAAPI cuMemsetD2D16_v2(CUdeviceptr address, size_t pitch_bytes, unsigned short value, size_t width,
				  size_t height);
CUresult CUDAAPI cuMemsetD2D32_v2(CUdeviceptr address, size_t pitch_bytes, unsigned int value, size_t width,
				  size_t height);
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t count, CUstream stream);
CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr address, unsigned short value, size_t count, CUstream stream);
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr address, unsigned int value, size_t count, CUstream stream);
CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr address, size_t pitch_bytes, unsigned char value, size_t width,
				   size_t height, CUstream stream);
CUresult CUDAAPI cuMemsetD2D16Async(CUdeviceptr address, size_t pitch_bytes, unsigned short value, size_t width,
				    size_t height, CUstream stream);
CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr address, size_t pitch_bytes, unsigned int value, size_t width,
				    size_t height, CUstream stream);

/* ---- Streams and events ----------------------------------------------------------------------------------------- */

CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
CUresult CUDAAPI cuStreamDestroy_v2(CUstream stream);
/* SUCCESS when the stream is idle, NOT_READY while it has work. */
CUresult CUDAAPI cuStreamQuery(CUstream stream);
CUresult CUDAAPI cuStreamSynchronize(CUstream stream);
CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
/* The stream writes a word, or goes on when it has a value, which must have been written already, by what was given to
 * any stream before or by the host: NOT_SUPPORTED else. */
CUresult CUDAAPI cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags);
CUresult CUDAAPI cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags);
CUresult CUDAAPI cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags);
CUresult CUDAAPI cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags);
CUresult CUDAAPI cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations,
				       unsigned int flags);
CUresult CUDAAPI cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user_data, unsigned int flags);
CUresult CUDAAPI cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned int flags);
CUresult CUDAAPI cuStreamGetFlags(CUstream stream, unsigned int *flags);
CUresult CUDAAPI cuStreamGetPriority(CUstream stream, int *priority);
CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult CUDAAPI cuStreamGetDevice(CUstream stream, CUdevice *device);
/* Advice and preferences of a stream: kept, and without effect. */
CUresult CUDAAPI cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value);
CUresult CUDAAPI cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value);
CUresult CUDAAPI cuStreamCopyAttributes(CUstream to, CUstream from);
/* A number that no other stream of the process has. */
CUresult CUDAAPI cuStreamGetId(CUstream stream, unsigned long long *id);
CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned int flags);
CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream);
CUresult CUDAAPI cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags);
CUresult CUDAAPI cuEventQuery(CUevent event);
CUresult CUDAAPI cuEventSynchronize(CUevent event);
/* Simulated milliseconds from `start` to `end`. */
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);
CUresult CUDAAPI cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end);
CUresult CUDAAPI cuEventDestroy_v2(CUevent event);

/* ---- Arrays, textures and surfaces ------------------------------------------------------------------------------ */

CUresult CUDAAPI cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor);
CUresult CUDAAPI cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array);
CUresult CUDAAPI cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
CUresult CUDAAPI cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array);
CUresult CUDAAPI cuArrayDestroy(CUarray array);
/* Levels beyond the one of a single texel are not made. A level's array goes with the mipmapped array. */
CUresult CUDAAPI cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
					unsigned int levels_count);
CUresult CUDAAPI cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray array, unsigned int number);
CUresult CUDAAPI cuMipmappedArrayDestroy(CUmipmappedArray array);
/* `view` may be NULL: elements are then read as the resource describes them. */
CUresult CUDAAPI cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
				   const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view);
CUresult CUDAAPI cuTexObjectDestroy(CUtexObject object);
CUresult CUDAAPI cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object);
CUresult CUDAAPI cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object);
CUresult CUDAAPI cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object);
/* The resource must be an array. */
CUresult CUDAAPI cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource);
CUresult CUDAAPI cuSurfObjectDestroy(CUsurfObject object);
CUresult CUDAAPI cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object);
/* Texture and surface references: module-scope .texref and .surfref variables, set up before the launch. */
CUresult CUDAAPI cuTexRefCreate(CUtexref *texref);
CUresult CUDAAPI cuTexRefDestroy(CUtexref texref);
CUresult CUDAAPI cuTexRefSetArray(CUtexref texref, CUarray array, unsigned int flags);
CUresult CUDAAPI cuTexRefSetAddress_v2(size_t *offset_bytes, CUtexref texref, CUdeviceptr address, size_t bytes);
CUresult CUDAAPI cuTexRefSetAddress2D_v3(CUtexref texref, const CUDA_ARRAY_DESCRIPTOR *descriptor, CUdeviceptr address,
					 size_t pitch_bytes);
CUresult CUDAAPI cuTexRefSetFormat(CUtexref texref, CUarray_format format, int channels_count);
CUresult CUDAAPI cuTexRefSetAddressMode(CUtexref texref, int dimension, CUaddress_mode mode);
CUresult CUDAAPI cuTexRefSetFilterMode(CUtexref texref, CUfilter_mode mode);
CUresult CUDAAPI cuTexRefSetFlags(CUtexref texref, unsigned int flags);
CUresult CUDAAPI cuTexRefSetMipmappedArray(CUtexref texref, CUmipmappedArray array, unsigned int flags);
CUresult CUDAAPI cuTexRefSetMipmapFilterMode(CUtexref texref, CUfilter_mode mode);
CUresult CUDAAPI cuTexRefSetMipmapLevelBias(CUtexref texref, float bias);
CUresult CUDAAPI cuTexRefSetMipmapLevelClamp(CUtexref texref, float least, float most);
CUresult CUDAAPI cuTexRefSetMaxAnisotropy(CUtexref texref, unsigned int most);
CUresult CUDAAPI cuTexRefSetBorderColor(CUtexref texref, float *color);
CUresult CUDAAPI cuTexRefGetAddress_v2(CUdeviceptr *address, CUtexref texref);
CUresult CUDAAPI cuTexRefGetArray(CUarray *array, CUtexref texref);
CUresult CUDAAPI cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref texref);
CUresult CUDAAPI cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref texref, int dimension);
CUresult CUDAAPI cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref texref);
CUresult CUDAAPI cuTexRefGetFormat(CUarray_format *format, int *channels_count, CUtexref texref);
CUresult CUDAAPI cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref texref);
CUresult CUDAAPI cuTexRefGetMipmapLevelBias(float *bias, CUtexref texref);
CUresult CUDAAPI cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref texref);
CUresult CUDAAPI cuTexRefGetMaxAnisotropy(int *most, CUtexref texref);
CUresult CUDAAPI cuTexRefGetBorderColor(float *color, CUtexref texref);
CUresult CUDAAPI cuTexRefGetFlags(unsigned int *flags, CUtexref texref);
CUresult CUDAAPI cuSurfRefSetArray(CUsurfref surfref, CUarray array, unsigned int flags);
CUresult CUDAAPI cuSurfRefGetArray(CUarray *array, CUsurfref surfref);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#include <strata/cuda_graph.h>

#endif
