/* mmu.c - see mmu.h. */
#include "gpu/mmu.h"

#include <glib.h>
#include <string.h>

#include "base/list.h"
#include "gpu/beside.h"
#include "gpu/priv.h"
#include "gpu/tlb.h"

enum {
	ADDRESS_BITS = 48,
	PHYSICAL_BITS = 35, /* four stacks of 8 GB, the largest of HMC 2.1 */
	TABLE_BITS = 12, /* a node's size */
	INDEX_BITS = 9,  /* entries of a node */
	ENTRY_BYTES = 8,
	LEVEL_SHIFT = 40, /* room for the entries of a level: 2^36 pages of 4 KB at most */
};

/* Where the page tables lie: above code, see GPU_CODE_BASE. The nodes of a level follow one another. */
#define TABLE_BASE 0x0000680000000000ull

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct mmu_stats
#include "sim/stat_rows.inc"
#include "gpu/mmu_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table gpu_mmu_stat_table = {"mmu", stat_rows, ARRAY_COUNT(stat_rows)};

struct waiting {
	struct lsu_entry entry; /* of one line */
	uint64_t page;
	struct waiting *next;
};

struct fifo {
	BASE_FIFO(struct waiting);
};

struct walk {
	bool is_busy;
	uint64_t page;
	uint32_t level; /* of the read under way; 0 holds the pages */
	uint64_t start_units;
};

struct mmu {
	struct sm *sm;
	struct tlb *tlb;
	struct tlb *walk_cache; /* or NULL */
	uint32_t page_shift, level_count, read_bytes;
	struct walk *walks;
	uint32_t walker_count, busy_count;
	struct waiting *places;
	uint32_t place_count;
	struct fifo vacant, waiting, ready;
	struct mmu_stats stats;
};

/* ---- building ---- */

uint32_t mmu_level_count(uint64_t page_bytes)
{
	uint32_t page_bits = ADDRESS_BITS - (uint32_t)__builtin_ctzll(page_bytes);

	return (page_bits + INDEX_BITS - 1) / INDEX_BITS;
}

static uint32_t bits_for(uint64_t count)
{
	return count > 1 ? 64 - (uint32_t)__builtin_clzll(count - 1) : 0;
}

/* TLB entry: valid, tag, frame, LRU rank, and the 4 bits that name one of TOM's data mappings (ISCA'16 section 4.3: ten
 * and the baseline). Walker: busy, page, frame of the table being read, level. Waiting line: valid, line address, word
 * mask, kind of access, warp of 64, register of 64, walker. */
uint64_t gpu_mmu_bits(const struct mmu_params *p)
{
	uint64_t page_shift = (uint64_t)__builtin_ctzll(p->page_bytes);
	uint64_t page = ADDRESS_BITS - page_shift, frame = PHYSICAL_BITS - page_shift;
	uint64_t ways = p->tlb_way_count ? p->tlb_way_count : p->tlb_entry_count;
	uint64_t set = bits_for(p->tlb_entry_count / ways);
	uint64_t entry = 1 + (page - set) + frame + bits_for(ways) + 4;
	uint64_t walker = 1 + page + (PHYSICAL_BITS - TABLE_BITS) + bits_for(mmu_level_count(p->page_bytes));
	uint64_t line = 1 + (ADDRESS_BITS - 7) + 32 + 4 + 6 + 6 + bits_for(p->walker_count);
	uint64_t upper = 1 + (page - INDEX_BITS) + (PHYSICAL_BITS - TABLE_BITS) + bits_for(p->walk_cache_entry_count);

	return p->tlb_entry_count * entry + p->walker_count * walker + p->wait_line_count * line +
	       p->walk_cache_entry_count * upper;
}

static void places_clear(struct mmu *m)
{
	m->vacant = m->waiting = m->ready = (struct fifo){0};
	for (uint32_t i = 0; i < m->place_count; i++)
		base_fifo_push(&m->vacant, &m->places[i], next);
	memset(m->walks, 0, m->walker_count * sizeof(*m->walks));
	m->busy_count = 0;
}

static bool has_mmu(const struct sm *sm)
{
	uint64_t where = sm->gpu->config->mmu.where;

	return where == GPU_MMU_ALL || (where == GPU_MMU_STACKS && sm->stack != UINT32_MAX);
}

static uint64_t number_of(const void *self, uint64_t page, uint32_t set_bits)
{
	const struct mmu *m = self;
	const struct gpu_map *map = gpu_map_of(m->sm->gpu, page << m->page_shift);

	return mem_number_of_page(&map->of_stack, page, m->page_shift, set_bits);
}

struct mmu *mmu_new(struct sm *sm)
{
	const struct mmu_params *p = &sm->gpu->config->mmu;
	struct mmu *m;

	if (!has_mmu(sm))
		return NULL;
	m = g_new0(struct mmu, 1);
	m->sm = sm;
	m->tlb = tlb_new((uint32_t)p->tlb_entry_count, (uint32_t)p->tlb_way_count);
	if (p->walk_cache_entry_count)
		m->walk_cache = tlb_new((uint32_t)p->walk_cache_entry_count, 0);
	m->page_shift = (uint32_t)__builtin_ctzll(p->page_bytes);
	if (sm->stack != UINT32_MAX)
		tlb_is_part(m->tlb, number_of, m);
	m->level_count = mmu_level_count(p->page_bytes);
	m->read_bytes = (uint32_t)sm->gpu->config->sm.sector_bytes;
	if (m->read_bytes < ENTRY_BYTES)
		m->read_bytes = ENTRY_BYTES;
	m->walker_count = (uint32_t)p->walker_count;
	m->walks = g_new0(struct walk, m->walker_count);
	m->place_count = (uint32_t)p->wait_line_count;
	m->places = g_new0(struct waiting, m->place_count);
	places_clear(m);
	m->stats.storage_bits = gpu_mmu_bits(p);
	sim_stats_add_table(sm->gpu->stats, &gpu_mmu_stat_table, &m->stats, sizeof(m->stats));
	sim_stats_law(sm->gpu->stats, "mmu.walks = mmu.walks_done");
	sim_stats_law(sm->gpu->stats, "mmu.accesses = mmu.hits + mmu.misses");
	return m;
}

void mmu_free(struct mmu *m)
{
	if (!m)
		return;
	tlb_free(m->tlb);
	tlb_free(m->walk_cache);
	g_free(m->walks);
	g_free(m->places);
	g_free(m);
}

/* ---- walks ---- */

/* Which entry of a level's tables translates the page. */
static uint64_t entry_index(uint64_t page, uint32_t level)
{
	return page >> (INDEX_BITS * level);
}

static uint64_t walk_key(uint64_t page, uint32_t level)
{
	return entry_index(page, level) | (uint64_t)level << ADDRESS_BITS;
}

/* The lowest level whose table is known. */
static uint32_t first_level(struct mmu *m, uint64_t page)
{
	uint32_t root = m->level_count - 1;

	for (uint32_t level = 0; m->walk_cache && level < root; level++) {
		if (tlb_find(m->walk_cache, walk_key(page, level + 1))) {
			m->stats.walk_cache_hits++;
			return level;
		}
	}
	return root;
}

/* A walker's read needs no place in the SM's miss queue: walkers bring their own. */
static void read_entry(struct mmu *m, const struct walk *w)
{
	struct sm *sm = m->sm;
	struct mem_req *r = sm_req_get(sm);
	uint64_t addr_bytes =
	    TABLE_BASE + ((uint64_t)w->level << LEVEL_SHIFT) + entry_index(w->page, w->level) * ENTRY_BYTES;

	r->addr_bytes = addr_bytes & ~(sm->gpu->config->l2.line_bytes - 1); /* as all requests name their line */
	r->size_bytes = (uint16_t)m->read_bytes;
	mem_req_set_access(r, MEM_READ, MEM_KIND_TABLE);
	r->port = port_number(sm, SM_PORT_TABLE);
	r->owner = NULL;
	r->tag = (uint32_t)(w - m->walks);
	port_push(sm, r);
	if (r->stack == sm->stack)
		m->stats.local_reads++;
	else
		m->stats.remote_reads++;
}

static bool is_walked(const struct mmu *m, uint64_t page)
{
	for (uint32_t i = 0; i < m->walker_count; i++) {
		if (m->walks[i].is_busy && m->walks[i].page == page)
			return true;
	}
	return false;
}

static void walk_begin(struct mmu *m, uint64_t page)
{
	struct walk *w = m->walks;

	while (w->is_busy)
		w++;
	*w = (struct walk){.is_busy = true,
			   .page = page,
			   .level = first_level(m, page),
			   .start_units = sim_now_units(m->sm->gpu->engine)};
	m->busy_count++;
	m->stats.walks++;
	if (m->busy_count > m->stats.walks_max)
		m->stats.walks_max = m->busy_count;
	read_entry(m, w);
}

/* Free walkers take the pages of the lines that wait, the oldest first. */
static void walks_begin(struct mmu *m)
{
	for (const struct waiting *w = m->waiting.first; w && m->busy_count < m->walker_count; w = w->next) {
		if (!is_walked(m, w->page))
			walk_begin(m, w->page);
	}
}

/* Lines of the page are ready, in their order. */
static void release(struct mmu *m, uint64_t page)
{
	struct fifo rest = {0};

	while (m->waiting.first) {
		struct waiting *w = base_fifo_pop(&m->waiting, next);

		if (w->page == page) {
			base_fifo_push(&m->ready, w, next);
			m->sm->lsu_ready_count++;
		} else {
			base_fifo_push(&rest, w, next);
		}
	}
	m->waiting = rest;
}

static void walk_end(struct mmu *m, struct walk *w)
{
	struct sim_engine *e = m->sm->gpu->engine;

	w->is_busy = false;
	m->busy_count--;
	m->stats.walks_done++;
	sim_hist_add(&m->stats.walk_latency_ps, sim_ps_of_units(e, sim_now_units(e) - w->start_units));
	tlb_insert(m->tlb, w->page);
	release(m, w->page);
	walks_begin(m);
}

static void answer(struct mmu *m, uint32_t walker)
{
	struct walk *w = &m->walks[walker];

	if (w->level == 0) {
		walk_end(m, w);
		return;
	}
	if (m->walk_cache)
		tlb_insert(m->walk_cache, walk_key(w->page, w->level));
	w->level--;
	read_entry(m, w);
}

static void take_answer(void *self, struct mem_req *r)
{
	const struct sm_port *p = self;
	struct sm *sm = p->sm;
	uint32_t walker = r->tag;

	port_answered(sm, r, p->latency_ps);
	sm_req_put(sm, r);
	answer(sm->mmu, walker);
	sm_wake(sm, sm->now);
}

const struct net_port_ops mmu_port_ops = {.done = take_answer};

/* ---- lines ---- */

static void wait(struct mmu *m, const struct lsu_entry *e, uint64_t page)
{
	struct waiting *w = base_fifo_pop(&m->vacant, next);

	memcpy(&w->entry, e, offsetof(struct lsu_entry, lines));
	w->entry.lines[0] = e->lines[e->next];
	w->entry.bytes[0] = e->bytes[e->next];
	w->entry.count = 1;
	w->entry.next = 0;
	w->page = page;
	for (const struct waiting *o = m->waiting.first; o; o = o->next) {
		if (o->page == page) {
			m->stats.merged_misses++;
			break;
		}
	}
	base_fifo_push(&m->waiting, w, next);
}

enum mmu_result mmu_translate(struct mmu *m, const struct lsu_entry *e)
{
	uint64_t page = e->lines[e->next].addr_bytes >> m->page_shift;

	if (tlb_find(m->tlb, page)) {
		m->stats.accesses++;
		m->stats.hits++;
		return MMU_HIT;
	}
	if (!m->vacant.first) {
		m->stats.full_stalls++;
		m->sm->lsu_waits_walk = true;
		return MMU_FULL;
	}
	m->stats.accesses++;
	m->stats.misses++;
	wait(m, e, page);
	walks_begin(m);
	return MMU_WAITS;
}

struct lsu_entry *mmu_ready(struct mmu *m)
{
	return &m->ready.first->entry;
}

void mmu_ready_done(struct mmu *m)
{
	base_fifo_push(&m->vacant, base_fifo_pop(&m->ready, next), next);
	m->sm->lsu_ready_count--;
	m->sm->lsu_waits_walk = false;
}

bool mmu_is_idle(const struct mmu *m)
{
	return m->busy_count == 0 && !m->waiting.first && !m->ready.first;
}

void mmu_forget(struct mmu *m)
{
	tlb_clear(m->tlb);
	if (m->walk_cache)
		tlb_clear(m->walk_cache);
}

void mmu_reset(struct mmu *m)
{
	places_clear(m);
	mmu_forget(m);
}
