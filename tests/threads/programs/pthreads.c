/* pthreads.c - POSIX threads, C11 threads, semaphores and futexes: each does what its manual says. */
#include "check.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 50 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t sem;
static int counter, once_count, destroyed, phase, full;
static _Atomic int racing;
static _Thread_local int local = 3;

static void run(void *(*start)(void *), int count)
{
	pthread_t t[16];

	for (intptr_t i = 0; i < count; i++)
		EXPECT(!pthread_create(&t[i], NULL, start, (void *)i));
	for (intptr_t i = 0; i < count; i++) {
		void *result;

		EXPECT(!pthread_join(t[i], &result) && result == (void *)(i * 3));
	}
}

static void once_only(void)
{
	once_count++;
}

static void *counting(void *arg)
{
	EXPECT(local == 3);
	local += (int)(intptr_t)arg;
	errno = (int)(intptr_t)arg;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_once(&once, once_only);
		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
		pthread_spin_lock(&spin);
		phase++;
		pthread_spin_unlock(&spin);
		racing++;
	}
	EXPECT(local == 3 + (int)(intptr_t)arg && errno == (int)(intptr_t)arg);
	return (void *)((intptr_t)arg * 3);
}

static void *meeting(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		int serial;

		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
		serial = pthread_barrier_wait(&barrier);
		EXPECT(serial == 0 || serial == PTHREAD_BARRIER_SERIAL_THREAD);
		EXPECT(counter == (i + 1) * THREADS);
		pthread_barrier_wait(&barrier);
	}
	return (void *)((intptr_t)arg * 3);
}

/* A box of one place between producers and consumers. */
static void *box(void *arg)
{
	bool is_producer = (intptr_t)arg % 2;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		while (full == is_producer)
			pthread_cond_wait(&cond, &mutex);
		full = is_producer;
		counter++;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&mutex);
	}
	return (void *)((intptr_t)arg * 3);
}

static void *read_or_write(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		if ((intptr_t)arg == 0) {
			EXPECT(!pthread_rwlock_wrlock(&rwlock));
			counter++;
			phase++;
			pthread_rwlock_unlock(&rwlock);
		} else {
			EXPECT(!pthread_rwlock_rdlock(&rwlock));
			EXPECT(counter == phase);
			pthread_rwlock_unlock(&rwlock);
		}
	return (void *)((intptr_t)arg * 3);
}

static void *semaphores(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		sem_wait(&sem);
		counter++;
		sem_post(&sem);
	}
	return (void *)((intptr_t)arg * 3);
}

static void destroy(void *value)
{
	destroyed += (int)(intptr_t)value;
}

static void handler(void *arg)
{
	*(int *)arg += 1;
}

static void leave(void)
{
	pthread_exit((void *)77);
}

static void *leaving(void *arg)
{
	pthread_setspecific(key, (void *)5);
	pthread_cleanup_push(handler, arg);
	pthread_cleanup_push(handler, arg);
	leave();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *waiting(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(handler, arg);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(0);
	return NULL;
}

static void ends(void)
{
	pthread_t t;
	void *result;
	int handled = 0;

	pthread_key_create(&key, destroy);
	pthread_create(&t, NULL, leaving, &handled);
	pthread_join(t, &result);
	EXPECT(result == (void *)77 && handled == 2 && destroyed == 5);
	pthread_create(&t, NULL, waiting, &handled);
	usleep(1000);
	pthread_cancel(t);
	pthread_join(t, &result);
	EXPECT(result == PTHREAD_CANCELED && handled == 3);
	pthread_mutex_unlock(&mutex); /* the cancelled thread had it back: it is the program's to free */
}

static struct timespec later(clockid_t clock, long ns)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ns;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void times(void)
{
	struct timespec at = later(CLOCK_REALTIME, 5000000);
	double begin = now();
	struct rusage usage;
	sem_t never;

	pthread_mutex_lock(&mutex);
	EXPECT(pthread_cond_timedwait(&cond, &mutex, &at) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	EXPECT(now() - begin >= 0.0049);
	sem_init(&never, 0, 0);
	EXPECT(sem_trywait(&never) == -1 && errno == EAGAIN);
	at = later(CLOCK_REALTIME, 3000000);
	EXPECT(sem_timedwait(&never, &at) == -1 && errno == ETIMEDOUT);
	begin = now();
	usleep(20000);
	EXPECT(now() - begin >= 0.0199);
	/* Two words for the time that the process has used. */
	EXPECT(!getrusage(RUSAGE_SELF, &usage));
	EXPECT(labs(clock() - usage.ru_utime.tv_usec - usage.ru_stime.tv_usec -
		    (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * CLOCKS_PER_SEC) < CLOCKS_PER_SEC / 500);
}

static void kinds(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &attr);
	EXPECT(!pthread_mutex_lock(&m) && !pthread_mutex_lock(&m) && !pthread_mutex_trylock(&m));
	EXPECT(!pthread_mutex_unlock(&m) && !pthread_mutex_unlock(&m) && !pthread_mutex_unlock(&m));
	EXPECT(pthread_mutex_unlock(&m) == EPERM);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &attr);
	EXPECT(!pthread_mutex_lock(&m) && pthread_mutex_lock(&m) == EDEADLK && !pthread_mutex_unlock(&m));
	EXPECT(!pthread_mutex_trylock(&mutex) && pthread_mutex_trylock(&mutex) == EBUSY);
	pthread_mutex_unlock(&mutex);
	EXPECT(!pthread_rwlock_trywrlock(&rwlock) && pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
	pthread_rwlock_unlock(&rwlock);
}

static mtx_t c11_mutex;
static cnd_t c11_cond;
static int c11_ready;

static tss_t c11_key;
static _Atomic int c11_gone, c11_again;

/* Once more for a thread whose destructor leaves a value. */
static void c11_destroy(void *value)
{
	c11_gone += *(int *)value;
	if (!c11_again++)
		EXPECT(tss_set(c11_key, value) == thrd_success);
}

static int c11_thread(void *arg)
{
	static int one = 1;

	EXPECT(!tss_get(c11_key) && tss_set(c11_key, &one) == thrd_success && tss_get(c11_key) == &one);
	EXPECT(thrd_equal(thrd_current(), thrd_current()));
	thrd_yield();
	mtx_lock(&c11_mutex);
	c11_ready++;
	cnd_signal(&c11_cond);
	mtx_unlock(&c11_mutex);
	return *(int *)arg + 1;
}

static void c11(void)
{
	thrd_t t[3];
	int result, number = 41;

	const struct timespec ms = {.tv_nsec = 1000000};

	mtx_init(&c11_mutex, mtx_plain);
	cnd_init(&c11_cond);
	EXPECT(tss_create(&c11_key, c11_destroy) == thrd_success);
	EXPECT(!thrd_sleep(&ms, NULL));
	for (int i = 0; i < 3; i++)
		EXPECT(thrd_create(&t[i], c11_thread, &number) == thrd_success);
	mtx_lock(&c11_mutex);
	while (c11_ready < 3)
		cnd_wait(&c11_cond, &c11_mutex);
	mtx_unlock(&c11_mutex);
	for (int i = 0; i < 3; i++)
		EXPECT(thrd_join(t[i], &result) == thrd_success && result == 42);
	EXPECT(c11_gone == 4 && c11_again == 4);
	tss_delete(c11_key);
	cnd_destroy(&c11_cond);
	mtx_destroy(&c11_mutex);
}

static _Atomic uint32_t word;

static void *futex_waiter(void *arg)
{
	while (!word)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return (void *)((intptr_t)arg * 3);
}

static void *futex_waker(void *arg)
{
	if ((intptr_t)arg < 3)
		return futex_waiter(arg);
	usleep(100);
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 100, NULL, NULL, 0);
	return (void *)((intptr_t)arg * 3);
}

static void *detached(void *arg)
{
	(void)arg;
	racing = 1234;
	return NULL;
}

static void *signalled(void *arg)
{
	sigset_t set;
	int number;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	EXPECT(!sigwait(&set, &number));
	return (void *)(intptr_t)number;
}

static void signals(void)
{
	pthread_t t;
	sigset_t set;
	void *result;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, signalled, NULL);
	usleep(1000);
	EXPECT(!pthread_kill(t, SIGUSR1));
	pthread_join(t, &result);
	EXPECT(result == (void *)(intptr_t)SIGUSR1);
}

int main(void)
{
	pthread_t t;

	pthread_barrier_init(&barrier, NULL, THREADS);
	pthread_spin_init(&spin, 0);
	run(counting, THREADS);
	EXPECT(counter == THREADS * ROUNDS && phase == counter && racing == counter && once_count == 1);
	counter = phase = 0;
	run(meeting, THREADS);
	counter = 0;
	run(box, THREADS);
	EXPECT(counter == THREADS * ROUNDS);
	counter = phase = 0;
	run(read_or_write, THREADS);
	EXPECT(counter == ROUNDS);
	counter = 0;
	sem_init(&sem, 0, 1);
	run(semaphores, THREADS);
	EXPECT(counter == THREADS * ROUNDS);
	ends();
	times();
	kinds();
	c11();
	signals();
	run(futex_waker, 4);
	pthread_create(&t, NULL, detached, NULL);
	pthread_detach(t);
	while (racing != 1234)
		sched_yield();
	for (int i = 0; i < 200; i++) /* many, one after the other: their stacks are used again */
		run(counting, 2);
	puts("pthreads: all right");
	return 0;
}
