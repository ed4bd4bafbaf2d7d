/* test_sampling.c - run.mode = sampled and run.fast_forward: every CTA runs once, and what is estimated is right. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "gpu/priv.h"
#include "gpu/sampling.h"
#include "rig.h"

enum { CTAS_MAX = 8192, THREADS = 64 };

static uint32_t executed[CTAS_MAX]; /* by CTA: its first warp's first access */

static uint64_t stream(uint64_t thread, uint32_t visit)
{
	if (thread % THREADS == 0)
		executed[thread / THREADS]++;
	return RIG_MEMORY + thread * 4 + (uint64_t)visit * (64 << 20);
}

static uint64_t stream_out(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + (1ull << 30) + thread * 4 + (uint64_t)visit * (64 << 20);
}

/* The threads of 80 CTAs go through memory together. */
static uint64_t far_stream(uint64_t thread, uint32_t visit)
{
	const uint64_t first = RIG_MEMORY + thread * 4 + (uint64_t)visit * 80 * THREADS * 4;

	return visit ? first : stream(thread, 0);
}

static uint64_t far_stream_out(uint64_t thread, uint32_t visit)
{
	return RIG_MEMORY + (1ull << 30) + thread * 4 + (uint64_t)visit * 80 * THREADS * 4;
}

/* The second half of the grid touches a row per line, the first a line after the other. */
static uint64_t uneven(uint64_t thread, uint32_t visit)
{
	const uint64_t far = thread / THREADS >= 4096 ? 37 * 4096 : 4;

	(void)visit;
	return RIG_MEMORY + (2ull << 30) + thread / 32 * 32 * far % (1ull << 30) + thread % 32 * 4;
}

static const struct fake_inst streaming[] = {
    FAKE_LOAD(1, stream), FAKE_ALU(SIMT_UNIT_FP32, 2, 1), FAKE_STORE(2, stream_out), FAKE_LOOP(1, 3), FAKE_EXIT};
static const struct fake_inst changing[] = {FAKE_LOAD(1, stream), FAKE_LOAD(2, uneven), FAKE_ALU(SIMT_UNIT_FP32, 3, 2),
					    FAKE_EXIT};

static struct device_result run(struct rig *r, const char *name, const struct fake_inst *insts, uint32_t count,
				uint32_t ctas)
{
	struct simt_program *p = fake_program_new(name, insts, count);
	struct simt_launch l = fake_launch(p, ctas, THREADS);
	struct device_result result;

	assert_true(gpu_launch(r->gpu, &l, &result));
	fake_program_free(p);
	return result;
}

static struct device_result run_alone(const char *const *settings, const struct fake_inst *insts, uint32_t count,
				      uint32_t ctas, uint64_t *reads)
{
	struct rig r;
	struct device_result result;

	memset(executed, 0, sizeof(executed));
	rig_open(&r, NULL, NULL, settings);
	result = run(&r, "kernel", insts, count, ctas);
	*reads = rig_stat(&r, "vault.reads");
	assert_int_equal(rig_stat(&r, "gpu.cycles"), result.cycles);
	rig_close(&r);
	for (uint32_t i = 0; i < ctas; i++)
		assert_int_equal(executed[i], 1);
	return result;
}

static uint64_t time_of(const struct device_result *r)
{
	return r->end_ps - r->start_ps;
}

static double error_of(const struct device_result *r)
{
	return sqrt(r->error_common_ps * r->error_common_ps + r->error_own_ps * r->error_own_ps);
}

static const char *const timed[] = {"gpu.sm_count", "2", NULL};
static const char *const sampled[] = {"gpu.sm_count", "2", "run.mode", "sampled", "run.sample_wave_count", "2", NULL};

/* Whether padding is the same says nothing. */
static void assert_same(const struct device_result *a, const struct device_result *b)
{
	assert_int_equal(a->stop, b->stop);
	assert_int_equal(a->start_ps, b->start_ps);
	assert_int_equal(a->end_ps, b->end_ps);
	assert_int_equal(a->cycles, b->cycles);
	assert_int_equal(a->warp_instructions, b->warp_instructions);
	assert_int_equal(a->thread_instructions, b->thread_instructions);
	assert_int_equal(a->cta_count, b->cta_count);
	assert_int_equal(a->detail, b->detail);
	assert_int_equal(a->estimated_warp_instructions, b->estimated_warp_instructions);
	assert_true(a->error_common_ps == b->error_common_ps && a->error_own_ps == b->error_own_ps);
	assert_int_equal(a->untimed_warp_instructions, b->untimed_warp_instructions);
	assert_int_equal(a->compiled_warp_instructions, b->compiled_warp_instructions);
}

static void compare(const char *const *settings, const struct fake_inst *insts, uint32_t count, uint32_t ctas)
{
	uint64_t full_reads, reads, again_reads;
	const struct device_result full = run_alone(timed, insts, count, ctas, &full_reads);
	const struct device_result part = run_alone(settings, insts, count, ctas, &reads);
	const struct device_result again = run_alone(settings, insts, count, ctas, &again_reads);

	assert_int_equal(full.detail, DEVICE_DETAIL_FULL);
	assert_true(full.error_common_ps == 0 && full.error_own_ps == 0);
	assert_int_equal(part.detail, DEVICE_DETAIL_WINDOWS);
	assert_int_equal(part.warp_instructions, full.warp_instructions);
	assert_int_equal(part.thread_instructions, full.thread_instructions);
	assert_true(part.estimated_warp_instructions > part.warp_instructions / 3);
	assert_true(error_of(&part) > 0 && error_of(&part) < 0.2 * (double)time_of(&full));
	assert_true(fabs((double)time_of(&part) - (double)time_of(&full)) <= error_of(&part));
	assert_true(fabs((double)reads / (double)full_reads - 1) < 0.05);
	assert_same(&part, &again);
	assert_int_equal(reads, again_reads);
}

/* The bar holds the truth, and counts are scaled to the whole launch. */
static void windows(void **state)
{
	(void)state;
	compare(sampled, streaming, ARRAY_COUNT(streaming), 8192);
	compare(sampled, changing, ARRAY_COUNT(changing), 8192);
}

/* A launch of few CTAs that last long. */
static void slices(void **state)
{
	static const char *const settings[] = {"gpu.sm_count", "2", "run.mode", "sampled", "run.sample_slice_cycles",
					       "2048", "run.sample_warm_cycles", "1024", NULL};
	struct fake_inst longer[ARRAY_COUNT(streaming)];

	(void)state;
	memcpy(longer, streaming, sizeof(longer));
	longer[2].addr = far_stream_out;
	longer[0].addr = far_stream;
	longer[3].times = 400;
	longer[3].branch_to = 0;
	compare(settings, longer, 5, 80);
}

/* Where CTAs may wait for each other none may be executed ahead of time. */
static void waiting(void **state)
{
	static const char *const no_slices[] = {"gpu.sm_count", "2", "run.mode", "sampled", "run.sample_slice_cycles",
						"1000000", NULL};
	uint64_t reads, full_reads;
	const struct device_result full = run_alone(timed, streaming, ARRAY_COUNT(streaming), 8192, &full_reads);

	(void)state;
	fake_may_wait = true;

	const struct device_result part = run_alone(no_slices, streaming, ARRAY_COUNT(streaming), 8192, &reads);

	fake_may_wait = false;
	assert_int_equal(part.detail, DEVICE_DETAIL_FULL);
	assert_int_equal(time_of(&part), time_of(&full));
	assert_int_equal(reads, full_reads);
}

/* Launches like others: four are timed, then one of every five. */
static void launches(void **state)
{
	enum { LAUNCHES = 30, INTERVAL = 5 };
	static const char *const settings[] = {"run.mode", "sampled", "run.sample_interval_count", "5", NULL};
	struct rig full, part;
	double all = 0, estimated = 0, error = 0;
	uint32_t count = 0;

	(void)state;
	rig_open(&full, NULL, NULL, NULL);
	rig_open(&part, NULL, NULL, settings);
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		const struct device_result a = run(&full, "kernel", streaming, ARRAY_COUNT(streaming), 20);
		const struct device_result b = run(&part, "kernel", streaming, ARRAY_COUNT(streaming), 20);

		const bool is_timed = i < 4 || (i - 4) % (INTERVAL + 1) == INTERVAL;

		assert_int_equal(b.detail, is_timed ? DEVICE_DETAIL_FULL : DEVICE_DETAIL_NONE);
		assert_int_equal(a.warp_instructions, b.warp_instructions);
		all += (double)time_of(&a);
		estimated += (double)time_of(&b);
		error += error_of(&b);
		count += b.detail == DEVICE_DETAIL_NONE;
	}
	assert_true(fabs(all - estimated) <= error && error < 0.1 * all);
	assert_int_equal(count, 22);
	assert_int_equal(rig_stat(&full, "gpu.time_ps"), (uint64_t)all);
	assert_int_equal(rig_stat(&part, "gpu.time_ps"), (uint64_t)estimated);
	assert_true(fabs((double)rig_stat(&part, "vault.reads") / (double)rig_stat(&full, "vault.reads") - 1) < 0.05);
	assert_int_equal(rig_stat(&part, "gpu.warp_instructions"), rig_stat(&full, "gpu.warp_instructions"));
	rig_close(&full);
	rig_close(&part);
}

/* A launch unlike those before it is timed the next time. */
static void stranger(void **state)
{
	static const char *const settings[] = {"run.mode", "sampled", NULL};
	struct fake_inst longer[ARRAY_COUNT(streaming)];
	struct rig r;

	(void)state;
	memcpy(longer, streaming, sizeof(longer));
	longer[3].times = 40;
	rig_open(&r, NULL, NULL, settings);
	for (uint32_t i = 0; i < 5; i++)
		run(&r, "kernel", streaming, ARRAY_COUNT(streaming), 20);

	const struct device_result first = run(&r, "kernel", longer, ARRAY_COUNT(longer), 20);
	const struct device_result second = run(&r, "kernel", longer, ARRAY_COUNT(longer), 20);

	assert_int_equal(first.detail, DEVICE_DETAIL_NONE);
	assert_int_equal(second.detail, DEVICE_DETAIL_FULL);
	assert_true(fabs((double)time_of(&first) - (double)time_of(&second)) <= error_of(&first));
	rig_close(&r);
}

static void forward(const char *to, uint32_t skipped)
{
	const char *const settings[] = {"run.fast_forward", to, NULL};
	static const char *const names[] = {"a", "b", "_Z4kindPf", "b", "a"};
	struct rig r;

	rig_open(&r, NULL, NULL, settings);
	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++) {
		const struct device_result result = run(&r, names[i], streaming, ARRAY_COUNT(streaming), 4);

		assert_int_equal(result.detail, i < skipped ? DEVICE_DETAIL_SKIPPED : DEVICE_DETAIL_FULL);
		assert_int_equal(time_of(&result) == 0, i < skipped);
	}
	assert_int_equal(rig_stat(&r, "gpu.kernels"), ARRAY_COUNT(names) - skipped);
	rig_close(&r);
}

static void fast_forward(void **state)
{
	(void)state;
	forward("b", 1);
	forward("kind", 2);
	forward("3", 3);
	forward("0", 0);
	forward("nobody", 5);
}

/* letters: one for each launch, t or -; '>' and '<': there the program's part begins and ends. */
static void only(const char *which, const char *letters)
{
	const char *const settings[] = {"run.only", which, NULL};
	static const char *const names[] = {"a", "b", "_Z4kindPf", "b", "a"};
	uint64_t count = 0, n = 0;
	struct rig r;

	rig_open(&r, NULL, NULL, settings);
	for (const char *at = letters; *at; at++) {
		if (*at == '>' || *at == '<') {
			sampling_region(r.gpu->sampling, *at == '>');
			continue;
		}

		const struct device_result result = run(&r, names[n++], streaming, ARRAY_COUNT(streaming), 4);

		assert_int_equal(result.detail, *at == 't' ? DEVICE_DETAIL_FULL : DEVICE_DETAIL_SKIPPED);
		assert_int_equal(time_of(&result) > 0, *at == 't');
		count += *at == 't';
	}
	assert_int_equal(n, ARRAY_COUNT(names));
	assert_int_equal(rig_stat(&r, "gpu.kernels"), count);
	rig_close(&r);
}

static void parts(void **state)
{
	(void)state;
	only("b", "-t-t-");
	only("kind", "--t--");
	only("3", "--t--");
	only("2-4", "-ttt-");
	only("6-9", "-----");
	only("profiler", "->tt<->t<");
	only("profiler", "-----");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(windows),	cmocka_unit_test(slices),   cmocka_unit_test(waiting),
	    cmocka_unit_test(launches), cmocka_unit_test(stranger), cmocka_unit_test(fast_forward),
	    cmocka_unit_test(parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
