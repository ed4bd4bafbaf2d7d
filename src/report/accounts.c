/* accounts.c - entries, places and sentences from the rows about time, whichever part of the machine accounts. */
#include "report/accounts.h"

#include "base/check.h"
#include "report/accounts_print.h"
#include "report/demangle.h"
#include "report/parts.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <math.h>
#include <string.h>

enum { PLACES_KEPT = 100, SPLITS_MAX = 8, WAITS_FOUND = 2, PARTS_FOUND = 3 };

static const double large = 0.1, small = 0.05, out_of_balance = 2;

/* What an entry is made of: the run, its rows, those of the part that accounts, and the words of its results. */
struct account {
	const json_t *run, *docs;
	const struct machine_explain *rows;
	const struct sim_explain *own;
	const char *key;
	json_t *sums; /* name -> amount */
	const struct sim_explain_split *splits[SPLITS_MAX];
	json_t *split_sums[SPLITS_MAX];
	uint32_t split_count;
	const struct sim_explain_places *places; /* those that are read */
	GPtrArray *found;			 /* rows of places */
};

/* ---- parts of an amount ---- */

/* What the results say that parts are, in words: beside the list. */
static const json_t *docs_of(const json_t *run, const char *list)
{
	g_autofree char *first = g_strndup(list, strcspn(list, "."));

	return json_object_get(json_object_get(run, first), "parts");
}

static bool is_work(const struct machine_explain *rows, const char *name)
{
	return report_parts_kind(rows, name) == REPORT_KIND(WORK);
}

static json_t *sorted(const json_t *sums, const json_t *docs, const struct machine_explain *rows, double all)
{
	json_t *out = json_array(), *amount;
	const char *name;

	json_object_foreach((json_t *)sums, name, amount)
		report_insert(out, "amount",
			      json_pack("{s:s, s:o, s:O, s:f, s:b}", "name", name, "what", report_doc(docs, name),
					"amount", amount, "share", all > 0 ? json_number_value(amount) / all : 0,
					"is_used", is_work(rows, name)));
	return out;
}

/* Puts the largest part of these kinds into the row: its name, its share of the sum, and its words. */
static void put_most(json_t *row, const json_t *parts, const json_t *docs, const struct machine_explain *rows,
		     uint32_t kinds, double sum)
{
	const char *name, *most = NULL;
	double largest = 0;
	json_t *amount;

	json_object_foreach((json_t *)parts, name, amount)
		if (json_number_value(amount) > largest && report_parts_kind(rows, name) & kinds) {
			largest = json_number_value(amount);
			most = name;
		}
	if (!most)
		return;
	json_object_set_new(row, "most", json_string(most));
	json_object_set_new(row, "most_share", json_real(largest / sum));
	json_object_set_new(row, "what", report_doc(docs, most));
}

/* ---- places ---- */

typedef void visit_fn(struct account *a, const json_t *item, const json_t *outer);

/* Visits what is at the end of the path, each item of every list on the way. outer: what the path found it in. */
static void visit(struct account *a, const json_t *o, const json_t *outer, char *const *keys, visit_fn *fn)
{
	json_t *item;
	size_t i;

	if (json_is_array(o)) {
		json_array_foreach((json_t *)o, i, item)
			visit(a, item, outer, keys, fn);
	} else if (o && *keys) {
		visit(a, json_object_get(o, *keys), o, keys + 1, fn);
	} else if (o) {
		fn(a, o, outer);
	}
}

/* The item without what has been summed, with its kernel if it is of one. */
static json_t *place_row(const struct account *a, const json_t *item, const json_t *outer, json_t *parts, double sum)
{
	g_auto(GStrv) members = g_strsplit(a->places->members, " ", -1);
	const uint32_t kinds = REPORT_KINDS_ALL & ~(1u << a->places->without);
	json_t *row = json_copy((json_t *)item);

	for (char **m = members; *m; m++)
		json_object_del(row, *m);
	json_object_del(row, "ledger");
	if (json_object_get(outer, "name"))
		json_object_set_new(row, "kernel", report_title(outer));
	json_object_set(row, "parts", parts);
	json_object_set_new(row, "amount", json_real(sum));
	put_most(row, parts, a->docs, a->rows, kinds, sum);
	return row;
}

static void visit_place(struct account *a, const json_t *item, const json_t *outer)
{
	g_auto(GStrv) members = g_strsplit(a->places->members, " ", -1);
	const char *of = json_string_value(json_object_get(item, "of"));
	json_t *parts;
	double sum;

	if (of && strcmp(of, a->key) != 0)
		return;
	parts = json_object();
	for (char **m = members; *m; m++) {
		const json_t *cell = json_object_get(item, *m);

		report_parts_add(parts, cell);
		for (uint32_t i = 0; i < a->split_count; i++)
			report_parts_add(a->split_sums[i], json_object_get(cell, a->splits[i]->member));
	}
	sum = report_parts_sum(parts, a->rows, REPORT_KINDS_ALL & ~(1u << a->places->without));
	if (*a->places->title && sum > 0)
		g_ptr_array_add(a->found, place_row(a, item, outer, parts, sum));
	json_decref(parts);
}

static int by_amount(const void *left, const void *right)
{
	const json_t *const *a = left, *const *b = right;
	const double x = report_number(*a, "amount", NULL), y = report_number(*b, "amount", NULL);

	return x > y ? -1 : x < y;
}

static void put_places(struct account *a, json_t *entry, double whole)
{
	json_t *out = json_array();

	g_ptr_array_sort(a->found, by_amount);
	for (guint i = 0; i < MIN(a->found->len, PLACES_KEPT); i++) {
		json_t *row = a->found->pdata[i];

		json_object_set_new(row, "share",
				    json_real(whole > 0 ? report_number(row, "amount", NULL) / whole : 0));
		json_array_append(out, row);
	}
	json_object_set_new(entry, "places", out);
	json_object_set_new(entry, "places_left_out", json_integer((json_int_t)(a->found->len - json_array_size(out))));
}

/* What is split of the time: of its amount, what no place has is unaccounted. */
static void put_splits(struct account *a, json_t *entry)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < a->split_count; i++) {
		const char *share = a->splits[i]->share;
		const double amount = report_number(a->sums, share, NULL);
		const double sum = report_parts_sum(a->split_sums[i], a->rows, REPORT_KINDS_ALL);

		json_array_append_new(out, json_pack("{s:s, s:s, s:f, s:f, s:o}", "name", share, "title",
						     a->splits[i]->title, "amount", sum, "unaccounted", amount - sum,
						     "parts", sorted(a->split_sums[i], a->docs, a->rows, sum)));
	}
	json_object_set_new(entry, "splits", out);
}

/* Reads all lists of places that the part has of this time; none: the run was without an account by place. */
static void read_places(struct account *a, json_t *entry, double whole)
{
	bool is_there = false;

	a->found = g_ptr_array_new_with_free_func((GDestroyNotify)json_decref);
	for (const struct sim_explain_split *s = a->own->splits; s->share; s++) {
		CHECK(a->split_count < SPLITS_MAX);
		a->split_sums[a->split_count] = json_object();
		a->splits[a->split_count++] = s;
	}
	for (a->places = a->own->places; a->places->of; a->places++) {
		g_auto(GStrv) keys = g_strsplit(a->places->list, ".", -1);

		if (strcmp(a->places->of, a->key) != 0 || !json_is_object(json_object_get(a->run, keys[0])))
			continue;
		a->docs = docs_of(a->run, a->places->list);
		visit(a, a->run, NULL, keys, visit_place);
		if (*a->places->title)
			json_object_set_new(entry, "places_title", json_string(a->places->title));
		is_there = true;
	}
	if (is_there) {
		put_splits(a, entry);
		put_places(a, entry, whole);
	}
	for (uint32_t i = 0; i < a->split_count; i++)
		json_decref(a->split_sums[i]);
	g_ptr_array_free(a->found, TRUE);
}

/* ---- entries ---- */

/* The time of all units together, as statistics have it. */
static json_t *summed(struct account *a, const struct sim_explain_units *u, bool has_places)
{
	const double whole = report_rows_value(a->run, u->whole);
	json_t *parts = json_array(), *entry;
	double left = whole;

	if (!(whole > 0)) {
		json_decref(parts);
		return NULL;
	}
	a->key = u->label;
	for (const struct sim_explain_share *s = a->own->shares; s->label; s++) {
		const double amount = report_rows_value(a->run, s->amount);

		left -= amount;
		json_object_set_new(a->sums, s->label, json_real(amount));
		if (amount > 0)
			report_insert(parts, "amount",
				      json_pack("{s:s, s:s, s:f, s:f, s:b}", "name", s->label, "what", s->label,
						"amount", amount, "share", amount / whole, "is_used", s->is_used));
	}
	entry = json_pack("{s:s, s:s, s:s, s:f, s:f, s:o}", "key", u->label, "who", u->label, "unit", u->unit, "whole",
			  whole, "unaccounted", left, "parts", parts);
	if (has_places)
		read_places(a, entry, whole);
	return entry;
}

/* The time of units that stand in a list, of those that did something. */
static json_t *listed(struct account *a, const struct sim_explain_timed *t, bool has_places)
{
	const json_t *list = report_rows_list(a->run, t->list);
	const double of_one = report_rows_value(a->run, t->whole);
	double all = 0, left = 0;
	uint32_t count = 0, used = 0;
	json_t *unit, *entry;
	size_t i;

	a->key = t->key;
	a->docs = docs_of(a->run, t->list);
	json_array_foreach((json_t *)list, i, unit) {
		const json_t *parts = json_object_get(unit, "parts");
		const double sum = report_parts_sum(parts, a->rows, REPORT_KINDS_ALL);

		if (*t->which && !(report_rows_item_value(a->run, t->list, i, t->which) > 0))
			continue;
		count++;
		left += of_one - sum;
		if (report_parts_is_idle(unit, a->rows, of_one))
			continue;
		used++;
		all += sum;
		report_parts_add(a->sums, parts);
	}
	if (!count)
		return NULL;
	entry = json_pack("{s:s, s:s, s:s, s:f, s:f, s:o, s:i, s:i}", "key", t->key, "who", t->who, "unit", t->unit,
			  "whole", all, "unaccounted", left, "parts", sorted(a->sums, a->docs, a->rows, all), "units",
			  (int)count, "used", (int)used);
	if (has_places)
		read_places(a, entry, all);
	return entry;
}

static void append(json_t *out, struct account *a, json_t *entry)
{
	if (entry)
		json_array_append_new(out, entry);
	json_decref(a->sums);
}

json_t *report_accounts(const json_t *run, bool has_places)
{
	json_t *out = json_array();
	struct machine_explain rows;

	report_rows_of(run, &rows);
	for (uint32_t i = 0; i < rows.count; i++) {
		const struct account part = {.run = run, .rows = &rows, .own = rows.items[i]};

		for (const struct sim_explain_units *u = rows.items[i]->units; u->label; u++) {
			struct account a = part;

			a.sums = json_object();
			append(out, &a, summed(&a, u, has_places));
		}
		for (const struct sim_explain_timed *t = rows.items[i]->timed; t->key; t++) {
			struct account a = part;

			a.sums = json_object();
			append(out, &a, listed(&a, t, has_places));
		}
	}
	return out;
}

bool report_accounts_mean(const json_t *run, json_t *sums)
{
	const double time_ps = report_number(run, "time_ps", NULL);
	json_t *all = report_accounts(run, false), *entry, *part;
	double used = 0;
	size_t i, k;

	json_array_foreach(all, i, entry)
		used += json_object_get(entry, "units") ? report_number(entry, "used", NULL) : 1;
	json_array_foreach(all, i, entry) {
		const double own = json_object_get(entry, "units") ? report_number(entry, "used", NULL) : 1;

		json_array_foreach(json_object_get(entry, "parts"), k, part)
			report_parts_add_one(sums, json_string_value(json_object_get(part, "name")),
					     report_number(part, "share", NULL) * time_ps * own / used);
	}
	json_decref(all);
	return used > 0;
}

/* ---- by what was waited for ---- */

static json_t *behind_row(const struct sim_explain_behind *b, const json_t *item, const json_t *docs,
			  const struct machine_explain *rows)
{
	json_t *sums = json_object(), *by = json_object(), *row, *parts;
	const char *key;
	double all;

	json_object_foreach((json_t *)item, key, parts)
		if (json_is_object(parts)) {
			report_parts_add(sums, parts);
			json_object_set_new(by, key, json_real(report_parts_sum(parts, rows, REPORT_KINDS_ALL)));
		}
	all = report_parts_sum(sums, rows, REPORT_KINDS_ALL);
	row = json_pack("{s:O, s:f, s:o, s:O}", b->name, json_object_get(item, b->name), "amount", all, "by", by,
			"parts", sums);
	put_most(row, sums, docs, rows, REPORT_KINDS_ALL, all);
	json_decref(sums);
	return row;
}

json_t *report_accounts_behind(const json_t *run)
{
	json_t *out = json_array(), *item;
	struct machine_explain rows;
	size_t k;

	report_rows_of(run, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		for (const struct sim_explain_behind *b = rows.items[i]->behind; b->list; b++) {
			const json_t *list = report_rows_list(run, b->list);
			json_t *own;

			if (!json_array_size(list))
				continue;
			own = json_array();
			json_array_foreach((json_t *)list, k, item)
				json_array_append_new(own, behind_row(b, item, docs_of(run, b->list), &rows));
			json_array_append_new(out, json_pack("{s:s, s:s, s:o}", "title", b->title, "name", b->name,
							     "rows", own));
		}
	return out;
}

/* ---- findings ---- */

static void add_finding(json_t *findings, char *text)
{
	json_array_append_new(findings, json_string(text));
	g_free(text);
}

/* "time" or "cycles". */
static const char *time_word(const json_t *entry)
{
	const char *unit = json_string_value(json_object_get(entry, "unit"));

	return strcmp(unit, "ps") ? unit : "time";
}

/* Of a sum over all units: what they waited for. */
static void find_waits(const json_t *entry, json_t *findings)
{
	uint32_t count = 0;
	json_t *part;
	size_t i;

	json_array_foreach(json_object_get(entry, "parts"), i, part) {
		const double share = report_number(part, "share", NULL);

		if (json_is_true(json_object_get(part, "is_used")) || count == WAITS_FOUND)
			continue;
		count++;
		if (share > small)
			add_finding(findings, g_strdup_printf("%.1f %% of the %s of %s go by without work because of: "
							      "%s",
							      100 * share, time_word(entry),
							      json_string_value(json_object_get(entry, "who")),
							      json_string_value(json_object_get(part, "what"))));
	}
}

static void find_parts(const json_t *entry, json_t *findings)
{
	json_t *part;
	size_t i;

	json_array_foreach(json_object_get(entry, "parts"), i, part) {
		const double share = report_number(part, "share", NULL);

		if (share < large || i == PARTS_FOUND)
			break;
		add_finding(findings, g_strdup_printf("%s spend %.1f %% of their %s on: %s",
						      json_string_value(json_object_get(entry, "who")), 100 * share,
						      time_word(entry),
						      json_string_value(json_object_get(part, "what"))));
	}
}

static void find_place(const json_t *entry, json_t *findings)
{
	const json_t *first = json_array_get(json_object_get(entry, "places"), 0);
	const double share = report_number(first, "share", NULL);
	g_autofree char *place = NULL;

	if (!first || share < large || !report_place_is_named(first))
		return;
	place = report_place_text(first);
	add_finding(findings,
		    g_strdup_printf("%s spend %.1f %% of their %s at %s, %.0f %% of that on: %s",
				    json_string_value(json_object_get(entry, "who")), 100 * share, time_word(entry),
				    place, 100 * report_number(first, "most_share", NULL),
				    json_string_value(json_object_get(first, "what"))));
}

/* What of the time is the way of lines, of all parts together. */
static void find_memory(const json_t *entry, const struct machine_explain *rows, json_t *findings)
{
	double share = 0;
	json_t *part;
	size_t i;

	json_array_foreach(json_object_get(entry, "parts"), i, part)
		if (report_parts_kind(rows, json_string_value(json_object_get(part, "name"))) &
		    (REPORT_KIND(ROOM) | REPORT_KIND(MEMORY)))
			share += report_number(part, "share", NULL);
	if (share > 0)
		add_finding(findings, g_strdup_printf("lines of the memory, on all of their way, cost %s %.1f %% of "
						      "their %s",
						      json_string_value(json_object_get(entry, "who")), 100 * share,
						      time_word(entry)));
}

/* One of them has more than twice its share of what is much of all time. */
static void find_balance(const json_t *behind, double all_time, json_t *findings)
{
	const json_t *rows = json_object_get(behind, "rows"), *most = NULL;
	const char *name = json_string_value(json_object_get(behind, "name"));
	const double count = (double)json_array_size(rows);
	double all = 0, largest = 0;
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		all += report_number(row, "amount", NULL);
		most = report_number(row, "amount", NULL) > largest ? row : most;
		largest = fmax(largest, report_number(row, "amount", NULL));
	}
	if (all > small * all_time && largest > out_of_balance * all / count)
		add_finding(findings,
			    g_strdup_printf("the %ss are out of balance: of all waiting for their lines %.1f %% is for "
					    "%s %.0f, one of %.0f; most of that: %s",
					    name, 100 * largest / all, name, report_number(most, name, NULL), count,
					    json_string_value(json_object_get(most, "what"))));
}

void report_accounts_find(const json_t *run, const json_t *accounts, const json_t *behind, json_t *findings)
{
	struct machine_explain rows;
	json_t *entry;
	double all = 0;
	size_t i;

	report_rows_of(run, &rows);
	json_array_foreach((json_t *)accounts, i, entry) {
		all += report_number(entry, "whole", NULL);
		if (!json_object_get(entry, "units")) {
			find_waits(entry, findings);
			continue;
		}
		find_parts(entry, findings);
		find_place(entry, findings);
		find_memory(entry, &rows, findings);
	}
	json_array_foreach((json_t *)behind, i, entry)
		find_balance(entry, all, findings);
}
