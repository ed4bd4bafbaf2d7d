/* test_away.c - waits of warps whose block is away: one parameter is raised, and the part of the wait that it is about
 * grows by as much as the parameter says, and no other. */
#include "base/check.h"
#include "gpu/account.h"
#include "rig.h"

enum { GROWN_MAX = 3, SETTINGS_MAX = 16 };

/* Every clock has 1 GHz, and every stage is a whole number of cycles, so that nothing is rounded. */
#define ONE_CLOCK                                                                                                  \
	"run.account", "true", "gpu.sm_clock_khz", "1000000", "gpu.xbar_clock_khz", "1000000", "gpu.l2_clock_khz", \
	    "1000000", "dram.t_ck_ps", "1000", "dram.data_rate_mbps", "2000", "dram.refresh", "false",             \
	    "link.bandwidth_mbytes_per_s", "16000", "link.latency_ps", "8000", "xbar.flit_bytes", "32",            \
	    "dram.controller_latency_ps", "10000", "dram.tsv_latency_ps", "2000"

static const char *const tom[] = {ONE_CLOCK, "gpu.stack_sm_count", "1",    "ndp.mechanism",
				  "tom",     "ndp.tom_control",    "none", NULL};
static const char *const nsu[] = {ONE_CLOCK, "nsu.is_present", "true", "ndp.mechanism", "nsu", "nsu.clock_khz",
				  "1000000", NULL};

/* A warp reads a line there, and writes four. */
static const char ndp_block[] = KERNEL_WITH("", "bar.sync 0;\n"
						 "mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd1, %rd4;\n"
						 "add.u64 %rd6, %rd2, %rd4;\n"
						 "ld.global.u32 %r5, [%rd5];\n"
						 "st.global.u32 [%rd6], %r1; st.global.u32 [%rd6+4096], %r1;\n"
						 "st.global.u32 [%rd6+8192], %r1; st.global.u32 [%rd6+16384], %r5;\n"
						 "bar.sync 0;\n");
static const char nsu_add[] = KERNEL_WITH("", "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd1, %rd4;\n"
					       "add.u64 %rd6, %rd2, %rd4;\n"
					       "bar.sync 0;\n"
					       "ld.global.u32 %r5, [%rd5]; add.u32 %r7, %r5, %r5;\n"
					       "st.global.u32 [%rd6], %r7;\n");

struct load {
	const char *const *machine;
	const char *ptx;
	uint32_t ctas;
	const char *const *settings; /* more of the machine */
};

static const char *const one_slot[] = {"gpu.stack_sm_warp_slot_count", "1", NULL};
static const char *const one_place[] = {"gpu.stack_sm_warp_slot_count", "1", "gpu.stack_sm_request_count", "0", NULL};
static const char *const free_messages[] = {"ndp.tom_free_messages", "true", NULL};
static const char *const free_packets[] = {"nsu.free_messages", "true", NULL};
static const struct load tom_one = {tom, ndp_block, 1, NULL}, tom_slots = {tom, ndp_block, 2, one_slot},
			 tom_places = {tom, ndp_block, 2, one_place}, tom_free = {tom, ndp_block, 1, free_messages},
			 nsu_one = {nsu, nsu_add, 1, NULL}, nsu_free = {nsu, nsu_add, 1, free_packets};

/* The time of a block there is all in its parts. */
static void ledger_check(const struct account_kernel *k)
{
	for (uint32_t pc = 0; pc < k->inst_count; pc++) {
		const struct account_block *b = k->insts[pc].ledger;
		uint64_t sum = 0;

		for (uint32_t i = 0; b && i < ACCOUNT_PART_COUNT; i++)
			sum += b->there_parts_ps[i];
		if (b)
			assert_int_equal(sum, b->there_ps);
	}
}

static void parts_of(const struct load *load, const char *key, const char *value, uint64_t *parts)
{
	const char *settings[SETTINGS_MAX];
	const struct account_kernel *k;
	uint32_t count = 0;
	uint64_t sum = 0;
	struct rig r;

	for (const char *const *s = load->settings; s && *s; s++)
		settings[count++] = *s;
	settings[count++] = key;
	settings[count++] = value;
	settings[count] = NULL;
	rig_open(&r, load->ptx, load->machine, settings, NULL);
	assert_true(rig_run(&r, load->ctas, 32, 0));
	k = gpu_account_of(r.gpu)->kernels[0];
	for (uint32_t i = 0; i < ACCOUNT_PART_COUNT; i++) {
		parts[i] = k->nowhere[0].offload[i];
		for (uint32_t pc = 0; pc < k->inst_count; pc++)
			parts[i] += k->insts[pc].cell[0].offload[i];
		sum += parts[i];
	}
	assert_int_equal(sum, rig_stat(&r, "sm.stall_offload"));
	ledger_check(k);
	rig_close(&r);
}

struct growth {
	uint32_t part;
	int64_t cycles, more; /* with the low value; and more with the high one */
};

/* TOM's request is 16 + 4 * 32 bytes: 5 flits of the crossbar, 10 with a header on a link; the answer of four lines is
 * 24 bytes, 1 and 3. Packets of a unit are a flit of each; the operand's way begins when the command's ends. */
static const struct row {
	const struct load *load;
	const char *key, *low, *high;
	struct growth grown[GROWN_MAX]; /* the others stay */
} rows[] = {
    {&tom_one, "xbar.latency_cycles", "8", "13", {{NET_STAGE_XBAR, 8 + 5, 5}, {NET_STAGE_XBAR_HOME, 8 + 1, 5}}},
    {&tom_one, "link.latency_ps", "8000", "15000", {{NET_STAGE_TX, 8 + 10, 7}, {NET_STAGE_RX, 8 + 3, 7}}},
    {&tom_one, "ndp.tom_latency_cycles", "10", "17", {{ACCOUNT_OWN_SM, 10, 7}}},
    /* The load's row, and the last store's. */
    {&tom_one, "dram.t_rcd", "11", "16", {{ACCOUNT_RUN, 102, 5}, {ACCOUNT_DRAIN, 65, 5}}},
    /* The second block waits for the first one's warp slot, at the stack or, where that keeps nothing, here, until the
     * answer is home. */
    {&tom_slots, "dram.t_rcd", "11", "16", {{ACCOUNT_SLOT, 157, 10}, {ACCOUNT_RUN, 163, 5}, {ACCOUNT_DRAIN, 119, 5}}},
    {&tom_places, "dram.t_rcd", "11", "16", {{ACCOUNT_ROOM, 213, 10}, {ACCOUNT_RUN, 163, 5}, {ACCOUNT_DRAIN, 119, 5}}},
    {&tom_places,
     "link.latency_ps",
     "8000",
     "15000",
     {{ACCOUNT_ROOM, 213, 2 * 7}, {NET_STAGE_TX, 2 * (8 + 10), 2 * 7}, {NET_STAGE_RX, 2 * (8 + 3), 2 * 7}}},
    {&tom_free, "dram.t_rcd", "11", "16", {{ACCOUNT_RUN, 101, 5}, {ACCOUNT_DRAIN, 65, 5}}},
    /* The warp has issued its part of the block meanwhile: of the command's way it waits for the end only. */
    {&nsu_one, "xbar.latency_cycles", "8", "13", {{NET_STAGE_XBAR, 5, 5}, {NET_STAGE_XBAR_HOME, 8 + 1, 5}}},
    {&nsu_one, "gpu.l2_entry_cycles", "120", "127", {{NET_STAGE_L2, 112, 7}}},
    /* While the command is longer under way the read is so far in its L2 slice. */
    {&nsu_one,
     "link.latency_ps",
     "8000",
     "15000",
     {{NET_STAGE_TX, 2 * (8 + 1), 2 * 7}, {NET_STAGE_L2, 112, -7}, {NET_STAGE_RX, 8 + 2, 7}}},
    /* The read's row, and that of the line that is written. */
    {&nsu_one, "dram.t_rcd", "11", "16", {{NET_STAGE_BANK, 11 + 11, 5}, {ACCOUNT_DRAIN, 40, 5}}},
    {&nsu_one, "dram.tsv_latency_ps", "2000", "5000", {{NET_STAGE_TSV, 4 + 4 + 2 + 10, 3}, {ACCOUNT_DRAIN, 40, 3}}},
    {&nsu_one, "sm.int_latency_cycles", "4", "9", {{ACCOUNT_RUN, 6, 5}}},
    {&nsu_free, "link.latency_ps", "8000", "15000", {{NET_STAGE_TX, 8 + 1, 7}}},
    {&nsu_free, "dram.t_rcd", "11", "16", {{NET_STAGE_BANK, 11 + 11, 5}, {ACCOUNT_DRAIN, 40, 5}}},
};

static void row_check(const struct row *row)
{
	uint64_t low[ACCOUNT_PART_COUNT], high[ACCOUNT_PART_COUNT];
	int64_t more[ACCOUNT_PART_COUNT] = {0};

	parts_of(row->load, row->key, row->low, low);
	parts_of(row->load, row->key, row->high, high);
	for (const struct growth *g = row->grown; g < row->grown + GROWN_MAX && g->more; g++) {
		more[g->part] = g->more;
		if (low[g->part] != (uint64_t)g->cycles)
			fail_msg("%s: %s is %llu cycles, expected %lld", row->key, gpu_account_parts.rows[g->part].name,
				 (unsigned long long)low[g->part], (long long)g->cycles);
	}
	for (uint32_t i = 0; i < ACCOUNT_PART_COUNT; i++)
		if (high[i] != low[i] + (uint64_t)more[i])
			fail_msg("%s: %s grows from %llu to %llu cycles, expected %lld more", row->key,
				 gpu_account_parts.rows[i].name, (unsigned long long)low[i],
				 (unsigned long long)high[i],
				 (long long)more[i]);
}

static void steps_have_their_length(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
		row_check(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(steps_have_their_length)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
