/* Which numbers of a paper are drawn beside ours, and where their bars are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reproduce/beside.h"

static struct reproduce_published published(const char *workload, const char *quantity, double value)
{
	return (struct reproduce_published){.workload = (char *)workload,
					    .configuration = (char *)"one & two",
					    .quantity = (char *)quantity,
					    .unit = (char *)"%",
					    .value = value};
}

static uint32_t count_of(const char *text, const char *part)
{
	uint32_t count = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		count++;
	return count;
}

/* The page has a drawing once, and once in its link, where a '<' is a '%3C': what is counted here is the first. */
static void pairs(void **state)
{
	const struct reproduce_published p[] = {published("a", "gain", 10), published("b", "gain", -5),
						published("c", "gain", 3), published("a", "alone", 1),
						published("d", "gain", 7)};
	struct reproduce_outcome items[] = {
	    {.id = "1", .published = &p[0], .measured = 8}, {.id = "2", .published = &p[1], .measured = -2},
	    {.id = "3", .published = &p[2], .measured = NAN}, {.id = "4", .published = &p[3], .measured = 1},
	    {.id = "5", .published = &p[4], .measured = 7, .status = REPRODUCE_INPUT},
	    {.id = "claim", .measured = NAN}};
	const struct reproduce_outcomes o = {.items = items, .count = 6};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	reproduce_beside_write(out, &o);
	fclose(out);
	assert_int_equal(count_of(text, "<h3>"), 1); /* one number is no drawing */
	assert_non_null(strstr(text, "<h3>Published and measured: gain, %</h3>"));
	assert_int_equal(count_of(text, "<title>"), 4); /* neither what nobody measured, nor what was put in */
	assert_non_null(strstr(text, "<title>a, one &amp; two, published: 10.000</title>"));
	assert_non_null(strstr(text, "<title>b, one &amp; two, measured: -2.000</title>"));
	/* From -6 to 10 are 180 pixels below 8: 0 is at 120.5, and 5 below it are 56 high. */
	assert_non_null(strstr(text, "y='120.5' width='8' height='56.2'"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pairs)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
