/* page.c - the page of a reproduction: one file of HTML with its plots drawn in SVG, readable without a network. */
#include "reproduce/outcome.h"

#include "reproduce/bars.h"
#include "reproduce/beside.h"
#include "reproduce/cta_times.h"
#include "reproduce/described.h"
#include "reproduce/scatter.h"

#include <glib.h>
#include <math.h>

static const char style[] =
	"body{font:15px/1.45 sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#222}"
	"table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .7em;border-bottom:1px solid #ddd;"
	"text-align:left;vertical-align:top}td.n{text-align:right;white-space:nowrap}"
	".pass{color:#2a7d2a}.fail{color:#c02020;font-weight:bold}.explained{color:#a06000}.open{color:#806080}"
	".contradicted{color:#c02020}.absent,.input{color:#888}"
	"figure{margin:0 0 1em;overflow-x:auto}figure p{margin:.2em 0}";

static void text_write(FILE *out, const char *text)
{
	g_autofree char *escaped = g_markup_escape_text(text, -1);

	fputs(escaped, out);
}

static double bar_value(const struct reproduce_data *d, enum reproduce_plot plot, uint32_t config, uint32_t workload)
{
	switch (plot) {
	case REPRODUCE_PLOT_SPEEDUP:
		return reproduce_speedup(d, config, 0, workload);
	case REPRODUCE_PLOT_TRAFFIC:
		return reproduce_traffic_bytes(d, config, workload) / reproduce_traffic_bytes(d, 0, workload);
	case REPRODUCE_PLOT_ENERGY:
		return reproduce_energy_pj(d, config, workload) / reproduce_energy_pj(d, 0, workload);
	case REPRODUCE_PLOT_CTA_TIMES: /* has no bars */
		break;
	}
	return NAN;
}

static double mean_value(const struct reproduce_data *d, enum reproduce_plot plot, uint32_t config)
{
	switch (plot) {
	case REPRODUCE_PLOT_SPEEDUP:
		return reproduce_speedup_mean(d, config, 0);
	case REPRODUCE_PLOT_TRAFFIC:
		return reproduce_traffic_mean(d, config, 0);
	case REPRODUCE_PLOT_ENERGY:
		return reproduce_energy_mean(d, config, 0);
	case REPRODUCE_PLOT_CTA_TIMES:
		break;
	}
	return NAN;
}

/* A plot: one of the two. */
struct drawing {
	const struct reproduce_data *data;
	const struct reproduce_figure *figure;
	const struct reproduce_chart *chart;
};

static uint32_t bars_of(const struct drawing *f)
{
	return f->chart ? f->chart->bar_count : f->figure->config_count;
}

/* A figure has the mean behind the workloads. */
static uint32_t groups_of(const struct drawing *f)
{
	return f->chart ? f->chart->group_count : f->data->paper->workload_count + 1;
}

static const char *bar_name(const void *ctx, uint32_t bar)
{
	const struct drawing *f = ctx;

	return f->chart ? f->chart->bars[bar] : f->data->paper->configs[f->figure->configs[bar]].name;
}

static const char *group_name(const void *ctx, uint32_t group)
{
	const struct drawing *f = ctx;

	if (f->chart)
		return f->chart->groups[group];
	return group < f->data->paper->workload_count ? f->data->paper->workloads[group] : "mean";
}

static double group_value(const void *ctx, uint32_t bar, uint32_t group)
{
	const struct drawing *f = ctx;
	const struct reproduce_data *d = f->data;

	if (f->chart)
		return reproduce_described_number(d, f->chart->expressions[bar], group);

	enum reproduce_plot plot = f->figure->plot;
	uint32_t config = f->figure->configs[bar];

	return group < d->paper->workload_count ? bar_value(d, plot, config, group) : mean_value(d, plot, config);
}

/* Of a figure; a chart's title says it. */
static const char *y_title(const struct drawing *f)
{
	static const char *const titles[] = {[REPRODUCE_PLOT_SPEEDUP] = "speed-up",
					     [REPRODUCE_PLOT_TRAFFIC] = "traffic",
					     [REPRODUCE_PLOT_ENERGY] = "energy"};

	return f->chart ? NULL : titles[f->figure->plot];
}

static void drawing_write(FILE *out, const struct drawing *f)
{
	const char *title = f->chart ? f->chart->title : f->figure->title;

	fputs("<h3>", out);
	text_write(out, title);
	fputs("</h3>", out);
	if (f->figure && f->figure->plot == REPRODUCE_PLOT_CTA_TIMES)
		reproduce_cta_times_write(out, f->data, f->figure);
	else
		reproduce_bars_write(out, &(struct reproduce_bars){.title = title,
								   .y_title = y_title(f),
								   .bar_count = bars_of(f),
								   .group_count = groups_of(f),
								   .least_top = f->chart ? 0.2 : 1.2,
								   .value = group_value,
								   .bar_name = bar_name,
								   .group_name = group_name,
								   .ctx = f});
}

static void number_cell(FILE *out, double x, const char *unit)
{
	if (isfinite(x))
		fprintf(out, "<td class='n'>%.4g %s</td>", x, unit);
	else
		fputs("<td class='n'>-</td>", out);
}

static void measured_cell(FILE *out, const struct reproduce_outcome *o)
{
	if (isinf(o->error))
		fprintf(out, "<td class='n'>%.4g &plusmn; unknown %s</td>", o->measured, o->published->unit);
	else if (isfinite(o->error))
		fprintf(out, "<td class='n'>%.4g &plusmn; %.2g %s</td>", o->measured, o->error, o->published->unit);
	else
		number_cell(out, o->measured, o->published->unit);
}

static void row_write(FILE *out, const struct reproduce_outcome *o)
{
	const struct reproduce_published *p = o->published;
	const char *status = reproduce_status_name(o->status);

	fprintf(out, "<tr><td>%s</td><td>", o->id);
	if (p) {
		text_write(out, p->workload);
		fputs("</td><td>", out);
		text_write(out, p->configuration);
		fputs("</td><td>", out);
	}
	text_write(out, o->text);
	fputs("</td>", out);
	if (p) {
		number_cell(out, p->value, p->unit);
		measured_cell(out, o);
		number_cell(out, o->deviation, p->unit);
	}
	fprintf(out, "<td class='%s'>%s</td><td>", status, status);
	text_write(out, o->note);
	fputs("</td></tr>\n", out);
}

static void table_write(FILE *out, const struct reproduce_outcomes *o, bool is_claims)
{
	fputs(is_claims ? "<h2>Claims</h2><table><tr><th>claim<th>what must hold<th>status<th>seen</tr>\n"
			: "<h2>Numbers</h2><table><tr><th>id<th>workload<th>configuration<th>quantity<th>paper"
			  "<th>measured<th>deviation<th>status<th>note</tr>\n",
	      out);
	for (uint32_t i = 0; i < o->count; i++) {
		if (!o->items[i].published == is_claims)
			row_write(out, &o->items[i]);
	}
	fputs("</table>\n", out);
}

void reproduce_page_write(FILE *out, const struct reproduce_data *data, const struct reproduce_outcomes *o,
			  const char *title_suffix)
{
	const struct reproduce_paper *paper = data->paper;
	g_autoptr(GString) first = g_string_new(NULL);

	fputs("<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>", out);
	text_write(out, paper->title);
	fprintf(out, "</title><style>%s</style></head><body><h1>", style);
	text_write(out, paper->title);
	fputs(": published and measured</h1><p><b>", out);
	reproduce_outcomes_head(first, o);
	text_write(out, first->str);
	fputs("</b></p><p>", out);
	text_write(out, title_suffix);
	fputs("</p>", out);
	if (paper->figure_count)
		fprintf(out,
			"<p>Relative to %s. Speed-ups are averaged geometrically, traffic and energy "
			"arithmetically.</p>",
			paper->configs[0].name);
	for (uint32_t i = 0; i < paper->figure_count; i++)
		drawing_write(out, &(struct drawing){.data = data, .figure = &paper->figures[i]});
	for (uint32_t i = 0; i < paper->chart_count; i++)
		drawing_write(out, &(struct drawing){.data = data, .chart = &paper->charts[i]});
	for (uint32_t i = 0; i < paper->scatter_count; i++)
		reproduce_scatter_write(out, data, &paper->scatters[i]);
	reproduce_beside_write(out, o);
	table_write(out, o, true);
	table_write(out, o, false);
	fputs("</body></html>\n", out);
}
