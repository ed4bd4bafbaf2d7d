/* test_exec.c - what a control block's words take: time of routines without room, rows of accesses. */
#include "rig.h"

#include <glib.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/check.h"
#include "dc/exec/exec.h"

static const char head[] = ".version 6.0\n.target sm_70\n.address_size 64\n";

static _Alignas(HOST_LINE_BYTES) uint32_t registers[DC_BLOCK_REGISTERS];
static bool is_exact; /* words are done bit by bit as well */
static bool is_truncated;

/* A kernel on the lanes of a control block, a CTA. */
struct machine {
	struct dc_rig rig;
	struct dc_kernel *kernel;
	struct dc_program *program;
	struct dc_block *block;
};

static void start(struct machine *m, const char *text, const struct dc_options *o, uint32_t threads)
{
	const struct dc_exec_params params = {.arith = {.cordic_iterations = 26, .is_truncated = is_truncated},
					      .savings = is_exact ? DC_SAVE_ALL : 0,
					      .line_bytes = 64,
					      .clock_khz = 2500000,
					      .is_bit_exact = is_exact,
					      .progress_rounds = 1 << 20};
	const struct dc_case c = {.args = "z", .grid = {1, 1, 1}, .block = {threads, 1, 1}};
	g_autofree char *all = g_strconcat(head, text, NULL);
	struct dc_warp warps[DC_WARPS_MAX];

	dc_rig_open(&m->rig, all, "k");
	dc_rig_args(&m->rig, &c);
	memcpy(m->rig.launch.block, c.block, sizeof(c.block));
	m->kernel = dc_rig_compile(ptx_module_func(m->rig.ptx, "k"), o, &m->rig.diag);
	assert_non_null(m->kernel);
	m->program = dc_program_new(m->kernel, &params, SIMT_ISA_PORTABLE, &m->rig.diag);
	assert_non_null(m->program);
	assert_true(dc_program_begin(m->program, &m->rig.launch));
	m->block = dc_block_new(m->program, 0, registers);
	for (uint32_t w = 0; w < threads / 32; w++)
		warps[w] = (struct dc_warp){.warp = w, .launched = UINT32_MAX};
	dc_block_begin(m->block, warps, threads / 32, &(struct dc_segments){0});
}

static void end(struct machine *m)
{
	dc_block_free(m->block);
	dc_program_free(m->program);
	dc_kernel_free(m->kernel);
	dc_rig_close(&m->rig);
}

/* One operation a word: a word's time is that of its operation and, two cycles each, of the rows that were swapped. */
static void rows_are_swapped(void **state)
{
	struct machine m;
	struct dc_step out = {0};
	uint64_t swapped = 0;

	(void)state;
	start(&m,
	      ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a;\n\t.reg .f64 %d<3>;\n\tld.param.u64 %a, [a];\n"
	      "\tld.global.f64 %d0, [%a];\n\tfma.rn.f64 %d1, %d0, %d0, %d0;\n\tst.global.f64 [%a], %d1;\n\tret;\n}\n",
	      &dc_options_plain, 32);
	while (!out.is_done) {
		const struct dc_exec_counts before = *dc_program_counts(m.program);
		const struct dc_exec_counts *now = dc_program_counts(m.program);

		assert_true(dc_block_step(m.program, m.block, &m.rig.launch, 0, &out));
		if (now->array_cycles == before.array_cycles)
			continue;

		const uint64_t rows = m.kernel->words[out.executed].slot[0].swap_rows;

		/* The plain translator's lanes are in all four arrays; what swapped rows take is the machine's. */
		assert_int_equal(4 * out.cycles, now->array_cycles - before.array_cycles);
		swapped += rows;
	}
	assert_int_not_equal(swapped, 0);
	end(&m);
}

/* Rows of an access are of all arrays with lanes: of 1,024 lanes a bank's four arrays share them, of the plain
 * translator's 4,096 each has its own. One access of memory, one of a warp. */
static void access_has_the_arrays_of_its_lanes(void **state)
{
	static const struct {
		const struct dc_options *o;
		uint32_t threads, banks;
	} rows[] = {{&dc_options_full, 1024, 4}, {&dc_options_full, 256, 1}, {&dc_options_plain, 1024, 4},
		    {&dc_options_plain, 4096, 16}};

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(rows); n++) {
		struct machine m;
		struct dc_step out = {0};
		uint32_t accesses = 0;

		start(&m,
		      ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a;\n\t.reg .b32 %r<3>;\n"
		      "\tld.param.u64 %a, [a];\n\tmov.u32 %r0, %laneid;\n"
		      "\tshfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;\n\tst.global.u32 [%a], %r1;\n\tret;\n}\n",
		      rows[n].o, rows[n].threads);
		while (!out.is_done) {
			assert_true(dc_block_step(m.program, m.block, &m.rig.launch, 0, &out));
			if (out.access.kind == DC_BOX_WARP || out.access.kind == DC_BOX_MEMORY) {
				assert_int_equal(out.access.banks, rows[n].banks);
				accesses++;
			}
		}
		assert_int_equal(accesses, 2);
		end(&m);
	}
}

/* Sums that additions alone read stay in two's complement, bit by bit as by words: those that a product, a store or a
 * subtraction's second operand reads do not. They compute the same, in fewer cycles. */
static void sums_stay_in_twos_complement(void **state)
{
	enum { LANES = 1024, KEPT = 14 }; /* beside two that are made */
	uint64_t cycles[2] = {0};
	uint32_t bits[2][2 * LANES];

	(void)state;
	is_exact = true;
	for (uint32_t keep = 0; keep < 2; keep++) {
		struct dc_options o = dc_options_full;
		struct machine m;
		struct dc_step out = {0};

		o.keep = keep;
		start(&m,
		      ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a, %b;\n\t.reg .b32 %r<3>;\n"
		      "\t.reg .f32 %f<9>;\n"
		      "\tld.param.u64 %a, [a];\n\tmov.u32 %r0, %tid.x;\n\tmul.wide.u32 %b, %r0, 8;\n"
		      "\tadd.s64 %b, %a, %b;\n\tadd.s32 %r1, %r0, -500;\n\tcvt.rn.f32.s32 %f0, %r1;\n"
		      "\tmul.f32 %f0, %f0, 0f3ebd70a4;\n\tadd.f32 %f1, %f0, 0f40466666;\n\tadd.f32 %f2, %f1, %f0;\n"
		      "\tsub.f32 %f3, %f2, %f0;\n\tadd.f32 %f4, %f3, %f1;\n\tfma.rn.f32 %f5, %f0, %f0, %f4;\n"
		      "\tsub.f32 %f6, %f0, %f5;\n\tsub.f32 %f7, %f5, %f6;\n\tmul.f32 %f8, %f7, %f7;\n"
		      "\tst.global.f32 [%b], %f5;\n\tst.global.f32 [%b+4], %f8;\n\tret;\n}\n",
		      &o, LANES);
		assert_int_equal(m.kernel->counts.kept, keep ? KEPT : 0);
		assert_null(dc_validate(m.kernel));
		while (!out.is_done) {
			assert_true(dc_block_step(m.program, m.block, &m.rig.launch, 0, &out));
			cycles[keep] += out.cycles;
		}
		assert_int_equal(dc_program_counts(m.program)->conversions_kept, keep ? KEPT : 0);
		memcpy(bits[keep], dc_rig_memory(&m.rig), sizeof(bits[keep]));
		end(&m);
	}
	is_exact = false;
	assert_memory_equal(bits[0], bits[1], sizeof(bits[0]));
	assert_true(cycles[1] < cycles[0]);
}

/* Conversions as operations of their own stand outside of loops, and where they save nothing there are none. Of each
 * kernel: so many are made in a run of ROUNDS rounds, and so many are left out by additions. */
static void conversions_stand_outside_of_loops(void **state)
{
	enum { LANES = 1024, ROUNDS = 40 };
	static const struct {
		const char *what, *before, *inside, *behind;
		uint32_t made, left_out;
	} rows[] = {
	    {"what the loop begins with and adds in front of it, the sum behind it",
	     "\tmul.f32 %f2, %f0, 0f3f000000;\n", "\tadd.f32 %f2, %f2, %f0;\n", "", 3, 3 * ROUNDS},
	    {"a sum of products: the addend alone", "\tmul.f32 %f2, %f0, 0f3f000000;\n",
	     "\tfma.rn.f32 %f2, %f0, %f1, %f2;\n", "", 2, 2 * ROUNDS},
	    {"a sum of which the loop takes the contrary: behind the sum, not in each round",
	     "\tadd.f32 %f3, %f0, %f1;\n\tmov.f32 %f2, 0f00000000;\n",
	     "\tadd.f32 %f2, %f2, %f3;\n\tneg.f32 %f4, %f3;\n", "\tst.global.f32 [%b+4], %f4;\n", 2,
	     1 + 3 * ROUNDS},
	    {"copies between such values: none", "\tmov.f32 %f2, 0f00000000;\n\tmov.f32 %f3, %f2;\n",
	     "\tadd.f32 %f3, %f2, %f0;\n\tmov.f32 %f2, %f3;\n", "", 2, 3 * ROUNDS},
	    {"what no addition reads twice stays as it is", "\tmul.f32 %f2, %f0, 0f3f000000;\n",
	     "\tmul.f32 %f2, %f2, %f0;\n", "\tadd.f32 %f3, %f1, 0f40400000;\n\tst.global.f32 [%b+4], %f3;\n", 0, 0},
	};

	(void)state;
	is_exact = true;
	for (uint32_t n = 0; n < G_N_ELEMENTS(rows); n++) {
		uint64_t cycles[2] = {0};
		uint32_t bits[2][2 * LANES];
		g_autofree char *kernel = g_strconcat(
		    ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a, %b;\n\t.reg .b32 %r<3>;\n"
		    "\t.reg .pred %p;\n\t.reg .f32 %f<9>;\n"
		    "\tld.param.u64 %a, [a];\n\tmov.u32 %r0, %tid.x;\n\tmul.wide.u32 %b, %r0, 8;\n"
		    "\tadd.s64 %b, %a, %b;\n\tadd.s32 %r1, %r0, -500;\n\tcvt.rn.f32.s32 %f0, %r1;\n"
		    "\tcvt.rn.f32.u32 %f1, %r0;\n\tmov.u32 %r2, 0;\n",
		    rows[n].before, "LOOP:\n", rows[n].inside,
		    "\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p, %r2, 40;\n\t@%p bra LOOP;\n", rows[n].behind,
		    "\tst.global.f32 [%b], %f2;\n\tret;\n}\n", NULL);

		for (uint32_t keep = 0; keep < 2; keep++) {
			struct dc_options o = dc_options_full;
			struct machine m;
			struct dc_step out = {0};

			o.keep = keep;
			o.unroll = false;
			start(&m, kernel, &o, LANES);
			assert_null(dc_validate(m.kernel));
			while (!out.is_done) {
				assert_true(dc_block_step(m.program, m.block, &m.rig.launch, 0, &out));
				cycles[keep] += out.cycles;
			}
			const struct dc_exec_counts *counts = dc_program_counts(m.program);

			if (counts->conversions_made != (keep ? rows[n].made : 0) ||
			    counts->conversions_kept != (keep ? rows[n].left_out : 0))
				fail_msg("%s: %llu made, %llu left out", rows[n].what,
					 (unsigned long long)counts->conversions_made,
					 (unsigned long long)counts->conversions_kept);
			memcpy(bits[keep], dc_rig_memory(&m.rig), sizeof(bits[keep]));
			end(&m);
		}
		assert_memory_equal(bits[0], bits[1], sizeof(bits[0]));
		assert_true(rows[n].made ? cycles[1] < cycles[0] : cycles[1] == cycles[0]);
	}
	is_exact = false;
}

/* Sums that are not normalised, bit by bit as by words: near those that are, in fewer cycles. An fma is none of them,
 * and a constant but zero is converted. */
static void sums_stay_open(void **state)
{
	enum { LANES = 1024, MADE = 3 };
	uint64_t cycles[2] = {0};
	float values[2][2 * LANES];

	(void)state;
	is_exact = true;
	for (uint32_t open = 0; open < 2; open++) {
		struct dc_options o = dc_options_full;
		struct machine m;
		struct dc_step out = {0};

		o.open = open;
		o.unroll = false;
		start(&m,
		      ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a, %b;\n\t.reg .b32 %r<3>;\n"
		      "\t.reg .pred %p;\n\t.reg .f32 %f<9>;\n"
		      "\tld.param.u64 %a, [a];\n\tmov.u32 %r0, %tid.x;\n\tmul.wide.u32 %b, %r0, 8;\n"
		      "\tadd.s64 %b, %a, %b;\n\tadd.s32 %r1, %r0, -500;\n\tcvt.rn.f32.s32 %f0, %r1;\n"
		      "\tmul.f32 %f1, %f0, 0f3ebd70a4;\n\tmov.u32 %r2, 0;\n\tmov.f32 %f2, 0f40490fdb;\n"
		      "LOOP:\n\tadd.f32 %f2, %f2, %f1;\n\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p, %r2, 40;\n"
		      "\t@%p bra LOOP;\n\tfma.rn.f32 %f3, %f0, %f0, %f2;\n"
		      "\tst.global.f32 [%b], %f2;\n\tst.global.f32 [%b+4], %f3;\n\tret;\n}\n",
		      &o, LANES);
		assert_null(dc_validate(m.kernel));
		while (!out.is_done) {
			assert_true(dc_block_step(m.program, m.block, &m.rig.launch, 0, &out));
			cycles[open] += out.cycles;
		}
		if (open) /* what is added, the constant, and for both readers behind the loop once */
			assert_int_equal(dc_program_counts(m.program)->conversions_made, MADE);
		memcpy(values[open], dc_rig_memory(&m.rig), sizeof(values[open]));
		end(&m);
	}
	is_exact = false;
	for (uint32_t i = 0; i < 2 * LANES; i++) {
		/* Each of 40 sums is floored by 2^-22 of what it is, and what is added by half of that; of the fma the
		 * addend was. */
		const float off = values[1][i] - values[0][i], size = values[0][i & ~1u];
		const float most = 1.2e-5f * ((size < 0 ? -size : size) + 4);

		assert_true(off <= most && off >= -most);
	}
	assert_memory_not_equal(values[0], values[1], sizeof(values[0]));
	assert_true(cycles[1] < cycles[0]);
}

/* Sums that additions alone read are not normalised, bit by bit as by words: those that a fused multiply-add reads are,
 * and what a loop adds up is once, behind it. Of each kernel: so many conversions are made and left out. They take
 * fewer cycles, and give about the same. */
static void sums_are_cut_and_open(void **state)
{
	enum { LANES = 1024, ROUNDS = 40 };
	static const struct {
		const char *what, *before, *inside;
		uint32_t made, left_out;
	} rows[] = {
	    {"a sum and two differences of sums, the last for a product",
	     "\tadd.f32 %f3, %f0, 0f40466666;\n\tadd.f32 %f4, %f3, %f0;\n\tsub.f32 %f5, %f4, %f0;\n"
	     "\tadd.f32 %f6, %f5, %f3;\n\tfma.rn.f32 %f2, %f0, %f0, %f6;\n",
	     "", 1, 9},
	    {"what the loop begins with and adds in front of it, the sum behind it",
	     "\tmul.f32 %f2, %f0, 0f3f000000;\n", "\tadd.f32 %f2, %f2, %f0;\n", 3, 3 * ROUNDS},
	    {"a sum that begins with one", "\tmov.f32 %f2, 0f3f800000;\n", "\tadd.f32 %f2, %f2, %f0;\n", 3,
	     3 * ROUNDS},
	    {"a sum that a product reads in each round is normalised, as its conversion there takes longer",
	     "\tmul.f32 %f2, %f0, 0f3f000000;\n\tmul.f32 %f3, %f0, 0f3f400000;\n",
	     "\tadd.f32 %f2, %f2, %f0;\n\tadd.f32 %f2, %f2, %f0;\n\tadd.f32 %f2, %f2, %f0;\n"
	     "\tadd.f32 %f3, %f3, %f0;\n\tmul.f32 %f4, %f3, %f1;\n"
	     "\tst.global.f32 [%b], %f4;\n",
	     3, 10 * ROUNDS},
	    {"a sum of products is normalised", "\tmul.f32 %f2, %f0, 0f3f000000;\n",
	     "\tfma.rn.f32 %f2, %f0, %f1, %f2;\n", 0, 0},
	};

	(void)state;
	is_exact = is_truncated = true;
	for (uint32_t n = 0; n < G_N_ELEMENTS(rows); n++) {
		uint64_t cycles[2] = {0};
		float sums[2][LANES];
		g_autofree char *kernel = g_strconcat(
		    ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a, %b;\n\t.reg .b32 %r<3>;\n"
		    "\t.reg .pred %p;\n\t.reg .f32 %f<9>;\n"
		    "\tld.param.u64 %a, [a];\n\tmov.u32 %r0, %tid.x;\n\tmul.wide.u32 %b, %r0, 4;\n"
		    "\tadd.s64 %b, %a, %b;\n\tadd.s32 %r1, %r0, -500;\n\tcvt.rn.f32.s32 %f0, %r1;\n"
		    "\tmul.f32 %f0, %f0, 0f3ebd70a4;\n\tcvt.rn.f32.u32 %f1, %r0;\n\tmov.u32 %r2, 0;\n",
		    rows[n].before, "LOOP:\n", rows[n].inside,
		    "\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p, %r2, 40;\n\t@%p bra LOOP;\n",
		    "\tst.global.f32 [%b], %f2;\n\tret;\n}\n", NULL);

		for (uint32_t open = 0; open < 2; open++) {
			struct dc_options o = dc_options_full;
			struct machine m;
			struct dc_step out = {0};

			o.keep = o.open = open;
			o.unroll = false;
			start(&m, kernel, &o, LANES);
			assert_null(dc_validate(m.kernel));
			while (!out.is_done) {
				assert_true(dc_block_step(m.program, m.block, &m.rig.launch, 0, &out));
				cycles[open] += out.cycles;
			}
			const struct dc_exec_counts *counts = dc_program_counts(m.program);

			if (counts->conversions_made != (open ? rows[n].made : 0) ||
			    counts->conversions_kept != (open ? rows[n].left_out : 0))
				fail_msg("%s: %llu made, %llu left out", rows[n].what,
					 (unsigned long long)counts->conversions_made,
					 (unsigned long long)counts->conversions_kept);
			memcpy(sums[open], dc_rig_memory(&m.rig), sizeof(sums[open]));
			end(&m);
		}
		/* A row of what is lost in each round, of the largest number that was added up. */
		for (uint32_t i = 0; i < LANES; i++)
			if (!(fabsf(sums[1][i] - sums[0][i]) <= fmaxf(fabsf(sums[0][i]), 400) * ROUNDS * 0x1p-22f))
				fail_msg("%s: lane %u: %g, expected %g", rows[n].what, i, (double)sums[1][i],
					 (double)sums[0][i]);
		assert_true((memcmp(sums[0], sums[1], sizeof(sums[0])) != 0) == (rows[n].left_out != 0));
		assert_true(rows[n].left_out ? cycles[1] < cycles[0] : cycles[1] == cycles[0]);
	}
	is_exact = is_truncated = false;
}

/* What a lane reads of the machine: the cycle in which its word begins, its control block, its CTA's size. */
static void special_registers(void **state)
{
	enum { CYCLE_G = 5, INDEX = 7 };
	static const uint64_t want[] = {CYCLE_G * 1000000000ull, (uint32_t)(CYCLE_G * 1000000000ull), 1, 2000000000,
					INDEX, 3, 32};
	struct machine m;
	struct dc_step out = {0};
	uint64_t got[G_N_ELEMENTS(want)];

	(void)state;
	start(&m,
	      ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a, %b;\n\t.reg .b32 %r<3>;\n"
	      "\tld.param.u64 %a, [a];\n\tmov.u64 %b, %clock64;\n\tst.global.u64 [%a], %b;\n"
	      "\tmov.u32 %r1, %clock;\n\tcvt.u64.u32 %b, %r1;\n\tst.global.u64 [%a+8], %b;\n"
	      "\tmov.u32 %r1, %clock_hi;\n\tcvt.u64.u32 %b, %r1;\n\tst.global.u64 [%a+16], %b;\n"
	      "\tmov.u64 %b, %globaltimer;\n\tst.global.u64 [%a+24], %b;\n"
	      "\tmov.u32 %r1, %smid;\n\tcvt.u64.u32 %b, %r1;\n\tst.global.u64 [%a+32], %b;\n"
	      "\tmov.u32 %r1, %nwarpid;\n\tcvt.u64.u32 %b, %r1;\n\tst.global.u64 [%a+40], %b;\n"
	      "\tmov.u32 %r1, WARP_SZ;\n\tcvt.u64.u32 %b, %r1;\n\tst.global.u64 [%a+48], %b;\n\tret;\n}\n",
	      &dc_options_full, 96);
	dc_block_free(m.block);
	m.block = dc_block_new(m.program, INDEX, registers);
	dc_block_begin(m.block, &(struct dc_warp){.launched = 1}, 1, &(struct dc_segments){0});
	while (!out.is_done)
		assert_true(dc_block_step(m.program, m.block, &m.rig.launch, want[0], &out));
	memcpy(got, dc_rig_memory(&m.rig), sizeof(got));
	for (uint32_t k = 0; k < G_N_ELEMENTS(want); k++)
		assert_int_equal(got[k], want[k]);
	end(&m);
}

/* ---- barriers ---- */

/* Runs the body on a CTA of 128 threads to its end: no fault, or what the fault says. */
static void runs(const char *body, const char *fault)
{
	g_autofree char *text = g_strconcat(
	    ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a;\n\t.reg .b32 %r<8>;\n\t.reg .pred %p<4>;\n"
	    "\tmov.u32 %r0, %tid.x;\n\tsetp.lt.u32 %p0, %r0, 64;\n\tsetp.lt.u32 %p1, %r0, 70;\n"
	    "\tld.param.u64 %a, [a];\n", body, "\tret;\n}\n", NULL);
	static const struct dc_options *const options[] = {&dc_options_full, &dc_options_plain};

	for (uint32_t n = 0; n < G_N_ELEMENTS(options); n++) {
		struct machine m;
		struct dc_step out = {0};
		char *wrong;
		bool goes_on = true;

		start(&m, text, options[n], 128);
		wrong = dc_validate(m.kernel);
		if (wrong)
			fail_msg("%s\n%s", wrong, text);
		while (goes_on && !out.is_done)
			goes_on = dc_block_step(m.program, m.block, &m.rig.launch, 0, &out);
		if (!fault != goes_on || (fault && !strstr(m.rig.launch.fault.text, fault)))
			fail_msg("%s\n'%s', expected '%s'", text, m.rig.launch.fault.text, fault ? fault : "");
		end(&m);
	}
}

/* A barrier is nothing where all come that will; where others come to another one, or later, it is a fault: in lock
 * step none can wait. */
static void barriers_meet(void **state)
{
	(void)state;
	runs("\tbar.sync 0;\n", NULL);
	/* early returns, of warps and of lanes, by themselves and by a branch; work behind that has no barrier */
	runs("\t@!%p0 ret;\n\tbar.sync 0;\n", NULL);
	runs("\t@!%p1 exit;\n\tbar.sync 0;\n\tst.global.u32 [%a], %r0;\n", NULL);
	runs("\t@!%p1 bra END;\n\tbar.sync 0;\n\tbar.sync 0;\nEND:\n\tst.global.u32 [%a], %r0;\n", NULL);
	/* on one side, and on both */
	runs("\t@%p0 bra ONE;\n\tbar.sync 0;\nONE:\n\tbar.sync 0;\n", "not among them");
	runs("\t@%p0 bra ONE;\n\tbar.sync 0;\n\tbra END;\nONE:\n\tbar.sync 0;\nEND:\n", "not among them");
	runs("\t@%p1 bra ONE;\n\tbar.sync 0;\nONE:\n\tbar.sync 0;\n", "of its warp");
	runs("\t@%p0 bar.sync 0;\n\tbar.sync 0;\n", "not among them");
	/* rounds: as many for all; more for some, who then are the only ones; and a barrier behind such a loop */
	runs("\tmov.u32 %r1, 0;\nL:\n\tbar.sync 0;\n\tadd.u32 %r1, %r1, 1;\n\tsetp.lt.u32 %p2, %r1, 3;\n"
	     "\t@%p2 bra L;\n\tbar.sync 0;\n", NULL);
	runs("\tshr.u32 %r1, %r0, 5;\nL:\n\tbar.sync 0;\n\tadd.u32 %r1, %r1, 1;\n\tsetp.lt.u32 %p2, %r1, 9;\n"
	     "\t@%p2 bra L;\n", NULL);
	runs("\tshr.u32 %r1, %r0, 5;\nL:\n\tbar.sync 0;\n\tadd.u32 %r1, %r1, 1;\n\tsetp.lt.u32 %p2, %r1, 9;\n"
	     "\t@%p2 bra L;\n\tbar.sync 0;\n", "not among them");
	/* counts: a half of the CTA; too few; those that do not wait have come before, or would come later */
	runs("\t@!%p0 bra END;\n\tbar.sync 1, 64;\nEND:\n\tbar.sync 0;\n", NULL);
	runs("\t@!%p0 bra END;\n\tbar.sync 1, 96;\nEND:\n\tbar.sync 0;\n", "has 64 threads");
	runs("\t@%p0 bar.arrive 1, 128;\n\t@!%p0 bar.sync 1, 128;\n", NULL);
	runs("\t@%p0 bar.sync 1, 128;\n\t@!%p0 bar.arrive 1, 128;\n", "has 64 threads");
	runs("\tbar.sync 0, 100;\n", "multiple of 32");
	runs("\tmov.u32 %r1, %tid.y;\n\tadd.u32 %r1, %r1, 16;\n\tbar.sync %r1;\n", "0 to 15");
}

/* bar.red, with and without a count. */
static void barriers_reduce(void **state)
{
	(void)state;
	runs("\tbar.red.popc.u32 %r1, 0, %p1;\n\tsetp.ne.u32 %p2, %r1, 70;\n\t@%p2 trap;\n", NULL);
	runs("\tbar.red.popc.u32 %r1, 0, 128, !%p1;\n\tsetp.ne.u32 %p2, %r1, 58;\n\t@%p2 trap;\n", NULL);
	runs("\tbar.red.and.pred %p2, 0, %p0;\n\t@%p2 trap;\n", NULL);
	runs("\tbar.red.or.pred %p2, 0, %p0;\n\t@!%p2 trap;\n", NULL);
}

/* What the crossbar delivers, against the functional simulator: every mode, segments, lanes that are out of range. */
static void crossbar_delivers(void **state)
{
	static const char *const modes[] = {"up", "down", "bfly", "idx"};

	(void)state;
	for (uint32_t n = 0; n < 4 * G_N_ELEMENTS(modes); n++) {
		static const uint32_t steps[] = {1, 5, 8, 31};
		const uint32_t mode = n / 4, bound = (n % 2 ? 0x1800u : 0) | (mode ? 31 : 0);
		g_autofree char *text = g_strdup_printf(
		    ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %%a, %%o;\n\t.reg .b32 %%r<4>;\n"
		    "\t.reg .pred %%p;\n"
		    "\tld.param.u64 %%a, [a];\n\tmov.u32 %%r0, %%tid.x;\n\tmul.wide.u32 %%o, %%r0, 8;\n"
		    "\tadd.u64 %%a, %%a, %%o;\n\tmul.lo.u32 %%r1, %%r0, 77;\n"
		    "\tshfl.sync.%s.b32 %%r2|%%p, %%r1, %u, %u, -1;\n\tselp.u32 %%r3, 1, 0, %%p;\n"
		    "\tst.global.u32 [%%a], %%r2;\n\tst.global.u32 [%%a+4], %%r3;\n\tret;\n}\n",
		    modes[mode], steps[n % 4], bound);
		struct machine m;
		struct dc_step out = {0};
		g_autofree uint8_t *want = NULL;

		start(&m, text, &dc_options_full, 64);
		want = dc_rig_wanted(&m.rig, "k");
		while (!out.is_done)
			assert_true(dc_block_step(m.program, m.block, &m.rig.launch, 0, &out));
		if (memcmp(want, dc_rig_memory(&m.rig), 64 * 8))
			fail_msg("%s", text);
		end(&m);
	}
}

/* Offsets of 32 bits: below the base too; of a vector, an atomic and a store; an object may not be beyond them. */
static void bases_are_added(void **state)
{
	static const char text[] =
	    ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a, %o, %f;\n\t.reg .b32 %r<6>;\n"
	    "\tld.param.u64 %a, [a];\n\tmov.u32 %r0, %tid.x;\n\tsub.s32 %r1, %r0, 63;\n"
	    "\tmul.wide.s32 %o, %r1, 8;\n\tadd.s64 %f, %a, 4096;\n\tadd.s64 %f, %f, %o;\n"
	    "\tst.global.v2.u32 [%f], {%r0, %r1};\n\tld.global.v2.u32 {%r2, %r3}, [%f];\n"
	    "\tatom.global.add.u32 %r4, [%f+4], %r3;\n\tadd.s32 %r5, %r2, %r4;\n\tst.global.u32 [%f], %r5;\n"
	    "\tret;\n}\n";
	struct dc_options o = dc_options_full;
	struct machine m;
	struct dc_step out = {0};
	g_autofree uint8_t *want = NULL;
	uint32_t based = 0;

	(void)state;
	o.base_offset = true;
	start(&m, text, &o, 64);
	for (uint32_t n = 0; n < m.kernel->word_count; n++)
		based += m.kernel->words[n].box.has_base;
	assert_int_equal(based, 4);
	want = dc_rig_wanted(&m.rig, "k");
	while (!out.is_done)
		assert_true(dc_block_step(m.program, m.block, &m.rig.launch, 0, &out));
	assert_memory_equal(want, dc_rig_memory(&m.rig), MEMORY_BYTES);
	end(&m);
}

/* The same offset from two bases, whose sums with what stands in the instruction meet: in PTX's order. */
static void bases_may_meet(void **state)
{
	static const char text[] =
	    ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a, %b, %o, %f, %g;\n\t.reg .b32 %r<8>;\n"
	    "\tld.param.u64 %a, [a];\n\tmov.u32 %r0, %tid.x;\n\tmul.wide.u32 %o, %r0, 8;\n"
	    "\tadd.s64 %b, %a, 4;\n\tadd.s64 %f, %b, %o;\n\tadd.s64 %g, %a, %o;\n"
	    "\tadd.s32 %r1, %r0, 7;\n\tdiv.u32 %r2, 1000000, %r1;\n\tst.global.u32 [%f], %r2;\n"
	    "\tld.global.u32 %r3, [%g+4];\n\tdiv.u32 %r4, %r3, 3;\n\tdiv.u32 %r5, 77777777, %r4;\n"
	    "\tst.global.u32 [%g], %r5;\n\tret;\n}\n";
	struct dc_options o = dc_options_full;
	struct machine m;
	struct dc_step out = {0};
	g_autofree uint8_t *want = NULL;

	(void)state;
	o.base_offset = true;
	start(&m, text, &o, 64);
	want = dc_rig_wanted(&m.rig, "k");
	while (!out.is_done)
		assert_true(dc_block_step(m.program, m.block, &m.rig.launch, 0, &out));
	assert_memory_equal(want, dc_rig_memory(&m.rig), MEMORY_BYTES);
	end(&m);
}

static void offsets_have_an_end(void **state)
{
	static const char text[] =
	    ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %a, %o;\n\t.reg .b32 %r;\n"
	    "\tld.param.u64 %a, [a];\n\tmov.u32 %r, %tid.x;\n\tmul.wide.u32 %o, %r, 4;\n\tadd.s64 %a, %a, %o;\n"
	    "\tst.global.u32 [%a], %r;\n\tret;\n}\n";
	struct dc_options o = dc_options_full;
	struct machine m;
	struct dc_step out = {0};
	uint64_t at;
	bool is_right = true;

	(void)state;
	o.base_offset = true;
	start(&m, text, &o, 32);
	at = simt_memory_alloc(m.rig.mem, 1ull << 31, 256, SIMT_ALLOC_DEVICE);
	assert_int_not_equal(at, 0);
	memcpy(m.rig.params, &at, sizeof(at));
	assert_true(dc_program_begin(m.program, &m.rig.launch));
	while (!out.is_done && is_right)
		is_right = dc_block_step(m.program, m.block, &m.rig.launch, 0, &out);
	assert_false(is_right);
	assert_non_null(strstr(m.rig.launch.fault.text, "2147483648 bytes"));
	end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bases_are_added),
	    cmocka_unit_test(bases_may_meet),
	    cmocka_unit_test(offsets_have_an_end),
	    cmocka_unit_test(rows_are_swapped),
	    cmocka_unit_test(access_has_the_arrays_of_its_lanes),
	    cmocka_unit_test(crossbar_delivers),
	    cmocka_unit_test(special_registers),
	    cmocka_unit_test(sums_stay_in_twos_complement),
	    cmocka_unit_test(conversions_stand_outside_of_loops),
	    cmocka_unit_test(sums_stay_open),
	    cmocka_unit_test(sums_are_cut_and_open),
	    cmocka_unit_test(barriers_meet),
	    cmocka_unit_test(barriers_reduce),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
