/* sfu.h - the approximate functions, in double precision with +, -, * and / only, each operation rounded on its own:
 * every build and compiler gives the same bits. The polynomials are Taylor series cut where the rest is below 2^-32 of
 * the value, far inside the PTX ISA's bounds; arguments and results are f32 or halves. */
#ifndef STRATA_SIMT_ALU_SFU_H
#define STRATA_SIMT_ALU_SFU_H

#include "simt/alu/flt.h"

/* The nearest integer of |x| < 2^51, ties to even: adding 1.5 * 2^52 leaves no fraction bits. */
static inline double sfu_nearest(double x)
{
	return (x + 0x1.8p52) - 0x1.8p52;
}

/* 2^x: 2^k of the nearest integer k by exponent, the rest in [-1/2, 1/2] by series in x ln 2. */
static inline double sfu_exp2(double x)
{
	const double low = x > -400.0 ? x : -400.0, v = low < 400.0 ? low : 400.0;
	const double k = sfu_nearest(v), y = (v - k) * 0x1.62e42fefa39efp-1;
	const double p = 1.0 + y * (1.0 + y * (1.0 / 2 + y * (1.0 / 6 + y * (1.0 / 24 + y * (1.0 / 120 +
			 y * (1.0 / 720 + y * (1.0 / 5040 + y * (1.0 / 40320 + y * (1.0 / 362880)))))))));
	const double scale = flt_from64((uint64_t)(1023 + (int64_t)(int32_t)k) << 52);

	return x == x ? p * scale : x;
}

/* log2 of a normal positive double: exponent, and the mantissa m in [sqrt 1/2, sqrt 2) by the series of
 * artanh((m - 1) / (m + 1)). */
static inline double sfu_log2_normal(double x)
{
	const uint64_t u = flt_bits64(x), from = u - 0x3fe6a09e667f3bcdull;
	const double e = (double)((int32_t)(from >> 52) - (from >> 63 ? 4096 : 0));
	const double m = flt_from64((from & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
	const double s = (m - 1.0) / (m + 1.0), q = s * s;
	const double p =
	    1.0 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q * (1.0 / 13))))));

	return e + s * p * 0x1.71547652b82fep1;
}

static inline double sfu_log2(double x)
{
	const double v = sfu_log2_normal(x > 0.0 ? x : 1.0);
	const double inf = flt_from64(0x7ff0000000000000ull);

	return x != x || x < 0.0 ? flt_from64(FLT_NAN_F64) : x == 0.0 ? -inf : x == inf ? inf : v;
}

/* sin and cos. The argument is first taken in turns, whose fraction is exact; then in quarter turns: quadrant q and the
 * rest r in [-pi/4, pi/4]. The product with 1 / 2 pi is good to 2^-53 of itself, so the angle's absolute error grows
 * with the argument, 2^-50 |x| at most; past 2^51 turns nothing is left and the angle is 0. */
static inline double sfu_rest(double x, int32_t *quadrant)
{
	const double turns = x * 0x1.45f306dc9c883p-3;
	const double known = turns < 0x1p50 && turns > -0x1p50 ? turns : 0.0;
	const double quarters = 4.0 * (known - sfu_nearest(known)), q = sfu_nearest(quarters);

	*quadrant = (int32_t)q;
	return (quarters - q) * 0x1.921fb54442d18p0;
}

static inline double sfu_wave(double r, int32_t quadrant)
{
	const double z = r * r;
	const double s =
	    r *
	    (1.0 + z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800))))));
	const double c =
	    1.0 +
	    z * (-1.0 / 2 +
		 z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600))))));
	const double v = quadrant & 1 ? c : s;

	return quadrant & 2 ? -v : v;
}

static inline double sfu_invalid(double x, double r)
{
	return x - x == 0.0 ? r : flt_from64(FLT_NAN_F64);
}

/* The sine of zero keeps its sign. */
static inline double sfu_sin(double x)
{
	int32_t quadrant;
	const double r = sfu_rest(x, &quadrant);

	return x == 0.0 ? x : sfu_invalid(x, sfu_wave(r, quadrant));
}

static inline double sfu_cos(double x)
{
	int32_t quadrant;
	const double r = sfu_rest(x, &quadrant);

	return sfu_invalid(x, sfu_wave(r, quadrant + 1));
}

/* 1 - 2 / (e^2x + 1); near zero, where that cancels, the series. */
static inline double sfu_tanh(double x)
{
	const double low = x > -30.0 ? x : -30.0, v = low < 30.0 ? low : 30.0, z = v * v;
	const double far = 1.0 - 2.0 / (sfu_exp2(v * 0x1.71547652b82fep1) + 1.0);
	const double near = v * (1.0 + z * (-1.0 / 3 + z * (2.0 / 15 + z * (-17.0 / 315 + z * (62.0 / 2835)))));

	return x != x ? x : z < 0x1p-7 ? near : far;
}

#endif
