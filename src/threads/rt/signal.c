/* signal.c - signals between simulated threads: a thread that waits for one gets it from pthread_kill, or from kill and
 * raise when they mean this process. Others are the host's: see handler.c. */
#include "threads/rt/rt.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Gives it to a thread that waits for it. */
static bool deliver(struct rt_thread *t, int number)
{
	if (!t->signal_set || sigismember(t->signal_set, number) != 1 || t->signal_number)
		return false;
	t->signal_number = (uint32_t)number;
	__strata_wake(&t->signal_number, 1);
	return true;
}

static int wait_until(const sigset_t *set, uint64_t deadline_ps)
{
	struct rt_thread *self = rt_self();
	int error = 0;

	self->signal_set = set;
	self->signal_number = 0;
	while (!self->signal_number && error != ETIMEDOUT && error != EINTR)
		error = __strata_wait_point(&self->signal_number, 0, deadline_ps);
	self->signal_set = NULL;
	if (error == EINTR)
		rt_thread_cancel_now();
	return (int)self->signal_number;
}

RT_API int sigwait(const sigset_t *restrict set, int *restrict number)
{
	if (!__strata_on)
		return RT_REAL(sigwait)(set, number);
	*number = wait_until(set, RT_NEVER);
	return 0;
}

static int wait_with_info(const sigset_t *set, siginfo_t *info, uint64_t deadline_ps)
{
	int number = wait_until(set, deadline_ps);

	if (!number) {
		errno = EAGAIN;
		return -1;
	}
	if (info) {
		memset(info, 0, sizeof(*info));
		info->si_signo = number;
		info->si_code = SI_TKILL;
		info->si_pid = getpid();
	}
	return number;
}

RT_API int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	return __strata_on ? wait_with_info(set, info, RT_NEVER) : RT_REAL(sigwaitinfo)(set, info);
}

RT_API int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict t)
{
	if (!__strata_on)
		return RT_REAL(sigtimedwait)(set, info, t);
	return wait_with_info(set, info,
			      rt_now_ps() + ((uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec) * 1000);
}

RT_API int pthread_kill(pthread_t handle, int number)
{
	struct rt_thread *t;

	if (!__strata_on)
		return RT_REAL(pthread_kill)(handle, number);
	t = rt_thread_of(handle);
	if (!t)
		return ESRCH;
	if (!number || deliver(t, number) || (t != rt_self() && rt_signal_direct(t, number)))
		return 0;
	return raise(number) ? errno : 0;
}

/* To any thread of the process that waits for it. */
static bool deliver_to_one(int number)
{
	struct rt_thread *t;

	for (uint32_t id = 0; (t = rt_thread_by_id(id)); id++)
		if (t->state == RT_WAITING && deliver(t, number))
			return true;
	return false;
}

RT_API int kill(pid_t pid, int number)
{
	if (__strata_on && pid == getpid() && number && deliver_to_one(number))
		return 0;
	if (__strata_on && pid == getpid() && number)
		return raise(number);
	return RT_REAL(kill)(pid, number);
}
