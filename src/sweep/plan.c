/* plan.c - reads a sweep's file. */
#include "sweep/plan.h"

#include "base/check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { FILE_BYTES_MAX = 1 << 20 };

static const char *const kinds[] = {
    [SWEEP_GRID] = "grid", [SWEEP_LIST] = "list", [SWEEP_RANDOM] = "random", [SWEEP_LATIN] = "latin"};

struct reader {
	const char *path;
	yaml_document_t doc;
	struct sweep_plan *plan;
	struct base_diag_list *diag;
	bool has_kind, has_points, has_seed, has_list;
};

static struct base_place place_of(const struct reader *r, const yaml_node_t *n)
{
	return (struct base_place){r->path, (uint32_t)n->start_mark.line + 1, (uint32_t)n->start_mark.column + 1};
}

static yaml_node_t *node(struct reader *r, int index)
{
	return yaml_document_get_node(&r->doc, index);
}

/* A value's text; NULL after a message: it is a list or a mapping, or it is empty. */
static const char *text_of(struct reader *r, const yaml_node_t *n, const char *what)
{
	if (n->type == YAML_SCALAR_NODE && n->data.scalar.length &&
	    strlen((const char *)n->data.scalar.value) == n->data.scalar.length)
		return (const char *)n->data.scalar.value;
	base_diag_error(r->diag, place_of(r, n), "expected %s", what);
	return NULL;
}

static bool number_of(struct reader *r, const yaml_node_t *n, const char *what, double *out)
{
	const char *text = text_of(r, n, what);
	char *end;

	if (!text)
		return false;
	errno = 0;
	*out = g_ascii_strtod(text, &end);
	if (!*end && !errno && isfinite(*out))
		return true;
	base_diag_error(r->diag, place_of(r, n), "'%s' is no number: expected %s", text, what);
	return false;
}

static bool count_of(struct reader *r, const yaml_node_t *n, const char *what, double min, double max, uint32_t *out)
{
	double value;

	if (!number_of(r, n, what, &value))
		return false;
	if (value >= min && value <= max && value == floor(value)) {
		*out = (uint32_t)value;
		return true;
	}
	base_diag_error(r->diag, place_of(r, n), "%g: expected a whole number from %.0f to %.0f", value, min, max);
	return false;
}

/* ---- lists of words ---- */

static void take_words(struct reader *r, yaml_node_t *n, GPtrArray *out, const char *what)
{
	if (n->type != YAML_SEQUENCE_NODE) {
		base_diag_error(r->diag, place_of(r, n), "expected a list of %s", what);
		return;
	}
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		const char *text = text_of(r, node(r, *i), what);

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
		name = text_of(r, n, "a workload's name");
		if (name)
			g_ptr_array_add(words, g_strdup(name));
	} else {
		take_words(r, n, words, "a program's words");
	}
	if (!words->len) {
		if (!is_workload)
			base_diag_error(r->diag, place_of(r, n), "expected a program and its arguments");
		return;
	}
	g_ptr_array_add(words, NULL);
	g_ptr_array_add(r->plan->programs, g_ptr_array_free(g_steal_pointer(&words), FALSE));
	g_ptr_array_add(r->plan->is_workload, GINT_TO_POINTER(is_workload));
}

static void take_programs(struct reader *r, yaml_node_t *n)
{
	if (n->type != YAML_SEQUENCE_NODE) {
		base_diag_error(r->diag, place_of(r, n),
				"expected a list of workloads, or of programs as [./prog, args]");
		return;
	}
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++)
		take_program(r, node(r, *i));
}

/* ---- axes ---- */

static void take_range_item(struct reader *r, struct sweep_axis *a, yaml_node_t *key, yaml_node_t *value, bool *has)
{
	static const char *const names[] = {"from", "to", "steps", "scale"};
	const char *name = text_of(r, key, "from, to, steps or scale"), *text;
	double *ends[] = {&a->from, &a->to};

	if (!name)
		return;
	for (uint32_t i = 0; i < 2; i++) {
		if (strcmp(name, names[i]))
			continue;
		has[i] = number_of(r, value, "a number", ends[i]);
		text = (const char *)value->data.scalar.value;
		a->is_whole = a->is_whole && has[i] && !strpbrk(text, ".eE");
		return;
	}
	if (!strcmp(name, "steps")) {
		count_of(r, value, "the number of steps", 2, SWEEP_STEPS_MAX, &a->step_count);
	} else if (!strcmp(name, "scale")) {
		text = text_of(r, value, "linear or log");
		a->is_log = text && !strcmp(text, "log");
		if (text && !a->is_log && strcmp(text, "linear"))
			base_diag_error(r->diag, place_of(r, value), "'%s': expected linear or log", text);
	} else {
		const char *nearest = base_nearest_name(name, names, ARRAY_COUNT(names));

		base_diag_error(r->diag, place_of(r, key), "a range has no '%s'%s%s%s", name,
				nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	}
}

static void take_range(struct reader *r, struct sweep_axis *a, yaml_node_t *n)
{
	bool has[2] = {false, false};

	a->is_whole = true;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++)
		take_range_item(r, a, node(r, p->key), node(r, p->value), has);
	if (!has[0] || !has[1])
		base_diag_error(r->diag, place_of(r, n), "a range needs two numbers, from and to");
	else if (a->from >= a->to)
		base_diag_error(r->diag, place_of(r, n), "a range goes up: from %g to %g does not", a->from, a->to);
	else if (a->is_log && a->from <= 0)
		base_diag_error(r->diag, place_of(r, n), "a range on a log scale begins above 0");
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
	const char *name = text_of(r, key, "a parameter's name");
	struct sweep_axis *a;

	if (!name)
		return;
	for (uint32_t i = 0; i < r->plan->axes->len; i++) {
		const struct sweep_axis *other = r->plan->axes->pdata[i];

		if (!strcmp(other->key, name)) {
			base_diag_error(r->diag, place_of(r, key), "the axis '%s' is given twice", name);
			return;
		}
	}
	a = g_new0(struct sweep_axis, 1);
	a->key = g_strdup(name);
	a->at = place_of(r, key);
	a->values = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(r->plan->axes, a);
	if (n->type == YAML_MAPPING_NODE) {
		take_range(r, a, n);
		return;
	}
	if (n->type == YAML_SCALAR_NODE)
		base_diag_error(r->diag, place_of(r, n), "expected a list of values, or {from: A, to: B, steps: N}");
	else
		take_words(r, n, a->values, "values");
	if (n->type == YAML_SEQUENCE_NODE && !a->values->len)
		base_diag_error(r->diag, place_of(r, n), "the axis '%s' has no values", name);
}

static bool is_mapping(struct reader *r, yaml_node_t *n, const char *what)
{
	if (n->type != YAML_MAPPING_NODE)
		base_diag_error(r->diag, place_of(r, n), "expected %s", what);
	return n->type == YAML_MAPPING_NODE;
}

static void take_axes(struct reader *r, yaml_node_t *n)
{
	if (!is_mapping(r, n, "parameters, each with its values"))
		return;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++)
		take_axis(r, node(r, p->key), node(r, p->value));
}

static void take_point(struct reader *r, yaml_node_t *n)
{
	g_autoptr(GPtrArray) sets = g_ptr_array_new();

	if (!is_mapping(r, n, "{parameter: value, ...}"))
		return;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		const char *key = text_of(r, node(r, p->key), "a parameter's name");
		const char *value = text_of(r, node(r, p->value), "a value");

		if (key && value)
			g_ptr_array_add(sets, g_strconcat(key, "=", value, NULL));
	}
	g_ptr_array_add(sets, NULL);
	g_ptr_array_add(r->plan->points, g_ptr_array_free(g_steal_pointer(&sets), FALSE));
}

static void take_list(struct reader *r, yaml_node_t *n)
{
	r->has_list = true;
	if (n->type != YAML_SEQUENCE_NODE) {
		base_diag_error(r->diag, place_of(r, n), "expected a list of points, each {parameter: value, ...}");
		return;
	}
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++)
		take_point(r, node(r, *i));
}

/* ---- the whole ---- */

static void take_kind(struct reader *r, yaml_node_t *n)
{
	const char *text = text_of(r, n, "grid, list, random or latin"), *nearest;

	r->has_kind = true;
	for (uint32_t i = 0; text && i < ARRAY_COUNT(kinds); i++) {
		if (!strcmp(text, kinds[i])) {
			r->plan->kind = (enum sweep_kind)i;
			return;
		}
	}
	if (!text)
		return;
	nearest = base_nearest_name(text, kinds, ARRAY_COUNT(kinds));
	base_diag_error(r->diag, place_of(r, n), "'%s': expected grid, list, random or latin%s%s%s", text,
			nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static void take_machines(struct reader *r, yaml_node_t *n)
{
	take_words(r, n, r->plan->machines, "machines");
}

static void take_designs(struct reader *r, yaml_node_t *n)
{
	take_words(r, n, r->plan->designs, "designs");
}

static void take_objectives(struct reader *r, yaml_node_t *n)
{
	take_words(r, n, r->plan->objectives, "fields of the results");
}

static void take_count(struct reader *r, yaml_node_t *n)
{
	r->has_points = true;
	count_of(r, n, "the number of points", 1, SWEEP_POINTS_MAX, &r->plan->asked_count);
}

static void take_seed(struct reader *r, yaml_node_t *n)
{
	r->has_seed = true;
	count_of(r, n, "a seed", 0, UINT32_MAX, &r->plan->seed);
}

static void take_size(struct reader *r, yaml_node_t *n)
{
	r->plan->size = g_strdup(text_of(r, n, "small or paper"));
}

static const struct entry {
	const char *name;
	void (*take)(struct reader *r, yaml_node_t *n);
} entries[] = {
    {"sweep", take_kind},        {"points", take_count},      {"seed", take_seed},
    {"machines", take_machines}, {"programs", take_programs}, {"size", take_size},
    {"designs", take_designs},
    {"axes", take_axes},         {"list", take_list},         {"pareto", take_objectives},
};

static void take_entry(struct reader *r, yaml_node_t *key, yaml_node_t *value, uint32_t *seen)
{
	const char *names[ARRAY_COUNT(entries)], *name = text_of(r, key, "a name"), *nearest;

	for (size_t i = 0; name && i < ARRAY_COUNT(entries); i++) {
		names[i] = entries[i].name;
		if (strcmp(name, entries[i].name))
			continue;
		if (*seen & 1u << i)
			base_diag_error(r->diag, place_of(r, key), "'%s' is given twice", name);
		else
			entries[i].take(r, value);
		*seen |= 1u << i;
		return;
	}
	if (!name)
		return;
	nearest = base_nearest_name(name, names, ARRAY_COUNT(names));
	base_diag_error(r->diag, place_of(r, key), "a sweep has no '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
			nearest ? nearest : "", nearest ? "'?" : "");
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

static void take_document(struct reader *r)
{
	yaml_node_t *root = yaml_document_get_root_node(&r->doc);
	uint32_t seen = 0;

	if (!root || root->type != YAML_MAPPING_NODE) {
		base_diag_error(r->diag, (struct base_place){r->path, 0, 0}, "not a sweep: expected `machines:`, ...");
		return;
	}
	for (yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top; p++)
		take_entry(r, node(r, p->key), node(r, p->value), &seen);
	check(r);
}

static void parse(struct reader *r, const char *text, size_t length)
{
	yaml_parser_t parser;

	CHECK(yaml_parser_initialize(&parser));
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	if (yaml_parser_load(&parser, &r->doc)) {
		take_document(r);
		yaml_document_delete(&r->doc);
	} else {
		base_diag_error(r->diag,
				(struct base_place){r->path, (uint32_t)parser.problem_mark.line + 1,
						    (uint32_t)parser.problem_mark.column + 1},
				"%s", parser.problem ? parser.problem : "not YAML");
	}
	yaml_parser_delete(&parser);
}

bool sweep_plan_read(const char *path, struct sweep_plan *out, struct base_diag_list *diag)
{
	struct reader r = {.path = path, .plan = out, .diag = diag};
	const uint32_t before = diag->error_count;
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	size_t length;

	*out = (struct sweep_plan){.seed = 1,
				   .machines = g_ptr_array_new_with_free_func(g_free),
				   .designs = g_ptr_array_new_with_free_func(g_free),
				   .programs = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev),
				   .is_workload = g_ptr_array_new(),
				   .axes = g_ptr_array_new_with_free_func(axis_free),
				   .points = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev),
				   .objectives = g_ptr_array_new_with_free_func(g_free)};
	if (!g_file_get_contents(path, &text, &length, &error))
		base_diag_error(diag, (struct base_place){0}, "%s", error->message);
	else if (length > FILE_BYTES_MAX)
		base_diag_error(diag, (struct base_place){path, 0, 0}, "more than %d bytes: not a sweep",
				FILE_BYTES_MAX);
	else
		parse(&r, text, length);
	if (diag->error_count == before && !out->objectives->len) {
		const bool is_design = out->designs->len > 0;

		g_ptr_array_add(out->objectives, g_strdup(is_design ? "correlation.total_w" : "time_ps"));
		g_ptr_array_add(out->objectives, g_strdup(is_design ? "correlation.area_mm2" : "energy_total_pj"));
	}
	return diag->error_count == before && sweep_points_make(out, path, diag);
}

void sweep_plan_free(struct sweep_plan *plan)
{
	GPtrArray *const all[] = {plan->machines, plan->designs, plan->programs, plan->is_workload,
				  plan->axes,     plan->points,   plan->objectives};

	for (size_t i = 0; i < ARRAY_COUNT(all); i++)
		g_ptr_array_free(all[i], TRUE);
	g_free(plan->size);
}
