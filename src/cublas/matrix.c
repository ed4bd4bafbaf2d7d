/* matrix.c - a matrix and a vector (gemv, ger), triangular systems (trsm). */
#include "cublas/blas.h"

enum { LANES = 32, GROUPS = 8, BATCH_MAX = 65535, THREADS = 256 };

static bool is_operation(cublasOperation_t trans)
{
	return trans == CUBLAS_OP_N || trans == CUBLAS_OP_T || trans == CUBLAS_OP_C;
}

static unsigned int blocks_of(int64_t n, int64_t each)
{
	return (unsigned int)((n + each - 1) / each);
}

static unsigned int batch_blocks(int64_t count)
{
	return (unsigned int)(count < BATCH_MAX ? count : BATCH_MAX);
}

/* ---- gemv ---- */

/* Operands that a form of gemv does not have are zero. */
struct gemv {
	cublasOperation_t trans;
	int64_t m, n;
	const void *alpha, *beta;
	struct blas_operand a, x, y;
	int64_t lda, incx, incy, batch_count;
	bool is_double;
};

/* Element 0 of a vector is behind the others where its increment is negative; a list's vectors begin where they begin.
 */
static bool vector_start(struct blas_operand *o, int64_t n, int64_t inc, size_t bytes)
{
	o->row_stride = inc;
	if (inc >= 0)
		return true;
	o->base = (char *)o->base + (n - 1) * -inc * (int64_t)bytes;
	return !o->list;
}

static cublasStatus_t gemv_run(cublasHandle_t handle, struct gemv *g, struct blas_gemv_args *args)
{
	const cudaDataType type = g->is_double ? CUDA_R_64F : CUDA_R_32F;
	const bool by_lane = g->trans == CUBLAS_OP_N;

	if (strata_blas_is_zero(&args->alpha, type))
		args->columns = 0; /* A and x are not read */
	return strata_blas_launch(BLAS_MATRIX,
				  by_lane ? (g->is_double ? "blas_gemv_by_lane_f64" : "blas_gemv_by_lane_f32")
					  : (g->is_double ? "blas_gemv_by_warp_f64" : "blas_gemv_by_warp_f32"),
				  (struct blas_grid){blocks_of(args->rows, by_lane ? LANES : GROUPS), 1,
						     batch_blocks(args->batch_count), LANES, GROUPS},
				  args, handle->stream);
}

static cublasStatus_t gemv(cublasHandle_t handle, struct gemv g)
{
	const bool is_plain = g.trans == CUBLAS_OP_N;
	const cudaDataType type = g.is_double ? CUDA_R_64F : CUDA_R_32F;
	const size_t bytes = g.is_double ? sizeof(double) : sizeof(float);
	const int64_t rows = is_plain ? g.m : g.n, columns = is_plain ? g.n : g.m;
	struct blas_gemv_args args = {.rows = (int)rows, .columns = (int)columns, .batch_count = (int)g.batch_count};

	BLAS_ENTER(handle);
	if (!is_operation(g.trans) || g.m < 0 || g.n < 0 || g.lda < (g.m > 1 ? g.m : 1) || !g.incx || !g.incy ||
	    g.batch_count < 0 || !g.alpha || !g.beta)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (g.m > INT32_MAX || g.n > INT32_MAX || g.batch_count > INT32_MAX)
		return strata_blas_refuse("gemv", "a size above 2^31 - 1");
	if (!g.m || !g.n || !g.batch_count)
		return CUBLAS_STATUS_SUCCESS;
	g.a.row_stride = is_plain ? 1 : g.lda;
	g.a.column_stride = is_plain ? g.lda : 1;
	if (!vector_start(&g.x, columns, g.incx, bytes) || !vector_start(&g.y, rows, g.incy, bytes))
		return strata_blas_refuse("gemvBatched", "a negative increment");
	args.a = g.a;
	args.x = g.x;
	args.y = g.y;
	strata_blas_scalar(&args.alpha, g.alpha, type, blas_is_device(handle));
	strata_blas_scalar(&args.beta, g.beta, type, blas_is_device(handle));
	return gemv_run(handle, &g, &args);
}

#define ONE(operand, stride)                                        \
	{                                                           \
		.base = (void *)(operand), .batch_stride = (stride) \
	}
#define LIST(operand)                            \
	{                                        \
		.list = (void *const *)(operand) \
	}
#define GEMV(is_wide, of_a, of_x, of_y, count) \
	gemv(handle, (struct gemv){trans, m, n, alpha, beta, of_a, of_x, of_y, lda, incx, incy, count, is_wide})
#define GEMV_PLAIN(is_wide) GEMV(is_wide, ONE(a, 0), ONE(x, 0), ONE(y, 0), 1)
#define GEMV_LIST(is_wide) GEMV(is_wide, LIST(a), LIST(x), LIST(y), batch_count)
#define GEMV_STRIDED(is_wide) GEMV(is_wide, ONE(a, stride_a), ONE(x, stride_x), ONE(y, stride_y), batch_count)

BLAS_DEFINE(STRATA_BLAS_GEMV, cublasSgemv_v2, GEMV_PLAIN(false), float);
BLAS_DEFINE(STRATA_BLAS_GEMV, cublasDgemv_v2, GEMV_PLAIN(true), double);
BLAS_DEFINE(STRATA_BLAS_GEMV_BATCHED, cublasSgemvBatched, GEMV_LIST(false), float);
BLAS_DEFINE(STRATA_BLAS_GEMV_BATCHED, cublasDgemvBatched, GEMV_LIST(true), double);
BLAS_DEFINE(STRATA_BLAS_GEMV_STRIDED, cublasSgemvStridedBatched, GEMV_STRIDED(false), float);
BLAS_DEFINE(STRATA_BLAS_GEMV_STRIDED, cublasDgemvStridedBatched, GEMV_STRIDED(true), double);

/* ---- ger ---- */

static cublasStatus_t ger(cublasHandle_t handle, int64_t m, int64_t n, const void *alpha, const void *x, int64_t incx,
			  const void *y, int64_t incy, void *a, int64_t lda, bool is_double)
{
	const cudaDataType type = is_double ? CUDA_R_64F : CUDA_R_32F;
	const size_t bytes = is_double ? sizeof(double) : sizeof(float);
	struct blas_operand of_x = ONE(x, 0), of_y = ONE(y, 0);
	struct blas_ger_args args = {.a = a, .lda = lda, .rows = (int)m, .columns = (int)n};

	BLAS_ENTER(handle);
	if (m < 0 || n < 0 || !incx || !incy || lda < (m > 1 ? m : 1) || !alpha)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (m > INT32_MAX || n > INT32_MAX)
		return strata_blas_refuse("ger", "a size above 2^31 - 1");
	strata_blas_scalar(&args.alpha, alpha, type, blas_is_device(handle));
	if (!m || !n || strata_blas_is_zero(&args.alpha, type))
		return CUBLAS_STATUS_SUCCESS;
	vector_start(&of_x, m, incx, bytes);
	vector_start(&of_y, n, incy, bytes);
	args.x = of_x.base;
	args.incx = incx;
	args.y = of_y.base;
	args.incy = incy;
	return strata_blas_launch(
	    BLAS_MATRIX, is_double ? "blas_ger_f64" : "blas_ger_f32",
	    (struct blas_grid){blocks_of(m, THREADS), batch_blocks(blocks_of(n, GROUPS)), 1, THREADS, 1}, &args,
	    handle->stream);
}

BLAS_DEFINE(STRATA_BLAS_GER, cublasSger_v2, ger(handle, m, n, alpha, x, incx, y, incy, a, lda, false), float);
BLAS_DEFINE(STRATA_BLAS_GER, cublasDger_v2, ger(handle, m, n, alpha, x, incx, y, incy, a, lda, true), double);

/* ---- trsm ---- */

struct trsm {
	cublasSideMode_t side;
	cublasFillMode_t uplo;
	cublasOperation_t trans;
	cublasDiagType_t diag;
	int64_t m, n;
	const void *alpha;
	struct blas_operand a, b;
	int64_t lda, ldb, batch_count;
	bool is_double;
};

static bool is_trsm(const struct trsm *t, int64_t size)
{
	return (t->side == CUBLAS_SIDE_LEFT || t->side == CUBLAS_SIDE_RIGHT) &&
	       (t->uplo == CUBLAS_FILL_MODE_LOWER || t->uplo == CUBLAS_FILL_MODE_UPPER) && is_operation(t->trans) &&
	       (t->diag == CUBLAS_DIAG_NON_UNIT || t->diag == CUBLAS_DIAG_UNIT) && t->m >= 0 && t->n >= 0 &&
	       t->lda >= (size > 1 ? size : 1) && t->ldb >= (t->m > 1 ? t->m : 1) && t->batch_count >= 0 && t->alpha;
}

/* X op(A) = B is op(A)' X' = B': the vectors are then the rows of B. */
static cublasStatus_t trsm(cublasHandle_t handle, struct trsm t)
{
	const bool is_left = t.side == CUBLAS_SIDE_LEFT, is_turned = (t.trans != CUBLAS_OP_N) == is_left;
	const int64_t size = is_left ? t.m : t.n, count = is_left ? t.n : t.m;
	struct blas_trsm_args args = {
	    .a = t.a,
	    .b = t.b,
	    .size = (int)size,
	    .vector_count = (int)count,
	    .batch_count = (int)t.batch_count,
	    .is_backward = (t.uplo == CUBLAS_FILL_MODE_LOWER) == is_turned,
	    .is_unit = t.diag == CUBLAS_DIAG_UNIT,
	};

	BLAS_ENTER(handle);
	if (!is_trsm(&t, size))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (t.m > INT32_MAX || t.n > INT32_MAX || t.batch_count > INT32_MAX)
		return strata_blas_refuse("trsm", "a size above 2^31 - 1");
	if (!t.m || !t.n || !t.batch_count)
		return CUBLAS_STATUS_SUCCESS;
	args.a.row_stride = is_turned ? t.lda : 1;
	args.a.column_stride = is_turned ? 1 : t.lda;
	args.b.row_stride = is_left ? 1 : t.ldb;
	args.b.column_stride = is_left ? t.ldb : 1;
	strata_blas_scalar(&args.alpha, t.alpha, t.is_double ? CUDA_R_64F : CUDA_R_32F, blas_is_device(handle));
	return strata_blas_launch(BLAS_MATRIX, t.is_double ? "blas_trsm_f64" : "blas_trsm_f32",
				  (struct blas_grid){(uint64_t)count, batch_blocks(t.batch_count), 1,
						     size < THREADS ? blocks_of(size, LANES) * LANES : THREADS, 1},
				  &args, handle->stream);
}

#define TRSM(is_wide, of_a, of_b, count) \
	trsm(handle, (struct trsm){side, uplo, trans, diag, m, n, alpha, of_a, of_b, lda, ldb, count, is_wide})

BLAS_DEFINE(STRATA_BLAS_TRSM, cublasStrsm_v2, TRSM(false, ONE(a, 0), ONE(b, 0), 1), float);
BLAS_DEFINE(STRATA_BLAS_TRSM, cublasDtrsm_v2, TRSM(true, ONE(a, 0), ONE(b, 0), 1), double);
BLAS_DEFINE(STRATA_BLAS_TRSM_BATCHED, cublasStrsmBatched, TRSM(false, LIST(a), LIST(b), batch_count), float);
BLAS_DEFINE(STRATA_BLAS_TRSM_BATCHED, cublasDtrsmBatched, TRSM(true, LIST(a), LIST(b), batch_count), double);
