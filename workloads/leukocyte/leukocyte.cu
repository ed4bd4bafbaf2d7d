#include <strata/kernel.h>

#include "leukocyte.h"

/* How well a circle around a pixel fits the image's gradient: mean over deviation of the gradient across it, squared,
 * of the best of the circles; a thread per pixel. */
extern "C" __global__ void leukocyte_fit(const struct leukocyte_circles *circles, const float *gradient_x,
					 const float *gradient_y, float *fits, int rows, int columns)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int row = i / columns, column = i % columns;
	float best = 0;

	if (row >= rows)
		return;
	if (row >= LEUKOCYTE_MARGIN && row < rows - LEUKOCYTE_MARGIN && column >= LEUKOCYTE_MARGIN &&
	    column < columns - LEUKOCYTE_MARGIN) {
		for (int circle = 0; circle < LEUKOCYTE_CIRCLES; circle++) {
			float sum = 0, squares = 0, mean, variance;

			for (int k = 0; k < LEUKOCYTE_POINTS; k++) {
				int at = i + circles->along[circle][k] * columns + circles->across[circle][k];
				float across = gradient_x[at] * circles->cosines[k] + gradient_y[at] * circles->sines[k];

				sum += across;
				squares += across * across;
			}
			mean = sum / LEUKOCYTE_POINTS;
			variance = squares / LEUKOCYTE_POINTS - mean * mean;
			mean = mean * mean / (variance + 0.001f);
			best = best > mean ? best : mean;
		}
	}
	fits[i] = best;
}

/* The largest fit around a pixel, a thread each. */
extern "C" __global__ void leukocyte_dilate(const float *fits, float *largest, int rows, int columns)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int row = i / columns, column = i % columns;
	float best = 0;

	if (row >= rows)
		return;
	for (int y = row - LEUKOCYTE_REACH; y <= row + LEUKOCYTE_REACH; y++) {
		for (int x = column - LEUKOCYTE_REACH; x <= column + LEUKOCYTE_REACH; x++) {
			if (y >= 0 && y < rows && x >= 0 && x < columns)
				best = best > fits[y * columns + x] ? best : fits[y * columns + x];
		}
	}
	largest[i] = best;
}

/* A pixel of the window's next flow, from the eight around it; the window's edge repeats. */
static __device__ __forceinline__ float next_of(const float *flow, float edge, int i)
{
	int row = i / LEUKOCYTE_SIDE, column = i % LEUKOCYTE_SIDE;
	int up = row > 0 ? -LEUKOCYTE_SIDE : 0, down = row < LEUKOCYTE_SIDE - 1 ? LEUKOCYTE_SIDE : 0;
	int left = column > 0 ? -1 : 0, right = column < LEUKOCYTE_SIDE - 1 ? 1 : 0;
	float around[8] = {flow[i + up + left], flow[i + up],	     flow[i + up + right],   flow[i + left],
			   flow[i + right],	flow[i + down + left], flow[i + down], flow[i + down + right]};

	return leukocyte_next(flow[i], edge, around);
}

/*
 * The gradient vector flow of a cell's window, until it changes by less than `least` in all or `iterations` are done: a
 * CTA per cell. Changes are added up as integers, so that their order does not matter. `THREADS` sweep over the window;
 * unrolled, the sweep is straight code.
 */
template <int THREADS, bool IS_UNROLLED>
static __device__ __forceinline__ void flow_of(const float *edges, float *flows, int iterations, unsigned int least)
{
	__shared__ float flow[LEUKOCYTE_AREA];
	__shared__ unsigned int changes[THREADS];
	constexpr int rounds = (LEUKOCYTE_AREA + THREADS - 1) / THREADS;
	int thread = (int)threadIdx.x;
	const float *edge = edges + blockIdx.x * LEUKOCYTE_AREA;
	float own[rounds];

	for (int i = thread; i < LEUKOCYTE_AREA; i += THREADS)
		flow[i] = edge[i];
	__syncthreads();
	for (int iteration = 0; iteration < iterations; iteration++) {
		unsigned int change = 0;

		if (IS_UNROLLED) {
#pragma unroll
			for (int k = 0; k < rounds; k++) {
				int i = thread + k * THREADS;

				if (i < LEUKOCYTE_AREA)
					own[k] = next_of(flow, edge[i], i);
			}
			__syncthreads();
#pragma unroll
			for (int k = 0; k < rounds; k++) {
				int i = thread + k * THREADS;

				if (i < LEUKOCYTE_AREA) {
					change += (unsigned int)(fabsf(own[k] - flow[i]) * LEUKOCYTE_UNIT);
					flow[i] = own[k];
				}
			}
		} else {
			float *next = flows + blockIdx.x * LEUKOCYTE_AREA;

#pragma unroll 1
			for (int i = thread; i < LEUKOCYTE_AREA; i += THREADS)
				next[i] = next_of(flow, edge[i], i);
			__syncthreads();
#pragma unroll 1
			for (int i = thread; i < LEUKOCYTE_AREA; i += THREADS) {
				change += (unsigned int)(fabsf(next[i] - flow[i]) * LEUKOCYTE_UNIT);
				flow[i] = next[i];
			}
		}
		changes[thread] = change;
		__syncthreads();
		for (int half = 512; half > 0; half /= 2) {
			if (thread < half && thread + half < THREADS)
				changes[thread] += changes[thread + half];
			__syncthreads();
		}
		change = changes[0];
		__syncthreads();
		if (change < least)
			break;
	}
	for (int i = thread; i < LEUKOCYTE_AREA; i += THREADS)
		flows[blockIdx.x * LEUKOCYTE_AREA + i] = flow[i];
}

extern "C" __global__ void leukocyte_flow_original(const float *edges, float *flows, int iterations, unsigned int least)
{
	flow_of<LEUKOCYTE_THREADS, false>(edges, flows, iterations, least);
}

extern "C" __global__ void leukocyte_flow_unrolled(const float *edges, float *flows, int iterations, unsigned int least)
{
	flow_of<LEUKOCYTE_UNROLLED_THREADS, true>(edges, flows, iterations, least);
}
