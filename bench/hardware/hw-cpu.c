/*
 * hw-cpu - what a processor's caches, memory and coherence take: one measurement a run, self-checking.
 *
 * The same source runs on hardware and on Strata's machines. Plainly, from the top of the repository:
 * cc -O2 -fopenmp -D_GNU_SOURCE -Iinclude -Iworkloads bench/hardware/hw-cpu.c workloads/common/program.c -lm -o hw-cpu
 * There OMP_PROC_BIND=spread OMP_PLACES=cores keeps each thread on a core of its own.
 */
#include "common/program.h"

#include <strata/ndp.h>

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

static const struct workload_about about = {
	.name = "hw-cpu",
	.summary = "Measures one thing of a processor: latency, bandwidth, handover, contention, pages.",
	.small_size = "a chase through 16 KB, 2,000 steps",
	.paper_size = "a chase through 256 MB, 100,000 steps",
};

enum what { CHASE, LOAD, COPY, TRIAD, TRANSFER, HANDOVER, ADD, CAS, LOCK, BARRIER, FAULT, UNMAP };
static const char *const whats[] = {"chase",  "load", "copy", "triad", "transfer", "handover", "add",
				    "cas",    "lock", "barrier", "fault", "unmap", NULL};
static const char *const states[] = {"clean", "modified", NULL};
enum order { RANDOM, IN_TURN };
static const char *const orders[] = {"random", "in-turn", NULL};

enum { DO, KBYTES, EACH, THREADS, WARM, STRIDE, ORDER, PARTNER, STATE, HOME };
static const struct workload_count counts[] = {
	{"do", "what is measured", CHASE, CHASE, CHASE, UNMAP, 1, whats},
	{"kbytes", "KB of the working set, or of each array", 16, 262144, 4, 1u << 26, 4, NULL},
	{"each", "steps, or operations of each thread", 2000, 100000, 1, 1u << 30, 1, NULL},
	{"threads", "threads", 1, 1, 1, 1024, 1, NULL},
	{"warm", "1: a chase goes round once before it is timed", 1, 0, 0, 1, 1, NULL},
	{"stride", "bytes from a line of a chase to the next; 8192 and more: a page each", 128, 128, 64, 1u << 21, 64,
	 NULL},
	{"order", "lines of a chase at random, or one behind the other", RANDOM, RANDOM, RANDOM, IN_TURN, 1, orders},
	{"partner", "the thread that takes lines over from thread 0", 1, 1, 1, 1023, 1, NULL},
	{"state", "how thread 0 has the lines that are taken over", 0, 0, 0, 1, 1, states},
	{"home", "the thread that touches the memory of a chase or of loads first; 0: who uses it", 0, 0, 0, 1023, 1,
	 NULL},
};

/* On a machine of several sockets, pages lie in the memory of who touches them first. */
static void touch_from(const struct workload_options *o, void *memory, size_t bytes)
{
	const int home = (int)o->counts[HOME];
	char *at = memory;
	int there = home + 1;

	if (!home)
		return;
	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel num_threads(home + 1)
	{
#pragma omp single
		there = omp_get_num_threads();
		for (size_t i = 0; omp_get_thread_num() == home && i < bytes; i += 4096)
			at[i] = 0;
	}
	strata_modelling_end();
	if (there != home + 1)
		workload_fail("there are no %d threads", home + 1);
}

struct node {
	struct node *next;
	uint64_t number;
	char rest[48];
};
_Static_assert(sizeof(struct node) == 64, "the smallest line");

struct chain {
	char *memory;
	uint32_t *next; /* where a walk goes from each node: one cycle through all */
	uint32_t count;
	size_t stride;
};

/* Of pages each node has another line, so that they do not meet in one set. */
static struct node *node_at(const struct chain *c, uint32_t i)
{
	const size_t line = c->stride >= 8192 ? (i % 32) * 128 : 0;

	return (struct node *)(void *)(c->memory + i * c->stride + line);
}

static struct chain chain_make(const struct workload_options *o)
{
	struct chain c = {.stride = o->counts[STRIDE]};
	const size_t bytes = (size_t)o->counts[KBYTES] * 1024;

	c.count = (uint32_t)(bytes / c.stride);
	if (c.count < 2)
		workload_fail("--kbytes %u hold no two lines of %zu bytes", o->counts[KBYTES], c.stride);
	c.memory = aligned_alloc(4096, bytes);
	if (!c.memory)
		workload_fail("no memory for %zu bytes", bytes);
	touch_from(o, c.memory, bytes);
	c.next = workload_host_alloc(c.count, sizeof(*c.next));
	for (uint32_t i = 0; i < c.count; i++)
		c.next[i] = o->counts[ORDER] == IN_TURN ? (i + 1) % c.count : i;
	for (uint32_t i = c.count - 1; o->counts[ORDER] == RANDOM && i > 0; i--) { /* Sattolo's shuffle */
		const uint32_t other = (uint32_t)(workload_random(o->seed, 0, i) % i), kept = c.next[i];

		c.next[i] = c.next[other];
		c.next[other] = kept;
	}
	for (uint32_t i = 0; i < c.count; i++) {
		node_at(&c, i)->next = node_at(&c, c.next[i]);
		node_at(&c, i)->number = i;
	}
	return c;
}

static void chain_free(struct chain *c)
{
	free(c->memory);
	free(c->next);
}

/* The node after so many steps; the compiler cannot leave the walk out. */
static const struct node *walk(const struct node *at, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; i++)
		at = at->next;
	return at;
}

static bool walk_is_right(const struct chain *c, const struct node *end, uint64_t steps)
{
	uint32_t at = 0;

	for (uint64_t i = 0; i < steps; i++)
		at = c->next[at];
	return workload_same_u64("the walk's end", &end->number, &(uint64_t){at}, 1);
}

static bool chase(const struct workload_options *o)
{
	struct chain c = chain_make(o);
	const uint32_t steps = o->counts[EACH], before = o->counts[WARM] ? c.count : 0;
	const struct node *at;
	double seconds;
	bool right;

	strata_modelling_begin(STRATA_CACHES_COLD);
	at = walk(node_at(&c, 0), before);
	seconds = workload_seconds();
	at = walk(at, steps);
	seconds = workload_seconds() - seconds;
	strata_modelling_end();
	right = walk_is_right(&c, at, (uint64_t)before + steps);
	workload_measure("latency", seconds / steps * 1e9, "ns");
	chain_free(&c);
	return right;
}

/* ---- streams: after a first pass, as many as 1 MB of each array, at least one, are timed ---- */

struct stream {
	uint64_t *words, sum;
	double *a, *b, *c;
	size_t n;
	uint32_t passes;
	int threads;
};

/* As likwid-bench has it: vectors, and more sums than the latency of a load and an addition would need. */
typedef uint64_t vector __attribute__((vector_size(16)));
enum { SUMS = 8, BLOCK = SUMS * 2 };

static uint64_t load_part(const uint64_t *words, size_t begin, size_t end)
{
	vector sums[SUMS] = {{0}};
	uint64_t sum = 0;

	for (size_t i = begin; i < end; i += BLOCK) {
		const vector *at = (const vector *)(const void *)(words + i);
		vector got[SUMS];

		for (unsigned int k = 0; k < SUMS; k++)
			got[k] = at[k];
		for (unsigned int k = 0; k < SUMS; k++)
			sums[k] += got[k];
	}
	for (unsigned int k = 0; k < SUMS; k++)
		sum += sums[k][0] + sums[k][1];
	return sum;
}

static void store_part(const struct stream *s, enum what what, size_t begin, size_t end)
{
	const double *b = s->b, *c = s->c;
	double *a = s->a;

	if (what == COPY)
		for (size_t i = begin; i < end; i++)
			a[i] = b[i];
	else
		for (size_t i = begin; i < end; i++)
			a[i] = b[i] + 3 * c[i];
}

/* Each thread has the same part in each pass; a team is made once, for small arrays take less than that. */
static void stream_passes(struct stream *s, enum what what, uint32_t passes)
{
	const size_t blocks = s->n / BLOCK, threads = (size_t)s->threads;
	uint64_t sum = 0;

#pragma omp parallel num_threads(s->threads) reduction(+ : sum)
	{
		const size_t me = (size_t)omp_get_thread_num();
		const size_t begin = blocks * me / threads * BLOCK, end = blocks * (me + 1) / threads * BLOCK;

		for (uint32_t pass = 0; pass < passes; pass++) {
			if (what == LOAD)
				sum += load_part(s->words, begin, end);
			else
				store_part(s, what, begin, end);
			atomic_signal_fence(memory_order_seq_cst); /* no pass is computed from another */
		}
	}
	s->sum = sum;
}

static bool stream_is_right(const struct stream *s, enum what what)
{
	const uint64_t want = s->n * (s->n - 1) / 2 * s->passes;
	bool right = what != LOAD || workload_same_u64("sum", &s->sum, &want, 1);

	for (size_t i = 0; what != LOAD && right && i < s->n; i++) {
		const double wanted = what == COPY ? s->b[i] : s->b[i] + 3 * s->c[i];

		right = workload_same_f64("a", &s->a[i], &wanted, 1, i);
	}
	return right;
}

static bool stream(const struct workload_options *o)
{
	const enum what what = o->counts[DO];
	struct stream s = {.n = (size_t)o->counts[KBYTES] * 128, .threads = (int)o->counts[THREADS]};
	const double bytes = (what == LOAD ? 8.0 : what == COPY ? 16.0 : 24.0) * (double)s.n;
	double seconds;
	bool right;

	s.passes = o->counts[KBYTES] < 1024 ? 1024 / o->counts[KBYTES] : 1;
	s.words = workload_host_alloc(s.n, sizeof(*s.words));
	touch_from(o, s.words, s.n * sizeof(*s.words));
	s.a = workload_host_alloc(s.n, sizeof(*s.a));
	s.b = workload_host_alloc(s.n, sizeof(*s.b));
	s.c = workload_host_alloc(s.n, sizeof(*s.c));
#pragma omp parallel for num_threads(s.threads) schedule(static) /* who uses it touches it first */
	for (size_t i = 0; i < s.n; i++) {
		s.words[i] = i;
		s.a[i] = 0;
		s.b[i] = (double)i;
		s.c[i] = (double)(i % 7);
	}
	strata_modelling_begin(STRATA_CACHES_COLD);
	stream_passes(&s, what, 1);
	seconds = workload_seconds();
	stream_passes(&s, what, s.passes);
	seconds = workload_seconds() - seconds;
	strata_modelling_end();
	right = stream_is_right(&s, what);
	workload_measure("bandwidth", bytes * s.passes / seconds * 1e-9, "GB/s");
	free(s.words);
	free(s.a);
	free(s.b);
	free(s.c);
	return right;
}

/* ---- between cores ---- */

/* Thread 0 reads or writes all lines; the partner then walks through them. */
static bool transfer(const struct workload_options *o)
{
	struct chain c = chain_make(o);
	const uint32_t count = c.count;
	const int partner = (int)o->counts[PARTNER];
	const struct node *end = NULL;
	uint64_t sum = 0;
	double seconds = 0;
	bool right;

	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel num_threads(partner + 1)
	{
		if (omp_get_thread_num() == 0)
			for (uint32_t i = 0; i < count; i++) {
				sum += node_at(&c, i)->number;
				if (o->counts[STATE])
					node_at(&c, i)->rest[0] = 1;
			}
#pragma omp barrier
		if (omp_get_thread_num() == partner) {
			const double begin = workload_seconds();

			end = walk(node_at(&c, 0), count);
			seconds = workload_seconds() - begin;
		}
	}
	strata_modelling_end();
	if (!end)
		workload_fail("there are no %d threads", partner + 1);
	right = walk_is_right(&c, end, count) &&
		workload_same_u64("sum", &sum, &(uint64_t){(uint64_t)count * (count - 1) / 2}, 1);
	workload_measure("latency", seconds / count * 1e9, "ns");
	chain_free(&c);
	return right;
}

/* What threads contend for, a line of its own each. */
static struct {
	_Alignas(128) _Atomic uint64_t word;
	_Alignas(128) pthread_mutex_t mutex;
	_Alignas(128) uint64_t counter;
} shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Thread 0 and the partner hand the word to each other: even numbers are thread 0's turn. */
static void hand_over(uint64_t mine, uint32_t each)
{
	for (uint64_t i = 0; i < each; i++) {
		while (atomic_load_explicit(&shared.word, memory_order_acquire) != 2 * i + mine)
			;
		atomic_store_explicit(&shared.word, 2 * i + mine + 1, memory_order_release);
	}
}

static void contend_once(enum what what)
{
	uint64_t seen;

	if (what == ADD) {
		atomic_fetch_add(&shared.word, 1);
	} else if (what == CAS) {
		seen = atomic_load(&shared.word);
		while (!atomic_compare_exchange_weak(&shared.word, &seen, seen + 1))
			;
	} else {
		pthread_mutex_lock(&shared.mutex);
		shared.counter++;
		pthread_mutex_unlock(&shared.mutex);
	}
}

static void contend(enum what what, int thread, const struct workload_options *o)
{
	const uint32_t each = o->counts[EACH];

	if (what == HANDOVER && (thread == 0 || thread == (int)o->counts[PARTNER]))
		hand_over(thread != 0, each);
	for (uint32_t i = 0; what == BARRIER && i < each; i++) {
#pragma omp barrier
	}
	for (uint32_t i = 0; what != HANDOVER && what != BARRIER && i < each; i++)
		contend_once(what);
}

static bool contended(const struct workload_options *o)
{
	const enum what what = o->counts[DO];
	const int threads = what == HANDOVER ? (int)o->counts[PARTNER] + 1 : (int)o->counts[THREADS];
	const uint64_t done = what == HANDOVER ? 2 : what == BARRIER ? 0 : (uint64_t)threads;
	const uint32_t each = o->counts[EACH];
	double begin = 0, seconds;
	uint64_t got;
	int there = 0;

	strata_modelling_begin(STRATA_CACHES_COLD);
#pragma omp parallel num_threads(threads)
	{
#pragma omp single
		there = omp_get_num_threads();
#pragma omp barrier
#pragma omp master
		begin = workload_seconds();
		if (there == threads)
			contend(what, omp_get_thread_num(), o);
	}
	seconds = workload_seconds() - begin;
	strata_modelling_end();
	if (there != threads)
		workload_fail("there are %d threads of %d", there, threads);
	got = shared.word + shared.counter;
	if (what == HANDOVER)
		workload_measure("one_way", seconds / each / 2 * 1e9, "ns");
	else
		workload_measure("time_of_each", seconds / each * 1e9, "ns");
	return workload_same_u64("count", &got, &(uint64_t){done * each}, 1);
}

/* ---- pages ---- */

static bool pages(const struct workload_options *o)
{
	const size_t bytes = (size_t)o->counts[KBYTES] * 1024, count = bytes / 4096;
	const bool is_fault = o->counts[DO] == FAULT;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum = 0;
	double begin, faults, unmap;

	if (memory == MAP_FAILED)
		workload_fail("no memory for %zu bytes", bytes);
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	strata_modelling_begin(STRATA_CACHES_COLD);
	begin = workload_seconds();
	for (size_t i = 0; i < count; i++)
		memory[i * 4096] = 1;
	faults = workload_seconds() - begin;
	/* Other processors that use the pages have to be told when they go. */
#pragma omp parallel for num_threads(o->counts[THREADS]) schedule(static, 1) reduction(+ : sum)
	for (unsigned int t = 0; t < o->counts[THREADS]; t++)
		for (size_t i = 0; i < count; i++)
			sum += (uint64_t)memory[i * 4096];
	begin = workload_seconds();
	munmap(memory, bytes);
	unmap = workload_seconds() - begin;
	strata_modelling_end();
	if (is_fault)
		workload_measure("fault", faults / (double)count * 1e9, "ns");
	else
		workload_measure("unmap", unmap * 1e9, "ns");
	return workload_same_u64("sum", &sum, &(uint64_t){count * o->counts[THREADS]}, 1);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const enum what what = o.counts[DO];
	bool right;

	strata_modelling_end();
	omp_set_dynamic(0);
	right = what == CHASE	   ? chase(&o)
		: what <= TRIAD	   ? stream(&o)
		: what == TRANSFER ? transfer(&o)
		: what <= BARRIER  ? contended(&o)
				   : pages(&o);
	return workload_finish(right, "%s", whats[what]);
}
