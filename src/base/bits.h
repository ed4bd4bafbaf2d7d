/* bits.h - small arithmetic on words. */
#ifndef STRATA_BASE_BITS_H
#define STRATA_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

static inline uint64_t base_max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t base_min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline bool base_is_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* The logarithm to the base 2 of a power of two. */
static inline uint32_t base_log2(uint64_t power)
{
	CHECK(base_is_power_of_two(power));
	return (uint32_t)__builtin_ctzll(power);
}

/* Loose round robin: the first bit of a set above `last` (0 to 63), else its lowest. The set must not be empty. */
static inline uint32_t base_bit_after(uint64_t set, uint32_t last)
{
	uint64_t after = last == 63 ? 0 : set & UINT64_MAX << (last + 1);

	return (uint32_t)__builtin_ctzll(after ? after : set);
}

#endif
