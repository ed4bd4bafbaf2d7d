/* device_functions.h - an older name: all in cuda_runtime.h. */
#ifdef __NVCC__
#include_next <device_functions.h>
#else
#include <cuda_runtime.h>
#endif
