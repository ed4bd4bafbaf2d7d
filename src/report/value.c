/* value.c - numbers of a result object, and what follows from them. */
#include "report/report.h"

#include "base/unmodelled.h"

#include <glib.h>
#include <string.h>

double report_number(const json_t *run, const char *outer, const char *inner)
{
	const json_t *v = json_object_get(run, outer);

	return json_number_value(inner ? json_object_get(v, inner) : v);
}

bool report_has(const json_t *run, const char *outer, const char *inner)
{
	const json_t *v = json_object_get(run, outer);

	return json_is_number(inner ? json_object_get(v, inner) : v);
}

bool report_dram_bytes(const json_t *run, double *bytes)
{
	static const char traffic[] = "traffic_bytes";

	*bytes = report_number(run, traffic, "dram");
	if (report_has(run, traffic, "dram"))
		return true;
	/* Results of before this field: 0 of a memory that was a rate was not its bytes. */
	*bytes = report_number(run, traffic, "dram_read") + report_number(run, traffic, "dram_write") +
		 report_number(run, "stats", "cpu.rated_bytes");
	return report_has(run, traffic, "dram_read") && report_has(run, traffic, "dram_write");
}

static bool is_equal(const json_t *a, const json_t *b, const char *key)
{
	const json_t *of_a = json_object_get(a, key), *of_b = json_object_get(b, key);

	return of_a == of_b || (of_a && of_b && json_equal(of_a, of_b));
}

/* Workloads of ours are known by their names; of two programs of a user's the file says whether they are one. */
static bool is_same_program(const json_t *a, const json_t *b)
{
	static const char *const by[] = {"program_sha256", "program_path", NULL};
	const char *of_a = json_string_value(json_object_get(a, "verified_by"));
	const char *of_b = json_string_value(json_object_get(b, "verified_by"));

	if (!is_equal(a, b, "workload"))
		return false;
	if (!g_strcmp0(of_a, "workload") && !g_strcmp0(of_b, "workload"))
		return true;
	return is_equal(a, b, by[0]) || is_equal(a, b, by[1]);
}

char *report_part(const json_t *run)
{
	static const char *const keys[] = {"run.only", "run.fast_forward", "run.instruction_limit_count"};
	const json_t *params = json_object_get(run, "params");
	GString *part = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		const json_t *value = json_object_get(params, keys[i]);

		if (json_is_string(value) && strcmp(json_string_value(value), "none") != 0)
			g_string_append_printf(part, "%s%s=%s", part->len ? " " : "", keys[i],
					       json_string_value(value));
		else if (json_integer_value(value))
			g_string_append_printf(part, "%s%s=%" JSON_INTEGER_FORMAT, part->len ? " " : "", keys[i],
					       json_integer_value(value));
	}
	return g_string_free(part, FALSE);
}

static bool is_same_part(const json_t *a, const json_t *b)
{
	g_autofree char *of_a = report_part(a), *of_b = report_part(b);

	return !strcmp(of_a, of_b);
}

bool report_is_same_work(const json_t *a, const json_t *b)
{
	return is_same_program(a, b) && is_same_part(a, b) && is_equal(a, b, "args") &&
	       is_equal(a, b, "input_sha256") &&
	       MAX(report_number(a, "process", NULL), 1) == MAX(report_number(b, "process", NULL), 1);
}

static bool has_word(const json_t *words, const char *word)
{
	const json_t *one;
	size_t i;

	json_array_foreach(words, i, one) {
		if (!g_strcmp0(json_string_value(one), word))
			return true;
	}
	return false;
}

/* Is all that is counted in one counted in the other, where that has it? */
static bool is_counted_too(const json_t *one, const json_t *other)
{
	const json_t *part;
	size_t i;

	json_array_foreach(json_object_get(one, "energy_scope"), i, part) {
		if (has_word(json_object_get(other, "energy_not_counted"), json_string_value(part)))
			return false;
	}
	return true;
}

bool report_is_same_energy(const json_t *a, const json_t *b)
{
	return !json_object_get(a, "energy_scope") == !json_object_get(b, "energy_scope") && is_counted_too(a, b) &&
	       is_counted_too(b, a);
}

static void append_words(GString *text, const json_t *words)
{
	const json_t *word;
	size_t i;

	json_array_foreach(words, i, word)
		g_string_append_printf(text, "%s%s", i ? ", " : "", json_string_value(word));
}

char *report_energy_scope(const json_t *run)
{
	const json_t *scope = json_object_get(run, "energy_scope");
	const json_t *others = json_object_get(run, "energy_not_counted");
	GString *text = g_string_new(NULL);

	append_words(text, scope);
	if (json_array_size(others)) {
		g_string_append(text, "; not counted: ");
		append_words(text, others);
	}
	return g_string_free(text, !json_array_size(scope));
}

json_t *report_doc(const json_t *docs, const char *part)
{
	const char *text = json_string_value(json_object_get(docs, part));

	return json_string(text ? text : part);
}

void report_put(FILE *out, int width, int decimals, bool is_there, double value)
{
	if (is_there)
		fprintf(out, "%*.*f", width, decimals, value);
	else
		fprintf(out, "%*s", width, "-");
}

void report_insert(json_t *list, const char *key, json_t *row)
{
	const double own = report_number(row, key, NULL);
	size_t at = 0;

	while (at < json_array_size(list) && report_number(json_array_get(list, at), key, NULL) >= own)
		at++;
	json_array_insert_new(list, at, row);
}

bool report_has_run(const json_t *run)
{
	return json_object_get(run, "cycles") != NULL;
}

bool report_is_untimed(const json_t *run)
{
	return report_has_run(run) && !report_has(run, "time_ps", NULL);
}

char *report_mark(const json_t *run)
{
	const double ratio = report_number(run, "unmodelled_ratio", NULL),
		     skipped = report_number(run, "sampling", "launches_skipped");
	GString *mark = g_string_new(NULL);

	if (ratio > BASE_UNMODELLED_MARKED)
		g_string_append_printf(mark, "UNMODELLED %.1f %%", 100 * ratio);
	if (report_number(run, "sampling", "detailed_ratio") < 1 && report_has(run, "sampling", "detailed_ratio"))
		g_string_append_printf(mark, "%sSAMPLED", mark->len ? ", " : "");
	if (skipped > 0)
		g_string_append_printf(mark, "%s%.0f %s SKIPPED", mark->len ? ", " : "", skipped,
				       skipped > 1 ? "LAUNCHES" : "LAUNCH");
	return g_string_free(mark, FALSE);
}
