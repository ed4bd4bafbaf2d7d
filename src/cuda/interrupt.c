/* interrupt.c - Ctrl-C: the running kernel ends, the results are kept, the program exits with status 130.
 *
 * A handler is installed only where the program has left the default one. It does what a handler may (ends the kernel,
 * posts a semaphore); a thread that waits for the semaphore does the rest.
 */
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cuda/driver.h"

enum { EXIT_BY_SIGINT = 130 };

static sem_t wake;
static pthread_t watcher;
static volatile sig_atomic_t was_interrupted;
static bool is_installed;

static void on_interrupt(int signal_number)
{
	(void)signal_number;
	was_interrupted = 1;
	gpu_interrupt(cuda_driver.gpu);
	sem_post(&wake);
}

static void *watch(void *arg)
{
	(void)arg;
	while (sem_wait(&wake))
		continue;
	if (!was_interrupted)
		return NULL;
	pthread_mutex_lock(&cuda_driver.lock);
	cuda_message("interrupted: keeping the results so far");
	cuda_check_end(false);
	cuda_driver.is_interrupted = true;
	cuda_driver.ended = "signal";
	cuda_results_write();
	fflush(stdout);
	_exit(EXIT_BY_SIGINT);
}

void cuda_interrupt_install(void)
{
	struct sigaction old, action = {.sa_handler = on_interrupt};
	sigset_t all, before;

	if (sigaction(SIGINT, NULL, &old) || old.sa_flags & SA_SIGINFO || old.sa_handler != SIG_DFL)
		return;
	sem_init(&wake, 0, 0);
	/* The watcher must never be the thread that a signal interrupts. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	is_installed = !pthread_create(&watcher, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (is_installed)
		sigaction(SIGINT, &action, NULL);
}

void cuda_interrupt_remove(void)
{
	struct sigaction now, dflt = {.sa_handler = SIG_DFL};

	if (!is_installed)
		return;
	if (!sigaction(SIGINT, NULL, &now) && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == on_interrupt)
		sigaction(SIGINT, &dflt, NULL);
	sem_post(&wake);
	pthread_join(watcher, NULL);
	is_installed = false;
}
