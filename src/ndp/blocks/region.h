/* region.h - a single-entry single-exit region of a function and what it reads, writes and accesses. Private. */
#ifndef STRATA_NDP_BLOCKS_REGION_H
#define STRATA_NDP_BLOCKS_REGION_H

#include "ndp/blocks/candidates.h"

struct ndp_region {
	uint32_t begin, last, end;	   /* as in struct ndp_candidate */
	uint32_t first_block, last_block; /* equal: a straight run inside one block */
};

/* Facts about one function that all regions share. */
struct ndp_facts {
	const struct ptx_cfg *cfg;
	struct ptx_reg_use *uses; /* [inst_count] */
	bool *is_forbidden;	  /* [inst_count]: may not be in any candidate */
	bool *is_remat;		  /* [reg_count] */
	bool *is_address;	  /* [reg_count]: a 64-bit integer that flows into an address */
	uint32_t *def_count;	  /* [reg_count]: instructions that write the register */
	uint32_t *def_inst;	  /* [reg_count]: one of them */
	uint64_t *live_before;	  /* [inst_count + 1][live_words]; the last row is empty */
};

struct ndp_facts *ndp_facts_new(const struct ptx_cfg *cfg, bool allows_shuffles);
void ndp_facts_free(struct ndp_facts *f);

/* 4-byte words that a global-memory access of one thread moves; 0 for everything else. */
double ndp_access_words(const struct ptx_inst *i);

/* Builds the region of whole blocks [first_block, last_block], its begin moved behind the last forbidden instruction of
 * the first block. False if it is not single-entry single-exit or contains a forbidden instruction. */
bool ndp_region_of_blocks(const struct ndp_facts *f, uint32_t first_block, uint32_t last_block, struct ndp_region *r);

/* Live-in and live-out bitsets of a region (live_words words each, overwritten). A live-out that some path does not
 * write is also a live-in, because its old value must travel. */
void ndp_region_liveness(const struct ndp_facts *f, const struct ndp_region *r, uint64_t *live_in, uint64_t *live_out);

/* The trip count of a natural loop. */
struct ndp_trip {
	enum ndp_trip_kind kind; /* STATIC, RUNTIME or UNKNOWN */
	uint64_t count;		 /* STATIC */
	/* RUNTIME: at least n iterations <=> (value(reg) - value(less_reg)) * sign >= base + step * n, sign +1 or -1,
	 * step > 0; less_reg may be NDP_NO_REG, for nothing */
	uint32_t reg, less_reg;
	int sign;
	int64_t base, step;
};
struct ndp_trip ndp_loop_trip(const struct ndp_facts *f, uint32_t loop);

#endif
