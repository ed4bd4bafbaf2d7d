/* curve.c - the picture of latency against bandwidth: scales, axes, lines, legend, as SVG text. */
#include "report/memory.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* In SVG's user units. */
enum {
	PLOT_LEFT = 84,
	PLOT_TOP = 56,
	PLOT_WIDTH = 640,
	PLOT_HEIGHT = 420,
	LEGEND_LEFT = PLOT_LEFT + PLOT_WIDTH + 24,
	LEGEND_LINE = 22,
	LEGEND_CHAR_WIDTH = 8,
	FONT_SIZE = 14,
	BELOW = 64,
};

/* One scale: what lies at its two ends; logarithmic from low on, or linear from 0. */
struct scale {
	double low, high;
	bool is_log;
};

struct picture {
	GString *text;
	struct scale x, y;
};

/* Colours that differ for colour-blind readers too (Okabe and Ito, 2008); more curves than that repeat them. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

static const double log_span = 12; /* from there on the scale of bandwidth is logarithmic */

static double number_of(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static const json_t *points_of(const json_t *run)
{
	const json_t *points = json_object_get(run, "curve");

	return json_array_size(points) ? points : NULL;
}

/* ---- scales ---- */

/* The nearest 1, 2 or 5 times a power of ten that is not less, or (down) not more. */
static double round_value(double v, bool is_down)
{
	static const double steps[] = {1, 2, 5, 10};
	const double power = pow(10, floor(log10(v) + 1e-9));
	double best = 10 * power;

	for (size_t i = G_N_ELEMENTS(steps); i-- > 0;) {
		const double s = steps[i] * power;

		if (is_down ? s <= v * (1 + 1e-9) : s >= v * (1 - 1e-9)) {
			best = s;
			if (is_down)
				break;
		}
	}
	return best;
}

static double part_of(const struct scale *s, double v)
{
	if (!s->is_log)
		return (v - s->low) / (s->high - s->low);
	return log(v / s->low) / log(s->high / s->low);
}

static double x_of(const struct picture *p, double v)
{
	return PLOT_LEFT + PLOT_WIDTH * part_of(&p->x, v);
}

static double y_of(const struct picture *p, double v)
{
	return PLOT_TOP + PLOT_HEIGHT * (1 - part_of(&p->y, v));
}

/* Latencies of a memory that does not keep up say how long the run was: they are off the picture. */
static void set_scales(struct picture *p, const json_t *runs)
{
	double rate_low = INFINITY, rate_high = 0, low = INFINITY, high = 0;
	const json_t *run, *point;
	size_t i, k;

	json_array_foreach(runs, i, run) {
		double rate = 0;

		json_array_foreach(points_of(run), k, point) {
			rate = MAX(rate, number_of(point, "gbytes_per_s"));
			low = MIN(low, number_of(point, "latency_mean_ns"));
			if (!json_is_true(json_object_get(point, "is_saturated")))
				high = MAX(high, number_of(point, "latency_p99_ns"));
		}
		if (rate > 0)
			rate_low = MIN(rate_low, rate);
		rate_high = MAX(rate_high, rate);
	}
	if (!(low > 0) || isinf(low) || rate_high <= 0) /* no point at all */
		low = rate_high = rate_low = 1;
	p->x.is_log = rate_high > log_span * rate_low;
	p->x.low = p->x.is_log ? round_value(rate_low / 20, true) : 0;
	p->x.high = round_value(rate_high, false);
	if (!p->x.is_log && p->x.high > 1.5 * rate_high)
		p->x.high *= 0.8; /* 4 or 8 rather than 5 or 10 */
	p->y = (struct scale){round_value(low, true), round_value(MAX(1.5 * high, 4 * low), false), true};
}

/* ---- drawing ---- */

static void G_GNUC_PRINTF(2, 3) put(struct picture *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	g_string_append_vprintf(p->text, fmt, ap);
	va_end(ap);
}

static void put_label(struct picture *p, double x, double y, const char *anchor, const char *text)
{
	g_autofree char *escaped = g_markup_escape_text(text, -1);

	put(p, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, escaped);
}

static void put_tick(struct picture *p, bool is_x, double v)
{
	g_autofree char *label = g_strdup_printf("%g", v);

	if (is_x) {
		put(p, "<path class=\"grid\" d=\"M%.1f %d V%d\"/>\n", x_of(p, v), PLOT_TOP, PLOT_TOP + PLOT_HEIGHT);
		put_label(p, x_of(p, v), PLOT_TOP + PLOT_HEIGHT + 1.4 * FONT_SIZE, "middle", label);
	} else {
		put(p, "<path class=\"grid\" d=\"M%d %.1f H%d\"/>\n", PLOT_LEFT, y_of(p, v),
		    PLOT_LEFT + PLOT_WIDTH);
		put_label(p, PLOT_LEFT - 8, y_of(p, v) + FONT_SIZE / 3.0, "end", label);
	}
}

static void put_ticks(struct picture *p, bool is_x)
{
	const struct scale *s = is_x ? &p->x : &p->y;
	const double end = s->high * (1 + 1e-9);

	if (s->is_log) {
		for (double v = s->low; v <= end; v = round_value(1.5 * v, false))
			put_tick(p, is_x, v);
		return;
	}

	const double step = round_value((s->high - s->low) / 10, false);

	for (uint32_t i = 0; s->low + i * step <= end; i++)
		put_tick(p, is_x, s->low + i * step);
}

static void put_axes(struct picture *p)
{
	const double middle = PLOT_TOP + PLOT_HEIGHT / 2.0;

	put_ticks(p, true);
	put_ticks(p, false);
	put(p, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", PLOT_LEFT, PLOT_TOP,
	    PLOT_WIDTH, PLOT_HEIGHT);
	put_label(p, PLOT_LEFT + PLOT_WIDTH / 2.0, PLOT_TOP + PLOT_HEIGHT + 3.2 * FONT_SIZE, "middle",
		  "bandwidth delivered (GB/s)");
	put(p,
	    "<text x=\"24\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 24 %.1f)\">"
	    "latency (ns)</text>\n",
	    middle, middle);
	put(p,
	    "<text class=\"title\" x=\"%d\" y=\"%d\">Latency against bandwidth: requests at a rate</text>\n",
	    PLOT_LEFT, PLOT_TOP - 24);
}

static void put_line(struct picture *p, const json_t *points, const char *key, const char *colour, bool is_dashed)
{
	const char *command = "M";
	const json_t *point;
	size_t i;

	put(p, "<path class=\"curve%s\" stroke=\"%s\" d=\"", is_dashed ? " tail" : "", colour);
	json_array_foreach(points, i, point) {
		put(p, "%s%.1f %.1f", command, x_of(p, number_of(point, "gbytes_per_s")),
		    y_of(p, number_of(point, key)));
		command = " L";
		if (json_is_true(json_object_get(point, "is_saturated")))
			break;
	}
	put(p, "\"/>\n");
	json_array_foreach(points, i, point) {
		if (is_dashed || json_is_true(json_object_get(point, "is_saturated")))
			break;
		put(p, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n",
		    x_of(p, number_of(point, "gbytes_per_s")), y_of(p, number_of(point, key)), colour);
	}
}

static char *name_of(const json_t *run)
{
	return g_strdup_printf("%s, %s", json_string_value(json_object_get(run, "memory")),
			       json_string_value(json_object_get(run, "stream")));
}

static void put_swatch(struct picture *p, double y, const char *colour, bool is_dashed, const char *text)
{
	put(p, "<path class=\"curve%s\" stroke=\"%s\" d=\"M%d %.1f h28\"/>\n", is_dashed ? " tail" : "", colour,
	    LEGEND_LEFT, y);
	put_label(p, LEGEND_LEFT + 36, y + FONT_SIZE / 3.0, "start", text);
}

static void put_curves(struct picture *p, const json_t *runs)
{
	const json_t *run;
	uint32_t count = 0;
	double y = PLOT_TOP + 10;
	size_t i;

	put_swatch(p, y, "#555555", false, "mean");
	put_swatch(p, y + LEGEND_LINE, "#555555", true, "99th percentile");
	y += 2.6 * LEGEND_LINE;
	json_array_foreach(runs, i, run) {
		const char *colour = colours[count % G_N_ELEMENTS(colours)];
		g_autofree char *name = name_of(run);

		if (!points_of(run))
			continue;
		put(p, "<g clip-path=\"url(#plot)\">\n");
		put_line(p, points_of(run), "latency_mean_ns", colour, false);
		put_line(p, points_of(run), "latency_p99_ns", colour, true);
		put(p, "</g>\n");
		put_swatch(p, y, colour, false, name);
		y += LEGEND_LINE;
		count++;
	}
}

static GString *picture_of(const json_t *runs)
{
	struct picture p = {.text = g_string_new(NULL)};
	size_t longest = strlen("99th percentile"), i;
	uint32_t count = 0;
	const json_t *run;

	json_array_foreach(runs, i, run) {
		g_autofree char *name = name_of(run);

		if (!points_of(run))
			continue;
		longest = MAX(longest, strlen(name));
		count++;
	}

	const int width = LEGEND_LEFT + 36 + LEGEND_CHAR_WIDTH * (int)longest + 8;
	const int height = PLOT_TOP + MAX(PLOT_HEIGHT + BELOW, LEGEND_LINE * ((int)count + 4));

	set_scales(&p, runs);
	put(&p,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
	    "font-family=\"sans-serif\" font-size=\"%d\" fill=\"#222222\">\n"
	    "<style>.grid{stroke:#dddddd;fill:none}.frame{stroke:#222222;fill:none}.title{font-size:17px}"
	    ".curve{fill:none;stroke-width:2}.tail{stroke-dasharray:5 4;stroke-width:1.5}</style>\n"
	    "<clipPath id=\"plot\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n"
	    "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
	    width, height, width, height, FONT_SIZE, PLOT_LEFT, PLOT_TOP, PLOT_WIDTH, PLOT_HEIGHT, width, height);
	put_axes(&p);
	put_curves(&p, runs);
	put(&p, "</svg>\n");
	return p.text;
}

bool report_curve_write(const char *path, const json_t *runs)
{
	g_autoptr(GString) text = picture_of(runs);

	return report_text_write(path, text->str, text->len);
}
