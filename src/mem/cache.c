/* cache.c - tags, replacement and MSHRs.
 *
 * A set lies in one piece: bits of its ways, a row of ranks, one byte a way (how many ways of the set have been used
 * since), and a row of tags (line number + 1; 0 = invalid). A probe compares all ways without leaving early so that the
 * compiler uses vector compares; a use moves the ranks of a set as one vector. A miss reserves its MSHR; the way is
 * chosen when the line arrives. Pending lines are found through a small hash table of MSHR indices (linear probing,
 * never more than half full).
 */
#include "mem/cache.h"

#include <glib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/list.h"
#include "mem/sectors.h"

const struct sim_param_desc cache_param_rows[] = {
#define PARAM_STRUCT struct cache_params
#include "sim/param_rows.inc"
#include "mem/cache_params.def"
#include "sim/param_end.inc"
};
const uint32_t cache_param_row_count = ARRAY_COUNT(cache_param_rows);

const struct sim_stat_desc cache_stat_rows[] = {
#define STAT_STRUCT struct cache_stats
#include "sim/stat_rows.inc"
#include "mem/cache_stats.def"
#include "sim/stat_end.inc"
};
const uint32_t cache_stat_row_count = ARRAY_COUNT(cache_stat_rows);

enum { NO_MSHR = UINT32_MAX, WAY_MAX = 64, RANK_LANES = 16, RANK_NONE = 0xff };

typedef uint8_t rank_lanes __attribute__((vector_size(RANK_LANES)));

struct mshr {
	uint64_t line;
	BASE_FIFO(struct mem_req);
	uint32_t request_count;
	uint32_t next_free;
	bool is_used, is_dirty; /* a write waits: the line arrives dirty */
	bool is_stale; /* invalidated on its way: answers those who wait, and is not kept */
	uint8_t way; /* allocate_on_miss: kept for the line */
	uint8_t pending_sectors, dirty_sectors; /* of a line with sectors: on their way; written by who waits */
};

/* What each set begins with; its ranks follow, then its tags. */
struct set {
	union {
		uint64_t dirty; /* bit per way */
		uint64_t kept;	/* write-through, allocate_on_miss: invalid ways that wait for their lines */
	};
	uint64_t valid;	       /* bit per way */
	rank_lanes ranks[];    /* of all ways, rounded up: 0 = used last; RANK_NONE: no way */
};

struct mem_cache {
	uint32_t way_count, way_count_max, set_bits, line_shift; /* way_count: those that are the cache's now */
	bool is_write_back, allocates_on_write, allocates_on_miss, updates_on_write, hashes_index, is_fermi;
	bool is_perfect, has_lines; /* has_lines: some way may be valid */
	uint32_t merge_count, rank_vectors, set_bytes;
	uint8_t *sets;

	bool validates_on_write;
	uint32_t sector_bytes, sector_count; /* of a line; 0: it has none */
	struct mem_line_sectors *sectors;    /* [set][way] */
	struct mem_cache_part part;	     /* numbering NULL: the cache is whole */

	struct mshr *mshrs;
	uint32_t mshr_count, mshr_used_count, mshr_free;
	uint32_t *table; /* MSHR of a line, by hash */
	uint32_t table_mask;

	struct cache_stats stats;
};

static void link_mshrs(struct mem_cache *c)
{
	for (uint32_t i = 0; i < c->mshr_count; i++) {
		c->mshrs[i].is_used = false;
		c->mshrs[i].next_free = i + 1 < c->mshr_count ? i + 1 : NO_MSHR;
	}
	c->mshr_free = 0;
	c->mshr_used_count = 0;
	memset(c->table, 0xff, ((size_t)c->table_mask + 1) * sizeof(*c->table));
}

static inline struct set *set_at(const struct mem_cache *c, uint32_t set)
{
	return (struct set *)(c->sets + (size_t)set * c->set_bytes);
}

/* [way]: line + 1, 0 = invalid */
static inline uint64_t *tags_of(const struct mem_cache *c, struct set *s)
{
	return (uint64_t *)(s->ranks + c->rank_vectors);
}

/* Ranks of a set, those of no way included. */
static uint32_t rank_count(uint64_t way_count)
{
	return (uint32_t)((way_count + RANK_LANES - 1) / RANK_LANES * RANK_LANES);
}

static uint32_t set_bytes(uint64_t way_count)
{
	const uint64_t bytes = sizeof(struct set) + rank_count(way_count) + way_count * sizeof(uint64_t);

	return (uint32_t)((bytes + RANK_LANES - 1) / RANK_LANES * RANK_LANES);
}

uint64_t mem_cache_host_bytes(const struct cache_params *p)
{
	const uint64_t line_count = p->size_bytes / p->line_bytes;

	return line_count / p->way_count * set_bytes(p->way_count) +
	       (p->sector_bytes ? line_count * sizeof(struct mem_line_sectors) : 0) +
	       p->mshr_count * sizeof(struct mshr);
}

/* Any order of the ways will do while they are invalid. */
static void order_ways(struct mem_cache *c)
{
	for (uint32_t set = 0; set < 1u << c->set_bits; set++) {
		uint8_t *rank = (uint8_t *)set_at(c, set)->ranks;

		for (uint32_t way = 0; way < c->rank_vectors * RANK_LANES; way++)
			rank[way] = way < c->way_count ? (uint8_t)way : RANK_NONE;
	}
}

static void sets_new(struct mem_cache *c)
{
	c->rank_vectors = rank_count(c->way_count) / RANK_LANES;
	c->set_bytes = set_bytes(c->way_count);
	c->sets = g_aligned_alloc0((gsize)1 << c->set_bits, c->set_bytes, HOST_LINE_BYTES);
	order_ways(c);
}

void mem_cache_resize(struct mem_cache *c, uint64_t size_bytes)
{
	const uint64_t way_bytes = 1ull << (c->set_bits + c->line_shift);
	const uint32_t ways = (uint32_t)base_max_u64(1, base_min_u64(size_bytes / way_bytes, c->way_count_max));

	CHECK(mem_cache_is_idle(c));
	if (ways == c->way_count)
		return;
	mem_cache_invalidate_all(c);
	c->way_count = ways;
	order_ways(c);
}

struct mem_cache *mem_cache_new(const struct cache_params *p, struct sim_stats *stats, const char *prefix)
{
	struct mem_cache *c = g_new0(struct mem_cache, 1);
	uint64_t set_count = p->size_bytes / (p->way_count * p->line_bytes);

	CHECK(p->way_count <= WAY_MAX);
	c->way_count = c->way_count_max = (uint32_t)p->way_count;
	c->line_shift = base_log2(p->line_bytes);
	c->set_bits = base_log2(set_count);
	c->is_write_back = p->write_policy == MEM_CACHE_WRITE_POLICY_BACK;
	c->allocates_on_write = p->write_allocate;
	c->allocates_on_miss = p->allocate_on_miss;
	c->updates_on_write = p->write_update;
	c->hashes_index = p->index_hash == MEM_CACHE_INDEX_XOR;
	c->is_fermi = p->index_hash == MEM_CACHE_INDEX_FERMI;
	c->is_perfect = p->is_perfect;
	CHECK(!c->is_fermi || set_count == 32 || set_count == 64);
	c->merge_count = (uint32_t)p->mshr_merge_count;
	c->validates_on_write = p->write_validate;
	c->sector_bytes = (uint32_t)p->sector_bytes;
	CHECK(!c->sector_bytes || !c->allocates_on_miss);
	if (c->sector_bytes) {
		c->sector_count = (uint32_t)(p->line_bytes / p->sector_bytes);
		CHECK(c->sector_count <= MEM_SECTORS_MAX);
		c->sectors = g_new0(struct mem_line_sectors, set_count * p->way_count);
	}
	sets_new(c);
	c->mshr_count = (uint32_t)p->mshr_count;
	c->mshrs = g_new0(struct mshr, c->mshr_count);
	c->table_mask = 3;
	while (c->table_mask + 1 < 2 * c->mshr_count)
		c->table_mask = 2 * c->table_mask + 1;
	c->table = g_new(uint32_t, (size_t)c->table_mask + 1);
	link_mshrs(c);
	if (stats)
		sim_stats_add(stats, prefix, cache_stat_rows, cache_stat_row_count, &c->stats, sizeof(c->stats));
	return c;
}

void mem_cache_free(struct mem_cache *c)
{
	if (!c)
		return;
	g_aligned_free(c->sets);
	g_free(c->sectors);
	g_free(c->mshrs);
	g_free(c->table);
	g_free(c);
}

void mem_cache_is_part(struct mem_cache *c, const struct mem_cache_part *part)
{
	c->part = *part;
}

/* The line's number among those of its part. */
static uint64_t number_of(const struct mem_cache *c, uint64_t line, uint64_t *others)
{
	const uint64_t addr_bytes = line << c->line_shift;
	const struct mem_cache_part *p = &c->part;
	const struct mem_numbering *n = p->numbering_of ? p->numbering_of(p->self, addr_bytes) : p->numbering;

	*others = mem_number_others(n, addr_bytes, c->set_bits);
	return mem_number_of(n, addr_bytes) >> c->line_shift;
}

/* Fermi's L1 (Nugteren et al., HPCA'14): address bits 7 to 11 XORed with bits 13, 14, 15, 17 and 19; of 64 sets the
 * highest bit is bit 12. */
static uint64_t fermi_index(uint64_t line)
{
	const uint64_t high = (line >> 6 & 7) | (line >> 10 & 1) << 3 | (line >> 12 & 1) << 4;

	return ((line ^ high) & 31) | (line & 32);
}

static inline struct set *set_of(const struct mem_cache *c, uint64_t line)
{
	uint64_t others = 0;
	uint64_t index = unlikely(c->part.numbering != NULL) ? number_of(c, line, &others) : line, high = index;

	if (c->hashes_index)
		index ^= high >> c->set_bits ^ high >> 2 * c->set_bits;
	else if (unlikely(c->is_fermi))
		index = fermi_index(index);
	index ^= others;
	return set_at(c, (uint32_t)(index & ((1ull << c->set_bits) - 1)));
}

/* The way that holds the line, or -1. */
static inline int find_way(const struct mem_cache *c, struct set *s, uint64_t line)
{
	const uint64_t *tags = tags_of(c, s);
	int way = -1;

	for (uint32_t i = 0; i < c->way_count; i++)
		way = tags[i] == line + 1 ? (int)i : way;
	return way;
}

static inline void touch(const struct mem_cache *c, struct set *s, uint32_t way)
{
	uint8_t *rank = (uint8_t *)s->ranks, before = rank[way];

	for (uint32_t i = 0; i < c->rank_vectors; i++)
		s->ranks[i] -= (rank_lanes)(s->ranks[i] < before); /* a true lane is -1 */
	rank[way] = 0;
}

static inline uint32_t table_slot(const struct mem_cache *c, uint64_t line)
{
	return (uint32_t)(line * 0x9e3779b97f4a7c15ull >> 32) & c->table_mask;
}

static uint32_t find_mshr(const struct mem_cache *c, uint64_t line)
{
	if (c->mshr_used_count == 0)
		return NO_MSHR;
	for (uint32_t slot = table_slot(c, line);; slot = (slot + 1) & c->table_mask) {
		uint32_t m = c->table[slot];

		if (m == NO_MSHR || c->mshrs[m].line == line)
			return m;
	}
}

static void table_insert(struct mem_cache *c, uint32_t m)
{
	uint32_t slot = table_slot(c, c->mshrs[m].line);

	while (c->table[slot] != NO_MSHR)
		slot = (slot + 1) & c->table_mask;
	c->table[slot] = m;
}

/* Removes by moving later entries of the same run back (no tombstones). */
static void table_remove(struct mem_cache *c, uint32_t m)
{
	uint32_t hole = table_slot(c, c->mshrs[m].line), slot;

	while (c->table[hole] != m)
		hole = (hole + 1) & c->table_mask;
	for (slot = (hole + 1) & c->table_mask; c->table[slot] != NO_MSHR; slot = (slot + 1) & c->table_mask) {
		uint32_t home = table_slot(c, c->mshrs[c->table[slot]].line);

		if (((slot - home) & c->table_mask) >= ((slot - hole) & c->table_mask)) {
			c->table[hole] = c->table[slot];
			hole = slot;
		}
	}
	c->table[hole] = NO_MSHR;
}

static void chain(struct mshr *m, struct mem_req *r)
{
	base_fifo_push(m, r, next);
	m->request_count++;
}

/* The least recently used of the ways that no line on its way has, invalid ones first; way_count: there is none. */
static uint32_t way_left(const struct mem_cache *c, const struct set *s)
{
	const uint8_t *rank = (const uint8_t *)s->ranks;
	uint32_t best = c->way_count;

	for (uint32_t way = 0; way < c->way_count; way++) {
		if (s->kept >> way & 1)
			continue;
		if (!(s->valid >> way & 1))
			return way;
		if (best == c->way_count || rank[way] > rank[best])
			best = way;
	}
	return best;
}

/* The way goes to a line that is asked for; what is in it goes now. */
static void keep_way(struct mem_cache *c, struct set *s, uint32_t way)
{
	const uint64_t bit = 1ull << way;

	c->stats.evictions += (s->valid & bit) != 0;
	tags_of(c, s)[way] = 0;
	s->valid &= ~bit;
	s->kept |= bit;
	touch(c, s, way);
}

/* A miss: merges into the pending line's MSHR or reserves one. */
static enum mem_cache_result miss(struct mem_cache *c, struct mem_req *r, uint64_t line, bool is_write, uint32_t *mshr)
{
	uint32_t m = find_mshr(c, line), way = 0;

	if (m != NO_MSHR) {
		if (c->mshrs[m].request_count >= c->merge_count) {
			c->stats.merge_stalls++;
			return MEM_CACHE_STALL;
		}
		chain(&c->mshrs[m], r);
		c->mshrs[m].is_dirty |= is_write;
		*mshr = m;
		return MEM_CACHE_MERGED;
	}
	m = c->mshr_free;
	if (m == NO_MSHR) {
		c->stats.mshr_stalls++;
		return MEM_CACHE_STALL;
	}
	if (c->allocates_on_miss) {
		struct set *set = set_of(c, line);

		way = way_left(c, set);
		if (way == c->way_count) {
			c->stats.way_stalls++;
			return MEM_CACHE_STALL;
		}
		keep_way(c, set, way);
	}
	c->mshr_free = c->mshrs[m].next_free;
	c->mshrs[m] = (struct mshr){.line = line, .is_used = true, .is_dirty = is_write,
				      .way = (uint8_t)way};
	chain(&c->mshrs[m], r);
	table_insert(c, m);
	c->mshr_used_count++;
	if (c->mshr_used_count > c->stats.mshr_max)
		c->stats.mshr_max = c->mshr_used_count;
	*mshr = m;
	return MEM_CACHE_MISS;
}

/* Whose lines are all there: it stays empty, and nothing is asked for below or leaves. */
static enum mem_cache_result perfect_read(struct mem_cache *c)
{
	c->stats.reads++;
	c->stats.read_hits++;
	return MEM_CACHE_HIT;
}

static enum mem_cache_result perfect_write(struct mem_cache *c)
{
	c->stats.writes++;
	c->stats.write_hits++;
	return c->is_write_back ? MEM_CACHE_HIT : MEM_CACHE_WRITE_THROUGH;
}

enum mem_cache_result mem_cache_read(struct mem_cache *c, struct mem_req *r, uint32_t *mshr)
{
	uint64_t line = r->addr_bytes >> c->line_shift;
	struct set *set = set_of(c, line);
	int way = find_way(c, set, line);
	enum mem_cache_result result;

	if (unlikely(c->is_perfect))
		return perfect_read(c);
	if (way >= 0) {
		touch(c, set, (uint32_t)way);
		c->stats.reads++;
		c->stats.read_hits++;
		return MEM_CACHE_HIT;
	}
	result = miss(c, r, line, false, mshr);
	if (result == MEM_CACHE_STALL)
		return result;
	c->stats.reads++;
	if (result == MEM_CACHE_MISS)
		c->stats.read_misses++;
	else
		c->stats.read_merges++;
	return result;
}

/* Of the line in this way. */
static struct mem_line_sectors *sectors_of(const struct mem_cache *c, const struct set *set, uint32_t way)
{
	const size_t number = (size_t)((const uint8_t *)set - c->sets) / c->set_bytes;

	return &c->sectors[number * c->way_count_max + way];
}

static void drop_way(struct mem_cache *c, struct set *set, uint32_t way)
{
	tags_of(c, set)[way] = 0;
	set->dirty &= ~(1ull << way);
	set->valid &= ~(1ull << way);
	c->stats.invalidations++;
}

static enum mem_cache_result write_through(struct mem_cache *c, struct set *set, int way)
{
	c->stats.writes++;
	if (way < 0) {
		c->stats.write_misses++;
		return MEM_CACHE_WRITE_THROUGH;
	}
	c->stats.write_hits++;
	if (c->updates_on_write)
		touch(c, set, (uint32_t)way);
	else
		drop_way(c, set, (uint32_t)way);
	return MEM_CACHE_WRITE_THROUGH;
}

enum mem_cache_result mem_cache_write(struct mem_cache *c, struct mem_req *r, uint32_t *mshr)
{
	uint64_t line = r->addr_bytes >> c->line_shift;
	struct set *set = set_of(c, line);
	int way = find_way(c, set, line);
	enum mem_cache_result result;

	if (unlikely(c->is_perfect))
		return perfect_write(c);
	if (!c->is_write_back)
		return write_through(c, set, way);
	if (way >= 0) {
		touch(c, set, (uint32_t)way);
		set->dirty |= 1ull << way;
		c->stats.writes++;
		c->stats.write_hits++;
		return MEM_CACHE_HIT;
	}
	/* Not allocating, a write to a line on its way must still meet it, or the older line would arrive after it. */
	if (!c->allocates_on_write && find_mshr(c, line) == NO_MSHR) {
		c->stats.writes++;
		c->stats.write_misses++;
		return MEM_CACHE_WRITE_THROUGH;
	}
	result = miss(c, r, line, true, mshr);
	if (result != MEM_CACHE_STALL) {
		c->stats.writes++;
		c->stats.write_misses++;
	}
	return result;
}

/* An invalid way, else the least recently used one: the one byte that, less the highest rank, is zero. */
static inline uint32_t victim_way(const struct mem_cache *c, const struct set *s)
{
	const uint64_t ones = 0x0101010101010101ull, tops = ones << 7;
	const uint64_t oldest = ones * (c->way_count - 1);
	const uint8_t *rank = (const uint8_t *)s->ranks;
	uint64_t invalid = ~s->valid & (~0ull >> (64 - c->way_count)), found, word;

	if (invalid)
		return (uint32_t)__builtin_ctzll(invalid);
	for (uint32_t way = 0;; way += sizeof(word)) {
		memcpy(&word, rank + way, sizeof(word));
		word ^= oldest;
		found = (word - ones) & ~word & tops;
		if (found)
			return way + (uint32_t)__builtin_ctzll(found) / 8;
	}
}

/* Bytes of a dirty line to be written. */
static uint32_t dirty_bytes(struct mem_cache *c, const struct set *set, uint32_t way)
{
	uint32_t count;

	if (!c->sector_bytes)
		return 1u << c->line_shift;
	count = (uint32_t)__builtin_popcount(sectors_of(c, set, way)->dirty);
	c->stats.sector_writebacks += count;
	return count * c->sector_bytes;
}

/* The line takes a way, and is clean. */
static uint32_t insert(struct mem_cache *c, struct set *set, uint64_t line, struct mem_cache_victim *victim)
{
	uint32_t way = victim_way(c, set);
	uint64_t *tag = &tags_of(c, set)[way], bit = 1ull << way;

	if (*tag) {
		c->stats.evictions++;
		if (set->dirty & bit) {
			c->stats.writebacks++;
			victim->addr_bytes = (*tag - 1) << c->line_shift;
			victim->size_bytes = dirty_bytes(c, set, way);
		}
	}
	*tag = line + 1;
	c->has_lines = true;
	set->valid |= bit;
	set->dirty &= ~bit;
	touch(c, set, way);
	c->stats.fills++;
	return way;
}

/* Returns its chain. */
static struct mem_req *mshr_end(struct mem_cache *c, uint32_t mshr)
{
	struct mshr *m = &c->mshrs[mshr];

	if (likely(!m->is_stale))
		table_remove(c, mshr);
	m->is_used = false;
	m->next_free = c->mshr_free;
	c->mshr_free = mshr;
	c->mshr_used_count--;
	return m->first;
}

/* The line goes where its miss has kept a way; a stale one leaves that free. */
static void take_kept(struct mem_cache *c, const struct mshr *m)
{
	struct set *set = set_of(c, m->line);
	const uint64_t bit = 1ull << m->way;

	CHECK(set->kept & bit);
	set->kept &= ~bit;
	if (m->is_stale)
		return;
	tags_of(c, set)[m->way] = m->line + 1;
	c->has_lines = true;
	set->valid |= bit;
	c->stats.fills++;
}

struct mem_req *mem_cache_fill(struct mem_cache *c, uint32_t mshr, uint64_t *victim_addr_bytes)
{
	struct mshr *m = &c->mshrs[mshr];
	struct mem_cache_victim victim = {.addr_bytes = UINT64_MAX};

	CHECK(mshr < c->mshr_count && m->is_used);
	if (c->allocates_on_miss) {
		take_kept(c, m);
	} else if (likely(!m->is_stale)) {
		struct set *set = set_of(c, m->line);
		uint32_t way = insert(c, set, m->line, &victim);

		set->dirty |= m->is_dirty ? 1ull << way : 0;
	}
	*victim_addr_bytes = victim.addr_bytes;
	return mshr_end(c, mshr);
}

/* ---- lines with sectors ---- */

/* The line takes a way, of whose sectors none is there. */
static struct mem_line_sectors *insert_empty(struct mem_cache *c, struct set *set, uint64_t line,
					     struct mem_cache_victim *victim, uint32_t *way)
{
	struct mem_line_sectors *l;

	*way = insert(c, set, line, victim);
	l = sectors_of(c, set, *way);
	*l = (struct mem_line_sectors){0};
	return l;
}

/* Sectors of `needed` that are not there. */
static uint8_t sectors_missing(const struct mem_cache *c, const struct set *set, int way, uint8_t needed)
{
	return way < 0 ? needed : (uint8_t)(needed & ~sectors_of(c, set, (uint32_t)way)->present);
}

/* Waits for missing sectors, which are fetched unless they are on their way. */
static enum mem_cache_result sectors_miss(struct mem_cache *c, struct mem_req *r, uint64_t line, uint8_t missing,
					  uint8_t written, uint32_t *mshr, uint32_t *fetch_mask)
{
	enum mem_cache_result result = miss(c, r, line, written != 0, mshr);
	struct mshr *m;

	if (result == MEM_CACHE_STALL)
		return result;
	m = &c->mshrs[*mshr];
	*fetch_mask = missing & ~m->pending_sectors;
	m->pending_sectors |= missing;
	m->dirty_sectors |= written;
	return *fetch_mask ? MEM_CACHE_MISS : MEM_CACHE_MERGED;
}

enum mem_cache_result mem_cache_read_sectors(struct mem_cache *c, struct mem_req *r, const struct mem_req_bytes *bytes,
					     uint32_t *mshr, uint32_t *fetch_mask)
{
	const uint64_t line = r->addr_bytes >> c->line_shift;
	const uint8_t needed = mem_sectors_of(bytes, c->sector_bytes, c->sector_count);
	struct set *set = set_of(c, line);
	const int way = find_way(c, set, line);
	const uint8_t missing = sectors_missing(c, set, way, needed);
	enum mem_cache_result result = MEM_CACHE_HIT;

	*fetch_mask = 0;
	if (unlikely(c->is_perfect))
		return perfect_read(c);
	if (missing)
		result = sectors_miss(c, r, line, missing, 0, mshr, fetch_mask);
	if (result == MEM_CACHE_STALL)
		return result;
	if (way >= 0)
		touch(c, set, (uint32_t)way);
	c->stats.reads++;
	c->stats.read_hits += result == MEM_CACHE_HIT;
	c->stats.read_misses += result == MEM_CACHE_MISS;
	c->stats.read_merges += result == MEM_CACHE_MERGED;
	c->stats.sector_misses += missing && way >= 0;
	return result;
}

/* Bytes that are written into a line, which is here. */
static void write_here(struct mem_cache *c, struct set *set, uint32_t way, const struct mem_req_bytes *bytes)
{
	touch(c, set, way);
	mem_sectors_write(sectors_of(c, set, way), bytes, c->sector_bytes, c->sector_count);
	set->dirty |= 1ull << way;
}

/* What is here of sectors that are written is dirty, whenever the others come: the line may go before. */
static void dirty_present(struct mem_cache *c, struct set *set, uint32_t way, uint8_t sectors)
{
	struct mem_line_sectors *l = sectors_of(c, set, way);

	l->dirty |= sectors & l->present;
	set->dirty |= l->dirty ? 1ull << way : 0;
}

enum mem_cache_result mem_cache_write_sectors(struct mem_cache *c, struct mem_req *r, const struct mem_req_bytes *bytes,
					      bool is_update, uint32_t *mshr, uint32_t *fetch_mask,
					      struct mem_cache_victim *victim)
{
	const uint64_t line = r->addr_bytes >> c->line_shift;
	const uint8_t needed = mem_sectors_of(bytes, c->sector_bytes, c->sector_count);
	struct set *set = set_of(c, line);
	int way = find_way(c, set, line);
	const uint8_t missing = sectors_missing(c, set, way, needed);
	const bool is_hit = way >= 0;
	enum mem_cache_result result = MEM_CACHE_HIT;

	victim->addr_bytes = UINT64_MAX;
	*fetch_mask = 0;
	if (unlikely(c->is_perfect))
		return perfect_write(c);
	if (!c->is_write_back)
		return write_through(c, set, way);
	if (missing && !c->allocates_on_write && find_mshr(c, line) == NO_MSHR) {
		result = MEM_CACHE_WRITE_THROUGH;
	} else if (!missing || (c->validates_on_write && !is_update)) {
		uint32_t taken = (uint32_t)way;

		if (!is_hit)
			insert_empty(c, set, line, victim, &taken);
		write_here(c, set, taken, bytes);
	} else {
		result = sectors_miss(c, r, line, missing, missing, mshr, fetch_mask);
		if (is_hit && result != MEM_CACHE_STALL)
			dirty_present(c, set, (uint32_t)way, needed);
	}
	if (result == MEM_CACHE_STALL)
		return result;
	c->stats.writes++;
	c->stats.write_hits += is_hit && !missing;
	c->stats.write_misses += !is_hit || missing;
	c->stats.sector_misses += is_hit && missing;
	return result;
}

struct mem_req *mem_cache_fill_sector(struct mem_cache *c, uint32_t mshr, uint32_t sector,
				      struct mem_cache_victim *victim)
{
	struct mshr *m = &c->mshrs[mshr];
	const uint8_t bit = (uint8_t)(1u << sector);

	CHECK(mshr < c->mshr_count && m->is_used && m->pending_sectors & bit);
	victim->addr_bytes = UINT64_MAX;
	m->pending_sectors &= (uint8_t)~bit;
	c->stats.sector_fills++;
	if (likely(!m->is_stale)) {
		struct set *set = set_of(c, m->line);
		const int found = find_way(c, set, m->line);
		uint32_t way = (uint32_t)found;
		struct mem_line_sectors *l = found >= 0 ? sectors_of(c, set, way)
							: insert_empty(c, set, m->line, victim, &way);

		l->present |= bit;
		l->dirty |= m->dirty_sectors & l->present;
		set->dirty |= l->dirty ? 1ull << way : 0;
	}
	return m->pending_sectors ? NULL : mshr_end(c, mshr);
}

/* ---- without time ---- */

static void warm_way(struct mem_cache *c, struct set *set, uint32_t way, const struct mem_req_bytes *bytes,
		     bool is_write)
{
	touch(c, set, way);
	if (c->sector_bytes && (!is_write || c->is_write_back)) {
		sectors_of(c, set, way)->present |= mem_sectors_of(bytes, c->sector_bytes, c->sector_count);
		if (is_write)
			write_here(c, set, way, bytes);
	} else if (is_write && c->is_write_back) {
		set->dirty |= 1ull << way;
	} else if (is_write && !c->updates_on_write) {
		drop_way(c, set, way);
	}
}

void mem_cache_warm(struct mem_cache *c, uint64_t addr_bytes, const struct mem_req_bytes *bytes, bool is_write)
{
	const uint64_t line = addr_bytes >> c->line_shift;
	const struct cache_stats counted = c->stats;
	struct mem_cache_victim victim;
	struct set *set = set_of(c, line);
	int way = find_way(c, set, line);
	const bool takes = !is_write || (c->is_write_back && c->allocates_on_write);

	/* Ways that wait for their lines are nobody else's, and are found in another way. */
	if (c->is_perfect || (c->mshr_used_count && find_mshr(c, line) != NO_MSHR) ||
	    (way < 0 && (!takes || c->allocates_on_miss)))
		return;
	if (way < 0) {
		way = (int)insert(c, set, line, &victim);
		if (c->sector_bytes)
			*sectors_of(c, set, (uint32_t)way) = (struct mem_line_sectors){0};
	}
	warm_way(c, set, (uint32_t)way, bytes, is_write);
	c->stats = counted;
}

uint32_t mem_cache_line_bytes(const struct mem_cache *c)
{
	return 1u << c->line_shift;
}

double mem_cache_mshr_share(const struct mem_cache *c)
{
	return (double)c->mshr_used_count / c->mshr_count;
}

uint64_t mem_cache_mshr_addr_bytes(const struct mem_cache *c, uint32_t mshr)
{
	CHECK(mshr < c->mshr_count && c->mshrs[mshr].is_used);
	return c->mshrs[mshr].line << c->line_shift;
}

bool mem_cache_mshr_is_stale(const struct mem_cache *c, uint32_t mshr)
{
	CHECK(mshr < c->mshr_count && c->mshrs[mshr].is_used);
	return c->mshrs[mshr].is_stale;
}

bool mem_cache_holds(const struct mem_cache *c, uint64_t addr_bytes, const struct mem_req_bytes *bytes)
{
	const uint64_t line = addr_bytes >> c->line_shift;
	struct set *set = set_of(c, line);
	const int way = find_way(c, set, line);

	return way >= 0 &&
	       !(c->sector_bytes &&
		 sectors_missing(c, set, way, mem_sectors_of(bytes, c->sector_bytes, c->sector_count)));
}

bool mem_cache_has_line(const struct mem_cache *c, uint64_t addr_bytes)
{
	return find_way(c, set_of(c, addr_bytes >> c->line_shift), addr_bytes >> c->line_shift) >= 0 ||
	       find_mshr(c, addr_bytes >> c->line_shift) != NO_MSHR;
}

bool mem_cache_probe(struct mem_cache *c, uint64_t addr_bytes)
{
	struct set *set = set_of(c, addr_bytes >> c->line_shift);
	int way = find_way(c, set, addr_bytes >> c->line_shift);

	if (way >= 0)
		touch(c, set, (uint32_t)way);
	return way >= 0 || c->is_perfect;
}

void mem_cache_prefetch(const struct mem_cache *c, uint64_t addr_bytes)
{
	uint64_t line = addr_bytes >> c->line_shift;
	const uint8_t *set = (const uint8_t *)set_of(c, line);

	for (uint32_t i = 0; i < c->set_bytes; i += HOST_LINE_BYTES)
		__builtin_prefetch(set + i, 1);
	__builtin_prefetch(&c->table[table_slot(c, line)]);
}

/* Reads from now on must not meet the line that is on its way. A write that waits for it still does. */
static void make_stale(struct mem_cache *c, uint32_t mshr)
{
	struct mshr *m = &c->mshrs[mshr];

	if (m->is_dirty)
		return;
	table_remove(c, mshr);
	m->is_stale = true;
}

void mem_cache_invalidate_line(struct mem_cache *c, uint64_t addr_bytes)
{
	uint64_t line = addr_bytes >> c->line_shift;
	struct set *set = set_of(c, line);
	uint32_t mshr = find_mshr(c, line);
	int way = find_way(c, set, line);

	if (way >= 0)
		drop_way(c, set, (uint32_t)way);
	if (mshr != NO_MSHR)
		make_stale(c, mshr);
}

uint32_t mem_cache_invalidate_some(struct mem_cache *c, mem_cache_test *is_struck, const void *self)
{
	uint32_t kept = 0, set_count = c->has_lines ? 1u << c->set_bits : 0;

	for (uint32_t i = 0; i < set_count; i++) {
		struct set *set = set_at(c, i);

		for (uint64_t ways = set->valid; ways; ways &= ways - 1) {
			uint32_t way = (uint32_t)__builtin_ctzll(ways);

			if (!is_struck || is_struck(self, (tags_of(c, set)[way] - 1) << c->line_shift))
				drop_way(c, set, way);
			else
				kept++;
		}
	}
	c->has_lines = kept != 0;
	for (uint32_t i = 0; c->mshr_used_count && i < c->mshr_count; i++) {
		const struct mshr *m = &c->mshrs[i];

		if (m->is_used && !m->is_stale && (!is_struck || is_struck(self, m->line << c->line_shift)))
			make_stale(c, i);
	}
	return kept;
}

void mem_cache_reads(const struct mem_cache *c, uint64_t *reads, uint64_t *misses)
{
	*reads = c->stats.reads;
	*misses = c->stats.reads - c->stats.read_hits;
}

bool mem_cache_is_idle(const struct mem_cache *c)
{
	return c->mshr_used_count == 0;
}

void mem_cache_reset(struct mem_cache *c)
{
	mem_cache_invalidate_all(c);
	for (uint32_t i = 0; c->allocates_on_miss && i < 1u << c->set_bits; i++)
		set_at(c, i)->kept = 0;
	link_mshrs(c);
}
