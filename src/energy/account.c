/* account.c - picojoules from statistics: the rows of all tables evaluated over the statistics of a run. */
#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "base/units.h"
#include "energy/events.h"

/* One table in evaluation. */
struct account {
	const char *of;
	const void *params, *counts;
	const uint32_t *places; /* where the terms of the next row are: ENERGY_TERM_MAX for each row that has terms */
	const uint64_t *values;
	uint64_t time_ps;
	struct energy_report *report;
};

struct energy_meter {
	struct energy_list list;
	uint32_t *places; /* of all rows of all tables that have terms, events before wires */
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

/* What the next row counts. Exact: the statistics are whole numbers. */
static double terms_sum(struct account *a, const struct energy_term *terms)
{
	double sum = 0;

	for (uint32_t i = 0; i < ENERGY_TERM_MAX && terms[i].group; i++) {
		const double value = (double)a->values[a->places[i]];

		sum += terms[i].is_subtracted ? -value : value;
	}
	a->places += ENERGY_TERM_MAX;
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

static void add_event(struct account *a, const struct energy_event *row)
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

static void add_wire(struct account *a, const struct energy_wire *row)
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

static void add_table(struct account *a, const struct energy_table *t)
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

/* ---- meters ---- */

static void find_terms(struct sim_counts *counts, const char *of, const struct energy_term *terms, uint32_t *places)
{
	for (uint32_t i = 0; i < ENERGY_TERM_MAX && terms[i].group; i++) {
		g_autofree char *key =
		    g_strdup_printf("%s%s%s.%s", of ? of : "", of ? "." : "", terms[i].group, terms[i].name);

		places[i] = sim_counts_add(counts, key);
	}
}

static uint32_t *find_table(struct sim_counts *counts, const char *of, const struct energy_table *t, uint32_t *places)
{
	for (uint32_t i = 0; i < t->event_count; i++, places += ENERGY_TERM_MAX)
		find_terms(counts, of, t->events[i].terms, places);
	for (uint32_t i = 0; i < t->wire_count; i++, places += ENERGY_TERM_MAX)
		find_terms(counts, of, t->wires[i].terms, places);
	return places;
}

struct energy_meter *energy_meter_new(const struct energy_list *list, struct sim_counts *counts)
{
	struct energy_meter *m = g_new0(struct energy_meter, 1);
	uint32_t rows = 0, *next;

	m->list = *list;
	for (uint32_t i = 0; i < list->count; i++)
		rows += list->items[i].table->event_count + list->items[i].table->wire_count;
	m->places = g_new0(uint32_t, (size_t)rows * ENERGY_TERM_MAX + 1);
	next = m->places;
	for (uint32_t i = 0; i < list->count; i++)
		next = find_table(counts, list->items[i].of, list->items[i].table, next);
	return m;
}

void energy_meter_free(struct energy_meter *m)
{
	if (!m)
		return;
	g_free(m->places);
	g_free(m);
}

void energy_meter_read(const struct energy_meter *m, const uint64_t *values, uint64_t time_ps,
		       struct energy_report *out)
{
	struct account a = {.places = m->places, .values = values, .time_ps = time_ps, .report = out};

	*out = (struct energy_report){.component_count = 0};
	for (uint32_t i = 0; i < m->list.count; i++)
		add_components(out, m->list.items[i].of, m->list.items[i].table, m->list.items[i].is_absent);
	for (uint32_t i = 0; i < m->list.count; i++) {
		a.of = m->list.items[i].of;
		a.params = m->list.items[i].params;
		a.counts = m->list.items[i].counts;
		add_table(&a, m->list.items[i].table);
	}
	for (uint32_t i = 0; i < out->component_count; i++)
		out->total_pj += out->components[i].pj;
}

void energy_account(const struct energy_list *list, const struct sim_stats *stats, uint64_t time_ps,
		    struct energy_report *out)
{
	struct sim_counts *counts = sim_counts_new(stats);
	struct energy_meter *m = energy_meter_new(list, counts);
	g_autofree uint64_t *values = g_new(uint64_t, sim_counts_length(counts) + 1);

	sim_counts_read(counts, values);
	energy_meter_read(m, values, time_ps, out);
	energy_meter_free(m);
	sim_counts_free(counts);
}
