/* test_estimate.c - what kernels' words say before they run: lines asked for the first time and again, by what their
 * addresses depend on; and the ways that are worth keeping as cache. */
#include <math.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <glib.h>

#include "dc/estimate.h"
#include "rig.h"

enum { LANES = 1024, LINE = 64, WORDS_OF_LANES = LANES * 4 / LINE, ROUNDS = 10 };

#define BEGIN                                                                                                      \
	".version 6.0\n.target sm_60\n.address_size 64\n"                                                          \
	".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 width)\n{\n"                               \
	".reg .u32 %r<16>; .reg .u64 %d<16>; .reg .f32 %f<8>; .reg .pred %p<4>; .shared .align 4 .b8 s[4096];\n"   \
	"ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r9, [width];\n"                            \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"       \
	"mul.wide.u32 %d3, %r4, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;\n"
#define END "st.global.f32 [%d5], %f1; ret; }\n"

/* CTAs of x by y threads. */
static struct dc_estimate estimate_of(const char *text, uint32_t x, uint32_t y)
{
	const uint32_t block[3] = {x, y, 1};
	struct dc_options o = dc_options_full;
	struct dc_estimate e;
	struct dc_kernel *k;
	struct dc_rig r;

	dc_rig_open(&r, text, "k");
	memcpy(o.block, block, sizeof(block));
	k = dc_rig_compile(r.program->entry, &o, &r.diag);
	assert_non_null(k);
	e = dc_estimate(k, LANES, block, LINE, ROUNDS, DC_ACCESS_CYCLES);
	dc_kernel_free(k);
	dc_rig_close(&r);
	return e;
}

static struct dc_estimate estimate(const char *text)
{
	return estimate_of(text, LANES, 1);
}

static void count_is(const char *what, double is, double expected)
{
	if (fabs(is - expected) > 1e-9)
		fail_msg("%s: %g, expected %g", what, is, expected);
}

static void lines_are(const char *what, const struct dc_estimate *e, double fresh, double again, double kept,
		      double common)
{
	if (fabs(e->fresh_lines - fresh) > 1e-9 || fabs(e->again_lines - again) > 1e-9 ||
	    fabs(e->kept_bytes - kept) > 1e-9 || fabs(e->common_bytes - common) > 1e-9)
		fail_msg("%s: %g lines, %g again, %g bytes kept, %g common; expected %g, %g, %g, %g", what,
			 e->fresh_lines, e->again_lines, e->kept_bytes, e->common_bytes, fresh, again, kept, common);
}

static void test_lines(void **state)
{
	struct dc_estimate e;

	(void)state;
	e = estimate(BEGIN "ld.global.f32 %f1, [%d4];" END);
	lines_are("a stream", &e, 2 * WORDS_OF_LANES, 0, 0, 0);
	assert_false(e.uses_segments);
	/* A neighbour, and that of the next row: the same lines again, by this control block or the next. */
	e = estimate(BEGIN "ld.global.f32 %f1, [%d4]; ld.global.f32 %f2, [%d4+4]; add.u32 %r5, %r4, %r9;\n"
			   "mul.wide.u32 %d6, %r5, 4; add.u64 %d7, %d1, %d6; ld.global.f32 %f3, [%d7];\n"
			   "add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f3;" END);
	lines_are("neighbours", &e, 2 * WORDS_OF_LANES, 2 * WORDS_OF_LANES, WORDS_OF_LANES * LINE, 0);
	/* The same index in another array is no neighbour. */
	e = estimate(BEGIN "ld.global.f32 %f1, [%d4]; ld.global.f32 %f2, [%d5]; add.f32 %f1, %f1, %f2;" END);
	lines_are("two arrays", &e, 2 * WORDS_OF_LANES, WORDS_OF_LANES, WORDS_OF_LANES * LINE, 0);
	e = estimate(BEGIN "mul.wide.u32 %d6, %r1, 4; add.u64 %d7, %d1, %d6; ld.global.f32 %f1, [%d7];" END);
	lines_are("a table", &e, WORDS_OF_LANES, WORDS_OF_LANES, 0, WORDS_OF_LANES * LINE);
	e = estimate(BEGIN "ld.global.u32 %r5, [%d4]; mul.wide.u32 %d6, %r5, 4; add.u64 %d7, %d1, %d6;\n"
			   "ld.global.f32 %f1, [%d7];" END);
	lines_are("a gather", &e, 2 * WORDS_OF_LANES + LANES, 0, 0, 0);
}

/* CTAs of 16 by 16 threads, four in a control block: an element of each row of a CTA is 64 in all, and one of each
 * column that no CTA's number is in is 16. */
static void test_rows(void **state)
{
	enum { SIDE = 16, CTAS = LANES / (SIDE * SIDE) };
	struct dc_estimate e;

	(void)state;
	e = estimate_of(BEGIN "mov.u32 %r5, %tid.y; mad.lo.u32 %r6, %r2, 16, %r5; mul.wide.u32 %d6, %r6, 4;\n"
			      "add.u64 %d7, %d1, %d6; ld.global.f32 %f1, [%d7]; mad.lo.u32 %r6, %r6, 16, %r1;\n"
			      "mul.wide.u32 %d6, %r6, 4; add.u64 %d5, %d2, %d6;" END,
			SIDE, SIDE);
	lines_are("an element of a row", &e, SIDE * CTAS * 4.0 / LINE + WORDS_OF_LANES, 0, 0, 0);
	e = estimate_of(BEGIN "mov.u32 %r5, %tid.y; mad.lo.u32 %r6, %r2, 16, %r5; mul.wide.u32 %d6, %r1, 4;\n"
			      "add.u64 %d7, %d1, %d6; ld.global.f32 %f1, [%d7]; mad.lo.u32 %r6, %r6, 16, %r1;\n"
			      "mul.wide.u32 %d6, %r6, 4; add.u64 %d5, %d2, %d6;" END,
			SIDE, SIDE);
	lines_are("an element of a column", &e, WORDS_OF_LANES, 1, 0, LINE);
	/* Without a lane in it, what a CTA has is one element. */
	count_is("elements", dc_elements_of(DC_OF_CTA, LANES, (const uint32_t[3]){SIDE, SIDE, 1}), CTAS);
	count_is("elements", dc_elements_of(DC_OF_Z | DC_OF_CTA, LANES, (const uint32_t[3]){32, 8, 8}), 8);
	count_is("elements", dc_elements_of(0, LANES, (const uint32_t[3]){SIDE, SIDE, 1}), 1);
	count_is("elements", dc_elements_of(DC_OF_MEMORY, LANES, (const uint32_t[3]){SIDE, SIDE, 1}), LANES);
}

static void test_loops(void **state)
{
	struct dc_estimate e, once;

	(void)state;
	once = estimate(BEGIN "ld.global.f32 %f1, [%d4];" END);
	e = estimate(BEGIN "mov.u32 %r5, 0; mov.f32 %f1, 0f00000000;\n"
			   "L: ld.global.f32 %f2, [%d4]; add.f32 %f1, %f1, %f2; add.u32 %r5, %r5, 1;\n"
			   "setp.lt.u32 %p1, %r5, %r9; @%p1 bra L;" END);
	lines_are("the same lines each round", &e, 2 * WORDS_OF_LANES, (ROUNDS - 1) * WORDS_OF_LANES,
		  WORDS_OF_LANES * LINE, 0);
	assert_true(e.compute_cycles > ROUNDS * 500); /* an addition of floats a round */
	assert_true(e.operations > once.operations + 4 * (ROUNDS - 1));
	e = estimate(BEGIN "mov.u32 %r5, 0; mov.f32 %f1, 0f00000000;\n"
			   "L: ld.global.f32 %f2, [%d4]; add.f32 %f1, %f1, %f2; add.u32 %r5, %r5, 1;\n"
			   "add.u64 %d4, %d4, 4096; setp.lt.u32 %p1, %r5, %r9; @%p1 bra L;" END);
	lines_are("others each round", &e, (1 + ROUNDS) * WORDS_OF_LANES, 0, 0, 0);
}

static void test_segments(void **state)
{
	const struct dc_estimate e =
	    estimate(BEGIN "ld.global.f32 %f1, [%d4]; shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.u32 %r5, %r5, %r6;\n"
			   "st.shared.f32 [%r5], %f1; bar.sync 0; ld.shared.f32 %f1, [s];" END);

	(void)state;
	assert_true(e.uses_segments);
	lines_are("shared memory", &e, 2 * WORDS_OF_LANES, WORDS_OF_LANES + 1, 0, 0);
	/* Streams, and what is a control block's own: copies are of no use to it. */
	count_is("of homes", e.home_lines, 3 * WORDS_OF_LANES + 1);
}

/* Threads that a branch or guard leaves out by their places, of CTAs of 16 rows of 16: every other row, all but a
 * column, the rows behind the fourth; what is written twice or comes from memory is taken by all. An address of a
 * column has 64 elements in a control block, which are four lines. */
static void test_reach(void **state)
{
	enum { SIDE = 16, LINES = 4 };
	static const struct {
		const char *condition;
		double share;
	} cases[] = {{"mov.u32 %r6, %tid.y; and.b32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0;", 0.5},
		     {"mov.u32 %r6, %tid.x; setp.ne.u32 %p1, %r6, 3;", 1},
		     {"mov.u32 %r6, %tid.y; setp.ge.u32 %p1, %r6, 4;", 0.25},
		     {"mov.u32 %r6, %tid.y; setp.ge.u32 %p2, %r6, 4; not.pred %p3, %p2; and.pred %p1, %p2, %p3;", 1},
		     {"mov.u32 %r6, %tid.y; setp.ge.u32 %p1, %r6, 4; setp.ge.u32 %p1, %r6, 8;", 1},
		     {"ld.global.u32 %r6, [%d1]; setp.ge.u32 %p1, %r6, 4;", 1}};

	(void)state;
	for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *const condition = cases[i].condition;
		g_autofree char *branch = g_strconcat(BEGIN "ld.global.f32 %f1, [%d4]; ", condition,
						      "@%p1 bra L;\nst.global.f32 [%d5], %f1;\nL: ret; }\n", NULL);
		g_autofree char *guard = g_strconcat(BEGIN "ld.global.f32 %f1, [%d4]; ", condition,
						     "@!%p1 st.global.f32 [%d5], %f1; ret; }\n", NULL);

		count_is(condition, estimate_of(branch, SIDE, SIDE).fresh_lines, LINES * (1 + cases[i].share));
		count_is(condition, estimate_of(guard, SIDE, SIDE).fresh_lines, LINES * (1 + cases[i].share));
	}
}

static void test_ways(void **state)
{
	struct dc_estimate_place at = {.units = 560,
				       .slices = 28,
				       .ways = 20,
				       .unused_is_cache = true,
				       .way_bytes = 128 << 10,
				       .line_bytes = LINE,
				       .memory_bytes_per_cycle = 61};
	struct dc_estimate e = {.compute_cycles = 10000, .fresh_lines = 1000};

	(void)state;
	/* What is asked for once gains nothing from a cache. */
	assert_int_equal(dc_estimate_ways(&e, &at, 0, 9), 0);
	assert_int_equal(dc_estimate_ways(&e, &at, 3, 9), 3);
	/* What is asked for again does: as many ways as hold it, no more. */
	e.again_lines = 10000;
	e.kept_bytes = 32 << 10;
	assert_int_equal(dc_estimate_ways(&e, &at, 0, 9), 4);
	/* Unless computing takes longer than memory. */
	e.compute_cycles = 100e6;
	assert_int_equal(dc_estimate_ways(&e, &at, 0, 9), 0);
	/* Ways that nobody computes in are cache already. */
	e.compute_cycles = 10000;
	at.units = 100;
	assert_int_equal(dc_estimate_ways(&e, &at, 0, 9), 0);
	at.unused_is_cache = false;
	assert_int_equal(dc_estimate_ways(&e, &at, 0, 9), 1);
	/* Two waves for one are worth less than what misses cost here. */
	at.units = 560;
	e.again_lines = 1;
	assert_int_equal(dc_estimate_ways(&e, &at, 0, 9), 0);
	/* Memory as time: 560 blocks of 1,000 lines, 61 bytes a cycle. */
	e = (struct dc_estimate){.compute_cycles = 10000, .fresh_lines = 1000};
	assert_true(fabs(dc_estimate_cycles(&e, &at, 0) - (10000 + 560 * 1000 * 64 / 61.0)) < 1e-6);
	assert_true(fabs(dc_estimate_cycles(&e, &at, 10) - (20000 + 560 * 1000 * 64 / 61.0)) < 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines),	 cmocka_unit_test(test_rows),
					   cmocka_unit_test(test_reach),	 cmocka_unit_test(test_loops),
					   cmocka_unit_test(test_segments), cmocka_unit_test(test_ways)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
