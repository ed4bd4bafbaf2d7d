/* sectors.h - the sectors of a cache's line: which are there, which are dirty, and which bytes have been written of
 * those that are not there. Pure; a line has at most 128 bytes and eight sectors.
 */
#ifndef STRATA_MEM_SECTORS_H
#define STRATA_MEM_SECTORS_H

#include <stdint.h>

#include "net/req.h"

enum { MEM_SECTORS_MAX = 8 };

struct mem_line_sectors {
	struct mem_req_bytes written; /* since the line was taken in */
	uint8_t present;	      /* bit per sector: all its bytes are here */
	uint8_t dirty;		      /* bytes of it have been written */
};

/* The bytes of sector i. */
static inline struct mem_req_bytes mem_sector_bytes(uint32_t i, uint32_t sector_bytes)
{
	const uint64_t ones = sector_bytes == 64 ? UINT64_MAX : (1ull << sector_bytes) - 1;
	const uint32_t first = i * sector_bytes;
	struct mem_req_bytes b = {{0, 0}};

	b.mask[first / 64] = ones << first % 64;
	return b;
}

/* Sectors of which bytes has a byte. */
static inline uint8_t mem_sectors_of(const struct mem_req_bytes *bytes, uint32_t sector_bytes, uint32_t count)
{
	uint32_t sectors = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct mem_req_bytes s = mem_sector_bytes(i, sector_bytes);

		if ((s.mask[0] & bytes->mask[0]) | (s.mask[1] & bytes->mask[1]))
			sectors |= 1u << i;
	}
	return (uint8_t)sectors;
}

/* The bytes are written here. A sector all of whose bytes have been written is there without being fetched. */
static inline void mem_sectors_write(struct mem_line_sectors *l, const struct mem_req_bytes *bytes,
				     uint32_t sector_bytes, uint32_t count)
{
	l->written.mask[0] |= bytes->mask[0];
	l->written.mask[1] |= bytes->mask[1];
	l->dirty |= mem_sectors_of(bytes, sector_bytes, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct mem_req_bytes s = mem_sector_bytes(i, sector_bytes);

		if (!(s.mask[0] & ~l->written.mask[0]) && !(s.mask[1] & ~l->written.mask[1]))
			l->present |= (uint8_t)(1u << i);
	}
}

#endif
