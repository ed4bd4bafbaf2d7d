/* sampling.h - which launches, and which parts of them, are timed (run.mode = sampled, run.fast_forward), and what is
 * estimated of the others. Private to gpu/.
 *
 * Every CTA is executed once, in detail or for its values only. docs/sampling.md says how, and how well that does.
 */
#ifndef STRATA_GPU_SAMPLING_H
#define STRATA_GPU_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "device/run.h"

struct gpu;
struct sampling;
struct sim_stats;

/* NULL: all is timed. The GPU's parts need not be there yet. */
struct sampling *sampling_new(struct gpu *g);
void sampling_free(struct sampling *s);
/* Runs the launch that the GPU has, timed or not. */
bool sampling_launch(struct sampling *s, struct device_result *result);

/* ---- called while a launch is timed ---- */

/* Nothing of it has run; CTAs have been placed; a place is free; it has run to its end, and what it has counted is
 * counted, but in the totals. */
void sampling_begin(struct sampling *s);
void sampling_placed(struct sampling *s);
/* False: the launch has failed, or was stopped. */
bool sampling_next(struct sampling *s);
void sampling_end(struct sampling *s, struct device_result *result);
/* A CTA that is executed for its values only, and that no SM holds, or NULL. */
struct simt_cta *sampling_running(const struct sampling *s);
/* What a clock has to go on by beside the engine's, in SM cycles. */
uint64_t sampling_clock_cycles(const struct sampling *s);

/* ---- windows.c: a launch of many CTAs ---- */

/* A ratio of two sums, from pairs of values. */
struct sampling_ratio {
	double n, x, y, xx, xy, yy;
};
void sampling_ratio_add(struct sampling_ratio *r, double x, double y);
/* y for each x. */
double sampling_ratio_of(const struct sampling_ratio *r);
/* The deviation of one y from that, at the mean x; 0 where nothing is known. */
double sampling_ratio_deviation(const struct sampling_ratio *r);
/* Half the 95 % interval of n values whose deviation is 1 is this (Student), of their mean 1/sqrt(n) of it. */
double sampling_student(double n);

struct windows;
struct windows *windows_new(struct gpu *g);
void windows_free(struct windows *w);
/* Are there enough CTAs for windows? Those of the first wave are placed. */
void windows_begin(struct windows *w);
/* A place is free: skips CTAs, and measures, where it is time to. */
bool windows_next(struct windows *w);
struct simt_cta *windows_running(const struct windows *w);
/* Adds what was skipped to the result and to the statistics, and what was added to these to added. */
void windows_end(struct windows *w, struct device_result *result, double *added);
uint64_t windows_clock_cycles(const struct windows *w);

#endif
