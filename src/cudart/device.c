/* device.c - what programs ask about the device: count, properties, attributes, limits, preferences, peers, versions.
 */
#include <string.h>

#include "base/check.h"
#include "cudart/priv.h"

static cudaError_t check_device(int device)
{
	CUDART_ENTER();
	return device ? cudart_fail(cudaErrorInvalidDevice) : cudaSuccess;
}

CUDART_API cudaError_t cudaGetDeviceCount(int *count)
{
	CUDART_ENTER();
	if (!count)
		return cudart_fail(cudaErrorInvalidValue);
	return cudart_result(cuDeviceGetCount(count));
}

/* ---- attributes and properties ---- */

CUDART_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	cudaError_t e = check_device(device);

	if (e != cudaSuccess)
		return e;
	return cudart_result(cuDeviceGetAttribute(value, (CUdevice_attribute)attribute, device));
}

/* Members of the properties that are attributes, by offset; ROW for int, SIZE_ROW for size_t. */
struct property_row {
	uint16_t offset;
	bool is_size;
	uint8_t attribute;
};

#define ROW(member, attr) {offsetof(struct cudaDeviceProp, member), false, cudaDevAttr##attr}
#define SIZE_ROW(member, attr) {offsetof(struct cudaDeviceProp, member), true, cudaDevAttr##attr}

static const struct property_row rows[] = {
	SIZE_ROW(sharedMemPerBlock, MaxSharedMemoryPerBlock),
	ROW(regsPerBlock, MaxRegistersPerBlock),
	ROW(warpSize, WarpSize),
	SIZE_ROW(memPitch, MaxPitch),
	ROW(maxThreadsPerBlock, MaxThreadsPerBlock),
	ROW(maxThreadsDim[0], MaxBlockDimX),
	ROW(maxThreadsDim[1], MaxBlockDimY),
	ROW(maxThreadsDim[2], MaxBlockDimZ),
	ROW(maxGridSize[0], MaxGridDimX),
	ROW(maxGridSize[1], MaxGridDimY),
	ROW(maxGridSize[2], MaxGridDimZ),
	SIZE_ROW(totalConstMem, TotalConstantMemory),
	ROW(major, ComputeCapabilityMajor),
	ROW(minor, ComputeCapabilityMinor),
	SIZE_ROW(textureAlignment, TextureAlignment),
	SIZE_ROW(texturePitchAlignment, TexturePitchAlignment),
	ROW(multiProcessorCount, MultiProcessorCount),
	ROW(integrated, Integrated),
	ROW(canMapHostMemory, CanMapHostMemory),
	ROW(maxTexture1D, MaxTexture1DWidth),
	ROW(maxTexture1DMipmap, MaxTexture1DMipmappedWidth),
	ROW(maxTexture2D[0], MaxTexture2DWidth),
	ROW(maxTexture2D[1], MaxTexture2DHeight),
	ROW(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth),
	ROW(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight),
	ROW(maxTexture2DLinear[0], MaxTexture2DLinearWidth),
	ROW(maxTexture2DLinear[1], MaxTexture2DLinearHeight),
	ROW(maxTexture2DLinear[2], MaxTexture2DLinearPitch),
	ROW(maxTexture2DGather[0], MaxTexture2DGatherWidth),
	ROW(maxTexture2DGather[1], MaxTexture2DGatherHeight),
	ROW(maxTexture3D[0], MaxTexture3DWidth),
	ROW(maxTexture3D[1], MaxTexture3DHeight),
	ROW(maxTexture3D[2], MaxTexture3DDepth),
	ROW(maxTexture3DAlt[0], MaxTexture3DWidthAlt),
	ROW(maxTexture3DAlt[1], MaxTexture3DHeightAlt),
	ROW(maxTexture3DAlt[2], MaxTexture3DDepthAlt),
	ROW(maxTextureCubemap, MaxTextureCubemapWidth),
	ROW(maxTexture1DLayered[0], MaxTexture1DLayeredWidth),
	ROW(maxTexture1DLayered[1], MaxTexture1DLayeredLayers),
	ROW(maxTexture2DLayered[0], MaxTexture2DLayeredWidth),
	ROW(maxTexture2DLayered[1], MaxTexture2DLayeredHeight),
	ROW(maxTexture2DLayered[2], MaxTexture2DLayeredLayers),
	ROW(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth),
	ROW(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers),
	ROW(maxSurface1D, MaxSurface1DWidth),
	ROW(maxSurface2D[0], MaxSurface2DWidth),
	ROW(maxSurface2D[1], MaxSurface2DHeight),
	ROW(maxSurface3D[0], MaxSurface3DWidth),
	ROW(maxSurface3D[1], MaxSurface3DHeight),
	ROW(maxSurface3D[2], MaxSurface3DDepth),
	ROW(maxSurface1DLayered[0], MaxSurface1DLayeredWidth),
	ROW(maxSurface1DLayered[1], MaxSurface1DLayeredLayers),
	ROW(maxSurface2DLayered[0], MaxSurface2DLayeredWidth),
	ROW(maxSurface2DLayered[1], MaxSurface2DLayeredHeight),
	ROW(maxSurface2DLayered[2], MaxSurface2DLayeredLayers),
	ROW(maxSurfaceCubemap, MaxSurfaceCubemapWidth),
	ROW(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth),
	ROW(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers),
	SIZE_ROW(surfaceAlignment, SurfaceAlignment),
	ROW(concurrentKernels, ConcurrentKernels),
	ROW(ECCEnabled, EccEnabled),
	ROW(pciBusID, PciBusId),
	ROW(pciDeviceID, PciDeviceId),
	ROW(pciDomainID, PciDomainId),
	ROW(tccDriver, TccDriver),
	ROW(asyncEngineCount, AsyncEngineCount),
	ROW(unifiedAddressing, UnifiedAddressing),
	ROW(memoryBusWidth, GlobalMemoryBusWidth),
	ROW(l2CacheSize, L2CacheSize),
	ROW(persistingL2CacheMaxSize, MaxPersistingL2CacheSize),
	ROW(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor),
	ROW(streamPrioritiesSupported, StreamPrioritiesSupported),
	ROW(globalL1CacheSupported, GlobalL1CacheSupported),
	ROW(localL1CacheSupported, LocalL1CacheSupported),
	SIZE_ROW(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor),
	ROW(regsPerMultiprocessor, MaxRegistersPerMultiprocessor),
	ROW(managedMemory, ManagedMemory),
	ROW(isMultiGpuBoard, IsMultiGpuBoard),
	ROW(multiGpuBoardGroupID, MultiGpuBoardGroupID),
	ROW(hostNativeAtomicSupported, HostNativeAtomicSupported),
	ROW(pageableMemoryAccess, PageableMemoryAccess),
	ROW(concurrentManagedAccess, ConcurrentManagedAccess),
	ROW(computePreemptionSupported, ComputePreemptionSupported),
	ROW(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem),
	ROW(cooperativeLaunch, CooperativeLaunch),
	SIZE_ROW(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin),
	ROW(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables),
	ROW(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost),
	ROW(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor),
	ROW(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize),
	SIZE_ROW(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock),
#if CUDART_VERSION >= 12000
	ROW(hostRegisterSupported, HostRegisterSupported),
	ROW(memoryPoolsSupported, MemoryPoolsSupported),
#endif
#if CUDART_VERSION < 13000
	ROW(clockRate, ClockRate),
	ROW(deviceOverlap, GpuOverlap),
	ROW(kernelExecTimeoutEnabled, KernelExecTimeout),
	ROW(computeMode, ComputeMode),
	ROW(maxTexture1DLinear, MaxTexture1DLinearWidth),
	ROW(memoryClockRate, MemoryClockRate),
	ROW(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio),
	ROW(cooperativeMultiDeviceLaunch, CooperativeMultiDeviceLaunch),
#endif
};

/* Members that no row and no call below fills are features that the device lacks: they stay 0. */
static CUresult get_properties(struct cudaDeviceProp *p)
{
	CUresult result;
	CUuuid uuid;

	memset(p, 0, sizeof(*p));
	if ((result = cuDeviceGetName(p->name, sizeof(p->name), 0)) != CUDA_SUCCESS ||
	    (result = cuDeviceGetUuid(&uuid, 0)) != CUDA_SUCCESS ||
	    (result = cuDeviceTotalMem(&p->totalGlobalMem, 0)) != CUDA_SUCCESS)
		return result;
	memcpy(&p->uuid, &uuid, sizeof(p->uuid));
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char *member = (char *)p + rows[i].offset;
		int value = 0;

		result = cuDeviceGetAttribute(&value, (CUdevice_attribute)rows[i].attribute, 0);
		if (result != CUDA_SUCCESS)
			return result;
		if (rows[i].is_size)
			*(size_t *)member = (size_t)value;
		else
			*(int *)member = value;
	}
	return CUDA_SUCCESS;
}

#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
/* Programs built for 12 ask for 12's layout under this name, and those built for 11 under the plain name. */
CUDART_API cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *properties, int device);
CUDART_API cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *properties, int device)
{
	cudaError_t e = check_device(device);

	if (e != cudaSuccess)
		return e;
	return properties ? cudart_result(get_properties(properties)) : cudart_fail(cudaErrorInvalidValue);
}
#endif

CUDART_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
	cudaError_t e = check_device(device);

	if (e != cudaSuccess)
		return e;
	if (!properties)
		return cudart_fail(cudaErrorInvalidValue);
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
	struct cudaDeviceProp p;

	e = cudart_result(get_properties(&p));
	if (e == cudaSuccess)
		memcpy(properties, &p, offsetof(struct cudaDeviceProp, hostRegisterSupported));
	return e;
#else
	return cudart_result(get_properties(properties));
#endif
}

/* There is one device, so it is the nearest to any wish. */
CUDART_API cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties)
{
	CUDART_ENTER();
	if (!device || !properties)
		return cudart_fail(cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}

CUDART_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *elements,
							    const struct cudaChannelFormatDesc *format, int device)
{
	cudaError_t e = check_device(device);
	int most = 0;

	if (e != cudaSuccess)
		return e;
	if (!elements || !format || format->x <= 0)
		return cudart_fail(cudaErrorInvalidValue);
	e = cudart_result(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 0));
	if (e == cudaSuccess)
		*elements = (size_t)most;
	return e;
}

/* ---- limits and preferences ---- */

CUDART_API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	CUDART_ENTER();
	return cudart_result(cuCtxSetLimit((CUlimit)limit, value));
}

CUDART_API cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	CUDART_ENTER();
	return cudart_result(cuCtxGetLimit(value, (CUlimit)limit));
}

CUDART_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	CUDART_ENTER();
	return cudart_result(cuCtxGetCacheConfig((CUfunc_cache *)config));
}

CUDART_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	CUDART_ENTER();
	return cudart_result(cuCtxSetCacheConfig((CUfunc_cache)config));
}

CUDART_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	CUDART_ENTER();
	return cudart_result(cuCtxGetSharedMemConfig((CUsharedconfig *)config));
}

CUDART_API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	CUDART_ENTER();
	return cudart_result(cuCtxSetSharedMemConfig((CUsharedconfig)config));
}

CUDART_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	CUDART_ENTER();
	return cudart_result(cuCtxGetStreamPriorityRange(least, greatest));
}

CUDART_API cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
	return cudaDeviceSetLimit(limit, value);
}

CUDART_API cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
	return cudaDeviceGetLimit(value, limit);
}

CUDART_API cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
	return cudaDeviceGetCacheConfig(config);
}

CUDART_API cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
	return cudaDeviceSetCacheConfig(config);
}

/* ---- the bus and peers: a device has no other to talk to ---- */

CUDART_API cudaError_t cudaDeviceGetPCIBusId(char *bus_id, int length, int device)
{
	cudaError_t e = check_device(device);

	return e == cudaSuccess ? cudart_result(cuDeviceGetPCIBusId(bus_id, length, device)) : e;
}

CUDART_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *bus_id)
{
	CUDART_ENTER();
	return cudart_result(cuDeviceGetByPCIBusId(device, bus_id));
}

CUDART_API cudaError_t cudaDeviceCanAccessPeer(int *can_access, int device, int peer)
{
	CUDART_ENTER();
	return cudart_result(cuDeviceCanAccessPeer(can_access, device, peer));
}

CUDART_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	CUDART_ENTER();
	(void)peer; /* it is the current device, or there is none of that number */
	return cudart_fail(flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

CUDART_API cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	CUDART_ENTER();
	return cudart_fail(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

CUDART_API cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source,
						 int destination)
{
	CUDART_ENTER();
	return cudart_result(cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attribute, source, destination));
}

/* ---- versions, entry points, profiler ---- */

CUDART_API cudaError_t cudaDriverGetVersion(int *version)
{
	return cudart_result(cuDriverGetVersion(version));
}

CUDART_API cudaError_t cudaRuntimeGetVersion(int *version)
{
	if (!version)
		return cudart_fail(cudaErrorInvalidValue);
	*version = CUDART_VERSION;
	return cudaSuccess;
}

CUDART_API cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int cuda_version,
							unsigned long long flags,
							enum cudaDriverEntryPointQueryResult *status)
{
	CUDART_ENTER();

	/* Results and flags have the driver's numbers. A function that is not there is an answer, not an error. */
	CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
	CUresult result = cuGetProcAddress(symbol, function, (int)cuda_version, flags, &found);

	if (status)
		*status = (enum cudaDriverEntryPointQueryResult)found;
	return result == CUDA_ERROR_NOT_FOUND && status ? cudaSuccess : cudart_result(result);
}
CUDART_ALIAS(cudaGetDriverEntryPointByVersion, _ptsz);

CUDART_API cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
					       enum cudaDriverEntryPointQueryResult *status)
{
	return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}
CUDART_ALIAS(cudaGetDriverEntryPoint, _ptsz);

CUDART_API cudaError_t cudaProfilerStart(void)
{
	CUDART_ENTER();
	return cudart_result(cuProfilerStart());
}

CUDART_API cudaError_t cudaProfilerStop(void)
{
	CUDART_ENTER();
	return cudart_result(cuProfilerStop());
}
