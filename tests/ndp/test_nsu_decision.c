/* NSU's decisions: the draw, Algorithm 1, the benefit of a block, and the study of targets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "ndp/nsu/benefit.h"
#include "ndp/nsu/climb.h"
#include "ndp/nsu/draw.h"
#include "ndp/nsu/target_study.h"

/* ---- draw ---- */

static uint32_t drawn(uint64_t seed, double ratio, uint32_t count)
{
	struct nsu_draw d = {.seed = seed};
	uint32_t hits = 0;

	for (uint32_t i = 0; i < count; i++)
		hits += nsu_draw(&d, ratio);
	return hits;
}

static void draws_meet_their_ratio(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 5; seed++) {
		assert_int_equal(drawn(seed, 0, 10000), 0);
		assert_int_equal(drawn(seed, 1, 10000), 10000);
		/* Five standard deviations of 100000 draws at 0.3. */
		assert_in_range(drawn(seed, 0.3, 100000), 30000 - 725, 30000 + 725);
	}
	assert_int_equal(drawn(7, 0.5, 1000), drawn(7, 0.5, 1000));
	assert_int_not_equal(drawn(7, 0.5, 1000), drawn(8, 0.5, 1000));
}

/* ---- Algorithm 1, written a second time: from the listing, in units of 0.05, with a list for the history ---- */

struct reference {
	int ratio, step, direction; /* twentieths */
	bool history[16];
	int history_count, window;
	double before;
	bool has_before;
	bool moves_by_unit, guards_old_ratio, grows_at_least_step;
};

static void reference_epoch(struct reference *r, double ipc)
{
	int turns = 0;

	if (ipc == 0)
		return;
	if (!r->has_before) {
		r->has_before = true;
		r->before = ipc;
		return;
	}
	if (ipc < r->before) {
		r->direction *= -1;
		r->history[r->history_count++] = true;
	} else {
		r->history[r->history_count++] = false;
	}
	if (r->history_count > r->window) {
		memmove(r->history, r->history + 1, sizeof(r->history) - sizeof(r->history[0]));
		r->history_count--;
	}
	for (int i = 0; i < r->history_count; i++)
		turns += r->history[i];
	if (turns > r->window / 2) {
		if (r->step > 1)
			r->step -= 1;
		else if (r->grows_at_least_step)
			r->step += 1;
	} else if (r->step < 3) {
		r->step += 1;
	}
	if (r->guards_old_ratio) {
		if (1 <= r->ratio && r->ratio <= 19)
			r->ratio += r->direction * (r->moves_by_unit ? 1 : r->step);
	} else {
		r->ratio += r->direction * (r->moves_by_unit ? 1 : r->step);
		r->ratio = r->ratio < 1 ? 1 : r->ratio > 19 ? 19 : r->ratio;
	}
	r->before = ipc;
}

static double clamped(double x)
{
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Throughput over the ratio: a peak, a rise, a fall, a flat line, a peak with noise, two peaks. */
static double curve(uint32_t which, double ratio, uint32_t epoch)
{
	switch (which) {
	case 0:
		return 100 - 200 * fabs(ratio - 0.45);
	case 1:
		return 50 + 30 * ratio;
	case 2:
		return 80 - 70 * ratio;
	case 3:
		return 42;
	case 4:
		return 100 - 90 * (ratio - 0.6) * (ratio - 0.6) + 5 * sin(epoch * 1.7);
	default:
		return epoch % 7 == 3 ? 0 : 60 + 20 * cos(12 * ratio);
	}
}

static void climbs_as_the_listing(void **state)
{
	(void)state;
	for (uint32_t variant = 0; variant < 8; variant++) {
		struct nsu_climb_params params = nsu_climb_default;

		params.moves_by_unit = variant & 1;
		params.guards_old_ratio = variant & 2;
		params.grows_at_least_step = variant & 4;
		for (uint32_t which = 0; which < 6; which++) {
			struct nsu_climb c;
			struct reference r = {.ratio = 2,
					      .step = 3,
					      .direction = 1,
					      .window = 4,
					      .moves_by_unit = variant & 1,
					      .guards_old_ratio = variant & 2,
					      .grows_at_least_step = variant & 4};

			nsu_climb_init(&c, &params);
			for (uint32_t epoch = 0; epoch < 200; epoch++) {
				double ipc = curve(which, nsu_climb_ratio(&c), epoch);

				nsu_climb_epoch(&c, ipc);
				reference_epoch(&r, ipc);
				if (fabs(nsu_climb_ratio(&c) - clamped(r.ratio / 20.0)) > 1e-9)
					fail_msg("variant %u, curve %u, epoch %u: %f, not %f", variant, which, epoch,
						 nsu_climb_ratio(&c), r.ratio / 20.0);
			}
		}
	}
}

static void climbs_to_the_top(void **state)
{
	struct nsu_climb c;
	double sum = 0;

	(void)state;
	nsu_climb_init(&c, &nsu_climb_default);
	assert_true(fabs(nsu_climb_ratio(&c) - 0.1) < 1e-9);
	for (uint32_t epoch = 0; epoch < 100; epoch++) {
		nsu_climb_epoch(&c, curve(0, nsu_climb_ratio(&c), epoch));
		if (epoch >= 20) {
			assert_true(fabs(nsu_climb_ratio(&c) - 0.45) <= 0.25);
			sum += nsu_climb_ratio(&c);
		}
	}
	assert_true(fabs(sum / 80 - 0.45) < 0.1);
	/* Where offloading only costs it keeps trying: the ratio never reaches 0 (section 7.2, STN). */
	nsu_climb_init(&c, &nsu_climb_default);
	for (uint32_t epoch = 0; epoch < 100; epoch++) {
		nsu_climb_epoch(&c, curve(2, nsu_climb_ratio(&c), epoch));
		assert_true(nsu_climb_ratio(&c) >= 0.05 - 1e-9);
	}
}

static void climbing_has_constants(void **state)
{
	struct nsu_climb_params params = nsu_climb_default;
	struct nsu_climb c;

	(void)state;
	params.ratio_init = 0.5;
	params.step_max = 0.1;
	params.starts_down = true;
	nsu_climb_init(&c, &params);
	nsu_climb_epoch(&c, 10);
	assert_true(nsu_climb_ratio(&c) == 0.5); /* the first epoch only begins the history */
	nsu_climb_epoch(&c, 11);
	assert_true(fabs(nsu_climb_ratio(&c) - 0.4) < 1e-9);
	nsu_climb_epoch(&c, 0); /* nothing done: skipped */
	assert_true(fabs(nsu_climb_ratio(&c) - 0.4) < 1e-9);
	nsu_climb_epoch(&c, 9); /* worse than 11 */
	assert_true(fabs(nsu_climb_ratio(&c) - 0.5) < 1e-9);
}

/* ---- benefit ---- */

static void benefit_by_hand(void **state)
{
	struct nsu_benefit_params p = nsu_benefit_default;
	/* A warp sends one register of 32 threads and stores a word per thread. */
	struct nsu_benefit b = {.overhead_bytes = 256, .store_bytes = 128};

	(void)state;
	p.learn_count = 4;
	for (uint32_t i = 0; i < 3; i++) {
		nsu_benefit_add(&b, &p, 4, 4);
		assert_false(b.is_suppressed); /* not yet judged */
	}
	/* 16 reads, 12 + 1 hits: 3 misses in 4 instances are one line. 128 + 128 - 256 is not positive. */
	nsu_benefit_add(&b, &p, 4, 1);
	assert_int_equal(nsu_benefit_score(&b, &p), 0);
	assert_true(b.is_suppressed);
	/* Probes that miss bring it back: 7 misses in 5 instances are two lines. */
	nsu_benefit_add(&b, &p, 4, 0);
	assert_int_equal(nsu_benefit_score(&b, &p), 2 * 128 + 128 - 256);
	assert_false(b.is_suppressed);
	/* As printed, with the SIMD width once more. */
	p.as_printed = true;
	assert_int_equal(nsu_benefit_score(&b, &p), 2 * 128 * 32 + 128 - 256);
}

static void benefit_forgets(void **state)
{
	const struct nsu_benefit_params p = nsu_benefit_default;
	struct nsu_benefit b = {.overhead_bytes = 128};

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		nsu_benefit_add(&b, &p, 2, 2);
	assert_int_equal(nsu_benefit_score(&b, &p), -128);
	assert_true(b.is_suppressed);
	for (uint32_t i = 0; i < 5; i++)
		nsu_benefit_decay(&b);
	assert_int_equal(nsu_benefit_score(&b, &p), -128); /* 2 instances, 4 reads, 4 hits */
	nsu_benefit_add(&b, &p, 2, 0);
	nsu_benefit_add(&b, &p, 2, 0);
	assert_int_equal(nsu_benefit_score(&b, &p), 0); /* 4 misses in 4 */
	nsu_benefit_add(&b, &p, 2, 0);
	assert_int_equal(nsu_benefit_score(&b, &p), 128); /* 6 in 5 */
	assert_false(b.is_suppressed);
}

/* ---- targets ---- */

/* By going through all placements. */
static double best_by_counting(uint32_t access_count, uint32_t stack_count)
{
	uint64_t placements = 1, outside = 0;

	for (uint32_t i = 0; i < access_count; i++)
		placements *= stack_count;
	for (uint64_t n = 0; n < placements; n++) {
		uint32_t in[8] = {0}, fullest = 0;
		uint64_t rest = n;

		for (uint32_t i = 0; i < access_count; i++, rest /= stack_count) {
			uint32_t count = ++in[rest % stack_count];

			fullest = count > fullest ? count : fullest;
		}
		outside += access_count - fullest;
	}
	return (double)outside / (double)placements;
}

static double target_ratio(uint32_t access_count)
{
	return nsu_target_first(access_count, 8) / nsu_target_best(access_count, 8);
}

static void targets_are_exact(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 6; n++) {
		assert_true(fabs(nsu_target_best(n, 8) - best_by_counting(n, 8)) < 1e-9);
		assert_true(fabs(nsu_target_best(n, 3) - best_by_counting(n, 3)) < 1e-9);
	}
	assert_true(nsu_target_first(1, 8) == 0);
	assert_true(fabs(nsu_target_first(9, 8) - 7) < 1e-12);
}

static void targets_of_figure_5(void **state)
{
	(void)state;
	assert_true(fabs(target_ratio(2) - 1) < 1e-9);
	assert_true(fabs(target_ratio(4) - 1.116) < 5e-4);
	assert_true(fabs(target_ratio(6) - 1.145) < 5e-4);
	assert_true(fabs(target_ratio(16) - 1.112) < 5e-4);
	for (uint32_t n = 7; n <= NSU_TARGET_ACCESS_MAX; n++)
		assert_true(target_ratio(n) < target_ratio(n - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(draws_meet_their_ratio), cmocka_unit_test(climbs_as_the_listing),
	    cmocka_unit_test(climbs_to_the_top),      cmocka_unit_test(climbing_has_constants),
	    cmocka_unit_test(benefit_by_hand),	      cmocka_unit_test(benefit_forgets),
	    cmocka_unit_test(targets_are_exact),      cmocka_unit_test(targets_of_figure_5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
