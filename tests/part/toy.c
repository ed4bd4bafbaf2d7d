/* toy.c - the part "toy": see toy.h. */
#include "toy.h"

#include <glib.h>

#include "base/check.h"
#include "machine/json.h"
#include "machine/machine.h"
#include "machine/parts.h"
#include "machine/traffic.h"

struct toy_params {
#include "sim/param_fields.inc"
#include "toy_params.def"
#include "sim/param_end.inc"
};
static const struct sim_param_desc param_rows[] = {
#define PARAM_STRUCT struct toy_params
#include "sim/param_rows.inc"
#include "toy_params.def"
#include "sim/param_end.inc"
};

struct toy_stats {
#include "sim/stat_fields.inc"
#include "toy_stats.def"
#include "sim/stat_end.inc"
};
static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct toy_stats
#include "sim/stat_rows.inc"
#include "toy_stats.def"
#include "sim/stat_end.inc"
};
static const struct sim_stat_table stat_table = {"toy", stat_rows, ARRAY_COUNT(stat_rows)};

struct toy_counts {
	uint32_t lane_count;
};
#define UNIT_EACH ENERGY_EACH, 0
#define UNIT_BITS ENERGY_BITS, 0
#define ENERGY_PARAMS struct toy_params
#define ENERGY_COUNTS struct toy_counts
#define ENERGY_TABLE toy_energy_table
#define ENERGY_ROWS "toy_energy_rows.def"
extern const struct energy_table toy_energy_table;
#include "energy/table.inc"

#define EXPLAIN_LINKAGE static
#define EXPLAIN_TABLE toy_explain
#define EXPLAIN_ROWS "toy_explain.def"
#include "sim/explain.inc"

/* ---- the device ---- */

struct toy {
	struct sim_engine *engine;
	const struct toy_params *params;
	struct sim_comp comp;
	uint32_t domain;
	const struct toy_step *steps, *next, *end;
	struct toy_stats stats;
	volatile bool is_stopped;
};

static uint64_t rounded_up(uint64_t amount, uint64_t per_cycle)
{
	return (amount + per_cycle - 1) / per_cycle;
}

/* One step, which ends when the next one begins. */
static void tick(void *component, uint64_t cycle)
{
	struct toy *t = component;
	uint64_t cycles;

	t->stats.cycles = cycle;
	if (t->next == t->end)
		return;
	if (t->next->is_load) {
		cycles = rounded_up(t->next->amount, t->params->port_bytes);
		t->stats.bytes += t->next->amount;
		t->stats.wait_cycles += t->params->latency_cycles;
		t->stats.port_cycles += cycles;
		cycles += t->params->latency_cycles;
	} else {
		cycles = rounded_up(t->next->amount, t->params->lane_count);
		t->stats.operations += t->next->amount;
		t->stats.work_cycles += cycles;
	}
	t->stats.steps++;
	t->next++;
	sim_wake_cycle(t->engine, t->comp, cycle + MAX(cycles, 1));
}

void toy_run(struct toy *t, const struct toy_step *steps, uint32_t count, struct machine_part_end *end)
{
	t->steps = t->next = steps;
	t->end = steps + count;
	sim_wake_cycle(t->engine, t->comp, 0);
	sim_run(t->engine);
	*end = (struct machine_part_end){
	    .cycles = t->stats.cycles,
	    .time_ps = sim_ps_of_units(t->engine, t->stats.cycles * sim_period_units(t->engine, t->domain)),
	    .was_limited = sim_was_limited(t->engine),
	    .was_stopped = t->is_stopped};
}

void toy_progress(const struct toy *t, struct sim_progress *out)
{
	*out = (struct sim_progress){.time_ps = sim_now_ps(t->engine),
				     .instructions = sim_progress_count(&t->stats.steps),
				     .done = sim_progress_count(&t->stats.steps),
				     .total = (uint64_t)(t->end - t->steps),
				     .of = "steps"};
}

void toy_stop(struct toy *t)
{
	t->is_stopped = true;
	sim_stop(t->engine);
}

/* ---- the part ---- */

static const struct toy_params *params(const struct machine_config *c)
{
	return machine_config_of(c, &machine_toy_part);
}

struct toy *toy_of(const struct machine *m)
{
	return machine_built(m, &machine_toy_part);
}

static bool is_present(const struct machine_config *c)
{
	return params(c)->lane_count;
}

static void groups(struct machine_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "toy", param_rows, ARRAY_COUNT(param_rows), machine_config_at(c, &machine_toy_part));
}

static void check(const struct machine_config *c, struct base_diag_list *diag)
{
	if (params(c)->lane_count)
		machine_timing_check(c, "toys", diag);
}

static bool clocks(const struct machine_config *c, struct sim_engine *e)
{
	uint32_t domain;

	return sim_domain_add(e, "toy", sim_period_of_khz(params(c)->clock_khz), &domain);
}

static void *build(struct machine *m)
{
	const uint64_t limit_ps = machine_run_params(m->config)->timeout_simulated_ps;
	struct toy *t = g_new0(struct toy, 1);

	t->engine = m->ctx.engine;
	t->params = params(m->config);
	t->domain = sim_domain_find(t->engine, "toy");
	t->comp = sim_engine_add(t->engine, t->domain, "toy", tick, t);
	if (limit_ps)
		sim_limit(t->engine, sim_units_of_ps(t->engine, limit_ps));
	sim_stats_add_table(m->ctx.stats, &stat_table, &t->stats, sizeof(t->stats));
	sim_stats_law(m->ctx.stats, "toy.cycles = toy.work_cycles + toy.wait_cycles + toy.port_cycles");
	return t;
}

static void stats_of(const struct machine_config *c, struct sim_stat_tables *out)
{
	(void)c;
	sim_stat_tables_add(out, &stat_table);
}

static const struct sim_explain *explain(const char *mechanism)
{
	(void)mechanism;
	return &toy_explain;
}

static void energy(const struct machine_config *c, struct energy_list *out)
{
	const struct toy_counts counts = {(uint32_t)params(c)->lane_count};

	energy_list_add(out, &toy_energy_table, params(c), &counts, sizeof(counts));
}

static void result(const struct machine_config *c, const struct machine *m, const struct sim_stats *stats,
		   json_t *fields, json_t *units)
{
	const double per_s = (double)params(c)->port_bytes * (double)params(c)->clock_khz * 1e3;

	machine_traffic_peak(fields, MACHINE_WAY_RX, per_s);
	put_text(units, "cycles", "cycles of the toy");
	(void)stats;
	if (m)
		machine_traffic_count(fields, MACHINE_WAY_RX, toy_of(m)->stats.bytes);
}

static const struct machine_files files = {.suffix = ".toy",
					   .program = "a program of the toy",
					   .door = "strata-toy",
					   .built = "tests/part",
					   .machine = "toy"};

const struct machine_part machine_toy_part = {.name = "toy",
					      .config_bytes = sizeof(struct toy_params),
					      .groups = groups,
					      .is_present = is_present,
					      .runs = "programs of the toy",
					      .files = &files,
					      .stats = stats_of,
					      .explain = explain,
					      .check = check,
					      .clocks = clocks,
					      .build = build,
					      .free = g_free,
					      .energy = energy,
					      .result = result};
