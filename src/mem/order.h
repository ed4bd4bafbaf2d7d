/* order.h - an address map as an order of fields: exact for any number of stacks, vaults, ranks and rows.
 *
 * The name of an order lists the fields from the most significant to the least, by the two letters that DRAMsim3
 * uses: ro row, ra rank, ba bank within its group, bg bank group, co column, ch channel. An address is read as a number
 * of mixed radix in this order, so no two bytes share a place whatever the counts are. Counts that are powers of two
 * cost a shift and a mask, others a division by multiplication.
 *
 * Below everything lie the bytes of one interleave (of a line, unless a parameter says more): the lowest part of the
 * column. The channel is the stack, then the vault in it: successive interleaves go round the stacks first.
 */
#ifndef STRATA_MEM_ORDER_H
#define STRATA_MEM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/divide.h"
#include "mem/map.h"

#define MEM_ORDERS(X) \
	X(MEM_ORDER_OPEN_PAGE, ro_ra_ba_bg_co_ch) \
	X(MEM_ORDER_GROUPS, ro_ra_ba_co_bg_ch) \
	X(MEM_ORDER_CLOSED_PAGE, ro_co_ra_ba_bg_ch) \
	X(MEM_ORDER_MINIMAL, ro_co_ba_bg_ra_ch) \
	X(MEM_ORDER_ROBARACOCH, ro_ba_bg_ra_co_ch) \
	X(MEM_ORDER_CHRABAROCO, ch_ra_bg_ba_ro_co) \
	X(MEM_ORDER_ROCHRABABGCO, ro_ch_ra_ba_bg_co) \
	X(MEM_ORDER_RORABGBACHCO, ro_ra_bg_ba_ch_co)
enum mem_order_name {
#define MEM_ORDER_ENUMERATOR(enumerator, name) enumerator,
	MEM_ORDERS(MEM_ORDER_ENUMERATOR)
#undef MEM_ORDER_ENUMERATOR
};

/* What there is of each; all at least 1. Banks, groups and the two sizes are powers of two. */
struct mem_shape {
	uint32_t stack_count, vault_count, rank_count;
	uint32_t bank_count, group_count; /* banks per rank, of which every group has as many */
	uint64_t row_count;		  /* of a bank; at most 2^32 - 1 */
	uint32_t row_bytes, interleave_bytes; /* the second at most the first */
};

/* Bits of the address, moved to where they belong in a part of the place: (address << headroom) >> shift & mask. The
 * headroom lets all move to the right: a bank's number starts above at most 64 banks. */
struct mem_order_bits {
	uint32_t mask, shift;
};
enum { MEM_ORDER_HEADROOM = 6 };

/* Takes the digit of a count that is no power of two out of the address. */
struct mem_order_division {
	struct base_divisor by;
	uint32_t shift;
	uint8_t part; /* enum mem_order_part */
	uint8_t place_log2; /* of the digit in its part of the place */
};

enum mem_order_part {
	MEM_PART_COLUMN, MEM_PART_STACK, MEM_PART_VAULT, MEM_PART_GROUP, MEM_PART_BANK, MEM_PART_RANK, MEM_PART_ROW,
	MEM_PART_COUNT,
};
enum { MEM_ORDER_DIVISIONS_MAX = 4 }; /* stacks, vaults, ranks and rows */

/* A digit of the address, which counts to count, and where it is in its part of the place. */
struct mem_order_digit {
	uint64_t count;
	uint8_t part, place_log2;
};

struct mem_order {
	struct mem_order_bits bits[MEM_PART_COUNT];
	uint32_t interleave_mask;
	uint32_t xor_mask; /* banks of a rank - 1, or 0: the bank's number is XORed with the row's low bits */
	uint32_t division_count;
	struct mem_order_division divisions[MEM_ORDER_DIVISIONS_MAX];
	/* For the way back: all digits, the least significant first. */
	struct mem_order_digit digits[MEM_PART_COUNT];
	uint32_t digit_count;
};

/* is_xored: pages that would meet in a bank, because their addresses differ in the row only, are spread over the banks
 * (permutation-based interleaving; Zhang, Zhu, Zhang, MICRO 2000). */
void mem_order_init(struct mem_order *o, enum mem_order_name name, const struct mem_shape *shape, bool is_xored);

/* The address of a place that is within the shape. */
uint64_t mem_order_address(const struct mem_order *o, const struct mem_place *at);

/* The place when there are digits to divide out. */
struct mem_place mem_order_place_divided(const struct mem_order *o, uint64_t addr_bytes);

static inline uint32_t mem_order_part_of(const struct mem_order *o, enum mem_order_part part, uint64_t addr_bytes)
{
	return (uint32_t)(addr_bytes << MEM_ORDER_HEADROOM >> o->bits[part].shift) & o->bits[part].mask;
}

/* The place of what powers of two leave of an address; the bank's number is not XORed yet. */
static inline struct mem_place mem_order_bits_place(const struct mem_order *o, uint64_t addr_bytes)
{
	return (struct mem_place){
		.stack = mem_order_part_of(o, MEM_PART_STACK, addr_bytes),
		.vault = mem_order_part_of(o, MEM_PART_VAULT, addr_bytes),
		.bank = mem_order_part_of(o, MEM_PART_RANK, addr_bytes) |
			mem_order_part_of(o, MEM_PART_BANK, addr_bytes) |
			mem_order_part_of(o, MEM_PART_GROUP, addr_bytes),
		.row = mem_order_part_of(o, MEM_PART_ROW, addr_bytes),
		.column_bytes = mem_order_part_of(o, MEM_PART_COLUMN, addr_bytes) |
				((uint32_t)addr_bytes & o->interleave_mask),
	};
}

/* addr_bytes must lie below the product of all counts. The bank is numbered through the ranks: rank * bank_count +
 * bank within the rank, whose low bits are the group. */
static inline struct mem_place mem_order_place(const struct mem_order *o, uint64_t addr_bytes)
{
	if (o->division_count)
		return mem_order_place_divided(o, addr_bytes);

	struct mem_place p = mem_order_bits_place(o, addr_bytes);

	p.bank ^= p.row & o->xor_mask;
	return p;
}

#endif
