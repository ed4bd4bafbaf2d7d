/* mapping.h - programmer-transparent data mapping of TOM (ISCA'16) sections 3.2.3 and 4.3: learn from the first
 * instances of candidate blocks, out of the host's memory; then lay out what they touched by the best bits: two for
 * the paper's four stacks.
 *
 *   first kernel with candidates: learning. The GPU's SMs run everything, data crosses the host link
 *     -> enough instances are judged: the SMs stop (gpu_pause), what is on its way arrives
 *     -> caches forget, pages that candidates touched get the learned mapping, the others the machine's own: regular
 *
 * With ndp.tom_relearn the analyzer goes on; when another mapping would save enough stacks, the SMs stop again, the
 * marked ranges are copied between the stacks, and the other mapping is in force.
 *
 * The copy of the data after learning is the program's own copy to the device, delayed; the program's time has it
 * where the program made it (TOM section 3.2.3: no extra data remapping overhead).
 */
#ifndef STRATA_NDP_TOM_MAPPING_H
#define STRATA_NDP_TOM_MAPPING_H

#include "gpu/gpu.h"
#include "ndp/tom/analyzer.h"

struct tom_mapping;

/* For ndp.tom_mapping = learned. NULL with a message when the machine does not have what it needs. */
struct tom_mapping *tom_mapping_new(const struct gpu_config *config, struct base_diag_list *diag);
void tom_mapping_free(struct tom_mapping *m);

/* Is all data still in the host's memory? */
bool tom_mapping_is_learning(const struct tom_mapping *m);
/* A kernel begins; block_count candidates, 0: it does not begin the learning. */
void tom_mapping_kernel_begin(struct tom_mapping *m, const struct gpu *g, const struct simt_launch *l,
			      uint32_t block_count);
/* Changes of the mapping after the first, and what they copied between stacks. */
uint64_t tom_mapping_relearned_count(const struct tom_mapping *m);
uint64_t tom_mapping_remapped_bytes(const struct tom_mapping *m);
uint64_t tom_mapping_remapped_wire_bytes(const struct tom_mapping *m);
/* A kernel has ended. */
void tom_mapping_kernel_end(struct tom_mapping *m, const struct gpu *g);
/* A candidate has touched these lines: their ranges will be laid out by the learned mapping. */
void tom_mapping_mark(struct tom_mapping *m, const struct simt_launch *l, const struct coalesced_line *lines,
		      uint32_t count);
/* An instance, the first_touch of which this is or not, has touched memory. Stops the GPU when the phase has lasted
 * tom_learn_limit_ps: all[count], the running instances, are then judged by what they have touched so far. */
void tom_mapping_instance_touched(struct tom_mapping *m, struct gpu *g, bool is_first_touch, struct tom_instance *all,
				  uint32_t count);
/* A request leaves an SM. Stops the GPU when the phase, nothing learned, has lasted tom_learn_bound_ps of kernel time:
 * all as above. Without any instance to judge every page keeps the machine's own mapping. */
void tom_mapping_look(struct tom_mapping *m, struct gpu *g, struct tom_instance *all, uint32_t count);
/* An instance has ended, not closed yet: judges it. Stops the GPU when enough have; after learning, with tom_relearn,
 * when the last window's instances would have touched fewer stacks with another mapping. */
void tom_mapping_instance_ended(struct tom_mapping *m, struct gpu *g, struct tom_instance *in);
/* The GPU has come to rest after that: regular execution begins. */
void tom_mapping_resumed(struct tom_mapping *m);
/* Where a request goes: to the host, or to a place of its page's mapping. */
void tom_mapping_place(const struct tom_mapping *m, struct mem_req *r);

/* After learning: the lowest of the chosen bits; 0 before. */
uint32_t tom_mapping_bit(const struct tom_mapping *m);
/* Ranges of the memory allocation table that candidates touched. */
uint32_t tom_mapping_range_count(const struct tom_mapping *m);
uint64_t tom_mapping_learned_instances(const struct tom_mapping *m);
/* Time that kernels ran before the mapping was chosen, as of the end of the last kernel. */
uint64_t tom_mapping_learning_ps(const struct tom_mapping *m);

#endif
