/* newton.c - see newton.h. */
#include "dc/array/newton.h"

#include <math.h>
#include <string.h>

#include "dc/array/cordic.h"

enum { LANES = 32, NAN32 = 0x7fffffff, INFINITE32 = 0x7f800000 };
#define SIGN64 0x8000000000000000ull
#define INFINITE64 0x7ff0000000000000ull

const uint32_t dc_tanh_factor = 0x4038aa3b;

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits & INFINITE32 ? bits : bits & 0x80000000;
}

static double double_of(uint64_t bits)
{
	double f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint64_t bits_of_double(double f)
{
	uint64_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* ---- one by a root ---- */

uint64_t dc_whole_root(unsigned __int128 x)
{
	uint64_t root = (uint64_t)sqrtl((long double)x);

	while ((unsigned __int128)root * root > x)
		root--;
	while ((unsigned __int128)(root + 1) * (root + 1) <= x)
		root++;
	return root;
}

uint64_t dc_root_digits(uint64_t mantissa, bool is_even, uint32_t m)
{
	return dc_whole_root((unsigned __int128)mantissa << is_even << (m + 1));
}

/* Of normal numbers without sign: exponent and fraction of the result. */
static uint64_t rsqrt_of(uint64_t bits, uint32_t e, uint32_t m)
{
	const uint64_t hidden = 1ull << (m - 1), bias = (1ull << (e - 1)) - 1, exponent = bits >> (m - 1);
	const uint64_t root = dc_root_digits((bits & (hidden - 1)) | hidden, !(exponent & 1), m);
	const unsigned __int128 one = (unsigned __int128)1 << (2 * m + 1);
	const bool is_rest = one % root != 0;
	uint64_t quotient = (uint64_t)(one / root), to = 2 * bias - (exponent + bias) / 2;

	if (!(quotient >> (m + 1))) {
		quotient <<= 1;
		to--;
	}
	/* two rows below, and what is left */
	const uint64_t value = quotient >> 2, half = quotient >> 1 & 1, below = (quotient & 1) | is_rest;

	return (to << (m - 1)) + (value - hidden) + (half & (below | (value & 1)));
}

static uint32_t rsqrt32(uint32_t bits)
{
	if ((bits & 0x7fffffff) > INFINITE32)
		return NAN32;
	if (!(bits & INFINITE32))
		return (bits & 0x80000000) | INFINITE32;
	if (bits >> 31)
		return NAN32;
	return bits == INFINITE32 ? 0 : (uint32_t)rsqrt_of(bits, 8, 24);
}

void dc_rsqrt32(const uint32_t *in, uint32_t *out)
{
	for (uint32_t lane = 0; lane < LANES; lane++)
		out[lane] = rsqrt32(in[lane]);
}

static uint64_t rsqrt64(uint64_t bits)
{
	if ((bits & ~SIGN64) > INFINITE64) /* as with f64's other operations: its own, quiet */
		return bits | 1ull << 51;
	if (!(bits & ~SIGN64))
		return (bits & SIGN64) | INFINITE64;
	if (bits & SIGN64)
		return INFINITE64 | SIGN64 | 1ull << 51;
	if (!(bits & INFINITE64))
		return bits_of_double(double_of(rsqrt64(bits_of_double(ldexp(double_of(bits), DC_RSQRT_UP)))) *
				      ldexp(1, DC_RSQRT_UP / 2));
	return bits == INFINITE64 ? 0 : rsqrt_of(bits, 11, 53);
}

void dc_rsqrt64(const uint64_t *in, uint64_t *out)
{
	for (uint32_t lane = 0; lane < LANES; lane++)
		out[lane] = rsqrt64(in[lane]);
}

/* ---- Newton's steps ---- */

static uint32_t newton32(uint32_t bits)
{
	const float x = float_of(bits);
	float y = float_of(DC_RSQRT_MAGIC - (bits >> 1));

	if (!(bits & INFINITE32) || bits >= INFINITE32)
		return rsqrt32(bits);
	for (uint32_t i = 0; i < DC_NEWTON_STEPS; i++) {
		const float root = x * y, square = root * y, left = 1 - square;

		y += y * left * 0.5f;
	}
	return bits_of(y);
}

void dc_newton32(const uint32_t *in, uint32_t *out)
{
	for (uint32_t lane = 0; lane < LANES; lane++)
		out[lane] = newton32(in[lane]);
}

void dc_tanh(uint32_t cordic_iterations, const uint32_t *in, uint32_t *out)
{
	uint32_t argument[LANES], power[LANES];

	for (uint32_t lane = 0; lane < LANES; lane++)
		argument[lane] = bits_of(float_of(in[lane] & 0x7fffffff) * float_of(dc_tanh_factor));
	dc_cordic(DC_EX2, cordic_iterations, argument, power);
	for (uint32_t lane = 0; lane < LANES; lane++) {
		const uint32_t magnitude = in[lane] & 0x7fffffff, sign = in[lane] & 0x80000000;
		const float part = float_of(bits_of(2 / (float_of(power[lane]) + 1)));

		if (magnitude > INFINITE32)
			out[lane] = NAN32;
		else if (magnitude >> 23 < DC_TANH_SMALL)
			out[lane] = magnitude >> 23 ? in[lane] : sign;
		else
			out[lane] = sign | bits_of(1 - part);
	}
}
