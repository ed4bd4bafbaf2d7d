/* test_account.c - each part of an access' time has the length that the model gives it: one parameter is raised, and
 * its own part grows, by so much, and no other. And of random accesses every picosecond is somewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "base/check.h"
#include "cpu/account.h"
#include "rig.h"

enum { NS = 1000, PAGE_BYTES = 4096, GROWN_MAX = 2, RANDOM_ACCESSES = 60000 };

/* Every clock has 1 GHz, so that nothing is rounded. */
static void open_plain(struct rig *r)
{
	rig_defaults(r);
	r->is_accounted = true;
	r->cpu_params.clock_khz = r->cpu_params.bus_khz = 1000000;
	r->params.clock_khz = 1000000;
	r->dram.t_ck_ps = NS;
	r->dram.data_rate_mbps = 2000;
	r->dram.refresh = false;
	r->cpu_params.channel_latency_ps = 8 * NS;
	r->cpu_params.page_fault_ps = 100 * NS;
	r->params.summary_percent = 0;
	r->params.overlapped_read = false;
}

/* Who has the page's line before, and who reads it then. */
enum before { BY_NOBODY, BY_ITSELF, BY_PROCESSOR, BY_NDP };

struct read {
	enum { CPU, LOCAL, REMOTE } who;
	enum before before;
};

static void parts_of(struct rig *r, const struct read *read, uint64_t *parts)
{
	const uint32_t ndp = r->cpu_units, far = r->cpu_units + (uint32_t)r->params.core_count;
	const uint32_t unit = read->who == CPU ? 0 : read->who == LOCAL ? ndp : far;
	const uint32_t owners[] = {
	    [BY_NOBODY] = ndp + 1, [BY_ITSELF] = unit, [BY_PROCESSOR] = 1, [BY_NDP] = ndp + 2};
	const struct cpu_account *a = cpu_system_account_of(r->cpu);
	uint64_t before[CPU_PART_COUNT];

	/* The page is behind the first channel, and its directory's entry in the cache. */
	rig_access(r, ndp + 1, PAGE_BYTES + 16 * RIG_LINE_BYTES, 8, CPU_READ);
	sim_run(r->ctx.engine);
	if (read->before != BY_NOBODY)
		rig_access(r, owners[read->before], PAGE_BYTES, 8, read->before == BY_NDP ? CPU_WRITE : CPU_READ);
	sim_run(r->ctx.engine);
	for (uint32_t i = 0; i < CPU_PART_COUNT; i++)
		before[i] = cpu_account_ps(a, unit, (enum cpu_part)i);
	r->ready_ps[unit] = sim_now_units(r->ctx.engine) / sim_units_per_ps(r->ctx.engine) + 100 * NS;
	r->ready_ps[unit] -= r->ready_ps[unit] % NS;
	sim_run_until(r->ctx.engine, r->ready_ps[unit] * sim_units_per_ps(r->ctx.engine));
	cpu_account_until(cpu_system_account_of(r->cpu), unit, CPU_PART_NONE,
			  r->ready_ps[unit] * sim_units_per_ps(r->ctx.engine));
	before[CPU_PART_NONE] = cpu_account_ps(a, unit, CPU_PART_NONE);
	rig_access(r, unit, PAGE_BYTES, 8, CPU_READ);
	sim_run(r->ctx.engine);
	for (uint32_t i = 0; i < CPU_PART_COUNT; i++)
		parts[i] = cpu_account_ps(a, unit, (enum cpu_part)i) - before[i];
}

static const struct row {
	const char *name;
	struct read read;
	enum { OF_CPU, OF_CHANNEL, OF_DRAM } group;
	size_t field;
	uint64_t more;
	struct {
		enum cpu_part part;
		uint64_t more_ps;
	} grown[GROWN_MAX];
} rows[] = {
#define C(field) OF_CPU, offsetof(struct cpu_params, field)
#define N(field) OF_CHANNEL, offsetof(struct channel_params, field)
#define D(field) OF_DRAM, offsetof(struct dram_params, field)
    {"l1", {CPU, BY_ITSELF}, C(l1_cycles), 5, {{CPU_PART_L1, 5 * NS}}},
    {"l2", {CPU, BY_NOBODY}, C(l2_cycles), 5, {{CPU_PART_L2, 5 * NS}}},
    {"llc", {CPU, BY_PROCESSOR}, C(llc_latency_ps), 5 * NS, {{CPU_PART_LLC, 5 * NS}}},
    {"channel", {CPU, BY_NOBODY}, C(channel_latency_ps), 5 * NS, {{CPU_PART_DOWN, 5 * NS}, {CPU_PART_UP, 5 * NS}}},
    {"directory", {CPU, BY_NOBODY}, N(directory_ps), 5 * NS, {{CPU_PART_DIRECTORY, 5 * NS}}},
    {"bank", {CPU, BY_NOBODY}, D(t_cl), 5, {{CPU_PART_BANK, 5 * NS}}},
    {"data", {CPU, BY_NOBODY}, D(tsv_latency_ps), 5 * NS, {{CPU_PART_DATA, 5 * NS}}},
    {"probe", {CPU, BY_NDP}, N(core_link_ps), 5 * NS, {{CPU_PART_PROBE, 10 * NS}}},
    {"link", {LOCAL, BY_NOBODY}, N(core_link_ps), 5 * NS, {{CPU_PART_LINK, 10 * NS}}},
    {"erat", {LOCAL, BY_NOBODY}, N(erat_ps), 5 * NS, {{CPU_PART_LINK, 5 * NS}}},
    {"near directory", {LOCAL, BY_NOBODY}, N(directory_ps), 5 * NS, {{CPU_PART_DIRECTORY, 5 * NS}}},
    {"claim", {LOCAL, BY_NOBODY}, N(point_ps), 5 * NS, {{CPU_PART_CLAIM, 5 * NS}}},
    {"near data", {LOCAL, BY_NOBODY}, D(tsv_latency_ps), 5 * NS, {{CPU_PART_DATA, 5 * NS}}},
    {"remote", {REMOTE, BY_NOBODY}, N(message_ps), 5 * NS, {{CPU_PART_UP, 5 * NS}, {CPU_PART_DOWN, 5 * NS}}},
    {"point", {REMOTE, BY_NOBODY}, N(point_bus_ps), 5 * NS, {{CPU_PART_POINT, 5 * NS}}},
};

static void run(const struct row *row, bool is_more, uint64_t *parts)
{
	struct rig r;
	uint8_t *groups[] = {(uint8_t *)&r.cpu_params, (uint8_t *)&r.params, (uint8_t *)&r.dram};

	open_plain(&r);
	*(uint64_t *)(void *)(groups[row->group] + row->field) += is_more ? row->more : 0;
	rig_open(&r, false);
	parts_of(&r, &row->read, parts);
	rig_close(&r);
}

static void parts_have_their_length(void **state)
{
	(void)state;
	for (const struct row *row = rows; row < rows + ARRAY_COUNT(rows); row++) {
		uint64_t low[CPU_PART_COUNT], high[CPU_PART_COUNT], more[CPU_PART_COUNT] = {0};

		for (uint32_t i = 0; i < GROWN_MAX; i++)
			if (row->grown[i].more_ps)
				more[row->grown[i].part] = row->grown[i].more_ps;
		run(row, false, low);
		run(row, true, high);
		for (uint32_t i = 0; i < CPU_PART_COUNT; i++)
			if (high[i] != low[i] + more[i])
				fail_msg("%s: %s goes from %llu to %llu ps, expected %llu more", row->name,
					 cpu_account_parts.rows[i].name, (unsigned long long)low[i],
					 (unsigned long long)high[i], (unsigned long long)more[i]);
	}
}

/* Each access is settled: a wait that nobody charged would be found there. */
static void all_is_somewhere_of(bool is_peer)
{
	struct rig r;

	open_plain(&r);
	if (is_peer) {
		r.params.attachment = CHANNEL_ATTACHMENT_PEER;
		r.params.point_count = r.params.ndp_count;
		r.cpu_params.smp_hop_count = 1;
	}
	rig_open(&r, false);
	for (uint32_t i = 0; i < RANDOM_ACCESSES; i++) {
		const uint32_t unit = rig_next(&r);
		static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_WRITE, CPU_ATOMIC, CPU_PREFETCH};

		/* Some places of two kinds of units, and nowhere. */
		cpu_account_at(cpu_system_account_of(r.cpu), unit, (const void *)(uintptr_t)rig_random(&r, 9));
		if (rig_random(&r, 50) == 0)
			rig_fence(&r, unit);
		else
			rig_access(&r, unit, rig_random(&r, 16 * PAGE_BYTES), 1 + (uint32_t)rig_random(&r, 64),
				   ops[rig_random(&r, ARRAY_COUNT(ops))]);
	}
	cpu_account_check(cpu_system_account_of(r.cpu));
	assert_int_equal(cpu_account_place_count(cpu_system_account_of(r.cpu)), 2 * 9);
	rig_close(&r);
}

static void all_is_somewhere(void **state)
{
	(void)state;
	all_is_somewhere_of(false);
	all_is_somewhere_of(true);
}

/* A charge is of the place where the unit was, and so is what is taken back. */
static void places(void **state)
{
	static const char here, there;
	struct cpu_account *a = cpu_account_new(2, 1, 1, 10);

	(void)state;
	cpu_account_at(a, 0, &here);
	cpu_account_until(a, 0, CPU_PART_COMPUTE, 100);
	cpu_account_at(a, 0, &there);
	cpu_account_until(a, 0, CPU_PART_L1, 150);
	cpu_account_at(a, 1, &here);
	cpu_account_until(a, 1, CPU_PART_COMPUTE, 30);
	cpu_account_at(a, 0, NULL);
	cpu_account_until(a, 0, CPU_PART_NONE, 170);
	cpu_account_back(a, 0, 90);
	cpu_account_check(a);
	assert_int_equal(cpu_account_place_count(a), 5);
	assert_int_equal(cpu_account_place(a, 0)->parts[CPU_PART_NONE], 0);
	assert_ptr_equal(cpu_account_place(a, 2)->address, &here);
	assert_int_equal(cpu_account_place(a, 2)->parts[CPU_PART_COMPUTE], 90);
	assert_int_equal(cpu_account_place(a, 3)->parts[CPU_PART_L1], 0);
	assert_true(cpu_account_place(a, 4)->is_near);
	assert_int_equal(cpu_account_place(a, 4)->parts[CPU_PART_COMPUTE], 30);
	cpu_account_free(a);
}

/* Of an access, what has been charged to a channel since before. */
static uint64_t of_channel(const struct rig *r, uint32_t channel, bool is_near)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < CPU_PART_COUNT; i++)
		sum += cpu_account_channel_ps(cpu_system_account_of(r->cpu), channel, is_near, (enum cpu_part)i);
	return sum;
}

static uint64_t up_of(const struct rig *r, uint32_t unit)
{
	return cpu_account_ps(cpu_system_account_of(r->cpu), unit, CPU_PART_UP);
}

/* Waits are of the channel behind which the line is, of who waits: a processor, and an NDP of another channel. */
static void lines_have_their_channel(void **state)
{
	struct rig r;
	uint32_t ndp, far;
	const struct cpu_account *a;

	(void)state;
	open_plain(&r);
	rig_open(&r, false);
	ndp = r.cpu_units;
	far = r.cpu_units + (uint32_t)r.params.core_count;
	a = cpu_system_account_of(r.cpu);
	rig_access(&r, far, 5 * PAGE_BYTES, 8, CPU_READ);
	rig_access(&r, ndp, 4 * PAGE_BYTES, 8, CPU_READ);
	sim_run(r.ctx.engine);
	assert_int_equal(of_channel(&r, 0, false) + of_channel(&r, 1, false), 0);

	const uint64_t near_before = of_channel(&r, 1, true), far_before = of_channel(&r, 0, true);

	rig_access(&r, 0, 5 * PAGE_BYTES, 8, CPU_READ);
	sim_run(r.ctx.engine);
	assert_int_equal(of_channel(&r, 0, false), 0);
	assert_true(up_of(&r, 0) > 0);
	assert_int_equal(cpu_account_channel_ps(a, 1, false, CPU_PART_UP), up_of(&r, 0));
	rig_access(&r, far, 4 * PAGE_BYTES + RIG_LINE_BYTES, 8, CPU_READ);
	sim_run(r.ctx.engine);
	assert_int_equal(of_channel(&r, 1, true), near_before);
	assert_true(of_channel(&r, 0, true) > far_before);
	assert_true(up_of(&r, far) > 0);
	assert_int_equal(cpu_account_channel_ps(a, 0, true, CPU_PART_UP), up_of(&r, far));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_have_their_length),
					   cmocka_unit_test(all_is_somewhere),
					   cmocka_unit_test(lines_have_their_channel),
					   cmocka_unit_test(places)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
