/* standard.h - a memory by name: DDR4-2400, HBM3 and others are YAML files in memories/, each value with its document.
 *
 * A file has the groups memory (mem/memory.h), dram (mem/dram.h), link (mem/expander.h) and energy, of which it may set
 * what memories use. It may extend another (sim/description.h).
 */
#ifndef STRATA_MEMORY_STANDARD_H
#define STRATA_MEMORY_STANDARD_H

#include "base/diag.h"
#include "energy/events.h"
#include "mem/dram.h"
#include "mem/memory.h"
#include "sim/description.h"

enum { MEMORY_ENERGY_ROWS_MAX = 64 };

struct memory_standard {
	struct sim_description about;
	struct memory_params memory;
	struct dram_params dram;
	struct expander_params link;
	struct energy_params energy;
	struct sim_param_desc energy_rows[MEMORY_ENERGY_ROWS_MAX]; /* those of a memory: what groups are made of */
	uint32_t energy_row_count;
};

/* The defaults of the tables: no standard's. */
void memory_standard_defaults(struct memory_standard *s);
/* The groups memory, dram, link and energy, bound to the values in s. */
void memory_standard_groups(struct memory_standard *s, struct sim_param_groups *out);

/* Loads a memory by name ("ddr4-2400") or path. False with messages on any mistake. Rules across parameters are not
 * checked yet: overrides may follow. */
bool memory_standard_load(const char *name_or_path, const struct sim_search *search, struct memory_standard *out,
			  struct base_diag_list *diag);
/* Applies one "group.name=value"; where names the option in messages ("--set"). */
bool memory_standard_set(struct memory_standard *s, const char *assignment, const char *where,
			 struct base_diag_list *diag);
/* All rules. False with messages. */
bool memory_standard_check(const struct memory_standard *s, struct base_diag_list *diag);

/* What a link in front of a memory takes; its parameters are struct expander_params. */
extern const struct energy_table memory_link_table;
/* Adds the energy tables of a memory, and of its link if it has one, bound to the parameters (kept); of as for
 * energy_list_add_of. */
void memory_energy_add(struct energy_list *out, const char *of, const struct memory_params *m,
		       const struct dram_params *d, const struct expander_params *link, const struct energy_params *e);

#endif
