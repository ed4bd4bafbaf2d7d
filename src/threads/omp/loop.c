/* loop.c - loops shared by a team: static ones are divided when they begin, the others chunk by chunk. */
#include "threads/omp/omp_rt.h"

enum schedule {
	STATIC_CHUNKED = 33,
	STATIC = 34,
	DYNAMIC = 35,
	GUIDED = 36,
	RUNTIME = 37,
	AUTO = 38,
	BALANCED_CHUNKED = 45,
	ORDERED_FIRST = 64, /* the same, ordered, from here; 65 is the chunked static one */
	ORDERED_LAST = 72,
	MODIFIERS = 3 << 29, /* monotonic, nonmonotonic */
};

static int32_t plain_schedule(int32_t schedule)
{
	schedule &= ~MODIFIERS;
	return schedule > ORDERED_FIRST && schedule <= ORDERED_LAST ? schedule - ORDERED_FIRST + 32 : schedule;
}

/* Iterations of one thread: [*from, *from + result). */
static uint64_t share(uint64_t count, uint64_t number, uint64_t threads, uint64_t *from)
{
	uint64_t each = count / threads, more = count % threads;

	*from = number * each + (number < more ? number : more);
	return each + (number < more);
}

#define STATIC_INIT(suffix, type, stype)                                                                               \
	OMP_API void __kmpc_for_static_init_##suffix(ident_t *loc, int32_t global, int32_t schedule, int32_t *is_last, \
						     type *lower, type *upper, stype *stride, stype step, stype chunk) \
	{                                                                                                              \
		struct omp_thread *self = omp_thread();                                                                \
		uint64_t count, from, mine, threads = self->team->count;                                               \
                                                                                                                       \
		(void)loc;                                                                                             \
		(void)global;                                                                                          \
		if (step > 0 ? *upper < *lower : *lower < *upper) {                                                    \
			*is_last = 0;                                                                                  \
			*stride = step;                                                                                \
			return;                                                                                        \
		}                                                                                                      \
		count = step > 0 ? ((uint64_t)*upper - (uint64_t)*lower) / (uint64_t)step + 1                          \
				 : ((uint64_t)*lower - (uint64_t)*upper) / (uint64_t)-step + 1;                        \
		if (plain_schedule(schedule) == STATIC_CHUNKED) {                                                      \
			if (chunk < 1)                                                                                 \
				chunk = 1;                                                                             \
			*stride = (stype)(chunk * step * (stype)threads);                                              \
			*is_last = (uint64_t)self->number == (count - 1) / (uint64_t)chunk % threads;                  \
			*lower = (type)(*lower + (type)(chunk * step * self->number));                                 \
			*upper = (type)(*lower + (type)(chunk * step - step));                                         \
			return;                                                                                        \
		}                                                                                                      \
		mine = share(count, (uint64_t)self->number, threads, &from);                                           \
		*is_last = mine && from + mine == count;                                                               \
		*stride = (stype)(step > 0 ? *upper - *lower + 1 : *lower - *upper + 1);                               \
		if (mine) {                                                                                            \
			*lower = (type)(*lower + (type)((stype)from * step));                                          \
			*upper = (type)(*lower + (type)((stype)(mine - 1) * step));                                    \
		} else { /* nothing */                                                                                 \
			*lower = (type)(*upper + (type)step);                                                          \
		}                                                                                                      \
	}
STATIC_INIT(4, int32_t, int32_t)
STATIC_INIT(4u, uint32_t, int32_t)
STATIC_INIT(8, int64_t, int64_t)
STATIC_INIT(8u, uint64_t, int64_t)

OMP_API void __kmpc_for_static_fini(ident_t *loc, int32_t global)
{
	(void)loc;
	(void)global;
}

/* The team's room for this thread's next loop: the others may still be in one that had it. */
static void enter(struct omp_thread *self, int32_t schedule, uint64_t count, int64_t first, int64_t step, int64_t chunk)
{
	struct omp_team *team = self->team;
	uint32_t number = self->loop++;
	struct omp_loop *l = &team->loops[number % OMP_LOOPS];

	schedule = plain_schedule(schedule);
	if (schedule == RUNTIME) {
		schedule = omp_settings.schedule;
		chunk = omp_settings.chunk;
	}
	if (schedule == AUTO || schedule == BALANCED_CHUNKED)
		schedule = STATIC;
	for (;;) {
		uint32_t seen = omp_event_now(team);

		if (__atomic_load_n(&l->number, __ATOMIC_ACQUIRE) == number)
			break;
		omp_event_wait(team, seen);
	}
	self->shared = l;
	self->schedule = schedule;
	self->iteration_count = count;
	self->chunk = chunk > 0 ? (uint64_t)chunk : 1;
	self->position = 0;
	self->first = first;
	self->step = step;
}

static void leave(struct omp_thread *self)
{
	struct omp_loop *l = self->shared;
	struct omp_team *team = self->team;

	self->shared = NULL;
	if (__atomic_add_fetch(&l->done, 1, __ATOMIC_ACQ_REL) != team->count)
		return;
	l->done = 0;
	l->next = 0;
	l->ordered = 0;
	__atomic_store_n(&l->number, l->number + OMP_LOOPS, __ATOMIC_RELEASE);
	if (team->count > 1)
		omp_event(team);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The next iterations of this thread: [*from, *from + result); 0: it has no more. */
static uint64_t take(struct omp_thread *self, uint64_t *from)
{
	struct omp_loop *l = self->shared;
	uint64_t count = self->iteration_count, threads = self->team->count, length;

	switch (self->schedule) {
	case STATIC:
		length = self->position++ ? 0 : share(count, (uint64_t)self->number, threads, from);
		return length;
	case STATIC_CHUNKED:
		*from = (self->position++ * threads + (uint64_t)self->number) * self->chunk;
		return *from < count ? smaller(self->chunk, count - *from) : 0;
	case GUIDED:
		*from = __atomic_load_n(&l->next, __ATOMIC_RELAXED);
		do {
			if (*from >= count)
				return 0;
			length = (count - *from) / (2 * threads);
			length = smaller(length > self->chunk ? length : self->chunk, count - *from);
		} while (!__atomic_compare_exchange_n(&l->next, from, *from + length, false, __ATOMIC_ACQ_REL,
						      __ATOMIC_RELAXED));
		return length;
	default:
		if (__atomic_load_n(&l->next, __ATOMIC_RELAXED) >= count)
			return 0;
		*from = __atomic_fetch_add(&l->next, self->chunk, __ATOMIC_ACQ_REL);
		return *from < count ? smaller(self->chunk, count - *from) : 0;
	}
}

#define DISPATCH(suffix, type, stype)                                                                              \
	OMP_API void __kmpc_dispatch_init_##suffix(ident_t *loc, int32_t global, int32_t schedule, type lower,     \
						   type upper, stype step, stype chunk)                            \
	{                                                                                                          \
		uint64_t count = 0;                                                                                \
                                                                                                                   \
		(void)loc;                                                                                         \
		(void)global;                                                                                      \
		if (step > 0 ? lower <= upper : upper <= lower)                                                    \
			count = step > 0 ? ((uint64_t)upper - (uint64_t)lower) / (uint64_t)step + 1                \
					 : ((uint64_t)lower - (uint64_t)upper) / (uint64_t)-step + 1;              \
		enter(omp_thread(), schedule, count, (int64_t)lower, step, chunk);                                 \
	}                                                                                                          \
	OMP_API int32_t __kmpc_dispatch_next_##suffix(ident_t *loc, int32_t global, int32_t *is_last, type *lower, \
						      type *upper, stype *stride)                                  \
	{                                                                                                          \
		struct omp_thread *self = omp_thread();                                                            \
		uint64_t from, length;                                                                             \
                                                                                                                   \
		(void)loc;                                                                                         \
		(void)global;                                                                                      \
		length = take(self, &from);                                                                        \
		if (!length) {                                                                                     \
			leave(self);                                                                               \
			return 0;                                                                                  \
		}                                                                                                  \
		self->ordered_from = from;                                                                         \
		*lower = (type)(self->first + (int64_t)from * self->step);                                         \
		*upper = (type)(self->first + (int64_t)(from + length - 1) * self->step);                          \
		*stride = (stype)self->step;                                                                       \
		if (is_last)                                                                                       \
			*is_last = from + length == self->iteration_count;                                         \
		return 1;                                                                                          \
	}                                                                                                          \
	OMP_API void __kmpc_dispatch_fini_##suffix(ident_t *loc, int32_t global)                                   \
	{                                                                                                          \
		(void)loc;                                                                                         \
		(void)global;                                                                                      \
		end_iteration(omp_thread());                                                                       \
	}

static void wait_for_turn(struct omp_thread *self)
{
	struct omp_team *team = self->team;

	for (;;) {
		uint32_t seen = omp_event_now(team);

		if (__atomic_load_n(&self->shared->ordered, __ATOMIC_ACQUIRE) >= self->ordered_from)
			return;
		omp_event_wait(team, seen);
	}
}

static void pass_turn(struct omp_thread *self)
{
	__atomic_fetch_add(&self->shared->ordered, 1, __ATOMIC_ACQ_REL);
	omp_event(self->team);
}

/* Of a loop with ordered parts: the iteration may have come by none. */
static void end_iteration(struct omp_thread *self)
{
	if (!self->shared)
		return;
	if (!self->is_ordered_done) {
		wait_for_turn(self);
		pass_turn(self);
	}
	self->is_ordered_done = false;
}

DISPATCH(4, int32_t, int32_t)
DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8, int64_t, int64_t)
DISPATCH(8u, uint64_t, int64_t)

OMP_API void __kmpc_ordered(ident_t *loc, int32_t global)
{
	struct omp_thread *self = omp_thread();

	(void)loc;
	(void)global;
	if (self->shared)
		wait_for_turn(self);
}

OMP_API void __kmpc_end_ordered(ident_t *loc, int32_t global)
{
	struct omp_thread *self = omp_thread();

	(void)loc;
	(void)global;
	if (!self->shared)
		return;
	pass_turn(self);
	self->is_ordered_done = true;
}
