/* map.h - address mapping as a described bit function: which stack, vault, bank, row and column a byte lives in.
 *
 * Each index bit is the XOR of a set of address bits. A mapping is described by a string per field, most significant
 * index bit first, comma separated, each bit a '^'-joined list of address bits: "8^14^20,7^13^19".
 */
#ifndef STRATA_MEM_MAP_H
#define STRATA_MEM_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/divide.h"

enum { MEM_MAP_FIELD_BITS_MAX = 32, MEM_MAP_TERMS_MAX = 64 };

/* Index bits that all lie the same distance from an address bit they take: index ^= rotr(address, rotate) & mask. */
struct mem_map_term {
	uint32_t rotate, mask;
};

struct mem_map_field {
	uint32_t bit_count;
	uint64_t masks[MEM_MAP_FIELD_BITS_MAX]; /* [i]: address bits XORed into index bit i (least significant first) */
	uint32_t term_count;	/* the masks by diagonals, made by mem_map_field_prepare */
	struct mem_map_term terms[MEM_MAP_TERMS_MAX];
};

/* Takes the digit of a count that is no power of two out of the address: what is at and above the bit is divided, the
 * rest of the division is the digit, and the quotient takes its place for the fields. */
struct mem_map_division {
	struct base_divisor by; /* by.count 0: none */
	uint32_t bit;
};

struct mem_map {
	struct mem_map_field stack, vault, bank, row, column;
	uint32_t only_stack; /* where the stack has no bits: all lies in this one */
	struct mem_map_division stack_division, vault_division; /* in this order */
};

struct mem_place {
	uint32_t stack, vault, bank, row, column_bytes;
};

/* The baseline of TOM (ISCA'16) section 5.1 as Strata reads it: stack = a[8:7]^a[14:13]^a[20:19] (for 4 stacks), vault
 * = next four bits [12:9] XOR [18:15], and the remaining bits as column, bank and row so that a row holds lines of one
 * stack and vault only. Counts are powers of two. */
void mem_map_baseline(struct mem_map *map, uint32_t stack_count, uint32_t vault_count, uint32_t bank_count,
		      uint32_t row_bytes, uint32_t line_bytes);
/* Two consecutive bits [bit+1:bit] select the stack; other fields from the address without them (TOM section 3.2). */
void mem_map_two_bit(struct mem_map *map, uint32_t bit, uint32_t stack_count, uint32_t vault_count, uint32_t bank_count,
		     uint32_t row_bytes, uint32_t line_bytes);
/* All of it in one stack of several, which so has as many rows as all have with another map: no two addresses share a
 * place, and an address with a bit above the row's lowest has a row that it has with no map of several stacks. */
void mem_map_one_stack(struct mem_map *map, uint32_t stack, uint32_t vault_count, uint32_t bank_count,
		       uint32_t row_bytes, uint32_t line_bytes);
/* After mem_map_two_bit of this bit: each bit of the stack is XORed with the address bits above it that are a multiple
 * of the stack's bits away and below below_bit, so that steps of a power of two go round the stacks, as with the
 * baseline. below_bit 0: with none. */
void mem_map_hash_stacks(struct mem_map *map, uint32_t bit, uint32_t below_bit);
/* Any number of stacks and vaults: successive interleaves of interleave_bytes (a power of two, at least a line, at most
 * a row) go round the stacks, then round the vaults of each. Of what is left of the address the lowest group_bits
 * choose the bank's lowest bits, as GPGPU-Sim has them where L2 slices share a channel; then come the rest of the
 * column, of the bank, and the row. Nothing is XORed. */
void mem_map_divided(struct mem_map *map, uint32_t stack_count, uint32_t vault_count, uint32_t bank_count,
		     uint32_t row_bytes, uint32_t interleave_bytes, uint32_t group_bits);
/* Pages of page_bytes at random stacks by a seeded hash (NSU, SC'17, section 5); within a stack as in the baseline. */
uint32_t mem_map_random_page_stack(uint64_t addr_bytes, uint64_t page_bytes, uint64_t seed, uint32_t stack_count);

/* The bank is XORed with these bits of the row, folded; again, and they are gone. Baseline and two_bit have as many low
 * ones as a bank has, so arrays that begin a power of two apart may meet in one bank though their rows do not, which
 * the others prevent. Once or twice, after one of the maps above. */
void mem_map_hash_banks(struct mem_map *map, uint32_t first_row_bit, uint32_t row_bit_count);

/* The number of an address among those of one of the parts that a map makes of them: which part it is and this number
 * tell the address. What lies behind a map sees the addresses of one part only, so that a cache there goes by the
 * number: of any aligned power of two of lines each part has as many, and their numbers are successive. */
struct mem_numbering {
	struct mem_map_division divisions[2]; /* whose digits choose the part: left out */
	uint32_t piece_count;		      /* runs of address bits that are kept, moved down */
	struct {
		uint64_t mask;
		uint32_t shift;
	} pieces[MEM_MAP_FIELD_BITS_MAX + 1];
	struct mem_map_field part; /* where its owner sees lines of all parts, which of them; else no bits */
};

/* What chooses a part: of the map's fields all bits of the stack, or none, and the lowest of vault and bank. */
struct mem_map_parts {
	bool by_stack, sees_all;
	uint32_t vault_bits, bank_bits;
};

/* Leaves out, of what chooses the part, the lowest bits that tell it. The choice takes no bit below line_bytes. */
void mem_map_number(const struct mem_map *map, const struct mem_map_parts *parts, uint32_t line_bytes,
		    struct mem_numbering *out);
uint64_t mem_number_of(const struct mem_numbering *n, uint64_t addr_bytes);
/* Where lines of all parts come: to be XORed into an index of so many bits that is made of the number, so that each
 * part has all of the index's values, and all parts together have them alike. */
uint64_t mem_number_others(const struct mem_numbering *n, uint64_t addr_bytes, uint32_t index_bits);
/* The number of a page of 1 << page_shift bytes, for an index of so many bits, with the part in it. A page that lies in
 * several parts counts in each. */
uint64_t mem_number_of_page(const struct mem_numbering *n, uint64_t page, uint32_t page_shift, uint32_t index_bits);

/* To be called after changing masks by hand; the functions of this header have done it. */
void mem_map_field_prepare(struct mem_map_field *f);
struct mem_place mem_map_place(const struct mem_map *map, uint64_t addr_bytes);
/* True when no two addresses share a place: the masks of all fields form an invertible matrix. Of a map that divides,
 * this is what the quotients are mapped by: a digit and a quotient tell the address. */
bool mem_map_is_bijective(const struct mem_map *map, uint32_t address_bits);

#endif
