/* test_coalesce.c - lines, sectors, bank passes and constant words against formulas and a simple reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "gpu/coalesce.h"

static void strided(uint64_t *addr, uint64_t base, uint64_t stride)
{
	for (uint32_t i = 0; i < 32; i++)
		addr[i] = base + i * stride;
}

/* 32 lanes at a stride of s bytes (a power of two of at least 4) from a line's start touch ceil(32 * s / 128) lines, at
 * most 32. */
static void lines_of_strides(void **state)
{
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint64_t addr[32];

	(void)state;
	for (uint64_t s = 4; s <= 4096; s *= 2) {
		uint32_t expected = s * 32 / 128 > 32 ? 32 : (uint32_t)(s * 32 / 128);

		strided(addr, 0x10000, s);
		assert_int_equal(coalesce_lines(addr, UINT32_MAX, 4, lines), expected);
		for (uint32_t i = 0; i < expected; i++) {
			assert_int_equal(lines[i].addr_bytes, 0x10000 + i * (s < 128 ? 128 : s));
			assert_int_equal(lines[i].word_count, 32 / expected);
		}
	}
}

/* Words of many lines have room in few; what was in few stays there. */
static void squeezed(void **state)
{
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint64_t addr[32];

	(void)state;
	strided(addr, 0x10000, 128);
	assert_int_equal(coalesce_squeeze(lines, coalesce_lines(addr, UINT32_MAX, 4, lines)), 1);
	assert_int_equal(lines[0].addr_bytes, 0x10000);
	assert_int_equal(lines[0].word_mask, UINT32_MAX);
	assert_int_equal(coalesce_squeeze(lines, coalesce_lines(addr, 0xff, 4, lines)), 1);
	assert_int_equal(lines[0].word_mask, 0xff);
	assert_int_equal(lines[0].word_count, 8);
	/* 32 lanes with 16 bytes each. */
	assert_int_equal(coalesce_squeeze(lines, coalesce_lines(addr, UINT32_MAX, 16, lines)), 4);
	assert_int_equal(lines[3].addr_bytes, 0x10000 + 3 * 128);
	strided(addr, 0x10000, 4);
	assert_int_equal(coalesce_squeeze(lines, coalesce_lines(addr, UINT32_MAX, 4, lines)), 1);
	assert_int_equal(coalesce_squeeze(lines, 0), 0);
}

/* Bytes of lines against one bit per byte. */
static void bytes_of_lanes(void **state)
{
	static const struct {
		uint64_t base, stride;
		uint32_t bytes, mask;
	} cases[] = {
	    {0x10000, 4, 4, UINT32_MAX}, {0x1007c, 4, 8, 0xff00ff01}, {0x10001, 3, 1, UINT32_MAX},
	    {0x10000, 36, 32, UINT32_MAX}, {0x10040, 0, 2, 0x11}, {0x10000, 256, 16, UINT32_MAX},
	};
	struct coalesced_line lines[COALESCE_LINES_MAX];
	struct mem_req_bytes out[COALESCE_LINES_MAX];
	uint64_t addr[32];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		uint32_t count;

		strided(addr, cases[i].base, cases[i].stride);
		count = coalesce_lines(addr, cases[i].mask, cases[i].bytes, lines);
		coalesce_bytes(addr, cases[i].mask, cases[i].bytes, lines, count, out);
		for (uint64_t a = 0x10000; a < 0x10000 + 40 * 256; a++) {
			bool is_touched = false, is_told = false;

			for (uint32_t lane = 0; lane < 32; lane++)
				is_touched |=
				    cases[i].mask >> lane & 1 && a >= addr[lane] && a < addr[lane] + cases[i].bytes;
			for (uint32_t l = 0; l < count; l++)
				is_told |=
				    a / 128 * 128 == lines[l].addr_bytes && out[l].mask[a % 128 / 64] >> a % 64 & 1;
			assert_int_equal(is_told, is_touched);
		}
	}
}

static void lines_of_misaligned(void **state)
{
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint64_t addr[32];

	(void)state;
	strided(addr, 0x10004, 4);
	assert_int_equal(coalesce_lines(addr, UINT32_MAX, 4, lines), 2);
	assert_int_equal(lines[0].word_mask, 0xfffffffe);
	assert_int_equal(lines[1].word_mask, 1);
	strided(addr, 0x10000, 1);
	assert_int_equal(coalesce_lines(addr, UINT32_MAX, 1, lines), 1);
	assert_int_equal(lines[0].word_mask, 0xff);
	assert_int_equal(lines[0].word_count, 32);
	strided(addr, 0x10000, 32);
	assert_int_equal(coalesce_lines(addr, UINT32_MAX, 32, lines), 8);
	strided(addr, 0x10000, 0);
	assert_int_equal(coalesce_lines(addr, 0x00ff00ff, 4, lines), 1);
	assert_int_equal(lines[0].word_mask, 1);
	assert_int_equal(lines[0].word_count, 16);
}

static uint32_t reference_lines(const uint64_t *addr, uint32_t mask, uint32_t bytes)
{
	uint64_t seen[64];
	uint32_t n = 0;

	for (uint32_t i = 0; i < 32; i++) {
		for (uint64_t a = addr[i] / 128; mask >> i & 1 && a <= (addr[i] + bytes - 1) / 128; a++) {
			uint32_t k = 0;

			while (k < n && seen[k] != a)
				k++;
			if (k == n)
				seen[n++] = a;
		}
	}
	return n;
}

static void lines_of_random(void **state)
{
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint64_t addr[32], x = 88172645463325252ull;

	(void)state;
	for (uint32_t n = 0; n < 20000; n++) {
		uint32_t bytes = 1u << n % 6, words = 0, count;

		for (uint32_t i = 0; i < 32; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			addr[i] = (x >> 20) % (1u << (8 + n % 16));
		}
		count = coalesce_lines(addr, (uint32_t)x | 1, bytes, lines);
		assert_int_equal(count, reference_lines(addr, (uint32_t)x | 1, bytes));
		for (uint32_t i = 0; i < count; i++)
			words += lines[i].word_count;
		assert_true(words >= (uint32_t)__builtin_popcount((uint32_t)x | 1));
	}
}

/* As GPGPU-Sim makes requests of atomics: a lane joins the first request in which nobody has its bytes; each part of
 * access_bytes that a request touches is an access. Elements are aligned. */
static uint32_t reference_accesses(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t access_bytes,
				   uint64_t line)
{
	bool is_taken[32][128] = {{false}};
	uint32_t accesses = 0;

	for (uint32_t lane = 0; lane < 32; lane++) {
		uint32_t k = 0, at = (uint32_t)(addr[lane] % 128);

		if (!(mask >> lane & 1) || addr[lane] / 128 * 128 != line)
			continue;
		while (is_taken[k][at])
			k++;
		memset(&is_taken[k][at], true, bytes);
	}
	for (uint32_t k = 0; k < 32; k++)
		for (uint32_t first = 0; first < 128; first += access_bytes)
			accesses += memchr(&is_taken[k][first], true, access_bytes) != NULL;
	return accesses;
}

static void atomics_of_random(void **state)
{
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint64_t addr[32], x = 88172645463325252ull;

	(void)state;
	for (uint32_t n = 0; n < 20000; n++) {
		const uint32_t bytes = 4u << n % 2, access_bytes = bytes << n / 2 % 5;
		uint32_t count;

		for (uint32_t i = 0; i < 32; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			addr[i] = (x >> 20) % (1u << (4 + n % 10)) / bytes * bytes;
		}
		count = coalesce_lines(addr, (uint32_t)x | 1, bytes, lines);
		coalesce_atomics(addr, (uint32_t)x | 1, bytes, access_bytes, lines, count);
		for (uint32_t i = 0; i < count; i++)
			assert_int_equal(lines[i].access_count,
					 reference_accesses(addr, (uint32_t)x | 1, bytes, access_bytes,
							    lines[i].addr_bytes));
	}
}

/* The accesses at the first of the lines that 32 lanes at a stride touch. */
static uint32_t accesses_of_stride(uint64_t stride, uint32_t bytes, uint32_t access_bytes)
{
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint64_t addr[32];
	uint32_t count;

	strided(addr, 0x10000, stride);
	count = coalesce_lines(addr, UINT32_MAX, bytes, lines);
	coalesce_atomics(addr, UINT32_MAX, bytes, access_bytes, lines, count);
	return lines[0].access_count;
}

/* Words in a row share accesses; lanes at one word, or at halves of one, have an access each. */
static void atomics_of_strides(void **state)
{
	(void)state;
	for (uint32_t access_bytes = 4; access_bytes <= 128; access_bytes *= 2) {
		assert_int_equal(accesses_of_stride(4, 4, access_bytes), 128 / access_bytes);
		assert_int_equal(accesses_of_stride(0, 4, access_bytes), 32);
		assert_int_equal(accesses_of_stride(8, 8, access_bytes), 128 / access_bytes);
		assert_int_equal(accesses_of_stride(0, 8, access_bytes), access_bytes == 4 ? 64 : 32);
		assert_int_equal(accesses_of_stride(2, 2, access_bytes), (64 + access_bytes - 1) / access_bytes * 2);
		assert_int_equal(accesses_of_stride(256, 4, access_bytes), 1);
	}
}

static void sectors(void **state)
{
	(void)state;
	assert_int_equal(coalesce_sector_bytes(1, 32), 32);
	assert_int_equal(coalesce_sector_bytes(UINT32_MAX, 32), 128);
	assert_int_equal(coalesce_sector_bytes(0x80000001, 32), 64);
	assert_int_equal(coalesce_sector_bytes(0x80000001, 4), 8);
	assert_int_equal(coalesce_sector_bytes(0x100, 128), 128);
}

/* Stride of w words: gcd(w, 32) lanes share a bank. */
static void banks_of_strides(void **state)
{
	uint64_t addr[32];

	(void)state;
	for (uint32_t w = 1; w <= 64; w++) {
		uint32_t a = w, b = 32;

		while (b) {
			uint32_t t = a % b;

			a = b;
			b = t;
		}
		strided(addr, 0, 4 * w);
		assert_int_equal(coalesce_bank_passes(addr, UINT32_MAX, 4, 32, false), a);
	}
	strided(addr, 64, 0);
	assert_int_equal(coalesce_bank_passes(addr, UINT32_MAX, 4, 32, false), 1);
	assert_int_equal(coalesce_bank_passes(addr, UINT32_MAX, 4, 32, true), 32);
	strided(addr, 0, 8);
	assert_int_equal(coalesce_bank_passes(addr, UINT32_MAX, 8, 32, false), 2);
	strided(addr, 0, 16);
	assert_int_equal(coalesce_bank_passes(addr, UINT32_MAX, 16, 32, false), 4);
	strided(addr, 0, 1);
	assert_int_equal(coalesce_bank_passes(addr, UINT32_MAX, 1, 32, false), 1);
	/* Half a warp at a time, and a quarter, though all want the same. */
	strided(addr, 0, 0);
	assert_int_equal(coalesce_bank_passes(addr, UINT32_MAX, 4, 32, false), 1);
	assert_int_equal(coalesce_bank_passes(addr, UINT32_MAX, 8, 32, false), 2);
	assert_int_equal(coalesce_bank_passes(addr, UINT32_MAX, 16, 32, false), 4);
}

static void constant_words(void **state)
{
	uint64_t addr[32];

	(void)state;
	strided(addr, 0, 0);
	assert_int_equal(coalesce_distinct_words(addr, UINT32_MAX), 1);
	strided(addr, 0, 4);
	assert_int_equal(coalesce_distinct_words(addr, UINT32_MAX), 32);
	assert_int_equal(coalesce_distinct_words(addr, 0x11), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_of_strides), cmocka_unit_test(squeezed), cmocka_unit_test(bytes_of_lanes),
	    cmocka_unit_test(lines_of_misaligned),
	    cmocka_unit_test(lines_of_random),  cmocka_unit_test(sectors),
	    cmocka_unit_test(atomics_of_random), cmocka_unit_test(atomics_of_strides),
	    cmocka_unit_test(banks_of_strides), cmocka_unit_test(constant_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
