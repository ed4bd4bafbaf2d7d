/* tlb.c - see tlb.h. */
#include "gpu/tlb.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"

struct tlb_entry {
	uint64_t key;
	uint64_t used; /* time of the last use; 0: empty */
};

struct tlb {
	struct tlb_entry *entries; /* [set][way] */
	struct tlb_entry *last;    /* found last: accesses mostly stay in a page */
	uint64_t time;
	uint32_t set_mask, way_count;
	tlb_number *number; /* NULL: the key itself */
	const void *self;
};

struct tlb *tlb_new(uint32_t entry_count, uint32_t way_count)
{
	struct tlb *t = g_new0(struct tlb, 1);

	t->way_count = way_count ? way_count : entry_count;
	CHECK(entry_count && entry_count % t->way_count == 0);
	t->set_mask = entry_count / t->way_count - 1;
	CHECK(!(t->set_mask & (t->set_mask + 1)));
	t->entries = g_new0(struct tlb_entry, entry_count);
	t->last = t->entries;
	return t;
}

void tlb_free(struct tlb *t)
{
	if (!t)
		return;
	g_free(t->entries);
	g_free(t);
}

void tlb_is_part(struct tlb *t, tlb_number *number, const void *self)
{
	t->number = number;
	t->self = self;
}

static struct tlb_entry *set_of(const struct tlb *t, uint64_t key)
{
	if (t->number && t->set_mask)
		key = t->number(t->self, key, (uint32_t)__builtin_popcount(t->set_mask));
	return t->entries + (size_t)(key & t->set_mask) * t->way_count;
}

bool tlb_find(struct tlb *t, uint64_t key)
{
	struct tlb_entry *set;

	if (t->last->used && t->last->key == key) {
		t->last->used = ++t->time;
		return true;
	}
	set = set_of(t, key);
	for (uint32_t i = 0; i < t->way_count; i++) {
		if (set[i].used && set[i].key == key) {
			set[i].used = ++t->time;
			t->last = &set[i];
			return true;
		}
	}
	return false;
}

void tlb_insert(struct tlb *t, uint64_t key)
{
	struct tlb_entry *set = set_of(t, key), *oldest = set;

	if (tlb_find(t, key))
		return;
	for (uint32_t i = 1; i < t->way_count; i++) {
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	*oldest = (struct tlb_entry){.key = key, .used = ++t->time};
}

void tlb_clear(struct tlb *t)
{
	memset(t->entries, 0, (size_t)(t->set_mask + 1) * t->way_count * sizeof(*t->entries));
}
