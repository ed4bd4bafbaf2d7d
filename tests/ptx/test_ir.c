/* test_ir.c - what the parser makes of single forms: values, layouts, addresses, names, unsupported instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

static struct ptx_module *parse(const char *text)
{
	return fixture_parse("test", text, strlen(text));
}

static uint64_t element(const struct ptx_module *m, const char *name, uint64_t k)
{
	const struct ptx_var *v = ptx_module_var(m, name);
	uint64_t bits = 0;

	assert_non_null(v);
	assert_non_null(v->init);
	memcpy(&bits, v->init + k * ptx_type_bytes(v->type), ptx_type_bytes(v->type));
	return bits;
}

static void constants_take_the_type_of_their_place(void **state)
{
	struct ptx_module *m = fixture_kernel(
	    "add.s32 %r1, %r2, -1; mov.f32 %f1, 1.5; mov.f64 %e1, 0f3F800000;\n"
	    "mov.b32 %r1, 0f3F800000; add.f32 %f1, %f2, 0d3FF0000000000000;\n"
	    "mov.u64 %d1, (.s64)-1 >> 60; mov.u32 %r1, 5 > 3 ? 7 * 2 : WARP_SZ / 2; mov.u16 %h1, 0x12345;");
	const struct ptx_inst *i = m->funcs[0]->insts;

	(void)state;
	assert_int_equal(i[0].src[1].imm, 0xFFFFFFFF);
	assert_int_equal(i[1].src[0].imm, 0x3FC00000);
	assert_true(i[2].src[0].imm == 0x3FF0000000000000);
	assert_int_equal(i[3].src[0].imm, 0x3F800000);
	assert_int_equal(i[4].src[1].imm, 0x3F800000);
	assert_true(i[5].src[0].imm == UINT64_MAX);
	assert_int_equal(i[6].src[0].imm, 14);
	assert_int_equal(i[7].src[0].imm, 0x2345);
	ptx_module_free(m);
}

static void parameters_are_laid_out_by_alignment(void **state)
{
	struct ptx_module *m =
	    parse(HEADER ".entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .u16 c,\n"
			 ".param .align 16 .b8 d[20], .param .u32 e) { ret; }");
	const struct ptx_func *f = ptx_module_func(m, "k");

	(void)state;
	assert_int_equal(f->params[1].offset_bytes, 8);
	assert_true(f->params[1].is_ptr && f->params[1].ptr_space == PTX_GLOBAL && f->params[1].ptr_align_bytes == 16);
	assert_int_equal(f->params[2].offset_bytes, 16);
	assert_int_equal(f->params[3].offset_bytes, 32);
	assert_int_equal(f->params[4].offset_bytes, 52);
	assert_int_equal(f->param_bytes, 56);
	ptx_module_free(m);
}

static void initial_values_hold_numbers_and_addresses(void **state)
{
	struct ptx_module *m =
	    parse(HEADER ".func f() { ret; }\n.global .u32 x = 5;\n.global .f32 y[4] = {1, 0f40000000, -.5};\n"
			 ".global .u64 p[3] = {x+4, generic(x)+8, f};\n.global .u8 b[2] = {0xFF(x), 0xFF00(x)};\n"
			 ".const .s16 n[2][2] = {{1, -1}, {3}};\n.global .u32 open[] = {1, 2, 3};");
	const struct ptx_var *p = ptx_module_var(m, "p"), *b = ptx_module_var(m, "b");

	(void)state;
	assert_int_equal(element(m, "x", 0), 5);
	assert_int_equal(element(m, "y", 0), 0x3F800000);
	assert_int_equal(element(m, "y", 2), 0xBF000000);
	assert_int_equal(element(m, "y", 3), 0);
	assert_int_equal(p->reloc_count, 3);
	assert_true(p->relocs[0].addend == 4 && !p->relocs[0].is_generic && p->relocs[0].var == ptx_module_var(m, "x"));
	assert_true(p->relocs[1].addend == 8 && p->relocs[1].is_generic && p->relocs[1].at_bytes == 8);
	assert_ptr_equal(p->relocs[2].func, ptx_module_func(m, "f"));
	assert_int_equal(b->relocs[1].mask_shift, 8);
	assert_int_equal(element(m, "n", 1), 0xFFFF);
	assert_int_equal(element(m, "n", 2), 3);
	assert_int_equal(ptx_module_var(m, "open")->size_bytes, 12);
	ptx_module_free(m);
}

static void a_variable_without_values_has_no_image(void **state)
{
	struct ptx_module *m = parse(HEADER ".global .b8 big[17179869184];\n.extern .shared .align 16 .b8 dynamic[];");

	(void)state;
	assert_null(ptx_module_var(m, "big")->init);
	assert_true(ptx_module_var(m, "big")->size_bytes == 17179869184);
	assert_true(ptx_module_var(m, "dynamic")->is_unsized);
	ptx_module_free(m);
}

static void names_in_blocks_hide_those_outside(void **state)
{
	struct ptx_module *m = fixture_kernel(
	    ".reg .u32 %x; mov.u32 %x, 1; { .reg .u64 %x; mov.u64 %x, 2; @%p1 bra OUT; } mov.u32 %x, 3;\n"
	    "{ L: bra L; } { L: bra L; } OUT: ret;");
	const struct ptx_func *f = m->funcs[0];

	(void)state;
	assert_int_not_equal(f->insts[0].dst.reg, f->insts[1].dst.reg);
	assert_int_equal(f->insts[0].dst.reg, f->insts[3].dst.reg);
	assert_int_equal(f->regs[f->insts[1].dst.reg].type, PTX_U64);
	assert_int_equal(f->insts[2].src[0].label, 6);
	assert_int_equal(f->insts[4].src[0].label, 4);
	assert_int_equal(f->insts[5].src[0].label, 5);
	ptx_module_free(m);
}

static void declaration_and_definition_are_one_function(void **state)
{
	struct ptx_module *m =
	    parse(HEADER ".extern .global .u32 x;\n.func (.param .b32 r) f(.param .b32 a);\n"
			 ".entry k() { .reg .b32 %r<2>; .param .b32 q; call (q), f, (3); ret; }\n"
			 ".func (.param .b32 r) f(.param .b32 a) { ret; }\n.visible .global .u32 x = 7;");
	const struct ptx_inst *call = &ptx_module_func(m, "k")->insts[0];

	(void)state;
	assert_int_equal(m->func_count, 2);
	assert_true(call->src[0].func->has_body);
	assert_int_equal(call->src[1].elems[0].imm, 3);
	assert_int_equal(m->var_count, 1);
	assert_int_equal(element(m, "x", 0), 7);
	ptx_module_free(m);
}

static void calls_have_all_their_forms(void **state)
{
	struct ptx_module *m = parse(
	    HEADER ".func f() { ret; }\n.func (.reg .u32 r) g(.reg .u32 a, .reg .u64 b) { mov.u32 r, a; ret; }\n"
		   ".entry k() { .reg .u32 %r<3>; .reg .u64 %d<3>; call f; call.uni f, (); call (%r1), g, (5, %d1);\n"
		   "P: .callprototype (.param .u32 _) _ (.param .u64 _, .param .u32 _) .noreturn;\n"
		   "T: .calltargets f;\n mov.u64 %d1, f; call (%r1), %d1, (%d2, %r2), P; call %d1, T; ret; }");
	const struct ptx_inst *i = ptx_module_func(m, "k")->insts;
	const struct ptx_func *g = ptx_module_func(m, "g");

	(void)state;
	assert_int_equal(i[0].dst.kind, PTX_OPND_NONE);
	assert_true(i[1].mods.uni);
	assert_int_equal(i[2].dst.elem_count, 1);
	assert_true(i[4].prototype->is_prototype && i[4].prototype->param_count == 2);
	assert_ptr_equal(i[5].prototype, ptx_module_func(m, "f"));
	assert_int_equal(g->params[0].space, PTX_REG);
	assert_int_equal(g->insts[0].src[0].reg, g->params[0].index);
	ptx_module_free(m);
}

static void parameter_space_follows_the_variable(void **state)
{
	struct ptx_module *m =
	    fixture_kernel(".param .b32 q; ld.param.u64 %d1, [a]; st.param.b32 [q], %r1; ld.param.b32 %r1, [q];");
	const struct ptx_inst *i = m->funcs[0]->insts;

	(void)state;
	assert_int_equal(i[0].mods.space, PTX_PARAM_ENTRY);
	assert_int_equal(i[1].mods.space, PTX_PARAM_CALL);
	assert_int_equal(i[2].mods.space, PTX_PARAM_CALL);
	assert_false(ptx_inst_is_load(&i[0]) || ptx_inst_is_store(&i[1]));
	ptx_module_free(m);
}

static void instructions_outside_the_scope_are_kept_as_text(void **state)
{
	struct ptx_module *m =
	    fixture_kernel("wgmma.fence.sync.aligned;\n"
			   "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], "
			   "[%r2], 16, [%r2];\n"
			   "quux.s32 %r1;\n"
			   "cvt.rn.satfinite.e2m1x2.f32 %r1, %f1, %f1;\n"
			   "prefetch.tensormap [%d1]; add.s32 %r1, %r2, 3;");
	const struct ptx_func *f = m->funcs[0];

	(void)state;
	for (int k = 0; k < 5; k++) {
		assert_int_equal(f->insts[k].op, PTX_OP_UNSUPPORTED);
		assert_non_null(f->insts[k].unsupported);
	}
	assert_non_null(strstr(f->insts[0].unsupported, "tensor-core"));
	assert_non_null(strstr(f->insts[1].unsupported, "bulk copies"));
	assert_non_null(strstr(f->insts[2].unsupported, "unknown instruction"));
	assert_string_equal(f->insts[2].text, "quux.s32 %r1;");
	assert_ptr_equal(f->unsupported, f->insts[0].unsupported);
	assert_int_equal(f->insts[5].op, PTX_OP_ADD);
	ptx_module_free(m);
}

/* The first word of a function's that nobody here knows; the module's other functions stay whole. */
static void unknown_words_are_the_functions_matter(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
	    {"add.u16x4 %r1, %r2, %r3;", "'add' takes no modifier '.u16x4'"},
	    {"and.f32 %f1, %f2, %f3;", "'and' has no form of type '.f32'"},
	    {"add.rn.rz.foo::bar.f32 %f1, {%f2, %f3}, [%d1+4].x;", "'add' takes no modifier '.foo::bar'"},
	    {"cvt.rn.ue9m0x2.f32 %r1, %f1, %f2;", "'cvt' takes no modifier '.ue9m0x2'"},
	};

	(void)state;
	for (uint32_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		char text[512];

		snprintf(text, sizeof(text),
			 HEADER ".entry a() { ret; }\n"
				".entry b() { .reg .b32 %%r<4>; .reg .f32 %%f<4>; .reg .b64 %%d<4>;\n%s\n"
				"add.u32 %%r1, %%r2, 1; ret; }\n.entry c() { ret; }\n", rows[k].text);
		struct ptx_module *m = fixture_parse("words", text, strlen(text));
		const struct ptx_func *b = ptx_module_func(m, "b");

		assert_non_null(b->unsupported);
		assert_non_null(strstr(b->unsupported, rows[k].why));
		assert_string_equal(b->insts[0].text, rows[k].text);
		assert_int_equal(b->insts[1].op, PTX_OP_ADD);
		assert_null(ptx_module_func(m, "a")->unsupported);
		assert_null(ptx_module_func(m, "c")->unsupported);
		ptx_module_free(m);
	}
}

/* What PTX 8 and 9 may say of a function between its header and its body. */
static void attributes_of_functions(void **state)
{
	static const char text[] =
	    HEADER ".func f() .abi_preserve 4 .abi_preserve_control 2 { ret; }\n.entry a() .maxclusterrank 4 { ret; }\n"
		   ".entry b() .reqntid 32, 1, 1 .reqnctapercluster 2 .blocksareclusters { ret; }\n";
	struct ptx_module *m = fixture_parse("attributes", text, strlen(text));

	(void)state;
	assert_null(ptx_module_func(m, "f")->unsupported);
	assert_null(ptx_module_func(m, "a")->unsupported);
	assert_non_null(strstr(ptx_module_func(m, "b")->unsupported, "thread-block clusters"));
	ptx_module_free(m);
}

static void operands_have_their_parts(void **state)
{
	struct ptx_module *m =
	    fixture_kernel(".reg .v2 .u32 %v; .local .b32 x[4];\n"
			   "mov.b64 %d1, %v; mov.b64 {%r1, _}, %d1; setp.lt.and.s32 %p1|%p2, %r1, %tid.y, !%p3;\n"
			   "ld.local.u32 %r1, x[3]; ld.global.u32 %r1, [%d1+-8]; bar.red.popc.u32 %r1, 2, !%p1;\n"
			   "vadd.u32.u32.u32.add %r1, %r2.b0, %r3.h1, %r4; mov.u32 %r2, %envreg3;");
	const struct ptx_inst *i = m->funcs[0]->insts;

	(void)state;
	assert_true(i[0].src[0].kind == PTX_OPND_VEC && i[0].src[0].elems[1].component == 2);
	assert_int_equal(i[1].dst.elems[1].kind, PTX_OPND_SINK);
	assert_int_equal(i[2].dst2.kind, PTX_OPND_REG);
	assert_true(i[2].src[1].kind == PTX_OPND_SREG && i[2].src[1].sreg == PTX_SREG_TID &&
		    i[2].src[1].component == 2);
	assert_true(i[2].src[2].negate && i[2].mods.boolop == PTX_BOOL_AND);
	assert_int_equal(i[3].src[0].offset, 12);
	assert_int_equal(i[4].src[0].offset, -8);
	assert_int_equal(i[5].src[1].kind, PTX_OPND_NONE);
	assert_true(i[5].src[2].negate);
	assert_int_equal(i[6].src[0].sel, PTX_SEL_B0);
	assert_true(i[7].src[0].sreg == PTX_SREG_ENVREG && i[7].src[0].offset == 3);
	ptx_module_free(m);
}

static void register_uses_name_each_register_once(void **state)
{
	struct ptx_module *m =
	    fixture_kernel("@%p1 fma.rn.f32 %f1, %f2, %f2, %f3; st.global.v2.u32 [%d1], {%r1, %r1};");
	struct ptx_reg_use use;

	(void)state;
	ptx_inst_regs(&m->funcs[0]->insts[0], &use);
	assert_int_equal(use.read_count, 3);
	assert_int_equal(use.write_count, 1);
	ptx_inst_regs(&m->funcs[0]->insts[1], &use);
	assert_int_equal(use.read_count, 2);
	assert_int_equal(use.write_count, 0);
	ptx_module_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(constants_take_the_type_of_their_place),
	    cmocka_unit_test(parameters_are_laid_out_by_alignment),
	    cmocka_unit_test(initial_values_hold_numbers_and_addresses),
	    cmocka_unit_test(a_variable_without_values_has_no_image),
	    cmocka_unit_test(names_in_blocks_hide_those_outside),
	    cmocka_unit_test(declaration_and_definition_are_one_function),
	    cmocka_unit_test(calls_have_all_their_forms),
	    cmocka_unit_test(parameter_space_follows_the_variable),
	    cmocka_unit_test(instructions_outside_the_scope_are_kept_as_text),
	    cmocka_unit_test(unknown_words_are_the_functions_matter),
	    cmocka_unit_test(attributes_of_functions),
	    cmocka_unit_test(operands_have_their_parts),
	    cmocka_unit_test(register_uses_name_each_register_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
