/*
 * CUDA C++ for programs that run on Strata: the runtime API with its C++ forms, and for kernels the device side.
 *
 * clang (16 or newer) compiles host and device code with it, without any file of a CUDA toolkit; see the page on CUDA
 * programs for the command line. A host compiler gets the host side only. nvcc gets its own header.
 *
 * Include it before anything else, or let the command line do so (-include cuda_runtime.h): device overloads of <cmath>
 * have to be declared before <cmath> is read.
 */
#ifndef STRATA_CUDA_RUNTIME_H
#define STRATA_CUDA_RUNTIME_H

#ifdef __NVCC__
#include_next <cuda_runtime.h>
#else

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)
#include <__clang_cuda_math_forward_declares.h>
#include <cmath>
#include <cstdlib>
#include <stdlib.h>
#include <string.h>
#endif

#include <channel_descriptor.h>
#include <cuda_runtime_api.h>
#include <vector_functions.h>

static __inline__ __host__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
	struct cudaExtent e = {width, height, depth};

	return e;
}

static __inline__ __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t xsize,
								      size_t ysize)
{
	struct cudaPitchedPtr p = {pointer, pitch, xsize, ysize};

	return p;
}

static __inline__ __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
	struct cudaPos p = {x, y, z};

	return p;
}

#ifdef __cplusplus
#include <strata/runtime_templates.h>
#ifdef __CUDA__
#include <strata/device.h>
#endif
#endif

#endif
#endif
