/* test_forms.c - the forms of PTX in forms.list: what ptxas accepts loads, and is executed where the list says so.
 *
 * ptxas says for every line of a module whether it takes it, so that a few runs judge all forms. A target has what
 * another lacks: a form is PTX if one of them accepts it.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib.h>

#include "simt/simt.h"

static const char *const targets[] = {"sm_75", "sm_90a", "sm_100a", "sm_120a"};
enum { TARGETS = sizeof(targets) / sizeof(targets[0]), ERRORS_SHOWN = 60 };

struct form {
	char *text;
	uint32_t row;
	bool is_rejected; /* by the target that is asked */
	bool is_ptx;	  /* accepted by some target */
};

/* A line of the list. */
struct row {
	uint32_t line, first, count; /* forms [first, first + count) */
	bool is_executed;
};

static struct form *forms;
static struct row *rows;
static uint32_t form_count, form_cap, row_count, row_cap;

#define GROW(at, count, cap) \
	((count) == (cap) ? ((cap) = (cap) * 2 + 64, (at) = g_realloc_n((at), (cap), sizeof(*(at)))) : (at))

static void add_form(const char *text)
{
	GROW(forms, form_count, form_cap);
	forms[form_count++] = (struct form){.text = g_strdup(text), .row = row_count - 1};
}

/* Writes out the first <a/b> of text in all its ways. */
static void expand(const char *text)
{
	const char *open = strchr(text, '<'), *close = open ? strchr(open, '>') : NULL;

	if (!open) {
		add_form(text);
		return;
	}
	for (const char *at = open + 1, *end; at <= close; at = end + 1) {
		for (end = at; end < close && *end != '/'; end++)
			;
		gchar *one = g_strdup_printf("%.*s%.*s%s", (int)(open - text), text, (int)(end - at), at, close + 1);

		expand(one);
		g_free(one);
	}
}

static void read_list(void)
{
	gchar *text, **lines;

	assert_true(g_file_get_contents(FORMS_LIST, &text, NULL, NULL));
	lines = g_strsplit(text, "\n", -1);
	for (uint32_t n = 0; lines[n]; n++) {
		if (lines[n][0] != '+' && lines[n][0] != '-')
			continue;
		GROW(rows, row_count, row_cap);
		rows[row_count++] =
		    (struct row){.line = n + 1, .first = form_count, .is_executed = lines[n][0] == '+'};
		expand(lines[n] + 2);
		rows[row_count - 1].count = form_count - rows[row_count - 1].first;
	}
	g_strfreev(lines);
	g_free(text);
}

#define HEAD_LINES 6
static void put_head(GString *out, const char *target)
{
	g_string_append_printf(out, ".version 9.0\n.target %s\n.address_size 64\n", target);
	g_string_append(out, ".global .align 128 .b8 g[4096]; .const .align 16 .b8 c[64];\n"
			     ".func F(.reg .b32 x) { ret; }\n"
			     ".func (.reg .b32 y) G(.reg .b32 x) { mov.b32 y, x; ret; }\n");
}

#define BODY_LINES 4
static void put_entry(GString *out, uint32_t n)
{
	g_string_append_printf(out,
			       ".visible .entry k%u(.param .u32 A) {\n"
			       ".reg .pred p<5>; .reg .b8 b<5>; .reg .b16 h<9>; .reg .b32 r<10>; .reg .b64 d<9>;\n"
			       ".reg .b128 q<5>; .shared .align 128 .b8 s[4096]; .local .align 16 .b8 l[64];\n"
			       "P: .callprototype (.reg .b32 _) _ (.reg .b32 _); T: .branchtargets L;\n", n);
}

/* The module of all rows, one form a line, without those that were rejected; lines[line - 1] says which form it is. */
static void write_module(const char *path, const char *target, uint32_t *lines)
{
	GString *out = g_string_new(NULL);
	uint32_t line = HEAD_LINES;

	put_head(out, target);
	for (uint32_t k = 0; k < row_count; k++) {
		put_entry(out, k);
		line += BODY_LINES;
		for (uint32_t f = rows[k].first; f < rows[k].first + rows[k].count; f++) {
			lines[line++] = f;
			g_string_append_printf(out, "%s\n", forms[f].is_rejected ? "" : forms[f].text);
		}
		g_string_append(out, "L: ret; }\n");
		line++;
	}
	assert_true(g_file_set_contents(path, out->str, (gssize)out->len, NULL));
	g_string_free(out, TRUE);
}

/* One run of ptxas: marks the forms that it rejects and returns how many; fails on a message that names no form. */
static uint32_t ask(const char *path, const char *target, const uint32_t *lines)
{
	gchar *argv[] = {PTXAS, "--gpu-name", (gchar *)target, "--opt-level", "0", "-o", "/dev/null", (gchar *)path,
			 NULL};
	gchar *err = NULL, *out = NULL;
	uint32_t count = 0;

	assert_true(g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, NULL, NULL));
	for (char *at = strtok(err, "\n"); at; at = strtok(NULL, "\n")) {
		const char *place = strstr(at, ", line "), *kind = strstr(at, "; ");
		uint32_t line;

		if (!place || !kind || sscanf(place, ", line %u", &line) != 1 || strncmp(kind, "; error", 7) != 0) {
			if (strstr(at, "fatal") && !strstr(at, "aborted due to errors"))
				fail_msg("%s: %s", target, at);
			continue;
		}
		count += !forms[lines[line - 1]].is_rejected;
		forms[lines[line - 1]].is_rejected = true;
	}
	g_free(err);
	g_free(out);
	return count;
}

static void judge(void)
{
	uint32_t *lines = g_new0(uint32_t, form_count + (BODY_LINES + 1) * row_count + HEAD_LINES);
	gchar *folder = g_dir_make_tmp("strata-forms-XXXXXX", NULL);
	gchar *path = g_build_filename(folder, "forms.ptx", NULL);

	for (uint32_t t = 0; t < TARGETS; t++) {
		for (uint32_t f = 0; f < form_count; f++)
			forms[f].is_rejected = false;
		/* Some mistakes are looked for only where there are no others. */
		do
			write_module(path, targets[t], lines);
		while (ask(path, targets[t], lines));
		for (uint32_t f = 0; f < form_count; f++)
			forms[f].is_ptx |= !forms[f].is_rejected;
	}
	unlink(path);
	rmdir(folder);
	g_free(path);
	g_free(folder);
	g_free(lines);
}

/* What is wrong with Strata's view of a form, NULL if nothing. The caller frees it. */
static char *check_form(const struct form *f, struct simt_memory *mem, bool is_executed)
{
	GString *text = g_string_new(NULL);
	struct base_diag_list diag;
	char *problem = NULL;

	base_diag_init(&diag);
	put_head(text, "sm_100a");
	put_entry(text, 0);
	g_string_append_printf(text, "%s\nL: ret; }\n", f->text);
	struct ptx_module *ptx = ptx_module_parse("forms", text->str, text->len, &diag);
	struct simt_module *m = ptx ? simt_module_load(ptx, mem, &diag) : NULL;
	struct simt_program *p = m ? simt_program_build(m, "k0", simt_isa_choose(NULL), NULL, &diag) : NULL;

	if (!m || !p != !is_executed) {
		char *why = base_diag_join(&diag);

		problem = g_strconcat(!m ? "does not load: " : p ? "is executed" : "is refused: ", why, NULL);
		free(why);
	}
	simt_program_free(p);
	simt_module_unload(m);
	ptx_module_free(ptx);
	base_diag_free(&diag);
	g_string_free(text, TRUE);
	return problem;
}

static void what_ptxas_accepts_loads(void **state)
{
	struct simt_memory *mem = simt_memory_new(1ull << 32);
	uint32_t accepted = 0, problems = 0;

	(void)state;
	for (uint32_t k = 0; k < row_count; k++) {
		uint32_t here = 0;

		for (uint32_t f = rows[k].first; f < rows[k].first + rows[k].count; f++) {
			if (!forms[f].is_ptx)
				continue;
			here++;
			char *problem = check_form(&forms[f], mem, rows[k].is_executed);

			if (problem && problems++ < ERRORS_SHOWN)
				print_error("forms.list:%u: '%s' %s\n", rows[k].line, forms[f].text, problem);
			g_free(problem);
		}
		accepted += here;
		if (!here && problems++ < ERRORS_SHOWN)
			print_error("forms.list:%u: no target of ptxas has any form of '%s'\n", rows[k].line,
				    forms[rows[k].first].text);
	}
	simt_memory_free(mem);
	print_message("%u forms of PTX, %u written\n", accepted, form_count);
	if (problems)
		fail_msg("%u problems", problems);
}

/* Is there a form of the opcode? */
static bool is_listed(const char *opcode, size_t length)
{
	for (uint32_t f = 0; f < form_count; f++)
		if (!strncmp(forms[f].text, opcode, length) && !isalnum((unsigned char)forms[f].text[length]))
			return true;
	return false;
}

static void every_row_of_the_page_has_forms(void **state)
{
	gchar *text;

	(void)state;
	assert_true(g_file_get_contents(PTX_COVERAGE, &text, NULL, NULL));
	for (const char *at = strstr(text, "\n| `"); at; at = strstr(at + 1, "\n| `")) {
		const size_t length = strcspn(at + 4, "`");

		if (!is_listed(at + 4, length))
			fail_msg("forms.list has no form of '%.*s'", (int)length, at + 4);
	}
	g_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_row_of_the_page_has_forms),
	    cmocka_unit_test(what_ptxas_accepts_loads),
	};

	if (!PTXAS[0])
		return 77;
	read_list();
	judge();
	const int rc = cmocka_run_group_tests(tests, NULL, NULL);

	for (uint32_t f = 0; f < form_count; f++)
		g_free(forms[f].text);
	g_free(forms);
	g_free(rows);
	return rc;
}
