/* test_gemm.c - products of matrices of libcublas: types, shapes, transposes, strides, alignments, factors, batches,
 * against sums of doubles. */
#include "common.h"

/* The types of A and B, of C, of factors, and how it is computed. `slack` is the rounding of an element of A and B. */
static const struct form {
	const char *name;
	cudaDataType in, out, scale;
	cublasComputeType_t compute;
	double unit, slack;
} forms[] = {
    {"f32", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0x1p-24, 0},
    {"tf32", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 0x1p-24, 0x1p-11},
    {"f64", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 0x1p-53, 0},
    {"f16", CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0x1p-24, 0},
    {"f16 in f16", CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, 0x1p-24, 0},
    {"f16 to f32", CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0x1p-24, 0},
    {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0x1p-24, 0},
    {"bf16 to f32", CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0x1p-24, 0},
    {"s8 to s32", CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 0, 0},
    {"s8 to f32", CUDA_R_8I, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0x1p-24, 0},
};

struct problem {
	const struct form *form;
	cublasOperation_t transa, transb;
	int m, n, k, lda, ldb, ldc;
	long long stride_a, stride_b, stride_c;
	double alpha, beta;
	int batch;
};

/* An element of op(X). */
static double of(const struct array *x, cublasOperation_t trans, int row, int column, int ld, long long from)
{
	return element(x, from + (trans == CUBLAS_OP_N ? row + (int64_t)column * ld : column + (int64_t)row * ld));
}

/* Element (i, j) of batch `at`, before and after: it must be right; what lies between columns must not change. */
static void check_element(const struct problem *p, const struct array *a, const struct array *b,
			  const struct array *before, const struct array *c, int i, int j, int at)
{
	const struct form *f = p->form;
	const int64_t place = at * p->stride_c + i + (int64_t)j * p->ldc;
	double sum = 0, magnitude = 0, expected, within;

	for (int k = 0; k < p->k; k++) {
		const double product =
		    of(a, p->transa, i, k, p->lda, at * p->stride_a) * of(b, p->transb, k, j, p->ldb, at * p->stride_b);

		sum += product;
		magnitude += fabs(product);
	}
	expected = p->alpha * sum + (p->beta != 0 ? p->beta * element(before, place) : 0);
	magnitude = fabs(p->alpha) * magnitude + (p->beta != 0 ? fabs(p->beta * element(before, place)) : 0);
	within = magnitude * ((p->k + 4) * f->unit + 2.1 * f->slack) + fabs(expected) * epsilon(f->out) * 1.01;
	NEAR(element(c, place), expected, within + (f->out == CUDA_R_16F ? 0x1p-25 : 0),
	     "%s: %d x %d x %d, op %d %d, alpha %g, beta %g, batch %d: (%d, %d)", f->name, p->m, p->n, p->k, p->transa,
	     p->transb, p->alpha, p->beta, at, i, j);
}

static void check(const struct problem *p, const struct array *a, const struct array *b, const struct array *before,
		  const struct array *c)
{
	for (int at = 0; at < p->batch; at++)
		for (int j = 0; j < p->n; j++)
			for (int i = 0; i < p->ldc; i++)
				if (i < p->m)
					check_element(p, a, b, before, c, i, j, at);
				else if (j + 1 < p->n &&
					 memcmp(c->values + (size_t)(at * p->stride_c + i + (int64_t)j * p->ldc) *
								size_of(c->type),
						before->values + (size_t)(at * p->stride_c + i + (int64_t)j * p->ldc) *
								     size_of(c->type),
						size_of(c->type)))
					MISTAKE("%s: written between the columns of C", p->form->name);
}

static const void *scalar(double value, cudaDataType type, void *room)
{
	put(room, 0, type, value);
	return room;
}

/* How a product is asked for. */
enum way { PLAIN, STRIDED, LISTED, FROM_DEVICE, WAYS };

static CUdeviceptr list_of(const struct array *x, long long stride, int batch)
{
	CUdeviceptr list, entries[8];

	for (int i = 0; i < batch; i++)
		entries[i] = x->at + (CUdeviceptr)(i * stride) * size_of(x->type);
	OK(cuMemAlloc(&list, sizeof(entries)));
	OK(cuMemcpyHtoD(list, entries, sizeof(entries[0]) * (size_t)batch));
	return list;
}

static void listed(cublasHandle_t h, const struct problem *p, const struct array *a, const struct array *b,
		   const struct array *c, const void *alpha, const void *beta)
{
	const CUdeviceptr la = list_of(a, p->stride_a, p->batch), lb = list_of(b, p->stride_b, p->batch),
			  lc = list_of(c, p->stride_c, p->batch);
	const struct form *f = p->form;

	OK(cublasGemmBatchedEx(h, p->transa, p->transb, p->m, p->n, p->k, alpha, (const void *const *)la, f->in, p->lda,
			       (const void *const *)lb, f->in, p->ldb, beta, (void *const *)lc, f->out, p->ldc,
			       p->batch, f->compute, CUBLAS_GEMM_DEFAULT));
	OK(cuMemFree(la));
	OK(cuMemFree(lb));
	OK(cuMemFree(lc));
}

static void from_device(cublasHandle_t h, const struct problem *p, const struct array *a, const struct array *b,
			const struct array *c, const void *alpha, const void *beta)
{
	const struct form *f = p->form;
	CUdeviceptr scalars;

	OK(cuMemAlloc(&scalars, 16));
	OK(cuMemcpyHtoD(scalars, alpha, size_of(f->scale)));
	OK(cuMemcpyHtoD(scalars + 8, beta, size_of(f->scale)));
	OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
	OK(cublasGemmEx(h, p->transa, p->transb, p->m, p->n, p->k, (void *)scalars, (void *)a->at, f->in, p->lda,
			(void *)b->at, f->in, p->ldb, (void *)(scalars + 8), (void *)c->at, f->out, p->ldc, f->compute,
			CUBLAS_GEMM_DEFAULT_TENSOR_OP));
	OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
	OK(cuMemFree(scalars));
}

static void ask(cublasHandle_t h, const struct problem *p, const struct array *a, const struct array *b,
		const struct array *c, enum way way)
{
	const struct form *f = p->form;
	double room[2];
	const void *alpha = scalar(p->alpha, f->scale, &room[0]), *beta = scalar(p->beta, f->scale, &room[1]);

	if (way == LISTED)
		listed(h, p, a, b, c, alpha, beta);
	else if (way == FROM_DEVICE)
		from_device(h, p, a, b, c, alpha, beta);
	else if (way == STRIDED)
		OK(cublasGemmStridedBatchedEx(h, p->transa, p->transb, p->m, p->n, p->k, alpha, (void *)a->at, f->in,
					      p->lda, p->stride_a, (void *)b->at, f->in, p->ldb, p->stride_b, beta,
					      (void *)c->at, f->out, p->ldc, p->stride_c, p->batch, f->compute,
					      CUBLAS_GEMM_DEFAULT));
	else
		OK(cublasGemmEx_64(h, p->transa, p->transb, p->m, p->n, p->k, alpha, (void *)a->at, f->in, p->lda,
				   (void *)b->at, f->in, p->ldb, beta, (void *)c->at, f->out, p->ldc, f->compute,
				   CUBLAS_GEMM_DEFAULT));
}

/* `pad` lengthens the leading dimensions; `skew` moves the matrices by elements. */
static void product(cublasHandle_t h, struct problem p, int pad, int skew, enum way way)
{
	const bool is_a_plain = p.transa == CUBLAS_OP_N, is_b_plain = p.transb == CUBLAS_OP_N;
	struct array a, b, c, before;

	p.batch = way == STRIDED || way == LISTED ? 3 : 1;
	p.lda = (is_a_plain ? p.m : p.k) + pad;
	p.ldb = (is_b_plain ? p.k : p.n) + pad;
	p.ldc = p.m + pad;
	p.stride_a = (long long)p.lda * (is_a_plain ? p.k : p.m);
	p.stride_b = way == STRIDED ? 0 : (long long)p.ldb * (is_b_plain ? p.n : p.k); /* one B for all */
	p.stride_c = (long long)p.ldc * p.n + skew;
	a = array_new(p.form->in, p.stride_a * p.batch, skew);
	b = array_new(p.form->in, (long long)p.ldb * (is_b_plain ? p.n : p.k) * p.batch, skew);
	c = array_new(p.form->out, p.stride_c * p.batch, skew);
	if (p.beta == 0 && p.form->out != CUDA_R_32I) { /* it must not be read */
		for (int64_t i = 0; i < c.count; i++)
			put(c.values, i, c.type, (double)NAN);
		array_to_device(&c);
	}
	before = c;
	before.host = malloc(c.bytes);
	memcpy(before.host, c.host, c.bytes);
	before.values = before.host + (c.values - c.host);
	ask(h, &p, &a, &b, &c, way);
	array_to_host(&c);
	check(&p, &a, &b, &before, &c);
	free(before.host);
	array_free(&a);
	array_free(&b);
	array_free(&c);
}

static void all_forms(cublasHandle_t h)
{
	static const int sizes[][3] = {{1, 1, 1}, {17, 33, 5}, {64, 64, 64}, {70, 66, 48}, {3, 65, 130}, {96, 2, 31}};
	static const double factors[][2] = {{1, 0}, {-0.5, 1}, {2, 0.25}, {0, 2}};
	unsigned int turn = 0;

	/* Every form, size and transposition; the other choices take turns. */
	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
			for (int t = 0; t < 4; t++, turn++) {
				const double *factor = factors[(turn / 4 + turn) % 4];
				const bool is_whole = forms[f].scale == CUDA_R_32I;
				struct problem p = {.form = &forms[f],
						    .transa = t & 1 ? CUBLAS_OP_T : CUBLAS_OP_N,
						    .transb = t & 2 ? CUBLAS_OP_C : CUBLAS_OP_N,
						    .m = sizes[s][0],
						    .n = sizes[s][1],
						    .k = sizes[s][2],
						    .alpha = is_whole ? 2 : factor[0],
						    .beta = is_whole ? turn % 2 : factor[1]};

				product(h, p, turn % 3 ? 0 : 5, turn % 2, (enum way)(turn % 7 % WAYS));
			}
}

/* The functions that have their types in their names. */
static void named(cublasHandle_t h)
{
	const float one = 1, zero = 0;
	const double wide_one = 1, wide_zero = 0;
	const uint16_t half_one = 0x3c00, half_zero = 0;
	struct array s[3], d[3], x[3];
	const int n = 20;

	for (int i = 0; i < 3; i++) {
		s[i] = array_new(CUDA_R_32F, n * n, 0);
		d[i] = array_new(CUDA_R_64F, n * n, 0);
		x[i] = array_new(CUDA_R_16F, n * n, 0);
	}
	OK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, (float *)s[0].at, n, (float *)s[1].at, n, &zero,
		       (float *)s[2].at, n));
	OK(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &wide_one, (double *)d[0].at, n, (double *)d[1].at, n,
		       &wide_zero, (double *)d[2].at, n));
	OK(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, (const __half *)&half_one, (__half *)x[0].at, n,
		       (__half *)x[1].at, n, (const __half *)&half_zero, (__half *)x[2].at, n));
	for (int i = 0; i < 3; i++) {
		struct array *of_type = i == 0 ? s : i == 1 ? d : x;
		const struct problem p = {.form = &forms[i == 0   ? 0
							 : i == 1 ? 2
								  : 4],
					  .transb = CUBLAS_OP_T,
					  .m = n,
					  .n = n,
					  .k = n,
					  .lda = n,
					  .ldb = n,
					  .ldc = n,
					  .alpha = 1,
					  .batch = 1};

		array_to_host(&of_type[2]);
		check(&p, &of_type[0], &of_type[1], &of_type[2], &of_type[2]);
		for (int j = 0; j < 3; j++)
			array_free(&of_type[j]);
	}
}

/* Two math modes let f32 be rounded to tf32, which 1 + 2^-12 does not survive; a pedantic compute type forbids it. */
static void math_modes(cublasHandle_t h)
{
	static const struct {
		cublasMath_t mode;
		bool is_tf32;
	} modes[] = {
	    {CUBLAS_DEFAULT_MATH, false},
	    {CUBLAS_TENSOR_OP_MATH, true},
	    {CUBLAS_PEDANTIC_MATH, false},
	    {CUBLAS_TF32_TENSOR_OP_MATH, true},
	};
	const float one = 1, zero = 0, value = 1 + 0x1p-12f;
	CUdeviceptr x;
	float got;

	OK(cuMemAlloc(&x, 3 * sizeof(float)));
	OK(cuMemcpyHtoD(x, &value, sizeof(value)));
	OK(cuMemcpyHtoD(x + 4, &one, sizeof(one)));
	for (unsigned int i = 0; i < 16; i++) {
		const bool is_pedantic = i & 4, is_sum_kept = i & 8;
		const unsigned int more = is_sum_kept ? CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION : 0;

		OK(cublasSetMathMode(h, (cublasMath_t)((unsigned int)modes[i % 4].mode | more)));
		OK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, (void *)x, CUDA_R_32F, 1, (void *)(x + 4),
				CUDA_R_32F, 1, &zero, (void *)(x + 8), CUDA_R_32F, 1,
				is_pedantic ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
		OK(cuMemcpyDtoH(&got, x + 8, sizeof(got)));
		NEAR((double)got, modes[i % 4].is_tf32 && !is_pedantic ? 1 : (double)value, 0,
		     "math mode %d, pedantic %d", (int)modes[i % 4].mode, is_pedantic);
	}
	OK(cublasSetMathMode(h, CUBLAS_DEFAULT_MATH));
	OK(cuMemFree(x));
}

static void refused(cublasHandle_t h)
{
	const float one = 1;
	float *p = (float *)256;

	SAME(cublasSgemm(NULL, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, p, 1, p, 1, &one, p, 1),
	     CUBLAS_STATUS_NOT_INITIALIZED);
	SAME(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, -1, 1, 1, &one, p, 1, p, 1, &one, p, 1),
	     CUBLAS_STATUS_INVALID_VALUE);
	SAME(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, p, 1, p, 1, &one, p, 2),
	     CUBLAS_STATUS_INVALID_VALUE);
	SAME(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, NULL, p, 1, p, 1, &one, p, 1),
	     CUBLAS_STATUS_INVALID_VALUE);
	SAME(cublasSgemm(h, (cublasOperation_t)7, CUBLAS_OP_N, 1, 1, 1, &one, p, 1, p, 1, &one, p, 1),
	     CUBLAS_STATUS_INVALID_VALUE);
	SAME(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 0, 1, 1, &one, p, 1, p, 1, &one, p, 1), CUBLAS_STATUS_SUCCESS);
	SAME(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, p, CUDA_R_32F, 1, p, CUDA_R_16F, 1, &one, p,
			  CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
	     CUBLAS_STATUS_NOT_SUPPORTED);
	SAME(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, p, CUDA_R_32F, 1, p, CUDA_R_32F, 1, &one, p,
			  CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, (cublasGemmAlgo_t)77),
	     CUBLAS_STATUS_INVALID_VALUE);
}

int main(void)
{
	cublasHandle_t h;

	OK(cublasCreate(&h));
	if (mistakes)
		return test_end("gemm");
	all_forms(h);
	named(h);
	math_modes(h);
	refused(h);
	OK(cublasDestroy(h));
	SAME(cublasDestroy(h), CUBLAS_STATUS_NOT_INITIALIZED);
	return test_end("gemm");
}
