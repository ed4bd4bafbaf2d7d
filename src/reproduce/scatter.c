/* scatter.c - points in the plane, in SVG. */
#include "reproduce/scatter.h"

#include "reproduce/colour.h"
#include "reproduce/svg.h"

#include <glib.h>
#include <math.h>

enum { WIDTH = 520, HEIGHT = 300, LEFT = 70, RIGHT = 30, BOTTOM = 40, TOP = 10, TICKS = 6 };

struct axis {
	double from, to; /* of logarithms where is_log */
	bool is_log;
};

static double placed(const struct axis *a, double value)
{
	return ((a->is_log ? log10(value) : value) - a->from) / (a->to - a->from);
}

/* From 0, or from a power of ten, a little past the largest. */
static struct axis axis_of(const struct reproduce_point *points, uint32_t count, bool is_log, bool is_y)
{
	double least = INFINITY, most = 0;

	for (uint32_t i = 0; i < count; i++) {
		const double v = is_y ? points[i].y : points[i].x;

		least = fmin(least, v);
		most = fmax(most, v);
	}
	if (is_log)
		return (struct axis){floor(log10(least)), floor(log10(most)) + 1, true};
	return (struct axis){0, most * 1.05, false};
}

static void tick_write(FILE *out, double share, const char *text, bool is_y)
{
	const double x = LEFT + share * WIDTH, y = TOP + HEIGHT * (1 - share);

	if (is_y)
		fprintf(out,
			"<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#ddd'/>"
			"<text x='%d' y='%.1f' text-anchor='end'>%s</text>",
			LEFT, LEFT + WIDTH, y, y, LEFT - 6, y + 4, text);
	else
		fprintf(out,
			"<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='#ddd'/>"
			"<text x='%.1f' y='%d' text-anchor='middle'>%s</text>",
			x, x, TOP, TOP + HEIGHT, x, TOP + HEIGHT + 14, text);
}

/* Powers of ten, or so many equal steps. */
static void axis_write(FILE *out, const struct axis *a, bool is_y)
{
	const uint32_t steps = a->is_log ? (uint32_t)(a->to - a->from) : TICKS;

	for (uint32_t i = 0; i <= steps; i++) {
		const double v = a->from + (a->to - a->from) * i / steps;
		char text[32];

		g_snprintf(text, sizeof(text), "%.3g", a->is_log ? pow(10, v) : v);
		tick_write(out, (double)i / steps, text, is_y);
	}
}

static void titles_write(FILE *out, const struct reproduce_scatter *s)
{
	fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>%s</text>", LEFT + WIDTH / 2, TOP + HEIGHT + 32,
		s->x_title);
	fprintf(out, "<text transform='translate(14,%d) rotate(-90)' text-anchor='middle'>%s</text>", TOP + HEIGHT / 2,
		s->y_title);
}

static void point_write(FILE *out, const struct reproduce_point *p, const struct axis *x, const struct axis *y)
{
	g_autofree char *name = g_markup_escape_text(p->name, -1);
	const char *colour = reproduce_colour(p->series);

	fprintf(out,
		"<circle cx='%.1f' cy='%.1f' r='%d' stroke='%s' fill='%s'><title>%s: %.4g, %.4g</title></circle>",
		LEFT + placed(x, p->x) * WIDTH, TOP + HEIGHT * (1 - placed(y, p->y)), p->is_published ? 7 : 4, colour,
		p->is_published ? "none" : colour, name, p->x, p->y);
}

static const char *series_name(const void *ctx, uint32_t index)
{
	return ((const struct reproduce_scatter *)ctx)->series[index];
}

void reproduce_scatter_write(FILE *out, const struct reproduce_data *d, const struct reproduce_scatter *s)
{
	g_autofree struct reproduce_point *points = g_new0(struct reproduce_point, REPRODUCE_POINTS_MAX);
	const uint32_t count = s->points(d, points);
	struct reproduce_svg_key key = {.count = s->series_count, .name = series_name, .ctx = s, .is_round = true};
	bool has_published = false;
	struct reproduce_svg svg;
	struct axis x, y;
	FILE *body;

	if (!count)
		return;
	x = axis_of(points, count, s->is_log, false);
	y = axis_of(points, count, s->is_log, true);
	fprintf(out, "<h3>%s</h3>", s->title);
	body = reproduce_svg_begin(&svg);
	axis_write(body, &x, false);
	axis_write(body, &y, true);
	titles_write(body, s);
	for (uint32_t i = 0; i < count; i++) {
		point_write(body, &points[i], &x, &y);
		has_published |= points[i].is_published;
	}
	key.more = has_published ? "Circles: the paper's." : NULL;
	reproduce_svg_end(&svg, out, LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM, s->title, &key);
}
