/* stats.c - rows of TOM's statistics. */
#include "ndp/tom/tom_stats.h"

#include "base/check.h"

static const struct sim_stat_desc rows[] = {
#define STAT_STRUCT struct tom_stats
#include "sim/stat_rows.inc"
#include "ndp/tom/tom_stats.def"
#include "sim/stat_end.inc"
};

void tom_stats_add(struct tom_stats *s, struct sim_stats *stats)
{
	sim_stats_add(stats, "tom", rows, ARRAY_COUNT(rows), s, sizeof(*s));
}
