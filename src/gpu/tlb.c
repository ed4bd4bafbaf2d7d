/* tlb.c - see tlb.h. */
#include "gpu/tlb.h"

#include <glib.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/tags.h"

struct tlb_entry {
	MEM_TAG; /* line: the key; state: TLB_USED */
};

enum { TLB_USED = 1 };

struct tlb {
	MEM_TAGS(struct tlb_entry);
	struct tlb_entry *last; /* found last: accesses mostly stay in a page */
	uint32_t set_bits;
	tlb_number *number; /* NULL: the key itself */
	const void *self;
};

struct tlb *tlb_new(uint32_t entry_count, uint32_t way_count)
{
	struct tlb *t = g_new0(struct tlb, 1);

	if (!way_count)
		way_count = entry_count;
	CHECK(entry_count && entry_count % way_count == 0);
	mem_tags_init(t, entry_count / way_count, way_count);
	t->set_bits = base_log2(t->set_count);
	t->last = t->tags;
	return t;
}

void tlb_free(struct tlb *t)
{
	if (!t)
		return;
	mem_tags_free(t);
	g_free(t);
}

void tlb_is_part(struct tlb *t, tlb_number *number, const void *self)
{
	t->number = number;
	t->self = self;
}

static uint64_t set_of(const struct tlb *t, uint64_t key)
{
	if (t->number && t->set_bits)
		key = t->number(t->self, key, t->set_bits);
	return key & (t->set_count - 1);
}

bool tlb_find(struct tlb *t, uint64_t key)
{
	struct tlb_entry *e = t->last;

	if (e->line != key || !e->state)
		e = mem_tags_find(t, set_of(t, key), key);
	if (!e)
		return false;
	mem_tags_use(t, e);
	t->last = e;
	return true;
}

void tlb_insert(struct tlb *t, uint64_t key)
{
	struct tlb_entry *e;

	if (tlb_find(t, key))
		return;
	e = mem_tags_victim(t, set_of(t, key), way, true);
	mem_tags_take(t, e, key);
	*e = (struct tlb_entry){.line = key, .state = TLB_USED};
	mem_tags_use(t, e);
}

void tlb_clear(struct tlb *t)
{
	mem_tags_clear(t);
}
