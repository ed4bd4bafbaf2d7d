/* Parameters: exact units, ranges, choices, did-you-mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/param.h"

struct values {
	uint64_t clock_khz, size_bytes, way_count, policy, begin_ps;
	double power_mw;
	bool refresh;
	char design[SIM_PARAM_TEXT_BYTES];
};

#define POLICIES(X) X(FIFO, fifo) X(FRFCFS, frfcfs)
enum { POLICIES(SIM_PARAM_ENUMERATOR) };

static const struct sim_param_desc rows[] = {
	{"clock_khz", SIM_PARAM_U64, "khz", NULL, 1400000, 1, 1e8, "test", "doc", offsetof(struct values, clock_khz)},
	{"size_bytes", SIM_PARAM_U64, "bytes", NULL, 32768, 1024, 1 << 24, "test", "doc",
	 offsetof(struct values, size_bytes)},
	{"way_count", SIM_PARAM_U64, "ways", NULL, 4, 1, 64, "test", "doc", offsetof(struct values, way_count)},
	{"policy", SIM_PARAM_ENUM, "", SIM_PARAM_CHOICES(POLICIES), FRFCFS, 0, 15, "test", "doc",
	 offsetof(struct values, policy)},
	{"power_mw", SIM_PARAM_F64, "mw", NULL, 1.5, 0, 1e4, "test", "doc", offsetof(struct values, power_mw)},
	{"refresh", SIM_PARAM_BOOL, "", NULL, 1, 0, 1, "test", "doc", offsetof(struct values, refresh)},
	{"begin_ps", SIM_PARAM_U64, "ps", NULL, 0, 0, 1e18, "test", "doc", offsetof(struct values, begin_ps)},
	{"design", SIM_PARAM_TEXT, "", NULL, 0, 0, 0, "test", "doc", offsetof(struct values, design)},
};

static struct values v;
static const struct sim_param_group group = {"l2", rows, 8, &v, NULL};

static void good(const char *key, const char *text)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	if (!sim_param_set(&group, 1, key, text, (struct base_place){0}, &diag))
		fail_msg("%s=%s: %s", key, text, diag.first->text);
	assert_int_equal(diag.error_count, 0);
}

static void bad(const char *key, const char *text, const char *message)
{
	const struct values before = v;
	struct base_diag_list diag;

	base_diag_init(&diag);
	assert_false(sim_param_set(&group, 1, key, text, (struct base_place){"m.yaml", 3, 5}, &diag));
	assert_int_equal(diag.error_count, 1);
	if (!strstr(diag.first->text, message) || strncmp(diag.first->text, "m.yaml:3:5: error: ", 19))
		fail_msg("%s=%s: '%s' has not '%s'", key, text, diag.first->text, message);
	assert_memory_equal(&before, &v, sizeof(v));
	base_diag_free(&diag);
}

static void test_units_are_exact(void **state)
{
	(void)state;
	sim_param_defaults(&group);
	assert_int_equal(v.clock_khz, 1400000);
	assert_true(v.refresh && v.policy == FRFCFS && v.power_mw == 1.5);
	good("l2.clock_khz", "1.4GHz");
	assert_int_equal(v.clock_khz, 1400000);
	good("l2.clock_khz", "0.7 GHz");
	assert_int_equal(v.clock_khz, 700000);
	good("l2.clock_khz", "1234567kHz");
	assert_int_equal(v.clock_khz, 1234567);
	good("l2.size_bytes", "4KiB");
	assert_int_equal(v.size_bytes, 4096);
	good("l2.size_bytes", "0.5MiB");
	assert_int_equal(v.size_bytes, 524288);
	good("l2.policy", "fifo");
	assert_int_equal(v.policy, FIFO);
	good("l2.power_mw", "0.25W");
	assert_true(v.power_mw == 250);
	good("l2.begin_ps", "1000000000000000000"); /* the greatest */
	assert_true(v.begin_ps == 1000000000000000000ull);
	good("l2.begin_ps", "1000000.000000000000s");
	assert_true(v.begin_ps == 1000000000000000000ull);
	good("l2.refresh", "off");
	assert_false(v.refresh);
}

static void test_bad_values_are_named(void **state)
{
	char zeros[150] = "0.";

	(void)state;
	sim_param_defaults(&group);
	bad("l2.clock_khz", "1.4 parsec", "expected a number of kHz");
	bad("l2.clock_khz", "1.2345678MHz", "whole number");
	bad("l2.size_bytes", "17GiB", "out of range, expected 1024 to 16777216 bytes");
	bad("l2.size_bytes", "-4096", "out of range, expected 1024 to 16777216 bytes");
	bad("l2.begin_ps", "1000000000000000001", "out of range"); /* which no double tells from the greatest */
	bad("l2.begin_ps", "1000000.000000000001s", "out of range");
	bad("l2.begin_ps", "18446744073709551616", "out of range"); /* 2^64 */
	bad("l2.size_bytes", "", "expected a number");
	bad("l2.size_bytes", "99999999999999999999", "out of range");
	memset(zeros + 2, '0', sizeof(zeros) - 3);
	bad("l2.way_count", zeros, "out of range");
	zeros[sizeof(zeros) - 2] = '1';
	bad("l2.way_count", zeros, "whole number");
	bad("l2.way_count", "4KiB", "without a suffix");
	bad("l2.way_count", "0x10", "a decimal number, not a hexadecimal one");
	bad("l2.way_count", "1e3", "a number without an exponent");
	bad("l2.way_count", "-1", "is out of range");
	bad("l2.way_count", "999999999999999999999", "is out of range");
	bad("l2.way_count", "-x", "without a suffix");
	bad("l2.way_count", "0", "out of range");
	bad("l2.power_mw", "nan", "expected a number");
	bad("l2.power_mw", "inf", "expected a number");
	bad("l2.power_mw", "-1", "out of range");
	bad("l2.policy", "frfcf", "did you mean 'frfcfs'?");
	bad("l2.refresh", "maybe", "true or false");
	bad("l2.sise_bytes", "1", "did you mean 'l2.size_bytes'?");
	bad("l3.wholly_other", "1", "unknown parameter");
	bad("size_bytes", "1", "unknown parameter");
}

static void test_format_reads_back(void **state)
{
	static const double powers[] = {0.1, 1e-7, 1234.5678, 3.0, 2.0 / 3};
	char buf[64];

	(void)state;
	sim_param_defaults(&group);
	for (uint32_t i = 0; i < 5; i++) {
		v.power_mw = powers[i];
		sim_param_format(&group, &rows[4], buf, sizeof(buf));
		good("l2.power_mw", buf);
		assert_true(v.power_mw == powers[i]);
	}
	v.power_mw = 0.1;
	sim_param_format(&group, &rows[4], buf, sizeof(buf));
	assert_string_equal(buf, "0.1");
	sim_param_format(&group, &rows[3], buf, sizeof(buf));
	assert_string_equal(buf, "frfcfs");
	assert_true(sim_param_value(&group, &rows[3]) == 1);
}

static void test_names_are_kept(void **state)
{
	char buf[SIM_PARAM_TEXT_BYTES], text[SIM_PARAM_TEXT_BYTES + 1] = {0};

	(void)state;
	sim_param_defaults(&group);
	sim_param_format(&group, &rows[7], buf, sizeof(buf));
	assert_string_equal(buf, "none");
	good("l2.design", "./a design.v");
	assert_string_equal(v.design, "./a design.v");
	sim_param_format(&group, &rows[7], buf, sizeof(buf));
	assert_string_equal(buf, "./a design.v");
	memset(text, 'x', SIM_PARAM_TEXT_BYTES);
	bad("l2.design", text, "up to 127 characters");
	text[SIM_PARAM_TEXT_BYTES - 1] = '\0';
	good("l2.design", text);
	bad("l2.design", "", "or none");
	bad("l2.design", "a\nb", "a name");
	good("l2.design", "none");
	assert_true(sim_param_value(&group, &rows[7]) == 0);
}

/* The name of the first condition that does not hold of a row, "none" if all do. */
static const char *unread(const struct sim_param_groups *groups, const char *key)
{
	const struct sim_param_group *of;
	const struct sim_param_desc *row = sim_param_groups_find(groups, key, &of);
	const struct sim_param_when *when = sim_param_unread(groups, of, row);

	return when ? when->names : "none";
}

static void text_is(const struct sim_param_group *g, const struct sim_param_desc *row, const char *expected)
{
	char *text = sim_param_whens_text(g, row);

	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
	free(text);
}

static void conditions(void **state)
{
	static const struct sim_param_when whens[] = {
	    {"way_*", "l2.policy", "fifo"},
	    {"!policy", "l2.refresh", "true"},
	    {"size_bytes", "l2.policy", "!fifo|frfcfs"},
	    {0},
	};
	struct sim_param_groups groups = {.count = 0};

	(void)state;
	sim_param_groups_add(&groups, "l2", rows, 8, &v);
	sim_param_groups_add(&groups, "l1", rows, 8, &v);
	sim_param_groups_when(&groups, NULL);
	sim_param_defaults(&group);
	assert_string_equal(unread(&groups, "l2.way_count"), "none");
	groups.count = 1;
	sim_param_groups_when(&groups, whens);
	assert_string_equal(unread(&groups, "l2.way_count"), "way_*"); /* frfcfs */
	text_is(&groups.items[0], &rows[2], "l2.policy = fifo, l2.refresh = true");
	text_is(&groups.items[0], &rows[1], "l2.refresh = true, l2.policy other than fifo or frfcfs");
	text_is(&groups.items[0], &rows[3], NULL);
	assert_string_equal(unread(&groups, "l2.power_mw"), "none");
	assert_string_equal(unread(&groups, "l2.size_bytes"), "size_bytes");
	good("l2.policy", "fifo");
	good("l2.refresh", "false");
	assert_string_equal(unread(&groups, "l2.way_count"), "!policy");
	assert_string_equal(unread(&groups, "l2.policy"), "none");
	sim_param_defaults(&group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions), cmocka_unit_test(test_units_are_exact),
		cmocka_unit_test(test_bad_values_are_named),
		cmocka_unit_test(test_format_reads_back),
		cmocka_unit_test(test_names_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
