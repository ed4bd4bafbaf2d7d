/* api.c - what programs ask of the OpenMP runtime. */
#include "threads/omp/omp_rt.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

OMP_API void omp_set_num_threads(int n)
{
	if (n > 0)
		omp_thread()->thread_count = n;
}

OMP_API int omp_get_num_threads(void)
{
	return (int)omp_thread()->team->count;
}

OMP_API int omp_get_max_threads(void)
{
	return omp_thread()->thread_count;
}

OMP_API int omp_get_thread_num(void)
{
	return omp_thread()->number;
}

OMP_API int omp_get_num_procs(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

OMP_API int omp_in_parallel(void)
{
	return omp_thread()->active_level > 0;
}

OMP_API void omp_set_dynamic(int is)
{
	omp_settings.is_dynamic = is;
}

OMP_API int omp_get_dynamic(void)
{
	return omp_settings.is_dynamic;
}

OMP_API void omp_set_max_active_levels(int n)
{
	omp_thread();
	if (n >= 0)
		omp_settings.max_active_levels = n;
}

OMP_API int omp_get_max_active_levels(void)
{
	omp_thread();
	return omp_settings.max_active_levels;
}

OMP_API void omp_set_nested(int is)
{
	omp_set_max_active_levels(is ? INT_MAX : 1);
}

OMP_API int omp_get_nested(void)
{
	return omp_get_max_active_levels() > 1;
}

OMP_API int omp_get_supported_active_levels(void)
{
	return INT_MAX;
}

OMP_API int omp_get_thread_limit(void)
{
	omp_thread();
	return omp_settings.thread_limit;
}

OMP_API int omp_get_level(void)
{
	return omp_thread()->level;
}

OMP_API int omp_get_active_level(void)
{
	return omp_thread()->active_level;
}

/* The context of this thread's ancestor at a level, NULL: there is no such level. */
static struct omp_thread *ancestor(int level)
{
	struct omp_thread *t = omp_thread();

	if (level < 0 || level > t->level)
		return NULL;
	while (t->level > level)
		t = t->outer;
	return t;
}

OMP_API int omp_get_ancestor_thread_num(int level)
{
	const struct omp_thread *t = ancestor(level);

	return t ? t->number : -1;
}

OMP_API int omp_get_team_size(int level)
{
	const struct omp_thread *t = ancestor(level);

	return t ? (int)t->team->count : -1;
}

OMP_API int omp_get_cancellation(void)
{
	return 0;
}

OMP_API void omp_set_schedule(omp_sched_t kind, int chunk)
{
	omp_thread();
	omp_settings.schedule = (int)((unsigned)kind & INT_MAX) == omp_sched_dynamic  ? 35
				: (int)((unsigned)kind & INT_MAX) == omp_sched_guided ? 36
				: kind == omp_sched_static && chunk > 0               ? 33
										      : 34;
	omp_settings.chunk = chunk > 0 ? chunk : 0;
}

OMP_API void omp_get_schedule(omp_sched_t *kind, int *chunk)
{
	omp_thread();
	*kind = omp_settings.schedule == 35   ? omp_sched_dynamic
		: omp_settings.schedule == 36 ? omp_sched_guided
					      : omp_sched_static;
	*chunk = omp_settings.chunk;
}

OMP_API omp_proc_bind_t omp_get_proc_bind(void)
{
	return omp_proc_bind_false;
}

OMP_API int omp_get_num_places(void)
{
	return 0;
}

OMP_API int omp_get_place_num(void)
{
	return -1;
}

OMP_API int omp_get_max_task_priority(void)
{
	return 0;
}

/* No device but the host. */
OMP_API int omp_get_num_devices(void)
{
	return 0;
}

OMP_API int omp_get_default_device(void)
{
	return 0;
}

OMP_API void omp_set_default_device(int device)
{
	(void)device;
}

OMP_API int omp_get_initial_device(void)
{
	return 0;
}

OMP_API int omp_is_initial_device(void)
{
	return 1;
}

OMP_API double omp_get_wtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

OMP_API double omp_get_wtick(void)
{
	return 1e-9;
}

/* Locks: the word is in the lock itself. */
OMP_API void omp_init_lock(omp_lock_t *l)
{
	l->lock = NULL;
}

OMP_API void omp_init_lock_with_hint(omp_lock_t *l, omp_sync_hint_t hint)
{
	(void)hint;
	omp_init_lock(l);
}

OMP_API void omp_destroy_lock(omp_lock_t *l)
{
	(void)l;
}

OMP_API void omp_set_lock(omp_lock_t *l)
{
	omp_lock_word((uint32_t *)(void *)l);
}

OMP_API void omp_unset_lock(omp_lock_t *l)
{
	omp_unlock_word((uint32_t *)(void *)l);
}

OMP_API int omp_test_lock(omp_lock_t *l)
{
	uint32_t free_word = 0;

	return __atomic_compare_exchange_n((uint32_t *)(void *)l, &free_word, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

struct nest_lock {
	uint32_t word;
	int32_t count;
	struct omp_task *owner;
};

OMP_API void omp_init_nest_lock(omp_nest_lock_t *l)
{
	l->lock = calloc(1, sizeof(struct nest_lock));
}

OMP_API void omp_init_nest_lock_with_hint(omp_nest_lock_t *l, omp_sync_hint_t hint)
{
	(void)hint;
	omp_init_nest_lock(l);
}

OMP_API void omp_destroy_nest_lock(omp_nest_lock_t *l)
{
	free(l->lock);
}

OMP_API void omp_set_nest_lock(omp_nest_lock_t *l)
{
	struct nest_lock *n = l->lock;
	struct omp_task *self = omp_thread()->task;

	if (__atomic_load_n(&n->owner, __ATOMIC_RELAXED) != self) {
		omp_lock_word(&n->word);
		__atomic_store_n(&n->owner, self, __ATOMIC_RELAXED);
	}
	n->count++;
}

OMP_API void omp_unset_nest_lock(omp_nest_lock_t *l)
{
	struct nest_lock *n = l->lock;

	if (--n->count)
		return;
	__atomic_store_n(&n->owner, NULL, __ATOMIC_RELAXED);
	omp_unlock_word(&n->word);
}

OMP_API int omp_test_nest_lock(omp_nest_lock_t *l)
{
	struct nest_lock *n = l->lock;
	struct omp_task *self = omp_thread()->task;

	if (__atomic_load_n(&n->owner, __ATOMIC_RELAXED) != self) {
		if (!omp_test_lock((omp_lock_t *)(void *)&n->word))
			return 0;
		__atomic_store_n(&n->owner, self, __ATOMIC_RELAXED);
	}
	return ++n->count;
}
