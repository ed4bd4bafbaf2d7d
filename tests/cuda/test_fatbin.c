/* Fat binaries: which PTX is chosen, how it is unpacked, and what is said about those that hold none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/fatbin.h"
#include "cudart/clang/fatbin_write.h"

enum { CAPABILITY = 70 };

/* What cuda_fatbin_choose makes of the container, which it closes and frees: status, chosen text and message. */
struct answer {
	enum cuda_fatbin_status status;
	struct cuda_fatbin_ptx ptx;
	char *message;
};

static struct answer ask(GByteArray *container)
{
	struct answer a = {0};
	struct base_diag_list diag;

	fatbin_end(container);
	base_diag_init(&diag);
	a.status = cuda_fatbin_choose(container->data, container->len, CAPABILITY, "a.out", &a.ptx, &diag);
	a.message = base_diag_join(&diag);
	base_diag_free(&diag);
	g_byte_array_free(container, TRUE);
	return a;
}

static void forget(struct answer *a)
{
	free(a->ptx.text);
	free(a->message);
}

static void add_text(GByteArray *container, enum fatbin_packing packing, uint32_t sm, const char *text)
{
	fatbin_add(container, packing, FATBIN_PTX, sm, text, strlen(text) + 1);
}

/* The answer for raw entries for these compute capabilities, each of which holds its own index as text. */
static uint32_t chosen_of(uint32_t a, uint32_t b, uint32_t c)
{
	GByteArray *container = fatbin_begin();

	add_text(container, FATBIN_RAW, a, "first");
	add_text(container, FATBIN_RAW, b, "second");
	add_text(container, FATBIN_RAW, c, "third");

	struct answer answer = ask(container);
	const uint32_t sm = answer.ptx.sm;

	assert_int_equal(answer.status, CUDA_FATBIN_FOUND);
	assert_string_equal(answer.ptx.text, sm == a ? "first" : sm == b ? "second" : "third");
	assert_int_equal(answer.ptx.size_bytes, strlen(answer.ptx.text));
	forget(&answer);
	return sm;
}

static void test_choice(void **unused)
{
	(void)unused;
	assert_int_equal(chosen_of(50, 60, 80), 60);
	assert_int_equal(chosen_of(80, 70, 50), 70);
	assert_int_equal(chosen_of(35, 50, 52), 52);
	assert_int_equal(chosen_of(90, 75, 80), 75);
	assert_int_equal(chosen_of(120, 90, 69), 69);
}

static void test_packing(void **unused)
{
	char text[5000];

	(void)unused;
	for (uint32_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = (char)('a' + i * i % 23);
	text[sizeof(text) - 1] = '\0';
	for (enum fatbin_packing packing = FATBIN_RAW; packing <= FATBIN_ZSTD; packing++) {
		GByteArray *container = fatbin_begin();

		fatbin_add(container, FATBIN_RAW, FATBIN_CODE, 75, "machine code", 12);
		add_text(container, packing, 75, text);

		struct answer a = ask(container);

		assert_int_equal(a.status, CUDA_FATBIN_FOUND);
		assert_string_equal(a.ptx.text, text);
		forget(&a);
	}
}

static void test_nothing_to_run(void **unused)
{
	GByteArray *container = fatbin_begin();
	struct answer a = ask(container);

	(void)unused;
	assert_int_equal(a.status, CUDA_FATBIN_EMPTY);
	assert_string_equal(a.message, "");
	forget(&a);
	container = fatbin_begin();
	fatbin_add(container, FATBIN_RAW, FATBIN_CODE, 86, "machine code", 12);
	fatbin_add(container, FATBIN_RAW, FATBIN_CODE, 90, "machine code", 12);
	a = ask(container);
	assert_int_equal(a.status, CUDA_FATBIN_NO_PTX);
	assert_string_equal(a.message,
			    "a.out: error: the program holds machine code (sm_86, sm_90) and no PTX, which is what "
			    "Strata runs; add PTX with nvcc's -gencode arch=compute_86,code=compute_86, or compile "
			    "with -arch=sm_86");
	forget(&a);
}

/* Sets `bytes` bytes at an offset of a container with one entry to value. */
static struct answer ask_damaged(enum fatbin_packing packing, uint32_t offset, uint64_t value, uint32_t bytes)
{
	GByteArray *container = fatbin_begin();

	add_text(container, packing, 70, ".version 6.0 .target sm_70 .address_size 64");
	memcpy(container->data + offset, &value, bytes);
	return ask(container);
}

static void test_damage(void **unused)
{
	static const struct {
		enum fatbin_packing packing;
		uint32_t offset, bytes;
		uint64_t value;
		const char *message;
	} rows[] = {
		{FATBIN_RAW, 0, 4, 7, "a.out: error: fat binary, byte 0: bad header of the container"},
		{FATBIN_RAW, 16 + 4, 4, 63, "a.out: error: fat binary, byte 20: bad size of an entry's header"},
		{FATBIN_RAW, 16 + 4, 4, UINT32_MAX, "a.out: error: fat binary, byte 20: bad size of an entry's header"},
		{FATBIN_RAW, 16 + 8, 8, 49,
		 "a.out: error: fat binary, byte 24: an entry is longer than what is left of the container"},
		{FATBIN_RAW, 16 + 8, 8, 47,
		 "a.out: error: fat binary, byte 127: the container ends in the header of an entry"},
		{FATBIN_LZ4, 16 + 16, 4, 4000,
		 "a.out: error: fat binary, byte 32: the compressed data is longer than its entry"},
		{FATBIN_LZ4, 16 + 40, 8, 0x11,
		 "a.out: error: fat binary, byte 56: unknown compression (expected LZ4 or zstd)"},
		{FATBIN_LZ4, 16 + 56, 8, 10, "a.out: error: fat binary, byte 16: the LZ4 data is damaged"},
		{FATBIN_ZSTD, 16 + 56, 8, 45, "a.out: error: fat binary, byte 16: the zstd data is damaged"},
		{FATBIN_ZSTD, 16 + 56, 8, (1 << 28) + 1,
		 "a.out: error: fat binary, byte 72: the PTX claims to be larger than 256 MiB"},
	};

	(void)unused;
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct answer a = ask_damaged(rows[i].packing, rows[i].offset, rows[i].value, rows[i].bytes);

		assert_string_equal(a.message, rows[i].message);
		assert_int_equal(a.status, CUDA_FATBIN_INVALID);
		forget(&a);
	}
}

static void test_size(void **unused)
{
	GByteArray *container = fatbin_begin();

	(void)unused;
	add_text(container, FATBIN_RAW, 70, "text");
	fatbin_end(container);
	assert_int_equal(cuda_fatbin_size(container->data, SIZE_MAX), container->len);
	assert_int_equal(cuda_fatbin_size(container->data, container->len), container->len);
	assert_int_equal(cuda_fatbin_size(container->data, container->len - 1), 0);
	assert_int_equal(cuda_fatbin_size(container->data, 15), 0);
	g_byte_array_free(container, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice), cmocka_unit_test(test_packing), cmocka_unit_test(test_nothing_to_run),
		cmocka_unit_test(test_damage), cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
