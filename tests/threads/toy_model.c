/* toy_model.c - a model that a test can see through: every access waits for an event of the model, reads of one array
 * get bytes of a copy, and stores to another go into a buffer first. STRATA_TOY names a file for what it counted.
 * With STRATA_TOY_IDLE no access waits, and the model is called as many ps after each one, for nothing. STRATA_TOY_WAKE
 * is how many ps go by from waking a thread until it runs. */
#include "threads/model.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { UNITS = 3, ACCESS_PS = 7000, PENDING = 64, CYCLE_PS = 1000 };

struct pending {
	uint64_t time_ps;
	uint32_t thread;
	void *bytes;
};

static struct toy {
	struct thread_model model;
	const struct thread_runtime *runtime;
	struct pending pending[PENDING];
	uint32_t pending_count;
	uint64_t accesses, fences, instructions, events[THREAD_EVENT_COUNT], last_ps, disorder;
	uint64_t program_clocks; /* of those that the model asks */
	uint64_t program_calls;	 /* that the model makes, and the program's runtime answers */
	uint64_t order, idle_ps; /* order: of accesses by time and unit, as a number */
	char buffer[64]; /* a copy's bytes */
} toy;

static uint64_t compute(void *self, const struct thread_at *at, const uint16_t *counts)
{
	uint64_t sum = 0;

	(void)self;
	(void)at;
	for (uint32_t i = 0; i < THREAD_CLASS_lane_integer; i++)
		sum += counts[i];
	toy.instructions += sum;
	return sum * CYCLE_PS;
}

static void wait_until(uint64_t time_ps, uint32_t thread, void *bytes)
{
	toy.pending[toy.pending_count++] = (struct pending){time_ps, thread, bytes};
	toy.runtime->event(time_ps);
}

static void in_order(const struct thread_at *at)
{
	toy.disorder += at->now_ps < toy.last_ps;
	toy.last_ps = at->now_ps;
}

/* A model is told the host's time, not the program's, whose runs begin with the year 2026. */
static void look_at_clocks(void)
{
	const time_t begin_s = 1767225600;
	struct timespec now, fine;
	struct timeval day;

	clock_gettime(CLOCK_REALTIME, &now);
	timespec_get(&fine, TIME_UTC);
	gettimeofday(&day, NULL);
	toy.program_clocks += labs(now.tv_sec - begin_s) < 100;
	toy.program_clocks += labs(fine.tv_sec - begin_s) < 100;
	toy.program_clocks += labs(day.tv_sec - begin_s) < 100;
	toy.program_clocks += labs(time(NULL) - begin_s) < 100;
}

static void *nothing(void *arg)
{
	return arg;
}

/* What a model's libraries do: all coroutines run on the host's first thread, which may wait, and make others. */
static void make_calls(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static int here;
	const struct timespec short_time = {.tv_nsec = 1000000};
	uint32_t word = 1;
	void *result = NULL;
	pthread_t thread;
	sem_t semaphore;

	toy.program_calls += gettid() != getpid();
	toy.program_calls += syscall(SYS_gettid) != getpid();
	toy.program_calls += syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &short_time) != -1 || errno != ETIMEDOUT;
	toy.program_calls += pthread_mutex_lock(&mutex) || pthread_mutex_unlock(&mutex);
	toy.program_calls += sem_init(&semaphore, 0, 1) || sem_wait(&semaphore) || sem_post(&semaphore);
	toy.program_calls += pthread_create(&thread, NULL, nothing, &here) || pthread_join(thread, &result);
	toy.program_calls += result != &here;
}

static struct thread_answer toy_access(void *self, const struct thread_at *at, uint64_t address, void *bytes,
				       uint32_t size, enum thread_kind kind)
{
	(void)self;
	if (!toy.accesses++) {
		look_at_clocks();
		make_calls();
	}
	in_order(at);
	toy.order = (toy.order ^ at->now_ps ^ (uint64_t)at->unit << 56) * 0x100000001b3;
	if (toy.idle_ps) {
		toy.runtime->event(at->now_ps + toy.idle_ps);
		return (struct thread_answer){at->now_ps + CYCLE_PS * (1 + address / 8 % 3), bytes};
	}
	/* The program marks the word whose reads are to be stale: its value is this one. */
	if (kind == THREAD_READ && size == 8 && *(const uint64_t *)bytes == 0x5757575757575757) {
		memset(toy.buffer, 0x11, sizeof(toy.buffer));
		bytes = toy.buffer;
	}
	wait_until(at->now_ps + ACCESS_PS, at->thread, bytes);
	return (struct thread_answer){THREAD_WAITS, NULL};
}

static uint64_t fence(void *self, const struct thread_at *at)
{
	(void)self;
	toy.fences++;
	wait_until(at->now_ps + ACCESS_PS, at->thread, NULL);
	return THREAD_WAITS;
}

static void advance(void *self, uint64_t until_ps, uint64_t others_ps)
{
	uint32_t kept = 0;

	(void)self;
	(void)others_ps;
	for (uint32_t i = 0; i < toy.pending_count; i++)
		if (toy.pending[i].time_ps <= until_ps)
			toy.runtime->resume(toy.pending[i].thread, toy.pending[i].time_ps, toy.pending[i].bytes);
		else
			toy.pending[kept++] = toy.pending[i];
	toy.pending_count = kept;
	for (uint32_t i = 0; i < kept; i++)
		toy.runtime->event(toy.pending[i].time_ps);
}

static void note(void *self, const struct thread_at *at, enum thread_event event, uint64_t value)
{
	(void)self;
	(void)value;
	toy.events[event]++;
	if (event == THREAD_RESUME)
		in_order(at);
}

static void end(void *self, const struct thread_at *at, int signal)
{
	FILE *out = fopen(getenv("STRATA_TOY"), "w");

	(void)self;
	(void)signal;
	fprintf(out,
		"accesses %lu fences %lu instructions %lu created %lu ended %lu disorder %lu time %lu order %016lx "
		"program clocks %lu calls %lu\n",
		toy.accesses, toy.fences, toy.instructions, toy.events[THREAD_CREATE], toy.events[THREAD_END],
		toy.disorder, at->now_ps, toy.order, toy.program_clocks,
		toy.program_calls);
	fclose(out);
}

__attribute__((visibility("default"))) thread_model_make strata_thread_model;
struct thread_model *strata_thread_model(const struct thread_runtime *runtime, const char *options)
{
	(void)options;
	toy.runtime = runtime;
	if (getenv("STRATA_TOY_IDLE"))
		toy.idle_ps = strtoull(getenv("STRATA_TOY_IDLE"), NULL, 10);
	toy.model = (struct thread_model){
	    .machine =
		{.unit_count = UNITS, .slice_ps = 1000000, .system_call_ps = 1000, .wake_ps = 1000, .create_ps = 1000},
	    .compute = compute,
	    .access = toy_access,
	    .fence = fence,
	    .advance = advance,
	    .event = note,
	    .end = end,
	};
	if (getenv("STRATA_TOY_WAKE"))
		toy.model.machine.wake_ps = strtoull(getenv("STRATA_TOY_WAKE"), NULL, 10);
	return &toy.model;
}
