/* test_reference.c - every row of the tables but approximations and video instructions against the reference; all f16
 * patterns through every form with one half source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "reference.h"
#include "rows_fixture.h"

enum { ROWS_MAX = 16384, ROUNDS = 60 };

static const struct simt_alu_row *rows[ROWS_MAX];

static uint64_t lane_of(const void *row, int bytes, int i)
{
	return bytes == 8 ? ((const uint64_t *)row)[i] : ((const uint32_t *)row)[i];
}

/* Compares all lanes of one run; returns how many the reference could decide. */
static int check_lanes(const struct simt_alu_row *row, struct fixture *f, uint32_t aux)
{
	const uint32_t mask = fixture_run(f, row, UINT32_MAX, aux);
	int decided = 0;

	for (int i = 0; i < 32; i++) {
		struct reference_lane l = {.aux = aux, .bit = aux >> i & 1};
		for (int k = 0; k < 4; k++)
			l.src[k] = row->alu.src_bytes[k] > 1 ? lane_of(f->src[k], row->alu.src_bytes[k], i) : 0;
		if (!reference_compute(row->key, &l) || l.skip)
			continue;
		decided++;
		const uint64_t dst = row->alu.dst_bytes < 4 ? 0 : lane_of(f->dst, row->alu.dst_bytes, i);
		if ((row->alu.dst_bytes >= 4 && dst != l.dst) || (mask >> i & 1) != l.mask)
			fail_msg("%s(%llx, %llx, %llx, %llx; %u): %llx %u, expected %llx %u", row->key,
				 (unsigned long long)l.src[0], (unsigned long long)l.src[1],
				 (unsigned long long)l.src[2], (unsigned long long)l.src[3], l.bit,
				 (unsigned long long)dst, mask >> i & 1, (unsigned long long)l.dst, l.mask);
	}
	return decided;
}

static bool is_approximate(const char *key)
{
	return strstr(key, "approx") || strstr(key, "full");
}

static void test_all_rows(void **state)
{
	const enum simt_isa isa = simt_isa_choose(NULL);
	const uint32_t count = simt_alu_row_list(isa, rows, ROWS_MAX);

	(void)state;
	for (uint32_t i = 0; i < count; i++) {
		struct fixture f = {.state = 42 + i};
		int decided = 0;

		if (is_approximate(rows[i]->key) || rows[i]->key[0] == 'v')
			continue;
		for (int round = 0; round < ROUNDS; round++) {
			fixture_fill(&f, &rows[i]->alu);
			decided += check_lanes(rows[i], &f, fixture_aux(&f, rows[i]));
		}
		if (decided == 0)
			fail_msg("the reference does not know %s", rows[i]->key);
	}
}

static bool has_half_source(const char *key)
{
	const char *last = strrchr(key, '_');

	return last && (strcmp(last, "_f16") == 0 || strcmp(last, "_bf16") == 0);
}

static void test_all_halves(void **state)
{
	const enum simt_isa isa = simt_isa_choose(NULL);
	const uint32_t count = simt_alu_row_list(isa, rows, ROWS_MAX);
	int forms = 0;

	(void)state;
	for (uint32_t i = 0; i < count; i++) {
		struct fixture f = {.state = 5};
		if (!has_half_source(rows[i]->key) || rows[i]->alu.src_bytes[1] || is_approximate(rows[i]->key))
			continue;
		forms++;
		for (uint32_t first = 0; first < 65536; first += 32) {
			for (uint32_t k = 0; k < 32; k++)
				((uint32_t *)f.src[0])[k] = first + k;
			assert_int_equal(check_lanes(rows[i], &f, 0), 32);
		}
	}
	assert_in_range(forms, 60, 1000);
}

/* Every half, its neighbours in f32 and the midpoints between halves, in every rounding. */
static void test_f32_to_half_edges(void **state)
{
	static const char *const keys[] = {"cvt_rn_f16_f32", "cvt_rz_f16_f32",  "cvt_rm_f16_f32",  "cvt_rp_f16_f32",
					   "cvt_rn_bf16_f32", "cvt_rz_bf16_f32", "cvt_rm_bf16_f32", "cvt_rp_bf16_f32"};
	const enum simt_isa isa = simt_isa_choose(NULL);

	(void)state;
	for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
		const struct simt_alu_row *row = simt_alu_row(keys[k], isa);
		struct fixture f = {.state = 9};
		const bool is_bf = k >= 4;

		for (uint32_t h = 0; h < 65536; h += 4) {
			for (uint32_t i = 0; i < 32; i++) {
				const uint32_t half = h + i / 8,
					       by = i % 8; /* -1, 0, 1 about the value and the midpoint */
				const uint32_t e = half >> 10 & 31, base = is_bf ? half << 16
					: (half & 0x8000) << 16 | (((half & 0x7fff) << 13) + (e ? 112u << 23 : 0));
				((uint32_t *)f.src[0])[i] =
				    base + (by > 3 ? (is_bf ? 0x8000 : 0x1000) : 0) + by % 4 - 1;
			}
			assert_int_equal(check_lanes(row, &f, 0), 32);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_rows),
		cmocka_unit_test(test_all_halves),
		cmocka_unit_test(test_f32_to_half_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
