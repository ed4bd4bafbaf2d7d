/* colour.c - eight colours that are told apart. */
#include "reproduce/colour.h"

#include "base/check.h"

const char *reproduce_colour(uint32_t index)
{
	static const char *const colours[] = {"#4c78a8", "#f58518", "#54a24b", "#e45756",
					      "#72b7b2", "#b279a2", "#9d755d", "#bab0ac"};

	return colours[index % ARRAY_COUNT(colours)];
}
