/* data.h - the results of an evaluation as a matrix of configurations and workloads, and what is read from it. */
#ifndef STRATA_REPRODUCE_DATA_H
#define STRATA_REPRODUCE_DATA_H

#include <jansson.h>

#include "experiment/experiment.h"
#include "reproduce/paper.h"

/* What names of files and folders have of the size: "", "-quick", "-sampled". */
const char *reproduce_size_suffix(enum experiment_size size);

struct reproduce_data {
	const struct reproduce_paper *paper;
	const char *dir; /* of the published numbers, and of descriptions that measures read; NULL: not there */
	enum experiment_size size;
	/* Called before each number and claim is judged, which may mean to compute it; NULL: not. */
	void (*judging)(void *ctx, uint32_t done, uint32_t count);
	void *judging_ctx;
	json_t **runs; /* [config * workload_count + workload], result objects; NULL: not there */
	/* 0, or a run's index + 1: its estimates are read as if it took so many times its time_ps_error more. */
	uint32_t moved;
	double moved_by;
};

/* All NULL; free with reproduce_data_free, which drops the references to the runs. */
struct reproduce_data *reproduce_data_new(const struct reproduce_paper *paper);
void reproduce_data_free(struct reproduce_data *d);

/* Index of a workload; one that the paper's table does not have is our bug. */
uint32_t reproduce_workload(const struct reproduce_data *d, const char *name);

/* A number of one run (report_number); NAN when the run is missing or has no results, or was not verified. */
double reproduce_number(const struct reproduce_data *d, uint32_t config, uint32_t workload, const char *outer,
			const char *inner);

/* Half of the interval that holds the row's number in 95 of 100 cases, where runs that it is of are sampled: each run's
 * time_ps_error by itself, added as squares, as runs are estimated one by one. NAN: nothing that it is of is estimated;
 * INFINITY: a run's error is as large as its time.
 * Traffic and energy have the relative error of their run's time, for want of one of their own. */
double reproduce_row_error(const struct reproduce_data *d, const struct reproduce_row *row);
/* Calls fn with the data as if one run took its error more, and then less, for each run with an error, until fn says
 * false; whether it never did. */
bool reproduce_each_moved(const struct reproduce_data *d, bool (*fn)(void *ctx, const struct reproduce_data *moved),
			  void *ctx);

/* What is plotted and averaged. Each NAN when a run is missing. */
double reproduce_time_ps(const struct reproduce_data *d, uint32_t config, uint32_t workload);
double reproduce_traffic_bytes(const struct reproduce_data *d, uint32_t config, uint32_t workload); /* off-chip links */
double reproduce_energy_pj(const struct reproduce_data *d, uint32_t config, uint32_t workload);
/* Time of `against` over time of `config`. */
double reproduce_speedup(const struct reproduce_data *d, uint32_t config, uint32_t against, uint32_t workload);

/* Means over all workloads of one ratio each: geometric for speed-ups; arithmetic for traffic and energy, where a
 * ratio can be near zero. NAN when any is missing. */
double reproduce_speedup_mean(const struct reproduce_data *d, uint32_t config, uint32_t against);
double reproduce_traffic_mean(const struct reproduce_data *d, uint32_t config, uint32_t against);
double reproduce_energy_mean(const struct reproduce_data *d, uint32_t config, uint32_t against);

#endif
