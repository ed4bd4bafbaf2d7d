/* handler.c - the program's handlers of signals.
 *
 * A signal of the host comes at any instruction, the model's among them, and its handler is the program's code with
 * hooks of its own. So it is kept, and the handler is called at the next hook, by the thread that runs then. Faults of
 * the program's own instructions, and abort, are handled at once: they cannot wait.
 *
 * What would end the process, Ctrl-C say, is kept in the same way, and ends it at the next hook, after the model; where
 * none comes, a second Ctrl-C does at once.
 */
#include "threads/rt/rt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SIGNALS = 65, EXIT_BY_SIGNAL = 128 }; /* 1 to 64 */

static struct sigaction handlers[SIGNALS];
static uint64_t handled, came; /* a bit for each signal */
static siginfo_t infos[SIGNALS];
static uint32_t directed_count; /* kept for one thread */
bool rt_signal_is_kept;

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
static uint64_t ending; /* a bit for each that the program leaves alone */
volatile sig_atomic_t rt_end_signal;
static uint64_t end_ns;
static int end_timer = -1;

static uint64_t bit(int number)
{
	return (uint64_t)1 << (number - 1);
}

static bool is_handler(const struct sigaction *a)
{
	return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

/* For a handler: syscall() has hooks. */
static long system_call(long number, long first, const void *second, const void *third, void *fourth)
{
	register void *r10 __asm__("r10") = fourth;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

static uint64_t host_ns(void)
{
	struct timespec t = {0};

	system_call(SYS_clock_gettime, CLOCK_MONOTONIC, &t, NULL, NULL);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Who does not come to a hook by then is killed: nobody may be there to ask a second time. */
static void end_later(void)
{
	enum { END_WAIT_S = 10 };
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	const struct itimerspec when = {.it_value.tv_sec = END_WAIT_S};

	if (!system_call(SYS_timer_create, CLOCK_MONOTONIC, &event, &end_timer, NULL))
		system_call(SYS_timer_settime, end_timer, NULL, &when, NULL);
}

static void arrive_to_end(int number)
{
	enum { SAME_PRESS_NS = 300 * 1000 * 1000 }; /* it may come twice: to the process group, and from strata */

	if (!rt_end_signal) {
		rt_end_signal = number;
		end_ns = host_ns();
		if (number != SIGINT)
			end_later();
	} else if (number == SIGINT && host_ns() - end_ns > SAME_PRESS_NS) {
		rt_leave_process(EXIT_BY_SIGNAL + number);
	}
	rt_signal_is_kept = true;
}

void rt_end_by_signal(void)
{
	if (end_timer >= 0) /* the results may take as long as they take */
		system_call(SYS_timer_delete, end_timer, NULL, NULL, NULL);
	rt_finish(rt_end_signal);
	if (!ftrylockfile(stdout)) { /* a thread that does not go on may have it */
		fflush_unlocked(stdout);
		funlockfile(stdout);
	}
	rt_leave_process(EXIT_BY_SIGNAL + rt_end_signal);
}

static bool is_ending(int number)
{
	for (size_t i = 0; i < sizeof(ending_signals) / sizeof(ending_signals[0]); i++)
		if (ending_signals[i] == number)
			return true;
	return false;
}

/* One that the program leaves to the system. */
static int take_to_end(int number)
{
	const struct sigaction action = {.sa_handler = arrive_to_end};

	ending |= bit(number);
	return RT_REAL(sigaction)(number, &action, NULL);
}

static void call(int number, siginfo_t *info, void *context)
{
	struct sigaction a = handlers[number];

	if (a.sa_flags & (int)SA_RESETHAND)
		signal(number, SIG_DFL);
	if (a.sa_flags & SA_SIGINFO)
		a.sa_sigaction(number, info, context);
	else
		a.sa_handler(number);
}

static void call_blocked(int number, siginfo_t *info)
{
	sigset_t blocked = handlers[number].sa_mask, old;
	int error = errno;

	if (!(handled & bit(number)))
		return;
	if (!(handlers[number].sa_flags & SA_NODEFER))
		sigaddset(&blocked, number);
	pthread_sigmask(SIG_BLOCK, &blocked, &old);
	call(number, info, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = error;
}

static void arrive(int number, siginfo_t *info, void *context)
{
	if (number == SIGABRT || (rt_is_crash(number) && info->si_code > 0)) {
		if (rt_in_model)
			rt_crash(number, info, context);
		__strata_own();
		call(number, info, context);
		return;
	}
	infos[number] = *info;
	__atomic_fetch_or(&came, bit(number), __ATOMIC_RELAXED);
	rt_signal_is_kept = true;
}

void rt_signals_deliver(void)
{
	struct rt_thread *self = rt_self();
	const bool is_struck = self->is_struck;
	uint64_t numbers;

	__strata_own();
	rt_signal_is_kept = directed_count > 0;
	if (rt_end_signal)
		rt_end_by_signal();
	numbers = __atomic_exchange_n(&came, 0, __ATOMIC_RELAXED);
	for (; numbers; numbers &= numbers - 1)
		call_blocked(__builtin_ctzll(numbers) + 1, &infos[__builtin_ctzll(numbers) + 1]);
	numbers = self->signals;
	rt_signals_forget(self);
	for (; numbers; numbers &= numbers - 1) {
		siginfo_t info = {.si_signo = __builtin_ctzll(numbers) + 1, .si_code = SI_TKILL};

		call_blocked(info.si_signo, &info);
	}
	if (is_struck && self->is_cancelled && !self->is_uncancellable && !self->is_ending) {
		self->is_plain = false;
		rt_thread_cancel_now();
	}
}

bool rt_signal_direct(struct rt_thread *t, int number)
{
	if (number < 1 || number >= SIGNALS || !(handled & bit(number)))
		return false;
	if (!(t->signals & bit(number)))
		directed_count++;
	t->signals |= bit(number);
	rt_signal_is_kept = true;
	rt_descriptor_interrupt(t);
	return true;
}

void rt_signal_strike(struct rt_thread *t)
{
	directed_count += !t->is_struck;
	t->is_struck = true;
	rt_signal_is_kept = true;
}

void rt_signals_forget(struct rt_thread *t)
{
	directed_count -= (uint32_t)__builtin_popcountll(t->signals) + t->is_struck;
	t->signals = 0;
	t->is_struck = false;
}

bool rt_signals_are_handled(void)
{
	return handled;
}

bool rt_signals_restart(const struct rt_thread *t)
{
	for (uint64_t numbers = __atomic_load_n(&came, __ATOMIC_RELAXED) | t->signals; numbers; numbers &= numbers - 1)
		if (!(handlers[__builtin_ctzll(numbers) + 1].sa_flags & SA_RESTART))
			return false;
	return true;
}

static int take(int number, const struct sigaction *action)
{
	struct sigaction ours = {.sa_sigaction = arrive,
				 .sa_flags = SA_SIGINFO | (action->sa_flags & (SA_RESTART | SA_NOCLDSTOP |
									       SA_NOCLDWAIT | SA_ONSTACK))};

	ending &= ~bit(number);
	if (!is_handler(action)) {
		handled &= ~bit(number);
		if (action->sa_handler == SIG_DFL && rt_is_crash(number))
			return rt_crash_watch(number);
		return action->sa_handler == SIG_DFL && is_ending(number) ? take_to_end(number)
									  : RT_REAL(sigaction)(number, action, NULL);
	}
	if (rt_is_crash(number))
		ours.sa_flags |= SA_NODEFER;
	handlers[number] = *action;
	handled |= bit(number);
	return RT_REAL(sigaction)(number, &ours, NULL);
}

bool rt_is_traced(void)
{
	static const char key[] = "TracerPid:";
	char text[4096] = "", *at;
	const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		*text = '\0';
	close(fd);
	at = strstr(text, key);
	return at && atoi(at + sizeof(key) - 1);
}

/* Handlers that the program's constructors have set, and what nobody has a handler for. */
void rt_signals_init(void)
{
	struct sigaction action;

	for (int number = 1; number < SIGNALS; number++) {
		if (RT_REAL(sigaction)(number, NULL, &action))
			continue;
		if (is_handler(&action))
			take(number, &action);
		else if (action.sa_handler == SIG_DFL && is_ending(number))
			take_to_end(number);
	}
}

RT_API int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old)
{
	struct sigaction before = {.sa_handler = SIG_DFL};

	if (!__strata_on || number < 1 || number >= SIGNALS)
		return RT_REAL(sigaction)(number, action, old);
	if (handled & bit(number))
		before = handlers[number];
	else if (!rt_is_crash(number) && !(ending & bit(number)) && RT_REAL(sigaction)(number, NULL, &before))
		return -1;
	if (action && take(number, action))
		return -1;
	if (old)
		*old = before;
	return 0;
}

static sighandler_t set(int number, sighandler_t handler, int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;

	return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

RT_API sighandler_t signal(int number, sighandler_t handler)
{
	return __strata_on ? set(number, handler, SA_RESTART) : RT_REAL(signal)(number, handler);
}

RT_API sighandler_t __sysv_signal(int number, sighandler_t handler)
{
	return __strata_on ? set(number, handler, (int)SA_RESETHAND | SA_NODEFER)
			   : RT_REAL(__sysv_signal)(number, handler);
}

/* It returns after the handler. */
RT_API int raise(int number)
{
	int error = RT_REAL(raise)(number);

	if (__strata_on && rt_signal_is_kept)
		rt_signals_deliver();
	return error;
}
