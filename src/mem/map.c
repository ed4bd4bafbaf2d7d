/* map.c - address mappings as GF(2) matrices. */
#include "mem/map.h"

#include "base/bits.h"
#include "base/check.h"

void mem_map_field_prepare(struct mem_map_field *f)
{
	f->term_count = 0;
	for (uint32_t rotate = 0; rotate < 64; rotate++) {
		uint32_t mask = 0;

		for (uint32_t i = 0; i < f->bit_count; i++)
			mask |= (uint32_t)(f->masks[i] >> ((rotate + i) & 63) & 1) << i;
		if (mask)
			f->terms[f->term_count++] = (struct mem_map_term){rotate, mask};
	}
}

static void prepare_all(struct mem_map *map)
{
	mem_map_field_prepare(&map->stack);
	mem_map_field_prepare(&map->vault);
	mem_map_field_prepare(&map->bank);
	mem_map_field_prepare(&map->row);
	mem_map_field_prepare(&map->column);
}

static void set_plain(struct mem_map_field *f, uint32_t first_bit, uint32_t count)
{
	CHECK(count <= MEM_MAP_FIELD_BITS_MAX);
	f->bit_count = count;
	for (uint32_t i = 0; i < count; i++)
		f->masks[i] = 1ull << (first_bit + i);
}

/* Shifts every mask bit at or above bit up by width: the field as seen by an address with width bits put in there. */
static void insert_bits(struct mem_map_field *f, uint32_t bit, uint32_t width)
{
	uint64_t low = (1ull << bit) - 1;

	for (uint32_t i = 0; i < f->bit_count; i++)
		f->masks[i] = (f->masks[i] & low) | (f->masks[i] & ~low) << width;
}

/* Vault, bank, row and column of an address whose stack bits are outside of it: [line offset][vault][rest of the
 * column][bank][row]. A row so holds row_bytes / line_bytes lines of one vault. Vault bits are XORed with the bits
 * next above the column, bank bits with the low row bits, so that power-of-two strides spread. */
static void map_in_stack(struct mem_map *map, uint32_t vault_count, uint32_t bank_count, uint32_t row_bytes,
			 uint32_t line_bytes)
{
	const uint32_t address_bits = 48;
	uint32_t line = base_log2(line_bytes), vault = base_log2(vault_count), bank = base_log2(bank_count);
	uint32_t column = base_log2(row_bytes);
	uint32_t column_high = column > line ? column - line : 0;
	uint32_t bank_first = line + vault + column_high, row_first = bank_first + bank;
	uint32_t row_bits = address_bits - row_first < MEM_MAP_FIELD_BITS_MAX ? address_bits - row_first :
										MEM_MAP_FIELD_BITS_MAX;

	set_plain(&map->vault, line, vault);
	set_plain(&map->bank, bank_first, bank);
	set_plain(&map->row, row_first, row_bits);
	set_plain(&map->column, 0, line);
	map->column.bit_count = line + column_high;
	for (uint32_t i = 0; i < column_high; i++)
		map->column.masks[line + i] = 1ull << (line + vault + i);
	for (uint32_t i = 0; i < bank; i++)
		map->bank.masks[i] |= 1ull << (row_first + i);
}

static const struct mem_map_division no_division;

void mem_map_baseline(struct mem_map *map, uint32_t stack_count, uint32_t vault_count, uint32_t bank_count,
		      uint32_t row_bytes, uint32_t line_bytes)
{
	const uint32_t stride = 6; /* a[8:7]^a[14:13]^a[20:19] */
	uint32_t line = base_log2(line_bytes), stack = base_log2(stack_count), vault = base_log2(vault_count);
	struct mem_map_field *fields[] = {&map->vault, &map->bank, &map->row, &map->column};

	map->stack_division = map->vault_division = no_division;
	map->only_stack = 0;
	map_in_stack(map, vault_count, bank_count, row_bytes, line_bytes);
	for (uint32_t i = 0; i < ARRAY_COUNT(fields); i++)
		insert_bits(fields[i], line, stack);
	map->stack.bit_count = stack;
	for (uint32_t i = 0; i < stack; i++) {
		uint32_t b = line + i;

		map->stack.masks[i] = 1ull << b | 1ull << (b + stride) | 1ull << (b + 2 * stride);
	}
	for (uint32_t i = 0; i < vault; i++)
		map->vault.masks[i] |= 1ull << (line + stack + i + stride);
	prepare_all(map);
}

void mem_map_two_bit(struct mem_map *map, uint32_t bit, uint32_t stack_count, uint32_t vault_count, uint32_t bank_count,
		     uint32_t row_bytes, uint32_t line_bytes)
{
	const uint32_t stride = 6;
	uint32_t line = base_log2(line_bytes), stack = base_log2(stack_count), vault = base_log2(vault_count);
	struct mem_map_field *fields[] = {&map->vault, &map->bank, &map->row, &map->column};

	CHECK(bit >= line);
	map->stack_division = map->vault_division = no_division;
	map->only_stack = 0;
	map_in_stack(map, vault_count, bank_count, row_bytes, line_bytes);
	for (uint32_t i = 0; i < vault; i++)
		map->vault.masks[i] |= 1ull << (line + i + stride);
	for (uint32_t i = 0; i < ARRAY_COUNT(fields); i++)
		insert_bits(fields[i], bit, stack);
	set_plain(&map->stack, bit, stack);
	prepare_all(map);
}

void mem_map_one_stack(struct mem_map *map, uint32_t stack, uint32_t vault_count, uint32_t bank_count,
		       uint32_t row_bytes, uint32_t line_bytes)
{
	const uint32_t stride = 6;
	const uint32_t line = base_log2(line_bytes), vault = base_log2(vault_count);

	*map = (struct mem_map){.only_stack = stack};
	map_in_stack(map, vault_count, bank_count, row_bytes, line_bytes);
	for (uint32_t i = 0; i < vault; i++)
		map->vault.masks[i] |= 1ull << (line + i + stride);
	prepare_all(map);
}

void mem_map_hash_stacks(struct mem_map *map, uint32_t bit, uint32_t below_bit)
{
	for (uint32_t i = 0; i < map->stack.bit_count; i++)
		for (uint32_t b = bit + i + map->stack.bit_count; b < below_bit; b += map->stack.bit_count)
			map->stack.masks[i] |= 1ull << b;
	mem_map_field_prepare(&map->stack);
}

static struct mem_map_division division(uint32_t count, uint32_t bit)
{
	return base_is_power_of_two(count) ? no_division
					   : (struct mem_map_division){base_divisor_of(count), bit};
}

/* A field of `count`, which is above the first_bit bits below it; where it is divided out it has no bits. */
static uint32_t set_digit(struct mem_map_field *f, uint32_t first_bit, uint32_t count)
{
	const uint32_t bits = base_is_power_of_two(count) ? base_log2(count) : 0;

	set_plain(f, first_bit, bits);
	return first_bit + bits;
}

void mem_map_divided(struct mem_map *map, uint32_t stack_count, uint32_t vault_count, uint32_t bank_count,
		     uint32_t row_bytes, uint32_t interleave_bytes, uint32_t group_bits)
{
	const uint32_t address_bits = 48, low = base_log2(interleave_bytes), bank = base_log2(bank_count);
	const uint32_t column = base_log2(row_bytes);
	uint32_t bit = low;

	CHECK(group_bits <= bank && low <= column);
	map->only_stack = 0;
	map->stack_division = division(stack_count, bit);
	bit = set_digit(&map->stack, bit, stack_count);
	map->vault_division = division(vault_count, bit);
	bit = set_digit(&map->vault, bit, vault_count);
	set_plain(&map->bank, bit, group_bits);
	bit += group_bits;
	set_plain(&map->column, 0, low);
	map->column.bit_count = column;
	for (uint32_t i = low; i < column; i++)
		map->column.masks[i] = 1ull << bit++;
	map->bank.bit_count = bank;
	for (uint32_t i = group_bits; i < bank; i++)
		map->bank.masks[i] = 1ull << bit++;
	set_plain(&map->row, bit,
		  address_bits - bit < MEM_MAP_FIELD_BITS_MAX ? address_bits - bit : MEM_MAP_FIELD_BITS_MAX);
	prepare_all(map);
}

void mem_map_hash_banks(struct mem_map *map, uint32_t first_row_bit, uint32_t row_bit_count)
{
	for (uint32_t i = first_row_bit; map->bank.bit_count && i < first_row_bit + row_bit_count; i++)
		map->bank.masks[i % map->bank.bit_count] ^= map->row.masks[i];
	mem_map_field_prepare(&map->bank);
}

uint32_t mem_map_random_page_stack(uint64_t addr_bytes, uint64_t page_bytes, uint64_t seed, uint32_t stack_count)
{
	/* splitmix64's finaliser (Steele, Lea, Flood, OOPSLA'14) over page number and seed */
	uint64_t z = addr_bytes / page_bytes + seed * 0x9e3779b97f4a7c15ull + 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	z ^= z >> 31;
	return (uint32_t)((unsigned __int128)z * stack_count >> 64);
}

static inline uint32_t field_index(const struct mem_map_field *f, uint64_t addr_bytes)
{
	uint32_t index = 0;

	for (uint32_t i = 0; i < f->term_count; i++) {
		uint32_t rotate = f->terms[i].rotate;

		index ^= (uint32_t)(addr_bytes >> rotate | addr_bytes << (-rotate & 63)) & f->terms[i].mask;
	}
	return index;
}

/* The digit; *addr_bytes becomes what the division leaves. */
static uint32_t divide_out(const struct mem_map_division *d, uint64_t *addr_bytes)
{
	const uint64_t low = *addr_bytes & ((1ull << d->bit) - 1);
	uint64_t digit;

	*addr_bytes = base_divide(*addr_bytes >> d->bit, &d->by, &digit) << d->bit | low;
	return (uint32_t)digit;
}

struct mem_place mem_map_place(const struct mem_map *map, uint64_t addr_bytes)
{
	uint32_t stack = map->only_stack, vault = 0;

	if (unlikely(map->stack_division.by.count))
		stack = divide_out(&map->stack_division, &addr_bytes);
	if (unlikely(map->vault_division.by.count))
		vault = divide_out(&map->vault_division, &addr_bytes);
	return (struct mem_place){
		.stack = field_index(&map->stack, addr_bytes) | stack,
		.vault = field_index(&map->vault, addr_bytes) | vault,
		.bank = field_index(&map->bank, addr_bytes),
		.row = field_index(&map->row, addr_bytes),
		.column_bytes = field_index(&map->column, addr_bytes),
	};
}

/* ---- numbers within a part ---- */

/* The lowest bits by which the masks, rows of a matrix, tell their values apart: the lowest bits of the rows once these
 * are in echelon form. */
static uint64_t telling_bits(const uint64_t *masks, uint32_t count)
{
	uint64_t rows[64] = {0}, telling = 0; /* rows: by their lowest bit */

	for (uint32_t i = 0; i < count; i++) {
		uint64_t m = masks[i];

		while (m && rows[__builtin_ctzll(m)])
			m ^= rows[__builtin_ctzll(m)];
		CHECK(m); /* else a part would have no address */
		rows[__builtin_ctzll(m)] = m;
		telling |= m & -m;
	}
	return telling;
}

static void keep(struct mem_numbering *n, uint64_t kept)
{
	uint32_t to = 0;

	while (kept) {
		const uint32_t from = (uint32_t)__builtin_ctzll(kept);
		const uint64_t above = ~(kept >> from);
		const uint32_t bits = above ? (uint32_t)__builtin_ctzll(above) : 64;
		const uint64_t run = (bits < 64 ? (1ull << bits) - 1 : ~0ull) << from;

		CHECK(n->piece_count < ARRAY_COUNT(n->pieces));
		n->pieces[n->piece_count].mask = run;
		n->pieces[n->piece_count++].shift = from - to;
		to += bits;
		kept &= ~run;
	}
}

void mem_map_number(const struct mem_map *map, const struct mem_map_parts *parts, uint32_t line_bytes,
		    struct mem_numbering *out)
{
	uint64_t masks[3 * MEM_MAP_FIELD_BITS_MAX], telling = 0;
	uint32_t count = 0;

	*out = (struct mem_numbering){0};
	for (uint32_t i = 0; parts->by_stack && i < map->stack.bit_count; i++)
		masks[count++] = map->stack.masks[i];
	if (parts->by_stack)
		out->divisions[0] = map->stack_division;
	/* Where the vault's digit is divided out, its count is a multiple of what is chosen by its lowest bits. */
	if (map->vault_division.by.count && parts->vault_bits) {
		CHECK(map->vault_division.by.count % (1u << parts->vault_bits) == 0);
		out->divisions[1] = (struct mem_map_division){base_divisor_of(1u << parts->vault_bits),
							      map->vault_division.bit};
	}
	for (uint32_t i = 0; i < parts->vault_bits && !map->vault_division.by.count; i++)
		masks[count++] = map->vault.masks[i];
	for (uint32_t i = 0; i < parts->bank_bits; i++)
		masks[count++] = map->bank.masks[i];
	telling = telling_bits(masks, count);
	CHECK(!(telling & (line_bytes - 1)));
	keep(out, ~telling);
	if (parts->sees_all && parts->by_stack)
		out->part = map->stack;
}

static uint64_t kept_bits(const struct mem_numbering *n, uint64_t addr_bytes)
{
	uint64_t number = 0;

	for (uint32_t i = 0; i < n->piece_count; i++)
		number |= (addr_bytes & n->pieces[i].mask) >> n->pieces[i].shift;
	return number;
}

uint64_t mem_number_of(const struct mem_numbering *n, uint64_t addr_bytes)
{
	for (uint32_t i = 0; i < ARRAY_COUNT(n->divisions); i++)
		if (unlikely(n->divisions[i].by.count))
			divide_out(&n->divisions[i], &addr_bytes);
	return kept_bits(n, addr_bytes);
}

/* The part is multiplied by x in GF(2^bits), by the lowest primitive polynomials, and becomes the highest bits. Parts
 * and hashes of indices are made of the same bits of the address, often of one stride: XORed as it is, a part would
 * take the hash's bits away from strides of lines that go round the parts. */
uint64_t mem_number_others(const struct mem_numbering *n, uint64_t addr_bytes, uint32_t index_bits)
{
	static const uint8_t polynomials[] = {0, 1, 3, 3, 3, 5, 3, 3};
	const uint32_t bits = n->part.bit_count;
	uint64_t part;

	if (!bits)
		return 0;
	CHECK(bits < ARRAY_COUNT(polynomials));
	part = field_index(&n->part, addr_bytes);
	part = (part << 1 & ((1ull << bits) - 1)) ^ (part >> (bits - 1) ? polynomials[bits] : 0);
	return part << (index_bits > bits ? index_bits - bits : 0);
}

uint64_t mem_number_of_page(const struct mem_numbering *n, uint64_t page, uint32_t page_shift, uint32_t index_bits)
{
	/* Bits within the page that are left out leave the page in as many parts. */
	const uint32_t kept = (uint32_t)__builtin_popcountll(kept_bits(n, (1ull << page_shift) - 1));
	const uint64_t number = mem_number_of(n, page << page_shift) >> kept;

	return kept == page_shift ? number ^ mem_number_others(n, page << page_shift, index_bits) : number;
}

bool mem_map_is_bijective(const struct mem_map *map, uint32_t address_bits)
{
	const struct mem_map_field *fields[] = {&map->stack, &map->vault, &map->bank, &map->row, &map->column};
	uint64_t pivot[64] = {0}; /* [b]: a reduced mask whose highest bit is b */
	uint64_t inside = address_bits >= 64 ? ~0ull : (1ull << address_bits) - 1;
	uint32_t rank = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT(fields); i++) {
		for (uint32_t j = 0; j < fields[i]->bit_count; j++) {
			uint64_t m = fields[i]->masks[j] & inside;

			while (m) {
				uint32_t top = 63 - (uint32_t)__builtin_clzll(m);

				if (!pivot[top]) {
					pivot[top] = m;
					rank++;
					break;
				}
				m ^= pivot[top];
			}
		}
	}
	return rank == address_bits;
}
