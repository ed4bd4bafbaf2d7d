/* order.c - address maps as numbers of mixed radix. */
#include "mem/order.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"

/* The letters of a field and the parts it is made of, the least significant first. */
static const struct {
	char letters[3];
	enum mem_order_part parts[2];
	uint32_t part_count;
} letters[] = {
	{"co", {MEM_PART_COLUMN}, 1}, {"ch", {MEM_PART_STACK, MEM_PART_VAULT}, 2}, {"bg", {MEM_PART_GROUP}, 1},
	{"ba", {MEM_PART_BANK}, 1},   {"ra", {MEM_PART_RANK}, 1},		   {"ro", {MEM_PART_ROW}, 1},
};

static const char *const names[] = {
#define MEM_ORDER_NAME(enumerator, name) #name,
	MEM_ORDERS(MEM_ORDER_NAME)
#undef MEM_ORDER_NAME
};

/* One part more, at *shift of the address, whose digit is shifted by place_log2 in the place: with a power of two its
 * bits, else a division that takes it out. */
static void add_part(struct mem_order *o, enum mem_order_part part, uint64_t count, uint32_t place_log2, bool is_top,
		     uint32_t *shift)
{
	if ((count & (count - 1)) && !is_top) {
		CHECK(o->division_count < MEM_ORDER_DIVISIONS_MAX);
		o->divisions[o->division_count++] = (struct mem_order_division){
			base_divisor_of(count), *shift, (uint8_t)part, (uint8_t)place_log2};
		return;
	}

	/* What is left at the top is below the count, so the mask may hold more. */
	const uint32_t bits = count == 1 ? 0 : 64 - (uint32_t)__builtin_clzll(count - 1);

	o->bits[part].mask = (uint32_t)(((1ull << bits) - 1) << place_log2);
	CHECK(*shift + bits + MEM_ORDER_HEADROOM <= 64 && place_log2 <= *shift + MEM_ORDER_HEADROOM);
	o->bits[part].shift = *shift + MEM_ORDER_HEADROOM - place_log2;
	*shift += bits;
}

void mem_order_init(struct mem_order *o, enum mem_order_name name, const struct mem_shape *s, bool is_xored)
{
	const struct {
		uint64_t count;
		uint32_t place_log2;
	} parts[MEM_PART_COUNT] = {
		[MEM_PART_COLUMN] = {s->row_bytes / s->interleave_bytes, base_log2(s->interleave_bytes)},
		[MEM_PART_STACK] = {s->stack_count, 0},
		[MEM_PART_VAULT] = {s->vault_count, 0},
		[MEM_PART_GROUP] = {s->group_count, 0},
		[MEM_PART_BANK] = {s->bank_count / s->group_count, base_log2(s->group_count)},
		[MEM_PART_RANK] = {s->rank_count, base_log2(s->bank_count)},
		[MEM_PART_ROW] = {s->row_count, 0},
	};
	const char *text = names[name];
	uint32_t shift = base_log2(s->interleave_bytes);

	memset(o, 0, sizeof(*o));
	o->interleave_mask = s->interleave_bytes - 1;
	o->xor_mask = is_xored ? s->bank_count - 1 : 0;
	for (size_t at = strlen(text) + 1; at; at -= 3) { /* "xx_": from the last field up */
		for (uint32_t i = 0; i < ARRAY_COUNT(letters); i++) {
			if (strncmp(text + at - 3, letters[i].letters, 2))
				continue;
			for (uint32_t j = 0; j < letters[i].part_count; j++) {
				enum mem_order_part part = letters[i].parts[j];
				bool is_top = at == 3 && j + 1 == letters[i].part_count;

				o->digits[o->digit_count++] = (struct mem_order_digit){
					parts[part].count, (uint8_t)part, (uint8_t)parts[part].place_log2};
				add_part(o, part, parts[part].count, parts[part].place_log2, is_top, &shift);
			}
		}
	}
}

struct mem_place mem_order_place_divided(const struct mem_order *o, uint64_t addr_bytes)
{
	uint64_t rest = addr_bytes, digits[MEM_PART_COUNT] = {0};

	for (uint32_t i = 0; i < o->division_count; i++) {
		const struct mem_order_division *d = &o->divisions[i];
		uint64_t low = rest & ((1ull << d->shift) - 1), digit;

		rest = base_divide(rest >> d->shift, &d->by, &digit) << d->shift | low;
		digits[d->part] = digit << d->place_log2;
	}

	struct mem_place p = mem_order_bits_place(o, rest);

	p.stack |= (uint32_t)digits[MEM_PART_STACK];
	p.vault |= (uint32_t)digits[MEM_PART_VAULT];
	p.row |= (uint32_t)digits[MEM_PART_ROW];
	p.bank = (p.bank | (uint32_t)digits[MEM_PART_RANK]) ^ (p.row & o->xor_mask);
	return p;
}

uint64_t mem_order_address(const struct mem_order *o, const struct mem_place *at)
{
	const uint32_t bank = at->bank ^ (at->row & o->xor_mask);
	const uint32_t of_part[MEM_PART_COUNT] = {
		[MEM_PART_COLUMN] = at->column_bytes, [MEM_PART_STACK] = at->stack, [MEM_PART_VAULT] = at->vault,
		[MEM_PART_GROUP] = bank,	      [MEM_PART_BANK] = bank,	    [MEM_PART_RANK] = bank,
		[MEM_PART_ROW] = at->row,
	};
	uint64_t addr_bytes = at->column_bytes & o->interleave_mask, weight = (uint64_t)o->interleave_mask + 1;

	for (uint32_t i = 0; i < o->digit_count; i++) {
		const struct mem_order_digit *d = &o->digits[i];

		addr_bytes += (of_part[d->part] >> d->place_log2) % d->count * weight;
		weight *= d->count;
	}
	return addr_bytes;
}
