/* team.c - a team of threads, see team.h. Idle ones look for work for a while, then sleep in the kernel.
 *
 * The items of a step lie in a share for each thread, with a ticket that says how many items it has and which is next;
 * whoever adds one to it has taken an item. A thread that comes late finds the ticket of a later step, or a used up
 * one: it needs not know which step it is.
 *
 * What two threads write lies in lines of its own: the caller writes a share, its thread takes it and says in another
 * line how many items it has done since it lives. So a step moves three lines to each thread and one back.
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
	LOOKS = 64, /* for work, or for others to be done, between two looks at the clock */
	/* That an idle thread looks for work before it sleeps, as far as it runs: a look that took longer than LOOKS_NS
	 * was not all its own, for the host ran something else meanwhile. To wake it takes the caller some 10 us. */
	LOOK_NS = 500000, LOOKS_NS = 10000,
	/* Between a thread that is not done when the caller is, and the caller's doing what that one has not begun. */
	PATIENCE_NS = 10000,
	YIELD = LOOKS * LOOKS,
	TIMED = 16, /* one of so many steps is timed */
	/* What the others have saved of late, less what they have cost, is kept up to GAIN_MAX_NS; at -LOSS_MAX_NS they
	 * are left alone. */
	GAIN_MAX_NS = 2000000, LOSS_MAX_NS = 1000000,
	STEP_MAX_NS = 200000, /* a step that took longer was interrupted */
	/* For how long they are left alone; twice as long each time. */
	REST_MIN_NS = 4000000, REST_MAX_NS = 1000000000,
};

struct share {
	_Alignas(HOST_LINE_BYTES) _Atomic uint64_t ticket; /* items << 32 | the next one */
	_Atomic uint32_t is_sleeping;			   /* its thread; a futex */
	uint32_t *items;
	_Alignas(HOST_LINE_BYTES) _Atomic uint32_t done; /* by its thread, since that one lives */
};

struct worker {
	struct sim_team *team;
	uint32_t index;
	pthread_t thread;
};

struct sim_team {
	struct share *shares;	/* [thread_count] */
	struct worker *workers; /* [thread_count]; 0 is the caller */
	uint32_t *wanted;	/* [thread_count]: shares[].done when the step is done */
	uint32_t *counts;	/* [thread_count]: items of the step in each share */
	uint32_t thread_count, made_count; /* made_count: shares */
	uint32_t forks; /* when it was made: the child of a fork has no threads but its own */
	uint32_t steps;
	int64_t gain_ns;
	uint64_t rest_until_ns, rest_ns; /* the former 0: they are not left alone */
	sim_team_fn fn;			 /* of the step */
	void *ctx;
	_Atomic bool ends;
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
	struct share *s = &t->shares[w->index];

	fesetenv(FE_DFL_ENV); /* as machine_run_launch has it: not what the thread that made this one had */
	while (!atomic_load(&t->ends)) {
		const uint32_t count = share_do(t, s, w->index);

		if (count)
			atomic_fetch_add_explicit(&s->done, count, memory_order_release);
		else
			wait_for_items(t, s);
	}
	return NULL;
}

/* ---- the caller ---- */

/* The others have cost so much time. */
static void lost(struct sim_team *t, uint64_t ns)
{
	t->gain_ns -= (int64_t)ns;
	if (t->gain_ns > -LOSS_MAX_NS)
		return;
	t->gain_ns = 0;
	t->rest_until_ns = now_ns() + t->rest_ns;
	t->rest_ns = MIN(2 * t->rest_ns, REST_MAX_NS);
}

static void gained(struct sim_team *t, uint64_t ns)
{
	t->gain_ns += (int64_t)ns;
	if (t->gain_ns < GAIN_MAX_NS)
		return;
	t->gain_ns = GAIN_MAX_NS;
	t->rest_ns = REST_MIN_NS;
}

static void wake(struct sim_team *t, struct share *s)
{
	const uint64_t begin_ns = now_ns();

	atomic_store(&s->is_sleeping, 0);
	syscall(SYS_futex, &s->is_sleeping, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	lost(t, now_ns() - begin_ns);
}

/* An item's home is its number modulo the threads: where few of many clusters have work, each thread has some. */
static void shares_fill(struct sim_team *t, const uint32_t *items, uint32_t count)
{
	for (uint32_t i = 0; i < t->thread_count; i++)
		t->counts[i] = 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t home = items[i] % t->thread_count;

		t->shares[home].items[t->counts[home]++] = items[i];
	}
	for (uint32_t i = 1; i < t->thread_count; i++) {
		struct share *s = &t->shares[i];

		if (!t->counts[i])
			continue;
		t->wanted[i] += t->counts[i];
		atomic_store(&s->ticket, (uint64_t)t->counts[i] << 32);
		if (unlikely(atomic_load(&s->is_sleeping)))
			wake(t, s);
	}
}

static inline bool is_done(const struct sim_team *t, uint32_t thread)
{
	return atomic_load_explicit(&t->shares[thread].done, memory_order_acquire) == t->wanted[thread];
}

/* The caller has waited since begin_ns: what the thread has not begun is no more left to it. */
static void do_without(struct sim_team *t, uint32_t thread, uint64_t begin_ns)
{
	const uint64_t late_ns = now_ns();
	const uint32_t mine = share_do(t, &t->shares[thread], 0);
	const uint64_t done_ns = now_ns();

	t->wanted[thread] -= mine;
	t->counts[thread] -= mine;
	for (uint32_t looks = 1; !is_done(t, thread); looks++) {
		look_again();
		if (looks % YIELD == 0)
			sched_yield();
	}
	lost(t, late_ns - begin_ns + now_ns() - done_ns);
}

static void wait_for(struct sim_team *t, uint32_t thread)
{
	uint64_t begin_ns = 0;

	for (uint32_t looks = 1; !is_done(t, thread); looks++) {
		look_again();
		if (looks == LOOKS)
			begin_ns = now_ns();
		if (unlikely(looks % LOOKS == 0 && now_ns() - begin_ns > PATIENCE_NS)) {
			do_without(t, thread, begin_ns);
			return;
		}
	}
}

/* Returns how many items the others have done. */
static uint32_t wait_for_others(struct sim_team *t)
{
	uint32_t sum = 0;

	for (uint32_t i = 1; i < t->thread_count; i++) {
		wait_for(t, i);
		sum += t->counts[i];
	}
	return sum;
}

static void run_alone(const uint32_t *items, uint32_t count, sim_team_fn fn, void *ctx)
{
	for (uint32_t i = 0; i < count; i++)
		fn(ctx, 0, items[i]);
}

static bool is_alone(struct sim_team *t)
{
	if (unlikely(t->forks != forks))
		return true;
	if (likely(!t->rest_until_ns))
		return false;
	if (now_ns() < t->rest_until_ns)
		return true;
	t->rest_until_ns = 0;
	return false;
}

void sim_team_run(struct sim_team *t, const uint32_t *items, uint32_t count, sim_team_fn fn, void *ctx)
{
	const bool is_timed = t->steps++ % TIMED == 0;
	uint64_t begin_ns = 0, end_ns = 0;
	uint32_t others;

	if (is_alone(t)) {
		run_alone(items, count, fn, ctx);
		return;
	}
	t->fn = fn;
	t->ctx = ctx;
	shares_fill(t, items, count);
	if (is_timed)
		begin_ns = now_ns();
	run_alone(t->shares[0].items, t->counts[0], fn, ctx);
	if (is_timed)
		end_ns = now_ns();
	others = wait_for_others(t);
	if (is_timed && t->counts[0])
		gained(t, TIMED * MIN(end_ns - begin_ns, STEP_MAX_NS) / t->counts[0] * others);
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

/* In lines that hold nothing else. */
static uint32_t *items_new(uint32_t count)
{
	const size_t bytes = (count * sizeof(uint32_t) / HOST_LINE_BYTES + 1) * HOST_LINE_BYTES;
	uint32_t *items = aligned_alloc(HOST_LINE_BYTES, bytes);

	CHECK(items);
	return items;
}

struct sim_team *sim_team_new(uint32_t thread_count, uint32_t item_count)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct sim_team *t = g_new(struct sim_team, 1);

	CHECK(thread_count >= 2 && thread_count <= SIM_TEAM_MAX);
	pthread_once(&once, watch_forks);
	*t = (struct sim_team){.thread_count = thread_count, .rest_ns = REST_MIN_NS};
	t->forks = forks;
	t->shares = aligned_alloc(HOST_LINE_BYTES, thread_count * sizeof(*t->shares));
	CHECK(t->shares);
	for (uint32_t i = 0; i < thread_count; i++)
		t->shares[i] = (struct share){.items = items_new(item_count)};
	t->made_count = thread_count;
	t->wanted = g_new0(uint32_t, thread_count);
	t->counts = g_new0(uint32_t, thread_count);
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
		if (atomic_load(&t->shares[i].is_sleeping))
			wake(t, &t->shares[i]);
		pthread_join(t->workers[i].thread, NULL);
	}
	for (uint32_t i = 0; i < t->made_count; i++)
		free(t->shares[i].items);
	g_free(t->workers);
	g_free(t->wanted);
	g_free(t->counts);
	free(t->shares);
	g_free(t);
}
