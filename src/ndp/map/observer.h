/* observer.h - watches which stacks the instances of blocks touch (TOM, ISCA'16, sections 3.2 and 4.3): the statistics
 * of co-location and, with ndp.tom_mapping = learned, the mapping itself. A mechanism that lets the GPU tell it of its
 * blocks' accesses (carry_verdict.is_observed) hands them on.
 */
#ifndef STRATA_NDP_MAP_OBSERVER_H
#define STRATA_NDP_MAP_OBSERVER_H

#include "ndp/carry/carry.h"
#include "ndp/registry.h"

struct map_observer;

/* For machines of 2, 4, 8 or 16 stacks; with others co-location is not counted. NULL with a message when a learned
 * mapping cannot be had. what the site points to is kept. */
struct map_observer *map_observer_new(const struct ndp_site *site, struct base_diag_list *diag);
void map_observer_free(struct map_observer *o);
/* Registers its statistics under "mapping". */
extern const struct sim_stat_table map_stat_table;
void map_observer_add_stats(struct map_observer *o, struct sim_stats *stats);

/* A kernel with block_count blocks begins, and ends: the statistics are as of its end. */
void map_observer_kernel_begin(struct map_observer *o, struct gpu *g, struct simt_launch *l, uint32_t block_count);
void map_observer_kernel_end(struct map_observer *o);

/* No access changes, or will change in this kernel, where data lie. */
bool map_observer_is_settled(const struct map_observer *o);
/* Is all data still in the host's memory, so that nothing can be offloaded? */
bool map_observer_is_learning(const struct map_observer *o);

/* carry_policy: the warp enters a block; block_touch, block_left, resumed, access and maps. */
void map_observer_enter(struct map_observer *o, uint32_t home_sm, uint32_t slot);
void map_observer_touch(struct map_observer *o, struct gpu *g, uint32_t home_sm, uint32_t slot,
			const struct coalesced_line *lines, uint32_t count);
void map_observer_left(struct map_observer *o, struct gpu *g, uint32_t home_sm, uint32_t slot);
void map_observer_resumed(struct map_observer *o);
void map_observer_access(struct map_observer *o, struct gpu *g, struct mem_req *r);
void map_observer_maps(struct map_observer *o, struct gpu_mapper *out);

#endif
