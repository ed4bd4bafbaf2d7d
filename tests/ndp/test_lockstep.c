/* test_lockstep.c - a launch as a cache's control blocks would execute it: warps of a CTA as one, lines, word-lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ndp/lockstep.h"

enum { WARPS = 2, ADD_CYCLES = 32, LOAD_ROWS = 32, ADDRESS_ROWS = 64 };

enum { PC_ADD, PC_LOAD, PC_STORE, PC_SHARED, PC_COUNT };

static const struct ptx_inst add = {.op = PTX_OP_ADD, .type = PTX_U32};
static const struct simt_inst insts[PC_COUNT] = {
    [PC_ADD] = {.ptx = &add},
    [PC_LOAD] = {.unit = SIMT_UNIT_LDST, .flags = SIMT_LOAD, .access_bytes = 4},
    [PC_STORE] = {.unit = SIMT_UNIT_LDST, .flags = SIMT_STORE, .access_bytes = 4},
    [PC_SHARED] = {.unit = SIMT_UNIT_LDST, .flags = SIMT_LOAD, .access_bytes = 4},
};
static const struct simt_program program = {.insts = insts, .inst_count = PC_COUNT};
static const struct simt_launch launch = {.grid = {3, 1, 1}, .block = {WARPS * SIMT_LANES, 1, 1}};

struct rig {
	struct ndp_lockstep *lockstep;
	struct ndp_lockstep_counts counts;
	struct simt_warp warps[WARPS];
};

static void rig_begin(struct rig *r)
{
	*r = (struct rig){.lockstep = ndp_lockstep_new()};
	for (uint32_t i = 0; i < WARPS; i++)
		r->warps[i] = (struct simt_warp){.index_in_cta = i};
	ndp_lockstep_begin(r->lockstep, &launch, &program, &r->counts);
}

/* Words of all lanes, one after the other, from addr on. */
static void step(struct rig *r, uint32_t warp, uint32_t pc, uint64_t addr)
{
	struct simt_step s = {.inst = &insts[pc], .pc = pc, .exec_mask = UINT32_MAX, .space = SIMT_MEM_GLOBAL};

	for (uint32_t i = 0; i < SIMT_LANES; i++)
		s.addr[i] = addr + 4 * i;
	if (pc == PC_SHARED) {
		s.space = SIMT_MEM_SHARED;
		s.shared_mask = UINT32_MAX;
	} else if (pc != PC_ADD) {
		s.access_mask = UINT32_MAX;
	}
	r->warps[warp].instruction_count++;
	ndp_lockstep_step(r->lockstep, &r->warps[warp], &s);
}

/* A loop of three rounds beside one of five is one of five; the next CTA at the same place begins anew. */
static void warps_are_one(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	for (uint32_t i = 0; i < 3; i++)
		step(&r, 0, PC_ADD, 0);
	for (uint32_t i = 0; i < 5; i++)
		step(&r, 1, PC_ADD, 0);
	assert_int_equal(r.counts.cycles, 5 * ADD_CYCLES);
	r.warps[0].instruction_count = 0;
	step(&r, 0, PC_ADD, 0);
	assert_int_equal(r.counts.cycles, 6 * ADD_CYCLES);
	assert_int_equal(r.counts.banks, 3);
	ndp_lockstep_free(r.lockstep);
}

static void accesses(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	step(&r, 0, PC_LOAD, 4096);
	step(&r, 1, PC_LOAD, 4096 + 128);
	assert_int_equal(r.counts.accesses, 1);
	assert_int_equal(r.counts.lines, 4);
	assert_int_equal(r.counts.out_rows, ADDRESS_ROWS);
	assert_int_equal(r.counts.in_rows, LOAD_ROWS);
	step(&r, 0, PC_STORE, 4096);
	assert_int_equal(r.counts.accesses, 2);
	assert_int_equal(r.counts.lines, 6);
	assert_int_equal(r.counts.out_rows, 2 * ADDRESS_ROWS + LOAD_ROWS);
	assert_int_equal(r.counts.in_rows, LOAD_ROWS);
	ndp_lockstep_free(r.lockstep);
}

/* Each line of a launch once; new only in the first that touches it; shared memory has no place in memory. */
static void footprint(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	step(&r, 0, PC_LOAD, 65536 - 64);
	step(&r, 0, PC_LOAD, 65536 - 64);
	step(&r, 0, PC_SHARED, 0);
	assert_int_equal(r.counts.lines, 6);
	assert_int_equal(r.counts.footprint_lines, 2);
	assert_int_equal(r.counts.new_lines, 2);
	ndp_lockstep_begin(r.lockstep, &launch, &program, &r.counts);
	step(&r, 0, PC_LOAD, 65536);
	assert_int_equal(r.counts.footprint_lines, 4);
	assert_int_equal(r.counts.new_lines, 3);
	ndp_lockstep_free(r.lockstep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(warps_are_one),
	    cmocka_unit_test(accesses),
	    cmocka_unit_test(footprint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
