/* open.c - see open.h. */
#include "dc/array/open.h"

static uint64_t low(uint32_t n)
{
	return (1ull << n) - 1;
}

static int64_t top_of(const struct dc_use *use)
{
	return (int64_t)low(use->e);
}

struct dc_open dc_open_parts(const struct dc_use *use, uint64_t raw, bool is_open)
{
	const uint32_t f = use->m - 1u;
	const bool is_negative = raw >> (f + use->e) & 1;
	struct dc_open x = {.exponent = (int64_t)(raw >> f & low(use->e)), .mantissa = (int64_t)(raw & low(f))};
	const bool is_top = x.exponent == top_of(use);

	if (is_open) {
		x.is_nan = is_top && raw & low(f - 1);
		x.mantissa -= is_negative ? (int64_t)1 << f : 0;
	} else {
		x.is_nan = is_top && x.mantissa;
		x.mantissa = x.exponent ? x.mantissa | (int64_t)1 << f : 0;
		x.mantissa = (is_negative ? -x.mantissa : x.mantissa) >> 1;
	}
	x.is_infinite = is_top && !x.is_nan;
	return x;
}

static uint64_t nan_of(const struct dc_use *use)
{
	return low(use->e + use->m - 1u);
}

static uint64_t put_open(const struct dc_use *use, int64_t exponent, int64_t mantissa)
{
	const uint32_t f = use->m - 1u;
	const uint64_t sign = (uint64_t)(mantissa < 0) << (f + use->e);

	if (exponent >= top_of(use))
		return sign | low(use->e) << f | 1ull << (f - 1);
	return sign | (uint64_t)exponent << f | ((uint64_t)mantissa & low(f));
}

/* The leading one to its row: a mantissa of up to m bits and a sign, whose weight the exponent says. */
static uint64_t put_normal(const struct dc_use *use, int64_t exponent, int64_t mantissa, bool is_infinite)
{
	const uint32_t f = use->m - 1u;
	const bool is_negative = mantissa < 0;
	const uint64_t sign = (uint64_t)is_negative << (f + use->e);
	uint64_t magnitude = (uint64_t)(is_negative ? -mantissa : mantissa);
	uint32_t bits;

	if (is_infinite)
		return sign | low(use->e) << f;
	if (!magnitude)
		return 0;
	bits = 64 - (uint32_t)__builtin_clzll(magnitude);
	exponent += (int64_t)bits - (int64_t)f;
	if (exponent <= 0)
		return sign;
	if (exponent >= top_of(use))
		return sign | low(use->e) << f;
	magnitude = bits > f ? magnitude >> (bits - f) : magnitude << (f - bits);
	return sign | (uint64_t)exponent << f | (magnitude << 1 & low(f));
}

uint64_t dc_open_of(const struct dc_use *use, uint64_t raw)
{
	const struct dc_open x = dc_open_parts(use, raw, false);

	return x.is_nan ? nan_of(use) : put_open(use, x.exponent, x.mantissa);
}

uint64_t dc_open_to(const struct dc_use *use, uint64_t raw)
{
	const struct dc_open x = dc_open_parts(use, raw, true);

	return x.is_nan ? nan_of(use) : put_normal(use, x.exponent, x.mantissa, x.is_infinite);
}

uint64_t dc_open_add(const struct dc_use *use, uint64_t a, uint64_t b)
{
	struct dc_open x = dc_open_parts(use, a, use->kept & DC_KEPT_A);
	struct dc_open y = dc_open_parts(use, b, use->kept & DC_KEPT_B);
	const int64_t most = (int64_t)low(use->m - 1u);
	const bool is_infinite = x.is_infinite || y.is_infinite;
	int64_t sum, apart;

	if (x.is_nan || y.is_nan || (x.is_infinite && y.is_infinite && (x.mantissa < 0) != (y.mantissa < 0)))
		return nan_of(use);
	if (x.exponent < y.exponent) {
		const struct dc_open t = x;

		x = y;
		y = t;
	}
	apart = x.exponent - y.exponent;
	sum = x.mantissa + (y.mantissa >> (apart > use->m ? use->m : apart));
	if (sum > most || sum < -most - 1) {
		x.exponent++;
		sum >>= 1;
	}
	if (use->kept & DC_KEPT_RESULT)
		return put_open(use, x.exponent, sum);
	if (!sum && !is_infinite) /* negative only where both operands are, which are then normalised zeros */
		return a & b & 1ull << (use->e + use->m - 1u);
	return put_normal(use, x.exponent, sum, is_infinite);
}

static uint64_t raw_of(const struct dc_use *use, const void *row, uint32_t lane)
{
	return use->n > 32 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

/* Of a mantissa of m rows and a sign's: bit t for the leading one at row t below the overflow's. */
static void add_shift(struct dc_facts *f, const struct dc_use *use, int64_t sum)
{
	if (sum)
		f->shifts[0] |= 1ull << (use->m - 64 + (uint32_t)__builtin_clzll((uint64_t)(sum < 0 ? -sum : sum)));
}

static void add_sum(struct dc_facts *f, const struct dc_use *use, struct dc_open x, struct dc_open y)
{
	const int64_t rows = use->m - 1, most = (int64_t)low(use->m - 1u);
	int64_t apart = x.exponent - y.exponent, sum;

	if (apart < 0) {
		const struct dc_open t = x;

		x = y;
		y = t;
		apart = -apart;
		f->any_swap = true;
	}
	if (apart < rows)
		f->differences[0] |= 1ull << apart;
	else
		f->any_rest = true;
	sum = x.mantissa + (y.mantissa >> (apart < rows ? apart : rows));
	if (sum > most || sum < -most - 1) {
		f->any_overflow = true;
		sum >>= 1;
	}
	if (!dc_use_keeps_result(use))
		add_shift(f, use, sum);
}

void dc_open_facts(struct dc_facts *f, const struct dc_use *use, const void *const *src, uint32_t mask)
{
	const uint64_t flip = (uint64_t)use->is_difference << (use->n - 1);

	for (uint32_t left = mask; left; left &= left - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctz(left);
		const struct dc_open x = dc_open_parts(use, raw_of(use, src[0], lane), use->kept & DC_KEPT_A);

		if (use->op == DC_OP_COMPLEMENT)
			add_shift(f, use, x.mantissa);
		else
			add_sum(f, use, x,
				dc_open_parts(use, raw_of(use, src[1], lane) ^ flip, use->kept & DC_KEPT_B));
	}
}
