/* gpu.c - builds and wires the machine; what the outside may ask of it. */
#include <glib.h>
#include <stdio.h>

#include "gpu/accounting.h"
#include "gpu/beside.h"
#include "gpu/pages.h"
#include "gpu/priv.h"
#include "gpu/sampling.h"
#include "sim/team.h"

static const struct sim_stat_desc memory_stat_rows[] = {
#define STAT_STRUCT struct memory_stats
#include "sim/stat_rows.inc"
#include "gpu/memory_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table gpu_memory_stat_table = {"memory", memory_stat_rows, ARRAY_COUNT(memory_stat_rows)};
static const struct sim_stat_desc gpu_stat_rows[] = {
#define STAT_STRUCT struct gpu_stats
#include "sim/stat_rows.inc"
#include "gpu/gpu_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table gpu_stat_table = {"gpu", gpu_stat_rows, ARRAY_COUNT(gpu_stat_rows)};

/* ---- building ---- */

static void memory_side_new(struct gpu *g)
{
	g->stacks = g_new0(struct logic_layer *, g->stack_count);
	for (uint32_t i = 0; i < g->stack_count; i++)
		g->stacks[i] = logic_layer_new(g, i);
	logic_layer_connect(g);
	g->host_link = host_link_new(g); /* before the slices: what arrives in a cycle can be used in it */
	g->slice_params = g->config->l2;
	g->slice_params.size_bytes /= g->slice_count;
	g->slices = g_new0(struct l2_slice *, g->slice_count);
	for (uint32_t i = 0; i < g->slice_count; i++)
		g->slices[i] = l2_slice_new(g, i, g->stacks[i / g->slices_per_stack]);
	l2_far_connect(g);
	if (g->config->gpu.pages == GPU_PAGES_DEMAND)
		g->pages = pages_new(g);
}

static void sm_side_new(struct gpu *g)
{
	uint32_t per_cluster = (uint32_t)g->config->gpu.sms_per_cluster_count;

	clusters_new(g); /* before the SMs: what arrives in a cycle can be used in it */
	GPU_EXT_EACH(g, e, build)
		e->ops->build(e->self, g, e);
	beside_prepare(g);
	g->sms = g_new0(struct sm *, g->sm_total);
	g->sm_has_request = g_new0(uint8_t, g->sm_total);
	for (uint32_t i = 0; i < g->sm_total; i++) {
		bool in_stack = i >= g->sm_count;

		g->sms[i] = sm_new(g, i, in_stack ? UINT32_MAX : i / per_cluster,
				   in_stack ? (i - g->sm_count) / g->stack_sm_count : UINT32_MAX);
	}
	clusters_complete(g);
}

/* One line for a failed CHECK: where the work is. */
static void describe(void *ctx, char *buf, unsigned long size_bytes)
{
	struct gpu *g = ctx;
	uint32_t busy_sms = 0, busy_slices = 0, busy_stacks = 0, waits[SM_WAIT_COUNT] = {0}, last;
	const char *last_name = sim_last_tick(g->engine, &last);

	for (uint32_t i = 0; i < g->sm_total; i++) {
		busy_sms += g->sms[i]->resident_warps != 0;
		for (uint32_t k = 0; k < g->sms[i]->scheduler_count; k++) {
			for (uint32_t r = 0; r < SM_WAIT_COUNT; r++)
				waits[r] += (uint32_t)__builtin_popcountll(g->sms[i]->schedulers[k].waiting[r]);
		}
	}
	for (uint32_t i = 0; i < g->slice_count; i++)
		busy_slices += !l2_slice_is_idle(g->slices[i]);
	for (uint32_t i = 0; i < g->stack_count; i++)
		busy_stacks += !logic_layer_is_idle(g->stacks[i]);
	snprintf(buf, size_bytes,
		 "gpu at %llu ps, last tick of %s %u: %llu CTAs left, %u SMs, %u slices, %u stacks busy, "
		 "crossbars %s, %llu requests out; warps wait for fetch %u, execution %u, memory %u, fence %u, "
		 "barrier %u, offload %u",
		 (unsigned long long)sim_now_ps(g->engine), last_name, last, (unsigned long long)g->ctas_left, busy_sms,
		 busy_slices, busy_stacks,
		 net_xbar_is_idle(g->requests) && net_xbar_is_idle(g->replies) ? "idle" : "busy",
		 (unsigned long long)mem_req_outstanding(g->pool), waits[SM_WAIT_FETCH], waits[SM_WAIT_EXECUTION],
		 waits[SM_WAIT_MEMORY], waits[SM_WAIT_FENCE], waits[SM_WAIT_BARRIER], waits[SM_WAIT_OFFLOAD]);
}

static void exts_new(struct gpu *g, const struct gpu_ext_list *exts)
{
	for (uint32_t i = 0; exts && i < exts->count; i++)
		gpu_ext_list_add(&g->exts, exts->items[i].ops, exts->items[i].self);
	GPU_EXT_EACH(g, e, sm_tick) {
		CHECK(!g->ticker);
		g->ticker = e;
	}
}

/* What is kept for timelines: nothing unless asked for. */
static void timeline_new(struct gpu *g)
{
	const struct gpu_params *p = &g->config->gpu;
	const uint64_t dram_clock_ps = sim_ps_of_units(g->engine, sim_period_units(g->engine, g->clocks.dram));
	const uint32_t tracks[] = {
	    [GPU_SPANS_CTAS] = g->sm_total, [GPU_SPANS_BLOCKS] = g->stack_count, [GPU_SPANS_PAUSES] = 1};

	if (p->sample_ps)
		g->sampler = gpu_sampler_new(g);
	for (uint32_t i = 0; p->span_count && i < GPU_SPANS_COUNT; i++)
		g->spans[i] = sim_spans_new((uint32_t)p->span_count, tracks[i]);
	if (p->dram_log_ps)
		g->command_log =
		    mem_command_log_new(p->dram_log_from_ps, p->dram_log_ps, dram_clock_ps, MEM_COMMANDS_MAX);
}

static void clocks_find(struct gpu *g)
{
	g->clocks = (struct gpu_clocks){
	    .l2 = sim_domain_find(g->engine, "l2"),
	    .sm = sim_domain_find(g->engine, "sm"),
	    .xbar = sim_domain_find(g->engine, "xbar"),
	    .dram = sim_domain_find(g->engine, "dram"),
	    .nsu = g->config->nsu.is_present ? sim_domain_find(g->engine, "nsu") : UINT32_MAX,
	};
}

struct gpu *gpu_new(const struct sim_ctx *ctx, const struct gpu_config *config, const struct run_params *run,
		    const struct host_params *host, const struct gpu_ext_list *exts)
{
	struct gpu *g = g_new0(struct gpu, 1);

	g->config = config;
	g->run = run;
	g->host = host;
	g->engine = ctx->engine;
	g->stats = ctx->stats;
	g->pool = ctx->pool;
	g->audits = ctx->audit;
	g->sm_count = (uint32_t)config->gpu.sm_count;
	g->stack_count = (uint32_t)config->gpu.stack_count;
	g->stack_sm_count = (uint32_t)config->gpu.stack_sm_count;
	g->sm_total = g->sm_count + g->stack_count * g->stack_sm_count;
	g->slices_per_stack = (uint32_t)config->gpu.l2_slices_per_stack_count;
	g->slice_count = g->stack_count * g->slices_per_stack;
	g->slice_bank_bits = gpu_slice_bank_bits(config);
	g->l2_has_sectors = config->l2.sector_bytes != 0;
	if (g->l2_has_sectors)
		mem_req_pool_bytes(g->pool);
	g->cluster_count =
	    (uint32_t)((g->sm_count + config->gpu.sms_per_cluster_count - 1) / config->gpu.sms_per_cluster_count);
	g->partition_slices = config->gpu.l2_partition_count > 1 ? g->slice_count / 2 : 0;
	g->partition_clusters = (g->cluster_count + 1) / 2;
	g->thread_budget = run->instruction_limit_count ? (int64_t)run->instruction_limit_count : INT64_MAX;
	clocks_find(g);
	if (run->account)
		g->account = account_new(g);
	exts_new(g, exts);
	sim_limit(g->engine, gpu_limit_units(g));
	timeline_new(g);
	gpu_map_init(config, &g->map);
	sim_stats_add_table(g->stats, &gpu_stat_table, &g->totals, sizeof(g->totals));
	sim_stats_add_table(g->stats, &gpu_memory_stat_table, &g->memory_stats, sizeof(g->memory_stats));
	sim_stats_law(g->stats, "memory.requests = memory.answers");
	xbars_new(g);
	memory_side_new(g);
	sm_side_new(g);
	for (uint32_t i = 0; i < g->slice_count; i++)
		l2_slice_map(g->slices[i]); /* extensions have said which maps they have */
	if (config->nsu.is_present)
		g->network = logic_layer_network_new(g);
	GPU_EXT_EACH(g, e, complete)
		e->ops->complete(e->self);
	g->sampling = sampling_new(g);
	g->bug_state = (struct base_bug_state){.describe = describe, .ctx = g};
	base_bug_state_add(&g->bug_state);
	return g;
}

bool gpu_checkpoint(const struct gpu *g, struct gpu_checkpoint *out)
{
	return sampling_checkpoint(g->sampling, out);
}

void gpu_free(struct gpu *g)
{
	if (!g)
		return;
	base_bug_state_remove(&g->bug_state);
	sim_sampler_free(g->sampler);
	account_free(g->account);
	sampling_free(g->sampling);
	for (uint32_t i = 0; i < GPU_SPANS_COUNT; i++)
		sim_spans_free(g->spans[i]);
	mem_command_log_free(g->command_log);
	sim_team_free(g->untimed_threads);
	beside_end(g);
	for (uint32_t i = 0; i < g->sm_total; i++)
		sm_free(g->sms[i]);
	for (uint32_t i = 0; i < g->slice_count; i++)
		l2_slice_free(g->slices[i]);
	for (uint32_t i = 0; i < g->stack_count; i++)
		logic_layer_free(g->stacks[i]);
	net_network_free(g->network);
	host_link_free(g->host_link);
	pages_free(g->pages);
	net_xbar_free(g->requests);
	net_xbar_free(g->replies);
	GPU_EXT_EACH(g, e, free)
		e->ops->free(e->self);
	g_free(g->sms);
	g_free(g->sm_has_request);
	g_free(g->slices);
	g_free(g->stacks);
	g_free(g->clusters);
	net_ports_free(&g->ports);
	g_free(g);
}

/* ---- threads of the host ---- */

/* NULL: nothing. */
static const char *what_needs_one_thread(const struct gpu *g)
{
	if (g->pages)
		return "gpu.pages = demand brings pages in the order in which SMs ask for them";
	if (beside_allowed(g) == GPU_BESIDE_NEVER)
		return "what the mechanism does in a cycle depends on what SMs before have done in it";
	if (g->cluster_count < 2)
		return "the machine has one cluster of SMs";
	return NULL;
}

uint32_t gpu_use_threads(struct gpu *g, uint32_t thread_count, const char **why)
{
	uint32_t count;

	if (g->run->mode == RUN_FUNCTIONAL) {
		thread_count = MIN(thread_count, SIM_TEAM_MAX);
		g->untimed_threads = sim_team_new(thread_count, thread_count);
		*why = g->untimed_threads ? NULL : "the host gives no threads";
		return g->untimed_threads ? sim_team_threads(g->untimed_threads) : 1;
	}
	*why = what_needs_one_thread(g);
	if (*why)
		return 1;
	count = beside_new(g, MIN(thread_count, g->cluster_count));
	*why = count < 2 ? "the host gives no threads" : NULL;
	return count;
}

/* ---- questions ---- */

uint64_t gpu_host_bytes(const struct gpu_config *c)
{
	const uint64_t sms = c->gpu.sm_count + c->gpu.stack_count * c->gpu.stack_sm_count;

	return mem_cache_host_bytes(&c->l2) + sms * (mem_cache_host_bytes(&c->l1d) + mem_cache_host_bytes(&c->l1i) +
						     mem_cache_host_bytes(&c->l1c) + mem_cache_host_bytes(&c->l1t));
}

uint32_t gpu_sm_stack(const struct gpu *g, uint32_t sm)
{
	return g->sms[sm]->stack;
}

uint32_t gpu_ctas_of(const struct gpu *g, uint32_t sm)
{
	return g->sms[sm]->cta_count + g->sms[sm]->ctas_coming;
}

struct gpu_cta_times gpu_cta_times(const struct gpu *g, bool in_stacks)
{
	const struct sim_hist *h = in_stacks ? &g->totals.cta_stack_cycles : &g->totals.cta_cycles;

	return (struct gpu_cta_times){.count = h->count, .cycles = h->sum};
}

uint64_t gpu_now_cycles(const struct gpu *g)
{
	return sim_cycle_now(g->engine, g->clocks.sm);
}

uint64_t gpu_thread_instructions(const struct gpu *g)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < g->sm_total; i++)
		sum += g->sms[i]->stats.thread_instructions;
	return sum;
}

uint64_t gpu_issues(const struct gpu *g, uint32_t sm)
{
	return g->sms[sm]->stats.warp_instructions;
}

void gpu_l1d_reads(const struct gpu *g, uint32_t sm, uint64_t *reads, uint64_t *misses)
{
	if (!beside_reads_before(g, sm, reads, misses))
		mem_cache_reads(g->sms[sm]->l1d, reads, misses);
}

void gpu_follow_reads(struct gpu *g)
{
	g->follows_reads = true;
}

double gpu_l1d_mshr_share(const struct gpu *g, uint32_t sm)
{
	return mem_cache_mshr_share(g->sms[sm]->l1d);
}

void gpu_marks_issue(struct gpu *g, bool issue)
{
	g->marks_issue = issue;
}

void gpu_observe(struct gpu *g, const struct gpu_observer *observer)
{
	g->observer = *observer;
}

uint64_t gpu_link_busy_ps(const struct gpu *g, uint32_t stack, bool is_rx)
{
	struct logic_layer *p = g->stacks[stack];

	return sim_ps_of_units(g->engine, net_channel_busy_units(is_rx ? logic_layer_rx(p) : logic_layer_tx(p)));
}

const struct sim_sampler *gpu_sampler_of(const struct gpu *g)
{
	return g->sampler;
}

uint32_t gpu_spans_of(const struct gpu *g, enum gpu_spans kind, const struct sim_span **items)
{
	return g->spans[kind] ? sim_spans_read(g->spans[kind], items) : 0;
}

const struct mem_command_log *gpu_command_log(const struct gpu *g)
{
	return g->command_log;
}

uint32_t gpu_series_of(const struct gpu *g, struct gpu_series *items, uint32_t cap)
{
	uint32_t count = 0;

	GPU_EXT_EACH(g, e, series)
		count += e->ops->series(e->self, items + count, cap - count);
	return count;
}

uint64_t gpu_kernel_cycles(const struct gpu *g)
{
	return g->totals.cycles;
}
