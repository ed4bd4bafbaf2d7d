/* transfer.c - vectors and matrices from and to the host: one copy of a box each. */
#include "cublas/blas.h"

struct move {
	int64_t rows, columns, element_bytes, from_ld, to_ld;
	const void *from;
	void *to;
	bool is_to_device, is_async;
	CUstream stream;
};

static void ends(const struct move *m, CUDA_MEMCPY2D *c)
{
	c->srcPitch = (size_t)(m->from_ld * m->element_bytes);
	c->dstPitch = (size_t)(m->to_ld * m->element_bytes);
	c->WidthInBytes = (size_t)(m->rows * m->element_bytes);
	c->Height = (size_t)m->columns;
	if (m->is_to_device) {
		c->srcMemoryType = CU_MEMORYTYPE_HOST;
		c->srcHost = m->from;
		c->dstMemoryType = CU_MEMORYTYPE_DEVICE;
		c->dstDevice = (CUdeviceptr)m->to;
	} else {
		c->srcMemoryType = CU_MEMORYTYPE_DEVICE;
		c->srcDevice = (CUdeviceptr)m->from;
		c->dstMemoryType = CU_MEMORYTYPE_HOST;
		c->dstHost = m->to;
	}
}

static cublasStatus_t move(const struct move *m)
{
	CUDA_MEMCPY2D c = {0};
	cublasStatus_t status;

	if (m->rows < 0 || m->columns < 0 || m->element_bytes <= 0 || m->from_ld < m->rows || m->to_ld < m->rows)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!m->rows || !m->columns)
		return CUBLAS_STATUS_SUCCESS;
	status = strata_blas_begin();
	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	ends(m, &c);

	const CUresult e = m->is_async ? cuMemcpy2DAsync(&c, m->stream) : cuMemcpy2DUnaligned(&c);

	return e == CUDA_ERROR_INVALID_VALUE ? CUBLAS_STATUS_MAPPING_ERROR : strata_blas_status(e);
}

/* A vector with increments is a matrix of one row; without them, of one column. */
static cublasStatus_t move_vector(struct move m, int64_t n, int64_t incx, int64_t incy)
{
	if (n < 0 || incx <= 0 || incy <= 0)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (incx == 1 && incy == 1) {
		m.rows = m.from_ld = m.to_ld = n;
		m.columns = 1;
	} else {
		m.rows = 1;
		m.columns = n;
		m.from_ld = incx;
		m.to_ld = incy;
	}
	return move(&m);
}

#define VECTOR(is_to, is_later, on)                               \
	move_vector((struct move){.element_bytes = element_bytes, \
				  .from = x,                      \
				  .to = y,                        \
				  .is_to_device = is_to,          \
				  .is_async = is_later,           \
				  .stream = on},                  \
		    n, incx, incy)
#define MATRIX(is_to, is_later, on)                               \
	move(&(const struct move){.rows = rows,                   \
				  .columns = columns,             \
				  .element_bytes = element_bytes, \
				  .from_ld = lda,                 \
				  .to_ld = ldb,                   \
				  .from = a,                      \
				  .to = b,                        \
				  .is_to_device = is_to,          \
				  .is_async = is_later,           \
				  .stream = on})

BLAS_DEFINE(STRATA_BLAS_VECTOR_MOVE, cublasSetVector, VECTOR(true, false, NULL));
BLAS_DEFINE(STRATA_BLAS_VECTOR_MOVE, cublasGetVector, VECTOR(false, false, NULL));
BLAS_DEFINE(STRATA_BLAS_VECTOR_MOVE_ASYNC, cublasSetVectorAsync, VECTOR(true, true, stream));
BLAS_DEFINE(STRATA_BLAS_VECTOR_MOVE_ASYNC, cublasGetVectorAsync, VECTOR(false, true, stream));
BLAS_DEFINE(STRATA_BLAS_MATRIX_MOVE, cublasSetMatrix, MATRIX(true, false, NULL));
BLAS_DEFINE(STRATA_BLAS_MATRIX_MOVE, cublasGetMatrix, MATRIX(false, false, NULL));
BLAS_DEFINE(STRATA_BLAS_MATRIX_MOVE_ASYNC, cublasSetMatrixAsync, MATRIX(true, true, stream));
BLAS_DEFINE(STRATA_BLAS_MATRIX_MOVE_ASYNC, cublasGetMatrixAsync, MATRIX(false, true, stream));
