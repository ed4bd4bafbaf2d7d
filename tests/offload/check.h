/* check.h - what the offload programs share: values are compared on the host, and main ends with check_report(). */
#ifndef TESTS_OFFLOAD_CHECK_H
#define TESTS_OFFLOAD_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_count, check_failures;

static void check_that(bool is_right, const char *what, long at, double got, double expected)
{
	check_count++;
	if (is_right)
		return;
	if (check_failures++ < 10)
		fprintf(stderr, "%s [%ld]: %.9g, expected %.9g\n", what, at, got, expected);
}

static inline void check_value(const char *what, long at, double got, double expected)
{
	check_that(got == expected, what, at, got, expected);
}

/* Within a relative error, for sums whose order is not given. */
static inline void check_near(const char *what, long at, double got, double expected, double error)
{
	double size = expected < 0 ? -expected : expected, off = got - expected;

	check_that((off < 0 ? -off : off) <= error * (size > 1 ? size : 1), what, at, got, expected);
}

/* The exit status of the program. */
static inline int check_report(const char *name)
{
	printf("%s: %d checks, %d failed\n", name, check_count, check_failures);
	return check_failures || !check_count;
}

#endif
