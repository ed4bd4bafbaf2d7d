/* cta_times.c - means and quantiles of the histogram, and its plot in SVG. */
#include "reproduce/cta_times.h"

#include "reproduce/colour.h"
#include "reproduce/svg.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

/* Geometry of a plot, in pixels; bins of the plotted time, four to a power of two. */
enum { WIDTH = 250, HEIGHT = 110, MARGIN = 24, BINS_PER_OCTAVE = 4, BINS_MAX = 64 * BINS_PER_OCTAVE };

/* NULL when the run is missing. */
static json_t *times_of(const struct reproduce_data *d, uint32_t config, uint32_t workload)
{
	json_t *run = d->runs[config * d->paper->workload_count + workload];

	return json_is_true(json_object_get(run, "verified")) ? json_object_get(run, "cta_times") : NULL;
}

static double count_of(json_t *times)
{
	const char *edge;
	json_t *count;
	double sum = 0;

	json_object_foreach(times, edge, count) sum += json_number_value(count);
	return sum;
}

double reproduce_cta_quantile_cycles(const struct reproduce_data *d, uint32_t config, uint32_t workload, double q)
{
	json_t *times = times_of(d, config, workload);
	double left = q * count_of(times);
	const char *edge;
	json_t *count;

	/* Edges ascend: an object keeps the order in which it was made. */
	json_object_foreach(times, edge, count) {
		left -= json_number_value(count);
		if (left <= 0)
			return strtod(edge, NULL);
	}
	return NAN;
}

double reproduce_cta_mean_cycles(const struct reproduce_data *d, uint32_t config, uint32_t workload)
{
	json_t *run = d->runs[config * d->paper->workload_count + workload];
	double cycles = 0, ctas = 0;
	json_t *sm;
	size_t i;

	if (!json_is_true(json_object_get(run, "verified")))
		return NAN;
	json_array_foreach(json_object_get(run, "sms"), i, sm) {
		if (!json_is_null(json_object_get(sm, "stack")))
			continue;
		cycles += json_number_value(json_object_get(sm, "cta_cycles"));
		ctas += json_number_value(json_object_get(sm, "ctas"));
	}
	return ctas > 0 ? cycles / ctas : NAN;
}

struct bins {
	double share[BINS_MAX];
	uint32_t first, last; /* first > last: empty */
	double top;
};

static struct bins bins_of(json_t *times)
{
	struct bins b = {.first = BINS_MAX};
	double all = count_of(times);
	const char *edge;
	json_t *count;

	json_object_foreach(times, edge, count) {
		double cycles = strtod(edge, NULL);
		uint32_t bin = cycles < 1 ? 0 : (uint32_t)(log2(cycles) * BINS_PER_OCTAVE);

		b.share[bin] += json_number_value(count) / all;
		b.first = MIN(b.first, bin);
		b.last = MAX(b.last, bin);
		b.top = MAX(b.top, b.share[bin]);
	}
	return b;
}

/* The line of one configuration: a step per bin. */
static void line_write(FILE *out, const struct bins *b, const struct bins *range, const char *colour, const char *name)
{
	double step = (double)WIDTH / (range->last + 1 - range->first);

	fprintf(out, "<path fill='none' stroke='%s' stroke-width='1.5' d='M%d %d", colour, MARGIN, HEIGHT);
	for (uint32_t i = range->first; i <= range->last; i++)
		fprintf(out, "V%.1fh%.2f", HEIGHT * (1 - 0.92 * b->share[i] / range->top), step);
	fprintf(out, "V%d'><title>%s</title></path>", HEIGHT, name);
}

/* Times at whole powers of two, at most six of them. */
static void axis_write(FILE *out, const struct bins *range)
{
	double step = (double)WIDTH / (range->last + 1 - range->first);
	uint32_t first = (range->first + BINS_PER_OCTAVE - 1) / BINS_PER_OCTAVE, last = range->last / BINS_PER_OCTAVE;
	uint32_t stride = last >= first ? (last - first) / 6 + 1 : 1;

	fprintf(out, "<line x1='%d' x2='%d' y1='%d' y2='%d' stroke='#666'/>", MARGIN, MARGIN + WIDTH, HEIGHT, HEIGHT);
	for (uint32_t octave = first; octave <= last; octave += stride)
		fprintf(out, "<text x='%.0f' y='%d' text-anchor='middle'>%.0f</text>",
			MARGIN + step * (octave * BINS_PER_OCTAVE - range->first), HEIGHT + 14, exp2(octave));
}

/* The lines of a figure. */
struct lines {
	const struct reproduce_data *data;
	const struct reproduce_figure *figure;
};

static const char *line_name(const void *ctx, uint32_t index)
{
	const struct lines *l = ctx;

	return l->data->paper->configs[l->figure->configs[index]].name;
}

static void workload_write(FILE *out, const struct reproduce_data *d, const struct reproduce_figure *f, uint32_t w)
{
	struct bins *bins = g_new(struct bins, f->config_count);
	struct bins range = {.first = BINS_MAX};
	const struct lines lines = {d, f};
	const struct reproduce_svg_key key = {.count = f->config_count, .name = line_name, .ctx = &lines};
	g_autofree char *title = g_strdup_printf("%s: %s, SM cycles", f->title, d->paper->workloads[w]);
	struct reproduce_svg svg;
	FILE *body = reproduce_svg_begin(&svg);

	for (uint32_t i = 0; i < f->config_count; i++) {
		bins[i] = bins_of(times_of(d, f->configs[i], w));
		range.first = MIN(range.first, bins[i].first);
		range.last = MAX(range.last, bins[i].last);
		range.top = MAX(range.top, bins[i].top);
	}
	for (uint32_t i = 0; range.top > 0 && i < f->config_count; i++)
		line_write(body, &bins[i], &range, reproduce_colour(i), d->paper->configs[f->configs[i]].name);
	if (range.top > 0)
		axis_write(body, &range);
	fprintf(body, "<text x='%d' y='11'>%s</text>", MARGIN + 4, d->paper->workloads[w]);
	reproduce_svg_end(&svg, out, WIDTH + 2 * MARGIN, HEIGHT + 22, title, &key);
	g_free(bins);
}

void reproduce_cta_times_write(FILE *out, const struct reproduce_data *d, const struct reproduce_figure *f)
{
	for (uint32_t w = 0; w < d->paper->workload_count; w++)
		workload_write(out, d, f, w);
	fputs("<p>Share of CTAs over SM cycles from placement to end.</p>\n", out);
}
