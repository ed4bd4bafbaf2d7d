/*
 * The device side of CUDA C++ for clang without a CUDA toolkit: built-in variables, atomics, warp functions,
 * mathematics, textures, printf, malloc, assert.
 *
 * Most of it is declared by headers that come with clang itself (__clang_cuda_*.h); they want the functions of the
 * vendor's device library, __nv_*, which strata/device/ provides. Not included by hand: include <cuda_runtime.h>.
 */
#ifndef STRATA_DEVICE_H
#define STRATA_DEVICE_H

#include <limits.h>
#include <strata/cuda_types.h>

/* clang's headers are written against these names. */
#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#define __nvvm_memcpy(destination, source, bytes, align) __builtin_memcpy(destination, source, bytes)
#define __nvvm_memset(destination, value, bytes, align) __builtin_memset(destination, value, bytes)

#include <strata/device/integer.h>
#include <strata/device/rounding.h>
#include <strata/device/math_float.h>
#include <strata/device/math_trig.h>
#include <strata/device/math_double.h>
#include <strata/device/math_special.h>

#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

/* ---- What the runtime of the device provides -------------------------------------------------------------------- */

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ void free(void *pointer) __attribute__((nothrow));
__device__ void *malloc(size_t bytes) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
			     size_t character_bytes);
/* The compiler turns it into vprintf. */
__device__ int printf(const char *format, ...);
}

extern "C" {
__device__ static __inline__ void __assert_fail(const char *message, const char *file, unsigned line,
						const char *function)
{
	__assertfail(message, file, line, function, sizeof(char));
}
}

namespace std {
__device__ static __inline__ void free(void *pointer)
{
	::free(pointer);
}
__device__ static __inline__ void *malloc(size_t bytes)
{
	return ::malloc(bytes);
}
}

/* What <<<>>> calls first. */
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0, void *stream = 0);

/* ---- Built-in variables as vectors ------------------------------------------------------------------------------ */

#define STRATA_AS_VECTORS(type)                                                                                        \
	__device__ inline type::operator dim3() const                                                                  \
	{                                                                                                              \
		return dim3(x, y, z);                                                                                  \
	}                                                                                                              \
	__device__ inline type::operator uint3() const                                                                 \
	{                                                                                                              \
		return uint3{x, y, z};                                                                                 \
	}
STRATA_AS_VECTORS(__cuda_builtin_threadIdx_t)
STRATA_AS_VECTORS(__cuda_builtin_blockIdx_t)
STRATA_AS_VECTORS(__cuda_builtin_blockDim_t)
STRATA_AS_VECTORS(__cuda_builtin_gridDim_t)
#undef STRATA_AS_VECTORS

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>
#include <strata/device/more.h>
#include <strata/device/surface.h>
#include <strata/device/texture.h>
/* The compiler wraps this one: operators new and delete of the device, on malloc and free. */
#include <new>

#endif
