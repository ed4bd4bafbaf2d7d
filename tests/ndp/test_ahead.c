/* What is known of a block's accesses where it makes its first one: the loads behind it whose address registers nothing
 * between writes, and no others, as many as the policy looks at. */
#include "ndp/carry/carry.h"
#include "ndp/carry/destination.h"
#include "rig.h"

static const char *const tom[] = {"gpu.stack_sm_count", "1", "ndp.mechanism", "tom", "ndp.tom_control", "none", NULL};

/* The third load's address comes from the first load, the fifth's from an addition behind it; the sixth is guarded by a
 * comparison of what was loaded. */
static const char kernel[] =
	KERNEL_WITH("", "mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4;\n"
			"bar.sync 0;\n"
			"ld.global.u32 %r5, [%rd5];\n"
			"ld.global.u32 %r6, [%rd5+1024];\n"
			"mul.wide.u32 %rd8, %r5, 4; add.u64 %rd9, %rd1, %rd8;\n"
			"ld.global.u32 %r7, [%rd9];\n"
			"ld.global.u32 %r8, [%rd5+2048];\n"
			"add.u64 %rd10, %rd5, 256; ld.global.u32 %r9, [%rd10];\n"
			"setp.ne.u32 %p1, %r5, 7; @%p1 ld.global.u32 %r9, [%rd5+512];\n"
			"ld.global.u32 %r10, [%rd5+3072];\n"
			"add.u32 %r11, %r6, %r7; add.u32 %r12, %r8, %r9; add.u32 %r13, %r11, %r12;\n"
			"add.u32 %r14, %r13, %r10; st.global.u32 [%rd6], %r14;\n"
			"bar.sync 0;\n");

static uint32_t accesses, asked, first_count, known_count;
static uint64_t offsets[CARRY_ACCESSES_MAX];

static uint32_t ahead(void *ctx)
{
	(void)ctx;
	return accesses;
}

static struct carry_verdict access_seen(void *ctx, struct gpu *g, const struct carry_access *a, uint32_t mask,
					uint32_t mark, uint32_t step_count)
{
	(void)ctx, (void)g, (void)mask, (void)mark, (void)step_count;
	assert_in_range(a->known_count, 1, CARRY_ACCESSES_MAX);
	asked++;
	first_count = a->count;
	known_count = a->known_count;
	for (uint32_t i = 0; i < a->known_count; i++)
		offsets[i] = a->lines[i] - a->lines[0];
	return (struct carry_verdict){.why = "a test"};
}

static void change(struct carry_policy *ops)
{
	ops->ahead = ahead;
	ops->block_access = access_seen;
	ops->add_stats = NULL; /* TOM's counts say what it has answered */
}

static void loads_that_are_known(void **state)
{
	static const uint64_t known[] = {0, 1024, 2048, 3072};

	(void)state;
	for (accesses = 1; accesses <= CARRY_ACCESSES_MAX; accesses++) {
		const uint32_t expected = accesses < 4 ? accesses : 4;
		struct rig r;

		asked = 0;
		rig_open(&r, kernel, tom, NULL, change);
		assert_true(rig_run(&r, 1, 32, 1));
		assert_int_equal(asked, 1);
		assert_int_equal(first_count, 1);
		assert_int_equal(known_count, expected);
		assert_memory_equal(offsets, known, expected * sizeof(*known));
		/* Looking changed nothing: 256 + i, i, 512 + i; 128 + i where the element is not 7, else 64 + i. */
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(r.out[i], (256 + i) + i + (512 + i) + (i == 7 ? 64 + i : 128 + i) + (768 + i));
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_that_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
