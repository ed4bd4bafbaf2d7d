/* open.c - see open.h. */
#include "dc/array/open.h"

enum { LANES = 32 };

static uint64_t low_bits(uint32_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

struct parts {
	int64_t mantissa; /* m bits, signed */
	uint64_t exponent, fraction;
	bool is_negative;
};

static struct parts parts_of(const struct dc_use *use, uint64_t raw)
{
	const uint32_t f = use->m - 1u;
	const bool is_negative = raw >> (use->n - 1) & 1;

	return (struct parts){.mantissa = (int64_t)(raw & low_bits(f)) - (is_negative ? (int64_t)1 << f : 0),
			      .exponent = raw >> f & low_bits(use->e),
			      .fraction = raw & low_bits(f),
			      .is_negative = is_negative};
}

static uint64_t put(const struct dc_use *use, bool is_negative, uint64_t exponent, uint64_t fraction)
{
	const uint32_t f = use->m - 1u;

	return (uint64_t)is_negative << (use->n - 1) | exponent << f | (fraction & low_bits(f));
}

uint64_t dc_open_of(const struct dc_use *use, uint64_t raw)
{
	const struct parts p = parts_of(use, raw);
	const int64_t magnitude = (int64_t)(p.fraction | 1ull << (use->m - 1));
	const int64_t mantissa = (p.is_negative ? -magnitude : magnitude) >> 1;

	if (!p.exponent)
		return 0;
	if (p.exponent == low_bits(use->e))
		return raw & low_bits(use->n);
	return put(use, mantissa < 0, p.exponent, (uint64_t)mantissa);
}

static uint32_t bits_of(uint64_t x)
{
	return x ? 64 - (uint32_t)__builtin_clzll(x) : 0;
}

uint64_t dc_open_to(const struct dc_use *use, uint64_t open)
{
	const struct parts p = parts_of(use, open);
	const uint64_t magnitude = (uint64_t)(p.mantissa < 0 ? -p.mantissa : p.mantissa);
	const uint32_t bits = bits_of(magnitude);
	const int64_t exponent = (int64_t)p.exponent + bits + 1 - use->m;

	if (p.exponent == low_bits(use->e))
		return open & low_bits(use->n);
	if (!magnitude)
		return 0;
	if (exponent <= 0)
		return put(use, p.is_negative, 0, 0);
	if (exponent >= (int64_t)low_bits(use->e))
		return put(use, p.is_negative, low_bits(use->e), 0);
	return put(use, p.is_negative, (uint64_t)exponent, magnitude << (use->m - bits));
}

static uint64_t special(const struct dc_use *use, const struct parts *x, const struct parts *y)
{
	const uint64_t top = low_bits(use->e);
	const bool is_x = x->exponent == top, is_y = y->exponent == top;

	if ((is_x && x->fraction) || (is_y && y->fraction) || (is_x && is_y && x->is_negative != y->is_negative))
		return put(use, false, top, low_bits(use->m - 1u));
	return put(use, is_x ? x->is_negative : y->is_negative, top, 0);
}

uint64_t dc_open_add(const struct dc_use *use, uint64_t x, uint64_t y)
{
	struct parts a = parts_of(use, x), b = parts_of(use, y);
	const int64_t end = (int64_t)1 << (use->m - 1);
	uint64_t exponent;
	int64_t sum;

	if (a.exponent == low_bits(use->e) || b.exponent == low_bits(use->e))
		return special(use, &a, &b);
	if (a.exponent < b.exponent) {
		const struct parts t = a;

		a = b;
		b = t;
	}
	exponent = a.exponent;
	sum = a.mantissa + (a.exponent - b.exponent < use->m ? b.mantissa >> (a.exponent - b.exponent)
								 : -(int64_t)(b.mantissa < 0));
	if (sum >= end || sum < -end) {
		sum >>= 1;
		exponent++;
	}
	if (exponent == low_bits(use->e))
		return put(use, sum < 0, exponent, 0);
	return put(use, sum < 0, exponent, (uint64_t)sum);
}

uint64_t dc_open_operand(const struct dc_use *use, uint32_t k, uint64_t raw)
{
	if (use->kept >> k & 1)
		return raw & low_bits(use->n);
	return dc_open_of(use, k == 1 && use->is_difference ? raw ^ 1ull << (use->n - 1) : raw);
}

static uint64_t lane_of(const struct dc_use *use, const void *row, uint32_t lane)
{
	return use->n > 32 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

/* Rows that an open number is moved up when it becomes an ordinary one: bit t of shifts, as of a sum. */
static void note_shift(struct dc_facts *f, const struct dc_use *use, uint64_t open)
{
	const struct parts p = parts_of(use, open);
	const uint32_t bits = bits_of((uint64_t)(p.mantissa < 0 ? -p.mantissa : p.mantissa));

	if (bits)
		f->shifts[0] |= 1ull << (use->m - bits);
}

void dc_open_facts(struct dc_facts *f, const struct dc_use *use, const void *const *src, uint32_t mask)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctz(left);
		const uint64_t first = lane_of(use, src[0], lane);

		if (use->op == DC_OP_COMPLEMENT) {
			note_shift(f, use, first);
			continue;
		}
		const uint64_t x = dc_open_operand(use, 0, first);
		const uint64_t y = dc_open_operand(use, 1, lane_of(use, src[1], lane));
		const int64_t k = (int64_t)parts_of(use, x).exponent - (int64_t)parts_of(use, y).exponent;
		const uint64_t far = (uint64_t)(k < 0 ? -k : k);

		f->any_swap |= k < 0;
		if (far < use->m - 1u)
			f->differences[0] |= 1ull << far;
		else
			f->any_rest = true;
		if (!dc_use_keeps_result(use))
			note_shift(f, use, dc_open_add(use, x, y));
	}
}
