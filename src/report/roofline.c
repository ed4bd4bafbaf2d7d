/* roofline.c - what a run did in a second, and what each resource would have allowed, by the rows of its parts. */
#include "report/roofline.h"

#include "report/demangle.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <string.h>

enum { KERNELS_SHOWN = 5, ROOFS_SHOWN = 4, NAME_SHOWN = 28, ROOFS_MAX = 32 };

static const double ps_per_s = 1e12, giga = 1e9, lanes = 32;

/* What rows are computed over: a run, and an item of a list in it. */
struct work {
	const json_t *run;
	const char *list; /* "": the program is the only item */
	size_t item;
};

struct roof {
	const struct sim_explain_roof *row;
	double per_s;
};

static double formula(const struct work *w, const char *text)
{
	return report_rows_item_value(w->run, w->list, w->item, text);
}

/* What the item uses nothing of is no roof of it. */
static json_t *roofs_over(struct work *w, double amount, const struct roof *roofs, uint32_t roof_count)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < roof_count; i++) {
		const double use = formula(w, roofs[i].row->use), intensity = use > 0 ? amount / use : 0;
		size_t at = 0;

		if (!(use > 0))
			continue;
		while (at < json_array_size(out) &&
		       report_number(json_array_get(out, at), "per_s", NULL) <= intensity * roofs[i].per_s)
			at++;
		json_array_insert_new(out, at,
				      json_pack("{s:s, s:f, s:f}", "name", roofs[i].row->label, "intensity", intensity,
						"per_s", intensity * roofs[i].per_s));
	}
	return out;
}

/* Of an item that has done nothing: NULL. */
static json_t *item_of(struct work *w, const struct sim_explain_work *row, const json_t *item, const struct roof *roofs,
		       uint32_t roof_count)
{
	const double amount = formula(w, row->work), time_s = formula(w, row->seconds);
	const double per_s = time_s > 0 ? amount / time_s : 0;
	g_autofree char *short_name = NULL;
	json_t *title, *over;
	double lowest;

	if (!(amount >= 0))
		return NULL;
	over = roofs_over(w, amount, roofs, roof_count);
	lowest = report_number(json_array_get(over, 0), "per_s", NULL);
	title = item ? report_title(item) : json_string("the program");
	short_name = report_title_cut(json_string_value(title), NAME_SHOWN);
	return json_pack("{s:o, s:s, s:f, s:f, s:f, s:f, s:o}", "name", title, "short", short_name, "time_ps",
			 time_s * ps_per_s, "work", amount, "per_s", per_s, "share", lowest > 0 ? per_s / lowest : 0,
			 "roofs", over);
}

static json_t *items_of(struct work *w, const struct sim_explain_work *row, const struct roof *roofs,
			uint32_t roof_count)
{
	const json_t *list = *w->list ? report_rows_list(w->run, w->list) : NULL;
	const size_t item_count = *w->list ? json_array_size(list) : 1;
	json_t *out = json_array();

	for (w->item = 0; w->item < item_count; w->item++) {
		json_t *item = item_of(w, row, json_array_get(list, w->item), roofs, roof_count);

		if (item)
			report_insert(out, "time_ps", item);
	}
	return out;
}

/* The roofs of all parts that the machine has. */
static uint32_t roofs_of(struct work *w, const struct machine_explain *rows, struct roof *out)
{
	uint32_t roof_count = 0;

	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct sim_explain_roof *r = rows->items[i]->roofs; r->label; r++) {
			const double per_s = formula(w, r->per_s);

			if (per_s > 0 && roof_count < ROOFS_MAX)
				out[roof_count++] = (struct roof){r, per_s};
		}
	return roof_count;
}

json_t *report_roofline(const json_t *run)
{
	struct machine_explain rows;
	const struct sim_explain_work *row = NULL;
	struct work w = {.run = run};
	struct roof roofs[ROOFS_MAX];
	json_t *all = json_array(), *out;
	uint32_t roof_count;

	report_rows_of(run, &rows);
	for (uint32_t i = 0; i < rows.count && !row; i++)
		row = rows.items[i]->work->label ? rows.items[i]->work : NULL;
	if (!row || (*row->list && !report_rows_list(run, row->list))) {
		json_decref(all);
		return json_null();
	}
	w.list = row->list;
	roof_count = roofs_of(&w, &rows, roofs);
	for (uint32_t i = 0; i < roof_count; i++)
		json_array_append_new(all,
				      json_pack("{s:s, s:s, s:f}", "name", roofs[i].row->label, "kind",
						roofs[i].row->is_unit ? "units" : "bytes", "per_s", roofs[i].per_s));
	out = json_pack("{s:s, s:o, s:o}", "work", row->label, "roofs", all, "kernels",
			items_of(&w, row, roofs, roof_count));
	if (json_is_object(json_object_get(run, "account")))
		json_object_set_new(out, "lanes", json_real(lanes));
	return out;
}

void report_roofline_print(FILE *out, const json_t *roofline)
{
	json_t *kernel, *roof;
	size_t i, k;

	if (!json_is_object(roofline))
		return;
	fprintf(out, "\nroofs: G %s a second, measured, and as each roof would allow, the lowest first\n",
		json_string_value(json_object_get(roofline, "work")));
	json_array_foreach(json_object_get(roofline, "kernels"), i, kernel) {
		if (i == KERNELS_SHOWN)
			break;
		fprintf(out, "  %-*s %10.2f %6.1f %% of:", NAME_SHOWN,
			json_string_value(json_object_get(kernel, "short")),
			report_number(kernel, "per_s", NULL) / giga, 100 * report_number(kernel, "share", NULL));
		json_array_foreach(json_object_get(kernel, "roofs"), k, roof) {
			if (k == ROOFS_SHOWN)
				break;
			fprintf(out, "%s %s %.1f", k ? "," : "", json_string_value(json_object_get(roof, "name")),
				report_number(roof, "per_s", NULL) / giga);
		}
		fputc('\n', out);
	}
}
