/* shared.c - threads that hand data to each other, and check what comes: rows of a matrix that each round a
 * neighbour continues, counters under a lock. A copy that is not the newest makes it fail. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { THREADS = 4, ROWS = 16, COLUMNS = 64, ROUNDS = 12, COUNTERS = 8 };

static uint64_t rows[ROWS][COLUMNS];
static uint64_t counters[COUNTERS][16];
static pthread_mutex_t locks[COUNTERS];
static pthread_barrier_t round_over;
static int wrong;

static void check_row(int row, uint64_t round)
{
	for (int i = 0; i < COLUMNS; i++)
		if (rows[row][i] != round * 1000 + (uint64_t)i)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
	int self = (int)(intptr_t)arg;

	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (int row = 0; row < ROWS; row++) {
			if ((row + (int)round) % THREADS != self)
				continue;
			if (round)
				check_row(row, round);
			for (int i = 0; i < COLUMNS; i++)
				rows[row][i] = (round + 1) * 1000 + (uint64_t)i;
		}
		for (int i = 0; i < COUNTERS; i++) {
			pthread_mutex_lock(&locks[i]);
			counters[i][(round + (uint64_t)self) % 16]++;
			pthread_mutex_unlock(&locks[i]);
		}
		pthread_barrier_wait(&round_over);
		for (int row = 0; row < ROWS; row++) /* copies in all caches */
			check_row(row, round + 1);
		pthread_barrier_wait(&round_over);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	uint64_t sum = 0;

	pthread_barrier_init(&round_over, NULL, THREADS);
	for (int i = 0; i < COUNTERS; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < COUNTERS; i++)
		for (int k = 0; k < 16; k++)
			sum += counters[i][k];
	printf("%d of the rows' words wrong, %lu of %d counted\n", wrong, (unsigned long)sum,
	       COUNTERS * THREADS * ROUNDS);
	return wrong || sum != COUNTERS * THREADS * ROUNDS;
}
