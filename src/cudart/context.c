/* context.c - the driver is started and the primary context made current when the first call needs them; the device of
 * a thread, synchronisation and reset. */
#include "cudart/priv.h"

/* Every thread that needs it retains the primary context anew: a reset or a release by the program ends it whatever the
 * count, and threads then find that they have no context. */
static CUresult use_primary(void)
{
	CUcontext context;
	CUresult result = cuDevicePrimaryCtxRetain(&context, 0);

	return result == CUDA_SUCCESS ? cuCtxSetCurrent(context) : result;
}

cudaError_t cudart_start(void)
{
	return cudart_result(cuInit(0));
}

cudaError_t cudart_enter(void)
{
	CUcontext context = NULL;
	CUresult result = cuCtxGetCurrent(&context);

	if (result == CUDA_SUCCESS && context)
		return cudaSuccess;
	if (result == CUDA_ERROR_NOT_INITIALIZED)
		result = cuInit(0);
	if (result == CUDA_SUCCESS)
		result = use_primary();
	return cudart_result(result);
}

void cudart_context_id(uint64_t *id)
{
	unsigned long long number = 0;

	cuCtxGetId(NULL, &number);
	*id = number;
}

/* ---- the device of a thread: there is one device ---- */

CUDART_API cudaError_t cudaSetDevice(int device)
{
	cudaError_t e = cudart_start();

	if (e != cudaSuccess)
		return e;
	if (device)
		return cudart_fail(cudaErrorInvalidDevice);
	return cudart_result(use_primary());
}

CUDART_API cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
	cudaError_t e = cudart_start();

	if (e != cudaSuccess)
		return e;
	if (device)
		return cudart_fail(cudaErrorInvalidDevice);
	if (flags & ~(unsigned int)cudaInitDeviceFlagsAreValid)
		return cudart_fail(cudaErrorInvalidValue);
	if (flags & cudaInitDeviceFlagsAreValid) {
		e = cudaSetDeviceFlags(device_flags);
		if (e != cudaSuccess)
			return e;
	}
	return cudart_result(use_primary());
}

CUDART_API cudaError_t cudaGetDevice(int *device)
{
	cudaError_t e = cudart_start();

	if (e != cudaSuccess)
		return e;
	if (!device)
		return cudart_fail(cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}

CUDART_API cudaError_t cudaSetValidDevices(int *devices, int count)
{
	if (count < 0 || (count && !devices))
		return cudart_fail(cudaErrorInvalidValue);
	for (int i = 0; i < count; i++) {
		if (devices[i])
			return cudart_fail(cudaErrorInvalidDevice);
	}
	return cudaSuccess;
}

CUDART_API cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	cudaError_t e = cudart_start();

	if (e != cudaSuccess)
		return e;
	if (flags & ~(unsigned int)cudaDeviceMask)
		return cudart_fail(cudaErrorInvalidValue);
	/* Mapping host memory is always possible; the driver's interface has no flag for it any more. */
	return cudart_result(cuDevicePrimaryCtxSetFlags(0, flags & ~(unsigned int)cudaDeviceMapHost));
}

CUDART_API cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	CUDART_ENTER();
	if (!flags)
		return cudart_fail(cudaErrorInvalidValue);

	cudaError_t e = cudart_result(cuCtxGetFlags(flags));

	if (e == cudaSuccess)
		*flags |= cudaDeviceMapHost;
	return e;
}

CUDART_API cudaError_t cudaDeviceSynchronize(void)
{
	CUDART_ENTER();
	return cudart_result(cuCtxSynchronize());
}

CUDART_API cudaError_t cudaDeviceReset(void)
{
	cudaError_t e = cudart_start();

	if (e != cudaSuccess)
		return e;
	e = cudart_result(cuDevicePrimaryCtxReset(0));
	if (e == cudaSuccess)
		cudart_forget_fault();
	return e;
}

CUDART_API cudaError_t cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

CUDART_API cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}
