/* test_cfg.c - graphs whose dominators, loops, liveness and registers are known by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "ptx/cfg.h"
#include "validate.h"

struct analysed {
	struct ptx_module *m;
	const struct ptx_func *f;
	struct ptx_cfg *c;
	struct ptx_alloc *a;
};

static struct analysed analyse(const char *body)
{
	struct analysed x = {.m = fixture_kernel(body)};
	char what[256];

	x.f = x.m->funcs[0];
	x.c = ptx_cfg_build(x.f);
	x.a = ptx_alloc_build(x.c, NULL);
	if (!ptx_validate_cfg(x.c, x.a, what, sizeof(what)))
		fail_msg("%s", what);
	return x;
}

static void release(struct analysed *x)
{
	ptx_alloc_free(x->a);
	ptx_cfg_free(x->c);
	ptx_module_free(x->m);
}

static void a_diamond_joins_at_its_post_dominator(void **state)
{
	struct analysed x =
	    analyse("@%p1 bra ELSE; mov.u32 %r1, 1; bra JOIN; ELSE: mov.u32 %r1, 2; JOIN: mov.u32 %r2, %r1; ret;");

	(void)state;
	assert_int_equal(x.c->block_count, 4);
	assert_int_equal(x.c->blocks[0].ipdom, 3);
	assert_int_equal(x.c->blocks[1].ipdom, 3);
	assert_int_equal(x.c->blocks[3].idom, 0);
	assert_int_equal(x.c->blocks[3].ipdom, 4);
	assert_int_equal(x.c->loop_count, 0);
	release(&x);
}

static void nested_loops_have_parents(void **state)
{
	struct analysed x =
	    analyse("OUTER: add.s32 %r1, %r1, 1; INNER: add.s32 %r2, %r2, 1; @%p1 bra INNER; @%p2 bra OUTER; ret;");

	(void)state;
	assert_int_equal(x.c->loop_count, 2);
	assert_int_equal(x.c->loops[0].header, 0);
	assert_int_equal(x.c->loops[0].parent, UINT32_MAX);
	assert_int_equal(x.c->loops[1].header, 1);
	assert_int_equal(x.c->loops[1].parent, 0);
	assert_int_equal(x.c->loops[1].block_count, 1);
	assert_int_equal(x.c->blocks[1].loop, 1);
	assert_int_equal(x.c->blocks[2].loop, 0);
	release(&x);
}

static void an_endless_loop_ends_at_the_virtual_exit(void **state)
{
	struct analysed x = analyse("@%p1 bra END; FOREVER: bra FOREVER; END: ret;");

	(void)state;
	assert_int_equal(x.c->blocks[0].ipdom, 3);
	assert_int_equal(x.c->blocks[1].ipdom, 3);
	release(&x);
}

static void a_guarded_return_leaves_and_goes_on(void **state)
{
	struct analysed x = analyse("@%p1 ret; mov.u32 %r1, 1; exit; mov.u32 %r1, 2; ret;");

	(void)state;
	assert_int_equal(x.c->block_count, 3);
	assert_int_equal(x.c->blocks[0].succ_count, 1);
	assert_int_equal(x.c->blocks[0].ipdom, 3);
	assert_false(x.c->blocks[2].is_reachable);
	release(&x);
}

static void an_indexed_branch_goes_everywhere(void **state)
{
	struct analysed x = analyse("T: .branchtargets A, B, A; brx.idx %r1, T; A: mov.u32 %r2, 1; B: ret;");

	(void)state;
	assert_int_equal(x.f->insts[0].src[1].elem_count, 3);
	assert_int_equal(x.c->blocks[0].succ_count, 2);
	assert_int_equal(x.c->blocks[0].ipdom, 2);
	release(&x);
}

static uint32_t reg_of(const struct ptx_func *f, const char *name)
{
	for (uint32_t r = 0; r < f->reg_count; r++)
		if (strcmp(f->regs[r].name, name) == 0)
			return r;
	fail_msg("no register %s", name);
	return 0;
}

static bool is_live(const struct analysed *x, uint32_t inst, const char *name)
{
	uint64_t *live = calloc(x->c->live_words, sizeof(uint64_t));
	uint32_t r = reg_of(x->f, name);

	const struct ptx_block *b = &x->c->blocks[x->c->block_of[inst]];
	uint64_t *rows = calloc((size_t)(b->last - b->first + 1) * x->c->live_words, sizeof(uint64_t));

	ptx_live_before(x->c, inst, live);
	ptx_live_block(x->c, x->c->block_of[inst], rows);
	assert_memory_equal(rows + (size_t)(inst - b->first) * x->c->live_words, live,
			    x->c->live_words * sizeof(uint64_t));
	bool is = live[r / 64] >> (r % 64) & 1;
	free(rows);
	free(live);
	return is;
}

static void a_value_lives_around_the_loop_that_reads_it(void **state)
{
	/* %r1 is read only in the loop's first block, yet must keep its slot to the loop's end. */
	struct analysed x =
	    analyse("mov.u32 %r1, 1; L: add.s32 %r2, %r1, 1; mov.u32 %r3, 5; mov.u32 %r4, 6; add.s32 %r5, %r3, %r4;\n"
		    "setp.eq.s32 %p1, %r5, %r2; @%p1 bra L; ret;");

	(void)state;
	assert_true(is_live(&x, 5, "%r1"));
	assert_int_not_equal(x.a->slot[reg_of(x.f, "%r1")], x.a->slot[reg_of(x.f, "%r3")]);
	assert_int_not_equal(x.a->slot[reg_of(x.f, "%r1")], x.a->slot[reg_of(x.f, "%r4")]);
	assert_int_equal(x.a->live_max, 4);
	assert_int_equal(x.a->pred_count, 1);
	release(&x);
}

static void halves_of_a_guarded_pair_do_not_live_from_the_entry(void **state)
{
	struct analysed x =
	    analyse("mov.u32 %r5, 7; setp.eq.s32 %p1, %r5, 3; @%p1 mov.u32 %r1, 1; @!%p1 mov.u32 %r1, 2;\n"
		    "st.global.u32 [%d1], %r1;");

	(void)state;
	assert_false(is_live(&x, 2, "%r1"));
	assert_true(is_live(&x, 3, "%r1"));
	release(&x);
}

static void wide_registers_take_even_pairs(void **state)
{
	struct analysed x = analyse(
	    "mov.u32 %r1, 1; mov.u64 %d1, 2; mov.u32 %r2, 3; st.global.u32 [%d1], %r1; st.global.u32 [%d1], %r2;");

	(void)state;
	assert_int_equal(x.a->slot[reg_of(x.f, "%d1")] % 2, 0);
	assert_int_equal(x.a->slot_count, 4);
	assert_int_equal(x.a->live_max, 4);
	release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_diamond_joins_at_its_post_dominator),
	    cmocka_unit_test(nested_loops_have_parents),
	    cmocka_unit_test(an_endless_loop_ends_at_the_virtual_exit),
	    cmocka_unit_test(a_guarded_return_leaves_and_goes_on),
	    cmocka_unit_test(an_indexed_branch_goes_everywhere),
	    cmocka_unit_test(a_value_lives_around_the_loop_that_reads_it),
	    cmocka_unit_test(halves_of_a_guarded_pair_do_not_live_from_the_entry),
	    cmocka_unit_test(wide_registers_take_even_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
