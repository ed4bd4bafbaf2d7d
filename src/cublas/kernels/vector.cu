/* vector.cu - vectors: axpy, scal, copy, swap; and one number of one or two vectors: dot, asum, nrm2, iamax, iamin. */
#include "blas.cuh"

enum { THREADS = 256, WARPS = THREADS / 32 };

DEVICE long long first_element(void)
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

DEVICE long long elements_apart(void)
{
	return (long long)gridDim.x * blockDim.x;
}

template <class T> DEVICE void axpy(const struct blas_vector_args &args)
{
	typedef typename sum_of<T>::type sum;
	const sum alpha = scalar_get(args.alpha, (sum)0);
	const T *x = (const T *)args.x;
	T *y = (T *)args.y;

	for (long long i = first_element(); i < args.n; i += elements_apart())
		from_float(&y[i * args.incy],
			   multiply_add(alpha, to_float(x[i * args.incx]), to_float(y[i * args.incy])));
}

template <class T> DEVICE void scal(const struct blas_vector_args &args)
{
	typedef typename sum_of<T>::type sum;
	const sum alpha = scalar_get(args.alpha, (sum)0);
	T *x = (T *)args.y;

	for (long long i = first_element(); i < args.n; i += elements_apart())
		from_float(&x[i * args.incy], alpha * to_float(x[i * args.incy]));
}

template <class T> DEVICE void copy(const struct blas_vector_args &args)
{
	for (long long i = first_element(); i < args.n; i += elements_apart())
		((T *)args.y)[i * args.incy] = ((const T *)args.x)[i * args.incx];
}

template <class T> DEVICE void swap(const struct blas_vector_args &args)
{
	T *x = (T *)args.x, *y = (T *)args.y;

	for (long long i = first_element(); i < args.n; i += elements_apart()) {
		const T kept = x[i * args.incx];

		x[i * args.incx] = y[i * args.incy];
		y[i * args.incy] = kept;
	}
}

#define VECTOR(operation, suffix, type)                                                      \
	extern "C" __global__ void blas_##operation##_##suffix(struct blas_vector_args args) \
	{                                                                                    \
		operation<type>(args);                                                       \
	}
VECTOR(axpy, f32, float)
VECTOR(axpy, f64, double)
VECTOR(axpy, f16, struct f16)
VECTOR(axpy, bf16, struct bf16)
VECTOR(scal, f32, float)
VECTOR(scal, f64, double)
VECTOR(scal, f16, struct f16)
VECTOR(scal, bf16, struct bf16)
VECTOR(copy, b32, unsigned int)
VECTOR(copy, b64, unsigned long long)
VECTOR(swap, b32, unsigned int)
VECTOR(swap, b64, unsigned long long)

/*
 * One number: each operation has what a thread keeps (`kept`), how an element joins it, how two of them become one, and
 * what is stored at the end. Every block leaves one in `partials`; the last block to do so joins them, in their order,
 * so that the same call has the same result.
 */
template <class T> struct dot {
	typedef typename sum_of<T>::type kept;
	typedef kept stored;
	enum { HAS_Y = 1 };
	static __device__ __forceinline__ kept none(void)
	{
		return 0;
	}
	static __device__ __forceinline__ void join(kept *to, T x, T y, long long)
	{
		*to = multiply_add(to_float(x), to_float(y), *to);
	}
	static __device__ __forceinline__ void merge(kept *to, kept other)
	{
		*to += other;
	}
	static __device__ __forceinline__ kept lane(kept x, int distance)
	{
		return from_lane(x, distance);
	}
	static __device__ __forceinline__ stored end(kept x)
	{
		return x;
	}
};

template <class T> struct asum : dot<T> {
	typedef typename sum_of<T>::type kept;
	enum { HAS_Y = 0 };
	static __device__ __forceinline__ void join(kept *to, T x, T, long long)
	{
		const kept value = to_float(x);

		*to += value < 0 ? -value : value;
	}
};

/* Squares of floats are added as doubles, which hold every square of a float. */
template <class T> struct nrm2 {
	typedef double kept;
	typedef float stored;
	enum { HAS_Y = 0 };
	static __device__ __forceinline__ kept none(void)
	{
		return 0;
	}
	static __device__ __forceinline__ void join(kept *to, T x, T, long long)
	{
		const double value = to_float(x);

		*to = multiply_add(value, value, *to);
	}
	static __device__ __forceinline__ void merge(kept *to, kept other)
	{
		*to += other;
	}
	static __device__ __forceinline__ kept lane(kept x, int distance)
	{
		return from_lane(x, distance);
	}
	static __device__ __forceinline__ stored end(kept x)
	{
		return (float)__nvvm_sqrt_rn_d(x);
	}
};

/* Those of doubles do not fit: scale^2 * sum, as in LAPACK's lassq. */
struct scaled {
	double scale, sum;
};

template <> struct nrm2<double> {
	typedef struct scaled kept;
	typedef double stored;
	enum { HAS_Y = 0 };
	static __device__ __forceinline__ kept none(void)
	{
		return {0, 0};
	}
	static __device__ __forceinline__ void merge(kept *to, kept other)
	{
		const struct scaled big = to->scale < other.scale ? other : *to;
		const struct scaled small = to->scale < other.scale ? *to : other;
		const double ratio = small.scale == big.scale ? 1 : small.scale / big.scale;

		to->scale = big.scale;
		to->sum = big.sum + small.sum * ratio * ratio;
	}
	static __device__ __forceinline__ void join(kept *to, double x, double, long long)
	{
		if (x != 0)
			merge(to, {x < 0 ? -x : x, 1});
	}
	static __device__ __forceinline__ kept lane(kept x, int distance)
	{
		return {from_lane(x.scale, distance), from_lane(x.sum, distance)};
	}
	static __device__ __forceinline__ stored end(kept x)
	{
		return x.scale * __nvvm_sqrt_rn_d(x.sum);
	}
};

/* The first element of the largest or least magnitude, counted from 1. */
template <class T> struct place {
	T value;
	long long index; /* 0: none */
};

template <class T, bool IS_MAX> struct extreme {
	typedef struct place<T> kept;
	typedef long long stored;
	enum { HAS_Y = 0 };
	static __device__ __forceinline__ kept none(void)
	{
		return {0, 0};
	}
	static __device__ __forceinline__ void merge(kept *to, kept other)
	{
		const bool is_better = IS_MAX ? other.value > to->value : other.value < to->value;

		if (other.index && (!to->index || is_better || (other.value == to->value && other.index < to->index)))
			*to = other;
	}
	static __device__ __forceinline__ void join(kept *to, T x, T, long long i)
	{
		merge(to, {x < 0 ? -x : x, i + 1});
	}
	static __device__ __forceinline__ kept lane(kept x, int distance)
	{
		return {from_lane(x.value, distance), from_lane(x.index, distance)};
	}
	static __device__ __forceinline__ stored end(kept x)
	{
		return x.index;
	}
};

template <class T> struct amax : extreme<T, true> {
};

template <class T> struct amin : extreme<T, false> {
};

template <class S> DEVICE void store(const struct blas_reduce_args &args, S value)
{
	*(S *)args.result = value;
}

DEVICE void store(const struct blas_reduce_args &args, long long value)
{
	if (args.is_index_wide)
		*(long long *)args.result = value;
	else
		*(int *)args.result = (int)value;
}

/* Sums of 16-bit elements may be wanted as such. */
template <class T, class S> DEVICE void store_as(const struct blas_reduce_args &args, S value)
{
	if (args.is_result_half)
		from_float((T *)args.result, value);
	else
		store(args, value);
}

template <class OP> DEVICE typename OP::kept warp_merge(typename OP::kept mine)
{
#pragma unroll 1
	for (int distance = 16; distance; distance /= 2)
		OP::merge(&mine, OP::lane(mine, distance));
	return mine;
}

/* What all threads of the block keep, in thread 0. The caller's threads have all come. */
template <class OP> DEVICE typename OP::kept block_merge(typename OP::kept mine, typename OP::kept *of_warps)
{
	mine = warp_merge<OP>(mine);
	if (threadIdx.x % 32 == 0)
		of_warps[threadIdx.x / 32] = mine;
	block_sync(of_warps);
	if (!threadIdx.x)
#pragma unroll 1
		for (int w = 1; w < WARPS; w++)
			OP::merge(&mine, of_warps[w]);
	return mine;
}

template <class OP, class T> DEVICE typename OP::kept of_elements(const struct blas_reduce_args &args)
{
	const T *x = (const T *)args.x, *y = (const T *)(OP::HAS_Y ? args.y : args.x);
	const long long incy = OP::HAS_Y ? args.incy : args.incx;
	typename OP::kept mine = OP::none();

	for (long long i = first_element(); i < args.n; i += elements_apart())
		OP::join(&mine, x[i * args.incx], y[i * incy], i);
	return mine;
}

template <class OP, class T>
DEVICE typename OP::kept reduce(const struct blas_reduce_args &args, bool *is_last, typename OP::kept *of_warps)
{
	typename OP::kept mine = block_merge<OP>(of_elements<OP, T>(args), of_warps);

	if (!threadIdx.x) {
		((typename OP::kept *)args.partials)[blockIdx.x] = mine;
		__threadfence();
		*is_last = atomicAdd(args.counter, 1u) == gridDim.x - 1;
	}
	block_sync(is_last);
	if (!*is_last)
		return mine;
	__threadfence();
	mine = OP::none();
#pragma unroll 1
	for (unsigned int b = threadIdx.x; b < gridDim.x; b += THREADS)
		OP::merge(&mine, ((typename OP::kept *)args.partials)[b]);
	return block_merge<OP>(mine, of_warps);
}

#define REDUCE(operation, suffix, type, how)                                               \
	extern "C" __global__ __launch_bounds__(THREADS) void blas_##operation##_##suffix( \
	    struct blas_reduce_args args)                                                  \
	{                                                                                  \
		typedef operation<type> op;                                                \
		__shared__ bool is_last;                                                   \
		__shared__ typename op::kept of_warps[WARPS];                              \
		typename op::kept all = reduce<op, type>(args, &is_last, of_warps);        \
                                                                                           \
		if (is_last && !threadIdx.x) {                                             \
			how(args, op::end(all));                                           \
			*args.counter = 0;                                                 \
		}                                                                          \
	}
REDUCE(dot, f32, float, store)
REDUCE(dot, f64, double, store)
REDUCE(dot, f16, struct f16, store_as<struct f16>)
REDUCE(dot, bf16, struct bf16, store_as<struct bf16>)
REDUCE(asum, f32, float, store)
REDUCE(asum, f64, double, store)
REDUCE(nrm2, f32, float, store)
REDUCE(nrm2, f64, double, store)
REDUCE(nrm2, f16, struct f16, store_as<struct f16>)
REDUCE(nrm2, bf16, struct bf16, store_as<struct bf16>)
REDUCE(amax, f32, float, store)
REDUCE(amax, f64, double, store)
REDUCE(amin, f32, float, store)
REDUCE(amin, f64, double, store)
