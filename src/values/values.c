/* values.c - slots by line, a ring of old bytes, private lines. */
#include "values/values.h"

#include "base/bits.h"
#include "base/check.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>

enum { QUARTERS = 4 };
enum { PAGE_BYTES = 4096 }; /* of the host, whose memory for slots goes back by pages */
enum { FIRST_SLOTS = 1 << 20 };

/* Old bytes of some quarters of a line, in the ring. */
struct image {
	cpu_version version;
	uint64_t older : 56;   /* the place of the line's one before; 0: none */
	uint64_t quarters : 8; /* a bit each */
	uint8_t bytes[];       /* of these quarters, in their order */
};

struct private
{
	struct private *next; /* of the line, or of those that are over */
	uint64_t line;
	cpu_version version, quarters; /* of which they are */
	uint32_t holder;
	uint8_t bytes[];
};

/* Here a set of quarters has a bit each. */
typedef uint8_t quarter_set;
enum { ALL_QUARTERS = (1 << QUARTERS) - 1 };
/* What fits in the fields below. */
#define SET_MASK 15ull
#define PLACE_MASK ((1ull << 56) - 1)
#define HOST_MASK ((1ull << 48) - 1)

/* All that most accesses ask of a line, next to that of the lines beside it. */
struct slot {
	cpu_version newest;
	uint64_t host : 48; /* where the program has the line; 0: nobody has stored into it, or that is forgotten */
	uint64_t known : QUARTERS; /* of which newest says the version: since their first store */
	uint64_t moved : QUARTERS; /* others than who stored last may have the newest version */
	uint64_t saved : QUARTERS; /* the newest version is in the ring: a store is under way */
	uint64_t has_privates : 1;
	uint64_t is_used : 1;       /* stored into, or read where it was not the newest, since the hand came by */
	uint64_t newest_image : 56;   /* its place in the ring; 0: none */
	uint64_t untold : QUARTERS;   /* of those saved: the store has been executed */
	uint64_t last;		    /* who stored, 16 bits for each */
};

enum { PAGE_SLOTS = PAGE_BYTES / sizeof(struct slot) };
_Static_assert(PAGE_SLOTS <= UINT8_MAX, "a page's slots are counted in a byte");

struct values {
	uint32_t line_bytes, quarter_bytes, images_max, lines_max, line_count, hand;
	uint64_t *lines;      /* that have a slot, or had one */
	struct slot *slots;   /* by line; the host has memory where some are used */
	uint8_t *used_counts; /* of the slots of each page */
	uint64_t slots_count;
	/* Places in the ring only grow; what lies further behind than it is long has been overwritten. */
	uint64_t *ring, ring_words, ring_end;
	uint64_t ring_at; /* the word of ring_end */
	GHashTable *privates; /* by line */
	/* Private lines that are over are used again late: a store may still be on its way to one. */
	struct private *over, **over_end;
	uint32_t over_count;
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

static uint32_t image_words(const struct values *v, uint32_t quarter_count)
{
	return (uint32_t)(sizeof(struct image) + quarter_count * v->quarter_bytes) / (uint32_t)sizeof(uint64_t);
}

/* Room, all 0, of which the host has what is used. */
static void *room_new(size_t bytes)
{
	void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED) /* ends as GLib's allocations do */
		g_error("no %zu bytes of memory for the values of lines: %s", bytes, g_strerror(errno));
	return room;
}

static void *room_grow(void *room, size_t before, size_t bytes)
{
	room = mremap(room, before, bytes, MREMAP_MAYMOVE);
	if (room == MAP_FAILED)
		g_error("no %zu bytes of memory for the values of lines: %s", bytes, g_strerror(errno));
	return room;
}

struct values *values_new(uint32_t line_bytes, uint32_t lines_max, uint32_t images_max, uint64_t bytes_max)
{
	struct values *v = g_new0(struct values, 1);

	CHECK(line_bytes >= 32 && base_is_power_of_two(line_bytes) && lines_max && images_max);
	v->line_bytes = line_bytes;
	v->quarter_bytes = line_bytes / QUARTERS;
	v->lines_max = lines_max;
	v->images_max = images_max;
	v->lines = g_new(uint64_t, lines_max);
	v->ring_words = bytes_max / sizeof(uint64_t);
	CHECK(v->ring_words >= image_words(v, QUARTERS));
	v->ring = room_new(v->ring_words * sizeof(*v->ring));
	v->slots_count = FIRST_SLOTS;
	v->slots = room_new(v->slots_count * sizeof(*v->slots));
	v->used_counts = room_new(v->slots_count / PAGE_SLOTS);
	v->ring_end = v->ring_at = 1; /* 0 is no place */
	v->privates = g_hash_table_new(g_int64_hash, g_int64_equal);
	v->over_end = &v->over;
	return v;
}

/* ---- slots ---- */

/* NULL: nobody has stored into the line. */
static inline struct slot *find(const struct values *v, uint64_t line)
{
	return likely(line < v->slots_count && v->slots[line].host) ? &v->slots[line] : NULL;
}

bool values_is_known(const struct values *v, uint64_t line)
{
	return find(v, line);
}

/* The line has one from now on. */
static struct slot *slot_new(struct values *v, uint64_t line)
{
	const uint64_t before = v->slots_count;

	while (v->slots_count <= line)
		v->slots_count *= 2;
	if (unlikely(v->slots_count > before)) {
		v->slots = room_grow(v->slots, before * sizeof(*v->slots), v->slots_count * sizeof(*v->slots));
		v->used_counts = room_grow(v->used_counts, before / PAGE_SLOTS, v->slots_count / PAGE_SLOTS);
	}
	v->used_counts[line / PAGE_SLOTS]++;
	return &v->slots[line];
}

/* It has none any more. */
static void slot_clear(struct values *v, uint64_t line)
{
	v->slots[line] = (struct slot){0};
	if (!--v->used_counts[line / PAGE_SLOTS])
		madvise(&v->slots[line / PAGE_SLOTS * PAGE_SLOTS], PAGE_BYTES, MADV_DONTNEED);
}

void values_prefetch(const struct values *v, uint64_t line)
{
	__builtin_prefetch(&v->slots[line]);
}

/* ---- private lines ---- */

static void put_private(struct values *v, struct private *p)
{
	p->next = NULL;
	*v->over_end = p;
	v->over_end = &p->next;
	v->over_count++;
}

static struct private *privates_of(const struct values *v, uint64_t line)
{
	return g_hash_table_lookup(v->privates, &line);
}

/* The first of the line's is the key as well. */
static void set_privates(struct values *v, uint64_t line, struct private *first)
{
	if (first)
		g_hash_table_replace(v->privates, &first->line, first);
	else
		g_hash_table_remove(v->privates, &line);
}

static void clear_privates(struct values *v, uint64_t line)
{
	struct private *p = privates_of(v, line);

	set_privates(v, line, NULL);
	while (p) {
		struct private *next = p->next;

		put_private(v, p);
		p = next;
	}
}

/* ---- room ---- */

static void forget(struct values *v, uint64_t line, const struct slot *slot)
{
	if (slot->has_privates)
		clear_privates(v, line);
	slot_clear(v, line);
}

/* A place for a line: a new one, or that of one that has not been used since the hand came by. */
static uint32_t room(struct values *v)
{
	if (v->line_count < v->lines_max)
		return v->line_count++;
	for (;;) {
		const uint32_t place = v->hand;
		const uint64_t line = v->lines[place];
		struct slot *slot = find(v, line);

		v->hand = (v->hand + 1) % v->line_count;
		if (slot && slot->is_used) {
			slot->is_used = false;
			continue;
		}
		if (slot) {
			v->stats.evicted++;
			forget(v, line, slot);
		}
		return place;
	}
}

/* ---- images ---- */

static uint8_t *host_of(const struct slot *slot)
{
	return (uint8_t *)(uintptr_t)slot->host;
}

/* NULL: it has been overwritten. */
static struct image *image_at(const struct values *v, uint64_t place)
{
	return place && v->ring_end - place <= v->ring_words ? (struct image *)&v->ring[place % v->ring_words] : NULL;
}

/* Beside near-data processors lines are of 128 bytes. */
static inline void copy_quarter(const struct values *v, uint8_t *to, const uint8_t *from)
{
	enum { COMMON_BYTES = 32 };

	if (likely(v->quarter_bytes == COMMON_BYTES))
		memcpy(to, from, COMMON_BYTES);
	else
		memcpy(to, from, v->quarter_bytes);
}

/* So many words one after the other, and their place. */
static struct image *ring_take(struct values *v, uint32_t words, uint64_t *place)
{
	const uint64_t rest = v->ring_words - v->ring_at;
	struct image *image;

	if (rest < words) {
		v->ring_end += rest;
		v->ring_at = 0;
	}
	*place = v->ring_end;
	image = (struct image *)&v->ring[v->ring_at];
	v->ring_end += words;
	v->ring_at += words;
	return image;
}

static void save(struct values *v, struct slot *slot, quarter_set set)
{
	const uint32_t count = (uint32_t)__builtin_popcount(set);
	uint64_t place;
	struct image *image = ring_take(v, image_words(v, count), &place);
	uint8_t *to = image->bytes;

	*image = (struct image){.version = slot->newest, .older = slot->newest_image, .quarters = set};
	for (uint32_t left = set; left; left &= left - 1, to += v->quarter_bytes)
		copy_quarter(v, to, host_of(slot) + (uint32_t)__builtin_ctz(left) * v->quarter_bytes);
	slot->newest_image = place & PLACE_MASK;
	slot->saved = (slot->saved | set) & SET_MASK;
	v->stats.images++;
	/* The next image is written behind it: the host fetches that meanwhile. */
	for (uint32_t i = 0; i < image_words(v, QUARTERS); i += HOST_LINE_BYTES / sizeof(uint64_t))
		__builtin_prefetch(to + i * sizeof(uint64_t), 1);
}

static quarter_set stored_by_others(const struct slot *slot, uint32_t holder)
{
	const uint64_t differ = slot->last ^ holder * CPU_VERSION_ALL;
	quarter_set set = 0;

	for (uint32_t q = 0; q < QUARTERS; q++)
		set |= (quarter_set)(((uint16_t)(differ >> 16 * q) != 0) << q);
	return set;
}

void values_before_store(struct values *v, uint32_t holder, uint64_t line, void *host, cpu_version quarters)
{
	struct slot *slot = find(v, line);
	quarter_set set;

	if (!slot) {
		v->lines[room(v)] = line;
		slot = slot_new(v, line);
		*slot =
		    (struct slot){.host = (uintptr_t)host & HOST_MASK, .moved = ALL_QUARTERS /* the memory has it */};
	}
	slot->is_used = true;
	set = (quarter_set)((slot->moved | stored_by_others(slot, holder)) & set_of(quarters) & ~slot->saved);
	if (set)
		save(v, slot, set);
}

void values_told(struct values *v, uint64_t line)
{
	struct slot *slot = find(v, line);

	if (slot)
		slot->untold = 0;
}

static struct private *private_of(const struct values *v, uint64_t line, uint32_t holder)
{
	struct private *p = privates_of(v, line);

	while (p && p->holder != holder)
		p = p->next;
	return p;
}

static uint8_t *quarter_in(const struct values *v, struct image *i, uint32_t q)
{
	return i->bytes + (uint32_t)__builtin_popcount(i->quarters & ((1u << q) - 1)) * v->quarter_bytes;
}

/* Its bytes when it was saved last. NULL: they have been overwritten. */
static uint8_t *saved_quarter(const struct values *v, const struct slot *slot, uint32_t q)
{
	struct image *i = image_at(v, slot->newest_image);

	while (i && !(i->quarters >> q & 1))
		i = image_at(v, i->older);
	return i ? quarter_in(v, i, q) : NULL;
}

/* What was saved when the store began may not have what others executed since. */
void values_untold(struct values *v, uint64_t line)
{
	struct slot *slot = find(v, line);

	for (uint32_t left = slot ? (uint32_t)slot->saved : 0; left; left &= left - 1) {
		const uint32_t q = (uint32_t)__builtin_ctz(left);
		uint8_t *saved = saved_quarter(v, slot, q);

		if (!saved)
			continue;
		copy_quarter(v, saved, host_of(slot) + q * v->quarter_bytes);
		slot->untold = (slot->untold | 1ull << q) & SET_MASK;
	}
}

/* The quarter's bytes of a version; of one that nobody knows any more, the oldest. NULL: there are none. */
static const uint8_t *old_quarter(const struct values *v, const struct slot *slot, uint32_t q, cpu_version version)
{
	const uint8_t *oldest = NULL;
	struct image *i = image_at(v, slot->newest_image);
	uint32_t seen = 0;

	for (; i && seen < v->images_max; i = image_at(v, i->older)) {
		if (!(i->quarters >> q & 1))
			continue;
		oldest = quarter_in(v, i, q);
		if ((uint16_t)((i->version ^ version) >> 16 * q) == 0)
			return oldest;
		seen++;
	}
	return oldest;
}

/* Bytes of a version, quarter by quarter; untold: of these before the store that is under way. */
static void compose(const struct values *v, const struct slot *slot, cpu_version version, quarter_set untold,
		    uint32_t offset, uint32_t size, uint8_t *out)
{
	const uint32_t bytes = v->quarter_bytes;

	for (uint32_t q = offset / bytes; q * bytes < offset + size; q++) {
		const uint32_t begin = MAX(offset, q * bytes), end = MIN(offset + size, (q + 1) * bytes);
		const bool is_old = slot->known >> q & 1 && (uint16_t)((version ^ slot->newest) >> 16 * q);
		const uint8_t *from = is_old		? old_quarter(v, slot, q, version)
				      : untold >> q & 1 ? saved_quarter(v, slot, q)
							: NULL;

		if (!from)
			from = host_of(slot) + q * bytes;
		memcpy(out + (begin - offset), from + (begin - q * bytes), end - begin);
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
static void make_private(struct values *v, struct slot *slot, uint64_t line, uint32_t holder, cpu_version version,
			 cpu_version quarters)
{
	const uint32_t bytes = v->quarter_bytes;
	struct private *p = private_of(v, line, holder);

	if (!p) {
		p = get_private(v);
		*p = (struct private){.next = privates_of(v, line), .line = line, .holder = holder};
		set_privates(v, line, p);
		slot->has_privates = true;
		v->stats.privates++;
	}
	p->version = cpu_version_merge(p->version, version, quarters);
	p->quarters |= quarters;
	for (uint32_t q = 0; q < QUARTERS; q++)
		if (quarters >> 16 * q & 1)
			compose(v, slot, previous(version, quarters), 0, q * bytes, bytes, p->bytes + q * bytes);
}

/* The first store into these quarters says which version they have, and had when they were saved. */
static void learn(const struct values *v, struct slot *slot, cpu_version version, cpu_version quarters)
{
	const quarter_set unknown = set_of(quarters) & (quarter_set)~slot->known;
	quarter_set left = unknown & slot->saved;
	cpu_version before;

	if (!unknown)
		return;
	before = previous(version, quarters);
	slot->newest = cpu_version_merge(slot->newest, before, quarters_of(unknown));
	slot->known = (slot->known | unknown) & SET_MASK;
	for (struct image *i = image_at(v, slot->newest_image); left && i; i = image_at(v, i->older)) {
		i->version = cpu_version_merge(i->version, before, quarters_of(left & i->quarters));
		left &= (quarter_set)~i->quarters;
	}
}

/* What the holder has of its own, if it has something: NULL, else. */
static struct private *private_at(const struct values *v, const struct slot *slot, uint64_t line, uint32_t holder)
{
	return unlikely(slot->has_privates) ? private_of(v, line, holder) : NULL;
}

bool values_stored(struct values *v, uint32_t holder, uint64_t line, cpu_version version, cpu_version quarters)
{
	const quarter_set set = set_of(quarters);
	struct slot *slot = find(v, line);
	struct private *p;
	quarter_set unsaved;

	if (!slot)
		return false;
	slot->is_used = true;
	slot->untold &= ~(uint64_t)set & SET_MASK;
	p = private_at(v, slot, line, holder);
	if (p && (p->quarters & quarters)) {
		p->version = cpu_version_merge(p->version, version, quarters);
		return false;
	}
	learn(v, slot, version, quarters);
	if ((version ^ cpu_version_next(slot->newest, quarters)) & (quarters * 0xffff)) {
		make_private(v, slot, line, holder, version, quarters);
		return true;
	}
	unsaved = slot->moved & set & (quarter_set)~slot->saved;
	if (unsaved)
		save(v, slot, unsaved);
	slot->newest = cpu_version_merge(slot->newest, version, quarters);
	slot->last = cpu_version_merge(slot->last, holder * CPU_VERSION_ALL, quarters);
	slot->moved &= ~(uint64_t)set & SET_MASK;
	slot->saved &= ~(uint64_t)set & SET_MASK;
	return false;
}

/* What has not moved since the holder stored it is known. */
bool values_stored_again(struct values *v, uint32_t holder, uint64_t line, cpu_version version, cpu_version quarters)
{
	const uint64_t mask = quarters * 0xffff;
	struct slot *slot = find(v, line);

	if (!slot || slot->has_privates || ((slot->moved | slot->saved) & set_of(quarters)) ||
	    ((slot->last ^ holder * CPU_VERSION_ALL) & mask) ||
	    ((version ^ cpu_version_next(slot->newest, quarters)) & mask))
		return false;
	slot->is_used = true;
	slot->newest = cpu_version_merge(slot->newest, version, quarters);
	return true;
}

static void remove_private(struct values *v, struct slot *slot, struct private *p)
{
	struct private *first = privates_of(v, p->line), **link = &first;

	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	set_privates(v, p->line, first);
	slot->has_privates = first != NULL;
	put_private(v, p);
}

void values_moved(struct values *v, uint64_t line, uint32_t holder, cpu_version quarters)
{
	const uint32_t bytes = v->quarter_bytes;
	struct slot *slot = find(v, line);
	struct private *p;
	quarter_set unsaved;

	if (!slot)
		return;
	slot->moved = (slot->moved | set_of(quarters)) & SET_MASK;
	p = private_at(v, slot, line, holder);
	quarters &= p ? p->quarters : 0;
	if (!quarters)
		return;
	unsaved = set_of(quarters) & (quarter_set)~slot->saved;
	if (unsaved)
		save(v, slot, unsaved);
	for (uint32_t q = 0; q < QUARTERS; q++)
		if (quarters >> 16 * q & 1)
			memcpy(host_of(slot) + q * bytes, p->bytes + q * bytes, bytes);
	slot->newest = cpu_version_merge(slot->newest, p->version, quarters);
	slot->known = (slot->known | set_of(quarters)) & SET_MASK;
	slot->saved &= ~(uint64_t)set_of(quarters) & SET_MASK;
	slot->untold &= slot->saved;
	p->quarters &= ~quarters;
	if (!p->quarters)
		remove_private(v, slot, p);
}

void values_dropped(struct values *v, uint64_t line, uint32_t holder)
{
	struct slot *slot = find(v, line);
	struct private *p = slot ? private_at(v, slot, line, holder) : NULL;

	if (p)
		remove_private(v, slot, p);
}

/* The quarters that the bytes touch, 16 bits each. */
static cpu_version mask_of(const struct values *v, uint32_t offset, uint32_t size)
{
	const uint32_t bytes = v->quarter_bytes;
	cpu_version mask = 0;

	for (uint32_t q = offset / bytes; q <= (offset + size - 1) / bytes; q++)
		mask |= (cpu_version)0xffff << (16 * q);
	return mask;
}

bool values_is_newest(const struct values *v, uint64_t line, cpu_version version)
{
	const struct slot *slot = find(v, line);

	return !slot || (version == slot->newest && !slot->has_privates && !slot->untold);
}

/* untold: quarters of which the holder has not been told of the store that is under way. */
static bool read_as(struct values *v, struct slot *slot, uint32_t holder, uint64_t line, cpu_version version,
		    quarter_set untold, uint32_t offset, uint32_t size, void *out, bool *is_before)
{
	const struct private *p = private_at(v, slot, line, holder);
	const cpu_version mask = mask_of(v, offset, size);
	bool is_old;

	slot->is_used = true;
	*is_before = false;
	if (p && (p->quarters & mask)) {
		memcpy(out, p->bytes + offset, size);
		v->stats.stale++;
		return true;
	}
	untold &= set_of(mask & CPU_VERSION_ALL);
	is_old = (version ^ slot->newest) & mask & (quarters_of((quarter_set)slot->known) * 0xffff);
	if (!is_old && !untold)
		return false;
	*is_before = untold;
	*(is_old ? &v->stats.stale : &v->stats.before) += 1;
	compose(v, slot, version, untold, offset, size, out);
	return true;
}

bool values_read_before(struct values *v, uint32_t holder, uint64_t line, cpu_version version, uint32_t offset,
			uint32_t size, void *out, bool *is_before)
{
	struct slot *slot = find(v, line);

	*is_before = false;
	return unlikely(!values_is_newest(v, line, version)) &&
	       read_as(v, slot, holder, line, version, (quarter_set)slot->untold, offset, size, out, is_before);
}

bool values_read(struct values *v, uint32_t holder, uint64_t line, cpu_version version, uint32_t offset, uint32_t size,
		 void *out)
{
	struct slot *slot = find(v, line);
	bool is_before;

	return slot && unlikely(version != slot->newest || slot->has_privates) &&
	       read_as(v, slot, holder, line, version, 0, offset, size, out, &is_before);
}

void *values_target(const struct values *v, uint32_t holder, uint64_t line, uint32_t offset, void *own)
{
	const struct slot *slot = find(v, line);
	struct private *p = slot ? private_at(v, slot, line, holder) : NULL;

	return p && p->quarters & mask_of(v, offset, 1) ? p->bytes + offset : own;
}

void values_forget(struct values *v, uint64_t first_line, uint64_t count)
{
	for (uint64_t line = first_line; line < first_line + count; line++) {
		const struct slot *slot = find(v, line);

		if (slot)
			forget(v, line, slot);
	}
}

const struct values_stats *values_statistics(const struct values *v)
{
	return &v->stats;
}

static void free_privates(struct private *p)
{
	while (p) {
		struct private *next = p->next;

		g_free(p);
		p = next;
	}
}

static void free_privates_of(void *line, void *first, void *self)
{
	(void)line;
	(void)self;
	free_privates(first);
}

void values_free(struct values *v)
{
	if (!v)
		return;
	g_hash_table_foreach(v->privates, free_privates_of, NULL);
	g_hash_table_destroy(v->privates);
	free_privates(v->over);
	munmap(v->slots, v->slots_count * sizeof(*v->slots));
	munmap(v->used_counts, v->slots_count / PAGE_SLOTS);
	g_free(v->lines);
	munmap(v->ring, v->ring_words * sizeof(*v->ring));
	g_free(v);
}
