/* direct.c - runs a program of direct.csv: direct KIND PLACE WORKERS COUNT. Of the workers the one that is earliest
 * goes on; of two at the same time that with the lower number. See direct.h. */
#include "direct.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 17, WORKERS_MAX = 256, ROOM_STEP = 1 << 16, NDPS_MAX = 4 };
enum { EXIT_FALSE = 1, EXIT_MISTAKE = 2 };
#define ROOM_BEGIN 0x200000000000u

enum state { READY, STALLED, WAITING, ENDED };

struct worker {
	ucontext_t context;
	uint32_t unit, number;
	enum state state;
	uint64_t now_ps, wait_ps; /* wait_ps: while it sleeps, until when */
	void *bytes;	      /* of the access that it waited for */
	const uint64_t *word;     /* that it waits for */
};

struct direct direct;
static struct {
	struct thread_model *model;
	const struct kind *kind;
	struct worker workers[WORKERS_MAX], *self;
	ucontext_t scheduler;
	uint64_t event_ps;
	uintptr_t room;
} it = {.event_ps = UINT64_MAX, .room = ROOM_BEGIN};

/* What strata run knows a program of threads by. */
__attribute__((section(THREAD_INTERFACE_SECTION), used)) static const uint32_t built_by = THREAD_INTERFACE;
__attribute__((section("strata_text"), used)) static void is_of_threads(void)
{
}

static _Noreturn void wrong(const char *what, const char *why)
{
	fprintf(stderr, "direct: %s: %s\n", what, why);
	_exit(EXIT_MISTAKE);
}

/* ---- memory ---- */

static void *map_at(uintptr_t at, size_t bytes)
{
	void *p = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);

	if (p != (void *)at)
		wrong("memory at a fixed address", strerror(errno));
	return p;
}

void *direct_room(size_t bytes)
{
	void *p = map_at(it.room, bytes);

	it.room += (bytes + ROOM_STEP - 1) / ROOM_STEP * ROOM_STEP;
	return p;
}

void *direct_stack(size_t bytes)
{
	return map_at(THREAD_STACKS_BEGIN, bytes);
}

uint64_t direct_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 24;
}

/* ---- whose turn it is ---- */

static struct worker *earliest(void)
{
	struct worker *first = NULL;

	for (uint32_t i = 0; i < direct.workers; i++) {
		struct worker *w = &it.workers[i];

		if (w->state == READY && (!first || w->now_ps < first->now_ps))
			first = w;
	}
	return first;
}

static void leave(void)
{
	swapcontext(&it.self->context, &it.scheduler);
}

/* The worker goes on when nobody, and nothing in the machine, comes before it. */
static void turn(void)
{
	while (it.event_ps <= it.self->now_ps || earliest() != it.self)
		leave();
}

static struct thread_at at_of(const struct worker *w)
{
	return (struct thread_at){.unit = w->unit, .thread = w->number, .now_ps = w->now_ps};
}

/* The model answers later. */
static void stall(void)
{
	it.self->state = STALLED;
	leave();
}

static void go_on(uint64_t done_ps)
{
	if (done_ps == THREAD_WAITS)
		stall();
	else
		it.self->now_ps = done_ps;
}

/* ---- what the model asks of us ---- */

static void resume(uint32_t thread, uint64_t time_ps, void *bytes)
{
	struct worker *w = &it.workers[thread];

	if (w->state != STALLED)
		wrong("the model", "answers who does not wait for it");
	w->state = READY;
	w->now_ps = time_ps > w->now_ps ? time_ps : w->now_ps;
	w->bytes = bytes;
}

static void event(uint64_t time_ps)
{
	if (time_ps < it.event_ps)
		it.event_ps = time_ps;
}

static _Noreturn void fail(uint32_t thread, const char *text)
{
	(void)thread;
	wrong("a worker", text);
}

/* ---- what workers do ---- */

void pass(const uint16_t *counts)
{
	const struct thread_at at = at_of(it.self);

	it.self->now_ps += it.model->compute(it.model->self, &at, counts);
}

static void *access_as(const void *p, uint32_t bytes, enum thread_kind kind, uint32_t use)
{
	const struct thread_site site = {.use = (uint16_t)use};
	struct thread_answer answer;
	struct thread_at at;

	turn();
	at = at_of(it.self);
	at.site = &site;
	answer = it.model->access(it.model->self, &at, (uint64_t)p, (void *)(uintptr_t)p, bytes, kind);
	if (answer.done_ps != THREAD_WAITS)
		it.self->bytes = answer.bytes;
	go_on(answer.done_ps);
	return it.self->bytes;
}

const void *access_read(const void *p, uint32_t bytes, uint32_t use)
{
	return access_as(p, bytes, THREAD_READ, use);
}

void *access_write(void *p, uint32_t bytes)
{
	return access_as(p, bytes, THREAD_WRITE, 0);
}

void *access_atomic(void *p, uint32_t bytes, enum thread_kind kind)
{
	return access_as(p, bytes, kind, 0);
}

void prefetch(const void *p)
{
	access_as(p, direct.machine->line_bytes, THREAD_PREFETCH, 0);
}

void fence(void)
{
	struct thread_at at;

	turn();
	at = at_of(it.self);
	go_on(it.model->fence(it.model->self, &at));
}

uint64_t load(const uint64_t *p, uint32_t use)
{
	uint64_t value;

	memcpy(&value, access_read(p, sizeof(value), use), sizeof(value));
	return value;
}

void store(uint64_t *p, uint64_t value)
{
	memcpy(access_write(p, sizeof(value)), &value, sizeof(value));
}

uint64_t atomic_load(const uint64_t *p)
{
	return *(const uint64_t *)access_as(p, sizeof(*p), THREAD_ATOMIC_READ, 0);
}

void atomic_store(uint64_t *p, uint64_t value)
{
	*(uint64_t *)access_as(p, sizeof(*p), THREAD_ATOMIC_WRITE, 0) = value;
}

uint64_t fetch_add(uint64_t *p, uint64_t value)
{
	uint64_t *word = access_as(p, sizeof(*p), THREAD_RMW, 0), before = *word;

	*word += value;
	return before;
}

uint64_t fetch_xor(uint64_t *p, uint64_t value)
{
	uint64_t *word = access_as(p, sizeof(*p), THREAD_RMW, 0), before = *word;

	*word ^= value;
	return before;
}

bool compare_exchange(uint64_t *p, uint64_t expected, uint64_t value)
{
	uint64_t *word = access_as(p, sizeof(*p), THREAD_CMPXCHG, 0);
	const bool is_equal = *word == expected;

	if (is_equal)
		*word = value;
	return is_equal;
}

/* ---- waiting ---- */

static void tell(struct worker *w, enum thread_event what, uint64_t value, enum thread_waits_for waits_for)
{
	struct thread_at at = at_of(w);

	at.waits_for = waits_for;
	it.model->event(it.model->self, &at, what, value);
}

void wait_while(const uint64_t *word, uint64_t value, enum thread_waits_for what)
{
	it.self->now_ps += direct.machine->system_call_ps;
	turn();
	if (*word != value)
		return;
	tell(it.self, THREAD_WAIT, (uint64_t)word, what);
	it.self->word = word;
	it.self->state = WAITING;
	leave();
	tell(it.self, THREAD_RESUME, (uint64_t)word, what);
}

void wake(const uint64_t *word)
{
	it.self->now_ps += direct.machine->system_call_ps;
	turn();
	tell(it.self, THREAD_WAKE, (uint64_t)word, THREAD_FOR_OTHER);
	for (uint32_t i = 0; i < direct.workers; i++) {
		struct worker *w = &it.workers[i];

		if (w->state != WAITING || w->word != word)
			continue;
		w->state = READY;
		w->now_ps = it.self->now_ps + direct.machine->wake_ps;
	}
}

void sleep_until(uint64_t time_ps)
{
	turn();
	tell(it.self, THREAD_WAIT, 0, THREAD_FOR_OTHER);
	if (time_ps > it.self->now_ps)
		it.self->now_ps = time_ps;
	turn();
	tell(it.self, THREAD_RESUME, 0, THREAD_FOR_OTHER);
}

uint64_t now_ps(void)
{
	return it.self->now_ps;
}

void barrier(struct barrier *b)
{
	const uint64_t generation = atomic_load(&b->generation);

	if (fetch_add(&b->arrived, 1) + 1 == direct.workers) {
		atomic_store(&b->arrived, 0);
		atomic_store(&b->generation, generation + 1);
		wake(&b->generation);
		return;
	}
	while (atomic_load(&b->generation) == generation)
		wait_while(&b->generation, generation, THREAD_FOR_BARRIER);
}

/* 0: free; 1: taken; 2: taken, and somebody may wait. */
void lock(uint64_t *word)
{
	if (compare_exchange(word, 0, 1))
		return;
	for (;;) {
		uint64_t *at = access_as(word, sizeof(*word), THREAD_RMW, 0);
		const uint64_t before = *at;

		*at = 2;
		if (!before)
			return;
		wait_while(word, 2, THREAD_FOR_LOCK);
	}
}

void unlock(uint64_t *word)
{
	if (fetch_add(word, (uint64_t)-1) == 1)
		return;
	atomic_store(word, 0);
	wake(word);
}

/* ---- questions ---- */

int64_t ask(const struct thread_ask *a)
{
	struct thread_reply reply;
	struct thread_at at;

	turn();
	at = at_of(it.self);
	reply = it.model->ask(it.model->self, &at, a);
	if (reply.result < 0 && reply.result != -ENOSYS)
		wrong("the model refuses", strerror((int)-reply.result));
	go_on(reply.done_ps);
	return reply.result;
}

void ask_range(enum thread_ask_kind kind, const void *p, size_t bytes, uint64_t value, uint64_t nodes)
{
	ask(&(struct thread_ask){
	    .kind = kind, .address = (uint64_t)p, .bytes = bytes, .value = value, .nodes = nodes});
}

/* ---- where workers are ---- */

static uint32_t near_cores(void)
{
	const struct thread_machine *m = direct.machine;

	return m->ndp_count ? (m->unit_count - m->cpu_unit_count) / m->ndp_count : 0;
}

/* Cores one after the other, of NDPs in turns; then the cores' second threads. */
static uint32_t unit_of(uint32_t worker)
{
	const struct thread_machine *m = direct.machine;
	const uint32_t cpu = m->cpu_unit_count ? m->cpu_unit_count : m->unit_count;
	const uint32_t ndps = direct.place == ON_NEAR ? 1 : m->ndp_count < NDPS_MAX ? m->ndp_count : NDPS_MAX;
	const bool is_cpu = direct.place == ON_CPU || (direct.place == ON_BOTH && worker % 2 == 0);
	const uint32_t number = direct.place == ON_BOTH ? worker / 2 : worker;

	if (is_cpu)
		return number % cpu;
	return cpu + number % ndps * near_cores() + number / ndps % near_cores();
}

uint32_t unit_ndp(uint32_t worker)
{
	const uint32_t unit = it.workers[worker].unit, cpu = direct.machine->cpu_unit_count;

	return !cpu || unit < cpu ? UINT32_MAX : (unit - cpu) / near_cores();
}

/* ---- the run ---- */

static void be_worker(void)
{
	struct worker *w = it.self;

	it.kind->work(w->number);
	turn();
	tell(w, THREAD_END, 0, THREAD_FOR_OTHER);
	w->state = ENDED;
	leave();
}

static void make_worker(uint32_t number)
{
	struct worker *w = &it.workers[number];

	w->number = number;
	w->unit = unit_of(number);
	for (uint32_t i = 0; i < number; i++)
		if (it.workers[i].unit == w->unit)
			wrong("workers", "more than the place has hardware threads");
	getcontext(&w->context);
	w->context.uc_stack.ss_sp = malloc(STACK_BYTES);
	w->context.uc_stack.ss_size = STACK_BYTES;
	w->context.uc_link = NULL;
	makecontext(&w->context, be_worker, 0);
}

static void run(void)
{
	struct thread_at at = {0};

	for (;;) {
		struct worker *w = earliest();
		const uint64_t until = it.event_ps;

		if (until != UINT64_MAX && (!w || until <= w->now_ps)) {
			it.event_ps = UINT64_MAX;
			it.model->advance(it.model->self, until, w ? w->now_ps : UINT64_MAX);
		} else if (w) {
			it.self = w;
			swapcontext(&it.scheduler, &w->context);
		} else {
			break;
		}
	}
	for (uint32_t i = 0; i < direct.workers; i++) {
		if (it.workers[i].state != ENDED)
			wrong(it.kind->name, "workers wait, and nobody will wake them");
		if (it.workers[i].now_ps > at.now_ps)
			at.now_ps = it.workers[i].now_ps;
	}
	it.model->end(it.model->self, &at, 0);
}

static void load_model(void)
{
	static const struct thread_runtime runtime = {.resume = resume, .event = event, .fail = fail};
	const char *path = getenv("STRATA_THREADS_MODEL"), *options = getenv("STRATA_THREADS_OPTIONS");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	thread_model_make *make = library ? (thread_model_make *)dlsym(library, THREAD_MODEL_ENTRY) : NULL;

	if (!make)
		wrong("the model", path ? dlerror() : "this program is run by `strata run`");
	it.model = make(&runtime, options ? options : "");
	if (!it.model)
		_exit(EXIT_MISTAKE);
	direct.machine = &it.model->machine;
}

static const struct kind *kind_of(const char *name)
{
	const struct kind *const tables[] = {direct_shared, direct_near};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct kind *k = tables[i]; k->name; k++)
			if (!strcmp(k->name, name))
				return k;
	wrong(name, "there is no such kind");
}

int main(int argc, char **argv)
{
	static const char *const places[] = {
	    [ON_CPU] = "cpu", [ON_NEAR] = "near", [ON_APART] = "apart", [ON_BOTH] = "both"};
	bool is_place = false;

	if (argc != 5)
		wrong("usage", "direct KIND cpu|near|apart|both WORKERS COUNT, by `strata run`");
	it.kind = kind_of(argv[1]);
	for (uint32_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!strcmp(places[i], argv[2])) {
			direct.place = (enum place)i;
			is_place = true;
		}
	direct.workers = (uint32_t)strtoul(argv[3], NULL, 10);
	direct.count = strtoull(argv[4], NULL, 10);
	if (!is_place || !direct.workers || direct.workers > WORKERS_MAX || !direct.count)
		wrong("usage", "direct KIND cpu|near|apart|both WORKERS COUNT, by `strata run`");
	load_model();
	if (direct.place != ON_CPU && !direct.machine->ndp_count)
		wrong(argv[2], "the machine has no NDPs");
	it.kind->begin();
	for (uint32_t i = 0; i < direct.workers; i++)
		make_worker(i);
	run();
	if (!it.kind->check()) {
		fprintf(stderr, "direct: %s: the memory does not hold what it has to\n", argv[1]);
		return EXIT_FALSE;
	}
	return 0;
}
