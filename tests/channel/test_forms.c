/* Near-data processors against closed forms: 64 cores of an NDP that take 32 B at a time, by the parameters of the
 * thesis' table 4.1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "rig.h"

enum { ACCESS = 32, CORES = 64, EACH = 2000, WORK_PS = 10600 };
#define PART (((uint64_t)1 << 20) + RIG_LINE_BYTES) /* of a core; a line more, for the NDP-AP's sets */

static void near(const char *what, double value, double expected, double part)
{
	print_message("%s: %.2f, closed form %.2f\n", what, value, expected);
	if (value < expected * (1 - part) || value > expected * (1 + part))
		fail_msg("%s: %.3f, expected %.3f", what, value, expected);
}

/* Each of the NDP's cores goes through its part; GB/s. where: the NDP whose memory it is. */
static double stream(struct rig *r, uint32_t ndp, uint32_t where, bool is_shared, bool is_prefetched, enum cpu_op op)
{
	const uint32_t first = r->cpu_units + ndp * CORES;
	const uint64_t base = (uint64_t)where << 40, page = r->cpu_params.page_bytes;
	uint32_t done[CORES] = {0}, left = CORES;
	uint64_t begin_ps;

	cpu_place(r->cpu, base, CORES * PART, UINT64_C(1) << where);
	for (uint32_t k = 0; k < CORES; k++)
		for (uint64_t at = 0; at < EACH * ACCESS + page; at += page)
			cpu_first_line(r->cpu, 0, (base + k * PART + at) / page);
	if (is_shared)
		channel_claim(r->near, 0, base, base + CORES * PART, CHANNEL_OWNER_SHARED);
	sim_run(r->ctx.engine);
	begin_ps = sim_now_ps(r->ctx.engine);
	for (uint32_t i = 0; i < r->units; i++)
		r->ready_ps[i] = i - first < CORES ? begin_ps + rig_random(r, 1000000) : CPU_WAITS - 1;
	while (left) {
		const uint32_t unit = rig_next(r), core = unit - first;
		const uint64_t at = base + core * PART + done[core] * ACCESS;

		assert_true(core < CORES);
		if (done[core]++ == EACH) {
			r->ready_ps[unit] = CPU_WAITS - 1;
			left--;
			continue;
		}
		r->ready_ps[unit] += WORK_PS;
		if (is_prefetched && done[core] & 1) /* the other of a pair */
			rig_access(r, unit, at + ACCESS, 8, CPU_PREFETCH);
		rig_access(r, unit, at, 8, op);
	}
	for (uint32_t i = 0; i < r->units; i++)
		r->ready_ps[i] = 0;
	return (double)CORES * EACH * ACCESS * 1000 / (double)(sim_now_ps(r->ctx.engine) - begin_ps);
}

static void test_local(void **state)
{
	const struct channel_stats *n;
	struct rig r;
	double shared;

	(void)state;
	rig_thesis(&r);
	rig_open(&r, false);
	shared = stream(&r, 0, 0, true, false, CPU_READ);
	near("shared, GB/s", shared, CORES * 32 / (60 + WORK_PS / 1e3), 0.03);
	rig_close(&r);

	rig_thesis(&r);
	rig_open(&r, false);
	n = channel_system_stats(r.near);
	near("the processors', GB/s", stream(&r, 0, 0, false, false, CPU_READ), 24, 0.1);
	near("claims, a line", (double)n->claims, CORES * EACH * ACCESS / RIG_LINE_BYTES, 0.01);
	near("messages, two a claim", (double)(n->messages_up + n->messages_down), 2 * (double)n->claims, 0.01);
	rig_close(&r);

	rig_thesis(&r);
	rig_open(&r, false);
	near("shared, with prefetch, GB/s", stream(&r, 0, 0, true, true, CPU_READ), 48, 0.1);
	rig_close(&r);
}

static void hits(const struct rig *r, double expected)
{
	const struct channel_stats *n = channel_system_stats(r->near);

	near("hits of the NDP-AP, %", 100.0 * (double)n->point_hits / (double)n->point_lookups, expected, 0.03);
}

static void test_remote(void **state)
{
	struct rig r;

	(void)state;
	rig_thesis(&r);
	rig_open(&r, false);
	near("one to one, reads, GB/s", stream(&r, 1, 0, false, false, CPU_READ), 10, 0.07);
	hits(&r, 75);
	rig_close(&r);

	rig_thesis(&r);
	rig_open(&r, false);
	near("one to one, writes, GB/s", stream(&r, 1, 0, false, false, CPU_WRITE), 10, 0.07);
	hits(&r, 87.5);
	rig_close(&r);
}

/* Cores of all NDPs read lines that are the processors', one access a line, behind their own channels: a claim takes a
 * slot of a snoop bus. GB/s of lines. */
static double claim_all(struct rig *r)
{
	enum { LINES = 80 };
	const uint64_t page = r->cpu_params.page_bytes;
	const uint32_t ndps = (uint32_t)r->params.ndp_count;
	uint32_t done[8 * CORES] = {0}, left = ndps * CORES;
	uint64_t begin_ps;

	for (uint32_t k = 0; k < left; k++) {
		cpu_place(r->cpu, k * page, page, UINT64_C(1) << k / CORES);
		cpu_first_line(r->cpu, 0, k);
	}
	sim_run(r->ctx.engine);
	begin_ps = sim_now_ps(r->ctx.engine);
	for (uint32_t i = 0; i < r->units; i++)
		r->ready_ps[i] = i >= r->cpu_units ? begin_ps + rig_random(r, 100000) : CPU_WAITS - 1;
	while (left) {
		const uint32_t unit = rig_next(r), core = unit - r->cpu_units;

		if (done[core] == LINES) {
			r->ready_ps[unit] = CPU_WAITS - 1;
			left--;
			continue;
		}
		rig_access(r, unit, core * page + done[core]++ * RIG_LINE_BYTES, 8, CPU_READ);
	}
	for (uint32_t i = 0; i < r->units; i++)
		r->ready_ps[i] = 0;
	return (double)ndps * CORES * LINES * RIG_LINE_BYTES * 1000 / (double)(sim_now_ps(r->ctx.engine) - begin_ps);
}

/* A line per snoop bus and clock, up to what the memories give: the thesis' 256 GB/s at 2 GHz, here at 100 MHz. */
static void test_snoop_buses(void **state)
{
	(void)state;
	for (uint32_t buses = 1; buses <= 4; buses *= 2) {
		struct rig r;
		double rate;

		rig_thesis(&r);
		r.cpu_params.snoop_bus_count = buses;
		r.cpu_params.bus_khz = 100000;
		rig_open(&r, false);
		rate = claim_all(&r);
		near("lines claimed by 8 NDPs, GB/s", rate, buses * 12.8, 0.02);
		assert_true(rate <= buses * 12.8);
		rig_close(&r);
	}
}

/* A bus that reaches to the NDPs: accesses to lines that nobody else has take slots as well, one each of 32 B. */
static void test_extended_bus(void **state)
{
	(void)state;
	for (uint32_t buses = 1; buses <= 4; buses *= 4) {
		struct rig r;
		double rate;

		rig_thesis(&r);
		r.cpu_params.snoop_bus_count = buses;
		r.cpu_params.bus_khz = 100000;
		r.params.extended_bus = true;
		rig_open(&r, false);
		claim_all(&r);
		rate = claim_all(&r); /* by now the NDPs share them */
		near("accesses by 8 NDPs, GB/s", rate / 4, buses * 3.2, 0.03);
		assert_true(rate / 4 <= buses * 3.2);
		assert_true(cpu_system_stats(r.cpu)->slots_beside > 0);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_local), cmocka_unit_test(test_remote),
					   cmocka_unit_test(test_snoop_buses), cmocka_unit_test(test_extended_bus)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
