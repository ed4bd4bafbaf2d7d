/* arith.cu - source of arith.ptx: integer, float, double and half arithmetic (nvcc -ptx -arch=compute_75). */
#include <cuda_fp16.h>

extern "C" __global__ void ints(int *a, unsigned *b, long long *c, unsigned long long *d, short *s)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	a[i] = __clz(b[i]) + __popc(b[i]) + __ffs(a[i]) + __mulhi(a[i], 77) + abs(a[i]) + min(a[i], 5) % 7;
	b[i] = __brev(b[i]) ^ __byte_perm(b[i], a[i], 0x4321) ^ __umulhi(b[i], 3) ^ __funnelshift_l(b[i], a[i], 5) ^
	       __vabsdiffu4(b[i], 9) ^ __usad(b[i], a[i], 3) ^ (b[i] / 10) ^ __dp4a(a[i], a[i], 5);
	c[i] = __mul64hi(c[i], 12345) + c[i] / (c[i + 1] | 1) + __clzll(c[i]) + (c[i] >> 3) + llabs(c[i]);
	d[i] = __umul64hi(d[i], d[i + 1]) + (d[i] << (i & 63)) + __popcll(d[i]) + d[i] % 1000;
	s[i] = s[i] * s[i + 1] + (s[i] >> 2) + (s[i] < 3 ? 4 : s[i + 2]);
}

extern "C" __global__ void floats(float *a, double *b, int *n)
{
	int i = threadIdx.x;

	a[i] = sinf(a[i]) + __cosf(a[i]) + __expf(a[i]) + logf(a[i]) + sqrtf(a[i]) + rsqrtf(a[i]) + __fdividef(a[i], 3) +
	       fmaf(a[i], 2, 1) + __fmaf_rz(a[i], 2, 1) + fminf(a[i], 2) + copysignf(a[i], -1) + floorf(a[i]) + truncf(a[i]) +
	       rintf(a[i]) + __saturatef(a[i]) + powf(a[i], 1.7f) + tanhf(a[i]) + __frcp_ru(a[i]);
	b[i] = sin(b[i]) + exp(b[i]) + sqrt(b[i]) + fma(b[i], 2.0, 1.0) + __dadd_rd(b[i], 1) + ceil(b[i]) + b[i] / 3 + fmod(b[i], 7.5);
	n[i] = __float2int_rn(a[i]) + __double2uint_rz(b[i]) + __float_as_int(a[i]) + isnan(a[i]) + isfinite(b[i]) + __double2hiint(b[i]);
}

extern "C" __global__ void halves(__half *h, __half2 *h2, float *f)
{
	int i = threadIdx.x;

	h[i] = __hadd(h[i], __hmul(h[i], __float2half(f[i])));
	h2[i] = __hfma2(h2[i], h2[i], __halves2half2(h[i], h[i + 1]));
	f[i] = __half2float(h[i]) + __low2float(h2[i]) + (__hlt(h[i], h[i + 1]) ? 1.f : 2.f);
}
