/* Refresh and power of a vault: each policy by what it changes, all of them at random under the auditor. */
#include "rig.h"

enum { CK_PS = 1250, REFI_CYCLES = 6240, RFC_CYCLES = 128, REFI_PS = REFI_CYCLES * CK_PS };

static struct rig *lone_vault(void)
{
	struct rig *g = rig_new();

	g->p.vault_count = 1;
	g->p.tsv_latency_ps = g->p.controller_latency_ps = 0;
	return g;
}

static void run_until(struct rig *g, uint64_t ps)
{
	sim_limit(g->engine, ps);
	sim_run(g->engine);
	sim_limit(g->engine, SIM_NEVER);
}

static void idle_until(struct rig *g, uint64_t ps)
{
	sim_advance_units(g->engine, ps);
	mem_stack_settle(g->stack, false);
}

/* A lone read at the next edge of the clock: its time in cycles. */
static double read_cycles(struct rig *g, uint64_t addr)
{
	uint64_t begin = (sim_now_units(g->engine) / CK_PS + 1) * CK_PS;

	sim_advance_units(g->engine, begin);
	mem_stack_accept(g->stack, rig_request(g, addr, MEM_READ));
	sim_run(g->engine);
	return (double)(g->last_done_ps - begin) / CK_PS;
}

/* Reads of one row without end; the longest time between two answers. */
static uint64_t longest_gap_ps(struct rig *g, uint64_t from_ps)
{
	uint64_t gap_ps = 0, before_ps = 0;

	for (uint64_t i = 0; i < g->done_count; i++) {
		uint64_t at_ps = g->done_ps[g->order[i]];

		if (before_ps > from_ps && at_ps - before_ps > gap_ps)
			gap_ps = at_ps - before_ps;
		before_ps = at_ps;
	}
	return gap_ps;
}

static void read_without_end(struct rig *g, uint64_t count)
{
	g->stride_bytes = 0;
	g->left = count;
	sim_wake_cycle(g->engine, g->feeder, 0);
}

/* While requests wait, up to four refreshes are owed; the fifth goes, and the others when nobody waits. */
static void test_refreshes_are_postponed(void **state)
{
	(void)state;
	for (uint64_t count = 0; count <= 4; count += 4) {
		struct rig *g = lone_vault();

		g->p.refresh_postpone_count = count;
		rig_build(g);
		read_without_end(g, 3500); /* 44.8 us */
		run_until(g, REFI_PS * 9 / 2);
		assert_int_equal(rig_stat(g, "vault.refreshes"), count ? 0 : 4);
		run_until(g, REFI_PS * 21 / 4);
		assert_int_equal(rig_stat(g, "vault.refreshes"), count ? 1 : 5);
		sim_run(g->engine);
		idle_until(g, REFI_PS * 13 / 2);
		assert_int_equal(rig_stat(g, "vault.refreshes"), 6);
		rig_free(g);
	}
}

/* As many as the standard allows, and the auditor agrees. */
static void test_eight_are_postponed(void **state)
{
	struct rig *g = lone_vault();

	(void)state;
	g->p.refresh_postpone_count = 8;
	g->p.refresh_pull_in_count = 7;
	rig_build(g);
	idle_until(g, REFI_PS * 7 / 2);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 3 + 7);
	g->stride_bytes = 0;
	g->left = 15000;
	sim_wake_cycle(g->engine, g->feeder, REFI_PS * 7 / 2 / 1000 + 1);
	sim_run(g->engine);
	mem_stack_settle(g->stack, false);
	rig_free(g);
}

/* So do they of each rank, whose refreshes lie apart, while requests wait all the time. */
static void test_eight_are_postponed_of_each_rank(void **state)
{
	(void)state;
	for (uint64_t rank_count = 1; rank_count <= 4; rank_count *= 2) {
		struct rig *g = lone_vault();

		g->p.rank_count = rank_count;
		g->p.t_rtrs = 2;
		g->p.refresh_postpone_count = 8;
		g->p.starvation_cap_ps = 1250000000;
		rig_build(g);
		g->span_bytes = LINE_BYTES; /* reads of the first rank without end, */
		for (uint64_t rank = 1; rank < rank_count; rank++) /* and a write that waits for each other one */
			mem_stack_accept(g->stack, rig_request(g, rank * 16 * g->p.row_bytes, MEM_WRITE));
		g->left = 8000;
		sim_wake_cycle(g->engine, g->feeder, 0);
		run_until(g, REFI_PS * 8);
		assert_int_equal(rig_stat(g, "vault.refreshes"), 0);
		run_until(g, REFI_PS * 10);
		assert_in_range(rig_stat(g, "vault.refreshes"), rank_count, 2 * rank_count);
		sim_run(g->engine);
		mem_stack_settle(g->stack, false);
		rig_free(g);
	}
}

/* They are issued in time however long the banks take to close. */
static void test_postponed_in_time(void **state)
{
	(void)state;
	for (uint64_t t_wr = 12; t_wr <= 212; t_wr += 100) {
		struct rig *g = lone_vault();

		g->p.refresh_postpone_count = 8;
		g->p.t_refi_ns = 1000;
		g->p.t_wr = t_wr;
		rig_build(g);
		g->write_percent = 50;
		g->span_bytes = 1 << 26;
		g->left = 8000;
		sim_wake_cycle(g->engine, g->feeder, 0);
		sim_run(g->engine);
		mem_stack_settle(g->stack, false);
		rig_free(g);
	}
}

static void send_four(void *component, uint64_t cycle)
{
	struct rig *g = component;

	(void)cycle;
	for (uint32_t i = 0; i < 4; i++)
		mem_stack_accept(g->stack, rig_request(g, 0, MEM_READ));
}

/* FIFO: requests that have not entered their bank may be for any rank. When all have, a rank that nobody wants powers
 * down, though the other one always has work. */
static void test_fifo_lets_ranks_sleep(void **state)
{
	struct rig *g = lone_vault();
	struct sim_comp four;

	(void)state;
	g->p.scheduler = DRAM_FIFO;
	g->p.rank_count = 2;
	g->p.t_rtrs = 2;
	g->p.power_down_idle_cycles = 100; /* 125 ns: amid the third four, which take 51.2 ns */
	g->p.refresh = false;
	rig_build(g);
	four = sim_engine_add(g->engine, 1, "four", send_four, g);
	for (uint64_t cycle = 0; cycle < 1000; cycle += 51)
		sim_wake_cycle(g->engine, four, cycle);
	run_until(g, 900 * 1000);
	assert_true(rig_stat(g, "vault.power_downs") > 0);
	sim_run(g->engine);
	rig_free(g);
}

/* An idle vault refreshes ahead, asleep as it is. */
static void test_refreshes_are_pulled_in(void **state)
{
	struct rig *g = lone_vault();

	(void)state;
	g->p.refresh_pull_in_count = 3;
	rig_build(g);
	idle_until(g, (RFC_CYCLES - 1) * CK_PS);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 0);
	idle_until(g, (RFC_CYCLES + 5) * CK_PS);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 1); /* after it was idle for tRFC */
	idle_until(g, (4 * RFC_CYCLES + 5) * CK_PS);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 3);
	idle_until(g, REFI_PS + RFC_CYCLES * CK_PS);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 4);
	rig_free(g);
}

/* A rank that has served a request idles for tRFC from its last command on, then closes its row and refreshes. */
static void test_pulling_in_waits_for_idleness(void **state)
{
	struct rig *g = lone_vault();
	uint64_t column_ps;

	(void)state;
	g->p.refresh_pull_in_count = 1;
	rig_build(g);
	mem_stack_accept(g->stack, rig_request(g, 0, MEM_READ));
	sim_run(g->engine);
	column_ps = g->last_done_ps - 6400 - 11 * CK_PS; /* at most a cycle after its RD */
	idle_until(g, column_ps + (RFC_CYCLES - 1) * CK_PS);
	assert_int_equal(rig_stat(g, "vault.precharges"), 0);
	idle_until(g, column_ps + (RFC_CYCLES + 1) * CK_PS);
	assert_int_equal(rig_stat(g, "vault.precharges"), 1);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 0);
	idle_until(g, column_ps + (RFC_CYCLES + 11 + 1) * CK_PS); /* tRP */
	assert_int_equal(rig_stat(g, "vault.refreshes"), 1);
	rig_free(g);
}

/* The bank of another is refreshed: reads go on. */
static void test_other_banks_go_on(void **state)
{
	(void)state;
	for (uint32_t is_single = 0; is_single < 2; is_single++) {
		struct rig *g = lone_vault();

		g->p.refresh_mode = is_single ? DRAM_REFRESH_PER_BANK : DRAM_REFRESH_ALL_BANK;
		g->p.t_rfc_pb_ns = 160;
		g->p.t_refi_ns = 16 * 7800;
		rig_build(g);
		read_without_end(g, 12000);
		run_until(g, (is_single ? 10 : 17) * REFI_PS);
		if (is_single)
			assert_in_range(longest_gap_ps(g, 2 * REFI_PS), 12800, 40 * CK_PS);
		else
			assert_in_range(longest_gap_ps(g, 2 * REFI_PS), RFC_CYCLES * CK_PS, 2 * RFC_CYCLES * CK_PS);
		assert_int_equal(rig_stat(g, "vault.bank_refreshes"), is_single ? 10 : 0);
		assert_int_equal(rig_stat(g, "vault.refreshed_banks"), is_single ? 10 : 0);
		sim_run(g->engine);
		rig_free(g);
	}
}

/* One bank of each of the four groups at a time. */
static void test_same_bank_refreshes_a_bank_of_each_group(void **state)
{
	struct rig *g = lone_vault();

	(void)state;
	g->p.refresh_mode = DRAM_REFRESH_SAME_BANK;
	g->p.group_count = 4;
	g->p.t_rfc_pb_ns = 100;
	rig_build(g);
	idle_until(g, REFI_PS * 10 + REFI_PS / 8);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 0);
	assert_int_equal(rig_stat(g, "vault.bank_refreshes"), 40);
	assert_int_equal(rig_stat(g, "vault.refreshed_banks"), 160);
	rig_free(g);
}

/* Two ranks refresh half an interval after one another, and one that is not refreshed goes on. */
static void test_ranks_refresh_in_turn(void **state)
{
	struct rig *g = lone_vault();

	(void)state;
	g->p.rank_count = 2;
	g->p.t_rtrs = 2;
	rig_build(g);
	idle_until(g, REFI_PS * 3 / 4);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 1);
	idle_until(g, REFI_PS * 5 / 4);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 2);
	idle_until(g, REFI_PS * 7 / 4);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 3);
	/* The first rank refreshes at the second interval. */
	idle_until(g, REFI_PS * 2 - 50 * CK_PS);
	assert_true(read_cycles(g, 0) < 40);
	sim_advance_units(g->engine, REFI_PS * 2 + 10 * CK_PS);
	assert_true(read_cycles(g, 16 * g->p.row_bytes) < 40); /* the other rank */
	assert_true(read_cycles(g, 0) > 60);
	rig_free(g);
}

/* The last column of a row closes it: no PRE, so that it is open for tRCD and two columns only. */
static void test_columns_close_their_rows(void **state)
{
	(void)state;
	for (uint32_t is_auto = 0; is_auto < 2; is_auto++) {
		struct rig *g = lone_vault();

		g->p.refresh = false;
		g->p.page_policy = DRAM_PAGE_CLOSED;
		g->p.auto_precharge = is_auto;
		rig_build(g);
		mem_stack_accept(g->stack, rig_request(g, 0, MEM_READ));
		mem_stack_accept(g->stack, rig_request(g, LINE_BYTES, MEM_WRITE)); /* the row stays for it */
		sim_run(g->engine);
		mem_stack_settle(g->stack, false);
		assert_int_equal(rig_stat(g, "vault.activates"), 1);
		assert_int_equal(rig_stat(g, "vault.precharges"), 1);
		assert_int_equal(rig_stat(g, "vault.column_reads") + rig_stat(g, "vault.column_writes"), 4);
		if (is_auto)
			assert_in_range(rig_stat(g, "vault.open_cycles"), 28, 45);
		else
			assert_true(rig_stat(g, "vault.open_cycles") > 45);
		rig_free(g);
	}
}

/* tREFI is no multiple of the banks: what is refreshed bank by bank keeps to it all the same. */
static void test_intervals_add_up(void **state)
{
	const uint64_t refi_cycles = 3124, rounds = 4000; /* 16 banks: every 195.25 */

	(void)state;
	for (uint32_t is_unaudited = 0; is_unaudited < 2; is_unaudited++) {
		struct rig *g = lone_vault();

		g->is_unaudited = is_unaudited;
		g->p.refresh_mode = DRAM_REFRESH_PER_BANK;
		g->p.t_rfc_pb_ns = 60;
		g->p.t_refi_ns = (double)(refi_cycles * CK_PS) / 1000;
		rig_build(g);
		idle_until(g, (refi_cycles * rounds + 10) * CK_PS);
		assert_int_equal(rig_stat(g, "vault.bank_refreshes"), 16 * rounds);
		rig_free(g);
	}
}

/* An idle rank powers down, wakes for each refresh and goes back; a read waits for tXP. */
static void test_idle_ranks_power_down(void **state)
{
	struct rig *g = lone_vault();
	const uint64_t idle_cycles = 100;

	(void)state;
	g->p.power_down_idle_cycles = idle_cycles;
	rig_build(g);
	assert_int_equal((int)read_cycles(g, 0), (int)(11 + 11 + 10.24));
	idle_until(g, REFI_PS / 2);
	assert_int_equal(rig_stat(g, "vault.power_downs"), 1);
	assert_in_range(rig_stat(g, "vault.power_down_cycles"), REFI_CYCLES / 2 - idle_cycles - 30,
			REFI_CYCLES / 2 - idle_cycles - 10);
	assert_int_equal((int)read_cycles(g, 0), (int)(5 + 11 + 10.24)); /* tXP, and the row is still open */
	idle_until(g, 10 * REFI_PS + REFI_PS / 2);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 10);
	assert_int_equal(rig_stat(g, "vault.power_downs"), 2 + 10);
	rig_free(g);
}

/* The time of refreshes, power-downs and states is the same when it is counted by rounds. */
static void test_long_sleep_is_counted_exactly(void **state)
{
	static const char *const keys[] = {"vault.refreshes",	      "vault.bank_refreshes", "vault.refreshed_banks",
					   "vault.power_downs",	      "vault.rank_cycles",    "vault.open_cycles",
					   "vault.precharged_cycles", "vault.power_down_cycles"};
	uint64_t values[2][8];

	(void)state;
	for (uint32_t i = 0; i < 12; i++) {
		for (uint32_t is_unaudited = 0; is_unaudited < 2; is_unaudited++) {
			struct rig *g = rig_new();

			g->is_unaudited = is_unaudited;
			g->p.vault_count = 4;
			g->p.rank_count = 2;
			g->p.pseudo_count = i & 1 ? 2 : 1;
			g->p.refresh_mode = i % 3;
			g->p.group_count = 4;
			g->p.t_rfc_pb_ns = 100;
			g->p.power_down_idle_cycles = i & 2 ? 50 : 0;
			g->p.refresh_pull_in_count = i & 4 ? 2 : 0;
			rig_build(g);
			mem_stack_accept(g->stack, rig_request(g, 0, MEM_READ));
			sim_run(g->engine);
			idle_until(g, 5 * REFI_PS + 12345678);
			idle_until(g, 105 * REFI_PS + 1234567);
			for (uint32_t k = 0; k < 8; k++)
				values[is_unaudited][k] = rig_stat(g, keys[k]);
			assert_null(sim_stats_broken_law(g->stats));
			rig_free(g);
		}
		assert_memory_equal(values[0], values[1], sizeof(values[0]));
	}
}

/* Self-refresh after a time without requests; then nothing is refreshed from outside. Waking takes tXS and a REF. */
static void test_idle_ranks_refresh_themselves(void **state)
{
	struct rig *g = lone_vault();

	(void)state;
	g->p.self_refresh_idle_ns = 4 * 7800;
	g->p.power_down_idle_cycles = 100;
	g->p.t_xs_ns = 170;
	rig_build(g);
	idle_until(g, 100 * REFI_PS);
	assert_in_range(rig_stat(g, "vault.refreshes"), 3, 4);
	assert_int_equal(rig_stat(g, "vault.self_refreshes"), 1);
	assert_in_range(rig_stat(g, "vault.self_refresh_cycles"), 95 * REFI_CYCLES, 96 * REFI_CYCLES);
	assert_int_equal((int)read_cycles(g, 0), (int)(136 + RFC_CYCLES + 11 + 11 + 10.24));
	mem_stack_settle(g->stack, false);
	assert_null(sim_stats_broken_law(g->stats));
	rig_free(g);
}

/* Every eighth ACT of a bank brings an RFM; a REF takes eight of its activations away, here before there are so many.
 */
static void test_activations_bring_rfm(void **state)
{
	(void)state;
	for (uint32_t refreshes = 0; refreshes < 2; refreshes++) {
		struct rig *g = lone_vault();

		g->p.refresh = refreshes;
		g->p.t_refi_ns = 340;
		g->p.rfm_threshold_count = 8;
		g->p.t_rfm_ns = 100;
		g->p.starvation_cap_ps = 1250;
		rig_build(g);
		for (uint32_t i = 0; i < 403; i++) {
			mem_stack_accept(g->stack, rig_request(g, (uint64_t)(i % 2) << 26, MEM_READ));
			sim_run(g->engine);
		}
		assert_true(refreshes || rig_stat(g, "vault.activates") == 403);
		assert_int_equal(rig_stat(g, "vault.managements"), refreshes ? 0 : 50);
		assert_int_equal(rig_stat(g, "vault.refreshed_banks"), rig_stat(g, "vault.managements") * 16);
		rig_free(g);
	}
}

/* Two pseudo channels whose columns take a clock each share the command bus: half of what they do with one each. */
static void test_pseudo_channels_share_a_bus(void **state)
{
	uint64_t time_ps[2];

	(void)state;
	for (uint32_t shares = 0; shares < 2; shares++) {
		struct rig *g = rig_new();

		g->p.refresh = false;
		g->p.vault_count = 2;
		g->p.pseudo_count = 1 + shares;
		g->p.data_rate_mbps = 0;
		g->p.data_bits = 512;
		g->p.burst_beats = 2;
		g->p.t_ccd = 1;
		rig_build(g);
		g->left = 8000;
		sim_wake_cycle(g->engine, g->feeder, 0);
		sim_run(g->engine);
		time_ps[shares] = g->last_done_ps;
		rig_free(g);
	}
	assert_in_range(time_ps[1], 8000 * CK_PS, 8000 * CK_PS * 12 / 10); /* and some ACT */
	assert_true(time_ps[0] * 3 < time_ps[1] * 2);
}

/* While one works, the other, which has nothing to do, ticks for its refreshes: they come when they are due, and are
 * not caught up with when both are idle. */
static void test_an_idle_pseudo_channel_refreshes(void **state)
{
	const uint32_t intervals = 12;
	struct rig *g = rig_new();

	(void)state;
	g->p.vault_count = g->p.pseudo_count = 2;
	rig_build(g);
	read_without_end(g, 10000);
	run_until(g, intervals * (uint64_t)REFI_PS + REFI_PS / 4);
	assert_true(g->left > 0);
	assert_int_equal(rig_stat(g, "vault.refreshes"), 2 * intervals);
	sim_run(g->engine);
	rig_free(g);
}

/* With a bus of their own, ACT and PRE take no time from columns that take a clock each. */
static void test_two_command_buses(void **state)
{
	uint64_t time_ps[2];

	(void)state;
	for (uint32_t is_dual = 0; is_dual < 2; is_dual++) {
		struct rig *g = lone_vault();

		g->p.refresh = false;
		g->p.data_rate_mbps = 0;
		g->p.data_bits = 512;
		g->p.burst_beats = 2;
		g->p.t_ccd = g->p.t_rrd = g->p.t_faw = 1;
		g->p.row_bytes = 256; /* two columns a row: an ACT and a PRE each */
		g->p.dual_command_bus = is_dual;
		rig_build(g);
		g->left = 8000;
		sim_wake_cycle(g->engine, g->feeder, 0);
		sim_run(g->engine);
		time_ps[is_dual] = g->last_done_ps;
		rig_free(g);
	}
	assert_true(time_ps[0] > 16000 * (uint64_t)CK_PS);
	assert_true(time_ps[1] * 10 < time_ps[0] * 9);
}

/* A FIFO's column lets a request into its bank; a row command in the same cycle must not make the vault forget that
 * bank. Without refresh, nothing would remind it. */
static void test_two_command_buses_in_order(void **state)
{
	struct rig *g = lone_vault();

	(void)state;
	g->p.refresh = false;
	g->p.scheduler = DRAM_FIFO;
	g->p.dual_command_bus = true;
	g->span_bytes = 1ull << 24;
	rig_build(g);
	g->left = 2000;
	sim_wake_cycle(g->engine, g->feeder, 0);
	sim_run(g->engine);
	assert_int_equal(g->done_count, 2000);
	rig_free(g);
}

/* With two buses the cycles at which commands are legal are kept in 16 bits. A refresh of 10 us takes 100,000 clocks of
 * 0.1 ns: nothing goes in it, and what waits goes at its end. */
static void test_two_command_buses_wait_long(void **state)
{
	struct rig *g = lone_vault();

	(void)state;
	g->p.dual_command_bus = true;
	g->p.t_ck_ps = 100;
	g->p.t_refi_ns = 30000;
	g->p.t_rfc_ns = 10000;
	g->span_bytes = 1ull << 24;
	rig_build(g);
	g->left = 2000;
	g->gap_cycles = 100;
	sim_wake_cycle(g->engine, g->feeder, 0);
	sim_run(g->engine);
	assert_int_equal(g->done_count, 2000);
	assert_in_range(rig_stat(g, "vault.refreshes"), 3, 6);
	assert_in_range(longest_gap_ps(g, 0), 10000000, 10200000);
	rig_free(g);
}

/* A reset leaves rows open that were about to be closed. Refreshes that fall due till the next request are caught up
 * with all the same, also where two vaults share a command bus. */
static void test_reset_between_commands(void **state)
{
	(void)state;
	for (uint32_t pseudo = 1; pseudo <= 2; pseudo++) {
		struct rig *g = rig_new();

		g->p.vault_count = 2;
		g->p.pseudo_count = pseudo;
		g->p.page_policy = DRAM_PAGE_CLOSED;
		g->left = 300;
		rig_build(g);
		sim_wake_cycle(g->engine, g->feeder, 0);
		sim_run_until(g->engine, sim_units_of_ps(g->engine, 200000));
		assert_in_range(g->done_count, 1, 299);
		g->left = 0;
		mem_stack_reset(g->stack);
		mem_req_pool_reset(g->pool);
		memset(g->is_answered, 0, sizeof(g->is_answered));
		sim_run_until(g->engine, 20ull * REFI_PS);
		g->left = 20;
		sim_wake_units(g->engine, g->feeder, sim_now_units(g->engine) + 1);
		sim_run(g->engine);
		mem_stack_settle(g->stack, false);
		assert_in_range(rig_stat(g, "vault.refreshes"), 2 * 20, 2 * 21);
		rig_free(g);
	}
}

/* Everything at once, at random: the auditor finds nothing, each request is answered once, states add up. */
static void test_all_together_at_random(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 200; i++) {
		struct rig *g = rig_new();
		uint64_t r = (i + 1) * 0x9e3779b97f4a7c15ull;

		g->seed = i;
		g->p.vault_count = 2;
		g->p.pseudo_count = 1 + (r >> 8 & 1);
		g->p.rank_count = 1u << (r >> 9 & 1);
		g->p.bank_count = 16u << (r >> 39 & 1);
		g->p.group_count = 1u << (r >> 10 & 3);
		g->p.refresh_mode = (r >> 12 & 3) % 3;
		g->p.t_rfc_pb_ns = 90;
		g->p.t_rrefd_ns = 20;
		g->p.t_refi_ns = r >> 14 & 1 ? 7800 : 2600;
		g->p.refresh_postpone_count = (r >> 15 & 3) * (r >> 17 & 3) % 9;
		g->p.refresh_pull_in_count = r >> 19 & 1 ? r >> 20 & 7 : 0;
		g->p.page_policy = r >> 23 & 1 ? DRAM_PAGE_CLOSED : DRAM_PAGE_OPEN;
		g->p.auto_precharge = r >> 24 & 1;
		g->p.power_down_idle_cycles = r >> 25 & 1 ? 20 : 0;
		g->p.self_refresh_idle_ns = r >> 26 & 1 ? 2000 : 0;
		g->p.rfm_threshold_count = r >> 27 & 1 ? 8 : 0;
		g->p.t_rfm_ns = 100;
		g->p.dual_command_bus = r >> 28 & 1;
		g->p.command_act_cycles = 1 + (r >> 29 & 1);
		g->p.scheduler = r >> 30 & 1 ? DRAM_FIFO : DRAM_FRFCFS;
		g->p.prepare_banks = r >> 31 & 1;
		g->p.starvation_global = r >> 32 & 1;
		g->p.t_ccd_l = r >> 36 & 1 ? 12 : 0;
		g->p.t_rrd_l = r >> 37 & 1 ? 9 : 0;
		g->p.t_ppd = r >> 38 & 1 ? 4 : 0;
		g->write_percent = 33;
		g->gap_cycles = r >> 33 & 1 ? 5000 : r >> 34 & 1 ? 100 : 0;
		g->span_bytes = r >> 35 & 1 ? 1ull << 28 : 1 << 16;
		g->left = g->gap_cycles > 100 ? 300 : 3000;
		rig_build(g);
		sim_wake_cycle(g->engine, g->feeder, 0);
		sim_run(g->engine);
		sim_advance_units(g->engine, sim_now_units(g->engine) + 20 * REFI_PS);
		mem_stack_settle(g->stack, false);
		assert_int_equal(g->left, 0);
		assert_int_equal(rig_stat(g, "vault.reads") + rig_stat(g, "vault.writes"), g->done_count);
		assert_int_equal(g->done_count, g->next_tag);
		assert_in_range(rig_stat(g, "vault.activates") - rig_stat(g, "vault.precharges"), 0,
				2 * dram_vault_bank_count(&g->p));
		assert_null(sim_stats_broken_law(g->stats));
		rig_free(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refreshes_are_postponed),
		cmocka_unit_test(test_eight_are_postponed),
		cmocka_unit_test(test_eight_are_postponed_of_each_rank),
		cmocka_unit_test(test_postponed_in_time),
		cmocka_unit_test(test_fifo_lets_ranks_sleep),
		cmocka_unit_test(test_refreshes_are_pulled_in),
		cmocka_unit_test(test_pulling_in_waits_for_idleness),
		cmocka_unit_test(test_other_banks_go_on),
		cmocka_unit_test(test_same_bank_refreshes_a_bank_of_each_group),
		cmocka_unit_test(test_ranks_refresh_in_turn),
		cmocka_unit_test(test_columns_close_their_rows),
		cmocka_unit_test(test_intervals_add_up),
		cmocka_unit_test(test_idle_ranks_power_down),
		cmocka_unit_test(test_long_sleep_is_counted_exactly),
		cmocka_unit_test(test_idle_ranks_refresh_themselves),
		cmocka_unit_test(test_activations_bring_rfm),
		cmocka_unit_test(test_pseudo_channels_share_a_bus), cmocka_unit_test(test_reset_between_commands),
		cmocka_unit_test(test_an_idle_pseudo_channel_refreshes),
		cmocka_unit_test(test_two_command_buses),
		cmocka_unit_test(test_two_command_buses_in_order),
		cmocka_unit_test(test_two_command_buses_wait_long),
		cmocka_unit_test(test_all_together_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
