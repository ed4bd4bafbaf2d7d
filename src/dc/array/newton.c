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

static uint32_t rsqrt32(uint32_t bits)
{
	const float x = float_of(bits);
	float y = float_of((uint32_t)DC_RSQRT_MAGIC(24) - (bits >> 1));

	if ((bits & 0x7fffffff) > INFINITE32)
		return NAN32;
	if (!(bits & INFINITE32))
		return (bits & 0x80000000) | INFINITE32;
	if (bits >> 31)
		return NAN32;
	if (bits == INFINITE32)
		return 0;
	for (uint32_t i = 0; i < DC_NEWTON_STEPS(24); i++) {
		const float root = x * y, square = root * y, left = 1 - square;

		y += y * left * 0.5f;
	}
	return bits_of(y);
}

void dc_rsqrt32(const uint32_t *in, uint32_t *out)
{
	for (uint32_t lane = 0; lane < LANES; lane++)
		out[lane] = rsqrt32(in[lane]);
}

static uint64_t rsqrt64(uint64_t bits)
{
	const double x = double_of(bits);
	double y = double_of(DC_RSQRT_MAGIC(53) - (bits >> 1));

	if ((bits & ~SIGN64) > INFINITE64) /* as with f64's other operations: its own, quiet */
		return bits | 1ull << 51;
	if (!(bits & ~SIGN64))
		return (bits & SIGN64) | INFINITE64;
	if (bits & SIGN64)
		return INFINITE64 | SIGN64 | 1ull << 51;
	if (!(bits & INFINITE64))
		return bits_of_double(double_of(rsqrt64(bits_of_double(ldexp(x, DC_RSQRT_UP)))) *
				      ldexp(1, DC_RSQRT_UP / 2));
	if (bits == INFINITE64)
		return 0;
	for (uint32_t i = 0; i < DC_NEWTON_STEPS(53); i++) {
		const double root = x * y, square = root * y, left = 1 - square;

		y += y * left * 0.5;
	}
	return bits_of_double(y);
}

void dc_rsqrt64(const uint64_t *in, uint64_t *out)
{
	for (uint32_t lane = 0; lane < LANES; lane++)
		out[lane] = rsqrt64(in[lane]);
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
