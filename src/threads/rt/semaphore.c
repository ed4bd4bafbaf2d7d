/* semaphore.c - POSIX semaphores, C11 threads, the guards of C++ and the futex system call, as the program's code. */
#include "threads/rt/rt.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#define IS_NATIVE (!__strata_on && !rt_is_modelled())

/* A semaphore's value is its first word, as in the C library. */
static uint32_t *value_of(sem_t *s)
{
	return (uint32_t *)(void *)s;
}

static bool take(uint32_t *value)
{
	uint32_t c = __atomic_load_n(value, __ATOMIC_RELAXED);

	while (c)
		if (__atomic_compare_exchange_n(value, &c, c - 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

static int wait_until(sem_t *s, uint64_t deadline_ps)
{
	while (!take(value_of(s))) {
		int error = __strata_wait_point(value_of(s), 0, deadline_ps);

		if (error == EINTR)
			rt_thread_cancel_now();
		if (error == ETIMEDOUT) {
			errno = error;
			return -1;
		}
	}
	return 0;
}

RT_API int sem_init(sem_t *s, int shared, unsigned value)
{
	if (IS_NATIVE)
		return RT_REAL(sem_init)(s, shared, value);
	memset(s, 0, sizeof(*s));
	*value_of(s) = value;
	return 0;
}

RT_API int sem_wait(sem_t *s)
{
	return IS_NATIVE ? RT_REAL(sem_wait)(s) : wait_until(s, RT_NEVER);
}

RT_API int sem_timedwait(sem_t *s, const struct timespec *at)
{
	return IS_NATIVE ? RT_REAL(sem_timedwait)(s, at) : wait_until(s, rt_deadline_ps(CLOCK_REALTIME, at));
}

RT_API int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *at)
{
	return IS_NATIVE ? RT_REAL(sem_clockwait)(s, clock, at) : wait_until(s, rt_deadline_ps(clock, at));
}

RT_API int sem_trywait(sem_t *s)
{
	if (IS_NATIVE)
		return RT_REAL(sem_trywait)(s);
	if (take(value_of(s)))
		return 0;
	errno = EAGAIN;
	return -1;
}

RT_API int sem_post(sem_t *s)
{
	if (IS_NATIVE)
		return RT_REAL(sem_post)(s);
	__atomic_fetch_add(value_of(s), 1, __ATOMIC_RELEASE);
	__strata_wake(value_of(s), 1);
	return 0;
}

RT_API int sem_getvalue(sem_t *s, int *value)
{
	if (IS_NATIVE)
		return RT_REAL(sem_getvalue)(s, value);
	*value = (int)*value_of(s);
	return 0;
}

/* C11 threads are POSIX threads of the same layouts. */
static int as_c11(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	case ENOMEM:
		return thrd_nomem;
	default:
		return thrd_error;
	}
}

struct c11_start {
	thrd_start_t start;
	void *arg;
};

static void *c11_begin(void *arg)
{
	struct c11_start s = *(struct c11_start *)arg;

	free(arg);
	return (void *)(intptr_t)s.start(s.arg);
}

RT_API int thrd_create(thrd_t *out, thrd_start_t start, void *arg)
{
	struct c11_start *s;
	int error;

	if (IS_NATIVE)
		return RT_REAL(thrd_create)(out, start, arg);
	s = malloc(sizeof(*s));
	if (!s)
		return thrd_nomem;
	*s = (struct c11_start){start, arg};
	error = pthread_create(out, NULL, c11_begin, s);
	if (error)
		free(s);
	return as_c11(error);
}

RT_API int thrd_join(thrd_t t, int *result)
{
	void *value;
	int error;

	if (IS_NATIVE)
		return RT_REAL(thrd_join)(t, result);
	error = pthread_join(t, &value);
	if (!error && result)
		*result = (int)(intptr_t)value;
	return as_c11(error);
}

RT_API int thrd_detach(thrd_t t)
{
	return IS_NATIVE ? RT_REAL(thrd_detach)(t) : as_c11(pthread_detach(t));
}

RT_API _Noreturn void thrd_exit(int result)
{
	if (IS_NATIVE)
		RT_REAL(thrd_exit)(result);
	pthread_exit((void *)(intptr_t)result);
}

RT_API thrd_t thrd_current(void)
{
	return pthread_self();
}

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t), "one layout");

RT_API int mtx_init(mtx_t *m, int type)
{
	pthread_mutex_t *p = (pthread_mutex_t *)m;

	if (IS_NATIVE)
		return RT_REAL(mtx_init)(m, type);
	memset(p, 0, sizeof(*p));
	p->__data.__kind = type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
	return thrd_success;
}

RT_API int mtx_lock(mtx_t *m)
{
	return IS_NATIVE ? RT_REAL(mtx_lock)(m) : as_c11(pthread_mutex_lock((pthread_mutex_t *)m));
}

RT_API int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict at)
{
	return IS_NATIVE ? RT_REAL(mtx_timedlock)(m, at) : as_c11(pthread_mutex_timedlock((pthread_mutex_t *)m, at));
}

RT_API int mtx_trylock(mtx_t *m)
{
	return IS_NATIVE ? RT_REAL(mtx_trylock)(m) : as_c11(pthread_mutex_trylock((pthread_mutex_t *)m));
}

RT_API int mtx_unlock(mtx_t *m)
{
	return IS_NATIVE ? RT_REAL(mtx_unlock)(m) : as_c11(pthread_mutex_unlock((pthread_mutex_t *)m));
}

RT_API void mtx_destroy(mtx_t *m)
{
	if (IS_NATIVE)
		RT_REAL(mtx_destroy)(m);
	else
		pthread_mutex_destroy((pthread_mutex_t *)m);
}

RT_API int cnd_init(cnd_t *c)
{
	return IS_NATIVE ? RT_REAL(cnd_init)(c) : as_c11(pthread_cond_init((pthread_cond_t *)c, NULL));
}

RT_API int cnd_wait(cnd_t *c, mtx_t *m)
{
	return IS_NATIVE ? RT_REAL(cnd_wait)(c, m)
			 : as_c11(pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m));
}

RT_API int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict at)
{
	return IS_NATIVE ? RT_REAL(cnd_timedwait)(c, m, at)
			 : as_c11(pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, at));
}

RT_API int cnd_signal(cnd_t *c)
{
	return IS_NATIVE ? RT_REAL(cnd_signal)(c) : as_c11(pthread_cond_signal((pthread_cond_t *)c));
}

RT_API int cnd_broadcast(cnd_t *c)
{
	return IS_NATIVE ? RT_REAL(cnd_broadcast)(c) : as_c11(pthread_cond_broadcast((pthread_cond_t *)c));
}

RT_API void cnd_destroy(cnd_t *c)
{
	if (IS_NATIVE)
		RT_REAL(cnd_destroy)(c);
	else
		pthread_cond_destroy((pthread_cond_t *)c);
}

/* Keys are POSIX threads' as well: a destructor runs where their threads end. */
_Static_assert(sizeof(tss_t) == sizeof(pthread_key_t), "one key");

RT_API int tss_create(tss_t *key, tss_dtor_t destructor)
{
	return IS_NATIVE ? RT_REAL(tss_create)(key, destructor) : as_c11(pthread_key_create(key, destructor));
}

RT_API void *tss_get(tss_t key)
{
	return pthread_getspecific(key);
}

RT_API int tss_set(tss_t key, void *value)
{
	return as_c11(pthread_setspecific(key, value));
}

RT_API void tss_delete(tss_t key)
{
	pthread_key_delete(key);
}

RT_API void call_once(once_flag *flag, void (*init)(void))
{
	if (IS_NATIVE)
		RT_REAL(call_once)(flag, init);
	else
		pthread_once((pthread_once_t *)flag, init);
}

/* Guards of C++'s static objects: the first byte says done, the second word who is at it: 1, 2 when somebody waits. */
RT_API int __cxa_guard_acquire(uint64_t *guard);
RT_API void __cxa_guard_release(uint64_t *guard);
RT_API void __cxa_guard_abort(uint64_t *guard);

static uint32_t *guard_word(uint64_t *guard)
{
	return (uint32_t *)(void *)guard + 1;
}

int __cxa_guard_acquire(uint64_t *guard)
{
	uint32_t *word = guard_word(guard), c = 0;

	if (!__strata_on)
		return RT_REAL(__cxa_guard_acquire)(guard);
	for (;;) {
		if (__atomic_load_n((uint8_t *)guard, __ATOMIC_ACQUIRE))
			return 0;
		c = 0;
		if (__atomic_compare_exchange_n(word, &c, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return 1;
		__atomic_store_n(word, 2, __ATOMIC_RELAXED);
		__strata_wait_lock(word, 2, RT_NEVER);
	}
}

static void guard_leave(uint64_t *guard)
{
	if (__atomic_exchange_n(guard_word(guard), 0, __ATOMIC_RELEASE) == 2)
		__strata_wake(guard_word(guard), INT_MAX);
}

void __cxa_guard_release(uint64_t *guard)
{
	if (!__strata_on) {
		RT_REAL(__cxa_guard_release)(guard);
		return;
	}
	__atomic_store_n((uint8_t *)guard, 1, __ATOMIC_RELEASE);
	guard_leave(guard);
}

void __cxa_guard_abort(uint64_t *guard)
{
	if (!__strata_on)
		RT_REAL(__cxa_guard_abort)(guard);
	else
		guard_leave(guard);
}

/* The futex system call as programs and C++'s library use it. */
static long futex_call(uint32_t *word, long op, long value, long timeout)
{
	const struct timespec *t = (const struct timespec *)timeout;
	long command = op & FUTEX_CMD_MASK, error;
	uint64_t deadline = RT_NEVER;

	switch (command) {
	case FUTEX_WAIT:
		if (t)
			deadline = rt_now_ps() + ((uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec) * 1000;
		break;
	case FUTEX_WAIT_BITSET:
		if (t)
			deadline = rt_deadline_ps(op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, t);
		break;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		return __strata_wake(word, (int)value);
	default:
		rt_message("futex operation %ld is not modelled", command);
		rt_fail(2);
	}
	error = __strata_wait(word, (uint32_t)value, deadline);
	errno = (int)error;
	return error ? -1 : 0;
}

RT_API long syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (__strata_on && number == SYS_futex)
		return futex_call((uint32_t *)a[0], a[1], a[2], a[3]);
	if (__strata_on && rt_is_numa_call(number))
		return rt_numa_call(number, a);
	if (__strata_on && number == SYS_gettid)
		return 1000 + (long)rt_self()->id;
	return RT_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

RT_API pid_t gettid(void)
{
	return __strata_on ? (pid_t)(1000 + rt_self()->id) : RT_REAL(gettid)();
}
