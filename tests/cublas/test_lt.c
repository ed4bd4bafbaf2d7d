/* test_lt.c - cublasLt: products with epilogues, biases, orders, batches, all types; what its heuristic says, and what
 * it refuses. */
#include <cublasLt.h>

#include "common.h"

static cublasLtHandle_t handle;

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
    {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0x1p-24, 0},
    {"s8", CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 0, 0},
};

struct problem {
	const struct form *form;
	int m, n, k;
	int32_t transa, transb;
	bool is_row[4]; /* A, B, C, D by rows */
	double alpha, beta;
	uint32_t epilogue;
	bool is_bias_float;
	int batch;
};

/* A matrix of a problem: its values, and where (i, j) of it is. */
struct matrix {
	struct array values;
	cublasLtMatrixLayout_t layout;
	int rows, columns, ld;
	bool is_row;
	int64_t batch_stride;
};

static double value(const struct matrix *x, int batch, int i, int j)
{
	return element(&x->values,
		       batch * x->batch_stride + (x->is_row ? j + (int64_t)i * x->ld : i + (int64_t)j * x->ld));
}

static struct matrix matrix_new(cudaDataType type, int rows, int columns, bool is_row, int batch)
{
	struct matrix x = {.rows = rows, .columns = columns, .is_row = is_row, .ld = (is_row ? columns : rows) + 3};
	const int32_t order = is_row ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;

	x.batch_stride = (int64_t)x.ld * (is_row ? rows : columns);
	x.values = array_new(type, x.batch_stride * batch, 0);
	OK(cublasLtMatrixLayoutCreate(&x.layout, type, (uint64_t)rows, (uint64_t)columns, x.ld));
	OK(cublasLtMatrixLayoutSetAttribute(x.layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof(order)));
	OK(cublasLtMatrixLayoutSetAttribute(x.layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof(batch)));
	OK(cublasLtMatrixLayoutSetAttribute(x.layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &x.batch_stride,
					    sizeof(x.batch_stride)));
	return x;
}

static void matrix_free(struct matrix *x)
{
	OK(cublasLtMatrixLayoutDestroy(x->layout));
	array_free(&x->values);
}

static double gelu(double x)
{
	return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double gelu_slope(double x)
{
	const double step = 1e-5;

	return (gelu(x + step) - gelu(x - step)) / (2 * step);
}

static bool has(const struct problem *p, uint32_t bits)
{
	return (p->epilogue & bits) == bits;
}

enum {
	BIAS = CUBLASLT_EPILOGUE_BIAS,
	RELU = CUBLASLT_EPILOGUE_RELU,
	GELU = CUBLASLT_EPILOGUE_GELU,
	AUX = 128,
	DGELU = 192
};

/* What a call has beside its matrices. */
struct extra {
	struct array bias;
	struct matrix aux; /* after, where it is an output */
	struct matrix old_aux;
};

static void check_element(const struct problem *p, const struct matrix x[4], const struct extra *e, int batch, int i,
			  int j)
{
	const struct form *f = p->form;
	double sum = 0, magnitude = 0, within;

	for (int k = 0; k < p->k; k++) {
		const double product = (p->transa ? value(&x[0], batch, k, i) : value(&x[0], batch, i, k)) *
				       (p->transb ? value(&x[1], batch, j, k) : value(&x[1], batch, k, j));

		sum += product;
		magnitude += fabs(product);
	}
	sum = p->alpha * sum + p->beta * value(&x[2], batch, i, j);
	magnitude = fabs(p->alpha) * magnitude + fabs(p->beta * value(&x[2], batch, i, j));
	within = magnitude * ((p->k + 6) * f->unit + 2.1 * f->slack);
	if (has(p, BIAS))
		sum += element(&e->bias, i);
	if (has(p, GELU | AUX))
		NEAR(value(&e->aux, batch, i, j), sum, within + fabs(sum) * epsilon(f->out) * 1.01,
		     "%s: auxiliary (%d, %d)", f->name, i, j);
	if (has(p, RELU) && sum < 0)
		sum = 0;
	if (has(p, GELU)) {
		sum = gelu(sum);
		within = within * 1.2 + 1e-6;
	}
	if (has(p, DGELU)) {
		const double slope = gelu_slope(value(&e->old_aux, batch, i, j));

		within = within * fabs(slope) + fabs(sum) * 2e-6 + 1e-6;
		sum *= slope;
	}
	NEAR(value(&x[3], batch, i, j), sum, within + fabs(sum) * epsilon(f->out) * 1.01,
	     "%s: %d x %d x %d, op %d %d, epilogue %u, batch %d: (%d, %d)", f->name, p->m, p->n, p->k, p->transa,
	     p->transb, p->epilogue, batch, i, j);
}

#define SET(desc, which, object) OK(cublasLtMatmulDescSetAttribute(desc, which, &(object), sizeof(object)))

static cublasLtMatmulDesc_t describe(const struct problem *p, const struct extra *e)
{
	cublasLtMatmulDesc_t desc;
	const void *bias = (const void *)e->bias.at;
	void *aux = (void *)e->aux.values.at;
	const int64_t aux_ld = e->aux.ld;
	const int32_t type = CUDA_R_32F;

	OK(cublasLtMatmulDescCreate(&desc, p->form->compute, p->form->scale));
	SET(desc, CUBLASLT_MATMUL_DESC_TRANSA, p->transa);
	SET(desc, CUBLASLT_MATMUL_DESC_TRANSB, p->transb);
	SET(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, p->epilogue);
	if (has(p, BIAS))
		SET(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
	if (p->is_bias_float)
		SET(desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type);
	if (has(p, AUX)) {
		SET(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux);
		SET(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, aux_ld);
		SET(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, e->aux.batch_stride);
	}
	return desc;
}

static void ask(const struct problem *p, cublasLtMatmulDesc_t desc, const struct matrix x[4])
{
	cublasLtMatmulPreference_t preference;
	cublasLtMatmulHeuristicResult_t found[2];
	const size_t workspace = 1 << 20;
	double alpha, beta;
	int count;

	put(&alpha, 0, p->form->scale, p->alpha);
	put(&beta, 0, p->form->scale, p->beta);
	OK(cublasLtMatmulPreferenceCreate(&preference));
	OK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
						sizeof(workspace)));
	OK(cublasLtMatmulAlgoGetHeuristic(handle, desc, x[0].layout, x[1].layout, x[2].layout, x[3].layout, preference,
					  2, found, &count));
	SAME(count, 1);
	SAME(found[0].state, CUBLAS_STATUS_SUCCESS);
	SAME(found[0].workspaceSize, 0);
	OK(cublasLtMatmul(handle, desc, &alpha, (void *)x[0].values.at, x[0].layout, (void *)x[1].values.at,
			  x[1].layout, &beta, (void *)x[2].values.at, x[2].layout, (void *)x[3].values.at, x[3].layout,
			  &found[0].algo, NULL, 0, NULL));
	OK(cublasLtMatmulPreferenceDestroy(preference));
}

static void product(const struct problem *p)
{
	const struct form *f = p->form;
	struct matrix x[4] = {
	    p->transa ? matrix_new(f->in, p->k, p->m, p->is_row[0], p->batch)
		      : matrix_new(f->in, p->m, p->k, p->is_row[0], p->batch),
	    p->transb ? matrix_new(f->in, p->n, p->k, p->is_row[1], p->batch)
		      : matrix_new(f->in, p->k, p->n, p->is_row[1], p->batch),
	    matrix_new(f->out, p->m, p->n, p->is_row[2], p->batch),
	    matrix_new(f->out, p->m, p->n, p->is_row[3], p->batch),
	};
	struct extra e = {array_new(p->is_bias_float ? CUDA_R_32F : f->out, p->m, 1),
			  matrix_new(f->out, p->m, p->n, false, p->batch),
			  {.rows = 0}};
	cublasLtMatmulDesc_t desc = describe(p, &e);

	e.old_aux = e.aux;
	e.old_aux.values.values = memcpy(malloc(e.aux.values.bytes), e.aux.values.values, e.aux.values.bytes);
	ask(p, desc, x);
	array_to_host(&x[3].values);
	array_to_host(&e.aux.values);
	for (int b = 0; b < p->batch; b++)
		for (int j = 0; j < p->n; j++)
			for (int i = 0; i < p->m; i++)
				check_element(p, x, &e, b, i, j);
	free(e.old_aux.values.values);
	OK(cublasLtMatmulDescDestroy(desc));
	for (int i = 0; i < 4; i++)
		matrix_free(&x[i]);
	matrix_free(&e.aux);
	array_free(&e.bias);
}

static void all_epilogues(void)
{
	static const uint32_t epilogues[] = {
	    CUBLASLT_EPILOGUE_DEFAULT,   CUBLASLT_EPILOGUE_BIAS,          CUBLASLT_EPILOGUE_RELU,
	    CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU,          CUBLASLT_EPILOGUE_GELU_BIAS,
	    CUBLASLT_EPILOGUE_GELU_AUX,  CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU};
	unsigned int turn = 0;

	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
		for (size_t e = 0; e < sizeof(epilogues) / sizeof(epilogues[0]); e++, turn++) {
			const bool is_plain = forms[f].scale != CUDA_R_32F;
			const struct problem p = {
			    .form = &forms[f],
			    .m = 40,
			    .n = 70,
			    .k = turn % 2 ? 33 : 64,
			    .transa = turn & 1,
			    .transb = turn >> 1 & 1,
			    .is_row = {turn % 3 == 0, turn % 5 == 0, turn % 7 == 0, turn % 4 == 1},
			    .alpha = is_plain ? 1 : 0.5,
			    .beta = turn % 2,
			    .epilogue = epilogues[e],
			    .is_bias_float = turn % 3 == 1 && !is_plain,
			    .batch = turn % 4 ? 1 : 2};

			if (!is_plain || p.epilogue == CUBLASLT_EPILOGUE_DEFAULT)
				product(&p);
		}
}

static void attributes(void)
{
	cublasLtMatrixLayoutOpaque_t layout;
	cublasLtMatmulDescOpaque_t desc;
	cublasLtMatmulPreferenceOpaque_t preference;
	cublasLtMatmulHeuristicResult_t found;
	uint64_t rows = 0;
	size_t written = 0;
	const uint32_t epilogue = CUBLASLT_EPILOGUE_BGRADB;
	int count = 5;

	OK(cublasLtMatrixLayoutInit(&layout, CUDA_R_32F, 12, 12, 12));
	OK(cublasLtMatrixLayoutGetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof(rows), &written));
	SAME(rows, 12);
	SAME(written, sizeof(rows));
	SAME(cublasLtMatrixLayoutSetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 3),
	     CUBLAS_STATUS_INVALID_VALUE);
	OK(cublasLtMatmulPreferenceInit(&preference));
	OK(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	SET(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
	SAME(cublasLtMatmulAlgoGetHeuristic(handle, &desc, &layout, &layout, &layout, &layout, &preference, 1, &found,
					    &count),
	     CUBLAS_STATUS_NOT_SUPPORTED);
	SAME(count, 0);
	rows = 11;
	OK(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	OK(cublasLtMatrixLayoutSetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof(rows)));
	SAME(cublasLtMatmulAlgoGetHeuristic(handle, &desc, &layout, &layout, &layout, &layout, &preference, 1, &found,
					    &count),
	     CUBLAS_STATUS_INVALID_VALUE);
	SAME(cublasLtMatmulAlgoGetHeuristic(NULL, &desc, &layout, &layout, &layout, &layout, &preference, 1, &found,
					    &count),
	     CUBLAS_STATUS_NOT_INITIALIZED);
	SAME(cublasLtGetVersion() / 10000, 13);
}

/* The auxiliary matrix has D's rows: its columns lie that far apart at least; by default they lie at one place. */
static void auxiliary_strides(void)
{
	static const int32_t epilogues[] = {CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
					    CUBLASLT_EPILOGUE_DGELU};
	static const int64_t strides[] = {0, -16, 15, 16, 24};
	const float one = 1;
	void *matrix = (void *)256;
	cublasLtMatrixLayoutOpaque_t layout;
	cublasLtMatmulDescOpaque_t desc;
	cublasLtMatmulPreferenceOpaque_t preference;
	cublasLtMatmulHeuristicResult_t found;
	int count;

	OK(cublasLtMatrixLayoutInit(&layout, CUDA_R_32F, 16, 16, 16));
	OK(cublasLtMatmulPreferenceInit(&preference));
	for (size_t i = 0; i < 15; i++) {
		const int64_t stride = strides[i % 5];
		const cublasStatus_t expected = stride < 16 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;

		OK(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
		SET(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogues[i / 5]);
		SET(&desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, matrix);
		SET(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, matrix);
		if (stride)
			SET(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, stride);
		SAME(cublasLtMatmulAlgoGetHeuristic(handle, &desc, &layout, &layout, &layout, &layout, &preference, 1,
						    &found, &count),
		     expected);
		SAME(count, expected == CUBLAS_STATUS_SUCCESS);
		if (expected != CUBLAS_STATUS_SUCCESS)
			SAME(cublasLtMatmul(handle, &desc, &one, matrix, &layout, matrix, &layout, &one, matrix,
					    &layout, matrix, &layout, NULL, NULL, 0, NULL),
			     expected);
	}
}

int main(void)
{
	OK(cublasLtCreate(&handle));
	if (mistakes)
		return test_end("lt");
	all_epilogues();
	attributes();
	auxiliary_strides();
	OK(cublasLtDestroy(handle));
	return test_end("lt");
}
