/*
 * What the kernels of today's workloads share: loads of 4 to 16 bytes a lane in the order in which they are written,
 * half precision, and sums over a warp.  Which of two loads a block begins with decides where a near-data processor
 * runs it, so that the compiler must not swap them: these loads are volatile assembly.
 *
 * To be included by .cu files, behind <strata/kernel.h>.
 */
#ifndef LANES_H
#define LANES_H

#define LANES_DEVICE static __device__ __forceinline__

struct lanes_f2 {
	float x, y;
};

struct lanes_f4 {
	float x, y, z, w;
};

struct lanes_u2 {
	unsigned int x, y;
};

struct lanes_u4 {
	unsigned int x, y, z, w;
};

LANES_DEVICE float lanes_load_f1(const float *from)
{
	float v;

	asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from));
	return v;
}

LANES_DEVICE struct lanes_f2 lanes_load_f2(const float *from)
{
	struct lanes_f2 v;

	asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(from));
	return v;
}

LANES_DEVICE struct lanes_f4 lanes_load_f4(const float *from)
{
	struct lanes_f4 v;

	asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
		     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
		     : "l"(from));
	return v;
}

LANES_DEVICE unsigned int lanes_load_u1(const unsigned int *from)
{
	unsigned int v;

	asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(from));
	return v;
}

LANES_DEVICE struct lanes_u2 lanes_load_u2(const void *from)
{
	struct lanes_u2 v;

	asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(from));
	return v;
}

LANES_DEVICE struct lanes_u4 lanes_load_u4(const void *from)
{
	struct lanes_u4 v;

	asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
		     : "l"(from));
	return v;
}

LANES_DEVICE void lanes_store_f2(float *to, struct lanes_f2 v)
{
	asm volatile("st.global.v2.f32 [%0], {%1, %2};" : : "l"(to), "f"(v.x), "f"(v.y) : "memory");
}

LANES_DEVICE void lanes_store_f4(float *to, struct lanes_f4 v)
{
	asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};"
		     :
		     : "l"(to), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
		     : "memory");
}

/* One of the two halves of a word as a float: exact. */
LANES_DEVICE float lanes_half(unsigned int bits)
{
	float v;

	asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"((unsigned short)bits));
	return v;
}

LANES_DEVICE unsigned short lanes_half_from(float v)
{
	unsigned short bits;

	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v));
	return bits;
}

LANES_DEVICE float lanes_half_low(unsigned int pair)
{
	return lanes_half(pair & 0xffff);
}

LANES_DEVICE float lanes_half_high(unsigned int pair)
{
	return lanes_half(pair >> 16);
}

LANES_DEVICE float lanes_dot(struct lanes_f4 a, struct lanes_f4 b)
{
	return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, a.w * b.w)));
}

/* Four halves of two words, times four floats. */
LANES_DEVICE float lanes_dot_half(unsigned int low, unsigned int high, struct lanes_f4 b)
{
	return lanes_dot({lanes_half_low(low), lanes_half_high(low), lanes_half_low(high), lanes_half_high(high)}, b);
}

/* What the lane whose number differs by `distance` has. */
LANES_DEVICE float lanes_other(float v, int distance)
{
	return __shfl_xor_sync(0xffffffffu, v, distance);
}

/* Every lane gets the same sum, or maximum, of all lanes. */
LANES_DEVICE float lanes_sum(float v)
{
	for (int distance = 16; distance; distance /= 2)
		v += lanes_other(v, distance);
	return v;
}

LANES_DEVICE float lanes_max(float v)
{
	for (int distance = 16; distance; distance /= 2)
		v = fmaxf(v, lanes_other(v, distance));
	return v;
}

/* A row of halves times a vector of floats, by a warp: 16 bytes of the row a lane, weights first.  `columns` is a
 * multiple of 8. */
LANES_DEVICE float lanes_row_half(const unsigned short *row, const float *vector, unsigned int columns,
				  unsigned int lane)
{
	float sum = 0;

#pragma unroll 1
	for (unsigned int c = lane * 8; c < columns; c += 256) {
		struct lanes_u4 w = lanes_load_u4(row + c);
		struct lanes_f4 low = lanes_load_f4(vector + c), high = lanes_load_f4(vector + c + 4);

		sum += lanes_dot_half(w.x, w.y, low) + lanes_dot_half(w.z, w.w, high);
	}
	return lanes_sum(sum);
}

#endif
