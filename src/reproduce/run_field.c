/* run_field.c - times of thread blocks, and launches' sizes. */
#include "reproduce/run_field.h"

#include "reproduce/cta_times.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static bool block_time(const struct reproduce_data *d, uint32_t config, uint32_t w, const char *of, double *x)
{
	if (strcmp(of, "mean") != 0 && *of != 'p')
		return false;
	*x = *of == 'p' ? reproduce_cta_quantile_cycles(d, config, w, g_ascii_strtod(of + 1, NULL) / 100)
			: reproduce_cta_mean_cycles(d, config, w);
	return true;
}

/* Of a launch's "grid" or "block", which has three sides. */
static double product(const json_t *launch, const char *name)
{
	const json_t *sides = json_object_get(launch, name);
	double all = 1;

	for (size_t i = 0; i < json_array_size(sides); i++)
		all *= json_number_value(json_array_get(sides, i));
	return all;
}

static double least_threads(const json_t *launches)
{
	double least = NAN;

	for (size_t i = 0; i < json_array_size(launches); i++) {
		const json_t *launch = json_array_get(launches, i);

		least = fmin(product(launch, "grid") * product(launch, "block"), least);
	}
	return least;
}

static bool of_launches(const struct reproduce_data *d, uint32_t config, uint32_t w, const char *of, double *x)
{
	const json_t *run = d->runs[config * d->paper->workload_count + w];
	const json_t *launches = json_object_get(run, "kernels"), *launch;
	char *end;
	const guint64 number = g_ascii_strtoull(of, &end, 10);

	if (!json_is_array(launches))
		return false;
	if (end > of && !strcmp(end, ".ctas")) {
		launch = json_array_get(launches, number);
		*x = launch && json_is_true(json_object_get(run, "verified")) ? product(launch, "grid") : NAN;
		return true;
	}
	*x = json_is_true(json_object_get(run, "verified")) ? least_threads(launches) : NAN;
	return !strcmp(of, "least_threads");
}

bool reproduce_run_field(const struct reproduce_data *d, uint32_t config, uint32_t workload, const char *path,
			 double *x)
{
	static const struct {
		const char *prefix;
		bool (*of)(const struct reproduce_data *d, uint32_t config, uint32_t w, const char *of, double *x);
	} lists[] = {{"cta_times.", block_time}, {"kernels.", of_launches}};

	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
		if (g_str_has_prefix(path, lists[i].prefix))
			return lists[i].of(d, config, workload, path + strlen(lists[i].prefix), x);
	return false;
}
