/* account.c - picojoules from statistics: the rows of all tables evaluated over the statistics of a run. */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/units.h"
#include "energy/events.h"

/* One table in evaluation. */
struct account {
	const char *of;
	const void *params, *counts;
	const struct sim_stats *stats;
	uint64_t time_ps;
	struct energy_report *report;
};

void energy_list_add(struct energy_list *list, const struct energy_table *table, const void *params,
		     const void *counts, size_t counts_bytes)
{
	energy_list_add_of(list, NULL, table, params, counts, counts_bytes);
}

void energy_list_add_absent(struct energy_list *list, const struct energy_table *table, const void *params,
			    const void *counts, size_t counts_bytes)
{
	energy_list_add(list, table, params, counts, counts_bytes);
	list->items[list->count - 1].is_absent = true;
}

void energy_list_add_of(struct energy_list *list, const char *name, const struct energy_table *table,
			const void *params, const void *counts, size_t counts_bytes)
{
	CHECK(list->count < ENERGY_PARTS_MAX && counts_bytes <= ENERGY_COUNTS_BYTES);
	list->items[list->count].of = name;
	list->items[list->count].is_absent = false;
	list->items[list->count].table = table;
	list->items[list->count].params = params;
	memcpy(list->items[list->count++].counts, counts, counts_bytes);
}

static double f64_at(const void *base, size_t offset)
{
	return *(const double *)((const char *)base + offset);
}

static double u32_at(const void *base, size_t offset)
{
	return *(const uint32_t *)((const char *)base + offset);
}

/* The statistic of a group; 0 if the machine has no such group. */
static double read_stat(const struct account *a, const struct energy_term *term)
{
	char group[96], key[160];
	uint64_t value = 0;

	snprintf(group, sizeof(group), "%s%s%s", a->of ? a->of : "", a->of ? "." : "", term->group);
	if (sim_stats_instance_count(a->stats, group) == 0)
		return 0;
	snprintf(key, sizeof(key), "%s.%s", group, term->name);
	CHECK(sim_stats_value(a->stats, key, &value));
	return (double)value;
}

/* Exact: the statistics are whole numbers. */
static double terms_sum(const struct account *a, const struct energy_term *terms)
{
	double sum = 0;

	for (uint32_t i = 0; i < ENERGY_TERM_MAX && terms[i].group; i++) {
		double value = read_stat(a, &terms[i]);

		sum += terms[i].is_subtracted ? -value : value;
	}
	return sum;
}

const char *energy_scope_text(enum energy_scope scope)
{
	static const char *const texts[] = {
#define ENERGY_SCOPE(name, text) text,
	    ENERGY_SCOPES(ENERGY_SCOPE)
#undef ENERGY_SCOPE
	};

	return texts[scope];
}

/* What an amount is taken by: events, or time, whatever the machine does. */
enum charge { BY_EVENTS, BY_TIME };

static void add_pj(const struct account *a, const char *component, bool is_stated, double pj, enum charge charge)
{
	for (uint32_t i = 0; i < a->report->component_count; i++) {
		struct energy_component *c = &a->report->components[i];

		if (c->of == a->of && !strcmp(c->name, component)) {
			c->pj += pj;
			if (charge == BY_TIME)
				c->static_pj += pj;
			c->is_counted = c->is_counted || is_stated;
			return;
		}
	}
	UNREACHABLE("a component of energy that no table has");
}

/* How many units, of which the row's parameter is the energy, one event stands for. */
static double units_per_event(const struct account *a, const struct energy_event *row)
{
	switch (row->unit) {
	case ENERGY_EACH:
		return 1;
	case ENERGY_BITS:
		return BASE_BITS_PER_BYTE;
	case ENERGY_SCALED:
		return f64_at(a->counts, row->scale);
	}
	UNREACHABLE("a unit of energy");
}

static void add_event(const struct account *a, const struct energy_event *row)
{
	double units = terms_sum(a, row->terms) * units_per_event(a, row);

	double pj = f64_at(a->params, row->parameter);
	const bool is_stated = pj > 0;

	if (row->is_instead && pj <= 0)
		return;
	if (row->is_instead)
		pj -= f64_at(a->params, row->charged);
	/* What stands in a power's place, for as many cycles, is one. */
	add_pj(a, row->component, is_stated, units * pj,
	       row->is_instead && row->unit == ENERGY_SCALED ? BY_TIME : BY_EVENTS);
}

static void add_wire(const struct account *a, const struct energy_wire *row)
{
	double capacity_bits = u32_at(a->counts, row->count) * f64_at(a->counts, row->bits_per_ps) * (double)a->time_ps;
	double bits = BASE_BITS_PER_BYTE * terms_sum(a, row->terms), idle_bits = capacity_bits - bits;

	add_pj(a, row->active, f64_at(a->params, row->active_parameter) > 0,
	       bits * f64_at(a->params, row->active_parameter), BY_EVENTS);
	/* The last packets may still be on the wire when the run's time ends. */
	add_pj(a, row->idle, f64_at(a->params, row->idle_parameter) > 0,
	       idle_bits > 0 ? idle_bits * f64_at(a->params, row->idle_parameter) : 0, BY_TIME);
}

static void add_power(const struct account *a, const struct energy_power *row)
{
	const double pj_per_mw = 1e-3 * (double)a->time_ps; /* 1 mW for 1 ps is 10^-15 J */
	const double count = row->is_scaled ? f64_at(a->counts, row->count) : u32_at(a->counts, row->count);

	add_pj(a, row->component, f64_at(a->params, row->parameter) > 0,
	       pj_per_mw * f64_at(a->params, row->parameter) * count, BY_TIME);
}

static void add_table(const struct account *a, const struct energy_table *t)
{
	for (uint32_t i = 0; i < t->event_count; i++)
		add_event(a, &t->events[i]);
	for (uint32_t i = 0; i < t->wire_count; i++)
		add_wire(a, &t->wires[i]);
	for (uint32_t i = 0; i < t->power_count; i++)
		add_power(a, &t->powers[i]);
}

static void add_components(struct energy_report *report, const char *of, const struct energy_table *t, bool is_absent)
{
	for (uint32_t i = 0; i < t->component_count; i++) {
		CHECK(report->component_count < ENERGY_COMPONENT_MAX);
		report->components[report->component_count++] = (struct energy_component){
		    .of = of,
		    .name = t->components[i].name,
		    .scope = is_absent ? ENERGY_SCOPE_COUNT : t->components[i].scope};
	}
}

void energy_account(const struct energy_list *list, const struct sim_stats *stats, uint64_t time_ps,
		    struct energy_report *out)
{
	*out = (struct energy_report){.component_count = 0};
	for (uint32_t i = 0; i < list->count; i++)
		add_components(out, list->items[i].of, list->items[i].table, list->items[i].is_absent);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct account a = {.of = list->items[i].of,
					  .params = list->items[i].params,
					  .counts = list->items[i].counts,
					  .stats = stats,
					  .time_ps = time_ps,
					  .report = out};

		add_table(&a, list->items[i].table);
	}
	for (uint32_t i = 0; i < out->component_count; i++)
		out->total_pj += out->components[i].pj;
}
