/* test_control.c - divergence, calls, barriers, and lanes that wait for each other. */
#include "rig.h"

#define STORE "st.global.u32 [%at], %r1;\n"

/* Runs text on one CTA and compares every thread's word. */
static void expect(const char *text, uint32_t threads, uint32_t (*want)(uint32_t))
{
	struct rig r;

	rig_check(&r, text, 1, threads);
	for (uint32_t i = 0; i < threads; i++)
		if (r.words[i] != want(i))
			fail_msg("thread %u: 0x%x, expected 0x%x", i, r.words[i], want(i));
	rig_close(&r);
}

/* Collatz-like nested loops with break and continue, and an early exit for some lanes. */
static uint32_t nested(uint32_t t)
{
	uint32_t sum = 0;

	if (t % 7 == 6)
		return 0xabc;
	for (uint32_t a = 0; a < t; a++) {
		if (a % 3 == 1)
			continue;
		for (uint32_t b = 0;; b++) {
			if (b * 2 > a + t % 5)
				break;
			sum += a * b + 1;
		}
	}
	return sum;
}

static void test_nested_loops(void **state)
{
	(void)state;
	expect(
	    RIG_KERNEL(
		"rem.u32 %r2, %t, 7; setp.eq.u32 %p1, %r2, 6; mov.u32 %r1, 0xabc; @%p1 st.global.u32 [%at], %r1;\n"
		"@%p1 exit; mov.u32 %r1, 0; mov.u32 %r3, 0;\n"
		"OUTER: setp.ge.u32 %p2, %r3, %t; @%p2 bra DONE;\n"
		"rem.u32 %r4, %r3, 3; setp.eq.u32 %p3, %r4, 1; @%p3 bra NEXT; mov.u32 %r5, 0;\n"
		"INNER: shl.b32 %r6, %r5, 1; rem.u32 %r7, %t, 5; add.u32 %r7, %r7, %r3; setp.gt.u32 %p4, %r6, %r7;\n"
		"@%p4 bra NEXT; mad.lo.u32 %r1, %r3, %r5, %r1; add.u32 %r1, %r1, 1; add.u32 %r5, %r5, 1; bra INNER;\n"
		"NEXT: add.u32 %r3, %r3, 1; bra OUTER;\nDONE: " STORE),
	    96, nested);
}

static uint32_t switched(uint32_t t)
{
	static const uint32_t values[] = {10, 20, 30, 20};

	return values[t % 4] + t;
}

static void test_brx(void **state)
{
	(void)state;
	expect(RIG_KERNEL("TABLE: .branchtargets A, B, C, B; and.b32 %r2, %t, 3; brx.idx %r2, TABLE;\n"
			  "A: mov.u32 %r1, 10; bra.uni J;\nB: mov.u32 %r1, 20; bra.uni J;\nC: mov.u32 %r1, 30;\n"
			  "J: add.u32 %r1, %r1, %t; activemask.b32 %r3; setp.ne.u32 %p1, %r3, -1; @%p1 trap; " STORE),
	       32, switched);
}

/* ---- calls ---- */

#define FIB                                                                                                          \
	RIG_HEAD                                                                                                     \
	    ".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .pred %p<3>; .reg .b32 %r<9>;\n"                      \
	    ".local .align 4 .b8 keep[8]; .reg .b64 %rd<3>;\n"                                                       \
	    "ld.param.b32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; @%p1 bra BASE;\n"                                       \
	    "st.local.u32 [keep], %r1; sub.u32 %r2, %r1, 1;\n"                                                       \
	    "{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r2; call.uni (v), fib, (a); ld.param.b32 %r3, [v]; " \
	    "}\n"                                                                                                    \
	    "ld.local.u32 %r4, [keep]; sub.u32 %r5, %r4, 2;\n"                                                       \
	    "{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r5; call (v), fib, (a); ld.param.b32 %r6, [v]; }\n"  \
	    "add.u32 %r7, %r3, %r6; st.param.b32 [r], %r7; ret;\nBASE: st.param.b32 [r], %r1; ret;\n}\n"

static uint32_t fib(uint32_t n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint32_t fib_of(uint32_t t)
{
	return t % 3 == 2 ? 7 : fib(t % 11);
}

static void test_recursion_in_divergent_flow(void **state)
{
	(void)state;
	expect(FIB
	       ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
	       "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
	       "rem.u32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 2; mov.u32 %r4, 7; @%p1 bra J; rem.u32 %r3, %r1, 11;\n"
	       "{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r3; call (v), fib, (a); ld.param.b32 %r4, [v]; }\n"
	       "J: st.global.u32 [%rd3], %r4; ret;\n}\n",
	       64, fib_of);
}

static uint32_t indirect(uint32_t t)
{
	return t % 2 ? t * 3 : t + 100;
}

static void test_indirect_call(void **state)
{
	(void)state;
	expect(RIG_HEAD
	       ".func (.param .b32 r) plus(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r2, %r1, "
	       "100;\n"
	       "st.param.b32 [r], %r2; ret; }\n"
	       ".func (.param .b32 r) times(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; mul.lo.u32 %r2, "
	       "%r1, 3;\n"
	       "st.param.b32 [r], %r2; ret; }\n"
	       ".global .align 8 .u64 table[2] = { plus, times };\n"
	       ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
	       "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
	       "and.b32 %r2, %r1, 1; mul.wide.u32 %rd4, %r2, 8; mov.u64 %rd5, table; add.u64 %rd6, %rd5, %rd4;\n"
	       "ld.global.u64 %rd7, [%rd6];\n"
	       "{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r1;\n"
	       "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
	       "call (v), %rd7, (a), P; ld.param.b32 %r4, [v]; }\n"
	       "st.global.u32 [%rd3], %r4; ret;\n}\n",
	       40, indirect);
}

static uint32_t aliased(uint32_t t)
{
	return 1 + 2 * t;
}

/* An alias is called, called through an initial value, and has the address of what it stands for. */
static void test_alias(void **state)
{
	(void)state;
	expect(RIG_HEAD
	       ".func (.param .b32 r) add(.param .b32 x, .param .b32 y) { .reg .b32 %r<4>;\n"
	       "ld.param.b32 %r1, [x]; ld.param.b32 %r2, [y]; add.u32 %r3, %r1, %r2; st.param.b32 [r], %r3; ret; }\n"
	       ".func (.param .b32 r) plus(.param .b32 x, .param .b32 y);\n"
	       ".func (.param .b32 r) plus2(.param .b32 x, .param .b32 y);\n.alias plus, add;\n.alias plus2, plus;\n"
	       ".global .u64 pointer = plus;\n"
	       ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p;\n"
	       "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
	       "ld.global.u64 %rd4, [pointer]; mov.u64 %rd5, add; setp.eq.u64 %p, %rd4, %rd5; selp.u32 %r5, 1, 9, %p;\n"
	       "{ .param .b32 a, b, v; st.param.b32 [a], %r1; st.param.b32 [b], %r1;\n"
	       "call (v), plus2, (a, b); ld.param.b32 %r4, [v]; st.param.b32 [a], %r4; st.param.b32 [b], %r5;\n"
	       "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n"
	       "call (v), %rd4, (a, b), P; ld.param.b32 %r4, [v]; }\n"
	       "st.global.u32 [%rd3], %r4; ret;\n}\n",
	       40, aliased);
}

/* ---- lanes that wait for each other ---- */

static uint32_t all_locked(uint32_t t)
{
	return t == 0 ? 64 : 0;
}

/* Every lane takes the lock, adds without atomics, releases: the loop exits before the critical section. */
static void test_spin_lock(void **state)
{
	(void)state;
	expect(
	    RIG_KERNEL("add.u64 %rd1, %out, 1024;\n"
		       "SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;\n"
		       "ld.volatile.global.u32 %r3, [%out]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%out], %r3;\n"
		       "membar.gl; atom.global.exch.b32 %r4, [%rd1], 0;"),
	    64, all_locked);
}

/* How many warp instructions one CTA takes. */
static uint64_t instructions_of(const char *text, uint32_t threads)
{
	struct rig r;
	uint64_t count;

	rig_check(&r, text, 1, threads);
	count = r.warp_instructions;
	rig_close(&r);
	return count;
}

static uint64_t warp_instructions(const char *text)
{
	return instructions_of(text, 32);
}

/* Lane 0 waits for a word that the other lanes write. */
#define SPIN_ON(access)                                                                                \
	RIG_KERNEL("add.u64 %rd1, %out, 1024; mov.u32 %r5, 0; setp.ne.u32 %p1, %t, 0; @%p1 bra SET;\n" \
		   "SPIN: " access " setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN; bra J;\n"                 \
		   "SET: st.global.u32 [%rd1], 1;\nJ: mov.u32 %r1, %t; " STORE)

/* The lanes that wait step aside after 1,024 rounds of three instructions. */
static void test_spin_on_a_poll(void **state)
{
	static const char *const polls[] = {
	    SPIN_ON("ld.volatile.global.u32 %r2, [%rd1];"),    SPIN_ON("ld.relaxed.gpu.global.u32 %r2, [%rd1];"),
	    SPIN_ON("ld.global.cv.u32 %r2, [%rd1];"),          SPIN_ON("atom.global.cas.b32 %r2, [%rd1], 2, 2;"),
	    SPIN_ON("atom.global.exch.b32 %r2, [%rd1], %r5;"), SPIN_ON("atom.global.add.u32 %r2, [%rd1], 0;"),
	    SPIN_ON("atom.global.or.b32 %r2, [%rd1], 0;"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(polls) / sizeof(polls[0]); i++)
		assert_in_range(warp_instructions(polls[i]), 3 * 1024, 3 * 1024 + 40);
}

/* A plain load, which nothing obliges to see the other lane's word, sees it after 1,024 times as many. */
static void test_spin_on_a_weak_load(void **state)
{
	(void)state;
	assert_in_range(warp_instructions(SPIN_ON("ld.global.u32 %r2, [%rd1];")), 3 << 20, (3 << 20) + 40);
}

/* Eight times a warp waits for the other: it gets little further than the other's next turn. */
static void test_warps_wait_for_each_other(void **state)
{
	(void)state;
	assert_in_range(instructions_of(
	    RIG_KERNEL("add.u64 %rd1, %out, 1024; shr.u32 %r3, %t, 5; mov.u32 %r5, 0;\n"
		       "SPIN: ld.volatile.global.u32 %r2, [%rd1]; and.b32 %r4, %r2, 1;\n"
		       "setp.ne.u32 %p1, %r4, %r3; @%p1 bra SPIN;\n"
		       "add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd1], %r2;\n"
		       "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra SPIN;"), 64),
	    64, 1000);
}

#define LONG_LOOPS(access)                                                    \
	RIG_KERNEL("mad.lo.u32 %r4, %t, 100, 100; mov.u32 %r2, 0;\n"          \
		   "A: " access " add.u32 %r2, %r2, 1;\n"                     \
		   "setp.lt.u32 %p1, %r2, %r4; @%p1 bra A; mov.u32 %r2, 0;\n" \
		   "B: " access " add.u32 %r2, %r2, 1;\n"                     \
		   "setp.lt.u32 %p1, %r2, 1000; @%p1 bra B;")

/* Lanes that leave a loop over an array one by one, after 100 to 3,200 rounds, are one warp again behind it. */
static void test_lanes_of_long_loops_meet(void **state)
{
	static const char *const loops[] = {
	    LONG_LOOPS("ld.global.u32 %r3, [%at];"),
	    LONG_LOOPS("atom.global.add.u32 %r3, [%at], 1;"),
	    LONG_LOOPS("red.global.add.u32 [%at], 1;"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		assert_in_range(warp_instructions(loops[i]), 4 * 3200 + 4 * 1000, 4 * 3200 + 4 * 1000 + 20);
}

static uint32_t weighed(uint32_t t)
{
	return t * (3 + 5 + 7 + 11 + 13 + 17) + 1;
}

/* Lanes that run ahead reuse the register slots of lanes that still spin, in another width. */
static void test_slots_of_lanes_apart(void **state)
{
	(void)state;
	expect(RIG_KERNEL(
		   "add.u64 %rd1, %out, 1024; mov.u64 %rd2, 1;\n"
		   "SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;\n"
		   "membar.gl; atom.global.exch.b32 %r4, [%rd1], 0; cvt.u32.u64 %r1, %rd2;\n"
		   "mul.lo.u32 %r10, %t, 3; mul.lo.u32 %r11, %t, 5; mul.lo.u32 %r12, %t, 7; mul.lo.u32 %r13, %t, 11;\n"
		   "mul.lo.u32 %r14, %t, 13; mul.lo.u32 %r15, %t, 17; add.u32 %r1, %r1, %r10; add.u32 %r1, %r1, %r11;\n"
		   "add.u32 %r1, %r1, %r12; add.u32 %r1, %r1, %r13; add.u32 %r1, %r1, %r14; add.u32 %r1, %r1, "
		   "%r15; " STORE),
	       64, weighed);
}

static uint32_t exchanged(uint32_t t)
{
	return t < 32 ? (t ^ 16) + 1 : 0;
}

/* Both sides of a branch meet in a warp barrier of all lanes; the data goes through shared memory. */
static void test_warp_sync_across_branch(void **state)
{
	(void)state;
	expect(RIG_KERNEL(".shared .align 4 .b8 buf[128];\n"
			  "mov.u32 %r2, buf; shl.b32 %r3, %t, 2; add.u32 %r3, %r2, %r3; add.u32 %r4, %t, 1;\n"
			  "xor.b32 %r5, %t, 16; shl.b32 %r5, %r5, 2; add.u32 %r5, %r2, %r5;\n"
			  "setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;\n"
			  "st.shared.u32 [%r3], %r4; bar.warp.sync -1; ld.shared.u32 %r1, [%r5]; bra J;\n"
			  "LOW: st.shared.u32 [%r3], %r4; bar.warp.sync -1; ld.shared.u32 %r1, [%r5];\nJ: " STORE),
	       32, exchanged);
}

static uint32_t rotated(uint32_t t)
{
	return (t + 1) % 32;
}

/* Lanes reach one shuffle from two sides of a branch that do not reconverge before it. */
static void test_shuffle_waits_for_members(void **state)
{
	(void)state;
	expect(RIG_KERNEL("mov.u32 %r9, 0; setp.lt.u32 %p1, %t, 8; @%p1 bra S; mov.u32 %r9, 1;\n"
			  "S: add.u32 %r2, %t, 1; shfl.sync.idx.b32 %r1, %t, %r2, 31, -1; " STORE),
	       32, rotated);
}

static uint32_t by_tile(uint32_t t)
{
	return t < 16 ? 0x5555 : 0xffff0000;
}

/* One vote executed together by two tiles with their own masks. */
static void test_tiles_vote(void **state)
{
	(void)state;
	expect(RIG_KERNEL("setp.lt.u32 %p1, %t, 16; selp.b32 %r2, 0xffff, 0xffff0000, %p1;\n"
			  "and.b32 %r3, %t, 1; setp.eq.u32 %p2, %r3, 0; not.pred %p3, %p1; or.pred %p4, %p2, %p3;\n"
			  "vote.sync.ballot.b32 %r1, %p4, %r2; " STORE),
	       32, by_tile);
}

static uint32_t count_all(uint32_t t)
{
	(void)t;
	return 40;
}

/* __syncthreads_count by lanes that come from different branches, with a partial last warp. */
static void test_barrier_reduction(void **state)
{
	(void)state;
	expect(RIG_KERNEL("setp.lt.u32 %p1, %t, 40; setp.lt.u32 %p2, %t, 7; @%p2 bra A;\n"
			  "barrier.red.popc.u32 %r1, 0, %p1; bra J;\nA: barrier.red.popc.u32 %r1, 0, %p1;\nJ: " STORE),
	       70, count_all);
}

static uint32_t produced(uint32_t t)
{
	return t < 32 ? 0 : t - 31;
}

/* Producer and consumer warps on a named barrier with arrive. */
static void test_named_barrier(void **state)
{
	(void)state;
	expect(RIG_KERNEL(".shared .align 4 .b8 buf[128];\n"
			  "mov.u32 %r2, buf; and.b32 %r3, %t, 31; mad.lo.u32 %r4, %r3, 4, %r2; mov.u32 %r1, 0;\n"
			  "setp.ge.u32 %p1, %t, 32; @%p1 bra C; add.u32 %r5, %t, 1; st.shared.u32 [%r4], %r5;\n"
			  "bar.arrive 3, 64; bra J;\nC: bar.sync 3, 64; ld.shared.u32 %r1, [%r4];\nJ: " STORE),
	       64, produced);
}

static void test_deadlock(void **state)
{
	struct rig r;

	(void)state;
	rig_check_fault(&r, RIG_KERNEL("setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 1, 64; @!%p1 bar.sync 2, 64;"), 1, 64,
			SIMT_FAULT_BARRIER);
	assert_non_null(strstr(r.launch.fault.text, "barrier deadlock: all 2 warps"));
	rig_close(&r);
}

static void test_trap(void **state)
{
	struct rig r;

	(void)state;
	rig_check_fault(&r, RIG_KERNEL("setp.eq.u32 %p1, %t, 33; @%p1 trap;"), 2, 64, SIMT_FAULT_TRAP);
	assert_string_equal(r.launch.fault.text,
			    "kernel k, test.ptx line 11 (@%p1 trap;), CTA (0,0,0), thread (33,0,0): trap "
			    "instruction executed");
	rig_close(&r);
}

static void test_endless_recursion(void **state)
{
	struct rig r;

	(void)state;
	rig_check_fault(&r,
			RIG_HEAD ".func f() { call.uni f; ret; }\n"
				 ".visible .entry k(.param .u64 out) { call.uni f; ret; }\n",
			1, 32, SIMT_FAULT_STACK);
	assert_non_null(strstr(r.launch.fault.text, "call depth exceeds"));
	rig_close(&r);
}

static void test_bad_function_pointer(void **state)
{
	struct rig r;

	(void)state;
	rig_check_fault(&r,
			RIG_HEAD ".visible .entry k(.param .u64 out) { .reg .b64 %rd<2>; mov.u64 %rd1, 4660;\n"
				 "P: .callprototype _ ();\ncall %rd1, (), P; ret; }\n",
			1, 32, SIMT_FAULT_INSTRUCTION);
	assert_non_null(strstr(r.launch.fault.text, "call through 0x1234, which is not the address of a function"));
	rig_close(&r);
}

/* What a call through a pointer can reach takes shared memory with it: functions that any variable holds, since other
 * kernels and the host may have read it; not kernels, whose address is for launching them. */
static void test_shared_memory_of_functions_by_address(void **state)
{
	static const char text[] = RIG_HEAD
	    ".func small() { .shared .b8 s[1000]; .reg .b64 %d<2>; mov.u64 %d1, s; ret; }\n"
	    ".visible .entry large() { .shared .b8 s[20000]; .reg .b64 %d<2>; mov.u64 %d1, s; ret; }\n"
	    ".global .align 8 .u64 held[2] = { small, large };\n"
	    ".global .align 8 .u64 launched[1] = { large };\n"
	    ".visible .entry through(.param .u64 f) { .reg .b64 %d<3>; ld.param.u64 %d1, [f]; mov.u64 %d2, large;\n"
	    "P: .callprototype _ ();\ncall %d1, (), P; ret; }\n"
	    ".visible .entry direct() { ret; }\n";
	struct rig r;

	(void)state;
	rig_open(&r, text);
	assert_true(rig_build(&r, "through"));
	assert_in_range(r.program->shared_static_bytes, 1000, 1200);
	assert_true(rig_build(&r, "direct"));
	assert_int_equal(r.program->shared_static_bytes, 0);
	rig_close(&r);
}

/* CTA 0 reads, after a while and without waiting, what CTA 1 writes at once. */
static void test_resident_ctas(void **state)
{
	static const char ptx[] =
	    RIG_KERNEL("setp.ne.u32 %p1, %i, 0; @%p1 bra WRITE; mov.u32 %r1, 0;\n"
		       "LOOP: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 1000; @%p2 bra LOOP;\n"
		       "ld.volatile.global.u32 %r2, [%out+4]; st.global.u32 [%out], %r2; ret;\n"
		       "WRITE: mov.u32 %r3, 7; st.global.u32 [%out+4], %r3;");
	static const struct simt_limit two = {.resident_ctas = 2};
	struct rig r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		rig_open(&r, ptx);
		r.words[0] = r.words[1] = 0;
		r.limit = i ? &two : NULL;
		assert_true(rig_run(&r, "k", 2, 1, &r.out, 1));
		assert_int_equal(r.words[0], i ? 7 : 0);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_resident_ctas),
		cmocka_unit_test(test_nested_loops),
	    cmocka_unit_test(test_brx),
	    cmocka_unit_test(test_recursion_in_divergent_flow),
	    cmocka_unit_test(test_indirect_call),
	    cmocka_unit_test(test_shared_memory_of_functions_by_address),
	    cmocka_unit_test(test_alias),
	    cmocka_unit_test(test_spin_lock),
	    cmocka_unit_test(test_spin_on_a_poll),
	    cmocka_unit_test(test_spin_on_a_weak_load),
	    cmocka_unit_test(test_warps_wait_for_each_other),
	    cmocka_unit_test(test_lanes_of_long_loops_meet),
	    cmocka_unit_test(test_slots_of_lanes_apart),
	    cmocka_unit_test(test_warp_sync_across_branch),
	    cmocka_unit_test(test_shuffle_waits_for_members),
	    cmocka_unit_test(test_tiles_vote),
	    cmocka_unit_test(test_barrier_reduction),
	    cmocka_unit_test(test_named_barrier),
	    cmocka_unit_test(test_deadlock),
	    cmocka_unit_test(test_trap),
	    cmocka_unit_test(test_endless_recursion),
	    cmocka_unit_test(test_bad_function_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
