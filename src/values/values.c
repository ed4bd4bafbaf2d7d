/* values.c - entries by line, with images of old versions and private lines. */
#include "values/values.h"

#include "base/check.h"
#include "base/map.h"

#include <glib.h>
#include <string.h>

enum { QUARTERS = 4 };
enum { BLOCK = 64 }; /* entries that lie together, for lines are often used in their order */

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

/* Sets of quarters are as in cpu/version.h: a 1 in the place of each. */
struct entry {
	uint64_t line;
	uint8_t *host;
	cpu_version newest;
	cpu_version known; /* quarters of which newest says the version: since their first store */
	cpu_version moved; /* others than who stored last may have the newest version */
	cpu_version saved; /* the first image is of the newest version: a store is under way */
	struct image *images; /* the newest of them first */
	struct private *privates;
	uint32_t last[QUARTERS]; /* who stored */
	uint32_t image_count, place; /* in the ring */
	bool is_used;
};

struct values {
	uint32_t line_bytes, images_max, lines_max, hand;
	struct base_map entries; /* by line */
	GPtrArray *ring, *blocks;
	/* Private lines that are over are used again late: a store may still be on its way to one. */
	struct private *over, **over_end;
	uint32_t over_count;
	struct image *free_images;
	struct values_stats stats;
};

struct values *values_new(uint32_t line_bytes, uint32_t lines_max, uint32_t images_max)
{
	struct values *v = g_new0(struct values, 1);

	CHECK(line_bytes >= 32 && !(line_bytes & (line_bytes - 1)) && lines_max && images_max);
	v->line_bytes = line_bytes;
	v->lines_max = lines_max;
	v->images_max = images_max;
	base_map_init(&v->entries);
	v->ring = g_ptr_array_new();
	v->blocks = g_ptr_array_new_with_free_func(g_free);
	v->over_end = &v->over;
	return v;
}

static struct entry *find(const struct values *v, uint64_t line)
{
	return (struct entry *)(uintptr_t)base_map_get(&v->entries, line);
}

bool values_is_known(const struct values *v, uint64_t line)
{
	return find(v, line);
}

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

/* A place in the ring: a new one, or that of an entry that has not been used since the hand came by. */
static struct entry *room(struct values *v)
{
	struct entry *e;

	if (v->ring->len < v->lines_max) {
		const uint32_t in_block = v->ring->len % BLOCK;

		if (!in_block)
			g_ptr_array_add(v->blocks, g_new0(struct entry, BLOCK));
		e = (struct entry *)v->blocks->pdata[v->blocks->len - 1] + in_block;
		e->place = v->ring->len;
		g_ptr_array_add(v->ring, e);
		return e;
	}
	for (;;) {
		e = v->ring->pdata[v->hand];
		v->hand = (v->hand + 1) % v->ring->len;
		if (!e->is_used)
			break;
		e->is_used = false;
	}
	if (e->host) {
		v->stats.evicted++;
		base_map_set(&v->entries, e->line, 0);
	}
	clear(v, e);
	*e = (struct entry){.place = e->place};
	return e;
}

/* What a store under way has written already is in the first image as it was. */
static void save(struct values *v, struct entry *e)
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
		image = v->free_images;
		if (image)
			v->free_images = image->next;
		else
			image = g_malloc(sizeof(*image) + v->line_bytes);
		e->image_count++;
	}
	image->version = e->newest;
	for (uint32_t q = 0; q < QUARTERS; q++) {
		const uint8_t *from = e->saved >> 16 * q & 1 ? first->bytes : e->host;

		if (from != image->bytes)
			memcpy(image->bytes + q * bytes, from + q * bytes, bytes);
	}
	image->next = e->images;
	e->images = image;
	e->saved = CPU_VERSION_ALL;
	v->stats.images++;
}

static cpu_version stored_by_others(const struct entry *e, uint32_t holder)
{
	cpu_version quarters = 0;

	for (uint32_t q = 0; q < QUARTERS; q++)
		quarters |= (cpu_version)(e->last[q] != holder) << 16 * q;
	return quarters;
}

void values_before_store(struct values *v, uint32_t holder, uint64_t line, void *host, cpu_version quarters)
{
	struct entry *e = find(v, line);

	if (!e) {
		e = room(v);
		e->line = line;
		e->host = host;
		e->moved = CPU_VERSION_ALL; /* the memory has it */
		base_map_set(&v->entries, line, (uintptr_t)e);
	}
	e->is_used = true;
	if ((e->moved | stored_by_others(e, holder)) & quarters & ~e->saved)
		save(v, e);
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
static void compose(const struct values *v, const struct entry *e, cpu_version version, uint32_t offset, uint32_t size,
		    uint8_t *out)
{
	const uint32_t bytes = v->line_bytes / QUARTERS;

	for (uint32_t q = offset / bytes; q * bytes < offset + size; q++) {
		const uint32_t begin = MAX(offset, q * bytes), end = MIN(offset + size, (q + 1) * bytes);
		const cpu_version mask = (cpu_version)0xffff << (16 * q);
		const struct image *i;
		const uint8_t *from = e->host;

		if ((version ^ e->newest) & mask & (e->known * 0xffff)) {
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
static void make_private(struct values *v, struct entry *e, uint32_t holder, cpu_version version, cpu_version quarters)
{
	const uint32_t bytes = v->line_bytes / QUARTERS;
	struct private *p = private_of(e, holder);

	if (!p) {
		p = get_private(v);
		p->holder = holder;
		p->version = p->quarters = 0;
		p->next = e->privates;
		e->privates = p;
		v->stats.privates++;
	}
	p->version = cpu_version_merge(p->version, version, quarters);
	p->quarters |= quarters;
	for (uint32_t q = 0; q < QUARTERS; q++)
		if (quarters >> 16 * q & 1)
			compose(v, e, previous(version, quarters), q * bytes, bytes, p->bytes + q * bytes);
}

/* The first store into these quarters says which version they have. */
static void learn(struct entry *e, cpu_version version, cpu_version quarters)
{
	const cpu_version before = previous(version, quarters), unknown = quarters & ~e->known;

	if (!unknown)
		return;
	e->newest = cpu_version_merge(e->newest, before, unknown);
	if (e->saved & unknown)
		e->images->version = cpu_version_merge(e->images->version, before, e->saved & unknown);
	e->known |= unknown;
}

void values_stored(struct values *v, uint32_t holder, uint64_t line, cpu_version version, cpu_version quarters)
{
	struct entry *e = find(v, line);
	struct private *p;

	if (!e)
		return;
	e->is_used = true;
	p = private_of(e, holder);
	if (p && (p->quarters & quarters)) {
		p->version = cpu_version_merge(p->version, version, quarters);
		return;
	}
	learn(e, version, quarters);
	if ((version ^ cpu_version_next(e->newest, quarters)) & (quarters * 0xffff)) {
		make_private(v, e, holder, version, quarters);
		return;
	}
	if (e->moved & quarters & ~e->saved)
		save(v, e);
	e->newest = cpu_version_merge(e->newest, version, quarters);
	for (uint32_t q = 0; q < QUARTERS; q++)
		if (quarters >> 16 * q & 1)
			e->last[q] = holder;
	e->moved &= ~quarters;
	e->saved &= ~quarters;
}

static void remove_private(struct values *v, struct entry *e, struct private *p)
{
	struct private **link = &e->privates;

	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	put_private(v, p);
}

void values_moved(struct values *v, uint64_t line, uint32_t holder, cpu_version quarters)
{
	const uint32_t bytes = v->line_bytes / QUARTERS;
	struct entry *e = find(v, line);
	struct private *p;

	if (!e)
		return;
	e->moved |= quarters;
	p = e->privates ? private_of(e, holder) : NULL;
	quarters &= p ? p->quarters : 0;
	if (!quarters)
		return;
	if (quarters & ~e->saved)
		save(v, e);
	for (uint32_t q = 0; q < QUARTERS; q++)
		if (quarters >> 16 * q & 1)
			memcpy(e->host + q * bytes, p->bytes + q * bytes, bytes);
	e->newest = cpu_version_merge(e->newest, p->version, quarters);
	e->known |= quarters;
	e->saved &= ~quarters;
	p->quarters &= ~quarters;
	if (!p->quarters)
		remove_private(v, e, p);
}

void values_dropped(struct values *v, uint64_t line, uint32_t holder)
{
	struct entry *e = find(v, line);
	struct private *p = e ? private_of(e, holder) : NULL;

	if (p)
		remove_private(v, e, p);
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
	struct entry *e = find(v, line);
	const struct private *p;
	const struct image *i;
	cpu_version mask;

	if (likely(!e))
		return false;
	e->is_used = true;
	p = unlikely(e->privates) ? private_of(e, holder) : NULL;
	if (likely(version == e->newest && !p))
		return false;
	mask = mask_of(v, offset, size);
	if (p && (p->quarters & mask)) {
		memcpy(out, p->bytes + offset, size);
		v->stats.stale++;
		return true;
	}
	mask &= e->known * 0xffff;
	if (!((version ^ e->newest) & mask))
		return false;
	v->stats.stale++;
	i = image_of(e, version, mask);
	if (i)
		memcpy(out, i->bytes + offset, size);
	else
		compose(v, e, version, offset, size, out);
	return true;
}

void *values_target(const struct values *v, uint32_t holder, uint64_t line, uint32_t offset, void *own)
{
	const struct entry *e = find(v, line);
	struct private *p = e && unlikely(e->privates) ? private_of(e, holder) : NULL;

	return p && p->quarters & mask_of(v, offset, 1) ? p->bytes + offset : own;
}

void values_forget(struct values *v, uint64_t first_line, uint64_t count)
{
	for (uint64_t line = first_line; line < first_line + count; line++) {
		struct entry *e = find(v, line);

		if (!e)
			continue;
		clear(v, e);
		base_map_set(&v->entries, line, 0);
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
	for (uint32_t i = 0; i < v->ring->len; i++)
		clear(v, v->ring->pdata[i]);
	while (v->free_images) {
		struct image *next = v->free_images->next;

		g_free(v->free_images);
		v->free_images = next;
	}
	while (v->over) {
		struct private *next = v->over->next;

		g_free(v->over);
		v->over = next;
	}
	g_ptr_array_free(v->ring, TRUE);
	g_ptr_array_free(v->blocks, TRUE);
	base_map_free(&v->entries);
	g_free(v);
}
