/* colour.h - the colours of drawings. */
#ifndef STRATA_REPRODUCE_COLOUR_H
#define STRATA_REPRODUCE_COLOUR_H

#include <stdint.h>

/* The colour of the bars or lines of one configuration, "#4c78a8"; they come round again after eight. */
const char *reproduce_colour(uint32_t index);

#endif
