/*
 * Single-precision device functions that are not one instruction, under the names that clang's headers call (__nv_*f).
 *
 * Each works in single precision on the special-function instructions ex2, lg2 and rsqrt (PTX ISA 7.0, section 9.7.3)
 * and on near-minimax polynomials whose error is given beside them. The bound at each function, in units in the last
 * place, holds in the test program that compares them with the host's functions, over the ranges named there. Not
 * included by hand: include <cuda_runtime.h>.
 */
#ifndef STRATA_DEVICE_MATH_FLOAT_H
#define STRATA_DEVICE_MATH_FLOAT_H

#define STRATA_NV_CALL extern "C" __device__ __inline__

STRATA_NV float strata_fmaf(float a, float b, float c)
{
	return __nvvm_fma_rn_f(a, b, c);
}

/* A product that the compiler does not fuse with an addition: where its rounding error is made up for. */
STRATA_NV float strata_mulf(float a, float b)
{
	return __nv_fmul_rn(a, b);
}

/* ---- Fast forms: one or two instructions with the errors of these, as CUDA has it for __sinf and others ---------- */

STRATA_NV float __nv_fast_sinf(float x)
{
	return __nvvm_sin_approx_f(x);
}

STRATA_NV float __nv_fast_cosf(float x)
{
	return __nvvm_cos_approx_f(x);
}

STRATA_NV float __nv_fast_fdividef(float a, float b)
{
	return __nvvm_div_approx_f(a, b);
}

STRATA_NV float __nv_fast_tanf(float x)
{
	return __nv_fast_fdividef(__nv_fast_sinf(x), __nv_fast_cosf(x));
}

STRATA_NV void __nv_fast_sincosf(float x, float *s, float *c)
{
	*s = __nv_fast_sinf(x);
	*c = __nv_fast_cosf(x);
}

STRATA_NV float __nv_fast_expf(float x)
{
	return __nvvm_ex2_approx_f(x * 1.44269504f);
}

STRATA_NV float __nv_fast_exp10f(float x)
{
	return __nvvm_ex2_approx_f(x * 3.32192809f);
}

STRATA_NV float __nv_fast_log2f(float x)
{
	return __nvvm_lg2_approx_f(x);
}

STRATA_NV float __nv_fast_logf(float x)
{
	return __nvvm_lg2_approx_f(x) * 0.693147181f;
}

STRATA_NV float __nv_fast_log10f(float x)
{
	return __nvvm_lg2_approx_f(x) * 0.301029996f;
}

STRATA_NV float __nv_fast_powf(float x, float y)
{
	return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x));
}

/* ---- Roots ------------------------------------------------------------------------------------------------------ */

STRATA_NV float __nv_rsqrtf(float x)
{
	return __nvvm_rsqrt_approx_f(x);
}

STRATA_NV float __nv_frsqrt_rn(float x)
{
	return (float)__nvvm_rcp_rn_d(__nvvm_sqrt_rn_d((double)x));
}

/* 1 ulp. */
STRATA_NV_CALL float __nv_cbrtf(float x)
{
	float a = __builtin_fabsf(x), scale = 1.0f;

	if (a == 0.0f || !(a < __builtin_inff()))
		return x + x;
	if (a < 1.17549435e-38f) { /* lg2 of a subnormal is fine, but the step below is not */
		a *= 16777216.0f;
		scale = 0.00390625f;
	}

	float y = __nvvm_ex2_approx_f(__nvvm_lg2_approx_f(a) * 0.333333333f);
	/* One step of Newton; y*y*y - a with one rounding. */
	float y2 = y * y, rest = strata_fmaf(strata_fmaf(y, y, -y2), y, strata_fmaf(y2, y, -a));

	y = strata_fmaf(rest, -0.333333333f * __nvvm_rcp_rn_f(y2), y);
	return __nv_copysignf(y * scale, x);
}

STRATA_NV_CALL float __nv_rcbrtf(float x)
{
	return 1.0f / __nv_cbrtf(x);
}

/* 2 ulp; neither overflows nor underflows on the way. */
STRATA_NV_CALL float __nv_hypotf(float x, float y)
{
	float a = __builtin_fabsf(x), b = __builtin_fabsf(y), big = __nvvm_fmax_f(a, b), small = __nvvm_fmin_f(a, b);

	if (a == __builtin_inff() || b == __builtin_inff())
		return __builtin_inff();
	if (x != x || y != y)
		return x + y;
	if (big == 0.0f)
		return 0.0f;

	float r = small / big;

	return big * __nvvm_sqrt_rn_f(strata_fmaf(r, r, 1.0f));
}

STRATA_NV_CALL float __nv_norm3df(float a, float b, float c)
{
	return __nv_hypotf(__nv_hypotf(a, b), c);
}

STRATA_NV_CALL float __nv_norm4df(float a, float b, float c, float d)
{
	return __nv_hypotf(__nv_hypotf(a, b), __nv_hypotf(c, d));
}

STRATA_NV float __nv_rhypotf(float a, float b)
{
	return 1.0f / __nv_hypotf(a, b);
}

STRATA_NV float __nv_rnorm3df(float a, float b, float c)
{
	return 1.0f / __nv_norm3df(a, b, c);
}

STRATA_NV float __nv_rnorm4df(float a, float b, float c, float d)
{
	return 1.0f / __nv_norm4df(a, b, c, d);
}

STRATA_NV_CALL float __nv_normf(int count, const float *p)
{
	float r = 0.0f;

	for (int i = 0; i < count; i++)
		r = __nv_hypotf(r, p[i]);
	return r;
}

STRATA_NV float __nv_rnormf(int count, const float *p)
{
	return 1.0f / __nv_normf(count, p);
}

/* ---- Exponentials ----------------------------------------------------------------------------------------------- */

/* scale * exp(x), scale a power of two >= 1/2; x within [-105, 89] or NaN. exp(x) = 2^t * 2^r, r in [-1/2, 1/2]; the
 * factor is applied in two steps so that results near the largest number do not overflow on the way. */
STRATA_NV float strata_expf(float x, float scale)
{
	float t = __builtin_rintf(x * 1.44269504f);
	float r = strata_fmaf(t, -0.693147182f, x);

	r = strata_fmaf(t, 1.90465421e-9f, r);
	return __nvvm_ex2_approx_f(r * 1.44269504f) * (2.0f * scale) * __nvvm_ex2_approx_f(t - 1.0f);
}

STRATA_NV float strata_clampf(float x, float low, float high)
{
	x = x < low ? low : x;
	return x > high ? high : x;
}

/* 2 ulp. */
STRATA_NV float __nv_expf(float x)
{
	return strata_expf(strata_clampf(x, -105.0f, 89.0f), 1.0f);
}

/* 1 ulp. */
STRATA_NV float __nv_exp2f(float x)
{
	return __nvvm_ex2_approx_f(x);
}

/* 2 ulp. */
STRATA_NV float __nv_exp10f(float x)
{
	x = strata_clampf(x, -46.0f, 39.0f);

	float t = __builtin_rintf(x * 3.32192802f);
	float r = strata_fmaf(t, -0.30103001f, x);

	r = strata_fmaf(t, 1.43209888e-8f, r);
	r = strata_fmaf(r, 3.32192802f, r * 7.05953696e-8f);
	return __nvvm_ex2_approx_f(r) * 2.0f * __nvvm_ex2_approx_f(t - 1.0f);
}

/* 2 ulp. (e^r - 1 - r) / r^2 on [-0.35, 0.35], 6.8e-8; then 2^t (e^r - 1) + (2^t - 1). */
STRATA_NV_CALL float __nv_expm1f(float x)
{
	float clamped = strata_clampf(x, -20.0f, 89.0f);
	float t = __builtin_rintf(clamped * 1.44269504f);
	float r = strata_fmaf(t, -0.693147182f, clamped);

	r = strata_fmaf(t, 1.90465421e-9f, r);

	float p = strata_fmaf(r, 0.00139269186f, 0.0083637666f);

	p = strata_fmaf(r, p, 0.0416665487f);
	p = strata_fmaf(r, p, 0.166665733f);
	p = strata_fmaf(r, p, 0.5f);
	p = strata_fmaf(r * r, p, r);

	float half = __nvvm_ex2_approx_f(t - 1.0f);

	p = strata_fmaf(half, p, half - 0.5f);
	return x == 0.0f ? x : p + p;
}

/* ---- Logarithms ------------------------------------------------------------------------------------------------- */

/* log(1 + f) for f in [-1/3, 1/3]: (log(1 + f) - f + f^2/2) / f^3, 1.9e-7. */
STRATA_NV float strata_log1p_smallf(float f)
{
	float p = strata_fmaf(f, -0.121255808f, 0.134257495f);

	p = strata_fmaf(f, p, -0.123461902f);
	p = strata_fmaf(f, p, 0.141183093f);
	p = strata_fmaf(f, p, -0.166701406f);
	p = strata_fmaf(f, p, 0.200037807f);
	p = strata_fmaf(f, p, -0.249999881f);
	p = strata_fmaf(f, p, 0.333333194f);
	p = strata_fmaf(f, p, -0.5f);
	return strata_fmaf(f * f, p, f);
}

/* x = 2^e (1 + f), f in [-1/3, 1/3]; x normal or subnormal, positive. */
STRATA_NV float strata_split_logf(float x, float *e)
{
	float extra = 0.0f;

	if (x < 1.17549435e-38f) {
		x *= 8388608.0f;
		extra = -23.0f;
	}

	int bits = __nv_float_as_int(x), exponent = (bits - 0x3f2aaaab) & (int)0xff800000;

	*e = strata_fmaf((float)exponent, 1.1920929e-7f, extra); /* exponent counts units of 2^23 */
	return __nv_int_as_float(bits - exponent) - 1.0f;
}

/* What a logarithm is where x is not a positive number; `usual` elsewhere. */
STRATA_NV float strata_log_edgesf(float x, float usual)
{
	if (x > 0.0f && x < __builtin_inff())
		return usual;
	return x == 0.0f ? -__builtin_inff() : x < 0.0f ? __builtin_nanf("") : x + x;
}

/* 1 ulp. */
STRATA_NV float __nv_logf(float x)
{
	float e, f = strata_split_logf(x, &e);

	return strata_log_edgesf(x, strata_fmaf(e, 0.693147182f, strata_log1p_smallf(f)));
}

/* 2 ulp. */
STRATA_NV float __nv_log2f(float x)
{
	float e, f = strata_split_logf(x, &e);

	return strata_log_edgesf(x, strata_fmaf(strata_log1p_smallf(f), 1.44269504f, e));
}

/* 2 ulp. */
STRATA_NV float __nv_log10f(float x)
{
	float e, f = strata_split_logf(x, &e);

	return strata_log_edgesf(x, strata_fmaf(e, 0.30103001f, strata_log1p_smallf(f) * 0.434294482f));
}

/* 2 ulp. */
STRATA_NV_CALL float __nv_log1pf(float x)
{
	if (__builtin_fabsf(x) <= 0.333333f)
		return x == 0.0f ? x : strata_log1p_smallf(x);

	/* 1 + x is rounded; what the rounding lost is added back to first order. */
	float u = 1.0f + x, e, f = strata_split_logf(u, &e);
	float lost = x < 1.0f ? x - (u - 1.0f) : 1.0f - (u - x);
	float r = strata_fmaf(e, 0.693147182f, strata_log1p_smallf(f) + lost * __nvvm_rcp_rn_f(u));

	return strata_log_edgesf(u, r);
}

STRATA_NV int __nv_ilogbf(float x)
{
	int bits = __nv_float_as_int(x) & 0x7fffffff;

	if (bits == 0 || bits > 0x7f800000)
		return -2147483647 - 1;
	if (bits == 0x7f800000)
		return 2147483647;
	return bits >= 0x00800000 ? (bits >> 23) - 127 : -118 - __nv_clz(bits);
}

STRATA_NV float __nv_logbf(float x)
{
	if (x == 0.0f)
		return -__builtin_inff();
	return __builtin_fabsf(x) < __builtin_inff() ? (float)__nv_ilogbf(x) : x * x;
}

/* ---- Powers ----------------------------------------------------------------------------------------------------- */

/* |x|^y for 0 < |x| < inf: the logarithm in two floats.
 *
 * log2 |x| = e + (2 / ln 2) (s + s q), s = (m - 1) / (m + 1), q = z (1/3 + ...), z = s^2; q 5.8e-10 relative to s. */
STRATA_NV float strata_pow_coref(float a, float y)
{
	float e = 0.0f;

	if (a < 1.17549435e-38f) {
		a *= 16777216.0f;
		e = -24.0f;
	}

	int bits = __nv_float_as_int(a), exponent = (bits - 0x3f3504f3) & (int)0xff800000;
	float m = __nv_int_as_float(bits - exponent);

	e = strata_fmaf((float)exponent, 1.1920929e-7f, e);

	float above = m - 1.0f, below = m + 1.0f, below_lost = m - (below - 1.0f);
	float inverse = __nvvm_rcp_rn_f(below), s = above * inverse;
	float s_low = strata_fmaf(-s, below, above);

	s_low = strata_fmaf(-s, below_lost, s_low) * inverse;

	float z = s * s, q = strata_fmaf(z, 0.116652869f, 0.142754078f);

	q = strata_fmaf(z, q, 0.200000614f);
	q = strata_fmaf(z, q, 0.333333343f) * z;

	/* high + low = log2 m */
	float high = strata_mulf(s, 2.88539004f), low = strata_fmaf(s, 2.88539004f, -high);

	low = strata_fmaf(s, 3.85192607e-8f, low);
	low = strata_fmaf(s_low, 2.88539004f, low);
	low = strata_fmaf(high, q, low);

	float sum = e + high, rest = high - (sum - e) + low;

	high = sum + rest;
	low = rest - (high - sum);

	/* 2^(y (high + low)) */
	float p = strata_mulf(y, high), p_low = strata_fmaf(y, high, -p);

	p_low = strata_fmaf(y, low, p_low);
	if (__builtin_fabsf(p) > 160.0f) {
		p = p > 0.0f ? 160.0f : -160.0f;
		p_low = 0.0f;
	}

	float t = __builtin_rintf(p), f = (p - t) + p_low, half = strata_clampf(t, -280.0f, 280.0f) * 0.5f;
	float step = __builtin_floorf(half);
	float r = strata_fmaf(f, 0.000154531634f, 0.00133908633f); /* (2^f - 1) / f on [-1/2, 1/2], 7.8e-9 */

	r = strata_fmaf(f, r, 0.00961808302f);
	r = strata_fmaf(f, r, 0.0555035695f);
	r = strata_fmaf(f, r, 0.240226507f);
	r = strata_fmaf(f, r, 0.693147182f);
	r = strata_fmaf(f, r, 1.0f);
	return r * __nvvm_ex2_approx_f(step) * __nvvm_ex2_approx_f(t - step);
}

/* 2 ulp. */
STRATA_NV_CALL float __nv_powf(float x, float y)
{
	float a = __builtin_fabsf(x), whole = __builtin_truncf(y), r;
	bool is_whole = whole == y, is_odd = is_whole && __builtin_fabsf(y) < 16777216.0f && ((int)whole & 1);

	if (x == 1.0f || y == 0.0f)
		return 1.0f;
	if (x != x || y != y)
		return x + y;
	if (__builtin_fabsf(y) == __builtin_inff())
		return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? __builtin_inff() : 0.0f;
	if (a == 0.0f || a == __builtin_inff())
		r = (a == 0.0f) == (y < 0.0f) ? __builtin_inff() : 0.0f;
	else if (x < 0.0f && !is_whole)
		return __builtin_nanf("");
	else
		r = strata_pow_coref(a, y);
	return is_odd && __nv_signbitf(x) ? -r : r;
}

STRATA_NV_CALL float __nv_powif(float x, int n)
{
	unsigned int left = n < 0 ? 0u - (unsigned int)n : (unsigned int)n;
	float r = 1.0f;

	for (; left; left >>= 1) {
		if (left & 1)
			r *= x;
		x *= x;
	}
	return n < 0 ? 1.0f / r : r;
}

/* ---- Hyperbolic functions --------------------------------------------------------------------------------------- */

/* 3 ulp. */
STRATA_NV_CALL float __nv_sinhf(float x)
{
	float a = __builtin_fabsf(x), r;

	if (a < 1.0f) {
		float m = __nv_expm1f(a);

		r = 0.5f * (m + m / (m + 1.0f));
	} else {
		float half = strata_expf(strata_clampf(a, 0.0f, 89.9f), 0.5f);

		r = half - 0.25f / half;
	}
	return x == 0.0f ? x : __nv_copysignf(r, x);
}

/* 2 ulp. */
STRATA_NV_CALL float __nv_coshf(float x)
{
	float half = strata_expf(strata_clampf(__builtin_fabsf(x), 0.0f, 89.9f), 0.5f);

	return half + 0.25f / half;
}

/* 2 ulp. (tanh(x) / x - 1) / x^2 on [0, 0.55], 4.6e-7. */
STRATA_NV_CALL float __nv_tanhf(float x)
{
	float a = __builtin_fabsf(x);

	if (a < 0.55f) {
		float z = x * x, p = strata_fmaf(z, 0.0172957517f, -0.053146746f);

		p = strata_fmaf(z, p, 0.133284643f);
		p = strata_fmaf(z, p, -0.333332866f);
		return strata_fmaf(x * z, p, x);
	}
	if (x != x)
		return x;
	return __nv_copysignf(1.0f - 2.0f / (strata_expf(strata_clampf(2.0f * a, 0.0f, 40.0f), 1.0f) + 1.0f), x);
}

/* 3 ulp. */
STRATA_NV_CALL float __nv_asinhf(float x)
{
	float a = __builtin_fabsf(x), r;

	if (a > 1e9f)
		r = __nv_logf(a) + 0.693147181f;
	else
		r = __nv_log1pf(a + a * a / (1.0f + __nvvm_sqrt_rn_f(strata_fmaf(a, a, 1.0f))));
	return x == 0.0f ? x : __nv_copysignf(r, x);
}

/* 3 ulp. */
STRATA_NV_CALL float __nv_acoshf(float x)
{
	if (x > 1e9f)
		return __nv_logf(x) + 0.693147181f;

	float t = x - 1.0f;

	return __nv_log1pf(t + __nvvm_sqrt_rn_f(strata_fmaf(t, t, 2.0f * t)));
}

/* 3 ulp. */
STRATA_NV_CALL float __nv_atanhf(float x)
{
	float a = __builtin_fabsf(x);

	return x == 0.0f ? x : __nv_copysignf(0.5f * __nv_log1pf(2.0f * a / (1.0f - a)), x);
}

/* ---- Scaling, parts, remainders: exact -------------------------------------------------------------------------- */

STRATA_NV_CALL float __nv_ldexpf(float x, int n)
{
	n = n < -300 ? -300 : n > 300 ? 300 : n;

	/* Three factors, each a normal power of two; only the last product can round. */
	int first = n / 3;
	float step = __nvvm_ex2_approx_f((float)first);

	return x * step * step * __nvvm_ex2_approx_f((float)(n - 2 * first));
}

STRATA_NV float __nv_scalbnf(float x, int n)
{
	return __nv_ldexpf(x, n);
}

STRATA_NV_CALL float __nv_frexpf(float x, int *exponent)
{
	if (x == 0.0f || !(__builtin_fabsf(x) < __builtin_inff())) {
		*exponent = 0;
		return x;
	}

	int e = __nv_ilogbf(x) + 1;

	*exponent = e;
	return __nv_ldexpf(x, -e);
}

STRATA_NV float __nv_modff(float x, float *whole)
{
	float w = __builtin_truncf(x);

	*whole = w;
	return __nv_copysignf(__builtin_fabsf(x) == __builtin_inff() ? 0.0f : x - w, x);
}

STRATA_NV_CALL float __nv_nextafterf(float x, float y)
{
	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0.0f)
		return __nv_copysignf(1.40129846e-45f, y);

	int bits = __nv_float_as_int(x);

	return __nv_int_as_float((x < y) == (x > 0.0f) ? bits + 1 : bits - 1);
}

/* a mod b for finite a >= 0, b > 0, with the low bits of the quotient. Each round takes off a multiple of b that has at
 * most 22 bits, so that every product and difference is exact. */
STRATA_NV float strata_remf(float a, float b, unsigned int *quotient)
{
	unsigned int q = 0;

	while (a >= b) {
		int shift = __nv_ilogbf(a) - __nv_ilogbf(b) - 22;

		shift = shift > 0 ? shift : 0;

		float unit = __nv_ldexpf(b, shift), n = __builtin_truncf(a / unit), rest = strata_fmaf(-n, unit, a);

		if (rest < 0.0f) {
			rest += unit;
			n -= 1.0f;
		}
		a = rest;
		q += shift < 32 ? (unsigned int)n << shift : 0u;
	}
	*quotient = q;
	return a;
}

STRATA_NV_CALL float __nv_fmodf(float x, float y)
{
	unsigned int q;

	if (!(__builtin_fabsf(x) < __builtin_inff()) || y == 0.0f || y != y)
		return __builtin_nanf("");
	if (__builtin_fabsf(y) == __builtin_inff())
		return x;
	return __nv_copysignf(strata_remf(__builtin_fabsf(x), __builtin_fabsf(y), &q), x);
}

STRATA_NV_CALL float __nv_remquof(float x, float y, int *quotient)
{
	float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
	unsigned int q = 0;

	*quotient = 0;
	if (!(a < __builtin_inff()) || y == 0.0f || y != y)
		return __builtin_nanf("");
	if (b < __builtin_inff()) {
		a = strata_remf(a, b, &q);
		/* To the nearest multiple, the even one of two. */
		float other = b - a;

		if (a > other || (a == other && (q & 1))) {
			a = -other;
			q++;
		}
	}
	*quotient = (__nv_signbitf(x) != __nv_signbitf(y) ? -1 : 1) * (int)(q & 0x7fffffff);
	return __nv_signbitf(x) ? -a : a;
}

STRATA_NV float __nv_remainderf(float x, float y)
{
	int quotient;

	return __nv_remquof(x, y, &quotient);
}

#endif
