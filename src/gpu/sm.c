/* sm.c - an SM's parts, and its cycle. */
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

static void ports_new(struct sm *sm)
{
	struct memory_stats *st = &sm->gpu->memory_stats;
	const struct {
		const struct net_port_ops *ops;
		struct sm_port port;
	} rows[] = {
	    [SM_PORT_DATA] = {&lsu_line_ops, {sm, sm->l1d, &st->data_read_latency_ps}},
	    [SM_PORT_LOCAL] = {&lsu_line_ops, {sm, sm->l1d, &st->local_read_latency_ps}},
	    [SM_PORT_CONST] = {&lsu_line_ops, {sm, sm->l1c, &st->const_latency_ps}},
	    [SM_PORT_TEXTURE] = {&lsu_line_ops, {sm, sm->l1t, &st->texture_latency_ps}},
	    [SM_PORT_CODE] = {&sm_fetch_port_ops, {sm, sm->l1i, &st->inst_latency_ps}},
	    [SM_PORT_LOAD] = {&lsu_load_ops, {sm, NULL, &st->data_read_latency_ps}},
	    [SM_PORT_LOCAL_LOAD] = {&lsu_load_ops, {sm, NULL, &st->local_read_latency_ps}},
	    [SM_PORT_TEXTURE_LOAD] = {&lsu_load_ops, {sm, NULL, &st->texture_latency_ps}},
	    [SM_PORT_STORE] = {&lsu_store_ops, {sm, NULL, &st->write_latency_ps}},
	    [SM_PORT_ATOMIC] = {&lsu_atomic_ops, {sm, NULL, &st->atomic_latency_ps}},
	    [SM_PORT_REDUCTION] = {&lsu_reduction_ops, {sm, NULL, &st->atomic_latency_ps}},
	    [SM_PORT_TABLE] = {&mmu_port_ops, {sm, NULL, &st->page_latency_ps}},
	};
	bool is_in_stack = sm->stack != UINT32_MAX;

	_Static_assert(ARRAY_COUNT(rows) == SM_PORT_COUNT, "a row for each port");
	sm->port_first = (uint16_t)sm->gpu->ports.count;
	for (uint32_t i = 0; i < SM_PORT_COUNT; i++) {
		sm->ports[i] = rows[i].port;
		net_port_add(&sm->gpu->ports, rows[i].ops, &sm->ports[i],
			     is_in_stack ? GPU_PLACE_STACK : GPU_PLACE_CLUSTER, is_in_stack ? sm->stack : sm->cluster);
	}
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
	ports_new(sm);
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

/* ---- its cycle ---- */

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

	sm_time_set(sm, cycle);
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
