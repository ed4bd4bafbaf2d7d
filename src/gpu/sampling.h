/* sampling.h - which launches, and which parts of them, are timed (run.mode = sampled, run.fast_forward,
 * run.only), and what is estimated of the others. Private to gpu/.
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
struct sm;
struct sampling;
struct sim_stats;
struct gpu_checkpoint;

/* NULL: all is timed. The GPU's other parts are there. */
struct sampling *sampling_new(struct gpu *g);
void sampling_free(struct sampling *s);
/* Runs the launch that the GPU has, timed or not. */
bool sampling_launch(struct sampling *s, struct device_result *result);
/* The part of the program begins, or ends, that run.only = profiler or range:NAME is about. */
void sampling_region(struct sampling *s, bool is_begin);

/* s may be NULL. False: the run has none. */
bool sampling_checkpoint(const struct sampling *s, struct gpu_checkpoint *out);

/* ---- called while a launch is timed ---- */

/* Nothing of it has run; CTAs have been placed, and gpu.now_windows or now_slices are the launch's from here to its
 * end; it has run to its end, and what it has counted is counted, but in the totals. */
void sampling_begin(struct sampling *s);
void sampling_placed(struct sampling *s);
void sampling_end(struct sampling *s, struct device_result *result);
/* A CTA that is executed for its values only, and that no SM holds, or NULL. */
struct simt_cta *sampling_running(const struct sampling *s);
/* What a clock has to go on by beside the engine's, in SM cycles. */
uint64_t sampling_clock_cycles(const struct sampling *s);

/* ---- warm.c: what is executed for its values only leaves its lines in caches ---- */

struct warming {
	struct gpu *g;
	bool is_on; /* now */
	double line_count, instruction_count; /* seen while it was on, over the GPU's life */
};
/* So many instructions are still to be skipped: from where the lines of the last ones are twice what the L2 holds. */
void warming_look(struct warming *w, double instructions_left);
/* An instruction, which may be one that touches memory, was executed by a CTA that is the SM's (NULL: none's). Called
 * while it is on, by whom instruction_count is counted. */
void warming_step(struct warming *w, struct sm *sm, const struct simt_step *step);

/* ---- estimate.c ---- */

/* Does a mechanism learn in the course of a run, so that a part of it says little of the rest? */
bool sampling_learns(const struct gpu *g);
/* Statistics that SMs and vaults add up in arrears are brought up to date before the counts are read. */
void sampling_counts(struct gpu *g, uint64_t *values);

/* A ratio of two sums, from pairs of values. */
struct sampling_ratio {
	double n, x, y, xx, xy, yy;
};
void sampling_ratio_add(struct sampling_ratio *r, double x, double y);
/* y for each x. */
double sampling_ratio_of(const struct sampling_ratio *r);
/* The deviation of one y from that, at the mean x; 0 where nothing is known. */
double sampling_ratio_deviation(const struct sampling_ratio *r);
/* Half the 95 % interval of the ratio, as a part of it. */
double sampling_ratio_error(const struct sampling_ratio *r);
/* Half the 95 % interval of n values whose deviation is 1 is this (Student), of their mean 1/sqrt(n) of it. */
double sampling_student(double n);

/* ---- windows.c: a launch of many CTAs ---- */

struct windows;
struct windows *windows_new(struct gpu *g);
void windows_free(struct windows *w);
/* Are there enough CTAs for windows, and may some be executed before others? Those of the first wave are placed. */
bool windows_begin(struct windows *w);
/* A place is free: skips CTAs, and measures, where it is time to. False: the launch has failed, or was stopped. */
bool windows_next(struct windows *w);
struct simt_cta *windows_running(const struct windows *w);
/* Adds what was skipped to the result and to the statistics, and what was added to these to added. */
void windows_end(struct windows *w, struct device_result *result, double *added);
uint64_t windows_clock_cycles(const struct windows *w);

/* ---- slices.c: any other launch that takes long ---- */

struct slices;
struct slices *slices_new(struct gpu *g);
void slices_free(struct slices *s);
void slices_begin(struct slices *s);
/* The last CTA has ended. */
void slices_last(struct slices *s);
/* See windows_end. */
void slices_end(struct slices *s, struct device_result *result, double *added);
uint64_t slices_clock_cycles(const struct slices *s);

#endif
