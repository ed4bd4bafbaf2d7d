/* test_exec.c - what a control block's words take: time of routines without room, rows of accesses. */
#include "rig.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "dc/exec/exec.h"

static const char head[] = ".version 6.0\n.target sm_70\n.address_size 64\n";

/* A kernel on the lanes of a control block, a CTA. */
struct machine {
	struct dc_rig rig;
	struct dc_kernel *kernel;
	struct dc_program *program;
	struct dc_block *block;
};

static void start(struct machine *m, const char *text, const struct dc_options *o, uint32_t threads)
{
	const struct dc_exec_params params = {.line_bytes = 64, .progress_rounds = 1 << 20};
	const struct dc_case c = {.args = "z", .grid = {1, 1, 1}, .block = {threads, 1, 1}};
	g_autofree char *all = g_strconcat(head, text, NULL);
	struct dc_warp warps[DC_WARPS_MAX];

	dc_rig_open(&m->rig, all, "k");
	dc_rig_args(&m->rig, &c);
	memcpy(m->rig.launch.block, c.block, sizeof(c.block));
	m->kernel = dc_compile(ptx_module_func(m->rig.ptx, "k"), o, &m->rig.diag);
	assert_non_null(m->kernel);
	m->program = dc_program_new(m->kernel, &params, SIMT_ISA_PORTABLE, &m->rig.diag);
	assert_non_null(m->program);
	assert_true(dc_program_begin(m->program, &m->rig.launch));
	m->block = dc_block_new(m->program);
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

		assert_true(dc_block_step(m.program, m.block, &m.rig.launch, &out));
		if (now->array_cycles == before.array_cycles)
			continue;

		const uint64_t rows = m.kernel->words[out.executed].slot[0].swap_rows;

		/* The plain translator's lanes are in all four arrays. */
		assert_int_equal(4 * out.cycles, now->array_cycles - before.array_cycles + 4 * 2 * rows);
		assert_int_equal(now->swap_cycles - before.swap_cycles, 4 * 2 * rows);
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
			assert_true(dc_block_step(m.program, m.block, &m.rig.launch, &out));
			if (out.access.kind == DC_BOX_WARP || out.access.kind == DC_BOX_MEMORY) {
				assert_int_equal(out.access.banks, rows[n].banks);
				accesses++;
			}
		}
		assert_int_equal(accesses, 2);
		end(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_swapped),
	    cmocka_unit_test(access_has_the_arrays_of_its_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
