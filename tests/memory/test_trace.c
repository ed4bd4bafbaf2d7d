/* Traces: the three forms, numbers, what is passed over, zstd, and where a mistake is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "memory/trace.h"

static int file_of(const void *bytes, size_t size)
{
	int fd = memfd_create("trace", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void expect(const char *text, size_t size, enum memory_trace_format format, const struct memory_access *wanted,
		   uint32_t count, bool has_cycles)
{
	struct base_diag_list diag;
	struct memory_access got;

	base_diag_init(&diag);

	struct memory_trace *t = memory_trace_open_fd(file_of(text, size), "t", format, &diag);

	assert_non_null(t);
	assert_int_equal(memory_trace_has_cycles(t), has_cycles);
	for (uint32_t i = 0; i < count; i++) {
		assert_true(memory_trace_next(t, &got));
		if (!got.part_count)
			assert_int_equal(got.addr_bytes, wanted[i].addr_bytes);
		assert_int_equal(got.is_write, wanted[i].is_write);
		assert_int_equal(got.cycle, wanted[i].cycle);
		assert_int_equal(got.part_count, wanted[i].part_count);
		assert_memory_equal(got.parts, wanted[i].parts, sizeof(got.parts[0]) * got.part_count);
	}
	assert_false(memory_trace_next(t, &got));
	assert_false(memory_trace_has_failed(t));
	assert_int_equal(diag.error_count, 0);
	memory_trace_close(t);
}

static void test_formats(void **state)
{
	static const char ramulator[] = "0x1fc0 R\n64 W\n\n# comment\n  128\tr # why\r\n18446744073709551615 w";
	static const char loadstore[] = "LD 0xFF\nst 100\n";
	static const char readwrite[] = "R 0,1,2,0x64,32\nw 1,2,3,4,5,6,7,4294967295 # the longest\n";
	static const char dramsim3[] = "0x40 READ 0\n0x80 WRITE 0x10\n64 write 16\n";
	const uint64_t never = MEMORY_TRACE_NO_CYCLE;
	const struct memory_access first[] = {{.addr_bytes = 0x1fc0, .cycle = never},
					      {.addr_bytes = 64, .cycle = never, .is_write = true},
					      {.addr_bytes = 128, .cycle = never},
					      {.addr_bytes = UINT64_MAX, .cycle = never, .is_write = true}};
	const struct memory_access second[] = {{.addr_bytes = 255, .cycle = never},
					       {.addr_bytes = 100, .cycle = never, .is_write = true}};
	const struct memory_access third[] = {{.addr_bytes = 64},
					      {.addr_bytes = 128, .cycle = 16, .is_write = true},
					      {.addr_bytes = 64, .cycle = 16, .is_write = true}};
	const struct memory_access fourth[] = {
		{.cycle = never, .part_count = 5, .parts = {0, 1, 2, 100, 32}},
		{.cycle = never, .is_write = true, .part_count = 8, .parts = {1, 2, 3, 4, 5, 6, 7, UINT32_MAX}}};

	(void)state;
	expect(ramulator, strlen(ramulator), MEMORY_TRACE_ANY, first, 4, false);
	expect(loadstore, strlen(loadstore), MEMORY_TRACE_ANY, second, 2, false);
	expect(dramsim3, strlen(dramsim3), MEMORY_TRACE_ANY, third, 3, true);
	expect(loadstore, strlen(loadstore), MEMORY_TRACE_LOADSTORE, second, 2, false);
	expect(readwrite, strlen(readwrite), MEMORY_TRACE_ANY, fourth, 2, false);
	expect(readwrite, strlen(readwrite), MEMORY_TRACE_READWRITE, fourth, 2, false);
}

static void test_packed(void **state)
{
	enum { LINES = 60000, LINE = 16 };
	char *text = malloc(LINES * LINE), *packed = malloc(2 * ZSTD_compressBound(LINES * LINE));
	struct memory_access *wanted = malloc(sizeof(*wanted) * LINES);
	const size_t half = LINES / 2 * LINE;

	(void)state;
	/* Longer than the reader's buffers, as one frame and as two, one behind the other. */
	for (uint32_t i = 0; i < LINES; i++) {
		char line[LINE + 1];

		snprintf(line, sizeof(line), "0x%011x %c\n", i * 64, i % 3 ? 'R' : 'W');
		memcpy(text + i * LINE, line, LINE);
		wanted[i] = (struct memory_access){
			.addr_bytes = i * 64, .cycle = MEMORY_TRACE_NO_CYCLE, .is_write = i % 3 == 0};
	}
	expect(text, LINES * LINE, MEMORY_TRACE_ANY, wanted, LINES, false);

	const size_t bound = ZSTD_compressBound(LINES * LINE);
	size_t size = ZSTD_compress(packed, bound, text, LINES * LINE, 1);

	expect(packed, size, MEMORY_TRACE_ANY, wanted, LINES, false);
	size = ZSTD_compress(packed, bound, text, half, 1);
	size += ZSTD_compress(packed + size, bound, text + half, LINES * LINE - half, 1);
	expect(packed, size, MEMORY_TRACE_ANY, wanted, LINES, false);
	free(text);
	free(packed);
	free(wanted);
}

/* Reads to the end and compares the only message. */
static void refuse_bytes(const void *bytes, size_t size, enum memory_trace_format format, const char *message)
{
	struct base_diag_list diag;
	struct memory_access got;

	base_diag_init(&diag);

	struct memory_trace *t = memory_trace_open_fd(file_of(bytes, size), "t", format, &diag);

	while (t && memory_trace_next(t, &got))
		;
	assert_true(!t || memory_trace_has_failed(t));
	assert_int_equal(diag.error_count, 1);
	assert_string_equal(diag.first->text, message);
	memory_trace_close(t);
	base_diag_free(&diag);
}

static void refuse(const char *text, enum memory_trace_format format, const char *message)
{
	refuse_bytes(text, strlen(text), format, message);
}

static void test_mistakes(void **state)
{
	static const char no_place[] =
		"expected a place, such as 0,1,2,3,100,32 (up to eight numbers below 2^32), found";
	static const char no_address[] = "expected an address (decimal, or hexadecimal after 0x) of 64 bits, found";
	char longest[5000], packed[200], message[200];

	(void)state;
	refuse("", MEMORY_TRACE_ANY, "t: error: the trace has no requests");
	refuse("# nothing\n\n", MEMORY_TRACE_ANY, "t: error: the trace has no requests");
	refuse("no trace\n", MEMORY_TRACE_ANY,
	       "t:1:1: error: expected a request, ADDRESS R|W, LD|ST ADDRESS, R|W PLACE or ADDRESS READ|WRITE CYCLE, "
	       "of a trace, found 'no'");
	refuse("0x40 R\n0x80 X\n", MEMORY_TRACE_ANY, "t:2:6: error: expected R or W, found 'X'");
	refuse("0x40 R\n  0x8g R\n", MEMORY_TRACE_ANY,
	       "t:2:3: error: expected an address (decimal, or hexadecimal after 0x) of 64 bits, found '0x8g'");
	snprintf(message, sizeof(message), "t:2:1: error: %s '0x12345678123456781'", no_address);
	refuse("0x40 R\n0x12345678123456781 R\n", MEMORY_TRACE_ANY, message);
	refuse("0x40 R\n0x80\n", MEMORY_TRACE_ANY, "t:2:5: error: expected R or W, found the end of the line");
	refuse("0x40 R\n0x80 R 7\n", MEMORY_TRACE_ANY,
	       "t:2:8: error: expected the end of the line (ramulator: ADDRESS R|W), found '7'");
	refuse("LD 5\nLOAD 5\n", MEMORY_TRACE_ANY, "t:2:1: error: expected LD or ST, found 'LOAD'");
	for (uint32_t i = 0; i < 5; i++) {
		static const char *const places[] = {"1,,2", "1,2,", "1,2,3,4,5,6,7,8,9", "4294967296", "1;2"};
		g_autofree char *line = g_strdup_printf("R 1,2\nW %s\n", places[i]);

		snprintf(message, sizeof(message), "t:2:3: error: %s '%s'", no_place, places[i]);
		refuse(line, MEMORY_TRACE_ANY, message);
	}
	refuse("R 1,2\n0x40 R\n", MEMORY_TRACE_ANY, "t:2:1: error: expected R or W, found '0x40'");
	snprintf(message, sizeof(message), "t:2:3: error: %s the end of the line", no_address);
	refuse("LD 5\nST\n", MEMORY_TRACE_ANY, message);
	refuse("0x1 READ 5\n0x1 READ 4\n", MEMORY_TRACE_ANY,
	       "t:2:10: error: expected a cycle of at least 5, the one before, found '4'");
	refuse("0x1 READ 1000000000001\n", MEMORY_TRACE_ANY,
	       "t:1:10: error: expected a cycle of at most 1000000000000, found '1000000000001'");
	refuse("0x1 READ\n", MEMORY_TRACE_ANY,
	       "t:1:9: error: expected a cycle (decimal, or hexadecimal after 0x) of 64 bits, "
	       "found the end of the line");
	refuse("0x1 R\n", MEMORY_TRACE_LOADSTORE, "t:1:1: error: expected LD or ST, found '0x1'");
	memset(longest, '1', sizeof(longest));
	refuse_bytes(longest, sizeof(longest), MEMORY_TRACE_ANY,
		     "t:1:1: error: the line is longer than 4096 bytes: no trace");

	size_t size = ZSTD_compress(packed, sizeof(packed), "0x40 R\n0x80 R\n", 14, 1);

	refuse_bytes(packed, size - 2, MEMORY_TRACE_ANY, "t: error: the zstd data ends in the middle");
	packed[4] = (char)0xff;
	packed[5] = (char)0xff;
	refuse_bytes(packed, size, MEMORY_TRACE_ANY, "t: error: the zstd data is damaged: Unsupported frame parameter");
}

static void test_files(void **state)
{
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	assert_null(memory_trace_open("/nonexistent/trace", MEMORY_TRACE_ANY, &diag));
	assert_null(memory_trace_open("/", MEMORY_TRACE_ANY, &diag));
	assert_int_equal(diag.error_count, 2);
	assert_string_equal(diag.first->text,
			    "/nonexistent/trace: error: cannot read the trace: No such file or directory");
	assert_string_equal(diag.last->text, "/: error: cannot read the trace: Is a directory");
	base_diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
