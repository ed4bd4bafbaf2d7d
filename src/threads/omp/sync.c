/* sync.c - what threads of a team do with each other besides loops and tasks: barriers, single, critical, reductions.
 */
#include "threads/omp/omp_rt.h"

#include <string.h>

typedef int32_t critical_name[8];

OMP_API void __kmpc_barrier(ident_t *loc, int32_t global)
{
	(void)loc;
	(void)global;
	omp_barrier(omp_thread());
}

/* Cancellation is off, as it is by default. */
OMP_API int32_t __kmpc_cancel_barrier(ident_t *loc, int32_t global)
{
	__kmpc_barrier(loc, global);
	return 0;
}

OMP_API int32_t __kmpc_cancel(ident_t *loc, int32_t global, int32_t kind)
{
	(void)loc;
	(void)global;
	(void)kind;
	return 0;
}

OMP_API int32_t __kmpc_cancellationpoint(ident_t *loc, int32_t global, int32_t kind)
{
	return __kmpc_cancel(loc, global, kind);
}

OMP_API int32_t __kmpc_single(ident_t *loc, int32_t global)
{
	struct omp_thread *self = omp_thread();
	uint32_t number = self->single++;

	(void)loc;
	(void)global;
	if (__atomic_load_n(&self->team->single, __ATOMIC_RELAXED) != number)
		return 0;
	return __atomic_compare_exchange_n(&self->team->single, &number, number + 1, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

OMP_API void __kmpc_end_single(ident_t *loc, int32_t global)
{
	(void)loc;
	(void)global;
}

OMP_API void __kmpc_copyprivate(ident_t *loc, int32_t global, size_t size, void *data, void (*copy)(void *, void *),
				int32_t is_source)
{
	struct omp_thread *self = omp_thread();

	(void)loc;
	(void)global;
	(void)size;
	if (is_source)
		self->team->copy = data;
	omp_barrier(self);
	if (!is_source)
		copy(data, self->team->copy);
	omp_barrier(self);
}

OMP_API int32_t __kmpc_masked(ident_t *loc, int32_t global, int32_t filter)
{
	(void)loc;
	(void)global;
	return omp_thread()->number == filter;
}

OMP_API void __kmpc_end_masked(ident_t *loc, int32_t global)
{
	(void)loc;
	(void)global;
}

OMP_API int32_t __kmpc_master(ident_t *loc, int32_t global)
{
	return __kmpc_masked(loc, global, 0);
}

OMP_API void __kmpc_end_master(ident_t *loc, int32_t global)
{
	__kmpc_end_masked(loc, global);
}

OMP_API void __kmpc_critical(ident_t *loc, int32_t global, critical_name *name)
{
	(void)loc;
	(void)global;
	omp_lock_word((uint32_t *)name);
}

OMP_API void __kmpc_critical_with_hint(ident_t *loc, int32_t global, critical_name *name, uint32_t hint)
{
	(void)hint;
	__kmpc_critical(loc, global, name);
}

OMP_API void __kmpc_end_critical(ident_t *loc, int32_t global, critical_name *name)
{
	(void)loc;
	(void)global;
	omp_unlock_word((uint32_t *)name);
}

OMP_API void __kmpc_flush(ident_t *loc)
{
	(void)loc;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* 1: the caller adds its part under our lock; 2: with atomic instructions. */
OMP_API int32_t __kmpc_reduce_nowait(ident_t *loc, int32_t global, int32_t count, size_t size, void *data,
				     void (*reduce)(void *, void *), critical_name *lock)
{
	struct omp_thread *self = omp_thread();

	(void)global;
	(void)count;
	(void)size;
	(void)data;
	(void)reduce;
	self->is_reduce_locked = false;
	if (self->team->count == 1)
		return 1;
	if (loc->flags & IDENT_ATOMIC_REDUCE)
		return 2;
	omp_lock_word((uint32_t *)lock);
	self->is_reduce_locked = true;
	return 1;
}

OMP_API void __kmpc_end_reduce_nowait(ident_t *loc, int32_t global, critical_name *lock)
{
	struct omp_thread *self = omp_thread();

	(void)loc;
	(void)global;
	if (self->is_reduce_locked)
		omp_unlock_word((uint32_t *)lock);
	self->is_reduce_locked = false;
}

OMP_API int32_t __kmpc_reduce(ident_t *loc, int32_t global, int32_t count, size_t size, void *data,
			      void (*reduce)(void *, void *), critical_name *lock)
{
	return __kmpc_reduce_nowait(loc, global, count, size, data, reduce, lock);
}

OMP_API void __kmpc_end_reduce(ident_t *loc, int32_t global, critical_name *lock)
{
	__kmpc_end_reduce_nowait(loc, global, lock);
	omp_barrier(omp_thread());
}

OMP_API void *__kmpc_threadprivate_cached(ident_t *loc, int32_t global, void *data, size_t size, void ***cache)
{
	(void)loc;
	(void)global;
	(void)data;
	(void)size;
	(void)cache;
	omp_missing("threadprivate without thread-local storage (-fnoopenmp-use-tls)");
}
