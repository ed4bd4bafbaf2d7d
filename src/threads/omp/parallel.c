/* parallel.c - teams: regions, the threads that wait for work, barriers. */
#include "threads/omp/omp_rt.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern uint8_t __strata_on;
typedef int wait_code(const uint32_t *word, uint32_t expected, uint64_t deadline_ps);
wait_code __strata_wait_lock, __strata_wait_barrier, __strata_wait_work;
int __strata_wake(const uint32_t *word, int count);
uint64_t __strata_team_wish(void);
void __strata_team_next(uint32_t level, uint32_t team, uint32_t thread);
uint32_t __strata_team_enter(uint32_t level, uint32_t team, uint32_t thread, uint64_t wish);
void __strata_team_leave(uint32_t unit);

typedef void region_code(int32_t *global, int32_t *number, ...);

/* A thread of ours between regions. */
struct worker {
	uint32_t job;  /* futex: how many teams it has had; who has woken it does not write it again */
	uint32_t left; /* futex: those that it has woken and that have left the team */
	int32_t number, global;
	struct omp_team *team;
} __attribute__((aligned(128)));

/* Threads wake each other, arrive and leave by a tree: each has up to so many at a time. So no line is asked for by all
 * of a large team, and no thread wakes all of them. Numbers are in the order of units: the groups of 64 are NDPs. */
enum { FAN = 8 };

/* Of a barrier: how many of a group of threads, or of groups, have come. */
struct omp_node {
	uint32_t arrived;
} __attribute__((aligned(128)));

/* Threads that have been a team: thread n of the next one is workers[n - 1]. */
struct crew {
	uint64_t home; /* where their stacks lie */
	uint32_t count, room;
	struct worker **workers;
	struct omp_node *nodes;
	struct crew *next;
};

__thread struct omp_thread *omp_self;
static __thread struct omp_thread first_context;
static __thread struct omp_team first_team;
struct omp_settings omp_settings = {.max_active_levels = 1, .thread_limit = INT_MAX, .schedule = 34};
static uint32_t settings_lock, settings_state;
static int32_t thread_count;

/* Crews without work, by where they are at home; each in lines of its own, for teams take theirs at the same time.
 * What is kept of a crew lies in pages that the one who made them has touched first, at home as well. */
enum { POOLS = 64, PAGES_BYTES = 65536, LINE_BYTES = 128 };
static struct pool {
	uint32_t lock;
	struct crew *first;
	char *fresh;
	size_t fresh_bytes;
} __attribute__((aligned(LINE_BYTES))) pools[POOLS];

static inline __attribute__((always_inline)) void word_wait(wait_code *wait, uint32_t *word, uint32_t value)
{
	if (__strata_on)
		wait(word, value, UINT64_MAX);
	else
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void word_wake(uint32_t *word, int count)
{
	if (__strata_on)
		__strata_wake(word, count);
	else
		syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

void omp_lock_word(uint32_t *word)
{
	uint32_t c = 0;

	if (__atomic_compare_exchange_n(word, &c, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	if (c != 2)
		c = __atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE);
	while (c) {
		word_wait(__strata_wait_lock, word, 2);
		c = __atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE);
	}
}

void omp_unlock_word(uint32_t *word)
{
	if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2)
		word_wake(word, 1);
}

_Noreturn void omp_missing(const char *what)
{
	fprintf(stderr, "strata: OpenMP: %s is not supported\n", what);
	exit(2);
}

/* Settings from the environment. */
static void read_schedule(const char *text)
{
	static const struct {
		const char *name;
		int32_t schedule;
	} kinds[] = {{"static", 34}, {"dynamic", 35}, {"guided", 36}, {"auto", 34}};
	const char *colon = strchr(text, ':'), *comma;

	if (colon)
		text = colon + 1;
	comma = strchr(text, ',');
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncasecmp(text, kinds[i].name, strlen(kinds[i].name)))
			omp_settings.schedule = kinds[i].schedule;
	omp_settings.chunk = comma ? atoi(comma + 1) : 0;
	if (omp_settings.schedule == 34 && omp_settings.chunk > 0)
		omp_settings.schedule = 33;
}

static void read_settings(void)
{
	const char *text = getenv("OMP_NUM_THREADS");

	for (; text && *text && omp_settings.thread_count_levels < 8; text += strspn(text, " ,")) {
		char *end;
		long n = strtol(text, &end, 10);

		if (end == text || n < 1)
			break;
		omp_settings.thread_count[omp_settings.thread_count_levels++] = (int32_t)n;
		text = end;
	}
	if (!omp_settings.thread_count_levels) {
		omp_settings.thread_count[0] = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
		omp_settings.thread_count_levels = 1;
	} else if (omp_settings.thread_count_levels > 1) {
		omp_settings.max_active_levels = INT_MAX;
	}
	text = getenv("OMP_SCHEDULE");
	if (text)
		read_schedule(text);
	text = getenv("OMP_NESTED");
	if (text && !strcasecmp(text, "true"))
		omp_settings.max_active_levels = INT_MAX;
	text = getenv("OMP_MAX_ACTIVE_LEVELS");
	if (text && atoi(text) >= 0)
		omp_settings.max_active_levels = atoi(text);
	text = getenv("OMP_THREAD_LIMIT");
	if (text && atoi(text) > 0)
		omp_settings.thread_limit = atoi(text);
}

struct omp_thread *omp_thread(void)
{
	struct omp_thread *t = omp_self;

	if (t)
		return t;
	omp_lock_word(&settings_lock);
	if (!settings_state)
		read_settings();
	settings_state = 1;
	t = &first_context;
	t->global = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
	omp_unlock_word(&settings_lock);
	first_team.count = 1;
	for (uint32_t i = 0; i < OMP_LOOPS; i++)
		first_team.loops[i].number = i;
	t->team = &first_team;
	t->thread_count = omp_settings.thread_count[0];
	omp_task_begin_region(t);
	omp_self = t;
	return t;
}

uint32_t omp_event_now(struct omp_team *team)
{
	return __atomic_load_n(&team->event, __ATOMIC_SEQ_CST);
}

void omp_event(struct omp_team *team)
{
	__atomic_fetch_add(&team->event, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&team->has_slept, __ATOMIC_SEQ_CST))
		word_wake(&team->event, INT_MAX);
}

void omp_event_wait(struct omp_team *team, uint32_t seen)
{
	for (int i = 0; i < OMP_SPINS; i++) {
		if (__atomic_load_n(&team->event, __ATOMIC_ACQUIRE) != seen)
			return;
		__builtin_ia32_pause();
	}
	/* It stays: to count who sleeps would have all of the team lock the line twice. */
	if (!__atomic_load_n(&team->has_slept, __ATOMIC_SEQ_CST))
		__atomic_store_n(&team->has_slept, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&team->event, __ATOMIC_SEQ_CST) == seen)
		word_wait(__strata_wait_barrier, &team->event, seen);
}

/* True for the last of the team. The last of a group comes for all of it; nobody comes again before all go on. */
static bool arrive(const struct omp_team *team, uint32_t at)
{
	struct omp_node *nodes = team->nodes;

	for (uint32_t items = team->count, groups; items > 1; items = groups) {
		const uint32_t group = at / FAN, rest = items - group * FAN, size = rest < FAN ? rest : FAN;

		groups = (items + FAN - 1) / FAN;
		if (__atomic_add_fetch(&nodes[group].arrived, 1, __ATOMIC_ACQ_REL) != size)
			return false;
		__atomic_store_n(&nodes[group].arrived, 0, __ATOMIC_RELAXED);
		nodes += groups;
		at = group;
	}
	return true;
}

/* All tasks of the team are finished behind it. */
void omp_barrier(struct omp_thread *self)
{
	struct omp_team *team = self->team;
	uint32_t generation = __atomic_load_n(&team->generation, __ATOMIC_RELAXED);
	bool is_last = arrive(team, (uint32_t)self->number);

	for (;;) {
		uint32_t seen = omp_event_now(team);

		if (omp_task_run_one(self))
			continue;
		if (is_last && !__atomic_load_n(&team->task_count, __ATOMIC_ACQUIRE))
			break;
		if (!is_last && __atomic_load_n(&team->generation, __ATOMIC_ACQUIRE) != generation)
			return;
		omp_event_wait(team, seen);
	}
	__atomic_store_n(&team->generation, generation + 1, __ATOMIC_RELEASE);
	if (team->count > 1)
		omp_event(team);
}

/* The code takes as many arguments as it was compiled with; more do no harm. */
static void execute(struct omp_team *team, struct omp_thread *self)
{
	region_code *code = (region_code *)team->code;
	int32_t global = self->global, number = self->number;
	void **a = team->args;

#define FOUR(i) a[i], a[i + 1], a[i + 2], a[i + 3]
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
	if (team->arg_count <= 4)
		code(&global, &number, FOUR(0));
	else if (team->arg_count <= 16)
		code(&global, &number, SIXTEEN(0));
	else
		code(&global, &number, SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48));
}

/* For messages: of threads whose last call in it is under way. Nothing of it is modelled. */
const void *__strata_region(void) __attribute__((disable_sanitizer_instrumentation));
const void *__strata_region(void)
{
	return omp_self ? (const void *)(uintptr_t)omp_self->team->code : NULL;
}

static uint32_t outer_number(const struct omp_thread *outer)
{
	return outer->level ? (uint32_t)outer->number : 0;
}

/* On the unit that the region's thread is for; returns where it was. */
static uint32_t place(struct omp_thread *t)
{
	return __strata_team_enter((uint32_t)t->level, outer_number(t->outer), (uint32_t)t->number, t->team->wish);
}

static void enter(struct omp_thread *t, struct omp_team *team, struct omp_thread *outer, int32_t number)
{
	const int32_t global = t->global;
	const int32_t level = outer->level + 1;

	*t = (struct omp_thread){
	    .team = team,
	    .outer = outer,
	    .number = number,
	    .global = global,
	    .level = level,
	    .active_level = outer->active_level + (team->count > 1),
	    .thread_count =
		level < omp_settings.thread_count_levels ? omp_settings.thread_count[level] : outer->thread_count,
	};
}

/* What the thread of a number wakes, and waits for when it leaves, at this distance from each other; 0: nothing. */
static uint32_t widest(uint32_t number, uint32_t count)
{
	uint32_t span = 1;

	if (number % FAN)
		return 0;
	while (span * FAN < count && !(number % (span * FAN * FAN)))
		span *= FAN;
	return span;
}

static uint32_t woken_by(uint32_t number, uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t span = widest(number, count); span; span /= FAN)
		for (uint32_t i = 1; i < FAN && number + i * span < count; i++)
			sum++;
	return sum;
}

static uint32_t waker_of(uint32_t number)
{
	uint32_t span = FAN;

	while (!(number % span))
		span *= FAN;
	return number / span * span;
}

static void wake_others(struct omp_team *team, uint32_t number)
{
	struct worker **workers = team->crew->workers;

	for (uint32_t span = widest(number, team->count); span; span /= FAN)
		for (uint32_t i = 1; i < FAN && number + i * span < team->count; i++) {
			struct worker *w = workers[number + i * span - 1];

			w->team = team;
			__atomic_store_n(&w->job, w->job + 1, __ATOMIC_RELEASE);
			word_wake(&w->job, 1);
		}
}

/* Until all that the thread has woken have left. */
static void wait_for_others(uint32_t *left, uint32_t count)
{
	for (uint32_t seen, i = 0; (seen = __atomic_load_n(left, __ATOMIC_ACQUIRE)) != count; i++)
		if (i < OMP_SPINS)
			__builtin_ia32_pause();
		else
			word_wait(__strata_wait_barrier, left, seen);
}

/* The last thing that is done with the team: it is the master's, who may have left it after that. */
static void leave(struct worker *w, uint32_t *waker_left, uint32_t number, uint32_t count)
{
	wait_for_others(&w->left, woken_by(number, count));
	w->left = 0;
	if (__atomic_add_fetch(waker_left, 1, __ATOMIC_ACQ_REL) == woken_by(waker_of(number), count))
		word_wake(waker_left, 1);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	const uint32_t number = (uint32_t)w->number, waker = waker_of(number);
	char implicit[OMP_TASK_BYTES] __attribute__((aligned(16))); /* no memory is asked for by all threads at once */

	for (uint32_t jobs = 0;; jobs++) {
		/* On its own stack, which lies where it runs; its maker's memory may be far. */
		struct omp_thread self = {.global = w->global};
		struct omp_team *team;
		uint32_t *waker_left;
		uint32_t count;

		while (__atomic_load_n(&w->job, __ATOMIC_ACQUIRE) == jobs)
			word_wait(__strata_wait_work, &w->job, jobs);
		team = w->team;
		count = team->count;
		waker_left = waker ? &team->crew->workers[waker - 1]->left : &team->left;
		wake_others(team, number);
		enter(&self, team, team->master, (int32_t)number);
		omp_self = &self;
		self.task = (struct omp_task *)(void *)implicit;
		place(&self);
		omp_task_begin_region(&self);
		execute(team, &self);
		omp_barrier(&self);
		leave(w, waker_left, number, count);
	}
	return NULL;
}

/* Where a team's threads are at home: at its wish, or, inside of another region, with the thread that makes it. */
static uint64_t home_of(const struct omp_team *team)
{
	const struct omp_thread *outer = team->master;

	return team->wish ? team->wish : outer->level ? (uint64_t)outer->number + 1 : 0;
}

static struct pool *pool_of(uint64_t home)
{
	return &pools[home * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

/* Lines that their maker has touched first, at home; they are kept. */
static void *lines_alloc(uint64_t home, size_t bytes)
{
	struct pool *pool = pool_of(home);
	void *lines = NULL;

	bytes = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	omp_lock_word(&pool->lock);
	if (pool->fresh_bytes < bytes) {
		const size_t more = (bytes + PAGES_BYTES - 1) / PAGES_BYTES * PAGES_BYTES;
		void *pages = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		pool->fresh = pages == MAP_FAILED ? NULL : pages;
		pool->fresh_bytes = pool->fresh ? more : 0;
	}
	if (pool->fresh_bytes) {
		lines = pool->fresh;
		pool->fresh += bytes;
		pool->fresh_bytes -= bytes;
	}
	omp_unlock_word(&pool->lock);
	return lines;
}

/* For thread `number` of the team: it begins, and its stack is touched, where it will run. */
static struct worker *new_worker(const struct omp_team *team, uint32_t number)
{
	const struct omp_thread *outer = team->master;
	struct worker *w = lines_alloc(home_of(team), sizeof(*w));
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	if (!w)
		return NULL;
	w->number = (int32_t)number;
	w->global = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
	__strata_team_next((uint32_t)outer->level + 1, outer_number(outer), number);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&thread, &attr, work, w);
	pthread_attr_destroy(&attr);
	return error ? NULL : w;
}

/* One that is at home where the team is: the first, which was given back last. */
static struct crew *take_crew(const struct omp_team *team)
{
	const uint64_t home = home_of(team);
	struct pool *pool = pool_of(home);
	struct crew *crew, **at = &pool->first;

	omp_lock_word(&pool->lock);
	while (*at && (*at)->home != home)
		at = &(*at)->next;
	crew = *at;
	if (crew)
		*at = crew->next;
	omp_unlock_word(&pool->lock);
	if (!crew) {
		crew = lines_alloc(home, sizeof(*crew));
		if (crew)
			crew->home = home;
	}
	return crew;
}

static void give_back(struct crew *crew)
{
	struct pool *pool = pool_of(crew->home);

	omp_lock_word(&pool->lock);
	crew->next = pool->first;
	pool->first = crew;
	omp_unlock_word(&pool->lock);
}

/* Room for so many threads beside the master, and for the nodes of their barrier. */
static bool make_room(struct crew *crew, uint32_t count)
{
	const uint32_t room = count > 2 * crew->room ? count : 2 * crew->room, nodes = (room + 1) / (FAN - 1) + 16;
	struct worker **workers;
	struct omp_node *first;

	if (crew->room >= count)
		return true;
	workers = lines_alloc(crew->home, room * sizeof(*workers));
	first = lines_alloc(crew->home, nodes * sizeof(*first));
	if (!workers || !first)
		return false;
	for (uint32_t i = 0; i < crew->count; i++)
		workers[i] = crew->workers[i];
	crew->workers = workers;
	crew->nodes = first;
	crew->room = room;
	return true;
}

/* The team's crew, of as many as there can be: those that it has not had yet are made. */
static void muster(struct omp_team *team, uint32_t count)
{
	struct crew *crew = count > 1 ? take_crew(team) : NULL;

	team->crew = crew;
	if (!crew)
		return;
	if (make_room(crew, count - 1)) {
		while (crew->count < count - 1) {
			struct worker *w = new_worker(team, crew->count + 1);

			if (!w)
				break;
			crew->workers[crew->count++] = w;
		}
		team->count = 1 + (crew->count < count - 1 ? crew->count : count - 1);
	}
	team->nodes = crew->nodes;
}

static uint32_t team_size(struct omp_thread *outer)
{
	int32_t count = outer->next_thread_count ? outer->next_thread_count : outer->thread_count;

	outer->next_thread_count = 0;
	if (outer->active_level >= omp_settings.max_active_levels)
		return 1;
	return (uint32_t)(count < omp_settings.thread_limit ? count : omp_settings.thread_limit);
}

static void region(region_code *code, void **args, uint32_t arg_count, uint32_t count)
{
	struct omp_thread *outer = omp_thread(), self = {.global = outer->global};
	struct omp_team team;
	uint32_t before;

	team = (struct omp_team){
	    .count = 1, .master = outer, .code = (void (*)())code, .args = args, .arg_count = arg_count,
	    .wish = __strata_team_wish()};
	for (uint32_t i = 0; i < OMP_LOOPS; i++)
		team.loops[i].number = i;
	muster(&team, count);
	enter(&self, &team, outer, 0);
	wake_others(&team, 0);
	omp_self = &self;
	before = place(&self);
	omp_task_begin_region(&self);
	execute(&team, &self);
	omp_barrier(&self);
	omp_task_end_region(&self);
	__strata_team_leave(before);
	omp_self = outer;
	wait_for_others(&team.left, woken_by(0, team.count));
	if (team.crew)
		give_back(team.crew);
}

OMP_API void __kmpc_fork_call(ident_t *loc, int32_t arg_count, region_code *code, ...)
{
	void *args[OMP_ARGS_MAX];
	va_list list;

	(void)loc;
	if (arg_count > OMP_ARGS_MAX)
		omp_missing("a region with more than 64 shared variables");
	va_start(list, code);
	for (int32_t i = 0; i < arg_count; i++)
		args[i] = va_arg(list, void *);
	va_end(list);
	region(code, args, (uint32_t)arg_count, team_size(omp_thread()));
}

OMP_API void __kmpc_push_num_threads(ident_t *loc, int32_t global, int32_t count)
{
	(void)loc;
	(void)global;
	omp_thread()->next_thread_count = count;
}

OMP_API void __kmpc_push_proc_bind(ident_t *loc, int32_t global, int32_t bind)
{
	(void)loc;
	(void)global;
	(void)bind;
}

OMP_API int32_t __kmpc_global_thread_num(ident_t *loc)
{
	(void)loc;
	return omp_thread()->global;
}

/* A region of one thread, which the caller executes in place: if (false), or a team inside of the deepest level. */
struct serial {
	struct omp_thread context;
	struct omp_team team;
};

OMP_API void __kmpc_serialized_parallel(ident_t *loc, int32_t global)
{
	struct omp_thread *outer = omp_thread();
	struct serial *s = calloc(1, sizeof(*s));

	(void)loc;
	(void)global;
	outer->next_thread_count = 0;
	s->team.count = 1;
	s->team.master = outer;
	for (uint32_t i = 0; i < OMP_LOOPS; i++)
		s->team.loops[i].number = i;
	s->context.global = outer->global;
	enter(&s->context, &s->team, outer, 0);
	omp_task_begin_region(&s->context);
	omp_self = &s->context;
}

OMP_API void __kmpc_end_serialized_parallel(ident_t *loc, int32_t global)
{
	struct serial *s = (struct serial *)omp_self;

	(void)loc;
	(void)global;
	omp_barrier(&s->context);
	omp_task_end_region(&s->context);
	omp_self = s->context.outer;
	free(s);
}
