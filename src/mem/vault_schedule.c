/* vault_schedule.c - the vault's tick: which command goes next for the requests.
 *
 * Each bank proposes one command; a proposal changes only when something happens to its bank, so it is kept, with the
 * first cycle at which the bank itself allows it. A tick takes the proposals that are legal now, columns first, then
 * ACT, then PRE, the oldest request first among equals.
 *
 * Reads and writes share the queue, but the bus serves one direction at a time: writes wait until there are
 * write_high_count of them, or no reads, or one has waited too long. A drain serves at most as many as were there when
 * it began, and ends early at write_low_count unless it began for a write that had waited too long; those that had are
 * served in any case. Then the reads that wait are served, whatever the number of writes. The FIFO scheduler knows no
 * directions: requests enter banks in order of arrival, one per bank.
 *
 * A row with waiting hits stays open until another request of its bank is overdue; the hits that came before the row
 * was opened go even then. So a bank closes a row early at most once for all that had gathered for it, and a queue
 * in which everything is overdue is served about as fast as any other. A guard over all banks is for one request at a
 * time, the oldest of those that are overdue: it goes before the columns of other banks.
 *
 * prepare_banks lets the directions overlap: before the bus turns, it serves the rows that are open for its direction,
 * so that no ACT is wasted, and the banks that only the other direction wants are opened; for reads all the time.
 * Neither goes before a command of the direction that is served.
 */
#include "mem/vault_legal.h"
#include "net/stamp.h"

/* What goes first, above the age of requests: columns, then ACT, then PRE of the direction that the bus serves, then
 * what prepares banks for the other, then precharges of rows that nobody wants. */
enum { RANK_COLUMN, RANK_ACT, RANK_PRE, RANK_PREPARE, RANK_CLOSE, RANK_SHIFT = 61 };

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
static ALWAYS_INLINE enum direction wanted_direction(struct mem_vault *v, uint64_t cycle)
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
		is_due = !v->reads_left && (writes >= v->write_high || has_write_before(v, overdue_before(v, cycle)));
	return is_due ? WRITING : READING;
}

/* Has the bus still to serve rows that were opened for its direction? */
static inline bool holds_turn(const struct mem_vault *v)
{
	return v->prepares && v->opened[v->direction];
}

static ALWAYS_INLINE bool turns(struct mem_vault *v, uint64_t cycle)
{
	return v->is_turning ? !holds_turn(v) : wanted_direction(v, cycle) != v->direction;
}

static void choose_direction(struct mem_vault *v, uint64_t cycle)
{
	bool is_full = v->count[WRITING] >= v->write_high, has_overdue;

	v->dirty = ALL_BANKS;
	v->is_turning = !v->is_turning && holds_turn(v);
	if (v->is_turning)
		return;
	v->direction = !v->direction;
	if (v->guards_all)
		v->guard_cycle = cycle;
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

/* Bank b proposes a column of the request in slot s. Two buses: what is last is asked before it is known which goes. */
static ALWAYS_INLINE void note_last_column(struct mem_vault *v, uint32_t b, uint8_t s, struct form f)
{
	if (f.is_dual_bus)
		v->last_columns = (v->last_columns & ~(1ull << b)) | (uint64_t)(v->slots[s].columns_left == 1) << b;
}

/* Bank b has none. The smallest order goes first: the rank, then the older request, then the lower bank. */
static ALWAYS_INLINE void set_proposal(struct mem_vault *v, uint32_t b, enum dram_command c, uint8_t s, uint64_t rank,
				       uint64_t sequence, struct form f)
{
	struct proposals *p = &v->proposals;
	const uint64_t bit = 1ull << b;

	v->proposed |= bit;
	v->proposed_as[p->command[b]] &= ~bit;
	v->proposed_as[c] |= bit;
	v->first = (v->first & ~bit) | (uint64_t)(rank == RANK_COLUMN) << b;
	p->command[b] = (uint8_t)c;
	p->slot[b] = s;
	p->order[b] = rank << RANK_SHIFT | (sequence * DRAM_BANK_MAX + b);
	if (c >= DRAM_RD)
		note_last_column(v, b, s, f);
	vault_set_ready(v, b, c, f);
}

/* Opens a row for the list's oldest request, or closes another for it. */
static ALWAYS_INLINE void propose_row(struct mem_vault *v, uint32_t b, uint8_t s, bool is_urgent, bool is_prepared,
				      struct form f)
{
	bool is_closed = v->banks.bank[b].open_row == DRAM_NO_ROW;
	uint64_t rank = is_urgent ? RANK_COLUMN : is_prepared ? RANK_PREPARE : is_closed ? RANK_ACT : RANK_PRE;

	set_proposal(v, b, is_closed ? DRAM_ACT : DRAM_PRE, s, rank, v->slots[s].sequence, f);
}

/* Has the request in slot s, the oldest of its bank, waited so long that it may close a row? With a guard over all
 * banks only the one that is guarded has. */
static ALWAYS_INLINE bool is_late(const struct mem_vault *v, uint8_t s, uint64_t cycle)
{
	return v->guards_all ? s == v->guarded : cycle - v->slots[s].arrival_cycle > v->starvation_cap;
}

/* May the oldest hit in bank b's row go before a late request? It was there when the row was opened. */
static ALWAYS_INLINE bool goes_with_row(const struct mem_vault *v, uint32_t b, uint8_t hit)
{
	return v->slots[hit].sequence < v->row_sequence[b];
}

/* Makes bank b's proposal for the direction that the bus serves; false if that has none. */
static ALWAYS_INLINE bool propose_served(struct mem_vault *v, uint32_t b, enum direction d, uint64_t cycle,
					 struct form f)
{
	const struct list *l = &v->lists[d][b];
	const enum dram_command column = d == WRITING ? DRAM_WR : DRAM_RD;
	bool is_overdue, is_column;
	const uint8_t s = l->first, hit = l->hit;

	if (s == NO_SLOT || (unlikely(v->is_turning) && !(v->opened[d] >> b & 1)))
		return false;
	is_overdue = is_late(v, s, cycle);
	is_column = hit != NO_SLOT && (hit == s || !is_overdue || v->is_turning || goes_with_row(v, b, hit));
	/* A row that was prepared for the other direction stays: its turn comes. */
	if (unlikely(v->prepares) && !is_column && v->opened[!d] >> b & 1)
		return false;
	if (is_column) {
		set_proposal(v, b, column, hit, RANK_COLUMN, v->slots[hit].sequence, f);
		v->overdue |= (uint64_t)(is_overdue && hit == s && v->guards_all) << b;
	} else {
		propose_row(v, b, s, is_overdue && v->guards_all, false, f);
	}
	return true;
}

/* Reads always follow a drain soon; writes follow only when the bus is about to turn. */
static inline bool prepares_for(const struct mem_vault *v, enum direction d)
{
	return v->prepares && (v->is_turning || d == READING);
}

/* Makes the proposal of bank b, which has none, if there is anything to propose. */
static ALWAYS_INLINE void propose_of(struct mem_vault *v, uint32_t b, uint64_t cycle, struct form f)
{
	const struct dram_bank *k = &v->banks.bank[b];
	enum direction d = v->direction;
	const struct list *other;

	if (v->is_fifo)
		d = v->pending[WRITING] >> b & 1 ? WRITING : READING;
	if (propose_served(v, b, d, cycle, f))
		return;
	other = &v->lists[!d][b];
	if (prepares_for(v, !d) && other->first != NO_SLOT && other->hit == NO_SLOT)
		propose_row(v, b, other->first, false, true, f);
	else if (v->closes_pages && k->open_row != DRAM_NO_ROW && v->lists[d][b].first == NO_SLOT &&
		 other->hit == NO_SLOT)
		set_proposal(v, b, DRAM_PRE, NO_SLOT, RANK_CLOSE, 0, f);
}

/* Much of it, so once for one bus and once for two. */
static __attribute__((noinline)) void propose_one_bus(struct mem_vault *v, uint32_t b, uint64_t cycle)
{
	propose_of(v, b, cycle, (struct form){.is_dual_bus = false});
}

static __attribute__((noinline)) void propose_dual_bus(struct mem_vault *v, uint32_t b, uint64_t cycle)
{
	propose_of(v, b, cycle, (struct form){.is_dual_bus = true});
}

static ALWAYS_INLINE void propose(struct mem_vault *v, uint32_t b, uint64_t cycle, struct form f)
{
	if (f.is_dual_bus)
		propose_dual_bus(v, b, cycle);
	else
		propose_one_bus(v, b, cycle);
}

/* Makes the proposal of bank b again, which has just been served at its column. The oldest request goes on with its
 * next one, unless it is guarded, which is said anew. */
static ALWAYS_INLINE void propose_next_column(struct mem_vault *v, uint32_t b, uint64_t cycle, struct form f)
{
	const uint8_t s = v->proposals.slot[b];
	const enum dram_command column = (enum dram_command)v->proposals.command[b];

	if (v->lists[direction_of(v, s)][b].first != s || s == v->guarded) {
		propose(v, b, cycle, f);
		return;
	}
	v->proposed |= 1ull << b;
	note_last_column(v, b, s, f);
	vault_set_ready(v, b, column, f);
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

/* ---- stamps of requests ---- */

/* The bank's first command for the slot's request, or the first of its columns. */
static void stamp_begin(struct mem_vault *v, uint8_t s, uint64_t cycle)
{
	uint64_t *left = &net_stamps_of(v->slots[s].req)->left_units[NET_STAGE_QUEUE];

	if (!*left)
		*left = cycle * sim_period_units(v->engine, v->config.dram_domain);
}

/* Its first column, whose data are across at end_units. */
static void stamp_column(struct mem_vault *v, uint8_t s, uint64_t cycle, uint64_t end_units)
{
	struct mem_req *r = v->slots[s].req;

	stamp_begin(v, s, cycle);
	net_stamp(r, NET_STAGE_BANK, end_units - v->banks.t->burst_units);
	net_stamps_of(r)->row = v->notes[s] & SLOT_NEEDED_PRE   ? NET_ROW_CONFLICT
				: v->notes[s] & SLOT_NEEDED_ACT ? NET_ROW_MISS
								: NET_ROW_HIT;
}

static void finish_slot(struct mem_vault *v, uint8_t s, uint64_t end_units)
{
	enum direction d = direction_of(v, s);
	struct mem_req *r = v->slots[s].req;
	uint64_t ready = end_units + v->banks.t->answer_units;

	sim_hist_add(d == WRITING ? &v->stats->write_latency_ps : &v->stats->read_latency_ps,
		     (ready - r->ready_units) / v->units_per_ps);
	if (d == WRITING)
		v->stats->writes++;
	else
		v->stats->reads++;
	v->opened[d] &= ~(1ull << v->slots[s].bank);
	leave_bank(v, s);
	if (unlikely(s == v->guarded)) { /* the next one is looked for */
		v->guarded = NO_SLOT;
		v->guard_cycle = 0;
	}
	v->free_slots |= 1ull << s;
	v->queue_count--;
	v->count[d]--;
	if (d == WRITING)
		v->drain_left -= v->drain_left > 0;
	else
		v->reads_left -= v->reads_left > 0;
	if (unlikely(v->config.stamps))
		net_stamp(r, NET_STAGE_TSV, ready);
	vault_push_done(v, r, d, ready);
	if (v->is_fifo)
		vault_enter_in_order(v);
}

static ALWAYS_INLINE void rows_closed(struct mem_vault *v, uint64_t banks, struct form f)
{
	v->opened[READING] &= ~banks;
	v->opened[WRITING] &= ~banks;
	if (v->proposed & banks)
		vault_forget_ready(v, v->proposed & banks, f);
	v->proposed &= ~banks;
	v->dirty |= banks;
	for (; banks; banks &= banks - 1) {
		uint32_t b = first_bit(banks);

		v->lists[READING][b].hit = v->lists[WRITING][b].hit = NO_SLOT;
	}
}

void vault_rows_closed(struct mem_vault *v, uint64_t banks)
{
	rows_closed(v, banks, form_of(v));
}

/* Closed pages: is this a row's last column access, as far as anybody knows? */
static bool is_last_of_row(const struct mem_vault *v, const struct slot *slot, enum direction d)
{
	return slot->columns_left == 1 && v->lists[!d][slot->bank].hit == NO_SLOT &&
	       find_hit(v, slot->next, slot->row) == NO_SLOT;
}

/* Refresh and power look at what is left. FIFO: what has not entered a bank may want any. */
static inline void look_at_idle(struct mem_vault *v, uint32_t b, uint64_t cycle)
{
	struct vault_rank *k = &v->ranks[v->banks.bank[b].rank];
	uint64_t wanted = v->pending[READING] | v->pending[WRITING];

	k->busy_cycle = cycle;
	if (!(wanted & k->banks) || (!(wanted >> b & 1) && v->awaited >> b & 1) || (v->is_fifo && !v->order_count))
		v->service_cycle = base_min_u64(v->service_cycle, cycle + 1);
}

/* An ACT more of the bank: RFM may be due. */
static void count_activation(struct mem_vault *v, uint32_t b)
{
	if (++v->activations[b] >= v->rfm_threshold)
		v->rfm_banks |= 1ull << b;
}

/* A row command to bank b has raised the gates of c of its rank and perhaps its group. */
static ALWAYS_INLINE void hold_rows(struct mem_vault *v, uint32_t b, enum dram_command c, struct form f)
{
	vault_hold_rows(v, v->banks.bank[b].rank, c, f);
	if (f.has_gates && v->banks.t->group_count > 1)
		vault_hold_group(v, b, c, f);
}

/* A column of it those of all ranks, and perhaps its group's. */
static ALWAYS_INLINE void hold_columns(struct mem_vault *v, uint32_t b, enum dram_command c, struct form f)
{
	vault_hold_columns(v, c, f);
	if (f.has_gates && v->banks.t->group_count > 1)
		vault_hold_group(v, b, c, f);
}

void vault_commanded(struct mem_vault *v, enum dram_command c, uint32_t bank)
{
	v->dirty |= dram_reach(v->banks.t, c, bank);
	if (!v->proposed)
		return;
	/* Those that reach but some banks of the rank delay no columns at its others. */
	for (uint32_t row = DRAM_ACT; row <= DRAM_PRE; row++)
		vault_hold_rows(v, v->banks.bank[bank].rank, (enum dram_command)row, form_of(v));
}

/* What every command to bank b does: its proposal is spent. */
static ALWAYS_INLINE void spend_proposal(struct mem_vault *v, uint32_t b, struct form f)
{
	const uint64_t bit = 1ull << b;

	v->dirty |= bit;
	v->proposed &= ~bit;
	v->overdue &= ~bit;
	vault_spend_ready(v, b, f);
}

/* And what refresh and power may do then. */
static inline void look_at_service(struct mem_vault *v, uint32_t b, uint64_t cycle)
{
	if (v->watches_idle)
		look_at_idle(v, b, cycle);
	if (v->rfm_banks)
		v->service_cycle = base_min_u64(v->service_cycle, cycle + 1);
}

static ALWAYS_INLINE void serve_row(struct mem_vault *v, uint32_t b, uint64_t cycle, struct form f)
{
	const uint8_t s = v->proposals.slot[b];

	spend_proposal(v, b, f);
	if (v->proposals.command[b] == DRAM_ACT) {
		const uint32_t row = v->slots[s].row;

		vault_activate(v, b, row, cycle);
		v->row_sequence[b] = v->next_sequence;
		if (v->rfm_threshold)
			count_activation(v, b);
		if (unlikely(v->config.stamps))
			stamp_begin(v, s, cycle);
		v->notes[s] |= SLOT_NEEDED_ACT;
		v->opened[direction_of(v, s)] |= 1ull << b;
		for (uint32_t d = 0; d < DIRECTION_COUNT; d++)
			v->lists[d][b].hit = find_hit(v, v->lists[d][b].first, row);
		hold_rows(v, b, DRAM_ACT, f);
	} else {
		vault_precharge(v, b, cycle);
		if (s != NO_SLOT) {
			v->notes[s] |= SLOT_NEEDED_PRE;
			if (unlikely(v->config.stamps))
				stamp_begin(v, s, cycle);
			v->stats->starvation_breaks += v->lists[direction_of(v, s)][b].hit != NO_SLOT;
		}
		rows_closed(v, 1ull << b, f);
		if (v->holds_precharges)
			hold_rows(v, b, DRAM_PRE, f);
	}
	look_at_service(v, b, cycle);
}

static ALWAYS_INLINE void serve_column(struct mem_vault *v, uint32_t b, bool is_last, uint64_t cycle,
				       struct form f)
{
	const uint8_t s = v->proposals.slot[b];
	struct slot *slot = &v->slots[s];
	enum direction d = direction_of(v, s);
	bool closes = v->auto_precharges && is_last_of_row(v, slot, d);
	uint32_t column_bytes = v->banks.t->column_bytes;
	uint64_t end;

	spend_proposal(v, b, f);
	end = vault_column(v, (enum dram_command)((closes ? DRAM_RDA : DRAM_RD) + d), b, slot->row, cycle);
	if (unlikely(v->is_watched) && v->config.audit)
		mem_audit_serve(v->config.audit, slot->req);
	if (f.is_fifo && d != v->direction) {
		v->direction = d;
		v->stats->turnarounds++;
	}
	if (!(v->notes[s] & SLOT_HAS_STARTED)) {
		v->notes[s] |= SLOT_HAS_STARTED;
		if (v->notes[s] & SLOT_NEEDED_PRE)
			v->stats->row_conflicts++;
		else if (v->notes[s] & SLOT_NEEDED_ACT)
			v->stats->row_misses++;
		else
			v->stats->row_hits++;
		if (unlikely(v->config.stamps))
			stamp_column(v, s, cycle, end);
	}
	v->stats->tsv_busy_units += v->banks.t->burst_units;
	if (d == WRITING) {
		v->stats->column_writes++;
		v->stats->write_bytes += column_bytes;
	} else {
		v->stats->column_reads++;
		v->stats->read_bytes += column_bytes;
	}
	slot->columns_left--;
	if (is_last)
		finish_slot(v, s, end);
	if (closes)
		rows_closed(v, 1ull << b, f);
	hold_columns(v, b, (enum dram_command)(DRAM_RD + v->direction), f);
	if (f.is_fifo) /* no directions */
		hold_columns(v, b, (enum dram_command)(DRAM_RD + !v->direction), f);
	look_at_service(v, b, cycle);
}

/* A guard over all banks is for the oldest request that is overdue, of those that the bus may serve. */
static void look_for_overdue(struct mem_vault *v, uint64_t cycle)
{
	uint64_t next = SIM_NEVER;

	v->guarded = NO_SLOT;
	for (uint32_t d = 0; d < DIRECTION_COUNT; d++) {
		for (uint64_t banks = v->pending[d]; banks; banks &= banks - 1) {
			const uint8_t s = v->lists[d][first_bit(banks)].first;
			const uint64_t due = v->slots[s].arrival_cycle + v->starvation_cap + 1;

			if (due > cycle)
				next = base_min_u64(next, due);
			else if (d == v->direction &&
				 (v->guarded == NO_SLOT || v->slots[s].sequence < v->slots[v->guarded].sequence))
				v->guarded = s;
		}
	}
	v->guard_cycle = next;
	v->dirty = ALL_BANKS;
}

static __attribute__((noinline)) void propose_dirty(struct mem_vault *v, uint64_t cycle)
{
	const struct form f = form_of(v);
	uint64_t dirty;

	if (cycle >= v->guard_cycle)
		look_for_overdue(v, cycle);
	/* Other banks have nothing to propose. */
	dirty = v->dirty & (v->pending[READING] | v->pending[WRITING] | (v->closes_pages ? v->banks.open_banks : 0));
	if (v->dirty & v->proposed)
		vault_forget_ready(v, v->dirty & v->proposed, f);
	v->proposed &= ~v->dirty;
	v->overdue &= ~v->dirty;
	for (; dirty; dirty &= dirty - 1)
		propose(v, first_bit(dirty), cycle, f);
	v->dirty = 0;
}

/* ---- which one goes ---- */

static inline bool is_one(uint64_t banks)
{
	return !(banks & (banks - 1));
}

/* One at least. */
static ALWAYS_INLINE uint32_t best_of(const struct mem_vault *v, uint64_t banks)
{
	uint64_t best = SIM_NEVER;

	if (is_one(banks))
		return first_bit(banks);
	if (banks & v->first)
		banks &= v->first;
	for (; banks; banks &= banks - 1)
		best = base_min_u64(best, v->proposals.order[first_bit(banks)]);
	return (uint32_t)best % DRAM_BANK_MAX;
}

/* The banks for which a column is proposed, if anything is. */
static inline uint64_t columns_of(const struct mem_vault *v)
{
	return v->proposed_as[DRAM_RD] | v->proposed_as[DRAM_WR];
}

/* Bank b has been served and proposes something else, if anything. Returns the first cycle at which it pays to look
 * again, as far as that is not known without it: nothing else has been legal (is_only), and b's own proposal may come
 * before the others; or all are to be looked at. */
static ALWAYS_INLINE uint64_t look_again(const struct mem_vault *v, uint32_t b, bool is_only, uint64_t cycle,
					 struct form f)
{
	const uint64_t left = v->proposed & ~v->blocked;

	if (is_only)
		return left >> b & 1 ? vault_first_of_bank(v, b, cycle + 1, f) : SIM_NEVER;
	return vault_first(v, left, cycle + 1, f);
}

/* Is it the last column of the request for which bank b proposes one? */
static inline bool is_last_column(const struct mem_vault *v, uint32_t b)
{
	return v->slots[v->proposals.slot[b]].columns_left == 1;
}

/* Serves the row command of bank b, the best of the legal ones. Returns as look_again. */
static ALWAYS_INLINE uint64_t schedule_row(struct mem_vault *v, uint32_t b, uint64_t legal, uint64_t cycle,
					   struct form f)
{
	const bool is_only = is_one(legal);
	const uint64_t others = legal & ~v->proposed_as[v->proposals.command[b]];

	serve_row(v, b, cycle, f);
	if (!is_only && !f.is_fifo && turns(v, cycle + 1))
		return cycle + 1;
	propose(v, b, cycle + !is_only, f);
	v->dirty &= ~(1ull << b);
	return others ? cycle + 1 /* no command delays others than its like */ : look_again(v, b, is_only, cycle, f);
}

/* The same for a column. A request that leaves makes room for others of its bank and may turn the bus. */
static ALWAYS_INLINE uint64_t schedule_column(struct mem_vault *v, uint32_t b, uint64_t legal, bool is_last,
					      uint64_t cycle, struct form f)
{
	const bool is_only = is_one(legal) && !is_last;
	const uint64_t others = legal & ~columns_of(v);

	serve_column(v, b, is_last, cycle, f);
	if ((is_last && (f.is_fifo || !v->queue_count)) || (!is_only && !f.is_fifo && turns(v, cycle + 1)))
		return cycle + 1;
	if (is_last)
		propose(v, b, cycle + 1, f);
	else
		propose_next_column(v, b, cycle + !is_only, f);
	v->dirty &= ~(1ull << b);
	return others ? cycle + 1 : look_again(v, b, is_only, cycle, f);
}

/* Serves the best proposal of these banks that is legal at cycle. Returns the first cycle at which it pays to look
 * again. */
static ALWAYS_INLINE uint64_t schedule(struct mem_vault *v, uint64_t banks, uint64_t cycle, struct form f)
{
	uint64_t next = SIM_NEVER;
	const uint64_t legal = vault_legal(v, banks, cycle, &next, f);
	bool is_column, is_last;
	uint32_t b;

	if (!legal)
		return vault_first_late(v, banks, next, f);
	b = best_of(v, legal);
	is_column = columns_of(v) >> b & 1;
	is_last = is_column && is_last_column(v, b);
	next = is_one(legal) && !is_last ? vault_first_late(v, banks & ~legal, next, f) : SIM_NEVER;
	return base_min_u64(next, is_column ? schedule_column(v, b, legal, is_last, cycle, f)
					    : schedule_row(v, b, legal, cycle, f));
}

/* Two command buses: a column and a row command in one cycle. */
static ALWAYS_INLINE uint64_t schedule_both(struct mem_vault *v, uint64_t banks, uint64_t cycle, struct form f)
{
	const uint64_t columns = banks & columns_of(v), rows = banks & ~columns;
	const uint64_t *free_cycle = v->banks.bus->free_cycle;
	/* Those whose bus is free, of these those that are legal, and those whose next cycle must be known. */
	const uint64_t free_columns = columns & -(uint64_t)(free_cycle[1] <= cycle);
	const uint64_t free_rows = rows & -(uint64_t)(free_cycle[0] <= cycle);
	uint64_t next = base_min_u64(columns & ~free_columns ? free_cycle[1] : SIM_NEVER,
				     rows & ~free_rows ? free_cycle[0] : SIM_NEVER);
	const uint64_t legal = vault_legal(v, free_columns | free_rows, cycle, &next, f);
	const uint64_t legal_columns = legal & columns, legal_rows = legal & rows;
	const bool has_last = legal_columns & v->last_columns;
	const uint64_t late = (free_columns & -(uint64_t)(is_one(legal_columns) & !has_last)) |
			      (free_rows & -(uint64_t)is_one(legal_rows));

	next = vault_first_late(v, late & ~legal, next, f);
	if (legal_columns) {
		const uint32_t b = best_of(v, legal_columns);

		next = base_min_u64(next, schedule_column(v, b, legal_columns, v->last_columns >> b & 1, cycle, f));
	}
	if (legal_rows)
		next = base_min_u64(next, schedule_row(v, best_of(v, legal_rows), legal_rows, cycle, f));
	return next;
}

/* While the bank of the guarded request allows its column and the buses do not, columns of other banks would put that
 * off, again and again where the bus waits between ranks. These are the banks that may go on. */
static __attribute__((noinline)) uint64_t banks_beside_overdue(const struct mem_vault *v, uint64_t cycle)
{
	const uint64_t overdue = v->overdue & v->proposed & ~v->blocked;
	uint64_t first = SIM_NEVER;
	uint32_t b;

	if (!overdue)
		return ALL_BANKS;
	b = first_bit(overdue);
	if (v->banks.bank[b].cycle[v->proposals.command[b]] > cycle ||
	    vault_legal(v, overdue, cycle, &first, form_of(v)))
		return ALL_BANKS;
	return ~columns_of(v) | overdue;
}

/* The tick at next may do nothing but find the bus taken, by a command of several cycles. Then the first cycle at which
 * it is free, or a column that has a bus of its own is legal; if the direction does not turn till then, which, once
 * time has made it wanted, stays so. */
static ALWAYS_INLINE uint64_t when_free(struct mem_vault *v, uint64_t next, uint64_t cycle, struct form f)
{
	const uint64_t free_cycle = v->banks.bus->free_cycle[0], wanted = v->proposed & ~v->blocked;
	const uint64_t columns = f.is_dual_bus ? wanted & columns_of(v) : 0;
	uint64_t first = free_cycle;

	if (next >= free_cycle || v->dirty || v->overdue || !(wanted & ~columns))
		return next;
	if (f.is_dual_bus)
		first = base_min_u64(first, vault_first(v, columns, cycle, f));
	return first > next && (f.is_fifo || !turns(v, first)) ? first : next;
}

/* Serves what is legal and best, on each command bus. */
static ALWAYS_INLINE uint64_t schedule_buses(struct mem_vault *v, uint64_t cycle, struct form f)
{
	uint64_t banks = v->proposed & ~v->blocked;

	if (unlikely(v->overdue))
		banks &= banks_beside_overdue(v, cycle);
	if (f.is_dual_bus)
		return schedule_both(v, banks, cycle, f);
	return v->banks.bus->free_cycle[0] > cycle ? v->banks.bus->free_cycle[0] : schedule(v, banks, cycle, f);
}

static inline bool owed_has_room(const struct mem_vault *v)
{
	return (v->owes_room & 1 << READING && vault_has_room(v, READING)) ||
	       (v->owes_room & 1 << WRITING && vault_has_room(v, WRITING));
}

/* A tick at which a command may be legal. */
static ALWAYS_INLINE void work(struct mem_vault *v, uint64_t cycle, struct form f)
{
	uint64_t next;

	if (vault_sleeps(v)) {
		next = vault_fall_asleep(v, cycle);
	} else if (cycle >= v->service_cycle && vault_service(v, cycle)) {
		next = cycle + 1;
	} else if (v->blocked == v->all_banks) {
		next = v->service_cycle;
	} else {
		if (!f.is_fifo && turns(v, cycle))
			choose_direction(v, cycle);
		vault_look_for_ready(v, cycle, f);
		if (v->dirty || cycle >= v->guard_cycle)
			propose_dirty(v, cycle);
		next = when_free(v, schedule_buses(v, cycle, f), cycle, f);
		next = base_min_u64(next, v->service_cycle); /* as it is then */
	}
	v->next_cycle = next;
	if (next != SIM_NEVER)
		sim_wake_cycle(v->engine, v->comp, next);
	if (unlikely(v->owes_room) && owed_has_room(v)) {
		v->owes_room = 0;
		v->config.room(v->config.ctx, v->config.index);
	}
}

/* By form; and apart from the tick, for many ticks only answer, and need not save the registers that work takes. */
static __attribute__((noinline)) void work_plain(struct mem_vault *v, uint64_t cycle)
{
	work(v, cycle, (struct form){.has_gates = false});
}

static __attribute__((noinline)) void work_dual_bus(struct mem_vault *v, uint64_t cycle)
{
	work(v, cycle, (struct form){.has_gates = true, .is_dual_bus = true});
}

static __attribute__((noinline)) void work_one_bus(struct mem_vault *v, uint64_t cycle)
{
	work(v, cycle, (struct form){.has_gates = true});
}

static __attribute__((noinline)) void work_any(struct mem_vault *v, uint64_t cycle)
{
	work(v, cycle, form_of(v));
}

/* Answers what is done, and issues the best command that is legal at cycle. */
static ALWAYS_INLINE void tick(struct mem_vault *v, uint64_t cycle, void (*work_of)(struct mem_vault *, uint64_t))
{
	uint64_t now = sim_now_units(v->engine);

	if (v->done_units <= now)
		vault_answer(v, now);
	if (cycle >= v->next_cycle)
		work_of(v, cycle);
}

static void tick_plain(void *component, uint64_t cycle)
{
	tick(component, cycle, work_plain);
}

static void tick_dual_bus(void *component, uint64_t cycle)
{
	tick(component, cycle, work_dual_bus);
}

static void tick_one_bus(void *component, uint64_t cycle)
{
	tick(component, cycle, work_one_bus);
}

static void tick_any(void *component, uint64_t cycle)
{
	tick(component, cycle, work_any);
}

sim_tick_fn vault_tick_of(const struct mem_vault *v)
{
	if (v->is_fifo)
		return tick_any;
	if (v->is_dual_bus)
		return tick_dual_bus;
	return v->banks.has_gates ? tick_one_bus : tick_plain;
}
