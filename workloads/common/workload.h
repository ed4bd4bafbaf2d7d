/*
 * What the workloads for GPUs share beyond program.h: the driver's set-up.
 *
 * The build names the file that holds the kernels, as a C string literal, in WORKLOAD_PTX.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "common/program.h"

#include <cuda.h>

/* Make a driver call; end the program with status 2, naming the call and the error, unless it succeeds. */
#define WORKLOAD_CUDA(call) workload_cuda_check((call), #call)
void workload_cuda_check(CUresult result, const char *call);

/* A context on device 0 and one module loaded from `ptx` (text ending in NUL). */
struct workload_gpu {
	CUcontext context;
	CUmodule module;
};

struct workload_gpu workload_gpu_open(const char *ptx);
void workload_gpu_close(struct workload_gpu *gpu);
CUfunction workload_gpu_kernel(const struct workload_gpu *gpu, const char *name);

/* Device memory: plain, and filled from `source`. */
CUdeviceptr workload_device_alloc(size_t bytes);
CUdeviceptr workload_device_copy(const void *source, size_t bytes);

struct workload_dim {
	unsigned int x, y, z;
};

/* Start `kernel` on the default stream; `params` are pointers to its parameters in order. */
void workload_launch(CUfunction kernel, struct workload_dim grid, struct workload_dim block, void **params);

/* The number of CTAs of `block_size` threads that cover `count` elements. */
unsigned int workload_ctas(size_t count, unsigned int block_size);

#endif
