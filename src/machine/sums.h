/* sums.h - fields of the results that are sums of statistics, and the energy: of a run, and of each of its kernels.
 *
 * A part declares such fields as rows (struct machine_sum of machine/part.h). What a kernel's are of is how much the
 * statistics have grown while it ran, so that those of all kernels add up to the run's.
 */
#ifndef STRATA_MACHINE_SUMS_H
#define STRATA_MACHINE_SUMS_H

#include <jansson.h>

#include "machine/machine.h"

/* The rows of the parts that the machine has, over the whole run so far. */
void machine_sums_put_run(const struct machine_config *c, const struct sim_stats *stats, json_t *fields);

/* The tables of energy of the parts that were built. */
void machine_energy_list(const struct machine *m, struct energy_list *out);

struct machine_sums;

/* The sums of a machine that has counted nothing yet, and outlives them. */
struct machine_sums *machine_sums_new(const struct machine *m);
void machine_sums_free(struct machine_sums *s);
/* A kernel begins; it has ended. */
void machine_sums_begin(struct machine_sums *s);
/* By how much each count has grown since, until the next begin; machine_sums_length of them. */
const uint64_t *machine_sums_end(struct machine_sums *s);
uint32_t machine_sums_length(const struct machine_sums *s);
/* Puts the fields, and energy_total_pj, that follow from such counts and time_ps of kernels; with components, also
 * energy_pj. counts NULL: of a kernel that was not timed, all of it null. */
void machine_sums_put(const struct machine_sums *s, const uint64_t *counts, uint64_t time_ps, bool with_components,
		      json_t *fields);

#endif
