/* TOM's metadata table in shared memory: what the controller reads of it and of a condition's registers takes the turns
 * and the cycles of what it reads from, and the table takes room from CTAs. */
#include "base/check.h"
#include "rig.h"

static const char *const machine[] = {"gpu.stack_sm_count", "1",    "ndp.mechanism", "tom",
				      "ndp.tom_control",    "none", NULL};

/* A loop of n rounds from %r6 on, where `start` sets it and may replace the bound, %r20. */
#define LOOP(globals, start)                                                                                           \
	KERNEL_WITH(globals, "cvt.u32.u64 %r20, %rd3;\n"                                                               \
		    "mul.wide.u32 %rd4, %r4, 4;\n"                                                                     \
		    "add.u64 %rd5, %rd1, %rd4;\n" start "mov.u32 %r7, 0;\n"                                            \
		    "next:\n"                                                                                          \
		    "ld.global.u32 %r8, [%rd5];\n"                                                                     \
		    "add.u32 %r7, %r7, %r8;\n"                                                                         \
		    "add.u64 %rd5, %rd5, 1024;\n"                                                                      \
		    "add.u32 %r6, %r6, 1;\n"                                                                           \
		    "setp.lt.u32 %p1, %r6, %r20;\n"                                                                    \
		    "@%p1 bra next;\n"                                                                                 \
		    "bar.sync 0;\n"                                                                                    \
		    "mul.wide.u32 %rd6, %r4, 4; add.u64 %rd7, %rd2, %rd6;\n"                                           \
		    "st.volatile.global.u32 [%rd7], %r7;\n")

static const char loop[] = LOOP("", "mov.u32 %r6, 0;\n");
/* From a register to another, as TOM's Figure 4. */
static const char difference[] =
    LOOP("", "shr.u32 %r9, %r3, 7; mul.lo.u32 %r9, %r9, 70; add.u32 %r20, %r20, %r9; mov.u32 %r6, %r9;\n");
/* The bound comes from memory: in[n] = n. */
static const char loaded[] = LOOP("", "shl.b64 %rd8, %rd3, 2; add.u64 %rd9, %rd1, %rd8;\n"
				      "mov.u32 %r6, 0; ld.global.u32 %r20, [%rd9];\n");
/* Before its loop each warp keeps the banks busy: 32 passes for an instruction. */
#define CONFLICTS "ld.shared.u32 %r10, [%r11]; ld.shared.u32 %r12, [%r11]; ld.shared.u32 %r13, [%r11];\n"
static const char busy[] = LOOP(".shared .align 4 .b8 words[4096];\n",
				"mov.u32 %r14, words; and.b32 %r11, %r1, 31; shl.b32 %r11, %r11, 7;\n"
				"add.u32 %r11, %r11, %r14;\n" CONFLICTS CONFLICTS "mov.u32 %r6, 0;\n");

enum { ROUNDS = 40, WARPS = 32, CYCLE_PS = 714 };

struct run {
	uint64_t ask_ps, shared, registers, table, condition;
};

static struct run run_of(const char *ptx, const char *const *settings)
{
	struct run out;
	struct rig r;

	rig_open(&r, ptx, machine, settings, NULL);
	assert_true(rig_run(&r, WARPS / 4, 128, ROUNDS));
	for (uint32_t i = 0; i < 32 * WARPS; i++)
		assert_int_equal(r.out[i], ROUNDS * i + 256 * (ROUNDS - 1) * ROUNDS / 2);
	assert_int_equal(rig_stat(&r, "tom.offloaded_count"), WARPS);
	out = (struct run){.ask_ps = rig_stat(&r, "gpu.offload_ask_ps"),
			   .shared = rig_stat(&r, "sm.shared_accesses"),
			   .registers = rig_stat(&r, "sm.register_reads"),
			   .table = rig_stat(&r, "tom.table_read_count"),
			   .condition = rig_stat(&r, "tom.condition_read_count")};
	rig_close(&r);
	return out;
}

static const char *const off[] = {"ndp.tom_table_reads", "false", NULL};

/* An entry is one pass, a condition of one register one read, and of two two. All are counted where they are made. */
static void reads_are_made(void **state)
{
	static const struct {
		const char *ptx;
		uint64_t registers;
	} cases[] = {{loop, 1}, {difference, 2}};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct run with = run_of(cases[i].ptx, NULL), without = run_of(cases[i].ptx, off);

		assert_int_equal(with.table, WARPS);
		assert_int_equal(with.condition, WARPS * cases[i].registers);
		assert_int_equal(with.shared, without.shared + WARPS);
		assert_true(with.registers >= without.registers + WARPS * cases[i].registers);
		assert_int_equal(without.table + without.condition + without.ask_ps, 0);
	}
}

/* Of a single warp all of it is the kernel's time, but for what it would have waited for all the same. */
static void reads_are_waited_for(void **state)
{
	static const char *const slow[] = {"dram.refresh", "false", "sm.shared_latency_cycles", "526", NULL};
	static const char *const none[] = {"dram.refresh", "false", "ndp.tom_table_reads", "false", NULL};
	uint64_t time_ps[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig r;

		rig_open(&r, loop, machine, i ? none : slow, NULL);
		assert_true(rig_run(&r, 1, 32, ROUNDS));
		time_ps[i] = rig_stat(&r, "gpu.time_ps");
		rig_close(&r);
	}
	assert_in_range(time_ps[0] - time_ps[1], 480 * CYCLE_PS, 540 * CYCLE_PS);
}

/* A condition of two registers takes one collector cycle more than one of one. */
static void reads_hold_a_collector(void **state)
{
	uint64_t ask_ps[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig r;

		rig_open(&r, i ? difference : loop, machine, NULL, NULL);
		assert_true(rig_run(&r, 1, 32, ROUNDS));
		assert_int_equal(rig_stat(&r, "tom.table_read_count"), 1);
		ask_ps[i] = rig_stat(&r, "gpu.offload_ask_ps");
		rig_close(&r);
	}
	assert_in_range(ask_ps[1] - ask_ps[0], CYCLE_PS, CYCLE_PS + 2);
}

/* The instruction that marks a block's begin takes an issue slot wherever a warp of the GPU comes to it: once where the
 * block leaves, at each round of a loop that stays. */
static void begins_take_a_slot(void **state)
{
	static const char *const none[] = {"ndp.tom_begin_issues", "false", NULL};
	const char *const *const settings[] = {NULL, none, NULL};
	static const uint64_t marks[] = {1, 0, 2};
	uint64_t issued[3], instructions[3];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		struct rig r;

		rig_open(&r, loop, machine, settings[i], NULL);
		assert_true(rig_run(&r, 1, 32, i == 2 ? 2 : ROUNDS)); /* two rounds do not pay */
		if (i == 2)
			assert_int_equal(rig_stat(&r, "tom.condition_false_count"), 1);
		assert_int_equal(rig_stat(&r, "sm.mark_instructions"), marks[i]);
		issued[i] = rig_stat(&r, "sm.issued_cycles");
		instructions[i] = rig_stat(&r, "sm.warp_instructions");
		assert_int_equal(issued[i], instructions[i] + rig_stat(&r, "sm.mark_instructions"));
		rig_close(&r);
	}
	assert_int_equal(instructions[0], instructions[1]);
	assert_int_equal(issued[0], issued[1] + 1);
}

/* The latency of shared memory, a pass and the register's read at least; wide entries take more passes. */
static void reads_take_cycles(void **state)
{
	static const char *const slow[] = {"sm.shared_latency_cycles", "126", NULL};
	static const char *const wide[] = {"ndp.tom_table_entry_bits", "4096", NULL};
	const struct run usual = run_of(loop, NULL), late = run_of(loop, slow), more = run_of(loop, wide);

	(void)state;
	assert_in_range(usual.ask_ps, WARPS * (26 + 2) * CYCLE_PS, WARPS * 60 * CYCLE_PS);
	assert_true(late.ask_ps >= usual.ask_ps + WARPS * 100 * CYCLE_PS);
	assert_int_equal(more.shared, usual.shared + 3 * WARPS);
	assert_true(more.ask_ps >= usual.ask_ps + WARPS * 3 * CYCLE_PS);
}

/* What other warps do with the port and what the collectors read comes before. */
static void reads_wait_for_their_turn(void **state)
{
	static const char *const one_place[] = {"sm.lsu_queue_count", "1", NULL};
	static const char *const one_bank[] = {"sm.collector_count", "1", "sm.register_bank_count", "1", NULL};
	const struct run usual = run_of(loop, NULL), queued = run_of(busy, NULL), full = run_of(busy, one_place);
	const struct run met = run_of(difference, one_bank), apart = run_of(difference, NULL);

	(void)state;
	assert_true(queued.ask_ps > 2 * usual.ask_ps);
	assert_true(full.ask_ps > usual.ask_ps);
	assert_true(met.ask_ps > apart.ask_ps);
}

/* A condition's register that is being loaded is not there before: all of a load's time. */
static void conditions_wait_for_their_registers(void **state)
{
	static const char *const slow[] = {"dram.controller_latency_ps", "1000000", NULL};
	const struct run usual = run_of(loaded, NULL), late = run_of(loaded, slow);

	(void)state;
	assert_true(late.ask_ps > usual.ask_ps + 900000ull * WARPS / 2);
}

/* Results in a pipeline: the controller's reads take a collector and banks there, too. */
static void reads_beside_a_pipeline(void **state)
{
	static const char *const piped[] = {"sm.result_bus_count", "2", NULL};
	static const char *const one_bank[] = {"sm.result_bus_count", "2", "sm.register_bank_count", "1",
					       "sm.collector_count", "1", NULL};
	const struct run usual = run_of(difference, piped), met = run_of(difference, one_bank);

	(void)state;
	assert_int_equal(usual.condition, 2 * WARPS);
	assert_true(met.ask_ps > usual.ask_ps);
}

/* ---- room ---- */

static const char shares[] = LOOP(".shared .align 4 .b8 words[6144];\n",
				  "mov.u32 %r14, words; shl.b32 %r11, %r1, 2; add.u32 %r11, %r11, %r14;\n"
				  "st.shared.u32 [%r11], %r4; mov.u32 %r6, 0;\n");
static const char takes_all[] = LOOP(".shared .align 4 .b8 words[49152];\n",
				     "mov.u32 %r14, words; shl.b32 %r11, %r1, 2; add.u32 %r11, %r11, %r14;\n"
				     "st.shared.u32 [%r11], %r4; mov.u32 %r6, 0;\n");

static uint32_t ctas_of(const char *ptx, const char *const *settings, uint64_t *offloaded, uint64_t *no_room)
{
	struct base_diag_list diag;
	struct rig r;
	uint32_t ctas;

	rig_open(&r, ptx, machine, settings, NULL);
	base_diag_init(&diag);
	ctas = gpu_ctas_per_sm(r.gpu, r.program, 128, 0, &diag);
	assert_int_equal(diag.error_count, 0);
	base_diag_free(&diag);
	assert_true(rig_run(&r, 8, 128, ROUNDS));
	*offloaded = rig_stat(&r, "tom.offloaded_count");
	*no_room = rig_stat(&r, "tom.no_room_count");
	for (uint32_t i = 0; i < 1024; i++)
		assert_int_equal(r.out[i], ROUNDS * i + 256 * (ROUNDS - 1) * ROUNDS / 2);
	rig_close(&r);
	return ctas;
}

/* Eight CTAs of 6 KB fill 48 KB: an entry of 33 bytes costs one of them. A kernel without a candidate has no table; a
 * CTA that takes all leaves none, and its blocks stay. */
static void the_table_takes_room(void **state)
{
	static const char *const beside[] = {"ndp.tom_table_takes_shared", "false", NULL};
	static const char *const described[] = {"ndp.tom_table_entry_bits", "134", NULL};
	uint64_t offloaded, no_room;

	(void)state;
	assert_int_equal(ctas_of(shares, NULL, &offloaded, &no_room), 7);
	assert_int_equal(offloaded, WARPS);
	assert_int_equal(ctas_of(shares, beside, &offloaded, &no_room), 8);
	assert_int_equal(offloaded, WARPS);
	assert_int_equal(ctas_of(shares, described, &offloaded, &no_room), 8);
	assert_int_equal(offloaded + no_room, 0);
	assert_int_equal(ctas_of(takes_all, NULL, &offloaded, &no_room), 1);
	assert_int_equal(offloaded, 0);
	assert_int_equal(no_room, WARPS);
	assert_int_equal(ctas_of(takes_all, beside, &offloaded, &no_room), 1);
	assert_int_equal(offloaded, WARPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_are_made),
	    cmocka_unit_test(reads_are_waited_for),
	    cmocka_unit_test(reads_hold_a_collector),
	    cmocka_unit_test(begins_take_a_slot),
	    cmocka_unit_test(reads_take_cycles),
	    cmocka_unit_test(reads_wait_for_their_turn),
	    cmocka_unit_test(conditions_wait_for_their_registers),
	    cmocka_unit_test(reads_beside_a_pipeline),
	    cmocka_unit_test(the_table_takes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
