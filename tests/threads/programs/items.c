/* items.c - an NDP core writes a word again and again; each time another one of its NDP changes so many lines that the
 * item of the directory with the word's line leaves its cache; then a processor reads the word. Status 1: what it reads
 * is old. */
#include "check.h"

#include <pthread.h>
#include <stdint.h>
#include <strata/ndp.h>

enum { ITEM_BYTES = 128 * 128, ITEMS = 64, ROUNDS = 4, NDP = 0 };

static char *data;
static pthread_barrier_t begun, written, pushed, was_read;

static volatile uint64_t *word_of(int item)
{
	return (volatile uint64_t *)(void *)(data + (size_t)item * ITEM_BYTES);
}

static void *writes(void *arg)
{
	(void)arg;
	EXPECT(strata_run_on_ndp(NDP, 0) == 0);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		pthread_barrier_wait(&begun);
		*word_of(0) = round;
		pthread_barrier_wait(&written);
		pthread_barrier_wait(&pushed);
		pthread_barrier_wait(&was_read);
	}
	return NULL;
}

static void *pushes(void *arg)
{
	(void)arg;
	EXPECT(strata_run_on_ndp(NDP, 1) == 0);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		pthread_barrier_wait(&begun);
		pthread_barrier_wait(&written);
		for (int i = 1; i < ITEMS; i++)
			*word_of(i) = round;
		pthread_barrier_wait(&pushed);
		pthread_barrier_wait(&was_read);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int wrong = 0;

	data = strata_alloc_on((size_t)ITEMS * ITEM_BYTES, NDP);
	EXPECT(data != NULL);
	pthread_barrier_init(&begun, NULL, 3);
	pthread_barrier_init(&written, NULL, 3);
	pthread_barrier_init(&pushed, NULL, 3);
	pthread_barrier_init(&was_read, NULL, 3);
	pthread_create(&threads[0], NULL, writes, NULL);
	pthread_create(&threads[1], NULL, pushes, NULL);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		pthread_barrier_wait(&begun);
		pthread_barrier_wait(&written);
		pthread_barrier_wait(&pushed);
		wrong += *word_of(0) != round;
		pthread_barrier_wait(&was_read);
	}
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("%d of %d words wrong\n", wrong, ROUNDS);
	return wrong != 0;
}
