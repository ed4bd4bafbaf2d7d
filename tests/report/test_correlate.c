/* test_correlate.c - files of measurements, one of each kind, their mistakes, and what is matched with what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "report/correlate.h"
#include "report/demangle.h"
#include "report/measured.h"
#include "report/report.h"

static json_t *read_file(const char *name)
{
	g_autofree char *path = g_build_filename(MEASURED_DIR, name, NULL);
	struct base_diag_list diag;
	json_t *measured;

	base_diag_init(&diag);
	measured = report_measured_file(path, &diag);
	if (diag.first)
		print_error("%s\n", diag.first->text);
	assert_non_null(measured);
	assert_int_equal(diag.error_count, 0);
	base_diag_free(&diag);
	return measured;
}

struct row {
	const char *name;
	double count, sum_ps;
	int line;
};

static void expect(const char *file, const char *kind, const struct row *rows, size_t count, double left_out)
{
	json_t *measured = read_file(file), *got = json_object_get(measured, "rows");

	assert_string_equal(json_string_value(json_object_get(measured, "kind")), kind);
	assert_int_equal(json_array_size(got), count);
	assert_true(report_number(measured, "left_out", NULL) == left_out);
	for (size_t i = 0; i < count; i++) {
		const json_t *row = json_array_get(got, i);

		assert_string_equal(json_string_value(json_object_get(row, "name")), rows[i].name);
		assert_true(report_number(row, "count", NULL) == rows[i].count);
		assert_true(fabs(report_number(row, "sum_ps", NULL) / rows[i].sum_ps - 1) < 1e-9);
		assert_int_equal((int)report_number(row, "line", NULL), rows[i].line);
	}
	json_decref(measured);
}
#define EXPECT(file, kind, left_out, ...)                                           \
	do {                                                                        \
		static const struct row rows[] = {__VA_ARGS__};                     \
		expect(file, kind, rows, sizeof(rows) / sizeof(rows[0]), left_out); \
	} while (0)

static void test_files(void **state)
{
	(void)state;
	EXPECT("plain.csv", "kernels", 0, {"scale", 2, 24e6, 3}, {"gather<int>(int*, unsigned int)", 1, 250.5e6, 4});
	EXPECT("programs.csv", "programs", 0, {"/opt/bin/stream", 1, 1.25e9, 2}, {"solve", 1, 3e9, 3});
	EXPECT("nsys_kern_sum.csv", "kernels", 0,
	       {"void reduce<float, (int)128, (bool)1>(const float *, float *, unsigned int)", 3, 30e6, 7},
	       {"vector_add", 2, 10e6, 8});
	EXPECT("nsys_gpu_trace.csv", "kernels", 2,
	       {"vector_add(const float *, const float *, float *, unsigned int)", 2, 4e6, 3});
	EXPECT("ncu_details.csv", "kernels", 0, {"scale(float *, float)", 1, 1205.5e6, 5}, {"gather", 1, 900e3, 8});
	EXPECT("ncu_raw.csv", "kernels", 0, {"scale", 2, 6e6, 4});
	EXPECT("perf.csv", "programs", 0, {"", 1, 1053.18e9 / 3.512, 1});
	EXPECT("perf_duration.csv", "programs", 0, {"", 1, 300e9, 1});
	EXPECT("hw-cpu.txt", "figures", 0, {"latency", 1, 5250, 1});
	EXPECT("hw-gpu.txt", "figures", 2, {"l1_latency", 1, 59290, 1}, {"atomics_same", 1, 1e3 / 0.7, 5});
	EXPECT("figures.csv", "figures", 0, {"l2_latency", 1, 160500, 2}, {"copy", 1, 1e3 / 140, 3});
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *text, *message;
	} mistakes[] = {
	    {"", "F:1:1: error: there is nothing in it"},
	    {"# only this\n\n", "F:1:1: error: there is nothing in it"},
	    {"one two\n", "F:1:1: error: no header that is known"},
	    {"kernel,size\na,1\n", "F:1:1: error: beside 'kernel' there is no column of the time"},
	    {"size,program\n1,a\n", "F:1:6: error: beside 'program' there is no column of the time"},
	    {"kernel,time\na,1\n", "F:1:1: error: beside 'kernel' there is no column of the time"},
	    {"kernel,time_min\na,1\n", "F:1:8: error: unknown unit 'min'"},
	    {"kernel,time_us\n", "F:1:1: error: there are none of the kernels below this header"},
	    {"kernel,time_us\na,1\nb, -2\n", "F:3:4: error: the time is negative: -2"},
	    {"kernel,time_us\na,0\n", "F:2:3: error: the time is 0"},
	    {"kernel,time_us\na,1e300\n", "F:2:1: error: a time of 'a' that nothing takes"},
	    {"kernel,time_us\na,nan\n", "F:2:3: error: 'nan' is no number"},
	    {"kernel,time_us\na,1x\n", "F:2:3: error: '1x' is no number"},
	    {"kernel,time_us\na,\n", "F:2:3: error: '' is no number"},
	    {"kernel,time_us\na,1,2\n", "F:2:1: error: expected 2 fields, as in the header, and found 3"},
	    {"kernel,time_us\n,1\n", "F:2:1: error: expected a name"},
	    {"kernel,time_us\n\"a,1\n", "F:2:1: error: nothing closes this quote"},
	    {"kernel,time_us\na\xff,1\n", "F:2:2: error: this is no text in UTF-8"},
	    {"Name,Instances\na,1\n", "F:1:1: error: beside 'Name' there is no Total Time"},
	    {"\"ID\",\"Kernel Name\",\"x\"\n", "F:1:6: error: beside 'Kernel Name' there is no gpu__time_duration.sum"},
	    {"\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"cycle\"\n",
	     "F:2:7: error: unknown unit 'cycle' of gpu__time_duration.sum"},
	    {"\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
	     "\"0\",\"a\",\"Duration\",\"us\",\"9,00\"\n",
	     "F:2:25: error: '9,00' is no number"},
	    {"12,,context-switches,1,100.00,,\n", "F:1:1: error: neither duration_time nor task-clock"},
	    {"<not counted>,ns,duration_time,1,100.00,,\n", "F:1:1: error: '<not counted>' is no number"},
	    {"figure,value,unit\na,1,furlong\n", "F:2:5: error: unknown unit 'furlong'"},
	    {"figure,value,unit\na,1,ns\na,2,ns\n", "F:3:1: error: figure 'a' is on line 2 already"},
	    {"hw-cpu: latency -5 ns\n", "F:1:17: error: the value is negative"},
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
		struct base_diag_list diag;

		base_diag_init(&diag);
		assert_null(report_measured_read("F", mistakes[i].text, strlen(mistakes[i].text), &diag));
		assert_int_equal(diag.error_count, 1);
		if (!g_str_has_prefix(diag.first->text, mistakes[i].message))
			fail_msg("'%s', expected '%s'", diag.first->text, mistakes[i].message);
		base_diag_free(&diag);
	}
}

static void expect_title(const char *name, const char *canonical, const char *base, const char *bare)
{
	g_autofree char *title = report_demangle(name);
	g_autofree char *one = report_title_canonical(title);
	g_autofree char *two = report_title_base(one, true), *three = report_title_base(one, false);

	assert_string_equal(one, canonical);
	assert_string_equal(two, base);
	assert_string_equal(three, bare);
}

static void test_titles(void **state)
{
	(void)state;
	expect_title("scale", "scale", "scale", "scale");
	expect_title("void reduce<float, (int)128, (bool)1, 4u>(const float *, unsigned int)",
		     "void reduce<float,128,true,4>(float const*,unsigned int)", "reduce<float,128,true,4>", "reduce");
	expect_title("void <unnamed>::f<const A<const int *> &>(const unsigned int * const)",
		     "void (anonymous namespace)::f<A<int const*>const&>(unsigned int const*const)",
		     "(anonymous namespace)::f<A<int const*>const&>", "(anonymous namespace)::f");
	expect_title("f<(", "f<(", "f<(", "f<(");
}

/* ---- what is matched ---- */

/* Figures beside what a program has said of itself; of its own programs, one without a name. */
static void expect_one(const char *text, const char *run_text, double measured_ps, double modelled_ps)
{
	struct base_diag_list diag;
	json_t *runs = json_loads(run_text, 0, NULL), *measured, *c;
	const json_t *row;

	assert_non_null(runs);
	base_diag_init(&diag);
	measured = report_measured_read("F", text, strlen(text), &diag);
	assert_non_null(measured);
	c = report_correlate(measured, runs);
	row = json_array_get(json_object_get(c, "rows"), 0);
	assert_int_equal(json_array_size(json_object_get(c, "rows")), 1);
	assert_true(fabs(report_number(row, "measured_ps", NULL) / measured_ps - 1) < 1e-9);
	assert_true(fabs(report_number(row, "modelled_ps", NULL) / modelled_ps - 1) < 1e-9);
	json_decref(c);
	json_decref(measured);
	json_decref(runs);
	base_diag_free(&diag);
}

static void test_others(void **state)
{
	(void)state;
	expect_one("figure,value,unit\ncopy,100,GB/s\nno,1,ns\n",
		   "[{\"workload\": \"w\", \"measures\": {\"copy\": 50, \"other\": 3},"
		   " \"units\": {\"measures.copy\": \"GB/s\", \"measures.other\": \"ns\"}}]",
		   10, 20);
	expect_one("program,time_us\n/a/b/w,3\n", "[{\"workload\": \"w\", \"total_time_ps\": 6e6, \"time_ps\": 1e6}]",
		   3e6, 6e6);
	/* Of several processes the longest. */
	expect_one("5,ms,duration_time,1,100.00,,\n",
		   "[{\"workload\": \"w\", \"total_time_ps\": 6e6},"
		   " {\"workload\": \"w\", \"total_time_ps\": 9e6}]",
		   5e9, 9e6);
}

static json_t *kernels_run(const char *names, double time_ps)
{
	g_auto(GStrv) all = g_strsplit(names, ";", -1);
	json_t *run =
	    json_pack("{s:s, s:s, s:f, s:[]}", "workload", "program", "machine", "m", "time_ps", 1e9, "kernel_sums");

	for (char **name = all; *name; name++)
		json_array_append_new(
		    json_object_get(run, "kernel_sums"),
		    json_pack("{s:s, s:i, s:f}", "name", *name, "launches", 2, "time_ps", 2 * time_ps));
	return run;
}

/* Names and times of measured kernels: "a 1;b 2", in us. */
static json_t *correlated(const char *measured, json_t *run)
{
	GString *text = g_string_new("kernel,time_us\n");
	g_auto(GStrv) rows = g_strsplit(measured, ";", -1);
	struct base_diag_list diag;
	json_t *runs = json_array(), *read, *out;

	for (char **row = rows; *row; row++) {
		char *space = strrchr(*row, ' ');

		g_string_append_printf(text, "\"%.*s\",%s\n", (int)(space - *row), *row, space + 1);
	}
	base_diag_init(&diag);
	read = report_measured_read("F", text->str, text->len, &diag);
	assert_non_null(read);
	json_array_append_new(runs, run);
	out = report_correlate(read, runs);
	json_decref(read);
	json_decref(runs);
	base_diag_free(&diag);
	g_string_free(text, TRUE);
	return out;
}

/* "name=modelled/way" of each row, sorted by name as given, and how many are alone. */
static void expect_match(const char *measured, const char *modelled, const char *pairs, size_t only_measured,
			 size_t only_modelled)
{
	json_t *c = correlated(measured, kernels_run(modelled, 1e6));
	const json_t *row;
	GString *got = g_string_new(NULL);
	size_t i;

	json_array_foreach(json_object_get(c, "rows"), i, row)
		g_string_append_printf(got, "%s%s=%s/%s", i ? ";" : "", json_string_value(json_object_get(row, "name")),
				       json_string_value(json_object_get(row, "modelled_name")),
				       json_string_value(json_object_get(row, "matched_by")));
	assert_string_equal(got->str, pairs);
	assert_int_equal(json_array_size(json_object_get(c, "only_measured")), only_measured);
	assert_int_equal(json_array_size(json_object_get(c, "only_modelled")), only_modelled);
	g_string_free(got, TRUE);
	json_decref(c);
}

static void test_match(void **state)
{
	(void)state;
	expect_match("a 2;b 3", "b;a;c", "b=b/name;a=a/name", 0, 1);
	/* As Nsight Systems writes what the compiler has mangled. */
	expect_match("void reduce<float, (int)4>(const float *) 2", "void reduce<float, 4>(float const*)",
		     "void reduce<float, (int)4>(const float *)=void reduce<float, 4>(float const*)/title", 0, 0);
	expect_match("reduce 2", "void reduce<float>(float*)", "reduce=void reduce<float>(float*)/template", 0, 0);
	expect_match("scale(int) 2", "scale(long)", "scale(int)=scale(long)/base", 0, 0);
	/* Not the only ones of their name: on one side, on the other, and one of them found already. */
	expect_match("reduce 2", "void reduce<float>(float*);void reduce<int>(int*)", "", 1, 2);
	expect_match("scale(int) 2;scale(char) 3", "scale(long)", "", 2, 1);
	expect_match("f<float> 2;f<double> 3", "f<float>;f<int>", "f<float>=f<float>/name", 1, 1);
}

static void test_numbers(void **state)
{
	json_t *c = correlated("a 1;b 2;b 4;d 1", kernels_run("a;b;c", 1.5e6));
	const json_t *rows = json_object_get(c, "rows");

	(void)state;
	/* a: 1 us and 1.5; b: 3 us, twice, and 1.5. */
	assert_int_equal(json_array_size(rows), 2);
	assert_true(fabs(report_number(json_array_get(rows, 0), "error_percent", NULL)) == 50);
	assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 0), "name")), "a");
	assert_true(report_number(json_array_get(rows, 0), "measured_ps", NULL) == 1e6);
	assert_true(report_number(json_array_get(rows, 0), "modelled_ps", NULL) == 1.5e6);
	assert_true(report_number(json_array_get(rows, 1), "measured_ps", NULL) == 3e6);
	assert_true(report_number(json_array_get(rows, 1), "error_percent", NULL) == -50);
	assert_true(report_number(c, "mape", NULL) == 50);
	assert_true(report_number(c, "mean_error", NULL) == 0);
	assert_true(report_number(c, "weighted_mape", NULL) == 50);
	assert_true(json_is_null(json_object_get(c, "log_correlation"))); /* all modelled times are the same */
	json_decref(c);

	c = correlated("a 1;b 2", kernels_run("a", 2e6));
	assert_true(report_number(c, "mape", NULL) == 100);
	json_decref(c);
}

/* Three kernels of 1, 10 and 100 us, modelled as 2, 10 and 50: by hand. */
static void test_statistics(void **state)
{
	json_t *run = kernels_run("a;b;c", 1e6), *sums = json_object_get(run, "kernel_sums"), *c;
	/* log10 of the measured ones: 0, 1, 2; of the modelled ones: 0.30103, 1, 1.69897: on a line. */
	static const double modelled_us[] = {2, 10, 50};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		json_object_set_new(json_array_get(sums, i), "time_ps", json_real(2e6 * modelled_us[i]));
	c = correlated("a 1;b 10;c 100", run);
	assert_true(fabs(report_number(c, "mape", NULL) - 50) < 1e-9);
	assert_true(fabs(report_number(c, "weighted_mape", NULL) - 100 * 51.0 / 111) < 1e-9);
	assert_true(fabs(report_number(c, "mean_error", NULL) - 50.0 / 3) < 1e-9);
	assert_true(fabs(report_number(c, "log_correlation", NULL) - 1) < 1e-9);
	json_decref(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_files),  cmocka_unit_test(test_mistakes), cmocka_unit_test(test_titles),
	    cmocka_unit_test(test_match),  cmocka_unit_test(test_numbers),  cmocka_unit_test(test_statistics),
	    cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
