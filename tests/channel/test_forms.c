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

/* NDPs 0 and 1 read the memory of two others, all cores: GB/s of both. */
static double remote_streams(uint64_t points, uint64_t out_mbytes_per_s)
{
	enum { STEPS = 400 };
	uint32_t done[2 * CORES] = {0}, left = 2 * CORES;
	uint64_t begin_ps;
	struct rig r;
	double rate;

	rig_thesis(&r);
	r.params.point_count = points;
	r.params.point_out_mbytes_per_s = out_mbytes_per_s;
	rig_open(&r, false);
	for (uint32_t ndp = 0; ndp < 2; ndp++) {
		const uint64_t base = (uint64_t)(ndp + 2) << 40, page = r.cpu_params.page_bytes;

		cpu_place(r.cpu, base, CORES * PART, UINT64_C(1) << (ndp + 2));
		for (uint32_t k = 0; k < CORES; k++)
			for (uint64_t at = 0; at < STEPS * ACCESS + page; at += page)
				cpu_first_line(r.cpu, 0, (base + k * PART + at) / page);
	}
	sim_run(r.ctx.engine);
	begin_ps = sim_now_ps(r.ctx.engine);
	for (uint32_t i = 0; i < r.units; i++)
		r.ready_ps[i] =
		    i - r.cpu_units < left ? begin_ps + rig_random(&r, 1000000) : CPU_WAITS - 1;
	while (left) {
		const uint32_t unit = rig_next(&r), core = unit - r.cpu_units;
		const uint64_t base = (uint64_t)(core / CORES + 2) << 40;

		if (done[core] == STEPS) {
			r.ready_ps[unit] = CPU_WAITS - 1;
			left--;
			continue;
		}
		rig_access(&r, unit, base + core % CORES * PART + done[core]++ * ACCESS, 8, CPU_READ);
	}
	for (uint32_t i = 0; i < r.units; i++)
		r.ready_ps[i] = 0;
	rate = 2.0 * CORES * STEPS * ACCESS * 1000 / (double)(sim_now_ps(r.ctx.engine) - begin_ps);
	rig_close(&r);
	return rate;
}

/* Section 4.4.3: what an NDP-AP gives, more of them and more ports of one give as often. */
static void test_points(void **state)
{
	(void)state;
	near("one NDP-AP of 2 GB/s, GB/s", remote_streams(1, 2000), 2, 0.05);
	near("two of 2 GB/s, GB/s", remote_streams(2, 2000), 4, 0.05);
	near("one of 4 GB/s, GB/s", remote_streams(1, 4000), 4, 0.05);
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

/* ---- peers: NDPs behind links of their own ---- */

enum { HOP_PS = 25000 };

static void open_peers(struct rig *r, uint64_t hops)
{
	rig_thesis(r);
	r->params.attachment = CHANNEL_ATTACHMENT_PEER;
	r->params.point_count = r->params.ndp_count;
	r->params.point_ps = 4000;
	r->params.point_bus_ps = 0;
	r->cpu_params.smp_hop_count = hops;
	r->cpu_params.smp_hop_ps = HOP_PS;
	r->cpu_params.channel_latency_ps = 0;
	r->cpu_params.page_fault_ps = 0;
	rig_open(r, true);
}

/* How long the unit's access takes, ps, with nothing else under way. */
static uint64_t takes(struct rig *r, uint32_t unit, uint64_t address, enum cpu_op op)
{
	uint64_t begin_ps;

	sim_run(r->ctx.engine);
	begin_ps = sim_now_ps(r->ctx.engine) + 1000000;
	begin_ps -= begin_ps % 1000000;
	r->ready_ps[unit] = begin_ps;
	sim_run_until(r->ctx.engine, begin_ps * sim_units_per_ps(r->ctx.engine));
	rig_access(r, unit, address, 8, op);
	sim_run(r->ctx.engine);
	return r->ready_ps[unit] - begin_ps;
}

static uint32_t core_of(const struct rig *r, uint32_t ndp)
{
	return r->cpu_units + ndp * CORES;
}

/* Own memory crosses no link; another peer's the own link and its, there and back; what the own cache has, none. */
static void test_peer_hops(void **state)
{
	uint64_t own[2], remote[2], written[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig r;
		uint64_t page, up;

		open_peers(&r, i + 1);
		page = r.cpu_params.page_bytes;
		for (uint32_t k = 0; k < 3; k++) {
			cpu_place(r.cpu, k * page, page, UINT64_C(1) << k);
			cpu_first_line(r.cpu, 0, k);
		}
		own[i] = takes(&r, core_of(&r, 0), 0, CPU_READ);
		remote[i] = takes(&r, core_of(&r, 0), page, CPU_READ);
		up = cpu_system_stats(r.cpu)->up_bytes;
		assert_true(takes(&r, core_of(&r, 0) + 1, page + 32, CPU_READ) < own[i]);
		assert_int_equal(cpu_system_stats(r.cpu)->up_bytes, up);
		/* What the third has written comes from its cache, over its link. */
		takes(&r, core_of(&r, 2), page + 1024, CPU_WRITE);
		assert_int_equal(channel_system_stats(r.near)->link_snoops, 0);
		written[i] = takes(&r, core_of(&r, 0), page + 1024, CPU_READ);
		assert_int_equal(channel_system_stats(r.near)->link_snoops, 1);
		/* And its owner claims it there. */
		takes(&r, core_of(&r, 2), page + 2048, CPU_WRITE);
		takes(&r, core_of(&r, 1), page + 2048, CPU_WRITE);
		assert_int_equal(channel_system_stats(r.near)->link_snoops, 2);
		rig_close(&r);
	}
	near("own memory, ns", (double)own[0] / 1e3, 8 + 2 + 4 + 40 + 8, 0.02);
	assert_int_equal(own[1], own[0]);
	near("two links more, ns", (double)(remote[1] - remote[0]) / 1e3, 2 * HOP_PS / 1e3, 0.01);
	near("from a third peer's cache, ns", (double)(written[1] - written[0]) / 1e3, 2 * HOP_PS / 1e3, 0.01);
}

/* A prefetch of a remote line brings it to the own cache. */
static void test_peer_prefetch(void **state)
{
	struct rig r;
	uint64_t page, hit;

	(void)state;
	open_peers(&r, 1);
	page = r.cpu_params.page_bytes;
	cpu_place(r.cpu, 0, page, 2);
	cpu_first_line(r.cpu, 0, 0);
	takes(&r, core_of(&r, 0), 0, CPU_READ);
	hit = takes(&r, core_of(&r, 0), 32, CPU_READ);
	assert_int_equal(takes(&r, core_of(&r, 0), 1024, CPU_PREFETCH), 0);
	assert_int_equal(takes(&r, core_of(&r, 0), 1024, CPU_READ), hit);
	assert_true(takes(&r, core_of(&r, 0), 2048, CPU_READ) > hit + 2 * HOP_PS);
	rig_close(&r);
}

/* One core of each of so many peers has operations on one word of another's memory, each when its last one is done: the
 * time of one, all together, ns. */
static double contest_ns(uint64_t hops, uint32_t peers, enum cpu_op op)
{
	enum { WARM = 50, COUNT = 1000 };
	uint64_t begin_ps = 0;
	uint32_t of_peer[8] = {0};
	struct rig r;

	open_peers(&r, hops);
	cpu_place(r.cpu, 0, r.cpu_params.page_bytes, 1);
	cpu_first_line(r.cpu, 0, 0);
	sim_run(r.ctx.engine);
	for (uint32_t i = 0; i < r.units; i++)
		r.ready_ps[i] = CPU_WAITS - 1;
	for (uint32_t p = 1; p <= peers; p++)
		r.ready_ps[core_of(&r, p)] = sim_now_ps(r.ctx.engine) + 1000000;
	for (uint32_t i = 0; i < WARM + COUNT; i++) {
		const uint32_t unit = rig_next(&r);

		if (i == WARM)
			begin_ps = sim_now_ps(r.ctx.engine);
		of_peer[(unit - r.cpu_units) / CORES]++;
		rig_access(&r, unit, 0, 8, op);
	}
	const double ns = (double)(sim_now_ps(r.ctx.engine) - begin_ps) / 1e3 / COUNT;

	for (uint32_t p = 1; p <= peers; p++)
		assert_in_range(of_peer[p], (WARM + COUNT) / peers * 9 / 10, (WARM + COUNT) / peers * 11 / 10);
	sim_run(r.ctx.engine);
	for (uint32_t i = 0; i < r.units; i++)
		r.ready_ps[i] = 0;
	rig_close(&r);
	return ns;
}

/* Alone with a line nobody's link is crossed. Else it goes from one to the next, whose request waits at the bus: there
 * and back over the link of who has it, and back over that of who gets it; for two as for five, stores and atomics. */
static void test_peer_contest(void **state)
{
	static const enum cpu_op ops[] = {CPU_WRITE, CPU_ATOMIC};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const double alone = contest_ns(1, 1, ops[i]), two = contest_ns(1, 2, ops[i]);

		near("one peer, more links, ns", contest_ns(3, 1, ops[i]), alone, 0.001);
		for (uint64_t hops = 2; hops <= 3; hops++)
			near("two peers, more links, ns", contest_ns(hops, 2, ops[i]),
			     two + (double)(hops - 1) * 3 * HOP_PS / 2e3, 0.001);
		near("five peers, ns", contest_ns(1, 5, ops[i]), two, 0.001);
	}
}

/* ---- flushes ---- */

/* A look-up for each line of the range, or for each that the cache can have; copies go, others stay. */
static void test_flush(void **state)
{
	struct rig r;
	uint64_t page, again;
	uint32_t core;

	(void)state;
	rig_thesis(&r);
	r.params.flush_cycles = 3;
	rig_open(&r, false);
	page = r.cpu_params.page_bytes;
	core = core_of(&r, 0);
	cpu_place(r.cpu, 0, page, 2);
	cpu_first_line(r.cpu, 0, 0);
	channel_uninhibit(r.near, 0, page);
	takes(&r, core, 0, CPU_READ);
	assert_int_equal(takes(&r, core, 0, CPU_READ), 0);
	assert_int_equal(channel_flush(r.near, 0, 5000, 64, 64 + 2 * ACCESS), 5000 + 2 * 3000);
	assert_int_equal(takes(&r, core, 0, CPU_READ), 0);
	assert_int_equal(channel_flush(r.near, 0, 5000, 0, page), 5000 + 256 / ACCESS * 3000);
	again = takes(&r, core, 0, CPU_READ);
	assert_true(again > 0);
	assert_int_equal(channel_system_stats(r.near)->flushes, 1);
	rig_close(&r);
}

/* Of a processor: what its caches have modified goes down the channel, at its rate; what they share, and what nobody
 * has touched, only takes slots. */
static void test_processor_flush(void **state)
{
	enum { LINES = 512, BYTES = LINES * RIG_LINE_BYTES };
	const struct cpu_stats *n;
	uint64_t now_ps, ps, writes;
	struct rig r;

	(void)state;
	rig_thesis(&r);
	rig_open(&r, true);
	n = cpu_system_stats(r.cpu);
	cpu_place(r.cpu, 0, BYTES, 1);
	for (uint32_t i = 0; i < LINES; i++)
		takes(&r, 0, i * RIG_LINE_BYTES, CPU_WRITE);
	writes = n->memory_writes;
	now_ps = sim_now_ps(r.ctx.engine) + 1;
	ps = cpu_flush(r.cpu, now_ps, 0, BYTES) - now_ps;
	near("modified lines, GB/s", BYTES * 1e3 / (double)ps, 10, 0.01);
	assert_int_equal(n->memory_writes - writes, LINES);
	assert_int_equal(n->flushes, LINES);
	sim_run(r.ctx.engine);
	writes = n->memory_reads;
	takes(&r, 0, 0, CPU_READ);
	takes(&r, 0, RIG_LINE_BYTES, CPU_READ);
	assert_int_equal(n->memory_reads - writes, 2);
	now_ps = sim_now_ps(r.ctx.engine) + 1;
	ps = cpu_flush(r.cpu, now_ps, 0, 2 * BYTES) - now_ps;
	near("others, ns", (double)ps / 1e3, 2 * LINES / 3.5, 0.05);
	assert_int_equal(n->flushes, 2 * LINES);
	rig_close(&r);
}

/* ---- queues ---- */

/* As many accesses as the queue has places for go on beside each other, and no more. */
static void test_queues(void **state)
{
	(void)state;
	for (uint32_t places = 4; places <= 16; places *= 2) {
		struct rig r;
		double rate, bound;

		rig_thesis(&r);
		r.params.local_queue_count = places;
		rig_open(&r, false);
		/* From the queue: summary and memory. */
		bound = places * ACCESS * 1000.0 / (double)(r.params.summary_ps + r.cpu_params.dram_latency_ps);
		rate = stream(&r, 0, 0, true, false, CPU_READ);
		near("an NDP's queue of its own accesses, GB/s", rate, bound, 0.03);
		assert_true(rate <= bound);
		rig_close(&r);

		rig_thesis(&r);
		r.params.remote_queue_count = places / 4;
		rig_open(&r, false);
		/* There and back, the NDP-AP, the link; one in four waits for the bus as well. */
		bound = places / 4 * ACCESS * 1000.0 /
			(double)(2 * r.params.message_ps + r.params.point_ps + r.params.core_link_ps);
		rate = stream(&r, 1, 0, false, false, CPU_READ);
		print_message("an NDP's queue of remote accesses: %.2f GB/s, at most %.2f\n", rate, bound);
		assert_true(rate <= bound && rate > bound / 2);
		rig_close(&r);
	}
}

/* The same of lines that processors read. */
static void test_processor_queue(void **state)
{
	enum { LINES = 4000 };

	(void)state;
	for (uint32_t places = 1; places <= 4; places *= 2) {
		struct rig r;
		double rate, bound;
		uint32_t done = 0;

		rig_thesis(&r);
		r.params.processor_queue_count = places;
		r.cpu_params.stream_count = 0;
		rig_open(&r, false);
		cpu_place(r.cpu, 0, LINES * RIG_LINE_BYTES, 1);
		while (done < LINES) {
			const uint32_t unit = rig_next(&r);

			if (unit >= r.cpu_units)
				r.ready_ps[unit] = CPU_WAITS - 1;
			else
				rig_access(&r, unit, done++ * RIG_LINE_BYTES, 8, CPU_READ);
		}
		for (uint32_t i = r.cpu_units; i < r.units; i++)
			r.ready_ps[i] = 0;
		sim_run(r.ctx.engine);
		rate = (double)LINES * RIG_LINE_BYTES * 1000 / (double)sim_now_ps(r.ctx.engine);
		bound = places * RIG_LINE_BYTES * 1000.0 / (double)r.cpu_params.dram_latency_ps;
		near("a queue of the processors' reads, GB/s", rate, bound, 0.05);
		assert_true(rate <= bound);
		rig_close(&r);
	}
}

enum { STEPS = 200 };

/* One core of NDP 0 does op to one line after the other of the memory of `where`, which the owner has, each when the
 * one before is done: ns. stride: from one to the next. */
static double chase_by(struct rig *r, uint32_t where, uint64_t stride, enum cpu_op op, enum channel_owner owner)
{
	const uint64_t base = (uint64_t)where << 40, page = r->cpu_params.page_bytes;
	const uint64_t size = (STEPS * stride / page + 1) * page;
	const uint32_t unit = r->cpu_units;
	uint64_t begin_ps;

	cpu_place(r->cpu, base, size, UINT64_C(1) << where);
	for (uint64_t at = 0; at < size; at += page)
		cpu_first_line(r->cpu, 0, (base + at) / page);
	channel_claim(r->near, 0, base, base + size, owner);
	sim_run(r->ctx.engine);
	begin_ps = sim_now_ps(r->ctx.engine) + 1000000;
	for (uint32_t i = 0; i < r->units; i++)
		r->ready_ps[i] = i == unit ? begin_ps : CPU_WAITS - 1;
	for (uint32_t i = 0; i < STEPS; i++) {
		assert_int_equal(rig_next(r), unit);
		rig_access(r, unit, base + i * stride, 8, op);
	}
	assert_int_equal(rig_next(r), unit);
	const double ns = (double)(r->ready_ps[unit] - begin_ps) / 1000 / STEPS;

	for (uint32_t i = 0; i < r->units; i++)
		r->ready_ps[i] = 0;
	return ns;
}

static double chase(struct rig *r, uint32_t where, uint64_t stride)
{
	return chase_by(r, where, stride, CPU_READ, CHANNEL_OWNER_SHARED);
}

/* What each kind of access takes by what it needs, in the NDP's own memory and behind the NDP-AP, whose cache has three
 * of four: the old bytes have to come to whoever makes new ones of them. */
static void test_kinds(void **state)
{
	enum { WORD = 8 };
	static const enum cpu_op ops[] = {CPU_READ, CPU_WRITE, CPU_ATOMIC, CPU_COMPARE};
	static const char *const names[] = {"a load", "a store", "an atomic", "a compare-and-exchange"};

	(void)state;
	for (uint32_t i = 0; i < 16; i++) {
		const enum cpu_op op = ops[i % 4];
		const bool has_cache = i / 4 % 2, is_executed = i / 8;
		const bool is_atomic = op == CPU_ATOMIC || op == CPU_COMPARE;
		const bool needs_memory = has_cache || op != CPU_WRITE, writes_memory = !has_cache && op != CPU_READ;
		const bool is_remote_write = op == CPU_WRITE || (is_atomic && !is_executed);
		/* Beside the message there, and back. */
		const uint32_t operands = !is_atomic || !is_executed ? 0 : op == CPU_ATOMIC ? WORD : 2 * WORD;
		const uint32_t answer = is_atomic && is_executed ? WORD : ACCESS;
		const double way = 2 * 8 + 2, messages = 2 * 24 + 12 / 20.0;
		const struct channel_stats *n;
		double first;
		struct rig r;

		rig_thesis(&r);
		r.params.cache_bytes = has_cache ? 256 : 0;
		r.params.point_atomics = is_executed;
		rig_open(&r, false);
		n = channel_system_stats(r.near);
		print_message("%s, a core %s cache, atomics %s\n", names[i % 4], has_cache ? "with a" : "without",
			      is_executed ? "at the NDP-AP" : "by locks");
		near("own memory, ns", chase_by(&r, 0, RIG_LINE_BYTES, op, CHANNEL_OWNER_NDP),
		     way + 2 + 40 * needs_memory, 0.01);
		assert_int_equal(n->local, STEPS);
		assert_int_equal(n->near_bytes - n->near_write_back_bytes,
				 (needs_memory + writes_memory) * STEPS * ACCESS);
		assert_int_equal(n->atomic_reads, is_atomic ? STEPS : 0);
		rig_close(&r);

		rig_thesis(&r);
		r.params.cache_bytes = has_cache ? 256 : 0;
		r.params.point_atomics = is_executed;
		rig_open(&r, false);
		n = channel_system_stats(r.near);
		first = chase_by(&r, 1, RIG_LINE_BYTES, op, CHANNEL_OWNER_CPU);
		assert_in_range((uint64_t)first, 170, 260);
		sim_run(r.ctx.engine); /* the last one's data are on their way to the NDP-AP */
		assert_int_equal(n->point_out_bytes, STEPS * answer);
		assert_int_equal(n->data_up_bytes, STEPS * (is_remote_write * ACCESS + operands));
		rig_close(&r);

		rig_thesis(&r);
		r.params.cache_bytes = has_cache ? 256 : 0;
		r.params.point_atomics = is_executed;
		rig_open(&r, false);
		n = channel_system_stats(r.near);
		near("behind the NDP-AP, three of four, ns",
		     (4 * chase_by(&r, 1, ACCESS, op, CHANNEL_OWNER_CPU) - first) / 3,
		     way + 20 + messages + operands / 20.0 + answer / 10.0 + answer / 64.0 +
			 is_remote_write * ACCESS / 20.0 /* before the next message */, 0.01);
		assert_int_equal(n->atomic_reads, is_atomic ? STEPS : 0);
		rig_close(&r);
	}
}

/* ---- from when on a store is seen ---- */

enum { POLL_PS = 250, FLAG = 64, OTHERS = 4096 };

/* The loads of a poller, from `from_ps` on, each POLL_PS after the one before was answered: when the first one began
 * that a copy did not answer at once, and when the first one ended that had another byte than the old one. */
struct poll {
	uint64_t missed_ps, seen_ps;
};

static struct poll poll(struct rig *r, uint32_t unit, uint64_t address, uint64_t from_ps, uint8_t old)
{
	struct poll p = {0, 0};

	for (uint32_t i = 0; i < r->units; i++)
		if (i != unit && r->ready_ps[i] != CPU_WAITS)
			r->ready_ps[i] = CPU_WAITS - 1;
	r->ready_ps[unit] = from_ps;
	while (!p.seen_ps) {
		const uint32_t next = rig_next(r);
		const uint64_t now_ps = r->ready_ps[unit];
		bool is_at_once;

		if (next != unit)
			fail_msg("unit %u goes on, not the poller", next);
		rig_access(r, unit, address, 1, CPU_READ);
		is_at_once = r->ready_ps[unit] != CPU_WAITS;
		while (r->ready_ps[unit] == CPU_WAITS)
			sim_run_until(r->ctx.engine, sim_next_units(r->ctx.engine));
		if (!is_at_once && !p.missed_ps)
			p.missed_ps = now_ps;
		if (r->read[unit] != old)
			p.seen_ps = r->ready_ps[unit];
		r->ready_ps[unit] += POLL_PS;
		assert_true(r->ready_ps[unit] < from_ps + 10000000);
	}
	return p;
}

/* A machine whose first page is behind channel 0; the processors have shared its lines with that NDP's core 1, if it is
 * told to be so, and a processor has the line of FLAG alone. */
static void open_shared(struct rig *r, bool is_shared)
{
	rig_thesis(r);
	r->has_bytes = true;
	rig_open(r, true);
	cpu_place(r->cpu, 0, r->cpu_params.page_bytes, 1);
	cpu_first_line(r->cpu, 0, 0);
	if (is_shared)
		takes(r, core_of(r, 0) + 1, 0, CPU_READ);
	takes(r, 0, 0, CPU_READ);
	takes(r, 0, OTHERS + FLAG, CPU_WRITE);
	r->state = 0;
}

/* When a unit begins an access of which the test knows the time. */
static uint64_t begin(struct rig *r, uint32_t unit)
{
	sim_run(r->ctx.engine);
	r->ready_ps[unit] = (sim_now_ps(r->ctx.engine) / 1000000 + 2) * 1000000;
	sim_run_until(r->ctx.engine, r->ready_ps[unit] * sim_units_per_ps(r->ctx.engine));
	return r->ready_ps[unit];
}

static double ns_from(uint64_t begin_ps, uint64_t end_ps)
{
	return ((double)end_ps - (double)begin_ps) / 1e3;
}

/* From a processor's store on, by the parameters. */
static double slot_ns(const struct rig *r) /* of the bus, at most a clock earlier */
{
	const struct cpu_params *c = &r->cpu_params;

	return ((double)c->l2_cycles * 1e6 / (double)c->clock_khz) + 1e6 / (double)c->bus_khz;
}
static double told_ns(const struct rig *r) /* until the Invalidate is at a copy of an NDP core's */
{
	const struct channel_params *n = &r->params;

	/* The region has no state in the summary any more. */
	return slot_ns(r) + (double)(n->message_ps + n->summary_ps + n->directory_ps + n->core_link_ps) / 1e3 +
	       (double)n->message_bytes * 1e3 / (double)r->cpu_params.down_mbytes_per_s;
}
static double owned_ns(const struct rig *r) /* until that has been acknowledged, and the store is the line's */
{
	const struct channel_params *n = &r->params;

	return told_ns(r) + (double)(n->core_link_ps + n->erat_ps + n->message_ps) / 1e3 +
	       (double)n->message_bytes * 1e3 / (double)r->cpu_params.up_mbytes_per_s;
}

/* A processor's store: its thread goes on at once, and an NDP core's copy answers as before until the Invalidate is
 * there. The new byte comes with the line, which the processor gives when it has had it. */
static void test_told(void **state)
{
	(void)state;
	for (uint32_t op = CPU_WRITE; op <= CPU_RELEASE; op += CPU_RELEASE - CPU_WRITE) {
		struct rig r;
		struct poll p;
		uint64_t begin_ps;
		uint8_t old;

		open_shared(&r, true);
		begin_ps = begin(&r, 0);
		old = r.program[0];
		rig_access(&r, 0, 0, 8, (enum cpu_op)op);
		assert_int_equal(r.ready_ps[0], begin_ps);
		assert_true(r.program[0] != old);
		p = poll(&r, core_of(&r, 0) + 1, 0, begin_ps + POLL_PS, old);
		near("a copy answers until it is told, ns", ns_from(begin_ps, p.missed_ps), told_ns(&r),
		     0.75 / told_ns(&r));
		assert_true(ns_from(begin_ps, p.seen_ps) > owned_ns(&r));
		assert_int_equal(r.before, p.missed_ps / POLL_PS - begin_ps / POLL_PS - 1);
		rig_fence(&r, 0);
		assert_int_equal(bytes_stale(r.bytes), 0);
		for (uint32_t i = 0; i < r.units; i++)
			r.ready_ps[i] = 0;
		rig_close(&r);
	}
}

/* An atomic store, or an exchange, is seen after the stores before it: it begins when these are the lines'. Plain
 * stores do not wait, nor does anybody where no NDP may have a copy. */
static void test_release(void **state)
{
	static const enum cpu_op ops[] = {CPU_WRITE, CPU_RELEASE, CPU_ATOMIC, CPU_COMPARE};

	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		const bool is_shared = i / 4;
		uint64_t begin_ps;
		struct rig r;
		double alone;

		open_shared(&r, is_shared);
		alone = ns_from(0, takes(&r, 0, OTHERS + FLAG, ops[i % 4]));
		begin_ps = begin(&r, 0);
		rig_access(&r, 0, 0, 8, CPU_WRITE);
		assert_int_equal(r.ready_ps[0], begin_ps);
		rig_access(&r, 0, OTHERS + FLAG, 8, ops[i % 4]);
		sim_run(r.ctx.engine);
		if (is_shared && ops[i % 4] != CPU_WRITE)
			near("what is seen after a store, ns", ns_from(begin_ps, r.ready_ps[0]) - alone, owned_ns(&r),
			     0.75 / owned_ns(&r));
		else if (ns_from(begin_ps, r.ready_ps[0]) - alone > 0.002)
			fail_msg("%u: %.3f ns, alone %.3f", i, ns_from(begin_ps, r.ready_ps[0]), alone);
		rig_close(&r);
	}
}

/* The other ways round: an NDP core's store is done, and its byte is there, when no copy of the processors', of its
 * NDP's other cores or of another NDP's has answered as before for the last time. */
static void test_owned(void **state)
{
	static const char *const names[] = {"a processor", "a core of the same NDP", "a core of another NDP"};

	(void)state;
	for (uint32_t who = 0; who < 3; who++) {
		uint64_t begin_ps, done_ps;
		uint32_t writer, reader;
		struct rig r;
		struct poll p;
		uint8_t old;

		open_shared(&r, true);
		writer = core_of(&r, who == 2 ? 1 : 0);
		reader = who == 0 ? 0 : core_of(&r, 0) + 1;
		takes(&r, reader, 0, CPU_READ);
		begin_ps = begin(&r, writer);
		old = r.program[0];
		rig_access(&r, writer, 0, 8, CPU_WRITE);
		p = poll(&r, reader, 0, begin_ps + POLL_PS, old);
		done_ps = r.ready_ps[writer];
		print_message("%s: its copy leaves after %.2f ns, the store is done after %.2f, and seen after %.2f\n",
			      names[who], ns_from(begin_ps, p.missed_ps), ns_from(begin_ps, done_ps),
			      ns_from(begin_ps, p.seen_ps));
		assert_in_range(p.missed_ps, begin_ps, done_ps - 1);
		assert_true(done_ps <= p.seen_ps);
		assert_int_equal(r.before, 0);
		for (uint32_t i = 0; i < r.units; i++)
			r.ready_ps[i] = 0;
		rig_close(&r);
	}
}

/* What a load takes that nothing else is beside, part by part. */
static void test_chase(void **state)
{
	const double message_ns = 12 / 20.0, line_ns = 128 / 20.0;
	double local, own, remote;
	struct rig r;

	(void)state;
	rig_thesis(&r);
	rig_open(&r, false);
	local = chase(&r, 0, RIG_LINE_BYTES);
	near("own memory, by the summary, ns", local, 2 * 8 + 2 + 2 + 40, 0.01);
	rig_close(&r);

	rig_thesis(&r);
	r.params.summary_percent = 0;
	rig_open(&r, false);
	own = chase(&r, 0, RIG_LINE_BYTES);
	near("by the directory's cache, ns", own, local + 4, 0.01);
	rig_close(&r);

	rig_thesis(&r);
	r.params.summary_percent = 0;
	r.params.directory_cache_bytes = 64;
	r.params.directory_cache_ways_count = 2;
	rig_open(&r, false);
	near("by the directory in the memory, ns", chase(&r, 0, 16384), own + 40, 0.02);
	rig_close(&r);

	/* Every line's first quarter is brought to the NDP-AP, the others are there. */
	rig_thesis(&r);
	rig_open(&r, false);
	remote = chase(&r, 1, RIG_LINE_BYTES);
	assert_in_range((uint64_t)remote, 180, 240);
	print_message("another channel's memory: %.1f ns\n", remote);
	rig_close(&r);
	rig_thesis(&r);
	rig_open(&r, false);
	near("the NDP-AP's cache, three of four, ns", (4 * chase(&r, 1, ACCESS) - remote) / 3,
	     2 * 8 + 2 + 20 + 2 * 24 + message_ns + ACCESS / 10.0 + ACCESS / 64.0, 0.01);
	rig_close(&r);
	assert_true(remote > local + line_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_peer_hops), cmocka_unit_test(test_peer_prefetch), cmocka_unit_test(test_peer_contest),
	    cmocka_unit_test(test_flush),
	    cmocka_unit_test(test_processor_flush), cmocka_unit_test(test_local), cmocka_unit_test(test_remote),
	    cmocka_unit_test(test_snoop_buses), cmocka_unit_test(test_extended_bus), cmocka_unit_test(test_queues),
	    cmocka_unit_test(test_processor_queue), cmocka_unit_test(test_chase), cmocka_unit_test(test_points),
	    cmocka_unit_test(test_kinds), cmocka_unit_test(test_told), cmocka_unit_test(test_release),
	    cmocka_unit_test(test_owned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
