/* interrupt.c - Ctrl-C, SIGTERM, SIGHUP and the limit of wall-clock time: the running kernel ends, the results are
 * kept.
 *
 * A handler is installed only where the program has left the default one. It does what a handler may (ends the kernel,
 * posts a semaphore); a thread that waits for the semaphore, and for the limit of time, does the rest. After a signal
 * the program ends with status 128 and the signal's number, like one that the signal has killed; a second Ctrl-C ends
 * it at once, whatever it waits for. The limit of time ends kernels, not the program: its calls report the fault, and
 * the command that started it ends it some time later if need be.
 *
 * The same thread has the results so far written now and then, since a program with handlers of its own may be killed,
 * and one that leaves by _exit never comes here. They are written between two calls, never while a kernel runs. While
 * one runs, the thread says how far it is (live.h).
 *
 * Once the program is ending, a thread that comes out of the door does not go on: what the program would make of a
 * kernel that has been ended must not decide how it ends.
 */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <glib.h>

#include "base/check.h"
#include "machine/interrupt.h"
#include "machine/message.h"
#include "machine/session.h"

enum {
	EXIT_BY_SIGNAL = 128,
	SAME_PRESS_NS = 300 * 1000 * 1000, /* a signal may come twice: to the process group, and from strata */
	END_WAIT_S = 5,			   /* the end itself is a matter of milliseconds */
	KEEP_PERIOD_NS = 500 * 1000 * 1000,
	KEEP_SHARE = 100, /* writing takes at most this part of the time */
};

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

static struct machine_run *run;
static pthread_mutex_t *lock; /* the door's */
static sem_t wake;
static pthread_t watcher;
static pid_t owner; /* the watcher's process: a forked child has none */
static volatile sig_atomic_t signal_seen;
static uint64_t signal_ns;
static bool is_installed;
static volatile bool is_held; /* signals are only noted */

static struct {
	volatile bool is_ending;
	pthread_t thread; /* that brings the end about */
} end;

static _Thread_local bool has_waited;

uint64_t machine_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- threads at the end ---- */

/* From now on only this thread goes on. */
static void end_begin(pthread_t thread)
{
	end.thread = thread;
	end.is_ending = true;
}

void machine_run_wait(void)
{
	const struct timespec pause = {.tv_sec = END_WAIT_S};

	if (!end.is_ending || has_waited || pthread_equal(end.thread, pthread_self()))
		return;
	has_waited = true;
	nanosleep(&pause, NULL);
}

/* ---- signals ---- */

static void stop_device(enum device_stop why)
{
	run->device->ops->interrupt(run->device, why);
}

/* Now, not when the watcher comes to it: the kernel's thread may be faster, and must not exit. */
static void ask_for_end(void)
{
	end_begin(watcher);
	stop_device(DEVICE_STOP_USER);
	sem_post(&wake);
}

/* In a forked child a signal does what it does where we are not; it is blocked until its handler returns. */
static void leave_to_child(int number)
{
	const struct sigaction dflt = {.sa_handler = SIG_DFL};

	sigaction(number, &dflt, NULL);
	raise(number);
}

static void on_signal(int number)
{
	const int error = errno;

	if (getpid() != owner) {
		leave_to_child(number);
	} else if (!signal_seen) {
		signal_seen = number;
		signal_ns = machine_now_ns();
		if (!is_held)
			ask_for_end();
	} else if (number == SIGINT && machine_now_ns() - signal_ns > SAME_PRESS_NS) {
		_exit(EXIT_BY_SIGNAL + number);
	}
	errno = error;
}

static _Noreturn void end_by_signal(void)
{
	pthread_mutex_lock(lock);
	machine_message("%s: keeping the results so far", run->is_wall_over ? "the time is over" : "interrupted");
	run->is_interrupted = !run->is_wall_over;
	machine_run_write(run, run->is_wall_over ? "timeout" : "signal");
	fflush(stdout);
	_exit(EXIT_BY_SIGNAL + signal_seen);
}

/* ---- the limit of time ---- */

/* 0: there is none. The command says when the program's time is over; a program without it has its own limit. */
static uint64_t deadline_ns(void)
{
	const uint64_t limit_ns = run->params->timeout_wall_ns, of_command_ns = machine_session_deadline_ns();

	if (!limit_ns)
		return 0;
	return of_command_ns ? of_command_ns : machine_now_ns() + limit_ns;
}

/* Until somebody wakes the watcher. False: the time is over. */
static bool wait_until(uint64_t ns)
{
	const struct timespec at = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
	int failed;

	do
		failed = sem_clockwait(&wake, CLOCK_MONOTONIC, &at);
	while (failed && errno == EINTR);
	return !failed;
}

/* Now, or at the end of the call that is under way. */
static void keep_results(void)
{
	if (pthread_mutex_trylock(lock)) {
		run->is_keep_due = true;
		return;
	}
	machine_run_keep(run);
	pthread_mutex_unlock(lock);
}

static uint64_t next_keep_ns(void)
{
	return machine_now_ns() + MAX(KEEP_PERIOD_NS, KEEP_SHARE * run->keep_cost_ns);
}

static void tell_progress(void)
{
	struct sim_progress p;

	run->device->ops->progress(run->device, &p);
	machine_live_write(run->live, &p, run->running_kernel, sim_progress_count(&run->launch_count));
}

static uint64_t next_tell_ns(void)
{
	return run->live ? machine_now_ns() + MACHINE_LIVE_PERIOD_NS : UINT64_MAX;
}

static void *watch(void *arg)
{
	uint64_t end_ns = deadline_ns(), keep_ns = next_keep_ns(), tell_ns = next_tell_ns();

	(void)arg;
	end_ns = end_ns ? end_ns : UINT64_MAX;
	while (!wait_until(MIN(end_ns, MIN(keep_ns, tell_ns)))) {
		const uint64_t now = machine_now_ns();

		if (now >= end_ns) {
			run->is_wall_over = true;
			stop_device(DEVICE_STOP_WALL);
			end_ns = UINT64_MAX;
		}
		if (now >= tell_ns) {
			tell_progress();
			tell_ns = next_tell_ns();
		}
		if (now >= keep_ns) {
			keep_results();
			keep_ns = next_keep_ns();
		}
	}
	if (signal_seen)
		end_by_signal();
	return NULL;
}

/* ---- installing ---- */

static bool is_default(int number)
{
	struct sigaction now;

	return !sigaction(number, NULL, &now) && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

static bool is_ours(int number)
{
	struct sigaction now;

	return !sigaction(number, NULL, &now) && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == on_signal;
}

void machine_interrupt_install(struct machine_run *r, const struct machine_door *door)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	sigset_t all, before;

	run = r;
	owner = getpid();
	lock = door->lock;
	sem_init(&wake, 0, 0);
	/* The watcher must never be the thread that a signal interrupts. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	is_installed = !pthread_create(&watcher, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (uint32_t i = 0; is_installed && i < ARRAY_COUNT(ending_signals); i++) {
		if (is_default(ending_signals[i]))
			sigaction(ending_signals[i], &action, NULL);
	}
}

void machine_interrupt_hold(void)
{
	is_held = true;
	if (is_installed) {
		sem_post(&wake);
		pthread_join(watcher, NULL);
	}
	end_begin(pthread_self());
}

void machine_interrupt_end(void)
{
	struct sigaction dflt = {.sa_handler = SIG_DFL};

	if (!is_installed)
		return;
	for (uint32_t i = 0; i < ARRAY_COUNT(ending_signals); i++) {
		if (is_ours(ending_signals[i]))
			sigaction(ending_signals[i], &dflt, NULL);
	}
	is_installed = false;
	if (!signal_seen)
		return;
	fflush(stdout); /* as exit would soon do */
	raise(signal_seen);
}
