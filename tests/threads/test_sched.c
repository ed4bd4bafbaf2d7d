/* The scheduler by itself, with a model and threads that do things at random: accesses, fences, questions to the model,
 * waits and wakes are in the order of time, and of those who could run each unit waits once, and no other does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "threads/rt/sched.c"

enum { THREADS_MAX = 400, WORDS = 8, STACK_BYTES = 1 << 16, OPERATIONS = 300 };

uint8_t __strata_on;
const struct thread_model *rt_model;
bool rt_in_model, rt_signal_is_kept;
volatile sig_atomic_t rt_end_signal;

bool rt_unmodelled(uint64_t *instructions)
{
	*instructions = 0;
	return true;
}

static struct rt_thread *threads[THREADS_MAX];
static uint32_t thread_count, words[WORDS];
static uint64_t random_state, span_ps;
static struct answer {
	uint32_t thread;
	uint64_t time_ps;
} answers[THREADS_MAX]; /* that the model owes */
static uint32_t answer_count;

static uint64_t draw(uint64_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 33) % below;
}

/* Mostly short, often nothing, now and then long. */
static uint64_t some_ps(void)
{
	const uint64_t dice = draw(64);

	return dice == 0 ? draw(2000000) : dice < 6 ? 0 : dice < 40 ? draw(16) * 250 : draw(span_ps);
}

/* Of the process that is one seed. */
static _Noreturn void finish(const char *wrong)
{
	if (wrong)
		fprintf(stderr, "test_sched: %s\n", wrong);
	fflush(stderr);
	_exit(wrong != NULL);
}

/* ---- what must hold ---- */

static void count_list(uint16_t left, uint8_t *times)
{
	for (; left; left = ready.behind[left - 1u])
		times[left - 1u]++;
}

static bool could_run(const struct unit *u)
{
	return u->running ? u->running->state != RT_STALLED : u->first != NULL;
}

static void audit(void)
{
	static uint8_t times[THREAD_UNITS_MAX];
	uint32_t sum = 0;

	memset(times, 0, sizeof(times));
	for (uint32_t i = 0; i < ready.next_count; i++) {
		times[unit_of(ready.next[i])]++;
		if (ready.next[i] != key_of(&units[unit_of(ready.next[i])]))
			finish("the time of a unit that waits has changed");
	}
	for (uint32_t i = 0; i < READY_SLOTS; i++)
		count_list(ready.slots[i], times);
	count_list(ready.far, times);
	for (uint32_t i = 0; i < machine.unit_count; i++) {
		if (times[i] != (could_run(&units[i]) && &units[i] != current))
			finish("a unit waits twice, or does not and should");
		sum += times[i];
	}
	if (sum != ready.count)
		finish("another number waits");
}

/* Nobody comes before the current unit. */
static void audit_order(void)
{
	audit();
	for (uint32_t i = 0; i < machine.unit_count; i++)
		if (could_run(&units[i]) && &units[i] != current && is_earlier(key_of(&units[i]), key_of(current)))
			finish("a unit has gone before an earlier one");
	if (event_ps < current->now_ps || (timers && timers->deadline_ps < current->now_ps))
		finish("a unit has gone before the model, or a timer");
}

/* ---- the model ---- */

static void owe(uint32_t thread, uint64_t time_ps)
{
	answers[answer_count++] = (struct answer){thread, time_ps};
	rt_for_model.event(time_ps);
}

static struct answer answer_take(uint32_t at)
{
	const struct answer a = answers[at];

	answers[at] = answers[--answer_count];
	return a;
}

static void model_advance(void *self, uint64_t until_ps, uint64_t others_ps)
{
	(void)self;
	(void)others_ps;
	for (uint32_t i = 0; i < answer_count;) {
		if (answers[i].time_ps <= until_ps)
			rt_for_model.resume(answer_take(i).thread, until_ps + (draw(8) ? 0 : some_ps()), NULL);
		else
			i++;
	}
	for (uint32_t i = 0; i < answer_count; i++)
		rt_for_model.event(answers[i].time_ps);
}

static uint64_t model_compute(void *self, const struct thread_at *at, const uint16_t *counts)
{
	(void)self;
	(void)at;
	(void)counts;
	return some_ps();
}

/* What comes up meanwhile may answer somebody else. */
static struct thread_answer model_access(void *self, const struct thread_at *at, uint64_t address, void *bytes,
					 uint32_t size, enum thread_kind kind)
{
	(void)self;
	(void)address;
	(void)size;
	(void)kind;
	audit_order();
	if (answer_count && !draw(8))
		rt_for_model.resume(answer_take((uint32_t)draw(answer_count)).thread, at->now_ps + some_ps(), NULL);
	if (draw(3))
		return (struct thread_answer){at->now_ps + some_ps(), bytes};
	owe(at->thread, at->now_ps + some_ps());
	return (struct thread_answer){THREAD_WAITS, bytes};
}

static void *model_ahead(void *self, const struct thread_at *at, uint64_t others_ps, uint64_t address, void *bytes,
			 uint32_t size, enum thread_kind kind)
{
	(void)self;
	(void)at;
	(void)others_ps;
	(void)address;
	(void)size;
	(void)kind;
	return draw(3) ? bytes : NULL;
}

static uint64_t model_fence(void *self, const struct thread_at *at)
{
	(void)self;
	audit_order();
	if (draw(2))
		return at->now_ps + some_ps();
	owe(at->thread, at->now_ps + some_ps());
	return THREAD_WAITS;
}

static void model_event(void *self, const struct thread_at *at, enum thread_event event, uint64_t value)
{
	(void)self;
	(void)at;
	(void)value;
	if (event == THREAD_WAKE || event == THREAD_WAIT)
		audit_order();
}

static struct thread_reply model_ask(void *self, const struct thread_at *at, const struct thread_ask *ask)
{
	(void)self;
	(void)ask;
	audit_order();
	owe(at->thread, at->now_ps + some_ps());
	return (struct thread_reply){THREAD_WAITS, 0};
}

/* ---- the rest of the runtime ---- */

uint64_t rt_address(const void *p)
{
	return (uint64_t)p;
}

void rt_message(const char *format, ...)
{
	finish(format);
}

void rt_fail_without_end(int status)
{
	(void)status;
	finish("the runtime fails");
}

void rt_fail_thread(uint32_t thread, const char *text)
{
	(void)thread;
	finish(text);
}

bool rt_is_program(const void *place)
{
	return place;
}

void rt_sources(const void *const *places, uint32_t count, struct thread_source *out)
{
	(void)places;
	(void)count;
	(void)out;
}

struct rt_thread *rt_thread_by_id(uint32_t id)
{
	return id < thread_count ? threads[id] : NULL;
}

void rt_thread_reap(void)
{
}

/* Threads that wait for a word that nobody will wake. */
void rt_deadlock(void)
{
	audit();
	finish(ready.count || answer_count ? "a deadlock, and somebody could go on" : NULL);
}

/* Nobody waits for descriptors here. */
bool rt_descriptors_are_awaited;

void rt_descriptors_look(void)
{
	abort();
}

bool rt_descriptors_block(void)
{
	abort();
}

void rt_descriptors_await(const struct rt_thread *t, uint64_t ps)
{
	(void)t;
	(void)ps;
	abort();
}

void rt_signal_strike(struct rt_thread *t)
{
	(void)t;
	abort();
}

void rt_end_by_signal(void)
{
	abort();
}

void rt_signals_deliver(void)
{
	rt_signal_is_kept = false;
}

/* ---- the threads ---- */

static void thread_body(void);

/* Its first switch returns to where it begins, with the modes of floating point that there are now. */
static struct rt_thread *thread_new(void)
{
	struct rt_thread *t = calloc(1, sizeof(*t));
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *sp = (uint64_t *)(void *)(stack + STACK_BYTES - HOST_LINE);
	uint32_t modes[2];

	__asm__("stmxcsr %0\n\tfnstcw %1" : "=m"(modes[0]), "=m"(modes[1]));
	__asm__("mov %%fs:0, %0" : "=r"(t->fs));
	*--sp = 0;
	*--sp = (uint64_t)(uintptr_t)thread_body;
	sp -= 6; /* the registers */
	memcpy(--sp, modes, sizeof(modes));
	t->sp = (uint64_t)(uintptr_t)sp;
	t->deadline_ps = RT_NEVER;
	t->id = thread_count;
	threads[thread_count++] = t;
	return t;
}

static void thread_start(void)
{
	struct rt_thread *t;

	if (thread_count == THREADS_MAX)
		return;
	t = thread_new();
	rt_spend(machine.create_ps);
	rt_assign(t, (uint32_t)draw(machine.unit_count), 3);
	rt_ready(t, rt_now_ps());
}

static void operate(void)
{
	static const struct thread_site load = {.bytes = 8, .kind = THREAD_READ, .has_counts = 1};
	static const struct thread_site ordered = {
	    .bytes = 8, .kind = THREAD_WRITE, .has_counts = 1, .flags = THREAD_SITE_ORDERED | THREAD_SITE_PLAIN};
	static const struct thread_site none = {.kind = THREAD_BLOCK, .has_counts = 1};
	static const struct thread_ask unmap = {.kind = THREAD_ASK_UNMAP};
	static char memory[8];
	const uint64_t dice = draw(100);

	if (!draw(50))
		rt_signal_is_kept = true;
	if (dice < 45) {
		__strata_access(memory, draw(4) ? &load : &ordered);
		return;
	}
	if (dice < 55) {
		__strata_block(&none);
		return;
	}
	if (dice < 60) {
		__strata_fence(&none);
		return;
	}
	__strata_turn();
	if (dice < 66) {
		rt_spend(machine.system_call_ps);
		rt_rotate();
	} else if (dice < 74) {
		__strata_wait(&words[draw(WORDS)], 0, draw(40) ? rt_now_ps() + 3 * some_ps() : RT_NEVER);
	} else if (dice < 84) {
		__strata_wake(&words[draw(WORDS)], draw(4) ? 1 : 1000);
	} else if (dice < 86) {
		rt_wake_free(&words[draw(WORDS)]);
	} else if (dice < 91) {
		rt_move((uint32_t)draw(machine.unit_count));
	} else if (dice < 94) {
		rt_ask(&unmap);
	} else {
		thread_start();
	}
}

static void thread_body(void)
{
	struct rt_thread *self = rt_self();

	for (uint32_t i = 0; i < OPERATIONS; i++) {
		audit();
		operate();
		if (rt_self() != self)
			finish("another thread has gone on");
	}
	__strata_turn();
	if (rt_live_count() == 1)
		finish(NULL);
	__strata_wake(&words[draw(WORDS)], 1000);
	self->state = RT_ENDED;
	rt_leave(self);
}

static _Noreturn void one_seed(uint64_t seed)
{
	static struct thread_model model = {.compute = model_compute, .access = model_access, .ahead = model_ahead,
					     .fence = model_fence, .advance = model_advance, .event = model_event,
					     .ask = model_ask};
	static const uint64_t spans_ps[] = {10, 600, 3000, 700000};
	uint32_t unit_count;
	uint64_t here;
	struct rt_thread *main_thread;

	random_state = seed * 77777;
	span_ps = spans_ps[draw(4)];
	unit_count = draw(8) ? 3 + (uint32_t)draw(12) : 200;
	model.machine = (struct thread_machine){.unit_count = unit_count,
						 .cpu_unit_count = 1 + (uint32_t)draw(unit_count),
						 .slice_ps = 1000 + draw(100000),
						 .system_call_ps = draw(3) ? 200 : 300000,
						 .wake_ps = draw(3000),
						 .create_ps = draw(1000000),
						 .ahead_ps = draw(2) ? 8000 : 0};
	rt_model = &model;
	rt_sched_init(model.machine);
	for (uint32_t i = 0; seed % 4 == 0 && i < unit_count; i++) /* what a key holds ends soon */
		units[i].now_ps = (UINT64_C(1) << 52) - 3000000;
	main_thread = thread_new();
	rt_begin(main_thread);
	__strata_on = 1;
	for (uint32_t i = 0; i < 12; i++)
		thread_start();
	set_limit();
	rt_switch(&here, main_thread->sp);
	abort();
}

static void in_the_order_of_time(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		const pid_t child = fork();
		int status;

		if (!child)
			one_seed(seed);
		assert_true(child > 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status)
			fail_msg("seed %d ends with status %d", (int)seed, status);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(in_the_order_of_time)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
