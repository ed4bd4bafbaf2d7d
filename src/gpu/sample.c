/* sample.c - counts over time, in a bounded number of rows. */
#include "gpu/sample.h"

#include <glib.h>

#include "base/check.h"

/* What tells most about bandwidth, issue, caches and near-data work. Those that a machine has not are left out. */
static const char *const keys[] = {
    "sm.warp_instructions",
    "sm.thread_instructions",
    "sm.guest_thread_instructions",
    "sm.ctas_done",
    "l1d.reads",
    "l1d.read_hits",
    "l2.reads",
    "l2.read_hits",
    "link_tx.bytes",
    "link_rx.bytes",
    "mesh.bytes",
    "vault.read_bytes",
    "vault.write_bytes",
    "vault.row_hits",
    "vault.row_misses",
    "vault.row_conflicts",
    "gpu.offloads",
    "gpu.cta_moves",
    "nsu.warp_instructions",
};

struct counter {
	const char *name;
	const uint64_t **instances;
	uint32_t instance_count;
	uint64_t last;  /* at the end of the last row */
	uint64_t *rows; /* [row_max] */
};

struct gpu_sampler {
	struct sim_engine *engine;
	uint64_t period_units, row_start_units;
	uint32_t row_count, row_max;
	uint64_t *start_ps, *end_ps;
	const struct gpu_gauge *gauges;
	uint32_t gauge_count;
	uint32_t *gauge_rows[GPU_SAMPLE_GAUGES_MAX];
	const void *self; /* of the gauges */
	struct counter counters[G_N_ELEMENTS(keys)];
	uint32_t counter_count;
	bool has_counters;
};

struct gpu_sampler *gpu_sampler_new(struct sim_engine *e, uint64_t period_ps, uint32_t row_max,
				    const struct gpu_gauge *gauges, uint32_t gauge_count, const void *self)
{
	struct gpu_sampler *s = g_new0(struct gpu_sampler, 1);

	CHECK(row_max >= 2 && row_max % 2 == 0 && gauge_count <= GPU_SAMPLE_GAUGES_MAX);
	s->engine = e;
	s->period_units = sim_units_of_ps(e, period_ps);
	s->row_max = row_max;
	s->start_ps = g_new(uint64_t, row_max);
	s->end_ps = g_new(uint64_t, row_max);
	s->gauges = gauges;
	s->gauge_count = gauge_count;
	for (uint32_t i = 0; i < gauge_count; i++)
		s->gauge_rows[i] = g_new(uint32_t, row_max);
	s->self = self;
	return s;
}

void gpu_sampler_free(struct gpu_sampler *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->counter_count; i++) {
		g_free(s->counters[i].instances);
		g_free(s->counters[i].rows);
	}
	g_free(s->start_ps);
	g_free(s->end_ps);
	for (uint32_t i = 0; i < s->gauge_count; i++)
		g_free(s->gauge_rows[i]);
	g_free(s);
}

static void find_counters(struct gpu_sampler *s, const struct sim_stats *stats)
{
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		struct counter c = {.name = keys[i]};

		c.instances = sim_stats_addresses(stats, keys[i], &c.instance_count);
		if (!c.instances)
			continue;
		c.rows = g_new(uint64_t, s->row_max);
		s->counters[s->counter_count++] = c;
	}
	s->has_counters = true;
}

static uint64_t value_of(const struct counter *c)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < c->instance_count; i++)
		sum += *c->instances[i];
	return sum;
}

/* What happened between kernels is in no row. */
static void begin(struct gpu_sampler *s)
{
	s->row_start_units = sim_now_units(s->engine);
	for (uint32_t i = 0; i < s->counter_count; i++)
		s->counters[i].last = value_of(&s->counters[i]);
}

static void halve(struct gpu_sampler *s)
{
	for (uint32_t i = 0; i < s->row_max / 2; i++) {
		s->start_ps[i] = s->start_ps[2 * i];
		s->end_ps[i] = s->end_ps[2 * i + 1];
		for (uint32_t k = 0; k < s->gauge_count; k++)
			s->gauge_rows[k][i] = s->gauge_rows[k][2 * i + 1];
		for (uint32_t k = 0; k < s->counter_count; k++)
			s->counters[k].rows[i] = s->counters[k].rows[2 * i] + s->counters[k].rows[2 * i + 1];
	}
	s->row_count = s->row_max / 2;
	s->period_units *= 2;
}

static void end_row(struct gpu_sampler *s, uint64_t end_units)
{
	const uint32_t row = s->row_count++;

	s->start_ps[row] = sim_ps_of_units(s->engine, s->row_start_units);
	s->end_ps[row] = sim_ps_of_units(s->engine, end_units);
	for (uint32_t i = 0; i < s->gauge_count; i++)
		s->gauge_rows[i][row] = s->gauges[i].read(s->self);
	for (uint32_t i = 0; i < s->counter_count; i++) {
		struct counter *c = &s->counters[i];
		const uint64_t now = value_of(c);

		c->rows[row] = now - c->last;
		c->last = now;
	}
	s->row_start_units = end_units;
	if (s->row_count == s->row_max)
		halve(s);
}

void gpu_sampler_run(struct gpu_sampler *s, const struct sim_stats *stats, uint64_t limit_units)
{
	uint64_t end_units;

	if (!s->has_counters)
		find_counters(s, stats);
	begin(s);
	for (;;) {
		end_units = s->row_start_units + s->period_units;
		sim_limit(s->engine, MIN(end_units, limit_units));
		sim_run(s->engine);
		if (!sim_was_limited(s->engine) || end_units >= limit_units)
			break;
		end_row(s, end_units);
	}
	sim_limit(s->engine, limit_units);
	if (sim_now_units(s->engine) > s->row_start_units)
		end_row(s, sim_now_units(s->engine));
}

void gpu_sampler_read(const struct gpu_sampler *s, struct gpu_samples *out)
{
	*out = (struct gpu_samples){.count = s->row_count,
				    .counter_count = s->counter_count,
				    .gauge_count = s->gauge_count,
				    .start_ps = s->start_ps,
				    .end_ps = s->end_ps};
	for (uint32_t i = 0; i < s->gauge_count; i++) {
		out->gauge_names[i] = s->gauges[i].name;
		out->gauges[i] = s->gauge_rows[i];
	}
	for (uint32_t i = 0; i < s->counter_count; i++) {
		out->names[i] = s->counters[i].name;
		out->counters[i] = s->counters[i].rows;
	}
}
