/* clock.c - time and processors as the program is told them: those of the machine, while it is modelled. */
#include "threads/rt/rt.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define PS_PER_S 1000000000000u
#define PS_PER_NS 1000u

/* What the clocks show when main begins: the same in every run. */
enum { REAL_S = 1767225600 /* 2026-01-01 */, MONOTONIC_S = 1 };

static bool is_real_time(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
	       clock == CLOCK_REALTIME_ALARM;
}

static uint64_t base_s(clockid_t clock)
{
	if (is_real_time(clock))
		return REAL_S;
	return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID ? 0 : MONOTONIC_S;
}

uint64_t rt_deadline_ps(clockid_t clock, const struct timespec *at)
{
	uint64_t base = base_s(clock);

	if (at->tv_sec < 0 || (uint64_t)at->tv_sec < base)
		return 0;
	if ((uint64_t)at->tv_sec - base > UINT32_MAX / 256)
		return RT_NEVER;
	return ((uint64_t)at->tv_sec - base) * PS_PER_S + (uint64_t)at->tv_nsec * PS_PER_NS;
}

RT_API int clock_gettime(clockid_t clock, struct timespec *out)
{
	uint64_t now;

	if (!__strata_on)
		return RT_REAL(clock_gettime)(clock, out);
	now = __strata_now_ps();
	*out = (struct timespec){(time_t)(base_s(clock) + now / PS_PER_S), (long)(now % PS_PER_S / PS_PER_NS)};
	return 0;
}

RT_API int clock_getres(clockid_t clock, struct timespec *out)
{
	if (!__strata_on)
		return RT_REAL(clock_getres)(clock, out);
	if (out)
		*out = (struct timespec){0, 1};
	return 0;
}

RT_API int timespec_get(struct timespec *out, int base)
{
	if (!__strata_on)
		return RT_REAL(timespec_get)(out, base);
	return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, out) ? base : 0;
}

RT_API int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	struct timespec now;

	if (!__strata_on)
		return RT_REAL(gettimeofday)(out, zone);
	clock_gettime(CLOCK_REALTIME, &now);
	*out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
	return 0;
}

RT_API time_t time(time_t *out)
{
	struct timespec now;

	if (!__strata_on)
		return RT_REAL(time)(out);
	clock_gettime(CLOCK_REALTIME, &now);
	if (out)
		*out = now.tv_sec;
	return now.tv_sec;
}

RT_API clock_t clock(void)
{
	return __strata_on ? (clock_t)(__strata_now_ps() / (PS_PER_S / CLOCKS_PER_SEC)) : RT_REAL(clock)();
}

/* The time of a process is that of clock(); the rest is the host's. */
RT_API int getrusage(__rusage_who_t who, struct rusage *out)
{
	const int error = RT_REAL(getrusage)(who, out);

	if (error || !__strata_on)
		return error;
	const uint64_t us = who == RUSAGE_CHILDREN ? 0 : __strata_now_ps() / (PS_PER_S / 1000000);

	out->ru_utime = (struct timeval){(time_t)(us / 1000000), (suseconds_t)(us % 1000000)};
	out->ru_stime = (struct timeval){0, 0};
	return 0;
}

/* The time stamp counter counts nanoseconds. */
RT_API uint64_t __strata_rdtsc(void);
RT_API uint64_t __strata_rdtsc(void)
{
	return __strata_on ? rt_now_ps() / PS_PER_NS : __builtin_ia32_rdtsc();
}

struct stamp {
	uint64_t count;
	uint32_t unit;
};

RT_API struct stamp __strata_rdtscp(void);
RT_API struct stamp __strata_rdtscp(void)
{
	struct stamp s;

	if (__strata_on)
		return (struct stamp){rt_now_ps() / PS_PER_NS, rt_self()->unit};
	s.count = __builtin_ia32_rdtscp(&s.unit);
	return s;
}

static int sleep_until(uint64_t deadline_ps)
{
	static const uint32_t nobody;
	int error;

	do
		error = __strata_wait_point(&nobody, 0, deadline_ps);
	while (error != ETIMEDOUT && error != EINTR);
	if (error == EINTR)
		rt_thread_cancel_now();
	return 0;
}

static int sleep_for(const struct timespec *t)
{
	if (t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= 1000000000) {
		errno = EINVAL;
		return -1;
	}
	return sleep_until(rt_now_ps() + (uint64_t)t->tv_sec * PS_PER_S + (uint64_t)t->tv_nsec * PS_PER_NS);
}

RT_API int nanosleep(const struct timespec *t, struct timespec *left)
{
	return __strata_on ? sleep_for(t) : RT_REAL(nanosleep)(t, left);
}

RT_API int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	if (!__strata_on)
		return RT_REAL(clock_nanosleep)(clock, flags, t, left);
	if (flags & TIMER_ABSTIME)
		return sleep_until(rt_deadline_ps(clock, t));
	return sleep_for(t) ? errno : 0;
}

RT_API int usleep(useconds_t us)
{
	const struct timespec t = {us / 1000000, (long)(us % 1000000) * 1000};

	return __strata_on ? sleep_for(&t) : RT_REAL(usleep)(us);
}

RT_API unsigned sleep(unsigned s)
{
	const struct timespec t = {s, 0};

	return __strata_on ? (unsigned)sleep_for(&t) : RT_REAL(sleep)(s);
}

RT_API int thrd_sleep(const struct timespec *t, struct timespec *left)
{
	return __strata_on ? sleep_for(t) : RT_REAL(thrd_sleep)(t, left);
}

RT_API int sched_yield(void)
{
	if (!__strata_on)
		return RT_REAL(sched_yield)();
	__strata_now_ps(); /* a system call */
	rt_rotate();
	return 0;
}

RT_API void thrd_yield(void)
{
	sched_yield();
}

/* Processors. */
RT_API long sysconf(int name)
{
	if (__strata_on && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF))
		return rt_processor_count();
	return RT_REAL(sysconf)(name);
}

RT_API int get_nprocs(void)
{
	return __strata_on ? (int)rt_processor_count() : RT_REAL(get_nprocs)();
}

RT_API int get_nprocs_conf(void)
{
	return __strata_on ? (int)rt_processor_count() : RT_REAL(get_nprocs_conf)();
}

RT_API int sched_getcpu(void)
{
	return __strata_on ? (int)rt_self()->unit : RT_REAL(sched_getcpu)();
}

RT_API int getcpu(unsigned *cpu, unsigned *node)
{
	if (!__strata_on)
		return RT_REAL(getcpu)(cpu, node);
	if (cpu)
		*cpu = rt_self()->unit;
	if (node)
		*node = rt_node_of(rt_self()->unit);
	return 0;
}

static int all_units(size_t bytes, cpu_set_t *set)
{
	memset(set, 0, bytes);
	for (uint32_t i = 0; i < rt_processor_count() && i < bytes * 8; i++)
		CPU_SET_S(i, bytes, set);
	return 0;
}

RT_API int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
	return __strata_on ? all_units(bytes, set) : RT_REAL(sched_getaffinity)(pid, bytes, set);
}

RT_API int pthread_getaffinity_np(pthread_t t, size_t bytes, cpu_set_t *set)
{
	return __strata_on ? all_units(bytes, set) : RT_REAL(pthread_getaffinity_np)(t, bytes, set);
}

/* The calling thread goes to the first of them; others stay where they are. */
static int move_to(bool is_self, size_t bytes, const cpu_set_t *set)
{
	for (uint32_t i = 0; i < rt_machine()->unit_count && i < bytes * 8; i++)
		if (CPU_ISSET_S(i, bytes, set)) {
			if (is_self && !CPU_ISSET_S(rt_self()->unit, bytes, set))
				rt_move(i);
			return 0;
		}
	return EINVAL;
}

RT_API int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *set)
{
	if (!__strata_on)
		return RT_REAL(sched_setaffinity)(pid, bytes, set);
	errno = move_to(!pid, bytes, set);
	return errno ? -1 : 0;
}

RT_API int pthread_setaffinity_np(pthread_t t, size_t bytes, const cpu_set_t *set)
{
	return __strata_on ? move_to(t == pthread_self(), bytes, set) : RT_REAL(pthread_setaffinity_np)(t, bytes, set);
}
