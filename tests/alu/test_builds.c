/* test_builds.c - every row of the tables gives the same bits in every build that this host runs, on every kind of
 * mask; lanes outside the mask stay as they were; a row may be source and destination; and the bits are those that were
 * recorded, whatever the compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "rows_fixture.h"

enum { ROWS_MAX = 16384, ROUNDS = 100 };

/* FNV-1a over all results of all rows. A change of any result changes it; so it is changed only together with the rule
 * in docs/arithmetic.md that says why. */
#define RECORDED_DIGEST 0xc9292e8b00fb7455ull

static const struct simt_alu_row *rows[ROWS_MAX];

static uint32_t mask_of(int round, uint64_t random)
{
	static const uint32_t masks[] = {UINT32_MAX, 0, 1, 0x80000000, 0xffff0000, 0x55555555, 0x0000ffff};

	return (size_t)round < sizeof masks / sizeof masks[0] ? masks[round] : (uint32_t)random;
}

static void check_untouched(const struct simt_alu_row *row, const struct fixture *before, const struct fixture *after,
			    uint32_t mask)
{
	const size_t bytes = row->alu.dst_bytes;

	for (size_t i = 0; bytes > 1 && i < 32; i++) {
		const char *was = (const char *)before->dst + i * bytes, *is = (const char *)after->dst + i * bytes;

		if (!(mask >> i & 1) && memcmp(was, is, bytes) != 0)
			fail_msg("%s wrote lane %zu outside mask %08x", row->key, i, mask);
	}
}

static void check_row(const struct simt_alu_row *row, uint64_t *digest)
{
	struct fixture f = {.state = 1234};

	for (int round = 0; round < ROUNDS; round++) {
		fixture_fill(&f, &row->alu);
		for (int i = 0; i < 32; i++)
			f.dst[i] = fixture_random(&f);
		const uint32_t mask = mask_of(round, fixture_random(&f)), aux = fixture_aux(&f, row);
		struct fixture first = f;
		const uint32_t result = fixture_run(&first, row, mask, aux);

		assert_int_equal(result & ~mask, 0);
		check_untouched(row, &f, &first, mask);
		for (int isa = SIMT_ISA_PORTABLE + 1; isa < SIMT_ISA_COUNT; isa++) {
			struct fixture other = f;
			const struct simt_alu_row *there = simt_alu_row(row->key, (enum simt_isa)isa);

			assert_non_null(there);
			if (!simt_isa_available((enum simt_isa)isa))
				continue;
			if (fixture_run(&other, there, mask, aux) != result ||
			    memcmp(other.dst, first.dst, sizeof f.dst) != 0)
				fail_msg("%s: build %d differs from the portable one (mask %08x)", row->key, isa, mask);
		}
		const uint8_t *bytes = (const uint8_t *)first.dst;
		for (size_t i = 0; i < sizeof first.dst; i++)
			*digest = (*digest ^ bytes[i]) * 0x100000001b3ull;
		*digest = (*digest ^ result) * 0x100000001b3ull;
	}
}

static void test_builds_agree(void **state)
{
	const uint32_t count = simt_alu_row_list(SIMT_ISA_PORTABLE, rows, ROWS_MAX);
	uint64_t digest = 0xcbf29ce484222325ull;

	(void)state;
	assert_in_range(count, 1000, ROWS_MAX);
	for (uint32_t i = 0; i < count; i++) {
		check_row(rows[i], &digest);
		if (getenv("STRATA_TEST_DIGESTS"))
			fprintf(stderr, "%s %016llx\n", rows[i]->key, (unsigned long long)digest);
	}
	if (digest != RECORDED_DIGEST)
		fail_msg("the results' digest is 0x%016llx, recorded is 0x%016llx", (unsigned long long)digest,
			 (unsigned long long)RECORDED_DIGEST);
}

static void test_in_place(void **state)
{
	const uint32_t count = simt_alu_row_list(SIMT_ISA_PORTABLE, rows, ROWS_MAX);

	(void)state;
	for (int isa = 0; isa < SIMT_ISA_COUNT; isa++) {
		for (uint32_t i = 0; simt_isa_available((enum simt_isa)isa) && i < count; i++) {
			const struct simt_alu_row *row = simt_alu_row(rows[i]->key, (enum simt_isa)isa);
			struct fixture apart = {.state = 77}, same;

			if (row->alu.dst_bytes < 4 || row->alu.src_bytes[0] != row->alu.dst_bytes)
				continue;
			fixture_fill(&apart, &row->alu);
			memcpy(apart.dst, apart.src[0], sizeof apart.dst);
			const uint32_t aux = fixture_aux(&apart, row);
			same = apart;
			fixture_run(&apart, row, 0xf0f0ff0f, aux);
			const void *src[4] = {same.src[0], same.src[1], same.src[2], same.src[3]};
			row->alu.fn(same.src[0], src, 0xf0f0ff0f, aux);
			if (memcmp(same.src[0], apart.dst, 32u * row->alu.dst_bytes) != 0)
				fail_msg("%s differs when it writes its first source", row->key);
		}
	}
}

static void test_choose(void **state)
{
	(void)state;
	assert_int_equal(simt_isa_choose("portable"), SIMT_ISA_PORTABLE);
	assert_int_equal(simt_isa_choose("sse9"), SIMT_ISA_COUNT);
	assert_true(simt_isa_available(simt_isa_choose(NULL)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builds_agree),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_choose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
