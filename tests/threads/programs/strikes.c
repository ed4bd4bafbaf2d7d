/* strikes.c - what comes at any place: cancellation of loops, timers that call functions. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { CALLS = 5 };
static atomic_int is_there, cleaned, calls, others;
static atomic_long counted;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void clean(void *arg)
{
	(void)arg;
	atomic_fetch_add(&cleaned, 1);
}

static void *count_for_ever(void *arg)
{
	int type;

	EXPECT(!pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type) && type == PTHREAD_CANCEL_DEFERRED);
	pthread_cleanup_push(clean, NULL);
	atomic_store(&is_there, 1);
	for (;;)
		atomic_fetch_add(&counted, 1);
	pthread_cleanup_pop(0);
	return arg;
}

/* Nothing in it is an access. */
static void *spin_for_ever(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	atomic_store(&is_there, 1);
	for (;;)
		;
	return arg;
}

static void *wait_for_lock(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	atomic_store(&is_there, 1);
	pthread_mutex_lock(&held);
	return arg;
}

/* Only once it allows it. */
static void *hold_out(void *arg)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	atomic_store(&is_there, 1);
	while (atomic_load(&is_there) < 2)
		;
	atomic_fetch_add(&cleaned, 10);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	for (;;)
		;
	return arg;
}

static void strike(void *(*code)(void *))
{
	pthread_t t;
	void *result;

	atomic_store(&is_there, 0);
	EXPECT(!pthread_create(&t, NULL, code, NULL));
	while (!atomic_load(&is_there))
		;
	EXPECT(!pthread_cancel(t));
	atomic_store(&is_there, 2);
	EXPECT(!pthread_join(t, &result) && result == PTHREAD_CANCELED);
}

static void on_time(union sigval value)
{
	atomic_fetch_add(value.sival_int ? &others : &calls, 1);
}

static timer_t make(int value)
{
	struct sigevent event;
	timer_t t;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD;
	event.sigev_notify_function = on_time;
	event.sigev_value.sival_int = value;
	EXPECT(!timer_create(CLOCK_MONOTONIC, &event, &t));
	return t;
}

static void wait_ms(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void timers(void)
{
	const struct itimerspec often = {{0, 10000000}, {0, 10000000}}, once = {{0, 0}, {0, 5000000}},
				late = {{0, 0}, {1000, 0}}, never = {{0, 0}, {0, 0}};
	timer_t a = make(0), b = make(1);
	struct itimerspec left;
	int done;

	EXPECT(!timer_settime(a, 0, &often, NULL) && !timer_settime(b, 0, &late, NULL));
	EXPECT(!timer_gettime(b, &left) && left.it_value.tv_sec >= 999 && !left.it_interval.tv_nsec);
	while (atomic_load(&calls) < CALLS)
		wait_ms(1);
	EXPECT(!timer_settime(a, 0, &never, &left) && left.it_interval.tv_nsec == 10000000);
	EXPECT(!timer_gettime(a, &left) && !left.it_value.tv_sec && !left.it_value.tv_nsec);
	wait_ms(20); /* natively one may still be under way */
	done = atomic_load(&calls);
	EXPECT(!timer_settime(b, 0, &once, &left) && left.it_value.tv_sec >= 900);
	while (!atomic_load(&others))
		wait_ms(1);
	wait_ms(50);
	EXPECT(atomic_load(&others) == 1 && atomic_load(&calls) == done);
	EXPECT(!timer_settime(b, 0, &late, NULL) && !timer_delete(a) && !timer_delete(b));
}

int main(void)
{
	strike(count_for_ever);
	EXPECT(atomic_load(&cleaned) == 1);
	strike(spin_for_ever);
	pthread_mutex_lock(&held);
	strike(wait_for_lock);
	pthread_mutex_unlock(&held);
	strike(hold_out);
	EXPECT(atomic_load(&cleaned) == 11);
	timers();
	printf("%d other\n", atomic_load(&others));
	return 0;
}
