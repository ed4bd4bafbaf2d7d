/* test_native.c - kernels as host code against the interpreter: the same memory, counts, faults and output, to the
 * byte.
 *
 *   test_native            generated kernels, faults, limits
 *   test_native SEED COUNT PTX...   so many generated kernels, and the kernels of these files, on buffers of numbers
 *
 * Generated kernels have every form that host code computes itself, guards, branches and loops that part lanes,
 * accesses of several warps to the same words (so that the order of turns shows), atomics, barriers and shuffles.
 */
#include "rig.h"

#include <glib.h>
#include <glib/gstdio.h>

enum { LIMIT = 60000, TEXT_BYTES = 1 << 17 };

static uint64_t state = 1;

static uint32_t below(uint32_t bound)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 33) % bound);
}

/* ---- one launch in both ways ---- */

struct outcome {
	bool is_right;
	enum simt_fault_kind kind;
	char text[2048];
	uint64_t warps, threads, compiled;
	uint32_t words[RIG_OUT_WORDS];
	char printed[RIG_PRINT_BYTES];
};

struct shape {
	uint32_t grid, block, turn, resident;
	uint64_t limit; /* of warp instructions; 0: none */
};

static bool run(const char *ptx, const char *kernel, const struct shape *shape, enum simt_host_code code,
		struct outcome *out)
{
	struct rig *r = g_new0(struct rig, 1);
	const struct simt_limit limit = {.code = code,
					 .turn_instructions = shape->turn,
					 .resident_ctas = shape->resident,
					 .warp_instructions = shape->limit};
	uint64_t params[16];
	bool is_built;

	rig_open(r, ptx);
	r->limit = &limit;
	r->stack_bytes = 1024;
	is_built = rig_build(r, kernel) && r->program->param_bytes <= sizeof(params);
	if (is_built) {
		for (uint32_t i = 0; i < RIG_OUT_WORDS; i++)
			r->words[i] = i % 5 ? i * 2654435761u : i % 64;
		for (uint32_t i = 0; i < 16; i++)
			params[i] = i < 4 ? r->out + i * 1024 : 16 + i;
		out->is_right = rig_run(r, NULL, shape->grid, shape->block, params, 16);
		out->kind = r->launch.fault.kind;
		memcpy(out->text, r->launch.fault.text, sizeof(out->text));
		out->warps = r->warp_instructions;
		out->threads = r->thread_instructions;
		out->compiled = r->launch.compiled_warp_instructions;
		memcpy(out->words, r->words, sizeof(out->words));
		memcpy(out->printed, r->printed, sizeof(out->printed));
		if (code == SIMT_CODE_COMPILED && !out->compiled)
			fail_msg("%s is not compiled: %s", kernel, r->launch.interpreted_why);
	}
	rig_close(r);
	g_free(r);
	return is_built;
}

static void keep(const char *ptx)
{
	const char *file = g_getenv("STRATA_TEST_KEEP");

	if (file)
		g_file_set_contents(file, ptx, -1, NULL);
}

static void same(const char *ptx, const char *kernel, const struct shape *shape, const struct outcome *a,
		 const struct outcome *b)
{
	const bool differs = a->is_right != b->is_right || a->kind != b->kind || strcmp(a->text, b->text) ||
			     a->warps != b->warps || a->threads != b->threads ||
			     memcmp(a->words, b->words, sizeof(a->words)) || strcmp(a->printed, b->printed);

	if (!differs)
		return;
	keep(ptx);
	for (uint32_t i = 0, shown = 0; i < RIG_OUT_WORDS && shown < 8; i++)
		if (a->words[i] != b->words[i] && ++shown)
			print_error("word %u: %08x, compiled %08x\n", i, a->words[i], b->words[i]);
	fail_msg("%s, %u x %u, turns of %u: %d \"%s\" %llu %llu \"%s\", compiled %d \"%s\" %llu %llu \"%s\"", kernel,
		 shape->grid, shape->block, shape->turn, a->is_right, a->text, (unsigned long long)a->warps,
		 (unsigned long long)a->threads, a->printed, b->is_right, b->text, (unsigned long long)b->warps,
		 (unsigned long long)b->threads, b->printed);
}

static uint32_t ran, ended;

/* Compares; false: the kernel cannot run here. */
static bool compare(const char *ptx, const char *kernel, struct shape shape)
{
	struct outcome *a = g_new0(struct outcome, 1), *b = g_new0(struct outcome, 1);
	const uint64_t limit = shape.limit;
	bool is_run;

	shape.limit = limit ? limit : LIMIT;
	is_run = run(ptx, kernel, &shape, SIMT_CODE_INTERPRETED, a);
	if (is_run) {
		ran++;
		ended += a->is_right;
		if (!limit && a->kind != SIMT_FAULT_STOPPED)
			shape.limit = 0;
		run(ptx, kernel, &shape, SIMT_CODE_COMPILED, b);
		same(ptx, kernel, &shape, a, b);
	}
	g_free(a);
	g_free(b);
	return is_run;
}

/* ---- generated kernels ---- */

/* Operands: first the result; r, d, h, f, g, p: a register of 32, 64 or 16 bits, f32, f64, a predicate; q: a predicate
 * that may be negated; i, j: an immediate below 2^31, below 70. */
static const char *const forms[][2] = {
    {"add.s32", "rrr"},         {"add.s32", "rri"},          {"sub.s32", "rrr"},
    {"add.u16", "hhh"},         {"sub.u16", "hhh"},          {"add.s64", "ddd"},
    {"sub.s64", "ddd"},         {"mul.lo.s32", "rrr"},       {"mul.lo.u16", "hhh"},
    {"mul.lo.s64", "ddd"},      {"mul.hi.u32", "rrr"},       {"mul.hi.s32", "rrr"},
    {"mul.hi.u64", "ddd"},      {"mul.hi.s64", "ddd"},       {"mul.hi.s16", "hhh"},
    {"mul.wide.u32", "drr"},    {"mul.wide.s32", "drr"},     {"mul.wide.s16", "rhh"},
    {"mul.wide.u16", "rhh"},    {"mad.lo.s32", "rrrr"},      {"mad.hi.u32", "rrrr"},
    {"mad.wide.s32", "drrd"},   {"mad.wide.u32", "drrd"},    {"mad.lo.s64", "dddd"},
    {"mul24.lo.s32", "rrr"},    {"mad24.hi.u32", "rrrr"},    {"add.sat.s32", "rrr"},
    {"sub.sat.s32", "rrr"},     {"min.s32", "rrr"},          {"max.u32", "rrr"},
    {"min.u64", "ddd"},         {"max.s64", "ddd"},          {"min.s16", "hhh"},
    {"sad.s32", "rrrr"},        {"sad.u16", "hhhh"},         {"abs.s32", "rr"},
    {"neg.s64", "dd"},          {"abs.s16", "hh"},           {"div.u32", "rrr"},
    {"div.s32", "rrr"},         {"rem.u32", "rrr"},          {"rem.s32", "rrr"},
    {"div.s64", "ddd"},         {"rem.u64", "ddd"},          {"div.s16", "hhh"},
    {"and.b32", "rrr"},         {"or.b64", "ddd"},           {"xor.b32", "rrr"},
    {"not.b32", "rr"},          {"not.b64", "dd"},           {"cnot.b32", "rr"},
    {"and.b16", "hhh"},         {"shl.b32", "rrj"},          {"shl.b32", "rrr"},
    {"shl.b64", "ddj"},         {"shr.u32", "rrj"},          {"shr.s32", "rrr"},
    {"shr.u64", "ddr"},         {"shr.s64", "ddj"},          {"shr.s16", "hhj"},
    {"shl.b16", "hhj"},         {"shf.l.wrap.b32", "rrrr"},  {"shf.r.clamp.b32", "rrrr"},
    {"bfe.u32", "rrjj"},        {"bfe.s32", "rrjj"},         {"bfi.b32", "rrrjj"},
    {"bfe.s64", "ddjj"},        {"bfind.u32", "rr"},         {"brev.b32", "rr"},
    {"clz.b32", "rr"},          {"popc.b32", "rr"},          {"popc.b64", "rd"},
    {"prmt.b32", "rrrr"},       {"lop3.b32", "rrrr, 0x96"},  {"lop3.b32", "rrrr, 0xe2"},
    {"dp4a.s32.u32", "rrrr"},   {"mov.u32", "rr"},           {"mov.u32", "ri"},
    {"mov.b64", "dd"},          {"mov.f32", "ff"},           {"selp.b32", "rrrp"},
    {"selp.f64", "gggp"},       {"slct.s32.s32", "rrrr"},    {"slct.s32.f32", "rrrf"},
    {"add.f32", "fff"},         {"add.ftz.f32", "fff"},      {"add.sat.f32", "fff"},
    {"sub.f32", "fff"},         {"mul.f32", "fff"},          {"mul.rz.f32", "fff"},
    {"fma.rn.f32", "ffff"},     {"fma.rn.ftz.f32", "ffff"},  {"div.rn.f32", "fff"},
    {"div.approx.f32", "fff"},  {"rcp.rn.f32", "ff"},        {"sqrt.rn.f32", "ff"},
    {"rsqrt.approx.f32", "ff"}, {"ex2.approx.f32", "ff"},    {"sin.approx.f32", "ff"},
    {"min.f32", "fff"},         {"max.f32", "fff"},          {"min.NaN.f32", "fff"},
    {"abs.f32", "ff"},          {"neg.f32", "ff"},           {"add.f64", "ggg"},
    {"mul.f64", "ggg"},         {"fma.rn.f64", "gggg"},      {"div.rn.f64", "ggg"},
    {"min.f64", "ggg"},         {"abs.f64", "gg"},           {"neg.f64", "gg"},
    {"copysign.f32", "fff"},    {"setp.lt.s32", "prr"},      {"setp.ge.u32", "prr"},
    {"setp.eq.s64", "pdd"},     {"setp.gt.u64", "pdd"},      {"setp.ne.s16", "phh"},
    {"setp.lt.f32", "pff"},     {"setp.neu.f32", "pff"},     {"setp.gtu.ftz.f32", "pff"},
    {"setp.le.f64", "pgg"},     {"setp.num.f32", "pff"},     {"setp.lt.and.s32", "prrq"},
    {"setp.gt.or.f32", "pffq"}, {"setp.eq.xor.u32", "prrq"}, {"set.lt.u32.s32", "rrr"},
    {"set.gt.f32.f32", "fff"},  {"testp.finite.f32", "pf"},  {"testp.normal.f64", "pg"},
    {"and.pred", "ppp"},        {"or.pred", "ppp"},          {"xor.pred", "ppp"},
    {"not.pred", "pp"},         {"mov.pred", "pp"},          {"cvt.u32.u64", "rd"},
    {"cvt.u64.u32", "dr"},      {"cvt.s64.s32", "dr"},       {"cvt.s32.s8", "rr"},
    {"cvt.u16.u32", "hr"},      {"cvt.s32.s16", "rh"},       {"cvt.u8.u32", "rr"},
    {"cvt.sat.s8.s32", "rr"},   {"cvt.sat.u32.s32", "rr"},   {"cvt.rn.f32.s32", "fr"},
    {"cvt.rn.f32.u32", "fr"},   {"cvt.rn.f32.u64", "fd"},    {"cvt.rn.f64.s32", "gr"},
    {"cvt.rzi.s32.f32", "rf"},  {"cvt.rni.u32.f32", "rf"},   {"cvt.rmi.s64.f32", "df"},
    {"cvt.rzi.s32.f64", "rg"},  {"cvt.rn.f32.f64", "fg"},    {"cvt.f64.f32", "gf"},
    {"cvt.rni.f32.f32", "ff"},  {"cvt.rzi.s16.f32", "hf"},   {"cvt.rn.f16.f32", "hf"},
    {"cvt.f32.f16", "fh"},      {"add.f16", "hhh"},          {"add.cc.u32", "rrr"},
    {"addc.u32", "rrr"},        {"mad.lo.cc.u32", "rrrr"},   {"vabsdiff4.u32.u32.u32", "rrrr"},
    {"fns.b32", "rrjj"},        {"szext.clamp.u32", "rrj"},
};

struct text {
	GString *out;
	uint32_t labels, depth;
};

static void operand(struct text *t, char kind)
{
	static const char *const names[] = {"rr12", "dd8", "hh6", "ff8", "gg6", "pp6"};

	switch (kind) {
	case 'i':
		g_string_append_printf(t->out, "%u", below(1u << 31));
		return;
	case 'j':
		g_string_append_printf(t->out, "%u", below(70));
		return;
	case 'q':
		g_string_append_printf(t->out, "%s%%p%u", below(2) ? "!" : "", below(6));
		return;
	default:
		break;
	}
	for (uint32_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (names[i][0] == kind)
			g_string_append_printf(t->out, "%%%c%u", names[i][1], below((uint32_t)atoi(names[i] + 2)));
}

static void form(struct text *t, uint32_t number)
{
	const char *at = forms[number][1];

	if (!below(6))
		g_string_append_printf(t->out, "@%s%%p%u ", below(2) ? "!" : "", below(6));
	g_string_append_printf(t->out, "%s ", forms[number][0]);
	for (; *at && *at != ','; at++) {
		operand(t, *at);
		if (at[1] && at[1] != ',')
			g_string_append(t->out, ", ");
	}
	g_string_append_printf(t->out, "%s;\n", at);
}

/* Words that several warps share, words of the lane's own, and words in shared memory. */
static void access_memory(struct text *t)
{
	static const char *const loads[] = {"ld.global.u32 %%r%u, [%%at%u];\n",
					    "ld.f32 %%f%u, [%%at%u];\n",
					    "ld.global.s8 %%r%u, [%%at%u];\n",
					    "ld.volatile.u16 %%h%u, [%%at%u];\n",
					    "ld.global.v2.u32 {%%r%u, %%r3}, [%%at1+8];\n",
					    "ld.shared.u32 %%r%u, [%%sh%u];\n",
					    "ld.shared.u64 %%d%u, [%%sh1+8];\n",
					    "ld.local.u32 %%r%u, [%%lo%u];\n"};
	static const char *const stores[] = {"st.global.u32 [%%at%u], %%r%u;\n",
					     "st.f32 [%%at%u+4], %%f%u;\n",
					     "st.global.u8 [%%at%u+3], %%r%u;\n",
					     "st.global.v4.f32 [%%at1], {%%f1, %%f0, %%f2, %%f3};\n",
					     "st.shared.u32 [%%sh%u], %%r%u;\n",
					     "st.shared.u16 [%%sh%u+2], %%h%u;\n",
					     "st.local.u32 [%%lo%u], %%r%u;\n",
					     "red.global.add.u32 [%%at%u], %%r%u;\n",
					     "atom.shared.max.u32 %%r5, [%%sh%u], %%r%u;\n",
					     "atom.global.add.u32 %%r4, [%%at%u+12], %%r%u;\n"};
	const uint32_t where = below(2);

	if (!below(4))
		g_string_append_printf(t->out, "@%%p%u ", below(6));
	if (below(2))
		g_string_append_printf(t->out, loads[below(G_N_ELEMENTS(loads))], below(6), where);
	else
		g_string_append_printf(t->out, stores[below(G_N_ELEMENTS(stores))], where, below(6));
}

static void block(struct text *t, uint32_t count);

static void branch(struct text *t)
{
	const uint32_t label = t->labels++, p = below(6);

	t->depth++;
	if (below(3)) {
		g_string_append_printf(t->out, "@%s%%p%u bra $E%u;\n", below(2) ? "!" : "", p, label);
		block(t, 1 + below(8));
		g_string_append_printf(t->out, "bra $F%u;\n$E%u:\n", label, label);
		block(t, below(6));
		g_string_append_printf(t->out, "$F%u:\n", label);
	} else {
		g_string_append_printf(t->out, "and.b32 %%n%u, %%r%u, %u;\n$L%u:\n", t->depth, below(12),
				       below(2) ? 3u : 0u, label);
		block(t, 1 + below(8));
		g_string_append_printf(t->out,
				       "sub.s32 %%n%u, %%n%u, 1;\nsetp.ge.s32 %%p%u, %%n%u, 0;\n@%%p%u bra $L%u;\n",
				       t->depth, t->depth, p, t->depth, p, label);
	}
	t->depth--;
}

static void special(struct text *t)
{
	static const char *const others[] = {
	    "shfl.sync.bfly.b32 %r1, %r2, 5, 31, -1;\n",
	    "vote.sync.ballot.b32 %r3, %p1, -1;\n",
	    "bar.sync 0;\n",
	    "mov.b64 {%r1, %r2}, %d3;\n",
	    "mov.b64 %d1, {%r3, %r4};\n",
	    "mov.b32 %r6, {%h1, %h2};\n",
	    "cvta.to.shared.u64 %d2, %d2;\n",
	    "isspacep.shared %p2, %d1;\n",
	    "mov.u32 %r7, %laneid;\n",
	    "mov.u32 %r8, %clock;\n",
	    "activemask.b32 %r9;\n",
	    "membar.gl;\n",
	    "ld.param.u64 %d3, [a];\n",
	    "redux.sync.add.s32 %r1, %r1, -1;\n",
	};
	const uint32_t number = below(G_N_ELEMENTS(others));

	/* Those that wait for other lanes are where all lanes come. */
	if (t->depth && (strstr(others[number], "sync")))
		return;
	g_string_append(t->out, others[number]);
}

static void block(struct text *t, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t what = below(24);

		if (what < 3)
			access_memory(t);
		else if (what == 3 && t->depth < 3)
			branch(t);
		else if (what == 4)
			special(t);
		else
			form(t, below(G_N_ELEMENTS(forms)));
	}
}

static void fill(struct text *t)
{
	g_string_append(
	    t->out,
	    "ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x; mov.u32 %r0, %ntid.x;\n"
	    "mad.lo.u32 %i, %i, %r0, %t; and.b32 %r1, %i, 63; mul.wide.u32 %d0, %r1, 4; add.u64 %at0, %out, %d0;\n"
	    "and.b32 %r1, %t, 7; mul.wide.u32 %d0, %r1, 32; add.u64 %at1, %out, %d0; mov.u64 %sh0, sh;\n"
	    "mul.wide.u32 %d0, %t, 4; add.u64 %sh0, %sh0, %d0; and.b64 %sh1, %sh0, 64; mov.u64 %lo0, lo;\n"
	    "mov.u64 %lo1, lo; add.u64 %lo1, %lo1, 4; mov.u32 %n0, 0;\n");
	for (uint32_t i = 0; i < 12; i++)
		g_string_append_printf(t->out, "mad.lo.u32 %%r%u, %%i, %u, %u;\n", i, below(1u << 30), below(1u << 30));
	for (uint32_t i = 0; i < 8; i++)
		g_string_append_printf(t->out, "mul.wide.u32 %%d%u, %%r%u, %u; mov.b32 %%f%u, %%r%u;\n", i, i + 1,
				       below(1u << 30), i, i);
	for (uint32_t i = 0; i < 6; i++)
		g_string_append_printf(
		    t->out, "cvt.u16.u32 %%h%u, %%r%u; cvt.rn.f64.s32 %%g%u, %%r%u; setp.lt.s32 %%p%u, %%r%u, %%r%u;\n",
		    i, i + 2, i, i, i, i, below(12));
	g_string_append(t->out, "cvt.rn.f32.s32 %f6, %r6; cvt.rn.f32.s32 %f7, %r7; mov.f32 %f5, 0f7fc00000;\n");
}

/* All registers are folded into the lane's own words, so that each lane of each is seen. */
static void fold(struct text *t)
{
	g_string_append(t->out, "mov.u32 %n1, 0;\nmov.u32 %n2, 0;\n");
	for (uint32_t i = 0; i < 12; i++)
		g_string_append_printf(t->out, "mad.lo.u32 %%n1, %%n1, 31, %%r%u;\n", i);
	for (uint32_t i = 0; i < 8; i++)
		g_string_append_printf(
		    t->out,
		    "mov.b64 {%%n3, %%n4}, %%d%u; mad.lo.u32 %%n2, %%n2, 33, %%n3; xor.b32 %%n1, %%n1, %%n4;\n"
		    "mov.b32 %%n3, %%f%u; mad.lo.u32 %%n1, %%n1, 7, %%n3;\n",
		    i, i);
	for (uint32_t i = 0; i < 6; i++)
		g_string_append_printf(
		    t->out,
		    "cvt.u32.u16 %%n3, %%h%u; mad.lo.u32 %%n2, %%n2, 5, %%n3; mov.b64 {%%n3, %%n4}, %%g%u;\n"
		    "xor.b32 %%n2, %%n2, %%n3; add.u32 %%n1, %%n1, %%n4; selp.u32 %%n3, 1, 0, %%p%u;\n"
		    "mad.lo.u32 %%n2, %%n2, 3, %%n3;\n",
		    i, i, i);
	g_string_append(t->out, "mul.wide.u32 %d0, %i, 8; add.u64 %d0, %d0, %out; st.global.u32 [%d0+4096], %n1;\n"
				"st.global.u32 [%d0+4100], %n2;\nret;\n}\n");
}

static char *generate(uint32_t count)
{
	struct text t = {g_string_new(RIG_HEAD), 0, 0};

	g_string_replace(t.out, "7.0", "8.0", 1);
	g_string_replace(t.out, "sm_70", "sm_90", 1);
	g_string_append(
	    t.out, ".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b)\n{\n"
		   ".reg .pred %p<8>; .reg .b32 %r<16>, %n<8>, %t, %i; .reg .b64 %d<8>, %at<2>, %sh<2>, %lo<2>, %out;\n"
		   ".reg .b16 %h<8>; .reg .f32 %f<8>; .reg .f64 %g<8>;\n"
		   ".shared .align 8 .b8 sh[2048]; .local .align 8 .b8 lo[64];\n");
	fill(&t);
	block(&t, count);
	fold(&t);
	return g_string_free(t.out, FALSE);
}

static void generated(uint32_t count, uint32_t length)
{
	static const struct shape shapes[] = {{3, 64, 16, 0, 0}, {2, 77, 3, 0, 0},    {3, 96, 16, 2, 0},
					      {2, 40, 1, 0, 0},  {2, 96, 16, 0, 700}, {1, 96, 7, 0, 501}};

	ran = ended = 0;
	for (uint32_t n = 0; n < count; n++) {
		g_autofree char *ptx = generate(length);

		for (uint32_t i = 0; i < G_N_ELEMENTS(shapes); i++)
			assert_true(compare(ptx, "k", shapes[i]));
	}
	/* Two shapes of six have a limit; of the others most are to come to their end. */
	assert_true(ended * 2 >= ran);
}

/* Constants that differ by lane, as a source of arithmetic and of a store. */
static void test_lanes(void **unused)
{
	(void)unused;
	assert_true(compare(RIG_KERNEL("mov.u32 %r1, %laneid; mov.u32 %r2, %lanemask_lt; add.u32 %r1, %r1, %r2;\n"
				       "st.global.u32 [%at], %r1; st.global.u32 [%at+512], %laneid;"),
			    "k", (struct shape){2, 48, 16, 0, 0}));
}

static void test_generated(void **unused)
{
	(void)unused;
	generated(3, 150);
}

/* ---- accesses by where their lanes' words lie ---- */

/* Bytes from a lane to the next are %u: in order, in order in each half of the warp, at one place, at one place for
 * each half, elsewhere. */
static const char *const places[] = {
    "mul.lo.u32 %%r1, %%t, %u;\n",
    "and.b32 %%r2, %%t, 15; shr.u32 %%r3, %%t, 4; mul.lo.u32 %%r1, %%r2, %u; mad.lo.u32 %%r1, %%r3, 272, %%r1;\n",
    "shr.u32 %%r1, %%t, 5; mul.lo.u32 %%r1, %%r1, %u;\n",
    "shr.u32 %%r1, %%t, 4; mul.lo.u32 %%r1, %%r1, %u;\n",
    "mul.lo.u32 %%r1, %%t, 7; and.b32 %%r1, %%r1, 31; mul.lo.u32 %%r1, %%r1, %u;\n",
};

static const struct {
	const char *type, *regs;
	uint32_t bytes;
} kinds[] = {
    {"u8", "%r4", 1},
    {"s8", "%r4", 1},
    {"u16", "%r4", 2},
    {"s16", "%r4", 2},
    {"u32", "%r4", 4},
    {"u64", "%rd4", 8},
    {"s32", "%rd4", 4},
    {"u8", "%rd4", 1},
    {"f64", "%fd1", 8},
    {"v2.u8", "{%r4, %r5}", 2},
    {"v2.u64", "{%rd4, %rd5}", 16},
    {"v4.u32", "{%r4, %r5, %r6, %r7}", 16},
};

/* Loads one kind and stores what it has loaded, in memory of a space; `at` is the register with the address. */
static void add_kind(GString *out, uint32_t kind, const char *space, const char *at, uint32_t number)
{
	const char *guard = number % 4 == 3 ? "@%p1 " : "";

	g_string_append_printf(out, "%sld.%s%s %s, [%s+%u];\n", guard, space, kinds[kind].type, kinds[kind].regs, at,
			       number * 16);
	g_string_append(out, "cvt.u32.u64 %r8, %rd4; mad.lo.u32 %r9, %r9, 31, %r4; mad.lo.u32 %r9, %r9, 31, %r8;\n"
			     "add.u32 %r4, %r4, %t; add.u64 %rd4, %rd4, %rd3; mov.b64 {%r10, %r11}, %fd1;\n"
			     "mad.lo.u32 %r9, %r9, 31, %r5; xor.b32 %r9, %r9, %r10; xor.b32 %r9, %r9, %r11;\n");
	g_string_append_printf(out, "%sst.%s%s [%s+%u], %s;\n", guard, space, kinds[kind].type, at, 4096 + number * 16,
			       kinds[kind].regs);
}

static char *accesses(uint32_t place)
{
	GString *body = g_string_new("mov.u32 %r9, 0; mov.u32 %r4, 3; mov.u32 %r5, 5; mov.u32 %r6, 6; mov.u32 %r7, 7;\n"
				     "mov.u64 %rd4, 9; mov.u64 %rd5, 11; mov.f64 %fd1, 0d3ff8000000000000;\n"
				     "cvt.u64.u32 %rd3, %t; setp.ne.u32 %p1, %t, 20; mov.u64 %rd6, sh;\n");
	g_autofree char *with_shared = g_strdup(RIG_KERNEL("$BODY$")), *at = NULL;
	char *text;

	for (uint32_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
		g_string_append_printf(body, places[place], kinds[k].bytes);
		g_string_append(body, "cvt.u64.u32 %rd1, %r1; add.u64 %rd2, %rd1, %out; add.u64 %rd7, %rd1, %rd6;\n"
				      "cvt.u32.u64 %r12, %rd7;\n");
		if ((k + place) % 3 == 0)
			add_kind(body, k, "shared.", k % 2 ? "%rd7" : "%r12", k);
		else
			add_kind(body, k, (k + place) % 3 == 1 ? "global." : "", "%rd2", k);
	}
	/* Where the loaded word takes the address's place. */
	g_string_append(body, "and.b64 %rd1, %rd3, 63; shl.b64 %rd1, %rd1, 3; add.u64 %rd2, %rd1, %out;\n"
			      "@%p1 ld.global.u64 %rd2, [%rd2+64]; cvt.u32.u64 %r4, %rd2; xor.b32 %r9, %r9, %r4;\n"
			      "st.global.u32 [%at+8192], %r9;\n");
	at = strstr(with_shared, "$BODY$");
	*at = '\0';
	text = g_strconcat(with_shared, ".shared .align 16 .b8 sh[8192];\n", body->str, at + strlen("$BODY$"), NULL);
	at = NULL;
	g_string_free(body, TRUE);
	return text;
}

static void test_places(void **unused)
{
	(void)unused;
	for (uint32_t i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *ptx = accesses(i);

		ran = ended = 0;
		assert_true(compare(ptx, "k", (struct shape){2, 96, 16, 0, 0}));
		assert_true(compare(ptx, "k", (struct shape){2, 77, 5, 2, 0}));
		assert_int_equal(ended, 2);
	}
}

/* ---- faults ---- */

static void test_faults(void **unused)
{
	static const struct {
		const char *body;
		enum simt_fault_kind kind;
	} faults[] = {
	    /* The second warp faults in its second turn; the others are ahead by a run of arithmetic. */
	    {"mul.lo.u32 %r1, %t, 65536; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %at;\n"
	     "add.u32 %r2, %r1, 1; mul.lo.u32 %r2, %r2, %r2; xor.b32 %r2, %r2, %t; add.u32 %r2, %r2, %r1;\n"
	     "setp.lt.u32 %p1, %t, 32; @%p1 bra $S; add.u32 %r2, %r2, 7; add.u32 %r3, %r2, 7;\n"
	     "st.global.u32 [%rd1], %r3;\n$S:\nadd.u32 %r2, %r2, 7; st.global.u32 [%at], %r2;",
	     SIMT_FAULT_ADDRESS},
	    {"add.u64 %rd1, %at, 2; setp.eq.u32 %p1, %t, 41; ld.global.u32 %r1, [%at]; st.global.u32 [%at], %r1;\n"
	     "@%p1 ld.global.u32 %r1, [%rd1];",
	     SIMT_FAULT_ALIGNMENT},
	    {"mov.u32 %r1, %t; shl.b32 %r1, %r1, 8; ld.shared.u32 %r2, [%r1];", SIMT_FAULT_ADDRESS},
	    {"setp.gt.u32 %p1, %t, 50; add.u32 %r1, %t, 1; @%p1 trap; st.global.u32 [%at], %r1;", SIMT_FAULT_TRAP},
	    {"setp.gt.u32 %p1, %t, 31; @%p1 bar.sync 1, 128; add.u32 %r1, %t, 1; bar.sync 0;", SIMT_FAULT_BARRIER},
	    {"mov.u64 %rd1, 0; ld.u32 %r1, [%rd1];", SIMT_FAULT_ADDRESS},
	    /* Lanes in order, of which the upper half is outside; not aligned; at one place outside. The first access
	     * is inside, so that the instruction has hit the allocation when it comes there. */
	    {"mov.u32 %r2, 0; mul.lo.u32 %r1, %t, 4; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %out;\n"
	     "$L: ld.global.u32 %r3, [%rd1]; add.u64 %rd1, %rd1, 16320; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 2;\n"
	     "@%p1 bra $L;",
	     SIMT_FAULT_ADDRESS},
	    {"mov.u32 %r2, 0; mul.lo.u32 %r1, %t, 8; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %out;\n"
	     "$L: st.global.v2.u32 [%rd1], {%r1, %t}; add.u64 %rd1, %rd1, 16256; add.u32 %r2, %r2, 1;\n"
	     "setp.lt.u32 %p1, %r2, 2; @%p1 bra $L;",
	     SIMT_FAULT_ADDRESS},
	    {"mov.u32 %r2, 0; mul.lo.u32 %r1, %t, 4; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %out;\n"
	     "$L: st.global.u32 [%rd1], %t; add.u64 %rd1, %rd1, 2; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 2;\n"
	     "@%p1 bra $L;",
	     SIMT_FAULT_ALIGNMENT},
	    {"mov.u32 %r2, 0; mov.u64 %rd1, %out;\n"
	     "$L: ld.global.u32 %r3, [%rd1]; add.u64 %rd1, %rd1, 1073741824; add.u32 %r2, %r2, 1;\n"
	     "setp.lt.u32 %p1, %r2, 2; @%p1 bra $L;",
	     SIMT_FAULT_ADDRESS},
	    {"setp.ne.u32 %p2, %t, 3; mov.u32 %r2, 0; mul.lo.u32 %r1, %t, 4; cvt.u64.u32 %rd1, %r1;\n"
	     "add.u64 %rd1, %rd1, %out;\n"
	     "$L: @%p2 ld.global.u32 %r3, [%rd1]; add.u64 %rd1, %rd1, 16320; add.u32 %r2, %r2, 1;\n"
	     "setp.lt.u32 %p1, %r2, 2; @%p1 bra $L;",
	     SIMT_FAULT_ADDRESS},
	    /* Addresses of 32 bits that begin below 2^32 and go on at 0. */
	    {".shared .align 8 .b8 sh[1024]; mov.u32 %r2, sh; mad.lo.u32 %r1, %t, 4, %r2; sub.u32 %r1, %r1, 64;\n"
	     "sub.u32 %r1, %r1, %r2; ld.shared.u32 %r3, [%r1]; st.global.u32 [%at], %r3;",
	     SIMT_FAULT_ADDRESS},
	    {"$L: add.u32 %r1, %r1, 3; xor.b32 %r2, %r1, %t; bra $L;", SIMT_FAULT_STOPPED},
	};

	(void)unused;
	for (uint32_t i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *head = g_strdup(RIG_KERNEL("$BODY$")), *at = strstr(head, "$BODY$"), *ptx = NULL;
		struct outcome *a = g_new0(struct outcome, 1);
		const struct shape shape = {2, 96, 16, 0, LIMIT};

		*at = '\0';
		ptx = g_strconcat(head, faults[i].body, at + strlen("$BODY$"), NULL);
		at = NULL;
		assert_true(run(ptx, "k", &shape, SIMT_CODE_INTERPRETED, a));
		assert_int_equal(a->kind, faults[i].kind);
		assert_true(compare(ptx, "k", (struct shape){2, 96, 16, 0, 0}));
		g_free(a);
	}
}

/* ---- what is kept ---- */

static uint32_t kept_count(const char *folder, bool damages)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;
	uint32_t count = 0;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		count++;
		if (damages)
			assert_true(g_file_set_contents(path, "no library", -1, NULL));
	}
	if (dir)
		g_dir_close(dir);
	return count;
}

static void empty(const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_remove(path);
	}
	if (dir)
		g_dir_close(dir);
}

/* Code is kept once, a damaged file is made anew, and where nothing can be kept or compiled the result is the same. */
static void test_kept(void **unused)
{
	static const char ptx[] = RIG_KERNEL("add.u32 %r1, %i, 5; st.global.u32 [%at], %r1;");
	g_autofree char *folder = g_build_filename(g_get_user_cache_dir(), "strata", "kernels", NULL);
	g_autofree char *path = g_strdup(g_getenv("PATH"));
	struct outcome *a = g_new0(struct outcome, 1);
	const struct shape shape = {2, 64, 16, 0, 0};
	struct rig *r = g_new0(struct rig, 1);
	const struct simt_limit limit = {.code = SIMT_CODE_COMPILED};

	(void)unused;
	empty(folder);
	for (uint32_t i = 0; i < 3; i++) {
		run(ptx, "k", &shape, SIMT_CODE_COMPILED, a);
		assert_int_equal(kept_count(folder, i == 1), 1);
		assert_int_equal(a->words[1], 6);
	}
	g_setenv("PATH", "/nonexistent", true);
	rig_open(r, ptx);
	r->limit = &limit;
	assert_true(rig_run(r, "k", 1, 64, &r->out, 1));
	assert_string_equal(r->launch.interpreted_why, "there is no C compiler: clang-16, clang, gcc or cc");
	assert_int_equal(r->launch.compiled_warp_instructions, 0);
	assert_int_equal(r->words[1], 6);
	rig_close(r);
	g_setenv("PATH", path, true);
	empty(folder);
	g_free(r);
	g_free(a);
}

/* ---- files ---- */

static void file(const char *path)
{
	g_autofree char *text = NULL;
	struct ptx_module *m;
	struct base_diag_list diag;

	assert_true(g_file_get_contents(path, &text, NULL, NULL));
	base_diag_init(&diag);
	m = ptx_module_parse(path, text, strlen(text), &diag);
	for (uint32_t i = 0; m && i < m->func_count; i++)
		if (m->funcs[i]->is_entry && m->funcs[i]->has_body)
			compare(text, m->funcs[i]->name, (struct shape){2, 96, 16, 0, 0});
	ptx_module_free(m);
	base_diag_free(&diag);
}

static char **files;

static void test_files(void **unused)
{
	(void)unused;
	for (char **at = files; *at; at++)
		file(*at);
}

static uint32_t many;

static void test_many(void **unused)
{
	(void)unused;
	generated(many, 400);
}

/* Code is kept in a folder of this run's own. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_generated), cmocka_unit_test(test_lanes),
					   cmocka_unit_test(test_places), cmocka_unit_test(test_faults),
					   cmocka_unit_test(test_kept)};
	const struct CMUnitTest long_tests[] = {cmocka_unit_test(test_many), cmocka_unit_test(test_files)};
	g_autofree char *cache = g_dir_make_tmp("strata-native-XXXXXX", NULL),
			*inner = g_build_filename(cache, "strata", NULL);
	g_autofree char *folder = g_build_filename(inner, "kernels", NULL);
	int status;

	g_setenv("XDG_CACHE_HOME", cache, true);
	if (argc > 2) {
		state = strtoull(argv[1], NULL, 10);
		many = (uint32_t)strtoul(argv[2], NULL, 10);
		files = argv + 3;
	}
	status = argc > 2 ? cmocka_run_group_tests(long_tests, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
	empty(folder);
	g_rmdir(folder);
	g_rmdir(inner);
	g_rmdir(cache);
	return status;
}
