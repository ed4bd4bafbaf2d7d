/* args.h - what a kernel of the BLAS is launched with: the same structures for the host, which fills them, and the
 * kernels, which take them by value. Strides count elements. */
#ifndef STRATA_CUBLAS_ARGS_H
#define STRATA_CUBLAS_ARGS_H

/* A factor: a value, or where the device finds it. */
struct blas_scalar {
	const void *address; /* device memory; NULL: the value counts */
	union {
		float f;
		double d;
		int i;
	} value;
	int is_half; /* what lies at the address is an f16; the value is a float all the same */
	int unused;
};

/* Operands of which a batch has one each: `list` in device memory, or `base` and a stride; an offset behind either. */
struct blas_operand {
	void *base;
	void *const *list;
	long long batch_stride;
	long long row_stride, column_stride;
};

struct blas_vector_args {
	const void *x;
	void *y;
	long long n, incx, incy; /* increments may be negative: x and y are where element 0 is */
	struct blas_scalar alpha;
};

struct blas_reduce_args {
	const void *x, *y;
	long long n, incx, incy;
	void *partials;	       /* one of 16 bytes for each block of the grid */
	unsigned int *counter; /* 0 before and after a launch */
	void *result;
	int is_result_half, is_index_wide;
};

struct blas_gemv_args {
	struct blas_operand a, x, y; /* of x and y, row_stride is the increment */
	int rows, columns;	     /* of op(A) */
	int batch_count;
	struct blas_scalar alpha, beta;
};

struct blas_ger_args {
	const void *x, *y;
	void *a;
	long long incx, incy, lda;
	int rows, columns;
	struct blas_scalar alpha;
};

/* B := alpha inv(M) B for vectors of B; M is lower triangular once `is_backward` has turned it round. */
struct blas_trsm_args {
	struct blas_operand a; /* M(i, k) at i * row_stride + k * column_stride */
	struct blas_operand b; /* element e of vector v at e * row_stride + v * column_stride */
	int size, vector_count, batch_count;
	int is_backward, is_unit;
	struct blas_scalar alpha;
};

enum {
	BLAS_EPILOGUE_RELU = 1,
	BLAS_EPILOGUE_GELU = 2,
	BLAS_EPILOGUE_BIAS = 4,
	BLAS_EPILOGUE_KEEP = 8,	       /* what goes into the activation is stored at aux */
	BLAS_EPILOGUE_GELU_SLOPE = 16, /* times the slope of GELU at aux */
};

enum { BLAS_TILE_K_WORDS = 16 }; /* of the tensor kernels: words of 32 bits of K that a block keeps at a time */

struct blas_gemm_args {
	struct blas_operand a, b, c, d; /* a: rows M, columns K; b: rows K, columns N */
	int m, n, k;
	int batch_count;
	int m_tiles;
	int is_a_along_k, is_b_along_k; /* which way neighbouring lanes load */
	int is_a_wide, is_b_wide;	/* along K, and each 16 bytes aligned: loaded so (tensor kernels) */
	int epilogue;
	int is_bias_float;	 /* else of D's type */
	const void *bias;	 /* one for each row */
	void *aux;		 /* of D's type */
	long long aux_stride;	 /* of its columns */
	long long aux_batch, bias_batch;
	struct blas_scalar alpha, beta;
};

#endif
