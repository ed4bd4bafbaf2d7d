/* over_time.h - what was sampled, what lasted from when to when, and the DRAM commands of a window, as columns of
 * numbers for the results. */
#ifndef STRATA_MACHINE_OVER_TIME_H
#define STRATA_MACHINE_OVER_TIME_H

#include <jansson.h>

#include "base/diag.h"
#include "mem/command_log.h"
#include "sim/sample.h"
#include "sim/spans.h"

/* GROUP.sample_ps and so on: of a part that the machine lacks, one that is set would keep nothing. */
struct machine_over_time {
	uint64_t sample_ps, span_count, dram_log_ps;
};
void machine_over_time_refuse(const char *group, const char *lacks, const struct machine_over_time *set,
			      struct base_diag_list *diag);
/* The field "samples"; null for NULL: nothing was sampled. */
json_t *machine_samples_json(const struct sim_sampler *s);
/* One of the lists of the field "spans". */
json_t *machine_spans_json(const struct sim_span *items, uint32_t count);
/* The field "dram_commands"; null for NULL: none were kept. */
json_t *machine_commands_json(const struct mem_command_log *log);

#endif
