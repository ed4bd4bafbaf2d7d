/* placed.c - what mechanisms run beside the data, with what that cost and saved, by the rows of their parts. */
#include "report/placed.h"

#include "report/demangle.h"
#include "report/parts.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <math.h>
#include <string.h>

enum { SHOWN = 5 };

static double number(const json_t *o, const char *key)
{
	return report_number(o, key, NULL);
}

/* ---- order ---- */

static double excess_ps(const json_t *row)
{
	return number(row, "here_ps") > 0 ? number(row, "there_ps") - number(row, "here_ps") : 0;
}

static bool is_worse(const json_t *a, const json_t *b)
{
	const double refused[] = {number(a, "offered") - number(a, "taken"), number(b, "offered") - number(b, "taken")};
	const double net[] = {number(a, "spent_bytes") - number(a, "saved_bytes"),
			      number(b, "spent_bytes") - number(b, "saved_bytes")};

	if (refused[0] != refused[1])
		return refused[0] > refused[1];
	if (excess_ps(a) != excess_ps(b))
		return excess_ps(a) > excess_ps(b);
	if (net[0] != net[1])
		return net[0] > net[1];
	return number(a, "there_ps") > number(b, "there_ps");
}

static void insert(json_t *rows, json_t *row)
{
	size_t at = 0;

	while (at < json_array_size(rows) && !is_worse(row, json_array_get(rows, at)))
		at++;
	json_array_insert_new(rows, at, row);
}

/* ---- rows ---- */

static bool is_of(const json_t *item, const char *of)
{
	return !*of || !g_strcmp0(json_string_value(json_object_get(item, "of")), of);
}

/* The name of a kernel, a function or a design, as its author wrote it. */
static char *name_of(const json_t *item, const char *by)
{
	const char *symbol = json_string_value(json_object_get(item, by));
	const char *title = json_string_value(json_object_get(item, "title"));

	if (!strcmp(by, "name") && title)
		return g_strdup(title);
	return symbol ? report_demangle(symbol) : g_strdup("of no name");
}

/* The time of each kind of part, and the sums of all members that are objects of numbers. */
static void put_sums(json_t *row, const struct machine_explain *rows)
{
	json_t *kinds = json_object(), *sums = json_object(), *member;
	const char *key;

	for (uint32_t i = 0; i < ACCOUNT_KIND_COUNT; i++)
		json_object_set_new(kinds, account_kind_names[i],
				    json_real(report_parts_sum(json_object_get(row, "parts"), rows, 1u << i)));
	json_object_foreach(row, key, member)
		if (json_is_object(member))
			json_object_set_new(sums, key, json_real(report_parts_sum(member, rows, REPORT_KINDS_ALL)));
	json_object_set_new(row, "kinds", kinds);
	json_object_set_new(row, "sums", sums);
}

/* Numbers and parts of one more item of the same name. */
static void add_item(json_t *row, const json_t *item)
{
	json_t *member;
	const char *key;

	json_object_foreach((json_t *)item, key, member) {
		json_t *sums = json_object_get(row, key);

		if (json_is_number(sums))
			report_parts_add_one(row, key, json_number_value(member));
		else if (json_is_object(sums))
			report_parts_add(sums, member);
	}
}

/* The row of that name; a new one has copies of what the item has, but for where in the program it is. */
static json_t *row_named(json_t *rows, const char *name, const json_t *item)
{
	static const char *const places[] = {"of", "function", "file", "line"};
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		if (!g_strcmp0(json_string_value(json_object_get(row, "name")), name)) {
			add_item(row, item);
			return row;
		}
	row = json_deep_copy(item);
	for (i = 0; i < G_N_ELEMENTS(places); i++)
		json_object_del(row, places[i]);
	json_object_set_new(row, "name", json_string(name));
	json_array_append_new(rows, row);
	return row;
}

/* How long what has this name takes in the other run, all of it together; 0: nothing has the name. Code without one is
 * nothing that could be found there. */
static double here_ps(const json_t *other, const struct sim_explain *e, const char *name)
{
	const struct sim_explain_here *h = e->here;
	const json_t *list = h->list ? report_rows_list(other, h->list) : NULL;
	struct machine_explain rows;
	json_t *item;
	double sum = 0;
	size_t i;

	report_rows_of(other, &rows);
	json_array_foreach((json_t *)list, i, item) {
		const bool is_named = is_of(item, h->of) && json_object_get(item, h->by);
		g_autofree char *own = is_named ? name_of(item, h->by) : NULL;
		json_t *copy;

		if (g_strcmp0(own, name) != 0)
			continue;
		copy = json_copy(item);
		put_sums(copy, &rows);
		sum += report_rows_object_value(other, copy, h->number);
		json_decref(copy);
	}
	return isnan(sum) ? 0 : sum;
}

static char *finding_of(const json_t *run, const json_t *row, const struct sim_explain *e)
{
	GString *text = g_string_new(NULL);

	for (const struct sim_explain_said *s = e->said; s->text; s++) {
		g_autofree char *piece = !*s->when || report_rows_object_value(run, row, s->when) > 0
					     ? report_rows_sentence(run, row, s->text)
					     : NULL;

		g_string_append(text, piece ? piece : "");
	}
	return g_string_free(text, FALSE);
}

/* What the part says of a row beyond its items' numbers. */
static void finish(json_t *row, const json_t *run, const json_t *other, const struct sim_explain *e,
		   const struct machine_explain *rows)
{
	g_autofree char *finding = NULL;

	put_sums(row, rows);
	json_object_set_new(row, "what", json_string(e->moved->what));
	json_object_set_new(row, "here_ps",
			    json_real(here_ps(other, e, json_string_value(json_object_get(row, "name")))));
	for (const struct sim_explain_number *n = e->numbers; n->name; n++) {
		const double is = report_rows_object_value(run, row, n->number);

		json_object_set_new(row, n->name, json_real(isnan(is) ? 0 : is));
	}
	finding = finding_of(run, row, e);
	json_object_set_new(row, "finding", json_string(finding));
	json_object_del(row, "kinds");
	json_object_del(row, "sums");
}

static void add_moved(const json_t *run, const json_t *other, const struct sim_explain *e,
		      const struct machine_explain *rows, json_t *out)
{
	const struct sim_explain_moved *m = e->moved;
	json_t *own = json_array(), *item, *row;
	size_t i;

	json_array_foreach((json_t *)report_rows_list(run, m->list), i, item) {
		g_autofree char *name = is_of(item, m->of) ? name_of(item, m->by) : NULL;

		if (name && (!*m->which || report_rows_object_value(run, item, m->which) > 0))
			row_named(own, name, item);
	}
	json_array_foreach(own, i, row) {
		finish(row, run, other, e, rows);
		insert(out, json_incref(row));
	}
	json_decref(own);
}

json_t *report_placed(const json_t *run, const json_t *other)
{
	struct machine_explain rows;
	json_t *out = json_array();

	report_rows_of(run, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		if (rows.items[i]->moved->what)
			add_moved(run, other, rows.items[i], &rows, out);
	return out;
}

void report_placed_print(FILE *out, const json_t *rows)
{
	json_t *row;
	size_t i;

	if (!json_array_size(rows))
		return;
	fprintf(out, "\nthe mechanism's ledger by %s, the worst first\n",
		json_string_value(json_object_get(json_array_get(rows, 0), "what")));
	json_array_foreach(rows, i, row) {
		if (i == SHOWN) {
			fprintf(out, "  ... and %zu more; --json has all\n", json_array_size(rows) - i);
			break;
		}
		fprintf(out, "  - %s\n", json_string_value(json_object_get(row, "finding")));
	}
}
