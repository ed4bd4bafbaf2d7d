/* plan.c - reads a sweep's file. */
#include "sweep/plan.h"

#include "base/check.h"
#include "base/yaml_tree.h"
#include "experiment/experiment.h"

#include <string.h>

static const char *const kinds[] = {
    [SWEEP_GRID] = "grid", [SWEEP_LIST] = "list", [SWEEP_RANDOM] = "random", [SWEEP_LATIN] = "latin"};

struct reader {
	const char *path;
	struct base_yaml *y;
	struct sweep_plan *plan;
	struct base_diag_list *diag;
	bool has_points, has_seed, has_list;
};

/* ---- lists of words ---- */

static void take_words(struct reader *r, yaml_node_t *n, GPtrArray *out, const char *what)
{
	if (n->type != YAML_SEQUENCE_NODE) {
		base_diag_error(r->diag, base_yaml_place(r->y, n), "expected a list of %s", what);
		return;
	}
	BASE_YAML_EACH_ITEM(n, i) {
		const char *text = base_yaml_text(r->y, base_yaml_node(r->y, *i), what);

		if (text)
			g_ptr_array_add(out, g_strdup(text));
	}
}

static void take_program(struct reader *r, yaml_node_t *n)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	const bool is_workload = n->type == YAML_SCALAR_NODE;
	const char *name;

	if (is_workload) {
		name = base_yaml_text(r->y, n, "a workload's name");
		if (name)
			g_ptr_array_add(words, g_strdup(name));
	} else {
		take_words(r, n, words, "a program's words");
	}
	if (!words->len) {
		if (!is_workload)
			base_diag_error(r->diag, base_yaml_place(r->y, n), "expected a program and its arguments");
		return;
	}
	g_ptr_array_add(words, NULL);
	g_ptr_array_add(r->plan->programs, g_ptr_array_free(g_steal_pointer(&words), FALSE));
	g_ptr_array_add(r->plan->is_workload, GINT_TO_POINTER(is_workload));
}

static void take_programs(struct reader *r, yaml_node_t *n)
{
	if (!base_yaml_is_list(r->y, n, "a list of workloads, or of programs as [./prog, args]"))
		return;
	BASE_YAML_EACH_ITEM(n, i)
		take_program(r, base_yaml_node(r->y, *i));
}

/* ---- axes ---- */

/* The ends of a range are whole numbers when both are written so. */
static bool take_end(struct reader *r, struct sweep_axis *a, const yaml_node_t *n, double *out)
{
	if (!n || !base_yaml_number(r->y, n, "a number", out))
		return false;
	a->is_whole = a->is_whole && !strpbrk((const char *)n->data.scalar.value, ".eE");
	return true;
}

static void take_range(struct reader *r, struct sweep_axis *a, yaml_node_t *n)
{
	yaml_node_t *from, *to, *steps, *scale;
	const struct base_yaml_entry entries[] = {{"from", &from}, {"to", &to}, {"steps", &steps}, {"scale", &scale}};
	const char *text;
	bool has_from, has_to;

	base_yaml_entries(r->y, n, "a range", entries, ARRAY_COUNT(entries));
	a->is_whole = true;
	has_from = take_end(r, a, from, &a->from);
	has_to = take_end(r, a, to, &a->to);
	if (steps)
		base_yaml_count(r->y, steps, "the number of steps", 2, SWEEP_STEPS_MAX, &a->step_count);
	text = scale ? base_yaml_text(r->y, scale, "linear or log") : NULL;
	a->is_log = text && !strcmp(text, "log");
	if (text && !a->is_log && strcmp(text, "linear"))
		base_diag_error(r->diag, base_yaml_place(r->y, scale), "'%s': expected linear or log", text);
	if (!has_from || !has_to)
		base_diag_error(r->diag, base_yaml_place(r->y, n), "a range needs two numbers, from and to");
	else if (a->from >= a->to)
		base_diag_error(r->diag, base_yaml_place(r->y, n), "a range goes up: from %g to %g does not", a->from,
				a->to);
	else if (a->is_log && a->from <= 0)
		base_diag_error(r->diag, base_yaml_place(r->y, n), "a range on a log scale begins above 0");
}

static void axis_free(void *data)
{
	struct sweep_axis *a = data;

	g_free(a->key);
	g_ptr_array_free(a->values, TRUE);
	g_free(a);
}

static void take_axis(struct reader *r, yaml_node_t *key, yaml_node_t *n)
{
	const char *name = base_yaml_text(r->y, key, "a parameter's name");
	struct sweep_axis *a;

	if (!name)
		return;
	for (uint32_t i = 0; i < r->plan->axes->len; i++) {
		const struct sweep_axis *other = r->plan->axes->pdata[i];

		if (!strcmp(other->key, name)) {
			base_diag_error(r->diag, base_yaml_place(r->y, key), "the axis '%s' is given twice", name);
			return;
		}
	}
	a = g_new0(struct sweep_axis, 1);
	a->key = g_strdup(name);
	a->at = base_yaml_place(r->y, key);
	a->values = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(r->plan->axes, a);
	if (n->type == YAML_MAPPING_NODE) {
		take_range(r, a, n);
		return;
	}
	if (n->type == YAML_SCALAR_NODE)
		base_diag_error(r->diag, base_yaml_place(r->y, n),
				"expected a list of values, or {from: A, to: B, steps: N}");
	else
		take_words(r, n, a->values, "values");
	if (n->type == YAML_SEQUENCE_NODE && !a->values->len)
		base_diag_error(r->diag, base_yaml_place(r->y, n), "the axis '%s' has no values", name);
}

static void take_axes(struct reader *r, yaml_node_t *n)
{
	if (!base_yaml_is_mapping(r->y, n, "parameters, each with its values"))
		return;
	BASE_YAML_EACH_PAIR(n, p)
		take_axis(r, base_yaml_node(r->y, p->key), base_yaml_node(r->y, p->value));
}

static void take_point(struct reader *r, yaml_node_t *n)
{
	g_autoptr(GPtrArray) sets = g_ptr_array_new();

	if (!base_yaml_is_mapping(r->y, n, "{parameter: value, ...}"))
		return;
	BASE_YAML_EACH_PAIR(n, p) {
		const char *key = base_yaml_text(r->y, base_yaml_node(r->y, p->key), "a parameter's name");
		const char *value = base_yaml_text(r->y, base_yaml_node(r->y, p->value), "a value");

		if (key && value)
			g_ptr_array_add(sets, g_strconcat(key, "=", value, NULL));
	}
	g_ptr_array_add(sets, NULL);
	g_ptr_array_add(r->plan->points, g_ptr_array_free(g_steal_pointer(&sets), FALSE));
}

static void take_list(struct reader *r, yaml_node_t *n)
{
	if (!base_yaml_is_list(r->y, n, "a list of points, each {parameter: value, ...}"))
		return;
	BASE_YAML_EACH_ITEM(n, i)
		take_point(r, base_yaml_node(r->y, *i));
}

/* ---- runs, one by one ---- */

static bool is_words(char *const *a, char *const *b)
{
	return g_strv_equal((const char *const *)a, (const char *const *)b);
}

/* The index of these words among those of the list, which gets them if it has not. Takes them. */
static uint32_t index_of(GPtrArray *list, char **words)
{
	uint32_t i = 0;

	while (i < list->len && !is_words(list->pdata[i], words))
		i++;
	if (i == list->len)
		g_ptr_array_add(list, words);
	else
		g_strfreev(words);
	return i;
}

static char **words_of(const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, " ", -1);
	GStrvBuilder *words = g_strv_builder_new();
	char **all;

	for (char **part = parts; *part; part++)
		if (**part)
			g_strv_builder_add(words, *part);
	all = g_strv_builder_end(words);
	g_strv_builder_unref(words);
	return all;
}

static uint32_t machine_of(struct sweep_plan *p, const char *name)
{
	uint32_t i = 0;

	while (i < p->machines->len && strcmp(p->machines->pdata[i], name))
		i++;
	if (i == p->machines->len)
		g_ptr_array_add(p->machines, g_strdup(name));
	return i;
}

void sweep_plan_add(struct sweep_plan *p, const struct experiment_run *of)
{
	struct sweep_run *run = g_new0(struct sweep_run, 1);
	g_autofree char *program = g_strjoin(" ", of->program, of->arguments, NULL);

	run->name = g_strdup(of->id);
	run->machine = machine_of(p, of->machine);
	run->point = index_of(p->points, words_of(of->sets));
	run->program = index_of(p->programs, words_of(program));
	if (run->program == p->is_workload->len)
		g_ptr_array_add(p->is_workload, GINT_TO_POINTER(!strchr(of->program, '/')));
	g_ptr_array_add(p->runs, run);
}

static void run_free(gpointer data)
{
	struct sweep_run *run = data;

	g_free(run->name);
	g_free(run);
}

/* A sweep has one kind of runs: of a value for quick and for full ones it takes the latter. */
static void take_runs(struct reader *r, const struct experiment_nodes *nodes)
{
	struct experiment e = {0};

	experiment_read(r->y, nodes, EXPERIMENT_FULL, &e);
	for (uint32_t i = 0; e.runs && i < e.runs->len; i++) {
		const struct experiment_run *run = e.runs->pdata[i];

		if (run->follows)
			base_diag_error(r->diag, run->at, "`set_from:` is of papers: a sweep runs all at once");
		sweep_plan_add(r->plan, run);
	}
	experiment_free(&e);
}

/* ---- the whole ---- */

static void take_kind(struct reader *r, yaml_node_t *n)
{
	const char *text = base_yaml_text(r->y, n, "grid, list, random or latin"), *nearest;

	for (uint32_t i = 0; text && i < ARRAY_COUNT(kinds); i++) {
		if (!strcmp(text, kinds[i])) {
			r->plan->kind = (enum sweep_kind)i;
			return;
		}
	}
	if (!text)
		return;
	nearest = base_nearest_name(text, kinds, ARRAY_COUNT(kinds));
	base_diag_error(r->diag, base_yaml_place(r->y, n), "'%s': expected grid, list, random or latin%s%s%s", text,
			nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* What goes with what. */
static void check(struct reader *r)
{
	const struct base_place at = {r->path, 0, 0};
	const struct sweep_plan *p = r->plan;
	const bool is_drawn = p->kind == SWEEP_RANDOM || p->kind == SWEEP_LATIN;

	if (p->designs->len && (p->machines->len || p->programs->len || p->size))
		base_diag_error(r->diag, at, "designs: runs nothing, and takes no machines, programs or size");
	if (!p->designs->len && !p->machines->len)
		base_diag_error(r->diag, at, "a sweep needs machines: [NAME, ...]");
	if (!p->designs->len && !p->programs->len)
		base_diag_error(r->diag, at, "a sweep needs programs: [WORKLOAD, [./prog, args], ...]");
	if (is_drawn && !r->has_points)
		base_diag_error(r->diag, at, "sweep: %s needs points: N", kinds[p->kind]);
	if (!is_drawn && (r->has_points || r->has_seed))
		base_diag_error(r->diag, at, "points and seed go with sweep: random and sweep: latin");
	if (p->kind == SWEEP_LIST && (!r->has_list || p->axes->len))
		base_diag_error(r->diag, at,
				"sweep: list needs list: [{parameter: value, ...}, ...], and takes no axes");
	if (p->kind == SWEEP_LIST && r->has_list && !p->points->len)
		base_diag_error(r->diag, at, "list: has no points");
	if (p->kind != SWEEP_LIST && r->has_list)
		base_diag_error(r->diag, at, "list: goes with sweep: list");
	if (is_drawn && !p->axes->len)
		base_diag_error(r->diag, at, "sweep: %s needs axes", kinds[p->kind]);
	for (uint32_t i = 0; i < p->axes->len; i++) {
		const struct sweep_axis *a = p->axes->pdata[i];

		if (p->kind == SWEEP_GRID && !a->values->len && !a->step_count)
			base_diag_error(r->diag, a->at, "the range of '%s' needs steps: N in a grid", a->key);
		if (is_drawn && a->step_count)
			base_diag_error(r->diag, a->at, "the range of '%s' takes no steps where points are drawn",
					a->key);
	}
}

static void take_document(void *ctx, struct base_yaml *y, yaml_node_t *root)
{
	struct reader *r = ctx;
	struct sweep_plan *p = r->plan;
	yaml_node_t *kind, *points, *seed, *machines, *programs, *size, *designs, *axes, *list, *pareto;
	struct experiment_nodes nodes;
	const struct base_yaml_entry entries[] = {
	    {"sweep", &kind},         {"points", &points}, {"seed", &seed},       {"machines", &machines},
	    {"programs", &programs},  {"size", &size},     {"designs", &designs}, {"axes", &axes},
	    {"list", &list},          {"pareto", &pareto}, {"words", &nodes.words}, {"settings", &nodes.settings},
	    {"runs", &nodes.runs},
	};

	r->y = y;
	base_yaml_entries(y, root, "a sweep", entries, ARRAY_COUNT(entries));
	r->has_points = points;
	r->has_seed = seed;
	r->has_list = list;
	if (kind)
		take_kind(r, kind);
	if (points)
		base_yaml_count(y, points, "the number of points", 1, SWEEP_POINTS_MAX, &p->asked_count);
	if (seed)
		base_yaml_count(y, seed, "a seed", 0, UINT32_MAX, &p->seed);
	if (machines)
		take_words(r, machines, p->machines, "machines");
	if (programs)
		take_programs(r, programs);
	if (size)
		p->size = g_strdup(base_yaml_text(y, size, "small or paper"));
	if (designs)
		take_words(r, designs, p->designs, "designs");
	if (axes)
		take_axes(r, axes);
	if (list)
		take_list(r, list);
	if (pareto)
		take_words(r, pareto, p->objectives, "fields of the results");
	if (!nodes.runs)
		check(r);
	else if (kind || points || seed || machines || programs || size || designs || axes || list)
		base_diag_error(r->diag, base_yaml_place(y, nodes.runs),
				"runs: are all that is run, and take no machines, programs, size, axes or points");
	else
		take_runs(r, &nodes);
	if (!nodes.runs && (nodes.words || nodes.settings))
		base_diag_error(r->diag, base_yaml_place(y, nodes.words ? nodes.words : nodes.settings),
				"words: and settings: go with runs:");
}

void sweep_plan_init(struct sweep_plan *plan)
{
	*plan = (struct sweep_plan){.seed = 1,
				    .machines = g_ptr_array_new_with_free_func(g_free),
				    .designs = g_ptr_array_new_with_free_func(g_free),
				    .programs = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev),
				    .is_workload = g_ptr_array_new(),
				    .axes = g_ptr_array_new_with_free_func(axis_free),
				    .points = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev),
				    .runs = g_ptr_array_new_with_free_func(run_free),
				    .objectives = g_ptr_array_new_with_free_func(g_free)};
}

bool sweep_plan_read(const char *path, struct sweep_plan *out, struct base_diag_list *diag)
{
	static const struct base_yaml_words words = {"a sweep", "`machines:`, ..."};
	struct reader r = {.path = path, .plan = out, .diag = diag};
	bool is_ok;

	sweep_plan_init(out);
	is_ok = base_yaml_read(path, &words, take_document, &r, diag);
	if (is_ok && !out->objectives->len) {
		const bool is_design = out->designs->len > 0;

		g_ptr_array_add(out->objectives, g_strdup(is_design ? "correlation.total_w" : "time_ps"));
		g_ptr_array_add(out->objectives, g_strdup(is_design ? "correlation.area_mm2" : "energy_total_pj"));
	}
	return is_ok && (out->runs->len || sweep_points_make(out, path, diag));
}

void sweep_plan_free(struct sweep_plan *plan)
{
	GPtrArray *const all[] = {plan->machines, plan->designs, plan->programs, plan->is_workload,
				  plan->axes,     plan->points,   plan->runs,     plan->objectives};

	for (size_t i = 0; i < ARRAY_COUNT(all); i++)
		g_ptr_array_free(all[i], TRUE);
	g_free(plan->size);
}
