/* memory.c - allocations: device, pinned, managed, registered; what a pointer points to. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cuda/capture.h"
#include "cuda/driver.h"
#include "cuda/perthread.h"
#include "simt/memory_declared.h"

/* Alignment of the pitch of cuMemAllocPitch: CUDA's own value, a multiple of every modelled cache line. */
enum { PITCH_ALIGN_BYTES = 512 };

/* ---- device memory ---- */

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!free_bytes || !total_bytes)
		return CUDA_ERROR_INVALID_VALUE;

	uint64_t capacity = simt_memory_capacity_bytes(cuda_driver.mem), used = simt_memory_used_bytes(cuda_driver.mem);

	*total_bytes = capacity;
	*free_bytes = used < capacity ? capacity - used : 0;
	return CUDA_SUCCESS;
}

/* Allocating takes the host a while. */
static CUresult allocate(struct CUctx_st *ctx, size_t bytes, enum simt_alloc_kind kind, unsigned int flags,
			 uint64_t *address)
{
	CUresult result = cuda_capture_forbid_unsafe();

	if (result != CUDA_SUCCESS)
		return result;
	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;

	uint64_t addr = cuda_alloc_new(ctx, bytes, kind, flags);

	cuda_time_spend_ps(cuda_driver.run.host->alloc_ps);
	if (!addr)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*address = addr;
	return CUDA_SUCCESS;
}

/* Freeing too, and it waits for all work of the context, which may use the memory. */
static CUresult release(struct CUctx_st *ctx, uint64_t addr, enum simt_alloc_kind a, enum simt_alloc_kind b)
{
	CUresult result = cuda_capture_forbid_unsafe();

	if (result != CUDA_SUCCESS)
		return result;
	cuda_time_spend_ps(cuda_driver.run.host->alloc_ps);
	cuda_time_wait_ps(ctx->streams.end_ps);
	return cuda_alloc_free(addr, a, b);
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!address)
		return CUDA_ERROR_INVALID_VALUE;

	uint64_t addr;
	CUresult result = allocate(call.ctx, bytes, SIMT_ALLOC_DEVICE, 0, &addr);

	if (result == CUDA_SUCCESS)
		*address = addr;
	return result;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch_bytes, size_t width_bytes, size_t height,
			    unsigned int element_bytes)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!address || !pitch_bytes || !width_bytes || !height ||
	    (element_bytes != 4 && element_bytes != 8 && element_bytes != 16))
		return CUDA_ERROR_INVALID_VALUE;
	if (width_bytes > INT32_MAX)
		return CUDA_ERROR_INVALID_VALUE;

	size_t pitch = (width_bytes + PITCH_ALIGN_BYTES - 1) / PITCH_ALIGN_BYTES * PITCH_ALIGN_BYTES, bytes;
	uint64_t addr;

	if (__builtin_mul_overflow(pitch, height, &bytes))
		return CUDA_ERROR_OUT_OF_MEMORY;

	CUresult result = allocate(call.ctx, bytes, SIMT_ALLOC_DEVICE, 0, &addr);

	if (result == CUDA_SUCCESS) {
		*address = addr;
		*pitch_bytes = pitch;
	}
	return result;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!address)
		return CUDA_SUCCESS;
	return release(call.ctx, address, SIMT_ALLOC_DEVICE, SIMT_ALLOC_MANAGED);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	const struct simt_alloc *s = simt_memory_find(cuda_driver.mem, address, 1);

	if (!s)
		return CUDA_ERROR_NOT_FOUND;
	if (base)
		*base = s->addr;
	if (bytes)
		*bytes = s->size_bytes;
	return CUDA_SUCCESS;
}

/* ---- host memory ---- */

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	const unsigned int known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
	uint64_t addr;

	if (!pointer || flags & ~known)
		return CUDA_ERROR_INVALID_VALUE;

	CUresult result = allocate(call.ctx, bytes, SIMT_ALLOC_HOST, flags, &addr);

	if (result == CUDA_SUCCESS)
		*pointer = (void *)addr;
	return result;
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes)
{
	return cuMemHostAlloc(pointer, bytes, 0);
}

CUresult cuMemFreeHost(void *pointer)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return release(call.ctx, (uint64_t)pointer, SIMT_ALLOC_HOST, SIMT_ALLOC_HOST);
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	const unsigned int known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
				   CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
	uint64_t addr = (uint64_t)pointer, end;

	if (!pointer || !bytes || flags & ~known || __builtin_add_overflow(addr, bytes, &end))
		return CUDA_ERROR_INVALID_VALUE;
	if (flags & CU_MEMHOSTREGISTER_IOMEMORY)
		return cuda_not_supported("cuMemHostRegister with CU_MEMHOSTREGISTER_IOMEMORY");
	if (cuda_address_is_arena(addr) || cuda_address_is_arena(end - 1))
		return CUDA_ERROR_INVALID_VALUE;
	if (!simt_memory_register(cuda_driver.mem, addr, bytes))
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	cuda_alloc_add(call.ctx, addr, bytes, SIMT_ALLOC_REGISTERED, flags);
	cuda_time_spend_ps(cuda_driver.run.host->alloc_ps);
	return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *pointer)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!pointer)
		return CUDA_ERROR_INVALID_VALUE;

	CUresult result = release(call.ctx, (uint64_t)pointer, SIMT_ALLOC_REGISTERED, SIMT_ALLOC_REGISTERED);

	return result == CUDA_SUCCESS ? result : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

static struct cuda_alloc *find_host(void *pointer)
{
	struct cuda_alloc *a = cuda_alloc_find((uint64_t)pointer);

	return a && (a->kind == SIMT_ALLOC_HOST || a->kind == SIMT_ALLOC_REGISTERED) ? a : NULL;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *pointer, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!address || flags || !find_host(pointer))
		return CUDA_ERROR_INVALID_VALUE;
	*address = (CUdeviceptr)pointer;
	return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *pointer)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	struct cuda_alloc *a = find_host(pointer);

	if (!flags || !a || a->kind != SIMT_ALLOC_HOST)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = a->flags | CU_MEMHOSTALLOC_DEVICEMAP; /* always mapped, as with unified addressing */
	return CUDA_SUCCESS;
}

/* ---- managed memory ---- */

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!address || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
		return CUDA_ERROR_INVALID_VALUE;

	uint64_t addr;
	CUresult result = allocate(call.ctx, bytes, SIMT_ALLOC_MANAGED, flags, &addr);

	if (result == CUDA_SUCCESS)
		*address = addr;
	return result;
}

static struct cuda_alloc *find_managed(CUdeviceptr address, size_t bytes)
{
	struct cuda_alloc *a = bytes && simt_memory_find(cuda_driver.mem, address, bytes) ? cuda_alloc_find(address)
											   : NULL;

	return a && a->kind == SIMT_ALLOC_MANAGED ? a : NULL;
}

/* Managed memory stays in the device's memory, so that a prefetch moves nothing there. It and advice are remembered for
 * cuMemRangeGetAttribute, and declare to whoever places memory within the device what lies together: the ranges of one
 * call for one location, while that is the device. */
static void declare(uint32_t group, CUdevice location, CUdeviceptr address, size_t bytes)
{
	simt_memory_declare(cuda_driver.mem, location == CU_DEVICE_CPU ? 0 : group, address, bytes);
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice destination, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	struct cuda_alloc *a = find_managed(address, bytes);

	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	if (destination && destination != CU_DEVICE_CPU)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!a)
		return CUDA_ERROR_INVALID_VALUE;
	a->prefetch_location = destination;
	declare(simt_memory_new_group(cuda_driver.mem), destination, address, bytes);
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuMemPrefetchAsync, _ptsz, CUdeviceptr, size_t, CUdevice, CUstream);

static bool location_device(CUmemLocation l, CUdevice *device)
{
	*device = l.type == CU_MEM_LOCATION_TYPE_HOST ? CU_DEVICE_CPU : l.id;
	return l.type == CU_MEM_LOCATION_TYPE_HOST || l.type == CU_MEM_LOCATION_TYPE_DEVICE;
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags,
			       CUstream stream)
{
	CUdevice device;

	if (flags || !location_device(location, &device))
		return CUDA_ERROR_INVALID_VALUE;
	return cuMemPrefetchAsync(address, bytes, device, stream);
}
CUDA_PER_THREAD(cuMemPrefetchAsync_v2, _ptsz, CUdeviceptr, size_t, CUmemLocation, unsigned int, CUstream);

static CUresult check_batch(struct CUctx_st *ctx, const CUdeviceptr *addresses, const size_t *sizes, size_t count,
			    unsigned long long flags, CUstream stream)
{
	if (!addresses || !sizes || !count || flags)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		if (!find_managed(addresses[i], sizes[i]))
			return CUDA_ERROR_INVALID_VALUE;
	}
	return cuda_stream_check_batch(ctx, stream);
}

static CUresult check_locations(const CUmemLocation *locations, const size_t *first, size_t locations_count,
				size_t count)
{
	CUdevice device;

	if (!locations || !first || !locations_count || first[0])
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t k = 0; k < locations_count; k++) {
		if (first[k] >= count || (k && first[k] <= first[k - 1]) || !location_device(locations[k], &device))
			return CUDA_ERROR_INVALID_VALUE;
		if (device && device != CU_DEVICE_CPU)
			return CUDA_ERROR_INVALID_DEVICE;
	}
	return CUDA_SUCCESS;
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, CUmemLocation *locations,
				 size_t *first, size_t locations_count, unsigned long long flags, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	CUresult result = check_batch(call.ctx, addresses, sizes, count, flags, stream);
	uint32_t group = 0;

	if (result == CUDA_SUCCESS)
		result = check_locations(locations, first, locations_count, count);
	for (size_t i = 0, k = 0; result == CUDA_SUCCESS && i < count; i++) {
		struct cuda_alloc *a = find_managed(addresses[i], sizes[i]);

		k += k + 1 < locations_count && first[k + 1] == i;
		location_device(locations[k], &a->prefetch_location);
		if (first[k] == i)
			group = simt_memory_new_group(cuda_driver.mem);
		declare(group, a->prefetch_location, addresses[i], sizes[i]);
	}
	return result;
}
CUDA_PER_THREAD(cuMemPrefetchBatchAsync, _ptsz, CUdeviceptr *, size_t *, size_t, CUmemLocation *, size_t *, size_t,
		unsigned long long, CUstream);

/* What is discarded may be read as anything, also as what it was. */
CUresult cuMemDiscardBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, unsigned long long flags,
				CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	return check_batch(call.ctx, addresses, sizes, count, flags, stream);
}
CUDA_PER_THREAD(cuMemDiscardBatchAsync, _ptsz, CUdeviceptr *, size_t *, size_t, unsigned long long, CUstream);

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count,
					   CUmemLocation *locations, size_t *first, size_t locations_count,
					   unsigned long long flags, CUstream stream)
{
	return cuMemPrefetchBatchAsync(addresses, sizes, count, locations, first, locations_count, flags, stream);
}
CUDA_PER_THREAD(cuMemDiscardAndPrefetchBatchAsync, _ptsz, CUdeviceptr *, size_t *, size_t, CUmemLocation *, size_t *,
		size_t, unsigned long long, CUstream);

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	struct cuda_alloc *a = find_managed(address, bytes);

	if (!a || advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
		return CUDA_ERROR_INVALID_VALUE;
	if (advice >= CU_MEM_ADVISE_SET_PREFERRED_LOCATION && device && device != CU_DEVICE_CPU)
		return CUDA_ERROR_INVALID_DEVICE;
	if (advice == CU_MEM_ADVISE_SET_READ_MOSTLY || advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY) {
		a->is_read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
		if (bytes == a->size_bytes)
			simt_memory_declare_reading(cuda_driver.mem, address, a->is_read_mostly);
	}
	if (advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION) {
		a->preferred_location = device;
		declare(simt_memory_new_group(cuda_driver.mem), device, address, bytes);
	}
	if (advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION) {
		a->preferred_location = CU_DEVICE_INVALID;
		declare(0, 0, address, bytes);
	}
	return CUDA_SUCCESS;
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location)
{
	CUdevice device;

	if (!location_device(location, &device))
		return CUDA_ERROR_INVALID_VALUE;
	return cuMemAdvise(address, bytes, advice, device);
}

CUresult cuMemRangeGetAttribute(void *data, size_t data_bytes, CUmem_range_attribute attribute, CUdeviceptr address,
				size_t bytes)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	struct cuda_alloc *a = find_managed(address, bytes);
	int value;

	if (!data || !a || !data_bytes || data_bytes % sizeof(value))
		return CUDA_ERROR_INVALID_VALUE;
	switch (attribute) {
	case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
		value = a->is_read_mostly;
		break;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
		value = a->preferred_location;
		break;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
		value = a->prefetch_location;
		break;
	case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: /* a list of devices: the device reaches it always */
		for (size_t i = 1; i < data_bytes / sizeof(value); i++)
			((int *)data)[i] = CU_DEVICE_INVALID;
		value = 0;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	memcpy(data, &value, sizeof(value));
	return CUDA_SUCCESS;
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned int flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	struct cuda_alloc *a = cuda_alloc_find(address);

	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!a || a->kind != SIMT_ALLOC_MANAGED || (bytes && (bytes != a->size_bytes || address != a->addr)) ||
	    (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE))
		return CUDA_ERROR_INVALID_VALUE;
	a->flags = flags;
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamAttachMemAsync, _ptsz, CUstream, CUdeviceptr, size_t, unsigned int);

/* ---- pointers ---- */

#define PUT(type, value) (*(type *)data = (type)(value))

/* s is the memory that holds address, a its record when this API made it (module variables have none). */
static CUresult pointer_attribute(void *data, CUpointer_attribute attribute, uint64_t address,
				  const struct simt_alloc *s, const struct cuda_alloc *a)
{
	bool is_host = s->kind == SIMT_ALLOC_HOST || s->kind == SIMT_ALLOC_REGISTERED;

	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		PUT(CUcontext, a ? a->object.ctx : cuda_context_current());
		break;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		PUT(unsigned int, is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		PUT(CUdeviceptr, address);
		break;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (!is_host && s->kind != SIMT_ALLOC_MANAGED)
			return CUDA_ERROR_INVALID_VALUE;
		PUT(void *, address);
		break;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
		PUT(int, a && a->is_synchronous);
		break;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		PUT(unsigned long long, a ? a->id : 0);
		break;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		PUT(int, s->kind == SIMT_ALLOC_MANAGED);
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		PUT(int, 0);
		break;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		PUT(CUdeviceptr, s->addr);
		break;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		PUT(size_t, s->size_bytes);
		break;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		PUT(int, 1);
		break;
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		PUT(int, 0);
		break;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		PUT(uint64_t, 0);
		break;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		PUT(int, 3); /* read and write */
		break;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		PUT(CUmemoryPool, a ? a->pool : NULL);
		break;
	case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
		return cuda_not_supported("cuPointerGetAttribute (P2P_TOKENS)");
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
	CUDA_CALL_AT(CUDA_NEEDS_HEALTH, address);

	const struct simt_alloc *s = simt_memory_find(cuda_driver.mem, address, 1);

	if (!data || !s)
		return CUDA_ERROR_INVALID_VALUE;
	return pointer_attribute(data, attribute, address, s, cuda_alloc_find(address));
}

/* For a pointer this driver does not know, each attribute is "none". */
static CUresult unknown_pointer_attribute(void *data, CUpointer_attribute attribute)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
	case CU_POINTER_ATTRIBUTE_MAPPED:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		PUT(int, 0);
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		PUT(int, CU_DEVICE_INVALID);
		break;
	case CU_POINTER_ATTRIBUTE_CONTEXT:
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		PUT(uint64_t, 0);
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr address)
{
	CUDA_CALL_AT(CUDA_NEEDS_HEALTH, address);
	if (!count || !attributes || !data)
		return CUDA_ERROR_INVALID_VALUE;

	const struct simt_alloc *s = simt_memory_find(cuda_driver.mem, address, 1);
	const struct cuda_alloc *a = s ? cuda_alloc_find(address) : NULL;

	for (unsigned int i = 0; i < count; i++) {
		if (!data[i])
			return CUDA_ERROR_INVALID_VALUE;

		CUresult result = s ? pointer_attribute(data[i], attributes[i], address, s, a) : CUDA_SUCCESS;

		if (!s || (result == CUDA_ERROR_INVALID_VALUE && attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER))
			result = unknown_pointer_attribute(data[i], attributes[i]);
		if (result != CUDA_SUCCESS)
			return result;
	}
	return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
	CUDA_CALL_AT(CUDA_NEEDS_HEALTH, address);

	struct cuda_alloc *a = cuda_alloc_find(address);

	if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !a)
		return CUDA_ERROR_INVALID_VALUE;
	a->is_synchronous = *(const int *)value;
	return CUDA_SUCCESS;
}
