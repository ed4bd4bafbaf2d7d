#include <strata/kernel.h>

#include "diff_types.h"
#include "functions.h"

/* One kernel per function: out[i] = f(a[i], b[i], c[i]). */
#define X(f)                                                                                                           \
	extern "C" __global__ void k_##f(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *c,       \
					 uint32_t count)                                                               \
	{                                                                                                              \
		const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                                              \
                                                                                                                       \
		if (i < count)                                                                                         \
			out[i] = f(a[i], b[i], c[i]);                                                                  \
	}
DIFF_LIST(X)
