/* account.c - picojoules from statistics: energy_rows.def evaluated over the statistics of a run. */
#include "base/units.h"
#include "energy/events.h"

#include <stdio.h>

#include "base/check.h"

const struct sim_param_desc energy_param_rows[] = {
#define PARAM_STRUCT struct energy_params
#include "sim/param_rows.inc"
#include "energy/energy_params.def"
#include "sim/param_end.inc"
};
const uint32_t energy_param_row_count = ARRAY_COUNT(energy_param_rows);

enum component {
#define ENERGY_COMPONENT(name) COMPONENT_##name,
#include "energy/energy_rows.def"
	COMPONENT_COUNT
};
_Static_assert((int)COMPONENT_COUNT <= (int)ENERGY_COMPONENT_MAX, "a component has no place in the report");

static const char *const component_names[COMPONENT_COUNT] = {
#define ENERGY_COMPONENT(name) [COMPONENT_##name] = #name,
#include "energy/energy_rows.def"
};

enum { TERM_MAX = 4 };

/* One statistic of a sum; unused: no group. */
struct term {
	const char *group, *name;
	bool is_subtracted;
};
#define STAT(group, name) {#group, #name, false}
#define MINUS(group, name) {#group, #name, true}

enum unit { EACH, BITS, ROWS, ROW_BYTES, REFRESHES };

/* Parameters are offsets of doubles in energy_params; counts and capacities are fields of energy_run. */
struct event_row {
	enum component component;
	size_t parameter;
	enum unit unit;
	struct term terms[TERM_MAX];
};

static const struct event_row events[] = {
#define ENERGY_EVENT(component, parameter, unit, ...) \
	{COMPONENT_##component, offsetof(struct energy_params, parameter), unit, {__VA_ARGS__}},
#include "energy/energy_rows.def"
};

struct wire_row {
	enum component active, idle;
	size_t count, bits_per_ps; /* uint32_t, double */
	size_t active_parameter, idle_parameter;
	struct term terms[TERM_MAX];
};

static const struct wire_row wires[] = {
#define ENERGY_WIRE(active, idle, count, bits_per_ps, active_parameter, idle_parameter, ...)  \
	{COMPONENT_##active, COMPONENT_##idle, offsetof(struct energy_run, count),            \
	 offsetof(struct energy_run, bits_per_ps), offsetof(struct energy_params, active_parameter), \
	 offsetof(struct energy_params, idle_parameter), {__VA_ARGS__}},
#include "energy/energy_rows.def"
};

struct power_row {
	enum component component;
	size_t parameter, count; /* count: uint32_t */
};

static const struct power_row powers[] = {
#define ENERGY_POWER(component, parameter, count) \
	{COMPONENT_##component, offsetof(struct energy_params, parameter), offsetof(struct energy_run, count)},
#include "energy/energy_rows.def"
};

struct account {
	const struct energy_params *params;
	const struct sim_stats *stats;
	const struct energy_run *run;
	double pj[COMPONENT_COUNT];
};

static double f64_at(const void *base, size_t offset)
{
	return *(const double *)((const char *)base + offset);
}

static double u32_at(const void *base, size_t offset)
{
	return *(const uint32_t *)((const char *)base + offset);
}

/* The statistic of a group; 0 if the machine has no such group. */
static double read_stat(const struct sim_stats *stats, const struct term *term)
{
	char key[64];
	uint64_t value = 0;

	if (sim_stats_instance_count(stats, term->group) == 0)
		return 0;
	snprintf(key, sizeof(key), "%s.%s", term->group, term->name);
	CHECK(sim_stats_value(stats, key, &value));
	return (double)value;
}

/* Exact: the statistics are whole numbers. */
static double terms_sum(const struct sim_stats *stats, const struct term *terms)
{
	double sum = 0;

	for (uint32_t i = 0; i < TERM_MAX && terms[i].group; i++) {
		double value = read_stat(stats, &terms[i]);

		sum += terms[i].is_subtracted ? -value : value;
	}
	return sum;
}

/* How many units, of which the row's parameter is the energy, one event stands for. */
static double units_per_event(const struct account *a, enum unit unit)
{
	const struct energy_run *run = a->run;
	double rows_per_row = (double)run->dram_row_bytes / a->params->dram_activate_row_bytes;

	switch (unit) {
	case EACH:
		return 1;
	case BITS:
		return BASE_BITS_PER_BYTE;
	case ROWS:
		return rows_per_row;
	case ROW_BYTES:
		return 1 / a->params->dram_activate_row_bytes;
	case REFRESHES:
		return rows_per_row * a->params->dram_refresh_rows_count * run->dram_bank_count;
	}
	CHECK(!"a unit of energy");
}

static void add_event(struct account *a, const struct event_row *row)
{
	double units = terms_sum(a->stats, row->terms) * units_per_event(a, row->unit);

	a->pj[row->component] += units * f64_at(a->params, row->parameter);
}

static void add_wire(struct account *a, const struct wire_row *row)
{
	double capacity_bits = u32_at(a->run, row->count) * f64_at(a->run, row->bits_per_ps) * (double)a->run->time_ps;
	double bits = BASE_BITS_PER_BYTE * terms_sum(a->stats, row->terms), idle_bits = capacity_bits - bits;

	a->pj[row->active] += bits * f64_at(a->params, row->active_parameter);
	/* The last packets may still be on the wire when the run's time ends. */
	if (idle_bits > 0)
		a->pj[row->idle] += idle_bits * f64_at(a->params, row->idle_parameter);
}

static void add_power(struct account *a, const struct power_row *row)
{
	const double pj_per_mw = 1e-3 * (double)a->run->time_ps; /* 1 mW for 1 ps is 10^-15 J */

	a->pj[row->component] += pj_per_mw * f64_at(a->params, row->parameter) * u32_at(a->run, row->count);
}

void energy_account(const struct energy_params *p, const struct sim_stats *stats, const struct energy_run *run,
		    struct energy_report *out)
{
	struct account a = {.params = p, .stats = stats, .run = run};

	CHECK(sim_stats_instance_count(stats, "vault") == 0 || (run->dram_row_bytes && run->dram_bank_count));
	for (uint32_t i = 0; i < ARRAY_COUNT(events); i++)
		add_event(&a, &events[i]);
	for (uint32_t i = 0; i < ARRAY_COUNT(wires); i++)
		add_wire(&a, &wires[i]);
	for (uint32_t i = 0; i < ARRAY_COUNT(powers); i++)
		add_power(&a, &powers[i]);
	*out = (struct energy_report){.component_count = COMPONENT_COUNT};
	for (uint32_t i = 0; i < COMPONENT_COUNT; i++) {
		out->components[i] = (struct energy_component){component_names[i], a.pj[i]};
		out->total_pj += a.pj[i];
	}
}
