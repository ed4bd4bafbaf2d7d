/* blas.h - what the files of the BLAS share: launching its kernels, products of matrices, handles.
 *
 * The libraries are clients of the driver, as the CUDA runtime is: libcublasLt.so.13 has the kernels and the products,
 * libcublas.so.13 calls it (functions strata_blas_*). An entry point of libcublas begins with BLAS_ENTER(handle).
 */
#ifndef STRATA_CUBLAS_BLAS_H
#define STRATA_CUBLAS_BLAS_H

#include <cublas_v2.h>
#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cublas/kernels/args.h"

#define BLAS_API __attribute__((visibility("default")))

/* ---- launch.c: kernels ---- */

enum blas_module { BLAS_VECTOR, BLAS_MATRIX, BLAS_GEMM, BLAS_TENSOR, BLAS_MODULES };

struct blas_grid {
	uint64_t x;
	unsigned int y, z;
	unsigned int threads_x, threads_y;
};

/* Makes a context current if the thread has none: the device's primary one. */
BLAS_API cublasStatus_t strata_blas_begin(void);
/* Runs a kernel by name, `args` its one parameter. Modules are loaded at the first need, once for all contexts. */
BLAS_API cublasStatus_t strata_blas_launch(enum blas_module module, const char *kernel, struct blas_grid grid,
					   void *args, CUstream stream);
/* The status that stands for a result of the driver. */
BLAS_API cublasStatus_t strata_blas_status(CUresult result);
/* Says once, in one line, that a name is not modelled. */
BLAS_API int strata_blas_unsupported(const char *name);
/* Says what of a call is not modelled, each reason of a call once. */
BLAS_API cublasStatus_t strata_blas_refuse(const char *call, const char *reason);

/* A status by its name, or in words (status.c). */
BLAS_API const char *strata_blas_status_name(cublasStatus_t status, bool is_sentence);

/* ---- live.c: the handles that there are ---- */

enum blas_kind { BLAS_HANDLE = 1, BLAS_LT_HANDLE = 2 };

/* A handle begins with it. */
struct blas_live {
	enum blas_kind kind;
	struct blas_live *next;
};

BLAS_API void strata_blas_add(struct blas_live *handle, enum blas_kind kind);
/* Takes a handle out of the list; false: there is none of the kind at that address. */
BLAS_API bool strata_blas_remove(const void *handle, enum blas_kind kind);
/* Whether a handle of one of the kinds lies at an address, which is not read to find that out. */
BLAS_API bool strata_blas_is_live(const void *handle, unsigned int kinds);

/* ---- scalar.c: factors ---- */

/* A factor of type `type` (CUDA_R_32F, 64F, 16F or 32I) for kernels; false: there is no such type. */
BLAS_API bool strata_blas_scalar(struct blas_scalar *s, const void *at, cudaDataType type, bool is_device);
/* Whether a factor is known to be 0: on the host. */
BLAS_API bool strata_blas_is_zero(const struct blas_scalar *s, cudaDataType type);

/* ---- product.c: products of matrices ---- */

struct blas_product {
	const char *call;
	cudaDataType a_type, b_type, c_type, scale_type;
	cublasComputeType_t compute;
	struct blas_gemm_args args; /* without what follows from alignment and tiles */
};

/* Whether there are kernels for the types; says why not. */
BLAS_API cublasStatus_t strata_blas_product_check(const struct blas_product *p);
BLAS_API cublasStatus_t strata_blas_product(struct blas_product *p, CUstream stream);

/* ---- handle.c (libcublas) ---- */

enum { BLAS_BLOCKS_MAX = 128, BLAS_PARTIAL_BYTES = 16 };

struct cublasContext {
	struct blas_live live;
	CUcontext context;
	CUstream stream;
	CUdeviceptr reduction; /* a counter, a result, partial sums */
	cublasPointerMode_t pointer_mode;
	cublasAtomicsMode_t atomics_mode;
	cublasMath_t math_mode;
};

/* Makes the handle's context current for the call if no context is. */
cublasStatus_t blas_enter(cublasHandle_t handle);

#define BLAS_ENTER(handle)                                         \
	do {                                                       \
		const cublasStatus_t entered = blas_enter(handle); \
                                                                   \
		if (entered != CUBLAS_STATUS_SUCCESS)              \
			return entered;                            \
	} while (0)

static inline bool blas_is_device(cublasHandle_t handle)
{
	return handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
}

/* Defines the form for `int` and for `int64_t`; `call` is an expression over its parameters. */
#define BLAS_DEFINE(FORM, name, call, ...)               \
	BLAS_API FORM(name, ##__VA_ARGS__, int)          \
	{                                                \
		return call;                             \
	}                                                \
	BLAS_API FORM(name##_64, ##__VA_ARGS__, int64_t) \
	{                                                \
		return call;                             \
	}                                                \
	_Static_assert(1, "")

#endif
