/* tlb.h - private to gpu/: a set-associative table of recently used keys with exact LRU; no data, since translation is
 * the identity here. The MMU's TLB and its page-walk cache. */
#ifndef STRATA_GPU_TLB_H
#define STRATA_GPU_TLB_H

#include <stdbool.h>
#include <stdint.h>

struct tlb;

/* way_count divides entry_count and leaves a power of two of sets; 0: fully associative. */
struct tlb *tlb_new(uint32_t entry_count, uint32_t way_count);
void tlb_free(struct tlb *t);
/* Keys are mostly those of one part of all: a set is chosen by the key's number within its part. Before the first. */
typedef uint64_t tlb_number(const void *self, uint64_t key, uint32_t set_bits);
void tlb_is_part(struct tlb *t, tlb_number *number, const void *self);
/* Is the key there? Then it becomes its set's most recently used. */
bool tlb_find(struct tlb *t, uint64_t key);
/* The key takes the place of its set's least recently used; nothing when it is there. */
void tlb_insert(struct tlb *t, uint64_t key);
void tlb_clear(struct tlb *t);

#endif
