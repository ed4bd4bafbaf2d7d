/* test_waits.c - which loops wait for another CTA, and for what: kernels that do, and kernels whose loops look like it.
 */
#include "rig.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/check.h"
#include "dc/waits.h"

/* What stands in a kernel: %d1 is an address in global memory, %r1 the thread, %r2 a parameter. */
static const struct {
	const char *name, *text;
	enum dc_waits_for what;
	const char *at;
} loops[] = {
    {"a lock by compare and exchange",
     "A: atom.global.cas.b32 %r3, [%d1], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra A;\n",
     DC_WAITS_LOCK, "atom.global.cas"},
    {"a lock by exchange, in generic space, with a pause that grows",
     "mov.u32 %r5, 8;\nA: nanosleep.u32 %r5;\nshl.b32 %r5, %r5, 1;\natom.exch.b32 %r3, [%d1], 1;\n"
     "setp.eq.u32 %p1, %r3, 1;\n@%p1 bra A;\n",
     DC_WAITS_LOCK, "atom.exch"},
    {"a lock that is looked at first",
     "A: ld.volatile.global.u32 %r3, [%d1];\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra A;\n"
     "atom.global.cas.b32 %r3, [%d1], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra A;\n",
     DC_WAITS_LOCK, "atom.global.cas"},
    {"a ticket",
     "atom.global.add.u32 %r4, [%d1], 1;\nA: ld.acquire.gpu.global.u32 %r3, [%d1+4];\nsetp.ne.u32 %p1, %r3, %r4;\n"
     "@%p1 bra A;\n",
     DC_WAITS_FLAG, "ld.acquire"},
    {"as many as there are CTAs, the exit in the middle",
     "A: ld.volatile.global.u32 %r3, [%d1];\nmov.u32 %r5, %nctaid.x;\nsub.u32 %r6, %r5, 1;\n"
     "setp.ge.u32 %p1, %r3, %r6;\n@%p1 bra B;\nmembar.gl;\nbra A;\nB:\n",
     DC_WAITS_FLAG, "ld.volatile"},
    {"an addition of nothing", "A: atom.global.add.u32 %r3, [%d1], 0;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra A;\n",
     DC_WAITS_FLAG, "atom.global.add"},
    {"two flags", "A: ld.volatile.global.v2.u32 {%r3, %r4}, [%d1];\nsetp.eq.u32 %p1, %r3, 0;\n"
		  "setp.eq.or.u32 %p1, %r4, 0, %p1;\n@%p1 bra A;\n",
     DC_WAITS_FLAG, "ld.volatile"},
    {"an atomic operation that is tried again with what was found",
     "ld.global.u32 %r3, [%d1];\nA: mov.u32 %r4, %r3;\nadd.u32 %r5, %r4, %r1;\n"
     "atom.global.cas.b32 %r3, [%d1], %r4, %r5;\nsetp.ne.u32 %p1, %r3, %r4;\n@%p1 bra A;\n",
     DC_WAITS_NOT, NULL},
    {"a lock whose holder goes round as well",
     "A: atom.global.cas.b32 %r3, [%d1], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra B;\nst.global.u32 [%d1+8], %r1;\n"
     "atom.global.exch.b32 %r4, [%d1], 0;\nB:\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra A;\n",
     DC_WAITS_NOT, NULL},
    {"so many rounds", "mov.u32 %r5, 0;\nA: ld.volatile.global.u32 %r3, [%d1];\nadd.u32 %r5, %r5, 1;\n"
		       "setp.lt.u32 %p1, %r5, %r2;\n@%p1 bra A;\n",
     DC_WAITS_NOT, NULL},
    {"so many rounds at most",
     "mov.u32 %r5, 0;\nA: ld.volatile.global.u32 %r3, [%d1];\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra B;\n"
     "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r2;\n@%p1 bra A;\nB:\n",
     DC_WAITS_NOT, NULL},
    {"a list that is gone through",
     "A: ld.global.u64 %d1, [%d1];\nsetp.ne.u64 %p1, %d1, 0;\n@%p1 bra A;\n", DC_WAITS_NOT, NULL},
    {"a string", "A: ld.global.u8 %r3, [%d1];\nadd.u64 %d1, %d1, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra A;\n",
     DC_WAITS_NOT, NULL},
    {"a clock", "A: mov.u32 %r3, %clock;\nsetp.lt.u32 %p1, %r3, %r2;\n@%p1 bra A;\n", DC_WAITS_NOT, NULL},
    {"a thread of the same CTA",
     "A: ld.volatile.shared.u32 %r3, [S];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra A;\n", DC_WAITS_NOT, NULL},
    {"a loop that writes", "A: ld.volatile.global.u32 %r3, [%d1];\nst.global.u32 [%d1+8], %r3;\n"
			   "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra A;\n",
     DC_WAITS_NOT, NULL},
    {"one that counts up", "A: atom.global.add.u32 %r3, [%d1], 1;\nsetp.lt.u32 %p1, %r3, 50;\n@%p1 bra A;\n",
     DC_WAITS_NOT, NULL},
};

static void loops_that_wait_are_seen(void **state)
{
	const struct dc_options *const options[] = {&dc_options_plain, &dc_options_full};

	(void)state;
	for (uint32_t n = 0; n < 2 * G_N_ELEMENTS(loops); n++) {
		g_autofree char *text = g_strdup_printf(
		    ".version 7.0\n.target sm_70\n.address_size 64\n"
		    ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
		    "\t.reg .pred %%p<3>;\n\t.reg .b32 %%r<8>;\n\t.reg .b64 %%d<2>;\n\t.shared .align 4 .b32 S;\n"
		    "\tld.param.u64 %%d1, [a];\n\tld.param.u32 %%r2, [n];\n\tmov.u32 %%r1, %%tid.x;\n%s"
		    "\tst.global.u32 [%%d1+16], %%r3;\n\tret;\n}\n",
		    loops[n / 2].text);
		struct dc_waits waits;
		struct dc_kernel *k;
		struct dc_rig r;

		dc_rig_open(&r, text, "k");
		k = dc_rig_compile(ptx_module_func(r.ptx, "k"), options[n % 2], &r.diag);
		if (!k)
			fail_msg("%s: %s", loops[n / 2].name, base_diag_join(&r.diag));
		waits = dc_waits_of(k);
		if (waits.what != loops[n / 2].what ||
		    (loops[n / 2].at ? !strstr(waits.at->text, loops[n / 2].at) : waits.at != NULL))
			fail_msg("%s: %u, %s", loops[n / 2].name, waits.what, waits.at ? waits.at->text : "nothing");
		dc_kernel_free(k);
		dc_rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(loops_that_wait_are_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
