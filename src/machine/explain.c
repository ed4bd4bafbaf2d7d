/* explain.c - collects the parts' rows, and holds the names in them against the parts' tables. */
#include "machine/explain.h"

#include <glib.h>
#include <string.h>

#include "account/account.h"
#include "base/check.h"
#include "base/formula.h"
#include "machine/memories.h"
#include "machine/parts.h"
#include "machine/traffic.h"
#include "sim/explain.h"

static void add(struct machine_explain *out, const struct sim_explain *rows)
{
	if (!rows)
		return;
	CHECK(out->count < MACHINE_PARTS_MAX);
	out->items[out->count++] = rows;
}

void machine_explain_of(const struct machine_config *c, struct machine_explain *out)
{
	const char *mechanism =
	    machine_config_has_gpu(c) ? ndp_mechanism_name((uint32_t)machine_ndp_site(c).ndp->choice.mechanism) : NULL;

	out->count = 0;
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->explain && machine_config_has(c, c->parts[i]))
			add(out, c->parts[i]->explain(mechanism));
}

void machine_explain_of_parts(bool (*has)(void *ctx, const char *part), void *ctx, const char *mechanism,
			      struct machine_explain *out)
{
	out->count = 0;
	for (const struct machine_part *const *p = machine_parts; *p; p++)
		if ((*p)->explain && has(ctx, (*p)->name))
			add(out, (*p)->explain(mechanism));
}

void machine_explain_of_mechanisms(struct machine_explain *out)
{
	const char *mechanism;

	out->count = 0;
	for (uint32_t i = 1; (mechanism = ndp_mechanism_name(i)); i++)
		add(out, ndp_mechanism_explain(mechanism));
}

/* ---- names ---- */

struct names {
	struct machine_config config; /* of every part, with a memory that stands for any */
	struct sim_param_groups groups;
	struct sim_stat_tables stats;
	const struct machine_explain *rows; /* of all parts: what they put into the results */
	const char *wrong; /* the first name that nothing has */
	bool reckoned[SIM_RECKONED_COUNT]; /* some part gives it */
};

static const char *const reckoned_names[SIM_RECKONED_COUNT] = {
#define RECKONED(name, what) #name,
#include "sim/reckoned.def"
#undef RECKONED
};

static void names_init(struct names *n)
{
	*n = (struct names){.wrong = NULL};
	machine_config_defaults(&n->config, machine_parts);
	machine_memory_any(&n->config);
	machine_config_groups(&n->config, &n->groups);
	for (const struct machine_part *const *p = machine_parts; *p; p++)
		if ((*p)->stats)
			(*p)->stats(NULL, &n->stats);
}

static bool is_parameter(const struct names *n, const char *key)
{
	return sim_param_groups_find(&n->groups, key, NULL);
}

/* A part of some account. */
static bool is_part(const struct machine_explain *rows, const char *name)
{
	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct account_parts *const *a = rows->items[i]->accounts; *a; a++)
			if (account_find(*a, name))
				return true;
	return false;
}

static bool is_kind(const char *name)
{
	for (uint32_t i = 0; i < ACCOUNT_KIND_COUNT; i++)
		if (!strcmp(account_kind_names[i], name))
			return true;
	return false;
}

/* "KEY.VALUE": a choice of that parameter. */
static bool is_choice(const struct names *n, const char *name)
{
	const char *chosen = strrchr(name, '.');
	g_autofree char *key = g_strndup(name, (size_t)(chosen - name));
	const struct sim_param_desc *row = sim_param_groups_find(&n->groups, key, NULL);
	g_auto(GStrv) choices = g_strsplit(row && row->choices ? row->choices : "", "|", -1);

	return g_strv_contains((const char *const *)choices, chosen + 1);
}

static bool is_put(const struct machine_explain *rows, const char *name, bool is_list)
{
	for (uint32_t i = 0; i < rows->count; i++)
		for (const struct sim_explain_name *r = is_list ? rows->items[i]->lists : rows->items[i]->fields;
		     r->name; r++)
			if (!strcmp(r->name, name))
				return true;
	return false;
}

/* "stat.", "param." and so on name what parts have declared; lists, and other fields, what they put into results. */
static bool is_name(void *ctx, const char *name, bool is_list)
{
	static const char *const of_all[] = {"time_s", "time_ps", "cycles", "energy_j", "span_s", NULL};
	struct names *n = ctx;
	bool is_right;

	if (is_list)
		is_right = is_put(n->rows, name, true);
	else if (g_str_has_prefix(name, "own.parts."))
		is_right = is_part(n->rows, name + strlen("own.parts."));
	else if (g_str_has_prefix(name, "own.kinds."))
		is_right = is_kind(name + strlen("own.kinds."));
	else if (g_str_has_prefix(name, "own.") || g_str_has_prefix(name, "gauge."))
		is_right = true;
	else if (g_str_has_prefix(name, "part1."))
		is_right = sim_stat_tables_find(&n->stats, name + strlen("part1."));
	else if (g_str_has_prefix(name, "stat."))
		is_right = sim_stat_tables_find(&n->stats, name + strlen("stat."));
	else if (g_str_has_prefix(name, "choice."))
		is_right = strchr(name + strlen("choice."), '.') && is_choice(n, name + strlen("choice."));
	else if (g_str_has_prefix(name, "param."))
		is_right = is_parameter(n, name + strlen("param."));
	else if (g_str_has_prefix(name, "traffic.") || g_str_has_prefix(name, "peak."))
		is_right = machine_traffic_has(strchr(name, '.') + 1);
	else
		is_right = g_strv_contains(of_all, name) || is_put(n->rows, name, false);
	if (!is_right && !n->wrong)
		n->wrong = g_intern_string(name);
	return is_right;
}

static char *formula_mistake(struct names *n, const char *label, const char *text)
{
	if (!*text || base_formula_check(text, is_name, n))
		return NULL;
	return g_strdup_printf("'%s': %s '%s'", label, n->wrong ? "nothing is called" : "this is no formula:",
			       n->wrong ? n->wrong : text);
}

/* Of a text with "{FORMULA:D}". */
static char *text_mistake(struct names *n, const char *text)
{
	char *mistake = NULL;

	for (const char *at = strchr(text, '{'); at && !mistake; at = strchr(at + 1, '{')) {
		const char *end = strchr(at, ':');
		g_autofree char *formula = end ? g_strndup(at + 1, (size_t)(end - at - 1)) : NULL;

		mistake = formula ? formula_mistake(n, text, formula) : g_strdup_printf("'%s': no ':'", text);
	}
	return mistake;
}

/* Who blames a case must be beside it. */
static char *of_mistake(const struct sim_explain *e, const struct sim_explain_finding *f)
{
	for (const struct sim_explain_case *c = e->cases; c->name; c++)
		if (f->of && !strcmp(c->name, f->of))
			return NULL;
	return f->of ? g_strdup_printf("'%s': no case '%s'", f->text, f->of) : NULL;
}

static char *split_mistake(const struct sim_explain *e, const struct sim_explain_split *split)
{
	for (const struct sim_explain_share *s = e->shares; s->label; s++)
		if (!strcmp(s->label, split->share))
			return NULL;
	return g_strdup_printf("'%s': no share '%s'", split->title, split->share);
}

static char *list_mistake(const struct names *n, const char *label, const char *list)
{
	return is_put(n->rows, list, true) ? NULL : g_strdup_printf("'%s': no list '%s'", label, list);
}

static char *timed_mistake(struct names *n, const struct sim_explain_timed *t)
{
	char *m = list_mistake(n, t->who, t->list);

	m = m ? m : formula_mistake(n, t->who, t->which);
	return m ? m : formula_mistake(n, t->who, t->whole);
}

/* Places are of units of the same part. */
static char *places_mistake(const struct names *n, const struct sim_explain *e, const struct sim_explain_places *p)
{
	for (const struct sim_explain_units *u = e->units; u->label; u++)
		if (!strcmp(u->label, p->of))
			return list_mistake(n, p->title, p->list);
	for (const struct sim_explain_timed *t = e->timed; t->key; t++)
		if (!strcmp(t->key, p->of))
			return list_mistake(n, p->title, p->list);
	return g_strdup_printf("'%s': no units '%s'", p->title, p->of);
}

/* "KEY=VALUE", "KEY*N", "KEY=OTHER*N"; "?KEY=VALUE" is a condition. */
static char *settings_mistake(const struct names *n, const char *label, const char *text)
{
	g_auto(GStrv) settings = g_strsplit(text, " ", -1);

	for (char **s = settings; *s; s++) {
		const char *star = strchr(*s, '*'), *equals = strchr(*s, '='), *begin = *s + (**s == '?');
		const char *end = equals ? equals : star;
		g_autofree char *key = end ? g_strndup(begin, (size_t)(end - begin)) : NULL;
		g_autofree char *other =
		    equals && star ? g_strndup(equals + 1, (size_t)(star - equals - 1)) : NULL;

		if (!key || !is_parameter(n, key) || (other && !is_parameter(n, other)))
			return g_strdup_printf("'%s': nothing is called as in '%s'", label, *s);
	}
	return NULL;
}

static char *map_mistake(const struct names *n, const struct sim_explain_map *map)
{
	g_auto(GStrv) counts = g_strsplit(map->counts, " ", -1);

	for (char **count = counts; *count; count++)
		if (!sim_stat_tables_find(&n->stats, *count))
			return g_strdup_printf("'%s': no statistic '%s'", map->title, *count);
	return NULL;
}

/* A table has room for three or four, or for none. */
static char *columns_mistake(struct names *n, const struct sim_explain *e)
{
	uint32_t count = 0;
	char *m = NULL;

	for (; e->columns[count].title && !m; count++)
		m = formula_mistake(n, e->columns[count].title, e->columns[count].number);
	if (!m && count && count != 3 && count != 4)
		m = g_strdup_printf("'%s': %u columns, expected three or four", e->columns->title, count);
	return m;
}

static char *rows_mistake(struct names *n, const struct sim_explain *e)
{
	char *m = NULL;

	for (const struct sim_explain_bound *r = e->bounds; r->label && !m; r++)
		m = formula_mistake(n, r->label, r->seconds);
	for (const struct sim_explain_bound *r = e->ideals; r->label && !m; r++)
		m = formula_mistake(n, r->label, r->seconds);
	for (const struct sim_explain_work *r = e->work; r->label && !m; r++)
		m = *r->list ? list_mistake(n, r->label, r->list) : NULL;
	for (const struct sim_explain_roof *r = e->roofs; r->label && !m; r++)
		m = formula_mistake(n, r->label, r->per_s);
	for (const struct sim_explain_ledger *r = e->ledger; r->label && !m; r++)
		m = sim_stat_tables_find(&n->stats, r->statistic)
			? NULL
			: g_strdup_printf("'%s': no statistic '%s'", r->label, r->statistic);
	for (const struct sim_explain_moved *r = e->moved; r->what && !m; r++) {
		m = list_mistake(n, r->what, r->list);
		m = m ? m : formula_mistake(n, r->what, r->which);
	}
	for (const struct sim_explain_here *r = e->here; r->list && !m; r++) {
		m = list_mistake(n, r->number, r->list);
		m = m ? m : formula_mistake(n, r->list, r->number);
	}
	for (const struct sim_explain_number *r = e->numbers; r->name && !m; r++)
		m = formula_mistake(n, r->name, r->number);
	for (const struct sim_explain_said *r = e->said; r->text && !m; r++) {
		m = formula_mistake(n, r->text, r->when);
		m = m ? m : text_mistake(n, r->text);
	}
	for (const struct sim_explain_case *r = e->cases; r->name && !m; r++) {
		m = settings_mistake(n, r->name, r->settings);
		m = m ? m : formula_mistake(n, r->name, r->when ? r->when : "");
	}
	for (const struct sim_explain_finding *r = e->findings; r->when && !m; r++) {
		m = formula_mistake(n, r->text, r->when);
		m = m ? m : text_mistake(n, r->text);
		m = m ? m : of_mistake(e, r);
	}
	for (const struct sim_explain_units *r = e->units; r->label && !m; r++)
		m = formula_mistake(n, r->label, r->whole);
	for (const struct sim_explain_share *r = e->shares; r->label && !m; r++)
		m = formula_mistake(n, r->label, r->amount);
	for (const struct sim_explain_split *r = e->splits; r->share && !m; r++)
		m = split_mistake(e, r);
	for (const struct sim_explain_timed *r = e->timed; r->key && !m; r++)
		m = timed_mistake(n, r);
	for (const struct sim_explain_places *r = e->places; r->of && !m; r++)
		m = places_mistake(n, e, r);
	for (const struct sim_explain_behind *r = e->behind; r->list && !m; r++)
		m = list_mistake(n, r->title, r->list);
	for (const struct sim_explain_reckoned *r = e->reckoned; r->number && !m; r++) {
		m = formula_mistake(n, reckoned_names[r->which], r->number);
		n->reckoned[r->which] = true;
	}
	for (const struct sim_explain_area *r = e->areas; r->label && !m; r++)
		m = formula_mistake(n, r->label, r->mm2);
	for (const struct sim_explain_series *r = e->series; r->title && !m; r++)
		m = formula_mistake(n, r->title, r->value);
	for (const struct sim_explain_map *r = e->maps; r->title && !m; r++)
		m = map_mistake(n, r);
	m = m ? m : columns_mistake(n, e);
	for (const struct sim_explain_count *r = e->counts; r->label && !m; r++)
		m = formula_mistake(n, r->label, r->value);
	for (const struct sim_explain_line *r = e->summary; r->label && !m; r++) {
		m = formula_mistake(n, r->label, r->when);
		m = m ? m : text_mistake(n, r->text);
		if (!m && r->way && !machine_traffic_has(r->way))
			m = g_strdup_printf("'%s': no way '%s'", r->label, r->way);
	}
	return m;
}

static bool is_any(void *ctx, const char *part)
{
	(void)ctx;
	(void)part;
	return true;
}

char *machine_explain_mistake(void)
{
	g_autofree struct names *n = g_new(struct names, 1);
	struct machine_explain all, mechanisms;
	char *mistake = NULL;

	names_init(n);
	machine_explain_of_parts(is_any, NULL, NULL, &all);
	n->rows = &all;
	for (uint32_t i = 0; i < all.count && !mistake; i++)
		mistake = rows_mistake(n, all.items[i]);
	machine_explain_of_mechanisms(&mechanisms);
	for (uint32_t i = 0; i < mechanisms.count && !mistake; i++)
		mistake = rows_mistake(n, mechanisms.items[i]);
	for (uint32_t i = 0; i < SIM_RECKONED_COUNT && !mistake; i++)
		if (!n->reckoned[i])
			mistake = g_strdup_printf("no part gives '%s'", reckoned_names[i]);
	return mistake;
}
