/* memories.h - the memories that a machine has by name, beside the stacks of its GPU: DDR5 behind the host's
 * processors, a CXL expander.
 *
 * Each has the groups NAME.memory, NAME.dram, NAME.link and NAME.energy; its statistics are NAME.memory, NAME.vault and
 * the link's NAME.link_up and NAME.link_down; its energy has NAME. before each component. host.memory, which is there
 * where memories are, names the one that the GPU's accesses to the host's memory go to.
 */
#ifndef STRATA_MACHINE_MEMORIES_H
#define STRATA_MACHINE_MEMORIES_H

#include "machine/machine.h"
#include "memory/standard.h"

enum { MACHINE_MEMORIES_MAX = 4, MACHINE_MEMORY_NAME_BYTES = 32 };

struct machine_memory {
	char name[MACHINE_MEMORY_NAME_BYTES];
	struct memory_params memory;
	struct dram_params dram;
	struct expander_params link;
	struct energy_params energy; /* the rows that memories use */
};

struct machine_memories {
	uint64_t count;
	struct machine_memory items[MACHINE_MEMORIES_MAX];
	uint64_t host; /* of host.memory: the number of the memory + 1; 0: none */
	struct sim_param_desc host_row;
};

extern const struct machine_part machine_memories_part;

/* The memories of a machine that has the part. */
const struct machine_memories *machine_memories_of(const struct machine_config *c);
/* The memory of this name; NULL after a message that names the nearest. */
const struct machine_memory *machine_memory_find(const struct machine_config *c, const char *name,
						 struct base_place at, struct base_diag_list *diag);
/* The memory of this name, or a new one with all defaults; NULL after a message: there are too many, or it is no name
 * for one. Groups of the config that were made before do not have it. */
struct machine_memory *machine_memory_need(struct machine_config *c, const char *name, struct base_place at,
					   struct base_diag_list *diag);
/* Adds a memory named MEMORY, with all defaults: in lists it stands for any. No description may name one so. */
void machine_memory_any(struct machine_config *c);
/* Sets all values of a memory by a standard. */
void machine_memory_be(struct machine_memory *to, const struct memory_standard *standard);

/* ---- in a machine that is built ---- */

/* Who uses a memory: its callbacks, see struct mem_memory_config. */
struct machine_memory_user {
	void (*done)(void *self, struct mem_req *r);
	void (*room)(void *self);
	void *self;
};

struct mem_memory *machine_memory_built(const struct machine *m, uint32_t index);
/* The commands of the first memory that cpu.dram_log_ps or duality.dram_log_ps has had kept; NULL: it is off. */
const struct mem_command_log *machine_memory_log(const struct machine *m);
/* A memory has one user; until then nobody may offer requests. */
void machine_memory_connect(const struct machine *m, uint32_t index, const struct machine_memory_user *user);

#endif
