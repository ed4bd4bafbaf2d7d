/* vector.c - vectors: axpy, scal, copy, swap, and what makes one number of them. */
#include "cublas/blas.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 256 };

/* A kernel's name behind the operation; NULL: the type has none. */
static const char *suffix(cudaDataType type)
{
	switch (type) {
	case CUDA_R_32F:
		return "f32";
	case CUDA_R_64F:
		return "f64";
	case CUDA_R_16F:
		return "f16";
	case CUDA_R_16BF:
		return "bf16";
	default:
		return NULL;
	}
}

static size_t bytes_of(cudaDataType type)
{
	return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

/* Element 0: with a negative increment, the last one in memory. */
static const void *start(const void *x, int64_t n, int64_t inc, size_t bytes)
{
	return inc < 0 ? (const char *)x + (n - 1) * -inc * (int64_t)bytes : x;
}

static struct blas_grid grid_of(int64_t n, bool is_reduction)
{
	const uint64_t blocks = ((uint64_t)n + THREADS - 1) / THREADS;
	const uint64_t most = is_reduction ? BLAS_BLOCKS_MAX : 1 << 16;

	return (struct blas_grid){blocks < most ? blocks : most, 1, 1, THREADS, 1};
}

static cublasStatus_t run(cublasHandle_t handle, const char *operation, const char *type, struct blas_vector_args *args)
{
	char kernel[32];

	snprintf(kernel, sizeof(kernel), "blas_%s_%s", operation, type);
	return strata_blas_launch(BLAS_VECTOR, kernel, grid_of(args->n, false), args, handle->stream);
}

static cublasStatus_t axpy(cublasHandle_t handle, int64_t n, const void *alpha, const void *x, int64_t incx, void *y,
			   int64_t incy, cudaDataType type)
{
	struct blas_vector_args args = {.n = n, .incx = incx, .incy = incy};
	const cudaDataType scale = type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F;

	BLAS_ENTER(handle);
	if (!alpha || (n > 0 && (!x || !y)))
		return CUBLAS_STATUS_INVALID_VALUE;
	strata_blas_scalar(&args.alpha, alpha, scale, blas_is_device(handle));
	if (n <= 0 || strata_blas_is_zero(&args.alpha, scale))
		return CUBLAS_STATUS_SUCCESS;
	args.x = start(x, n, incx, bytes_of(type));
	args.y = (void *)start(y, n, incy, bytes_of(type));
	return run(handle, "axpy", suffix(type), &args);
}

static cublasStatus_t scal(cublasHandle_t handle, int64_t n, const void *alpha, void *x, int64_t incx,
			   cudaDataType type)
{
	struct blas_vector_args args = {.y = x, .n = n, .incy = incx};

	BLAS_ENTER(handle);
	if (!alpha || (n > 0 && !x))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n <= 0 || incx <= 0)
		return CUBLAS_STATUS_SUCCESS;
	strata_blas_scalar(&args.alpha, alpha, type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F, blas_is_device(handle));
	return run(handle, "scal", suffix(type), &args);
}

static cublasStatus_t move(cublasHandle_t handle, const char *operation, int64_t n, const void *x, int64_t incx,
			   void *y, int64_t incy, size_t bytes)
{
	struct blas_vector_args args = {.n = n, .incx = incx, .incy = incy};

	BLAS_ENTER(handle);
	if (n > 0 && (!x || !y))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	args.x = start(x, n, incx, bytes);
	args.y = (void *)start(y, n, incy, bytes);
	return run(handle, operation, bytes == sizeof(double) ? "b64" : "b32", &args);
}

BLAS_DEFINE(STRATA_BLAS_AXPY, cublasSaxpy_v2, axpy(handle, n, alpha, x, incx, y, incy, CUDA_R_32F), float);
BLAS_DEFINE(STRATA_BLAS_AXPY, cublasDaxpy_v2, axpy(handle, n, alpha, x, incx, y, incy, CUDA_R_64F), double);
BLAS_DEFINE(STRATA_BLAS_SCAL, cublasSscal_v2, scal(handle, n, alpha, x, incx, CUDA_R_32F), float);
BLAS_DEFINE(STRATA_BLAS_SCAL, cublasDscal_v2, scal(handle, n, alpha, x, incx, CUDA_R_64F), double);
BLAS_DEFINE(STRATA_BLAS_COPY, cublasScopy_v2, move(handle, "copy", n, x, incx, y, incy, sizeof(*x)), float);
BLAS_DEFINE(STRATA_BLAS_COPY, cublasDcopy_v2, move(handle, "copy", n, x, incx, y, incy, sizeof(*x)), double);
BLAS_DEFINE(STRATA_BLAS_SWAP, cublasSswap_v2, move(handle, "swap", n, x, incx, y, incy, sizeof(*x)), float);
BLAS_DEFINE(STRATA_BLAS_SWAP, cublasDswap_v2, move(handle, "swap", n, x, incx, y, incy, sizeof(*x)), double);

/* ---- one number ---- */

struct reduction {
	const char *operation;
	cudaDataType type;
	int64_t n, incx, incy;
	const void *x, *y; /* y: NULL, it takes one vector */
	void *result;
	size_t result_bytes;
};

static cublasStatus_t give_zero(cublasHandle_t handle, const struct reduction *r)
{
	if (blas_is_device(handle))
		return strata_blas_status(cuMemsetD8Async((CUdeviceptr)r->result, 0, r->result_bytes, handle->stream));
	memset(r->result, 0, r->result_bytes);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t to_host(cublasHandle_t handle, const struct reduction *r, CUdeviceptr from)
{
	CUresult e = cuMemcpyDtoHAsync(r->result, from, r->result_bytes, handle->stream);

	if (e == CUDA_SUCCESS)
		e = cuStreamSynchronize(handle->stream);
	return strata_blas_status(e);
}

static cublasStatus_t reduce(cublasHandle_t handle, const struct reduction *r)
{
	const CUdeviceptr counter = handle->reduction, kept = counter + BLAS_PARTIAL_BYTES;
	const size_t bytes = bytes_of(r->type);
	char kernel[32];
	struct blas_reduce_args args = {
	    .n = r->n,
	    .incx = r->incx,
	    .incy = r->incy,
	    .partials = (void *)(kept + BLAS_PARTIAL_BYTES),
	    .counter = (unsigned int *)counter,
	    .result = blas_is_device(handle) ? r->result : (void *)kept,
	    .is_result_half = r->result_bytes == sizeof(uint16_t),
	    .is_index_wide = r->result_bytes == sizeof(int64_t),
	};
	cublasStatus_t status;

	if (!r->result || (r->n > 0 && !r->x))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (r->n <= 0 || (!r->y && r->incx <= 0))
		return give_zero(handle, r);
	args.x = start(r->x, r->n, r->incx, bytes);
	args.y = r->y ? start(r->y, r->n, r->incy, bytes) : NULL;
	snprintf(kernel, sizeof(kernel), "blas_%s_%s", r->operation, suffix(r->type));
	status = strata_blas_launch(BLAS_VECTOR, kernel, grid_of(r->n, true), &args, handle->stream);
	if (status == CUBLAS_STATUS_SUCCESS && !blas_is_device(handle))
		status = to_host(handle, r, kept);
	return status;
}

static cublasStatus_t dot(cublasHandle_t handle, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy,
			  void *result, cudaDataType type)
{
	BLAS_ENTER(handle);
	if (n > 0 && !y)
		return CUBLAS_STATUS_INVALID_VALUE;
	return reduce(handle, &(const struct reduction){"dot", type, n, incx, incy, x, y, result, bytes_of(type)});
}

static cublasStatus_t of_one(cublasHandle_t handle, const char *operation, int64_t n, const void *x, int64_t incx,
			     void *result, size_t result_bytes, cudaDataType type)
{
	BLAS_ENTER(handle);
	return reduce(handle, &(const struct reduction){operation, type, n, incx, 0, x, NULL, result, result_bytes});
}

#define OF_ONE(operation, type) of_one(handle, operation, n, x, incx, result, sizeof(*result), type)

BLAS_DEFINE(STRATA_BLAS_DOT, cublasSdot_v2, dot(handle, n, x, incx, y, incy, result, CUDA_R_32F), float);
BLAS_DEFINE(STRATA_BLAS_DOT, cublasDdot_v2, dot(handle, n, x, incx, y, incy, result, CUDA_R_64F), double);
BLAS_DEFINE(STRATA_BLAS_SUM, cublasSasum_v2, OF_ONE("asum", CUDA_R_32F), float);
BLAS_DEFINE(STRATA_BLAS_SUM, cublasDasum_v2, OF_ONE("asum", CUDA_R_64F), double);
BLAS_DEFINE(STRATA_BLAS_SUM, cublasSnrm2_v2, OF_ONE("nrm2", CUDA_R_32F), float);
BLAS_DEFINE(STRATA_BLAS_SUM, cublasDnrm2_v2, OF_ONE("nrm2", CUDA_R_64F), double);
BLAS_DEFINE(STRATA_BLAS_PLACE, cublasIsamax_v2, OF_ONE("amax", CUDA_R_32F), float);
BLAS_DEFINE(STRATA_BLAS_PLACE, cublasIdamax_v2, OF_ONE("amax", CUDA_R_64F), double);
BLAS_DEFINE(STRATA_BLAS_PLACE, cublasIsamin_v2, OF_ONE("amin", CUDA_R_32F), float);
BLAS_DEFINE(STRATA_BLAS_PLACE, cublasIdamin_v2, OF_ONE("amin", CUDA_R_64F), double);

/* ---- types given by value: all operands of one type, executed in float, or all in double ---- */

static bool is_known(cudaDataType type, cudaDataType other, cudaDataType scale, cudaDataType execution)
{
	const cudaDataType expected = type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F;

	return suffix(type) && other == type && scale == expected && execution == expected;
}

#define OF_TYPES(name, is_right, call) ((is_right) ? (call) : strata_blas_refuse(name, "this combination of types"))

BLAS_DEFINE(STRATA_BLAS_AXPY_EX, cublasAxpyEx,
	    OF_TYPES("cublasAxpyEx", is_known(x_type, y_type, alpha_type, execution_type),
		     axpy(handle, n, alpha, x, incx, y, incy, x_type)));
BLAS_DEFINE(STRATA_BLAS_SCAL_EX, cublasScalEx,
	    OF_TYPES("cublasScalEx", is_known(x_type, x_type, alpha_type, execution_type),
		     scal(handle, n, alpha, x, incx, x_type)));
BLAS_DEFINE(STRATA_BLAS_DOT_EX, cublasDotEx,
	    OF_TYPES("cublasDotEx", is_known(x_type, y_type, execution_type, execution_type) && result_type == x_type,
		     dot(handle, n, x, incx, y, incy, result, x_type)));
BLAS_DEFINE(STRATA_BLAS_NRM2_EX, cublasNrm2Ex,
	    OF_TYPES("cublasNrm2Ex", is_known(x_type, result_type, execution_type, execution_type),
		     of_one(handle, "nrm2", n, x, incx, result, bytes_of(x_type), x_type)));
