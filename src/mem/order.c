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

/* One part more, at *shift: with a power of two its bits, else a division that takes it out. */
static void add_part(struct mem_order *o, enum mem_order_part part, uint64_t count, bool is_top, uint32_t *shift)
{
	if ((count & (count - 1)) == 0 || is_top) { /* what is left at the top is below the count */
		o->fields[part] = (struct mem_order_field){is_top ? UINT64_MAX : count - 1, *shift};
		if (!is_top)
			*shift += base_log2(count);
		return;
	}
	CHECK(o->division_count < MEM_ORDER_DIVISIONS_MAX);
	o->divisions[o->division_count++] = (struct mem_order_division){count, UINT64_MAX / count, *shift, part};
}

void mem_order_init(struct mem_order *o, enum mem_order_name name, const struct mem_shape *s, bool is_xored)
{
	const uint64_t counts[MEM_PART_COUNT] = {
		[MEM_PART_COLUMN] = s->row_bytes / s->interleave_bytes,
		[MEM_PART_STACK] = s->stack_count,
		[MEM_PART_VAULT] = s->vault_count,
		[MEM_PART_GROUP] = s->group_count,
		[MEM_PART_BANK] = s->bank_count / s->group_count,
		[MEM_PART_RANK] = s->rank_count,
		[MEM_PART_ROW] = s->row_count,
	};
	const char *text = names[name];

	memset(o, 0, sizeof(*o));
	o->interleave_log2 = base_log2(s->interleave_bytes);
	o->interleave_mask = s->interleave_bytes - 1;
	o->group_log2 = base_log2(s->group_count);
	o->bank_log2 = base_log2(s->bank_count);
	o->xor_mask = is_xored ? s->bank_count - 1 : 0;

	uint32_t shift = o->interleave_log2;

	for (size_t at = strlen(text) + 1; at; at -= 3) { /* "xx_": from the last field up */
		for (uint32_t i = 0; i < ARRAY_COUNT(letters); i++) {
			if (strncmp(text + at - 3, letters[i].letters, 2))
				continue;
			for (uint32_t j = 0; j < letters[i].part_count; j++) {
				enum mem_order_part part = letters[i].parts[j];
				bool is_top = at == 3 && j + 1 == letters[i].part_count;

				add_part(o, part, counts[part], is_top, &shift);
			}
		}
	}
}

static inline uint64_t divide(uint64_t n, const struct mem_order_division *d, uint64_t *rest)
{
	uint64_t quotient = (uint64_t)((unsigned __int128)n * d->inverse >> 64);
	uint64_t left = n - quotient * d->count;

	if (left >= d->count) { /* the rounded inverse falls short by at most one */
		left -= d->count;
		quotient++;
	}
	*rest = left;
	return quotient;
}

static inline uint32_t part_of(const struct mem_order *o, enum mem_order_part part, uint64_t addr_bytes)
{
	return (uint32_t)(addr_bytes >> o->fields[part].shift & o->fields[part].mask);
}

struct mem_place mem_order_place(const struct mem_order *o, uint64_t addr_bytes)
{
	uint64_t rest = addr_bytes, digits[MEM_PART_COUNT] = {0};

	for (uint32_t i = 0; i < o->division_count; i++) {
		const struct mem_order_division *d = &o->divisions[i];
		uint64_t low = rest & ((1ull << d->shift) - 1);

		rest = divide(rest >> d->shift, d, &digits[d->field]) << d->shift | low;
	}

	uint32_t row = part_of(o, MEM_PART_ROW, rest) + (uint32_t)digits[MEM_PART_ROW];
	uint32_t rank = part_of(o, MEM_PART_RANK, rest) + (uint32_t)digits[MEM_PART_RANK];
	uint32_t bank = part_of(o, MEM_PART_BANK, rest) << o->group_log2 | part_of(o, MEM_PART_GROUP, rest);

	return (struct mem_place){
		.stack = part_of(o, MEM_PART_STACK, rest) + (uint32_t)digits[MEM_PART_STACK],
		.vault = part_of(o, MEM_PART_VAULT, rest),
		.bank = rank << o->bank_log2 | (bank ^ (row & o->xor_mask)),
		.row = row,
		.column_bytes = part_of(o, MEM_PART_COLUMN, rest) << o->interleave_log2 |
				((uint32_t)addr_bytes & o->interleave_mask),
	};
}
