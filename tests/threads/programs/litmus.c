/* litmus.c - what threads on processors and NDPs may see of each other's writes: small tests of memory order, each many
 * times with delays that differ, on all pairs of places. Prints how often each outcome was seen. An outcome that a
 * fence between the two accesses of a thread forbids, or that coherence of one word forbids at all, is a failure. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <strata/ndp.h>
#include <string.h>

enum { ROUNDS = 60, THREADS = 4, LINE_BYTES = 128, DELAY_BITS = 13 };

struct line {
	_Alignas(LINE_BYTES) volatile unsigned value;
};

/* One access each before and after the fence; a line of x and one of y per round. */
struct step {
	enum { NOTHING, WRITE_1, WRITE_2, READ } what;
	bool is_y;
};

struct shape {
	const char *name;
	struct step steps[THREADS][2];
	/* Digits: what the reads saw in the order of threads and steps, then x and y at the end where is_final. */
	unsigned forbidden[2];
	bool is_final, always; /* also without fences */
};

#define X(what) {what, false}
#define Y(what) {what, true}
static const struct shape shapes[] = {
    {"MP", {{X(WRITE_1), Y(WRITE_1)}, {Y(READ), X(READ)}}, {10}, false, false},
    {"SB", {{X(WRITE_1), Y(READ)}, {Y(WRITE_1), X(READ)}}, {0}, false, false},
    {"LB", {{X(READ), Y(WRITE_1)}, {Y(READ), X(WRITE_1)}}, {11}, false, false},
    {"2+2W", {{X(WRITE_1), Y(WRITE_2)}, {Y(WRITE_1), X(WRITE_2)}}, {11}, true, false},
    {"IRIW", {{X(WRITE_1)}, {Y(WRITE_1)}, {X(READ), Y(READ)}, {Y(READ), X(READ)}}, {1010}, false, false},
    {"CoRR", {{X(WRITE_1), X(WRITE_2)}, {X(READ), X(READ)}}, {10, 21}, false, true},
    {"CoWW", {{X(WRITE_1), X(WRITE_2)}}, {10, 0}, true, true},
};

static const struct place {
	const char *name;
	int ndps[THREADS]; /* -1: a core of the CPU */
} places[] = {
    {"CPU, CPU", {-1, -1, -1, -1}}, {"CPU, NDP", {-1, 0, -1, 0}}, {"NDP, CPU", {0, -1, 0, -1}},
    {"NDP, same", {0, 0, 0, 0}},    {"NDP, other", {0, 1, 0, 1}},
};

static struct line *x, *y;
static const struct shape *shape;
static const struct place *place;
static bool has_fence, is_warm;
static uint32_t thread_count;
static atomic_uint arrived, begun;
static unsigned seen[ROUNDS][THREADS][2], counts[10000];

static void meet(unsigned round)
{
	atomic_fetch_add(&arrived, 1);
	while (atomic_load(&arrived) < thread_count * (round + 1))
		;
}

static unsigned do_step(const struct step *s, unsigned round)
{
	volatile unsigned *at = &(s->is_y ? y : x)[round].value;

	if (s->what == READ)
		return *at;
	if (s->what != NOTHING)
		*at = s->what == WRITE_1 ? 1 : 2;
	return 0;
}

static void *runs(void *arg)
{
	const uint32_t me = (uint32_t)(uintptr_t)arg;
	const struct step *steps = shape->steps[me];
	uint32_t random = me * 7919 + 1;

	if (place->ndps[me] >= 0)
		EXPECT(strata_run_on_ndp((uint32_t)place->ndps[me], me) == 0);
	else
		EXPECT(strata_run_on_cpu(me) == 0);
	atomic_fetch_add(&begun, 1);
	while (atomic_load(&begun) < thread_count)
		;
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned sum = 0;

		/* Who has a copy already may read an old one. */
		if (is_warm || round % 2)
			sum = x[round].value + y[round].value;
		EXPECT(sum == 0);
		meet(round * 2);
		random = random * 1103515245 + 12345;
		/* Up to a power of two, for an NDP comes out of the meeting a microsecond later than the CPU. */
		for (uint32_t i = (random >> 16) % (1u << (random >> 8) % DELAY_BITS); i--;)
			__asm__ volatile("" ::: "memory");
		if (has_fence) {
			seen[round][me][0] = do_step(&steps[0], round);
			atomic_thread_fence(memory_order_seq_cst);
			seen[round][me][1] = do_step(&steps[1], round);
		} else {
			const unsigned first = do_step(&steps[0], round), second = do_step(&steps[1], round);

			seen[round][me][0] = first;
			seen[round][me][1] = second;
		}
		meet(round * 2 + 1);
	}
	return NULL;
}

static unsigned outcome_of(unsigned round)
{
	unsigned outcome = 0;

	for (uint32_t t = 0; t < thread_count; t++)
		for (uint32_t s = 0; s < 2; s++)
			if (shape->steps[t][s].what == READ)
				outcome = outcome * 10 + seen[round][t][s];
	return shape->is_final ? x[round].value * 10 + y[round].value : outcome;
}

/* How often what is forbidden was seen. */
static unsigned run_once(void)
{
	pthread_t threads[THREADS];
	unsigned wrong = 0;

	memset((void *)x, 0, ROUNDS * sizeof(*x));
	memset((void *)y, 0, ROUNDS * sizeof(*y));
	memset(counts, 0, sizeof(counts));
	atomic_store(&arrived, 0);
	atomic_store(&begun, 0);
	for (thread_count = 0; thread_count < THREADS && shape->steps[thread_count][0].what != NOTHING;)
		thread_count++;
	for (uint32_t t = 0; t < thread_count; t++)
		pthread_create(&threads[t], NULL, runs, (void *)(uintptr_t)t);
	for (uint32_t t = 0; t < thread_count; t++)
		pthread_join(threads[t], NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		const unsigned outcome = outcome_of(round);

		counts[outcome]++;
		wrong += outcome == shape->forbidden[0] || (shape->forbidden[1] && outcome == shape->forbidden[1]);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	unsigned failures = 0;

	x = strata_alloc_on(ROUNDS * sizeof(*x), 0);
	y = strata_alloc_on(ROUNDS * sizeof(*y), argc > 1 && !strcmp(argv[1], "near") ? 0 : 1);
	is_warm = argc > 1 && !strcmp(argv[1], "warm");
	EXPECT(x && y);
	for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++)
		for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
			for (int fence = 0; fence < 2; fence++) {
				unsigned wrong;

				place = &places[p];
				shape = &shapes[s];
				has_fence = fence;
				wrong = run_once();
				printf("%-10s %-4s %s:", place->name, shape->name, fence ? "fence" : "plain");
				for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
					if (counts[i])
						printf(" %u %u", i, counts[i]);
				printf("%s\n", !wrong ? "" : fence || shape->always ? " FORBIDDEN" : " without order");
				if (fence || shape->always)
					failures += wrong;
			}
	printf("%u forbidden outcomes\n", failures);
	return failures != 0;
}
