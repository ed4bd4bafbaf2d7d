/* forms.c - forms that an entry point has in other versions of the interface, where the present form does all the work.
 *
 * Programs that look names up by themselves ask for the plain name as well, and for the newest.
 */
#include "cuda/driver.h"
#include "cuda/perthread.h"

#undef cuCtxCreate
#undef cuCtxDestroy
#undef cuCtxPopCurrent
#undef cuCtxPushCurrent
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuDeviceTotalMem
#undef cuEventDestroy
#undef cuLinkAddFile
#undef cuMemHostRegister
#undef cuStreamBatchMemOp
#undef cuStreamDestroy
#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamWriteValue32
#undef cuStreamWriteValue64

#pragma GCC visibility push(default)

/* ---- same parameters, other name ---- */

#define SAME_1(name, newer, t1)                                                                                        \
	CUresult name(t1);                                                                                             \
	CUresult name(t1 a)                                                                                            \
	{                                                                                                              \
		return newer(a);                                                                                       \
	}                                                                                                              \
	_Static_assert(1, "")
#define SAME_3(name, newer, t1, t2, t3)                                                                                \
	CUresult name(t1, t2, t3);                                                                                     \
	CUresult name(t1 a, t2 b, t3 c)                                                                                \
	{                                                                                                              \
		return newer(a, b, c);                                                                                 \
	}                                                                                                              \
	_Static_assert(1, "")

#define SAME_4(name, newer, t1, t2, t3, t4)                                                                            \
	CUresult name(t1, t2, t3, t4);                                                                                 \
	CUresult name(t1 a, t2 b, t3 c, t4 d)                                                                          \
	{                                                                                                              \
		return newer(a, b, c, d);                                                                              \
	}                                                                                                              \
	CUDA_PER_THREAD(name, _ptsz, t1, t2, t3, t4)

SAME_3(cuCtxCreate, cuCtxCreate_v2, CUcontext *, unsigned int, CUdevice);
SAME_1(cuCtxDestroy, cuCtxDestroy_v2, CUcontext);
SAME_1(cuCtxPopCurrent, cuCtxPopCurrent_v2, CUcontext *);
SAME_1(cuCtxPushCurrent, cuCtxPushCurrent_v2, CUcontext);
SAME_1(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, CUdevice);
SAME_1(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, CUdevice);
SAME_1(cuEventDestroy, cuEventDestroy_v2, CUevent);
SAME_3(cuEventElapsedTime_v2, cuEventElapsedTime, float *, CUevent, CUevent);
SAME_3(cuMemHostRegister, cuMemHostRegister_v2, void *, size_t, unsigned int);
SAME_4(cuStreamBatchMemOp, cuStreamBatchMemOp_v2, CUstream, unsigned int, CUstreamBatchMemOpParams *, unsigned int);
SAME_1(cuStreamDestroy, cuStreamDestroy_v2, CUstream);
SAME_4(cuStreamWaitValue32, cuStreamWaitValue32_v2, CUstream, CUdeviceptr, cuuint32_t, unsigned int);
SAME_4(cuStreamWaitValue64, cuStreamWaitValue64_v2, CUstream, CUdeviceptr, cuuint64_t, unsigned int);
SAME_4(cuStreamWriteValue32, cuStreamWriteValue32_v2, CUstream, CUdeviceptr, cuuint32_t, unsigned int);
SAME_4(cuStreamWriteValue64, cuStreamWriteValue64_v2, CUstream, CUdeviceptr, cuuint64_t, unsigned int);

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
	return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

CUresult cuTexRefSetAddress2D_v2(CUtexref texref, const CUDA_ARRAY_DESCRIPTOR *descriptor, CUdeviceptr address,
				 size_t pitch_bytes);
CUresult cuTexRefSetAddress2D_v2(CUtexref texref, const CUDA_ARRAY_DESCRIPTOR *descriptor, CUdeviceptr address,
				 size_t pitch_bytes)
{
	return cuTexRefSetAddress2D_v3(texref, descriptor, address, pitch_bytes);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int options_count,
		       CUjit_option *options, void **values);
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int options_count,
		       CUjit_option *options, void **values)
{
	return cuLinkAddFile_v2(state, type, path, options_count, options, values);
}

/* ---- other parameters ---- */

/* Of CUDA 3.1; what 32 bits cannot hold is their largest value. */
CUresult cuDeviceTotalMem(unsigned int *bytes, CUdevice device);
CUresult cuDeviceTotalMem(unsigned int *bytes, CUdevice device)
{
	size_t all;
	CUresult result = bytes ? cuDeviceTotalMem_v2(&all, device) : CUDA_ERROR_INVALID_VALUE;

	if (result == CUDA_SUCCESS)
		*bytes = all > UINT32_MAX ? UINT32_MAX : (unsigned int)all;
	return result;
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *params, int params_count, unsigned int flags,
			CUdevice device)
{
	if (params_count < 0 || (params_count && !params))
		return CUDA_ERROR_INVALID_VALUE;
	return params_count ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned int flags, CUdevice device)
{
	if (!params)
		return cuCtxCreate_v2(context, flags, device);
	if (params->cigParams)
		return cuda_not_supported("cuCtxCreate_v4 with parameters for graphics");
	return cuCtxCreate_v3(context, params->execAffinityParams, params->numExecAffinityParams, flags, device);
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, void **green_context);
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, void **green_context)
{
	CUresult result = green_context ? cuStreamGetCtx(stream, context) : CUDA_ERROR_INVALID_VALUE;

	if (result == CUDA_SUCCESS)
		*green_context = NULL; /* there are none */
	return result;
}
CUDA_PER_THREAD(cuStreamGetCtx_v2, _ptsz, CUstream, CUcontext *, void **);

#pragma GCC visibility pop
