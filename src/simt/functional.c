/* functional.c - runs a whole launch without timing.
 *
 * CTAs start in order, one after the other or as many at once as the caller asks for. Warps of the running CTAs take
 * turns of a fixed number of instructions, so that a warp which polls memory does not starve the one it waits for. A
 * turn is as short as costs no speed: what polls (locks, the barriers of OpenMP's run-time library) wastes the rest of
 * it. A CTA that is still running after many turns may wait for a later one (a grid-wide barrier built from atomics):
 * then one more CTA starts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/functional.h"
#include "simt/state.h"

enum {
	TURN_INSTRUCTIONS = 16,
	INSTRUCTIONS_BEFORE_NEXT_CTA = 262144, /* of a warp */
};

static void start_cta(struct simt_runner *r)
{
	uint32_t sm_count = r->l->sm_count ? r->l->sm_count : 1;

	r->running[r->running_count++] = simt_cta_begin(r->l, r->next_cta, (uint32_t)(r->next_cta % sm_count));
	r->next_cta++;
}

static void drop_finished(struct simt_runner *r)
{
	uint32_t keep = 0;

	for (uint32_t i = 0; i < r->running_count; i++) {
		if (simt_cta_is_done(r->running[i]))
			simt_cta_end(r->running[i]);
		else
			r->running[keep++] = r->running[i];
	}
	r->running_count = keep;
}

/* How many CTAs may run at once: local memory was laid out for that many. */
static uint32_t cta_limit(const struct simt_launch *l)
{
	uint32_t limit = SIMT_RUNNING_CTAS_MAX;

	if (l->state->local_warp_bytes && l->state->local_slots / l->state->warps_per_cta < limit)
		limit = l->state->local_slots / l->state->warps_per_cta;
	return limit ? limit : 1;
}

static bool is_stopped(struct simt_runner *r)
{
	const struct simt_limit *limit = &r->limit;
	struct simt_where *where;

	if (!(limit->stop && *limit->stop) &&
	    !(limit->warp_instructions && *r->by.warp_instructions >= limit->warp_instructions) &&
	    !(limit->thread_instructions && r->by.thread_instructions >= limit->thread_instructions))
		return false;
	where = simt_where_new(r->l);
	for (uint32_t i = 0; i < r->running_count; i++)
		for (uint32_t k = 0; k < r->running[i]->warp_count; k++)
			simt_where_add(where, &r->running[i]->warps[k]);
	r->l->fault.kind = SIMT_FAULT_STOPPED;
	simt_where_end(where, r->l->fault.text, sizeof(r->l->fault.text));
	if (r->next_cta < r->l->state->cta_count) {
		const size_t length = strlen(r->l->fault.text);

		snprintf(r->l->fault.text + length, sizeof(r->l->fault.text) - length,
			 "; %llu of %llu CTAs have not begun",
			 (unsigned long long)(r->l->state->cta_count - r->next_cta),
			 (unsigned long long)r->l->state->cta_count);
	}
	return true;
}

static uint32_t resident_at_first(const struct simt_runner *r, uint32_t limit)
{
	const uint32_t asked = r->limit.resident_ctas ? r->limit.resident_ctas : 1;

	return r->l->is_cooperative || asked > limit ? limit : asked;
}

bool simt_runner_run(struct simt_runner *r)
{
	struct simt_launch *l = r->l;
	const uint32_t limit = cta_limit(l);
	const uint32_t next_cta_turns = INSTRUCTIONS_BEFORE_NEXT_CTA / r->limit.turn_instructions;
	uint32_t turns = 0, want = resident_at_first(r, limit);

	while (r->running_count || r->next_cta < r->end_cta) {
		while (r->running_count < want && r->next_cta < r->end_cta)
			start_cta(r);
		for (uint32_t i = 0; i < r->running_count; i++)
			if (is_stopped(r) || !simt_cta_turn(&r->by, l, r->running[i], r->limit.turn_instructions))
				return false;
		const uint32_t before = r->running_count;

		drop_finished(r);
		turns = r->running_count == before ? turns + 1 : 0;
		if (turns >= next_cta_turns && want < limit) {
			want++;
			turns = 0;
		}
	}
	return true;
}

bool simt_run_functional(struct simt_launch *l, uint64_t *warp_instruction_count, uint64_t *thread_instruction_count,
			 const struct simt_limit *limit)
{
	struct simt_runner *r = calloc(1, sizeof(*r));
	bool ok;

	CHECK(r);
	r->l = l;
	r->end_cta = l->state->cta_count;
	if (limit)
		r->limit = *limit;
	/* What is stopped somewhere tells where each warp stands, and what is looked at is looked at step by step. */
	r->by = (struct simt_turner){.code = r->limit.observe ? SIMT_CODE_INTERPRETED : r->limit.code,
				     .is_strict = r->limit.warp_instructions || r->limit.thread_instructions,
				     .warp_instructions = warp_instruction_count,
				     .thread_instructions = *thread_instruction_count,
				     .observe = r->limit.observe,
				     .self = r->limit.self};
	if (!r->limit.turn_instructions)
		r->limit.turn_instructions = TURN_INSTRUCTIONS;
	ok = r->limit.team && simt_spread_helps(r) ? simt_spread_run(r) : simt_runner_run(r);
	*thread_instruction_count = r->by.thread_instructions;
	free(r);
	return ok;
}
