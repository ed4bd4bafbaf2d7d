/* test_corpus.c - real compilers' output, malformed text, printing and parsing again, mutants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "ptx/print.h"
#include "validate.h"

/* The folders are given by the build: PTX_TESTS (this folder) and PTX_WORKLOADS. */
static struct ptx_module *parse_file(const char *path)
{
	size_t size_bytes;
	char *text = fixture_read(path, &size_bytes);
	struct ptx_module *m = fixture_parse(path, text, size_bytes);

	free(text);
	return m;
}

static void check_analyses(const struct ptx_func *f)
{
	char what[256];
	struct ptx_cfg *c = ptx_cfg_build(f);
	struct ptx_alloc *a = ptx_alloc_build(c, NULL);

	if (!ptx_validate_cfg(c, a, what, sizeof(what)))
		fail_msg("%s", what);
	ptx_alloc_free(a);
	ptx_cfg_free(c);
}

static void check_module(const char *path)
{
	char what[256], *text = NULL;
	size_t size_bytes;
	struct ptx_module *m = parse_file(path);
	FILE *out = open_memstream(&text, &size_bytes);

	if (!ptx_validate(m, what, sizeof(what)))
		fail_msg("%s: %s", path, what);
	for (uint32_t k = 0; k < m->func_count; k++)
		if (m->funcs[k]->has_body)
			check_analyses(m->funcs[k]);
	ptx_print_module(out, m);
	fclose(out);
	struct ptx_module *again = fixture_parse("printed", text, size_bytes);
	if (!fixture_equal(m, again, what, sizeof(what)))
		fail_msg("%s changes when printed and parsed: %s", path, what);
	ptx_module_free(again);
	ptx_module_free(m);
	free(text);
}

static void corpus_parses_and_survives_printing(void **state)
{
	char **list = fixture_list(PTX_TESTS "/corpus", ".ptx");

	(void)state;
	assert_non_null(list[0]);
	for (char **l = list; *l; l++)
		check_module(*l);
	fixture_list_free(list);
}

static void workloads_parse_and_survive_printing(void **state)
{
	char **folders = fixture_list(PTX_WORKLOADS, "");
	uint32_t count = 0;

	(void)state;
	for (char **f = folders; *f; f++) {
		char path[4096];
		const char *name = strrchr(*f, '/') + 1;

		snprintf(path, sizeof(path), "%s/%s.ptx", *f, name);
		FILE *there = fopen(path, "r");
		if (!there)
			continue;
		fclose(there);
		check_module(path);
		count++;
	}
	fixture_list_free(folders);
	assert_true(count > 0);
}

static void coverage_list_is_supported(void **state)
{
	struct ptx_module *m = parse_file(PTX_TESTS "/corpus/coverage.ptx");
	const struct ptx_func *f = ptx_module_func(m, "coverage");

	(void)state;
	assert_non_null(f);
	assert_true(f->inst_count > 500);
	if (f->unsupported)
		fail_msg("%s (line %u)", f->unsupported, f->unsupported_line);
	ptx_module_free(m);
}

static void check_bad(const char *path)
{
	char *err_path = strdup(path);
	size_t size_bytes, expected_bytes;
	struct base_diag_list diag;

	strcpy(err_path + strlen(err_path) - strlen(".ptx"), ".err");
	char *text = fixture_read(path, &size_bytes), *expected = fixture_read(err_path, &expected_bytes);
	base_diag_init(&diag);
	struct ptx_module *m = ptx_module_parse(strrchr(path, '/') + 1, text, size_bytes, &diag);
	if (m)
		fail_msg("%s is accepted", path);
	char *found = base_diag_join(&diag);
	if (expected_bytes && expected[expected_bytes - 1] == '\n')
		expected[expected_bytes - 1] = 0;
	assert_string_equal(found, expected);
	assert_true(diag.error_count > 0);
	free(found);
	free(expected);
	free(text);
	free(err_path);
	base_diag_free(&diag);
}

static void malformed_text_is_refused_with_its_place(void **state)
{
	char **list = fixture_list(PTX_TESTS "/bad", ".ptx");
	uint32_t count = 0;

	(void)state;
	for (char **l = list; *l; l++, count++)
		check_bad(*l);
	fixture_list_free(list);
	assert_true(count >= 40);
}

/* xorshift64: the same mutants on every machine. */
static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static size_t mutate(char *text, size_t size_bytes, uint64_t *seed)
{
	static const char *const words[] = {";", "}", "{", "%r1", ".v4", "[", "(", ",", "0f", "-", ".reg .b32 %z<9>;",
					    "|", "@"};

	for (uint64_t n = next_random(seed) % 4 + 1; n; n--) {
		size_t at = next_random(seed) % size_bytes, length = next_random(seed) % 40;

		if (length > size_bytes - at)
			length = size_bytes - at;
		switch (next_random(seed) % 4) {
		case 0:
			text[at] = (char)next_random(seed);
			break;
		case 1:
			memmove(text + at, text + at + length, size_bytes - at - length);
			size_bytes -= length;
			break;
		case 2:
			memmove(text + at, text + next_random(seed) % (size_bytes - length + 1), length);
			break;
		default: {
			const char *w = words[next_random(seed) % (sizeof(words) / sizeof(words[0]))];
			size_t fits = strlen(w) < size_bytes - at ? strlen(w) : size_bytes - at;

			memcpy(text + at, w, fits);
		}
		}
		if (!size_bytes)
			return 0;
	}
	return size_bytes;
}

static void try_mutant(const char *text, size_t size_bytes)
{
	char what[256];
	struct base_diag_list diag;

	base_diag_init(&diag);
	struct ptx_module *m = ptx_module_parse("mutant", text, size_bytes, &diag);
	assert_true((m == NULL) == (diag.error_count > 0));
	if (m && !ptx_validate(m, what, sizeof(what)))
		fail_msg("%s", what);
	for (uint32_t k = 0; m && k < m->func_count; k++) {
		if (!m->funcs[k]->has_body)
			continue;
		struct ptx_cfg *c = ptx_cfg_build(m->funcs[k]);

		ptx_alloc_free(ptx_alloc_build(c, NULL));
		ptx_cfg_free(c);
	}
	ptx_module_free(m);
	base_diag_free(&diag);
}

static void mutants_neither_crash_nor_break_invariants(void **state)
{
	size_t size_bytes;
	char *text = fixture_read(PTX_TESTS "/corpus/coverage.ptx", &size_bytes);
	char *mutant = malloc(size_bytes + 1);
	uint64_t seed = 0x5714A7A;

	(void)state;
	for (int k = 0; k < 3000; k++) {
		memcpy(mutant, text, size_bytes);
		try_mutant(mutant, mutate(mutant, size_bytes, &seed));
	}
	free(mutant);
	free(text);
}

static void truncated_text_neither_crashes_nor_hangs(void **state)
{
	size_t size_bytes;
	char *text = fixture_read(PTX_TESTS "/corpus/memory.ptx", &size_bytes);

	(void)state;
	for (size_t n = 0; n < size_bytes; n += 37) {
		char *exact = malloc(n ? n : 1); /* so that reading past the end is seen */

		memcpy(exact, text, n);
		try_mutant(exact, n);
		free(exact);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(corpus_parses_and_survives_printing),
	    cmocka_unit_test(workloads_parse_and_survive_printing),
	    cmocka_unit_test(coverage_list_is_supported),
	    cmocka_unit_test(malformed_text_is_refused_with_its_place),
	    cmocka_unit_test(mutants_neither_crash_nor_break_invariants),
	    cmocka_unit_test(truncated_text_neither_crashes_nor_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
