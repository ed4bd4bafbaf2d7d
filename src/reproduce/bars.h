/* bars.h - groups of bars, drawn. */
#ifndef STRATA_REPRODUCE_BARS_H
#define STRATA_REPRODUCE_BARS_H

#include <stdint.h>
#include <stdio.h>

/* Bars of one number in each group have one colour. A value that is not finite has no bar. */
struct reproduce_bars {
	const char *title, *y_title; /* y_title: NULL where the title says what is drawn */
	uint32_t bar_count, group_count;
	double least_top; /* the axis reaches so far at least */
	double (*value)(const void *ctx, uint32_t bar, uint32_t group);
	const char *(*bar_name)(const void *ctx, uint32_t bar);
	const char *(*group_name)(const void *ctx, uint32_t group);
	const void *ctx;
};

void reproduce_bars_write(FILE *out, const struct reproduce_bars *b);

#endif
