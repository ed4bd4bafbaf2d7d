/* event.c - events: marks of simulated time. */
#include <stdlib.h>

#include "cuda/driver.h"

struct CUevent_st {
	struct cuda_object object;
	unsigned int flags;
	bool is_recorded;
	uint64_t time_ps;
};

static void destroy_event(struct cuda_object *o)
{
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

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (flags & ~(unsigned int)CU_EVENT_WAIT_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(event, CUDA_KIND_EVENT) || cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	if (cuda_object_is(stream, CUDA_KIND_STREAM) && stream->object.ctx != event->object.ctx)
		return CUDA_ERROR_INVALID_HANDLE;
	event->is_recorded = true;
	event->time_ps = gpu_now_ps(cuda_driver.gpu);
	return CUDA_SUCCESS;
}
CUDA_ALIAS(cuEventRecordWithFlags, _ptsz);

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	return cuEventRecordWithFlags(event, stream, 0);
}
CUDA_ALIAS(cuEventRecord, _ptsz);

CUresult cuEventQuery(CUevent event)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return cuda_object_is(event, CUDA_KIND_EVENT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventSynchronize(CUevent event)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return cuda_object_is(event, CUDA_KIND_EVENT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!milliseconds)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(start, CUDA_KIND_EVENT) || !cuda_object_is(end, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!start->is_recorded || !end->is_recorded || (start->flags | end->flags) & CU_EVENT_DISABLE_TIMING)
		return CUDA_ERROR_INVALID_HANDLE;
	*milliseconds = (float)(((double)end->time_ps - (double)start->time_ps) * 1e-9);
	return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
	CUDA_CALL(CUDA_NEEDS_CONTEXT);
	if (!cuda_object_is(event, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	destroy_event(&event->object);
	return CUDA_SUCCESS;
}
