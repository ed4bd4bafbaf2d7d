/* device_launch_parameters.h - threadIdx, blockIdx, blockDim, gridDim, warpSize: all in cuda_runtime.h. */
#ifdef __NVCC__
#include_next <device_launch_parameters.h>
#else
#include <cuda_runtime.h>
#endif
