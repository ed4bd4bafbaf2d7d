/* A core's pipeline, its memory unit, its signals; mistakes of programs; parameters. */
#include "harness.h"

#include <math.h>

#include "csp/cfma.h"

/* The arithmetic of every instruction set is the same, bit for bit. */
static void arithmetic(void **state)
{
	enum { M = 64, ROUNDS = 200 };
	float a[2 * M], c[2 * M], x[2 * M], y[2 * M];
	GRand *random = g_rand_new_with_seed(7);

	(void)state;
	for (uint32_t r = 0; r < ROUNDS; r++) {
		const float re = (float)g_rand_double_range(random, -2, 2);
		const float im = (float)g_rand_double_range(random, -2, 2);

		for (uint32_t i = 0; i < 2 * M; i++) {
			a[i] = (float)g_rand_double_range(random, -1e3, 1e3);
			c[i] = (float)g_rand_double_range(random, -1e-3, 1e3);
		}
		csp_cfma_portable(x, c, a, re, im, M);
		csp_cfma_find()(y, c, a, re, im, M);
		assert_memory_equal(x, y, sizeof(x));
		assert_true(x[3] == fmaf(-a[M + 3], im, fmaf(a[3], re, c[3])));
		assert_true(x[M + 3] == fmaf(a[M + 3], re, fmaf(a[3], im, c[M + 3])));
		csp_cfma_find()(c, c, a, re, im, M); /* in place */
		assert_memory_equal(x, c, sizeof(x));
	}
	g_rand_free(random);
}

static uint64_t cycles_of(const char *text, const char *set)
{
	struct harness h;
	uint64_t cycles;

	harness_begin(&h, "alpha");
	if (set)
		harness_set(&h, set);
	harness_text(&h, text);
	cycles = h.result.cycles;
	harness_end(&h);
	return cycles;
}

/* Sums in one register wait for the pipeline; as many threads as it has stages fill it. */
static void threads(void **state)
{
	static const char sum[] = ".core 0\n cfma r[0:0], r[0:0], r[1:0], s[0:0] x600\n";
	const uint64_t none = cycles_of(".core 0\n halt\n", NULL);
	const uint64_t one = cycles_of(sum, NULL);
	const uint64_t six = cycles_of(".core 0\n loop 100\n cfma r[0], r[0], r[9:0], s[0:0] x6\n end\n", NULL);
	const uint64_t five = cycles_of(".core 0\n loop 100\n cfma r[0], r[0], r[9:0], s[0:0] x5\n end\n", NULL);

	(void)state;
	assert_in_range(one - none, 3595, 3610);
	assert_in_range(six - none, 595, 610);
	assert_in_range(five - none, 595, 610); /* one cycle in six is lost */
	assert_in_range(cycles_of(sum, "csp.stage_count=3") - none, 1795, 1810);
}

/* A load waits until its register has been read, a store until it has been computed; others do not. */
static void memory_waits_for_units(void **state)
{
#define SUM " cfma r[0:0], r[0:0], r[1:0], s[0:0] x600\n" /* 3600 cycles */
	const uint64_t none = cycles_of(".core 0\n halt\n", NULL);
	const uint64_t read = cycles_of(".core 0\n" SUM " load r[1], [0]\n", NULL) - none;
	const uint64_t other = cycles_of(".core 0\n" SUM " load r[2], [0]\n", NULL) - none;
	const uint64_t stored = cycles_of(".core 0\n" SUM " store [0], r[0]\n", NULL) - none;

	(void)state;
	assert_in_range(other, 3595, 3610);
	assert_in_range(read, 3630, 3800);
	assert_in_range(stored, 3630, 3800);
#undef SUM
}

static void stalls_are_counted(void **state)
{
	struct harness h;

	(void)state;
	harness_begin(&h, "alpha");
	harness_text(&h, ".core 0\n"
			 " cfma r[0:0], r[0:0], r[1:0], s[0:0] x11\n"
			 " load r[2], [0]\n"
			 " cfma r[3], zero, r[2], s[0]\n");
	assert_int_equal(harness_stat(&h, "core.operand_wait_cycles"), 50); /* ten times five */
	assert_int_equal(harness_stat(&h, "core.cfma_cycles"), 12);
	assert_int_equal(harness_stat(&h, "core.cfmas"), 12 * 64);
	assert_true(harness_stat(&h, "core.memory_wait_cycles") > 20);
	assert_int_equal(harness_stat(&h, "core.load_lines"), 1);
	assert_int_equal(harness_stat(&h, "vault.reads"), 4); /* blocks of 128 bytes */
	assert_int_equal(harness_stat(&h, "link_tx.bytes"), 4 * 16);
	assert_int_equal(harness_stat(&h, "link_rx.bytes"), 4 * (16 + 128));
	harness_end(&h);
}

/* A register is not overwritten before it has been stored or read, nor read before its line is there. */
static void hazards(void **state)
{
	struct harness h;
	const float *line;

	(void)state;
	harness_begin(&h, "alpha");
	harness_text(&h, ".core 0\n"
			 ".data signal 0, 2, 1, 3\n"
			 ".data weights 8, 64, 1\n"
			 " load v[0], [8]\n"
			 " load r[0], [0]\n"
			 " store [4], r[0]\n"
			 " load r[0], [1]\n"
			 " store [5], r[0]\n"
			 " cfma r[0], zero, r[0], s[3]\n"
			 " store [6], r[0]\n");
	assert_memory_equal(csp_machine_line(h.machine, 0, 4), csp_machine_line(h.machine, 0, 0), 512);
	assert_memory_equal(csp_machine_line(h.machine, 0, 5), csp_machine_line(h.machine, 0, 1), 512);
	line = csp_machine_line(h.machine, 0, 6);
	assert_true(line[2] == csp_machine_line(h.machine, 0, 8)[3] * csp_machine_line(h.machine, 0, 1)[2]);
	assert_int_equal(harness_stat(&h, "core.store_lines"), 3);
	harness_end(&h);
}

/* What is sent is there when the signal is; time passes for it. */
static void signals(void **state)
{
	struct harness h;

	(void)state;
	harness_begin(&h, "alpha");
	harness_text(&h, ".core 0\n"
			 ".data signal 0, 1, 1, 5\n"
			 " load r[0], [0]\n send 7, [3], r[0]\n signal 7\n wait 1\n"
			 ".core 7\n"
			 " wait 1\n load r[0], [3]\n store [4], r[0]\n signal 0\n");
	assert_memory_equal(csp_machine_line(h.machine, 7, 4), csp_machine_line(h.machine, 0, 0), 512);
	assert_int_equal(harness_stat(&h, "core.signals"), 2);
	assert_int_equal(harness_stat(&h, "core.send_lines"), 1);
	assert_true(harness_stat(&h, "core.signal_wait_cycles") > 100);
	harness_end(&h);
}

static void wrong(const char *text, const char *expected)
{
	struct harness h;

	harness_begin(&h, "alpha");
	harness_build(&h, csp_assemble(text, "p.csp", &h.config, NULL, 0, &h.diag));
	assert_false(csp_machine_run(h.machine, &h.result, &h.diag));
	assert_non_null(h.diag.first);
	if (!strstr(h.diag.first->text, expected))
		fail_msg("'%s' has no '%s'", h.diag.first->text, expected);
	harness_end(&h);
}

static void mistakes(void **state)
{
	(void)state;
	wrong(".core 0\n load r[536], [0]\n", "core 0, 'load' of line 2: register r[536]: there are 0 to 535");
	wrong(".core 0\n load r[0:100], [0] x9\n", "register r[800]");
	wrong(".core 0\n load r[1:0-1], [0] x9\n", "register r[-1]");
	wrong(".core 0\n load v[8], [0]\n", "vector v[8]: there are 0 to 7");
	wrong(".core 0\n store [1572864], r[0]\n", "line [1572864]: there are 0 to 1572863");
	wrong(".core 0\n cfma r[0], r[0], r[0], s[512]\n", "scalar s[512]: there are 0 to 511");
	wrong(".core 0\n cfma r[0], r[0], r[0], s[0] x70000\n", "x70000: an instruction is repeated 0 to 65535 times");
	wrong(".core 0\n set i1, 0\n div i2, i1, i1\n", "'div' of line 3: div by 0");
	wrong(".core 0\n signal 15\n", "signal to core 15: there are 0 to 14");
	wrong(".core 0\n send 99, [0], r[0]\n", "send to core 99");
	wrong(".core 0\n set i1, 2\n loop i1 - 3\n end\n", "core 0, 'loop' of line 3: loop -1: 0 times or more");
	wrong(".core 0\n wait 1\n", "p.csp:2:1: error: core 0 waits here for ever, for a signal that nobody sends");
	wrong(".core 0\nagain: loop 2\n jump again\n end\n", "loops more than 8 deep");
	wrong(".core 0\n jump in\n loop 2\nin: end\n", "the end of a loop that is not the one under way");
	wrong(".core 0\nagain: signal 1\n jump again\n.core 1\n", "has 1024 signals that it has not waited for");
}

/* A line that another core sends is read behind a signal that follows it, and sent anew behind one that follows the
 * reading; nothing else says when it is there. */
static void lines_are_read_in_order(void **state)
{
	static const char turns[] = ".core 0\n send 7, [3], r[0]\n signal 7\n wait 1\n send 7, [3], r[1]\n signal 7\n"
				    ".core 7\n wait 1\n load r[0], [3]\n signal 0\n wait 1\n load r[0], [3]\n";
	static const char chain[] = ".core 0\n send 7, [3], r[0]\n signal 1\n.core 1\n wait 1\n signal 7\n"
				    ".core 7\n wait 1\n load r[0], [3]\n";

	(void)state;
	cycles_of(turns, NULL);
	cycles_of(chain, NULL);
	wrong(".core 0\n send 7, [3], r[0]\n signal 7\n"
	      ".core 7\n loop 100\n cfma r[1], zero, r[1], s[0] x64\n end\n load r[0], [3]\n wait 1\n",
	      "core 7, 'load' of line 8: line 3, which core 0 has sent: no signal since says that it is there");
	wrong(".core 0\n loop 100\n cfma r[1], zero, r[1], s[0] x64\n end\n send 7, [3], r[0]\n signal 7\n"
	      ".core 7\n load v[0], [2] x2\n wait 1\n",
	      "core 7, 'load' of line 8: line 3, which core 0 sends afterwards, and no signal says when");
	/* A signal of an earlier turn says nothing of this one. */
	wrong(".core 0\n send 7, [3], r[0]\n signal 7\n send 7, [4], r[0]\n"
	      ".core 7\n wait 1\n loop 100\n cfma r[1], zero, r[1], s[0] x64\n end\n"
	      " load r[0], [3]\n load r[0], [4]\n",
	      "line 4, which core 0 has sent");
}

/* Cycles, and what else a run counts, of core 0's text behind lines that arrive at a rate. */
static uint64_t arrival_cycles(const char *text, const char *rate, const char *key, uint64_t *counted)
{
	struct harness h;
	uint64_t cycles;

	harness_begin(&h, "alpha");
	harness_set(&h, rate);
	harness_text(&h, text);
	cycles = h.result.cycles;
	if (key)
		*counted = harness_stat(&h, key);
	harness_end(&h);
	return cycles;
}

/* Lines of 512 bytes come one after the other: 64 of them more at 512 MB/s, a line in a us, take 64 us more, and the
 * core knows of each group when it is written. They take the link and the vaults: so many blocks more are written, and
 * loads beside them take longer. */
static void lines_arrive(void **state)
{
	static const char slow[] = "csp.input_mbytes_per_s=512", fast[] = "csp.input_mbytes_per_s=20000";
	static const char loads[] = " loop 60\n load r[0], [65536:7] x64\n end\n";
	uint64_t written, few, many, beside, alone;
	g_autofree char *with = g_strconcat(".core 0\n.arrivals 0, 4096, 64\n", loads, NULL);
	g_autofree char *without = g_strconcat(".core 0\n", loads, NULL);

	(void)state;
	few = arrival_cycles(".core 0\n.arrivals 0, 256, 64\n arrived 2\n load r[0], [127]\n", slow, "vault.writes",
			     &written);
	assert_int_equal(written, 256 * 4);
	many = arrival_cycles(".core 0\n.arrivals 0, 256, 64\n arrived 3\n load r[0], [191]\n", slow, NULL, NULL);
	assert_in_range(few, 128 * 433, 128 * 433 + 300);
	assert_in_range(many - few, 64 * 433 - 40, 64 * 433 + 40);
	beside = arrival_cycles(with, fast, "link_tx.bytes", &written);
	alone = arrival_cycles(without, fast, "link_tx.bytes", &few);
	assert_in_range(written - few, 4096 * 512, 4096 * 512 * 5 / 4);
	print_message("loads beside lines that arrive: %" G_GUINT64_FORMAT " cycles, alone %" G_GUINT64_FORMAT "\n",
		      beside, alone);
	assert_true(beside * 100 > alone * 103);
}

static void arrivals_are_waited_for(void **state)
{
	static const char lines[] = ".core 0\n.arrivals 8, 256, 64\n";
	static const struct {
		const char *text, *expected;
	} cases[] = {
	    {" load r[0], [8]\n", "core 0, 'load' of line 3: line 8, which arrives: no 'arrived' since says"},
	    {" arrived 1\n load r[0], [71]\n load r[0], [72]\n", "'load' of line 5: line 72, which arrives"},
	    {" store [9], r[0]\n", "'store' of line 3: line 9, which arrives afterwards"},
	    {" arrived 4\n arrived 1\n", "arrived 1: of 4 groups of lines 4 have been waited for"},
	    {" arrived 0 - 1\n", "arrived -1: of 4 groups"},
	    {".core 1\n arrived 1\n", "core 1, 'arrived' of line 4: nothing arrives"},
	};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strconcat(lines, cases[i].text, NULL);

		wrong(text, cases[i].expected);
	}
}

/* Nobody holds back an antenna: what the memory does not take in time ends the run. */
static void arrivals_overrun(void **state)
{
	struct harness h;

	(void)state;
	harness_begin(&h, "alpha");
	harness_set(&h, "csp.input_mbytes_per_s=1000000");
	harness_build(&h, csp_assemble(".core 0\n.arrivals 0, 4096, 64\n arrived 64\n", "p.csp", &h.config, NULL, 0,
				       &h.diag));
	assert_false(csp_machine_run(h.machine, &h.result, &h.diag));
	assert_non_null(strstr(h.diag.first->text, "'.arrivals' of line 2: line "));
	assert_non_null(strstr(h.diag.first->text, "while 64 wait for the memory of core 0"));
	harness_end(&h);
}

static void parameters(void **state)
{
	static const char *const cases[][2] = {
	    {"csp.fu_count=48", "csp.fu_count = 48: must be a power of two"},
	    {"csp.core_count=64", "do not fit into csp.stack_count = 3 stacks"},
	    {"csp.core_vault_count=33", "more than the 32 vaults of a stack"},
	    {"csp.block_bytes=96", "csp.block_bytes = 96: must be a power of two"},
	    {"csp.vault_bytes=5000", "csp.vault_bytes = 5000"},
	};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct harness h;

		harness_begin(&h, "alpha");
		harness_set(&h, cases[i][0]);
		assert_false(csp_config_check(&h.config, &h.diag));
		if (!strstr(h.diag.first->text, cases[i][1]))
			fail_msg("'%s' has no '%s'", h.diag.first->text, cases[i][1]);
		harness_end(&h);
	}
}

/* Registers as table 3.2 prints them: 268 and 134 KB a core. */
static void register_files(void **state)
{
	struct harness h;

	(void)state;
	harness_begin(&h, "alpha");
	assert_int_equal(csp_register_count(&h.config.csp) * 64 * 8, 268 * 1024);
	harness_end(&h);
	harness_begin(&h, "beta");
	assert_int_equal(csp_register_count(&h.config.csp) * 64 * 8, 134 * 1024);
	harness_end(&h);
}

/* Rounds of blocks begin elsewhere: strides of powers of two reach all vaults. */
static void skewed_addresses(void **state)
{
	static const char text[] = ".core 14\n loop 40\n load r[0], [0:512] x15\n end\n";
	const uint64_t skewed = cycles_of(text, NULL), linear = cycles_of(text, "csp.address_map=linear");

	(void)state;
	assert_true(skewed * 3 / 2 < linear);
}

/* Every core's lines are its own, in vaults that no other has. */
static void places(void **state)
{
	struct harness h;
	uint64_t used[16] = {0};

	(void)state;
	harness_begin(&h, "alpha");
	for (uint32_t i = 0; i < h.config.csp.core_count; i++) {
		uint32_t stack, vault;

		csp_core_place(&h.config.csp, 32, i, &stack, &vault);
		for (uint32_t v = 0; v < csp_core_vault_count(&h.config.csp, i); v++) {
			assert_true(stack < 3 && vault + v < 32);
			assert_false(used[stack] >> (vault + v) & 1);
			used[stack] |= 1ull << (vault + v);
		}
	}
	harness_end(&h);
}

static void limit(void **state)
{
	struct run_params *run;
	struct harness h;

	(void)state;
	harness_begin(&h, "alpha");
	run = machine_config_at(&h.whole, &machine_run_part);
	run->timeout_simulated_ps = 11547344; /* 5000 cycles of 433 MHz */
	harness_text(&h, ".core 0\nagain: load r[0], [0]\n jump again\n");
	assert_true(h.result.was_limited);
	assert_in_range(h.result.cycles, 4000, 5001);
	harness_end(&h);
}

/* Writes that nobody answers bring no packet back. */
static void posted(void **state)
{
	static const char text[] = ".core 0\n store [0], r[0] x10\n signal 1\n.core 1\n wait 1\n";
	struct harness h;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		harness_begin(&h, "alpha");
		harness_set(&h, i ? "csp.posted_writes=true" : "csp.posted_writes=false");
		harness_text(&h, text);
		assert_int_equal(harness_stat(&h, "link_rx.bytes"), i ? 0 : 40 * 16);
		assert_int_equal(harness_stat(&h, "link_tx.bytes"), 40 * 144);
		harness_end(&h);
	}
}

/* ---- the account ---- */

static const char accounted[] = ".core 0\n"
				" load r[2], [0]\n"
				" cfma r[3], zero, r[2], s[0]\n"
				" cfma r[3], r[3], r[2], s[0]\n"
				" set i0, 1\n"
				" set i0, 2\n"
				" set i0, 3\n"
				" cfma r[4], zero, r[2], s[0]\n"
				" signal 1\n"
				".core 1\n"
				" wait 1\n"
				" cfma r[4], zero, r[2], s[0]\n";

/* A clock of whole nanoseconds: what grows by so many of its cycles grows by so many everywhere. */
static void parts_of(const char *set, uint32_t core, uint64_t parts[CSP_PART_COUNT])
{
	struct harness h;
	uint64_t sum = 0;

	harness_begin(&h, "alpha");
	harness_set(&h, "csp.clock_khz=500000");
	if (set)
		harness_set(&h, set);
	harness_text(&h, accounted);
	assert_true(h.result.is_accounted);
	memset(parts, 0, CSP_PART_COUNT * sizeof(parts[0]));
	for (uint32_t k = 0; k < h.program->instr_count; k++)
		account_add(&csp_account_parts, parts, csp_machine_account(h.machine, core, k));
	for (uint32_t i = 0; i < CSP_PART_COUNT; i++)
		sum += parts[i];
	assert_int_equal(sum, h.result.cycles);
	/* The load's line is missed by the instruction that reads it. */
	if (core == 0)
		assert_true(csp_machine_account(h.machine, 0, 1)[CSP_PART_BANK] > 0);
	harness_end(&h);
}

/* One parameter is raised: its own part grows by so much, and no other but what comes behind the end. A clock of the
 * stacks takes 0.8 ns, tCL 17 of them, the TSVs 1.5 ns. */
static void account_parts_have_their_length(void **state)
{
	static const struct {
		const char *set;
		uint32_t core;
		uint64_t more[CSP_PART_COUNT];
	} rows[] = {
	    {"csp.link_latency_ps=30000", 0, {[CSP_PART_TX] = 10, [CSP_PART_RX] = 10}},
	    {"csp.dram.t_cl=22", 0, {[CSP_PART_BANK] = 2}},
	    {"csp.dram.tsv_latency_ps=5500", 0, {[CSP_PART_TSV] = 2}},
	    {"csp.stage_count=9", 0, {[CSP_PART_OPERAND] = 3}},
	    {"csp.signal_ps=30000", 1, {[CSP_PART_SIGNAL] = 10}},
	};

	(void)state;
	for (uint32_t r = 0; r < ARRAY_COUNT(rows); r++) {
		uint64_t low[CSP_PART_COUNT], high[CSP_PART_COUNT];

		parts_of(NULL, rows[r].core, low);
		parts_of(rows[r].set, rows[r].core, high);
		for (uint32_t i = 0; i < CSP_PART_OVER; i++)
			if (high[i] != low[i] + rows[r].more[i])
				fail_msg("%s: %s goes from %llu to %llu, expected %llu more", rows[r].set,
					 csp_account_parts.rows[i].name, (unsigned long long)low[i],
					 (unsigned long long)high[i], (unsigned long long)rows[r].more[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(arithmetic),     cmocka_unit_test(threads),	  cmocka_unit_test(stalls_are_counted),
	    cmocka_unit_test(memory_waits_for_units),
	    cmocka_unit_test(hazards),	      cmocka_unit_test(signals),	  cmocka_unit_test(mistakes),
	    cmocka_unit_test(lines_are_read_in_order), cmocka_unit_test(lines_arrive),
	    cmocka_unit_test(arrivals_are_waited_for), cmocka_unit_test(arrivals_overrun),
	    cmocka_unit_test(parameters),     cmocka_unit_test(register_files),   cmocka_unit_test(skewed_addresses),
	    cmocka_unit_test(places),	      cmocka_unit_test(limit),		  cmocka_unit_test(posted),
	    cmocka_unit_test(account_parts_have_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
