/* What of a CTA travels when it moves to another SM: its size, its digest, and what its warps see afterwards. */
#include "rig.h"

/* Shared memory of 64 bytes; warp 1 of 48 threads has 16 lanes. %r3 parts the lanes of a warp. */
static const char text[] = RIG_KERNEL(".shared .align 4 .b8 tile[64];\n"
				      "mov.u32 %r1, %smid;\n"
				      "st.shared.u32 [tile], %t;\n"
				      "and.b32 %r3, %t, 1;\n"
				      "setp.eq.u32 %p1, %r3, 0;\n"
				      "@%p1 bra even;\n"
				      "add.u32 %r1, %r1, 100;\n"
				      "bra.uni met;\n"
				      "even:\n"
				      "add.u32 %r1, %r1, 200;\n"
				      "met:\n"
				      "mov.u32 %r2, %smid;\n"
				      "add.u32 %r1, %r1, %r2;\n"
				      "st.global.u32 [%at], %r1;\n");

static struct simt_cta *begin(struct rig *r)
{
	rig_open(r, text);
	assert_true(rig_build(r, "k"));
	memcpy(r->params, &r->out, sizeof(r->out));
	r->launch = (struct simt_launch){
	    .program = r->program, .mem = r->mem, .grid = {1, 1, 1}, .block = {48, 1, 1}, .params = r->params};
	assert_true(simt_launch_begin(&r->launch, 2, &r->diag));
	return simt_cta_begin(&r->launch, 0, 3);
}

static void finish(struct rig *r, struct simt_cta *c)
{
	simt_cta_end(c);
	simt_launch_end(&r->launch);
	rig_close(r);
}

static void step_until(struct rig *r, struct simt_warp *w, bool is_diverged)
{
	struct simt_step out;

	while (simt_warp_is_diverged(w) != is_diverged)
		assert_true(simt_step(&r->launch, w, &out));
}

static void run(struct rig *r, struct simt_cta *c)
{
	struct simt_step out;

	for (uint32_t i = 0; i < 2; i++) {
		while (!simt_cta_warp(c, i)->is_done)
			assert_true(simt_step(&r->launch, simt_cta_warp(c, i), &out));
	}
}

static void size_counts_live_lanes_and_entries(void **state)
{
	struct rig r;
	struct simt_cta *c = begin(&r);
	const struct simt_program *p = r.program;
	uint64_t warps_bytes = 48 * 4ull * p->slot_count + 2 * 4ull * p->pred_count;
	struct simt_step out;

	(void)state;
	assert_int_equal(simt_cta_context_bytes(&r.launch, c), 64 + warps_bytes + 2 * 12);
	step_until(&r, simt_cta_warp(c, 0), true);
	assert_int_equal(simt_cta_warp(c, 0)->stack_depth, 3);
	assert_int_equal(simt_cta_context_bytes(&r.launch, c), 64 + warps_bytes + 4 * 12);
	/* A warp that has ended does not travel. */
	while (!simt_cta_warp(c, 1)->is_done)
		assert_true(simt_step(&r.launch, simt_cta_warp(c, 1), &out));
	assert_int_equal(simt_cta_context_bytes(&r.launch, c),
			 64 + 32 * 4ull * p->slot_count + 4ull * p->pred_count + 3 * 12);
	finish(&r, c);
}

/* Every instruction of every warp changes the digest; moving does not. */
static void digest_sees_each_step(void **state)
{
	struct rig r;
	struct simt_cta *c = begin(&r);
	uint64_t before = simt_cta_digest(&r.launch, c), after;
	struct simt_step out;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct simt_warp *w = simt_cta_warp(c, i);

		while (!w->is_done) {
			assert_true(simt_step(&r.launch, w, &out));
			after = simt_cta_digest(&r.launch, c);
			assert_int_not_equal(after, before);
			simt_cta_move(&r.launch, c, 8 - i);
			assert_int_equal(simt_cta_digest(&r.launch, c), after);
			before = after;
		}
	}
	finish(&r, c);
}

/* %smid read before the move and after it, by diverged lanes that go on where they stood. */
static void goes_on_elsewhere(void **state)
{
	struct rig r;
	struct simt_cta *c = begin(&r);

	(void)state;
	step_until(&r, simt_cta_warp(c, 0), true);
	step_until(&r, simt_cta_warp(c, 1), true);
	simt_cta_move(&r.launch, c, 7);
	assert_int_equal(simt_cta_warp(c, 1)->smid, 7);
	run(&r, c);
	for (uint32_t t = 0; t < 48; t++)
		assert_int_equal(r.words[t], 3 + (t % 2 ? 100 : 200) + 7);
	finish(&r, c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(size_counts_live_lanes_and_entries),
	    cmocka_unit_test(digest_sees_each_step),
	    cmocka_unit_test(goes_on_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
