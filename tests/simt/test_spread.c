/* test_spread.c - launches without timing by several threads: the same memory, counts and faults for every number of
 * them, in host code and interpreted; and which launches are spread, since one that must not be is right by chance.
 */
#include "rig.h"

#include <glib.h>
#include <glib/gstdio.h>

#include "sim/team.h"

/* %r40 is the number of the thread in its row, %rd40 its word, %rd60 the one 8192 bytes behind. Each register is
 * written by one instruction, as compilers write code. */
#define KERNEL(body)                                                                                   \
	RIG_KERNEL("mov.u32 %r41, %ctaid.x; mov.u32 %r42, %ntid.x; mad.lo.u32 %r40, %r41, %r42, %t;\n" \
		   "mul.wide.u32 %rd41, %r40, 4; add.u64 %rd40, %out, %rd41; add.u64 %rd60, %rd40, 8192;\n" body)
/* What follows is done by threads below 2000. */
#define BOUND "setp.ge.u32 %p1, %r40, 2000; @%p1 bra $END;\n"

enum spread {
	NO, /* its CTAs may tell */
	YES,
	BACK, /* something happened, and one thread has done it again */
};

static const struct {
	const char *name, *body;
	uint32_t grid, block, grid_y, block_y;
	enum spread is;
} kernels[] = {
    {"what each thread stores is its own",
     BOUND "ld.global.u32 %r1, [%rd40]; add.u32 %r1, %r1, %r40; st.global.u32 [%rd60], %r1;\n$END:", 64, 32, 1, 1, YES},
    {"each reads what it stores",
     "ld.global.u32 %r1, [%rd40]; mad.lo.u32 %r1, %r1, 3, %r40; st.global.u32 [%rd40], %r1;", 64, 32, 1, 1, YES},
    {"vectors of bytes",
     "mul.wide.u32 %rd1, %r40, 2; add.u64 %rd2, %rd1, %out; cvt.u16.u32 %h1, %t;\n"
     "st.global.v2.u8 [%rd2+8192], {%h1, %h1};",
     64, 32, 1, 1, YES},
    {"rows and columns",
     "mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ntid.y; mov.u32 %r3, %tid.y; mad.lo.u32 %r5, %r1, %r2, %r3;\n"
     "mad.lo.u32 %r6, %r5, 64, %r40; mul.wide.u32 %rd1, %r6, 4; add.u64 %rd2, %rd1, %out;\n"
     "ld.global.u32 %r4, [%rd2]; add.u32 %r7, %r4, %r6; st.global.u32 [%rd2+8192], %r7;",
     8, 8, 8, 4, YES},
    {"rows that are too narrow for their columns",
     "mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ntid.y; mov.u32 %r3, %tid.y; mad.lo.u32 %r5, %r1, %r2, %r3;\n"
     "mad.lo.u32 %r6, %r5, 60, %r40; mul.wide.u32 %rd1, %r6, 4; add.u64 %rd2, %rd1, %out;\n"
     "st.global.u32 [%rd2+8192], %r3;",
     8, 8, 8, 4, NO},
    {"a loop over what is only read",
     "mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u64 %rd1, %out;\n$L: ld.global.u32 %r1, [%rd1]; add.u32 %r3, %r3, %r1;\n"
     "add.u64 %rd1, %rd1, 8; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 50; @%p1 bra $L;\n"
     "add.u32 %r3, %r3, %r40; st.global.u32 [%rd60], %r3;",
     64, 32, 1, 1, YES},
    {"a loop that comes to what others store",
     "mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u64 %rd1, %out;\n$L: ld.global.u32 %r1, [%rd1]; add.u32 %r3, %r3, %r1;\n"
     "add.u64 %rd1, %rd1, 400; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 30; @%p1 bra $L;\n"
     "ld.global.u32 %r1, [%rd60]; add.u32 %r3, %r3, %r1; st.global.u32 [%rd60], %r3;",
     64, 32, 1, 1, BACK},
    {"a table that points to what others store",
     "ld.global.u32 %r1, [%rd40]; and.b32 %r1, %r1, 2047; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %out;\n"
     "ld.global.u32 %r2, [%rd1+8192]; add.u32 %r2, %r2, 1; st.global.u32 [%rd60], %r2;",
     64, 32, 1, 1, BACK},
    {"a neighbour's word, which it stores",
     "ld.global.u32 %r1, [%rd40]; add.u32 %r1, %r1, 1; st.global.u32 [%rd40+4], %r1;", 64, 32, 1, 1, NO},
    {"one word that all store", "st.global.u32 [%out], %r40;", 64, 32, 1, 1, NO},
    {"words that CTAs have in common",
     "mad.lo.u32 %r1, %r41, 32, %t; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd1, %out;\n"
     "ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r2, %r40; st.global.u32 [%rd2], %r3;",
     40, 64, 1, 1, NO},
    {"an atomic", "red.global.add.u32 [%rd40], 1;", 64, 32, 1, 1, NO},
    {"a place that comes from memory",
     "ld.global.u32 %r1, [%rd40]; and.b32 %r1, %r1, 2047; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %out;\n"
     "st.global.u32 [%rd1+8192], %r40;",
     64, 32, 1, 1, NO},
    {"a number that wraps",
     "mul.lo.u32 %r1, %r41, 134217728; add.u32 %r2, %r1, %t; shl.b32 %r3, %r2, 5; mul.wide.u32 %rd1, %r3, 1;\n"
     "add.u64 %rd2, %rd1, %out; st.global.u32 [%rd2], %r40;",
     64, 32, 1, 1, NO},
    {"a product of 16 bits",
     "cvt.u16.u32 %h1, %r41; mul.wide.u16 %r1, %h1, 4096; cvt.u16.u32 %h2, %r1; cvt.u32.u16 %r2, %h2;\n"
     "shr.u32 %r3, %r2, 4; mul.wide.u32 %rd1, %r3, 1; add.u64 %rd2, %rd1, %out; st.global.u32 [%rd2], %r40;",
     64, 32, 1, 1, NO},
    {"a register that nothing has written",
     "setp.eq.u32 %p1, %t, 77; @%p1 bra $W; bra $S;\n$W: mov.u32 %r9, %r40;\n"
     "$S: mul.wide.u32 %rd1, %r9, 4; add.u64 %rd2, %rd1, %out; st.global.u32 [%rd2], %r40;",
     64, 32, 1, 1, NO},
    {"a clock", "mov.u32 %r1, %clock; st.global.u32 [%rd60], %r1;", 64, 32, 1, 1, NO},
    {"shared memory and a barrier",
     ".shared .b32 sh[32]; mov.u64 %rd1, sh; mul.wide.u32 %rd2, %t, 4; add.u64 %rd1, %rd1, %rd2;\n"
     "st.shared.u32 [%rd1], %r40; bar.sync 0; mov.u64 %rd3, sh; ld.shared.u32 %r1, [%rd3+16];\n"
     "red.shared.add.u32 [%rd3], %r1; bar.sync 0; ld.shared.u32 %r1, [%rd3]; st.global.u32 [%rd60], %r1;",
     64, 32, 1, 1, YES},
    {"a fault where a watched load goes",
     "shr.u32 %r1, %r40, 10; mul.wide.u32 %rd1, %r1, 65536; add.u64 %rd4, %rd1, %out; ld.global.u32 %r2, [%rd4];\n"
     "mul.wide.u32 %rd2, %r40, 4; add.u64 %rd3, %rd2, %out; st.global.u32 [%rd3], %r2;",
     64, 32, 1, 1, BACK},
    /* The first CTA that faults is the one, and what those before it have done is counted. */
    {"a store beyond the end", "mul.wide.u32 %rd1, %r40, 16; add.u64 %rd2, %rd1, %out; st.global.u32 [%rd2], %r40;", 64,
     32, 1, 1, YES},
    {"a fault behind a loop",
     "mov.u32 %r2, 0;\n$L: ld.global.u32 %r1, [%rd40]; add.u32 %r1, %r1, 7; st.global.u32 [%rd40], %r1;\n"
     "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra $L;\n"
     "mad.lo.u32 %r6, %r40, 4, %r2; mul.wide.u32 %rd1, %r6, 4; add.u64 %rd2, %rd1, %out;\n"
     "ld.global.u32 %r5, [%rd2+8180]; st.global.u32 [%rd40], %r5;",
     64, 32, 1, 1, BACK},
};

struct outcome {
	bool is_right, is_spread;
	struct simt_fault fault;
	uint64_t warps, threads, compiled;
	uint32_t words[RIG_OUT_WORDS];
};

static void run(uint32_t k, enum simt_host_code code, struct sim_team *team, struct outcome *out)
{
	g_autofree char *ptx = g_strdup(KERNEL("$BODY$")), *text = NULL;
	char *at = strstr(ptx, "$BODY$");
	const struct simt_limit limit = {.code = code, .team = team, .team_items = 64};
	struct rig *r = g_new0(struct rig, 1);

	*at = '\0';
	text = g_strconcat(ptx, kernels[k].body, at + strlen("$BODY$"), NULL);
	rig_open(r, text);
	r->limit = &limit;
	r->grid_y = kernels[k].grid_y;
	r->block_y = kernels[k].block_y;
	for (uint32_t i = 0; i < RIG_OUT_WORDS; i++)
		r->words[i] = i * 2654435761u;
	out->is_right = rig_run(r, "k", kernels[k].grid, kernels[k].block, &r->out, 1);
	out->is_spread = r->launch.is_spread;
	out->fault = r->launch.fault;
	out->warps = r->warp_instructions;
	out->threads = r->thread_instructions;
	out->compiled = r->launch.compiled_warp_instructions;
	memcpy(out->words, r->words, sizeof(out->words));
	rig_close(r);
	g_free(r);
}

static void compare(uint32_t k, enum simt_host_code code, uint32_t threads)
{
	struct sim_team *team = sim_team_new(threads, 64);
	struct outcome *a = g_new0(struct outcome, 1), *b = g_new0(struct outcome, 1);

	assert_non_null(team);
	run(k, code, NULL, a);
	run(k, code, team, b);
	assert_false(a->is_spread);
	if (b->is_spread != (kernels[k].is == YES))
		fail_msg("%s: spread %d", kernels[k].name, b->is_spread);
	/* After a fault memory is nobody's. */
	if (a->is_right != b->is_right || a->fault.kind != b->fault.kind || strcmp(a->fault.text, b->fault.text) ||
	    a->warps != b->warps || a->threads != b->threads || a->compiled != b->compiled ||
	    (a->is_right && memcmp(a->words, b->words, sizeof(a->words))))
		fail_msg("%s, %u threads: \"%s\" %llu %llu, spread \"%s\" %llu %llu", kernels[k].name, threads,
			 a->fault.text, (unsigned long long)a->warps, (unsigned long long)a->threads, b->fault.text,
			 (unsigned long long)b->warps, (unsigned long long)b->threads);
	sim_team_free(team);
	g_free(a);
	g_free(b);
}

static void test_interpreted(void **unused)
{
	(void)unused;
	for (uint32_t k = 0; k < G_N_ELEMENTS(kernels); k++)
		for (uint32_t threads = 2; threads <= 4; threads++)
			compare(k, SIMT_CODE_INTERPRETED, threads);
}

static void test_compiled(void **unused)
{
	(void)unused;
	for (uint32_t k = 0; k < G_N_ELEMENTS(kernels); k++)
		if (kernels[k].is != NO)
			compare(k, SIMT_CODE_COMPILED, 3);
}

/* It is interpreted by one thread until it is known whether it gets host code: it never does. */
static void test_auto(void **unused)
{
	struct outcome *a = g_new0(struct outcome, 1);
	struct sim_team *team = sim_team_new(2, 64);

	(void)unused;
	run(0, SIMT_CODE_AUTO, team, a);
	assert_true(a->is_right);
	assert_false(a->is_spread);
	sim_team_free(team);
	g_free(a);
}

/* Code is kept in a folder of this run's own. */
int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_interpreted), cmocka_unit_test(test_compiled),
					   cmocka_unit_test(test_auto)};
	g_autofree char *cache = g_dir_make_tmp("strata-spread-XXXXXX", NULL), *remove = NULL;
	int status;

	g_setenv("XDG_CACHE_HOME", cache, true);
	status = cmocka_run_group_tests(tests, NULL, NULL);
	remove = g_strdup_printf("rm -r '%s'", cache);
	return system(remove) || status;
}
