#include <strata/kernel.h>

#include "fwt.h"

/* Two stages of butterflies on four values: first between elements 2 apart, then between neighbours. */
static __device__ __forceinline__ void butterfly4(float *d0, float *d1, float *d2, float *d3)
{
	float s02 = *d0 + *d2, m02 = *d0 - *d2;
	float s13 = *d1 + *d3, m13 = *d1 - *d3;

	*d0 = s02 + s13;
	*d1 = s02 - s13;
	*d2 = m02 + m13;
	*d3 = m02 - m13;
}

/*
 * Two stages through global memory, with strides 2 * stride and stride (a power of two); one group of four elements per
 * thread, `groups_count` groups.
 */
extern "C" __global__ void fwt_global(float *data, unsigned int stride, unsigned int groups_count)
{
	unsigned int group = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int low = group & (stride - 1);
	unsigned int base = ((group - low) << 2) + low;

	if (group < groups_count) {
		float d0 = data[base];
		float d1 = data[base + stride];
		float d2 = data[base + 2 * stride];
		float d3 = data[base + 3 * stride];

		butterfly4(&d0, &d1, &d2, &d3);
		data[base] = d0;
		data[base + stride] = d1;
		data[base + 2 * stride] = d2;
		data[base + 3 * stride] = d3;
	}
}

/* The whole transform of 2^elements_log2 elements per CTA, in shared memory; four elements per thread. */
extern "C" __global__ void fwt_shared(float *data, unsigned int elements_log2)
{
	__shared__ float s[FWT_SHARED_ELEMENTS];
	unsigned int elements_count = 1u << elements_log2;
	float *mine = data + blockIdx.x * elements_count;
	unsigned int tid = threadIdx.x;
	unsigned int stride;

	for (unsigned int i = tid; i < elements_count; i += blockDim.x)
		s[i] = mine[i];
	for (stride = elements_count / 4; stride > 0; stride /= 4) {
		unsigned int low = tid & (stride - 1);
		unsigned int base = ((tid - low) << 2) + low;

		__syncthreads();
		butterfly4(&s[base], &s[base + stride], &s[base + 2 * stride], &s[base + 3 * stride]);
	}
	/* With an odd number of stages the one between neighbours is left. */
	if (elements_log2 & 1) {
		__syncthreads();
		for (unsigned int pair = tid; pair < elements_count / 2; pair += blockDim.x) {
			float even = s[2 * pair];
			float odd = s[2 * pair + 1];

			s[2 * pair] = even + odd;
			s[2 * pair + 1] = even - odd;
		}
	}
	__syncthreads();
	for (unsigned int i = tid; i < elements_count; i += blockDim.x)
		mine[i] = s[i];
}

/* Multiply two transforms, and scale by the reciprocal of their length for the way back. */
extern "C" __global__ void fwt_modulate(float *a, const float *b, float scale, unsigned int count)
{
	for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		a[i] *= scale * b[i];
}
