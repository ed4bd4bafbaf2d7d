/* test_code.c - offload blocks and NSU code against expectations written by hand from NSU (SC'17) section 3. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/check.h"
#include "nsu/code.h"

static const char *workload_dir;

struct built {
	struct base_diag_list diag;
	struct ptx_module *module;
	struct ptx_cfg *cfg;
	struct nsu_code *code;
};

static struct built build(const char *text, const char *kernel, const struct nsu_code_params *p)
{
	struct built b = {0};

	base_diag_init(&b.diag);
	b.module = ptx_module_parse("test.ptx", text, strlen(text), &b.diag);
	if (!b.module)
		fail_msg("%s", base_diag_join(&b.diag));
	b.cfg = ptx_cfg_build(ptx_module_func(b.module, kernel));
	b.code = nsu_code_build(b.cfg, p);
	return b;
}

static void release(struct built *b)
{
	nsu_code_free(b->code);
	ptx_cfg_free(b->cfg);
	ptx_module_free(b->module);
	base_diag_free(&b->diag);
}

static struct built build_body(const char *body, const struct nsu_code_params *p)
{
	g_autofree char *text = g_strdup_printf(
	    ".version 7.0\n.target sm_70\n.address_size 64\n.const .align 4 .f32 table[8];\n"
	    ".visible .entry k(.param .u64 k_a, .param .u64 k_b, .param .f32 k_c)\n{\n"
	    ".reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .f32 %%f<16>; .reg .b64 %%rd<8>; .reg .f64 %%d<4>;\n"
	    ".shared .align 4 .b8 sh[64];\nld.param.u64 %%rd1, [k_a];\nld.param.u64 %%rd2, [k_b];\n"
	    "mov.u32 %%r1, %%tid.x;\nsetp.eq.s32 %%p1, %%r1, 3;\nmov.f32 %%f1, 0f3F800000;\n"
	    "membar.gl;\n%s\nmembar.gl;\nst.global.f32 [%%rd1], %%f1;\nret;\n}\n",
	    body);

	return build(text, "k", p);
}

/* ---- a block in one line: score, registers sent and returned, roles of its instructions ---- */

static void add_regs(GString *s, const struct ptx_func *f, const uint32_t *regs, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		g_string_append_printf(s, " %s", f->regs[regs[k]].name);
}

static void describe_block(GString *s, const struct nsu_code *c, const struct nsu_block *b)
{
	static const char roles[] = "?gnbls"; /* GPU, NSU, both, load, store */

	g_string_append_printf(s, "%s%d",
			       b->kind == NSU_BLOCK_INDIRECT   ? "indirect "
			       : b->kind == NSU_BLOCK_DIRECTED ? "directed "
							       : "",
			       b->score_bits / 8);
	add_regs(s, c->func, b->live_in, b->live_in_count);
	g_string_append(s, " ->");
	add_regs(s, c->func, b->live_out, b->live_out_count);
	g_string_append(s, " | ");
	for (uint32_t k = b->begin_pc; k <= b->last_pc; k++)
		g_string_append_c(s, roles[c->role[k]]);
	g_string_append_c(s, '\n');
}

static char *describe(const struct nsu_code *c)
{
	GString *s = g_string_new(NULL);

	for (uint32_t n = 0; n < c->block_count; n++)
		describe_block(s, c, &c->blocks[n]);
	return g_string_free(s, FALSE);
}

static void check_with(const char *body, const struct nsu_code_params *p, const char *expected)
{
	struct built b = build_body(body, p);
	g_autofree char *found = describe(b.code);

	if (strcmp(found, expected))
		fail_msg("%s\nexpected\n%sfound\n%s", body, expected, found);
	release(&b);
}

static void check(const char *body, const char *expected)
{
	check_with(body, &nsu_code_default, expected);
}

/* ---- rules ---- */

/* The example of Figure 3: one register sent, an address computed inside, the product returned: 8 - 4 - 4 is no gain;
 * one more store of it is. */
static void figure_3_is_translated(void **state)
{
	const char *body = "ld.global.f32 %f3, [%rd1];\nmul.f32 %f2, %f1, %f3;\nadd.s64 %rd3, %rd1, %rd2;\n"
			   "st.global.f32 [%rd3], %f2;\n";

	(void)state;
	check(body, "4 %f1 -> | lngs\n");

	struct built b = build_body(body, &nsu_code_default);
	const struct nsu_code *c = b.code;
	static const uint8_t ops[] = {NSU_OP_BEG, NSU_OP_LOAD, NSU_OP_ALU, NSU_OP_STORE, NSU_OP_END};
	/* BEG writes R0; ld R1; mul R2, R0, R1; st R2 */
	static const uint16_t sb[] = {0, 1, 0, 1, 2, 2};
	uint32_t at = 0;

	assert_int_equal(c->inst_count, ARRAY_COUNT(ops));
	for (uint32_t k = 0; k < c->inst_count; k++) {
		assert_int_equal(c->insts[k].op, ops[k]);
		assert_int_equal(c->insts[k].sb_first, at);
		for (uint32_t n = 0; n < c->insts[k].read_count + c->insts[k].write_count; n++, at++)
			assert_int_equal(c->sb[at], sb[at]);
	}
	assert_int_equal(at, ARRAY_COUNT(sb));
	assert_int_equal(c->insts[1].sequence, 0);
	assert_int_equal(c->insts[3].sequence, 1);
	assert_int_equal(c->blocks[0].end_pc, c->blocks[0].last_pc + 1);
	release(&b);
}

static void equation_1_decides(void **state)
{
	(void)state;
	/* 4 - 4: not positive */
	check("ld.global.f32 %f1, [%rd1];", "");
	/* 8 - 4 in - 4 out: an accumulation into a register gains nothing */
	check("ld.global.f32 %f3, [%rd1];\nld.global.f32 %f4, [%rd2];\nfma.rn.f32 %f1, %f3, %f4, %f1;", "");
	/* with the product apart only that is returned */
	check("ld.global.f32 %f3, [%rd1];\nld.global.f32 %f4, [%rd2];\nmul.f32 %f5, %f3, %f4;\nadd.f32 %f1, %f1, %f5;",
	      "4 -> %f5 | lln\n");
	/* a 64-bit value is two registers, and a load of it two words */
	check("ld.global.f64 %d1, [%rd1];\nadd.f64 %d2, %d1, %d1;\nst.global.f64 [%rd2], %d2;", "16 -> | lns\n");
	/* one byte is worth less than the register that brings it back */
	check("ld.global.u8 %r2, [%rd1];\ncvt.rn.f32.u32 %f1, %r2;", "");
	/* constants are made where they are used: 4 - 0 */
	check("mov.f32 %f3, 0f40000000;\nst.global.f32 [%rd2], %f3;", "4 -> | ns\n");
}

static void predicates_count_as_parameters_say(void **state)
{
	const char *body = "ld.global.f32 %f3, [%rd1];\nsetp.gt.f32 %p2, %f3, %f1;\nmembar.gl;\nselp.f32 %f1, %f1, "
			   "0f00000000, %p2;";
	const char *free_body = "ld.global.u8 %r2, [%rd1];\nsetp.eq.s32 %p2, %r2, 0;\nmembar.gl;\nselp.f32 %f1, %f1, "
				"0f00000000, %p2;";
	struct nsu_code_params p = nsu_code_default;

	(void)state;
	check(body, ""); /* 4 - 4 - 4 */
	check(free_body, "");
	p.predicate_bits = 1;
	check_with(free_body, &p, "0 -> %p2 | ln\n"); /* 7 bits */
}

static void addresses_stay_on_the_gpu(void **state)
{
	(void)state;
	/* the address chain is not executed on the NSU, its inputs are not sent */
	check("ld.global.f32 %f3, [%rd1];\nmul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd5, %rd2, %rd4;\n"
	      "st.global.f32 [%rd5], %f3;",
	      "8 -> | lggs\n");
	/* a value that is address and data: both sides execute it, its inputs travel */
	check("ld.global.f64 %d1, [%rd1];\nadd.s64 %rd5, %rd2, 8;\nst.global.u64 [%rd5], %rd5;\nst.global.f64 "
	      "[%rd5+8], %d1;",
	      "16 %rd2 -> | lbss\n");
	/* read after the block as well: the GPU executes it rather than have it returned */
	check("ld.global.f32 %f3, [%rd1];\nld.global.f32 %f4, [%rd1+4];\nmov.f32 %f1, 0f40000000;\nmul.f32 %f5, %f3, "
	      "%f1;\n"
	      "add.f32 %f5, %f5, %f4;\nst.global.f32 [%rd2], %f5;",
	      "12 -> | llbnns\n");
	/* a special register is the GPU's: what needs it is not offloaded with it, but may take it as an input */
	check("mov.u32 %r2, %tid.y;\nst.global.u32 [%rd2], %r2;\nst.global.u32 [%rd2+4], %r2;", "4 %r2 -> | ss\n");
	/* an address from a value loaded in the block ends it: the second load is a block of its own */
	check("ld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd2], %r2;\nmul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd2, "
	      "%rd4;\n"
	      "ld.global.f32 %f1, [%rd5];",
	      "4 -> %r2 | ls\nindirect 0 -> %f1 | l\n");
}

static void indirect_loads_are_blocks(void **state)
{
	(void)state;
	/* the address goes through another basic block, and a value that was loaded there */
	check("ld.global.u32 %r2, [%rd1];\n@%p1 bra L;\nadd.s32 %r2, %r2, 1;\nL:\nmul.wide.u32 %rd4, %r2, 4;\n"
	      "add.s64 %rd5, %rd2, %rd4;\nld.global.u8 %r3, [%rd5];\ncvt.rn.f32.u32 %f1, %r3;",
	      "indirect -3 -> %r3 | l\n");
	/* the register held a loaded value once, but no longer when the address is made */
	check("ld.global.u32 %r2, [%rd1];\nadd.u32 %r3, %r2, 1;\nmov.u32 %r2, 5;\nmul.wide.u32 %rd4, %r2, 4;\n"
	      "add.s64 %rd5, %rd2, %rd4;\nld.global.f32 %f1, [%rd5];\nmembar.gl;\nst.global.u32 [%rd2], %r3;",
	      "");
	/* through shared memory and arithmetic */
	check("ld.shared.u32 %r2, [sh];\nshl.b32 %r2, %r2, 2;\ncvt.u64.u32 %rd4, %r2;\nadd.s64 %rd5, %rd2, %rd4;\n"
	      "ld.global.f32 %f1, [%rd5];",
	      "indirect 0 -> %f1 | l\n");
	/* one inside a scored block is none of its own */
	check("ld.shared.u32 %r2, [sh];\nmul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd2, %rd4;\n"
	      "ld.global.f32 %f3, [%rd5];\nst.global.f32 [%rd2], %f3;",
	      "8 -> | ls\n");
}

static void guards_are_on_both_sides(void **state)
{
	(void)state;
	/* of a store: sent, 4 bytes */
	check("ld.global.f32 %f3, [%rd1];\n@%p1 st.global.f32 [%rd2], %f3;", "4 %p1 -> | ls\n");
	/* computed in the block from what the GPU knows: both sides */
	check("ld.global.f32 %f3, [%rd1];\nsetp.eq.s32 %p2, %r1, 9;\n@%p2 st.global.f32 [%rd2], %f3;",
	      "4 %r1 -> | lbs\n");
	/* depends on data: the store cannot be in the block with the load */
	check("ld.global.f32 %f3, [%rd1];\nsetp.gt.f32 %p2, %f3, 0f00000000;\n@%p2 st.global.f32 [%rd2], %f3;", "");
	/* of arithmetic on data: the old value is read */
	check("ld.global.f32 %f3, [%rd1];\nsetp.gt.f32 %p2, %f3, 0f00000000;\n@%p2 mov.f32 %f3, 0f00000000;\n"
	      "st.global.f32 [%rd2], %f3;",
	      "8 -> | lnns\n");
	/* two halves of a choice: nothing is sent, the value before did not exist */
	check("@%p1 ld.global.f32 %f3, [%rd1];\n@!%p1 mov.f32 %f3, 0f00000000;\nld.global.f32 %f4, [%rd1+4];\n"
	      "add.f32 %f4, %f4, %f3;\nst.global.f32 [%rd2], %f4;",
	      "8 %p1 -> | lnlns\n");
}

static void loads_after_stores_are_checked(void **state)
{
	(void)state;
	/* may be the same place */
	check("ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.f32 %f4, [%rd1+8];\n"
	      "st.global.f32 [%rd2+4], %f4;",
	      "8 -> | ls\n8 -> | ls\n");
	/* ... also where both bases come from other basic blocks */
	check("@%p1 bra L;\nL:\nld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.f32 %f4, [%rd1+8];\n"
	      "st.global.f32 [%rd2+4], %f4;",
	      "8 -> | ls\n8 -> | ls\n");
	/* same base, other offset */
	check("ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.f32 %f4, [%rd2+8];\n"
	      "st.global.f32 [%rd2+4], %f4;",
	      "16 -> | lsls\n");
	/* the offset in an instruction of its own */
	check("ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nadd.s64 %rd3, %rd2, 8;\nld.global.f32 %f4, "
	      "[%rd3];\n"
	      "st.global.f32 [%rd2+4], %f4;",
	      "16 -> | lsgls\n");
	/* same base and offsets that overlap */
	check("ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.u16 %r3, [%rd2+2];\n"
	      "st.global.u32 [%rd2+4], %r3;",
	      "8 -> | ls\n6 -> | ls\n");
	/* the base register with another value */
	check("ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nshl.b64 %rd2, %rd2, 1;\nld.global.f32 %f4, "
	      "[%rd2+8];\n"
	      "st.global.f32 [%rd2+4], %f4;",
	      "8 -> | ls\n8 -> | ls\n");
	/* non-coherent: the program promises that nothing writes it */
	check("ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.nc.f32 %f4, [%rd1+8];\n"
	      "st.global.f32 [%rd2+4], %f4;",
	      "16 -> | lsls\n");
}

/* Blocks where pointers of parameters are in different allocations, and which words those are. */
static void check_apart(const char *body, const char *expected, uint64_t words)
{
	struct nsu_code_params p = nsu_code_default;
	struct built b;

	p.params_are_apart = true;
	check_with(body, &p, expected);
	b = build_body(body, &p);
	assert_int_equal(b.code->apart[0], words);
	release(&b);
}

static void loads_follow_stores_to_other_parameters(void **state)
{
	static const char split[] = "8 -> | ls\n8 -> | ls\n";

	(void)state;
	check_apart("ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.f32 %f4, [%rd1+8];\n"
		    "st.global.f32 [%rd2+4], %f4;",
		    "16 -> | lsls\n", 3);
	/* an index of 32 bits does not make another pointer of it, wherever it comes from */
	check_apart("mad.wide.s32 %rd3, %r1, 4, %rd1;\ncvta.to.global.u64 %rd3, %rd3;\nmembar.gl;\n"
		    "ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.f32 %f4, [%rd3];\n"
		    "st.global.f32 [%rd2+4], %f4;",
		    "16 -> | lsls\n", 3);
	/* a loop steps it */
	check_apart("L:\nld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.f32 %f4, [%rd1+4];\n"
		    "st.global.f32 [%rd2+4], %f4;\nadd.s64 %rd1, %rd1, 8;\nadd.s64 %rd2, %rd2, 8;\n@%p1 bra L;",
		    "16 -> | lsls\n", 3);
	/* what nothing depends on is not asked for */
	check_apart("ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.nc.f32 %f4, [%rd1+8];\n"
		    "st.global.f32 [%rd2+4], %f4;",
		    "16 -> | lsls\n", 0);
	/* the same parameter at two places */
	check_apart("mad.wide.s32 %rd3, %r1, 4, %rd2;\nld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\n"
		    "ld.global.f32 %f4, [%rd3];\nst.global.f32 [%rd2+4], %f4;",
		    split, 0);
	/* with something else that may be a pointer: another parameter, a pair of words, a value of memory, a variable,
	 * a register that nothing writes */
	static const char *const unknown[] = {"selp.b64 %rd3, %rd2, %rd1, %p1;",
					      "add.s64 %rd3, %rd2, %rd1;",
					      "mov.b64 %rd3, {%r1, %r1};\nadd.s64 %rd3, %rd3, %rd1;",
					      "ld.global.u64 %rd3, [%rd1];\nadd.s64 %rd3, %rd3, %rd1;",
					      "mov.u64 %rd3, table;\nadd.s64 %rd3, %rd3, %rd1;",
					      "add.s64 %rd3, %rd4, %rd1;"};

	for (uint32_t k = 0; k < ARRAY_COUNT(unknown); k++) {
		g_autofree char *body = g_strdup_printf(
		    "%s\nmembar.gl;\nld.global.f32 %%f3, [%%rd1];\nst.global.f32 [%%rd2], %%f3;\n"
		    "ld.global.f32 %%f4, [%%rd3];\nst.global.f32 [%%rd2+4], %%f4;",
		    unknown[k]);

		check_apart(body, split, 0);
	}
}

static void forbidden_instructions_end_blocks(void **state)
{
	static const char *const forbidden[] = {
	    "bar.sync 0;",
	    "ld.shared.f32 %f9, [sh];",
	    "st.shared.f32 [sh], %f1;",
	    "atom.global.add.u32 %r4, [%rd1], 1;",
	    "red.global.add.u32 [%rd1], 1;",
	    "ld.volatile.global.f32 %f9, [%rd1];",
	    "ld.acquire.gpu.global.f32 %f9, [%rd1];",
	    "ld.f32 %f9, [%rd1];",
	    "ld.global.cv.f32 %f9, [%rd1];",
	    "membar.gl;",
	    "shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;",
	    "add.cc.u32 %r4, %r1, 1;",
	};

	(void)state;
	for (uint32_t k = 0; k < ARRAY_COUNT(forbidden); k++) {
		g_autofree char *body =
		    g_strdup_printf("ld.global.f32 %%f3, [%%rd1];\n%s\nst.global.f32 [%%rd2], %%f3;", forbidden[k]);

		check(body, "");
	}
	check("ld.global.f32 %f3, [%rd1];\nadd.u32 %r4, %r1, 1;\nst.global.f32 [%rd2], %f3;", "8 -> | lgs\n");
	/* across a branch */
	check("ld.global.f32 %f3, [%rd1];\n@%p1 bra L;\nst.global.f32 [%rd2], %f3;\nL:", "");
}

static void constants_come_from_the_constant_cache(void **state)
{
	static const char with_parameter[] =
	    "ld.global.f32 %f3, [%rd1];\nld.param.f32 %f4, [k_c];\nmul.f32 %f3, %f3, %f4;\nst.global.f32 [%rd2], %f3;";
	struct nsu_code_params p = nsu_code_default;

	(void)state;
	/* a parameter is a live-in, if it is loaded before the block, or comes from the unit's constants */
	check(with_parameter, "");
	check("ld.param.f32 %f4, [k_c];\nld.global.f32 %f3, [%rd1];\nmul.f32 %f3, %f3, %f4;\n"
	      "st.global.f32 [%rd2], %f3;",
	      "4 %f4 -> | lns\n");
	p.params_are_live_ins = false;
	check_with(with_parameter, &p, "8 -> | lnns\n");
	check("ld.global.f32 %f3, [%rd1];\nld.const.f32 %f4, [table+4];\nmul.f32 %f3, %f3, %f4;\nst.global.f32 [%rd2], "
	      "%f3;",
	      "8 -> | lnns\n");
	/* an address in a register, or outside the variable, is the GPU's: the value must be there before the block */
	check(
	    "ld.global.f32 %f3, [%rd1];\nld.const.f32 %f4, [%rd4];\nmul.f32 %f3, %f3, %f4;\nst.global.f32 [%rd2], %f3;",
	    "");
	check(
	    "ld.const.f32 %f4, [%rd4];\nld.global.f32 %f3, [%rd1];\nmul.f32 %f3, %f3, %f4;\nst.global.f32 [%rd2], %f3;",
	    "4 %f4 -> | lns\n");
}

static void limits_are_kept(void **state)
{
	const char *body = "ld.global.f32 %f3, [%rd1];\nld.global.f32 %f4, [%rd1+4];\nld.global.f32 %f5, [%rd1+8];\n"
			   "add.f32 %f3, %f3, %f4;\nadd.f32 %f3, %f3, %f5;\nst.global.f32 [%rd2], %f3;";
	struct nsu_code_params p = nsu_code_default;

	(void)state;
	check(body, "16 -> | lllnns\n");
	p.access_count_max = 3; /* the three loads: 12 - 4 */
	check_with(body, &p, "8 -> %f3 | lllnn\n");
	p = nsu_code_default;
	p.length_max = 5; /* all but the store, or all but the first load */
	check_with(body, &p, "8 -> %f3 | lllnn\n");
	p = nsu_code_default;
	p.load_entries_max = 2; /* the last two loads and the store: 12 - 4 */
	check_with(body, &p, "8 %f3 -> | llnns\n");
	p.load_entries_max = 0; /* no loads: the store alone gains nothing */
	check_with(body, &p, "");
	p = nsu_code_default;
	p.store_entries_max = 0;
	check_with(body, &p, "8 -> %f3 | lllnn\n");
	p = nsu_code_default;
	p.register_count = 2; /* of three: two loads and the sum need three as well */
	check_with(body, &p, "");
	p.register_count = 4;
	check_with(body, &p, "16 -> | lllnns\n");
}

static void ranges_are_chosen_together(void **state)
{
	(void)state;
	/* trailing and leading work that changes nothing stays outside */
	check("add.s64 %rd3, %rd1, 64;\nld.global.f32 %f3, [%rd3];\nst.global.f32 [%rd2], %f3;\nadd.s32 %r2, %r1, 1;",
	      "8 -> | ls\n");
	/* the load in the middle would cost more than it brings */
	check("ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.nc.u8 %r1, [%rd1+4];\n"
	      "cvt.rn.f32.s32 %f1, %r1;\nld.global.nc.f32 %f4, [%rd1+8];\nst.global.f32 [%rd2+4], %f4;",
	      "8 -> | ls\n8 -> | ls\n");
	/* one that costs what it brings: one block, which needs one command */
	check("ld.global.f32 %f3, [%rd1];\nst.global.f32 [%rd2], %f3;\nld.global.nc.f32 %f1, [%rd1+4];\n"
	      "ld.global.nc.f32 %f4, [%rd1+8];\nst.global.f32 [%rd2+4], %f4;",
	      "16 -> %f1 | lslls\n");
}

/* ---- the workloads ---- */

/* Per block: NSU instructions, score, words sent and returned. */
static const struct {
	const char *workload, *kernel, *blocks;
} kernels[] = {
    {"vectoradd", "vector_add", "4: 12 0 0; "},
    {"kmeans", "kmeans_assign", "3: 4 0 1; "},
    {"kmeans", "kmeans_assign_rows", "3: 4 0 1; "},
    {"kmeans", "kmeans_invert", "2: 8 0 0; "},
    {"scalarprod", "scalar_prod", "3: 4 0 1; "},
    {"fwt", "fwt_global", "16: 32 0 0; "},
    {"fwt", "fwt_shared", ""},
    {"fwt", "fwt_modulate", "5: 8 1 0; "},
    {"bicg", "bicg_transposed", "2: 4 0 0; 4: 4 1 1; "},
    {"bicg", "bicg_direct", "2: 4 0 0; 4: 4 1 1; "},
    {"stencil", "stencil_sweep", "15: 24 2 0; "},
    {"bfs", "bfs_expand", "2: 1 0 0; 1: -4 0 2; 1: -3 0 1; 3: 8 0 0; "},
    {"bfs", "bfs_advance", "7: 7 0 0; "},
    {"backprop", "layer_forward", ""},
    {"backprop", "adjust_weights", "27: 36 0 0; 21: 28 0 0; "},
    {"minife", "minife_matvec", "3: 8 0 2; "},
    {"minife", "minife_dot", "3: 8 0 2; "},
    {"streamcluster", "streamcluster_gain", "3: 4 0 1; 2: 1 0 0; 1: 0 0 1; 1: 0 0 1; "},
};

static void workloads_have_the_expected_blocks(void **state)
{
	struct nsu_code_params p = nsu_code_default;

	(void)state;
	p.params_are_apart = true;
	for (uint32_t k = 0; k < ARRAY_COUNT(kernels); k++) {
		g_autofree char *path =
		    g_strdup_printf("%s/%s/%s.ptx", workload_dir, kernels[k].workload, kernels[k].workload);
		g_autofree char *text = NULL;

		assert_true(g_file_get_contents(path, &text, NULL, NULL));

		struct built b = build(text, kernels[k].kernel, &p);
		g_autoptr(GString) found = g_string_new(NULL);

		for (uint32_t n = 0; n < b.code->block_count; n++) {
			const struct nsu_block *block = &b.code->blocks[n];

			g_string_append_printf(found, "%u: %d %u %u; ", block->inst_count - 2, block->score_bits / 8,
					       block->send_words, block->return_words);
		}
		if (strcmp(found->str, kernels[k].blocks))
			fail_msg("%s: expected %s, found %s", kernels[k].kernel, kernels[k].blocks, found->str);
		release(&b);
	}
}

#define BEGIN ".pragma \"strata offload begin\";\n"
#define END ".pragma \"strata offload end\";\n"
#define PLAIN "ld.global.f32 %f2, [%rd1];\nadd.f32 %f3, %f2, %f1;\nadd.f32 %f1, %f3, %f3;\n"

/* What the programmer marks is a block, whatever its score, as far as a unit can do it. */
static void directives_are_followed(void **state)
{
	struct nsu_code_params small = nsu_code_default;

	(void)state;
	check(PLAIN, "");
	check(BEGIN PLAIN END, "directed -4 %f1 -> %f1 | lnn\n");
	check(BEGIN "ld.global.f32 %f2, [%rd1];\n" END "add.f32 %f3, %f2, %f1;\nadd.f32 %f1, %f3, %f3;\n",
	      "directed 0 -> %f2 | l\n");
	/* A pragma of others ends nothing; what comes behind is for the analysis again. */
	check(BEGIN ".pragma \"nounroll\";\n" PLAIN END "ld.global.f32 %f5, [%rd1];\nld.global.f32 %f6, [%rd2];\n"
		    "add.f32 %f5, %f5, %f6;\nst.global.f32 [%rd2], %f5;\n",
	      "directed -4 %f1 -> %f1 | lnn\n12 -> | llns\n");
	/* Two blocks around what no unit does; none where there is no access. */
	check(BEGIN PLAIN "ld.shared.f32 %f4, [sh];\nst.global.f32 [%rd1], %f1;\n" END,
	      "directed -4 %f1 -> %f1 | lnn\ndirected 0 %f1 -> | s\n");
	check(BEGIN "add.f32 %f1, %f1, %f1;\n" END, "");
	/* As far as a block's registers go. */
	small.register_count = 2;
	check_with(BEGIN "ld.global.f32 %f2, [%rd1];\nld.global.f32 %f3, [%rd2];\nld.global.f32 %f4, [%rd2+64];\n"
			 "add.f32 %f3, %f2, %f3;\nadd.f32 %f1, %f3, %f4;\n" END,
		   &small, "directed 0 -> %f2 %f3 | ll\ndirected 0 -> %f4 | l\n");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(figure_3_is_translated),
	    cmocka_unit_test(equation_1_decides),
	    cmocka_unit_test(predicates_count_as_parameters_say),
	    cmocka_unit_test(addresses_stay_on_the_gpu),
	    cmocka_unit_test(indirect_loads_are_blocks),
	    cmocka_unit_test(guards_are_on_both_sides),
	    cmocka_unit_test(loads_after_stores_are_checked),
	    cmocka_unit_test(loads_follow_stores_to_other_parameters),
	    cmocka_unit_test(forbidden_instructions_end_blocks),
	    cmocka_unit_test(constants_come_from_the_constant_cache),
	    cmocka_unit_test(limits_are_kept),
	    cmocka_unit_test(ranges_are_chosen_together),
	    cmocka_unit_test(directives_are_followed),
	    cmocka_unit_test(workloads_have_the_expected_blocks),
	};

	CHECK(argc == 2);
	workload_dir = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
