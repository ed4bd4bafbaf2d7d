/* test_handle.c - handles of the two libraries: which stands for which, and what one that is gone is. */
#include <cublasLt.h>

#include "common.h"

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

int main(void)
{
	is_no_handle();
	stands_for_the_other();
	return test_end("handle");
}
