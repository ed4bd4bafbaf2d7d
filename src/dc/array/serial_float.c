/* serial_float.c - floating-point addition and multiplication, bit by bit (Duality Cache, ISCA'19, algorithm 1).
 *
 * A number is n = e + m rows: m - 1 of fraction, e of exponent, the sign. With g = 2 guard rows and a sticky one
 * results are rounded to nearest; without, the shifted operand is floored in two's complement and the magnitude cut:
 * the paper's.
 */
#include "base/check.h"
#include "dc/array/serial_float.h"
#include "dc/formulas.h"

static bool is_on(const struct dc_serial *s, enum dc_saving what)
{
	return s->savings >> what & 1;
}

static uint32_t take(uint32_t *next, uint32_t rows)
{
	const uint32_t first = *next;

	*next += rows;
	return first;
}

struct dc_plan dc_float_plan(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
			   uint32_t a, uint32_t b, uint32_t t)
{
	struct dc_plan p = {.s = s, .e = use->e, .m = use->m, .g = arith->is_truncated ? 0 : 2, .a = a, .b = b, .d = d,
			    .diff_rows = use->e, .x_exp_rows = use->e, .kept = use->kept, .least = use->least,
			    .is_gradual = dc_use_is_gradual(use, arith)};
	uint32_t *const flags[] = {&p.zero_a, &p.zero_b, &p.top_a, &p.top_b, &p.x_sign, &p.y_sign,
				   &p.borrow, &p.sticky, &p.sign, &p.is_zero};

	for (uint32_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++)
		*flags[k] = take(&t, 1);
	for (uint32_t k = 0; k < 8; k++)
		p.flag[k] = take(&t, 1);
	p.x_exp = take(&t, p.e);
	p.y_exp = take(&t, p.e);
	p.diff = take(&t, p.e + 1);
	p.exp = take(&t, p.e + 2);
	p.x_man = take(&t, p.m + p.g + 2); /* and a row for sums, which take x's place */
	p.y_man = take(&t, p.m + p.g + 1);
	p.sum = take(&t, 2 * p.m + p.g + 2);
	p.value = take(&t, p.m + p.g);
	CHECK(t <= DC_SERIAL_ROWS);
	return p;
}

struct dc_plan dc_float_sum_plan(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith,
				 uint32_t d, uint32_t a, uint32_t b, uint32_t t)
{
	struct dc_plan p = dc_float_plan(s, use, arith, d, a, b, t);

	p.sum = p.x_man;
	p.value = p.y_man;
	return p;
}

uint32_t dc_float_exponent_row(const struct dc_plan *p, uint32_t of)
{
	return of + p->m - 1;
}

uint32_t dc_float_sign_row(const struct dc_plan *p, uint32_t of)
{
	return of + p->m - 1 + p->e;
}

/* ---- taking apart ---- */

void dc_float_flags(const struct dc_plan *p)
{
	dc_serial_none(p->s, p->zero_a, dc_float_exponent_row(p, p->a), p->e);
	dc_serial_none(p->s, p->zero_b, dc_float_exponent_row(p, p->b), p->e);
	dc_serial_all(p->s, p->top_a, dc_float_exponent_row(p, p->a), p->e);
	dc_serial_all(p->s, p->top_b, dc_float_exponent_row(p, p->b), p->e);
}

/* The hidden one, and no fraction where there is none: denormals are zero. */
void dc_float_unpack(const struct dc_plan *p, uint32_t of, uint32_t is_zero, uint32_t exp, uint32_t man, uint32_t sign)
{
	const uint32_t hidden = man + p->g + p->m - 1;

	dc_serial_not(p->s, hidden, is_zero);
	for (uint32_t i = 0; i < p->m - 1; i++)
		dc_serial_and(p->s, man + p->g + i, of + i, hidden);
	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_copy(p->s, exp + i, dc_float_exponent_row(p, of) + i);
	dc_serial_copy(p->s, sign, dc_float_sign_row(p, of));
}

void dc_float_unpack_kept(const struct dc_plan *p, uint32_t of, uint32_t is_zero, uint32_t man)
{
	const uint32_t hidden = man + p->g + p->m - 1, sign = hidden + 1, some = p->flag[1];
	struct dc_serial *s = p->s;

	dc_serial_not(s, hidden, is_zero);
	for (uint32_t i = 0; i < p->m - 1; i++)
		dc_serial_and(s, man + p->g + i, of + i, hidden);
	dc_serial_and(s, sign, dc_float_sign_row(p, of), hidden);
	/* That of a negative number is the contrary of its sign, but of a power of two. */
	dc_serial_some(s, some, man + p->g, p->m - 1, DC_NO_ROW);
	dc_serial_and(s, some, some, sign);
	dc_serial_xor(s, hidden, hidden, some);
}

void dc_float_copy_rows(const struct dc_plan *p, uint32_t to, uint32_t from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		dc_serial_copy(p->s, to + i, from + i);
}

void dc_float_difference(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_not(s, p->diff + i, p->y_exp + i);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_add(s, p->diff + i, p->x_exp + i, p->diff + i);
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		s->carry.w[i] = ~s->carry.w[i];
	dc_serial_write_carry(s, p->borrow);
}

/* One that lies in two's complement is taken from its place again, the other one from where it has come to. */
static void swap_kept(const struct dc_plan *p)
{
	const bool is_a = p->kept & DC_KEPT_A, is_b = p->kept & DC_KEPT_B;

	if (!is_a)
		dc_float_copy_rows(p, p->y_man + p->g, p->x_man + p->g, p->m + 1);
	if (!is_b)
		dc_float_copy_rows(p, p->x_man + p->g, p->y_man + p->g, p->m + 1);
	if (is_a)
		dc_float_unpack_kept(p, p->a, p->zero_a, p->y_man);
	if (is_b)
		dc_float_unpack_kept(p, p->b, p->zero_b, p->x_man);
	dc_float_copy_rows(p, p->x_exp, dc_float_exponent_row(p, p->b), p->e);
	dc_float_copy_rows(p, p->y_exp, dc_float_exponent_row(p, p->a), p->e);
}

bool dc_float_begin_swap(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	dc_serial_tag(s, p->borrow, false);
	if (is_on(s, DC_SAVE_SIGNS) && !dc_serial_any(s))
		return false;
	dc_serial_tagged(s, true);
	return true;
}

void dc_float_end_swap(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_not(s, p->diff + i, p->diff + i);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_add_one(s, p->diff + i, p->diff + i);
	dc_serial_tagged(s, false);
}

static void swap(const struct dc_plan *p)
{
	if (!dc_float_begin_swap(p))
		return;
	if (p->kept & DC_KEPT_OPERANDS) {
		swap_kept(p);
	} else {
		dc_float_unpack(p, p->b, p->zero_b, p->x_exp, p->x_man, p->x_sign);
		dc_float_unpack(p, p->a, p->zero_a, p->y_exp, p->y_man, p->y_sign);
	}
	dc_float_end_swap(p);
}

void dc_float_complement(const struct dc_plan *p, uint32_t man, uint32_t sign)
{
	struct dc_serial *s = p->s;

	dc_serial_tag(s, sign, false);
	dc_serial_tagged(s, true);
	for (uint32_t i = 0; i <= p->m; i++)
		dc_serial_not(s, man + p->g + i, man + p->g + i);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i <= p->m; i++)
		dc_serial_add_one(s, man + p->g + i, man + p->g + i);
	dc_serial_tagged(s, false);
}

/* Guard rows and signs' rows of both that are none yet, at once. */
static void clear_ends(const struct dc_plan *p)
{
	const uint64_t before = p->s->cycles;

	if (p->g) {
		dc_serial_fill(p->s, p->x_man, p->g, false);
		dc_serial_fill(p->s, p->y_man, p->g, false);
	}
	if (!(p->kept & DC_KEPT_A))
		dc_serial_fill(p->s, p->x_man + p->g + p->m, 1, false);
	if (!(p->kept & DC_KEPT_B))
		dc_serial_fill(p->s, p->y_man + p->g + p->m, 1, false);
	p->s->cycles = before + 1;
}

void dc_float_take(const struct dc_plan *p)
{
	dc_float_unpack(p, p->a, p->zero_a, p->x_exp, p->x_man, p->x_sign);
	dc_float_unpack(p, p->b, p->zero_b, p->y_exp, p->y_man, p->y_sign);
	dc_float_difference(p);
	swap(p);
	clear_ends(p);
	dc_float_complement(p, p->x_man, p->x_sign);
	dc_float_complement(p, p->y_man, p->y_sign);
}

/* Operands of which one or both lie in two's complement: the other is brought there before they are swapped. */
static void take_kept(const struct dc_plan *p)
{
	const bool is_a = p->kept & DC_KEPT_A, is_b = p->kept & DC_KEPT_B;

	if (is_a) {
		dc_float_unpack_kept(p, p->a, p->zero_a, p->x_man);
		dc_float_copy_rows(p, p->x_exp, dc_float_exponent_row(p, p->a), p->e);
	} else {
		dc_float_unpack(p, p->a, p->zero_a, p->x_exp, p->x_man, p->x_sign);
	}
	if (is_b) {
		dc_float_unpack_kept(p, p->b, p->zero_b, p->y_man);
		dc_float_copy_rows(p, p->y_exp, dc_float_exponent_row(p, p->b), p->e);
	} else {
		dc_float_unpack(p, p->b, p->zero_b, p->y_exp, p->y_man, p->y_sign);
	}
	clear_ends(p);
	if (!is_a)
		dc_float_complement(p, p->x_man, p->x_sign);
	if (!is_b)
		dc_float_complement(p, p->y_man, p->y_sign);
	dc_float_difference(p);
	swap(p);
}

/* ---- algorithm 1 ---- */

/* sum = x + (y >> k) in the tagged lanes, which have no other k, in x's rows; rows above y are its sign's. */
static void shift_and_add(const struct dc_plan *p, uint32_t k)
{
	const uint32_t top = p->m + p->g, rows = top + 2;
	struct dc_serial *s = p->s;

	dc_serial_tagged(s, true);
	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < rows; i++)
		dc_serial_add(s, p->sum + i, p->sum + i, p->y_man + (i + k < top ? i + k : top));
	if (p->g && k)
		dc_serial_some(s, p->sticky, p->y_man, k < top + 1 ? k : top + 1, DC_NO_ROW);
	else if (p->g)
		dc_serial_fill(s, p->sticky, 1, false);
	dc_serial_tagged(s, false);
}

void dc_float_align(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;
	const uint32_t count = p->m + p->g;
	const bool only_present = is_on(s, DC_SAVE_DIFFERENCES);
	struct dc_plane left = s->guard;
	uint32_t bound = count;

	dc_serial_copy(s, p->sum + count + 1, p->sum + count); /* its sign, another row */
	if (only_present) {
		dc_serial_idle(s, DC_LOG2(p->e) + 1);
		const uint32_t width = dc_serial_width(s, p->diff, p->diff_rows);

		bound = width < 31 && 1u << width < count ? 1u << width : count;
	}
	for (uint32_t k = 0; k < bound; k++) {
		dc_serial_search(s, p->diff, p->diff_rows, k);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			left.w[i] &= ~s->tag.w[i];
		if (!only_present || dc_serial_any(s))
			shift_and_add(p, k);
	}
	/* Who has not been found: the operand is beyond the mantissa. */
	dc_serial_idle(s, 1);
	s->tag = left;
	if (!only_present || dc_serial_any(s))
		shift_and_add(p, p->m + p->g + 1);
}

void dc_float_magnitude(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;
	const uint32_t rows = p->m + p->g + 1;

	if (p->kept & DC_KEPT_RESULT) {
		dc_serial_copy(s, p->sign, p->sum + rows);
		return;
	}
	dc_serial_tag(s, p->sum + rows, false);
	dc_serial_copy(s, p->sign, p->sum + rows);
	dc_serial_tagged(s, true);
	for (uint32_t i = 0; i < rows; i++)
		dc_serial_not(s, p->sum + i, p->sum + i);
	if (p->g) /* what was dropped makes the magnitude less: no one to add */
		dc_serial_set_carry_row(s, p->sticky, true);
	else
		dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < rows; i++)
		dc_serial_add_one(s, p->sum + i, p->sum + i);
	dc_serial_tagged(s, false);
}

/* exp = x_exp + constant in two's complement of e + 2 bits. */
void dc_float_exponent_plus(const struct dc_plan *p, uint32_t to, uint32_t from, uint32_t from_rows, int32_t constant)
{
	dc_serial_set_carry(p->s, false);
	for (uint32_t i = 0; i < p->e + 2; i++)
		dc_serial_add_bit(p->s, to + i, i < from_rows ? from + i : DC_NO_ROW, (uint32_t)constant >> i & 1);
}

/* Where the leading one is at row t below the overflow's: rows up by t - 1. */
static void normalise_at(const struct dc_plan *p, uint32_t t)
{
	struct dc_serial *s = p->s;

	dc_serial_tagged(s, true);
	for (uint32_t j = 0; j < p->m + p->g; j++) {
		if (j + 1 >= t)
			dc_serial_copy(s, p->value + j, p->sum + j + 1 - t);
		else
			dc_serial_fill(s, p->value + j, 1, false);
	}
	dc_float_exponent_plus(p, p->exp, p->x_exp, p->x_exp_rows, 1 - (int32_t)t);
	dc_serial_tagged(s, false);
}

void dc_float_normalise(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;
	const uint32_t rows = p->m + p->g + 1;
	struct dc_plane left;

	/* In two's complement: zero, or so little below it that no row is left. */
	if (p->kept & DC_KEPT_RESULT)
		dc_serial_same(s, p->is_zero, p->sum, rows + 1);
	else
		dc_serial_none(s, p->is_zero, p->sum, rows);
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		left.w[i] = ~s->row[p->is_zero].w[i] & s->guard.w[i];
	for (uint32_t t = 0; t < rows; t++) {
		uint64_t any = 0;

		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			any |= left.w[i];
		if (!any && is_on(s, DC_SAVE_DIFFERENCES)) {
			dc_serial_idle(s, t ? 0 : p->g / 2);
			break;
		}
		if (p->kept & DC_KEPT_RESULT)
			dc_serial_tag_differs(s, p->sum + rows - 1 - t, p->sign);
		else
			dc_serial_tag(s, p->sum + rows - 1 - t, false);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++) {
			s->tag.w[i] &= left.w[i];
			left.w[i] &= ~s->tag.w[i];
		}
		if (!t && p->g) { /* the row that falls out */
			dc_serial_tagged(s, true);
			dc_serial_or(s, p->sticky, p->sticky, p->sum);
			dc_serial_tagged(s, false);
		}
		if (dc_serial_any(s) || !is_on(s, DC_SAVE_DIFFERENCES))
			normalise_at(p, t);
	}
}

/* ---- rounding, and the result ---- */

/* m + e + 5 cycles: one more where flag 0 is set. The exponent is that of the magnitude: of a positive number one more
 * if its fraction overflows, of a negative one if it is a power of two that has not become one by rounding. */
static void round_up_kept(const struct dc_plan *p, uint32_t value)
{
	const uint32_t carried = p->flag[1], more = p->flag[2];
	struct dc_serial *s = p->s;

	dc_serial_set_carry_row(s, p->flag[0], false);
	for (uint32_t i = 0; i < p->m - 1; i++)
		dc_serial_add_one(s, value + i, value + i);
	dc_serial_write_carry(s, carried);
	dc_serial_none(s, more, value, p->m - 1);
	dc_serial_and(s, more, more, p->sign);
	dc_serial_xor(s, more, more, carried);
	dc_serial_set_carry_row(s, more, false);
	for (uint32_t i = 0; i < p->e + 2; i++)
		dc_serial_add_one(s, p->exp + i, p->exp + i);
}

/* Up where the guard row is set and anything below it, or the last row. low: the guard's row. */
void dc_float_round_up(const struct dc_plan *p, uint32_t value, uint32_t low, uint32_t below)
{
	struct dc_serial *s = p->s;

	if (p->least)
		dc_float_denormalise(p, value, low, below);
	dc_serial_some(s, p->flag[0], low - below, below, p->sticky);
	dc_serial_or(s, p->flag[0], p->flag[0], value);
	dc_serial_and(s, p->flag[0], p->flag[0], low);
	if (p->kept & DC_KEPT_RESULT) {
		round_up_kept(p, value);
		return;
	}
	dc_serial_tag(s, p->flag[0], false);
	dc_serial_tagged(s, true);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < p->m - 1; i++)
		dc_serial_add_one(s, value + i, value + i);
	for (uint32_t i = 0; i < p->e + 2; i++)
		dc_serial_add_one(s, p->exp + i, p->exp + i);
	dc_serial_tagged(s, false);
}

/* Rows of an operand of which one is set where it is no number: an open one's infinity has its highest. */
static uint32_t nan_rows(const struct dc_plan *p, uint32_t kept)
{
	return p->m - 1 - (!p->g && p->kept & kept);
}

void dc_float_end_flags(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	dc_serial_all(s, p->flag[2], p->exp, p->e);
	dc_serial_or(s, p->flag[2], p->flag[2], p->exp + p->e);
	dc_serial_or(s, p->flag[4], p->top_a, p->top_b);
	dc_serial_or(s, p->flag[2], p->flag[2], p->flag[4]);
	/* An operand that is no number */
	dc_serial_some(s, p->flag[3], p->a, nan_rows(p, DC_KEPT_A), DC_NO_ROW);
	dc_serial_and(s, p->flag[3], p->flag[3], p->top_a);
	dc_serial_some(s, p->flag[4], p->b, nan_rows(p, DC_KEPT_B), DC_NO_ROW);
	dc_serial_and(s, p->flag[4], p->flag[4], p->top_b);
	dc_serial_or(s, p->flag[3], p->flag[3], p->flag[4]);
}

/* Flags 1: zero or too small, 2: infinite, 3: no number. */
static void range_flags(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	dc_serial_none(s, p->flag[1], p->exp, p->e + 2);
	dc_serial_or(s, p->flag[1], p->flag[1], p->exp + p->e + 1);
	dc_float_sense_small(p, p->flag[1], p->is_zero);
	dc_serial_or(s, p->flag[1], p->flag[1], p->is_zero);
	dc_float_end_flags(p);
}

void dc_float_contrary_infinities(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	dc_serial_xor(s, p->flag[4], dc_float_sign_row(p, p->a), dc_float_sign_row(p, p->b));
	dc_serial_and(s, p->flag[4], p->flag[4], p->top_a);
	dc_serial_and(s, p->flag[4], p->flag[4], p->top_b);
	dc_serial_or(s, p->flag[3], p->flag[3], p->flag[4]);
}

void dc_float_put(const struct dc_plan *p, uint32_t value)
{
	struct dc_serial *s = p->s;

	for (uint32_t i = 0; i < p->m - 1; i++)
		dc_serial_copy(s, p->d + i, value + i);
	for (uint32_t i = 0; i < p->e; i++)
		dc_serial_copy(s, p->d + p->m - 1 + i, p->exp + i);
	dc_serial_copy(s, dc_float_sign_row(p, p->d), p->sign);
}

void dc_float_fill_where(const struct dc_plan *p, uint32_t flag, bool exponent, bool fraction)
{
	struct dc_serial *s = p->s;
	const uint64_t before = s->cycles;

	dc_serial_tag(s, flag, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, p->d, p->m - 1, fraction);
	dc_serial_fill(s, dc_float_exponent_row(p, p->d), p->e, exponent);
	dc_serial_tagged(s, false);
	s->cycles = before + 2 + (exponent != fraction); /* one value to all rows is one write */
}

static void fix_up(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	dc_float_fill_where(p, p->flag[2], true, false);
	/* Too small, unless an operand was infinite. */
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		s->row[p->flag[1]].w[i] &= ~(s->row[p->top_a].w[i] | s->row[p->top_b].w[i]);
	dc_float_fill_where(p, p->flag[1], false, false);
}

void dc_float_fix_nan(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	dc_float_fill_where(p, p->flag[3], true, true);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, dc_float_sign_row(p, p->d), 1, false);
	dc_serial_tagged(s, false);
}

void dc_float_finish_sum(const struct dc_plan *p)
{
	struct dc_serial *s = p->s;

	range_flags(p);
	dc_float_contrary_infinities(p);
	dc_float_put(p, p->value + p->g);
	fix_up(p);
	/* a sum of zero is negative only if both operands are */
	dc_serial_and(s, p->flag[5], dc_float_sign_row(p, p->a), dc_float_sign_row(p, p->b));
	dc_serial_tag(s, p->is_zero, false);
	dc_serial_tagged(s, true);
	dc_serial_copy(s, dc_float_sign_row(p, p->d), p->flag[5]);
	dc_serial_tagged(s, false);
	dc_float_fix_nan(p);
}

void dc_serial_complement(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a)
{
	const uint32_t fraction = use->m - 1u, sign = a + use->n - 1;

	for (uint32_t i = 0; i < fraction; i++)
		dc_serial_xor(s, d + i, a + i, sign);
	for (uint32_t i = fraction; i < use->n; i++)
		dc_serial_copy(s, d + i, a + i);
	dc_serial_set_carry_row(s, sign, false);
	for (uint32_t i = 0; i < fraction; i++)
		dc_serial_add_one(s, d + i, d + i);
}

void dc_serial_fadd(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		    uint32_t b, uint32_t t)
{
	const struct dc_plan p = dc_float_sum_plan(s, use, arith, d, a, b, t);

	CHECK(!use->kept || p.g);
	dc_float_sense(&p, 2, (const uint32_t[]){a, b});
	dc_float_flags(&p);
	if (use->kept & DC_KEPT_OPERANDS)
		take_kept(&p);
	else
		dc_float_take(&p);
	dc_float_align(&p);
	dc_float_magnitude(&p);
	dc_float_normalise(&p);
	if (p.g)
		dc_float_round_up(&p, p.value + p.g, p.value + 1, 1);
	dc_float_finish_sum(&p);
	dc_serial_again(s, use, arith, d, a, b, DC_NO_ROW, t);
}

void dc_serial_fmul(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		    uint32_t b, uint32_t t)
{
	const struct dc_plan p = dc_float_plan(s, use, arith, d, a, b, t);
	const uint32_t savings = s->savings, product = p.sum, kept = p.m + p.g;
	const int32_t bias = (1 << (p.e - 1)) - 1;

	dc_float_sense(&p, 2, (const uint32_t[]){a, b});
	dc_float_flags(&p);
	dc_float_unpack(&p, a, p.zero_a, p.x_exp, p.x_man, p.x_sign);
	dc_float_unpack(&p, b, p.zero_b, p.y_exp, p.y_man, p.y_sign);
	dc_serial_xor(s, p.sign, p.x_sign, p.y_sign);
	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < p.e; i++)
		dc_serial_add(s, p.exp + i, p.x_exp + i, p.y_exp + i);
	dc_serial_write_carry(s, p.exp + p.e);
	dc_float_exponent_plus(&p, p.exp, p.exp, p.e + 1, 1 - bias);
	s->savings &= ~(1u << DC_SAVE_LEADING_ZEROS); /* there are none: the hidden one */
	dc_serial_mul_unsigned(s, product, p.x_man + p.g, p.y_man + p.g, p.m);
	s->savings = savings;
	if (p.g)
		dc_serial_some(s, p.sticky, product, p.m - 2, DC_NO_ROW);
	/* One row up where the product's highest is not set. */
	dc_serial_tag(s, product + 2 * p.m - 1, true);
	dc_serial_tagged(s, true);
	for (uint32_t i = 0; i < kept; i++)
		dc_serial_copy(s, product + 2 * p.m - 1 - i, product + 2 * p.m - 2 - i);
	dc_float_exponent_plus(&p, p.exp, p.exp, p.e + 2, -1);
	dc_serial_tagged(s, false);
	if (p.g)
		dc_float_round_up(&p, product + p.m, product + p.m - 1, 1);
	dc_serial_or(s, p.is_zero, p.zero_a, p.zero_b);
	range_flags(&p);
	/* zero times infinity */
	dc_serial_and(s, p.flag[4], p.zero_a, p.top_b);
	dc_serial_or(s, p.flag[3], p.flag[3], p.flag[4]);
	dc_serial_and(s, p.flag[4], p.zero_b, p.top_a);
	dc_serial_or(s, p.flag[3], p.flag[3], p.flag[4]);
	dc_float_put(&p, product + p.m);
	fix_up(&p);
	dc_serial_idle(s, 2); /* where an addition looks after the sign of zero */
	dc_float_fix_nan(&p);
	dc_serial_again(s, use, arith, d, a, b, DC_NO_ROW, t);
}
