/* test_team.c - a team does each item of a step once, whoever does it, and what is done is there when the step ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/team.h"

enum { ITEMS = 67, STEPS = 3000 };

struct work {
	uint32_t done[ITEMS]; /* plain: each is one thread's at a time */
	uint64_t sum[ITEMS];
	uint32_t thread[ITEMS]; /* that did it last */
};

static void work(void *ctx, uint32_t thread, uint32_t item)
{
	struct work *w = ctx;

	w->done[item]++;
	w->thread[item] = thread;
	for (uint32_t i = 0; i < item % 7 * 50; i++)
		w->sum[item] = w->sum[item] * 6364136223846793005ull + item;
}

static void each_item_is_done_once(void **state)
{
	(void)state;
	for (uint32_t threads = 2; threads <= 5; threads++) {
		struct sim_team *t = sim_team_new(threads, ITEMS);
		struct work w = {.done = {0}};
		uint32_t want[ITEMS] = {0}, items[ITEMS];

		assert_non_null(t);
		for (uint32_t step = 0; step < STEPS; step++) {
			uint32_t count = 0;

			for (uint32_t i = 0; i < ITEMS; i++) {
				if ((i * 2654435761u ^ step * 40503u) % 3 != 0)
					items[count++] = i;
			}
			for (uint32_t i = 0; i < count; i++)
				want[items[i]]++;
			sim_team_run(t, items, count, work, &w);
			assert_memory_equal(w.done, want, sizeof(want));
		}
		sim_team_free(t);
	}
}

/* An item is its home's, or the caller's where that one does not come: no other thread fetches it. */
static void an_item_stays_at_home(void **state)
{
	const uint32_t threads = 4;
	struct sim_team *t = sim_team_new(threads, ITEMS);
	struct work w = {.done = {0}};
	uint32_t items[ITEMS], helped = 0;

	(void)state;
	for (uint32_t i = 0; i < ITEMS; i++)
		items[i] = i;
	for (uint32_t step = 0; step < STEPS; step++) {
		sim_team_run(t, items, ITEMS, work, &w);
		for (uint32_t i = 0; i < ITEMS; i++) {
			assert_true(w.thread[i] == 0 || w.thread[i] == i % threads);
			helped += w.thread[i] != 0;
		}
	}
	print_message("%u of %u items by other threads\n", helped, ITEMS * STEPS);
	sim_team_free(t);
}

struct cost {
	uint64_t items[2]; /* by the caller, by others */
};

static void costly_elsewhere(void *ctx, uint32_t thread, uint32_t item)
{
	struct cost *c = ctx;
	volatile uint64_t sum = item;

	for (uint32_t i = 0; i < (thread ? 20000u : 500u); i++)
		sum = sum * 6364136223846793005ull + item;
	__atomic_fetch_add(&c->items[thread != 0], 1, __ATOMIC_RELAXED);
}

/* Where the others make it slower, they are soon left alone, and tried again only now and then. */
static void others_that_cost_are_left_alone(void **state)
{
	struct sim_team *t = sim_team_new(2, ITEMS);
	struct cost c = {.items = {0}};
	const uint32_t items[] = {0, 1};
	const clock_t end = clock() + CLOCKS_PER_SEC / 2;
	uint64_t half[2];

	(void)state;
	while (clock() < end - CLOCKS_PER_SEC / 4)
		sim_team_run(t, items, 2, costly_elsewhere, &c);
	half[0] = c.items[0];
	half[1] = c.items[1];
	while (clock() < end)
		sim_team_run(t, items, 2, costly_elsewhere, &c);
	print_message("%llu items by the caller, %llu by the other\n", (unsigned long long)(c.items[0] - half[0]),
		      (unsigned long long)(c.items[1] - half[1]));
	assert_true(c.items[1] - half[1] < (c.items[0] - half[0]) / 300);
	sim_team_free(t);
}

static void a_step_may_be_empty_or_have_one_item(void **state)
{
	struct sim_team *t = sim_team_new(3, ITEMS);
	struct work w = {.done = {0}};
	const uint32_t last = ITEMS - 1;

	(void)state;
	sim_team_run(t, NULL, 0, work, &w);
	sim_team_run(t, &last, 1, work, &w);
	assert_int_equal(w.done[last], 1);
	sim_team_free(t);
}

/* Threads that have gone to sleep, or have been left alone because they came late, are found again. */
static void threads_that_slept_go_on(void **state)
{
	struct sim_team *t = sim_team_new(2, ITEMS);
	struct work w = {.done = {0}};
	uint32_t items[ITEMS];

	(void)state;
	for (uint32_t i = 0; i < ITEMS; i++)
		items[i] = i;
	for (uint32_t round = 1; round <= 20; round++) {
		usleep(2000);
		sim_team_run(t, items, ITEMS, work, &w);
		for (uint32_t i = 0; i < ITEMS; i++)
			assert_int_equal(w.done[i], round);
	}
	sim_team_free(t);
}

/* The child of a fork has the caller's thread alone. */
static void a_fork_goes_on_alone(void **state)
{
	struct sim_team *t = sim_team_new(3, ITEMS);
	struct work w = {.done = {0}};
	const uint32_t items[] = {0, 5, 66};
	pid_t child;
	int status;

	(void)state;
	sim_team_run(t, items, 3, work, &w);
	child = fork();
	if (!child) {
		for (uint32_t i = 0; i < 100; i++)
			sim_team_run(t, items, 3, work, &w);
		sim_team_free(t);
		_exit(w.done[66] == 101 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	sim_team_run(t, items, 3, work, &w);
	assert_int_equal(w.done[66], 2);
	sim_team_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_item_is_done_once),
	    cmocka_unit_test(an_item_stays_at_home),
	    cmocka_unit_test(others_that_cost_are_left_alone),
	    cmocka_unit_test(a_step_may_be_empty_or_have_one_item),
	    cmocka_unit_test(threads_that_slept_go_on),
	    cmocka_unit_test(a_fork_goes_on_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
