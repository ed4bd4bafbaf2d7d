/* Data that lies where programs declare (ndp.hints), on a small machine: which stack has it, what moves and when, and
 * that a kernel's values do not change. */
#include "rig.h"

#include "gpu/priv.h"
#include "simt/memory_declared.h"

enum { CTAS = 64, THREADS = 128, PAGE_BYTES = 4096, LINE_BYTES = 128, LINES = PAGE_BYTES / LINE_BYTES, STACKS = 4 };

/* The baseline's mapping: lines go round the stacks, so that no CTA has a home of its own. */
static const char *const machine[] = {"gpu.stack_sm_count", "1",	"ndp.mechanism", "tom",
				      "ndp.tom_table_takes_shared", "false",	NULL};
static const char *const ignore[] = {"ndp.ctas", "rest", NULL};
static const char *const homes[] = {"ndp.ctas", "rest", "ndp.hints", "homes", NULL};

/* CTA c adds one to each word of page c of in, and writes it to that of out. A barrier: there is no block in it. */
static const char own_page[] = KERNEL_WITH(
    ".shared .align 4 .b8 s[16];\n",
    "mul.wide.u32 %rd4, %r2, 4096; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd6, %rd4, %rd5;\n"
    "add.u64 %rd10, %rd1, %rd6; add.u64 %rd11, %rd2, %rd6; mov.u32 %r9, 0;\n"
    "more: ld.global.u32 %r10, [%rd10]; bar.sync 0; add.u32 %r10, %r10, 1; st.global.u32 [%rd11], %r10;\n"
    "add.u64 %rd10, %rd10, 512; add.u64 %rd11, %rd11, 512;\n"
    "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 8; @%p1 bra more;\n");

static uint64_t page_of(const uint32_t *array, uint32_t page)
{
	return (uintptr_t)array + (uint64_t)page * PAGE_BYTES;
}

/* What CTA c uses has a home. */
static void declare_pages(struct rig *r)
{
	for (uint32_t c = 0; c < CTAS; c++) {
		const uint32_t group = simt_memory_new_group(r->mem);

		simt_memory_declare(r->mem, group, page_of(r->in, c), PAGE_BYTES);
		simt_memory_declare(r->mem, group, page_of(r->out, c), PAGE_BYTES);
	}
}

static void run(struct rig *r)
{
	assert_true(rig_run(r, CTAS, THREADS, 0));
	for (uint32_t i = 0; i < CTAS * PAGE_BYTES / 4; i++)
		assert_int_equal(r->out[i], i + 1);
}

/* Lines of the page that the stack has. */
static uint32_t lines_in(const struct rig *r, uint64_t page, uint32_t stack)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < LINES; i++)
		count += gpu_stack_of(r->gpu, 0, page + i * LINE_BYTES) == stack;
	return count;
}

static void check_homes(const struct rig *r, bool has_homes)
{
	uint32_t pages[STACKS] = {0};

	for (uint32_t c = 0; c < CTAS; c++) {
		const uint32_t home = gpu_stack_of(r->gpu, 0, page_of(r->in, c));

		pages[home]++;
		assert_int_equal(lines_in(r, page_of(r->in, c), home), has_homes ? LINES : LINES / STACKS);
		assert_int_equal(lines_in(r, page_of(r->out, c), home), has_homes ? LINES : LINES / STACKS);
	}
	for (uint32_t s = 0; has_homes && s < STACKS; s++)
		assert_int_equal(pages[s], CTAS / STACKS);
}

static void what_is_declared_together_lies_together(void **state)
{
	uint64_t ignored_tx;
	struct rig r;

	(void)state;
	rig_open(&r, own_page, machine, ignore, NULL);
	declare_pages(&r);
	run(&r);
	check_homes(&r, false);
	assert_int_equal(rig_stat(&r, "ctas.launched_in_stack"), 0);
	ignored_tx = rig_stat(&r, "link_tx.bytes");
	rig_close(&r);
	rig_open(&r, own_page, machine, homes, NULL);
	declare_pages(&r);
	run(&r);
	check_homes(&r, true);
	assert_int_equal(rig_stat(&r, "hints.range_count"), 2 * CTAS);
	assert_int_equal(rig_stat(&r, "hints.group_count"), CTAS);
	assert_int_equal(rig_stat(&r, "hints.home_bytes"), 2 * CTAS * PAGE_BYTES);
	/* Before the first kernel, so that the program's own copies have put it there. */
	assert_int_equal(rig_stat(&r, "hints.moved_bytes"), 0);
	assert_int_equal(rig_stat(&r, "gpu.pauses"), 0);
	assert_true(rig_stat(&r, "ctas.launched_in_stack") > 0);
	assert_int_equal(rig_stat(&r, "ctas.local_lines"), 2 * LINES * rig_stat(&r, "ctas.launched_in_stack"));
	assert_int_equal(rig_stat(&r, "ctas.remote_lines"), 0);
	assert_true(rig_stat(&r, "link_tx.bytes") < ignored_tx);
	rig_close(&r);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* No two lines share a place, whether they are declared or not. */
static void places_are_apart(void **state)
{
	enum { COUNT = 4 * CTAS * LINES };
	static uint64_t keys[COUNT];
	uint32_t n = 0;
	struct rig r;

	(void)state;
	rig_open(&r, own_page, machine, homes, NULL);
	/* Neighbours in one stack, whose addresses differ in what chooses it elsewhere. */
	for (uint32_t c = 0; c < CTAS; c += 8)
		simt_memory_declare(r.mem, simt_memory_new_group(r.mem), page_of(r.in, c), 8 * PAGE_BYTES);
	run(&r);
	for (uint32_t i = 0; i < 2 * CTAS * LINES; i++) {
		const uint64_t bases[] = {page_of(r.in, 0), page_of(r.in, 0) + (1u << 30)};

		for (uint32_t k = 0; k < 2; k++) {
			const uint64_t array = i >= CTAS * LINES ? page_of(r.out, 0) - page_of(r.in, 0) : 0;
			struct mem_req q = {.addr_bytes = bases[k] + array + i % (CTAS * LINES) * LINE_BYTES,
					    .kind = MEM_KIND_DATA};

			gpu_place(r.gpu, 0, &q);
			keys[n++] = (uint64_t)q.row << 32 | (uint64_t)q.stack << 28 | (uint64_t)q.vault << 22 |
				    (uint64_t)q.bank << 14 | q.column / LINE_BYTES;
		}
	}
	qsort(keys, n, sizeof(*keys), by_value);
	for (uint32_t i = 1; i < n; i++)
		assert_int_not_equal(keys[i - 1], keys[i]);
	rig_close(&r);
}

/* Later on data moves: three of four lines, between two kernels' work, and the next kernel sees it. */
static void later_declarations_move_data(void **state)
{
	uint64_t moved = 2 * CTAS * PAGE_BYTES / STACKS * (STACKS - 1);
	struct rig r;

	(void)state;
	rig_open(&r, own_page, machine, homes, NULL);
	run(&r);
	check_homes(&r, false);
	declare_pages(&r);
	run(&r);
	check_homes(&r, true);
	assert_int_equal(rig_stat(&r, "hints.moved_bytes"), moved);
	assert_true(rig_stat(&r, "hints.moved_wire_bytes") >= moved);
	assert_int_equal(rig_stat(&r, "gpu.pauses"), 1);
	assert_true(rig_stat(&r, "gpu.pause_ps") > 0);
	/* While data moves nobody knows where a CTA's is. */
	assert_int_equal(rig_stat(&r, "ctas.launched_in_stack"), 0);
	/* The same once more: all stays, and CTAs begin where it is. */
	declare_pages(&r);
	run(&r);
	check_homes(&r, true);
	assert_int_equal(rig_stat(&r, "hints.moved_bytes"), moved);
	assert_int_equal(rig_stat(&r, "gpu.pauses"), 1);
	assert_true(rig_stat(&r, "ctas.launched_in_stack") > 0);
	/* And back. */
	simt_memory_declare(r.mem, 0, page_of(r.in, 0), CTAS * PAGE_BYTES);
	simt_memory_declare(r.mem, 0, page_of(r.out, 0), CTAS * PAGE_BYTES);
	run(&r);
	check_homes(&r, false);
	assert_int_equal(rig_stat(&r, "hints.moved_bytes"), 2 * moved);
	rig_close(&r);
}

/* An array that is declared as a whole is served by all stacks; a page is that range's which has its middle. */
static void whole_arrays_have_no_home(void **state)
{
	struct rig r;
	uint32_t group;

	(void)state;
	rig_open(&r, own_page, machine, homes, NULL);
	simt_memory_declare(r.mem, simt_memory_new_group(r.mem), page_of(r.in, 0), WORDS * 4);
	group = simt_memory_new_group(r.mem);
	simt_memory_declare(r.mem, group, page_of(r.out, 1) + PAGE_BYTES / 2, 3 * PAGE_BYTES);
	run(&r);
	assert_int_equal(rig_stat(&r, "hints.whole_count"), 1);
	assert_int_equal(rig_stat(&r, "hints.range_count"), 1);
	assert_int_equal(rig_stat(&r, "hints.home_bytes"), 3 * PAGE_BYTES);
	assert_int_equal(lines_in(&r, page_of(r.in, 0), 0), LINES / STACKS);
	assert_int_equal(lines_in(&r, page_of(r.out, 0), 0), LINES / STACKS);
	for (uint32_t p = 1; p < 4; p++)
		assert_int_equal(lines_in(&r, page_of(r.out, p), 0), LINES);
	assert_int_equal(lines_in(&r, page_of(r.out, 4), 0), LINES / STACKS);
	rig_close(&r);
}

/* A launch that has blocks and reads in; it writes out. */
static const char block[] = KERNEL_WITH(
    "", "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd10, %rd1, %rd4; add.u64 %rd11, %rd2, %rd4;\n"
	"mov.u32 %r9, 0; mov.u32 %r12, 0;\n"
	"more: ld.global.u32 %r10, [%rd10]; add.u32 %r12, %r12, %r10; add.u64 %rd10, %rd10, 32768;\n"
	"add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 8; @%p1 bra more;\n"
	"st.global.u32 [%rd11], %r12;\n");

static void what_is_read_mostly_is_copied(void **state)
{
	for (int is_declared = 0; is_declared < 2; is_declared++) {
		const char *const settings[] = {"ndp.hints", "homes", NULL};
		struct rig r;

		(void)state;
		rig_open(&r, block, machine, settings, NULL);
		simt_memory_declare_reading(r.mem, page_of(r.in, 0), is_declared);
		simt_memory_declare_reading(r.mem, page_of(r.out, 0), true); /* which is written */
		assert_true(rig_run(&r, CTAS, THREADS, 0));
		assert_int_equal(rig_stat(&r, "tom.copied_bytes"), is_declared ? 3 * WORDS * 4 : 0);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_declared_together_lies_together),
	    cmocka_unit_test(places_are_apart),
	    cmocka_unit_test(later_declarations_move_data),
	    cmocka_unit_test(whole_arrays_have_no_home),
	    cmocka_unit_test(what_is_read_mostly_is_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
