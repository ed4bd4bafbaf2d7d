/* A whole memory: every order of fields gives every byte a place of its own, for any number of stacks, ranks and rows;
 * every request is answered once, at the time that the closed form says; several memories live in one engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "mem/memory.h"

static const char *const order_names[] = {
#define NAME(enumerator, name) #name,
	MEM_ORDERS(NAME)
#undef NAME
};

/* ---- orders ---- */

static uint64_t lines_of(const struct mem_shape *s)
{
	return s->stack_count * s->vault_count * s->rank_count * s->bank_count * s->row_count *
	       (s->row_bytes / 64);
}

/* The number of a place's line among all lines; fails when a part is outside of the shape. */
static uint64_t number_of(const struct mem_shape *s, struct mem_place p)
{
	assert_true(p.stack < s->stack_count && p.vault < s->vault_count && p.row < s->row_count);
	assert_true(p.bank < s->rank_count * s->bank_count && p.column_bytes < s->row_bytes);

	uint64_t n = p.stack;

	n = n * s->vault_count + p.vault;
	n = n * s->rank_count * s->bank_count + p.bank;
	n = n * s->row_count + p.row;
	return n * (s->row_bytes / 64) + p.column_bytes / 64;
}

static void check_bijective(enum mem_order_name name, const struct mem_shape *s, bool is_xored)
{
	const uint64_t count = lines_of(s);
	unsigned char *seen = calloc(count, 1);
	struct mem_order o;

	assert_non_null(seen);
	mem_order_init(&o, name, s, is_xored);
	for (uint64_t line = 0; line < count; line++) {
		const struct mem_place at = mem_order_place(&o, line * 64 + line % 64);
		uint64_t n = number_of(s, at);

		assert_int_equal(mem_order_address(&o, &at), line * 64 + line % 64);

		assert_true(n < count);
		if (seen[n]++)
			fail_msg("%s: line %llu shares its place", order_names[name], (unsigned long long)line);
		assert_int_equal(mem_order_place(&o, line * 64 + line % 64).column_bytes % 64, line % 64);
	}
	free(seen);
}

static void test_orders_are_bijective(void **state)
{
	const uint32_t stacks[] = {1, 2, 3, 5, 8, 12}, ranks[] = {1, 2, 3}, vaults[] = {1, 4, 6};
	const uint64_t rows[] = {4, 6};

	(void)state;
	for (uint32_t i = 0; i < 6 * 3 * 3 * 2 * 2 * 2; i++) {
		const struct mem_shape s = {
			.stack_count = stacks[i % 6],
			.rank_count = ranks[i / 6 % 3],
			.vault_count = vaults[i / 18 % 3],
			.row_count = rows[i / 54 % 2],
			.bank_count = 8,
			.group_count = 4,
			.row_bytes = 1024,
			.interleave_bytes = i / 108 % 2 ? 256 : 64,
		};

		for (uint32_t o = 0; o < ARRAY_COUNT(order_names); o++)
			check_bijective((enum mem_order_name)o, &s, i / 216);
	}
}

/* Which part of the place the line after line 0, then twice as far ..., changes: the fields from the lowest up. */
static void check_fields(enum mem_order_name name, uint32_t interleave_bytes, const char *expected)
{
	const struct mem_shape s = {2, 2, 2, 4, 2, 2, 256, interleave_bytes};
	struct mem_order o;
	char fields[32] = "";
	uint32_t count = 0;

	mem_order_init(&o, name, &s, false);
	for (uint64_t line = 1; line < lines_of(&s); line *= 2) {
		struct mem_place p = mem_order_place(&o, line * 64);

		fields[count++] = p.stack	  ? 's' :
				  p.vault	  ? 'v' :
				  p.column_bytes  ? 'c' :
				  p.row		  ? 'r' :
				  p.bank & 4	  ? 'k' :
				  p.bank & 1	  ? 'g' :
						    'b';
	}
	fields[count] = '\0';
	assert_string_equal(fields, expected);
}

/* Lowest bit first: s stack, v vault, c column, g group, b bank, k rank, r row. */
static void test_orders_are_what_they_say(void **state)
{
	(void)state;
	check_fields(MEM_ORDER_OPEN_PAGE, 64, "svccgbkr");
	check_fields(MEM_ORDER_GROUPS, 64, "svgccbkr");
	check_fields(MEM_ORDER_CLOSED_PAGE, 64, "svgbkccr");
	check_fields(MEM_ORDER_MINIMAL, 64, "svkgbccr");
	check_fields(MEM_ORDER_MINIMAL, 128, "csvkgbcr");
	check_fields(MEM_ORDER_ROBARACOCH, 64, "svcckgbr");
	check_fields(MEM_ORDER_CHRABAROCO, 64, "ccrbgksv");
	check_fields(MEM_ORDER_ROCHRABABGCO, 64, "ccgbksvr");
	check_fields(MEM_ORDER_RORABGBACHCO, 64, "ccsvbgkr");
}

/* Addresses that differ in the row only meet in one bank, and in as many as there are with the XOR. */
static void check_xor(uint32_t stack_count)
{
	const struct mem_shape s = {stack_count, 1, 1, 16, 4, 64, 1024, 64};
	struct mem_order plain, xored;
	uint32_t plain_banks = 0, xored_banks = 0;

	mem_order_init(&plain, MEM_ORDER_OPEN_PAGE, &s, false);
	mem_order_init(&xored, MEM_ORDER_OPEN_PAGE, &s, true);
	for (uint64_t row = 0; row < 16; row++) {
		plain_banks |= 1u << mem_order_place(&plain, row * 16 * 1024 * stack_count).bank;
		xored_banks |= 1u << mem_order_place(&xored, row * 16 * 1024 * stack_count).bank;
	}
	assert_int_equal(plain_banks, 1);
	assert_int_equal(xored_banks, 0xffff);
}

static void test_xor_spreads_rows(void **state)
{
	(void)state;
	check_xor(1);
	check_xor(3);
}

/* Large addresses: the division by multiplication is exact where the rounding is worst. */
static void test_far_addresses(void **state)
{
	const struct mem_shape s = {7, 4, 3, 16, 4, 3ull << 28, 8192, 64};
	struct mem_order o;

	(void)state;
	mem_order_init(&o, MEM_ORDER_OPEN_PAGE, &s, false);

	const uint64_t end = 7ull * 4 * 3 * 16 * 8192 * s.row_count;

	for (uint64_t i = 1; i < 1000; i++) {
		const uint64_t addr = end - i * 64, line = addr / 64;
		const struct mem_place p = mem_order_place(&o, addr);

		assert_int_equal(p.stack, line % 7);
		assert_int_equal(p.vault, line / 7 % 4);
		assert_int_equal(p.column_bytes, line / 28 % 128 * 64);
		assert_int_equal(p.bank % 16, line / 28 / 128 % 16);
		assert_int_equal(p.bank / 16, line / 28 / 128 / 16 % 3);
		assert_int_equal(p.row, line / 28 / 128 / 16 / 3);
	}
}

/* ---- memories ---- */

enum { MEMORIES_MAX = 3, REQUESTS = 20000 };

struct rig;

/* A memory, and who keeps its queues full of random requests, or offers what a test says. */
struct driver {
	struct rig *rig;
	struct memory_params memory;
	struct dram_params dram;
	struct mem_memory *m;
	struct mem_req *waiting; /* refused */
	uint64_t left, offered, done, seed, last_done_ps;
	unsigned char *answered; /* [offered]: by tag */
};

struct rig {
	struct sim_ctx ctx;
	struct driver drivers[MEMORIES_MAX];
	uint32_t count;
};

static uint64_t next_random(struct driver *d)
{
	d->seed ^= d->seed << 13;
	d->seed ^= d->seed >> 7;
	d->seed ^= d->seed << 17;
	return d->seed;
}

static void feed(struct driver *d)
{
	while (d->left) {
		struct mem_req *r = d->waiting;

		d->waiting = NULL;
		if (!r) {
			r = mem_req_get(d->rig->ctx.pool);
			memset(r, 0, sizeof(*r));
			r->addr_bytes = next_random(d) % d->memory.capacity_bytes / 64 * 64;
			r->size_bytes = 64;
			r->op = next_random(d) % 3 ? MEM_READ : MEM_WRITE;
			r->tag = (uint32_t)d->offered++;
		}
		if (!mem_memory_offer(d->m, r)) {
			d->waiting = r;
			return;
		}
		d->left--;
	}
}

static void driver_done(void *ctx, struct mem_req *r)
{
	struct driver *d = ctx;
	struct mem_place at = mem_memory_place(d->m, r->addr_bytes);

	assert_true(r->stack == at.stack && r->vault == at.vault && r->bank == at.bank && r->row == at.row);
	assert_int_equal(d->answered[r->tag]++, 0);
	d->done++;
	d->last_done_ps = sim_now_ps(d->rig->ctx.engine);
	mem_req_put(d->rig->ctx.pool, r);
}

static void driver_room(void *ctx, uint32_t stack, uint32_t vault)
{
	struct driver *d = ctx;
	struct mem_place at;

	/* One request waits at a time: its own vault calls, and takes it now. */
	assert_non_null(d->waiting);
	at = mem_memory_place(d->m, d->waiting->addr_bytes);
	assert_true(stack == at.stack && vault == at.vault);
	assert_true(mem_memory_can_accept(d->m, d->waiting->addr_bytes, MEM_READ));
	feed(d);
}

static void set(struct driver *d, const char *key, const char *value)
{
	const struct sim_param_group groups[] = {
		{"memory", memory_param_rows, memory_param_row_count, &d->memory, NULL},
		{"dram", dram_param_rows, dram_param_row_count, &d->dram, NULL},
	};
	struct base_diag_list diag;

	base_diag_init(&diag);
	assert_true(sim_param_set(groups, 2, key, value, (struct base_place){0}, &diag));
	base_diag_free(&diag);
}

static void defaults(struct driver *d)
{
	const struct sim_param_group memory = {"memory", memory_param_rows, memory_param_row_count, &d->memory, NULL};
	const struct sim_param_group dram = {"dram", dram_param_rows, dram_param_row_count, &d->dram, NULL};

	memset(d, 0, sizeof(*d));
	sim_param_defaults(&memory);
	sim_param_defaults(&dram);
	set(d, "dram.vault_count", "1");
	set(d, "dram.data_rate_mbps", "0");
	set(d, "memory.capacity_bytes", "1GiB");
}

/* Builds the memories whose drivers have been filled in. */
static void open_rig(struct rig *r, uint32_t count)
{
	static const char *const names[MEMORIES_MAX][3] = {
		{"dram", "memory", "vault"}, {"second", "second", "second.vault"}, {"third", "third", "third.vault"}};
	struct mem_memory_config c[MEMORIES_MAX];
	struct base_diag_list diag;

	base_diag_init(&diag);
	sim_ctx_open(&r->ctx, true);
	r->ctx.pool = mem_req_pool_new();
	r->count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct driver *d = &r->drivers[i];

		d->rig = r;
		d->seed = 77 + i;
		d->answered = calloc(REQUESTS + 1, 1);
		assert_true(mem_memory_check(&d->memory, &d->dram, &diag));
		c[i] = (struct mem_memory_config){.memory = &d->memory,
						  .dram = &d->dram,
						  .clock = names[i][0],
						  .stats_prefix = names[i][1],
						  .vault_prefix = names[i][2],
						  .done = driver_done,
						  .room = driver_room,
						  .ctx = d};
		assert_true(mem_memory_clock_add(&r->ctx, &c[i]));
	}
	for (uint32_t i = 0; i < count; i++)
		r->drivers[i].m = mem_memory_new(&r->ctx, &c[i]);
	base_diag_free(&diag);
}

static void close_rig(struct rig *r)
{
	for (uint32_t i = 0; i < r->count; i++) {
		mem_memory_free(r->drivers[i].m);
		free(r->drivers[i].answered);
	}
	mem_req_pool_free(r->ctx.pool); /* checks that every request has come back */
	sim_ctx_close(&r->ctx);
}

static uint64_t value_of(const struct rig *r, const char *key)
{
	uint64_t value = 0;

	assert_true(sim_stats_value(r->ctx.stats, key, &value));
	return value;
}

/* A request alone: its latency by the closed form, closed bank and then open row; a write and a read. */
static void test_idle_latency(void **state)
{
	struct rig r;
	struct driver *d = &r.drivers[0];

	(void)state;
	defaults(d);
	set(d, "dram.controller_latency_ps", "0");
	set(d, "dram.tsv_latency_ps", "0");
	open_rig(&r, 1);

	/* (tRCD + tCL + 4) tCK of 1.25 ns; 64 bytes are one burst of 8 beats of 64 bits. */
	const uint64_t expected_ps[] = {(11 + 11 + 4) * 1250, (11 + 4) * 1250};

	for (uint32_t i = 0; i < 2; i++) {
		struct mem_req *q = mem_req_get(r.ctx.pool);
		uint64_t begin_ps = i * 100000;

		memset(q, 0, sizeof(*q));
		q->addr_bytes = i * 64;
		q->size_bytes = 64;
		q->op = MEM_READ;
		q->tag = i;
		sim_advance_ps(r.ctx.engine, begin_ps);
		assert_true(mem_memory_can_accept(d->m, q->addr_bytes, MEM_READ));
		assert_true(mem_memory_is_idle(d->m));
		assert_true(mem_memory_offer(d->m, q));
		assert_false(mem_memory_is_idle(d->m));
		sim_run(r.ctx.engine);
		assert_int_equal(d->last_done_ps, begin_ps + expected_ps[i]);
	}
	assert_true(mem_memory_is_idle(d->m));
	close_rig(&r);
}

static void test_every_request_is_answered_once(void **state)
{
	static const char *const channels[] = {"1", "3", "4", "12"};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(channels); i++) {
		for (uint32_t o = 0; o < ARRAY_COUNT(order_names); o++) {
			struct rig r;
			struct driver *d = &r.drivers[0];

			defaults(d);
			set(d, "memory.channel_count", channels[i]);
			set(d, "memory.address_map", order_names[o]);
			set(d, "memory.capacity_bytes", "3GiB");
			set(d, "dram.vault_count", "2");
			open_rig(&r, 1);
			d->left = REQUESTS;
			feed(d);
			assert_true(d->left > 0); /* the queues are full */
			sim_run(r.ctx.engine);
			assert_int_equal(d->done, REQUESTS);
			assert_true(mem_memory_is_idle(d->m));
			assert_int_equal(value_of(&r, "memory.requests"), REQUESTS);
			assert_int_equal(value_of(&r, "memory.answers"), REQUESTS);
			assert_int_equal(value_of(&r, "vault.reads") + value_of(&r, "vault.writes"), REQUESTS);
			assert_true(value_of(&r, "memory.refusals") > 0);
			close_rig(&r);
		}
	}
}

/* Three memories of different clocks in one engine: each does what it does alone, to the picosecond. */
static void test_memories_do_not_disturb_each_other(void **state)
{
	static const char *const clocks[] = {"1250", "833", "1500"};
	uint64_t alone_ps[MEMORIES_MAX];
	struct rig r;

	(void)state;
	for (uint32_t i = 0; i < MEMORIES_MAX; i++) {
		defaults(&r.drivers[0]);
		set(&r.drivers[0], "dram.t_ck_ps", clocks[i]);
		open_rig(&r, 1);
		r.drivers[0].left = REQUESTS;
		r.drivers[0].seed = 77 + i;
		feed(&r.drivers[0]);
		sim_run(r.ctx.engine);
		alone_ps[i] = r.drivers[0].last_done_ps;
		close_rig(&r);
	}
	for (uint32_t i = 0; i < MEMORIES_MAX; i++) {
		defaults(&r.drivers[i]);
		set(&r.drivers[i], "dram.t_ck_ps", clocks[i]);
	}
	open_rig(&r, MEMORIES_MAX);
	for (uint32_t i = 0; i < MEMORIES_MAX; i++) {
		r.drivers[i].left = REQUESTS;
		feed(&r.drivers[i]);
	}
	sim_run(r.ctx.engine);
	for (uint32_t i = 0; i < MEMORIES_MAX; i++)
		assert_int_equal(r.drivers[i].last_done_ps, alone_ps[i]);
	assert_int_equal(value_of(&r, "second.requests"), REQUESTS);
	assert_int_equal(value_of(&r, "third.vault.reads") + value_of(&r, "third.vault.writes"), REQUESTS);
	close_rig(&r);
}

static void test_peak_and_shape(void **state)
{
	struct driver d;

	(void)state;
	defaults(&d);
	set(&d, "memory.channel_count", "12");
	set(&d, "memory.capacity_bytes", "12GiB");
	set(&d, "dram.vault_count", "2");
	/* 24 buses of 64 bits at 1600 MT/s. */
	assert_true(mem_memory_peak_bytes_per_s(&d.memory, &d.dram) == 24 * 12.8e9);
	/* 12 GiB / (12 x 2 x 16 banks x 4 KiB) */
	assert_int_equal(mem_memory_shape(&d.memory, &d.dram).row_count, 8192);
}

static void check_refused(const char *key, const char *value, const char *message)
{
	struct base_diag_list diag;
	struct driver d;

	defaults(&d);
	set(&d, key, value);
	base_diag_init(&diag);
	assert_false(mem_memory_check(&d.memory, &d.dram, &diag));
	assert_int_equal(diag.error_count, 1);
	assert_string_equal(diag.first->text, message);
	base_diag_free(&diag);
}

/* Each is a component of the memory's clock, of which there are so many. */
static void test_vault_limit(void **state)
{
	struct driver d;
	struct base_diag_list diag;

	(void)state;
	defaults(&d);
	set(&d, "memory.channel_count", "64");
	set(&d, "dram.vault_count", "32");
	set(&d, "memory.capacity_bytes", "16GiB");
	base_diag_init(&diag);
	assert_true(mem_memory_check(&d.memory, &d.dram, &diag));
	set(&d, "dram.vault_count", "64");
	assert_false(mem_memory_check(&d.memory, &d.dram, &diag));
	assert_int_equal(diag.error_count, 1);
	assert_string_equal(diag.first->text,
			    "error: memory.channel_count * dram.vault_count: 4096 vaults; expected at most 2048");
	base_diag_free(&diag);
}

static void test_rules(void **state)
{
	(void)state;
	check_refused("memory.line_bytes", "96", "error: memory.line_bytes = 96: is not a power of two");
	check_refused("memory.interleave_bytes", "192",
		      "error: memory.interleave_bytes = 192: is not a power of two");
	check_refused("memory.interleave_bytes", "32",
		      "error: memory.interleave_bytes = 32: less than memory.line_bytes; 0 means as much");
	check_refused("memory.interleave_bytes", "8KiB",
		      "error: memory.interleave_bytes = 8192: more than a row (dram.row_bytes)");
	check_refused("memory.line_bytes", "8KiB",
		      "error: memory.line_bytes = 8192: more than a row (dram.row_bytes)");
	check_refused("memory.channel_count", "3",
		      "error: memory.capacity_bytes = 1073741824: no whole number of rows below 2^32; one row of every "
		      "bank is 196608 bytes");
	check_refused("memory.capacity_bytes", "1048576GiB",
		      "error: memory.capacity_bytes = 1125899906842624: no whole number of rows below 2^32; one row of "
		      "every bank is 65536 bytes");
	check_refused("dram.bank_count", "3", "error: dram.bank_count: 3 is not a power of two");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders_are_bijective),
		cmocka_unit_test(test_orders_are_what_they_say),
		cmocka_unit_test(test_xor_spreads_rows),
		cmocka_unit_test(test_far_addresses),
		cmocka_unit_test(test_idle_latency),
		cmocka_unit_test(test_every_request_is_answered_once),
		cmocka_unit_test(test_memories_do_not_disturb_each_other),
		cmocka_unit_test(test_peak_and_shape),
		cmocka_unit_test(test_rules), cmocka_unit_test(test_vault_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
