/* system.c - cores, bus, channels and pages, put together. */
#include "cpu/system.h"

#include "base/check.h"
#include "cpu/inside.h"

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct cpu_stats
#include "sim/stat_rows.inc"
#include "cpu/cpu_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table cpu_stat_table = {"cpu", stat_rows, ARRAY_COUNT(stat_rows)};

#define EXPLAIN_TABLE cpu_explain
#define EXPLAIN_ROWS "cpu/cpu_explain.def"
#include "sim/explain.inc"

/* Nothing ticks by it: it makes a core's cycle a whole number of units. */
static const char core_clock[] = "cpu_core";

bool cpu_clock_add(const struct cpu_params *p, struct sim_engine *e)
{
	uint32_t domain;

	return sim_domain_add(e, "cpu_bus", sim_period_of_khz(p->bus_khz), &domain) &&
	       sim_domain_add(e, core_clock, sim_period_of_khz(p->clock_khz), &domain);
}

/* By the lines' places: cpu_params_check has seen to it that they go round. */
static void count_stacks(struct cpu_common *c, const struct mem_memory *memory)
{
	if (c->p->placement == CPU_PLACE_LINE)
		return;
	c->stack_count = 1;
	while (mem_memory_place(memory, (uint64_t)c->stack_count << c->line_shift).stack)
		c->stack_count++;
	CHECK(c->stack_count % c->p->channel_count == 0);
}

void cpu_stats_add(struct sim_ctx *ctx, struct cpu_stats *stats)
{
	sim_stats_add_table(ctx->stats, &cpu_stat_table, stats, sizeof(*stats));
	sim_stats_law(ctx->stats, "cpu.reads + cpu.writes + cpu.atomics + cpu.prefetches + cpu.stream_requests + "
				  "cpu.walks + cpu.asked_beside + cpu.joins_over = "
				  "cpu.l1_hits + cpu.l2_hits + cpu.misses + cpu.joins + cpu.merges + cpu.drops + "
				  "cpu.forwards + cpu.found_beside");
	sim_stats_law(ctx->stats, "cpu.misses = cpu.upgrades + cpu.interventions + cpu.llc_hits + cpu.memory_reads");
	sim_stats_law(ctx->stats, "cpu.joins = cpu.joins_over");
	sim_stats_law(ctx->stats, "cpu.slots = cpu.misses + cpu.claims + cpu.slots_beside");
}

struct cpu_system *cpu_system_new(struct sim_ctx *ctx, const struct cpu_params *p, struct mem_memory *memory,
				  uint64_t memory_bytes)
{
	struct cpu_system *s = g_new0(struct cpu_system, 1);
	struct cpu_common *c = &s->common;
	const uint32_t domain = sim_domain_find(ctx->engine, "cpu_bus");

	*c = (struct cpu_common){.p = p,
				 .ctx = ctx,
				 .per_ps = sim_units_per_ps(ctx->engine),
				 .cycle_units = sim_period_units(ctx->engine, sim_domain_find(ctx->engine, core_clock)),
				 .line_shift = (uint32_t)__builtin_ctzll(p->line_bytes),
				 .page_shift = (uint32_t)__builtin_ctzll(p->page_bytes)};
	cpu_events_init(&c->events, ctx->engine, domain);
	cpu_bus_init(&s->bus, c, domain, (uint32_t)p->core_count + CPU_AGENTS_BESIDE);
	count_stacks(c, memory);
	cpu_common_divide(c);
	cpu_pages_init(&s->pages, c, memory_bytes);
	cpu_channels_init(&s->channels, c, &s->bus, memory);
	cpu_bus_home(&s->bus, &cpu_channels_home, &s->channels);
	s->cores = g_new0(struct cpu_core, p->core_count);
	for (uint32_t i = 0; i < p->core_count; i++)
		cpu_core_init(&s->cores[i], c, &s->bus, &s->pages);
	s->threads = g_new(struct cpu_thread *, cpu_unit_count(p));
	for (uint32_t i = 0; i < cpu_unit_count(p); i++)
		s->threads[i] = &s->cores[i % p->core_count].threads[i / p->core_count];
	cpu_stats_add(ctx, &c->stats);
	return s;
}

void cpu_system_account(struct cpu_system *s, uint32_t unit_count)
{
	struct cpu_common *c = &s->common;

	c->account = cpu_account_new(unit_count, cpu_unit_count(c->p), (uint32_t)c->p->channel_count, c->per_ps);
	for (uint32_t i = 0; i < cpu_unit_count(c->p); i++)
		s->threads[i]->stall_trail = g_new0(struct cpu_trail, 1);
}

void cpu_system_keep(struct cpu_system *s, struct sim_sampler *sampler, struct sim_spans *spans,
		     struct sim_spans *moves)
{
	s->sampler = sampler;
	s->spans = spans;
	s->moves = moves;
}

struct sim_sampler *cpu_system_sampler(const struct cpu_system *s)
{
	return s->sampler;
}

struct sim_spans *cpu_system_spans(const struct cpu_system *s)
{
	return s->spans;
}

const struct sim_spans *cpu_system_moves(const struct cpu_system *s)
{
	return s->moves;
}

struct cpu_account *cpu_system_account_of(const struct cpu_system *s)
{
	return s->common.account;
}

void cpu_system_connect(struct cpu_system *s, const struct cpu_user *user)
{
	s->common.user = *user;
	if (user->observe)
		cpu_channels_observe(&s->channels);
}

void cpu_system_free(struct cpu_system *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->common.p->core_count; i++)
		cpu_core_free(&s->cores[i]);
	g_free(s->cores);
	g_free(s->threads);
	cpu_pages_free(&s->pages);
	cpu_channels_free(&s->channels);
	cpu_bus_free(&s->bus);
	cpu_events_free(&s->common.events);
	cpu_account_free(s->common.account);
	sim_sampler_free(s->sampler);
	sim_spans_free(s->spans);
	sim_spans_free(s->moves);
	g_free(s);
}

static struct cpu_thread *thread_of(struct cpu_system *s, uint32_t unit)
{
	return s->threads[unit];
}

uint64_t cpu_cycle_units(const struct cpu_system *s)
{
	return s->common.cycle_units;
}

uint64_t cpu_pass(struct cpu_system *s, uint32_t unit, uint64_t now_ps, uint32_t instructions, uint64_t units,
		  const struct cpu_flow *flow)
{
	return cpu_core_pass(thread_of(s, unit), now_ps, instructions, units, flow);
}

void cpu_runs(struct cpu_system *s, uint32_t unit, bool is_running)
{
	struct cpu_thread *t = thread_of(s, unit);

	if (t->is_resting != is_running)
		return;
	t->is_resting = !is_running;
	if (is_running)
		t->core->running++;
	else
		t->core->running--;
}

uint64_t cpu_access(struct cpu_system *s, uint32_t unit, uint64_t now_ps, uint64_t address, uint32_t size_bytes,
		    enum cpu_op op, uint32_t use, const struct cpu_flow *flow)
{
	return cpu_core_access(thread_of(s, unit), now_ps, address, size_bytes, op, use, flow);
}

uint64_t cpu_fence(struct cpu_system *s, uint32_t unit, uint64_t now_ps)
{
	return cpu_core_fence(thread_of(s, unit), now_ps);
}

uint64_t cpu_first_line(struct cpu_system *s, uint32_t unit, uint64_t page)
{
	return cpu_pages_line(&s->pages, unit, page);
}

bool cpu_is_untold(const struct cpu_system *s, uint32_t unit, uint64_t line)
{
	return cpu_core_is_untold(s->threads[unit]->core, line);
}

cpu_version cpu_version_now(const struct cpu_system *s, uint32_t core, uint64_t line)
{
	return cpu_bus_version(&s->bus, core, line);
}

bool cpu_is_untouched(const struct cpu_system *s, uint64_t address)
{
	return !cpu_pages_is_touched(&s->pages, address / s->common.p->page_bytes);
}

/* Nobody has a translation of the touched page any more, near-data processors' NDP-Ms from when they hear of it. */
static uint64_t forget(struct cpu_system *s, uint64_t page, enum cpu_translation why)
{
	const struct cpu_near_ops *near = s->channels.near;

	for (uint32_t i = 0; i < s->common.p->core_count; i++)
		cpu_core_forget(&s->cores[i], page);
	return near ? near->forget(near->self, page, why) : 0;
}

/* From units on: a slot of the bus each, and the time of a command once. Returns when all have answered. */
static uint64_t tell(struct cpu_system *s, uint64_t units, uint64_t first, uint64_t end, enum cpu_translation why)
{
	const uint64_t command = s->common.p->tlb_command_ps * s->common.per_ps;
	uint64_t done = units;

	for (uint64_t page = first; page < end; page++) {
		if (!cpu_pages_is_touched(&s->pages, page))
			continue;

		const uint64_t near = forget(s, page, why);

		if (why == CPU_TRANSLATION_SILENT)
			continue;
		s->common.stats.tlb_commands++;
		units = cpu_bus_slot_beside(&s->bus, units);
		done = MAX(MAX(done, near), units + command);
	}
	return done;
}

uint64_t cpu_unmap(struct cpu_system *s, uint64_t now_ps, uint64_t address, uint64_t size_bytes, bool is_silent)
{
	const uint64_t page = s->common.p->page_bytes;
	const uint64_t first = (address + page - 1) / page, end = (address + size_bytes) / page;
	const uint64_t done = tell(s, now_ps * s->common.per_ps, first, end,
				   is_silent ? CPU_TRANSLATION_SILENT : CPU_TRANSLATION_GOES);

	cpu_pages_unmap(&s->pages, first, end);
	return cpu_ps_from(&s->common, done);
}

uint64_t cpu_protect(struct cpu_system *s, uint64_t now_ps, uint64_t address, uint64_t size_bytes)
{
	const uint64_t page = s->common.p->page_bytes, end = (address + size_bytes + page - 1) / page;
	const uint64_t done = tell(s, now_ps * s->common.per_ps, address / page, end, CPU_TRANSLATION_CHANGES);

	return cpu_ps_from(&s->common, done);
}

bool cpu_has_room(const struct cpu_system *s, uint32_t channel)
{
	return cpu_pages_has_room(&s->pages, channel);
}

void cpu_leave(struct cpu_system *s, uint64_t address)
{
	const struct cpu_common *c = &s->common;
	const struct cpu_near_ops *near = s->channels.near;
	const uint64_t first = cpu_pages_line(&s->pages, 0, address / c->p->page_bytes);
	cpu_version version;

	for (uint64_t line = first; line < first + c->p->page_bytes / c->p->line_bytes; line++) {
		if (near)
			near->leave(near->self, line);
		if (!cpu_bus_under_way(&s->bus, line) && !cpu_bus_is_locked(&s->bus, line) &&
		    cpu_bus_take(&s->bus, line, true, &version))
			cpu_bus_write_beside(&s->bus, line, version);
	}
}

static uint64_t flush_line(struct cpu_system *s, uint64_t line, uint64_t units)
{
	const uint64_t slot = cpu_bus_slot_beside(&s->bus, units);
	const uint64_t done = slot + s->common.p->snoop_latency_ps * s->common.per_ps;
	cpu_version version;

	s->common.stats.flushes++;
	if (cpu_bus_under_way(&s->bus, line) || cpu_bus_is_locked(&s->bus, line) ||
	    !cpu_bus_take(&s->bus, line, true, &version))
		return done;
	cpu_bus_write_beside(&s->bus, line, version);
	return MAX(done, cpu_channels_written(&s->channels, line));
}

uint64_t cpu_flush(struct cpu_system *s, uint64_t now_ps, uint64_t begin, uint64_t end)
{
	const struct cpu_common *c = &s->common;
	const uint64_t line_bytes = c->p->line_bytes, lines_of_page = c->p->page_bytes / line_bytes;
	uint64_t units = now_ps * c->per_ps, done = units;

	for (uint64_t at = begin / line_bytes; at * line_bytes < end; at++) {
		const uint64_t page = at / lines_of_page;

		units += cpu_cycles_units(c, c->p->memory_cycles);
		if (!cpu_pages_is_touched(&s->pages, page))
			continue;
		const uint64_t line = cpu_pages_line(&s->pages, 0, page) + at % lines_of_page;
		const uint64_t ended = flush_line(s, line, units);

		done = MAX(done, ended);
	}
	return cpu_ps_from(c, MAX(done, units));
}

void cpu_move(struct cpu_system *s, uint64_t address, uint32_t channel, uint64_t *done_ps)
{
	struct cpu_common *c = &s->common;
	const uint64_t page = address / c->p->page_bytes, from = cpu_pages_line(&s->pages, 0, page);
	const uint64_t begin_ps = *done_ps, from_channel = cpu_pages_channel(&s->pages, page);
	const uint64_t told = tell(s, begin_ps * c->per_ps, page, page + 1, CPU_TRANSLATION_GOES);
	uint64_t done;

	*done_ps = cpu_ps_from(c, told);
	cpu_pages_move(&s->pages, page, channel);
	cpu_leave(s, address); /* of whose place it was before */
	done = cpu_channels_copy(&s->channels, from, cpu_pages_line(&s->pages, 0, page),
				 c->p->page_bytes / c->p->line_bytes);
	c->stats.page_moves++;
	*done_ps = MAX(*done_ps, (done + c->per_ps - 1) / c->per_ps) + c->p->page_fault_ps;
	if (s->moves)
		sim_spans_add(s->moves, channel, from_channel, begin_ps, *done_ps);
}

void cpu_place(struct cpu_system *s, uint64_t address, uint64_t size_bytes, uint64_t channels)
{
	const uint64_t page = s->common.p->page_bytes;
	struct cpu_pages_word word = {.end = UINT64_MAX, .channels = channels};

	if (size_bytes) {
		word.first = address / page;
		word.end = (address + size_bytes + page - 1) / page;
		cpu_pages_place(&s->pages, &word);
	} else {
		g_array_prepend_val(s->pages.words, word); /* the others count before it */
	}
}

int32_t cpu_channel_of(const struct cpu_system *s, uint64_t address)
{
	const uint32_t channel = cpu_pages_channel(&s->pages, address / s->common.p->page_bytes);

	return channel == CPU_NO_CHANNEL ? -1 : (int32_t)channel;
}

uint32_t cpu_tlb_pages(const struct cpu_system *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->common.p->core_count; i++)
		count += s->cores[i].tlb_pages;
	return count;
}

uint32_t cpu_memory_under_way(const struct cpu_system *s)
{
	return s->channels.dram.under_way;
}

uint64_t cpu_channel_bytes(const struct cpu_system *s, uint32_t channel, enum cpu_way way)
{
	const struct cpu_channels *h = &s->channels;

	if (way == CPU_WAY_RATED)
		return h->dram.channels[channel].wire.bytes;
	return way == CPU_WAY_UP ? h->up[channel].bytes : h->down[channel].bytes;
}

uint32_t cpu_memory_waiting(const struct cpu_system *s)
{
	return cpu_dram_waiting(&s->channels.dram);
}

uint64_t cpu_events_asked(const struct cpu_system *s)
{
	return s->common.events.order;
}

void cpu_cold(struct cpu_system *s)
{
	for (uint32_t i = 0; i < s->common.p->core_count; i++)
		cpu_core_cold(&s->cores[i]);
	cpu_bus_cold(&s->bus);
}

void cpu_memory_done(void *system, struct mem_req *r)
{
	cpu_dram_done(&((struct cpu_system *)system)->channels.dram, r);
}

void cpu_memory_room(void *system)
{
	cpu_dram_room(&((struct cpu_system *)system)->channels.dram);
}

struct cpu_stats *cpu_system_stats(struct cpu_system *s)
{
	return &s->common.stats;
}

enum cpu_state cpu_state_of(const struct cpu_system *s, uint32_t core, uint64_t line)
{
	return cpu_core_state(&s->cores[core], line);
}
