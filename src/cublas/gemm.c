/* gemm.c - products of matrices as libcublas has them. */
#include "cublas/blas.h"

struct gemm {
	const char *call;
	cublasOperation_t transa, transb;
	int64_t m, n, k;
	const void *alpha, *beta;
	struct blas_operand a, b, c;
	int64_t lda, ldb, ldc, batch_count;
	cudaDataType a_type, b_type, c_type;
	cublasComputeType_t compute;
};

static bool is_operation(cublasOperation_t trans)
{
	return trans == CUBLAS_OP_N || trans == CUBLAS_OP_T || trans == CUBLAS_OP_C;
}

static bool is_right(const struct gemm *g)
{
	const int64_t a_rows = g->transa == CUBLAS_OP_N ? g->m : g->k, b_rows = g->transb == CUBLAS_OP_N ? g->k : g->n;

	return is_operation(g->transa) && is_operation(g->transb) && g->m >= 0 && g->n >= 0 && g->k >= 0 &&
	       g->lda >= (a_rows > 1 ? a_rows : 1) && g->ldb >= (b_rows > 1 ? b_rows : 1) &&
	       g->ldc >= (g->m > 1 ? g->m : 1) && g->batch_count >= 0 && g->alpha && g->beta;
}

static bool is_algorithm(cublasGemmAlgo_t algo)
{
	const int n = (int)algo;

	return (n >= CUBLAS_GEMM_DEFAULT && n <= CUBLAS_GEMM_ALGO23) ||
	       (n >= CUBLAS_GEMM_DEFAULT_TENSOR_OP && n <= CUBLAS_GEMM_ALGO15_TENSOR_OP) || n == CUBLAS_GEMM_AUTOTUNE;
}

static cudaDataType scale_of(cublasComputeType_t compute)
{
	switch (compute) {
	case CUBLAS_COMPUTE_16F:
	case CUBLAS_COMPUTE_16F_PEDANTIC:
		return CUDA_R_16F;
	case CUBLAS_COMPUTE_64F:
	case CUBLAS_COMPUTE_64F_PEDANTIC:
		return CUDA_R_64F;
	case CUBLAS_COMPUTE_32I:
	case CUBLAS_COMPUTE_32I_PEDANTIC:
		return CUDA_R_32I;
	default:
		return CUDA_R_32F;
	}
}

/* The math mode says what computing single precision in single precision means. */
static cublasComputeType_t of_mode(cublasHandle_t handle, cublasComputeType_t compute, cudaDataType type)
{
	const unsigned int mode =
	    (unsigned int)handle->math_mode & ~(unsigned int)CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;

	if (compute != CUBLAS_COMPUTE_32F || type != CUDA_R_32F)
		return compute;
	switch (mode) {
	case CUBLAS_TENSOR_OP_MATH:
		return CUBLAS_COMPUTE_32F_FAST_16F;
	case CUBLAS_TF32_TENSOR_OP_MATH:
		return CUBLAS_COMPUTE_32F_FAST_TF32;
	default:
		return compute;
	}
}

static void shape(struct blas_product *p, const struct gemm *g)
{
	const bool is_a_plain = g->transa == CUBLAS_OP_N, is_b_plain = g->transb == CUBLAS_OP_N;

	p->args.a = g->a;
	p->args.a.row_stride = is_a_plain ? 1 : g->lda;
	p->args.a.column_stride = is_a_plain ? g->lda : 1;
	p->args.b = g->b;
	p->args.b.row_stride = is_b_plain ? 1 : g->ldb;
	p->args.b.column_stride = is_b_plain ? g->ldb : 1;
	p->args.c = g->c;
	p->args.c.row_stride = 1;
	p->args.c.column_stride = g->ldc;
	p->args.d = p->args.c;
	p->args.m = (int)g->m;
	p->args.n = (int)g->n;
	p->args.k = (int)g->k;
	p->args.batch_count = (int)g->batch_count;
}

static cublasStatus_t gemm(cublasHandle_t handle, const struct gemm *g, cublasGemmAlgo_t algo)
{
	struct blas_product p = {.call = g->call, .a_type = g->a_type, .b_type = g->b_type, .c_type = g->c_type};

	BLAS_ENTER(handle);
	if (!is_right(g) || !is_algorithm(algo))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (g->m > INT32_MAX || g->n > INT32_MAX || g->k > INT32_MAX || g->batch_count > INT32_MAX)
		return strata_blas_refuse(g->call, "a size above 2^31 - 1");
	p.compute = of_mode(handle, g->compute, g->a_type);
	p.scale_type = scale_of(p.compute);
	shape(&p, g);
	strata_blas_scalar(&p.args.alpha, g->alpha, p.scale_type, blas_is_device(handle));
	strata_blas_scalar(&p.args.beta, g->beta, p.scale_type, blas_is_device(handle));
	if (!g->m || !g->n || !g->batch_count)
		return strata_blas_product_check(&p);
	return strata_blas_product(&p, handle->stream);
}

#define ONE(operand, stride)                                        \
	{                                                           \
		.base = (void *)(operand), .batch_stride = (stride) \
	}
#define LIST(operand)                            \
	{                                        \
		.list = (void *const *)(operand) \
	}
#define GEMM(name, of_a, of_b, of_c, count, ta, tb, tc, how, algo)                                                    \
	gemm(handle,                                                                                                  \
	     &(const struct gemm){name, transa, transb, m, n, k, alpha, beta, of_a, of_b, of_c, lda, ldb, ldc, count, \
				  ta, tb, tc, how},                                                                   \
	     algo)
#define PLAIN(name, type, how) \
	GEMM(name, ONE(a, 0), ONE(b, 0), ONE(c, 0), 1, type, type, type, how, CUBLAS_GEMM_DEFAULT)
#define LISTS(name, type, how) \
	GEMM(name, LIST(a), LIST(b), LIST(c), batch_count, type, type, type, how, CUBLAS_GEMM_DEFAULT)
#define STRIDED(name, type, how)                                                                             \
	GEMM(name, ONE(a, stride_a), ONE(b, stride_b), ONE(c, stride_c), batch_count, type, type, type, how, \
	     CUBLAS_GEMM_DEFAULT)

BLAS_DEFINE(STRATA_BLAS_GEMM, cublasSgemm_v2, PLAIN("cublasSgemm", CUDA_R_32F, CUBLAS_COMPUTE_32F), float);
BLAS_DEFINE(STRATA_BLAS_GEMM, cublasDgemm_v2, PLAIN("cublasDgemm", CUDA_R_64F, CUBLAS_COMPUTE_64F), double);
BLAS_DEFINE(STRATA_BLAS_GEMM, cublasHgemm, PLAIN("cublasHgemm", CUDA_R_16F, CUBLAS_COMPUTE_16F), __half);
BLAS_DEFINE(STRATA_BLAS_GEMM_BATCHED, cublasSgemmBatched, LISTS("cublasSgemmBatched", CUDA_R_32F, CUBLAS_COMPUTE_32F),
	    float);
BLAS_DEFINE(STRATA_BLAS_GEMM_BATCHED, cublasDgemmBatched, LISTS("cublasDgemmBatched", CUDA_R_64F, CUBLAS_COMPUTE_64F),
	    double);
BLAS_DEFINE(STRATA_BLAS_GEMM_BATCHED, cublasHgemmBatched, LISTS("cublasHgemmBatched", CUDA_R_16F, CUBLAS_COMPUTE_16F),
	    __half);
BLAS_DEFINE(STRATA_BLAS_GEMM_STRIDED, cublasSgemmStridedBatched,
	    STRIDED("cublasSgemmStridedBatched", CUDA_R_32F, CUBLAS_COMPUTE_32F), float);
BLAS_DEFINE(STRATA_BLAS_GEMM_STRIDED, cublasDgemmStridedBatched,
	    STRIDED("cublasDgemmStridedBatched", CUDA_R_64F, CUBLAS_COMPUTE_64F), double);
BLAS_DEFINE(STRATA_BLAS_GEMM_STRIDED, cublasHgemmStridedBatched,
	    STRIDED("cublasHgemmStridedBatched", CUDA_R_16F, CUBLAS_COMPUTE_16F), __half);
BLAS_DEFINE(STRATA_BLAS_SGEMM_EX, cublasSgemmEx,
	    GEMM("cublasSgemmEx", ONE(a, 0), ONE(b, 0), ONE(c, 0), 1, a_type, b_type, c_type, CUBLAS_COMPUTE_32F,
		 CUBLAS_GEMM_DEFAULT));
BLAS_DEFINE(STRATA_BLAS_GEMM_EX, cublasGemmEx,
	    GEMM("cublasGemmEx", ONE(a, 0), ONE(b, 0), ONE(c, 0), 1, a_type, b_type, c_type, compute_type, algo));
BLAS_DEFINE(STRATA_BLAS_GEMM_BATCHED_EX, cublasGemmBatchedEx,
	    GEMM("cublasGemmBatchedEx", LIST(a), LIST(b), LIST(c), batch_count, a_type, b_type, c_type, compute_type,
		 algo));
BLAS_DEFINE(STRATA_BLAS_GEMM_STRIDED_EX, cublasGemmStridedBatchedEx,
	    GEMM("cublasGemmStridedBatchedEx", ONE(a, stride_a), ONE(b, stride_b), ONE(c, stride_c), batch_count,
		 a_type, b_type, c_type, compute_type, algo));
