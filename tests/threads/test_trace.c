/* test_trace.c - what is written into a trace comes out of it, and a damaged one is refused. */
#include "threads/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ACCESSES = 20000 };

static char path[] = "trace-XXXXXX";

static uint64_t address_of(uint32_t i)
{
	return 0x400000 + (uint64_t)i * i % 99991 * (i % 3 ? 8 : 4096);
}

static void write_one(void)
{
	struct thread_trace_writer *w = thread_trace_create(path, "a=1\n", 7);
	uint16_t counts[THREAD_CLASS_COUNT] = {[THREAD_CLASS_integer] = 3, [THREAD_CLASS_lane_divide] = 65535};

	assert_non_null(w);
	for (uint32_t i = 0; i < ACCESSES; i++) {
		const struct thread_at at = {.unit = i % 5, .thread = i / 100 % 9, .now_ps = i * 1000ull};

		if (i % 4 == 0)
			thread_trace_count(w, &at, counts);
		thread_trace_access(w, &at, address_of(i), i % 130, (enum thread_kind)(i % THREAD_KIND_COUNT));
		if (i % 1000 == 0)
			thread_trace_fence(w, &at);
		if (i % 1500 == 0)
			thread_trace_event(w, &at, (enum thread_event)(i / 1500 % THREAD_EVENT_COUNT), UINT64_MAX - i);
	}

	const struct thread_at last = {.thread = 3, .now_ps = 12345678};

	thread_trace_count(w, &last, counts);
	assert_true(thread_trace_end(w, &last));
}

static void test_round(void **state)
{
	const char *why = NULL;
	struct thread_record r;
	struct thread_trace *t;

	(void)state;
	write_one();
	t = thread_trace_open(path, &why);
	assert_non_null(t);
	assert_string_equal(thread_trace_parameters(t), "a=1\n");
	assert_int_equal(thread_trace_unit_count(t), 7);
	for (uint32_t i = 0; i < ACCESSES; i++) {
		assert_int_equal(thread_trace_read(t, &r, &why), THREAD_TRACE_RECORD);
		assert_int_equal(r.kind, THREAD_RECORD_ACCESS);
		assert_int_equal(r.thread, i / 100 % 9);
		assert_int_equal(r.unit, i % 5);
		assert_int_equal(r.address, address_of(i));
		assert_int_equal(r.bytes, i % 130);
		assert_int_equal(r.access, i % THREAD_KIND_COUNT);
		assert_int_equal(r.counts[THREAD_CLASS_integer], i % 4 ? 0 : 3);
		assert_int_equal(r.counts[THREAD_CLASS_lane_divide], i % 4 ? 0 : 65535);
		if (i % 1000 == 0) {
			assert_int_equal(thread_trace_read(t, &r, &why), THREAD_TRACE_RECORD);
			assert_int_equal(r.kind, THREAD_RECORD_FENCE);
		}
		if (i % 1500 == 0) {
			assert_int_equal(thread_trace_read(t, &r, &why), THREAD_TRACE_RECORD);
			assert_int_equal(r.event, i / 1500 % THREAD_EVENT_COUNT);
			assert_int_equal(r.value, UINT64_MAX - i);
		}
	}
	assert_int_equal(thread_trace_read(t, &r, &why), THREAD_TRACE_RECORD);
	assert_int_equal(r.kind, THREAD_RECORD_END);
	assert_int_equal(r.turn_ps, 12345678);
	assert_int_equal(r.counts[THREAD_CLASS_integer], 3);
	assert_int_equal(thread_trace_read(t, &r, &why), THREAD_TRACE_DONE);
	thread_trace_close(t);
}

/* Reads to the end or the mistake: neither crashes nor goes on for ever. */
static bool is_whole(void)
{
	const char *why = NULL;
	struct thread_trace *t = thread_trace_open(path, &why);
	enum thread_trace_next next = THREAD_TRACE_WRONG;
	struct thread_record r;

	while (t && (next = thread_trace_read(t, &r, &why)) == THREAD_TRACE_RECORD)
		;
	if (t)
		thread_trace_close(t);
	if (next == THREAD_TRACE_WRONG)
		assert_non_null(why);
	return next == THREAD_TRACE_DONE;
}

static void test_damage(void **state)
{
	static uint8_t bytes[1 << 20];
	size_t size;
	FILE *f;

	(void)state;
	write_one();
	assert_true(is_whole());
	f = fopen(path, "rb");
	size = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	for (size_t i = 0; i < 200; i++) { /* a byte changed: zstd's checksum covers all of them */
		size_t at = i * size / 200;

		bytes[at] ^= (uint8_t)(1 << i % 8);
		f = fopen(path, "wb");
		fwrite(bytes, 1, size, f);
		fclose(f);
		bytes[at] ^= (uint8_t)(1 << i % 8);
		is_whole();
	}
	for (size_t i = 0; i < 50; i++) { /* cut off */
		f = fopen(path, "wb");
		fwrite(bytes, 1, i * size / 50, f);
		fclose(f);
		assert_false(is_whole());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round), cmocka_unit_test(test_damage)};
	int fd = mkstemp(path), failed;

	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
