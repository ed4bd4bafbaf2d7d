/* test_gradual.c - denormal numbers of f16 and f64 in the arrays: bit by bit against the host's arithmetic, and cycle
 * for cycle against what words say, which look for lanes that need an operation again in another way. */
#include <glib.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "dc/array/complement.h"
#include "dc/array/gradual.h"
#include "dc/array/newton.h"
#include "dc/array/serial.h"

enum { ROW = 32, A = 0, B = 64, C = 128, D = 192, T = 330 };

static const struct dc_arith gradual = {.cordic_iterations = 17};
static uint64_t random_state = 11;
static struct dc_serial serial;

static uint64_t draw(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return random_state >> 11 ^ random_state << 20;
}

static uint64_t low(uint32_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/* ---- numbers ---- */

static double value_of(uint32_t e, uint32_t m, uint64_t raw)
{
	const uint32_t f = m - 1;
	const int field = (int)(raw >> f & low(e)), bias = (int)low(e - 1);
	const double sign = raw >> (f + e) & 1 ? -1 : 1, fraction = (double)(raw & low(f));

	if (field == (int)low(e))
		return fraction > 0 ? NAN : sign * INFINITY;
	return sign * (field ? ldexp(fraction + ldexp(1, (int)f), field - bias - (int)f)
			     : ldexp(fraction, 1 - bias - (int)f));
}

static double directed(double x, enum dc_direction rounding)
{
	switch (rounding) {
	case DC_TO_NEAREST: return rint(x);
	case DC_TO_LOWER: return floor(x);
	case DC_TO_UPPER: return ceil(x);
	case DC_TO_ZERO: break;
	}
	return trunc(x);
}

/* x, which is exact, in a format: denormal where it has to be, if the format has such. */
static uint64_t nearest(uint32_t e, uint32_t m, double x, enum dc_direction rounding, bool flushes)
{
	const int bias = (int)low(e - 1), f = (int)m - 1;
	const uint64_t sign = (uint64_t)(signbit(x) != 0) << (m - 1 + e);
	int exponent;

	if (isnan(x))
		return low(m - 1 + e);
	if (isinf(x) || x == 0)
		return sign | (x == 0 ? 0 : low(e) << f);
	frexp(x, &exponent);
	exponent = flushes || exponent - 1 > -bias ? exponent - 1 : 1 - bias;

	double units = directed(ldexp(x, f - exponent), rounding); /* with its sign */

	if (fabs(units) >= ldexp(1, f + 1)) {
		units /= 2;
		exponent++;
	}
	if (exponent > bias) {
		const bool stays = rounding == DC_TO_ZERO || (rounding == DC_TO_LOWER && x > 0) ||
				   (rounding == DC_TO_UPPER && x < 0);

		return sign | ((low(e) << f) - stays);
	}
	if (flushes && exponent < 1 - bias)
		return sign;

	const uint64_t mantissa = (uint64_t)fabs(units);

	return sign | (mantissa >> f ? (uint64_t)(exponent + bias) << f : 0) | (mantissa & low(m - 1));
}

static uint64_t bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return isnan(x) ? low(63) : bits;
}

/* Near the least normal number, denormal, zero, and what products and quotients need to come there. */
static uint64_t draw_number(uint32_t e, uint32_t m, uint32_t kind)
{
	const uint64_t sign = (draw() & 1) << (m - 1 + e), top = low(e), bias = low(e - 1);
	const uint64_t few = low(m - 1) & ~low(m / 2), some = draw() & (draw() & 1 ? few : low(m - 1));

	switch (kind % 8) {
	case 0: return sign | (draw() & low(1 + (uint32_t)(draw() % (m - 1))));
	case 1: return sign | draw() % 4 << (m - 1) | (draw() % 3 ? some : 0);
	case 2: return sign | (bias - m + draw() % (2 * m)) << (m - 1) | some;
	case 3: return sign | (1 + draw() % (m + 2 < top - 1 ? m + 2 : top - 1)) << (m - 1) | some;
	case 4: return sign | (draw() % top) << (m - 1) | some;
	case 5: return sign | (bias / 2 + draw() % (bias / 2)) << (m - 1) |
		       (draw() % 2 ? some : low(m - 1) - draw() % 3);
	case 6: return draw() % 4 ? sign | bias << (m - 1) : sign | top << (m - 1) | (draw() % 2 ? some : 0);
	default: return draw() % 3 ? sign : sign | (top - 1) << (m - 1) | some;
	}
}

/* ---- the comparison ---- */

static uint64_t expected(const struct dc_use *u, uint64_t a, uint64_t b, uint64_t c)
{
	const bool is_double = u->m == 53;
	const double x = value_of(u->e, u->m, a), y = value_of(u->e, u->m, b), z = value_of(u->e, u->m, c);
	double result = 0;
	uint64_t rows[ROW], roots[ROW];

	if (u->op == DC_OP_FRSQRT) {
		for (uint32_t i = 0; i < ROW; i++)
			rows[i] = a;
		dc_rsqrt64(rows, roots);
		return roots[0];
	}
	switch (u->op) {
	case DC_OP_FADD: result = x + y; break;
	case DC_OP_FMUL: result = x * y; break;
	case DC_OP_FMA: result = fma(x, y, z); break;
	case DC_OP_FDIV: result = x / y; break;
	default: result = sqrt(x); break;
	}
	return is_double ? bits_of(result) : nearest(u->e, u->m, result, DC_TO_NEAREST, false);
}

static void operate(const struct dc_use *u)
{
	switch (u->op) {
	case DC_OP_FADD: dc_serial_fadd(&serial, u, &gradual, D, A, B, T); break;
	case DC_OP_FMUL: dc_serial_fmul(&serial, u, &gradual, D, A, B, T); break;
	case DC_OP_FMA: dc_serial_fma(&serial, u, &gradual, D, A, B, C, T); break;
	case DC_OP_FDIV: dc_serial_fdiv(&serial, u, &gradual, D, A, B, T); break;
	case DC_OP_FSQRT: dc_serial_fsqrt(&serial, u, &gradual, D, A, T); break;
	case DC_OP_FRSQRT: dc_serial_frsqrt(&serial, u, &gradual, D, A, T); break;
	default: dc_serial_ftof(&serial, u, &gradual, D, A, T); break;
	}
}

static void put(const struct dc_use *u, uint32_t row, uint32_t bits, const uint64_t *values, bool is_kept)
{
	uint64_t lie[DC_COLUMNS];

	for (uint32_t i = 0; i < DC_COLUMNS; i++)
		lie[i] = is_kept ? dc_complement(u, values[i]) : values[i];
	dc_serial_put(&serial, row, bits, lie);
}

static void row_of(void *row, const uint64_t *values, bool is_wide)
{
	for (uint32_t i = 0; i < ROW; i++)
		if (is_wide)
			((uint64_t *)row)[i] = values[i];
		else
			((uint32_t *)row)[i] = (uint32_t)values[i];
}

/* What words say: facts, and whether some lane needs it again. */
static uint64_t word_cycles(const struct dc_use *u, uint32_t savings, uint64_t *const *of, const uint64_t *results,
			    bool *needs)
{
	_Alignas(64) uint64_t rows[4][ROW];
	const void *src[3] = {rows[0], rows[1], rows[2]};
	const bool from = u->e + u->m > 32;
	struct dc_facts facts;

	*needs = false;
	dc_facts_begin(&facts);
	for (uint32_t w = 0; w < DC_COLUMNS / ROW; w++) {
		const uint32_t mask = (uint32_t)(serial.guard.w[w / 2] >> w % 2 * ROW);

		for (uint32_t k = 0; k < 3; k++)
			row_of(rows[k], of[k] + w * ROW, from);
		row_of(rows[3], results + w * ROW, u->op == DC_OP_FLOAT_TO_FLOAT ? u->to_m == 53 : from);
		dc_facts_add(&facts, u, &gradual, src, mask);
		*needs = dc_gradual_needs(u, &gradual, src, rows[3], mask, 0) || *needs;
	}
	return dc_cycles(u, &gradual, savings, &facts) + (*needs ? dc_gradual_cycles(u, &gradual) : 0);
}

static bool is_no_number(const struct dc_use *u, uint64_t result)
{
	const bool converts = u->op == DC_OP_FLOAT_TO_FLOAT;

	return isnan(value_of(converts ? u->to_e : u->e, converts ? u->to_m : u->m, result));
}

static bool check(const struct dc_use *u, uint64_t *const *of, uint32_t savings, uint64_t guard)
{
	const bool converts = u->op == DC_OP_FLOAT_TO_FLOAT;
	const uint32_t from = u->e + u->m + 0u, to = converts ? u->to_e + u->to_m + 0u : from;
	static uint64_t d[DC_COLUMNS], want[DC_COLUMNS];
	bool needs;

	dc_serial_begin(&serial, savings);
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		serial.guard.w[i] = guard;
	put(u, A, from, of[0], u->kept & DC_KEPT_A);
	put(u, B, from, of[1], u->kept & DC_KEPT_B);
	put(u, C, from, of[2], u->kept & DC_KEPT_C);
	operate(u);
	dc_serial_get(&serial, D, to, d);
	for (uint32_t i = 0; i < DC_COLUMNS; i++) {
		if (dc_use_keeps_result(u))
			d[i] = dc_complement(u, d[i]);
		want[i] = converts ? nearest(u->to_e, u->to_m, value_of(u->e, u->m, of[0][i]),
					     (enum dc_direction)u->rounding, !dc_use_makes_denormals(u, &gradual))
				   : expected(u, of[0][i], of[1][i], of[2][i]);
		if (guard >> i % 64 & 1 && d[i] != want[i] && !(is_no_number(u, d[i]) && is_no_number(u, want[i])))
			fail_msg("%s e=%u m=%u to e=%u m=%u kept %u savings %x way %u: %llx %llx %llx: %llx, not %llx",
				 dc_op_name(u->op), u->e, u->m, u->to_e, u->to_m, u->kept, savings, u->rounding,
				 (unsigned long long)of[0][i], (unsigned long long)of[1][i],
				 (unsigned long long)of[2][i], (unsigned long long)d[i], (unsigned long long)want[i]);
	}
	const uint64_t words = word_cycles(u, savings, of, want, &needs);

	if (serial.cycles != words)
		fail_msg("%s e=%u m=%u to e=%u m=%u kept %u savings %x: %llu cycles, words say %llu (again: %d)",
			 dc_op_name(u->op), u->e, u->m, u->to_e, u->to_m, u->kept, savings,
			 (unsigned long long)serial.cycles, (unsigned long long)words, needs);
	return needs;
}

/* Sums of f16 whose addend is far away are none that a double holds exactly: smaller ones are drawn. */
static void draw_operands(const struct dc_use *u, uint64_t **of, uint32_t round)
{
	for (uint32_t i = 0; i < DC_COLUMNS; i++)
		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t kind = (uint32_t)(round < 8 ? round : draw());

			of[k][i] = round == 9 ? (draw() & low(u->m - 1u)) | (low(u->e - 1u) + draw() % 4) << (u->m - 1)
					      : draw_number(u->e, u->m, k ? kind + (uint32_t)(draw() % 4) : kind);
			const uint64_t field = of[k][i] >> 10 & 31;

			if (u->op == DC_OP_FMA && u->m == 11 && field > 18 && field < 31)
				of[k][i] &= ~(uint64_t)(16 << 10);
		}
}

static void check_use(struct dc_use u)
{
	static uint64_t a[DC_COLUMNS], b[DC_COLUMNS], c[DC_COLUMNS];
	uint64_t *of[] = {a, b, c};
	uint32_t again = 0, plain = 0;

	for (uint32_t round = 0; round < 20; round++) {
		const uint64_t guard = round % 3 ? ~0ull : 0x5a5a5a5a00ff00ffull;
		const uint32_t savings = round % 2 ? DC_SAVE_ALL : 0;

		draw_operands(&u, of, round);
		if (check(&u, of, savings, guard))
			again++;
		else
			plain++;
	}
	assert_true(again);
	/* Quotients, products and conversions of ordinary numbers are ordinary. */
	assert_true(plain);
}

static struct dc_use use_of(enum dc_op op, uint32_t e, uint32_t m, uint8_t kept)
{
	return (struct dc_use){.op = op, .n = (uint8_t)(e + m), .e = (uint8_t)e, .m = (uint8_t)m, .times = 1,
			       .kept = kept};
}

static void operations(void **state)
{
	static const enum dc_op ops[] = {DC_OP_FADD, DC_OP_FMUL, DC_OP_FMA, DC_OP_FDIV, DC_OP_FSQRT, DC_OP_FRSQRT};

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(ops); n++) {
		check_use(use_of(ops[n], 11, 53, 0));
		if (n < 3) /* f16 has no others */
			check_use(use_of(ops[n], 5, 11, 0));
	}
}

/* Operands and results in two's complement. */
static void kept_numbers(void **state)
{
	static const uint8_t ways[] = {DC_KEPT_A, DC_KEPT_B, DC_KEPT_A | DC_KEPT_B, DC_KEPT_RESULT,
				       DC_KEPT_A | DC_KEPT_RESULT, DC_KEPT_A | DC_KEPT_B | DC_KEPT_RESULT};
	static const uint8_t of_fma[] = {DC_KEPT_C, DC_KEPT_RESULT, DC_KEPT_C | DC_KEPT_RESULT};

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(ways); n++)
		check_use(use_of(DC_OP_FADD, 11, 53, ways[n]));
	for (uint32_t n = 0; n < G_N_ELEMENTS(of_fma); n++)
		check_use(use_of(DC_OP_FMA, 11, 53, of_fma[n]));
}

static void conversions(void **state)
{
	static const struct {
		uint8_t e, m, to_e, to_m;
	} formats[] = {{8, 24, 5, 11},  {11, 53, 5, 11}, {5, 11, 8, 24},
		       {5, 11, 11, 53}, {11, 53, 8, 24}, {8, 8, 5, 11}};

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(formats); n++)
		for (uint8_t way = 0; way < 4; way++) {
			struct dc_use u = use_of(DC_OP_FLOAT_TO_FLOAT, formats[n].e, formats[n].m, 0);
			static uint64_t a[DC_COLUMNS];
			uint64_t *of[] = {a, a, a};

			u.to_e = formats[n].to_e;
			u.to_m = formats[n].to_m;
			u.n = (uint8_t)MAX(u.e + u.m, u.to_e + u.to_m);
			u.rounding = way;
			for (uint32_t round = 0; round < 12; round++) {
				const uint64_t bias = low(u.e - 1u), near = bias - low(u.to_e - 1u);
				const uint64_t all = low(u.m - 1u), few = ~low(u.m / 2u) & all;

				for (uint32_t i = 0; i < DC_COLUMNS; i++) {
					a[i] = draw_number(u.e, u.m, round < 8 ? round : i);
					if (u.e > u.to_e && i % 2) /* at the end of the other format */
						a[i] = (draw() & 1) << (u.e + u.m - 1) |
						       (near - u.to_m + draw() % (u.to_m + 3)) << (u.m - 1) |
						       (draw() & (draw() % 2 ? all : few));
					if (!dc_use_takes_denormals(&u, &gradual) && !(a[i] >> (u.m - 1) & low(u.e)))
						a[i] &= 1ull << (u.e + u.m - 1); /* become zero before */
				}
				check(&u, of, round % 2 ? DC_SAVE_ALL : 0, round % 3 ? ~0ull : 0x5a5a5a5a00ff00ffull);
			}
		}
}

/* Where the arrays flush, nothing looks for denormals, and it costs nothing. */
static void flushing_is_free(void **state)
{
	const struct dc_arith flushes = {.cordic_iterations = 17, .flushes = true};
	const struct dc_use u = use_of(DC_OP_FADD, 11, 53, 0), single = use_of(DC_OP_FADD, 8, 24, 0);

	(void)state;
	assert_true(dc_base_cycles(&u, &flushes) < dc_base_cycles(&u, &gradual));
	assert_int_equal(dc_base_cycles(&single, &flushes), dc_base_cycles(&single, &gradual));
	assert_int_equal(dc_sense_cycles(&u, &flushes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(operations),
	    cmocka_unit_test(kept_numbers),
	    cmocka_unit_test(conversions),
	    cmocka_unit_test(flushing_is_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
