/* Every memory of memories/ beside its closed forms: lone reads to the clock, bandwidths within a margin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib.h>
#include <math.h>
#include <string.h>

#include "memory/bounds.h"
#include "memory/measure.h"
#include "memory/standard.h"

enum { REQUESTS = 20000, WINDOW = 64 /* for each vault: as many as it holds */ };

struct rig {
	struct memory_standard s;
	struct memory_bounds bounds;
	struct memory_stream_params stream;
	enum memory_stream_kind kind;
	double ck_ns;
};

static void load(struct rig *r, const char *name)
{
	const char *const dirs[] = {TEST_MEMORIES};
	const struct sim_search search = {dirs, 1};
	const struct sim_param_group stream = {"stream", memory_stream_param_rows, memory_stream_param_row_count,
					       &r->stream, NULL};
	struct base_diag_list diag;
	struct sim_period ck;

	memset(r, 0, sizeof(*r));
	base_diag_init(&diag);
	if (!memory_standard_load(name, &search, &r->s, &diag) || !memory_standard_check(&r->s, &diag))
		fail_msg("%s: %s", name, diag.first->text);
	base_diag_free(&diag);
	sim_param_defaults(&stream);
	r->stream.request_count = REQUESTS;
	r->stream.window_count = WINDOW * r->s.memory.channel_count * r->s.dram.vault_count;
	r->s.dram.refresh = false;
	r->s.link.is_present = false; /* the memory behind it */
	r->s.dram.power_down_idle_cycles = r->s.dram.rfm_threshold_count = 0; /* test_policies.c */
	memory_bounds_init(&r->bounds, &r->s.memory, &r->s.dram);
	ck = dram_clock_period(&r->s.dram);
	r->ck_ns = (double)ck.num_ps / (double)ck.den / 1000;
}

static struct memory_result measure(struct rig *r)
{
	const struct memory_measure_config c = {.memory = &r->s,
						.stream = &r->stream,
						.kind = r->kind,
						.audit = true};
	struct base_diag_list diag;
	struct memory_result result;

	base_diag_init(&diag);

	struct memory_measure *m = memory_measure_new(&c, &diag);

	if (!m)
		fail_msg("%s: %s", r->s.about.name, diag.first->text);
	memory_measure_run(m, &result);
	memory_measure_free(m);
	base_diag_free(&diag);
	return result;
}

static void is_same(const struct rig *r, const char *what, double got, double wanted)
{
	if (fabs(got - wanted) > 1e-6 * wanted)
		fail_msg("%s: %s: %.4f, expected %.4f", r->s.about.name, what, got, wanted);
}

/* Not above the bound, but for what the ends of a short run do, and no further below than the margin. */
static void is_near(const struct rig *r, const char *what, double got, double bound, double margin)
{
	if (got > bound * 1.005 || got < bound * (1 - margin))
		fail_msg("%s: %s: %.3f GB/s, the bound is %.3f", r->s.about.name, what, got, bound);
}

static void for_all(void (*check)(struct rig *r))
{
	const char *const dirs[] = {TEST_MEMORIES};
	const struct sim_search search = {dirs, 1};
	g_auto(GStrv) names = sim_description_names(&search);

	assert_true(g_strv_length(names) >= 13);
	for (char **name = names; *name; name++) {
		struct rig r;

		load(&r, *name);
		check(&r);
	}
}

/* What the file says, in the words of its document: pins, transfers on each, nothing of the model's units. */
static void check_peak(struct rig *r)
{
	const double pins = (double)(r->s.memory.channel_count * r->s.dram.vault_count * r->s.dram.data_bits);

	/* JEDEC rounds rates to whole Mb/s: 8533 is 8533 1/3. */
	assert_true(fabs(r->bounds.peak_gbytes_per_s / (pins * (double)r->s.dram.data_rate_mbps / 8000) - 1) < 1e-4);
	r->kind = MEMORY_SEQUENTIAL;
	r->stream.request_count = 1000;
	is_same(r, "peak", measure(r).peak_gbytes_per_s, r->bounds.peak_gbytes_per_s);
}

static void test_peak(void **state)
{
	(void)state;
	for_all(check_peak);
}

static void check_latency(struct rig *r)
{
	struct memory_result result;

	/* The same line three times, one after the other. */
	r->kind = MEMORY_CHASE;
	r->stream.request_count = 3;
	r->stream.window_count = 0;
	r->stream.span_bytes = r->s.memory.line_bytes;
	result = measure(r);
	is_same(r, "closed bank", (double)result.latency[MEMORY_LATENCY_READS].max * result.latency_unit_ns,
		r->bounds.closed_ns);
	if (r->s.dram.page_policy == DRAM_PAGE_OPEN)
		is_same(r, "open row", (double)result.latency[MEMORY_LATENCY_READS].p50 * result.latency_unit_ns,
			r->bounds.open_ns);
}

static void test_latency(void **state)
{
	(void)state;
	for_all(check_latency);
}

/* One bank, a row after the other. */
static uint64_t row_stride_bytes(const struct rig *r)
{
	const struct dram_params *d = &r->s.dram;

	return r->s.memory.channel_count * d->vault_count * d->rank_count * d->bank_count * d->row_bytes;
}

static void check_conflict(struct rig *r)
{
	if (r->s.dram.page_policy != DRAM_PAGE_OPEN)
		return;
	r->kind = MEMORY_STRIDED;
	r->stream.request_count = 100;
	r->stream.window_count = 0;
	r->stream.stride_bytes = row_stride_bytes(r);
	r->stream.rate_mbytes_per_s = 100; /* long after tRAS and tRTP */

	const struct memory_result result = measure(r);
	const double ns = result.latency[MEMORY_LATENCY_READS].mean * result.latency_unit_ns;

	/* A request that comes between two edges waits for the next. */
	if (ns < r->bounds.conflict_ns * 0.99 - r->ck_ns || ns > r->bounds.conflict_ns + r->ck_ns)
		fail_msg("%s: conflict: %.3f ns, expected %.3f", r->s.about.name, ns, r->bounds.conflict_ns);
}

static void test_conflict(void **state)
{
	(void)state;
	for_all(check_conflict);
}

static void check_bandwidth(struct rig *r)
{
	const double vaults = (double)(r->s.memory.channel_count * r->s.dram.vault_count);

	r->kind = MEMORY_SEQUENTIAL;
	is_near(r, "sequential", measure(r).gbytes_per_s, r->bounds.peak_gbytes_per_s, 0.05);
	r->kind = MEMORY_RANDOM;
	is_near(r, memory_row_bound_name(r->bounds.rows_by), measure(r).gbytes_per_s, r->bounds.rows_gbytes_per_s,
		0.17);
	r->kind = MEMORY_STRIDED;
	r->stream.request_count = 2000;
	r->stream.stride_bytes = row_stride_bytes(r);
	is_near(r, "one bank", measure(r).gbytes_per_s, r->bounds.bank_gbytes_per_s, 0.02);
	if (r->s.memory.address_map != MEM_ORDER_GROUPS)
		return;
	/* Above the vault and the group come the columns: all in one vault's first group, and in one rank. */
	r->s.memory.capacity_bytes /= r->s.dram.rank_count;
	r->s.dram.rank_count = 1;
	r->stream.stride_bytes = r->s.memory.line_bytes * (uint64_t)vaults * r->s.dram.group_count;
	is_near(r, "one group", measure(r).gbytes_per_s, r->bounds.group_gbytes_per_s / vaults, 0.05);
}

static void test_bandwidth(void **state)
{
	(void)state;
	for_all(check_bandwidth);
}

/* One vault: a stream through all of them waits for each in turn, as it goes in order. */
static void check_refresh(struct rig *r)
{
	double without;

	r->kind = MEMORY_STRIDED;
	r->stream.window_count = WINDOW;
	r->stream.stride_bytes = r->s.memory.line_bytes * r->s.memory.channel_count * r->s.dram.vault_count;
	without = measure(r).gbytes_per_s;
	r->s.dram.refresh = true;
	memory_bounds_init(&r->bounds, &r->s.memory, &r->s.dram);
	is_near(r, "with refresh", measure(r).gbytes_per_s, without, 1 - r->bounds.refresh_free_ratio * 0.98);
}

static void test_refresh(void **state)
{
	(void)state;
	for_all(check_refresh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_peak),      cmocka_unit_test(test_latency), cmocka_unit_test(test_conflict),
	    cmocka_unit_test(test_bandwidth), cmocka_unit_test(test_refresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
