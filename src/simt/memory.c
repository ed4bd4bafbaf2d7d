/* memory.c - the arena of device memory: a sorted table of allocations over one reserved address range. */
#include "simt/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "simt/heap.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Allocations by ascending address, freed ones included until their range is used again. Entries never overlap. */
struct simt_memory {
	struct simt_alloc *allocs;
	uint32_t count, cap;
	uint64_t capacity_bytes, used_bytes;
	struct simt_heap *heap;
};

struct simt_heap **simt_memory_heap(struct simt_memory *m)
{
	return &m->heap;
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
	m->capacity_bytes = capacity_bytes;
	return m;
}

void simt_memory_free(struct simt_memory *m)
{
	if (!m)
		return;
	munmap((void *)SIMT_ARENA_BASE, m->capacity_bytes);
	simt_heap_free(m->heap);
	free(m->allocs);
	free(m);
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

static uint64_t lowest_fit(const struct simt_memory *m, uint64_t size_bytes, uint64_t align_bytes)
{
	uint64_t end = SIMT_ARENA_BASE + m->capacity_bytes, at = SIMT_ARENA_BASE;

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
	uint64_t at = is_ours ? highest_fit(m, size_bytes, align_bytes) : lowest_fit(m, size_bytes, align_bytes);

	if (!at)
		return 0;
	insert(m, (struct simt_alloc){.addr = at,
				      .size_bytes = size_bytes,
				      .kind = kind,
				      .is_live = true,
				      .is_readonly = kind == SIMT_ALLOC_PARAM});
	if (counts_as_used(kind))
		m->used_bytes += size_bytes;
	return at;
}

bool simt_memory_release(struct simt_memory *m, uint64_t addr)
{
	uint32_t i = upper(m, addr);

	if (!i || m->allocs[i - 1].addr != addr || !m->allocs[i - 1].is_live)
		return false;
	struct simt_alloc *a = &m->allocs[i - 1];

	a->is_live = false;
	if (counts_as_used(a->kind))
		m->used_bytes -= a->size_bytes;
	if (a->kind == SIMT_ALLOC_REGISTERED) {
		memmove(a, a + 1, (m->count - i) * sizeof(*a));
		m->count--;
		return true;
	}
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

static bool is_the_users(enum simt_alloc_kind k)
{
	return k != SIMT_ALLOC_LOCAL && k != SIMT_ALLOC_PARAM;
}

const struct simt_alloc *simt_memory_nearest(const struct simt_memory *m, uint64_t addr)
{
	uint32_t i = upper(m, addr);
	const struct simt_alloc *below = NULL, *above = NULL;

	for (uint32_t j = i; j > 0 && !below; j--)
		if (is_the_users(m->allocs[j - 1].kind))
			below = &m->allocs[j - 1];
	for (uint32_t j = i; j < m->count && !above; j++)
		if (is_the_users(m->allocs[j].kind))
			above = &m->allocs[j];
	if (!below || !above)
		return below ? below : above;
	uint64_t below_end = below->addr + below->size_bytes;
	uint64_t below_gap = addr < below_end ? 0 : addr - below_end + 1;

	return below_gap <= above->addr - addr ? below : above;
}

uint64_t simt_memory_capacity_bytes(const struct simt_memory *m)
{
	return m->capacity_bytes;
}

uint64_t simt_memory_used_bytes(const struct simt_memory *m)
{
	return m->used_bytes;
}
