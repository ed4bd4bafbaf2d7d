/* signals.c - handlers of signals: of raise, of another thread, of a fault; with "timer", of the host at any time. */
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t raised, faults, ticks;
static atomic_int told, is_there, sum;
static sigjmp_buf before_fault;
static int *volatile nothing;
static unsigned char *volatile kept;

static void on_raise(int number)
{
	raised += number == SIGUSR1;
}

static void on_told(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number == SIGUSR2 && info->si_signo == SIGUSR2)
		atomic_fetch_add(&told, 1);
}

static void on_fault(int number)
{
	(void)number;
	faults++;
	siglongjmp(before_fault, 1);
}

/* What a handler must not do to a model that it interrupts: access and allocate. */
static void on_tick(int number)
{
	unsigned char *p = malloc(100);

	(void)number;
	memset(p, 7, 100);
	free((void *)kept);
	kept = p;
	ticks++;
}

static void *wait_for_signal(void *arg)
{
	atomic_store(&is_there, 1);
	while (!atomic_load(&told))
		;
	return arg;
}

static void *add(void *arg)
{
	for (int i = 0; i < 300000; i++) {
		int *p = malloc(sizeof(*p));

		*p = 1;
		atomic_fetch_add(&sum, *p);
		free(p);
	}
	return arg;
}

static void run_timer(void)
{
	const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	pthread_t t[3];

	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, add, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT(sum == 1800000);
	EXPECT(ticks > 0);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_told, .sa_flags = SA_SIGINFO}, old;
	pthread_t t;

	if (argc > 1 && !strcmp(argv[1], "timer")) {
		run_timer();
		return 0;
	}
	EXPECT(signal(SIGUSR1, on_raise) == SIG_DFL);
	EXPECT(raise(SIGUSR1) == 0 && raised == 1);
	EXPECT(kill(getpid(), SIGUSR1) == 0 && raised == 2);
	EXPECT(signal(SIGUSR1, SIG_IGN) == on_raise);
	EXPECT(raise(SIGUSR1) == 0 && raised == 2);

	EXPECT(sigaction(SIGUSR2, &action, NULL) == 0);
	EXPECT(sigaction(SIGUSR2, NULL, &old) == 0 && old.sa_sigaction == on_told);
	pthread_create(&t, NULL, wait_for_signal, NULL);
	while (!atomic_load(&is_there))
		;
	EXPECT(pthread_kill(t, SIGUSR2) == 0);
	pthread_join(t, NULL);
	EXPECT(told == 1);

	signal(SIGSEGV, on_fault);
	for (int i = 0; i < 2; i++)
		if (!sigsetjmp(before_fault, 1))
			*nothing = 1;
	EXPECT(faults == 2);
	EXPECT(signal(SIGSEGV, SIG_DFL) == on_fault);

	/* Once only; and held back until it is let through. */
	sigset_t set;

	action = (struct sigaction){.sa_handler = on_raise, .sa_flags = (int)SA_RESETHAND};
	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	EXPECT(raised == 2);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	EXPECT(raised == 3);
	sigaction(SIGUSR1, NULL, &old);
	EXPECT(old.sa_handler == SIG_DFL);
	puts("signals: all right");
	return 0;
}
