/* handle.c - handles of libcublas: what a call finds set. */
#include <cublasLt.h>
#include <stdlib.h>

#include "cublas/blas.h"

static bool is_live(cublasHandle_t handle)
{
	return strata_blas_is_live(handle, BLAS_HANDLE);
}

cublasStatus_t blas_enter(cublasHandle_t handle)
{
	CUcontext current = NULL;

	if (!is_live(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (cuCtxGetCurrent(&current) == CUDA_SUCCESS && current)
		return CUBLAS_STATUS_SUCCESS;
	return strata_blas_status(cuCtxSetCurrent(handle->context));
}

BLAS_API cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	const size_t bytes = (BLAS_BLOCKS_MAX + 2) * BLAS_PARTIAL_BYTES;
	struct cublasContext *h;
	cublasStatus_t status;

	if (!handle)
		return CUBLAS_STATUS_INVALID_VALUE;
	status = strata_blas_begin();
	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	h = calloc(1, sizeof(*h));
	if (!h)
		return CUBLAS_STATUS_ALLOC_FAILED;
	status = strata_blas_status(cuCtxGetCurrent(&h->context));
	if (status == CUBLAS_STATUS_SUCCESS)
		status = strata_blas_status(cuMemAlloc(&h->reduction, bytes));
	if (status == CUBLAS_STATUS_SUCCESS)
		status = strata_blas_status(cuMemsetD8(h->reduction, 0, bytes));
	if (status != CUBLAS_STATUS_SUCCESS) {
		if (h->reduction)
			cuMemFree(h->reduction);
		free(h);
		return status;
	}
	strata_blas_add(&h->live, BLAS_HANDLE);
	*handle = h;
	return status;
}

/* The handle's work is waited for, as its memory goes. */
BLAS_API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
	CUresult e;

	BLAS_ENTER(handle);
	if (!strata_blas_remove(handle, BLAS_HANDLE))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	e = cuMemFree(handle->reduction);
	free(handle);
	/* A device that was reset has freed it already. */
	return e == CUDA_ERROR_INVALID_VALUE ? CUBLAS_STATUS_SUCCESS : strata_blas_status(e);
}

BLAS_API cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
	if (!is_live(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!version)
		return CUBLAS_STATUS_INVALID_VALUE;
	*version = CUBLAS_VERSION;
	return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
	return cublasLtGetProperty(type, value);
}

BLAS_API size_t cublasGetCudartVersion(void)
{
	return cublasLtGetCudartVersion();
}

BLAS_API const char *cublasGetStatusName(cublasStatus_t status)
{
	return strata_blas_status_name(status, false);
}

BLAS_API const char *cublasGetStatusString(cublasStatus_t status)
{
	return strata_blas_status_name(status, true);
}

/* The kernels need none: what a program gives is checked. */
BLAS_API cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t workspace_bytes)
{
	if (!is_live(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	return (uintptr_t)workspace % 256 || (workspace_bytes && !workspace) ? CUBLAS_STATUS_INVALID_VALUE
									     : CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
	if (!is_live(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	handle->stream = stream;
	return CUBLAS_STATUS_SUCCESS;
}

/* A setting that a call reads back: its two entry points. */
#define GETTER(name, type, member)                                       \
	BLAS_API cublasStatus_t name(cublasHandle_t handle, type *value) \
	{                                                                \
		if (!is_live(handle))                                    \
			return CUBLAS_STATUS_NOT_INITIALIZED;            \
		if (!value)                                              \
			return CUBLAS_STATUS_INVALID_VALUE;              \
		*value = handle->member;                                 \
		return CUBLAS_STATUS_SUCCESS;                            \
	}                                                                \
	_Static_assert(1, "")
#define SETTER(name, type, member, is_known)                            \
	BLAS_API cublasStatus_t name(cublasHandle_t handle, type value) \
	{                                                               \
		if (!is_live(handle))                                   \
			return CUBLAS_STATUS_NOT_INITIALIZED;           \
		if (!(is_known))                                        \
			return CUBLAS_STATUS_INVALID_VALUE;             \
		handle->member = value;                                 \
		return CUBLAS_STATUS_SUCCESS;                           \
	}                                                               \
	_Static_assert(1, "")

GETTER(cublasGetStream_v2, cudaStream_t, stream);
GETTER(cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode);
SETTER(cublasSetPointerMode_v2, cublasPointerMode_t, pointer_mode,
       value == CUBLAS_POINTER_MODE_HOST || value == CUBLAS_POINTER_MODE_DEVICE);
/* No kernel adds by atomics: results are the same in both modes. */
GETTER(cublasGetAtomicsMode, cublasAtomicsMode_t, atomics_mode);
SETTER(cublasSetAtomicsMode, cublasAtomicsMode_t, atomics_mode,
       value == CUBLAS_ATOMICS_NOT_ALLOWED || value == CUBLAS_ATOMICS_ALLOWED);
GETTER(cublasGetMathMode, cublasMath_t, math_mode);

BLAS_API cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
	const unsigned int kind = (unsigned int)mode & ~(unsigned int)CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;

	if (!is_live(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (kind == CUBLAS_FP32_EMULATED_BF16X9_MATH || kind == CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH)
		return strata_blas_refuse("cublasSetMathMode", "emulated floating point");
	if (kind > CUBLAS_TF32_TENSOR_OP_MATH)
		return CUBLAS_STATUS_INVALID_VALUE;
	handle->math_mode = mode;
	return CUBLAS_STATUS_SUCCESS;
}
