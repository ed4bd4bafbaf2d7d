/* Every timing edge of the bank model (illegal at t-1, legal at t), and the auditor's view of the same edges: it must
 * accept the command at t and report the rule at t-1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mem/audit.h"
#include "mem/dram.h"

struct bench {
	struct dram_params p;
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
	const struct sim_param_group g = {"dram", dram_param_rows, dram_param_row_count, p};

	sim_param_defaults(&g);
}

static void begin(struct bench *b, const struct dram_params *p)
{
	struct dram_timing t;

	memset(b, 0, sizeof(*b));
	b->p = *p;
	dram_timing_init(&t, p, p->t_ck_ps, 1);
	dram_banks_init(&b->banks, &t, NULL);
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

	begin(&b, &p);
	mem_audit_command(b.audit, DRAM_REF, 0, 0, 100);
	mem_audit_command(b.audit, DRAM_ACT, 0, 0, 9 * 6240);
	assert_int_equal(b.violation_count, 0);
	mem_audit_command(b.audit, DRAM_ACT, 1, 0, 10 * 6240);
	assert_int_equal(b.violation_count, 1);
	mem_audit_free(b.audit);
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
	assert_false(dram_params_check(&p, &diag));
	assert_int_equal(diag.error_count, 4);
	base_diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_edge),
		cmocka_unit_test(test_auditor_finds_illegal_states),
		cmocka_unit_test(test_auditor_finds_missing_refresh),
		cmocka_unit_test(test_contradicting_parameters_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
