/* bits.h - small operations on register bitsets. */
#ifndef STRATA_NDP_BLOCKS_BITS_H
#define STRATA_NDP_BLOCKS_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline void bits_set(uint64_t *b, uint32_t i)
{
	b[i / 64] |= 1ull << (i % 64);
}

static inline void bits_clear(uint64_t *b, uint32_t i)
{
	b[i / 64] &= ~(1ull << (i % 64));
}

static inline bool bits_test(const uint64_t *b, uint32_t i)
{
	return b[i / 64] >> (i % 64) & 1;
}

#endif
