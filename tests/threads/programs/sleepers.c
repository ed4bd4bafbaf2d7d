/* sleepers.c - sleeps of hours, in simulated time: who wakes first runs first, and a wait ends when it is over. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static int is_woken;

static void *sleep_hours(void *hours)
{
	nanosleep(&(struct timespec){.tv_sec = 3600 * (long)hours}, NULL);
	printf("%ld hours\n", (long)hours);
	return NULL;
}

static void *wake_after_an_hour(void *unused)
{
	nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
	pthread_mutex_lock(&lock);
	is_woken = 1;
	pthread_cond_signal(&woken);
	pthread_mutex_unlock(&lock);
	return unused;
}

/* Longer than the sleep of who wakes it by a second. */
static void *wait_for_it(void *unused)
{
	struct timespec until;
	int error = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 3601;
	pthread_mutex_lock(&lock);
	while (!is_woken && !error)
		error = pthread_cond_timedwait(&woken, &lock, &until);
	pthread_mutex_unlock(&lock);
	printf("woken: %d\n", is_woken);
	return unused;
}

int main(void)
{
	pthread_t threads[5];

	pthread_create(&threads[0], NULL, wake_after_an_hour, NULL);
	pthread_create(&threads[1], NULL, wait_for_it, NULL);
	for (long i = 2; i < 5; i++)
		pthread_create(&threads[i], NULL, sleep_hours, (void *)(3 * (5 - i)));
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
