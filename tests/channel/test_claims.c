/* What software says: who had a copy before a claim never reads an old one after it, whatever the NDP-AP knew; pages
 * that are gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "rig.h"

/* Pages go round both channels. */
enum { PAGE_BYTES = 4096, FIRST = 0, SECOND = 2 * PAGE_BYTES, CPU = 0, NDP = 4 };

static void settle(struct rig *r)
{
	sim_run(r->ctx.engine);
	for (uint32_t i = 0; i < r->units; i++)
		r->ready_ps[i] = sim_now_ps(r->ctx.engine) + 1;
	sim_run_until(r->ctx.engine, r->ready_ps[0] * sim_units_per_ps(r->ctx.engine));
}

/* Alone, to its end. */
static void access_alone(struct rig *r, uint32_t unit, uint64_t address, enum cpu_op op)
{
	settle(r);
	rig_access(r, unit, address, 8, op);
	settle(r);
}

static void claim(struct rig *r, uint64_t begin, uint64_t end, enum channel_owner owner)
{
	channel_claim(r->near, r->ready_ps[CPU], begin, end, owner);
}

/* Two pages of a region, and the one between them, on the other channel. */
static void open_pages(struct rig *r)
{
	rig_defaults(r);
	rig_open(r, true);
	for (uint64_t page = FIRST; page <= SECOND; page += PAGE_BYTES)
		access_alone(r, CPU, page, CPU_READ);
	assert_int_equal(cpu_channel_of(r->cpu, FIRST), 0);
	assert_int_equal(cpu_channel_of(r->cpu, SECOND), 0);
	access_alone(r, CPU, FIRST, CPU_READ);
}

/* Processor and NDP have the line; the processor's write reaches the NDP's copy. */
static void write_and_read(struct rig *r, uint64_t address)
{
	uint64_t forwards;

	access_alone(r, NDP, address, CPU_READ);
	forwards = channel_system_stats(r->near)->forwards;
	access_alone(r, CPU, address, CPU_READ);
	access_alone(r, NDP, address, CPU_READ);
	access_alone(r, CPU, address, CPU_WRITE);
	assert_int_equal(channel_system_stats(r->near)->forwards, forwards + 1);
	access_alone(r, NDP, address, CPU_READ);
	assert_int_equal(r->wrong, 0);
}

static void test_part_of_region(void **state)
{
	static const enum channel_owner owners[] = {CHANNEL_OWNER_SHARED, CHANNEL_OWNER_NDP};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(owners); i++) {
		struct rig r;

		open_pages(&r);
		claim(&r, FIRST, PAGE_BYTES, owners[i]);
		write_and_read(&r, FIRST);
		rig_close(&r);
	}
}

/* The region's return to the summary is on its way to the NDP-AP when a part of it is claimed. */
static void test_claim_behind_summary(void **state)
{
	struct rig r;

	(void)state;
	open_pages(&r);
	access_alone(&r, NDP, FIRST, CPU_READ);
	claim(&r, FIRST, SECOND + PAGE_BYTES, CHANNEL_OWNER_CPU);
	assert_int_equal(channel_system_stats(r.near)->summary_returns, 1);
	claim(&r, FIRST, PAGE_BYTES, CHANNEL_OWNER_SHARED);
	write_and_read(&r, FIRST);
	rig_close(&r);
}

/* Until the NDP-AP has begun so many claims of lines. */
static void run_to_claim(struct rig *r, uint64_t count)
{
	while (cpu_system_stats(r->cpu)->claims < count)
		sim_run_until(r->ctx.engine, sim_next_units(r->ctx.engine));
	r->ready_ps[CPU] = sim_now_ps(r->ctx.engine) + 1;
}

/* A claim of the rest of the region while an NDP gets a line of it. */
static void test_line_in_transit(void **state)
{
	struct rig r;

	(void)state;
	open_pages(&r);
	access_alone(&r, NDP, SECOND, CPU_READ);
	settle(&r);
	rig_access(&r, NDP, FIRST, 8, CPU_READ);
	run_to_claim(&r, 2);
	claim(&r, FIRST, SECOND + PAGE_BYTES, CHANNEL_OWNER_CPU);
	assert_int_equal(channel_system_stats(r.near)->summary_returns, 0);
	write_and_read(&r, FIRST);
	rig_close(&r);
}

/* Hardware counts a region's lines: a processor takes the last one back while an NDP gets another one, in any order. */
static void test_counted_in_transit(void **state)
{
	uint64_t returns = 0;

	(void)state;
	for (uint64_t after_ps = 0; after_ps < 200000; after_ps += 1000) {
		struct rig r;

		rig_defaults(&r);
		r.params.summary_by_hardware = true;
		rig_open(&r, true);
		access_alone(&r, NDP, RIG_LINE_BYTES, CPU_READ);
		access_alone(&r, CPU, RIG_LINE_BYTES, CPU_READ);
		access_alone(&r, CPU, FIRST, CPU_READ);
		settle(&r);
		rig_access(&r, NDP, FIRST, 8, CPU_READ);
		r.ready_ps[CPU] += after_ps;
		sim_run_until(r.ctx.engine, r.ready_ps[CPU] * sim_units_per_ps(r.ctx.engine));
		rig_access(&r, CPU, RIG_LINE_BYTES, 8, CPU_WRITE);
		write_and_read(&r, FIRST);
		returns += channel_system_stats(r.near)->summary_returns;
		rig_close(&r);
	}
	assert_true(returns > 0);
}

/* A page that is mapped again is a new one for the core that used it last, and its translation. */
static void test_unmapped(void **state)
{
	struct rig r;
	const struct channel_stats *stats;

	(void)state;
	rig_defaults(&r);
	r.params.tlb_count = 4;
	rig_open(&r, true);
	stats = channel_system_stats(r.near);
	access_alone(&r, NDP, FIRST, CPU_READ);
	assert_int_equal(stats->page_faults, 1);
	assert_int_equal(stats->tlb_misses, 1);
	for (uint32_t i = 2; i < 4; i++) {
		cpu_unmap(r.cpu, FIRST, PAGE_BYTES);
		channel_forget_pages(r.near);
		access_alone(&r, NDP, FIRST + i * RIG_LINE_BYTES, CPU_READ);
		assert_int_equal(stats->page_faults, i);
		assert_int_equal(stats->tlb_misses, i);
		access_alone(&r, NDP, FIRST + i * RIG_LINE_BYTES + 32, CPU_READ);
		assert_int_equal(stats->tlb_misses, i);
	}
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_part_of_region),
	    cmocka_unit_test(test_claim_behind_summary),
	    cmocka_unit_test(test_line_in_transit),
	    cmocka_unit_test(test_counted_in_transit),
	    cmocka_unit_test(test_unmapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
