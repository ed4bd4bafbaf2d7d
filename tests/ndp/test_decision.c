/* The offload controller's parts: its decision table, the destination, the channel busy monitor, the metadata table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "machine/parts.h"
#include "ndp/blocks/candidates.h"
#include "ndp/carry/destination.h"
#include "ndp/tom/decision.h"
#include "ndp/map/mapping.h"
#include "ndp/tom/metadata.h"
#include "ndp/tom/monitor.h"

/* ---- decisions ---- */

static void decisions(void **state)
{
	/* control, condition, tag, TX busy, RX busy, pending of 48, ALU share and sum of 24 -> decision */
	static const struct {
		enum tom_control control;
		int condition, tag, tx, rx;
		uint32_t pending;
		double alu, pending_alu;
		enum tom_decision expected;
	} table[] = {
	    {TOM_CONTROL_CTRL, 1, 3, 0, 0, 0, .5, 0, TOM_OFFLOAD},
	    {TOM_CONTROL_CTRL, 0, 3, 0, 0, 0, .5, 0, TOM_KEEP_CONDITION},
	    {TOM_CONTROL_NONE, 0, 3, 0, 0, 0, .5, 0, TOM_KEEP_CONDITION},
	    {TOM_CONTROL_CTRL, 0, 0, 1, 1, 48, .5, 0, TOM_KEEP_CONDITION},
	    {TOM_CONTROL_CTRL, 1, NDP_TAG_TX, 1, 0, 0, .5, 0, TOM_OFFLOAD},
	    {TOM_CONTROL_CTRL, 1, NDP_TAG_TX, 0, 1, 0, .5, 0, TOM_KEEP_RX_BUSY},
	    {TOM_CONTROL_CTRL, 1, NDP_TAG_RX, 1, 0, 0, .5, 0, TOM_KEEP_TX_BUSY},
	    {TOM_CONTROL_CTRL, 1, NDP_TAG_RX, 0, 1, 0, .5, 0, TOM_OFFLOAD},
	    {TOM_CONTROL_CTRL, 1, NDP_TAG_RX, 0, 0, 0, .5, 0, TOM_OFFLOAD},
	    {TOM_CONTROL_CTRL, 1, NDP_TAG_TX | NDP_TAG_RX, 1, 1, 0, .5, 0, TOM_OFFLOAD},
	    {TOM_CONTROL_CTRL, 1, NDP_TAG_RX, 1, 1, 48, .5, 0, TOM_KEEP_TX_BUSY},
	    {TOM_CONTROL_NONE, 1, 0, 1, 1, 48, .5, 99, TOM_OFFLOAD},
	    {TOM_CONTROL_CTRL, 1, 3, 0, 0, 47, .5, 99, TOM_OFFLOAD},
	    {TOM_CONTROL_CTRL, 1, 3, 0, 0, 48, .5, 0, TOM_KEEP_FULL},
	    {TOM_CONTROL_CTRL_ALU, 1, 3, 0, 0, 47, .5, 23.5, TOM_OFFLOAD},
	    {TOM_CONTROL_CTRL_ALU, 1, 3, 0, 0, 47, .75, 23.5, TOM_KEEP_ALU},
	    {TOM_CONTROL_CTRL_ALU, 1, 3, 0, 0, 48, .75, 23.5, TOM_KEEP_FULL},
	    {TOM_CONTROL_CTRL_ALU, 1, NDP_TAG_TX, 0, 1, 0, .75, 99, TOM_KEEP_RX_BUSY},
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(table); i++) {
		const struct tom_situation s = {
		    .control = table[i].control,
		    .condition_holds = table[i].condition,
		    .tag = (uint8_t)table[i].tag,
		    .tx_is_busy = table[i].tx,
		    .rx_is_busy = table[i].rx,
		    .pending_count = table[i].pending,
		    .warp_limit = 48,
		    .alu_ratio = table[i].alu,
		    .pending_alu = table[i].pending_alu,
		    .alu_limit = 24,
		};

		if (tom_decide(&s) != table[i].expected)
			fail_msg("row %u: %d, expected %d", i, tom_decide(&s), table[i].expected);
	}
}

/* A warp of SM 0 whose first access touches count lines, of known_count known: line i has the number lines[i], and lies
 * in stack lines[i] % 4. */
static uint32_t choose_of(struct carry_chooser *c, uint32_t slot, const uint64_t *lines, uint32_t count,
			  uint32_t known_count)
{
	static const uint32_t loads[] = {5, 0, 7, 3};
	uint32_t stacks[8];

	assert_in_range(known_count, count, 8);
	for (uint32_t i = 0; i < known_count; i++)
		stacks[i] = (uint32_t)(lines[i] % 4);
	return carry_choose(c, &(struct carry_choice){.slot = slot,
						      .lines = lines,
						      .stacks = stacks,
						      .count = count,
						      .known_count = known_count,
						      .loads = loads});
}

static uint32_t choose(struct carry_chooser *c, const uint64_t *lines, uint32_t count)
{
	return choose_of(c, 0, lines, count, count);
}

static void destinations(void **state)
{
	static const uint64_t one[] = {2}, most[] = {1, 3, 0, 3}, tie[] = {2, 0, 0, 2}, late[] = {3, 1, 1};
	struct carry_chooser first = {.rule = CARRY_DESTINATION_FIRST}, turn = {.rule = CARRY_DESTINATION_TURN},
			     load = {.rule = CARRY_DESTINATION_LEAST_LOADED};

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(choose(&first, one, 1), 2);
		assert_int_equal(choose(&first, most, 4), 3);
		assert_int_equal(choose(&first, tie, 4), 2); /* the lowest lane's */
		assert_int_equal(choose(&first, late, 3), 1);
	}
	assert_int_equal(choose(&turn, tie, 4), 2);
	assert_int_equal(choose(&turn, most, 4), 3); /* no equals: nobody's turn */
	assert_int_equal(choose(&turn, tie, 4), 0);
	assert_int_equal(choose(&turn, tie, 4), 2);
	assert_int_equal(choose(&load, one, 1), 2); /* however loaded, it alone has a line */
	assert_int_equal(choose(&load, most, 4), 1);
	assert_int_equal(choose(&load, tie, 4), 0);
}

/* What is known of further accesses counts for most and unshared, and for no other rule. */
static void most_lines_of_all(void **state)
{
	static const uint64_t later[] = {1, 2, 2, 3}, tie[] = {1, 2, 2, 1};
	struct carry_chooser first, most;

	(void)state;
	carry_chooser_init(&first, CARRY_DESTINATION_FIRST, 4, 2, 1);
	carry_chooser_init(&most, CARRY_DESTINATION_MOST, 4, 2, 1);
	assert_int_equal(first.access_count, 1);
	assert_int_equal(most.access_count, 4);
	assert_int_equal(choose_of(&first, 0, later, 1, 4), 1);
	assert_int_equal(choose_of(&most, 0, later, 1, 4), 2);
	assert_int_equal(choose_of(&most, 0, later, 1, 1), 1); /* as much as is known */
	assert_int_equal(choose_of(&most, 0, tie, 1, 4), 1);
	assert_int_equal(choose_of(&most, 0, tie, 1, 4), 2); /* equals in turn */
	carry_chooser_free(&first);
	carry_chooser_free(&most);
}

static void first_line_of_its_own(void **state)
{
	/* A vector's line, 0, which all warps touch first, and a row's. */
	static const uint64_t rows[][2] = {{0, 5}, {0, 10}, {0, 15}, {0, 21}};
	struct carry_chooser c;

	(void)state;
	carry_chooser_init(&c, CARRY_DESTINATION_UNSHARED, 2, 4, 1);
	assert_int_equal(choose_of(&c, 0, rows[0], 1, 2), 0); /* nobody else has touched it yet */
	assert_int_equal(choose_of(&c, 0, rows[0], 1, 2), 0); /* the same warp again */
	assert_int_equal(choose_of(&c, 1, rows[1], 1, 2), 2);
	assert_int_equal(choose_of(&c, 0, rows[0], 1, 2), 1); /* now it is shared for the first one as well */
	assert_int_equal(choose_of(&c, 2, rows[2], 1, 2), 3);
	assert_int_equal(choose_of(&c, 3, rows[3], 1, 2), 1);
	assert_int_equal(choose_of(&c, 4, rows[3], 1, 2), 0); /* all are shared: the first line's */
	assert_int_equal(choose_of(&c, 5, rows[1], 1, 1), 0); /* nothing else is known */
	carry_chooser_free(&c);
}

/* It remembers so many lines of each SM, and forgets what was touched the longest ago. */
static void lines_are_forgotten(void **state)
{
	static const uint64_t a[] = {0, 5}, b[] = {2}, d[] = {3};
	struct carry_chooser c;

	(void)state;
	carry_chooser_init(&c, CARRY_DESTINATION_UNSHARED, 2, 2, 2);
	choose_of(&c, 0, a, 1, 1);
	choose_of(&c, 0, b, 1, 1);
	choose_of(&c, 0, a, 1, 1); /* b is the oldest now */
	choose_of(&c, 0, d, 1, 1);
	assert_int_equal(choose_of(&c, 1, a, 1, 2), 1);	   /* 0 was kept, and is shared */
	assert_int_equal(choose_of(&c, 2, b, 1, 1), 2);
	assert_true(c.seen.tags[0].slot == 2 || c.seen.tags[1].slot == 2); /* b was forgotten: this warp's own */
	for (uint32_t i = 2; i < 4; i++)
		assert_int_equal(c.seen.tags[i].state, 0); /* the other SM's */
	carry_chooser_free(&c);
}

/* ---- monitor ---- */

static void monitor_follows_the_wire(void **state)
{
	struct tom_channel_monitor m;
	uint64_t busy_ps = 0, now_ps = 0;

	(void)state;
	tom_monitor_init(&m, 1000, 0.9);
	/* 95 % busy: not before the window is full of it. */
	for (; now_ps < 900; now_ps += 10, busy_ps += 10)
		assert_false(tom_monitor_is_busy(&m, now_ps, busy_ps));
	for (; now_ps < 5000; now_ps += 20, busy_ps += 19) {
		bool is_busy = tom_monitor_is_busy(&m, now_ps, busy_ps);

		assert_true(is_busy || now_ps < 1100);
	}
	/* 85 %: forgotten within a window. */
	for (uint64_t end_ps = now_ps + 3000; now_ps < end_ps; now_ps += 20, busy_ps += 17) {
		bool is_busy = tom_monitor_is_busy(&m, now_ps, busy_ps);

		assert_true(!is_busy || now_ps < 6100);
	}
	/* Asked once after a long silence: the mean of that time. */
	assert_false(tom_monitor_is_busy(&m, now_ps + 100000, busy_ps + 89000));
	assert_true(tom_monitor_is_busy(&m, now_ps + 200000, busy_ps + 180000));
}

static void monitor_threshold_is_inclusive(void **state)
{
	struct tom_channel_monitor m;

	(void)state;
	tom_monitor_init(&m, 1000, 0.5);
	assert_false(tom_monitor_is_busy(&m, 1000, 0));
	assert_false(tom_monitor_is_busy(&m, 2000, 499));
	tom_monitor_init(&m, 1000, 0.5);
	assert_false(tom_monitor_is_busy(&m, 1000, 0));
	assert_true(tom_monitor_is_busy(&m, 2000, 500));
}

/* ---- metadata table ---- */

static void table_of_the_paper(void **state)
{
	struct machine_config config;
	struct ndp_storage items[NDP_STORAGE_MAX];
	uint32_t last;

	(void)state;
	machine_config_defaults(&config, machine_parts);

	struct gpu_config *c = machine_config_at(&config, &machine_gpu_part);
	struct ndp_config *ndp = machine_config_at(&config, &machine_ndp_part);
	const struct ndp_site site = machine_ndp_site(&config);

	assert_int_equal(tom_metadata_vector_bits(&ndp->tom), 64);
	assert_int_equal(tom_metadata_threshold_bits(&ndp->tom), 64 - 4 - 2 * 6);
	assert_int_equal(ndp_mechanism_storage(&site, items), 0); /* no mechanism */
	ndp->choice.mechanism = NDP_TOM;
	c->gpu.sm_count = 64;
	c->gpu.stack_sm_count = 1;
	assert_true(ndp_mechanism_storage(&site, items) > 0);
	assert_int_equal(items[0].bits, 10320); /* TOM section 6.6 */
	assert_int_equal(items[0].count, 64);
	c->mmu.where = GPU_MMU_STACKS;
	last = ndp_mechanism_storage(&site, items) - 1;
	assert_true(items[last].bits >= 1024 && items[last].bits <= 2048); /* TOM section 4.4.1: 1-2K */
	assert_int_equal(items[last].count, 4);
	ndp->map.tom_mapping = TOM_MAPPING_LEARNED;
	assert_int_equal(ndp_mechanism_storage(&site, items), last + 3);
	assert_int_equal(items[last].bits, 1920); /* TOM section 6.6 */
	assert_int_equal(items[last].count, 64);
	assert_int_equal(items[last + 1].bits, 9700);
	assert_int_equal(items[last + 1].count, 1);
	assert_int_equal(tom_metadata_added_bits(&site), 64 * (10320 + 2 * 9 + 1 + 1920) + 24 + 96 + 9700);
}

static void table_describes(void **state)
{
	static const uint16_t in[] = {3, 70}, out[] = {63};
	struct ndp_block block = {
	    .block = {.begin_pc = 5, .live_in_sb = in, .live_in_count = 2, .live_out_sb = out, .live_out_count = 1},
	    .packet_in_count = 1,
	};
	struct tom_params p;
	struct sim_param_groups groups = {.count = 0};

	(void)state;
	tom_params_groups(&p, &groups);
	sim_param_defaults(&groups.items[0]);
	/* Register 70 comes from constants: no bit needed. */
	assert_true(tom_metadata_describes(&p, &block));
	block.packet_in_count = 2;
	assert_false(tom_metadata_describes(&p, &block));
	p.tom_table_entry_bits = 271;
	assert_false(tom_metadata_describes(&p, &block));
	p.tom_table_entry_bits = 272; /* vectors of 71 */
	assert_true(tom_metadata_describes(&p, &block));
	block.has_condition = true;
	block.threshold = 1ll << 60;
	assert_false(tom_metadata_describes(&p, &block));
	block.threshold = -40;
	assert_true(tom_metadata_describes(&p, &block));
	block.is_difference = true;
	block.less_sb = 72;
	assert_false(tom_metadata_describes(&p, &block));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(decisions),
	    cmocka_unit_test(destinations),
		cmocka_unit_test(most_lines_of_all),
		cmocka_unit_test(first_line_of_its_own),
		cmocka_unit_test(lines_are_forgotten),
	    cmocka_unit_test(monitor_follows_the_wire),
	    cmocka_unit_test(monitor_threshold_is_inclusive),
	    cmocka_unit_test(table_of_the_paper),
	    cmocka_unit_test(table_describes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
