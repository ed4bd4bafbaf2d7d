/* The memory checker: which bytes are written, where allocations go, and what orders accesses inside a warp. The
 * planted bugs of tests/check show the rest. */
#include "rig.h"

#include "simt/check_priv.h"

enum { SHADOW_BYTES = 512, SHADOW_STEPS = 4000 };

static uint32_t random_state = 12345;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % n;
}

/* The bits against an array of flags, under random fills and copies of any alignment. */
static void test_shadow(void **state)
{
	static bool flags[SHADOW_BYTES], copy[SHADOW_BYTES];
	struct rig r;

	(void)state;
	rig_open_checked(&r, RIG_KERNEL(""));
	simt_check_set(r.check, r.out, SHADOW_BYTES, false);
	for (uint32_t step = 0; step < SHADOW_STEPS; step++) {
		const uint32_t at = random_below(SHADOW_BYTES), bytes = random_below(SHADOW_BYTES - at) + 1;
		const uint32_t from = random_below(SHADOW_BYTES - bytes + 1);

		if (random_below(3)) {
			const bool is_written = random_below(2);

			simt_check_set(r.check, r.out + at, bytes, is_written);
			memset(flags + at, is_written, bytes);
		} else {
			simt_check_copied(r.check, r.out + at, r.out + from, bytes);
			memcpy(copy, flags, sizeof(flags));
			memmove(flags + at, copy + from, bytes);
		}
		for (uint32_t size = 1; size <= 16; size *= 2) {
			const uint32_t probe = random_below(SHADOW_BYTES / size) * size;
			bool is_written = true;

			for (uint32_t k = 0; k < size; k++)
				is_written &= flags[probe + k];
			assert_int_equal(simt_check_is_written(r.check, r.out + probe, size), is_written);
		}
	}
	/* The host's own memory is written whatever it is. */
	assert_true(simt_check_is_written(r.check, (uint64_t)(uintptr_t)flags, 4));
	rig_close(&r);
}

static void test_allocations_keep_distance(void **state)
{
	struct rig r;

	(void)state;
	rig_open_checked(&r, RIG_KERNEL(""));
	const uint64_t a = simt_memory_alloc(r.mem, 100, 1, SIMT_ALLOC_DEVICE);
	const uint64_t b = simt_memory_alloc(r.mem, 1 << 20, 1, SIMT_ALLOC_DEVICE);
	const uint64_t c = simt_memory_alloc(r.mem, 100, 1, SIMT_ALLOC_DEVICE);

	assert_true(b >= a + 100 + 4096);
	assert_true(c >= b + (1 << 20) + (1 << 19));
	assert_true(simt_memory_release(r.mem, b));
	const uint64_t d = simt_memory_alloc(r.mem, 100, 1, SIMT_ALLOC_DEVICE);

	assert_true(d > c);
	assert_false(simt_memory_find(r.mem, b, 1));
	/* When nothing fresh is left, a freed range is as good as any. */
	const uint64_t big = simt_memory_alloc(r.mem, (1ull << 32) - (3 << 20), 1, SIMT_ALLOC_DEVICE);

	assert_true(big > d);
	const uint64_t reused = simt_memory_alloc(r.mem, 1 << 20, 1, SIMT_ALLOC_DEVICE);

	assert_true(reused > a && reused < c);
	rig_close(&r);
}

#define EXCHANGE_BEGIN                                                                                               \
	".address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>; .reg .b64 %rd<8>;\n"            \
	".shared .b32 s[32];\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s;\n" \
	"add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1; xor.b32 %r5, %r2, 4; add.u32 %r5, %r5, %r3;\n"
#define EXCHANGE_END                                                                                               \
	"ld.shared.u32 %r6, [%r5]; cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r6;\n" \
	"ret;\n}\n"

/* Lanes of one warp exchange values through shared memory, with nothing or something between. */
static uint32_t findings_of_exchange(const char *ptx)
{
	struct rig r;
	uint32_t count;

	rig_open_checked(&r, ptx);
	assert_true(rig_run(&r, "k", 1, 32, &r.out, 1));
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(r.words[i], i ^ 1);
	count = simt_check_finding_count(r.check);
	if (count) {
		assert_int_equal(simt_check_finding(r.check, 0)->kind, SIMT_FINDING_RACE);
		assert_int_equal(simt_check_finding(r.check, 0)->count, 32);
	}
	rig_close(&r);
	return count;
}

static void test_order_inside_a_warp(void **state)
{
	(void)state;
	assert_int_equal(findings_of_exchange(".version 6.0\n.target sm_70\n" EXCHANGE_BEGIN EXCHANGE_END), 1);
	/* Older targets run a warp in lockstep. */
	assert_int_equal(findings_of_exchange(".version 6.0\n.target sm_60\n" EXCHANGE_BEGIN EXCHANGE_END), 0);
	assert_int_equal(findings_of_exchange(".version 6.0\n.target sm_70\n" EXCHANGE_BEGIN
					      "bar.warp.sync 0xffffffff;\n" EXCHANGE_END),
			 0);
	assert_int_equal(findings_of_exchange(".version 6.0\n.target sm_70\n" EXCHANGE_BEGIN
					      "membar.cta;\n" EXCHANGE_END),
			 0);
}

static void expect_one(struct rig *r, const char *body, enum simt_finding_kind kind, const char *text)
{
	rig_open_checked(r, body);
	assert_true(rig_run(r, "k", 1, 32, &r->out, 1));
	assert_int_equal(simt_check_finding_count(r->check), 1);
	assert_int_equal(simt_check_finding(r->check, 0)->kind, kind);
	if (!strstr(simt_check_finding(r->check, 0)->text, text))
		fail_msg("%s", simt_check_finding(r->check, 0)->text);
}

static void test_parameters(void **state)
{
	struct rig r;

	(void)state;
	expect_one(&r,
		   RIG_KERNEL("mov.b64 %rd1, out; cvta.param.u64 %rd1, %rd1; st.u32 [%rd1], %t; st.u32 [%at], %t;"),
		   SIMT_FINDING_READONLY,
		   "write of 4 bytes at offset 0 of the kernel's parameters, which are read-only");
	/* The write is left out, the kernel goes on. */
	assert_int_equal(r.words[31], 31);
	rig_close(&r);
	expect_one(&r, RIG_KERNEL("ld.param.u32 %r1, [out+8]; st.u32 [%at], %r1;"), SIMT_FINDING_BOUNDS,
		   "offset 8 of the kernel's parameters, which has 8 bytes");
	assert_int_equal(r.words[31], 0);
	rig_close(&r);
}

/* A wrong read gives 0, also where the destination is the address. */
static void test_wrong_reads_give_zero(void **state)
{
	struct rig r;

	(void)state;
	expect_one(&r,
		   RIG_KERNEL("setp.gt.u32 %p1, %t, 15; mov.b64 %rd1, %at; @%p1 mov.b64 %rd1, 64;\n"
			      "mul.wide.u32 %rd2, %t, 8; add.u64 %rd3, %out, %rd2; st.u64 [%rd3], 7;\n"
			      "@!%p1 mov.b64 %rd1, %rd3; ld.u64 %rd1, [%rd1]; st.u64 [%rd3], %rd1;"),
		   SIMT_FINDING_BOUNDS, "read of 8 bytes at 0x40");
	assert_int_equal(r.words[2 * 15], 7);
	assert_int_equal(r.words[2 * 16], 0);
	assert_int_equal(simt_check_finding(r.check, 0)->count, 16);
	rig_close(&r);
}

/* What lies below a frame is unused stack to the hardware, and a finding here. */
static void test_below_the_frame(void **state)
{
	struct rig r;

	(void)state;
	rig_open_checked(&r, RIG_KERNEL(".local .align 4 .b8 own[16]; mov.b64 %rd1, own; st.local.u32 [%rd1-8], %t;\n"
					"st.local.u32 [%rd1], %t; ld.local.u32 %r1, [own]; st.u32 [%at], %r1;"));
	r.stack_bytes = 1024;
	assert_true(rig_run(&r, "k", 1, 32, &r.out, 1));
	assert_int_equal(simt_check_finding_count(r.check), 1);
	if (!strstr(simt_check_finding(r.check, 0)->text, "write of 4 bytes at offset -8 of local memory"))
		fail_msg("%s", simt_check_finding(r.check, 0)->text);
	assert_int_equal(r.words[31], 31);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shadow),
	    cmocka_unit_test(test_allocations_keep_distance),
	    cmocka_unit_test(test_order_inside_a_warp),
	    cmocka_unit_test(test_parameters),
	    cmocka_unit_test(test_wrong_reads_give_zero),
	    cmocka_unit_test(test_below_the_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
