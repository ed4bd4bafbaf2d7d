/* launch.c - the kernels: their modules, loaded when first needed, and their launches. */
#include "cublas/blas.h"

#include <pthread.h>
#include <stdio.h>

#include "base/check.h"

static const char *const texts[BLAS_MODULES] = {[BLAS_VECTOR] =
#include "cublas-vector.ptx.h"
						    ,
						[BLAS_MATRIX] =
#include "cublas-matrix.ptx.h"
						    ,
						[BLAS_GEMM] =
#include "cublas-gemm.ptx.h"
						    , [BLAS_TENSOR] =
#include "cublas-tensor.ptx.h"
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUlibrary libraries[BLAS_MODULES];

cublasStatus_t strata_blas_status(CUresult result)
{
	switch (result) {
	case CUDA_SUCCESS:
		return CUBLAS_STATUS_SUCCESS;
	case CUDA_ERROR_NOT_INITIALIZED:
	case CUDA_ERROR_DEINITIALIZED:
	case CUDA_ERROR_NO_DEVICE:
		return CUBLAS_STATUS_NOT_INITIALIZED;
	case CUDA_ERROR_OUT_OF_MEMORY:
		return CUBLAS_STATUS_ALLOC_FAILED;
	case CUDA_ERROR_NOT_SUPPORTED:
		return CUBLAS_STATUS_NOT_SUPPORTED;
	case CUDA_ERROR_INVALID_VALUE:
		return CUBLAS_STATUS_INVALID_VALUE;
	default:
		return CUBLAS_STATUS_EXECUTION_FAILED;
	}
}

cublasStatus_t strata_blas_begin(void)
{
	CUcontext current = NULL;
	CUresult e = cuInit(0);

	if (e == CUDA_SUCCESS)
		e = cuCtxGetCurrent(&current);
	if (e == CUDA_SUCCESS && !current)
		e = cuDevicePrimaryCtxRetain(&current, 0);
	if (e == CUDA_SUCCESS)
		e = cuCtxSetCurrent(current);
	return strata_blas_status(e);
}

static CUresult load(enum blas_module module, CUlibrary *library)
{
	CUresult e = CUDA_SUCCESS;

	pthread_mutex_lock(&lock);
	if (!libraries[module])
		e = cuLibraryLoadData(&libraries[module], texts[module], NULL, NULL, 0, NULL, NULL, 0);
	*library = libraries[module];
	pthread_mutex_unlock(&lock);
	return e;
}

cublasStatus_t strata_blas_launch(enum blas_module module, const char *kernel, struct blas_grid grid, void *args,
				  CUstream stream)
{
	CUlibrary library;
	CUkernel function;
	void *parameters[] = {args};
	CUresult e;

	if (!grid.x || !grid.y || !grid.z)
		return CUBLAS_STATUS_SUCCESS;
	if (grid.x > INT32_MAX)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	e = load(module, &library);
	if (e == CUDA_SUCCESS)
		e = cuLibraryGetKernel(&function, library, kernel);
	if (e == CUDA_SUCCESS)
		e = cuLaunchKernel((CUfunction)function, (unsigned int)grid.x, grid.y, grid.z, grid.threads_x,
				   grid.threads_y, 1, 0, stream, parameters, NULL);
	return strata_blas_status(e);
}
