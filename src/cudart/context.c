/* context.c - the driver is started and the primary context made current when the first call needs them; devices and
 * synchronisation. */
#include "cudart/priv.h"

/* Every thread that needs it retains the primary context anew: a reset or a release by the program ends it whatever the
 * count, and threads then find that they have no context. */
static CUresult retain(CUcontext *context)
{
	CUresult result = cuInit(0);

	return result == CUDA_SUCCESS ? cuDevicePrimaryCtxRetain(context, 0) : result;
}

cudaError_t cudart_enter(void)
{
	CUcontext context = NULL;
	CUresult result = cuCtxGetCurrent(&context);

	if (result == CUDA_SUCCESS && context)
		return cudaSuccess;
	if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_INITIALIZED)
		return cudart_result(result);
	result = retain(&context);
	if (result == CUDA_SUCCESS)
		result = cuCtxSetCurrent(context);
	return cudart_result(result);
}

CUcontext cudart_context(uint64_t *id)
{
	CUcontext context = NULL;
	unsigned long long number = 0;

	cuCtxGetCurrent(&context);
	cuCtxGetId(context, &number);
	*id = number;
	return context;
}

/* ---- devices: there is one ---- */

CUDART_API cudaError_t cudaDeviceSynchronize(void)
{
	CUDART_ENTER();
	return cudart_result(cuCtxSynchronize());
}
