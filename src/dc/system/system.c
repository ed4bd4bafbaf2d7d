/* system.c - the parts put together; a launch from its beginning to its end. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/units.h"
#include "dc/system/host.h"

const struct sim_param_desc dc_param_rows[] = {
#define PARAM_STRUCT struct dc_params
#include "sim/param_rows.inc"
#include "dc/system/dc_params.def"
#include "sim/param_end.inc"
};
const uint32_t dc_param_row_count = ARRAY_COUNT(dc_param_rows);

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct dc_stats
#include "sim/stat_rows.inc"
#include "dc/system/dc_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table dc_stat_table = {"duality", stat_rows, ARRAY_COUNT(stat_rows)};

#define EXPLAIN_TABLE dc_explain
#define EXPLAIN_ROWS "dc/system/dc_explain.def"
#include "sim/explain.inc"

static const char clock_name[] = "duality";

/* ---- parameters ---- */

uint32_t dc_block_count(const struct dc_params *p)
{
	return (uint32_t)(p->socket_count * p->slice_count * p->way_count);
}

static void wrong(struct base_diag_list *diag, const char *text)
{
	base_diag_error(diag, (struct base_place){0}, "%s", text);
}

bool dc_params_check(const struct dc_params *p, const struct memory_params *m, struct base_diag_list *diag)
{
	const uint32_t before = diag->error_count;

	if (p->line_bytes != m->line_bytes)
		base_diag_error(diag, (struct base_place){0},
				"duality.line_bytes = %llu: must be the line_bytes of the memory, %llu",
				(unsigned long long)p->line_bytes, (unsigned long long)m->line_bytes);
	if (!base_is_power_of_two(p->line_bytes))
		wrong(diag, "duality.line_bytes must be a power of two");
	if (!base_is_power_of_two(p->page_bytes) || p->page_bytes < p->line_bytes)
		wrong(diag, "duality.page_bytes must be a power of two, and at least a line");
	if (p->pages == DC_FIRST_TOUCH && p->host_lines_stay)
		wrong(diag, "duality.pages=first_touch: what the host has written lies in no socket yet; set "
			    "duality.host_lines_stay=false");
	if (p->cache_way_count >= p->way_count)
		wrong(diag, "duality.cache_way_count must leave a way of each slice to compute");
	if (dc_block_count(p) + p->socket_count * p->slice_count + 2 > SIM_COMPS_MAX) /* two links */
		wrong(diag, "duality: more control blocks than the simulator has places for");
	if (!base_is_power_of_two(p->host_vector_bytes))
		wrong(diag, "duality.host_vector_bytes must be a power of two");
	if (p->bit_exact && p->compiler == DC_COMPILER_PLAIN)
		wrong(diag, "duality.bit_exact is of four arrays a bank: not with duality.compiler=plain");
	return diag->error_count == before;
}

struct dc_exec_params dc_exec_of(const struct dc_params *p)
{
	return (struct dc_exec_params){
	    .arith = {.cordic_iterations = (uint32_t)p->cordic_iterations_count,
		      .is_truncated = p->rounding == DC_TRUNCATE,
		      .flushes = p->underflow == DC_FLUSH},
	    .savings = (uint32_t)p->skip_partial_products << DC_SAVE_PARTIAL_PRODUCTS |
		       (uint32_t)p->skip_leading_zeros << DC_SAVE_LEADING_ZEROS |
		       (uint32_t)p->skip_zero_residues << DC_SAVE_ZERO_RESIDUES |
		       (uint32_t)p->skip_differences << DC_SAVE_DIFFERENCES | (uint32_t)p->skip_signs << DC_SAVE_SIGNS,
	    .line_bytes = (uint32_t)p->line_bytes,
	    .clock_khz = p->clock_khz,
	    .is_bit_exact = p->bit_exact,
	    .operations_are_free = p->operations_are_free,
	    .progress_rounds = p->progress_rounds_count,
	};
}

/* ---- making ---- */

bool dc_clock_add(const struct dc_params *p, struct sim_engine *e)
{
	uint32_t domain;

	return sim_domain_add(e, clock_name, sim_period_of_khz(p->clock_khz), &domain);
}

struct cpu_params dc_host_params(const struct dc_params *p, const struct cpu_params *cores)
{
	struct cpu_params own = *cores;

	own.core_count = p->host_core_count;
	own.clock_khz = p->host_clock_khz;
	own.line_bytes = p->line_bytes;
	own.smt_count = 1;
	own.channel_count = 1;
	own.page_fault_ps = 0; /* programs' memory is there when kernels begin */
	own.values = CPU_VALUES_NONE;
	return own;
}

void dc_system_host(struct dc_system *s, const struct cpu_params *p)
{
	s->host = dc_host_new(s, p);
}

static uint64_t cycles_of(const struct dc_system *s, uint64_t ps)
{
	return (ps * s->p->clock_khz + 999999999) / 1000000000;
}

static void slice_init(struct dc_system *s, uint32_t i)
{
	struct dc_slice *slice = &s->slices[i];

	slice->system = s;
	slice->index = i;
	slice->socket = i / (uint32_t)s->p->slice_count;
	slice->comp = sim_engine_add(s->ctx->engine, s->domain, "slice", dc_slice_tick, slice);
	mem_tags_init(&slice->cache, s->set_count, (uint32_t)s->p->way_count);
}

/* The control blocks of all slices take turns, so that few CTAs use many C-Boxes. */
static void cb_init(struct dc_system *s, uint32_t i)
{
	struct dc_cb *cb = &s->cbs[i];

	cb->system = s;
	cb->index = i;
	cb->slice = i % s->slice_count;
	cb->registers = s->registers + HOST_LINE_BYTES / sizeof(*s->registers) -
			(uintptr_t)s->registers % HOST_LINE_BYTES / sizeof(*s->registers) +
			(size_t)i * DC_BLOCK_REGISTERS;
	cb->comp = sim_engine_add(s->ctx->engine, s->domain, "control block", dc_cb_tick, cb);
}

struct dc_system *dc_system_new(struct sim_ctx *ctx, const struct dc_params *p, struct mem_memory *memory,
				struct dc_behind behind)
{
	struct dc_system *s = g_new0(struct dc_system, 1);

	s->ctx = ctx;
	s->p = p;
	s->memory = memory;
	s->behind = behind;
	s->domain = sim_domain_find(ctx->engine, clock_name);
	s->slice_count = (uint32_t)(p->socket_count * p->slice_count);
	s->cb_count = dc_block_count(p);
	s->set_count = (uint32_t)(DC_WAY_BYTES / p->line_bytes);
	s->line_shift = (uint32_t)__builtin_ctzll(p->line_bytes);
	s->page_shift = (uint32_t)__builtin_ctzll(p->page_bytes);
	dc_mmu_init(s);
	s->by_sockets = base_divisor_of(p->socket_count);
	s->by_slices = base_divisor_of(p->slice_count);
	s->llc_cycles = cycles_of(s, p->llc_latency_ps);
	s->link_cycles = cycles_of(s, p->link_latency_ps / 2);
	s->slices = g_new0(struct dc_slice, s->slice_count);
	s->cbs = g_new0(struct dc_cb, s->cb_count);
	s->registers = g_malloc0(((size_t)s->cb_count * DC_BLOCK_REGISTERS) * sizeof(*s->registers) + HOST_LINE_BYTES);
	for (uint32_t i = 0; i < ARRAY_COUNT(s->links); i++) {
		s->links[i].system = s;
		if (p->link_mbytes_per_s) /* 1000 x cycles/s / bytes/s */
			s->links[i].wire = s->links[i].messages = net_wire_of(p->clock_khz, p->link_mbytes_per_s);
		s->links[i].comp = sim_engine_add(ctx->engine, s->domain, "link", dc_link_tick, &s->links[i]);
	}
	for (uint32_t i = 0; i < s->slice_count; i++)
		slice_init(s, i);
	for (uint32_t i = 0; i < s->cb_count; i++)
		cb_init(s, i);
	dc_slices_reset(s);
	s->limit_units = SIM_NEVER;
	s->sampler = p->sample_ps ? dc_sampler_new(s) : NULL;
	s->spans = p->span_count ? sim_spans_new((uint32_t)p->span_count, s->cb_count) : NULL;
	sim_stats_add_table(ctx->stats, &dc_stat_table, &s->stats, sizeof(s->stats));
	sim_stats_law(ctx->stats, "duality.active_block_cycles = duality.compute_cycles + duality.memory_cycles + "
				  "duality.swap_cycles + duality.jump_cycles + duality.feed_wait_cycles + "
				  "duality.wave_wait_cycles + duality.end_wait_cycles");
	return s;
}

void dc_system_limit(struct dc_system *s, uint64_t limit_units)
{
	s->limit_units = limit_units;
	sim_limit(s->ctx->engine, limit_units);
}

const struct sim_sampler *dc_system_sampler(const struct dc_system *s)
{
	return s->sampler;
}

const struct sim_spans *dc_system_spans(const struct dc_system *s)
{
	return s->spans;
}

static void blocks_drop(struct dc_system *s)
{
	for (uint32_t i = 0; i < s->cb_count; i++) {
		dc_block_free(s->cbs[i].block);
		s->cbs[i].block = NULL;
	}
}

void dc_system_free(struct dc_system *s)
{
	if (!s)
		return;
	blocks_drop(s);
	sim_sampler_free(s->sampler);
	sim_spans_free(s->spans);
	for (uint32_t i = 0; i < s->slice_count; i++)
		mem_tags_free(&s->slices[i].cache);
	base_pool_free(&s->fetch_pool);
	base_pool_free(&s->waiter_pool);
	base_pool_free(&s->crossing_pool);
	dc_host_free(s->host);
	dc_mmu_free(s);
	g_free(s->slices);
	g_free(s->cbs);
	g_free(s->registers);
	g_free(s->sent_milli);
	g_free(s);
}

struct dc_stats *dc_system_stats(struct dc_system *s)
{
	return &s->stats;
}

bool dc_system_is_audited(const struct dc_system *s)
{
	return s->ctx->audit;
}

uint64_t dc_system_now_ps(const struct dc_system *s)
{
	return sim_now_ps(s->ctx->engine);
}

/* Operations of lanes are added up when a launch ends: until then its program counts them, and may go. */
void dc_system_progress(const struct dc_system *s, struct sim_progress *out)
{
	const struct dc_stats *c = &s->stats;

	*out = (struct sim_progress){.time_ps = dc_system_now_ps(s),
				     .instructions = sim_progress_count(&c->lane_operations),
				     .accesses = sim_progress_count(&c->accesses),
				     .of = "CTAs begun",
				     .done = sim_progress_count(&s->next_cta),
				     .total = sim_progress_count(&s->cta_count)};
	sim_progress_spent_add(out, "compute", sim_progress_count(&c->compute_cycles));
	sim_progress_spent_add(out, "memory", sim_progress_count(&c->memory_cycles));
	sim_progress_spent_add(out, "swaps", sim_progress_count(&c->swap_cycles));
	sim_progress_spent_add(out, "host core", sim_progress_count(&c->feed_wait_cycles));
	sim_progress_spent_add(out, "wave", sim_progress_count(&c->wave_wait_cycles));
	sim_progress_spent_add(out, "jumps", sim_progress_count(&c->jump_cycles));
}

void dc_system_advance_ps(struct dc_system *s, uint64_t time_ps)
{
	sim_advance_ps(s->ctx->engine, time_ps);
}

void dc_system_stop(struct dc_system *s, enum device_stop why)
{
	s->stop = (int)why;
	sim_stop(s->ctx->engine);
}

uint32_t dc_system_blocks(const struct dc_system *s)
{
	return (uint32_t)(s->slice_count * (s->p->way_count - s->p->cache_way_count));
}

/* ---- a launch ---- */

void dc_system_fault(struct simt_launch *l, enum simt_fault_kind kind, const char *text)
{
	if (l->fault.kind)
		return;
	l->fault.kind = kind;
	snprintf(l->fault.text, sizeof(l->fault.text), "kernel %s: %s", l->program->name, text);
}

/* Shared and local memory of all control blocks that the launch uses. */
static bool take_segments(struct dc_system *s, struct simt_launch *l)
{
	const struct dc_kernel *k = dc_program_kernel(s->program);
	const uint64_t lanes = dc_program_lanes(s->program), shared = k->shared_bytes + l->shared_dynamic_bytes;
	uint64_t each;

	s->shared_bytes = (shared + s->p->line_bytes - 1) / s->p->line_bytes * s->p->line_bytes;
	s->local_bytes = ((k->local_bytes + 3) / 4 + k->spill_slots) * 4 * lanes;
	each = s->shared_bytes * dc_max(s->ctas_per_block, 1) + s->local_bytes;
	s->segments = 0;
	if (!each)
		return true;
	s->segments = simt_memory_alloc(l->mem, each * s->used_cbs, SIMT_ARENA_ALIGN_BYTES, SIMT_ALLOC_LOCAL);
	if (!s->segments)
		dc_system_fault(l, SIMT_FAULT_STACK,
		      "no room in device memory for the shared and local memory of its control blocks");
	return s->segments;
}

/* CTAs in a control block, or control blocks of a CTA; what of the caches computes. */
static bool lay_out(struct dc_system *s, struct simt_launch *l)
{
	const uint32_t lanes = dc_program_lanes(s->program);
	const uint32_t most = s->slice_count * ((uint32_t)s->p->way_count - s->cache_ways);
	const struct dc_kernel *k = dc_program_kernel(s->program);
	uint64_t units;

	s->threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	s->cta_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	s->next_cta = 0;
	s->ctas_per_block = dc_ctas_per_block(lanes, (uint32_t)s->threads);
	s->parts_per_cta = 1;
	if (!s->ctas_per_block) {
		if (k->has_barrier || k->has_warp_ops || k->has_shared) {
			dc_system_fault(l, SIMT_FAULT_STACK,
					"its threads communicate, so that a CTA must fit a control block");
			return false;
		}
		s->parts_per_cta = (uint32_t)((s->threads + lanes - 1) / lanes);
		s->cta_count *= s->parts_per_cta;
	}
	units = s->is_spread || !s->ctas_per_block
		    ? s->cta_count
		    : (s->cta_count + s->ctas_per_block - 1) / s->ctas_per_block;
	s->used_cbs = (uint32_t)(units < most ? units : most);
	if (l->is_cooperative && units > most) {
		dc_system_fault(l, SIMT_FAULT_STACK,
				"a cooperative launch of more CTAs than the control blocks hold at once");
		return false;
	}
	return take_segments(s, l);
}

static void enter(struct dc_system *s)
{
	s->entry_left = 0;
	for (uint32_t i = 0; i < s->slice_count; i++) {
		const uint32_t used = s->used_cbs / s->slice_count + (i < s->used_cbs % s->slice_count);
		const uint32_t ways = s->p->unused_is_cache ? (uint32_t)s->p->way_count - used
							    : s->cache_ways;

		dc_slice_enter(&s->slices[i], ways);
	}
	s->stats.entry_writebacks += s->entry_left;
	if (!s->entry_left)
		dc_entered(s);
}

void dc_entered(struct dc_system *s)
{
	s->enter_cycle = dc_now(s);
	s->feed_free_milli = s->enter_cycle * 1000;
	for (uint32_t i = 0; i < s->used_cbs; i++) {
		s->cbs[i].cycle = s->enter_cycle;
		dc_cb_fill(&s->cbs[i], s->enter_cycle);
	}
}

/* Cache mode: all ways are cache; those that computed are empty. */
static void leave(struct dc_system *s)
{
	for (uint32_t i = 0; i < s->slice_count; i++)
		s->slices[i].way_count = (uint32_t)s->p->way_count;
}

void dc_system_host_wrote(struct dc_system *s, uint64_t address, uint64_t bytes)
{
	if (s->host)
		dc_host_leaves(s->host);
	if (s->p->host_lines_stay && bytes)
		dc_slices_written(s, address, bytes);
}

/* Operations of a kind, one after the other, and what is left of all cycles. */
struct counted {
	uint64_t *operations, *cycles, *base_cycles;
};

static void add_op(const struct dc_exec_counts *c, enum dc_op op, struct counted to, uint64_t *rest)
{
	*to.operations += c->operations[op];
	*to.cycles += c->cycles[op];
	*to.base_cycles += c->base_cycles[op];
	*rest -= c->cycles[op];
}

static void add_ops(struct dc_stats *s, const struct dc_exec_counts *c)
{
#define COUNTED(name) (struct counted){&s->name##_operations, &s->name##_cycles, &s->name##_base_cycles}
	const struct {
		enum dc_op op;
		struct counted to;
	} kinds[] = {
	    {DC_OP_MUL, COUNTED(mul)},	 {DC_OP_MAD, COUNTED(mul)},    {DC_OP_DIV, COUNTED(div)},
	    {DC_OP_FADD, COUNTED(fadd)}, {DC_OP_FMUL, COUNTED(fmul)},  {DC_OP_FMA, COUNTED(fma)},
	    {DC_OP_FDIV, COUNTED(fdiv)}, {DC_OP_FSQRT, COUNTED(fdiv)}, {DC_OP_FRSQRT, COUNTED(fdiv)},
	    {DC_OP_FROOT, COUNTED(fdiv)}, {DC_OP_FNEWTON, COUNTED(fdiv)},
	};
#undef COUNTED
	uint64_t rest = 0;

	for (uint32_t op = 0; op < DC_OP_COUNT; op++)
		rest += c->cycles[op];
	for (uint32_t i = 0; i < ARRAY_COUNT(kinds); i++)
		add_op(c, kinds[i].op, kinds[i].to, &rest);
	s->other_cycles += rest;
}

static void add_counts(struct dc_system *s)
{
	const struct dc_exec_counts *c = dc_program_counts(s->program);

	s->stats.words += c->words;
	s->stats.words_skipped += c->skips;
	s->stats.slots += c->slots;
	s->stats.array_cycles += c->array_cycles;
	s->stats.lane_operations += c->lane_operations;
	s->stats.lane_cycles += c->lane_cycles;
	s->stats.active_lane_cycles += c->active_lane_cycles;
	s->stats.denormals += c->denormals;
	s->stats.fma_separated += c->fma_separated;
	s->stats.gradual_operations += c->gradual;
	s->stats.conversions_left_out += c->conversions_kept;
	s->stats.conversions_made += c->conversions_made;
	s->stats.fadd_differences_0 += c->differences[0];
	s->stats.fadd_differences_1 += c->differences[1];
	s->stats.fadd_differences_2 += c->differences[2];
	s->stats.fadd_differences_3 += c->differences[3];
	s->stats.fadd_differences_more += c->differences[4];
	add_ops(&s->stats, c);
}

void dc_system_clean(struct dc_system *s)
{
	sim_cancel_all(s->ctx->engine);
	mem_req_pool_reset(s->ctx->pool);
	mem_memory_reset(s->memory);
	dc_slices_reset(s);
}

/* What an aborted kernel leaves open is the laws' no more. */
static void check_laws(const struct dc_system *s, bool is_right)
{
	const char *broken = is_right ? sim_stats_broken_law(s->ctx->stats) : NULL;

	if (broken)
		base_bug_at(__FILE__, __LINE__, broken);
	if (!is_right)
		sim_stats_laws_settle(s->ctx->stats);
}

static bool end(struct dc_system *s, struct simt_launch *l, struct device_result *result)
{
	const uint64_t now = dc_now(s);
	const struct dc_exec_counts *c = dc_program_counts(s->program);
	const bool is_right = !l->fault.kind && !s->stop && !sim_was_limited(s->ctx->engine);

	if (is_right) {
		CHECK(!s->active && s->next_cta >= s->cta_count);
		for (uint32_t i = 0; i < s->used_cbs; i++)
			s->stats.end_wait_cycles += now - s->cbs[i].cycle;
		leave(s);
	} else {
		dc_system_clean(s);
	}
	if (s->stop || sim_was_limited(s->ctx->engine)) {
		result->stop = s->stop ? (enum device_stop)s->stop : DEVICE_STOP_SIMULATED;
		dc_system_fault(l, device_stop_kind(result->stop), device_stop_text(result->stop));
	}
	add_counts(s);
	result->end_ps = sim_now_ps(s->ctx->engine);
	result->cycles = now - s->start_cycle;
	result->warp_instructions = c->slots;
	result->thread_instructions = c->lane_operations;
	result->cta_count = s->cta_count / s->parts_per_cta;
	s->stats.kernels++;
	s->stats.kernel_cycles += result->cycles;
	s->stats.entry_cycles += s->enter_cycle - s->start_cycle;
	s->stats.active_block_cycles += (now - s->enter_cycle) * s->used_cbs;
	s->stats.chosen_ways += s->cache_ways - s->p->cache_way_count;
	dc_channels_settle(s);
	s->stats.blocks_at_once = dc_max(s->stats.blocks_at_once, s->used_cbs);
	check_laws(s, is_right);
	if (s->segments)
		simt_memory_release(l->mem, s->segments);
	blocks_drop(s);
	s->stop = DEVICE_STOP_NONE;
	return !l->fault.kind;
}

bool dc_system_launch(struct dc_system *s, struct dc_program *p, struct simt_launch *l, uint32_t cache_ways,
		      bool is_spread, struct device_result *result)
{
	s->program = p;
	s->is_spread = is_spread;
	s->cache_ways = cache_ways;
	s->launch = l;
	s->is_wrong = false;
	s->active = 0;
	s->feed_first = NULL;
	s->slowest = 0;
	s->start_cycle = s->enter_cycle = dc_now(s);
	s->sent_to = s->sent_most = 0;
	s->sent_rounds_words = 0;
	s->sent_milli = g_renew(uint64_t, s->sent_milli, dc_program_kernel(p)->word_count);
	*dc_program_counts(p) = (struct dc_exec_counts){0};
	*result = (struct device_result){.start_ps = sim_now_ps(s->ctx->engine)};
	result->end_ps = result->start_ps;
	if (!dc_program_begin(p, l) || !dc_swap_fits(s, l) || !lay_out(s, l))
		return false;
	for (uint32_t i = 0; i < s->cb_count; i++) {
		s->cbs[i].state = DC_CB_IDLE;
		s->cbs[i].is_last = false;
		s->cbs[i].fed_to = 0;
		s->cbs[i].fed_words = 0;
	}
	if (s->host)
		dc_host_leaves(s->host);
	enter(s);
	if (s->sampler)
		sim_sampler_run(s->sampler, s->limit_units);
	else
		sim_run(s->ctx->engine);
	return end(s, l, result);
}
