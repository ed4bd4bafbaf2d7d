/* memory.c - the arena of device memory: a sorted table of allocations over one reserved address range. */
#include "simt/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "simt/check_hooks.h"
#include "simt/declared.h"
#include "simt/heap.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Distance behind one of the user's allocations under a checker: half its size, between these two. */
enum { CHECK_GAP_MIN_BYTES = 4096, CHECK_GAP_MAX_BYTES = 1 << 20 };

/* Allocations by ascending address, freed ones included until their range is used again. Entries never overlap. */
struct simt_memory {
	struct simt_alloc *allocs;
	uint32_t count, cap;
	uint64_t capacity_bytes, used_bytes;
	struct simt_heap *heap;
	uint64_t heap_bytes;
	struct simt_check *check;
	uint32_t ordinal;
	bool tolerates_pages;
	struct simt_declared declared;
	void (*touched)(void *ctx);
	void *touched_ctx;
};

struct simt_heap **simt_memory_heap(struct simt_memory *m)
{
	return &m->heap;
}

uint64_t *simt_memory_heap_bytes(struct simt_memory *m)
{
	return &m->heap_bytes;
}

struct simt_declared *simt_memory_declared(struct simt_memory *m)
{
	return &m->declared;
}

uint32_t simt_memory_last_ordinal(const struct simt_memory *m)
{
	return m->ordinal;
}

struct simt_memory *simt_memory_new(uint64_t capacity_bytes)
{
	void *want = (void *)SIMT_ARENA_BASE;
	void *got = mmap(want, capacity_bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (got == MAP_FAILED)
		return NULL;
	if (got != want) {
		/* A kernel that does not know MAP_FIXED_NOREPLACE takes the address as a hint. */
		munmap(got, capacity_bytes);
		errno = EEXIST;
		return NULL;
	}
	struct simt_memory *m = calloc(1, sizeof(*m));

	CHECK(m);
	m->heap_bytes = SIMT_HEAP_BYTES;
	m->capacity_bytes = capacity_bytes;
	return m;
}

void simt_memory_free(struct simt_memory *m)
{
	if (!m)
		return;
	munmap((void *)SIMT_ARENA_BASE, m->capacity_bytes);
	simt_heap_free(m->heap);
	simt_declared_free(&m->declared);
	free(m->allocs);
	free(m);
}

void simt_memory_watch(struct simt_memory *m, void (*touched)(void *ctx), void *ctx)
{
	m->touched = touched;
	m->touched_ctx = ctx;
}

void simt_memory_touch(struct simt_memory *m)
{
	if (m->touched)
		m->touched(m->touched_ctx);
}

/* Index of the first entry with address > addr. */
static uint32_t upper(const struct simt_memory *m, uint64_t addr)
{
	uint32_t lo = 0, hi = m->count;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (m->allocs[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Makes [addr, end) free of freed entries: those inside go away, those that stick out are trimmed. */
static void forget_freed(struct simt_memory *m, uint64_t addr, uint64_t end)
{
	uint32_t keep = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		struct simt_alloc a = m->allocs[i];

		if (!a.is_live && a.addr < end && a.addr + a.size_bytes > addr) {
			if (a.addr >= addr && a.addr + a.size_bytes <= end)
				continue;
			if (a.addr >= addr) {
				a.size_bytes -= end - a.addr;
				a.addr = end;
			} else {
				a.size_bytes = addr - a.addr;
			}
		}
		m->allocs[keep++] = a;
	}
	m->count = keep;
}

static void insert(struct simt_memory *m, struct simt_alloc a)
{
	forget_freed(m, a.addr, a.addr + a.size_bytes);
	if (m->count == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 64;
		m->allocs = realloc(m->allocs, m->cap * sizeof(*m->allocs));
		CHECK(m->allocs);
	}
	uint32_t at = upper(m, a.addr);

	memmove(&m->allocs[at + 1], &m->allocs[at], (m->count - at) * sizeof(*m->allocs));
	m->allocs[at] = a;
	m->count++;
}

static bool in_arena(const struct simt_memory *m, uint64_t addr)
{
	return addr >= SIMT_ARENA_BASE && addr - SIMT_ARENA_BASE < m->capacity_bytes;
}

static bool counts_as_used(enum simt_alloc_kind k)
{
	return k == SIMT_ALLOC_DEVICE || k == SIMT_ALLOC_MANAGED || k == SIMT_ALLOC_MODULE || k == SIMT_ALLOC_HEAP;
}

static bool has_room(const struct simt_memory *m, uint64_t size_bytes)
{
	return size_bytes <= m->capacity_bytes - m->used_bytes;
}

static bool is_the_users(enum simt_alloc_kind k)
{
	return k != SIMT_ALLOC_LOCAL && k != SIMT_ALLOC_PARAM;
}

/* Where the user's allocations begin. A kernel that reads a little before its first array finds memory there on
 * hardware, because the driver's own lies there; so where accesses are judged by pages, the first page is the
 * driver's. */
static uint64_t first_byte(const struct simt_memory *m)
{
	return SIMT_ARENA_BASE + (m->tolerates_pages ? SIMT_PROTECTION_BYTES : 0);
}

static uint64_t lowest_fit(const struct simt_memory *m, uint64_t size_bytes, uint64_t align_bytes)
{
	uint64_t end = SIMT_ARENA_BASE + m->capacity_bytes, at = first_byte(m);

	for (uint32_t i = 0; i <= m->count; i++) {
		const struct simt_alloc *a = i < m->count ? &m->allocs[i] : NULL;

		if (a && (!a->is_live || !in_arena(m, a->addr)))
			continue;
		at = (at + align_bytes - 1) & ~(align_bytes - 1);
		uint64_t limit = a ? a->addr : end;

		if (at <= limit && size_bytes <= limit - at)
			return at;
		if (a)
			at = a->addr + a->size_bytes;
	}
	return 0;
}

static uint64_t check_gap_bytes(uint64_t size_bytes)
{
	uint64_t gap = size_bytes / 2;

	return gap < CHECK_GAP_MIN_BYTES ? CHECK_GAP_MIN_BYTES : gap > CHECK_GAP_MAX_BYTES ? CHECK_GAP_MAX_BYTES : gap;
}

/* Above everything the user ever had, with a gap; 0 when that is not to be had any more. */
static uint64_t fresh_fit(const struct simt_memory *m, uint64_t size_bytes, uint64_t align_bytes)
{
	uint64_t limit = SIMT_ARENA_BASE + m->capacity_bytes, at = first_byte(m);

	for (uint32_t i = 0; i < m->count; i++) {
		const struct simt_alloc *a = &m->allocs[i];

		if (!in_arena(m, a->addr))
			continue;
		if (is_the_users(a->kind))
			at = a->addr + a->size_bytes + check_gap_bytes(a->size_bytes);
		else if (a->is_live && a->addr < limit)
			limit = a->addr;
	}
	at = (at + align_bytes - 1) & ~(align_bytes - 1);
	return at <= limit && size_bytes <= limit - at ? at : 0;
}

static uint64_t highest_fit(const struct simt_memory *m, uint64_t size_bytes, uint64_t align_bytes)
{
	uint64_t end = SIMT_ARENA_BASE + m->capacity_bytes;

	for (uint32_t i = m->count + 1; i-- > 0;) {
		const struct simt_alloc *a = i ? &m->allocs[i - 1] : NULL;

		if (a && (!a->is_live || !in_arena(m, a->addr)))
			continue;
		uint64_t limit = a ? a->addr + a->size_bytes : SIMT_ARENA_BASE;

		if (size_bytes <= end - SIMT_ARENA_BASE && ((end - size_bytes) & ~(align_bytes - 1)) >= limit)
			return (end - size_bytes) & ~(align_bytes - 1);
		if (a)
			end = a->addr;
	}
	return 0;
}

uint64_t simt_memory_alloc(struct simt_memory *m, uint64_t size_bytes, uint64_t align_bytes, enum simt_alloc_kind kind)
{
	CHECK(size_bytes && !(align_bytes & (align_bytes - 1)) && kind != SIMT_ALLOC_REGISTERED);
	if (align_bytes < SIMT_ARENA_ALIGN_BYTES)
		align_bytes = SIMT_ARENA_ALIGN_BYTES;
	const bool is_ours = kind == SIMT_ALLOC_LOCAL || kind == SIMT_ALLOC_PARAM;
	if (!is_ours)
		simt_memory_touch(m);
	if (counts_as_used(kind) && !has_room(m, size_bytes))
		return 0;
	const bool is_numbered = kind == SIMT_ALLOC_DEVICE || kind == SIMT_ALLOC_MANAGED || kind == SIMT_ALLOC_HOST;
	uint64_t at = m->check && !is_ours ? fresh_fit(m, size_bytes, align_bytes) : 0;

	if (!at)
		at = is_ours ? highest_fit(m, size_bytes, align_bytes) : lowest_fit(m, size_bytes, align_bytes);
	if (!at)
		return 0;
	insert(m, (struct simt_alloc){.addr = at,
				      .size_bytes = size_bytes,
				      .kind = kind,
				      .is_live = true,
				      .is_readonly = kind == SIMT_ALLOC_PARAM,
				      .ordinal = is_numbered ? ++m->ordinal : 0});
	if (m->check)
		simt_check_allocated(m->check, at, size_bytes, kind);
	if (counts_as_used(kind))
		m->used_bytes += size_bytes;
	return at;
}

bool simt_memory_take(struct simt_memory *m, uint64_t size_bytes)
{
	if (!has_room(m, size_bytes))
		return false;
	m->used_bytes += size_bytes;
	return true;
}

void simt_memory_give_back(struct simt_memory *m, uint64_t size_bytes)
{
	CHECK(size_bytes <= m->used_bytes);
	m->used_bytes -= size_bytes;
}

void simt_memory_map(struct simt_memory *m, uint64_t addr, uint64_t size_bytes, bool is_readonly)
{
	CHECK(addr >= SIMT_RESERVE_BASE && addr - SIMT_RESERVE_BASE + size_bytes <= SIMT_RESERVE_BYTES);
	simt_memory_touch(m);
	insert(m, (struct simt_alloc){.addr = addr,
				      .size_bytes = size_bytes,
				      .kind = SIMT_ALLOC_MAPPED,
				      .is_live = true,
				      .is_readonly = is_readonly});
}

bool simt_memory_release(struct simt_memory *m, uint64_t addr)
{
	uint32_t i = upper(m, addr);

	if (!i || m->allocs[i - 1].addr != addr || !m->allocs[i - 1].is_live)
		return false;
	if (is_the_users(m->allocs[i - 1].kind))
		simt_memory_touch(m);
	struct simt_alloc *a = &m->allocs[i - 1];

	a->is_live = false;
	if (is_the_users(a->kind))
		simt_declared_forget(&m->declared, a->addr, a->size_bytes);
	if (counts_as_used(a->kind))
		m->used_bytes -= a->size_bytes;
	if (a->kind == SIMT_ALLOC_REGISTERED) {
		memmove(a, a + 1, (m->count - i) * sizeof(*a));
		m->count--;
		return true;
	}
	if (a->kind == SIMT_ALLOC_MAPPED)
		return true;
	/* Whole pages inside the range go back to the host; a page shared with a neighbour stays. */
	uint64_t page = 4096, lo = (addr + page - 1) & ~(page - 1), hi = (addr + a->size_bytes) & ~(page - 1);

	if (hi > lo)
		madvise((void *)lo, hi - lo, MADV_DONTNEED);
	return true;
}

bool simt_memory_register(struct simt_memory *m, uint64_t addr, uint64_t size_bytes)
{
	if (!size_bytes || addr + size_bytes < addr)
		return false;
	for (uint32_t i = 0; i < m->count; i++) {
		const struct simt_alloc *a = &m->allocs[i];

		if (a->is_live && a->addr < addr + size_bytes && addr < a->addr + a->size_bytes)
			return false;
	}
	simt_memory_touch(m);
	insert(m, (struct simt_alloc){
		      .addr = addr, .size_bytes = size_bytes, .kind = SIMT_ALLOC_REGISTERED, .is_live = true});
	return true;
}

const struct simt_alloc *simt_memory_find(const struct simt_memory *m, uint64_t addr, uint64_t size_bytes)
{
	uint32_t i = upper(m, addr);

	if (!i)
		return NULL;
	const struct simt_alloc *a = &m->allocs[i - 1];

	if (!a->is_live || size_bytes > a->size_bytes || addr - a->addr > a->size_bytes - size_bytes)
		return NULL;
	return a;
}

void simt_memory_declare_reading(struct simt_memory *m, uint64_t addr, bool is_read_mostly)
{
	uint32_t i = upper(m, addr);

	CHECK(simt_memory_find(m, addr, 1));
	simt_memory_touch(m);
	m->allocs[i - 1].is_read_mostly = is_read_mostly;
}

void simt_memory_tolerate_pages(struct simt_memory *m)
{
	m->tolerates_pages = true;
}

bool simt_memory_tolerates_pages(const struct simt_memory *m)
{
	return m->tolerates_pages;
}

/* Does the page that holds addr hold a byte of live device memory, or of the driver's own? */
static bool is_mapped(const struct simt_memory *m, uint64_t addr)
{
	const uint64_t page = addr & ~(SIMT_PROTECTION_BYTES - 1);

	if (m->tolerates_pages && page == SIMT_ARENA_BASE)
		return true;
	for (uint32_t i = upper(m, page + SIMT_PROTECTION_BYTES - 1); i-- > 0;) {
		const struct simt_alloc *a = &m->allocs[i];

		if (a->addr + a->size_bytes <= page)
			return false;
		if (a->is_live && counts_as_used(a->kind))
			return true;
	}
	return false;
}

bool simt_memory_shares_page(const struct simt_memory *m, uint64_t addr, uint64_t size_bytes)
{
	const uint64_t last = addr + size_bytes - 1;

	if (!in_arena(m, addr) || !in_arena(m, last))
		return false;
	for (uint32_t i = upper(m, last); i-- > 0 && m->allocs[i].addr + m->allocs[i].size_bytes > addr;)
		if (m->allocs[i].is_live && !counts_as_used(m->allocs[i].kind))
			return false;
	return is_mapped(m, addr) && is_mapped(m, last);
}

static bool is_host_kind(enum simt_alloc_kind kind)
{
	return kind == SIMT_ALLOC_HOST || kind == SIMT_ALLOC_REGISTERED;
}

bool simt_memory_has_host(const struct simt_memory *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		if (m->allocs[i].is_live && is_host_kind(m->allocs[i].kind))
			return true;
	return false;
}

bool simt_memory_is_host(const struct simt_memory *m, uint64_t addr)
{
	const struct simt_alloc *a = simt_memory_find(m, addr, 1);

	return a && is_host_kind(a->kind);
}

/* A module's variable, which may be a compiler's string and stand anywhere, is what is meant only in and beside it. */
static bool may_be_meant(const struct simt_alloc *a, uint64_t addr)
{
	if (a->kind != SIMT_ALLOC_MODULE)
		return is_the_users(a->kind);
	return addr >= a->addr && addr - a->addr < 2 * a->size_bytes;
}

/* The nearest one that is_meant allows. */
static const struct simt_alloc *nearest(const struct simt_memory *m, uint64_t addr,
					bool (*is_meant)(const struct simt_alloc *a, uint64_t addr))
{
	uint32_t i = upper(m, addr);
	const struct simt_alloc *below = NULL, *above = NULL;

	for (uint32_t j = i; j > 0 && !below; j--)
		if (is_meant(&m->allocs[j - 1], addr))
			below = &m->allocs[j - 1];
	for (uint32_t j = i; j < m->count && !above; j++)
		if (is_meant(&m->allocs[j], addr))
			above = &m->allocs[j];
	if (!below || !above)
		return below ? below : above;
	uint64_t below_end = below->addr + below->size_bytes;
	uint64_t below_gap = addr < below_end ? 0 : addr - below_end + 1;

	return below_gap <= above->addr - addr ? below : above;
}

static bool may_be_the_users(const struct simt_alloc *a, uint64_t addr)
{
	(void)addr;
	return is_the_users(a->kind);
}

const struct simt_alloc *simt_memory_nearest(const struct simt_memory *m, uint64_t addr)
{
	const struct simt_alloc *a = nearest(m, addr, may_be_meant);

	return a ? a : nearest(m, addr, may_be_the_users);
}

void simt_memory_attach_check(struct simt_memory *m, struct simt_check *c)
{
	m->check = c;
}

struct simt_check *simt_memory_check(const struct simt_memory *m)
{
	return m->check;
}

const struct simt_alloc *simt_memory_entry(const struct simt_memory *m, uint32_t i)
{
	return i < m->count ? &m->allocs[i] : NULL;
}

static const char *alloc_name(enum simt_alloc_kind k)
{
	static const char *const names[] = {"device memory",          "managed memory",    "pinned host memory",
					    "registered host memory", "mapped memory",     "a module variable",
					    "the device heap",        "local memory",      "kernel parameters"};

	return names[k];
}

void simt_memory_describe(const struct simt_memory *m, uint64_t addr, char *text, uint32_t size_bytes)
{
	const struct simt_alloc *a = simt_memory_nearest(m, addr);
	const size_t used = strlen(text);
	char where[48], number[32] = "";

	if (!a) {
		snprintf(text + used, size_bytes - used, "; nothing is allocated");
		return;
	}
	const uint64_t end = a->addr + a->size_bytes;
	const bool is_inside = addr >= a->addr && addr < end;

	if (addr >= end)
		snprintf(where, sizeof(where), "%llu bytes past the end of", (unsigned long long)(addr - end));
	else
		snprintf(where, sizeof(where), "%llu bytes %s",
			 (unsigned long long)(is_inside ? addr - a->addr : a->addr - addr),
			 is_inside ? "into" : "before");
	if (m->check && a->ordinal)
		snprintf(number, sizeof(number), ", allocation %u", a->ordinal);
	snprintf(text + used, size_bytes - used, "; %s the nearest allocation, 0x%llx of %llu bytes, %s%s%s%s", where,
		 (unsigned long long)a->addr, (unsigned long long)a->size_bytes, alloc_name(a->kind), number,
		 a->is_live ? "" : " (freed)", a->is_live && a->is_readonly && is_inside ? ", which is read-only" : "");
}

/* Is it in the page before the first allocation, which would be the driver's if the memory tolerated pages? */
static bool is_in_front(const struct simt_memory *m, uint64_t addr, uint32_t bytes)
{
	const uint64_t last = addr + bytes - 1;

	return !m->tolerates_pages && addr < SIMT_ARENA_BASE && addr >= SIMT_ARENA_BASE - SIMT_PROTECTION_BYTES &&
	       (last < SIMT_ARENA_BASE || simt_memory_shares_page(m, SIMT_ARENA_BASE, last - SIMT_ARENA_BASE + 1));
}

void simt_memory_describe_access(const struct simt_memory *m, uint64_t addr, uint32_t bytes, char *text,
				 uint32_t size_bytes)
{
	const bool is_in_page = !simt_memory_find(m, addr, bytes) && simt_memory_shares_page(m, addr, bytes);
	size_t used;

	simt_memory_describe(m, addr, text, size_bytes);
	used = strlen(text);
	if (is_in_page || is_in_front(m, addr, bytes))
		snprintf(text + used, size_bytes - used,
			 "; hardware lets it pass, in %s page of 2 MiB: --set run.bounds=page",
			 is_in_page ? "the same" : "the driver's");
}

uint64_t simt_memory_capacity_bytes(const struct simt_memory *m)
{
	return m->capacity_bytes;
}

uint64_t simt_memory_used_bytes(const struct simt_memory *m)
{
	return m->used_bytes;
}
