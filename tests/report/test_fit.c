/* test_fit.c - tables of a narrow terminal: which columns go, and that nothing else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <glib.h>

#include "report/fit.h"

static const char *const order[] = {"TX MB", "ratio", "not there", NULL};

static void fits(const char *table, int width, const char *expected)
{
	g_autofree char *text = report_fit_text(table, width, order, "--json has them");

	assert_string_equal(text, expected);
}

/* C: in front of a column. */
#define C REPORT_FIT_COLUMN

static const char table[] = "machine  time us" C "  RX MB" C " TX MB" C "  ratio" C "  main stall\n"
			    "a          1.234" C "  1.000" C " 2.000" C "  1.00x" C "  lsu 86 %\n"
			    "a longer name than others 2.345" C "  3.000" C " 4.000\n"
			    "c  not run: because of what is said here, which is long\n";

static void columns_go_in_turn(void **state)
{
	(void)state;
	fits(table, 45, "machine  time us  RX MB  ratio  main stall\n"
			"a          1.234  1.000  1.00x  lsu 86 %\n"
			"a longer name than others 2.345  3.000\n"
			"c  not run: because of what is said here, which is long\n"
			"left out, as the terminal has 45 columns: TX MB; --json has them\n");
	fits(table, 20, "machine  time us  RX MB  main stall\n"
			"a          1.234  1.000  lsu 86 %\n"
			"a longer name than others 2.345  3.000\n"
			"c  not run: because of what is said here, which is long\n"
			"left out, as the terminal has 20 columns: TX MB, ratio; --json has them\n");
}

/* Of no terminal (0), and of one that is wide enough but for the words at a line's end. */
static void all_stay(void **state)
{
	static const char whole[] = "machine  time us  RX MB TX MB  ratio  main stall\n"
				    "a          1.234  1.000 2.000  1.00x  lsu 86 %\n"
				    "a longer name than others 2.345  3.000 4.000\n"
				    "c  not run: because of what is said here, which is long\n";

	(void)state;
	fits(table, 0, whole);
	fits(table, 54, whole);
}

/* Columns are characters, and not bytes. */
static void characters(void **state)
{
	(void)state;
	fits("name" C "  \302\261 us" C "  end\nx   " C "     1" C "  yes\n", 15,
	     "name  \302\261 us  end\nx        1  yes\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(columns_go_in_turn),
	    cmocka_unit_test(all_stay),
	    cmocka_unit_test(characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
