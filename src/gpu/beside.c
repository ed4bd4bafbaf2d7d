/* beside.c - SMs that tick beside each other, see beside.h. */
#include "gpu/beside.h"

#include <glib.h>
#include <string.h>

#include "gpu/mmu.h"
#include "sim/team.h"

enum {
	WRITTEN_MAX = 32, /* ranges that are told apart */
	LEAST_SMS = 4,	  /* fewer are done sooner by one thread */
};

struct range {
	uint64_t first, last;
};

struct beside {
	struct sim_team *threads;
	uint64_t cycle;
	uint64_t due[SIM_COMPS_MAX / 64]; /* SMs that tick, by component of the domain */
	uint32_t *clusters;		  /* theirs */
	/* What has been written in the second half of this cycle; more than WRITTEN_MAX: who knows where. */
	struct range written[WRITTEN_MAX];
	uint32_t written_count;
};

/* ---- values ---- */

static void written_add(struct beside *s, const struct simt_step *step)
{
	struct range r;

	if (s->written_count > WRITTEN_MAX || !simt_written(step, &r.first, &r.last))
		return;
	if (s->written_count < WRITTEN_MAX)
		s->written[s->written_count] = r;
	s->written_count++;
}

static bool is_written(const struct beside *s, const struct simt_reading *r)
{
	if (s->written_count > WRITTEN_MAX)
		return true;
	for (uint32_t i = 0; i < s->written_count; i++)
		if (r->first <= s->written[i].last && s->written[i].first <= r->last)
			return true;
	return false;
}

bool beside_step(struct sm *sm, struct simt_warp *t, struct simt_step *step)
{
	struct sm_beside *b = sm->beside;

	if (sm->is_beside) {
		struct simt_reading *r = &b->readings[b->reading_count];
		const bool is_right = simt_beside_step(&b->view, t, step, r);

		b->reading_count += r->mask != 0;
		return is_right;
	}
	if (!simt_step(sm->gpu->launch, t, step))
		return false;
	written_add(sm->gpu->beside, step);
	return true;
}

/* ---- the first half ---- */

/* Is there a watched warp that waits for its data or its turn (SM_WAIT_OFFLOAD)? *is_due: its turn comes now. */
static bool has_leaving(const struct sm *sm, uint64_t cycle, bool *is_due)
{
	bool has = false;

	*is_due = false;
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = sm->schedulers[i].waiting[SM_WAIT_OFFLOAD]; m; m &= m - 1) {
			const struct sm_warp *w =
			    &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i];

			has |= w->watch != 0;
			*is_due |= w->watch && sm->base + w->ready == cycle;
		}
	}
	return has;
}

/* Might more than the SM hear of it when the LSU is through with the entry? The last access of a warp that has ended
 * retires it, and its CTA; extensions hear of the accesses of warps that they watch, and of an SM's last stores. */
static bool ends_beyond(const struct sm *sm, const struct lsu_entry *e, bool has_leaving)
{
	const struct sm_warp *w = &sm->warps[e->slot];
	const bool is_store = e->kind == LSU_STORE || e->kind == LSU_ATOMIC;

	return e->kind == LSU_CARRIED || (w->w && w->w->is_done) || sm_is_watched(w, GPU_POINT_RETURNED) ||
	       sm_is_watched(w, GPU_POINT_STORE) || (has_leaving && is_store);
}

/* Must all of the SM's cycle wait? */
static bool waits(struct sm *sm, uint64_t cycle)
{
	bool is_due;
	const bool leaving = has_leaving(sm, cycle, &is_due);

	return is_due || (sm->lsu.count && ends_beyond(sm, base_ring_first(&sm->lsu), leaving)) ||
	       (sm->lines.count && ends_beyond(sm, base_ring_first(&sm->lines), leaving)) ||
	       (sm->lsu_ready_count && ends_beyond(sm, mmu_ready(sm->mmu), leaving));
}

static void first_half(struct sm *sm, uint64_t cycle)
{
	struct sm_beside *b = sm->beside;

	b->waits = waits(sm, cycle);
	if (b->waits)
		return;
	sm->is_beside = true;
	sm_cycle_begin(sm, cycle, &b->cycle);
	sm_cycle_issue(sm, &b->cycle);
	sm->is_beside = false;
}

static bool is_due(const struct beside *s, const struct sm *sm)
{
	return s->due[sm->comp.index / 64] >> sm->comp.index % 64 & 1;
}

static void cluster_first_half(void *ctx, uint32_t cluster)
{
	struct gpu *g = ctx;
	const struct cluster *c = &g->clusters[cluster];

	for (uint32_t i = c->sm_first; i < c->sm_first + c->sm_count; i++)
		if (is_due(g->beside, g->sms[i]))
			first_half(g->sms[i], g->beside->cycle);
}

/* ---- the second half ---- */

static void fault_take(struct sm *sm)
{
	struct simt_launch *l = sm->gpu->launch;

	if (l->fault.kind == SIMT_FAULT_NONE)
		l->fault = sm->beside->view.launch.fault;
	gpu_fail(sm->gpu);
}

/* What the SM has counted, sent and read. */
static void settle(struct sm *sm)
{
	struct sm_beside *b = sm->beside;
	struct gpu *g = sm->gpu;

	if (b->threads)
		sm_count_threads(g, b->threads);
	g->memory_stats.requests += b->requests;
	if (b->stash.taken)
		mem_req_stash_fill(g->pool, &b->stash, BESIDE_REQUESTS);
	if (b->wakes_cluster)
		cluster_wake(&g->clusters[sm->cluster]);
	for (uint32_t i = 0; g->beside->written_count && i < b->reading_count; i++)
		if (is_written(g->beside, &b->readings[i]))
			simt_read_again(&b->readings[i]);
	b->threads = 0;
	b->requests = b->reading_count = 0;
	b->wakes_cluster = false;
}

static void second_half(struct sm *sm, uint64_t cycle)
{
	struct sm_beside *b = sm->beside;
	const uint32_t wake = b->wake;

	sim_take_turn(sm->gpu->engine, sm->comp);
	b->wake = SM_NEVER;
	if (b->waits) {
		sm_tick_whole(sm, cycle);
		return;
	}
	settle(sm);
	if (sm->breaks & SM_HELD) {
		sm->breaks &= (uint8_t)~SM_HELD;
		sm_cycle_issue(sm, &b->cycle);
	} else if (sm->breaks) {
		fault_take(sm);
	} else if (wake != SM_NEVER) {
		sm_wake(sm, wake);
	}
}

/* ---- the cycle ---- */

enum gpu_beside beside_allowed(const struct gpu *g)
{
	enum gpu_beside all = GPU_BESIDE_NOW;

	GPU_EXT_EACH(g, e, beside)
		all = MIN(all, e->ops->beside(e->self));
	return all;
}

/* The clusters of the SMs that tick. */
static uint32_t clusters_list(struct gpu *g)
{
	struct beside *s = g->beside;
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->cluster_count; i++) {
		const struct cluster *c = &g->clusters[i];
		bool ticks = false;

		for (uint32_t k = c->sm_first; k < c->sm_first + c->sm_count; k++)
			ticks |= is_due(s, g->sms[k]);
		if (ticks)
			s->clusters[count++] = i;
	}
	return count;
}

/* Ticks the SMs of the GPU that have been woken for this cycle; component is the first of them. */
static void tick(void *component, uint64_t cycle)
{
	const struct sm *first = component;
	struct gpu *g = first->gpu;
	struct beside *s = g->beside;
	const uint32_t others =
	    sim_take_due(g->engine, first->comp, g->sm_count - first->index, s->due);
	const bool is_worth_it =
	    others + 1 >= LEAST_SMS && !g->is_paused && beside_allowed(g) == GPU_BESIDE_NOW;

	s->due[first->comp.index / 64] |= 1ull << first->comp.index % 64;
	s->cycle = cycle;
	s->written_count = 0;
	if (is_worth_it)
		sim_team_run(s->threads, s->clusters, clusters_list(g), cluster_first_half, g);
	for (uint32_t i = first->index; i < g->sm_count; i++) {
		if (!is_due(s, g->sms[i]))
			continue;
		if (is_worth_it) {
			second_half(g->sms[i], cycle);
		} else {
			sim_take_turn(g->engine, g->sms[i]->comp);
			sm_tick_whole(g->sms[i], cycle);
		}
	}
}

/* ---- its life ---- */

uint32_t beside_new(struct gpu *g, uint32_t thread_count)
{
	struct beside *s = g_new0(struct beside, 1);

	s->threads = sim_team_new(thread_count, g->cluster_count);
	if (!s->threads) {
		g_free(s);
		return 1;
	}
	s->clusters = g_new0(uint32_t, g->cluster_count);
	g->beside = s;
	for (uint32_t i = 0; i < g->sm_count; i++) {
		struct sm *sm = g->sms[i];

		CHECK(sm->comp.index == g->sms[0]->comp.index + i);
		sm->beside = g_new0(struct sm_beside, 1);
		sm->beside->wake = SM_NEVER;
		mem_req_stash_fill(g->pool, &sm->beside->stash, BESIDE_REQUESTS);
		sim_engine_tick_with(g->engine, sm->comp, tick);
	}
	return sim_team_threads(s->threads);
}

void beside_end(struct gpu *g)
{
	if (!g->beside)
		return;
	sim_team_free(g->beside->threads);
	g_free(g->beside->clusters);
	g_free(g->beside);
	g->beside = NULL;
}

void beside_kernel_begin(struct sm *sm)
{
	simt_beside_begin(&sm->beside->view, sm->gpu->launch);
}

void beside_reset(struct sm *sm)
{
	struct sm_beside *b = sm->beside;

	b->stash = (struct mem_req_stash){0};
	mem_req_stash_fill(sm->gpu->pool, &b->stash, BESIDE_REQUESTS);
	b->threads = 0;
	b->requests = b->reading_count = 0;
	b->wakes_cluster = false;
	b->wake = SM_NEVER;
	sm->breaks = 0;
}

void beside_free(struct sm *sm)
{
	if (sm->beside)
		simt_beside_end(&sm->beside->view);
	g_free(sm->beside);
}
