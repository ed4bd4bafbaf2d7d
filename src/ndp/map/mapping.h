/* mapping.h - programmer-transparent data mapping of TOM (ISCA'16) sections 3.2.3 and 4.3: learn from the first
 * instances of candidate blocks, out of the host's memory; then lay out what they touched by the best bits: two for
 * the paper's four stacks.
 *
 *   first kernel with candidates: learning. The GPU's SMs run everything, data crosses the host link
 *     -> enough instances are judged: the SMs stop (carry_pause), what is on its way arrives
 *     -> caches forget, pages that candidates touched get the learned mapping, the others the machine's own: regular
 *
 * With ndp.tom_relearn the analyzer goes on; when another mapping would save enough stacks, the SMs stop again, the
 * marked ranges are copied between the stacks, and the other mapping is in force.
 *
 * The copy of the data after learning is the program's own copy to the device, delayed; the program's time has it
 * where the program made it (TOM section 3.2.3: no extra data remapping overhead).
 */
#ifndef STRATA_NDP_MAP_MAPPING_H
#define STRATA_NDP_MAP_MAPPING_H

#include "ndp/carry/carry.h"
#include "ndp/map/analyzer.h"
#include "ndp/registry.h"

struct map_learned;

/* For ndp.tom_mapping = learned. NULL with a message when the machine does not have what it needs. */
struct map_learned *map_learned_new(const struct ndp_site *site, struct base_diag_list *diag);
void map_learned_free(struct map_learned *m);

/* Neither learns, nor may begin to before the next kernel. */
bool map_learned_is_settled(const struct map_learned *m);
/* Is all data still in the host's memory? */
bool map_learned_is_learning(const struct map_learned *m);
/* A kernel begins; block_count candidates, 0: it does not begin the learning. */
void map_learned_kernel_begin(struct map_learned *m, const struct simt_launch *l, uint32_t block_count);
/* What so many bytes that every stack sends to every other alike put on the links between the stacks, and how long
 * these take, all at their full rate. */
uint64_t map_wire_bytes(const struct gpu_config *c, uint64_t bytes);
uint64_t map_wires_ps(const struct gpu_config *c, uint64_t wire_bytes);
/* A line that an instance touches, and its stack by the machine's own mapping. */
void map_learned_line(struct map_learned *m, uint64_t line_addr_bytes, uint32_t stack_in_force);
/* Mappings that were learned and not taken, for none was even enough. */
uint64_t map_learned_dropped_count(const struct map_learned *m);
/* Changes of the mapping after the first, ranges marked after the phase, and what both copied between stacks. */
uint64_t map_learned_relearned_count(const struct map_learned *m);
uint64_t map_learned_later_range_count(const struct map_learned *m);
uint64_t map_learned_remapped_bytes(const struct map_learned *m);
uint64_t map_learned_remapped_wire_bytes(const struct map_learned *m);
/* A kernel has ended, or was aborted: a mapping that had been chosen and is not in force is forgotten. */
void map_learned_kernel_end(struct map_learned *m);
/* A candidate has touched these lines: their ranges will be laid out by the learned mapping. */
void map_learned_mark(struct map_learned *m, const struct simt_launch *l, const struct coalesced_line *lines,
		      uint32_t count);
/* An instance, the first_touch of which this is or not, has touched memory. Stops the GPU when the phase has lasted
 * tom_learn_limit_ps: all[count], the running instances, are then judged by what they have touched so far. */
void map_learned_instance_touched(struct map_learned *m, struct gpu *g, bool is_first_touch, struct map_instance *all,
				  uint32_t count);
/* A request leaves an SM. Stops the GPU when the phase, nothing learned, has lasted tom_learn_bound_ps of kernel time:
 * all as above. Without any instance to judge every page keeps the machine's own mapping. */
void map_learned_look(struct map_learned *m, struct gpu *g, struct map_instance *all, uint32_t count);
/* In place of a phase: instances that are foreseen when a kernel has just begun, all[count] open ones, are what is
 * judged; the SMs wait for ps. */
void map_learned_foreseen(struct map_learned *m, struct gpu *g, struct map_instance *all, uint32_t count, uint64_t ps);
/* An instance has ended, not closed yet: judges it. Stops the GPU when enough have; after learning, with tom_relearn,
 * when the last window's instances would have touched fewer stacks with another mapping; with
 * tom_learn_every_kernel, when ranges were marked since. */
void map_learned_instance_ended(struct map_learned *m, struct gpu *g, struct map_instance *in);
/* The GPU has come to rest after that: regular execution begins. True: the learning phase has just ended. */
bool map_learned_resumed(struct map_learned *m);
/* Where a request goes: to the host, or to a place of its page's mapping. */
void map_learned_place(const struct map_learned *m, struct mem_req *r);
/* The map by the learned bits of a struct map_learned, where it has the address, else NULL. */
const struct gpu_map *map_learned_map_of(const void *learned, uint64_t addr_bytes);

/* After learning: the lowest of the chosen bits; 0 before. */
uint32_t map_learned_bit(const struct map_learned *m);
/* Ranges of the memory allocation table that candidates touched. */
uint32_t map_learned_range_count(const struct map_learned *m);
uint64_t map_learned_instances(const struct map_learned *m);
/* Time that kernels ran before the mapping was chosen, as of the end of the last kernel. */
uint64_t map_learned_learning_ps(const struct map_learned *m);

/* Storage of what learns, on any machine with ndp.tom_mapping = learned. Fills items and returns their number. */
uint32_t map_learned_storage(const struct ndp_site *site, struct ndp_storage *items);

#endif
