/* Events fire at the first cycle at or after their time, in the order of time, then of the calls, however far away they
 * were when they were asked for: now, in the wheel, beyond it, by an event, and while the clock stood between cycles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "cpu/events.h"

enum { PERIOD_PS = 500, EVENTS = 60000, FIRST = 300 };

struct rig {
	struct sim_engine *engine;
	struct cpu_events events;
	struct cpu_event all[EVENTS];
	uint32_t asked, fired;
	uint64_t last_units, last_number, state;
};

static uint64_t random_below(struct rig *g, uint64_t bound)
{
	g->state = g->state * 6364136223846793005u + 1442695040888963407u;
	return (g->state >> 33) % bound;
}

/* Mostly near, often at once or at the time of another one, sometimes far beyond the wheel. */
static uint64_t some_delay(struct rig *g)
{
	switch (random_below(g, 8)) {
	case 0:
		return 0;
	case 1:
		return random_below(g, 20) * PERIOD_PS * CPU_WHEEL_CYCLES / 4;
	case 2:
		return PERIOD_PS * CPU_WHEEL_CYCLES - random_below(g, 3) * PERIOD_PS;
	default:
		return random_below(g, 200) * 125;
	}
}

static void fire(void *rig, struct cpu_event *e)
{
	struct rig *g = rig;
	const uint64_t now = sim_now_units(g->engine), number = (uint64_t)(e - g->all);

	assert_true(now >= e->time_units && now - e->time_units < 2 * PERIOD_PS);
	/* One for a cycle that has been is late, and comes with those of the next. */
	assert_true(e->time_units > g->last_units || (e->time_units == g->last_units && number > g->last_number) ||
		    now - e->time_units >= PERIOD_PS);
	g->last_units = e->time_units;
	g->last_number = number;
	g->fired++;
	for (uint64_t i = random_below(g, 5) / 2; i && g->asked < EVENTS; i--)
		cpu_event_at(&g->events, &g->all[g->asked++], now + some_delay(g));
}

static void test_order(void **state)
{
	struct rig *g = g_new0(struct rig, 1);
	uint32_t domain;

	(void)state;
	g->state = 1;
	g->engine = sim_engine_new();
	assert_true(sim_domain_add(g->engine, "bus", sim_period_of_ps(PERIOD_PS), &domain));
	cpu_events_init(&g->events, g->engine, domain);
	for (uint32_t i = 0; i < EVENTS; i++)
		g->all[i] = (struct cpu_event){.fire = fire, .self = g};
	while (g->asked < EVENTS || g->fired < g->asked) {
		for (uint32_t i = 0; i < FIRST && g->asked < EVENTS; i++)
			cpu_event_at(&g->events, &g->all[g->asked++], sim_now_units(g->engine) + some_delay(g));
		/* To a time between two cycles, or until nothing is left, and long after that. */
		if (random_below(g, 4))
			sim_run_until(g->engine, sim_now_units(g->engine) + random_below(g, 160) * 125);
		else
			sim_run(g->engine);
		if (g->fired == g->asked && random_below(g, 2))
			sim_run_until(g->engine, sim_now_units(g->engine) + 3 * PERIOD_PS * CPU_WHEEL_CYCLES + 77);
	}
	assert_int_equal(g->fired, EVENTS);
	cpu_events_free(&g->events);
	sim_engine_free(g->engine);
	g_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
