/* event.c - events: marks of simulated time in streams. */
#include <stdlib.h>

#include "cuda/capture.h"
#include "cuda/driver.h"
#include "cuda/event.h"
#include "cuda/perthread.h"

static void destroy_event(struct cuda_object *o)
{
	cuda_capture_forget((struct CUevent_st *)o);
	cuda_object_remove(o);
	free(o);
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!event || flags > (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING))
		return event && flags <= 7 ? cuda_not_supported("CU_EVENT_INTERPROCESS") : CUDA_ERROR_INVALID_VALUE;

	struct CUevent_st *e = calloc(1, sizeof(*e));

	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e->flags = flags;
	cuda_object_add(&e->object, CUDA_KIND_EVENT, call.ctx, destroy_event);
	*event = e;
	return CUDA_SUCCESS;
}

void cuda_event_record(struct CUevent_st *e, uint64_t time_ps)
{
	cuda_capture_forget(e);
	e->is_recorded = true;
	e->time_ps = time_ps;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (flags & ~(unsigned int)CU_EVENT_RECORD_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(event, CUDA_KIND_EVENT) || cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	if (cuda_object_is(stream, CUDA_KIND_STREAM) && stream->object.ctx != event->object.ctx)
		return CUDA_ERROR_INVALID_HANDLE;

	struct capture_branch *branch;
	CUresult result = cuda_capture_enter(call.ctx, stream, true, &branch);

	if (result != CUDA_SUCCESS)
		return result;
	if (branch && flags & CU_EVENT_RECORD_EXTERNAL)
		return cuda_capture_add(call.ctx, branch,
					&(CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
							     .eventRecord = {event}});
	if (branch) {
		cuda_capture_record(branch, event);
		return CUDA_SUCCESS;
	}

	uint64_t ready = machine_stream_ready_ps(cuda_time_stream(call.ctx, stream)), now = cuda_time_now_ps();

	cuda_event_record(event, ready > now ? ready : now);
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuEventRecordWithFlags, _ptsz, CUevent, CUstream, unsigned int);

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	return cuEventRecordWithFlags(event, stream, 0);
}
CUDA_PER_THREAD(cuEventRecord, _ptsz, CUevent, CUstream);

/* An event that was never recorded has time 0: it has ended, as CUDA says. */
CUresult cuEventQuery(CUevent event)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, event);
	if (!cuda_object_is(event, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	if (event->capture_id)
		return cuda_capture_forbid_event(event);

	CUresult result = cuda_capture_forbid_unsafe();

	if (result != CUDA_SUCCESS)
		return result;
	return cuda_time_is_over(event->time_ps) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, event);
	if (!cuda_object_is(event, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	if (event->capture_id)
		return cuda_capture_forbid_event(event);
	cuda_time_wait_ps(event->time_ps);
	return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, start);
	if (!milliseconds)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(start, CUDA_KIND_EVENT) || !cuda_object_is(end, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	if (start->capture_id || end->capture_id)
		return cuda_capture_forbid_event(start->capture_id ? start : end);
	if (!start->is_recorded || !end->is_recorded || (start->flags | end->flags) & CU_EVENT_DISABLE_TIMING)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!cuda_time_is_over(start->time_ps > end->time_ps ? start->time_ps : end->time_ps))
		return CUDA_ERROR_NOT_READY;
	*milliseconds = (float)(((double)end->time_ps - (double)start->time_ps) * 1e-9);
	return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
	CUDA_CALL_OF(CUDA_NEEDS_CONTEXT, event);
	if (!cuda_object_is(event, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	destroy_event(&event->object);
	return CUDA_SUCCESS;
}

/* ---- all streams of a context ---- */

CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, event);
	if (!cuda_object_is(context, CUDA_KIND_CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!cuda_object_is(event, CUDA_KIND_EVENT) || event->object.ctx != context)
		return CUDA_ERROR_INVALID_HANDLE;

	uint64_t end = context->streams.end_ps, now = cuda_time_now_ps();
	CUresult result = cuda_capture_forbid_context(context);

	if (result == CUDA_SUCCESS)
		cuda_event_record(event, end > now ? end : now);
	return result;
}

CUresult cuCtxWaitEvent(CUcontext context, CUevent event)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, event);
	if (!cuda_object_is(context, CUDA_KIND_CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!cuda_object_is(event, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;

	GHashTableIter i;
	gpointer own;
	CUresult result = cuda_capture_forbid_context(context);

	if (result != CUDA_SUCCESS)
		return result;
	if (event->capture_id)
		return cuda_capture_forbid_event(event);
	machine_stream_extend(&context->legacy, event->time_ps);
	for (struct cuda_object *o = context->first; o; o = o->next) {
		if (o->kind == CUDA_KIND_STREAM)
			machine_stream_extend(&((struct CUstream_st *)o)->time, event->time_ps);
	}
	if (!context->per_thread)
		return CUDA_SUCCESS;
	g_hash_table_iter_init(&i, context->per_thread);
	while (g_hash_table_iter_next(&i, NULL, &own))
		machine_stream_extend(own, event->time_ps);
	return CUDA_SUCCESS;
}
