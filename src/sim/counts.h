/* counts.h - some counts of a run, read together and often: what has grown between two moments.
 *
 * Their names are looked up once (stat.c); reading adds up the instances, with what was estimated for them.
 */
#ifndef STRATA_SIM_COUNTS_H
#define STRATA_SIM_COUNTS_H

#include "sim/stat.h"

struct sim_counts;

/* An empty list of counts of s, which must outlive it. */
struct sim_counts *sim_counts_new(const struct sim_stats *s);
void sim_counts_free(struct sim_counts *c);
/* The place of "prefix.name" in the list, to which it is added unless it is there. Of a prefix without instances it is
 * 0 for ever; a prefix that has some and not this count is a failed CHECK. */
uint32_t sim_counts_add(struct sim_counts *c, const char *key);
uint32_t sim_counts_length(const struct sim_counts *c);
/* Writes all of them, in the order of their places. */
void sim_counts_read(const struct sim_counts *c, uint64_t *values);

#endif
