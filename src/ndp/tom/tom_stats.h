/* tom_stats.h - what TOM's mechanisms count. */
#ifndef STRATA_NDP_TOM_STATS_H
#define STRATA_NDP_TOM_STATS_H

#include "sim/stat.h"

struct tom_stats {
#include "sim/stat_fields.inc"
#include "ndp/tom/tom_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_table tom_stat_table;

/* Registers them under "tom". full_stays: an instance that finds no place stays; else it waits for one. */
void tom_stats_add(struct tom_stats *s, struct sim_stats *stats, bool full_stays);

#endif
