/* sample.c - counts over time, in a bounded number of rows. */
#include "sim/sample.h"

#include <glib.h>

#include "base/check.h"

/* A count, or a part of one. */
struct counter {
	const struct sim_sample_count *what;
	const uint64_t **instances; /* NULL: what->read */
	uint32_t instance_count;
	uint32_t part, parts; /* of the count's, which follow each other */
	uint64_t last;	/* at the end of the last row */
	uint64_t rows[SIM_SAMPLE_ROWS];
};

struct sim_sampler {
	struct sim_engine *engine;
	const struct sim_stats *stats;
	struct sim_sample_table table;
	struct sim_sample_count *counts; /* the table's */
	uint64_t period_units, row_start_units;
	uint32_t row_count;
	uint64_t start_ps[SIM_SAMPLE_ROWS], end_ps[SIM_SAMPLE_ROWS];
	uint32_t (*gauge_rows)[SIM_SAMPLE_ROWS];
	GPtrArray *counters; /* struct counter; NULL until the first row begins */
};

struct sim_sampler *sim_sampler_new(struct sim_engine *e, const struct sim_stats *stats, uint64_t period_ps,
				    const struct sim_sample_table *table)
{
	struct sim_sampler *s = g_new0(struct sim_sampler, 1);

	s->engine = e;
	s->stats = stats;
	s->table = *table;
	s->table.counts = s->counts = g_memdup2(table->counts, table->count_count * sizeof(*table->counts));
	s->period_units = sim_units_of_ps(e, period_ps);
	s->gauge_rows = g_malloc0_n(table->gauge_count, sizeof(*s->gauge_rows));
	return s;
}

static void counter_free(void *counter)
{
	struct counter *c = counter;

	g_free(c->instances);
	g_free(c);
}

void sim_sampler_free(struct sim_sampler *s)
{
	if (!s)
		return;
	if (s->counters)
		g_ptr_array_free(s->counters, TRUE);
	g_free(s->gauge_rows);
	g_free(s->counts);
	g_free(s);
}

/* ---- the counts ---- */

static struct counter *counter_at(const struct sim_sampler *s, uint32_t i)
{
	return g_ptr_array_index(s->counters, i);
}

static uint32_t counter_count(const struct sim_sampler *s)
{
	return s->counters ? s->counters->len : 0;
}

static struct counter *counter_add(struct sim_sampler *s, const struct sim_sample_count *what, uint32_t part,
				   uint32_t parts)
{
	struct counter *c = g_new0(struct counter, 1);

	CHECK(parts <= SIM_SAMPLE_PARTS_MAX);
	c->what = what;
	c->part = part;
	c->parts = parts;
	g_ptr_array_add(s->counters, c);
	return c;
}

static void add_parts(struct sim_sampler *s, const struct sim_sample_count *what, const uint64_t **all, uint32_t count)
{
	const uint32_t first = counter_count(s);
	uint32_t parts = 1;

	for (uint32_t i = 0; i < count; i++)
		parts = MAX(parts, what->part_of(s->table.self, i, count) + 1);
	for (uint32_t part = 0; part < parts; part++)
		counter_add(s, what, part, parts)->instances = g_new(const uint64_t *, count);
	for (uint32_t i = 0; i < count; i++) {
		struct counter *c = counter_at(s, first + what->part_of(s->table.self, i, count));

		c->instances[c->instance_count++] = all[i];
	}
}

/* Nothing of a statistic that there is not. */
static void find_statistic(struct sim_sampler *s, const struct sim_sample_count *what)
{
	uint32_t count;
	const uint64_t **instances = sim_stats_addresses(s->stats, what->name, &count);

	if (!instances)
		return;
	if (what->part_of) {
		add_parts(s, what, instances, count);
		g_free(instances);
	} else {
		struct counter *c = counter_add(s, what, 0, 1);

		c->instances = instances;
		c->instance_count = count;
	}
}

static void find_counters(struct sim_sampler *s)
{
	s->counters = g_ptr_array_new_with_free_func(counter_free);
	for (uint32_t i = 0; i < s->table.count_count; i++) {
		const struct sim_sample_count *what = &s->table.counts[i];
		const uint32_t parts = what->part_count ? what->part_count(s->table.self) : 1;

		if (!what->read)
			find_statistic(s, what);
		for (uint32_t part = 0; what->read && part < parts; part++)
			counter_add(s, what, part, parts);
	}
}

static uint64_t value_of(const struct sim_sampler *s, const struct counter *c)
{
	uint64_t sum = 0;

	if (c->what->read)
		return c->what->read(s->table.self, c->part);
	for (uint32_t i = 0; i < c->instance_count; i++)
		sum += *c->instances[i];
	return sum;
}

/* ---- rows ---- */

static uint64_t grown(const struct sim_sampler *s, struct counter *c)
{
	const uint64_t now = value_of(s, c), by = now - c->last;

	c->last = now;
	return by;
}

static void halve(struct sim_sampler *s)
{
	for (uint32_t i = 0; i < SIM_SAMPLE_ROWS / 2; i++) {
		s->start_ps[i] = s->start_ps[2 * i];
		s->end_ps[i] = s->end_ps[2 * i + 1];
		for (uint32_t k = 0; k < s->table.gauge_count; k++)
			s->gauge_rows[k][i] = s->gauge_rows[k][2 * i + 1];
		for (uint32_t k = 0; k < counter_count(s); k++) {
			uint64_t *rows = counter_at(s, k)->rows;

			rows[i] = rows[2 * i] + rows[2 * i + 1];
		}
	}
	s->row_count = SIM_SAMPLE_ROWS / 2;
	s->period_units *= 2;
}

static void end_row(struct sim_sampler *s, uint64_t end_units)
{
	const uint32_t row = s->row_count++;

	s->start_ps[row] = sim_ps_of_units(s->engine, s->row_start_units);
	s->end_ps[row] = sim_ps_of_units(s->engine, end_units);
	for (uint32_t i = 0; i < s->table.gauge_count; i++)
		s->gauge_rows[i][row] = s->table.gauges[i].read(s->table.self);
	for (uint32_t i = 0; i < counter_count(s); i++)
		counter_at(s, i)->rows[row] = grown(s, counter_at(s, i));
	s->row_start_units = end_units;
	if (s->row_count == SIM_SAMPLE_ROWS)
		halve(s);
}

void sim_sampler_begin(struct sim_sampler *s, uint64_t now_units)
{
	if (!s->counters)
		find_counters(s);
	s->row_start_units = now_units;
	for (uint32_t i = 0; i < counter_count(s); i++)
		grown(s, counter_at(s, i));
}

uint64_t sim_sampler_due_units(const struct sim_sampler *s)
{
	return s->row_start_units + s->period_units;
}

void sim_sampler_row(struct sim_sampler *s)
{
	end_row(s, sim_sampler_due_units(s));
}

void sim_sampler_end(struct sim_sampler *s, uint64_t end_units)
{
	if (end_units > s->row_start_units) {
		end_row(s, end_units);
		return;
	}
	for (uint32_t i = 0; s->row_count && i < counter_count(s); i++)
		counter_at(s, i)->rows[s->row_count - 1] += grown(s, counter_at(s, i));
}

void sim_sampler_run(struct sim_sampler *s, uint64_t limit_units)
{
	sim_sampler_begin(s, sim_now_units(s->engine));
	for (;;) {
		const uint64_t due = sim_sampler_due_units(s);

		sim_limit(s->engine, MIN(due, limit_units));
		sim_run(s->engine);
		if (!sim_was_limited(s->engine) || due >= limit_units)
			break;
		sim_sampler_row(s);
	}
	sim_limit(s->engine, limit_units);
	sim_sampler_end(s, sim_now_units(s->engine));
}

/* ---- what has been sampled ---- */

uint32_t sim_sampler_rows(const struct sim_sampler *s, const uint64_t **start_ps, const uint64_t **end_ps)
{
	*start_ps = s->start_ps;
	*end_ps = s->end_ps;
	return s->row_count;
}

const uint32_t *sim_sampler_gauge(const struct sim_sampler *s, uint32_t i, const char **name)
{
	if (i >= s->table.gauge_count)
		return NULL;
	*name = s->table.gauges[i].name;
	return s->gauge_rows[i];
}

bool sim_sampler_count(const struct sim_sampler *s, uint32_t i, uint32_t part, struct sim_sampled *out)
{
	for (uint32_t k = 0, n = 0; k < counter_count(s); k += counter_at(s, k)->parts, n++) {
		const struct counter *c = counter_at(s, k);

		if (n != i)
			continue;
		CHECK(part < c->parts);
		*out = (struct sim_sampled){c->what->name, c->what->part, c->parts, counter_at(s, k + part)->rows};
		return true;
	}
	return false;
}
