/* sample.h - counts over time: what the GPU did in each stretch of simulated time, while its kernels ran.
 *
 * Sampling changes nothing: no component is added, and time is never moved. The engine runs up to the end of a stretch,
 * the counts are read, and it goes on. When there is no more room two neighbours become one, and stretches are twice
 * as long from then on; two neighbours may be of two kernels, and then the time between these is theirs, too.
 */
#ifndef STRATA_GPU_SAMPLE_H
#define STRATA_GPU_SAMPLE_H

#include <stdint.h>

#include "sim/engine.h"
#include "sim/stat.h"

enum { GPU_SAMPLE_COUNTERS_MAX = 24, GPU_SAMPLE_GAUGES_MAX = 4 };

/* Something that is so many at any time. */
struct gpu_gauge {
	const char *name; /* kept */
	uint32_t (*read)(const void *self);
};

/* What has been sampled; the arrays are the sampler's. */
struct gpu_samples {
	uint32_t count, counter_count, gauge_count;
	const uint64_t *start_ps, *end_ps;                 /* [count] */
	const char *gauge_names[GPU_SAMPLE_GAUGES_MAX];
	const uint32_t *gauges[GPU_SAMPLE_GAUGES_MAX];     /* [count] at the end of each stretch */
	const char *names[GPU_SAMPLE_COUNTERS_MAX];        /* of statistics */
	const uint64_t *counters[GPU_SAMPLE_COUNTERS_MAX]; /* [count] by how much each has grown */
};

struct gpu_sampler;

/* gauges are kept, and read with self. row_max: at least 2, even. */
struct gpu_sampler *gpu_sampler_new(struct sim_engine *e, uint64_t period_ps, uint32_t row_max,
				    const struct gpu_gauge *gauges, uint32_t gauge_count, const void *self);
void gpu_sampler_free(struct gpu_sampler *s);
/* sim_run, up to limit_units (SIM_NEVER: none), which is then the engine's limit. stats has all its statistics. */
void gpu_sampler_run(struct gpu_sampler *s, const struct sim_stats *stats, uint64_t limit_units);
void gpu_sampler_read(const struct gpu_sampler *s, struct gpu_samples *out);

#endif
