/* description.h - a machine by name: its YAML file, the files that it extends, and overrides, as one checked config.
 *
 * A description starts from the defaults of the parameter tables (the machine tom-baseline) or from the machine that
 * its `extends:` names, and states what differs. `summary:` is one line for listings. All else are groups of
 * parameters as `strata list params` prints them.
 */
#ifndef STRATA_MACHINE_DESCRIPTION_H
#define STRATA_MACHINE_DESCRIPTION_H

#include "base/diag.h"
#include "machine/part.h"
#include "sim/description.h"

struct machine_description {
	struct sim_description about;
	struct machine_config config;
};

/* Loads a machine by name ("tom-ideal": DIR/tom-ideal.yaml in the search path) or by path (it has a '/' or ends in
 * ".yaml"). False with messages on any mistake. Rules across parameters are not checked yet: overrides may follow. */
bool machine_description_load(const char *name_or_path, const struct sim_search *search,
			      struct machine_description *out, struct base_diag_list *diag);

/* Applies one "group.name=value"; where names the option in messages ("--set"). */
bool machine_description_set(struct machine_config *config, const char *assignment, const char *where,
			     struct base_diag_list *diag);

/* What differs from the defaults of the parameter tables, as the text of a machine description: a file of this text
 * is this machine, without extending any other. Free with g_free. */
char *machine_description_text(const struct machine_config *config);

#endif
