/* test_passes.c - every pass of the compiler by itself: what it makes of a kernel computes on the functional simulator
 * what the kernel does, bit for bit; and what no pass may do is found behind the pass that does it. */
#include "rig.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/check.h"

static const char *workload_dir;

/* ---- what passes make, executed ---- */

struct execution {
	struct dc_rig *rig;
	const char *name;
	const uint8_t *before, *want;
	const struct ptx_inst *last; /* instructions of the function that was executed last */
	uint32_t count;
};

static uint32_t place_of(const struct ptx_module *m, const char *name)
{
	for (uint32_t n = 0; n < m->func_count; n++)
		if (!strcmp(m->funcs[n]->name, name) && m->funcs[n]->has_body)
			return n;
	fail_msg("no kernel %s", name);
	return 0;
}

/* The function stands for the kernel in its module. */
static void execute(void *self, const char *pass, const struct dc_kernel *k)
{
	struct execution *x = self;
	struct dc_rig *r = x->rig;
	const uint32_t at = place_of(r->ptx, x->name);
	const struct ptx_func original = *r->ptx->funcs[at];
	const struct simt_program *program = r->launch.program;
	struct simt_program *p;
	uint8_t *got;

	if (k->func->insts == x->last)
		return;
	x->last = k->func->insts;
	*r->ptx->funcs[at] = *k->func;
	p = simt_program_build(r->module, x->name, SIMT_ISA_PORTABLE, NULL, &r->diag);
	if (!p)
		fail_msg("%s after %s: %s", x->name, pass, base_diag_join(&r->diag));
	r->launch.program = p;
	memcpy(dc_rig_memory(r), x->before, MEMORY_BYTES);
	got = dc_rig_wanted(r, x->name);
	if (memcmp(got, x->want, MEMORY_BYTES))
		fail_msg("%s after %s: another result", x->name, pass);
	x->count++;
	g_free(got);
	simt_program_free(p);
	r->launch.program = program;
	*r->ptx->funcs[at] = original;
}

/* Something to do for every pass: a chain of additions; a register that is used again for another value; a loop with
 * two entries, one of fixed length; a call; a sum of floats that a loop carries; more values than registers. */
static const char *const many_text =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".func (.param .b32 out) twice(.param .b32 in)\n{\n\t.reg .b32 %x<3>;\n\tld.param.b32 %x1, [in];\n"
    "\tadd.u32 %x2, %x1, %x1;\n\tst.param.b32 [out], %x2;\n\tret;\n}\n"
    ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
    "\t.reg .pred %p<6>;\n\t.reg .b32 %r<90>;\n\t.reg .b64 %rd<8>;\n\t.reg .f32 %f<8>;\n"
    "\tld.param.u64 %rd1, [a];\n\tld.param.u32 %r1, [n];\n\tmov.u32 %r2, %tid.x;\n\tmul.wide.u32 %rd2, %r2, 256;\n"
    "\tadd.s64 %rd3, %rd1, %rd2;\n"
    /* A chain. */
    "\tadd.u32 %r10, %r2, 3;\n\tadd.u32 %r11, %r10, %r1;\n\tld.global.u32 %r12, [%rd3];\n"
    "\tadd.u32 %r13, %r11, %r12;\n"
    "\tld.global.u32 %r14, [%rd3+4];\n\tadd.u32 %r15, %r13, %r14;\n\tld.global.u32 %r16, [%rd3+8];\n"
    "\tadd.u32 %r17, %r15, %r16;\n\tld.global.u32 %r18, [%rd3+12];\n\tadd.u32 %r19, %r17, %r18;\n"
    "\tst.global.u32 [%rd3], %r19;\n"
    /* A register for two values. */
    "\tmov.u32 %r21, %r12;\n\txor.b32 %r22, %r21, %r2;\n\tst.global.u32 [%rd3+4], %r22;\n"
    "\tadd.u32 %r21, %r14, %r16;\n\tmul.lo.u32 %r22, %r21, 7;\n\tst.global.u32 [%rd3+8], %r22;\n"
    /* A call. */
    "\t{\n\t.param .b32 p;\n\t.param .b32 q;\n\tst.param.b32 [p], %r22;\n\tcall.uni (q), twice, (p);\n"
    "\tld.param.b32 %r23, [q];\n\t}\n\tst.global.u32 [%rd3+12], %r23;\n"
    /* Of fixed length, with a sum that goes on. */
    "\tmov.u32 %r24, 0;\n\tmov.u32 %r25, %r18;\n"
    "FIX:\n\tadd.u32 %r26, %r25, %r24;\n\tmul.lo.u32 %r25, %r26, %r2;\n\tadd.u32 %r24, %r24, 1;\n"
    "\tsetp.lt.u32 %p1, %r24, 5;\n\t@%p1 bra FIX;\n\tst.global.u32 [%rd3+16], %r25;\n"
    /* Two entries. */
    "\tmov.u32 %r30, 0;\n\tand.b32 %r31, %r2, 1;\n\tsetp.eq.u32 %p2, %r31, 0;\n\t@%p2 bra SECOND;\n"
    "FIRST:\n\tadd.u32 %r30, %r30, 3;\n"
    "SECOND:\n\tadd.u32 %r30, %r30, 5;\n\tsetp.lt.u32 %p3, %r30, 60;\n\t@%p3 bra FIRST;\n"
    "\tst.global.u32 [%rd3+20], %r30;\n"
    /* Floats, read by a store in the end. */
    "\tcvt.rn.f32.u32 %f1, %r2;\n\tcvt.rn.f32.u32 %f3, %r1;\n\tmov.f32 %f2, 0f00000000;\n\tmov.u32 %r32, 0;\n"
    "SUM:\n\tadd.f32 %f2, %f2, %f1;\n\tadd.f32 %f2, %f2, %f3;\n\tadd.u32 %r32, %r32, 1;\n"
    "\tsetp.lt.u32 %p4, %r32, %r12;\n\tsetp.lt.and.u32 %p4, %r32, 9, %p4;\n\t@%p4 bra SUM;\n"
    "\tst.global.f32 [%rd3+24], %f2;\n"
    "\tmul.f32 %f4, %f2, %f1;\n\tst.global.f32 [%rd3+28], %f4;\n"
    "%s"
    "\tret;\n}\n";

/* More values than registers across a loop, of them some that are cheap to compute again. */
static char *crowd(void)
{
	GString *s = g_string_new(NULL);

	for (uint32_t n = 40; n < 66; n++)
		if (n % 3)
			g_string_append_printf(s, "\tld.global.u32 %%r%u, [%%rd3+%u];\n", n, n * 3 / 4 * 4);
		else
			g_string_append_printf(s, "\tadd.u32 %%r%u, %%r2, %u;\n", n, n);
	g_string_append(s, "\tmov.u32 %r33, 0;\nLAST:\n\tadd.u32 %r33, %r33, %r14;\n\tadd.u32 %r33, %r33, 1;\n"
			   "\tsetp.lt.u32 %p5, %r33, 20;\n\t@%p5 bra LAST;\n");
	for (uint32_t n = 40; n < 66; n++)
		g_string_append_printf(s, "\tadd.u32 %%r%u, %%r%u, %%r33;\n\tst.global.u32 [%%rd3+%u], %%r%u;\n", n, n,
				       32 + n % 26 * 4, n);
	return g_string_free(s, FALSE);
}

static void open_many(struct dc_rig *r)
{
	g_autofree char *more = crowd(), *text = NULL;
	const char *end = strstr(many_text, "%s");
	uint8_t *memory;

	text = g_strdup_printf("%.*s%s%s", (int)(end - many_text), many_text, more, end + 2);
	dc_rig_open(r, text, "k");
	memory = dc_rig_memory(r);
	for (uint32_t n = 0; n < MEMORY_BYTES; n++)
		memory[n] = (uint8_t)dc_rig_draw(r, 16);
	memcpy(r->params, &r->buffer, sizeof(r->buffer));
	memcpy(r->params + 8, &(uint32_t){11}, 4);
	memcpy(r->launch.grid, (const uint32_t[]){2, 1, 1}, sizeof(r->launch.grid));
	memcpy(r->launch.block, (const uint32_t[]){64, 1, 1}, sizeof(r->launch.block));
}

/* Of addresses in two parts PTX knows nothing: those are left as they are. Counts of the compiler are added to *counts.
 */
static uint32_t execute_all(struct dc_rig *r, const char *name, struct dc_counts *counts)
{
	struct dc_options o = dc_options_full;
	struct execution x = {.rig = r, .name = name};
	const struct dc_watch watch = {&x, execute, NULL};
	g_autofree uint8_t *before = NULL, *want = NULL;
	struct dc_kernel *k;

	x.before = before = g_memdup2(dc_rig_memory(r), MEMORY_BYTES);
	x.want = want = dc_rig_wanted(r, name);
	memcpy(o.block, r->launch.block, sizeof(o.block));
	memcpy(o.grid, r->launch.grid, sizeof(o.grid));
	o.params = r->params;
	o.watch = &watch;
	k = dc_rig_compile(ptx_module_func(r->ptx, name), &o, &r->diag);
	if (!k)
		fail_msg("%s: %s", name, base_diag_join(&r->diag));
	counts->unrolled += k->counts.unrolled;
	counts->split += k->counts.split;
	counts->balanced += k->counts.balanced;
	counts->converted += k->counts.converted;
	dc_kernel_free(k);
	return x.count;
}

static void passes_compute_the_same(void **state)
{
	struct dc_counts counts = {0}, many = {0};
	uint32_t count = 0;
	struct dc_rig r;

	(void)state;
	for (uint32_t n = 0; n < dc_case_count; n++) {
		dc_rig_case(&r, workload_dir, &dc_cases[n]);
		count += execute_all(&r, dc_cases[n].name, &counts);
		dc_rig_close(&r);
	}
	open_many(&r);
	count += execute_all(&r, "k", &many);
	dc_rig_close(&r);
	print_message("%u functions\n", count);
	assert_true(many.unrolled && many.split && many.balanced && many.converted);
}

/* ---- what no pass may do ---- */

static const char *const text =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
    "\t.reg .pred %p<3>;\n\t.reg .b32 %r<8>;\n\t.reg .b64 %rd<4>;\n"
    "\tld.param.u64 %rd1, [a];\n\tld.param.u32 %r1, [n];\n\tmov.u32 %r2, %tid.x;\n\tmul.wide.u32 %rd2, %r2, 4;\n"
    "\tadd.s64 %rd3, %rd1, %rd2;\n\tld.global.u32 %r3, [%rd3];\n\tmov.u32 %r4, 0;\n"
    "LOOP:\n\tadd.u32 %r3, %r3, %r2;\n\tadd.u32 %r4, %r4, 1;\n\tsetp.lt.u32 %p1, %r4, %r1;\n"
    "\tatom.global.add.u32 %r5, [%rd3], %r3;\n\t@%p1 bra LOOP;\n"
    "\tsetp.gt.u32 %p2, %r3, 7;\n\t@%p2 st.global.u32 [%rd3], %r3;\n\tbar.sync 0;\n\tret;\n}\n";

/* A function that a pass could have made, in which the plant may change what it likes. */
struct made {
	struct ptx_func func;
	struct ptx_inst insts[64];
};

static struct ptx_inst *find(struct made *m, enum ptx_op op)
{
	for (uint32_t n = 0; n < m->func.inst_count; n++)
		if (m->insts[n].op == op)
			return &m->insts[n];
	fail_msg("no such instruction");
	return NULL;
}

static void leave_out(struct made *m, struct ptx_inst *i)
{
	i->op = PTX_OP_MOV;
	i->type = PTX_U32;
	i->has_guard = false;
	i->dst = i->src[1];
	i->src[0] = i->src[1];
	i->src_count = 1;
	(void)m;
}

static void lose_store(struct made *m)
{
	leave_out(m, find(m, PTX_OP_ST));
}

static void lose_barrier(struct made *m)
{
	*find(m, PTX_OP_BAR) = *find(m, PTX_OP_SETP);
}

static void double_atomic(struct made *m)
{
	*find(m, PTX_OP_BAR) = *find(m, PTX_OP_ATOM);
}

static void lose_guard(struct made *m)
{
	find(m, PTX_OP_ST)->has_guard = false;
}

static void turn_guard(struct made *m)
{
	find(m, PTX_OP_ST)->guard_negate ^= 1;
}

static void lose_definition(struct made *m)
{
	struct ptx_inst *load = find(m, PTX_OP_ATOM) - 1;

	while (load->op != PTX_OP_LD || load->mods.space != PTX_GLOBAL)
		load--;
	*load = *find(m, PTX_OP_LD);
}

static void read_nothing(struct made *m)
{
	find(m, PTX_OP_ATOM)->src[1].reg = m->func.reg_count;
}

static void guard_by_number(struct made *m)
{
	find(m, PTX_OP_ST)->guard_reg = find(m, PTX_OP_ST)->src[1].reg;
}

static void add_in_half(struct made *m)
{
	struct ptx_inst *i = find(m, PTX_OP_ADD);

	i->type = i->type == PTX_U32 ? PTX_U64 : PTX_U32;
}

static void branch_away(struct made *m)
{
	find(m, PTX_OP_BRA)->src[0].label = m->func.inst_count;
}

static void lose_end(struct made *m)
{
	m->insts[m->func.inst_count - 1] = *find(m, PTX_OP_BRA);
}

static void enter_twice(struct made *m)
{
	struct ptx_inst *i = find(m, PTX_OP_SHL);
	const struct ptx_inst *bra = find(m, PTX_OP_BRA), *add = find(m, PTX_OP_ATOM) - 2;

	*i = *bra;
	i->guard_reg = bra->guard_reg;
	i->src[0].label = (uint32_t)(add - m->insts);
}

static void mistakes_are_found(void **state)
{
	static const struct {
		void (*plant)(struct made *m);
		const char *what;
	} mistakes[] = {
	    {lose_store, "is lost"},
	    {lose_barrier, "is lost"},
	    {double_atomic, "there too often"},
	    {lose_guard, "the effect in line"},
	    {turn_guard, "the effect in line"},
	    {lose_definition, "is read before it is written"},
	    {read_nothing, "register "},
	    {guard_by_number, "a guard that is no predicate"},
	    {add_in_half, "another width than the operation"},
	    {branch_away, "a branch to instruction"},
	    {lose_end, "a function that does not end"},
	    {enter_twice, "a loop with several entries"},
	};
	const uint32_t is = DC_FUNC_IS_WHOLE | DC_FUNC_IS_LOW | DC_FUNC_IS_REDUCIBLE;
	struct dc_rig r;
	struct dc_kernel *k;

	(void)state;
	dc_rig_open(&r, text, "k");
	k = dc_rig_compile(ptx_module_func(r.ptx, "k"), &dc_options_full, &r.diag);
	assert_non_null(k);
	for (uint32_t n = 0; n <= G_N_ELEMENTS(mistakes); n++) {
		struct made m = {.func = *k->func};
		g_autofree char *wrong = NULL;

		assert_true(k->func->inst_count < G_N_ELEMENTS(m.insts));
		memcpy(m.insts, k->func->insts, k->func->inst_count * sizeof(*m.insts));
		m.func.insts = m.insts;
		if (n < G_N_ELEMENTS(mistakes))
			mistakes[n].plant(&m);
		wrong = dc_validate_func(&m.func, is, k->func, is, false);
		if (n == G_N_ELEMENTS(mistakes) ? wrong != NULL : !wrong || !strstr(wrong, mistakes[n].what))
			fail_msg("mistake %u: %s", n, wrong ? wrong : "nothing wrong");
	}
	dc_kernel_free(k);
	dc_rig_close(&r);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(passes_compute_the_same),
	    cmocka_unit_test(mistakes_are_found),
	};

	CHECK(argc == 2);
	workload_dir = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
