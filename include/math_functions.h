/* math_functions.h - an older name: all in cuda_runtime.h. */
#ifdef __NVCC__
#include_next <math_functions.h>
#else
#include <cuda_runtime.h>
#endif
