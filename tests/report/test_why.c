/* test_why.c - the bound that no near-data machine passes, and what kinds of time are, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "report/accounts.h"
#include "report/report.h"
#include "report/why.h"

static json_t *run_of(double dram_mbytes, double issued, double stack_sms)
{
	return json_pack("{s:f, s:{s:f, s:f, s:f, s:f}, s:{s:f, s:f, s:f, s:f}, s:{s:f, s:f}, s:{s:f}}", "time_ps",
			 100e6, "traffic_bytes", "dram_read", dram_mbytes * 0.75e6, "dram_write", dram_mbytes * 0.25e6,
			 "tx", 1e6, "rx", 2e6, "peak_bytes_per_s", "tx", 100e9, "rx", 100e9, "dram", 600e9,
			 "stack_to_stack", 0.0, "stats", "sm.issued_cycles", issued, "sm.scheduler_cycles", 1000.0,
			 "params", "gpu.stack_sm_count", stack_sms);
}

/* In us; 0: there is no such bound. */
static double bound_us(const json_t *run)
{
	json_t *why = report_why(run, NULL), *bound;
	double us = 0;
	size_t i;

	json_array_foreach(json_object_get(why, "bounds"), i, bound)
		if (!strncmp(json_string_value(json_object_get(bound, "name")), "near data at best", 17))
			us = report_number(bound, "least_ps", NULL) / 1e6;
	json_decref(why);
	return us;
}

static void expect_us(double dram_mbytes, double issued, double stack_sms, double us)
{
	json_t *run = run_of(dram_mbytes, issued, stack_sms);

	assert_true(bound_us(run) > us - 1e-9 && bound_us(run) < us + 1e-9);
	json_decref(run);
}

/* 40 MB over 800 GB/s are 50 us; a scheduler that issued in 30 of 100 cycles takes 30 of 100 us. */
static void near_data_bound(void **state)
{
	(void)state;
	expect_us(40, 300, 1, 50);
	expect_us(40, 700, 1, 70);
	expect_us(0, 300, 1, 30);
	expect_us(40, 300, 0, 0); /* nothing computes in the stacks */
}

/* 1000 ps of two processors, of which one has no thread: the way of lines is data, caches and room for accesses, and no
 * waiting for other threads; a line of the program has not the time without a thread. */
static void kinds_of_time(void **state)
{
	json_t *run = json_pack(
	    "{s:[s], s:f, s:{s:[{s:i, s:{s:i, s:i, s:i, s:i, s:i}}, {s:i, s:{s:i}}], "
	    "s:[{s:s, s:{s:i, s:i}}], s:{s:s}}}",
	    "parts", "cpu", "time_ps", 1000.0, "core_account", "units", "core", 0, "parts", "compute", 400, "mutex",
	    350, "bank", 100, "window", 50, "none", 100, "core", 1, "parts", "none", 1000, "lines", "of",
	    "processors", "parts", "bank", 100, "none", 1100, "parts", "mutex", "a lock");
	json_t *accounts = report_accounts(run, true), *entry = json_array_get(accounts, 0), *findings = json_array();
	const json_t *line = json_array_get(json_object_get(entry, "places"), 0);

	(void)state;
	assert_int_equal(json_array_size(accounts), 1);
	assert_int_equal(report_number(entry, "units", NULL), 2);
	assert_int_equal(report_number(entry, "used", NULL), 1);
	assert_int_equal(report_number(entry, "unaccounted", NULL), 0);
	assert_int_equal(report_number(line, "amount", NULL), 100);
	assert_string_equal(json_string_value(json_object_get(line, "most")), "bank");
	report_accounts_find(run, accounts, NULL, findings);
	assert_string_equal(json_string_value(json_array_get(findings, 1)),
			    "hardware threads of the processors spend 35.0 % of their time on: a lock");
	assert_string_equal(json_string_value(json_array_get(findings, 3)),
			    "lines of the memory, on all of their way, cost hardware threads of the processors 15.0 % "
			    "of their time");
	json_decref(findings);
	json_decref(accounts);
	json_decref(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(near_data_bound), cmocka_unit_test(kinds_of_time)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
