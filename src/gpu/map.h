/* map.h - how the machine's memory is laid out: places of addresses, and the numbers of lines among those that a slice,
 * or a stack, has.
 */
#ifndef STRATA_GPU_MAP_H
#define STRATA_GPU_MAP_H

#include "gpu/config.h"
#include "mem/map.h"

struct gpu_map {
	struct mem_map places;
	struct mem_numbering of_slice; /* of a slice's lines */
	struct mem_numbering of_stack; /* of a stack's, for its SMs, which see the others', too */
};

/* By gpu.address_map. Pages at random leave the lines of a stack where chance has them: they keep their numbers. */
void gpu_map_init(const struct gpu_config *config, struct gpu_map *out);
/* The stack by address bits from `bit` on, whatever gpu.address_map is. */
void gpu_map_two_bit(const struct gpu_config *config, uint32_t bit, uint32_t line_bytes, struct gpu_map *out);

/* All in one stack, whatever gpu.address_map is (mem_map_one_stack). */
void gpu_map_one_stack(const struct gpu_config *config, uint32_t stack, uint32_t line_bytes, struct gpu_map *out);

/* Maps of some addresses that an extension has instead: NULL is the GPU's own. What map an address has changes while
 * caches and TLBs are empty. */
struct gpu_mapper {
	const struct gpu_map *(*map_of)(const void *self, uint64_t addr_bytes);
	const void *self;
};

#endif
