/* part.h - what a part of a machine brings: its parameters, their rules, clocks, how it is built, what it counts, its
 * energy and its results.
 *
 * A machine is a list of parts, and all shipped machines have the same list (machine/parts.h): a part is present when
 * its parameters say so. The parameters of all of them are one value, struct machine_config, that can be copied; a part
 * finds its own, and those of its neighbours, by machine_config_at and machine_config_of.
 */
#ifndef STRATA_MACHINE_PART_H
#define STRATA_MACHINE_PART_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "energy/events.h"
#include "sim/ctx.h"
#include "sim/explain.h"
#include "sim/param.h"

struct machine;
struct machine_config;

/* Programs that are texts of their own, "FILE.csp": a part's own program, its door, is started with them. */
struct machine_files {
	const char *suffix;  /* ".csp" */
	const char *program; /* what one is, for messages: "a program of the coprocessor" */
	const char *door;    /* the program that runs one: DOOR FILE [ARGUMENTS] (machine/door.h) */
	const char *built;   /* where a build tree has it; an installation has all doors in one folder */
	const char *machine; /* that has the part, where none is named */
	const char *size;    /* which of its arguments say how large a program is, for messages; NULL: none do */
	bool is_self_checking; /* a program checks its results by itself */
	/* The files that one is made of, to be freed with g_strfreev; NULL: it is one file. */
	char **(*sources)(const char *path);
};

/* A parameter that had another name, "group.name". */
struct machine_renamed {
	const char *was, *is;
};

/* A field of the results that is the sum of statistics: "tx" in "traffic_bytes", "hits" in "l1". */
enum { MACHINE_SUM_TERMS_MAX = 4 };
struct machine_sum {
	const char *field, *name;
	const char *statistics[MACHINE_SUM_TERMS_MAX]; /* those that the machine does not have are 0 */
};

/* What a memory keeps for those who want to know more than its time. */
struct machine_memory_watch {
	uint64_t log_from_ps, log_ps; /* its commands, for so long; 0: none */
	bool has_stamps;	      /* when its requests leave each stage (net/stamp.h) */
};

/* Every function may be NULL: there is nothing of the kind. */
struct machine_part {
	const char *name;
	size_t config_bytes; /* of the struct of its parameters; plain values, for it is copied and compared */
	/* Adds its tables, bound to its parameters in c. */
	void (*groups)(struct machine_config *c, struct sim_param_groups *out);
	/* Parameters that had other names, to a row of NULLs: who writes the old one is told the new one. */
	const struct machine_renamed *renamed;
	/* Where a default is not its table's. */
	void (*defaults)(struct machine_config *c);
	/* The part without which this one is never there; NULL: it stands alone. */
	const struct machine_part *belongs_to;
	/* A part whose parameters this one reads as well: they can be set where only this one is there. NULL: none. */
	const struct machine_part *reads;
	/* What a message says to who sets that part's number, which is no number of this one's: where its own is. */
	const char *reads_number;
	/* Is the part there, by its parameters? NULL: whenever nobody has dropped it. */
	bool (*is_present)(const struct machine_config *c);
	/* What it runs for a door: one of the words below, or its own. NULL: nothing. A machine has one such part. */
	const char *runs;
	/* If these are files of its own. NULL: they are programs for the host, which call a door's library. */
	const struct machine_files *files;
	/* Whose time it has an account of when run.account is on, for messages: "processors". NULL: nobody's. */
	const char *account;
	/* What it counts when run.profile is on, for messages: "a GPU's kernels". NULL: nothing. */
	const char *profile;
	/* Rules across parameters: a message for each that is broken. Asked also if the part is not present, for its
	 * parameters can be set all the same; not if it has been dropped. */
	void (*check)(const struct machine_config *c, struct base_diag_list *diag);
	/* Warnings of what can be built and is seldom meant. */
	void (*warn)(const struct machine_config *c, struct base_diag_list *diag);
	/* Adds its clock domains; false: they have no common unit of time with those that are there. */
	bool (*clocks)(const struct machine_config *c, struct sim_engine *e);
	/* Memory of the host that building it takes, where that is much. */
	uint64_t (*host_bytes)(const struct machine_config *c);
	/* Builds it from m's checked parameters, in m's context; parts before it are there (machine_built). What runs
	 * kernels sets m->device. */
	void *(*build)(struct machine *m);
	void (*free)(void *built);
	/* Adds the tables of what it counts; c NULL: of what it counts in any machine. machine_new CHECKs that a
	 * machine counts nothing else. */
	void (*stats)(const struct machine_config *c, struct sim_stat_tables *out);
	/* The rows that explain where the time of a run went (sim/explain.h); of a part that has a mechanism, those of
	 * the mechanism with that name. NULL: it has none. */
	const struct sim_explain *(*explain)(const char *mechanism);
	/* Fields of the results of the run, and of each kernel, to a row of NULLs. NULL: it has none. */
	const struct machine_sum *sums;
	/* Adds the tables of its energy, if it was built. */
	void (*energy)(const struct machine_config *c, struct energy_list *out);
	/* Adds the tables of its powers over time, which results have beside its energy (NDP thesis, section 4.9.3). */
	void (*powers)(const struct machine_config *c, struct energy_list *out);
	/* Says what is to be kept of the machine's first memory, which the part uses. */
	void (*watch)(const struct machine_config *c, struct machine_memory_watch *out);
	/* Puts its fields of the results, and their units, into the objects. m: NULL if the machine was never built;
	 * stats are then empty. */
	void (*result)(const struct machine_config *c, const struct machine *m, const struct sim_stats *stats,
		       json_t *fields, json_t *units);
};

/* What parts run. */
#define MACHINE_RUNS_KERNELS "kernels"
#define MACHINE_RUNS_THREADS "threads"

enum { MACHINE_PARTS_MAX = 16, MACHINE_CONFIG_BYTES = 32768 };

struct machine_config {
	const struct machine_part *const *parts; /* as they are listed and built, then NULL; kept */
	uint32_t dropped;			 /* bit i: the machine's description takes parts[i] out */
	uint64_t values[MACHINE_CONFIG_BYTES / sizeof(uint64_t)];
};

/* A machine of these parts, with all defaults. */
void machine_config_defaults(struct machine_config *c, const struct machine_part *const *parts);
/* The parameters of a part that the machine has. */
void *machine_config_at(struct machine_config *c, const struct machine_part *part);
const void *machine_config_of(const struct machine_config *c, const struct machine_part *part);
/* The tables of everything that can be set, bound to the values in c: of all parts that have not been dropped. */
void machine_config_groups(struct machine_config *c, struct sim_param_groups *out);
/* The tables of the parts that are present, bound to the values in c: what the machine is. */
void machine_config_groups_present(struct machine_config *c, struct sim_param_groups *out);
/* Takes a part out, and those that belong to it: none of their parameters can be set any more. */
void machine_config_drop(struct machine_config *c, const struct machine_part *part);
/* Why nothing of this machine reads the parameter "group.name" of one of its parts, or of one that is not there; to be
 * freed with g_free. NULL: it is read, or no part has it. */
char *machine_config_unread(const struct machine_config *c, const char *key);
/* Is "group.name" no parameter of the machine, but one of a part that has been dropped, or one's former name? Adds a
 * message that says so. */
bool machine_config_refuse(const struct machine_config *c, const char *key, struct base_place at,
			   struct base_diag_list *diag);
/* Is the part there? Of a list without the part: no. */
bool machine_config_has(const struct machine_config *c, const struct machine_part *part);
/* The part that runs programs; NULL: nothing does. */
const struct machine_part *machine_config_runner(const struct machine_config *c);
/* Does that part run kernels: a GPU, or caches that compute? */
bool machine_config_runs_kernels(const struct machine_config *c);
/* Adds the tables of the powers of all parts that are present. */
void machine_config_powers(const struct machine_config *c, struct energy_list *out);
/* Fills *out, {0} at first, with what the parts that are present want of the first memory. */
void machine_config_watch(const struct machine_config *c, struct machine_memory_watch *out);
/* Has some part of it an account of its time (run.account)? */
bool machine_config_has_account(const struct machine_config *c);
/* The tables of what a machine counts. */
void machine_config_stats(const struct machine_config *c, struct sim_stat_tables *out);
/* Sets one parameter, see sim_param_set. */
bool machine_config_set(struct machine_config *c, const char *key, const char *value, struct base_place at,
			struct base_diag_list *diag);
/* All parts' rules, and those between parts. False with messages. */
bool machine_config_check(const struct machine_config *c, struct base_diag_list *diag);
/* What somebody has set, by the places that diag knows, and nothing of the machine reads is a mistake: a message for
 * each. What a machine's file has set for something that a later file, or the command line, takes away is none. */
void machine_config_check_read(const struct machine_config *c, struct base_diag_list *diag);
/* Warnings of all parts that are present, of a machine that has been checked; the command that runs it says them
 * once. */
void machine_config_warn(const struct machine_config *c, struct base_diag_list *diag);

/* Adds the clocks of all parts. NULL, or the part whose clocks do not go with those before it. */
const struct machine_part *machine_clocks_add(const struct machine_config *c, struct sim_engine *e);

#endif
