/* awake.h - for how long cores have had a thread that runs: from the first hook of one until all of the core's wait,
 * have ended or have gone elsewhere. A core without one is asleep. */
#ifndef STRATA_THREADS_CPU_AWAKE_H
#define STRATA_THREADS_CPU_AWAKE_H

#include <stdint.h>

#include "sim/spans.h"

struct awake;

/* Units below cpu_unit_count are of core unit % core_count, and count into *cpu_ps; each other one is a core, and
 * counts into *near_ps. spans: gets which thread ran on which unit; NULL: nobody asks. */
struct awake *awake_new(uint32_t unit_count, uint32_t cpu_unit_count, uint32_t core_count, uint64_t *cpu_ps,
			uint64_t *near_ps, struct sim_spans *spans);
void awake_free(struct awake *a);
/* The thread that was seen last on each unit, AWAKE_NOBODY: none that runs. */
#define AWAKE_NOBODY UINT32_MAX
const uint32_t *awake_threads(const struct awake *a);
/* The thread runs on the unit, and is not who awake_threads says. */
void awake_runs(struct awake *a, uint32_t unit, uint32_t thread, uint64_t now_ps);
/* It waits or has ended. */
void awake_rests(struct awake *a, uint32_t unit, uint32_t thread, uint64_t now_ps);
/* Counts what cores that are awake have been until now. */
void awake_until(struct awake *a, uint64_t now_ps);
/* The program has ended. */
void awake_end(struct awake *a, uint64_t now_ps);

#endif
