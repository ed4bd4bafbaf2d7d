/* test_candidates.c - TOM's static selection against the paper's worked example and hand-computed candidate sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <glib.h>

#include "ndp/blocks/candidates.h"

static double total(struct ndp_bandwidth b)
{
	return b.tx_words + b.rx_words;
}

/* TOM section 3.1.5: five live-ins, no live-out, one load and one store per iteration. */
static void equations_give_the_libor_scores(void **state)
{
	(void)state;

	struct ndp_bandwidth once = ndp_bandwidth_change(&ndp_cost_default, 5, 0, 1, 1);

	assert_true(once.tx_words == 126.5);
	assert_true(once.rx_words == -16.25);
	assert_true(total(once) == 110.25);
	assert_true(total(ndp_bandwidth_change(&ndp_cost_default, 5, 0, 3, 3)) == 10.75);
	assert_true(total(ndp_bandwidth_change(&ndp_cost_default, 5, 0, 4, 4)) == -39);
}

struct analysed {
	struct base_diag_list diag;
	struct ptx_module *module;
	struct ptx_cfg *cfg;
	struct ndp_candidate_set *set;
};

static struct analysed analyse_with(const char *body, const struct ndp_cost_params *cost)
{
	struct analysed a = {0};
	char text[8192];

	snprintf(text, sizeof(text), ".version 6.0\n.target sm_60\n.address_size 64\n%s", body);
	base_diag_init(&a.diag);
	a.module = ptx_module_parse("test.ptx", text, strlen(text), &a.diag);
	if (!a.module)
		fail_msg("%s", base_diag_join(&a.diag));
	a.cfg = ptx_cfg_build(ptx_module_func(a.module, "k"));
	a.set = ndp_candidates_find(a.cfg, cost);
	return a;
}

static struct analysed analyse(const char *body)
{
	return analyse_with(body, &ndp_cost_default);
}

/* Pointers count as the two words that they are. */
static struct analysed analyse_wide(const char *body)
{
	struct ndp_cost_params cost = ndp_cost_default;

	cost.pointer_words = 2;
	return analyse_with(body, &cost);
}

static void release(struct analysed *a)
{
	ndp_candidates_free(a->set);
	ptx_cfg_free(a->cfg);
	ptx_module_free(a->module);
	base_diag_free(&a->diag);
}

/* The first LIBOR loop with the paper's five live-ins (v, delta, L, L_b, counter), addresses of 32 bits as in the cost
 * model. The counter runs down, so the condition reads it. */
static const char libor_loop[] =
	".visible .entry k(.param .u32 pL, .param .u32 pLb, .param .u32 pn)\n{\n"
	".reg .pred %p<2>; .reg .b32 %r<8>; .reg .f32 %f<8>;\n"
	"mov.u32 %r5, %tid.x;\n"
	"ld.param.u32 %r1, [pL]; add.u32 %r1, %r1, %r5;\n"
	"ld.param.u32 %r2, [pLb]; add.u32 %r2, %r2, %r5;\n"
	"ld.param.u32 %r3, [pn]; add.u32 %r3, %r3, %r5;\n"
	"cvt.rn.f32.u32 %f1, %r5; mul.f32 %f2, %f1, 0f3E800000;\n"
	"bar.sync 0;\n"
	"LOOP:\n"
	"ld.global.f32 %f3, [%r1];\n"
	"fma.rn.f32 %f4, %f2, %f3, 0f3F800000;\n"
	"div.rn.f32 %f5, %f1, %f4;\n"
	"st.global.f32 [%r2], %f5;\n"
	"add.u32 %r1, %r1, 4; add.u32 %r2, %r2, 4;\n"
	"add.s32 %r3, %r3, -1;\n"
	"setp.gt.s32 %p1, %r3, 0;\n"
	"@%p1 bra LOOP;\n"
	"ret;\n}\n";

static void libor_loop_is_a_conditional_candidate_from_four_iterations(void **state)
{
	(void)state;

	struct analysed a = analyse(libor_loop);

	assert_int_equal(a.set->count, 1);

	const struct ndp_candidate *c = &a.set->items[0];

	assert_int_equal(c->live_in_count, 5);
	assert_int_equal(c->live_out_count, 0);
	assert_int_equal(c->trip_kind, NDP_TRIP_RUNTIME);
	assert_int_equal(c->trip_count, 4);
	assert_true(c->condition.exists);
	assert_false(c->condition.is_at_most);
	assert_string_equal(a.cfg->func->regs[c->condition.reg].name, "%r3");
	assert_int_equal(c->condition.threshold, 4); /* do { n-- } while (n > 0) runs n times */
	assert_true(total(c->bandwidth) == -39);
	assert_int_equal(c->live_max, 6); /* the five, and the value between load and store */
	assert_int_equal(c->tag, NDP_TAG_RX); /* TX is 160 - 4 * 33.5 = +26 */
	release(&a);
}

/* The same loop where addresses have 64 bits: a pointer counts as a word, as an address does, or as the two that it
 * has. The counter, of 32 bits, is a word either way. */
static const char libor_loop_64[] =
	".visible .entry k(.param .u64 pL, .param .u64 pLb, .param .u32 pn)\n{\n"
	".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n"
	"mov.u32 %r5, %tid.x; mul.wide.u32 %rd3, %r5, 4;\n"
	"ld.param.u64 %rd4, [pL]; add.u64 %rd1, %rd4, %rd3;\n"
	"ld.param.u64 %rd5, [pLb]; add.u64 %rd2, %rd5, %rd3;\n"
	"ld.param.u32 %r3, [pn]; add.u32 %r3, %r3, %r5;\n"
	"cvt.rn.f32.u32 %f1, %r5; mul.f32 %f2, %f1, 0f3E800000;\n"
	"bar.sync 0;\n"
	"LOOP:\n"
	"ld.global.f32 %f3, [%rd1];\n"
	"fma.rn.f32 %f4, %f2, %f3, 0f3F800000;\n"
	"div.rn.f32 %f5, %f1, %f4;\n"
	"st.global.f32 [%rd2], %f5;\n"
	"add.u64 %rd1, %rd1, 4; add.u64 %rd2, %rd2, 4;\n"
	"add.s32 %r3, %r3, -1;\n"
	"setp.gt.s32 %p1, %r3, 0;\n"
	"@%p1 bra LOOP;\n"
	"ret;\n}\n";

static void a_pointer_is_as_many_words_as_said(void **state)
{
	struct ndp_cost_params two = ndp_cost_default;
	struct analysed a = analyse(libor_loop_64);

	(void)state;
	assert_int_equal(a.set->count, 1);
	assert_true(a.set->items[0].reg_tx_words == 5);
	assert_int_equal(a.set->items[0].trip_count, 4);
	release(&a);

	two.pointer_words = 2;
	a = analyse_with(libor_loop_64, &two);
	assert_true(a.set->items[0].reg_tx_words == 7);
	assert_int_equal(a.set->items[0].trip_count, 5); /* 224 words over 49.75 */
	assert_int_equal(a.set->items[0].live_max, 8); /* 32-bit registers, whatever the equations count */
	release(&a);
}

/* At four iterations, the fewest that pay, TX carries 26 words more; from five on it carries fewer. */
static void the_tag_is_that_of_the_trip_count_expected(void **state)
{
	struct ndp_cost_params cost = ndp_cost_default;
	static const struct {
		uint64_t trips;
		uint8_t tag;
	} cases[] = {{0, NDP_TAG_RX}, {3, NDP_TAG_RX}, {4, NDP_TAG_RX}, {5, NDP_TAG_TX | NDP_TAG_RX},
		     {40, NDP_TAG_TX | NDP_TAG_RX}};

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		struct analysed a;

		cost.tag_trip_count = cases[i].trips;
		a = analyse_with(libor_loop, &cost);
		assert_int_equal(a.set->items[0].tag, cases[i].tag);
		assert_int_equal(a.set->items[0].condition.threshold, 4);
		release(&a);
	}
}

/* The loop needs six registers: with fewer it is no candidate, and nothing in it saves. */
static void blocks_that_no_register_file_holds_are_not_chosen(void **state)
{
	struct ndp_cost_params cost = ndp_cost_default;

	(void)state;
	for (uint32_t limit = 5; limit <= 6; limit++) {
		struct analysed a;

		cost.register_limit = limit;
		a = analyse_with(libor_loop, &cost);
		assert_int_equal(a.set->count, limit == 6);
		release(&a);
	}
}

/* A loop of one load and one store from %r3 on; "test" compares. */
#define LOOP_FROM_REGISTER(first, test)                                                                                \
	".visible .entry k(.param .u32 pLb, .param .u32 pn, .param .u32 pN)\n{\n"                                      \
	".reg .pred %p<2>; .reg .b32 %r<9>; .reg .f32 %f<8>;\n"                                                        \
	"mov.u32 %r5, %tid.x;\n"                                                                                       \
	"ld.param.u32 %r2, [pLb]; add.u32 %r2, %r2, %r5;\n"                                                            \
	"ld.param.u32 %r6, [pn]; add.u32 %r6, %r6, %r5;\n"                                                             \
	"ld.param.u32 %r4, [pN]; add.u32 %r4, %r4, %r5;\n"                                                             \
	"cvt.rn.f32.u32 %f1, %r5;\n" first "bar.sync 0;\n"                                                             \
	"LOOP:\n"                                                                                                      \
	"ld.global.f32 %f3, [%r2];\n"                                                                                  \
	"mul.f32 %f4, %f1, %f3;\n"                                                                                     \
	"st.global.f32 [%r2], %f4;\n"                                                                                  \
	"add.u32 %r2, %r2, 4;\n" test "@%p1 bra LOOP;\n"                                                               \
	"ret;\n}\n"

static void check_difference(const char *text, const char *reg, const char *less, bool is_at_most, int64_t threshold)
{
	struct analysed a = analyse(text);
	const struct ndp_candidate *c = &a.set->items[0];

	assert_int_equal(a.set->count, 1);
	assert_int_equal(c->trip_kind, NDP_TRIP_RUNTIME);
	assert_string_equal(a.cfg->func->regs[c->condition.reg].name, reg);
	assert_string_equal(a.cfg->func->regs[c->condition.less_reg].name, less);
	assert_int_equal(c->condition.is_at_most, is_at_most);
	assert_int_equal(c->condition.threshold, threshold);
	release(&a);
}

/* The paper's second loop, "for (n = Nmat; n < N; n++) L_b[n] = b * L_b[n]": four live-ins cost 128 words, and the
 * load and the store of an iteration save 33.5 of TX and 16.25 of RX: it pays from three iterations. */
static void a_loop_between_two_registers_is_conditional_on_their_difference(void **state)
{
	(void)state;
	check_difference(LOOP_FROM_REGISTER("mov.u32 %r3, %r6;\n", "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r4;\n"),
			 "%r4", "%r3", false, 3);
	/* n <= N: one more, so that a distance of two is enough */
	check_difference(LOOP_FROM_REGISTER("mov.u32 %r3, %r6;\n", "add.s32 %r3, %r3, 1; setp.le.s32 %p1, %r3, %r4;\n"),
			 "%r4", "%r3", false, 2);
	/* in threes, n != N */
	check_difference(LOOP_FROM_REGISTER("mov.u32 %r3, %r6;\n", "add.s32 %r3, %r3, 3; setp.ne.s32 %p1, %r3, %r4;\n"),
			 "%r4", "%r3", false, 9);
	/* downwards */
	check_difference(LOOP_FROM_REGISTER("mov.u32 %r3, %r6;\n",
					    "add.s32 %r3, %r3, -2; setp.gt.s32 %p1, %r3, %r4;\n"),
			 "%r4", "%r3", true, -5);
}

/* "for (i = n + 1; i < N; i++)", as compilers leave it: a counter, and its sum with n for the comparison. */
static void a_sum_with_the_counter_is_compared(void **state)
{
	struct analysed a;

	(void)state;
	/* the counter starts at 1 and is a live-in, too: 160 words, four iterations, N - n at least 5 */
	check_difference(LOOP_FROM_REGISTER("mov.u32 %r3, 1;\n",
					    "add.s32 %r3, %r3, 1; add.s32 %r7, %r6, %r3; setp.lt.u32 %p1, %r7, %r4;\n"),
			 "%r4", "%r6", false, 5);
	/* the sum before the step, or of three unknowns: no count */
	a = analyse(LOOP_FROM_REGISTER("mov.u32 %r3, 1;\n",
				       "add.s32 %r7, %r6, %r3; add.s32 %r3, %r3, 1; setp.lt.u32 %p1, %r7, %r4;\n"));
	assert_int_equal(a.set->count, 0);
	release(&a);
	a = analyse(LOOP_FROM_REGISTER("add.u32 %r3, %r5, 7;\n",
				       "add.s32 %r3, %r3, 1; add.s32 %r7, %r6, %r3; setp.lt.u32 %p1, %r7, %r4;\n"));
	assert_int_equal(a.set->count, 0);
	release(&a);
}

/* Five stores of a value that a loop makes pay for its live-ins, so that the loop comes along; but only if it accesses
 * memory. */
static void a_loop_of_arithmetic_alone_is_in_no_candidate(void **state)
{
	static const char *const bodies[] = {
	    "add.s32 %r2, %r2, 1;\n", "ld.global.u32 %r3, [%rd3]; add.s32 %r2, %r2, %r3;\n"};

	(void)state;
	for (uint32_t b = 0; b < 2; b++) {
		g_autofree char *text = g_strconcat(".visible .entry k(.param .u64 p, .param .u32 pn)\n{\n"
						    ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
						    "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 99; @%p1 bra DONE;\n"
						    "ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r1, 4;\n"
						    "add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, %r1;\n"
						    "LOOP:\n",
						    bodies[b],
						    "xor.b32 %r2, %r2, %r1; setp.lt.u32 %p1, %r2, 99;\n"
						    "@%p1 bra LOOP;\n"
						    "st.global.u32 [%rd3], %r2; st.global.u32 [%rd3+512], %r2;\n"
						    "st.global.u32 [%rd3+1024], %r2; st.global.u32 [%rd3+1536], %r2;\n"
						    "st.global.u32 [%rd3+2048], %r2;\nDONE: ret;\n}\n",
						    NULL);
		struct analysed a = analyse(text);
		const struct ptx_loop *loop = &a.cfg->loops[0];
		bool is_covered = false;

		assert_int_equal(a.cfg->loop_count, 1);
		for (uint32_t i = 0; i < a.set->count; i++)
			is_covered |= a.set->items[i].begin <= a.cfg->blocks[loop->blocks[0]].first &&
				      a.set->items[i].last >= a.cfg->blocks[loop->blocks[0]].last;
		assert_int_equal(is_covered, b == 1);
		release(&a);
	}
}

/* A straight run: the two loads and the store pay for one live index; the pointers come from the constant bank. */
static void vectoradd_is_one_unconditional_candidate(void **state)
{
	(void)state;

	static const char body[] =
	    ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn)\n{\n"
				   ".reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<11>; .reg .f32 %f<4>;\n"
				   "ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; ld.param.u64 %rd3, [pc];\n"
				   "ld.param.u32 %r2, [pn];\n"
				   "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
				   "mad.lo.s32 %r1, %r4, %r3, %r5;\n"
				   "setp.ge.s32 %p1, %r1, %r2;\n"
				   "@%p1 bra END;\n"
				   "cvta.to.global.u64 %rd4, %rd1; "
				   "cvta.to.global.u64 %rd7, %rd2; cvta.to.global.u64 %rd9, %rd3;\n"
				   "mul.wide.s32 %rd5, %r1, 4;\n"
				   "add.s64 %rd6, %rd4, %rd5; ld.global.f32 %f1, [%rd6];\n"
				   "add.s64 %rd8, %rd7, %rd5; ld.global.f32 %f2, [%rd8];\n"
				   "add.f32 %f3, %f1, %f2;\n"
				   "add.s64 %rd10, %rd9, %rd5; st.global.f32 [%rd10], %f3;\n"
				   "END: ret;\n}\n";
	struct analysed a = analyse_wide(body);

	assert_int_equal(a.set->count, 1);

	const struct ndp_candidate *c = &a.set->items[0];

	assert_int_equal(c->live_in_count, 1);
	assert_string_equal(a.cfg->func->regs[c->live_in[0]].name, "%r1");
	assert_int_equal(c->live_out_count, 0);
	assert_true(c->remat_count >= 3);
	assert_int_equal(c->load_count, 2);
	assert_int_equal(c->store_count, 1);
	assert_true(c->bandwidth.tx_words == 32 - (1 + 33));
	assert_true(c->bandwidth.rx_words == -(32 + 0.25));
	assert_int_equal(c->tag, NDP_TAG_TX | NDP_TAG_RX);
	release(&a);

	struct ndp_cost_params travel = ndp_cost_default;

	travel.rematerialise = false; /* three pointers of two words each now cost more than the block saves */
	a = analyse_with(body, &travel);
	assert_int_equal(a.set->count, 0);
	release(&a);
}

static void static_trip_count_multiplies(void **state)
{
	(void)state;

	/* 16 iterations of one load; the sum is live-out: TX 3*32+32 - 16*.5, RX 32 - 16*16. */
	struct analysed a = analyse_wide(".visible .entry k(.param .u64 pa)\n{\n"
				    ".reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<3>; .reg .f32 %f<3>;\n"
				    "ld.param.u64 %rd1, [pa];\n"
				    "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; add.u64 %rd2, %rd2, %rd1;\n"
				    "cvt.rn.f32.u32 %f1, %r1;\n"
				    "mov.u32 %r2, 0;\n"
				    "bar.sync 0;\n"
				    "L: ld.global.f32 %f2, [%rd2];\n"
				    "add.f32 %f1, %f1, %f2; add.s64 %rd2, %rd2, 4;\n"
				    "add.s32 %r2, %r2, 1; setp.ne.s32 %p1, %r2, 16; @%p1 bra L;\n"
				    "bar.sync 0;\n"
				    "st.global.f32 [%rd1], %f1;\n"
				    "ret;\n}\n");

	/* The loop, and the lone store: one live-in against its 33 words on TX. */
	assert_int_equal(a.set->count, 2);
	assert_true(a.set->items[1].bandwidth.tx_words == 32 - 33);

	const struct ndp_candidate *c = &a.set->items[0];

	assert_int_equal(c->trip_kind, NDP_TRIP_STATIC);
	assert_true(c->loads == 16);
	assert_false(c->condition.exists);
	/* live-in: pointer (2 words), sum, counter; live-out: the sum */
	assert_true(c->reg_tx_words == 4);
	assert_true(c->reg_rx_words == 1);
	assert_int_equal(c->live_max, 5); /* and the loaded word; %rd1, needed behind the block, stays at home */
	assert_true(c->bandwidth.tx_words == 4 * 32 - 8);
	assert_true(c->bandwidth.rx_words == 32 - 256);
	assert_int_equal(c->tag, NDP_TAG_RX);
	release(&a);
}

/* Section 3.1.3, case 3: the end of a chain is found while following it, so one round must pay. It follows a pointer of
 * two words (live-in) and adds `loads` more words to a total (live-in and live-out). */
static struct analysed chain(uint32_t loads)
{
	char body[4096];
	int n = snprintf(body, sizeof(body), ".visible .entry k(.param .u64 pa)\n{\n"
					     ".reg .pred %%p<2>; .reg .b32 %%r<6>; .reg .b64 %%rd<4>;\n"
					     "ld.param.u64 %%rd1, [pa]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, 0;\n"
					     "mul.wide.u32 %%rd2, %%r1, 256; add.s64 %%rd3, %%rd1, %%rd2;\n"
					     "bar.sync 0;\n"
					     "L:\n");

	for (uint32_t i = 0; i < loads; i++)
		n += snprintf(body + n, sizeof(body) - (size_t)n,
			      "ld.global.u32 %%r3, [%%rd3+%u]; add.u32 %%r2, %%r2, %%r3;\n", 8 + 4 * i);
	snprintf(body + n, sizeof(body) - (size_t)n,
		 "ld.global.u64 %%rd3, [%%rd3]; setp.ne.u64 %%p1, %%rd3, 0; @%%p1 bra L;\n"
		 "bar.sync 0;\nst.volatile.global.u32 [%%rd1], %%r2; ret;\n}\n");
	return analyse_wide(body);
}

static void unknown_trip_count_counts_once(void **state)
{
	(void)state;

	/* Live-in: pointer and total, three words; live-out: the total. 3 * 32 + 32 = 128 words against 16.5 a word. */
	struct analysed a = chain(5);

	assert_int_equal(a.set->count, 0); /* 7 words save 115.5 */
	release(&a);
	a = chain(6);
	assert_int_equal(a.set->count, 1);

	const struct ndp_candidate *c = &a.set->items[0];

	assert_int_equal(c->trip_kind, NDP_TRIP_UNKNOWN);
	assert_false(c->condition.exists);
	assert_int_equal(c->load_count, 7);
	assert_true(c->loads == 8);
	assert_true(c->bandwidth.tx_words == 96 - 4);
	assert_true(c->bandwidth.rx_words == 32 - 128);
	assert_int_equal(c->live_max, 4);
	assert_int_equal(c->tag, NDP_TAG_RX);
	release(&a);
}

/* A run that is cut in two by a shared-memory access, and a branch around stores inside one half: the block with the
 * branch is one candidate that lanes leave together, the first half has too little. */
static void a_branch_stays_inside_its_block(void **state)
{
	(void)state;

	struct analysed a = analyse_wide(".visible .entry k(.param .u64 pa)\n{\n.shared .b32 sh[64];\n"
				    ".reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
				    "ld.param.u64 %rd1, [pa]; mov.u32 %r1, %tid.x;\n"
				    "mul.wide.u32 %rd2, %r1, 64; add.s64 %rd3, %rd1, %rd2;\n"
				    "bar.sync 0;\n"
				    "ld.global.u32 %r2, [%rd3]; ld.global.u32 %r3, [%rd3+4];\n"
				    "add.u32 %r2, %r2, %r3;\n"
				    "mov.u32 %r4, sh; st.shared.u32 [%r4], %r2;\n"
				    "setp.gt.u32 %p1, %r1, 7;\n"
				    "st.global.u32 [%rd3+8], %r1; st.global.u32 [%rd3+12], %r1;\n"
				    "@%p1 bra SKIP;\n"
				    "st.global.u32 [%rd3+16], %r1; st.global.u32 [%rd3+20], %r1;\n"
				    "SKIP:\n"
				    "st.global.u32 [%rd3+24], %r1;\n"
				    "bar.sync 0;\n"
				    "ret;\n}\n");

	/* Two loads save 33 words and bring 64 words of address there and one register, 32, back: no candidate. The
	 * rest has three words of live-ins, 96, and a predicate made inside; up to SKIP, where a block with a barrier
	 * begins, four stores save 4 * 33.25 = 133. The last store alone saves less than its address costs. */
	assert_int_equal(a.set->count, 1);

	const struct ndp_candidate *c = &a.set->items[0];

	assert_int_equal(c->load_count, 0);
	assert_int_equal(c->store_count, 4);
	assert_int_equal(c->live_in_count, 2);
	assert_int_equal(c->live_out_count, 0);
	assert_true(c->bandwidth.tx_words == 96 - 4 * 33);
	assert_true(c->bandwidth.rx_words == -1);
	assert_int_equal(c->tag, NDP_TAG_TX | NDP_TAG_RX);
	assert_int_equal(c->live_max, 3);
	release(&a);
}

static void forbidden_instructions_split_blocks(void **state)
{
	(void)state;

	static const char *const forbidden[] = {
		"bar.sync 0;",
		"membar.gl;",
		"atom.global.add.u32 %r3, [%rd1], 1;",
		"ld.shared.u32 %r3, [sh];",
		"st.volatile.global.u32 [%rd1], %r1;",
		"mov.u32 %r3, %laneid;",
	};

	for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
		char body[2048];

		snprintf(body, sizeof(body),
			 ".visible .entry k(.param .u64 pa)\n{\n.shared .b32 sh[4];\n"
			 ".reg .b32 %%r<8>; .reg .b64 %%rd<4>;\n"
			 "ld.param.u64 %%rd1, [pa]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 4;\n"
			 "add.s64 %%rd3, %%rd1, %%rd2;\n"
			 "st.global.u32 [%%rd3], %%r1; st.global.u32 [%%rd3+4], %%r1; st.global.u32 [%%rd3+8], %%r1;\n"
			 "st.global.u32 [%%rd3+12], %%r1;\n"
			 "%s\n"
			 "st.global.u32 [%%rd3+16], %%r1; "
			 "st.global.u32 [%%rd3+20], %%r1; st.global.u32 [%%rd3+24], %%r1;\n"
			 "st.global.u32 [%%rd3+28], %%r1;\n"
			 "ret;\n}\n",
			 forbidden[i]);

		struct analysed a = analyse(body);

		assert_int_equal(a.set->count, 2);
		for (uint32_t c = 0; c < 2; c++)
			assert_int_equal(a.set->items[c].store_count, 4);
		assert_true(a.set->items[0].end <= a.set->items[1].begin);
		release(&a);
	}
}

/* A shuffle ends a block, or is one of its instructions. */
static void shuffles_are_allowed(void **state)
{
	static const char body[] = ".visible .entry k(.param .u64 pa)\n{\n"
				   ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
				   "ld.param.u64 %rd1, [pa]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
				   "add.s64 %rd3, %rd1, %rd2;\n"
				   "st.global.u32 [%rd3], %r1; st.global.u32 [%rd3+4], %r1;\n"
				   "st.global.u32 [%rd3+8], %r1; st.global.u32 [%rd3+12], %r1;\n"
				   "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n"
				   "vote.sync.any.pred %p1, %p1, -1;\n"
				   "st.global.u32 [%rd3+16], %r2; st.global.u32 [%rd3+20], %r1;\n"
				   "st.global.u32 [%rd3+24], %r1; st.global.u32 [%rd3+28], %r1;\n"
				   "ret;\n}\n";
	struct ndp_cost_params cost = ndp_cost_default;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct analysed a;

		cost.allows_shuffles = i == 1;
		a = analyse_with(body, &cost);
		assert_int_equal(a.set->count, i ? 1 : 2);
		assert_int_equal(a.set->items[0].store_count, i ? 8 : 4);
		release(&a);
	}
}

/* A guarded write keeps the old value in the other lanes, so a live-out written under a guard is a live-in as well. */
static void guarded_live_out_travels_both_ways(void **state)
{
	(void)state;

	struct analysed a = analyse(".visible .entry k(.param .u64 pa)\n{\n"
				    ".reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
				    "ld.param.u64 %rd1, [pa]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 64;\n"
				    "mov.u32 %r2, %laneid;\n"
				    "setp.gt.u32 %p1, %r1, 5;\n"
				    "bar.sync 0;\n"
				    "add.s64 %rd3, %rd1, %rd2;\n"
				    "st.global.u32 [%rd3+4], %r1; "
				    "st.global.u32 [%rd3+8], %r1; st.global.u32 [%rd3+12], %r1;\n"
				    "@%p1 ld.global.u32 %r2, [%rd3];\n"
				    "st.global.u32 [%rd3+28], %r2; st.global.u32 [%rd3+32], %r2;\n"
				    "st.global.u32 [%rd3+16], %r1; st.global.u32 [%rd3+20], %r1;\n"
				    "st.global.u32 [%rd3+24], %r1; st.global.u32 [%rd3+28], %r1;\n"
				    "bar.sync 0;\n"
				    "st.global.u32 [%rd1], %r2;\n"
				    "ret;\n}\n");
	bool found = false;

	for (uint32_t i = 0; i < a.set->count; i++) {
		const struct ndp_candidate *c = &a.set->items[i];

		for (uint32_t o = 0; o < c->live_out_count; o++) {
			if (strcmp(a.cfg->func->regs[c->live_out[o]].name, "%r2"))
				continue;

			bool is_in = false;

			for (uint32_t n = 0; n < c->live_in_count; n++)
				is_in |= c->live_in[n] == c->live_out[o];
			assert_true(is_in);
			found = true;
		}
	}
	assert_true(found);
	release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equations_give_the_libor_scores),
		cmocka_unit_test(libor_loop_is_a_conditional_candidate_from_four_iterations),
		cmocka_unit_test(a_pointer_is_as_many_words_as_said),
		cmocka_unit_test(the_tag_is_that_of_the_trip_count_expected),
		cmocka_unit_test(blocks_that_no_register_file_holds_are_not_chosen),
		cmocka_unit_test(a_loop_between_two_registers_is_conditional_on_their_difference),
		cmocka_unit_test(a_sum_with_the_counter_is_compared),
		cmocka_unit_test(a_loop_of_arithmetic_alone_is_in_no_candidate),
		cmocka_unit_test(vectoradd_is_one_unconditional_candidate),
		cmocka_unit_test(static_trip_count_multiplies),
		cmocka_unit_test(unknown_trip_count_counts_once),
		cmocka_unit_test(a_branch_stays_inside_its_block),
		cmocka_unit_test(forbidden_instructions_split_blocks),
		cmocka_unit_test(guarded_live_out_travels_both_ways),
		cmocka_unit_test(shuffles_are_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
