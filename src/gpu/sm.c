/* sm.c - an SM's parts, its CTAs and warp slots, and its cycle. */
#include "gpu/accounting.h"
#include "gpu/beside.h"
#include "gpu/mmu.h"
#include "gpu/priv.h"

#include <glib.h>
#include <string.h>

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct sm_stats
#include "sim/stat_rows.inc"
#include "gpu/sm_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table gpu_sm_stat_table = {"sm", stat_rows, ARRAY_COUNT(stat_rows)};

enum { REBASE_CYCLES = 1 << 30 };

void sm_unit_times(const struct sm_params *p, uint32_t *latency_cycles, uint32_t *interval_cycles)
{
	const uint64_t latency[SIMT_UNIT_COUNT] = {
	    [SIMT_UNIT_INT] = p->int_latency_cycles,   [SIMT_UNIT_IMUL] = p->imul_latency_cycles,
	    [SIMT_UNIT_FP32] = p->fp32_latency_cycles, [SIMT_UNIT_FP64] = p->fp64_latency_cycles,
	    [SIMT_UNIT_SFU] = p->sfu_latency_cycles,   [SIMT_UNIT_CTRL] = p->ctrl_latency_cycles,
	    [SIMT_UNIT_TENSOR] = p->tensor_latency_cycles,
	};
	const uint64_t interval[SIMT_UNIT_COUNT] = {
	    [SIMT_UNIT_INT] = p->int_interval_cycles,   [SIMT_UNIT_IMUL] = p->imul_interval_cycles,
	    [SIMT_UNIT_FP32] = p->fp32_interval_cycles, [SIMT_UNIT_FP64] = p->fp64_interval_cycles,
	    [SIMT_UNIT_SFU] = p->sfu_interval_cycles,   [SIMT_UNIT_CTRL] = 1,
	    [SIMT_UNIT_TENSOR] = p->tensor_interval_cycles,
	};

	for (uint32_t u = 0; u < SIMT_UNIT_COUNT; u++) {
		latency_cycles[u] = (uint32_t)latency[u];
		interval_cycles[u] = (uint32_t)interval[u];
	}
}

void sm_kind_times(const struct sm_params *p, uint32_t *latency_cycles, uint32_t *interval_cycles)
{
	memset(latency_cycles, 0, SIMT_KIND_COUNT * sizeof(*latency_cycles));
	memset(interval_cycles, 0, SIMT_KIND_COUNT * sizeof(*interval_cycles));
	latency_cycles[SIMT_KIND_MOVE] = (uint32_t)p->move_latency_cycles;
	latency_cycles[SIMT_KIND_MAD] = (uint32_t)p->mad_latency_cycles;
	interval_cycles[SIMT_KIND_MAD] = (uint32_t)p->mad_interval_cycles;
	latency_cycles[SIMT_KIND_MINMAX] = (uint32_t)p->minmax_latency_cycles;
	interval_cycles[SIMT_KIND_MINMAX] = (uint32_t)p->minmax_interval_cycles;
}

static const struct mem_numbering *numbering_of(const void *self, uint64_t addr_bytes)
{
	return &gpu_map_of(self, addr_bytes)->of_stack;
}

/* What SMs of a stack load is mostly the stack's. */
static void caches_map(const struct sm *sm)
{
	const struct gpu *g = sm->gpu;
	const struct mem_cache_part part = {.numbering = &g->map.of_stack,
					    .numbering_of = g->mapper.map_of ? numbering_of : NULL,
					    .self = g};

	mem_cache_is_part(sm->l1d, &part);
	mem_cache_is_part(sm->l1c, &part);
	mem_cache_is_part(sm->l1t, &part);
}

static void caches_new(struct sm *sm)
{
	const struct gpu_config *c = sm->gpu->config;
	struct cache_params l1d = c->l1d;

	if (sm->stack != UINT32_MAX && c->gpu.stack_sm_mshr_count)
		l1d.mshr_count = c->gpu.stack_sm_mshr_count;
	sm->l1d = mem_cache_new(&l1d, sm->gpu->stats, "l1d");
	sm->l1i = mem_cache_new(&c->l1i, sm->gpu->stats, "l1i");
	sm->l1c = mem_cache_new(&c->l1c, sm->gpu->stats, "l1c");
	sm->l1t = mem_cache_new(&c->l1t, sm->gpu->stats, "l1t");
	if (sm->stack != UINT32_MAX)
		caches_map(sm);
}

struct sm *sm_new(struct gpu *g, uint32_t index, uint32_t cluster, uint32_t stack)
{
	const struct gpu_config *c = g->config;
	struct sm *sm = g_new0(struct sm, 1);
	uint32_t inst_line_shift = (uint32_t)__builtin_ctzll(c->l1i.line_bytes / c->sm.inst_bytes);

	sm->gpu = g;
	sm->index = index;
	sm->cluster = cluster;
	sm->stack = stack;
	sm->issue_count = (uint32_t)c->sm.scheduler_count;
	sm->warp_slot_count = (uint32_t)(stack == UINT32_MAX ? c->sm.warp_slot_count : c->gpu.stack_sm_warp_slot_count);
	sm->scheduler_count = sm->issue_count;
	while (sm->scheduler_count * SM_SCHEDULER_WARPS < sm->warp_slot_count)
		sm->scheduler_count += sm->issue_count;
	CHECK(sm->scheduler_count <= SM_SCHEDULER_MAX);
	sm->cta_slot_count = (uint32_t)c->sm.cta_slot_count;
	sm->has_fp64_on_sfu = c->sm.fp64_on_sfu;
	sm->ends_stored = c->sm.warp_ends_stored;
	sm->is_gto = c->sm.scheduler == SM_GTO;
	sm->has_caches = stack == UINT32_MAX || c->gpu.stack_sm_caches;
	sm->warps = g_new0(struct sm_warp, sm->warp_slot_count);
	for (uint32_t i = 0; i < sm->warp_slot_count; i++) {
		sm->warps[i].sm = sm;
		sm->warps[i].slot = (uint16_t)i;
		sm->warps[i].scheduler = (uint8_t)(i % sm->scheduler_count);
		sm->warps[i].bit = (uint8_t)(i / sm->scheduler_count);
	}
	for (uint32_t i = 0; i <= SM_CTA_MAX; i++)
		sm->ctas[i].ticket = i;
	sm_unit_times(&c->sm, sm->latency, sm->interval);
	sm->group_shift = (uint32_t)__builtin_ctzll(c->sm.ibuffer_count);
	sm->group_line_shift = inst_line_shift - sm->group_shift;
	sm->fetch_latency = (uint32_t)c->l1i.hit_latency_cycles;
	sm->fetch_warps = (uint32_t)c->sm.fetch_warp_count;
	sm->fetch_slots = SM_FETCH_SLOTS;
	sm->fetches = g_new0(uint8_t, sm->fetch_slots);
	sm->fetches_ahead = c->sm.fetch_ahead;
	sm->collector_count = (uint32_t)c->sm.collector_count;
	sm->collector_reads = (uint32_t)c->sm.collector_read_count;
	sm->register_banks = (uint32_t)c->sm.register_bank_count;
	sm->branch_penalty = (uint32_t)c->sm.branch_penalty_cycles;
	sm->divergence_is_free = c->sm.divergence_is_free;
	sm->loads_are_coalesced = c->sm.loads_are_coalesced;
	sm->sector_bytes = (uint32_t)c->sm.sector_bytes;
	sm->l1d_sector_bytes = (uint32_t)c->l1d.sector_bytes;
	sm->bank_count = (uint32_t)c->sm.shared_bank_count;
	sm->pipe = pipe_new(sm, (uint32_t)c->sm.result_bus_count);
	sm_kind_times(&c->sm, sm->kind_latency, sm->kind_interval);
	sm->access_free = SM_NO_ACCESS;
	sm->lsu.cap = (uint32_t)c->sm.lsu_queue_count;
	sm->lsu.items = g_new0(struct lsu_entry, sm->lsu.cap);
	sm->lsu_at = LSU_AT_QUEUE;
	sm->lines.cap = sm->has_caches ? (uint32_t)c->sm.l1d_entry_cycles : 0;
	sm->lines.items = g_new0(struct lsu_entry, sm->lines.cap);
	sm->stores_left = (uint32_t)c->sm.store_count;
	sm->out_cap = (uint32_t)c->sm.miss_queue_count;
	sm->spare = sm_req_get(sm);
	g->spare_count++;
	caches_new(sm);
	port_new(sm);
	sm->mmu = mmu_new(sm);
	for (uint32_t i = 0; i < g->exts.count; i++)
		sm->ext_state[i] = g_malloc0((size_t)g->exts.items[i].ops->warp_bytes * sm->warp_slot_count);
	sm->tlb_latency = sm->mmu ? (uint32_t)c->mmu.tlb_latency_cycles : 0;
	sim_stats_add_table(g->stats, &gpu_sm_stat_table, &sm->stats, sizeof(sm->stats));
	sm->comp = sim_engine_add(g->engine, g->clocks.sm, "sm", sm_tick_whole, sm);
	return sm;
}

void sm_free(struct sm *sm)
{
	if (!sm)
		return;
	sm_req_put(sm, sm->spare);
	beside_free(sm);
	mem_cache_free(sm->l1d);
	mem_cache_free(sm->l1i);
	mem_cache_free(sm->l1c);
	mem_cache_free(sm->l1t);
	mmu_free(sm->mmu);
	g_free(sm->warps);
	g_free(sm->fetches);
	g_free(sm->sb_all);
	g_free(sm->accesses);
	g_free(sm->lsu.items);
	g_free(sm->lines.items);
	pipe_free(sm->pipe);
	for (uint32_t i = 0; i < GPU_EXT_MAX; i++)
		g_free(sm->ext_state[i]);
	g_free(sm);
}

/* ---- time ---- */

/* Attributes the cycles before upto that no tick has attributed: nothing has changed in them. */
static void account(struct sm *sm, uint32_t upto)
{
	if (upto <= sm->accounted)
		return;
	for (uint32_t i = 0; i < sm->issue_count; i++)
		sm->stats.stalls[sm->schedulers[i].reason] += upto - sm->accounted;
	sm->accounted = upto;
}

static void earlier(uint32_t *cycles, uint32_t count, uint32_t by)
{
	for (uint32_t i = 0; i < count; i++)
		cycles[i] -= cycles[i] < by ? cycles[i] : by;
}

/* Cycles are 31 bits in the scoreboard: moves their origin long before they overflow. */
static void rebase(struct sm *sm, uint32_t by)
{
	sm->base += by;
	sm->accounted -= by;
	sm->lsu_free -= sm->lsu_free < by ? sm->lsu_free : by;
	for (uint32_t i = 0; i < sm->warp_slot_count; i++) {
		struct sm_warp *w = &sm->warps[i];

		w->ready -= w->ready < by || w->ready == SM_NEVER ? 0 : by;
		w->fetch_ready -= w->fetch_ready == SM_NEVER ? 0 : w->fetch_ready < by ? w->fetch_ready : by;
		w->next_ready -= w->next_ready == SM_NEVER ? 0 : w->next_ready < by ? w->next_ready : by;
		for (uint32_t k = 0; k < sm->sb_count; k++) {
			uint32_t *sb = &w->sb[k];

			*sb -= *sb == SM_SB_PENDING ? 0 : *sb < 2 * by ? *sb : 2 * by;
		}
	}
	earlier(sm->unit_free, SIMT_UNIT_COUNT, by);
	for (uint32_t i = 0; i < sm->scheduler_count; i++)
		earlier(sm->issue_free[i], SIMT_UNIT_COUNT, by);
	earlier(&sm->collector_next, 1, by);
	earlier(sm->collector_free, sm->collector_count, by);
	earlier(sm->bank_free, sm->register_banks, by);
	pipe_clear(sm);
	for (uint32_t i = 0; i < sm->lsu.count; i++)
		earlier(&base_ring_at(&sm->lsu, i)->due, 1, by);
	for (uint32_t i = 0; i < sm->lines.count; i++)
		earlier(&base_ring_at(&sm->lines, i)->due, 1, by);
	earlier(&sm->fetch_from, 1, by); /* a multiple of SM_FETCH_SLOTS */
	for (uint32_t i = 0; i < sm->access_cap; i++)
		sm->accesses[i].ready -= sm->accesses[i].ready < by ? sm->accesses[i].ready : by;
}

static void time_set(struct sm *sm, uint64_t cycle)
{
	account(sm, cycle - sm->base > UINT32_MAX ? UINT32_MAX : (uint32_t)(cycle - sm->base));
	while (unlikely(cycle - sm->base >= REBASE_CYCLES)) {
		/* A multiple of the wheel's length keeps its slots where they are. */
		rebase(sm, REBASE_CYCLES - SM_WHEEL_SLOTS);
	}
	sm->now = (uint32_t)(cycle - sm->base);
}

void sm_touch(struct sm *sm)
{
	time_set(sm, unlikely(sm->is_beside) ? sm->beside->hand->cycle
					      : sim_cycle_now(sm->gpu->engine, sm->gpu->clocks.sm));
}

void sm_wake(struct sm *sm, uint32_t at)
{
	if (unlikely(sm->is_beside))
		beside_wake(sm, at);
	else
		sim_wake_cycle(sm->gpu->engine, sm->comp, sm->base + at);
}

/* While the GPU's SMs are stopped those of the stacks go on, and so do those with warps that others wait for. */
static bool is_stopped(const struct sm *sm)
{
	uint64_t unstopped = 0;

	if (likely(!sm->gpu->is_paused) || sm->stack != UINT32_MAX)
		return false;
	for (uint32_t i = 0; i < sm->scheduler_count; i++)
		unstopped |= sm->schedulers[i].unstopped;
	return !unstopped;
}

static inline __attribute__((always_inline)) void cycle_begin(struct sm *sm, uint64_t cycle, struct sm_cycle *c)
{
	const struct gpu_ext *ticker = sm->gpu->ticker;

	time_set(sm, cycle);
	sm->accounted = sm->now + 1;
	sm_wheel_due(sm);
	if (unlikely(ticker != NULL))
		ticker->ops->sm_tick(ticker->self, sm);
	c->next = lsu_tick(sm);
	if (sm->out.first && sm->stack != UINT32_MAX)
		port_drain(sm);
	if (sm->lsu_waits_port && port_has_room(sm, 1)) {
		sm->lsu_waits_port = 0;
		c->next = sm->now + 1;
	}
	c->queued_count = sm->out_count;
	c->slot = c->issued = 0;
}

static inline __attribute__((always_inline)) void cycle_issue(struct sm *sm, struct sm_cycle *c)
{
	const struct gpu_ext *ticker = sm->gpu->ticker;
	const uint32_t at = unlikely(is_stopped(sm)) ? sm_pause_cycle(sm) : sm_schedule(sm, c);
	uint32_t next = c->next;

	if (unlikely(sm->breaks))
		return;
	if (next == SM_NEVER && lsu_queue_goes(sm))
		next = sm->lsu_free > sm->now ? sm->lsu_free : sm->now + 1; /* the queue was empty before issue */
	if (unlikely(sm->out_count > c->queued_count) && sm->stack != UINT32_MAX) /* a fetch: nobody else sends it */
		next = sm->now + 1;
	next = at < next ? at : next;
	if (unlikely(ticker != NULL) && ticker->ops->sm_has_work(ticker->self, sm))
		next = sm->now + 1;
	if (next != SM_NEVER)
		sm_wake(sm, next);
}

void sm_cycle_begin(struct sm *sm, uint64_t cycle, struct sm_cycle *c)
{
	cycle_begin(sm, cycle, c);
}

void sm_cycle_issue(struct sm *sm, struct sm_cycle *c)
{
	cycle_issue(sm, c);
}

/* A launch that fails ends with the cycle, which all SMs come to the end of. */
void sm_tick_whole(void *component, uint64_t cycle)
{
	struct sm_cycle c;

	cycle_begin(component, cycle, &c);
	cycle_issue(component, &c);
}

void sm_fail(struct sm *sm)
{
	sm->breaks |= SM_FAILED;
	if (!sm->is_beside) /* else in the second half of the cycle */
		gpu_fail(sm->gpu);
}

/* ---- warps and CTAs ---- */

uint32_t sm_slot_find(const struct sm *sm)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		uint64_t vacant = ~sm->schedulers[i].resident;
		uint32_t slot = vacant ? (uint32_t)__builtin_ctzll(vacant) * sm->scheduler_count + i : UINT32_MAX;

		best = slot < best ? slot : best;
	}
	return best < sm->warp_slot_count ? best : UINT32_MAX;
}

static uint8_t thread_count(const struct simt_launch *l, const struct simt_warp *t)
{
	const uint64_t all = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	return (uint8_t)MIN(SIMT_LANES, all - (uint64_t)t->index_in_cta * SIMT_LANES);
}

struct sm_warp *sm_warp_place(struct sm *sm, struct simt_warp *t, uint32_t slot, uint32_t cta_slot, uint32_t start)
{
	struct sm_warp *w = &sm->warps[slot];
	struct sm_scheduler *s = &sm->schedulers[w->scheduler];

	CHECK(!w->w && w->loads_pending == 0);
	w->w = t;
	w->threads = thread_count(sm->gpu->launch, t);
	w->latency_parts = w->fetch_parts = 0;
	w->cta_slot = (uint16_t)cta_slot;
	w->watch = sm->gpu->watch;
	for (uint32_t i = 0; i < sm->gpu->exts.count; i++) {
		const struct gpu_ext *e = &sm->gpu->exts.items[i];

		if (e->ops->warp_bytes)
			memset(sm_ext_state(e, w), 0, e->ops->warp_bytes);
	}
	w->fetch_line = UINT32_MAX;
	memset(w->sb, 0, sm->sb_count * sizeof(*w->sb));
	t->owner = w;
	t->slot = slot;
	t->smid = sm->index;
	s->resident |= 1ull << w->bit;
	s->waiting[SM_WAIT_FETCH] |= 1ull << w->bit;
	w->wait = SM_WAIT_FETCH;
	sm->resident_warps++;
	if (sm->resident_warps > sm->stats.warps_max)
		sm->stats.warps_max = sm->resident_warps;
	sm_fetch_start(sm, w, t->pc, start);
	sm_evaluate(sm, w);
	return w;
}

static void slot_release(struct sm *sm, struct sm_warp *w)
{
	struct sm_scheduler *s = &sm->schedulers[w->scheduler];
	uint64_t mask = ~(1ull << w->bit);

	sm_set_wait(sm, w, SM_WAIT_IDLE);
	s->waiting[SM_WAIT_IDLE] &= mask;
	s->resident &= mask;
	sm->fetch_retry[w->scheduler] &= mask;
	w->w = NULL;
	w->watch = 0;
	sm->ending_warps -= w->is_ending;
	w->is_ending = false;
	sm->resident_warps--;
}

bool sm_has_cta_slot(const struct sm *sm)
{
	const struct gpu *g = sm->gpu;

	return (sm->stack == UINT32_MAX || g->config->gpu.stack_sm_ctas) && gpu_cta_room(g, sm->index);
}

/* Gives a CTA a slot, and its live warps theirs. */
static void cta_take(struct sm *sm, struct simt_cta *cta, uint64_t index, uint64_t start_cycle, uint32_t start)
{
	uint32_t slot = 0;
	struct sm_cta *c;

	while (sm->ctas[slot].cta)
		slot++;
	CHECK(slot < sm->cta_slot_count);
	c = &sm->ctas[slot];
	*c = (struct sm_cta){.cta = cta,
			     .index = index,
			     .start_cycle = start_cycle,
			     .ticket = c->ticket + (1u << SM_CTA_SLOT_BITS)};
	sm->cta_order[sm->cta_count++] = (uint8_t)slot;
	for (uint32_t i = 0; i < simt_cta_warp_count(cta); i++) {
		uint32_t warp_slot = sm_slot_find(sm);
		struct sm_warp *w = &sm->warps[warp_slot];

		if (simt_cta_warp(cta, i)->is_done)
			continue;
		CHECK(warp_slot != UINT32_MAX);
		c->warps_left++;
		c->masks[w->scheduler] |= 1ull << w->bit;
		sm_warp_place(sm, simt_cta_warp(cta, i), warp_slot, slot, start);
	}
}

void sm_cta_place(struct sm *sm, struct simt_cta *cta, uint64_t index)
{
	sm->stats.ctas++;
	cta_take(sm, cta, index, sm->base + sm->now, sm->now + (uint32_t)sm->gpu->config->sm.cta_launch_cycles);
}

void sm_cta_arrive(struct sm *sm, struct simt_cta *cta, uint64_t index, uint64_t start_cycle)
{
	sm_touch(sm);
	sm->ctas_coming--;
	simt_cta_move(sm->gpu->launch, cta, sm->index);
	cta_take(sm, cta, index, start_cycle, sm->now);
	sm_wake(sm, sm->now);
}

void sm_cta_begin(struct sm *sm, struct simt_cta *cta, uint64_t index)
{
	sm_touch(sm);
	sm->ctas_coming--;
	simt_cta_move(sm->gpu->launch, cta, sm->index);
	sm_cta_place(sm, cta, index);
	sm_wake(sm, sm->now);
}

struct sm_cta *sm_cta_find(struct sm *sm, uint64_t index)
{
	for (uint32_t i = 0; i < sm->cta_count; i++) {
		struct sm_cta *c = &sm->ctas[sm->cta_order[i]];

		if (c->index == index)
			return c;
	}
	return NULL;
}

static void cta_release(struct sm *sm, struct sm_cta *c)
{
	uint32_t slot = (uint32_t)(c - sm->ctas), i = 0;

	while (sm->cta_order[i] != slot)
		i++;
	memmove(&sm->cta_order[i], &sm->cta_order[i + 1], sm->cta_count - i - 1);
	sm->cta_count--;
	c->cta = NULL;
}

void sm_cta_leave(struct sm *sm, struct sm_cta *c)
{
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = c->masks[i]; m; m &= m - 1) {
			struct sm_warp *w = &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i];

			CHECK(!w->w->is_done && w->loads_pending == 0);
			slot_release(sm, w);
		}
	}
	CHECK(c->stores_pending == 0);
	cta_release(sm, c);
}

static void cta_end(struct sm *sm, struct sm_cta *c)
{
	uint64_t index = c->index, start_cycle = c->start_cycle;
	struct sm *home = sm->far_shared ? sm->gpu->sms[c->home_sm] : NULL;

	CHECK(!sm->is_beside);
	simt_cta_end(c->cta);
	cta_release(sm, c);
	gpu_cta_done(sm->gpu, sm, index, start_cycle);
	if (unlikely(home != NULL)) { /* its shared memory is free for another */
		sm_touch(home);
		home->ctas_away--;
		gpu_cta_next(sm->gpu, home);
		sm_wake(home, home->now);
	}
}

void sm_warp_retire(struct sm *sm, struct sm_warp *w)
{
	struct sm_cta *c;

	slot_release(sm, w);
	if (unlikely(w->cta_slot == SM_NO_CTA))
		return;
	c = &sm->ctas[w->cta_slot];
	c->masks[w->scheduler] &= ~(1ull << w->bit);
	if (--c->warps_left == 0)
		cta_end(sm, c);
}

/* ---- kernels ---- */

static void state_clear(struct sm *sm)
{
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		memset(&sm->schedulers[i], 0, sizeof(sm->schedulers[i]));
		sm->schedulers[i].reason = SM_WAIT_IDLE;
		sm->schedulers[i].last = 63; /* round robin begins with warp 0 */
		sm->schedulers[i].issue = (uint8_t)(i % sm->issue_count);
		sm->issue_turn[i] = (uint8_t)i;
		sm->fetch_retry[i] = 0;
	}
	memset(sm->unit_free, 0, sizeof(sm->unit_free));
	memset(sm->issue_free, 0, sizeof(sm->issue_free));
	memset(sm->unit_parts, 0, sizeof(sm->unit_parts));
	memset(sm->issue_parts, 0, sizeof(sm->issue_parts));
	memset(sm->slot_parts, 0, sizeof(sm->slot_parts));
	sm->fetch_parts = sm->collect_parts = 0;
	memset(sm->collector_free, 0, sizeof(sm->collector_free));
	memset(sm->bank_free, 0, sizeof(sm->bank_free));
	memset(sm->fetches, 0, sm->fetch_slots);
	sm->collector_next = sm->fetch_from = 0;
	pipe_clear(sm);
	sm->lsu_free = 0;
}

void sm_kernel_begin(struct sm *sm)
{
	const struct simt_program *p = sm->gpu->launch->program;

	if (p->sb_count > sm->sb_count || !sm->sb_all) {
		sm->sb_count = p->sb_count;
		sm->sb_all = g_renew(uint32_t, sm->sb_all, (size_t)sm->warp_slot_count * sm->sb_count);
		for (uint32_t i = 0; i < sm->warp_slot_count; i++)
			sm->warps[i].sb = sm->sb_all + (size_t)i * sm->sb_count;
	}
	state_clear(sm);
	sm->breaks = 0;
	if (sm->beside)
		beside_kernel_begin(sm);
	sm->base = sm->gpu->start_cycle;
	sm->now = sm->accounted = 0;
	if (sm->gpu->account)
		account_sm_begin(sm->gpu->account, sm);
	/* The L1s are not coherent: a kernel starts with none of the former one's lines; but code does not change. */
	mem_cache_invalidate_all(sm->l1d);
	mem_cache_resize(sm->l1d, sm->gpu->l1d_bytes);
	if (!sm->gpu->config->sm.inst_cache_kept)
		mem_cache_invalidate_all(sm->l1i);
	if (!sm->gpu->config->sm.const_cache_kept)
		mem_cache_invalidate_all(sm->l1c);
	mem_cache_invalidate_all(sm->l1t);
}

void sm_kernel_end(struct sm *sm, uint64_t end_cycle)
{
	struct sm_stats *st = &sm->stats;
	uint64_t sum = 0;

	time_set(sm, end_cycle);
	if (sm->gpu->account)
		account_sm_end(sm->gpu->account, sm, true);
	st->scheduler_cycles += sm->issue_count * (end_cycle - sm->gpu->start_cycle);
	for (uint32_t r = 0; r < SM_WAIT_COUNT; r++)
		sum += st->stalls[r];
	CHECK(sum + st->issued_cycles == st->scheduler_cycles);
	CHECK(sm->resident_warps == 0 && sm->cta_count == 0 && sm->ctas_coming == 0 && sm->ctas_away == 0);
	CHECK(sm->lsu.count == 0 && sm->lines.count == 0 && !sm->out.first);
	CHECK(sm->stores_left == sm->gpu->config->sm.store_count);
	CHECK(sm->store_counts[0] + sm->store_counts[1] == 0);
	CHECK(sm->lsu_ready_count == 0 && (!sm->mmu || mmu_is_idle(sm->mmu)));
	CHECK(mem_cache_is_idle(sm->l1d) && mem_cache_is_idle(sm->l1i));
	CHECK(mem_cache_is_idle(sm->l1c) && mem_cache_is_idle(sm->l1t));
}

void sm_reset(struct sm *sm)
{
	struct sm_stats *st = &sm->stats;
	uint64_t sum = 0;

	if (sm->gpu->account)
		account_sm_end(sm->gpu->account, sm, false);
	/* What an aborted kernel has counted stays, and the sums still agree. */
	for (uint32_t r = 0; r < SM_WAIT_COUNT; r++)
		sum += st->stalls[r];
	st->scheduler_cycles = sum + st->issued_cycles;
	state_clear(sm);
	for (uint32_t i = 0; i <= SM_CTA_MAX; i++) {
		if (sm->ctas[i].cta)
			simt_cta_end(sm->ctas[i].cta);
		sm->ctas[i] = (struct sm_cta){.ticket = sm->ctas[i].ticket};
	}
	for (uint32_t i = 0; i < sm->warp_slot_count; i++) {
		sm->warps[i].w = NULL;
		sm->warps[i].watch = 0;
		sm->warps[i].is_ending = false;
		sm->warps[i].loads_pending = sm->warps[i].stores_pending = sm->warps[i].copies_pending = 0;
		memset(sm->warps[i].group_copies, 0, sizeof(sm->warps[i].group_copies));
	}
	sm->ext_waits_port = false;
	sm->cta_count = sm->ctas_coming = sm->ctas_away = sm->resident_warps = sm->ending_warps = 0;
	for (uint32_t i = 0; i < sm->access_cap; i++)
		sm->accesses[i] = (struct sm_access){.next_free = i + 1 < sm->access_cap ? i + 1 : SM_NO_ACCESS};
	sm->access_free = sm->access_cap ? 0 : SM_NO_ACCESS;
	sm->lsu.count = 0;
	sm->lsu_waits_fill = sm->lsu_waits_port = 0;
	sm->lsu_waits_walk = false;
	sm->lines.count = 0;
	sm->lsu_ready_count = 0;
	if (sm->mmu)
		mmu_reset(sm->mmu);
	sm->stores_left = (uint32_t)sm->gpu->config->sm.store_count;
	sm->store_counts[0] = sm->store_counts[1] = 0;
	sm->out.first = NULL;
	sm->gpu->sm_has_request[sm->index] = false;
	sm->out_count = 0;
	mem_cache_reset(sm->l1d);
	mem_cache_reset(sm->l1i);
	mem_cache_reset(sm->l1c);
	mem_cache_reset(sm->l1t);
	sm->spare = sm_req_get(sm); /* the pool was emptied */
	sm->breaks = 0;
}
