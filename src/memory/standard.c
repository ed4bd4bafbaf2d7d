/* standard.c - the groups of a memory, from its file. */
#include "memory/standard.h"

#include <string.h>

#include "base/check.h"
#include "base/units.h"

static bool is_used(size_t offset)
{
	const struct energy_table *t = &energy_memory_table;

	for (uint32_t i = 0; i < t->event_count; i++)
		if (t->events[i].parameter == offset)
			return true;
	for (uint32_t i = 0; i < t->power_count; i++)
		if (t->powers[i].parameter == offset)
			return true;
	return false;
}

/* What the memory's table names, and what scales that. */
static void find_energy_rows(struct memory_standard *s)
{
	for (uint32_t i = 0; i < energy_param_row_count; i++) {
		const struct sim_param_desc *row = &energy_param_rows[i];

		if (!is_used(row->offset) && strncmp(row->name, "dram_", strlen("dram_")))
			continue;
		CHECK(s->energy_row_count < MEMORY_ENERGY_ROWS_MAX);
		s->energy_rows[s->energy_row_count++] = *row;
	}
}

void memory_standard_groups(struct memory_standard *s, struct sim_param_groups *out)
{
	out->count = 0;
	sim_param_groups_add(out, "memory", memory_param_rows, memory_param_row_count, &s->memory);
	sim_param_groups_add(out, "dram", dram_param_rows, dram_param_row_count, &s->dram);
	sim_param_groups_add(out, "link", expander_param_rows, expander_param_row_count, &s->link);
	sim_param_groups_add(out, "energy", s->energy_rows, s->energy_row_count, &s->energy);
}

void memory_standard_defaults(struct memory_standard *s)
{
	struct sim_param_groups groups;

	memset(s, 0, sizeof(*s));
	find_energy_rows(s);
	memory_standard_groups(s, &groups);
	for (uint32_t i = 0; i < groups.count; i++)
		sim_param_defaults(&groups.items[i]);
}

bool memory_standard_load(const char *name_or_path, const struct sim_search *search, struct memory_standard *out,
			  struct base_diag_list *diag)
{
	struct sim_description_form form = {
		.words = {.thing = "memory", .example = "dram"},
		.things = "memories",
		.hint = "the groups are memory, dram, link and energy",
	};

	memory_standard_defaults(out);
	memory_standard_groups(out, &form.groups);
	return sim_description_load(name_or_path, search, &form, &out->about, diag);
}

bool memory_standard_set(struct memory_standard *s, const char *assignment, const char *where,
			 struct base_diag_list *diag)
{
	struct sim_param_groups groups;

	memory_standard_groups(s, &groups);
	return sim_description_set(&groups, assignment, where, diag);
}

bool memory_standard_check(const struct memory_standard *s, struct base_diag_list *diag)
{
	return mem_memory_check(&s->memory, &s->dram, diag) && mem_expander_check(&s->link, diag);
}

/* ---- energy ---- */

struct link_counts {
	uint32_t direction_count;
	double bits_per_ps; /* of a direction */
};

#define ENERGY_TABLE memory_link_table
#define ENERGY_ROWS "memory/link_rows.def"
#define ENERGY_PARAMS struct expander_params
#define ENERGY_COUNTS struct link_counts
#include "energy/table.inc"

static void link_energy_add(struct energy_list *out, const char *of, const struct expander_params *link)
{
	const struct link_counts counts = {
	    .direction_count = 2,
	    .bits_per_ps = (double)link->bandwidth_mbytes_per_s * BASE_BYTES_PER_MBYTE * BASE_BITS_PER_BYTE /
			   BASE_PS_PER_S,
	};

	energy_list_add_of(out, of, &memory_link_table, link, &counts, sizeof(counts));
}

void memory_energy_add(struct energy_list *out, const char *of, const struct memory_params *m,
		       const struct dram_params *d, const struct expander_params *link, const struct energy_params *e)
{
	const struct sim_period ck = dram_clock_period(d);
	const struct energy_memory_shape shape = {
	    .stack_count = m->channel_count,
	    .vault_count = d->vault_count,
	    .rank_count = d->rank_count,
	    .bank_count = d->bank_count,
	    .row_bytes = d->row_bytes,
	    .capacity_bytes = m->capacity_bytes,
	    .ck_ps = (double)ck.num_ps / (double)ck.den,
	};
	const struct energy_memory_counts counts = energy_memory_counts(e, &shape);

	energy_list_add_of(out, of, &energy_memory_table, e, &counts, sizeof(counts));
	if (link->is_present)
		link_energy_add(out, of, link);
}
