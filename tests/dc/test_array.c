/* test_array.c - the operations of arrays: Table 1 to the cycle, and the bit-serial side against the word-level one. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "dc/array/serial.h"
#include "dc/formulas.h"

enum { ROW = 32, A = 0, B = 64, C = 128, D = 192, T = 330 };

static uint64_t random_state = 1;

static uint64_t draw(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return random_state >> 11 ^ random_state << 20;
}

static uint64_t low(uint32_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

static int64_t extend(uint64_t x, uint32_t n)
{
	return (int64_t)(x << (64 - n)) >> (64 - n);
}

/* ---- Table 1 (ISCA'19), claim D1 (b) ---- */

static uint64_t base(enum dc_op op, uint32_t n, bool is_signed, uint32_t k)
{
	const struct dc_use use = {.op = op, .n = (uint8_t)n, .is_signed = is_signed, .times = 1};
	const struct dc_arith a = {.cordic_iterations = k};

	return dc_base_cycles(&use, &a);
}

static void test_table_1(void **state)
{
	(void)state;
	for (uint32_t n = 8; n <= 64; n *= 2) {
		assert_int_equal(base(DC_OP_ADD, n, false, 0), n);
		assert_int_equal(base(DC_OP_SUB, n, false, 0), 2 * n);
		assert_int_equal(base(DC_OP_MUL, n, false, 0), n * n + 3 * n - 2);
		assert_int_equal(base(DC_OP_MUL, n, true, 0), n * n + 5 * n);
		assert_int_equal(2 * base(DC_OP_DIV, n, false, 0), 3 * n * n + 11 * n);
		assert_int_equal(2 * base(DC_OP_DIV, n, true, 0), 3 * n * n + 19 * n);
		assert_int_equal(base(DC_OP_LOGIC, n, false, 0), n);
		assert_int_equal(2 * base(DC_OP_SHIFT, n, false, 0), n * n + 5 * n + 2); /* n^2 */
	}
	assert_int_equal(base(DC_OP_MUL, 32, false, 0), 1118);
	assert_int_equal(base(DC_OP_MUL, 32, true, 0), 1184);
	assert_int_equal(base(DC_OP_DIV, 32, false, 0), 1712);
	assert_int_equal(base(DC_OP_DIV, 32, true, 0), 1840);
	/* What steps take, which dc-cordic counts; Table 1: 3,960, 2,246, 2,244 and 2,244. */
	assert_int_equal(base(DC_OP_SINCOS_FIXED, 32, true, 17), 2787);
	assert_int_equal(base(DC_OP_EXP_FIXED, 32, true, 17), 1651);
	assert_int_equal(base(DC_OP_LOG_FIXED, 32, true, 17), 1650);
	assert_int_equal(base(DC_OP_SQRT_FIXED, 32, true, 17), 2274);
}

/* ---- bit by bit ---- */

static const uint32_t savings[] = {0,
				   DC_SAVE_ALL,
				   1u << DC_SAVE_PARTIAL_PRODUCTS,
				   1u << DC_SAVE_LEADING_ZEROS,
				   1u << DC_SAVE_ZERO_RESIDUES,
				   1u << DC_SAVE_SIGNS,
				   1u << DC_SAVE_DIFFERENCES};

struct operands {
	uint64_t a[DC_COLUMNS], b[DC_COLUMNS], c[DC_COLUMNS], d[DC_COLUMNS];
};

static struct dc_serial serial;

/* What the words-level side says of the same operands. */
static uint64_t word_cycles(const struct dc_use *use, const struct dc_arith *arith, uint32_t which,
			    const struct operands *v)
{
	_Alignas(64) uint64_t rows[3][ROW];
	const void *src[3] = {rows[0], rows[1], rows[2]};
	const uint64_t *from[3] = {v->a, v->b, v->c};
	struct dc_facts facts;

	dc_facts_begin(&facts);
	for (uint32_t w = 0; w < DC_COLUMNS / ROW; w++) {
		uint32_t mask = 0;

		for (uint32_t i = 0; i < ROW; i++)
			mask |= (uint32_t)(serial.guard.w[(w * ROW + i) / 64] >> (w * ROW + i) % 64 & 1) << i;
		for (uint32_t k = 0; k < 3; k++)
			for (uint32_t i = 0; i < ROW; i++) {
				if (use->n > 32)
					rows[k][i] = from[k][w * ROW + i];
				else
					((uint32_t *)(void *)rows[k])[i] = (uint32_t)from[k][w * ROW + i];
			}
		dc_facts_add(&facts, use, arith, src, mask);
	}
	return dc_cycles(use, arith, which, &facts);
}

typedef uint64_t (*reference)(const struct dc_use *use, uint64_t a, uint64_t b, uint64_t c, uint32_t rest);

/* Runs the operands under each set of savings, in the columns of the guard: values, and cycles. */
static void check(const struct dc_use *use, struct operands *v, reference expected, uint32_t result_bits, uint32_t rest,
		  uint64_t guard)
{
	const struct dc_arith arith = {.cordic_iterations = 17};

	for (uint32_t s = 0; s < G_N_ELEMENTS(savings); s++) {
		dc_serial_begin(&serial, savings[s]);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			serial.guard.w[i] = guard;
		dc_serial_put(&serial, A, use->n, v->a);
		dc_serial_put(&serial, B, use->n, v->b);
		dc_serial_put(&serial, C, use->n, v->c);
		for (uint32_t i = 0; i < DC_COLUMNS; i++)
			v->d[i] = 0x5a5a5a5a5a5a5a5a & low(result_bits);
		dc_serial_put(&serial, D, result_bits, v->d);
		dc_serial_int(&serial, use, D, A, B, C, T, rest);
		dc_serial_get(&serial, D, result_bits, v->d);
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			if (!(guard >> i % 64 & 1)) {
				assert_int_equal(v->d[i], 0x5a5a5a5a5a5a5a5a & low(result_bits));
				continue;
			}
			const uint64_t e = expected(use, v->a[i], v->b[i], v->c[i], rest) & low(result_bits);

			if (v->d[i] != e)
				fail_msg("%s n=%u signed=%d savings=%x: %llx, %llx: %llx, expected %llx",
					 dc_op_name(use->op), use->n, use->is_signed, savings[s],
					 (unsigned long long)v->a[i], (unsigned long long)v->b[i],
					 (unsigned long long)v->d[i], (unsigned long long)e);
		}
		if (!savings[s])
			assert_int_equal(serial.cycles, dc_base_cycles(use, &arith));
		if (serial.cycles != word_cycles(use, &arith, savings[s], v))
			fail_msg("%s n=%u signed=%d rest=%d savings=%x: %llu cycles bit by bit, %llu by words",
				 dc_op_name(use->op), use->n, use->is_signed, rest, savings[s],
				 (unsigned long long)serial.cycles,
				 (unsigned long long)word_cycles(use, &arith, savings[s], v));
	}
}

/* Every pair of values of n bits, in batches of 1,024 that have something in common. */
static void exhaustive(struct dc_use use, reference expected, uint32_t result_bits, uint32_t rest)
{
	struct operands *v = g_new0(struct operands, 1);
	const uint64_t pairs = 1ull << 2 * use.n;

	for (uint64_t first = 0; first < pairs; first += DC_COLUMNS) {
		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			const uint64_t pair = (first + i) % pairs;

			v->a[i] = pair & low(use.n);
			v->b[i] = pair >> use.n;
			v->c[i] = draw() & low(use.n);
		}
		check(&use, v, expected, result_bits, rest, ~0ull);
	}
	g_free(v);
}

/* Values as programs have them: short, sparse, or anything; some columns masked. */
static void sampled(struct dc_use use, reference expected, uint32_t result_bits, uint32_t rest)
{
	struct operands *v = g_new0(struct operands, 1);

	for (uint32_t round = 0; round < 24; round++) {
		const uint64_t wide = low(1 + (uint32_t)(draw() % use.n)), narrow = low(1 + (uint32_t)(draw() % use.n));
		const uint64_t sparse = round % 3 ? ~0ull : draw() & draw();
		const bool negative = use.is_signed && round % 4 == 1;

		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			v->a[i] = draw() & wide;
			v->b[i] = (draw() & narrow & sparse) | (round % 5 ? 1 : 0);
			v->a[i] = (negative && draw() & 1 ? -v->a[i] : v->a[i]) & low(use.n);
			v->b[i] = (negative && draw() & 1 ? -v->b[i] : v->b[i]) & low(use.n);
			v->c[i] = draw() & low(use.n);
		}
		check(&use, v, expected, result_bits, rest, round % 2 ? ~0ull : draw() | 1);
	}
	g_free(v);
}

static uint64_t ref_mul(const struct dc_use *use, uint64_t a, uint64_t b, uint64_t c, uint32_t rest)
{
	(void)c, (void)rest;
	return use->is_signed ? (uint64_t)(extend(a, use->n) * extend(b, use->n)) : a * b;
}

static uint64_t ref_mad(const struct dc_use *use, uint64_t a, uint64_t b, uint64_t c, uint32_t rest)
{
	return ref_mul(use, a, b, c, rest) + c;
}

static uint64_t ref_div(const struct dc_use *use, uint64_t a, uint64_t b, uint64_t c, uint32_t rest)
{
	const bool negative_a = use->is_signed && extend(a, use->n) < 0,
		   negative_b = use->is_signed && extend(b, use->n) < 0;
	const uint64_t x = (negative_a ? -a : a) & low(use->n), y = (negative_b ? -b : b) & low(use->n);
	const uint64_t q = y ? x / y : low(use->n), r = y ? x % y : x;

	(void)c;
	return rest ? (negative_a ? -r : r) : negative_a != negative_b ? -q : q;
}

static bool ref_compare(const struct dc_use *use, uint64_t a, uint64_t b, enum ptx_cmp how)
{
	const bool is_signed = use->is_signed && how < PTX_LO;
	const bool below = is_signed ? extend(a, use->n) < extend(b, use->n) : a < b;

	switch (how) {
	case PTX_EQ: return a == b;
	case PTX_NE: return a != b;
	case PTX_LT:
	case PTX_LO: return below;
	case PTX_LE:
	case PTX_LS: return below || a == b;
	case PTX_GT:
	case PTX_HI: return !below && a != b;
	default: return !below;
	}
}

static uint64_t ref_simple(const struct dc_use *use, uint64_t a, uint64_t b, uint64_t c, uint32_t rest)
{
	switch (use->op) {
	case DC_OP_ADD:
		return a + b;
	case DC_OP_SUB:
		return a - b;
	case DC_OP_NEG:
		return -a;
	case DC_OP_COPY:
		return a;
	case DC_OP_ABS:
		return extend(a, use->n) < 0 ? -a : a;
	case DC_OP_LOGIC:
		return rest == DC_LOGIC_AND ? a & b : rest == DC_LOGIC_OR ? a | b : rest == DC_LOGIC_NOT ? ~a : a ^ b;
	case DC_OP_COMPARE:
		return ref_compare(use, a, b, (enum ptx_cmp)rest);
	case DC_OP_MINMAX:
		return ref_compare(use, a, b, PTX_LT) != rest ? a : b;
	case DC_OP_SHIFT_FIXED:
		if (!(rest & 1))
			return rest / 2 < use->n ? a << rest / 2 : 0;
		if (use->is_signed)
			return (uint64_t)(extend(a, use->n) >> (rest / 2 < use->n ? rest / 2 : use->n - 1u));
		return rest / 2 < use->n ? a >> rest / 2 : 0;
	case DC_OP_SELECT:
		return c & 1 ? a : b;
	case DC_OP_SHIFT:
		if (!rest)
			return b < use->n ? a << b : 0;
		if (use->is_signed)
			return (uint64_t)(extend(a, use->n) >> (b < use->n ? b : use->n - 1ull));
		return b < use->n ? a >> b : 0;
	default:
		return 0;
	}
}

static void test_multiplication(void **state)
{
	(void)state;
	for (uint32_t is_signed = 0; is_signed < 2; is_signed++) {
		for (uint32_t n = 4; n <= 6; n++) {
			exhaustive(
			    (struct dc_use){.op = DC_OP_MUL, .n = (uint8_t)n, .is_signed = is_signed, .times = 1},
			    ref_mul, 2 * n, false);
			exhaustive(
			    (struct dc_use){.op = DC_OP_MAD, .n = (uint8_t)n, .is_signed = is_signed, .times = 1},
			    ref_mad, n, false);
		}
		for (uint32_t n = 8; n <= 64; n *= 2)
			sampled((struct dc_use){.op = DC_OP_MUL, .n = (uint8_t)n, .is_signed = is_signed, .times = 1},
				ref_mul, n < 64 ? 2 * n : n, false);
		sampled((struct dc_use){.op = DC_OP_MAD, .n = 64, .is_signed = is_signed, .times = 1}, ref_mad, 64,
			false);
	}
}

static void test_division(void **state)
{
	(void)state;
	for (uint32_t rest = 0; rest < 2; rest++) {
		for (uint32_t is_signed = 0; is_signed < 2; is_signed++) {
			for (uint32_t n = 4; n <= 6; n++)
				exhaustive(
				    (struct dc_use){
					.op = DC_OP_DIV, .n = (uint8_t)n, .is_signed = is_signed, .times = 1},
				    ref_div, n, rest);
			for (uint32_t n = 8; n <= 16; n *= 2)
				sampled(
				    (struct dc_use){
					.op = DC_OP_DIV, .n = (uint8_t)n, .is_signed = is_signed, .times = 1},
				    ref_div, n, rest);
		}
	}
}

static void test_simple(void **state)
{
	static const enum dc_op ops[] = {DC_OP_ADD, DC_OP_SUB, DC_OP_NEG, DC_OP_ABS, DC_OP_COPY, DC_OP_SELECT};

	(void)state;
	for (uint32_t n = 4; n <= 32; n *= 2) {
		for (uint32_t k = 0; k < G_N_ELEMENTS(ops); k++)
			sampled((struct dc_use){.op = ops[k], .n = (uint8_t)n, .times = 1}, ref_simple, n, false);
	}
	for (uint32_t k = 0; k < 3; k++)
		sampled((struct dc_use){.op = DC_OP_SHIFT, .n = 32, .is_signed = k == 2, .times = 1}, ref_simple, 32,
			k > 0);
}

/* All pairs of 4 bits, and samples of the widths that programs have. */
static void both(enum dc_op op, bool is_signed, uint32_t result_bits, uint32_t variant)
{
	struct dc_use use = {.op = op, .n = 4, .is_signed = is_signed, .times = 1};

	exhaustive(use, ref_simple, result_bits ? result_bits : use.n, variant);
	for (uint32_t n = 16; n <= 64; n *= 4) {
		use.n = (uint8_t)n;
		sampled(use, ref_simple, result_bits ? result_bits : n, variant);
	}
}

static void test_compared(void **state)
{
	static const enum ptx_cmp how[] = {PTX_EQ, PTX_NE, PTX_LT, PTX_LE, PTX_GT,
					   PTX_GE, PTX_LO, PTX_LS, PTX_HI, PTX_HS};

	(void)state;
	for (uint32_t is_signed = 0; is_signed < 2; is_signed++) {
		for (uint32_t k = 0; k < G_N_ELEMENTS(how); k++)
			both(DC_OP_COMPARE, is_signed, 1, how[k]);
		both(DC_OP_MINMAX, is_signed, 0, 0);
		both(DC_OP_MINMAX, is_signed, 0, 1);
		for (uint32_t amount = 0; amount <= 6; amount++) {
			both(DC_OP_SHIFT_FIXED, is_signed, 0, 2 * amount);
			both(DC_OP_SHIFT_FIXED, is_signed, 0, 2 * amount + 1);
		}
	}
	for (uint32_t k = DC_LOGIC_XOR; k <= DC_LOGIC_NOT; k++)
		both(DC_OP_LOGIC, false, 0, k);
}

/* With nothing to skip the savings cost their searches and no more. */
static void test_nothing_to_save(void **state)
{
	static const struct {
		enum dc_op op;
		bool is_signed;
		uint64_t search;
	} rows[] = {
	    {DC_OP_MUL, false, 6}, {DC_OP_MUL, true, 6}, {DC_OP_DIV, false, 6 + 32}, {DC_OP_DIV, true, 6 + 32 + 2}};
	const struct dc_arith arith = {.cordic_iterations = 17};
	struct operands *v = g_new0(struct operands, 1);

	(void)state;
	for (uint32_t k = 0; k < G_N_ELEMENTS(rows); k++) {
		const struct dc_use use = {.op = rows[k].op, .n = 32, .is_signed = rows[k].is_signed, .times = 1};

		for (uint32_t i = 0; i < DC_COLUMNS; i++) {
			v->a[i] = 0xffffffff;
			v->b[i] = rows[k].op == DC_OP_MUL ? (i % 2 ? 0xd5555555 : 0x6aaaaaaa) : i % 2 ? 0xfffffffd : 1;
			if (rows[k].is_signed && rows[k].op == DC_OP_MUL) {
				v->a[i] = i % 2 ? 0x80000000 : 0x7fffffff;
				v->b[i] = i % 2 ? 0x95555555 : 0x6aaaaaaa;
			} else if (rows[k].is_signed) {
				v->a[i] = i % 2 ? 0x7fffffff : 0x80000000;
				v->b[i] = i % 2 ? 0x80000000 : 1;
			}
		}
		dc_serial_begin(&serial, DC_SAVE_ALL);
		assert_int_equal(word_cycles(&use, &arith, DC_SAVE_ALL, v),
				 dc_base_cycles(&use, &arith) + rows[k].search);
	}
	g_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_table_1),         cmocka_unit_test(test_simple),
	    cmocka_unit_test(test_multiplication),  cmocka_unit_test(test_division),
	    cmocka_unit_test(test_compared),
	    cmocka_unit_test(test_nothing_to_save),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
