/* Fixed offsets on synthetic instances of a block of four instructions, three of which access memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ndp/tom/offsets.h"

enum { BEGIN = 5, A = 5, B = 7, C = 8, END = 9, INSTANCES = 8 };

static struct simt_inst insts[END];
static struct simt_program program = {.insts = insts};
static struct ndp_block block = {.block = {.begin_pc = BEGIN, .last_pc = C, .end_pc = END}};
static struct ndp_blocks blocks = {.items = &block, .count = 1};

static struct tom_offsets *begin(void)
{
	struct tom_offsets *o = tom_offsets_new(INSTANCES);

	insts[A].unit = insts[B].unit = insts[C].unit = SIMT_UNIT_LDST;
	tom_offsets_kernel_begin(o, &program, &blocks);
	return o;
}

/* Lanes from lane on access addr and what follows. */
static void touch(struct tom_offsets *o, uint32_t instance, uint32_t pc, uint32_t lane, uint64_t addr)
{
	uint64_t all[SIMT_LANES] = {0};

	for (uint32_t i = lane; i < SIMT_LANES; i++)
		all[i] = addr + 4 * i;
	tom_offsets_touch(o, instance, pc, UINT32_MAX << lane, all);
}

static void expect(struct tom_offsets *o, uint64_t accesses, uint64_t fixed, enum tom_offset_class class)
{
	struct ndp_offset_share share = {0};

	tom_offsets_add(o, 0, &share);
	assert_int_equal(share.accesses, accesses);
	assert_int_equal(share.fixed, fixed);
	assert_int_equal(tom_offset_class_of(&share), class);
	tom_offsets_free(o);
}

/* Two arrays at the same index, in loops of as many iterations as the instance's number says. */
static void same_index_is_fixed(void **state)
{
	struct tom_offsets *o = begin();

	(void)state;
	for (uint32_t i = 0; i < INSTANCES; i++) {
		tom_offsets_open(o, i, 0);
		for (uint32_t k = 0; k <= i; k++) {
			touch(o, i, A, 0, 4096 + 128 * i + 1024 * k);
			touch(o, i, B, 0, 65536 + 128 * i + 1024 * k);
		}
	}
	/* 36 iterations. A: without 8 first accesses and a stride to compare with; B: the same less one of each. */
	expect(o, 27 + 7 + 27, 27 + 7 + 27, TOM_OFFSET_ALL);
}

/* The index is loaded: what is found there has no fixed offset, but two arrays at this index have. */
static void loaded_index_is_not(void **state)
{
	struct tom_offsets *o = begin();

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		tom_offsets_open(o, i, 0);
		for (uint32_t k = 0; k < 4; k++) {
			touch(o, i, A, 0, 4096 + 128 * i + 4 * k);
			touch(o, i, B, 0, 65536 + 512 * i * i + 256 * k * k);
		}
	}
	expect(o, 5 + 1 + 5, 5, TOM_OFFSET_25);

	o = begin();
	for (uint32_t i = 0; i < 2; i++) {
		tom_offsets_open(o, i, 0);
		for (uint32_t k = 0; k < 4; k++) {
			touch(o, i, A, 0, 4096 + 640 * (i + 2 * k) * (i + k));
			touch(o, i, B, 0, 65536 + 640 * (i + 2 * k) * (i + k));
		}
	}
	expect(o, 5 + 1 + 5, 6, TOM_OFFSET_50);
}

static void nothing_fixed(void **state)
{
	struct tom_offsets *o = begin();

	(void)state;
	for (uint32_t i = 0; i < INSTANCES; i++) {
		tom_offsets_open(o, i, 0);
		touch(o, i, A, 0, 4096 + 128 * i);
		touch(o, i, B, 0, 65536 + 256 * i);
	}
	expect(o, INSTANCES - 1, 0, TOM_OFFSET_NONE);
}

/* One instance that differs is enough. */
static void every_instance_counts(void **state)
{
	struct tom_offsets *o = begin();

	(void)state;
	for (uint32_t i = 0; i < INSTANCES; i++) {
		tom_offsets_open(o, i, 0);
		touch(o, i, A, 0, 4096 + 128 * i);
		touch(o, i, B, 0, 65536 + 128 * i);
		touch(o, i, C, 0, 131072 + 128 * i + (i == 5 ? 4 : 0));
	}
	expect(o, 2 * (INSTANCES - 1), INSTANCES - 1, TOM_OFFSET_50);
}

/* One lane is followed; where it is inactive nothing is seen. */
static void one_lane_is_followed(void **state)
{
	struct tom_offsets *o = begin();

	(void)state;
	for (uint32_t i = 0; i < INSTANCES; i++) {
		tom_offsets_open(o, i, 0);
		touch(o, i, A, i, 4096 + 128 * i);
		touch(o, i, B, 0, 65536 + 128 * i); /* lane 0 too, which is not the instance's */
		touch(o, i, C, 9, 77 * i * i);
	}
	expect(o, INSTANCES - 1, INSTANCES - 1, TOM_OFFSET_ALL);
}

static void single_accesses_and_lost_instances_do_not_count(void **state)
{
	struct tom_offsets *o = begin();

	(void)state;
	for (uint32_t i = 0; i < INSTANCES; i++) {
		tom_offsets_open(o, i, 0);
		touch(o, i, A, 0, 4096 + 128 * i);
	}
	tom_offsets_forget(o);
	for (uint32_t i = 0; i < INSTANCES; i++)
		touch(o, i, B, 0, 65536 + 128 * i);
	expect(o, 0, 0, TOM_OFFSET_CLASSES);
}

static void classes_at_their_bounds(void **state)
{
	static const struct {
		uint64_t fixed;
		enum tom_offset_class class;
	} cases[] = {{100, TOM_OFFSET_ALL}, {99, TOM_OFFSET_75}, {75, TOM_OFFSET_75}, {74, TOM_OFFSET_50},
		     {50, TOM_OFFSET_50},   {49, TOM_OFFSET_25}, {25, TOM_OFFSET_25}, {24, TOM_OFFSET_0},
		     {1, TOM_OFFSET_0},	    {0, TOM_OFFSET_NONE}};

	(void)state;
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ndp_offset_share share = {.accesses = 100, .fixed = cases[i].fixed};

		assert_int_equal(tom_offset_class_of(&share), cases[i].class);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_index_is_fixed),
		cmocka_unit_test(loaded_index_is_not),
		cmocka_unit_test(nothing_fixed),
		cmocka_unit_test(every_instance_counts),
		cmocka_unit_test(one_lane_is_followed),
		cmocka_unit_test(single_accesses_and_lost_instances_do_not_count),
		cmocka_unit_test(classes_at_their_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
