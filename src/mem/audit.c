/* audit.c - the table of constraints, row by row, over the history of commands; and the rules that are no rows. */
#include "mem/audit.h"

#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/units.h"

/* JESD79-3F section 4.12: eight REF may be postponed, eight issued early; nine intervals between two at most. */
enum { REFRESH_OFF_MAX = 8, BUS_HISTORY = 64, RULES_MAX = 256, SERVED_BEGIN = 256 };

struct event {
	enum dram_command command;
	uint32_t bank, row;
	uint64_t cycle;
	uint64_t data_end_units; /* columns */
};

/* When something happened last; LONG_AGO if it never did. */
#define LONG_AGO (INT64_MIN / 2)
struct last {
	int64_t cycle, data_end_units;
};

/* A row of the table for one pair of commands; a window (tFAW) is for all of its first commands. */
struct rule {
	const struct dram_constraint *row;
	enum dram_command from;
	enum dram_scope scope; /* as the row's */
	bool is_window, is_from_data;
	int64_t min; /* cycles, or units from the end of data */
};

/* The times for which commands took one kind of command bus, a ring. */
struct bus {
	uint64_t count, free_cycle;
	struct {
		uint64_t begin_cycle, end_cycle;
	} taken[BUS_HISTORY];
};

struct mem_audit_bus {
	struct bus row, column; /* column commands take it only where there are two */
};

/* The columns that have served a request so far. */
struct served {
	const struct mem_req *request; /* or NULL */
	uint64_t data_end_units;
	uint32_t column_count;
};

struct rank {
	struct last last[DRAM_COMMAND_COUNT];
	uint64_t acts[DRAM_FAW_COUNT]; /* the last of those that tFAW counts, a ring */
	uint64_t act_count;
	enum dram_rank_state state;
	uint64_t asleep_cycle, asleep_ps; /* in self-refresh since, and for how long before */
};

struct mem_audit {
	struct dram_params p;
	struct dram_constraint rows[DRAM_CONSTRAINT_MAX];
	/* By the second command, whose begin and end here; those up to the middle have seen their first command: the
	 * others can say nothing yet. */
	struct rule rules[RULES_MAX];
	uint32_t rule_begin[DRAM_COMMAND_COUNT + 1], rule_middle[DRAM_COMMAND_COUNT];
	bool has_group_rules;
	uint32_t seen; /* the commands that there have been, a bit each */
	uint32_t bank_count, of_rank; /* banks of the vault, of a rank */
	uint8_t rank_of[DRAM_BANK_MAX], group_of[DRAM_BANK_MAX]; /* groups: through the ranks */
	uint64_t ck_units, burst_units, answer_units, units_per_ps;
	uint32_t column_bytes;
	uint64_t refi_ps;
	void (*violation)(void *ctx, const char *text);
	void *ctx;
	struct mem_audit_bus own_bus, *bus;
	uint64_t data_free_units; /* data bus */
	bool is_open[DRAM_BANK_MAX];
	uint32_t row[DRAM_BANK_MAX];
	struct last bank_last[DRAM_BANK_MAX][DRAM_COMMAND_COUNT];
	struct last group_last[DRAM_BANK_MAX][DRAM_COMMAND_COUNT]; /* by rank, group */
	struct rank rank[DRAM_RANK_MAX];
	uint64_t refresh_count[DRAM_BANK_MAX], refresh_cycle[DRAM_BANK_MAX];
	uint64_t deadline_cycle; /* of the first refresh that must be there before */
	struct event column;  /* the last */
	struct served *served; /* requests being served: a hash table with empty places, a power of two long */
	uint32_t served_count, served_len;
};

/* ---- the history in parts ---- */

/* Does a command to `bank` touch the other? */
static bool touches(const struct mem_audit *a, enum dram_command c, uint32_t bank, uint32_t other)
{
	uint32_t groups = (uint32_t)a->p.group_count;

	if (c == DRAM_PREA || c == DRAM_REF || c >= DRAM_PDE)
		return a->rank_of[bank] == a->rank_of[other];
	if (c == DRAM_RFM && a->p.refresh_mode == DRAM_REFRESH_ALL_BANK)
		return a->rank_of[bank] == a->rank_of[other];
	if ((c == DRAM_REFB || c == DRAM_RFM) && a->p.refresh_mode != DRAM_REFRESH_PER_BANK)
		return bank / groups == other / groups;
	return bank == other;
}

static bool is_column(enum dram_command c)
{
	return (1u << c) & (1u << DRAM_RD | 1u << DRAM_WR | 1u << DRAM_RDA | 1u << DRAM_WRA);
}

static bool is_one_bank(const struct mem_audit *a, enum dram_command c)
{
	return c == DRAM_ACT || c == DRAM_PRE || is_column(c) ||
	       ((c == DRAM_REFB || c == DRAM_RFM) && a->p.refresh_mode == DRAM_REFRESH_PER_BANK);
}

static bool is_write(enum dram_command c)
{
	return c == DRAM_WR || c == DRAM_WRA;
}

__attribute__((format(printf, 3, 4))) static void report(struct mem_audit *a, const struct event *e, const char *fmt,
							  ...)
{
	char text[256], rule[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rule, sizeof(rule), fmt, ap);
	va_end(ap);
	snprintf(text, sizeof(text), "DRAM cycle %llu, %s bank %u row %u: %s", (unsigned long long)e->cycle,
		 dram_command_name(e->command), e->bank, e->row, rule);
	a->violation(a->ctx, text);
}

/* ---- the table ---- */

/* "At least row->cycles from f to e." */
static __attribute__((noinline)) void report_gap(struct mem_audit *a, const struct event *e, const struct rule *r,
						  int64_t missing)
{
	if (r->is_from_data)
		report(a, e, "%s: %lld units too early after the data of %s", r->row->name, (long long)missing,
		       dram_command_name(r->from));
	else
		report(a, e, "%s: %lld cycles after %s, needs %lld", r->row->name, (long long)(r->min - missing),
		       dram_command_name(r->from), (long long)r->min);
}

static inline void check_gap(struct mem_audit *a, const struct event *e, const struct rule *r, const struct last *f)
{
	int64_t missing = r->is_from_data ? f->data_end_units + r->min - (int64_t)(e->cycle * a->ck_units)
					  : f->cycle + r->min - (int64_t)e->cycle;

	if (unlikely(missing > 0))
		report_gap(a, e, r, missing);
}

static void check_window(struct mem_audit *a, const struct event *e, const struct rule *r)
{
	const struct rank *k = &a->rank[a->rank_of[e->bank]];
	uint32_t nth = r->row->nth;

	if (k->act_count >= nth &&
	    e->cycle < k->acts[(k->act_count - nth) % DRAM_FAW_COUNT] + (uint64_t)r->row->cycles)
		report(a, e, "%s: one more than %u within %d cycles", r->row->name, nth, r->row->cycles);
}

static void check_rule(struct mem_audit *a, const struct event *e, const struct rule *r)
{
	uint32_t rank = a->rank_of[e->bank];

	if (r->is_window) {
		check_window(a, e, r);
		return;
	}
	switch (r->scope) {
	case DRAM_SCOPE_BANK:
		if (is_one_bank(a, e->command)) {
			check_gap(a, e, r, &a->bank_last[e->bank][r->from]);
			return;
		}
		for (uint32_t i = 0; i < a->bank_count; i++) {
			if (touches(a, e->command, e->bank, i))
				check_gap(a, e, r, &a->bank_last[i][r->from]);
		}
		return;
	case DRAM_SCOPE_GROUP:
		if (is_one_bank(a, e->command)) {
			check_gap(a, e, r, &a->group_last[a->group_of[e->bank]][r->from]);
			return;
		}
		for (uint32_t i = 0; i < a->p.group_count; i++)
			check_gap(a, e, r, &a->group_last[rank * a->p.group_count + i][r->from]);
		return;
	case DRAM_SCOPE_RANK:
		check_gap(a, e, r, &a->rank[rank].last[r->from]);
		return;
	case DRAM_SCOPE_CHANNEL:
		for (uint32_t i = 0; i < a->p.rank_count; i++) {
			if (r->row->relation == DRAM_SAME || i != rank)
				check_gap(a, e, r, &a->rank[i].last[r->from]);
		}
		return;
	}
}

/* ---- rules that are no rows ---- */

static void check_state(struct mem_audit *a, const struct event *e)
{
	static const enum dram_rank_state needed[DRAM_COMMAND_COUNT] = {[DRAM_PDX] = DRAM_POWERED_DOWN,
									 [DRAM_SRX] = DRAM_SELF_REFRESHING};
	static const char *const names[] = {"awake", "powered down", "in self-refresh"};
	enum dram_rank_state state = a->rank[a->rank_of[e->bank]].state;
	enum dram_command c = e->command;

	if (state != needed[c])
		report(a, e, "the rank is %s", names[state]);
	if (is_column(c)) {
		if (!a->is_open[e->bank])
			report(a, e, "bank is closed");
		else if (a->row[e->bank] != e->row)
			report(a, e, "row %u is open", a->row[e->bank]);
	} else if (c == DRAM_ACT) {
		if (a->is_open[e->bank])
			report(a, e, "bank is open");
	} else if (c == DRAM_PRE) {
		if (!a->is_open[e->bank])
			report(a, e, "bank is closed");
	} else if (c == DRAM_REF || c == DRAM_REFB || c == DRAM_RFM || c == DRAM_SRE) {
		for (uint32_t i = 0; i < a->bank_count; i++) {
			if (a->is_open[i] && touches(a, c, e->bank, i))
				report(a, e, "bank is open");
		}
	}
}

/* Two that share the bus may tell of their commands out of order: a vault catches up with what fell due. */
static void check_command_bus(struct mem_audit *a, const struct event *e)
{
	bool is_act = e->command == DRAM_ACT;
	struct bus *b = a->p.dual_command_bus && is_column(e->command) ? &a->bus->column : &a->bus->row;
	uint64_t cycles = is_act ? a->p.command_act_cycles : is_column(e->command) ? a->p.command_column_cycles : 1;
	uint64_t end_cycle = e->cycle + cycles;

	for (uint64_t back = 1; e->cycle < b->free_cycle && back <= BUS_HISTORY && back <= b->count; back++) {
		uint64_t i = (b->count - back) % BUS_HISTORY;

		if (e->cycle < b->taken[i].end_cycle && b->taken[i].begin_cycle < end_cycle)
			report(a, e, "command bus: taken from cycle %llu on",
			       (unsigned long long)b->taken[i].begin_cycle);
	}
	b->taken[b->count % BUS_HISTORY].begin_cycle = e->cycle;
	b->taken[b->count % BUS_HISTORY].end_cycle = end_cycle;
	b->count++;
	if (b->free_cycle < end_cycle)
		b->free_cycle = end_cycle;
}

static void check_data_bus(struct mem_audit *a, struct event *e)
{
	uint64_t latency = is_write(e->command) ? a->p.t_cwl : a->p.t_cl;
	uint64_t nominal = (e->cycle + latency) * a->ck_units;

	if (nominal + a->ck_units <= a->data_free_units)
		report(a, e, "data bus: busy for one tCK or more after the data's time");
	e->data_end_units = (nominal > a->data_free_units ? nominal : a->data_free_units) + a->burst_units;
	a->data_free_units = e->data_end_units;
}

/* ---- refresh ---- */

static uint64_t ps_of_cycle(const struct mem_audit *a, uint64_t cycle)
{
	/* Not over 64 bits: units count as long. */
	return cycle * a->ck_units / a->units_per_ps;
}

/* What a bank has waited for refreshes up to a cycle: the time in self-refresh does not count. */
static uint64_t waited_ps(const struct mem_audit *a, uint32_t bank, uint64_t cycle)
{
	return ps_of_cycle(a, cycle) - a->rank[a->rank_of[bank]].asleep_ps;
}

static bool is_asleep(const struct mem_audit *a, uint32_t bank)
{
	return a->rank[a->rank_of[bank]].state == DRAM_SELF_REFRESHING;
}

/* The first cycle at which some bank would be nine refreshes behind, or more than nine intervals after its last. */
static void set_deadline(struct mem_audit *a)
{
	const uint64_t most_ps = (REFRESH_OFF_MAX + 1) * a->refi_ps;
	uint64_t first_ps = UINT64_MAX;

	for (uint32_t i = 0; i < a->bank_count; i++) {
		uint64_t at_ps = a->refresh_count[i] * a->refi_ps + most_ps + a->rank[a->rank_of[i]].asleep_ps;

		if (is_asleep(a, i))
			continue;
		if (a->refresh_count[i])
			at_ps = base_min_u64(at_ps, ps_of_cycle(a, a->refresh_cycle[i]) + most_ps + 1);
		first_ps = base_min_u64(first_ps, at_ps);
	}
	a->deadline_cycle = UINT64_MAX;
	if (first_ps != UINT64_MAX)
		a->deadline_cycle = (first_ps * a->units_per_ps + a->ck_units - 1) / a->ck_units;
}

static void report_obligation(struct mem_audit *a, const struct event *e)
{
	uint64_t now_ps = ps_of_cycle(a, e->cycle);

	for (uint32_t i = 0; i < a->bank_count; i++) {
		uint64_t due = is_asleep(a, i) ? 0 : waited_ps(a, i, e->cycle) / a->refi_ps;

		if (due > a->refresh_count[i] + REFRESH_OFF_MAX) {
			report(a, e, "refresh: %llu REF due, %llu issued", (unsigned long long)due,
			       (unsigned long long)a->refresh_count[i]);
			return;
		}
		if (a->refresh_count[i] && !is_asleep(a, i) &&
		    now_ps - ps_of_cycle(a, a->refresh_cycle[i]) > (REFRESH_OFF_MAX + 1) * a->refi_ps) {
			report(a, e, "refresh: more than %d tREFI after the REF of bank %u", REFRESH_OFF_MAX + 1, i);
			return;
		}
	}
}

static inline void check_obligation(struct mem_audit *a, const struct event *e)
{
	if (e->cycle >= a->deadline_cycle)
		report_obligation(a, e);
}

static void count_refresh(struct mem_audit *a, const struct event *e)
{
	bool is_early = false;

	if (!a->p.refresh)
		return;
	for (uint32_t i = 0; i < a->bank_count; i++) {
		if (!touches(a, e->command, e->bank, i))
			continue;
		a->refresh_count[i]++;
		a->refresh_cycle[i] = e->cycle;
		is_early |= a->refresh_count[i] > waited_ps(a, i, e->cycle) / a->refi_ps + REFRESH_OFF_MAX;
	}
	if (is_early)
		report(a, e, "refresh: more than %d REF pulled in", REFRESH_OFF_MAX);
	set_deadline(a);
}

/* ---- what a command changes ---- */

static void remember(const struct event *e, struct last *last)
{
	last->cycle = (int64_t)e->cycle;
	last->data_end_units = (int64_t)e->data_end_units;
}

static void change_rank(struct mem_audit *a, const struct event *e)
{
	uint32_t rank = a->rank_of[e->bank];
	struct rank *k = &a->rank[rank];

	if (e->command == DRAM_PDE) {
		k->state = DRAM_POWERED_DOWN;
	} else if (e->command == DRAM_SRE) {
		k->state = DRAM_SELF_REFRESHING;
		k->asleep_cycle = e->cycle;
	} else if (e->command == DRAM_PDX) {
		k->state = DRAM_AWAKE;
	} else if (e->command == DRAM_SRX) {
		if (k->state == DRAM_SELF_REFRESHING)
			k->asleep_ps += ps_of_cycle(a, e->cycle) - ps_of_cycle(a, k->asleep_cycle);
		k->state = DRAM_AWAKE;
		for (uint32_t i = rank * a->of_rank; i < (rank + 1) * a->of_rank; i++)
			a->refresh_cycle[i] = e->cycle;
	}
	if (a->p.refresh && (e->command == DRAM_SRE || e->command == DRAM_SRX))
		set_deadline(a);
}

static void apply(struct mem_audit *a, const struct event *e)
{
	enum dram_command c = e->command;
	uint32_t rank = a->rank_of[e->bank];
	bool opens = c == DRAM_ACT, closes = c == DRAM_PRE || c == DRAM_PREA || c == DRAM_RDA || c == DRAM_WRA;

	remember(e, &a->rank[rank].last[c]);
	if (is_one_bank(a, c)) {
		remember(e, &a->bank_last[e->bank][c]);
		if (a->has_group_rules)
			remember(e, &a->group_last[a->group_of[e->bank]][c]);
		a->is_open[e->bank] = opens || (a->is_open[e->bank] && !closes);
		if (opens)
			a->row[e->bank] = e->row;
	} else {
		for (uint32_t i = 0; i < a->bank_count; i++) {
			if (!touches(a, c, e->bank, i))
				continue;
			remember(e, &a->bank_last[i][c]);
			remember(e, &a->group_last[a->group_of[i]][c]);
			a->is_open[i] = a->is_open[i] && !closes;
		}
	}
	if (c == DRAM_ACT || (c == DRAM_REFB && a->p.refresh_mode == DRAM_REFRESH_PER_BANK)) {
		a->rank[rank].acts[a->rank[rank].act_count % DRAM_FAW_COUNT] = e->cycle;
		a->rank[rank].act_count++;
	}
	if (c == DRAM_REF || c == DRAM_REFB)
		count_refresh(a, e);
	if (c >= DRAM_PDE)
		change_rank(a, e);
}

/* ---- an auditor ---- */

static void make_rules(struct mem_audit *a, uint32_t row_count)
{
	uint32_t count = 0;

	for (uint32_t to = 0; to < DRAM_COMMAND_COUNT; to++) {
		a->rule_begin[to] = a->rule_middle[to] = count;
		for (uint32_t i = 0; i < row_count; i++) {
			const struct dram_constraint *row = &a->rows[i];

			if (!(row->to >> to & 1))
				continue;
			for (uint32_t from = row->from; from; from &= from - 1) {
				struct rule *r = &a->rules[count++];

				CHECK(count <= RULES_MAX);
				r->row = row;
				r->from = (enum dram_command)__builtin_ctz(from);
				r->scope = row->scope;
				r->is_window = row->nth > 1;
				r->is_from_data = row->anchor == DRAM_FROM_DATA_END;
				r->min = row->cycles * (r->is_from_data ? (int64_t)a->ck_units : 1);
				a->has_group_rules |= row->scope == DRAM_SCOPE_GROUP;
				if (r->is_window)
					break;
			}
		}
	}
	a->rule_begin[DRAM_COMMAND_COUNT] = count;
}

struct mem_audit *mem_audit_new(const struct dram_params *p, uint64_t units_per_ps,
				void (*violation)(void *ctx, const char *text), void *ctx)
{
	struct mem_audit *a = g_new0(struct mem_audit, 1);
	struct sim_period ck = dram_clock_period(p);

	a->p = *p;
	a->units_per_ps = units_per_ps;
	a->ck_units = ck.num_ps * (units_per_ps / ck.den);
	a->burst_units = dram_burst_units(p, units_per_ps);
	a->refi_ps = (uint64_t)(p->t_refi_ns * BASE_PS_PER_NS);
	a->answer_units = (p->tsv_latency_ps + p->controller_latency_ps) * units_per_ps;
	a->column_bytes = (uint32_t)dram_column_bytes(p);
	a->served_len = SERVED_BEGIN;
	a->served = g_new0(struct served, a->served_len);
	a->violation = violation;
	a->ctx = ctx;
	a->bus = &a->own_bus;
	a->bank_count = dram_vault_bank_count(p);
	a->of_rank = (uint32_t)p->bank_count;
	for (uint32_t i = 0; i < a->bank_count; i++) {
		uint32_t groups = (uint32_t)p->group_count;

		for (uint32_t c = 0; c < DRAM_COMMAND_COUNT; c++)
			a->bank_last[i][c] = a->group_last[i][c] = (struct last){LONG_AGO, LONG_AGO};
		a->rank_of[i] = (uint8_t)(i / a->of_rank);
		a->group_of[i] = (uint8_t)(i / a->of_rank * groups + i % a->of_rank % groups);
	}
	for (uint32_t i = 0; i < DRAM_RANK_MAX; i++)
		for (uint32_t c = 0; c < DRAM_COMMAND_COUNT; c++)
			a->rank[i].last[c] = (struct last){LONG_AGO, LONG_AGO};
	make_rules(a, dram_constraints(p, a->rows));
	a->deadline_cycle = UINT64_MAX;
	if (p->refresh)
		set_deadline(a);
	return a;
}

void mem_audit_free(struct mem_audit *a)
{
	if (a)
		g_free(a->served);
	g_free(a);
}

void mem_audit_share_bus(struct mem_audit *a, struct mem_audit *with)
{
	a->bus = with->bus;
}

/* ---- what it is told ---- */

/* The first of its kind: its rules can say something from now on. */
static void first_seen(struct mem_audit *a, enum dram_command c)
{
	a->seen |= 1u << c;
	for (uint32_t to = 0; to < DRAM_COMMAND_COUNT; to++) {
		for (uint32_t i = a->rule_middle[to]; i < a->rule_begin[to + 1]; i++) {
			struct rule r = a->rules[i];

			if (!(r.row->nth > 1 ? r.row->from >> c & 1 : r.from == c))
				continue;
			a->rules[i] = a->rules[a->rule_middle[to]];
			a->rules[a->rule_middle[to]++] = r;
		}
	}
}

void mem_audit_command(struct mem_audit *a, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle)
{
	struct event e = {.command = c, .bank = bank, .row = row, .cycle = cycle};

	CHECK(bank < a->bank_count);
	check_command_bus(a, &e);
	check_obligation(a, &e);
	check_state(a, &e);
	if (is_column(c)) {
		check_data_bus(a, &e);
		a->column = e;
	}
	for (uint32_t i = a->rule_begin[c]; i < a->rule_middle[c]; i++)
		check_rule(a, &e, &a->rules[i]);
	if (unlikely(!(a->seen >> c & 1)))
		first_seen(a, c);
	apply(a, &e);
}

void mem_audit_until(struct mem_audit *a, uint64_t cycle)
{
	const struct event e = {.command = DRAM_REF, .cycle = cycle};

	check_obligation(a, &e);
}

/* ---- answers ---- */

static uint32_t place_of(const struct mem_audit *a, const struct mem_req *r)
{
	return (uint32_t)((uintptr_t)r / sizeof(*r) * 0x9e3779b97f4a7c15u >> 32) & (a->served_len - 1);
}

/* Where the request is, or the place for it. */
static struct served *find(struct mem_audit *a, const struct mem_req *r)
{
	uint32_t i = place_of(a, r);

	while (a->served[i].request && a->served[i].request != r)
		i = (i + 1) & (a->served_len - 1);
	return &a->served[i];
}

static struct served *add(struct mem_audit *a, const struct mem_req *r)
{
	struct served *s = find(a, r), *old = a->served;
	uint32_t old_len = a->served_len;

	if (s->request)
		return s;
	if (2 * ++a->served_count > a->served_len) {
		a->served_len *= 2;
		a->served = g_new0(struct served, a->served_len);
		for (uint32_t i = 0; i < old_len; i++) {
			if (old[i].request)
				*find(a, old[i].request) = old[i];
		}
		g_free(old);
		s = find(a, r);
	}
	s->request = r;
	return s;
}

/* Takes it out; those behind it move up, so that no search ends before them. */
static void take(struct mem_audit *a, struct served *s)
{
	uint32_t mask = a->served_len - 1, hole = (uint32_t)(s - a->served);

	a->served_count--;
	for (uint32_t i = (hole + 1) & mask; a->served[i].request; i = (i + 1) & mask) {
		if (((i - place_of(a, a->served[i].request)) & mask) < ((i - hole) & mask))
			continue;
		a->served[hole] = a->served[i];
		hole = i;
	}
	memset(&a->served[hole], 0, sizeof(a->served[hole]));
}

void mem_audit_serve(struct mem_audit *a, const struct mem_req *r)
{
	const struct event *e = &a->column;
	struct served *s = add(a, r);

	if (e->bank != r->bank || e->row != r->row || is_write(e->command) != (r->op == MEM_WRITE))
		report(a, e, "serves a %s of bank %u row %u", r->op == MEM_WRITE ? "write" : "read", r->bank, r->row);
	s->column_count++;
	s->data_end_units = e->data_end_units;
}

void mem_audit_answer(struct mem_audit *a, const struct mem_req *r, uint64_t now_units)
{
	const struct event e = {.command = r->op == MEM_WRITE ? DRAM_WR : DRAM_RD,
				.bank = r->bank,
				.row = r->row,
				.cycle = now_units / a->ck_units};
	uint32_t bytes = r->column % a->column_bytes + r->size_bytes;
	uint32_t columns = bytes > a->column_bytes ? (bytes + a->column_bytes - 1) / a->column_bytes : 1;
	struct served *s = find(a, r);
	uint64_t due_units = s->data_end_units + a->answer_units;

	if (!s->request) {
		report(a, &e, "answer: no column access has served it");
		return;
	}
	if (s->column_count != columns)
		report(a, &e, "answer: after %u column accesses of %u", s->column_count, columns);
	if (r->ready_units != due_units)
		report(a, &e, "answer: ready %lld units after it should be",
		       (long long)(r->ready_units - due_units));
	if (now_units < due_units || now_units >= due_units + a->ck_units)
		report(a, &e, "answer: given %lld units after it should be", (long long)(now_units - due_units));
	take(a, s);
}

void mem_audit_forget(struct mem_audit *a)
{
	memset(a->served, 0, a->served_len * sizeof(*a->served));
	a->served_count = 0;
}
