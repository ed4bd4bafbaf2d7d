// What a warp does together: shuffles, votes, matches, a reduction and a scan without shared memory; bit functions.
#include "program.h"

enum { N = 128 };

__global__ void warp_functions(int *out)
{
	int i = threadIdx.x, lane = i & 31;
	const unsigned int all = 0xffffffffu;
	int sum = i, scan = i;

	for (int d = 16; d; d /= 2)
		sum += __shfl_xor_sync(all, sum, d);
	for (int d = 1; d < 32; d *= 2) {
		int before = __shfl_up_sync(all, scan, d);

		if (lane >= d)
			scan += before;
	}
	out[i] = sum;
	out[N + i] = scan;
	out[2 * N + i] = __shfl_sync(all, i, 5) * 1000 + __shfl_sync(all, i, 3, 8);
	out[3 * N + i] = (int)__ballot_sync(all, i % 3 == 0);
	out[4 * N + i] = __any_sync(all, i == 40) + 2 * __all_sync(all, i >= 32);
	out[5 * N + i] = (int)__match_any_sync(all, lane / 4);

	double d = __shfl_down_sync(all, i * 0.5, 1);
	long long wide = __shfl_xor_sync(all, (long long)i << 33, 1);

	out[6 * N + i] = (int)(d * 2) + (int)(wide >> 33) * 1000;
}

__global__ void bits(const unsigned int *in, unsigned int *out)
{
	unsigned int x = in[threadIdx.x], y = in[threadIdx.x ^ 1];
	unsigned long long both = (unsigned long long)x << 32 | y;
	unsigned int *o = out + threadIdx.x * 12;

	o[0] = __popc(x);
	o[1] = __clz((int)x);
	o[2] = __ffs((int)x);
	o[3] = __brev(x);
	o[4] = __popcll(both);
	o[5] = __clzll((long long)both);
	o[6] = __umulhi(x, y);
	o[7] = __byte_perm(x, y, 0x5104);
	o[8] = __funnelshift_l(x, y, 9);
	o[9] = (unsigned int)__mul24((int)(x & 0xffff), (int)(y & 0xff));
	o[10] = __uint_as_float(x) == __uint_as_float(y);
	o[11] = max(min(x, y), 77u);
}

static unsigned int reverse(unsigned int x)
{
	unsigned int r = 0;

	for (int i = 0; i < 32; i++)
		r |= (x >> i & 1) << (31 - i);
	return r;
}

static void test_bits(void)
{
	enum { COUNT = 32 };
	unsigned int *in, *out, state = 1;

	OK(cudaMallocManaged(&in, COUNT * sizeof(*in)));
	OK(cudaMallocManaged(&out, COUNT * 12 * sizeof(*out)));
	for (int i = 0; i < COUNT; i++)
		in[i] = next_random(&state) >> (i % 20);
	in[3] = 0;
	in[4] = ~0u;
	bits<<<1, COUNT>>>(in, out);
	LAUNCHED();
	for (int i = 0; i < COUNT; i++) {
		unsigned int x = in[i], y = in[i ^ 1], *o = out + i * 12;
		unsigned long long both = (unsigned long long)x << 32 | y;

		CHECK(o[0] == (unsigned int)__builtin_popcount(x));
		CHECK(o[1] == (x ? (unsigned int)__builtin_clz(x) : 32));
		CHECK(o[2] == (unsigned int)__builtin_ffs((int)x));
		CHECK(o[3] == reverse(x));
		CHECK(o[4] == (unsigned int)__builtin_popcountll(both));
		CHECK(o[5] == (both ? (unsigned int)__builtin_clzll(both) : 64));
		CHECK(o[6] == (unsigned int)((unsigned long long)x * y >> 32));
		CHECK(o[7] == ((y & 0xff) | (x & 0xff) << 8 | (x >> 8 & 0xff) << 16 | (y >> 8 & 0xff) << 24));
		CHECK(o[8] == (y << 9 | x >> 23));
		CHECK(o[9] == (x & 0xffff) * (y & 0xff));
		CHECK(o[11] == ((x < y ? x : y) > 77 ? (x < y ? x : y) : 77));
	}
	OK(cudaFree(in));
	OK(cudaFree(out));
}

int main()
{
	int *out;

	OK(cudaMallocManaged(&out, 7 * N * sizeof(int)));
	warp_functions<<<1, N>>>(out);
	LAUNCHED();
	for (int i = 0; i < N; i++) {
		int first = i / 32 * 32, lane = i % 32;
		unsigned int ballot = 0;

		for (int l = 0; l < 32; l++)
			ballot |= (unsigned int)((first + l) % 3 == 0) << l;
		CHECK(out[i] == 32 * first + 496);
		CHECK(out[N + i] == first * (lane + 1) + lane * (lane + 1) / 2);
		CHECK(out[2 * N + i] == (first + 5) * 1000 + i / 8 * 8 + 3);
		CHECK((unsigned int)out[3 * N + i] == ballot);
		CHECK(out[4 * N + i] == (first == 32) + 2 * (first >= 32));
		CHECK((unsigned int)out[5 * N + i] == 0xfu << (lane / 4 * 4));
		CHECK(out[6 * N + i] == (lane < 31 ? i + 1 : i) + (i ^ 1) * 1000);
	}
	OK(cudaFree(out));
	test_bits();
	return 0;
}
