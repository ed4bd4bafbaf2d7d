/* Streams against a memory: what they ask for, and closed forms of what they get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/measure.h"

/* DDR3-1600 of one channel: 64 bits, 8 beats, tCK 1.25 ns, 11-11-11; nothing behind the data bus. */
enum { CK_PS = 1250, RCD = 11, RP = 11, CL = 11, CWL = 8, RAS = 28, BURST = 4, LINE = 64 };

struct rig {
	struct memory_standard memory;
	struct memory_stream_params stream;
	enum memory_stream_kind kind;
	struct memory_trace *trace;
	atomic_bool is_stopped;
};

static void prepare(struct rig *r, enum memory_stream_kind kind, uint64_t count)
{
	const struct sim_param_group stream = {"stream", memory_stream_param_rows, memory_stream_param_row_count,
					       &r->stream, NULL};

	memset(r, 0, sizeof(*r));
	memory_standard_defaults(&r->memory);
	sim_param_defaults(&stream);
	r->kind = kind;
	r->stream.request_count = count;
	r->memory.memory.capacity_bytes = 1ull << 28;
	r->memory.dram.vault_count = 1;
	r->memory.dram.data_rate_mbps = 0;
	r->memory.dram.tsv_latency_ps = r->memory.dram.controller_latency_ps = 0;
	r->memory.dram.refresh = false;
}

static struct memory_result measure(struct rig *r)
{
	const struct memory_measure_config c = {.memory = &r->memory,
						.stream = &r->stream,
						.kind = r->kind,
						.trace = r->trace,
						.is_stopped = &r->is_stopped,
						.audit = true};
	struct base_diag_list diag;
	struct memory_result result;

	base_diag_init(&diag);

	struct memory_measure *m = memory_measure_new(&c, &diag);

	assert_non_null(m);
	memory_measure_run(m, &result);
	memory_measure_free(m);
	return result;
}

static double cycles(double latency, const struct memory_result *r)
{
	return latency * r->latency_unit_ns * 1000 / CK_PS;
}

static void is_about(double got, double wanted, double part)
{
	if (fabs(got - wanted) > part * wanted)
		fail_msg("%g, expected %g", got, wanted);
}

/* ---- closed forms ---- */

static void test_lone_requests(void **state)
{
	struct rig r;
	struct memory_result result;

	(void)state;
	prepare(&r, MEMORY_SEQUENTIAL, 1);
	result = measure(&r);
	assert_true(cycles((double)result.latency[MEMORY_LATENCY_READS].max, &result) == RCD + CL + BURST);
	assert_int_equal(result.time_ps, (RCD + CL + BURST) * CK_PS);
	assert_int_equal(result.latency[MEMORY_LATENCY_WRITES].count, 0);
	prepare(&r, MEMORY_SEQUENTIAL, 1);
	r.stream.write_percent = 100;
	result = measure(&r);
	assert_true(cycles((double)result.latency[MEMORY_LATENCY_WRITES].max, &result) == RCD + CWL + BURST);
	assert_int_equal(result.latency[MEMORY_LATENCY_READS].count, 0);
}

/* Rows of one bank, one after the other: each waits for its answer, then for PRE, ACT and RD. */
static void test_chase(void **state)
{
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_CHASE, 1000);
	r.memory.dram.bank_count = 1;
	r.memory.memory.capacity_bytes = 1ull << 40;

	const struct memory_result result = measure(&r);

	/* tRAS of the first row is over by then: RCD + CL + BURST and the source's clock are 27 of its 28 cycles. */
	assert_true(cycles((double)result.latency[MEMORY_LATENCY_ALL].p50, &result) == RP + RCD + CL + BURST + 1);
	assert_int_equal(result.window_count, 1);
	prepare(&r, MEMORY_CHASE, 1000);
	r.stream.span_bytes = 4096;

	const struct memory_result hits = measure(&r);

	assert_true(cycles((double)hits.latency[MEMORY_LATENCY_ALL].p50, &hits) == CL + BURST);
	/* An answer is seen at the next edge, and the request is sent there. */
	is_about((double)hits.time_ps, 1000.0 * (CL + BURST + 1) * CK_PS, 0.002);
}

static void test_bandwidth(void **state)
{
	const double peak = 12.8, refresh = 1 - 128 / 6240.0, four_windows = 4 * LINE / 30.0;
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_SEQUENTIAL, 50000);
	is_about(measure(&r).peak_gbytes_per_s, peak, 1e-9);
	is_about(measure(&r).gbytes_per_s, peak, 0.002);
	r.memory.dram.refresh = true;
	is_about(measure(&r).gbytes_per_s, peak * refresh, 0.005);
	prepare(&r, MEMORY_RANDOM, 50000);
	is_about(measure(&r).gbytes_per_s, four_windows, 0.01);
	prepare(&r, MEMORY_STRIDED, 5000);
	r.memory.dram.bank_count = 1;
	r.memory.memory.capacity_bytes = 1ull << 24;
	is_about(measure(&r).gbytes_per_s, LINE / ((RAS + RP) * 1.25), 0.005);
}

static const struct energy_component *component_of(const struct memory_result *r, const char *name)
{
	for (uint32_t i = 0; i < r->energy.component_count; i++)
		if (!strcmp(r->energy.components[i].name, name))
			return &r->energy.components[i];
	return NULL;
}

/* A lone read is one flit up and two down; else both directions idle. A memory without a link has no such energy. */
static void test_link_energy(void **state)
{
	const double bits = 3 * 68 * 8;
	struct rig r;
	struct memory_result result;

	(void)state;
	prepare(&r, MEMORY_RANDOM, 1);
	result = measure(&r);
	assert_null(component_of(&result, "link_active"));
	prepare(&r, MEMORY_RANDOM, 1);
	r.memory.link.is_present = true;
	r.memory.link.bandwidth_mbytes_per_s = 32000;
	r.memory.link.active_pj = 3;
	r.memory.link.idle_pj = 0.5;
	result = measure(&r);
	is_about(component_of(&result, "link_active")->pj, 3 * bits, 1e-9);
	is_about(component_of(&result, "link_idle")->pj, 0.5 * (2 * 0.256 * (double)result.time_ps - bits), 1e-9);
}

/* ---- the loops ---- */

static void test_window(void **state)
{
	struct rig r;

	(void)state;
	/* Little's law: as many as the window are under way. */
	for (uint32_t window = 1; window <= 16; window *= 4) {
		prepare(&r, MEMORY_RANDOM, 20000);
		r.stream.window_count = window;

		const struct memory_result result = measure(&r);
		const double latency_ns =
		    result.latency[MEMORY_LATENCY_ALL].mean * result.latency_unit_ns + CK_PS / 1000.0;

		is_about(result.gbytes_per_s / LINE * latency_ns, window, 0.03);
		assert_int_equal(result.window_count, window);
	}
}

static void test_rate(void **state)
{
	struct rig r;
	struct memory_result result;

	(void)state;
	prepare(&r, MEMORY_RANDOM, 20000);
	r.stream.rate_mbytes_per_s = 1700;
	result = measure(&r);
	is_about(result.gbytes_per_s, 1.7, 0.002);
	is_about(result.rate_gbytes_per_s, 1.7, 1e-9);
	assert_int_equal(result.window_count, 0);
	/* A lone request at a time, that comes between two edges and meets another row's. */
	is_about(cycles((double)result.latency[MEMORY_LATENCY_ALL].p50, &result), RP + RCD + CL + BURST + 0.5, 0.02);
	prepare(&r, MEMORY_RANDOM, 20000);
	r.stream.rate_percent = 50;
	result = measure(&r);
	is_about(result.gbytes_per_s, 6.4, 0.002);
	assert_false(result.is_saturated);
	/* More than it can do: latencies grow as the queue in front does. */
	r.stream.rate_percent = 100;
	result = measure(&r);
	assert_true(result.is_saturated);
	is_about(result.gbytes_per_s, 4 * LINE / 30.0, 0.01);
	is_about((double)result.latency[MEMORY_LATENCY_ALL].max * result.latency_unit_ns,
		 20000 * LINE / result.gbytes_per_s * (1 - result.gbytes_per_s / 12.8), 0.02);
}

/* A fraction of a unit between two requests adds up: hits of one row, the last of which says when it came. */
static void test_exact_rate(void **state)
{
	const double interval_ps = LINE * 1e6 / 1700, count = 100000;
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_SEQUENTIAL, (uint64_t)count);
	r.stream.span_bytes = 4096;
	r.stream.rate_mbytes_per_s = 1700;

	const double left_ps = (double)measure(&r).time_ps - (count - 1) * interval_ps;

	assert_true(left_ps >= (CL + BURST) * CK_PS && left_ps <= (CL + BURST + 1) * CK_PS);
}

static void test_writes(void **state)
{
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_RANDOM, 20000);
	r.stream.write_percent = 30;

	const struct memory_result result = measure(&r);

	assert_int_equal(result.read_count + result.write_count, 20000);
	is_about((double)result.write_count, 6000, 0.03);
	assert_int_equal(result.latency[MEMORY_LATENCY_WRITES].count, result.write_count);
}

static void open_trace(struct rig *r, const char *text, struct base_diag_list *diag)
{
	const int fd = memfd_create("trace", 0);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	base_diag_init(diag);
	r->kind = MEMORY_TRACE;
	r->trace = memory_trace_open_fd(fd, "t", MEMORY_TRACE_ANY, diag);
	assert_non_null(r->trace);
}

static struct memory_result measure_trace(struct rig *r, const char *text)
{
	struct base_diag_list diag;

	open_trace(r, text, &diag);

	const struct memory_result result = measure(r);

	memory_trace_close(r->trace);
	return result;
}

/* Of two channels the full one holds nobody up who goes to the other: a few requests to one bank of the first take as
 * long as they do alone, and those to the second are through long before. */
static void test_channels(void **state)
{
	enum { SLOW = 200, FAST = 1000 };
	static char text[(SLOW + FAST) * 24];
	size_t length = 0;
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_TRACE, 0);
	r.memory.dram.vault_count = 2;
	r.memory.dram.queue_entries = r.memory.dram.write_high_count = 16;
	r.memory.memory.capacity_bytes = 1ull << 32;
	r.stream.window_count = SLOW + FAST;
	for (uint64_t i = 0; i < SLOW + FAST; i++) {
		/* A row further in one bank of the first channel, or along the rows of the second one. */
		const uint64_t addr = i < SLOW ? i * 2 * 16 * 4096 : (2 * (i - SLOW) + 1) * 64;

		length += (size_t)snprintf(text + length, sizeof(text) - length, "%llu R\n", (unsigned long long)addr);
	}

	const struct memory_result result = measure_trace(&r, text);

	is_about((double)result.time_ps, SLOW * (RAS + RP) * CK_PS, 0.01);
	/* The second channel's share of the peak, from the start on: most requests are through soon. */
	assert_true((double)result.latency[MEMORY_LATENCY_ALL].p50 * result.latency_unit_ns <
		    1.2 * (SLOW + FAST) / 2.0 * BURST * CK_PS / 1000);
}

/* Two ranks, each with one open row: between columns of different ranks the bus waits, so a steady stream of hits to
 * one would keep the other's out for ever. The guard over all banks holds the stream back for what is overdue. */
static void test_ranks(void **state)
{
	enum { COUNT = 3000, CAP = 300 };
	static char text[COUNT * 24];
	size_t length = 0;
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_TRACE, 0);
	r.memory.dram.rank_count = 2;
	r.memory.dram.t_rtrs = 2;
	r.memory.dram.starvation_global = true;
	r.memory.dram.starvation_cap_ps = CAP * CK_PS;
	/* Order row, rank, bank, column: a rank is 16 banks of 4 KiB rows. */
	for (uint64_t i = 0; i < COUNT; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%llu R\n",
					   (unsigned long long)(i % 64 * 64 + (i % 100 == 99 ? 16 * 4096 : 0)));

	const struct memory_result result = measure_trace(&r, text);

	/* The cap, and what it takes to serve some that are overdue together. */
	assert_true(cycles((double)result.latency[MEMORY_LATENCY_ALL].max, &result) < CAP + 100);
}

/* A link carries reads' and writes' data on lanes of their own: its peak is that of the mix that came. */
static void test_link_peak(void **state)
{
	enum { COUNT = 4000 };
	static char text[COUNT * 24];
	size_t length = 0;
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_TRACE, 0);
	r.memory.dram.vault_count = 16;
	r.memory.link.is_present = true;
	for (uint64_t i = 0; i < COUNT; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%llu %c\n",
					   (unsigned long long)(i * LINE), i % 2 ? 'W' : 'R');

	const struct memory_result result = measure_trace(&r, text);
	const double reads_only = memory_measure_peak_bytes_per_s(&r.memory, 1) / 1e9;

	is_about(result.peak_gbytes_per_s, memory_measure_peak_bytes_per_s(&r.memory, 0.5) / 1e9, 1e-9);
	assert_true(result.gbytes_per_s > reads_only && result.gbytes_per_s <= result.peak_gbytes_per_s);
}

static void test_same_again(void **state)
{
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_RANDOM, 5000);

	const struct memory_result first = measure(&r), second = measure(&r);

	assert_int_equal(first.time_ps, second.time_ps);
	assert_int_equal(first.latency[MEMORY_LATENCY_ALL].p99, second.latency[MEMORY_LATENCY_ALL].p99);
	r.stream.seed = 2;
	assert_int_not_equal(measure(&r).time_ps, first.time_ps);
}

static void test_stopped(void **state)
{
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_RANDOM, 5000);
	r.is_stopped = true;

	const struct memory_result result = measure(&r);

	assert_true(result.is_interrupted);
	assert_int_equal(result.request_count, 0);
	assert_true(result.gbytes_per_s == 0);
}

/* ---- streams ---- */

static void addresses(struct rig *r, struct memory_access *out, uint32_t count)
{
	const struct memory_stream_target target = {&r->memory.memory, &r->memory.dram};
	struct base_diag_list diag;
	struct memory_stream s;

	base_diag_init(&diag);
	r->stream.request_count = count;
	assert_true(memory_stream_init(&s, r->kind, &r->stream, &target, NULL, &diag));
	for (uint32_t i = 0; i < count; i++)
		assert_true(memory_stream_next(&s, &out[i]));
	assert_false(memory_stream_next(&s, out + count));
}

static void test_sequences(void **state)
{
	struct memory_access a[101];
	uint64_t seen = 0;
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_SEQUENTIAL, 1);
	r.stream.span_bytes = 256;
	addresses(&r, a, 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(a[i].addr_bytes, i % 4 * 64);
	prepare(&r, MEMORY_STRIDED, 1);
	r.stream.span_bytes = 512;
	r.stream.stride_bytes = 256;
	r.stream.request_bytes = 32;
	addresses(&r, a, 20);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(a[i].addr_bytes, i % 2 * 256 + i / 2 % 8 * 32);
	prepare(&r, MEMORY_RANDOM, 1);
	r.stream.span_bytes = 64 * 16;
	addresses(&r, a, 100);
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(a[i].addr_bytes % 64, 0);
		seen |= 1ull << a[i].addr_bytes / 64;
	}
	assert_int_equal(seen, 0xffff);
}

static void refuse(struct rig *r, const char *message)
{
	const struct memory_measure_config c = {
	    .memory = &r->memory, .stream = &r->stream, .kind = r->kind, .trace = r->trace};
	struct base_diag_list diag;

	base_diag_init(&diag);
	assert_null(memory_measure_new(&c, &diag));
	assert_int_equal(diag.error_count, 1);
	assert_string_equal(diag.first->text, message);
	base_diag_free(&diag);
}

static void test_contradictions(void **state)
{
	struct rig r;

	(void)state;
	prepare(&r, MEMORY_RANDOM, 0);
	refuse(&r, "error: stream.request_count: 0 requests; only a trace has an end of its own");
	prepare(&r, MEMORY_RANDOM, 1);
	r.stream.request_bytes = 128;
	refuse(&r, "error: stream.request_bytes: 128 is no power of two up to the memory's line of 64 bytes");
	prepare(&r, MEMORY_RANDOM, 1);
	r.stream.span_bytes = 1ull << 40;
	refuse(&r, "error: stream.span_bytes: 1099511627776 is not between a request and the memory's 268435456 bytes");
	prepare(&r, MEMORY_STRIDED, 1);
	r.stream.stride_bytes = 96;
	refuse(&r, "error: stream.stride_bytes: 96 is no multiple of the request's 64 bytes within the span");
	prepare(&r, MEMORY_RANDOM, 1);
	r.stream.rate_percent = 1;
	r.stream.rate_mbytes_per_s = 1;
	refuse(&r, "error: stream.rate_percent: stream.rate_mbytes_per_s is given too; one is enough");
	prepare(&r, MEMORY_CHASE, 1);
	r.stream.rate_percent = 50;
	refuse(&r, "error: a chase sends when the answer is there: it takes no rate");
	prepare(&r, MEMORY_RANDOM, 1000000000);
	r.stream.rate_mbytes_per_s = 1;
	refuse(&r, "error: the rate of 1e+06 bytes per second is too low: the requests would come for more than 10000 "
		   "simulated seconds");
	prepare(&r, MEMORY_RANDOM, 1);
	r.stream.rate_percent = 1e-9;
	refuse(&r, "error: the rate of 0.128 bytes per second is too low: the requests would come for more than 10000 "
		   "simulated seconds");
}

/* ---- traces ---- */

static void test_traces(void **state)
{
	struct memory_result result;
	struct rig r;

	(void)state;
	/* As the cycles say, in the memory's clock: the last request comes at cycle 1000 and finds its row open. */
	prepare(&r, MEMORY_TRACE, 0);
	result = measure_trace(&r, "0x0 READ 0\n0x40 READ 100\n0x80 WRITE 1000\n");
	assert_int_equal(result.time_ps, (1000 + CWL + BURST) * CK_PS);
	assert_int_equal(result.write_count, 1);
	assert_true(cycles((double)result.latency[MEMORY_LATENCY_READS].p50, &result) == CL + BURST);
	/* In a clock of their own. */
	r.stream.trace_clock_ps = 2 * CK_PS;
	result = measure_trace(&r, "0x0 READ 0\n0x40 READ 100\n0x80 WRITE 1000\n");
	assert_int_equal(result.time_ps, (2000 + CWL + BURST) * CK_PS);
	/* Or not at all; the first two only. */
	r.stream.trace_times = false;
	r.stream.request_count = 2;
	result = measure_trace(&r, "0x0 READ 0\n0x40 READ 100\n0x80 WRITE 1000\n");
	assert_int_equal(result.time_ps, (RCD + CL + 2 * BURST) * CK_PS);
	/* What a full memory has refused does not wait for the next that comes. */
	prepare(&r, MEMORY_TRACE, 0);
	r.memory.dram.queue_entries = r.memory.dram.write_high_count = 2;
	r.memory.dram.write_low_count = 1;
	result = measure_trace(&r, "0 READ 0\n64 READ 0\n128 READ 0\n192 READ 0\n256 READ 0\n320 READ 100000\n");
	assert_true(cycles((double)result.latency[MEMORY_LATENCY_ALL].max, &result) < 100);
	assert_int_equal(result.time_ps, (100000 + CL + BURST) * CK_PS);
	/* Addresses outside of the memory come round, and lie at requests. */
	prepare(&r, MEMORY_TRACE, 0);
	r.stream.window_count = 1;
	result = measure_trace(&r, "LD 0\nLD 0x10000001\n");
	assert_int_equal(result.time_ps, (RCD + CL + BURST + 1 + CL + BURST) * CK_PS);
}

/* A memory of two stacks, each of four pseudo channels in pairs, with two ranks of four groups. */
static void prepare_places(struct rig *r)
{
	prepare(r, MEMORY_TRACE, 0);
	r->memory.memory.channel_count = 2;
	r->memory.memory.address_xor = true;
	r->memory.dram.vault_count = 4;
	r->memory.dram.pseudo_count = 2;
	r->memory.dram.rank_count = 2;
	r->memory.dram.group_count = 4;
}

/* Numbers of a trace of places lead there: channel, pseudo channel, rank, group, bank, row, column in bursts. */
static void test_places(void **state)
{
	static const char text[] = "R 0,0,0,0,0,0,0\nW 3,1,1,3,2,0x1f,9\nR 1,1,2,3,30,0\n";
	static const struct mem_place wanted[] = {
		{0, 0, 0, 0, 0}, {1, 3, 16 + 2 * 4 + 3, 31, 9 * 64}, {0, 3, 3 * 4 + 2, 30, 0}};
	struct base_diag_list diag;
	struct memory_access a;
	struct memory_stream s;
	struct rig r;

	(void)state;
	prepare_places(&r);

	const struct memory_stream_target target = {&r.memory.memory, &r.memory.dram};

	open_trace(&r, text, &diag);
	assert_true(memory_stream_init(&s, MEMORY_TRACE, &r.stream, &target, r.trace, &diag));
	for (uint32_t i = 0; i < ARRAY_COUNT(wanted); i++) {
		assert_true(memory_stream_next(&s, &a));
		assert_int_equal(a.is_write, i == 1);

		const struct mem_place at = mem_order_place(&s.order, a.addr_bytes);

		assert_memory_equal(&at, &wanted[i], sizeof(at));
	}
	assert_false(memory_stream_next(&s, &a));
	assert_false(memory_trace_has_failed(r.trace));
	memory_trace_close(r.trace);
}

static void refuse_place(const char *text, const char *message)
{
	struct base_diag_list diag;
	struct memory_access a;
	struct memory_stream s;
	struct rig r;

	prepare_places(&r);

	const struct memory_stream_target target = {&r.memory.memory, &r.memory.dram};

	open_trace(&r, text, &diag);
	assert_true(memory_stream_init(&s, MEMORY_TRACE, &r.stream, &target, r.trace, &diag));
	while (memory_stream_next(&s, &a))
		;
	assert_true(memory_trace_has_failed(r.trace));
	assert_string_equal(diag.first->text, message);
	memory_trace_close(r.trace);
	base_diag_free(&diag);
}

static void test_places_that_are_none(void **state)
{
	(void)state;
	refuse_place("R 0,0,0,0,0,0\nR 4,0,0,0,0,0\n", "t:2:1: error: channel 4 of a memory that has 4");
	refuse_place("R 0,0,2,0,0,0,0\n", "t:1:1: error: rank 2 of a memory that has 2");
	refuse_place("R 0,0,0,0,0,64\n", "t:1:1: error: column 64 of a memory that has 64");
	refuse_place("R 0,0,0,0,0\n",
		     "t:1:1: error: 5 numbers, where a place of this memory has 6, or 7 with the rank");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lone_requests), cmocka_unit_test(test_chase),
		cmocka_unit_test(test_bandwidth),     cmocka_unit_test(test_link_energy),
		cmocka_unit_test(test_window),	      cmocka_unit_test(test_rate),
		cmocka_unit_test(test_exact_rate),    cmocka_unit_test(test_writes),
		cmocka_unit_test(test_same_again),    cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_sequences),     cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_traces),	      cmocka_unit_test(test_channels),
		cmocka_unit_test(test_ranks),	      cmocka_unit_test(test_link_peak),
		cmocka_unit_test(test_places),	      cmocka_unit_test(test_places_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
