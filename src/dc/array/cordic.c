/* cordic.c - see cordic.h: lanes of words. tests/dc computes the tables anew. */
#include "dc/array/cordic.h"

#include <stdbool.h>

const uint32_t dc_cordic_angle[DC_CORDIC_STEPS] = {
    0x20000000, 0x12e4051e, 0x09fb385b, 0x051111d4, 0x028b0d43, 0x0145d7e1, 0x00a2f61e, 0x00517c55,
    0x0028be53, 0x00145f2f, 0x000a2f98, 0x000517cc, 0x00028be6, 0x000145f3, 0x0000a2fa, 0x0000517d,
    0x000028be, 0x0000145f, 0x00000a30, 0x00000518, 0x0000028c, 0x00000146, 0x000000a3, 0x00000051,
    0x00000029, 0x00000014, 0x0000000a, 0x00000005, 0x00000003, 0x00000001, 0x00000001};
const uint32_t dc_cordic_log[DC_CORDIC_STEPS] = {
    0x40000000, 0x2570068e, 0x149a784c, 0x0ae00d1d, 0x0598fdbf, 0x02d75a6f, 0x016e7968, 0x00b7f286,
    0x005c2712, 0x002e1f08, 0x00171265, 0x000b89eb, 0x0005c524, 0x0002e29d, 0x00017152, 0x0000b8aa,
    0x00005c55, 0x00002e2b, 0x00001715, 0x00000b8b, 0x000005c5, 0x000002e3, 0x00000171, 0x000000b9,
    0x0000005c, 0x0000002e, 0x00000017, 0x0000000c, 0x00000006, 0x00000003, 0x00000001};
const uint32_t dc_cordic_gain[DC_CORDIC_GAINS + 1] = {
    0x40000000, 0x2d413ccd, 0x287a26c5, 0x2744c375, 0x26f72284, 0x26e3b583, 0x26ded9f5, 0x26dda30d, 0x26dd5553,
    0x26dd41e4, 0x26dd3d09, 0x26dd3bd2, 0x26dd3b84, 0x26dd3b71, 0x26dd3b6c, 0x26dd3b6a, 0x26dd3b6a};
const uint8_t dc_cordic_root_shift[DC_CORDIC_ROOTS] = {1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13, 14, 15};
const uint32_t dc_cordic_root[DC_CORDIC_ROOTS + 1] = {
    0x10000000, 0x15555555, 0x16c16c17, 0x171de3a5, 0x173518be, 0x174c6523, 0x175239b2, 0x1753aeed, 0x17540c3d,
    0x17542391, 0x17542966, 0x17542adb, 0x17542b39, 0x17542b50, 0x17542b56, 0x17542b5c, 0x17542b5d, 0x17542b5d};
const uint32_t dc_cordic_quarters = 0xa2f9836e;

enum { LANES = 32, ONE = 1 << DC_CORDIC_FRACTION, NAN_BITS = 0x7fffffff, INFINITE = 0x7f800000 };

static uint32_t exponent_of(uint32_t x)
{
	return x >> 23 & 0xff;
}

static uint64_t mantissa_of(uint32_t x)
{
	return exponent_of(x) ? (x & 0x7fffff) | 0x800000 : 0;
}

static bool is_nan(uint32_t x)
{
	return (x & 0x7fffffff) > INFINITE;
}

/* The number whose mantissa, 24 bits, has `below` rows below it; exponent is that of its leading one. */
static uint32_t put(bool is_negative, int32_t exponent, uint64_t value, uint32_t below)
{
	const uint64_t rest = value & ((1ull << below) - 1), half = 1ull << (below - 1);
	uint64_t mantissa = value >> below;

	mantissa += rest > half || (rest == half && mantissa & 1);
	exponent += (int32_t)(mantissa >> 24);
	if (exponent <= 0)
		return (uint32_t)is_negative << 31;
	if (exponent >= 0xff)
		return (uint32_t)is_negative << 31 | INFINITE;
	return (uint32_t)is_negative << 31 | (uint32_t)exponent << 23 | (uint32_t)(mantissa & 0x7fffff);
}

/* A magnitude of so many rows whose highest counts 2^(top_exponent - 127). */
static uint32_t normalised(bool is_negative, int32_t top_exponent, uint64_t magnitude, uint32_t rows)
{
	uint32_t zeros = 0;

	if (!magnitude)
		return (uint32_t)is_negative << 31;
	while (!(magnitude >> (rows - 1 - zeros)))
		zeros++;
	return put(is_negative, top_exponent - (int32_t)zeros, magnitude << zeros, rows - 24);
}

/* value >> s, nothing where s is 64 or more, or negative: beyond what is reduced. */
static uint64_t moved_down(uint64_t value, int32_t s)
{
	return s < 0 || s >= 64 ? 0 : value >> s;
}

/* ---- sin and cos ---- */

/* Quarter turns modulo 4. */
static uint32_t turned(uint32_t x)
{
	const uint64_t product = mantissa_of(x) * dc_cordic_quarters;
	const uint32_t quarters = (uint32_t)moved_down(product, 152 - (int32_t)exponent_of(x));

	return x >> 31 ? 0u - quarters : quarters;
}

static uint32_t wave(enum dc_function function, uint32_t in, uint32_t quarters, int32_t x, int32_t y)
{
	const uint32_t quadrant = (quarters >> 30) + (quarters >> 29 & 1) + (function == DC_COS);
	const int32_t v = quadrant & 1 ? x : y;

	if (exponent_of(in) == 0xff)
		return NAN_BITS;
	if (function == DC_SIN && !exponent_of(in))
		return in & 0x80000000;
	return normalised((v < 0) != (quadrant >> 1 & 1), 127 + 1, v < 0 ? 0u - (uint32_t)v : (uint32_t)v, 32);
}

static void turn(int32_t *x, int32_t *y, int32_t *z, uint32_t iterations)
{
	for (uint32_t i = 0; i < iterations; i++) {
		const uint32_t shift = i < 31 ? i : 31;
		const int32_t angle = i < DC_CORDIC_STEPS ? (int32_t)dc_cordic_angle[i] : 0;

		for (uint32_t lane = 0; lane < LANES; lane++) {
			const int32_t p = ~(z[lane] >> 31); /* all ones: turned back */
			const int32_t dx = ((y[lane] >> shift) ^ p) - p, dy = ((x[lane] >> shift) ^ ~p) - ~p;

			x[lane] += dx;
			y[lane] += dy;
			z[lane] += (angle ^ p) - p;
		}
	}
}

static void waves(enum dc_function function, uint32_t iterations, const uint32_t *in, uint32_t *out)
{
	const uint32_t gain = dc_cordic_gain[iterations < DC_CORDIC_GAINS ? iterations : DC_CORDIC_GAINS];
	int32_t x[LANES], y[LANES], z[LANES];
	uint32_t quarters[LANES];

	for (uint32_t lane = 0; lane < LANES; lane++) {
		quarters[lane] = turned(in[lane]);
		x[lane] = (int32_t)gain;
		y[lane] = 0;
		z[lane] = (int32_t)(quarters[lane] << 2) >> 2;
	}
	turn(x, y, z, iterations);
	for (uint32_t lane = 0; lane < LANES; lane++)
		out[lane] = wave(function, in[lane], quarters[lane], x[lane], y[lane]);
}

/* ---- powers of two ---- */

static int64_t fixed_of(uint32_t x)
{
	const int64_t magnitude = (int64_t)moved_down(mantissa_of(x) << 14, 134 - (int32_t)exponent_of(x));

	return x >> 31 ? -magnitude : magnitude;
}

static uint32_t power(uint32_t in, int64_t fixed, uint32_t y)
{
	if (is_nan(in))
		return NAN_BITS;
	if (exponent_of(in) > 134)
		return in >> 31 ? 0 : INFINITE;
	return put(false, (int32_t)(fixed >> DC_CORDIC_FRACTION) + 127, y, DC_CORDIC_FRACTION - 23);
}

static void powers(uint32_t iterations, const uint32_t *in, uint32_t *out)
{
	uint32_t y[LANES], z[LANES];
	int64_t fixed[LANES];

	for (uint32_t lane = 0; lane < LANES; lane++) {
		fixed[lane] = fixed_of(in[lane]);
		y[lane] = ONE;
		z[lane] = (uint32_t)fixed[lane] & (ONE - 1);
	}
	for (uint32_t i = 1; i <= iterations; i++) {
		const uint32_t shift = i < 31 ? i : 31, log = i < DC_CORDIC_STEPS ? dc_cordic_log[i] : 0;

		for (uint32_t lane = 0; lane < LANES; lane++) {
			const uint32_t left = z[lane] - log, is_less = 0u - (left >> 31);

			y[lane] += (y[lane] >> shift) & ~is_less;
			z[lane] = (z[lane] & is_less) | (left & ~is_less);
		}
	}
	for (uint32_t lane = 0; lane < LANES; lane++)
		out[lane] = power(in[lane], fixed[lane], y[lane]);
}

/* ---- logarithms ---- */

static uint32_t logarithm(uint32_t in, uint32_t sum)
{
	const int64_t whole = (int64_t)exponent_of(in) - 127 + ((in & 0x7fffff) != 0);
	const int64_t value = whole * ONE - (int64_t)sum;

	if (is_nan(in) || (in >> 31 && exponent_of(in)))
		return NAN_BITS;
	if (!exponent_of(in))
		return INFINITE | 0x80000000;
	if (exponent_of(in) == 0xff)
		return INFINITE;
	return normalised(value < 0, 127 + 39 - DC_CORDIC_FRACTION, (uint64_t)(value < 0 ? -value : value), 40);
}

static void logarithms(uint32_t iterations, const uint32_t *in, uint32_t *out)
{
	uint32_t w[LANES], sum[LANES];

	for (uint32_t lane = 0; lane < LANES; lane++) {
		w[lane] = in[lane] & 0x7fffff ? (uint32_t)(mantissa_of(in[lane]) << 6) : ONE;
		sum[lane] = 0;
	}
	for (uint32_t i = 1; i <= iterations; i++) {
		const uint32_t shift = i < 31 ? i : 31, log = i < DC_CORDIC_STEPS ? dc_cordic_log[i] : 0;

		for (uint32_t lane = 0; lane < LANES; lane++) {
			const uint32_t more = w[lane] + (w[lane] >> shift);
			const uint32_t is_below = 0u - (~more >> DC_CORDIC_FRACTION & 1);

			w[lane] = (w[lane] & ~is_below) | (more & is_below);
			sum[lane] += log & is_below;
		}
	}
	for (uint32_t lane = 0; lane < LANES; lane++)
		out[lane] = logarithm(in[lane], sum[lane]);
}

/* ---- square roots ---- */

/* x has 30 bits of fraction: what is not from a half to 1 is the nearest that is. */
static uint32_t root(uint32_t in, int32_t x)
{
	const uint32_t exponent = (exponent_of(in) + 127) >> 1;

	if (is_nan(in) || (in >> 31 && exponent_of(in)))
		return NAN_BITS;
	if (!exponent_of(in))
		return in & 0x80000000;
	if (exponent_of(in) == 0xff)
		return INFINITE;
	if (x >= ONE)
		x = ONE - (1 << (DC_CORDIC_FRACTION - 24));
	else if (x < ONE / 2)
		x = ONE / 2;
	return put(false, (int32_t)exponent, (uint32_t)x, DC_CORDIC_FRACTION - 24);
}

static void roots(uint32_t iterations, const uint32_t *in, uint32_t *out)
{
	const uint32_t steps = iterations < DC_CORDIC_ROOTS ? iterations : DC_CORDIC_ROOTS;
	const int32_t c = (int32_t)dc_cordic_root[steps];
	int32_t x[LANES], y[LANES];

	for (uint32_t lane = 0; lane < LANES; lane++) {
		const int32_t v = (int32_t)(mantissa_of(in[lane]) << (DC_CORDIC_FRACTION - 24) >> (in[lane] >> 23 & 1));

		x[lane] = v + c;
		y[lane] = v - c;
	}
	for (uint32_t i = 0; i < steps; i++) {
		const uint32_t shift = dc_cordic_root_shift[i];

		for (uint32_t lane = 0; lane < LANES; lane++) {
			const int32_t p = ~(y[lane] >> 31); /* all ones: y is to become less */
			const int32_t dx = ((y[lane] >> shift) ^ p) - p, dy = ((x[lane] >> shift) ^ p) - p;

			x[lane] += dx;
			y[lane] += dy;
		}
	}
	for (uint32_t lane = 0; lane < LANES; lane++)
		out[lane] = root(in[lane], x[lane]);
}

void dc_cordic(enum dc_function function, uint32_t iterations, const uint32_t *in, uint32_t *out)
{
	switch (function) {
	case DC_SIN:
	case DC_COS: waves(function, iterations, in, out); break;
	case DC_EX2: powers(iterations, in, out); break;
	case DC_LG2: logarithms(iterations, in, out); break;
	case DC_SQRT: roots(iterations, in, out); break;
	}
}
