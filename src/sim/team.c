/* team.c - a team of threads, see team.h. Idle ones look for work for a while, then sleep in the kernel.
 *
 * The items of a step lie in a share for each thread, with a ticket that says how many items it has and which is next;
 * whoever adds one to it has taken an item. A thread that comes late finds the ticket of a later step, or a used up
 * one: it needs not know which step it is.
 *
 * What two threads write lies in lines of its own: the caller writes a share, its thread takes it and says in another
 * line how many items it has done since it lives. So a step moves a line to each thread and one back.
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
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/list.h"

enum {
	LOOKS = 64, /* for work, or for others to be done, between two looks at the clock */
	/* That an idle thread looks for work before it sleeps, as far as it runs: a look that took longer than LOOKS_NS
	 * was not all its own, for the host ran something else meanwhile. To wake it takes the caller some 10 us. */
	LOOK_NS = 500000, LOOKS_NS = 10000,
	/* Between a thread that is not done when the caller is, and the caller's doing what that one has not begun. */
	PATIENCE_NS = 10000,
	YIELD = LOOKS * LOOKS,
	/* Trials: so many windows with the others and without in turns; and for how long the better way is then kept,
	 * twice as long each time. Between two steps there may be anything: at most GAP_MAX_NS of it counts. */
	WINDOW_NS = 2000000, TRIAL_WINDOWS = 6, GAP_MAX_NS = 100000,
	KEEP_MIN_NS = 64000000, KEEP_MAX_NS = 2000000000,
	GAIN_LEAST = 50, /* the others are worth it where they save one part in so many */
	KEPT_LOOKS = 64, /* steps between two looks at the clock while a way is kept */
};

struct share {
	_Alignas(HOST_LINE_BYTES) _Atomic uint64_t ticket; /* items << 32 | the next one */
	_Atomic uint32_t is_sleeping;			   /* its thread; a futex */
	uint16_t items[];				   /* few of them lie in the first line */
};

struct done {
	_Alignas(HOST_LINE_BYTES) _Atomic uint32_t count; /* by the thread, since it lives */
};

/* Which way is faster: the items of many steps by the time that they take, between them included. */
struct trial {
	bool is_alone;	      /* the caller does all now */
	uint32_t windows;     /* of the trial that are over; TRIAL_WINDOWS: none is under way */
	uint64_t ns[2];	      /* [is_alone]: of the trial */
	uint64_t items[2];
	uint64_t begin_ns, end_ns; /* of the last step */
	uint64_t window_ns;   /* of this window */
	uint64_t keep_ns, kept_until_ns;
	uint32_t kept_steps;
};

struct worker {
	struct sim_team *team;
	uint32_t index;
	pthread_t thread;
};

struct sim_team {
	/* What all look at, and what does not change in a step. */
	struct share **shares;	/* [thread_count] */
	struct done *done;	/* [thread_count] */
	struct worker *workers; /* [thread_count]; 0 is the caller */
	uint32_t *wanted;	/* [thread_count]: its done.count when the step is done */
	uint32_t *counts;	/* [thread_count]: items of the step in each share */
	uint16_t *found;	/* [thread_count][item_count]: them */
	uint32_t item_count, thread_count, made_count; /* made_count: of arrays */
	uint32_t forks; /* when it was made: the child of a fork has no threads but its own */
	sim_team_fn fn; /* of the step */
	void *ctx;
	_Atomic bool ends;
	_Alignas(HOST_LINE_BYTES) struct trial trial;
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

static inline bool has_items(struct share *s, memory_order order)
{
	const uint64_t ticket = atomic_load_explicit(&s->ticket, order);

	return (uint32_t)ticket < ticket >> 32;
}

/* Does what is left of the share's items; returns how many. */
static uint32_t share_do(struct sim_team *t, struct share *s, uint32_t thread)
{
	uint32_t count = 0;

	for (; has_items(s, memory_order_relaxed); count++) {
		const uint64_t ticket = atomic_fetch_add_explicit(&s->ticket, 1, memory_order_acq_rel);

		if ((uint32_t)ticket >= ticket >> 32)
			break;
		t->fn(t->ctx, thread, s->items[(uint32_t)ticket]);
	}
	return count;
}

/* ---- the other threads ---- */

static void sleep_until_woken(struct sim_team *t, struct share *s)
{
	atomic_store(&s->is_sleeping, 1);
	if (!has_items(s, memory_order_seq_cst) && !atomic_load(&t->ends))
		syscall(SYS_futex, &s->is_sleeping, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	atomic_store(&s->is_sleeping, 0);
}

static void wait_for_items(struct sim_team *t, struct share *s)
{
	uint64_t last_ns = now_ns(), looked_ns = 0;

	for (uint32_t looks = 1; !has_items(s, memory_order_relaxed) && !atomic_load(&t->ends); looks++) {
		look_again();
		if (looks % LOOKS == 0) {
			const uint64_t ns = now_ns();

			looked_ns += MIN(ns - last_ns, LOOKS_NS);
			last_ns = ns;
		}
		if (looked_ns > LOOK_NS) {
			sleep_until_woken(t, s);
			looked_ns = 0;
		}
	}
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	struct sim_team *t = w->team;
	struct share *s = t->shares[w->index];

	fesetenv(FE_DFL_ENV); /* as machine_run_launch has it: not what the thread that made this one had */
	while (!atomic_load(&t->ends)) {
		const uint32_t count = share_do(t, s, w->index);

		if (count)
			atomic_fetch_add_explicit(&t->done[w->index].count, count, memory_order_release);
		else
			wait_for_items(t, s);
	}
	return NULL;
}

/* ---- the caller ---- */

static void trial_begin(struct trial *t)
{
	t->windows = 0;
	t->window_ns = 0;
	t->ns[0] = t->ns[1] = t->items[0] = t->items[1] = 0;
}

/* The better way is kept, and for longer if it is the one that was. */
static void trial_end(struct trial *t, bool was_alone)
{
	const double with = (double)t->ns[0] * (double)t->items[1], without = (double)t->ns[1] * (double)t->items[0];

	t->is_alone = with > without - without / GAIN_LEAST;
	t->keep_ns = t->is_alone == was_alone ? MIN(2 * t->keep_ns, KEEP_MAX_NS) : KEEP_MIN_NS;
	t->kept_until_ns = t->end_ns + t->keep_ns;
}

static void trial_step_begins(struct trial *t)
{
	t->begin_ns = now_ns();
	t->window_ns += MIN(t->begin_ns - t->end_ns, GAP_MAX_NS);
}

static void trial_step_ends(struct trial *t, uint32_t items)
{
	t->end_ns = now_ns();
	t->window_ns += t->end_ns - t->begin_ns;
	t->items[t->is_alone] += items;
	if (t->window_ns < WINDOW_NS)
		return;
	t->ns[t->is_alone] += t->window_ns;
	t->window_ns = 0;
	t->is_alone = !t->is_alone;
	if (++t->windows == TRIAL_WINDOWS)
		trial_end(t, t->is_alone); /* an even number of them: as it was before the first */
}

/* The way is kept: until when? */
static void kept_step_ends(struct trial *t)
{
	if (++t->kept_steps % KEPT_LOOKS)
		return;
	t->end_ns = now_ns();
	if (t->end_ns > t->kept_until_ns)
		trial_begin(t);
}

static void wake(struct share *s)
{
	atomic_store(&s->is_sleeping, 0);
	syscall(SYS_futex, &s->is_sleeping, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* An item's home is its number modulo the threads: where few of many clusters have work, each thread has some. */
static void homes_find(struct sim_team *t, const uint32_t *items, uint32_t count)
{
	for (uint32_t i = 0; i < t->thread_count; i++)
		t->counts[i] = 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t home = items[i] % t->thread_count;

		t->found[home * t->item_count + t->counts[home]++] = (uint16_t)items[i];
	}
}

/* Each thread's share at one stroke: the thread looks at that line all the time. */
static void shares_give(struct sim_team *t)
{
	for (uint32_t i = 1; i < t->thread_count; i++) {
		struct share *s = t->shares[i];

		if (!t->counts[i])
			continue;
		t->wanted[i] += t->counts[i];
		memcpy(s->items, &t->found[i * t->item_count], t->counts[i] * sizeof(*s->items));
		atomic_store(&s->ticket, (uint64_t)t->counts[i] << 32);
		if (unlikely(atomic_load(&s->is_sleeping)))
			wake(s);
	}
}

static inline bool is_done(const struct sim_team *t, uint32_t thread)
{
	return atomic_load_explicit(&t->done[thread].count, memory_order_acquire) == t->wanted[thread];
}

/* The thread has not come in time: what it has not begun is no more left to it. */
static void do_without(struct sim_team *t, uint32_t thread)
{
	t->wanted[thread] -= share_do(t, t->shares[thread], 0);
	for (uint32_t looks = 1; !is_done(t, thread); looks++) {
		look_again();
		if (looks % YIELD == 0)
			sched_yield();
	}
}

static void wait_for(struct sim_team *t, uint32_t thread)
{
	uint64_t begin_ns = 0;

	for (uint32_t looks = 1; !is_done(t, thread); looks++) {
		look_again();
		if (looks == LOOKS)
			begin_ns = now_ns();
		if (unlikely(looks % LOOKS == 0 && now_ns() - begin_ns > PATIENCE_NS)) {
			do_without(t, thread);
			return;
		}
	}
}

static void run_alone(const uint32_t *items, uint32_t count, sim_team_fn fn, void *ctx)
{
	for (uint32_t i = 0; i < count; i++)
		fn(ctx, 0, items[i]);
}

static void run_together(struct sim_team *t, const uint32_t *items, uint32_t count, sim_team_fn fn, void *ctx)
{
	if (t->fn != fn || t->ctx != ctx) { /* else a line that all look at would be written */
		t->fn = fn;
		t->ctx = ctx;
	}
	homes_find(t, items, count);
	shares_give(t);
	for (uint32_t i = 0; i < t->counts[0]; i++)
		fn(ctx, 0, t->found[i]);
	for (uint32_t i = 1; i < t->thread_count; i++)
		wait_for(t, i);
}

void sim_team_run(struct sim_team *t, const uint32_t *items, uint32_t count, sim_team_fn fn, void *ctx)
{
	const bool is_tried = t->trial.windows < TRIAL_WINDOWS;

	if (unlikely(t->forks != forks)) {
		run_alone(items, count, fn, ctx);
		return;
	}
	if (unlikely(is_tried))
		trial_step_begins(&t->trial);
	if (t->trial.is_alone)
		run_alone(items, count, fn, ctx);
	else
		run_together(t, items, count, fn, ctx);
	if (unlikely(is_tried))
		trial_step_ends(&t->trial, count);
	else
		kept_step_ends(&t->trial);
}

void sim_team_run_long(struct sim_team *t, const uint32_t *items, uint32_t count, sim_team_fn fn, void *ctx)
{
	if (unlikely(t->forks != forks))
		run_alone(items, count, fn, ctx);
	else
		run_together(t, items, count, fn, ctx);
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

/* Zeroed, in lines that hold nothing else. */
static void *lines_new(size_t bytes)
{
	const size_t whole = (bytes + HOST_LINE_BYTES - 1) / HOST_LINE_BYTES * HOST_LINE_BYTES;
	void *lines = aligned_alloc(HOST_LINE_BYTES, whole);

	CHECK(lines);
	return memset(lines, 0, whole);
}

struct sim_team *sim_team_new(uint32_t thread_count, uint32_t item_count)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct sim_team *t = lines_new(sizeof(*t));

	CHECK(item_count <= UINT16_MAX && thread_count >= 2 && thread_count <= SIM_TEAM_MAX);
	pthread_once(&once, watch_forks);
	*t = (struct sim_team){.item_count = item_count, .thread_count = thread_count};
	t->forks = forks;
	t->trial = (struct trial){.end_ns = now_ns(), .keep_ns = KEEP_MIN_NS};
	t->shares = g_new(struct share *, thread_count);
	for (uint32_t i = 0; i < thread_count; i++)
		t->shares[i] = lines_new(sizeof(struct share) + item_count * sizeof(uint16_t));
	t->done = lines_new(thread_count * sizeof(*t->done));
	t->made_count = thread_count;
	t->wanted = g_new0(uint32_t, thread_count);
	t->counts = g_new0(uint32_t, thread_count);
	t->found = g_new0(uint16_t, (size_t)thread_count * item_count);
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
	for (uint32_t i = 1; i < t->thread_count && t->forks == forks; i++) {
		if (atomic_load(&t->shares[i]->is_sleeping))
			wake(t->shares[i]);
		pthread_join(t->workers[i].thread, NULL);
	}
	for (uint32_t i = 0; i < t->made_count; i++)
		free(t->shares[i]);
	g_free(t->workers);
	g_free(t->wanted);
	g_free(t->counts);
	g_free(t->found);
	g_free(t->shares);
	free(t->done);
	free(t);
}
