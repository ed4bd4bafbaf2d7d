/* published.c - reads the CSV files, with the place of every mistake. */
#include "reproduce/published.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RESULT_COLUMNS = 8, EXPLANATION_COLUMNS = 3, EXPERIMENT_COLUMNS = 8, HELD_COLUMNS = 4, CLOSING_COLUMNS = 5 };

/* One line of RFC 4180 without line breaks in fields: fields separated by commas, quoted ones with "" for ". */
static char **line_split(const char *line)
{
	GPtrArray *fields = g_ptr_array_new();
	const char *p = line;

	for (;;) {
		GString *field = g_string_new(NULL);
		bool is_quoted = *p == '"';

		for (p += is_quoted; *p && (is_quoted || *p != ','); p++) {
			if (is_quoted && p[0] == '"' && p[1] == '"')
				p++;
			else if (is_quoted && *p == '"')
				break;
			g_string_append_c(field, *p);
		}
		if (is_quoted && *p == '"')
			p++;
		g_ptr_array_add(fields, g_string_free(field, FALSE));
		if (*p != ',')
			break;
		p++;
	}
	g_ptr_array_add(fields, NULL);
	return (char **)g_ptr_array_free(fields, FALSE);
}

static bool relation_read(const char *text, enum reproduce_relation *relation)
{
	static const struct {
		const char *text;
		enum reproduce_relation relation;
	} known[] = {
		{"exact", REPRODUCE_EXACT}, {"average", REPRODUCE_EXACT}, {"approx", REPRODUCE_EXACT},
		{"up to", REPRODUCE_EXACT}, {">", REPRODUCE_ABOVE},	  {">=", REPRODUCE_AT_LEAST},
		{"<", REPRODUCE_BELOW},	    {"<=", REPRODUCE_AT_MOST},	  {"input", REPRODUCE_INPUT_OF_MODEL},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(text, known[i].text)) {
			*relation = known[i].relation;
			return true;
		}
	}
	return false;
}

static void add_number(struct reproduce_published_set *set, char **f, struct base_place at, struct base_diag_list *diag)
{
	struct reproduce_published *p = g_new0(struct reproduce_published, 1);
	char *end;

	p->id = g_strdup(f[0]);
	p->workload = g_strdup(f[1]);
	p->configuration = g_strdup(f[2]);
	p->quantity = g_strdup(f[3]);
	p->value = g_ascii_strtod(f[4], &end);
	if (end == f[4] || *end)
		base_diag_error(diag, at, "'%s' is no number", f[4]);
	p->unit = g_strdup(f[5]);
	p->is_input = g_str_has_prefix(f[6], "input");
	if (!relation_read(p->is_input && f[6][5] == ' ' ? f[6] + 6 : f[6], &p->relation))
		base_diag_error(diag, at,
				"'%s' is no relation, expected exact, average, approx, up to, >, >=, <, <= or "
				"input",
				f[6]);
	p->where = g_strdup(f[7]);
	g_ptr_array_add(set->numbers, p);
}

/* An explanation rests on the figures of the run that it was written for: id, run (quick, full or any), reason. The
 * run "pass": what is equal for another reason than the paper's. */
static void add_explanation(struct reproduce_published_set *set, char **f, struct base_place at,
			    struct base_diag_list *diag)
{
	bool is_any = !strcmp(f[1], "any"), is_pass = !strcmp(f[1], "pass"), is_quick = !strcmp(f[1], "quick");

	if (is_pass)
		g_hash_table_insert(set->passes, g_strdup(f[0]), g_strdup(f[2]));
	else if (!is_any && !is_quick && strcmp(f[1], "full"))
		base_diag_error(diag, at, "'%s' is no run, expected quick, full, any or pass", f[1]);
	else if (is_any || is_quick == set->is_quick)
		g_hash_table_insert(set->explanations, g_strdup(f[0]), g_strdup(f[2]));
}

/* A row of experiments.csv, and in words for each of its ids. */
static void add_experiment(struct reproduce_published_set *set, char **f, struct base_place at,
			   struct base_diag_list *diag)
{
	struct reproduce_experiment *x = reproduce_experiment_read(f, at, diag);
	g_autofree char *text =
		g_strdup_printf("experiment: %s on %s with `%s`: %s%s%s by %s to %s %%", f[3], f[1], f[2], f[4],
				*f[5] ? " over " : "", f[5], f[6], f[7]);

	if (!x)
		return;
	g_ptr_array_add(set->experiment_rows, x);
	for (uint32_t i = 0; x->ids[i]; i++) {
		const char *before = g_hash_table_lookup(set->experiments, x->ids[i]);

		g_hash_table_insert(set->experiments, g_strdup(x->ids[i]),
				    before ? g_strdup_printf("%s; %s", before, text) : g_strdup(text));
	}
}

static double number_read(const char *text, struct base_place at, struct base_diag_list *diag)
{
	char *end;
	const double x = g_ascii_strtod(text, &end);

	if (end == text || *end)
		base_diag_error(diag, at, "'%s' is no number", text);
	return x;
}

/* id, run (quick or full), numbers and bands, as many, separated by spaces. */
static void add_held(struct reproduce_published_set *set, char **f, struct base_place at, struct base_diag_list *diag)
{
	g_auto(GStrv) numbers = g_strsplit(f[2], " ", -1);
	g_auto(GStrv) bands = g_strsplit(f[3], " ", -1);
	const uint32_t count = g_strv_length(numbers);
	struct reproduce_held *held;

	if (strcmp(f[1], "quick") != 0 && strcmp(f[1], "full") != 0)
		base_diag_error(diag, at, "'%s' is no run, expected quick or full", f[1]);
	if (!count || count > REPRODUCE_TERM_MAX || count != g_strv_length(bands)) {
		base_diag_error(diag, at, "expected 1 to %d numbers and as many bands", REPRODUCE_TERM_MAX);
		return;
	}
	if (!strcmp(f[1], "quick") != set->is_quick)
		return;
	held = g_new0(struct reproduce_held, 1);
	held->count = count;
	for (uint32_t i = 0; i < count; i++) {
		held->numbers[i] = number_read(numbers[i], at, diag);
		held->bands[i] = number_read(bands[i], at, diag);
	}
	g_hash_table_insert(set->held, g_strdup(f[0]), held);
}

static void closing_free(gpointer data)
{
	struct reproduce_closing *c = data;

	g_free(c->size);
	g_free(c->change);
	g_free(c);
}

/* id, size of the run, what is changed, the row's number there, and the one with the change. */
static void add_closing(struct reproduce_published_set *set, char **f, struct base_place at,
			struct base_diag_list *diag)
{
	struct reproduce_closing *c = g_new0(struct reproduce_closing, 1);
	GPtrArray *of = g_hash_table_lookup(set->closings, f[0]);

	c->size = g_strdup(f[1]);
	c->change = g_strdup(f[2]);
	c->measured = number_read(f[3], at, diag);
	c->without = number_read(f[4], at, diag);
	if (!of) {
		of = g_ptr_array_new_with_free_func(closing_free);
		g_hash_table_insert(set->closings, g_strdup(f[0]), of);
	}
	g_ptr_array_add(of, c);
}

typedef void add_line(struct reproduce_published_set *set, char **f, struct base_place at, struct base_diag_list *diag);

static bool file_read(struct reproduce_published_set *set, const char *path, uint32_t columns, add_line *add,
		      struct base_diag_list *diag)
{
	struct base_place at = {.file = path, .line = 0, .col = 1};
	g_autofree char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return false;

	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	/* The first line names the columns. */
	for (uint32_t i = 1; lines[0] && lines[i]; i++) {
		g_auto(GStrv) fields = line_split(lines[i]);

		at.line = i + 1;
		if (!*lines[i])
			continue;
		if (g_strv_length(fields) != columns)
			base_diag_error(diag, at, "expected %u fields, found %u", columns, g_strv_length(fields));
		else
			add(set, fields, at, diag);
	}
	return true;
}

static void number_free(gpointer data)
{
	struct reproduce_published *p = data;

	g_free(p->id);
	g_free(p->workload);
	g_free(p->configuration);
	g_free(p->quantity);
	g_free(p->unit);
	g_free(p->where);
	g_free(p);
}

struct reproduce_published_set *reproduce_published_read(const char *dir, bool is_quick, struct base_diag_list *diag)
{
	struct reproduce_published_set *set = g_new0(struct reproduce_published_set, 1);
	g_autofree char *results = g_build_filename(dir, "results.csv", NULL);
	g_autofree char *explanations = g_build_filename(dir, "explanations.csv", NULL);
	g_autofree char *experiments = g_build_filename(dir, "experiments.csv", NULL);
	g_autofree char *held = g_build_filename(dir, "measured.csv", NULL);
	g_autofree char *closings = g_build_filename(dir, "closed.csv", NULL);

	set->is_quick = is_quick;
	set->numbers = g_ptr_array_new_with_free_func(number_free);
	set->explanations = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	set->passes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	set->experiments = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	set->experiment_rows = g_ptr_array_new_with_free_func((GDestroyNotify)reproduce_experiment_free);
	set->held = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	set->closings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
	if (!file_read(set, results, RESULT_COLUMNS, add_number, diag))
		base_diag_error(diag, (struct base_place){.file = results}, "cannot read the published numbers: %s",
				strerror(errno));
	file_read(set, explanations, EXPLANATION_COLUMNS, add_explanation, diag);
	file_read(set, experiments, EXPERIMENT_COLUMNS, add_experiment, diag);
	file_read(set, held, HELD_COLUMNS, add_held, diag);
	file_read(set, closings, CLOSING_COLUMNS, add_closing, diag);
	if (!diag->error_count)
		return set;
	reproduce_published_free(set);
	return NULL;
}

void reproduce_published_free(struct reproduce_published_set *set)
{
	g_ptr_array_free(set->numbers, TRUE);
	g_hash_table_destroy(set->explanations);
	g_hash_table_destroy(set->passes);
	g_hash_table_destroy(set->experiments);
	g_ptr_array_unref(set->experiment_rows);
	g_hash_table_destroy(set->held);
	g_hash_table_destroy(set->closings);
	g_free(set);
}

const struct reproduce_published *reproduce_published_find(const struct reproduce_published_set *set, const char *id)
{
	for (uint32_t i = 0; i < set->numbers->len; i++) {
		const struct reproduce_published *p = set->numbers->pdata[i];

		if (!strcmp(p->id, id))
			return p;
	}
	return NULL;
}
