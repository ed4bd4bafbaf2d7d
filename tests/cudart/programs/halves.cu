// Half precision: conversions on both sides, arithmetic on one and on two, operators.
#include <math.h>

#include <cuda_fp16.h>

#include "program.h"

enum { N = 256 };

__global__ void compute(const float *in, float *out)
{
	int i = threadIdx.x;
	__half a = __float2half(in[i]), b = __float2half(in[N - 1 - i]);
	__half2 pair = __halves2half2(a, b), sum = __hadd2(pair, __half2half2(a)), product = __hfma2(pair, pair, pair);

	out[i] = __half2float(__hadd(a, b));
	out[N + i] = __half2float(__hmul(a, b));
	out[2 * N + i] = __half2float(__hfma(a, b, a));
	out[3 * N + i] = __low2float(sum) + 1000 * (__high2float(sum) == __half2float(__hadd(b, a)));
	out[4 * N + i] = __high2float(product);
	out[5 * N + i] = __half2float(a - b) + 100000.0f * (a < b);
	out[6 * N + i] = __half2float(hsqrt(__habs(a)));
	out[7 * N + i] = __half2float(a);
}

__global__ void convert(const float *in, unsigned short *out)
{
	out[threadIdx.x] = __half_as_ushort(__float2half_rn(in[threadIdx.x]));
}

/* To the nearest half of normal size. */
static float rounded(double x)
{
	int e;

	if (x == 0)
		return 0;
	frexp(x, &e);
	return (float)(nearbyint(ldexp(x, 11 - e)) * ldexp(1, e - 11));
}

int main()
{
	float *in, *out;
	unsigned short *bits;

	OK(cudaMallocManaged(&in, N * sizeof(float)));
	OK(cudaMallocManaged(&out, 8 * N * sizeof(float)));
	OK(cudaMallocManaged(&bits, N * sizeof(*bits)));
	for (int i = 0; i < N; i++)
		in[i] = (i - 100) * 0.37f;
	compute<<<1, N>>>(in, out);
	LAUNCHED();
	for (int i = 0; i < N; i++) {
		double a = rounded(in[i]), b = rounded(in[N - 1 - i]);

		CHECK(out[7 * N + i] == (float)a);
		CHECK(out[i] == rounded(a + b) && out[N + i] == rounded(a * b));
		CHECK(out[2 * N + i] == rounded(a * b + a));
		CHECK(out[3 * N + i] == rounded(2 * a) + 1000 && out[4 * N + i] == rounded(b * b + b));
		CHECK(out[5 * N + i] == rounded(a - b) + 100000.0f * (a < b));
		CHECK(fabs(out[6 * N + i] - sqrt(fabs(a))) <= 0.001 * sqrt(fabs(a)));
	}

	/* Edges: what overflows, subnormals, ties, and back on the host. */
	const float edges[] = {65504, 65519.9f, 65520, -70000, 6.1035e-5f, 5.9605e-8f, 2.9802322e-8f, 2.98024e-8f,
			       1.00048828f, 1.00146484f, 0, -0.0f, 1e-30f, INFINITY};
	const unsigned short expected[] = {0x7bff, 0x7bff, 0x7c00, 0xfc00, 0x0400, 0x0001, 0x0000, 0x0001,
					   0x3c00, 0x3c02, 0, 0x8000, 0, 0x7c00};
	const int count = sizeof(edges) / sizeof(edges[0]);

	for (int i = 0; i < count; i++)
		in[i] = edges[i];
	convert<<<1, count>>>(in, bits);
	LAUNCHED();
	for (int i = 0; i < count; i++)
		CHECK(bits[i] == expected[i] && __half_as_ushort(__float2half(edges[i])) == expected[i]);
	CHECK(__half2float(__ushort_as_half(0x0001)) == 5.9604645e-8f);
	CHECK(__half2float(__ushort_as_half(0xc500)) == -5.0f);
	return 0;
}
