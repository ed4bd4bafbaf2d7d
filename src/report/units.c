/* units.c - sums over the cores and the instructions of a unit account. */
#include "report/units.h"

#include "report/report.h"

#include <glib.h>
#include <string.h>

enum { LINES_SHOWN = 10, FINDINGS = 3 };

static const char begun[] = "multiply_add";
static const double shown = 0.001, large = 0.05;

static void add_parts(json_t *sums, const json_t *parts)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)parts, key, value)
		json_object_set_new(sums, key, json_real(report_number(sums, key, NULL) + json_number_value(value)));
}

static json_t *parts_of(const json_t *account, double cycles, double *left_cycles)
{
	json_t *sums = json_object(), *out = json_array(), *core, *value;
	const char *key;
	size_t i;

	json_array_foreach(json_object_get(account, "cores"), i, core)
		add_parts(sums, json_object_get(core, "parts"));
	*left_cycles = cycles;
	json_object_foreach(sums, key, value) {
		*left_cycles -= json_number_value(value);
		report_insert(out, "cycles",
			      json_pack("{s:s, s:o, s:O, s:f}", "name", key, "what",
					report_doc(json_object_get(account, "parts"), key), "cycles", value,
					"share", json_number_value(value) / cycles));
	}
	json_decref(sums);
	return out;
}

/* Without the cycles in which its own multiply-adds begin. */
static json_t *instruction_of(const json_t *account, const json_t *instruction, double cycles)
{
	const char *key, *most = NULL;
	double waits = 0, largest = 0;
	json_t *value, *row;

	json_object_foreach(json_object_get(instruction, "parts"), key, value) {
		if (!strcmp(key, begun))
			continue;
		waits += json_number_value(value);
		if (json_number_value(value) > largest) {
			largest = json_number_value(value);
			most = key;
		}
	}
	if (!most)
		return NULL;
	row = json_copy((json_t *)instruction);
	json_object_set_new(row, "cycles", json_real(waits));
	json_object_set_new(row, "share", json_real(waits / cycles));
	json_object_set_new(row, "most", json_string(most));
	json_object_set_new(row, "most_share", json_real(largest / waits));
	json_object_set_new(row, "what", report_doc(json_object_get(account, "parts"), most));
	return row;
}

static json_t *instructions_of(const json_t *account, double cycles)
{
	json_t *out = json_array(), *instruction;
	size_t i;

	json_array_foreach(json_object_get(account, "instructions"), i, instruction) {
		json_t *row = instruction_of(account, instruction, cycles);

		if (row)
			report_insert(out, "cycles", row);
	}
	return out;
}

static void find(const json_t *parts, const json_t *instructions, json_t *findings)
{
	const json_t *first = json_array_get(instructions, 0);
	uint32_t said = 0;
	json_t *part;
	size_t i;

	json_array_foreach((json_t *)parts, i, part) {
		g_autofree char *text = NULL;

		if (report_number(part, "share", NULL) < large || said == FINDINGS)
			break;
		text = g_strdup_printf("functional units spend %.1f %% of their cycles on: %s",
				       100 * report_number(part, "share", NULL),
				       json_string_value(json_object_get(part, "what")));
		json_array_append_new(findings, json_string(text));
		said++;
	}
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
	instructions = instructions_of(account, cycles);
	find(parts, instructions, findings);
	return json_pack("{s:f, s:f, s:o, s:o}", "cycles", cycles, "unaccounted_cycles", left_cycles, "parts", parts,
			 "instructions", instructions);
}

void report_units_print(FILE *out, const json_t *units)
{
	json_t *row;
	size_t i;

	if (!json_is_object(units))
		return;
	fprintf(out, "\nthe functional units' cycles, of all cores with a program: %.0f\n",
		report_number(units, "cycles", NULL));
	json_array_foreach(json_object_get(units, "parts"), i, row)
		if (report_number(row, "share", NULL) >= shown)
			fprintf(out, "  %-64s %14.0f %7.1f %%\n", json_string_value(json_object_get(row, "what")),
				report_number(row, "cycles", NULL), 100 * report_number(row, "share", NULL));
	fputs("\ncycles in which no multiply-add begins, by instruction of the program\n", out);
	json_array_foreach(json_object_get(units, "instructions"), i, row) {
		g_autofree char *file = g_path_get_basename(json_string_value(json_object_get(row, "file")));
		g_autofree char *place = g_strdup_printf("%s:%.0f %s", file, report_number(row, "line", NULL),
							 json_string_value(json_object_get(row, "op")));

		if (i == LINES_SHOWN) {
			fprintf(out, "  ... and %zu more; --json has all\n",
				json_array_size(json_object_get(units, "instructions")) - i);
			break;
		}
		fprintf(out, "  %-40.40s %14.0f %7.1f %%  %.0f %% %s\n", place, report_number(row, "cycles", NULL),
			100 * report_number(row, "share", NULL), 100 * report_number(row, "most_share", NULL),
			json_string_value(json_object_get(row, "most")));
	}
}
