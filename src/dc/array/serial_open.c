/* serial_open.c - sums that are not normalised, bit by bit: array/open.h. */
#include "dc/array/open.h"
#include "dc/array/serial_float.h"

static uint32_t take(uint32_t *next, uint32_t rows)
{
	const uint32_t first = *next;

	*next += rows;
	return first;
}

static void copy_rows(struct dc_serial *s, uint32_t to, uint32_t from, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		dc_serial_copy(s, to + i, from + i);
}

/* Row i of a mantissa of m + 1 rows, whose lowest one is scratch and whose other ones are those of the open number. */
static uint32_t row_of(const struct dc_use *use, uint32_t d, uint32_t lowest, uint32_t i)
{
	return i == 0 ? lowest : i == use->m ? d + use->n - 1u : d + i - 1;
}

/* DC_OPEN_OF cycles. */
static void open(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t t)
{
	const uint32_t f = use->m - 1u, sign = a + use->n - 1u;
	const uint32_t is_zero = take(&t, 1), top = take(&t, 1), lowest = take(&t, 1);
	const uint32_t hidden = row_of(use, d, lowest, f);

	dc_serial_none(s, is_zero, a + f, use->e);
	dc_serial_all(s, top, a + f, use->e);
	dc_serial_not(s, hidden, is_zero);
	for (uint32_t i = 0; i < f; i++)
		dc_serial_and(s, row_of(use, d, lowest, i), a + i, hidden);
	dc_serial_fill(s, row_of(use, d, lowest, use->m), 1, false);
	dc_serial_tag(s, sign, false);
	dc_serial_tagged(s, true);
	for (uint32_t i = 0; i <= use->m; i++)
		dc_serial_not(s, row_of(use, d, lowest, i), row_of(use, d, lowest, i));
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i <= use->m; i++)
		dc_serial_add_one(s, row_of(use, d, lowest, i), row_of(use, d, lowest, i));
	dc_serial_tagged(s, false);
	copy_rows(s, d + f, a + f, use->e);
	dc_serial_tag(s, top, false);
	dc_serial_tagged(s, true);
	copy_rows(s, d, a, f);
	dc_serial_copy(s, d + use->n - 1u, sign);
	dc_serial_tagged(s, false);
}

/* A mantissa of m rows, the highest its sign's, has m - 1 of magnitude: algorithm 1's steps are those of a bit less. */
static struct dc_plan plan_of(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t t)
{
	struct dc_use less = *use;

	less.m--;
	less.kept = 0;
	return dc_float_plan(s, &less, &(struct dc_arith){.is_truncated = true}, d, d, d, t);
}

/* Ones or zeros to exponent and fraction where a row is set: 2 cycles, 3 if they differ. */
static void fill_where(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t flag, bool exponent)
{
	const uint64_t before = s->cycles;

	dc_serial_tag(s, flag, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, d, use->m - 1u, false);
	dc_serial_fill(s, d + use->m - 1u, use->e, exponent);
	dc_serial_tagged(s, false);
	s->cycles = before + 2 + exponent;
}

static void copy_where(struct dc_serial *s, uint32_t flag, uint32_t to, uint32_t from, uint32_t rows)
{
	dc_serial_tag(s, flag, false);
	dc_serial_tagged(s, true);
	copy_rows(s, to, from, rows);
	dc_serial_tagged(s, false);
}

/* DC_OPEN_TO cycles, and those of the normalisation. */
static void close(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t t)
{
	const uint32_t f = use->m - 1u, sign = a + use->n - 1u, e = use->e;
	const struct dc_plan p = plan_of(s, use, d, t);

	dc_serial_all(s, p.top_a, a + f, e);
	copy_rows(s, p.sum, a, f);
	dc_serial_copy(s, p.sum + f, sign);
	dc_serial_copy(s, p.sum + f + 1, sign);
	copy_rows(s, p.x_exp, a + f, e);
	dc_float_magnitude(&p);
	dc_float_normalise(&p);
	dc_serial_fill(s, d, 1, false);
	copy_rows(s, d + 1, p.value, f - 1);
	copy_rows(s, d + f, p.exp, e);
	dc_serial_copy(s, d + use->n - 1u, p.sign);
	dc_serial_none(s, p.flag[1], p.exp, e + 2);
	dc_serial_or(s, p.flag[1], p.flag[1], p.exp + e + 1);
	dc_serial_or(s, p.flag[1], p.flag[1], p.is_zero);
	dc_serial_all(s, p.flag[2], p.exp, e);
	dc_serial_or(s, p.flag[2], p.flag[2], p.exp + e);
	fill_where(s, use, d, p.flag[2], true);
	fill_where(s, use, d, p.flag[1], false);
	copy_where(s, p.top_a, d, a, use->n);
}

/* A cycle, or those of DC_OPEN_SWAP where some exponent of x is the smaller one. */
static void swap(const struct dc_plan *p, const struct dc_use *use)
{
	struct dc_serial *s = p->s;

	dc_serial_tag(s, p->borrow, false);
	if (s->savings >> DC_SAVE_SIGNS & 1 && !dc_serial_any(s))
		return;
	dc_serial_tagged(s, true);
	copy_rows(s, p->sum, p->x_man, use->m);
	copy_rows(s, p->x_man, p->y_man, use->m);
	copy_rows(s, p->y_man, p->sum, use->m);
	copy_rows(s, p->x_exp, p->y_exp, use->e);
	for (uint32_t i = 0; i < use->e; i++)
		dc_serial_not(s, p->diff + i, p->diff + i);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < use->e; i++)
		dc_serial_add_one(s, p->diff + i, p->diff + i);
	dc_serial_tagged(s, false);
}

/* 22 cycles: infinity and what is no number. */
static void fix_specials(const struct dc_plan *p, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b)
{
	const uint32_t f = use->m - 1u, sign = use->n - 1u, nan = p->flag[3], x = p->flag[4];
	struct dc_serial *s = p->s;

	dc_serial_some(s, nan, a, f, DC_NO_ROW);
	dc_serial_and(s, nan, nan, p->top_a);
	dc_serial_some(s, x, b, f, DC_NO_ROW);
	dc_serial_and(s, x, x, p->top_b);
	dc_serial_or(s, nan, nan, x);
	dc_serial_xor(s, x, a + sign, b + sign);
	dc_serial_and(s, x, x, p->top_a);
	dc_serial_and(s, x, x, p->top_b);
	dc_serial_or(s, nan, nan, x);
	fill_where(s, use, d, p->top_b, true);
	copy_where(s, p->top_b, d + sign, b + sign, 1);
	fill_where(s, use, d, p->top_a, true);
	copy_where(s, p->top_a, d + sign, a + sign, 1);
	dc_serial_tag(s, nan, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, d, f + use->e, true);
	dc_serial_fill(s, d + sign, 1, false);
	dc_serial_tagged(s, false);
}

/* Of open numbers: DC_OPEN_ADD cycles, and those of the alignment and of the swap. */
static void add(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b, uint32_t t)
{
	const uint32_t f = use->m - 1u, e = use->e, sign = use->n - 1u;
	const struct dc_plan p = plan_of(s, use, d, t);
	const uint32_t over = p.flag[0];

	dc_serial_all(s, p.top_a, a + f, e);
	dc_serial_all(s, p.top_b, b + f, e);
	copy_rows(s, p.x_man, a, f);
	dc_serial_copy(s, p.x_man + f, a + sign);
	copy_rows(s, p.x_exp, a + f, e);
	copy_rows(s, p.y_man, b, f);
	dc_serial_copy(s, p.y_man + f, b + sign);
	copy_rows(s, p.y_exp, b + f, e);
	dc_float_difference(&p);
	swap(&p, use);
	dc_float_align(&p);
	/* One row down where the sum's two highest differ. */
	dc_serial_xor(s, over, p.sum + f + 1, p.sum + f);
	dc_serial_tag(s, over, false);
	dc_serial_tagged(s, true);
	copy_rows(s, p.sum, p.sum + 1, f + 1);
	dc_serial_tagged(s, false);
	dc_serial_set_carry_row(s, over, false);
	for (uint32_t i = 0; i < e; i++)
		dc_serial_add_one(s, p.x_exp + i, p.x_exp + i);
	dc_serial_write_carry(s, p.flag[1]);
	dc_serial_all(s, p.flag[2], p.x_exp, e);
	dc_serial_or(s, p.flag[2], p.flag[2], p.flag[1]);
	copy_rows(s, d, p.sum, f);
	copy_rows(s, d + f, p.x_exp, e);
	dc_serial_copy(s, d + sign, p.sum + f + 1);
	fill_where(s, use, d, p.flag[2], true);
	fix_specials(&p, use, d, a, b);
}

void dc_serial_open(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t t)
{
	if (use->kept & DC_KEPT_RESULT)
		open(s, use, d, a, t);
	else
		close(s, use, d, a, t);
}

void dc_serial_open_add(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b, uint32_t t)
{
	const uint32_t x = take(&t, use->n), y = take(&t, use->n), sum = take(&t, use->n);
	const bool is_a = use->kept & DC_KEPT_A, is_b = use->kept & DC_KEPT_B, stays = use->kept & DC_KEPT_RESULT;

	if (!is_a)
		open(s, use, x, a, t);
	if (!is_b)
		open(s, use, y, b, t);
	add(s, use, stays ? d : sum, is_a ? a : x, is_b ? b : y, t);
	if (!stays)
		close(s, use, d, sum, t);
}
