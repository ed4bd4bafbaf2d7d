/* test_exit.c - main returns while a host function of another thread runs: the thread goes no further into what is no
 * longer there, and the process ends as main said.
 *
 * Each case is a child that has not called the driver before. Its standard output is a pipe that nobody reads for a
 * while, so that exit waits in it after the driver has shut down, and the host function returns meanwhile.
 */
#include "common.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

static sem_t begun;
static int is_down[2]; /* a pipe: the host function returns when something comes */

static void outlast(void *unused)
{
	char c;

	(void)unused;
	sem_post(&begun);
	(void)!read(is_down[0], &c, 1);
}

static void *work(void *unused)
{
	CUstream s;

	begin();
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	cuLaunchHostFunc(s, outlast, NULL);
	_exit(3); /* it must not return */
	return unused;
}

static void return_from_main(void)
{
	static char text[1 << 20];
	pthread_t t;

	alarm(60);
	signal(SIGSEGV, SIG_DFL); /* not cmocka's */
	setvbuf(stdout, text, _IOFBF, sizeof(text));
	memset(text, 'x', sizeof(text));
	sem_init(&begun, 0, 0);
	if (pthread_create(&t, NULL, work, NULL))
		_exit(2);
	sem_wait(&begun);
	for (int i = 0; i < 1 << 17; i++)
		putchar('x'); /* more than a pipe holds, less than the buffer: exit writes it */
	exit(7);
}

static void host_function_returns_after_main(void **state)
{
	int out[2], status;
	char buffer[4096];
	pid_t child;

	(void)state;
	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(is_down), 0);
	child = fork();
	if (!child) {
		close(is_down[1]);
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		return_from_main();
	}
	close(out[1]);
	/* The pipe is full: exit is past the driver's end. */
	while (fcntl(out[0], F_GETPIPE_SZ) > 0) {
		int held = 0;

		assert_int_equal(ioctl(out[0], FIONREAD, &held), 0);
		if (held >= 1 << 16)
			break;
		assert_int_equal(waitpid(child, &status, WNOHANG), 0);
		usleep(10000);
	}
	assert_int_equal(write(is_down[1], "x", 1), 1); /* the host function returns */
	sleep(6); /* longer than a thread that leaves the driver at the end is held (machine_run_wait) */
	while (read(out[0], buffer, sizeof(buffer)) > 0)
		;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	close(out[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(host_function_returns_after_main)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
