/* Formulas: what they give, what is missing, what is none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "base/formula.h"

static double value(void *ctx, const char *name)
{
	(void)ctx;
	if (!strcmp(name, "one"))
		return 1;
	if (!strcmp(name, "a.two_3"))
		return 2;
	return strcmp(name, "own.x") ? NAN : 40;
}

/* "three" has 10, 30 and 20. */
static size_t count(void *ctx, const char *list)
{
	(void)ctx;
	return strcmp(list, "three") ? 0 : 3;
}

static double own(void *ctx, const char *list, size_t item, const char *name)
{
	static const double x[] = {10, 30, 20};

	(void)ctx;
	assert_string_equal(list, "three");
	return strcmp(name, "x") ? NAN : x[item];
}

static double of(const char *text)
{
	const struct base_formula_scope scope = {.value = value, .count = count, .own = own};

	return base_formula_value(text, &scope);
}

static void test_values(void **state)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {
	    {"1 + 2 * 3", 7},	    {"(1+2)*3", 9},	    {"8 / 2 / 2", 2},
	    {"5 - 2 - 1", 2},	    {"-one + 3", 2},	    {"2e3 * 1.5", 3000},
	    {"one / a.two_3", 0.5}, {"max(1, 5, 3)", 5},    {"min(4, one, 3)", 1},
	    {"where(one, 7)", 7},   {"missing(nothing)", 1}, {"missing(one)", 0},
	    {"most(three, own.x)", 30}, {"total(three, own.x + one)", 63},
	    {"count(three)", 3},    {"count(none)", 0},	    {"total(none, own.x)", 0},
	    {"most(three, own.x) / (6 / count(three))", 15},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (of(rows[i].text) != rows[i].value)
			fail_msg("'%s' is %g, expected %g", rows[i].text, of(rows[i].text), rows[i].value);
}

static void test_missing(void **state)
{
	static const char *const rows[] = {"nothing",	  "1 + nothing",	 "nothing * 0",	    "one / 0",
					   "max(1, nothing)", "where(0, 1)",	 "where(-one, 1)",  "where(nothing, 1)",
					   "most(none, own.x)", "most(three, own.y)", "total(three, own.y)"};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (!isnan(of(rows[i])))
			fail_msg("'%s' is %g, expected nothing", rows[i], of(rows[i]));
}

/* Of an item of a list that the formula is about. */
static void test_own(void **state)
{
	const struct base_formula_scope scope = {.value = value, .count = count, .own = own, .has_own = true};

	(void)state;
	assert_true(base_formula_value("own.x / most(three, own.x)", &scope) == 40.0 / 30);
}

static bool no_bad_name(void *ctx, const char *name, bool is_list)
{
	++*(uint32_t *)ctx;
	return is_list == !strcmp(name, "three") && strcmp(name, "bad") != 0;
}

static void test_check(void **state)
{
	static const char *const right[] = {"1", "a.b + most(three, own.c)", "where(x, max(1, y))", "-(-1)"};
	static const char *const wrong[] = {"",	 "1 +",	    "(1",      "1)",	   "a b",     "f(1)", "max()",
					    "1..2", "most(three)", "most(1, 2)", "where(1)", "bad", "*2",	"a,b"};
	uint32_t names = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(right); i++)
		if (!base_formula_check(right[i], no_bad_name, &names))
			fail_msg("'%s' is a formula", right[i]);
	assert_int_equal(names, 5);
	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++)
		if (base_formula_check(wrong[i], no_bad_name, &names))
			fail_msg("'%s' is no formula", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_missing),
					   cmocka_unit_test(test_own), cmocka_unit_test(test_check)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
