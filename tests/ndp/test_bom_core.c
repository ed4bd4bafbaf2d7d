/* The core of BOM (MSc thesis 2017), section 4.3, by parameters: 8 lanes, so that an instruction of a warp takes 4
 * cycles of a pipeline, and 24 stages without forwarding, so that what needs its result is 24 cycles behind. And what
 * the links of the thesis carry, equation (1) of section 5.5.1: flits, and idle time for each that is not there. */
#include <math.h>

#include "base/check.h"
#include "base/units.h"
#include "machine/gpu_result.h"
#include "rig.h"

/* As docs/bom.md has them. */
#define FIGURE_9                                                                                                      \
	"sm.int_interval_cycles", "4", "sm.imul_interval_cycles", "4", "sm.fp32_interval_cycles", "4",                \
	    "sm.int_latency_cycles", "24", "sm.imul_latency_cycles", "24", "sm.fp32_latency_cycles", "24",            \
	    "sm.fp64_latency_cycles", "24", "sm.ctrl_latency_cycles", "24", "sm.branch_penalty_cycles", "24"
/* Without what else an instruction may wait for: its fetch, a collector, other accesses to memory. */
static const char *const figure_9[] = {FIGURE_9,
				       "sm.fetch_ahead", "true", "sm.fetch_warp_count", "0", "sm.collector_count", "0",
				       "dram.refresh", "false", NULL};
static const char *const plain[] = {"ndp.mechanism", "bom", "gpu.stack_sm_count", "1", "gpu.stack_sm_caches", "false",
				    "gpu.stack_sm_l2_invalidate", "true", "ndp.bom_min_memory_share", "1", NULL};

#define TIMES_8(x) x x x x x x x x
#define ADDS TIMES_8("add.u32 %r5, %r5, %r4;\n")
#define MULS TIMES_8("mul.lo.u32 %r5, %r5, %r4;\n")
#define FLOATS TIMES_8("add.f32 %f1, %f1, %f2;\n")
#define STORED "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd2, %rd4; st.volatile.global.u32 [%rd5], %r5;\n"

/* Each is run n times, without and with its instructions once more: n * 8 of them is the difference. */
#define ROUNDS(body)                                                                                           \
	KERNEL_WITH("", ".reg .f32 %f<4>;\n"                                                                   \
		    "cvt.u32.u64 %r20, %rd3; mov.u32 %r5, 1; mov.u32 %r6, 0; mov.f32 %f1, 0f3F800000;\n"           \
		    "mov.f32 %f2, 0f3F800000;\n"                                                               \
		    "again:\n" body "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r20; @%p1 bra again;\n" STORED)
static const char *const once[] = {ROUNDS(ADDS), ROUNDS(MULS), ROUNDS(FLOATS)};
static const char *const twice[] = {ROUNDS(ADDS ADDS), ROUNDS(MULS MULS), ROUNDS(FLOATS FLOATS)};

enum { N = 50, PER_ROUND = 8 };

static uint64_t cycles_of(const char *ptx, uint32_t threads)
{
	uint64_t cycles;
	struct rig r;

	rig_open(&r, ptx, plain, figure_9, NULL);
	assert_true(rig_run(&r, 1, threads, N));
	cycles = rig_stat(&r, "gpu.cycles");
	rig_close(&r);
	return cycles;
}

/* Cycles of one of the instructions, in hundredths. */
static uint64_t instruction(uint32_t kind, uint32_t threads)
{
	return 100 * (cycles_of(twice[kind], threads) - cycles_of(once[kind], threads)) / (N * PER_ROUND);
}

static void results_take_24_stages(void **state)
{
	(void)state;
	for (uint32_t kind = 0; kind < ARRAY_COUNT(once); kind++)
		assert_in_range(instruction(kind, 32), 2395, 2405);
}

/* 24 warps keep the pipelines of both schedulers busy: two instructions in four cycles. */
static void lanes_are_eight(void **state)
{
	(void)state;
	for (uint32_t kind = 0; kind < ARRAY_COUNT(once); kind++)
		assert_in_range(instruction(kind, 768), 2 * 24 * 100 - 40, 2 * 24 * 100 + 480);
}

/* ---- equation (1) ---- */

static double component_pj(const struct energy_report *e, const char *name)
{
	for (uint32_t i = 0; i < e->component_count; i++)
		if (!strcmp(e->components[i].name, name))
			return e->components[i].pj;
	fail_msg("no component %s", name);
	return 0;
}

static const char copy[] =
    KERNEL_WITH("", "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4;\n"
		    "ld.global.u32 %r5, [%rd5]; st.global.u32 [%rd6], %r5;\n");

/* Packets are flits of 128 bits: a header, then data rounded up; a flit is on the wire for its time, one behind the
 * other; and a bit costs 2 pJ, a bit's time without one 1.5. Four links of 80 GB/s need 5.12 W at most (the thesis has
 * 5.04). */
static void links_carry_flits(void **state)
{
	enum { FLIT_BYTES = 16, LINE_FLITS = 9, STACKS = 4 };
	static const double bits_per_ps = 40e9 * 8 / 1e12;
	struct energy_list list = {.count = 0};
	struct energy_report energy;
	uint64_t flits, busy_ps, time_ps;
	double carried, could;
	struct rig r;

	(void)state;
	rig_open(&r, copy, plain, NULL, NULL);
	assert_true(rig_run(&r, 32, 256, 0));
	time_ps = rig_stat(&r, "gpu.time_ps");
	flits = rig_stat(&r, "link_tx.flits") + rig_stat(&r, "link_rx.flits");
	assert_int_equal(rig_stat(&r, "link_tx.wire_bytes") + rig_stat(&r, "link_rx.wire_bytes"), flits * FLIT_BYTES);
	/* RX brings lines, of which each is a header and 128 bytes, and acknowledgments. */
	assert_true(rig_stat(&r, "link_rx.flits") >= rig_stat(&r, "l2.read_misses") * LINE_FLITS);
	busy_ps = rig_stat(&r, "link_tx.busy_units") + rig_stat(&r, "link_rx.busy_units");
	busy_ps = sim_ps_of_units(r.ctx.engine, busy_ps);
	assert_in_range(busy_ps, flits * FLIT_BYTES * 25 - 1, flits * FLIT_BYTES * 25 + 1); /* 40 GB/s: 25 ps a byte */
	machine_gpu_energy(&r.config, &list);
	energy_account(&list, r.ctx.stats, time_ps, &energy);
	carried = (double)(flits * FLIT_BYTES * BASE_BITS_PER_BYTE);
	could = bits_per_ps * (double)time_ps * 2 * STACKS;
	assert_true(fabs(component_pj(&energy, "link_active") - 2.0 * carried) < 1);
	assert_true(fabs(component_pj(&energy, "link_idle") - 1.5 * (could - carried)) < 1);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(results_take_24_stages),
	    cmocka_unit_test(lanes_are_eight),
	    cmocka_unit_test(links_carry_flits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
