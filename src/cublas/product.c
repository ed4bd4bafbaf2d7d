/* product.c - products of matrices: which kernel computes one, and how it is launched. */
#include "cublas/blas.h"

#include <stdio.h>

#include "base/check.h"

enum { TILE_SMALL = 16, TILE = 64, THREADS = 256, GRID_Z_MAX = 65535 };

/* What lies in a product's matrices, and the kernel for it; tiles of 16 only where there is a name for them. */
static const struct form {
	cudaDataType in, out, scale;
	bool is_tf32;
	const char *large, *small;
	unsigned int in_bytes;
} forms[] = {
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, false, "blas_gemm_f32_64", "blas_gemm_f32_16", 4},
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, true, "blas_tensor_tf32_f32", NULL, 4},
    {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, false, "blas_gemm_f64_64", "blas_gemm_f64_16", 8},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, false, "blas_tensor_f16_f16", NULL, 2},
    {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, false, "blas_tensor_f16_f32", NULL, 2},
    {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, false, "blas_tensor_bf16_bf16", NULL, 2},
    {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, false, "blas_tensor_bf16_f32", NULL, 2},
    {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, false, "blas_tensor_s8_s32", NULL, 1},
    {CUDA_R_8I, CUDA_R_32F, CUDA_R_32F, false, "blas_tensor_s8_f32", NULL, 1},
};

/* The type of factors that a type of computing has: its own one, whatever the matrices are. False: there is none. */
static bool fits(cublasComputeType_t compute, cudaDataType in, cudaDataType scale)
{
	switch (compute) {
	case CUBLAS_COMPUTE_16F:
	case CUBLAS_COMPUTE_16F_PEDANTIC:
		return in == CUDA_R_16F && scale == CUDA_R_16F;
	case CUBLAS_COMPUTE_32F:
	case CUBLAS_COMPUTE_32F_PEDANTIC:
		return in != CUDA_R_64F && scale == CUDA_R_32F;
	case CUBLAS_COMPUTE_32F_FAST_16F:
	case CUBLAS_COMPUTE_32F_FAST_16BF:
	case CUBLAS_COMPUTE_32F_FAST_TF32:
		return in == CUDA_R_32F && scale == CUDA_R_32F;
	case CUBLAS_COMPUTE_64F:
	case CUBLAS_COMPUTE_64F_PEDANTIC:
		return in == CUDA_R_64F && scale == CUDA_R_64F;
	case CUBLAS_COMPUTE_32I:
	case CUBLAS_COMPUTE_32I_PEDANTIC:
		return in == CUDA_R_8I && scale == CUDA_R_32I;
	default:
		return false;
	}
}

static const struct form *form_of(const struct blas_product *p)
{
	const bool is_tf32 = p->compute == CUBLAS_COMPUTE_32F_FAST_TF32 || p->compute == CUBLAS_COMPUTE_32F_FAST_16F ||
			     p->compute == CUBLAS_COMPUTE_32F_FAST_16BF;
	const cudaDataType scale = p->scale_type == CUDA_R_16F ? CUDA_R_32F : p->scale_type;

	if (p->a_type != p->b_type || !fits(p->compute, p->a_type, p->scale_type))
		return NULL;
	for (size_t i = 0; i < ARRAY_COUNT(forms); i++)
		if (forms[i].in == p->a_type && forms[i].out == p->c_type && forms[i].scale == scale &&
		    forms[i].is_tf32 == is_tf32)
			return &forms[i];
	return NULL;
}

cublasStatus_t strata_blas_product_check(const struct blas_product *p)
{
	const struct form *f = form_of(p);

	if (!f)
		return strata_blas_refuse(p->call, "this combination of types");
	if (p->args.epilogue && f->scale != CUDA_R_32F)
		return strata_blas_refuse(p->call, "an epilogue of this type");
	return CUBLAS_STATUS_SUCCESS;
}

/* Where 16 bytes of the lines that are laid along K can be loaded at a time. */
static bool is_wide(const struct blas_operand *o, long long line_stride, long long depth_stride, int depth,
		    unsigned int bytes)
{
	return !o->list && depth_stride == 1 && !((uintptr_t)o->base % 16) && !(line_stride * bytes % 16) &&
	       !((unsigned int)depth * bytes % 16) && !(o->batch_stride * bytes % 16);
}

static bool is_tensor(const struct form *f)
{
	return !f->small;
}

/* Small tiles where large ones would leave most of the device without work. */
static bool is_small(const struct form *f, const struct blas_gemm_args *a)
{
	const uint64_t tiles =
	    (uint64_t)((a->m + TILE - 1) / TILE) * (uint64_t)((a->n + TILE - 1) / TILE) * (uint64_t)a->batch_count;
	int sm_count = 0;
	CUdevice device;

	if (is_tensor(f) || cuCtxGetDevice(&device) != CUDA_SUCCESS ||
	    cuDeviceGetAttribute(&sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) != CUDA_SUCCESS)
		return false;
	return tiles < (uint64_t)sm_count;
}

cublasStatus_t strata_blas_product(struct blas_product *p, CUstream stream)
{
	const cublasStatus_t checked = strata_blas_product_check(p);
	const struct form *f = form_of(p);
	struct blas_gemm_args *a = &p->args;

	if (checked != CUBLAS_STATUS_SUCCESS)
		return checked;

	const bool small = is_small(f, a);
	const int tile = small ? TILE_SMALL : TILE;

	a->m_tiles = (a->m + tile - 1) / tile;
	a->is_a_along_k = a->a.column_stride == 1 && a->a.row_stride != 1;
	a->is_b_along_k = a->b.row_stride == 1 && a->b.column_stride != 1;
	a->is_a_wide = is_wide(&a->a, a->a.row_stride, a->a.column_stride, a->k, f->in_bytes);
	a->is_b_wide = is_wide(&a->b, a->b.column_stride, a->b.row_stride, a->k, f->in_bytes);
	if (strata_blas_is_zero(&a->alpha, p->scale_type))
		a->k = 0; /* A and B are not read */

	const struct blas_grid grid = {
	    .x = (uint64_t)a->m_tiles * (uint64_t)((a->n + tile - 1) / tile),
	    .y = 1,
	    .z = (unsigned int)(a->batch_count < GRID_Z_MAX ? a->batch_count : GRID_Z_MAX),
	    .threads_x = THREADS,
	    .threads_y = 1,
	};

	return strata_blas_launch(is_tensor(f) ? BLAS_TENSOR : BLAS_GEMM, small ? f->small : f->large, grid, a, stream);
}
