/* stream.c - streams and host functions in them. */
#include <glib.h>

#include "cudart/priv.h"

CUDART_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	CUDART_ENTER();
	return cudart_result(cuStreamCreateWithPriority(stream, flags, priority));
}

CUDART_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	return cudaStreamCreateWithPriority(stream, flags, 0);
}

CUDART_API cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
	return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

CUDART_API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	CUDART_ENTER();
	return cudart_result(cuStreamDestroy(stream));
}

CUDART_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	CUDART_ENTER();
	return cudart_result(cuStreamGetPriority(stream, priority));
}
CUDART_PTSZ(cudaStreamGetPriority, (cudaStream_t stream, int *priority), (cudart_per_thread(stream), priority));

CUDART_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	CUDART_ENTER();
	return cudart_result(cuStreamGetFlags(stream, flags));
}
CUDART_PTSZ(cudaStreamGetFlags, (cudaStream_t stream, unsigned int *flags), (cudart_per_thread(stream), flags));

CUDART_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
	CUDART_ENTER();
	return cudart_result(cuStreamGetId(stream, id));
}
CUDART_PTSZ(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), (cudart_per_thread(stream), id));

CUDART_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	CUcontext context;

	CUDART_ENTER();
	if (!device)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = cudart_result(cuStreamGetCtx(stream, &context));

	if (e == cudaSuccess)
		*device = 0;
	return e;
}
CUDART_PTSZ(cudaStreamGetDevice, (cudaStream_t stream, int *device), (cudart_per_thread(stream), device));

CUDART_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	CUDART_ENTER();
	return cudart_result(cuStreamWaitEvent(stream, event, flags));
}
CUDART_PTSZ(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
	    (cudart_per_thread(stream), event, flags));

CUDART_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	CUDART_ENTER();
	return cudart_result(cuStreamSynchronize(stream));
}
CUDART_PTSZ(cudaStreamSynchronize, (cudaStream_t stream), (cudart_per_thread(stream)));

CUDART_API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	CUDART_ENTER();
	return cudart_result(cuStreamQuery(stream));
}
CUDART_PTSZ(cudaStreamQuery, (cudaStream_t stream), (cudart_per_thread(stream)));

CUDART_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned int flags)
{
	CUDART_ENTER();
	return cudart_result(cuStreamAttachMemAsync(stream, (CUdeviceptr)pointer, bytes, flags));
}
CUDART_PTSZ(cudaStreamAttachMemAsync, (cudaStream_t stream, void *pointer, size_t bytes, unsigned int flags),
	    (cudart_per_thread(stream), pointer, bytes, flags));

/* ---- host functions ---- */

struct callback {
	cudaStreamCallback_t function;
	void *user_data;
};

/* The driver's form of a callback, with its own result codes. */
static void call_back(CUstream stream, CUresult status, void *user_data)
{
	struct callback c = *(struct callback *)user_data;

	g_free(user_data);
	c.function(stream, cudart_error(status), c.user_data);
}

CUDART_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *user_data,
					     unsigned int flags)
{
	CUDART_ENTER();
	if (!function || flags)
		return cudart_fail(cudaErrorInvalidValue);

	struct callback *c = g_new(struct callback, 1);

	*c = (struct callback){function, user_data};

	cudaError_t e = cudart_result(cuStreamAddCallback(stream, call_back, c, 0));

	if (e != cudaSuccess)
		g_free(c);
	return e;
}
CUDART_PTSZ(cudaStreamAddCallback,
	    (cudaStream_t stream, cudaStreamCallback_t function, void *user_data, unsigned int flags),
	    (cudart_per_thread(stream), function, user_data, flags));

CUDART_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data)
{
	CUDART_ENTER();
	return cudart_result(cuLaunchHostFunc(stream, function, user_data));
}
CUDART_PTSZ(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *user_data),
	    (cudart_per_thread(stream), function, user_data));

/* ---- attributes: numbers and values are the driver's ---- */

CUDART_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
					      const cudaLaunchAttributeValue *value)
{
	CUDART_ENTER();
	return cudart_result(cuStreamSetAttribute(stream, (CUstreamAttrID)attribute, (const CUstreamAttrValue *)value));
}
CUDART_PTSZ(cudaStreamSetAttribute,
	    (cudaStream_t stream, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value),
	    (cudart_per_thread(stream), attribute, value));

CUDART_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
					      cudaLaunchAttributeValue *value)
{
	CUDART_ENTER();
	return cudart_result(cuStreamGetAttribute(stream, (CUstreamAttrID)attribute, (CUstreamAttrValue *)value));
}
CUDART_PTSZ(cudaStreamGetAttribute,
	    (cudaStream_t stream, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value),
	    (cudart_per_thread(stream), attribute, value));

CUDART_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
	CUDART_ENTER();
	return cudart_result(cuStreamCopyAttributes(to, from));
}
CUDART_PTSZ(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from),
	    (cudart_per_thread(to), cudart_per_thread(from)));
