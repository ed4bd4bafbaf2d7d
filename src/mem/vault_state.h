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

struct list {
	uint8_t first, last, hit; /* hit: the oldest slot that wants the open row */
};

/* What each bank would like to do next. */
struct proposals {
	uint8_t command[DRAM_BANK_MAX];      /* enum dram_command: ACT, PRE, RD or WR */
	uint8_t slot[DRAM_BANK_MAX];	     /* or NO_SLOT: a closed-page precharge */
	uint64_t ready_cycle[DRAM_BANK_MAX]; /* as far as the bank and its group are concerned */
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

enum vault_time { TIME_OPEN, TIME_PRECHARGED, TIME_POWER_DOWN, TIME_SELF_REFRESH, TIME_COUNT };

/* What every tick looks at comes first. */
struct mem_vault {
	struct sim_engine *engine;
	struct sim_comp comp;
	bool is_fifo, closes_pages, prepares, guards_all, owes_room;
	bool is_watched; /* commands go to an auditor or a log */
	uint64_t next_cycle;	/* the first at which a command may be legal */
	uint64_t service_cycle; /* the first at which refresh or power may have something to do */
	struct req_fifo done[DIRECTION_COUNT]; /* by ready_units, ascending */

	uint64_t done_units; /* of the first of them; SIM_NEVER for none */
	uint32_t queue_count, count[DIRECTION_COUNT];
	/* Bit per bank: its list is not empty; it was opened for a request of that direction and none has been served
	 * since; there is a proposal for it; the proposal is to be made again; requests must leave it alone, for it is
	 * to be refreshed or its rank sleeps. */
	uint64_t pending[DIRECTION_COUNT], opened[DIRECTION_COUNT], proposed, dirty, blocked;
	/* Bit per bank: what has last been proposed for it is this command; that goes before other ranks of commands;
	 * its bank and group are ready for it at ready_till_cycle; they are later than the ring reaches. */
	uint64_t proposed_as[DRAM_GATE_COMMANDS], first, ready, ready_later;
	/* Of the READY_RING cycles after ready_till_cycle those in which some may become ready, by cycle % READY_RING;
	 * and the first cycle in which one that is later may. */
	uint64_t ready_till_cycle, ready_slots, ready_later_cycle;
	uint64_t group_banks;	       /* of the first group of the first rank */
	uint32_t rank_log2, rank_count; /* banks of a rank; ranks */
	uint64_t awaited; /* bit per bank: a refresh that is owed waits till no request wants it */
	enum direction direction;
	bool is_turning; /* it only serves the rows that are open for it, then turns */
	bool auto_precharges;
	bool watches_idle; /* what refresh and power do depends on what requests wait */
	/* Of the drain: writes that it may serve, where it may end before, and what it serves in any case. */
	uint32_t drain_left, drain_low, write_high, write_low;
	uint64_t drain_before_cycle;
	uint32_t reads_left;	     /* to be served before writes may turn the bus again */
	uint64_t oldest_write_cycle; /* no waiting write arrived before it */
	uint64_t starvation_cap;
	uint64_t overdue; /* with a guard over all banks: bit per bank, a column that is overdue is proposed */
	uint64_t guard_cycle; /* with a guard over all banks: when the next request may be overdue */

	/* bit per slot */
	uint64_t free_slots, is_write, needed_act, needed_pre, has_started;
	uint64_t next_sequence, units_per_ps;
	struct vault_stats *stats; /* of all vaults of the stack */

	struct proposals proposals;
	uint64_t ready_in[READY_RING]; /* by cycle: bit per bank, becomes ready then */
	struct list lists[DIRECTION_COUNT][DRAM_BANK_MAX];
	struct dram_banks banks;
	struct slot slots[SLOT_MAX];
	uint8_t order[SLOT_MAX]; /* FIFO: slots that have not entered their bank, a ring */
	uint32_t order_first, order_count;
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
	uint32_t rfm_threshold;
	uint64_t rfm_banks;		      /* bit per bank: RFM is due */
	uint32_t activations[DRAM_BANK_MAX]; /* rolling count, of RFM */
	uint64_t settled_cycle, cycles_in[TIME_COUNT]; /* since then, of all ranks */
	struct mem_vault *partner; /* which shares the command bus; or NULL */
	struct mem_vault_config config;
};

static inline enum direction direction_of(const struct mem_vault *v, uint8_t s)
{
	return (enum direction)(v->is_write >> s & 1);
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

/* Answers what is done, and issues the best command that is legal at cycle. */
void vault_tick(void *component, uint64_t cycle);
/* The banks' rows are closed: nothing hits in them. */
void vault_rows_closed(struct mem_vault *v, uint64_t banks);

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

/* Issues a command, counts the time of the rank's state if that ends with it, and the rows opened and closed. What
 * dram_banks_issue returns. */
static inline uint64_t vault_issue(struct mem_vault *v, enum dram_command c, uint32_t bank, uint32_t row,
				   uint64_t cycle)
{
	struct vault_rank *k = &v->ranks[v->banks.bank[bank].rank];
	uint64_t open = v->banks.open_banks & k->banks;
	bool is_end = c >= DRAM_PDE || c == DRAM_PREA;

	if (c == DRAM_ACT) {
		v->stats->activates++;
		is_end = !open;
	} else if (c == DRAM_PRE || c == DRAM_RDA || c == DRAM_WRA) {
		v->stats->precharges++;
		is_end = open == 1ull << bank;
	} else if (c == DRAM_PREA) {
		v->stats->precharges += (uint64_t)__builtin_popcountll(open);
	}
	if (is_end)
		vault_count_time(v, k, cycle);
	if (v->is_watched)
		vault_watch(v, c, bank, row, cycle);
	return dram_banks_issue(&v->banks, c, bank, row, cycle);
}

#endif
