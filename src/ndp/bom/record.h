/* record.h - what BOM's monitor keeps per GPU core (BOM, MSc thesis 2017, section 5.4.1): the resident blocks' launch
 * times, and how long completed blocks took. Pure: times are given. All times are SM cycles.
 */
#ifndef STRATA_NDP_BOM_RECORD_H
#define STRATA_NDP_BOM_RECORD_H

#include <stdbool.h>
#include <stdint.h>

enum { BOM_BLOCKS_MAX = 32 };

struct bom_block {
	uint64_t cta;
	uint64_t launch_cycle;	  /* blocks of a core with the same one are a launch batch */
	uint64_t reference_cycles; /* how long the first of the batch to finish took; 0: none has */
	uint32_t later_count;	  /* blocks launched after this one that have completed on the core */
	uint64_t look_cycle;	  /* not looked at before */
	bool is_waiting;	  /* selected: it leaves when it may */
};

struct bom_core {
	struct bom_block blocks[BOM_BLOCKS_MAX];
	uint32_t count;
	uint32_t turn;		    /* block that is looked at first */
	uint64_t done_count, done_cycles; /* completed blocks, and their times added up */
	uint64_t offload_cycle;	    /* no block leaves before */
};

/* No block is resident; what completed ones took stays, unless forgets: section 5.4.1 compares with all that ran on the
 * core before. */
void bom_core_begin(struct bom_core *c, bool forgets);
/* A resident block. */
struct bom_block *bom_core_block(struct bom_core *c, uint64_t cta);
void bom_core_placed(struct bom_core *c, uint64_t cta, uint64_t cycle);
/* A block has completed: returns its time. The first of its batch becomes the reference of the others. */
uint64_t bom_core_done(struct bom_core *c, uint64_t cta, uint64_t cycle);
/* A block leaves for a stack: it is no longer resident, and counts for nothing. */
void bom_core_left(struct bom_core *c, uint64_t cta);

#endif
