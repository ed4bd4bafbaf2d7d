/* events.h - energy: events counted by the components times energy per event, plus static power times time.
 *
 * Every row of energy_params.def has a value, a unit and a source. The components only count events in their
 * statistics; the rows of a part's table (energy/table.inc) say which event costs what and whose energy that is, and
 * energy_account turns the statistics of a run into picojoules per component.
 */
#ifndef STRATA_ENERGY_EVENTS_H
#define STRATA_ENERGY_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/counts.h"
#include "sim/param.h"

struct energy_params {
#include "sim/param_fields.inc"
#include "energy/energy_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc energy_param_rows[];
extern const uint32_t energy_param_row_count;

/* ---- rows ---- */

enum { ENERGY_TERM_MAX = 6 };

/* One statistic of a sum; unused: no group. */
struct energy_term {
	const char *group, *name;
	bool is_subtracted;
};

/* How much of its parameter an event of a row costs: once, for each bit of the bytes counted, or scale times. */
enum energy_unit { ENERGY_EACH, ENERGY_BITS, ENERGY_SCALED };

/* Parameters are offsets of doubles in the part's parameters; counts (uint32_t), capacities and scales (double) in its
 * counts. */
struct energy_event {
	const char *component;
	size_t parameter;
	enum energy_unit unit;
	size_t scale; /* ENERGY_SCALED */
	struct energy_term terms[ENERGY_TERM_MAX];
	bool is_instead; /* of what other rows have charged at the parameter `charged`, unless its own is 0 */
	size_t charged;
};
/* Bits of the terms cost active_parameter each; the rest of what count wires could have carried, idle_parameter. */
struct energy_wire {
	const char *active, *idle;
	size_t count, bits_per_ps;
	size_t active_parameter, idle_parameter;
	struct energy_term terms[ENERGY_TERM_MAX];
};
/* Static power of count of them, in milliwatts each, over the time of kernels. */
struct energy_power {
	const char *component;
	size_t parameter, count;
	bool is_scaled; /* count is a double: what the parameter is times, to be milliwatts */
};

/* What a machine is made of. Energies are of one scope if the same of these are counted in both. */
#define ENERGY_SCOPES(X)                                                                                               \
	X(CORES, "cores") X(NEAR, "near-data processors") X(CACHES, "caches") X(LINKS, "links") X(MEMORY, "memory")
enum energy_scope {
#define ENERGY_SCOPE(name, text) ENERGY_OF_##name,
	ENERGY_SCOPES(ENERGY_SCOPE)
#undef ENERGY_SCOPE
	    ENERGY_SCOPE_COUNT
};
const char *energy_scope_text(enum energy_scope scope);

struct energy_share {
	const char *name;
	enum energy_scope scope;
};

/* A part's rows, and the components whose energy they are, in the order of the report. */
struct energy_table {
	const struct energy_share *components;
	const struct energy_event *events;
	const struct energy_wire *wires;
	const struct energy_power *powers;
	uint32_t component_count, event_count, wire_count, power_count;
};

/* What the tables below count beyond statistics; their parameters are struct energy_params. */
struct energy_gpu_counts {
	uint32_t sm_count;	 /* all SMs, those in stacks included */
	uint32_t l2_count;	 /* L2s, all slices of one counted together */
	uint32_t link_count;	 /* directed off-chip channels: TX and RX of every stack */
	uint32_t mesh_count;	 /* directed channels from stack to stack */
	double link_bits_per_ps; /* capacity of one GPU-stack channel */
	double mesh_bits_per_ps; /* capacity of one stack-stack channel */
};
struct energy_memory_counts {
	uint32_t stack_count;
	double rows_per_row, rows_per_byte, rows_per_refresh, rows_per_bank_refresh; /* of dram_activate_row_bytes */
	double pj_per_mw_cycle; /* of a rank's share of a stack's power, for a clock of the DRAM */
};
/* A memory of stacks, each with vaults of ranks of banks; capacity_bytes is of all stacks. */
struct energy_memory_shape {
	uint64_t stack_count, vault_count, rank_count, bank_count, row_bytes, capacity_bytes;
	double ck_ps;
};
struct energy_nsu_counts {
	uint32_t nsu_count;
	double units;		    /* the same */
	double pj_per_mw_ps;	    /* of all units */
	double network_bits_per_ps; /* of all links from stack to stack */
};
struct energy_nsu_counts energy_nsu_counts(uint32_t nsu_count, double network_bits_per_ps);
struct energy_memory_counts energy_memory_counts(const struct energy_params *p, const struct energy_memory_shape *m);
extern const struct energy_table energy_gpu_table, energy_memory_table, energy_nsu_table;

/* ---- the account ---- */

enum { ENERGY_COMPONENT_MAX = 128, ENERGY_PARTS_MAX = 16, ENERGY_COUNTS_BYTES = 64 };

/* Tables, each bound to parameters (kept) and counts (copied). */
struct energy_list {
	struct {
		const struct energy_table *table;
		const char *of; /* NULL, or before each component and each group of statistics, with a dot */
		const void *params;
		bool is_absent; /* its components are there, and 0, but of no scope */
		double counts[ENERGY_COUNTS_BYTES / sizeof(double)];
	} items[ENERGY_PARTS_MAX];
	uint32_t count;
};
/* Adds a part's table; there must be room for it. */
void energy_list_add(struct energy_list *list, const struct energy_table *table, const void *params,
		     const void *counts, size_t counts_bytes);
/* Adds the rows of a part that this machine has not. */
void energy_list_add_absent(struct energy_list *list, const struct energy_table *table, const void *params,
			    const void *counts, size_t counts_bytes);
/* Adds a part that is there under a name (kept): its components and its statistics begin with that. */
void energy_list_add_of(struct energy_list *list, const char *name, const struct energy_table *table,
			const void *params, const void *counts, size_t counts_bytes);

/* What a row's parameter is paid for. */
enum energy_row_kind {
	ENERGY_ROW_EVENT,   /* each event of the terms */
	ENERGY_ROW_BITS,    /* each bit of the terms' bytes */
	ENERGY_ROW_SCALED,  /* each event of the terms, times what the machine has of it */
	ENERGY_ROW_INSTEAD, /* the terms' events, which other rows have charged otherwise */
	ENERGY_ROW_IDLE,    /* each bit that the wires of the terms could have carried and did not */
	ENERGY_ROW_POWER,   /* milliwatts of each instance, over the time of kernels */
};
struct energy_row {
	const char *of, *component; /* of: NULL, or the name of the part */
	enum energy_scope scope;
	enum energy_row_kind kind;
	const void *params; /* as given to energy_list_add; the parameter is at this offset in it */
	size_t parameter;
	const struct energy_term *terms; /* ENERGY_TERM_MAX, the unused without a group; NULL: of a power */
};
typedef void energy_row_fn(void *ctx, const struct energy_row *row);
/* Calls fn for each row of the list's tables, table by table. */
void energy_list_each(const struct energy_list *list, energy_row_fn *fn, void *ctx);

struct energy_component {
	const char *of;	  /* NULL, or the name of the part */
	const char *name; /* "sm_front_end", "l1", "link_active", ...: see docs/memory.md */
	enum energy_scope scope; /* ENERGY_SCOPE_COUNT: of a part that the machine has not */
	bool is_counted; /* some row charges it with an energy or power that is stated; else pj says nothing */
	double pj;
	double static_pj; /* of it: powers, and wires that send nothing, over time */
};
struct energy_report {
	struct energy_component components[ENERGY_COMPONENT_MAX];
	uint32_t component_count;
	double total_pj;
};

/* Reads the statistics that the tables' rows name, over time_ps of kernels. A group that the machine has not counts
 * nothing; a group without a statistic that is named is a failed CHECK. The components of all tables appear in their
 * order, always. */
void energy_account(const struct energy_list *list, const struct sim_stats *stats, uint64_t time_ps,
		    struct energy_report *out);

/* A meter is a list whose statistics have been looked up: for stretches of a run. */
struct energy_meter;
/* The list is copied; what its rows count is added to counts. */
struct energy_meter *energy_meter_new(const struct energy_list *list, struct sim_counts *counts);
void energy_meter_free(struct energy_meter *m);
/* The energy of time_ps in which the counts have grown by values. */
void energy_meter_read(const struct energy_meter *m, const uint64_t *values, uint64_t time_ps,
		       struct energy_report *out);

#endif
