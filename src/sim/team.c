/* team.c - a team of threads, see team.h. Idle ones look for work for a while, then sleep in the kernel.
 *
 * The items of a step lie in a segment for each thread, with a ticket that says how many items it has and which is
 * next; whoever adds one to it has taken an item. A thread that comes late finds tickets of a later step, or used up
 * ones: it needs not know which step it is.
 */
#include "sim/team.h"

#include <fenv.h>
#include <glib.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/list.h"

enum {
	LOOKS = 64,	       /* at the step's number, between two looks at the clock */
	LOOK_NS = 50000,       /* that an idle thread looks for work: longer than what is done between two steps */
	/* Steps in which the others came too late, less those in which they helped, after which they are left alone.
	 * One in which somebody stood still in an item, for the host runs something else, counts for many. */
	LATE_MAX = 256, STOOD_STILL = 64,
	REST_MIN = 1024, REST_MAX = 1 << 17, /* steps for which they are; twice as many each time */
};

struct segment {
	_Alignas(HOST_LINE_BYTES) _Atomic uint64_t ticket; /* items << 32 | the next one */
	const uint32_t *items;
};

struct worker {
	struct sim_team *team;
	uint32_t index;
	pthread_t thread;
};

struct sim_team {
	struct segment *segments; /* [thread_count] */
	struct worker *workers;	  /* [thread_count]; 0 is the caller */
	uint32_t thread_count, item_count;
	uint32_t forks; /* when it was made: the child of a fork has no threads but its own */
	uint32_t late_count, rest, rest_next;
	sim_team_fn fn; /* of the step */
	void *ctx;
	_Alignas(HOST_LINE_BYTES) _Atomic uint32_t step; /* its number; a futex */
	_Atomic uint32_t sleeping;
	_Atomic bool ends;
	_Alignas(HOST_LINE_BYTES) _Atomic uint32_t done; /* items of the step */
};

static volatile uint32_t forks;

static void forked(void)
{
	forks++;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forked);
}

static inline void look_again(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- a step ---- */

/* Does what is left of the segment's items; returns how many. */
static uint32_t segment_do(struct sim_team *t, struct segment *s)
{
	uint32_t count = 0;

	for (;; count++) {
		uint64_t ticket = atomic_load_explicit(&s->ticket, memory_order_relaxed);

		if ((uint32_t)ticket >= ticket >> 32)
			return count;
		ticket = atomic_fetch_add_explicit(&s->ticket, 1, memory_order_acq_rel);
		if ((uint32_t)ticket >= ticket >> 32)
			return count;
		t->fn(t->ctx, s->items[(uint32_t)ticket]);
	}
}

/* Thread number `first` does what it finds, its own first. */
static uint32_t step_do(struct sim_team *t, uint32_t first)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->thread_count; i++)
		count += segment_do(t, &t->segments[(first + i) % t->thread_count]);
	if (count)
		atomic_fetch_add_explicit(&t->done, count, memory_order_release);
	return count;
}

/* ---- the other threads ---- */

static void sleep_until_after(struct sim_team *t, uint32_t step)
{
	atomic_fetch_add(&t->sleeping, 1);
	syscall(SYS_futex, &t->step, FUTEX_WAIT_PRIVATE, step, NULL, NULL, 0);
	atomic_fetch_sub(&t->sleeping, 1);
}

/* Returns the number of a step after this one. */
static uint32_t wait_for_step(struct sim_team *t, uint32_t step)
{
	uint64_t since_ns = now_ns();

	for (uint32_t looks = 1;; looks++) {
		const uint32_t now = atomic_load_explicit(&t->step, memory_order_acquire);

		if (now != step)
			return now;
		if (looks % LOOKS == 0 && now_ns() - since_ns > LOOK_NS) {
			sleep_until_after(t, step);
			since_ns = now_ns();
		}
		look_again();
	}
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	struct sim_team *t = w->team;
	uint32_t step = 0;

	fesetenv(FE_DFL_ENV); /* as machine_run_launch has it: not what the thread that made this one had */
	while (!atomic_load(&t->ends)) {
		step = wait_for_step(t, step);
		step_do(t, w->index);
	}
	return NULL;
}

/* ---- the caller ---- */

static void step_begin(struct sim_team *t)
{
	atomic_fetch_add(&t->step, 1);
	if (atomic_load(&t->sleeping))
		syscall(SYS_futex, &t->step, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* Each thread's items, one segment after the other. */
static void segments_fill(struct sim_team *t, const uint32_t *items, uint32_t count)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < t->thread_count; i++) {
		const uint64_t end = ((uint64_t)(i + 1) * t->item_count + t->thread_count - 1) / t->thread_count;
		uint32_t n = 0;

		while (first + n < count && items[first + n] < end)
			n++;
		t->segments[i].items = items + first;
		atomic_store_explicit(&t->segments[i].ticket, (uint64_t)n << 32, memory_order_release);
		first += n;
	}
	CHECK(first == count);
}

static void run_alone(const uint32_t *items, uint32_t count, sim_team_fn fn, void *ctx)
{
	for (uint32_t i = 0; i < count; i++)
		fn(ctx, items[i]);
}

static void note_help(struct sim_team *t, bool is_helped, bool has_stood_still)
{
	if (is_helped && !has_stood_still) {
		t->late_count -= t->late_count != 0;
		if (!t->late_count)
			t->rest_next = REST_MIN;
		return;
	}
	t->late_count += has_stood_still ? STOOD_STILL : 1;
	if (t->late_count >= LATE_MAX) {
		t->late_count = 0;
		t->rest = t->rest_next;
		t->rest_next = t->rest_next < REST_MAX ? 2 * t->rest_next : REST_MAX;
	}
}

void sim_team_run(struct sim_team *t, const uint32_t *items, uint32_t count, sim_team_fn fn, void *ctx)
{
	uint32_t mine, looks = 1;

	if (t->rest || unlikely(t->forks != forks)) {
		t->rest -= t->rest != 0;
		run_alone(items, count, fn, ctx);
		return;
	}
	t->fn = fn;
	t->ctx = ctx;
	atomic_store_explicit(&t->done, 0, memory_order_relaxed);
	segments_fill(t, items, count);
	step_begin(t);
	mine = step_do(t, 0);
	for (; atomic_load_explicit(&t->done, memory_order_acquire) != count; looks++) {
		look_again();
		if (looks % (LOOKS * LOOKS) == 0)
			sched_yield();
	}
	note_help(t, mine != count, looks > LOOKS * LOOKS);
}

/* ---- its life ---- */

/* Signals are the program's: its own threads take them; but those of what a worker does itself. */
static bool workers_start(struct sim_team *t)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
	sigset_t all, before;
	uint32_t started = 1;

	sigfillset(&all);
	for (uint32_t i = 0; i < ARRAY_COUNT(own); i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; started < t->thread_count; started++) {
		struct worker *w = &t->workers[started];

		*w = (struct worker){.team = t, .index = started};
		if (pthread_create(&w->thread, NULL, work, w))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	t->thread_count = started;
	return started > 1;
}

struct sim_team *sim_team_new(uint32_t thread_count, uint32_t item_count)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct sim_team *t = aligned_alloc(HOST_LINE_BYTES, sizeof(*t));

	CHECK(t && thread_count >= 2 && thread_count <= SIM_TEAM_MAX);
	pthread_once(&once, watch_forks);
	*t = (struct sim_team){.thread_count = thread_count, .item_count = item_count, .rest_next = REST_MIN};
	t->forks = forks;
	t->segments = aligned_alloc(HOST_LINE_BYTES, thread_count * sizeof(*t->segments));
	CHECK(t->segments);
	for (uint32_t i = 0; i < thread_count; i++)
		t->segments[i] = (struct segment){0};
	t->workers = g_new0(struct worker, thread_count);
	if (workers_start(t))
		return t;
	sim_team_free(t);
	return NULL;
}

uint32_t sim_team_threads(const struct sim_team *t)
{
	return t->thread_count;
}

void sim_team_free(struct sim_team *t)
{
	if (!t)
		return;
	atomic_store(&t->ends, true);
	step_begin(t);
	for (uint32_t i = 1; i < t->thread_count && t->forks == forks; i++)
		pthread_join(t->workers[i].thread, NULL);
	g_free(t->workers);
	free(t->segments);
	free(t);
}
