/* metadata.h - TOM's offloading metadata table: what the compiler hands to the offload controller of every SM (TOM
 * sections 4.2 and 6.6), as bit fields of a bounded table.
 *
 * An entry of 258 bits: begin and end PC (32 bits each), a bit per register in the live-in and in the live-out vector,
 * the 2-bit tag, and a condition of 64 bits: whether there is one, its direction, its width, whether it is of the
 * difference of two registers, their numbers, and the threshold in the bits that are left. 258 - 64 - 2 - 64 = 128 bits
 * make two vectors of 64 registers.
 */
#ifndef STRATA_NDP_TOM_METADATA_H
#define STRATA_NDP_TOM_METADATA_H

#include "gpu/config.h"
#include "ndp/registry.h"
#include "ndp/blocks/blocks.h"

enum {
	TOM_ENTRY_PC_BITS = 32,
	TOM_ENTRY_TAG_BITS = 2,
	TOM_ENTRY_CONDITION_BITS = 64,
	TOM_ENTRY_FLAG_BITS = 4, /* of the condition: exists, direction, width, difference of two registers */
};

/* Registers and predicates that a vector of an entry covers. */
uint32_t tom_metadata_vector_bits(const struct tom_params *p);
/* Bits of the condition's threshold, a signed number. */
uint32_t tom_metadata_threshold_bits(const struct tom_params *p);
/* Can an entry describe this block: have its registers numbers that the vectors cover, has its threshold room? */
bool tom_metadata_describes(const struct tom_params *p, const struct ndp_block *b);

/* Bytes of a table of so many entries; passes over the banks of shared memory that reading one takes. */
uint64_t tom_metadata_table_bytes(const struct tom_params *p, uint32_t entry_count);
uint32_t tom_metadata_passes(const struct tom_params *p, const struct gpu_config *c);

/* Storage that TOM adds to this machine (section 6.6, and what it leaves out). Fills items and returns their number. */
uint32_t tom_metadata_storage(const struct ndp_site *site, struct ndp_storage *items);
/* Bits of all of it but TLBs and MMUs, over the whole machine. */
uint64_t tom_metadata_added_bits(const struct ndp_site *site);

#endif
