/* A machine of parts without a GPU: a source of reads, a channel, and two memories, each under its own name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "base/check.h"
#include "machine/machine.h"
#include "mem/map.h"
#include "mem/stack.h"
#include "mem/vault.h"
#include "net/channel.h"
#include "net/req.h"

enum { LINE_BYTES = 128, MEMORY_COUNT = 2 };

/* ---- memories: one kind of part, in the machine twice ---- */

struct memory {
	const struct machine *machine;
	struct dram_params dram;
	struct mem_map map;
	struct mem_stack *stack;
	struct mem_req *waiting; /* the channel's first, which the vault's queue has refused */
};

struct memory_config {
	struct dram_params dram;
};

static const struct machine_part near_part, far_part, source_part;
static const struct machine_part *const memory_parts[MEMORY_COUNT] = {&near_part, &far_part};
static const struct machine_part *const parts[] = {&near_part, &far_part, &source_part, NULL};

static void memory_groups(struct machine_config *c, const struct machine_part *part, struct sim_param_groups *out)
{
	struct memory_config *m = machine_config_at(c, part);

	sim_param_groups_add(out, part->name, dram_param_rows, dram_param_row_count, &m->dram);
}

static void memory_check(const struct machine_config *c, const struct machine_part *part, struct base_diag_list *diag)
{
	const struct memory_config *m = machine_config_of(c, part);

	dram_params_check(&m->dram, diag);
}

static bool memory_clocks(const struct machine_config *c, const struct machine_part *part, struct sim_engine *e)
{
	const struct memory_config *m = machine_config_of(c, part);
	uint32_t domain;

	return sim_domain_add(e, part->name, sim_period_of_ps(m->dram.t_ck_ps), &domain);
}

static void served(void *ctx, struct mem_req *r);
static void has_room(void *ctx, uint32_t vault);

static void *memory_build(struct machine *m, const struct machine_part *part)
{
	const struct memory_config *config = machine_config_of(m->config, part);
	struct memory *memory = g_new0(struct memory, 1);
	const struct mem_stack_config stack = {
	    .dram = &config->dram,
	    .engine = m->ctx.engine,
	    .dram_domain = sim_domain_find(m->ctx.engine, part->name),
	    .done = served,
	    .room = has_room,
	    .ctx = memory,
	    .stats = m->ctx.stats,
	    .stats_prefix = part->name,
	    .audit = m->ctx.audit,
	};

	memory->machine = m;
	mem_map_baseline(&memory->map, 1, (uint32_t)config->dram.vault_count, (uint32_t)config->dram.bank_count,
			 (uint32_t)config->dram.row_bytes, LINE_BYTES);
	memory->stack = mem_stack_new(&stack);
	return memory;
}

static void memory_stats(const struct machine_part *part, struct sim_stat_tables *out)
{
	sim_stat_tables_add_rows(out, part->name, vault_stat_rows, vault_stat_row_count);
}

static void memory_free(void *built)
{
	struct memory *memory = built;

	mem_stack_free(memory->stack);
	g_free(memory);
}

#define MEMORY_PART(symbol)                                                                       \
	static void symbol##_groups(struct machine_config *c, struct sim_param_groups *out)       \
	{                                                                                         \
		memory_groups(c, &symbol##_part, out);                                            \
	}                                                                                         \
	static void symbol##_check(const struct machine_config *c, struct base_diag_list *diag)   \
	{                                                                                         \
		memory_check(c, &symbol##_part, diag);                                            \
	}                                                                                         \
	static bool symbol##_clocks(const struct machine_config *c, struct sim_engine *e)         \
	{                                                                                         \
		return memory_clocks(c, &symbol##_part, e);                                       \
	}                                                                                         \
	static void *symbol##_build(struct machine *m)                                            \
	{                                                                                         \
		return memory_build(m, &symbol##_part);                                           \
	}                                                                                         \
	static void symbol##_stats(const struct machine_config *c, struct sim_stat_tables *out)   \
	{                                                                                         \
		(void)c;                                                                          \
		memory_stats(&symbol##_part, out);                                                \
	}                                                                                         \
	static const struct machine_part symbol##_part = {.name = #symbol,                        \
							  .config_bytes = sizeof(struct memory_config), \
							  .groups = symbol##_groups,              \
							  .check = symbol##_check,                \
							  .clocks = symbol##_clocks,              \
							  .stats = symbol##_stats,                \
							  .build = symbol##_build,                \
							  .free = memory_free}
MEMORY_PART(near);
MEMORY_PART(far);

/* ---- the source: reads that cross a channel to the memories in turn ---- */

struct source_params {
	uint64_t read_count, clock_khz;
	double read_pj, idle_mw;
};
static const struct sim_param_desc source_rows[] = {
#define ROW(name, kind, unit, dflt, max) \
	{#name, kind, unit, NULL, dflt, 0, max, "test", "", offsetof(struct source_params, name)}
    ROW(read_count, SIM_PARAM_U64, "count", 1000, 100000),
    ROW(clock_khz, SIM_PARAM_U64, "khz", 1000000, 2000000),
    ROW(read_pj, SIM_PARAM_F64, "pj", 3, 100),
    ROW(idle_mw, SIM_PARAM_F64, "mw", 2, 100),
};

struct source_stats {
	uint64_t reads, answers;
};
static const struct sim_stat_desc stat_rows[] = {
    {"reads", SIM_STAT_COUNT, "count", "reads sent", offsetof(struct source_stats, reads)},
    {"answers", SIM_STAT_COUNT, "count", "answers", offsetof(struct source_stats, answers)},
};
static const struct sim_stat_table stat_table = {"source", stat_rows, ARRAY_COUNT(stat_rows)};

struct source_counts {
	uint32_t count;
};
static const struct energy_share components[] = {{"reads", ENERGY_OF_MEMORY}, {"source_static", ENERGY_OF_CORES}};
static const struct energy_event events[] = {
    {"reads", offsetof(struct source_params, read_pj), ENERGY_EACH, 0, {{"source", "reads", false}}, false, 0}};
static const struct energy_power powers[] = {
    {"source_static", offsetof(struct source_params, idle_mw), offsetof(struct source_counts, count), false}};
static const struct energy_table table = {.components = components,
					  .component_count = ARRAY_COUNT(components),
					  .events = events,
					  .event_count = ARRAY_COUNT(events),
					  .powers = powers,
					  .power_count = ARRAY_COUNT(powers)};

struct source {
	struct machine *machine;
	const struct source_params *params;
	struct net_channel *channel;
	struct sim_comp comp, receiver;
	struct source_stats stats;
	uint64_t last_ps;
};

static void served(void *ctx, struct mem_req *r)
{
	struct memory *memory = ctx;
	struct source *s = machine_built(memory->machine, &source_part);

	s->stats.answers++;
	s->last_ps = sim_ps_of_units(s->machine->ctx.engine, r->ready_units);
	mem_req_put(s->machine->ctx.pool, r);
}

static void receive(void *component, uint64_t cycle)
{
	struct source *s = component;
	struct mem_req *r;

	(void)cycle;
	while ((r = net_channel_peek(s->channel))) {
		struct memory *memory = machine_built(s->machine, memory_parts[r->tag]);

		if (!mem_stack_can_accept(memory->stack, r->vault, MEM_READ))
			return;
		mem_stack_accept(memory->stack, net_channel_pop(s->channel));
	}
}

static void has_room(void *ctx, uint32_t vault)
{
	const struct memory *memory = ctx;
	struct source *s = machine_built(memory->machine, &source_part);

	(void)vault;
	sim_wake_units(s->machine->ctx.engine, s->receiver, sim_now_units(s->machine->ctx.engine));
}

static void send(void *component, uint64_t cycle)
{
	struct source *s = component;
	struct sim_engine *e = s->machine->ctx.engine;

	while (s->stats.reads < s->params->read_count && net_channel_ready(s->channel, &s->comp)) {
		const uint32_t which = (uint32_t)(s->stats.reads % MEMORY_COUNT);
		const struct memory *memory = machine_built(s->machine, memory_parts[which]);
		const uint64_t addr = s->stats.reads++ / MEMORY_COUNT * LINE_BYTES;
		const struct mem_place at = mem_map_place(&memory->map, addr);
		struct mem_req *r = mem_req_get(s->machine->ctx.pool);

		*r = (struct mem_req){.addr_bytes = addr, .size_bytes = LINE_BYTES, .tag = which, .row = at.row};
		r->vault = (uint8_t)at.vault;
		r->bank = (uint8_t)at.bank;
		r->column = (uint16_t)at.column_bytes;
		mem_req_set_access(r, MEM_READ, MEM_KIND_DATA);
		net_channel_send(s->channel, r, 16, sim_now_units(e));
	}
	(void)cycle;
}

static void source_groups(struct machine_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "source", source_rows, ARRAY_COUNT(source_rows), machine_config_at(c, &source_part));
}

static bool source_clocks(const struct machine_config *c, struct sim_engine *e)
{
	const struct source_params *p = machine_config_of(c, &source_part);
	uint32_t domain;

	return sim_domain_add(e, "source", sim_period_of_khz(p->clock_khz), &domain);
}

static void *source_build(struct machine *m)
{
	struct sim_engine *e = m->ctx.engine;
	const uint32_t domain = sim_domain_find(e, "source");
	struct source *s = g_new0(struct source, 1);
	const struct net_channel_config channel = {.engine = e,
						   .flit_units = sim_units_of_ps(e, 400),
						   .flit_bytes = 16,
						   .latency_units = sim_units_of_ps(e, 1000),
						   .depth_packets = 8,
						   .stats = m->ctx.stats,
						   .stats_prefix = "channel"};

	s->machine = m;
	s->params = machine_config_of(m->config, &source_part);
	s->channel = net_channel_new(&channel);
	s->comp = sim_engine_add(e, domain, "source", send, s);
	s->receiver = sim_engine_add(e, domain, "receiver", receive, s);
	net_channel_set_receiver(s->channel, s->receiver);
	sim_stats_add_table(m->ctx.stats, &stat_table, &s->stats, sizeof(s->stats));
	return s;
}

static void source_free(void *built)
{
	struct source *s = built;

	net_channel_free(s->channel);
	g_free(s);
}

static void source_stats(const struct machine_config *c, struct sim_stat_tables *out)
{
	(void)c;
	sim_stat_tables_add(out, &stat_table);
	sim_stat_tables_add_rows(out, "channel", net_channel_stat_rows, net_channel_stat_row_count);
}

static void source_energy(const struct machine_config *c, struct energy_list *out)
{
	const struct source_counts one = {1};

	energy_list_add(out, &table, machine_config_of(c, &source_part), &one, sizeof(one));
}

static const struct machine_part source_part = {.name = "source",
						.config_bytes = sizeof(struct source_params),
						.groups = source_groups,
						.clocks = source_clocks,
						.stats = source_stats,
						.build = source_build,
						.free = source_free,
						.energy = source_energy,
						.account = "the source"};

/* ---- tests ---- */

static void set(struct machine_config *c, const char *key, const char *value)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	if (!machine_config_set(c, key, value, (struct base_place){0}, &diag))
		fail_msg("%s", diag.first->text);
	base_diag_free(&diag);
}

static struct machine *built(const struct machine_config *c)
{
	struct base_diag_list diag;
	struct machine *m;

	base_diag_init(&diag);
	m = machine_new(c, true, &diag);
	if (!m)
		fail_msg("%s", diag.first->text);
	base_diag_free(&diag);
	return m;
}

static uint64_t stat(const struct machine *m, const char *key)
{
	uint64_t value = 0;

	if (!sim_stats_value(m->ctx.stats, key, &value))
		fail_msg("no statistic %s", key);
	return value;
}

static struct source *run(struct machine *m)
{
	struct source *s = machine_built(m, &source_part);

	sim_wake_cycle(m->ctx.engine, s->comp, 0);
	sim_run(m->ctx.engine);
	return s;
}

/* Each part's parameters under its name, each with its own values; the values are one, and can be copied. */
static void test_parameters(void **state)
{
	struct machine_config c, copy;
	struct sim_param_groups groups;
	const struct memory_config *near, *far;

	(void)state;
	machine_config_defaults(&c, parts);
	set(&c, "far.t_ck_ps", "2500");
	set(&c, "source.read_count", "10");
	copy = c;
	machine_config_groups(&copy, &groups);
	assert_int_equal(groups.count, 3);
	assert_string_equal(groups.items[0].prefix, "near");
	assert_string_equal(groups.items[1].prefix, "far");
	assert_string_equal(groups.items[2].prefix, "source");
	near = machine_config_of(&copy, &near_part);
	far = machine_config_of(&copy, &far_part);
	assert_int_equal(near->dram.t_ck_ps, 1250);
	assert_int_equal(far->dram.t_ck_ps, 2500);
	assert_int_equal(((const struct source_params *)machine_config_of(&copy, &source_part))->read_count, 10);
}

/* Both memories are reached, each at its own clock, and counted under its name; every run is the same. */
static void test_reads_are_answered(void **state)
{
	struct machine_config c;
	struct machine *m;
	struct source *s;
	uint64_t fast_ps, hash;

	(void)state;
	machine_config_defaults(&c, parts);
	m = built(&c);
	s = run(m);
	assert_int_equal(s->stats.answers, 1000);
	assert_int_equal(stat(m, "source.reads"), 1000);
	assert_int_equal(stat(m, "near.reads"), 500);
	assert_int_equal(stat(m, "far.reads"), 500);
	assert_int_equal(stat(m, "channel.packets"), 1000);
	assert_int_equal(mem_req_outstanding(m->ctx.pool), 0);
	fast_ps = s->last_ps;
	hash = sim_ctx_hash(&m->ctx);
	machine_free(m);

	m = built(&c);
	run(m);
	assert_int_equal(sim_ctx_hash(&m->ctx), hash);
	machine_free(m);

	set(&c, "far.t_ck_ps", "5000");
	set(&c, "far.data_rate_mbps", "400"); /* what bursts of that clock reach */
	m = built(&c);
	s = run(m);
	assert_int_equal(stat(m, "far.reads"), 500);
	assert_true(s->last_ps > fast_ps);
	machine_free(m);
}

static void test_energy(void **state)
{
	struct machine_config c;
	struct machine *m;
	struct energy_list list = {.count = 0};
	struct energy_report report;

	(void)state;
	machine_config_defaults(&c, parts);
	m = built(&c);
	run(m);
	source_part.energy(&c, &list);
	energy_account(&list, m->ctx.stats, 1000000, &report);
	assert_int_equal(report.component_count, 2);
	assert_string_equal(report.components[0].name, "reads");
	assert_true(report.components[0].pj == 1000 * 3.0);
	assert_true(report.components[1].pj == 2 * 1e3); /* 2 mW for 1 us */
	assert_true(report.total_pj == 5000);
	machine_free(m);
}

/* A machine has an account where one of its parts says so, whatever the part's name. */
static void test_account(void **state)
{
	struct machine_config c;

	(void)state;
	machine_config_defaults(&c, parts);
	assert_true(machine_config_has_account(&c));
	machine_config_drop(&c, &source_part);
	assert_false(machine_config_has_account(&c));
}

/* A part's own rule, and the clocks of two parts that do not go together. */
static void test_rules(void **state)
{
	static const char *const cases[][3] = {
	    {"far.row_bytes", "1000", "row_bytes"},
	    {"source.clock_khz", "1300003", "the clocks of 'source'"},
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct machine_config c;
		struct base_diag_list diag;

		machine_config_defaults(&c, parts);
		set(&c, cases[i][0], cases[i][1]);
		base_diag_init(&diag);
		assert_null(machine_new(&c, true, &diag));
		assert_int_equal(diag.error_count, 1);
		assert_non_null(strstr(diag.first->text, cases[i][2]));
		base_diag_free(&diag);
	}
}

/* A part's mistakes do not hide those of the next one. */
static void test_all_mistakes_are_told(void **state)
{
	struct machine_config c;
	struct base_diag_list diag;

	(void)state;
	machine_config_defaults(&c, parts);
	set(&c, "near.row_bytes", "1000");
	set(&c, "far.bank_count", "7");
	base_diag_init(&diag);
	assert_null(machine_new(&c, true, &diag));
	assert_int_equal(diag.error_count, 2);
	assert_non_null(strstr(diag.first->text, "row_bytes"));
	assert_non_null(strstr(diag.last->text, "bank_count"));
	base_diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_reads_are_answered),
		cmocka_unit_test(test_energy),
		cmocka_unit_test(test_account),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_all_mistakes_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
