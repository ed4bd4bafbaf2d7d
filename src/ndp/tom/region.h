/* region.h - a single-entry single-exit region of a function and what it reads, writes and accesses. Private. */
#ifndef STRATA_NDP_TOM_REGION_H
#define STRATA_NDP_TOM_REGION_H

#include "ndp/tom/candidates.h"

struct tom_region {
	uint32_t begin, last, end;	   /* as in struct tom_candidate */
	uint32_t first_block, last_block; /* equal: a straight run inside one block */
};

/* Facts about one function that all regions share. */
struct tom_facts {
	const struct ptx_cfg *cfg;
	struct ptx_reg_use *uses; /* [inst_count] */
	bool *is_forbidden;	  /* [inst_count]: may not be in any candidate */
	bool *is_remat;		  /* [reg_count] */
	bool *is_address;	  /* [reg_count]: a 64-bit integer that flows into an address */
	uint32_t *def_count;	  /* [reg_count]: instructions that write the register */
	uint32_t *def_inst;	  /* [reg_count]: one of them */
	uint64_t *live_before;	  /* [inst_count + 1][live_words]; the last row is empty */
};

struct tom_facts *tom_facts_new(const struct ptx_cfg *cfg);
void tom_facts_free(struct tom_facts *f);

/* 4-byte words that a global-memory access of one thread moves; 0 for everything else. */
double tom_access_words(const struct ptx_inst *i);

/* Builds the region of whole blocks [first_block, last_block], its begin moved behind the last forbidden instruction of
 * the first block. False if it is not single-entry single-exit or contains a forbidden instruction. */
bool tom_region_of_blocks(const struct tom_facts *f, uint32_t first_block, uint32_t last_block, struct tom_region *r);

/* Live-in and live-out bitsets of a region (live_words words each, overwritten). A live-out that some path does not
 * write is also a live-in, because its old value must travel. */
void tom_region_liveness(const struct tom_facts *f, const struct tom_region *r, uint64_t *live_in, uint64_t *live_out);

/* The trip count of a natural loop. */
struct tom_trip {
	enum tom_trip_kind kind; /* STATIC, RUNTIME or UNKNOWN */
	uint64_t count;		 /* STATIC */
	/* RUNTIME: at least n iterations <=> (value(reg) - value(less_reg)) * sign >= base + step * n, sign +1 or -1,
	 * step > 0; less_reg may be TOM_NO_REG, for nothing */
	uint32_t reg, less_reg;
	int sign;
	int64_t base, step;
};
struct tom_trip tom_loop_trip(const struct tom_facts *f, uint32_t loop);

#endif
