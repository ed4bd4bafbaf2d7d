/* task.c - tasks: one queue per team, last in first out; groups, dependences, loops of tasks. */
#include "threads/omp/omp_rt.h"

#include <stdlib.h>
#include <string.h>

typedef int32_t task_code(int32_t global, void *task);

/* What clang's code knows of a task; its private variables follow. */
struct kmp_task {
	void *shareds;
	task_code *code;
	int32_t part;
	union {
		int32_t priority;
		task_code *destructors;
	} data[2];
};

struct dependence {
	intptr_t address;
	size_t bytes;
	uint8_t flags; /* 1: in, 2: out, 4: mutexinoutset, 8: inoutset */
};

enum { FLAG_FINAL = 2, FLAG_DESTRUCTORS = 8, QUEUE_PER_THREAD = 64 };

struct omp_group {
	struct omp_group *outer;
	uint32_t count; /* tasks that have not finished */
};

struct edge {
	struct omp_task *to;
	struct edge *next;
};

struct omp_task {
	struct omp_task *parent;
	struct omp_task *next;   /* in the queue */
	struct omp_group *group; /* that its children belong to */
	struct omp_group *member_of;
	uint32_t children;   /* not finished */
	uint32_t references; /* itself, and its children: memory goes with the last */
	uint32_t flags;
	size_t bytes; /* of task and what follows */
	bool is_final;
	/* dependences: of the children on each other, under the team's lock */
	struct omp_task *dependents, *dependent_next; /* children with dependences that have not finished */
	struct dependence *needs;
	uint32_t need_count;
	uint32_t blockers; /* tasks that must finish before */
	struct edge *followers;
	struct kmp_task task __attribute__((aligned(16)));
};

_Static_assert(sizeof(struct omp_task) <= OMP_TASK_BYTES, "an implicit task has room");

static struct omp_task *of(struct kmp_task *task)
{
	return (struct omp_task *)((char *)task - offsetof(struct omp_task, task));
}

void omp_task_begin_region(struct omp_thread *t)
{
	if (t->task)
		memset(t->task, 0, sizeof(*t->task));
	else
		t->task = calloc(1, sizeof(*t->task));
	t->task->references = 1;
}

static void drop(struct omp_task *t)
{
	if (__atomic_sub_fetch(&t->references, 1, __ATOMIC_ACQ_REL))
		return;
	free(t->needs);
	free(t);
}

void omp_task_end_region(struct omp_thread *t)
{
	drop(t->task);
	t->task = NULL;
}

static void push(struct omp_team *team, struct omp_task *t)
{
	omp_lock_word(&team->task_lock);
	t->next = team->first;
	team->first = t;
	__atomic_store_n(&team->queued, team->queued + 1, __ATOMIC_RELAXED);
	omp_unlock_word(&team->task_lock);
	omp_event(team);
}

static struct omp_task *pop(struct omp_team *team)
{
	struct omp_task *t;

	if (!__atomic_load_n(&team->queued, __ATOMIC_ACQUIRE))
		return NULL;
	omp_lock_word(&team->task_lock);
	t = team->first;
	if (t) {
		team->first = t->next;
		__atomic_store_n(&team->queued, team->queued - 1, __ATOMIC_RELAXED);
	}
	omp_unlock_word(&team->task_lock);
	return t;
}

/* Those that waited for it alone can begin. */
static void release_followers(struct omp_team *team, struct omp_task *t)
{
	struct omp_task **at, *ready = NULL;

	omp_lock_word(&team->task_lock);
	for (at = &t->parent->dependents; *at != t; at = &(*at)->dependent_next)
		;
	*at = t->dependent_next;
	for (struct edge *e = t->followers, *next; e; e = next) {
		next = e->next;
		if (!--e->to->blockers) {
			e->to->next = ready;
			ready = e->to;
		}
		free(e);
	}
	omp_unlock_word(&team->task_lock);
	for (struct omp_task *next; ready; ready = next) {
		next = ready->next;
		push(team, ready);
	}
}

static void finish(struct omp_thread *self, struct omp_task *t)
{
	struct omp_team *team = self->team;
	struct omp_task *parent = t->parent;

	if (t->need_count)
		release_followers(team, t);
	if (t->member_of)
		__atomic_fetch_sub(&t->member_of->count, 1, __ATOMIC_ACQ_REL);
	__atomic_fetch_sub(&parent->children, 1, __ATOMIC_ACQ_REL);
	drop(t);
	drop(parent);
	/* Behind it the region may end, and its threads use their implicit tasks for the next one. */
	__atomic_fetch_sub(&team->task_count, 1, __ATOMIC_ACQ_REL);
	if (team->count > 1)
		omp_event(team);
}

static void execute(struct omp_thread *self, struct omp_task *t)
{
	struct omp_task *before = self->task;

	self->task = t;
	t->task.code(self->global, &t->task);
	if (t->flags & FLAG_DESTRUCTORS)
		t->task.data[0].destructors(self->global, &t->task);
	self->task = before;
	finish(self, t);
}

bool omp_task_run_one(struct omp_thread *self)
{
	struct omp_task *t = pop(self->team);

	if (t)
		execute(self, t);
	return t;
}

OMP_API struct kmp_task *__kmpc_omp_task_alloc(ident_t *loc, int32_t global, int32_t flags, size_t bytes,
					       size_t shared_bytes, task_code *code)
{
	struct omp_task *parent = omp_thread()->task, *t;
	size_t all = (bytes + 15) & ~(size_t)15;

	(void)loc;
	(void)global;
	t = calloc(1, offsetof(struct omp_task, task) + all + shared_bytes);
	if (!t)
		omp_missing("a task without memory");
	t->parent = parent;
	t->references = 1;
	t->flags = (uint32_t)flags;
	t->bytes = all + shared_bytes;
	t->is_final = flags & FLAG_FINAL || parent->is_final;
	t->task.shareds = shared_bytes ? (char *)&t->task + all : NULL;
	t->task.code = code;
	return &t->task;
}

OMP_API struct kmp_task *__kmpc_omp_target_task_alloc(ident_t *loc, int32_t global, int32_t flags, size_t bytes,
						      size_t shared_bytes, task_code *code, int64_t device)
{
	(void)device;
	return __kmpc_omp_task_alloc(loc, global, flags, bytes, shared_bytes, code);
}

static struct omp_group *group_of(struct omp_task *t)
{
	return t->group ? t->group : t->member_of;
}

/* The task is one of the team's from now on. */
static void count_in(struct omp_thread *self, struct omp_task *t)
{
	t->member_of = group_of(self->task);
	if (t->member_of)
		__atomic_fetch_add(&t->member_of->count, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&self->task->references, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&self->task->children, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&self->team->task_count, 1, __ATOMIC_RELAXED);
}

static void begin(struct omp_thread *self, struct omp_task *t)
{
	struct omp_team *team = self->team;

	if (team->count == 1 || self->task->is_final ||
	    __atomic_load_n(&team->queued, __ATOMIC_RELAXED) > QUEUE_PER_THREAD * team->count)
		execute(self, t);
	else
		push(team, t);
}

OMP_API int32_t __kmpc_omp_task(ident_t *loc, int32_t global, struct kmp_task *task)
{
	struct omp_thread *self = omp_thread();

	(void)loc;
	(void)global;
	count_in(self, of(task));
	begin(self, of(task));
	return 0;
}

/* A task that its creator executes at once: if (false). */
OMP_API void __kmpc_omp_task_begin_if0(ident_t *loc, int32_t global, struct kmp_task *task)
{
	struct omp_thread *self = omp_thread();

	(void)loc;
	(void)global;
	count_in(self, of(task));
	self->task = of(task);
}

OMP_API void __kmpc_omp_task_complete_if0(ident_t *loc, int32_t global, struct kmp_task *task)
{
	struct omp_thread *self = omp_thread();

	(void)loc;
	(void)global;
	self->task = of(task)->parent;
	finish(self, of(task));
}

/* Until the counter is 0, with other tasks meanwhile. */
static void wait_for(struct omp_thread *self, const uint32_t *count)
{
	for (;;) {
		uint32_t seen = omp_event_now(self->team);

		if (!__atomic_load_n(count, __ATOMIC_ACQUIRE))
			return;
		if (!omp_task_run_one(self))
			omp_event_wait(self->team, seen);
	}
}

OMP_API int32_t __kmpc_omp_taskwait(ident_t *loc, int32_t global)
{
	struct omp_thread *self = omp_thread();

	(void)loc;
	(void)global;
	wait_for(self, &self->task->children);
	return 0;
}

OMP_API int32_t __kmpc_omp_taskyield(ident_t *loc, int32_t global, int32_t end)
{
	(void)loc;
	(void)global;
	(void)end;
	omp_task_run_one(omp_thread());
	return 0;
}

OMP_API void __kmpc_taskgroup(ident_t *loc, int32_t global)
{
	struct omp_task *t = omp_thread()->task;
	struct omp_group *g = calloc(1, sizeof(*g));

	(void)loc;
	(void)global;
	g->outer = t->group;
	t->group = g;
}

OMP_API void __kmpc_end_taskgroup(ident_t *loc, int32_t global)
{
	struct omp_thread *self = omp_thread();
	struct omp_group *g = self->task->group;

	(void)loc;
	(void)global;
	wait_for(self, &g->count);
	self->task->group = g->outer;
	free(g);
}

/* Dependences: a task waits for each earlier child of the same parent that names an address that it names, too, unless
 * both only read it. */
static bool must_wait(const struct dependence *a, uint32_t a_count, const struct dependence *b, uint32_t b_count)
{
	for (uint32_t i = 0; i < a_count; i++)
		for (uint32_t k = 0; k < b_count; k++)
			if (a[i].address == b[k].address && !(a[i].flags == 1 && b[k].flags == 1))
				return true;
	return false;
}

OMP_API int32_t __kmpc_omp_task_with_deps(ident_t *loc, int32_t global, struct kmp_task *task, int32_t count,
					  struct dependence *list, int32_t more_count, struct dependence *more)
{
	struct omp_thread *self = omp_thread();
	struct omp_task *t = of(task);
	bool is_blocked;

	(void)loc;
	(void)global;
	t->need_count = (uint32_t)(count + more_count);
	t->needs = malloc((t->need_count + 1) * sizeof(*t->needs));
	memcpy(t->needs, list, (size_t)count * sizeof(*list));
	if (more_count)
		memcpy(t->needs + count, more, (size_t)more_count * sizeof(*more));
	count_in(self, t);
	if (!t->need_count) {
		begin(self, t);
		return 0;
	}
	omp_lock_word(&self->team->task_lock);
	for (struct omp_task *other = t->parent->dependents; other; other = other->dependent_next)
		if (must_wait(t->needs, t->need_count, other->needs, other->need_count)) {
			struct edge *e = malloc(sizeof(*e));

			*e = (struct edge){t, other->followers};
			other->followers = e;
			t->blockers++;
		}
	t->dependent_next = t->parent->dependents;
	t->parent->dependents = t;
	is_blocked = t->blockers;
	omp_unlock_word(&self->team->task_lock);
	if (!is_blocked)
		begin(self, t);
	return 0;
}

OMP_API void __kmpc_omp_wait_deps(ident_t *loc, int32_t global, int32_t count, struct dependence *list,
				  int32_t more_count, struct dependence *more)
{
	struct omp_thread *self = omp_thread();
	struct omp_team *team = self->team;

	(void)loc;
	(void)global;
	for (;;) {
		uint32_t seen = omp_event_now(team);
		bool is_waiting = false;

		omp_lock_word(&team->task_lock);
		for (struct omp_task *t = self->task->dependents; t && !is_waiting; t = t->dependent_next)
			is_waiting = must_wait(list, (uint32_t)count, t->needs, t->need_count) ||
				     (more_count && must_wait(more, (uint32_t)more_count, t->needs, t->need_count));
		omp_unlock_word(&team->task_lock);
		if (!is_waiting)
			return;
		if (!omp_task_run_one(self))
			omp_event_wait(team, seen);
	}
}

OMP_API void __kmpc_omp_taskwait_deps_51(ident_t *loc, int32_t global, int32_t count, struct dependence *list,
					 int32_t more_count, struct dependence *more, int32_t is_nowait)
{
	(void)is_nowait;
	__kmpc_omp_wait_deps(loc, global, count, list, more_count, more);
}

/* A loop of tasks: each is a copy of the first with bounds of its own. */
OMP_API void __kmpc_taskloop(ident_t *loc, int32_t global, struct kmp_task *task, int32_t is_deferred, uint64_t *lower,
			     uint64_t *upper, int64_t step, int32_t no_group, int32_t kind, uint64_t size,
			     void (*copy)(struct kmp_task *, struct kmp_task *, int32_t))
{
	struct omp_thread *self = omp_thread();
	struct omp_task *pattern = of(task);
	size_t lower_at = (size_t)((char *)lower - (char *)task), upper_at = (size_t)((char *)upper - (char *)task);
	int64_t first = (int64_t)*lower, last = (int64_t)*upper;
	uint64_t count = step > 0 ? (last < first ? 0 : (uint64_t)(last - first) / (uint64_t)step + 1)
				  : (first < last ? 0 : (uint64_t)(first - last) / (uint64_t)-step + 1);
	uint64_t parts = kind == 1 ? count / (size ? size : 1) : kind == 2 ? size : 4ull * self->team->count;

	if (parts > count)
		parts = count;
	if (!parts)
		parts = count ? 1 : 0;
	if (!no_group)
		__kmpc_taskgroup(loc, global);
	for (uint64_t part = 0, from = 0; part < parts; part++) {
		uint64_t length = count / parts + (part < count % parts);
		struct omp_task *t = calloc(1, offsetof(struct omp_task, task) + pattern->bytes);

		memcpy(t, pattern, offsetof(struct omp_task, task) + pattern->bytes);
		if (t->task.shareds)
			t->task.shareds = (char *)&t->task + ((char *)task->shareds - (char *)task);
		t->references = 1;
		*(int64_t *)(void *)((char *)&t->task + lower_at) = first + (int64_t)from * step;
		from += length;
		*(int64_t *)(void *)((char *)&t->task + upper_at) = first + (int64_t)(from - 1) * step;
		if (copy)
			copy(&t->task, task, part + 1 == parts);
		count_in(self, t);
		if (is_deferred)
			begin(self, t);
		else
			execute(self, t);
	}
	drop(pattern);
	if (!no_group)
		__kmpc_end_taskgroup(loc, global);
}

OMP_API int omp_in_final(void)
{
	return omp_thread()->task->is_final;
}

OMP_API void *__kmpc_taskred_init(int32_t global, int32_t count, void *data)
{
	(void)global;
	(void)count;
	(void)data;
	omp_missing("a reduction over tasks");
}

OMP_API void *__kmpc_taskred_modifier_init(ident_t *loc, int32_t global, int32_t is_ws, int32_t count, void *data)
{
	(void)loc;
	(void)is_ws;
	return __kmpc_taskred_init(global, count, data);
}

OMP_API void *__kmpc_task_reduction_get_th_data(int32_t global, void *group, void *data)
{
	(void)group;
	return __kmpc_taskred_init(global, 0, data);
}

OMP_API void *__kmpc_task_allow_completion_event(ident_t *loc, int32_t global, struct kmp_task *task)
{
	(void)loc;
	(void)global;
	(void)task;
	omp_missing("a detached task");
}
