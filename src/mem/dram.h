/* dram.h - DRAM parameters, the table of timing constraints that they make, and the state of a vault's banks.
 *
 * A standard is a table of rows "from command A at least n clocks to command B, within the same bank (bank group, rank,
 * channel)". dram_constraints makes the table from the parameters; the bank model below and the auditor (mem/audit.h)
 * each evaluate it in their own way. HMC vaults, DDR, GDDR, LPDDR and HBM channels differ by their parameters only.
 *
 * The bank model knows when a command may be issued (dram_banks_earliest) and what issuing it changes
 * (dram_banks_issue). It decides nothing; the vault's scheduler does. The banks of a vault are numbered through its
 * ranks: rank * bank_count + bank, and a bank's group is bank % group_count. They share the data bus (or TSVs) and a
 * command bus, which two pseudo channels may share again.
 *
 * The data bus is timed in engine units, not in tCK: a column access of burst_beats * data_bits occupies the TSVs for
 * exactly burst_beats / data_rate (6.4 ns for 64 TSVs at 1.25 Gb/s and 8 beats), although that is no multiple of tCK.
 * A column command may be issued as soon as its data would have to wait less than one tCK for the bus; its data then
 * starts when the bus is free. Back-to-back accesses so move data at exactly the stated bandwidth. What the table says
 * from the end of data (tWR, tWTR, tRTW, tRTRS) counts from that exact time.
 */
#ifndef STRATA_MEM_DRAM_H
#define STRATA_MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/diag.h"
#include "sim/engine.h"
#include "sim/param.h"

struct dram_params {
#include "sim/param_fields.inc"
#include "mem/dram_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc dram_param_rows[];
extern const uint32_t dram_param_row_count;

#define DRAM_SCHEDULERS(X) X(DRAM_FIFO, fifo) X(DRAM_FRFCFS, frfcfs)
#define DRAM_PAGE_POLICIES(X) X(DRAM_PAGE_OPEN, open) X(DRAM_PAGE_CLOSED, closed)
#define DRAM_REFRESH_MODES(X) \
	X(DRAM_REFRESH_ALL_BANK, all_bank) X(DRAM_REFRESH_PER_BANK, per_bank) X(DRAM_REFRESH_SAME_BANK, same_bank)
enum dram_scheduler { DRAM_SCHEDULERS(SIM_PARAM_ENUMERATOR) };
enum dram_page_policy { DRAM_PAGE_POLICIES(SIM_PARAM_ENUMERATOR) };
enum dram_refresh_mode { DRAM_REFRESH_MODES(SIM_PARAM_ENUMERATOR) };

/* The first four are what a bank is asked for all the time, and what gates are about; RDA and WRA are RD and WR + 4.
 *   RDA WRA   as RD and WR; the bank then precharges itself as soon as tRAS and tRTP or tWR allow
 *   PREA      precharges the banks of a rank
 *   REF       refreshes the banks of a rank
 *   REFB      refreshes one bank, or in refresh_mode same_bank that bank of every group
 *   RFM       refresh management: of what REFB covers; in refresh_mode all_bank of the rank
 *   PDE PDX   power-down of a rank: entry and exit (banks may stay open)
 *   SRE SRX   self-refresh of a rank */
#define DRAM_COMMANDS(X) \
	X(ACT) X(PRE) X(RD) X(WR) X(PREA) X(REF) X(RDA) X(WRA) X(REFB) X(RFM) X(PDE) X(PDX) X(SRE) X(SRX)
enum dram_command {
#define X(name) DRAM_##name,
	DRAM_COMMANDS(X)
#undef X
	DRAM_COMMAND_COUNT
};

enum {
	DRAM_BANK_MAX = 64, /* of a vault: bits of a word */
	DRAM_RANK_MAX = 16,
	DRAM_GATE_MAX = DRAM_BANK_MAX,
	DRAM_GATE_COMMANDS = 4, /* ACT, PRE, RD, WR */
	DRAM_NO_ROW = UINT32_MAX,
	DRAM_FAW_COUNT = 4,
	DRAM_CONSTRAINT_MAX = 64,
};

/* The standard's name of a command, as "ACT". */
const char *dram_command_name(enum dram_command c);

/* Rules across the parameters: powers of two, tRC >= tRAS + tRP, watermarks in order, a burst within a row ... */
bool dram_params_check(const struct dram_params *p, struct base_diag_list *diag);

/* Bytes of one column access, and the peak bandwidth of one vault in bytes per second. */
uint64_t dram_column_bytes(const struct dram_params *p);
double dram_vault_peak_bytes_per_s(const struct dram_params *p);
/* The time of a column access on the bus; units_per_ps: of an engine that has a domain of dram_clock_period. */
uint64_t dram_burst_units(const struct dram_params *p, uint64_t units_per_ps);
/* Banks of a vault, over all its ranks. */
uint32_t dram_vault_bank_count(const struct dram_params *p);
/* The period of the command clock, for the domain in which the vaults tick: exact, and such that a column access takes
 * a whole number of units. With t_ck_ps = 0 a data_rate_mbps that JEDEC has rounded stands for what it was: 2133 for
 * 6400/3, 8533 for 25600/3. */
struct sim_period dram_clock_period(const struct dram_params *p);

/* ---- the table ---- */

/* The smallest part of the vault that both commands of a row touch. */
#define DRAM_SCOPES(X) X(BANK) X(GROUP) X(RANK) X(CHANNEL)
enum dram_scope {
#define X(name) DRAM_SCOPE_##name,
	DRAM_SCOPES(X)
#undef X
};
enum dram_relation {
	DRAM_SAME,	/* within one instance of the scope */
	DRAM_OTHER_RANK /* the two commands go to different ranks */
};
enum dram_anchor {
	DRAM_FROM_COMMAND, /* clocks count from the command */
	DRAM_FROM_DATA_END /* ... from the end of its data on the bus */
};

/* "Any command of the set `from`, cycles, then any of the set `to`": at least so many clocks from the nth last such
 * command (nth: 1, for tFAW 4). cycles may be negative after the end of data, as in the standards' RL + BL/2 - WL. */
struct dram_constraint {
	const char *name; /* as in the standard: "tRCD" */
	uint32_t from, to; /* bit per enum dram_command */
	enum dram_scope scope;
	enum dram_relation relation;
	uint32_t nth;
	enum dram_anchor anchor;
	int32_t cycles;
};

/* Fills rows with the constraints of these parameters and returns how many. The data bus
 * and the command bus are rules of their own. */
uint32_t dram_constraints(const struct dram_params *p, struct dram_constraint rows[DRAM_CONSTRAINT_MAX]);

/* ---- the bank model ---- */

/* How near the bank of a command is to that of an earlier one. DRAM_AT_BANK has the rows of bank scope only, the
 * others all of theirs and wider scope. */
enum dram_distance { DRAM_AT_BANK, DRAM_AT_GROUP, DRAM_AT_RANK, DRAM_AT_OTHER_RANK, DRAM_DISTANCE_COUNT };

/* Clocks to wait between two commands by distance: from the command, and from the end of its data. INT32_MIN / 2 where
 * no row says anything. */
typedef int32_t dram_delays[DRAM_COMMAND_COUNT][DRAM_COMMAND_COUNT][DRAM_DISTANCE_COUNT];

/* Timing in cycles of tCK and, for the bus, in engine units. */
struct dram_timing {
	uint64_t ck_units, ck_inverse; /* ck_inverse: floor((2^64 - 1) / ck_units) */
	uint32_t cl, cwl, faw;
	uint32_t act_cycles, column_cycles; /* on the command bus */
	bool is_dual_bus;
	enum dram_refresh_mode refresh_mode;
	uint64_t refi;	       /* 0 without refresh */
	uint64_t burst_units;  /* TSV time of one column access */
	uint64_t answer_units; /* from the end of the burst to the answer: TSVs and controller */
	uint32_t column_bytes;
	uint32_t bank_count, rank_count, group_count; /* banks of the vault; groups of a rank */
	uint32_t faw_set; /* the commands that tFAW is about, a bit each */
	uint32_t from_set[DRAM_COMMAND_COUNT]; /* by command: those that some row has before it, a bit each */
	uint8_t distance_set[DRAM_COMMAND_COUNT][DRAM_COMMAND_COUNT]; /* those that a row is about, a bit each */
	uint32_t bank_set, group_set; /* rare commands that wait as an ACT at their banks, groups; a bit each */
	dram_delays command_delay, data_delay;
};

/* ck_units: the engine's period of the DRAM domain; units_per_ps as of the engine. */
void dram_timing_init(struct dram_timing *t, const struct dram_params *p, uint64_t ck_units, uint64_t units_per_ps);

struct dram_bank {
	uint32_t open_row; /* or DRAM_NO_ROW */
	uint16_t gate;	   /* first number of its group's gate */
	uint8_t rank, group;
	uint64_t cycle[DRAM_GATE_COMMANDS]; /* earliest ACT, PRE, RD, WR as far as this bank is concerned */
} __attribute__((aligned(64)));

/* A command bus: of one vault, or of two pseudo channels. */
struct dram_command_bus {
	uint64_t free_cycle[2]; /* first cycle at which a row, a column command finds it free */
};

/* When a command was issued, and the cycle at or after the end of its data; long ago if there was none. */
struct dram_last {
	int64_t cycle, data_cycle;
};

enum dram_rank_state { DRAM_AWAKE, DRAM_POWERED_DOWN, DRAM_SELF_REFRESHING };

struct dram_banks {
	const struct dram_timing *t;
	uint64_t open_banks; /* bit per bank */
	uint32_t asleep_count; /* ranks that are not awake */
	bool has_gates;	       /* more than one: a command raises its group's, its rank's, and those of other ranks */
	struct dram_command_bus *bus;
	uint64_t *row_free_cycle, *column_free_cycle; /* of the bus */
	uint64_t bus_free_units; /* data bus */
	/* Earliest cycles by what the banks of a rank share: tRRD, tFAW, tCCD, the data bus, tWTR ...; and by what
	 * those of a group share beyond that, at dram_bank.gate + command: nothing where a rank has one group. */
	uint64_t rank_gate[DRAM_RANK_MAX][DRAM_GATE_COMMANDS];
	uint64_t group_gate[DRAM_GATE_MAX * DRAM_GATE_COMMANDS];
	struct dram_bank bank[DRAM_BANK_MAX];
	struct {
		uint64_t faw[DRAM_FAW_COUNT]; /* cycle of each of the last four ACT + tFAW */
		uint32_t faw_next;
		enum dram_rank_state state;
	} rank[DRAM_RANK_MAX];
	/* For the commands that are no gate commands: the last of each kind to the banks of a rank. */
	struct dram_last last_of_rank[DRAM_RANK_MAX][DRAM_COMMAND_COUNT];
	uint32_t issued; /* commands that there have been, a bit each */
	struct dram_command_bus own_bus;
};

/* t is kept: the vaults of a stack share it. bus: the command bus that this vault shares with another, or NULL. b must
 * not move. */
void dram_banks_init(struct dram_banks *b, const struct dram_timing *t, struct dram_command_bus *bus);

/* The first cycle at which a bank and its group allow a gate command. It is legal by timing when its rank's gate and
 * the command bus do so as well. */
static inline uint64_t dram_bank_ready(const struct dram_banks *b, const struct dram_bank *k, enum dram_command c)
{
	return base_max_u64(k->cycle[c], b->group_gate[k->gate + c]);
}

/* The bits of a rank's banks. */
static inline uint64_t dram_rank_banks(const struct dram_banks *b, uint32_t rank)
{
	uint32_t banks = b->t->bank_count / b->t->rank_count;

	return (banks == 64 ? ~0ull : (1ull << banks) - 1) << rank * banks;
}

/* The bits of the banks that a command to this bank touches: REF and PREA a rank, REFB a bank or one of each group. */
uint64_t dram_reach(const struct dram_timing *t, enum dram_command c, uint32_t bank);

/* The first cycle >= from at which the command is legal by timing. The bank's state must fit the command: see
 * dram_banks_is_legal. bank: any bank of the rank for PREA, REF, PDE, PDX, SRE and SRX. */
uint64_t dram_banks_earliest(const struct dram_banks *b, enum dram_command c, uint32_t bank, uint64_t from);
/* Is it legal in state and timing at this cycle? RD and WR need the row open, ACT a closed bank, refreshes their banks
 * closed, SRE the rank's; PDX and SRX a rank in that state and all others one that is awake. row: for RD and WR the row
 * wanted. */
bool dram_banks_is_legal(const struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle);
/* Issues a legal command. Returns for RD and WR the time (units) at which the last bit has crossed the TSVs' wires
 * (answer_units not included), else 0. */
uint64_t dram_banks_issue(struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle);
/* Each issues a command of a known kind: ACT, PRE, and a column command. */
void dram_banks_activate(struct dram_banks *b, uint32_t bank, uint32_t row, uint64_t cycle);
void dram_banks_precharge(struct dram_banks *b, uint32_t bank, uint64_t cycle);
uint64_t dram_banks_column(struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle);

#endif
