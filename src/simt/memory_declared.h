/* memory_declared.h - declaring ranges of the device's memory, and what has been declared (declared.h). */
#ifndef STRATA_SIMT_MEMORY_DECLARED_H
#define STRATA_SIMT_MEMORY_DECLARED_H

#include "simt/declared.h"
#include "simt/memory.h"

/* A number for the ranges of one call, which are declared one after the other. */
uint32_t simt_memory_new_group(struct simt_memory *m);
/* The range lies in one live allocation. group 0: it is not to be declared any more. */
void simt_memory_declare(struct simt_memory *m, uint32_t group, uint64_t addr, uint64_t size_bytes);
/* Declaration i, NULL past the last. Valid until the next one. */
const struct simt_declaration *simt_memory_declaration(const struct simt_memory *m, uint32_t i);

#endif
