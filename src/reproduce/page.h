/* page.h - what the parts of the page share. */
#ifndef STRATA_REPRODUCE_PAGE_H
#define STRATA_REPRODUCE_PAGE_H

#include <stdint.h>

/* The colour of the bars or lines of one configuration, "#4c78a8"; they come round again after eight. */
const char *reproduce_page_colour(uint32_t index);

#endif
