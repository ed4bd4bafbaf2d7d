/* test_window.c - when a block's window opens and closes, against rates that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ndp/blocks/window.h"

enum { WARPS = 64 };

/* Each of WARPS warps goes through the block again and again; an access takes home_ps there and away_ps away. */
struct play {
	struct ndp_window w;
	struct ndp_visit visits[WARPS];
	uint64_t now_ps;
	struct ndp_scene scene;
};

static void begin(struct play *p)
{
	*p = (struct play){.now_ps = 1000, .scene = {.first = 4, .most = 32, .most_relief = 64, .load = 1}};
	ndp_window_begin(&p->w, p->now_ps);
}

/* One instance of each warp: four accesses. Those away end later by the ratio of the times. The most that were away. */
static uint32_t round_of(struct play *p, uint64_t home_ps, uint64_t away_ps)
{
	const uint64_t begin_ps = p->now_ps, longer_ps = home_ps > away_ps ? home_ps : away_ps;
	uint32_t away = 0;

	p->scene.now_ps = begin_ps;
	for (uint32_t i = 0; i < WARPS; i++) {
		ndp_visit_open(&p->visits[i], &p->w, begin_ps);
		if (ndp_window_rests(&p->w) || !ndp_window_may_go(&p->w, &p->scene))
			continue;
		ndp_visit_leave(&p->visits[i], begin_ps);
		away++;
	}
	for (uint64_t t = 1; t <= 4 * longer_ps; t++)
		for (uint32_t i = 0; i < WARPS; i++) {
			const uint64_t each_ps = p->visits[i].is_away ? away_ps : home_ps;

			if (t % each_ps == 0 && t <= 4 * each_ps)
				ndp_visit_access(&p->visits[i], begin_ps + t);
			if (t == 4 * each_ps)
				ndp_visit_close(&p->visits[i], begin_ps + t);
		}
	p->now_ps = begin_ps + 4 * longer_ps;
	p->scene.so_far_ps = p->now_ps - 1000;
	return away;
}

static void it_opens_while_they_are_faster(void **state)
{
	struct play p;

	(void)state;
	begin(&p);
	assert_int_equal(round_of(&p, 50, 10), 4); /* a probe */
	for (uint32_t i = 0; i < 8; i++)
		round_of(&p, 50, 10);
	assert_int_equal(p.w.width, 32);
	assert_in_range(round_of(&p, 50, 10), 30, 32);
	/* What would take as long as at home, were it twice as many, is not twice as wide. */
	begin(&p);
	for (uint32_t i = 0; i < 8; i++)
		round_of(&p, 50, 40);
	assert_int_equal(p.w.width, 4);
}

/* Of more instances none takes longer while the units have issue to spare: 40 is less than 50 at any width. */
static void units_that_are_idle_take_more(void **state)
{
	struct play p;

	(void)state;
	begin(&p);
	p.scene.load = 0.1;
	for (uint32_t i = 0; i < 8; i++)
		round_of(&p, 50, 40);
	assert_int_equal(p.w.width, 32);
	/* Half of it is used: twice as many are no slower, four times as many twice as slow. */
	begin(&p);
	p.scene.load = 0.5;
	round_of(&p, 50, 40);
	round_of(&p, 50, 40);
	assert_int_equal(p.w.width, 8);
}

/* What an earlier close has not let go is judged once. */
static void a_window_closes_as_those_away_come_back(void **state)
{
	struct play p;

	(void)state;
	begin(&p);
	for (uint32_t i = 0; i < 8; i++)
		round_of(&p, 50, 10);
	assert_int_equal(p.w.width, 32);
	for (uint32_t i = 0; i < 32; i++) {
		ndp_visit_open(&p.visits[i], &p.w, p.now_ps);
		ndp_visit_leave(&p.visits[i], p.now_ps);
	}
	ndp_visit_open(&p.visits[32], &p.w, p.now_ps);
	for (uint32_t t = 1; t < 50; t++) {
		p.scene.now_ps = p.now_ps + 100 * t;
		for (uint32_t i = 0; i < 32; i++)
			ndp_visit_access(&p.visits[i], p.scene.now_ps);
		for (uint32_t k = 0; k < 8; k++)
			ndp_visit_access(&p.visits[32], p.scene.now_ps);
		ndp_window_may_go(&p.w, &p.scene);
	}
	assert_int_equal(p.w.away.count, 32);
	assert_int_equal(p.w.width, 16);
}

static void it_closes_while_they_are_slower(void **state)
{
	struct play p;
	uint32_t away = 0;

	(void)state;
	begin(&p);
	for (uint32_t i = 0; i < 6; i++)
		round_of(&p, 10, 50);
	assert_int_equal(p.w.width, 1);
	assert_true(p.w.rest_all >= 64);
	for (uint32_t i = 0; i < 100; i++) /* 6,400 instances */
		away += round_of(&p, 10, 50);
	assert_in_range(away, 1, 8);
	assert_int_equal(p.w.rest_all, 4096);
}

static void a_full_link_is_worth_a_delay(void **state)
{
	struct play p;

	(void)state;
	begin(&p);
	p.scene.is_relief = true;
	p.scene.slack_ps = 10000;
	for (uint32_t i = 0; i < 8; i++)
		round_of(&p, 50, 60);
	assert_int_equal(p.w.width, 64); /* more than the places, for some are on their way */
	p.scene.is_relief = false;
	for (uint32_t i = 0; i < 8; i++)
		round_of(&p, 50, 60);
	assert_true(p.w.width <= 8);
	/* The launch cannot hide it. */
	begin(&p);
	p.scene.is_relief = true;
	for (uint32_t i = 0; i < 8; i++)
		round_of(&p, 50, 60);
	assert_int_equal(p.w.width, 1);
}

/* What is known of instances: nothing, how long they are, or that and, each round, how much the units issue. */
enum known { NOTHING, COUNTED, SEEN };

/* Twenty rounds of warps whose instances do not end: those away make accesses ten times as often. */
static uint32_t long_ones(struct play *p, bool is_relief, enum known known, uint32_t sure)
{
	begin(p);
	p->scene.is_relief = is_relief;
	p->scene.is_counted = known != NOTHING;
	p->scene.load = 0.1;
	p->scene.sure = sure;
	p->scene.slack_ps = 10000;
	for (uint32_t i = 0; i < WARPS; i++)
		ndp_visit_open(&p->visits[i], &p->w, p->now_ps);
	for (uint32_t round = 0; round < 20; round++) {
		p->scene.load_ps = known == SEEN ? p->now_ps : 0;
		p->now_ps += 100;
		p->scene.now_ps = p->now_ps;
		for (uint32_t i = 0; i < WARPS; i++) {
			if (!p->visits[i].is_away && ndp_window_may_go(&p->w, &p->scene))
				ndp_visit_leave(&p->visits[i], p->now_ps);
			else if (p->visits[i].is_away || round % 10 == 0)
				ndp_visit_access(&p->visits[i], p->now_ps);
		}
	}
	return p->w.away.count;
}

static void what_is_long_is_not_sent_before_one_is_back(void **state)
{
	struct play p;

	(void)state;
	assert_int_equal(long_ones(&p, false, NOTHING, 32), 4); /* faster by far, and yet */
	/* One that does not go on for ever: with what the units have to spare, as far as whoever knows it is sure. */
	assert_int_equal(long_ones(&p, false, SEEN, 24), 24);
	assert_int_equal(long_ones(&p, false, COUNTED, 24), 4);
	/* With a full link as many go as whoever knows the block is sure of, and no more. */
	assert_int_equal(long_ones(&p, true, NOTHING, 4), 4);
	assert_int_equal(long_ones(&p, true, NOTHING, 24), 24);
}

static void a_launch_that_waits_closes_it(void **state)
{
	struct play p;

	(void)state;
	begin(&p);
	round_of(&p, 10, 50);
	p.w.width = 16;
	ndp_window_end(&p.w, 1000, p.now_ps); /* at home all had ended after a fifth of it */
	assert_int_equal(p.w.width, 1);
	assert_true(p.w.rest_count > 0);
	begin(&p);
	round_of(&p, 50, 49);
	p.w.width = 16;
	ndp_window_end(&p.w, 1000, p.now_ps);
	assert_int_equal(p.w.width, 16);
	/* All were away, so that none ended at home; they were faster than there. */
	begin(&p);
	round_of(&p, 50, 10);
	p.w.width = 16;
	for (uint32_t i = 0; i < 8; i++) {
		ndp_visit_open(&p.visits[i], &p.w, p.now_ps);
		ndp_visit_leave(&p.visits[i], p.now_ps);
	}
	for (uint64_t t = 1; t <= 4; t++)
		for (uint32_t i = 0; i < 8; i++)
			ndp_visit_access(&p.visits[i], p.now_ps + 10 * t);
	for (uint32_t i = 0; i < 8; i++)
		ndp_visit_close(&p.visits[i], p.now_ps + 40);
	ndp_window_end(&p.w, p.now_ps, p.now_ps + 40);
	assert_int_equal(p.w.width, 16);
	/* One of them was longer than the others: nobody knows what it would have taken at home. */
	ndp_visit_open(&p.visits[0], &p.w, p.now_ps + 40);
	ndp_visit_leave(&p.visits[0], p.now_ps + 40);
	for (uint64_t t = 1; t <= 40; t++)
		ndp_visit_access(&p.visits[0], p.now_ps + 40 + 10 * t);
	ndp_visit_close(&p.visits[0], p.now_ps + 440);
	ndp_window_end(&p.w, p.now_ps, p.now_ps + 440);
	assert_int_equal(p.w.width, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_opens_while_they_are_faster),
	    cmocka_unit_test(units_that_are_idle_take_more),
	    cmocka_unit_test(a_window_closes_as_those_away_come_back),
	    cmocka_unit_test(it_closes_while_they_are_slower),
	    cmocka_unit_test(a_full_link_is_worth_a_delay),
	    cmocka_unit_test(what_is_long_is_not_sent_before_one_is_back),
	    cmocka_unit_test(a_launch_that_waits_closes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
