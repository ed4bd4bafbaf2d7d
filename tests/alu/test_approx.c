/* test_approx.c - the approximate functions stay within the bounds that the PTX ISA manual (8.x, sections 9.7.3 and
 * 9.7.4) documents for each, measured against the C library in double; and their special values are the documented
 * ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "rows_fixture.h"

enum { ROUNDS = 20000 };

static double exact_rcp(double x)
{
	return 1.0 / x;
}

static double exact_rsqrt(double x)
{
	return 1.0 / sqrt(x);
}

static const struct {
	const char *key;
	double (*exact)(double);
	double low, high; /* range of the argument, drawn uniformly */
	double relative, absolute; /* the bound: within either */
} bounds[] = {
	{"ex2_approx_f32", exp2, -125.0, 127.0, 0x1p-22, 0},
	{"ex2_approx_ftz_f32", exp2, -125.0, 127.0, 0x1p-22, 0},
	{"lg2_approx_f32", log2, 0.5, 2.0, 0, 0x1p-22},
	{"lg2_approx_f32", log2, 2.0, 1e30, 0x1p-22, 0},
	{"lg2_approx_ftz_f32", log2, 1e-30, 0.5, 0x1p-22, 0},
	{"sin_approx_f32", sin, -6.2831853, 6.2831853, 0, 0x1p-20},
	{"cos_approx_f32", cos, -6.2831853, 6.2831853, 0, 0x1p-20},
	{"sin_approx_ftz_f32", sin, -314.0, 314.0, 0, 0x1p-14},
	{"cos_approx_ftz_f32", cos, -314.0, 314.0, 0, 0x1p-14},
	{"tanh_approx_f32", tanh, -10.0, 10.0, 0x1p-11, 0},
	{"tanh_approx_f32", tanh, -0.001, 0.001, 0x1p-11, 0},
	{"rcp_approx_f32", exact_rcp, 1e-30, 1e30, 0x1p-23, 0},
	{"rcp_approx_ftz_f32", exact_rcp, -100.0, -0.01, 0x1p-23, 0},
	{"rsqrt_approx_f32", exact_rsqrt, 1e-30, 1e30, 0x1p-22, 0},
	{"rsqrt_approx_ftz_f32", exact_rsqrt, 0.001, 100.0, 0x1p-22, 0},
	{"sqrt_approx_f32", sqrt, 0.0, 1e30, 0x1p-23, 0},
	{"sqrt_approx_ftz_f32", sqrt, 0.0, 100.0, 0x1p-23, 0},
	{"rcp_approx_ftz_f64", exact_rcp, 0.001, 1e30, 0x1p-19, 0},
	{"rsqrt_approx_ftz_f64", exact_rsqrt, 0.001, 1e30, 0x1p-19, 0},
	{"rsqrt_approx_f64", exact_rsqrt, 0.001, 1e30, 0x1p-51, 0},
	{"ex2_approx_f16", exp2, -13.0, 15.9, 0x1p-9, 0},
	{"tanh_approx_f16", tanh, -8.0, 8.0, 0, 0x1p-10},
	{"ex2_approx_ftz_bf16", exp2, -100.0, 100.0, 0x1p-7, 0},
	{"tanh_approx_bf16", tanh, -8.0, 8.0, 0, 0x1p-8},
};

static double half_to_double(uint32_t h, bool is_bf)
{
	const int digits = is_bf ? 7 : 10, bias = is_bf ? 127 : 15;
	const int e = (int)(h >> digits) & (2 * bias + 1), m = (int)(h & ((1u << digits) - 1));
	const double v = e ? ldexp((1 << digits) + m, e - bias - digits) : ldexp(m, 1 - bias - digits);

	return h & 0x8000 ? -v : v;
}

/* Puts x into lane i in the key's format; returns the value that went in. */
static double put(struct fixture *f, int i, const char *key, double x)
{
	const char *t = strrchr(key, '_') + 1;
	const float narrow = (float)x;
	uint32_t bits;

	memcpy(&bits, &narrow, 4);
	if (strcmp(t, "f64") == 0) {
		memcpy(&f->src[0][i], &x, 8);
		return x;
	}
	if (strcmp(t, "bf16") == 0)
		bits >>= 16;
	if (strcmp(t, "f16") == 0) /* by truncation; every argument here is a normal half or zero */
		bits = fabsf(narrow) < 0x1p-14f
			   ? 0
			   : (bits >> 16 & 0x8000) | ((((bits & 0x7fffffff) - (112u << 23)) >> 13));
	((uint32_t *)f->src[0])[i] = bits;
	return t[0] == 'b' ? half_to_double(bits, true) : strcmp(t, "f16") == 0 ? half_to_double(bits, false) : narrow;
}

static double get(const struct fixture *f, int i, const char *key)
{
	const char *t = strrchr(key, '_') + 1;
	const uint32_t bits = ((const uint32_t *)f->dst)[i];
	float narrow;

	memcpy(&narrow, &bits, 4);
	if (strcmp(t, "f64") == 0) {
		double d;
		memcpy(&d, &f->dst[i], 8);
		return d;
	}
	return t[0] == 'b' ? half_to_double(bits, true) : strcmp(t, "f16") == 0 ? half_to_double(bits, false) : narrow;
}

static void test_bounds(void **state)
{
	const enum simt_isa isa = simt_isa_choose(NULL);

	(void)state;
	for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
		const char *key = bounds[k].key;
		struct fixture f = {.state = k};
		const struct simt_alu_row *row = simt_alu_row(key, isa);

		assert_non_null(row);
		for (int round = 0; round < ROUNDS / 32; round++) {
			double x[32];
			for (int i = 0; i < 32; i++) {
				const double u = (double)(fixture_random(&f) >> 11) * 0x1p-53;
				x[i] = put(&f, i, key, bounds[k].low + u * (bounds[k].high - bounds[k].low));
			}
			fixture_run(&f, row, UINT32_MAX, 0);
			for (int i = 0; i < 32; i++) {
				const double is = get(&f, i, key), want = bounds[k].exact(x[i]);
				if (!(fabs(is - want) <= bounds[k].absolute + bounds[k].relative * fabs(want)))
					fail_msg("%s(%a) = %a, exactly %a", key, x[i], is, want);
			}
		}
	}
}

static const struct {
	const char *key;
	uint32_t a, b, result;
} specials[] = {
	{"ex2_approx_f32", 0xff800000, 0, 0}, {"ex2_approx_f32", 0x7f800000, 0, 0x7f800000},
	{"ex2_approx_f32", 0x80000000, 0, 0x3f800000}, {"ex2_approx_f32", 0x7fc00001, 0, 0x7fffffff},
	{"ex2_approx_f32", 0x43000000, 0, 0x7f800000}, {"ex2_approx_ftz_f32", 0xc3000000, 0, 0},
	{"lg2_approx_f32", 0, 0, 0xff800000}, {"lg2_approx_f32", 0x80000000, 0, 0xff800000},
	{"lg2_approx_f32", 0xbf800000, 0, 0x7fffffff}, {"lg2_approx_f32", 0x7f800000, 0, 0x7f800000},
	{"lg2_approx_f32", 0x3f800000, 0, 0}, {"lg2_approx_ftz_f32", 0x00000001, 0, 0xff800000},
	{"lg2_approx_f32", 0x00000001, 0, 0xc3150000},
	{"sin_approx_f32", 0x7f800000, 0, 0x7fffffff}, {"sin_approx_f32", 0x80000000, 0, 0x80000000},
	{"cos_approx_f32", 0xff800000, 0, 0x7fffffff}, {"cos_approx_f32", 0x80000000, 0, 0x3f800000},
	{"sin_approx_ftz_f32", 0x80000001, 0, 0x80000000},
	{"rcp_approx_f32", 0, 0, 0x7f800000}, {"rcp_approx_f32", 0xff800000, 0, 0x80000000},
	{"rcp_approx_ftz_f32", 0x80000001, 0, 0xff800000}, {"rcp_approx_ftz_f32", 0x7f000001, 0, 0},
	{"rsqrt_approx_f32", 0x80000000, 0, 0xff800000}, {"rsqrt_approx_f32", 0xbf800000, 0, 0x7fffffff},
	{"rsqrt_approx_f32", 0x7f800000, 0, 0}, {"sqrt_approx_f32", 0x80000000, 0, 0x80000000},
	{"sqrt_approx_f32", 0xbf800000, 0, 0x7fffffff}, {"tanh_approx_f32", 0x7f800000, 0, 0x3f800000},
	{"tanh_approx_f32", 0x80000000, 0, 0x80000000}, {"tanh_approx_f32", 0x7f800001, 0, 0x7fffffff},
	/* 1 / b is flushed past 2^126 */
	{"div_approx_f32", 0x3f800000, 0x7f000000, 0}, {"div_approx_f32", 0x7f800000, 0x7f000001, 0x7fffffff},
	{"div_approx_f32", 0x40c00000, 0x40000000, 0x40400000}, {"div_full_f32", 0x40c00000, 0x40000000, 0x40400000},
	{"ex2_approx_f16", 0x3c00, 0, 0x4000}, {"ex2_approx_f16x2", 0x3c004000, 0, 0x40004400},
	{"tanh_approx_f16", 0xfc00, 0, 0xbc00}, {"ex2_approx_ftz_bf16", 0xff80, 0, 0},
};

static void test_specials(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof specials / sizeof specials[0]; k++) {
		struct fixture f = {.state = 1};
		const struct simt_alu_row *row = simt_alu_row(specials[k].key, SIMT_ISA_PORTABLE);

		assert_non_null(row);
		((uint32_t *)f.src[0])[0] = specials[k].a;
		((uint32_t *)f.src[1])[0] = specials[k].b;
		fixture_run(&f, row, 1, 0);
		if ((uint32_t)f.dst[0] != specials[k].result)
			fail_msg("%s(%08x, %08x) = %08x, expected %08x", specials[k].key, specials[k].a, specials[k].b,
				 (uint32_t)f.dst[0], specials[k].result);
	}
}

/* PTX ISA, rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: the operand is its high word, of 20 fraction bits; so is the
 * result. */
static void test_high_words(void **state)
{
	static const struct {
		const char *key;
		uint64_t a, result;
	} rows[] = {
		{"rcp_approx_ftz_f64", 0x4000000012345678, 0x3fe0000000000000},
		{"rcp_approx_ftz_f64", 0xc0000000ffffffff, 0xbfe0000000000000},
		{"rcp_approx_ftz_f64", 0x7ff0000000000001, 0},
		{"rcp_approx_ftz_f64", 0xfff0000000000001, 0x8000000000000000},
		{"rcp_approx_ftz_f64", 0x7ff0000100000000, 0x7fffffff00000000},
		{"rcp_approx_ftz_f64", 0x00000000ffffffff, 0x7ff0000000000000},
		{"rcp_approx_ftz_f64", 0x800fffffffffffff, 0xfff0000000000000},
		{"rcp_approx_ftz_f64", 0x7fe0000000000000, 0},
		{"rsqrt_approx_ftz_f64", 0x3ff00000ffffffff, 0x3ff0000000000000},
		{"rsqrt_approx_ftz_f64", 0x40100000ffffffff, 0x3fe0000000000000},
		{"rsqrt_approx_ftz_f64", 0x7ff0000000000001, 0},
		{"rsqrt_approx_ftz_f64", 0xbff0000000000000, 0x7fffffff00000000},
		{"rsqrt_approx_ftz_f64", 0x8000000000000001, 0xfff0000000000000},
	};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
		struct fixture f = {.state = 1};

		f.src[0][0] = rows[k].a;
		fixture_run(&f, simt_alu_row(rows[k].key, SIMT_ISA_PORTABLE), 1, 0);
		if (f.dst[0] != rows[k].result)
			fail_msg("%s(%016llx) = %016llx, expected %016llx", rows[k].key, (unsigned long long)rows[k].a,
				 (unsigned long long)f.dst[0], (unsigned long long)rows[k].result);
	}
}

/* div.approx: 2 ulp for |b| in [2^-126, 2^126]; div.full: 2 ulp. */
static void test_division(void **state)
{
	static const char *const keys[] = {"div_approx_f32", "div_approx_ftz_f32", "div_full_f32", "div_full_ftz_f32"};
	const enum simt_isa isa = simt_isa_choose(NULL);
	struct fixture f = {.state = 3};

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const struct simt_alu_row *row = simt_alu_row(keys[round & 3], isa);
		float a[32], b[32];
		for (int i = 0; i < 32; i++) {
			a[i] = ldexpf(1.0f + (float)(fixture_random(&f) & 0x7fffff) * 0x1p-23f,
				      (int)(fixture_random(&f) % 120) - 60);
			b[i] = -ldexpf(1.0f + (float)(fixture_random(&f) & 0x7fffff) * 0x1p-23f,
				       (int)(fixture_random(&f) % 120) - 60);
		}
		memcpy(f.src[0], a, sizeof a);
		memcpy(f.src[1], b, sizeof b);
		fixture_run(&f, row, UINT32_MAX, 0);
		for (int i = 0; i < 32; i++) {
			float is;
			memcpy(&is, (uint32_t *)f.dst + i, 4);
			const double want = (double)a[i] / b[i];
			if (fabs(want) >= 0x1p-126 && fabs(is - want) > 2 * 0x1p-23 * fabs(want))
				fail_msg("%s(%a, %a) = %a", row->key, (double)a[i], (double)b[i], (double)is);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_specials),
		cmocka_unit_test(test_high_words),
		cmocka_unit_test(test_division),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
