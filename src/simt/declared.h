/* declared.h - what a program has declared of its memory (cuMemAdvise, cuMemPrefetchAsync): a list that only grows, in
 * the order of the calls, for whoever places memory. Without a declaration nothing is kept.
 */
#ifndef STRATA_SIMT_DECLARED_H
#define STRATA_SIMT_DECLARED_H

#include "simt/memory.h"

/* A range that kernels use together with the others of its group. */
struct simt_declaration {
	uint64_t addr, size_bytes;
	uint32_t group;	  /* from 1 on; 0: nothing is declared of the range any more */
	uint32_t ordinal; /* of the allocation that has it; 0: that is freed */
	bool is_whole;	  /* it is all of the allocation */
};

/* A number for the ranges of one call, which are declared one after the other. */
uint32_t simt_memory_new_group(struct simt_memory *m);
/* The range lies in one live allocation. group 0: it is not to be declared any more. */
void simt_memory_declare(struct simt_memory *m, uint32_t group, uint64_t addr, uint64_t size_bytes);
/* The allocation that has addr is, or is not, declared to be read far more often than written. */
void simt_memory_declare_reading(struct simt_memory *m, uint64_t addr, bool is_read_mostly);
/* Declaration i, NULL past the last. Valid until the next one. */
const struct simt_declaration *simt_memory_declaration(const struct simt_memory *m, uint32_t i);
/* The ordinal of the user's allocation that was made last; 0: none was. */
uint32_t simt_memory_last_ordinal(const struct simt_memory *m);

/* ---- for memory.c ---- */

struct simt_declared {
	struct simt_declaration *items;
	uint32_t count, cap, group_count;
};
void simt_declared_free(struct simt_declared *d);
/* The range is freed. */
void simt_declared_forget(struct simt_declared *d, uint64_t addr, uint64_t size_bytes);
struct simt_declared *simt_memory_declared(struct simt_memory *m);

#endif
