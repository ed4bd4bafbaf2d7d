/* libstrata-mem through its header only: answers, times, statistics, and that no mistake of the caller ends the
 * process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include <strata/mem.h>

enum { REQUESTS = 5000 };
#define PLAIN TEST_DIR "/good/plain.yaml" /* one rank of DDR3-1600K */

static strata_mem *open_memory(const char *name)
{
	char *error = NULL;
	strata_mem *m = strata_mem_new(name, NULL, 0, &error);

	if (!m)
		fail_msg("%s", error);
	assert_null(error);
	return m;
}

static void keep_answer(void *ctx, const struct strata_mem_answer *a)
{
	struct strata_mem_answer *last = ctx;

	*last = *a;
}

/* ---- a random stream, driven in three ways ---- */

enum drive { BY_CALLBACKS, BY_EVENTS, BY_TICKS, DRIVES };

struct stream {
	strata_mem *m;
	uint64_t seed, sent, done, addr, sum_ps, last_ps;
	unsigned char seen[REQUESTS];
	bool has_addr, is_wrong;
	enum drive drive;
};

static void send(void *ctx)
{
	struct stream *s = ctx;

	while (s->sent < REQUESTS) {
		if (!s->has_addr) {
			s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
			s->addr = (s->seed >> 20) % strata_mem_capacity_bytes(s->m) / 64 * 64;
			s->has_addr = true;
		}

		enum strata_mem_op op = s->seed >> 61 ? STRATA_MEM_READ : STRATA_MEM_WRITE;

		if (strata_mem_offer(s->m, s->addr, 64, op, &s->seen[s->sent]) != STRATA_MEM_TAKEN)
			return;
		s->has_addr = false;
		s->sent++;
	}
}

static void done(void *ctx, const struct strata_mem_answer *a)
{
	struct stream *s = ctx;
	unsigned char *seen = a->user;

	s->is_wrong |= (*seen)++ || a->done_ps <= a->offered_ps || a->done_ps != strata_mem_now_ps(s->m) ||
		       a->size_bytes != 64 || a->addr_bytes >= strata_mem_capacity_bytes(s->m);
	s->done++;
	s->sum_ps += a->done_ps;
	s->last_ps = a->done_ps;
}

static void run_stream(struct stream *s, const char *name, enum drive drive, uint64_t seed)
{
	memset(s, 0, sizeof(*s));
	s->m = open_memory(name);
	s->seed = seed;
	s->drive = drive;
	strata_mem_on_done(s->m, done, s);
	strata_mem_on_room(s->m, send, s);
	send(s);
	assert_true(s->sent < REQUESTS); /* refused: the queues are full */
	if (drive == BY_CALLBACKS)
		strata_mem_run_until(s->m, STRATA_MEM_NEVER);
	while (drive == BY_EVENTS && s->done < REQUESTS)
		strata_mem_run_until(s->m, strata_mem_next_ps(s->m));
	while (drive == BY_TICKS && s->done < REQUESTS)
		strata_mem_tick(s->m);
	assert_int_equal(s->done, REQUESTS);
	assert_int_equal(strata_mem_pending(s->m), 0);
	assert_false(s->is_wrong);
}

static uint64_t stat_of(strata_mem *m, const char *name)
{
	struct strata_mem_stat stat;

	assert_true(strata_mem_stat_find(m, name, &stat));
	return stat.value;
}

static void test_drives_agree(void **state)
{
	static const char *const names[] = {"ddr3-1600", "ddr4-2400", "hbm2-2000", "lpddr5x-8533", "cxl2-ddr5"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct stream s[DRIVES];

		for (unsigned d = 0; d < DRIVES; d++)
			run_stream(&s[d], names[i], (enum drive)d, 7);
		for (unsigned d = 1; d < DRIVES; d++) {
			assert_int_equal(s[d].sum_ps, s[0].sum_ps);
			assert_int_equal(s[d].last_ps, s[0].last_ps);
			assert_int_equal(stat_of(s[d].m, "vault.activates"), stat_of(s[0].m, "vault.activates"));
		}
		assert_int_equal(stat_of(s[0].m, "memory.requests"), REQUESTS);
		assert_int_equal(stat_of(s[0].m, "vault.reads") + stat_of(s[0].m, "vault.writes"), REQUESTS);
		for (unsigned d = 0; d < DRIVES; d++)
			strata_mem_free(s[d].m);
	}
}

/* Four memories at a time, each in a thread: what each does alone. */
static void *run_in_thread(void *ctx)
{
	struct stream *s = ctx;

	run_stream(s, "ddr4-2400", BY_CALLBACKS, s->seed);
	return NULL;
}

static void test_threads(void **state)
{
	enum { THREADS = 4 };
	static struct stream alone[THREADS], together[THREADS];
	pthread_t threads[THREADS];

	(void)state;
	for (unsigned i = 0; i < THREADS; i++)
		run_stream(&alone[i], "ddr4-2400", BY_CALLBACKS, i);
	for (unsigned i = 0; i < THREADS; i++) {
		together[i].seed = i;
		assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, &together[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(together[i].sum_ps, alone[i].sum_ps);
		strata_mem_free(alone[i].m);
		strata_mem_free(together[i].m);
	}
}

/* ---- one request ---- */

/* DDR3-1600K: (tRCD + tCL + 4) x 1.25 ns; then a hit, (tCL + 4) x 1.25 ns. */
static void test_idle_latency(void **state)
{
	strata_mem *m = open_memory(PLAIN);
	struct strata_mem_answer last = {0};
	uint64_t num_ps, den;

	(void)state;
	strata_mem_on_done(m, keep_answer, &last);
	strata_mem_clock(m, &num_ps, &den);
	assert_int_equal(num_ps, 1250 * den);
	assert_true(strata_mem_peak_bytes_per_s(m) == 12.8e9);
	assert_true(strata_mem_next_ps(m) == STRATA_MEM_NEVER);
	assert_int_equal(strata_mem_offer(m, 0, 64, STRATA_MEM_READ, NULL), STRATA_MEM_TAKEN);
	assert_int_equal(strata_mem_pending(m), 1);
	assert_int_equal(strata_mem_next_ps(m), 0);
	assert_int_equal(strata_mem_run_until(m, 32499), 0);
	assert_int_equal(strata_mem_run_until(m, 32500), 1);
	assert_int_equal(last.done_ps, 32500);
	assert_int_equal(strata_mem_run_until(m, 100000), 0);
	assert_int_equal(strata_mem_now_ps(m), 100000);
	assert_int_equal(strata_mem_offer(m, 64, 64, STRATA_MEM_READ, &last), STRATA_MEM_TAKEN);
	strata_mem_run_until(m, STRATA_MEM_NEVER);
	assert_int_equal(last.offered_ps, 100000);
	assert_int_equal(last.done_ps, 118750);
	assert_true(strata_mem_next_ps(m) == STRATA_MEM_NEVER);
	assert_int_equal(last.addr_bytes, 64);
	assert_ptr_equal(last.user, &last);
	/* A time that has passed changes nothing; a tick goes to the next edge. */
	assert_int_equal(strata_mem_run_until(m, 5), 0);
	strata_mem_run_until(m, 200001);
	assert_int_equal(strata_mem_now_ps(m), 200001);
	strata_mem_tick(m);
	assert_int_equal(strata_mem_now_ps(m), 201250);
	strata_mem_tick(m);
	assert_int_equal(strata_mem_now_ps(m), 202500);
	strata_mem_free(m);
}

static void test_map(void **state)
{
	strata_mem *m = open_memory(PLAIN);
	struct strata_mem_place at;

	(void)state;
	assert_int_equal(strata_mem_capacity_bytes(m), 2ull << 30);
	assert_int_equal(strata_mem_line_bytes(m), 64);
	assert_true(strata_mem_map(m, (2ull << 30) - 1, &at));
	assert_int_equal(at.stack, 0);
	assert_int_equal(at.bank, 7);
	assert_int_equal(at.row, 32767);
	assert_int_equal(at.column_bytes, 8191);
	assert_false(strata_mem_map(m, 2ull << 30, &at));
	assert_string_equal(strata_mem_error(m), "address 0x80000000 is beyond the memory's 0x80000000 bytes");
	strata_mem_free(m);
}

static void test_results(void **state)
{
	struct stream s;
	struct strata_mem_stat stat;
	const char *component;
	double pj, sum_pj = 0;
	size_t count = 0;

	(void)state;
	run_stream(&s, PLAIN, BY_CALLBACKS, 3);
	for (; strata_mem_stat_at(s.m, count, &stat); count++)
		assert_true(*stat.name && *stat.unit && *stat.doc);
	assert_int_equal(count, strata_mem_stat_count(s.m));
	assert_true(count > 20);
	assert_true(strata_mem_stat_find(s.m, "vault.read_latency_ps", &stat));
	assert_true(stat.is_histogram && stat.value == stat_of(s.m, "vault.reads"));
	assert_true((double)stat.p50 <= stat.mean * 2 && stat.p50 < stat.p99 && stat.p999 <= stat.max);
	assert_false(strata_mem_stat_find(s.m, "vault.reeds", &stat));
	assert_string_equal(strata_mem_error(s.m), "no statistic 'vault.reeds'");
	for (size_t i = 0; strata_mem_energy_at(s.m, i, &component, &pj); i++) {
		assert_true(*component && pj >= 0);
		sum_pj += pj;
	}
	assert_true(sum_pj > 0 && sum_pj == strata_mem_energy_pj(s.m));

	/* A memory that sleeps is refreshed all the same: tREFI is 7.8 us. */
	uint64_t before = stat_of(s.m, "vault.refreshes");

	strata_mem_run_until(s.m, strata_mem_now_ps(s.m) + 1000ull * 7800000);
	assert_in_range(stat_of(s.m, "vault.refreshes") - before, 999, 1001);
	strata_mem_free(s.m);
}

/* ---- mistakes ---- */

static void check_refused(const char *name, const char *override, const char *message)
{
	char *error = NULL;

	assert_null(strata_mem_new(name, &override, override ? 1 : 0, &error));
	assert_non_null(error);
	if (!strstr(error, message))
		fail_msg("'%s' is not in '%s'", message, error);
	free(error);
	assert_null(strata_mem_new(name, &override, override ? 1 : 0, NULL));
}

static void test_no_memory(void **state)
{
	(void)state;
	check_refused(NULL, NULL, "no name");
	check_refused("ddr3-1660", NULL, "did you mean 'ddr3-1600'?");
	check_refused("", NULL, "no memory ''");
	check_refused("nowhere/near.yaml", NULL, "cannot open");
	check_refused(PLAIN, "dram.t_lc=20", "override: error: unknown parameter 'dram.t_lc'");
	check_refused(PLAIN, "dram.t_cl", "expected group.name=value");
	check_refused(PLAIN, "dram.bank_count=3", "not a power of two");
	check_refused(PLAIN, "memory.capacity_bytes=65537", "no whole number of rows");

	const char *const holed[] = {"dram.t_cl=20", NULL};
	char *error;

	assert_null(strata_mem_new(PLAIN, holed, 2, &error));
	assert_non_null(strstr(error, "override: error: number 2 of 2 is NULL"));
	free(error);
	assert_null(strata_mem_new(PLAIN, NULL, 2, &error));
	free(error);
	strata_mem_free(NULL);
}

static void test_wrong_requests(void **state)
{
	const char *overrides[] = {"memory.line_bytes=128", "dram.t_cl=20"};
	strata_mem *m = strata_mem_new(PLAIN, overrides, 2, NULL);
	struct strata_mem_answer last = {0};

	(void)state;
	assert_non_null(m);
	assert_string_equal(strata_mem_error(m), "");
	assert_int_equal(strata_mem_offer(m, 2ull << 30, 64, STRATA_MEM_READ, NULL), STRATA_MEM_WRONG);
	assert_int_equal(strata_mem_offer(m, UINT64_MAX, 64, STRATA_MEM_READ, NULL), STRATA_MEM_WRONG);
	assert_int_equal(strata_mem_offer(m, 0, 0, STRATA_MEM_READ, NULL), STRATA_MEM_WRONG);
	assert_int_equal(strata_mem_offer(m, 0, UINT32_MAX, STRATA_MEM_READ, NULL), STRATA_MEM_WRONG);
	assert_int_equal(strata_mem_offer(m, 64, 128, STRATA_MEM_READ, NULL), STRATA_MEM_WRONG);
	assert_string_equal(strata_mem_error(m), "128 bytes at 0x40 are not 1 to 128 within one line");
	assert_false(strata_mem_has_room(m, 2ull << 30));
	assert_int_equal(strata_mem_pending(m), 0);
	/* No callback, odd operation, small request: taken and answered. */
	assert_int_equal(strata_mem_offer(m, 127, 1, (enum strata_mem_op)77, NULL), STRATA_MEM_TAKEN);
	strata_mem_run_until(m, STRATA_MEM_NEVER);
	assert_int_equal(strata_mem_pending(m), 0);
	strata_mem_on_done(m, keep_answer, &last);
	assert_int_equal(strata_mem_offer(m, 0, 128, STRATA_MEM_WRITE, NULL), STRATA_MEM_TAKEN);
	assert_int_equal(strata_mem_run_until(m, UINT64_MAX - 1), 0);
	assert_non_null(strstr(strata_mem_error(m), "too far away"));
	assert_int_equal(strata_mem_pending(m), 1);
	strata_mem_free(m); /* with a request under way */
	assert_int_equal(last.done_ps, 0);
}

static void run_in_callback(void *ctx, const struct strata_mem_answer *a)
{
	(void)a;
	assert_int_equal(strata_mem_run_until(ctx, STRATA_MEM_NEVER), 0);
	assert_string_equal(strata_mem_error(ctx), "time cannot pass in a callback");
	assert_true(strata_mem_energy_pj(ctx) > 0);
}

static void free_in_callback(void *ctx, const struct strata_mem_answer *a)
{
	(void)a;
	strata_mem_free(ctx);
}

static void test_callbacks_that_may_not(void **state)
{
	strata_mem *m = open_memory(PLAIN);

	(void)state;
	strata_mem_on_done(m, run_in_callback, m);
	strata_mem_offer(m, 0, 64, STRATA_MEM_READ, NULL);
	assert_int_equal(strata_mem_run_until(m, STRATA_MEM_NEVER), 1);
	strata_mem_on_done(m, free_in_callback, m);
	strata_mem_offer(m, 0, 64, STRATA_MEM_READ, NULL);
	strata_mem_offer(m, 64, 64, STRATA_MEM_READ, NULL);
	strata_mem_run_until(m, STRATA_MEM_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drives_agree),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_idle_latency),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_wrong_requests),
		cmocka_unit_test(test_callbacks_that_may_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
