/* test_cordic.c - sin, cos, 2^x, log2 x and square roots by shift and add: rows of bits against lanes of words, to the
 * bit and the cycle; these against the host's functions within PTX's bounds of .approx; the tables
 * against their definition. */
#include <glib.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "dc/array/cordic.h"
#include "dc/array/serial.h"

enum { A = 0, D = 192, T = 330, LANES = 32 };

static struct dc_serial serial;
static uint64_t random_state = 11;

static const enum dc_op op_of[] = {[DC_SIN] = DC_OP_FSIN, [DC_COS] = DC_OP_FCOS, [DC_EX2] = DC_OP_FEXP,
				   [DC_LG2] = DC_OP_FLOG, [DC_SQRT] = DC_OP_FROOT};

static uint32_t draw(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(random_state >> 32);
}

static float float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static uint32_t bits_of(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* Any bits; corners; numbers whose function is no corner. */
static uint32_t argument(uint32_t round)
{
	static const uint32_t corners[] = {0,	       0x80000000, 1,	       0x7f800000, 0xff800000, 0x7fc00000,
					   0xffc00001, 0x3f800000, 0xbf800000, 0x40000000, 0x3f000000, 0x3fc90fdb,
					   0x40490fdb, 0x4c800000, 0x4c7fffff, 0x437fffff, 0x43800000, 0xc2fc0000,
					   0xc2fe0000, 0x42ffffff, 0x43000000, 0x3f7fffff, 0x3f800001, 0x00800000};

	switch (round % 4) {
	case 0: return corners[draw() % G_N_ELEMENTS(corners)];
	case 1: return draw();
	case 2: return bits_of(((float)draw() - 0x1p31f) * 0x1p-24f); /* 128 to both sides */
	default: return (draw() & 0x807fffff) | (112 + draw() % 24) << 23;
	}
}

static void check_lanes(enum dc_function function, uint32_t iterations, bool is_truncated, const uint64_t *a,
			uint64_t guard)
{
	const struct dc_use use = {.op = op_of[function], .n = 32, .e = 8, .m = 24, .times = 1};
	const struct dc_arith arith = {.cordic_iterations = iterations, .is_truncated = is_truncated};
	uint32_t in[LANES], out[LANES];
	static uint64_t d[DC_COLUMNS];

	dc_serial_begin(&serial, DC_SAVE_ALL);
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		serial.guard.w[i] = guard;
	dc_serial_put(&serial, A, 32, a);
	dc_serial_cordic(&serial, &use, &arith, function, D, A, T);
	dc_serial_get(&serial, D, 32, d);
	assert_int_equal(serial.cycles, dc_base_cycles(&use, &arith));
	for (uint32_t first = 0; first < DC_COLUMNS; first += LANES) {
		for (uint32_t i = 0; i < LANES; i++)
			in[i] = (uint32_t)a[first + i];
		dc_cordic(function, iterations, in, out);
		for (uint32_t i = 0; i < LANES; i++) {
			const uint64_t want = guard >> (first + i) % 64 & 1 ? out[i] : 0;

			if (d[first + i] != want)
				fail_msg("function %u, %u iterations, %x: %llx, by words %llx", function, iterations,
					 in[i], (unsigned long long)d[first + i], (unsigned long long)want);
		}
	}
}

static void test_rows_and_words(void **state)
{
	static const uint32_t iterations[] = {4, 13, 17, 26, 31, 60};
	static uint64_t a[DC_COLUMNS];

	(void)state;
	for (uint32_t function = DC_SIN; function <= DC_SQRT; function++)
		for (uint32_t k = 0; k < G_N_ELEMENTS(iterations); k++)
			for (uint32_t round = 0; round < 4; round++) {
				for (uint32_t i = 0; i < DC_COLUMNS; i++)
					a[i] = argument(round);
				check_lanes((enum dc_function)function, iterations[k], k % 2, a,
					    round == 2 ? 0xff00ffff0ff00001ull : ~0ull);
			}
}

static float value(enum dc_function function, uint32_t iterations, float x)
{
	uint32_t in[LANES] = {bits_of(x)}, out[LANES];

	dc_cordic(function, iterations, in, out);
	return float_of(out[0]);
}

/* The largest error with so many iterations: absolute, of 2^x relative. */
static double worst(enum dc_function function, uint32_t iterations, double from, double to)
{
	double most = 0;

	for (uint32_t n = 0; n < 20000; n++) {
		const float x = (float)(from + (to - from) * draw() * 0x1p-32);
		const double got = (double)value(function, iterations, x);
		const double want = function == DC_SIN	 ? sin((double)x)
				    : function == DC_COS ? cos((double)x)
				    : function == DC_EX2 ? exp2((double)x)
				    : function == DC_LG2 ? log2((double)x)
							 : sqrt((double)x);

		most = fmax(most, fabs(got - want) / (function == DC_EX2 || function == DC_SQRT ? want : 1));
	}
	return most;
}

/* PTX ISA: sin, cos 2^-20.5 in [-2 pi, 2 pi] and 2^-14.7 in [-100 pi, 100 pi]; ex2 2^-22.5 or so of the value (2 ulp);
 * lg2 2^-22 in (0.5, 2). 17 iterations are the paper's: nearer than 2^-15, and not as near as that. */
static void test_errors(void **state)
{
	(void)state;
	for (enum dc_function f = DC_SIN; f <= DC_COS; f++) {
		assert_true(worst(f, 26, -2 * M_PI, 2 * M_PI) < 0x1p-21);
		assert_true(worst(f, 26, -100 * M_PI, 100 * M_PI) < 0x1p-15);
		assert_true(worst(f, 17, -2 * M_PI, 2 * M_PI) < 0x1p-15);
		assert_true(worst(f, 17, -2 * M_PI, 2 * M_PI) > 0x1p-18);
	}
	assert_true(worst(DC_EX2, 26, -120, 120) < 0x1p-23);
	assert_true(worst(DC_EX2, 17, -120, 120) < 0x1p-16);
	assert_true(worst(DC_LG2, 26, 0.5, 2) < 0x1p-23);
	assert_true(worst(DC_LG2, 17, 0.5, 2) < 0x1p-16);
	/* PTX: sqrt.approx 2^-23, which the paper's 17 iterations meet. */
	assert_true(worst(DC_SQRT, 17, 0x1p-126, 4) < 0x1p-23);
	assert_true(worst(DC_SQRT, 17, 1, 0x1p40) < 0x1p-23);
	assert_true(worst(DC_SQRT, 8, 1, 4) < 0x1p-13 && worst(DC_SQRT, 8, 1, 4) > 0x1p-18);
	assert_true(value(DC_SQRT, 17, 0) == 0 && isnan(value(DC_SQRT, 17, -1)));
	assert_true(value(DC_SQRT, 17, INFINITY) == INFINITY && signbit(value(DC_SQRT, 17, -0.0f)));
	for (int n = -126; n < 128; n++) {
		assert_true(value(DC_EX2, 26, (float)n) == ldexpf(1, n));
		assert_true(value(DC_LG2, 26, ldexpf(1, n)) == (float)n);
	}
	assert_true(value(DC_EX2, 26, 128) == INFINITY && value(DC_EX2, 26, -127) == 0);
	assert_true(value(DC_EX2, 26, -INFINITY) == 0 && value(DC_LG2, 26, 0) == -INFINITY);
	assert_true(isnan(value(DC_LG2, 26, -1)) && isnan(value(DC_SIN, 26, INFINITY)));
	assert_true(value(DC_SIN, 26, -0.0f) == 0 && signbit(value(DC_SIN, 26, -0.0f)));
}

static void test_tables(void **state)
{
	double gain = 1;

	(void)state;
	for (int i = 0; i < DC_CORDIC_STEPS; i++) {
		assert_int_equal(dc_cordic_angle[i], (uint32_t)rint(atan(ldexp(1, -i)) * M_2_PI * 0x1p30));
		assert_int_equal(dc_cordic_log[i], (uint32_t)rint(log1p(ldexp(1, -i)) / M_LN2 * 0x1p30));
	}
	for (int i = 0; i <= DC_CORDIC_GAINS; i++) {
		assert_int_equal(dc_cordic_gain[i], (uint32_t)rint(gain * 0x1p30));
		gain /= sqrt(1 + ldexp(1, -2 * i));
	}
	assert_int_equal(dc_cordic_gain[DC_CORDIC_GAINS], (uint32_t)rint(gain * 0x1p30));
	gain = 1;
	for (int i = 0; i <= DC_CORDIC_ROOTS; i++) {
		assert_int_equal(dc_cordic_root[i], (uint32_t)rint(0x1p28 / gain));
		if (i < DC_CORDIC_ROOTS)
			gain *= 1 - ldexp(1, -2 * dc_cordic_root_shift[i]);
	}
	assert_int_equal(dc_cordic_quarters, (uint32_t)floor(M_2_PI * 0x1p32));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_and_words),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
