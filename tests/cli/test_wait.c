/* test_wait.c - how a program has ended, where it can be told and where not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/wait.h"

static pid_t start(int exit_status)
{
	pid_t pid = fork();

	if (!pid)
		_exit(exit_status);
	return pid;
}

static void test_ended(void **state)
{
	bool is_timed_out = true;
	int status = cli_wait(start(7), 0, &is_timed_out);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_false(is_timed_out);
}

/* Somebody else has waited for it: that is no success. */
static void test_unknown(void **state)
{
	pid_t pid = start(0);
	bool is_timed_out;

	(void)state;
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(cli_wait(pid, 0, &is_timed_out), CLI_WAIT_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ended),
	    cmocka_unit_test(test_unknown),
	};

	cli_wait_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
