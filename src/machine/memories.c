/* memories.c - a part that is as many memories as the machine's description names. */
#include "machine/memories.h"

#include <ctype.h>
#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "mem/command_log.h"

static const char any_name[] = "MEMORY";

struct slot {
	struct mem_memory *memory;
	struct machine_memory_user user;
};

struct built {
	uint32_t count;
	struct slot slots[MACHINE_MEMORIES_MAX];
	struct mem_command_log *log; /* of the first memory; NULL: off */
};

static struct machine_memories *memories_at(struct machine_config *c)
{
	return machine_config_at(c, &machine_memories_part);
}

const struct machine_memories *machine_memories_of(const struct machine_config *c)
{
	return machine_config_of(c, &machine_memories_part);
}

/* "ddr" and "vault" to "ddr.vault"; there are few, and they stay. */
static const char *name_in(const char *memory, const char *name)
{
	g_autofree char *text = g_strconcat(memory, ".", name, NULL);

	return g_intern_string(text);
}

/* ---- parameters ---- */

/* The rows of the group energy that memories use. */
static const struct memory_standard *standard_rows(void)
{
	static struct memory_standard rows;

	if (!rows.energy_row_count)
		memory_standard_defaults(&rows);
	return &rows;
}

static void memory_groups(struct machine_memory *m, struct sim_param_groups *out)
{
	const struct memory_standard *rows = standard_rows();

	sim_param_groups_add(out, name_in(m->name, "memory"), memory_param_rows, memory_param_row_count, &m->memory);
	sim_param_groups_add(out, name_in(m->name, "dram"), dram_param_rows, dram_param_row_count, &m->dram);
	sim_param_groups_add(out, name_in(m->name, "link"), expander_param_rows, expander_param_row_count, &m->link);
	sim_param_groups_add(out, name_in(m->name, "energy"), rows->energy_rows, rows->energy_row_count, &m->energy);
}

/* host.memory, whose choices are the names. */
static void name_choices(struct machine_memories *all)
{
	GString *choices = g_string_new("none");

	for (uint32_t i = 0; i < all->count; i++)
		g_string_append_printf(choices, "|%s", all->items[i].name);
	all->host_row = (struct sim_param_desc){
	    .name = "memory",
	    .kind = SIM_PARAM_ENUM,
	    .unit = "",
	    .choices = g_intern_string(choices->str),
	    .source = "choice: none, an access takes host.access_latency_ps besides its time on the wires",
	    .doc = "the memory of the machine that is the host's: kernels' accesses to it take its time as well",
	    .offset = 0,
	};
	g_string_free(choices, TRUE);
}

static void groups(struct machine_config *c, struct sim_param_groups *out)
{
	struct machine_memories *all = memories_at(c);

	for (uint32_t i = 0; i < all->count; i++)
		memory_groups(&all->items[i], out);
	if (all->count)
		sim_param_groups_add(out, "host", &all->host_row, 1, &all->host);
}

static const struct machine_memory *find(const struct machine_memories *all, const char *name)
{
	for (uint32_t i = 0; i < all->count; i++)
		if (!strcmp(all->items[i].name, name))
			return &all->items[i];
	return NULL;
}

const struct machine_memory *machine_memory_find(const struct machine_config *c, const char *name,
						 struct base_place at, struct base_diag_list *diag)
{
	const struct machine_memories *all = machine_memories_of(c);
	const struct machine_memory *found = find(all, name);
	const char *names[MACHINE_MEMORIES_MAX], *nearest;
	g_autoptr(GString) list = g_string_new(NULL);

	if (found)
		return found;
	for (uint32_t i = 0; i < all->count; i++) {
		names[i] = all->items[i].name;
		g_string_append_printf(list, "%s%s", i ? ", " : "", names[i]);
	}
	nearest = base_nearest_name(name, names, (uint32_t)all->count);
	if (nearest)
		base_diag_error(diag, at, "no memory '%s' in the machine; did you mean '%s'?", name, nearest);
	else if (all->count)
		base_diag_error(diag, at, "no memory '%s' in the machine; there are %s", name, list->str);
	else
		base_diag_error(diag, at, "no memory '%s': the machine has no `memories:`", name);
	return NULL;
}

/* Small letters, digits, '_' and '-', a letter first; and no group has the name. */
static bool is_name(struct machine_config *c, const char *name, struct base_place at, struct base_diag_list *diag)
{
	struct sim_param_groups all;
	bool is_right = islower((unsigned char)name[0]) && strlen(name) < MACHINE_MEMORY_NAME_BYTES;

	for (const char *s = name; *s; s++)
		is_right = is_right && (islower((unsigned char)*s) || isdigit((unsigned char)*s) || strchr("_-", *s));
	if (!is_right) {
		base_diag_error(diag, at,
				"'%s' is no name for a memory: small letters, digits, '_' and '-', at most %d", name,
				MACHINE_MEMORY_NAME_BYTES - 1);
		return false;
	}
	machine_config_groups(c, &all);
	for (uint32_t i = 0; i < all.count; i++) {
		if (strcmp(all.items[i].prefix, name))
			continue;
		base_diag_error(diag, at, "'%s' is a group of parameters: give the memory another name", name);
		return false;
	}
	return true;
}

static struct machine_memory *memory_add(struct machine_memories *all, const char *name)
{
	struct machine_memory *m = &all->items[all->count++];
	struct sim_param_groups own = {.count = 0};

	g_strlcpy(m->name, name, sizeof(m->name));
	m->energy = standard_rows()->energy;
	memory_groups(m, &own);
	for (uint32_t i = 0; i < own.count; i++)
		sim_param_defaults(&own.items[i]);
	name_choices(all);
	return m;
}

void machine_memory_any(struct machine_config *c)
{
	memory_add(memories_at(c), any_name);
}

struct machine_memory *machine_memory_need(struct machine_config *c, const char *name, struct base_place at,
					   struct base_diag_list *diag)
{
	struct machine_memories *all = memories_at(c);
	struct machine_memory *m = (struct machine_memory *)(uintptr_t)find(all, name);

	if (m)
		return m;
	if (!is_name(c, name, at, diag))
		return NULL;
	if (all->count == MACHINE_MEMORIES_MAX) {
		base_diag_error(diag, at, "memory '%s': a machine has at most %d by name", name, MACHINE_MEMORIES_MAX);
		return NULL;
	}
	return memory_add(all, name);
}

void machine_memory_be(struct machine_memory *to, const struct memory_standard *standard)
{
	to->memory = standard->memory;
	to->dram = standard->dram;
	to->link = standard->link;
	to->energy = standard->energy;
}

/* Messages say which memory. */
static void check(const struct machine_config *c, struct base_diag_list *diag)
{
	const struct machine_memories *all = machine_memories_of(c);

	for (uint32_t i = 0; i < all->count; i++) {
		const struct machine_memory *m = &all->items[i];
		g_autofree char *about = g_strdup_printf("memory '%s'", m->name);
		g_autofree char *prefix = g_strconcat(m->name, ".", NULL);

		diag->about = about;
		diag->key_prefix = prefix;
		mem_memory_check(&m->memory, &m->dram, diag);
		mem_expander_check(&m->link, diag);
		diag->about = diag->key_prefix = NULL;
	}
}

/* ---- in operation ---- */

static void done(void *ctx, struct mem_req *r)
{
	const struct slot *s = ctx;

	s->user.done(s->user.self, r);
}

static void room(void *ctx, uint32_t stack, uint32_t vault)
{
	const struct slot *s = ctx;

	(void)stack;
	(void)vault;
	s->user.room(s->user.self);
}

static struct mem_memory_config config_of(const struct machine_memory *m, struct slot *slot)
{
	return (struct mem_memory_config){.memory = &m->memory,
					  .dram = &m->dram,
					  .link = &m->link,
					  .clock = g_intern_string(m->name),
					  .stats_prefix = name_in(m->name, "memory"),
					  .vault_prefix = name_in(m->name, "vault"),
					  .up_prefix = name_in(m->name, "link_up"),
					  .down_prefix = name_in(m->name, "link_down"),
					  .done = done,
					  .room = room,
					  .ctx = slot};
}

static void stats_of(const struct machine_config *c, struct sim_stat_tables *out)
{
	static const struct machine_memory any = {.name = "MEMORY"};
	const struct machine_memories *all = c ? machine_memories_of(c) : NULL;

	for (uint32_t i = 0; i < (all ? all->count : 1); i++) {
		struct mem_memory_config config = config_of(all ? &all->items[i] : &any, NULL);

		config.link = all ? config.link : NULL;
		mem_memory_stat_tables(&config, out);
	}
}

static bool clocks(const struct machine_config *c, struct sim_engine *e)
{
	const struct machine_memories *all = machine_memories_of(c);
	struct sim_ctx ctx = {.engine = e};

	for (uint32_t i = 0; i < all->count; i++) {
		const struct mem_memory_config config = config_of(&all->items[i], NULL);

		if (!mem_memory_clock_add(&ctx, &config))
			return false;
	}
	return true;
}

static void add_laws(struct sim_stats *stats, const char *name)
{
	g_autofree char *answered = g_strdup_printf("%s.memory.requests = %s.memory.answers", name, name);
	g_autofree char *served =
	    g_strdup_printf("%s.memory.requests = %s.vault.reads + %s.vault.writes", name, name, name);

	sim_stats_law(stats, g_intern_string(answered));
	sim_stats_law(stats, g_intern_string(served));
}

static struct mem_command_log *log_new(const struct machine *m, const struct machine_memory_watch *watch)
{
	const struct machine_memories *all = machine_memories_of(m->config);

	if (!watch->log_ps)
		return NULL;

	const uint32_t domain = sim_domain_find(m->ctx.engine, all->items[0].name);
	const uint64_t clock_ps = sim_ps_of_units(m->ctx.engine, sim_period_units(m->ctx.engine, domain));

	return mem_command_log_new(watch->log_from_ps, watch->log_ps, clock_ps, MEM_COMMANDS_MAX);
}

static void *build(struct machine *m)
{
	const struct machine_memories *all = machine_memories_of(m->config);
	struct built *b = g_new0(struct built, 1);
	struct machine_memory_watch watch = {0};

	machine_config_watch(m->config, &watch);
	if (watch.has_stamps)
		mem_req_pool_stamp(m->ctx.pool);
	b->count = (uint32_t)all->count;
	b->log = log_new(m, &watch);
	for (uint32_t i = 0; i < b->count; i++) {
		struct mem_memory_config config = config_of(&all->items[i], &b->slots[i]);

		config.stamps = watch.has_stamps;
		config.log = i ? NULL : b->log;
		b->slots[i].memory = mem_memory_new(&m->ctx, &config);
		add_laws(m->ctx.stats, all->items[i].name);
	}
	return b;
}

static void unbuild(void *built)
{
	struct built *b = built;

	for (uint32_t i = 0; i < b->count; i++)
		mem_memory_free(b->slots[i].memory);
	mem_command_log_free(b->log);
	g_free(b);
}

struct mem_memory *machine_memory_built(const struct machine *m, uint32_t index)
{
	const struct built *b = machine_built(m, &machine_memories_part);

	CHECK(index < b->count);
	return b->slots[index].memory;
}

const struct mem_command_log *machine_memory_log(const struct machine *m)
{
	const struct built *b = machine_built(m, &machine_memories_part);

	return b->log;
}

void machine_memory_connect(const struct machine *m, uint32_t index, const struct machine_memory_user *user)
{
	struct built *b = machine_built(m, &machine_memories_part);

	CHECK(index < b->count && !b->slots[index].user.done);
	b->slots[index].user = *user;
}

static void energy(const struct machine_config *c, struct energy_list *out)
{
	const struct machine_memories *all = machine_memories_of(c);

	for (uint32_t i = 0; i < all->count; i++) {
		const struct machine_memory *m = &all->items[i];

		memory_energy_add(out, g_intern_string(m->name), &m->memory, &m->dram, &m->link, &m->energy);
	}
}

const struct machine_part machine_memories_part = {.name = "memories",
						   .config_bytes = sizeof(struct machine_memories),
						   .groups = groups,
						   .stats = stats_of,
						   .check = check,
						   .clocks = clocks,
						   .build = build,
						   .free = unbuild,
						   .energy = energy};
