/* gradual.c - the word-level side of denormal numbers: which lanes need an operation again, and how long that takes. */
#include "dc/array/gradual.h"

#include <math.h>
#include <string.h>

#include "dc/formulas.h"

enum { LANES = 32, SCALE = 600 };

struct dc_use dc_gradual_use(const struct dc_use *use)
{
	struct dc_use wide = *use;

	wide.kept = 0;
	wide.times = 1;
	wide.flushes = true;
	if (use->op == DC_OP_FRSQRT)
		return wide;
	wide.e = (uint8_t)(use->e + 1);
	wide.n = (uint8_t)(use->n + 1);
	wide.least = (uint16_t)((1u << (use->e - 1)) + 1);
	return wide;
}

static uint64_t convert_cycles(const struct dc_use *u)
{
	const uint64_t f = u->m - 1u, t = u->to_m - 1u, wide = (u->e > u->to_e ? u->e : u->to_e) + 2u;
	const uint64_t dropped = 2 + (f > t ? f - t : 0);

	return DC_CONVERT_AGAIN(f, t, wide, dropped) + u->to_e;
}

uint64_t dc_gradual_cycles(const struct dc_use *use, const struct dc_arith *a)
{
	const struct dc_use wide = dc_gradual_use(use);
	const uint64_t e = use->e, m = use->m, rows = use->op == DC_OP_FMA ? 2 * m + 2 : m + 2;
	const uint64_t kept = dc_use_operands_kept(use) + dc_use_keeps_result(use);

	if (use->op == DC_OP_FRSQRT)
		return DC_WIDEN(e, m) + dc_base_cycles(&wide, a) + 2 * use->n + 2 + e + DC_AGAIN(e, m);
	if (use->op == DC_OP_FLOAT_TO_FLOAT)
		return convert_cycles(use) + 1 + use->to_e + use->to_m;
	return dc_sensed_operands(use, a) * DC_WIDEN(e, m) + dc_base_cycles(&wide, a) +
	       DC_DENORMALISE((e + 1), rows) + DC_NARROW(e, m) + kept * (use->n + m - 1) + DC_AGAIN(e, m);
}

uint32_t dc_gradual_rows(const struct dc_use *use)
{
	return 4 * (use->n + 1u);
}

/* ---- which lanes ---- */

static double double_of(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Of a format of up to 32 bits, exactly. */
static double small_of(uint32_t e, uint32_t m, uint64_t bits)
{
	const int64_t field = (int64_t)(bits >> (m - 1) & ((1u << e) - 1)), bias = (1 << (e - 1)) - 1;
	const double fraction = (double)(bits & ((1u << (m - 1)) - 1));
	const double sign = bits >> (e + m - 1) & 1 ? -1 : 1;

	if (field == (1 << e) - 1)
		return fraction > 0 ? NAN : sign * INFINITY;
	if (!field)
		return sign * ldexp(fraction, (int)(2 - bias - (int64_t)m));
	return sign * ldexp(fraction + (double)(1u << (m - 1)), (int)(field - bias - (int64_t)m + 1));
}

static double number_of(uint32_t e, uint32_t m, uint64_t bits)
{
	return m == 53 ? double_of(bits) : small_of(e, m, bits);
}

/* Is it less than the least normal number and not zero, when it has been rounded to m bits? */
static bool is_below(double x, double least, uint32_t m)
{
	x = fabs(x);
	return x != 0 && x < (m == 53 ? least : least - ldexp(least, -(int)m - 1));
}

/* f16: what a double has of these is exact where it is as small as is asked for. */
static bool is_tiny16(const struct dc_use *u, double x, double y, double z)
{
	const double least = 0x1p-14;

	switch (u->op) {
	case DC_OP_FADD: return is_below(u->is_difference ? x - y : x + y, least, u->m);
	case DC_OP_FMUL: return is_below(x * y, least, u->m);
	case DC_OP_FMA: return is_below(fma(x, y, z), least, u->m);
	default: return false;
	}
}

/* f64: the same operation on larger numbers rounds as if exponents had no end. */
static bool is_tiny64(const struct dc_use *u, double x, double y, double z)
{
	const double up = ldexp(1, SCALE), least = ldexp(0x1p-1022, SCALE);

	switch (u->op) {
	case DC_OP_FADD: return is_below(u->is_difference ? x - y : x + y, 0x1p-1022, u->m);
	case DC_OP_FDIV: return is_below(x * up / y, least, u->m);
	case DC_OP_FMUL: z = 0; break;
	case DC_OP_FMA:
		if (fabs(z) >= 0x1p-300) /* a sum so near to zero is zero */
			return false;
		break;
	default: return false;
	}
	if (fabs(x) < fabs(y))
		x *= up;
	else
		y *= up;
	return is_below(u->op == DC_OP_FMA ? fma(x, y, z * up) : x * y, least, u->m);
}

/* A half of a pair, or all. cvt has the upper one from its first operand. */
static uint64_t bits_of(const struct dc_use *u, const void *row, uint32_t lane, uint32_t half, uint32_t bits)
{
	if (u->e + u->m > 32)
		return ((const uint64_t *)row)[lane];
	return ((const uint32_t *)row)[lane] >> half * bits & (bits >= 32 ? UINT32_MAX : (1u << bits) - 1);
}

static bool is_denormal(uint32_t e, uint32_t m, uint64_t bits)
{
	return !(bits >> (m - 1) & ((1u << e) - 1)) && bits & ((1ull << (m - 1)) - 1);
}

static bool converted_needs(const struct dc_use *u, const struct dc_arith *a, const void *row, uint32_t lane)
{
	const uint64_t bits = bits_of(u, row, lane, 0, u->e + u->m);
	const double x = fabs(number_of(u->e, u->m, bits));

	if (dc_use_takes_denormals(u, a) && is_denormal(u->e, u->m, bits))
		return true;
	return dc_use_makes_denormals(u, a) && x != 0 && x < ldexp(1, 2 - (1 << (u->to_e - 1)));
}

static bool lane_needs(const struct dc_use *u, const void *const *src, uint32_t operands, const void *out,
		       uint32_t lane, uint32_t half)
{
	const uint64_t result = bits_of(u, out, lane, half, u->n);
	double x[3] = {1, 1, 0};

	for (uint32_t k = 0; k < operands; k++) {
		const uint64_t bits = bits_of(u, src[k], lane, half, u->n);

		if (is_denormal(u->e, u->m, bits))
			return true;
		x[k] = number_of(u->e, u->m, bits);
	}
	/* As large as two of the least: nothing to ask. */
	if (result >> (u->m - 1) & ((1u << u->e) - 2))
		return false;
	return u->m == 53 ? is_tiny64(u, x[0], x[1], x[2]) : is_tiny16(u, x[0], x[1], x[2]);
}

/* Is there an operand or a result with such an exponent in the row at all? Without a branch. */
static bool may_need(const struct dc_use *u, const void *row, uint64_t exponent)
{
	const uint64_t *longs = row;
	const uint32_t *words = row;
	uint64_t found = 0;

	if (u->n > 32) {
		for (uint32_t i = 0; i < LANES; i++)
			found |= (longs[i] & exponent) == 0;
		return found;
	}
	for (uint32_t i = 0; i < LANES; i++)
		found |= (words[i] & exponent) == 0 || (u->times == 2 && (words[i] >> 16 & exponent) == 0);
	return found;
}

bool dc_gradual_needs(const struct dc_use *use, const struct dc_arith *a, const void *const *src, const void *out,
		      uint32_t mask, uint32_t half)
{
	const uint32_t operands = dc_sensed_operands(use, a);
	const uint64_t exponent = ((1ull << use->e) - 1) << (use->m - 1);
	bool may = use->op == DC_OP_FLOAT_TO_FLOAT;

	for (uint32_t k = 0; k < operands && !may; k++)
		may = may_need(use, src[k], exponent);
	if (!may && !may_need(use, out, exponent & ~(1ull << (use->m - 1))))
		return false;
	for (uint32_t left = mask; left; left &= left - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctz(left);

		if (use->op == DC_OP_FLOAT_TO_FLOAT
			? converted_needs(use, a, src[use->times == 2 && !half], lane)
			: lane_needs(use, src, operands, out, lane, half))
			return true;
	}
	return false;
}
