/* nsu_audit.h - the auditor of the directory of the units' read-only caches (run.audit). Private to the split carrier.
 *
 * What the directory promises: a unit that is told to take words from its own cache takes them as they are after every
 * store that was done, as its issuer knows, when the read left its SM. The auditor shares nothing with the directory:
 * it keeps when each word of a unit was last asked for, and, for each line, when the last of the stores that are done
 * was issued. Words that were asked for before such a store may be older than it.
 */
#ifndef STRATA_NDP_CARRY_NSU_AUDIT_H
#define STRATA_NDP_CARRY_NSU_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

struct nsu_audit;

struct nsu_audit *nsu_audit_new(uint32_t unit_count);
void nsu_audit_free(struct nsu_audit *a);
/* A kernel begins: the unit's cache is empty, and nothing is under way. */
void nsu_audit_kernel(struct nsu_audit *a, uint32_t unit);
/* A store or atomic on the line is done: its answer, or the invalidation after a unit's write, has come to an SM. */
void nsu_audit_stored(struct nsu_audit *a, uint64_t addr_bytes, uint64_t issue_units);
/* A read leaves its SM for data that the unit will keep. words: of the line, a bit each. */
void nsu_audit_asked(struct nsu_audit *a, uint32_t unit, uint64_t addr_bytes, uint32_t words, uint64_t now_units);
/* A read leaves its SM that takes these words from the unit's cache: has it them, and as they must be? */
bool nsu_audit_is_fresh(const struct nsu_audit *a, uint32_t unit, uint64_t addr_bytes, uint32_t words);

#endif
