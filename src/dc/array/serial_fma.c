/* serial_fma.c - fused multiply-add, bit by bit: the whole product of two mantissas, 2 m bits, and the addend as a
 * number of as many, added by algorithm 1 (Duality Cache, ISCA'19) and rounded once.
 *
 * The product's hidden one would be its highest row, so that its exponent is the operands' less the bias, plus one: in
 * two's complement of e + 2 rows. Of the addend the m lower rows are zeros; exponents of operands are read where they
 * are. So less is to be done than DC_FMA_BASE has, which counts taking apart, exchanging and complementing two numbers
 * of 2 m: the rest idles.
 */
#include "base/check.h"
#include "dc/array/serial_float.h"

struct fma {
	struct dc_plan p;    /* of the result */
	struct dc_plan wide; /* of the sum: x the product, y the addend, until they change places */
	uint32_t c, zero_c, top_c, sign_c, product_sign, product_infinite;
	uint32_t man_a, man_b; /* m rows each, where the addend comes when the product has been formed */
	uint32_t other;	       /* a row, when numbers change places */
};

static uint32_t take(uint32_t *next, uint32_t rows)
{
	const uint32_t first = *next;

	*next += rows;
	return first;
}

static struct fma plan(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		       uint32_t a, uint32_t b, uint32_t c, uint32_t t)
{
	const uint32_t e = use->e, m = use->m, g = arith->is_truncated ? 0 : 2;
	struct fma f = {.p = {.s = s, .e = e, .m = m, .g = g, .a = a, .b = b, .d = d, .kept = use->kept,
			      .least = use->least, .is_gradual = dc_use_is_gradual(use, arith)},
			.c = c};
	struct dc_plan *p = &f.p;
	uint32_t *const flags[] = {&p->zero_a, &p->zero_b, &f.zero_c,	    &p->top_a,		&p->top_b,  &f.top_c,
				   &p->sticky, &p->sign,   &f.product_sign, &f.product_infinite, &p->is_zero};

	for (uint32_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++)
		*flags[k] = take(&t, 1);
	for (uint32_t k = 0; k < 6; k++)
		p->flag[k] = take(&t, 1);
	p->x_exp = take(&t, e + 2);
	p->diff = take(&t, e + 2);
	p->exp = take(&t, e + 2);
	f.other = take(&t, 1);
	p->x_man = take(&t, 2 * m + g + 2);
	p->y_man = take(&t, 2 * m + g + 1);
	f.man_a = p->y_man;
	f.man_b = p->y_man + m;
	p->sum = p->x_man;
	p->value = p->y_man; /* when the sum has been formed */
	CHECK(t <= DC_SERIAL_ROWS);
	f.sign_c = c + m - 1 + e;
	f.wide = f.p;
	f.wide.m = 2 * m;
	f.wide.diff_rows = e + 1;
	f.wide.x_exp_rows = e + 2;
	return f;
}

/* m cycles: the mantissa of a number, no fraction where there is none. */
static void unpack(const struct fma *f, uint32_t of, uint32_t is_zero, uint32_t man)
{
	const uint32_t hidden = man + f->p.m - 1;

	dc_serial_not(f->p.s, hidden, is_zero);
	for (uint32_t i = 0; i < f->p.m - 1; i++)
		dc_serial_and(f->p.s, man + i, of + i, hidden);
}

/* 3 m + 7 cycles: flags of the operands, their mantissas, the product's sign. */
static void take_apart(const struct fma *f)
{
	const struct dc_plan *p = &f->p;

	dc_float_flags(p);
	dc_serial_none(p->s, f->zero_c, dc_float_exponent_row(p, f->c), p->e);
	dc_serial_all(p->s, f->top_c, dc_float_exponent_row(p, f->c), p->e);
	unpack(f, p->a, p->zero_a, f->man_a);
	unpack(f, p->b, p->zero_b, f->man_b);
	dc_serial_xor(p->s, f->product_sign, dc_float_sign_row(p, p->a), dc_float_sign_row(p, p->b));
}

/* 2 e + 6 cycles, and those of the mantissas. A product of zero has the exponent of zero. */
static void multiply(const struct fma *f)
{
	const struct dc_plan *p = &f->p;
	struct dc_serial *s = p->s;
	const uint32_t savings = s->savings;

	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_add(s, p->x_exp + i, dc_float_exponent_row(p, p->a) + i, dc_float_exponent_row(p, p->b) + i);
	dc_serial_write_carry(s, p->x_exp + p->e);
	dc_float_exponent_plus(p, p->x_exp, p->x_exp, p->e + 1, 2 - (1 << (p->e - 1)));
	dc_serial_or(s, p->is_zero, p->zero_a, p->zero_b);
	dc_serial_tag(s, p->is_zero, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, p->x_exp, p->e + 2, false);
	dc_serial_tagged(s, false);
	s->savings &= ~(1u << DC_SAVE_LEADING_ZEROS); /* there are none: the hidden one */
	dc_serial_mul_unsigned(s, p->x_man + p->g, f->man_a, f->man_b, p->m);
	s->savings = savings;
	if (p->kept & DC_KEPT_C)
		dc_float_unpack_kept(p, f->c, f->zero_c, p->y_man + p->m);
	else
		unpack(f, f->c, f->zero_c, p->y_man + p->g + p->m);
}

/* One cycle: the rows above and below mantissas, all at once. */
static void clear_ends(const struct fma *f)
{
	const struct dc_plan *p = &f->p;
	const uint64_t before = p->s->cycles;

	if (p->g)
		dc_serial_fill(p->s, p->x_man, p->g, false);
	dc_serial_fill(p->s, p->x_man + p->g + 2 * p->m, 1, false);
	dc_serial_fill(p->s, p->y_man, p->g + p->m, false);
	if (!(p->kept & DC_KEPT_C))
		dc_serial_fill(p->s, p->y_man + p->g + 2 * p->m, 1, false);
	p->s->cycles = before + 1;
}

/* 2 e + 2 cycles: of exponents, in two's complement. */
static void difference(const struct fma *f)
{
	const struct dc_plan *p = &f->p;
	struct dc_serial *s = p->s;

	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_not(s, p->diff + i, dc_float_exponent_row(p, f->c) + i);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_add(s, p->diff + i, p->x_exp + i, p->diff + i);
	for (uint32_t i = p->e; i < p->e + 2; i++)
		dc_serial_add_bit(s, p->diff + i, p->x_exp + i, true);
}

static void copy_rows(struct dc_serial *s, uint32_t to, uint32_t from, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		dc_serial_copy(s, to + i, from + i);
}

/* A cycle; where some lane's addend has the larger exponent those of DC_SWAP with mantissas of 2 m. */
static void swap(const struct fma *f)
{
	const struct dc_plan *p = &f->p;
	const uint32_t e = p->e, m = p->m, upper = p->g + m;
	struct dc_serial *s = p->s;

	dc_serial_tag(s, p->diff + e + 1, false);
	if (s->savings >> DC_SAVE_SIGNS & 1 && !dc_serial_any(s))
		return;
	dc_serial_tagged(s, true);
	copy_rows(s, p->y_man + p->g, p->x_man + p->g, m);
	for (uint32_t i = upper; i <= upper + m; i++) {
		dc_serial_copy(s, f->other, p->y_man + i);
		dc_serial_copy(s, p->y_man + i, p->x_man + i);
		dc_serial_copy(s, p->x_man + i, f->other);
	}
	dc_serial_fill(s, p->x_man + p->g, m, false);
	copy_rows(s, p->x_exp, dc_float_exponent_row(p, f->c), e);
	dc_serial_fill(s, p->x_exp + e, 2, false);
	for (uint32_t i = 0; i < e + 1; i++)
		dc_serial_not(s, p->diff + i, p->diff + i);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < e + 1; i++)
		dc_serial_add_one(s, p->diff + i, p->diff + i);
	dc_serial_tagged(s, false);
	dc_serial_idle(s, e - 5);
}

/* Flag 3: no number. 16 cycles. */
static void find_nans(const struct fma *f)
{
	const struct dc_plan *p = &f->p;
	const uint32_t nan = p->flag[3], x = p->flag[4];
	struct dc_serial *s = p->s;
	/* Operands */
	dc_serial_some(s, nan, p->a, p->m - 1, DC_NO_ROW);
	dc_serial_and(s, nan, nan, p->top_a);
	dc_serial_some(s, x, p->b, p->m - 1, DC_NO_ROW);
	dc_serial_and(s, x, x, p->top_b);
	dc_serial_or(s, nan, nan, x);
	dc_serial_some(s, x, f->c, p->m - 1, DC_NO_ROW);
	dc_serial_and(s, x, x, f->top_c);
	dc_serial_or(s, nan, nan, x);
	/* Zero times infinity */
	dc_serial_and(s, x, p->zero_a, p->top_b);
	dc_serial_or(s, nan, nan, x);
	dc_serial_and(s, x, p->zero_b, p->top_a);
	dc_serial_or(s, nan, nan, x);
	/* Infinity less infinity */
	dc_serial_xor(s, x, f->product_sign, f->sign_c);
	dc_serial_and(s, x, x, f->product_infinite);
	dc_serial_and(s, x, x, f->top_c);
	dc_serial_or(s, nan, nan, x);
}

static void copy_where(const struct dc_plan *p, uint32_t flag, uint32_t to, uint32_t from)
{
	dc_serial_tag(p->s, flag, false);
	dc_serial_tagged(p->s, true);
	dc_serial_copy(p->s, to, from);
	dc_serial_tagged(p->s, false);
}

/* A sum that stays in two's complement, and is below zero by less than its last row, counts as zero there, but is none:
 * 3 cycles more. */
static void sense_small(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	if (!p->is_gradual || !(p->kept & DC_KEPT_RESULT)) {
		dc_float_sense_small(p, p->flag[1], p->is_zero);
		return;
	}
	dc_serial_and(s, p->flag[5], p->is_zero, p->sign);
	dc_serial_or(s, p->flag[4], p->flag[1], p->flag[5]);
	dc_serial_xor(s, p->flag[5], p->flag[5], p->is_zero);
	dc_float_sense_small(p, p->flag[4], p->flag[5]);
}

/* e + m + 42 cycles: the result put together; what is infinite, too large, too small, zero or no number. */
static void pack(const struct fma *f, uint32_t value)
{
	const struct dc_plan *p = &f->p;
	struct dc_serial *s = p->s;

	dc_serial_none(s, p->flag[1], p->exp, p->e + 2);
	dc_serial_or(s, p->flag[1], p->flag[1], p->exp + p->e + 1);
	sense_small(p);
	dc_serial_or(s, p->flag[1], p->flag[1], p->is_zero);
	dc_serial_all(s, p->flag[2], p->exp, p->e);
	dc_serial_or(s, p->flag[2], p->flag[2], p->exp + p->e);
	dc_serial_or(s, f->product_infinite, p->top_a, p->top_b);
	dc_serial_or(s, p->flag[5], f->product_infinite, f->top_c);
	find_nans(f);
	copy_where(p, f->product_infinite, p->sign, f->product_sign);
	copy_where(p, f->top_c, p->sign, f->sign_c);
	dc_float_put(p, value);
	dc_float_fill_where(p, p->flag[2], true, false);
	dc_float_fill_where(p, p->flag[1], false, false);
	dc_float_fill_where(p, p->flag[5], true, false);
	/* A sum of zero is negative if both terms are; else only if it is none, and too small for all rows. */
	dc_serial_and(s, p->flag[4], f->product_sign, f->sign_c);
	dc_serial_or(s, p->flag[4], p->flag[4], p->sign);
	copy_where(p, p->is_zero, dc_float_sign_row(p, p->d), p->flag[4]);
	dc_float_fix_nan(p);
}

bool dc_serial_has_fma(const struct dc_use *use)
{
	return use->e >= 5 && use->m + 2 * use->e >= 18;
}

void dc_serial_fma(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		   uint32_t b, uint32_t c, uint32_t t)
{
	const struct fma f = plan(s, use, arith, d, a, b, c, t);
	const struct dc_plan *p = &f.p;
	const uint32_t upper = p->value + p->m + p->g;

	CHECK(dc_serial_has_fma(use) && (!use->kept || p->g));
	dc_float_sense(p, 3, (const uint32_t[]){a, b, c});
	take_apart(&f);
	multiply(&f);
	clear_ends(&f);
	dc_float_complement(&f.wide, p->x_man, f.product_sign);
	if (!(p->kept & DC_KEPT_C))
		dc_float_complement(p, p->y_man + p->m, f.sign_c);
	difference(&f);
	swap(&f);
	dc_float_align(&f.wide);
	dc_float_magnitude(&f.wide);
	dc_float_normalise(&f.wide);
	if (p->g)
		dc_float_round_up(p, upper, upper - 1, p->m + 1);
	pack(&f, upper);
	dc_serial_idle(s, p->m + 2 * p->e - 18);
	dc_serial_again(s, use, arith, d, a, b, c, t);
}
