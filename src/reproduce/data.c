/* data.c - numbers of runs, and the measures that papers share. */
#include "reproduce/data.h"

#include "base/check.h"
#include "report/report.h"

#include <glib.h>
#include <math.h>
#include <string.h>

struct reproduce_data *reproduce_data_new(const struct reproduce_paper *paper)
{
	struct reproduce_data *d = g_new0(struct reproduce_data, 1);

	d->paper = paper;
	d->runs = g_new0(json_t *, (size_t)paper->config_count * paper->workload_count);
	return d;
}

void reproduce_data_free(struct reproduce_data *d)
{
	for (uint32_t i = 0; i < d->paper->config_count * d->paper->workload_count; i++)
		json_decref(d->runs[i]);
	g_free(d->runs);
	g_free(d);
}

uint32_t reproduce_workload(const struct reproduce_data *d, const char *name)
{
	uint32_t w = 0;

	while (w < d->paper->workload_count && strcmp(d->paper->workloads[w], name))
		w++;
	CHECK(w < d->paper->workload_count);
	return w;
}

const char *reproduce_size_suffix(enum experiment_size size)
{
	static const char *const suffixes[] = {
	    [EXPERIMENT_FULL] = "", [EXPERIMENT_QUICK] = "-quick", [EXPERIMENT_SAMPLED] = "-sampled"};

	return suffixes[size];
}

/* The error of a run's time as a share of it; 0: all of it was timed. */
static double error_share(const json_t *run)
{
	return report_has(run, "time_ps_error", NULL)
		   ? report_number(run, "time_ps_error", NULL) / report_number(run, "time_ps", NULL)
		   : 0;
}

/* Is this number of a sampled run one that grows with its time? */
static bool is_estimate(const char *outer)
{
	static const char *const names[] = {"time_ps", "cycles", "traffic_bytes", "energy_total_pj", "energy_pj"};

	for (uint32_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (!strcmp(outer, names[i]))
			return true;
	return false;
}

double reproduce_number(const struct reproduce_data *d, uint32_t config, uint32_t workload, const char *outer,
			const char *inner)
{
	const uint32_t index = config * d->paper->workload_count + workload;
	const json_t *run = d->runs[index];
	double x;

	if (!run || !report_has_run(run) || !json_is_true(json_object_get(run, "verified")))
		return NAN;
	x = report_number(run, outer, inner);
	return d->moved == index + 1 && is_estimate(outer) ? x * (1 + d->moved_by * error_share(run)) : x;
}

bool reproduce_each_moved(const struct reproduce_data *d, bool (*fn)(void *ctx, const struct reproduce_data *moved),
			  void *ctx)
{
	struct reproduce_data moved = *d;
	bool goes_on = true;

	for (uint32_t i = 0; goes_on && i < d->paper->config_count * d->paper->workload_count; i++) {
		if (!d->runs[i] || error_share(d->runs[i]) <= 0)
			continue;
		moved.moved = i + 1;
		moved.moved_by = 1;
		goes_on = fn(ctx, &moved);
		moved.moved_by = -1;
		goes_on = goes_on && fn(ctx, &moved);
	}
	return goes_on;
}

struct spread {
	const struct reproduce_row *row;
	double x, squares;
	bool is_estimated;
};

static bool spread_add(void *ctx, const struct reproduce_data *moved)
{
	struct spread *s = ctx;
	const double rounding = 1e-12 * fabs(s->x), by = s->row->measure(moved, s->row) - s->x;

	if (fabs(by) <= rounding) /* parts of one estimate, whose share stays */
		return true;
	s->is_estimated = true;
	s->squares += by * by / 2; /* of the two ways the mean */
	return true;
}

double reproduce_row_error(const struct reproduce_data *d, const struct reproduce_row *row)
{
	struct spread s = {.row = row, .x = row->measure(d, row)};

	reproduce_each_moved(d, spread_add, &s);
	if (!s.is_estimated)
		return NAN;
	return isnan(s.squares) ? INFINITY : sqrt(s.squares); /* an error as large as its time */
}

double reproduce_time_ps(const struct reproduce_data *d, uint32_t config, uint32_t workload)
{
	return reproduce_number(d, config, workload, "time_ps", NULL);
}

double reproduce_traffic_bytes(const struct reproduce_data *d, uint32_t config, uint32_t workload)
{
	return reproduce_number(d, config, workload, "traffic_bytes", "tx") +
	       reproduce_number(d, config, workload, "traffic_bytes", "rx") +
	       reproduce_number(d, config, workload, "traffic_bytes", "stack_to_stack") +
	       reproduce_number(d, config, workload, "stats", "host_link.up_wire_bytes") +
	       reproduce_number(d, config, workload, "stats", "host_link.down_wire_bytes");
}

double reproduce_energy_pj(const struct reproduce_data *d, uint32_t config, uint32_t workload)
{
	return reproduce_number(d, config, workload, "energy_total_pj", NULL);
}

double reproduce_speedup(const struct reproduce_data *d, uint32_t config, uint32_t against, uint32_t workload)
{
	return reproduce_time_ps(d, against, workload) / reproduce_time_ps(d, config, workload);
}

double reproduce_speedup_mean(const struct reproduce_data *d, uint32_t config, uint32_t against)
{
	double sum = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		sum += log(reproduce_speedup(d, config, against, w));
	return exp(sum / d->paper->workload_count);
}

typedef double quantity(const struct reproduce_data *d, uint32_t config, uint32_t workload);

static double ratio_mean(const struct reproduce_data *d, quantity *of, uint32_t config, uint32_t against)
{
	double sum = 0;

	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		sum += of(d, config, w) / of(d, against, w);
	return sum / d->paper->workload_count;
}

double reproduce_traffic_mean(const struct reproduce_data *d, uint32_t config, uint32_t against)
{
	return ratio_mean(d, reproduce_traffic_bytes, config, against);
}

double reproduce_energy_mean(const struct reproduce_data *d, uint32_t config, uint32_t against)
{
	return ratio_mean(d, reproduce_energy_pj, config, against);
}
