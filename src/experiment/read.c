/* read.c - the runs of an experiment, from the nodes of its file. */
#include "experiment/experiment.h"

#include "base/check.h"

#include <string.h>

/* How deep words may name words, and groups of settings groups: more is a circle. And how many of both, runs too, are
 * looked at in all, for few of them may name very many. */
enum { DEPTH_MAX = 16, STEPS_MAX = 200000 };

struct reader {
	struct base_yaml *y;
	struct experiment_nodes nodes;
	enum experiment_size size;
	bool is_quick;
	uint32_t step_count;
	GHashTable *bound; /* name -> node: what the lists of `for` give the run that is made now */
	struct experiment *out;
};

/* False when it is too much, which is said once. */
static bool step(struct reader *r, const yaml_node_t *at)
{
	if (r->step_count < STEPS_MAX) {
		r->step_count++;
		return true;
	}
	if (r->step_count++ == STEPS_MAX)
		base_diag_error(r->y->diag, base_yaml_place(r->y, at), "more than %d words, settings and runs",
				STEPS_MAX);
	return false;
}

/* ---- values ---- */

static yaml_node_t *member(struct base_yaml *y, const yaml_node_t *mapping, const char *name)
{
	BASE_YAML_EACH_PAIR(mapping, pair) {
		const yaml_node_t *key = base_yaml_node(y, pair->key);

		if (key->type == YAML_SCALAR_NODE && !strcmp((const char *)key->data.scalar.value, name))
			return base_yaml_node(y, pair->value);
	}
	return NULL;
}

static bool is_of_two(struct base_yaml *y, const yaml_node_t *n)
{
	return n->type == YAML_MAPPING_NODE && (member(y, n, "quick") || member(y, n, "full"));
}

yaml_node_t *experiment_value(struct base_yaml *y, yaml_node_t *n, bool is_quick)
{
	yaml_node_t *quick, *full;
	const struct base_yaml_entry entries[] = {{"quick", &quick}, {"full", &full}};

	if (!is_of_two(y, n))
		return n;
	base_yaml_entries(y, n, "a value of quick and full runs", entries, ARRAY_COUNT(entries));
	if (!quick || !full)
		base_diag_error(y->diag, base_yaml_place(y, n), "expected {quick: VALUE, full: VALUE}");
	return quick && full ? is_quick ? quick : full : NULL;
}

/* ---- words ---- */

static bool is_of_name(char c)
{
	return g_ascii_isalnum(c) || c == '_';
}

static void expand(struct reader *r, const yaml_node_t *at, const char *text, uint32_t depth, GString *out);

static void expand_word(struct reader *r, const yaml_node_t *at, const char *name, uint32_t depth, GString *out)
{
	yaml_node_t *n = g_hash_table_lookup(r->bound, name);
	const char *text;

	if (!step(r, at))
		return;
	if (!n && r->nodes.words)
		n = member(r->y, r->nodes.words, name);
	if (!n)
		base_diag_error(r->y->diag, base_yaml_place(r->y, at), "$%s is no word, and no list of `for`", name);
	else if (depth == DEPTH_MAX)
		base_diag_error(r->y->diag, base_yaml_place(r->y, at), "$%s is in a circle of words", name);
	n = n && depth < DEPTH_MAX ? experiment_value(r->y, n, r->is_quick) : NULL;
	text = n ? base_yaml_words(r->y, n, "a text, or {quick: TEXT, full: TEXT}") : NULL;
	if (text)
		expand(r, n, text, depth + 1, out);
}

/* Appends the text with its $name and ${name} replaced; $$ is a dollar. */
static void expand(struct reader *r, const yaml_node_t *at, const char *text, uint32_t depth, GString *out)
{
	for (const char *p = text; *p;) {
		const bool is_braced = p[0] == '$' && p[1] == '{';
		const char *name = p + 1 + is_braced, *end = name;

		while (*p == '$' && is_of_name(*end))
			end++;
		if (*p != '$' || p[1] == '$') {
			g_string_append_c(out, *p);
			p += *p == '$' ? 2 : 1;
			continue;
		}
		if (end == name || (is_braced && *end != '}')) {
			base_diag_error(r->y->diag, base_yaml_place(r->y, at),
					"'%s': expected $NAME, ${NAME} or $$", p);
			return;
		}

		g_autofree char *word = g_strndup(name, (size_t)(end - name));

		expand_word(r, at, word, depth, out);
		p = end + is_braced;
	}
}

/* A value's text, expanded; NULL after a message. */
static char *text_of(struct reader *r, yaml_node_t *n, const char *what)
{
	yaml_node_t *value = experiment_value(r->y, n, r->is_quick);
	const char *text = value ? base_yaml_text(r->y, value, what) : NULL;
	const uint32_t before = r->y->diag->error_count;
	GString *out;

	if (!text)
		return NULL;
	out = g_string_new(NULL);
	expand(r, value, text, 0, out);
	if (r->y->diag->error_count == before && !out->len)
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "'%s' is empty: expected %s", text, what);
	return g_string_free(out, r->y->diag->error_count != before);
}

/* ---- settings ---- */

static void take_setting(struct reader *r, yaml_node_t *key, yaml_node_t *value, GString *out)
{
	g_autofree char *name = text_of(r, key, "a parameter's name");
	g_autofree char *text = text_of(r, value, "a parameter's value");

	if (!name || !text)
		return;
	if (strpbrk(name, " =") || strchr(text, ' '))
		base_diag_error(r->y->diag, base_yaml_place(r->y, key), "'%s=%s' is no setting: it has a space", name,
				text);
	else
		g_string_append_printf(out, "%s%s=%s", out->len ? " " : "", name, text);
}

static void take_settings(struct reader *r, yaml_node_t *n, uint32_t depth, GString *out)
{
	g_autofree char *name = NULL;
	yaml_node_t *group;

	if (!step(r, n))
		return;
	if (depth > DEPTH_MAX) {
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "a circle of groups of settings");
		return;
	}
	if (n->type == YAML_SEQUENCE_NODE) {
		BASE_YAML_EACH_ITEM(n, i)
			take_settings(r, base_yaml_node(r->y, *i), depth + 1, out);
		return;
	}
	if (n->type == YAML_MAPPING_NODE) {
		BASE_YAML_EACH_PAIR(n, p)
			take_setting(r, base_yaml_node(r->y, p->key), base_yaml_node(r->y, p->value), out);
		return;
	}
	name = text_of(r, n, "a group of settings, or {parameter: value, ...}");
	if (!name)
		return;
	group = r->nodes.settings ? member(r->y, r->nodes.settings, name) : NULL;
	if (!group)
		base_diag_error(r->y->diag, base_yaml_place(r->y, n), "'%s' is no group of `settings:`", name);
	else
		take_settings(r, group, depth + 1, out);
}

/* ---- runs ---- */

struct run_nodes {
	yaml_node_t *list, *id, *name, *machine, *set, *quick_set, *full_set, *set_from, *program;
};

static void follow_free(gpointer data)
{
	struct experiment_follow *follow = data;

	g_free(follow->parameter);
	g_free(follow->text);
	g_free(follow);
}

static void run_free(gpointer data)
{
	struct experiment_run *run = data;

	g_free(run->id);
	g_free(run->name);
	g_free(run->machine);
	g_free(run->program);
	g_free(run->arguments);
	g_free(run->sets);
	if (run->follows)
		g_ptr_array_free(run->follows, TRUE);
	g_free(run);
}

static void program_take(struct reader *r, yaml_node_t *n, struct experiment_run *run)
{
	g_autofree char *text = text_of(r, n, "a workload and its arguments");
	char *rest = text ? strchr(text, ' ') : NULL;

	if (rest)
		*rest++ = '\0';
	run->program = g_strdup(text);
	run->arguments = g_strdup(rest ? rest : "");
}

static void follows_take(struct reader *r, yaml_node_t *n, struct experiment_run *run)
{
	if (!base_yaml_is_mapping(r->y, n, "{parameter: EXPRESSION, ...}"))
		return;
	run->follows = g_ptr_array_new_with_free_func(follow_free);
	BASE_YAML_EACH_PAIR(n, p) {
		yaml_node_t *value = base_yaml_node(r->y, p->value);
		struct experiment_follow *follow = g_new0(struct experiment_follow, 1);

		follow->parameter = text_of(r, base_yaml_node(r->y, p->key), "a parameter's name");
		follow->text = text_of(r, value, "an expression over other runs");
		follow->at = base_yaml_place(r->y, value);
		g_ptr_array_add(run->follows, follow);
	}
}

/* What runs of this size have besides; NULL: nothing. */
static yaml_node_t *more_of(const struct reader *r, const struct run_nodes *n)
{
	return r->size == EXPERIMENT_QUICK ? n->quick_set : r->size == EXPERIMENT_FULL ? n->full_set : NULL;
}

static bool is_name(const char *text)
{
	bool is = g_ascii_isalpha(*text);

	for (; *text; text++)
		is = is && is_of_name(*text);
	return is;
}

static void run_check(struct reader *r, const struct experiment_run *run, const yaml_node_t *id)
{
	const struct base_place at = base_yaml_place(r->y, id);

	if (!is_name(run->id))
		base_diag_error(r->y->diag, at, "'%s' is no run's name: expected letters, digits and _", run->id);
	for (uint32_t i = 0; i < r->out->runs->len; i++) {
		const struct experiment_run *other = r->out->runs->pdata[i];

		if (!strcmp(other->id, run->id))
			base_diag_error(r->y->diag, at, "the run '%s' is there twice", run->id);
		else if (!strcmp(other->name, run->name) && !strcmp(other->program, run->program))
			base_diag_error(r->y->diag, at, "the runs %s and %s are both called '%s'", other->id, run->id,
					run->name);
	}
	if (r->out->runs->len + 1 == EXPERIMENT_RUNS_MAX) {
		base_diag_error(r->y->diag, at, "%d runs and more", EXPERIMENT_RUNS_MAX);
		r->step_count = STEPS_MAX + 1;
	}
}

static void run_take(struct reader *r, const struct run_nodes *n)
{
	struct experiment_run *run;
	const uint32_t before = r->y->diag->error_count;
	yaml_node_t *more = more_of(r, n);
	GString *sets;

	if (!step(r, n->id))
		return;
	run = g_new0(struct experiment_run, 1);
	sets = g_string_new(NULL);
	run->at = base_yaml_place(r->y, n->id);
	run->id = text_of(r, n->id, "a run's name");
	run->name = n->name ? text_of(r, n->name, "a name") : g_strdup(run->id);
	run->machine = text_of(r, n->machine, "a machine");
	program_take(r, n->program, run);
	if (n->set)
		take_settings(r, n->set, 0, sets);
	if (more)
		take_settings(r, more, 0, sets);
	run->sets = g_string_free(sets, FALSE);
	if (n->set_from)
		follows_take(r, n->set_from, run);
	if (r->y->diag->error_count == before)
		run_check(r, run, n->id);
	if (r->y->diag->error_count == before)
		g_ptr_array_add(r->out->runs, run);
	else
		run_free(run);
}

/* Gives the run a word. False after a message: it has it. */
static bool bind(struct reader *r, yaml_node_t *key, const char *name, yaml_node_t *value)
{
	if (g_hash_table_contains(r->bound, name) || (r->nodes.words && member(r->y, r->nodes.words, name))) {
		base_diag_error(r->y->diag, base_yaml_place(r->y, key), "$%s is there twice", name);
		return false;
	}
	g_hash_table_insert(r->bound, (gpointer)name, value);
	return true;
}

static void runs_each(struct reader *r, const struct run_nodes *n, yaml_node_pair_t *list);

/* The runs of one item of a list: its words come and go. */
static void runs_of_item(struct reader *r, const struct run_nodes *n, yaml_node_pair_t *list, yaml_node_t *item)
{
	yaml_node_t *key = base_yaml_node(r->y, list->key);
	const char *name = base_yaml_text(r->y, key, "a list's name");
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	bool is_ok = name;

	if (item->type == YAML_MAPPING_NODE && !is_of_two(r->y, item)) {
		BASE_YAML_EACH_PAIR(item, p) {
			yaml_node_t *at = base_yaml_node(r->y, p->key);
			const char *word = base_yaml_text(r->y, at, "a word's name");

			is_ok = is_ok && word && bind(r, at, word, base_yaml_node(r->y, p->value));
			if (is_ok)
				g_ptr_array_add(names, (gpointer)word);
		}
	} else if (is_ok && bind(r, key, name, item)) {
		g_ptr_array_add(names, (gpointer)name);
	} else {
		is_ok = false;
	}
	if (is_ok)
		runs_each(r, n, list + 1);
	for (uint32_t i = 0; i < names->len; i++)
		g_hash_table_remove(r->bound, names->pdata[i]);
}

/* The runs of the lists from this one on. */
static void runs_each(struct reader *r, const struct run_nodes *n, yaml_node_pair_t *list)
{
	yaml_node_t *items;

	if (r->step_count > STEPS_MAX)
		return;
	if (!n->list || list == n->list->data.mapping.pairs.top) {
		run_take(r, n);
		return;
	}
	items = base_yaml_node(r->y, list->value);
	if (!base_yaml_is_list(r->y, items, "a list of texts, or of {word: text, ...}"))
		return;
	if (items->data.sequence.items.start == items->data.sequence.items.top)
		base_diag_error(r->y->diag, base_yaml_place(r->y, items), "the list is empty: there are no runs");
	BASE_YAML_EACH_ITEM(items, i)
		runs_of_item(r, n, list, base_yaml_node(r->y, *i));
}

static void runs_take(struct reader *r, yaml_node_t *entry)
{
	struct run_nodes n;
	const struct base_yaml_entry entries[] = {
	    {"for", &n.list}, {"run", &n.id},		    {"name", &n.name},	       {"machine", &n.machine},
	    {"set", &n.set},  {"quick_set", &n.quick_set}, {"full_set", &n.full_set}, {"program", &n.program},
	    {"set_from", &n.set_from},
	};

	if (!base_yaml_is_mapping(r->y, entry, "a run: {run: NAME, machine: ..., program: ...}"))
		return;
	base_yaml_entries(r->y, entry, "a run", entries, ARRAY_COUNT(entries));
	if (!n.id || !n.machine || !n.program) {
		base_diag_error(r->y->diag, base_yaml_place(r->y, entry), "a run needs `%s:`",
				!n.id ? "run" : !n.machine ? "machine" : "program");
		return;
	}
	if (n.list && !base_yaml_is_mapping(r->y, n.list, "lists: {word: [text, ...], ...}"))
		return;
	runs_each(r, &n, n.list ? n.list->data.mapping.pairs.start : NULL);
}

static void runs_begin(struct experiment *e)
{
	if (!e->runs)
		e->runs = g_ptr_array_new_with_free_func(run_free);
}

void experiment_add(struct experiment *e, struct experiment_run *run)
{
	runs_begin(e);
	g_ptr_array_add(e->runs, run);
}

void experiment_read(struct base_yaml *y, const struct experiment_nodes *nodes, enum experiment_size size,
		     struct experiment *out)
{
	struct reader r = {
	    .y = y, .nodes = *nodes, .size = size, .is_quick = size == EXPERIMENT_QUICK, .out = out};

	runs_begin(out);
	if ((nodes->words && !base_yaml_is_mapping(y, nodes->words, "words: {name: text, ...}")) ||
	    (nodes->settings && !base_yaml_is_mapping(y, nodes->settings, "groups: {name: {parameter: value}, ...}")) ||
	    (nodes->runs && !base_yaml_is_list(y, nodes->runs, "a list of runs")) || !nodes->runs)
		return;
	if (nodes->runs->data.sequence.items.start == nodes->runs->data.sequence.items.top)
		base_diag_error(y->diag, base_yaml_place(y, nodes->runs), "there are no runs");
	r.bound = g_hash_table_new(g_str_hash, g_str_equal);
	BASE_YAML_EACH_ITEM(nodes->runs, i)
		runs_take(&r, base_yaml_node(y, *i));
	g_hash_table_destroy(r.bound);
}

void experiment_free(struct experiment *e)
{
	if (e->runs)
		g_ptr_array_free(e->runs, TRUE);
	e->runs = NULL;
}
