/* test_coverage.c - every opcode of the PTX ISA is executed or refused, as docs/ptx-coverage.md says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "ptx/tables.h"

/* PTX ISA 9.0, section 9.7; the part before the first dot. */
static const char *const names[] = {
    "abs", "activemask", "add", "addc", "alloca", "and", "applypriority", "atom", "bar", "barrier", "bfe",
    "bfi", "bfind", "bmsk", "bra", "brev", "brkpt", "brx", "call", "clusterlaunchcontrol", "clz", "cnot",
    "copysign", "cos", "cp", "createpolicy", "cvt", "cvta", "discard", "div", "dp2a", "dp4a", "elect", "ex2",
    "exit", "fence", "fma", "fns", "getctarank", "griddepcontrol", "isspacep", "istypep", "ld", "ldmatrix",
    "ldu", "lg2", "lop3", "mad", "mad24", "madc", "mapa", "match", "max", "mbarrier", "membar", "min", "mma",
    "mov", "movmatrix", "mul", "mul24", "multimem", "nanosleep", "neg", "not", "or", "pmevent", "popc",
    "prefetch", "prefetchu", "prmt", "rcp", "red", "redux", "rem", "ret", "rsqrt", "sad", "selp", "set",
    "setmaxnreg", "setp", "shf", "shfl", "shl", "shr", "sin", "slct", "sqrt", "st", "stackrestore", "stacksave",
    "stmatrix", "sub", "subc", "suld", "suq", "sured", "sust", "szext", "tanh", "tcgen05", "tensormap", "testp",
    "tex", "tld4", "trap", "txq", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4", "vavrg2",
    "vavrg4", "vmad", "vmax", "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vote", "vset", "vset2", "vset4",
    "vshl", "vshr", "vsub", "vsub2", "vsub4", "wgmma", "wmma", "xor",
};

enum { COUNT = sizeof(names) / sizeof(names[0]) };

/* Known to the parser and refused when a kernel is decoded. */
static bool is_refused_later(const char *name)
{
	return !strcmp(name, "istypep");
}

static void every_opcode_is_in_the_table(void **state)
{
	gchar *text;

	(void)state;
	assert_true(g_file_get_contents(PTX_COVERAGE, &text, NULL, NULL));
	for (uint32_t k = 0; k < COUNT; k++) {
		const uint32_t length = (uint32_t)strlen(names[k]);
		const enum ptx_op op = ptx_op_find(names[k], length);
		const bool is_known = op != PTX_OP_UNSUPPORTED && ptx_forms[op].shape;
		char row[64];

		if (!is_known && !strcmp(ptx_op_outside(names[k], length), "unknown instruction"))
			fail_msg("'%s' is neither executed nor refused with a reason", names[k]);
		snprintf(row, sizeof(row), "\n| `%s` | %s |", names[k],
			 is_known && !is_refused_later(names[k]) ? "executed" : "refused");
		if (!strstr(text, row))
			fail_msg("docs/ptx-coverage.md has no row '%s'", row + 1);
	}
	g_free(text);
}

static void the_tables_have_no_other(void **state)
{
	(void)state;
	for (uint32_t op = 0; op < PTX_OP_UNSUPPORTED; op++) {
		uint32_t k = 0;

		while (k < COUNT && strcmp(names[k], ptx_op_name(op)))
			k++;
		if (k == COUNT)
			fail_msg("'%s' is not in the list of this test", ptx_op_name(op));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_opcode_is_in_the_table),
	    cmocka_unit_test(the_tables_have_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
