/* Claims by software: who had a copy before one never reads an old one after it, whatever the NDP-AP knew. */
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
	const uint64_t forwards = channel_system_stats(r->near)->forwards;

	access_alone(r, NDP, address, CPU_READ);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_part_of_region),
	    cmocka_unit_test(test_claim_behind_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
