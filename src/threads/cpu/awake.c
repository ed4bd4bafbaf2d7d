/* awake.c - see awake.h. */
#include "threads/cpu/awake.h"

#include <glib.h>

struct core {
	uint32_t running; /* units */
	uint64_t since_ps;
};

struct awake {
	uint32_t unit_count, cpu_unit_count, core_count;
	uint32_t *threads; /* by unit */
	GArray *units;     /* by thread: where it was seen last */
	struct core *cores;
	uint64_t *cpu_ps, *near_ps;
	struct sim_spans *spans;
	uint64_t *begun_ps; /* by unit: its thread runs since then */
};

struct awake *awake_new(uint32_t unit_count, uint32_t cpu_unit_count, uint32_t core_count, uint64_t *cpu_ps,
			uint64_t *near_ps, struct sim_spans *spans)
{
	struct awake *a = g_new(struct awake, 1);

	*a = (struct awake){.unit_count = unit_count,
			    .cpu_unit_count = cpu_unit_count,
			    .core_count = core_count,
			    .threads = g_new(uint32_t, unit_count),
			    .units = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
			    .cores = g_new0(struct core, core_count + unit_count - cpu_unit_count),
			    .cpu_ps = cpu_ps,
			    .near_ps = near_ps,
			    .spans = spans,
			    .begun_ps = g_new0(uint64_t, unit_count)};
	for (uint32_t i = 0; i < unit_count; i++)
		a->threads[i] = AWAKE_NOBODY;
	return a;
}

void awake_free(struct awake *a)
{
	g_free(a->threads);
	g_free(a->begun_ps);
	g_free(a->cores);
	g_array_free(a->units, TRUE);
	g_free(a);
}

const uint32_t *awake_threads(const struct awake *a)
{
	return a->threads;
}

static struct core *core_of(const struct awake *a, uint32_t unit)
{
	return unit < a->cpu_unit_count ? &a->cores[unit % a->core_count]
					: &a->cores[a->core_count + unit - a->cpu_unit_count];
}

/* A core whose thread is ahead of now_ps has been counted to there. */
static void count_until(struct awake *a, uint32_t unit, uint64_t now_ps)
{
	struct core *k = core_of(a, unit);

	*(unit < a->cpu_unit_count ? a->cpu_ps : a->near_ps) += now_ps - MIN(now_ps, k->since_ps);
	k->since_ps = MAX(now_ps, k->since_ps);
}

/* The unit's thread, if there is one, has run until now. */
static void has_run(struct awake *a, uint32_t unit, uint64_t now_ps)
{
	if (a->spans && a->threads[unit] != AWAKE_NOBODY)
		sim_spans_add(a->spans, unit, a->threads[unit], a->begun_ps[unit], MAX(now_ps, a->begun_ps[unit]));
	a->begun_ps[unit] = now_ps;
}

static void sleeps(struct awake *a, uint32_t unit, uint64_t now_ps)
{
	has_run(a, unit, now_ps);
	a->threads[unit] = AWAKE_NOBODY;
	if (!--core_of(a, unit)->running)
		count_until(a, unit, now_ps);
}

void awake_rests(struct awake *a, uint32_t unit, uint32_t thread, uint64_t now_ps)
{
	if (a->threads[unit] == thread)
		sleeps(a, unit, now_ps);
}

void awake_runs(struct awake *a, uint32_t unit, uint32_t thread, uint64_t now_ps)
{
	struct core *k = core_of(a, unit);
	uint32_t *last;

	while (a->units->len <= thread)
		g_array_append_val(a->units, unit);
	last = &g_array_index(a->units, uint32_t, thread);
	if (*last != unit)
		awake_rests(a, *last, thread, now_ps);
	*last = unit;
	has_run(a, unit, now_ps);
	if (a->threads[unit] == AWAKE_NOBODY && !k->running++)
		k->since_ps = MAX(k->since_ps, now_ps);
	a->threads[unit] = thread;
}

void awake_until(struct awake *a, uint64_t now_ps)
{
	for (uint32_t unit = 0; unit < a->unit_count; unit++)
		if (a->threads[unit] != AWAKE_NOBODY)
			count_until(a, unit, now_ps);
}

void awake_end(struct awake *a, uint64_t now_ps)
{
	for (uint32_t unit = 0; unit < a->unit_count; unit++)
		if (a->threads[unit] != AWAKE_NOBODY)
			sleeps(a, unit, now_ps);
}
