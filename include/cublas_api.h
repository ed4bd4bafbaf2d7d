/*
 * The cuBLAS API, as far as Strata's libcublas.so.13 implements it: names, values and parameters of the binary
 * interface of version 13 (cuBLAS Library reference 13.0). Include <cublas_v2.h>, which gives the functions their usual
 * names.
 *
 * Matrices are kept by columns. Vectors and matrices lie in device memory; a scalar, and the result of a reduction,
 * lies where the handle's pointer mode says. What is not implemented returns CUBLAS_STATUS_NOT_SUPPORTED and names
 * itself once on stderr.
 */
#ifndef STRATA_CUBLAS_API_H
#define STRATA_CUBLAS_API_H

#ifdef __NVCC__
#include_next <cublas_api.h>
#else

#include <driver_types.h>
#include <library_types.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUBLASAPI
#define CUBLASWINAPI
#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

typedef enum {
	CUBLAS_STATUS_SUCCESS = 0,
	CUBLAS_STATUS_NOT_INITIALIZED = 1,
	CUBLAS_STATUS_ALLOC_FAILED = 3,
	CUBLAS_STATUS_INVALID_VALUE = 7,
	CUBLAS_STATUS_ARCH_MISMATCH = 8,
	CUBLAS_STATUS_MAPPING_ERROR = 11,
	CUBLAS_STATUS_EXECUTION_FAILED = 13,
	CUBLAS_STATUS_INTERNAL_ERROR = 14,
	CUBLAS_STATUS_NOT_SUPPORTED = 15,
	CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
	CUBLAS_OP_N = 0,
	CUBLAS_OP_T = 1,
	CUBLAS_OP_C = 2,
	CUBLAS_OP_HERMITAN = 2,
	CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

/* All of -1 to 23 and of 99 to 115 are taken, and choose nothing: there is one algorithm for each shape and type. */
typedef enum {
	CUBLAS_GEMM_DFALT = -1,
	CUBLAS_GEMM_DEFAULT = -1,
	CUBLAS_GEMM_ALGO0 = 0,
	CUBLAS_GEMM_ALGO23 = 23,
	CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
	CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
	CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
	CUBLAS_GEMM_ALGO15_TENSOR_OP = 115,
	CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;

typedef enum {
	CUBLAS_DEFAULT_MATH = 0,
	CUBLAS_TENSOR_OP_MATH = 1,
	CUBLAS_PEDANTIC_MATH = 2,
	CUBLAS_TF32_TENSOR_OP_MATH = 3,
	CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
	CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
	CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef enum {
	CUBLAS_COMPUTE_16F = 64,
	CUBLAS_COMPUTE_16F_PEDANTIC = 65,
	CUBLAS_COMPUTE_32F = 68,
	CUBLAS_COMPUTE_32F_PEDANTIC = 69,
	CUBLAS_COMPUTE_64F = 70,
	CUBLAS_COMPUTE_64F_PEDANTIC = 71,
	CUBLAS_COMPUTE_32I = 72,
	CUBLAS_COMPUTE_32I_PEDANTIC = 73,
	CUBLAS_COMPUTE_32F_FAST_16F = 74,
	CUBLAS_COMPUTE_32F_FAST_16BF = 75,
	CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
	CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
	CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79
} cublasComputeType_t;

typedef cudaDataType cublasDataType_t;
typedef struct cublasContext *cublasHandle_t;
typedef struct __half __half;

/* ---- handles ---------------------------------------------------------------------------------------------------- */

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t workspace_bytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);

/* ---- functions of one form for several types: S_FORM(name, type, int) ------------------------------------------- */

/* Vectors and matrices from and to the host, an increment or a leading dimension on each side. */
#define STRATA_BLAS_VECTOR_MOVE(name, INT)                                                                             \
	cublasStatus_t name(INT n, INT element_bytes, const void *x, INT incx, void *y, INT incy)
#define STRATA_BLAS_VECTOR_MOVE_ASYNC(name, INT)                                                                       \
	cublasStatus_t name(INT n, INT element_bytes, const void *x, INT incx, void *y, INT incy, cudaStream_t stream)
#define STRATA_BLAS_MATRIX_MOVE(name, INT)                                                                             \
	cublasStatus_t name(INT rows, INT columns, INT element_bytes, const void *a, INT lda, void *b, INT ldb)
#define STRATA_BLAS_MATRIX_MOVE_ASYNC(name, INT)                                                                       \
	cublasStatus_t name(INT rows, INT columns, INT element_bytes, const void *a, INT lda, void *b, INT ldb,        \
			    cudaStream_t stream)

#define STRATA_BLAS_AXPY(name, T, INT)                                                                                 \
	cublasStatus_t name(cublasHandle_t handle, INT n, const T *alpha, const T *x, INT incx, T *y, INT incy)
#define STRATA_BLAS_SCAL(name, T, INT) cublasStatus_t name(cublasHandle_t handle, INT n, const T *alpha, T *x, INT incx)
#define STRATA_BLAS_COPY(name, T, INT)                                                                                 \
	cublasStatus_t name(cublasHandle_t handle, INT n, const T *x, INT incx, T *y, INT incy)
#define STRATA_BLAS_SWAP(name, T, INT)                                                                                 \
	cublasStatus_t name(cublasHandle_t handle, INT n, T *x, INT incx, T *y, INT incy)
#define STRATA_BLAS_DOT(name, T, INT)                                                                                  \
	cublasStatus_t name(cublasHandle_t handle, INT n, const T *x, INT incx, const T *y, INT incy, T *result)
#define STRATA_BLAS_SUM(name, T, INT)                                                                                  \
	cublasStatus_t name(cublasHandle_t handle, INT n, const T *x, INT incx, T *result)
#define STRATA_BLAS_PLACE(name, T, INT)                                                                                \
	cublasStatus_t name(cublasHandle_t handle, INT n, const T *x, INT incx, INT *result)

#define STRATA_BLAS_AXPY_EX(name, INT)                                                                                 \
	cublasStatus_t name(cublasHandle_t handle, INT n, const void *alpha, cudaDataType alpha_type, const void *x,   \
			    cudaDataType x_type, INT incx, void *y, cudaDataType y_type, INT incy,                     \
			    cudaDataType execution_type)
#define STRATA_BLAS_SCAL_EX(name, INT)                                                                                 \
	cublasStatus_t name(cublasHandle_t handle, INT n, const void *alpha, cudaDataType alpha_type, void *x,         \
			    cudaDataType x_type, INT incx, cudaDataType execution_type)
#define STRATA_BLAS_DOT_EX(name, INT)                                                                                  \
	cublasStatus_t name(cublasHandle_t handle, INT n, const void *x, cudaDataType x_type, INT incx, const void *y, \
			    cudaDataType y_type, INT incy, void *result, cudaDataType result_type,                     \
			    cudaDataType execution_type)
#define STRATA_BLAS_NRM2_EX(name, INT)                                                                                 \
	cublasStatus_t name(cublasHandle_t handle, INT n, const void *x, cudaDataType x_type, INT incx, void *result,  \
			    cudaDataType result_type, cudaDataType execution_type)

#define STRATA_BLAS_GEMV(name, T, INT)                                                                                 \
	cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, INT m, INT n, const T *alpha, const T *a,  \
			    INT lda, const T *x, INT incx, const T *beta, T *y, INT incy)
#define STRATA_BLAS_GEMV_BATCHED(name, T, INT)                                                                         \
	cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, INT m, INT n, const T *alpha,              \
			    const T *const a[], INT lda, const T *const x[], INT incx, const T *beta, T *const y[],    \
			    INT incy, INT batch_count)
#define STRATA_BLAS_GEMV_STRIDED(name, T, INT)                                                                         \
	cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, INT m, INT n, const T *alpha, const T *a,  \
			    INT lda, long long stride_a, const T *x, INT incx, long long stride_x, const T *beta,      \
			    T *y, INT incy, long long stride_y, INT batch_count)
#define STRATA_BLAS_GER(name, T, INT)                                                                                  \
	cublasStatus_t name(cublasHandle_t handle, INT m, INT n, const T *alpha, const T *x, INT incx, const T *y,     \
			    INT incy, T *a, INT lda)

#define STRATA_BLAS_GEMM(name, T, INT)                                                                                 \
	cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
			    INT k, const T *alpha, const T *a, INT lda, const T *b, INT ldb, const T *beta, T *c,      \
			    INT ldc)
#define STRATA_BLAS_GEMM_BATCHED(name, T, INT)                                                                         \
	cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
			    INT k, const T *alpha, const T *const a[], INT lda, const T *const b[], INT ldb,           \
			    const T *beta, T *const c[], INT ldc, INT batch_count)
#define STRATA_BLAS_GEMM_STRIDED(name, T, INT)                                                                         \
	cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
			    INT k, const T *alpha, const T *a, INT lda, long long stride_a, const T *b, INT ldb,       \
			    long long stride_b, const T *beta, T *c, INT ldc, long long stride_c, INT batch_count)
#define STRATA_BLAS_SGEMM_EX(name, INT)                                                                                \
	cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
			    INT k, const float *alpha, const void *a, cudaDataType a_type, INT lda, const void *b,     \
			    cudaDataType b_type, INT ldb, const float *beta, void *c, cudaDataType c_type, INT ldc)
#define STRATA_BLAS_GEMM_EX(name, INT)                                                                                 \
	cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
			    INT k, const void *alpha, const void *a, cudaDataType a_type, INT lda, const void *b,      \
			    cudaDataType b_type, INT ldb, const void *beta, void *c, cudaDataType c_type, INT ldc,     \
			    cublasComputeType_t compute_type, cublasGemmAlgo_t algo)
#define STRATA_BLAS_GEMM_BATCHED_EX(name, INT)                                                                         \
	cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
			    INT k, const void *alpha, const void *const a[], cudaDataType a_type, INT lda,             \
			    const void *const b[], cudaDataType b_type, INT ldb, const void *beta, void *const c[],    \
			    cudaDataType c_type, INT ldc, INT batch_count, cublasComputeType_t compute_type,           \
			    cublasGemmAlgo_t algo)
#define STRATA_BLAS_GEMM_STRIDED_EX(name, INT)                                                                         \
	cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
			    INT k, const void *alpha, const void *a, cudaDataType a_type, INT lda, long long stride_a, \
			    const void *b, cudaDataType b_type, INT ldb, long long stride_b, const void *beta,         \
			    void *c, cudaDataType c_type, INT ldc, long long stride_c, INT batch_count,                \
			    cublasComputeType_t compute_type, cublasGemmAlgo_t algo)

#define STRATA_BLAS_TRSM(name, T, INT)                                                                                 \
	cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                       \
			    cublasOperation_t trans, cublasDiagType_t diag, INT m, INT n, const T *alpha, const T *a,  \
			    INT lda, T *b, INT ldb)
#define STRATA_BLAS_TRSM_BATCHED(name, T, INT)                                                                         \
	cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                       \
			    cublasOperation_t trans, cublasDiagType_t diag, INT m, INT n, const T *alpha,              \
			    const T *const a[], INT lda, T *const b[], INT ldb, INT batch_count)

/* Every function of a form; those with integers of 64 bits are named with _64. */
#define STRATA_BLAS_BOTH(FORM, name, ...)                                                                              \
	FORM(name, ##__VA_ARGS__, int);                                                                                \
	FORM(name##_64, ##__VA_ARGS__, int64_t)

STRATA_BLAS_BOTH(STRATA_BLAS_VECTOR_MOVE, cublasSetVector);
STRATA_BLAS_BOTH(STRATA_BLAS_VECTOR_MOVE, cublasGetVector);
STRATA_BLAS_BOTH(STRATA_BLAS_VECTOR_MOVE_ASYNC, cublasSetVectorAsync);
STRATA_BLAS_BOTH(STRATA_BLAS_VECTOR_MOVE_ASYNC, cublasGetVectorAsync);
STRATA_BLAS_BOTH(STRATA_BLAS_MATRIX_MOVE, cublasSetMatrix);
STRATA_BLAS_BOTH(STRATA_BLAS_MATRIX_MOVE, cublasGetMatrix);
STRATA_BLAS_BOTH(STRATA_BLAS_MATRIX_MOVE_ASYNC, cublasSetMatrixAsync);
STRATA_BLAS_BOTH(STRATA_BLAS_MATRIX_MOVE_ASYNC, cublasGetMatrixAsync);

STRATA_BLAS_BOTH(STRATA_BLAS_AXPY, cublasSaxpy_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_AXPY, cublasDaxpy_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_SCAL, cublasSscal_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_SCAL, cublasDscal_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_COPY, cublasScopy_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_COPY, cublasDcopy_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_SWAP, cublasSswap_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_SWAP, cublasDswap_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_DOT, cublasSdot_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_DOT, cublasDdot_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_SUM, cublasSasum_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_SUM, cublasDasum_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_SUM, cublasSnrm2_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_SUM, cublasDnrm2_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_PLACE, cublasIsamax_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_PLACE, cublasIdamax_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_PLACE, cublasIsamin_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_PLACE, cublasIdamin_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_AXPY_EX, cublasAxpyEx);
STRATA_BLAS_BOTH(STRATA_BLAS_SCAL_EX, cublasScalEx);
STRATA_BLAS_BOTH(STRATA_BLAS_DOT_EX, cublasDotEx);
STRATA_BLAS_BOTH(STRATA_BLAS_NRM2_EX, cublasNrm2Ex);

STRATA_BLAS_BOTH(STRATA_BLAS_GEMV, cublasSgemv_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMV, cublasDgemv_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMV_BATCHED, cublasSgemvBatched, float);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMV_BATCHED, cublasDgemvBatched, double);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMV_STRIDED, cublasSgemvStridedBatched, float);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMV_STRIDED, cublasDgemvStridedBatched, double);
STRATA_BLAS_BOTH(STRATA_BLAS_GER, cublasSger_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_GER, cublasDger_v2, double);

STRATA_BLAS_BOTH(STRATA_BLAS_GEMM, cublasSgemm_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM, cublasDgemm_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM, cublasHgemm, __half);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM_BATCHED, cublasSgemmBatched, float);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM_BATCHED, cublasDgemmBatched, double);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM_BATCHED, cublasHgemmBatched, __half);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM_STRIDED, cublasSgemmStridedBatched, float);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM_STRIDED, cublasDgemmStridedBatched, double);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM_STRIDED, cublasHgemmStridedBatched, __half);
STRATA_BLAS_BOTH(STRATA_BLAS_SGEMM_EX, cublasSgemmEx);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM_EX, cublasGemmEx);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM_BATCHED_EX, cublasGemmBatchedEx);
STRATA_BLAS_BOTH(STRATA_BLAS_GEMM_STRIDED_EX, cublasGemmStridedBatchedEx);

STRATA_BLAS_BOTH(STRATA_BLAS_TRSM, cublasStrsm_v2, float);
STRATA_BLAS_BOTH(STRATA_BLAS_TRSM, cublasDtrsm_v2, double);
STRATA_BLAS_BOTH(STRATA_BLAS_TRSM_BATCHED, cublasStrsmBatched, float);
STRATA_BLAS_BOTH(STRATA_BLAS_TRSM_BATCHED, cublasDtrsmBatched, double);

#ifdef __cplusplus
}
#endif

#endif
#endif
