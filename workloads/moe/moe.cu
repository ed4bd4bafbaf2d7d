#include <strata/kernel.h>

#include "../common/lanes.h"
#include "moe.h"

/*
 * A token per warp: the scores of all experts, those of the `best` highest, of equal ones the lower number, and their
 * shares, a softmax over them.
 */
extern "C" __global__ void moe_route(const float *router, const float *tokens, unsigned int *chosen, float *shares,
				     unsigned int experts, unsigned int best, unsigned int width)
{
	__shared__ float scores[MOE_EXPERTS_MAX];
	unsigned int token = blockIdx.x, lane = threadIdx.x, own = 0;
	const float *x = tokens + (unsigned long long)token * width;
	float first = 0, sum = 0, part = 0;

	for (unsigned int e = 0; e < experts; e++) {
		const float *row = router + (unsigned long long)e * width;
		float score = 0;

#pragma unroll 1
		for (unsigned int c = 4 * lane; c < width; c += 128)
			score += lanes_dot(lanes_load_f4(row + c), lanes_load_f4(x + c));
		score = lanes_sum(score);
		if (lane == 0)
			scores[e] = score;
	}
	__syncthreads();
	for (unsigned int b = 0; b < best; b++) {
		unsigned int at = 0;

		for (unsigned int e = 1; e < experts; e++)
			if (scores[e] > scores[at])
				at = e;
		if (b == 0)
			first = scores[at];
		if (lane == b) {
			own = at;
			part = __expf(scores[at] - first);
		}
		__syncthreads();
		if (lane == 0)
			scores[at] = -1e30f;
		__syncthreads();
	}
	sum = lanes_sum(part);
	if (lane < best) {
		chosen[token * best + lane] = own;
		shares[token * best + lane] = part / sum;
	}
}

/* A row of a chosen expert's two upper matrices per warp: SiLU of the one's product, times the other's (SwiGLU). */
extern "C" __global__ void moe_up(const unsigned short *gates, const unsigned short *ups, const float *tokens,
				  const unsigned int *chosen, float *hidden, unsigned int best, unsigned int width,
				  unsigned int inner)
{
	unsigned int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, slot = blockIdx.y;
	const float *x = tokens + (unsigned long long)(slot / best) * width;
	unsigned long long at;
	float gate, up;

	if (row >= inner)
		return;
	at = ((unsigned long long)chosen[slot] * inner + row) * width;
	gate = lanes_row_half(gates + at, x, width, lane);
	up = lanes_row_half(ups + at, x, width, lane);
	if (lane == 0)
		hidden[(unsigned long long)slot * inner + row] = gate / (1 + __expf(-gate)) * up;
}

/* A row of a chosen expert's lower matrix per warp. */
extern "C" __global__ void moe_down(const unsigned short *downs, const float *hidden, const unsigned int *chosen,
				    float *parts, unsigned int width, unsigned int inner)
{
	unsigned int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, slot = blockIdx.y;
	float sum;

	if (row >= width)
		return;
	sum = lanes_row_half(downs + ((unsigned long long)chosen[slot] * width + row) * inner,
			     hidden + (unsigned long long)slot * inner, inner, lane);
	if (lane == 0)
		parts[(unsigned long long)slot * width + row] = sum;
}

/* A token's experts by their shares: an element per thread. */
extern "C" __global__ void moe_mix(const float *parts, const float *shares, float *result, unsigned int best,
				   unsigned int width)
{
	unsigned int c = blockIdx.x * blockDim.x + threadIdx.x, token = blockIdx.y;
	float sum = 0;

	if (c >= width)
		return;
	for (unsigned int b = 0; b < best; b++)
		sum += shares[token * best + b] * parts[(unsigned long long)(token * best + b) * width + c];
	result[(unsigned long long)token * width + c] = sum;
}
