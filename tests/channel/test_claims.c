/* What software says: who had a copy before a claim never reads an old one after it, whatever the NDP-AP knew; pages
 * that are gone; caches that are made empty. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "rig.h"

/* Pages go round both channels. */
enum { PAGE_BYTES = 4096, FIRST = 0, SECOND = 2 * PAGE_BYTES, CPU = 0, NDP = 4 };

/* Alone, to its end. */
static void access_alone(struct rig *r, uint32_t unit, uint64_t address, enum cpu_op op)
{
	rig_settle(r);
	rig_access(r, unit, address, 8, op);
	rig_settle(r);
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

/* A processor that is alone with a line no longer is when an NDP has it, or software claims it for them; the next write
 * is told. */
static void test_alone(void **state)
{
	enum by { BY_READ, BY_WRITE, BY_SHARED, BY_OWNED, BYS };

	(void)state;
	for (enum by by = 0; by < BYS; by++) {
		struct rig r;

		rig_defaults(&r);
		r.cpu_params.protocol = CPU_PROTOCOL_MESI;
		rig_open(&r, true);
		access_alone(&r, CPU, FIRST, CPU_READ);
		assert_int_equal(cpu_system_stats(r.cpu)->exclusives, 1);
		if (by <= BY_WRITE)
			access_alone(&r, NDP, FIRST, by == BY_READ ? CPU_READ : CPU_WRITE);
		else
			claim(&r, FIRST, PAGE_BYTES, by == BY_SHARED ? CHANNEL_OWNER_SHARED : CHANNEL_OWNER_NDP);
		write_and_read(&r, FIRST);
		assert_int_equal(cpu_system_stats(r.cpu)->silent_upgrades, 0);
		rig_close(&r);
	}
}

/* One message to the NDP-M of a region, however many of its pages are claimed, and one answer; a message of a program
 * goes up once and down once. */
static void test_messages_once(void **state)
{
	const struct channel_stats *stats;
	uint64_t up, down;
	struct rig r;

	(void)state;
	open_pages(&r);
	rig_settle(&r);
	stats = channel_system_stats(r.near);
	up = stats->messages_up;
	down = stats->messages_down;
	claim(&r, FIRST, SECOND + PAGE_BYTES, CHANNEL_OWNER_CPU); /* as they are */
	assert_int_equal(stats->region_claims, 2); /* of either channel */
	assert_int_equal(stats->messages_up, up + 2);
	assert_int_equal(stats->messages_down, down + 2);
	channel_send(r.near, r.ready_ps[CPU], UINT32_MAX, 1);
	assert_int_equal(stats->messages_up, up + 2);
	assert_int_equal(stats->messages_down, down + 3);
	channel_send(r.near, r.ready_ps[CPU], 0, 1);
	assert_int_equal(stats->messages_up, up + 3);
	assert_int_equal(stats->messages_down, down + 4);
	rig_close(&r);
}

/* Each line of which processors may have a copy that stands against the claim takes a slot, on the bus that is free
 * first, and the claim ends when all have answered. What nobody on the bus stands against takes none. */
static void test_slots(void **state)
{
	enum { LINES = PAGE_BYTES / RIG_LINE_BYTES };
	static const struct {
		enum channel_owner owner;
		uint32_t slots;
	} claims[] = {{CHANNEL_OWNER_CPU, 0},	     {CHANNEL_OWNER_SHARED, LINES}, {CHANNEL_OWNER_SHARED, 0},
		      {CHANNEL_OWNER_NDP, LINES}, {CHANNEL_OWNER_NDP, 0},	    {CHANNEL_OWNER_SHARED, 0},
		      {CHANNEL_OWNER_CPU, 0},	     {CHANNEL_OWNER_NDP, LINES}};

	(void)state;
	for (uint32_t buses = 1; buses <= 4; buses *= 2) {
		uint64_t tick_ps, now_ps;
		struct rig r;

		rig_defaults(&r);
		r.cpu_params.snoop_bus_count = buses;
		r.cpu_params.bus_khz = 10000; /* of 100 ns, so that messages are no part of the time */
		rig_open(&r, true);
		tick_ps = 1000000000 / r.cpu_params.bus_khz;
		access_alone(&r, CPU, FIRST, CPU_READ);
		now_ps = r.ready_ps[CPU];
		for (uint32_t i = 0; i < G_N_ELEMENTS(claims); i++) {
			const uint64_t before = cpu_system_stats(r.cpu)->slots_beside;
			uint64_t took_ps, last_ps;

			now_ps += 100 * tick_ps;
			took_ps = channel_claim(r.near, now_ps, FIRST, PAGE_BYTES, claims[i].owner) - now_ps;
			assert_int_equal(cpu_system_stats(r.cpu)->slots_beside, before + claims[i].slots);
			if (!claims[i].slots)
				continue;
			last_ps = (LINES / buses - 1) * tick_ps + r.cpu_params.snoop_latency_ps;
			assert_in_range(took_ps, last_ps, last_ps + tick_ps); /* the first waits for a clock */
		}
		rig_close(&r);
	}
}

/* A load of a line that the core's prefetch brings waits for the rest of the prefetch's way, and that is counted. */
static void test_join_waits(void **state)
{
	const struct channel_stats *stats;
	struct rig r;
	uint64_t begun_ps;

	(void)state;
	rig_defaults(&r);
	rig_open(&r, true);
	access_alone(&r, NDP, FIRST, CPU_READ);
	stats = channel_system_stats(r.near);
	rig_access(&r, NDP, FIRST + RIG_LINE_BYTES, 8, CPU_PREFETCH);
	assert_true(r.ready_ps[NDP] != CPU_WAITS);
	begun_ps = r.ready_ps[NDP];
	rig_access(&r, NDP, FIRST + RIG_LINE_BYTES, 8, CPU_READ);
	while (r.ready_ps[NDP] == CPU_WAITS)
		sim_run_until(r.ctx.engine, sim_next_units(r.ctx.engine));
	assert_int_equal(stats->joins, 1);
	assert_int_equal(stats->join_wait_ps, r.ready_ps[NDP] - begun_ps);
	assert_true(stats->join_wait_ps > r.params.core_link_ps);
	rig_close(&r);
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
	rig_settle(&r);
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
		rig_settle(&r);
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

static void unmap(struct rig *r, uint64_t begin, uint64_t end)
{
	rig_settle(r);
	r->ready_ps[CPU] = cpu_unmap(r->cpu, r->ready_ps[CPU], begin, end - begin, false);
}

static void protect(struct rig *r, uint64_t begin, uint64_t end)
{
	rig_settle(r);
	r->ready_ps[CPU] = cpu_protect(r->cpu, r->ready_ps[CPU], begin, end - begin);
}

/* A page that is mapped again is a new one for the core that used it last, and its translation; also where nobody has
 * to be told. */
static void test_unmapped(void **state)
{
	(void)state;
	for (uint32_t is_silent = 0; is_silent < 2; is_silent++) {
		struct rig r;
		const struct channel_stats *stats;

		rig_defaults(&r);
		r.params.tlb_count = 4;
		rig_open(&r, true);
		stats = channel_system_stats(r.near);
		access_alone(&r, NDP, FIRST, CPU_READ);
		assert_int_equal(stats->page_faults, 1);
		assert_int_equal(stats->tlb_misses, 1);
		for (uint32_t i = 2; i < 4; i++) {
			rig_settle(&r);
			cpu_unmap(r.cpu, r.ready_ps[CPU], FIRST, PAGE_BYTES, is_silent);
			access_alone(&r, NDP, FIRST + i * RIG_LINE_BYTES, CPU_READ);
			assert_int_equal(stats->page_faults, i);
			assert_int_equal(stats->tlb_misses, i);
			access_alone(&r, NDP, FIRST + i * RIG_LINE_BYTES + 32, CPU_READ);
			assert_int_equal(stats->tlb_misses, i);
		}
		assert_int_equal(stats->tlb_commands, is_silent ? 0 : 2);
		rig_close(&r);
	}
}

enum { OTHER = NDP + 4, HELD = 6 /* pages */ };

/* NDP and OTHER, and a processor, have the translations of pages from FIRST on, which one after the other are behind
 * either channel, and none of more; with tables of the same pages. */
static void open_translated(struct rig *r)
{
	rig_defaults(r);
	r->params.tlb_count = 16;
	r->params.tlb_page_bytes = PAGE_BYTES;
	r->params.cache_bytes = 0; /* each access is translated */
	r->cpu_params.tlb_count = 64;
	rig_open(r, true);
	for (uint32_t i = 0; i <= HELD; i++)
		access_alone(r, CPU, FIRST + i * PAGE_BYTES, CPU_READ);
	for (uint32_t i = 0; i < HELD; i++) {
		access_alone(r, NDP, FIRST + i * PAGE_BYTES, CPU_READ);
		access_alone(r, OTHER, FIRST + i * PAGE_BYTES, CPU_READ);
	}
	assert_int_equal(channel_tlb_pages(r->near), 2 * HELD);
	assert_int_equal(cpu_tlb_pages(r->cpu), HELD + 1);
}

/* A page of its own that a processor unmaps, or an NDP's that has no more to do with the others', changes nothing for
 * those: no counter of theirs but that of the commands. */
static void test_unrelated_unmap(void **state)
{
	struct channel_stats before;
	struct cpu_stats cpu_before;
	const struct channel_stats *stats;
	const struct cpu_stats *cpu;
	struct rig r;

	(void)state;
	open_translated(&r);
	stats = channel_system_stats(r.near);
	cpu = cpu_system_stats(r.cpu);
	for (uint32_t i = 0; i < 4; i++) {
		const uint64_t own = FIRST + (HELD + i) * PAGE_BYTES;

		access_alone(&r, CPU + 1, own, CPU_WRITE);
		before = *stats;
		cpu_before = *cpu;
		unmap(&r, own, own + PAGE_BYTES);
		rig_settle(&r);
		before.tlb_commands++;
		if (stats->tlb_forwards != before.tlb_forwards) {
			/* Behind a channel whose region is not the processors' the NDP-M is told, and has no entry. */
			before.tlb_forwards++;
			before.messages_down++;
			before.messages_up++;
			before.message_bytes += 2 * r.params.message_bytes;
		}
		assert_memory_equal(stats, &before, sizeof(before));
		assert_int_equal(cpu->tlb_commands, cpu_before.tlb_commands + 1);
		assert_int_equal(channel_tlb_pages(r.near), 2 * HELD);
		for (uint32_t page = 0; page < HELD; page++) {
			access_alone(&r, NDP, FIRST + page * PAGE_BYTES, CPU_READ);
			access_alone(&r, OTHER, FIRST + page * PAGE_BYTES, CPU_READ);
			access_alone(&r, CPU, FIRST + page * PAGE_BYTES, CPU_READ);
		}
		assert_int_equal(stats->tlb_misses, before.tlb_misses);
		assert_int_equal(cpu->walks, cpu_before.walks);
	}
	rig_close(&r);
}

/* Of what NDPs hold exactly the range goes, wherever it lies and whatever state its regions are in, when the command
 * has come, and not before. */
static void test_held_range(void **state)
{
	static const enum channel_owner owners[] = {CHANNEL_OWNER_CPU, CHANNEL_OWNER_NDP, CHANNEL_OWNER_SHARED};

	(void)state;
	for (uint32_t i = 0; i < 2 * G_N_ELEMENTS(owners) + 2; i++) {
		const bool is_protected = i & 1;
		const uint64_t begin = FIRST + PAGE_BYTES, end = begin + 2 * PAGE_BYTES;
		const struct channel_stats *stats;
		const struct cpu_stats *cpu;
		uint64_t misses, walks;
		struct rig r;

		open_translated(&r);
		stats = channel_system_stats(r.near);
		cpu = cpu_system_stats(r.cpu);
		rig_settle(&r);
		if (i / 2 < G_N_ELEMENTS(owners)) /* else as it comes */
			claim(&r, FIRST, FIRST + 100 * PAGE_BYTES, owners[i / 2]);
		misses = stats->tlb_misses;
		walks = cpu->walks;
		(is_protected ? protect : unmap)(&r, begin, end);
		assert_int_equal(channel_tlb_pages(r.near), 2 * HELD); /* it is on its way */
		assert_int_equal(cpu_tlb_pages(r.cpu), HELD + 1 - 2);
		rig_settle(&r);
		assert_int_equal(channel_tlb_pages(r.near), 2 * HELD - 4);
		assert_int_equal(stats->tlb_forwards, 4);
		for (uint32_t page = 0; page < HELD; page++) {
			const uint32_t is_gone = page == 1 || page == 2;

			access_alone(&r, NDP, FIRST + page * PAGE_BYTES, CPU_READ);
			access_alone(&r, OTHER, FIRST + page * PAGE_BYTES, CPU_READ);
			access_alone(&r, CPU, FIRST + page * PAGE_BYTES, CPU_READ);
			misses += 2 * is_gone;
			walks += is_gone;
			assert_int_equal(stats->tlb_misses, misses);
			assert_int_equal(cpu->walks, walks);
		}
		rig_close(&r);
	}
}

/* Who unmaps waits: for a slot of the bus for each page and for the processors, and for the NDP-M where that is farther
 * away; for pages that nobody has touched, for nothing. */
static void test_command_costs(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig r;
		uint64_t begin_ps, done_ps;

		open_translated(&r);
		r.cpu_params.tlb_command_ps = i ? 1000 : 1000000;
		rig_settle(&r);
		begin_ps = r.ready_ps[CPU];
		done_ps = cpu_unmap(r.cpu, begin_ps, FIRST + 100 * PAGE_BYTES, 4 * PAGE_BYTES, false);
		assert_int_equal(done_ps, begin_ps);
		done_ps = cpu_unmap(r.cpu, begin_ps, FIRST, PAGE_BYTES, false) - begin_ps;
		if (i)
			assert_in_range(done_ps, 2 * r.params.message_ps + r.params.point_ps,
					2 * r.params.message_ps + r.params.point_ps + 10000);
		else
			assert_in_range(done_ps, 1000000, 1001000);
		rig_close(&r);
	}
}

/* A command that comes while the page is walked for: the translation serves who waits, and is not kept. */
static void test_command_during_walk(void **state)
{
	struct rig r;
	const struct channel_stats *stats;

	(void)state;
	open_translated(&r);
	stats = channel_system_stats(r.near);
	rig_settle(&r);
	rig_access(&r, NDP, FIRST + HELD * PAGE_BYTES, 8, CPU_READ);
	rig_access(&r, NDP + 1, FIRST + HELD * PAGE_BYTES, 8, CPU_READ);
	while (stats->walk_reads < (HELD + HELD) * 4 + 1)
		sim_run_until(r.ctx.engine, sim_next_units(r.ctx.engine));
	cpu_protect(r.cpu, sim_now_ps(r.ctx.engine) + 1, FIRST + HELD * PAGE_BYTES, PAGE_BYTES);
	rig_settle(&r);
	assert_int_equal(channel_tlb_pages(r.near), 2 * HELD);
	assert_int_equal(stats->walks, 2 * HELD + 1);
	assert_int_equal(stats->tlb_misses, 2 * HELD + 2);
	rig_close(&r);
}

/* ns of a read by the first core of NDP 0. */
static double read_ns(struct rig *r, uint64_t at)
{
	const uint32_t unit = r->cpu_units;
	uint64_t begin_ps;

	rig_settle(r);
	begin_ps = r->ready_ps[unit];
	rig_access(r, unit, at, 8, CPU_READ);
	sim_run(r->ctx.engine);
	return (double)(r->ready_ps[unit] - begin_ps) / 1000;
}

static void near(const char *what, double value, double expected)
{
	print_message("%s: %.1f, closed form %.1f\n", what, value, expected);
	assert_true(value > expected * 0.98 && value < expected * 1.02);
}

/* A walk: the messages, the NDP-AP, and a read of each table's entry by the NDP-AP's cache, or through it as any line.
 */
static void test_walk(void **state)
{
	enum { TABLES = 4 /* of 512 entries, for addresses of 48 bits and pages of 64 KB */, STEP_PS = 20000 };
	const struct channel_stats *stats;
	double cold, hit, warm, line;
	uint64_t page;
	struct rig r;

	(void)state;
	rig_thesis(&r);
	r.params.tlb_count = 16;
	r.params.tlb_page_bytes = page = r.cpu_params.page_bytes;
	r.params.walk_step_ps = STEP_PS;
	r.params.cache_bytes = 0;
	rig_open(&r, true);
	stats = channel_system_stats(r.near);
	for (uint64_t i = 0; i < 3; i++) { /* two in the own memory, one in another one */
		cpu_place(r.cpu, i * page, page, i < 2 ? 1 : 2);
		cpu_first_line(r.cpu, 0, i);
	}
	claim(&r, 0, 2 * page, CHANNEL_OWNER_NDP);
	cold = read_ns(&r, 0);
	assert_int_equal(stats->walk_reads, TABLES);
	assert_int_equal(stats->point_in_bytes, TABLES * RIG_LINE_BYTES);
	hit = read_ns(&r, RIG_LINE_BYTES);
	warm = read_ns(&r, page);
	assert_int_equal(stats->walks, 2);
	assert_int_equal(stats->walk_reads, 2 * TABLES);
	assert_int_equal(stats->point_in_bytes, TABLES * RIG_LINE_BYTES);
	read_ns(&r, 2 * page);
	line = read_ns(&r, 2 * page + RIG_LINE_BYTES);
	line -= read_ns(&r, 2 * page + RIG_LINE_BYTES + 32);
	near("a walk whose entries the NDP-AP has, ns", warm - hit,
	     2 * 24 + 12 / 20.0 + 12 / 10.0 + 20 + TABLES * STEP_PS / 1000);
	near("entries that come from the memory, ns", cold - warm, TABLES * line);
	rig_close(&r);
}

/* The entries are pages of the program: what lies side by side in the memory may be of two. */
static void test_translations(void **state)
{
	struct rig r;
	const struct channel_stats *stats;

	(void)state;
	rig_defaults(&r);
	r.params.tlb_count = 2;
	rig_open(&r, true);
	stats = channel_system_stats(r.near);
	for (uint32_t i = 0; i < 3; i++) {
		access_alone(&r, NDP, i * r.params.tlb_page_bytes, CPU_READ);
		assert_int_equal(stats->tlb_misses, i + 1);
		access_alone(&r, NDP, i * r.params.tlb_page_bytes + 4 * PAGE_BYTES, CPU_READ);
		assert_int_equal(stats->tlb_misses, i + 1);
	}
	access_alone(&r, NDP, RIG_LINE_BYTES, CPU_READ); /* the first has made room */
	assert_int_equal(stats->tlb_misses, 4);
	rig_close(&r);
}

/* Of the touched pages' commands the NDP-AP keeps those of regions that are the processors'; without its copy of the
 * summary none. */
static void test_tlb_commands(void **state)
{
	(void)state;
	for (uint32_t is_filtered = 0; is_filtered < 2; is_filtered++) {
		struct rig r;
		const struct channel_stats *stats;
		uint64_t down;

		open_pages(&r);
		r.params.shadow_filter = is_filtered;
		stats = channel_system_stats(r.near);
		down = stats->messages_down;
		protect(&r, FIRST, SECOND + 8);
		assert_int_equal(stats->tlb_commands, 3);
		assert_int_equal(stats->tlb_forwards, is_filtered ? 0 : 3);
		protect(&r, SECOND + PAGE_BYTES, SECOND + 9 * PAGE_BYTES); /* not touched */
		assert_int_equal(stats->tlb_commands, 3);
		assert_int_equal(stats->messages_down - down, is_filtered ? 0 : 3);
		access_alone(&r, NDP, FIRST, CPU_READ); /* the first channel's region has lines that differ */
		down = stats->messages_down;
		protect(&r, FIRST, SECOND + 8);
		assert_int_equal(stats->tlb_forwards, is_filtered ? 2 : 6);
		assert_int_equal(stats->messages_down - down, is_filtered ? 2 : 3);
		/* A page of which a part stays is not unmapped. */
		unmap(&r, FIRST + 8, SECOND + PAGE_BYTES - 1);
		assert_int_equal(stats->tlb_commands, 7);
		unmap(&r, FIRST + 8, FIRST + PAGE_BYTES - 8);
		assert_int_equal(stats->tlb_commands, 7);
		rig_close(&r);
	}
}

/* Whoever has all of a region: the processors' alone keep its commands from the NDP-M. */
static void test_tlb_commands_of_regions(void **state)
{
	static const enum channel_owner owners[] = {CHANNEL_OWNER_SHARED, CHANNEL_OWNER_NDP, CHANNEL_OWNER_CPU};
	struct rig r;
	const struct channel_stats *stats;

	(void)state;
	open_pages(&r);
	stats = channel_system_stats(r.near);
	for (uint32_t i = 0; i < G_N_ELEMENTS(owners); i++) {
		const uint64_t forwards = stats->tlb_forwards, returns = stats->summary_returns;

		rig_settle(&r);
		claim(&r, FIRST, SECOND + PAGE_BYTES, owners[i]);
		assert_int_equal(stats->summary_returns, returns + 2); /* all of it, of either channel */
		protect(&r, FIRST, SECOND + PAGE_BYTES);
		assert_int_equal(stats->tlb_forwards - forwards, owners[i] == CHANNEL_OWNER_CPU ? 0 : 3);
	}
	rig_close(&r);
}

/* A region that is all the NDP's takes pages along that nobody has touched; an item of the directory that is still in
 * the cache says the contrary of them, and is not believed when the region's lines differ again. */
static void test_item_of_summary(void **state)
{
	enum { HALF_ITEM = 8192 };
	const struct channel_stats *stats;
	struct rig r;

	(void)state;
	rig_defaults(&r);
	r.cpu_params.page_bytes = HALF_ITEM;
	r.has_bytes = true;
	r.cpu_params.values = CPU_VALUES_BYTES;
	rig_open(&r, true);
	stats = channel_system_stats(r.near);
	access_alone(&r, CPU, FIRST, CPU_READ);
	claim(&r, FIRST, HALF_ITEM, CHANNEL_OWNER_NDP);
	assert_int_equal(stats->summary_returns, 1);
	access_alone(&r, CPU, HALF_ITEM, CPU_READ); /* the other channel's */
	for (uint32_t i = 0; i < 2; i++)
		access_alone(&r, CPU, 2 * HALF_ITEM + i * RIG_LINE_BYTES, CPU_READ);
	assert_int_equal(stats->summary_changes, 2);
	assert_int_equal(stats->directory_lookups, 1);
	assert_int_equal(stats->directory_misses, 0);
	rig_close(&r);
}

/* A core that may keep remote lines reads what it wrote there itself. */
static void test_own_remote_write(void **state)
{
	static const enum cpu_op ops[] = {CPU_WRITE, CPU_ATOMIC};

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct rig r;

		rig_defaults(&r);
		r.params.point_atomics = i & 2;
		rig_open(&r, true);
		access_alone(&r, CPU, FIRST, CPU_READ);
		access_alone(&r, CPU, PAGE_BYTES, CPU_READ); /* on the other channel */
		channel_uninhibit(r.near, PAGE_BYTES, 2 * PAGE_BYTES);
		access_alone(&r, NDP, PAGE_BYTES, CPU_READ);
		access_alone(&r, NDP, PAGE_BYTES, CPU_READ);
		assert_int_equal(channel_system_stats(r.near)->hits, 1);
		access_alone(&r, NDP, PAGE_BYTES, ops[i & 1]);
		access_alone(&r, NDP, PAGE_BYTES, CPU_READ);
		assert_int_equal(r.wrong, 0);
		rig_close(&r);
	}
}

/* Bytes on the channels' wires are lines, messages and data: the last two are counted among the first as well. */
static void test_wires(void **state)
{
	struct rig r;
	const struct cpu_stats *cpu;
	const struct channel_stats *near;
	uint64_t bytes;

	(void)state;
	rig_defaults(&r);
	rig_open(&r, true);
	cpu = cpu_system_stats(r.cpu);
	near = channel_system_stats(r.near);
	access_alone(&r, CPU, FIRST, CPU_READ);
	access_alone(&r, CPU, PAGE_BYTES, CPU_READ);
	access_alone(&r, NDP, PAGE_BYTES, CPU_WRITE);
	bytes = cpu->up_bytes + cpu->down_bytes - near->message_bytes - near->data_up_bytes - near->data_down_bytes;
	assert_int_equal(bytes % RIG_LINE_BYTES, 0);
	access_alone(&r, NDP, PAGE_BYTES, CPU_WRITE); /* the NDP-AP has the line */
	assert_true(near->message_bytes > 0 && near->data_up_bytes > 0 && near->data_down_bytes > 0);
	assert_int_equal(cpu->up_bytes + cpu->down_bytes - bytes,
			 near->message_bytes + near->data_up_bytes + near->data_down_bytes);
	rig_close(&r);
}

static void make_cold(struct rig *r)
{
	cpu_cold(r->cpu);
	channel_cold(r->near);
}

/* Each of the near side's memories has something, and nothing afterwards. */
static void test_cold(void **state)
{
	struct rig r;
	struct channel_stats *stats, before;

	(void)state;
	rig_defaults(&r);
	r.params.tlb_count = 4;
	r.params.summary_percent = 0;
	rig_open(&r, false);
	stats = channel_system_stats(r.near);
	access_alone(&r, CPU, FIRST, CPU_READ);
	access_alone(&r, CPU, PAGE_BYTES, CPU_READ); /* on the other channel */
	access_alone(&r, NDP, FIRST, CPU_WRITE);
	access_alone(&r, NDP, RIG_LINE_BYTES, CPU_READ);
	access_alone(&r, NDP, PAGE_BYTES, CPU_READ);
	before = *stats;
	access_alone(&r, NDP, FIRST, CPU_WRITE);
	access_alone(&r, NDP, RIG_LINE_BYTES + 32, CPU_READ);
	access_alone(&r, NDP, PAGE_BYTES, CPU_READ);
	assert_int_equal(stats->hits, before.hits + 1);
	assert_int_equal(stats->claims, before.claims);
	assert_int_equal(stats->directory_misses, before.directory_misses);
	assert_int_equal(stats->point_hits, before.point_hits + 1);
	assert_int_equal(stats->tlb_misses, before.tlb_misses);
	make_cold(&r);
	before = *stats;
	access_alone(&r, NDP, PAGE_BYTES, CPU_READ);
	assert_int_equal(stats->point_hits, before.point_hits);
	access_alone(&r, NDP, FIRST, CPU_READ);
	assert_int_equal(stats->hits, before.hits);
	assert_int_equal(stats->claims, before.claims + 1);
	assert_true(stats->directory_misses > before.directory_misses);
	assert_true(stats->tlb_misses > before.tlb_misses);
	/* The NDP had this line; no cache of it is asked now. */
	make_cold(&r);
	before = *stats;
	access_alone(&r, CPU, FIRST, CPU_WRITE);
	access_alone(&r, CPU, RIG_LINE_BYTES, CPU_WRITE);
	assert_int_equal(stats->probes, before.probes);
	rig_close(&r);
}

/* A region that is all the processors' again is so for the NDP-AP. */
static void test_cold_summary(void **state)
{
	struct rig r;
	const struct channel_stats *stats;

	(void)state;
	rig_defaults(&r);
	rig_open(&r, false);
	stats = channel_system_stats(r.near);
	access_alone(&r, CPU, FIRST, CPU_READ);
	claim(&r, FIRST, RIG_LINE_BYTES, CHANNEL_OWNER_NDP);
	make_cold(&r);
	access_alone(&r, CPU, FIRST, CPU_READ);
	access_alone(&r, CPU, FIRST, CPU_WRITE);
	assert_int_equal(stats->invalidates, 1);
	assert_int_equal(stats->forwards + stats->directory_lookups, 0);
	rig_close(&r);
}

/* Another channel's NDP writes a line again and again; its own channel's NDP, and a processor, get it all the same. */
static void test_locks_end(void **state)
{
	(void)state;
	for (uint32_t who = CPU; who <= NDP; who += NDP) {
		struct rig r;
		uint32_t writes = 0;

		rig_defaults(&r);
		rig_open(&r, true);
		access_alone(&r, CPU, FIRST, CPU_READ);
		rig_settle(&r);
		for (uint32_t i = 0; i < NDP + 4; i++) /* nobody else does anything */
			r.ready_ps[i] = UINT64_C(1) << 40;
		for (uint32_t i = 0; i < 40; i++)
			rig_access(&r, rig_next(&r), FIRST + 32, 8, CPU_WRITE);
		r.ready_ps[who] = sim_now_ps(r.ctx.engine) + 1;
		rig_access(&r, who, FIRST, 8, CPU_READ);
		for (uint32_t unit; (unit = rig_next(&r)) != who && writes < 200; writes++)
			rig_access(&r, unit, FIRST + 32, 8, CPU_WRITE);
		print_message("unit %u has the line after %u writes\n", who, writes);
		assert_true(writes <= 12);
		rig_close(&r);
	}
}

/* Who has a copy to read and writes asks for the right to, and no bytes come from the memory. */
static void test_upgrade(void **state)
{
	struct rig r;
	const struct channel_stats *stats;
	uint64_t bytes;

	(void)state;
	open_pages(&r);
	stats = channel_system_stats(r.near);
	access_alone(&r, NDP, FIRST, CPU_READ);
	bytes = stats->near_bytes;
	access_alone(&r, NDP, FIRST, CPU_WRITE);
	assert_int_equal(stats->upgrades, 1);
	assert_int_equal(stats->near_bytes, bytes);
	access_alone(&r, CPU, FIRST, CPU_WRITE); /* takes it back, and what was written */
	access_alone(&r, NDP, FIRST, CPU_READ);
	assert_true(stats->near_bytes > bytes);
	rig_close(&r);
}

/* A memory of which a channel's whole part is less than a region: its directory lies in it, and its lines are counted
 * as any others'. */
static void test_part_of_memory(void **state)
{
	enum { PAGES = 256, ITEM_BYTES = 16384 }; /* behind each channel; of a line of the directory */

	(void)state;
	for (uint32_t is_rate = 0; is_rate < 2; is_rate++) {
		struct rig r;
		const struct channel_stats *stats;

		rig_defaults(&r);
		r.memory_params.capacity_bytes = UINT64_C(2) * PAGES * PAGE_BYTES;
		r.cpu_params.dram_mbytes_per_s = is_rate ? 48000 : 0;
		r.params.summary_bytes = UINT64_C(1) << 24;
		r.params.summary_by_hardware = true;
		rig_open(&r, true);
		stats = channel_system_stats(r.near);
		for (uint64_t page = 0; page < 2 * (PAGES - 1); page++)
			access_alone(&r, CPU, page * PAGE_BYTES, CPU_READ);
		access_alone(&r, NDP, FIRST, CPU_WRITE);
		assert_int_equal(stats->directory_writes, ((PAGES - 1) * PAGE_BYTES - 1) / ITEM_BYTES + 1);
		assert_int_equal(stats->summary_returns, 0);
		access_alone(&r, CPU, FIRST, CPU_WRITE);
		assert_int_equal(stats->summary_returns, 1);
		access_alone(&r, NDP, FIRST, CPU_READ);
		rig_close(&r);
	}
}

/* With accesses under way, at any time: nothing waits for what is gone, every event finds its row. */
static void test_cold_any_time(void **state)
{
	static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_WRITE, CPU_ATOMIC, CPU_PREFETCH};
	struct rig r;

	(void)state;
	rig_defaults(&r);
	r.params.prefetch_count = 4;
	rig_open(&r, false);
	for (uint32_t i = 0; i < 100000; i++) {
		const uint32_t unit = rig_next(&r);

		assert_true(unit < RIG_UNITS_MAX);
		if (rig_random(&r, 30) == 0)
			make_cold(&r);
		rig_access(&r, unit, rig_random(&r, 6) * PAGE_BYTES + rig_random(&r, 4 * RIG_LINE_BYTES),
			   1 + (uint32_t)rig_random(&r, 60), ops[rig_random(&r, G_N_ELEMENTS(ops))]);
	}
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_part_of_region),
	    cmocka_unit_test(test_alone),
	    cmocka_unit_test(test_messages_once), cmocka_unit_test(test_slots),
	    cmocka_unit_test(test_join_waits),
	    cmocka_unit_test(test_claim_behind_summary),
	    cmocka_unit_test(test_line_in_transit),
	    cmocka_unit_test(test_counted_in_transit),
	    cmocka_unit_test(test_unmapped), cmocka_unit_test(test_translations),
	    cmocka_unit_test(test_unrelated_unmap), cmocka_unit_test(test_held_range),
	    cmocka_unit_test(test_command_costs), cmocka_unit_test(test_command_during_walk),
	    cmocka_unit_test(test_walk),
	    cmocka_unit_test(test_tlb_commands), cmocka_unit_test(test_tlb_commands_of_regions),
	    cmocka_unit_test(test_item_of_summary),
	    cmocka_unit_test(test_own_remote_write),
	    cmocka_unit_test(test_wires),
	    cmocka_unit_test(test_cold),
	    cmocka_unit_test(test_cold_summary),
	    cmocka_unit_test(test_part_of_memory),
	    cmocka_unit_test(test_cold_any_time),
	    cmocka_unit_test(test_locks_end),
	    cmocka_unit_test(test_upgrade),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
