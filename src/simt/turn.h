/* turn.h - turns of warps without timing: in a kernel's host code where it has some, else interpreted. */
#ifndef STRATA_SIMT_TURN_H
#define STRATA_SIMT_TURN_H

#include "simt/simt.h"

/* Who gives turns, and what they add up to. The same whatever runs: instructions, their order, faults. */
struct simt_turner {
	enum simt_host_code code;
	bool is_strict; /* each turn ends at its last instruction; else registers may be ahead of it, until the CTA ends
			 */
	uint64_t *warp_instructions; /* counted up as they are done */
	uint64_t thread_instructions;
	/* Hears of each instruction that touches memory, after it, and of some others; NULL: nobody does. */
	void (*observe)(void *self, const struct simt_warp *w, const struct simt_step *step);
	void *self;
	bool is_faulted; /* l->fault says why */
	struct simt_step step;
};

/* Has the kernel its host code, or will it never have any? Else it is interpreted until it has run for long. */
bool simt_turn_is_settled(const struct simt_turner *by, struct simt_launch *l);
/* At most count instructions, fewer if the warp ends or waits. False: l->fault is set. */
bool simt_turn(struct simt_turner *by, struct simt_launch *l, struct simt_warp *w, uint32_t count);
/* One for each warp of a CTA that can run. False: l->fault is set, and those behind had none. */
bool simt_cta_turn(struct simt_turner *by, struct simt_launch *l, struct simt_cta *c, uint32_t count);

#endif
