/* test_division.c - runs side by side and their threads never need more cores than there are, and fewer runs than cores
 * have several each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/division.h"
#include "sim/team.h"

enum { RUNS_MAX = 100 };

static void test_all_runs(void **state)
{
	(void)state;
	for (uint32_t cores = 1; cores <= 70; cores++) {
		for (uint32_t runs = 1; runs <= RUNS_MAX; runs += 3) {
			struct cli_division d = {.cores = cores, .slots = cores, .threads = CLI_THREADS_AUTO};
			uint32_t threads[RUNS_MAX], begun = 0, ended = 0, seed = cores * 131 + runs;

			while (ended < runs) {
				while (begun < runs && cli_division_has_place(&d)) {
					threads[begun] = cli_division_begin(&d, runs - begun);
					assert_in_range(threads[begun], 1, SIM_TEAM_MAX);
					begun++;
				}
				assert_true(d.busy_threads <= cores);
				for (seed = seed * 1103515245 + 12345; ended < begun && seed >> 16 & 3; seed /= 2)
					cli_division_end(&d, threads[ended++]);
			}
			assert_int_equal(d.busy_threads, 0);
			assert_int_equal(d.running_count, 0);
		}
	}
}

/* Begins as many as may run at a time; returns the threads of all, and of the one with the fewest. */
static uint32_t begin_all(struct cli_division *d, uint32_t runs, uint32_t *least)
{
	*least = UINT32_MAX;
	for (; runs && cli_division_has_place(d); runs--) {
		const uint32_t threads = cli_division_begin(d, runs);

		*least = threads < *least ? threads : *least;
	}
	return d->busy_threads;
}

static void test_few_runs(void **state)
{
	struct cli_division three = {.cores = 8, .slots = 8, .threads = CLI_THREADS_AUTO};
	struct cli_division two_slots = {.cores = 8, .slots = 2, .threads = CLI_THREADS_AUTO};
	struct cli_division many_slots = {.cores = 2, .slots = 5, .threads = CLI_THREADS_AUTO};
	uint32_t least;

	(void)state;
	assert_int_equal(begin_all(&three, 3, &least), 8);
	assert_int_equal(least, 2);
	assert_int_equal(begin_all(&two_slots, 30, &least), 8);
	assert_int_equal(least, 4);
	assert_int_equal(begin_all(&many_slots, 30, &least), 5); /* so many were asked for */
	assert_int_equal(least, 1);
}

/* Those that are left when others have ended have the cores of these. */
static void test_last_runs(void **state)
{
	struct cli_division d = {.cores = 4, .slots = 4, .threads = CLI_THREADS_AUTO};
	uint32_t least;

	(void)state;
	assert_int_equal(begin_all(&d, 5, &least), 4);
	for (uint32_t i = 0; i < 3; i++)
		cli_division_end(&d, 1);
	assert_int_equal(cli_division_begin(&d, 1), 3);
}

static void test_said(void **state)
{
	struct cli_division none = {.cores = 4, .slots = 4}, three = {.cores = 4, .slots = 1, .threads = 3};

	(void)state;
	assert_int_equal(cli_division_begin(&none, 1), 0);
	assert_int_equal(none.busy_threads, 1);
	cli_division_end(&none, 0);
	assert_int_equal(none.busy_threads, 0);
	assert_int_equal(cli_division_begin(&three, 9), 3);
	assert_false(cli_division_has_place(&three));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_runs),
	    cmocka_unit_test(test_few_runs),
	    cmocka_unit_test(test_last_runs),
	    cmocka_unit_test(test_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
