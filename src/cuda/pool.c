/* pool.c - memory pools: stream-ordered allocation, and who it is counted for.
 *
 * A pool of the modelled device keeps nothing back: memory that is freed returns to the device at once, whatever the
 * release threshold, and the next allocation is as cheap as any. What it reserves is therefore always what is in use.
 * Freeing is in call order, as all work is.
 */
#include <stdlib.h>

#include "cuda/capture.h"
#include "cuda/driver.h"
#include "cuda/perthread.h"

enum { REUSE_COUNT = 3 };

struct CUmemPoolHandle_st {
	struct cuda_object object;
	CUmemPoolProps props;
	bool is_destroyed; /* waits for its last allocation */
	uint64_t used_bytes, used_high_bytes, reserved_high_bytes, threshold_bytes;
	int reuse[REUSE_COUNT];
};

static void destroy_pool(struct cuda_object *o)
{
	struct CUmemPoolHandle_st *p = (struct CUmemPoolHandle_st *)o;

	cuda_object_remove(o);
	if (p->used_bytes)
		p->is_destroyed = true;
	else
		free(p);
}

static CUresult create_pool(struct CUctx_st *ctx, const CUmemPoolProps *props, CUmemoryPool *pool)
{
	struct CUmemPoolHandle_st *p = calloc(1, sizeof(*p));

	if (!p)
		return CUDA_ERROR_OUT_OF_MEMORY;
	p->props = *props;
	for (uint32_t i = 0; i < REUSE_COUNT; i++)
		p->reuse[i] = 1;
	cuda_object_add(&p->object, CUDA_KIND_POOL, ctx, destroy_pool);
	*pool = p;
	return CUDA_SUCCESS;
}

static CUresult default_pool(struct CUctx_st *ctx, CUmemoryPool *pool)
{
	const CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUresult result = CUDA_SUCCESS;

	if (!ctx->default_pool)
		result = create_pool(ctx, &props, &ctx->default_pool);
	*pool = ctx->default_pool;
	return result;
}

static CUresult current_pool(struct CUctx_st *ctx, CUmemoryPool *pool)
{
	*pool = ctx->current_pool;
	return *pool ? CUDA_SUCCESS : default_pool(ctx, pool);
}

static void give_back(struct cuda_alloc *a)
{
	struct CUmemPoolHandle_st *p = a->pool;

	p->used_bytes -= a->size_bytes;
	if (p->is_destroyed && !p->used_bytes)
		free(p);
}

static const struct cuda_keeper keeper = {.lost = give_back};

/* ---- allocations ---- */

static CUresult capture_allocation(struct CUctx_st *ctx, CUdeviceptr *address, size_t bytes,
				   const CUmemPoolProps *props, struct capture_branch *branch)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC, .alloc = {.poolProps = *props, .bytesize = bytes}};
	CUresult result = cuda_capture_add(ctx, branch, &p);

	if (result == CUDA_SUCCESS)
		*address = p.alloc.dptr;
	return result;
}

static CUresult allocate(struct CUctx_st *ctx, CUdeviceptr *address, size_t bytes, CUmemoryPool p, CUstream stream)
{
	struct capture_branch *branch;
	CUresult result = cuda_capture_enter(ctx, stream, true, &branch);

	if (result != CUDA_SUCCESS)
		return result;
	if (!address || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (branch)
		return capture_allocation(ctx, address, bytes, &p->props, branch);
	if (p->props.maxSize && (bytes > p->props.maxSize || p->used_bytes > p->props.maxSize - bytes))
		return CUDA_ERROR_OUT_OF_MEMORY;

	uint64_t addr = cuda_alloc_new(ctx, bytes, SIMT_ALLOC_DEVICE, 0);
	struct cuda_alloc *a;

	if (!addr)
		return CUDA_ERROR_OUT_OF_MEMORY;
	a = cuda_alloc_find(addr);
	a->keeper = &keeper;
	a->pool = p;
	p->used_bytes += bytes;
	if (p->used_bytes > p->used_high_bytes)
		p->used_high_bytes = p->used_bytes;
	if (p->used_bytes > p->reserved_high_bytes)
		p->reserved_high_bytes = p->used_bytes;
	*address = addr;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!cuda_object_is(pool, CUDA_KIND_POOL))
		return CUDA_ERROR_INVALID_HANDLE;
	return allocate(call.ctx, address, bytes, pool, stream);
}
CUDA_PER_THREAD(cuMemAllocFromPoolAsync, _ptsz, CUdeviceptr *, size_t, CUmemoryPool, CUstream);

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	CUmemoryPool pool;
	CUresult result = current_pool(call.ctx, &pool);

	return result == CUDA_SUCCESS ? allocate(call.ctx, address, bytes, pool, stream) : result;
}
CUDA_PER_THREAD(cuMemAllocAsync, _ptsz, CUdeviceptr *, size_t, CUstream);

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	struct capture_branch *branch;
	CUresult result = cuda_capture_enter(call.ctx, stream, true, &branch);

	if (result == CUDA_SUCCESS && !address)
		return CUDA_ERROR_INVALID_VALUE;
	if (branch)
		return cuda_capture_add(call.ctx, branch, &(CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEM_FREE,
									       .free = {address}});
	return result == CUDA_SUCCESS ? cuda_alloc_free(address, SIMT_ALLOC_DEVICE, SIMT_ALLOC_MANAGED) : result;
}
CUDA_PER_THREAD(cuMemFreeAsync, _ptsz, CUdeviceptr, CUstream);

/* ---- pools ---- */

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!pool || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (props->handleTypes)
		return cuda_not_supported("cuMemPoolCreate with handle types to share the memory");
	if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return cuda_not_supported("cuMemPoolCreate of memory that is not the device's");
	if (props->location.id)
		return CUDA_ERROR_INVALID_DEVICE;
	return create_pool(call.ctx, props, pool);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, pool);
	if (!cuda_object_is(pool, CUDA_KIND_POOL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (pool == call.ctx->default_pool)
		return CUDA_ERROR_INVALID_VALUE;
	/* The device goes back to its default pool. */
	if (pool == call.ctx->current_pool)
		call.ctx->current_pool = NULL;
	destroy_pool(&pool->object);
	return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes_to_keep)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, pool);
	(void)bytes_to_keep; /* there is nothing that could be given back */
	return cuda_object_is(pool, CUDA_KIND_POOL) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, pool);
	if (!cuda_object_is(pool, CUDA_KIND_POOL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	switch (attribute) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = *(int *)value;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		pool->threshold_bytes = *(cuuint64_t *)value;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: /* these two can only be put back */
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		if (*(cuuint64_t *)value)
			return CUDA_ERROR_INVALID_VALUE;
		*(attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? &pool->used_high_bytes : &pool->reserved_high_bytes) =
			pool->used_bytes;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, pool);
	if (!cuda_object_is(pool, CUDA_KIND_POOL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	switch (attribute) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		*(int *)value = pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		*(cuuint64_t *)value = pool->threshold_bytes;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		*(cuuint64_t *)value = pool->used_bytes;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
		*(cuuint64_t *)value = pool->reserved_high_bytes;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		*(cuuint64_t *)value = pool->used_high_bytes;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* The one device reads and writes the memory of its pools, always. */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *descriptors, size_t count)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, pool);
	if (!cuda_object_is(pool, CUDA_KIND_POOL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!descriptors || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		if (descriptors[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || descriptors[i].location.id)
			return CUDA_ERROR_INVALID_DEVICE;
		if (descriptors[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, pool);
	if (!cuda_object_is(pool, CUDA_KIND_POOL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (location->id)
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return CUDA_SUCCESS;
}

/* ---- the device's pools ---- */

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	return device ? CUDA_ERROR_INVALID_DEVICE : default_pool(call.ctx, pool);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	return device ? CUDA_ERROR_INVALID_DEVICE : current_pool(call.ctx, pool);
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, pool);
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!cuda_object_is(pool, CUDA_KIND_POOL))
		return CUDA_ERROR_INVALID_HANDLE;
	call.ctx->current_pool = pool;
	return CUDA_SUCCESS;
}

/* Pools by location and kind of memory: those of the device are the ones above. */
static CUresult check_place(const CUmemLocation *location, CUmemAllocationType type)
{
	const bool is_managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;

	if (!location || (type != CU_MEM_ALLOCATION_TYPE_PINNED && !is_managed))
		return CUDA_ERROR_INVALID_VALUE;
	switch (location->type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		if (location->id)
			return CUDA_ERROR_INVALID_DEVICE;
		return is_managed ? cuda_not_supported("a pool of managed memory") : CUDA_SUCCESS;
	case CU_MEM_LOCATION_TYPE_HOST:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA:
		return cuda_not_supported("a pool of the host's memory");
	default: /* no location: of managed memory */
		return is_managed && !location->type ? cuda_not_supported("a pool of managed memory")
						     : CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	CUresult result = pool ? check_place(location, type) : CUDA_ERROR_INVALID_VALUE;

	return result == CUDA_SUCCESS ? default_pool(call.ctx, pool) : result;
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	CUresult result = pool ? check_place(location, type) : CUDA_ERROR_INVALID_VALUE;

	return result == CUDA_SUCCESS ? current_pool(call.ctx, pool) : result;
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, pool);

	CUresult result = check_place(location, type);

	return result == CUDA_SUCCESS ? cuDeviceSetMemPool(location->id, pool) : result;
}
