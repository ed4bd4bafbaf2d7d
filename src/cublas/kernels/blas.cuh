/* blas.cuh - what the kernels share: types of elements, scalars, sums over a warp. */
#ifndef STRATA_BLAS_CUH
#define STRATA_BLAS_CUH

#include <strata/kernel.h>

#include "args.h"

#define DEVICE static __device__ __forceinline__

/* 16-bit elements are kept as their bits, in types of their own. */
struct f16 {
	unsigned short bits;
};

struct bf16 {
	unsigned short bits;
};

DEVICE float to_float(float x)
{
	return x;
}

DEVICE double to_float(double x)
{
	return x;
}

DEVICE int to_float(int x)
{
	return x;
}

DEVICE int to_float(signed char x)
{
	return x;
}

DEVICE float to_float(struct f16 x)
{
	float value;

	asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x.bits));
	return value;
}

DEVICE float to_float(struct bf16 x)
{
	return __nvvm_bitcast_i2f((int)((unsigned int)x.bits << 16));
}

DEVICE void from_float(float *to, float x)
{
	*to = x;
}

DEVICE void from_float(double *to, double x)
{
	*to = x;
}

DEVICE void from_float(int *to, int x)
{
	*to = x;
}

DEVICE void from_float(struct f16 *to, float x)
{
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(x));
}

DEVICE void from_float(struct bf16 *to, float x)
{
	unsigned int bits = (unsigned int)__nvvm_bitcast_f2i(x);

	if ((bits & 0x7fffffff) > 0x7f800000)
		bits |= 0x400000;
	else
		bits += 0x7fff + (bits >> 16 & 1);
	to->bits = (unsigned short)(bits >> 16);
}

/* A factor; the second parameter says which type it has. The empty instructions keep clang from choosing between two
 * addresses, for which it would put the argument into local memory. */
DEVICE float scalar_get(const struct blas_scalar &s, float)
{
	float value = s.value.f;

	asm("" : "+f"(value));
	if (!s.address)
		return value;
	return s.is_half ? to_float(*(const struct f16 *)s.address) : *(const float *)s.address;
}

DEVICE double scalar_get(const struct blas_scalar &s, double)
{
	double value = s.value.d;

	asm("" : "+d"(value));
	return s.address ? *(const double *)s.address : value;
}

DEVICE int scalar_get(const struct blas_scalar &s, int)
{
	int value = s.value.i;

	asm("" : "+r"(value));
	return s.address ? *(const int *)s.address : value;
}

/* The type in which elements are multiplied and added. */
template <class T> struct sum_of {
	typedef float type;
};

template <> struct sum_of<double> {
	typedef double type;
};

template <> struct sum_of<signed char> {
	typedef int type;
};

DEVICE float multiply_add(float a, float b, float c)
{
	return fmaf(a, b, c);
}

DEVICE double multiply_add(double a, double b, double c)
{
	return __nvvm_fma_rn_d(a, b, c);
}

DEVICE int multiply_add(int a, int b, int c)
{
	return a * b + c;
}

/* A barrier behind which all threads see what is in `shared`. clang takes shared memory of a kernel whose address goes
 * nowhere for something that a barrier cannot change, and moves loads across it; here it goes somewhere. */
DEVICE void block_sync(void *shared)
{
	asm volatile("" : : "l"(shared) : "memory");
	__syncthreads();
	asm volatile("" : : "l"(shared) : "memory");
}

/* alpha * sum + beta * *c; with a factor of 0, what stands behind it counts for nothing: C is not read. */
template <class S, class C> DEVICE S combine(S alpha, S sum, S beta, const C *c)
{
	const S value = alpha == 0 ? 0 : alpha * sum;

	return beta == 0 ? value : multiply_add(beta, (S)to_float(*c), value);
}

DEVICE float from_lane(float x, int distance)
{
	return __shfl_xor_sync(0xffffffffu, x, distance);
}

DEVICE int from_lane(int x, int distance)
{
	return __shfl_xor_sync(0xffffffffu, x, distance);
}

DEVICE long long from_lane(long long x, int distance)
{
	const int low = from_lane((int)x, distance), high = from_lane((int)(x >> 32), distance);

	return (long long)high << 32 | (unsigned int)low;
}

DEVICE double from_lane(double x, int distance)
{
	return __nvvm_bitcast_ll2d(from_lane(__nvvm_bitcast_d2ll(x), distance));
}

template <class T> DEVICE T warp_sum(T x)
{
	for (int distance = 16; distance; distance /= 2)
		x += from_lane(x, distance);
	return x;
}

template <class T> DEVICE T *of_batch(const struct blas_operand &o, unsigned int batch)
{
	return o.list ? (T *)o.list[batch] : (T *)o.base + batch * o.batch_stride;
}

#endif
