/* test_matrix.c - a matrix and a vector, and triangular systems of libcublas: shapes, transposes, sides, increments,
 * batches, against sums of doubles; a triangular system by what its solution gives. */
#include "common.h"

static cublasHandle_t handle;

static bool is_single(cudaDataType type)
{
	return type == CUDA_R_32F;
}

static int64_t at(int64_t i, int64_t n, int64_t inc)
{
	return inc < 0 ? (i - n + 1) * inc : i * inc;
}

static int64_t room(int64_t n, int64_t inc)
{
	return (n - 1) * llabs(inc) + 1;
}

/* ---- gemv ---- */

struct gemv {
	cudaDataType type;
	cublasOperation_t trans;
	int m, n, lda, incx, incy;
	double alpha, beta;
};

static void gemv_check(const struct gemv *g, const struct array *a, int64_t from_a, const struct array *x,
		       int64_t from_x, const double *old_y, const struct array *y, int64_t from_y)
{
	const bool is_plain = g->trans == CUBLAS_OP_N;
	const int rows = is_plain ? g->m : g->n, columns = is_plain ? g->n : g->m;

	for (int i = 0; i < rows; i++) {
		double sum = 0, magnitude = 0;
		const int64_t place = from_y + at(i, rows, g->incy);

		for (int k = 0; k < columns; k++) {
			const double product =
			    element(a, from_a + (is_plain ? i + (int64_t)k * g->lda : k + (int64_t)i * g->lda)) *
			    element(x, from_x + at(k, columns, g->incx));

			sum += product;
			magnitude += fabs(product);
		}
		sum = g->alpha * sum + (g->beta != 0 ? g->beta * old_y[place] : 0);
		magnitude = fabs(g->alpha) * magnitude + (g->beta != 0 ? fabs(g->beta * old_y[place]) : 0);
		NEAR(element(y, place), sum, magnitude * (columns + 4) * epsilon(g->type),
		     "gemv %d x %d, op %d, increments %d, %d: %d", g->m, g->n, g->trans, g->incx, g->incy, i);
	}
}

static double *values_of(const struct array *x)
{
	double *values = malloc(sizeof(*values) * (size_t)x->count);

	for (int64_t i = 0; i < x->count; i++)
		values[i] = element(x, i);
	return values;
}

static void gemv(const struct gemv *g)
{
	const int rows = g->trans == CUBLAS_OP_N ? g->m : g->n, columns = g->trans == CUBLAS_OP_N ? g->n : g->m;
	struct array a = array_new(g->type, (int64_t)g->lda * g->n, 1),
		     x = array_new(g->type, room(columns, g->incx), 0), y = array_new(g->type, room(rows, g->incy), 1);
	const float alpha = (float)g->alpha, beta = (float)g->beta;
	double *old;

	if (g->beta == 0)
		for (int64_t i = 0; i < y.count; i++)
			put(y.values, i, y.type, (double)NAN);
	array_to_device(&y);
	old = values_of(&y);
	OK(is_single(g->type) ? cublasSgemv(handle, g->trans, g->m, g->n, &alpha, (float *)a.at, g->lda, (float *)x.at,
					    g->incx, &beta, (float *)y.at, g->incy)
			      : cublasDgemv(handle, g->trans, g->m, g->n, &g->alpha, (double *)a.at, g->lda,
					    (double *)x.at, g->incx, &g->beta, (double *)y.at, g->incy));
	array_to_host(&y);
	gemv_check(g, &a, 0, &x, 0, old, &y, 0);
	free(old);
	array_free(&a);
	array_free(&x);
	array_free(&y);
}

static void gemv_batches(cudaDataType type)
{
	enum { M = 40, N = 12, COUNT = 3 };
	const struct gemv g = {type, CUBLAS_OP_T, M, N, M, 1, 1, 0.5, 2};
	struct array a = array_new(type, M * N * COUNT, 0), x = array_new(type, M * COUNT, 0),
		     y = array_new(type, N * COUNT, 0);
	double *old = values_of(&y), *then;
	const float alpha = 0.5f, beta = 2;
	CUdeviceptr lists[3], entries[COUNT];

	OK(is_single(type) ? cublasSgemvStridedBatched(handle, g.trans, M, N, &alpha, (float *)a.at, M, M * N,
						       (float *)x.at, 1, M, &beta, (float *)y.at, 1, N, COUNT)
			   : cublasDgemvStridedBatched(handle, g.trans, M, N, &g.alpha, (double *)a.at, M, M * N,
						       (double *)x.at, 1, M, &g.beta, (double *)y.at, 1, N, COUNT));
	array_to_host(&y);
	for (int b = 0; b < COUNT; b++)
		gemv_check(&g, &a, b * M * N, &x, b * M, old, &y, b * N);
	then = values_of(&y);
	for (int l = 0; l < 3; l++) {
		const struct array *of = l == 0 ? &a : l == 1 ? &x : &y;

		for (int b = 0; b < COUNT; b++)
			entries[b] = of->at + (CUdeviceptr)b * size_of(type) * (l == 0 ? M * N : l == 1 ? M : N);
		OK(cuMemAlloc(&lists[l], sizeof(entries)));
		OK(cuMemcpyHtoD(lists[l], entries, sizeof(entries)));
	}
	OK(is_single(type)
	       ? cublasSgemvBatched(handle, g.trans, M, N, &alpha, (const float *const *)lists[0], M,
				    (const float *const *)lists[1], 1, &beta, (float *const *)lists[2], 1, COUNT)
	       : cublasDgemvBatched(handle, g.trans, M, N, &g.alpha, (const double *const *)lists[0], M,
				    (const double *const *)lists[1], 1, &g.beta, (double *const *)lists[2], 1, COUNT));
	array_to_host(&y);
	for (int b = 0; b < COUNT; b++)
		gemv_check(&g, &a, b * M * N, &x, b * M, then, &y, b * N);
	free(old);
	free(then);
	for (int l = 0; l < 3; l++)
		OK(cuMemFree(lists[l]));
	array_free(&a);
	array_free(&x);
	array_free(&y);
}

/* ---- ger ---- */

static void ger(cudaDataType type, int m, int n, int incx, int incy)
{
	const int lda = m + 3;
	struct array a = array_new(type, (int64_t)lda * n, 0), x = array_new(type, room(m, incx), 0),
		     y = array_new(type, room(n, incy), 1);
	double *old = values_of(&a);
	const double alpha = -1.5;
	const float alpha_f = -1.5f;

	OK(is_single(type)
	       ? cublasSger(handle, m, n, &alpha_f, (float *)x.at, incx, (float *)y.at, incy, (float *)a.at, lda)
	       : cublasDger(handle, m, n, &alpha, (double *)x.at, incx, (double *)y.at, incy, (double *)a.at, lda));
	array_to_host(&a);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < lda; i++) {
			const double product =
			    i < m ? alpha * element(&x, at(i, m, incx)) * element(&y, at(j, n, incy)) : 0;

			NEAR(element(&a, i + (int64_t)j * lda), old[i + j * lda] + product,
			     i < m ? 4 * epsilon(type) * 2.5 : 0, "ger %d x %d: (%d, %d)", m, n, i, j);
		}
	free(old);
	array_free(&a);
	array_free(&x);
	array_free(&y);
}

/* ---- trsm ---- */

struct trsm {
	cudaDataType type;
	cublasSideMode_t side;
	cublasFillMode_t uplo;
	cublasOperation_t trans;
	cublasDiagType_t diag;
	int m, n, lda, ldb;
	bool is_batched;
};

/* op(A)(i, k), without what the call must not read. */
static double triangle(const struct trsm *t, const struct array *a, int i, int k)
{
	const int row = t->trans == CUBLAS_OP_N ? i : k, column = t->trans == CUBLAS_OP_N ? k : i;

	if (row == column)
		return t->diag == CUBLAS_DIAG_UNIT ? 1 : element(a, row + (int64_t)column * t->lda);
	if ((t->uplo == CUBLAS_FILL_MODE_LOWER) != (row > column))
		return 0;
	return element(a, row + (int64_t)column * t->lda);
}

static void trsm_ask(const struct trsm *t, const struct array *a, const struct array *b, const double *alpha)
{
	const float alpha_f = (float)*alpha;
	CUdeviceptr lists;

	if (!t->is_batched) {
		OK(is_single(t->type) ? cublasStrsm(handle, t->side, t->uplo, t->trans, t->diag, t->m, t->n, &alpha_f,
						    (float *)a->at, t->lda, (float *)b->at, t->ldb)
				      : cublasDtrsm(handle, t->side, t->uplo, t->trans, t->diag, t->m, t->n, alpha,
						    (double *)a->at, t->lda, (double *)b->at, t->ldb));
		return;
	}
	OK(cuMemAlloc(&lists, 2 * sizeof(CUdeviceptr)));
	OK(cuMemcpyHtoD(lists, &a->at, sizeof(a->at)));
	OK(cuMemcpyHtoD(lists + sizeof(CUdeviceptr), &b->at, sizeof(b->at)));
	OK(is_single(t->type)
	       ? cublasStrsmBatched(handle, t->side, t->uplo, t->trans, t->diag, t->m, t->n, &alpha_f,
				    (const float *const *)lists, t->lda, (float *const *)(lists + 8), t->ldb, 1)
	       : cublasDtrsmBatched(handle, t->side, t->uplo, t->trans, t->diag, t->m, t->n, alpha,
				    (const double *const *)lists, t->lda, (double *const *)(lists + 8), t->ldb, 1));
	OK(cuMemFree(lists));
}

/* What X gives must be alpha B. */
static void trsm_check(const struct trsm *t, const struct array *a, const struct array *b, const double *old,
		       double alpha)
{
	const bool is_left = t->side == CUBLAS_SIDE_LEFT;
	const int size = is_left ? t->m : t->n;

	for (int j = 0; j < t->n; j++)
		for (int i = 0; i < t->m; i++) {
			double sum = 0, magnitude = 0;

			for (int k = 0; k < size; k++) {
				const double product = is_left
							   ? triangle(t, a, i, k) * element(b, k + (int64_t)j * t->ldb)
							   : element(b, i + (int64_t)k * t->ldb) * triangle(t, a, k, j);

				sum += product;
				magnitude += fabs(product);
			}
			NEAR(sum, alpha * old[i + j * t->ldb], magnitude * (size + 3) * epsilon(t->type),
			     "trsm %d x %d, side %d, fill %d, op %d, diagonal %d: (%d, %d)", t->m, t->n, t->side,
			     t->uplo, t->trans, t->diag, i, j);
		}
}

static void trsm(struct trsm t)
{
	const int size = t.side == CUBLAS_SIDE_LEFT ? t.m : t.n;
	struct array a, b;
	double *old;
	const double alpha = 0.5;

	t.lda = size + 2;
	t.ldb = t.m + 1;
	a = array_new(t.type, (int64_t)t.lda * size, 0);
	b = array_new(t.type, (int64_t)t.ldb * t.n, 1);
	for (int i = 0; i < size; i++) { /* well conditioned; the other triangle is not to be read */
		for (int k = 0; k < size; k++)
			put(a.values, i + (int64_t)k * t.lda, t.type, element(&a, i + (int64_t)k * t.lda) / size);
		put(a.values, i + (int64_t)i * t.lda, t.type, t.diag == CUBLAS_DIAG_UNIT ? (double)NAN : 1 + i % 3);
	}
	for (int column = 0; column < size; column++)
		for (int row = 0; row < size; row++)
			if (row != column && (t.uplo == CUBLAS_FILL_MODE_LOWER) != (row > column))
				put(a.values, row + (int64_t)column * t.lda, t.type, (double)NAN);
	array_to_device(&a);
	old = values_of(&b);
	trsm_ask(&t, &a, &b, &alpha);
	array_to_host(&b);
	trsm_check(&t, &a, &b, old, alpha);
	free(old);
	array_free(&a);
	array_free(&b);
}

int main(void)
{
	static const int sizes[][2] = {{1, 1}, {33, 9}, {5, 70}, {100, 100}, {300, 3}};
	static const int increments[][2] = {{1, 1}, {2, 3}, {-1, 2}, {-2, -1}};
	unsigned int turn = 0;

	OK(cublasCreate(&handle));
	if (mistakes)
		return test_end("matrix");
	for (int type = 0; type < 2; type++) {
		const cudaDataType of = type ? CUDA_R_64F : CUDA_R_32F;

		for (int s = 0; s < 5; s++) {
			for (int op = 0; op < 3; op++, turn++)
				gemv(&(const struct gemv){of, (cublasOperation_t)op, sizes[s][0], sizes[s][1],
							  sizes[s][0] + (turn % 2 ? 0 : 3), increments[turn % 4][0],
							  increments[turn % 4][1], turn % 3 ? 1.5 : 0,
							  turn % 2 ? 0.5 : 0});
			ger(of, sizes[s][0], sizes[s][1], increments[s % 4][0], increments[s % 4][1]);
		}
		gemv_batches(of);
		for (int how = 0; how < 16; how++)
			trsm((struct trsm){of, (cublasSideMode_t)(how & 1), (cublasFillMode_t)(how >> 1 & 1),
					   (cublasOperation_t)(how >> 2 & 1), (cublasDiagType_t)(how >> 3 & 1),
					   35 - how, 20, 0, 0, how % 3 == 0});
		trsm((struct trsm){of, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 270,
				   2, 0, 0, false});
	}
	OK(cublasDestroy(handle));
	return test_end("matrix");
}
