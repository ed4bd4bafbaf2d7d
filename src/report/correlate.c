/* correlate.c - which modelled time is which measured one's, how far they are apart, and the worst of them. */
#include "report/correlate.h"

#include "report/demangle.h"
#include "report/measured.h"
#include "report/report.h"
#include "report/why.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* How two names are the same, the surest first. */
enum way { BY_NAME, BY_TITLE, BY_BASE, BY_TEMPLATE, WAY_COUNT };
static const char *const ways[WAY_COUNT] = {"name", "title", "base", "template"};

static double number(const json_t *o, const char *key)
{
	return report_number(o, key, NULL);
}

static const char *text(const json_t *o, const char *key)
{
	const char *value = json_string_value(json_object_get(o, key));

	return value ? value : "";
}

/* ---- what was modelled ---- */

/* count and time_ps more of that name. */
static void modelled_add(json_t *list, const char *name, double count, double time_ps, size_t run)
{
	json_t *row;
	size_t i;

	if (!(time_ps > 0 && count > 0))
		return;
	json_array_foreach(list, i, row) {
		if (strcmp(text(row, "name"), name))
			continue;
		json_object_set_new(row, "count", json_real(number(row, "count") + count));
		json_object_set_new(row, "sum_ps", json_real(number(row, "sum_ps") + time_ps));
		return;
	}
	json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:I}", "name", name, "count", count, "sum_ps", time_ps,
					      "run", (json_int_t)run));
}

static void kernels_add(json_t *list, const json_t *run, size_t at)
{
	const json_t *sum;
	size_t i;

	json_array_foreach(json_object_get(run, "kernel_sums"), i, sum)
		modelled_add(list, text(sum, "name"), number(sum, "launches"), number(sum, "time_ps"), at);
}

static void figures_add(json_t *list, const json_t *run, size_t at)
{
	json_t *value;
	const char *name;

	json_object_foreach(json_object_get(run, "measures"), name, value) {
		g_autofree char *key = g_strconcat("measures.", name, NULL);

		modelled_add(list, name, 1,
			     report_figure_ps(text(json_object_get(run, "units"), key), json_number_value(value)), at);
	}
}

/* A program's time is that of its longest process, which is there from the first to the last. */
static void program_add(json_t *list, const json_t *run, size_t at)
{
	const char *name = text(run, "workload");
	const double total = number(run, "total_time_ps"), time = total > 0 ? total : number(run, "time_ps");
	json_t *row = json_array_get(list, json_array_size(list) - 1);

	if (!row || strcmp(text(row, "name"), name))
		modelled_add(list, name, 1, time, at);
	else if (time > number(row, "sum_ps"))
		json_object_set_new(row, "sum_ps", json_real(time));
}

static json_t *modelled_of(const json_t *runs, const char *kind)
{
	json_t *list = json_array();
	const json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) {
		if (!strcmp(kind, "kernels"))
			kernels_add(list, run, i);
		else if (!strcmp(kind, "figures"))
			figures_add(list, run, i);
		else
			program_add(list, run, i);
	}
	return list;
}

/* ---- which is which ---- */

struct side {
	const json_t *rows;
	size_t count;
	GPtrArray *keys[WAY_COUNT];    /* of each row */
	GHashTable *counts[WAY_COUNT]; /* of rows that have a key */
	gssize *other;                 /* the row of the other side; -1: none yet */
};

/* A program may be measured by its path. */
static char *key_of(const char *name, bool is_program, enum way way)
{
	if (is_program)
		return way == BY_NAME ? g_strdup(name) : g_path_get_basename(name);

	g_autofree char *title = report_demangle(name);
	g_autofree char *canonical = report_title_canonical(title);

	if (way == BY_NAME)
		return g_strdup(name);
	return way == BY_TITLE ? g_steal_pointer(&canonical) : report_title_base(canonical, way == BY_BASE);
}

static void side_init(struct side *s, const json_t *rows, bool is_program)
{
	*s = (struct side){.rows = rows, .count = json_array_size(rows)};
	s->other = g_new(gssize, s->count + 1);
	for (size_t way = 0; way < WAY_COUNT; way++) {
		s->keys[way] = g_ptr_array_new_with_free_func(g_free);
		s->counts[way] = g_hash_table_new(g_str_hash, g_str_equal);
	}
	for (size_t i = 0; i < s->count; i++) {
		s->other[i] = -1;
		for (size_t way = 0; way < WAY_COUNT; way++) {
			char *key = key_of(text(json_array_get(rows, i), "name"), is_program, (enum way)way);
			const guint before = GPOINTER_TO_UINT(g_hash_table_lookup(s->counts[way], key));

			g_ptr_array_add(s->keys[way], key);
			g_hash_table_replace(s->counts[way], key, GUINT_TO_POINTER(before + 1));
		}
	}
}

static void side_free(struct side *s)
{
	for (size_t way = 0; way < WAY_COUNT; way++) {
		g_hash_table_unref(s->counts[way]);
		g_ptr_array_unref(s->keys[way]);
	}
	g_free(s->other);
}

static bool is_only_one(const struct side *s, enum way way, const char *key)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(s->counts[way], key)) == 1;
}

/* The row that has this key and nothing beside it yet; -1: there is none, or it is not the only one called so. */
static gssize partner_of(const struct side *s, enum way way, const char *key)
{
	if (!is_only_one(s, way, key))
		return -1;
	for (size_t i = 0; i < s->count; i++)
		if (s->other[i] < 0 && !strcmp(s->keys[way]->pdata[i], key))
			return (gssize)i;
	return -1;
}

static json_t *row_of(const json_t *measured, const json_t *modelled, enum way way)
{
	const double measured_ps = number(measured, "sum_ps") / number(measured, "count"),
		     modelled_ps = number(modelled, "sum_ps") / number(modelled, "count");

	return json_pack("{s:s, s:s, s:s, s:O, s:f, s:f, s:f, s:f, s:f, s:O}", "name", text(measured, "name"),
			 "modelled_name", text(modelled, "name"), "matched_by", ways[way], "line",
			 json_object_get(measured, "line"), "measured_count", number(measured, "count"),
			 "modelled_count", number(modelled, "count"), "measured_ps", measured_ps, "modelled_ps",
			 modelled_ps, "error_percent", 100 * (modelled_ps / measured_ps - 1), "run",
			 json_object_get(modelled, "run"));
}

/* The one program of a file that does not name it is the one that ran. */
static void match_nameless(struct side *a, struct side *b)
{
	if (a->count == 1 && b->count == 1 && !*text(json_array_get(a->rows, 0), "name"))
		a->other[0] = b->other[0] = 0;
}

static int by_error(const void *left, const void *right)
{
	const json_t *const *a = left, *const *b = right;
	const double x = fabs(number(*a, "error_percent")), y = fabs(number(*b, "error_percent"));

	if (x != y)
		return x > y ? -1 : 1;
	return number(*a, "line") < number(*b, "line") ? -1 : 1;
}

static void sort(json_t *rows)
{
	const size_t count = json_array_size(rows);
	g_autofree json_t **all = g_new(json_t *, count + 1);

	for (size_t i = 0; i < count; i++)
		all[i] = json_incref(json_array_get(rows, i));
	qsort(all, count, sizeof(all[0]), by_error);
	json_array_clear(rows);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(rows, all[i]);
}

/* Those that have nothing on the other side. */
static json_t *alone(const struct side *s, const char *time_key)
{
	json_t *out = json_array();

	for (size_t i = 0; i < s->count; i++) {
		const json_t *row = json_array_get(s->rows, i);

		if (s->other[i] < 0)
			json_array_append_new(out, json_pack("{s:s, s:f, s:f}", "name", text(row, "name"), "count",
							     number(row, "count"), time_key,
							     number(row, "sum_ps") / number(row, "count")));
	}
	return out;
}

static void match(json_t *out, const json_t *measured, const json_t *modelled)
{
	const bool is_program = !strcmp(text(out, "kind"), "programs");
	json_t *rows = json_array();
	struct side a, b;

	side_init(&a, measured, is_program);
	side_init(&b, modelled, is_program);
	match_nameless(&a, &b);
	if (a.count && a.other[0] == 0)
		json_array_append_new(rows, row_of(json_array_get(measured, 0), json_array_get(modelled, 0), BY_NAME));
	for (size_t way = 0; way < WAY_COUNT; way++)
		for (size_t i = 0; i < a.count; i++) {
			const char *key = a.keys[way]->pdata[i];
			const gssize other = a.other[i] < 0 && is_only_one(&a, (enum way)way, key)
						 ? partner_of(&b, (enum way)way, key)
						 : -1;

			if (other < 0)
				continue;
			a.other[i] = other;
			b.other[other] = (gssize)i;
			json_array_append_new(rows, row_of(json_array_get(measured, i),
							   json_array_get(modelled, (size_t)other), (enum way)way));
		}
	sort(rows);
	json_object_set_new(out, "rows", rows);
	json_object_set_new(out, "only_measured", alone(&a, "measured_ps"));
	json_object_set_new(out, "only_modelled", alone(&b, "modelled_ps"));
	side_free(&a);
	side_free(&b);
}

/* ---- what it comes to ---- */

/* Pearson's, of the logarithms; NAN: there is none. */
static double log_correlation(const json_t *rows)
{
	const double n = (double)json_array_size(rows);
	double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		x += log(number(row, "measured_ps")) / n;
		y += log(number(row, "modelled_ps")) / n;
	}
	json_array_foreach(rows, i, row) {
		const double dx = log(number(row, "measured_ps")) - x, dy = log(number(row, "modelled_ps")) - y;

		xx += dx * dx;
		yy += dy * dy;
		xy += dx * dy;
	}
	return n > 1 && xx > 1e-18 && yy > 1e-18 ? xy / sqrt(xx * yy) : NAN;
}

static void put_means(json_t *out)
{
	const json_t *rows = json_object_get(out, "rows"), *row;
	const double n = (double)json_array_size(rows), correlation = log_correlation(rows);
	double sum = 0, signed_sum = 0, weighted = 0, weights = 0;
	size_t i;

	json_array_foreach(rows, i, row) {
		const double error = number(row, "error_percent"),
			     weight = number(row, "measured_ps") * number(row, "measured_count");

		sum += fabs(error);
		signed_sum += error;
		weighted += weight * fabs(error);
		weights += weight;
	}
	json_object_set_new(out, "mape", n > 0 ? json_real(sum / n) : json_null());
	json_object_set_new(out, "weighted_mape", n > 0 ? json_real(weighted / weights) : json_null());
	json_object_set_new(out, "mean_error", n > 0 ? json_real(signed_sum / n) : json_null());
	json_object_set_new(out, "log_correlation", isfinite(correlation) ? json_real(correlation) : json_null());
}

/* What `strata why` would say first of the worst row's run; of a kernel's nothing about what is beside the kernels. */
static json_t *finding(const json_t *out, const json_t *runs)
{
	const json_t *worst = json_array_get(json_object_get(out, "rows"), 0);
	json_t *run = worst ? json_copy(json_array_get(runs, (size_t)number(worst, "run"))) : NULL, *why, *first;

	if (!run)
		return json_null();
	if (!strcmp(text(out, "kind"), "kernels"))
		json_object_del(run, "program");
	why = report_why(run, NULL);
	first = json_incref(json_array_get(json_object_get(why, "findings"), 0));
	json_decref(why);
	json_decref(run);
	return first ? first : json_null();
}

/* What ran: id is that of a run of the store. */
static json_t *heads_of(const json_t *runs)
{
	static const char *const keys[] = {"id",       "workload",        "args", "machine", "process",
					   "verified", "unmodelled_ratio"};
	json_t *out = json_array();
	const json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) {
		json_t *head = json_object();

		for (size_t k = 0; k < G_N_ELEMENTS(keys); k++)
			if (json_object_get(run, keys[k]))
				json_object_set(head, keys[k], json_object_get(run, keys[k]));
		json_array_append_new(out, head);
	}
	return out;
}

json_t *report_correlate(const json_t *measured, const json_t *runs)
{
	json_t *out = json_object(), *modelled = modelled_of(runs, text(measured, "kind"));

	json_object_set(out, "format", json_object_get(measured, "format"));
	json_object_set(out, "kind", json_object_get(measured, "kind"));
	json_object_set_new(out, "runs", heads_of(runs));
	match(out, json_object_get(measured, "rows"), modelled);
	put_means(out);
	json_object_set_new(out, "why", finding(out, runs));
	json_decref(modelled);
	return out;
}

/* ---- as text ---- */

enum { NAME_LEAST = 16, PLOT_MOST = 48, PLOT_LEAST = 16, LETTERS = 26, ALONE_SHOWN = 10 };

static char *time_text(double ps)
{
	static const char *const names[] = {"ps", "ns", "us", "ms", "s"};
	size_t i = 0;

	for (; i + 1 < G_N_ELEMENTS(names) && ps >= 1e3; i++)
		ps /= 1e3;
	return g_strdup_printf("%.4g %s", ps, names[i]);
}

/* The letter of a row, which stands in the plot as well. */
static char letter(size_t i)
{
	return i < LETTERS ? (char)('a' + i) : '*';
}

static void print_row(FILE *out, const json_t *row, size_t i, int width, bool has_launches)
{
	const double count = number(row, "measured_count"), other = number(row, "modelled_count");
	g_autofree char *title = report_demangle(*text(row, "name") ? text(row, "name") : text(row, "modelled_name"));
	g_autofree char *name = report_title_cut(title, (size_t)width);
	g_autofree char *measured = time_text(number(row, "measured_ps"));
	g_autofree char *modelled = time_text(number(row, "modelled_ps"));
	g_autofree char *counts =
	    count == other ? g_strdup_printf("%.0f", count) : g_strdup_printf("%.0f / %.0f", count, other);

	fprintf(out, "  %c  %s%*s", letter(i), name, width - (int)g_utf8_strlen(name, -1), "");
	if (has_launches)
		fprintf(out, " %13s", counts);
	fprintf(out, " %11s %11s %+9.1f\n", measured, modelled, number(row, "error_percent"));
}

static void print_rows(FILE *out, const json_t *c, uint32_t columns)
{
	const bool has_launches = !strcmp(text(c, "kind"), "kernels");
	const int fixed = 5 + 12 + 12 + 10 + (has_launches ? 14 : 0);
	const int width = MAX((int)columns - fixed, NAME_LEAST);
	const char *what = has_launches                          ? "kernel, a launch"
			   : !strcmp(text(c, "kind"), "figures") ? "figure"
								 : "program";
	const json_t *row;
	size_t i;

	fprintf(out, "     %-*s", width, what);
	if (has_launches)
		fprintf(out, " %13s", "launches");
	fprintf(out, " %11s %11s %9s\n", "measured", "modelled", "error %");
	json_array_foreach(json_object_get(c, "rows"), i, row)
		print_row(out, row, i, width, has_launches);
}

static void print_alone(FILE *out, const json_t *list, const char *what, const char *time_key)
{
	const json_t *row;
	size_t i;

	json_array_foreach(list, i, row) {
		g_autofree char *title = report_demangle(*text(row, "name") ? text(row, "name") : "the program");
		g_autofree char *time = time_text(number(row, time_key));

		if (i == ALONE_SHOWN) {
			fprintf(out, "  ... and %zu more; --json has all\n", json_array_size(list) - i);
			return;
		}
		fprintf(out, "%s%s: %s, %s\n", i ? "" : "\n", what, title, time);
	}
}

/* Names that are not the same text, and why they are taken for the same. */
static void print_ways(FILE *out, const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		const char *way = text(row, "matched_by");
		const bool is_template = !strcmp(way, ways[BY_TEMPLATE]);

		if (is_template || !strcmp(way, ways[BY_BASE]))
			fprintf(out, "  %c was matched without parameters%s: %s\n", letter(i),
				is_template ? " and template arguments" : "", text(row, "modelled_name"));
	}
}

/* ---- the plot: both axes have the same decades, so that what is equal lies on the diagonal ---- */

struct plot {
	uint32_t width, height;
	double low, span; /* of the logarithms */
	char *cells;
};

static uint32_t at(const struct plot *p, double ps, uint32_t count)
{
	const double share = (log10(ps) - p->low) / p->span;

	return (uint32_t)MIN(MAX(share * count, 0), count - 1);
}

static bool is_decade(const struct plot *p, uint32_t i, uint32_t count)
{
	const double begin = p->low + p->span * i / count, end = p->low + p->span * (i + 1) / count;

	return floor(end) > floor(begin);
}

static void plot_put(struct plot *p, const json_t *rows)
{
	const json_t *row;
	size_t i;

	for (uint32_t x = 0; x < p->width; x++)
		p->cells[x * p->height / p->width * p->width + x] = '.';
	json_array_foreach(rows, i, row) {
		char *cell = &p->cells[at(p, number(row, "modelled_ps"), p->height) * p->width +
				       at(p, number(row, "measured_ps"), p->width)];

		*cell = *cell == ' ' || *cell == '.' ? letter(i) : '#';
	}
}

static void plot_print(FILE *out, const struct plot *p)
{
	g_autofree char *low = time_text(pow(10, p->low)), *high = time_text(pow(10, p->low + p->span));

	fputs("\n  modelled over measured, both by decades; '.': equal, '#': several\n", out);
	for (uint32_t y = p->height; y-- > 0;)
		fprintf(out, "  %9s %c%.*s\n",
			y + 1 == p->height ? high
			: y                ? ""
					   : low,
			is_decade(p, y, p->height) ? '+' : '|', (int)p->width, p->cells + (size_t)y * p->width);
	fprintf(out, "  %9s '", "");
	for (uint32_t x = 0; x < p->width; x++)
		fputc(is_decade(p, x, p->width) ? '+' : '-', out);
	fprintf(out, "\n  %9s  %s%*s\n", "", low, (int)p->width - (int)strlen(low), high);
}

static void print_plot(FILE *out, const json_t *rows, uint32_t columns)
{
	struct plot p = {.width = MIN(MAX(columns, 14u + PLOT_LEAST) - 14, PLOT_MOST)};
	double least = INFINITY, most = 0;
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		least = MIN(least, MIN(number(row, "measured_ps"), number(row, "modelled_ps")));
		most = MAX(most, MAX(number(row, "measured_ps"), number(row, "modelled_ps")));
	}
	p.height = p.width / 2;
	p.low = log10(least) - 0.1;
	p.span = log10(most) + 0.1 - p.low;
	p.cells = g_malloc((gsize)p.width * p.height);
	memset(p.cells, ' ', (size_t)p.width * p.height);
	plot_put(&p, rows);
	plot_print(out, &p);
	g_free(p.cells);
}

static void print_means(FILE *out, const json_t *c)
{
	const json_t *rows = json_object_get(c, "rows"), *worst = json_array_get(rows, 0);
	const char *name = *text(worst, "name") ? text(worst, "name") : text(worst, "modelled_name");
	g_autofree char *title = report_demangle(name);

	fprintf(out, "\nMAPE %.1f %%, weighted by time %.1f %%, mean error %+.1f %%; of %zu %s\n", number(c, "mape"),
		number(c, "weighted_mape"), number(c, "mean_error"), json_array_size(rows), text(c, "kind"));
	if (json_is_real(json_object_get(c, "log_correlation")))
		fprintf(out, "correlation of the logarithms %.4f\n", number(c, "log_correlation"));
	fprintf(out, "worst: %s, %+.1f %%", title, number(worst, "error_percent"));
	if (json_is_string(json_object_get(c, "why")))
		fprintf(out, "; why says of its run: %s", text(c, "why"));
	fputc('\n', out);
}

void report_correlate_print(FILE *out, const json_t *c, uint32_t columns)
{
	const json_t *rows = json_object_get(c, "rows");

	print_rows(out, c, columns);
	print_ways(out, rows);
	print_alone(out, json_object_get(c, "only_measured"), "measured, not modelled", "measured_ps");
	print_alone(out, json_object_get(c, "only_modelled"), "modelled, not measured", "modelled_ps");
	if (json_array_size(rows) > 1)
		print_plot(out, rows, columns);
	if (json_array_size(rows))
		print_means(out, c);
}
