/* description.c - walks what a description extends, and sets the parameters. */
#include "sim/description.h"

#include <glib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One load in progress: the files from the description asked for down to the one being read. */
struct load {
	const struct sim_search *search;
	const struct sim_description_form *form;
	struct base_diag_list *diag;
	const char *open_paths[SIM_EXTENDS_MAX];
	uint32_t open_count;
};

static bool is_path(const char *name)
{
	return strchr(name, '/') || g_str_has_suffix(name, ".yaml");
}

static char *path_in(const char *dir, const char *name)
{
	g_autofree char *file = g_strconcat(name, ".yaml", NULL);

	return g_build_filename(dir, file, NULL);
}

/* The file that name stands for, or NULL: a path as it is (relative to near_dir when given), else a name in near_dir,
 * else in the search path. */
static char *find_file(const struct sim_search *search, const char *name, const char *near_dir)
{
	if (is_path(name))
		return near_dir && name[0] != '/' ? g_build_filename(near_dir, name, NULL) : g_strdup(name);
	if (near_dir) {
		char *path = path_in(near_dir, name);

		if (!access(path, F_OK))
			return path;
		g_free(path);
	}
	for (uint32_t i = 0; i < search->dir_count; i++) {
		char *path = path_in(search->dirs[i], name);

		if (!access(path, F_OK))
			return path;
		g_free(path);
	}
	return NULL;
}

/* Those that have the word in them, or begin with what it nearly is: "a, b". */
static char *names_like(char **names, const char *word)
{
	GString *text = g_string_new(NULL);

	for (; *names; names++) {
		g_autofree char *begin = g_strndup(*names, strlen(word));
		const char *const one[] = {begin};

		if (*word && (strstr(*names, word) || base_nearest_name(word, one, 1)))
			g_string_append_printf(text, "%s%s", text->len ? ", " : "", *names);
	}
	return g_string_free(text, FALSE);
}

static void report_unknown(const struct sim_search *search, const char *thing, const char *name, struct base_place at,
			   struct base_diag_list *diag)
{
	g_auto(GStrv) names = sim_description_names(search);
	const char *nearest = base_nearest_name(name, (const char *const *)names, g_strv_length(names));
	g_autofree char *all = g_strjoinv(", ", names), *some = names_like(names, name);

	if (nearest)
		base_diag_error(diag, at, "no %s '%s'; did you mean '%s'?", thing, name, nearest);
	else if (*some)
		base_diag_error(diag, at, "no %s '%s'; did you mean one of %s?", thing, name, some);
	else if (*all)
		base_diag_error(diag, at, "no %s '%s'; there are %s, and any path to a .yaml file", thing, name, all);
	else
		base_diag_error(diag, at, "no %s '%s': no %s descriptions were found", thing, name, thing);
}

static void report_unknown_top(struct load *l, const char *name, struct base_place at)
{
	const char *names[SIM_PARAM_GROUPS_MAX + 2] = {"extends", "summary"};
	uint32_t count = 2;

	for (uint32_t i = 0; i < l->form->groups.count; i++)
		names[count++] = l->form->groups.items[i].prefix;

	const char *nearest = base_nearest_name(name, names, count);

	if (nearest)
		base_diag_error(l->diag, at, "unknown name '%s'; did you mean '%s'?", name, nearest);
	else
		base_diag_error(l->diag, at, "unknown name '%s'; %s", name, l->form->hint);
}

static bool is_group(const struct load *l, const char *name)
{
	for (uint32_t i = 0; i < l->form->groups.count; i++)
		if (!strcmp(l->form->groups.items[i].prefix, name))
			return true;
	return false;
}

static void apply_top(struct load *l, const struct base_item *item, char *summary, size_t summary_bytes)
{
	if (!strcmp(item->name, "extends"))
		return;
	if (!strcmp(item->name, "summary"))
		g_strlcpy(summary, item->value, summary_bytes);
	else if (is_group(l, item->name))
		base_diag_error(l->diag, item->value_at,
				"'%s' is a group: write its parameters as 'name: value' below it", item->name);
	else
		report_unknown_top(l, item->name, item->name_at);
}

static void apply_parameter(struct load *l, const struct base_item *item)
{
	g_autofree char *key = g_strconcat(item->group, ".", item->name, NULL);

	if (item->value[0])
		sim_param_set(l->form->groups.items, l->form->groups.count, key, item->value, item->value_at, l->diag);
}

static bool is_taken(const struct load *l, const struct base_item *item, bool is_first)
{
	return l->form->take && l->form->take(l->form->ctx, item, is_first, l->diag);
}

static void apply(struct load *l, const struct base_items *items, char *summary, size_t summary_bytes)
{
	g_autofree bool *is_done = g_new0(bool, items->count + 1);
	const char *unknown = NULL;

	for (uint32_t i = 0; i < items->count; i++)
		is_done[i] = is_taken(l, &items->items[i], true);
	for (uint32_t i = 0; i < items->count; i++) {
		const struct base_item *item = &items->items[i];

		if (is_done[i] || is_taken(l, item, false)) {
			continue;
		} else if (!item->group) {
			apply_top(l, item, summary, summary_bytes);
		} else if (is_group(l, item->group)) {
			apply_parameter(l, item);
		} else if (!unknown || strcmp(unknown, item->group)) {
			unknown = item->group;
			report_unknown_top(l, item->group, item->group_at);
		}
	}
}

static bool load_file(struct load *l, const char *path, struct base_place at, char *summary, size_t summary_bytes);

/* The description that `extends:` names, before what the file itself says. */
static bool load_base(struct load *l, const char *path, const struct base_items *items)
{
	for (uint32_t i = 0; i < items->count; i++) {
		const struct base_item *item = &items->items[i];

		if (item->group || strcmp(item->name, "extends") || !item->value[0])
			continue;

		g_autofree char *dir = g_path_get_dirname(path);
		g_autofree char *base = find_file(l->search, item->value, dir);
		char summary[1];

		if (!base) {
			report_unknown(l->search, l->form->words.thing, item->value, item->value_at, l->diag);
			return false;
		}
		return load_file(l, base, item->value_at, summary, sizeof(summary));
	}
	return true;
}

static bool is_open(const struct load *l, const char *path)
{
	char mine[PATH_MAX], other[PATH_MAX];

	if (!realpath(path, mine))
		return false;
	for (uint32_t i = 0; i < l->open_count; i++)
		if (realpath(l->open_paths[i], other) && !strcmp(mine, other))
			return true;
	return false;
}

static bool load_file(struct load *l, const char *path, struct base_place at, char *summary, size_t summary_bytes)
{
	if (is_open(l, path)) {
		base_diag_error(l->diag, at, "'extends' goes round in a circle: %s extends itself", path);
		return false;
	}
	if (l->open_count == SIM_EXTENDS_MAX) {
		base_diag_error(l->diag, at, "'extends' is more than %d %s deep", SIM_EXTENDS_MAX,
				l->form->things);
		return false;
	}
	l->open_paths[l->open_count++] = path;

	struct base_items items;
	uint32_t errors_before = l->diag->error_count;

	summary[0] = '\0';
	base_items_read(path, &l->form->words, &items, l->diag);
	if (load_base(l, path, &items))
		apply(l, &items, summary, summary_bytes);
	base_items_free(&items);
	l->open_count--;
	return l->diag->error_count == errors_before;
}

bool sim_description_load(const char *name_or_path, const struct sim_search *search,
			  const struct sim_description_form *form, struct sim_description *out,
			  struct base_diag_list *diag)
{
	struct load l = {.search = search, .form = form, .diag = diag};
	g_autofree char *path = find_file(search, name_or_path, NULL);

	*out = (struct sim_description){0};
	if (!path) {
		report_unknown(search, form->words.thing, name_or_path, (struct base_place){0}, diag);
		return false;
	}

	g_autofree char *absolute = g_canonicalize_filename(path, NULL);
	g_autofree char *stem = g_path_get_basename(path);

	g_strlcpy(out->path, absolute, sizeof(out->path));
	if (g_str_has_suffix(stem, ".yaml"))
		stem[strlen(stem) - strlen(".yaml")] = '\0';
	g_strlcpy(out->name, stem, sizeof(out->name));
	return load_file(&l, path, (struct base_place){0}, out->summary, sizeof(out->summary));
}

bool sim_description_set(const struct sim_param_groups *groups, const char *assignment, const char *where,
			 struct base_diag_list *diag)
{
	struct base_place at = {where, 0, 0};
	const char *equals = strchr(assignment, '=');

	if (!equals || equals == assignment || !equals[1]) {
		base_diag_error(diag, at, "expected group.name=value, found '%s'", assignment);
		return false;
	}

	g_autofree char *key = g_strstrip(g_strndup(assignment, (size_t)(equals - assignment)));
	g_autofree char *value = g_strstrip(g_strdup(equals + 1));

	return sim_param_set(groups->items, groups->count, key, value, at, diag);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_names(const char *dir_path, GPtrArray *names)
{
	GDir *dir = g_dir_open(dir_path, 0, NULL);
	const char *file;

	if (!dir)
		return;
	while ((file = g_dir_read_name(dir))) {
		if (!g_str_has_suffix(file, ".yaml"))
			continue;

		char *name = g_strndup(file, strlen(file) - strlen(".yaml"));

		if (g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
			g_free(name);
		else
			g_ptr_array_add(names, name);
	}
	g_dir_close(dir);
}

char **sim_description_names(const struct sim_search *search)
{
	GPtrArray *names = g_ptr_array_new();

	for (uint32_t i = 0; i < search->dir_count; i++)
		add_names(search->dirs[i], names);
	g_ptr_array_sort(names, compare_names);
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}
