/* vault.c - a vault's queue: requests come in, wait in the lists of their banks, and are answered.
 *
 * Waiting requests sit in slots; each bank has a list of them per direction in order of arrival, and remembers the
 * oldest one that wants its open row (the "hit"). vault_schedule.c picks the commands that serve them, vault_refresh.c
 * those of refresh and power. A vault with nothing to do sleeps; what falls due meanwhile is issued, at the cycles at
 * which it was due, when it wakes.
 */
#include "mem/vault.h"

#include <glib.h>
#include <string.h>

#include "mem/command_log.h"
#include "mem/vault_legal.h"

const struct sim_stat_desc vault_stat_rows[] = {
#define STAT_STRUCT struct vault_stats
#include "sim/stat_rows.inc"
#include "mem/vault_stats.def"
#include "sim/stat_end.inc"
};
const uint32_t vault_stat_row_count = ARRAY_COUNT(vault_stat_rows);

static void clear_queue(struct mem_vault *v)
{
	v->free_slots = v->queue_entries == 64 ? ~0ull : (1ull << v->queue_entries) - 1;
	v->queue_count = v->count[READING] = v->count[WRITING] = 0;
	memset(v->lists, NO_SLOT, sizeof(v->lists));
	v->pending[READING] = v->pending[WRITING] = v->opened[READING] = v->opened[WRITING] = 0;
	memset(&v->proposals, 0, sizeof(v->proposals));
	memset(v->proposed_as, 0, sizeof(v->proposed_as));
	vault_clear_ready(v);
	v->proposed = v->overdue = v->first = 0;
	v->dirty = ALL_BANKS;
	v->is_turning = false;
	v->guard_cycle = SIM_NEVER;
	v->guarded = NO_SLOT;
	v->order_first = v->order_count = 0;
	v->direction = READING;
	v->drain_left = v->drain_low = v->reads_left = 0;
	v->drain_before_cycle = v->oldest_write_cycle = 0;
	v->next_cycle = SIM_NEVER;
	memset(v->done, 0, sizeof(v->done));
	v->done_units = SIM_NEVER;
	v->owes_room = 0;
}

struct mem_vault *mem_vault_new(const struct mem_vault_config *c)
{
	struct mem_vault *v = g_aligned_alloc0(1, sizeof(*v), HOST_LINE_BYTES);
	const struct dram_params *p = c->dram;

	v->config = *c;
	v->is_watched = c->audit || c->log;
	v->engine = c->engine;
	v->stats = c->stats;
	v->units_per_ps = sim_units_per_ps(c->engine);
	dram_banks_init(&v->banks, c->timing, c->partner ? c->partner->banks.bus : NULL);
	if (c->partner) {
		v->partner = c->partner;
		c->partner->partner = v;
	}
	v->is_fifo = p->scheduler == DRAM_FIFO;
	v->is_dual_bus = v->banks.t->is_dual_bus;
	v->comp = sim_engine_add(c->engine, c->dram_domain, "vault", vault_tick_of(v), v);
	v->rank_count = v->banks.t->rank_count;
	v->rank_log2 = base_log2(v->banks.t->bank_count / v->rank_count);
	for (uint32_t b = 0; b < 1u << v->rank_log2; b += v->banks.t->group_count)
		v->group_banks |= 1ull << b;
	v->closes_pages = p->page_policy == DRAM_PAGE_CLOSED;
	v->prepares = p->prepare_banks && !v->is_fifo;
	v->guards_all = p->starvation_global;
	v->holds_precharges = p->t_ppd > 0;
	v->auto_precharges = p->auto_precharge && v->closes_pages;
	v->queue_entries = (uint32_t)p->queue_entries;
	v->entries[READING] = (uint32_t)(p->read_queue_entries ? p->read_queue_entries : p->queue_entries);
	v->entries[WRITING] = (uint32_t)(p->write_queue_entries ? p->write_queue_entries : p->queue_entries);
	v->write_high = (uint32_t)p->write_high_count;
	v->write_low = (uint32_t)p->write_low_count;
	/* Rounded down: what has waited for more cycles has waited longer. */
	v->starvation_cap = p->starvation_cap_ps * v->units_per_ps / v->banks.t->ck_units;
	CHECK(v->queue_entries >= 1 && v->queue_entries <= SLOT_MAX);
	vault_refresh_init(v);
	clear_queue(v);
	return v;
}

void mem_vault_free(struct mem_vault *v)
{
	g_aligned_free(v);
}

/* Its partner, if it sleeps, must from now on tick for its refreshes: it may not take the command bus in the past. */
static void wake(struct mem_vault *v, uint64_t now)
{
	struct mem_vault *p = v->partner;

	vault_catch_up(v, now);
	if (!p || p->next_cycle != SIM_NEVER || p->service_cycle == SIM_NEVER)
		return;
	p->next_cycle = base_max_u64(p->service_cycle, now);
	sim_wake_cycle(p->engine, p->comp, p->next_cycle);
}

bool mem_vault_can_accept(struct mem_vault *v, enum mem_op op)
{
	const enum direction d = op == MEM_WRITE ? WRITING : READING;

	if (likely(vault_has_room(v, d)))
		return true;
	v->stats->queue_full_stalls++;
	v->owes_room |= (uint8_t)(1 << d);
	return false;
}

static void enter_bank(struct mem_vault *v, uint8_t s)
{
	struct slot *slot = &v->slots[s];
	enum direction d = direction_of(v, s);
	struct list *l = &v->lists[d][slot->bank];
	uint64_t bank = 1ull << slot->bank;

	slot->next = NO_SLOT;
	if (l->first == NO_SLOT) {
		l->first = s;
		v->pending[d] |= bank;
		v->dirty |= bank;
	} else {
		v->slots[l->last].next = s;
	}
	l->last = s;
	if (l->hit == NO_SLOT && v->banks.bank[slot->bank].open_row == slot->row) {
		l->hit = s;
		v->dirty |= bank;
	}
}

void vault_enter_in_order(struct mem_vault *v)
{
	while (v->order_count) {
		uint8_t s = v->order[v->order_first];

		if ((v->pending[READING] | v->pending[WRITING]) >> v->slots[s].bank & 1)
			return;
		v->order_first = (v->order_first + 1) % SLOT_MAX;
		v->order_count--;
		enter_bank(v, s);
	}
}

/* Column accesses are a power of two. */
static inline uint32_t column_count(uint32_t column_bytes, uint32_t bytes)
{
	return (bytes + column_bytes - 1) >> __builtin_ctz(column_bytes);
}

void mem_vault_accept(struct mem_vault *v, struct mem_req *r)
{
	struct sim_engine *e = v->engine;
	uint64_t now = sim_cycle_now(e, v->config.dram_domain);
	uint32_t column_bytes = v->banks.t->column_bytes, offset = r->column & (column_bytes - 1);
	uint8_t s = (uint8_t)__builtin_ctzll(v->free_slots);
	enum direction d = r->op == MEM_WRITE ? WRITING : READING;

	CHECK(vault_has_room(v, d) && r->bank < v->banks.t->bank_count);
	CHECK(r->column + r->size_bytes <= v->config.dram->row_bytes);
	if (v->queue_count == 0)
		wake(v, now);
	sim_hist_add(&v->stats->queue_occupancy, v->queue_count);
	r->ready_units = sim_now_units(e); /* till it is served: since when it waits */
	v->slots[s] = (struct slot){
		.req = r,
		.sequence = v->next_sequence++,
		.arrival_cycle = now,
		.row = r->row,
		.columns_left = (uint16_t)(r->size_bytes ? column_count(column_bytes, offset + r->size_bytes) : 1),
		.bank = r->bank,
	};
	v->free_slots &= v->free_slots - 1;
	v->notes[s] = d == WRITING ? SLOT_WRITES : 0;
	v->queue_count++;
	if (v->queue_count > v->stats->queue_max)
		v->stats->queue_max = v->queue_count;
	if (d == WRITING && v->count[WRITING] == 0)
		v->oldest_write_cycle = now;
	v->count[d]++;
	if (unlikely(v->guards_all))
		v->guard_cycle = base_min_u64(v->guard_cycle, now + v->starvation_cap + 1);
	if (v->is_fifo) {
		v->order[(v->order_first + v->order_count) % SLOT_MAX] = s;
		v->order_count++;
		vault_enter_in_order(v);
	} else {
		enter_bank(v, s);
	}
	/* Its rank sleeps, or a refresh that could wait has begun. */
	if (v->blocked >> r->bank & 1)
		v->service_cycle = base_min_u64(v->service_cycle, now);
	/* Behind others of its bank and direction it changes nothing; the direction may have to change for it. */
	if (v->dirty || v->next_cycle == SIM_NEVER || v->service_cycle <= now || v->count[d] == 1 ||
	    v->count[WRITING] == v->write_high) {
		v->next_cycle = now;
		sim_wake_cycle(e, v->comp, now);
	}
}

void vault_push_done(struct mem_vault *v, struct mem_req *r, enum direction d, uint64_t ready_units)
{
	struct req_fifo *f = &v->done[d];

	r->ready_units = ready_units;
	base_fifo_push(f, r, next);
	v->done_units = base_min_u64(v->done_units, ready_units);
	sim_wake_units(v->engine, v->comp, ready_units);
}

static void answer(struct mem_vault *v, enum direction d, uint64_t now)
{
	struct req_fifo *f = &v->done[d];

	while (f->first && f->first->ready_units <= now) {
		struct mem_req *r = f->first;

		f->first = r->next;
		r->next = NULL;
		if (v->config.audit)
			mem_audit_answer(v->config.audit, r, now);
		v->config.done(v->config.ctx, r);
	}
}

__attribute__((noinline)) void vault_answer(struct mem_vault *v, uint64_t now)
{
	answer(v, READING, now);
	answer(v, WRITING, now);
	v->done_units = SIM_NEVER;
	for (uint32_t d = 0; d < DIRECTION_COUNT; d++) {
		if (v->done[d].first)
			v->done_units = base_min_u64(v->done_units, v->done[d].first->ready_units);
	}
}

static void cancel(struct mem_vault *v, uint64_t cycle)
{
	/* The wakes for answers stay. */
	if (v->next_cycle == SIM_NEVER || v->next_cycle <= cycle || v->done_units != SIM_NEVER)
		return;
	sim_cancel(v->engine, v->comp, v->next_cycle);
	v->next_cycle = SIM_NEVER;
}

uint64_t vault_fall_asleep(struct mem_vault *v, uint64_t cycle)
{
	if (v->partner && vault_works(v->partner)) {
		if (cycle >= v->service_cycle)
			vault_service(v, cycle);
		return v->service_cycle;
	}
	if (v->partner)
		cancel(v->partner, cycle);
	return SIM_NEVER;
}

void vault_watch(struct mem_vault *v, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle)
{
	const struct mem_vault_config *m = &v->config;

	if (m->audit)
		mem_audit_command(m->audit, c, bank, row, cycle);
	if (!m->log)
		return;

	const struct mem_command command = {
	    .at_ps = sim_ps_of_units(v->engine, cycle * sim_period_units(v->engine, m->dram_domain)),
	    .row = row,
	    .command = (uint8_t)c,
	    .stack = (uint8_t)m->stack,
	    .vault = (uint8_t)m->index,
	    .bank = (uint8_t)bank,
	};
	mem_command_log_add(m->log, &command);
}

uint32_t mem_vault_queued(const struct mem_vault *v)
{
	return v->queue_count;
}

bool mem_vault_is_idle(const struct mem_vault *v)
{
	return v->queue_count == 0 && !v->done[READING].first && !v->done[WRITING].first;
}

void mem_vault_reset(struct mem_vault *v)
{
	clear_queue(v);
	if (v->config.audit)
		mem_audit_forget(v->config.audit);
}

void mem_vault_settle(struct mem_vault *v, bool is_between_kernels)
{
	struct vault_stats *stats = v->stats;
	uint64_t now = sim_cycle_now(v->engine, v->config.dram_domain);
	uint64_t refreshes = stats->refreshes, banks = stats->refreshed_banks;

	if (v->queue_count == 0)
		vault_catch_up(v, now);
	vault_count_times(v, now);
	if (is_between_kernels) {
		stats->refreshes_between_kernels += stats->refreshes - refreshes;
		stats->refreshed_banks_between_kernels += stats->refreshed_banks - banks;
	} else {
		stats->rank_cycles += (now - v->settled_cycle) * v->banks.t->rank_count;
		stats->open_cycles += v->cycles_in[TIME_OPEN];
		stats->precharged_cycles += v->cycles_in[TIME_PRECHARGED];
		stats->power_down_cycles += v->cycles_in[TIME_POWER_DOWN];
		stats->self_refresh_cycles += v->cycles_in[TIME_SELF_REFRESH];
	}
	memset(v->cycles_in, 0, sizeof(v->cycles_in));
	v->settled_cycle = now;
	if (v->config.audit)
		mem_audit_until(v->config.audit, now);
}
