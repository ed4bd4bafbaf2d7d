/* explain.c - what differs between two runs, in sentences: the cause where there is only one, where the time changed,
 * and the counters that changed with it. */
#include "report/explain.h"

#include "report/accounts.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/runs.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS_NAMED = 4, PARTS_NAMED = 3, COUNTERS_NAMED = 4 };

static const double ps_per_us = 1e6, small_ratio = 0.05, small_points = 0.02, same_time = 0.001, from_nothing = 1e9;

static void say(json_t *out, char *text)
{
	json_array_append_new(out, json_string(text));
	g_free(text);
}

static char *text_of(const json_t *value)
{
	char *dumped, *text;

	if (json_is_string(value))
		return g_strdup(json_string_value(value));
	dumped = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	text = g_strdup(dumped ? dumped : "-");
	free(dumped);
	return text;
}

/* ---- the cause ---- */

bool report_only_looks(const char *param)
{
	static const char *const patterns[] = {"run.audit",    "run.account",	 "run.profile",	  "run.timeline_count",
					       "*.sample_ps",  "run.kernel_count", "*.span_count", "run.timeout_*",
					       "*.dram_log_ps", "*.dram_log_from_ps"};

	for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++)
		if (g_pattern_match_simple(patterns[i], param))
			return true;
	return false;
}

static json_t *find(const json_t *pairs, const char *name)
{
	json_t *pair;
	size_t i;

	json_array_foreach((json_t *)pairs, i, pair) {
		if (!strcmp(json_string_value(json_object_get(pair, "name")), name))
			return pair;
	}
	return NULL;
}

/* Parameters that can be the cause; the names of the first ones. */
static uint32_t causes(const json_t *params, GString *named)
{
	uint32_t count = 0;
	json_t *pair;
	size_t i;

	json_array_foreach((json_t *)params, i, pair) {
		const char *name = json_string_value(json_object_get(pair, "name"));
		g_autofree char *a = text_of(json_object_get(pair, "a")), *b = text_of(json_object_get(pair, "b"));

		if (report_only_looks(name))
			continue;
		if (count < PARAMS_NAMED)
			g_string_append_printf(named, "%s%s (%s, %s)", count ? ", " : "", name, a, b);
		count++;
	}
	if (count > PARAMS_NAMED)
		g_string_append_printf(named, ", ...");
	return count;
}

static void explain_cause(json_t *out, const json_t *difference)
{
	static const char *const programs[] = {"workload", "args", "program_sha256", "input_sha256"};
	static const char *const versions[] = {"version", "source_commit"};
	const json_t *who = json_object_get(difference, "who");
	g_autoptr(GString) named = g_string_new(NULL);
	const uint32_t count = causes(json_object_get(difference, "params"), named);
	const char *other = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(programs) && !other; i++)
		if (find(who, programs[i]))
			other = programs[i];
	if (other) {
		say(out, g_strdup_printf("not the same work (%s): no parameter alone explains what differs", other));
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(versions) && !other; i++)
		if (find(who, versions[i]))
			other = versions[i];
	if (other)
		say(out, g_strdup_printf("not the same Strata (%s): what differs may be its own change", other));
	if (count == 1)
		say(out, g_strdup_printf("the same program, and one parameter that decides anything differs: %s%s",
					 named->str, other ? "" : ": it explains what follows"));
	else if (count)
		say(out, g_strdup_printf("%u parameters differ: %s: strata why --try says what each of them is "
					 "worth",
					 count, named->str));
	else if (!other)
		say(out, g_strdup("the same program, and no parameter that decides anything differs"));
}

/* ---- where the time changed ---- */

static void add_part(json_t *sums, const char *name, const char *side, double ps)
{
	json_t *part = json_object_get(sums, name);

	if (!part) {
		part = json_pack("{s:s, s:f, s:f}", "name", name, "a_ps", 0.0, "b_ps", 0.0);
		json_object_set_new(sums, name, part);
	}
	json_object_set_new(part, side, json_real(report_number(part, side, NULL) + ps));
}

/* How long the mean unit was in each part, with an account; false: there is none. */
static bool add_parts(json_t *sums, const json_t *run, const char *side)
{
	json_t *parts = json_object(), *ps;
	const bool is_there = report_accounts_mean(run, parts);
	const char *name;

	json_object_foreach(parts, name, ps)
		add_part(sums, name, side, json_number_value(ps));
	json_decref(parts);
	return is_there;
}

json_t *report_time_parts(const json_t *a, const json_t *b)
{
	json_t *sums = json_object(), *out = json_array(), *part;
	const char *name;

	if (!add_parts(sums, a, "a_ps") || !add_parts(sums, b, "b_ps"))
		json_object_clear(sums);
	json_object_foreach(sums, name, part) {
		const double of_a = report_number(part, "a_ps", NULL), of_b = report_number(part, "b_ps", NULL);

		if (of_a > 0 || of_b > 0)
			report_insert(out, "size",
				      json_pack("{s:s, s:f, s:f, s:f, s:f}", "name", name, "a_ps", of_a, "b_ps", of_b,
						"change_ps", of_b - of_a, "size", fabs(of_b - of_a)));
	}
	for (size_t i = 0; i < json_array_size(out); i++)
		json_object_del(json_array_get(out, i), "size");
	json_decref(sums);
	return out;
}

static void explain_time(json_t *out, const json_t *parts, const json_t *a, const json_t *b)
{
	const double of_a = report_number(a, "time_ps", NULL), of_b = report_number(b, "time_ps", NULL);
	const double change = of_b - of_a;
	g_autoptr(GString) text = g_string_new(NULL);

	if (of_a <= 0 || of_b <= 0)
		return;
	if (fabs(change) <= same_time * of_a) {
		say(out, g_strdup("the time is the same to a thousandth"));
		return;
	}
	g_string_append_printf(text, "the second takes %.3f us, %.3f times the first's %.3f us", of_b / ps_per_us,
			       of_b / of_a, of_a / ps_per_us);
	for (size_t i = 0; i < MIN(json_array_size(parts), PARTS_NAMED); i++) {
		const json_t *part = json_array_get(parts, i);
		const double own = report_number(part, "change_ps", NULL);

		g_string_append_printf(text, "%s%s %+.3f us", i ? ", " : "; the parts that changed most: ",
				       json_string_value(json_object_get(part, "name")), own / ps_per_us);
	}
	say(out, g_string_free(g_steal_pointer(&text), FALSE));
}

/* ---- the counters that changed with it ---- */

static void add_counter(json_t *found, double size, char *text)
{
	report_insert(found, "size", json_pack("{s:f, s:s}", "size", size, "text", text));
	g_free(text);
}

static void add_amount(json_t *found, const char *label, double of_a, double of_b)
{
	if (of_a <= 0 && of_b <= 0)
		return;
	if (of_a <= 0 || of_b <= 0)
		add_counter(found, from_nothing, g_strdup_printf("%s %.0f, then %.0f", label, of_a, of_b));
	else if (fabs(log(of_b / of_a)) > small_ratio)
		add_counter(found, fabs(log(of_b / of_a)), g_strdup_printf("%.2f times the %s", of_b / of_a, label));
}

static void add_rate(json_t *found, const char *label, double of_a, double of_b)
{
	if (fabs(of_b - of_a) > small_points)
		add_counter(found, fabs(of_b - of_a),
			    g_strdup_printf("%s %.1f %%, then %.1f %%", label, 100 * of_a, 100 * of_b));
}

/* What the first run's parts count, in both. */
static json_t *counters_of(const json_t *a, const json_t *b)
{
	const struct base_formula_scope in_a = report_rows_scope(a), in_b = report_rows_scope(b);
	json_t *found = json_array();
	struct machine_explain rows;

	report_rows_of(a, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		for (const struct sim_explain_count *c = rows.items[i]->counts; c->label; c++) {
			const double of_a = base_formula_value(c->value, &in_a);
			const double of_b = base_formula_value(c->value, &in_b);

			if (!isnan(of_a) && !isnan(of_b))
				(c->is_rate ? add_rate : add_amount)(found, c->label, of_a, of_b);
		}
	return found;
}

static void explain_counters(json_t *out, const json_t *a, const json_t *b)
{
	json_t *found = counters_of(a, b);
	g_autoptr(GString) text = g_string_new("with it went: ");

	for (size_t i = 0; i < MIN(json_array_size(found), COUNTERS_NAMED); i++)
		g_string_append_printf(text, "%s%s", i ? "; " : "",
				       json_string_value(json_object_get(json_array_get(found, i), "text")));
	say(out, json_array_size(found) ? g_string_free(g_steal_pointer(&text), FALSE)
					: g_strdup("instructions, traffic and hits are the same within a twentieth"));
	json_decref(found);
}

void report_runs_explain(json_t *difference, const json_t *a, const json_t *b)
{
	json_t *sentences = json_array(), *parts = report_time_parts(a, b);

	explain_cause(sentences, difference);
	if (report_is_same_work(a, b))
		explain_time(sentences, parts, a, b);
	if (report_is_same_work(a, b) && report_has_run(a) && report_has_run(b))
		explain_counters(sentences, a, b);
	json_object_set_new(difference, "time_parts", parts);
	json_object_set_new(difference, "explanation", sentences);
}
