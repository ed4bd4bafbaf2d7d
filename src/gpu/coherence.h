/* coherence.h - the auditor of offloaded blocks' coherence (run.audit). Private to gpu/.
 *
 * What TOM section 4.4.2 promises, per GPU SM (the home): an offloaded block reads every store that its home issued
 * before it decided to offload the block, or that an earlier block of the same home made and whose end the home has
 * seen; and the home reads, after a block's end, every store of the block. The auditor numbers writes in the order in
 * which they reach DRAM, marks every cached line with the number at which it was read there, and looks at each load
 * that an L1 or a fill answers. A store of the home itself is not looked for in the home's own L1 and L2: it went
 * through them.
 */
#ifndef STRATA_GPU_COHERENCE_H
#define STRATA_GPU_COHERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/req.h"

struct coherence_audit;

struct coherence_audit *coherence_audit_new(void);
void coherence_audit_free(struct coherence_audit *a);
/* Everything written so far is old: required of every load that follows. Also after an aborted launch. */
void coherence_audit_kernel(struct coherence_audit *a);

/* A store of home's program is issued, by the home or (block not NULL) by an offloaded block. Returns the number that
 * its request carries. */
uint32_t coherence_audit_store(struct coherence_audit *a, uint32_t home, const void *block, uint64_t line_addr_bytes,
			       uint64_t now_units);
/* The vault has done r: a store's number is in tag; a read leaves with the number of the newest write in
 * row, which nobody needs any more. */
void coherence_audit_memory(struct coherence_audit *a, struct mem_req *r, bool is_store);
/* The block's end has been seen at home. */
void coherence_audit_block_end(struct coherence_audit *a, const void *block, uint64_t now_units);

/* A cache (an SM's L1, or cache UINT32_MAX: the L2) takes in a line that carries a number / the number of its copy. */
void coherence_audit_fill(struct coherence_audit *a, uint32_t cache, uint64_t line_addr_bytes, uint64_t number);
uint64_t coherence_audit_copy(const struct coherence_audit *a, uint32_t cache, uint64_t line_addr_bytes);

/* Does a line read from DRAM at this number hold every store that a load of home's program must see? is_block: the load
 * is an offloaded block's. since_units: when the load was issued, or the block was to leave its home. */
bool coherence_audit_is_fresh(const struct coherence_audit *a, uint32_t home, bool is_block, uint64_t since_units,
			      uint64_t line_addr_bytes, uint64_t number);

#endif
