/* test_handle.c - handles of the two libraries: which stands for which, what one that is gone is, and what a handle
 * that could not be made leaves. */
#include <cublasLt.h>
#include <dlfcn.h>

#include "common.h"

/* The libraries find this function before the driver's: it fails where it is told to. */
static bool is_failing;

CUresult cuMemsetD8(CUdeviceptr at, unsigned char value, size_t bytes)
{
	CUresult (*of_driver)(CUdeviceptr, unsigned char, size_t) =
	    (CUresult (*)(CUdeviceptr, unsigned char, size_t))dlsym(RTLD_NEXT, "cuMemsetD8_v2");

	return is_failing ? CUDA_ERROR_LAUNCH_FAILED : of_driver(at, value, bytes);
}

static size_t free_bytes(void)
{
	size_t left = 0, all;

	OK(cuMemGetInfo(&left, &all));
	return left;
}

/* A square product of ones, by cublasLt. */
static cublasStatus_t ask(cublasLtHandle_t handle)
{
	enum { N = 4 };
	const float one = 1, zero = 0, ones[N * N] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	float result[N * N] = {0};
	cublasLtMatmulDescOpaque_t desc;
	cublasLtMatrixLayoutOpaque_t layout;
	CUdeviceptr x, y;
	cublasStatus_t status;

	OK(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	OK(cublasLtMatrixLayoutInit(&layout, CUDA_R_32F, N, N, N));
	OK(cuMemAlloc(&x, sizeof(ones)));
	OK(cuMemAlloc(&y, sizeof(ones)));
	OK(cuMemcpyHtoD(x, ones, sizeof(ones)));
	status = cublasLtMatmul(handle, &desc, &one, (void *)x, &layout, (void *)x, &layout, &zero, (void *)y, &layout,
				(void *)y, &layout, NULL, NULL, 0, NULL);
	if (status == CUBLAS_STATUS_SUCCESS) {
		OK(cuMemcpyDtoH(result, y, sizeof(result)));
		for (int i = 0; i < N * N; i++)
			SAME(result[i], N);
	}
	OK(cuMemFree(x));
	OK(cuMemFree(y));
	return status;
}

/* A handle of cuBLAS is one of cublasLt as well, but for its end; the other way round it is not. */
static void stands_for_the_other(void)
{
	cublasHandle_t blas;
	cublasLtHandle_t lt;

	OK(cublasCreate(&blas));
	OK(cublasLtCreate(&lt));
	OK(ask(lt));
	OK(ask((cublasLtHandle_t)blas));
	SAME(cublasLtDestroy((cublasLtHandle_t)blas), CUBLAS_STATUS_NOT_INITIALIZED);
	OK(cublasSetStream(blas, NULL));
	SAME(cublasSetStream((cublasHandle_t)lt, NULL), CUBLAS_STATUS_NOT_INITIALIZED);
	SAME(cublasDestroy((cublasHandle_t)lt), CUBLAS_STATUS_NOT_INITIALIZED);
	OK(cublasDestroy(blas));
	SAME(ask((cublasLtHandle_t)blas), CUBLAS_STATUS_NOT_INITIALIZED);
	OK(ask(lt));
	OK(cublasLtDestroy(lt));
}

/* What a pointer leads to is not read before it is known to be a handle: it may be gone, or nothing, or a copy. */
static void is_no_handle(void)
{
	uint64_t copy[1];
	cublasLtHandle_t lt;

	OK(cublasLtCreate(&lt));
	memcpy(copy, (const void *)lt, sizeof(copy));
	SAME(ask((cublasLtHandle_t)(void *)copy), CUBLAS_STATUS_NOT_INITIALIZED);
	SAME(ask((cublasLtHandle_t)(uintptr_t)16), CUBLAS_STATUS_NOT_INITIALIZED);
	SAME(ask(NULL), CUBLAS_STATUS_NOT_INITIALIZED);
	OK(cublasLtDestroy(lt));
	SAME(ask(lt), CUBLAS_STATUS_NOT_INITIALIZED);
	SAME(cublasLtDestroy(lt), CUBLAS_STATUS_NOT_INITIALIZED);
	SAME(cublasLtDestroy((cublasLtHandle_t)(uintptr_t)16), CUBLAS_STATUS_NOT_INITIALIZED);
}

/* A handle has memory of the device; one that could not be made has given it back. */
static void leaves_nothing(void)
{
	const size_t before = free_bytes();
	cublasHandle_t handle;

	OK(cublasCreate(&handle));
	SAME(free_bytes() < before, 1);
	OK(cublasDestroy(handle));
	SAME(free_bytes(), before);
	is_failing = true;
	SAME(cublasCreate(&handle), CUBLAS_STATUS_EXECUTION_FAILED);
	is_failing = false;
	SAME(free_bytes(), before);
}

int main(void)
{
	cublasHandle_t first;

	OK(cublasCreate(&first));
	if (mistakes)
		return test_end("handle");
	leaves_nothing();
	is_no_handle();
	stands_for_the_other();
	OK(cublasDestroy(first));
	return test_end("handle");
}
