/* Reading ELF files: this program itself, and thousands of damaged copies of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <elf.h>
#include <glib.h>

#include "cli/elf_file.h"

enum { MUTANTS = 20000, CUTS = 300, MUTATED_BYTES_MAX = 8 };

static uint8_t *self;
static size_t self_bytes;

static int read_self(void **state)
{
	gchar *text;
	gsize length;

	(void)state;
	if (!g_file_get_contents("/proc/self/exe", &text, &length, NULL))
		return -1;
	/* An exact copy, so that a sanitizer sees every step past its end. */
	self = malloc(length);
	memcpy(self, text, length);
	self_bytes = length;
	g_free(text);
	return 0;
}

static int free_self(void **state)
{
	(void)state;
	free(self);
	return 0;
}

/* Touches all that can be read, and returns a sum of it. */
static uint64_t read_all(const uint8_t *data, size_t size_bytes)
{
	static const char *const sections[] = {".text", ".rodata", ".nv_fatbin", ".dynamic", ""};
	static const int64_t tags[] = {DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_SONAME};
	struct elf_file f;
	uint64_t sum = 0;

	elf_open(data, size_bytes, &f);
	sum += f.machine + f.type + (f.interpreter ? strlen(f.interpreter) : 0);
	for (size_t t = 0; t < G_N_ELEMENTS(tags); t++) {
		const char *text;

		for (uint32_t n = 0; (text = elf_dynamic_string(&f, tags[t], n)) && n < 16; n++)
			sum += strlen(text);
	}
	for (size_t s = 0; s < G_N_ELEMENTS(sections); s++) {
		const uint8_t *bytes;
		size_t count;

		if (elf_section(&f, sections[s], &bytes, &count))
			sum += bytes[0] + bytes[count - 1] + count;
	}
	return sum;
}

static void test_self(void **state)
{
	struct elf_file f;
	const uint8_t *data;
	size_t size_bytes;
	bool has_libc = false;
	const char *name;

	(void)state;
	elf_open(self, self_bytes, &f);
	assert_true(f.is_elf && f.is_64 && f.is_little && f.has_dynamic);
	assert_non_null(f.interpreter);
	for (uint32_t n = 0; (name = elf_dynamic_string(&f, DT_NEEDED, n)); n++)
		has_libc |= g_str_has_prefix(name, "libc.");
	assert_true(has_libc);
	assert_null(elf_dynamic_string(&f, DT_SONAME, 0));
	assert_true(elf_section(&f, ".rodata", &data, &size_bytes));
	assert_true(data > self && size_bytes > 0);
	assert_false(elf_section(&f, ".no_such_section", &data, &size_bytes));
}

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 33) % n;
}

/* Most mutations go where offsets and sizes are. */
static size_t place(void)
{
	Elf64_Ehdr h;
	struct elf_file f;
	const uint8_t *dynamic;
	size_t dynamic_bytes;

	memcpy(&h, self, sizeof(h));
	elf_open(self, self_bytes, &f);
	switch (random_below(5)) {
	case 0:
		return random_below(sizeof(h));
	case 1:
		return h.e_phoff + random_below(h.e_phnum * h.e_phentsize);
	case 2:
		return h.e_shoff + random_below(h.e_shnum * h.e_shentsize);
	case 3:
		if (elf_section(&f, ".dynamic", &dynamic, &dynamic_bytes))
			return (size_t)(dynamic - self) + random_below((uint32_t)dynamic_bytes);
		return 0;
	default:
		return random_below((uint32_t)self_bytes);
	}
}

static void test_mutants(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	uint64_t sum = 0, differing = 0;
	const uint64_t right = read_all(self, self_bytes);

	(void)state;
	for (uint32_t i = 0; i < MUTANTS; i++) {
		size_t at[MUTATED_BYTES_MAX];
		uint8_t old[MUTATED_BYTES_MAX];
		const uint32_t count = 1 + random_below(MUTATED_BYTES_MAX);

		for (uint32_t k = 0; k < count; k++)
			at[k] = place();
		for (uint32_t k = 0; k < count; k++) {
			old[k] = self[at[k]];
			self[at[k]] = random_below(2) ? (uint8_t)random_below(256)
						      : values[random_below(G_N_ELEMENTS(values))];
		}
		sum = read_all(self, self_bytes);
		differing += sum != right;
		for (uint32_t k = count; k-- > 0;)
			self[at[k]] = old[k];
	}
	assert_true(differing > MUTANTS / 10);
	assert_true(read_all(self, self_bytes) == right);
}

static void test_cuts(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < CUTS; i++) {
		const size_t length = i < 100 ? i : random_below((uint32_t)self_bytes);
		uint8_t *cut = malloc(length + !length);

		memcpy(cut, self, length);
		read_all(cut, length);
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_self), cmocka_unit_test(test_mutants),
					   cmocka_unit_test(test_cuts)};

	return cmocka_run_group_tests(tests, read_self, free_self);
}
