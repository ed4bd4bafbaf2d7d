/* units.c - sums over the cores and the instructions of a unit account. */
#include "report/units.h"

#include "report/parts.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>

enum { INSTRUCTION_SHOWN = 40 };

static const double large = 0.05;

static json_t *parts_of(const json_t *account, double cycles, double *left_cycles)
{
	json_t *sums = json_object(), *out, *core, *amount;
	const char *name;
	size_t i;

	json_array_foreach(json_object_get(account, "cores"), i, core)
		report_parts_add(sums, json_object_get(core, "parts"));
	*left_cycles = cycles;
	json_object_foreach(sums, name, amount)
		*left_cycles -= json_number_value(amount);
	out = report_parts_sorted(sums, json_object_get(account, "parts"), "cycles", cycles);
	json_decref(sums);
	return out;
}

/* Without the cycles in which its own multiply-adds begin. */
static json_t *instructions_of(const json_t *run, const json_t *account, double cycles)
{
	json_t *out = json_array(), *instruction;
	struct machine_explain rows;
	size_t i;

	report_rows_of(run, &rows);
	json_array_foreach(json_object_get(account, "instructions"), i, instruction) {
		json_t *row = report_parts_place(instruction, json_object_get(account, "parts"), &rows,
						 REPORT_KINDS_ALL & ~REPORT_KIND(WORK), "cycles", cycles);

		if (row)
			report_insert(out, "cycles", row);
	}
	return out;
}

static char *place_text(const json_t *instruction)
{
	g_autofree char *file = g_path_get_basename(json_string_value(json_object_get(instruction, "file")));

	return g_strdup_printf("%s:%.0f %s", file, report_number(instruction, "line", NULL),
			       json_string_value(json_object_get(instruction, "op")));
}

static void find(const json_t *parts, const json_t *instructions, json_t *findings)
{
	const json_t *first = json_array_get(instructions, 0);

	report_parts_find(parts, "functional units", "cycles", large, findings);
	if (first && report_number(first, "share", NULL) >= large) {
		g_autofree char *file = g_path_get_basename(json_string_value(json_object_get(first, "file")));
		g_autofree char *text = g_strdup_printf(
		    "'%s' at %s:%.0f costs them %.1f %%, %.0f %% of that: %s",
		    json_string_value(json_object_get(first, "op")), file, report_number(first, "line", NULL),
		    100 * report_number(first, "share", NULL), 100 * report_number(first, "most_share", NULL),
		    json_string_value(json_object_get(first, "what")));

		json_array_append_new(findings, json_string(text));
	}
}

json_t *report_units(const json_t *run, json_t *findings)
{
	const json_t *account = json_object_get(run, "unit_account");
	const double cycles =
	    report_number(run, "cycles", NULL) * (double)json_array_size(json_object_get(account, "cores"));
	json_t *parts, *instructions;
	double left_cycles;

	if (!json_is_object(account) || cycles <= 0)
		return json_null();
	parts = parts_of(account, cycles, &left_cycles);
	instructions = instructions_of(run, account, cycles);
	find(parts, instructions, findings);
	return json_pack("{s:f, s:f, s:o, s:o}", "cycles", cycles, "unaccounted_cycles", left_cycles, "parts", parts,
			 "instructions", instructions);
}

void report_units_print(FILE *out, const json_t *units)
{
	if (!json_is_object(units))
		return;
	fprintf(out, "\nthe functional units' cycles, of all cores with a program: %.0f\n",
		report_number(units, "cycles", NULL));
	report_parts_print(out, json_object_get(units, "parts"), "cycles");
	fputs("\ncycles in which no multiply-add begins, by instruction of the program\n", out);
	report_places_print(out, json_object_get(units, "instructions"), "cycles", INSTRUCTION_SHOWN, place_text);
}
