/* vault.c - the command scheduler.
 *
 * Waiting requests sit in slots; each bank has a list of them per direction in order of arrival, and remembers the
 * oldest one that wants its open row (the "hit"). Each bank proposes one command; a proposal changes only when
 * something happens to its bank, so it is kept, with the first cycle at which the bank itself allows it. A tick takes
 * the proposals that are legal now, columns first, then ACT, then PRE, the oldest request first among equals.
 *
 * Reads and writes share the queue, but the bus serves one direction at a time: writes wait until there are
 * write_high_count of them, or no reads, or one has waited too long. A drain serves at most as many as were there when
 * it began, and ends early at write_low_count unless it began for a write that had waited too long; those that had are
 * served in any case. Then the reads that wait are served, whatever the number of writes. The FIFO scheduler knows no
 * directions: requests enter banks in order of arrival, one per bank.
 *
 * prepare_banks lets the directions overlap: before the bus turns, it serves the rows that are open for its direction,
 * so that no ACT is wasted, and the banks that only the other direction wants are opened; for reads all the time.
 * Neither goes before a command of the direction that is served.
 *
 * Refresh: when REF falls due, no other command is issued until all banks are precharged and REF is out. A vault with
 * nothing to do sleeps; REFs that fall due meanwhile are issued, at the cycles at which they were due, when it wakes.
 */
#include "mem/vault.h"

#include <glib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/list.h"
#include "mem/audit.h"

const struct sim_stat_desc vault_stat_rows[] = {
#define STAT_STRUCT struct vault_stats
#include "sim/stat_rows.inc"
#include "mem/vault_stats.def"
#include "sim/stat_end.inc"
};
const uint32_t vault_stat_row_count = ARRAY_COUNT(vault_stat_rows);

enum { SLOT_MAX = 64, NO_SLOT = 0xff };
#define ALL_BANKS (~0ull)
/* What goes first, above the age of requests: columns, then ACT, then PRE of the direction that the bus serves, then
 * what prepares banks for the other, then precharges of rows that nobody wants. */
enum { RANK_COLUMN, RANK_ACT, RANK_PRE, RANK_PREPARE, RANK_CLOSE, RANK_SHIFT = 61 };

enum direction { READING, WRITING, DIRECTION_COUNT };

struct slot {
	struct mem_req *req;
	uint64_t sequence, arrival_cycle;
	uint32_t row;
	uint16_t columns_left;
	uint8_t bank, next;
};

struct list {
	uint8_t first, last, hit; /* hit: the oldest slot that wants the open row */
};

/* What each bank would like to do next. */
struct proposals {
	uint8_t command[DRAM_BANK_MAX];      /* enum dram_command */
	uint16_t gate[DRAM_BANK_MAX];	     /* what it waits for beside its bank, see dram_gate */
	uint8_t slot[DRAM_BANK_MAX];	     /* or NO_SLOT: a closed-page precharge */
	uint64_t ready_cycle[DRAM_BANK_MAX]; /* as far as the bank itself is concerned */
	uint64_t order[DRAM_BANK_MAX]; /* the smallest goes first: rank of the command, age of the request, bank */
};

struct req_fifo {
	BASE_FIFO(struct mem_req);
};

/* What every tick looks at comes first. */
struct mem_vault {
	struct sim_engine *engine;
	struct sim_comp comp;
	bool is_fifo, closes_pages, prepares, guards_all, owes_room;
	uint64_t next_cycle;	/* the first at which a command may be legal */
	uint64_t refresh_cycle; /* next REF due; SIM_NEVER without refresh */
	uint32_t refresh_bank;	/* the first of the rank whose turn it is */
	struct req_fifo done[DIRECTION_COUNT]; /* by ready_units, ascending */

	uint64_t done_units; /* of the first of them; SIM_NEVER for none */
	uint32_t queue_count, count[DIRECTION_COUNT];
	/* Bit per bank: its list is not empty; it was opened for a request of that direction and none has been served
	 * since; there is a proposal for it; the proposal is to be made again. */
	uint64_t pending[DIRECTION_COUNT], opened[DIRECTION_COUNT], proposed, dirty;
	enum direction direction;
	bool is_turning; /* it only serves the rows that are open for it, then turns */
	/* Of the drain: writes that it may serve, where it may end before, and what it serves in any case. */
	uint32_t drain_left, drain_low, write_high, write_low;
	uint64_t drain_before_cycle;
	uint32_t reads_left;	     /* to be served before writes may turn the bus again */
	uint64_t oldest_write_cycle; /* no waiting write arrived before it */
	uint64_t starvation_cap;
	uint64_t guard_cycle; /* with a guard over all banks: when the next request may be overdue */

	/* bit per slot */
	uint64_t free_slots, is_write, needed_act, needed_pre, has_started;
	uint64_t next_sequence, units_per_ps;
	struct vault_stats *stats; /* of all vaults of the stack */

	struct proposals proposals;
	struct list lists[DIRECTION_COUNT][DRAM_BANK_MAX];
	struct dram_banks banks;
	struct slot slots[SLOT_MAX];
	uint8_t order[SLOT_MAX]; /* FIFO: slots that have not entered their bank, a ring */
	uint32_t order_first, order_count;
	uint32_t queue_entries;
	struct mem_vault_config config;
};

static void vault_tick(void *component, uint64_t cycle);

static void clear_queue(struct mem_vault *v)
{
	v->free_slots = v->queue_entries == 64 ? ~0ull : (1ull << v->queue_entries) - 1;
	v->queue_count = v->count[READING] = v->count[WRITING] = 0;
	memset(v->lists, NO_SLOT, sizeof(v->lists));
	v->pending[READING] = v->pending[WRITING] = v->opened[READING] = v->opened[WRITING] = v->proposed = 0;
	v->dirty = ALL_BANKS;
	v->is_turning = false;
	v->guard_cycle = SIM_NEVER;
	v->order_first = v->order_count = 0;
	v->direction = READING;
	v->drain_left = v->drain_low = v->reads_left = 0;
	v->drain_before_cycle = v->oldest_write_cycle = 0;
	v->next_cycle = SIM_NEVER;
	memset(v->done, 0, sizeof(v->done));
	v->done_units = SIM_NEVER;
	v->owes_room = false;
}

struct mem_vault *mem_vault_new(const struct mem_vault_config *c)
{
	struct mem_vault *v = g_aligned_alloc0(1, sizeof(*v), HOST_LINE_BYTES);
	const struct dram_params *p = c->dram;
	struct dram_timing t;

	v->config = *c;
	v->engine = c->engine;
	v->stats = c->stats;
	v->units_per_ps = sim_units_per_ps(c->engine);
	dram_timing_init(&t, p, sim_period_units(c->engine, c->dram_domain), v->units_per_ps);
	dram_banks_init(&v->banks, &t, NULL);
	v->comp = sim_engine_add(c->engine, c->dram_domain, "vault", vault_tick, v);
	v->is_fifo = p->scheduler == DRAM_FIFO;
	v->closes_pages = p->page_policy == DRAM_PAGE_CLOSED;
	v->prepares = p->prepare_banks && !v->is_fifo;
	v->guards_all = p->starvation_global;
	v->queue_entries = (uint32_t)p->queue_entries;
	v->write_high = (uint32_t)p->write_high_count;
	v->write_low = (uint32_t)p->write_low_count;
	v->starvation_cap = p->starvation_cap_cycles;
	CHECK(v->queue_entries >= 1 && v->queue_entries <= SLOT_MAX);
	/* Vaults refresh in turn, so that a stack never stands still as a whole. */
	v->refresh_cycle = t.refi ? t.refi * (c->index % p->vault_count + 1) / p->vault_count : SIM_NEVER;
	clear_queue(v);
	return v;
}

void mem_vault_free(struct mem_vault *v)
{
	g_aligned_free(v);
}

static uint64_t issue(struct mem_vault *v, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle)
{
	if (v->config.audit)
		mem_audit_command(v->config.audit, c, bank, row, cycle);
	return dram_banks_issue(&v->banks, c, bank, row, cycle);
}

/* What the rank needs that is to be refreshed next, and its banks. */
static enum dram_command refresh_step(const struct mem_vault *v, uint64_t *banks)
{
	*banks = dram_reach(&v->banks.t, DRAM_REF, v->refresh_bank);
	return v->banks.open_banks & *banks ? DRAM_PREA : DRAM_REF;
}

/* Precharges these banks, which are those of a rank. */
static void issue_precharge_all(struct mem_vault *v, uint64_t banks, uint64_t cycle)
{
	v->stats->precharges += (uint64_t)__builtin_popcountll(v->banks.open_banks & banks);
	issue(v, DRAM_PREA, (uint32_t)__builtin_ctzll(banks), 0, cycle);
	v->opened[READING] &= ~banks;
	v->opened[WRITING] &= ~banks;
	v->proposed &= ~banks;
	v->dirty |= banks;
	for (; banks; banks &= banks - 1) {
		uint32_t b = (uint32_t)__builtin_ctzll(banks);

		v->lists[READING][b].hit = v->lists[WRITING][b].hit = NO_SLOT;
	}
}

/* The ranks are refreshed one after another; with the last the vault is through till the next REF is due. */
static void issue_refresh(struct mem_vault *v, uint64_t cycle)
{
	issue(v, DRAM_REF, v->refresh_bank, 0, cycle);
	v->stats->refreshes++;
	v->dirty = ALL_BANKS;
	v->refresh_bank += v->banks.t.bank_count / v->banks.t.rank_count;
	if (v->refresh_bank < v->banks.t.bank_count)
		return;
	v->refresh_bank = 0;
	v->refresh_cycle += v->banks.t.refi;
}

/* Issues what fell due before the cycle now while the vault slept. */
static void catch_up(struct mem_vault *v, uint64_t now)
{
	const uint64_t refi = v->banks.t.refi;

	while (v->refresh_cycle < now) {
		uint64_t banks;
		enum dram_command c = refresh_step(v, &banks);
		uint64_t cycle = dram_banks_earliest(&v->banks, c, v->refresh_bank, v->refresh_cycle);

		if (cycle >= now)
			return; /* the next tick goes on with it */
		if (c == DRAM_PREA) {
			issue_precharge_all(v, banks, cycle);
			continue;
		}
		if (!v->config.audit && now - v->refresh_cycle > 4 * refi && !v->refresh_bank) {
			uint64_t skipped = (now - v->refresh_cycle) / refi - 2;

			v->stats->refreshes += skipped * v->banks.t.rank_count;
			v->refresh_cycle += skipped * refi;
			continue;
		}
		issue_refresh(v, cycle);
	}
}

bool mem_vault_can_accept(struct mem_vault *v)
{
	if (likely(v->free_slots))
		return true;
	v->stats->queue_full_stalls++;
	v->owes_room = true;
	return false;
}

static inline enum direction direction_of(const struct mem_vault *v, uint8_t s)
{
	return (enum direction)(v->is_write >> s & 1);
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

/* FIFO: the oldest waiting requests enter their banks as long as these are free. */
static void enter_in_order(struct mem_vault *v)
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
	uint64_t now = sim_cycle_now(e, v->config.dram_domain), bit;
	uint32_t column_bytes = v->banks.t.column_bytes, offset = r->column & (column_bytes - 1);
	uint8_t s = (uint8_t)__builtin_ctzll(v->free_slots);
	enum direction d = r->op == MEM_WRITE ? WRITING : READING;

	CHECK(v->free_slots && r->bank < v->banks.t.bank_count);
	CHECK(r->column + r->size_bytes <= v->config.dram->row_bytes);
	if (v->queue_count == 0)
		catch_up(v, now);
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
	bit = 1ull << s;
	v->free_slots &= ~bit;
	v->is_write = (v->is_write & ~bit) | (d == WRITING ? bit : 0);
	v->needed_act &= ~bit;
	v->needed_pre &= ~bit;
	v->has_started &= ~bit;
	v->queue_count++;
	if (v->queue_count > v->stats->queue_max)
		v->stats->queue_max = v->queue_count;
	if (d == WRITING && v->count[WRITING] == 0)
		v->oldest_write_cycle = now;
	v->count[d]++;
	v->guard_cycle = base_min_u64(v->guard_cycle, now + v->starvation_cap + 1);
	if (v->is_fifo) {
		v->order[(v->order_first + v->order_count) % SLOT_MAX] = s;
		v->order_count++;
		enter_in_order(v);
	} else {
		enter_bank(v, s);
	}
	/* Behind others of its bank and direction it changes nothing; the direction may have to change for it. */
	if (v->dirty || v->next_cycle == SIM_NEVER || v->count[d] == 1 || v->count[WRITING] == v->write_high) {
		v->next_cycle = now;
		sim_wake_cycle(e, v->comp, now);
	}
}

/* Does a write wait that arrived before this cycle? */
static bool has_write_before(struct mem_vault *v, uint64_t cycle)
{
	if (v->oldest_write_cycle >= cycle)
		return false;
	v->oldest_write_cycle = SIM_NEVER;
	for (uint64_t banks = v->pending[WRITING]; banks; banks &= banks - 1) {
		const struct list *l = &v->lists[WRITING][__builtin_ctzll(banks)];

		v->oldest_write_cycle = base_min_u64(v->oldest_write_cycle, v->slots[l->first].arrival_cycle);
	}
	return v->oldest_write_cycle < cycle;
}

/* What has arrived before has waited longer than the cap. */
static inline uint64_t overdue_before(const struct mem_vault *v, uint64_t cycle)
{
	return cycle > v->starvation_cap ? cycle - v->starvation_cap : 0;
}

/* Which direction the bus should serve at cycle. */
static inline enum direction wanted_direction(struct mem_vault *v, uint64_t cycle)
{
	uint32_t writes = v->count[WRITING], reads = v->count[READING];
	bool is_due;

	if (!writes)
		return READING;
	if (!reads)
		return WRITING;
	/* All that is left waits for rows that are open for the other. */
	if (v->prepares && !(v->pending[v->direction] & ~v->opened[!v->direction]))
		return !v->direction;
	if (v->direction == WRITING)
		is_due = (writes > v->drain_low && v->drain_left) || has_write_before(v, v->drain_before_cycle);
	else
		is_due = !v->reads_left &&
			 (writes >= v->write_high || has_write_before(v, overdue_before(v, cycle)));
	return is_due ? WRITING : READING;
}

/* Has the bus still to serve rows that were opened for its direction? */
static inline bool holds_turn(const struct mem_vault *v)
{
	return v->prepares && v->opened[v->direction];
}

static inline bool turns(struct mem_vault *v, uint64_t cycle)
{
	return v->is_turning ? !holds_turn(v) : wanted_direction(v, cycle) != v->direction;
}

static void choose_direction(struct mem_vault *v, uint64_t cycle)
{
	bool is_full = v->count[WRITING] >= v->write_high, has_overdue;

	if (!turns(v, cycle))
		return;
	v->dirty = ALL_BANKS;
	v->is_turning = !v->is_turning && holds_turn(v);
	if (v->is_turning)
		return;
	v->direction = !v->direction;
	v->stats->turnarounds++;
	has_overdue = has_write_before(v, overdue_before(v, cycle));
	if (v->direction == WRITING) {
		v->drain_left = v->count[WRITING];
		v->drain_low = has_overdue && !is_full ? 0 : v->write_low;
		v->drain_before_cycle = overdue_before(v, cycle);
	} else {
		v->reads_left = is_full || has_overdue ? v->count[READING] : 0;
	}
}

/* The rank, then the older request first, then the lower bank. */
static inline uint64_t order_of(uint64_t rank, uint64_t sequence, uint32_t bank)
{
	return rank << RANK_SHIFT | (sequence * DRAM_BANK_MAX + bank);
}

static inline void set_proposal(struct mem_vault *v, uint32_t b, enum dram_command c, uint8_t s, uint64_t ready_cycle,
				uint64_t order)
{
	v->proposed |= 1ull << b;
	v->proposals.command[b] = (uint8_t)c;
	v->proposals.gate[b] = (uint16_t)dram_gate(&v->banks.bank[b], c);
	v->proposals.slot[b] = s;
	v->proposals.ready_cycle[b] = ready_cycle;
	v->proposals.order[b] = order;
}

/* Opens a row for the list's oldest request, or closes another for it. */
static inline void propose_row(struct mem_vault *v, uint32_t b, uint8_t s, bool is_urgent, bool is_prepared)
{
	const struct dram_bank *k = &v->banks.bank[b];
	bool is_closed = k->open_row == DRAM_NO_ROW;
	uint64_t rank = is_urgent ? RANK_COLUMN : is_prepared ? RANK_PREPARE : is_closed ? RANK_ACT : RANK_PRE;

	set_proposal(v, b, is_closed ? DRAM_ACT : DRAM_PRE, s, k->cycle[is_closed ? DRAM_ACT : DRAM_PRE],
		     order_of(rank, v->slots[s].sequence, b));
}

/* Makes bank b's proposal for the direction that the bus serves; false if that has none. */
static inline bool propose_served(struct mem_vault *v, uint32_t b, enum direction d, uint64_t cycle)
{
	const struct list *l = &v->lists[d][b];
	const enum dram_command column = d == WRITING ? DRAM_WR : DRAM_RD;
	bool is_overdue, is_column;
	uint8_t s = l->first;

	if (s == NO_SLOT || (v->is_turning && !(v->opened[d] >> b & 1)))
		return false;
	is_overdue = cycle - v->slots[s].arrival_cycle > v->starvation_cap;
	is_column = l->hit != NO_SLOT && (l->hit == s || !is_overdue || v->is_turning);
	/* A row that was prepared for the other direction stays, unless somebody waits too long. */
	if (!is_column && v->opened[!d] >> b & 1 && !is_overdue && v->prepares)
		return false;
	if (is_column)
		set_proposal(v, b, column, l->hit, v->banks.bank[b].cycle[column],
			     order_of(RANK_COLUMN, v->slots[l->hit].sequence, b));
	else
		propose_row(v, b, s, is_overdue && v->guards_all, false);
	return true;
}

/* Reads always follow a drain soon; writes follow only when the bus is about to turn. */
static inline bool prepares_for(const struct mem_vault *v, enum direction d)
{
	return v->prepares && (v->is_turning || d == READING);
}

static void propose(struct mem_vault *v, uint32_t b, uint64_t cycle)
{
	const struct dram_bank *k = &v->banks.bank[b];
	enum direction d = v->direction;
	const struct list *other;

	v->proposed &= ~(1ull << b);
	if (v->is_fifo)
		d = v->pending[WRITING] >> b & 1 ? WRITING : READING;
	if (propose_served(v, b, d, cycle))
		return;
	other = &v->lists[!d][b];
	if (prepares_for(v, !d) && other->first != NO_SLOT && other->hit == NO_SLOT)
		propose_row(v, b, other->first, false, true);
	else if (v->closes_pages && k->open_row != DRAM_NO_ROW && v->lists[d][b].first == NO_SLOT &&
		 other->hit == NO_SLOT)
		set_proposal(v, b, DRAM_PRE, NO_SLOT, k->cycle[DRAM_PRE], order_of(RANK_CLOSE, 0, b));
}

static uint8_t find_hit(const struct mem_vault *v, uint8_t from, uint32_t row)
{
	while (from != NO_SLOT && v->slots[from].row != row)
		from = v->slots[from].next;
	return from;
}

/* Takes a served slot out of its bank's list and finds the next hit behind it. */
static void leave_bank(struct mem_vault *v, uint8_t s)
{
	const struct slot *slot = &v->slots[s];
	enum direction d = direction_of(v, s);
	struct list *l = &v->lists[d][slot->bank];
	uint8_t before = NO_SLOT;

	if (l->first == s) {
		l->first = slot->next;
	} else {
		for (before = l->first; v->slots[before].next != s;)
			before = v->slots[before].next;
		v->slots[before].next = slot->next;
	}
	if (l->last == s)
		l->last = before;
	if (l->first == NO_SLOT)
		v->pending[d] &= ~(1ull << slot->bank);
	l->hit = find_hit(v, slot->next, slot->row);
}

static void push_done(struct mem_vault *v, struct mem_req *r, enum direction d, uint64_t ready_units)
{
	struct req_fifo *f = &v->done[d];

	r->ready_units = ready_units;
	base_fifo_push(f, r, next);
	v->done_units = base_min_u64(v->done_units, ready_units);
	sim_wake_units(v->engine, v->comp, ready_units);
}

static void finish_slot(struct mem_vault *v, uint8_t s, uint64_t end_units)
{
	enum direction d = direction_of(v, s);
	struct mem_req *r = v->slots[s].req;
	uint64_t ready = end_units + v->banks.t.answer_units;

	sim_hist_add(d == WRITING ? &v->stats->write_latency_ps : &v->stats->read_latency_ps,
		     (ready - r->ready_units) / v->units_per_ps);
	if (d == WRITING)
		v->stats->writes++;
	else
		v->stats->reads++;
	v->opened[d] &= ~(1ull << v->slots[s].bank);
	leave_bank(v, s);
	v->free_slots |= 1ull << s;
	v->queue_count--;
	v->count[d]--;
	if (d == WRITING)
		v->drain_left -= v->drain_left > 0;
	else
		v->reads_left -= v->reads_left > 0;
	push_done(v, r, d, ready);
	if (v->is_fifo)
		enter_in_order(v);
}

static void serve_column(struct mem_vault *v, uint8_t s, enum dram_command c, uint64_t cycle)
{
	struct slot *slot = &v->slots[s];
	uint64_t end = issue(v, c, slot->bank, slot->row, cycle);
	uint32_t column_bytes = v->banks.t.column_bytes;

	if (v->config.audit)
		mem_audit_serve(v->config.audit, slot->req);
	if (!(v->has_started >> s & 1)) {
		v->has_started |= 1ull << s;
		if (v->needed_pre >> s & 1)
			v->stats->row_conflicts++;
		else if (v->needed_act >> s & 1)
			v->stats->row_misses++;
		else
			v->stats->row_hits++;
	}
	v->stats->tsv_busy_units += v->banks.t.burst_units;
	if (c == DRAM_WR) {
		v->stats->column_writes++;
		v->stats->write_bytes += column_bytes;
	} else {
		v->stats->column_reads++;
		v->stats->read_bytes += column_bytes;
	}
	if (--slot->columns_left == 0)
		finish_slot(v, s, end);
}

static void serve(struct mem_vault *v, uint32_t b, uint64_t cycle)
{
	enum dram_command c = (enum dram_command)v->proposals.command[b];
	uint8_t s = v->proposals.slot[b];
	uint32_t row;

	v->dirty |= 1ull << b;
	v->proposed &= ~(1ull << b);
	switch (c) {
	case DRAM_ACT:
		row = v->slots[s].row;
		issue(v, DRAM_ACT, b, row, cycle);
		v->stats->activates++;
		v->needed_act |= 1ull << s;
		v->opened[direction_of(v, s)] |= 1ull << b;
		for (uint32_t d = 0; d < DIRECTION_COUNT; d++)
			v->lists[d][b].hit = find_hit(v, v->lists[d][b].first, row);
		break;
	case DRAM_PRE:
		issue(v, DRAM_PRE, b, 0, cycle);
		v->stats->precharges++;
		if (s != NO_SLOT) {
			v->needed_pre |= 1ull << s;
			v->stats->starvation_breaks += v->lists[direction_of(v, s)][b].hit != NO_SLOT;
		}
		v->opened[READING] &= ~(1ull << b);
		v->opened[WRITING] &= ~(1ull << b);
		v->lists[READING][b].hit = v->lists[WRITING][b].hit = NO_SLOT;
		break;
	default:
		serve_column(v, s, c, cycle);
		break;
	}
}

/* The first cycle at which one of these banks' proposals is legal; SIM_NEVER for no banks. */
static uint64_t first_legal(const struct mem_vault *v, uint64_t banks)
{
	const struct proposals *p = &v->proposals;
	uint64_t first = SIM_NEVER;

	for (; banks; banks &= banks - 1) {
		uint32_t b = (uint32_t)__builtin_ctzll(banks);

		first = base_min_u64(first, base_max_u64(p->ready_cycle[b], v->banks.gate[p->gate[b]]));
	}
	return first;
}

/* With a guard over all banks, what is overdue now changes its proposal. */
static void look_for_overdue(struct mem_vault *v, uint64_t cycle)
{
	uint64_t next = SIM_NEVER;

	for (uint32_t d = 0; d < DIRECTION_COUNT; d++) {
		for (uint64_t banks = v->pending[d]; banks; banks &= banks - 1) {
			uint8_t s = v->lists[d][__builtin_ctzll(banks)].first;
			uint64_t due = v->slots[s].arrival_cycle + v->starvation_cap + 1;

			if (due > cycle)
				next = base_min_u64(next, due);
		}
	}
	v->guard_cycle = next;
	v->dirty = ALL_BANKS;
}

static void propose_dirty(struct mem_vault *v, uint64_t cycle)
{
	uint64_t dirty;

	if (v->guards_all && cycle >= v->guard_cycle)
		look_for_overdue(v, cycle);
	dirty = v->dirty;
	if (v->banks.t.bank_count < DRAM_BANK_MAX)
		dirty &= (1ull << v->banks.t.bank_count) - 1;
	for (; dirty; dirty &= dirty - 1)
		propose(v, (uint32_t)__builtin_ctzll(dirty), cycle);
	v->dirty = 0;
}

/* Serves the best proposal that is legal at cycle. Returns the first cycle at which it pays to look again. */
static uint64_t schedule(struct mem_vault *v, uint64_t cycle)
{
	const struct proposals *p = &v->proposals;
	uint64_t next = SIM_NEVER, best = SIM_NEVER;
	uint32_t legal_count = 0;

	propose_dirty(v, cycle);
	for (uint64_t left = v->proposed; left; left &= left - 1) {
		uint32_t b = (uint32_t)__builtin_ctzll(left);
		uint64_t legal = base_max_u64(p->ready_cycle[b], v->banks.gate[p->gate[b]]);
		/* All ones or none, for the host could not predict a branch. */
		uint64_t not_yet = -(uint64_t)(legal > cycle);

		best = base_min_u64(best, p->order[b] | not_yet);
		next = base_min_u64(next, legal | ~not_yet);
		legal_count += 1 + (uint32_t)not_yet;
	}
	if (!legal_count)
		return next;

	uint32_t served = (uint32_t)best % DRAM_BANK_MAX, requests = v->queue_count;
	bool has_left;

	serve(v, served, cycle);
	has_left = v->queue_count != requests;
	/* A request that has left makes room for others of its bank and may turn the bus. */
	if ((has_left && (v->is_fifo || !v->queue_count)) ||
	    ((has_left || legal_count > 1) && !v->is_fifo && turns(v, cycle + 1)))
		return cycle + 1;
	/* Only the served bank's proposal has changed. */
	propose(v, served, cycle + (has_left || legal_count > 1));
	v->dirty = 0;
	if (has_left || legal_count > 1)
		return base_max_u64(first_legal(v, v->proposed), cycle + 1);
	/* Nothing else is legal before next. */
	next = base_min_u64(first_legal(v, v->proposed & 1ull << served), next);
	return base_max_u64(next, cycle + 1);
}

/* Precharges all banks of a rank and refreshes it. Returns the next cycle to look at. */
static uint64_t refresh(struct mem_vault *v, uint64_t cycle)
{
	uint64_t banks;
	enum dram_command c = refresh_step(v, &banks);
	uint64_t legal = dram_banks_earliest(&v->banks, c, v->refresh_bank, cycle);

	if (legal > cycle)
		return legal;
	if (c == DRAM_PREA)
		issue_precharge_all(v, banks, cycle);
	else
		issue_refresh(v, cycle);
	return cycle + 1;
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

static void answer_all(struct mem_vault *v, uint64_t now)
{
	answer(v, READING, now);
	answer(v, WRITING, now);
	v->done_units = SIM_NEVER;
	for (uint32_t d = 0; d < DIRECTION_COUNT; d++) {
		if (v->done[d].first)
			v->done_units = base_min_u64(v->done_units, v->done[d].first->ready_units);
	}
}

static void vault_tick(void *component, uint64_t cycle)
{
	struct mem_vault *v = component;
	uint64_t now = sim_now_units(v->engine), next;

	if (v->done_units <= now)
		answer_all(v, now);
	if (cycle < v->next_cycle)
		return;
	if (v->queue_count == 0 && !v->proposed && !(v->closes_pages && v->banks.open_banks)) {
		v->next_cycle = SIM_NEVER; /* refreshes are caught up with later */
		return;
	}
	if (v->banks.bus->free_cycle[0] > cycle || v->banks.bus->free_cycle[1] > cycle) {
		next = base_max_u64(v->banks.bus->free_cycle[0], v->banks.bus->free_cycle[1]);
	} else if (cycle >= v->refresh_cycle) {
		next = refresh(v, cycle);
	} else {
		if (!v->is_fifo)
			choose_direction(v, cycle);
		next = schedule(v, cycle);
		if (v->refresh_cycle < next)
			next = v->refresh_cycle;
	}
	v->next_cycle = next;
	if (next != SIM_NEVER)
		sim_wake_cycle(v->engine, v->comp, next);
	if (v->owes_room && v->free_slots) {
		v->owes_room = false;
		v->config.room(v->config.ctx, v->config.index);
	}
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
	memset(&v->proposals, 0, sizeof(v->proposals));
}

void mem_vault_settle(struct mem_vault *v, bool is_between_kernels)
{
	uint64_t now = sim_cycle_now(v->engine, v->config.dram_domain), before = v->stats->refreshes;

	if (v->queue_count == 0)
		catch_up(v, now);
	if (is_between_kernels)
		v->stats->refreshes_between_kernels += v->stats->refreshes - before;
	if (v->config.audit)
		mem_audit_until(v->config.audit, now);
}
