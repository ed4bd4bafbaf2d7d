/* destination.h - to which stack a block goes, by the lines that it touches first. */
#ifndef STRATA_NDP_CARRY_DESTINATION_H
#define STRATA_NDP_CARRY_DESTINATION_H

#include <stdint.h>

#include "mem/tags.h"
#include "sim/param.h"

struct carry_access;
struct gpu;

/* The setting ndp.destination. */
#define CARRY_DESTINATIONS(X)                                                                            \
	X(CARRY_DESTINATION_FIRST, first) X(CARRY_DESTINATION_TURN, turn) X(CARRY_DESTINATION_MOST, most) \
	X(CARRY_DESTINATION_UNSHARED, unshared) X(CARRY_DESTINATION_LEAST_LOADED, least_loaded)
enum carry_destination_rule { CARRY_DESTINATIONS(SIM_PARAM_ENUMERATOR) };

/* MOST and UNSHARED look at so many accesses of a block at most (ndp.destination_access_count). */
enum { CARRY_ACCESSES_MAX = 8 };

/* A line that a controller remembers, of UNSHARED; state 1: one is here. */
struct carry_seen {
	MEM_TAG;
	uint32_t slot; /* the warp that touched it; CARRY_SLOT_SHARED: several */
};
#define CARRY_SLOT_SHARED UINT32_MAX

struct carry_chooser {
	enum carry_destination_rule rule;
	uint32_t access_count; /* of a block that the rule looks at */
	uint32_t turn; /* TURN, LEAST_LOADED, MOST: choices among equals so far */
	struct {
		MEM_TAGS(struct carry_seen);
	} seen; /* UNSHARED: a set for each SM; else without memory */
};

/* access_count and line_count as ndp.destination_... have them; for a GPU of so many SMs. */
void carry_chooser_init(struct carry_chooser *c, enum carry_destination_rule rule, uint32_t access_count,
			uint32_t line_count, uint32_t sm_count);
void carry_chooser_free(struct carry_chooser *c);

/* What a rule may see of a block: a warp's lines, those of its first access before those of further ones. */
struct carry_choice {
	uint32_t sm, slot; /* the warp */
	const uint64_t *lines;
	const uint32_t *stacks; /* stacks[i], below GPU_STACKS_MAX, is line i's */
	uint32_t count;	      /* of the first access: 1 or more */
	uint32_t known_count; /* of all accesses known: count or more */
	const uint32_t *loads; /* loads[s]: stack s's blocks under way; read by LEAST_LOADED only */
};

/* The block's stack. FIRST: that of most of the first access' lines, among equals that of the first line (its lane is
 * the lowest). TURN: that of most of these lines, among equals one after the other. MOST: that of most lines of all
 * accesses known, among equals as TURN. UNSHARED: that of the first line of them that no other warp of the SM has
 * touched, as far as the controller remembers; if all are shared, that of the first line. LEAST_LOADED: of the stacks
 * that have a line of the first access that of the least load, among equals as TURN. */
uint32_t carry_choose(struct carry_chooser *c, const struct carry_choice *choice);

/* This is carry_choose for an access on a GPU, which knows where lines are. */
uint32_t carry_destination(struct carry_chooser *c, struct gpu *g, const struct carry_access *a, const uint32_t *loads);

#endif
