/* hash.h - the FNV-1a hash of 64 bits: the same on every host, for results and addresses that must not change. */
#ifndef STRATA_BASE_HASH_H
#define STRATA_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define BASE_HASH_BEGIN 0xcbf29ce484222325ull

static inline uint64_t base_hash_add(uint64_t hash, const void *data, size_t bytes)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ p[i]) * 0x100000001b3ull;
	return hash;
}

#endif
