/* walk.h - where a CTA will read, before it runs. A plan has the instructions of a program's entry function of which
 * the addresses of its global loads, and the branches on the way to them, are made: special registers, parameters,
 * arithmetic, and loads whose own addresses are known in this way (a page's number in a table). What depends on
 * anything else (shared memory, what lanes tell each other, results) is left out. A walk executes the plan for a warp
 * that has not begun; it changes nothing that anybody else sees.
 */
#ifndef STRATA_SIMT_WALK_H
#define STRATA_SIMT_WALK_H

#include "simt/simt.h"

struct simt_walk;

struct simt_walk *simt_walk_new(const struct simt_program *p);
void simt_walk_free(struct simt_walk *k);
/* Loads of global memory, and asynchronous copies from it, in the text whose addresses a walk knows and shows: those in
 * loops, if there are any. */
uint32_t simt_walk_known_count(const struct simt_walk *k);

/* What walks have done: instructions of the plan, loads whose values it needed, accesses shown. */
struct simt_walked {
	uint64_t instructions, lookups, accesses;
};

/* The begin of a warp's way through the plan: it ends at so many instructions or accesses, at a branch that the plan
 * does not know, at a call, at an address where there is no memory, or where the warp does. shows is called for each
 * access. Adds to *out. */
struct simt_walk_bounds {
	uint64_t instructions, accesses;
	void (*shows)(void *self, const uint64_t *addr, uint32_t mask, uint32_t lane_bytes);
	void *self;
};
void simt_walk_run(const struct simt_walk *k, struct simt_launch *l, const struct simt_warp *w,
		   const struct simt_walk_bounds *bounds, struct simt_walked *out);

#endif
