/*
 * Trigonometric device functions and their inverses, in both precisions (__nv_sin, __nv_sinf, ...). The notes at the
 * top of math_float.h hold here as well. Not included by hand: include <cuda_runtime.h>.
 */
#ifndef STRATA_DEVICE_MATH_TRIG_H
#define STRATA_DEVICE_MATH_TRIG_H

STRATA_NV double strata_fma(double a, double b, double c)
{
	return __nvvm_fma_rn_d(a, b, c);
}

/* A product that the compiler does not fuse with an addition: where its rounding error is made up for. */
STRATA_NV double strata_mul(double a, double b)
{
	return __nv_dmul_rn(a, b);
}

/* ---- Reduction: x = q pi/2 + r, |r| <= pi/4; the functions return q ---------------------------------------------- */

/* For |x| >= 2^16, by multiplying the mantissa with those bits of 2/pi that matter for its exponent. */
STRATA_NV_CALL __attribute__((noinline)) int strata_reduce_far(double x, double *r)
{
	/* 2/pi, the most significant word first */
	static const unsigned long long two_over_pi[] = {
		0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
		0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
		0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
		0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
		0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull,
	};
	unsigned long long bits = __nv_double_as_longlong(x), mantissa = (bits & 0xfffffffffffffull) | 1ull << 52;
	int exponent = (int)(bits >> 52 & 0x7ff) - 1023;

	if (exponent == 1024) {
		*r = __builtin_nan("");
		return 0;
	}

	/* x 2/pi = mantissa 2^(exponent - 52) 0.b1b2b3...; a bit of index <= exponent - 54 gives multiples of 4, which
	 * do not matter. g: the 192 bits from there on; a negative index means zeros in front. */
	int skip = exponent - 54, word = skip > 0 ? skip >> 6 : 0, left = skip & 63;
	unsigned long long g[3];

	for (int i = 0; i < 3; i++) {
		if (skip >= 0)
			g[i] = left ? two_over_pi[word + i] << left | two_over_pi[word + i + 1] >> (64 - left)
				    : two_over_pi[word + i];
		else /* left = 64 + skip: to the right by -skip */
			g[i] = two_over_pi[i] >> -skip | (i ? two_over_pi[i - 1] << left : 0);
	}

	/* mantissa * g modulo 2^192 is x 2/pi modulo 4, in units of 2^-190. */
	unsigned long long p2 = mantissa * g[2], p1 = mantissa * g[1], p0 = mantissa * g[0];
	unsigned long long carry = __nv_umul64hi(mantissa, g[2]);

	p1 += carry;
	p0 += __nv_umul64hi(mantissa, g[1]) + (p1 < carry);

	int q = (int)(p0 >> 62);
	unsigned long long high = p0 << 2 | p1 >> 62, low = p1 << 2 | p2 >> 62;
	double sign = 1.57079632679489656;

	if (high >> 63) { /* above one half: the next quadrant, from the other side */
		q++;
		high = ~high + (low == 0);
		low = 0 - low;
		sign = -sign;
	}
	*r = sign * strata_fma((double)low, 2.93873587705571877e-39, (double)high * 5.42101086242752217e-20);
	if (x < 0.0) {
		*r = -*r;
		q = -q;
	}
	return q & 3;
}

/* pi/2 as three floats; exact products and one rounding per step keep r within 1 ulp to |x| = 105615. */
STRATA_NV int strata_reducef(float x, float *r)
{
	if (__builtin_fabsf(x) >= 105615.0f) {
		double far;
		int q = strata_reduce_far((double)x, &far);

		*r = (float)far;
		return q;
	}

	float j = __builtin_rintf(x * 0.636619747f), y = strata_fmaf(j, -1.57079637f, x);

	y = strata_fmaf(j, 4.37113883e-8f, y);
	*r = strata_fmaf(j, 1.71512451e-15f, y);
	return __nvvm_f2i_rn(j);
}

/* The same with three doubles, to |x| = 2^30. */
STRATA_NV int strata_reduce(double x, double *r)
{
	if (__builtin_fabs(x) >= 1073741824.0)
		return strata_reduce_far(x, r);

	double j = __builtin_rint(x * 0.63661977236758138), y = strata_fma(j, -1.5707963267948966, x);

	y = strata_fma(j, -6.123233995736766e-17, y);
	*r = strata_fma(j, 1.4973849048591698e-33, y);
	return __nvvm_d2i_rn(j);
}

/* ---- Sine, cosine, tangent: single ------------------------------------------------------------------------------ */

/* (sin(r) / r - 1) / r^2, 2.0e-8. */
STRATA_NV float strata_sin_polyf(float r)
{
	float z = r * r, p = strata_fmaf(z, -0.000195878907f, 0.00833274797f);

	p = strata_fmaf(z, p, -0.166666642f);
	return strata_fmaf(r * z, p, r);
}

/* (cos(r) - 1 + r^2/2) / r^4, 2.0e-9. */
STRATA_NV float strata_cos_polyf(float r)
{
	float z = r * r, p = strata_fmaf(z, 2.45479423e-5f, -0.00138883025f);

	p = strata_fmaf(z, p, 0.0416666642f);
	p = strata_fmaf(z, p, -0.5f);
	return strata_fmaf(z, p, 1.0f);
}

STRATA_NV float strata_sin_quadrantf(float r, int q)
{
	float y = q & 1 ? strata_cos_polyf(r) : strata_sin_polyf(r);

	return q & 2 ? -y : y;
}

/* 2 ulp. */
STRATA_NV_CALL float __nv_sinf(float x)
{
	float r;
	int q = strata_reducef(x, &r);

	return strata_sin_quadrantf(r, q);
}

/* 2 ulp. */
STRATA_NV_CALL float __nv_cosf(float x)
{
	float r;
	int q = strata_reducef(x, &r);

	return strata_sin_quadrantf(r, q + 1);
}

STRATA_NV_CALL void __nv_sincosf(float x, float *s, float *c)
{
	float r;
	int q = strata_reducef(x, &r);

	*s = strata_sin_quadrantf(r, q);
	*c = strata_sin_quadrantf(r, q + 1);
}

/* 3 ulp. (tan(r) / r - 1) / r^2, 1.2e-7. */
STRATA_NV_CALL float __nv_tanf(float x)
{
	float r;
	int q = strata_reducef(x, &r);
	float z = r * r, p = strata_fmaf(z, 0.00825469568f, 0.00509192748f);

	p = strata_fmaf(z, p, 0.0231648553f);
	p = strata_fmaf(z, p, 0.0537738279f);
	p = strata_fmaf(z, p, 0.133343801f);
	p = strata_fmaf(z, p, 0.333333254f);
	p = strata_fmaf(r * z, p, r);
	return q & 1 ? -1.0f / p : p;
}

/* sin(pi x): exact reduction by halves. 2 ulp. */
STRATA_NV float strata_sinpi_quadrantf(float x, int add)
{
	float j = __builtin_rintf(x + x), r = strata_fmaf(j, -0.5f, x);
	/* Beyond 2^24 every x is an even whole number. */
	int q = __builtin_fabsf(x) < 16777216.0f ? __nvvm_f2i_rn(j) : 0;

	return strata_sin_quadrantf(r * 3.14159274f, q + add);
}

STRATA_NV_CALL float __nv_sinpif(float x)
{
	return strata_sinpi_quadrantf(x, 0);
}

STRATA_NV_CALL float __nv_cospif(float x)
{
	return strata_sinpi_quadrantf(x, 1);
}

STRATA_NV_CALL void __nv_sincospif(float x, float *s, float *c)
{
	*s = strata_sinpi_quadrantf(x, 0);
	*c = strata_sinpi_quadrantf(x, 1);
}

/* ---- Sine, cosine, tangent: double ------------------------------------------------------------------------------ */

/* 1.2e-20. */
STRATA_NV double strata_sin_poly(double r)
{
	double z = r * r, p = strata_fma(z, -7.5866971177069183e-13, 1.6058531618986147e-10);

	p = strata_fma(z, p, -2.5052106232447578e-8);
	p = strata_fma(z, p, 2.7557319219339167e-6);
	p = strata_fma(z, p, -0.00019841269841265065);
	p = strata_fma(z, p, 0.0083333333333333315);
	p = strata_fma(z, p, -0.16666666666666666);
	return strata_fma(r * z, p, r);
}

/* 6.4e-22. */
STRATA_NV double strata_cos_poly(double r)
{
	double z = r * r, p = strata_fma(z, 4.7458719020432915e-14, -1.1470460887609959e-11);

	p = strata_fma(z, p, 2.0876755791080422e-9);
	p = strata_fma(z, p, -2.7557319221402824e-7);
	p = strata_fma(z, p, 2.4801587301584645e-5);
	p = strata_fma(z, p, -0.0013888888888888887);
	p = strata_fma(z, p, 0.041666666666666664);
	p = strata_fma(z, p, -0.5);
	return strata_fma(z, p, 1.0);
}

STRATA_NV double strata_sin_quadrant(double r, int q)
{
	double y = q & 1 ? strata_cos_poly(r) : strata_sin_poly(r);

	return q & 2 ? -y : y;
}

/* 1 ulp. */
STRATA_NV_CALL double __nv_sin(double x)
{
	double r;
	int q = strata_reduce(x, &r);

	return strata_sin_quadrant(r, q);
}

/* 1 ulp. */
STRATA_NV_CALL double __nv_cos(double x)
{
	double r;
	int q = strata_reduce(x, &r);

	return strata_sin_quadrant(r, q + 1);
}

STRATA_NV_CALL void __nv_sincos(double x, double *s, double *c)
{
	double r;
	int q = strata_reduce(x, &r);

	*s = strata_sin_quadrant(r, q);
	*c = strata_sin_quadrant(r, q + 1);
}

/* 3 ulp. */
STRATA_NV_CALL double __nv_tan(double x)
{
	double r;
	int q = strata_reduce(x, &r);
	double s = strata_sin_poly(r), c = strata_cos_poly(r);

	return q & 1 ? -c / s : s / c;
}

STRATA_NV double strata_sinpi_quadrant(double x, int add)
{
	double j = __builtin_rint(x + x), r = strata_fma(j, -0.5, x);
	long long q = __builtin_fabs(x) < 4503599627370496.0 ? __nvvm_d2ll_rn(j) : 0;

	return strata_sin_quadrant(r * 3.1415926535897931, (int)(q & 3) + add);
}

STRATA_NV_CALL double __nv_sinpi(double x)
{
	return strata_sinpi_quadrant(x, 0);
}

STRATA_NV_CALL double __nv_cospi(double x)
{
	return strata_sinpi_quadrant(x, 1);
}

STRATA_NV_CALL void __nv_sincospi(double x, double *s, double *c)
{
	*s = strata_sinpi_quadrant(x, 0);
	*c = strata_sinpi_quadrant(x, 1);
}

/* ---- Inverses: single ------------------------------------------------------------------------------------------- */

/* atan on [0, 1]: (atan(x) / x - 1) / x^2, 1.0e-7. */
STRATA_NV float strata_atan_polyf(float x)
{
	float z = x * x, p = strata_fmaf(z, 0.00386673887f, -0.0200267471f);

	p = strata_fmaf(z, p, 0.0489143208f);
	p = strata_fmaf(z, p, -0.0800968185f);
	p = strata_fmaf(z, p, 0.108657591f);
	p = strata_fmaf(z, p, -0.142570451f);
	p = strata_fmaf(z, p, 0.199986815f);
	p = strata_fmaf(z, p, -0.333333224f);
	return strata_fmaf(x * z, p, x);
}

/* 2 ulp. */
STRATA_NV_CALL float __nv_atanf(float x)
{
	float a = __builtin_fabsf(x), r = strata_atan_polyf(a > 1.0f ? __nvvm_rcp_rn_f(a) : a);

	return __nv_copysignf(a > 1.0f ? 1.57079637f - r : r, x);
}

/* 3 ulp. */
STRATA_NV_CALL float __nv_atan2f(float y, float x)
{
	float a = __builtin_fabsf(x), b = __builtin_fabsf(y), big = __nvvm_fmax_f(a, b), small = __nvvm_fmin_f(a, b), r;

	if (x != x || y != y)
		return x + y;
	/* Equal sides, zeros and infinities included, make an angle of pi/4, or of 0 at the origin. */
	r = big == 0.0f ? 0.0f : strata_atan_polyf(big == small ? 1.0f : small / big);
	if (b > a)
		r = 1.57079637f - r;
	if (__nv_signbitf(x))
		r = 3.14159274f - r;
	return __nv_copysignf(r, y);
}

/* asin on [0, 0.56]: (asin(x) / x - 1) / x^2, 2.8e-7. */
STRATA_NV float strata_asin_polyf(float x)
{
	float z = x * x, p = strata_fmaf(z, 0.044405438f, 0.0234551691f);

	p = strata_fmaf(z, p, 0.0454671346f);
	p = strata_fmaf(z, p, 0.0749667883f);
	p = strata_fmaf(z, p, 0.16666688f);
	return strata_fmaf(x * z, p, x);
}

/* 2 ulp. */
STRATA_NV_CALL float __nv_asinf(float x)
{
	float a = __builtin_fabsf(x), r;

	if (a <= 0.56f)
		r = strata_asin_polyf(a);
	else
		r = strata_fmaf(-2.0f, strata_asin_polyf(__nvvm_sqrt_rn_f(strata_fmaf(a, -0.5f, 0.5f))), 1.57079637f);
	return __nv_copysignf(r, x);
}

/* 2 ulp. */
STRATA_NV_CALL float __nv_acosf(float x)
{
	float a = __builtin_fabsf(x);

	if (a <= 0.56f)
		return 1.57079637f - (strata_asin_polyf(x) + 4.37113883e-8f);

	float r = 2.0f * strata_asin_polyf(__nvvm_sqrt_rn_f(strata_fmaf(a, -0.5f, 0.5f)));

	return x < 0.0f ? 3.14159274f - r : r;
}

/* ---- Inverses: double ------------------------------------------------------------------------------------------- */

/* atan on [0, 1]: above tan(pi/12) by way of atan(x) - pi/6; there (atan(x) / x - 1) / x^2, 1.4e-17. */
STRATA_NV double strata_atan_poly(double x)
{
	bool is_above = x > 0.26794919243112270;
	double y = is_above ? strata_fma(x, 1.7320508075688772, -1.0) / (x + 1.7320508075688772) : x;
	double z = y * y, p = strata_fma(z, -0.039563119940718268, 0.05715903312379015);

	p = strata_fma(z, p, -0.066548985128328117);
	p = strata_fma(z, p, 0.076918170071914704);
	p = strata_fma(z, p, -0.090908969996652975);
	p = strata_fma(z, p, 0.11111110943140809);
	p = strata_fma(z, p, -0.14285714284542553);
	p = strata_fma(z, p, 0.19999999999996848);
	p = strata_fma(z, p, -0.33333333333333331);
	y = strata_fma(y * z, p, y);
	return is_above ? y + 0.52359877559829887 : y;
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_atan(double x)
{
	double a = __builtin_fabs(x), r = strata_atan_poly(a > 1.0 ? 1.0 / a : a);

	return __nv_copysign(a > 1.0 ? 1.5707963267948966 - r : r, x);
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_atan2(double y, double x)
{
	double a = __builtin_fabs(x), b = __builtin_fabs(y), big = __nvvm_fmax_d(a, b), small = __nvvm_fmin_d(a, b), r;

	if (x != x || y != y)
		return x + y;
	r = big == 0.0 ? 0.0 : strata_atan_poly(big == small ? 1.0 : small / big);
	if (b > a)
		r = 1.5707963267948966 - r;
	if (__nv_signbitd(x))
		r = 3.1415926535897931 - r;
	return __nv_copysign(r, y);
}

/* asin on [0, 1/2]: (asin(x) / x - 1) / x^2, 1.5e-17. */
STRATA_NV double strata_asin_poly(double x)
{
	double z = x * x, p = strata_fma(z, 0.02877844261259304, -0.014881409392818066);

	p = strata_fma(z, p, 0.017419357964884856);
	p = strata_fma(z, p, 0.0054508781877205502);
	p = strata_fma(z, p, 0.010324318288744113);
	p = strata_fma(z, p, 0.011478952690257387);
	p = strata_fma(z, p, 0.013971235301124539);
	p = strata_fma(z, p, 0.017352391265909227);
	p = strata_fma(z, p, 0.022372173002005596);
	p = strata_fma(z, p, 0.030381944137085216);
	p = strata_fma(z, p, 0.04464285714637338);
	p = strata_fma(z, p, 0.074999999999984246);
	p = strata_fma(z, p, 0.16666666666666669);
	return strata_fma(x * z, p, x);
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_asin(double x)
{
	double a = __builtin_fabs(x), r;

	if (a <= 0.5)
		r = strata_asin_poly(a);
	else
		r = strata_fma(-2.0, strata_asin_poly(__nvvm_sqrt_rn_d(strata_fma(a, -0.5, 0.5))), 1.5707963267948966);
	return __nv_copysign(r, x);
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_acos(double x)
{
	double a = __builtin_fabs(x);

	if (a <= 0.5)
		return 1.5707963267948966 - (strata_asin_poly(x) - 6.123233995736766e-17);

	double r = 2.0 * strata_asin_poly(__nvvm_sqrt_rn_d(strata_fma(a, -0.5, 0.5)));

	return x < 0.0 ? 3.1415926535897931 - r : r;
}

#endif
