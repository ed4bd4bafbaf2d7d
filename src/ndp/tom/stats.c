/* stats.c - rows of TOM's statistics. */
#include "ndp/tom/tom_stats.h"

#include "base/check.h"

static const struct sim_stat_desc rows[] = {
#define STAT_STRUCT struct tom_stats
#include "sim/stat_rows.inc"
#include "ndp/tom/tom_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table tom_stat_table = {"tom", rows, ARRAY_COUNT(rows)};

void tom_stats_add(struct tom_stats *s, struct sim_stats *stats, bool full_stays)
{
	sim_stats_add_table(stats, &tom_stat_table, s, sizeof(*s));
	sim_stats_law(stats, "tom.offloaded_count = gpu.offloads");
	if (full_stays)
		sim_stats_law(stats, "tom.instance_count = tom.offloaded_count + tom.condition_false_count + "
				     "tom.learning_count + tom.full_count + tom.tx_busy_count + tom.rx_busy_count + "
				     "tom.alu_full_count + tom.no_access_count + tom.parted_count + "
				     "tom.cached_count + tom.slow_count + tom.no_room_count");
	else
		sim_stats_law(stats, "tom.instance_count = tom.offloaded_count + tom.condition_false_count + "
				     "tom.parted_count");
}
