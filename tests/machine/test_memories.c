/* A machine without a GPU and with memories by name: each is built, driven, counted, audited and charged by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/check.h"
#include "machine/description.h"
#include "machine/memories.h"
#include "machine/parts.h"
#include "net/req.h"

enum { COUNT = 3000, LINE_BYTES = 64 };

static const char *const machine_dirs[] = {"good"}, *const standard_dirs[] = {"standards"};
static const struct sim_search machines = {machine_dirs, 1}, standards = {standard_dirs, 1};

struct user {
	struct machine *machine;
	struct mem_memory *memory;
	uint64_t sent, answered, last_ps;
};

static void feed(struct user *u)
{
	while (u->sent < COUNT) {
		struct mem_req *r = mem_req_get(u->machine->ctx.pool);

		*r = (struct mem_req){.addr_bytes = u->sent * 7 % COUNT * LINE_BYTES, .size_bytes = LINE_BYTES};
		mem_req_set_access(r, u->sent % 3 ? MEM_READ : MEM_WRITE, MEM_KIND_DATA);
		if (!mem_memory_offer(u->memory, r)) {
			mem_req_put(u->machine->ctx.pool, r);
			return;
		}
		u->sent++;
	}
}

static void done(void *self, struct mem_req *r)
{
	struct user *u = self;

	u->answered++;
	u->last_ps = sim_now_ps(u->machine->ctx.engine);
	mem_req_put(u->machine->ctx.pool, r);
}

static void room(void *self)
{
	feed(self);
}

static struct machine *open_machine(struct machine_description *d)
{
	struct base_diag_list diag;
	struct machine *m;

	base_diag_init(&diag);
	assert_true(machine_description_load("server", &machines, &standards, d, &diag));
	m = machine_new(&d->config, true, &diag);
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

/* Drives the memories whose bits are set. Returns when the last of memory 0 was answered. */
static uint64_t drive(struct machine *m, uint32_t which)
{
	struct user users[MACHINE_MEMORIES_MAX] = {0};

	for (uint32_t i = 0; i < 3; i++) {
		const struct machine_memory_user user = {done, room, &users[i]};

		users[i].machine = m;
		users[i].memory = machine_memory_built(m, i);
		machine_memory_connect(m, i, &user);
		if (which & 1u << i)
			feed(&users[i]);
	}
	sim_run(m->ctx.engine);
	for (uint32_t i = 0; i < 3; i++) {
		mem_memory_settle(users[i].memory, false);
		assert_int_equal(users[i].answered, which & 1u << i ? COUNT : 0);
	}
	return users[0].last_ps;
}

static void test_each_counts_its_own(void **state)
{
	struct machine_description d;
	struct machine *m = open_machine(&d);
	static const char *const names[] = {"far", "ddr", "own"};

	(void)state;
	assert_true(m->device.ops == NULL);
	drive(m, 7);
	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++) {
		char key[64];

		assert_string_equal(machine_memories_of(&d.config)->items[i].name, names[i]);
		snprintf(key, sizeof(key), "%s.memory.answers", names[i]);
		assert_int_equal(stat(m, key), COUNT);
		snprintf(key, sizeof(key), "%s.vault.writes", names[i]);
		assert_int_equal(stat(m, key), COUNT / 3);
	}
	assert_int_equal(stat(m, "far.link_up.packets"), COUNT);
	assert_int_equal(stat(m, "far.link_down.packets"), COUNT);
	assert_false(sim_stats_value(m->ctx.stats, "ddr.link_up.packets", &(uint64_t){0}));
	assert_null(sim_stats_broken_law(m->ctx.stats));
	machine_free(m);
}

/* A memory takes its time whatever the others do; a request that is under way breaks its own law. */
static void test_memories_are_independent(void **state)
{
	struct machine_description d;
	struct machine *m = open_machine(&d);
	struct mem_req *r = mem_req_get(m->ctx.pool);
	const uint64_t alone_ps = drive(m, 1);

	(void)state;
	*r = (struct mem_req){.size_bytes = LINE_BYTES};
	mem_req_set_access(r, MEM_READ, MEM_KIND_DATA);
	assert_null(sim_stats_broken_law(m->ctx.stats));
	assert_true(mem_memory_offer(machine_memory_built(m, 1), r));
	assert_string_equal(sim_stats_broken_law(m->ctx.stats), "ddr.memory.requests = ddr.memory.answers");
	mem_memory_reset(machine_memory_built(m, 1));
	mem_req_put(m->ctx.pool, r);
	machine_free(m);

	m = open_machine(&d);
	assert_int_equal(drive(m, 7), alone_ps);
	machine_free(m);
}

static double component(const struct energy_report *report, const char *of, const char *name)
{
	for (uint32_t i = 0; i < report->component_count; i++)
		if (!strcmp(report->components[i].of, of) && !strcmp(report->components[i].name, name))
			return report->components[i].pj;
	fail_msg("no component %s.%s", of, name);
	return 0;
}

/* ddr's standard says 77 mW a stack, its own line 5; of the three only ddr has worked. */
static void test_energy(void **state)
{
	struct machine_description d;
	struct machine *m = open_machine(&d);
	struct energy_list list = {.count = 0};
	struct energy_report report;

	(void)state;
	drive(m, 2);
	machine_memories_part.energy(&d.config, &list);
	energy_account(&list, m->ctx.stats, 1000000, &report);
	assert_true(component(&report, "ddr", "dram_static") == 6 * 5 * 1e3); /* 6 channels, 1 us */
	assert_true(component(&report, "far", "dram_static") == 3 * 77 * 1e3);
	assert_true(component(&report, "ddr", "dram_row_buffer") > 0);
	assert_true(component(&report, "far", "dram_row_buffer") == 0);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_counts_its_own),
		cmocka_unit_test(test_memories_are_independent),
		cmocka_unit_test(test_energy),
	};

	if (chdir(TEST_DIR))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
