/* Where points are drawn, and which of them are the paper's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reproduce/scatter.h"

static uint32_t point_count;

static uint32_t points(const struct reproduce_data *d, struct reproduce_point *out)
{
	(void)d;
	out[0] = (struct reproduce_point){1, 1000, 0, false, "first"};
	out[1] = (struct reproduce_point){100, 1, 1, true, "second <&"};
	return point_count;
}

static char *drawn(uint32_t count, bool is_log)
{
	static const char *const series[] = {"ours", "theirs"};
	const struct reproduce_scatter s = {"A plot", "x", "y", is_log, series, 2, points};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	point_count = count;
	reproduce_scatter_write(out, NULL, &s);
	fclose(out);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in '%s'", part, text);
}

/* Logarithmic axes are from 1 to 1000 and from 1 to 10,000: 520 by 300 pixels from 70, 310 on. */
static void places(void **state)
{
	char *text = drawn(2, true);

	(void)state;
	has(text, "<circle cx='70.0' cy='85.0' r='4'");
	has(text, "<circle cx='416.7' cy='310.0' r='7'");
	has(text, "fill='none'><title>second &lt;&amp;: 100, 1</title>");
	has(text, "Circles: the paper's.");
	free(text);
	text = drawn(2, false); /* from 0 to 1.05 times the largest */
	has(text, "<circle cx='75.0' cy='24.3' r='4'");
	has(text, "<circle cx='565.2' cy='309.7' r='7'");
	free(text);
	text = drawn(1, true);
	assert_null(strstr(text, "Circles"));
	free(text);
}

static void nothing(void **state)
{
	char *text = drawn(0, true);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(places), cmocka_unit_test(nothing)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
