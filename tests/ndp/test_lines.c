/* test_lines.c - each line once, in the order in which they came; also past its first places, and used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ndp/carry/lines.h"

static uint64_t line(uint32_t i)
{
	return (uint64_t)(i * 2654435761u) << 7;
}

static void each_once(void **state)
{
	static const uint32_t counts[] = {300, 3, 0, 64, 1000};
	struct lines s = {0};

	(void)state;
	for (uint32_t k = 0; k < 5; k++) {
		lines_clear(&s);
		for (uint32_t i = 0; i < counts[k]; i++) {
			lines_add(&s, line(i + k));
			lines_add(&s, line(i / 2 + k)); /* known */
		}
		assert_int_equal(s.count, counts[k]);
		for (uint32_t i = 0; i < counts[k]; i++)
			assert_int_equal(s.addr_bytes[i], line(i + k));
	}
	lines_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_once)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
