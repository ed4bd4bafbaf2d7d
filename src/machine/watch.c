/* watch.c - a thread that looks, and a handler that stops. */
#include "machine/watch.h"

#include <glib.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/check.h"

enum { EXIT_BY_SIGNAL = 128, SAME_PRESS_NS = 300 * 1000 * 1000 };

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

static const struct machine_watched *volatile running;
static struct machine_live *live;
static volatile sig_atomic_t signal_seen;
static uint64_t signal_ns;
static pthread_t thread;
static sem_t over;
static bool is_watched;

/* A signal may come twice: to the process group, and from strata. */
static void on_signal(int number)
{
	const struct machine_watched *run = running;
	const uint64_t now_ns = machine_live_now_ns();

	if (signal_seen && number == SIGINT && now_ns - signal_ns > SAME_PRESS_NS)
		_exit(EXIT_BY_SIGNAL + number);
	if (signal_seen)
		return;
	signal_ns = now_ns;
	signal_seen = number;
	if (run)
		run->stop(run->ctx);
}

static void *watch(void *unused)
{
	struct timespec until;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &until);
	for (;;) {
		struct sim_progress p;

		until.tv_nsec += MACHINE_LIVE_PERIOD_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (!sem_clockwait(&over, CLOCK_MONOTONIC, &until))
			return NULL;
		running->progress(running->ctx, &p);
		machine_live_write(live, &p, NULL, 0);
	}
}

/* Where the program that started us ignores a signal, it stays ignored: nohup. */
static void catch_signals(void)
{
	const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	for (uint32_t i = 0; i < ARRAY_COUNT(ending_signals); i++) {
		struct sigaction now;

		if (!sigaction(ending_signals[i], NULL, &now) && now.sa_handler == SIG_DFL)
			sigaction(ending_signals[i], &action, NULL);
	}
}

void machine_watch_begin(const struct machine_watched *run, struct machine_live *to)
{
	sigset_t all, before;

	running = run;
	live = to;
	catch_signals();
	sem_init(&over, 0, 0);
	json_object_seed(0); /* which jansson wants to do before there are threads */
	/* Signals go to the thread that simulates. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	is_watched = live && !pthread_create(&thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void machine_watch_end(void)
{
	sem_post(&over);
	if (is_watched)
		pthread_join(thread, NULL);
	running = NULL;
}

int machine_watch_signal(void)
{
	return signal_seen;
}
