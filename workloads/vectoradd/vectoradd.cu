#include <strata/kernel.h>

/* c = a + b, one element per thread. */
extern "C" __global__ void vector_add(const float *a, const float *b, float *c, unsigned int count)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		c[i] = a[i] + b[i];
}
