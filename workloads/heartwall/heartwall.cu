#include <strata/kernel.h>

#include "heartwall.h"

/*
 * Every displacement of every point: correlate the point's template, which the CTA keeps in shared memory, with the
 * frame.  blockIdx.y is the point, a thread is one displacement.
 */
extern "C" __global__ void heartwall_correlate(const float *frame, const float *templates,
					       const struct heartwall_point *points, float *products, unsigned int width,
					       unsigned int side, unsigned int reach)
{
	unsigned int span = 2 * reach + 1;
	unsigned int d = blockIdx.x * blockDim.x + threadIdx.x;
	__shared__ float pixels[HEARTWALL_SIDE_MAX * HEARTWALL_SIDE_MAX];
	const float *window;
	float sum = 0.0f;

	for (unsigned int i = threadIdx.x; i < side * side; i += blockDim.x)
		pixels[i] = templates[blockIdx.y * side * side + i];
	__syncthreads();
	if (d >= span * span)
		return;
	window = frame + (points[blockIdx.y].y + d / span - reach) * width + points[blockIdx.y].x + d % span - reach;
#pragma unroll 1
	for (unsigned int row = 0; row < side; row++) {
#pragma unroll 1
		for (unsigned int column = 0; column < side; column++)
			sum = fmaf(pixels[row * side + column], window[row * width + column], sum);
	}
	products[blockIdx.y * span * span + d] = sum;
}

/* Sums of `side` pixels downwards, and of their squares, at every place where a window can have a column. */
extern "C" __global__ void heartwall_columns(const float *frame, const struct heartwall_point *points, float *sums,
					     float *squares, unsigned int width, unsigned int side, unsigned int reach)
{
	unsigned int span = 2 * reach + 1;
	unsigned int columns = span + side - 1;
	unsigned int place = blockIdx.x * blockDim.x + threadIdx.x;
	const float *pixel;
	float sum = 0.0f;
	float square = 0.0f;

	if (place >= span * columns)
		return;
	pixel = frame + (points[blockIdx.y].y + place / columns - reach) * width + points[blockIdx.y].x +
		place % columns - reach;
#pragma unroll 1
	for (unsigned int row = 0; row < side; row++) {
		float value = pixel[row * width];

		sum += value;
		square = fmaf(value, value, square);
	}
	sums[blockIdx.y * span * columns + place] = sum;
	squares[blockIdx.y * span * columns + place] = square;
}

/* Score every displacement of every point. */
extern "C" __global__ void heartwall_rate(const float *products, const float *sums, const float *squares,
					  const float *template_sums, float *scores, unsigned int side,
					  unsigned int reach)
{
	unsigned int span = 2 * reach + 1;
	unsigned int columns = span + side - 1;
	unsigned int d = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int first;
	float sum = 0.0f;
	float square = 0.0f;

	if (d >= span * span)
		return;
	first = (blockIdx.y * span + d / span) * columns + d % span;
#pragma unroll 1
	for (unsigned int column = 0; column < side; column++) {
		sum += sums[first + column];
		square += squares[first + column];
	}
	scores[blockIdx.y * span * span + d] = heartwall_score(products[blockIdx.y * span * span + d], sum, square,
							       template_sums[blockIdx.y], (float)(side * side));
}

/*
 * One CTA of 128 threads per point: the best displacement, the first of equals, moves the point; then the template
 * takes a share of what is there now.
 */
extern "C" __global__ void heartwall_move(const float *frame, const float *scores, struct heartwall_point *points,
					  float *templates, float *template_sums, unsigned int width, unsigned int side,
					  unsigned int reach)
{
	__shared__ float best[128];
	__shared__ unsigned int where[128];
	unsigned int span = 2 * reach + 1;
	unsigned int t = threadIdx.x;
	float *pixels = templates + blockIdx.x * side * side;
	const float *window;
	float high = -3.402823466e38f;
	unsigned int at = 0;

#pragma unroll 1
	for (unsigned int d = t; d < span * span; d += 128) {
		float score = scores[blockIdx.x * span * span + d];

		if (score > high) {
			high = score;
			at = d;
		}
	}
	best[t] = high;
	where[t] = at;
	__syncthreads();
#pragma unroll 1
	for (unsigned int half = 64; half > 0; half /= 2) {
		if (t < half && (best[t + half] > best[t] ||
				 (best[t + half] == best[t] && where[t + half] < where[t]))) {
			best[t] = best[t + half];
			where[t] = where[t + half];
		}
		__syncthreads();
	}
	at = where[0];
	window = frame + (points[blockIdx.x].y + at / span - reach) * width + points[blockIdx.x].x + at % span - reach;
#pragma unroll 1
	for (unsigned int i = t; i < side * side; i += 128)
		pixels[i] = fmaf(HEARTWALL_KEEP, pixels[i] - window[i / side * width + i % side],
				 window[i / side * width + i % side]);
	__syncthreads();
	if (t == 0) {
		float sum = 0.0f;

#pragma unroll 1
		for (unsigned int i = 0; i < side * side; i++)
			sum += pixels[i];
		template_sums[blockIdx.x] = sum;
		points[blockIdx.x].x += at % span - reach;
		points[blockIdx.x].y += at / span - reach;
	}
}
