/* observer.h - watches which stacks the instances of blocks touch (TOM, ISCA'16, sections 3.2 and 4.3): the statistics
 * of co-location and, with ndp.tom_mapping = learned, the mapping itself. A mechanism that lets the GPU tell it of its
 * blocks' accesses (gpu_offload.is_observed) hands them on.
 */
#ifndef STRATA_NDP_TOM_OBSERVER_H
#define STRATA_NDP_TOM_OBSERVER_H

#include "gpu/gpu.h"

struct tom_observer;

/* For machines of 2, 4, 8 or 16 stacks; with others co-location is not counted. NULL with a message when a learned
 * mapping cannot be had. config is kept. */
struct tom_observer *tom_observer_new(const struct gpu_config *config, struct base_diag_list *diag);
void tom_observer_free(struct tom_observer *o);
/* Registers its statistics under "mapping". */
void tom_observer_add_stats(struct tom_observer *o, struct sim_stats *stats);

/* A kernel with block_count blocks begins, and ends: the statistics are as of its end. */
void tom_observer_kernel_begin(struct tom_observer *o, const struct gpu *g, const struct simt_launch *l,
			       uint32_t block_count);
void tom_observer_kernel_end(struct tom_observer *o, const struct gpu *g);

/* Is all data still in the host's memory, so that nothing can be offloaded? */
bool tom_observer_is_learning(const struct tom_observer *o);

/* gpu_guest_ops: the warp enters a block; block_touch, block_left, resumed and access. */
void tom_observer_enter(struct tom_observer *o, uint32_t home_sm, uint32_t slot);
void tom_observer_touch(struct tom_observer *o, struct gpu *g, uint32_t home_sm, uint32_t slot,
			const struct coalesced_line *lines, uint32_t count);
void tom_observer_left(struct tom_observer *o, struct gpu *g, uint32_t home_sm, uint32_t slot);
void tom_observer_resumed(struct tom_observer *o);
void tom_observer_access(struct tom_observer *o, struct gpu *g, struct mem_req *r);

#endif
