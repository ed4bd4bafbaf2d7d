#include <strata/kernel.h>

#include "heartwall.h"

/*
 * One CTA follows one point through a frame, as in Rodinia: each step goes over an array in global memory, a thread per
 * element and round, and a barrier separates it from the next.  Only the turned template is in shared memory.
 */

/* The element indices of a thread: its own, and then every `threads` further. */
#define EACH(e, count) (unsigned int e = threadIdx.x; e < (count); e += threads)

template <unsigned int threads> static __device__ __forceinline__ void square_all(float *to, const float *from, unsigned int count)
{
#pragma unroll 1
	for EACH(e, count)
		to[e] = from[e] * from[e];
	__syncthreads();
}

/* to = a - to */
template <unsigned int threads> static __device__ __forceinline__ void subtract_from(const float *a, float *to, unsigned int count)
{
#pragma unroll 1
	for EACH(e, count)
		to[e] = a[e] - to[e];
	__syncthreads();
}

/* Copy rows x columns from (row, column) of an array with from_rows rows. */
template <unsigned int threads> static __device__ __forceinline__ void cut(float *to, unsigned int rows, unsigned int columns, const float *from,
					   unsigned int from_rows, unsigned int row, unsigned int column)
{
#pragma unroll 1
	for EACH(e, rows * columns)
		to[e] = from[(column + e / rows) * from_rows + row + e % rows];
	__syncthreads();
}

template <unsigned int threads> static __device__ __forceinline__ void pad(float *to, const float *from, const struct heartwall_shape &s)
{
#pragma unroll 1
	for EACH(e, s.padded * s.padded) {
		unsigned int row = e % s.padded - s.side;
		unsigned int column = e / s.padded - s.side;
		float value = 0.0f;

		if (row < s.region && column < s.region)
			value = from[column * s.region + row];
		to[e] = value;
	}
	__syncthreads();
}

/* Running sums, one thread per line: `count` elements, `step` apart. */
template <unsigned int threads> static __device__ __forceinline__ void run_sums(float *values, unsigned int lines, unsigned int line_step,
						unsigned int count, unsigned int step)
{
#pragma unroll 1
	for EACH(line, lines) {
		float *value = values + line * line_step;
		const float *end = value + count * step;
		float sum = 0.0f;

#pragma unroll 1
		for (; value != end; value += step) {
			*value += sum;
			sum = *value;
		}
	}
	__syncthreads();
}

/* Sums of side x side pixels at every place, from running sums down the columns and then along the rows. */
template <unsigned int threads> static __device__ __forceinline__ void box_sums(struct heartwall_work *w, float *sums, const float *region,
						const struct heartwall_shape &s)
{
	pad<threads>(w->padded, region, s);
	run_sums<threads>(w->padded, s.padded, s.padded, s.padded, 1);
	cut<threads>(w->strips, s.full, s.padded, w->padded, s.padded, s.side, 0);
	cut<threads>(w->before, s.full, s.padded, w->padded, s.padded, 0, 0);
	subtract_from<threads>(w->strips, w->before, s.full * s.padded);
	run_sums<threads>(w->before, s.full, 1, s.padded, s.full);
	cut<threads>(w->strips, s.full, s.full, w->before, s.full, 0, s.side);
	cut<threads>(sums, s.full, s.full, w->before, s.full, 0, 0);
	subtract_from<threads>(w->strips, sums, s.full * s.full);
}

/* The template, turned by half a circle, slides over the region. */
template <unsigned int threads> static __device__ __forceinline__ void convolve(float *products, const float *turned, const float *region,
						const struct heartwall_shape &s)
{
#pragma unroll 1
	for EACH(e, s.full * s.full) {
		unsigned int row = e % s.full;
		unsigned int column = e / s.full;
		unsigned int row_first = row < s.region ? 0 : row - s.region + 1;
		unsigned int row_end = row < s.side ? row + 1 : s.side;
		unsigned int column_end = column < s.side ? column + 1 : s.side;
		float sum = 0.0f;

#pragma unroll 1
		for (unsigned int c = column < s.region ? 0 : column - s.region + 1; c < column_end; c++)
#pragma unroll 1
			for (unsigned int r = row_first; r < row_end; r++)
				sum = fmaf(turned[c * s.side + r], region[(column - c) * s.region + row - r], sum);
		products[e] = sum;
	}
	__syncthreads();
}

/* How many marks the mask has around each place: 1 where the place is searched.  The score stays there only. */
template <unsigned int threads> static __device__ __forceinline__ void keep_near(float *scores, const float *mask, unsigned int full)
{
#pragma unroll 1
	for EACH(e, full * full) {
		unsigned int row = e % full + HEARTWALL_NEAR / 2;
		unsigned int column = e / full + HEARTWALL_NEAR / 2;
		unsigned int row_end = row < full ? row + 1 : full;
		unsigned int column_end = column < full ? column + 1 : full;
		float marks = 0.0f;

#pragma unroll 1
		for (unsigned int c = column < HEARTWALL_NEAR ? 0 : column - HEARTWALL_NEAR + 1; c < column_end; c++)
#pragma unroll 1
			for (unsigned int r = row < HEARTWALL_NEAR ? 0 : row - HEARTWALL_NEAR + 1; r < row_end; r++)
				marks += mask[c * full + r];
		scores[e] *= marks;
	}
	__syncthreads();
}

template <unsigned int threads> static __device__ __forceinline__ void track(const float *image,
									     struct heartwall_work *work,
									     const struct heartwall_shape &s,
									     unsigned int frame)
{
	__shared__ float turned[HEARTWALL_SIDE_MAX * HEARTWALL_SIDE_MAX];
	__shared__ float parts[HEARTWALL_SIDE_MAX];
	__shared__ float square_parts[HEARTWALL_SIDE_MAX];
	__shared__ float template_sum, template_spread;
	__shared__ float best[HEARTWALL_FULL_MAX];
	__shared__ unsigned int where[HEARTWALL_FULL_MAX];
	struct heartwall_work *w = &work[blockIdx.x];
	struct heartwall_point point = w->start;
	unsigned int area = s.side * s.side;
	unsigned int places = s.full * s.full;

	if (frame == 0) { /* gives the templates */
		cut<threads>(w->pixels, s.side, s.side, image, s.rows, point.row, point.column);
		return;
	}
	cut<threads>(w->region, s.region, s.region, image, s.rows, point.row - s.reach, point.column - s.reach);
#pragma unroll 1
	for EACH(e, area)
		turned[e] = w->pixels[area - 1 - e];
	__syncthreads();
	convolve<threads>(w->products, turned, w->region, s);

	box_sums<threads>(w, w->sums, w->region, s);
	square_all<threads>(w->region_squares, w->region, s.region * s.region);
	box_sums<threads>(w, w->square_sums, w->region_squares, s);
#pragma unroll 1
	for EACH(e, places)
		w->square_sums[e] = heartwall_spread(w->sums[e], w->square_sums[e], (float)area);
	__syncthreads();

	square_all<threads>(w->pixel_squares, w->pixels, area);
#pragma unroll 1
	for EACH(line, s.side) {
		float sum = 0.0f;
		float squares = 0.0f;

#pragma unroll 1
		for (unsigned int i = 0; i < s.side; i++)
			sum += w->pixels[line * s.side + i];
#pragma unroll 1
		for (unsigned int i = 0; i < s.side; i++)
			squares += w->pixel_squares[i * s.side + line];
		parts[line] = sum;
		square_parts[line] = squares;
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		float sum = 0.0f;
		float squares = 0.0f;

#pragma unroll 1
		for (unsigned int i = 0; i < s.side; i++) {
			sum += parts[i];
			squares += square_parts[i];
		}
		template_sum = sum;
		template_spread = heartwall_spread(sum, squares, (float)area);
	}
	__syncthreads();

#pragma unroll 1
	for EACH(e, places)
		w->square_sums[e] *= template_spread;
	__syncthreads();
#pragma unroll 1
	for EACH(e, places)
		w->products[e] = heartwall_centred(w->products[e], w->sums[e], template_sum, (float)area);
	__syncthreads();
#pragma unroll 1
	for EACH(e, places)
		w->scores[e] = w->products[e] / w->square_sums[e];
	__syncthreads();

	{
		unsigned int row = w->last.row - point.row + s.reach + s.side - 1;
		unsigned int column = w->last.column - point.column + s.reach + s.side - 1;

#pragma unroll 1
		for EACH(e, places)
			w->mask[e] = e == column * s.full + row ? 1.0f : 0.0f;
		__syncthreads();
	}
	keep_near<threads>(w->scores, w->mask, s.full);

#pragma unroll 1
	for EACH(line, s.full) {
		float high = 0.0f;
		unsigned int at = 0;

#pragma unroll 1
		for (unsigned int i = 0; i < s.full; i++) {
			float score = fabsf(w->scores[line * s.full + i]);

			if (score > high) {
				high = score;
				at = line * s.full + i;
			}
		}
		best[line] = high;
		where[line] = at;
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		float high = 0.0f;
		unsigned int at = 0;

#pragma unroll 1
		for (unsigned int line = 0; line < s.full; line++) {
			if (best[line] > high) {
				high = best[line];
				at = where[line];
			}
		}
		point.row += at % s.full - s.reach - s.side + 1;
		point.column += at / s.full - s.reach - s.side + 1;
		w->last = point;
		if (frame % HEARTWALL_RENEW == 0)
			w->start = point;
	}
	__syncthreads();
	if (frame % HEARTWALL_RENEW)
		return;
	point = w->start;
#pragma unroll 1
	for EACH(e, area) {
		float value = image[(point.column + e / s.side) * s.rows + point.row + e % s.side];

		w->pixels[e] = fmaf(HEARTWALL_KEEP, w->pixels[e] - value, value);
	}
}

extern "C" __global__ void heartwall_track(const float *image, struct heartwall_work *work, struct heartwall_shape s,
					   unsigned int frame)
{
	track<HEARTWALL_THREADS>(image, work, s, frame);
}

/* A round of a loop over elements is four of those of heartwall_track. */
extern "C" __global__ void heartwall_track_unrolled(const float *image, struct heartwall_work *work,
						    struct heartwall_shape s, unsigned int frame)
{
	track<HEARTWALL_UNROLLED_THREADS>(image, work, s, frame);
}
