/* dram.h - DRAM parameters, the derived timing of one machine, and the state of a vault's banks.
 *
 * The bank model knows when a command may be issued (dram_banks_earliest) and what issuing it changes
 * (dram_banks_issue). It decides nothing; the vault's scheduler does. One rank per vault: every bank shares the command
 * bus (one command per tCK), the data TSVs, tRRD, tFAW and the refresh. HMC vaults, DDR and GDDR channels differ by
 * their parameters only.
 *
 * The data bus is timed in engine units, not in tCK: a column access of burst_beats * data_bits occupies the TSVs for
 * exactly burst_beats / data_rate (6.4 ns for 64 TSVs at 1.25 Gb/s and 8 beats), although that is no multiple of tCK.
 * A column command may be issued as soon as its data would have to wait less than one tCK for the bus; its data then
 * starts when the bus is free. Back-to-back accesses so move data at exactly the stated bandwidth.
 */
#ifndef STRATA_MEM_DRAM_H
#define STRATA_MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

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
enum dram_scheduler { DRAM_SCHEDULERS(SIM_PARAM_ENUMERATOR) };
enum dram_page_policy { DRAM_PAGE_POLICIES(SIM_PARAM_ENUMERATOR) };

/* DRAM_PREA precharges all banks. REF is all-bank. */
enum dram_command { DRAM_ACT, DRAM_PRE, DRAM_PREA, DRAM_RD, DRAM_WR, DRAM_REF, DRAM_COMMAND_COUNT };

enum { DRAM_BANK_MAX = 32, DRAM_NO_ROW = UINT32_MAX, DRAM_FAW_COUNT = 4 };

/* Rules across the parameters: powers of two, tRC >= tRAS + tRP, watermarks in order, a burst within a row ... */
bool dram_params_check(const struct dram_params *p, struct base_diag_list *diag);

/* Bytes of one column access, and the peak bandwidth of one vault in bytes per second. */
uint64_t dram_column_bytes(const struct dram_params *p);
double dram_vault_peak_bytes_per_s(const struct dram_params *p);
/* TSV time of one column access; dram_params_check has refused parameters that make it no whole number of ps. */
uint64_t dram_burst_ps(const struct dram_params *p);

/* Timing in cycles of tCK and, for the bus, in engine units. */
struct dram_timing {
	uint64_t ck_units, ck_inverse; /* ck_inverse: floor((2^64 - 1) / ck_units) */
	uint32_t rp, rcd, cl, cwl, ccd, wr, ras, rc, rrd, faw, wtr, rtp, rtw;
	uint32_t rfc;
	uint64_t refi;
	uint64_t burst_units;  /* TSV time of one column access */
	uint64_t answer_units; /* from the end of the burst to the answer: TSVs and controller */
	uint32_t column_bytes, bank_count;
};

/* ck_units: the engine's period of the DRAM domain; units_per_ps as of the engine. */
void dram_timing_init(struct dram_timing *t, const struct dram_params *p, uint64_t ck_units, uint64_t units_per_ps);

struct dram_bank {
	uint32_t open_row;		      /* or DRAM_NO_ROW */
	uint64_t act_cycle, pre_cycle, column_cycle; /* earliest ACT, PRE, RD or WR as far as this bank is concerned */
};

struct dram_banks {
	struct dram_timing t;
	uint32_t open_count;
	uint64_t command_cycle;	 /* first cycle the command bus is free */
	uint64_t act_cycle;	 /* earliest ACT by tRRD and tFAW */
	uint64_t read_cycle, write_cycle; /* earliest RD and WR by tCCD, the data bus, tWTR and tRTW */
	uint64_t faw[DRAM_FAW_COUNT]; /* cycle of each of the last four ACT + tFAW */
	uint32_t faw_next;
	uint64_t bus_free_units; /* data bus */
	struct dram_bank bank[DRAM_BANK_MAX];
};

void dram_banks_init(struct dram_banks *b, const struct dram_timing *t);

/* The first cycle >= from at which the command is legal by timing. The bank's state (open or closed) must fit the
 * command: RD and WR need the row open, ACT a closed bank, REF all banks closed. */
uint64_t dram_banks_earliest(const struct dram_banks *b, enum dram_command c, uint32_t bank, uint64_t from);
/* Is it legal in state and timing at this cycle? row: for ACT ignored, for RD and WR the row wanted. */
bool dram_banks_is_legal(const struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle);
/* Issues a legal command. Returns for RD and WR the time (units) at which the last bit has crossed the TSVs' wires
 * (answer_units not included), else 0. */
uint64_t dram_banks_issue(struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle);

#endif
