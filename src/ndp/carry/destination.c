/* destination.c - the rules by which a block's stack is chosen. */
#include "ndp/carry/destination.h"

#include <glib.h>

#include "base/check.h"
#include "gpu/priv.h"
#include "ndp/carry/carry.h"

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

void carry_chooser_init(struct carry_chooser *c, enum carry_destination_rule rule, uint32_t access_count,
			uint32_t line_count, uint32_t sm_count)
{
	const bool looks_ahead = rule == CARRY_DESTINATION_MOST || rule == CARRY_DESTINATION_UNSHARED;

	CHECK(access_count && access_count <= CARRY_ACCESSES_MAX && line_count);
	*c = (struct carry_chooser){.rule = rule, .access_count = looks_ahead ? access_count : 1};
	if (rule == CARRY_DESTINATION_UNSHARED)
		mem_tags_init(&c->seen, sm_count, line_count);
}

void carry_chooser_free(struct carry_chooser *c)
{
	mem_tags_free(&c->seen);
	c->seen.tags = NULL;
}

/* Has another warp of the SM touched the line? Remembers that this one has. */
static bool is_shared(struct carry_chooser *c, uint32_t sm, uint32_t slot, uint64_t line)
{
	struct carry_seen *s = mem_tags_find(&c->seen, sm, line);
	const bool is_other = s && s->slot != slot;

	if (!s) {
		s = mem_tags_victim(&c->seen, sm, way, true);
		s->line = line;
		s->state = 1;
		mem_tags_take(&c->seen, s, line);
	}
	s->slot = is_other ? CARRY_SLOT_SHARED : slot;
	mem_tags_use(&c->seen, s);
	return is_other;
}

static uint32_t unshared(struct carry_chooser *c, const struct carry_choice *choice)
{
	uint32_t stack = choice->stacks[0];
	bool is_found = false;

	for (uint32_t i = 0; i < choice->known_count; i++) {
		if (is_shared(c, choice->sm, choice->slot, choice->lines[i]) || is_found)
			continue;
		is_found = true;
		stack = choice->stacks[i];
	}
	return stack;
}

uint32_t carry_choose(struct carry_chooser *c, const struct carry_choice *choice)
{
	const uint32_t count = c->rule == CARRY_DESTINATION_MOST ? choice->known_count : choice->count;
	const uint32_t *stacks = choice->stacks;
	uint32_t lines[GPU_STACKS_MAX] = {0};
	struct equals best = {0};

	CHECK(choice->count && choice->known_count >= choice->count);
	if (c->rule == CARRY_DESTINATION_UNSHARED)
		return unshared(c, choice);
	for (uint32_t i = 0; i < count; i++)
		lines[stacks[i]]++;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t s = stacks[i];

		offer(&best, s,
		      c->rule == CARRY_DESTINATION_LEAST_LOADED ? UINT32_MAX - choice->loads[s] : lines[s]);
	}
	if (c->rule == CARRY_DESTINATION_FIRST || best.count == 1)
		return best.stacks[0];
	return best.stacks[c->turn++ % best.count];
}

uint32_t carry_destination(struct carry_chooser *c, struct gpu *g, const struct carry_access *a, const uint32_t *loads)
{
	uint32_t stacks[CARRY_ACCESSES_MAX * COALESCE_LINES_MAX];
	const struct carry_choice choice = {a->sm, a->slot, a->lines, stacks, a->count, a->known_count, loads};

	CHECK(a->known_count <= ARRAY_COUNT(stacks));
	for (uint32_t i = 0; i < a->known_count; i++)
		stacks[i] = gpu_stack_of(g, a->sm, a->lines[i]);
	return carry_choose(c, &choice);
}
