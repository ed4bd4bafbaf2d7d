/* Who of the units comes next: against a search through all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "threads/model.h"

struct unit {
	uint64_t now_ps;
};
static struct unit units[THREAD_UNITS_MAX];

#include "threads/rt/ready.inc"

static bool waits[THREAD_UNITS_MAX];

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static void join(uint32_t unit, uint64_t now_ps)
{
	units[unit].now_ps = now_ps;
	waits[unit] = true;
	ready_add(&units[unit]);
}

/* By time, then by number. */
static uint32_t searched(uint32_t count)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < count; i++)
		if (waits[i] && (best == UINT32_MAX || units[i].now_ps < units[best].now_ps))
			best = i;
	return best;
}

static uint32_t take(uint32_t count)
{
	const uint32_t expected = searched(count);
	struct unit *u;

	assert_int_equal(unit_of(ready_first()), expected);
	u = ready_take();
	assert_ptr_equal(u, &units[expected]);
	waits[expected] = false;
	return expected;
}

static int begin(void **state)
{
	(void)state;
	memset(&ready, 0, sizeof(ready));
	memset(waits, 0, sizeof(waits));
	return 0;
}

/* What a unit goes on by: mostly little, sometimes nothing, sometimes about as far as the wheel reaches, or further. */
static uint64_t step(uint64_t dice, uint64_t step_ps, uint64_t *random)
{
	if (dice < 4)
		return dice * 700000;
	if (dice < 8)
		return ((READY_SLOTS - 4 + next_random(random) % 8) << READY_SLOT_SHIFT) + next_random(random) % 512;
	return dice < 12 ? 0 : dice * step_ps;
}

/* Some leave, and come back before those who wait. */
static void run(uint32_t count, uint64_t begin_ps, uint64_t step_ps, uint64_t seed, uint32_t rounds)
{
	uint64_t random = seed;
	uint32_t absent = UINT32_MAX;

	for (uint32_t i = 0; i < count; i++)
		join(i, begin_ps + next_random(&random) % 3 * step_ps);
	for (uint32_t i = 0; i < rounds; i++) {
		const uint32_t unit = take(count);
		const uint64_t now_ps = units[unit].now_ps, dice = next_random(&random) % 64;

		if (ready.count) /* how far it may go */
			assert_int_equal(unit_of(ready_first()), searched(count));

		if (dice == 0 && absent == UINT32_MAX && ready.count > 1) {
			absent = unit;
			continue;
		}
		join(unit, now_ps + step(dice, step_ps, &random));
		if (absent != UINT32_MAX && dice > 60) {
			join(absent, now_ps);
			absent = UINT32_MAX;
		}
	}
	assert_int_equal(ready.count, count - (absent != UINT32_MAX));
	while (ready.count)
		take(count);
	assert_int_equal(ready.next_count + ready.wheel_count + ready.far, 0);
}

static void of_any_number(void **state)
{
	(void)state;
	run(1, 0, 1000, 1, 20000);
	begin(NULL);
	run(7, 0, 37, 2, 20000);
	begin(NULL);
	run(520, 0, 1000, 3, 20000);
}

/* Keys have the time modulo 2^52 ps. */
static void beyond_what_a_key_holds(void **state)
{
	for (uint32_t seed = 0; seed < 500; seed++) {
		begin(state);
		run(9, (UINT64_C(1) << 52) - 100000, 200, seed, 300);
	}
}

/* All of the same time, in the order of numbers, whoever came first. */
static void at_one_time(void **state)
{
	(void)state;
	for (uint32_t i = THREAD_UNITS_MAX; i--;)
		join(i, 777);
	for (uint32_t i = 0; i < THREAD_UNITS_MAX; i++)
		assert_ptr_equal(ready_take(), &units[i]);
	assert_int_equal(ready.count, 0);
}

/* Who has been looked at, and waits long, makes no order of all who join before it. */
static void before_one_late(void **state)
{
	(void)state;
	join(600, 400000);
	assert_int_equal(unit_of(ready_first()), 600);
	for (uint32_t i = 0; i < 500; i++)
		join(i, i * 37 % 500 * 700);
	assert_true(ready.next_count < 10);
	while (ready.count)
		take(601);
}

/* One joins the list, the other, in the same slot and later, the end of the wheel, which has moved on by one. */
static void where_the_wheel_ends(void **state)
{
	const uint64_t slot_ps = UINT64_C(1) << READY_SLOT_SHIFT;

	(void)state;
	join(1, 0);
	join(2, READY_SLOTS * slot_ps);
	assert_int_equal(take(4), 1);
	join(3, READY_SLOTS * slot_ps + 100);
	assert_int_equal(take(4), 2);
	assert_int_equal(take(4), 3);
}

/* None is near. */
static void all_far(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		join(i, (i * 37 % 100 + 1) * UINT64_C(1000000000));
	while (ready.count)
		take(100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(of_any_number, begin),
		cmocka_unit_test_setup(beyond_what_a_key_holds, begin),
		cmocka_unit_test_setup(at_one_time, begin),
		cmocka_unit_test_setup(before_one_late, begin),
		cmocka_unit_test_setup(where_the_wheel_ends, begin),
		cmocka_unit_test_setup(all_far, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
