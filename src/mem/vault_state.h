/* vault_state.h - what the files of the vault share: vault.c (queue, answers), vault_schedule.c (which command next for
 * the requests), vault_refresh.c (refresh, power states). */
#ifndef STRATA_MEM_VAULT_STATE_H
#define STRATA_MEM_VAULT_STATE_H

#include "base/bits.h"
#include "base/check.h"
#include "base/list.h"
#include "mem/audit.h"
#include "mem/vault.h"

enum { SLOT_MAX = 64, NO_SLOT = 0xff, READY_RING = 64 };
#define ALL_BANKS (~0ull)

enum direction { READING, WRITING, DIRECTION_COUNT };

struct slot {
	struct mem_req *req;
	uint64_t sequence, arrival_cycle;
	uint32_t row;
	uint16_t columns_left;
	uint8_t bank, next;
};

/* A note on the request in a slot: its direction, whether a column of it was served, what had to go before. */
enum slot_note { SLOT_WRITES = WRITING, SLOT_HAS_STARTED = 2, SLOT_NEEDED_ACT = 4, SLOT_NEEDED_PRE = 8 };

struct list {
	uint8_t first, last, hit; /* hit: the oldest slot that wants the open row */
};

/* What each bank would like to do next. */
struct proposals {
	uint8_t command[DRAM_BANK_MAX];      /* enum dram_command: ACT, PRE, RD or WR */
	uint8_t slot[DRAM_BANK_MAX];	     /* or NO_SLOT: a closed-page precharge */
	uint64_t order[DRAM_BANK_MAX]; /* the smallest goes first: rank of the command, age of the request, bank */
};

struct req_fifo {
	BASE_FIFO(struct mem_req);
};

/* Refresh and power of a rank. */
struct vault_rank {
	uint64_t banks;		  /* its bits */
	uint64_t due_cycle;	  /* of the next refresh, or SIM_NEVER; in self-refresh: how long after it */
	uint32_t due_rest;	  /* it is due so many parts of unit_count of a cycle later */
	uint64_t refreshed_cycle; /* of the last REF */
	uint64_t busy_cycle;	  /* of the last command for a request */
	uint64_t counted_cycle;	  /* the time of its state is counted till then */
	int32_t owed;		  /* refreshes that are due and not issued; below 0: issued ahead */
	uint32_t unit;		  /* which bank, or which of every group, is refreshed next */
	bool owes_exit_refresh;	  /* one more, after self-refresh */
};

/* When the proposals are legal: see vault_ring.h. */
struct vault_ring {
	/* Bit per bank: its proposal is ready at till_cycle; it is ready later than the ring reaches. All others with
	 * a proposal are in the ring. */
	uint64_t ready, later;
	/* Those of the READY_RING cycles after till_cycle in which some of a kind may become ready, by cycle %
	 * READY_RING; and a cycle before which none that is later does. */
	uint64_t row_slots, till_cycle, column_slots; /* not beside each other: see ring_look */
	uint64_t later_cycle;
	uint64_t in[READY_RING];	     /* by cycle: bit per bank, becomes ready then */
	uint64_t ready_cycle[DRAM_BANK_MAX]; /* as it was proposed, and of those that are later as it is now */
};

/* Proposals by bank, in lanes of vectors: see vault_lanes.h. */
struct vault_lanes {
	int16_t cycle[DRAM_BANK_MAX] __attribute__((aligned(HOST_LINE_BYTES))); /* by bank, from base_cycle on */
	uint64_t base_cycle;
	uint32_t words, rank_words; /* that hold banks; a rank */
};

enum vault_time { TIME_OPEN, TIME_PRECHARGED, TIME_POWER_DOWN, TIME_SELF_REFRESH, TIME_COUNT };

/* What every tick looks at comes first. */
struct mem_vault {
	struct sim_engine *engine;
	struct sim_comp comp;
	bool is_fifo, is_dual_bus, closes_pages, prepares, guards_all;
	uint8_t owes_room; /* to requests of these directions, a bit each */
	bool is_watched; /* commands go to an auditor or a log */
	bool holds_precharges; /* a PRE delays others of its rank */
	uint64_t next_cycle;	/* the first at which a command may be legal */
	uint64_t service_cycle; /* the first at which refresh or power may have something to do */
	struct req_fifo done[DIRECTION_COUNT]; /* by ready_units, ascending */

	uint64_t done_units; /* of the first of them; SIM_NEVER for none */
	uint32_t queue_count, count[DIRECTION_COUNT], entries[DIRECTION_COUNT]; /* at most */
	/* Bit per bank: its list is not empty; it was opened for a request of that direction and none has been served
	 * since; there is a proposal for it; the proposal is to be made again; requests must leave it alone, for it is
	 * to be refreshed or its rank sleeps. */
	uint64_t pending[DIRECTION_COUNT], opened[DIRECTION_COUNT], proposed, dirty, blocked;
	/* Bit per bank: what has last been proposed for it is this command; that goes before other ranks of commands;
	 * two command buses: if it is a column, it is the last of its request. */
	uint64_t proposed_as[DRAM_GATE_COMMANDS], first, last_columns;
	uint64_t group_banks;	       /* of the first group of the first rank */
	uint32_t rank_log2, rank_count; /* banks of a rank; ranks */
	uint64_t awaited; /* bit per bank: a refresh that is owed waits till no request wants it */
	enum direction direction;
	bool is_turning; /* it only serves the rows that are open for it, then turns */
	bool auto_precharges;
	bool watches_idle; /* what refresh and power do depends on what requests wait */
	/* The drain: writes that it may serve, where it may end before, and what it serves in any case. */
	uint32_t drain_left, drain_low, write_high, write_low;
	uint64_t drain_before_cycle;
	uint32_t reads_left;	     /* to be served before writes may turn the bus again */
	uint64_t oldest_write_cycle; /* no waiting write arrived before it */
	uint64_t starvation_cap;
	/* A guard over all banks: the bank for which the guarded request's column is proposed, as a bit; when to look
	 * which one is guarded, SIM_NEVER without such a guard; its slot, or NO_SLOT. */
	uint64_t overdue, guard_cycle;
	uint8_t guarded;

	uint64_t free_slots;
	uint8_t notes[SLOT_MAX]; /* enum slot_note, a bit each */
	uint64_t next_sequence, units_per_ps;
	struct vault_stats *stats; /* of all vaults of the stack */

	struct proposals proposals;
	union {
		struct vault_ring ring;	  /* one command bus */
		struct vault_lanes lanes; /* two */
	};
	struct list lists[DIRECTION_COUNT][DRAM_BANK_MAX];
	struct dram_banks banks;
	struct slot slots[SLOT_MAX];
	uint8_t order[SLOT_MAX]; /* FIFO: slots that have not entered their bank, a ring */
	uint32_t order_first, order_count;
	uint64_t row_sequence[DRAM_BANK_MAX]; /* what came before has a lower sequence: before the row was opened */
	uint32_t queue_entries;

	struct vault_rank ranks[DRAM_RANK_MAX];
	uint64_t all_banks;
	uint64_t interval_cycles; /* from refresh to refresh of a rank, rounded down, */
	uint32_t unit_count;	  /* and how many of them cover it; */
	uint32_t interval_rest;	  /* the interval's rest, in parts of unit_count */
	uint64_t early_cycles;	  /* before a refresh must not be owed any longer: requests then leave its banks */
	int32_t postpone_count, pull_in_count;
	/* How long a rank waits for requests before it refreshes ahead, powers down ...; SIM_NEVER: it never does. */
	uint64_t pull_in_idle_cycles, power_down_idle_cycles, self_refresh_idle_cycles;
	bool never_sleeps_deeper; /* no rank ever powers down or refreshes itself */
	uint32_t rfm_threshold;
	uint64_t rfm_banks;		      /* bit per bank: RFM is due */
	uint32_t activations[DRAM_BANK_MAX]; /* rolling count, of RFM */
	uint64_t settled_cycle, cycles_in[TIME_COUNT]; /* since then, of all ranks */
	struct mem_vault *partner; /* which shares the command bus; or NULL */
	struct mem_vault_config config;
};

/* What a vault's tick need not ask about: vault_tick_of has the ticks without it. */
struct form {
	bool is_fifo, has_gates; /* gates: more than one rank, or more than one group */
	bool is_dual_bus;
};

/* Where it does not matter what it takes to ask. */
static inline struct form form_of(const struct mem_vault *v)
{
	return (struct form){.is_fifo = v->is_fifo, .has_gates = true, .is_dual_bus = v->is_dual_bus};
}

static inline enum direction direction_of(const struct mem_vault *v, uint8_t s)
{
	return (enum direction)(v->notes[s] & SLOT_WRITES);
}

static inline bool vault_has_room(const struct mem_vault *v, enum direction d)
{
	return v->free_slots && v->count[d] < v->entries[d];
}

/* Has neither requests nor rows that it is about to close. */
static inline bool vault_sleeps(const struct mem_vault *v)
{
	return v->queue_count == 0 && !v->proposed && !(v->closes_pages && v->banks.open_banks);
}

/* It ticks for these. A vault that has been reset may have such rows and does not, until a request comes. */
static inline bool vault_works(const struct mem_vault *v)
{
	return !vault_sleeps(v) && v->next_cycle != SIM_NEVER;
}

static inline uint32_t first_bit(uint64_t bits)
{
	return (uint32_t)__builtin_ctzll(bits);
}

/* ---- vault.c ---- */

/* FIFO: the oldest waiting requests enter their banks as long as these are free. */
void vault_enter_in_order(struct mem_vault *v);
/* r is done at ready_units. */
void vault_push_done(struct mem_vault *v, struct mem_req *r, enum direction d, uint64_t ready_units);
/* Answers what is done by now. */
void vault_answer(struct mem_vault *v, uint64_t now);
/* What falls due from now on is caught up with later, unless its partner works. Returns the next cycle to look at. */
uint64_t vault_fall_asleep(struct mem_vault *v, uint64_t cycle);

/* Tells the auditor and the log of a command. */
void vault_watch(struct mem_vault *v, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle);

/* ---- vault_schedule.c ---- */

/* The tick of a vault of this form: answers what is done, and issues the best command that is legal at the cycle. */
sim_tick_fn vault_tick_of(const struct mem_vault *v);
/* The banks' rows are closed: nothing hits in them. */
void vault_rows_closed(struct mem_vault *v, uint64_t banks);
/* A command of refresh or power has been issued: what its banks propose is to be made again, and what others of the
 * rank propose is put off. */
void vault_commanded(struct mem_vault *v, enum dram_command c, uint32_t bank);

/* ---- vault_refresh.c ---- */

void vault_refresh_init(struct mem_vault *v);
/* Ends the time of the state in which the rank is. */
void vault_count_time(struct mem_vault *v, struct vault_rank *k, uint64_t cycle);
/* Issues what refresh or power want at cycle, one command at most; true if it did. Sets service_cycle and blocked. */
bool vault_service(struct mem_vault *v, uint64_t cycle);
/* Issues what fell due before the cycle now while the vault slept, and its partner, if that sleeps as well. */
void vault_catch_up(struct mem_vault *v, uint64_t now);
/* Ends the time of all ranks' states now. */
void vault_count_times(struct mem_vault *v, uint64_t now);

/* ---- commands: issued, seen by who watches, counted; and the time of the rank's state, if that ends with them ---- */

static inline void vault_note(struct mem_vault *v, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle,
			      bool is_end)
{
	if (is_end)
		vault_count_time(v, &v->ranks[v->banks.bank[bank].rank], cycle);
	if (unlikely(v->is_watched))
		vault_watch(v, c, bank, row, cycle);
}

/* The open banks of this bank's rank. */
static inline uint64_t vault_open_of_rank(const struct mem_vault *v, uint32_t bank)
{
	return v->banks.open_banks & v->ranks[v->banks.bank[bank].rank].banks;
}

static inline void vault_activate(struct mem_vault *v, uint32_t bank, uint32_t row, uint64_t cycle)
{
	v->stats->activates++;
	vault_note(v, DRAM_ACT, bank, row, cycle, !vault_open_of_rank(v, bank));
	dram_banks_activate(&v->banks, bank, row, cycle);
}

static inline void vault_precharge(struct mem_vault *v, uint32_t bank, uint64_t cycle)
{
	v->stats->precharges++;
	vault_note(v, DRAM_PRE, bank, 0, cycle, vault_open_of_rank(v, bank) == 1ull << bank);
	dram_banks_precharge(&v->banks, bank, cycle);
}

/* RD, WR, RDA or WRA. What dram_banks_column returns. */
static inline uint64_t vault_column(struct mem_vault *v, enum dram_command c, uint32_t bank, uint32_t row,
				    uint64_t cycle)
{
	const bool closes = c >= DRAM_RDA;

	v->stats->precharges += closes;
	vault_note(v, c, bank, row, cycle, closes && vault_open_of_rank(v, bank) == 1ull << bank);
	return dram_banks_column(&v->banks, c, bank, row, cycle);
}

/* A command of refresh or power. */
static inline void vault_rare(struct mem_vault *v, enum dram_command c, uint32_t bank, uint64_t cycle)
{
	if (c == DRAM_PREA)
		v->stats->precharges += (uint64_t)__builtin_popcountll(vault_open_of_rank(v, bank));
	vault_note(v, c, bank, 0, cycle, c >= DRAM_PDE || c == DRAM_PREA);
	dram_banks_issue(&v->banks, c, bank, 0, cycle);
}

#endif
