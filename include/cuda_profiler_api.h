/* cuda_profiler_api.h - cudaProfilerStart and cudaProfilerStop: in cuda_runtime_api.h. */
#ifdef __NVCC__
#include_next <cuda_profiler_api.h>
#else
#include <cuda_runtime_api.h>
#endif
