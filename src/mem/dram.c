/* dram.c - the bank model: when each command becomes legal, and what it makes illegal for how long.
 *
 * The table of constraints is compiled into delays by pair of commands and distance. A gate command (ACT, PRE, RD, WR)
 * is asked for all the time, so each issue raises its earliest cycle: per bank, and per gate of a rank or of a group of
 * it. The other commands are rare: their earliest cycle is computed when asked, from that of an ACT to their banks and
 * from the last command of each kind to each rank. */
#include "mem/dram.h"

#include <string.h>

#include "base/check.h"
#include "base/units.h"

#define LONG_AGO (INT64_MIN / 2)
enum { NO_DELAY = INT32_MIN / 2 };

#define BIT(command) (1u << (command))

static const char *const command_names[DRAM_COMMAND_COUNT] = {
#define X(name) #name,
	DRAM_COMMANDS(X)
#undef X
};

const char *dram_command_name(enum dram_command c)
{
	return command_names[c];
}

_Static_assert(DRAM_RDA == DRAM_RD + DRAM_GATE_COMMANDS && DRAM_WRA == DRAM_WR + DRAM_GATE_COMMANDS,
	       "a command and that with auto-precharge wait for the same gates");

static bool is_gate_command(uint32_t c)
{
	return c < DRAM_GATE_COMMANDS;
}

static inline bool is_column(uint32_t c)
{
	return BIT(c) & (BIT(DRAM_RD) | BIT(DRAM_WR) | BIT(DRAM_RDA) | BIT(DRAM_WRA));
}

static inline bool is_to_one_bank(uint32_t c)
{
	return is_gate_command(c) || is_column(c);
}

/* ---- the table, compiled ---- */

static uint32_t distances_of(const struct dram_constraint *r)
{
	if (r->relation == DRAM_OTHER_RANK)
		return BIT(DRAM_AT_OTHER_RANK);
	switch (r->scope) {
	case DRAM_SCOPE_BANK:
		return BIT(DRAM_AT_BANK);
	case DRAM_SCOPE_GROUP:
		return BIT(DRAM_AT_GROUP);
	case DRAM_SCOPE_RANK:
		return BIT(DRAM_AT_GROUP) | BIT(DRAM_AT_RANK);
	case DRAM_SCOPE_CHANNEL:
		return BIT(DRAM_AT_GROUP) | BIT(DRAM_AT_RANK) | BIT(DRAM_AT_OTHER_RANK);
	}
	UNREACHABLE("scope of a constraint");
}

/* What the short ways of issuing a gate command leave out, no row may say. */
static void check_short_ways(uint32_t from, uint32_t to, uint32_t distance, enum dram_anchor anchor)
{
	bool is_at_bank = distance == DRAM_AT_BANK;

	CHECK(anchor == DRAM_FROM_COMMAND || is_column(from));
	if (!is_gate_command(to))
		return;
	if (from == DRAM_ACT)
		CHECK(is_at_bank || (to == DRAM_ACT && distance != DRAM_AT_OTHER_RANK));
	if (from == DRAM_PRE)
		CHECK(is_at_bank ? to == DRAM_ACT : to == DRAM_PRE && distance != DRAM_AT_OTHER_RANK);
	if (is_column(from))
		CHECK(is_at_bank ? to == DRAM_PRE || to == DRAM_ACT : is_column(to));
}

/* What the earliest cycle of a rare command leaves out: where rows are about its banks, it waits there as an ACT does;
 * so it does for its groups, after an ACT. A rare command says nothing about groups. */
static void check_rare(struct dram_timing *t, uint32_t from, uint32_t to)
{
	const int32_t *command = t->command_delay[from][to], *data = t->data_delay[from][to];
	const int32_t *act = t->command_delay[from][DRAM_ACT], *act_data = t->data_delay[from][DRAM_ACT];

	if (is_to_one_bank(to)) {
		CHECK(is_to_one_bank(from) || command[DRAM_AT_GROUP] == command[DRAM_AT_RANK]);
		return;
	}
	CHECK(data[DRAM_AT_GROUP] == data[DRAM_AT_RANK]);
	if (command[DRAM_AT_GROUP] != command[DRAM_AT_RANK]) {
		CHECK(from == DRAM_ACT && command[DRAM_AT_GROUP] == act[DRAM_AT_GROUP]);
		t->group_set |= BIT(to);
	}
	if (t->bank_set & BIT(to))
		CHECK(command[DRAM_AT_BANK] == act[DRAM_AT_BANK] && data[DRAM_AT_BANK] == act_data[DRAM_AT_BANK]);
	else
		CHECK(command[DRAM_AT_BANK] == NO_DELAY && data[DRAM_AT_BANK] == NO_DELAY);
}

static void add_delay(struct dram_timing *t, const struct dram_constraint *r, uint32_t from, uint32_t to)
{
	dram_delays *delays = r->anchor == DRAM_FROM_COMMAND ? &t->command_delay : &t->data_delay;

	t->from_set[to] |= BIT(from);
	t->distance_set[from][to] |= (uint8_t)distances_of(r);
	if (!is_to_one_bank(to) && r->scope == DRAM_SCOPE_BANK)
		t->bank_set |= BIT(to);
	for (uint32_t left = distances_of(r); left; left &= left - 1) {
		uint32_t distance = (uint32_t)__builtin_ctz(left);
		int32_t *delay = &(*delays)[from][to][distance];

		check_short_ways(from, to, distance, r->anchor);
		if (*delay < r->cycles)
			*delay = r->cycles;
	}
}

static void compile(struct dram_timing *t, const struct dram_params *p)
{
	struct dram_constraint rows[DRAM_CONSTRAINT_MAX];
	uint32_t count = dram_constraints(p, rows);

	for (uint32_t i = 0; i < DRAM_COMMAND_COUNT; i++)
		for (uint32_t k = 0; k < DRAM_COMMAND_COUNT; k++)
			for (uint32_t d = 0; d < DRAM_DISTANCE_COUNT; d++)
				t->command_delay[i][k][d] = t->data_delay[i][k][d] = NO_DELAY;
	for (uint32_t i = 0; i < count; i++) {
		const struct dram_constraint *r = &rows[i];

		if (r->nth > 1) {
			CHECK(r->nth == DRAM_FAW_COUNT && r->from == r->to && r->scope == DRAM_SCOPE_RANK);
			CHECK(r->anchor == DRAM_FROM_COMMAND && t->faw_set == 0);
			t->faw_set = r->from;
			t->faw = (uint32_t)r->cycles;
			continue;
		}
		for (uint32_t from = r->from; from; from &= from - 1)
			for (uint32_t to = r->to; to; to &= to - 1)
				add_delay(t, r, (uint32_t)__builtin_ctz(from), (uint32_t)__builtin_ctz(to));
	}
	for (uint32_t from = 0; from < DRAM_COMMAND_COUNT; from++)
		for (uint32_t to = 0; to < DRAM_COMMAND_COUNT; to++)
			check_rare(t, from, to);
}

void dram_timing_init(struct dram_timing *t, const struct dram_params *p, uint64_t ck_units, uint64_t units_per_ps)
{
	struct sim_period ck = dram_clock_period(p);

	memset(t, 0, sizeof(*t));
	CHECK(units_per_ps % ck.den == 0 && ck_units == ck.num_ps * (units_per_ps / ck.den));
	CHECK(dram_vault_bank_count(p) <= DRAM_BANK_MAX && p->rank_count <= DRAM_RANK_MAX);
	t->ck_units = ck_units;
	t->ck_inverse = UINT64_MAX / ck_units;
	t->cl = (uint32_t)p->t_cl;
	t->cwl = (uint32_t)p->t_cwl;
	t->act_cycles = (uint32_t)p->command_act_cycles;
	t->column_cycles = (uint32_t)p->command_column_cycles;
	t->is_dual_bus = p->dual_command_bus;
	t->refresh_mode = (enum dram_refresh_mode)p->refresh_mode;
	/* The interval is rounded down: refreshing a little too often is legal, too rarely is not. */
	t->refi = p->refresh ? (uint64_t)(p->t_refi_ns * BASE_PS_PER_NS) * ck.den / ck.num_ps : 0;
	t->burst_units = dram_burst_units(p, units_per_ps);
	t->answer_units = (p->tsv_latency_ps + p->controller_latency_ps) * units_per_ps;
	t->column_bytes = (uint32_t)dram_column_bytes(p);
	t->bank_count = dram_vault_bank_count(p);
	t->rank_count = (uint32_t)p->rank_count;
	t->group_count = (uint32_t)p->group_count;
	compile(t, p);
}

/* ---- state ---- */

void dram_banks_init(struct dram_banks *b, const struct dram_timing *t, struct dram_command_bus *bus)
{
	memset(b, 0, sizeof(*b));
	b->t = t;
	b->bus = bus ? bus : &b->own_bus;
	b->row_free_cycle = &b->bus->free_cycle[0];
	b->column_free_cycle = &b->bus->free_cycle[t->is_dual_bus];
	b->has_gates = t->rank_count * t->group_count > 1;
	CHECK(t->group_count <= t->bank_count / t->rank_count);
	for (uint32_t i = 0; i < DRAM_BANK_MAX; i++) {
		struct dram_bank *k = &b->bank[i];
		uint32_t of_rank = t->bank_count / t->rank_count;

		k->open_row = DRAM_NO_ROW;
		k->rank = (uint8_t)(i / of_rank % t->rank_count);
		k->group = (uint8_t)(i % of_rank % t->group_count);
		k->gate = (uint16_t)((k->rank * t->group_count + k->group) * DRAM_GATE_COMMANDS);
	}
	for (uint32_t c = 0; c < DRAM_COMMAND_COUNT; c++) {
		for (uint32_t i = 0; i < DRAM_RANK_MAX; i++)
			b->last_of_rank[i][c] = (struct dram_last){LONG_AGO, LONG_AGO};
	}
}

/* units / ck_units, exactly: the product with the inverse, rounded down, falls short of the quotient by at most 1. */
static inline uint64_t cycle_before(const struct dram_banks *b, uint64_t units)
{
	uint64_t cycle = (uint64_t)((unsigned __int128)units * b->t->ck_inverse >> 64);

	return cycle + (units - cycle * b->t->ck_units >= b->t->ck_units);
}

static inline int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Stored in any case: whether it rises the host could not predict. */
static inline void raise(uint64_t *cycle, int64_t to)
{
	*cycle = (uint64_t)later((int64_t)*cycle, to);
}

uint64_t dram_reach(const struct dram_timing *t, enum dram_command c, uint32_t bank)
{
	const bool is_partial = c == DRAM_REFB || c == DRAM_RFM;
	uint64_t reach = 0;

	if (is_to_one_bank(c) || (is_partial && t->refresh_mode == DRAM_REFRESH_PER_BANK))
		return 1ull << bank;

	const uint32_t of_rank = t->bank_count / t->rank_count, first = bank / of_rank * of_rank;

	if (c == DRAM_REFB || (c == DRAM_RFM && t->refresh_mode == DRAM_REFRESH_SAME_BANK)) {
		for (uint32_t i = 0; i < t->group_count; i++)
			reach |= 1ull << (first + (bank - first) / t->group_count * t->group_count + i);
		return reach;
	}
	return (of_rank == 64 ? ~0ull : (1ull << of_rank) - 1) << first;
}

/* ---- when ---- */

static inline int64_t later_than(int64_t cycle, const struct dram_last *last, const int32_t *command,
				 const int32_t *data, enum dram_distance d)
{
	return later(cycle, later(last->cycle + command[d], last->data_cycle + data[d]));
}

/* The earliest cycle of a command that is no gate command: at its banks and groups that of an ACT, see check_rare. */
static int64_t earliest_of_rare(const struct dram_banks *b, enum dram_command c, uint32_t bank)
{
	const struct dram_timing *t = b->t;
	const uint32_t rank = b->bank[bank].rank;
	uint64_t reach = t->bank_set & BIT(c) ? dram_reach(t, c, bank) : 0;
	int64_t cycle = t->faw_set & BIT(c) ? (int64_t)b->rank[rank].faw[b->rank[rank].faw_next] : 0;

	for (; reach; reach &= reach - 1) {
		const struct dram_bank *k = &b->bank[__builtin_ctzll(reach)];

		cycle = later(cycle, (int64_t)k->cycle[DRAM_ACT]);
		if (t->group_set & BIT(c))
			cycle = later(cycle, (int64_t)b->group_gate[k->gate + DRAM_ACT]);
	}
	for (uint32_t left = t->from_set[c] & b->issued; left; left &= left - 1) {
		const uint32_t from = (uint32_t)__builtin_ctz(left), distances = t->distance_set[from][c];
		const int32_t *command = t->command_delay[from][c], *data = t->data_delay[from][c];

		if (distances & BIT(DRAM_AT_RANK))
			cycle = later_than(cycle, &b->last_of_rank[rank][from], command, data, DRAM_AT_RANK);
		for (uint32_t i = 0; distances & BIT(DRAM_AT_OTHER_RANK) && i < t->rank_count; i++)
			if (i != rank)
				cycle = later_than(cycle, &b->last_of_rank[i][from], command, data, DRAM_AT_OTHER_RANK);
	}
	return cycle;
}

uint64_t dram_banks_earliest(const struct dram_banks *b, enum dram_command c, uint32_t bank, uint64_t from)
{
	const struct dram_bank *k = &b->bank[bank];
	uint64_t cycle = base_max_u64(from, is_column(c) ? *b->column_free_cycle : *b->row_free_cycle);

	if (!is_to_one_bank(c))
		return base_max_u64(cycle, (uint64_t)earliest_of_rare(b, c, bank));
	c = (enum dram_command)(c % DRAM_GATE_COMMANDS);
	return base_max_u64(base_max_u64(cycle, b->rank_gate[k->rank][c]), dram_bank_ready(b, k, c));
}

bool dram_banks_is_legal(const struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle)
{
	uint32_t open = b->bank[bank].open_row;
	enum dram_rank_state state = b->rank[b->bank[bank].rank].state;

	if (state != (c == DRAM_PDX ? DRAM_POWERED_DOWN : c == DRAM_SRX ? DRAM_SELF_REFRESHING : DRAM_AWAKE))
		return false;
	if (is_column(c) && (open == DRAM_NO_ROW || open != row))
		return false;
	if (c == DRAM_PRE && open == DRAM_NO_ROW)
		return false;
	if ((c == DRAM_ACT || c == DRAM_REF || c == DRAM_REFB || c == DRAM_RFM || c == DRAM_SRE) &&
	    (b->open_banks & dram_reach(b->t, c, bank)))
		return false;
	return dram_banks_earliest(b, c, bank, cycle) == cycle;
}

/* ---- what changes ---- */

/* An ACT, or a refresh that counts as one, joins the window of four. Returns the earliest next. */
static uint64_t enter_faw(struct dram_banks *b, uint32_t rank, uint64_t cycle)
{
	uint64_t *faw = b->rank[rank].faw;
	uint32_t next = (b->rank[rank].faw_next + 1) % DRAM_FAW_COUNT;

	faw[b->rank[rank].faw_next] = cycle + b->t->faw;
	b->rank[rank].faw_next = next;
	return faw[next]; /* the fourth back leaves the window */
}

/* What every command does; k: a bank of its rank. */
static inline void begin_command(struct dram_banks *b, const struct dram_bank *k, enum dram_command c, uint32_t cycles,
			  uint64_t cycle)
{
	uint64_t *free_cycle = is_column(c) ? b->column_free_cycle : b->row_free_cycle;

	CHECK(cycle >= *free_cycle);
	CHECK(likely(!b->asleep_count) || b->rank[k->rank].state == DRAM_AWAKE || c == DRAM_PDX || c == DRAM_SRX);
	*free_cycle = cycle + cycles;
}

static inline void remember(struct dram_banks *b, uint32_t rank, enum dram_command c, int64_t cycle, int64_t data_cycle)
{
	b->issued |= BIT(c);
	b->last_of_rank[rank][c] = (struct dram_last){cycle, data_cycle};
}

void dram_banks_activate(struct dram_banks *b, uint32_t bank, uint32_t row, uint64_t cycle)
{
	const int32_t(*delay)[DRAM_DISTANCE_COUNT] = b->t->command_delay[DRAM_ACT];
	struct dram_bank *k = &b->bank[bank];
	int64_t window = (int64_t)enter_faw(b, k->rank, cycle), at = (int64_t)cycle;

	CHECK(k->open_row == DRAM_NO_ROW && row != DRAM_NO_ROW);
	begin_command(b, k, DRAM_ACT, b->t->act_cycles, cycle);
	remember(b, k->rank, DRAM_ACT, at, LONG_AGO);
	k->open_row = row;
	b->open_banks |= 1ull << bank;
	for (uint32_t c = 0; c < DRAM_GATE_COMMANDS; c++)
		k->cycle[c] = cycle + (uint64_t)delay[c][DRAM_AT_BANK];
	if (b->t->group_count > 1) {
		raise(&b->group_gate[k->gate + DRAM_ACT], at + delay[DRAM_ACT][DRAM_AT_GROUP]);
		raise(&b->rank_gate[k->rank][DRAM_ACT], later(window, at + delay[DRAM_ACT][DRAM_AT_RANK]));
	} else {
		raise(&b->rank_gate[k->rank][DRAM_ACT], later(window, at + delay[DRAM_ACT][DRAM_AT_GROUP]));
	}
}

static inline void close_bank(struct dram_banks *b, uint32_t bank)
{
	b->bank[bank].open_row = DRAM_NO_ROW;
	b->open_banks &= ~(1ull << bank);
}

void dram_banks_precharge(struct dram_banks *b, uint32_t bank, uint64_t cycle)
{
	const int32_t(*delay)[DRAM_DISTANCE_COUNT] = b->t->command_delay[DRAM_PRE];
	struct dram_bank *k = &b->bank[bank];

	CHECK(k->open_row != DRAM_NO_ROW);
	begin_command(b, k, DRAM_PRE, 1, cycle);
	remember(b, k->rank, DRAM_PRE, (int64_t)cycle, LONG_AGO);
	close_bank(b, bank);
	raise(&k->cycle[DRAM_ACT], (int64_t)cycle + delay[DRAM_ACT][DRAM_AT_BANK]);
	raise(&b->rank_gate[k->rank][DRAM_PRE], (int64_t)cycle + delay[DRAM_PRE][DRAM_AT_RANK]); /* tPPD, if any */
}

/* What follows is inlined into issue_column, and that twice: for reads of a vault with one gate, whose cost it is, and
 * for all others. */
#define INLINE static inline __attribute__((always_inline))

/* at: when the column command was sent; its data ends at or after free_cycle, and not after end_cycle. */
INLINE void raise_columns(const struct dram_timing *t, enum dram_command c, uint64_t *gate, enum dram_distance d,
			  int64_t at, int64_t free_cycle, int64_t end_cycle)
{
	const int32_t(*command)[DRAM_DISTANCE_COUNT] = t->command_delay[c];
	const int32_t(*data)[DRAM_DISTANCE_COUNT] = t->data_delay[c];
	int64_t read = later(at + command[DRAM_RD][d], end_cycle + data[DRAM_RD][d]);
	int64_t write = later(at + command[DRAM_WR][d], end_cycle + data[DRAM_WR][d]);

	/* Data of the cycle in which the bus becomes free waits for it less than one tCK. */
	raise(&gate[DRAM_RD], later(read, free_cycle - t->cl));
	raise(&gate[DRAM_WR], later(write, free_cycle - t->cwl));
}

INLINE void raise_all_columns(struct dram_banks *b, enum dram_command c, const struct dram_bank *k, int64_t at,
			      int64_t free_cycle, int64_t end_cycle)
{
	const struct dram_timing *t = b->t;

	for (uint32_t i = 0; i < t->rank_count; i++)
		raise_columns(t, c, b->rank_gate[i], i == k->rank ? DRAM_AT_RANK : DRAM_AT_OTHER_RANK, at, free_cycle,
			      end_cycle);
	raise_columns(t, c, t->group_count > 1 ? &b->group_gate[k->gate] : b->rank_gate[k->rank], DRAM_AT_GROUP, at,
		      free_cycle, end_cycle);
}

INLINE uint64_t issue_column(struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle,
			     bool has_gates)
{
	struct dram_bank *k = &b->bank[bank];
	const struct dram_timing *t = b->t;
	const int32_t(*command)[DRAM_DISTANCE_COUNT] = t->command_delay[c];
	const int32_t(*data)[DRAM_DISTANCE_COUNT] = t->data_delay[c];
	uint32_t latency = c == DRAM_WR || c == DRAM_WRA ? t->cwl : t->cl;
	uint64_t start = base_max_u64((cycle + latency) * t->ck_units, b->bus_free_units);
	uint64_t end = start + t->burst_units, free_cycle = cycle_before(b, end);
	int64_t at = (int64_t)cycle, end_cycle = (int64_t)(free_cycle + (free_cycle * t->ck_units != end));

	CHECK(k->open_row == row);
	begin_command(b, k, c, t->column_cycles, cycle);
	b->bus_free_units = end;
	remember(b, k->rank, c, at, end_cycle);
	if (has_gates)
		raise_all_columns(b, c, k, at, (int64_t)free_cycle, end_cycle);
	else
		raise_columns(t, c, b->rank_gate[0], DRAM_AT_GROUP, at, (int64_t)free_cycle, end_cycle);
	if (c != DRAM_RD)
		raise(&k->cycle[DRAM_ACT],
		      later(at + command[DRAM_ACT][DRAM_AT_BANK], end_cycle + data[DRAM_ACT][DRAM_AT_BANK]));
	if (c == DRAM_RDA || c == DRAM_WRA)
		close_bank(b, bank);
	else
		raise(&k->cycle[DRAM_PRE],
		      later(at + command[DRAM_PRE][DRAM_AT_BANK], end_cycle + data[DRAM_PRE][DRAM_AT_BANK]));
	return end;
}

static __attribute__((noinline)) uint64_t issue_any_column(struct dram_banks *b, enum dram_command c, uint32_t bank,
							    uint32_t row, uint64_t cycle)
{
	return issue_column(b, c, bank, row, cycle, b->has_gates);
}

uint64_t dram_banks_column(struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle)
{
	if (c == DRAM_RD && !b->has_gates)
		return issue_column(b, DRAM_RD, bank, row, cycle, false);
	return issue_any_column(b, c, bank, row, cycle);
}

/* What a bank's or a gate's commands wait after a rare one. */
static inline void raise_gate(uint64_t *gate, const int32_t (*delay)[DRAM_DISTANCE_COUNT], enum dram_distance d,
			      int64_t at)
{
	for (uint32_t to = 0; to < DRAM_GATE_COMMANDS; to++)
		raise(&gate[to], at + delay[to][d]);
}

static void issue_rare(struct dram_banks *b, enum dram_command c, uint32_t bank, uint64_t cycle)
{
	const uint64_t reach = dram_reach(b->t, c, bank);
	const int32_t(*delay)[DRAM_DISTANCE_COUNT] = b->t->command_delay[c];
	const uint32_t rank = b->bank[bank].rank;
	int64_t at = (int64_t)cycle, window = 0;

	CHECK(!(b->open_banks & reach) || c == DRAM_PREA || c == DRAM_PDE || c == DRAM_PDX);
	begin_command(b, &b->bank[bank], c, 1, cycle);
	if (b->t->faw_set & BIT(c))
		window = (int64_t)enter_faw(b, rank, cycle);
	raise(&b->rank_gate[rank][DRAM_ACT], window);
	for (uint32_t i = 0; i < b->t->rank_count; i++)
		raise_gate(b->rank_gate[i], delay, i == rank ? DRAM_AT_RANK : DRAM_AT_OTHER_RANK, at);
	remember(b, rank, c, at, LONG_AGO);
	for (uint64_t left = reach; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);

		raise_gate(b->bank[i].cycle, delay, DRAM_AT_BANK, at);
		if (c == DRAM_PREA)
			close_bank(b, i);
	}
	if (c == DRAM_PDE || c == DRAM_SRE) {
		b->rank[rank].state = c == DRAM_PDE ? DRAM_POWERED_DOWN : DRAM_SELF_REFRESHING;
		b->asleep_count++;
	} else if (c == DRAM_PDX || c == DRAM_SRX) {
		b->rank[rank].state = DRAM_AWAKE;
		b->asleep_count--;
	}
}

uint64_t dram_banks_issue(struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle)
{
	if (is_column(c))
		return dram_banks_column(b, c, bank, row, cycle);
	if (c == DRAM_ACT)
		dram_banks_activate(b, bank, row, cycle);
	else if (c == DRAM_PRE)
		dram_banks_precharge(b, bank, cycle);
	else
		issue_rare(b, c, bank, cycle);
	return 0;
}
