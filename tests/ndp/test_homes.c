/* CTAs that begin where their data is (ndp.ctas), on a small machine: which begin in stacks and which stay, what of
 * that crosses the links, that barriers and shared memory work there, and that the next kernel sees what they wrote. */
#include "rig.h"

/* A page is in one stack. 64 CTAs of four warps: 32 have room in the stacks' SMs, 32 on the four of the GPU. */
enum { CTAS = 64, THREADS = 128, PAGE_BYTES = 4096, LINES = PAGE_BYTES / 128, IN_STACKS = 32, STACKS = 4 };

static const char *const machine[] = {"gpu.stack_sm_count",   "1",	       "ndp.mechanism", "tom",
				      "gpu.address_map",      "two_bit", "gpu.map_bit",   "12",
				      "ndp.tom_table_takes_shared", "false",   NULL};

/* CTA c's page is at %rd10 of in and %rd11 of out; page is what its number is made by, in %r5. What thread t reads,
 * thread 127 - t writes: it goes through shared memory. */
#define PAGES(page)                                                          \
	KERNEL_WITH(".shared .align 4 .b8 s[4096];\n",                       \
		    page "mul.wide.u32 %rd4, %r5, 4096;\n"                   \
			 "mul.wide.u32 %rd5, %r1, 4; add.u64 %rd6, %rd4, %rd5;\n" \
			 "add.u64 %rd10, %rd1, %rd6;\n"                      \
			 "mov.u32 %r6, s; shl.b32 %r7, %r1, 2; add.u32 %r8, %r6, %r7;\n" \
			 "mov.u32 %r9, 0;\n"                                 \
			 "read:\n"                                           \
			 "ld.global.u32 %r10, [%rd10];\n"                    \
			 "st.shared.u32 [%r8], %r10;\n"                      \
			 "add.u64 %rd10, %rd10, 512; add.u32 %r8, %r8, 512;\n" \
			 "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 8; @%p1 bra read;\n" \
			 "bar.sync 0;\n"                                     \
			 "mov.u32 %r11, 127; sub.u32 %r12, %r11, %r1; shl.b32 %r13, %r12, 2;\n" \
			 "add.u32 %r14, %r6, %r13;\n"                        \
			 "add.u64 %rd11, %rd2, %rd6; mov.u32 %r9, 0;\n"      \
			 "write:\n"                                          \
			 "ld.shared.u32 %r15, [%r14]; add.u32 %r15, %r15, 1;\n" \
			 "st.global.u32 [%rd11], %r15;\n"                    \
			 "add.u64 %rd11, %rd11, 512; add.u32 %r14, %r14, 512;\n" \
			 "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 8; @%p1 bra write;\n")

static const char own_page[] = PAGES("mov.u32 %r5, %r2;\n");
/* Two CTAs have each page, and write the same. */
static const char page_of_two[] = PAGES("and.b32 %r5, %r2, 63;\n");
/* Its number is in memory: in[c] = c. */
static const char listed_page[] = PAGES("mul.wide.u32 %rd7, %r2, 4; add.u64 %rd8, %rd1, %rd7;\n"
					"ld.global.u32 %r5, [%rd8];\n");
/* With n, from the last one on. */
static const char turned_page[] = PAGES("cvt.u32.u64 %r20, %rd3; mov.u32 %r5, %r2; setp.eq.u32 %p2, %r20, 0;\n"
					"@%p2 bra known; mov.u32 %r21, 63; sub.u32 %r5, %r21, %r2;\n"
					"known:\n");
/* It goes through shared memory: nobody knows it before. */
static const char hidden_page[] = PAGES("mov.u32 %r22, s; st.shared.u32 [%r22], %r2; bar.sync 0;\n"
					"ld.shared.u32 %r5, [%r22]; bar.sync 0;\n");

static void open_with(struct rig *r, const char *ptx, const char *ctas, const char *ratio, const char *waits)
{
	const char *const settings[] = {"ndp.ctas",	       ctas,  "ndp.cta_home_ratio", ratio,
					"ndp.cta_wait_count", waits, NULL};

	rig_open(r, ptx, machine, settings, NULL);
	assert_int_equal(((uintptr_t)r->in ^ (uintptr_t)r->out) / PAGE_BYTES % STACKS, 0);
}

static void check_values(const struct rig *r)
{
	for (uint32_t i = 0; i < CTAS * PAGE_BYTES / 4; i++)
		assert_int_equal(r->out[i], (i & ~127u) + (127 - i % 128) + 1);
}

struct traffic {
	uint64_t tx, rx, launched;
};

static struct traffic run(const char *ptx, const char *ctas)
{
	struct traffic t;
	struct rig r;

	open_with(&r, ptx, ctas, "0.5", "0");
	assert_true(rig_run(&r, CTAS, THREADS, 0));
	check_values(&r);
	t = (struct traffic){.tx = rig_stat(&r, "link_tx.bytes"),
			     .rx = rig_stat(&r, "link_rx.bytes"),
			     .launched = rig_stat(&r, "gpu.cta_starts")};
	rig_close(&r);
	return t;
}

/* What the links carry less, to the byte: what half of the CTAs read and write. */
static void local_ctas_leave_the_links(void **state)
{
	const struct traffic none = run(own_page, "none"), rest = run(own_page, "rest");
	struct rig r;
	uint64_t header, ack;

	(void)state;
	assert_int_equal(none.launched, 0);
	assert_int_equal(rest.launched, IN_STACKS);
	open_with(&r, own_page, "rest", "0.5", "0");
	header = machine_gpu_config(&r.config)->link.header_bytes;
	ack = machine_gpu_config(&r.config)->link.ack_bytes;
	assert_true(rig_run(&r, CTAS, THREADS, 0));
	assert_int_equal(rig_stat(&r, "ctas.launched_in_stack"), IN_STACKS);
	assert_int_equal(rig_stat(&r, "ctas.not_offered"), CTAS - IN_STACKS);
	assert_int_equal(rig_stat(&r, "ctas.local_lines"), 2 * IN_STACKS * LINES);
	assert_int_equal(rig_stat(&r, "ctas.remote_lines"), 0);
	assert_int_equal(rig_stat(&r, "gpu.l2_invalidations"), IN_STACKS * LINES);
	rig_close(&r);
	/* To the stacks: no reads and no stored lines, but the messages. */
	assert_int_equal(none.tx - rest.tx, IN_STACKS * LINES * (header + 128 + header) - IN_STACKS * (header + 32));
	/* From them: no lines and no acknowledgments, but what the L2 is to drop, and ends. */
	assert_int_equal(none.rx - rest.rx,
			 IN_STACKS * LINES * (128 + header + ack - header) - IN_STACKS * header);
}

static void listed_pages_are_looked_up(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, listed_page, "rest", "0.5", "0");
	assert_true(rig_run(&r, CTAS, THREADS, 0));
	check_values(&r);
	assert_int_equal(rig_stat(&r, "ctas.launched_in_stack"), IN_STACKS);
	assert_int_equal(rig_stat(&r, "ctas.looked_lookups"), IN_STACKS * THREADS / 32);
	/* The list itself, a page: of each stack's eight CTAs those of three stacks reach over. */
	assert_true(rig_stat(&r, "ctas.remote_lines") <= 3 * IN_STACKS / 4 * THREADS / 32);
	assert_true(rig_stat(&r, "ctas.remote_lines") > 0);
	rig_close(&r);
}

/* A ratio that no stack reaches; addresses that nobody knows. */
static void others_stay(void **state)
{
	const struct traffic none = run(hidden_page, "none"), rest = run(hidden_page, "rest");
	struct rig r;

	(void)state;
	assert_int_equal(rest.launched, 0);
	assert_int_equal(none.tx, rest.tx);
	assert_int_equal(none.rx, rest.rx);
	open_with(&r, own_page, "rest", "1", "0");
	assert_true(rig_run(&r, CTAS, THREADS, 0));
	assert_int_equal(rig_stat(&r, "ctas.refused_homeless"), CTAS);
	assert_int_equal(rig_stat(&r, "gpu.cta_starts"), 0);
	rig_close(&r);
}

/* Few CTAs: an SM of a stack has no more of them than one of the GPU. */
static void few_are_shared_out(void **state)
{
	struct rig r;

	(void)state;
	open_with(&r, own_page, "homes", "0.5", "0");
	assert_true(rig_run(&r, 16, THREADS, 0));
	assert_int_equal(rig_stat(&r, "ctas.launched_in_stack"), 8);
	assert_int_equal(rig_stat(&r, "ctas.not_offered"), 8);
	rig_close(&r);
}

/* CTAs of stacks write what the L2 has from the kernel before, and SMs of the GPU read it in the one behind. The
 * auditor, which is on, looks at each read. */
static void the_next_kernel_sees_their_stores(void **state)
{
	struct rig r;
	uint32_t *in;

	(void)state;
	open_with(&r, turned_page, "rest", "0.5", "0");
	in = r.in;
	r.in = r.out; /* in place */
	for (uint32_t n = 0; n < 4; n++)
		assert_true(rig_run(&r, CTAS, THREADS, n % 2));
	assert_true(rig_stat(&r, "gpu.cta_starts") > 2 * IN_STACKS);
	assert_int_equal(rig_stat(&r, "gpu.stale_reads"), 0);
	for (uint32_t i = 0; i < CTAS * PAGE_BYTES / 4; i++)
		assert_int_equal(r.out[i], 4);
	r.in = in;
	rig_close(&r);
}

/* While the others fill the GPU, as many wait for a stack as it has places for; with nobody to wait, half of the CTAs
 * begin there. Each begins once, and all end. */
static void some_wait_for_their_stack(void **state)
{
	struct rig r;
	uint64_t launched, back;

	(void)state;
	open_with(&r, page_of_two, "rest", "0.5", "64");
	assert_true(rig_run(&r, 2 * CTAS, THREADS, 0));
	launched = rig_stat(&r, "ctas.launched_in_stack");
	back = rig_stat(&r, "ctas.given_back");
	assert_true(launched + back >= 2 * IN_STACKS);
	assert_true(launched > IN_STACKS);
	assert_int_equal(rig_stat(&r, "gpu.cta_begins"), launched);
	assert_int_equal(rig_stat(&r, "ctas.remote_lines"), 0);
	check_values(&r);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_next_kernel_sees_their_stores), cmocka_unit_test(local_ctas_leave_the_links),
	    cmocka_unit_test(listed_pages_are_looked_up), cmocka_unit_test(others_stay),
	    cmocka_unit_test(few_are_shared_out), cmocka_unit_test(some_wait_for_their_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
