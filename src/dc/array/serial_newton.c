/* serial_newton.c - newton.h bit by bit. */
#include "dc/array/newton.h"
#include "dc/array/serial_float.h"

/* The parts of a routine of routines: rounded to nearest, nothing saved, so that its time is known. */
struct parts {
	struct dc_serial *s;
	struct dc_use use;
	struct dc_arith arith;
	uint32_t t; /* scratch of each */
};

static void add(const struct parts *p, uint32_t d, uint32_t a, uint32_t b)
{
	dc_serial_fadd(p->s, &p->use, &p->arith, d, a, b, p->t);
}

static void multiply(const struct parts *p, uint32_t d, uint32_t a, uint32_t b)
{
	dc_serial_fmul(p->s, &p->use, &p->arith, d, a, b, p->t);
}

static void put_constant(const struct parts *p, uint32_t first, uint64_t value)
{
	for (uint32_t i = 0; i < p->use.n; i++)
		dc_serial_fill(p->s, first + i, 1, value >> i & 1);
}

static uint32_t sign_of(const struct parts *p, uint32_t number)
{
	return number + p->use.n - 1u;
}

static uint32_t exponent_of(const struct parts *p, uint32_t number)
{
	return number + p->use.m - 1u;
}

static uint64_t one(const struct parts *p)
{
	return ((1ull << (p->use.e - 1)) - 1) << (p->use.m - 1);
}

static void fill_where(const struct parts *p, uint32_t flag, uint32_t d, bool exponent, bool fraction)
{
	dc_serial_tag(p->s, flag, false);
	dc_serial_tagged(p->s, true);
	dc_serial_fill(p->s, d, p->use.m - 1u, fraction);
	dc_serial_fill(p->s, exponent_of(p, d), p->use.e, exponent);
	dc_serial_tagged(p->s, false);
}

static void put_sign_where(const struct parts *p, uint32_t flag, uint32_t d, bool is_negative)
{
	dc_serial_tag(p->s, flag, false);
	dc_serial_tagged(p->s, true);
	dc_serial_fill(p->s, sign_of(p, d), 1, is_negative);
	dc_serial_tagged(p->s, false);
}

/* e + 2 cycles: half of what is not zero. */
static void halve(const struct parts *p, uint32_t number, uint32_t flag)
{
	const uint32_t exponent = exponent_of(p, number);

	dc_serial_some(p->s, flag, exponent, p->use.e, DC_NO_ROW);
	dc_serial_tag(p->s, flag, false);
	dc_serial_tagged(p->s, true);
	dc_serial_set_carry(p->s, false);
	for (uint32_t i = 0; i < p->use.e; i++)
		dc_serial_add_bit(p->s, exponent + i, exponent + i, true);
	dc_serial_tagged(p->s, false);
}

/* Zero, infinity, what is negative, what is no number. */
static void fix_root(const struct parts *p, uint32_t d, uint32_t a, uint32_t flags)
{
	const uint32_t zero = flags, top = flags + 1, nan = flags + 2, x = flags + 3;
	struct dc_serial *s = p->s;

	dc_serial_none(s, zero, exponent_of(p, a), p->use.e);
	dc_serial_all(s, top, exponent_of(p, a), p->use.e);
	dc_serial_some(s, nan, a, p->use.m - 1u, DC_NO_ROW);
	dc_serial_and(s, nan, nan, top);
	dc_serial_not(s, x, zero);
	dc_serial_and(s, x, x, sign_of(p, a));
	dc_serial_or(s, nan, nan, x);
	dc_serial_fill(s, sign_of(p, d), 1, false);
	fill_where(p, top, d, false, false);
	fill_where(p, zero, d, true, false);
	dc_serial_and(s, x, zero, sign_of(p, a));
	put_sign_where(p, x, d, true);
	fill_where(p, nan, d, true, true);
}

/* y is the result's rows; two numbers and four flags of scratch. */
static void root(const struct parts *p, uint32_t d, uint32_t a, uint32_t u, uint32_t v, uint32_t flags)
{
	const uint32_t n = p->use.n;
	const uint64_t magic = DC_RSQRT_MAGIC;
	struct dc_serial *s = p->s;

	/* the constant, less the argument down by a row: its inverse, and one */
	for (uint32_t i = 0; i < n; i++) {
		if (i + 1 < n)
			dc_serial_not(s, u + i, a + i + 1);
		else
			dc_serial_fill(s, u + i, 1, true);
	}
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < n; i++)
		dc_serial_add_bit(s, d + i, u + i, magic >> i & 1);
	for (uint32_t k = 0; k < DC_NEWTON_STEPS; k++) {
		multiply(p, u, a, d);
		multiply(p, v, u, d);
		dc_serial_not(s, sign_of(p, v), sign_of(p, v));
		put_constant(p, u, one(p));
		/* 1 - x y y, times y, half of it */
		add(p, p->t - n, u, v);
		multiply(p, u, p->t - n, d);
		halve(p, u, flags);
		add(p, v, d, u);
		for (uint32_t i = 0; i < n; i++)
			dc_serial_copy(s, d + i, v + i);
	}
	fix_root(p, d, a, flags);
}

static void end(const struct parts *p, uint32_t savings)
{
	p->s->savings = savings;
}

static struct parts parts_of(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t t)
{
	struct parts p = {.s = s, .use = *use, .arith = *arith, .t = t};

	p.arith.is_truncated = false;
	p.arith.flushes = true; /* products and sums of an iteration are none */
	s->savings = 0;
	return p;
}

void dc_serial_fnewton(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		       uint32_t a, uint32_t t)
{
	const uint32_t savings = s->savings, n = use->n;
	const struct parts p = parts_of(s, use, arith, t + 4 + 3 * n);

	root(&p, d, a, t + 4, t + 4 + n, t);
	end(&p, savings);
}

void dc_serial_ftanh(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		     uint32_t a, uint32_t t)
{
	const uint32_t savings = s->savings, n = use->n, small = t, nan = t + 1, top = t + 2, u = t + 4, v = u + n;
	const struct parts p = parts_of(s, use, arith, v + n);
	struct dc_use power = *use;

	power.op = DC_OP_FEXP;
	/* |x| times 2 log2 e; a power of it; one more */
	for (uint32_t i = 0; i < n - 1; i++)
		dc_serial_copy(s, u + i, a + i);
	dc_serial_fill(s, sign_of(&p, u), 1, false);
	put_constant(&p, v, dc_tanh_factor);
	multiply(&p, d, u, v);
	dc_serial_cordic(s, &power, &p.arith, DC_EX2, u, d, p.t);
	put_constant(&p, v, one(&p));
	add(&p, d, u, v);
	/* two by it, from one */
	put_constant(&p, v, one(&p) + (1ull << (use->m - 1)));
	dc_serial_fdiv(s, &p.use, &p.arith, u, v, d, p.t);
	dc_serial_not(s, sign_of(&p, u), sign_of(&p, u));
	put_constant(&p, v, one(&p));
	add(&p, d, v, u);
	/* what is small is itself, or zero */
	put_constant(&p, v, (uint64_t)(uint32_t)-DC_TANH_SMALL);
	dc_serial_set_carry(s, false);
	for (uint32_t i = 0; i < use->e; i++)
		dc_serial_add(s, v + i, v + i, exponent_of(&p, a) + i);
	dc_serial_write_carry(s, small); /* DC_TANH_SMALL or more */
	dc_serial_tag(s, small, true);
	dc_serial_tagged(s, true);
	for (uint32_t i = 0; i < n - 1; i++)
		dc_serial_copy(s, d + i, a + i);
	dc_serial_tagged(s, false);
	dc_serial_none(s, small, exponent_of(&p, a), use->e);
	fill_where(&p, small, d, false, false);
	dc_serial_copy(s, sign_of(&p, d), sign_of(&p, a));
	dc_serial_all(s, top, exponent_of(&p, a), use->e);
	dc_serial_some(s, nan, a, use->m - 1u, DC_NO_ROW);
	dc_serial_and(s, nan, nan, top);
	fill_where(&p, nan, d, true, true);
	put_sign_where(&p, nan, d, false);
	end(&p, savings);
}
