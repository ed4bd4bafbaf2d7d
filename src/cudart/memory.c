/* memory.c - allocations: device, pinned, registered, managed, pitched, stream-ordered; what a pointer points to. */
#include <string.h>

#include "base/check.h"
#include "cudart/order.h"

/* Rows are padded to the pitch of elements of this size; the driver's pitch suits the larger ones too. */
enum { PITCH_ELEMENT_BYTES = 4 };

static cudaError_t invalid_value(void)
{
	return cudart_fail(cudaErrorInvalidValue);
}

/* ---- device memory ---- */

CUDART_API cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
	CUDART_ENTER();
	if (!pointer)
		return invalid_value();
	*pointer = NULL;
	/* The driver refuses nothing at all; the runtime gives no memory for it, and a null pointer. */
	return bytes ? cudart_result(cuMemAlloc((CUdeviceptr *)pointer, bytes)) : cudaSuccess;
}

CUDART_API cudaError_t cudaFree(void *pointer)
{
	CUDART_ENTER();
	return cudart_result(cuMemFree((CUdeviceptr)pointer));
}

CUDART_API cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
	CUDART_ENTER();
	if (!pointer || !pitch)
		return invalid_value();
	*pointer = NULL;
	if (!width || !height) {
		*pitch = 0;
		return cudaSuccess;
	}
	return cudart_result(cuMemAllocPitch((CUdeviceptr *)pointer, pitch, width, height, PITCH_ELEMENT_BYTES));
}

CUDART_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
	size_t rows;

	CUDART_ENTER();
	if (!pitched)
		return invalid_value();
	if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
		return cudart_fail(cudaErrorMemoryAllocation);
	*pitched = (struct cudaPitchedPtr){NULL, 0, extent.width, extent.height};
	if (!extent.width || !rows)
		return cudaSuccess;
	return cudart_result(cuMemAllocPitch((CUdeviceptr *)&pitched->ptr, &pitched->pitch, extent.width, rows,
					     PITCH_ELEMENT_BYTES));
}

CUDART_API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	CUDART_ENTER();
	return cudart_result(cuMemGetInfo(free_bytes, total_bytes));
}

/* ---- host memory ---- */

CUDART_API cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
	CUDART_ENTER();
	if (!pointer)
		return invalid_value();
	*pointer = NULL;
	return bytes ? cudart_result(cuMemHostAlloc(pointer, bytes, flags)) : cudaSuccess;
}

CUDART_API cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
	return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

CUDART_API cudaError_t cudaFreeHost(void *pointer)
{
	CUDART_ENTER();
	return pointer ? cudart_result(cuMemFreeHost(pointer)) : cudaSuccess;
}

CUDART_API cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
	CUDART_ENTER();
	return cudart_result(cuMemHostRegister(pointer, bytes, flags));
}

CUDART_API cudaError_t cudaHostUnregister(void *pointer)
{
	CUDART_ENTER();
	return cudart_result(cuMemHostUnregister(pointer));
}

CUDART_API cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *pointer, unsigned int flags)
{
	CUDART_ENTER();
	return cudart_result(cuMemHostGetDevicePointer((CUdeviceptr *)device_pointer, pointer, flags));
}

CUDART_API cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer)
{
	CUDART_ENTER();
	return cudart_result(cuMemHostGetFlags(flags, pointer));
}

/* ---- managed memory ---- */

CUDART_API cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
	CUDART_ENTER();
	return bytes ? cudart_result(cuMemAllocManaged((CUdeviceptr *)pointer, bytes, flags)) : invalid_value();
}

static CUmemLocation location_of(struct cudaMemLocation l)
{
	return (CUmemLocation){(CUmemLocationType)l.type, l.id};
}

static cudaError_t prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned int flags,
			    cudaStream_t stream)
{
	CUDART_ENTER();
	return cudart_result(cuMemPrefetchAsync_v2((CUdeviceptr)pointer, bytes, location_of(location), flags, stream));
}

static cudaError_t advise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location)
{
	CUDART_ENTER();
	/* Advice on reading has no place. */
	if (advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly ||
	    advice == cudaMemAdviseUnsetPreferredLocation)
		location = (struct cudaMemLocation){cudaMemLocationTypeDevice, 0};
	return cudart_result(cuMemAdvise_v2((CUdeviceptr)pointer, bytes, (CUmem_advise)advice, location_of(location)));
}

#if CUDART_VERSION >= 13000
CUDART_ASYNC(cudaMemPrefetchAsync, (const void *pointer, size_t bytes, struct cudaMemLocation location,
				    unsigned int flags, cudaStream_t stream),
	     prefetch(pointer, bytes, location, flags, o->stream));

CUDART_API cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
				     struct cudaMemLocation location)
{
	return advise(pointer, bytes, advice, location);
}

/* ---- batches: the structures are the driver's ---- */

_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation), "locations differ from the driver's");

static cudaError_t prefetch_batch(void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *locations,
				  size_t *first, size_t locations_count, unsigned long long flags, cudaStream_t stream)
{
	CUDART_ENTER();
	return cudart_result(cuMemPrefetchBatchAsync((CUdeviceptr *)(uintptr_t)pointers, sizes, count,
						     (CUmemLocation *)locations, first, locations_count, flags,
						     stream));
}

static cudaError_t discard_batch(void **pointers, size_t *sizes, size_t count, unsigned long long flags,
				 cudaStream_t stream)
{
	CUDART_ENTER();
	return cudart_result(
	    cuMemDiscardBatchAsync((CUdeviceptr *)(uintptr_t)pointers, sizes, count, flags, stream));
}

CUDART_ASYNC(cudaMemPrefetchBatchAsync,
	     (void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *locations, size_t *first,
	      size_t locations_count, unsigned long long flags, cudaStream_t stream),
	     prefetch_batch(pointers, sizes, count, locations, first, locations_count, flags, o->stream));
CUDART_ASYNC(cudaMemDiscardBatchAsync,
	     (void **pointers, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream),
	     discard_batch(pointers, sizes, count, flags, o->stream));
CUDART_ASYNC(cudaMemDiscardAndPrefetchBatchAsync,
	     (void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *locations, size_t *first,
	      size_t locations_count, unsigned long long flags, cudaStream_t stream),
	     prefetch_batch(pointers, sizes, count, locations, first, locations_count, flags, o->stream));

/* ---- pools by location ---- */

CUDART_API cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
						enum cudaMemAllocationType type)
{
	CUDART_ENTER();
	return cudart_result(cuMemGetDefaultMemPool(pool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

CUDART_API cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
					 enum cudaMemAllocationType type)
{
	CUDART_ENTER();
	return cudart_result(cuMemGetMemPool(pool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

CUDART_API cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
					 cudaMemPool_t pool)
{
	CUDART_ENTER();
	return cudart_result(cuMemSetMemPool((CUmemLocation *)location, (CUmemAllocationType)type, pool));
}
#else
static struct cudaMemLocation location_of_device(int device)
{
	return (struct cudaMemLocation){device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
					device == cudaCpuDeviceId ? 0 : device};
}

CUDART_ASYNC(cudaMemPrefetchAsync, (const void *pointer, size_t bytes, int device, cudaStream_t stream),
	     prefetch(pointer, bytes, location_of_device(device), 0, o->stream));

CUDART_API cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
	return advise(pointer, bytes, advice, location_of_device(device));
}

CUDART_API cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, struct cudaMemLocation location,
					       unsigned int flags, cudaStream_t stream);
CUDART_ASYNC(cudaMemPrefetchAsync_v2, (const void *pointer, size_t bytes, struct cudaMemLocation location,
				       unsigned int flags, cudaStream_t stream),
	     prefetch(pointer, bytes, location, flags, o->stream));

CUDART_API cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
					struct cudaMemLocation location);
CUDART_API cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
					struct cudaMemLocation location)
{
	return advise(pointer, bytes, advice, location);
}
#endif

CUDART_API cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_bytes, enum cudaMemRangeAttribute attribute,
						const void *pointer, size_t bytes)
{
	CUDART_ENTER();
	return cudart_result(cuMemRangeGetAttribute(data, data_bytes, (CUmem_range_attribute)attribute,
						    (CUdeviceptr)pointer, bytes));
}

CUDART_API cudaError_t cudaMemRangeGetAttributes(void **data, size_t *data_bytes,
						 enum cudaMemRangeAttribute *attributes, size_t count,
						 const void *pointer, size_t bytes)
{
	CUDART_ENTER();
	if (!data || !data_bytes || !attributes || !count)
		return invalid_value();
	for (size_t i = 0; i < count; i++) {
		CUresult result = cuMemRangeGetAttribute(data[i], data_bytes[i], (CUmem_range_attribute)attributes[i],
							 (CUdeviceptr)pointer, bytes);

		if (result != CUDA_SUCCESS)
			return cudart_result(result);
	}
	return cudaSuccess;
}

/* ---- pointers ---- */

CUDART_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
	unsigned int type = 0, is_managed = 0;
	CUdeviceptr device_pointer = 0;
	void *host_pointer = NULL;
	int ordinal = 0;
	CUpointer_attribute asked[] = {
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
		CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
	};
	void *values[] = {&type, &is_managed, &device_pointer, &host_pointer, &ordinal};

	CUDART_ENTER();
	if (!attributes)
		return invalid_value();

	CUresult result = cuPointerGetAttributes(ARRAY_COUNT(asked), asked, values, (CUdeviceptr)pointer);

	if (result != CUDA_SUCCESS)
		return cudart_result(result);
	memset(attributes, 0, sizeof(*attributes));
	attributes->type = is_managed			    ? cudaMemoryTypeManaged
			   : type == CU_MEMORYTYPE_HOST	    ? cudaMemoryTypeHost
			   : type == CU_MEMORYTYPE_DEVICE   ? cudaMemoryTypeDevice
							    : cudaMemoryTypeUnregistered;
	attributes->device = ordinal;
	attributes->devicePointer = (void *)device_pointer;
	/* Memory that nobody registered is the host's own. */
	attributes->hostPointer = type ? host_pointer : (void *)pointer;
	return cudaSuccess;
}

/* ---- stream-ordered memory ---- */

/* From pool, or from the device's current one for NULL. */
static cudaError_t allocate(void **pointer, size_t bytes, cudaMemPool_t pool, const struct cudart_order *o)
{
	CUDART_ENTER();
	if (!pointer)
		return invalid_value();
	*pointer = NULL;
	if (!bytes)
		return cudaSuccess;
	return cudart_result(pool ? cuMemAllocFromPoolAsync((CUdeviceptr *)pointer, bytes, pool, o->stream)
				  : cuMemAllocAsync((CUdeviceptr *)pointer, bytes, o->stream));
}

static cudaError_t free_in_order(void *pointer, const struct cudart_order *o)
{
	CUDART_ENTER();
	return cudart_result(cuMemFreeAsync((CUdeviceptr)pointer, o->stream));
}

CUDART_ASYNC(cudaMallocAsync, (void **pointer, size_t bytes, cudaStream_t stream), allocate(pointer, bytes, NULL, o));
CUDART_ASYNC(cudaMallocFromPoolAsync, (void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
	     pool ? allocate(pointer, bytes, pool, o) : invalid_value());
CUDART_ASYNC(cudaFreeAsync, (void *pointer, cudaStream_t stream), free_in_order(pointer, o));

CUDART_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	CUDART_ENTER();
	return cudart_result(cuDeviceGetDefaultMemPool(pool, device));
}

CUDART_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	CUDART_ENTER();
	return cudart_result(cuDeviceGetMemPool(pool, device));
}

CUDART_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	CUDART_ENTER();
	return cudart_result(cuDeviceSetMemPool(device, pool));
}

/* The structures of pools are the driver's, member by member. */
_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps), "pool properties differ from the driver's");
_Static_assert(sizeof(struct cudaMemAccessDesc) == sizeof(CUmemAccessDesc), "pool access differs from the driver's");

CUDART_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
	CUDART_ENTER();
	return cudart_result(cuMemPoolCreate(pool, (const CUmemPoolProps *)properties));
}

CUDART_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	CUDART_ENTER();
	return cudart_result(cuMemPoolDestroy(pool));
}

CUDART_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep)
{
	CUDART_ENTER();
	return cudart_result(cuMemPoolTrimTo(pool, bytes_to_keep));
}

CUDART_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	CUDART_ENTER();
	return cudart_result(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)attribute, value));
}

CUDART_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	CUDART_ENTER();
	return cudart_result(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)attribute, value));
}

CUDART_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *descriptors,
					    size_t count)
{
	CUDART_ENTER();
	return cudart_result(cuMemPoolSetAccess(pool, (const CUmemAccessDesc *)descriptors, count));
}

CUDART_API cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
					    struct cudaMemLocation *location)
{
	CUDART_ENTER();
	return cudart_result(cuMemPoolGetAccess((CUmemAccess_flags *)flags, pool, (CUmemLocation *)location));
}
