/* memory_declared.c - declarations of ranges of the device's memory. */
#include "simt/memory_declared.h"

#include <stddef.h>

#include "base/check.h"

uint32_t simt_memory_new_group(struct simt_memory *m)
{
	return ++simt_memory_declared(m)->group_count;
}

void simt_memory_declare(struct simt_memory *m, uint32_t group, uint64_t addr, uint64_t size_bytes)
{
	const struct simt_alloc *a = simt_memory_find(m, addr, size_bytes);

	CHECK(a);
	simt_memory_touch(m);
	simt_declared_add(simt_memory_declared(m), (struct simt_declaration){.addr = addr,
									     .size_bytes = size_bytes,
									     .group = group,
									     .ordinal = a->ordinal,
									     .is_whole = size_bytes == a->size_bytes});
}

const struct simt_declaration *simt_memory_declaration(const struct simt_memory *m, uint32_t i)
{
	const struct simt_declared *d = simt_memory_declared((struct simt_memory *)m);

	return i < d->count ? &d->items[i] : NULL;
}
