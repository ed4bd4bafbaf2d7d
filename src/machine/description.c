/* description.c - a machine's parameters from its file, and back. */
#include "machine/description.h"

#include "base/check.h"
#include "machine/memories.h"
#include "machine/parts.h"

#include <glib.h>
#include <string.h>

/* What a description is being made of. */
struct target {
	struct machine_config *config;
	struct sim_param_groups *groups; /* of it: made anew where they change */
	const struct sim_search *memories;
};

static const char nest[] = "memories", standard_word[] = "standard";

static void groups_renew(const struct target *t)
{
	machine_config_groups(t->config, t->groups);
}

/* A path in a description is seen from there; one in an option, from where we are. */
static char *path_from(const char *path, struct base_place at)
{
	g_autofree char *dir = at.line ? g_path_get_dirname(at.file) : NULL;

	return dir && !g_path_is_absolute(path) ? g_build_filename(dir, path, NULL) : g_strdup(path);
}

/* Its parameters will be those of the GPU's stacks, or of a memory. The mistakes of a standard's own file come after
 * where it was asked for. */
static bool standard_load(const struct target *t, const char *memory, const char *name, struct base_place at,
			  struct memory_standard *out, struct base_diag_list *diag)
{
	g_auto(GStrv) names = sim_description_names(t->memories);
	const char *nearest = base_nearest_name(name, (const char *const *)names, g_strv_length(names));
	const bool is_path = strchr(name, '/') || g_str_has_suffix(name, ".yaml");
	g_autofree char *all = g_strjoinv(", ", names), *path = is_path ? path_from(name, at) : NULL;

	if (is_path || g_strv_contains((const char *const *)names, name)) {
		g_autofree char *prefix = memory ? g_strconcat(memory, ".", NULL) : NULL;
		bool is_loaded;

		diag->key_prefix = prefix;
		is_loaded = memory_standard_load(is_path ? path : name, t->memories, out, diag);
		diag->key_prefix = NULL;
		return is_loaded;
	}
	if (nearest)
		base_diag_error(diag, at, "no memory standard '%s'; did you mean '%s'?", name, nearest);
	else
		base_diag_error(diag, at, "no memory standard '%s'; there are %s, and any path to a .yaml file", name,
				all);
	return false;
}

/* Of the energy what the standard's file gives. */
static void copy_energy(struct energy_params *to, const struct memory_standard *standard)
{
	struct memory_standard copy = *standard, defaults;
	struct sim_param_groups from, dflt;

	memory_standard_defaults(&defaults);
	memory_standard_groups(&copy, &from);
	memory_standard_groups(&defaults, &dflt);
	for (uint32_t g = 0; g < from.count; g++) {
		for (uint32_t i = 0; from.items[g].values == &copy.energy && i < from.items[g].row_count; i++) {
			const struct sim_param_desc *row = &from.items[g].rows[i];
			char *field = (char *)to + row->offset;

			if (sim_param_value(&from.items[g], row) != sim_param_value(&dflt.items[g], row))
				memcpy(field, (const char *)&copy.energy + row->offset, sizeof(double));
		}
	}
}

/* dram: {standard: NAME}: the stacks of the GPU. */
static void dram_be(const struct target *t, const char *name, struct base_place at, struct base_diag_list *diag)
{
	struct memory_standard standard;
	struct gpu_config *gpu;

	if (!standard_load(t, NULL, name, at, &standard, diag))
		return;
	if (standard.link.is_present) {
		base_diag_error(diag, at, "memory '%s' lies behind a link of its own, which the GPU's stacks have not: "
					  "give it a name in `memories:`", name);
		return;
	}
	gpu = machine_config_at(t->config, &machine_gpu_part);
	gpu->dram = standard.dram;
	copy_energy(machine_config_at(t->config, &machine_energy_part), &standard);
}

static void memory_be(const struct target *t, const char *memory, struct base_place memory_at, const char *name,
		      struct base_place at, struct base_diag_list *diag)
{
	struct machine_memory *m = machine_memory_need(t->config, memory, memory_at, diag);
	struct memory_standard standard;

	if (m && standard_load(t, memory, name, at, &standard, diag))
		machine_memory_be(m, &standard);
	groups_renew(t);
}

/* "t_cl" of memory "ddr" is "ddr.dram.t_cl": the one group that has it; NULL after a message when several have. One
 * with a group, and one that no group has, is looked up as it is. */
static char *memory_key(const struct target *t, const char *memory, const char *name, struct base_place at,
			struct base_diag_list *diag)
{
	const char *found = NULL;
	g_autofree char *prefix = g_strconcat(memory, ".", NULL);

	if (strchr(name, '.'))
		return g_strconcat(prefix, name, NULL);
	for (uint32_t g = 0; g < t->groups->count; g++) {
		const struct sim_param_group *group = &t->groups->items[g];

		for (uint32_t i = 0; g_str_has_prefix(group->prefix, prefix) && i < group->row_count; i++) {
			if (strcmp(group->rows[i].name, name))
				continue;
			if (found) {
				base_diag_error(diag, at, "'%s' may be %s.%s or %s.%s: write it with its group", name,
						found + strlen(prefix), name, group->prefix + strlen(prefix), name);
				return NULL;
			}
			found = group->prefix;
		}
	}
	return found ? g_strconcat(found, ".", name, NULL) : g_strconcat(prefix, "memory.", name, NULL);
}

/* An item of the memory that a group "memories.NAME" is. */
static void take_memory_value(const struct target *t, const char *memory, const struct base_item *item,
			      struct base_diag_list *diag)
{
	g_autofree char *key = memory_key(t, memory, item->name, item->name_at, diag);

	if (key && item->value[0])
		sim_param_set(t->groups->items, t->groups->count, key, item->value, item->value_at, diag);
}

/* What a memory is, before what it has. */
static bool take_memory(const struct target *t, const struct base_item *item, bool is_first,
			struct base_diag_list *diag)
{
	const bool is_nest = !strcmp(item->group, nest);
	const char *memory = item->group + strlen(nest) + 1;

	if (!is_nest && (strncmp(item->group, nest, strlen(nest)) || item->group[strlen(nest)] != '.'))
		return false;
	if (is_nest && is_first)
		memory_be(t, item->name, item->name_at, item->value, item->value_at, diag);
	else if (is_first && !strcmp(item->name, standard_word))
		memory_be(t, memory, item->group_at, item->value, item->value_at, diag);
	else if (!is_first)
		take_memory_value(t, memory, item, diag);
	else if (!machine_memory_need(t->config, memory, item->group_at, diag))
		return true; /* no name: said once for each of its values, which nobody takes */
	else
		groups_renew(t);
	return is_nest || !is_first || !strcmp(item->name, standard_word);
}

static bool take(void *ctx, const struct base_item *item, bool is_first, struct base_diag_list *diag)
{
	const struct target *t = ctx;

	if (item->group && take_memory(t, item, is_first, diag))
		return true;
	if (item->group && !strcmp(item->group, "dram") && !strcmp(item->name, standard_word) &&
	    machine_config_has_gpu(t->config)) {
		if (is_first)
			dram_be(t, item->value, item->value_at, diag);
		return true;
	}
	if (item->group) {
		g_autofree char *key = g_strconcat(item->group, ".", item->name, NULL);

		return !is_first && machine_config_refuse(t->config, key, item->name_at, diag);
	}
	if (strcmp(item->name, "gpu"))
		return false;
	if (strcmp(item->value, "none")) {
		base_diag_error(diag, item->value_at, "'gpu' is a group, or `gpu: none`: a machine without a GPU");
	} else {
		machine_config_drop(t->config, &machine_gpu_part);
		groups_renew(t);
	}
	return true;
}

bool machine_description_load(const char *name_or_path, const struct sim_search *search,
			      const struct sim_search *memories, struct machine_description *out,
			      struct base_diag_list *diag)
{
	struct sim_description_form form = {
	    .words = {.thing = "machine", .example = "sm", .nest = nest},
	    .things = "machines",
	    .hint = "`strata list params` prints the groups",
	    .take = take,
	};
	struct target target = {.config = &out->config, .groups = &form.groups, .memories = memories};

	form.ctx = &target;
	*out = (struct machine_description){0};
	machine_config_defaults(&out->config, machine_parts);
	groups_renew(&target);
	return sim_description_load(name_or_path, search, &form, &out->about, diag);
}

/* "dram.standard", "memories.NAME" and "NAME.standard". False: it is none of these. */
static bool set_standard(const struct target *t, const char *key, const char *value, struct base_place at,
			 struct base_diag_list *diag)
{
	const char *dot = strchr(key, '.');

	if (!dot || strchr(dot + 1, '.'))
		return false;
	if (g_str_has_prefix(key, "memories.")) {
		memory_be(t, dot + 1, at, value, at, diag);
		return true;
	}
	if (strcmp(dot + 1, standard_word))
		return false;

	g_autofree char *memory = g_strndup(key, (size_t)(dot - key));

	if (!strcmp(memory, "dram") && machine_config_has_gpu(t->config))
		dram_be(t, value, at, diag);
	else if (machine_memory_find(t->config, memory, at, diag))
		memory_be(t, memory, at, value, at, diag);
	return true;
}

bool machine_description_set(struct machine_config *config, const char *assignment, const char *where,
			     const struct sim_search *memories, struct base_diag_list *diag)
{
	struct sim_param_groups groups;
	const struct target t = {.config = config, .groups = &groups, .memories = memories};
	const uint32_t errors_before = diag->error_count;
	const char *equals = strchr(assignment, '=');

	groups_renew(&t);
	if (equals) {
		g_autofree char *key = g_strstrip(g_strndup(assignment, (size_t)(equals - assignment)));
		g_autofree char *value = g_strstrip(g_strdup(equals + 1));

		if (*value && set_standard(&t, key, value, (struct base_place){where, 0, 0}, diag))
			return diag->error_count == errors_before;
		if (machine_config_refuse(config, key, (struct base_place){where, 0, 0}, diag))
			return false;
	}
	return sim_description_set(&groups, assignment, where, diag);
}

/* The parameters of one group that are read and not as in defaults, below the group's name; named is the last name
 * written. */
static void group_text(GString *text, const struct sim_param_groups *groups, const struct sim_param_group *group,
		       const struct sim_param_group *defaults, const char **named)
{
	for (uint32_t i = 0; i < group->row_count; i++) {
		char value[128], default_value[128];

		sim_param_format(group, &group->rows[i], value, sizeof(value));
		sim_param_format(defaults, &defaults->rows[i], default_value, sizeof(default_value));
		if (!strcmp(value, default_value) || sim_param_unread(groups, group, &group->rows[i]))
			continue;
		if (strcmp(*named, group->prefix))
			g_string_append_printf(text, "%s:\n", group->prefix);
		*named = group->prefix;
		g_string_append_printf(text, "  %s: %s\n", group->rows[i].name, value);
	}
}

static void declare(struct machine_config *c, const char *memory)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	CHECK(machine_memory_need(c, memory, (struct base_place){0}, &diag)); /* another config has it */
	base_diag_free(&diag);
}

/* What differs from the defaults, and the number of its channels, so that something names it. */
static void memory_text(GString *text, const struct machine_config *config, const struct machine_memory *m)
{
	struct machine_config copy = *config, defaults;
	struct sim_param_groups groups, default_groups;
	g_autofree char *prefix = g_strconcat(m->name, ".", NULL);

	machine_config_defaults(&defaults, config->parts);
	defaults.dropped = config->dropped;
	for (uint32_t i = 0; i < machine_memories_of(config)->count; i++)
		declare(&defaults, machine_memories_of(config)->items[i].name);
	machine_config_groups(&copy, &groups);
	machine_config_groups(&defaults, &default_groups);
	g_string_append_printf(text, "  %s:\n", m->name);
	for (uint32_t g = 0; g < groups.count; g++) {
		const struct sim_param_group *group = &groups.items[g], *dflt = &default_groups.items[g];

		for (uint32_t i = 0; g_str_has_prefix(group->prefix, prefix) && i < group->row_count; i++) {
			char value[128], default_value[128];

			sim_param_format(group, &group->rows[i], value, sizeof(value));
			sim_param_format(dflt, &group->rows[i], default_value, sizeof(default_value));
			if (strcmp(value, default_value) || !strcmp(group->rows[i].name, "channel_count"))
				g_string_append_printf(text, "    %s.%s: %s\n", group->prefix + strlen(prefix),
						       group->rows[i].name, value);
		}
	}
}

/* The memories, whose groups stand in one of their own. */
static void memories_text(GString *text, const struct machine_config *config)
{
	const struct machine_memories *all = machine_memories_of(config);

	if (all->count)
		g_string_append_printf(text, "%s:\n", nest);
	for (uint32_t k = 0; k < all->count; k++)
		memory_text(text, config, &all->items[k]);
}

/* Every group of the machine's own, those of one name together: a description names a group once. */
static void groups_text(GString *text, const struct sim_param_groups *groups, const struct sim_param_groups *defaults)
{
	const char *named = "";
	bool is_done[SIM_PARAM_GROUPS_MAX] = {false};

	for (uint32_t i = 0; i < groups->count; i++) {
		const char *prefix = groups->items[i].prefix;

		if (strchr(prefix, '.'))
			continue; /* a memory's */
		for (uint32_t k = i; k < groups->count; k++) {
			if (is_done[k] || strcmp(groups->items[k].prefix, prefix))
				continue;
			group_text(text, groups, &groups->items[k], &defaults->items[k], &named);
			is_done[k] = true;
		}
	}
}

char *machine_description_text(const struct machine_config *config)
{
	struct machine_config copy = *config, defaults;
	struct sim_param_groups groups, default_groups;
	GString *text = g_string_new(NULL);

	machine_config_defaults(&defaults, config->parts);
	defaults.dropped = config->dropped;
	for (uint32_t i = 0; i < machine_memories_of(config)->count; i++)
		declare(&defaults, machine_memories_of(config)->items[i].name);
	machine_config_groups(&copy, &groups);
	machine_config_groups(&defaults, &default_groups);
	if (!machine_config_has_gpu(config))
		g_string_append(text, "gpu: none\n");
	memories_text(text, config);
	groups_text(text, &groups, &default_groups);
	if (!text->len)
		g_string_assign(text, "summary: every parameter has its default\n");
	return g_string_free(text, FALSE);
}
