/* part.h - what a part of a machine brings: its parameters, their rules, clocks, how it is built, its energy
 * and its results.
 *
 * A machine is a list of parts. The parameters of all of them are one value, struct machine_config, that can be copied;
 * a part finds its own, and those of its neighbours, by machine_config_at and machine_config_of. The parts of the
 * shipped machines are in machine/parts.h.
 */
#ifndef STRATA_MACHINE_PART_H
#define STRATA_MACHINE_PART_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "energy/events.h"
#include "sim/ctx.h"
#include "sim/param.h"

struct machine;
struct machine_config;

/* Every function may be NULL: there is nothing of the kind. */
struct machine_part {
	const char *name;
	size_t config_bytes; /* of the struct of its parameters; plain values, for it is copied and compared */
	/* Adds its tables, bound to its parameters in c. */
	void (*groups)(struct machine_config *c, struct sim_param_groups *out);
	/* Where a default is not its table's. */
	void (*defaults)(struct machine_config *c);
	/* Rules across parameters: a message for each that is broken. Asked only if the parts before it had none. */
	void (*check)(const struct machine_config *c, struct base_diag_list *diag);
	/* Adds its clock domains; false: they have no common unit of time with those that are there. */
	bool (*clocks)(const struct machine_config *c, struct sim_engine *e);
	/* Memory of the host that building it takes, where that is much. */
	uint64_t (*host_bytes)(const struct machine_config *c);
	/* Builds it from m's checked parameters, in m's context; parts before it are there (machine_built). What runs
	 * kernels sets m->device. */
	void *(*build)(struct machine *m);
	void (*free)(void *built);
	/* Adds the tables of its energy, if it was built. */
	void (*energy)(const struct machine_config *c, struct energy_list *out);
	/* Puts its fields of the results, and their units, into the objects. m: NULL if the machine was never built;
	 * stats are then empty. */
	void (*result)(const struct machine_config *c, const struct machine *m, const struct sim_stats *stats,
		       json_t *fields, json_t *units);
};

enum { MACHINE_PARTS_MAX = 16, MACHINE_CONFIG_BYTES = 16384 };

struct machine_config {
	const struct machine_part *const *parts; /* as they are listed and built, then NULL; kept */
	uint64_t values[MACHINE_CONFIG_BYTES / sizeof(uint64_t)];
};

/* A machine of these parts, with all defaults. */
void machine_config_defaults(struct machine_config *c, const struct machine_part *const *parts);
/* The parameters of a part that the machine has. */
void *machine_config_at(struct machine_config *c, const struct machine_part *part);
const void *machine_config_of(const struct machine_config *c, const struct machine_part *part);
/* Every table, bound to the values in c. */
void machine_config_groups(struct machine_config *c, struct sim_param_groups *out);
/* Sets one parameter, see sim_param_set. */
bool machine_config_set(struct machine_config *c, const char *key, const char *value, struct base_place at,
			struct base_diag_list *diag);
/* All parts' rules. False with messages. */
bool machine_config_check(const struct machine_config *c, struct base_diag_list *diag);

/* Adds the clocks of all parts. NULL, or the part whose clocks do not go with those before it. */
const struct machine_part *machine_clocks_add(const struct machine_config *c, struct sim_engine *e);

#endif
