/* foresee.c - warps spread over the grid, and their first addresses. */
#include "ndp/map/foresee.h"

#include <glib.h>

enum { INSTRUCTIONS_EACH = 64 }; /* that an access may take, before a walk is given up */

static void shows(void *self, const uint64_t *addr, uint32_t mask, uint32_t bytes)
{
	struct foresee_warp *w = self;
	struct coalesced_line lines[COALESCE_LINES_MAX];
	const uint32_t count = coalesce_lines(addr, mask, bytes, lines);

	for (uint32_t i = 0; i < count && w->count < FORESEE_LINES_MAX; i++)
		w->lines[w->count++] = lines[i].addr_bytes;
}

/* Steps of the golden section: no two CTAs are the same distance apart, whatever power of two rows are. */
static uint64_t cta_of(uint64_t i, uint64_t total)
{
	return (uint64_t)(uint32_t)(i * 0x9e3779b9u) * total >> 32;
}

void foresee_look(struct foresee *f, struct simt_launch *l, uint64_t warps, uint64_t accesses)
{
	const uint64_t total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	struct simt_walk *walk = simt_walk_new(l->program);

	f->count = 0;
	f->lookups_most = 0;
	f->walked = (struct simt_walked){0};
	for (uint64_t i = 0; i < warps && simt_walk_known_count(walk); i++) {
		struct simt_cta *cta = simt_cta_begin(l, cta_of(i, total), 0);
		struct foresee_warp *w = &f->warps[f->count];
		const struct simt_walk_bounds bounds = {.instructions = INSTRUCTIONS_EACH * accesses,
							.accesses = accesses,
							.shows = shows,
							.self = w};

		const uint64_t before = f->walked.lookups;

		w->count = 0;
		simt_walk_run(walk, l, simt_cta_warp(cta, (uint32_t)(i % simt_cta_warp_count(cta))), &bounds,
			      &f->walked);
		f->lookups_most = MAX(f->lookups_most, f->walked.lookups - before);
		simt_cta_end(cta);
		f->count += w->count != 0;
	}
	simt_walk_free(walk);
}
