/* parts.c - sums over the parts of an account, and tables of them. */
#include "report/parts.h"

#include "report/report.h"

#include <glib.h>
#include <string.h>

static const double ps_per_us = 1e6, shown = 0.001;

enum { FINDINGS = 3, PLACES_SHOWN = 10 };

void report_parts_add_one(json_t *sums, const char *name, double amount)
{
	json_object_set_new(sums, name, json_real(report_number(sums, name, NULL) + amount));
}

void report_parts_add(json_t *sums, const json_t *parts)
{
	const char *name;
	json_t *amount;

	json_object_foreach((json_t *)parts, name, amount)
		report_parts_add_one(sums, name, json_number_value(amount));
}

/* What no table has, of results of another version, waits for something of its own. */
static uint32_t kind_of(const struct machine_explain *rows, const char *name)
{
	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct account_parts *const *a = rows->items[i]->accounts; *a; a++) {
			const struct account_row *row = account_find(*a, name);

			if (row)
				return 1u << row->kind;
		}
	return REPORT_KIND(OWN);
}

double report_parts_sum(const json_t *parts, const struct machine_explain *rows, uint32_t kinds)
{
	const char *name;
	json_t *amount;
	double sum = 0;

	json_object_foreach((json_t *)parts, name, amount)
		if (kind_of(rows, name) & kinds)
			sum += json_number_value(amount);
	return sum;
}

bool report_parts_is_idle(const json_t *unit, const struct machine_explain *rows, double time_ps)
{
	return report_parts_sum(json_object_get(unit, "parts"), rows, REPORT_KIND(IDLE)) >= time_ps;
}

json_t *report_parts_sorted(const json_t *sums, const json_t *docs, const char *key, double all)
{
	json_t *out = json_array(), *amount;
	const char *name;

	json_object_foreach((json_t *)sums, name, amount)
		report_insert(out, key,
			      json_pack("{s:s, s:o, s:O, s:f}", "name", name, "what", report_doc(docs, name), key,
					amount, "share", all > 0 ? json_number_value(amount) / all : 0));
	return out;
}

void report_parts_put_most(json_t *row, const json_t *parts, const json_t *docs, const struct machine_explain *rows,
			   uint32_t kinds, double sum)
{
	const char *name, *most = NULL;
	double largest = 0;
	json_t *amount;

	json_object_foreach((json_t *)parts, name, amount)
		if (json_number_value(amount) > largest && kind_of(rows, name) & kinds) {
			largest = json_number_value(amount);
			most = name;
		}
	if (!most)
		return;
	json_object_set_new(row, "most", json_string(most));
	json_object_set_new(row, "most_share", json_real(largest / sum));
	json_object_set_new(row, "what", report_doc(docs, most));
}

json_t *report_parts_place(const json_t *place, const json_t *docs, const struct machine_explain *rows, uint32_t kinds,
			   const char *key, double all)
{
	const json_t *parts = json_object_get(place, "parts");
	const double sum = report_parts_sum(parts, rows, kinds);
	json_t *row;

	if (sum <= 0)
		return NULL;
	row = json_copy((json_t *)place);
	json_object_set_new(row, key, json_real(sum));
	json_object_set_new(row, "share", json_real(all > 0 ? sum / all : 0));
	report_parts_put_most(row, parts, docs, rows, kinds, sum);
	return row;
}

void report_parts_find(const json_t *sorted, const char *who, const char *unit, double least, json_t *findings)
{
	json_t *part;
	size_t i;

	json_array_foreach((json_t *)sorted, i, part) {
		g_autofree char *text = NULL;

		if (report_number(part, "share", NULL) < least || i == FINDINGS)
			break;
		text = g_strdup_printf("%s spend %.1f %% of their %s on: %s", who,
				       100 * report_number(part, "share", NULL), unit,
				       json_string_value(json_object_get(part, "what")));
		json_array_append_new(findings, json_string(text));
	}
}

/* ---- as text ---- */

static void print_amount(FILE *out, const json_t *row, const char *key)
{
	const double amount = report_number(row, key, NULL);

	if (strcmp(key, "ps"))
		fprintf(out, " %14.0f", amount);
	else
		fprintf(out, " %14.3f us", amount / ps_per_us);
	fprintf(out, " %7.1f %%", 100 * report_number(row, "share", NULL));
}

void report_parts_print(FILE *out, const json_t *sorted, const char *key)
{
	json_t *part;
	size_t i;

	json_array_foreach((json_t *)sorted, i, part) {
		if (report_number(part, "share", NULL) < shown)
			continue;
		fprintf(out, "  %-64s", json_string_value(json_object_get(part, "what")));
		print_amount(out, part, key);
		fputc('\n', out);
	}
}

void report_places_print(FILE *out, const json_t *places, const char *key, int width, char *(*title)(const json_t *))
{
	json_t *place;
	size_t i;

	json_array_foreach((json_t *)places, i, place) {
		g_autofree char *text = title(place);

		if (i == PLACES_SHOWN) {
			fprintf(out, "  ... and %zu more; --json has all\n", json_array_size(places) - i);
			break;
		}
		fprintf(out, "  %-*.*s", width, width, text);
		print_amount(out, place, key);
		fprintf(out, "  %.0f %% %s\n", 100 * report_number(place, "most_share", NULL),
			json_string_value(json_object_get(place, "most")));
	}
}
