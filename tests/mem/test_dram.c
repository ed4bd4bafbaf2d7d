/* Every timing edge of the bank model (illegal at t-1, legal at t), and the auditor's view of the same edges: it must
 * accept the command at t and report the rule at t-1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>

#include "mem/audit.h"
#include "mem/dram.h"

struct bench {
	struct dram_params p;
	struct dram_timing timing;
	struct dram_banks banks;
	struct mem_audit *audit;
	uint32_t violation_count;
	char last_violation[256];
};

static void on_violation(void *ctx, const char *text)
{
	struct bench *b = ctx;

	b->violation_count++;
	strncpy(b->last_violation, text, sizeof(b->last_violation) - 1);
}

static void defaults(struct dram_params *p)
{
	const struct sim_param_group g = {"dram", dram_param_rows, dram_param_row_count, p, NULL};

	sim_param_defaults(&g);
}

static void begin(struct bench *b, const struct dram_params *p)
{
	memset(b, 0, sizeof(*b));
	b->p = *p;
	dram_timing_init(&b->timing, p, p->t_ck_ps, 1);
	dram_banks_init(&b->banks, &b->timing, NULL);
	b->audit = mem_audit_new(&b->p, 1, on_violation, b);
}

struct step {
	enum dram_command command;
	uint32_t bank, row;
	uint64_t cycle;
};

/* One rule: a legal prologue, then a command whose first legal cycle is known in closed form. */
struct edge {
	const char *rule;
	struct step prologue[8];
	uint32_t step_count;
	struct step probe;
	const char *audit_text;
};

static void play(struct bench *b, const struct edge *e)
{
	for (uint32_t i = 0; i < e->step_count; i++) {
		const struct step *s = &e->prologue[i];

		assert_true(dram_banks_is_legal(&b->banks, s->command, s->bank, s->row, s->cycle));
		dram_banks_issue(&b->banks, s->command, s->bank, s->row, s->cycle);
		mem_audit_command(b->audit, s->command, s->bank, s->row, s->cycle);
		if (b->violation_count)
			fail_msg("%s: prologue step %u: %s", e->rule, i, b->last_violation);
	}
}

static void check_edge(const struct dram_params *p, const struct edge *e)
{
	const struct step *s = &e->probe;
	struct bench b;

	begin(&b, p);
	play(&b, e);
	if (dram_banks_is_legal(&b.banks, s->command, s->bank, s->row, s->cycle - 1))
		fail_msg("%s: legal at t-1", e->rule);
	if (!dram_banks_is_legal(&b.banks, s->command, s->bank, s->row, s->cycle))
		fail_msg("%s: illegal at t", e->rule);
	mem_audit_command(b.audit, s->command, s->bank, s->row, s->cycle);
	if (b.violation_count)
		fail_msg("%s: auditor refuses t: %s", e->rule, b.last_violation);
	mem_audit_free(b.audit);

	begin(&b, p);
	play(&b, e);
	mem_audit_command(b.audit, s->command, s->bank, s->row, s->cycle - 1);
	if (!b.violation_count || !strstr(b.last_violation, e->audit_text))
		fail_msg("%s: auditor misses t-1, says '%s'", e->rule, b.last_violation);
	mem_audit_free(b.audit);
}

/* Burst of 8 at 800 ps = 6400 ps, tCK 1250 ps: the numbers below are the DDR3-1600 defaults. */
static void test_every_edge(void **state)
{
	struct dram_params p;

	(void)state;
	defaults(&p);
	p.t_rrd = 6; /* so that no rule hides another */
	p.t_faw = 40;

	const uint64_t rd = 100 + 11; /* ACT at 100 */
	const uint64_t wr_end = (rd + 8) + 6; /* data ends 5.12 tCK after its start: in cycle 6 */
	const struct edge edges[] = {
		{"tRCD read", {{DRAM_ACT, 0, 7, 100}}, 1, {DRAM_RD, 0, 7, 111}, "tRCD"},
		{"tRCD write", {{DRAM_ACT, 0, 7, 100}}, 1, {DRAM_WR, 0, 7, 111}, "tRCD"},
		{"tRAS", {{DRAM_ACT, 0, 7, 100}}, 1, {DRAM_PRE, 0, 0, 128}, "tRAS"},
		{"tRAS, all banks", {{DRAM_ACT, 3, 7, 100}}, 1, {DRAM_PREA, 0, 0, 128}, "tRAS"},
		{"tRC", {{DRAM_ACT, 0, 7, 100}, {DRAM_PRE, 0, 0, 128}}, 2, {DRAM_ACT, 0, 8, 139}, "tR"},
		{"tRP", {{DRAM_ACT, 0, 7, 100}, {DRAM_PRE, 0, 0, 150}}, 2, {DRAM_ACT, 0, 8, 161}, "tRP"},
		{"tRRD", {{DRAM_ACT, 0, 7, 100}}, 1, {DRAM_ACT, 1, 7, 106}, "tRRD"},
		{"tFAW",
		 {{DRAM_ACT, 0, 7, 100}, {DRAM_ACT, 1, 7, 106}, {DRAM_ACT, 2, 7, 112}, {DRAM_ACT, 3, 7, 118}},
		 4,
		 {DRAM_ACT, 4, 7, 140},
		 "tFAW"},
		{"bus, read after read",
		 {{DRAM_ACT, 0, 7, 100}, {DRAM_RD, 0, 7, rd}},
		 2,
		 {DRAM_RD, 0, 7, rd + 5},
		 "bus"},
		{"bus, write after write",
		 {{DRAM_ACT, 0, 7, 100}, {DRAM_WR, 0, 7, rd}},
		 2,
		 {DRAM_WR, 0, 7, rd + 5},
		 "bus"},
		{"tRTP", {{DRAM_ACT, 0, 7, 100}, {DRAM_RD, 0, 7, 130}}, 2, {DRAM_PRE, 0, 0, 136}, "tRTP"},
		{"tWR", {{DRAM_ACT, 0, 7, 100}, {DRAM_WR, 0, 7, rd}}, 2, {DRAM_PRE, 0, 0, wr_end + 12}, "tWR"},
		{"tWTR same bank",
		 {{DRAM_ACT, 0, 7, 100}, {DRAM_WR, 0, 7, rd}},
		 2,
		 {DRAM_RD, 0, 7, wr_end + 6},
		 "tWTR"},
		{"tWTR other bank",
		 {{DRAM_ACT, 1, 7, 90}, {DRAM_ACT, 0, 7, 100}, {DRAM_WR, 0, 7, rd}},
		 3,
		 {DRAM_RD, 1, 7, wr_end + 6},
		 "tWTR"},
		{"tRTW",
		 {{DRAM_ACT, 0, 7, 100}, {DRAM_RD, 0, 7, rd}},
		 2,
		 {DRAM_WR, 0, 7, rd + 11 + 6 + 2 - 8},
		 "tRTW"},
		{"tRP before REF", {{DRAM_ACT, 0, 7, 100}, {DRAM_PRE, 0, 0, 150}}, 2, {DRAM_REF, 0, 0, 161}, "tRP"},
		{"tRFC to ACT", {{DRAM_REF, 0, 0, 100}}, 1, {DRAM_ACT, 5, 7, 228}, "tRFC"},
		{"tRFC to REF", {{DRAM_REF, 0, 0, 100}}, 1, {DRAM_REF, 0, 0, 228}, "tRFC"},
		{"command bus", {{DRAM_ACT, 0, 7, 100}, {DRAM_RD, 0, 7, 128}}, 2, {DRAM_PRE, 0, 0, 134}, "tRTP"},
	};

	for (uint32_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		check_edge(&p, &edges[i]);

	/* tCCD rules alone when the burst is shorter than it: 2 beats take 1600 ps. */
	p.burst_beats = 2;

	const struct edge ccd = {"tCCD",
				 {{DRAM_ACT, 0, 7, 100}, {DRAM_RD, 0, 7, rd}},
				 2,
				 {DRAM_RD, 0, 7, rd + 4},
				 "tCCD"};

	check_edge(&p, &ccd);
	p.t_rc = 50;

	const struct edge rc = {"tRC alone",
				{{DRAM_ACT, 0, 7, 100}, {DRAM_PRE, 0, 0, 128}},
				2,
				{DRAM_ACT, 0, 8, 150},
				"tRC"};

	check_edge(&p, &rc);
}

static void expect_violation(const struct dram_params *p, const struct step *steps, uint32_t count, const char *text)
{
	struct bench b;

	begin(&b, p);
	for (uint32_t i = 0; i < count; i++)
		mem_audit_command(b.audit, steps[i].command, steps[i].bank, steps[i].row, steps[i].cycle);
	if (!b.violation_count || !strstr(b.last_violation, text))
		fail_msg("expected '%s', got '%s'", text, b.last_violation);
	mem_audit_free(b.audit);
}

static void test_auditor_finds_illegal_states(void **state)
{
	struct dram_params p;
	const struct step same_cycle[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_ACT, 1, 7, 100}};
	const struct step open_twice[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_ACT, 0, 7, 300}};
	const struct step closed[] = {{DRAM_RD, 0, 7, 100}};
	const struct step wrong_row[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_RD, 0, 8, 200}};
	const struct step refresh_open[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_REF, 0, 0, 300}};
	const struct step precharge_closed[] = {{DRAM_PRE, 0, 0, 100}};
	/* Nothing else forbids these: far from their banks' other commands, on another bank, or after PREA. */
	const struct step two_on_the_bus[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_ACT, 1, 7, 150}, {DRAM_PRE, 0, 0, 200},
					      {DRAM_PRE, 1, 0, 200}};
	const struct step soon_after_all[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_PREA, 0, 0, 160}, {DRAM_ACT, 0, 8, 170}};
	const struct step refresh_too_soon[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_PRE, 0, 0, 130}, {DRAM_REF, 0, 0, 150}};

	(void)state;
	defaults(&p);
	expect_violation(&p, same_cycle, 2, "tRRD");
	expect_violation(&p, open_twice, 2, "bank is open");
	expect_violation(&p, closed, 1, "bank is closed");
	expect_violation(&p, wrong_row, 2, "row 7 is open");
	expect_violation(&p, refresh_open, 2, "bank is open");
	expect_violation(&p, precharge_closed, 1, "bank is closed");
	expect_violation(&p, two_on_the_bus, 4, "command bus");
	expect_violation(&p, soon_after_all, 3, "tRP");
	p.t_rc = 60;
	expect_violation(&p, refresh_too_soon, 3, "REF bank 0 row 0: tRC");
}

/* tREFI = 6240 tCK: eight may be postponed, a ninth may not. */
static void test_auditor_finds_missing_refresh(void **state)
{
	struct dram_params p;
	struct bench b;

	(void)state;
	defaults(&p);
	begin(&b, &p);
	mem_audit_until(b.audit, 9 * 6240 - 1);
	assert_int_equal(b.violation_count, 0);
	mem_audit_until(b.audit, 9 * 6240);
	assert_int_equal(b.violation_count, 1);
	assert_non_null(strstr(b.last_violation, "9 REF due, 0 issued"));
	mem_audit_free(b.audit);
}

/* Eight in advance leave the debt small for long: the gap is a rule of its own. */
static void test_auditor_finds_wide_gaps(void **state)
{
	struct dram_params p;
	struct bench b;

	(void)state;
	defaults(&p);
	begin(&b, &p);
	for (uint32_t i = 0; i < 8; i++)
		mem_audit_command(b.audit, DRAM_REF, 0, 0, 1000 + 128 * i);
	mem_audit_command(b.audit, DRAM_ACT, 0, 0, 1000 + 128 * 7 + 9 * 6240);
	assert_int_equal(b.violation_count, 0);
	mem_audit_command(b.audit, DRAM_ACT, 1, 0, 1000 + 128 * 7 + 9 * 6240 + 6);
	assert_int_equal(b.violation_count, 1);
	assert_non_null(strstr(b.last_violation, "more than 9 tREFI"));
	mem_audit_free(b.audit);
}

static void test_auditor_finds_early_refresh(void **state)
{
	struct dram_params p;
	struct bench b;

	(void)state;
	defaults(&p);
	begin(&b, &p);
	for (uint32_t i = 0; i < 8; i++)
		mem_audit_command(b.audit, DRAM_REF, 0, 0, 1000 + 128 * i);
	mem_audit_command(b.audit, DRAM_REF, 0, 0, 6240); /* one is due, eight are early */
	assert_int_equal(b.violation_count, 0);
	mem_audit_command(b.audit, DRAM_REF, 0, 0, 2 * 6240 - 1);
	assert_int_equal(b.violation_count, 1);
	assert_non_null(strstr(b.last_violation, "more than 8 REF pulled in"));
	mem_audit_free(b.audit);
}

/* Where refreshes go bank by bank, each bank has its own; a rank in self-refresh needs none. */
static void test_auditor_counts_refreshes_by_bank(void **state)
{
	struct dram_params p;
	struct bench b;

	(void)state;
	defaults(&p);
	p.refresh_mode = DRAM_REFRESH_PER_BANK;
	p.t_rfc_pb_ns = 60;
	begin(&b, &p);
	for (uint32_t i = 0; i < 15; i++)
		mem_audit_command(b.audit, DRAM_REFB, i, 0, 7000 + 100 * i);
	mem_audit_until(b.audit, 9 * 6240 - 1);
	assert_int_equal(b.violation_count, 0);
	mem_audit_until(b.audit, 9 * 6240);
	assert_int_equal(b.violation_count, 1); /* the sixteenth */
	mem_audit_free(b.audit);

	p.rank_count = 2;
	p.refresh_mode = DRAM_REFRESH_ALL_BANK;
	begin(&b, &p);
	mem_audit_command(b.audit, DRAM_REF, 0, 0, 7000);
	mem_audit_until(b.audit, 9 * 6240 - 1);
	assert_int_equal(b.violation_count, 0);
	mem_audit_until(b.audit, 9 * 6240);
	assert_int_equal(b.violation_count, 1); /* the other rank */
	mem_audit_free(b.audit);

	p.rank_count = 1;
	begin(&b, &p);
	mem_audit_command(b.audit, DRAM_REF, 0, 0, 7000);
	mem_audit_command(b.audit, DRAM_SRE, 0, 0, 8000);
	mem_audit_until(b.audit, 100 * 6240);
	mem_audit_command(b.audit, DRAM_SRX, 0, 0, 8000 + 100 * 6240);
	mem_audit_until(b.audit, 8000 + 108 * 6240);
	assert_int_equal(b.violation_count, 0);
	mem_audit_until(b.audit, 110 * 6240);
	assert_int_equal(b.violation_count, 1); /* 10 - 1 */
	mem_audit_free(b.audit);

	/* Nor may it have them in advance. */
	begin(&b, &p);
	mem_audit_command(b.audit, DRAM_REF, 0, 0, 7000);
	mem_audit_command(b.audit, DRAM_SRE, 0, 0, 8000);
	mem_audit_command(b.audit, DRAM_SRX, 0, 0, 8000 + 100 * 6240);
	for (uint32_t i = 0; i < 9; i++) {
		assert_int_equal(b.violation_count, 0);
		mem_audit_command(b.audit, DRAM_REF, 0, 0, 8200 + 100 * 6240 + 130 * i);
	}
	assert_int_equal(b.violation_count, 1);
	assert_non_null(strstr(b.last_violation, "more than 8 REF pulled in"));
	mem_audit_free(b.audit);
}

/* ACT of two clocks: nobody else has the bus meanwhile, unless columns have one of their own. */
static void test_command_bus(void **state)
{
	const struct step narrow[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_ACT, 1, 7, 150}, {DRAM_RD, 0, 7, 151}};
	const struct step wide[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_ACT, 1, 7, 150}, {DRAM_RD, 0, 7, 152}};
	struct dram_params p;
	struct bench b;

	(void)state;
	defaults(&p);
	p.command_act_cycles = 2;
	expect_violation(&p, narrow, 3, "command bus: taken from cycle 150 on");
	begin(&b, &p);
	for (uint32_t i = 0; i < 3; i++) {
		mem_audit_command(b.audit, wide[i].command, wide[i].bank, 7, wide[i].cycle);
		assert_int_equal(dram_banks_earliest(&b.banks, wide[i].command, wide[i].bank, i ? 150 : 100),
				 i < 2 ? wide[i].cycle : 152);
		dram_banks_issue(&b.banks, wide[i].command, wide[i].bank, 7, wide[i].cycle);
	}
	assert_int_equal(b.violation_count, 0);
	mem_audit_free(b.audit);

	p.command_act_cycles = 1;
	p.command_column_cycles = 2;
	p.dual_command_bus = true;
	begin(&b, &p);
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t cycle = i == 2 ? 150 : wide[i].cycle;

		assert_true(dram_banks_is_legal(&b.banks, wide[i].command, wide[i].bank, 7, cycle));
		mem_audit_command(b.audit, wide[i].command, wide[i].bank, 7, cycle);
		dram_banks_issue(&b.banks, wide[i].command, wide[i].bank, 7, cycle);
	}
	assert_int_equal(b.violation_count, 0);
	assert_int_equal(dram_banks_earliest(&b.banks, DRAM_RD, 1, 151), 161);
	mem_audit_command(b.audit, DRAM_RD, 0, 7, 151);
	assert_int_equal(b.violation_count, 3); /* the command bus, tCCD and the data bus */
	mem_audit_free(b.audit);
}

/* Two pseudo channels: one bus; each tells of its commands in its own order. */
static void test_shared_command_bus(void **state)
{
	struct dram_command_bus bus = {{0, 0}};
	struct dram_params p;
	struct dram_timing t;
	struct dram_banks one, other;
	struct mem_audit *audit;
	struct bench b;

	(void)state;
	defaults(&p);
	begin(&b, &p);
	audit = mem_audit_new(&p, 1, on_violation, &b);
	mem_audit_share_bus(audit, b.audit);
	mem_audit_command(b.audit, DRAM_ACT, 0, 7, 100);
	mem_audit_command(b.audit, DRAM_ACT, 1, 7, 200);
	mem_audit_command(audit, DRAM_ACT, 0, 7, 150);
	assert_int_equal(b.violation_count, 0);
	mem_audit_command(audit, DRAM_ACT, 1, 7, 200);
	assert_int_equal(b.violation_count, 1);
	assert_non_null(strstr(b.last_violation, "command bus"));
	mem_audit_free(audit);
	mem_audit_free(b.audit);

	dram_timing_init(&t, &p, p.t_ck_ps, 1);
	dram_banks_init(&one, &t, &bus);
	dram_banks_init(&other, &t, &bus);
	dram_banks_issue(&one, DRAM_ACT, 0, 7, 100);
	assert_false(dram_banks_is_legal(&other, DRAM_ACT, 0, 7, 100));
	assert_true(dram_banks_is_legal(&other, DRAM_ACT, 0, 7, 101));
}

static void test_auditor_finds_what_a_sleeping_rank_is_told(void **state)
{
	const struct step powered_down[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_PDE, 0, 0, 200}, {DRAM_RD, 0, 7, 300}};
	const struct step asleep[] = {{DRAM_SRE, 0, 0, 200}, {DRAM_ACT, 0, 7, 300}};
	const struct step awake[] = {{DRAM_PDX, 0, 0, 200}};
	const struct step not_asleep[] = {{DRAM_PDE, 0, 0, 100}, {DRAM_SRX, 0, 0, 200}};
	const struct step open[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_SRE, 0, 0, 200}};
	const struct step closed_itself[] = {{DRAM_ACT, 0, 7, 100}, {DRAM_RDA, 0, 7, 200}, {DRAM_RD, 0, 7, 300}};
	struct dram_params p;

	(void)state;
	defaults(&p);
	expect_violation(&p, powered_down, 3, "the rank is powered down");
	expect_violation(&p, asleep, 2, "the rank is in self-refresh");
	expect_violation(&p, awake, 1, "the rank is awake");
	expect_violation(&p, not_asleep, 2, "the rank is powered down");
	expect_violation(&p, open, 2, "bank is open");
	expect_violation(&p, closed_itself, 3, "bank is closed");
}

/* Answers: a read of two columns is ready 6.4 ns behind the second one's start, plus TSVs and controller. */
struct answer_bench {
	struct bench b;
	struct mem_req r;
	uint64_t ready_units;
};

static void serve_two(struct answer_bench *a, const struct dram_params *p)
{
	begin(&a->b, p);
	memset(&a->r, 0, sizeof(a->r));
	a->r.row = 7;
	a->r.size_bytes = 128;
	mem_audit_command(a->b.audit, DRAM_ACT, 0, 7, 100);
	mem_audit_command(a->b.audit, DRAM_RD, 0, 7, 111);
	mem_audit_serve(a->b.audit, &a->r);
	mem_audit_command(a->b.audit, DRAM_RD, 0, 7, 116);
	mem_audit_serve(a->b.audit, &a->r);
	/* The second starts where the first ends. */
	a->ready_units = (111 + 11) * 1250 + 2 * 6400 + p->tsv_latency_ps + p->controller_latency_ps;
	a->r.ready_units = a->ready_units;
}

static void expect_answer(struct answer_bench *a, uint64_t now_units, const char *text)
{
	mem_audit_answer(a->b.audit, &a->r, now_units);
	if (!text)
		assert_int_equal(a->b.violation_count, 0);
	else if (!a->b.violation_count || !strstr(a->b.last_violation, text))
		fail_msg("expected '%s', got '%s'", text, a->b.last_violation);
	mem_audit_free(a->b.audit);
}

static void test_auditor_finds_wrong_answers(void **state)
{
	struct dram_params p;
	struct answer_bench a;

	(void)state;
	defaults(&p);
	serve_two(&a, &p);
	expect_answer(&a, a.ready_units, NULL);
	serve_two(&a, &p);
	expect_answer(&a, a.ready_units + 1249, NULL);
	serve_two(&a, &p);
	expect_answer(&a, a.ready_units - 1, "given -1 units after");
	serve_two(&a, &p);
	expect_answer(&a, a.ready_units + 1250, "given 1250 units after");
	serve_two(&a, &p);
	a.r.ready_units -= 1000;
	expect_answer(&a, a.ready_units, "ready -1000 units after");
	serve_two(&a, &p);
	a.r.size_bytes = 192;
	expect_answer(&a, a.ready_units, "2 column accesses of 3");
	serve_two(&a, &p);
	mem_audit_forget(a.b.audit);
	expect_answer(&a, a.ready_units, "no column access");
	serve_two(&a, &p);
	mem_audit_answer(a.b.audit, &a.r, a.ready_units);
	expect_answer(&a, a.ready_units, "no column access"); /* twice */

	serve_two(&a, &p);
	a.r.bank = 1;
	mem_audit_serve(a.b.audit, &a.r);
	assert_non_null(strstr(a.b.last_violation, "serves a read of bank 1"));
	a.r.bank = 0;
	a.r.op = MEM_WRITE;
	mem_audit_serve(a.b.audit, &a.r);
	assert_non_null(strstr(a.b.last_violation, "serves a write of bank 0"));
	mem_audit_free(a.b.audit);
}

/* Many at a time, and their memory used again. */
static void test_auditor_tells_requests_apart(void **state)
{
	enum { COUNT = 3000 };
	struct mem_req *r = calloc(COUNT, sizeof(*r));
	struct dram_params p;
	struct bench b;
	uint64_t cycle = 111;

	(void)state;
	defaults(&p);
	p.refresh = false;
	begin(&b, &p);
	mem_audit_command(b.audit, DRAM_ACT, 0, 7, 100);
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < COUNT; i++, cycle += 6) {
			r[i].row = 7;
			r[i].size_bytes = 64;
			mem_audit_command(b.audit, DRAM_RD, 0, 7, cycle);
			mem_audit_serve(b.audit, &r[i]);
			r[i].ready_units = (cycle + 11) * 1250 + 6400 + p.tsv_latency_ps + p.controller_latency_ps;
		}
		for (uint32_t i = 0; i < COUNT; i++) {
			struct mem_req *one = &r[(uint64_t)i * 1009 % COUNT];

			mem_audit_answer(b.audit, one, one->ready_units);
		}
	}
	assert_int_equal(b.violation_count, 0);
	mem_audit_free(b.audit);
	free(r);
}

/* Rates that JEDEC has rounded, and clocks that are no whole picosecond. */
static void test_exact_clocks(void **state)
{
	static const struct {
		uint64_t t_ck_ps, rate, ck_beats, burst_beats, num, den;
	} clocks[] = {
		{1250, 1250, 2, 8, 1250, 1}, {0, 2400, 2, 8, 2500, 3},	 {0, 2133, 2, 8, 1875, 2},
		{0, 2666, 2, 8, 750, 1},     {0, 2667, 2, 8, 750, 1},	 {0, 4800, 2, 16, 1250, 3},
		{0, 8533, 8, 16, 1875, 2},   {0, 5200, 4, 8, 10000, 13}, {0, 6400, 4, 8, 625, 1},
		{0, 3200, 4, 2, 1250, 1},    {0, 3000, 4, 1, 4000, 3},
	};
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	for (uint32_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		struct dram_params p;
		struct sim_period ck;

		defaults(&p);
		p.t_ck_ps = clocks[i].t_ck_ps;
		p.data_rate_mbps = clocks[i].rate;
		p.ck_beats = clocks[i].ck_beats;
		p.burst_beats = clocks[i].burst_beats;
		p.t_ccd = 1; /* a burst of less than a tCK has clocks, too, though no command asks for it so fast */
		assert_true(p.burst_beats < p.ck_beats || dram_params_check(&p, &diag));
		ck = dram_clock_period(&p);
		/* The same fraction, and a burst is a whole number of its units. */
		assert_true(ck.num_ps * clocks[i].den == clocks[i].num * ck.den);
		if (!p.t_ck_ps)
			assert_int_equal(dram_burst_units(&p, ck.den) * p.ck_beats, ck.num_ps * p.burst_beats);
	}
	base_diag_free(&diag);
}

static void expect_refused(const struct dram_params *p, const char *text)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	assert_false(dram_params_check(p, &diag));
	assert_int_equal(diag.error_count, 1);
	if (!strstr(diag.first->text, text))
		fail_msg("expected '%s', got '%s'", text, diag.first->text);
	base_diag_free(&diag);
}

/* Is this among what is refused? */
static bool is_refused(const struct dram_params *p, const char *text)
{
	struct base_diag_list diag;
	bool is_found = false;

	base_diag_init(&diag);
	dram_params_check(p, &diag);
	for (const struct base_diag *d = diag.first; d; d = d->next)
		is_found |= strstr(d->text, text) != NULL;
	base_diag_free(&diag);
	return is_found;
}

static void test_shapes_and_clocks_that_are_none(void **state)
{
	static const struct {
		size_t offset;
		const char *text;
	} powers[] = {
#define POWER(name) {offsetof(struct dram_params, name), "dram." #name ": 3 is not a power of two"}
		POWER(rank_count), POWER(bank_count), POWER(group_count),
		POWER(row_bytes),  POWER(data_bits),  POWER(burst_beats),
#undef POWER
	};
	struct dram_params p;

	(void)state;
	for (uint32_t i = 0; i < sizeof(powers) / sizeof(powers[0]); i++) {
		defaults(&p);
		*(uint64_t *)((char *)&p + powers[i].offset) = 3;
		assert_true(is_refused(&p, powers[i].text));
	}
	defaults(&p);
	p.rank_count = 8;
	expect_refused(&p, "128 banks in a vault");
	defaults(&p);
	p.group_count = 32;
	expect_refused(&p, "more groups than the 16 banks");
	defaults(&p);
	p.vault_count = 1;
	p.pseudo_count = 2;
	expect_refused(&p, "dram.pseudo_count: vault_count");
	defaults(&p);
	p.refresh_mode = DRAM_REFRESH_PER_BANK;
	expect_refused(&p, "needs dram.t_rfc_pb_ns");
	defaults(&p);
	p.t_ck_ps = 0;
	p.data_rate_mbps = 0;
	expect_refused(&p, "dram.t_ck_ps: 0;");
	p.t_ck_ps = 50;
	expect_refused(&p, "dram.t_ck_ps: 50;");
	p.t_ck_ps = 0;
	p.data_rate_mbps = 7919;
	p.ck_beats = 8;
	expect_refused(&p, "no whole number of 1/1800 ps or more");
}

/* A rate that tCCD does not let through: 8 beats of 64 bits in 4 tCK of 1.25 ns are 12.8 GB/s, as 1600 Mb/s are. */
static void test_rates_beyond_the_timing_are_refused(void **state)
{
	struct base_diag_list diag;
	struct dram_params p;

	(void)state;
	base_diag_init(&diag);
	defaults(&p);
	p.data_rate_mbps = 1600;
	assert_true(dram_params_check(&p, &diag));
	p.t_ccd_l = 8; /* of one bank group only */
	assert_true(dram_params_check(&p, &diag));
	p.data_rate_mbps = 2000;
	p.burst_beats = 16;
	assert_true(dram_params_check(&p, &diag));
	p.t_ccd = 8;
	expect_refused(&p, "dram.data_rate_mbps = 2000: states 16 GB/s of a vault's bus, but with dram.t_ccd = 8 and a "
			   "tCK of 1250 ps a burst of 128 bytes takes 10000 ps, 12.8 GB/s");
	p.data_rate_mbps = 0; /* two beats in a tCK */
	assert_true(dram_params_check(&p, &diag));
	p.ck_beats = 4;
	expect_refused(&p, "dram.ck_beats = 4: states 25.6 GB/s");
	p.t_ck_ps = 0; /* the clock goes with the rate */
	p.data_rate_mbps = 8000;
	p.ck_beats = 2;
	assert_true(dram_params_check(&p, &diag));
	base_diag_free(&diag);
}

static void test_contradicting_parameters_are_refused(void **state)
{
	struct dram_params p;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	defaults(&p);
	assert_true(dram_params_check(&p, &diag));
	assert_true(dram_vault_peak_bytes_per_s(&p) == 10e9);
	p.bank_count = 12;
	p.data_rate_mbps = 1333;
	p.t_rc = 30;
	p.write_low_count = 40;
	p.queue_entries = 60;
	p.read_queue_entries = 61;
	p.write_queue_entries = 31; /* below write_high_count */
	assert_false(dram_params_check(&p, &diag));
	assert_int_equal(diag.error_count, 6);
	base_diag_free(&diag);
}

/* What each constraint must be by its standard, in words of the parameters: the bank model and the auditor read one
 * table, so neither can find a number in it that is wrong. All values differ, from each other by more than 1 where they
 * would be taken for each other. */
static void test_the_table_says_what_the_parameters_say(void **state)
{
	enum { CL = 20, CWL = 18, RP = 13, RTP = 22, WR = 24, RTW = 9, RTRS = 2, CK_NS = 2 };
	static const struct {
		const char *name;
		enum dram_scope scope;
		enum dram_anchor anchor;
		int32_t cycles;
	} wanted[] = {
		{"tRCD", DRAM_SCOPE_BANK, DRAM_FROM_COMMAND, 26},
		{"tRCDWR", DRAM_SCOPE_BANK, DRAM_FROM_COMMAND, 28},
		{"tRAS", DRAM_SCOPE_BANK, DRAM_FROM_COMMAND, 40},
		{"tRAS", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 40},
		{"tRC", DRAM_SCOPE_BANK, DRAM_FROM_COMMAND, 60},
		{"tRC", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 60},
		{"tRP", DRAM_SCOPE_BANK, DRAM_FROM_COMMAND, RP},
		{"tRP", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, RP}, /* after PRE, and after PREA */
		{"tRP", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, RP},
		{"tRTP", DRAM_SCOPE_BANK, DRAM_FROM_COMMAND, RTP},
		{"tRTP", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, RTP},
		{"tWR", DRAM_SCOPE_BANK, DRAM_FROM_DATA_END, WR},
		{"tWR", DRAM_SCOPE_RANK, DRAM_FROM_DATA_END, WR},
		{"tRTP + tRP", DRAM_SCOPE_BANK, DRAM_FROM_COMMAND, RTP + RP},
		{"tRTP + tRP", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, RTP + RP},
		{"tWR + tRP", DRAM_SCOPE_BANK, DRAM_FROM_DATA_END, WR + RP},
		{"tWR + tRP", DRAM_SCOPE_RANK, DRAM_FROM_DATA_END, WR + RP},
		{"tRRD_S", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 4},
		{"tRRD_L", DRAM_SCOPE_GROUP, DRAM_FROM_COMMAND, 6},
		{"tFAW", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 33},
		{"tPPD", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 3},
		{"tCCD_S", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 5},
		{"tCCD_L", DRAM_SCOPE_GROUP, DRAM_FROM_COMMAND, 8},
		{"tCCD_L_WR", DRAM_SCOPE_GROUP, DRAM_FROM_COMMAND, 17},
		{"tWTR_S", DRAM_SCOPE_RANK, DRAM_FROM_DATA_END, 7},
		{"tWTR_L", DRAM_SCOPE_GROUP, DRAM_FROM_DATA_END, 10},
		/* Data of a write so long after that of a read; data of another rank after any. */
		{"tRTW", DRAM_SCOPE_CHANNEL, DRAM_FROM_DATA_END, RTW - CWL},
		{"tRTRS", DRAM_SCOPE_CHANNEL, DRAM_FROM_DATA_END, RTRS - CL},
		{"tRTRS", DRAM_SCOPE_CHANNEL, DRAM_FROM_DATA_END, RTRS - CWL},
		{"tRFC", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 200 / CK_NS},
		{"tRFCpb", DRAM_SCOPE_BANK, DRAM_FROM_COMMAND, 150 / CK_NS},
		{"tRFCpb", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 150 / CK_NS},
		{"tRREFD", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 24 / CK_NS}, /* after REFB, and after RFM */
		{"tRREFD", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 24 / CK_NS},
		{"tpbR2pbR", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 38 / CK_NS},
		{"tRFM", DRAM_SCOPE_BANK, DRAM_FROM_COMMAND, 110 / CK_NS},
		{"tRFM", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 110 / CK_NS},
		{"tXP", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 11},
		{"tCKE", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 15}, /* PDE to PDX, and PDX to PDE */
		{"tCKE", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 15},
		{"tRDPDEN", DRAM_SCOPE_RANK, DRAM_FROM_DATA_END, 1},
		{"tWRPDEN", DRAM_SCOPE_RANK, DRAM_FROM_DATA_END, WR},
		{"tWRAPDEN", DRAM_SCOPE_RANK, DRAM_FROM_DATA_END, WR + 1},
		{"tXS", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 210 / CK_NS},
		{"tCKESR", DRAM_SCOPE_RANK, DRAM_FROM_COMMAND, 19},
	};
	struct dram_constraint rows[DRAM_CONSTRAINT_MAX];
	bool is_found[ARRAY_COUNT(wanted)] = {false};
	struct dram_params p;
	uint32_t count;

	(void)state;
	defaults(&p);
	p.t_ck_ps = CK_NS * 1000;
	p.rank_count = 2;
	p.group_count = 4;
	p.refresh_mode = DRAM_REFRESH_PER_BANK;
	p.t_cl = CL, p.t_cwl = CWL, p.t_rcd = 26, p.t_rcd_wr = 28, p.t_rp = RP, p.t_ras = 40, p.t_rc = 60;
	p.t_rtp = RTP, p.t_wr = WR, p.t_rtw = RTW, p.t_rtrs = RTRS, p.t_ppd = 3;
	p.t_rrd = 4, p.t_rrd_l = 6, p.t_faw = 33, p.t_ccd = 5, p.t_ccd_l = 8, p.t_ccd_l_wr = 17;
	p.t_wtr = 7, p.t_wtr_l = 10, p.t_xp = 11, p.t_cke = 15, p.t_ckesr = 19;
	p.t_rfc_ns = 200, p.t_rfc_pb_ns = 150, p.t_rrefd_ns = 24, p.t_pbr2pbr_ns = 38, p.t_rfm_ns = 110;
	p.t_xs_ns = 210;
	count = dram_constraints(&p, rows);
	assert_int_equal(count, ARRAY_COUNT(wanted));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = 0;

		while (k < count && (is_found[k] || strcmp(rows[i].name, wanted[k].name) ||
				     rows[i].scope != wanted[k].scope || rows[i].anchor != wanted[k].anchor ||
				     rows[i].cycles != wanted[k].cycles))
			k++;
		if (k == count)
			fail_msg("%s of scope %d: %d clocks", rows[i].name, (int)rows[i].scope, rows[i].cycles);
		is_found[k] = true;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_edge),
		cmocka_unit_test(test_auditor_finds_illegal_states),
		cmocka_unit_test(test_auditor_finds_missing_refresh),
		cmocka_unit_test(test_auditor_finds_wide_gaps),
		cmocka_unit_test(test_auditor_finds_early_refresh),
		cmocka_unit_test(test_auditor_counts_refreshes_by_bank),
		cmocka_unit_test(test_command_bus),
		cmocka_unit_test(test_shared_command_bus),
		cmocka_unit_test(test_auditor_finds_what_a_sleeping_rank_is_told),
		cmocka_unit_test(test_auditor_finds_wrong_answers),
		cmocka_unit_test(test_auditor_tells_requests_apart),
		cmocka_unit_test(test_exact_clocks),
		cmocka_unit_test(test_shapes_and_clocks_that_are_none),
		cmocka_unit_test(test_contradicting_parameters_are_refused),
		cmocka_unit_test(test_rates_beyond_the_timing_are_refused),
		cmocka_unit_test(test_the_table_says_what_the_parameters_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
