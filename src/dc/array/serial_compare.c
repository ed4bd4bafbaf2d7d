/* serial_compare.c - signs, comparisons, minimum and maximum of floating-point numbers, bit by bit. */
#include "dc/array/serial.h"

/* Flags in rows of scratch; the difference of magnitudes is above. */
struct comparison {
	struct dc_serial *s;
	uint32_t n, a, b, sign_a, sign_b;
	uint32_t nan_a, nan_b, no_order, zero, equal, less, other, flag, difference;
};

static struct comparison plan_of(struct dc_serial *s, const struct dc_use *use, uint32_t a, uint32_t b, uint32_t t)
{
	return (struct comparison){s,     use->n, a,     b,     a + use->n - 1, b + use->n - 1, t,    t + 1,
				   t + 2, t + 3,  t + 4, t + 5, t + 6,          t + 7,          t + 8};
}

/* nan_a, nan_b: exponent all ones, fraction not zero. 6 cycles. */
static void find_nans(const struct comparison *c, const struct dc_use *use)
{
	const uint32_t f = use->m - 1u;

	dc_serial_all(c->s, c->flag, c->a + f, use->e);
	dc_serial_some(c->s, c->nan_a, c->a, f, DC_NO_ROW);
	dc_serial_and(c->s, c->nan_a, c->nan_a, c->flag);
	dc_serial_all(c->s, c->flag, c->b + f, use->e);
	dc_serial_some(c->s, c->nan_b, c->b, f, DC_NO_ROW);
	dc_serial_and(c->s, c->nan_b, c->nan_b, c->flag);
}

/* less: a below b by sign and magnitude, -0 below 0; equal: the magnitudes are; other: the signs are not. 2 n + 7
 * cycles. */
static void order(const struct comparison *c)
{
	struct dc_serial *s = c->s;
	const uint32_t rows = c->n - 1;

	for (uint32_t i = 0; i < rows; i++)
		dc_serial_not(s, c->difference + i, c->b + i);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < rows; i++)
		dc_serial_add(s, c->difference + i, c->a + i, c->difference + i);
	dc_serial_write_carry(s, c->flag); /* |a| >= |b| */
	dc_serial_none(s, c->equal, c->difference, rows);
	dc_serial_not(s, c->less, c->flag);
	dc_serial_not(s, c->other, c->equal);
	dc_serial_and(s, c->flag, c->flag, c->other); /* |a| > |b| */
	dc_serial_xor(s, c->other, c->sign_a, c->sign_b);
	/* Both negative: the other way round; one negative: that one. */
	dc_serial_tag(s, c->sign_a, false);
	dc_serial_tagged(s, true);
	dc_serial_copy(s, c->less, c->flag);
	dc_serial_tagged(s, false);
	dc_serial_tag(s, c->other, false);
	dc_serial_tagged(s, true);
	dc_serial_copy(s, c->less, c->sign_a);
	dc_serial_tagged(s, false);
}

static bool is_unordered_true(enum ptx_cmp cmp)
{
	return cmp >= PTX_EQU && cmp <= PTX_GEU;
}

/* Which of equal, less and less or equal it asks for, and whether for the contrary. */
static uint32_t asked(const struct comparison *c, enum ptx_cmp cmp, bool *is_contrary)
{
	*is_contrary =
	    cmp == PTX_NE || cmp == PTX_NEU || cmp == PTX_GE || cmp == PTX_GEU || cmp == PTX_GT || cmp == PTX_GTU;
	switch (cmp) {
	case PTX_EQ:
	case PTX_EQU:
	case PTX_NE:
	case PTX_NEU:
		return c->equal;
	case PTX_LT:
	case PTX_LTU:
	case PTX_GE:
	case PTX_GEU:
		return c->less;
	default:
		return c->flag;
	}
}

void dc_serial_fcompare(struct dc_serial *s, const struct dc_use *use, enum ptx_cmp cmp, uint32_t d, uint32_t a,
			uint32_t b, uint32_t t)
{
	const struct comparison c = plan_of(s, use, a, b, t);
	bool is_contrary;
	uint32_t row;

	find_nans(&c, use);
	dc_serial_or(s, c.no_order, c.nan_a, c.nan_b);
	order(&c);
	/* Zeros are equal whatever their signs. */
	dc_serial_none(s, c.zero, a, use->n - 1u);
	dc_serial_and(s, c.zero, c.zero, c.equal);
	dc_serial_not(s, c.other, c.other);
	dc_serial_and(s, c.equal, c.equal, c.other);
	dc_serial_or(s, c.equal, c.equal, c.zero);
	dc_serial_not(s, c.other, c.zero);
	dc_serial_and(s, c.less, c.less, c.other);
	dc_serial_or(s, c.flag, c.less, c.equal);
	row = asked(&c, cmp, &is_contrary);
	dc_serial_not(s, c.other, c.no_order);
	if (cmp == PTX_NUM || cmp == PTX_NAN) {
		dc_serial_copy(s, d, cmp == PTX_NUM ? c.other : c.no_order);
		dc_serial_idle(s, 1);
		return;
	}
	if (is_contrary)
		dc_serial_not(s, d, row);
	else
		dc_serial_copy(s, d, row);
	if (is_unordered_true(cmp))
		dc_serial_or(s, d, d, c.no_order);
	else
		dc_serial_and(s, d, d, c.other);
}

/* The lesser, or the greater; of a number and none the number. */
void dc_serial_fminmax(struct dc_serial *s, const struct dc_use *use, bool is_max, uint32_t d, uint32_t a, uint32_t b,
		       uint32_t t)
{
	const struct comparison c = plan_of(s, use, a, b, t);

	find_nans(&c, use);
	order(&c);
	if (is_max)
		dc_serial_not(s, c.flag, c.less);
	else
		dc_serial_copy(s, c.flag, c.less);
	dc_serial_or(s, c.flag, c.flag, c.nan_b);
	dc_serial_not(s, c.other, c.nan_a);
	dc_serial_and(s, c.flag, c.flag, c.other); /* where a is taken */
	for (uint32_t i = 0; i < use->n; i++)
		dc_serial_copy(s, d + i, b + i);
	dc_serial_tag(s, c.flag, false);
	dc_serial_tagged(s, true);
	for (uint32_t i = 0; i < use->n; i++)
		dc_serial_copy(s, d + i, a + i);
	dc_serial_tagged(s, false);
	dc_serial_and(s, c.flag, c.nan_a, c.nan_b);
	dc_serial_tag(s, c.flag, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, d, use->n - 1u, true);
	dc_serial_fill(s, d + use->n - 1u, 1, false);
	dc_serial_tagged(s, false);
}

/* The magnitude of one and the sign of another, or its contrary, or none. */
void dc_serial_fsign(struct dc_serial *s, const struct dc_use *use, enum dc_sign sign, uint32_t d, uint32_t magnitude,
		     uint32_t of)
{
	for (uint32_t i = 0; i < use->n - 1u; i++)
		dc_serial_copy(s, d + i, magnitude + i);
	if (sign == DC_SIGN_NONE)
		dc_serial_fill(s, d + use->n - 1u, 1, false);
	else if (sign == DC_SIGN_CONTRARY)
		dc_serial_not(s, d + use->n - 1u, of + use->n - 1u);
	else
		dc_serial_copy(s, d + use->n - 1u, of + use->n - 1u);
}
