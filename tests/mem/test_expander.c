/* A memory behind a link: latency alone, and what the link carries, by the slots of its flits; credits; a full vault
 * stops nobody else; order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "mem/memory.h"

/* A flit of 68 bytes takes 2.5 ns, two cycles of the memory: everything below is a whole number of them. */
enum { CK_PS = 1250, FLIT_PS = 2500, LATENCY_PS = 15000, CONTROLLER_PS = 40000, CREDIT_PS = 15000, LINE = 64 };

struct rig {
	struct sim_ctx ctx;
	struct memory_params memory;
	struct dram_params dram;
	struct expander_params link;
	struct mem_memory *m;
	uint64_t (*address)(const struct rig *r, uint64_t i);
	enum mem_op (*op)(uint64_t i);
	uint64_t count, sent, answered, last_ps, even_last_ps;
	bool checks_order;
};

static uint64_t sequential(const struct rig *r, uint64_t i)
{
	(void)r;
	return i * LINE;
}

static enum mem_op all_reads(uint64_t i)
{
	(void)i;
	return MEM_READ;
}

static enum mem_op all_writes(uint64_t i)
{
	(void)i;
	return MEM_WRITE;
}

static enum mem_op two_reads_a_write(uint64_t i)
{
	return i % 3 == 2 ? MEM_WRITE : MEM_READ;
}

static void feed(struct rig *r)
{
	while (r->sent < r->count) {
		struct mem_req *q = mem_req_get(r->ctx.pool);

		memset(q, 0, sizeof(*q));
		q->addr_bytes = r->address(r, r->sent);
		q->size_bytes = LINE;
		q->op = (uint8_t)(r->op(r->sent) & 3);
		q->tag = (uint32_t)r->sent;
		if (!mem_memory_offer(r->m, q)) {
			mem_req_put(r->ctx.pool, q);
			return;
		}
		r->sent++;
	}
}

static void done(void *ctx, struct mem_req *q)
{
	struct rig *r = ctx;

	if (r->checks_order)
		assert_int_equal(q->tag, r->answered);
	r->answered++;
	r->last_ps = sim_now_ps(r->ctx.engine);
	if (q->tag % 2 == 0)
		r->even_last_ps = r->last_ps;
	mem_req_put(r->ctx.pool, q);
}

static void room(void *ctx, uint32_t stack, uint32_t vault)
{
	struct rig *r = ctx;

	assert_true(stack < r->memory.channel_count && vault < r->dram.vault_count);
	feed(r);
}

/* settings: "group.name", "value", ..., NULL on top of eight vaults that carry 102 GB/s and are never refreshed. */
static void rig_open(struct rig *r, const char *const *settings)
{
	static const char *const base[] = {
	    "link.is_present",	     "true",  "link.bandwidth_mbytes_per_s", "27200", "dram.vault_count",   "8",
	    "dram.data_rate_mbps",   "0",     "dram.controller_latency_ps",  "0",     "dram.tsv_latency_ps", "0",
	    "dram.refresh",	     "false", NULL};
	const char *const *const all[] = {base, settings};
	const struct sim_param_group groups[] = {
	    {"memory", memory_param_rows, memory_param_row_count, &r->memory, NULL},
	    {"dram", dram_param_rows, dram_param_row_count, &r->dram, NULL},
	    {"link", expander_param_rows, expander_param_row_count, &r->link, NULL},
	};
	struct base_diag_list diag;

	memset(r, 0, sizeof(*r));
	base_diag_init(&diag);
	for (uint32_t i = 0; i < ARRAY_COUNT(groups); i++)
		sim_param_defaults(&groups[i]);
	for (uint32_t k = 0; k < 2; k++)
		for (const char *const *s = all[k]; *s; s += 2)
			if (!sim_param_set(groups, ARRAY_COUNT(groups), s[0], s[1], (struct base_place){0}, &diag))
				fail_msg("%s", diag.first->text);
	assert_true(mem_memory_check(&r->memory, &r->dram, &diag) && mem_expander_check(&r->link, &diag));
	base_diag_free(&diag);
	sim_ctx_open(&r->ctx, true);
	r->ctx.pool = mem_req_pool_new();

	const struct mem_memory_config c = {.memory = &r->memory,
					    .dram = &r->dram,
					    .link = &r->link,
					    .clock = "dram",
					    .stats_prefix = "memory",
					    .vault_prefix = "vault",
					    .up_prefix = "up",
					    .down_prefix = "down",
					    .done = done,
					    .room = room,
					    .ctx = r};

	assert_true(mem_memory_clock_add(&r->ctx, &c));
	r->m = mem_memory_new(&r->ctx, &c);
	r->address = sequential;
	r->op = all_reads;
}

static void rig_close(struct rig *r)
{
	assert_true(mem_memory_is_idle(r->m));
	mem_memory_free(r->m);
	mem_req_pool_free(r->ctx.pool);
	sim_ctx_close(&r->ctx);
}

static void run(struct rig *r, uint64_t count)
{
	r->count = count;
	feed(r);
	sim_run(r->ctx.engine);
	assert_int_equal(r->answered, count);
}

static uint64_t stat(const struct rig *r, const char *key)
{
	uint64_t value = 0;

	if (!sim_stats_value(r->ctx.stats, key, &value))
		fail_msg("no statistic %s", key);
	return value;
}

/* A header is in one flit, a header with a line in two. */
static void test_idle_latency(void **state)
{
	static const struct {
		enum mem_op (*op)(uint64_t i);
		uint64_t up_flits, down_flits, dram_cycles;
	} cases[] = {{all_reads, 1, 2, 11 + 11 + 4}, {all_writes, 2, 1, 11 + 8 + 4}};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct rig r;

		rig_open(&r, (const char *const[]){NULL});
		r.op = cases[i].op;
		run(&r, 1);
		assert_int_equal(r.last_ps, (cases[i].up_flits + cases[i].down_flits) * FLIT_PS + 2 * LATENCY_PS +
						CONTROLLER_PS + cases[i].dram_cycles * CK_PS);
		assert_int_equal(stat(&r, "up.wire_bytes"), cases[i].up_flits * 68);
		assert_int_equal(stat(&r, "down.wire_bytes"), cases[i].down_flits * 68);
		rig_close(&r);
	}
}

static void check_peak(const char *const *settings, enum mem_op (*op)(uint64_t i), double read_share,
		       double slots, double flit_ps, double flit_slots)
{
	enum { COUNT = 6000 };
	const double expected_ps = COUNT * slots / flit_slots * flit_ps;
	struct rig r;

	rig_open(&r, settings);
	r.op = op;
	run(&r, COUNT);
	assert_true((double)r.last_ps >= expected_ps);
	assert_true((double)r.last_ps <= expected_ps * 1.015);
	assert_in_range(COUNT * LINE * 1e12 / mem_expander_peak_bytes_per_s(&r.link, LINE, read_share),
			expected_ps * 0.9999, expected_ps * 1.0001);
	assert_int_equal(stat(&r, "memory.requests"), COUNT);
	assert_int_equal(stat(&r, "memory.answers"), COUNT);
	assert_int_equal(stat(&r, "vault.reads") + stat(&r, "vault.writes"), COUNT);
	rig_close(&r);
}

/* Slots of the fuller direction: five for a read or a write alone, eleven for two reads and a write. */
static void test_peak(void **state)
{
	static const char *const cxl2[] = {"link.depth_count", "256", NULL};
	static const char *const cxl3[] = {"link.depth_count", "256", "link.flit_bytes", "256", "link.flit_slot_count",
					   "15", "link.bandwidth_mbytes_per_s", "51200", NULL}; /* 5 ns a flit */

	(void)state;
	check_peak(cxl2, all_reads, 1, 5, FLIT_PS, 4);
	check_peak(cxl2, all_writes, 0, 5, FLIT_PS, 4);
	check_peak(cxl2, two_reads_a_write, 2.0 / 3, 11.0 / 3, FLIT_PS, 4);
	check_peak(cxl3, all_reads, 1, 5, 2 * FLIT_PS, 15);
	check_peak(cxl3, all_writes, 0, 5, 2 * FLIT_PS, 15);
	check_peak(cxl3, two_reads_a_write, 2.0 / 3, 11.0 / 3, 2 * FLIT_PS, 15);
}

/* Four credits: their requests share a flit, and the next four leave when the credits have come home. A line fits in a
 * slot here, so that the answers' four credits bound nothing. */
static void test_credits_bound_the_rate(void **state)
{
	enum { DEPTH = 4, WINDOWS = 100 };
	const uint64_t trip_ps = FLIT_PS + LATENCY_PS + CREDIT_PS;
	struct rig r;

	(void)state;
	rig_open(&r, (const char *const[]){"link.depth_count", "4", "link.slot_bytes", "64", "link.flit_bytes", "272",
					   "link.bandwidth_mbytes_per_s", "108800", NULL});
	run(&r, DEPTH * WINDOWS);
	assert_true(r.last_ps > (WINDOWS - 1) * trip_ps);
	assert_true(r.last_ps < (WINDOWS + 5) * trip_ps);
	assert_int_equal(stat(&r, "up.packets"), DEPTH * WINDOWS);
	assert_int_equal(stat(&r, "up.wire_bytes"), WINDOWS * 272);
	rig_close(&r);
}

/* Even requests to seven vaults, odd ones to rows of one bank of the eighth. */
static uint64_t hot_or_cold(const struct rig *r, uint64_t i)
{
	const uint64_t row_bytes = r->dram.row_bytes * r->dram.bank_count * r->dram.vault_count;

	return i % 2 ? i * row_bytes + 7 * LINE : (i / 14 * 8 + i / 2 % 7) * LINE;
}

/* What goes to other vaults is done long before what goes to the full one, as long as the controller can hold that. */
static void test_full_vault_is_passed(void **state)
{
	static const char *const entries[] = {"8", "512"};
	uint64_t cold_ps[2], all_ps[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct rig r;

		rig_open(&r, (const char *const[]){"link.queue_entries", entries[i], "dram.queue_entries", "8",
						   "dram.write_high_count", "4", "dram.write_low_count", "2",
						   "link.depth_count", "1024", NULL});
		r.address = hot_or_cold;
		run(&r, 800);
		cold_ps[i] = r.even_last_ps;
		all_ps[i] = r.last_ps;
		assert_true(stat(&r, "memory.controller_waits") > 300);
		assert_true(stat(&r, "memory.controller_wait_units") > 0);
		assert_true((stat(&r, "memory.controller_full_stalls") > 0) == (i == 0));
		assert_true(stat(&r, "memory.controller_max") <= (i ? 512 : 8));
		rig_close(&r);
	}
	assert_true(cold_ps[0] > all_ps[0] * 9 / 10);
	assert_true(cold_ps[1] < all_ps[1] / 3);
}

static uint64_t one_row(const struct rig *r, uint64_t i)
{
	return i * 11 % (r->dram.row_bytes / LINE) * r->dram.vault_count * LINE;
}

/* Requests to one vault reach it as they were sent, also where they waited for it. */
static void test_order(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, (const char *const[]){"dram.scheduler", "fifo", "dram.queue_entries", "2", "dram.write_high_count",
					   "1", "dram.write_low_count", "0", NULL});
	r.address = one_row;
	r.checks_order = true;
	run(&r, 2000);
	assert_true(stat(&r, "memory.controller_waits") > 0);
	rig_close(&r);
}

/* Also where a vault that takes no more reads would take a write: it does not pass them. */
static void test_order_of_directions(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, (const char *const[]){"dram.scheduler", "fifo", "dram.queue_entries", "8",
					   "dram.read_queue_entries", "2", "dram.write_high_count", "1",
					   "dram.write_low_count", "0", NULL});
	r.address = one_row;
	r.op = two_reads_a_write;
	r.checks_order = true;
	run(&r, 2000);
	assert_true(stat(&r, "memory.controller_waits") > 0);
	rig_close(&r);
}

static void test_rules(void **state)
{
	struct base_diag_list diag;
	struct rig r;

	(void)state;
	rig_open(&r, (const char *const[]){NULL});
	base_diag_init(&diag);
	r.link.flit_bytes = 48;
	assert_false(mem_expander_check(&r.link, &diag));
	assert_string_equal(diag.first->text, "error: link.flit_bytes = 48: less than its link.flit_slot_count = 4 "
					      "slots of link.slot_bytes = 16");
	base_diag_free(&diag);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_latency),
		cmocka_unit_test(test_peak),
		cmocka_unit_test(test_credits_bound_the_rate),
		cmocka_unit_test(test_full_vault_is_passed),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_order_of_directions),
		cmocka_unit_test(test_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
