/* omp_rt.h - the OpenMP runtime, as programs built by strata cc have it: what clang's code calls (__kmpc_*) and what
 * programs call (omp_*).
 *
 * It is compiled with strata cc itself, so that regions, barriers, loops and tasks cost what they execute. It stands on
 * pthread_create and on two calls for waiting: those of the simulator, or the futex system call natively.
 */
#ifndef STRATA_THREADS_OMP_RT_H
#define STRATA_THREADS_OMP_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "threads/include/omp.h"

#define OMP_API __attribute__((visibility("default")))

enum {
	OMP_LOOPS = 8,  /* loops without barriers by which a thread can be ahead */
	OMP_SPINS = 32, /* looks before a thread sleeps */
	OMP_ARGS_MAX = 64,
	OMP_TASK_BYTES = 256 /* room for an implicit task */
};

typedef struct ident {
	int32_t reserved_1, flags, reserved_2, reserved_3;
	const char *source;
} ident_t;
enum { IDENT_ATOMIC_REDUCE = 0x10 };

/* A loop that hands out its iterations while it runs. */
struct omp_loop {
	uint32_t number;  /* which of the team's loops it is for */
	uint32_t done;    /* threads that have no more of it */
	uint64_t next;    /* iteration, or chunk */
	uint64_t ordered; /* iterations whose ordered part is over */
};

struct omp_task;
struct omp_group;

struct omp_team {
	uint32_t count;
	struct omp_thread *master; /* its context outside of the region */
	uint64_t wish;             /* where it wants the others: see rt/place.c */
	uint32_t event, has_slept; /* raised when something happened that a thread may wait for */
	struct crew *crew;      /* its threads but the first; NULL: none */
	struct omp_node *nodes; /* of its barrier */
	uint32_t generation, left;
	uint32_t single;
	void *copy; /* of copyprivate */
	void (*code)();
	void **args;
	uint32_t arg_count;
	struct omp_loop loops[OMP_LOOPS];
	/* tasks */
	uint32_t task_lock, task_count; /* not finished */
	uint32_t queued;
	struct omp_task *first;
};

/* A thread in a region: its context. */
struct omp_thread {
	struct omp_team *team;
	struct omp_thread *outer; /* of the master, in the region around */
	int32_t number, global;
	int32_t level, active_level;
	int32_t thread_count, next_thread_count; /* for regions inside; of the next only, 0: as thread_count */
	uint32_t single, loop;                   /* how many it has come by */
	bool is_reduce_locked;
	struct omp_task *task; /* that it executes; the implicit one at first */
	/* the loop that it is in */
	struct omp_loop *shared;
	int32_t schedule;
	uint64_t iteration_count, chunk, position, ordered_from;
	int64_t first, step;
	bool is_ordered_done;
};

extern __thread struct omp_thread *omp_self;

struct omp_settings {
	int32_t thread_count[8], thread_count_levels;
	int32_t max_active_levels, thread_limit;
	int32_t schedule, chunk; /* of schedule(runtime) */
	bool is_dynamic;
};
extern struct omp_settings omp_settings;

/* parallel.c */
struct omp_thread *omp_thread(void); /* of the caller, which may be no thread of ours */
void omp_barrier(struct omp_thread *self);
void omp_event(struct omp_team *team);
uint32_t omp_event_now(struct omp_team *team);
void omp_event_wait(struct omp_team *team, uint32_t seen);
_Noreturn void omp_missing(const char *what);

/* sync.c */
void omp_lock_word(uint32_t *word);
void omp_unlock_word(uint32_t *word);

/* task.c */
bool omp_task_run_one(struct omp_thread *self);
void omp_task_begin_region(struct omp_thread *t); /* t->task: memory for it, or NULL */
void omp_task_end_region(struct omp_thread *t);

#endif
