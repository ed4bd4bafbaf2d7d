/*
 * Qualifiers of CUDA C++ (CUDA C++ Programming Guide 13.0, section 10.1) for clang; a host compiler ignores them.
 */
#ifndef STRATA_HOST_DEFINES_H
#define STRATA_HOST_DEFINES_H

#ifdef __NVCC__
#include_next <host_defines.h>
#else

#if defined(__CUDA__) && defined(__clang__)
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
/* clang registers no managed variables in CUDA mode (it does for HIP only). */
#define __managed__ _Pragma("GCC error \"clang has no __managed__ variables: use cudaMallocManaged, or nvcc\"")
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#else
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
/* Only for device code: elsewhere the macro would break headers that ask for the attribute by this name. */
#if defined(__CUDA__) && defined(__clang__) && __clang_major__ < 15 /* later versions know it as a keyword */
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB

#endif
#endif
