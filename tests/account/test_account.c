/* test_account.c - amounts by part: found by name, added up, and rounded without losing any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "account/account.h"

#define PARTS(X)                                          \
	X(PART_WORK, work, WORK, "the work")              \
	X(PART_BANK, bank, MEMORY, "the bank")            \
	X(PART_NONE, none, IDLE, "nothing to do")

enum part { PARTS(ACCOUNT_ENUMERATOR) PART_COUNT };
static const struct account_row rows[] = {PARTS(ACCOUNT_ROW)};
static const struct account_parts parts = {rows, PART_COUNT};

static void rows_are_found(void **state)
{
	(void)state;
	assert_ptr_equal(account_find(&parts, "bank"), &rows[PART_BANK]);
	assert_string_equal(rows[PART_BANK].doc, "the bank");
	assert_int_equal(rows[PART_BANK].kind, ACCOUNT_KIND_MEMORY);
	assert_null(account_find(&parts, "ban"));
}

static void amounts_add_up(void **state)
{
	const uint64_t a[] = {3, 5, 7};
	uint64_t b[] = {1, 0, 2};

	(void)state;
	assert_int_equal(account_sum(&parts, a), 15);
	account_add(&parts, b, a);
	assert_int_equal(b[PART_WORK], 4);
	assert_int_equal(b[PART_NONE], 9);
	assert_false(account_is_same(&parts, a, b));
	b[PART_WORK] = 3;
	b[PART_NONE] = 7;
	assert_true(account_is_same(&parts, a, b));
	b[PART_NONE]++;
	assert_false(account_is_same(&parts, a, b));
}

/* 3.2, 0.6, 0.6 and 5.5 of a thousand: each alone would lose what it has behind the point. */
static void rounded_ones_are_whole(void **state)
{
	const uint64_t amounts[] = {3200, 600, 600, 5500};
	uint64_t before = 0, sum = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++)
		sum += account_rounded(amounts[i], 1000, &before);
	assert_int_equal(before, 9900);
	assert_int_equal(sum, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_found),
	    cmocka_unit_test(amounts_add_up),
	    cmocka_unit_test(rounded_ones_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
