/* destination.c - the rules by which a block's stack is chosen. */
#include "ndp/carry/destination.h"

#include "base/check.h"
#include "gpu/priv.h"

/* The stacks that have the highest score, in the order of their first lines. */
struct equals {
	uint32_t count, stacks[GPU_STACKS_MAX];
	uint64_t score;
};

static void offer(struct equals *e, uint32_t stack, uint64_t score)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (e->stacks[i] == stack)
			return;
	if (e->count && score < e->score)
		return;
	if (score > e->score)
		e->count = 0;
	e->score = score;
	e->stacks[e->count++] = stack;
}

uint32_t carry_choose(struct carry_chooser *c, const uint32_t *stacks, uint32_t count, const uint32_t *loads)
{
	uint32_t lines[GPU_STACKS_MAX] = {0};
	struct equals best = {0};

	CHECK(count);
	for (uint32_t i = 0; i < count; i++)
		lines[stacks[i]]++;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t s = stacks[i];

		offer(&best, s, c->rule == CARRY_DESTINATION_LEAST_LOADED ? UINT32_MAX - loads[s] : lines[s]);
	}
	if (c->rule == CARRY_DESTINATION_FIRST || best.count == 1)
		return best.stacks[0];
	return best.stacks[c->turn++ % best.count];
}
