/* BOM's monitor on timelines written by hand: what it records, which block it selects, in which order it refuses, where
 * blocks go and how its pace adapts; and what the compiler's hint says of two kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ndp/bom/hint.h"
#include "ndp/bom/pace.h"
#include "ndp/bom/record.h"
#include "ndp/bom/select.h"

static const struct bom_slowness slow = {1.5, 2};

static enum bom_case case_of(const struct bom_core *c, uint64_t cta, uint64_t cycle)
{
	for (uint32_t i = 0; i < c->count; i++) {
		if (c->blocks[i].cta == cta)
			return bom_case_of(c, &c->blocks[i], &slow, cycle);
	}
	fail_msg("block %u is not resident", (unsigned int)cta);
	return BOM_CASE_NONE;
}

/* BOM section 5.4.1, figure 12: blocks 1 to 4 are launched together, block 1 is the fastest. */
static void batch_begin(struct bom_core *c)
{
	*c = (struct bom_core){0};
	for (uint64_t cta = 1; cta <= 4; cta++)
		bom_core_placed(c, cta, 100);
}

static void nothing_before_a_reference(void **state)
{
	struct bom_core c;

	(void)state;
	batch_begin(&c);
	assert_int_equal(case_of(&c, 2, 1000000), BOM_CASE_NONE);
}

static void fastest_is_the_reference(void **state)
{
	struct bom_core c;

	(void)state;
	batch_begin(&c);
	assert_int_equal(bom_core_done(&c, 1, 1100), 1000);
	bom_core_placed(&c, 5, 1100);
	/* Figure 13: block 2 may end right after block 1. Slow from 1.5 times on, unless it is slower than the mean. */
	c.done_cycles = 1000000;
	assert_int_equal(case_of(&c, 2, 1101), BOM_CASE_NONE);
	assert_int_equal(case_of(&c, 2, 1599), BOM_CASE_NONE);
	assert_int_equal(case_of(&c, 2, 1600), BOM_CASE_SLOW_BLOCK);
	assert_int_equal(case_of(&c, 5, 2600), BOM_CASE_NONE); /* of another batch */
	/* The second to end changes nothing for the third. */
	bom_core_done(&c, 2, 1200);
	c.done_cycles = 1000000;
	assert_int_equal(case_of(&c, 3, 1599), BOM_CASE_NONE);
	assert_int_equal(case_of(&c, 3, 1600), BOM_CASE_SLOW_BLOCK);
}

static void later_blocks_that_complete_count(void **state)
{
	struct bom_core c;

	(void)state;
	batch_begin(&c);
	bom_core_done(&c, 1, 1100);
	bom_core_placed(&c, 5, 1100);
	bom_core_done(&c, 5, 1200);
	bom_core_placed(&c, 6, 1200);
	c.done_cycles = 1000000;
	assert_int_equal(case_of(&c, 2, 1300), BOM_CASE_NONE);
	bom_core_done(&c, 6, 1300);
	c.done_cycles = 1000000;
	assert_int_equal(case_of(&c, 2, 1300), BOM_CASE_SLOW_BLOCK);
	/* Without a reference they do not. */
	bom_core_placed(&c, 7, 1250);
	c.blocks[c.count - 1].later_count = 9;
	assert_int_equal(case_of(&c, 7, 1300), BOM_CASE_NONE);
}

static void slower_than_the_mean(void **state)
{
	struct bom_core c = {0};

	(void)state;
	bom_core_placed(&c, 1, 0);
	bom_core_placed(&c, 2, 10);
	bom_core_placed(&c, 3, 20);
	bom_core_done(&c, 1, 1000);
	bom_core_done(&c, 2, 2010); /* the mean is 1500 */
	assert_int_equal(case_of(&c, 3, 1520), BOM_CASE_NONE);
	assert_int_equal(case_of(&c, 3, 1521), BOM_CASE_SLOW_CORE);
	/* A block that left counts for nothing. */
	bom_core_placed(&c, 4, 0);
	bom_core_left(&c, 4);
	assert_int_equal(c.count, 1);
	assert_int_equal(c.done_count, 2);
	assert_int_equal(c.done_cycles, 3000);
	/* The next kernel's first blocks are compared with the same mean. */
	bom_core_begin(&c, false);
	assert_int_equal(c.count, 0);
	bom_core_placed(&c, 1, 5000);
	assert_int_equal(case_of(&c, 1, 6500), BOM_CASE_NONE);
	assert_int_equal(case_of(&c, 1, 6501), BOM_CASE_SLOW_CORE);
	/* Or with those of its own kernel. */
	bom_core_begin(&c, true);
	bom_core_placed(&c, 1, 5000);
	assert_int_equal(case_of(&c, 1, 1000000), BOM_CASE_NONE);
}

/* All checks fail; then one after the other holds, in the order of section 5.4.1. */
static void order_of_the_checks(void **state)
{
	struct bom_situation s = {
	    .active_warps = 1,
	    .min_warps = 2,
	    .miss_rate = 0.5,
	    .mean_miss_rate = 0.5,
	    .checks_miss_rate = true,
	    .mshr_share = 0.24,
	    .min_mshr_share = 0.25,
	    .traffic_share = 0.4,
	    .min_traffic_share = 0.5,
	    .has_stores = true,
	    .has_loads = true,
	    .is_issued = true,
	    .is_diverged = true,
	    .at_barrier = true,
	    .uses_shared = true,
	    .memory_share = 0.1,
	    .min_memory_share = 0.2,
	};

	(void)state;
	assert_int_equal(bom_judge(&s), BOM_KEEP_WARPS);
	s.active_warps = 2;
	assert_int_equal(bom_judge(&s), BOM_KEEP_MISS_RATE);
	s.miss_rate = 0.51;
	assert_int_equal(bom_judge(&s), BOM_KEEP_MSHRS);
	s.mshr_share = 0.25;
	assert_int_equal(bom_judge(&s), BOM_KEEP_TRAFFIC);
	s.traffic_share = 0.5;
	assert_int_equal(bom_judge(&s), BOM_KEEP_STORES);
	s.has_stores = false;
	assert_int_equal(bom_judge(&s), BOM_KEEP_DIVERGED);
	s.is_diverged = false;
	assert_int_equal(bom_judge(&s), BOM_KEEP_ISSUED);
	s.is_issued = false;
	assert_int_equal(bom_judge(&s), BOM_KEEP_ISSUED);
	s.has_loads = false;
	assert_int_equal(bom_judge(&s), BOM_KEEP_BARRIER);
	s.at_barrier = false;
	assert_int_equal(bom_judge(&s), BOM_KEEP_SHARED);
	s.uses_shared = false;
	assert_int_equal(bom_judge(&s), BOM_KEEP_HINT);
	s.memory_share = 0.2;
	assert_int_equal(bom_judge(&s), BOM_KEEP_FULL);
	s.has_room = true;
	assert_int_equal(bom_judge(&s), BOM_LEAVE);
}

static void options_of_the_checks(void **state)
{
	struct bom_situation s = {.active_warps = 2, .min_warps = 2, .has_room = true, .miss_rate = 0.1,
				  .mean_miss_rate = 0.2};

	(void)state;
	assert_int_equal(bom_judge(&s), BOM_LEAVE); /* the miss rate is not asked for */
	s.has_loads = s.is_issued = true;
	s.drain = BOM_DRAIN_LOADS;
	assert_int_equal(bom_judge(&s), BOM_LEAVE);
	s.has_stores = true;
	assert_int_equal(bom_judge(&s), BOM_KEEP_STORES);
	s.drain = BOM_DRAIN_STORES;
	assert_int_equal(bom_judge(&s), BOM_LEAVE);
	s.drain = BOM_DRAIN_RESULTS;
	s.has_stores = false;
	assert_int_equal(bom_judge(&s), BOM_KEEP_ISSUED); /* a load */
	s.has_loads = false;
	assert_int_equal(bom_judge(&s), BOM_LEAVE);
	s.drain = BOM_DRAIN_STORES;
	s.is_diverged = s.at_barrier = true;
	assert_int_equal(bom_judge(&s), BOM_KEEP_DIVERGED);
	s.waits = true; /* it converges and passes its barrier first */
	assert_int_equal(bom_judge(&s), BOM_LEAVE);
	s.waits = s.at_barrier = false;
	s.moves_diverged = true;
	assert_int_equal(bom_judge(&s), BOM_LEAVE);
}

static void most_room_then_round_robin(void **state)
{
	static const uint32_t rooms[] = {2, 8, 0, 8}, none[] = {0, 0};

	(void)state;
	assert_int_equal(bom_destination(rooms, 4, 0), 1);
	assert_int_equal(bom_destination(rooms, 4, 1), 1);
	assert_int_equal(bom_destination(rooms, 4, 2), 3);
	assert_int_equal(bom_destination(none, 2, 1), 2);
}

static void pace_climbs(void **state)
{
	struct bom_pace p;

	(void)state;
	bom_pace_begin(&p, 1000);
	bom_pace_step(&p, 100); /* begins with more offloads */
	assert_int_equal(p.interval_cycles, 500);
	bom_pace_step(&p, 120);
	assert_int_equal(p.interval_cycles, 250);
	bom_pace_step(&p, 110); /* too many */
	assert_int_equal(p.interval_cycles, 500);
	bom_pace_step(&p, 110);
	assert_int_equal(p.interval_cycles, 1000);
	for (uint32_t i = 0; i < 10; i++)
		bom_pace_step(&p, 110);
	assert_int_equal(p.interval_cycles, 8000);
	bom_pace_step(&p, 109);
	for (uint32_t i = 0; i < 10; i++)
		bom_pace_step(&p, 109);
	assert_int_equal(p.interval_cycles, 125);
}

/* A loop of one load, one addition, one comparison and a branch; before it two instructions, behind it a store and
 * ret: (10 + 1) of (2 + 10 * 4 + 2). */
static const char loop_text[] = ".version 7.5\n.target sm_70\n.address_size 64\n"
				".visible .entry loop(.param .u64 p)\n{\n"
				".reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
				"ld.param.u64 %rd1, [p];\n"
				"mov.u32 %r1, 0;\n"
				"next:\n"
				"ld.global.u32 %r2, [%rd1];\n"
				"add.u32 %r1, %r1, %r2;\n"
				"setp.lt.u32 %p1, %r1, 100;\n"
				"@%p1 bra next;\n"
				"st.global.u32 [%rd1], %r1;\n"
				"ret;\n}\n";

static void hint_weights_loops(void **state)
{
	struct simt_memory *mem = simt_memory_new(1 << 20);
	struct simt_program *program;
	struct base_diag_list diag;
	struct ptx_module *ptx;
	struct simt_module *module;

	(void)state;
	base_diag_init(&diag);
	ptx = ptx_module_parse("loop.ptx", loop_text, strlen(loop_text), &diag);
	assert_non_null(ptx);
	module = simt_module_load(ptx, mem, &diag);
	program = simt_program_build(module, "loop", SIMT_ISA_PORTABLE, NULL, &diag);
	assert_non_null(program);
	assert_true(bom_memory_share(program) > 0.2499 && bom_memory_share(program) < 0.2501);
	simt_program_free(program);
	simt_module_unload(module);
	ptx_module_free(ptx);
	simt_memory_free(mem);
	base_diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_before_a_reference),
	    cmocka_unit_test(fastest_is_the_reference),
	    cmocka_unit_test(later_blocks_that_complete_count),
	    cmocka_unit_test(slower_than_the_mean),
	    cmocka_unit_test(order_of_the_checks),
	    cmocka_unit_test(options_of_the_checks),
	    cmocka_unit_test(most_room_then_round_robin),
	    cmocka_unit_test(pace_climbs),
	    cmocka_unit_test(hint_weights_loops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
