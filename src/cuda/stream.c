/* stream.c - streams and host callbacks. Work is done when it is given, so a stream is always idle. */
#include <stdlib.h>

#include "cuda/driver.h"

CUresult cuda_stream_check(CUstream s)
{
	if (!s || s == CU_STREAM_LEGACY || s == CU_STREAM_PER_THREAD || cuda_object_is(s, CUDA_KIND_STREAM))
		return CUDA_SUCCESS;
	return CUDA_ERROR_INVALID_HANDLE;
}

static void destroy_stream(struct cuda_object *o)
{
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
	CUDA_CALL(CUDA_NEEDS_CONTEXT);
	if (!cuda_object_is(stream, CUDA_KIND_STREAM))
		return CUDA_ERROR_INVALID_HANDLE;
	destroy_stream(&stream->object);
	return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return cuda_stream_check(stream);
}
CUDA_ALIAS(cuStreamQuery, _ptsz);

CUresult cuStreamSynchronize(CUstream stream)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return cuda_stream_check(stream);
}
CUDA_ALIAS(cuStreamSynchronize, _ptsz);

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (flags & ~(unsigned int)CU_EVENT_WAIT_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(event, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	return cuda_stream_check(stream);
}
CUDA_ALIAS(cuStreamWaitEvent, _ptsz);

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user_data, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!callback || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	cuda_callback_begin();
	callback(stream, CUDA_SUCCESS, user_data);
	cuda_callback_end();
	return CUDA_SUCCESS;
}
CUDA_ALIAS(cuStreamAddCallback, _ptsz);

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user_data)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!function)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	cuda_callback_begin();
	function(user_data);
	cuda_callback_end();
	return CUDA_SUCCESS;
}
CUDA_ALIAS(cuLaunchHostFunc, _ptsz);

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	*flags = cuda_object_is(stream, CUDA_KIND_STREAM) ? stream->flags : CU_STREAM_DEFAULT;
	return CUDA_SUCCESS;
}
CUDA_ALIAS(cuStreamGetFlags, _ptsz);

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!priority)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	*priority = 0;
	return CUDA_SUCCESS;
}
CUDA_ALIAS(cuStreamGetPriority, _ptsz);

/* Modulo 4, the ids of the built-in streams are 1 and 2, and those of created ones 0. */
CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	if (cuda_object_is(stream, CUDA_KIND_STREAM))
		*id = 4 * stream->id;
	else
		*id = 4 * call.ctx->id + (stream == CU_STREAM_PER_THREAD ? 2 : 1);
	return CUDA_SUCCESS;
}
CUDA_ALIAS(cuStreamGetId, _ptsz);

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	*context = cuda_object_is(stream, CUDA_KIND_STREAM) ? stream->object.ctx : call.ctx;
	return CUDA_SUCCESS;
}
CUDA_ALIAS(cuStreamGetCtx, _ptsz);
