/* description.h - parameters from a YAML file found by name: the file, what it extends, and overrides.
 *
 * A description starts from the defaults of the parameter tables or from the description that its `extends:` names, and
 * states what differs. `summary:` is one line for listings. All else are groups of parameters. Machines
 * (machine/description.h) and memories (memory/standard.h) are such files.
 */
#ifndef STRATA_SIM_DESCRIPTION_H
#define STRATA_SIM_DESCRIPTION_H

#include "base/diag.h"
#include "base/items.h"
#include "sim/param.h"

/* Where names are looked up, first match wins. */
struct sim_search {
	const char *const *dirs;
	uint32_t dir_count;
};

enum { SIM_EXTENDS_MAX = 16 };

/* What descriptions of a kind look like. */
struct sim_description_form {
	struct base_item_words words;
	const char *things; /* the plural of words.thing */
	const char *hint;   /* where the user sees the groups: "`strata list params` prints the groups" */
	struct sim_param_groups groups;
	/* Is asked for each item, in the file's order, before it is looked up: true when it has been dealt with, with
	 * or without a message. All items of a file are asked about twice: what is_first deals with comes before all
	 * else of the file, and may change the groups. NULL: nothing but parameters, `extends` and `summary`. */
	bool (*take)(void *ctx, const struct base_item *item, bool is_first, struct base_diag_list *diag);
	void *ctx;
};

struct sim_description {
	char name[128];	   /* the file's name without ".yaml" */
	char summary[256]; /* "" if the file has none */
	char path[4096];   /* the file, as an absolute path */
};

/* Sets the form's groups, whose defaults are there, by the description of this name ("ddr4-2400": DIR/ddr4-2400.yaml in
 * the search path) or path (it has a '/' or ends in ".yaml"). False with messages on any mistake. */
bool sim_description_load(const char *name_or_path, const struct sim_search *search,
			  const struct sim_description_form *form, struct sim_description *out,
			  struct base_diag_list *diag);

/* Applies one "group.name=value"; where names the option in messages ("--set"). */
bool sim_description_set(const struct sim_param_groups *groups, const char *assignment, const char *where,
			 struct base_diag_list *diag);

/* All names in the search path, sorted, each once; free with g_strfreev. */
char **sim_description_names(const struct sim_search *search);

#endif
