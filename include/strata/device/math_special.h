/*
 * Error and gamma functions, in both precisions; the single ones are the double ones, rounded. The notes at the top of
 * math_float.h hold here as well. Not included by hand: include <cuda_runtime.h>.
 */
#ifndef STRATA_DEVICE_MATH_SPECIAL_H
#define STRATA_DEVICE_MATH_SPECIAL_H

/* ---- Error functions -------------------------------------------------------------------------------------------- */

/* erf on [-1, 1]: erf(x) / x, 1.3e-19. */
STRATA_NV double strata_erf_poly(double x)
{
	double z = x * x, p = strata_fma(z, 5.9571761477489113e-11, -1.1372848856791674e-9);

	p = strata_fma(z, p, 1.4659775274047436e-8);
	p = strata_fma(z, p, -1.6350312701054695e-7);
	p = strata_fma(z, p, 1.6461000484121368e-6);
	p = strata_fma(z, p, -1.4925595266831182e-5);
	p = strata_fma(z, p, 0.0001205533111164271);
	p = strata_fma(z, p, -0.000854832698083379);
	p = strata_fma(z, p, 0.0052239776248180145);
	p = strata_fma(z, p, -0.026866170645076792);
	p = strata_fma(z, p, 0.11283791670954879);
	p = strata_fma(z, p, -0.37612638903183748);
	p = strata_fma(z, p, 1.1283791670955126);
	return x * p;
}

/* exp(x^2) erfc(x) for x >= 0.8: times 1 + 2 x a polynomial in (x - 4) / (x + 4), 4.3e-21 to x = 40. */
STRATA_NV double strata_erfcx_poly(double x)
{
	static const double c[] = {
		-6.9330219318281689e-10, 1.6526198450872531e-9,	 4.5630082635759937e-9,	 -1.4991661567880045e-8,
		-2.2703361897970293e-8,	 1.1080645265661537e-7,	 7.9523335942084008e-8,	 -8.2562842752097807e-7,
		2.9062493680924797e-7,	 5.7096254010052208e-6,	 -1.122066284566483e-5,	 -2.439910616213172e-5,
		0.00015062128749133272,	 -0.00019925673430032208, -0.0007577732165692648, 0.0050319699857060956,
		-0.016197734066234735,	 0.037167515536656565,	 -0.066330365811632916,	 0.093732834998395437,
		-0.10103906603632545,	 0.068097054254691564,	 0.015379652102620045,	 -0.1396211168405625,
		1.2329951186255526,
	};
	double t = (x - 4.0) / (x + 4.0), p = c[0];

	for (int i = 1; i < 25; i++)
		p = strata_fma(t, p, c[i]);
	return p / strata_fma(2.0, x, 1.0);
}

/* exp(-x^2), with what the square loses. */
STRATA_NV double strata_exp_minus_square(double x)
{
	double square = x * x, lost = strata_fma(x, x, -square);

	return square > 745.0 ? 0.0 : strata_exp(-square, -lost);
}

/* 4 ulp while the result is normal. */
STRATA_NV_CALL double __nv_erfc(double x)
{
	double a = __builtin_fabs(x);

	if (x != x)
		return x;
	if (a < 0.8)
		return 1.0 - strata_erf_poly(x);
	if (a > 28.0)
		return x < 0.0 ? 2.0 : 0.0;

	double r = strata_erfcx_poly(a) * strata_exp_minus_square(a);

	return x < 0.0 ? 2.0 - r : r;
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_erf(double x)
{
	double a = __builtin_fabs(x);

	if (a < 0.8)
		return strata_erf_poly(x);
	return x != x ? x : __nv_copysign(1.0 - __nv_erfc(a), x);
}

/* 5 ulp. */
STRATA_NV_CALL double __nv_erfcx(double x)
{
	if (x >= 40.0) { /* 1 / (x sqrt(pi)) (1 - 1 / 2x^2 + 3 / 4x^4 - ...) */
		double v = 1.0 / x, u = 0.5 * v * v;

		return 0.56418958354775629 * v * (1.0 - u * (1.0 - 3.0 * u * (1.0 - 5.0 * u)));
	}
	if (x >= 0.8)
		return strata_erfcx_poly(x);
	if (x < -26.7)
		return __builtin_inf();

	double square = x * x;

	return __nv_erfc(x) * strata_exp(strata_clamp(square, 0.0, 709.9), strata_fma(x, x, -square));
}

STRATA_NV_CALL double __nv_normcdf(double x)
{
	return 0.5 * __nv_erfc(x * -0.70710678118654752);
}

/* The inverse, by steps of Halley from a start that is right to two digits: sign(x) sqrt(sqrt(b^2 - w/a) - b). */
STRATA_NV_CALL double strata_erfcinv_core(double y, bool is_complement, double x)
{
	/* w = log(1 - x^2), or log(y (2 - y)) */
	double w = is_complement ? __nv_log(y * (2.0 - y)) : __nv_log1p(-x * x);
	double b = strata_fma(0.5, w, 4.3307467508007387);
	double r = __nvvm_sqrt_rn_d(__nvvm_sqrt_rn_d(b * b - w / 0.147) - b);

	if (is_complement ? y > 1.0 : x < 0.0)
		r = -r;
	for (int i = 0; i < 3; i++) {
		double miss = is_complement ? y - __nv_erfc(r) : __nv_erf(r) - x;
		double step = miss * 0.88622692545275801 * strata_exp(r * r, 0.0);

		r -= step / strata_fma(r, step, 1.0);
	}
	return r;
}

STRATA_NV_CALL double __nv_erfinv(double x)
{
	double a = __builtin_fabs(x);

	if (!(a < 1.0))
		return a == 1.0 ? __nv_copysign(__builtin_inf(), x) : __builtin_nan("");
	return x == 0.0 ? x : strata_erfcinv_core(0.0, false, x);
}

STRATA_NV_CALL double __nv_erfcinv(double y)
{
	if (!(y > 0.0 && y < 2.0))
		return y == 0.0 ? __builtin_inf() : y == 2.0 ? -__builtin_inf() : __builtin_nan("");
	return y > 0.5 && y < 1.5 ? __nv_erfinv(1.0 - y) : strata_erfcinv_core(y, true, 0.0);
}

STRATA_NV_CALL double __nv_normcdfinv(double y)
{
	return -1.4142135623730951 * __nv_erfcinv(2.0 * y);
}

/* ---- Gamma ------------------------------------------------------------------------------------------------------ */

/* log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x >= 12: Stirling's series in 1 / x^2, 1e-17. */
STRATA_NV double strata_stirling(double x)
{
	double v = 1.0 / x, z = v * v, p = strata_fma(z, 0.0064102564102564103, -0.0019175269175269175);

	p = strata_fma(z, p, 0.00084175084175084175);
	p = strata_fma(z, p, -0.00059523809523809524);
	p = strata_fma(z, p, 0.00079365079365079365);
	p = strata_fma(z, p, -0.0027777777777777778);
	p = strata_fma(z, p, 0.083333333333333333);
	return p * v;
}

/* Raises x to 12 or more; *product gets x (x + 1) ... on the way. */
STRATA_NV double strata_raise(double x, double *product)
{
	double p = 1.0;

	while (x < 12.0) {
		p *= x;
		x += 1.0;
	}
	*product = p;
	return x;
}

/* 25 ulp. */
STRATA_NV_CALL double __nv_tgamma(double x)
{
	double product, a = __builtin_fabs(x);

	if (x == 0.0)
		return __nv_copysign(__builtin_inf(), x);
	if (x < 0.0 && (x == __builtin_trunc(x) || x == -__builtin_inf()))
		return __builtin_nan("");
	if (x > 172.0)
		return __builtin_inf();
	if (x < -180.0)
		return 0.0;
	if (x < 0.0) /* reflection */
		return -3.1415926535897931 / (a * __nv_sinpi(a) * __nv_tgamma(a));

	double y = strata_raise(x, &product), low, high = strata_log_pair(y, &low), power = y - 0.5;
	double p = strata_mul(power, high), p_low = strata_fma(power, low, strata_fma(power, high, -p));

	/* sqrt(2 pi) = e^0.9189...; the sum of the exponents does not overflow where y^(y - 1/2) alone would. */
	double less = p - y, sum = less + 0.91893853320467278;

	p_low += ((p - less) - y) + (0.91893853320467278 - (sum - less)) + strata_stirling(y);
	return strata_exp(sum, p_low) / product;
}

/* Absolute error 4e-15, or 4 ulp. */
STRATA_NV_CALL double __nv_lgamma(double x)
{
	double product, a = __builtin_fabs(x);

	if (x == 1.0 || x == 2.0)
		return 0.0;
	if (x <= 0.0) {
		if (x == __builtin_trunc(x))
			return __builtin_inf();
		return __nv_log(3.1415926535897931 / __builtin_fabs(a * __nv_sinpi(a))) - __nv_lgamma(a);
	}

	double y = strata_raise(x, &product);

	y = (y - 0.5) * __nv_log(y) - y + 0.91893853320467278 + strata_stirling(y);
	return x < 12.0 ? y - __nv_log(product) : y;
}

/* ---- Single precision ------------------------------------------------------------------------------------------- */

#define STRATA_ROUNDED(name)                                                                                           \
	STRATA_NV_CALL float __nv_##name##f(float x)                                                                   \
	{                                                                                                              \
		return (float)__nv_##name((double)x);                                                                  \
	}
STRATA_ROUNDED(erf)
STRATA_ROUNDED(erfc)
STRATA_ROUNDED(erfcx)
STRATA_ROUNDED(erfinv)
STRATA_ROUNDED(erfcinv)
STRATA_ROUNDED(normcdf)
STRATA_ROUNDED(normcdfinv)
STRATA_ROUNDED(tgamma)
STRATA_ROUNDED(lgamma)
#undef STRATA_ROUNDED

#endif
