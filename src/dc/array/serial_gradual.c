/* serial_gradual.c - gradual underflow, bit by bit: which lanes need it, and the operation again with a bit of exponent
 * more, in which no operand is denormal: see gradual.h. */
#include "base/check.h"
#include "dc/array/gradual.h"
#include "dc/array/newton.h"
#include "dc/array/serial_float.h"
#include "dc/formulas.h"

enum { X = DC_ROW_FLAGS, Y = DC_ROW_FLAGS + 1, Z = DC_ROW_FLAGS + 2, AT_ONCE = 64 /* rows of one value */ };

/* ---- which lanes ---- */

void dc_float_sense(const struct dc_plan *p, uint32_t operands, const uint32_t *at)
{
	struct dc_serial *s = p->s;

	if (!p->is_gradual)
		return;
	dc_serial_fill(s, DC_ROW_AGAIN, 1, false);
	for (uint32_t k = 0; k < operands; k++) {
		dc_serial_none(s, X, dc_float_exponent_row(p, at[k]), p->e);
		dc_serial_some(s, Y, at[k], p->m - 1, DC_NO_ROW);
		dc_serial_and(s, X, X, Y);
		dc_serial_or(s, DC_ROW_AGAIN, DC_ROW_AGAIN, X);
	}
}

void dc_float_sense_small(const struct dc_plan *p, uint32_t small, uint32_t zero)
{
	struct dc_serial *s = p->s;

	if (!p->is_gradual)
		return;
	dc_serial_not(s, X, zero);
	dc_serial_and(s, X, X, small);
	dc_serial_or(s, DC_ROW_AGAIN, DC_ROW_AGAIN, X);
}

/* ---- numbers with a bit of exponent more ---- */

/* Rows up by `by` where they are all zero at the top and the exponent is zero; that less by as much. */
static void lead(struct dc_serial *s, uint32_t man, uint32_t m, uint32_t exp, uint32_t e, uint32_t zero, uint32_t by)
{
	dc_serial_none(s, X, man + m - by, by);
	dc_serial_and(s, X, X, zero);
	dc_serial_tag(s, X, false);
	dc_serial_tagged(s, true);
	for (uint32_t i = m - 1; i >= by; i--)
		dc_serial_copy(s, man + i, man + i - by);
	dc_serial_fill(s, man, by, false);
	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < e; i++)
		dc_serial_add_bit(s, exp + i, exp + i, -by >> i & 1);
	dc_serial_tagged(s, false);
}

/* DC_WIDEN cycles: the number at `of` to d. man: m rows of scratch. */
static void widen(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t of, uint32_t man)
{
	const uint32_t m = use->m, e = use->e, exponent = of + m - 1, to = d + m - 1;
	const uint32_t more = 1u << (e - 1);

	dc_serial_none(s, Y, exponent, e);
	dc_serial_all(s, Z, exponent, e);
	for (uint32_t i = 0; i < m - 1; i++)
		dc_serial_copy(s, man + i, of + i);
	dc_serial_not(s, man + m - 1, Y);
	dc_serial_set_carry_row(s, Y, false); /* a denormal number's exponent is 1 */
	for (uint32_t i = 0; i < e + 1; i++)
		dc_serial_add_bit(s, to + i, i < e ? exponent + i : DC_NO_ROW, more >> i & 1);
	dc_serial_copy(s, to + e + 1, exponent + e);
	for (uint32_t by = 1u << (DC_LOG2(m) - 1); by; by /= 2)
		lead(s, man, m, to, e + 1, Y, by);
	for (uint32_t i = 0; i < m - 1; i++)
		dc_serial_copy(s, d + i, man + i);
	dc_serial_tag(s, Z, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, to, e + 1, true);
	dc_serial_tagged(s, false);
	dc_serial_none(s, X, of, m - 1);
	dc_serial_and(s, X, X, Y);
	dc_serial_tag(s, X, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, to, e + 1, false);
	dc_serial_tagged(s, false);
}

/* DC_DENORMALISE cycles: rows `first` on, of a result whose exponent is below the least, go down to it, and what falls
 * out into p->sticky; its exponent is then one below the least, where rounding carries into it. */
void dc_float_denormalise(const struct dc_plan *p, uint32_t value, uint32_t low, uint32_t below)
{
	const uint32_t first = low - below, rows = value + p->m - first, wide = p->e + 2;
	const uint32_t steps = (uint32_t)DC_LOG2(rows + 1), amount = DC_ROW_AMOUNT;
	struct dc_serial *s = p->s;

	for (uint32_t i = 0; i < wide; i++)
		dc_serial_not(s, amount + i, p->exp + i);
	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < wide; i++)
		dc_serial_add_bit(s, amount + i, amount + i, (p->least + 1u) >> i & 1);
	dc_serial_none(s, Y, amount, wide);
	dc_serial_or(s, Y, Y, amount + wide - 1);
	dc_serial_not(s, Y, Y);
	for (uint32_t n = 0; n < steps; n++) {
		const uint32_t by = 1u << n;

		dc_serial_and(s, X, Y, amount + n);
		dc_serial_tag(s, X, false);
		dc_serial_tagged(s, true);
		dc_serial_some(s, p->sticky, first, by, p->sticky);
		for (uint32_t i = 0; i + by < rows; i++)
			dc_serial_copy(s, first + i, first + i + by);
		dc_serial_fill(s, first + rows - by, by, false);
		dc_serial_tagged(s, false);
	}
	dc_serial_some(s, X, amount + steps, wide - 1 - steps, DC_NO_ROW);
	dc_serial_and(s, X, X, Y);
	dc_serial_tag(s, X, false);
	dc_serial_tagged(s, true);
	dc_serial_some(s, p->sticky, first, rows, p->sticky);
	for (uint32_t i = 0; i < rows; i += AT_ONCE)
		dc_serial_fill(s, first + i, rows - i < AT_ONCE ? rows - i : AT_ONCE, false);
	dc_serial_tag(s, Y, false);
	for (uint32_t i = 0; i < wide; i++)
		dc_serial_fill(s, p->exp + i, 1, (p->least - 1u) >> i & 1);
	dc_serial_tagged(s, false);
}

/* DC_NARROW cycles: back, to d. */
static void narrow(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t of)
{
	const uint32_t m = use->m, e = use->e, from = of + m - 1, exp = DC_ROW_AMOUNT, to = d + m - 1;
	const uint32_t more = 1u << (e - 1);

	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < e + 2; i++)
		dc_serial_add_bit(s, exp + i, i < e + 1 ? from + i : DC_NO_ROW, -more >> i & 1);
	dc_serial_all(s, Z, from, e + 1);
	dc_serial_all(s, Y, exp, e);
	dc_serial_or(s, Y, Y, exp + e);
	dc_serial_not(s, X, exp + e + 1);
	dc_serial_and(s, Y, Y, X);
	dc_serial_not(s, X, Z); /* what is infinite or no number stays so */
	dc_serial_and(s, Y, Y, X);
	for (uint32_t i = 0; i < m - 1; i++)
		dc_serial_copy(s, d + i, of + i);
	for (uint32_t i = 0; i < e; i++)
		dc_serial_copy(s, to + i, exp + i);
	dc_serial_copy(s, to + e, from + e + 1);
	dc_serial_tag(s, exp + e + 1, false); /* zero */
	dc_serial_tagged(s, true);
	dc_serial_fill(s, d, m - 1 + e, false);
	dc_serial_tagged(s, false);
	dc_serial_tag(s, Y, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, d, m - 1, false);
	dc_serial_fill(s, to, e, true);
	dc_serial_tagged(s, false);
	dc_serial_tag(s, Z, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, to, e, true);
	dc_serial_tagged(s, false);
}

/* ---- again ---- */

struct wide {
	uint32_t a, b, c, d, result, kept;
};

static void operate(struct dc_serial *s, const struct dc_use *wide, const struct dc_arith *arith, const struct wide *w,
		    uint32_t t)
{
	switch (wide->op) {
	case DC_OP_FADD: dc_serial_fadd(s, wide, arith, w->d, w->a, w->b, t); break;
	case DC_OP_FMUL: dc_serial_fmul(s, wide, arith, w->d, w->a, w->b, t); break;
	case DC_OP_FMA: dc_serial_fma(s, wide, arith, w->d, w->a, w->b, w->c, t); break;
	case DC_OP_FDIV: dc_serial_fdiv(s, wide, arith, w->d, w->a, w->b, t); break;
	default: dc_serial_fsqrt(s, wide, arith, w->d, w->a, t); break;
	}
}

/* Where the result is. */
static uint32_t operate_wide(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith,
			 const uint32_t *operands, const struct wide *w, uint32_t t)
{
	const struct dc_use wide = dc_gradual_use(use);
	const uint32_t to[] = {w->a, w->b, w->c}, savings = s->savings;

	for (uint32_t k = 0; k < dc_sensed_operands(use, arith); k++) {
		uint32_t of = operands[k];

		if (use->kept >> k & 1) {
			dc_serial_complement(s, use, w->kept, of);
			of = w->kept;
		}
		widen(s, use, to[k], of, t);
	}
	s->savings = 0;
	operate(s, &wide, arith, w, t);
	s->savings = savings;
	narrow(s, use, w->result, w->d);
	if (!dc_use_keeps_result(use))
		return w->result;
	dc_serial_complement(s, use, w->kept, w->result);
	return w->kept;
}

/* DC_RSQRT_UP: the number so many powers of two above, its root's reciprocal half as many. */
static void rsqrt_again(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t a,
			const struct wide *w, uint32_t t)
{
	const uint32_t f = use->m - 1u, e = use->e, less = DC_RSQRT_UP - (1u << (e - 1));
	const struct dc_use plain = dc_gradual_use(use);
	const uint32_t savings = s->savings;

	widen(s, use, w->a, a, t);
	for (uint32_t i = 0; i < f; i++)
		dc_serial_copy(s, w->b + i, w->a + i);
	dc_serial_set_carry(s, false);
	for (uint32_t i = f; i < f + e; i++)
		dc_serial_add_bit(s, w->b + i, w->a + i, less >> (i - f) & 1);
	dc_serial_copy(s, w->b + f + e, w->a + f + e + 1);
	s->savings = 0;
	dc_serial_frsqrt(s, &plain, arith, w->result, w->b, t);
	s->savings = savings;
	for (uint32_t i = 0; i < use->n; i++)
		dc_serial_copy(s, w->d + i, w->result + i);
	dc_serial_all(s, X, w->d + f, e); /* of a negative number: none */
	dc_serial_tag(s, X, true);
	dc_serial_tagged(s, true);
	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < e; i++)
		dc_serial_add_bit(s, w->d + f + i, w->d + f + i, (uint32_t)DC_RSQRT_UP / 2 >> i & 1);
	dc_serial_tagged(s, false);
}

void dc_serial_again(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		     uint32_t a, uint32_t b, uint32_t c, uint32_t t)
{
	enum { ROWS = 66 }; /* of a number that was one of 64 */
	const struct wide w = {DC_ROW_WIDE, DC_ROW_WIDE + ROWS, DC_ROW_WIDE + 2 * ROWS, DC_ROW_WIDE + 3 * ROWS,
			       DC_ROW_WIDE + 4 * ROWS, DC_ROW_WIDE + 5 * ROWS};
	const uint32_t bits = use->op == DC_OP_FLOAT_TO_FLOAT ? use->to_e + use->to_m : use->n;
	uint32_t result = use->op == DC_OP_FRSQRT ? w.d : w.result;

	if (!dc_sense_cycles(use, arith))
		return;
	dc_serial_tag(s, DC_ROW_AGAIN, false);
	if (!dc_serial_any(s))
		return;
	if (use->op == DC_OP_FLOAT_TO_FLOAT)
		dc_float_convert_again(s, use, arith, w.result, a, t);
	else if (use->op == DC_OP_FRSQRT)
		rsqrt_again(s, use, arith, a, &w, t);
	else
		result = operate_wide(s, use, arith, (const uint32_t[]){a, b, c}, &w, t);
	dc_serial_tag(s, DC_ROW_AGAIN, false);
	dc_serial_tagged(s, true);
	for (uint32_t i = 0; i < bits; i++)
		dc_serial_copy(s, d + i, result + i);
	dc_serial_tagged(s, false);
}
