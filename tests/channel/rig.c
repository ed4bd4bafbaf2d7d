/* rig.c - a machine of processors and near-data processors for tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "cpu/account.h"
#include "rig.h"

static void memory_done(void *ctx, struct mem_req *r)
{
	cpu_memory_done(((struct rig *)ctx)->cpu, r);
}

static void memory_room(void *ctx, uint32_t stack, uint32_t vault)
{
	(void)stack;
	(void)vault;
	cpu_memory_room(((struct rig *)ctx)->cpu);
}

/* The unit's instruction, with the bytes that it is given. */
static void execute(struct rig *r, uint32_t unit)
{
	const struct rig_access *a = &r->accesses[unit];
	uint8_t *bytes;

	if (!r->bytes || !a->size)
		return;
	bytes = bytes_of(r->bytes, unit);
	if (cpu_is_write(a->op))
		for (uint32_t i = 0; i < a->size; i++)
			bytes[i] = (uint8_t)(++r->written * 0x9e3779b97f4a7c15u >> 56);
	if (a->op != CPU_READ)
		return;
	r->read[unit] = bytes[0];
	if (!memcmp(bytes, r->program + a->address, a->size))
		return;
	*(bytes_is_before(r->bytes, unit) ? &r->before : &r->stale) += 1;
}

static void answer(void *self, uint32_t unit, uint64_t time_ps)
{
	struct rig *r = self;

	assert_true(r->ready_ps[unit] == CPU_WAITS);
	r->ready_ps[unit] = time_ps;
	execute(r, unit);
}

static uint64_t number_of(struct rig *r, uint64_t line)
{
	uint64_t at = (uint64_t)(uintptr_t)g_hash_table_lookup(r->lines, (gpointer)(line + 1));

	if (!at) {
		at = g_hash_table_size(r->lines) + 1;
		assert_true(at < RIG_LINES_MAX);
		g_hash_table_insert(r->lines, (gpointer)(line + 1), (gpointer)at);
	}
	return at;
}

static uint16_t *oldest_of(struct rig *r, uint32_t unit, uint64_t at)
{
	return r->oldest[(unit - r->cpu_units) * RIG_LINES_MAX + at];
}

/* A load of an NDP core from another channel's memory that software has marked, and no older than the core knows. */
static bool is_legal(struct rig *r, uint32_t unit, uint64_t at, uint32_t quarter, uint16_t version)
{
	const struct rig_access *a = &r->accesses[unit];
	const uint16_t newest = r->versions[at][quarter];

	return a->op == CPU_READ && r->open_pages >> a->address / r->cpu_params.page_bytes & 1 &&
	       (uint32_t)cpu_channel_of(r->cpu, a->address) != (unit - r->cpu_units) / r->params.core_count &&
	       (uint16_t)(newest - version) <= (uint16_t)(newest - oldest_of(r, unit, at)[quarter]);
}

static void check(struct rig *r, uint32_t unit, uint64_t line, cpu_version quarters, bool is_write, cpu_version version)
{
	const bool is_followed = r->oldest && unit >= r->cpu_units;
	const uint64_t at = number_of(r, line);

	if (r->bytes && r->params.fault) /* two stores have two versions then */
		return;
	r->observed++;
	for (uint32_t q = 0; q < 4; q++) {
		const uint16_t seen = (uint16_t)(version >> 16 * q);

		if (!(quarters >> 16 * q & 1))
			continue;
		r->versions[at][q] = (uint16_t)(r->versions[at][q] + is_write);
		if (r->versions[at][q] != seen) {
			if (is_followed && !is_write && is_legal(r, unit, at, q, seen)) {
				r->old_reads++;
			} else {
				r->wrong++;
				r->versions[at][q] = seen;
			}
		}
		if (is_followed)
			oldest_of(r, unit, at)[q] = seen;
	}
}

static void see_cpu(void *self, uint32_t core, uint64_t line, bool is_write, cpu_version version)
{
	struct rig *r = self;

	check(r, core, line, CPU_VERSION_ALL, is_write, version);
	if (r->bytes)
		bytes_observe(r->bytes, core, line, is_write, version);
}

static void see_near(void *self, uint32_t unit, uint64_t line, cpu_version quarters, bool is_write, cpu_version version)
{
	struct rig *r = self;

	check(r, unit, line, quarters, is_write, version);
	if (r->bytes)
		bytes_see(r->bytes, unit, line, quarters, is_write, version);
}

static cpu_version make(void *self, uint64_t line, cpu_version version, cpu_version quarters)
{
	return bytes_make(((struct rig *)self)->bytes, line, version, quarters);
}

static void moved(void *self, uint64_t line, uint32_t core)
{
	bytes_moved(((struct rig *)self)->bytes, line, core);
}

static void moved_near(void *self, uint64_t line, cpu_version quarters, uint32_t unit)
{
	bytes_moved_near(((struct rig *)self)->bytes, line, quarters, unit);
}

static void full(void *self, uint32_t unit)
{
	(void)self;
	fail_msg("the memory is full for unit %u", unit);
}

static void all_defaults(struct rig *r)
{
	struct sim_param_groups groups = {.count = 0};

	*r = (struct rig){.state = 1};
	sim_param_groups_add(&groups, "memory", memory_param_rows, memory_param_row_count, &r->memory_params);
	sim_param_groups_add(&groups, "dram", dram_param_rows, dram_param_row_count, &r->dram);
	sim_param_groups_add(&groups, "cpu", cpu_param_rows, cpu_param_row_count, &r->cpu_params);
	sim_param_groups_add(&groups, "channel", channel_param_rows, channel_param_row_count, &r->params);
	for (uint32_t i = 0; i < groups.count; i++)
		sim_param_defaults(&groups.items[i]);
	r->memory_params.line_bytes = RIG_LINE_BYTES;
	r->cpu_params.placement = CPU_PLACE_PAGE;
	r->cpu_params.tlb_count = 0;
}

void rig_defaults(struct rig *r)
{
	all_defaults(r);
	r->memory_params.channel_count = 2;
	r->memory_params.capacity_bytes = UINT64_C(1) << 33;
	r->cpu_params.core_count = 4;
	r->cpu_params.channel_count = 2;
	r->cpu_params.page_bytes = 4096;
	r->cpu_params.stream_count = 0;
	r->cpu_params.l1_bytes = 2 * RIG_LINE_BYTES;
	r->cpu_params.l1_ways_count = 1;
	r->cpu_params.l2_bytes = 4 * RIG_LINE_BYTES;
	r->cpu_params.l2_ways_count = 2;
	r->cpu_params.llc_bytes = 8 * RIG_LINE_BYTES;
	r->cpu_params.llc_ways_count = 2;
	r->params.ndp_count = 2;
	r->params.core_count = 4;
	r->params.point_cache_bytes = 4 * RIG_LINE_BYTES;
	r->params.point_cache_ways_count = 2;
	r->params.directory_cache_bytes = 64;
	r->params.directory_cache_ways_count = 2;
	r->params.summary_bytes = 65536;
}

void rig_thesis(struct rig *r)
{
	all_defaults(r);
	r->memory_params.channel_count = 32;
	r->memory_params.capacity_bytes = UINT64_C(1) << 38;
	r->cpu_params.core_count = 10;
	r->cpu_params.channel_count = 8;
	r->cpu_params.dram_mbytes_per_s = 48000;
	r->cpu_params.channel_latency_ps = 12250;
	r->params.ndp_count = 8;
}

void rig_open(struct rig *r, bool is_observed)
{
	const struct mem_memory_config config = {.memory = &r->memory_params,
						 .dram = &r->dram,
						 .clock = "memory",
						 .stats_prefix = "memory",
						 .vault_prefix = "vault",
						 .done = memory_done,
						 .room = memory_room,
						 .stamps = r->is_accounted,
						 .ctx = r};
	struct cpu_user user = {.answer = answer, .observe = is_observed ? see_cpu : NULL, .full = full, .self = r};
	struct channel_observer observer = {.see = see_near, .self = r};
	struct base_diag_list diag;

	base_diag_init(&diag);
	assert_true(cpu_params_check(&r->cpu_params, &r->memory_params, &diag));
	assert_true(channel_params_check(&r->params, &r->cpu_params, &diag));
	assert_true(mem_memory_check(&r->memory_params, &r->dram, &diag));
	base_diag_free(&diag);
	sim_ctx_open(&r->ctx, true);
	r->ctx.pool = mem_req_pool_new();
	if (r->is_accounted)
		mem_req_pool_stamp(r->ctx.pool);
	assert_true(mem_memory_clock_add(&r->ctx, &config));
	assert_true(cpu_clock_add(&r->cpu_params, r->ctx.engine));
	assert_true(channel_clock_add(&r->params, r->ctx.engine));
	r->memory = mem_memory_new(&r->ctx, &config);
	r->cpu = cpu_system_new(&r->ctx, &r->cpu_params, r->memory, r->memory_params.capacity_bytes);
	r->cpu_units = r->units = cpu_unit_count(&r->cpu_params);
	if (r->is_accounted)
		cpu_system_account(r->cpu, r->units + (uint32_t)(r->params.ndp_count * r->params.core_count));
	if (r->params.ndp_count) {
		r->near = channel_system_new(&r->ctx, &r->params, r->cpu, r->cpu_units);
		r->units += (uint32_t)(r->params.ndp_count * r->params.core_count);
	}
	assert_true(r->units <= RIG_UNITS_MAX);
	if (r->has_bytes) {
		r->program = g_malloc0(RIG_PROGRAM_BYTES);
		r->bytes = bytes_new(r->cpu, &r->cpu_params, r->params.ndp_count ? &r->params : NULL);
		user.make = r->cpu_params.values == CPU_VALUES_BYTES ? make : NULL;
		user.moved = moved;
		observer.moved = moved_near;
	}
	cpu_system_connect(r->cpu, &user);
	if (is_observed && r->near)
		channel_system_observe(r->near, &observer);
	r->lines = g_hash_table_new(NULL, NULL);
	if (r->may_be_old)
		r->oldest = g_malloc0_n((uint64_t)(r->units - r->cpu_units) * RIG_LINES_MAX, sizeof(*r->oldest));
}

void rig_drop(struct rig *r)
{
	channel_system_free(r->near);
	cpu_system_free(r->cpu);
	mem_memory_free(r->memory);
	g_hash_table_destroy(r->lines);
	bytes_free(r->bytes);
	g_free(r->program);
	g_free(r->oldest);
	mem_req_pool_free(r->ctx.pool);
	sim_ctx_close(&r->ctx);
}

uint64_t rig_close(struct rig *r)
{
	const char *broken;
	uint64_t hash;

	sim_run(r->ctx.engine);
	for (uint32_t i = 0; i < r->units; i++)
		assert_true(r->ready_ps[i] != CPU_WAITS);
	assert_true(mem_memory_is_idle(r->memory));
	broken = sim_stats_broken_law(r->ctx.stats);
	if (broken)
		fail_msg("a law does not hold: %s", broken);
	assert_int_equal(r->wrong, 0);
	assert_int_equal(r->stale, 0);
	hash = sim_ctx_hash(&r->ctx);
	rig_drop(r);
	return hash;
}

uint64_t rig_random(struct rig *r, uint64_t below)
{
	r->state = r->state * 6364136223846793005u + 1442695040888963407u;
	return (r->state >> 33) % below;
}

uint32_t rig_next(struct rig *r)
{
	const uint64_t per_ps = sim_units_per_ps(r->ctx.engine);

	for (;;) {
		uint32_t first = r->is_near_only ? r->cpu_units : 0;

		for (uint32_t i = first + 1; i < r->units; i++)
			if (r->ready_ps[i] < r->ready_ps[first])
				first = i;

		const uint64_t event = sim_next_units(r->ctx.engine);

		if (r->ready_ps[first] != CPU_WAITS && (event == SIM_NEVER || event > r->ready_ps[first] * per_ps)) {
			if (sim_now_units(r->ctx.engine) < r->ready_ps[first] * per_ps)
				sim_run_until(r->ctx.engine, r->ready_ps[first] * per_ps);
			return first;
		}
		if (event == SIM_NEVER)
			return RIG_UNITS_MAX;
		sim_run_until(r->ctx.engine, event);
	}
}

/* At once, or the machine answers. */
static void done_at(struct rig *r, uint32_t unit, uint64_t done_ps)
{
	if (done_ps == CPU_WAITS)
		return;
	r->ready_ps[unit] = done_ps;
	if (r->is_accounted)
		cpu_account_settle(cpu_system_account_of(r->cpu), unit, done_ps * sim_units_per_ps(r->ctx.engine));
}

void rig_access(struct rig *r, uint32_t unit, uint64_t address, uint32_t size, enum cpu_op op)
{
	const uint64_t now = r->ready_ps[unit];
	uint64_t done;

	r->ready_ps[unit] = CPU_WAITS;
	r->accesses[unit] = (struct rig_access){address, size, op};
	if (r->bytes)
		bytes_begin(r->bytes, unit, address, r->program + address, size, op);
	if (unit < r->cpu_units)
		done = cpu_access(r->cpu, unit, now, address, size, op, 0, NULL);
	else
		done = channel_access(r->near, unit - r->cpu_units, now, address, size, op);
	done_at(r, unit, done);
	if (r->bytes)
		bytes_taken(r->bytes, unit, done == CPU_WAITS);
	if (done != CPU_WAITS)
		execute(r, unit);
}

void rig_fence(struct rig *r, uint32_t unit)
{
	const uint64_t now = r->ready_ps[unit];
	uint64_t done;

	r->ready_ps[unit] = CPU_WAITS;
	r->accesses[unit].size = 0;
	if (unit < r->cpu_units)
		done = cpu_fence(r->cpu, unit, now);
	else
		done = channel_fence(r->near, unit - r->cpu_units, now);
	done_at(r, unit, done);
}

void rig_settle(struct rig *r)
{
	sim_run(r->ctx.engine);
	for (uint32_t i = 0; i < r->units; i++)
		r->ready_ps[i] = sim_now_ps(r->ctx.engine) + 1;
	sim_run_until(r->ctx.engine, r->ready_ps[0] * sim_units_per_ps(r->ctx.engine));
}

void rig_keep(struct rig *r, uint32_t page, bool is_kept)
{
	const uint64_t begin = page * r->cpu_params.page_bytes, end = begin + r->cpu_params.page_bytes;

	channel_inhibit(r->near, begin, end);
	if (is_kept) {
		channel_uninhibit(r->near, begin, end);
		r->open_pages |= 1u << page;
	}
}

/* The core has no copy of the line that is older than the newest. */
static void is_newest(struct rig *r, uint32_t unit, uint64_t line, uint32_t quarter)
{
	const uint64_t at = number_of(r, line);

	if (r->oldest)
		oldest_of(r, unit, at)[quarter] = r->versions[at][quarter];
}

void rig_flush(struct rig *r, uint32_t unit, uint64_t begin, uint64_t end)
{
	enum { QUARTER = RIG_LINE_BYTES / 4 };
	const uint64_t page = r->cpu_params.page_bytes, whole = r->params.access_bytes;

	if (unit < r->cpu_units) {
		r->ready_ps[unit] = cpu_flush(r->cpu, r->ready_ps[unit], begin, end);
		return;
	}
	r->ready_ps[unit] = channel_flush(r->near, unit - r->cpu_units, r->ready_ps[unit], begin, end);
	for (uint64_t at = begin / whole * whole; at < (end + whole - 1) / whole * whole; at += QUARTER)
		if (!cpu_is_untouched(r->cpu, at))
			is_newest(r, unit, cpu_first_line(r->cpu, 0, at / page) + at % page / RIG_LINE_BYTES,
				  at % RIG_LINE_BYTES / QUARTER);
}

/* Nobody keeps anything of the page's place that is older than the newest. */
static void place_is_left(struct rig *r, uint32_t page)
{
	const uint64_t bytes = r->cpu_params.page_bytes;
	const uint64_t first = cpu_first_line(r->cpu, 0, page);

	for (uint64_t line = first; r->oldest && line < first + bytes / RIG_LINE_BYTES; line++)
		for (uint32_t unit = r->cpu_units; unit < r->units; unit++)
			for (uint32_t quarter = 0; quarter < 4; quarter++)
				is_newest(r, unit, line, quarter);
	if (r->bytes) {
		rig_settle(r); /* no program unmaps what somebody uses */
		bytes_unmap(r->bytes, page * bytes, bytes);
	}
}

void rig_unmap(struct rig *r, uint32_t unit, uint32_t page)
{
	const uint64_t bytes = r->cpu_params.page_bytes;

	if (cpu_is_untouched(r->cpu, page * bytes))
		return;
	place_is_left(r, page);
	r->ready_ps[unit] = cpu_unmap(r->cpu, r->ready_ps[unit], page * bytes, bytes, false);
}

void rig_move(struct rig *r, uint32_t unit, uint32_t page, uint32_t channel)
{
	const uint64_t at = page * r->cpu_params.page_bytes;
	const int32_t now = cpu_channel_of(r->cpu, at);

	if (now < 0 || (uint32_t)now == channel || !cpu_has_room(r->cpu, channel))
		return;
	cpu_leave(r->cpu, at);
	place_is_left(r, page);
	cpu_move(r->cpu, at, channel, &r->ready_ps[unit]);
}
