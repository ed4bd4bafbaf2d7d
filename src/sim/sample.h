/* sample.h - counts over time: what a machine did in each stretch of simulated time.
 *
 * Sampling changes nothing: no component is added, and time is never moved. Who drives the engine stops at the end of a
 * stretch, has the counts read, and goes on. When there is no more room two neighbours become one, and stretches are
 * twice as long from then on; two neighbours may be of two kernels, and then the time between these is theirs, too.
 * Nothing is allocated after the first stretch has begun.
 */
#ifndef STRATA_SIM_SAMPLE_H
#define STRATA_SIM_SAMPLE_H

#include <stdint.h>

#include "sim/engine.h"
#include "sim/stat.h"

enum { SIM_SAMPLE_ROWS = 1024, SIM_SAMPLE_PARTS_MAX = 64 };

/* A count: the statistic of this name, whose instances are added up; what the machine has not is left out. */
struct sim_sample_count {
	const char *name;
	/* Reads the count where the statistic is behind or does not tell the parts, of which there are part_count. */
	uint64_t (*read)(const void *self, uint32_t part);
	uint32_t (*part_count)(const void *self); /* with read; NULL: one */
	const char *part; /* what a part is: "channel" */
	/* The part of the machine that an instance of the statistic is of, below SIM_SAMPLE_PARTS_MAX; each is
	 * sampled by itself. NULL: all are one. */
	uint32_t (*part_of)(const void *self, uint32_t instance, uint32_t instance_count);
};

/* Something that is so many at any time. */
struct sim_gauge {
	const char *name;
	uint32_t (*read)(const void *self);
};

/* What a machine samples. Names are kept, and so are the gauges. */
struct sim_sample_table {
	const struct sim_sample_count *counts;
	const struct sim_gauge *gauges;
	uint32_t count_count, gauge_count;
	const void *self; /* what functions are called with */
};

struct sim_sampler;

/* period_ps: at least 1. stats are those of the table's names, when the first stretch begins. */
struct sim_sampler *sim_sampler_new(struct sim_engine *e, const struct sim_stats *stats, uint64_t period_ps,
				    const struct sim_sample_table *table);
/* s may be NULL. */
void sim_sampler_free(struct sim_sampler *s);

/* sim_run, up to limit_units (SIM_NEVER: none), which is then the engine's limit. */
void sim_sampler_run(struct sim_sampler *s, uint64_t limit_units);

/* For who runs the engine by itself, in this order: what has happened before now_units is in no stretch; when the
 * stretch that has begun ends; it has ended there; the last one ends, at the time of the end or of the stretch before
 * it, whose it then is. */
void sim_sampler_begin(struct sim_sampler *s, uint64_t now_units);
uint64_t sim_sampler_due_units(const struct sim_sampler *s);
void sim_sampler_row(struct sim_sampler *s);
void sim_sampler_end(struct sim_sampler *s, uint64_t end_units);

/* What has been sampled; the arrays are the sampler's. */
uint32_t sim_sampler_rows(const struct sim_sampler *s, const uint64_t **start_ps, const uint64_t **end_ps);
/* Gauge i at the end of each stretch, and its name; NULL: there are not so many. */
const uint32_t *sim_sampler_gauge(const struct sim_sampler *s, uint32_t i, const char **name);
/* A part of a count: by how much it has grown in each stretch. */
struct sim_sampled {
	const char *name, *part;
	uint32_t part_count; /* 1: the count has no parts */
	const uint64_t *rows;
};
/* Part of count i of those that the machine has. False: there are not so many. */
bool sim_sampler_count(const struct sim_sampler *s, uint32_t i, uint32_t part, struct sim_sampled *out);

#endif
