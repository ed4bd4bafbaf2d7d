/* matrix.cu - a matrix and a vector (gemv, ger), and triangular systems (trsm). */
#include "blas.cuh"

enum { LANES = 32, GROUPS = 8 };

template <class T> DEVICE void put(T *y, T value, const struct blas_gemv_args &args)
{
	*y = combine(scalar_get(args.alpha, (T)0), value, scalar_get(args.beta, (T)0), y);
}

/* Rows are next to each other: a lane has a row, and each of the block's warps every eighth column. */
template <class T> DEVICE void gemv_by_lane(const struct blas_gemv_args &args, T (*sums)[LANES])
{
	const int row = (int)(blockIdx.x * LANES + threadIdx.x);

	for (unsigned int batch = blockIdx.z; batch < (unsigned int)args.batch_count; batch += gridDim.z) {
		const T *a = of_batch<const T>(args.a, batch) + row * args.a.row_stride;
		const T *x = of_batch<const T>(args.x, batch);
		T sum = 0;

		if (row < args.rows)
			for (int c = (int)threadIdx.y; c < args.columns; c += GROUPS)
				sum = multiply_add(a[c * args.a.column_stride], x[c * args.x.row_stride], sum);
		sums[threadIdx.y][threadIdx.x] = sum;
		block_sync(sums);
		if (!threadIdx.y && row < args.rows) {
			for (int g = 1; g < GROUPS; g++)
				sum += sums[g][threadIdx.x];
			put(of_batch<T>(args.y, batch) + row * args.y.row_stride, sum, args);
		}
		block_sync(sums);
	}
}

/* Columns are next to each other: a warp has a row, and each of its lanes every 32nd column. */
template <class T> DEVICE void gemv_by_warp(const struct blas_gemv_args &args)
{
	const int row = (int)(blockIdx.x * GROUPS + threadIdx.y);

	if (row >= args.rows)
		return;
	for (unsigned int batch = blockIdx.z; batch < (unsigned int)args.batch_count; batch += gridDim.z) {
		const T *a = of_batch<const T>(args.a, batch) + row * args.a.row_stride;
		const T *x = of_batch<const T>(args.x, batch);
		T sum = 0;

		for (int c = (int)threadIdx.x; c < args.columns; c += LANES)
			sum = multiply_add(a[c * args.a.column_stride], x[c * args.x.row_stride], sum);
		sum = warp_sum(sum);
		if (!threadIdx.x)
			put(of_batch<T>(args.y, batch) + row * args.y.row_stride, sum, args);
	}
}

/* A := A + alpha x y': a thread has a row, of eight columns. */
template <class T> DEVICE void ger(const struct blas_ger_args &args)
{
	const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	T *a = (T *)args.a + row;

	if (row >= args.rows)
		return;

	const T alpha = scalar_get(args.alpha, (T)0) * ((const T *)args.x)[row * args.incx];

	for (unsigned int first = blockIdx.y * GROUPS; first < (unsigned int)args.columns; first += gridDim.y * GROUPS)
		for (int c = (int)first; c < (int)first + GROUPS && c < args.columns; c++)
			a[c * args.lda] = multiply_add(alpha, ((const T *)args.y)[c * args.incy], a[c * args.lda]);
}

/* A block has a vector of B: one element after the other is known, and taken out of all that follow. */
template <class T> DEVICE void trsm(const struct blas_trsm_args &args)
{
	const long long vector_start = blockIdx.x * args.b.column_stride;
	const T alpha = scalar_get(args.alpha, (T)0);

	for (unsigned int batch = blockIdx.y; batch < (unsigned int)args.batch_count; batch += gridDim.y) {
		const T *a = of_batch<const T>(args.a, batch);
		T *b = of_batch<T>(args.b, batch) + vector_start;

		for (int e = (int)threadIdx.x; e < args.size; e += (int)blockDim.x)
			b[e * args.b.row_stride] = alpha == 0 ? 0 : alpha * b[e * args.b.row_stride];
		for (int step = 0; alpha != 0 && step < args.size; step++) {
			const int k = args.is_backward ? args.size - 1 - step : step;

			__syncthreads();
			T x = b[k * args.b.row_stride];

			if (!args.is_unit)
				x /= a[k * (args.a.row_stride + args.a.column_stride)];
			__syncthreads();
			if (!threadIdx.x)
				b[k * args.b.row_stride] = x;
			for (int s = step + 1 + (int)threadIdx.x; s < args.size; s += (int)blockDim.x) {
				const int i = args.is_backward ? args.size - 1 - s : s;
				const T m = a[i * args.a.row_stride + k * args.a.column_stride];

				b[i * args.b.row_stride] = multiply_add(-m, x, b[i * args.b.row_stride]);
			}
		}
		__syncthreads();
	}
}

#define MATRIX(suffix, type)                                                                    \
	extern "C" __global__ __launch_bounds__(LANES *GROUPS) void blas_gemv_by_lane_##suffix( \
	    struct blas_gemv_args args)                                                         \
	{                                                                                       \
		__shared__ type sums[GROUPS][LANES];                                            \
                                                                                                \
		gemv_by_lane<type>(args, sums);                                                 \
	}                                                                                       \
	extern "C" __global__ __launch_bounds__(LANES *GROUPS) void blas_gemv_by_warp_##suffix( \
	    struct blas_gemv_args args)                                                         \
	{                                                                                       \
		gemv_by_warp<type>(args);                                                       \
	}                                                                                       \
	extern "C" __global__ void blas_ger_##suffix(struct blas_ger_args args)                 \
	{                                                                                       \
		ger<type>(args);                                                                \
	}                                                                                       \
	extern "C" __global__ void blas_trsm_##suffix(struct blas_trsm_args args)               \
	{                                                                                       \
		trsm<type>(args);                                                               \
	}
MATRIX(f32, float)
MATRIX(f64, double)
