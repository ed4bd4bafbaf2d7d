/* list_tables.c - strata list params, stats, energy: what the parts of a machine have declared. Nothing is built. */
#include "cli/list_tables.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"

#include "cli/command.h"
#include "cli/options.h"
#include "energy/events.h"
#include "machine/memories.h"
#include "machine/parts.h"

static void put(json_t *o, const char *key, const char *value)
{
	json_object_set_new(o, key, json_string(value));
}

/* ---- parameters ---- */

static void add_param(json_t *list, const char *part, const struct sim_param_group *g, const struct sim_param_desc *row)
{
	g_autofree char *name = g_strconcat(g->prefix, ".", row->name, NULL);
	json_t *o = json_object();
	g_autofree char *read_with = sim_param_whens_text(g, row);
	char value[128];

	sim_param_format(g, row, value, sizeof(value));
	put(o, "name", name);
	if (part)
		put(o, "part", part);
	put(o, "default", value);
	put(o, "unit", row->unit);
	if (row->choices)
		put(o, "choices", row->choices);
	if (row->kind == SIM_PARAM_U64 || row->kind == SIM_PARAM_F64) {
		json_object_set_new(o, "min", json_real(row->min));
		json_object_set_new(o, "max", json_real(row->max));
	}
	put(o, "doc", row->doc);
	if (read_with)
		put(o, "read_with", read_with);
	put(o, "source", row->source);
	json_array_append_new(list, o);
}

void cli_list_groups(json_t *list, const char *part, const struct sim_param_groups *groups)
{
	for (uint32_t g = 0; g < groups->count; g++)
		for (uint32_t i = 0; i < groups->items[g].row_count; i++)
			add_param(list, part, &groups->items[g], &groups->items[g].rows[i]);
}

bool cli_list_machine(const struct cli_list_request *request, const char *otherwise, struct machine_description *out)
{
	const char *name = request->machine ? request->machine : otherwise;
	struct base_diag_list diag;
	bool is_ok = true;

	base_diag_init(&diag);
	if (name) {
		is_ok =
		    machine_description_load(name, &request->paths->machines, &request->paths->memories, out, &diag);
	} else {
		machine_config_defaults(&out->config, machine_parts);
		machine_memory_any(&out->config);
	}
	cli_diag_print(&diag);
	base_diag_free(&diag);
	return is_ok;
}

/* Are all names that --part gives those of parts? False after a message. */
static bool parts_check(const struct cli_list_request *request)
{
	g_auto(GStrv) names = request->parts ? g_strsplit(request->parts, ",", -1) : NULL;
	g_autoptr(GString) all = g_string_new(NULL);

	for (const struct machine_part *const *p = machine_parts; *p; p++)
		g_string_append_printf(all, "%s%s", p == machine_parts ? "" : ", ", (*p)->name);
	for (char **name = names; name && *name; name++) {
		bool is_part = false;

		for (const struct machine_part *const *p = machine_parts; *p; p++)
			is_part |= !strcmp((*p)->name, *name);
		if (is_part)
			continue;
		cli_error("list: no part '%s'; there are %s", *name, all->str);
		return false;
	}
	return true;
}

/* Of a machine the parts that it has; of none every part that a machine may have. */
static bool is_asked_for(const struct cli_list_request *request, const struct machine_description *d,
			 const struct machine_part *part)
{
	g_auto(GStrv) names = request->parts ? g_strsplit(request->parts, ",", -1) : NULL;

	return (!names || g_strv_contains((const char *const *)names, part->name)) &&
	       (!request->machine || machine_config_has(&d->config, part));
}

bool cli_list_params(const struct cli_list_request *request, json_t *list)
{
	struct machine_description d;

	if (!parts_check(request) || !cli_list_machine(request, NULL, &d))
		return false;
	for (const struct machine_part *const *p = machine_parts; *p; p++) {
		struct sim_param_groups groups = {.count = 0};

		if (!(*p)->groups || !is_asked_for(request, &d, *p))
			continue;
		(*p)->groups(&d.config, &groups);
		cli_list_groups(list, (*p)->name, &groups);
	}
	return true;
}

/* ---- statistics ---- */

static void add_stat(json_t *list, const char *part, const char *prefix, const struct sim_stat_desc *row)
{
	static const char *const kinds[] = {
	    [SIM_STAT_COUNT] = "count", [SIM_STAT_MAX] = "max", [SIM_STAT_HIST] = "histogram"};
	g_autofree char *name = g_strconcat(prefix, ".", row->name, NULL);
	json_t *o = json_object();

	put(o, "name", name);
	put(o, "part", part);
	put(o, "kind", kinds[row->kind]);
	put(o, "unit", row->unit);
	put(o, "doc", row->doc);
	json_array_append_new(list, o);
}

bool cli_list_stats(const struct cli_list_request *request, json_t *list)
{
	struct machine_description d;

	if (!parts_check(request) || !cli_list_machine(request, NULL, &d))
		return false;
	for (const struct machine_part *const *p = machine_parts; *p; p++) {
		struct sim_stat_tables tables = {.count = 0};

		if (!(*p)->stats || !is_asked_for(request, &d, *p))
			continue;
		(*p)->stats(request->machine ? &d.config : NULL, &tables);
		for (uint32_t t = 0; t < tables.count; t++)
			for (uint32_t i = 0; i < tables.items[t].row_count; i++)
				add_stat(list, (*p)->name, tables.items[t].prefix, &tables.items[t].rows[i]);
	}
	return true;
}

/* ---- energy ---- */

struct energy_listing {
	json_t *list;
	const char *part;
	const struct sim_param_groups *groups; /* everything that a row's parameter may be in */
	const struct sim_stat_tables *stats;   /* everything that its terms may name: tables of energy are shared, and
						* a part may not have all of it */
};

/* "energy.l1_access_pj" of a place in a group's values; to be freed. */
static char *parameter_name(const struct sim_param_groups *groups, const void *values, size_t offset)
{
	for (uint32_t g = 0; g < groups->count; g++)
		for (uint32_t i = 0; groups->items[g].values == values && i < groups->items[g].row_count; i++)
			if (groups->items[g].rows[i].offset == offset)
				return g_strconcat(groups->items[g].prefix, ".", groups->items[g].rows[i].name, NULL);
	UNREACHABLE("energy of a parameter that nobody can set");
}

/* "l1d.reads + l1d.writes"; to be freed. */
static char *terms_text(const struct energy_row *row, const struct sim_stat_tables *stats)
{
	GString *text = g_string_new(NULL);

	for (uint32_t i = 0; row->terms && i < ENERGY_TERM_MAX && row->terms[i].group; i++) {
		const struct energy_term *t = &row->terms[i];
		g_autofree char *group = row->of ? g_strconcat(row->of, ".", t->group, NULL) : g_strdup(t->group);
		g_autofree char *name = g_strconcat(group, ".", t->name, NULL);

		if (!sim_stat_tables_find(stats, name))
			continue;
		if (text->len)
			g_string_append(text, t->is_subtracted ? " - " : " + ");
		else if (t->is_subtracted)
			g_string_append_c(text, '-');
		g_string_append(text, name);
	}
	return g_string_free(text, FALSE);
}

static void add_energy(void *ctx, const struct energy_row *row)
{
	static const char *const per[] = {
	    [ENERGY_ROW_EVENT] = "for each of",
	    [ENERGY_ROW_BITS] = "for each bit of",
	    [ENERGY_ROW_SCALED] = "times the machine's number of them, for each of",
	    [ENERGY_ROW_INSTEAD] = "instead of what other rows charge, for each of",
	    [ENERGY_ROW_IDLE] = "for each bit that the same wires could have carried besides",
	    [ENERGY_ROW_POWER] = "of each, over the time of kernels",
	};
	const struct energy_listing *l = ctx;
	g_autofree char *name = row->of ? g_strconcat(row->of, ".", row->component, NULL) : g_strdup(row->component);
	g_autofree char *parameter = parameter_name(l->groups, row->params, row->parameter);
	g_autofree char *terms = terms_text(row, l->stats);
	g_autofree char *doc = g_strconcat(parameter, " ", per[row->kind], *terms ? " " : "", terms, NULL);
	json_t *o;

	if (row->terms && !*terms)
		return;
	o = json_object();
	put(o, "name", name);
	put(o, "part", l->part);
	put(o, "scope", energy_scope_text(row->scope));
	put(o, "parameter", parameter);
	put(o, "per", per[row->kind]);
	put(o, "statistics", terms);
	put(o, "doc", doc);
	json_array_append_new(l->list, o);
}

bool cli_list_energy(const struct cli_list_request *request, json_t *list)
{
	struct machine_description d;
	struct sim_param_groups groups;
	struct sim_stat_tables stats = {.count = 0};

	if (!parts_check(request) || !cli_list_machine(request, NULL, &d))
		return false;
	machine_config_groups(&d.config, &groups);
	for (const struct machine_part *const *p = machine_parts; *p; p++)
		if ((*p)->stats && is_asked_for(request, &d, *p))
			(*p)->stats(request->machine ? &d.config : NULL, &stats);
	for (const struct machine_part *const *p = machine_parts; *p; p++) {
		struct energy_listing l = {.list = list, .part = (*p)->name, .groups = &groups, .stats = &stats};
		struct energy_list rows = {.count = 0};

		if (!(*p)->energy || !is_asked_for(request, &d, *p))
			continue;
		(*p)->energy(&d.config, &rows);
		energy_list_each(&rows, add_energy, &l);
	}
	return true;
}
