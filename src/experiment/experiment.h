/* experiment.h - runs as data: which program runs on which machine with which settings.
 *
 *   words:                                  texts that are written as $base or ${base} in what follows
 *     base: --threads 4
 *     items: {quick: 1024, full: 65536}     one in quick runs and another one in full runs, as any value may be
 *   settings:
 *     server: {cpu.core_count: 4}           a group of settings; a list of groups and settings is one as well
 *   runs:
 *     - run: ONE                            how expressions call it
 *       name: one core                      how tables call it; without it: as expressions do
 *       machine: channel-ndp
 *       set: [server, {cpu.core_count: 1}]  a later setting takes the place of an earlier one
 *       quick_set: {cpu.l1_bytes: 4096}     what quick runs have after these; full_set: what full runs have of which
 *                                           all is timed
 *       set_from: {gpu.map_bit: "ONE[stats.mapping.best_bit]"}    numbers of other runs (expression.h), which are done
 *                                           before this one
 *       program: mergesort $base --items $items
 *     - for:                                a run for each item; of several lists each with each, the last list fastest
 *         cores: [1, 2, 4]                  the item is a word: $cores
 *         kind: [{id: A, more: ""}, {id: B, more: --fast}]    or it is several: $id and $more
 *       run: ${id}_$cores
 *       ...
 */
#ifndef STRATA_EXPERIMENT_EXPERIMENT_H
#define STRATA_EXPERIMENT_EXPERIMENT_H

#include "base/yaml_tree.h"

#include <glib.h>
#include <stdbool.h>

enum { EXPERIMENT_RUNS_MAX = 4096 };

/* The inputs of seconds, or the papers' inputs: with all of a run timed, or with parts of it. */
enum experiment_size { EXPERIMENT_FULL, EXPERIMENT_QUICK, EXPERIMENT_SAMPLED };

struct experiment_run {
	char *id, *name, *machine;
	char *program, *arguments; /* the first word, and the others separated by spaces */
	char *sets;		   /* "key=value", separated by spaces */
	GPtrArray *follows;	   /* struct experiment_follow *, settings that other runs give; NULL: there are none */
	struct base_place at;
};

/* A setting whose value is an expression over the results of other runs. */
struct experiment_follow {
	char *parameter, *text;
	struct base_place at;
	const struct experiment_expression *is; /* of the text, once experiment_follow_read has read it; not owned */
};

struct experiment {
	GPtrArray *runs; /* struct experiment_run * */
};

/* The parts of the file; NULL: it has none. */
struct experiment_nodes {
	yaml_node_t *words, *settings, *runs;
};

/* Appends the runs of an experiment of this size, after messages not all of them. Free with experiment_free. */
void experiment_read(struct base_yaml *y, const struct experiment_nodes *nodes, enum experiment_size size,
		     struct experiment *out);
void experiment_free(struct experiment *e);
/* Appends a run that no YAML describes; takes it, with its texts. */
void experiment_add(struct experiment *e, struct experiment_run *run);

/* The value itself, or of a mapping {quick: A, full: B} the one that is meant. NULL after a message. */
yaml_node_t *experiment_value(struct base_yaml *y, yaml_node_t *n, bool is_quick);

#endif
