/* ahead.c - threads whose cores may be ahead of their turn: what they do besides loads and stores comes in the order of
 * time all the same, and each has its own thread-local data. Prints what depends on that order. */
#include "check.h"

#include <omp.h>
#include <pthread.h>

enum { THREADS = 64, ROUNDS = 40, WORDS = 16 };

static _Thread_local int own;
static volatile int words_count = WORDS; /* loops stay loops */
static volatile int flags[THREADS][16];
static int drawn[THREADS][ROUNDS];
static void *taken[THREADS][ROUNDS];

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Called in a loop that has no thread-local data itself. */
__attribute__((noinline)) static void count_own(void)
{
	own++;
}

__attribute__((noinline)) static long walk(long *words, int count, int self)
{
	long sum = 0;

	for (int i = 0; i < count; i++) {
		words[i] += self;
		sum += words[i];
		count_own();
	}
	return sum;
}

/* Called back by what has no hooks, where bsearch is not inlined. */
static int compare_slowly(const void *key, const void *item)
{
	long words[WORDS] = {0};

	walk(words, words_count, *(const int *)item);
	return *(const int *)key - *(const int *)item;
}

int main(void)
{
	long all = 0;

	omp_set_num_threads(THREADS);
#pragma omp parallel reduction(+ : all)
	{
		const int self = omp_get_thread_num(), next = (self + 1) % THREADS;
		static const int sorted[] = {1, 2, 3, 5, 8, 13, 21};
		long words[WORDS] = {0};
		const pthread_t handle = pthread_self();

		own = 0;
		for (int round = 0; round < ROUNDS; round++) {
			all += walk(words, words_count, self);
			drawn[self][round] = rand(); /* of all threads, in the order of time */
			taken[self][round] = malloc((size_t)(16 + self % 4 * 16));
			if (round % 8 == 7) { /* lines go from core to core */
				flags[self][0] = round;
				while (flags[next][0] < round - 8)
					;
				free(taken[self][round - 3]);
			}
			all += *(int *)bsearch(&sorted[self % 7], sorted, 7, sizeof(int), compare_slowly);
			EXPECT(pthread_equal(pthread_self(), handle));
		}
		/* bsearch looks at three at most, at one at least */
		EXPECT(own >= ROUNDS * WORDS * 2 && own <= ROUNDS * WORDS * 4);
		EXPECT(own % WORDS == 0 && words[0] == (long)ROUNDS * self);
	}
	unsigned long order = 0;

	for (int i = 0; i < THREADS; i++)
		for (int round = 0; round < ROUNDS; round++)
			order = order * 31 + (unsigned long)drawn[i][round] + (unsigned long)taken[i][round];
	qsort(drawn, THREADS * ROUNDS, sizeof(int), by_value);
	for (int i = 1; i < THREADS * ROUNDS; i++)
		EXPECT(((int *)drawn)[i] >= ((int *)drawn)[i - 1]);
	printf("sum %ld, order %lx\n", all, order);
	return 0;
}
