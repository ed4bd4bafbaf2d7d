/*
 * Double-precision device functions that are not one instruction (__nv_exp, __nv_pow, ...), trigonometry aside. The
 * notes at the top of math_float.h hold here as well. Not included by hand: include <cuda_runtime.h>.
 */
#ifndef STRATA_DEVICE_MATH_DOUBLE_H
#define STRATA_DEVICE_MATH_DOUBLE_H

/* ---- Scaling and parts: exact ----------------------------------------------------------------------------------- */

/* 2^n for a normal result. */
STRATA_NV double strata_pow2(int n)
{
	return __nv_longlong_as_double((long long)(n + 1023) << 52);
}

STRATA_NV double __nv_ldexp(double x, int n)
{
	n = n < -2200 ? -2200 : n > 2200 ? 2200 : n;

	/* Three factors, each a normal power of two; only the last product can round. */
	int first = n / 3;

	return x * strata_pow2(first) * strata_pow2(first) * strata_pow2(n - 2 * first);
}

STRATA_NV double __nv_scalbn(double x, int n)
{
	return __nv_ldexp(x, n);
}

STRATA_NV int __nv_ilogb(double x)
{
	unsigned long long bits = __nv_double_as_longlong(x) & 0x7fffffffffffffffull;

	if (bits == 0 || bits > 0x7ff0000000000000ull)
		return -2147483647 - 1;
	if (bits == 0x7ff0000000000000ull)
		return 2147483647;
	return bits >> 52 ? (int)(bits >> 52) - 1023 : -1011 - __nv_clzll((long long)bits);
}

STRATA_NV double __nv_logb(double x)
{
	if (x == 0.0)
		return -__builtin_inf();
	return __builtin_fabs(x) < __builtin_inf() ? (double)__nv_ilogb(x) : x * x;
}

STRATA_NV_CALL double __nv_frexp(double x, int *exponent)
{
	if (x == 0.0 || !(__builtin_fabs(x) < __builtin_inf())) {
		*exponent = 0;
		return x;
	}

	int e = __nv_ilogb(x) + 1;

	*exponent = e;
	return __nv_ldexp(x, -e);
}

STRATA_NV double __nv_modf(double x, double *whole)
{
	double w = __builtin_trunc(x);

	*whole = w;
	return __nv_copysign(__builtin_fabs(x) == __builtin_inf() ? 0.0 : x - w, x);
}

STRATA_NV_CALL double __nv_nextafter(double x, double y)
{
	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0.0)
		return __nv_copysign(4.9406564584124654e-324, y);

	long long bits = (long long)__nv_double_as_longlong(x);

	return __nv_longlong_as_double((x < y) == (x > 0.0) ? bits + 1 : bits - 1);
}

/* a mod b for finite a >= 0, b > 0, with the low bits of the quotient. Each round takes off a multiple of b that has at
 * most 51 bits, so that every product and difference is exact. */
STRATA_NV_CALL double strata_rem(double a, double b, unsigned int *quotient)
{
	unsigned int q = 0;

	while (a >= b) {
		int shift = __nv_ilogb(a) - __nv_ilogb(b) - 50;

		shift = shift > 0 ? shift : 0;

		double unit = __nv_ldexp(b, shift), n = __builtin_trunc(a / unit), rest = strata_fma(-n, unit, a);

		if (rest < 0.0) {
			rest += unit;
			n -= 1.0;
		}
		a = rest;
		q += shift < 32 ? (unsigned int)__nvvm_d2ull_rz(n) << shift : 0u;
	}
	*quotient = q;
	return a;
}

STRATA_NV_CALL double __nv_fmod(double x, double y)
{
	unsigned int q;

	if (!(__builtin_fabs(x) < __builtin_inf()) || y == 0.0 || y != y)
		return __builtin_nan("");
	if (__builtin_fabs(y) == __builtin_inf())
		return x;
	return __nv_copysign(strata_rem(__builtin_fabs(x), __builtin_fabs(y), &q), x);
}

STRATA_NV_CALL double __nv_remquo(double x, double y, int *quotient)
{
	double a = __builtin_fabs(x), b = __builtin_fabs(y);
	unsigned int q = 0;

	*quotient = 0;
	if (!(a < __builtin_inf()) || y == 0.0 || y != y)
		return __builtin_nan("");
	if (b < __builtin_inf()) {
		a = strata_rem(a, b, &q);
		/* To the nearest multiple, the even one of two. */
		double other = b - a;

		if (a > other || (a == other && (q & 1))) {
			a = -other;
			q++;
		}
	}
	*quotient = (__nv_signbitd(x) != __nv_signbitd(y) ? -1 : 1) * (int)(q & 0x7fffffff);
	return __nv_signbitd(x) ? -a : a;
}

STRATA_NV double __nv_remainder(double x, double y)
{
	int quotient;

	return __nv_remquo(x, y, &quotient);
}

/* ---- Roots ------------------------------------------------------------------------------------------------------ */

/* 1 ulp. */
STRATA_NV double __nv_rsqrt(double x)
{
	return __nvvm_rcp_rn_d(__nvvm_sqrt_rn_d(x));
}

STRATA_NV double __nv_rcp64h(double x)
{
	return __nvvm_rcp_rn_d(x);
}

/* 1 ulp. */
STRATA_NV_CALL double __nv_cbrt(double x)
{
	double a = __builtin_fabs(x);

	if (a == 0.0 || !(a < __builtin_inf()))
		return x + x;

	/* a = 2^(3 third) m, m in [1, 8) or so: the single-precision root is a start for two steps of Newton. */
	int third = __nv_ilogb(a) / 3;
	double m = __nv_ldexp(a, -3 * third), y = (double)__nv_cbrtf((float)m);

	for (int i = 0; i < 2; i++) {
		double y2 = y * y, rest = strata_fma(strata_fma(y, y, -y2), y, strata_fma(y2, y, -m));

		y = strata_fma(rest, -1.0 / (3.0 * y2), y);
	}
	return __nv_copysign(__nv_ldexp(y, third), x);
}

STRATA_NV_CALL double __nv_rcbrt(double x)
{
	return 1.0 / __nv_cbrt(x);
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_hypot(double x, double y)
{
	double a = __builtin_fabs(x), b = __builtin_fabs(y), big = __nvvm_fmax_d(a, b), small = __nvvm_fmin_d(a, b);

	if (a == __builtin_inf() || b == __builtin_inf())
		return __builtin_inf();
	if (x != x || y != y)
		return x + y;
	if (big == 0.0)
		return 0.0;

	double r = small / big;

	return big * __nvvm_sqrt_rn_d(strata_fma(r, r, 1.0));
}

STRATA_NV_CALL double __nv_norm3d(double a, double b, double c)
{
	return __nv_hypot(__nv_hypot(a, b), c);
}

STRATA_NV_CALL double __nv_norm4d(double a, double b, double c, double d)
{
	return __nv_hypot(__nv_hypot(a, b), __nv_hypot(c, d));
}

STRATA_NV double __nv_rhypot(double a, double b)
{
	return 1.0 / __nv_hypot(a, b);
}

STRATA_NV double __nv_rnorm3d(double a, double b, double c)
{
	return 1.0 / __nv_norm3d(a, b, c);
}

STRATA_NV double __nv_rnorm4d(double a, double b, double c, double d)
{
	return 1.0 / __nv_norm4d(a, b, c, d);
}

STRATA_NV_CALL double __nv_norm(int count, const double *p)
{
	double r = 0.0;

	for (int i = 0; i < count; i++)
		r = __nv_hypot(r, p[i]);
	return r;
}

STRATA_NV double __nv_rnorm(int count, const double *p)
{
	return 1.0 / __nv_norm(count, p);
}

/* ---- Exponentials ----------------------------------------------------------------------------------------------- */

/* e^r - 1 on [-0.3466, 0.3466]: (e^r - 1 - r) / r^2, 1.4e-18. */
STRATA_NV double strata_expm1_poly(double r)
{
	double p = strata_fma(r, 2.0914696114722443e-9, 2.5105229813215689e-8);

	p = strata_fma(r, p, 2.7557273621130952e-7);
	p = strata_fma(r, p, 2.7557255369427714e-6);
	p = strata_fma(r, p, 2.4801587325565073e-5);
	p = strata_fma(r, p, 0.00019841269874844894);
	p = strata_fma(r, p, 0.0013888888888883744);
	p = strata_fma(r, p, 0.0083333333333261289);
	p = strata_fma(r, p, 0.041666666666666671);
	p = strata_fma(r, p, 0.16666666666666671);
	p = strata_fma(r, p, 0.5);
	return strata_fma(r * r, p, r);
}

STRATA_NV double strata_clamp(double x, double low, double high)
{
	x = x < low ? low : x;
	return x > high ? high : x;
}

/* exp(x + low), x within [-746, 710] or NaN, low small. */
STRATA_NV double strata_exp(double x, double low)
{
	double t = __builtin_rint(x * 1.4426950408889634), r = strata_fma(t, -0.69314718055994529, x);

	r = strata_fma(t, -2.3190468138462996e-17, r) + low;

	int n = __nvvm_d2i_rn(t), half = n >> 1;

	return (1.0 + strata_expm1_poly(r)) * strata_pow2(half) * strata_pow2(n - half);
}

/* 1 ulp. */
STRATA_NV_CALL double __nv_exp(double x)
{
	return strata_exp(strata_clamp(x, -746.0, 710.0), 0.0);
}

/* 1 ulp. */
STRATA_NV_CALL double __nv_exp2(double x)
{
	x = strata_clamp(x, -1080.0, 1025.0);

	double t = __builtin_rint(x), f = x - t;
	int n = __nvvm_d2i_rn(t), half = n >> 1;
	double r = f * 0.69314718055994529;

	r += strata_fma(f, 0.69314718055994529, -r) + f * 2.3190468138462996e-17;
	return (1.0 + strata_expm1_poly(r)) * strata_pow2(half) * strata_pow2(n - half);
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_exp10(double x)
{
	x = strata_clamp(x, -325.0, 309.0);

	double high = x * 2.3025850929940459, low = strata_fma(x, 2.3025850929940459, -high);

	return strata_exp(high, strata_fma(x, -2.1707562233822494e-16, low));
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_expm1(double x)
{
	double clamped = strata_clamp(x, -40.0, 710.0);
	double t = __builtin_rint(clamped * 1.4426950408889634), r = strata_fma(t, -0.69314718055994529, clamped);

	r = strata_fma(t, -2.3190468138462996e-17, r);

	double p = strata_expm1_poly(r), half = strata_pow2(__nvvm_d2i_rn(t) - 1);

	p = strata_fma(half, p, half - 0.5);
	return x == 0.0 ? x : p + p;
}

/* ---- Logarithms ------------------------------------------------------------------------------------------------- */

/* x = 2^e (1 + f), 1 + f in [sqrt(1/2), sqrt(2)]; x positive. */
STRATA_NV double strata_split_log(double x, double *e)
{
	int extra = 0;

	if (x < 2.2250738585072014e-308) {
		x *= 18014398509481984.0;
		extra = -54;
	}

	long long bits = (long long)__nv_double_as_longlong(x);
	long long exponent = (bits - 0x3fe6a09e667f3bcdll) & (long long)0xfff0000000000000ull;

	*e = (double)((int)(exponent >> 52) + extra);
	return __nv_longlong_as_double(bits - exponent) - 1.0;
}

/* atanh(s) = s + s z P(z), z = s^2, |s| <= 0.172: (atanh(s) / s - 1) / z, 7.0e-21. */
STRATA_NV double strata_atanh_poly(double z)
{
	double p = strata_fma(z, 0.059410665306823845, 0.058440543258071929);

	p = strata_fma(z, p, 0.066678196694151121);
	p = strata_fma(z, p, 0.076922875584326908);
	p = strata_fma(z, p, 0.090909092969268065);
	p = strata_fma(z, p, 0.11111111109928692);
	p = strata_fma(z, p, 0.14285714285717682);
	p = strata_fma(z, p, 0.19999999999999996);
	return strata_fma(z, p, 0.33333333333333331);
}

/* log(1 + f) = 2 atanh(s), s = f / (2 + f), and 2 s = f - s f: f itself is exact. */
STRATA_NV double strata_log_small(double f, double e)
{
	double s = f / (2.0 + f), z = s * s;
	double less = s * (f - 2.0 * z * strata_atanh_poly(z)) - e * 2.3190468138462996e-17;

	return strata_fma(e, 0.69314718055994529, f - less);
}

STRATA_NV double strata_log_edges(double x, double usual)
{
	if (x > 0.0 && x < __builtin_inf())
		return usual;
	return x == 0.0 ? -__builtin_inf() : x < 0.0 ? __builtin_nan("") : x + x;
}

/* 1 ulp. */
STRATA_NV_CALL double __nv_log(double x)
{
	double e, f = strata_split_log(x, &e);

	return strata_log_edges(x, strata_log_small(f, e));
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_log2(double x)
{
	double e, f = strata_split_log(x, &e);

	return strata_log_edges(x, strata_fma(strata_log_small(f, 0.0), 1.4426950408889634, e));
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_log10(double x)
{
	double e, f = strata_split_log(x, &e);

	return strata_log_edges(x, strata_fma(e, 0.3010299956639812, strata_log_small(f, 0.0) * 0.43429448190325182));
}

/* 2 ulp. */
STRATA_NV_CALL double __nv_log1p(double x)
{
	if (x > -0.29 && x < 0.41)
		return x == 0.0 ? x : strata_log_small(x, 0.0);

	double u = 1.0 + x, e, f = strata_split_log(u, &e);
	double lost = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);

	return strata_log_edges(u, strata_log_small(f, e) + lost / u);
}

/* ---- Powers ----------------------------------------------------------------------------------------------------- */

/* log a = high + low for 0 < a < inf, to about 2^-63: s = (m - 1) / (m + 1) and z = s^2 in two doubles each. */
STRATA_NV double strata_log_pair(double a, double *low)
{
	double e, above = strata_split_log(a, &e), below = above + 2.0, below_lost = above - (below - 2.0);
	double inverse = 1.0 / below, s = above * inverse;
	double s_low = strata_fma(-s, below_lost, strata_fma(-s, below, above)) * inverse;
	double z = strata_mul(s, s), z_low = strata_fma(2.0 * s, s_low, strata_fma(s, s, -z));

	/* q = z/3 + z^2 (1/5 + ...): (P - 1/3) / z, 6.4e-21 */
	double p = strata_fma(z, 0.053812077989860027, 0.052281641214727191);

	p = strata_fma(z, p, 0.058834065387955665);
	p = strata_fma(z, p, 0.066666482677186195);
	p = strata_fma(z, p, 0.076923078805786943);
	p = strata_fma(z, p, 0.090909090898285069);
	p = strata_fma(z, p, 0.11111111111114215);
	p = strata_fma(z, p, 0.14285714285714282);
	p = strata_fma(z, p, 0.2);

	double q = strata_mul(z, 0.33333333333333331), q_low = strata_fma(z, 0.33333333333333331, -q);

	q_low += strata_fma(z, 1.8503717077085941e-17, z_low * 0.33333333333333331) + z * z * p;

	double q_sum = q + q_low;

	q_low += q - q_sum;
	q = q_sum;

	/* 2 (s + s q) + e ln 2 */
	double sq = strata_mul(s, q), sq_low = strata_fma(s, q, -sq) + s * q_low + s_low * q;
	double h = s + sq, l = sq - (h - s) + (sq_low + s_low);
	double eh = strata_mul(e, 0.69314718055994529);
	double el = strata_fma(e, 0.69314718055994529, -eh) + e * 2.3190468138462996e-17;
	double sum = eh + 2.0 * h, rest;

	rest = __builtin_fabs(eh) > __builtin_fabs(2.0 * h) ? 2.0 * h - (sum - eh) : eh - (sum - 2.0 * h);
	rest += strata_fma(2.0, l, el);

	double high = sum + rest;

	*low = rest - (high - sum);
	return high;
}

STRATA_NV_CALL double strata_pow_core(double a, double y)
{
	double low, high = strata_log_pair(a, &low), p = strata_mul(y, high);
	double p_low = strata_fma(y, low, strata_fma(y, high, -p));

	if (!(p > -746.0 && p < 710.0))
		return p > 0.0 ? __builtin_inf() : 0.0;
	return strata_exp(p, p_low);
}

/* 4 ulp. */
STRATA_NV_CALL double __nv_pow(double x, double y)
{
	double a = __builtin_fabs(x), whole = __builtin_trunc(y), r;
	bool is_whole = whole == y;
	bool is_odd = is_whole && __builtin_fabs(y) < 9007199254740992.0 && ((long long)whole & 1);

	if (x == 1.0 || y == 0.0)
		return 1.0;
	if (x != x || y != y)
		return x + y;
	if (__builtin_fabs(y) == __builtin_inf())
		return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? __builtin_inf() : 0.0;
	if (a == 0.0 || a == __builtin_inf())
		r = (a == 0.0) == (y < 0.0) ? __builtin_inf() : 0.0;
	else if (x < 0.0 && !is_whole)
		return __builtin_nan("");
	else
		r = strata_pow_core(a, y);
	return is_odd && __nv_signbitd(x) ? -r : r;
}

STRATA_NV_CALL double __nv_powi(double x, int n)
{
	return __nv_pow(x, (double)n);
}

/* ---- Hyperbolic functions: 3 ulp -------------------------------------------------------------------------------- */

/* exp(a) / 2 for a >= 0, which does not overflow before sinh does. */
STRATA_NV double strata_half_exp(double a)
{
	a = strata_clamp(a, 0.0, 710.7);

	double high = a - 0.69314718055994529;

	return strata_exp(high, (a - high) - 0.69314718055994529 - 2.3190468138462996e-17);
}

STRATA_NV_CALL double __nv_sinh(double x)
{
	double a = __builtin_fabs(x), r;

	if (a < 1.0) {
		double m = __nv_expm1(a);

		r = 0.5 * (m + m / (m + 1.0));
	} else {
		double half = strata_half_exp(a);

		r = half - 0.25 / half;
	}
	return x == 0.0 ? x : __nv_copysign(r, x);
}

STRATA_NV_CALL double __nv_cosh(double x)
{
	double half = strata_half_exp(__builtin_fabs(x));

	return half + 0.25 / half;
}

STRATA_NV_CALL double __nv_tanh(double x)
{
	double a = __builtin_fabs(x), m = __nv_expm1(strata_clamp(2.0 * a, 0.0, 60.0));

	if (x != x)
		return x;
	return x == 0.0 ? x : __nv_copysign(m / (m + 2.0), x);
}

STRATA_NV_CALL double __nv_asinh(double x)
{
	double a = __builtin_fabs(x), r;

	if (a > 1e9)
		r = __nv_log(a) + 0.69314718055994529;
	else
		r = __nv_log1p(a + a * a / (1.0 + __nvvm_sqrt_rn_d(strata_fma(a, a, 1.0))));
	return x == 0.0 ? x : __nv_copysign(r, x);
}

STRATA_NV_CALL double __nv_acosh(double x)
{
	if (x > 1e9)
		return __nv_log(x) + 0.69314718055994529;

	double t = x - 1.0;

	return __nv_log1p(t + __nvvm_sqrt_rn_d(strata_fma(t, t, 2.0 * t)));
}

STRATA_NV_CALL double __nv_atanh(double x)
{
	double a = __builtin_fabs(x);

	return x == 0.0 ? x : __nv_copysign(0.5 * __nv_log1p(2.0 * a / (1.0 - a)), x);
}

#endif
