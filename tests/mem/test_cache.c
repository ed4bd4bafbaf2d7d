/* The cache against a naive model: a list of lines per set with explicit ages, and a list of pending lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mem/cache.h"

static const struct mem_req_bytes all_bytes = {{UINT64_MAX, UINT64_MAX}};

enum { LINES_MAX = 256, PENDING_MAX = 8, MERGE_MAX = 3 };

struct naive_line {
	uint64_t line, age;
	bool is_valid, is_dirty;
};

struct naive {
	struct naive_line lines[LINES_MAX];
	uint32_t set_count, way_count;
	uint64_t clock;
	struct {
		uint64_t line;
		uint32_t count, mshr;
		bool is_used, is_dirty;
	} pending[PENDING_MAX];
};

static struct naive_line *naive_find(struct naive *n, uint64_t line)
{
	struct naive_line *set = &n->lines[line % n->set_count * n->way_count];

	for (uint32_t i = 0; i < n->way_count; i++) {
		if (set[i].is_valid && set[i].line == line)
			return &set[i];
	}
	return NULL;
}

static enum mem_cache_result naive_access(struct naive *n, uint64_t line, bool is_write, bool is_back, uint32_t *slot)
{
	struct naive_line *l = naive_find(n, line);
	uint32_t free_slot = PENDING_MAX;

	if (l) {
		l->age = ++n->clock;
		l->is_dirty |= is_write && is_back;
	}
	if (is_write && !is_back)
		return MEM_CACHE_WRITE_THROUGH;
	if (l)
		return MEM_CACHE_HIT;
	for (uint32_t i = 0; i < PENDING_MAX; i++) {
		if (n->pending[i].is_used && n->pending[i].line == line) {
			if (n->pending[i].count == MERGE_MAX)
				return MEM_CACHE_STALL;
			n->pending[i].count++;
			n->pending[i].is_dirty |= is_write;
			*slot = i;
			return MEM_CACHE_MERGED;
		}
		if (!n->pending[i].is_used && free_slot == PENDING_MAX)
			free_slot = i;
	}
	if (free_slot == PENDING_MAX)
		return MEM_CACHE_STALL;
	n->pending[free_slot].is_used = true;
	n->pending[free_slot].line = line;
	n->pending[free_slot].count = 1;
	n->pending[free_slot].is_dirty = is_write;
	*slot = free_slot;
	return MEM_CACHE_MISS;
}

static uint64_t naive_fill(struct naive *n, uint32_t slot)
{
	uint64_t line = n->pending[slot].line, victim = UINT64_MAX;
	struct naive_line *set = &n->lines[line % n->set_count * n->way_count], *best = NULL;

	for (uint32_t i = 0; i < n->way_count && !best; i++) {
		if (!set[i].is_valid)
			best = &set[i];
	}
	for (uint32_t i = 0; i < n->way_count && (!best || best->is_valid); i++) {
		if (!best || set[i].age < best->age)
			best = &set[i];
	}
	if (best->is_valid && best->is_dirty)
		victim = best->line * 128;
	*best = (struct naive_line){line, ++n->clock, true, n->pending[slot].is_dirty};
	n->pending[slot].is_used = false;
	return victim;
}

static uint64_t seed;

static uint64_t rnd(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return seed >> 33;
}

static struct cache_params params(uint64_t size, uint64_t ways)
{
	struct cache_params p;
	const struct sim_param_group g = {"l1d", cache_param_rows, cache_param_row_count, &p, NULL};

	sim_param_defaults(&g);
	p.size_bytes = size;
	p.way_count = ways;
	p.index_hash = 0;
	p.mshr_count = PENDING_MAX;
	p.mshr_merge_count = MERGE_MAX;
	return p;
}

/* Drops a line, now and then all of them; not one that is on its way, whose fate belongs to the fill. */
static void invalidate_some(struct naive *n, struct mem_cache *c)
{
	uint64_t line = rnd() % 150;
	bool is_pending = false, is_any = false;

	for (uint32_t i = 0; i < PENDING_MAX; i++) {
		is_any |= n->pending[i].is_used;
		is_pending |= n->pending[i].is_used && n->pending[i].line == line;
	}
	if (!is_any && rnd() % 8 == 0) {
		mem_cache_invalidate_all(c);
		for (uint32_t i = 0; i < LINES_MAX; i++)
			n->lines[i].is_valid = false;
	} else if (!is_pending) {
		mem_cache_invalidate_line(c, line * 128 + rnd() % 128);
		if (naive_find(n, line))
			naive_find(n, line)->is_valid = false;
	}
}

static void random_stream(bool is_back, uint64_t ways)
{
	struct cache_params p = params(8192, ways);
	struct mem_req_pool *pool = mem_req_pool_new();
	struct naive *n = calloc(1, sizeof(*n));
	struct mem_cache *c;
	uint64_t answered = 0, chained = 0;

	p.write_policy = is_back;
	p.write_allocate = is_back;
	n->way_count = (uint32_t)ways;
	n->set_count = (uint32_t)(8192 / 128 / ways);
	c = mem_cache_new(&p, NULL, "l1d");
	for (uint32_t step = 0; step < 60000; step++) {
		uint32_t slot = 0, mshr = 0;

		if (rnd() % 32 == 0)
			invalidate_some(n, c);
		if (rnd() % 4 == 0) {
			slot = (uint32_t)(rnd() % PENDING_MAX);
			if (!n->pending[slot].is_used)
				continue;

			uint64_t victim, expected_count = n->pending[slot].count, count = 0;
			uint64_t line = n->pending[slot].line;

			assert_int_equal(mem_cache_mshr_addr_bytes(c, n->pending[slot].mshr), line * 128);

			struct mem_req *chain = mem_cache_fill(c, n->pending[slot].mshr, &victim);

			while (chain) {
				struct mem_req *next = chain->next;

				assert_int_equal(chain->addr_bytes / 128, line);
				mem_req_put(pool, chain);
				chain = next;
				count++;
			}
			answered += count;
			assert_int_equal(count, expected_count);
			assert_int_equal(victim, naive_fill(n, slot));
			continue;
		}

		bool is_write = rnd() % 3 == 0;
		struct mem_req *r = mem_req_get(pool);

		r->addr_bytes = rnd() % 150 * 128 + rnd() % 4 * 32;
		r->size_bytes = 32;

		enum mem_cache_result got = is_write ? mem_cache_write(c, r, &mshr) : mem_cache_read(c, r, &mshr);
		enum mem_cache_result want = naive_access(n, r->addr_bytes / 128, is_write, is_back, &slot);

		assert_int_equal(got, want);
		if (got == MEM_CACHE_MISS)
			n->pending[slot].mshr = mshr;
		if (got == MEM_CACHE_MISS || got == MEM_CACHE_MERGED) {
			assert_int_equal(n->pending[slot].mshr, mshr);
			chained++;
		} else {
			mem_req_put(pool, r);
		}

		uint64_t line = rnd() % 150;

		assert_int_equal(mem_cache_holds(c, line * 128, &all_bytes), naive_find(n, line) != NULL);
	}
	assert_int_equal(chained - answered, mem_req_outstanding(pool));
	assert_true(answered > 2000);
	mem_req_pool_reset(pool);
	mem_cache_reset(c);
	assert_true(mem_cache_is_idle(c));
	mem_cache_free(c);
	mem_req_pool_free(pool);
	free(n);
}

static void test_against_naive_model(void **state)
{
	(void)state;
	for (seed = 1; seed < 4; seed++) {
		uint64_t keep = seed;

		random_stream(false, 4);
		random_stream(true, 4);
		random_stream(true, 16);
		random_stream(true, 1);
		seed = keep;
	}
}

/* ---- lines with sectors: against bytes one by one ---- */

enum { SECTOR = 32, SECTORS = 128 / SECTOR, SECTOR_WAYS = 2, SECTOR_LINES = 6 };

struct naive_sectored {
	uint64_t line, age;
	bool is_valid, is_written[128], is_fetched[SECTORS];
};

static bool naive_has(const struct naive_sectored *l, uint32_t sector)
{
	bool is_whole = true;

	for (uint32_t i = sector * SECTOR; i < (sector + 1) * SECTOR; i++)
		is_whole &= l->is_written[i];
	return is_whole || l->is_fetched[sector];
}

/* The line's way: itself, or what goes. */
static struct naive_sectored *naive_way(struct naive_sectored *set, uint64_t line)
{
	struct naive_sectored *best = &set[0];

	for (uint32_t i = 0; i < SECTOR_WAYS; i++)
		if (set[i].is_valid && set[i].line == line)
			return &set[i];
	for (uint32_t i = 1; i < SECTOR_WAYS; i++)
		if (best->is_valid && (!set[i].is_valid || set[i].age < best->age))
			best = &set[i];
	return best;
}

/* Takes the line in if it is not there; what its victim has to write. */
static uint32_t naive_take(struct naive_sectored *l, uint64_t line)
{
	uint32_t bytes = 0;

	if (l->is_valid && l->line == line)
		return 0;
	for (uint32_t s = 0; l->is_valid && s < SECTORS; s++) {
		bool is_dirty = false;

		for (uint32_t i = s * SECTOR; i < (s + 1) * SECTOR; i++)
			is_dirty |= l->is_written[i];
		bytes += is_dirty ? SECTOR : 0;
	}
	*l = (struct naive_sectored){.line = line, .is_valid = true};
	return bytes;
}

static void expect_victim(const struct mem_cache_victim *v, uint32_t bytes)
{
	assert_int_equal(v->addr_bytes == UINT64_MAX ? 0 : v->size_bytes, bytes);
}

/* A run of bytes of the line. */
static struct mem_req_bytes some_bytes(uint32_t *first, uint32_t *count)
{
	struct mem_req_bytes b = {{0, 0}};

	*count = rnd() % 3 ? (uint32_t)(rnd() % 3 + 1) * SECTOR : (uint32_t)(rnd() % 24 + 1);
	*first = *count >= SECTOR ? (uint32_t)(rnd() % 2) * SECTOR : (uint32_t)(rnd() % (128 - *count + 1));
	for (uint32_t i = *first; i < *first + *count; i++)
		b.mask[i / 64] |= 1ull << i % 64;
	return b;
}

/* Writes fetch nothing; a read fetches the sectors that are neither there nor written whole, each once, and is answered
 * with the last; who goes takes its dirty sectors along. Every miss is filled at once, in some order. */
static void test_sectors_against_bytes(void **state)
{
	struct cache_params p = params(SECTOR_WAYS * 128, SECTOR_WAYS);
	struct naive_sectored set[SECTOR_WAYS] = {0};
	struct mem_cache *c;
	uint32_t fetched = 0, validated = 0;

	(void)state;
	p.sector_bytes = SECTOR;
	p.write_policy = MEM_CACHE_WRITE_POLICY_BACK;
	p.write_allocate = p.write_validate = true;
	c = mem_cache_new(&p, NULL, "l2");
	for (uint64_t clock = 1; clock < 20000; clock++) {
		const uint64_t line = rnd() % SECTOR_LINES;
		struct mem_req r = {.addr_bytes = line * 128};
		struct naive_sectored *l = naive_way(set, line);
		uint32_t first, count, mshr, mask, expected = 0;
		const struct mem_req_bytes bytes = some_bytes(&first, &count);
		struct mem_cache_victim victim;

		if (rnd() & 1) {
			assert_int_equal(mem_cache_write_sectors(c, &r, &bytes, false, &mshr, &mask, &victim),
					 MEM_CACHE_HIT);
			assert_int_equal(mask, 0);
			expect_victim(&victim, naive_take(l, line));
			memset(l->is_written + first, true, count);
			l->age = clock;
			validated += count >= SECTOR;
			continue;
		}
		for (uint32_t s = first / SECTOR; s <= (first + count - 1) / SECTOR; s++)
			expected |= l->is_valid && l->line == line && naive_has(l, s) ? 0 : 1u << s;
		assert_int_equal(mem_cache_read_sectors(c, &r, &bytes, &mshr, &mask),
				 expected ? MEM_CACHE_MISS : MEM_CACHE_HIT);
		assert_int_equal(mask, expected);
		for (uint32_t left = mask; left;) {
			const uint32_t s =
			    rnd() & 1 ? (uint32_t)__builtin_ctz(left) : 31 - (uint32_t)__builtin_clz(left);
			struct mem_req *chain = mem_cache_fill_sector(c, mshr, s, &victim);

			left &= ~(1u << s);
			assert_ptr_equal(chain, left ? NULL : &r);
			expect_victim(&victim, naive_take(l, line));
			l->is_fetched[s] = true;
			fetched++;
		}
		l->age = clock;
	}
	assert_true(mem_cache_is_idle(c));
	assert_true(fetched > 1000 && validated > 1000);
	mem_cache_free(c);
}

/* Two who miss the same line wait for one MSHR: what is on its way is not fetched again, what is not is. A write that
 * must find its bytes fetches them, and they are dirty. */
static void test_sectors_on_their_way(void **state)
{
	struct cache_params p = params(SECTOR_WAYS * 128, SECTOR_WAYS);
	const struct mem_req_bytes low = {{UINT64_MAX, 0}}, high = {{UINT64_MAX << 32, UINT32_MAX}}, word = {{0, 15}};
	struct mem_req first = {.addr_bytes = 0}, second = {.addr_bytes = 0}, update = {.addr_bytes = 256};
	struct mem_req others[] = {{.addr_bytes = 512}, {.addr_bytes = 768}};
	struct mem_cache_victim victim;
	struct mem_cache *c;
	uint32_t mshr, again, mask;

	(void)state;
	p.sector_bytes = SECTOR;
	p.write_policy = MEM_CACHE_WRITE_POLICY_BACK;
	p.write_allocate = p.write_validate = true;
	c = mem_cache_new(&p, NULL, "l2");
	assert_int_equal(mem_cache_read_sectors(c, &first, &low, &mshr, &mask), MEM_CACHE_MISS);
	assert_int_equal(mask, 3);
	assert_int_equal(mem_cache_read_sectors(c, &second, &high, &again, &mask), MEM_CACHE_MISS);
	assert_int_equal(mask, 4);
	assert_int_equal(mshr, again);
	assert_null(mem_cache_fill_sector(c, mshr, 1, &victim));
	assert_null(mem_cache_fill_sector(c, mshr, 2, &victim));
	assert_ptr_equal(mem_cache_fill_sector(c, mshr, 0, &victim), &first);
	assert_ptr_equal(first.next, &second);
	assert_int_equal(mem_cache_write_sectors(c, &update, &word, true, &mshr, &mask, &victim), MEM_CACHE_MISS);
	assert_int_equal(mask, 4);
	assert_ptr_equal(mem_cache_fill_sector(c, mshr, 2, &victim), &update);
	for (uint32_t i = 0; i < 2; i++) { /* the clean line goes, then the other */
		assert_int_equal(mem_cache_write_sectors(c, &others[i], &word, false, &mshr, &mask, &victim),
				 MEM_CACHE_HIT);
		expect_victim(&victim, i ? SECTOR : 0);
	}
	mem_cache_free(c);
}

/* A write fetches what it misses of a line, and the line goes before that is here: what was there goes with it, dirty,
 * and once. */
static void test_a_line_goes_before_its_sector(void **state)
{
	struct cache_params p = params(SECTOR_WAYS * 128, SECTOR_WAYS);
	const struct mem_req_bytes low = {{UINT64_MAX, 0}}, middle = {{UINT64_MAX << 32, UINT32_MAX}};
	struct mem_req read = {.addr_bytes = 0}, write = {.addr_bytes = 0}, other;
	struct mem_cache_victim victim;
	uint32_t waits = 0, mshr, mask;
	struct mem_cache *c;

	(void)state;
	p.sector_bytes = SECTOR;
	p.write_policy = MEM_CACHE_WRITE_POLICY_BACK;
	p.write_allocate = true;
	c = mem_cache_new(&p, NULL, "l2");
	assert_int_equal(mem_cache_read_sectors(c, &read, &low, &mshr, &mask), MEM_CACHE_MISS);
	mem_cache_fill_sector(c, mshr, 0, &victim);
	mem_cache_fill_sector(c, mshr, 1, &victim);
	assert_int_equal(mem_cache_write_sectors(c, &write, &middle, false, &waits, &mask, &victim), MEM_CACHE_MISS);
	assert_int_equal(mask, 4);
	for (uint32_t round = 0; round < 2; round++) {
		uint32_t bytes = 0;

		for (uint32_t i = 1; i <= SECTOR_WAYS; i++) {
			other = (struct mem_req){.addr_bytes = (round * SECTOR_WAYS + i) * 128};
			assert_int_equal(mem_cache_read_sectors(c, &other, &low, &mshr, &mask), MEM_CACHE_MISS);
			for (uint32_t s = 0; s < 2; s++) {
				mem_cache_fill_sector(c, mshr, s, &victim);
				bytes += victim.addr_bytes == 0 ? victim.size_bytes : 0;
			}
		}
		assert_false(mem_cache_holds(c, 0, &all_bytes));
		assert_int_equal(bytes, SECTOR); /* sector 1, then sector 2, which has come */
		if (!round)
			assert_ptr_equal(mem_cache_fill_sector(c, waits, 2, &victim), &write);
	}
	mem_cache_free(c);
}

/* A way that a miss has taken is nobody else's until its line is here, invalidated or not; what was in it went at the
 * miss. */
static void test_ways_taken_at_the_miss(void **state)
{
	struct cache_params p = params(256, 2);
	struct mem_req r[6];
	struct mem_cache *c;
	uint32_t mshr[6];
	uint64_t victim;

	(void)state;
	p.allocate_on_miss = true;
	c = mem_cache_new(&p, NULL, "l1d");
	for (uint32_t i = 0; i < 6; i++)
		r[i] = (struct mem_req){.addr_bytes = i * 128};
	assert_int_equal(mem_cache_read(c, &r[0], &mshr[0]), MEM_CACHE_MISS);
	mem_cache_fill(c, mshr[0], &victim);
	assert_int_equal(mem_cache_read(c, &r[1], &mshr[1]), MEM_CACHE_MISS);
	assert_int_equal(mem_cache_read(c, &r[2], &mshr[2]), MEM_CACHE_MISS);
	assert_false(mem_cache_holds(c, 0, &all_bytes));
	assert_int_equal(mem_cache_read(c, &r[3], &mshr[3]), MEM_CACHE_STALL);
	mem_cache_invalidate_line(c, 128);
	assert_int_equal(mem_cache_read(c, &r[3], &mshr[3]), MEM_CACHE_STALL);
	mem_cache_fill(c, mshr[1], &victim);
	assert_false(mem_cache_holds(c, 128, &all_bytes));
	assert_int_equal(mem_cache_read(c, &r[3], &mshr[3]), MEM_CACHE_MISS);
	mem_cache_fill(c, mshr[2], &victim);
	assert_true(mem_cache_holds(c, 256, &all_bytes));
	mem_cache_fill(c, mshr[3], &victim);
	assert_int_equal(mem_cache_read(c, &r[2], &mshr[2]), MEM_CACHE_HIT);
	assert_int_equal(mem_cache_read(c, &r[4], &mshr[4]), MEM_CACHE_MISS); /* in the place of 3, the older */
	assert_true(mem_cache_holds(c, 256, &all_bytes));
	assert_int_equal(mem_cache_read(c, &r[5], &mshr[5]), MEM_CACHE_MISS);
	mem_cache_reset(c);
	assert_int_equal(mem_cache_read(c, &r[0], &mshr[0]), MEM_CACHE_MISS);
	assert_int_equal(mem_cache_read(c, &r[1], &mshr[1]), MEM_CACHE_MISS);
	mem_cache_free(c);
}

/* A perfect cache has every line that is read, asks for none, and takes no write from below but a write-back one's. */
static void test_perfect(void **state)
{
	const struct mem_req_bytes low = {{UINT64_MAX, 0}};
	struct cache_params p = params(256, 2);
	struct mem_cache_victim victim;
	uint64_t reads, misses;

	(void)state;
	p.is_perfect = true;
	for (uint32_t form = 0; form < 3; form++) { /* write-through, write-back, with sectors */
		const enum mem_cache_result written = form ? MEM_CACHE_HIT : MEM_CACHE_WRITE_THROUGH;
		struct mem_cache *c;

		p.write_policy = form ? MEM_CACHE_WRITE_POLICY_BACK : MEM_CACHE_WRITE_POLICY_THROUGH;
		p.sector_bytes = form == 2 ? SECTOR : 0;
		c = mem_cache_new(&p, NULL, "l2");
		for (uint32_t i = 0; i < 100; i++) {
			struct mem_req r = {.addr_bytes = i * 128};
			uint32_t mshr, mask = 1;

			assert_true(mem_cache_probe(c, r.addr_bytes));
			if (form == 2) {
				assert_int_equal(mem_cache_read_sectors(c, &r, &low, &mshr, &mask), MEM_CACHE_HIT);
				assert_int_equal(mask, 0);
				assert_int_equal(mem_cache_write_sectors(c, &r, &low, true, &mshr, &mask, &victim),
						 written);
				assert_int_equal(mask, 0);
				assert_int_equal(victim.addr_bytes, UINT64_MAX);
			} else {
				assert_int_equal(mem_cache_read(c, &r, &mshr), MEM_CACHE_HIT);
				assert_int_equal(mem_cache_write(c, &r, &mshr), written);
			}
			mem_cache_invalidate_line(c, r.addr_bytes);
		}
		mem_cache_reads(c, &reads, &misses);
		assert_int_equal(reads, 100);
		assert_int_equal(misses, 0);
		assert_true(mem_cache_is_idle(c));
		mem_cache_free(c);
	}
}

/* Lines that one part of six sees, two in twelve, use all its sets when the sets are chosen without what chose it. */
static void test_sets_of_a_part(void **state)
{
	struct cache_params p = params(128 * 64, 1);
	struct mem_cache *c = mem_cache_new(&p, NULL, "l2");
	const struct mem_map_parts parts = {.by_stack = true};
	struct mem_numbering numbering;
	struct mem_map map;
	uint32_t held = 0;

	(void)state;
	mem_map_divided(&map, 6, 1, 16, 4096, 256, 0);
	mem_map_number(&map, &parts, 128, &numbering);
	mem_cache_is_part(c, &(struct mem_cache_part){.numbering = &numbering});
	for (uint32_t is_held = 0; is_held < 2; is_held++) {
		for (uint64_t i = 0; i < 64; i++) {
			struct mem_req r = {.addr_bytes = (i / 2 * 6 + 4) * 256 + i % 2 * 128};
			uint64_t victim;
			uint32_t mshr;

			if (is_held)
				held += mem_cache_holds(c, r.addr_bytes, &all_bytes);
			else if (mem_cache_read(c, &r, &mshr) == MEM_CACHE_MISS)
				mem_cache_fill(c, mshr, &victim);
		}
	}
	assert_int_equal(held, 64);
	mem_cache_free(c);
}

/* The hash spreads a stride of one way's size, which plain indexing maps to a single set. */
static void test_index_hash_spreads_strides(void **state)
{
	uint32_t held[2] = {0, 0};

	(void)state;
	for (uint32_t hash = 0; hash < 2; hash++) {
		struct cache_params p = params(32768, 4);
		struct mem_cache *c;

		p.index_hash = hash;
		c = mem_cache_new(&p, NULL, "l1d");
		for (uint32_t i = 0; i < 64; i++) {
			struct mem_req r = {.addr_bytes = i * 8192ull};
			uint64_t victim;
			uint32_t mshr;

			assert_int_equal(mem_cache_read(c, &r, &mshr), MEM_CACHE_MISS);
			mem_cache_fill(c, mshr, &victim);
		}
		for (uint32_t i = 0; i < 64; i++)
			held[hash] += mem_cache_holds(c, i * 8192ull, &all_bytes);
		mem_cache_free(c);
	}
	assert_int_equal(held[0], 4);
	assert_int_equal(held[1], 64);
}

/* Brings in count lines, at 0 for a shift of 0 and else at 1 << shift; returns how many are there at the end. */
static uint32_t lines_held(struct mem_cache *c, const uint32_t *shifts, uint32_t count)
{
	uint32_t held = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct mem_req r = {.addr_bytes = shifts[i] ? 1ull << shifts[i] : 0};
		uint64_t victim;
		uint32_t mshr;

		assert_int_equal(mem_cache_read(c, &r, &mshr), MEM_CACHE_MISS);
		mem_cache_fill(c, mshr, &victim);
	}
	for (uint32_t i = 0; i < count; i++)
		held += mem_cache_holds(c, shifts[i] ? 1ull << shifts[i] : 0, &all_bytes);
	return held;
}

/* Fermi's hash takes bits 13, 14, 15, 17 and 19, and no other above the index: lines that differ in one of the others
 * share a set of one way. Of 64 sets bit 12 is the highest of the index. */
static void test_fermi_index(void **state)
{
	static const uint32_t taken[] = {0, 13, 14, 15, 17, 19}, others[] = {0, 16, 18, 20, 21, 22}, bit_12[] = {0, 12};

	(void)state;
	for (uint32_t sets = 32; sets <= 64; sets += 32) {
		struct cache_params p = params(sets * 128, 1);
		struct mem_cache *c;

		p.index_hash = MEM_CACHE_INDEX_FERMI;
		c = mem_cache_new(&p, NULL, "l1d");
		assert_int_equal(lines_held(c, taken, 6), 6);
		mem_cache_free(c);
		c = mem_cache_new(&p, NULL, "l1d");
		assert_int_equal(lines_held(c, others, 6), 1);
		mem_cache_free(c);
		c = mem_cache_new(&p, NULL, "l1d");
		assert_int_equal(lines_held(c, bit_12, 2), sets == 64 ? 2 : 1);
		mem_cache_free(c);
	}
}

/* A line invalidated on its way answers those who wait and is not kept; who comes later fetches it again. */
static void test_invalidation_reaches_lines_on_their_way(void **state)
{
	struct cache_params p = params(32768, 4);

	(void)state;
	for (uint32_t all = 0; all < 2; all++) {
		struct mem_cache *c = mem_cache_new(&p, NULL, "l1d");
		struct mem_req old = {.addr_bytes = 4096}, merged = {.addr_bytes = 4104}, later = {.addr_bytes = 4100};
		struct mem_req other = {.addr_bytes = 65536};
		uint32_t mshrs[4];
		uint64_t victim;

		assert_int_equal(mem_cache_read(c, &old, &mshrs[0]), MEM_CACHE_MISS);
		assert_int_equal(mem_cache_read(c, &merged, &mshrs[1]), MEM_CACHE_MERGED);
		assert_int_equal(mem_cache_read(c, &other, &mshrs[2]), MEM_CACHE_MISS);
		if (all)
			mem_cache_invalidate_all(c);
		else
			mem_cache_invalidate_line(c, 4096);
		assert_true(mem_cache_mshr_is_stale(c, mshrs[0]));
		assert_int_equal(mem_cache_mshr_is_stale(c, mshrs[2]), all);
		assert_int_equal(mem_cache_read(c, &later, &mshrs[3]), MEM_CACHE_MISS);
		assert_int_not_equal(mshrs[3], mshrs[0]);
		assert_ptr_equal(mem_cache_fill(c, mshrs[0], &victim), &old);
		assert_ptr_equal(old.next, &merged);
		assert_false(mem_cache_holds(c, 4096, &all_bytes));
		assert_ptr_equal(mem_cache_fill(c, mshrs[3], &victim), &later);
		assert_true(mem_cache_holds(c, 4096, &all_bytes));
		mem_cache_fill(c, mshrs[2], &victim);
		assert_int_equal(mem_cache_holds(c, 65536, &all_bytes), !all);
		assert_true(mem_cache_is_idle(c));
		mem_cache_free(c);
	}
}

/* As many ways as fit into the bytes, one at least; where that changes the lines are gone. */
static void test_resized(void **state)
{
	const struct {
		uint64_t size_bytes;
		uint32_t lines;
	} cases[] = {{1024, 8}, {512, 4}, {700, 4}, {1 << 20, 8}, {0, 2}, {1024, 8}};
	struct cache_params p = params(8 * 128, 4); /* two sets */
	struct mem_cache *c;

	(void)state;
	p.index_hash = MEM_CACHE_INDEX_PLAIN;
	c = mem_cache_new(&p, NULL, "l1d");
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t mshr, held = 0;

		mem_cache_resize(c, cases[i].size_bytes);
		for (uint64_t line = 0; line < 16; line++) {
			struct mem_req r = {.addr_bytes = line * 128};
			uint64_t victim;

			if (mem_cache_read(c, &r, &mshr) == MEM_CACHE_MISS)
				mem_cache_fill(c, mshr, &victim);
		}
		for (uint64_t line = 0; line < 16; line++) {
			const bool is_held = mem_cache_holds(c, line * 128, &all_bytes);

			held += is_held;
			assert_int_equal(is_held, line >= 16 - cases[i].lines); /* those that came last */
		}
		assert_int_equal(held, cases[i].lines);
		mem_cache_resize(c, cases[i].size_bytes);
		assert_true(mem_cache_holds(c, 15 * 128, &all_bytes));
	}
	mem_cache_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_naive_model),
		cmocka_unit_test(test_index_hash_spreads_strides),
		cmocka_unit_test(test_fermi_index),
		cmocka_unit_test(test_sectors_against_bytes),
		cmocka_unit_test(test_sectors_on_their_way),
		cmocka_unit_test(test_a_line_goes_before_its_sector),
		cmocka_unit_test(test_ways_taken_at_the_miss),
		cmocka_unit_test(test_perfect),
		cmocka_unit_test(test_resized),
		cmocka_unit_test(test_sets_of_a_part),
		cmocka_unit_test(test_invalidation_reaches_lines_on_their_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
