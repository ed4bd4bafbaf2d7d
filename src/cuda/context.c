/* context.c - contexts, and the primary one. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cuda/capture.h"
#include "cuda/driver.h"
#include "simt/heap.h"

/* Local memory of a thread (CUDA C++ Programming Guide, Technical Specifications per Compute Capability). */
enum { CUDA_STACK_BYTES_MAX = 512 << 10 };

static const size_t limit_defaults[CUDA_LIMIT_COUNT] = {
	[CU_LIMIT_STACK_SIZE] = 1024,
	[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
	[CU_LIMIT_MALLOC_HEAP_SIZE] = SIMT_HEAP_BYTES,
	/* No kernel can wait for its children, and there is always room for one more launch: these change nothing. */
	[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2,
	[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
};

static void destroy_context(struct cuda_object *o)
{
	struct CUctx_st *c = (struct CUctx_st *)o;

	cuda_time_wait_ps(c->streams.end_ps);
	cuda_capture_drop(c);
	while (c->first)
		c->first->destroy(c->first);
	if (c->per_thread)
		g_hash_table_destroy(c->per_thread);
	cuda_object_remove(o);
	free(c);
}

CUresult cuda_context_new(unsigned int flags, struct CUctx_st **ctx)
{
	struct CUctx_st *c = calloc(1, sizeof(*c));

	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	c->flags = flags;
	c->id = ++cuda_driver.next_id;
	c->attach_count = 1;
	c->legacy = (struct machine_stream){.context = &c->streams, .rule = MACHINE_STREAM_LEGACY};
	memcpy(c->limits, limit_defaults, sizeof(c->limits));
	cuda_object_add(&c->object, CUDA_KIND_CONTEXT, NULL, destroy_context);
	*ctx = c;
	return CUDA_SUCCESS;
}

static bool are_flags_valid(unsigned int flags)
{
	unsigned int sched = flags & CU_CTX_SCHED_MASK;

	return !(flags & ~(unsigned int)CU_CTX_FLAGS_MASK) && !(sched & (sched - 1));
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!context || !are_flags_valid(flags))
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;

	CUcontext c;
	CUresult result = cuda_context_has_room() ? cuda_context_new(flags, &c) : CUDA_ERROR_OUT_OF_MEMORY;

	if (result != CUDA_SUCCESS)
		return result;
	*context = c;
	return cuda_context_push(c);
}

static void destroy_and_pop(CUcontext context)
{
	bool is_current = context == cuda_context_current();

	destroy_context(&context->object);
	if (is_current)
		cuda_context_pop(&context);
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(context, CUDA_KIND_CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (context == cuda_driver.primary)
		return CUDA_ERROR_INVALID_CONTEXT; /* it ends with its last cuDevicePrimaryCtxRelease */
	destroy_and_pop(context);
	return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(context, CUDA_KIND_CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	return cuda_context_push(context);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	CUcontext c;

	if (!cuda_context_pop(&c))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (context)
		*context = c;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (context && !cuda_object_is(context, CUDA_KIND_CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	cuda_context_pop(&(CUcontext){NULL});
	return context ? cuda_context_push(context) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	*context = cuda_context_current();
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
	CUDA_CALL(CUDA_NEEDS_CONTEXT);
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = 0;
	return CUDA_SUCCESS;
}

/* context, or the current one for NULL; NULL when there is none. */
static struct CUctx_st *context_or_current(CUcontext context)
{
	if (!context)
		context = cuda_context_current();
	return cuda_object_is(context, CUDA_KIND_CONTEXT) ? context : NULL;
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	if (!context_or_current(context))
		return CUDA_ERROR_INVALID_CONTEXT;
	*device = 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_CONTEXT);
	if (!are_flags_valid(flags))
		return CUDA_ERROR_INVALID_VALUE;
	call.ctx->flags = flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
	CUDA_CALL(CUDA_NEEDS_CONTEXT);
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = call.ctx->flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	context = context_or_current(context);
	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	*id = context->id;
	return CUDA_SUCCESS;
}

static CUresult synchronize(struct CUctx_st *c)
{
	CUresult result = cuda_capture_forbid_context(c);

	if (result == CUDA_SUCCESS)
		cuda_time_wait_ps(c->streams.end_ps);
	return result;
}

CUresult cuCtxSynchronize(void)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return synchronize(call.ctx);
}

CUresult cuCtxSynchronize_v2(CUcontext context)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	struct CUctx_st *c = context_or_current(context);

	if (!c)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (c->sticky != CUDA_SUCCESS)
		return c->sticky;
	return synchronize(c);
}

/* Limits that this device has; the others are UNSUPPORTED_LIMIT, as on devices without the feature. */
static bool has_limit(CUlimit limit)
{
	return (unsigned int)limit < CUDA_LIMIT_COUNT && limit_defaults[limit];
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if ((unsigned int)limit >= CUDA_LIMIT_COUNT)
		return CUDA_ERROR_INVALID_VALUE;
	if (!has_limit(limit))
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && value > simt_memory_capacity_bytes(cuda_driver.mem))
		return CUDA_ERROR_OUT_OF_MEMORY;
	/* As on a real device: a heap in use keeps its size. */
	if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && !simt_heap_resize(cuda_driver.mem, value))
		return CUDA_ERROR_INVALID_VALUE;
	if (limit == CU_LIMIT_STACK_SIZE && value > CUDA_STACK_BYTES_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	call.ctx->limits[limit] = value;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!value || (unsigned int)limit >= CUDA_LIMIT_COUNT)
		return CUDA_ERROR_INVALID_VALUE;
	if (!has_limit(limit))
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	*value = call.ctx->limits[limit];
	return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	*config = call.ctx->cache_config;
	return CUDA_SUCCESS;
}

/* A preference: L1 and shared memory of the modelled machine are separate, so it changes nothing. */
CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if ((unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL)
		return CUDA_ERROR_INVALID_VALUE;
	call.ctx->cache_config = config;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	*config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if ((unsigned int)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS; /* banks are of 4 bytes, as on devices since compute capability 5.0 */
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	if (context ? !cuda_object_is(context, CUDA_KIND_CONTEXT) : !cuda_context_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	*version = 3020; /* the interface that _v2 contexts belong to */
	return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (least)
		*least = 0;
	if (greatest)
		*greatest = 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return cuda_not_supported("cuCtxResetPersistingL2Cache");
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(peer, CUDA_KIND_CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return cuda_object_is(peer, CUDA_KIND_CONTEXT) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
						       : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxAttach(CUcontext *context, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_CONTEXT);
	if (!context || flags)
		return CUDA_ERROR_INVALID_VALUE;
	call.ctx->attach_count++;
	*context = call.ctx;
	return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context)
{
	CUDA_CALL(CUDA_NEEDS_CONTEXT);
	if (context != call.ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!--context->attach_count)
		destroy_and_pop(context);
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!cuda_driver.primary) {
		CUresult result = cuda_context_new(cuda_driver.primary_flags, &cuda_driver.primary);

		if (result != CUDA_SUCCESS)
			return result;
	}
	cuda_driver.primary_count++;
	*context = cuda_driver.primary;
	return CUDA_SUCCESS;
}

static void drop_primary(void)
{
	struct CUctx_st *c = cuda_driver.primary;

	cuda_driver.primary = NULL;
	cuda_driver.primary_count = 0;
	if (c)
		destroy_context(&c->object);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!cuda_driver.primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!--cuda_driver.primary_count)
		drop_primary();
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	drop_primary();
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!are_flags_valid(flags))
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	cuda_driver.primary_flags = flags;
	if (cuda_driver.primary)
		cuda_driver.primary->flags = flags;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	if (!flags || !active)
		return CUDA_ERROR_INVALID_VALUE;
	if (device)
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = cuda_driver.primary_flags;
	*active = cuda_driver.primary != NULL;
	return CUDA_SUCCESS;
}
