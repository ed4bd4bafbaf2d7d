/* check_grid.c - what orders CTAs of one launch: a fence followed by an atomic, volatile or ordered write, and a read
 * of that kind of the same address by another CTA. Barriers of a CTA pass on what one of its warps has taken.
 *
 * A warp's clock (check_race.c) grows at its fences. What a warp has taken over is, for every other CTA, the clocks of
 * its warps up to which it knows what they did. A fence keeps that, and the clocks of the warp's own CTA as it has seen
 * them; an ordered write after it hands both over at its address. CTAs run in some order, one after the other perhaps;
 * only these handovers order them.
 *
 * A volatile or ordered store without a fence hands over less: what the CTA read before it cannot see what is written
 * by who has read that store, since no store becomes visible before what decides on it is known. An in-place compaction
 * with look-back between CTAs relies on this. So there are two kinds of knowledge, of all that another warp did and of
 * what it read.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/check_hooks.h"
#include "simt/check_priv.h"

enum { WARPS = SIMT_CHECK_WARPS_MAX };

enum kind { ALL, READS, KINDS };

struct handover {
	uint64_t key; /* address + 1; 0: free */
	struct simt_clocks *clocks[KINDS];
};

struct simt_check_grid {
	uint32_t number; /* of the launch; from 1 */
	uint32_t levels, warp_count;
	uint64_t cta_count;
	struct handover *handovers;
	uint32_t handover_count, handover_cap;
};

/* A CTA's part in that. */
struct simt_check_far {
	struct simt_check_grid *grid;
	uint32_t cta;
	struct knowledge {
		struct simt_clocks *taken[WARPS], *arrived[SIMT_BARRIER_COUNT], *exited;
		struct simt_clocks *last[WARPS]; /* what the warp took last: a poll takes it again and again */
	} of[KINDS];
	struct simt_clocks *fenced[WARPS]; /* NULL: no fence yet */
	uint32_t fence_clock[WARPS];
	uint32_t records[SIMT_CHECK_RECORDS_KEPT];
};

/* ---- life ---- */

struct simt_check_grid *simt_check_grid_new(const struct simt_launch *l)
{
	struct simt_check_grid *g = calloc(1, sizeof(*g));

	CHECK(g);
	g->number = simt_check_global_begin(simt_memory_check(l->mem));
	g->cta_count = l->state->cta_count;
	g->levels = simt_clocks_levels(g->cta_count);
	g->warp_count = l->state->warps_per_cta;
	return g;
}

void simt_check_grid_free(struct simt_check_grid *g)
{
	for (uint32_t i = 0; i < g->handover_cap; i++)
		for (uint32_t k = 0; k < KINDS; k++)
			simt_clocks_drop(g->handovers[i].clocks[k]);
	free(g->handovers);
	free(g);
}

struct simt_check_far *simt_check_far_new(const struct simt_launch *l)
{
	struct simt_check_far *f = calloc(1, sizeof(*f));

	CHECK(f);
	f->grid = l->state->check_grid;
	return f;
}

static void forget(struct knowledge *k)
{
	for (uint32_t i = 0; i < WARPS; i++) {
		simt_clocks_set(&k->taken[i], NULL);
		simt_clocks_set(&k->last[i], NULL);
	}
	for (uint32_t i = 0; i < SIMT_BARRIER_COUNT; i++)
		simt_clocks_set(&k->arrived[i], NULL);
	simt_clocks_set(&k->exited, NULL);
}

void simt_check_far_begin(struct simt_check_far *f, uint64_t cta)
{
	for (uint32_t k = 0; k < KINDS; k++)
		forget(&f->of[k]);
	for (uint32_t i = 0; i < WARPS; i++)
		simt_clocks_set(&f->fenced[i], NULL);
	memset(f->records, 0, sizeof(f->records));
	f->cta = (uint32_t)cta;
}

void simt_check_far_free(struct simt_check_far *f)
{
	simt_check_far_begin(f, 0);
	free(f);
}

/* ---- inside the CTA ---- */

void simt_check_far_arrive(struct simt_check_far *f, uint32_t warp, uint32_t id)
{
	for (uint32_t k = 0; k < KINDS; k++)
		simt_clocks_add(&f->of[k].arrived[id], f->of[k].taken[warp]);
}

void simt_check_far_release(struct simt_check_far *f, uint32_t warp, uint32_t id)
{
	for (uint32_t k = 0; k < KINDS; k++) {
		simt_clocks_add(&f->of[k].taken[warp], f->of[k].arrived[id]);
		simt_clocks_add(&f->of[k].taken[warp], f->of[k].exited);
	}
}

void simt_check_far_barrier_reset(struct simt_check_far *f, uint32_t id)
{
	for (uint32_t k = 0; k < KINDS; k++)
		simt_clocks_set(&f->of[k].arrived[id], NULL);
}

void simt_check_far_warp_done(struct simt_check_far *f, uint32_t warp)
{
	for (uint32_t k = 0; k < KINDS; k++)
		simt_clocks_add(&f->of[k].exited, f->of[k].taken[warp]);
}

/* ---- between CTAs ---- */

bool simt_check_is_wide(const struct simt_exec *e)
{
	return e->ptx->mods.scope != PTX_SCOPE_CTA && e->ptx->mods.scope != PTX_SCOPE_CLUSTER;
}

void simt_check_far_fence(struct simt_check_far *f, uint32_t warp, const uint32_t *clock)
{
	if (f->grid->cta_count == 1)
		return;
	struct simt_clocks *own = simt_clocks_of_cta(f->grid->levels, f->cta, f->grid->warp_count, clock);

	simt_clocks_set(&f->fenced[warp], f->of[ALL].taken[warp]);
	simt_clocks_add(&f->fenced[warp], own);
	simt_clocks_drop(own);
	f->fence_clock[warp] = clock[warp];
}

static struct handover *find(struct simt_check_grid *g, uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (g->handover_cap - 1);

	while (g->handovers[i].key && g->handovers[i].key != key)
		i = (i + 1) & (g->handover_cap - 1);
	return &g->handovers[i];
}

static void grow(struct simt_check_grid *g)
{
	struct handover *old = g->handovers;
	const uint32_t old_cap = g->handover_cap;

	g->handover_cap = old_cap ? 2 * old_cap : 64;
	g->handovers = calloc(g->handover_cap, sizeof(*g->handovers));
	CHECK(g->handovers);
	for (uint32_t i = 0; i < old_cap; i++)
		if (old[i].key)
			*find(g, old[i].key) = old[i];
	free(old);
}

static void take(struct simt_check_far *f, uint32_t warp, const struct handover *h)
{
	for (uint32_t k = 0; k < KINDS; k++) {
		if (!h->clocks[k] || h->clocks[k] == f->of[k].last[warp])
			continue;
		simt_clocks_add(&f->of[k].taken[warp], h->clocks[k]);
		simt_clocks_set(&f->of[k].last[warp], h->clocks[k]);
	}
}

/* What the warp read, and knows that others did, until now. */
static struct simt_clocks *read_so_far(const struct simt_check_far *f, uint32_t warp, const uint32_t *clock)
{
	struct simt_clocks *c = simt_clocks_of_cta(f->grid->levels, f->cta, f->grid->warp_count, clock);

	simt_clocks_add(&c, f->of[ALL].taken[warp]);
	simt_clocks_add(&c, f->of[READS].taken[warp]);
	return c;
}

void simt_check_far_strong(struct simt_check_far *f, const struct simt_check_access *a, uint32_t mask,
			   const uint64_t *addr, const uint32_t *clock)
{
	struct simt_check_grid *g = f->grid;
	const uint32_t w = a->w->index_in_cta;
	const bool hands_over = a->is_store && (f->fenced[w] || !a->is_atomic);

	if (!hands_over && !g->handover_count)
		return;
	struct simt_clocks *reads = a->is_store && !a->is_atomic ? read_so_far(f, w, clock) : NULL;

	SIMT_FOR_LANES(lane, mask) {
		if (2 * g->handover_count >= g->handover_cap)
			grow(g);
		struct handover *h = find(g, addr[lane] + 1);

		if (a->is_load)
			take(f, w, h);
		if (!hands_over)
			continue;
		g->handover_count += !h->key;
		h->key = addr[lane] + 1;
		simt_clocks_add(&h->clocks[ALL], f->fenced[w]);
		simt_clocks_add(&h->clocks[READS], reads);
	}
	simt_clocks_drop(reads);
}

bool simt_check_far_has_taken(const struct simt_check_far *f, uint32_t warp)
{
	return f->of[ALL].taken[warp] || f->of[READS].taken[warp];
}

bool simt_check_far_knows(const struct simt_check_far *f, uint32_t warp, uint32_t cta, uint32_t of_warp, uint32_t clock,
			  bool is_read)
{
	const uint32_t levels = f->grid->levels;

	return simt_clocks_get(f->of[ALL].taken[warp], levels, cta, of_warp) >= clock ||
	       (is_read && simt_clocks_get(f->of[READS].taken[warp], levels, cta, of_warp) >= clock);
}

/* Who takes what a fence handed over is ordered after the write that handed it over, too. */
uint32_t simt_check_far_fence_clock(const struct simt_check_far *f, uint32_t warp)
{
	return f->fenced[warp] ? f->fence_clock[warp] : 0;
}

uint32_t simt_check_far_cta(const struct simt_check_far *f)
{
	return f->cta;
}

uint32_t simt_check_far_launch(const struct simt_check_far *f)
{
	return f->grid->number;
}

bool simt_check_far_is_alone(const struct simt_check_far *f)
{
	return f->grid->cta_count == 1;
}

uint32_t *simt_check_far_record(struct simt_check_far *f, uint32_t warp, uint32_t pc)
{
	return &f->records[(pc * WARPS + warp) * 0x9e3779b1u >> 16 & (SIMT_CHECK_RECORDS_KEPT - 1)];
}
