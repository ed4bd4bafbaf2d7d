/* test_control.c - generated kernels: random control flow with loops that lanes leave at different rounds, guarded
 * instructions, early returns; and a line of each instruction that is lowered. By both compilers, against the
 * functional simulator. */
#include "rig.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { KERNELS = 60, VALUES = 10 };

/* cmocka cuts long messages. */
static void fail_with(const char *text, const char *why)
{
	fputs(text, stderr);
	fail_msg("%s", why);
}

static void compare(struct dc_rig *r, const char *text, const struct dc_options *o, const uint8_t *before,
		    const uint8_t *want)
{
	struct dc_kernel *k = dc_rig_compile(ptx_module_func(r->ptx, "k"), o, &r->diag);
	char *failed = NULL, *wrong;

	if (!k)
		fail_with(text, base_diag_join(&r->diag));
	wrong = dc_validate(k);
	if (wrong)
		fail_with(text, wrong);
	memcpy(dc_rig_memory(r), before, MEMORY_BYTES);
	if (!interpret(k, r->module, &r->launch, NULL, &failed))
		fail_with(text, failed);
	for (uint32_t n = 0; n < SLICE_BYTES * 2 / 4; n++)
		if (((const uint32_t *)(const void *)want)[n] != ((uint32_t *)(void *)dc_rig_memory(r))[n])
			fail_with(text, g_strdup_printf("%s: word %u is %08x, not %08x",
							o->array_count == 1 ? "plain" : "full", n,
							((uint32_t *)(void *)dc_rig_memory(r))[n],
							((const uint32_t *)(const void *)want)[n]));
	dc_kernel_free(k);
}

static void run(const char *text)
{
	struct dc_rig r;
	g_autofree uint8_t *before = NULL, *want = NULL;
	const struct dc_case c = {.args = "if", .grid = {2, 1, 1}, .block = {96, 1, 1}};
	struct dc_options options[] = {dc_options_plain, dc_options_full, dc_options_full, dc_options_full};

	dc_rig_open(&r, text, "k");
	dc_rig_args(&r, &c);
	before = g_memdup2(dc_rig_memory(&r), MEMORY_BYTES);
	want = dc_rig_wanted(&r, text);
	options[2].schedule = false;
	options[3].isolate = options[3].unroll = options[3].balance = false;
	for (uint32_t n = 0; n < G_N_ELEMENTS(options); n++)
		compare(&r, text, &options[n], before, want);
	dc_rig_close(&r);
}

/* ---- control flow ---- */

struct generator {
	GString *text;
	uint32_t random, labels, preds, budget;
};

static uint32_t draw(struct generator *g, uint32_t below)
{
	g->random = g->random * 1664525u + 1013904223u;
	return (g->random >> 8) % below;
}

static void simple(struct generator *g)
{
	static const char *const ops[] = {"add.u32", "sub.u32", "xor.b32", "mul.lo.u32", "min.s32", "or.b32"};
	const uint32_t d = draw(g, VALUES), a = draw(g, VALUES), b = draw(g, VALUES);

	if (!draw(g, 5)) {
		uint32_t p = g->preds++;

		g_string_append_printf(g->text, "\tsetp.lt.u32 %%p%u, %%r%u, %%r%u;\n", p, a, b);
		g_string_append_printf(g->text, "\t@%s%%p%u add.u32 %%r%u, %%r%u, %u;\n", draw(g, 2) ? "!" : "", p, d,
				       a, draw(g, 100));
		return;
	}
	if (!draw(g, 6)) {
		g_string_append_printf(g->text, "\tst.global.u32 [%%rd2+%u], %%r%u;\n", 4 * draw(g, 3), a);
		g_string_append_printf(g->text, "\tld.global.u32 %%r%u, [%%rd2+%u];\n", d, 4 * draw(g, 3));
		return;
	}
	g_string_append_printf(g->text, "\t%s %%r%u, %%r%u, %%r%u;\n", ops[draw(g, G_N_ELEMENTS(ops))], d, a, b);
}

static void statements(struct generator *g, uint32_t depth, uint32_t break_to);

static void condition(struct generator *g, uint32_t p)
{
	const uint32_t t = VALUES;

	g_string_append_printf(g->text, "\tand.b32 %%r%u, %%r%u, %u;\n", t, draw(g, VALUES), 1 + draw(g, 15));
	g_string_append_printf(g->text, "\tsetp.%s.u32 %%p%u, %%r%u, %u;\n", draw(g, 2) ? "lt" : "ne", p, t,
			       draw(g, 8));
}

static void branch(struct generator *g, uint32_t depth, uint32_t break_to)
{
	const uint32_t p = g->preds++, other = g->labels++, join = g->labels++;

	condition(g, p);
	g_string_append_printf(g->text, "\t@%%p%u bra L%u;\n", p, other);
	statements(g, depth + 1, break_to);
	g_string_append_printf(g->text, "\tbra L%u;\nL%u:\n", join, other);
	if (draw(g, 2))
		statements(g, depth + 1, break_to);
	g_string_append_printf(g->text, "L%u:\n", join);
}

/* At most seven rounds, by a counter of its own; a lane may leave earlier. */
static void loop(struct generator *g, uint32_t depth)
{
	const uint32_t p = g->preds++, begin = g->labels++, end = g->labels++, counter = VALUES + 1 + depth;

	g_string_append_printf(g->text, "\tand.b32 %%r%u, %%r%u, 3;\nL%u:\n", counter, draw(g, VALUES), begin);
	statements(g, depth + 1, end);
	g_string_append_printf(g->text, "\tadd.u32 %%r%u, %%r%u, 1;\n\tsetp.lt.u32 %%p%u, %%r%u, %u;\n", counter,
			       counter, p, counter, 4 + draw(g, 3));
	g_string_append_printf(g->text, "\t@%%p%u bra L%u;\nL%u:\n", p, begin, end);
}

static void statements(struct generator *g, uint32_t depth, uint32_t break_to)
{
	for (uint32_t n = 1 + draw(g, 4); n && g->budget; n--) {
		const uint32_t kind = draw(g, 10), p = g->preds;

		g->budget--;
		if (kind < 2 && depth < 4) {
			branch(g, depth, break_to);
		} else if (kind == 2 && depth < 3) {
			loop(g, depth);
		} else if (kind == 3 && break_to != UINT32_MAX) {
			g->preds++;
			condition(g, p);
			g_string_append_printf(g->text, "\t@%%p%u bra L%u;\n", p, break_to);
		} else if (kind == 4 && depth > 1 && !draw(g, 4)) {
			g->preds++;
			condition(g, p);
			g_string_append_printf(g->text, "\t@%%p%u ret;\n", p);
		} else {
			simple(g);
		}
	}
}

static void begin(GString *text)
{
	g_string_assign(text, ".version 6.0\n.target sm_70\n.address_size 64\n"
			      ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
			      "\t.reg .pred %p<400>;\n\t.reg .b32 %r<40>;\n\t.reg .b64 %rd<20>;\n\t.reg .f32 "
			      "%f<20>;\n\t.reg .b16 %h<4>;\n"
			      "\tld.param.u64 %rd1, [a];\n\tmov.u32 %r30, %tid.x;\n\tmov.u32 %r31, %ctaid.x;\n"
			      "\tmov.u32 %r32, %ntid.x;\n\tmad.lo.u32 %r30, %r31, %r32, %r30;\n"
			      "\tmul.wide.u32 %rd3, %r30, 48;\n\tadd.s64 %rd2, %rd1, %rd3;\n");
	for (uint32_t n = 0; n < VALUES; n++)
		g_string_append_printf(text, "\tld.global.u32 %%r%u, [%%rd2+%u];\n", n, 4 * n);
}

static void end(GString *text)
{
	for (uint32_t n = 0; n < VALUES; n++)
		g_string_append_printf(text, "\tst.global.u32 [%%rd2+%u], %%r%u;\n", 4 * n, n);
	g_string_append(text, "\tret;\n}\n");
}

static void random_control_flow_is_kept(void **state)
{
	struct generator g = {.text = g_string_new(NULL), .random = 7};

	(void)state;
	for (uint32_t n = 0; n < KERNELS; n++) {
		g.labels = g.preds = 0;
		g.budget = 40;
		begin(g.text);
		statements(&g, 0, UINT32_MAX);
		statements(&g, 0, UINT32_MAX);
		end(g.text);
		run(g.text->str);
	}
	g_string_free(g.text, TRUE);
}

/* ---- instructions ---- */

static const char *const lines[] = {
    "popc.b32 %r0, %r1;",
    "clz.b32 %r0, %r1;",
    "bfind.u32 %r0, %r1; bfind.s32 %r2, %r3; bfind.shiftamt.u32 %r4, %r5;",
    "brev.b32 %r0, %r1;",
    "bfe.u32 %r0, %r1, 5, 9; bfe.s32 %r2, %r1, 3, 12; bfe.s32 %r4, %r1, %r2, %r3; bfe.u32 %r5, %r6, %r7, %r8;",
    "bfi.b32 %r0, %r1, %r2, 7, 11; bfi.b32 %r3, %r4, %r5, %r6, %r7;",
    "prmt.b32 %r0, %r1, %r2, 0x3715; prmt.b32 %r3, %r4, %r5, %r6;",
    "shf.l.wrap.b32 %r0, %r1, %r2, 7; shf.r.clamp.b32 %r3, %r4, %r5, %r6; shf.r.wrap.b32 %r7, %r1, %r2, %r8;",
    "lop3.b32 %r0, %r1, %r2, %r3, 0x96; lop3.b32 %r4, %r5, %r6, %r7, 0xca; lop3.b32 %r8, %r1, %r5, %r9, 0x1b;",
    "dp4a.u32.u32 %r0, %r1, %r2, %r3; dp4a.s32.s32 %r4, %r5, %r6, %r7; dp2a.lo.s32.u32 %r8, %r1, %r2, %r3;",
    "add.cc.u32 %r0, %r1, %r2; addc.cc.u32 %r3, %r4, %r5; addc.u32 %r6, %r7, %r8;",
    "sub.cc.u32 %r0, %r1, %r2; subc.cc.u32 %r3, %r4, %r5; subc.u32 %r6, %r7, %r8;",
    "mul.hi.u32 %r0, %r1, %r2; mul.hi.s32 %r3, %r4, %r5; mul24.lo.u32 %r6, %r7, %r8; mad.hi.u32 %r9, %r1, %r2, %r3;",
    "mul.wide.s32 %rd4, %r1, %r2; mul.wide.u32 %rd5, %r3, %r4; mul.hi.u64 %rd6, %rd4, %rd5; mul.hi.s64 %rd7, %rd4, "
    "%rd5; "
    "xor.b64 %rd8, %rd6, %rd7; cvt.u32.u64 %r0, %rd8; shr.u64 %rd8, %rd8, 32; cvt.u32.u64 %r5, %rd8;",
    "mov.b64 %rd4, {%r1, %r2}; shr.u64 %rd5, %rd4, 9; mov.b64 {%r3, %r4}, %rd5;",
    "sad.u32 %r0, %r1, %r2, %r3; sad.s32 %r4, %r5, %r6, %r7; mad.wide.u32 %rd4, %r1, %r2, %rd1; cvt.u32.u64 %r8, %rd4;",
    "mov.b64 %rd4, {%r1, %r2}; popc.b64 %r0, %rd4; clz.b64 %r3, %rd4; bfe.u64 %rd5, %rd4, 20, 30; "
    "cvt.u32.u64 %r4, %rd5; brev.b64 %rd6, %rd4; cvt.u32.u64 %r5, %rd6;",
    "shfl.sync.down.b32 %r0, %r1, 3, 31, 0xffffffff; shfl.sync.bfly.b32 %r2, %r3, 5, 31, 0xffffffff; "
    "shfl.sync.up.b32 %r4|%p1, %r5, 2, 0, 0xffffffff; selp.b32 %r6, 1, %r7, %p1;",
    "setp.lt.u32 %p1, %r1, 500; vote.sync.ballot.b32 %r0, %p1, 0xffffffff; vote.sync.any.pred %p2, %p1, 0xffffffff; "
    "selp.b32 %r2, 7, %r3, %p2;",
    "setp.lt.u32 %p1|%p2, %r1, %r2; and.pred %p3, %p1, %p2; not.pred %p4, %p1; xor.pred %p5, %p3, %p4; "
    "selp.b32 %r0, %r3, %r4, %p5; slct.s32.s32 %r5, %r6, %r7, %r8; set.lt.u32.u32 %r9, %r1, %r2;",
    "div.u32 %r0, %r1, 7; rem.u32 %r2, %r3, 13; div.s32 %r4, %r5, 11; cnot.b32 %r6, %r7; neg.s32 %r8, %r9; abs.s32 "
    "%r3, %r8;",
    "cvt.rn.f32.u32 %f1, %r1; sqrt.rn.f32 %f2, %f1; rcp.rn.f32 %f3, %f2; fma.rn.f32 %f4, %f1, %f2, %f3; "
    "cvt.rzi.u32.f32 %r0, %f4; mov.b32 %r2, %f3; copysign.f32 %f5, %f1, %f4; mov.b32 %r3, %f5;",
    "@%p9 bra END; atom.global.add.u32 %r0, [%rd2+44], %r1; red.global.max.u32 [%rd2+44], %r2; END:",
};

static void lowered_instructions_compute_the_same(void **state)
{
	GString *text = g_string_new(NULL);

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(lines); n++) {
		begin(text);
		g_string_append_printf(text, "\tsetp.ge.u32 %%p9, %%r30, 90;\n\t%s\n", lines[n]);
		end(text);
		run(text->str);
	}
	g_string_free(text, TRUE);
}

/* A function of two parameters that calls another one, from two places. */
static void calls_are_inlined(void **state)
{
	GString *text = g_string_new(NULL);

	(void)state;
	begin(text);
	g_string_insert(
	    text, (gssize)(strstr(text->str, ".visible") - text->str),
	    ".func (.param .b32 out) twice(.param .b32 x)\n{\n\t.reg .b32 %r<4>;\n\t.reg .pred %p<2>;\n"
	    "\tld.param.u32 %r1, [x];\n\tst.param.b32 [out+0], %r1;\n\tsetp.lt.u32 %p1, %r1, 500;\n"
	    "\t@%p1 ret;\n\tadd.u32 %r2, %r1, %r1;\n\tst.param.b32 [out+0], %r2;\n\tret;\n}\n"
	    ".func (.param .b32 out) both(.param .b32 x, .param .b32 y)\n{\n\t.reg .b32 %r<6>;\n"
	    "\tld.param.u32 %r1, [x];\n\tld.param.u32 %r2, [y];\n"
	    "\t{\n\t.param .b32 a;\n\t.param .b32 r;\n\tst.param.b32 [a+0], %r1;\n\tcall (r), twice, (a);\n"
	    "\tld.param.b32 %r3, [r+0];\n\t}\n\tsub.u32 %r4, %r3, %r2;\n\tst.param.b32 [out+0], %r4;\n\tret;\n}\n");
	for (uint32_t n = 0; n < 2; n++)
		g_string_append_printf(
		    text,
		    "\t{\n\t.param .b32 a;\n\t.param .b32 b;\n\t.param .b32 r;\n\tst.param.b32 [a+0], %%r%u;\n"
		    "\tst.param.b32 [b+0], %%r5;\n\tcall.uni (r), both, (a, b);\n"
		    "\tld.param.b32 %%r%u, [r+0];\n\t}\n",
		    n, 7 + n);
	end(text);
	run(text->str);
	g_string_free(text, TRUE);
}

/* A counted loop: four rounds known by the code, and as many as the launch says. */
static void fixed_loops_are_unrolled(void **state)
{
	GString *text = g_string_new(NULL);
	struct dc_rig r;
	struct dc_kernel *k;

	(void)state;
	begin(text);
	g_string_append(
	    text, "\tmov.u32 %r20, 0;\nL1:\n\tadd.u32 %r0, %r0, %r20;\n\tmul.lo.u32 %r1, %r0, 3;\n"
		  "\tadd.u32 %r20, %r20, 1;\n\tsetp.lt.u32 %p1, %r20, 4;\n\t@%p1 bra L1;\n"
		  "\tmov.u32 %r21, 2;\nL2:\n\tsetp.gt.u32 %p2, %r21, 9;\n\t@%p2 bra L3;\n"
		  "\txor.b32 %r2, %r2, %r21;\n\tadd.u32 %r21, %r21, 3;\n\tbra L2;\nL3:\n\tadd.u32 %r3, %r21, 0;\n");
	end(text);
	run(text->str);
	dc_rig_open(&r, text->str, "k");
	k = dc_rig_compile(ptx_module_func(r.ptx, "k"), &dc_options_full, &r.diag);
	assert_non_null(k);
	assert_int_equal(k->counts.unrolled, 2);
	assert_int_equal(k->counts.loops, 0);
	dc_kernel_free(k);
	dc_rig_close(&r);
	g_string_free(text, TRUE);
}

static void a_launch_says_how_long_loops_are(void **state)
{
	GString *text = g_string_new(NULL);
	struct dc_rig r;
	struct dc_options o = dc_options_full;
	struct dc_kernel *k;

	(void)state;
	begin(text);
	g_string_append(text, "\tmov.u32 %r20, 0;\n\tmov.u32 %r21, %nctaid.x;\nL1:\n\tadd.u32 %r0, %r0, %r20;\n"
			      "\tadd.u32 %r20, %r20, 1;\n\tsetp.lt.u32 %p1, %r20, %r21;\n\t@%p1 bra L1;\n");
	end(text);
	run(text->str);
	dc_rig_open(&r, text->str, "k");
	k = dc_rig_compile(ptx_module_func(r.ptx, "k"), &o, &r.diag);
	assert_int_equal(k->counts.unrolled, 0);
	assert_int_equal(k->counts.loops, 1);
	dc_kernel_free(k);
	o.grid[0] = o.grid[1] = o.grid[2] = 5;
	k = dc_rig_compile(ptx_module_func(r.ptx, "k"), &o, &r.diag);
	assert_int_equal(k->counts.unrolled, 1);
	assert_int_equal(k->counts.loops, 0);
	dc_kernel_free(k);
	dc_rig_close(&r);
	g_string_free(text, TRUE);
}

/* ---- more values than registers ---- */

static void add_block(GString *text, struct generator *state, uint32_t from, uint32_t count)
{
	for (uint32_t n = 0; n < 8; n++)
		g_string_append_printf(text, "\t%s %%v%u, %%v%u, %%v%u;\n", n % 3 ? "add.u32" : "xor.b32",
				       draw(state, count / 3), draw(state, count / 3),
				       from + draw(state, count - from));
}

/* `count` values that live across the blocks of a loop: the first third is written in its rounds, the second only read
 * in all blocks, the third only in the round's last one; values that are cheap to compute, from those that change and
 * from those that stay. */
static void crowd(GString *text, uint32_t seed, uint32_t count)
{
	struct generator state = {.random = seed};

	g_string_printf(
	    text, ".version 6.0\n.target sm_70\n.address_size 64\n"
		  ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n\t.reg .pred %%p<4>;\n\t.reg .b32 %%v<64>;\n"
		  "\t.reg .b32 %%t, %%i;\n\t.reg .b64 %%a, %%b, %%o;\n\tld.param.u64 %%a, [in];\n"
		  "\tld.param.u64 %%b, [out];\n\tmov.u32 %%t, %%tid.x;\n\tmul.wide.u32 %%o, %%t, 4;\n"
		  "\tadd.u64 %%a, %%a, %%o;\n\tadd.u64 %%b, %%b, %%o;\n\tmov.u32 %%i, 0;\n");
	for (uint32_t k = 0; k < count; k++)
		switch (draw(&state, 3) + (k < 2)) {
		case 0:
			g_string_append_printf(text, "\tadd.u32 %%v%u, %%v%u, %u;\n", k, draw(&state, k), k);
			break;
		case 1:
			g_string_append_printf(text, "\tshl.b32 %%v%u, %%t, %u;\n", k, k % 7);
			break;
		default:
			g_string_append_printf(text, "\tld.global.u32 %%v%u, [%%a+%u];\n", k, 4 * k);
			break;
		}
	g_string_append(text, "L:\n\tsetp.lt.u32 %p0, %t, 50;\n\t@%p0 bra M;\n");
	add_block(text, &state, count / 3, 2 * count / 3);
	g_string_append(text, "M:\n\tand.b32 %v0, %v0, 0xffffff;\n\t@!%p0 bra N;\n");
	add_block(text, &state, count / 3, 2 * count / 3);
	g_string_append(text, "N:\n");
	add_block(text, &state, 2 * count / 3, count);
	g_string_append(text, "\tadd.u32 %i, %i, 1;\n\tand.b32 %v1, %t, 3;\n\tadd.u32 %v1, %v1, 2;\n"
			      "\tsetp.lt.u32 %p1, %i, %v1;\n\t@%p1 bra L;\n");
	for (uint32_t k = 1; k < 2 * count / 3; k++)
		g_string_append_printf(text, "\txor.b32 %%v0, %%v0, %%v%u;\n", k);
	g_string_append(text, "\tst.global.u32 [%b], %v0;\n\tret;\n}\n");
}

static void values_outnumber_registers(void **state)
{
	GString *text = g_string_new(NULL);

	(void)state;
	for (uint32_t seed = 0; seed < 30; seed++) {
		crowd(text, seed, 12 + seed % 10 * 5);
		run(text->str);
	}
	g_string_free(text, TRUE);
}

/* Loops that are entered in their middle, by a branch and by falling through; one in another one; three entries. */
static void loops_with_several_entries(void **state)
{
	static const char *const bodies[] = {
	    "\tsetp.lt.u32 %p1, %r0, 500;\n\t@%p1 bra B;\nA:\tadd.u32 %r0, %r0, 37;\n\tsetp.gt.u32 %p2, %r0, 900;\n"
	    "\t@%p2 bra Z;\nB:\tadd.u32 %r1, %r1, %r0;\n\tadd.u32 %r0, %r0, 11;\n\tsetp.lt.u32 %p3, %r0, 990;\n"
	    "\t@%p3 bra A;\nZ:\n",
	    "\tsetp.lt.u32 %p1, %r0, 300;\n\t@%p1 bra B;\n\tsetp.lt.u32 %p2, %r0, 600;\n\t@%p2 bra C;\n"
	    "A:\tadd.u32 %r0, %r0, 17;\n\txor.b32 %r2, %r2, %r0;\nB:\tadd.u32 %r1, %r1, %r2;\n"
	    "\tadd.u32 %r0, %r0, 9;\nC:\tsub.u32 %r2, %r2, %r1;\n\tadd.u32 %r0, %r0, 5;\n"
	    "\tsetp.lt.u32 %p3, %r0, 990;\n\t@%p3 bra A;\n",
	    "\tmov.u32 %r3, 0;\nO:\tsetp.lt.u32 %p1, %r0, 500;\n\t@%p1 bra B;\nA:\tadd.u32 %r1, %r1, 3;\n"
	    "B:\tadd.u32 %r0, %r0, 101;\n\tsetp.lt.u32 %p2, %r0, 800;\n\t@%p2 bra A;\n\tsub.u32 %r0, %r0, 300;\n"
	    "\tadd.u32 %r3, %r3, 1;\n\tsetp.lt.u32 %p3, %r3, 4;\n\t@%p3 bra O;\n",
	    /* Rounds that miss one entry: a copy of the other, block after block, would never end. */
	    "\tsetp.lt.u32 %p1, %r0, 500;\n\t@%p1 bra B;\nA:\tadd.u32 %r1, %r1, 3;\n\tadd.u32 %r0, %r0, 7;\n"
	    "B:\tadd.u32 %r0, %r0, 11;\n\tadd.u32 %r1, %r1, %r0;\n\tsetp.gt.u32 %p2, %r0, 990;\n\t@%p2 bra Z;\n"
	    "\tand.b32 %r2, %r0, 2;\n\tsetp.ne.u32 %p3, %r2, 0;\n\t@%p3 bra A;\n\tbra B;\nZ:\n",
	    /* Three blocks, each before each other one, entered at all of them. */
	    "\tsetp.lt.u32 %p1, %r0, 300;\n\t@%p1 bra B;\n\tsetp.lt.u32 %p2, %r0, 600;\n\t@%p2 bra C;\n"
	    "A:\tadd.u32 %r0, %r0, 13;\n\txor.b32 %r1, %r1, %r0;\n\tsetp.gt.u32 %p3, %r0, 990;\n\t@%p3 bra Z;\n"
	    "\tand.b32 %r2, %r0, 1;\n\tsetp.ne.u32 %p1, %r2, 0;\n\t@%p1 bra C;\n"
	    "B:\tadd.u32 %r0, %r0, 17;\n\tadd.u32 %r1, %r1, %r0;\n\tsetp.gt.u32 %p3, %r0, 990;\n\t@%p3 bra Z;\n"
	    "\tand.b32 %r2, %r0, 4;\n\tsetp.ne.u32 %p1, %r2, 0;\n\t@%p1 bra A;\n"
	    "C:\tadd.u32 %r0, %r0, 5;\n\tsub.u32 %r1, %r0, %r1;\n\tsetp.gt.u32 %p3, %r0, 990;\n\t@%p3 bra Z;\n"
	    "\tand.b32 %r2, %r0, 8;\n\tsetp.ne.u32 %p1, %r2, 0;\n\t@%p1 bra A;\n\tbra B;\nZ:\n",
	};

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(bodies); n++) {
		GString *text = g_string_new(NULL);

		begin(text);
		g_string_append(text, bodies[n]);
		end(text);
		run(text->str);
		g_string_free(text, TRUE);
	}
}

/* An indirect branch and a call that some lanes do, the guard either way, in a loop that lanes leave at different
 * rounds; the branch's list names a block twice and one that lies in front of it. */
static void guarded_branches_and_calls(void **state)
{
	static const char *const guards[] = {"%p1", "!%p1"};

	(void)state;
	for (uint32_t n = 0; n < 2; n++) {
		GString *text = g_string_new(NULL);

		begin(text);
		g_string_insert(text, (gssize)(strstr(text->str, ".visible") - text->str),
				".func (.param .b32 out) mix(.param .b32 in)\n{\n\t.reg .pred %q;\n"
				"\t.reg .b32 %x<4>;\n\tld.param.b32 %x1, [in];\n\tmul.lo.u32 %x2, %x1, 7;\n"
				"\tsetp.gt.s32 %q, %x2, 99;\n\t@%q bra OVER;\n\txor.b32 %x2, %x2, 13;\nOVER:\n"
				"\tst.param.b32 [out], %x2;\n\tret;\n}\n");
		g_string_append_printf(
		    text,
		    "\tmov.u32 %%r20, 0;\n\tand.b32 %%r21, %%r30, 7;\n"
		    "BACK:\n\tadd.u32 %%r20, %%r20, 1;\n\tsetp.gt.u32 %%p2, %%r20, %%r21;\n\t@%%p2 bra END;\n"
		    "\txor.b32 %%r22, %%r0, %%r20;\n\tand.b32 %%r22, %%r22, 3;\n\tand.b32 %%r23, %%r1, 4;\n"
		    "\tadd.u32 %%r1, %%r1, %%r20;\n\tsetp.ne.u32 %%p1, %%r23, 0;\n"
		    "\tTARGETS: .branchtargets BACK, ONE, TWO, ONE;\n\t@%s brx.idx %%r22, TARGETS;\n"
		    "\tadd.u32 %%r2, %%r2, 3;\n\tbra TWO;\n"
		    "ONE:\n\tadd.u32 %%r3, %%r3, %%r20;\n"
		    "TWO:\n\t{\n\t.param .b32 p;\n\t.param .b32 q;\n\tst.param.b32 [p], %%r4;\n"
		    "\t@%s call (q), mix, (p);\n\t@%s ld.param.b32 %%r5, [q];\n\t}\n"
		    "\tadd.u32 %%r4, %%r4, %%r5;\n\tbra BACK;\nEND:\n",
		    guards[n], guards[n], guards[n]);
		end(text);
		run(text->str);
		g_string_free(text, TRUE);
	}
}

static void refused(const char *line, const char *why, uint32_t at)
{
	GString *text = g_string_new(NULL);
	g_autofree char *place = at ? g_strdup_printf("test.ptx:%u:", at) : g_strdup("test.ptx:");
	struct base_diag_list diag;
	struct ptx_module *m;

	begin(text);
	g_string_append_printf(text, "\t%s\n", line);
	end(text);
	base_diag_init(&diag);
	m = ptx_module_parse("test.ptx", text->str, text->len, &diag);
	if (!m)
		fail_msg("%s", base_diag_join(&diag));
	assert_null(dc_rig_compile(ptx_module_func(m, "k"), &dc_options_full, &diag));
	g_autofree char *message = base_diag_join(&diag);

	if (!strstr(message, why) || !strstr(message, place))
		fail_msg("%s; expected %s %s", message, place, why);
	ptx_module_free(m);
	base_diag_free(&diag);
	g_string_free(text, TRUE);
}

static void recursion_is_refused(void **state)
{
	static const char *const text =
	    ".version 6.0\n.target sm_70\n.address_size 64\n"
	    ".func again(.param .b32 x)\n{\n\t.param .b32 a;\n\t.reg .b32 %r<4>;\n\tld.param.u32 %r1, [x];\n"
	    "\tst.param.b32 [a+0], %r1;\n\tcall again, (a);\n\tret;\n}\n"
	    ".visible .entry k()\n{\n\t.param .b32 a;\n\tst.param.b32 [a+0], 3;\n\tcall again, (a);\n\tret;\n}\n";
	struct base_diag_list diag;
	struct ptx_module *m;

	(void)state;
	base_diag_init(&diag);
	m = ptx_module_parse("test.ptx", text, strlen(text), &diag);
	assert_non_null(m);
	assert_null(dc_rig_compile(ptx_module_func(m, "k"), &dc_options_full, &diag));
	g_autofree char *message = base_diag_join(&diag);

	assert_non_null(strstr(message, "recursion"));
	assert_non_null(strstr(message, "test.ptx:10:"));
	ptx_module_free(m);
	base_diag_free(&diag);
}

/* begin() has 27 lines. */
static void refusals_name_the_line(void **state)
{
	(void)state;
	refused("mov.u32 %r0, %envreg1;", "a barrier of the whole grid", 28);
	refused("cp.async.wait_all;", "asynchronous copies", 28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_control_flow_is_kept),
	    cmocka_unit_test(lowered_instructions_compute_the_same),
	    cmocka_unit_test(calls_are_inlined),
	    cmocka_unit_test(fixed_loops_are_unrolled),
	    cmocka_unit_test(a_launch_says_how_long_loops_are),
	    cmocka_unit_test(values_outnumber_registers),
	    cmocka_unit_test(loops_with_several_entries),
	    cmocka_unit_test(guarded_branches_and_calls),
	    cmocka_unit_test(refusals_name_the_line),
	    cmocka_unit_test(recursion_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
