/* svg.h - drawings of a reproduction's page, each of which is a file by itself as well. */
#ifndef STRATA_REPRODUCE_SVG_H
#define STRATA_REPRODUCE_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A drawing that is being made. */
struct reproduce_svg {
	FILE *body;
	char *text;
	size_t length;
};

/* What stands below it: colours of reproduce_colour by number, with what they are of. */
struct reproduce_svg_key {
	uint32_t count;
	const char *(*name)(const void *ctx, uint32_t index);
	const void *ctx;
	const char *more; /* a sentence behind them, or NULL */
	bool is_round;	  /* of points, not of bars */
};

/* Where to write what is drawn, in pixels from the corner at the top left. reproduce_svg_end closes it. */
FILE *reproduce_svg_begin(struct reproduce_svg *s);
/* Writes the drawing to the page, with a link that saves it as a file, there with its title. width, height: of what was
 * drawn; the key comes below. */
void reproduce_svg_end(struct reproduce_svg *s, FILE *page, double width, double height, const char *title,
		       const struct reproduce_svg_key *key);

#endif
