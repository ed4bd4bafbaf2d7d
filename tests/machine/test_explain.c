/* The rows that explain runs: every name in them is one that a part has declared, every mechanism and part has some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "machine/explain.h"
#include "machine/parts.h"

static void test_names(void **state)
{
	g_autofree char *mistake = machine_explain_mistake();

	(void)state;
	if (mistake)
		fail_msg("%s", mistake);
}

/* What runs a program says what bounds it and what would help it; a mechanism says what it did. */
static void test_rows(void **state)
{
	const char *mechanism;

	(void)state;
	for (const struct machine_part *const *p = machine_parts; *p; p++) {
		if (!(*p)->runs)
			continue;
		assert_non_null((*p)->explain);
		assert_non_null((*p)->explain(NULL)->bounds->label);
		assert_non_null((*p)->explain(NULL)->cases->name);
		assert_non_null((*p)->explain(NULL)->roofs->label);
	}
	for (uint32_t i = 1; (mechanism = ndp_mechanism_name(i)); i++) {
		assert_non_null(ndp_mechanism_explain(mechanism));
		assert_non_null(ndp_mechanism_explain(mechanism)->ledger->label);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_rows)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
