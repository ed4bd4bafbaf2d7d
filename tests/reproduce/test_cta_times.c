/* Times of CTAs read from results, their plot, and that BOM's tables are complete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/cta_times.h"
#include "reproduce/outcome.h"

static const struct reproduce_config configs[] = {{"base", "m0", ""}, {"new", "m1", ""}};
static const char *const workloads[] = {"a"};
static const uint32_t both[] = {0, 1};
static const struct reproduce_figure figure = {"times", REPRODUCE_PLOT_CTA_TIMES, both, 2};
static const struct reproduce_paper paper = {
	.name = "x",
	.configs = configs,
	.config_count = 2,
	.workloads = workloads,
	.workload_count = 1,
};

/* Ten CTAs on two SMs of the GPU, and one on an SM of a stack that does not count. */
static json_t *run_make(bool is_verified)
{
	return json_pack("{s:b, s:{s:i, s:i, s:i}, s:[{s:n, s:i, s:i}, {s:n, s:i, s:i}, {s:i, s:i, s:i}]}", "verified",
			 is_verified, "cta_times", "96", 2, "200", 7, "4096", 1, "sms", "stack", "ctas", 4,
			 "cta_cycles", 800, "stack", "ctas", 6, "cta_cycles", 5000, "stack", 0, "ctas", 1, "cta_cycles",
			 99999);
}

static void mean_and_quantiles(void **state)
{
	struct reproduce_data *d = reproduce_data_new(&paper);

	(void)state;
	d->runs[0] = run_make(true);
	d->runs[1] = run_make(false);
	assert_true(reproduce_cta_mean_cycles(d, 0, 0) == 580);
	assert_true(reproduce_cta_quantile_cycles(d, 0, 0, 0.05) == 96);
	assert_true(reproduce_cta_quantile_cycles(d, 0, 0, 0.2) == 96);
	assert_true(reproduce_cta_quantile_cycles(d, 0, 0, 0.5) == 200);
	assert_true(reproduce_cta_quantile_cycles(d, 0, 0, 0.95) == 4096);
	assert_true(isnan(reproduce_cta_mean_cycles(d, 1, 0)));
	assert_true(isnan(reproduce_cta_quantile_cycles(d, 1, 0, 0.5)));
	reproduce_data_free(d);
}

static char *plot_make(struct reproduce_data *d)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	reproduce_cta_times_write(f, d, &figure);
	fclose(f);
	return text;
}

/* A line for every run that is there, over an axis in powers of two. */
static void plot_has_a_line_per_run(void **state)
{
	struct reproduce_data *d = reproduce_data_new(&paper);
	char *text = plot_make(d);

	(void)state;
	assert_null(strstr(text, "<path"));
	free(text);
	d->runs[1] = run_make(true);
	text = plot_make(d);
	assert_non_null(strstr(text, "<title>new</title>"));
	assert_non_null(strstr(text, ">128<"));
	assert_null(strstr(text, "nan"));
	free(text);
	reproduce_data_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mean_and_quantiles),
	    cmocka_unit_test(plot_has_a_line_per_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
