/* A door without CUDA: what it gives a program by calling begin, keep and end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "toy.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static bool has_closed, was_complete, has_room = true;

static bool open_door(struct machine_run *run)
{
	return has_room && run->params->timeline_count == 7;
}

static void close_door(struct machine_run *run, bool is_complete)
{
	has_closed = !run->is_written || run->ended == NULL || strcmp(run->ended, MACHINE_ENDED_BY_EXIT);
	was_complete = is_complete;
}

static const struct machine_door door = {&lock, open_door, close_door, NULL};
static struct machine_run run;
static struct machine_streams streams;
static struct machine_stream stream = {.context = &streams};

static void begin(void)
{
	pthread_mutex_lock(&lock);
	if (machine_run_begin(&run, &door) != MACHINE_BEGUN)
		_exit(9);
}

/* A copy of 1 MB to the device, of 1 ms. */
static void copy(uint64_t start_ps)
{
	machine_timeline_add(run.timeline, MACHINE_WORK_TO_DEVICE, &stream, NULL, start_ps, start_ps + 1000000000,
			     1000000, false);
}

static void leave(void)
{
	pthread_mutex_unlock(&lock);
	machine_run_wait();
}

static void run_to_the_end(void)
{
	begin();
	copy(0);
	copy(2000000000);
	leave();
	machine_run_end(&run);
	if (!has_closed || !was_complete)
		_exit(8);
	machine_run_free(&run);
	leave();
}

static void test_results(void **state)
{
	(void)state;
	toy_session("run.timeline_count = 7\n");
	assert_int_equal(toy_child(run_to_the_end, 0), 0);

	json_t *o = toy_results();

	assert_string_equal(json_string_value(json_object_get(o, "machine")), "a toy");
	assert_string_equal(json_string_value(json_object_get(o, "ended")), "exit");
	assert_int_equal(toy_int(o, "copy_bytes_to_device"), 2000000);
	assert_int_equal(toy_int(o, "total_time_ps"), 3000000000);
	assert_int_equal(json_array_size(json_object_get(o, "timeline")), 2);
	assert_int_equal(toy_int(o, "launches"), 0);
	json_decref(o);
	toy_end();
}

/* The results so far are asked for within a second, and are there when the program leaves by _exit. */
static void leave_unseen(void)
{
	const struct timespec pause = {.tv_nsec = 10000000};

	begin();
	copy(0);
	for (uint32_t i = 0; !run.is_keep_due; i++) {
		if (i == 1000)
			_exit(7);
		nanosleep(&pause, NULL);
	}
	machine_run_keep(&run);
	_exit(run.is_keep_due ? 6 : 0);
}

static void test_keep(void **state)
{
	(void)state;
	toy_session("run.timeline_count = 7\n");
	assert_int_equal(toy_child(leave_unseen, 0), 0);

	json_t *o = toy_results();

	assert_string_equal(json_string_value(json_object_get(o, "ended")), MACHINE_ENDED_UNSEEN);
	assert_int_equal(toy_int(o, "copy_bytes_to_device"), 1000000);
	json_decref(o);
	toy_end();
}

/* Works on until a signal ends it between two calls. */
static void work_on(void)
{
	begin();
	copy(0);
	leave();
	toy_ready();
	for (;;)
		pause();
}

static void check_signal(int number)
{
	toy_session("run.timeline_count = 7\n");

	int status = toy_child(work_on, number);
	json_t *o = toy_results();

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 128 + number);
	assert_string_equal(json_string_value(json_object_get(o, "ended")), "signal");
	assert_true(json_is_true(json_object_get(o, "interrupted")));
	assert_int_equal(toy_int(o, "copy_bytes_to_device"), 1000000);
	json_decref(o);
	toy_end();
}

static void test_signals(void **state)
{
	(void)state;
	check_signal(SIGINT);
	check_signal(SIGTERM);
	check_signal(SIGHUP);
}

/* The door finds no room: a program that strata has started ends with strata's own status. */
static void find_no_room(void)
{
	has_room = false;
	begin();
}

static void test_no_room(void **state)
{
	(void)state;
	toy_session("run.timeline_count = 7\n");

	int status = toy_child(find_no_room, 0);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 125);
	toy_end();
}

static void find_no_session(void)
{
	begin();
}

static void test_bad_session(void **state)
{
	(void)state;
	toy_session("run.timeline_count = many\n");

	int status = toy_child(find_no_session, 0);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 9);
	toy_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_results), cmocka_unit_test(test_keep),	cmocka_unit_test(test_signals),
	    cmocka_unit_test(test_no_room), cmocka_unit_test(test_bad_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
