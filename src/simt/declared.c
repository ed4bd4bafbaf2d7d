/* declared.c - the list of what a program has declared of its memory. */
#include "simt/declared.h"

#include <stdlib.h>

#include "base/check.h"

void simt_declared_add(struct simt_declared *d, struct simt_declaration one)
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
		simt_declared_add(d, (struct simt_declaration){.addr = addr, .size_bytes = size_bytes});
}
