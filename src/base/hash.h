/* hash.h - hashes of 64 bits, the same on every host, for results and addresses that must not change: FNV-1a, and one
 * for much data. */
#ifndef STRATA_BASE_HASH_H
#define STRATA_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BASE_HASH_BEGIN 0xcbf29ce484222325ull

static inline uint64_t base_hash_add(uint64_t hash, const void *data, size_t bytes)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ p[i]) * 0x100000001b3ull;
	return hash;
}

static inline uint64_t base_hash_word(uint64_t hash, uint64_t word)
{
	hash += word * 0xc2b2ae3d27d4eb4full;
	return (hash << 31 | hash >> 33) * 0x9e3779b185ebca87ull;
}

/* Faster than the data is copied: four words of little-endian memory at a time, in lanes that do not wait for each
 * other (the steps are xxHash64's). Not the same for the same data in other pieces. */
static inline uint64_t base_hash_add_much(uint64_t hash, const void *data, size_t bytes)
{
	const uint8_t *p = data;
	uint64_t lane[4] = {hash, ~hash, hash << 32 | hash >> 32, bytes}, word[4];

	for (; bytes >= sizeof(word); bytes -= sizeof(word), p += sizeof(word)) {
		memcpy(word, p, sizeof(word));
		for (uint32_t i = 0; i < 4; i++)
			lane[i] = base_hash_word(lane[i], word[i]);
	}
	memset(word, 0, sizeof(word));
	memcpy(word, p, bytes);
	for (uint32_t i = 0; i < 4; i++)
		hash = base_hash_word(hash, base_hash_word(lane[i], word[i]));
	return hash ^ hash >> 29;
}

#endif
