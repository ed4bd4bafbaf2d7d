/* plan.h - what a sweep's file asks for: machines, programs, axes of parameters, and how points are chosen; or runs,
 * one by one.
 *
 *   sweep: grid                      or list, random, latin
 *   points: 32                       random, latin: how many
 *   seed: 1                          random, latin
 *   machines: [tom-baseline, tom-ctrl-tmap]
 *   programs: [vectoradd, [./prog, 1000]]   workloads by name, or a program's words
 *   size: small                      of the workloads
 *   designs: [csp-alpha]             in place of machines and programs: machines with a coprocessor, whose power and
 *                                    area are closed forms
 *   axes:
 *     dram.t_rcd_cycles: [8, 11, 14]
 *     link.bandwidth: {from: 10, to: 160, steps: 5, scale: log}
 *   list: [{a.b: 1, c.d: 2}, {a.b: 3}]      sweep: list
 *   runs: [{run: A, machine: m, program: "vectoradd --elements 10", set: {a.b: 1}}]    in place of all above, as
 *                                    experiment/experiment.h has them, with words: and settings:
 *   pareto: [time_ps, energy_total_pj]      fields of the results; less is better, more with a - before
 */
#ifndef STRATA_SWEEP_PLAN_H
#define STRATA_SWEEP_PLAN_H

#include "base/diag.h"
#include "experiment/experiment.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum sweep_kind { SWEEP_GRID, SWEEP_LIST, SWEEP_RANDOM, SWEEP_LATIN };
enum { SWEEP_POINTS_MAX = 1000000, SWEEP_STEPS_MAX = 100000 };

/* The values that a parameter takes: written out, or a range of numbers. */
struct sweep_axis {
	char *key;
	struct base_place at;
	GPtrArray *values;   /* of char *; empty: a range */
	double from, to;     /* of a range, from below to; above 0 where is_log */
	uint32_t step_count; /* of a range in a grid, at least 2 */
	bool is_log, is_whole;
};

/* One that the file lists: indices into the plan's points, programs and machines. */
struct sweep_run {
	char *name;
	uint32_t point, program, machine;
};

struct sweep_plan {
	enum sweep_kind kind;
	uint32_t asked_count, seed; /* random, latin */
	GPtrArray *machines;        /* of char * */
	GPtrArray *programs;        /* of char **: a workload's name or a program, and its arguments */
	GPtrArray *is_workload;     /* of gboolean, by program */
	char *size;                 /* NULL: not given */
	GPtrArray *designs;         /* of char *; empty: machines and programs */
	GPtrArray *axes;            /* of struct sweep_axis * */
	GPtrArray *points;          /* of char **: "key=value" */
	GPtrArray *runs;            /* of struct sweep_run *; empty: each point with each program and machine */
	GPtrArray *objectives;      /* of char *, as written */
};

/* Reads the file (path is kept in the messages) and makes its points. False with messages. Free in both cases. */
bool sweep_plan_read(const char *path, struct sweep_plan *out, struct base_diag_list *diag);
void sweep_plan_free(struct sweep_plan *plan);

/* A plan without runs, to be freed as well; and one more run in it, as a file lists them. */
void sweep_plan_init(struct sweep_plan *plan);
void sweep_plan_add(struct sweep_plan *plan, const struct experiment_run *run);

/* Fills plan->points from axes, kind, asked_count and seed. The same plan gives the same points everywhere. False
 * after a message when there are too many. */
bool sweep_points_make(struct sweep_plan *plan, const char *path, struct base_diag_list *diag);

/* is_best[i] = no other point is as good in every objective and better in one. values: [point * objective_count +
 * objective], less is better; a NAN takes its point out of both sides. */
void sweep_pareto(const double *values, uint32_t point_count, uint32_t objective_count, bool *is_best);

#endif
