/* origin.h - from which kernel parameter the address of a load or store derives. Not for other folders.
 *
 * Two addresses that derive from different pointer parameters are in the same allocation only if both pointers are,
 * because a program may not leave an allocation by arithmetic on a pointer into it.
 */
#ifndef STRATA_NSU_ORIGIN_H
#define STRATA_NSU_ORIGIN_H

#include <glib.h>

#include "nsu/facts.h"

/* The 8-byte word of the parameter block from which alone the address of LOAD or STORE k derives: everything else that
 * flows into it is narrower than a pointer, or immediate. NSU_NO_ORIGIN: several words, values loaded from memory, a
 * variable, or a word beyond NSU_ORIGIN_MAX. defs[register]: instructions that write it, NULL for none. */
uint16_t nsu_origin_of(const struct nsu_facts *f, GPtrArray *const *defs, uint32_t k);

#endif
