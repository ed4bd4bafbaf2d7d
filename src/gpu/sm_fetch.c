/* sm_fetch.c - instruction fetch: a warp's buffer holds one group of instructions. The group that follows it is
 * fetched when the warp comes to it or, with sm.fetch_ahead, while the warp issues from this one. A taken branch
 * empties the buffer. A group in a code line that the L1I does not hold waits for memory.
 */
#include <string.h>

#include "gpu/accounting.h"
#include "gpu/beside.h"
#include "gpu/priv.h"

/* Turns are given as far ahead as the latest start, which is whoever's who places warps, and those that wait behind it:
 * no turn that was given is forgotten.
 */
static void reach_twice_as_far(struct sm *sm)
{
	const uint32_t old = sm->fetch_slots;
	uint8_t *fetches = g_new0(uint8_t, 2 * (size_t)old);

	for (uint32_t i = 0; i < old; i++)
		fetches[(sm->now + i) % (2 * old)] = sm->fetches[(sm->now + i) % old];
	g_free(sm->fetches);
	sm->fetches = fetches;
	sm->fetch_slots = 2 * old;
}

/* The first cycle from start on in which a warp more may fetch; it does. */
static uint32_t fetch_turn(struct sm *sm, uint32_t start)
{
	uint32_t at = start > sm->now ? start : sm->now;

	if (!sm->fetch_warps)
		return start;
	for (; sm->fetch_from != sm->now; sm->fetch_from++) {
		if (sm->now - sm->fetch_from >= sm->fetch_slots) {
			memset(sm->fetches, 0, sm->fetch_slots);
			sm->fetch_from = sm->now;
			break;
		}
		sm->fetches[sm->fetch_from % sm->fetch_slots] = 0;
	}
	for (;; at++) {
		while (unlikely(at - sm->now >= sm->fetch_slots))
			reach_twice_as_far(sm);
		if (sm->fetches[at % sm->fetch_slots] < sm->fetch_warps)
			break;
	}
	sm->fetches[at % sm->fetch_slots]++;
	return at;
}

/* A group whose line is there, fetched from start on: when it can issue. Diverged warps share their turns. */
static uint32_t fetched(struct sm *sm, struct sm_warp *w, uint32_t start)
{
	const uint32_t share = sm_share(sm, w), latency = sm_share_cycles(&w->fetch_parts, sm->fetch_latency, share);

	sm->fetch_parts += share;
	if (unlikely(sm->fetch_parts < SM_WHOLE))
		return start + latency;
	sm->fetch_parts -= SM_WHOLE;
	return fetch_turn(sm, start) + latency;
}

/* Fetches a group; returns the cycle it is there, SM_NEVER while the L1I waits for its line. */
static uint32_t fetch_group(struct sm *sm, struct sm_warp *w, uint32_t group, uint32_t start)
{
	struct gpu *g = sm->gpu;
	uint32_t line = group >> sm->group_line_shift, mshr;

	w->fetch_token++;
	if (line == w->fetch_line)
		return fetched(sm, w, start);
	sm->spare->addr_bytes = g->code_base + (uint64_t)line * mem_cache_line_bytes(sm->l1i);
	sm->spare->owner = w;
	sm->spare->tag = w->fetch_token;
	enum mem_cache_result result = mem_cache_read(sm->l1i, sm->spare, &mshr);

	if (result == MEM_CACHE_HIT) {
		w->fetch_line = line;
		return fetched(sm, w, start);
	}
	if (result == MEM_CACHE_STALL) {
		sm->fetch_retry[w->scheduler] |= 1ull << w->bit;
		return SM_NEVER;
	}

	uint64_t addr_bytes = sm->spare->addr_bytes;

	w->fetch_line = UINT32_MAX;
	sm->spare = sm_req_get(sm);
	if (result == MEM_CACHE_MISS) {
		struct mem_req *r = sm_req_get(sm);

		r->addr_bytes = addr_bytes;
		r->size_bytes = (uint16_t)mem_cache_line_bytes(sm->l1i);
		mem_req_set_access(r, MEM_READ, MEM_KIND_CODE);
		r->port = port_number(sm, SM_PORT_CODE);
		r->tag = mshr;
		r->owner = NULL;
		port_push(sm, r);
	}
	return SM_NEVER;
}

static uint32_t group_count(const struct sm *sm)
{
	return ((sm->gpu->launch->program->inst_count - 1) >> sm->group_shift) + 1;
}

static void prefetch(struct sm *sm, struct sm_warp *w)
{
	w->next_ready = SM_NEVER;
	if (sm->fetches_ahead && w->fetch_ready != SM_NEVER && w->fetch_group + 1 < group_count(sm))
		w->next_ready =
		    fetch_group(sm, w, w->fetch_group + 1, w->fetch_ready > sm->now ? w->fetch_ready : sm->now);
}

void sm_fetch_start(struct sm *sm, struct sm_warp *w, uint32_t pc, uint32_t start)
{
	w->has_marked = false;
	if (w->w->is_done)
		return;
	w->fetch_group = pc >> sm->group_shift;
	w->fetch_ready = fetch_group(sm, w, w->fetch_group, start);
	prefetch(sm, w);
}

void sm_fetch_advance(struct sm *sm, struct sm_warp *w, uint32_t pc)
{
	uint32_t group = pc >> sm->group_shift;

	if (likely(group == w->fetch_group) || w->w->is_done)
		return;
	if (!sm->fetches_ahead || unlikely(group != w->fetch_group + 1)) {
		sm_fetch_start(sm, w, pc, sm->now + sm_share_cycles(&w->fetch_parts, 1, sm_share(sm, w)));
		return;
	}
	w->fetch_group = group;
	w->fetch_ready = w->next_ready;
	prefetch(sm, w);
}

/* The line that the warp's last fetch waited for is there. */
static void fetch_resume(struct sm *sm, struct sm_warp *w, uint64_t addr_bytes)
{
	uint32_t at = fetched(sm, w, sm->now);

	w->fetch_line = (uint32_t)((addr_bytes - sm->gpu->code_base) / mem_cache_line_bytes(sm->l1i));
	if (w->fetch_ready == SM_NEVER) {
		w->fetch_ready = at;
		prefetch(sm, w);
		if (w->wait == SM_WAIT_FETCH)
			sm_evaluate(sm, w);
	} else {
		w->next_ready = at;
	}
}

/* Warps that found no MSHR ask again. */
static void fetch_again(struct sm *sm)
{
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		uint64_t m = sm->fetch_retry[i] & sm->schedulers[i].resident;

		sm->fetch_retry[i] = 0;
		for (; m; m &= m - 1) {
			struct sm_warp *w = &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i];
			uint32_t *slot = w->fetch_ready == SM_NEVER ? &w->fetch_ready : &w->next_ready;
			uint32_t group = w->fetch_group + (w->fetch_ready != SM_NEVER);

			if (w->w->is_done || *slot != SM_NEVER || group >= group_count(sm) ||
			    (slot == &w->next_ready && !sm->fetches_ahead))
				continue;
			*slot = fetch_group(sm, w, group, sm->now);
			if (slot == &w->fetch_ready && *slot != SM_NEVER) {
				prefetch(sm, w);
				if (w->wait == SM_WAIT_FETCH)
					sm_evaluate(sm, w);
			}
		}
	}
}

static void take_line(void *self, struct mem_req *reply)
{
	const struct sm_port *p = self;
	struct sm *sm = p->sm;
	uint64_t victim;
	struct mem_req *r = mem_cache_fill(p->cache, reply->tag, &victim);

	port_answered(sm, reply, p->latency_ps);
	if (unlikely(sm->gpu->account != NULL))
		account_answered(sm->gpu->account, sm, ACCOUNT_FETCH, reply);
	while (r) {
		struct mem_req *next = r->next;
		struct sm_warp *w = r->owner;

		if (w->w && w->fetch_token == r->tag)
			fetch_resume(sm, w, r->addr_bytes);
		sm_req_put(sm, r);
		r = next;
	}
	sm_req_put(sm, reply);
	fetch_again(sm);
	sm_wake(sm, sm->now);
}

const struct net_port_ops sm_fetch_port_ops = {.done = take_line};
