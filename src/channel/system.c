/* system.c - NDPs on the channels of processors that are there: made, connected, freed. */
#include "base/bits.h"
#include "base/check.h"
#include "channel/priv.h"

const struct sim_param_desc channel_param_rows[] = {
#define PARAM_STRUCT struct channel_params
#include "sim/param_rows.inc"
#include "channel/channel_params.def"
#include "sim/param_end.inc"
};
const uint32_t channel_param_row_count = ARRAY_COUNT(channel_param_rows);

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct channel_stats
#include "sim/stat_rows.inc"
#include "channel/channel_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table channel_stat_table = {"channel", stat_rows, ARRAY_COUNT(stat_rows)};

#define EXPLAIN_TABLE channel_explain
#define EXPLAIN_ROWS "channel/channel_explain.def"
#include "sim/explain.inc"

/* ---- parameters ---- */

static void check_cache(const char *name, uint64_t bytes, uint64_t ways, uint64_t line, struct base_diag_list *diag)
{
	if (bytes % (ways * line))
		base_diag_error(diag, (struct base_place){0},
				"channel.%s_bytes = %llu: no whole number of sets of %llu ways of %llu bytes", name,
				(unsigned long long)bytes, (unsigned long long)ways, (unsigned long long)line);
}

bool channel_params_check(const struct channel_params *p, const struct cpu_params *cpu,
			  struct base_diag_list *diag)
{
	const uint32_t before = diag->error_count;

	if (!p->ndp_count)
		return true;
	if (p->ndp_count > cpu->channel_count)
		base_diag_error(diag, (struct base_place){0}, "channel.ndp_count = %llu: there are %llu channels",
				(unsigned long long)p->ndp_count, (unsigned long long)cpu->channel_count);
	else if (p->ndp_count + cpu->striped_count > cpu->channel_count)
		base_diag_error(diag, (struct base_place){0},
				"cpu.striped_count = %llu: the lines of channels with an NDP stay behind these, "
				"channel.ndp_count = %llu of %llu",
				(unsigned long long)cpu->striped_count, (unsigned long long)p->ndp_count,
				(unsigned long long)cpu->channel_count);
	if (cpu->line_bytes != LINE_BYTES || cpu->placement == CPU_PLACE_LINE || cpu->placement == CPU_PLACE_SOCKET)
		base_diag_error(diag, (struct base_place){0},
				"channel.ndp_count = %llu: near-data processors need cpu.line_bytes = %u and "
				"cpu.placement = page or touch",
				(unsigned long long)p->ndp_count, LINE_BYTES);
	if (cpu->socket_count > 1)
		base_diag_error(diag, (struct base_place){0},
				"cpu.socket_count = %llu: near-data processors are behind the channels of one socket; "
				"set cpu.socket_count = 1 or channel.ndp_count = 0",
				(unsigned long long)cpu->socket_count);
	if (p->cache_bytes && p->core_count > SHARERS_MAX)
		base_diag_error(diag, (struct base_place){0},
				"channel.core_count = %llu: an NDP-M knows the caches of %u cores; more need "
				"channel.cache_bytes = 0",
				(unsigned long long)p->core_count, SHARERS_MAX);
	if (!base_is_power_of_two(p->access_bytes) || p->access_bytes > LINE_BYTES)
		base_diag_error(diag, (struct base_place){0}, "channel.access_bytes = %llu: expected 32, 64 or 128",
				(unsigned long long)p->access_bytes);
	if (!base_is_power_of_two(p->summary_bytes))
		base_diag_error(diag, (struct base_place){0}, "channel.summary_bytes = %llu: expected a power of two",
				(unsigned long long)p->summary_bytes);
	if (p->attachment == CHANNEL_ATTACHMENT_PEER &&
	    (p->ndp_count > CPU_AGENTS_BESIDE || p->point_count != p->ndp_count || !cpu->smp_hop_count))
		base_diag_error(diag, (struct base_place){0},
				"channel.attachment = peer: needs at most %u NDPs, channel.point_count as many as "
				"channel.ndp_count, and a link: cpu.smp_hop_count",
				CPU_AGENTS_BESIDE);
	if (p->attachment == CHANNEL_ATTACHMENT_PEER && p->extended_bus)
		base_diag_error(diag, (struct base_place){0},
				"channel.extended_bus: peers are asked for what they have over their links; it is for "
				"channel.attachment = manager");
	if (p->coherence == CHANNEL_COHERENCE_SOFTWARE &&
	    (p->attachment == CHANNEL_ATTACHMENT_PEER || p->extended_bus || p->cache_bytes || p->fault))
		base_diag_error(diag, (struct base_place){0},
				"channel.coherence = software: an NDP-M that asks nobody is on a channel, of a design "
				"without caches; expected channel.attachment = manager, channel.cache_bytes = 0, no "
				"channel.extended_bus and no channel.fault");
	if (p->item_fault && (cpu->values != CPU_VALUES_BYTES || p->attachment == CHANNEL_ATTACHMENT_PEER ||
			      p->coherence == CHANNEL_COHERENCE_SOFTWARE))
		base_diag_error(diag, (struct base_place){0},
				"channel.item_fault: items of the directory have contents with cpu.values = bytes, "
				"channel.attachment = manager and channel.coherence = directory");
	if (channel_message_ps(p, cpu) < cpu_channel_latency_ps(cpu))
		base_diag_error(diag, (struct base_place){0},
				"channel.message_ps = %llu: a message would overtake lines, which take %llu by "
				"cpu.channel_latency_ps and cpu.smp_hop_count",
				(unsigned long long)p->message_ps, (unsigned long long)cpu_channel_latency_ps(cpu));
	check_cache("cache", p->cache_bytes, p->cache_ways_count, p->access_bytes, diag);
	check_cache("directory_cache", p->directory_cache_bytes, p->directory_cache_ways_count, QUARTER_BYTES, diag);
	check_cache("point_cache", p->point_cache_bytes, p->point_cache_ways_count, LINE_BYTES, diag);
	return diag->error_count == before;
}

/* ---- made and freed ---- */

static void add_laws(struct sim_stats *stats)
{
	sim_stats_law(stats, "channel.reads + channel.writes + channel.atomics + channel.prefetches = channel.hits + "
			     "channel.drops + channel.local + channel.remote_reads + channel.remote_writes + "
			     "channel.remote_atomics");
	sim_stats_law(stats, "channel.atomics = channel.atomic_reads");
	/* What accesses need, by their kinds, is what is on the wires for them. */
	sim_stats_law(stats, "channel.needed_up_bytes = channel.data_up_bytes");
	sim_stats_law(stats, "channel.needed_down_bytes = channel.point_out_bytes");
	sim_stats_law(stats, "channel.claims = cpu.claims");
	sim_stats_law(stats, "channel.point_lookups = channel.remote_reads + channel.remote_writes + "
			     "channel.remote_writes + channel.remote_atomics + channel.walk_reads");
}

/* Nothing ticks by it: it makes a core's cycle a whole number of units. */
static const char core_clock[] = "ndp_core";

bool channel_clock_add(const struct channel_params *p, struct sim_engine *e)
{
	uint32_t domain;

	return sim_domain_add(e, core_clock, sim_period_of_khz(p->clock_khz), &domain);
}

uint64_t channel_cycle_units(const struct channel_system *s)
{
	return s->cycle_units;
}

struct channel_system *channel_system_new(struct sim_ctx *ctx, const struct channel_params *p, struct cpu_system *cpu,
					  uint32_t first_unit)
{
	struct channel_system *s = g_new0(struct channel_system, 1);
	const struct cpu_params *c = cpu->common.p;

	s->p = p;
	s->is_peer = p->attachment == CHANNEL_ATTACHMENT_PEER;
	s->message_ps = channel_message_ps(p, c);
	s->cycle_units = sim_period_units(ctx->engine, sim_domain_find(ctx->engine, core_clock));
	s->cpu = cpu;
	s->c = &cpu->common;
	s->bus = &cpu->bus;
	s->channels = &cpu->channels;
	s->pages = &cpu->pages;
	s->asks_nobody = p->coherence == CHANNEL_COHERENCE_SOFTWARE;
	coh_table_init(&s->table, (enum coh_fault)p->fault, p->fault_every_count);
	if (s->asks_nobody)
		coh_table_by_software(&s->table);
	s->granule_quarters = (uint32_t)(p->access_bytes / QUARTER_BYTES);
	s->granules = QUARTERS / s->granule_quarters;
	for (uint32_t i = 0; i < s->granules; i++)
		s->quarters[i] = quarters_of(i * s->granule_quarters, s->granule_quarters);
	s->quarters_shift = (uint32_t)__builtin_ctz(s->granule_quarters);
	s->granule_shift = (uint32_t)__builtin_ctz(s->granules);
	s->region_lines = p->summary_bytes / LINE_BYTES;
	s->region_shift = (uint32_t)__builtin_ctzll(s->region_lines);
	channel_core_ahead_init(s);
	s->uninhibited = g_array_new(FALSE, FALSE, sizeof(struct channel_range));
	s->channel_lines = cpu_pages_reserve(s->pages) * (c->page_bytes / LINE_BYTES);
	s->regions_count = (s->channel_lines + s->region_lines - 1) / s->region_lines;
	s->ms = g_new0(struct ndp_m, p->ndp_count);
	s->shadow = g_new0(uint8_t *, p->ndp_count);
	s->cores = g_aligned_alloc0(p->ndp_count * p->core_count, sizeof(*s->cores), _Alignof(struct ndp_core));
	s->points = g_new0(struct ndp_point, p->point_count);
	for (uint32_t i = 0; i < p->point_count; i++)
		channel_point_init(&s->points[i], s, i);
	for (uint32_t i = 0; i < p->ndp_count; i++) {
		channel_manager_init(&s->ms[i], s, i);
		s->shadow[i] = g_new0(uint8_t, s->regions_count);
		for (uint64_t k = 0; k < s->regions_count; k++)
			s->shadow[i][k] = channel_region_is_summarised(s, k) ? NEAR_CPU : NEAR_UNDEFINED;
		for (uint32_t k = 0; k < p->core_count; k++) {
			const uint32_t number = i * (uint32_t)p->core_count + k;

			channel_core_init(&s->cores[number], s, &s->ms[i], k, first_unit + number);
		}
	}
	s->near = (struct cpu_near_ops){.read = channel_manager_read,
					.write = channel_manager_write,
					.written = channel_manager_written,
					.invalidate = channel_point_invalidate,
					.shares = channel_point_shares,
					.is_beyond = channel_point_is_beyond,
					.leave = channel_software_leave,
					.forget = channel_software_forget,
					.self = s};
	if (p->extended_bus)
		s->near.snoop = channel_point_ask_all;
	s->channels->near = &s->near;
	sim_stats_add_table(ctx->stats, &channel_stat_table, &s->stats, sizeof(s->stats));
	add_laws(ctx->stats);
	return s;
}

void channel_system_observe(struct channel_system *s, const struct channel_observer *observer)
{
	s->observer = *observer;
	s->is_observed = true;
}

void channel_system_free(struct channel_system *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->p->ndp_count; i++) {
		channel_manager_free(&s->ms[i]);
		g_free(s->shadow[i]);
	}
	for (uint32_t i = 0; i < s->p->point_count; i++)
		channel_point_free(&s->points[i]);
	for (uint64_t i = 0; i < s->p->ndp_count * s->p->core_count; i++)
		channel_core_free(&s->cores[i]);
	base_pool_free(&s->request_pool);
	base_pool_free(&s->write_pool);
	base_pool_free(&s->mshr_pool);
	base_pool_free(&s->remote_pool);
	base_pool_free(&s->claim_pool);
	base_pool_free(&s->message_pool);
	base_pool_free(&s->directory_read_pool);
	base_pool_free(&s->translation_pool);
	base_table_free(&s->versions);
	g_array_free(s->uninhibited, TRUE);
	g_free(s->ms);
	g_free(s->shadow);
	g_aligned_free(s->cores);
	g_free(s->points);
	g_free(s);
}

uint32_t channel_tlb_pages(const struct channel_system *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->p->ndp_count; i++)
		count += s->ms[i].tlb_pages;
	return count;
}

struct channel_stats *channel_system_stats(struct channel_system *s)
{
	return &s->stats;
}

const uint64_t *channel_row_counts(const struct channel_system *s)
{
	return s->table.counts;
}
