/* test_pages.c - pages that come on demand (gpu.pages): when they come and stay, what that takes, and that the writes
 * of one wait for the write addresses that are under way to a unit for lines of its stack, and of no other.
 */
#include "base/check.h"
#include "gpu/pages.h"
#include "gpu/priv.h"
#include "rig.h"

enum { PAGE = 4096, LINE = 128 };

#define DEMAND                                                                                                       \
	"gpu.pages", "demand", "gpu.address_map", "random_page", "gpu.page_fetch_ps", "20000000", "host.link", "pcie", \
	    "host.pcie_bandwidth_mbytes_per_s", "8000", "host.pcie_payload_bytes", "128", "host.pcie_overhead_bytes", \
	    "24"

static const char *const demand[] = {DEMAND, NULL};
static const char *const resident[] = {"gpu.address_map", "random_page", NULL};

static uint64_t the_address;

static uint64_t one_line(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return the_address + thread % 32 * 4;
}

static uint64_t page_per_lane(uint64_t thread, uint32_t visit)
{
	(void)visit;
	return the_address + thread % 32 * PAGE;
}

static uint64_t run(struct rig *r, struct fake_inst access)
{
	const struct fake_inst insts[] = {access, FAKE_EXIT};

	return rig_run(r, insts, ARRAY_COUNT(insts), 1, 32);
}

static uint64_t load(struct rig *r)
{
	return run(r, (struct fake_inst)FAKE_LOAD(1, one_line));
}

/* ---- when they come ---- */

static void a_page_comes_once(void **state)
{
	struct rig r, all;
	uint64_t first, again, here, cold;

	(void)state;
	the_address = RIG_MEMORY;
	rig_open(&all, NULL, NULL, resident);
	cold = load(&all);
	here = load(&all);
	rig_close(&all);
	rig_open(&r, NULL, NULL, demand);
	first = load(&r);
	again = load(&r);
	assert_int_equal(again, here);
	assert_int_equal(rig_stat(&r, "pages.swapped_in"), 1);
	the_address += PAGE - LINE; /* the same page */
	load(&r);
	assert_int_equal(rig_stat(&r, "pages.swapped_in"), 1);
	the_address += LINE;
	load(&r);
	assert_int_equal(rig_stat(&r, "pages.swapped_in"), 2);
	assert_int_equal(rig_stat(&r, "pages.waits"), 2);
	assert_int_equal(rig_stat(&r, "pages.written_lines"), 2 * PAGE / LINE);
	assert_int_equal(rig_stat(&r, "vault.write_bytes"), 2 * PAGE);
	assert_int_equal(rig_stat(&r, "host_link.up_wire_bytes"), 2 * 24);
	assert_int_equal(rig_stat(&r, "host_link.down_wire_bytes"), 2 * PAGE / 128 * (128 + 24));
	/* 20 us, 32 packets of 152 B at 8 GB/s, and as many lines into the stack, in cycles of 1.4 GHz. */
	assert_in_range(first - cold, (20000000 + 608000) * UINT64_C(14) / 10000,
			(20000000 + 608000 + 500000) * UINT64_C(14) / 10000);
	rig_close(&r);
}

/* What a store or an atomic accesses comes, too; what was allocated after it had come is with the host. */
static void all_accesses_ask(void **state)
{
	struct fake_inst atomic = FAKE_STORE(1, one_line);
	struct rig r;

	(void)state;
	atomic.flags = SIMT_STORE | SIMT_ATOMIC;
	the_address = RIG_MEMORY;
	rig_open(&r, NULL, NULL, demand);
	run(&r, (struct fake_inst)FAKE_STORE(1, one_line));
	assert_int_equal(rig_stat(&r, "pages.swapped_in"), 1);
	the_address += PAGE;
	run(&r, atomic);
	assert_int_equal(rig_stat(&r, "pages.swapped_in"), 2);
	fake_reallocate();
	run(&r, atomic);
	assert_int_equal(rig_stat(&r, "pages.swapped_in"), 3);
	rig_close(&r);
}

/* All pages of an instruction are fetched at a time. */
static void pages_of_an_instruction_come_together(void **state)
{
	uint64_t one, all;
	struct rig r;

	(void)state;
	the_address = RIG_MEMORY;
	rig_open(&r, NULL, NULL, demand);
	one = load(&r);
	the_address += PAGE;
	all = run(&r, (struct fake_inst)FAKE_LOAD(1, page_per_lane));
	assert_int_equal(rig_stat(&r, "pages.swapped_in"), 1 + 32);
	assert_int_equal(rig_stat(&r, "pages.waits"), 2);
	assert_true(all > one && all < 3 * one); /* they share the wires: 0.6 us each */
	rig_close(&r);
}

/* ---- write addresses under way ---- */

/* Stands for the extension with units: addresses are under way to lines of one stack until some time. */
struct units {
	struct gpu *gpu;
	struct sim_comp comp;
	uint32_t stack, count;
};

static uint32_t addresses_under_way(void *self, uint32_t stack)
{
	const struct units *u = self;

	return stack == u->stack ? u->count : 0;
}

static void come_home(void *component, uint64_t cycle)
{
	struct units *u = component;

	(void)cycle;
	u->count = 0;
	pages_are_clear(u->gpu->pages, u->stack);
}

static void on_written(void *self, uint64_t addr_bytes)
{
	(void)self, (void)addr_bytes;
}

static void on_answered(void *self, const struct mem_req *r)
{
	(void)self, (void)r;
}

enum { HOME_PS = 50000000 };

/* Cycles of an access to an absent page while addresses are under way to the stack. */
static uint64_t cycles_beside(uint32_t stack, bool come_home_later, uint64_t *waits, uint64_t *wait_ps)
{
	static const struct gpu_ext_ops ops = {.addresses_under_way = addresses_under_way,
					       .slice_written = on_written,
					       .store_answered = on_answered};
	struct units u = {.stack = stack, .count = 2};
	const struct gpu_ext ext = {.ops = &ops, .self = &u};
	uint64_t cycles;
	struct rig r;

	rig_open(&r, NULL, NULL, demand);
	u.gpu = r.gpu;
	u.comp = sim_engine_add(r.ctx.engine, r.gpu->clocks.sm, "units", come_home, &u);
	r.gpu->units = &ext;
	if (come_home_later)
		sim_wake_units(r.ctx.engine, u.comp, sim_units_of_ps(r.ctx.engine, HOME_PS));
	cycles = load(&r);
	*waits = rig_stat(&r, "pages.write_waits");
	*wait_ps = rig_stat(&r, "pages.write_wait_ps");
	r.gpu->units = NULL;
	rig_close(&r);
	return cycles;
}

static uint32_t stack_of(uint64_t addr_bytes)
{
	uint32_t stack;
	struct rig r;

	rig_open(&r, NULL, NULL, demand);
	stack = gpu_stack_of(r.gpu, 0, addr_bytes);
	rig_close(&r);
	return stack;
}

static void writes_wait_for_addresses(void **state)
{
	uint64_t free_cycles, cycles, waits, wait_ps;
	uint32_t stack;

	(void)state;
	the_address = RIG_MEMORY;
	stack = stack_of(the_address);
	free_cycles = cycles_beside(stack ^ 1, false, &waits, &wait_ps); /* another stack's hold nothing up */
	assert_int_equal(waits, 0);
	assert_int_equal(wait_ps, 0);
	cycles = cycles_beside(stack, true, &waits, &wait_ps);
	assert_int_equal(waits, 1);
	/* The wait lies behind the fetch, which has overlapped with most of it. */
	assert_true(wait_ps > HOME_PS - 21000000 && wait_ps < HOME_PS - 20000000);
	assert_true(cycles > HOME_PS * UINT64_C(14) / 10000);
	assert_in_range(cycles - free_cycles, wait_ps * 14 / 10000 - 30, wait_ps * 14 / 10000 + 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_page_comes_once),
	    cmocka_unit_test(all_accesses_ask),
	    cmocka_unit_test(pages_of_an_instruction_come_together),
	    cmocka_unit_test(writes_wait_for_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
