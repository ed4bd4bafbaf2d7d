/* place.c - on which unit a thread runs: where the program wants it, else where the machine puts it. */
#include "threads/rt/rt.h"

#include <errno.h>

static uint32_t cpu_units(void)
{
	return rt_machine()->cpu_unit_count ? rt_machine()->cpu_unit_count : rt_machine()->unit_count;
}

uint32_t rt_ndp_cores(void)
{
	const struct thread_machine *m = rt_machine();

	return m->ndp_count ? (m->unit_count - cpu_units()) / m->ndp_count : 0;
}

uint32_t rt_ndp_of(uint32_t unit)
{
	return unit < cpu_units() ? UINT32_MAX : (unit - cpu_units()) / rt_ndp_cores();
}

uint32_t rt_processor_count(void)
{
	return rt_machine()->processor_count ? rt_machine()->processor_count : cpu_units();
}

static uint32_t choice_of_machine(struct thread_place place)
{
	uint32_t unit = THREAD_UNIT_ANY;

	if (rt_model->unit_for) {
		rt_enter_model();
		unit = rt_model->unit_for(rt_model->self, &place);
		rt_leave_model();
	}
	return unit < rt_machine()->unit_count ? unit : THREAD_UNIT_ANY;
}

void rt_place_new(struct rt_thread *t)
{
	struct rt_thread *maker = rt_self();
	uint32_t unit;

	t->team_first = maker->team_first;
	t->team_count = maker->team_count;
	if (t->team_count) {
		maker->has_next = false;
		rt_assign(t, t->team_first, t->team_count);
		return;
	}
	unit = choice_of_machine(maker->has_next ? maker->next_place : (struct thread_place){.thread = t->id});
	maker->has_next = false;
	if (unit == THREAD_UNIT_ANY)
		rt_assign(t, 0, cpu_units());
	else
		rt_assign(t, unit, 1);
}

/* OpenMP: the next thread that the caller makes is for this place. */
RT_API void __strata_team_next(uint32_t level, uint32_t team, uint32_t thread);
RT_API void __strata_team_next(uint32_t level, uint32_t team, uint32_t thread)
{
	struct rt_thread *self;

	if (!__strata_on)
		return;
	self = rt_self();
	self->next_place = (struct thread_place){level, team, thread};
	self->has_next = true;
}

/* OpenMP: a thread of a team begins with a region. The team's wish is its maker's. */
RT_API uint64_t __strata_team_wish(void);
RT_API uint64_t __strata_team_wish(void)
{
	return __strata_on ? (uint64_t)rt_self()->team_first << 32 | rt_self()->team_count : 0;
}

RT_API uint32_t __strata_team_enter(uint32_t level, uint32_t team, uint32_t thread, uint64_t wish);
RT_API uint32_t __strata_team_enter(uint32_t level, uint32_t team, uint32_t thread, uint64_t wish)
{
	struct rt_thread *self;
	uint32_t before, unit;

	if (!__strata_on)
		return 0;
	self = rt_self();
	before = self->unit;
	if (thread) {
		self->team_first = (uint32_t)(wish >> 32);
		self->team_count = (uint32_t)wish;
	}
	if (self->team_count)
		unit = thread ? self->team_first + thread % self->team_count : before;
	else
		unit = choice_of_machine((struct thread_place){level, team, thread});
	if (unit == THREAD_UNIT_ANY)
		unit = before < cpu_units() || !thread ? before : rt_emptiest(0, cpu_units());
	rt_move(unit);
	return before;
}

/* The team's maker has executed its own part of the region, and goes back to where it was. */
RT_API void __strata_team_leave(uint32_t unit);
RT_API void __strata_team_leave(uint32_t unit)
{
	if (__strata_on)
		rt_move(unit);
}

int rt_run_on(uint32_t ndp, uint32_t core)
{
	const uint32_t cores = ndp == UINT32_MAX ? cpu_units() : rt_ndp_cores();
	const uint32_t first = ndp == UINT32_MAX ? 0 : cpu_units() + ndp * cores;

	if (ndp != UINT32_MAX && ndp >= rt_machine()->ndp_count)
		return ENODEV;
	if (core == UINT32_MAX) {
		if (rt_self()->unit - first >= cores)
			rt_move(rt_emptiest(first, cores));
		return 0;
	}
	if (core >= cores)
		return EINVAL;
	rt_move(first + core);
	return 0;
}

int rt_team_on(uint32_t ndp)
{
	struct rt_thread *self = rt_self();

	if (ndp == UINT32_MAX) {
		self->team_count = 0;
		return 0;
	}
	if (ndp >= rt_machine()->ndp_count)
		return ENODEV;
	self->team_count = rt_ndp_cores();
	self->team_first = cpu_units() + ndp * self->team_count;
	return 0;
}
