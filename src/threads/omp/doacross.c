/* doacross.c - loops whose iterations wait for named other ones: ordered(n) with depend(sink) and depend(source). */
#include "threads/omp/omp_rt.h"

#include <stdlib.h>

/* As clang's code gives it: a loop's iterations are counted from lower, upper is behind the last. */
struct kmp_dim {
	int64_t lower, upper, step;
};

/* What the team's threads share, behind a place among the team's loops. */
struct doacross {
	uint32_t dim_count;
	struct kmp_dim *dims;
	uint32_t done[]; /* a bit for each iteration */
};
enum { WORD_BITS = 32 };

OMP_API void __kmpc_doacross_init(ident_t *loc, int32_t global, int32_t count, const struct kmp_dim *dims);
OMP_API void __kmpc_doacross_wait(ident_t *loc, int32_t global, const int64_t *at);
OMP_API void __kmpc_doacross_post(ident_t *loc, int32_t global, const int64_t *at);
OMP_API void __kmpc_doacross_fini(ident_t *loc, int32_t global);

static uint64_t length_of(const struct kmp_dim *d)
{
	return d->upper > d->lower ? (uint64_t)(d->upper - d->lower) : 0;
}

static struct doacross *make(uint32_t count, const struct kmp_dim *dims)
{
	uint64_t iterations = 1, words, bytes;
	struct doacross *d;

	for (uint32_t i = 0; i < count; i++)
		if (__builtin_mul_overflow(iterations, length_of(&dims[i]), &iterations))
			omp_missing("a doacross loop of more than 2^64 iterations");
	words = iterations / WORD_BITS + 1;
	words += words % 2; /* what follows is of 8 bytes */
	bytes = sizeof(*d) + words * sizeof(d->done[0]);
	d = calloc(1, bytes + count * sizeof(dims[0]));
	if (!d)
		omp_missing("a doacross loop of more iterations than there is memory for");
	d->dim_count = count;
	d->dims = (struct kmp_dim *)(void *)((char *)d + bytes);
	for (uint32_t i = 0; i < count; i++)
		d->dims[i] = dims[i];
	return d;
}

/* No loop has so many ordered iterations: the place is not one of a loop that hands out its iterations. */
#define IS_DOACROSS UINT64_MAX

/* The thread's last place, or, where the loop hands out its iterations as well, the one before. */
static struct omp_loop *place_of(const struct omp_thread *self)
{
	const uint32_t last = self->loop - 1;
	struct omp_loop *l = &self->team->loops[last % OMP_LOOPS];

	if (__atomic_load_n(&l->number, __ATOMIC_ACQUIRE) == last &&
	    __atomic_load_n(&l->ordered, __ATOMIC_RELAXED) == IS_DOACROSS)
		return l;
	return &self->team->loops[(last - 1) % OMP_LOOPS];
}

static struct doacross *shared_of(const struct omp_thread *self)
{
	return (struct doacross *)(uintptr_t)__atomic_load_n(&place_of(self)->next, __ATOMIC_ACQUIRE);
}

/* Whose number it is; false: of no iteration. */
static bool find(const struct doacross *d, const int64_t *at, uint64_t *number)
{
	*number = 0;
	for (uint32_t i = 0; i < d->dim_count; i++) {
		if (at[i] < d->dims[i].lower || at[i] >= d->dims[i].upper)
			return false;
		*number = *number * length_of(&d->dims[i]) + (uint64_t)(at[i] - d->dims[i].lower);
	}
	return true;
}

void __kmpc_doacross_init(ident_t *loc, int32_t global, int32_t count, const struct kmp_dim *dims)
{
	struct omp_thread *self = omp_thread();
	struct omp_team *team = self->team;
	struct omp_loop *l;
	struct doacross *d;
	uint64_t nobody = 0;

	(void)loc;
	(void)global;
	l = &team->loops[self->loop % OMP_LOOPS];
	for (;;) {
		uint32_t seen = omp_event_now(team);

		if (__atomic_load_n(&l->number, __ATOMIC_ACQUIRE) == self->loop)
			break;
		omp_event_wait(team, seen);
	}
	self->loop++;
	__atomic_store_n(&l->ordered, IS_DOACROSS, __ATOMIC_RELAXED);
	if (shared_of(self))
		return;
	d = make((uint32_t)count, dims);
	if (!__atomic_compare_exchange_n(&l->next, &nobody, (uint64_t)(uintptr_t)d, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		free(d);
}

void __kmpc_doacross_wait(ident_t *loc, int32_t global, const int64_t *at)
{
	struct omp_thread *self = omp_thread();
	struct doacross *d = shared_of(self);
	uint64_t number;

	(void)loc;
	(void)global;
	if (!find(d, at, &number))
		return;
	for (;;) {
		uint32_t seen = omp_event_now(self->team);

		if (__atomic_load_n(&d->done[number / WORD_BITS], __ATOMIC_ACQUIRE) >> number % WORD_BITS & 1)
			return;
		omp_event_wait(self->team, seen);
	}
}

void __kmpc_doacross_post(ident_t *loc, int32_t global, const int64_t *at)
{
	struct omp_thread *self = omp_thread();
	struct doacross *d = shared_of(self);
	uint64_t number;

	(void)loc;
	(void)global;
	if (!find(d, at, &number))
		return;
	__atomic_fetch_or(&d->done[number / WORD_BITS], UINT32_C(1) << number % WORD_BITS, __ATOMIC_ACQ_REL);
	omp_event(self->team);
}

/* The last one gives the place to a later loop. */
void __kmpc_doacross_fini(ident_t *loc, int32_t global)
{
	struct omp_thread *self = omp_thread();
	struct omp_loop *l = place_of(self);
	struct doacross *d = shared_of(self);

	(void)loc;
	(void)global;
	if (__atomic_add_fetch(&l->done, 1, __ATOMIC_ACQ_REL) != self->team->count)
		return;
	l->done = 0;
	l->next = 0;
	l->ordered = 0;
	__atomic_store_n(&l->number, l->number + OMP_LOOPS, __ATOMIC_RELEASE);
	free(d);
	omp_event(self->team);
}
