/* The vault and the stack: unloaded latency and peak bandwidth in closed form, conservation under random load with the
 * auditor on, refresh on time, every policy. */
#include "rig.h"

/* A lone read: tRCD + tCL, two bursts, the TSVs; then to the open row: tCL, two bursts, the TSVs. */
static void test_unloaded_latency(void **state)
{
	struct rig *g = rig_new();
	const uint64_t bursts_ps = 2 * 6400, ck = 1250;
	uint64_t begin;

	(void)state;
	g->p.refresh = false;
	rig_build(g);
	mem_stack_accept(g->stack, rig_request(g, 0, MEM_READ));
	sim_run(g->engine);
	assert_int_equal(g->last_done_ps, (11 + 11) * ck + bursts_ps + ANSWER_PS);
	begin = (sim_now_units(g->engine) + ck) / ck * ck;
	sim_advance_units(g->engine, begin);
	mem_stack_accept(g->stack, rig_request(g, LINE_BYTES * 16, MEM_READ));
	sim_run(g->engine);
	assert_int_equal(g->last_done_ps - begin, 11 * ck + bursts_ps + ANSWER_PS);
	begin = (sim_now_units(g->engine) + 100 * ck) / ck * ck;
	sim_advance_units(g->engine, begin);
	mem_stack_accept(g->stack, rig_request(g, 1ull << 30, MEM_READ));
	sim_run(g->engine);
	assert_int_equal(g->last_done_ps - begin, (11 + 11 + 11) * ck + bursts_ps + ANSWER_PS);
	assert_int_equal(rig_stat(g, "vault.row_hits"), 1);
	assert_int_equal(rig_stat(g, "vault.row_misses"), 1);
	assert_int_equal(rig_stat(g, "vault.row_conflicts"), 1);
	rig_free(g);
}

/* n reads of consecutive lines: the bus never pauses after its first burst. 10 GB/s per vault, 160 per stack. */
static void test_peak_bandwidth(void **state)
{
	(void)state;
	for (uint32_t vaults = 1; vaults <= 16; vaults *= 16) {
		struct rig *g = rig_new();
		const uint64_t count = 8000;

		g->p.refresh = false;
		g->p.vault_count = vaults;
		g->left = count;
		rig_build(g);
		sim_wake_cycle(g->engine, g->feeder, 0);
		sim_run(g->engine);
		assert_int_equal(g->done_count, count);
		assert_int_equal(rig_stat(g, "vault.read_bytes"), count * LINE_BYTES);
		assert_int_equal(rig_stat(g, "vault.tsv_busy_units"), count * 2 * 6400);
		if (vaults == 1) /* the feeder ticks after the vault: the first ACT is at the next edge */
			assert_int_equal(g->last_done_ps, (1 + 11 + 11) * 1250 + count * 2 * 6400 + ANSWER_PS);
		else
			assert_in_range(g->last_done_ps, count / vaults * 12800, count / vaults * 12800 * 103 / 100);
		rig_free(g);
	}
}

/* Every policy under random load, auditor on: each request is answered once, all columns are counted. */
static void test_conservation_under_random_load(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 32; i++) {
		struct rig *g = rig_new();

		g->seed = i;
		g->p.scheduler = i & 1 ? DRAM_FIFO : DRAM_FRFCFS;
		g->p.page_policy = i & 2 ? DRAM_PAGE_CLOSED : DRAM_PAGE_OPEN;
		g->p.vault_count = 2;
		g->p.starvation_cap_ps = (i & 16 ? 50 : 2000) * 1250;
		g->p.queue_entries = i & 8 ? 32 : 64;
		g->p.prepare_banks = i / 2 % 5 & 1;
		g->p.starvation_global = i / 2 % 7 & 1;
		g->write_percent = i & 4 ? 40 : 10;
		g->gap_cycles = i % 3 ? 0 : 400;
		g->span_bytes = i & 8 ? 1ull << 28 : 1 << 16;
		g->left = 4000;
		rig_build(g);
		sim_wake_cycle(g->engine, g->feeder, 0);
		sim_run(g->engine);
		mem_stack_settle(g->stack, false);
		assert_int_equal(g->done_count, 4000);
		assert_int_equal(rig_stat(g, "vault.reads") + rig_stat(g, "vault.writes"), 4000);
		assert_int_equal(
		    rig_stat(g, "vault.row_hits") + rig_stat(g, "vault.row_misses") +
			rig_stat(g, "vault.row_conflicts"),
		    4000);
		assert_int_equal(rig_stat(g, "vault.read_bytes"), rig_stat(g, "vault.reads") * LINE_BYTES);
		assert_int_equal(rig_stat(g, "vault.write_bytes"), rig_stat(g, "vault.writes") * LINE_BYTES);
		rig_free(g);
	}
}

/* Refreshes are issued for idle time too: one per tREFI and vault. */
static void test_refresh_is_issued_on_time(void **state)
{
	struct rig *g = rig_new();

	(void)state;
	g->p.vault_count = 4;
	rig_build(g);
	mem_stack_accept(g->stack, rig_request(g, 0, MEM_READ));
	sim_run(g->engine);
	sim_advance_units(g->engine, 1000 * 7800000ull + 1000000);
	mem_stack_settle(g->stack, false);
	assert_in_range(rig_stat(g, "vault.refreshes"), 4 * 1000, 4 * 1000 + 4);
	mem_stack_accept(g->stack, rig_request(g, 0, MEM_READ));
	sim_run(g->engine);
	assert_int_equal(g->done_count, 2);
	rig_free(g);
}

/* Row hits overtake older requests to another row, but not for ever. */
static void test_frfcfs_prefers_hits(void **state)
{
	uint64_t conflicts[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig *g = rig_new();

		g->p.refresh = false;
		g->p.vault_count = 1;
		g->p.scheduler = i ? DRAM_FIFO : DRAM_FRFCFS;
		rig_build(g);
		for (uint32_t k = 0; k < 40; k++) /* two rows of one bank, in turn */
			mem_stack_accept(g->stack,
					 rig_request(g, (k % 2) * (1ull << 26) + k / 2 * LINE_BYTES, MEM_READ));
		sim_run(g->engine);
		conflicts[i] = rig_stat(g, "vault.row_conflicts");
		rig_free(g);
	}
	assert_int_equal(conflicts[0], 1);
	assert_int_equal(conflicts[1], 39);
}

/* FIFO turns the bus with each change of direction. */
static void test_fifo_counts_its_turnarounds(void **state)
{
	struct rig *g = rig_new();

	(void)state;
	g->p.vault_count = 1;
	g->p.scheduler = DRAM_FIFO;
	rig_build(g);
	for (uint32_t i = 0; i < 12; i++) /* of one row */
		mem_stack_accept(g->stack, rig_request(g, i * LINE_BYTES, i % 4 < 2 ? MEM_READ : MEM_WRITE));
	sim_run(g->engine);
	assert_int_equal(rig_stat(g, "vault.turnarounds"), 5);
	rig_free(g);
}

/* What a lone request counts: one ACT, one row, and its time, which for a write runs to its last bit. */
static void test_a_request_is_counted_once(void **state)
{
	const uint64_t bursts_ps = 2 * 6400, ck = 1250;
	const struct {
		enum mem_op op;
		const char *hist;
		uint64_t time_ps;
	} cases[] = {
	    {MEM_READ, "vault.read_latency_ps", (11 + 11) * ck + bursts_ps + ANSWER_PS},
	    {MEM_WRITE, "vault.write_latency_ps", (11 + 8) * ck + bursts_ps + ANSWER_PS},
	};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig *g = rig_new();
		struct sim_hist hist;

		g->p.refresh = false;
		rig_build(g);
		mem_stack_accept(g->stack, rig_request(g, 0, cases[i].op));
		sim_run(g->engine);
		assert_int_equal(g->last_done_ps, cases[i].time_ps);
		assert_int_equal(rig_stat(g, "vault.activates"), 1);
		assert_true(sim_stats_hist(g->stats, cases[i].hist, &hist));
		assert_int_equal(hist.count, 1);
		assert_int_equal(hist.sum, cases[i].time_ps);
		rig_free(g);
	}
}

/* A vault without refresh whose queue is filled by hand. */
static struct rig *quiet_vault(uint64_t high, uint64_t low, uint64_t cap_cycles)
{
	struct rig *g = rig_new();

	g->p.refresh = false;
	g->p.vault_count = 1;
	g->p.write_high_count = high;
	g->p.write_low_count = low;
	g->p.starvation_cap_ps = cap_cycles * 1250;
	rig_build(g);
	return g;
}

static void accept_many(struct rig *g, uint32_t count, enum mem_op op)
{
	for (uint32_t i = 0; i < count; i++, g->address += LINE_BYTES)
		mem_stack_accept(g->stack, rig_request(g, g->address, op));
}

/* What was served before the request of this tag. */
static uint32_t place_of(const struct rig *g, uint32_t tag)
{
	uint32_t i = 0;

	while (g->order[i] != tag)
		i++;
	return i;
}

/* 8 writes reach the mark above: 6 are served, down to the mark below, then all 10 reads, then the last two. */
static void test_writes_drain_between_their_marks(void **state)
{
	struct rig *g = quiet_vault(8, 2, 100000);

	(void)state;
	accept_many(g, 10, MEM_READ); /* tags 0 to 9 */
	accept_many(g, 8, MEM_WRITE); /* tags 10 to 17 */
	sim_run(g->engine);
	for (uint32_t i = 0; i < 18; i++)
		assert_int_equal(g->order[i], i < 6 ? 10 + i : i < 16 ? i - 6 : i);
	assert_int_equal(rig_stat(g, "vault.turnarounds"), 3);
	rig_free(g);
}

/* A direction with entries of its own is refused when it has as many, the other is not; and who was refused is called
 * when one of them has gone. */
static void test_each_direction_has_its_entries(void **state)
{
	static const enum mem_op ops[] = {MEM_READ, MEM_WRITE};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig *g = rig_new();
		const enum mem_op op = ops[i], other = ops[!i];

		g->p.refresh = false;
		g->p.vault_count = 1;
		g->p.queue_entries = 10;
		g->p.read_queue_entries = op == MEM_READ ? 3 : 0;
		g->p.write_queue_entries = op == MEM_WRITE ? 3 : 0;
		g->p.write_high_count = 2;
		g->p.write_low_count = 0;
		rig_build(g);
		for (uint32_t n = 0; n < 10; n++) {
			assert_true(mem_stack_can_accept(g->stack, 0, n < 3 ? op : other));
			accept_many(g, 1, n < 3 ? op : other);
			assert_int_equal(mem_stack_can_accept(g->stack, 0, op), n < 2);
		}
		assert_false(mem_stack_can_accept(g->stack, 0, other));
		g->left = 5; /* of the feeder, which reads when it is called */
		sim_run(g->engine);
		assert_int_equal(g->done_count, 15);
		assert_int_equal(rig_stat(g, "vault.queue_max"), 10);
		rig_free(g);
	}
}

/* Who was refused is not called for requests of the other direction that go: the feeder, which has been refused once,
 * asks again when the first of the three reads has gone, takes its place, is refused the next, and so on. */
static void test_room_is_of_a_direction(void **state)
{
	struct rig *g = rig_new();

	(void)state;
	g->p.refresh = false;
	g->p.vault_count = 1;
	g->p.read_queue_entries = 3;
	g->p.write_high_count = 2;
	g->p.write_low_count = 0;
	rig_build(g);
	accept_many(g, 3, MEM_READ);
	accept_many(g, 20, MEM_WRITE); /* which go first */
	assert_false(mem_stack_can_accept(g->stack, 0, MEM_READ));
	g->left = 5;
	sim_run(g->engine);
	assert_int_equal(g->done_count, 28);
	assert_int_equal(rig_stat(g, "vault.queue_full_stalls"), 5);
	rig_free(g);
}

/* Below the mark above, writes wait for the reads. */
static void test_few_writes_wait_for_reads(void **state)
{
	struct rig *g = quiet_vault(8, 2, 100000);

	(void)state;
	accept_many(g, 7, MEM_WRITE); /* tags 0 to 6 */
	accept_many(g, 10, MEM_READ); /* tags 7 to 16 */
	sim_run(g->engine);
	for (uint32_t i = 0; i < 17; i++)
		assert_int_equal(g->order[i], i < 10 ? 7 + i : i - 10);
	rig_free(g);
}

/* Writes that come while others drain, three of them: the drain ends after as many as there were when it began. */
static void more_writes(void *component, uint64_t cycle)
{
	struct rig *g = component;

	(void)cycle;
	accept_many(g, 3, MEM_WRITE);
}

static void test_a_drain_is_limited(void **state)
{
	struct rig *g = quiet_vault(8, 2, 100000);
	uint32_t writes = 0;

	(void)state;
	accept_many(g, 10, MEM_READ); /* tags 0 to 9 */
	accept_many(g, 8, MEM_WRITE); /* tags 10 to 17 */
	sim_wake_cycle(g->engine, sim_engine_add(g->engine, 1, "more", more_writes, g), 50);
	sim_run(g->engine);
	while (g->order[writes] >= 10)
		writes++;
	assert_int_equal(writes, 8);
	rig_free(g);
}

/* Reads without end: writes below the mark above that have waited for the cap are served down to the mark below, not
 * before and not long after. */
static void test_writes_are_not_starved(void **state)
{
	const uint64_t cap_cycles = 400, ck = 1250;
	struct rig *g = quiet_vault(32, 8, cap_cycles);

	(void)state;
	g->stride_bytes = 0;
	g->left = 1000;
	accept_many(g, 1, MEM_READ);   /* tag 0 */
	accept_many(g, 12, MEM_WRITE); /* tags 1 to 12 */
	sim_wake_cycle(g->engine, g->feeder, 0);
	sim_run(g->engine);
	for (uint32_t tag = 1; tag <= 4; tag++)
		assert_in_range(g->done_ps[tag], cap_cycles * ck, 2 * cap_cycles * ck);
	rig_free(g);
}

static void other_bank(void *component, uint64_t cycle)
{
	struct rig *g = component;

	(void)cycle;
	g->other_tag = g->next_tag;
	mem_stack_accept(g->stack, rig_request(g, g->p.row_bytes, MEM_READ));
}

static void eight_writes(void *component, uint64_t cycle)
{
	struct rig *g = component;

	(void)cycle;
	accept_many(g, 8, MEM_WRITE);
}

/* So are fewer than the mark below: all at the first turn, and the bus turns for them once only. */
static void test_few_writes_are_not_starved(void **state)
{
	const uint64_t cap_cycles = 400, ck = 1250;
	struct rig *g = quiet_vault(32, 8, cap_cycles);

	(void)state;
	g->stride_bytes = 0;
	g->left = 1000;
	accept_many(g, 1, MEM_READ);  /* tag 0 */
	accept_many(g, 5, MEM_WRITE); /* tags 1 to 5 */
	sim_wake_cycle(g->engine, g->feeder, 0);
	sim_run(g->engine);
	for (uint32_t tag = 1; tag <= 5; tag++)
		assert_in_range(g->done_ps[tag], cap_cycles * ck, (cap_cycles + 100) * ck + ANSWER_PS);
	assert_int_equal(rig_stat(g, "vault.turnarounds"), 2);
	rig_free(g);
}

/* Writes that are not late yet go with one that is. */
static void one_write(void *component, uint64_t cycle)
{
	struct rig *g = component;

	mem_stack_accept(g->stack, rig_request(g, (1ull << 26) + g->late_count * LINE_BYTES, MEM_WRITE));
	if (++g->late_count < 5)
		sim_wake_cycle(g->engine, g->later, cycle + 50);
}

static void test_writes_go_with_a_late_one(void **state)
{
	struct rig *g = quiet_vault(32, 8, 400);

	(void)state;
	g->later = sim_engine_add(g->engine, 1, "later", one_write, g);
	g->stride_bytes = 0;
	g->left = 1000;
	sim_wake_cycle(g->engine, g->later, 0);
	g->is_kept_full = true;
	sim_wake_cycle(g->engine, g->feeder, 0);
	sim_run(g->engine);
	assert_int_equal(g->late_count, 5);
	assert_int_equal(rig_stat(g, "vault.turnarounds"), 2);
	rig_free(g);
}

/* ... and a late one is served though younger hits have used up what the drain may serve. */
static void hit_writes(void *component, uint64_t cycle)
{
	struct rig *g = component;

	(void)cycle;
	for (uint32_t i = 0; i < 2; i++)
		mem_stack_accept(g->stack, rig_request(g, 0, MEM_WRITE));
}

static void test_a_late_write_is_served_in_any_case(void **state)
{
	const uint64_t cap_cycles = 400, ck = 1250;
	struct rig *g = quiet_vault(32, 8, cap_cycles);

	(void)state;
	g->later = sim_engine_add(g->engine, 1, "later", hit_writes, g);
	/* Another row of its bank. */
	mem_stack_accept(g->stack, rig_request(g, (1ull << 26) + g->p.row_bytes, MEM_READ));
	g->other_tag = g->next_tag;
	mem_stack_accept(g->stack, rig_request(g, g->p.row_bytes, MEM_WRITE));
	g->stride_bytes = 0;
	g->left = 1000;
	g->is_kept_full = true;
	sim_wake_cycle(g->engine, g->later, (cap_cycles + 12) * ck / 1000);
	sim_wake_cycle(g->engine, g->feeder, 0);
	sim_run(g->engine);
	assert_in_range(g->done_ps[g->other_tag], cap_cycles * ck, (cap_cycles + 60) * ck + ANSWER_PS);
	rig_free(g);
}

/* The cap counts from a write's arrival, whatever the bus did since: what a drain leaves is served at its own cap. */
static void test_the_cap_counts_from_arrival(void **state)
{
	const uint64_t cap_cycles = 4000, ck = 1250;
	struct rig *g = quiet_vault(32, 30, cap_cycles);

	(void)state;
	accept_many(g, 33, MEM_WRITE); /* tags 0 to 32: the drain of the first three ends about cycle 60 */
	g->stride_bytes = 0;
	g->left = 2000;
	sim_wake_cycle(g->engine, g->feeder, 0);
	sim_run(g->engine);
	for (uint32_t tag = 3; tag < 33; tag++)
		assert_in_range(g->done_ps[tag], cap_cycles * ck, (cap_cycles + 600) * ck + ANSWER_PS);
	rig_free(g);
}

/* Writes without end: reads are served after as many writes as were there, though the mark above is still reached. */
static void test_reads_are_not_starved(void **state)
{
	struct rig *g = quiet_vault(8, 2, 100000);

	(void)state;
	g->write_percent = 100;
	g->left = 1000;
	accept_many(g, 4, MEM_READ);  /* tags 0 to 3 */
	accept_many(g, 20, MEM_WRITE);
	sim_wake_cycle(g->engine, g->feeder, 0);
	sim_run(g->engine);
	for (uint32_t tag = 0; tag < 4; tag++)
		assert_int_equal(place_of(g, tag), 20 + tag);
	rig_free(g);
}

static uint32_t first_read;

static void two_reads(void *component, uint64_t cycle)
{
	struct rig *g = component;

	(void)cycle;
	first_read = g->next_tag;
	accept_many(g, 2, MEM_READ);
}

/* Writes without end that all wait longer than the cap, never as many as the mark above: reads have their turn too. */
static void test_late_writes_do_not_starve_reads(void **state)
{
	const uint64_t arrival_ps = 300000;
	struct rig *g = quiet_vault(64, 2, 50);

	(void)state;
	g->write_percent = 100;
	g->is_kept_full = true;
	g->left = 1000;
	sim_wake_units(g->engine, sim_engine_add(g->engine, 1, "reads", two_reads, g), arrival_ps);
	sim_wake_cycle(g->engine, g->feeder, 0);
	sim_run(g->engine);
	assert_true(rig_stat(g, "vault.queue_max") < 64);
	assert_int_equal(place_of(g, first_read + 1), place_of(g, first_read) + 1);
	assert_in_range(g->done_ps[first_read + 1], arrival_ps, arrival_ps + 1000000);
	assert_true(rig_stat(g, "vault.turnarounds") <= 4);
	rig_free(g);
}

/* Row hits without end: a request for another row of the bank waits for the cap, and little longer. */
static void test_a_row_is_not_starved(void **state)
{
	const uint64_t ck = 1250;
	const uint64_t caps[] = {200, 800};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig *g = quiet_vault(32, 8, caps[i]);

		mem_stack_accept(g->stack, rig_request(g, 0, MEM_READ));
		mem_stack_accept(g->stack, rig_request(g, 1ull << 26, MEM_READ)); /* tag 1 */
		g->stride_bytes = 0;
		g->left = 1000;
		sim_wake_cycle(g->engine, g->feeder, 0);
		sim_run(g->engine);
		assert_int_equal(rig_stat(g, "vault.starvation_breaks"), 1);
		assert_in_range(g->done_ps[1], caps[i] * ck, caps[i] * ck + 200 * ck);
		assert_true(place_of(g, 1) < 200);
		rig_free(g);
	}
}

/* Hits to one bank that fill the command bus, a column each clock: a request to another bank waits for ever, unless the
 * guard looks across banks; then for the cap. */
static void test_a_bank_is_not_starved(void **state)
{
	const uint64_t ck = 1250, cap_cycles = 400;

	(void)state;
	for (uint32_t is_global = 0; is_global < 2; is_global++) {
		struct rig *g = rig_new();

		g->p.refresh = false;
		g->p.vault_count = 1;
		g->p.data_rate_mbps = 0;
		g->p.data_bits = 512;
		g->p.burst_beats = 2;
		g->p.t_ccd = 1;
		g->p.tsv_latency_ps = g->p.controller_latency_ps = 0;
		g->p.starvation_cap_ps = cap_cycles * 1250;
		g->p.starvation_global = is_global;
		rig_build(g);
		g->is_kept_full = true;
		g->stride_bytes = 0;
		g->left = 5000;
		sim_wake_cycle(g->engine, sim_engine_add(g->engine, 1, "other", other_bank, g), 100);
		sim_wake_cycle(g->engine, g->feeder, 0);
		sim_run(g->engine);
		if (is_global)
			assert_in_range(g->done_ps[g->other_tag], (80 + cap_cycles) * ck,
					(80 + cap_cycles + 40) * ck);
		else
			assert_true(g->done_ps[g->other_tag] > 4000 * ck);
		rig_free(g);
	}
}

/* Hits to the open rows of two banks, in turn, more than the vault can serve. */
static void feed_two_banks(void *component, uint64_t cycle)
{
	struct rig *g = component;

	if (mem_stack_can_accept(g->stack, 0, MEM_READ)) {
		mem_stack_accept(g->stack, rig_request(g, g->left % 2 * g->p.row_bytes, MEM_READ));
		g->left--;
	}
	if (g->left)
		sim_wake_cycle(g->engine, g->later, cycle + 6);
}

/* Of two requests that wait too long, in two banks with hits without end, a guard over all banks is for the older one,
 * then for the other: only then is the second row closed. A guard per bank closes both at a time. */
static void test_one_is_guarded_at_a_time(void **state)
{
	const uint64_t ck = 1250, cap_cycles = 400;

	(void)state;
	for (uint32_t is_global = 0; is_global < 2; is_global++) {
		struct rig *g = rig_new();
		uint64_t apart_ps;

		g->p.refresh = false;
		g->p.vault_count = 1;
		g->p.starvation_cap_ps = cap_cycles * ck;
		g->p.starvation_global = is_global;
		rig_build(g);
		g->later = sim_engine_add(g->engine, 1, "two", feed_two_banks, g);
		g->left = 400;
		for (uint64_t row = 0; row < 2; row++) /* tags 0 to 3: a hit of each bank, then another row */
			for (uint64_t bank = 0; bank < 2; bank++)
				mem_stack_accept(g->stack,
						 rig_request(g, (row << 26) + bank * g->p.row_bytes, MEM_READ));
		sim_wake_cycle(g->engine, g->later, 0);
		sim_run(g->engine);
		assert_int_equal(rig_stat(g, "vault.starvation_breaks"), 2);
		apart_ps = g->done_ps[3] - g->done_ps[2];
		assert_in_range(apart_ps, is_global ? (11 + 11) * ck : 0, is_global ? 80 * ck : (11 + 11) * ck);
		assert_in_range(g->done_ps[3], cap_cycles * ck, (cap_cycles + 200) * ck);
		rig_free(g);
	}
}

/* A row that was opened for a read is read before the bus turns to eight writes of another row of its bank. Otherwise
 * both rows are opened twice, for the last two writes wait till after the read. */
static void test_open_rows_are_served_before_a_turn(void **state)
{
	(void)state;
	for (uint32_t prepares = 0; prepares < 2; prepares++) {
		struct rig *g = rig_new();

		g->p.refresh = false;
		g->p.vault_count = 1;
		g->p.write_high_count = 8;
		g->p.write_low_count = 2;
		g->p.prepare_banks = prepares;
		rig_build(g);
		g->address = 1ull << 26;
		sim_wake_cycle(g->engine, sim_engine_add(g->engine, 1, "more", eight_writes, g), 8);
		mem_stack_accept(g->stack, rig_request(g, 0, MEM_READ)); /* tag 0: opens its row in cycle 0 */
		sim_run(g->engine);
		assert_int_equal(place_of(g, 0), prepares ? 0 : 6);
		assert_int_equal(rig_stat(g, "vault.activates"), prepares ? 2 : 4);
		rig_free(g);
	}
}

/* A vault that overlaps its directions and is about to serve eight writes; or does not. */
static struct rig *overlapping_vault(bool prepares, uint64_t t_rcd, uint64_t t_rrd)
{
	struct rig *g = rig_new();

	g->p.refresh = false;
	g->p.vault_count = 1;
	g->p.write_high_count = 8;
	g->p.write_low_count = 2;
	g->p.prepare_banks = prepares;
	g->p.t_rcd = t_rcd;
	g->p.t_rrd = t_rrd;
	g->p.t_faw = 4 * t_rrd;
	rig_build(g);
	return g;
}

/* While the bus serves writes of one bank, a bank that only a read wants is opened: the read follows the last write as
 * soon as the bus allows. Otherwise it waits for its row after the turn, here for a long tRCD. */
static void test_banks_are_prepared_for_reads(void **state)
{
	uint64_t gap_ps[2];

	(void)state;
	for (uint32_t prepares = 0; prepares < 2; prepares++) {
		struct rig *g = overlapping_vault(prepares, 40, 5);

		accept_many(g, 8, MEM_WRITE);				       /* tags 0 to 7: bank 0 */
		mem_stack_accept(g->stack, rig_request(g, g->p.row_bytes, MEM_READ)); /* tag 8: another bank */
		sim_run(g->engine);
		assert_int_equal(place_of(g, 8), 6);
		gap_ps[prepares] = g->done_ps[8] - g->done_ps[5];
		rig_free(g);
	}
	/* The end of write data, tWTR, and tCL later two bursts. */
	assert_in_range(gap_ps[1], (6 + 11) * 1250 + 12800, (6 + 11 + 1) * 1250 + 12800);
	assert_true(gap_ps[0] > gap_ps[1] + 10 * 1250);
}

/* ... and for writes, while the last read waits for its row. */
static void test_banks_are_prepared_for_writes(void **state)
{
	uint64_t gap_ps[2];

	(void)state;
	for (uint32_t prepares = 0; prepares < 2; prepares++) {
		struct rig *g = overlapping_vault(prepares, 60, 5);

		sim_wake_cycle(g->engine, sim_engine_add(g->engine, 1, "more", eight_writes, g), 8);
		mem_stack_accept(g->stack, rig_request(g, 1 << 13, MEM_READ)); /* tag 0: another bank */
		sim_run(g->engine);
		gap_ps[prepares] = g->done_ps[1] > g->done_ps[0] ? g->done_ps[1] - g->done_ps[0] : 0;
		rig_free(g);
	}
	/* The end of read data, tRTW, two bursts. */
	assert_in_range(gap_ps[1], 2 * 1250 + 12800, (2 + 8) * 1250 + 12800);
	assert_int_equal(gap_ps[0], 0); /* the bus has turned before the read had its column */
}

static void one_row_is_open(void *component, uint64_t cycle)
{
	(void)cycle;
	assert_int_equal(rig_stat(component, "vault.activates"), 1);
}

/* ... but not while reads go on: for writes that the bus does not turn to soon a row would be closed again by reads. */
static void test_banks_are_not_prepared_for_few_writes(void **state)
{
	struct rig *g = overlapping_vault(true, 11, 5);

	(void)state;
	sim_wake_cycle(g->engine, sim_engine_add(g->engine, 1, "look", one_row_is_open, g), 100);
	mem_stack_accept(g->stack, rig_request(g, g->p.row_bytes, MEM_WRITE)); /* tag 0: another bank */
	accept_many(g, 30, MEM_READ);
	sim_run(g->engine);
	assert_int_equal(place_of(g, 0), 30);
	assert_true(g->done_ps[29] > 100 * 1250);
	rig_free(g);
}

/* What prepares goes last: the first ACT is the write's, though the read is older. */
static void test_the_served_direction_goes_first(void **state)
{
	struct rig *g = overlapping_vault(true, 11, 40);

	(void)state;
	mem_stack_accept(g->stack, rig_request(g, g->p.row_bytes, MEM_READ)); /* tag 0 */
	accept_many(g, 8, MEM_WRITE);				       /* tags 1 to 8: bank 0 */
	sim_run(g->engine);
	assert_int_equal(g->done_ps[1], (11 + 8) * 1250 + 12800 + ANSWER_PS);
	rig_free(g);
}

/* A row that was opened for the other direction is not closed for a write that comes later. */
static void later_write(void *component, uint64_t cycle)
{
	struct rig *g = component;

	(void)cycle;
	mem_stack_accept(g->stack, rig_request(g, (1ull << 26) + g->p.row_bytes, MEM_WRITE));
}

static void test_a_prepared_row_stays(void **state)
{
	struct rig *g = overlapping_vault(true, 11, 5);

	(void)state;
	sim_wake_cycle(g->engine, sim_engine_add(g->engine, 1, "later", later_write, g), 30);
	accept_many(g, 8, MEM_WRITE);				       /* tags 0 to 7: bank 0 */
	mem_stack_accept(g->stack, rig_request(g, g->p.row_bytes, MEM_READ)); /* tag 8: bank 1 */
	sim_run(g->engine);
	assert_int_equal(rig_stat(g, "vault.activates"), 3);
	assert_true(place_of(g, 9) > place_of(g, 8));
	rig_free(g);
}

/* ... however long that waits: the drain ends with the writes that were there when it began, then the row is read. */
static void test_a_prepared_row_stays_for_a_late_write(void **state)
{
	(void)state;
	for (uint32_t is_global = 0; is_global < 2; is_global++) {
		struct rig *g = rig_new();

		g->p.refresh = false;
		g->p.vault_count = 1;
		g->p.write_high_count = 8;
		g->p.write_low_count = 2;
		g->p.prepare_banks = true;
		g->p.starvation_global = is_global;
		g->p.starvation_cap_ps = 75000;
		rig_build(g);
		sim_wake_cycle(g->engine, sim_engine_add(g->engine, 1, "later", later_write, g), 30);
		accept_many(g, 30, MEM_WRITE);				       /* tags 0 to 29: bank 0 */
		mem_stack_accept(g->stack, rig_request(g, g->p.row_bytes, MEM_READ)); /* tag 30: bank 1 */
		sim_run(g->engine);
		assert_int_equal(rig_stat(g, "vault.activates"), 3);
		assert_true(place_of(g, 31) > place_of(g, 30));
		rig_free(g);
	}
}

/* Closed pages: a row that nobody wants is closed, so that another row of the bank needs no PRE. */
static void test_closed_pages_close(void **state)
{
	(void)state;
	for (uint32_t is_closed = 0; is_closed < 2; is_closed++) {
		struct rig *g = rig_new();

		g->p.refresh = false;
		g->p.vault_count = 1;
		g->p.page_policy = is_closed ? DRAM_PAGE_CLOSED : DRAM_PAGE_OPEN;
		rig_build(g);
		mem_stack_accept(g->stack, rig_request(g, 0, MEM_READ));
		sim_run(g->engine);
		assert_int_equal(rig_stat(g, "vault.precharges"), is_closed);
		mem_stack_accept(g->stack, rig_request(g, 1ull << 26, MEM_READ));
		sim_run(g->engine);
		assert_int_equal(rig_stat(g, "vault.row_misses"), 1 + is_closed);
		assert_int_equal(rig_stat(g, "vault.row_conflicts"), !is_closed);
		rig_free(g);
	}
}

/* The four vaults refresh a quarter of tREFI after one another. */
static void test_vaults_refresh_in_turn(void **state)
{
	struct rig *g = rig_new();

	(void)state;
	g->p.vault_count = 4;
	rig_build(g);
	for (uint32_t quarter = 1; quarter <= 8; quarter++) {
		sim_advance_units(g->engine, quarter * 7800000ull / 4 + 400000);
		mem_stack_settle(g->stack, false);
		assert_int_equal(rig_stat(g, "vault.refreshes"), quarter);
	}
	rig_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unloaded_latency),
		cmocka_unit_test(test_peak_bandwidth),
		cmocka_unit_test(test_conservation_under_random_load),
		cmocka_unit_test(test_refresh_is_issued_on_time),
		cmocka_unit_test(test_frfcfs_prefers_hits),
		cmocka_unit_test(test_fifo_counts_its_turnarounds),
		cmocka_unit_test(test_a_request_is_counted_once),
		cmocka_unit_test(test_writes_drain_between_their_marks),
		cmocka_unit_test(test_each_direction_has_its_entries),
		cmocka_unit_test(test_room_is_of_a_direction),
		cmocka_unit_test(test_few_writes_wait_for_reads),
		cmocka_unit_test(test_a_drain_is_limited),
		cmocka_unit_test(test_writes_are_not_starved),
		cmocka_unit_test(test_few_writes_are_not_starved),
		cmocka_unit_test(test_writes_go_with_a_late_one),
		cmocka_unit_test(test_a_late_write_is_served_in_any_case),
		cmocka_unit_test(test_the_cap_counts_from_arrival),
		cmocka_unit_test(test_reads_are_not_starved),
		cmocka_unit_test(test_late_writes_do_not_starve_reads),
		cmocka_unit_test(test_a_row_is_not_starved),
		cmocka_unit_test(test_a_bank_is_not_starved),
	    cmocka_unit_test(test_one_is_guarded_at_a_time),
		cmocka_unit_test(test_open_rows_are_served_before_a_turn),
		cmocka_unit_test(test_banks_are_prepared_for_reads),
		cmocka_unit_test(test_banks_are_prepared_for_writes),
		cmocka_unit_test(test_banks_are_not_prepared_for_few_writes),
		cmocka_unit_test(test_the_served_direction_goes_first),
		cmocka_unit_test(test_a_prepared_row_stays),
		cmocka_unit_test(test_a_prepared_row_stays_for_a_late_write),
		cmocka_unit_test(test_closed_pages_close),
		cmocka_unit_test(test_vaults_refresh_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
