/* check_memory.c - which bytes of device memory have been written: one bit each, for the whole arena. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "simt/check_hooks.h"
#include "simt/check_priv.h"

struct simt_check *simt_check_new(struct simt_memory *m)
{
	struct simt_check *c = calloc(1, sizeof(*c));

	CHECK(c);
	c->mem = m;
	c->written_bytes = simt_memory_capacity_bytes(m) / 8 + 1;
	c->written = mmap(NULL, c->written_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			  -1, 0);
	if (c->written == MAP_FAILED) {
		free(c);
		return NULL;
	}
	c->global = simt_check_global_new();
	simt_memory_attach_check(m, c);
	return c;
}

void simt_check_free(struct simt_check *c)
{
	if (!c)
		return;
	munmap(c->written, c->written_bytes);
	simt_check_global_free(c->global);
	for (uint32_t i = 0; i < c->count; i++)
		free(c->findings[i].text);
	for (uint32_t i = 0; i < c->name_count; i++)
		free(c->names[i]);
	free(c->findings);
	free(c->keys);
	free(c->names);
	free(c);
}

/* Offset of addr in the arena; false outside it. */
static bool arena_offset(const struct simt_check *c, uint64_t addr, uint64_t *offset)
{
	*offset = addr - SIMT_ARENA_BASE;
	return *offset < simt_memory_capacity_bytes(c->mem);
}

static void set_bits(uint8_t *byte, uint32_t mask, bool is_set)
{
	*byte = (uint8_t)(is_set ? *byte | mask : *byte & ~mask);
}

void simt_check_set(struct simt_check *c, uint64_t addr, uint64_t bytes, bool is_written)
{
	uint64_t at, end;

	if (!bytes || !arena_offset(c, addr, &at))
		return;
	end = at + bytes;
	CHECK(end <= simt_memory_capacity_bytes(c->mem));
	const uint32_t head = 0xffu << (at & 7), tail = (1u << (end & 7)) - 1;

	if (at / 8 == end / 8) {
		set_bits(&c->written[at / 8], head & tail, is_written);
		return;
	}
	set_bits(&c->written[at / 8], head & 0xff, is_written);
	memset(&c->written[at / 8 + 1], is_written ? 0xff : 0, end / 8 - at / 8 - 1);
	if (tail)
		set_bits(&c->written[end / 8], tail, is_written);
}

bool simt_check_is_written(const struct simt_check *c, uint64_t addr, uint32_t bytes)
{
	uint64_t at;

	if (!arena_offset(c, addr, &at))
		return true;
	if (bytes > 8)
		return c->written[at / 8] == 0xff && c->written[at / 8 + 1] == 0xff;
	const uint32_t mask = ((1u << bytes) - 1) << (at & 7);

	return (c->written[at / 8] & mask) == mask;
}

void simt_check_written(struct simt_check *c, uint64_t addr, uint64_t bytes)
{
	simt_check_set(c, addr, bytes, true);
}

static bool bit(const struct simt_check *c, uint64_t at)
{
	return c->written[at / 8] >> (at & 7) & 1;
}

void simt_check_copied(struct simt_check *c, uint64_t to, uint64_t from, uint64_t bytes)
{
	uint64_t source, target;

	if (!arena_offset(c, to, &target) || !bytes)
		return;
	if (!arena_offset(c, from, &source)) {
		simt_check_set(c, to, bytes, true);
		return;
	}
	/* As memmove: overlapping ranges are copied from the safe end. */
	const bool is_backward = target > source && target < source + bytes;

	if (!((source | target | bytes) & 7)) {
		memmove(&c->written[target / 8], &c->written[source / 8], bytes / 8);
		return;
	}
	for (uint64_t i = 0; i < bytes; i++) {
		const uint64_t k = is_backward ? bytes - 1 - i : i;

		set_bits(&c->written[(target + k) / 8], 1u << ((target + k) & 7), bit(c, source + k));
	}
}

/* Only what nobody but kernels and copies can write begins unwritten: host code writes managed and pinned memory
 * directly, module variables have initial values. */
void simt_check_allocated(struct simt_check *c, uint64_t addr, uint64_t bytes, enum simt_alloc_kind kind)
{
	simt_check_set(c, addr, bytes, kind != SIMT_ALLOC_DEVICE && kind != SIMT_ALLOC_HEAP);
	if (kind == SIMT_ALLOC_HEAP)
		simt_check_global_forget(c, addr, bytes);
}
