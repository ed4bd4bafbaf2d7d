/* test_sample.c - counts over time: what stretches they fall in, in any number of them, and by part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/ctx.h"
#include "sim/sample.h"

enum { PARTS = 3 };

struct work {
	struct sim_ctx ctx;
	struct sim_comp comp;
	struct counts {
		uint64_t done;
	} counts[2 * PARTS];
	uint64_t ticks, until;
};

static const struct sim_stat_desc rows[] = {{.name = "done", .kind = SIM_STAT_COUNT, .unit = "ticks", .doc = "ticks"}};

/* Once a cycle, and round the instances. */
static void tick(void *self, uint64_t cycle)
{
	struct work *w = self;

	w->counts[w->ticks++ % (2 * PARTS)].done++;
	if (w->ticks < w->until)
		sim_wake_cycle(w->ctx.engine, w->comp, cycle + 1);
}

static uint32_t part_of(const void *self, uint32_t instance, uint32_t instance_count)
{
	(void)self;
	assert_int_equal(instance_count, 2 * PARTS);
	return instance % PARTS;
}

static uint64_t tenfold(const void *self, uint32_t part)
{
	const struct work *w = self;

	return w->ticks * 10 + part;
}

static uint32_t two(const void *self)
{
	(void)self;
	return 2;
}

static uint32_t left(const void *self)
{
	const struct work *w = self;

	return (uint32_t)(w->until - w->ticks);
}

static const struct sim_sample_count counts[] = {
    {.name = "work.done"},
    {.name = "work.none"},
    {.name = "work.done", .part_of = part_of, .part = "third"},
    {.name = "tens", .read = tenfold, .part_count = two, .part = "half"},
};
static const struct sim_gauge gauges[] = {{"left", left}};

/* A clock of 1 ns. */
static struct sim_sampler *begin(struct work *w, uint64_t until, uint64_t period_ps)
{
	const struct sim_sample_table table = {counts, gauges, 4, 1, w};
	uint32_t domain;

	*w = (struct work){.until = until};
	sim_ctx_open(&w->ctx, false);
	assert_true(sim_domain_add(w->ctx.engine, "clock", sim_period_of_ps(1000), &domain));
	w->comp = sim_engine_add(w->ctx.engine, domain, "work", tick, w);
	for (uint32_t i = 0; i < 2 * PARTS; i++)
		sim_stats_add(w->ctx.stats, "work", rows, 1, &w->counts[i], sizeof(w->counts[i]));
	sim_wake_cycle(w->ctx.engine, w->comp, 1);
	return sim_sampler_new(w->ctx.engine, w->ctx.stats, period_ps, &table);
}

static void end(struct work *w, struct sim_sampler *s)
{
	sim_sampler_free(s);
	sim_ctx_close(&w->ctx);
}

static uint64_t sum(const struct sim_sampler *s, uint32_t i, uint32_t part)
{
	const uint64_t *start, *stop;
	struct sim_sampled c;
	uint64_t out = 0;

	assert_true(sim_sampler_count(s, i, part, &c));
	for (uint32_t row = 0; row < sim_sampler_rows(s, &start, &stop); row++)
		out += c.rows[row];
	return out;
}

/* Ticks at 1 to 25 ns in stretches of 10 ns: one that is due at a stretch's end is in it. */
static void test_stretches(void **state)
{
	struct work w;
	struct sim_sampler *s = begin(&w, 25, 10000);
	const uint64_t *start, *stop;
	const uint32_t *gauge;
	struct sim_sampled c;
	const char *name;

	(void)state;
	sim_sampler_run(s, SIM_NEVER);
	assert_int_equal(sim_sampler_rows(s, &start, &stop), 3);
	assert_true(sim_sampler_count(s, 0, 0, &c));
	assert_string_equal(c.name, "work.done");
	assert_int_equal(c.part_count, 1);
	for (uint32_t row = 0; row < 3; row++) {
		assert_int_equal(start[row], row * 10000);
		assert_int_equal(stop[row], row < 2 ? (row + 1) * 10000 : 25000);
		assert_int_equal(c.rows[row], row < 2 ? 10 : 5);
	}
	gauge = sim_sampler_gauge(s, 0, &name);
	assert_string_equal(name, "left");
	assert_int_equal(gauge[0], 15);
	assert_int_equal(gauge[2], 0);
	assert_null(sim_sampler_gauge(s, 1, &name));
	end(&w, s);
}

/* What is not there is left out; parts add up to the whole. */
static void test_parts(void **state)
{
	struct work w;
	struct sim_sampler *s = begin(&w, 25, 10000);
	struct sim_sampled c;

	(void)state;
	sim_sampler_run(s, SIM_NEVER);
	assert_true(sim_sampler_count(s, 1, 1, &c));
	assert_int_equal(c.part_count, PARTS);
	assert_string_equal(c.part, "third");
	assert_int_equal(sum(s, 1, 0), 9); /* ticks 0, 3, ... 24 */
	assert_int_equal(sum(s, 1, 1), 8);
	assert_int_equal(sum(s, 1, 2), 8);
	assert_true(sim_sampler_count(s, 2, 1, &c));
	assert_int_equal(c.part_count, 2);
	assert_int_equal(sum(s, 2, 0), 250);
	assert_int_equal(sum(s, 2, 1), 250);
	assert_false(sim_sampler_count(s, 3, 0, &c));
	end(&w, s);
}

/* Far more stretches than rows: none overlap, none are missing, and nothing is lost. */
static void test_bound(void **state)
{
	enum { TICKS = 10000 };
	struct work w;
	struct sim_sampler *s = begin(&w, TICKS, 1000);
	const uint64_t *start, *stop;
	uint32_t rows_kept;

	(void)state;
	sim_sampler_run(s, SIM_NEVER);
	rows_kept = sim_sampler_rows(s, &start, &stop);
	assert_in_range(rows_kept, SIM_SAMPLE_ROWS / 2, SIM_SAMPLE_ROWS - 1);
	for (uint32_t row = 1; row < rows_kept; row++)
		assert_int_equal(start[row], stop[row - 1]);
	assert_int_equal(stop[rows_kept - 1], TICKS * 1000);
	assert_int_equal(sum(s, 0, 0), TICKS);
	assert_int_equal(sum(s, 1, 0) + sum(s, 1, 1) + sum(s, 1, 2), TICKS);
	end(&w, s);
}

/* By hand, as who steps the engine: what comes after the last stretch without time passing is its. */
static void test_steps(void **state)
{
	struct work w;
	struct sim_sampler *s = begin(&w, 20, 10000);
	const uint64_t *start, *stop;
	struct sim_sampled c;

	(void)state;
	w.counts[0].done = 100; /* before the first stretch */
	sim_sampler_begin(s, 0);
	assert_int_equal(sim_sampler_due_units(s), sim_units_of_ps(w.ctx.engine, 10000));
	sim_run_until(w.ctx.engine, sim_sampler_due_units(s));
	sim_sampler_row(s);
	sim_run(w.ctx.engine);
	sim_sampler_end(s, sim_sampler_due_units(s));
	w.counts[0].done += 7;
	sim_sampler_end(s, sim_now_units(w.ctx.engine));
	assert_int_equal(sim_sampler_rows(s, &start, &stop), 2);
	assert_true(sim_sampler_count(s, 0, 0, &c));
	assert_int_equal(c.rows[0], 10);
	assert_int_equal(c.rows[1], 17);
	end(&w, s);
}

/* The limit of the run is the engine's again afterwards, and ends a stretch where it falls. */
static void test_limit(void **state)
{
	struct work w;
	struct sim_sampler *s = begin(&w, 100, 10000);
	const uint64_t *start, *stop;

	(void)state;
	sim_sampler_run(s, sim_units_of_ps(w.ctx.engine, 25000));
	assert_true(sim_was_limited(w.ctx.engine));
	assert_int_equal(w.ticks, 25);
	assert_int_equal(sim_sampler_rows(s, &start, &stop), 3);
	assert_int_equal(sum(s, 0, 0), 25);
	end(&w, s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stretches), cmocka_unit_test(test_parts), cmocka_unit_test(test_bound),
	    cmocka_unit_test(test_steps),     cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
