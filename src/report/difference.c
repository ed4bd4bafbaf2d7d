/* difference.c - what differs between two runs, the important first. */
#include "report/runs.h"

#include "report/accounts.h"
#include "report/explain.h"
#include "report/report.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* Fields that say what ran, and those that say what came of it. */
static const char *const who[] = {
    "workload",      "args",     "machine",      "mechanism",   "process", "program_sha256", "input_sha256", "version",
    "source_commit", "verified", "not_verified", "exit_status", "fault",   "timed_out",      NULL,
};
static const char *const what[] = {
    "time_ps", "total_time_ps", "cycles",   "warp_instructions", "thread_instructions",
    "ipc",     "accesses",      "launches", "launches_refused",  "energy_total_pj",
    "energy_scope", "energy_not_counted", NULL,
};
/* Objects of numbers among the results. */
static const char *const groups[] = {"traffic_bytes", "channels", "energy_pj", NULL};
static const char *const of_histogram[] = {"count", "p50", "p99", NULL};

static json_t *pair_new(const char *name, const json_t *a, const json_t *b)
{
	json_t *pair = json_object();

	json_object_set_new(pair, "name", json_string(name));
	json_object_set_new(pair, "a", a ? json_deep_copy(a) : json_null());
	json_object_set_new(pair, "b", b ? json_deep_copy(b) : json_null());
	return pair;
}

static void add(json_t *out, const char *name, const json_t *a, const json_t *b)
{
	if ((a || b) && !(a && b && json_equal(a, b)))
		json_array_append_new(out, pair_new(name, a, b));
}

/* With b's share of a, where both are numbers. */
static void add_numbers(json_t *out, const char *name, const json_t *a, const json_t *b)
{
	const size_t before = json_array_size(out);

	add(out, name, a, b);
	if (json_array_size(out) > before && json_is_number(a) && json_is_number(b) && json_number_value(a) != 0)
		json_object_set_new(json_array_get(out, before), "ratio",
				    json_real(json_number_value(b) / json_number_value(a)));
}

/* Calls add_one for every name that either object has, a's first. */
static void each_name(const json_t *a, const json_t *b, void (*add_one)(void *, const char *, json_t *, json_t *),
		      void *self)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)a, name, value)
		add_one(self, name, value, json_object_get(b, name));
	json_object_foreach((json_t *)b, name, value) {
		if (!json_object_get(a, name))
			add_one(self, name, NULL, value);
	}
}

static void add_param(void *self, const char *name, json_t *a, json_t *b)
{
	add(self, name, a, b);
}

static void add_statistic(void *self, const char *name, json_t *a, json_t *b)
{
	if (!json_is_object(a ? a : b)) {
		add_numbers(self, name, a, b);
		return;
	}
	for (uint32_t i = 0; of_histogram[i]; i++) {
		g_autofree char *full = g_strconcat(name, ".", of_histogram[i], NULL);

		add_numbers(self, full, json_object_get(a, of_histogram[i]), json_object_get(b, of_histogram[i]));
	}
}

static void remove_ratios(json_t *pairs)
{
	json_t *pair;
	size_t i;

	json_array_foreach(pairs, i, pair)
		json_object_del(pair, "ratio");
}

static void remove_ratio_of(json_t *pairs, const char *name)
{
	json_t *pair;
	size_t i;

	json_array_foreach(pairs, i, pair)
		if (!strcmp(json_string_value(json_object_get(pair, "name")), name))
			json_object_del(pair, "ratio");
}

static json_t *results(const json_t *a, const json_t *b)
{
	json_t *out = json_array();

	for (uint32_t i = 0; what[i]; i++)
		add_numbers(out, what[i], json_object_get(a, what[i]), json_object_get(b, what[i]));
	for (uint32_t i = 0; groups[i]; i++) {
		json_t *of_a = json_object_get(a, groups[i]), *of_b = json_object_get(b, groups[i]);
		json_t *part = json_array(), *pair;
		size_t at;

		each_name(of_a, of_b, add_statistic, part);
		json_array_foreach(part, at, pair) {
			g_autofree char *full =
			    g_strconcat(groups[i], ".", json_string_value(json_object_get(pair, "name")), NULL);

			json_object_set_new(pair, "name", json_string(full));
		}
		json_array_extend(out, part);
		json_decref(part);
	}
	if (!report_is_same_work(a, b))
		remove_ratios(out);
	if (!report_is_same_energy(a, b))
		remove_ratio_of(out, "energy_total_pj");
	return out;
}

static double importance(const json_t *pair)
{
	const double a = json_number_value(json_object_get(pair, "a")),
		     b = json_number_value(json_object_get(pair, "b"));
	const double largest = fmax(fabs(a), fabs(b));

	return largest > 0 ? fabs(b - a) / largest * log2(1 + largest) : 0;
}

static int by_importance(const void *left, const void *right)
{
	const json_t *const *a = left, *const *b = right;
	const double x = importance(*a), y = importance(*b);

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(json_string_value(json_object_get(*a, "name")), json_string_value(json_object_get(*b, "name")));
}

/* Takes pairs. */
static json_t *sorted(json_t *pairs, int (*order)(const void *, const void *))
{
	const size_t count = json_array_size(pairs);
	g_autofree json_t **all = g_new(json_t *, count + 1);
	json_t *out = json_array(), *pair;
	size_t i;

	json_array_foreach(pairs, i, pair)
		all[i] = pair;
	qsort(all, count, sizeof(all[0]), order);
	for (i = 0; i < count; i++)
		json_array_append(out, all[i]);
	json_decref(pairs);
	return out;
}

static double share_change(const json_t *pair)
{
	return fabs(json_number_value(json_object_get(pair, "b_share")) -
		    json_number_value(json_object_get(pair, "a_share")));
}

static int by_share_change(const void *left, const void *right)
{
	const json_t *const *a = left, *const *b = right;
	const double x = share_change(*a), y = share_change(*b);

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(json_string_value(json_object_get(*a, "name")), json_string_value(json_object_get(*b, "name")));
}

/* The row of a part of whose time; a new one where there is none. */
static json_t *row_named(json_t *rows, const char *name, const char *who_has)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		if (!strcmp(json_string_value(json_object_get(row, "name")), name) &&
		    !strcmp(json_string_value(json_object_get(row, "of")), who_has))
			return row;
	}
	row = json_pack("{s:s, s:s, s:n, s:n, s:n, s:n}", "name", name, "of", who_has, "a", "b", "a_share", "b_share");
	json_array_append_new(rows, row);
	return row;
}

/* Of one run: whose time there is an account of, and the shares of it. */
static void add_shares(json_t *out, const json_t *run, const char *amount, const char *share)
{
	json_t *all = report_accounts(run, false), *units, *one;
	size_t i, k;

	json_array_foreach(all, i, units)
		json_array_foreach(json_object_get(units, "parts"), k, one) {
			json_t *row = row_named(out, json_string_value(json_object_get(one, "name")),
						json_string_value(json_object_get(units, "who")));

			json_object_set(row, "unit", json_object_get(units, "unit"));
			json_object_set(row, amount, json_object_get(one, "amount"));
			json_object_set(row, share, json_object_get(one, "share"));
		}
	json_decref(all);
}

/* What units did with their time: all of it adds up to the whole. */
static json_t *shares(const json_t *a, const json_t *b)
{
	json_t *out = json_array();

	add_shares(out, a, "a", "a_share");
	add_shares(out, b, "b", "b_share");
	return sorted(out, by_share_change);
}

json_t *report_runs_difference(const json_t *a, const json_t *b)
{
	json_t *out = json_object(), *identity = json_array(), *params = json_array(), *stats = json_array();

	for (uint32_t i = 0; who[i]; i++)
		add(identity, who[i], json_object_get(a, who[i]), json_object_get(b, who[i]));
	each_name(json_object_get(a, "params"), json_object_get(b, "params"), add_param, params);
	each_name(json_object_get(a, "stats"), json_object_get(b, "stats"), add_statistic, stats);
	if (!report_is_same_work(a, b))
		remove_ratios(stats);
	json_object_set_new(out, "who", identity);
	json_object_set_new(out, "params", params);
	json_object_set_new(out, "results", results(a, b));
	json_object_set_new(out, "shares", shares(a, b));
	json_object_set_new(out, "stats", sorted(stats, by_importance));
	report_runs_explain(out, a, b);
	return out;
}

/* ---- as text ---- */

static void print_value(FILE *out, const json_t *v)
{
	g_autofree char *text = NULL;

	if (json_is_real(v))
		text = g_strdup_printf("%.6g", json_real_value(v));
	else if (json_is_string(v))
		text = g_strdup(json_string_value(v));
	else if (!v || json_is_null(v))
		text = g_strdup("-");
	else {
		char *dumped = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);

		text = g_strdup(dumped);
		free(dumped);
	}
	fprintf(out, "  %20s", text);
}

static void print_part(FILE *out, const char *title, const json_t *pairs, uint32_t shown)
{
	const size_t count = json_array_size(pairs);
	json_t *pair;
	size_t i;

	if (!count)
		return;
	fprintf(out, "\n%s\n", title);
	json_array_foreach(pairs, i, pair) {
		const json_t *ratio = json_object_get(pair, "ratio");

		if (i == shown)
			break;
		fprintf(out, "  %-34s", json_string_value(json_object_get(pair, "name")));
		print_value(out, json_object_get(pair, "a"));
		print_value(out, json_object_get(pair, "b"));
		if (json_is_number(ratio))
			fprintf(out, "  %8.3fx", json_number_value(ratio));
		fputc('\n', out);
	}
	if (shown < count)
		fprintf(out, "  ... and %zu more; --all prints them\n", count - shown);
}

static bool differ(const json_t *pair)
{
	return !json_equal(json_object_get(pair, "a"), json_object_get(pair, "b"));
}

/* Those of one account, from the first of them on. */
static void print_shares_of(FILE *out, const json_t *pairs, size_t first, const char *who_has)
{
	const char *unit = json_string_value(json_object_get(json_array_get(pairs, first), "unit"));

	fprintf(out, "\nwhere the %s of %s went\n", strcmp(unit, "ps") ? unit : "time", who_has);
	for (size_t i = first; i < json_array_size(pairs); i++) {
		const json_t *pair = json_array_get(pairs, i);
		const double a = 100 * json_number_value(json_object_get(pair, "a_share")),
			     b = 100 * json_number_value(json_object_get(pair, "b_share"));

		if (differ(pair) && !strcmp(json_string_value(json_object_get(pair, "of")), who_has))
			fprintf(out, "  %-34s  %18.1f %%  %18.1f %%  %+8.1f points\n",
				json_string_value(json_object_get(pair, "name")), a, b, b - a);
	}
}

static void print_shares(FILE *out, const json_t *pairs)
{
	g_autoptr(GHashTable) said = g_hash_table_new(g_str_hash, g_str_equal);
	json_t *pair;
	size_t i;

	json_array_foreach((json_t *)pairs, i, pair) {
		const char *who_has = json_string_value(json_object_get(pair, "of"));

		if (differ(pair) && g_hash_table_add(said, (char *)(uintptr_t)who_has))
			print_shares_of(out, pairs, i, who_has);
	}
}

static bool is_without_difference(const json_t *pairs)
{
	json_t *pair;
	size_t i;

	json_array_foreach(pairs, i, pair) {
		if (differ(pair))
			return false;
	}
	return true;
}

static void print_explanation(FILE *out, const json_t *sentences)
{
	json_t *sentence;
	size_t i;

	fputs("what explains it\n", out);
	json_array_foreach(sentences, i, sentence)
		fprintf(out, "  - %s\n", json_string_value(sentence));
}

void report_runs_difference_print(FILE *out, const json_t *difference, uint32_t stats_shown)
{
	static const char *const parts[][2] = {
	    {"who", "what ran"},
	    {"params", "parameters"},
	    {"results", "results"},
	    {"shares", NULL},
	    {"stats", "statistics, the most important first"},
	};
	bool is_equal = true;

	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		is_equal = is_equal && is_without_difference(json_object_get(difference, parts[i][0]));
	if (is_equal)
		fputs("nothing differs\n", out);
	else
		print_explanation(out, json_object_get(difference, "explanation"));
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		const json_t *part = json_object_get(difference, parts[i][0]);

		if (parts[i][1])
			print_part(out, parts[i][1], part, strcmp(parts[i][0], "stats") ? UINT32_MAX : stats_shown);
		else
			print_shares(out, part);
	}
}
