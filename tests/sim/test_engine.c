/* The engine against a naive reference: a list of (time, domain, component) searched for its smallest element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine.h"

enum { DOMAINS = 3, COMPS = 70, WAKES_MAX = 20000, TRACE_MAX = 400000 };

static const char *const names[DOMAINS] = {"sm", "link", "dram"};

struct event {
	uint64_t time, cycle;
	uint32_t domain, index;
};

struct world {
	struct sim_engine *engine; /* NULL: the reference runs */
	struct sim_comp comps[DOMAINS][COMPS];
	struct event pending[WAKES_MAX];
	uint32_t pending_count, wakes_left;
	uint64_t period[DOMAINS], now;
	int32_t ticking_domain;
	uint32_t ticking_index;
	uint64_t seed;
	struct event trace[TRACE_MAX];
	uint32_t trace_count;
};

struct part {
	struct world *w;
	uint32_t domain, index;
};

static struct part parts[DOMAINS][COMPS];

static uint64_t rnd(struct world *w)
{
	w->seed = w->seed * 6364136223846793005ull + 1442695040888963407ull;
	return w->seed >> 33;
}

/* "Waking a component in the current time is legal only for what comes later in the order; else the next cycle." */
static void ref_wake(struct world *w, uint32_t d, uint32_t i, uint64_t cycle)
{
	bool has_had_turn = w->ticking_domain >= 0 &&
			    ((int32_t)d < w->ticking_domain ||
			     ((int32_t)d == w->ticking_domain && i <= w->ticking_index));

	if (has_had_turn && cycle * w->period[d] <= w->now)
		cycle++;
	for (uint32_t k = 0; k < w->pending_count; k++) {
		if (w->pending[k].domain == d && w->pending[k].index == i && w->pending[k].cycle == cycle)
			return;
	}
	assert_true(w->pending_count < WAKES_MAX);
	w->pending[w->pending_count++] = (struct event){cycle * w->period[d], cycle, d, i};
}

static void wake(struct world *w, uint32_t d, uint32_t i, uint64_t time)
{
	uint64_t cycle = (time + w->period[d] - 1) / w->period[d];

	bool by_time = rnd(w) % 2;

	if (w->engine && by_time)
		sim_wake_units(w->engine, w->comps[d][i], time);
	else if (w->engine)
		sim_wake_cycle(w->engine, w->comps[d][i], cycle);
	else
		ref_wake(w, d, i, cycle);
}

/* What every component does: notes its tick and wakes some others at random distances. */
static void tick(void *component, uint64_t cycle)
{
	struct part *p = component;
	struct world *w = p->w;
	uint64_t now = w->engine ? sim_now_units(w->engine) : w->now;

	assert_true(w->trace_count < TRACE_MAX);
	w->trace[w->trace_count++] = (struct event){now, cycle, p->domain, p->index};
	for (uint32_t n = (uint32_t)(rnd(w) % 4); n && w->wakes_left; n--, w->wakes_left--) {
		static const uint64_t reach[] = {1, 1, 40, 5000, 30000000, 1, 9000};
		uint32_t d = (uint32_t)(rnd(w) % DOMAINS), i = (uint32_t)(rnd(w) % COMPS);

		wake(w, d, i, now + rnd(w) % reach[rnd(w) % 7]);
	}
}

static bool before(const struct event *a, const struct event *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->domain != b->domain ? a->domain < b->domain : a->index < b->index;
}

static void ref_run_until(struct world *w, uint64_t time)
{
	while (w->pending_count) {
		uint32_t first = 0;

		for (uint32_t k = 1; k < w->pending_count; k++) {
			if (before(&w->pending[k], &w->pending[first]))
				first = k;
		}

		struct event e = w->pending[first];

		if (e.time > time)
			break;
		w->pending[first] = w->pending[--w->pending_count];
		w->now = e.time;
		w->ticking_domain = (int32_t)e.domain;
		w->ticking_index = e.index;
		tick(&parts[e.domain][e.index], e.cycle);
		w->ticking_domain = -1;
	}
	w->now = time;
}

static const struct sim_period periods[DOMAINS] = {{5000, 7}, {800, 1}, {1500, 1}}; /* 1.4 GHz, 1.25 GHz, 1.5 ns */

static struct sim_engine *engine_of(const struct sim_period *domain_periods, uint32_t count)
{
	struct sim_engine *e = sim_engine_new();

	for (uint32_t i = 0; i < count; i++) {
		uint32_t domain;

		assert_true(sim_domain_add(e, names[i], domain_periods[i], &domain));
		assert_int_equal(domain, i);
	}
	return e;
}

static struct world *world_new(bool is_reference, uint64_t seed)
{
	struct world *w = calloc(1, sizeof(*w));
	struct sim_engine *e = engine_of(periods, DOMAINS);

	w->seed = seed;
	w->wakes_left = 12000;
	w->ticking_domain = -1;
	for (uint32_t d = 0; d < DOMAINS; d++) {
		w->period[d] = sim_period_units(e, d);
		for (uint32_t i = 0; i < COMPS; i++) {
			parts[d][i] = (struct part){w, d, i};
			w->comps[d][i] = sim_engine_add(e, d, "part", tick, &parts[d][i]);
		}
	}
	if (is_reference)
		sim_engine_free(e);
	else
		w->engine = e;
	for (uint32_t n = 0; n < 40; n++)
		wake(w, n % DOMAINS, (uint32_t)(rnd(w) % COMPS), rnd(w) % 3000);
	return w;
}

static void compare(const struct world *w, const struct world *m, uint64_t seed)
{
	for (uint32_t i = 0; i < w->trace_count && i < m->trace_count; i++) {
		if (memcmp(&w->trace[i], &m->trace[i], sizeof(struct event)))
			fail_msg("seed %d, tick %u: engine %llu/%u/%u, reference %llu/%u/%u", (int)seed, i,
				 (unsigned long long)m->trace[i].time, m->trace[i].domain, m->trace[i].index,
				 (unsigned long long)w->trace[i].time, w->trace[i].domain, w->trace[i].index);
	}
	assert_int_equal(w->trace_count, m->trace_count);
	assert_true(w->trace_count > 5000);
}

static void test_total_order_against_reference(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct world *w = world_new(true, seed);

		ref_run_until(w, SIM_NEVER);

		struct world *m = world_new(false, seed);
		uint64_t ticks = sim_run(m->engine);

		assert_int_equal(ticks, m->trace_count);
		compare(w, m, seed);
		sim_engine_free(m->engine);
		free(m);
		free(w);
	}
}

/* Who drives the world from outside, in steps of all lengths, and wakes some in between. */
static void drive(struct world *w)
{
	static const uint64_t steps[] = {1, 700, 9000, 1 << 20, 40000000};

	for (uint32_t n = 0; n < 3000; n++) {
		uint64_t time = (w->engine ? sim_now_units(w->engine) : w->now) + 1 + rnd(w) % steps[rnd(w) % 5];

		while (time % w->period[0] == 0 || time % w->period[1] == 0 || time % w->period[2] == 0)
			time++; /* at an edge, what may still be woken for it depends on who has ticked */
		if (w->engine)
			sim_run_until(w->engine, time);
		else
			ref_run_until(w, time);
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t d = (uint32_t)(rnd(w) % DOMAINS), c = (uint32_t)(rnd(w) % COMPS);

			wake(w, d, c, time + rnd(w) % steps[rnd(w) % 5]);
		}
	}
}

static void test_steps_against_reference(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct world *w = world_new(true, seed);

		drive(w);

		struct world *m = world_new(false, seed);

		drive(m);
		assert_int_equal(sim_now_units(m->engine), w->now);
		compare(w, m, seed);
		sim_engine_free(m->engine);
		free(m);
		free(w);
	}
}

static void count_tick(void *component, uint64_t cycle)
{
	*(uint64_t *)component = cycle;
}

static void test_time_is_exact_after_long_idle(void **state)
{
	uint64_t far = 1000000007ull * 1400, seen = 0, beside_seen = 0;
	struct sim_engine *e = engine_of(periods, DOMAINS);
	struct sim_comp c = sim_engine_add(e, 0, "counter", count_tick, &seen);
	struct sim_comp beside = sim_engine_add(e, 0, "beside", count_tick, &beside_seen);
	uint32_t last;

	(void)state;
	assert_int_equal(sim_units_per_ps(e), 7);
	assert_int_equal(sim_period_units(e, 0), 5000);
	sim_wake_cycle(e, c, far);
	assert_int_equal(sim_run(e), 1);
	assert_int_equal(seen, far);
	assert_string_equal(sim_last_tick(e, &last), "counter");
	assert_int_equal(last, 0);
	assert_int_equal(sim_now_units(e), far * 5000);
	sim_advance_units(e, far * 5000 + 12345678);
	sim_wake_units(e, c, sim_now_units(e));
	assert_int_equal(sim_run(e), 1);
	assert_int_equal(seen, far + 12345678 / 5000 + 1);
	sim_wake_cycle(e, c, seen + 3);
	sim_wake_cycle(e, c, seen + 100000);
	sim_cancel_all(e);
	assert_int_equal(sim_run(e), 0);
	/* One wake taken back, in the wheel and beyond it; others stay, also in its cycle; what was not is nothing. */
	sim_wake_cycle(e, c, seen + 3);
	sim_wake_cycle(e, c, seen + 100000);
	sim_wake_cycle(e, c, seen + 100003);
	sim_cancel(e, c, seen + 3);
	sim_cancel(e, c, seen + 4);
	sim_cancel(e, c, seen + 100000);
	sim_cancel(e, c, seen + 100001);
	far = seen + 100003;
	assert_int_equal(sim_run(e), 1);
	assert_int_equal(seen, far);
	assert_string_equal(sim_last_tick(e, &last), "counter");
	assert_int_equal(last, 0);
	sim_wake_cycle(e, c, seen + 7);
	sim_wake_cycle(e, beside, seen + 7);
	sim_cancel(e, c, seen + 7);
	assert_int_equal(sim_run(e), 1);
	assert_int_equal(beside_seen, seen + 7);
	assert_int_equal(sim_run(e), 0);
	/* A wake that was taken back and had been the next one moves no time. */
	sim_wake_cycle(e, c, beside_seen + 5);
	sim_cancel(e, c, beside_seen + 5);
	assert_int_equal(sim_run(e), 0);
	assert_int_equal(sim_now_units(e), beside_seen * 5000);
	/* Nothing behind the limit; a stop between two runs is the next one's, unless it is taken back. */
	sim_wake_cycle(e, c, beside_seen + 10);
	sim_wake_cycle(e, c, beside_seen + 11);
	sim_limit(e, (beside_seen + 10) * 5000);
	assert_int_equal(sim_run(e), 1);
	assert_true(sim_was_limited(e));
	sim_limit(e, SIM_NEVER);
	sim_stop(e);
	assert_int_equal(sim_run(e), 0);
	assert_false(sim_was_limited(e));
	sim_stop(e);
	sim_resume(e);
	assert_int_equal(sim_run(e), 1);
	assert_int_equal(seen, beside_seen + 11);
	sim_engine_free(e);
}

/* Time goes where it is told, whether or not somebody ticks; at its end too, and not past a limit or a stop. */
static void test_run_until(void **state)
{
	const struct sim_period period = {1000, 1};
	struct sim_engine *e = engine_of(&period, 1);
	uint64_t seen = 0;
	struct sim_comp c = sim_engine_add(e, 0, "counter", count_tick, &seen);

	(void)state;
	assert_true(sim_next_units(e) == SIM_NEVER);
	assert_int_equal(sim_run_until(e, 2500), 0);
	assert_int_equal(sim_now_units(e), 2500);
	sim_wake_cycle(e, c, 5);
	assert_int_equal(sim_next_units(e), 5000);
	assert_int_equal(sim_run_until(e, 4999), 0);
	assert_int_equal(sim_run_until(e, 5000), 1);
	assert_int_equal(seen, 5);
	/* The edge at 5000 is gone; at 7000 nobody has ticked yet. */
	sim_wake_units(e, c, 5000);
	assert_int_equal(sim_next_units(e), 6000);
	assert_int_equal(sim_run_until(e, 7000), 1);
	sim_wake_units(e, c, 7000);
	assert_int_equal(sim_run_until(e, 7000), 1);
	assert_int_equal(seen, 7);
	assert_false(sim_was_limited(e));
	sim_limit(e, 8500);
	assert_int_equal(sim_run_until(e, 8000), 0);
	assert_false(sim_was_limited(e));
	sim_wake_cycle(e, c, 9);
	assert_int_equal(sim_run_until(e, 10000), 0);
	assert_true(sim_was_limited(e));
	assert_int_equal(sim_now_units(e), 8000);
	sim_limit(e, SIM_NEVER);
	sim_stop(e);
	assert_int_equal(sim_run_until(e, 10000), 0);
	assert_int_equal(sim_now_units(e), 8000);
	assert_int_equal(sim_run_until(e, 10000), 1);
	assert_int_equal(sim_now_units(e), 10000);
	sim_engine_free(e);
}

struct pair {
	struct sim_engine *engine;
	struct sim_comp other;
	uint64_t cycle;
};

static void wake_other_now(void *component, uint64_t cycle)
{
	struct pair *p = component;

	p->cycle = cycle;
	if (p->engine)
		sim_wake_units(p->engine, p->other, sim_now_units(p->engine));
}

/* Edges that coincide: a later domain's tick reaches an earlier, idle domain at its next edge only. */
static void test_earlier_domain_has_had_its_turn(void **state)
{
	const struct sim_period same[] = {{1000, 1}, {1000, 1}};
	struct sim_engine *e = engine_of(same, 2);
	struct pair early = {0}, late = {.engine = e};
	struct sim_comp c;

	(void)state;
	late.other = sim_engine_add(e, 0, "early", wake_other_now, &early);
	c = sim_engine_add(e, 1, "late", wake_other_now, &late);
	sim_wake_cycle(e, c, 5);
	sim_run(e);
	assert_int_equal(early.cycle, 6);
	early.engine = e;
	early.other = c;
	late.engine = NULL;
	sim_wake_cycle(e, late.other, 9);
	sim_run(e);
	assert_int_equal(late.cycle, 9);
	sim_engine_free(e);
}

struct busy {
	struct sim_engine *engine;
	struct sim_comp self, sleeper;
	uint64_t wakes_at_cycle, wakes_units, count;
};

/* Ticks every cycle, and once wakes the sleeper. */
static void be_busy(void *component, uint64_t cycle)
{
	struct busy *b = component;

	b->count++;
	if (cycle == b->wakes_at_cycle)
		sim_wake_units(b->engine, b->sleeper, b->wakes_units);
	if (cycle < 4000)
		sim_wake_cycle(b->engine, b->self, cycle + 1);
}

static void note_count(void *component, uint64_t cycle)
{
	struct busy *b = component;

	(void)cycle;
	b->wakes_units = b->count;
	b->wakes_at_cycle = sim_now_units(b->engine);
}

/* A domain that ticks alone for long stops for another one that it wakes, near or further than the wheel reaches. */
static void test_a_woken_domain_is_not_passed(void **state)
{
	const struct sim_period slow_and_fast[] = {{1000, 1}, {100, 1}};
	const uint64_t wakes_units[] = {7300, 1007300};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct sim_engine *e = engine_of(slow_and_fast, 2);
		struct busy b = {.engine = e, .wakes_at_cycle = 5, .wakes_units = wakes_units[i]};

		b.self = sim_engine_add(e, 0, "busy", be_busy, &b);
		b.sleeper = sim_engine_add(e, 1, "sleeper", note_count, &b);
		sim_wake_cycle(e, b.self, 0);
		sim_run(e);
		assert_int_equal(b.wakes_at_cycle, wakes_units[i]);
		assert_int_equal(b.wakes_units, wakes_units[i] / 1000 + 1);
		assert_int_equal(b.count, 4001);
		sim_engine_free(e);
	}
}

static void test_clocks_without_common_unit_are_refused(void **state)
{
	struct sim_engine *e = sim_engine_new();
	uint32_t domain;

	(void)state;
	assert_true(sim_domain_add(e, "even", sim_period_of_khz(1400000), &domain));
	assert_true(sim_domain_add(e, "later", sim_period_of_ps(1500), &domain));
	assert_int_equal(domain, 1);
	/* What was there keeps its length when a finer unit comes. */
	assert_int_equal(sim_period_units(e, 1), 1500 * sim_units_per_ps(e));
	assert_false(sim_domain_add(e, "odd", sim_period_of_khz(1300003), &domain));
	assert_true(sim_domain_add(e, "third", sim_period_of_khz(1800000), &domain));
	assert_int_equal(domain, 2);
	assert_int_equal(sim_period_units(e, 0) * 7, 5000 * sim_units_per_ps(e));
	assert_int_equal(sim_period_units(e, 1), 1500 * sim_units_per_ps(e));
	sim_engine_free(e);
}

/* ---- one tick for several components ---- */

enum { GROUP_FIRST = 5, GROUP_COUNT = 62, GROUP_COMPS = 70 };

struct group {
	struct sim_engine *engine;
	struct sim_comp comps[GROUP_COMPS];
	uint32_t order[4 * GROUP_COMPS], count;
	uint64_t taken[(GROUP_COMPS + 63) / 64];
};

static struct group group;

static void group_note(void *component, uint64_t cycle)
{
	const struct sim_comp *c = component;

	(void)cycle;
	group.order[group.count++] = c->index;
}

/* Does all others of the group that are due as well, each in its turn; each wakes the one behind it, which is outside
 * what was taken, and itself, which moves to the next cycle. */
static void group_tick(void *component, uint64_t cycle)
{
	const struct sim_comp *c = component;
	const uint32_t end = GROUP_FIRST + GROUP_COUNT;
	uint32_t others = sim_take_due(group.engine, *c, end - c->index, group.taken);

	group_note(component, cycle);
	for (uint32_t i = c->index + 1u; i < GROUP_COMPS; i++) {
		if (!(group.taken[i / 64] >> i % 64 & 1))
			continue;
		others--;
		assert_true(i < end);
		sim_take_turn(group.engine, group.comps[i]);
		group_note(&group.comps[i], cycle);
		if (cycle < 3)
			sim_wake_cycle(group.engine, group.comps[i], cycle);
	}
	assert_int_equal(others, 0);
	if (cycle == 1)
		sim_wake_cycle(group.engine, group.comps[GROUP_COMPS - 1], cycle);
}

static void test_one_tick_does_those_of_others(void **state)
{
	const uint32_t due[] = {2, 7, 8, 60, 63, 64, 66, 67};
	const uint32_t want[] = {2, 7, 8, 60, 63, 64, 66, 67, 69, 8, 60, 63, 64, 66, 60, 63, 64, 66};
	uint32_t domain;

	(void)state;
	memset(&group, 0, sizeof(group));
	group.engine = sim_engine_new();
	assert_true(sim_domain_add(group.engine, "sm", sim_period_of_ps(10), &domain));
	for (uint32_t i = 0; i < GROUP_COMPS; i++)
		group.comps[i] = sim_engine_add(group.engine, domain, "c", group_note, &group.comps[i]);
	for (uint32_t i = GROUP_FIRST; i < GROUP_FIRST + GROUP_COUNT; i++)
		sim_engine_tick_with(group.engine, group.comps[i], group_tick);
	for (uint32_t i = 0; i < sizeof(due) / sizeof(*due); i++)
		sim_wake_cycle(group.engine, group.comps[due[i]], 1);
	sim_run(group.engine);
	assert_int_equal(group.count, sizeof(want) / sizeof(*want));
	for (uint32_t i = 0; i < group.count; i++)
		assert_int_equal(group.order[i], want[i]);
	sim_engine_free(group.engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_total_order_against_reference),
		cmocka_unit_test(test_steps_against_reference),
		cmocka_unit_test(test_run_until),
		cmocka_unit_test(test_time_is_exact_after_long_idle),
		cmocka_unit_test(test_earlier_domain_has_had_its_turn),
		cmocka_unit_test(test_a_woken_domain_is_not_passed),
		cmocka_unit_test(test_clocks_without_common_unit_are_refused),
		cmocka_unit_test(test_one_tick_does_those_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
