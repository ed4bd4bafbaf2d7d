/* serial_cordic.c - cordic.h's functions, bit by bit; formulas.h counts the steps. */
#include "base/check.h"
#include "dc/array/cordic.h"
#include "dc/array/serial_float.h"

enum { ROWS = 32, WIDE = 40, AMOUNT_ROWS = 9, STAGES = 6, MANTISSA = 24, FRACTION = MANTISSA - 1 };

struct cordic {
	struct dc_plan p;
	uint32_t plus, minus; /* which way an iteration goes */
	uint32_t quadrant;    /* two rows */
	uint32_t amount;      /* of a shift; in the result exponent's rows, before there is one */
	uint32_t zeros;	      /* leading ones: a row for each stage */
	uint32_t x, z, y, t, u; /* 32 rows each; x and z are neighbours, u is the result */
};

static uint32_t take(uint32_t *next, uint32_t rows)
{
	const uint32_t first = *next;

	*next += rows;
	return first;
}

static struct cordic plan(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t t)
{
	struct cordic c = {.p = {.s = s, .e = use->e, .m = use->m, .g = 2, .a = a, .b = a, .d = d}, .u = d};
	struct dc_plan *p = &c.p;
	uint32_t *const flags[] = {&p->zero_a, &p->top_a, &p->sticky, &p->sign, &p->is_zero, &c.plus, &c.minus};

	CHECK(use->e == 8 && use->m == MANTISSA);
	for (uint32_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++)
		*flags[k] = take(&t, 1);
	for (uint32_t k = 0; k < 6; k++)
		p->flag[k] = take(&t, 1);
	c.quadrant = take(&t, 2);
	p->exp = c.amount = take(&t, use->e + 2u);
	c.zeros = take(&t, STAGES);
	c.x = take(&t, ROWS);
	c.z = take(&t, ROWS);
	c.y = take(&t, ROWS);
	c.t = take(&t, ROWS);
	return c;
}

static void copy_rows(struct dc_serial *s, uint32_t to, uint32_t from, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		dc_serial_copy(s, to + i, from + i);
}

static void copy_where(struct dc_serial *s, uint32_t flag, bool is_inverted, uint32_t to, uint32_t from, uint32_t rows)
{
	dc_serial_tag(s, flag, is_inverted);
	dc_serial_tagged(s, true);
	copy_rows(s, to, from, rows);
	dc_serial_tagged(s, false);
}

static void clear_where(struct dc_serial *s, uint32_t flag, uint32_t first, uint32_t rows)
{
	dc_serial_tag(s, flag, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, first, rows, false);
	dc_serial_tagged(s, false);
}

/* Two's complement where the sign's row is set. */
static void negate_where(struct dc_serial *s, uint32_t sign, uint32_t first, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		dc_serial_xor(s, first + i, first + i, sign);
	dc_serial_set_carry_row(s, sign, false);
	for (uint32_t i = 0; i < rows; i++)
		dc_serial_add_one(s, first + i, first + i);
}

static void put_constant(struct dc_serial *s, uint32_t first, uint32_t value)
{
	for (uint32_t i = 0; i < ROWS; i++)
		dc_serial_fill(s, first + i, 1, value >> i & 1);
}

/* ---- the argument ---- */

static void flags_of_operand(const struct cordic *c)
{
	const uint32_t exponent = dc_float_exponent_row(&c->p, c->p.a);

	dc_serial_none(c->p.s, c->p.zero_a, exponent, c->p.e);
	dc_serial_all(c->p.s, c->p.top_a, exponent, c->p.e);
}

static void unpack(const struct cordic *c, uint32_t to)
{
	struct dc_serial *s = c->p.s;

	dc_serial_not(s, to + FRACTION, c->p.zero_a);
	for (uint32_t i = 0; i < FRACTION; i++)
		dc_serial_and(s, to + i, c->p.a + i, to + FRACTION);
}

/* Rows down by most - exponent; nothing is left where that is 64 or more, or negative. The amount stays. */
static void move_down(const struct cordic *c, uint32_t first, uint32_t rows, uint32_t most)
{
	struct dc_serial *s = c->p.s;

	for (uint32_t i = 0; i < c->p.e; i++)
		dc_serial_not(s, c->amount + i, dc_float_exponent_row(&c->p, c->p.a) + i);
	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < c->p.e; i++)
		dc_serial_add_bit(s, c->amount + i, c->amount + i, (most + 1) >> i & 1);
	/* the row above: the inverted exponent's is one */
	dc_serial_add_bit(s, c->amount + c->p.e, DC_NO_ROW, !((most + 1) >> c->p.e & 1));
	for (uint32_t k = 0; k < STAGES; k++) {
		const uint32_t by = 1u << k;

		dc_serial_tag(s, c->amount + k, false);
		dc_serial_tagged(s, true);
		copy_rows(s, first, first + by, rows - by);
		dc_serial_fill(s, first + rows - by, by, false);
		dc_serial_tagged(s, false);
	}
	dc_serial_some(s, c->p.flag[0], c->amount + STAGES, AMOUNT_ROWS - STAGES, DC_NO_ROW);
	clear_where(s, c->p.flag[0], first, rows);
}

/* ---- the result ---- */

/* The leading one of a magnitude to its highest row, which counts 2^(top - bias), and rounded: to the result's rows. */
static void put_magnitude(const struct cordic *c, uint32_t first, uint32_t rows, int32_t top)
{
	const uint32_t stages = rows > 32 ? 6 : 5, value = first + rows - MANTISSA;
	struct dc_serial *s = c->p.s;

	dc_serial_none(s, c->p.is_zero, first, rows);
	for (uint32_t k = stages; k-- > 0;) {
		const uint32_t by = 1u << k;

		dc_serial_none(s, c->zeros + k, first + rows - by, by);
		dc_serial_tag(s, c->zeros + k, false);
		dc_serial_tagged(s, true);
		for (uint32_t i = rows; i-- > by;)
			dc_serial_copy(s, first + i, first + i - by);
		dc_serial_fill(s, first, by, false);
		dc_serial_tagged(s, false);
		dc_serial_not(s, c->zeros + k, c->zeros + k);
	}
	dc_float_exponent_plus(&c->p, c->p.exp, c->zeros, stages, top + 1 - (1 << stages));
	dc_serial_fill(s, c->p.sticky, 1, false);
	dc_float_round_up(&c->p, value, value - 1, rows - MANTISSA - 1);
	dc_float_put(&c->p, value);
	dc_float_fill_where(&c->p, c->p.is_zero, false, false);
}

static void put_sign_where(const struct cordic *c, uint32_t flag, bool is_negative)
{
	struct dc_serial *s = c->p.s;

	dc_serial_tag(s, flag, false);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, dc_float_sign_row(&c->p, c->p.d), 1, is_negative);
	dc_serial_tagged(s, false);
}

/* ---- sin and cos ---- */

/* Quarter turns modulo 4 in x: the product with 2 / pi, a partial product for each of the constant's ones. */
static void reduce_turns(const struct cordic *c)
{
	struct dc_serial *s = c->p.s;

	unpack(c, c->t);
	dc_serial_fill(s, c->x, MANTISSA + 32, false);
	for (uint32_t bit = 0; bit < 32; bit++) {
		if (!(dc_cordic_quarters >> bit & 1))
			continue;
		dc_serial_set_carry(s, false);
		for (uint32_t i = 0; i < MANTISSA; i++)
			dc_serial_add(s, c->x + bit + i, c->x + bit + i, c->t + i);
		dc_serial_write_carry(s, c->x + bit + MANTISSA);
	}
	move_down(c, c->x, MANTISSA + 32, 152);
	negate_where(s, dc_float_sign_row(&c->p, c->p.a), c->x, ROWS);
}

/* The nearest whole quarter turn, and what is left of it in z. */
static void split_turns(const struct cordic *c, bool is_cos)
{
	const uint32_t half = c->x + DC_CORDIC_FRACTION - 1;
	struct dc_serial *s = c->p.s;

	dc_serial_and(s, c->quadrant + 1, half, half + 1);
	dc_serial_xor(s, c->quadrant + 1, c->quadrant + 1, half + 2);
	dc_serial_xor(s, c->quadrant, half, half + 1);
	if (is_cos) { /* a quarter further */
		dc_serial_xor(s, c->quadrant + 1, c->quadrant + 1, c->quadrant);
		dc_serial_not(s, c->quadrant, c->quadrant);
	}
	copy_rows(s, c->z, c->x, DC_CORDIC_FRACTION);
	dc_serial_copy(s, c->z + DC_CORDIC_FRACTION, half);
	dc_serial_copy(s, c->z + DC_CORDIC_FRACTION + 1, half);
}

/* to = from down by i rows, its sign above, inverted where the flag is set. */
static void moved(const struct cordic *c, uint32_t to, uint32_t from, uint32_t by, uint32_t flag)
{
	for (uint32_t i = 0; i < ROWS; i++)
		dc_serial_xor(c->p.s, to + i, from + (i + by < ROWS ? i + by : ROWS - 1), flag);
}

static void add_rows(const struct cordic *c, uint32_t to, uint32_t what, uint32_t carry)
{
	dc_serial_set_carry_row(c->p.s, carry, false);
	for (uint32_t i = 0; i < ROWS; i++)
		dc_serial_add(c->p.s, to + i, to + i, what + i);
}

static void turn(const struct cordic *c, uint32_t i)
{
	const uint32_t angle = i < DC_CORDIC_STEPS ? dc_cordic_angle[i] : 0;
	struct dc_serial *s = c->p.s;

	dc_serial_copy(s, c->minus, c->z + ROWS - 1);
	dc_serial_not(s, c->plus, c->minus);
	moved(c, c->t, c->y, i, c->plus);
	moved(c, c->u, c->x, i, c->minus);
	add_rows(c, c->x, c->t, c->plus);
	add_rows(c, c->y, c->u, c->minus);
	dc_serial_set_carry_row(s, c->plus, false);
	for (uint32_t row = 0; row < ROWS; row++)
		dc_serial_add(s, c->z + row, c->z + row, angle >> row & 1 ? c->minus : c->plus);
}

static void wave(const struct cordic *c, bool is_cos, uint32_t iterations)
{
	const struct dc_plan *p = &c->p;
	struct dc_serial *s = p->s;

	reduce_turns(c);
	split_turns(c, is_cos);
	put_constant(s, c->x, dc_cordic_gain[iterations < DC_CORDIC_GAINS ? iterations : DC_CORDIC_GAINS]);
	dc_serial_fill(s, c->y, ROWS, false);
	for (uint32_t i = 0; i < iterations; i++)
		turn(c, i);
	copy_where(s, c->quadrant, false, c->y, c->x, ROWS);
	dc_serial_copy(s, c->plus, c->y + ROWS - 1);
	dc_serial_xor(s, p->sign, c->plus, c->quadrant + 1);
	negate_where(s, c->plus, c->y, ROWS);
	put_magnitude(c, c->y, ROWS, 127 + 1);
	if (!is_cos) {
		dc_float_fill_where(p, p->zero_a, false, false);
		copy_where(s, p->zero_a, false, dc_float_sign_row(p, p->d), dc_float_sign_row(p, p->a), 1);
	}
	dc_serial_copy(s, p->flag[3], p->top_a);
	dc_float_fix_nan(p);
}

/* ---- powers of two ---- */

/* Where the rest reaches log2(1 + 2^-i): less that, and the result larger. */
static void grow(const struct cordic *c, uint32_t i)
{
	const uint32_t log = i < DC_CORDIC_STEPS ? dc_cordic_log[i] : 0, by = i < ROWS - 1 ? i : ROWS - 1;
	struct dc_serial *s = c->p.s;

	dc_serial_set_carry(s, true);
	for (uint32_t row = 0; row < ROWS; row++)
		dc_serial_add_bit(s, c->t + row, c->x + row, !(log >> row & 1));
	dc_serial_tag(s, c->t + ROWS - 1, true);
	dc_serial_tagged(s, true);
	copy_rows(s, c->x, c->t, ROWS);
	dc_serial_set_carry(s, false);
	for (uint32_t row = 0; row < ROWS - by; row++)
		dc_serial_add(s, c->y + row, c->y + row, c->y + row + by);
	for (uint32_t row = ROWS - by; row < ROWS; row++)
		dc_serial_add_bit(s, c->y + row, c->y + row, false);
	dc_serial_tagged(s, false);
}

/* Too small, too large, infinite, no number. */
static void put_power(const struct cordic *c)
{
	const struct dc_plan *p = &c->p;
	const uint32_t sign = dc_float_sign_row(p, p->a), is_far = p->flag[5], nan = p->flag[3], is_low = p->flag[4];
	struct dc_serial *s = p->s;

	dc_float_put(p, c->y + DC_CORDIC_FRACTION - FRACTION);
	dc_serial_all(s, p->flag[2], p->exp, p->e);
	dc_serial_or(s, p->flag[2], p->flag[2], p->exp + p->e);
	dc_float_fill_where(p, p->flag[2], true, false);
	dc_serial_none(s, p->flag[1], p->exp, p->e + 2);
	dc_serial_or(s, p->flag[1], p->flag[1], p->exp + p->e + 1);
	dc_float_fill_where(p, p->flag[1], false, false);
	dc_serial_and(s, is_low, is_far, sign);
	dc_float_fill_where(p, is_far, true, false);
	dc_float_fill_where(p, is_low, false, false);
	dc_serial_some(s, nan, p->a, FRACTION, DC_NO_ROW);
	dc_serial_and(s, nan, nan, p->top_a);
	dc_float_fix_nan(p);
}

static void power(const struct cordic *c, uint32_t iterations)
{
	const struct dc_plan *p = &c->p;
	struct dc_serial *s = p->s;

	/* 30 rows of fraction, the others of what is whole. */
	dc_serial_fill(s, c->x, WIDE, false);
	unpack(c, c->x + 14);
	move_down(c, c->x, WIDE, 134);
	dc_serial_copy(s, p->flag[5], c->amount + p->e); /* |x| is 256 or more */
	negate_where(s, dc_float_sign_row(p, p->a), c->x, WIDE);
	dc_float_exponent_plus(p, p->exp, c->x + DC_CORDIC_FRACTION, p->e + 2, 127);
	dc_serial_fill(s, c->x + DC_CORDIC_FRACTION, ROWS - DC_CORDIC_FRACTION, false);
	dc_serial_fill(s, c->y, ROWS, false);
	dc_serial_fill(s, c->y + DC_CORDIC_FRACTION, 1, true);
	for (uint32_t i = 1; i <= iterations; i++)
		grow(c, i);
	dc_serial_fill(s, p->sign, 1, false);
	dc_serial_fill(s, p->sticky, 1, false);
	dc_float_round_up(p, c->y + DC_CORDIC_FRACTION - FRACTION, c->y + DC_CORDIC_FRACTION - MANTISSA,
			  DC_CORDIC_FRACTION - MANTISSA);
	put_power(c);
}

/* ---- logarithms ---- */

/* Where the number grown by 1 + 2^-i stays below 1: that, and the sum of logarithms larger. */
static void approach(const struct cordic *c, uint32_t i)
{
	const uint32_t log = i < DC_CORDIC_STEPS ? dc_cordic_log[i] : 0, by = i < ROWS - 1 ? i : ROWS - 1;
	struct dc_serial *s = c->p.s;

	dc_serial_set_carry(s, false);
	for (uint32_t row = 0; row < ROWS - by; row++)
		dc_serial_add(s, c->t + row, c->x + row, c->x + row + by);
	for (uint32_t row = ROWS - by; row < ROWS; row++)
		dc_serial_add_bit(s, c->t + row, c->x + row, false);
	dc_serial_tag(s, c->t + DC_CORDIC_FRACTION, true);
	dc_serial_tagged(s, true);
	copy_rows(s, c->x, c->t, ROWS);
	dc_serial_set_carry(s, false);
	for (uint32_t row = 0; row < ROWS; row++)
		dc_serial_add_bit(s, c->y + row, c->y + row, log >> row & 1);
	dc_serial_tagged(s, false);
}

/* x: the exponent less the sum of logarithms, in 40 rows. */
static void subtract_sum(const struct cordic *c)
{
	const uint32_t whole = c->p.exp;
	struct dc_serial *s = c->p.s;

	for (uint32_t i = 0; i < ROWS; i++)
		dc_serial_not(s, c->y + i, c->y + i);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < DC_CORDIC_FRACTION; i++)
		dc_serial_add_bit(s, c->x + i, c->y + i, false);
	for (uint32_t i = DC_CORDIC_FRACTION; i < ROWS; i++)
		dc_serial_add(s, c->x + i, c->y + i, whole + i - DC_CORDIC_FRACTION);
	for (uint32_t i = ROWS; i < WIDE; i++)
		dc_serial_add_bit(s, c->x + i, whole + i - DC_CORDIC_FRACTION, true);
}

static void logarithm(const struct cordic *c, uint32_t iterations)
{
	const struct dc_plan *p = &c->p;
	const uint32_t more = p->flag[1], nan = p->flag[3], x = p->flag[4];
	struct dc_serial *s = p->s;

	/* Between a half and one; a power of two is one. */
	dc_serial_some(s, more, p->a, FRACTION, DC_NO_ROW);
	dc_serial_fill(s, c->x, ROWS, false);
	copy_rows(s, c->x + DC_CORDIC_FRACTION - MANTISSA, p->a, FRACTION);
	dc_serial_copy(s, c->x + DC_CORDIC_FRACTION - 1, more);
	dc_serial_not(s, c->x + DC_CORDIC_FRACTION, more);
	dc_serial_set_carry_row(s, more, false);
	for (uint32_t i = 0; i < p->e + 2; i++)
		dc_serial_add_bit(s, p->exp + i, i < p->e ? dc_float_exponent_row(p, p->a) + i : DC_NO_ROW,
				  (uint32_t)-127 >> i & 1);
	dc_serial_fill(s, c->y, ROWS, false);
	for (uint32_t i = 1; i <= iterations; i++)
		approach(c, i);
	subtract_sum(c);
	dc_serial_copy(s, p->sign, c->x + WIDE - 1);
	negate_where(s, p->sign, c->x, WIDE);
	put_magnitude(c, c->x, WIDE, 127 + WIDE - 1 - DC_CORDIC_FRACTION);
	dc_float_fill_where(p, p->top_a, true, false);
	put_sign_where(c, p->top_a, false);
	dc_float_fill_where(p, p->zero_a, true, false);
	put_sign_where(c, p->zero_a, true);
	dc_serial_and(s, nan, more, p->top_a);
	dc_serial_not(s, x, p->zero_a);
	dc_serial_and(s, x, x, dc_float_sign_row(p, p->a));
	dc_serial_or(s, nan, nan, x);
	dc_float_fix_nan(p);
}

/* ---- square roots ---- */

/* v in y: the mantissa, down by a row where its exponent is odd; and half of the exponent. */
static void prepare_root(const struct cordic *c)
{
	const struct dc_plan *p = &c->p;
	const uint32_t low = c->y + DC_CORDIC_FRACTION - MANTISSA;
	struct dc_serial *s = p->s;

	dc_serial_fill(s, c->y, ROWS, false);
	unpack(c, low);
	dc_serial_tag(s, dc_float_exponent_row(p, p->a), false);
	dc_serial_tagged(s, true);
	copy_rows(s, low - 1, low, MANTISSA);
	dc_serial_fill(s, low + MANTISSA - 1, 1, false);
	dc_serial_tagged(s, false);
	/* a row lower than exp: what the division by two drops is in the quadrant's */
	dc_float_exponent_plus(p, p->exp - 1, dc_float_exponent_row(p, p->a), p->e, 127);
	dc_serial_fill(s, p->exp + p->e + 1, 1, false);
}

/* Both numbers to where y is less by 2^-i of x, and x by 2^-i of y; or more, where y is negative. */
static void approach_axis(const struct cordic *c, uint32_t by)
{
	struct dc_serial *s = c->p.s;

	dc_serial_copy(s, c->minus, c->y + ROWS - 1);
	dc_serial_not(s, c->plus, c->minus);
	moved(c, c->t, c->y, by, c->plus);
	moved(c, c->u, c->x, by, c->plus);
	add_rows(c, c->x, c->t, c->plus);
	add_rows(c, c->y, c->u, c->plus);
}

/* Where the row is set, or is not: a half, or the largest number below one. */
static void fill_root(const struct cordic *c, uint32_t row, bool is_inverted, bool is_most)
{
	const uint32_t low = c->x + DC_CORDIC_FRACTION - MANTISSA;
	struct dc_serial *s = c->p.s;

	dc_serial_tag(s, row, is_inverted);
	dc_serial_tagged(s, true);
	dc_serial_fill(s, is_most ? low : low + MANTISSA - 1, is_most ? MANTISSA : 1, true);
	dc_serial_fill(s, c->x, is_most ? DC_CORDIC_FRACTION - MANTISSA : DC_CORDIC_FRACTION - 1, false);
	dc_serial_tagged(s, false);
}

static void root(const struct cordic *c, uint32_t iterations)
{
	const uint32_t steps = iterations < DC_CORDIC_ROOTS ? iterations : DC_CORDIC_ROOTS, by = dc_cordic_root[steps];
	const uint32_t low = c->x + DC_CORDIC_FRACTION - MANTISSA, top = c->x + DC_CORDIC_FRACTION - 1;
	const struct dc_plan *p = &c->p;
	const uint32_t nan = p->flag[3], x = p->flag[4];
	struct dc_serial *s = p->s;

	prepare_root(c);
	dc_serial_set_carry(s, false);
	for (uint32_t row = 0; row < ROWS; row++)
		dc_serial_add_bit(s, c->x + row, c->y + row, by >> row & 1);
	dc_serial_set_carry(s, true);
	for (uint32_t row = 0; row < ROWS; row++)
		dc_serial_add_bit(s, c->y + row, c->y + row, !(by >> row & 1));
	for (uint32_t i = 0; i < steps; i++)
		approach_axis(c, dc_cordic_root_shift[i]);
	fill_root(c, top + 1, false, true);
	fill_root(c, top, true, false);
	dc_serial_copy(s, p->sign, dc_float_sign_row(p, p->a));
	dc_serial_fill(s, p->sticky, 1, false);
	dc_float_round_up(p, low, low - 1, DC_CORDIC_FRACTION - MANTISSA - 1);
	dc_float_put(p, low);
	dc_float_fill_where(p, p->top_a, true, false);
	dc_float_fill_where(p, p->zero_a, false, false);
	dc_serial_some(s, nan, p->a, FRACTION, DC_NO_ROW);
	dc_serial_and(s, nan, nan, p->top_a);
	dc_serial_not(s, x, p->zero_a);
	dc_serial_and(s, x, x, dc_float_sign_row(p, p->a));
	dc_serial_or(s, nan, nan, x);
	dc_float_fix_nan(p);
}

void dc_serial_cordic(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith,
		      enum dc_function function, uint32_t d, uint32_t a, uint32_t t)
{
	const struct cordic c = plan(s, use, d, a, t);

	flags_of_operand(&c);
	switch (function) {
	case DC_SIN:
	case DC_COS: wave(&c, function == DC_COS, arith->cordic_iterations); break;
	case DC_EX2: power(&c, arith->cordic_iterations); break;
	case DC_LG2: logarithm(&c, arith->cordic_iterations); break;
	case DC_SQRT: root(&c, arith->cordic_iterations); break;
	}
}
