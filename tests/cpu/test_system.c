/* Processors, driven access by access: every read gets the version of the last write of its line, a line has one writer
 * or any number of readers, the laws hold, the same run twice is the same; and times against closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "base/check.h"
#include "cpu/pages.h"
#include "cpu/system.h"

enum { CORES = 6, UNITS = 4 * CORES, LINES = 24, ACCESSES = 200000, LINE_BYTES = 128 };

struct rig {
	struct sim_ctx ctx;
	struct memory_params memory_params;
	struct dram_params dram;
	struct cpu_params params;
	struct mem_memory *memory;
	struct cpu_system *system;
	uint64_t ready_ps[UNITS]; /* CPU_WAITS: not answered */
	cpu_version versions[4096]; /* of the last write, by line */
	uint64_t observed;
	uint64_t state; /* of the random numbers */
	uint32_t use;   /* of the next load */
	const struct cpu_flow *flow; /* of what comes next */
};

static void memory_done(void *ctx, struct mem_req *r)
{
	cpu_memory_done(((struct rig *)ctx)->system, r);
}

static void memory_room(void *ctx, uint32_t stack, uint32_t vault)
{
	(void)stack;
	(void)vault;
	cpu_memory_room(((struct rig *)ctx)->system);
}

static void answer(void *self, uint32_t unit, uint64_t time_ps)
{
	struct rig *r = self;

	assert_true(r->ready_ps[unit] == CPU_WAITS);
	r->ready_ps[unit] = time_ps;
}

static void observe(void *self, uint32_t core, uint64_t line, bool is_write, cpu_version version)
{
	struct rig *r = self;

	r->observed++;
	assert_true(line < ARRAY_COUNT(r->versions));
	if (is_write)
		r->versions[line] = cpu_version_next(r->versions[line], CPU_VERSION_ALL);
	assert_int_equal(version, r->versions[line]);

	const bool is_alone = cpu_state_of(r->system, core, line) > CPU_SHARED;

	for (uint32_t i = 0; i < r->params.core_count; i++) {
		const enum cpu_state state = cpu_state_of(r->system, i, line);

		if (i == core)
			assert_true(state == CPU_MODIFIED || (!is_write && state != CPU_INVALID));
		else
			assert_true(state == CPU_INVALID || (!is_write && !is_alone && state == CPU_SHARED));
	}
}

static void full(void *self, uint32_t core)
{
	(void)core;
	(void)self;
	fail_msg("the memory is full");
}

/* Small caches, so that lines leave them all the time. */
static void rig_defaults(struct rig *r)
{
	struct sim_param_groups groups = {.count = 0};

	*r = (struct rig){.state = 1};
	sim_param_groups_add(&groups, "memory", memory_param_rows, memory_param_row_count, &r->memory_params);
	sim_param_groups_add(&groups, "dram", dram_param_rows, dram_param_row_count, &r->dram);
	sim_param_groups_add(&groups, "cpu", cpu_param_rows, cpu_param_row_count, &r->params);
	for (uint32_t i = 0; i < groups.count; i++)
		sim_param_defaults(&groups.items[i]);
	r->memory_params.line_bytes = LINE_BYTES;
	r->params.core_count = CORES;
	r->params.channel_count = 1;
	r->params.page_bytes = 4096;
	r->params.stream_count = 0;
	r->params.tlb_count = 0;
	r->params.page_fault_ps = 0;
	r->params.l1_bytes = 2 * LINE_BYTES;
	r->params.l1_ways_count = 1;
	r->params.l2_bytes = 4 * LINE_BYTES;
	r->params.l2_ways_count = 2;
	r->params.llc_bytes = 8 * LINE_BYTES;
	r->params.llc_ways_count = 2;
}

static void rig_open(struct rig *r, bool is_observed)
{
	const struct mem_memory_config config = {.memory = &r->memory_params,
						 .dram = &r->dram,
						 .clock = "memory",
						 .stats_prefix = "memory",
						 .vault_prefix = "vault",
						 .done = memory_done,
						 .room = memory_room,
						 .ctx = r};
	const struct cpu_user user = {
	    .answer = answer, .observe = is_observed ? observe : NULL, .full = full, .self = r};
	struct base_diag_list diag;

	base_diag_init(&diag);
	assert_true(cpu_params_check(&r->params, &r->memory_params, &diag));
	assert_true(mem_memory_check(&r->memory_params, &r->dram, &diag));
	base_diag_free(&diag);
	sim_ctx_open(&r->ctx, true);
	r->ctx.pool = mem_req_pool_new();
	assert_true(mem_memory_clock_add(&r->ctx, &config));
	assert_true(cpu_clock_add(&r->params, r->ctx.engine));
	r->memory = mem_memory_new(&r->ctx, &config);
	r->system = cpu_system_new(&r->ctx, &r->params, r->memory, r->memory_params.capacity_bytes);
	cpu_system_connect(r->system, &user);
}

static uint64_t rig_close(struct rig *r)
{
	uint64_t hash;

	sim_run(r->ctx.engine);
	assert_true(mem_memory_is_idle(r->memory));
	for (uint32_t i = 0; i < cpu_unit_count(&r->params); i++)
		assert_true(r->ready_ps[i] != CPU_WAITS);
	assert_null(sim_stats_broken_law(r->ctx.stats));
	hash = sim_ctx_hash(&r->ctx);
	cpu_system_free(r->system);
	mem_memory_free(r->memory);
	mem_req_pool_free(r->ctx.pool);
	sim_ctx_close(&r->ctx);
	return hash;
}

static uint64_t random_below(struct rig *r, uint64_t n)
{
	r->state = r->state * 6364136223846793005u + 1442695040888963407u;
	return (r->state >> 33) % n;
}

/* The unit that goes on next, after all that the machine does before; time stands where it goes on. */
static uint32_t next_unit(struct rig *r)
{
	const uint64_t per_ps = sim_units_per_ps(r->ctx.engine);

	for (;;) {
		uint32_t first = 0;

		for (uint32_t i = 1; i < cpu_unit_count(&r->params); i++)
			if (r->ready_ps[i] < r->ready_ps[first])
				first = i;

		const uint64_t event = sim_next_units(r->ctx.engine);

		if (r->ready_ps[first] != CPU_WAITS && (event == SIM_NEVER || event > r->ready_ps[first] * per_ps)) {
			if (sim_now_units(r->ctx.engine) < r->ready_ps[first] * per_ps)
				sim_run_until(r->ctx.engine, r->ready_ps[first] * per_ps);
			return first;
		}
		assert_true(event != SIM_NEVER);
		sim_run_until(r->ctx.engine, event);
	}
}

static void do_access(struct rig *r, uint32_t unit, uint64_t address, uint32_t size, enum cpu_op op)
{
	const uint64_t now = r->ready_ps[unit];

	r->ready_ps[unit] = CPU_WAITS;

	const uint64_t done = cpu_access(r->system, unit, now, address, size, op, r->use, r->flow);

	if (done != CPU_WAITS)
		r->ready_ps[unit] = done;
}

/* Instructions of the unit. */
static void pass(struct rig *r, uint32_t unit, uint32_t instructions, uint64_t ps)
{
	r->ready_ps[unit] += cpu_pass(r->system, unit, r->ready_ps[unit], instructions,
				      ps * sim_units_per_ps(r->ctx.engine), r->flow);
}

/* What the next instructions hang on: slots of few, so that they do so all the time. */
static void random_flow(struct rig *r, struct cpu_flow *flow)
{
	static const uint8_t kinds[] = {CPU_FLOW_ADDRESS, CPU_FLOW_ADDRESS, CPU_FLOW_DATA, CPU_FLOW_VALUE,
					CPU_FLOW_INPUT};

	*flow = (struct cpu_flow){.is_known = random_below(r, 20) > 0,
				  .issue_slots = (uint32_t)random_below(r, 8),
				  .slot = (uint8_t)random_below(r, 4),
				  .step_count = (uint8_t)random_below(r, CPU_FLOW_STEPS + 1)};
	for (uint32_t i = 0; i < flow->step_count; i++) {
		flow->steps[i].kind = kinds[random_below(r, ARRAY_COUNT(kinds))];
		flow->steps[i].slot = (uint8_t)(1 + random_below(r, 3));
		flow->steps[i].units = random_below(r, 10) * cpu_cycle_units(r->system);
	}
	r->flow = flow;
}

static void random_step(struct rig *r)
{
	static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_READ, CPU_WRITE, CPU_WRITE, CPU_ATOMIC, CPU_PREFETCH};
	const uint32_t unit = next_unit(r);
	const uint64_t passed = random_below(r, 3) ? random_below(r, 4) : random_below(r, 60);
	struct cpu_flow flow;

	if (r->params.core_model == CPU_CORE_OUT_OF_ORDER)
		random_flow(r, &flow);
	pass(r, unit, (uint32_t)passed, passed * random_below(r, 500));
	if (next_unit(r) != unit)
		return;
	if (random_below(r, 50) == 0) {
		const uint64_t now = r->ready_ps[unit];

		r->ready_ps[unit] = CPU_WAITS;

		const uint64_t done = cpu_fence(r->system, unit, now);

		if (done != CPU_WAITS)
			r->ready_ps[unit] = done;
		return;
	}
	r->use = (uint32_t)random_below(r, 2) * (uint32_t)random_below(r, 40);
	do_access(r, unit, random_below(r, LINES * LINE_BYTES), 1 + (uint32_t)random_below(r, 200),
		  ops[random_below(r, ARRAY_COUNT(ops))]);
}

/* Whoever asks meanwhile has the last write that has its line: from its copy, or from whom it would get it. */
static void check_version(struct rig *r)
{
	static uint64_t count;
	const uint64_t line = count++ % LINES;

	assert_int_equal(cpu_version_now(r->system, (uint32_t)(count % CORES), line), r->versions[line]);
}

/* Which machine: threads of a core, prefetchers, translation, where pages lie. */
struct variant {
	uint64_t smt_count, stream_count, tlb_count, load_count, placement, protocol, core_model, is_split;
};

/* What a machine has is in use, and what it has not does nothing. */
static void check_counts(const struct cpu_stats *s, const struct variant *v)
{
	const bool is_window = v->core_model == CPU_CORE_OUT_OF_ORDER;

	assert_true(s->reads_behind && s->l2_write_backs && s->interventions);
	assert_true(!s->use_stalls == is_window && !s->use_stall_ps == is_window);
	assert_true(!s->window_wait_ps == !is_window && !s->load_queue_wait_ps == !is_window);
	assert_true(!s->store_queue_wait_ps == !is_window && !s->drain_wait_ps == !is_window);
	assert_true(!s->operand_waits == !is_window && !s->load_flight_ps == !is_window);
	assert_true(!s->forwards == !is_window || v->smt_count > 1); /* of threads that take turns they are rare */
	assert_true(!s->stream_requests == !v->stream_count && !s->stream_late == !v->stream_count);
	assert_true(!s->stream_useful == !v->stream_count && !s->stream_useless == !v->stream_count);
	assert_true(s->stream_useful + s->stream_late + s->stream_useless <= s->stream_requests);
	assert_true(!s->walks == !v->tlb_count);
	assert_true(!s->issue_wait_ps == (v->smt_count == 1));
	assert_true(s->place_waits > 0);
	assert_true(!s->exclusives == !v->protocol && !s->silent_upgrades == !v->protocol);
	assert_true(s->silent_upgrades <= s->exclusives);
	assert_true(!s->socket_interventions == !v->is_split && !s->socket_hits == !v->is_split);
	assert_true(!s->socket_reads == !v->is_split && !s->socket_bytes == !v->is_split);
}

static uint64_t random_run(uint64_t seed, const struct variant *v, uint32_t accesses, bool is_observed)
{
	struct rig r;

	rig_defaults(&r);
	r.params.store_count = 2;
	r.params.prefetch_count = 2;
	r.params.smt_count = v->smt_count;
	r.params.stream_count = v->stream_count;
	r.params.tlb_count = v->tlb_count;
	r.params.tlb_ways_count = 1;
	r.params.load_count = v->load_count;
	r.params.placement = v->placement;
	r.params.protocol = v->protocol;
	r.params.core_model = v->core_model;
	r.params.rob_entries = 40;
	r.params.load_queue_entries = 6;
	r.params.store_queue_entries = 4;
	r.params.llc_slice_count = v->smt_count > 1 ? 4 : 1;
	if (v->is_split) {
		r.params.socket_count = 2;
		r.params.channel_count = 2;
		r.memory_params.channel_count = 2;
		r.params.llc_bytes *= 2;
	}
	rig_open(&r, is_observed);
	r.state = seed;
	for (uint32_t i = 0; i < accesses; i++) {
		random_step(&r);
		if (is_observed)
			check_version(&r);
	}
	assert_true(!is_observed || r.observed > accesses / 4);
	check_counts(cpu_system_stats(r.system), v);
	return rig_close(&r);
}

static const struct variant variants[] = {
    {1, 0, 0, 4, CPU_PLACE_LINE, CPU_PROTOCOL_MSI, 0, 0},   {4, 0, 0, 3, CPU_PLACE_LINE, CPU_PROTOCOL_MSI, 0, 0},
    {1, 2, 0, 4, CPU_PLACE_LINE, CPU_PROTOCOL_MSI, 0, 0},   {2, 0, 1, 1, CPU_PLACE_TOUCH, CPU_PROTOCOL_MSI, 0, 0},
    {4, 4, 1, 8, CPU_PLACE_PAGE, CPU_PROTOCOL_MSI, 0, 0},   {1, 0, 0, 4, CPU_PLACE_LINE, CPU_PROTOCOL_MESI, 0, 0},
    {4, 4, 1, 8, CPU_PLACE_PAGE, CPU_PROTOCOL_MESI, 0, 0},
    {1, 0, 0, 4, CPU_PLACE_LINE, CPU_PROTOCOL_MSI, CPU_CORE_OUT_OF_ORDER, 0},
    {1, 2, 1, 2, CPU_PLACE_TOUCH, CPU_PROTOCOL_MESI, CPU_CORE_OUT_OF_ORDER, 0},
    {4, 2, 1, 3, CPU_PLACE_LINE, CPU_PROTOCOL_MESI, CPU_CORE_OUT_OF_ORDER, 0},
    {1, 0, 0, 4, CPU_PLACE_LINE, CPU_PROTOCOL_MSI, 0, 1},
    {1, 2, 1, 4, CPU_PLACE_SOCKET, CPU_PROTOCOL_MESI, 0, 1},
    {4, 2, 1, 3, CPU_PLACE_LINE, CPU_PROTOCOL_MESI, CPU_CORE_OUT_OF_ORDER, 1},
};

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2; seed++)
		for (uint32_t i = 0; i < ARRAY_COUNT(variants); i++)
			random_run(seed, &variants[i], variants[i].core_model ? ACCESSES / 4 : ACCESSES, true);
}

static void test_same(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(variants); i++) {
		const uint64_t hash = random_run(7, &variants[i], ACCESSES / 10, false);

		assert_true(random_run(7, &variants[i], ACCESSES / 10, false) == hash);
		assert_true(random_run(7, &variants[i], ACCESSES / 10, true) == hash);
		assert_true(random_run(8, &variants[i], ACCESSES / 10, false) != hash);
	}
}

/* Lines one after the other, all cores in turns; the time until all have come. */
static uint64_t stream_ps(struct rig *r, uint32_t lines, enum cpu_op op)
{
	for (uint32_t i = 0; i < lines; i++)
		do_access(r, next_unit(r), (uint64_t)i * LINE_BYTES, 8, op);
	sim_run(r->ctx.engine);
	return sim_now_ps(r->ctx.engine);
}

static void near(uint64_t value, double expected, double part)
{
	if ((double)value < expected * (1 - part) || (double)value > expected * (1 + part))
		fail_msg("%.0f, expected %.0f", (double)value, expected);
}

/* Lines up at the channel's rate, and of a stream of writes down at theirs. */
static void test_channel(void **state)
{
	enum { COUNT = 3000 };
	struct rig r;

	(void)state;
	rig_defaults(&r);
	r.params.up_mbytes_per_s = 500;
	rig_open(&r, false);
	near(stream_ps(&r, COUNT, CPU_READ), COUNT * LINE_BYTES / 500e6 * 1e12, 0.01);
	assert_int_equal(cpu_system_stats(r.system)->up_bytes, COUNT * LINE_BYTES);
	rig_close(&r);

	rig_defaults(&r);
	r.params.down_mbytes_per_s = 250;
	rig_open(&r, false);
	near(stream_ps(&r, COUNT, CPU_WRITE), COUNT * LINE_BYTES / 250e6 * 1e12, 0.02);
	rig_close(&r);

	/* Who writes is held up, too. */
	rig_defaults(&r);
	r.params.down_mbytes_per_s = 250;
	rig_open(&r, false);
	for (uint32_t i = 0; i < COUNT; i++)
		do_access(&r, next_unit(&r), (uint64_t)i * LINE_BYTES, 8, CPU_WRITE);
	near(sim_now_ps(r.ctx.engine), COUNT * LINE_BYTES / 250e6 * 1e12, 0.08);
	rig_close(&r);
}

/* A request per snoop bus and clock. */
static void test_slots(void **state)
{
	enum { COUNT = 2000 };
	(void)state;
	for (uint64_t buses = 1; buses <= 4; buses *= 2) {
		struct rig r;

		rig_defaults(&r);
		r.params.bus_khz = 10000;
		r.params.snoop_bus_count = buses;
		r.params.store_count = 64;
		r.params.up_mbytes_per_s = r.params.down_mbytes_per_s = 1000000;
		rig_open(&r, false);
		near(stream_ps(&r, COUNT, CPU_WRITE), COUNT * 1e5 / (double)buses, 0.03);
		rig_close(&r);
	}
}

/* Two cores write one line in turns: each pays its caches, at most a clock until the slot, and the penalty. */
static void test_penalty(void **state)
{
	enum { COUNT = 1000 };
	struct rig r;
	uint64_t begin = 0, each;

	(void)state;
	rig_defaults(&r);
	r.params.core_count = 2;
	rig_open(&r, false);
	for (uint32_t i = 0; i < COUNT + 2; i++) {
		const uint32_t core = i & 1;

		if (i == 2)
			begin = r.ready_ps[0];
		r.ready_ps[core] = MAX(r.ready_ps[0], r.ready_ps[1]);
		r.ready_ps[!core] = r.ready_ps[core] + 1;
		assert_int_equal(next_unit(&r), core);
		do_access(&r, core, 0, 8, CPU_ATOMIC);
		r.ready_ps[!core] = CPU_WAITS;
		next_unit(&r);
		r.ready_ps[!core] = r.ready_ps[core];
	}
	each = (r.ready_ps[0] - begin) / COUNT;
	assert_true(each >= r.params.intervention_ps + r.params.l2_cycles * 1000000000 / r.params.clock_khz);
	assert_true(each <= r.params.intervention_ps + r.params.l2_cycles * 1000000000 / r.params.clock_khz + 1000);
	assert_int_equal(cpu_system_stats(r.system)->interventions, COUNT + 1);
	rig_close(&r);
}

/* ---- cores that contend for a line ---- */

/* What a store writes is there for others as soon as its thread goes on behind it, so that a load of another core which
 * may see that too early makes the time too short. */
struct contest {
	struct rig rig;
	uint32_t phases[UNITS]; /* of each core: what it does next */
	uint64_t passes_ps[UNITS]; /* instructions that it has to do before that */
	uint64_t think_ps, inside_ps; /* instructions behind each operation, and in a critical section */
	uint64_t done, of_core[UNITS]; /* operations */
	uint32_t turn;
	bool is_held;
};

/* The core's last access, if it had one, has been executed. */
typedef void contest_step(struct contest *t, uint32_t core);

static void operation_done(struct contest *t, uint32_t core)
{
	t->done++;
	t->of_core[core]++;
	t->passes_ps[core] = t->think_ps;
}

/* fetch_add on one word. */
static void step_atomic(struct contest *t, uint32_t core)
{
	enum { BEGIN, ADDED };

	if (t->phases[core] == ADDED)
		operation_done(t, core);
	else
		do_access(&t->rig, core, 0, 8, CPU_ATOMIC);
	t->phases[core] = t->phases[core] == ADDED ? BEGIN : ADDED;
}

/* In turns: a core loads a flag until that has its number, and stores the next one's. */
static void step_flag(struct contest *t, uint32_t core)
{
	enum { BEGIN, LOADED, STORED };

	if (t->phases[core] == STORED) {
		t->turn = (core + 1) % (uint32_t)t->rig.params.core_count;
		operation_done(t, core);
		t->phases[core] = BEGIN;
	} else if (t->phases[core] == LOADED && t->turn == core) {
		do_access(&t->rig, core, 0, 8, CPU_WRITE);
		t->phases[core] = STORED;
	} else {
		do_access(&t->rig, core, 0, 8, CPU_READ);
		t->phases[core] = LOADED;
	}
}

/* Each loads, increments and stores a word of its own. */
static void step_own_word(struct contest *t, uint32_t core)
{
	enum { BEGIN, LOADED, STORED };

	if (t->phases[core] == STORED)
		operation_done(t, core);
	else
		do_access(&t->rig, core, core * 8, 8, t->phases[core] == BEGIN ? CPU_READ : CPU_WRITE);
	t->phases[core] = (t->phases[core] + 1) % (STORED + 1);
}

/* A lock that is taken by an exchange, again and again until it was free, and given back by a store. */
static void step_lock(struct contest *t, uint32_t core)
{
	enum { BEGIN, EXCHANGED, INSIDE, STORED };

	switch (t->phases[core]) {
	case EXCHANGED:
		t->phases[core] = t->is_held ? BEGIN : INSIDE;
		t->passes_ps[core] = t->is_held ? 0 : t->inside_ps;
		t->is_held = true;
		break;
	case INSIDE:
		do_access(&t->rig, core, 0, 8, CPU_WRITE);
		t->phases[core] = STORED;
		break;
	case STORED:
		assert_true(t->is_held);
		t->is_held = false;
		operation_done(t, core);
		t->phases[core] = BEGIN;
		break;
	default:
		do_access(&t->rig, core, 0, 8, CPU_ATOMIC);
		t->phases[core] = EXCHANGED;
	}
}

/* Until so many operations are done. */
static void contest_until(struct contest *t, contest_step *step, uint64_t operations)
{
	while (t->done < operations) {
		const uint32_t core = next_unit(&t->rig);
		const uint64_t ps = t->passes_ps[core];

		t->passes_ps[core] = 0;
		if (ps)
			pass(&t->rig, core, 1, ps);
		else
			step(t, core);
	}
}

/* What contends, and how long it may wait. */
struct contest_of {
	uint64_t cores, intervention_ps, snoop_ps, protocol, think_ps, inside_ps;
};

/* The time of an operation, all cores together. All of them get on. */
static double contest_ps(contest_step *step, const struct contest_of *of)
{
	enum { WARM = 100, COUNT = 2000 };
	struct contest t = {.think_ps = of->think_ps, .inside_ps = of->inside_ps};
	uint64_t begin_ps, end_ps;

	rig_defaults(&t.rig);
	t.rig.params.core_count = of->cores;
	t.rig.params.intervention_ps = of->intervention_ps;
	t.rig.params.snoop_latency_ps = of->snoop_ps;
	t.rig.params.protocol = of->protocol;
	rig_open(&t.rig, true);
	contest_until(&t, step, WARM);
	begin_ps = sim_now_ps(t.rig.ctx.engine);
	contest_until(&t, step, WARM + COUNT);
	end_ps = sim_now_ps(t.rig.ctx.engine);
	for (uint32_t i = 0; i < of->cores; i++)
		assert_true(t.of_core[i] >= COUNT / of->cores * 9 / 10);
	rig_close(&t.rig);
	return (double)(end_ps - begin_ps) / COUNT;
}

enum { BUS_TICK_PS = 500, L2_PS = 3714, L1_PS = 857 }; /* of the rig's processors */

/* All of protocols, penalties and cores; expected(of): the time of an operation, to a clock of the bus. */
static void check_contest(contest_step *step, const struct contest_of *what,
			  double (*expected)(const struct contest_of *))
{
	for (uint32_t i = 0; i < 32; i++) {
		struct contest_of of = *what;
		double ps;

		of.protocol = i & 1 ? CPU_PROTOCOL_MESI : CPU_PROTOCOL_MSI;
		of.intervention_ps = i & 2 ? 120000 : 30000;
		of.snoop_ps = i & 4 ? 20000 : 5000;
		of.cores = 1u << (i >> 3);
		ps = contest_ps(step, &of);
		if (ps < expected(&of) || ps > expected(&of) + BUS_TICK_PS)
			fail_msg("%u cores, intervention %u ps, snoop %u ps: %.0f ps, expected %.0f",
				 (uint32_t)of.cores, (uint32_t)of.intervention_ps, (uint32_t)of.snoop_ps, ps,
				 expected(&of));
	}
}

/* The line goes from one to the next, and each does its one operation. */
static double atomic_ps(const struct contest_of *of)
{
	return of->cores == 1 ? L1_PS : (double)of->intervention_ps;
}

static void test_contended_atomics(void **state)
{
	(void)state;
	check_contest(step_atomic, &(struct contest_of){.cores = 0}, atomic_ps);
}

/* Second level, snoop, and then the line to who waits: it loses its copy at the first and has none until the last. Of
 * many the next one may be behind others, who get the line from the last level. */
static double flag_ps(const struct contest_of *of)
{
	return of->cores == 1 ? L1_PS : (double)(L2_PS + of->snoop_ps + of->intervention_ps);
}

static void test_flag(void **state)
{
	struct contest_of many = {.cores = 8, .intervention_ps = 30000, .snoop_ps = 5000};

	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		const struct contest_of of = {.cores = i & 1 ? 2 : 1,
					      .intervention_ps = i & 2 ? 120000 : 30000,
					      .snoop_ps = i & 4 ? 20000 : 5000};
		const double ps = contest_ps(step_flag, &of);

		assert_true(ps >= flag_ps(&of) && ps <= flag_ps(&of) + BUS_TICK_PS);
	}
	for (many.protocol = CPU_PROTOCOL_MSI; many.protocol <= CPU_PROTOCOL_MESI; many.protocol++) {
		const double ps = contest_ps(step_flag, &many);

		assert_true(ps >= flag_ps(&many) && ps <= flag_ps(&many) + 6 * 10000);
	}
}

/* False sharing, of who computes less than a turn takes. Of two one's load takes the line from the other's store, and
 * its own store asks for it; then the other one's store and load do. */
static double own_word_ps(const struct contest_of *of)
{
	return of->cores == 1 ? (double)(of->think_ps + L1_PS)
			      : (double)of->intervention_ps + (double)of->snoop_ps / 2;
}

static void test_false_sharing(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 16; i++) {
		const struct contest_of of = {.cores = i & 1 ? 2 : 1,
					      .intervention_ps = i & 2 ? 160000 : 120000,
					      .snoop_ps = i & 4 ? 20000 : 5000,
					      .protocol = i & 8 ? CPU_PROTOCOL_MESI : CPU_PROTOCOL_MSI,
					      .think_ps = 80000};
		const double ps = contest_ps(step_own_word, &of);

		assert_true(ps >= own_word_ps(&of) && ps <= own_word_ps(&of) + BUS_TICK_PS);
	}
}

/* All others' exchanges go round while one is inside; its store goes behind them, and then the next one's exchange. Of
 * two the other's has the line when the store asks for it. */
static double lock_ps(const struct contest_of *of)
{
	const double inside = (double)(of->inside_ps + L2_PS), intervention = (double)of->intervention_ps;

	if (of->cores == 1)
		return (double)(of->inside_ps + L1_PS);
	if (of->cores == 2 && inside > intervention)
		return 2 * intervention + inside;
	return intervention * ((double)of->cores + (double)((uint64_t)(inside / intervention) + 1));
}

static void test_lock(void **state)
{
	(void)state;
	check_contest(step_lock, &(struct contest_of){.inside_ps = 50000}, lock_ps);
}

/* Alone, from the same phase of all clocks. */
static uint64_t time_access(struct rig *r, uint32_t core, uint64_t address, enum cpu_op op)
{
	enum { APART_PS = 1000000 };
	const uint64_t begin = (sim_now_ps(r->ctx.engine) / APART_PS + 2) * APART_PS;

	for (uint32_t i = 0; i < r->params.core_count; i++)
		r->ready_ps[i] = i == core ? begin : CPU_WAITS;
	assert_int_equal(next_unit(r), core);
	do_access(r, core, address, 8, op);
	next_unit(r);
	return r->ready_ps[core] - begin;
}

static uint64_t time_read(struct rig *r, uint32_t core, uint64_t address)
{
	return time_access(r, core, address, CPU_READ);
}

/* A read and then a write of lines: whoever is alone with a line asks nobody, and no longer is when another has read
 * it, or where lines are shared or modified only. */
static void test_exclusive(void **state)
{
	enum { COUNT = 16 };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		const bool has_exclusive = i & 1, is_read_by_other = i & 2;
		const bool is_silent = has_exclusive && !is_read_by_other;
		const struct cpu_stats *stats;
		struct rig r;

		rig_defaults(&r);
		r.params.protocol = has_exclusive ? CPU_PROTOCOL_MESI : CPU_PROTOCOL_MSI;
		r.params.core_count = 2;
		rig_open(&r, true);
		stats = cpu_system_stats(r.system);
		for (uint64_t line = 0; line < COUNT; line++) {
			time_read(&r, 0, line * LINE_BYTES);
			assert_int_equal(cpu_state_of(r.system, 0, line), has_exclusive ? CPU_EXCLUSIVE : CPU_SHARED);
			if (is_read_by_other)
				time_read(&r, 1, line * LINE_BYTES);
			time_access(&r, 0, line * LINE_BYTES, CPU_ATOMIC);
			assert_int_equal(cpu_state_of(r.system, 0, line), CPU_MODIFIED);
		}
		assert_int_equal(stats->exclusives, has_exclusive ? COUNT : 0);
		assert_int_equal(stats->silent_upgrades, is_silent ? COUNT : 0);
		assert_int_equal(stats->upgrades, is_silent ? 0 : COUNT);
		assert_int_equal(stats->invalidations, is_read_by_other ? COUNT : 0);
		for (uint32_t k = 0; k < r.params.core_count; k++)
			r.ready_ps[k] = sim_now_ps(r.ctx.engine);
		rig_close(&r);
	}
}

/* A line that one core has alone comes when that has answered, though the last level has it too: it may have been
 * written. The third to read it gets it from there, as does the second where lines are not exclusive. */
static void test_exclusive_answers(void **state)
{
	enum { LLC_PS = 10000, INTERVENTION_PS = 37000 };
	uint64_t second_ps[2], third_ps;

	(void)state;
	for (uint32_t has_exclusive = 0; has_exclusive < 2; has_exclusive++) {
		struct rig r;

		rig_defaults(&r);
		r.params.protocol = has_exclusive ? CPU_PROTOCOL_MESI : CPU_PROTOCOL_MSI;
		r.params.core_count = 3;
		r.params.llc_latency_ps = LLC_PS;
		r.params.intervention_ps = INTERVENTION_PS;
		rig_open(&r, true);
		time_read(&r, 0, 0);
		second_ps[has_exclusive] = time_read(&r, 1, 0);
		third_ps = time_read(&r, 2, 0);
		assert_int_equal(third_ps, second_ps[0]);
		assert_int_equal(cpu_system_stats(r.system)->interventions, has_exclusive);
		for (uint32_t k = 0; k < r.params.core_count; k++)
			r.ready_ps[k] = sim_now_ps(r.ctx.engine);
		rig_close(&r);
	}
	assert_int_equal(second_ps[1] - second_ps[0], INTERVENTION_PS - LLC_PS);
}

/* Lines are in all slices of a ring, each core's own at its own distance: on the other side of the ring what is near
 * is far. */
static void test_slices(void **state)
{
	enum { COUNT = 256, SLICES = 4, HOP_PS = 5000 };
	struct rig r;
	uint64_t least = UINT64_MAX;
	uint32_t counts[SLICES / 2 + 1] = {0};

	(void)state;
	rig_defaults(&r);
	r.params.core_count = 4;
	r.params.llc_bytes = 8 * COUNT * LINE_BYTES;
	r.params.llc_ways_count = 8;
	r.params.llc_slice_count = SLICES;
	r.params.llc_hop_ps = HOP_PS;
	rig_open(&r, false);
	for (uint32_t i = 0; i < 2 * COUNT; i++) {
		const uint64_t ps = time_read(&r, 0, i % COUNT * LINE_BYTES);

		least = MIN(least, ps);
	}
	assert_int_equal(cpu_system_stats(r.system)->llc_hits, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint64_t near = time_read(&r, 0, i * LINE_BYTES) - least;
		const uint64_t far = time_read(&r, 2, i * LINE_BYTES) - least;

		assert_int_equal(near + far, SLICES / 2 * HOP_PS);
		assert_int_equal(near % HOP_PS, 0);
		counts[near / HOP_PS]++;
	}
	assert_in_range(counts[0], COUNT / 8, COUNT / 8 * 3);
	assert_in_range(counts[1], COUNT / 8 * 3, COUNT / 8 * 5);
	assert_int_equal(cpu_system_stats(r.system)->memory_reads, COUNT);
	for (uint32_t i = 0; i < 4; i++)
		r.ready_ps[i] = sim_now_ps(r.ctx.engine);
	rig_close(&r);
}

/* The time of a line from the memory (*memory_ps), and of the same one from the last level. */
static uint64_t llc_hit_ps(uint64_t llc_miss_ps, uint64_t *memory_ps)
{
	struct rig r;
	uint64_t hit_ps;

	rig_defaults(&r);
	r.params.core_count = 2;
	r.params.snoop_latency_ps = 5000;
	r.params.llc_miss_ps = llc_miss_ps;
	rig_open(&r, false);
	*memory_ps = time_read(&r, 0, 0);
	hit_ps = time_read(&r, 1, 0);
	assert_int_equal(cpu_system_stats(r.system)->llc_hits, 1);
	assert_int_equal(cpu_system_stats(r.system)->memory_reads, 1);
	for (uint32_t k = 0; k < 2; k++)
		r.ready_ps[k] = sim_now_ps(r.ctx.engine);
	rig_close(&r);
	return hit_ps;
}

/* Memory is asked when the private caches and the last level have answered, whoever is last; a hit is not later. */
static void test_llc_miss(void **state)
{
	uint64_t beside_ps, hidden_ps, behind_ps;
	const uint64_t hit_ps = llc_hit_ps(0, &beside_ps);

	(void)state;
	assert_int_equal(llc_hit_ps(5000, &hidden_ps), hit_ps);
	assert_int_equal(hidden_ps, beside_ps);
	assert_int_equal(llc_hit_ps(45000, &behind_ps), hit_ps);
	near(behind_ps - beside_ps, 40000, 0.03);
}

/* Two sockets of two cores and a channel each. A line takes WIRE_PS over their link. */
struct pair {
	uint64_t latency_ps, llc_miss_ps, dram_ps;
};
enum { WIRE_PS = 4000, SLOW_PS = 400000 /* longer than any answer of a socket */ };

static void pair_open(struct rig *r, const struct pair *of)
{
	rig_defaults(r);
	r->params.core_count = 4;
	r->params.channel_count = 2;
	r->memory_params.channel_count = 2;
	r->params.socket_count = 2;
	r->params.placement = CPU_PLACE_SOCKET;
	r->params.llc_bytes = 1024 * LINE_BYTES;
	r->params.l2_bytes = 64 * LINE_BYTES;
	r->params.dram_mbytes_per_s = 1000000;
	r->params.dram_latency_ps = of->dram_ps;
	r->params.llc_miss_ps = of->llc_miss_ps;
	r->params.socket_latency_ps = of->latency_ps;
	r->params.socket_mbytes_per_s = LINE_BYTES * 1000000 / WIRE_PS;
	r->params.up_mbytes_per_s = 1000000;
	rig_open(r, true);
}

static void pair_close(struct rig *r)
{
	for (uint32_t i = 0; i < 4; i++)
		r->ready_ps[i] = sim_now_ps(r->ctx.engine);
	rig_close(r);
}

/* Of a line of its own memory, which no cache has. */
static uint64_t own_read_ps(const struct pair *of)
{
	struct rig r;
	uint64_t ps;

	pair_open(&r, of);
	ps = time_read(&r, 0, 0);
	assert_int_equal(cpu_system_stats(r.system)->socket_bytes, 0);
	pair_close(&r);
	return ps;
}

/* A line that no cache of the socket has counts when the other socket has answered: two ways over the link and a
 * look-up in each last level, which is nothing where the memory is slower. */
static void test_sockets_are_asked(void **state)
{
	const struct pair slow = {0, 7000, SLOW_PS}, far_slow = {20000, 7000, SLOW_PS};
	const struct pair none = {0, 0, 0}, link = {100000, 0, 0}, both = {100000, 9000, 0};

	(void)state;
	assert_int_equal(own_read_ps(&far_slow), own_read_ps(&slow));
	assert_true(own_read_ps(&link) > own_read_ps(&none));
	assert_int_equal(own_read_ps(&both) - own_read_ps(&link), 2 * 9000);
	assert_int_equal(own_read_ps(&(struct pair){150000, 9000, 0}) - own_read_ps(&both), 2 * 50000);
}

/* What another socket has is two ways over the link further, with the time of a line on it: its memory; its last level
 * and its cores' caches after a look-up in the own last level, too. What has come over once is here. */
static void test_sockets_are_far(void **state)
{
	enum { LINK_PS = 20000, MISS_PS = 7000, PAGE = 4096, OVER_PS = 2 * LINK_PS + WIRE_PS };
	const struct cpu_stats *s;
	uint64_t own_ps, hit_ps, modified_ps;
	struct rig r;

	(void)state;
	pair_open(&r, &(struct pair){LINK_PS, MISS_PS, SLOW_PS});
	s = cpu_system_stats(r.system);
	own_ps = time_read(&r, 0, 0);
	hit_ps = time_read(&r, 1, 0); /* core 0 has it as well, and so has their last level */
	assert_int_equal(time_read(&r, 2, 0), hit_ps + OVER_PS + MISS_PS);
	assert_int_equal(s->socket_hits, 1);
	assert_int_equal(time_read(&r, 3, 0), hit_ps);
	assert_int_equal(time_read(&r, 2, LINE_BYTES), own_ps + OVER_PS); /* core 0 touched the page first */
	assert_int_equal(s->socket_reads, 1);
	for (uint32_t page = 1; page < 4; page++) /* of its own */
		assert_int_equal(time_read(&r, 2, page * PAGE), own_ps);

	time_access(&r, 0, 2 * LINE_BYTES, CPU_ATOMIC);
	time_access(&r, 0, 3 * LINE_BYTES, CPU_ATOMIC);
	modified_ps = time_read(&r, 1, 2 * LINE_BYTES);
	assert_int_equal(time_read(&r, 2, 3 * LINE_BYTES), modified_ps + OVER_PS + MISS_PS);
	assert_int_equal(s->socket_interventions, 1);
	assert_int_equal(time_read(&r, 3, 3 * LINE_BYTES), hit_ps);
	assert_int_equal(s->socket_bytes, 3 * LINE_BYTES);
	pair_close(&r);
}

/* A line that cores of both sockets share is one's after two ways over the link and two look-ups, and no longer in the
 * other's last level; one that only cores of one socket share is after a snoop. */
static void test_sockets_leave(void **state)
{
	enum { LINK_PS = 20000, MISS_PS = 7000, SNOOP_PS = 5000 };
	const struct pair of = {LINK_PS, MISS_PS, SLOW_PS};
	uint64_t within_ps, across_ps;
	struct rig r;

	(void)state;
	pair_open(&r, &of);
	for (uint32_t line = 0; line < 2; line++)
		for (uint32_t core = 0; core < 3; core++)
			if (line || core < 2)
				time_read(&r, core, line * LINE_BYTES);
	within_ps = time_access(&r, 0, 0, CPU_ATOMIC);
	across_ps = time_access(&r, 0, LINE_BYTES, CPU_ATOMIC);
	assert_int_equal(across_ps - within_ps, 2 * (LINK_PS + MISS_PS) - SNOOP_PS);
	assert_int_equal(cpu_system_stats(r.system)->upgrades, 2);
	time_read(&r, 3, LINE_BYTES);
	assert_int_equal(cpu_system_stats(r.system)->socket_interventions, 1);
	pair_close(&r);
}

static bool pair_is_taken(uint64_t cores, uint64_t channels, uint64_t llc_lines)
{
	struct base_diag_list diag;
	struct rig r;
	bool is_taken;

	rig_defaults(&r);
	r.params.socket_count = 2;
	r.params.core_count = cores;
	r.params.channel_count = channels;
	r.memory_params.channel_count = channels;
	r.params.llc_bytes = llc_lines * LINE_BYTES;
	base_diag_init(&diag);
	is_taken = cpu_params_check(&r.params, &r.memory_params, &diag);
	base_diag_free(&diag);
	return is_taken;
}

/* Sockets are alike. */
static void test_sockets_are_alike(void **state)
{
	(void)state;
	assert_true(pair_is_taken(6, 2, 8));
	assert_false(pair_is_taken(5, 2, 8));
	assert_false(pair_is_taken(6, 1, 8));
	assert_false(pair_is_taken(6, 2, 6)); /* sets of 2 ways */
}

/* Lines of another socket's memory come at the link's rate: one that is asked for behind others waits for them. */
static void test_sockets_rate(void **state)
{
	enum { COUNT = 12, LINK_PS = 20000 };
	struct rig r;
	uint64_t alone_ps, begin;

	(void)state;
	pair_open(&r, &(struct pair){LINK_PS, 0, 1000});
	time_read(&r, 0, 0);
	alone_ps = time_read(&r, 2, LINE_BYTES);
	begin = (sim_now_ps(r.ctx.engine) / 1000000 + 2) * 1000000;
	for (uint32_t i = 0; i < 4; i++)
		r.ready_ps[i] = i == 2 ? begin : CPU_WAITS;
	for (uint32_t i = 2; i < COUNT + 2; i++) {
		assert_int_equal(next_unit(&r), 2);
		do_access(&r, 2, i * LINE_BYTES, 8, CPU_PREFETCH);
	}
	assert_int_equal(next_unit(&r), 2);
	do_access(&r, 2, (COUNT + 2) * LINE_BYTES, 8, CPU_READ);
	assert_int_equal(next_unit(&r), 2);
	near(r.ready_ps[2] - begin, (double)(alone_ps + COUNT * WIRE_PS), 0.05);
	assert_int_equal(cpu_system_stats(r.system)->socket_bytes, (COUNT + 2) * LINE_BYTES);
	assert_true(cpu_system_stats(r.system)->socket_wait_ps > COUNT * WIRE_PS);
	pair_close(&r);
}

/* A line that leaves all caches and is read again at once comes from the memory after its bytes have got there. */
static void test_behind(void **state)
{
	enum { DOWN_PS = 128000000 };
	struct rig r;
	uint64_t begin;

	(void)state;
	rig_defaults(&r);
	r.params.core_count = 1;
	r.params.down_mbytes_per_s = 1;
	rig_open(&r, true);
	do_access(&r, next_unit(&r), 0, 8, CPU_WRITE);
	/* Others of its sets, until the last level has to give it up. */
	for (uint32_t i = 1; !cpu_system_stats(r.system)->memory_writes; i++)
		do_access(&r, next_unit(&r), (uint64_t)i * 4 * LINE_BYTES, 8, CPU_READ);
	next_unit(&r);
	begin = r.ready_ps[0];
	do_access(&r, 0, 0, 8, CPU_READ);
	next_unit(&r);
	assert_int_equal(cpu_system_stats(r.system)->reads_behind, 1);
	assert_true(r.ready_ps[0] >= begin + DOWN_PS - 1000000);
	assert_true(r.ready_ps[0] <= begin + DOWN_PS + 1000000);
	near(cpu_system_stats(r.system)->read_behind_ps, DOWN_PS, 0.01);
	rig_close(&r);
}

/* Loads of lines of their own, each with `use` and then `instructions` of 1000 ps; the time until all are used. */
static uint64_t loads_ps(uint32_t count, uint32_t use, uint32_t instructions, uint64_t places)
{
	struct rig r;
	uint64_t end;

	rig_defaults(&r);
	r.params.core_count = 1;
	r.params.load_count = places;
	r.params.up_mbytes_per_s = 1000000;
	rig_open(&r, true);
	for (uint32_t i = 0; i < count; i++) {
		r.use = use;
		do_access(&r, next_unit(&r), (uint64_t)i * LINE_BYTES, 8, CPU_READ);
		next_unit(&r);
		pass(&r, 0, instructions, instructions * 1000);
	}
	r.ready_ps[0] = cpu_fence(r.system, 0, r.ready_ps[0]);
	next_unit(&r);
	end = r.ready_ps[0];
	rig_close(&r);
	return end;
}

/* A load stops its thread at its first use, not before; as many as there are places are under way. */
static void test_use(void **state)
{
	enum { COUNT = 64 };
	const uint64_t one = loads_ps(1, 0, 0, 16), blocking = loads_ps(COUNT, 0, 80, 16);
	const uint64_t overlapped = loads_ps(COUNT, 40, 80, 16), window = loads_ps(COUNT, 100000, 1, 16);

	(void)state;
	near(blocking, (double)COUNT * ((double)one + 80000), 0.06);
	/* Half of the instructions are beside the load. */
	near(blocking - overlapped, COUNT * 40000, 0.1);
	near(window, (double)one * COUNT / 16, 0.2);
	near(loads_ps(COUNT, 100000, 1, 4), (double)one * COUNT / 4, 0.1);
	near(loads_ps(COUNT, 100000, 1, 1), (double)one * COUNT, 0.06);
}

/* Lines after one another, each waited for: the core is under loads from the first level on all that time, and from the
 * second on without what that one takes. Twice side by side is once. */
static void test_under(void **state)
{
	enum { COUNT = 32 };
	struct rig r;
	const struct cpu_stats *s;
	uint64_t l2_ps, waited = 0;

	(void)state;
	rig_defaults(&r);
	r.params.core_count = 1;
	rig_open(&r, true);
	s = cpu_system_stats(r.system);
	l2_ps = r.params.l2_cycles * 1000000000 / r.params.clock_khz;
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint64_t begin = (next_unit(&r), r.ready_ps[0]);

		do_access(&r, 0, (uint64_t)i * LINE_BYTES, 8, CPU_READ);
		next_unit(&r);
		waited += r.ready_ps[0] - begin;
		pass(&r, 0, 10, 10000);
	}
	assert_int_equal(s->memory_reads, COUNT);
	near(s->under_l1_ps, (double)waited, 0.01);
	near(s->under_l2_ps, (double)(waited - COUNT * l2_ps), 0.01);
	assert_true(s->under_llc_ps < s->under_l2_ps && s->under_llc_ps > s->under_l2_ps / 2);

	/* A line of the second level, which the first has given up: the others are two sets of one way on. */
	const uint64_t before[] = {s->under_l1_ps, s->under_l2_ps, s->l2_hits};

	do_access(&r, next_unit(&r), (uint64_t)(COUNT - 3) * LINE_BYTES, 8, CPU_READ);
	next_unit(&r);
	assert_int_equal(s->l2_hits, before[2] + 1);
	near(s->under_l1_ps - before[0], (double)l2_ps, 0.01);
	assert_int_equal(s->under_l2_ps, before[1]);

	/* Two loads under way at once. */
	const uint64_t alone = waited / COUNT;

	r.use = 100;
	do_access(&r, next_unit(&r), (uint64_t)(2 * COUNT) * LINE_BYTES, 8, CPU_READ);
	do_access(&r, next_unit(&r), (uint64_t)(2 * COUNT + 1) * LINE_BYTES, 8, CPU_READ);
	r.ready_ps[0] = cpu_fence(r.system, 0, r.ready_ps[0]);
	next_unit(&r);
	assert_true(s->under_l2_ps - before[1] < alone * 3 / 2);
	rig_close(&r);
}

/* Threads that wait for a place find their line in the second level when they have it: none of them waits for ever. */
static void test_places(void **state)
{
	enum { THREADS = 4 };
	struct rig r;

	(void)state;
	rig_defaults(&r);
	r.params.core_count = 1;
	r.params.smt_count = THREADS;
	r.params.load_count = 1;
	rig_open(&r, true);
	for (uint32_t i = 0; i < THREADS; i++) {
		assert_int_equal(next_unit(&r), i);
		do_access(&r, i, 0, 8, CPU_READ);
	}
	sim_run(r.ctx.engine);
	assert_int_equal(cpu_system_stats(r.system)->place_waits, THREADS - 1);
	assert_int_equal(cpu_system_stats(r.system)->memory_reads, 1);
	rig_close(&r);
}

/* Loads of `count` lines `stride` lines apart, with 200 ns of instructions after each; the time until all are done. */
static uint64_t walk_ps(struct rig *r, uint32_t first, uint32_t count, int stride)
{
	uint64_t begin;

	next_unit(r);
	begin = r->ready_ps[0];
	for (uint32_t i = 0; i < count; i++) {
		r->use = 0;
		do_access(r, next_unit(r), (uint64_t)((int)first + (int)i * stride) * LINE_BYTES, 8, CPU_READ);
		next_unit(r);
		pass(r, 0, 1, 200000);
	}
	return r->ready_ps[0] - begin;
}

/* A core that computes longer than a line takes: with a prefetcher it waits for the first lines of a stream only. */
static void test_streams(void **state)
{
	static const struct {
		uint32_t first;
		int stride;
	} walks[] = {{0, 1}, {300, -1}, {0, 3}, {299, -2}};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(walks); i++)
		for (uint32_t is_on = 0; is_on < 2; is_on++) {
			enum { COUNT = 100 };
			struct rig r;
			const struct cpu_stats *s;
			uint64_t ps;

			rig_defaults(&r);
			r.params.core_count = 1;
			r.params.page_bytes = 65536;
			r.params.l2_bytes = 64 * LINE_BYTES;
			r.params.stream_count = is_on ? 2 : 0;
			rig_open(&r, true);
			s = cpu_system_stats(r.system);
			ps = walk_ps(&r, walks[i].first, COUNT, walks[i].stride);
			if (is_on)
				near(ps, COUNT * 200e3, 0.05);
			else
				assert_true(ps > COUNT * 320000ul);
			assert_true(is_on ? s->stream_useful >= COUNT - 4 : !s->stream_requests);
			assert_true(s->stream_late == 0);
			rig_close(&r);
		}
}

/* The stream ends where its page does. */
static void test_page_end(void **state)
{
	enum { LINES_OF_PAGE = 4096 / LINE_BYTES };
	struct rig r;

	(void)state;
	rig_defaults(&r);
	r.params.core_count = 1;
	r.params.stream_count = 2;
	r.params.l2_bytes = 64 * LINE_BYTES;
	rig_open(&r, true);
	do_access(&r, next_unit(&r), 4096, 8, CPU_READ); /* the next page, of which only this line is read */
	walk_ps(&r, 0, LINES_OF_PAGE, 1);
	sim_run(r.ctx.engine);
	assert_int_equal(cpu_system_stats(r.system)->memory_reads, LINES_OF_PAGE + 1);
	rig_close(&r);
}

/* Pages in turns: each is looked up once where the TLB has room for all of them, each time where it has not. */
static void test_translation(void **state)
{
	enum { PAGES = 8, ROUNDS = 10 };

	(void)state;
	for (uint32_t tlb = PAGES / 2; tlb <= PAGES; tlb *= 2) {
		struct rig r;
		uint64_t begin = 0, each;

		rig_defaults(&r);
		r.params.core_count = 1;
		r.params.tlb_count = r.params.tlb_ways_count = tlb;
		r.params.walk_cycles = 350;
		r.params.l1_bytes = r.params.l2_bytes = 64 * LINE_BYTES;
		r.params.l1_ways_count = r.params.l2_ways_count = 8;
		rig_open(&r, true);
		for (uint32_t i = 0; i < PAGES * ROUNDS; i++) {
			if (i == PAGES)
				begin = r.ready_ps[0];
			do_access(&r, next_unit(&r), (uint64_t)(i % PAGES) * (4096 + LINE_BYTES), 8, CPU_READ);
			next_unit(&r);
		}
		assert_int_equal(cpu_system_stats(r.system)->walks, tlb == PAGES ? PAGES : PAGES * ROUNDS);
		assert_int_equal(cpu_system_stats(r.system)->pages, PAGES);
		/* Entry and line are hits by now. */
		each = r.params.l1_cycles + (tlb == PAGES ? 0 : 350 + r.params.l2_cycles);
		near(r.ready_ps[0] - begin, PAGES * (ROUNDS - 1) * (double)each / 3.5e-3, 0.02);
		rig_close(&r);
	}
}

/* By the clock, in ps, to one of them. */
static void are_cycles(uint64_t ps, uint64_t cycles, uint64_t khz)
{
	const uint64_t exact = (uint64_t)((unsigned __int128)cycles * 1000000000 / khz);

	if (ps != exact && ps != exact + 1)
		fail_msg("%.0f ps are not %.0f cycles of %.0f kHz", (double)ps, (double)cycles, (double)khz);
}

/* At clocks whose period is no whole number of ps cycles that come one after the other, instructions or hits, are as
 * long as all of them together: at twice the clock half as long. So are the issue slots that threads share. */
static void test_clocks(void **state)
{
	static const uint64_t clocks_khz[] = {3500000, 7000000, 3300000, 2600000, 999000};
	enum { COUNT = 7000, CYCLES = COUNT / 7 * (1 + 2 + 3 + 4 + 5 + 6 + 7), WIDE = 3, LATE_CYCLES = 8 };

	(void)state;
	for (uint32_t i = 0; i < ARRAY_COUNT(clocks_khz); i++) {
		bool has_passed[2] = {false};
		struct rig r;
		uint64_t begin, units;

		rig_defaults(&r);
		r.params.core_count = 1;
		r.params.clock_khz = clocks_khz[i];
		rig_open(&r, false);
		units = cpu_cycle_units(r.system);
		for (uint32_t k = 0; k < COUNT; k++)
			r.ready_ps[0] += cpu_pass(r.system, 0, r.ready_ps[0], 1, (1 + k % 7) * units, NULL);
		are_cycles(r.ready_ps[0], CYCLES, clocks_khz[i]);
		do_access(&r, next_unit(&r), 0, 8, CPU_ATOMIC);
		next_unit(&r);
		begin = r.ready_ps[0];
		for (uint32_t k = 0; k < COUNT; k++)
			do_access(&r, next_unit(&r), 0, 8, CPU_ATOMIC);
		are_cycles(r.ready_ps[0] - begin, COUNT * r.params.l1_cycles, clocks_khz[i]);
		rig_close(&r);

		rig_defaults(&r);
		r.params.core_count = 1;
		r.params.smt_count = 2;
		r.params.issue_count = WIDE;
		r.params.clock_khz = clocks_khz[i];
		rig_open(&r, false);
		for (uint32_t k = 0; k < 8 * COUNT; k++) {
			const uint32_t unit = next_unit(&r);

			if (has_passed[unit])
				do_access(&r, unit, 0, 8, CPU_PREFETCH);
			else
				r.ready_ps[unit] += cpu_pass(r.system, unit, r.ready_ps[unit], 10, units, NULL);
			has_passed[unit] = !has_passed[unit];
		}
		for (uint32_t k = 0; k < 2; k++)
			while (r.ready_ps[k] == CPU_WAITS)
				sim_run_until(r.ctx.engine, sim_next_units(r.ctx.engine));
		near(MAX(r.ready_ps[0], r.ready_ps[1]), 4e9 * COUNT * 10 / WIDE / (double)clocks_khz[i],
		     (double)LATE_CYCLES * WIDE / (4 * COUNT * 10));
		rig_close(&r);
	}
}

/* A fault is its thread's alone: another core goes on meanwhile. */
static void test_fault(void **state)
{
	struct rig r;

	(void)state;
	rig_defaults(&r);
	r.params.core_count = 2;
	r.params.page_fault_ps = 5000000;
	rig_open(&r, true);
	r.ready_ps[1] = 1000;
	do_access(&r, 0, 0, 8, CPU_READ);
	assert_int_equal(next_unit(&r), 1);
	do_access(&r, 1, 256, 8, CPU_READ); /* the same page: it is there for whoever comes now */
	assert_int_equal(next_unit(&r), 1);
	assert_true(r.ready_ps[1] < 300000);
	r.ready_ps[1] = 10000000; /* it has nothing more to do */
	assert_int_equal(next_unit(&r), 0);
	assert_true(r.ready_ps[0] > 5000000 && r.ready_ps[0] < 5300000);
	rig_close(&r);
}

/* Pages of one channel, of four, come at its rate alone; their lines round the channels at that of all, and those of
 * the last two, where these are striped, at the rate of two. */
static void test_placement(void **state)
{
	enum { CHANNELS = 4, PAGES = 32, OF_PAGE = 4096 / LINE_BYTES };
	static const struct {
		enum cpu_placement placement;
		uint32_t striped, channel, rate;
	} cases[] = {{CPU_PLACE_LINE, 0, 0, CHANNELS}, {CPU_PLACE_PAGE, 0, 0, 1}, {CPU_PLACE_TOUCH, 0, 0, 1},
		     {CPU_PLACE_PAGE, 2, 0, 1}, {CPU_PLACE_PAGE, 2, 2, 2}, {CPU_PLACE_TOUCH, 2, 3, 2}};

	(void)state;
	for (uint32_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		const enum cpu_placement placement = cases[n].placement;
		struct rig r;
		uint64_t begin;
		const double one = (double)PAGES / CHANNELS * OF_PAGE * LINE_BYTES / 250e6 * 1e12;

		rig_defaults(&r);
		r.params.core_count = CHANNELS;
		r.params.channel_count = r.memory_params.channel_count = CHANNELS;
		r.params.placement = placement;
		r.params.striped_count = cases[n].striped;
		r.params.up_mbytes_per_s = 250;
		r.params.load_count = 256;
		rig_open(&r, true);
		/* Core i touches what a turn gives channel i. */
		for (uint32_t i = 0; i < PAGES; i++) {
			const uint32_t core = placement == CPU_PLACE_TOUCH ? i % CHANNELS : 0;

			sim_run(r.ctx.engine);
			r.ready_ps[core] = sim_now_ps(r.ctx.engine) + 1000;
			do_access(&r, core, (uint64_t)i * 4096, 8, CPU_READ);
		}
		sim_run(r.ctx.engine);
		begin = sim_now_ps(r.ctx.engine);
		for (uint32_t i = 0; i < CHANNELS; i++)
			r.ready_ps[i] = begin;
		r.use = 10000;
		for (uint32_t i = 0; i < PAGES / CHANNELS * OF_PAGE; i++)
			do_access(&r, next_unit(&r),
				  (uint64_t)(i / OF_PAGE * CHANNELS + cases[n].channel) * 4096 +
					  i % OF_PAGE * LINE_BYTES,
				  8, CPU_READ);
		sim_run(r.ctx.engine);
		near(sim_now_ps(r.ctx.engine) - begin, one / cases[n].rate, 0.08);
		rig_close(&r);
	}
}

/* The copy of a page that moves is at the rate of its channel, or of all that it is striped over. */
static void test_moves(void **state)
{
	static const uint32_t cases[][3] = {{0, 1, 1}, {2, 3, 2}, {0, 3, 1}, {3, 1, 1}}; /* from, to, rate */
	enum { CHANNELS = 4, PAGE_BYTES = 4096 };

	(void)state;
	for (uint32_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		struct rig r;
		uint64_t begin, done;

		rig_defaults(&r);
		r.params.channel_count = r.memory_params.channel_count = CHANNELS;
		r.params.placement = CPU_PLACE_PAGE;
		r.params.striped_count = 2;
		r.params.up_mbytes_per_s = r.params.down_mbytes_per_s = 250;
		r.params.page_fault_ps = 0;
		rig_open(&r, true);
		for (uint64_t i = 0; i <= cases[n][0]; i++) {
			sim_run(r.ctx.engine);
			r.ready_ps[0] = sim_now_ps(r.ctx.engine) + 1000;
			do_access(&r, 0, i * PAGE_BYTES, 8, CPU_READ);
		}
		sim_run(r.ctx.engine);
		begin = done = sim_now_ps(r.ctx.engine);
		cpu_move(r.system, cases[n][0] * PAGE_BYTES, cases[n][1], &done);
		near(done - begin, PAGE_BYTES / 250e6 * 1e12 / cases[n][2], 0.02);
		sim_run(r.ctx.engine);
		rig_close(&r);
	}
}

/* Lines of the first frames have addresses of their own, those of a frame behind one channel, or, of the last ones
 * that are striped, round them. */
static void test_lines(void **state)
{
	enum { CHANNELS = 4, STACKS = 8, FRAMES = 24, OF_FRAME = 32, SOCKETS = 2 };

	(void)state;
	for (uint32_t striped = 0; striped <= CHANNELS + 1; striped++) {
		const bool is_by_socket = striped > CHANNELS;
		const struct cpu_params p = {.placement = is_by_socket ? CPU_PLACE_SOCKET : CPU_PLACE_PAGE,
					     .channel_count = CHANNELS,
					     .socket_count = is_by_socket ? SOCKETS : 1,
					     .striped_count = is_by_socket ? 0 : striped};
		struct cpu_common c = {
		    .p = &p, .per_ps = 1, .line_shift = 7, .page_shift = 12, .stack_count = STACKS};
		const uint32_t first = CHANNELS - striped;
		bool is_used[FRAMES * OF_FRAME] = {false};

		cpu_common_divide(&c);
		for (uint64_t line = 0; line < FRAMES * OF_FRAME; line++) {
			const uint64_t at = cpu_line_address(&c, line) >> c.line_shift, of = line / OF_FRAME % CHANNELS;
			const uint64_t channel =
			    is_by_socket ? of % SOCKETS * (CHANNELS / SOCKETS) + line % (CHANNELS / SOCKETS)
			    : of < first ? of
					 : first + ((of - first) * OF_FRAME + line % OF_FRAME) % striped;

			assert_true(at < FRAMES * OF_FRAME && !is_used[at]);
			assert_int_equal(at % STACKS % CHANNELS, channel);
			assert_int_equal(cpu_line_channel(&c, line), channel);
			is_used[at] = true;
		}
	}
}

/* Threads of a core share its slots for instructions, and end together. */
static void test_threads(void **state)
{
	enum { THREADS = 4, COUNT = 200 };

	(void)state;
	for (uint32_t issue = 1; issue <= 4; issue *= 2) {
		struct rig r;
		uint64_t first = UINT64_MAX, last = 0;
		bool has_passed[THREADS] = {false};

		rig_defaults(&r);
		r.params.core_count = 1;
		r.params.smt_count = THREADS;
		r.params.issue_count = issue;
		rig_open(&r, false);
		for (uint32_t i = 0; i < 2 * THREADS * COUNT; i++) {
			const uint32_t unit = next_unit(&r);

			if (has_passed[unit])
				do_access(&r, unit, 0, 8, CPU_PREFETCH);
			else
				pass(&r, unit, 35, 10000); /* 35 cycles */
			has_passed[unit] = !has_passed[unit];
		}
		for (uint32_t i = 0; i < THREADS; i++)
			while (r.ready_ps[i] == CPU_WAITS)
				sim_run_until(r.ctx.engine, sim_next_units(r.ctx.engine));
		for (uint32_t i = 0; i < THREADS; i++) {
			first = MIN(first, r.ready_ps[i]);
			last = MAX(last, r.ready_ps[i]);
		}
		near(last, (double)COUNT * 10000 * THREADS / issue, 0.02);
		near(first, (double)last, 0.02);
		rig_close(&r);
	}
}

/* ---- cores that issue out of order ---- */

enum { CHAIN = 1, SUM = 2 }; /* slots */

/* One core, whose memory takes the same time for each line; caches of which nothing that is loaded stays. */
static void open_window(struct rig *r, uint64_t rob, uint64_t load_count)
{
	rig_defaults(r);
	r->params.core_count = 1;
	r->params.core_model = CPU_CORE_OUT_OF_ORDER;
	r->params.rob_entries = rob;
	r->params.load_queue_entries = r->params.store_queue_entries = 1000;
	r->params.load_count = load_count;
	r->params.issue_count = 4;
	r->params.dram_mbytes_per_s = 10000000;
	r->params.up_mbytes_per_s = r->params.down_mbytes_per_s = 10000000;
	rig_open(r, false);
}

/* So many times: instructions, then an access, in turns to so many lines; 0: to another one each. Until all is done. */
static uint64_t window_ps(struct rig *r, uint32_t count, uint32_t instructions, enum cpu_op op, uint32_t lines,
			  const struct cpu_flow *of)
{
	struct cpu_flow flow = *of;
	const uint64_t begin = (next_unit(r), r->ready_ps[0]);

	flow.issue_slots = instructions;
	r->flow = &flow;
	for (uint32_t i = 0; i < count; i++) {
		next_unit(r);
		pass(r, 0, instructions, 0);
		do_access(r, next_unit(r), (lines ? i % lines : 1000 + i) * LINE_BYTES, 8, op);
	}
	next_unit(r);

	const uint64_t now = r->ready_ps[0];

	r->ready_ps[0] = CPU_WAITS;

	const uint64_t done = cpu_fence(r->system, 0, now);

	if (done != CPU_WAITS)
		r->ready_ps[0] = done;
	next_unit(r);
	r->flow = NULL;
	return r->ready_ps[0] - begin;
}

static uint64_t window_once_ps(uint64_t rob, uint64_t load_count, uint32_t count, uint32_t instructions,
			       enum cpu_op op, uint32_t lines, const struct cpu_flow *flow)
{
	struct rig r;
	uint64_t ps;

	open_window(&r, rob, load_count);
	if (lines) /* they are in the caches */
		window_ps(&r, 4, instructions, op, lines, flow);
	ps = window_ps(&r, count, instructions, op, lines, flow);
	rig_close(&r);
	return ps;
}

static const struct cpu_flow alone = {.is_known = true};
static const struct cpu_flow chain = {
	.is_known = true, .slot = CHAIN, .step_count = 1, .steps = {{CPU_FLOW_ADDRESS, CHAIN, 0}}};

/* Loads that miss: one after the other where each has its address from the one before, else as many at once as the
 * window holds, and as there are places. */
static void test_window_misses(void **state)
{
	enum { COUNT = 240 };
	const uint64_t one = window_once_ps(192, 16, 1, 1, CPU_READ, 0, &alone);
	const struct {
		uint64_t rob, load_count;
		uint32_t instructions, at_once;
	} cases[] = {{64, 16, 1, 16},   {64, 64, 8, 8},	  {64, 64, 16, 4},
		     {240, 12, 10, 12}, {240, 240, 10, 24}, {1, 16, 1, 1}};

	(void)state;
	near(window_once_ps(192, 16, COUNT, 1, CPU_READ, 0, &chain), (double)one * COUNT, 0.02);
	near(window_once_ps(1000, 240, COUNT, 4, CPU_READ, 0, &chain), (double)one * COUNT, 0.02);
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++)
		near(window_once_ps(cases[i].rob, cases[i].load_count, COUNT, cases[i].instructions, CPU_READ, 0,
				    &alone),
		     (double)one * COUNT / cases[i].at_once, 0.1);
}

/* A window of one instruction is the in-order core whose loads are used at once. */
static void test_window_of_one(void **state)
{
	enum { COUNT = 100 };
	struct rig r;
	uint64_t in_order;

	(void)state;
	open_window(&r, 1, 16);
	r.flow = &alone;
	for (uint32_t i = 0; i < COUNT; i++) {
		next_unit(&r);
		pass(&r, 0, 1, 1000);
		do_access(&r, next_unit(&r), (uint64_t)(1000 + i) * LINE_BYTES, 8, CPU_READ);
	}
	do_access(&r, next_unit(&r), 0, 8, CPU_ATOMIC);
	next_unit(&r);
	in_order = r.ready_ps[0];
	rig_close(&r);

	rig_defaults(&r);
	r.params.core_count = 1;
	r.params.dram_mbytes_per_s = 10000000;
	r.params.up_mbytes_per_s = r.params.down_mbytes_per_s = 10000000;
	rig_open(&r, false);
	for (uint32_t i = 0; i < COUNT; i++) {
		next_unit(&r);
		pass(&r, 0, 1, 1000);
		do_access(&r, next_unit(&r), (uint64_t)(1000 + i) * LINE_BYTES, 8, CPU_READ);
	}
	do_access(&r, next_unit(&r), 0, 8, CPU_ATOMIC);
	next_unit(&r);
	near(in_order, (double)r.ready_ps[0], 0.02);
	rig_close(&r);
}

/* What hits: a chain of loads takes the first level's latency and what is computed in between, others the ports. */
static void test_window_hits(void **state)
{
	enum { COUNT = 4000 };
	struct rig r;
	struct cpu_flow flow = chain;
	double cycle;
	uint64_t units;

	(void)state;
	rig_defaults(&r);
	cycle = 1e9 / (double)r.params.clock_khz;
	rig_open(&r, false);
	units = cpu_cycle_units(r.system);
	rig_close(&r);
	near(window_once_ps(192, 16, COUNT, 1, CPU_READ, 2, &flow),
	     COUNT * cycle * (double)r.params.l1_cycles, 0.02);
	flow.steps[0].units = 3 * units;
	near(window_once_ps(192, 16, COUNT, 1, CPU_READ, 2, &flow),
	     COUNT * cycle * (double)(r.params.l1_cycles + 3), 0.02);
	near(window_once_ps(192, 16, COUNT, 1, CPU_READ, 2, &alone),
	     COUNT * cycle / (double)r.params.load_port_count, 0.02);
	/* Four instructions a cycle. */
	near(window_once_ps(192, 16, COUNT, 12, CPU_READ, 2, &alone), COUNT * cycle * 3, 0.02);
	/* A sum of what is loaded: four cycles each, whatever else there is. */
	flow = (struct cpu_flow){.is_known = true, .slot = CHAIN, .step_count = 2,
				 .steps = {{CPU_FLOW_VALUE, SUM, 4 * units}, {CPU_FLOW_INPUT, CHAIN, 4 * units}}};
	near(window_once_ps(192, 16, COUNT, 2, CPU_READ, 2, &flow), COUNT * cycle * 4, 0.02);
}

/* Lines that come into the first level, and into the second, keep the ports of loads. */
static void test_window_fills(void **state)
{
	enum { COUNT = 2000 };
	struct rig r;
	double cycle;

	(void)state;
	for (uint64_t fill = 2; fill <= 5; fill += 3) { /* of four lines the first level has room for two */
		open_window(&r, 192, 16);
		cycle = 1e9 / (double)r.params.clock_khz;
		r.params.fill_cycles = fill;
		window_ps(&r, 8, 1, CPU_READ, 4, &alone);
		near(window_ps(&r, 10 * COUNT, 1, CPU_READ, 4, &alone),
		     10 * COUNT * cycle * ((double)fill + 1.0 / (double)r.params.load_port_count), 0.05);
		assert_int_equal(cpu_system_stats(r.system)->memory_reads, 4);
		rig_close(&r);
	}
	open_window(&r, 192, 16);
	r.params.l2_fill_cycles = 200;
	near(window_ps(&r, 5 * COUNT, 1, CPU_READ, 0, &alone), 5 * COUNT * cycle * 202.5, 0.05);
	rig_close(&r);
}

/* Stores that miss go on beside their thread while the queue has room, and no load waits for them. */
static void test_window_stores(void **state)
{
	enum { COUNT = 200 };
	const uint64_t one = window_once_ps(192, 16, 1, 1, CPU_WRITE, 0, &alone);
	const uint64_t two = window_once_ps(192, 2, COUNT, 1, CPU_READ, 0, &alone);
	struct rig r;
	uint64_t issued;

	(void)state;
	open_window(&r, 192, 16);
	r.flow = &(const struct cpu_flow){.is_known = true, .issue_slots = 4};
	for (uint32_t i = 0; i < COUNT; i++) {
		pass(&r, 0, 4, 0);
		do_access(&r, 0, (uint64_t)(1000 + i) * LINE_BYTES, 8, CPU_WRITE);
		next_unit(&r);
	}
	issued = r.ready_ps[0];
	near(issued, COUNT * 1e9 / (double)r.params.clock_khz, 0.02);
	assert_int_equal(cpu_system_stats(r.system)->store_queue_wait_ps, 0);
	r.flow = NULL;
	rig_close(&r);
	/* So many misses at once as the core may have stores under way. */
	near(window_once_ps(192, 16, COUNT, 1, CPU_WRITE, 0, &alone), (double)one * COUNT / 16, 0.15);
	near(two, (double)window_once_ps(192, 16, 1, 1, CPU_READ, 0, &alone) * COUNT / 2, 0.05);
}

/* A load of what a store has not brought into the cache gets it from there, when it is there. */
static void test_window_forwards(void **state)
{
	struct rig r;
	const struct cpu_flow store = {
	    .is_known = true, .step_count = 1, .steps = {{CPU_FLOW_DATA, CHAIN, 0}}};
	const struct cpu_flow load = {.is_known = true, .slot = SUM};
	const struct cpu_flow next = {.is_known = true, .step_count = 1, .steps = {{CPU_FLOW_ADDRESS, SUM, 0}}};
	uint64_t one;

	(void)state;
	one = window_once_ps(192, 16, 1, 1, CPU_READ, 0, &alone);
	open_window(&r, 192, 16);
	r.flow = &chain; /* misses; its value is stored, loaded again, and an address */
	do_access(&r, next_unit(&r), 2000 * LINE_BYTES, 8, CPU_READ);
	r.flow = &store;
	do_access(&r, next_unit(&r), 3000 * LINE_BYTES + 8, 8, CPU_WRITE);
	r.flow = &load;
	do_access(&r, next_unit(&r), 3000 * LINE_BYTES + 8, 8, CPU_READ);
	r.flow = &next;
	do_access(&r, next_unit(&r), 4000 * LINE_BYTES, 8, CPU_READ);
	assert_int_equal(cpu_system_stats(r.system)->forwards, 1);
	r.ready_ps[0] = CPU_WAITS;
	cpu_fence(r.system, 0, sim_now_ps(r.ctx.engine));
	next_unit(&r);
	near(r.ready_ps[0], 2 * (double)one, 0.05);
	r.flow = NULL;
	rig_close(&r);
}

/* ---- threads of a core that issues out of order ---- */

/* A core's window, and so many hardware threads, of which some have something to run. */
struct crew {
	uint64_t rob, load_count, store_queue, division;
	uint32_t threads, running;
};

/* Each thread that runs, so many times: instructions, then an access, to one of four lines of its own that are in the
 * caches, or, is_new, to another one each. Until the last access of all has been answered and done. */
static uint64_t crew_ps(const struct crew *c, uint32_t count, uint32_t instructions, enum cpu_op op, bool is_new,
			const struct cpu_flow *of)
{
	struct cpu_flow flow = *of;
	uint32_t steps[UNITS] = {0}, left = c->running;
	uint64_t begin = 0, end = 0;
	struct rig r;

	rig_defaults(&r);
	r.params.smt_count = c->threads;
	r.params.smt_division = c->division;
	r.params.l1_bytes = r.params.l2_bytes = r.params.llc_bytes = 1 << 16;
	r.params.l1_ways_count = r.params.l2_ways_count = r.params.llc_ways_count = 4;
	r.params.core_count = 1;
	r.params.core_model = CPU_CORE_OUT_OF_ORDER;
	r.params.rob_entries = c->rob;
	r.params.load_queue_entries = 1000;
	r.params.store_queue_entries = c->store_queue;
	r.params.load_count = r.params.store_count = c->load_count;
	r.params.issue_count = 4;
	r.params.dram_mbytes_per_s = r.params.up_mbytes_per_s = r.params.down_mbytes_per_s = 10000000;
	rig_open(&r, false);
	for (uint32_t unit = c->running; unit < c->threads; unit++) {
		cpu_runs(r.system, unit, false);
		r.ready_ps[unit] = UINT64_MAX - 1; /* its turn never comes */
	}
	if (!is_new)
		for (uint32_t i = 0; i < 8 * c->running; i++) {
			const uint32_t unit = next_unit(&r);

			do_access(&r, unit, (unit * 4 + steps[unit]++ % 4) * LINE_BYTES, 8, op);
		}
	memset(steps, 0, sizeof(steps));
	next_unit(&r);
	for (uint32_t unit = 0; unit < c->running; unit++)
		begin = MAX(begin, r.ready_ps[unit] == CPU_WAITS ? 0 : r.ready_ps[unit]);
	flow.issue_slots = instructions;
	r.flow = &flow;
	while (left) {
		uint32_t unit = next_unit(&r);

		if (steps[unit] == 2 * count) {
			const uint64_t now = r.ready_ps[unit];

			r.ready_ps[unit] = CPU_WAITS;

			const uint64_t done = cpu_fence(r.system, unit, now);

			if (done != CPU_WAITS)
				r.ready_ps[unit] = done;
			while (r.ready_ps[unit] == CPU_WAITS)
				sim_run_until(r.ctx.engine, sim_next_units(r.ctx.engine));
			end = MAX(end, r.ready_ps[unit]);
			r.ready_ps[unit] = UINT64_MAX - 1;
			left--;
		} else if (steps[unit]++ % 2) {
			const uint64_t line = is_new ? 1000 + unit * 1000 + steps[unit] / 2
						     : unit * 4 + steps[unit] / 2 % 4;

			do_access(&r, unit, line * LINE_BYTES, 8, op);
		} else {
			pass(&r, unit, instructions, 0);
		}
	}
	r.flow = NULL;
	for (uint32_t unit = 0; unit < c->threads; unit++)
		r.ready_ps[unit] = end;
	rig_close(&r);
	return end - begin;
}

/* Twelve instructions take three cycles of four slots, of whichever thread; loads that hang on each other leave slots
 * to others. */
static void test_window_shares_slots(void **state)
{
	enum { COUNT = 400 };
	const double cycle = 1e12 / 3.5e9;

	(void)state;
	for (uint32_t n = 1; n <= 4; n *= 2) {
		const struct crew c = {192, 16, 42, CPU_DIVISION_RUNNING, n, n};

		near(crew_ps(&c, COUNT, 12, CPU_READ, false, &alone), COUNT * cycle * 3 * n, 0.04);
	}
	for (uint32_t n = 1; n <= 4; n *= 2) {
		const struct crew c = {192, 16, 42, CPU_DIVISION_RUNNING, n, n};

		near(crew_ps(&c, COUNT, 1, CPU_READ, false, &chain), COUNT * cycle * 3, 0.04);
	}
}

/* Of a window of 64 instructions each of n threads has 64 / n, so that all together have as many misses under way as
 * one alone; a window as large as all would need is one each. */
static void test_window_is_divided(void **state)
{
	enum { COUNT = 160 };
	const struct crew one = {64, 64, 42, CPU_DIVISION_RUNNING, 1, 1};
	const double single = (double)crew_ps(&one, COUNT, 8, CPU_READ, true, &alone);

	(void)state;
	for (uint32_t n = 2; n <= 4; n *= 2) {
		const struct crew same = {64, 64, 42, CPU_DIVISION_RUNNING, n, n};
		const struct crew each = {64 * n, 64, 42, CPU_DIVISION_RUNNING, n, n};

		near(crew_ps(&same, COUNT, 8, CPU_READ, true, &alone), single * n, 0.1);
		near(crew_ps(&each, COUNT, 8, CPU_READ, true, &alone), single, 0.1);
	}
}

/* Stores that miss: as many at once as the thread's part of the queue holds. */
static void test_window_queues_are_divided(void **state)
{
	enum { COUNT = 160 };
	const struct crew one = {192, 64, 8, CPU_DIVISION_RUNNING, 1, 1};
	const struct crew two = {192, 64, 8, CPU_DIVISION_RUNNING, 2, 2};
	const struct crew wide = {192, 64, 16, CPU_DIVISION_RUNNING, 2, 2};
	const double single = (double)crew_ps(&one, COUNT, 1, CPU_WRITE, true, &alone);

	(void)state;
	near(crew_ps(&two, COUNT, 1, CPU_WRITE, true, &alone), single * 2, 0.1);
	near(crew_ps(&wide, COUNT, 1, CPU_WRITE, true, &alone), single, 0.1);
}

/* A thread that is alone on its core has all of it, or its fixed part. */
static void test_window_is_of_who_runs(void **state)
{
	enum { COUNT = 160 };
	const struct crew one = {64, 64, 42, CPU_DIVISION_RUNNING, 1, 1};
	const struct crew running = {64, 64, 42, CPU_DIVISION_RUNNING, 4, 1};
	const struct crew fixed = {64, 64, 42, CPU_DIVISION_FIXED, 4, 1};
	const struct crew quarter = {16, 64, 10, CPU_DIVISION_FIXED, 1, 1};

	(void)state;
	assert_int_equal(crew_ps(&running, COUNT, 8, CPU_READ, true, &alone),
			 crew_ps(&one, COUNT, 8, CPU_READ, true, &alone));
	assert_int_equal(crew_ps(&fixed, COUNT, 8, CPU_READ, true, &alone),
			 crew_ps(&quarter, COUNT, 8, CPU_READ, true, &alone));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random), cmocka_unit_test(test_same),	   cmocka_unit_test(test_channel),
	    cmocka_unit_test(test_slots),  cmocka_unit_test(test_penalty), cmocka_unit_test(test_contended_atomics),
	    cmocka_unit_test(test_flag), cmocka_unit_test(test_false_sharing), cmocka_unit_test(test_lock),
	    cmocka_unit_test(test_clocks),
	    cmocka_unit_test(test_exclusive), cmocka_unit_test(test_exclusive_answers), cmocka_unit_test(test_slices),
	    cmocka_unit_test(test_llc_miss), cmocka_unit_test(test_behind),
	    cmocka_unit_test(test_sockets_are_asked), cmocka_unit_test(test_sockets_are_far),
	    cmocka_unit_test(test_sockets_leave), cmocka_unit_test(test_sockets_rate),
	    cmocka_unit_test(test_sockets_are_alike),
	    cmocka_unit_test(test_use),      cmocka_unit_test(test_under),
	    cmocka_unit_test(test_streams),  cmocka_unit_test(test_page_end),
	    cmocka_unit_test(test_translation), cmocka_unit_test(test_fault), cmocka_unit_test(test_placement),
	    cmocka_unit_test(test_moves),
	    cmocka_unit_test(test_threads), cmocka_unit_test(test_lines), cmocka_unit_test(test_places),
	    cmocka_unit_test(test_window_misses), cmocka_unit_test(test_window_of_one),
	    cmocka_unit_test(test_window_hits), cmocka_unit_test(test_window_fills),
	    cmocka_unit_test(test_window_stores),
	    cmocka_unit_test(test_window_forwards),
	    cmocka_unit_test(test_window_shares_slots),
	    cmocka_unit_test(test_window_is_divided),
	    cmocka_unit_test(test_window_queues_are_divided),
	    cmocka_unit_test(test_window_is_of_who_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
