/* values.c - slots by line, entries with images of old versions and private lines. */
#include "values/values.h"

#include "base/check.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

enum { QUARTERS = 4 };
enum { BLOCK = 64 }; /* entries, or images, that lie together, for those of one time are used at one time again */
enum { SLOTS_SHIFT = 6, SLOTS = 1 << SLOTS_SHIFT };

struct image {
	struct image *next; /* older */
	cpu_version version;
	uint8_t bytes[];
};

struct private {
	struct private *next;
	cpu_version version, quarters; /* of which they are */
	uint32_t holder;
	uint8_t bytes[];
};

/* Here a set of quarters has a bit each. */
typedef uint8_t quarter_set;
enum { ALL_QUARTERS = (1 << QUARTERS) - 1 };

/* What most accesses ask of a line, small and next to that of the lines beside it. */
struct slot {
	cpu_version newest;
	uint32_t entry; /* its place + 1; 0: nobody has stored into the line, or that is forgotten */
	quarter_set known; /* of which newest says the version: since their first store */
	quarter_set moved; /* others than who stored last may have the newest version */
	bool has_privates;
};

/* Of lines one after the other, some of which have an entry. */
struct slots {
	struct slots *next; /* of the free ones */
	uint32_t used;
	struct slot slots[SLOTS];
};

struct entry {
	uint64_t line;
	uint8_t *host;
	struct image *images; /* the newest of them first */
	struct private *privates;
	uint32_t last[QUARTERS]; /* who stored */
	uint32_t image_count;
	quarter_set saved; /* the first image is of the newest version: a store is under way */
	bool is_used; /* stored into, or read where it was not the newest, since the hand came by */
};

struct values {
	uint32_t line_bytes, images_max, entries_max, entry_count, hand;
	struct slots **slots; /* by line / SLOTS */
	uint64_t slots_count;
	struct slots *free_slots;
	/* Private lines that are over are used again late: a store may still be on its way to one. */
	struct private *over, **over_end;
	uint32_t over_count, image_count; /* image_count: that there are */
	struct image *free_images;
	GPtrArray *entries, *images; /* blocks of them */
	struct values_stats stats;
};

/* From one in the place of each, 16 bits apart, and back. */
static quarter_set set_of(cpu_version quarters)
{
	return (quarters | quarters >> 15 | quarters >> 30 | quarters >> 45) & ALL_QUARTERS;
}

static cpu_version quarters_of(quarter_set set)
{
	const cpu_version s = set;

	return (s | s << 15 | s << 30 | s << 45) & CPU_VERSION_ALL;
}

struct values *values_new(uint32_t line_bytes, uint32_t lines_max, uint32_t images_max)
{
	struct values *v = g_new0(struct values, 1);

	CHECK(line_bytes >= 32 && !(line_bytes & (line_bytes - 1)) && lines_max && images_max);
	v->line_bytes = line_bytes;
	v->entries_max = lines_max;
	v->images_max = images_max;
	v->entries = g_ptr_array_new_with_free_func(free);
	v->images = g_ptr_array_new_with_free_func(g_free);
	v->over_end = &v->over;
	return v;
}

/* ---- slots ---- */

/* NULL: the line has no entry. */
static inline struct slot *find(const struct values *v, uint64_t line)
{
	const uint64_t block = line >> SLOTS_SHIFT;
	struct slot *slot;

	if (block >= v->slots_count || !v->slots[block])
		return NULL;
	slot = &v->slots[block]->slots[line % SLOTS];
	return slot->entry ? slot : NULL;
}

static struct entry *at(const struct values *v, uint32_t place)
{
	return (struct entry *)v->entries->pdata[place / BLOCK] + place % BLOCK;
}

static struct entry *entry_of(const struct values *v, const struct slot *slot)
{
	return at(v, slot->entry - 1);
}

bool values_is_known(const struct values *v, uint64_t line)
{
	return find(v, line);
}

/* The line has an entry from now on. */
static struct slot *slot_new(struct values *v, uint64_t line)
{
	const uint64_t block = line >> SLOTS_SHIFT;
	struct slots *slots;

	if (block >= v->slots_count) {
		const uint64_t count = MAX(block + 1, 2 * v->slots_count);

		v->slots = g_renew(struct slots *, v->slots, count);
		memset(v->slots + v->slots_count, 0, (count - v->slots_count) * sizeof(*v->slots));
		v->slots_count = count;
	}
	slots = v->slots[block];
	if (!slots) {
		slots = v->free_slots;
		if (slots)
			v->free_slots = slots->next;
		else
			slots = g_new0(struct slots, 1);
		v->slots[block] = slots;
	}
	slots->used++;
	return &slots->slots[line % SLOTS];
}

/* It has none any more. */
static void slot_clear(struct values *v, uint64_t line)
{
	struct slots **slots = &v->slots[line >> SLOTS_SHIFT];

	(*slots)->slots[line % SLOTS] = (struct slot){0};
	if (--(*slots)->used)
		return;
	(*slots)->next = v->free_slots;
	v->free_slots = *slots;
	*slots = NULL;
}

/* ---- entries ---- */

static void put_private(struct values *v, struct private *p)
{
	p->next = NULL;
	*v->over_end = p;
	v->over_end = &p->next;
	v->over_count++;
}

static void clear(struct values *v, struct entry *e)
{
	while (e->images) {
		struct image *next = e->images->next;

		e->images->next = v->free_images;
		v->free_images = e->images;
		e->images = next;
	}
	while (e->privates) {
		struct private *next = e->privates->next;

		put_private(v, e->privates);
		e->privates = next;
	}
	e->image_count = 0;
}

static void *entries_new(void)
{
	enum { HOST_LINE = 64 };
	struct entry *block = aligned_alloc(HOST_LINE, BLOCK * sizeof(struct entry));

	CHECK(block);
	memset(block, 0, BLOCK * sizeof(struct entry));
	return block;
}

/* A place for an entry: a new one, or that of one that has not been used since the hand came by. */
static uint32_t room(struct values *v)
{
	uint32_t place;
	struct entry *e;

	if (v->entry_count < v->entries_max) {
		if (v->entry_count % BLOCK == 0)
			g_ptr_array_add(v->entries, entries_new());
		return v->entry_count++;
	}
	for (;;) {
		place = v->hand;
		e = at(v, place);
		v->hand = (v->hand + 1) % v->entry_count;
		if (!e->is_used)
			break;
		e->is_used = false;
	}
	if (e->host) {
		v->stats.evicted++;
		slot_clear(v, e->line);
	}
	clear(v, e);
	return place;
}

static struct image *image_new(struct values *v)
{
	const size_t bytes = sizeof(struct image) + v->line_bytes;
	struct image *image = v->free_images;

	if (image) {
		v->free_images = image->next;
		return image;
	}
	if (v->image_count % BLOCK == 0)
		g_ptr_array_add(v->images, g_malloc(BLOCK * bytes));
	return (struct image *)((char *)v->images->pdata[v->images->len - 1] + v->image_count++ % BLOCK * bytes);
}

/* What a store under way has written already is in the first image as it was. */
static void save(struct values *v, const struct slot *slot, struct entry *e)
{
	const uint32_t bytes = v->line_bytes / QUARTERS;
	const struct image *first = e->images;
	struct image *image, **last;

	if (e->image_count == v->images_max) {
		for (last = &e->images; (*last)->next;)
			last = &(*last)->next;
		image = *last;
		*last = NULL;
	} else {
		image = image_new(v);
		e->image_count++;
	}
	image->version = slot->newest;
	for (uint32_t q = 0; q < QUARTERS; q++) {
		const uint8_t *from = e->saved >> q & 1 ? first->bytes : e->host;

		if (from != image->bytes)
			memcpy(image->bytes + q * bytes, from + q * bytes, bytes);
	}
	image->next = e->images;
	e->images = image;
	e->saved = ALL_QUARTERS;
	v->stats.images++;
}

static quarter_set stored_by_others(const struct entry *e, uint32_t holder)
{
	quarter_set set = 0;

	for (uint32_t q = 0; q < QUARTERS; q++)
		set |= (quarter_set)((e->last[q] != holder) << q);
	return set;
}

void values_before_store(struct values *v, uint32_t holder, uint64_t line, void *host, cpu_version quarters)
{
	struct slot *slot = find(v, line);
	struct entry *e;

	if (!slot) {
		const uint32_t place = room(v);

		slot = slot_new(v, line);
		*slot = (struct slot){.entry = place + 1, .moved = ALL_QUARTERS /* the memory has it */};
		*at(v, place) = (struct entry){.line = line, .host = host};
	}
	e = entry_of(v, slot);
	e->is_used = true;
	if ((slot->moved | stored_by_others(e, holder)) & set_of(quarters) & ~e->saved)
		save(v, slot, e);
}

static struct private *private_of(const struct entry *e, uint32_t holder)
{
	struct private *p = e->privates;

	while (p && p->holder != holder)
		p = p->next;
	return p;
}

static const struct image *image_of(const struct entry *e, cpu_version version, cpu_version mask)
{
	const struct image *i = e->images;

	while (i && (i->version ^ version) & mask)
		i = i->next;
	return i;
}

/* Bytes of a version, quarter by quarter; of one that nobody knows any more, the oldest. */
static void compose(const struct values *v, const struct slot *slot, cpu_version version, uint32_t offset,
		    uint32_t size, uint8_t *out)
{
	const struct entry *e = entry_of(v, slot);
	const uint32_t bytes = v->line_bytes / QUARTERS;

	for (uint32_t q = offset / bytes; q * bytes < offset + size; q++) {
		const uint32_t begin = MAX(offset, q * bytes), end = MIN(offset + size, (q + 1) * bytes);
		const cpu_version mask = (cpu_version)0xffff << (16 * q);
		const struct image *i;
		const uint8_t *from = e->host;

		if ((version ^ slot->newest) & mask & (quarters_of(slot->known) * 0xffff)) {
			i = image_of(e, version, mask);
			for (const struct image *old = e->images; !i && old; old = old->next)
				if (!old->next)
					i = old;
			if (i)
				from = i->bytes;
		}
		memcpy(out + (begin - offset), from + begin, end - begin);
	}
}

/* Of a copy before the store that made this version of the quarters. */
static cpu_version previous(cpu_version version, cpu_version quarters)
{
	cpu_version before = version;

	for (uint32_t shift = 0; shift < 64; shift += 16)
		if (quarters >> shift & 1)
			before = cpu_version_merge(before, (cpu_version)(uint16_t)((version >> shift) - 1) << shift,
						   (cpu_version)1 << shift);
	return before;
}

static struct private *get_private(struct values *v)
{
	enum { LATE = 64 };
	struct private *p = v->over;

	if (v->over_count < LATE)
		return g_malloc(sizeof(*p) + v->line_bytes);
	v->over = p->next;
	v->over_count--;
	return p;
}

/* The holder stored into a copy of the quarters that is not the newest. */
static void make_private(struct values *v, struct slot *slot, uint32_t holder, cpu_version version,
			 cpu_version quarters)
{
	const uint32_t bytes = v->line_bytes / QUARTERS;
	struct entry *e = entry_of(v, slot);
	struct private *p = private_of(e, holder);

	if (!p) {
		p = get_private(v);
		p->holder = holder;
		p->version = p->quarters = 0;
		p->next = e->privates;
		e->privates = p;
		slot->has_privates = true;
		v->stats.privates++;
	}
	p->version = cpu_version_merge(p->version, version, quarters);
	p->quarters |= quarters;
	for (uint32_t q = 0; q < QUARTERS; q++)
		if (quarters >> 16 * q & 1)
			compose(v, slot, previous(version, quarters), q * bytes, bytes, p->bytes + q * bytes);
}

/* The first store into these quarters says which version they have. */
static void learn(struct slot *slot, const struct entry *e, cpu_version version, cpu_version quarters)
{
	const quarter_set unknown = set_of(quarters) & ~slot->known;
	cpu_version before;

	if (!unknown)
		return;
	before = previous(version, quarters);
	slot->newest = cpu_version_merge(slot->newest, before, quarters_of(unknown));
	if (e->saved & unknown)
		e->images->version =
		    cpu_version_merge(e->images->version, before, quarters_of(e->saved & unknown));
	slot->known |= unknown;
}

void values_stored(struct values *v, uint32_t holder, uint64_t line, cpu_version version, cpu_version quarters)
{
	const quarter_set set = set_of(quarters);
	struct slot *slot = find(v, line);
	struct entry *e;
	struct private *p;

	if (!slot)
		return;
	e = entry_of(v, slot);
	e->is_used = true;
	p = private_of(e, holder);
	if (p && (p->quarters & quarters)) {
		p->version = cpu_version_merge(p->version, version, quarters);
		return;
	}
	learn(slot, e, version, quarters);
	if ((version ^ cpu_version_next(slot->newest, quarters)) & (quarters * 0xffff)) {
		make_private(v, slot, holder, version, quarters);
		return;
	}
	if (slot->moved & set & ~e->saved)
		save(v, slot, e);
	slot->newest = cpu_version_merge(slot->newest, version, quarters);
	for (uint32_t q = 0; q < QUARTERS; q++)
		if (set >> q & 1)
			e->last[q] = holder;
	slot->moved &= ~set;
	e->saved &= ~set;
}

static void remove_private(struct values *v, struct slot *slot, struct private *p)
{
	struct entry *e = entry_of(v, slot);
	struct private **link = &e->privates;

	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	slot->has_privates = e->privates;
	put_private(v, p);
}

/* What the holder has of its own, if it has something: NULL, else. */
static struct private *private_at(const struct values *v, const struct slot *slot, uint32_t holder)
{
	return unlikely(slot->has_privates) ? private_of(entry_of(v, slot), holder) : NULL;
}

void values_moved(struct values *v, uint64_t line, uint32_t holder, cpu_version quarters)
{
	const uint32_t bytes = v->line_bytes / QUARTERS;
	struct slot *slot = find(v, line);
	struct private *p;
	struct entry *e;

	if (!slot)
		return;
	slot->moved |= set_of(quarters);
	p = private_at(v, slot, holder);
	quarters &= p ? p->quarters : 0;
	if (!quarters)
		return;
	e = entry_of(v, slot);
	if (set_of(quarters) & ~e->saved)
		save(v, slot, e);
	for (uint32_t q = 0; q < QUARTERS; q++)
		if (quarters >> 16 * q & 1)
			memcpy(e->host + q * bytes, p->bytes + q * bytes, bytes);
	slot->newest = cpu_version_merge(slot->newest, p->version, quarters);
	slot->known |= set_of(quarters);
	e->saved &= ~set_of(quarters);
	p->quarters &= ~quarters;
	if (!p->quarters)
		remove_private(v, slot, p);
}

void values_dropped(struct values *v, uint64_t line, uint32_t holder)
{
	struct slot *slot = find(v, line);
	struct private *p = slot ? private_at(v, slot, holder) : NULL;

	if (p)
		remove_private(v, slot, p);
}

/* The quarters that the bytes touch, 16 bits each. */
static cpu_version mask_of(const struct values *v, uint32_t offset, uint32_t size)
{
	const uint32_t bytes = v->line_bytes / QUARTERS;
	cpu_version mask = 0;

	for (uint32_t q = offset / bytes; q <= (offset + size - 1) / bytes; q++)
		mask |= (cpu_version)0xffff << (16 * q);
	return mask;
}

bool values_read(struct values *v, uint32_t holder, uint64_t line, cpu_version version, uint32_t offset, uint32_t size,
		 void *out)
{
	const struct slot *slot = find(v, line);
	const struct private *p;
	const struct image *i;
	struct entry *e;
	cpu_version mask;

	if (likely(!slot || (version == slot->newest && !slot->has_privates)))
		return false;
	e = entry_of(v, slot);
	e->is_used = true;
	p = private_at(v, slot, holder);
	if (version == slot->newest && !p)
		return false;
	mask = mask_of(v, offset, size);
	if (p && (p->quarters & mask)) {
		memcpy(out, p->bytes + offset, size);
		v->stats.stale++;
		return true;
	}
	mask &= quarters_of(slot->known) * 0xffff;
	if (!((version ^ slot->newest) & mask))
		return false;
	v->stats.stale++;
	i = image_of(e, version, mask);
	if (i)
		memcpy(out, i->bytes + offset, size);
	else
		compose(v, slot, version, offset, size, out);
	return true;
}

void *values_target(const struct values *v, uint32_t holder, uint64_t line, uint32_t offset, void *own)
{
	const struct slot *slot = find(v, line);
	struct private *p = slot ? private_at(v, slot, holder) : NULL;

	return p && p->quarters & mask_of(v, offset, 1) ? p->bytes + offset : own;
}

void values_forget(struct values *v, uint64_t first_line, uint64_t count)
{
	for (uint64_t line = first_line; line < first_line + count; line++) {
		const struct slot *slot = find(v, line);
		struct entry *e;

		if (!slot)
			continue;
		e = entry_of(v, slot);
		clear(v, e);
		slot_clear(v, line);
		e->host = NULL;
		e->is_used = false;
	}
}

const struct values_stats *values_statistics(const struct values *v)
{
	return &v->stats;
}

void values_free(struct values *v)
{
	if (!v)
		return;
	for (uint32_t i = 0; i < v->entry_count; i++)
		clear(v, at(v, i));
	while (v->over) {
		struct private *next = v->over->next;

		g_free(v->over);
		v->over = next;
	}
	while (v->free_slots) {
		struct slots *next = v->free_slots->next;

		g_free(v->free_slots);
		v->free_slots = next;
	}
	for (uint64_t i = 0; i < v->slots_count; i++)
		g_free(v->slots[i]);
	g_free(v->slots);
	g_ptr_array_free(v->entries, TRUE);
	g_ptr_array_free(v->images, TRUE);
	g_free(v);
}
