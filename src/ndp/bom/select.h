/* select.h - which block BOM's monitor selects, and whether a selected block leaves (BOM, MSc thesis 2017, sections 5.2
 * and 5.4.1). Pure functions.
 */
#ifndef STRATA_NDP_BOM_SELECT_H
#define STRATA_NDP_BOM_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "ndp/bom/params.h"
#include "ndp/bom/record.h"

/* When a block is slow; the thesis gives no measure (ndp.bom_slow_ratio, ndp.bom_later_count). */
struct bom_slowness {
	double ratio;	      /* case 1: elapsed time over that of its batch's fastest */
	uint32_t later_count; /* case 1, or: so many blocks launched later have completed */
};

enum bom_case { BOM_CASE_NONE, BOM_CASE_SLOW_BLOCK, BOM_CASE_SLOW_CORE };
/* Case 1: much slower than the fastest block of its batch. Case 2: slower than the mean of the core's completed
 * blocks. */
enum bom_case bom_case_of(const struct bom_core *c, const struct bom_block *b, const struct bom_slowness *s,
			  uint64_t cycle);

/* A selected block and its core. */
struct bom_situation {
	uint32_t active_warps, min_warps;
	double miss_rate, mean_miss_rate; /* of the core; over all GPU cores, now */
	bool checks_miss_rate, moves_diverged;
	double mshr_share, min_mshr_share; /* in use, of the core's L1D */
	double traffic_share, min_traffic_share; /* of the time since the kernel began in which links were in use */
	enum bom_drain drain;
	bool waits; /* it may converge and pass its barrier first */
	bool has_stores, has_loads, is_issued, is_diverged, at_barrier;
	bool uses_shared;
	double memory_share, min_memory_share; /* compiler hint */
	bool has_room;			       /* at a PIM core */
};

/* In the order of the checks. */
enum bom_verdict {
	BOM_KEEP_WARPS,
	BOM_KEEP_MISS_RATE,
	BOM_KEEP_MSHRS,
	BOM_KEEP_TRAFFIC,
	BOM_KEEP_STORES,
	BOM_KEEP_DIVERGED,
	BOM_KEEP_ISSUED,
	BOM_KEEP_BARRIER,
	BOM_KEEP_SHARED,
	BOM_KEEP_HINT,
	BOM_KEEP_FULL,
	BOM_LEAVE
};
enum bom_verdict bom_judge(const struct bom_situation *s);

/* The index of the largest of count rooms, the first from `turn` on among equals; count when all are 0. */
uint32_t bom_destination(const uint32_t *rooms, uint32_t count, uint32_t turn);

#endif
