/* coalesce.h - from the addresses of a warp's lanes to memory lines, bank passes and constant words. Pure functions. */
#ifndef STRATA_GPU_COALESCE_H
#define STRATA_GPU_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/req.h"

enum { COALESCE_LINE_BYTES = 128, COALESCE_LINES_MAX = 64 };

/* One line that a warp access touches. */
struct coalesced_line {
	uint64_t addr_bytes; /* of the line */
	uint32_t word_mask;  /* bit i: the 4-byte word at offset 4 * i is touched */
	uint16_t word_count; /* words over all lanes, one word of two lanes counted twice */
	uint16_t access_count; /* of atomics: coalesce_atomics */
};

/* The lines touched by lanes of mask, each with bytes bytes (1..32) at addr[lane], in order of the first lane that
 * touches each. Returns their number, at most COALESCE_LINES_MAX (a lane's bytes may cross into a second line). */
uint32_t coalesce_lines(const uint64_t *addr, uint32_t mask, uint32_t bytes, struct coalesced_line *lines);
/* Moves the words of these lines into as few of them, the first ones, as have room. Returns their number. */
uint32_t coalesce_squeeze(struct coalesced_line *lines, uint32_t count);
/* The accesses of access_bytes (4..128, a power of two) that an atomic takes at each of these lines, from the same
 * arguments: one for all words that lie in one, and another for every further lane at the same word. */
void coalesce_atomics(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t access_bytes,
		      struct coalesced_line *lines, uint32_t count);
/* The bytes of each of these lines that the lanes touch, from the same arguments. */
void coalesce_bytes(const uint64_t *addr, uint32_t mask, uint32_t bytes, const struct coalesced_line *lines,
		    uint32_t count, struct mem_req_bytes *out);
/* The bytes of word_mask. */
struct mem_req_bytes coalesce_bytes_of_words(uint32_t word_mask);
/* Bytes of the sectors of sector_bytes (4..128, a power of two) that word_mask touches. */
uint32_t coalesce_sector_bytes(uint32_t word_mask, uint32_t sector_bytes);
/* Passes over banks of 4 B: lanes that read the same word share a pass; different words of a bank take one pass each.
 * Accesses wider than 4 B go in groups of lanes that move 128 B at most.
 * Atomics do not share: lanes at the same word take one pass each. */
uint32_t coalesce_bank_passes(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t bank_count, bool is_atomic);
/* Distinct 4-byte words read at the lanes' first bytes: a constant cache serves one per cycle. */
uint32_t coalesce_distinct_words(const uint64_t *addr, uint32_t mask);

#endif
