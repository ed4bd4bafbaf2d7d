/* bounds.h - what the parameters of a memory alone say of its speed: closed forms, to hold beside what is measured. */
#ifndef STRATA_MEMORY_BOUNDS_H
#define STRATA_MEMORY_BOUNDS_H

#include "mem/memory.h"

/* What bounds requests that each open a row of their own. */
#define MEMORY_ROW_BOUNDS(X)                                                                                           \
	X(MEMORY_BY_DATA, data)                                                                                        \
	X(MEMORY_BY_RRD, tRRD)                                                                                         \
	X(MEMORY_BY_FAW, tFAW)                                                                                         \
	X(MEMORY_BY_BANKS, banks)                                                                                      \
	X(MEMORY_BY_COMMANDS, commands)
enum memory_row_bound { MEMORY_ROW_BOUNDS(SIM_PARAM_ENUMERATOR) };

struct memory_bounds {
	double peak_gbytes_per_s; /* all data buses */
	/* A lone read of a line, in ns: to a closed bank (tRCD + tCL, its bursts, what the controller adds), to an open
	 * row, and to a bank in which another row has been open for long (tRP more). */
	double closed_ns, open_ns, conflict_ns;
	/* Reads of lines, each in a row of its own: what the data buses, tRRD and tFAW of all ranks, tRC of all banks
	 * and the command buses allow at most; which of them does. */
	double rows_gbytes_per_s;
	enum memory_row_bound rows_by;
	double group_gbytes_per_s;   /* reads that stay in open rows of one bank group: tCCD_L */
	double bank_gbytes_per_s;    /* reads of lines in different rows of one bank of one vault: tRC */
	double refresh_free_ratio;   /* the part of its time in which a bank is not refreshed */
};

/* m and d have passed mem_memory_check. What stands before the memory, such as a link, is not in it. */
void memory_bounds_init(struct memory_bounds *b, const struct memory_params *m, const struct dram_params *d);
const char *memory_row_bound_name(enum memory_row_bound bound);

#endif
