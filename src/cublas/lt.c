/* lt.c - cublasLt: what describes a product, and the product. */
#include <cublasLt.h>
#include <stdlib.h>
#include <string.h>

#include "cublas/blas.h"

/* ---- handles: nothing is kept in them ---- */

struct cublasLtContext {
	struct blas_live live;
};

/* A handle of cuBLAS is one as well. */
static bool is_live(cublasLtHandle_t handle)
{
	return strata_blas_is_live(handle, BLAS_HANDLE | BLAS_LT_HANDLE);
}

BLAS_API cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
	cublasStatus_t status;

	if (!handle)
		return CUBLAS_STATUS_INVALID_VALUE;
	status = strata_blas_begin();
	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	*handle = malloc(sizeof(**handle));
	if (!*handle)
		return CUBLAS_STATUS_ALLOC_FAILED;
	strata_blas_add(&(*handle)->live, BLAS_LT_HANDLE);
	return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
	if (!strata_blas_remove(handle, BLAS_LT_HANDLE))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

/* ---- descriptors: what lies in the opaque structures ---- */

struct layout {
	int64_t batch_stride, ld;
	uint64_t rows, columns;
	cudaDataType type;
	cublasLtOrder_t order;
	int32_t batch_count, batch_mode;
};

/* Attributes that only one value of is modelled are kept, and looked at when a product is asked for. */
struct desc {
	cublasComputeType_t compute;
	cudaDataType scale_type;
	int32_t pointer_mode, transa, transb, transc, fill_mode;
	uint32_t epilogue;
	const void *bias;
	void *aux;
	int64_t aux_ld, aux_batch_stride, bias_batch_stride, alpha_batch_stride;
	const void *scales[7];       /* of A, B, C, D, the largest magnitudes of D; of the auxiliary output */
	int32_t bias_type, aux_type; /* -1: D's */
	int32_t sm_count_target;
	int8_t fast_accumulation;
};

struct preference {
	uint64_t workspace_bytes;
	uint32_t search_mode, reduction_mask, alignment[4];
	float waves_max;
	uint64_t implementation_mask;
};

_Static_assert(sizeof(struct layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "it lies in the opaque structure");
_Static_assert(sizeof(struct desc) <= sizeof(cublasLtMatmulDescOpaque_t), "it lies in the opaque structure");
_Static_assert(sizeof(struct preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t),
	       "it lies in the opaque structure");

/* Where an attribute lies. */
struct attribute {
	int which;
	size_t offset, bytes;
};

#define ATTRIBUTE(which, type, member)                                     \
	{                                                                  \
		which, offsetof(type, member), sizeof(((type *)0)->member) \
	}

static const struct attribute of_layout[] = {
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_TYPE, struct layout, type),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ORDER, struct layout, order),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ROWS, struct layout, rows),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_COLS, struct layout, columns),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_LD, struct layout, ld),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, struct layout, batch_count),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, struct layout, batch_stride),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, struct layout, batch_mode),
    {-1, 0, 0},
};

static const struct attribute of_desc[] = {
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, struct desc, compute),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_SCALE_TYPE, struct desc, scale_type),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_POINTER_MODE, struct desc, pointer_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSA, struct desc, transa),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSB, struct desc, transb),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSC, struct desc, transc),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_FILL_MODE, struct desc, fill_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE, struct desc, epilogue),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_POINTER, struct desc, bias),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, struct desc, bias_batch_stride),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, struct desc, aux),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, struct desc, aux_ld),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, struct desc, aux_batch_stride),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, struct desc, alpha_batch_stride),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, struct desc, sm_count_target),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, struct desc, scales[0]),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, struct desc, scales[1]),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, struct desc, scales[2]),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, struct desc, scales[3]),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, struct desc, scales[4]),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, struct desc, scales[5]),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, struct desc, scales[6]),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, struct desc, aux_type),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, struct desc, bias_type),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_FAST_ACCUM, struct desc, fast_accumulation),
    {-1, 0, 0},
};

static const struct attribute of_preference[] = {
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_SEARCH_MODE, struct preference, search_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, struct preference, workspace_bytes),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, struct preference, reduction_mask),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, struct preference, alignment[0]),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, struct preference, alignment[1]),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, struct preference, alignment[2]),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, struct preference, alignment[3]),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, struct preference, waves_max),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_IMPL_MASK, struct preference, implementation_mask),
    {-1, 0, 0},
};

static const struct attribute *attribute(const struct attribute *of, int which)
{
	for (; of->which >= 0; of++)
		if (of->which == which)
			return of;
	return NULL;
}

static cublasStatus_t set(const struct attribute *of, int which, void *object, const void *value, size_t bytes)
{
	const struct attribute *a = attribute(of, which);

	if (!object || !value)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!a)
		return strata_blas_refuse("cublasLt", "an attribute of a descriptor");
	if (bytes != a->bytes)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy((char *)object + a->offset, value, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t get(const struct attribute *of, int which, const void *object, void *value, size_t bytes,
			  size_t *written)
{
	const struct attribute *a = attribute(of, which);

	if (!object || !a || (!bytes && !written) || (bytes && (!value || bytes != a->bytes)))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (written)
		*written = a->bytes;
	if (bytes)
		memcpy(value, (const char *)object + a->offset, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

/* Defines Destroy, SetAttribute and GetAttribute of an object. */
#define OBJECT(name, type, which_type, of)                                                                             \
	BLAS_API cublasStatus_t cublasLt##name##Destroy(type object)                                                   \
	{                                                                                                              \
		free(object);                                                                                          \
		return object ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;                                   \
	}                                                                                                              \
	BLAS_API cublasStatus_t cublasLt##name##SetAttribute(type object, which_type which, const void *value,         \
							     size_t bytes)                                             \
	{                                                                                                              \
		return set(of, (int)which, object, value, bytes);                                                      \
	}                                                                                                              \
	BLAS_API cublasStatus_t cublasLt##name##GetAttribute(type object, which_type which, void *value, size_t bytes, \
							     size_t *written)                                          \
	{                                                                                                              \
		return get(of, (int)which, object, value, bytes, written);                                             \
	}                                                                                                              \
	_Static_assert(1, "")

OBJECT(MatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, of_layout);
OBJECT(MatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, of_desc);
OBJECT(MatmulPreference, cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, of_preference);

BLAS_API cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t object, size_t size, cudaDataType type,
							  uint64_t rows, uint64_t cols, int64_t ld)
{
	const struct layout l = {.type = type, .rows = rows, .columns = cols, .ld = ld, .batch_count = 1};

	if (!object || size < sizeof(l))
		return CUBLAS_STATUS_INVALID_VALUE;
	memset(object, 0, size);
	memcpy(object, &l, sizeof(l));
	return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t object, size_t size,
							cublasComputeType_t compute, cudaDataType_t scale)
{
	const struct desc d = {.compute = compute,
			       .scale_type = scale,
			       .fill_mode = CUBLAS_FILL_MODE_FULL,
			       .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
			       .bias_type = -1,
			       .aux_type = -1};

	if (!object || size < sizeof(d))
		return CUBLAS_STATUS_INVALID_VALUE;
	memset(object, 0, size);
	memcpy(object, &d, sizeof(d));
	return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t object, size_t size)
{
	const struct preference p = {.reduction_mask = 7, .alignment = {256, 256, 256, 256}};

	if (!object || size < sizeof(p))
		return CUBLAS_STATUS_INVALID_VALUE;
	memset(object, 0, size);
	memcpy(object, &p, sizeof(p));
	return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *object, cudaDataType type, uint64_t rows,
						   uint64_t cols, int64_t ld)
{
	if (!object)
		return CUBLAS_STATUS_INVALID_VALUE;
	*object = malloc(sizeof(**object));
	return *object ? cublasLtMatrixLayoutInit(*object, type, rows, cols, ld) : CUBLAS_STATUS_ALLOC_FAILED;
}

BLAS_API cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *object, cublasComputeType_t compute,
						 cudaDataType_t scale)
{
	if (!object)
		return CUBLAS_STATUS_INVALID_VALUE;
	*object = malloc(sizeof(**object));
	return *object ? cublasLtMatmulDescInit(*object, compute, scale) : CUBLAS_STATUS_ALLOC_FAILED;
}

BLAS_API cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *object)
{
	if (!object)
		return CUBLAS_STATUS_INVALID_VALUE;
	*object = malloc(sizeof(**object));
	return *object ? cublasLtMatmulPreferenceInit(*object) : CUBLAS_STATUS_ALLOC_FAILED;
}

/* ---- the product ---- */

/* A product as it is asked for, without its factors and matrices. */
struct request {
	struct desc desc;
	struct layout a, b, c, d;
};

static bool read_request(struct request *r, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
			 cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d)
{
	if (!desc || !a || !b || !c || !d)
		return false;
	memcpy(&r->desc, desc, sizeof(r->desc));
	memcpy(&r->a, a, sizeof(r->a));
	memcpy(&r->b, b, sizeof(r->b));
	memcpy(&r->c, c, sizeof(r->c));
	memcpy(&r->d, d, sizeof(r->d));
	return true;
}

/* Strides of op(X), whose rows and columns are given; false: the layout does not have them. */
static bool operand(struct blas_operand *o, const struct layout *l, int32_t trans, uint64_t *rows, uint64_t *columns)
{
	const bool is_turned = trans != CUBLAS_OP_N;
	const int64_t across = l->order == CUBLASLT_ORDER_ROW ? l->ld : 1,
		      along = l->order == CUBLASLT_ORDER_ROW ? 1 : l->ld;
	const uint64_t line = l->order == CUBLASLT_ORDER_ROW ? l->columns : l->rows;

	o->row_stride = is_turned ? along : across;
	o->column_stride = is_turned ? across : along;
	o->batch_stride = l->batch_stride;
	*rows = is_turned ? l->columns : l->rows;
	*columns = is_turned ? l->rows : l->columns;
	return l->rows <= INT32_MAX && l->columns <= INT32_MAX && l->ld >= (int64_t)line && trans >= CUBLAS_OP_N &&
	       trans <= CUBLAS_OP_C;
}

static bool shape(struct blas_gemm_args *g, const struct request *r)
{
	uint64_t m, n, k, k_of_b, c_rows, c_columns, d_rows, d_columns;

	if (!operand(&g->a, &r->a, r->desc.transa, &m, &k) || !operand(&g->b, &r->b, r->desc.transb, &k_of_b, &n) ||
	    !operand(&g->c, &r->c, CUBLAS_OP_N, &c_rows, &c_columns) ||
	    !operand(&g->d, &r->d, CUBLAS_OP_N, &d_rows, &d_columns))
		return false;
	g->m = (int)m;
	g->n = (int)n;
	g->k = (int)k;
	g->batch_count = r->d.batch_count;
	return k == k_of_b && c_rows == m && d_rows == m && c_columns == n && d_columns == n &&
	       r->a.batch_count == g->batch_count && r->b.batch_count == g->batch_count &&
	       r->c.batch_count == g->batch_count && g->batch_count > 0 && r->c.type == r->d.type;
}

/* Which of the kernel's steps an epilogue is; false: it is not modelled. */
static bool epilogue(const struct desc *d, struct blas_gemm_args *g)
{
	switch (d->epilogue) {
	case CUBLASLT_EPILOGUE_DEFAULT:
		g->epilogue = 0;
		return true;
	case CUBLASLT_EPILOGUE_BIAS:
		g->epilogue = BLAS_EPILOGUE_BIAS;
		return true;
	case CUBLASLT_EPILOGUE_RELU:
		g->epilogue = BLAS_EPILOGUE_RELU;
		return true;
	case CUBLASLT_EPILOGUE_RELU_BIAS:
		g->epilogue = BLAS_EPILOGUE_RELU | BLAS_EPILOGUE_BIAS;
		return true;
	case CUBLASLT_EPILOGUE_GELU:
		g->epilogue = BLAS_EPILOGUE_GELU;
		return true;
	case CUBLASLT_EPILOGUE_GELU_BIAS:
		g->epilogue = BLAS_EPILOGUE_GELU | BLAS_EPILOGUE_BIAS;
		return true;
	case CUBLASLT_EPILOGUE_GELU_AUX:
		g->epilogue = BLAS_EPILOGUE_GELU | BLAS_EPILOGUE_KEEP;
		return true;
	case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
		g->epilogue = BLAS_EPILOGUE_GELU | BLAS_EPILOGUE_KEEP | BLAS_EPILOGUE_BIAS;
		return true;
	case CUBLASLT_EPILOGUE_DGELU:
		g->epilogue = BLAS_EPILOGUE_GELU_SLOPE;
		return true;
	default:
		return false;
	}
}

static bool has_aux(const struct blas_gemm_args *g)
{
	return g->epilogue & (BLAS_EPILOGUE_KEEP | BLAS_EPILOGUE_GELU_SLOPE);
}

static const char *not_modelled(const struct request *r, struct blas_gemm_args *g)
{
	const struct layout *layouts[] = {&r->a, &r->b, &r->c, &r->d};
	const struct desc *d = &r->desc;

	for (int i = 0; i < 4; i++) {
		if (layouts[i]->order != CUBLASLT_ORDER_COL && layouts[i]->order != CUBLASLT_ORDER_ROW)
			return "an order of a matrix other than columns and rows";
		if (layouts[i]->batch_mode)
			return "a batch by an array of pointers";
	}
	for (int i = 0; i < 7; i++)
		if (d->scales[i])
			return "factors of matrices, and their largest magnitudes";
	if (d->pointer_mode != CUBLASLT_POINTER_MODE_HOST && d->pointer_mode != CUBLASLT_POINTER_MODE_DEVICE)
		return "a vector of factors";
	if (d->transc || d->fill_mode != CUBLAS_FILL_MODE_FULL)
		return "a transposed C, or a part of D";
	if (d->sm_count_target)
		return "a number of SMs";
	if (!epilogue(d, g))
		return "this epilogue";
	if (d->aux_type != -1 && d->aux_type != (int32_t)r->d.type)
		return "an auxiliary output of another type than D";
	if (d->bias_type != -1 && d->bias_type != (int32_t)r->d.type && d->bias_type != CUDA_R_32F)
		return "a bias of another type than D or f32";
	return NULL;
}

/* Fills in what does not depend on where the matrices are. */
static cublasStatus_t prepare(struct blas_product *p, const struct request *r)
{
	const char *reason;

	*p = (struct blas_product){.call = "cublasLtMatmul",
				   .a_type = r->a.type,
				   .b_type = r->b.type,
				   .c_type = r->d.type,
				   .scale_type = r->desc.scale_type,
				   .compute = r->desc.compute};
	reason = not_modelled(r, &p->args);
	if (reason)
		return strata_blas_refuse(p->call, reason);
	if (!shape(&p->args, r))
		return CUBLAS_STATUS_INVALID_VALUE;
	p->args.bias = r->desc.bias;
	p->args.is_bias_float = r->desc.bias_type == CUDA_R_32F;
	p->args.bias_batch = r->desc.bias_batch_stride;
	p->args.aux = r->desc.aux;
	p->args.aux_stride = r->desc.aux_ld;
	p->args.aux_batch = r->desc.aux_batch_stride;
	if (has_aux(&p->args) && p->args.aux_stride < p->args.m)
		return CUBLAS_STATUS_INVALID_VALUE;
	return strata_blas_product_check(p);
}

/* There is one algorithm: 1. It needs no workspace and keeps to any alignment. */
static void describe(cublasLtMatmulHeuristicResult_t *result, cublasStatus_t state)
{
	*result = (cublasLtMatmulHeuristicResult_t){.algo = {.data = {1}}, .state = state, .wavesCount = 1};
}

BLAS_API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
						       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
						       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
						       cublasLtMatmulPreference_t preference, int requested,
						       cublasLtMatmulHeuristicResult_t results[], int *returned)
{
	struct request r;
	struct blas_product p;
	cublasStatus_t status;

	if (!is_live(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!preference || requested < 1 || !results || !returned || !read_request(&r, desc, a, b, c, d))
		return CUBLAS_STATUS_INVALID_VALUE;
	status = prepare(&p, &r);
	*returned = status == CUBLAS_STATUS_SUCCESS;
	if (*returned)
		describe(&results[0], status);
	return status;
}

BLAS_API cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
						cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
						cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
						const cublasLtMatmulAlgo_t *algo,
						cublasLtMatmulHeuristicResult_t *result)
{
	struct request r;
	struct blas_product p;
	cublasStatus_t status;

	if (!is_live(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!algo || algo->data[0] != 1 || !result || !read_request(&r, desc, a, b, c, d))
		return CUBLAS_STATUS_INVALID_VALUE;
	status = prepare(&p, &r);
	describe(result, status);
	return status;
}

BLAS_API cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
				       const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
				       cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
				       cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
				       const cublasLtMatmulAlgo_t *algo, void *workspace, size_t workspace_bytes,
				       cudaStream_t stream)
{
	struct request r;
	struct blas_product p;
	cublasStatus_t status;

	(void)workspace;
	(void)workspace_bytes;
	if (!is_live(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!alpha || !beta || !a || !b || !d || (algo && algo->data[0] != 1) ||
	    !read_request(&r, desc, a_layout, b_layout, c_layout, d_layout))
		return CUBLAS_STATUS_INVALID_VALUE;
	status = prepare(&p, &r);
	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	if (((p.args.epilogue & BLAS_EPILOGUE_BIAS) && !p.args.bias) ||
	    (has_aux(&p.args) && !p.args.aux))
		return CUBLAS_STATUS_INVALID_VALUE;
	strata_blas_scalar(&p.args.alpha, alpha, p.scale_type, r.desc.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE);
	strata_blas_scalar(&p.args.beta, beta, p.scale_type, r.desc.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE);
	p.args.a.base = (void *)a;
	p.args.b.base = (void *)b;
	p.args.c.base = (void *)c;
	p.args.d.base = d;
	status = strata_blas_begin();
	return status == CUBLAS_STATUS_SUCCESS ? strata_blas_product(&p, stream) : status;
}
