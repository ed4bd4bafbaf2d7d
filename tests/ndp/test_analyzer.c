/* The memory map analyzer on synthetic instances whose best mapping is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mem/map.h"
#include "ndp/map/analyzer.h"

/* Instances of `count` accesses, `stride` apart; instance i begins at i * 128. */
static struct map_totals strided(uint64_t stride, uint32_t count)
{
	struct map_totals totals = {0};
	struct map_instance in;

	for (uint64_t i = 0; i < 1024; i++) {
		map_instance_open(&in, 4, 0);
		for (uint64_t k = 0; k < count; k++)
			map_instance_touch(&in, i * 128 + k * stride, (uint32_t)(k % 3));
		assert_true(map_instance_close(&in, &totals));
	}
	return totals;
}

/* Section 3.2.1: a common factor 2^M of the offsets leaves the bits below M alone, so that any two of [M-1:7] keep an
 * instance in one stack. */
static void fixed_offsets_leave_lower_bits(void **state)
{
	(void)state;
	for (uint32_t m = 9; m <= 18; m++) {
		struct map_totals totals = strided(1ull << m, 8);

		assert_int_equal(totals.instances, 1024);
		assert_int_equal(totals.accesses, 8 * 1024);
		assert_int_equal(map_best_bit(totals.stacks), 7);
		for (uint32_t b = MAP_BIT_FIRST; b <= MAP_BIT_LAST; b++) {
			uint32_t i = b - MAP_BIT_FIRST;
			bool is_local = b + 1 < m;

			assert_int_equal(totals.single[i] == 1024, is_local);
			assert_int_equal(totals.stacks[i] == 1024, is_local);
			assert_int_equal(totals.most_used[i] == 8 * 1024, is_local);
		}
	}
}

/* Runs of consecutive lines: only bits above the run's size keep it together. */
static void consecutive_lines_want_higher_bits(void **state)
{
	struct map_totals totals = {0};
	struct map_instance in;

	(void)state;
	for (uint64_t i = 0; i < 256; i++) {
		map_instance_open(&in, 4, 0);
		for (uint64_t k = 0; k < 32; k++) /* 4 KB, aligned */
			map_instance_touch(&in, i * 4096 + k * 128, 0);
		assert_true(map_instance_close(&in, &totals));
	}
	assert_int_equal(map_best_bit(totals.stacks), 12);
	assert_int_equal(totals.single[12 - MAP_BIT_FIRST], 256);
	assert_int_equal(totals.single[7 - MAP_BIT_FIRST], 0);
	assert_int_equal(totals.stacks[7 - MAP_BIT_FIRST], 4 * 256);
	assert_int_equal(totals.most_used[7 - MAP_BIT_FIRST], 8 * 256);
	assert_int_equal(totals.stacks[11 - MAP_BIT_FIRST], 2 * 256);
}

static void mapping_in_force_is_counted_beside(void **state)
{
	struct map_totals totals = strided(4096, 9);

	(void)state;
	assert_int_equal(totals.stacks[MAP_IN_FORCE], 3 * 1024);
	assert_int_equal(totals.single[MAP_IN_FORCE], 0);
	assert_int_equal(totals.most_used[MAP_IN_FORCE], 3 * 1024);
}

static void empty_and_lost_instances_do_not_count(void **state)
{
	struct map_totals totals = {0};
	struct map_instance in = {0};

	(void)state;
	assert_false(map_instance_close(&in, &totals));
	map_instance_open(&in, 4, 0);
	assert_false(map_instance_close(&in, &totals));
	map_instance_open(&in, 4, 0);
	map_instance_touch(&in, 0, 0);
	map_instance_open(&in, 4, 0); /* the first was lost */
	map_instance_touch(&in, 128, 0);
	assert_true(map_instance_close(&in, &totals));
	assert_false(map_instance_close(&in, &totals));
	assert_int_equal(totals.instances, 1);
	assert_int_equal(totals.accesses, 1);
}

/* An instance of which bits 8:7 make two stacks, eight accesses each, bits 13:12 three, fourteen accesses in one of
 * them, and all other pairs more stacks or more even ones: the hardware counts stacks, the oracle accesses. */
static void oracle_counts_accesses(void **state)
{
	struct map_totals totals = {0};
	struct map_instance in;

	(void)state;
	map_instance_open(&in, 4, 0);
	for (uint64_t i = 0; i < 16; i++) {
		uint64_t a = i & 1, b = i >> 1 & 1, c = i >> 2 & 1, d = i >> 3;
		uint64_t rare = (uint64_t)(i == 3) << 12 | (uint64_t)(i == 6) << 13;

		map_instance_touch(&in,
				   a << 7 | a << 8 | b << 9 | c << 10 | a << 11 | rare | a << 14 | b << 15 | c << 16 |
				       d << 17,
				   0);
	}
	assert_true(map_instance_close(&in, &totals));
	assert_int_equal(totals.stacks[7 - MAP_BIT_FIRST], 2);
	assert_int_equal(totals.most_used[7 - MAP_BIT_FIRST], 8);
	assert_int_equal(totals.stacks[12 - MAP_BIT_FIRST], 3);
	assert_int_equal(totals.most_used[12 - MAP_BIT_FIRST], 14);
	assert_int_equal(map_best_bit(totals.stacks), 7);
	assert_int_equal(map_oracle_bit(&totals), 12);
}

/* The hardware's view: an instance is judged once, by what it has touched so far; its later accesses and its end change
 * only the statistics. */
static void judged_before_the_end(void **state)
{
	struct map_totals totals = {0};
	struct map_judged judged = {0};
	struct map_instance in = {0};

	(void)state;
	assert_false(map_instance_judge(&in, &judged)); /* none */
	map_instance_open(&in, 4, 0);
	assert_false(map_instance_judge(&in, &judged)); /* has touched nothing */
	map_instance_touch(&in, 0, 0);
	map_instance_touch(&in, 128, 0);
	assert_true(map_instance_judge(&in, &judged));
	map_instance_touch(&in, 256, 0);
	map_instance_touch(&in, 384, 0);
	assert_false(map_instance_judge(&in, &judged));
	assert_true(map_instance_close(&in, &totals));
	assert_false(map_instance_judge(&in, &judged));
	assert_int_equal(judged.instances, 1);
	assert_int_equal(judged.stacks[0], 2); /* bits 8:7 */
	assert_int_equal(judged.stacks[1], 1); /* bits 9:8 */
	assert_int_equal(totals.stacks[0], 4);
	assert_int_equal(totals.stacks[1], 2);
	assert_int_equal(map_best_bit(judged.stacks), 8);
	assert_int_equal(map_best_bit(totals.stacks), 9);
}

/* As many bits as the stacks need: an instance of two lines 512 bytes apart is in one stack of four by bits 8:7, of
 * eight only by bits above 9. */
static void as_many_bits_as_stacks(void **state)
{
	static const struct {
		uint32_t stacks, first_local_bit;
	} cases[] = {{2, 7}, {4, 7}, {8, 10}, {16, 10}};

	(void)state;
	for (uint32_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct map_totals totals = {0};
		struct map_instance in;

		assert_true(map_has_bits(cases[c].stacks));
		for (uint64_t i = 0; i < 64; i++) {
			map_instance_open(&in, cases[c].stacks, 0);
			map_instance_touch(&in, i * 1024, cases[c].stacks - 1);
			map_instance_touch(&in, i * 1024 + 512, cases[c].stacks - 1);
			assert_true(map_instance_close(&in, &totals));
		}
		assert_int_equal(map_best_bit(totals.stacks), cases[c].first_local_bit);
		assert_int_equal(totals.single[MAP_IN_FORCE], 64);
		assert_int_equal(totals.stacks[8 - MAP_BIT_FIRST], cases[c].stacks == 2 ? 64 : 128);
	}
	assert_false(map_has_bits(1));
	assert_false(map_has_bits(6));
	assert_false(map_has_bits(32));
}

/* With gpu.map_hash_bit, what is judged is what would be put in force, for each bit and number of stacks. */
static void hashed_mappings_are_judged_hashed(void **state)
{
	(void)state;
	for (uint32_t stacks = 2; stacks <= 16; stacks *= 2) {
		for (uint32_t hash = 0; hash <= 24; hash += 3) {
			for (uint32_t bit = MAP_BIT_FIRST; bit <= MAP_BIT_LAST; bit++) {
				struct map_instance in;
				struct mem_map map;

				mem_map_two_bit(&map, bit, stacks, 16, 16, 4096, 128);
				mem_map_hash_stacks(&map, bit, hash);
				for (uint64_t a = 0; a < 1 << 24; a += 128 * 1021) {
					map_instance_open(&in, stacks, hash);
					map_instance_touch(&in, a, 0);
					assert_int_equal(
					    in.accesses[bit - MAP_BIT_FIRST][mem_map_place(&map, a).stack], 1);
				}
			}
		}
	}
}

/* Rows of 16 KB that are walked in step meet one stack under bits 14 and 15: that pair keeps an instance together, and
 * is no even one. Hashed it is. */
static void even_mappings_alone_are_learned(void **state)
{
	enum { ROWS = 64, LINES = 64, ROW_BYTES = 16384 };

	(void)state;
	for (uint32_t hash_bit = 0; hash_bit <= 21; hash_bit += 21) {
		struct map_spread spread = {0};
		struct map_judged judged = {0};
		struct map_instance in[ROWS];

		for (uint32_t r = 0; r < ROWS; r++)
			map_instance_open(&in[r], 4, hash_bit);
		for (uint64_t k = 0; k < LINES; k++) {
			for (uint64_t r = 0; r < ROWS; r++) {
				const uint64_t line = r * ROW_BYTES * 4 + k * 128;

				map_instance_touch(&in[r], line, (uint32_t)(r + k) % 4);
				map_spread_touch(&spread, 4, hash_bit, line, (uint32_t)(r + k) % 4);
			}
		}
		for (uint32_t r = 0; r < ROWS; r++)
			assert_true(map_instance_judge(&in[r], &judged));
		assert_int_equal(map_best_bit(judged.stacks), 13);
		assert_int_equal(map_even_bit(&spread, judged.stacks, 4), 13);
		assert_int_equal(map_even_bit(&spread, judged.stacks, 1.25), hash_bit ? 13 : 16);
		assert_int_equal(map_even_bit(&spread, judged.stacks, 0.5), 0);
	}
	assert_int_equal(map_even_bit(&(struct map_spread){0}, (uint64_t[]){2, 2, 1, 2, 2, 2, 2, 2, 2, 2}, 1), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(even_mappings_alone_are_learned),
		cmocka_unit_test(fixed_offsets_leave_lower_bits),
		cmocka_unit_test(consecutive_lines_want_higher_bits),
		cmocka_unit_test(mapping_in_force_is_counted_beside),
		cmocka_unit_test(oracle_counts_accesses),
		cmocka_unit_test(judged_before_the_end),
		cmocka_unit_test(as_many_bits_as_stacks),
		cmocka_unit_test(empty_and_lost_instances_do_not_count),
		cmocka_unit_test(hashed_mappings_are_judged_hashed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
