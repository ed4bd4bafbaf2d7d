/* description.h - a machine by name: its YAML file, the files that it extends, and overrides, as one checked config.
 *
 * A description starts from the defaults of the parameter tables (the machine tom-baseline) or from the machine that
 * its `extends:` names, and states what differs. `summary:` is one line for listings. All else are groups of
 * parameters as `strata list params` prints them, and:
 *
 *   dram: {standard: hbm3-5200, t_rp: 15}   the values of dram, and of a memory's energy, that memories/hbm3-5200.yaml
 *                                           gives; then the file's own, wherever they stand
 *   memories: {ddr: {standard: ddr5-4800, channel_count: 12}, far: cxl2-ddr5}
 *                                           memories by name (machine/memories.h); a parameter without its group where
 *                                           one group only has it, else with it ("link.depth_count")
 *   gpu: none                               no GPU, and nothing else that runs kernels
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
 * ".yaml"); memories is where standards are. False with messages on any mistake. Rules across parameters are not
 * checked yet: overrides may follow. */
bool machine_description_load(const char *name_or_path, const struct sim_search *search,
			      const struct sim_search *memories, struct machine_description *out,
			      struct base_diag_list *diag);

/* Applies one "group.name=value", or "dram.standard=NAME", "memories.NAME=STANDARD" and "NAME.standard=STANDARD" of a
 * memory; where names the option in messages ("--set"). */
bool machine_description_set(struct machine_config *config, const char *assignment, const char *where,
			     const struct sim_search *memories, struct base_diag_list *diag);

/* What is read and differs from the defaults of the parameter tables, as the text of a machine description: a file of
 * this text is this machine, without extending any other. Free with g_free. */
char *machine_description_text(const struct machine_config *config);

#endif
