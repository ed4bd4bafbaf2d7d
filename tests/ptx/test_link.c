/* test_link.c - the linker, rule by rule: what is joined, what the result says, which message a mistake gets.
 *
 * Every result is held against the invariants of modules, printed, and parsed again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "ptx/link.h"
#include "ptx/print.h"
#include "validate.h"

#define HEAD ".version 6.0\n.target sm_30\n.address_size 64\n"
enum { OBJECTS_MAX = 4 };

static bool is_builtin(const char *name)
{
	return !strcmp(name, "vprintf");
}

/* Objects are called a, b, c, d. */
static struct ptx_module *link_texts(const char *const *texts, struct base_diag_list *diag)
{
	static const char *const names[OBJECTS_MAX] = {"a", "b", "c", "d"};
	struct ptx_module *objects[OBJECTS_MAX];
	uint32_t count = 0;

	for (; count < OBJECTS_MAX && texts[count]; count++)
		objects[count] = fixture_parse(names[count], texts[count], strlen(texts[count]));
	return ptx_link("linked", objects, count, is_builtin, diag);
}

static char *print(const struct ptx_module *m)
{
	char *text;
	size_t size_bytes;
	FILE *out = open_memstream(&text, &size_bytes);

	ptx_print_module(out, m);
	fclose(out);
	return text;
}

/* The linked module, which must come out, checked and printed. */
static struct ptx_module *link_good(const char *const *texts, char **printed)
{
	struct base_diag_list diag;
	char what[256];

	base_diag_init(&diag);
	struct ptx_module *m = link_texts(texts, &diag);
	if (!m)
		fail_msg("%s", diag.first->text);
	base_diag_free(&diag);
	if (!ptx_validate(m, what, sizeof(what)))
		fail_msg("%s", what);
	*printed = print(m);
	struct ptx_module *again = fixture_parse("printed", *printed, strlen(*printed));
	if (!fixture_equal(m, again, what, sizeof(what)))
		fail_msg("%s\n%s", what, *printed);
	ptx_module_free(again);
	return m;
}

/* One case: objects, and either the message (the error is the only one) or texts that the printed result has. */
struct link_case {
	const char *texts[OBJECTS_MAX];
	const char *message;
	const char *has[4], *lacks;
};

static void run_case(const struct link_case *c)
{
	struct base_diag_list diag;
	char *printed;

	if (c->message) {
		base_diag_init(&diag);
		assert_null(link_texts(c->texts, &diag));
		assert_string_equal(diag.first->text, c->message);
		assert_int_equal(diag.error_count, 1);
		base_diag_free(&diag);
		return;
	}
	struct ptx_module *m = link_good(c->texts, &printed);
	for (uint32_t k = 0; k < 4 && c->has[k]; k++)
		if (!strstr(printed, c->has[k]))
			fail_msg("no '%s' in\n%s", c->has[k], printed);
	if (c->lacks && strstr(printed, c->lacks))
		fail_msg("'%s' in\n%s", c->lacks, printed);
	free(printed);
	ptx_module_free(m);
}

static void run_cases(const struct link_case *cases, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		run_case(&cases[k]);
}

#define RUN_CASES(cases) run_cases(cases, sizeof(cases) / sizeof((cases)[0]))

/* A kernel whose body is given, and a function body that stores the address of a variable. */
#define KERNEL(body) ".visible .entry k() { .reg .u64 %d; .reg .u32 %r; " body " ret; }\n"
#define TAKE(sym) "mov.u64 %d, " sym "; st.u64 [%d], %d; "

/* The ends of messages. */
#define ONE_MORE "expected one more object or library that defines it"
#define ONE_DEFINITION "expected one definition, or .weak on all but one"
#define SAME_SIGNATURE "expected the same parameters and results"

static void test_variables(void **state)
{
	(void)state;
	static const struct link_case cases[] = {
	    /* .extern is the other object's definition, whichever comes first. */
	    {{HEAD ".extern .global .u32 x;\n" KERNEL(TAKE("x")), HEAD ".visible .global .u32 x = 7;\n"},
	     NULL, {".visible .global .align 4 .u32 x = {7};", "mov.u64 %d, x;"}, ".extern"},
	    {{HEAD ".visible .global .u32 x = 7;\n", HEAD ".extern .global .u32 x;\n" KERNEL(TAKE("x"))},
	     NULL, {".visible .global .align 4 .u32 x = {7};", "mov.u64 %d, x;"}, ".extern"},
	    /* In all state spaces; an open size takes the definition's. */
	    {{HEAD ".extern .shared .u64 s[];\n.extern .const .u8 c[];\n" KERNEL(TAKE("s") TAKE("c")),
	      HEAD ".visible .shared .u64 s[32];\n.visible .const .u8 c[3] = {1, 2, 3};\n"},
	     NULL, {".visible .shared .align 8 .u64 s[32];", ".visible .const .align 1 .u8 c[3] = {1, 2, 3};"},
	     ".extern"},
	    /* The strictest alignment holds for all. */
	    {{HEAD ".extern .global .align 16 .b8 x[8];\n" KERNEL(TAKE("x")), HEAD ".visible .global .b8 x[8];\n"},
	     NULL, {".visible .global .align 16 .b8 x[8];"}, NULL},
	    /* Weak: the first of several, and only if nobody insists. */
	    {{HEAD ".weak .global .u32 x = 1;\n", HEAD ".weak .global .u32 x = 2;\n" KERNEL(TAKE("x"))},
	     NULL, {".weak .global .align 4 .u32 x = {1};"}, "{2}"},
	    {{HEAD ".weak .global .u32 x = 1;\n" KERNEL(TAKE("x")), HEAD ".visible .global .u32 x = 2;\n"},
	     NULL, {".visible .global .align 4 .u32 x = {2};"}, "{1}"},
	    /* Common: the largest; a definition goes before it, a weak one does not. */
	    {{HEAD ".common .global .b8 x[4];\n", HEAD ".common .global .b8 x[16];\n" KERNEL(TAKE("x")),
	      HEAD ".common .global .b8 x[8];\n"},
	     NULL, {".common .global .align 1 .b8 x[16];"}, "[8]"},
	    {{HEAD ".common .global .b8 x[4];\n", HEAD ".visible .global .b8 x[4] = {5};\n" KERNEL(TAKE("x"))},
	     NULL, {".visible .global .align 1 .b8 x[4] = {5};"}, ".common"},
	    {{HEAD ".weak .global .b8 x[4] = {5};\n", HEAD ".common .global .b8 x[4];\n" KERNEL(TAKE("x"))},
	     NULL, {".common .global .align 1 .b8 x[4];"}, "{5}"},
	    /* A name without directive belongs to its object. */
	    {{HEAD ".global .u32 x = 1;\n" KERNEL(TAKE("x")),
	      HEAD ".global .u32 x = 2;\n.visible .entry k2() { .reg .u64 %d; " TAKE("x") " ret; }\n",
	      HEAD ".visible .global .u32 x = 3;\n"},
	     NULL, {".global .align 4 .u32 x$o1 = {1};", ".global .align 4 .u32 x$o2 = {2};",
	      ".visible .global .align 4 .u32 x = {3};", "mov.u64 %d, x$o2;"}, "mov.u64 %d, x;"},
	    /* ... and gets no name that a function has for something else. */
	    {{HEAD ".global .u32 x = 1;\n.visible .entry k() { .reg .u64 x$o1; .reg .u64 %d; " TAKE("x") " ret; }\n",
	      HEAD ".visible .global .u32 x = 3;\n"},
	     NULL, {".global .align 4 .u32 x$o3 = {1};", "mov.u64 %d, x$o3;"}, NULL},
	    /* Managed is what anybody calls so. */
	    {{HEAD ".extern .global .attribute(.managed) .u32 x;\n" KERNEL(TAKE("x")),
	      HEAD ".visible .global .u32 x;\n"},
	     NULL, {".visible .global .attribute(.managed) .align 4 .u32 x;"}, NULL},
	    /* Dynamic shared memory needs no definition; an .extern that nothing mentions needs none either. */
	    {{HEAD ".extern .shared .b8 dyn[];\n.extern .global .u32 nowhere;\n" KERNEL(TAKE("dyn"))},
	     NULL, {".extern .shared .align 1 .b8 dyn[];"}, "nowhere"},
	};
	RUN_CASES(cases);
}

static void test_functions(void **state)
{
	(void)state;
	static const struct link_case cases[] = {
	    {{HEAD ".extern .func (.param .u32 r) f(.param .u64 a);\n.visible .entry k() { { .param .u64 a; "
	      ".param .u32 r; call (r), f, (a); } ret; }\n",
	      HEAD ".visible .func (.param .u32 out) f(.param .u64 in) { ret; }\n"},
	     NULL, {".visible .func (.param .align 4 .u32 out) f (.param .align 8 .u64 in)", "call (r), f, (a);"},
	     ".extern"},
	    /* Without directive and body: as .extern. */
	    {{HEAD ".func f;\n" KERNEL("call f;"), HEAD ".visible .func f { ret; }\n"},
	     NULL, {".visible .func f ()"}, NULL},
	    {{HEAD ".weak .func f { exit; }\n" KERNEL("call f;"), HEAD ".weak .func f { trap; }\n"},
	     NULL, {"exit"}, "trap"},
	    {{HEAD ".weak .func f { exit; }\n" KERNEL("call f;"), HEAD ".visible .func f { trap; }\n"},
	     NULL, {"trap"}, "exit"},
	    {{HEAD ".func f { exit; }\n" KERNEL("call f;"), HEAD ".visible .func f { trap; }\n"},
	     NULL, {".func f$o1 ()\n{\n\texit;", "call f$o1;", ".visible .func f ()\n{\n\ttrap;"}, NULL},
	    /* The device's own functions. */
	    {{HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.visible .entry k() { "
	      ".param .b64 f; .param .b64 a; .param .b32 r; call (r), vprintf, (f, a); ret; }\n"},
	     NULL, {".extern .func (.param .align 4 .b32 r) vprintf (.param"}, NULL},
	    /* A library of which nothing is used, and one of which only a part is. */
	    {{HEAD KERNEL(""), HEAD ".extern .func f;\n.visible .func g { call f; ret; }\n"},
	     NULL, {".entry k", ".extern .func f", ".visible .func g"}, NULL},
	    {{HEAD ".extern .func g;\n" KERNEL("call g;"),
	      HEAD ".extern .func f;\n.visible .func h { call f; ret; }\n.visible .func g { ret; }\n"},
	     NULL, {"call g;", ".visible .func h"}, NULL},
	    /* Addresses of functions, in code and in initial values; prototypes of calls stay what they are. */
	    {{HEAD ".extern .func f;\n.extern .func g;\n.visible .global .u64 table[2] = {g, f};\n"
	      KERNEL("mov.u64 %d, f; p: .callprototype _ (); call %d, p;"),
	      HEAD ".visible .func f { ret; }\n.visible .func g { ret; }\n"},
	     NULL, {"table[2] = {g, f};", "mov.u64 %d, f;", ".callprototype"}, ".extern"},
	    {{HEAD ".extern .func f;\n" KERNEL("mov.u64 %d, f; t: .calltargets f; call %d, (), t;"),
	      HEAD ".visible .func f { ret; }\n"},
	     NULL, {".calltargets f;"}, ".extern"},
	    /* Two names of one function. */
	    {{HEAD ".extern .func g;\n" KERNEL("call g;"),
	      HEAD ".visible .func f { ret; }\n.visible .func g;\n.alias g, f;\n"},
	     NULL, {"call g;", ".alias g, f;"}, ".extern"},
	    {{HEAD ".func f { exit; }\n.visible .func g;\n.alias g, f;\n", HEAD ".func f { ret; }\n"},
	     NULL, {".alias g, f;", ".func f$o2"}, NULL},
	};
	RUN_CASES(cases);
}

static void test_initial_values(void **state)
{
	(void)state;
	static const struct link_case cases[] = {
	    {{HEAD ".extern .global .b8 x[];\n.visible .global .u64 p[3] = {generic(x)+4, x, generic(x)};\n",
	      HEAD ".visible .global .b8 x[8];\n"},
	     NULL, {"p[3] = {generic(x)+4, x, generic(x)};"}, NULL},
	    {{HEAD ".extern .global .b8 x[];\n.visible .global .b8 p[2] = {0xFF(x), 0xFF00(x)};\n",
	      HEAD ".visible .global .b8 x[8];\n"},
	     NULL, {"p[2] = {0xFF(x), 0xFF00(x)};"}, NULL},
	    /* To a name that had to change, of another object than the one that has the plain name. */
	    {{HEAD ".visible .global .b8 x[8];\n", HEAD ".global .b8 x[4];\n.visible .global .u64 p = x+1;\n"},
	     NULL, {".u64 p = {x$o2+1};"}, NULL},
	    {{HEAD ".extern .global .u64 x;\n.visible .global .u64 p = generic(x);\n"},
	     "a:5: error: 'x', used by 'p', is not defined in any of the 1 objects; " ONE_MORE, {NULL}, NULL},
	};
	RUN_CASES(cases);
}

static void test_heads(void **state)
{
	(void)state;
	static const struct link_case cases[] = {
	    {{HEAD KERNEL(""), ".version 7.8\n.target sm_75\n.address_size 64\n", ".version 7.1\n.target sm_100a\n"
	      ".address_size 64\n.visible .entry last() { ret; }\n"},
	     NULL, {".version 7.8\n.target sm_100a\n.address_size 64\n"}, NULL},
	    /* The target of a library of which nothing is used does not count; that of one in use does. */
	    {{".version 7.0\n.target sm_75\n.address_size 64\n" KERNEL(""),
	      ".version 7.8\n.target sm_121\n.address_size 64\n.visible .func f { ret; }\n.entry own() { ret; }\n"},
	     NULL, {".version 7.8\n.target sm_75\n"}, NULL},
	    {{".version 7.0\n.target sm_75\n.address_size 64\n.extern .func f;\n" KERNEL("call f;"),
	      ".version 7.8\n.target sm_121\n.address_size 64\n.visible .func f { ret; }\n"},
	     NULL, {".version 7.8\n.target sm_121\n"}, NULL},
	    {{HEAD, ".version 6.0\n.target sm_30\n.address_size 32\n"},
	     "b: error: this object has .address_size 32, a has 64; expected the same in all objects", {NULL}, NULL},
	    /* Source lines: files are numbered through. */
	    {{HEAD ".file 1 \"one.c\"\n.visible .entry a() { .loc 1 5 6\n ret; }\n",
	      HEAD ".file 1 \"two.c\"\n.visible .entry b() { .loc 1 7 8\n ret; }\n"},
	     NULL, {".file 1 \"one.c\"\n.file 2 \"two.c\"\n", ".loc 1 5 6", ".loc 2 7 8"}, NULL},
	    /* A file that no object declares is none. */
	    {{HEAD ".visible .entry a() { .loc 9 5 6\n ret; }\n", HEAD ".file 9 \"two.c\"\n"},
	     NULL, {".file 1 \"two.c\"\n", ".loc 0 5 6"}, NULL},
	};
	RUN_CASES(cases);
}

static void test_mistakes(void **state)
{
	(void)state;
	static const struct link_case cases[] = {
	    {{HEAD ".visible .global .u32 x;\n", HEAD "\n.visible .global .u32 x;\n"},
	     "b:5: error: 'x' is defined a second time; the first definition is in a:4; " ONE_DEFINITION, {NULL}, NULL},
	    {{HEAD ".visible .func f { ret; }\n", HEAD ".visible .func f { ret; }\n"},
	     "b:4: error: 'f' is defined a second time; the first definition is in a:4; " ONE_DEFINITION, {NULL}, NULL},
	    {{HEAD ".extern .func f;\n\n" KERNEL("call f;"), HEAD},
	     "a:6: error: 'f', used by 'k', is not defined in any of the 2 objects; " ONE_MORE, {NULL}, NULL},
	    {{HEAD ".extern .func f;\n" KERNEL("call f;"), HEAD ".func f { ret; }\n"},
	     "a:5: error: 'f', used by 'k', is not defined: that of b is not .visible", {NULL}, NULL},
	    {{HEAD ".extern .global .u32 x;\n" KERNEL(TAKE("x") TAKE("x")), HEAD ".global .u32 x;\n"},
	     "a:5: error: 'x', used by 'k', is not defined: that of b is not .visible", {NULL}, NULL},
	    {{HEAD ".extern .func g;\n" KERNEL("call g;"),
	      HEAD ".extern .func f;\n.visible .func g { call f; ret; }\n"},
	     "b:5: error: 'f', used by 'g', is not defined in any of the 2 objects; " ONE_MORE, {NULL}, NULL},
	    {{HEAD ".extern .func (.param .u32 r) f(.param .u32 a);\n",
	      HEAD ".visible .func f(.param .u32 a) { ret; }\n"},
	     "a:4: error: 'f' does not match: here .func (.param .align 4 .u32 _) f (.param .align 4 .u32 _), in b:4 "
	     ".func f (.param .align 4 .u32 _); " SAME_SIGNATURE, {NULL}, NULL},
	    {{HEAD ".visible .func f(.param .u64 a) { ret; }\n", HEAD ".extern .func f(.param .u32 a);\n"},
	     "b:4: error: 'f' does not match: here .func f (.param .align 4 .u32 _), in a:4 .func f "
	     "(.param .align 8 .u64 _); " SAME_SIGNATURE, {NULL}, NULL},
	    {{HEAD ".visible .func f(.param .u32 a) { ret; }\n", HEAD ".extern .func f(.reg .u32 a);\n"},
	     "b:4: error: 'f' does not match: here .func f (.reg .align 4 .u32 _), in a:4 .func f "
	     "(.param .align 4 .u32 _); " SAME_SIGNATURE, {NULL}, NULL},
	    {{HEAD ".extern .func k;\n", HEAD KERNEL("")},
	     "a:4: error: 'k' does not match: here .func k (), in b:4 .entry k (); " SAME_SIGNATURE, {NULL}, NULL},
	    {{HEAD ".extern .global .u32 x;\n", HEAD ".visible .const .u32 x;\n"},
	     "a:4: error: 'x' is in .global here and in .const in b:4; expected one state space", {NULL}, NULL},
	    {{HEAD ".extern .global .u32 x;\n", HEAD ".visible .global .u64 x;\n"},
	     "a:4: error: 'x' has 4 bytes here and 8 in b:4; expected the same size", {NULL}, NULL},
	    {{HEAD ".common .global .b8 x[8];\n", HEAD ".visible .global .b8 x[4];\n"},
	     "a:4: error: 'x' has 8 bytes here and 4 in b:4; expected the same size", {NULL}, NULL},
	    {{HEAD ".extern .func x;\n" KERNEL("call x;"), HEAD ".visible .global .u64 x;\n"},
	     "a:4: error: 'x' is a function here and a variable in b:4; expected one kind of symbol", {NULL}, NULL},
	    {{HEAD ".extern .global .u64 x;\n" KERNEL(TAKE("x")), HEAD ".visible .func x { ret; }\n"},
	     "a:4: error: 'x' is a variable here and a function in b:4; expected one kind of symbol", {NULL}, NULL},
	    {{HEAD ".visible .func g;\n.extern .func f;\n.alias g, f;\n"},
	     "a:4: error: 'f', used by 'g', is not defined in any of the 1 objects; " ONE_MORE, {NULL}, NULL},
	};
	RUN_CASES(cases);
}

/* All of them are reported in one go. */
static void test_many_mistakes(void **state)
{
	(void)state;
	static const char *const texts[] = {
	    HEAD ".extern .func f;\n.extern .func g;\n" KERNEL("call f; call g; call f;"), NULL};
	struct base_diag_list diag;

	base_diag_init(&diag);
	assert_null(link_texts(texts, &diag));
	assert_int_equal(diag.error_count, 2);
	base_diag_free(&diag);
}

static void test_look_up(void **state)
{
	(void)state;
	static const char *const texts[] = {
	    HEAD ".extern .global .u32 x;\n.extern .func nowhere;\n" KERNEL(TAKE("x")),
	    HEAD ".visible .global .u32 x = 9;\n", NULL};
	char *printed;
	struct ptx_module *m = link_good(texts, &printed);
	const struct ptx_var *x = ptx_module_var(m, "x");

	assert_string_equal(m->name, "linked");
	assert_non_null(x);
	assert_int_equal(x->init[0], 9);
	assert_ptr_equal(ptx_module_func(m, "k")->insts[0].src[0].var, x);
	assert_ptr_equal(ptx_module_func(m, "k")->module, m);
	assert_null(ptx_module_func(m, "nowhere"));
	assert_null(ptx_module_func(m, "x"));
	assert_int_equal(m->func_count, 1);
	free(printed);
	ptx_module_free(m);
}

/* ---- mutants ---- */

/* xorshift64: the same mutants on every machine. */
static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* Replaces one word of the text, the first behind a random place, by another; malloc'ed. */
static char *mutate(const char *text, uint64_t *seed)
{
	static const char *const words[] = {".visible ", ".extern ", ".weak ", ".common ", ".global", ".const",
					    ".shared", "f", "g", "x", "y", ".u32", ".u64",
					    "[4]", "[]", " = 7", ".func ", "\n"};
	const uint32_t count = sizeof(words) / sizeof(words[0]);
	const char *from = words[next_random(seed) % count], *to = words[next_random(seed) % count];
	const char *at = strstr(text + next_random(seed) % strlen(text), from);
	char *mutant;

	if (!at)
		return strdup(text);
	assert_true(asprintf(&mutant, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	return mutant;
}

/* Whatever is linked is well-formed, and so is what is printed of it; whatever is not has a message. */
static bool try_link(struct ptx_module **objects, uint32_t count)
{
	struct base_diag_list diag;
	char what[256];

	base_diag_init(&diag);
	struct ptx_module *m = ptx_link("linked", objects, count, is_builtin, &diag);
	assert_int_equal(!m, diag.error_count > 0);
	base_diag_free(&diag);
	if (!m)
		return false;
	if (!ptx_validate(m, what, sizeof(what)))
		fail_msg("%s", what);
	char *text = print(m);
	struct ptx_module *again = fixture_parse("printed", text, strlen(text));
	if (!fixture_equal(m, again, what, sizeof(what)))
		fail_msg("%s\n%s", what, text);
	ptx_module_free(again);
	free(text);
	ptx_module_free(m);
	return true;
}

static void test_mutants(void **state)
{
	static const char *const pool[] = {
	    HEAD ".extern .global .u32 x;\n.extern .func f;\n" KERNEL("call f; " TAKE("x")),
	    HEAD ".visible .global .u32 x = 7;\n.visible .func f { ret; }\n",
	    HEAD ".weak .global .u32 x[4];\n.func g { ret; }\n.visible .func f;\n.alias f, g;\n",
	    HEAD ".common .global .u32 y[4];\n.weak .func f { .reg .u64 %d; " TAKE("y") " ret; }\n",
	    HEAD ".extern .func f;\n.extern .func g;\n.extern .global .u32 x;\n"
		 ".visible .global .u64 y[4] = {g, f, generic(x)+4, x};\n",
	    HEAD ".extern .shared .u32 y[];\n.const .u32 x = 7;\n.visible .entry m() { .reg .u64 %d; " TAKE("x")
		 TAKE("y") " ret; }\n",
	};
	uint64_t seed = 20;
	uint32_t linked = 0, refused = 0;

	(void)state;
	for (uint32_t round = 0; round < 20000; round++) {
		struct ptx_module *objects[3];
		uint32_t count = 0;

		for (uint32_t k = 0; k < 3; k++) {
			struct base_diag_list diag;
			char *once = mutate(pool[next_random(&seed) % (sizeof(pool) / sizeof(pool[0]))], &seed);
			char *text = mutate(once, &seed);

			base_diag_init(&diag);
			objects[count] = ptx_module_parse("mutant", text, strlen(text), &diag);
			count += objects[count] != NULL;
			base_diag_free(&diag);
			free(text);
			free(once);
		}
		if (!count)
			continue;
		if (try_link(objects, count))
			linked++;
		else
			refused++;
	}
	assert_true(linked > 1000 && refused > 1000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_variables),      cmocka_unit_test(test_functions),
	    cmocka_unit_test(test_initial_values), cmocka_unit_test(test_heads),
	    cmocka_unit_test(test_mistakes),       cmocka_unit_test(test_many_mistakes),
	    cmocka_unit_test(test_look_up),
	    cmocka_unit_test(test_mutants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
