/* described.c - a paper from its paper.yaml, as the tables that the other files know. */
#include "reproduce/described.h"

#include "base/check.h"
#include "base/yaml_tree.h"
#include "experiment/expression.h"
#include "reproduce/models.h"
#include "reproduce/run_field.h"
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct reproduce_described {
	struct reproduce_paper paper;
	char *path; /* of the file, which places name */
	char *dir;  /* of the file, whole */
	struct experiment experiment;
	struct experiment_names *names;
	GHashTable *expressions; /* struct experiment_expression *, by the name that rows, terms and charts have */
	GHashTable *places;	 /* struct base_place *, of numbers by their id */
	GPtrArray *owned;	 /* of what else is to be freed */
	GHashTable *lacking;	 /* struct base_place *, by what verified runs do not have and expressions need */
};

typedef struct reproduce_described described;

struct reader {
	described *of;
	struct base_yaml *y;
	enum experiment_size size;
	bool is_quick;
};

/* ---- texts and arrays ---- */

static void *own(described *of, void *memory)
{
	g_ptr_array_add(of->owned, memory);
	return memory;
}

static const char *text_of(struct reader *r, const yaml_node_t *n, const char *what)
{
	const char *text = base_yaml_text(r->y, n, what);

	return text ? own(r->of, g_strdup(text)) : "";
}

static uint32_t item_count(const yaml_node_t *n)
{
	return n ? (uint32_t)(n->data.sequence.items.top - n->data.sequence.items.start) : 0;
}

/* An array of a paper's, of one item more than its count, for none must be NULL. */
#define TABLE(r, type, count) own((r)->of, g_new0(type, (size_t)(count) + 1))

/* A list of texts. */
static const char **texts_of(struct reader *r, const yaml_node_t *n, const char *what, uint32_t *count)
{
	const char **texts;
	uint32_t i = 0;

	if (!base_yaml_is_list(r->y, n, what))
		return NULL;
	texts = TABLE(r, const char *, item_count(n));
	BASE_YAML_EACH_ITEM(n, item)
		texts[i++] = text_of(r, base_yaml_node(r->y, *item), what);
	*count = i;
	return texts;
}

/* ---- runs ---- */

/* A machine of a file is found from the paper's folder. */
static const char *machine_of(struct reader *r, const char *machine)
{
	if (!strchr(machine, '/') && !g_str_has_suffix(machine, ".yaml"))
		return machine;
	return g_path_is_absolute(machine) ? machine : own(r->of, g_build_filename(r->of->dir, machine, NULL));
}

static const char **workloads_of(struct reader *r, uint32_t *count)
{
	const GPtrArray *runs = r->of->experiment.runs;
	const char **workloads = TABLE(r, const char *, runs->len);

	for (uint32_t i = 0; i < runs->len; i++) {
		const struct experiment_run *run = runs->pdata[i];
		uint32_t w = 0;

		while (w < *count && strcmp(workloads[w], run->program))
			w++;
		if (w == *count)
			workloads[(*count)++] = run->program;
	}
	return workloads;
}

/* Runs of one name, machine and settings are a configuration: its programs are those that the runs have. */
static uint32_t config_of(struct reader *r, struct reproduce_config *configs, const struct experiment_run *run)
{
	uint32_t i = 0, *count = &r->of->paper.config_count;

	while (i < *count && (strcmp(configs[i].name, run->name) || strcmp(configs[i].sets, run->sets) ||
			      strcmp(configs[i].machine, machine_of(r, run->machine))))
		i++;
	if (i == *count)
		configs[(*count)++] = (struct reproduce_config){
		    .name = run->name, .machine = machine_of(r, run->machine), .sets = run->sets};
	return i;
}

static void runs_make(struct reader *r)
{
	struct reproduce_paper *paper = &r->of->paper;
	const GPtrArray *runs = r->of->experiment.runs;
	struct reproduce_config *configs = TABLE(r, struct reproduce_config, runs->len);
	struct reproduce_cell *cells = TABLE(r, struct reproduce_cell, runs->len);

	for (uint32_t i = 0; i < runs->len; i++) {
		const struct experiment_run *run = runs->pdata[i];

		cells[i] = (struct reproduce_cell){config_of(r, configs, run), run->program, run->arguments};
	}
	paper->configs = configs;
	paper->cells = cells;
	paper->cell_count = runs->len;
	paper->workloads = workloads_of(r, &paper->workload_count);
}

/* ---- expressions ---- */

/* Keeps the expression, whose list has as many numbers (0: it is one number), under the name. */
static const char *expression_keep(struct reader *r, const struct experiment_expression *e, uint32_t count, char *name)
{
	own(r->of, name);
	if (e && experiment_check(r->of->names, e, count, r->y->diag))
		g_hash_table_insert(r->of->expressions, name, (gpointer)e);
	return name;
}

static double number_of(const struct reproduce_data *d, const struct reproduce_row *row)
{
	return reproduce_described_number(d, row->expression, 0);
}

/* A number that needs no run; NAN otherwise. */
static double constant_of(described *of, const struct experiment_expression *e)
{
	return experiment_number(of->names, e, 0, NULL, NULL);
}

/* ---- numbers ---- */

static const char *template_of(struct reader *r, const yaml_node_t *n, const char *what,
			       const struct reproduce_term *terms, uint32_t term_count);

/* What is said beside a number, of one more number or of none. */
static void note_take(struct reader *r, const char *id, yaml_node_t *text, yaml_node_t *noted,
		      struct reproduce_claim *note)
{
	*note = (struct reproduce_claim){.part = id, .seen = ""};
	note->text = template_of(r, text, "a text", NULL, noted != NULL);
	if (!noted)
		return;
	note->terms[0].row.measure = number_of;
	note->terms[0].row.expression =
	    expression_keep(r, experiment_expression_read(r->of->names, r->y, noted, r->is_quick), 0,
			    g_strconcat(id, " noted", NULL));
}

static void number_take(struct reader *r, yaml_node_t *key, yaml_node_t *n, struct reproduce_row *row,
			struct reproduce_same *same, struct reproduce_claim *note, struct reproduce_turn *turn_out)
{
	yaml_node_t *is, *within, *as, *text, *noted, *turn;
	const struct base_yaml_entry entries[] = {
	    {"is", &is}, {"within", &within}, {"as", &as}, {"note", &text}, {"noted", &noted}, {"turn", &turn}};
	struct base_place *at;

	row->id = text_of(r, key, "a number's id");
	row->measure = number_of;
	if (!base_yaml_is_mapping(r->y, n, "{is: EXPRESSION, within: TOLERANCE}"))
		return;
	base_yaml_entries(r->y, n, "a number", entries, ARRAY_COUNT(entries));
	if (g_hash_table_contains(r->of->places, row->id))
		base_diag_error(r->y->diag, base_yaml_place(r->y, key), "'%s' is given twice", row->id);
	at = own(r->of, g_new(struct base_place, 1));
	*at = base_yaml_place(r->y, key);
	g_hash_table_insert(r->of->places, (gpointer)row->id, at);
	if (is)
		row->expression = expression_keep(r, experiment_expression_read(r->of->names, r->y, is, r->is_quick), 0,
					    g_strdup(row->id));
	else
		base_diag_error(r->y->diag, *at, "the number '%s' needs `is:`", row->id);
	if (within)
		base_yaml_number(r->y, within, "a tolerance", &row->tolerance);
	if (turn && base_yaml_number(r->y, turn, "where the answer turns round", &turn_out->turn))
		turn_out->id = row->id;
	if (as)
		*same = (struct reproduce_same){row->id, text_of(r, as, "a claim or a number")};
	if (text)
		note_take(r, row->id, text, noted, note);
	else if (noted)
		base_diag_error(r->y->diag, base_yaml_place(r->y, noted), "`noted:` goes with `note:`");
}

static void numbers_take(struct reader *r, const yaml_node_t *n)
{
	struct reproduce_paper *paper = &r->of->paper;
	const size_t count = (size_t)(n->data.mapping.pairs.top - n->data.mapping.pairs.start);
	struct reproduce_row *rows = TABLE(r, struct reproduce_row, count);
	struct reproduce_same *same = TABLE(r, struct reproduce_same, count);
	struct reproduce_claim *notes = TABLE(r, struct reproduce_claim, count);
	struct reproduce_turn *turns = TABLE(r, struct reproduce_turn, count);

	BASE_YAML_EACH_PAIR(n, pair) {
		number_take(r, base_yaml_node(r->y, pair->key), base_yaml_node(r->y, pair->value),
			    &rows[paper->row_count++], &same[paper->same_count], &notes[paper->note_count],
			    &turns[paper->turn_count]);
		paper->same_count += same[paper->same_count].id != NULL;
		paper->turn_count += turns[paper->turn_count].id != NULL;
		paper->note_count += notes[paper->note_count].part != NULL;
	}
	paper->notes = notes;
	paper->turns = turns;
	paper->rows = rows;
	paper->same = same;
}

/* ---- claims ---- */

static enum reproduce_must must_of(enum experiment_relation relation)
{
	static const enum reproduce_must musts[] = {
	    [EXPERIMENT_SHOWN] = REPRODUCE_MUST_NOTHING,    [EXPERIMENT_NEAR] = REPRODUCE_MUST_BE_NEAR,
	    [EXPERIMENT_ABOVE] = REPRODUCE_MUST_EXCEED,     [EXPERIMENT_AT_LEAST] = REPRODUCE_MUST_REACH,
	    [EXPERIMENT_BELOW] = REPRODUCE_MUST_BE_BELOW,   [EXPERIMENT_AT_MOST] = REPRODUCE_MUST_NOT_EXCEED,
	};

	return musts[relation];
}

/* What a number is compared with: a constant, or another number of the runs. */
static void wanted_take(struct reader *r, const struct experiment_expression *e, const char *name,
			struct reproduce_term *term)
{
	if (!experiment_check(r->of->names, e, 0, r->y->diag))
		return;
	term->value = constant_of(r->of, e);
	if (!isnan(term->value))
		return;
	term->value = 0;
	term->wanted = expression_keep(r, e, 0, g_strconcat(name, " wanted", NULL));
}

static void tolerance_take(struct reader *r, const struct experiment_expression *e, struct reproduce_term *term)
{
	if (!experiment_check(r->of->names, e, 0, r->y->diag))
		return;
	term->row.tolerance = constant_of(r->of, e);
	if (isnan(term->row.tolerance))
		base_diag_error(r->y->diag, experiment_expression_place(e), "expected a tolerance that no run decides");
}

/* What must be true of an expression, or that it is shown. */
static void relation_take(struct reader *r, yaml_node_t *n, const char *name, struct reproduce_term *term)
{
	const struct experiment_expression *e = experiment_expression_read(r->of->names, r->y, n, r->is_quick);
	struct experiment_sides sides;

	if (!e)
		return;
	sides = experiment_expression_sides(e);
	term->row.measure = number_of;
	term->row.expression = expression_keep(r, sides.left, 0, g_strdup(name));
	term->must = must_of(sides.relation);
	if (sides.right)
		wanted_take(r, sides.right, name, term);
	if (sides.within)
		tolerance_take(r, sides.within, term);
}

static void number_term_take(struct reader *r, yaml_node_t *number, struct reproduce_term *term)
{
	term->row.id = text_of(r, number, "a number's id");
	if (!g_hash_table_contains(r->of->places, term->row.id))
		base_diag_error(r->y->diag, base_yaml_place(r->y, number), "'%s' is none of `numbers:`", term->row.id);
}

/* Where the answer of a claim's expression turns round: of the paper's list, which has a name for the term. */
static void turn_take(struct reader *r, const yaml_node_t *n, const char *name, struct reproduce_term *term)
{
	struct reproduce_paper *paper = &r->of->paper;
	struct reproduce_turn *turns = TABLE(r, struct reproduce_turn, paper->turn_count + 1);

	if (paper->turn_count)
		memcpy(turns, paper->turns, paper->turn_count * sizeof(turns[0]));
	term->row.id = own(r->of, g_strdup(name));
	turns[paper->turn_count].id = term->row.id;
	if (base_yaml_number(r->y, n, "where the answer turns round", &turns[paper->turn_count].turn))
		paper->turn_count++;
	paper->turns = turns;
}

static void term_take(struct reader *r, const char *claim, uint32_t index, yaml_node_t *n, struct reproduce_term *term)
{
	g_autofree char *name = g_strdup_printf("%s term %u", claim, index);
	yaml_node_t *number = NULL, *is = NULL, *turn = NULL, *words = NULL;
	const struct base_yaml_entry entries[] = {{"number", &number}, {"is", &is}, {"turn", &turn}, {"words", &words}};

	if (n->type != YAML_MAPPING_NODE) {
		relation_take(r, n, name, term);
		return;
	}
	base_yaml_entries(r->y, n, "a term", entries, ARRAY_COUNT(entries));
	if (!number == !is || (number && (turn || words)))
		base_diag_error(r->y->diag, base_yaml_place(r->y, n),
				"a term is an expression, {number: ID}, or {is: EXPRESSION, turn: X, words: [...]}");
	else if (number)
		number_term_take(r, number, term);
	else
		relation_take(r, is, name, term);
	if (is && turn)
		turn_take(r, turn, name, term);
	if (is && words)
		term->words = texts_of(r, words, "a list of words", &term->word_count);
}

/* One field of a template, from its brace on: {0}, {=0}, {~0}, and behind that :+ and :.1; of terms with words (terms
 * NULL: none has any) {0:s}. NULL: it is none. */
static const char *field_end(const char *p, const struct reproduce_term *terms, uint32_t term_count)
{
	const bool is_measured = p[1] != '=' && p[1] != '~';
	uint32_t index;

	p += is_measured ? 1 : 2;
	index = (uint32_t)(*p - '0');
	if (!g_ascii_isdigit(*p++) || index >= term_count)
		return NULL;
	if (is_measured && g_str_has_prefix(p, ":s}"))
		return terms && terms[index].words ? p + 2 : NULL;
	if (*p == ':') {
		p++;
		p += *p == '+';
		if (*p == '.' && !g_ascii_isdigit(p[1]))
			return NULL;
		p += *p == '.' ? 2 : 0;
	}
	return *p == '}' ? p : NULL;
}

static const char *template_of(struct reader *r, const yaml_node_t *n, const char *what,
			       const struct reproduce_term *terms, uint32_t term_count)
{
	const char *text = text_of(r, n, what);

	for (const char *p = strchr(text, '{'); p; p = strchr(p + 1, '{')) {
		if (field_end(p, terms, term_count))
			continue;
		base_diag_error(r->y->diag, base_yaml_place(r->y, n),
				"'%s': expected {0}, {=0} or {~0}, a term's number from 0 to %d, and :.1, :+ or, of a "
				"term with words, :s behind",
				p, (int)term_count - 1);
		return "";
	}
	return text;
}

static bool is_claim(const struct reproduce_paper *paper, const char *part)
{
	for (uint32_t i = 0; i < paper->claim_count; i++)
		if (!strcmp(paper->claims[i].part, part))
			return true;
	return false;
}

static void terms_take(struct reader *r, yaml_node_t *n, struct reproduce_claim *claim)
{
	uint32_t count = 0;

	if (!base_yaml_is_list(r->y, n, "a list of terms"))
		return;
	if (!item_count(n) || item_count(n) > REPRODUCE_TERM_MAX) {
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "expected 1 to %d terms, found %u",
				REPRODUCE_TERM_MAX, item_count(n));
		return;
	}
	BASE_YAML_EACH_ITEM(n, item) {
		term_take(r, claim->part, count, base_yaml_node(r->y, *item), &claim->terms[count]);
		count++;
	}
}

static void claim_take(struct reader *r, yaml_node_t *n, struct reproduce_claim *claim)
{
	yaml_node_t *part, *text, *seen, *terms;
	const struct base_yaml_entry entries[] = {
	    {"claim", &part}, {"text", &text}, {"seen", &seen}, {"terms", &terms}};

	claim->part = claim->text = claim->seen = "";
	if (!base_yaml_is_mapping(r->y, n, "{claim: NAME, text: ..., seen: ..., terms: [...]}"))
		return;
	base_yaml_entries(r->y, n, "a claim", entries, ARRAY_COUNT(entries));
	if (!part || !text || !seen || !terms) {
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "a claim needs `%s:`",
				!part ? "claim" : !text ? "text" : !seen ? "seen" : "terms");
		return;
	}
	claim->part = text_of(r, part, "a claim's name");
	if (is_claim(&r->of->paper, claim->part) || g_hash_table_contains(r->of->places, claim->part))
		base_diag_error(r->y->diag, base_yaml_place(r->y, part), "'%s' is given twice", claim->part);
	terms_take(r, terms, claim);
	claim->text = template_of(r, text, "what is claimed", claim->terms, item_count(terms));
	claim->seen = template_of(r, seen, "what is said of the numbers", claim->terms, item_count(terms));
}

static void claims_take(struct reader *r, yaml_node_t *n)
{
	struct reproduce_claim *claims = TABLE(r, struct reproduce_claim, item_count(n));

	r->of->paper.claims = claims;
	BASE_YAML_EACH_ITEM(n, item) {
		claim_take(r, base_yaml_node(r->y, *item), &claims[r->of->paper.claim_count]);
		r->of->paper.claim_count++;
	}
}

/* ---- charts ---- */

static void bar_take(struct reader *r, yaml_node_t *n, uint32_t group_count, const char *chart, const char **name,
		     const char **expression)
{
	yaml_node_t *bar, *is;
	const struct base_yaml_entry entries[] = {{"bar", &bar}, {"is", &is}};

	*name = *expression = "";
	if (!base_yaml_is_mapping(r->y, n, "{bar: NAME, is: EXPRESSION}"))
		return;
	base_yaml_entries(r->y, n, "a bar", entries, ARRAY_COUNT(entries));
	if (!bar || !is) {
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "a bar needs `%s:`", bar ? "is" : "bar");
		return;
	}
	*name = text_of(r, bar, "a bar's name");
	*expression = expression_keep(r, experiment_expression_read(r->of->names, r->y, is, r->is_quick), group_count,
				      g_strdup_printf("%s: %u:%zu", chart, (uint32_t)n->start_mark.line,
						      n->start_mark.column));
}

static void chart_take(struct reader *r, yaml_node_t *n, struct reproduce_chart *chart)
{
	yaml_node_t *title, *groups, *bars;
	const struct base_yaml_entry entries[] = {{"title", &title}, {"groups", &groups}, {"bars", &bars}};
	const char **names, **expressions;

	if (!base_yaml_is_mapping(r->y, n, "{title: ..., groups: [...], bars: [...]}"))
		return;
	base_yaml_entries(r->y, n, "a chart", entries, ARRAY_COUNT(entries));
	if (!title || !groups || !bars) {
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "a chart needs `%s:`",
				!title ? "title" : !groups ? "groups" : "bars");
		return;
	}
	chart->title = text_of(r, title, "a title");
	chart->groups = texts_of(r, groups, "a list of names", &chart->group_count);
	if (!base_yaml_is_list(r->y, bars, "a list of {bar: NAME, is: EXPRESSION}"))
		return;
	if (!item_count(groups) || !item_count(bars)) {
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "a chart without groups or bars");
		return;
	}
	names = TABLE(r, const char *, item_count(bars));
	expressions = TABLE(r, const char *, item_count(bars));
	BASE_YAML_EACH_ITEM(bars, item) {
		bar_take(r, base_yaml_node(r->y, *item), chart->group_count, chart->title, &names[chart->bar_count],
			 &expressions[chart->bar_count]);
		chart->bar_count++;
	}
	chart->bars = names;
	chart->expressions = expressions;
}

static void charts_take(struct reader *r, yaml_node_t *n)
{
	struct reproduce_chart *charts = TABLE(r, struct reproduce_chart, item_count(n));

	r->of->paper.charts = charts;
	BASE_YAML_EACH_ITEM(n, item)
		chart_take(r, base_yaml_node(r->y, *item), &charts[r->of->paper.chart_count++]);
}

/* ---- scatters ---- */

/* The model's points; NULL after a message. */
static uint32_t (*points_of(struct reader *r, yaml_node_t *n))(const struct reproduce_data *d,
							       struct reproduce_point *out)
{
	const char *name = base_yaml_text(r->y, n, "a model's name");

	for (const struct reproduce_points_model *m = reproduce_points_table; name && m->name; m++)
		if (!strcmp(m->name, name))
			return m->points;
	if (name)
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "no model has points '%s'", name);
	return NULL;
}

static void scatter_take(struct reader *r, yaml_node_t *n, struct reproduce_scatter *scatter)
{
	yaml_node_t *title, *x, *y, *series, *points;
	const struct base_yaml_entry entries[] = {
	    {"title", &title}, {"x", &x}, {"y", &y}, {"series", &series}, {"points", &points}};

	if (!base_yaml_is_mapping(r->y, n, "{title: ..., x: ..., y: ..., series: [...], points: MODEL}"))
		return;
	base_yaml_entries(r->y, n, "a scatter", entries, ARRAY_COUNT(entries));
	if (!title || !x || !y || !series || !points) {
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "a scatter needs `%s:`",
				!title ? "title" : !x ? "x" : !y ? "y" : !series ? "series" : "points");
		return;
	}
	scatter->title = text_of(r, title, "a title");
	scatter->x_title = text_of(r, x, "an axis' title");
	scatter->y_title = text_of(r, y, "an axis' title");
	scatter->is_log = true;
	scatter->series = texts_of(r, series, "a list of names", &scatter->series_count);
	scatter->points = points_of(r, points);
}

static void scatters_take(struct reader *r, yaml_node_t *n)
{
	struct reproduce_scatter *scatters = TABLE(r, struct reproduce_scatter, item_count(n));

	r->of->paper.scatters = scatters;
	BASE_YAML_EACH_ITEM(n, item)
		scatter_take(r, base_yaml_node(r->y, *item), &scatters[r->of->paper.scatter_count++]);
}

/* ---- figures ---- */

static enum reproduce_plot plot_of(struct reader *r, const yaml_node_t *n)
{
	static const char *const names[] = {
	    [REPRODUCE_PLOT_SPEEDUP] = "speedup",
	    [REPRODUCE_PLOT_TRAFFIC] = "traffic",
	    [REPRODUCE_PLOT_ENERGY] = "energy",
	    [REPRODUCE_PLOT_CTA_TIMES] = "blocks",
	};
	const char *text = text_of(r, n, "a plot");

	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++)
		if (!strcmp(names[i], text))
			return (enum reproduce_plot)i;
	if (*text)
		base_diag_error(r->y->diag, base_yaml_place(r->y, n),
				"'%s': expected speedup, traffic, energy or blocks", text);
	return REPRODUCE_PLOT_SPEEDUP;
}

static uint32_t config_named(struct reader *r, const yaml_node_t *n)
{
	const char *name = text_of(r, n, "runs' name in tables");

	for (uint32_t i = 0; i < r->of->paper.config_count; i++)
		if (!strcmp(r->of->paper.configs[i].name, name))
			return i;
	base_diag_error(r->y->diag, base_yaml_place(r->y, n), "no run is called '%s'", name);
	return 0;
}

static void figure_take(struct reader *r, yaml_node_t *n, struct reproduce_figure *figure)
{
	yaml_node_t *title, *plot, *of;
	const struct base_yaml_entry entries[] = {{"title", &title}, {"plot", &plot}, {"of", &of}};
	uint32_t *configs;

	figure->title = "";
	if (!base_yaml_is_mapping(r->y, n, "{title: ..., plot: speedup, of: [...]}"))
		return;
	base_yaml_entries(r->y, n, "a figure", entries, ARRAY_COUNT(entries));
	if (!title || !plot || !of) {
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "a figure needs `%s:`",
				!title ? "title" : !plot ? "plot" : "of");
		return;
	}
	figure->title = text_of(r, title, "a title");
	figure->plot = plot_of(r, plot);
	if (!base_yaml_is_list(r->y, of, "a list of runs' names in tables"))
		return;
	configs = TABLE(r, uint32_t, item_count(of));
	BASE_YAML_EACH_ITEM(of, item)
		configs[figure->config_count++] = config_named(r, base_yaml_node(r->y, *item));
	figure->configs = configs;
}

static void figures_take(struct reader *r, yaml_node_t *n)
{
	struct reproduce_figure *figures = TABLE(r, struct reproduce_figure, item_count(n));

	r->of->paper.figures = figures;
	BASE_YAML_EACH_ITEM(n, item)
		figure_take(r, base_yaml_node(r->y, *item), &figures[r->of->paper.figure_count++]);
}

/* ---- the whole ---- */

/* Each number that is judged as another one names a claim, or a number that is judged. */
static void same_check(struct reader *r)
{
	const struct reproduce_paper *paper = &r->of->paper;

	for (uint32_t i = 0; i < paper->same_count; i++) {
		const struct reproduce_same *same = &paper->same[i];
		const struct base_place *at = g_hash_table_lookup(r->of->places, same->id);

		if (!is_claim(paper, same->as) && !g_hash_table_contains(r->of->places, same->as))
			base_diag_error(r->y->diag, *at, "%s is as '%s', which is no claim and no number", same->id,
					same->as);
	}
}

static void take_document(void *ctx, struct base_yaml *y, yaml_node_t *root)
{
	struct reader *r = ctx;
	struct experiment_nodes nodes;
	yaml_node_t *title, *define, *numbers, *claims, *figures, *charts, *scatters;
	const struct base_yaml_entry entries[] = {
	    {"title", &title},   {"words", &nodes.words}, {"settings", &nodes.settings}, {"runs", &nodes.runs},
	    {"define", &define}, {"numbers", &numbers},	  {"claims", &claims},		 {"charts", &charts},
	    {"figures", &figures}, {"scatters", &scatters},
	};

	r->y = y;
	base_yaml_entries(y, root, "a paper", entries, ARRAY_COUNT(entries));
	if (!title || !nodes.runs || !(numbers || claims)) {
		base_diag_error(y->diag, base_yaml_place(y, root), "a paper needs `%s:`",
				!title ? "title" : !nodes.runs ? "runs" : "numbers");
		return;
	}
	r->of->paper.title = text_of(r, title, "a title");
	experiment_read(y, &nodes, r->size, &r->of->experiment);
	if (!r->of->experiment.runs->len)
		return;
	runs_make(r);
	r->of->names = experiment_names_new(&r->of->experiment, reproduce_models_table, r->of->dir);
	if (define)
		experiment_names_define(r->of->names, y, define, r->is_quick);
	experiment_follow_read(r->of->names, y->diag);
	if (numbers && base_yaml_is_mapping(y, numbers, "numbers: {ID: {is: EXPRESSION}, ...}"))
		numbers_take(r, numbers);
	if (claims && base_yaml_is_list(y, claims, "a list of claims"))
		claims_take(r, claims);
	if (figures && base_yaml_is_list(y, figures, "a list of figures"))
		figures_take(r, figures);
	if (charts && base_yaml_is_list(y, charts, "a list of charts"))
		charts_take(r, charts);
	if (scatters && base_yaml_is_list(y, scatters, "a list of scatters"))
		scatters_take(r, scatters);
	same_check(r);
}

static const described *described_of(const struct reproduce_paper *paper)
{
	return paper->described;
}

bool reproduce_is_described(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, REPRODUCE_FILE, NULL);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

const struct reproduce_paper *reproduce_described_read(const char *path, enum experiment_size size,
						       struct base_diag_list *diag)
{
	static const struct base_yaml_words words = {"a paper", "`title:`, `runs:`, ..."};
	g_autofree char *whole = g_canonicalize_filename(path, NULL);
	described *of = g_new0(described, 1);
	struct reader r = {.of = of, .size = size, .is_quick = size == EXPERIMENT_QUICK};

	of->dir = g_path_get_dirname(whole);
	of->owned = g_ptr_array_new_with_free_func(g_free);
	of->expressions = g_hash_table_new(g_str_hash, g_str_equal);
	of->places = g_hash_table_new(g_str_hash, g_str_equal);
	of->lacking = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	of->path = g_strdup(path);
	of->paper.name = own(of, g_path_get_basename(of->dir));
	of->paper.described = of;
	if (base_yaml_read(of->path, &words, take_document, &r, diag))
		return &of->paper;
	reproduce_described_free(&of->paper);
	return NULL;
}

void reproduce_described_free(const struct reproduce_paper *paper)
{
	described *of = paper->described;

	if (of->names)
		experiment_names_free(of->names);
	experiment_free(&of->experiment);
	g_hash_table_destroy(of->expressions);
	g_hash_table_destroy(of->places);
	g_hash_table_destroy(of->lacking);
	g_ptr_array_free(of->owned, TRUE);
	g_free(of->path);
	g_free(of->dir);
	g_free(of);
}

bool reproduce_described_check(const struct reproduce_paper *paper, const struct reproduce_published_set *published,
			       struct base_diag_list *diag)
{
	const described *of = described_of(paper);
	const uint32_t before = diag->error_count;

	for (uint32_t i = 0; i < paper->row_count; i++)
		if (!reproduce_published_find(published, paper->rows[i].id))
			base_diag_error(diag, *(struct base_place *)g_hash_table_lookup(of->places, paper->rows[i].id),
					"'%s' is no number of results.csv", paper->rows[i].id);
	for (uint32_t i = 0; i < published->numbers->len; i++) {
		const struct reproduce_published *p = published->numbers->pdata[i];

		if (!g_hash_table_contains(of->places, p->id))
			base_diag_error(diag, (struct base_place){of->path, 0, 0},
					"'%s' of results.csv is not in `numbers:`; what no run can say is {is: none}",
					p->id);
	}
	for (uint32_t i = 0; i < paper->claim_count; i++) {
		const struct reproduce_claim *claim = &paper->claims[i];

		for (uint32_t k = 0; k < REPRODUCE_TERM_MAX; k++) {
			const struct reproduce_published *p =
			    !claim->terms[k].row.measure && claim->terms[k].row.id
				? reproduce_published_find(published, claim->terms[k].row.id)
				: NULL;

			if (p && p->relation != REPRODUCE_EXACT && p->relation != REPRODUCE_INPUT_OF_MODEL)
				base_diag_error(diag, *(struct base_place *)g_hash_table_lookup(of->places, p->id),
						"'%s' is a bound in results.csv, and no term of '%s': say the relation",
						p->id, claim->part);
		}
	}
	return diag->error_count == before;
}

struct base_place reproduce_described_place(const struct reproduce_paper *paper, uint32_t config)
{
	const described *of = described_of(paper);

	for (uint32_t i = 0; i < paper->cell_count; i++)
		if (paper->cells[i].config == config)
			return ((const struct experiment_run *)of->experiment.runs->pdata[i])->at;
	CHECK(!"a configuration of the paper");
}

/* ---- numbers of runs ---- */

/* A field of a run: "time_ps", or "stats.sm.issued_cycles", where what is before the first dot is an object. */
static double field(void *ctx, uint32_t index, const char *path, struct base_place at, bool is_needed)
{
	const struct reproduce_data *d = ctx;
	const described *of = described_of(d->paper);
	const struct experiment_run *run = of->experiment.runs->pdata[index];
	const uint32_t config = d->paper->cells[index].config;
	const char *dot = strchr(path, '.');
	double listed;
	g_autofree char *outer = g_strndup(path, dot ? (size_t)(dot - path) : strlen(path));
	const uint32_t w = reproduce_workload(d, run->program);
	const double x = reproduce_number(d, config, w, outer, dot ? dot + 1 : NULL);

	if (reproduce_run_field(d, config, w, path, &listed))
		return listed;
	if (isnan(x) || report_has(d->runs[config * d->paper->workload_count + w], outer, dot ? dot + 1 : NULL))
		return x;
	if (is_needed)
		g_hash_table_insert(of->lacking, g_strdup_printf("the run %s has no field %s", run->id, path),
				    g_memdup2(&at, sizeof(at)));
	return NAN;
}

/* NULL: there is no such run. */
static const struct experiment_run *run_of(const struct reproduce_paper *paper, uint32_t config, uint32_t workload)
{
	const described *of = described_of(paper);

	for (uint32_t i = 0; i < paper->cell_count; i++)
		if (paper->cells[i].config == config && !strcmp(paper->cells[i].workload, paper->workloads[workload]))
			return of->experiment.runs->pdata[i];
	return NULL;
}

bool reproduce_described_follows(const struct reproduce_paper *paper, uint32_t config, uint32_t workload)
{
	const struct experiment_run *run = run_of(paper, config, workload);

	return run && run->follows;
}

char *reproduce_described_sets(const struct reproduce_data *d, uint32_t config, uint32_t workload)
{
	const described *of = described_of(d->paper);

	return experiment_follow_sets(of->names, run_of(d->paper, config, workload), field, (void *)d);
}

double reproduce_described_number(const struct reproduce_data *d, const char *name, uint32_t index)
{
	const described *of = described_of(d->paper);
	const struct experiment_expression *e = g_hash_table_lookup(of->expressions, name);

	CHECK(e);
	return experiment_number(of->names, e, index, field, (void *)d);
}

bool reproduce_described_is_same(const struct reproduce_paper *paper, const char *a, const char *b)
{
	const described *of = described_of(paper);

	return experiment_is_same(g_hash_table_lookup(of->expressions, a), g_hash_table_lookup(of->expressions, b));
}

bool reproduce_described_lacks(const struct reproduce_paper *paper, struct base_diag_list *diag)
{
	const described *of = described_of(paper);
	GList *texts;

	if (!g_hash_table_size(of->lacking))
		return false;
	texts = g_list_sort(g_hash_table_get_keys(of->lacking), (GCompareFunc)strcmp);
	for (const GList *t = texts; t; t = t->next)
		base_diag_error(diag, *(struct base_place *)g_hash_table_lookup(of->lacking, t->data), "%s",
				(const char *)t->data);
	g_list_free(texts);
	return true;
}
