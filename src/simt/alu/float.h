/* float.h - lane functions of f32 and f64: what float.def needs beyond C's operators. */
#ifndef STRATA_SIMT_ALU_FLOAT_H
#define STRATA_SIMT_ALU_FLOAT_H

#include "simt/alu/flt.h"

#define FLT_ADD(x, y) ((x) + (y))
#define FLT_SUB(x, y) ((x) - (y))
#define FLT_MUL(x, y) ((x) * (y))
#define FLT_DIV(x, y) ((x) / (y))
#define FLT_ABS(x) flt_from(flt_bits(x) & 0x7fffffff)

/* The operand that is not NaN; of zeros, min takes -0 and max +0. */
static inline float flt_min(float a, float b)
{
	const float same = a != a ? b : b != b ? a : flt_from(flt_bits(a) | flt_bits(b));

	return flt_canon(a < b ? a : b < a ? b : same);
}

static inline float flt_max(float a, float b)
{
	const float same = a != a ? b : b != b ? a : flt_from(flt_bits(a) & flt_bits(b));

	return flt_canon(a > b ? a : b > a ? b : same);
}

static inline double flt_min64(double a, double b)
{
	const double same = a != a ? b : b != b ? a : flt_from64(flt_bits64(a) | flt_bits64(b));

	return flt_nan2(a < b ? a : b < a ? b : same, a, b);
}

static inline double flt_max64(double a, double b)
{
	const double same = a != a ? b : b != b ? a : flt_from64(flt_bits64(a) & flt_bits64(b));

	return flt_nan2(a > b ? a : b > a ? b : same, a, b);
}

static inline float flt_nan_wins(float r, float a, float b)
{
	return ((a != a) | (b != b)) ? flt_from(FLT_NAN_F32) : r;
}

static inline float flt_xorsign(float r, float a, float b)
{
	return r == r ? flt_from(flt_bits(r) | ((flt_bits(a) ^ flt_bits(b)) & 0x80000000)) : r;
}

#endif
