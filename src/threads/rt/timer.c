/* timer.c - timers that call a function (SIGEV_THREAD): each call is a simulated thread of its own, which is made when
 * the timer is set and waits for its time. The C library's are threads of the host. Timers that send signals are the
 * host's: see handler.c. */
#include "threads/rt/rt.h"

#include <errno.h>
#include <limits.h>
#include <mqueue.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define PS_PER_S UINT64_C(1000000000000)
#define PS_PER_NS UINT64_C(1000)

struct timer {
	struct timer *next;
	clockid_t clock;
	struct sigevent event;
	uint32_t setting; /* futex: how often it has been set */
	uint32_t users;   /* its owner, and calls that wait */
	bool is_armed;
	uint64_t deadline_ps, interval_ps;
};

/* A call that waits for its time. */
struct shot {
	struct timer *timer;
	uint32_t setting;
	uint64_t deadline_ps;
};

static struct timer *timers;

static struct timer **timer_of(timer_t handle)
{
	struct timer **at = &timers;

	while (*at && *at != handle)
		at = &(*at)->next;
	return at;
}

static void leave(struct timer *t)
{
	if (!--t->users)
		free(t);
}

static int make_shot(struct timer *t);

/* Is it still to be done? */
static bool is_due(const struct shot *s)
{
	int error = 0;

	while (s->timer->setting == s->setting && error != ETIMEDOUT)
		error = __strata_wait(&s->timer->setting, s->setting, s->deadline_ps);
	return s->timer->setting == s->setting;
}

static void *shoot(void *arg)
{
	const struct shot s = *(struct shot *)arg;
	const struct sigevent event = s.timer->event;
	bool is;

	free(arg);
	is = is_due(&s);
	if (is && s.timer->interval_ps) {
		s.timer->deadline_ps = s.deadline_ps + s.timer->interval_ps;
		make_shot(s.timer);
	} else if (is) {
		s.timer->is_armed = false;
	}
	leave(s.timer);
	if (is)
		event.sigev_notify_function(event.sigev_value);
	return NULL;
}

static int make_shot(struct timer *t)
{
	struct shot *s = malloc(sizeof(*s));
	size_t stack_bytes = 0;
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	if (!s)
		return EAGAIN;
	*s = (struct shot){t, t->setting, t->deadline_ps};
	pthread_attr_init(&attr);
	if (t->event.sigev_notify_attributes &&
	    !pthread_attr_getstacksize(t->event.sigev_notify_attributes, &stack_bytes))
		pthread_attr_setstacksize(&attr, stack_bytes);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	t->users++;
	error = pthread_create(&thread, &attr, shoot, s);
	pthread_attr_destroy(&attr);
	if (error) {
		t->users--;
		free(s);
	}
	return error;
}

RT_API int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict out)
{
	struct timer *t;

	if (!__strata_on || !event || event->sigev_notify != SIGEV_THREAD)
		return RT_REAL(timer_create)(clock, event, out);
	t = calloc(1, sizeof(*t));
	if (!t) {
		errno = EAGAIN;
		return -1;
	}
	t->clock = clock;
	t->event = *event;
	t->users = 1;
	t->next = timers;
	timers = t;
	*out = t;
	return 0;
}

static uint64_t ps_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * PS_PER_S + (uint64_t)t->tv_nsec * PS_PER_NS;
}

static struct timespec time_of(uint64_t ps)
{
	return (struct timespec){(time_t)(ps / PS_PER_S), (long)(ps % PS_PER_S / PS_PER_NS)};
}

static void get(const struct timer *t, struct itimerspec *out)
{
	const uint64_t now = rt_now_ps(), left = t->is_armed && t->deadline_ps > now ? t->deadline_ps - now : 0;

	out->it_value = time_of(t->is_armed && left < PS_PER_NS ? PS_PER_NS : left);
	out->it_interval = time_of(t->interval_ps);
}

static void disarm(struct timer *t)
{
	t->is_armed = false;
	t->setting++;
	__strata_wake(&t->setting, INT_MAX);
}

RT_API int timer_settime(timer_t handle, int flags, const struct itimerspec *restrict time,
			 struct itimerspec *restrict old)
{
	struct timer *t = __strata_on ? *timer_of(handle) : NULL;

	if (!t)
		return RT_REAL(timer_settime)(handle, flags, time, old);
	if (old)
		get(t, old);
	disarm(t);
	if (!time->it_value.tv_sec && !time->it_value.tv_nsec)
		return 0;
	t->deadline_ps = flags & TIMER_ABSTIME ? rt_deadline_ps(t->clock, &time->it_value)
					       : rt_now_ps() + ps_of(&time->it_value);
	t->interval_ps = ps_of(&time->it_interval);
	t->is_armed = true;
	errno = make_shot(t);
	return errno ? -1 : 0;
}

RT_API int timer_gettime(timer_t handle, struct itimerspec *out)
{
	struct timer *t = __strata_on ? *timer_of(handle) : NULL;

	if (!t)
		return RT_REAL(timer_gettime)(handle, out);
	get(t, out);
	return 0;
}

/* No call is left out. */
RT_API int timer_getoverrun(timer_t handle)
{
	return __strata_on && *timer_of(handle) ? 0 : RT_REAL(timer_getoverrun)(handle);
}

RT_API int timer_delete(timer_t handle)
{
	struct timer **at = timer_of(handle), *t = *at;

	if (!__strata_on || !t)
		return RT_REAL(timer_delete)(handle);
	*at = t->next;
	disarm(t);
	leave(t);
	return 0;
}

/* Its thread is the C library's, and waits in the kernel for a message. */
RT_API int mq_notify(mqd_t queue, const struct sigevent *event)
{
	if (__strata_on && event && event->sigev_notify == SIGEV_THREAD) {
		rt_message("mq_notify with SIGEV_THREAD: its function would run on a thread of the host; not modelled");
		rt_fail(2);
	}
	return RT_REAL(mq_notify)(queue, event);
}
