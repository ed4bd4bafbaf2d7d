/* stream.c - streams and host callbacks.
 *
 * What a stream is given is computed at once; a stream is ready when its last work has ended by the asking thread's
 * clock.
 */
#include <stdlib.h>

#include "cuda/capture.h"
#include "cuda/event.h"
#include "cuda/perthread.h"

static void destroy_stream(struct cuda_object *o)
{
	cuda_capture_leave(o->ctx, (CUstream)o);
	cuda_object_remove(o);
	free(o);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	(void)priority; /* clamped to the only one there is, as the interface says */
	if (!stream || flags > CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;

	struct CUstream_st *s = calloc(1, sizeof(*s));

	if (!s)
		return CUDA_ERROR_OUT_OF_MEMORY;
	s->flags = flags;
	s->id = ++cuda_driver.next_id;
	s->time = (struct machine_stream){
		.context = &call.ctx->streams,
		.rule = flags & CU_STREAM_NON_BLOCKING ? MACHINE_STREAM_NON_BLOCKING : MACHINE_STREAM_BLOCKING,
		.number = cuda_time_stream_number(),
	};
	cuda_object_add(&s->object, CUDA_KIND_STREAM, call.ctx, destroy_stream);
	*stream = s;
	return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
	return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_CONTEXT, stream);
	if (!cuda_object_is(stream, CUDA_KIND_STREAM))
		return CUDA_ERROR_INVALID_HANDLE;
	destroy_stream(&stream->object);
	return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	CUresult result = cuda_capture_forbid(call.ctx, stream);

	if (result != CUDA_SUCCESS)
		return result;

	uint64_t ready = machine_stream_ready_ps(cuda_time_stream(call.ctx, stream));

	return cuda_time_is_over(ready) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUDA_PER_THREAD(cuStreamQuery, _ptsz, CUstream);

CUresult cuStreamSynchronize(CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	CUresult result = cuda_capture_forbid(call.ctx, stream);

	if (result != CUDA_SUCCESS)
		return result;
	cuda_time_wait_ps(machine_stream_ready_ps(cuda_time_stream(call.ctx, stream)));
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamSynchronize, _ptsz, CUstream);

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (flags & ~(unsigned int)CU_EVENT_WAIT_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(event, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;

	struct capture_branch *branch;
	CUresult result = cuda_capture_enter(call.ctx, stream, true, &branch);

	if (result != CUDA_SUCCESS)
		return result;
	if (branch && flags & CU_EVENT_WAIT_EXTERNAL)
		return cuda_capture_add(call.ctx, branch, &(CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
									       .eventWait = {event}});
	if (event->capture_id)
		return cuda_capture_wait(call.ctx, stream, branch, event);
	if (branch && event->is_recorded)
		return cuda_capture_isolate(branch);
	machine_stream_extend(cuda_time_stream(call.ctx, stream), event->time_ps);
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamWaitEvent, _ptsz, CUstream, CUevent, unsigned int);

/* A host function of the program that runs, without the driver's lock. */
struct host_work {
	struct CUctx_st *ctx;
	CUstream stream;
	struct machine_stream place; /* as it was before */
	uint64_t cpu_ns;
};

static struct host_work host_work_begin(struct CUctx_st *ctx, CUstream stream)
{
	const struct host_work w = {ctx, stream, *cuda_time_stream(ctx, stream), cuda_time_cpu_ns()};

	cuda_callback_begin();
	return w;
}

/* A stream that another thread has destroyed meanwhile still ends its work; the work of a context ends with it. */
static void host_work_end(struct host_work *w)
{
	struct machine_stream *place;

	cuda_callback_end();
	place = cuda_stream_place(w->ctx, w->stream);
	if (!place && cuda_object_is(w->ctx, CUDA_KIND_CONTEXT))
		place = &w->place;
	if (place)
		cuda_time_host_function(place, cuda_time_cpu_ns() - w->cpu_ns);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user_data, unsigned int flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!callback || flags)
		return CUDA_ERROR_INVALID_VALUE;

	CUresult result = cuda_capture_forbid(call.ctx, stream);

	if (result != CUDA_SUCCESS)
		return result;

	struct host_work w = host_work_begin(call.ctx, stream);

	callback(stream, CUDA_SUCCESS, user_data);
	host_work_end(&w);
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamAddCallback, _ptsz, CUstream, CUstreamCallback, void *, unsigned int);

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user_data)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!function)
		return CUDA_ERROR_INVALID_VALUE;

	struct capture_branch *branch;
	CUresult result = cuda_capture_enter(call.ctx, stream, true, &branch);

	if (result != CUDA_SUCCESS)
		return result;
	if (branch)
		return cuda_capture_add(call.ctx, branch, &(CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_HOST,
									       .host = {function, user_data}});

	struct host_work w = host_work_begin(call.ctx, stream);

	function(user_data);
	host_work_end(&w);
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuLaunchHostFunc, _ptsz, CUstream, CUhostFn, void *);

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	*flags = cuda_object_is(stream, CUDA_KIND_STREAM) ? stream->flags : CU_STREAM_DEFAULT;
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamGetFlags, _ptsz, CUstream, unsigned int *);

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!priority)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	*priority = 0;
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamGetPriority, _ptsz, CUstream, int *);

/* Modulo 4, the ids of the built-in streams are 1 and 2, and those of created ones 0. */
CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	if (cuda_object_is(stream, CUDA_KIND_STREAM))
		*id = 4 * stream->id;
	else
		*id = 4 * call.ctx->id + (cuda_time_stream(call.ctx, stream) == &call.ctx->legacy ? 1 : 2);
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamGetId, _ptsz, CUstream, unsigned long long *);

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	*device = 0;
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamGetDevice, _ptsz, CUstream, CUdevice *);

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	*context = cuda_object_is(stream, CUDA_KIND_STREAM) ? stream->object.ctx : call.ctx;
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamGetCtx, _ptsz, CUstream, CUcontext *);

/* ---- attributes ---- */

static bool is_stream_attribute(CUstreamAttrID a)
{
	return a == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW || a == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
	       a == CU_LAUNCH_ATTRIBUTE_PRIORITY || a == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
	       a == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

static struct cuda_stream_attributes *attributes_of(struct CUctx_st *ctx, CUstream stream)
{
	return cuda_object_is(stream, CUDA_KIND_STREAM) ? &stream->attributes : &ctx->attributes;
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!value || !is_stream_attribute(attribute))
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	attributes_of(call.ctx, stream)->value[attribute] = *value;
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamSetAttribute, _ptsz, CUstream, CUstreamAttrID, const CUstreamAttrValue *);

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!value || !is_stream_attribute(attribute))
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	*value = attributes_of(call.ctx, stream)->value[attribute];
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamGetAttribute, _ptsz, CUstream, CUstreamAttrID, CUstreamAttrValue *);

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, to);
	if (cuda_stream_check(to) != CUDA_SUCCESS || cuda_stream_check(from) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	*attributes_of(call.ctx, to) = *attributes_of(call.ctx, from);
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamCopyAttributes, _ptsz, CUstream, CUstream);
