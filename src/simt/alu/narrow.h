/* narrow.h - floats of 8 and 6 bits, and tf32, as cvt makes and reads them (PTX ISA, cvt; OCP 8-bit Floating Point
 * Specification 1.0 and Microscaling Formats 1.0 for the layouts). */
#ifndef STRATA_SIMT_ALU_NARROW_H
#define STRATA_SIMT_ALU_NARROW_H

#include "simt/alu/half.h"

/* x to the nearest value of a format with `digits` fraction bits and exponent bias `bias`, ties to even, at most the
 * code `most`; nan: the code of NaN. The sign goes to bit `sign`. */
static inline uint32_t narrow_code(double x, int digits, int bias, uint32_t most, uint32_t nan, int sign)
{
	const uint64_t u = flt_bits64(x);
	const double size = flt_from64(u & INT64_MAX);
	const int exponent = (int)(u >> 52 & 2047) - 1023, least = 1 - bias;
	const int place = exponent > least ? (exponent < 64 ? exponent : 64) : least;
	const double scaled = size * flt_from64((uint64_t)(1023 + digits - place) << 52);
	const double y = scaled < 4096.0 ? scaled : 4096.0;
	const uint32_t whole = (uint32_t)y;
	const double rest = y - whole;
	const uint32_t up = (rest > 0.5) | ((rest == 0.5) & (whole & 1));
	const uint32_t code = ((uint32_t)(place - least) << digits) + whole + up;

	if (x != x)
		return nan;
	return (code < most ? code : most) | (uint32_t)(u >> 63) << sign;
}

/* The value of a code without infinities and NaN. */
static inline double narrow_value(uint32_t code, int digits, int bias, int sign)
{
	const uint32_t size = code & ((1u << sign) - 1);
	const uint32_t exponent = size >> digits, fraction = size & ((1u << digits) - 1);
	const uint32_t whole = exponent ? fraction | 1u << digits : fraction;
	const int place = (int)(exponent ? exponent : 1) - bias - digits;
	const double v = whole * flt_from64((uint64_t)(1023 + place) << 52);

	return code >> sign & 1 ? -v : v;
}

static inline uint32_t narrow_e4m3(double x)
{
	return narrow_code(x, 3, 7, 0x7e, 0x7f, 7);
}

static inline uint32_t narrow_e5m2(double x)
{
	return narrow_code(x, 2, 15, 0x7b, 0x7f, 7);
}

/* No NaN: it becomes the largest number. */
static inline uint32_t narrow_e2m3(double x)
{
	return narrow_code(x, 3, 1, 0x1f, 0x1f, 5);
}

static inline uint32_t narrow_e3m2(double x)
{
	return narrow_code(x, 2, 3, 0x1f, 0x1f, 5);
}

static inline double narrow_e4m3_value(uint32_t code)
{
	return (code & 0x7f) == 0x7f ? __builtin_nan("") : narrow_value(code & 0xff, 3, 7, 7);
}

static inline double narrow_e5m2_value(uint32_t code)
{
	const double size = (code & 0x7f) > 0x7c ? __builtin_nan("") : __builtin_inf();

	return (code & 0x7f) >= 0x7c ? (code & 0x80 ? -size : size) : narrow_value(code & 0xff, 2, 15, 7);
}

static inline double narrow_e2m3_value(uint32_t code)
{
	return narrow_value(code & 0x3f, 3, 1, 5);
}

static inline double narrow_e3m2_value(uint32_t code)
{
	return narrow_value(code & 0x3f, 2, 3, 5);
}

/* Negative numbers to +0. */
static inline double narrow_relu(double x)
{
	return x <= 0.0 ? 0.0 : x;
}

/* f32 with 10 fraction bits; add: what rounds the lower 13 before they are cut. */
static inline uint32_t narrow_tf32(uint32_t a, uint32_t add, int finite)
{
	const uint32_t size = a & 0x7fffffff, r = size >= 0x7f800000 ? size : (size + add) & 0xffffe000;
	const uint32_t top = finite && r >= 0x7f800000 ? 0x7f7fe000 : r;

	return size > 0x7f800000 ? 0x7fffffff : top | (a & 0x80000000);
}

static inline uint32_t narrow_tf32_relu(uint32_t r)
{
	return r & 0x80000000 ? 0 : r;
}

#endif
