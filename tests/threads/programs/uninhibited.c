/* uninhibited.c - an NDP keeps lines of another channel that a processor writes anew: right with a flush before they
 * are read again. "forget": without, and then what it reads is old. */
#include "check.h"

#include <pthread.h>
#include <stdint.h>
#include <strata/ndp.h>
#include <string.h>

enum { WORDS = 16, ROUNDS = 4, NDP = 0, CHANNEL = 1 };

static uint64_t *data;
static int does_flush, wrong;
static pthread_barrier_t written, was_read;

static void *reads(void *arg)
{
	(void)arg;
	EXPECT(strata_run_on_ndp(NDP, 0) == 0);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		pthread_barrier_wait(&written);
		if (does_flush)
			strata_flush(data, WORDS * sizeof(*data));
		for (int i = 0; i < WORDS; i++)
			wrong += data[i] != round * 100 + (uint64_t)i;
		pthread_barrier_wait(&was_read);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t reader;

	does_flush = argc < 2 || strcmp(argv[1], "forget") != 0;
	data = strata_alloc_on(WORDS * sizeof(*data), CHANNEL);
	EXPECT(data && strata_remote_cacheable(data, WORDS * sizeof(*data), 1) == 0);
	pthread_barrier_init(&written, NULL, 2);
	pthread_barrier_init(&was_read, NULL, 2);
	pthread_create(&reader, NULL, reads, NULL);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		for (int i = 0; i < WORDS; i++)
			data[i] = round * 100 + (uint64_t)i;
		pthread_barrier_wait(&written);
		pthread_barrier_wait(&was_read);
	}
	pthread_join(reader, NULL);
	printf("%d words wrong\n", wrong);
	return wrong != 0;
}
