/* part.c - a machine of any parts: where the parameters of each lie, and their rules. */
#include "machine/part.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "machine/machine.h"

enum { ABSENT = UINT32_MAX };

static uint32_t find(const struct machine_config *c, const struct machine_part *part)
{
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i] == part)
			return i;
	return ABSENT;
}

static uint32_t index_of(const struct machine_config *c, const struct machine_part *part)
{
	const uint32_t i = find(c, part);

	CHECK(i != ABSENT); /* a part that the machine's list has not */
	return i;
}

const void *machine_config_of(const struct machine_config *c, const struct machine_part *part)
{
	const uint32_t end = index_of(c, part);
	const uint64_t *at = c->values;

	for (uint32_t i = 0; i < end; i++)
		at += (c->parts[i]->config_bytes + sizeof(*at) - 1) / sizeof(*at);
	CHECK((const char *)at + part->config_bytes <= (const char *)&c->values[G_N_ELEMENTS(c->values)]);
	return at;
}

void *machine_config_at(struct machine_config *c, const struct machine_part *part)
{
	return (void *)(uintptr_t)machine_config_of(c, part);
}

static bool is_dropped(const struct machine_config *c, uint32_t i)
{
	return c->dropped >> i & 1;
}

static bool is_present(const struct machine_config *c, uint32_t i)
{
	return !is_dropped(c, i) && (!c->parts[i]->is_present || c->parts[i]->is_present(c));
}

/* Does another part that is there read its parameters? */
static bool is_read(const struct machine_config *c, uint32_t i)
{
	for (uint32_t k = 0; c->parts[k]; k++)
		if (c->parts[k]->reads == c->parts[i] && is_present(c, k))
			return !is_dropped(c, i);
	return false;
}

bool machine_config_has(const struct machine_config *c, const struct machine_part *part)
{
	const uint32_t i = find(c, part);

	return i != ABSENT && is_present(c, i);
}

const struct machine_part *machine_config_runner(const struct machine_config *c)
{
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->runs && is_present(c, i))
			return c->parts[i];
	return NULL;
}

bool machine_config_runs_kernels(const struct machine_config *c)
{
	const struct machine_part *runner = machine_config_runner(c);

	return runner && !strcmp(runner->runs, MACHINE_RUNS_KERNELS);
}

void machine_config_powers(const struct machine_config *c, struct energy_list *out)
{
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->powers && is_present(c, i))
			c->parts[i]->powers(c, out);
}

void machine_config_watch(const struct machine_config *c, struct machine_memory_watch *out)
{
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->watch && is_present(c, i))
			c->parts[i]->watch(c, out);
}

bool machine_config_has_account(const struct machine_config *c)
{
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->account && is_present(c, i))
			return true;
	return false;
}

void machine_config_drop(struct machine_config *c, const struct machine_part *part)
{
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i] == part || c->parts[i]->belongs_to == part)
			c->dropped |= 1u << i;
}

void machine_config_groups(struct machine_config *c, struct sim_param_groups *out)
{
	out->count = 0;
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->groups && !is_dropped(c, i))
			c->parts[i]->groups(c, out);
}

void machine_config_groups_present(struct machine_config *c, struct sim_param_groups *out)
{
	out->count = 0;
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->groups && (is_present(c, i) || is_read(c, i)))
			c->parts[i]->groups(c, out);
}

void machine_config_stats(const struct machine_config *c, struct sim_stat_tables *out)
{
	out->count = 0;
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->stats && is_present(c, i))
			c->parts[i]->stats(c, out);
}

void machine_config_defaults(struct machine_config *c, const struct machine_part *const *parts)
{
	struct sim_param_groups groups;

	memset(c, 0, sizeof(*c));
	c->parts = parts;
	machine_config_groups(c, &groups);
	for (uint32_t i = 0; i < groups.count; i++)
		sim_param_defaults(&groups.items[i]);
	for (uint32_t i = 0; parts[i]; i++)
		if (parts[i]->defaults)
			parts[i]->defaults(c);
}

static bool refuse_dropped(const struct machine_config *c, const char *key, struct base_place at,
			   struct base_diag_list *diag)
{
	struct machine_config copy = *c;

	for (uint32_t i = 0; c->parts[i]; i++) {
		struct sim_param_groups own = {.count = 0};

		if (!is_dropped(c, i) || !c->parts[i]->groups)
			continue;
		c->parts[i]->groups(&copy, &own);
		if (!sim_param_groups_find(&own, key, NULL))
			continue;
		base_diag_error(diag, at, "'%s' is a parameter of '%s', which this machine has not (`%s: none`)", key,
				c->parts[i]->name, c->parts[i]->belongs_to ? c->parts[i]->belongs_to->name
									    : c->parts[i]->name);
		return true;
	}
	return false;
}

static bool refuse_renamed(const struct machine_config *c, const char *key, struct base_place at,
			   struct base_diag_list *diag)
{
	for (uint32_t i = 0; c->parts[i]; i++)
		for (const struct machine_renamed *r = c->parts[i]->renamed; r && r->was; r++)
			if (!strcmp(r->was, key)) {
				base_diag_error(diag, at, "unknown parameter '%s'; did you mean '%s'?", key, r->is);
				return true;
			}
	return false;
}

bool machine_config_refuse(const struct machine_config *c, const char *key, struct base_place at,
			   struct base_diag_list *diag)
{
	struct machine_config copy = *c;
	struct sim_param_groups groups;

	machine_config_groups(&copy, &groups);
	return !sim_param_groups_find(&groups, key, NULL) &&
	       (refuse_dropped(c, key, at, diag) || refuse_renamed(c, key, at, diag));
}

bool machine_config_set(struct machine_config *c, const char *key, const char *value, struct base_place at,
			struct base_diag_list *diag)
{
	struct sim_param_groups groups;

	if (machine_config_refuse(c, key, at, diag))
		return false;
	machine_config_groups(c, &groups);
	return sim_param_set(groups.items, groups.count, key, value, at, diag);
}

const struct machine_part *machine_clocks_add(const struct machine_config *c, struct sim_engine *e)
{
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->clocks && is_present(c, i) && !c->parts[i]->clocks(c, e))
			return c->parts[i];
	return NULL;
}

/* A part's own clocks are its own rule: what is left are those of different parts. */
static void check_clocks(const struct machine_config *c, struct base_diag_list *diag)
{
	struct sim_engine *e = sim_engine_new();
	const struct machine_part *odd = machine_clocks_add(c, e);

	if (odd)
		base_diag_error(diag, (struct base_place){0},
				"the clocks of '%s' have no common unit of time of 1/1800 ps or more with those of the "
				"machine's other parts; choose rounder frequencies",
				odd->name);
	sim_engine_free(e);
}

/* Of two parts that run something: what the one says that reads the other's parameters, or how to take one out. */
static const char *door_hint(const struct machine_part *a, const struct machine_part *b)
{
	if (a->reads == b || b->reads == a)
		return a->reads == b ? a->reads_number : b->reads_number;
	return "`gpu: none` takes the GPU out";
}

/* Two doors at once would be two programs, each with a time of its own. */
static void check_doors(const struct machine_config *c, struct base_diag_list *diag)
{
	const struct machine_part *first = NULL;

	for (uint32_t i = 0; c->parts[i]; i++) {
		if (!c->parts[i]->runs || !is_present(c, i))
			continue;
		if (first)
			base_diag_error(diag, (struct base_place){0},
					"the machine has '%s', which runs %s, and '%s', which runs %s; expected one of "
					"them (%s)",
					first->name, first->runs, c->parts[i]->name, c->parts[i]->runs,
					door_hint(first, c->parts[i]));
		first = c->parts[i];
	}
}

/* Has somebody set the parameter after what decides that nothing reads it, or in the same place? */
static bool is_set_in_vain(const struct base_diag_list *diag, const char *key, const char *decider)
{
	const uint32_t source = base_diag_source(diag, key);

	return source && source >= base_diag_source(diag, decider);
}

/* "ndp.away is read with ndp.mechanism = tom or nsu only, and here that is none", to be freed with g_free. */
static char *unread_text(const struct sim_param_groups *groups, const char *key, const struct sim_param_when *when)
{
	const struct sim_param_group *group;
	const struct sim_param_desc *row = sim_param_groups_find(groups, when->key, &group);
	g_autofree char *condition = sim_param_when_text(when);
	char value[SIM_PARAM_TEXT_BYTES];

	sim_param_format(group, row, value, sizeof(value));
	return g_strdup_printf("'%s' is read with %s only, and here that is %s", key, condition, value);
}

/* What somebody has set of a part would change nothing if neither the part is there nor what it belongs to: a GPU's
 * machine takes no parameters of processors. NDPs belong to processors, which may have none of them. */
static bool is_absent(const struct machine_config *c, uint32_t i)
{
	const struct machine_part *of = c->parts[i];

	while (of->belongs_to)
		of = of->belongs_to;
	return !is_present(c, i) && !is_read(c, i) && !machine_config_has(c, of);
}

static char *absent_text(const struct machine_config *c, uint32_t part, const char *key)
{
	return g_strdup_printf("'%s' is a parameter of '%s', which this machine has not", key, c->parts[part]->name);
}

static void check_row(const struct machine_config *c, uint32_t part, const struct sim_param_groups *groups,
		      const struct sim_param_group *group, const struct sim_param_desc *row,
		      struct base_diag_list *diag)
{
	g_autofree char *key = g_strconcat(group->prefix, ".", row->name, NULL);
	const struct base_place at = base_diag_place(diag, key);
	const struct sim_param_when *when;

	if (!at.file)
		return;
	if (is_absent(c, part)) {
		g_autofree char *text = absent_text(c, part, key);

		base_diag_error(diag, at, "%s", text);
		return;
	}
	when = sim_param_unread(groups, group, row);
	if (when && is_set_in_vain(diag, key, when->key)) {
		g_autofree char *text = unread_text(groups, key, when);

		base_diag_error(diag, at, "%s; change that, or leave this out", text);
	}
}

char *machine_config_unread(const struct machine_config *c, const char *key)
{
	struct machine_config copy = *c;
	struct sim_param_groups all;

	machine_config_groups(&copy, &all);
	for (uint32_t i = 0; c->parts[i]; i++) {
		struct sim_param_groups own = {.count = 0};
		const struct sim_param_group *group;
		const struct sim_param_desc *row;
		const struct sim_param_when *when;

		if (!c->parts[i]->groups)
			continue;
		c->parts[i]->groups(&copy, &own);
		row = sim_param_groups_find(&own, key, &group);
		if (!row)
			continue;
		if (is_dropped(c, i) || is_absent(c, i))
			return absent_text(c, i, key);
		when = sim_param_unread(&all, group, row);
		return when ? unread_text(&all, key, when) : NULL;
	}
	return NULL;
}

void machine_config_check_read(const struct machine_config *c, struct base_diag_list *diag)
{
	struct machine_config copy = *c;
	struct sim_param_groups all;

	machine_config_groups(&copy, &all);
	for (uint32_t i = 0; c->parts[i]; i++) {
		struct sim_param_groups own = {.count = 0};

		if (is_dropped(c, i) || !c->parts[i]->groups)
			continue;
		c->parts[i]->groups(&copy, &own);
		for (uint32_t g = 0; g < own.count; g++)
			for (uint32_t k = 0; k < own.items[g].row_count; k++)
				check_row(c, i, &all, &own.items[g], &own.items[g].rows[k], diag);
	}
}

bool machine_config_check(const struct machine_config *c, struct base_diag_list *diag)
{
	const uint32_t errors_before = diag->error_count;

	check_doors(c, diag);
	if (diag->error_count > errors_before)
		return false; /* what the parts ask for follows from one of them being there */
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->check && !is_dropped(c, i))
			c->parts[i]->check(c, diag);
	if (diag->error_count == errors_before)
		check_clocks(c, diag);
	return diag->error_count == errors_before;
}

void machine_config_warn(const struct machine_config *c, struct base_diag_list *diag)
{
	for (uint32_t i = 0; c->parts[i]; i++)
		if (c->parts[i]->warn && is_present(c, i))
			c->parts[i]->warn(c, diag);
}

void *machine_built(const struct machine *m, const struct machine_part *part)
{
	return m->built[index_of(m->config, part)];
}
