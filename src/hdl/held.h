/* held.h - what a design has offered at a port that was not ready: a reply, or a request. Designs may offer another
 * one meanwhile, as one does that has several and chooses in turns; but before the port offers nothing, each is taken,
 * or it is lost.
 */
#ifndef STRATA_HDL_HELD_H
#define STRATA_HDL_HELD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hdl/ports.h"

enum { HDL_HELD_MAX = 64 }; /* more at a time are not looked at */

struct hdl_held {
	uint32_t count;
	uint8_t items[HDL_HELD_MAX][HDL_MESSAGE_BYTES];
};

static inline uint32_t hdl_held_find(const struct hdl_held *h, const void *what, uint32_t bytes)
{
	uint32_t i = 0;

	while (i < h->count && memcmp(h->items[i], what, bytes))
		i++;
	return i;
}

static inline void hdl_held_offered(struct hdl_held *h, const void *what, uint32_t bytes)
{
	if (hdl_held_find(h, what, bytes) == h->count && h->count < HDL_HELD_MAX)
		memcpy(h->items[h->count++], what, bytes);
}

static inline void hdl_held_taken(struct hdl_held *h, const void *what, uint32_t bytes)
{
	const uint32_t at = hdl_held_find(h, what, bytes);

	if (at == h->count)
		return;
	h->count--;
	memmove(h->items[at], h->items[at + 1], (h->count - at) * sizeof(h->items[0]));
}

#endif
