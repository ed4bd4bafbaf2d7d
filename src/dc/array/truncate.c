/* truncate.c - see truncate.h. */
#include "dc/array/truncate.h"

typedef __int128 wide;

struct number {
	bool is_negative, is_infinite, is_nan;
	int64_t exponent;
	uint64_t mantissa; /* m bits, or 0 */
};

static uint64_t low(uint32_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

static struct number number_of(const struct dc_use *use, uint64_t raw)
{
	const uint32_t f = use->m - 1u;
	const uint64_t fraction = raw & low(f), exponent = raw >> f & low(use->e);
	struct number x = {.is_negative = raw >> (f + use->e) & 1, .exponent = (int64_t)exponent};

	x.is_nan = exponent == low(use->e) && fraction;
	x.is_infinite = exponent == low(use->e) && !fraction;
	x.mantissa = exponent ? fraction | 1ull << f : 0;
	return x;
}

static uint64_t nan_of(const struct dc_use *use)
{
	return low(use->e + use->m - 1u);
}

static uint64_t put(const struct dc_use *use, bool is_negative, int64_t exponent, uint64_t mantissa)
{
	const uint32_t f = use->m - 1u;
	const uint64_t sign = (uint64_t)is_negative << (f + use->e);

	if (!mantissa || exponent <= 0)
		return sign;
	if (exponent >= (int64_t)low(use->e))
		return sign | low(use->e) << f;
	return sign | (uint64_t)exponent << f | (mantissa & low(f));
}

uint64_t dc_truncated_add(const struct dc_use *use, uint64_t a, uint64_t b)
{
	struct number x = number_of(use, a), y = number_of(use, b);
	const uint32_t m = use->m;
	wide sum, shifted;
	uint32_t bits = 0;

	if (x.is_nan || y.is_nan || (x.is_infinite && y.is_infinite && x.is_negative != y.is_negative))
		return nan_of(use);
	if (x.exponent < y.exponent) {
		const struct number t = x;

		x = y;
		y = t;
	}
	shifted = (wide)y.mantissa * (y.is_negative ? -1 : 1);
	shifted >>= x.exponent - y.exponent > m ? m + 1 : x.exponent - y.exponent;
	sum = (wide)x.mantissa * (x.is_negative ? -1 : 1) + shifted;
	if (x.is_infinite)
		return put(use, x.is_negative, (int64_t)low(use->e), 1);
	if (!sum)
		return put(use, (a & b) >> (use->e + m - 1u) & 1, 0, 0);

	const bool is_negative = sum < 0;
	uint64_t magnitude = (uint64_t)(is_negative ? -sum : sum);

	bits = 64 - (uint32_t)__builtin_clzll(magnitude);
	magnitude = bits > m ? magnitude >> (bits - m) : magnitude << (m - bits);
	return put(use, is_negative, x.exponent + (int64_t)bits - (int64_t)m, magnitude);
}

uint64_t dc_truncated_mul(const struct dc_use *use, uint64_t a, uint64_t b)
{
	const struct number x = number_of(use, a), y = number_of(use, b);
	const bool is_negative = x.is_negative != y.is_negative;
	const int64_t bias = (int64_t)low(use->e - 1u);
	const unsigned __int128 product = (unsigned __int128)x.mantissa * y.mantissa;
	const bool is_high = product >> (2u * use->m - 1) & 1;

	if (x.is_nan || y.is_nan || (x.is_infinite && !y.mantissa) || (y.is_infinite && !x.mantissa))
		return nan_of(use);
	if (x.is_infinite || y.is_infinite)
		return put(use, is_negative, (int64_t)low(use->e), 1);
	return put(use, is_negative, x.exponent + y.exponent - bias + is_high,
		   (uint64_t)(product >> (use->m - 1u + is_high)));
}

/* The product whole, 2 m bits whose hidden one would be the highest; the addend with m rows below. */
uint64_t dc_truncated_fma(const struct dc_use *use, uint64_t a, uint64_t b, uint64_t c)
{
	const struct number x = number_of(use, a), y = number_of(use, b), z = number_of(use, c);
	const bool is_negative = x.is_negative != y.is_negative, is_infinite = x.is_infinite || y.is_infinite;
	const bool is_zero = !x.mantissa || !y.mantissa;
	const int64_t bias = (int64_t)low(use->e - 1u);
	const int64_t product_exponent = is_zero ? 0 : x.exponent + y.exponent - bias + 1;
	const uint32_t m = use->m, p = 2 * m;
	const bool is_swapped = product_exponent < z.exponent;
	const int64_t apart = is_swapped ? z.exponent - product_exponent : product_exponent - z.exponent;
	const int64_t exponent = is_swapped ? z.exponent : product_exponent;
	const wide product = (wide)x.mantissa * (wide)y.mantissa * (is_negative ? -1 : 1);
	const wide addend = ((wide)z.mantissa << m) * (z.is_negative ? -1 : 1);
	const uint32_t shift = apart > p ? p + 1 : (uint32_t)apart;

	if (x.is_nan || y.is_nan || z.is_nan || (x.is_infinite && !y.mantissa) || (y.is_infinite && !x.mantissa) ||
	    (is_infinite && z.is_infinite && is_negative != z.is_negative))
		return nan_of(use);
	if (is_infinite || z.is_infinite)
		return put(use, is_infinite ? is_negative : z.is_negative, (int64_t)low(use->e), 1);

	const wide sum = is_swapped ? addend + (product >> shift) : product + (addend >> shift);

	if (!sum)
		return put(use, is_negative && z.is_negative, 0, 0);

	unsigned __int128 magnitude = (unsigned __int128)(sum < 0 ? -sum : sum);
	uint32_t bits = 0;

	while (magnitude >> bits)
		bits++;
	magnitude = bits > m ? magnitude >> (bits - m) : magnitude << (m - bits);
	return put(use, sum < 0, exponent + (int64_t)bits - (int64_t)p, (uint64_t)magnitude);
}

uint64_t dc_truncated_div(const struct dc_use *use, uint64_t a, uint64_t b)
{
	const struct number x = number_of(use, a), y = number_of(use, b);
	const bool is_negative = x.is_negative != y.is_negative;
	const int64_t bias = (int64_t)low(use->e - 1u);

	if (x.is_nan || y.is_nan || (x.is_infinite && y.is_infinite) || (!x.mantissa && !y.mantissa))
		return nan_of(use);
	if (x.is_infinite || !y.mantissa)
		return put(use, is_negative, (int64_t)low(use->e), 1);
	if (y.is_infinite)
		return put(use, is_negative, 0, 0);

	const bool is_low = x.mantissa < y.mantissa;
	const unsigned __int128 dividend = (unsigned __int128)x.mantissa << (use->m - 1u + is_low);

	return put(use, is_negative, x.exponent - y.exponent + bias - is_low, (uint64_t)(dividend / y.mantissa));
}
