/* memory.c - stacks behind an address map, and perhaps behind a link. */
#include "mem/memory.h"

#include <glib.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/stack.h"
#include "mem/vault.h"
#include "net/channel.h"

const struct sim_param_desc memory_param_rows[] = {
#define PARAM_STRUCT struct memory_params
#include "sim/param_rows.inc"
#include "mem/memory_params.def"
#include "sim/param_end.inc"
};
const uint32_t memory_param_row_count = ARRAY_COUNT(memory_param_rows);

struct memory_stats {
#include "sim/stat_fields.inc"
#include "mem/memory_stats.def"
#include "sim/stat_end.inc"
};
static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct memory_stats
#include "sim/stat_rows.inc"
#include "mem/memory_stats.def"
#include "sim/stat_end.inc"
};

/* Which stack calls: its room() says the vault only. */
struct memory_stack {
	struct mem_memory *memory;
	struct mem_stack *stack;
	uint32_t index;
	uint64_t refused; /* by the link: vaults of requests, bit per vault */
};

struct mem_memory {
	struct mem_order order;
	struct memory_stack *stacks;
	uint64_t capacity_bytes, line_bytes;
	uint32_t stack_count, domain;
	struct mem_expander *expander; /* NULL: no link */
	struct memory_stats stats;
	struct mem_memory_config config;
};

/* ---- parameters ---- */

/* Bytes of one row in every bank of every stack. */
static uint64_t bytes_per_row(const struct memory_params *m, const struct dram_params *d)
{
	return m->channel_count * d->vault_count * dram_vault_bank_count(d) * d->row_bytes;
}

static uint64_t interleave_bytes(const struct memory_params *m)
{
	return m->interleave_bytes ? m->interleave_bytes : m->line_bytes;
}

bool mem_memory_check(const struct memory_params *m, const struct dram_params *d, struct base_diag_list *diag)
{
	const uint32_t before = diag->error_count;
	const uint64_t row_bytes = bytes_per_row(m, d), interleave = interleave_bytes(m);

	if (!dram_params_check(d, diag))
		return false;
	if (!base_is_power_of_two(m->line_bytes))
		base_diag_value(diag, "memory.line_bytes", m->line_bytes, "is not a power of two");
	else if (!base_is_power_of_two(interleave))
		base_diag_value(diag, "memory.interleave_bytes", interleave, "is not a power of two");
	else if (interleave < m->line_bytes)
		base_diag_value(diag, "memory.interleave_bytes", interleave,
				"less than memory.line_bytes; 0 means as much");
	else if (interleave > d->row_bytes)
		base_diag_value(diag, m->interleave_bytes ? "memory.interleave_bytes" : "memory.line_bytes", interleave,
		      "more than a row (dram.row_bytes)");
	if (m->channel_count * d->vault_count > MEM_MEMORY_VAULTS_MAX)
		base_diag_error(diag, (struct base_place){0},
				"memory.channel_count * dram.vault_count: %llu vaults; expected at most %d",
				(unsigned long long)(m->channel_count * d->vault_count), MEM_MEMORY_VAULTS_MAX);
	if (m->capacity_bytes % row_bytes || m->capacity_bytes / row_bytes > UINT32_MAX)
		base_diag_error(diag, (struct base_place){0},
				"memory.capacity_bytes = %llu: no whole number of rows below 2^32; one row of "
				"every bank is %llu bytes",
				(unsigned long long)m->capacity_bytes, (unsigned long long)row_bytes);
	return diag->error_count == before;
}

struct mem_shape mem_memory_shape(const struct memory_params *m, const struct dram_params *d)
{
	return (struct mem_shape){
		.stack_count = (uint32_t)m->channel_count,
		.vault_count = (uint32_t)d->vault_count,
		.rank_count = (uint32_t)d->rank_count,
		.bank_count = (uint32_t)d->bank_count,
		.group_count = (uint32_t)d->group_count,
		.row_count = m->capacity_bytes / bytes_per_row(m, d),
		.row_bytes = (uint32_t)d->row_bytes,
		.interleave_bytes = (uint32_t)interleave_bytes(m),
	};
}

double mem_memory_peak_bytes_per_s(const struct memory_params *m, const struct dram_params *d)
{
	return (double)(m->channel_count * d->vault_count) * dram_vault_peak_bytes_per_s(d);
}

/* ---- the memory ---- */

static void request_done(void *owner, struct mem_req *r)
{
	struct mem_memory *m = owner;

	m->stats.answers++;
	m->config.done(m->config.ctx, r);
}

static void stack_done(void *ctx, struct mem_req *r)
{
	struct mem_memory *m = ((const struct memory_stack *)ctx)->memory;

	if (unlikely(m->expander))
		mem_expander_answer(m->expander, r);
	else
		request_done(m, r);
}

static void stack_room(void *ctx, uint32_t vault)
{
	const struct memory_stack *s = ctx;
	const struct mem_memory_config *c = &s->memory->config;

	if (s->memory->expander)
		mem_expander_wake(s->memory->expander);
	else if (c->room)
		c->room(c->ctx, s->index, vault);
}

static void link_room(void *owner)
{
	struct mem_memory *m = owner;
	const struct mem_memory_config *c = &m->config;

	for (uint32_t i = 0; i < m->stack_count; i++) {
		uint64_t refused = m->stacks[i].refused;

		m->stacks[i].refused = 0;
		for (; refused && c->room; refused &= refused - 1)
			c->room(c->ctx, i, (uint32_t)__builtin_ctzll(refused));
	}
}

/* A request that the link has brought, to its vault. */
static bool serve(void *owner, struct mem_req *r)
{
	struct mem_stack *s = ((struct mem_memory *)owner)->stacks[r->stack].stack;

	if (!mem_stack_can_accept(s, r->vault, (enum mem_op)r->op))
		return false;
	mem_stack_accept(s, r);
	return true;
}

static struct mem_expander *expander_new(struct mem_memory *m, struct sim_ctx *ctx)
{
	const struct mem_expander_config c = {.params = m->config.link,
					      .ctx = ctx,
					      .domain = m->domain,
					      .serve = serve,
					      .done = request_done,
					      .room = link_room,
					      .owner = m,
					      .stats_prefix = m->config.stats_prefix,
					      .up_prefix = m->config.up_prefix,
					      .down_prefix = m->config.down_prefix};

	return mem_expander_new(&c);
}

bool mem_memory_clock_add(struct sim_ctx *ctx, const struct mem_memory_config *c)
{
	uint32_t domain;

	return sim_domain_add(ctx->engine, c->clock, dram_clock_period(c->dram), &domain);
}

void mem_memory_stat_tables(const struct mem_memory_config *c, struct sim_stat_tables *out)
{
	sim_stat_tables_add_rows(out, c->stats_prefix, stat_rows, ARRAY_COUNT(stat_rows));
	sim_stat_tables_add_rows(out, c->vault_prefix, vault_stat_rows, vault_stat_row_count);
	if (c->link && !c->link->is_present)
		return;
	sim_stat_tables_add_rows(out, c->stats_prefix, mem_expander_stat_rows, mem_expander_stat_row_count);
	sim_stat_tables_add_rows(out, c->up_prefix, net_channel_stat_rows, net_channel_stat_row_count);
	sim_stat_tables_add_rows(out, c->down_prefix, net_channel_stat_rows, net_channel_stat_row_count);
}

struct mem_memory *mem_memory_new(struct sim_ctx *ctx, const struct mem_memory_config *c)
{
	struct mem_memory *m = g_new0(struct mem_memory, 1);
	const struct mem_shape shape = mem_memory_shape(c->memory, c->dram);

	m->config = *c;
	m->capacity_bytes = c->memory->capacity_bytes;
	m->line_bytes = c->memory->line_bytes;
	m->domain = sim_domain_find(ctx->engine, c->clock);
	mem_order_init(&m->order, (enum mem_order_name)c->memory->address_map, &shape, c->memory->address_xor);
	sim_stats_add(ctx->stats, c->stats_prefix, stat_rows, ARRAY_COUNT(stat_rows), &m->stats, sizeof(m->stats));
	if (c->link && c->link->is_present)
		m->expander = expander_new(m, ctx); /* before the vaults: what it brings in a cycle they see in it */
	m->stack_count = shape.stack_count;
	m->stacks = g_new0(struct memory_stack, m->stack_count);
	for (uint32_t i = 0; i < m->stack_count; i++) {
		struct memory_stack *s = &m->stacks[i];

		s->memory = m;
		s->index = i;

		const struct mem_stack_config stack = {
			.dram = c->dram,
			.engine = ctx->engine,
			.dram_domain = m->domain,
			.index = i,
			.done = stack_done,
			.room = stack_room,
			.ctx = s,
			.stats = ctx->stats,
			.stats_prefix = c->vault_prefix,
			.log = c->log,
			.audit = ctx->audit,
			.stamps = c->stamps,
		};
		s->stack = mem_stack_new(&stack);
	}
	return m;
}

void mem_memory_free(struct mem_memory *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->stack_count; i++)
		mem_stack_free(m->stacks[i].stack);
	g_free(m->stacks);
	mem_expander_free(m->expander);
	g_free(m);
}

struct mem_place mem_memory_place(const struct mem_memory *m, uint64_t addr_bytes)
{
	CHECK(addr_bytes < m->capacity_bytes);
	return mem_order_place(&m->order, addr_bytes);
}

bool mem_memory_has_room(struct mem_memory *m, const struct mem_place *at, enum mem_op op)
{
	if (unlikely(m->expander)) {
		if (mem_expander_can_accept(m->expander))
			return true;
		m->stacks[at->stack].refused |= 1ull << at->vault;
	} else if (likely(mem_stack_can_accept(m->stacks[at->stack].stack, at->vault, op))) {
		return true;
	}
	m->stats.refusals++;
	return false;
}

bool mem_memory_can_accept(struct mem_memory *m, uint64_t addr_bytes, enum mem_op op)
{
	const struct mem_place at = mem_memory_place(m, addr_bytes);

	return mem_memory_has_room(m, &at, op);
}

void mem_memory_accept(struct mem_memory *m, struct mem_req *r, const struct mem_place *at)
{
	r->stack = (uint8_t)at->stack;
	r->vault = (uint8_t)at->vault;
	r->bank = (uint8_t)at->bank;
	r->row = at->row;
	r->column = (uint16_t)at->column_bytes;
	m->stats.requests++;
	if (unlikely(m->expander))
		mem_expander_accept(m->expander, r);
	else
		mem_stack_accept(m->stacks[at->stack].stack, r);
}

bool mem_memory_offer(struct mem_memory *m, struct mem_req *r)
{
	const struct mem_place at = mem_memory_place(m, r->addr_bytes);

	CHECK((r->addr_bytes & (m->line_bytes - 1)) + r->size_bytes <= m->line_bytes);
	if (!mem_memory_has_room(m, &at, (enum mem_op)r->op))
		return false;
	mem_memory_accept(m, r, &at);
	return true;
}

uint32_t mem_memory_queued(const struct mem_memory *m)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->stack_count; i++)
		count += mem_stack_queued(m->stacks[i].stack);
	return count;
}

bool mem_memory_is_idle(const struct mem_memory *m)
{
	for (uint32_t i = 0; i < m->stack_count; i++) {
		if (!mem_stack_is_idle(m->stacks[i].stack))
			return false;
	}
	return !m->expander || mem_expander_is_idle(m->expander);
}

void mem_memory_reset(struct mem_memory *m)
{
	if (m->expander)
		mem_expander_reset(m->expander);
	for (uint32_t i = 0; i < m->stack_count; i++) {
		mem_stack_reset(m->stacks[i].stack);
		m->stacks[i].refused = 0;
	}
}

void mem_memory_settle(struct mem_memory *m, bool is_between_kernels)
{
	for (uint32_t i = 0; i < m->stack_count; i++)
		mem_stack_settle(m->stacks[i].stack, is_between_kernels);
}

uint32_t mem_memory_domain(const struct mem_memory *m)
{
	return m->domain;
}
