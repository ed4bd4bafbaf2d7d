/* replay.c - the program that stands for a recorded one: its threads do on a machine's hardware threads what the
 * trace says.
 *
 * Instructions, accesses and fences are the recorded ones, in each thread's order; how long they take, the machine
 * says. What threads do with each other is not executed again, but timed again: a thread that was made begins when its
 * maker comes there, and one that waited goes on after the wake that let it, which is the last one of that word before
 * it went on in the trace; one that nobody woke goes on after as long as it slept there. The order in the trace is one
 * in which all this can happen, so replays end. Threads that share a hardware thread run there until they wait.
 *
 * strata run starts it as any program of threads; strata trace replay names it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "threads/trace.h"

enum { EXIT_WRONG = 2, EXIT_OWN_FAILURE = 125 };
#define NO_WAKE 0
/* What accesses use for bytes: more than the largest; never moved; only what models write of it takes memory. */
#define SCRATCH_BYTES (1ull << 33)
#define SCRATCH_BEGIN (1ull << 16)

/* A record, and what it waits for. */
struct step {
	struct thread_record r;
	uint64_t wake;	   /* WAKE: its number; RESUME: that of the wake that lets it, or NO_WAKE: */
	uint64_t slept_ps; /* then how long it slept */
};

enum state { ABSENT, READY, RUNNING, STALLED, WAITING, GONE };

struct replayed {
	enum state state;
	uint32_t number, unit;
	GQueue steps;	     /* read, and not done */
	bool is_computed;    /* the first one's instructions have passed */
	bool is_ending;	     /* it wakes who waits for its end, and is gone */
	uint64_t wait_wakes; /* while reading: wakes that there were when it began to wait, and the time */
	uint64_t wait_ps, ready_ps;
};

struct unit {
	uint64_t now_ps;
	struct replayed *running;
	GQueue ready;
	uint32_t thread_count;
};

static struct {
	struct thread_model *model;
	struct thread_trace *trace;
	const char *path;
	bool is_read; /* to its end */
	GPtrArray *threads;
	struct unit *units;
	uint64_t event_ps;
	GHashTable *last_wake;	/* while reading: of a word, its number */
	uint64_t wake_count;	/* read */
	GHashTable *wake_times; /* done: number to time */
	GHashTable *waiting;	/* number of a wake to the GSList of threads that wait for it */
	GHashTable *counts;	/* vectors of counts: models know them by their place */
	char *scratch;
} it;

/* What strata run knows a program of threads by. */
__attribute__((section(THREAD_INTERFACE_SECTION), used)) static const uint32_t built_by = THREAD_INTERFACE;
__attribute__((section("strata_text"), used)) static void is_of_threads(void)
{
}

static _Noreturn void wrong(const char *why)
{
	fprintf(stderr, "strata: %s: %s\n", it.path, why);
	_exit(EXIT_WRONG);
}

/* ---- the trace ---- */

static struct replayed *thread_of(uint32_t number)
{
	struct replayed *t;

	if (it.threads->len <= number)
		g_ptr_array_set_size(it.threads, (gint)number + 1);
	t = it.threads->pdata[number];
	if (!t) {
		t = it.threads->pdata[number] = g_new0(struct replayed, 1);
		t->number = number;
		g_queue_init(&t->steps);
	}
	return t;
}

/* Who lets whom go on, in the order of the trace. */
static void relate(struct replayed *t, struct step *s)
{
	const gpointer word = (gpointer)(uintptr_t)s->r.value;

	if (s->r.kind != THREAD_RECORD_EVENT)
		return;
	if (s->r.event == THREAD_WAKE) {
		s->wake = ++it.wake_count;
		g_hash_table_insert(it.last_wake, word, (gpointer)(uintptr_t)s->wake);
	} else if (s->r.event == THREAD_WAIT) {
		t->wait_wakes = it.wake_count;
		t->wait_ps = s->r.turn_ps;
	} else if (s->r.event == THREAD_RESUME) {
		s->wake = (uint64_t)(uintptr_t)g_hash_table_lookup(it.last_wake, word);
		if (s->wake <= t->wait_wakes)
			s->wake = NO_WAKE;
		s->slept_ps = s->r.turn_ps > t->wait_ps ? s->r.turn_ps - t->wait_ps : 0;
	}
}

/* One more record, to its thread. */
static void read_one(void)
{
	struct step *s = g_new0(struct step, 1);
	const char *why = NULL;

	switch (thread_trace_read(it.trace, &s->r, &why)) {
	case THREAD_TRACE_WRONG:
		wrong(why);
	case THREAD_TRACE_DONE:
		it.is_read = true;
		g_free(s);
		return;
	case THREAD_TRACE_RECORD:
		break;
	}
	if (s->r.kind == THREAD_RECORD_END) {
		g_free(s);
		return;
	}
	relate(thread_of(s->r.thread), s);
	g_queue_push_tail(&thread_of(s->r.thread)->steps, s);
}

static struct step *first_of(struct replayed *t)
{
	while (!it.is_read && g_queue_is_empty(&t->steps))
		read_one();
	return g_queue_peek_head(&t->steps);
}

static void drop_first(struct replayed *t)
{
	g_free(g_queue_pop_head(&t->steps));
	t->is_computed = false;
}

/* ---- threads and hardware threads ---- */

static void make_ready(struct replayed *t, uint64_t time_ps)
{
	struct unit *u = &it.units[t->unit];

	t->ready_ps = time_ps;
	if (u->running) {
		t->state = READY;
		g_queue_push_tail(&u->ready, t);
		return;
	}
	t->state = RUNNING;
	u->running = t;
	u->now_ps = MAX(u->now_ps, time_ps);
}

/* The unit's thread waits or is gone. */
static void leave_unit(struct replayed *t, enum state state)
{
	struct unit *u = &it.units[t->unit];

	t->state = state;
	u->running = g_queue_pop_head(&u->ready);
	if (!u->running)
		return;
	u->running->state = RUNNING;
	u->now_ps = MAX(u->now_ps, u->running->ready_ps);
}

/* Its place is another's. */
static void end_thread(struct replayed *t)
{
	it.units[t->unit].thread_count--;
	leave_unit(t, GONE);
}

/* Where the machine would put it as a thread of a region of the first one, which stays where it is; else the CPU's unit
 * that has the fewest. */
static uint32_t unit_of_new(const struct replayed *t)
{
	const struct thread_machine *m = &it.model->machine;
	const uint32_t count = m->cpu_unit_count ? m->cpu_unit_count : m->unit_count;
	const struct thread_place place = {.level = 1, .thread = t->number};
	uint32_t best = t->number && it.model->unit_for ? it.model->unit_for(it.model->self, &place) : THREAD_UNIT_ANY;

	if (best != THREAD_UNIT_ANY)
		return best;
	best = 0;
	for (uint32_t i = 1; i < count; i++)
		if (it.units[i].thread_count < it.units[best].thread_count)
			best = i;
	return best;
}

static void begin_thread(struct replayed *t, uint64_t time_ps)
{
	if (t->state != ABSENT)
		wrong("a thread is made twice");
	t->unit = unit_of_new(t);
	it.units[t->unit].thread_count++;
	make_ready(t, time_ps);
}

static struct thread_at at_of(const struct replayed *t)
{
	return (struct thread_at){.unit = t->unit, .thread = t->number, .now_ps = it.units[t->unit].now_ps};
}

/* ---- what the model asks of us ---- */

static void resume(uint32_t thread, uint64_t time_ps, void *bytes)
{
	struct replayed *t = thread_of(thread);

	(void)bytes;
	t->state = RUNNING;
	it.units[t->unit].now_ps = time_ps;
}

static void event(uint64_t time_ps)
{
	it.event_ps = MIN(it.event_ps, time_ps);
}

static _Noreturn void fail(uint32_t thread, const char *text)
{
	fprintf(stderr, "strata: thread %u %s\n", thread, text);
	_exit(EXIT_WRONG);
}

/* ---- steps ---- */

static guint counts_hash(gconstpointer key)
{
	const uint16_t *counts = key;
	guint hash = 0;

	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		hash = hash * 31 + counts[i];
	return hash;
}

static gboolean counts_equal(gconstpointer a, gconstpointer b)
{
	return !memcmp(a, b, THREAD_CLASS_COUNT * sizeof(uint16_t));
}

/* At most as many as a site may have. False: none are left. */
static bool take_counts(uint64_t *left, uint16_t *out)
{
	bool is_some = false;

	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++) {
		out[i] = (uint16_t)MIN(left[i], UINT16_MAX);
		left[i] -= out[i];
		is_some |= out[i] > 0;
	}
	return is_some;
}

static void compute(struct replayed *t, struct step *s)
{
	uint16_t counts[THREAD_CLASS_COUNT];

	while (take_counts(s->r.counts, counts)) {
		uint16_t *kept = g_hash_table_lookup(it.counts, counts);
		const struct thread_at at = at_of(t);

		if (!kept) {
			kept = g_memdup2(counts, sizeof(counts));
			g_hash_table_add(it.counts, kept);
		}
		it.units[t->unit].now_ps += it.model->compute(it.model->self, &at, kept);
	}
}

static void go_on(struct replayed *t, uint64_t done_ps)
{
	if (done_ps == THREAD_WAITS)
		t->state = STALLED;
	else
		it.units[t->unit].now_ps = done_ps;
}

static void do_access(struct replayed *t, const struct thread_record *r)
{
	static const struct thread_site unknown; /* what it hangs on, and what hangs on it */
	struct thread_at at = at_of(t);
	char *bytes = it.scratch + SCRATCH_BEGIN + r->address % SCRATCH_BEGIN;

	at.site = &unknown;
	go_on(t, it.model->access(it.model->self, &at, r->address, bytes, r->bytes, r->access).done_ps);
}

static void do_wake(struct replayed *t, uint64_t number)
{
	const uint64_t now = it.units[t->unit].now_ps;
	const gpointer key = (gpointer)(uintptr_t)number;
	GSList *waiting = g_hash_table_lookup(it.waiting, key);

	g_hash_table_insert(it.wake_times, key, (gpointer)(uintptr_t)now);
	g_hash_table_remove(it.waiting, key);
	waiting = g_slist_reverse(waiting);
	for (GSList *l = waiting; l; l = l->next)
		make_ready(l->data, now + it.model->machine.wake_ps);
	g_slist_free(waiting);
}

/* The next record of a thread that waits is that it goes on. */
static void do_wait(struct replayed *t)
{
	const uint64_t now = it.units[t->unit].now_ps;
	struct step *s = first_of(t);
	gpointer key, time;

	leave_unit(t, WAITING);
	if (!s) /* the program ended before */
		return;
	if (s->r.kind != THREAD_RECORD_EVENT || s->r.event != THREAD_RESUME)
		wrong("a thread that waits goes on without a record of it");
	key = (gpointer)(uintptr_t)s->wake;
	if (s->wake == NO_WAKE)
		make_ready(t, now + s->slept_ps);
	else if (g_hash_table_lookup_extended(it.wake_times, key, NULL, &time))
		make_ready(t, MAX(now, (uint64_t)(uintptr_t)time + it.model->machine.wake_ps));
	else
		g_hash_table_insert(it.waiting, key, g_slist_prepend(g_hash_table_lookup(it.waiting, key), t));
}

static void do_event(struct replayed *t, enum thread_event what, uint64_t value, uint64_t wake)
{
	const struct thread_machine *m = &it.model->machine;
	struct unit *u = &it.units[t->unit];
	struct thread_at at;

	u->now_ps += what == THREAD_CREATE ? m->create_ps : what == THREAD_WAIT || what == THREAD_WAKE ?
							    m->system_call_ps : 0;
	at = at_of(t);
	it.model->event(it.model->self, &at, what, value);
	switch (what) {
	case THREAD_CREATE:
		if (value >= THREAD_TRACE_THREADS_MAX)
			wrong("a thread has no such number");
		begin_thread(thread_of((uint32_t)value), u->now_ps);
		break;
	case THREAD_END:
		t->is_ending = true;
		break;
	case THREAD_WAIT:
		do_wait(t);
		break;
	case THREAD_WAKE:
		do_wake(t, wake);
		if (t->is_ending)
			end_thread(t);
		break;
	default: /* goes on: it does */
		break;
	}
}

static void do_step(struct replayed *t)
{
	struct step *s = first_of(t);
	struct thread_record r;
	uint64_t wake, done;
	struct thread_at at;

	if (!s) { /* nobody was woken by its end, or the program ended before */
		end_thread(t);
		return;
	}
	if (!t->is_computed) { /* others may be earlier then */
		compute(t, s);
		t->is_computed = true;
		return;
	}
	r = s->r;
	wake = s->wake;
	drop_first(t);
	switch (r.kind) {
	case THREAD_RECORD_ACCESS:
		do_access(t, &r);
		break;
	case THREAD_RECORD_FENCE:
		at = at_of(t);
		done = it.model->fence(it.model->self, &at);
		go_on(t, done);
		break;
	case THREAD_RECORD_EVENT:
		do_event(t, r.event, r.value, wake);
		break;
	case THREAD_RECORD_END:
		break;
	}
}

static struct unit *earliest(void)
{
	struct unit *first = NULL;

	for (uint32_t i = 0; i < it.model->machine.unit_count; i++) {
		struct unit *u = &it.units[i];

		if (u->running && u->running->state == RUNNING && (!first || u->now_ps < first->now_ps))
			first = u;
	}
	return first;
}

static void run(void)
{
	struct thread_at at = {0};

	begin_thread(thread_of(0), 0);
	for (;;) {
		struct unit *u = earliest();
		const uint64_t until = it.event_ps;

		if (until != UINT64_MAX && (!u || until <= u->now_ps)) {
			it.event_ps = UINT64_MAX;
			it.model->advance(it.model->self, until, u ? u->now_ps : UINT64_MAX);
		} else if (u) {
			do_step(u->running);
		} else {
			break;
		}
	}
	for (guint i = 0; i < it.threads->len; i++)
		if (it.threads->pdata[i] && !g_queue_is_empty(&thread_of(i)->steps))
			wrong("a thread waits for a wake that nobody has recorded");
	for (uint32_t i = 0; i < it.model->machine.unit_count; i++)
		at.now_ps = MAX(at.now_ps, it.units[i].now_ps);
	it.model->end(it.model->self, &at, 0);
}

/* ---- the program ---- */

static void load_model(void)
{
	static const struct thread_runtime runtime = {.resume = resume, .event = event, .fail = fail};
	const char *path = getenv("STRATA_THREADS_MODEL"), *options = getenv("STRATA_THREADS_OPTIONS");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	thread_model_make *make = library ? (thread_model_make *)dlsym(library, THREAD_MODEL_ENTRY) : NULL;

	if (!path)
		fputs("strata: a trace is replayed by `strata trace replay`\n", stderr);
	else if (!make)
		fprintf(stderr, "strata: cannot load the model: %s\n", dlerror());
	it.model = make ? make(&runtime, options ? options : "") : NULL;
	if (!it.model)
		_exit(EXIT_OWN_FAILURE);
	it.units = g_new0(struct unit, it.model->machine.unit_count);
	for (uint32_t i = 0; i < it.model->machine.unit_count; i++)
		g_queue_init(&it.units[i].ready);
}

int main(int argc, char **argv)
{
	const char *why = NULL;

	if (argc != 2) {
		fputs("usage: strata-replay TRACE, by `strata trace replay`\n", stderr);
		return EXIT_WRONG;
	}
	it.path = argv[1];
	it.trace = thread_trace_open(argv[1], &why);
	if (!it.trace)
		wrong(why);
	it.event_ps = UINT64_MAX;
	it.threads = g_ptr_array_new();
	it.last_wake = g_hash_table_new(NULL, NULL);
	it.wake_times = g_hash_table_new(NULL, NULL);
	it.waiting = g_hash_table_new(NULL, NULL);
	it.counts = g_hash_table_new(counts_hash, counts_equal);
	it.scratch = mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (it.scratch == MAP_FAILED) {
		fprintf(stderr, "strata: no room for the bytes of accesses: %s\n", strerror(errno));
		return EXIT_OWN_FAILURE;
	}
	load_model();
	if (it.model->machine.accelerator_count)
		fprintf(stderr, "strata: %s: traces have no messages; the accelerators of the machine get none\n",
			it.path);
	run();
	thread_trace_close(it.trace);
	return 0;
}
