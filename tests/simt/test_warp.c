/* test_warp.c - warp-wide instructions, system calls, special registers, guests. */
#include "rig.h"

static void expect(const char *text, uint32_t threads, uint32_t (*want)(uint32_t))
{
	struct rig r;

	rig_check(&r, text, 1, threads);
	for (uint32_t i = 0; i < threads; i++)
		if (r.words[i] != want(i))
			fail_msg("thread %u: 0x%x, expected 0x%x", i, r.words[i], want(i));
	rig_close(&r);
}

#define SHFL(mode, b, c)                                                                                \
	RIG_KERNEL("shfl.sync." mode ".b32 %r1|%p1, %t, " b ", " c ", -1; selp.u32 %r2, 256, 0, %p1;\n" \
		   "or.b32 %r1, %r1, %r2; st.global.u32 [%at], %r1;")

static uint32_t up(uint32_t t)
{
	return t % 32 >= 3 ? (t - 3) | 256 : t;
}
static uint32_t down_width_8(uint32_t t)
{
	return t % 8 + 2 < 8 ? (t + 2) | 256 : t;
}
static uint32_t butterfly(uint32_t t)
{
	return (t ^ 5) | 256;
}
static uint32_t broadcast_width_16(uint32_t t)
{
	return (t / 16 * 16 + 9) | 256;
}

static void test_shuffles(void **state)
{
	(void)state;
	expect(SHFL("up", "3", "0"), 32, up);
	expect(SHFL("down", "2", "0x1807"), 32, down_width_8);
	expect(SHFL("bfly", "5", "31"), 32, butterfly);
	expect(SHFL("idx", "9", "0x101f"), 32, broadcast_width_16);
}

/* Both halves of a warp sum two numbers per turn, the second half in twice as many turns, by shuffles that name all
 * lanes: one half waits at a shuffle in the loop while the other one waits behind it. Hardware lets them go on. */
#define HALVES                                                                                                    \
	RIG_KERNEL("shr.u32 %r1, %t, 4; add.u32 %r2, %r1, 1; mov.u32 %r3, 0; mov.u32 %r4, %t;\n"                 \
		   "L: shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1; add.u32 %r4, %r4, %r5; add.u32 %r3, %r3, 1;\n"    \
		   "setp.lt.u32 %p1, %r3, %r2; @%p1 bra L;\n"                                                    \
		   "shfl.sync.idx.b32 %r6, %r4, 2, 0x100f, -1; st.global.u32 [%at], %r6;")

static uint32_t halves(uint32_t t)
{
	return t < 16 ? 2 + 3 : 2 * (18 + 19);
}

static void test_shuffles_at_two_places(void **state)
{
	struct rig r;

	(void)state;
	expect(HALVES, 32, halves);
	rig_open_checked(&r, HALVES);
	assert_true(rig_run(&r, "k", 1, 32, &r.out, 1));
	assert_true(simt_check_finding_count(r.check) > 0);
	assert_int_equal(simt_check_finding(r.check, 0)->kind, SIMT_FINDING_WARP);
	assert_non_null(strstr(simt_check_finding(r.check, 0)->text, "which wait at another one"));
	rig_close(&r);
}

static uint32_t seven_then_sixteen(uint32_t t)
{
	return t < 16 ? 7 : 16;
}

/* Places that were let go once wait at the next .sync: lanes 8 to 15 for those that poll until they have stored. */
static void test_sync_after_two_places(void **state)
{
	(void)state;
	expect(RIG_KERNEL(".shared .align 4 .u32 box[2]; mov.u32 %r3, box;\n"
			  "st.shared.u32 [%r3], 0; st.shared.u32 [%r3+4], 0; bar.warp.sync -1;\n"
			  "setp.lt.u32 %p1, %t, 16; @%p1 bra B;\n"
			  "shfl.sync.idx.b32 %r1, %t, 16, 31, -1; st.global.u32 [%at], %r1; ret;\n"
			  "B: setp.lt.u32 %p2, %t, 8; vote.sync.any.pred %p3, %p2, -1; @!%p2 bra S;\n"
			  "P: ld.volatile.shared.u32 %r2, [%r3]; setp.eq.u32 %p3, %r2, 0; @%p3 bra P;\n"
			  "st.volatile.shared.u32 [%r3+4], 7; bra J;\n"
			  "S: st.volatile.shared.u32 [%r3], 1;\n"
			  "J: bar.warp.sync 0xffff; ld.volatile.shared.u32 %r1, [%r3+4]; st.global.u32 [%at], %r1;"),
	       32, seven_then_sixteen);
}

/* Who waits for lanes at a barrier of the CTA, or they for him, waits for ever. */
static void test_shuffle_against_barrier(void **state)
{
	struct rig r;

	(void)state;
	rig_check_fault(&r,
			RIG_KERNEL("setp.lt.u32 %p1, %t, 16; @%p1 bra L; bar.sync 0; ret;\n"
				   "L: shfl.sync.idx.b32 %r1, %t, 2, 31, -1;"),
			1, 32, SIMT_FAULT_BARRIER);
	assert_non_null(strstr(r.launch.fault.text, "deadlock inside a warp"));
	rig_close(&r);
}

static uint32_t matched(uint32_t t)
{
	return t < 24 ? 0x00492492u >> 1 << t % 3 & 0xffffffu : 0xff000000u;
}

static void test_match(void **state)
{
	(void)state;
	expect(RIG_KERNEL("rem.u32 %r2, %t, 3; setp.ge.u32 %p1, %t, 24; selp.b32 %r2, 9, %r2, %p1;\n"
			  "match.any.sync.b32 %r1, %r2, -1; st.global.u32 [%at], %r1;\n"
			  "mov.u64 %rd1, 5; match.all.sync.b64 %r3|%p2, %rd1, -1; @!%p2 trap;\n"
			  "setp.ne.u32 %p3, %r3, -1; @%p3 trap; match.all.sync.b32 %r3|%p2, %r2, -1; @%p2 trap;"),
	       32, matched);
}

static uint32_t votes(uint32_t t)
{
	return t % 2 ? 0x155 : 0xff;
}

static void test_vote_and_redux(void **state)
{
	(void)state;
	/* In divergent flow, without .sync: only the lanes of this side take part. */
	expect(RIG_KERNEL(
		   "and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 1; setp.lt.u32 %p2, %t, 10; @%p1 bra ODD;\n"
		   "redux.sync.min.s32 %r3, %t, 0x55555555; setp.ne.u32 %p5, %r3, 0; @%p5 trap;\n"
		   "redux.sync.add.u32 %r3, %t, 0x55555555; setp.ne.u32 %p5, %r3, 240; @%p5 trap;\n"
		   "vote.any.pred %p3, %p2; vote.all.pred %p4, %p2; @%p4 trap; @!%p3 trap; mov.u32 %r1, 0xff; bra J;\n"
		   "ODD: vote.ballot.b32 %r1, %p2; shr.u32 %r1, %r1, 1;\nJ: st.global.u32 [%at], %r1;"),
	       32, votes);
}

static uint32_t elected(uint32_t t)
{
	return t == 4 ? 0x104 : 4;
}

static void test_elect(void **state)
{
	(void)state;
	expect(RIG_KERNEL("setp.lt.u32 %p2, %t, 4; mov.u32 %r1, 4; @%p2 bra J; elect.sync %r1|%p1, 0xfffffff0;\n"
			  "@%p1 or.b32 %r1, %r1, 0x100;\nJ: st.global.u32 [%at], %r1;"),
	       32, elected);
}

/* ---- what PTX leaves undefined: docs/execution.md says what happens ---- */

static uint32_t from_absent(uint32_t t)
{
	return t >= 8 ? t : t + 16 < 24 ? 0 : t;
}

static uint32_t unnamed(uint32_t t)
{
	return t >= 8 ? t : 28 * 256 + (t / 2 * 2 << 16);
}

/* The odd lanes below t, whether there is one, whether there is none but them; then all lanes below t. */
static uint32_t below(uint32_t t)
{
	if (t >= 8)
		return t;
	const uint32_t lower = (1u << t) - 1, odd = 0xaa & lower;

	return odd | (uint32_t)(odd != 0) << 8 | (uint32_t)(t == 0) << 9 | lower << 16;
}

/* The odd lanes from t to 7; whether there are no others. */
static uint32_t not_below(uint32_t t)
{
	return t >= 8 ? t : (0xaau >> t << t) | (uint32_t)(t == 7) << 8;
}

/* Lanes 0 to 7 execute alone. */
static void test_undefined_lanes(void **state)
{
	(void)state;
	/* A shuffle from a lane that is not there gives 0, not what that lane's register holds. */
	expect(RIG_KERNEL("mov.u32 %r1, %t; setp.ge.u32 %p1, %t, 8; @%p1 bra J;\n"
			  "shfl.sync.down.b32 %r1, %t, 16, 31, 0xff;\nJ: st.global.u32 [%at], %r1;"),
	       32, from_absent);
	/* Masks without the lane itself: votes and matches cut them out of the result of the lanes that are there. */
	expect(RIG_KERNEL("mov.u32 %r1, %t; setp.ge.u32 %p1, %t, 8; and.b32 %r2, %t, 1; setp.ne.u32 %p2, %r2, 0;\n"
			  "@%p1 bra J;\nmov.u32 %r2, %lanemask_lt; vote.sync.ballot.b32 %r1, %p2, %r2;\n"
			  "vote.sync.any.pred %p3, %p2, %r2; @%p3 or.b32 %r1, %r1, 0x100;\n"
			  "vote.sync.all.pred %p3, %p2, %r2; @%p3 or.b32 %r1, %r1, 0x200;\n"
			  "match.any.sync.b32 %r3, 7, %r2; shl.b32 %r3, %r3, 16; or.b32 %r1, %r1, %r3;\n"
			  "J: st.global.u32 [%at], %r1;"),
	       32, below);
	/* Each lane by its own mask, also where masks that differ name each other's lanes. */
	expect(RIG_KERNEL("mov.u32 %r1, %t; setp.ge.u32 %p1, %t, 8; and.b32 %r2, %t, 1; setp.ne.u32 %p2, %r2, 0;\n"
			  "@%p1 bra J;\nmov.u32 %r2, %lanemask_ge; and.b32 %r2, %r2, 0xff;\n"
			  "vote.sync.ballot.b32 %r1, %p2, %r2; vote.sync.all.pred %p3, %p2, %r2;\n"
			  "@%p3 or.b32 %r1, %r1, 0x100;\nJ: st.global.u32 [%at], %r1;"),
	       32, not_below);
	/* ... redux works with all of those. */
	expect(RIG_KERNEL("mov.u32 %r1, %t; setp.ge.u32 %p1, %t, 8; @%p1 bra J;\n"
			  "mov.u32 %r1, 0; redux.sync.add.u32 %r2, %t, 0xffff0000;\n"
			  "shl.b32 %r2, %r2, 8; add.u32 %r1, %r1, %r2;\n"
			  "shfl.sync.idx.b32 %r3, %t, 0, 0x1e1f, 0x80000000; shl.b32 %r3, %r3, 16;\n"
			  "add.u32 %r1, %r1, %r3; bar.warp.sync 0x100;\n"
			  "J: st.global.u32 [%at], %r1;"),
	       32, unnamed);
}

/* ---- special registers ---- */

static void test_special_registers(void **state)
{
	struct rig r;
	static const char text[] = RIG_KERNEL(
	    "mov.u32 %r1, %laneid; mov.u32 %r2, %lanemask_lt; mov.u32 %r3, %warpid; mov.u32 %r4, %nctaid.x;\n"
	    "mul.wide.u32 %rd1, %i, 16; add.u64 %rd1, %out, %rd1; st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};\n"
	    "mov.u64 %rd2, %clock64; mov.u64 %rd3, %clock64; setp.ge.u64 %p1, %rd2, %rd3; @%p1 trap;");

	(void)state;
	rig_check(&r, text, 2, 48);
	for (uint32_t i = 0; i < 96; i++) {
		const uint32_t t = i % 48, lane = t % 32;

		assert_int_equal(r.words[i * 4], lane);
		assert_int_equal(r.words[i * 4 + 1], (1u << lane) - 1);
		assert_int_equal(r.words[i * 4 + 2], t / 32);
		assert_int_equal(r.words[i * 4 + 3], 2);
	}
	rig_close(&r);
}

/* What the device's run-time reserves lies before the program's own shared memory. */
static void test_reserved_shared(void **state)
{
	struct rig r;
	static const char text[] =
	    RIG_KERNEL(".shared .align 4 .b8 s[64]; mov.u32 %r1, %reserved_smem_offset_1; mov.u32 %r2, s;\n"
		       "mov.u32 %r3, %reserved_smem_offset_cap; st.shared.u32 [%r1], %r1; st.shared.u32 [%r2], %r2;\n"
		       "ld.shared.u32 %r4, [%r1]; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};");

	(void)state;
	rig_check(&r, text, 1, 32);
	assert_int_equal(r.words[0], 512);
	assert_int_equal(r.words[1], 1024);
	assert_int_equal(r.words[2], 1024);
	assert_int_equal(r.words[3], 512);
	rig_close(&r);
}

/* ---- system calls ---- */

#define VPRINTF ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"

static void test_vprintf(void **state)
{
	struct rig r;

	(void)state;
	rig_check(
	    &r,
	    RIG_HEAD VPRINTF
	    ".global .align 1 .b8 fmt[40] = {37,100,124,37,45,53,108,108,117,124,37,48,56,46,51,102,124,37,"
	    "115,124,37,99,37,37,10,0};\n" /* "%d|%-5llu|%08.3f|%s|%c%%\n" */
	    ".global .align 1 .b8 str[4] = {97,98,99,0};\n"
	    ".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n"
	    ".local .align 8 .b8 args[40]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 1; @%p1 ret;\n"
	    "neg.s32 %r2, %r1; st.local.u32 [args], %r2; st.local.u64 [args+8], 77; mov.u64 %rd1, 0xC009333333333333;\n"
	    "st.local.u64 [args+16], %rd1; mov.u64 %rd2, str; cvta.global.u64 %rd3, %rd2; st.local.u64 [args+24], "
	    "%rd3;\n"
	    "st.local.u32 [args+32], 90; mov.u64 %rd4, fmt; cvta.global.u64 %rd5, %rd4; mov.u64 %rd6, args;\n"
	    "cvta.local.u64 %rd7, %rd6;\n"
	    "{ .param .b64 f; .param .b64 a; .param .b32 v; st.param.b64 [f], %rd5; st.param.b64 [a], %rd7;\n"
	    "call.uni (v), vprintf, (f, a); ld.param.b32 %r3, [v]; } ret; }\n",
	    1, 32);
	assert_string_equal(r.printed, "0|77   |-003.150|abc|Z%\n-1|77   |-003.150|abc|Z%\n");
	rig_close(&r);
}

/* Calls vprintf with a format and two arguments of 32 bits and one of 64; the result goes to the thread's word. */
#define PRINTS(format, first, second, third)                                                                         \
	RIG_HEAD VPRINTF                                                                                             \
	".global .align 1 .b8 fmt[] = {" format ", 0};\n"                                                            \
	".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .local .align 8 .b8 args[16];\n"    \
	"mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; ld.param.u64 %rd4, [out]; add.u64 %rd3, %rd3, %rd4;\n"      \
	"st.local.u32 [args], " first "; st.local.u32 [args+4], " second "; st.local.u64 [args+8], " third ";\n"     \
	"mov.u64 %rd1, fmt; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, args; cvta.local.u64 %rd2, %rd2;\n"            \
	"{ .param .b64 f; .param .b64 a; .param .b32 v; st.param.b64 [f], %rd1; st.param.b64 [a], %rd2;\n"           \
	"call.uni (v), vprintf, (f, a); ld.param.b32 %r3, [v]; } st.global.u32 [%rd3], %r3; ret; }\n"

/* A width is what a thread says, a pointer by mistake: one call prints 1 MiB at most. */
static void test_vprintf_is_bounded(void **state)
{
	static const struct {
		const char *text;
		uint32_t bytes;
	} rows[] = {
	    {PRINTS("37,42,100,124", "0x7fffffff", "5", "0"), 1 << 20},		      /* "%*d|" */
	    {PRINTS("37,57,57,57,57,57,57,57,57,57,57,57,57,100", "5", "0", "0"), 1 << 20}, /* "%999999999999d" */
	    {PRINTS("37,42,100", "0x80000000", "5", "0"), 1 << 20},
	    {PRINTS("37,46,50,49,52,55,52,56,51,54,52,55,100", "5", "0", "0"), 1 << 20}, /* "%.2147483647d" */
	    {PRINTS("37,57,57,57,57,57,57,100,37,57,57,57,57,57,57,100", "5", "6", "0"), 1 << 20},
	    {PRINTS("37,42,100,124", "7", "5", "0"), 8},
	};

	(void)state;
	for (uint32_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct rig r;

		rig_open(&r, rows[k].text);
		r.only_counts_printed = true;
		assert_true(rig_run(&r, "k", 1, 3, &r.out, 1));
		assert_int_equal(r.printed_bytes, 3 * rows[k].bytes);
		assert_int_equal(r.words[2], rows[k].bytes);
		rig_close(&r);
	}
}

/* A negative width is a width from the left, a negative precision is none (C17, 7.21.6.1). */
static void test_vprintf_negative_numbers(void **state)
{
	struct rig r;

	(void)state;
	rig_check(&r, PRINTS("37,42,100,124,37,46,48,102,10", "-4", "5", "0x4004000000000000"), 1, 1);
	assert_string_equal(r.printed, "5   |2\n"); /* "%*d|%.0f" */
	rig_close(&r);
	rig_check(&r, PRINTS("37,46,42,100,124,37,43,45,54,46,49,102,124,10", "-4", "5", "0x4004000000000000"), 1, 1);
	assert_string_equal(r.printed, "5|+2.5  |\n"); /* "%.*d|%+-6.1f|" */
	rig_close(&r);
}

/* A launch that was told to end prints no more. */
static void test_vprintf_stops(void **state)
{
	const volatile int stop = 1;
	struct rig r;

	(void)state;
	rig_open(&r, PRINTS("37,42,100,124", "7", "5", "0"));
	r.stop = &stop;
	assert_true(rig_run(&r, "k", 1, 32, &r.out, 1));
	assert_int_equal(r.printed_bytes, 0);
	rig_close(&r);
}

#define MALLOC ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"

static void test_malloc_and_free(void **state)
{
	struct rig r;
	static const char text[] = RIG_HEAD MALLOC
	    ".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
	    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.u64 %rd3, %rd1, %rd2;\n"
	    "{ .param .b64 n; .param .b64 v; st.param.b64 [n], 24; call (v), malloc, (n); ld.param.b64 %rd4, [v]; }\n"
	    "st.u32 [%rd4+20], %r1; ld.u32 %r2, [%rd4+20]; cvt.u64.u32 %rd5, %r2; add.u64 %rd5, %rd5, %rd4;\n"
	    "st.global.u64 [%rd3], %rd5;\n"
	    "{ .param .b64 p; st.param.b64 [p], %rd4; call free, (p); } ret; }\n"
	    ".visible .entry bad(.param .u64 out) { .param .b64 p; st.param.b64 [p], 4096; call free, (p); ret; }\n";

	(void)state;
	rig_check(&r, text, 1, 32);
	const uint64_t *got = (const uint64_t *)r.words;

	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(got[i] - got[0], i * 33ull);
	const uint64_t first = got[0];

	assert_true(rig_run(&r, "k", 1, 32, &r.out, 1)); /* all was freed: the same again */
	assert_int_equal(got[0], first);
	assert_false(rig_run(&r, "bad", 1, 1, &r.out, 1));
	assert_non_null(strstr(r.launch.fault.text, "free of 0x1000, which is not the start of a block"));
	rig_close(&r);
}

static void test_assertfail(void **state)
{
	struct rig r;

	(void)state;
	rig_check_fault(
	    &r,
	    RIG_HEAD
	    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n"
	    ".global .b8 msg[4] = {120,62,48,0}; .global .b8 file[4] = {97,46,99,0}; .global .b8 fn[2] = {102,0};\n"
	    ".visible .entry k(.param .u64 out) { .reg .b64 %rd<9>; mov.u64 %rd1, msg; mov.u64 %rd2, file;\n"
	    "mov.u64 %rd3, fn;\n"
	    "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;\n"
	    "st.param.b64 [m], %rd1; st.param.b64 [f], %rd2; st.param.b32 [l], 42; st.param.b64 [n], %rd3;\n"
	    "st.param.b64 [s], 1; call.uni __assertfail, (m, f, l, n, s); } ret; }\n",
	    1, 32, SIMT_FAULT_ASSERT);
	assert_non_null(strstr(r.launch.fault.text, "assertion failed: x>0, in f at a.c:42"));
	rig_close(&r);
}

/* ---- errors when a program is built ---- */

static void test_build_errors(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, RIG_HEAD ".extern .func missing();\n"
			      ".visible .entry k(.param .u64 out) { call.uni missing; ret; }\n");
	assert_false(rig_build(&r, "nosuch"));
	assert_non_null(strstr(r.errors, "no kernel named nosuch"));
	assert_false(rig_build(&r, "k"));
	assert_non_null(strstr(r.errors, "test.ptx:5:"));
	assert_non_null(strstr(r.errors, "kernel k calls missing, which is declared but not defined"));
	rig_close(&r);
}

/* ---- guests ---- */

/* r1 = tid * 3 + 7 computed by a guest with tid as live-in; r9 is not a live-in and must be poison there. */
static void test_guest(void **state)
{
	struct rig r;
	struct simt_step step;
	static const char text[] =
	    RIG_KERNEL("mov.u32 %r9, 1; setp.lt.u32 %p1, %t, 20;\n"
		       "mul.lo.u32 %r1, %t, 3; add.u32 %r1, %r1, 7; mov.u32 %r5, %r9; @%p1 add.u32 %r1, %r1, 1;\n"
		       "st.global.u32 [%at], %r1; st.global.u32 [%at+128], %r5;"
		       "st.global.u32 [%at+256], %r9;");

	(void)state;
	rig_open(&r, text);
	assert_true(rig_build(&r, "k"));
	memcpy(r.params, &r.out, 8);
	r.launch = (struct simt_launch){
	    .program = r.program, .mem = r.mem, .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = r.params};
	assert_true(simt_launch_begin(&r.launch, 1, &r.diag));
	struct simt_cta *c = simt_cta_begin(&r.launch, 0, 0);
	struct simt_warp *w = simt_cta_warp(c, 0);
	const struct simt_program *p = r.program;
	uint32_t begin = 9, end = 13;

	assert_int_equal(p->insts[begin].kind, SIMT_KIND_MUL);
	assert_int_equal(p->insts[begin + 1].kind, SIMT_KIND_ADD);
	assert_int_equal(p->insts[begin + 2].kind, SIMT_KIND_MOVE);

	assert_string_equal(p->insts[begin].ptx->text, "mul.lo.u32 %r1, %t, 3;");
	while (w->pc != begin)
		assert_true(simt_step(&r.launch, w, &step));
	const struct ptx_alloc *a = p->entry_alloc;
	const struct ptx_inst *mul = p->insts[begin].ptx, *mov = p->insts[begin + 2].ptx,
			      *add = p->insts[begin + 3].ptx;
	const uint16_t in[] = {(uint16_t)a->slot[mul->src[0].reg],
			       (uint16_t)(p->sb_pred_first + a->slot[add->guard_reg])};
	const uint16_t out[] = {(uint16_t)a->slot[mul->dst.reg], (uint16_t)a->slot[mov->dst.reg]};
	struct simt_warp *g = simt_guest_begin(&r.launch, w, begin, w->active_mask, in, 2, 3);

	while (!simt_guest_reached(g, end))
		assert_true(simt_step(&r.launch, g, &step));
	assert_int_equal(w->pc, begin);
	simt_guest_end(&r.launch, w, g, end, out, 2);
	assert_int_equal(w->pc, end);
	while (!w->is_done)
		assert_true(simt_step(&r.launch, w, &step));
	assert_true(simt_cta_is_done(c));
	simt_cta_end(c);
	simt_launch_end(&r.launch);
	for (uint32_t i = 0; i < 32; i++) {
		assert_int_equal(r.words[i], i * 3 + 7 + (i < 20));
		assert_int_not_equal(r.words[32 + i], 1);
		assert_int_equal(r.words[64 + i], 1);
	}
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shuffles),
	    cmocka_unit_test(test_shuffles_at_two_places),
	    cmocka_unit_test(test_sync_after_two_places),
	    cmocka_unit_test(test_shuffle_against_barrier),
	    cmocka_unit_test(test_match),
	    cmocka_unit_test(test_vote_and_redux),    cmocka_unit_test(test_elect),
	    cmocka_unit_test(test_special_registers), cmocka_unit_test(test_vprintf),
	    cmocka_unit_test(test_vprintf_is_bounded), cmocka_unit_test(test_vprintf_negative_numbers),
	    cmocka_unit_test(test_vprintf_stops),
	    cmocka_unit_test(test_malloc_and_free),   cmocka_unit_test(test_assertfail),
	    cmocka_unit_test(test_build_errors),      cmocka_unit_test(test_guest),
	    cmocka_unit_test(test_undefined_lanes),   cmocka_unit_test(test_reserved_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
