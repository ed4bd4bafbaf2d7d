/* Address maps: a place per line and no two lines in one place, the stated bits, and the parser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "mem/map.h"

static void test_baseline_is_bijective(void **state)
{
	struct mem_map m;

	(void)state;
	for (uint32_t stacks = 1; stacks <= 8; stacks *= 2) {
		for (uint32_t vaults = 1; vaults <= 32; vaults *= 2) {
			mem_map_baseline(&m, stacks, vaults, 16, 4096, 128);
			assert_true(mem_map_is_bijective(&m, 40));
		}
	}
}

/* A part and the number within it tell the address: of an aligned range every part has the same numbers. */
static void number_tells(const struct mem_map *m, const struct mem_map_parts *parts, uint32_t part_bits)
{
	enum { RANGE_BITS = 16, LINE_BITS = 7 };
	static uint8_t seen[1 << RANGE_BITS];
	struct mem_numbering n;

	mem_map_number(m, parts, 1 << LINE_BITS, &n);
	memset(seen, 0, sizeof(seen));
	for (uint64_t line = 0; line < 1 << RANGE_BITS; line++) {
		const uint64_t a = (1ull << 40) + (line << LINE_BITS);
		const struct mem_place p = mem_map_place(m, a);
		const uint64_t low = (1u << (RANGE_BITS - part_bits)) - 1;
		uint64_t part = parts->by_stack ? p.stack : 0;

		part = part << parts->vault_bits | (p.vault & ((1u << parts->vault_bits) - 1));
		part = part << parts->bank_bits | (p.bank & ((1u << parts->bank_bits) - 1));
		part = part << (RANGE_BITS - part_bits) | (mem_number_of(&n, a) >> LINE_BITS & low);
		assert_true(part < 1 << RANGE_BITS);
		assert_int_equal(seen[part]++, 0);
		assert_int_equal(mem_number_of(&n, a + 100), mem_number_of(&n, a) + 100);
	}
}

static void test_numbers_within_parts(void **state)
{
	struct mem_map m;

	(void)state;
	for (uint32_t stack = 0; stack <= 3; stack++)
		for (uint32_t i = 0; i < 8; i++) {
			const struct mem_map_parts parts = {
			    .by_stack = i & 1, .vault_bits = i & 2 ? 4 : 2, .bank_bits = i & 2 ? i >> 2 : 0};
			const uint32_t bits = (parts.by_stack ? stack : 0) + parts.vault_bits + parts.bank_bits;

			mem_map_baseline(&m, 1 << stack, 16, 16, 4096, 128);
			number_tells(&m, &parts, bits);
			mem_map_two_bit(&m, 9, 1 << stack, 16, 16, 4096, 128);
			number_tells(&m, &parts, bits);
			mem_map_divided(&m, 1 << stack, 16, 16, 4096, 256, 1);
			number_tells(&m, &parts, bits);
		}
}

/* Of pages that lie in one stack each, those of a stack have successive numbers; a page with lines of all keeps its. */
static void test_numbers_of_pages(void **state)
{
	const struct mem_map_parts parts = {.by_stack = true, .sees_all = true};
	struct mem_numbering n;
	struct mem_map m;
	uint64_t next[4] = {0};

	(void)state;
	mem_map_two_bit(&m, 13, 4, 16, 16, 4096, 128);
	mem_map_number(&m, &parts, 128, &n);
	for (uint64_t page = 0; page < 256; page++) {
		const uint32_t stack = mem_map_place(&m, page << 12).stack;
		const uint64_t others = mem_number_others(&n, page << 12, 6);

		assert_int_equal(mem_number_of_page(&n, page, 12, 6) ^ others, next[stack]++);
		assert_int_equal(others & 15, 0);
	}
	mem_map_baseline(&m, 4, 16, 16, 4096, 128);
	mem_map_number(&m, &parts, 128, &n);
	for (uint64_t page = 0; page < 256; page++)
		assert_int_equal(mem_number_of_page(&n, page, 12, 6), page);
}

static void test_two_bit_maps_are_bijective(void **state)
{
	(void)state;
	for (uint32_t bit = 7; bit <= 16; bit++) {
		struct mem_map m;

		mem_map_two_bit(&m, bit, 4, 16, 16, 4096, 128);
		assert_true(mem_map_is_bijective(&m, 40));
		for (uint64_t a = 0; a < 1 << 20; a += 128)
			assert_int_equal(mem_map_place(&m, a).stack, a >> bit & 3);
	}
}

/* Of rows 16 KB apart, a plain pair of bits finds one stack for all, a hashed one all stacks alike; lines that the pair
 * does not part stay together. */
static void test_hashed_stacks(void **state)
{
	(void)state;
	for (uint32_t stack = 1; stack <= 3; stack++) {
		for (uint32_t bit = 7; bit <= 16; bit++) {
			uint32_t rows[8] = {0}, plain[8] = {0};
			struct mem_map m;

			mem_map_two_bit(&m, bit, 1 << stack, 16, 16, 4096, 128);
			for (uint64_t a = 0; a < 1 << 21; a += 1 << 18)
				plain[mem_map_place(&m, a).stack]++;
			assert_int_equal(plain[0], bit + stack <= 18 ? 8 : 4);
			mem_map_hash_stacks(&m, bit, 21);
			assert_true(mem_map_is_bijective(&m, 40));
			for (uint64_t a = 0; a < 1 << 21; a += 1 << 14)
				rows[mem_map_place(&m, a).stack]++;
			for (uint32_t s = 0; s < 1u << stack; s++)
				assert_int_equal(rows[s], 128 >> stack);
			for (uint64_t a = 0; a < 1ull << bit; a += 128)
				assert_int_equal(mem_map_place(&m, a).stack, 0);
			assert_int_equal(mem_map_place(&m, 1 << 21).stack, 0);
		}
	}
}

/* TOM section 5.1: a[8:7] ^ a[14:13] ^ a[20:19]. */
static void test_baseline_stack_bits(void **state)
{
	struct mem_map m;

	(void)state;
	mem_map_baseline(&m, 4, 16, 16, 4096, 128);
	for (uint64_t a = 0; a < 1 << 22; a += 96) {
		struct mem_place p = mem_map_place(&m, a);

		assert_int_equal(p.stack, ((a >> 7) ^ (a >> 13) ^ (a >> 19)) & 3);
		assert_int_equal(p.vault, ((a >> 9) ^ (a >> 15)) & 15);
		assert_int_equal(p.column_bytes & 127, a & 127);
		assert_true(p.column_bytes < 4096 && p.bank < 16);
	}
}

/* Addresses 64 MB apart lie in rows whose low bits are the same: one bank has them all, unless all bits are hashed. */
static void test_hashed_banks(void **state)
{
	struct mem_map m;
	uint32_t plain = 0, hashed = 0;

	(void)state;
	mem_map_baseline(&m, 4, 16, 16, 4096, 128);
	for (uint64_t i = 0; i < 16; i++)
		plain |= 1u << mem_map_place(&m, i << 26).bank;
	mem_map_hash_banks(&m, m.bank.bit_count, m.row.bit_count - m.bank.bit_count);
	assert_true(mem_map_is_bijective(&m, 40));
	for (uint64_t i = 0; i < 16; i++)
		hashed |= 1u << mem_map_place(&m, i << 26).bank;
	assert_int_equal(plain, 1);
	assert_int_equal(hashed, 0xffff);
}

/* Each bit of the row, the highest too, turns the bit of the bank that its number, modulo the bank's bits, names. */
static void test_every_row_bit_is_hashed(void **state)
{
	struct mem_map plain, hashed;

	(void)state;
	mem_map_baseline(&plain, 4, 16, 16, 4096, 128);
	hashed = plain;
	mem_map_hash_banks(&hashed, hashed.bank.bit_count, hashed.row.bit_count - hashed.bank.bit_count);
	for (uint32_t bit = 0; bit < plain.row.bit_count; bit++) {
		const uint64_t a = plain.row.masks[bit];
		const struct mem_place p = mem_map_place(&plain, a), h = mem_map_place(&hashed, a);

		assert_int_equal(p.row, UINT64_C(1) << bit);
		assert_int_equal(h.row, p.row);
		assert_int_equal(h.bank, bit < 4 ? p.bank : p.bank ^ 1u << bit % 4);
	}
}

/* The whole range of a memory of 4 rows a bank: as many places as lines, each within what there is, none twice. */
static void check_divided(uint32_t stacks, uint32_t vaults, uint32_t interleave_bytes, uint32_t group_bits,
			  bool is_hashed)
{
	enum { LINE = 128, ROW = 4096, BANKS = 16, ROWS = 4, VAULT_LINES = ROW / LINE * BANKS * ROWS };
	const uint64_t lines = (uint64_t)stacks * vaults * VAULT_LINES;
	uint8_t *is_taken = calloc(lines, 1);
	struct mem_map m;

	mem_map_divided(&m, stacks, vaults, BANKS, ROW, interleave_bytes, group_bits);
	if (is_hashed)
		mem_map_hash_banks(&m, 0, m.row.bit_count);
	assert_true(mem_map_is_bijective(&m, 40));
	for (uint64_t i = 0; i < lines; i++) {
		const struct mem_place p = mem_map_place(&m, i * LINE + 5);
		const uint64_t at = (((uint64_t)p.stack * vaults + p.vault) * BANKS + p.bank) * ROWS + p.row;

		assert_true(p.stack < stacks && p.vault < vaults && p.bank < BANKS && p.row < ROWS);
		assert_true(p.column_bytes < ROW && p.column_bytes % LINE == 5);
		assert_int_equal(is_taken[at * (ROW / LINE) + p.column_bytes / LINE]++, 0);
	}
	free(is_taken);
}

static void test_divided_maps_are_bijective(void **state)
{
	static const uint32_t stacks[] = {1, 2, 3, 5, 6, 7, 12}, vaults[] = {1, 3, 4, 6};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(stacks) * ARRAY_COUNT(vaults) * 4; i++)
		check_divided(stacks[i % 7], vaults[i / 7 % 4], i / 28 % 2 ? 256 : 128, i / 28, i / 56);
}

/* GPGPU-Sim's map of the GTX 480: channel = address above 8 bits modulo 6; of what is left the bits RRRRRRRRRRRR BBB
 * CCCC B CC SSSSSS. Also where the rounding of the division is worst. */
static void test_divided_is_the_base_simulators(void **state)
{
	struct mem_map m;

	(void)state;
	mem_map_divided(&m, 6, 1, 16, 4096, 256, 1);
	for (uint64_t i = 0; i < 1 << 16; i++) {
		const uint64_t a = i < 1 << 15 ? i * 96 : (1ull << 39) - i * 96, left = (a >> 8) / 6 << 8 | (a & 255);
		const struct mem_place p = mem_map_place(&m, a);

		assert_int_equal(p.stack, (a >> 8) % 6);
		assert_int_equal(p.bank, (left >> 13 & 7) << 1 | (left >> 8 & 1));
		assert_int_equal(p.column_bytes, (left >> 9 & 15) << 8 | (left & 255));
		assert_int_equal(p.row, left >> 16);
	}
}

static void test_planted_overlap_is_found(void **state)
{
	struct mem_map m;

	(void)state;
	mem_map_baseline(&m, 4, 16, 16, 4096, 128);
	m.vault.masks[1] = m.vault.masks[0];
	mem_map_field_prepare(&m.vault);
	assert_false(mem_map_is_bijective(&m, 40));
}

static void test_random_pages_are_even_and_seeded(void **state)
{
	uint32_t count[8] = {0}, same = 0;

	(void)state;
	for (uint64_t page = 0; page < 8000; page++) {
		uint32_t s = mem_map_random_page_stack(page * 4096 + 77, 4096, 1, 8);

		assert_int_equal(s, mem_map_random_page_stack(page * 4096, 4096, 1, 8));
		same += s == mem_map_random_page_stack(page * 4096, 4096, 2, 8);
		count[s]++;
	}
	for (uint32_t i = 0; i < 8; i++)
		assert_in_range(count[i], 880, 1120);
	assert_in_range(same, 880, 1120);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_baseline_is_bijective),
		cmocka_unit_test(test_two_bit_maps_are_bijective),
		cmocka_unit_test(test_hashed_stacks),
		cmocka_unit_test(test_numbers_within_parts),
		cmocka_unit_test(test_numbers_of_pages),
		cmocka_unit_test(test_baseline_stack_bits),
		cmocka_unit_test(test_hashed_banks),
		cmocka_unit_test(test_every_row_bit_is_hashed),
		cmocka_unit_test(test_divided_maps_are_bijective),
		cmocka_unit_test(test_divided_is_the_base_simulators),
		cmocka_unit_test(test_planted_overlap_is_found),
		cmocka_unit_test(test_random_pages_are_even_and_seeded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
