/* declared.c - the list of what a program has declared of its memory. */
#include "simt/declared.h"

#include <stdlib.h>

#include "base/check.h"

static void append(struct simt_declared *d, struct simt_declaration one)
{
	if (d->count == d->cap) {
		d->cap = d->cap ? 2 * d->cap : 64;
		d->items = realloc(d->items, d->cap * sizeof(*d->items));
		CHECK(d->items);
	}
	d->items[d->count++] = one;
}

void simt_declared_free(struct simt_declared *d)
{
	free(d->items);
}

void simt_declared_forget(struct simt_declared *d, uint64_t addr, uint64_t size_bytes)
{
	if (d->count)
		append(d, (struct simt_declaration){.addr = addr, .size_bytes = size_bytes});
}

uint32_t simt_memory_new_group(struct simt_memory *m)
{
	return ++simt_memory_declared(m)->group_count;
}

void simt_memory_declare(struct simt_memory *m, uint32_t group, uint64_t addr, uint64_t size_bytes)
{
	const struct simt_alloc *a = simt_memory_find(m, addr, size_bytes);

	CHECK(a);
	simt_memory_touch(m);
	append(simt_memory_declared(m), (struct simt_declaration){.addr = addr,
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
