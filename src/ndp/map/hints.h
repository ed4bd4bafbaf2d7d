/* hints.h - where data lies by what the program has declared (ndp.hints = homes): a part of a policy.
 *
 *   cuMemAdvise, cuMemPrefetchAsync of a part of an allocation -> its range, and those of the same call for the same
 *   location, are a group (simt/memory_declared.h) -> when the next kernel begins, the group's home is the stack that
 *   has its first page as a home already, or else the fewest declared bytes -> all of each of its pages lies there
 *
 * An array that is declared as a whole has no home: a GPU would rather have all stacks serve it, as gpu.address_map
 * says. Hardware would keep the stack of a page in its entry of the page table. Pages of allocations that a kernel may
 * have used before move at the begin of the next one: the SMs wait, caches are emptied, and the pages cross the links
 * between the stacks, at their full rate. Before that the program's own copies put the data where its home is.
 */
#ifndef STRATA_NDP_MAP_HINTS_H
#define STRATA_NDP_MAP_HINTS_H

#include "gpu/map.h"
#include "ndp/carry/carry.h"
#include "ndp/registry.h"

struct map_hints;

/* NULL: ndp.hints is ignore, or, with a message, the machine cannot have homes. What the site points to is kept. */
struct map_hints *map_hints_new(const struct ndp_site *site, struct base_diag_list *diag);
void map_hints_free(struct map_hints *h);
void map_hints_add_stats(struct map_hints *h, struct sim_stats *stats);
extern const struct sim_stat_table map_hints_stat_table;

/* A launch begins: what was declared since the last one takes effect, now or at map_hints_resumed. */
void map_hints_kernel_begin(struct map_hints *h, struct gpu *g, const struct simt_launch *l);
/* True: data is on its way to its homes, until map_hints_resumed. */
bool map_hints_is_moving(const struct map_hints *h);
void map_hints_resumed(struct map_hints *h);

/* A policy's access and maps. */
void map_hints_place(const struct map_hints *h, struct mem_req *r);
void map_hints_maps(struct map_hints *h, struct gpu_mapper *out);

#endif
