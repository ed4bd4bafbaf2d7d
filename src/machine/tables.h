/* tables.h - statistics and parameters of a run as members of its result object. */
#ifndef STRATA_MACHINE_TABLES_H
#define STRATA_MACHINE_TABLES_H

#include <jansson.h>

#include "energy/events.h"
#include "sim/param.h"
#include "sim/stat.h"

/* An object with a member per statistic or parameter, "group.name"; their units go into units under the same keys. */
json_t *machine_stats_json(const struct sim_stats *stats, json_t *units);
/* Buckets that are not empty, of each histogram that has counted something: {"NAME": {"from": [...], "count": [...]}},
 * from: the smallest value that falls into it (sim_hist_edge). */
json_t *machine_distributions_json(const struct sim_stats *stats);
json_t *machine_params_json(const struct sim_param_groups *groups, json_t *units);
/* "energy_pj" by component and "energy_total_pj", null where no row states an energy; "energy_scope", what of the
 * machine they are of, "energy_scope_pj", how much of each, and "energy_not_counted", what it has beside that. */
void machine_energy_put(json_t *o, const struct energy_report *report);
/* The first two of these alone. */
void machine_energy_put_total(json_t *o, const struct energy_report *report);
void machine_energy_put_components(json_t *o, const struct energy_report *report);

#endif
