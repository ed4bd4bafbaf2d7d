/* coherence.h - the auditor of offloaded blocks' coherence (run.audit). Private to the carriers.
 *
 * What TOM section 4.4.2 promises, per GPU SM (the home): an offloaded block reads every store that its home issued
 * before it decided to offload the block, or that an earlier block of the same home made and whose end the home has
 * seen; and the home reads, after a block's end, every store of the block. The auditor numbers writes in the order in
 * which they reach DRAM, marks every request and every cached line with the number at which it was read there, and
 * looks at each load that an L1 or a fill answers. A store of the home itself is not looked for in the home's own L1
 * and L2: it went through them. And what CTAs that began in a stack have written, every load of a later kernel reads.
 */
#ifndef STRATA_NDP_CARRY_COHERENCE_H
#define STRATA_NDP_CARRY_COHERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/req.h"

struct coherence_audit;

struct coherence_audit *coherence_audit_new(void);
void coherence_audit_free(struct coherence_audit *a);
/* Everything written so far is old: required of every load that follows. Also after an aborted launch. */
void coherence_audit_kernel(struct coherence_audit *a);

/* r is a store of home's program, made by the home or (block not NULL) by an offloaded block; is_of_stack: or by a CTA
 * that has begun in a stack, and that the next kernel must see. */
void coherence_audit_store(struct coherence_audit *a, uint32_t home, const void *block, bool is_of_stack,
			   const struct mem_req *r, uint64_t now_units);
/* A memory has done r: a store gets its number, a read brings the number of the newest write. */
void coherence_audit_memory(struct coherence_audit *a, const struct mem_req *r, bool is_store);
/* The block's end has been seen at home. */
void coherence_audit_block_end(struct coherence_audit *a, const void *block, uint64_t now_units);

/* A cache (an SM's L1, or cache UINT32_MAX: the L2) takes in the line that r brings / answers r, which brings the
 * number of the copy. */
void coherence_audit_fill(struct coherence_audit *a, uint32_t cache, const struct mem_req *r);
void coherence_audit_hit(struct coherence_audit *a, uint32_t cache, const struct mem_req *r);
/* `to` brings what `from` has brought. */
void coherence_audit_pass(struct coherence_audit *a, const struct mem_req *from, const struct mem_req *to);

/* Does the line that r brings hold every store that a load of home's program must see? is_block: the load is an
 * offloaded block's. since_units: when the load was issued, or the block was to leave its home. */
bool coherence_audit_is_fresh(const struct coherence_audit *a, uint32_t home, bool is_block, uint64_t since_units,
			      const struct mem_req *r);

#endif
