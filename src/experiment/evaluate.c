/* evaluate.c - computes expressions, and finds what does not fit in them. */
#include "base/check.h"
#include "experiment/expression.h"
#include "experiment/priv.h"

#include <math.h>
#include <string.h>

/* Definitions within each other, and how much one expression may compute. */
enum { CALLS_MAX = 32, STEPS_MAX = 100000, NO_RUN = UINT32_MAX };

/* VALUE_LEFT: what `where` has left out; it keeps its place in the list. */
enum value_kind { VALUE_NUMBER, VALUE_RUN, VALUE_TEXT, VALUE_LIST, VALUE_NONE, VALUE_LEFT };

struct value {
	enum value_kind kind;
	double number;
	uint32_t run;
	const char *text;
	struct value *items;
	uint32_t count;
};

/* The parameters of the definition that is computed. */
struct frame {
	const GPtrArray *names; /* NULL: it has none */
	const struct value *values;
};

struct computing {
	const struct experiment_names *names;
	experiment_field *field;
	void *ctx;
	struct base_diag_list *diag; /* NULL: it was checked */
	GPtrArray *memory;	     /* of the lists */
	uint32_t optional_depth;     /* of `or` */
	uint32_t call_depth, step_count;
	bool is_wrong; /* a message was given, or would have been */
};

typedef const struct experiment_expression node;

static const struct value missing = {.kind = VALUE_NUMBER, .number = NAN};

static struct value compute(struct computing *c, node *n, const struct frame *f);

/* One message for an expression: what follows from a mistake is none. */
static struct value wrong(struct computing *c, node *n, const char *text, const char *name)
{
	if (!c->is_wrong && c->diag)
		base_diag_error(c->diag, n->at, text, name);
	c->is_wrong = true;
	return missing;
}

/* False after a message: an expression of a few lines may ask for very much. */
static bool step(struct computing *c, node *n)
{
	if (c->step_count++ > STEPS_MAX)
		wrong(c, n, "this is too much to compute", NULL);
	return !c->is_wrong;
}

static struct value number_of(double x)
{
	return (struct value){.kind = VALUE_NUMBER, .number = x};
}

static struct value list_new(struct computing *c, uint32_t count)
{
	struct value list = {.kind = VALUE_LIST, .items = g_new0(struct value, count), .count = count};

	g_ptr_array_add(c->memory, list.items);
	return list;
}

/* NAN after a message where it is no number. */
static double as_number(struct computing *c, node *n, struct value v)
{
	if (v.kind == VALUE_RUN || v.kind == VALUE_TEXT || v.kind == VALUE_LIST)
		wrong(c, n,
		      v.kind == VALUE_RUN    ? "expected a number, found a run: its fields are NAME[FIELD]"
		      : v.kind == VALUE_TEXT ? "expected a number, found a text"
					     : "expected a number, found a list",
		      NULL);
	return v.kind == VALUE_NUMBER ? v.number : NAN;
}

/* ---- through lists ---- */

static double operate(node *n, double a, double b, double c)
{
	if (n->kind == NODE_RELATION) {
		if (isnan(a) || isnan(b) || isnan(c))
			return NAN;
		switch (n->relation) {
		case EXPERIMENT_NEAR:
			return fabs(a - b) <= c;
		case EXPERIMENT_ABOVE:
			return a > b;
		case EXPERIMENT_AT_LEAST:
			return a >= b;
		case EXPERIMENT_BELOW:
			return a < b;
		case EXPERIMENT_AT_MOST:
			return a <= b;
		case EXPERIMENT_SHOWN:
			break;
		}
		CHECK(!"a relation");
	}
	switch (n->kind == NODE_NEGATE ? 'n' : n->op) {
	case 'n':
		return -a;
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
		return a / b;
	}
	CHECK(!"an operator");
}

static struct value item_of(struct value v, uint32_t i)
{
	return v.kind == VALUE_LIST ? v.items[i] : v;
}

static struct value operate_all(struct computing *c, node *n, const struct value *v)
{
	struct value out;
	uint32_t count = 0;
	bool is_list = false;

	if (!step(c, n))
		return missing;
	for (uint32_t i = 0; i < 3; i++) {
		if (v[i].kind != VALUE_LIST)
			continue;
		if (is_list && v[i].count != count)
			return wrong(c, n, "lists of different lengths", NULL);
		is_list = true;
		count = v[i].count;
	}
	if (!is_list)
		return number_of(operate(n, as_number(c, n, v[0]), as_number(c, n, v[1]), as_number(c, n, v[2])));
	out = list_new(c, count);
	for (uint32_t i = 0; i < count; i++)
		out.items[i] = operate_all(
		    c, n, (struct value[]){item_of(v[0], i), item_of(v[1], i), item_of(v[2], i)});
	return out;
}

static struct value operation(struct computing *c, node *n, const struct frame *f)
{
	struct value v[3] = {number_of(0), number_of(0), number_of(0)};

	for (uint32_t i = 0; i < n->parts->len; i++)
		v[i] = compute(c, n->parts->pdata[i], f);
	return operate_all(c, n, v);
}

/* ---- names and fields ---- */

static const struct value *parameter(const struct frame *f, const char *name)
{
	for (uint32_t i = 0; f->names && i < f->names->len; i++)
		if (!strcmp(f->names->pdata[i], name))
			return &f->values[i];
	return NULL;
}

static struct value defined(struct computing *c, node *n, const struct frame *f)
{
	const struct experiment_definition *d = g_hash_table_lookup(c->names->definitions, n->text);
	struct value values[16];
	struct frame inner = {0};
	struct value out;

	if (!d || !d->body)
		return d ? missing : wrong(c, n, "'%s' is no run, no definition and no function", n->text);
	if (n->parts->len != d->parameters->len || n->parts->len > ARRAY_COUNT(values))
		return wrong(c, n, "'%s' has another number of parameters", n->text);
	if (!step(c, n))
		return missing;
	if (c->call_depth == CALLS_MAX)
		return wrong(c, n, "'%s' is defined by itself, or by too much", n->text);
	for (uint32_t i = 0; i < n->parts->len; i++)
		values[i] = compute(c, n->parts->pdata[i], f);
	inner = (struct frame){.names = d->parameters, .values = values};
	c->call_depth++;
	out = compute(c, d->body, &inner);
	c->call_depth--;
	return out;
}

static struct value named(struct computing *c, node *n, const struct frame *f)
{
	const struct value *of = parameter(f, n->text);
	const uint32_t run = GPOINTER_TO_UINT(g_hash_table_lookup(c->names->indices, n->text));

	if (of)
		return *of;
	if (run)
		return (struct value){.kind = VALUE_RUN, .run = run - 1};
	if (!strcmp(n->text, "none"))
		return (struct value){.kind = VALUE_NONE};
	return defined(c, n, f);
}

/* The field's name, with {parameter} replaced by its text. NULL after a message. */
static char *path_of(struct computing *c, node *n, const struct frame *f)
{
	GString *out = g_string_new(NULL);

	for (const char *p = n->text; *p; p++) {
		const char *end = *p == '{' ? strchr(p, '}') : NULL;
		g_autofree char *name = end ? g_strndup(p + 1, (size_t)(end - p - 1)) : NULL;
		const struct value *v = name ? parameter(f, name) : NULL;

		if (*p != '{' && *p != '}') {
			g_string_append_c(out, *p);
			continue;
		}
		if (!v || v->kind != VALUE_TEXT) {
			wrong(c, n, "'%s': {name} is a parameter that is a text", n->text);
			g_string_free(out, TRUE);
			return NULL;
		}
		g_string_append(out, v->text);
		p = end;
	}
	return g_string_free(out, FALSE);
}

static struct value field_of(struct computing *c, node *n, struct value of, const char *path)
{
	struct value out;

	if (!step(c, n))
		return missing;
	if (of.kind == VALUE_NONE)
		return missing;
	if (of.kind == VALUE_RUN)
		return number_of(c->field ? c->field(c->ctx, of.run, path, n->at, !c->optional_depth) : NAN);
	if (of.kind != VALUE_LIST)
		return wrong(c, n, "[%s] is a field of a run, or of a list of runs", path);
	out = list_new(c, of.count);
	for (uint32_t i = 0; i < of.count; i++)
		out.items[i] = field_of(c, n, of.items[i], path);
	return out;
}

static struct value field(struct computing *c, node *n, const struct frame *f)
{
	const struct value of = compute(c, n->parts->pdata[0], f);
	g_autofree char *path = path_of(c, n, f);

	return path ? field_of(c, n, of, path) : missing;
}

/* ---- functions ---- */

static void numbers_add(struct computing *c, node *n, struct value v, GArray *out)
{
	double x;

	if (!step(c, n))
		return;
	if (v.kind == VALUE_LIST) {
		for (uint32_t i = 0; i < v.count; i++)
			numbers_add(c, n, v.items[i], out);
		return;
	}
	if (v.kind == VALUE_LEFT)
		return;
	x = as_number(c, n, v);
	g_array_append_val(out, x);
}

static double least(const double *x, uint32_t count)
{
	double out = x[0];

	for (uint32_t i = 0; i < count; i++)
		out = isnan(x[i]) || x[i] < out ? x[i] : out;
	return out;
}

static double most(const double *x, uint32_t count)
{
	double out = x[0];

	for (uint32_t i = 0; i < count; i++)
		out = isnan(x[i]) || x[i] > out ? x[i] : out;
	return out;
}

static double total(const double *x, uint32_t count)
{
	double out = 0;

	for (uint32_t i = 0; i < count; i++)
		out += x[i];
	return out;
}

static double mean(const double *x, uint32_t count)
{
	return total(x, count) / count;
}

static double geomean(const double *x, uint32_t count)
{
	double out = 0;

	for (uint32_t i = 0; i < count; i++)
		out += log(x[i]);
	return exp(out / count);
}

static struct value each(double (*of)(double), struct computing *c, node *n, struct value v)
{
	struct value out;

	if (!step(c, n))
		return missing;
	if (v.kind != VALUE_LIST)
		return number_of(of(as_number(c, n, v)));
	out = list_new(c, v.count);
	for (uint32_t i = 0; i < v.count; i++)
		out.items[i] = each(of, c, n, v.items[i]);
	return out;
}

static struct value first(struct computing *c, node *n, struct value values, struct value conditions)
{
	if (values.kind != VALUE_LIST || conditions.kind != VALUE_LIST || values.count != conditions.count)
		return wrong(c, n, "first needs a list of values and one of as many conditions", NULL);
	for (uint32_t i = 0; i < values.count; i++)
		as_number(c, n, values.items[i]);
	for (uint32_t i = 0; i < values.count; i++) {
		const double is = as_number(c, n, conditions.items[i]);

		if (isnan(is))
			return missing;
		if (is != 0)
			return values.items[i];
	}
	return missing;
}

static struct value where(struct computing *c, node *n, struct value values, struct value conditions)
{
	struct value out;

	if (values.kind != VALUE_LIST || conditions.kind != VALUE_LIST || values.count != conditions.count)
		return wrong(c, n, "where needs a list of values and one of as many conditions", NULL);
	out = list_new(c, values.count);
	for (uint32_t i = 0; i < out.count; i++) {
		const double is = as_number(c, n, conditions.items[i]);

		out.items[i] = isnan(is) ? missing : is != 0 ? values.items[i] : (struct value){.kind = VALUE_LEFT};
	}
	return out;
}

static struct value either_of(struct computing *c, node *n, struct value v, struct value instead)
{
	struct value out;
	double x;

	if (!step(c, n))
		return missing;
	if (v.kind == VALUE_LIST && instead.kind == VALUE_LIST && v.count != instead.count)
		return wrong(c, n, "lists of different lengths", NULL);
	if (v.kind == VALUE_LIST) {
		out = list_new(c, v.count);
		for (uint32_t i = 0; i < v.count; i++)
			out.items[i] = either_of(c, n, v.items[i], item_of(instead, i));
		return out;
	}
	x = as_number(c, n, v);
	return number_of(isnan(x) ? as_number(c, n, instead) : x);
}

/* The second where the first is missing. */
static struct value either(struct computing *c, node *n, const struct frame *f)
{
	struct value v;

	c->optional_depth++;
	v = compute(c, n->parts->pdata[0], f);
	c->optional_depth--;
	return either_of(c, n, v, compute(c, n->parts->pdata[1], f));
}

static struct value runs_like(struct computing *c, node *n, const struct frame *f)
{
	const struct value pattern = compute(c, n->parts->pdata[0], f);
	const GPtrArray *runs = c->names->runs->runs;
	struct value out;

	if (pattern.kind != VALUE_TEXT)
		return wrong(c, n, "runs needs a text, as in runs(\"A_*\")", NULL);
	out = list_new(c, runs->len);
	out.count = 0;
	for (uint32_t i = 0; i < runs->len; i++)
		if (g_pattern_match_simple(pattern.text, ((const struct experiment_run *)runs->pdata[i])->id))
			out.items[out.count++] = (struct value){.kind = VALUE_RUN, .run = i};
	return out.count ? out : wrong(c, n, "no run is called as in '%s'", pattern.text);
}

/* Constants only: a list has as many items in each run of an experiment. */
static struct value upto(struct computing *c, node *n, const struct frame *f)
{
	const double from = as_number(c, n, compute(c, n->parts->pdata[0], f));
	const double to = as_number(c, n, compute(c, n->parts->pdata[1], f));
	struct value out;

	if (!(from >= 0 && to >= from && to - from < STEPS_MAX && floor(from) == from && floor(to) == to))
		return wrong(c, n, "upto needs two whole numbers, the second no less than the first", NULL);
	out = list_new(c, (uint32_t)(to - from) + 1);
	for (uint32_t i = 0; i < out.count && step(c, n); i++)
		out.items[i] = number_of(from + i);
	return out;
}

static const struct experiment_model *model_find(const struct experiment_names *names, const char *name)
{
	for (const struct experiment_model *m = names->models; m && m->name; m++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}

/* Where it is only seen whether the expression fits, only a model of texts is asked: they may be wrong. */
static struct value model_of_texts(struct computing *c, node *n, const struct experiment_model *m,
				   const struct value *v, const double *x)
{
	const char *texts[EXPERIMENT_MODEL_PARTS_MAX];
	g_autofree char *why = NULL;
	double out;

	for (uint32_t i = 0; i < m->text_count; i++) {
		if (v[i].kind != VALUE_TEXT)
			return wrong(c, n, "'%s' needs a text, as \"a\", before its numbers", n->text);
		texts[i] = v[i].text;
	}
	out = m->of_texts(c->names->dir, texts, x, &why);
	return why ? wrong(c, n, "%s", why) : number_of(out);
}

/* A model of numbers that are not there is not asked. */
static struct value model_one(struct computing *c, node *n, const struct experiment_model *m, const struct value *v)
{
	double x[EXPERIMENT_MODEL_PARTS_MAX], sum = 0;

	for (uint32_t i = 0; i < m->count; i++)
		sum += x[i] = as_number(c, n, v[m->text_count + i]);
	if (isnan(sum) || c->is_wrong)
		return missing;
	if (m->text_count)
		return model_of_texts(c, n, m, v, x);
	return c->diag ? missing : number_of(m->of(x));
}

static struct value model_all(struct computing *c, node *n, const struct experiment_model *m, const struct value *v)
{
	const uint32_t count = m->text_count + m->count;
	struct value item[EXPERIMENT_MODEL_PARTS_MAX], out = {0};

	if (!step(c, n))
		return missing;
	for (uint32_t i = 0; i < count; i++) {
		if (v[i].kind != VALUE_LIST)
			continue;
		if (out.kind == VALUE_LIST && out.count != v[i].count)
			return wrong(c, n, "lists of different lengths", NULL);
		out = (struct value){.kind = VALUE_LIST, .count = v[i].count};
	}
	if (out.kind != VALUE_LIST)
		return model_one(c, n, m, v);
	out = list_new(c, out.count);
	for (uint32_t i = 0; i < out.count; i++) {
		for (uint32_t k = 0; k < count; k++)
			item[k] = item_of(v[k], i);
		out.items[i] = model_all(c, n, m, item);
	}
	return out;
}

static struct value model(struct computing *c, node *n, const struct experiment_model *m, const struct frame *f)
{
	struct value v[EXPERIMENT_MODEL_PARTS_MAX];

	if (n->parts->len != m->text_count + m->count)
		return wrong(c, n, "'%s' has another number of parameters", n->text);
	for (uint32_t i = 0; i < n->parts->len; i++)
		v[i] = compute(c, n->parts->pdata[i], f);
	return model_all(c, n, m, v);
}

static const struct function {
	const char *name;
	double (*all)(const double *x, uint32_t count); /* of all numbers */
	double (*one)(double x);
	uint32_t part_count; /* of others than all */
} functions[] = {
    {"min", least, NULL, 0}, {"max", most, NULL, 0},	     {"sum", total, NULL, 0}, {"mean", mean, NULL, 0},
    {"geomean", geomean, NULL, 0}, {"abs", NULL, fabs, 1}, {"cbrt", NULL, cbrt, 1}, {"log10", NULL, log10, 1},
    {"log2", NULL, log2, 1},
    {"first", NULL, NULL, 2},
    {"where", NULL, NULL, 2}, {"or", NULL, NULL, 2},	   {"runs", NULL, NULL, 1},
    {"upto", NULL, NULL, 2},
};

static const struct function *function_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(functions); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

bool experiment_is_function(const struct experiment_names *names, const char *name)
{
	return function_find(name) || model_find(names, name) || !strcmp(name, "none") || !strcmp(name, "within");
}

static struct value of_all(struct computing *c, node *n, const struct function *of, const struct frame *f)
{
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(double));

	for (uint32_t i = 0; i < n->parts->len; i++)
		numbers_add(c, n, compute(c, n->parts->pdata[i], f), numbers);
	if (!n->parts->len)
		return wrong(c, n, "%s of no numbers", n->text);
	if (!numbers->len || c->is_wrong)
		return missing;
	return number_of(of->all((const double *)(void *)numbers->data, numbers->len));
}

static struct value call(struct computing *c, node *n, const struct frame *f)
{
	const struct function *of = function_find(n->text);
	const struct experiment_model *m = model_find(c->names, n->text);

	if (m)
		return model(c, n, m, f);
	if (!of)
		return defined(c, n, f);
	if (of->all)
		return of_all(c, n, of, f);
	if (n->parts->len != of->part_count)
		return wrong(c, n, of->part_count == 1 ? "%s needs one value" : "%s needs two values", n->text);
	if (of->one)
		return each(of->one, c, n, compute(c, n->parts->pdata[0], f));
	if (!strcmp(of->name, "or"))
		return either(c, n, f);
	if (!strcmp(of->name, "runs"))
		return runs_like(c, n, f);
	if (!strcmp(of->name, "upto"))
		return upto(c, n, f);

	const struct value values = compute(c, n->parts->pdata[0], f);
	const struct value conditions = compute(c, n->parts->pdata[1], f);

	return !strcmp(of->name, "first") ? first(c, n, values, conditions) : where(c, n, values, conditions);
}

/* Lists in a list are their items: no value holds a list of lists. */
static struct value list(struct computing *c, node *n, const struct frame *f)
{
	g_autoptr(GArray) items = g_array_new(FALSE, FALSE, sizeof(struct value));
	struct value out;

	for (uint32_t i = 0; i < n->parts->len && step(c, n); i++) {
		const struct value v = compute(c, n->parts->pdata[i], f);

		if (v.kind == VALUE_LIST)
			g_array_append_vals(items, v.items, v.count);
		else
			g_array_append_val(items, v);
		c->step_count += v.kind == VALUE_LIST ? v.count : 0;
	}
	out = list_new(c, items->len);
	if (items->len)
		memcpy(out.items, items->data, items->len * sizeof(struct value));
	return out;
}

static struct value compute(struct computing *c, node *n, const struct frame *f)
{
	if (c->is_wrong)
		return missing;
	switch (n->kind) {
	case NODE_NUMBER:
		return number_of(n->number);
	case NODE_TEXT:
		return (struct value){.kind = VALUE_TEXT, .text = n->text};
	case NODE_NAME:
		return named(c, n, f);
	case NODE_CALL:
		return call(c, n, f);
	case NODE_LIST:
		return list(c, n, f);
	case NODE_FIELD:
		return field(c, n, f);
	case NODE_NEGATE:
	case NODE_COMPUTE:
	case NODE_RELATION:
		return operation(c, n, f);
	}
	CHECK(!"an expression");
}

static void computing_end(struct computing *c)
{
	g_ptr_array_free(c->memory, TRUE);
}

bool experiment_check(const struct experiment_names *names, const struct experiment_expression *e, uint32_t count,
		      struct base_diag_list *diag)
{
	struct computing c = {.names = names, .diag = diag, .memory = g_ptr_array_new_with_free_func(g_free)};
	const struct value v = compute(&c, e, &(struct frame){0});

	if (!c.is_wrong && count && v.kind == VALUE_LIST && v.count != count) {
		base_diag_error(diag, e->at, "expected %u numbers, found %u", count, v.count);
		c.is_wrong = true;
	}
	for (uint32_t i = 0; !c.is_wrong && i < (count ? count : 1); i++)
		as_number(&c, e, count ? item_of(v, i) : v);
	computing_end(&c);
	return !c.is_wrong;
}

double experiment_number(const struct experiment_names *names, const struct experiment_expression *e, uint32_t index,
			 experiment_field *of, void *ctx)
{
	struct computing c = {
	    .names = names, .field = of, .ctx = ctx, .memory = g_ptr_array_new_with_free_func(g_free)};
	const double x = as_number(&c, e, item_of(compute(&c, e, &(struct frame){0}), index));

	computing_end(&c);
	return x;
}
