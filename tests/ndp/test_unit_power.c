/* Units and the network between the stacks without power where nothing is offloaded, and lines of their stores that the
 * GPU drops by itself: on a small machine with real kernels. */
#include "base/check.h"
#include "machine/gpu_result.h"
#include "rig.h"

static const char *const machine[] = {
    "nsu.is_present", "true",   "ndp.mechanism",    "nsu",    "gpu.address_map",  "random_page",
    "nsu.clock_khz",  "350000", "gpu.sm_clock_khz", "700000", "gpu.mesh_is_free", "false",       NULL};

#define BLOCK(at)                                                \
	"ld.global.u32 %r5, [%rd5+" at "];\n"                    \
	"ld.global.u32 %r6, [%rd5+16384];\n"                     \
	"add.u32 %r7, %r5, %r6;\n"                               \
	"st.global.u32 [%rd6+" at "], %r7;\n"
#define ADDRESSES "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4;\n"
/* n rounds in which nothing is offloaded. */
#define PAUSE                                                                                                    \
	"cvt.u32.u64 %r20, %rd3; mov.u32 %r21, 0; bar.sync 0;\n"                                                \
	"again: add.u32 %r21, %r21, 1; setp.lt.u32 %p1, %r21, %r20; @%p1 bra again; bar.sync 0;\n"

static const char with_pause[] = KERNEL_WITH("", ADDRESSES "bar.sync 0;\n" BLOCK("0") PAUSE BLOCK("32768"));
static const char without_blocks[] = KERNEL_WITH("", ADDRESSES PAUSE "st.volatile.global.u32 [%rd6], %r21;\n");

enum { ROUNDS = 400 };

struct run {
	uint64_t time_ps, gated_ps, wakes, blocks;
	double unit_pj, mesh_pj;
};

static double component_pj(const struct energy_report *e, const char *name)
{
	for (uint32_t i = 0; i < e->component_count; i++)
		if (!strcmp(e->components[i].name, name))
			return e->components[i].pj;
	fail_msg("no component %s", name);
	return 0;
}

static struct run run_of(const char *ptx, const char *const *settings, uint32_t launches)
{
	struct energy_list list = {.count = 0};
	struct energy_report energy;
	struct run out;
	struct rig r;

	rig_open(&r, ptx, machine, settings, NULL);
	for (uint32_t i = 0; i < launches; i++)
		assert_true(rig_run(&r, 2, 64, ROUNDS));
	out = (struct run){.time_ps = rig_stat(&r, "gpu.time_ps"),
			   .gated_ps = rig_stat(&r, "partition.gated_ps"),
			   .wakes = rig_stat(&r, "partition.wakes"),
			   .blocks = rig_stat(&r, "partition.blocks")};
	for (uint32_t i = 0; i < 128 && out.blocks; i++) {
		assert_int_equal(r.out[i], 2 * i + 4096);
		assert_int_equal(r.out[8192 + i], i + 8192 + i + 4096);
	}
	machine_gpu_energy(&r.config, &list);
	energy_account(&list, r.ctx.stats, out.time_ps, &energy);
	out.unit_pj = component_pj(&energy, "nsu_static");
	out.mesh_pj = component_pj(&energy, "mesh_idle");
	rig_close(&r);
	return out;
}

static const char *const always_on[] = {"nsu.gate_idle_cycles", "0", NULL};
static const char *const soon[] = {"nsu.gate_idle_cycles", "1000", NULL};

/* A kernel without blocks: a tenth of both powers is left, and no time is lost. */
static void kernels_without_blocks_have_no_power(void **state)
{
	const struct run on = run_of(without_blocks, always_on, 2), gated = run_of(without_blocks, NULL, 2);

	(void)state;
	assert_int_equal(on.blocks + on.gated_ps + on.wakes + gated.wakes, 0);
	assert_int_equal(gated.time_ps, on.time_ps);
	assert_int_equal(gated.gated_ps, gated.time_ps);
	assert_true(on.unit_pj > 0 && on.mesh_pj > 0);
	assert_true(gated.unit_pj > 0.0999 * on.unit_pj && gated.unit_pj < 0.1001 * on.unit_pj);
	assert_true(gated.mesh_pj > 0.0999 * on.mesh_pj && gated.mesh_pj < 0.1001 * on.mesh_pj);
}

/* Between two bursts of blocks the power goes, and the second burst waits for it. */
static void idle_units_lose_their_power(void **state)
{
	static const char *const slow[] = {"nsu.gate_idle_cycles", "1000", "nsu.wake_cycles", "10350", NULL};
	const struct run on = run_of(with_pause, always_on, 1), rare = run_of(with_pause, NULL, 1);
	const struct run gated = run_of(with_pause, soon, 1), late = run_of(with_pause, slow, 1);
	const uint64_t cycle_ps = 1000000000 / 350000;

	(void)state;
	assert_int_equal(rare.gated_ps + rare.wakes, 0); /* the pause is shorter than an epoch */
	assert_int_equal(rare.time_ps, on.time_ps);
	assert_int_equal(gated.wakes, 1);
	assert_true(gated.gated_ps > 0 && gated.gated_ps < gated.time_ps);
	assert_in_range(late.time_ps - gated.time_ps, 9900 * cycle_ps, 10100 * cycle_ps);
	assert_in_range(late.gated_ps, gated.gated_ps - 10 * cycle_ps, gated.gated_ps + 10 * cycle_ps);
	assert_true(gated.mesh_pj < on.mesh_pj * 1.02);
}

/* The next launch wakes them before its first warp, and pays for it: kernels with blocks, that end gated, take as long
 * the second time as kernels that do not. */
static void launches_wake(void **state)
{
	static const char *const never[] = {"ndp.nsu_decision",	    "static", "ndp.nsu_ratio", "0",
					    "nsu.gate_idle_cycles", "1000",   NULL};
	const struct run kept = run_of(with_pause, never, 2);
	const struct run gated = run_of(with_pause, soon, 2);

	(void)state;
	assert_int_equal(kept.blocks, 0);
	assert_int_equal(kept.wakes, 1); /* of the second launch: its program has blocks, which may leave */
	assert_true(kept.gated_ps > 0 && kept.gated_ps < kept.time_ps);
	assert_int_equal(gated.wakes, 2); /* in each launch for the second burst, behind which it ends at once */
}

/* A wake costs its energy: of all units, once. */
static void wakes_cost(void **state)
{
	static const char *const dear[] = {"nsu.gate_idle_cycles", "1000", "energy.nsu_wake_pj", "1150000", NULL};
	const struct run gated = run_of(with_pause, soon, 1), more = run_of(with_pause, dear, 1);
	const double stacks = 4;

	(void)state;
	assert_true(more.unit_pj - gated.unit_pj > 0.999e6 * stacks && more.unit_pj - gated.unit_pj < 1.001e6 * stacks);
}

/* ---- invalidations by the GPU ---- */

/* An SM reads the lines that its next block writes, and again behind the block: it must see what the unit wrote. */
static const char read_again[] =
    KERNEL_WITH("", ADDRESSES "ld.global.u32 %r12, [%rd6+16384]; bar.sync 0; add.u32 %r12, %r12, 1; bar.sync 0;\n"
			      "ld.global.u32 %r5, [%rd5];\n"
			      "ld.global.u32 %r6, [%rd5+16384];\n"
			      "add.u32 %r7, %r5, %r6;\n"
			      "st.global.u32 [%rd6+16384], %r7;\n"
			      "bar.sync 0;\n"
			      "ld.global.u32 %r13, [%rd6+16384];\n"
			      "bar.sync 0;\n"
			      "add.u32 %r13, %r13, %r12;\n"
			      "st.volatile.global.u32 [%rd6], %r13;\n");

static void the_gpu_drops_lines(void **state)
{
	static const char *const by_gpu[] = {"nsu.invalidate_by", "gpu", NULL};
	static const char *const slowly[] = {"nsu.invalidate_by", "gpu", "nsu.invalidate_cycles", "64", "dram.refresh",
					     "false", NULL};
	static const char *const at_once[] = {"nsu.invalidate_by", "gpu", "nsu.invalidate_cycles", "0", "dram.refresh",
					      "false", NULL};
	const char *const *const settings[] = {NULL, by_gpu, slowly, at_once};
	uint64_t time_ps[4], rx_bytes[4], drops[4], l1_hits[4];
	enum { WARPS = 4 };

	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		struct rig r;

		rig_open(&r, read_again, machine, settings[k], NULL);
		assert_true(rig_run(&r, 2, 64, 0));
		assert_int_equal(rig_stat(&r, "packet.invalidations"), k ? 0 : WARPS);
		assert_int_equal(rig_stat(&r, "partition.kept_drops"), k ? WARPS : 0);
		assert_int_equal(rig_stat(&r, "gpu.l2_invalidations"), k ? WARPS : 0);
		assert_true(k ? rig_stat(&r, "partition.kept_max") >= 1 : rig_stat(&r, "partition.kept_max") == 0);
		time_ps[k] = rig_stat(&r, "gpu.time_ps");
		rx_bytes[k] = rig_stat(&r, "link_rx.wire_bytes");
		drops[k] = rig_stat(&r, "l1d.invalidations");
		l1_hits[k] = rig_stat(&r, "l1d.read_hits");
		for (uint32_t i = 0; i < 128; i++)
			assert_int_equal(r.out[i], 2 * i + 4096 + 1);
		rig_close(&r);
	}
	assert_int_equal(rx_bytes[0] - rx_bytes[1], WARPS * 16);
	assert_int_equal(drops[1], drops[0]);
	assert_int_equal(l1_hits[1], l1_hits[0]);
	assert_true(time_ps[2] > time_ps[3] + 32 * 1428);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kernels_without_blocks_have_no_power),
	    cmocka_unit_test(idle_units_lose_their_power),
	    cmocka_unit_test(launches_wake),
	    cmocka_unit_test(wakes_cost),
	    cmocka_unit_test(the_gpu_drops_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
