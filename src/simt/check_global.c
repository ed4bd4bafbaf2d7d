/* check_global.c - the shadow of global memory: who touched a word last, so that two CTAs of one launch that access it,
 * one of them to write, are seen where nothing orders them (check_grid.c).
 *
 * A word has a last writer and two readers of different CTAs. Each is the number of a record and a lane. A record says
 * which warp accessed memory with which instruction at which clock; a warp that does so again, with no fence or barrier
 * between, uses its record again. Pages of the shadow come with the first access, in words, or smaller cells once a
 * kernel makes smaller accesses.
 *
 * Two things that are a race by the letter are none here, since programs rely on them: a write that leaves the value as
 * it was; and a plain read of a word on which others do atomics, where the reader goes on to do an atomic on it itself
 * (what begins a compare-and-swap loop, or saves an atomicMax). The latter is known only afterwards, so those reads
 * are kept until the launch ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/check_hooks.h"
#include "simt/check_priv.h"

enum {
	PAGE_BITS = 10,
	PC_BITS = 21,
	LANE_BITS = 5,
	RECORDS_MAX = 1u << (32 - LANE_BITS),
	VALUE_BYTES_MAX = 32,
};

struct record {
	uint32_t launch, cta, clock;
	uint32_t pc : PC_BITS, warp : 5, is_strong : 1, is_silent : 1;
};

/* record << LANE_BITS | lane; 0: nobody */
struct cell {
	uint32_t write, read[2];
};

struct page {
	uint64_t key; /* address >> PAGE_BITS, + 1; 0: free */
	struct cell *cells;
	uint32_t shift; /* a cell covers 1 << shift bytes */
};

/* A plain read that races with atomics. */
struct doubt {
	const struct simt_launch *launch;
	uint32_t read_pc, atomic_pc;
	uint64_t count;
	bool is_read_last;
	uint64_t addr, cta, other_cta;
	uint32_t thread, other_thread;
};

struct simt_check_global {
	struct page *pages;
	uint32_t page_count, page_cap;
	struct page *last;
	struct record *records; /* number `first` is at 0 */
	uint32_t first, next, cap;
	uint32_t launch_count, live_launches;
	struct doubt *doubts;
	uint32_t doubt_count, doubt_cap;
	struct confirmed { /* reads that an atomic of the same thread followed */
		const struct simt_launch *launch;
		uint32_t pc;
	} *confirmed;
	uint32_t confirmed_count, confirmed_cap;
};

/* ---- the shadow ---- */

struct simt_check_global *simt_check_global_new(void)
{
	struct simt_check_global *g = calloc(1, sizeof(*g));

	CHECK(g);
	g->first = g->next = 1;
	return g;
}

void simt_check_global_free(struct simt_check_global *g)
{
	for (uint32_t i = 0; i < g->page_cap; i++)
		free(g->pages[i].cells);
	free(g->pages);
	free(g->records);
	free(g->doubts);
	free(g->confirmed);
	free(g);
}

static size_t page_cells(uint32_t shift)
{
	return (size_t)1 << (PAGE_BITS - shift);
}

/* Nothing that ran before is concurrent with what begins now, unless it still runs. */
uint32_t simt_check_global_begin(struct simt_check *c)
{
	struct simt_check_global *g = c->global;

	if (!g->live_launches++) {
		if (g->next > RECORDS_MAX / 2) {
			for (uint32_t i = 0; i < g->page_cap; i++)
				if (g->pages[i].key)
					memset(g->pages[i].cells, 0,
					       page_cells(g->pages[i].shift) * sizeof(struct cell));
			g->next = 1;
		}
		g->first = g->next;
	}
	return ++g->launch_count;
}

static struct page *find_page(struct simt_check_global *g, uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (g->page_cap - 1);

	while (g->pages[i].key && g->pages[i].key != key)
		i = (i + 1) & (g->page_cap - 1);
	return &g->pages[i];
}

static void grow_pages(struct simt_check_global *g)
{
	struct page *old = g->pages;
	const uint32_t old_cap = g->page_cap;

	g->page_cap = old_cap ? 2 * old_cap : 1024;
	g->pages = calloc(g->page_cap, sizeof(*g->pages));
	CHECK(g->pages);
	for (uint32_t i = 0; i < old_cap; i++)
		if (old[i].key)
			*find_page(g, old[i].key) = old[i];
	free(old);
	g->last = NULL;
}

/* The page of the address, in cells of at most 1 << shift bytes. */
static struct page *page_of(struct simt_check_global *g, uint64_t addr, uint32_t shift)
{
	const uint64_t key = (addr >> PAGE_BITS) + 1;
	struct page *p = g->last;

	if (!p || p->key != key) {
		if (2 * g->page_count >= g->page_cap)
			grow_pages(g);
		p = find_page(g, key);
	}
	if (!p->key || p->shift > shift) {
		g->page_count += !p->key;
		free(p->cells);
		*p = (struct page){.key = key, .shift = shift, .cells = calloc(page_cells(shift), sizeof(*p->cells))};
		CHECK(p->cells);
	}
	return g->last = p;
}

void simt_check_global_forget(struct simt_check *c, uint64_t addr, uint64_t bytes)
{
	struct simt_check_global *g = c->global;

	if (!g->page_cap)
		return;
	for (uint64_t at = addr; at < addr + bytes;) {
		const struct page *p = find_page(g, (at >> PAGE_BITS) + 1);

		if (p->key)
			p->cells[(at & ((1u << PAGE_BITS) - 1)) >> p->shift] = (struct cell){0};
		at = p->key ? ((at >> p->shift) + 1) << p->shift : ((at >> PAGE_BITS) + 1) << PAGE_BITS;
	}
}

/* ---- records ---- */

static inline const struct record *record_of(const struct simt_check_global *g, uint32_t mark)
{
	const uint32_t i = mark >> LANE_BITS;

	return i < g->first || i >= g->next ? NULL : &g->records[i - g->first];
}

static uint32_t new_record(struct simt_check_global *g, const struct record *r)
{
	if (g->next == RECORDS_MAX)
		return 0;
	if (g->next - g->first == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 4096;
		g->records = realloc(g->records, g->cap * sizeof(*g->records));
		CHECK(g->records);
	}
	g->records[g->next - g->first] = *r;
	return g->next++;
}

static bool is_same_record(const struct record *a, const struct record *b)
{
	return a->launch == b->launch && a->cta == b->cta && a->clock == b->clock && a->pc == b->pc &&
	       a->warp == b->warp && a->is_strong == b->is_strong && a->is_silent == b->is_silent;
}

/* ---- one instruction ---- */

struct visit {
	const struct simt_check_access *a;
	struct simt_check_global *g;
	struct simt_check_far *far;
	struct record me;
	bool has_taken; /* the warp knows something of other CTAs */
	bool is_noted; /* the lane's access: once, however many words it has */
	uint32_t number[2]; /* of the record, of a silent write's; 0: not made yet */
};

static uint32_t mark_of(struct visit *v, uint32_t lane, bool is_silent)
{
	if (!v->number[is_silent]) {
		uint32_t *kept = simt_check_far_record(v->far, v->me.warp, v->me.pc);
		struct record r = v->me;
		const struct record *old = record_of(v->g, *kept << LANE_BITS);

		r.is_silent = is_silent;
		v->number[is_silent] = old && is_same_record(old, &r) ? *kept : new_record(v->g, &r);
		*kept = v->number[is_silent];
	}
	return v->number[is_silent] ? v->number[is_silent] << LANE_BITS | lane : 0;
}

/* The other CTA's access of this launch behind the mark. */
static inline const struct record *other_cta(const struct visit *v, uint32_t mark)
{
	const struct record *r = mark ? record_of(v->g, mark) : NULL;

	return !r || r->launch != v->me.launch || r->cta == v->me.cta ? NULL : r;
}

static inline bool knows(const struct visit *v, const struct record *r, bool is_read)
{
	return v->has_taken && simt_check_far_knows(v->far, v->me.warp, r->cta, r->warp, r->clock, is_read);
}

/* The same, a read perhaps, if nothing orders it before this access. */
static inline const struct record *conflict(const struct visit *v, uint32_t mark, bool is_read)
{
	const struct record *r = other_cta(v, mark);

	return !r || (r->is_strong && v->me.is_strong) || knows(v, r, is_read) ? NULL : r;
}

/* Whoever writes and is ordered after this access is so after the read behind the mark. */
static inline bool is_stale(const struct visit *v, uint32_t mark)
{
	const struct record *r = other_cta(v, mark);

	return !r || knows(v, r, false);
}

/* ---- findings ---- */

struct party {
	uint64_t cta;
	uint32_t thread;
};

static struct party party_of(const struct record *r, uint32_t mark)
{
	return (struct party){.cta = r->cta, .thread = r->warp * SIMT_LANES + (mark & (SIMT_LANES - 1))};
}

static const char *verb(const struct simt_exec *e)
{
	const enum ptx_op o = e->ptx->op;

	if (o == PTX_OP_ATOM || o == PTX_OP_RED)
		return "atomic";
	return o == PTX_OP_ST ? "write" : o == PTX_OP_LD || o == PTX_OP_LDU ? "read" : "access";
}

static void note(struct simt_launch *l, uint32_t pc, struct party at, uint32_t other_pc, struct party other,
		 uint64_t addr, uint64_t count)
{
	const struct simt_exec *execs = simt_program_of(l)->execs;
	const uint32_t *n = l->grid, *b = l->block;
	const uint32_t cta[3] = {(uint32_t)(at.cta % n[0]), (uint32_t)(at.cta / n[0] % n[1]),
				 (uint32_t)(at.cta / n[0] / n[1])};
	struct simt_finding *f =
	    simt_check_note_at(l, cta, at.thread, &execs[pc], SIMT_FINDING_RACE, &execs[other_pc], count);
	char text[512];

	if (!f)
		return;
	snprintf(text, sizeof(text),
		 "%s at 0x%llx, and nothing orders it with the %s of thread (%u,%u,%u) of CTA (%llu,%llu,%llu)",
		 verb(&execs[pc]), (unsigned long long)addr, verb(&execs[other_pc]), other.thread % b[0],
		 other.thread / b[0] % b[1], other.thread / b[0] / b[1], (unsigned long long)(other.cta % n[0]),
		 (unsigned long long)(other.cta / n[0] % n[1]), (unsigned long long)(other.cta / n[0] / n[1]));
	simt_memory_describe(l->mem, addr, text, sizeof(text));
	simt_check_text(f, "%s", text);
}

static bool is_atomic(const struct simt_launch *l, uint32_t pc)
{
	const enum ptx_op o = simt_program_of(l)->execs[pc].ptx->op;

	return o == PTX_OP_ATOM || o == PTX_OP_RED;
}

static void note_race(struct visit *v, uint32_t lane, uint64_t addr, uint32_t mark, const struct record *r)
{
	if (v->is_noted)
		return;
	v->is_noted = true;
	note(v->a->l, v->me.pc, party_of(&v->me, lane), r->pc, party_of(r, mark), addr, 1);
}

static struct doubt *find_doubt(struct simt_check_global *g, const struct simt_launch *l, uint32_t read_pc,
				uint32_t atomic_pc)
{
	for (uint32_t i = 0; i < g->doubt_count; i++) {
		struct doubt *d = &g->doubts[i];

		if (d->launch == l && d->read_pc == read_pc && d->atomic_pc == atomic_pc)
			return d;
	}
	if (g->doubt_count == g->doubt_cap) {
		g->doubt_cap = g->doubt_cap ? 2 * g->doubt_cap : 16;
		g->doubts = realloc(g->doubts, g->doubt_cap * sizeof(*g->doubts));
		CHECK(g->doubts);
	}
	struct doubt *d = &g->doubts[g->doubt_count++];

	*d = (struct doubt){.launch = l, .read_pc = read_pc, .atomic_pc = atomic_pc};
	return d;
}

/* A plain read by one of the two and an atomic by the other. */
static void note_doubt(struct visit *v, uint32_t lane, uint64_t addr, uint32_t mark, const struct record *r,
		       bool is_read_last)
{
	if (v->is_noted)
		return;
	v->is_noted = true;
	struct doubt *d = find_doubt(v->g, v->a->l, is_read_last ? v->me.pc : r->pc, is_read_last ? r->pc : v->me.pc);
	const struct party me = party_of(&v->me, lane), other = party_of(r, mark);

	if (d->count++)
		return;
	d->is_read_last = is_read_last;
	d->addr = addr;
	d->cta = me.cta;
	d->thread = me.thread;
	d->other_cta = other.cta;
	d->other_thread = other.thread;
}

static bool is_confirmed(const struct simt_check_global *g, const struct simt_launch *l, uint32_t pc)
{
	for (uint32_t i = 0; i < g->confirmed_count; i++)
		if (g->confirmed[i].launch == l && g->confirmed[i].pc == pc)
			return true;
	return false;
}

/* The thread has read plainly what it does an atomic on now. */
static void confirm(const struct visit *v, uint32_t lane, uint32_t mark)
{
	struct simt_check_global *g = v->g;
	const struct record *r = mark ? record_of(g, mark) : NULL;

	if (!r || r->launch != v->me.launch || r->cta != v->me.cta || r->warp != v->me.warp || r->is_strong ||
	    (mark & (SIMT_LANES - 1)) != lane || is_confirmed(g, v->a->l, r->pc))
		return;
	if (g->confirmed_count == g->confirmed_cap) {
		g->confirmed_cap = g->confirmed_cap ? 2 * g->confirmed_cap : 16;
		g->confirmed = realloc(g->confirmed, g->confirmed_cap * sizeof(*g->confirmed));
		CHECK(g->confirmed);
	}
	g->confirmed[g->confirmed_count++] = (struct confirmed){.launch = v->a->l, .pc = r->pc};
}

void simt_check_global_end(struct simt_launch *l)
{
	struct simt_check_global *g = simt_memory_check(l->mem)->global;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < g->doubt_count; i++) {
		const struct doubt *d = &g->doubts[i];

		if (d->launch != l) {
			g->doubts[kept++] = *d;
			continue;
		}
		if (!is_confirmed(g, l, d->read_pc))
			note(l, d->is_read_last ? d->read_pc : d->atomic_pc, (struct party){d->cta, d->thread},
			     d->is_read_last ? d->atomic_pc : d->read_pc, (struct party){d->other_cta, d->other_thread},
			     d->addr, d->count);
	}
	g->doubt_count = kept;
	kept = 0;
	for (uint32_t i = 0; i < g->confirmed_count; i++)
		if (g->confirmed[i].launch != l)
			g->confirmed[kept++] = g->confirmed[i];
	g->confirmed_count = kept;
	g->live_launches--;
}

/* ---- races ---- */

static bool is_own_write(const struct visit *v, uint32_t mark)
{
	const struct record *r = mark ? record_of(v->g, mark) : NULL;

	return r && r->is_silent && r->launch == v->me.launch && r->cta == v->me.cta;
}

static void visit_read(struct visit *v, uint32_t lane, uint64_t addr, struct cell *cell)
{
	const struct record *r = conflict(v, cell->write, false);

	/* The reader's own CTA has written the same. */
	if (is_own_write(v, cell->read[0]) || is_own_write(v, cell->read[1]))
		return;
	if (r && !r->is_silent && is_atomic(v->a->l, r->pc))
		note_doubt(v, lane, addr, cell->write, r, true);
	else if (r && !r->is_silent)
		note_race(v, lane, addr, cell->write, r);
	if (is_stale(v, cell->read[0]))
		cell->read[0] = mark_of(v, lane, false);
	else if (is_stale(v, cell->read[1]))
		cell->read[1] = mark_of(v, lane, false);
}

/* What changed the word last stays known. A write that does not is kept as a read, of the value that is there. */
static void keep_write(struct visit *v, uint32_t lane, struct cell *cell, bool is_silent)
{
	const struct record *old = cell->write ? record_of(v->g, cell->write) : NULL;

	if (is_silent && old && old->launch == v->me.launch && !old->is_silent) {
		cell->read[is_stale(v, cell->read[0]) ? 0 : 1] = mark_of(v, lane, true);
		return;
	}
	cell->write = mark_of(v, lane, is_silent);
	for (uint32_t k = 0; k < 2 && !is_silent; k++) {
		const struct record *r = cell->read[k] ? record_of(v->g, cell->read[k]) : NULL;

		if (r && r->is_silent)
			cell->read[k] = 0;
	}
}

static void visit_write(struct visit *v, uint32_t lane, uint64_t addr, struct cell *cell, bool is_silent)
{
	const struct record *r = is_silent ? NULL : conflict(v, cell->write, false);

	if (r)
		note_race(v, lane, addr, cell->write, r);
	for (uint32_t k = 0; k < 2; k++) {
		if (v->a->is_atomic)
			confirm(v, lane, cell->read[k]);
		r = is_silent ? NULL : conflict(v, cell->read[k], true);
		if (r && v->a->is_atomic && !r->is_strong)
			note_doubt(v, lane, addr, cell->read[k], r, false);
		else if (r)
			note_race(v, lane, addr, cell->read[k], r);
	}
	keep_write(v, lane, cell, is_silent);
}

/* Are the bytes of a piece in memory already what the lane writes there? */
static bool is_unchanged(const struct simt_check_access *a, const uint8_t *mine, uint64_t addr, uint32_t at,
			 uint32_t bytes)
{
	return mine && at + bytes <= a->bytes && !memcmp((const void *)(uintptr_t)(addr + at), mine + at, bytes);
}

static void visit_lane(struct visit *v, uint32_t lane, uint64_t addr, uint32_t shift)
{
	const struct simt_check_access *a = v->a;
	uint8_t value[VALUE_BYTES_MAX];
	const bool has_value =
	    a->is_store && !a->is_atomic && !a->has_no_value && a->op->vec * a->op->bytes <= VALUE_BYTES_MAX;

	v->is_noted = false;
	if (has_value)
		simt_check_lane_bytes(a->w->state, a->op, lane, value);
	for (uint32_t at = 0; at < a->bytes;) {
		const struct page *p = page_of(v->g, addr + at, shift);
		const uint32_t bytes = 1u << p->shift;
		struct cell *cell = &p->cells[((addr + at) & ((1u << PAGE_BITS) - 1)) >> p->shift];

		if (a->is_store)
			visit_write(v, lane, addr + at, cell,
				    is_unchanged(a, has_value ? value : NULL, addr, at, bytes));
		else
			visit_read(v, lane, addr + at, cell);
		at += bytes;
	}
}

/* Lanes that store plainly to a word which their CTA has changed last, by an atomic: who has taken a lock by an atomic
 * gives it back so. */
static uint32_t unlocks(struct visit *v, uint32_t mask, const uint64_t *addr, uint32_t shift)
{
	uint32_t lanes = 0;

	SIMT_FOR_LANES(lane, mask) {
		const struct page *p = page_of(v->g, addr[lane], shift);
		const uint32_t mark = p->cells[(addr[lane] & ((1u << PAGE_BITS) - 1)) >> p->shift].write;
		const struct record *r = mark ? record_of(v->g, mark) : NULL;

		if (r && r->launch == v->me.launch && r->cta == v->me.cta && r->is_strong && is_atomic(v->a->l, r->pc))
			lanes |= 1u << lane;
	}
	return lanes;
}

static void visit_lanes(struct visit *v, uint32_t mask, const uint64_t *addr, const uint32_t *clock, uint32_t shift)
{
	const uint32_t w = v->a->w->index_in_cta;
	const uint32_t fence_clock =
	    v->me.is_strong && v->a->is_store ? simt_check_far_fence_clock(v->far, w) : 0;

	if (v->me.is_strong)
		simt_check_far_strong(v->far, v->a, mask, addr, clock);
	v->me.clock = fence_clock ? fence_clock : clock[w];
	v->has_taken = simt_check_far_has_taken(v->far, w);
	v->number[0] = v->number[1] = 0;
	SIMT_FOR_LANES(lane, mask)
		visit_lane(v, lane, addr[lane], shift);
}

void simt_check_global(const struct simt_check_access *a, uint32_t mask, const uint64_t *addr, struct simt_check_far *f,
		       const uint32_t *clock, uint32_t shift)
{
	const uint32_t pc = (uint32_t)(a->e - simt_program_of(a->l)->execs);
	struct visit v = {.a = a, .g = simt_memory_check(a->l->mem)->global, .far = f};
	uint32_t strong = 0;

	if (pc >= 1u << PC_BITS)
		return;
	v.me = (struct record){.launch = simt_check_far_launch(f),
			       .cta = simt_check_far_cta(f),
			       .pc = pc & ((1u << PC_BITS) - 1),
			       .warp = a->w->index_in_cta & (SIMT_CHECK_WARPS_MAX - 1)};
	if (a->is_strong && simt_check_is_wide(a->e))
		strong = mask;
	else if (a->is_store && !a->is_atomic)
		strong = unlocks(&v, mask, addr, shift);
	if (mask & ~strong)
		visit_lanes(&v, mask & ~strong, addr, clock, shift);
	v.me.is_strong = true;
	if (strong)
		visit_lanes(&v, strong, addr, clock, shift);
}
