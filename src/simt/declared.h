/* declared.h - what a program has declared of its memory (cuMemAdvise, cuMemPrefetchAsync): a list that only grows, in
 * the order of the calls, for whoever places memory. Without a declaration nothing is kept.
 */
#ifndef STRATA_SIMT_DECLARED_H
#define STRATA_SIMT_DECLARED_H

#include <stdbool.h>
#include <stdint.h>

/* A range that kernels use together with the others of its group. */
struct simt_declaration {
	uint64_t addr, size_bytes;
	uint32_t group;	  /* from 1 on; 0: nothing is declared of the range any more */
	uint32_t ordinal; /* of the allocation that has it; 0: that is freed */
	bool is_whole;	  /* it is all of the allocation */
};

/* Zeroed: nothing is declared. */
struct simt_declared {
	struct simt_declaration *items;
	uint32_t count, cap, group_count;
};
void simt_declared_free(struct simt_declared *d);
void simt_declared_add(struct simt_declared *d, struct simt_declaration one);
/* The range is freed. */
void simt_declared_forget(struct simt_declared *d, uint64_t addr, uint64_t size_bytes);

#endif
