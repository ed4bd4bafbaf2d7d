/* tables.c - statistics and parameters of a run as members of its result object. */
#include "machine/tables.h"

#include "machine/json.h"

struct stat_sink {
	json_t *stats, *units;
	bool is_estimated;
};

static json_t *hist_json(const struct sim_hist *h)
{
	static const struct {
		const char *name;
		double q;
	} quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}};
	json_t *o = json_object();

	put_int(o, "count", h->count);
	put_int(o, "sum", h->sum);
	put_int(o, "max", h->max);
	for (uint32_t i = 0; i < G_N_ELEMENTS(quantiles); i++)
		put_int(o, quantiles[i].name, sim_hist_quantile(h, quantiles[i].q));
	return o;
}

static void sink_stat(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
		      const struct sim_hist *hist)
{
	struct stat_sink *sink = ctx;
	g_autofree char *key = g_strconcat(prefix, ".", row->name, NULL);

	/* A maximum or a histogram of a part of the run says nothing of the rest. */
	if (sink->is_estimated && row->kind != SIM_STAT_COUNT)
		json_object_set_new(sink->stats, key, json_null());
	else if (hist)
		json_object_set_new(sink->stats, key, hist_json(hist));
	else
		put_int(sink->stats, key, value);
	put_text(sink->units, key, row->unit);
}

json_t *machine_stats_json(const struct sim_stats *stats, json_t *units)
{
	struct stat_sink sink = {json_object(), units, sim_stats_is_estimated(stats)};

	sim_stats_each(stats, sink_stat, &sink);
	return sink.stats;
}

static void sink_distribution(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
			      const struct sim_hist *hist)
{
	g_autofree char *key = g_strconcat(prefix, ".", row->name, NULL);
	json_t *from, *count;

	(void)value;
	if (!hist || !hist->count)
		return;
	from = json_array();
	count = json_array();
	for (uint32_t i = 0; i < SIM_HIST_BUCKETS; i++) {
		if (!hist->bucket[i])
			continue;
		json_array_append_new(from, json_integer((json_int_t)sim_hist_edge(i)));
		json_array_append_new(count, json_integer(hist->bucket[i]));
	}
	json_object_set_new(ctx, key, json_pack("{s:o, s:o}", "from", from, "count", count));
}

json_t *machine_distributions_json(const struct sim_stats *stats)
{
	json_t *o = json_object();

	if (!sim_stats_is_estimated(stats))
		sim_stats_each(stats, sink_distribution, o);
	return o;
}

static json_t *value_json(const struct sim_param_group *group, const struct sim_param_desc *row)
{
	const double value = sim_param_value(group, row);
	char text[128];

	sim_param_format(group, row, text, sizeof(text));
	if (row->kind == SIM_PARAM_BOOL)
		return json_boolean(value != 0);
	if (row->kind == SIM_PARAM_ENUM || row->kind == SIM_PARAM_TEXT)
		return json_string(text);
	return row->kind == SIM_PARAM_F64 ? json_real(value) : json_integer((json_int_t)value);
}

json_t *machine_params_json(const struct sim_param_groups *groups, json_t *units)
{
	json_t *o = json_object();

	for (uint32_t g = 0; g < groups->count; g++) {
		const struct sim_param_group *group = &groups->items[g];

		for (uint32_t i = 0; i < group->row_count; i++) {
			const struct sim_param_desc *row = &group->rows[i];
			g_autofree char *key = g_strconcat(group->prefix, ".", row->name, NULL);

			json_object_set_new(o, key, value_json(group, row));
			if (*row->unit)
				put_text(units, key, row->unit);
		}
	}
	return o;
}

/* ---- energy ---- */

/* "l1", and "ddr.dram_static" of a memory with a name. */
static void put_component(json_t *o, const struct energy_component *c)
{
	g_autofree char *name = c->of ? g_strconcat(c->of, ".", c->name, NULL) : g_strdup(c->name);

	json_object_set_new(o, name, c->is_counted ? json_real(c->pj) : json_null());
}

/* Is some component of the scope there, or (is_counted) counted? */
static bool has_scope(const struct energy_report *report, enum energy_scope scope, bool is_counted)
{
	for (uint32_t i = 0; i < report->component_count; i++)
		if (report->components[i].scope == scope && (!is_counted || report->components[i].is_counted))
			return true;
	return false;
}

/* What of the sum, or of its static part, is the scope's: null where nothing of it is counted. */
static json_t *scope_pj(const struct energy_report *report, enum energy_scope scope, bool is_static)
{
	double pj = 0;

	for (uint32_t i = 0; i < report->component_count; i++)
		if (report->components[i].scope == scope && report->components[i].is_counted)
			pj += is_static ? report->components[i].static_pj : report->components[i].pj;
	return has_scope(report, scope, true) ? json_real(pj) : json_null();
}

/* Null where no row of it states an energy. */
void machine_energy_put_total(json_t *o, const struct energy_report *report)
{
	bool is_counted = false;

	for (uint32_t i = 0; i < ENERGY_SCOPE_COUNT; i++)
		is_counted = is_counted || has_scope(report, (enum energy_scope)i, true);
	json_object_set_new(o, "energy_total_pj", is_counted ? json_real(report->total_pj) : json_null());
}

void machine_energy_put_components(json_t *o, const struct energy_report *report)
{
	json_t *components = json_object();

	for (uint32_t i = 0; i < report->component_count; i++)
		put_component(components, &report->components[i]);
	json_object_set_new(o, "energy_pj", components);
}

void machine_energy_put(json_t *o, const struct energy_report *report)
{
	json_t *counted = json_array(), *others = json_array();
	json_t *scopes = json_object(), *statics = json_object();

	for (uint32_t i = 0; i < ENERGY_SCOPE_COUNT; i++) {
		const enum energy_scope scope = (enum energy_scope)i;

		if (!has_scope(report, scope, false))
			continue;
		json_array_append_new(has_scope(report, scope, true) ? counted : others,
				      json_string(energy_scope_text(scope)));
		json_object_set_new(scopes, energy_scope_text(scope), scope_pj(report, scope, false));
		json_object_set_new(statics, energy_scope_text(scope), scope_pj(report, scope, true));
	}
	machine_energy_put_total(o, report);
	machine_energy_put_components(o, report);
	json_object_set_new(o, "energy_scope_pj", scopes);
	json_object_set_new(o, "energy_static_pj", statics);
	json_object_set_new(o, "energy_scope", counted);
	json_object_set_new(o, "energy_not_counted", others);
}
