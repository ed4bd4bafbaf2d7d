#include <strata/kernel.h>

/*
 * A level of the reversible 5/3 transform along one direction of an image: a thread makes a pair of a low and a high
 * coefficient.  Samples lie `stride` apart, lines `line` apart; beyond the ends the image is mirrored.
 */
static __device__ __forceinline__ int high_of(const int *samples, unsigned int stride, unsigned int count,
					      unsigned int pair)
{
	unsigned int next = 2 * pair + 2 < count ? 2 * pair + 2 : 2 * pair;

	return samples[(2 * pair + 1) * stride] - ((samples[2 * pair * stride] + samples[next * stride]) >> 1);
}

extern "C" __global__ void dwt2d_level(const int *from, int *to, unsigned int count, unsigned int lines,
				       unsigned int stride, unsigned int line)
{
	unsigned int along = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int across = blockIdx.y * blockDim.y + threadIdx.y;
	unsigned int pair = stride == 1 ? along : across;
	unsigned int own_line = stride == 1 ? across : along;
	const int *samples = from + own_line * line;
	int high, before;

	if (pair >= count / 2 || own_line >= lines)
		return;
	high = high_of(samples, stride, count, pair);
	before = pair > 0 ? high_of(samples, stride, count, pair - 1) : high;
	to[own_line * line + pair * stride] = samples[2 * pair * stride] + ((before + high + 2) >> 2);
	to[own_line * line + (count / 2 + pair) * stride] = high;
}
