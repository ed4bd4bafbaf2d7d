/* test_float.c - floating point in the arrays: bit by bit against the host's arithmetic and the truncating formulas,
 * and cycle for cycle against what words say. */
#include <glib.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "dc/array/complement.h"
#include "dc/array/open.h"
#include "dc/array/newton.h"
#include "dc/array/serial.h"
#include "dc/array/truncate.h"
#include "dc/formulas.h"

enum { ROW = 32, A = 0, B = 64, D = 128, T = 192, FAR = 64 };

static uint64_t random_state = 7;
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

/* ---- numbers of any small format, exactly as doubles ---- */

static double value_of(const struct dc_use *u, uint64_t raw)
{
	const uint32_t f = u->m - 1u;
	const int64_t e = (int64_t)(raw >> f & low(u->e)), bias = (int64_t)low(u->e - 1u);
	const double sign = raw >> (f + u->e) & 1 ? -1 : 1;

	if (!e)
		return sign * 0.0;
	if (e == (int64_t)low(u->e))
		return raw & low(f) ? NAN : sign * INFINITY;
	return sign * ldexp((double)((raw & low(f)) | 1ull << f), (int)(e - bias - (int64_t)f));
}

/* The nearest, ties to even; denormal results are zero. x is exact. */
static uint64_t nearest(const struct dc_use *u, double x)
{
	const uint32_t f = u->m - 1u;
	const int64_t bias = (int64_t)low(u->e - 1u);
	const uint64_t sign = (uint64_t)(signbit(x) != 0) << (f + u->e);
	int exponent;
	double fraction;
	uint64_t mantissa;

	if (isnan(x))
		return low(f + u->e);
	if (isinf(x))
		return sign | low(u->e) << f;
	if (x == 0)
		return sign;
	fraction = frexp(fabs(x), &exponent);
	mantissa = (uint64_t)rint(ldexp(fraction, (int)u->m));
	if (mantissa >> u->m) {
		mantissa >>= 1;
		exponent++;
	}
	if (exponent - 1 + bias <= 0)
		return sign;
	if (exponent - 1 + bias >= (int64_t)low(u->e))
		return sign | low(u->e) << f;
	return sign | (uint64_t)(exponent - 1 + bias) << f | (mantissa & low(f));
}

static uint64_t expected(const struct dc_use *u, bool is_truncated, uint64_t a, uint64_t b)
{
	const double x = value_of(u, a), y = value_of(u, b);

	if (is_truncated)
		return u->op == DC_OP_FMUL ? dc_truncated_mul(u, a, b) : dc_truncated_add(u, a, b);
	if (u->m == 24 && u->op == DC_OP_FADD) { /* a double does not hold the sum */
		const float sum = (float)x + (float)y;

		return nearest(u, fabsf(sum) < 0x1p-126f ? copysign(0, (double)sum) : (double)sum);
	}
	return nearest(u, u->op == DC_OP_FMUL ? x * y : x + y);
}

/* ---- the comparison ---- */

static uint64_t word_cycles(const struct dc_use *use, const struct dc_arith *arith, uint32_t savings,
			    const uint64_t *const *of)
{
	_Alignas(64) uint64_t rows[3][ROW];
	const void *src[3] = {rows[0], rows[1], rows[2]};
	const bool is_wide = (use->op == DC_OP_INT_TO_FLOAT ? use->bits : use->n) > 32;
	struct dc_facts facts;

	dc_facts_begin(&facts);
	for (uint32_t w = 0; w < DC_COLUMNS / ROW; w++) {
		for (uint32_t k = 0; k < 3; k++)
			for (uint32_t i = 0; i < ROW; i++) {
				if (is_wide)
					rows[k][i] = of[k][w * ROW + i];
				else
					((uint32_t *)rows[k])[i] = (uint32_t)of[k][w * ROW + i];
			}
		dc_facts_add(&facts, use, arith, src, (uint32_t)(serial.guard.w[w / 2] >> w % 2 * ROW));
	}
	return dc_cycles(use, arith, savings, &facts);
}

/* Numbers as they lie in the rows: in two's complement where the operation takes or makes such. */
static void put_kept(const struct dc_use *use, bool is_kept, uint32_t row, const uint64_t *values)
{
	uint64_t lie[DC_COLUMNS];

	for (uint32_t i = 0; i < DC_COLUMNS; i++)
		lie[i] = is_kept ? dc_complement(use, values[i]) : values[i];
	dc_serial_put(&serial, row, use->n, lie);
}

static void get_kept(const struct dc_use *use, uint32_t row, uint64_t *values)
{
	dc_serial_get(&serial, row, use->n, values);
	for (uint32_t i = 0; i < DC_COLUMNS && dc_use_keeps_result(use); i++)
		values[i] = dc_complement(use, values[i]);
}

/* Two's complement in and out, for each of the ways of `kept`: conversions that are left out change no result. */
static void check_as(const struct dc_use *use, const uint64_t *a, const uint64_t *b, uint64_t guard)
{
	static const uint32_t savings[] = {0, DC_SAVE_ALL, 1u << DC_SAVE_DIFFERENCES, 1u << DC_SAVE_SIGNS,
					   1u << DC_SAVE_PARTIAL_PRODUCTS};
	static uint64_t d[DC_COLUMNS];

	for (uint32_t k = 0; k < 2 * G_N_ELEMENTS(savings); k++) {
		const struct dc_arith arith = {.cordic_iterations = 17, .is_truncated = k % 2, .flushes = true};
		const uint32_t which = savings[k / 2];

		if (use->kept && arith.is_truncated)
			continue;
		dc_serial_begin(&serial, which);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			serial.guard.w[i] = guard;
		put_kept(use, use->kept & DC_KEPT_A, A, a);
		put_kept(use, use->kept & DC_KEPT_B, B, b);
		if (use->op == DC_OP_FADD)
			dc_serial_fadd(&serial, use, &arith, D, A, B, T);
		else
			dc_serial_fmul(&serial, use, &arith, D, A, B, T);
		get_kept(use, D, d);
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t e = guard >> i % 64 & 1 ? expected(use, arith.is_truncated, a[i], b[i]) : 0;

			if (d[i] != e)
				fail_msg("%s e=%u m=%u kept=%x truncated=%d savings=%x: %llx, %llx: %llx, expected "
					 "%llx",
					 dc_op_name(use->op), use->e, use->m, use->kept, arith.is_truncated, which,
					 (unsigned long long)a[i], (unsigned long long)b[i], (unsigned long long)d[i],
					 (unsigned long long)e);
		}
		if (!which)
			assert_int_equal(serial.cycles, dc_base_cycles(use, &arith));
		if (serial.cycles != word_cycles(use, &arith, which, (const uint64_t *[]){a, b, b}))
			fail_msg("%s e=%u m=%u kept=%x truncated=%d savings=%x: %llu cycles bit by bit, %llu by words",
				 dc_op_name(use->op), use->e, use->m, use->kept, arith.is_truncated, which,
				 (unsigned long long)serial.cycles,
				 (unsigned long long)word_cycles(use, &arith, which, (const uint64_t *[]){a, b, b}));
	}
}

static void check(const struct dc_use *use, const uint64_t *a, const uint64_t *b, uint64_t guard)
{
	static const uint8_t kept[] = {0, DC_KEPT_A, DC_KEPT_B, DC_KEPT_A | DC_KEPT_B, DC_KEPT_RESULT,
				       DC_KEPT_A | DC_KEPT_RESULT, DC_KEPT_B | DC_KEPT_RESULT,
				       DC_KEPT_A | DC_KEPT_B | DC_KEPT_RESULT};

	for (uint32_t k = 0; k < (use->op == DC_OP_FADD ? G_N_ELEMENTS(kept) : 1); k++) {
		struct dc_use as = *use;

		as.kept = kept[k];
		check_as(&as, a, b, guard);
	}
}

static void exhaustive(enum dc_op op, uint32_t e, uint32_t m)
{
	const struct dc_use use = {.op = op, .n = (uint8_t)(e + m), .e = (uint8_t)e, .m = (uint8_t)m, .times = 1};
	static uint64_t a[DC_COLUMNS], b[DC_COLUMNS];

	for (uint64_t first = 0; first < 1ull << 2 * use.n; first += DC_COLUMNS) {
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			a[i] = (first + i) & low(use.n);
			b[i] = (first + i) >> use.n;
		}
		check(&use, a, b, ~0ull);
	}
}

static void test_small_formats(void **state)
{
	(void)state;
	exhaustive(DC_OP_FADD, 3, 4);
	exhaustive(DC_OP_FADD, 4, 3);
	exhaustive(DC_OP_FMUL, 3, 4);
}

/* What the product's flush and the host's denormals would disagree about: a result that rounds up to the least normal.
 */
static bool is_at_edge(uint64_t a, uint64_t b)
{
	float x, y;
	const uint32_t p = (uint32_t)a, q = (uint32_t)b;

	memcpy(&x, &p, sizeof(x));
	memcpy(&y, &q, sizeof(y));
	return fabs((double)x * y) < 0x1p-125 && fabs((double)x * y) > 0x1p-127;
}

static void sampled(enum dc_op op, uint32_t e, uint32_t m)
{
	static const uint32_t corners[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
					   0x7fc00000, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x00000001,
					   0x33800000, 0x4b800000, 0x4b7fffff, 0x3f7fffff};
	const struct dc_use use = {.op = op, .n = (uint8_t)(e + m), .e = (uint8_t)e, .m = (uint8_t)m, .times = 1};
	static uint64_t a[DC_COLUMNS], b[DC_COLUMNS];

	for (uint32_t round = 0; round < 24; round++) {
		const uint32_t spread = round % 6 * 5;

		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t exponent = low(e - 1u) + draw() % (spread + 1);

			a[i] =
			    round ? (draw() & low(m - 1u)) | exponent << (m - 1) | (draw() & 1) << (e + m - 1) : draw();
			b[i] = round ? (draw() & low(m - 1u)) | low(e - 1u) << (m - 1) | (draw() & 1) << (e + m - 1)
				     : draw();
			if (round == 1 && m == 24) {
				a[i] = corners[i % G_N_ELEMENTS(corners)];
				b[i] = corners[i / G_N_ELEMENTS(corners) % G_N_ELEMENTS(corners)];
			}
			a[i] &= low(use.n);
			b[i] &= low(use.n);
			if (op == DC_OP_FMUL && m == 24 && is_at_edge(a[i], b[i]))
				a[i] = 0;
		}
		check(&use, a, b, round % 3 == 2 ? draw() | 1 : ~0ull);
	}
}

static void test_samples(void **state)
{
	(void)state;
	sampled(DC_OP_FADD, 8, 24);
	sampled(DC_OP_FADD, 5, 11);
	sampled(DC_OP_FADD, 11, 53);
	sampled(DC_OP_FMUL, 8, 24);
	sampled(DC_OP_FMUL, 8, 8);
}

/* Conversions of their own, there and back, whatever the bits are: the cycles are those of words. */
static void test_conversions(void **state)
{
	static const struct dc_use uses[] = {
	    {.op = DC_OP_COMPLEMENT, .n = 7, .e = 3, .m = 4, .times = 1},
	    {.op = DC_OP_COMPLEMENT, .n = 32, .e = 8, .m = 24, .times = 1},
	    {.op = DC_OP_COMPLEMENT, .n = 64, .e = 11, .m = 53, .times = 1},
	};
	const struct dc_arith arith = {.cordic_iterations = 17, .flushes = true};
	static uint64_t a[DC_COLUMNS], d[DC_COLUMNS];

	(void)state;
	for (uint32_t k = 0; k < 16 * G_N_ELEMENTS(uses); k++) {
		const struct dc_use *use = &uses[k % G_N_ELEMENTS(uses)];

		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t sign = draw() & 1, fraction = draw() % 4 ? draw() & low(use->m - 1u) : 0;

			a[i] = use->n == 7 ? i & low(7)
					   : sign << (use->n - 1) | (draw() & low(use->e)) << (use->m - 1) | fraction;
		}
		dc_serial_begin(&serial, k % 2 ? DC_SAVE_ALL : 0);
		dc_serial_put(&serial, A, use->n, a);
		dc_serial_complement(&serial, use, D, A);
		assert_int_equal(serial.cycles, dc_base_cycles(use, &arith));
		dc_serial_get(&serial, D, use->n, d);
		for (uint32_t i = 0; i < DC_COLUMNS; i++)
			assert_true(d[i] == dc_complement(use, a[i]));
		dc_serial_complement(&serial, use, B, D);
		dc_serial_get(&serial, B, use->n, d);
		assert_memory_equal(a, d, sizeof(a));
	}
}

/* ---- open numbers ---- */

static uint64_t open_expected(const struct dc_use *use, uint64_t a, uint64_t b)
{
	if (use->op == DC_OP_FADD)
		return dc_open_add(use, a, b);
	return dc_use_keeps_result(use) ? dc_open_of(use, a) : dc_open_to(use, a);
}

static void check_open(const struct dc_use *use, const uint64_t *a, const uint64_t *b, uint64_t guard)
{
	static const uint32_t savings[] = {0, DC_SAVE_ALL, 1u << DC_SAVE_DIFFERENCES, 1u << DC_SAVE_SIGNS};
	const struct dc_arith arith = {.cordic_iterations = 17, .flushes = true};
	static uint64_t d[DC_COLUMNS];

	for (uint32_t k = 0; k < G_N_ELEMENTS(savings); k++) {
		dc_serial_begin(&serial, savings[k]);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			serial.guard.w[i] = guard;
		dc_serial_put(&serial, A, use->n, a);
		dc_serial_put(&serial, B, use->n, b);
		if (use->op == DC_OP_FADD)
			dc_serial_open_add(&serial, use, D, A, B, T);
		else
			dc_serial_open(&serial, use, D, A, T);
		dc_serial_get(&serial, D, use->n, d);
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t e = guard >> i % 64 & 1 ? open_expected(use, a[i], b[i]) : 0;

			if (d[i] != e)
				fail_msg("open %s e=%u m=%u kept=%x savings=%x: %llx, %llx: %llx, expected %llx",
					 dc_op_name(use->op), use->e, use->m, use->kept, savings[k],
					 (unsigned long long)a[i], (unsigned long long)b[i], (unsigned long long)d[i],
					 (unsigned long long)e);
		}
		if (!savings[k])
			assert_int_equal(serial.cycles, dc_base_cycles(use, &arith));
		const uint64_t words = word_cycles(use, &arith, savings[k], (const uint64_t *[]){a, b, b});

		if (serial.cycles != words)
			fail_msg("open %s e=%u m=%u kept=%x savings=%x: %llu cycles bit by bit, %llu by words",
				 dc_op_name(use->op), use->e, use->m, use->kept, savings[k],
				 (unsigned long long)serial.cycles, (unsigned long long)words);
	}
}

/* Additions with each of operands and result open or not, and conversions both ways. */
static void check_opens(uint32_t e, uint32_t m, const uint64_t *a, const uint64_t *b, uint64_t guard)
{
	static const uint8_t kept[] = {DC_KEPT_A, DC_KEPT_B, DC_KEPT_A | DC_KEPT_B, DC_KEPT_RESULT,
				       DC_KEPT_A | DC_KEPT_RESULT, DC_KEPT_B | DC_KEPT_RESULT,
				       DC_KEPT_A | DC_KEPT_B | DC_KEPT_RESULT};
	struct dc_use use = {.n = (uint8_t)(e + m), .e = (uint8_t)e, .m = (uint8_t)m, .times = 1};

	for (uint32_t k = 0; k < G_N_ELEMENTS(kept); k++) {
		use.op = DC_OP_FADD;
		use.kept = kept[k] | DC_KEPT_OPEN;
		check_open(&use, a, b, guard);
		use.op = DC_OP_COMPLEMENT;
		if (kept[k] == DC_KEPT_A || kept[k] == DC_KEPT_RESULT)
			check_open(&use, a, b, guard);
	}
}

static void test_open_numbers(void **state)
{
	static uint64_t a[DC_COLUMNS], b[DC_COLUMNS];

	(void)state;
	for (uint64_t first = 0; first < 1u << 14; first += DC_COLUMNS) {
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			a[i] = (first + i) & low(7);
			b[i] = (first + i) >> 7;
		}
		check_opens(3, 4, a, b, ~0ull);
	}
	for (uint32_t round = 0; round < 24; round++) {
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t near = low(7) + draw() % (round + 1);

			a[i] = round ? (draw() & low(23)) | near << 23 | (draw() & 1) << 31 : draw() & low(32);
			b[i] = round ? (draw() & low(23)) | low(7) << 23 | (draw() & 1) << 31 : draw() & low(32);
		}
		check_opens(8, 24, a, b, round % 3 == 2 ? draw() | 1 : ~0ull);
	}
	for (uint32_t round = 0; round < 8; round++) {
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t near = low(10) + draw() % (8 * round + 1);

			a[i] = round ? (draw() & low(52)) | near << 52 | (draw() & 1) << 63 : draw();
			b[i] = round ? (draw() & low(52)) | low(10) << 52 | (draw() & 1) << 63 : draw();
		}
		check_opens(11, 53, a, b, round % 3 == 2 ? draw() | 1 : ~0ull);
	}
}

/* Sums of small integers are exact, and what has been open is again the number that it was, its last bit cut. */
static void test_open_values(void **state)
{
	const struct dc_use use = {.op = DC_OP_FADD, .n = 32, .e = 8, .m = 24, .times = 1,
				   .kept = DC_KEPT_OPEN | DC_KEPT_OPERANDS | DC_KEPT_RESULT};

	(void)state;
	for (uint32_t n = 0; n < 10000; n++) {
		const float x = (float)((int32_t)(draw() % 100000) - 50000);
		const float y = (float)((int32_t)(draw() % 100000) - 50000);
		const float sum = x + y;
		uint32_t p, q, got;
		float result;

		memcpy(&p, &x, sizeof(p));
		memcpy(&q, &y, sizeof(q));
		got = (uint32_t)dc_open_to(&use, dc_open_add(&use, dc_open_of(&use, p), dc_open_of(&use, q)));
		memcpy(&result, &got, sizeof(result));
		assert_true(result == sum);
		p = (uint32_t)(draw() & low(23)) | (1 + (uint32_t)(draw() % 254)) << 23;
		assert_int_equal(dc_open_to(&use, dc_open_of(&use, p)), p & ~1u);
	}
}

/* What an open number is, exactly. */
static double open_value(const struct dc_use *u, uint64_t raw)
{
	const int64_t e = (int64_t)(raw >> (u->m - 1) & low(u->e)), bias = (int64_t)low(u->e - 1u);
	const int64_t sign = raw >> (u->n - 1) & 1 ? (int64_t)1 << (u->m - 1) : 0;

	return ldexp((double)((int64_t)(raw & low(u->m - 1u)) - sign), (int)(e - bias - u->m + 2));
}

static double step_of(const struct dc_use *u, int64_t exponent)
{
	return ldexp(1, (int)(exponent - (int64_t)low(u->e - 1u) - u->m + 2));
}

/* Of all pairs of a format: a sum is the exact one or less, by less than a step of the larger exponent, or two where it
 * has overflowed; it has that exponent, or one more. What conversions make is the number, or less by less than a step.
 */
static void test_all_open_values(void **state)
{
	const struct dc_use u = {.op = DC_OP_FADD, .n = 8, .e = 4, .m = 4, .times = 1,
				 .kept = DC_KEPT_OPEN | DC_KEPT_OPERANDS | DC_KEPT_RESULT};
	const int64_t top = (int64_t)low(u.e), most = (int64_t)low(u.m - 1u);

	(void)state;
	for (uint64_t pair = 0; pair < 1ull << 16; pair++) {
		const uint64_t a = pair & low(8), b = pair >> 8, sum = dc_open_add(&u, a, b);
		const int64_t ea = (int64_t)(a >> 3 & low(4)), eb = (int64_t)(b >> 3 & low(4)),
			      es = (int64_t)(sum >> 3 & low(4)), larger = ea > eb ? ea : eb;
		const double exact = open_value(&u, a) + open_value(&u, b), step = step_of(&u, larger);
		const double least = floor(exact / step);
		const bool overflows = least > (double)most || least < (double)(-most - 1);
		const double less = exact - open_value(&u, sum);

		if (larger == top)
			continue;
		assert_int_equal(es, larger + overflows);
		if (es == top)
			assert_true((sum >> 7 & 1) == (exact < 0) && (sum & low(3)) == 4);
		else
			assert_true(less >= 0 && less < (overflows ? 2 : 1) * step);
	}
	for (uint64_t a = 0; a < 1ull << 8; a++) {
		const int64_t e = (int64_t)(a >> 3 & low(4));
		const double x = value_of(&u, a), open = open_value(&u, a);
		const double made = open_value(&u, dc_open_of(&u, a)), back = value_of(&u, dc_open_to(&u, a));

		if (e == top)
			continue;
		assert_true(x - made >= 0 && x - made < step_of(&u, e));
		if (fabs(open) < ldexp(1, 1 - (int)low(3)))
			assert_true(back == 0);
		else if (fabs(open) < ldexp(1, 8))
			assert_true(back == open);
		else
			assert_true(back == copysign(INFINITY, open));
	}
}

/* Infinity keeps its sign whatever finite number is added, and no number is one of all ways. */
static void test_open_ends(void **state)
{
	const struct dc_use u = {.op = DC_OP_FADD, .n = 8, .e = 4, .m = 4, .times = 1,
				 .kept = DC_KEPT_OPEN | DC_KEPT_OPERANDS | DC_KEPT_RESULT};
	const uint64_t infinity = 0x7c, contrary = 0xfc, nan = 0x7f;

	(void)state;
	assert_int_equal(dc_open_of(&u, 0x78), infinity);
	assert_int_equal(dc_open_of(&u, 0xf8), contrary);
	assert_int_equal(dc_open_to(&u, infinity), 0x78);
	assert_int_equal(dc_open_to(&u, contrary), 0xf8);
	for (uint64_t f = 1; f < 8; f++) {
		assert_int_equal(dc_open_of(&u, 0x78 | f), nan);
		assert_int_equal(dc_open_of(&u, 0xf8 | f), nan);
	}
	assert_int_equal(dc_open_to(&u, nan), nan);
	assert_int_equal(dc_open_of(&u, 0x80), 0); /* zero has one sign, and what is denormal is zero */
	assert_int_equal(dc_open_of(&u, 0x83), 0);
	for (uint64_t a = 0; a < 1ull << 8; a++) {
		if ((a >> 3 & 15) == 15)
			continue;
		assert_int_equal(dc_open_add(&u, infinity, a), infinity);
		assert_int_equal(dc_open_add(&u, a, contrary), contrary);
		assert_int_equal(dc_open_add(&u, nan, a), nan);
	}
	assert_int_equal(dc_open_add(&u, infinity, infinity), infinity);
	assert_int_equal(dc_open_add(&u, contrary, contrary), contrary);
	assert_int_equal(dc_open_add(&u, infinity, contrary), nan);
}

/* Every difference, and every place that a sum's leading one can be at, in some lane: as with the saving off, but for
 * the search of the longest difference. A sum's leading one is never in the last guard row: that place alone is saved.
 */
static void test_nothing_to_save(void **state)
{
	const struct dc_use use = {.op = DC_OP_FADD, .n = 32, .e = 8, .m = 24, .times = 1};
	const struct dc_arith arith = {.cordic_iterations = 17, .flushes = true};
	static uint64_t a[DC_COLUMNS], b[DC_COLUMNS];

	(void)state;
	for (uint32_t i = 0; i < DC_COLUMNS; i++) {
		const uint32_t k = i % 32;

		a[i] = 0x3f800000;
		if (i & 64) /* 1 + 2^-k and, swapped, 2^k + 1 */
			b[i] = (i & 128 ? 127 - k : 127 + k) << 23;
		else if (k < 23) /* 1 - (1 + 2^(k - 23)) */
			b[i] = 0xbf800000 | 1u << k;
		else /* 1 - (1 - 2^-24) */
			b[i] = 0xbf7fffff;
	}
	dc_serial_begin(&serial, DC_SAVE_ALL);
	dc_serial_put(&serial, A, 32, a);
	dc_serial_put(&serial, B, 32, b);
	dc_serial_fadd(&serial, &use, &arith, D, A, B, T);
	assert_int_equal(serial.cycles, dc_base_cycles(&use, &arith) + DC_LOG2(8) + 1 - (1 + DC_NORMALISE(8, 24, 1)));
}

/* ---- fused multiply-add ---- */

/* v times 2^scale, to the nearest number; denormal results are zero. */
static uint64_t nearest_fixed(const struct dc_use *u, __int128 v, int64_t scale, bool is_zero_negative)
{
	const uint32_t f = u->m - 1u;
	const uint64_t sign = (uint64_t)(v ? v < 0 : is_zero_negative) << (f + u->e);
	unsigned __int128 x = (unsigned __int128)(v < 0 ? -v : v);
	int64_t exponent = (int64_t)low(u->e - 1u) + f + scale;
	uint32_t bits = 0;

	if (!v)
		return sign;
	while (x >> bits)
		bits++;
	exponent += (int64_t)bits - u->m;
	if (bits > u->m) {
		const uint32_t out = bits - u->m;
		const unsigned __int128 one = 1, rest = x & ((one << out) - 1), half = one << (out - 1);

		x >>= out;
		x += rest > half || (rest == half && x & 1);
	} else {
		x <<= u->m - bits;
	}
	if (x >> u->m) {
		x >>= 1;
		exponent++;
	}
	if (exponent <= 0)
		return sign;
	return exponent >= (int64_t)low(u->e) ? sign | low(u->e) << f
					      : sign | (uint64_t)exponent << f | ((uint64_t)x & low(f));
}

/* A finite number as an integer times 2^*scale. */
static __int128 integer_of(const struct dc_use *u, uint64_t raw, int64_t *scale)
{
	const uint32_t f = u->m - 1u;
	const uint64_t e = raw >> f & low(u->e), mantissa = e ? (raw & low(f)) | 1ull << f : 0;

	*scale = (int64_t)e - (int64_t)low(u->e - 1u) - f;
	return raw >> (f + u->e) & 1 ? -(__int128)mantissa : (__int128)mantissa;
}

/* Of formats whose products are 22 bits at most; larger ones are the host's. */
static uint64_t fma_wanted(const struct dc_use *u, uint64_t a, uint64_t b, uint64_t c)
{
	const double x = value_of(u, a), y = value_of(u, b), z = value_of(u, c), about = x * y + z;
	const bool are_negative = (a ^ b) >> (u->n - 1) & c >> (u->n - 1) & 1;
	int64_t scale_a, scale_b, scale_c, least;
	__int128 product, addend;

	if (u->m == 53)
		return nearest(u, fma(x, y, z));
	if (isnan(about) || isinf(x) || isinf(y) || isinf(z))
		return nearest(u, about);
	if (u->m == 24) {
		const float sum = fmaf((float)x, (float)y, (float)z);

		return nearest(u, fabsf(sum) < 0x1p-126f ? copysign(0, (double)sum) : (double)sum);
	}
	product = integer_of(u, a, &scale_a) * integer_of(u, b, &scale_b);
	addend = integer_of(u, c, &scale_c);
	scale_a += scale_b;
	/* What is far below the other counts by its sign alone. */
	if (product && addend && scale_a > scale_c + FAR) {
		addend = addend < 0 ? -1 : 1;
		scale_c = scale_a - FAR;
	} else if (product && addend && scale_c > scale_a + FAR) {
		product = product < 0 ? -1 : 1;
		scale_a = scale_c - FAR;
	}
	least = !addend || (product && scale_a < scale_c) ? scale_a : scale_c;
	product = product ? product << (scale_a - least) : 0;
	addend = addend ? addend << (scale_c - least) : 0;
	return nearest_fixed(u, product + addend, least, are_negative);
}

/* Host and array flush what rounds up to the least normal number otherwise. */
static bool is_least(const struct dc_use *u, uint64_t x, uint64_t y)
{
	const uint64_t least = 1ull << (u->m - 1), all = low(u->n - 1u);

	return (x & all) + (y & all) == least && (!(x & all) || !(y & all));
}

static void check_fma_as(const struct dc_use *use, const uint64_t *const *of, uint64_t guard)
{
	static const uint32_t savings[] = {0, DC_SAVE_ALL, 1u << DC_SAVE_DIFFERENCES, 1u << DC_SAVE_SIGNS,
					   1u << DC_SAVE_PARTIAL_PRODUCTS};
	static uint64_t d[DC_COLUMNS];

	for (uint32_t k = 0; k < 2 * G_N_ELEMENTS(savings); k++) {
		const struct dc_arith arith = {.cordic_iterations = 17, .is_truncated = k % 2, .flushes = true};

		if (use->kept && arith.is_truncated)
			continue;
		dc_serial_begin(&serial, savings[k / 2]);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			serial.guard.w[i] = guard;
		for (uint32_t n = 0; n < 3; n++)
			put_kept(use, use->kept >> n & 1, 64 * n, of[n]);
		dc_serial_fma(&serial, use, &arith, 192, 0, 64, 128, 330);
		get_kept(use, 192, d);
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t a = of[0][i], b = of[1][i], c = of[2][i];
			const uint64_t e =
			    arith.is_truncated ? dc_truncated_fma(use, a, b, c) : fma_wanted(use, a, b, c);

			if (guard >> i % 64 & 1 && d[i] != e && (arith.is_truncated || !is_least(use, d[i], e)))
				fail_msg("fma e=%u m=%u kept=%x truncated=%d savings=%x: %llx, %llx, %llx: %llx, "
					 "expected %llx",
					 use->e, use->m, use->kept, arith.is_truncated, savings[k / 2],
					 (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
					 (unsigned long long)d[i], (unsigned long long)e);
		}
		if (!savings[k / 2])
			assert_int_equal(serial.cycles, dc_base_cycles(use, &arith));
		assert_int_equal(serial.cycles, word_cycles(use, &arith, savings[k / 2], of));
	}
}

static void check_fma(const struct dc_use *use, const uint64_t *const *of, uint64_t guard)
{
	static const uint8_t kept[] = {0, DC_KEPT_C, DC_KEPT_RESULT, DC_KEPT_C | DC_KEPT_RESULT};

	for (uint32_t k = 0; k < G_N_ELEMENTS(kept); k++) {
		struct dc_use as = *use;

		as.kept = kept[k];
		check_fma_as(&as, of, guard);
	}
}

/* A number near one, or far from it, or any; corners: zero, infinity, no number, the least, the greatest. */
static uint64_t draw_number(const struct dc_use *u, uint32_t round)
{
	const uint32_t f = u->m - 1u;
	const uint64_t sign = (draw() & 1) << (u->n - 1), spread = round % 5 * 4;
	const uint64_t corners[] = {0, low(u->e) << f, low(u->e) << f | 1, 1ull << f, (low(u->e) << f) - 1, 1};

	if (round == 1 || draw() % 64 == 0)
		return sign | corners[draw() % G_N_ELEMENTS(corners)];
	if (round % 5 == 0)
		return sign | (draw() & low(u->n - 1u));
	return sign | (low(u->e - 1u) - spread / 2 + draw() % (spread + 1)) << f |
	       (draw() & low(f) & (round % 3 ? ~0ull : low(f) << f / 2));
}

static void test_fma(void **state)
{
	static const struct {
		uint8_t e, m;
	} formats[] = {{5, 8}, {6, 6}, {5, 11}, {8, 8}, {8, 24}, {11, 53}};
	static uint64_t of[3][DC_COLUMNS];

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(formats); n++) {
		const uint8_t e = formats[n].e, m = formats[n].m;
		const struct dc_use u = {.op = DC_OP_FMA, .n = (uint8_t)(e + m), .e = e, .m = m, .times = 1};

		for (uint32_t round = 0; round < 20; round++) {
			for (uint32_t i = 0; i < DC_COLUMNS; i++) {
				for (uint32_t k = 0; k < 3; k++)
					of[k][i] = draw_number(&u, round);
				/* The product's contrary, or nearly: what is left is what the product is rounded by. */
				if (i % 4 == 0 && round % 5)
					of[2][i] = dc_truncated_mul(&u, of[0][i], of[1][i]) ^ 1ull << (u.n - 1) ^
						   (i % 8 ? draw() & 3 : 0);
			}
			check_fma(&u, (const uint64_t *[]){of[0], of[1], of[2]}, round % 4 == 2 ? draw() | 1 : ~0ull);
		}
	}
}

/* ---- routines whose time does not depend on values ---- */

/* With denormal numbers as what they are. */
static double whole_value(const struct dc_use *u, uint64_t raw)
{
	const uint32_t f = u->m - 1u;

	if (raw >> f & low(u->e))
		return value_of(u, raw);
	return (raw >> (f + u->e) & 1 ? -1 : 1) * ldexp((double)(raw & low(f)), 1 - (int)low(u->e - 1u) - (int)f);
}

/* minimum and maximum of numbers: -0 is below 0 */
static bool is_below(const struct dc_use *u, uint64_t a, uint64_t b)
{
	const double x = whole_value(u, a), y = whole_value(u, b);

	return x < y || (x == y && signbit(x) && !signbit(y));
}

static bool holds(enum ptx_cmp cmp, double x, double y)
{
	switch (cmp) {
	case PTX_EQ: return x == y;
	case PTX_NE: return x < y || x > y;
	case PTX_LT: return x < y;
	case PTX_LE: return x <= y;
	case PTX_GT: return x > y;
	case PTX_GE: return x >= y;
	case PTX_EQU: return !(x < y || x > y);
	case PTX_NEU: return x != y;
	case PTX_LTU: return !(x >= y);
	case PTX_LEU: return !(x > y);
	case PTX_GTU: return !(x <= y);
	case PTX_GEU: return !(x < y);
	case PTX_NUM: return !isnan(x) && !isnan(y);
	default: return isnan(x) || isnan(y);
	}
}

static uint64_t wanted(const struct dc_use *u, uint32_t variant, bool is_truncated, uint64_t a, uint64_t b)
{
	const double x = whole_value(u, a), y = whole_value(u, b);

	switch (u->op) {
	case DC_OP_FDIV:
		return is_truncated ? dc_truncated_div(u, a, b) : nearest(u, value_of(u, a) / value_of(u, b));
	case DC_OP_FSQRT: return nearest(u, sqrt(value_of(u, a)));
	case DC_OP_FMINMAX:
		if (isnan(x) && isnan(y))
			return low(u->n - 1u);
		if (isnan(x) || isnan(y))
			return isnan(x) ? b : a;
		return is_below(u, a, b) != variant ? a : b;
	case DC_OP_FSIGN:
		return (a & low(u->n - 1u)) |
		       (variant == DC_SIGN_NONE	  ? 0
			: variant == DC_SIGN_SAME ? b & ~low(u->n - 1u)
						  : ~b & low(u->n) & ~low(u->n - 1u));
	default: break;
	}
	return holds((enum ptx_cmp)variant, x, y);
}

static void do_routine(const struct dc_use *u, const struct dc_arith *arith, uint32_t variant)
{
	switch (u->op) {
	case DC_OP_FDIV: dc_serial_fdiv(&serial, u, arith, D, A, B, T); break;
	case DC_OP_FSQRT: dc_serial_fsqrt(&serial, u, arith, D, A, T); break;
	case DC_OP_FMINMAX: dc_serial_fminmax(&serial, u, variant, D, A, B, T); break;
	case DC_OP_FSIGN: dc_serial_fsign(&serial, u, (enum dc_sign)variant, D, A, B); break;
	default: dc_serial_fcompare(&serial, u, (enum ptx_cmp)variant, D, A, B, T); break;
	}
}

static void check_with(const struct dc_use *u, uint32_t variant, const uint64_t *a, const uint64_t *b, uint64_t guard,
		       uint32_t savings)
{
	static uint64_t d[DC_COLUMNS];

	for (uint32_t truncated = 0; truncated < (u->op == DC_OP_FDIV ? 2 : 1); truncated++) {
		const struct dc_arith arith = {.cordic_iterations = 17, .is_truncated = truncated, .flushes = true};

		dc_serial_begin(&serial, savings);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			serial.guard.w[i] = guard;
		dc_serial_put(&serial, A, u->n, a);
		dc_serial_put(&serial, B, u->n, b);
		do_routine(u, &arith, variant);
		dc_serial_get(&serial, D, u->op == DC_OP_FCOMPARE ? 1 : u->n, d);
		if (!savings || !dc_has_facts(u->op))
			assert_int_equal(serial.cycles, dc_base_cycles(u, &arith));
		if (dc_has_facts(u->op))
			assert_int_equal(serial.cycles,
					 word_cycles(u, &arith, savings, (const uint64_t *[]){a, b, b}));
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t e = wanted(u, variant, truncated, a[i], b[i]);

			if (d[i] != e && guard >> i % 64 & 1)
				fail_msg("%s %u e=%u m=%u truncated=%u: %llx, %llx: %llx, expected %llx",
					 dc_op_name(u->op), variant, u->e, u->m, truncated, (unsigned long long)a[i],
					 (unsigned long long)b[i], (unsigned long long)d[i], (unsigned long long)e);
		}
	}
}

static void check_routine(const struct dc_use *u, uint32_t variant, const uint64_t *a, const uint64_t *b)
{
	static const uint32_t each[] = {DC_SAVE_ALL, 0, 1u << DC_SAVE_ZERO_RESIDUES, 1u << DC_SAVE_LEADING_ZEROS};

	for (uint32_t k = 0; k < (dc_has_facts(u->op) ? G_N_ELEMENTS(each) : 1); k++)
		check_with(u, variant, a, b, ~0ull, each[k]);
}

/* Mantissas of which all have rows of zeros, quotients and roots that end, in some rounds of all lanes. Zeros, and what
 * is divided by them, among them. */
static void check_short(enum dc_op op, uint32_t e, uint32_t m)
{
	const struct dc_use u = {.op = op, .n = (uint8_t)(e + m), .e = (uint8_t)e, .m = (uint8_t)m, .times = 1};
	const struct dc_arith arith = {.flushes = true};
	static uint64_t a[DC_COLUMNS], b[DC_COLUMNS];
	uint64_t least = UINT64_MAX;

	for (uint32_t round = 0; round < 60; round++) {
		const uint32_t bits = round % (m < 12 ? m : 12);

		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t x = 1 + draw() % low(bits + 1), y = 1 + draw() % low(bits + 1);

			a[i] = nearest(&u, op == DC_OP_FDIV ? (double)(round % 3 ? x * y : x) : (double)(x * x));
			b[i] = nearest(&u, (double)(round % 5 == 4 ? 1 : y));
			if (round % 7 == 6 && i % 9 == 0)
				a[i] = 0;
			if (round % 11 == 10 && i % 13 == 0)
				b[i] = 0;
			if (op != DC_OP_FDIV && i % 2 && round % 4 == 3) /* no square */
				a[i] += 1ull << (m - 1);
		}
		check_with(&u, 0, a, b, round % 3 == 1 ? 0x5a5a5a5a00ff00ffull : ~0ull, DC_SAVE_ALL);
		if (serial.cycles < least)
			least = serial.cycles;
	}
	assert_true(m < 20 || 2 * least < dc_base_cycles(&u, &arith));
}

static void test_short_digits(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		check_short(k ? DC_OP_FSQRT : DC_OP_FDIV, 8, 24);
		check_short(k ? DC_OP_FSQRT : DC_OP_FDIV, 11, 53);
		check_short(k ? DC_OP_FSQRT : DC_OP_FDIV, 8, 8);
	}
}

/* Every pair of a small format; of a larger one numbers at random, near each other, and corners. */
static void check_format(enum dc_op op, uint32_t variant, uint32_t e, uint32_t m)
{
	const struct dc_use u = {.op = op, .n = (uint8_t)(e + m), .e = (uint8_t)e, .m = (uint8_t)m, .times = 1};
	const uint64_t pairs = u.n <= 8 ? 1ull << 2 * u.n : 8 * DC_COLUMNS;
	static uint64_t a[DC_COLUMNS], b[DC_COLUMNS];

	for (uint64_t first = 0; first < pairs; first += DC_COLUMNS) {
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			a[i] = u.n <= 8 ? first + i : draw();
			b[i] = u.n <= 8 ? (first + i) >> u.n : i % 5 ? draw() : a[i] ^ (i % 3 ? draw() & 3 : 0);
			if (u.n > 8 && i % 7 == 0)
				a[i] = i & 8 ? low(e) << (m - 1) : i & 16 ? 0 : low(u.n);
			a[i] &= low(u.n);
			b[i] &= low(u.n);
		}
		check_routine(&u, variant, a, b);
	}
}

static void test_routines(void **state)
{
	static const struct {
		enum dc_op op;
		uint32_t first, last; /* variants */
	} rows[] = {{DC_OP_FDIV, 0, 0},
		    {DC_OP_FSQRT, 0, 0},
		    {DC_OP_FMINMAX, 0, 1},
		    {DC_OP_FSIGN, DC_SIGN_NONE, DC_SIGN_CONTRARY},
		    {DC_OP_FCOMPARE, PTX_EQ, PTX_GE},
		    {DC_OP_FCOMPARE, PTX_EQU, PTX_NAN}};

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(rows); n++)
		for (uint32_t v = rows[n].first; v <= rows[n].last; v++) {
			check_format(rows[n].op, v, 3, 4);
			check_format(rows[n].op, v, 4, 3);
			check_format(rows[n].op, v, 8, 24);
		}
}

/* Integers of b bits, of which a mantissa of m may hold too few; all of them, or at random and at the ends. */
static void check_integers(uint32_t b, bool is_signed, uint32_t e, uint32_t m)
{
	const struct dc_use u = {.op = DC_OP_INT_TO_FLOAT, .n = (uint8_t)(e + m), .e = (uint8_t)e, .m = (uint8_t)m,
				 .bits = (uint8_t)b, .is_signed = is_signed, .times = 1};
	const struct dc_arith arith = {.cordic_iterations = 17, .flushes = true};
	const uint64_t count = b <= 8 ? 1 : 16;
	static uint64_t a[DC_COLUMNS], d[DC_COLUMNS];

	for (uint64_t k = 0; k < 2 * count; k++) {
		const uint32_t savings = k % 2 ? DC_SAVE_ALL : 0;
		const uint64_t width = k / 2 < count / 2 ? b : 1 + draw() % b;

		for (uint32_t i = 0; i < DC_COLUMNS; i++)
			a[i] = b <= 8	? i & low(b)
			       : i % 9	? draw() & low((uint32_t)width)
			       : i % 18 ? low(b)
					: 1ull << (b - 1);
		dc_serial_begin(&serial, savings);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			serial.guard.w[i] = k % 3 ? ~0ull : 0x5a5a5a5a00ff00ffull;
		dc_serial_put(&serial, A, b, a);
		dc_serial_itof(&serial, &u, &arith, D, A, T);
		dc_serial_get(&serial, D, u.n, d);
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const bool is_negative = is_signed && a[i] >> (b - 1) & 1;
			const double x = is_negative ? -(double)(low(b) - a[i] + 1) : (double)a[i];
			const bool takes_part = serial.guard.w[i / 64] >> i % 64 & 1;

			if (takes_part && d[i] != nearest(&u, x))
				fail_msg("%u bits, signed %d, e=%u m=%u: %llx: %llx, expected %llx", b, is_signed, e, m,
					 (unsigned long long)a[i], (unsigned long long)d[i],
					 (unsigned long long)nearest(&u, x));
		}
		if (!savings)
			assert_int_equal(serial.cycles, dc_base_cycles(&u, &arith));
		assert_int_equal(serial.cycles, word_cycles(&u, &arith, savings, (const uint64_t *[]){a, a, a}));
	}
}

static void test_integers(void **state)
{
	(void)state;
	for (uint32_t is_signed = 0; is_signed < 2; is_signed++) {
		check_integers(8, is_signed, 5, 3);
		check_integers(8, is_signed, 5, 4);
		check_integers(16, is_signed, 8, 6);
		check_integers(16, is_signed, 8, 24);
		check_integers(32, is_signed, 5, 11);
		check_integers(32, is_signed, 4, 6);
		check_integers(32, is_signed, 8, 24);
		check_integers(32, is_signed, 11, 53);
	}
}

/* ---- to integers ---- */

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

static uint64_t clamped(double x, uint32_t b, bool is_signed, bool is_nan_top, enum dc_direction rounding)
{
	const double most = ldexp(1, (int)(is_signed ? b - 1 : b));

	if (isnan(x))
		return is_nan_top ? 1ull << (b - 1) : 0;
	x = directed(x, rounding);
	if (x >= most)
		return low(is_signed ? b - 1 : b);
	if (is_signed && x < -most)
		return 1ull << (b - 1);
	return x < 0 ? is_signed ? (0 - (uint64_t)-x) & low(b) : 0 : (uint64_t)x;
}

static void check_to_integers(uint32_t b, bool is_signed, uint32_t e, uint32_t m, enum dc_direction rounding)
{
	const struct dc_use u = {.op = DC_OP_FLOAT_TO_INT, .n = (uint8_t)(e + m), .e = (uint8_t)e, .m = (uint8_t)m,
				 .bits = (uint8_t)b, .rounding = (uint8_t)rounding, .times = 1};
	const struct dc_arith arith = {.cordic_iterations = 17, .flushes = true};
	static uint64_t a[DC_COLUMNS], d[DC_COLUMNS];

	for (uint32_t round = 0; round < 16; round++) {
		const uint32_t savings = round % 2 ? DC_SAVE_ALL : 0;

		/* all in reach of b bits, or only some of the exponents, or any number, corners among them */
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t far = round < 4 ? draw() % b : draw() % (round - 3);
			const uint64_t exponent = low(e - 1u) + (far < low(e - 1u) ? far : 0) - (round % 4 == 3);

			a[i] = (draw() & low(m - 1u)) | exponent << (m - 1) | (draw() & 1) << (e + m - 1);
			if (round > 10)
				a[i] = draw_number(&u, i % 2 ? 1 : 0);
			if (round % 5 == 4) /* halves, and little more and less */
				a[i] = (a[i] & ~low(m - 4u)) + draw() % 3 - 1;
			if (round == 9 && i % 3 == 0 && b < low(e - 1u)) /* the ends */
				a[i] = (low(e - 1u) + b - i % 2) << (m - 1) | (i % 4 > 1) * low(m - 1u) |
				       (uint64_t)(i % 8 > 3) << (e + m - 1);
		}
		dc_serial_begin(&serial, savings);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			serial.guard.w[i] = round % 3 ? ~0ull : 0x5a5a5a5a00ff00ffull;
		dc_serial_put(&serial, A, u.n, a);
		dc_serial_ftoi(&serial, &u, is_signed, D, A, T);
		dc_serial_get(&serial, D, b, d);
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t want = clamped(whole_value(&u, a[i]), b, is_signed, m > 24 || b > 32, rounding);

			if (serial.guard.w[i / 64] >> i % 64 & 1 && d[i] != want)
				fail_msg("to %u bits, signed %d, e=%u m=%u way %u: %llx: %llx, expected %llx", b,
					 is_signed, e, m, rounding, (unsigned long long)a[i], (unsigned long long)d[i],
					 (unsigned long long)want);
		}
		if (!savings)
			assert_int_equal(serial.cycles, dc_base_cycles(&u, &arith));
		assert_int_equal(serial.cycles, word_cycles(&u, &arith, savings, (const uint64_t *[]){a, a, a}));
	}
}

static void test_to_integers(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 8; k++)
		for (uint32_t b = 8; b <= 64; b *= 2) {
			check_to_integers(b, k % 2, 8, 24, (enum dc_direction)(k / 2));
			check_to_integers(b, k % 2, 11, 53, (enum dc_direction)(k / 2));
			check_to_integers(b, k % 2, 5, 11, (enum dc_direction)(k / 2));
			check_to_integers(b, k % 2, 8, 8, (enum dc_direction)(k / 2));
		}
}

/* ---- to other formats, and to integers in the same ---- */

/* x in units of a step, rounded: a step is exact, and so is what is divided by it. */
static uint64_t converted(const struct dc_use *u, double x)
{
	const struct dc_use to = {.e = u->to_e, .m = u->to_m, .n = (uint8_t)(u->to_e + u->to_m)};
	const int64_t most = (int64_t)low(to.e - 1u);
	double step;
	int exponent;

	if (isnan(x) || isinf(x) || x == 0)
		return nearest(&to, x);
	frexp(x, &exponent);
	step = ldexp(1, exponent - (int)to.m);
	x = directed(x / step, (enum dc_direction)u->rounding) * step;
	frexp(x, &exponent);
	if (exponent - 1 > most && u->rounding != DC_TO_NEAREST && !(u->rounding == DC_TO_LOWER && x < 0) &&
	    !(u->rounding == DC_TO_UPPER && x > 0))
		return (uint64_t)(x < 0) << (to.n - 1) | ((low(to.e) << (to.m - 1)) - 1);
	return nearest(&to, x);
}

static uint64_t integral(const struct dc_use *u, double x)
{
	return nearest(u, isnan(x) || isinf(x) ? x : copysign(directed(x, (enum dc_direction)u->rounding), x));
}

static uint64_t draw_conversion(const struct dc_use *u, uint32_t round)
{
	const uint64_t bias = low(u->e - 1u), to_bias = low((u->to_e ? u->to_e : u->e) - 1u);
	const uint64_t near = to_bias < bias ? bias - to_bias : 0; /* the least of the result's exponents */
	const uint64_t sign = (draw() & 1) << (u->e + u->m - 1), few = low(u->m - 1u) & ~low(u->m / 2u);

	switch (round % 4) {
	case 0: return draw_number(u, 1) & low(u->e + u->m);
	case 1: return sign | (near + draw() % 4) << (u->m - 1) | (draw() & (draw() & 1 ? few : low(u->m - 1u)));
	case 2: return sign | (bias + (to_bias < bias ? to_bias : 0) - draw() % 3) << (u->m - 1) |
		       (draw() & 1 ? low(u->m - 1u) - draw() % 4 : draw() & low(u->m - 1u));
	default: return sign | (bias - 2 + draw() % (u->m + 2)) << (u->m - 1) |
			(draw() & (draw() & 1 ? few : low(u->m - 1u)));
	}
}

static void check_conversion(const struct dc_use *u, uint32_t round)
{
	const struct dc_arith arith = {.cordic_iterations = 17, .flushes = true};
	const uint32_t from = u->e + u->m + 0u, to = u->to_e ? u->to_e + u->to_m + 0u : from;
	const uint32_t savings = round % 2 ? DC_SAVE_ALL : 0;
	static uint64_t a[DC_COLUMNS], d[DC_COLUMNS];

	for (uint32_t i = 0; i < DC_COLUMNS; i++)
		a[i] = from <= 8 ? i & low(from) : draw_conversion(u, round < 8 ? round / 2 : i);
	dc_serial_begin(&serial, savings);
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		serial.guard.w[i] = round % 3 ? ~0ull : 0x5a5a5a5a00ff00ffull;
	dc_serial_put(&serial, A, from, a);
	if (u->op == DC_OP_FLOAT_ROUND)
		dc_serial_fround(&serial, u, D, A, T);
	else
		dc_serial_ftof(&serial, u, &arith, D, A, T);
	dc_serial_get(&serial, D, to, d);
	for (uint32_t i = 0; i < DC_COLUMNS; i++) {
		const uint64_t want = u->op == DC_OP_FLOAT_ROUND ? integral(u, whole_value(u, a[i]))
								 : converted(u, value_of(u, a[i]));

		if (serial.guard.w[i / 64] >> i % 64 & 1 && d[i] != want)
			fail_msg("%s e=%u m=%u to e=%u m=%u way %u: %llx: %llx, expected %llx", dc_op_name(u->op), u->e,
				 u->m, u->to_e, u->to_m, u->rounding, (unsigned long long)a[i],
				 (unsigned long long)d[i], (unsigned long long)want);
	}
	if (!savings)
		assert_int_equal(serial.cycles, dc_base_cycles(u, &arith));
	assert_int_equal(serial.cycles, word_cycles(u, &arith, savings, (const uint64_t *[]){a, a, a}));
}

static void test_formats(void **state)
{
	static const uint8_t formats[][2] = {{3, 4}, {4, 3}, {5, 11}, {8, 8}, {8, 24}, {11, 53}};

	(void)state;
	for (uint32_t n = 0; n < 4 * G_N_ELEMENTS(formats) * G_N_ELEMENTS(formats); n++) {
		const uint8_t *from = formats[n / 4 % G_N_ELEMENTS(formats)];
		const uint8_t *to = formats[n / 4 / G_N_ELEMENTS(formats)];
		const uint8_t a = (uint8_t)(from[0] + from[1]), b = (uint8_t)(to[0] + to[1]);
		struct dc_use u = {.op = DC_OP_FLOAT_TO_FLOAT, .n = a > b ? a : b, .e = from[0], .m = from[1],
				   .to_e = to[0], .to_m = to[1], .rounding = n % 4, .times = 1};

		for (uint32_t round = 0; round < 12; round++)
			check_conversion(&u, round);
		if (from != to)
			continue;
		u.op = DC_OP_FLOAT_ROUND;
		u.to_e = u.to_m = 0;
		for (uint32_t round = 0; round < 12; round++)
			check_conversion(&u, round);
	}
}

/* ---- routines of routines ---- */

static void check_own(const struct dc_use *u, const uint64_t *a, uint32_t savings)
{
	const struct dc_arith arith = {.cordic_iterations = 26, .flushes = true};
	_Alignas(64) uint64_t in[ROW], out[ROW];
	static uint64_t d[DC_COLUMNS];

	dc_serial_begin(&serial, savings);
	dc_serial_put(&serial, A, u->n, a);
	if (u->op == DC_OP_FTANH)
		dc_serial_ftanh(&serial, u, &arith, D, A, T);
	else if (u->op == DC_OP_FNEWTON)
		dc_serial_fnewton(&serial, u, &arith, D, A, T);
	else
		dc_serial_frsqrt(&serial, u, &arith, D, A, T);
	dc_serial_get(&serial, D, u->n, d);
	if (!savings || !dc_has_facts(u->op))
		assert_int_equal(serial.cycles, dc_base_cycles(u, &arith));
	if (dc_has_facts(u->op))
		assert_int_equal(serial.cycles, word_cycles(u, &arith, savings, (const uint64_t *[]){a, a, a}));
	assert_int_equal(serial.savings, savings);
	for (uint32_t first = 0; first < DC_COLUMNS; first += ROW) {
		for (uint32_t i = 0; i < ROW; i++) {
			if (u->n == 64)
				in[i] = a[first + i];
			else
				((uint32_t *)in)[i] = (uint32_t)a[first + i];
		}
		if (u->op == DC_OP_FTANH)
			dc_tanh(arith.cordic_iterations, (uint32_t *)in, (uint32_t *)out);
		else if (u->op == DC_OP_FNEWTON)
			dc_newton32((uint32_t *)in, (uint32_t *)out);
		else if (u->n == 64)
			dc_rsqrt64(in, out);
		else
			dc_rsqrt32((uint32_t *)in, (uint32_t *)out);
		for (uint32_t i = 0; i < ROW; i++) {
			const uint64_t word = u->n == 64 ? out[i] : ((uint32_t *)out)[i];
			const double x = value_of(u, a[first + i]), got = value_of(u, word);
			const double want = u->op == DC_OP_FTANH ? tanh(x) : 1 / sqrt(x);
			const double bound = u->op == DC_OP_FTANH     ? 0x1p-11
					     : u->op == DC_OP_FNEWTON ? 0x1.1p-23
					     : u->n == 64	      ? 0x1.8p-52
								      : 0x1p-23;

			if (word != d[first + i] && !(isnan(got) && isnan(value_of(u, d[first + i]))))
				fail_msg("%s: %llx: %llx bit by bit, %llx by words", dc_op_name(u->op),
					 (unsigned long long)a[first + i], (unsigned long long)d[first + i],
					 (unsigned long long)word);
			if (isnan(want) ? !isnan(got) : want != got && !(fabs(got - want) <= bound * fabs(want)))
				fail_msg("%s(%a): %a, expected %a", dc_op_name(u->op), x, got, want);
		}
	}
}

static void test_own(void **state)
{
	static const struct dc_use uses[] = {
	    {.op = DC_OP_FRSQRT, .n = 32, .e = 8, .m = 24, .bits = 32, .times = 1},
	    {.op = DC_OP_FRSQRT, .n = 64, .e = 11, .m = 53, .bits = 32, .times = 1},
	    {.op = DC_OP_FNEWTON, .n = 32, .e = 8, .m = 24, .bits = 32, .times = 1},
	    {.op = DC_OP_FTANH, .n = 32, .e = 8, .m = 24, .bits = 32, .times = 1}};
	const struct dc_arith arith = {.flushes = true};
	struct dc_use part = uses[0];
	static uint64_t a[DC_COLUMNS];
	uint64_t parts;

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(uses); n++)
		for (uint32_t round = 0; round < 6; round++) {
			for (uint32_t i = 0; i < DC_COLUMNS; i++) {
				a[i] = draw_number(&uses[n], round);
				if (!(a[i] >> (uses[n].m - 1) & low(uses[n].e))) /* flushed before */
					a[i] &= 1ull << (uses[n].n - 1);
			}
			check_own(&uses[n], a, round % 2 ? DC_SAVE_ALL : 0);
			for (uint32_t i = 0; i < DC_COLUMNS; i++) /* powers of two, of which every second is a square */
				a[i] = (low(uses[n].e - 1u) + (uses[n].op == DC_OP_FTANH ? 0 : (i % 3) << (round % 2)))
				       << (uses[n].m - 1);
			check_own(&uses[n], a, DC_SAVE_ALL);
		}
	/* No more than a root and a reciprocal. */
	part.op = DC_OP_FSQRT;
	parts = dc_base_cycles(&part, &arith);
	part.op = DC_OP_FDIV;
	assert_true(dc_base_cycles(&uses[0], &arith) <= parts + dc_base_cycles(&part, &arith));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_small_formats),
	    cmocka_unit_test(test_samples),
	    cmocka_unit_test(test_conversions),
	    cmocka_unit_test(test_open_numbers),
	    cmocka_unit_test(test_open_values),
	    cmocka_unit_test(test_all_open_values),
	    cmocka_unit_test(test_open_ends),
	    cmocka_unit_test(test_nothing_to_save),
	    cmocka_unit_test(test_fma),
	    cmocka_unit_test(test_routines),
	    cmocka_unit_test(test_short_digits),
	    cmocka_unit_test(test_integers),
	    cmocka_unit_test(test_to_integers),
	    cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
