/* draw.h - which instances of a block go: a seeded draw for each (NSU, SC'17, section 7.1). */
#ifndef STRATA_NDP_NSU_DRAW_H
#define STRATA_NDP_NSU_DRAW_H

#include <stdbool.h>
#include <stdint.h>

struct nsu_draw {
	uint64_t seed, count; /* count: draws so far */
};

/* True with probability ratio (0: never, 1: always). The n-th draw of a seed is always the same number. */
bool nsu_draw(struct nsu_draw *d, double ratio);

#endif
