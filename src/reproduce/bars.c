/* bars.c - groups of bars as SVG, above and below nothing. */
#include "reproduce/bars.h"

#include "reproduce/colour.h"
#include "reproduce/svg.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* Geometry of a plot, in pixels. */
enum {
	BAR_WIDTH = 9,
	GROUP_GAP = 12,
	PLOT_HEIGHT = 180,
	LABEL_LEAST = 40,
	LABEL_MOST = 200,
	AXIS_WIDTH = 44,
	Y_TITLE_HEIGHT = 18,
	TOP = 8
};

/* The axis: of a drawing that has nothing below 0 it begins there. */
struct range {
	double bottom, top, step, above; /* above: pixels over it */
};

/* At most eight lines: 0.2, 0.5, 1, 2, 5, 10 ... */
static double axis_step(double length)
{
	static const double steps[] = {2, 5, 10};
	double step = 0.2;

	for (uint32_t i = 1; step * 8 < length; i++)
		step = steps[i % 3] * pow(10, (double)(i / 3) - 1);
	return step;
}

static struct range range_find(const struct reproduce_bars *b)
{
	struct range r = {.top = b->least_top, .above = TOP + (b->y_title ? Y_TITLE_HEIGHT : 0)};

	for (uint32_t g = 0; g < b->group_count; g++)
		for (uint32_t i = 0; i < b->bar_count; i++) {
			const double v = b->value(b->ctx, i, g);

			if (isfinite(v)) {
				r.top = fmax(r.top, v);
				r.bottom = fmin(r.bottom, v);
			}
		}
	r.top = ceil(r.top * 5) / 5;
	r.step = axis_step(r.top - r.bottom);
	r.bottom = floor(r.bottom / r.step) * r.step;
	return r;
}

static double y_of(const struct range *r, double v)
{
	return r->above + PLOT_HEIGHT * (r->top - v) / (r->top - r->bottom);
}

static void axis_write(FILE *out, const struct reproduce_bars *b, const struct range *r, double width)
{
	for (double v = r->bottom; v <= r->top + 1e-9; v += r->step) {
		const double y = y_of(r, v);

		fprintf(out, "<line x1='%d' x2='%.0f' y1='%.1f' y2='%.1f' stroke='%s'/>", AXIS_WIDTH, width, y, y,
			fabs(v - 1) < 1e-9 || fabs(v) < 1e-9 ? "#666" : "#ddd");
		fprintf(out, "<text x='%d' y='%.1f' text-anchor='end'>%.1f</text>", AXIS_WIDTH - 6, y + 4,
			fabs(v) < 1e-9 ? 0 : v);
	}
	if (b->y_title)
		fprintf(out, "<text x='0' y='11'>%s</text>", b->y_title);
}

static void group_write(FILE *out, const struct reproduce_bars *b, const struct range *r, uint32_t g)
{
	double x = AXIS_WIDTH + GROUP_GAP + g * (double)(b->bar_count * BAR_WIDTH + GROUP_GAP);
	g_autofree char *name = g_markup_escape_text(b->group_name(b->ctx, g), -1);

	for (uint32_t i = 0; i < b->bar_count; i++) {
		const double v = b->value(b->ctx, i, g), y = y_of(r, fmax(v, 0));
		g_autofree char *bar = g_markup_escape_text(b->bar_name(b->ctx, i), -1);

		if (isfinite(v))
			fprintf(out,
				"<rect x='%.0f' y='%.1f' width='%d' height='%.1f' fill='%s'><title>%s, %s: "
				"%.3f</title></rect>",
				x + i * BAR_WIDTH, y, BAR_WIDTH - 1, y_of(r, fmin(v, 0)) - y,
				reproduce_colour(i), name, bar, v);
	}
	x += b->bar_count * BAR_WIDTH / 2.0;
	fprintf(out, "<text transform='translate(%.0f,%.0f) rotate(-40)' text-anchor='end'>%s</text>", x,
		r->above + PLOT_HEIGHT + 16, name);
}

/* Room for the longest name, which stands aslant. */
static double label_height(const struct reproduce_bars *b)
{
	size_t longest = 0;

	for (uint32_t g = 0; g < b->group_count; g++)
		longest = MAX(longest, strlen(b->group_name(b->ctx, g)));
	return CLAMP(24 + 4.0 * (double)longest, LABEL_LEAST, LABEL_MOST);
}

void reproduce_bars_write(FILE *out, const struct reproduce_bars *b)
{
	const double width =
	    AXIS_WIDTH + GROUP_GAP + b->group_count * (double)(b->bar_count * BAR_WIDTH + GROUP_GAP);
	const struct range r = range_find(b);
	const struct reproduce_svg_key key = {.count = b->bar_count, .name = b->bar_name, .ctx = b->ctx};
	struct reproduce_svg svg;
	FILE *body = reproduce_svg_begin(&svg);

	axis_write(body, b, &r, width);
	for (uint32_t g = 0; g < b->group_count; g++)
		group_write(body, b, &r, g);
	reproduce_svg_end(&svg, out, width, r.above + PLOT_HEIGHT + label_height(b), b->title, &key);
}
