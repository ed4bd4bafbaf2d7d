/* unmodified.c - threads that count under a lock, built by any compiler. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 500, WORDS = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t ready;
static long counted, words[THREADS][WORDS];

static void *work(void *own)
{
	long *w = own;

	pthread_barrier_wait(&ready);
	for (int i = 0; i < WORDS; i++)
		w[i] += i;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		counted++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&ready, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, words[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", counted);
	return counted != THREADS * ROUNDS;
}
