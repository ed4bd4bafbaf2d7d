/* test_memory.c - every space and width, atomics, faults and their messages, the allocator. */
#include "rig.h"

static void expect_words(const char *text, uint32_t threads, const uint32_t *want, uint32_t count)
{
	struct rig r;

	rig_check(&r, text, 1, threads);
	for (uint32_t i = 0; i < count; i++)
		if (r.words[i] != want[i])
			fail_msg("word %u: 0x%x, expected 0x%x", i, r.words[i], want[i]);
	rig_close(&r);
}

static void test_widths(void **state)
{
	static const uint32_t want[] = {0xffffff80, 0x80, 0xffff8180, 0x8180, 0xffffff80, 0xffffffff, 0x84838281, 0};

	(void)state;
	expect_words(RIG_KERNEL(".global .align 8 .b8 src[8] = {128, 129, 130, 131, 132, 133, 134, 135};\n"
				".global .align 4 .u32 word = 0x84838281;\n"
				"ld.global.s8 %r1, [src]; ld.global.u8 %r2, [src]; ld.global.s16 %r3, [src]; "
				"ld.global.u16 %r4, [src];\n"
				"st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};\n"
				"ld.global.s8 %rd1, [src]; st.global.u64 [%out+16], %rd1;\n"
				"ld.global.u32 %rd2, [word]; st.global.u64 [%out+24], %rd2;\n"),
		     1, want, 8);
}

static void test_vectors_and_sinks(void **state)
{
	static const uint32_t want[] = {11, 44, 0x0201, 0x03};

	(void)state;
	expect_words(RIG_KERNEL(".const .align 16 .u32 c[4] = {11, 22, 33, 44};\n"
				".global .align 4 .b8 g[4] = {1, 2, 3, 4};\n"
				"ld.const.v4.u32 {%r1, _, _, %r2}, [c]; st.global.v2.u32 [%out], {%r1, %r2};\n"
				"ld.global.v4.u8 {%h1, %h2, %h3, _}, [g]; st.global.v2.u8 [%out+8], {%h1, %h2};\n"
				"st.global.u8 [%out+12], %h3;"),
		     1, want, 4);
}

/* The same bytes through local memory, its generic address, and as 64-bit values and bytes. */
static void test_local(void **state)
{
	(void)state;
	uint32_t want[64];

	for (uint32_t i = 0; i < 64; i++)
		want[i] = i * 0x01010101u + (i * 7 & 0xff);
	expect_words(
	    RIG_KERNEL(
		".local .align 8 .b8 buf[32];\n"
		"mul.lo.u32 %r1, %t, 0x01010101; mov.u32 %r2, 5; mov.b64 %rd1, {%r2, %r1}; st.local.u64 [buf+8], "
		"%rd1;\n"
		"mov.u64 %rd2, buf; cvta.local.u64 %rd3, %rd2; ld.u32 %r3, [%rd3+12];\n"
		"mul.lo.u32 %r4, %t, 7; st.u8 [%rd3+21], %r4; ld.local.u8 %r5, [buf+21]; add.u32 %r6, %r3, %r5;\n"
		"st.global.u32 [%at], %r6;"),
	    64, want, 64);
}

static void test_generic_mixed(void **state)
{
	uint32_t want[32];

	(void)state;
	for (uint32_t i = 0; i < 32; i++)
		want[i] = i % 3 == 0 ? 1000 : i % 3 == 1 ? 2000 : 3000;
	expect_words(RIG_KERNEL(".local .align 4 .b32 l; .shared .align 4 .b32 s; .global .align 4 .u32 g = 3000;\n"
				"st.local.u32 [l], 1000; st.shared.u32 [s], 2000;\n"
				"cvta.local.u64 %rd1, l; cvta.shared.u64 %rd2, s; cvta.global.u64 %rd3, g;\n"
				"rem.u32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;\n"
				"selp.b64 %rd4, %rd2, %rd3, %p2; selp.b64 %rd4, %rd1, %rd4, %p1; ld.u32 %r2, [%rd4];\n"
				"isspacep.local %p3, %rd4; xor.pred %p4, %p3, %p1; @%p4 trap;\n"
				"isspacep.shared %p3, %rd4; @!%p1 xor.pred %p4, %p3, %p2; @%p4 trap;\n"
				"st.global.u32 [%at], %r2;"),
		     32, want, 32);
}

static void test_dynamic_shared(void **state)
{
	uint32_t want[32];

	(void)state;
	for (uint32_t i = 0; i < 32; i++)
		want[i] = 31 - i;
	expect_words(
	    RIG_HEAD
	    ".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .b8 pad[20];\n"
	    ".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
	    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
	    "st.shared.u32 [pad], 7; mov.u32 %r2, dyn; mad.lo.u32 %r3, %r1, 4, %r2;\n"
	    "st.shared.u32 [%r3], %r1; bar.sync 0; sub.u32 %r4, 31, %r1; mad.lo.u32 %r5, %r4, 4, %r2;\n"
	    "ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd1], %r6; ret; }\n",
	    32, want, 32);
}

/* ---- atomics ---- */

static void test_atomics_32(void **state)
{
	/* 64 threads on words 0..11, then old values of inc by thread at 64.. */
	static const uint32_t want[] = {64 * 63 / 2, 63, 0, 0xffffffe0, 31, 0, 0xffffffff, 0, 4, 64, 0x42800000};

	(void)state;
	expect_words(
	    RIG_KERNEL("mov.u32 %r9, %t;\n"
		       "red.global.add.u32 [%out], %t; red.global.max.u32 [%out+4], %t;\n"
		       "red.global.min.u32 [%out+8], %t; sub.u32 %r1, %t, 32; red.global.min.s32 [%out+12], %r1;\n"
		       "red.global.max.s32 [%out+16], %r1; red.global.and.b32 [%out+20], %t;\n"
		       "or.b32 %r2, %t, 0xfffffff0; red.global.or.b32 [%out+24], %r2;\n"
		       "red.global.xor.b32 [%out+28], %t; atom.global.inc.u32 %r3, [%out+32], 4;\n"
		       "setp.gt.u32 %p1, %r3, 4; @%p1 trap; atom.global.add.u32 %r4, [%out+36], 1;\n"
		       "setp.ne.u32 %p2, %r4, %t; @%p2 trap; red.global.add.f32 [%out+40], 0f3F800000;"),
	    64, want, 11);
}

static void test_atomics_64_and_half(void **state)
{
	static const uint32_t want[] = {0xffffffe0, 0x1f, 0, 0x40040000, 0x5000, 0x50005000, 9, 0};

	(void)state;
	expect_words(RIG_KERNEL("mov.u64 %rd1, 0xffffffff; red.global.add.u64 [%out], %rd1;\n"
				"mov.f64 %fd1, 0d3FB4000000000000; red.global.add.f64 [%out+8], %fd1;\n"
				"mov.b16 %h1, 0x3c00; atom.global.add.noftz.f16 %h2, [%out+16], %h1;\n"
				"mov.b32 %r1, 0x3c003c00; atom.global.add.noftz.f16x2 %r2, [%out+20], %r1;\n"
				"cvt.u16.u32 %h3, %t; add.u16 %h4, %h3, 1; setp.gt.u32 %p1, %t, 8;\n"
				"@!%p1 atom.global.cas.b16 %h5, [%out+24], %h3, %h4;"),
		     32, want, 8);
}

static void test_shared_atomics(void **state)
{
	static const uint32_t want[] = {96, 0xc0};

	(void)state;
	expect_words(
	    RIG_KERNEL(".shared .align 4 .b32 n; .shared .align 8 .b64 m;\n"
		       "red.shared.add.u32 [n], 1; cvta.shared.u64 %rd1, m; atom.add.u64 %rd2, [%rd1], 2; bar.sync 0;\n"
		       "ld.shared.u32 %r1, [n]; ld.shared.u32 %r2, [m]; st.global.v2.u32 [%out], {%r1, %r2};"),
	    96, want, 2);
}

/* ---- faults ---- */

static void expect_fault(const char *text, enum simt_fault_kind kind, const char *const *parts)
{
	struct rig r;

	rig_check_fault(&r, text, 1, 64, kind);
	for (; *parts; parts++)
		if (!strstr(r.launch.fault.text, *parts))
			fail_msg("\"%s\" is not in: %s", *parts, r.launch.fault.text);
	rig_close(&r);
}

static void test_out_of_bounds(void **state)
{
	(void)state;
	expect_fault(
	    RIG_KERNEL("setp.eq.u32 %p1, %t, 37; mov.u64 %rd1, %out; @%p1 add.u64 %rd1, %out, 16384;\n"
		       "st.global.u32 [%rd1+8], 1;"),
	    SIMT_FAULT_ADDRESS,
	    (const char *[]){"kernel k, test.ptx line 12 (st.global.u32 [%rd1+8], 1;), CTA (0,0,0), thread (37,0,0): "
			     "illegal write of 4 bytes at 0x2000000",
			     "8 bytes past the end of the nearest allocation, 0x20000000",
			     "of 16384 bytes, device memory", NULL});
	expect_fault(RIG_KERNEL("mov.u64 %rd1, 16; ld.global.u32 %r1, [%rd1];"), SIMT_FAULT_ADDRESS,
		     (const char *[]){"illegal read of 4 bytes at 0x10;", "bytes before the nearest allocation", NULL});
	expect_fault(RIG_KERNEL(".shared .align 4 .b8 s[16]; mov.u32 %r1, s; ld.shared.u32 %r2, [%r1+1040];"),
		     SIMT_FAULT_ADDRESS,
		     (const char *[]){"illegal read of 4 bytes at 0x410 of shared memory, which has 1040 bytes", NULL});
	expect_fault(RIG_KERNEL(".local .align 4 .b8 s[16]; mov.u64 %rd1, s; ld.local.u32 %r2, [%rd1+16];"),
		     SIMT_FAULT_ADDRESS,
		     (const char *[]){"illegal read of 4 bytes at 0x100010 of local memory; the thread's is "
				      "0x100000 to 0x10000f, its frames begin at 0x100000",
				      NULL});
}

/* What shares a page with an allocation: named by a fault, or let pass; never what is the simulator's. */
static void test_bounds_of_pages(void **state)
{
	static const uint64_t page_bytes = SIMT_PROTECTION_BYTES;
	struct rig r;

	(void)state;
	rig_open(&r, RIG_KERNEL("ld.global.u32 %r1, [%at+128]; st.global.u32 [%at+128], %r1;"));
	const uint64_t at = simt_memory_alloc(r.mem, 128, page_bytes, SIMT_ALLOC_DEVICE);
	const uint64_t local = simt_memory_alloc(r.mem, page_bytes, page_bytes, SIMT_ALLOC_LOCAL);

	assert_true(simt_memory_shares_page(r.mem, at + 128, 4));
	assert_true(simt_memory_shares_page(r.mem, at + page_bytes - 4, 4));
	assert_false(simt_memory_shares_page(r.mem, at + page_bytes - 2, 4));
	assert_false(simt_memory_shares_page(r.mem, at + page_bytes, 4));
	assert_false(simt_memory_shares_page(r.mem, local, 4));
	assert_false(simt_memory_shares_page(r.mem, 16, 4));
	assert_false(simt_memory_shares_page(r.mem, UINT64_MAX - 3, 4));

	assert_false(rig_run(&r, "k", 1, 32, &at, 1));
	assert_non_null(strstr(r.launch.fault.text, "illegal read of 4 bytes"));
	assert_non_null(strstr(r.launch.fault.text, "--set run.bounds=page"));
	simt_memory_tolerate_pages(r.mem);
	assert_true(rig_run(&r, "k", 1, 32, &at, 1));

	const uint64_t far = at + page_bytes - 256 + 4;

	assert_false(rig_run(&r, "k", 1, 32, &far, 1));
	assert_null(strstr(r.launch.fault.text, "run.bounds"));
	assert_true(simt_memory_release(r.mem, at));
	assert_false(simt_memory_shares_page(r.mem, at + 128, 4));
	rig_close(&r);
}

/* Where pages decide, the first allocation is not at the first byte of its page; a fault names the switch where it
 * would not be one. */
static void test_before_the_first_allocation(void **state)
{
	const uint64_t page_bytes = SIMT_PROTECTION_BYTES;
	struct rig r;
	uint64_t at;

	(void)state;
	rig_open(&r, RIG_KERNEL("ld.global.u32 %r1, [%at+-512];"));
	assert_false(rig_run(&r, "k", 1, 32, &r.out, 1));
	assert_non_null(strstr(r.launch.fault.text, "run.bounds=page"));
	at = r.out - page_bytes;
	assert_false(rig_run(&r, "k", 1, 32, &at, 1));
	assert_null(strstr(r.launch.fault.text, "run.bounds"));
	assert_true(simt_memory_release(r.mem, r.out));
	simt_memory_tolerate_pages(r.mem);
	at = simt_memory_alloc(r.mem, 128, page_bytes, SIMT_ALLOC_DEVICE);
	assert_int_equal(at, SIMT_ARENA_BASE + page_bytes);
	assert_true(rig_run(&r, "k", 1, 32, &at, 1));
	rig_close(&r);
}

static void test_misaligned(void **state)
{
	(void)state;
	expect_fault(RIG_KERNEL("ld.global.v2.u32 {%r1, %r2}, [%out+4];"), SIMT_FAULT_ALIGNMENT,
		     (const char *[]){"misaligned read at 0x20000000", "must be a multiple of 8", NULL});
	expect_fault(RIG_KERNEL(".shared .align 4 .b8 s[16]; st.shared.u16 [s+1], %h1;"), SIMT_FAULT_ALIGNMENT,
		     (const char *[]){"misaligned write at 0x1: the address must be a multiple of 2", NULL});
}

static void test_use_after_free(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, RIG_KERNEL("ld.global.u32 %r1, [%at];"));
	uint64_t gone = simt_memory_alloc(r.mem, 4096, 1, SIMT_ALLOC_DEVICE);

	assert_true(simt_memory_release(r.mem, gone));
	assert_false(rig_run(&r, "k", 1, 32, &gone, 1));
	assert_non_null(strstr(r.launch.fault.text, "0 bytes into the nearest allocation"));
	assert_non_null(strstr(r.launch.fault.text, "(freed)"));
	rig_close(&r);
}

/* ---- the stack ---- */

/* Threads write their number below the frame, from the lowest byte of the stack on, through both kinds of address; what
 * they read back must be theirs, and the frame untouched. */
#define BELOW_FRAME(lowest)                                                                                    \
	RIG_KERNEL(".local .align 8 .b8 frame[16];\n"                                                         \
		   "mov.u64 %rd1, frame; cvta.local.u64 %rd2, %rd1; mov.u32 %r1, 1000;\n"                      \
		   "add.u32 %r2, %t, 2000; mul.lo.u32 %r3, %t, 3; cvt.u64.u32 %rd3, %r3;\n"                    \
		   "st.local.u32 [frame], %r1; st.u32 [%rd2-" lowest "], %t; st.local.u32 [%rd1-4], %r2;\n"    \
		   "st.local.u64 [%rd1-16], %rd3; bar.sync 0;\n"                                              \
		   "ld.local.u32 %r4, [%rd1-" lowest "]; ld.u32 %r5, [%rd2-4]; ld.u64 %rd4, [%rd2-16];\n"      \
		   "ld.local.u32 %r6, [frame]; add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6;\n"                \
		   "cvt.u32.u64 %r7, %rd4; add.u32 %r4, %r4, %r7; st.global.u32 [%at], %r4;")

static void test_stack_below_the_frame(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, BELOW_FRAME("1008"));
	r.stack_bytes = 1024;
	if (!rig_run(&r, "k", 2, 64, &r.out, 1))
		fail_msg("%s", r.launch.fault.text);
	for (uint32_t i = 0; i < 128; i++)
		assert_int_equal(r.words[i], 3000 + 5 * (i % 64));
	rig_close(&r);
}

static void expect_below_fault(const char *text, uint32_t stack_bytes, const char *part)
{
	struct rig r;

	rig_open(&r, text);
	r.stack_bytes = stack_bytes;
	assert_false(rig_run(&r, "k", 1, 64, &r.out, 1));
	assert_int_equal(r.launch.fault.kind, SIMT_FAULT_ADDRESS);
	if (!strstr(r.launch.fault.text, part))
		fail_msg("\"%s\" is not in: %s", part, r.launch.fault.text);
	rig_close(&r);
}

static void test_stack_ends(void **state)
{
	(void)state;
	expect_below_fault(BELOW_FRAME("1012"), 1024,
			   "illegal write of 4 bytes at 0xffc0c of local memory; the thread's is 0xffc10 to 0x10000f, "
			   "its frames begin at 0x100000 (what lies below is unused stack: cudaLimitStackSize)");
	/* The frame has all of the stack. */
	expect_below_fault(BELOW_FRAME("1008"), 16, "illegal write of 4 bytes at 0xffc10 of local memory; the thread's "
						    "is 0x100000 to 0x10000f");
}

/* A called function's frame lies below its caller's, aligned as the strictest variable of both. */
static void test_stack_grows_down(void **state)
{
	static const uint32_t want[] = {64, 0, 5, 7};

	(void)state;
	expect_words(RIG_HEAD
		     ".func (.param .u64 place) f() {\n"
		     ".reg .b64 %a; .local .align 64 .b8 own[40];\n"
		     "st.local.u32 [own], 7; mov.u64 %a, own; cvta.local.u64 %a, %a; st.param.u64 [place], %a; ret; }\n"
		     ".visible .entry k(.param .u64 out) {\n"
		     ".reg .b64 %out, %a, %b; .reg .b32 %r<3>; .local .align 8 .b8 own[24];\n"
		     "ld.param.u64 %out, [out]; st.local.u32 [own], 5;\n"
		     "{ .param .u64 place; call (place), f, (); ld.param.u64 %a, [place]; }\n"
		     "mov.u64 %b, own; cvta.local.u64 %b, %b; ld.u32 %r1, [%b]; ld.u32 %r2, [%a];\n"
		     "sub.u64 %b, %b, %a; and.b64 %a, %a, 63;\n"
		     "st.global.u32 [%out+8], %r1; st.global.u32 [%out+12], %r2;\n"
		     "st.global.u32 [%out], %b; st.global.u32 [%out+4], %a; ret; }",
		     1, want, 4);
}

#define RECURSES                                                                                    \
	RIG_HEAD ".func f(.param .u32 n);\n.func f(.param .u32 n) { .reg .b32 %r; .reg .pred %p;\n"       \
		 "ld.param.u32 %r, [n]; setp.eq.u32 %p, %r, 0; @%p ret; sub.u32 %r, %r, 1;\n"              \
		 "{ .param .u32 a; st.param.u32 [a], %r; call f, (a); } ret; }\n"                         \
		 ".visible .entry k(.param .u64 out) {\n"                                                  \
		 "{ .param .u32 a; st.param.u32 [a], 3; call f, (a); } ret; }"

/* 64 warps of 1 MiB per thread are 2 GiB of the device's 4. */
static bool begins_without_room(const char *text)
{
	struct rig r;
	bool begins;

	rig_open(&r, text);
	assert_true(rig_build(&r, "k"));
	assert_true(simt_memory_alloc(r.mem, 3ull << 30, 1, SIMT_ALLOC_DEVICE) != 0);
	r.launch = (struct simt_launch){.program = r.program,
					.mem = r.mem,
					.grid = {1, 1, 1},
					.block = {32, 1, 1},
					.params = r.params,
					.sm_count = 4,
					.stack_bytes = 1 << 20};
	begins = simt_launch_begin(&r.launch, 64, &r.diag);
	simt_launch_end(&r.launch);
	rig_close(&r);
	return begins;
}

static void test_stack_without_room(void **state)
{
	(void)state;
	assert_true(begins_without_room(BELOW_FRAME("4")));
	assert_false(begins_without_room(RECURSES));
}

/* ---- the allocator ---- */

static void test_allocator(void **state)
{
	struct simt_memory *m = simt_memory_new(1 << 20);

	(void)state;
	uint64_t a = simt_memory_alloc(m, 1000, 1, SIMT_ALLOC_DEVICE);
	uint64_t b = simt_memory_alloc(m, 1000, 4096, SIMT_ALLOC_DEVICE);
	uint64_t c = simt_memory_alloc(m, 1, 1, SIMT_ALLOC_HOST);

	assert_true(a == SIMT_ARENA_BASE && b == SIMT_ARENA_BASE + 4096 && c == SIMT_ARENA_BASE + 1024);
	assert_int_equal(simt_memory_used_bytes(m), 2000);
	assert_int_equal(simt_memory_alloc(m, 1 << 20, 1, SIMT_ALLOC_DEVICE), 0);
	assert_null(simt_memory_find(m, a + 996, 5));
	assert_non_null(simt_memory_find(m, a + 996, 4));
	assert_true(simt_memory_release(m, a));
	assert_false(simt_memory_release(m, a));
	assert_false(simt_memory_release(m, b + 1));
	assert_null(simt_memory_find(m, a, 1));
	assert_true(simt_memory_nearest(m, a + 10)->addr == a && !simt_memory_nearest(m, a + 10)->is_live);
	assert_true(simt_memory_alloc(m, 100, 1, SIMT_ALLOC_DEVICE) == a);
	/* A compiler's string is named only in and beside it. */
	uint64_t text = simt_memory_alloc(m, 10, 65536, SIMT_ALLOC_MODULE);

	assert_true(text > b);
	assert_true(simt_memory_nearest(m, text + 15)->addr == text);
	assert_true(simt_memory_nearest(m, text + 25)->addr == b);
	assert_true(simt_memory_nearest(m, text - 1)->addr == b);
	assert_true(simt_memory_release(m, text));
	uint64_t host[4];

	assert_true(simt_memory_register(m, (uint64_t)(uintptr_t)host, sizeof(host)));
	assert_false(simt_memory_register(m, (uint64_t)(uintptr_t)&host[3], 8));
	assert_non_null(simt_memory_find(m, (uint64_t)(uintptr_t)&host[1], 24));
	assert_true(simt_memory_release(m, (uint64_t)(uintptr_t)host));
	assert_null(simt_memory_find(m, (uint64_t)(uintptr_t)host, 1));
	simt_memory_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_widths),
	    cmocka_unit_test(test_vectors_and_sinks),
	    cmocka_unit_test(test_local),
	    cmocka_unit_test(test_generic_mixed),
	    cmocka_unit_test(test_dynamic_shared),
	    cmocka_unit_test(test_atomics_32),
	    cmocka_unit_test(test_atomics_64_and_half),
	    cmocka_unit_test(test_shared_atomics),
	    cmocka_unit_test(test_out_of_bounds),
	    cmocka_unit_test(test_bounds_of_pages),
	    cmocka_unit_test(test_before_the_first_allocation),
		cmocka_unit_test(test_misaligned),
	    cmocka_unit_test(test_use_after_free),
	    cmocka_unit_test(test_stack_below_the_frame),
	    cmocka_unit_test(test_stack_ends),
	    cmocka_unit_test(test_stack_grows_down),
	    cmocka_unit_test(test_stack_without_room),
	    cmocka_unit_test(test_allocator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
