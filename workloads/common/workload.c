/* workload.c - what the workloads for GPUs share. */
#include "common/workload.h"

#include <stddef.h>

void workload_cuda_check(CUresult result, const char *call)
{
	const char *name = NULL;
	const char *text = NULL;

	if (result == CUDA_SUCCESS)
		return;
	if (cuGetErrorName(result, &name) || cuGetErrorString(result, &text))
		workload_fail("%s: error %d", call, (int)result);
	workload_fail("%s: %s: %s", call, name, text);
}

struct workload_gpu workload_gpu_open(const char *ptx)
{
	struct workload_gpu gpu;
	CUdevice device;

	WORKLOAD_CUDA(cuInit(0));
	WORKLOAD_CUDA(cuDeviceGet(&device, 0));
	WORKLOAD_CUDA(cuCtxCreate(&gpu.context, 0, device));
	WORKLOAD_CUDA(cuModuleLoadData(&gpu.module, ptx));
	return gpu;
}

void workload_gpu_close(struct workload_gpu *gpu)
{
	WORKLOAD_CUDA(cuModuleUnload(gpu->module));
	WORKLOAD_CUDA(cuCtxDestroy(gpu->context));
}

CUfunction workload_gpu_kernel(const struct workload_gpu *gpu, const char *name)
{
	CUfunction kernel;
	CUresult result = cuModuleGetFunction(&kernel, gpu->module, name);

	if (result == CUDA_ERROR_NOT_FOUND)
		workload_fail("the module has no kernel '%s'", name);
	workload_cuda_check(result, "cuModuleGetFunction");
	return kernel;
}

CUdeviceptr workload_device_alloc(size_t bytes)
{
	CUdeviceptr address;

	WORKLOAD_CUDA(cuMemAlloc(&address, bytes));
	return address;
}

CUdeviceptr workload_device_copy(const void *source, size_t bytes)
{
	CUdeviceptr address = workload_device_alloc(bytes);

	WORKLOAD_CUDA(cuMemcpyHtoD(address, source, bytes));
	return address;
}

void workload_launch(CUfunction kernel, struct workload_dim grid, struct workload_dim block, void **params)
{
	WORKLOAD_CUDA(cuLaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, 0, NULL, params, NULL));
}

unsigned int workload_ctas(size_t count, unsigned int block_size)
{
	return (unsigned int)((count + block_size - 1) / block_size);
}
