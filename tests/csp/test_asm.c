/* What the assembler makes of text, and what it says of mistakes: each with its line. */
#include "harness.h"

#include <glib/gstdio.h>

static struct csp_program *assemble(const char *text, struct base_diag_list *diag)
{
	static struct csp_config config;

	csp_config_defaults(&config);
	config.csp.core_count = 15;
	base_diag_init(diag);
	return csp_assemble(text, "p.csp", &config, NULL, 0, diag);
}

static void instructions(void **state)
{
	struct base_diag_list diag;
	struct csp_program *p = assemble(".set N, (2 + 3) * 4 - 6 / 4 % 2\n"
					 ".core 1, 2\n"
					 "again: set i3, i1 + N - 1 ; a comment\n"
					 "  loop i3\n"
					 "    cfma.cn r[i2 + 5:i4], zero, r[7], s[M:2] x N\n"
					 "  end\n"
					 "  branch i0, again, out\n"
					 "out: send 3, [i1+i2:N], r[0] x2\n",
					 &diag);

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->instr_count, 7); /* with the halt at the end */
	assert_int_equal(p->entries[0], UINT32_MAX);
	assert_int_equal(p->entries[2], 0);
	assert_int_equal(p->instrs[0].op, CSP_SET);
	assert_int_equal(p->instrs[0].value.constant, 18);
	assert_int_equal(p->instrs[0].value.index_count, 1);
	assert_int_equal(p->instrs[1].targets[0], 4); /* behind the end */
	assert_int_equal(p->instrs[3].targets[0], 1);
	assert_true(p->instrs[2].is_conjugate && p->instrs[2].is_negative);
	assert_int_equal(p->instrs[2].operands[1].space, CSP_ZERO);
	assert_int_equal(p->instrs[2].operands[0].stride.index[0], 4);
	assert_int_equal(p->instrs[2].operands[3].base.constant, 64);
	assert_int_equal(p->instrs[2].count.constant, 19);
	assert_int_equal(p->instrs[2].line, 5);
	assert_int_equal(p->instrs[4].target_count, 2);
	assert_int_equal(p->instrs[4].targets[1], 5);
	assert_int_equal(p->instrs[5].value.constant, 3);
	assert_int_equal(p->instrs[6].op, CSP_HALT);
	csp_program_free(p);
	base_diag_free(&diag);
}

static void mistakes(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
	    {".core 0\n  sett i1, 2\n", "p.csp:2:3: error: no instruction 'sett'; did you mean 'set'?"},
	    {".core 0\n  set i24, 2\n", "p.csp:2:7: error: expected an index register, i0 to i23"},
	    {".core 0\n  set i1, N\n", "p.csp:2:11: error: unknown name 'N'"},
	    {".core 0\n.set SIZE, 1\n set i1, SICE\n", "p.csp:3:10: error: unknown name 'SICE'; did you mean 'SIZE'?"},
	    {".core 0\n cfma r[0], r[0], s[0], r[0]\n", ":2:19: error: expected a register, r[...]"},
	    {".core 0\n cfma.x r[0], r[0], r[0], s[0]\n", "expected cfma, cfma.c"},
	    {".core 0\n load [0], r[0]\n", ":2:7: error: expected a register"},
	    {".core 0\n store [0], r[0] y\n", ":2:18: error: expected the end of the line, found 'y'"},
	    {".core 0\n jump there\n", ":2:7: error: no label 'there'"},
	    {".core 0\na: halt\na: halt\n", ":3:1: error: label 'a' is there already"},
	    {".core 0\n end\n", ":2:2: error: 'end' without a loop"},
	    {".core 0\n loop 3\n", "a loop of line 2 without its 'end'"},
	    {".core 0\n set i1, i2 * 3\n", "'*' with an index register"},
	    {".core 0\n set i1, 3 - i2\n", "cannot be taken away"},
	    {".core 0\n set i1, 3 / 0\n", "division by zero"},
	    {".core 0\n set i1, 2000000000\n", "leaves -2^30 to 2^30"},
	    {".core 0\n set i1, (1\n", "expected ')', found the end of the line"},
	    {".core 0\n set i1, i1+i2+i3+i4\n", "more than 3 index registers"},
	    {".core 99\n", "cores 99 to 99: the machine has 0 to 14"},
	    {".core 0\n.core 0\n", "core 0 has a program already"},
	    {" halt\n", ":1:2: error: an instruction before the first '.core'"},
	    {".data signal 1, 2, 3, 4\n", "before the first '.core'"},
	    {".core 0\n.data signel 1, 2, 3, 4\n", "no data 'signel'; did you mean 'signal'?"},
	    {".core 0\n.data signal 1, 2, 3\n", "expected ','"},
	    {".core 0\n.check fft 1, 2, 3, i1\n", "expected a constant"},
	    {".core 0\n.data signal 0-1, 2, 3, 4\n", "a value is below 0"},
	    {".core 0\n loop 2\n. core 1\n", "a loop of line 2 without its 'end'"},
	    {".core 0\n.input a, 0, 0\n", "at least one of them"},
	    {".core 0\n.arrivals 0, 4, 5\n", ":2:1: error: lines from 0 on, at least one of them"},
	    {".core 0, 1\n.arrivals 0, 4, 2\n", "what arrives is one core's"},
	    {".core 0\n.arrivals 0, 4, 2\n.arrivals 8, 4, 2\n", ":3:1: error: what arrives is one core's, and stands"},
	    {".arrivals 0, 4, 2\n.core 0\n", "'.arrivals' before the first '.core'"},
	    {".core 0\n.input a, 0, 1\n.input a, 1, 1\n", ":3:1: error: 'a' is there already, in line 2"},
	    {".cor 0\n", "no directive '.cor'; did you mean '.core'?"},
	    {".include\n", ":1:9: error: expected '\"', found the end of the line"},
	    {".include \"\n", "expected the name of a file in quotes"},
	    {".include \"no.inc\"\n", "p.csp:1:1: error: cannot read no.inc: No such file"},
	    {".include \"no.inc\" x\n", "expected the end of the line, found 'x'"},
	    {"\n", "p.csp:1:1: error: no '.core': the program is nobody's"},
	};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct base_diag_list diag;

		assert_null(assemble(cases[i].text, &diag));
		assert_non_null(diag.first);
		if (!strstr(diag.first->text, cases[i].expected))
			fail_msg("'%s': '%s' has no '%s'", cases[i].text, diag.first->text, cases[i].expected);
		base_diag_free(&diag);
	}
}

/* Lines of another file stand where it is included; each keeps its own place. */
static void includes(void **state)
{
	g_autofree char *dir = g_dir_make_tmp("strata-test-XXXXXX", NULL), *a = NULL, *b = NULL;
	struct csp_config config;
	struct base_diag_list diag;
	struct csp_program *p;

	(void)state;
	assert_non_null(dir);
	a = g_build_filename(dir, "a.csp", NULL);
	b = g_build_filename(dir, "b.inc", NULL);
	csp_config_defaults(&config);
	config.csp.core_count = 15;
	base_diag_init(&diag);
	assert_true(g_file_set_contents(a, ".core 0\n set i1, 1\n.include \"b.inc\"\n set i3, WIDTH\n", -1, NULL));
	assert_true(g_file_set_contents(b, "; b\n.set WIDTH, 7\n set i2, WIDTH + 1\n", -1, NULL));
	p = csp_assemble_file(a, &config, NULL, 0, &diag);
	assert_non_null(p);
	assert_int_equal(p->instr_count, 4);
	assert_string_equal(p->instrs[1].file, b);
	assert_int_equal(p->instrs[1].line, 3);
	assert_int_equal(p->instrs[1].value.constant, 8);
	assert_string_equal(p->instrs[2].file, a);
	assert_int_equal(p->instrs[2].line, 4);
	assert_int_equal(p->instrs[2].value.constant, 7);
	csp_program_free(p);
	assert_true(g_file_set_contents(b, "\n sett i2, 1\n", -1, NULL));
	assert_null(csp_assemble_file(a, &config, NULL, 0, &diag));
	assert_non_null(strstr(diag.first->text, "b.inc:2:2: error: no instruction 'sett'"));
	base_diag_free(&diag);
	base_diag_init(&diag);
	assert_true(g_file_set_contents(b, ".include \"b.inc\"\n", -1, NULL));
	assert_null(csp_assemble_file(a, &config, NULL, 0, &diag));
	assert_non_null(strstr(diag.first->text, "b.inc:1:1: error: files that include files more than 8 deep"));
	base_diag_free(&diag);
	g_unlink(a);
	g_unlink(b);
	g_rmdir(dir);
}

/* A loop that is none has no end to miss. */
static void no_loop(void **state)
{
	static const char *const texts[] = {".core 0\n loop\n", ".core 0\n loop\n halt\n"};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		struct base_diag_list diag;

		assert_null(assemble(texts[i], &diag));
		assert_int_equal(diag.error_count, 1);
		assert_non_null(strstr(diag.first->text, "p.csp:2:6: error: expected a number"));
		base_diag_free(&diag);
	}
}

/* All mistakes of a text are reported at once. */
static void several(void **state)
{
	struct base_diag_list diag;

	(void)state;
	assert_null(assemble(".core 0\n sett i1, 2\n halt 3\n loop x\n end\n", &diag));
	assert_true(diag.error_count >= 3);
	base_diag_free(&diag);
}

/* What the command line defines comes before the text's own. */
static void defines(void **state)
{
	const struct csp_define d = {"N", 7};
	struct base_diag_list diag;
	struct csp_config config;
	struct csp_program *p;

	(void)state;
	csp_config_defaults(&config);
	config.csp.core_count = 15;
	base_diag_init(&diag);
	assert_null(csp_assemble(".core 0\n set i0, 3\n", "p", &config, &d, 1, &diag));
	assert_non_null(strstr(diag.first->text, "p has no name 'N'"));
	base_diag_free(&diag);
	base_diag_init(&diag);
	p = csp_assemble(".set N, 3\n.core 0\n set i0, N\n", "p", &config, &d, 1, &diag);
	assert_non_null(p);
	assert_int_equal(p->instrs[0].value.constant, 7);
	csp_program_free(p);
	base_diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(instructions),
	    cmocka_unit_test(mistakes),
	    cmocka_unit_test(several),
	    cmocka_unit_test(no_loop),
	    cmocka_unit_test(includes),
	    cmocka_unit_test(defines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
