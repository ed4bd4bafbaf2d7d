/* sums.c - see sums.h. */
#include "machine/sums.h"

#include <glib.h>
#include <string.h>

#include "machine/json.h"
#include "machine/tables.h"
#include "machine/traffic.h"

/* One row, with the places of what it adds up. */
struct row {
	const struct machine_sum *sum;
	uint32_t places[MACHINE_SUM_TERMS_MAX], count;
};

struct machine_sums {
	struct sim_counts *counts;
	struct energy_meter *meter;
	GArray *rows; /* of struct row */
	uint64_t *before, *after;
};

/* ---- the rows of a machine ---- */

typedef void row_fn(void *ctx, const struct machine_sum *sum);

static void each_row(const struct machine_config *c, row_fn *fn, void *ctx)
{
	for (uint32_t i = 0; c->parts[i]; i++) {
		const struct machine_sum *s = machine_config_has(c, c->parts[i]) ? c->parts[i]->sums : NULL;

		for (; s && s->field; s++)
			fn(ctx, s);
	}
}

/* The member of an object that may not be there yet. */
static void put_member(json_t *fields, const struct machine_sum *sum, json_t *value)
{
	json_t *o = json_object_get(fields, sum->field);

	if (!json_is_object(o)) {
		o = json_object();
		json_object_set_new(fields, sum->field, o);
	}
	json_object_set_new(o, sum->name, value);
}

struct of_run {
	const struct sim_stats *stats;
	json_t *fields;
};

static void put_of_run(void *ctx, const struct machine_sum *sum)
{
	const struct of_run *run = ctx;
	uint64_t all = 0, one;

	for (uint32_t i = 0; i < MACHINE_SUM_TERMS_MAX && sum->statistics[i]; i++)
		if (sim_stats_value(run->stats, sum->statistics[i], &one))
			all += one;
	put_member(run->fields, sum, json_integer((json_int_t)all));
}

void machine_sums_put_run(const struct machine_config *c, const struct sim_stats *stats, json_t *fields)
{
	struct of_run run = {stats, fields};

	each_row(c, put_of_run, &run);
}

void machine_energy_list(const struct machine *m, struct energy_list *out)
{
	out->count = 0;
	for (uint32_t i = 0; m->config->parts[i]; i++)
		if (m->built[i] && m->config->parts[i]->energy)
			m->config->parts[i]->energy(m->config, out);
}

/* ---- kernels ---- */

static void add_row(void *ctx, const struct machine_sum *sum)
{
	struct machine_sums *s = ctx;
	struct row row = {.sum = sum};

	for (uint32_t i = 0; i < MACHINE_SUM_TERMS_MAX && sum->statistics[i]; i++)
		row.places[row.count++] = sim_counts_add(s->counts, sum->statistics[i]);
	g_array_append_val(s->rows, row);
}

struct machine_sums *machine_sums_new(const struct machine *m)
{
	struct machine_sums *s = g_new0(struct machine_sums, 1);
	struct energy_list list;

	s->counts = sim_counts_new(m->ctx.stats);
	s->rows = g_array_new(FALSE, FALSE, sizeof(struct row));
	each_row(m->config, add_row, s);
	machine_energy_list(m, &list);
	s->meter = list.count ? energy_meter_new(&list, s->counts) : NULL;
	s->before = g_new0(uint64_t, sim_counts_length(s->counts) + 1);
	s->after = g_new0(uint64_t, sim_counts_length(s->counts) + 1);
	return s;
}

void machine_sums_free(struct machine_sums *s)
{
	if (!s)
		return;
	energy_meter_free(s->meter);
	sim_counts_free(s->counts);
	g_array_free(s->rows, TRUE);
	g_free(s->before);
	g_free(s->after);
	g_free(s);
}

void machine_sums_begin(struct machine_sums *s)
{
	sim_counts_read(s->counts, s->before);
}

const uint64_t *machine_sums_end(struct machine_sums *s)
{
	sim_counts_read(s->counts, s->after);
	for (uint32_t i = 0; i < sim_counts_length(s->counts); i++)
		s->after[i] -= s->before[i];
	return s->after;
}

uint32_t machine_sums_length(const struct machine_sums *s)
{
	return sim_counts_length(s->counts);
}

static uint64_t row_sum(const struct row *row, const uint64_t *counts)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < row->count; i++)
		sum += counts[row->places[i]];
	return sum;
}

void machine_sums_put(const struct machine_sums *s, const uint64_t *counts, uint64_t time_ps, bool with_components,
		      json_t *fields)
{
	struct energy_report report = {.component_count = 0};

	machine_traffic_bytes_begin(fields);
	for (uint32_t i = 0; i < s->rows->len; i++) {
		const struct row *row = &g_array_index(s->rows, struct row, i);

		put_member(fields, row->sum, counts ? json_integer((json_int_t)row_sum(row, counts)) : json_null());
	}
	if (s->meter && counts)
		energy_meter_read(s->meter, counts, time_ps, &report);
	machine_energy_put_total(fields, &report);
	if (with_components)
		machine_energy_put_components(fields, &report);
}
