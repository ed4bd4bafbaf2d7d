/* offsets.h - which accesses of candidate blocks have a fixed offset (TOM, ISCA'16, section 3.2.1, Figure 5).
 *
 * The paper's example is a loop that reads two arrays at the same index: wherever an instance works, the second address
 * lies as far from the first as the arrays' base addresses. It does not say how this was measured. Here a memory
 * instruction of a block has a fixed offset when, in all instances of a launch, one of these is the same:
 *
 *   - its distance from the latest execution of the instance's first memory instruction: the same index;
 *   - its distance from the instance's first access, and each later time its distance from its own last execution.
 *
 * The first access of an instance is what the others are held against, and counts nowhere; what was seen once had
 * nothing to be compared with, and counts nowhere either. Addresses are those of one lane of each instance, the lowest
 * that makes its first access; what this lane leaves out is not seen.
 */
#ifndef STRATA_NDP_TOM_OFFSETS_H
#define STRATA_NDP_TOM_OFFSETS_H

#include "ndp/blocks/blocks.h"

enum tom_offset_class {
	TOM_OFFSET_ALL, /* every access has a fixed offset */
	TOM_OFFSET_75,	/* 75 % or more of them, but not all */
	TOM_OFFSET_50,
	TOM_OFFSET_25,
	TOM_OFFSET_0,
	TOM_OFFSET_NONE,
	TOM_OFFSET_CLASSES, /* also: nothing to compare */
};

struct tom_offsets;

/* For instances numbered below instance_count; the caller's to free. */
struct tom_offsets *tom_offsets_new(uint32_t instance_count);
void tom_offsets_free(struct tom_offsets *o);

/* A launch of the program begins; blocks are its own and stay until the launch has ended. All allocation is here. */
void tom_offsets_kernel_begin(struct tom_offsets *o, const struct simt_program *p, const struct ndp_blocks *blocks);
/* The instance enters block number `block`; what it did before has ended. */
void tom_offsets_open(struct tom_offsets *o, uint32_t instance, uint32_t block);
/* It executes the memory instruction at pc of this block; lanes of mask (not 0) access addr[lane]. One that is not open
 * is not counted. */
void tom_offsets_touch(struct tom_offsets *o, uint32_t instance, uint32_t pc, uint32_t mask, const uint64_t *addr);
/* All open instances are lost. */
void tom_offsets_forget(struct tom_offsets *o);
/* Adds to share what this launch has seen of a block so far. */
void tom_offsets_add(const struct tom_offsets *o, uint32_t block, struct ndp_offset_share *share);

enum tom_offset_class tom_offset_class_of(const struct ndp_offset_share *share);

#endif
