/* destination.h - to which stack a block goes that touches these lines first. */
#ifndef STRATA_NDP_CARRY_DESTINATION_H
#define STRATA_NDP_CARRY_DESTINATION_H

#include <stdint.h>

#include "sim/param.h"

/* The setting ndp.destination. */
#define CARRY_DESTINATIONS(X)                                          \
	X(CARRY_DESTINATION_FIRST, first) X(CARRY_DESTINATION_TURN, turn) \
	X(CARRY_DESTINATION_LEAST_LOADED, least_loaded)
enum carry_destination_rule { CARRY_DESTINATIONS(SIM_PARAM_ENUMERATOR) };

struct carry_chooser {
	enum carry_destination_rule rule;
	uint32_t turn; /* CARRY_DESTINATION_TURN: choices among equals so far */
};

/* The stack for a block whose first access touches these lines. stacks[i], below GPU_STACKS_MAX, is line i's; count is
 * 1 or more. FIRST: that of most of the lines, among equals that of the first line (its lane is the lowest). TURN: that
 * of most of the lines, among equals one after the other. LEAST_LOADED: of those that have a line that of the least
 * load, among equals as TURN; loads[s] is stack s's number of blocks under way, and read by this rule only. */
uint32_t carry_choose(struct carry_chooser *c, const uint32_t *stacks, uint32_t count, const uint32_t *loads);

#endif
