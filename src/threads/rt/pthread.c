/* pthread.c - POSIX threads, as the program's code: it goes through the plugin, so it costs what it executes. The
 * layouts of the objects are the C library's, whose static initialisers they have. */
#include "threads/rt/rt.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define IS_NATIVE (!__strata_on && !rt_is_modelled())

/* Threads. */
RT_API int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	size_t bytes = 0;
	int detach = PTHREAD_CREATE_JOINABLE;
	struct rt_thread *t;

	if (IS_NATIVE)
		return RT_REAL(pthread_create)(out, attr, start, arg);
	if (!__strata_on) {
		rt_message("a thread is made before main begins: that cannot be modelled");
		rt_fail(2);
	}
	if (attr) {
		pthread_attr_getstacksize(attr, &bytes);
		pthread_attr_getdetachstate(attr, &detach);
	}
	rt_spend(rt_create_ps());
	rt_take_turn();
	t = rt_thread_new(start, arg, bytes);
	if (!t)
		return EAGAIN;
	t->is_detached = detach == PTHREAD_CREATE_DETACHED;
	*out = t->host;
	rt_note(THREAD_CREATE, t->id);
	rt_ready(t, rt_now_ps());
	return 0;
}

static int join_until(pthread_t handle, void **result, uint64_t deadline_ps)
{
	struct rt_thread *t = rt_thread_of(handle);

	if (!t)
		return ESRCH;
	if (t->is_detached || t->is_joined)
		return EINVAL;
	if (t == rt_self())
		return EDEADLK;
	t->is_joined = true;
	while (!__atomic_load_n(&t->ended, __ATOMIC_ACQUIRE)) {
		int error = __strata_wait_join(&t->ended, 0, deadline_ps);

		if (error == ETIMEDOUT || error == EINTR)
			t->is_joined = false;
		if (error == ETIMEDOUT)
			return error;
		if (error == EINTR)
			rt_thread_cancel_now();
	}
	if (result)
		*result = t->result;
	rt_thread_joined(t);
	return 0;
}

RT_API int pthread_join(pthread_t handle, void **result)
{
	return IS_NATIVE ? RT_REAL(pthread_join)(handle, result) : join_until(handle, result, RT_NEVER);
}

RT_API int pthread_tryjoin_np(pthread_t handle, void **result)
{
	struct rt_thread *t;

	if (IS_NATIVE)
		return RT_REAL(pthread_tryjoin_np)(handle, result);
	t = rt_thread_of(handle);
	return t && !t->ended ? EBUSY : join_until(handle, result, RT_NEVER);
}

RT_API int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *at)
{
	return IS_NATIVE ? RT_REAL(pthread_timedjoin_np)(handle, result, at)
			 : join_until(handle, result, rt_deadline_ps(CLOCK_REALTIME, at));
}

RT_API int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock, const struct timespec *at)
{
	return IS_NATIVE ? RT_REAL(pthread_clockjoin_np)(handle, result, clock, at)
			 : join_until(handle, result, rt_deadline_ps(clock, at));
}

RT_API int pthread_detach(pthread_t handle)
{
	struct rt_thread *t;

	if (IS_NATIVE)
		return RT_REAL(pthread_detach)(handle);
	t = rt_thread_of(handle);
	if (!t)
		return ESRCH;
	if (t->is_detached || t->is_joined)
		return EINVAL;
	t->is_detached = true;
	if (t->ended)
		rt_thread_joined(t);
	return 0;
}

/* Leaving: the handlers of C from the innermost, then the frames of C++. */
static _Unwind_Reason_Code unwind_stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				       struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *arg)
{
	(void)version;
	(void)class;
	(void)exception;
	(void)context;
	if (actions & _UA_END_OF_STACK)
		rt_thread_exit(arg);
	return _URC_NO_REASON;
}

static void unwind_clean(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
	(void)reason;
	(void)exception;
}

static _Noreturn void leave(struct rt_thread *self)
{
	static __thread struct _Unwind_Exception exception;
	__pthread_unwind_buf_t *buf = self->cleanup;

	if (buf) {
		self->cleanup = buf->__pad[0];
		longjmp((struct __jmp_buf_tag *)(void *)buf->__cancel_jmp_buf, 1);
	}
	exception.exception_cleanup = unwind_clean;
	_Unwind_ForcedUnwind(&exception, unwind_stop, self->result);
	rt_thread_exit(self->result);
}

RT_API _Noreturn void pthread_exit(void *result)
{
	struct rt_thread *self;

	if (!__strata_on) {
		RT_REAL(pthread_exit)(result);
		__builtin_unreachable();
	}
	self = rt_self();
	self->is_ending = true;
	self->result = result;
	leave(self);
}

RT_API void __pthread_register_cancel(__pthread_unwind_buf_t *buf)
{
	if (!__strata_on) {
		RT_REAL(__pthread_register_cancel)(buf);
		return;
	}
	buf->__pad[0] = rt_self()->cleanup;
	rt_self()->cleanup = buf;
}

RT_API void __pthread_unregister_cancel(__pthread_unwind_buf_t *buf)
{
	if (!__strata_on)
		RT_REAL(__pthread_unregister_cancel)(buf);
	else
		rt_self()->cleanup = buf->__pad[0];
}

RT_API void __pthread_unwind_next(__pthread_unwind_buf_t *buf)
{
	if (!__strata_on)
		RT_REAL(__pthread_unwind_next)(buf);
	leave(rt_self());
}

_Noreturn void rt_thread_cancel_now(void)
{
	pthread_exit(PTHREAD_CANCELED);
}

RT_API int pthread_cancel(pthread_t handle)
{
	struct rt_thread *t;

	if (IS_NATIVE)
		return RT_REAL(pthread_cancel)(handle);
	t = rt_thread_of(handle);
	if (!t)
		return ESRCH;
	rt_wait_cancel(t);
	return 0;
}

RT_API void pthread_testcancel(void)
{
	struct rt_thread *self;

	if (!__strata_on) {
		RT_REAL(pthread_testcancel)();
		return;
	}
	self = rt_self();
	if (self->is_cancelled && !self->is_uncancellable && !self->is_ending)
		rt_thread_cancel_now();
}

RT_API int pthread_setcancelstate(int state, int *old)
{
	struct rt_thread *self;

	if (!__strata_on)
		return RT_REAL(pthread_setcancelstate)(state, old);
	self = rt_self();
	if (old)
		*old = self->is_uncancellable ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
	self->is_uncancellable = state == PTHREAD_CANCEL_DISABLE;
	if (self->is_asynchronous)
		pthread_testcancel();
	return 0;
}

RT_API int pthread_setcanceltype(int type, int *old)
{
	struct rt_thread *self;

	if (!__strata_on)
		return RT_REAL(pthread_setcanceltype)(type, old);
	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	self = rt_self();
	if (old)
		*old = self->is_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
	self->is_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	if (self->is_asynchronous)
		pthread_testcancel();
	return 0;
}

/* Locks of one word: 0 free, 1 taken, 2 taken and somebody waits. */
static int lock_word(int *word, uint64_t deadline_ps)
{
	int c = 0;

	if (__atomic_compare_exchange_n(word, &c, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return 0;
	if (c != 2)
		c = __atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE);
	while (c) {
		if (__strata_wait_lock((const uint32_t *)word, 2, deadline_ps) == ETIMEDOUT)
			return ETIMEDOUT;
		c = __atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE);
	}
	return 0;
}

static void unlock_word(int *word)
{
	if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2)
		__strata_wake((const uint32_t *)word, 1);
}

/* Mutexes. */
enum { KIND_MASK = 3 };

static int own_number(void)
{
	return __strata_on ? (int)rt_self()->id + 1 : 1;
}

static int mutex_lock_until(pthread_mutex_t *m, uint64_t deadline_ps)
{
	int kind = m->__data.__kind & KIND_MASK, error;

	if (kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK) {
		if (m->__data.__lock && m->__data.__owner == own_number()) {
			if (kind == PTHREAD_MUTEX_ERRORCHECK)
				return EDEADLK;
			m->__data.__count++;
			return 0;
		}
	}
	error = lock_word(&m->__data.__lock, deadline_ps);
	if (!error && kind != PTHREAD_MUTEX_NORMAL) {
		m->__data.__owner = own_number();
		m->__data.__count = 1;
	}
	return error;
}

RT_API int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int kind = PTHREAD_MUTEX_NORMAL;

	if (IS_NATIVE)
		return RT_REAL(pthread_mutex_init)(m, attr);
	if (attr)
		pthread_mutexattr_gettype(attr, &kind);
	memset(m, 0, sizeof(*m));
	m->__data.__kind = kind;
	return 0;
}

RT_API int pthread_mutex_destroy(pthread_mutex_t *m)
{
	if (IS_NATIVE)
		return RT_REAL(pthread_mutex_destroy)(m);
	return m->__data.__lock ? EBUSY : 0;
}

RT_API int pthread_mutex_lock(pthread_mutex_t *m)
{
	return IS_NATIVE ? RT_REAL(pthread_mutex_lock)(m) : mutex_lock_until(m, RT_NEVER);
}

RT_API int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *at)
{
	return IS_NATIVE ? RT_REAL(pthread_mutex_timedlock)(m, at)
			 : mutex_lock_until(m, rt_deadline_ps(CLOCK_REALTIME, at));
}

RT_API int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *at)
{
	return IS_NATIVE ? RT_REAL(pthread_mutex_clocklock)(m, clock, at)
			 : mutex_lock_until(m, rt_deadline_ps(clock, at));
}

RT_API int pthread_mutex_trylock(pthread_mutex_t *m)
{
	int kind, free = 0;

	if (IS_NATIVE)
		return RT_REAL(pthread_mutex_trylock)(m);
	kind = m->__data.__kind & KIND_MASK;
	if (kind == PTHREAD_MUTEX_RECURSIVE && m->__data.__lock && m->__data.__owner == own_number()) {
		m->__data.__count++;
		return 0;
	}
	if (!__atomic_compare_exchange_n(&m->__data.__lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return EBUSY;
	m->__data.__owner = own_number();
	m->__data.__count = 1;
	return 0;
}

RT_API int pthread_mutex_unlock(pthread_mutex_t *m)
{
	int kind;

	if (IS_NATIVE)
		return RT_REAL(pthread_mutex_unlock)(m);
	kind = m->__data.__kind & KIND_MASK;
	if (kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK) {
		if (!m->__data.__lock || m->__data.__owner != own_number())
			return EPERM;
		if (--m->__data.__count)
			return 0;
		m->__data.__owner = 0;
	}
	unlock_word(&m->__data.__lock);
	return 0;
}

/* Condition variables: a number that each signal raises, and the clock of timed waits. */
struct condition {
	uint32_t signals, clock;
};

static struct condition *condition_of(pthread_cond_t *c)
{
	return (struct condition *)(void *)c;
}

static int cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *m, uint64_t deadline_ps)
{
	struct condition *c = condition_of(cond);
	uint32_t signals = __atomic_load_n(&c->signals, __ATOMIC_RELAXED);
	int error;

	pthread_mutex_unlock(m);
	error = __strata_wait_point(&c->signals, signals, deadline_ps);
	pthread_mutex_lock(m);
	if (error == EINTR)
		rt_thread_cancel_now();
	return error == ETIMEDOUT ? error : 0;
}

RT_API int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
	clockid_t clock = CLOCK_REALTIME;

	if (IS_NATIVE)
		return RT_REAL(pthread_cond_init)(cond, attr);
	if (attr)
		pthread_condattr_getclock(attr, &clock);
	memset(cond, 0, sizeof(*cond));
	condition_of(cond)->clock = (uint32_t)clock;
	return 0;
}

RT_API int pthread_cond_destroy(pthread_cond_t *cond)
{
	return IS_NATIVE ? RT_REAL(pthread_cond_destroy)(cond) : 0;
}

RT_API int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *m)
{
	return IS_NATIVE ? RT_REAL(pthread_cond_wait)(cond, m) : cond_wait_until(cond, m, RT_NEVER);
}

RT_API int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *m, const struct timespec *at)
{
	return IS_NATIVE ? RT_REAL(pthread_cond_timedwait)(cond, m, at)
			 : cond_wait_until(cond, m, rt_deadline_ps((clockid_t)condition_of(cond)->clock, at));
}

RT_API int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *m, clockid_t clock, const struct timespec *at)
{
	return IS_NATIVE ? RT_REAL(pthread_cond_clockwait)(cond, m, clock, at)
			 : cond_wait_until(cond, m, rt_deadline_ps(clock, at));
}

static int cond_wake(pthread_cond_t *cond, int count)
{
	__atomic_fetch_add(&condition_of(cond)->signals, 1, __ATOMIC_RELEASE);
	__strata_wake(&condition_of(cond)->signals, count);
	return 0;
}

RT_API int pthread_cond_signal(pthread_cond_t *cond)
{
	return IS_NATIVE ? RT_REAL(pthread_cond_signal)(cond) : cond_wake(cond, 1);
}

RT_API int pthread_cond_broadcast(pthread_cond_t *cond)
{
	return IS_NATIVE ? RT_REAL(pthread_cond_broadcast)(cond) : cond_wake(cond, INT_MAX);
}

/* Locks of readers and writers: the number of readers, or WRITER. Each release of the last wakes all. */
#define WRITER 0x80000000u

static uint32_t *rwlock_word(pthread_rwlock_t *l)
{
	return (uint32_t *)(void *)l;
}

static int rwlock_until(pthread_rwlock_t *l, bool is_writer, uint64_t deadline_ps)
{
	uint32_t *word = rwlock_word(l), c = __atomic_load_n(word, __ATOMIC_RELAXED);

	for (;;) {
		if (is_writer ? c == 0 : c < WRITER) {
			if (__atomic_compare_exchange_n(word, &c, is_writer ? WRITER : c + 1, false, __ATOMIC_ACQUIRE,
							__ATOMIC_RELAXED))
				return 0;
			continue;
		}
		if (deadline_ps == 0)
			return EBUSY;
		if (__strata_wait_lock(word, c, deadline_ps) == ETIMEDOUT)
			return ETIMEDOUT;
		c = __atomic_load_n(word, __ATOMIC_RELAXED);
	}
}

RT_API int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	if (IS_NATIVE)
		return RT_REAL(pthread_rwlock_init)(l, attr);
	memset(l, 0, sizeof(*l));
	return 0;
}

RT_API int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	return IS_NATIVE ? RT_REAL(pthread_rwlock_destroy)(l) : 0;
}

#define RWLOCK(name, is_writer, params, args, deadline)                                                        \
	RT_API int pthread_rwlock_##name params                                                                \
	{                                                                                                      \
		return IS_NATIVE ? RT_REAL(pthread_rwlock_##name) args : rwlock_until(l, is_writer, deadline); \
	}
RWLOCK(rdlock, false, (pthread_rwlock_t * l), (l), RT_NEVER)
RWLOCK(wrlock, true, (pthread_rwlock_t * l), (l), RT_NEVER)
RWLOCK(tryrdlock, false, (pthread_rwlock_t * l), (l), 0)
RWLOCK(trywrlock, true, (pthread_rwlock_t * l), (l), 0)
RWLOCK(timedrdlock, false, (pthread_rwlock_t *restrict l, const struct timespec *restrict at), (l, at),
       rt_deadline_ps(CLOCK_REALTIME, at) + 1)
RWLOCK(timedwrlock, true, (pthread_rwlock_t *restrict l, const struct timespec *restrict at), (l, at),
       rt_deadline_ps(CLOCK_REALTIME, at) + 1)
RWLOCK(clockrdlock, false, (pthread_rwlock_t *restrict l, clockid_t clock, const struct timespec *restrict at),
       (l, clock, at), rt_deadline_ps(clock, at) + 1)
RWLOCK(clockwrlock, true, (pthread_rwlock_t *restrict l, clockid_t clock, const struct timespec *restrict at),
       (l, clock, at), rt_deadline_ps(clock, at) + 1)

RT_API int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	uint32_t *word;

	if (IS_NATIVE)
		return RT_REAL(pthread_rwlock_unlock)(l);
	word = rwlock_word(l);
	if (__atomic_load_n(word, __ATOMIC_RELAXED) == WRITER)
		__atomic_store_n(word, 0, __ATOMIC_RELEASE);
	else if (__atomic_fetch_sub(word, 1, __ATOMIC_RELEASE) != 1)
		return 0;
	__strata_wake(word, INT_MAX);
	return 0;
}

/* Barriers. */
struct barrier {
	uint32_t count, arrived, generation;
};

RT_API int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count)
{
	if (IS_NATIVE)
		return RT_REAL(pthread_barrier_init)(b, attr, count);
	if (!count)
		return EINVAL;
	*(struct barrier *)(void *)b = (struct barrier){.count = count};
	return 0;
}

RT_API int pthread_barrier_destroy(pthread_barrier_t *b)
{
	return IS_NATIVE ? RT_REAL(pthread_barrier_destroy)(b) : 0;
}

RT_API int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct barrier *b = (struct barrier *)(void *)barrier;
	uint32_t generation;

	if (IS_NATIVE)
		return RT_REAL(pthread_barrier_wait)(barrier);
	generation = __atomic_load_n(&b->generation, __ATOMIC_RELAXED);
	if (__atomic_add_fetch(&b->arrived, 1, __ATOMIC_ACQ_REL) == b->count) {
		b->arrived = 0;
		__atomic_store_n(&b->generation, generation + 1, __ATOMIC_RELEASE);
		__strata_wake(&b->generation, INT_MAX);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	while (__atomic_load_n(&b->generation, __ATOMIC_ACQUIRE) == generation)
		__strata_wait_barrier(&b->generation, generation, RT_NEVER);
	return 0;
}

/* Spin locks: 0 free. */
RT_API int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	if (IS_NATIVE)
		return RT_REAL(pthread_spin_init)(l, shared);
	*l = 0;
	return 0;
}

RT_API int pthread_spin_destroy(pthread_spinlock_t *l)
{
	return IS_NATIVE ? RT_REAL(pthread_spin_destroy)(l) : 0;
}

RT_API int pthread_spin_lock(pthread_spinlock_t *l)
{
	if (IS_NATIVE)
		return RT_REAL(pthread_spin_lock)(l);
	while (__atomic_exchange_n(l, 1, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(l, __ATOMIC_RELAXED))
			__builtin_ia32_pause();
	return 0;
}

RT_API int pthread_spin_trylock(pthread_spinlock_t *l)
{
	if (IS_NATIVE)
		return RT_REAL(pthread_spin_trylock)(l);
	return __atomic_exchange_n(l, 1, __ATOMIC_ACQUIRE) ? EBUSY : 0;
}

RT_API int pthread_spin_unlock(pthread_spinlock_t *l)
{
	if (IS_NATIVE)
		return RT_REAL(pthread_spin_unlock)(l);
	__atomic_store_n(l, 0, __ATOMIC_RELEASE);
	return 0;
}

/* Once: 0 not yet, 1 somebody is at it, 2 done. */
RT_API int pthread_once(pthread_once_t *once, void (*init)(void))
{
	int c = 0;

	if (IS_NATIVE)
		return RT_REAL(pthread_once)(once, init);
	if (__atomic_load_n(once, __ATOMIC_ACQUIRE) == 2)
		return 0;
	if (__atomic_compare_exchange_n(once, &c, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		init();
		__atomic_store_n(once, 2, __ATOMIC_RELEASE);
		if (__strata_on)
			__strata_wake((const uint32_t *)once, INT_MAX);
		return 0;
	}
	while (__atomic_load_n(once, __ATOMIC_ACQUIRE) != 2)
		__strata_wait_lock((const uint32_t *)once, 1, RT_NEVER);
	return 0;
}
