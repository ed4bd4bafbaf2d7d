/* description.c - a machine's parameters from its file, and back. */
#include "machine/description.h"

#include "machine/parts.h"

#include <glib.h>
#include <string.h>

bool machine_description_load(const char *name_or_path, const struct sim_search *search,
			      struct machine_description *out, struct base_diag_list *diag)
{
	struct sim_description_form form = {
	    .words = {.thing = "machine", .example = "sm"},
	    .things = "machines",
	    .hint = "`strata list params` prints the groups",
	};

	*out = (struct machine_description){0};
	machine_config_defaults(&out->config, machine_parts);
	machine_config_groups(&out->config, &form.groups);
	return sim_description_load(name_or_path, search, &form, &out->about, diag);
}

bool machine_description_set(struct machine_config *config, const char *assignment, const char *where,
			     struct base_diag_list *diag)
{
	struct sim_param_groups groups;

	machine_config_groups(config, &groups);
	return sim_description_set(&groups, assignment, where, diag);
}

/* The parameters of one group that are not as in defaults, below the group's name; named is the last name written. */
static void group_text(GString *text, const struct sim_param_group *group, const struct sim_param_group *defaults,
		       const char **named)
{
	for (uint32_t i = 0; i < group->row_count; i++) {
		char value[128], default_value[128];

		sim_param_format(group, &group->rows[i], value, sizeof(value));
		sim_param_format(defaults, &defaults->rows[i], default_value, sizeof(default_value));
		if (!strcmp(value, default_value))
			continue;
		if (strcmp(*named, group->prefix))
			g_string_append_printf(text, "%s:\n", group->prefix);
		*named = group->prefix;
		g_string_append_printf(text, "  %s: %s\n", group->rows[i].name, value);
	}
}

char *machine_description_text(const struct machine_config *config)
{
	struct machine_config copy = *config, defaults;
	struct sim_param_groups groups, default_groups;
	GString *text = g_string_new(NULL);
	const char *named = "";

	machine_config_defaults(&defaults, config->parts);
	machine_config_groups(&copy, &groups);
	machine_config_groups(&defaults, &default_groups);
	for (uint32_t i = 0; i < groups.count; i++)
		group_text(text, &groups.items[i], &default_groups.items[i], &named);
	if (!text->len)
		g_string_assign(text, "summary: every parameter has its default\n");
	return g_string_free(text, FALSE);
}
