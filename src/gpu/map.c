/* map.c - the address maps that a machine may be set to. */
#include "gpu/map.h"

#include "base/bits.h"

/* Makes the bits of the row that are in the bank of a map those that gpu.bank_hash wants; has_low: the map has its
 * lowest there already. */
static void hash_banks(const struct gpu_config *c, struct mem_map *map, bool has_low)
{
	const enum gpu_bank_hash wanted = (enum gpu_bank_hash)c->gpu.bank_hash;
	const uint32_t low = map->bank.bit_count;

	if (has_low != (wanted != GPU_BANK_HASH_NONE))
		mem_map_hash_banks(map, 0, low);
	if (wanted == GPU_BANK_HASH_ALL)
		mem_map_hash_banks(map, low, map->row.bit_count - low);
}

/* The slice, in front of a stack, is chosen by slice_of_place. */
static void number(const struct gpu_config *c, struct gpu_map *m, bool by_stack, uint32_t line_bytes)
{
	const uint32_t bank_bits = gpu_slice_bank_bits(c);
	struct mem_map_parts parts = {
	    .by_stack = by_stack,
	    .vault_bits = base_log2(c->gpu.l2_slices_per_stack_count) - bank_bits,
	    .bank_bits = bank_bits,
	};

	mem_map_number(&m->places, &parts, line_bytes, &m->of_slice);
	parts = (struct mem_map_parts){.by_stack = by_stack, .sees_all = true};
	mem_map_number(&m->places, &parts, line_bytes, &m->of_stack);
}

static uint32_t stacks(const struct gpu_config *c)
{
	return (uint32_t)c->gpu.stack_count;
}

static uint32_t vaults(const struct gpu_config *c)
{
	return (uint32_t)c->dram.vault_count;
}

static uint32_t row_bytes(const struct gpu_config *c)
{
	return (uint32_t)c->dram.row_bytes;
}

void gpu_map_two_bit(const struct gpu_config *c, uint32_t bit, uint32_t line_bytes, struct gpu_map *out)
{
	mem_map_two_bit(&out->places, bit, stacks(c), vaults(c), dram_vault_bank_count(&c->dram), row_bytes(c),
			line_bytes);
	mem_map_hash_stacks(&out->places, bit, (uint32_t)c->gpu.map_hash_bit);
	hash_banks(c, &out->places, true);
	number(c, out, true, line_bytes);
}

void gpu_map_one_stack(const struct gpu_config *c, uint32_t stack, uint32_t line_bytes, struct gpu_map *out)
{
	mem_map_one_stack(&out->places, stack, vaults(c), dram_vault_bank_count(&c->dram), row_bytes(c), line_bytes);
	hash_banks(c, &out->places, true);
	number(c, out, true, line_bytes);
}

void gpu_map_init(const struct gpu_config *c, struct gpu_map *out)
{
	const uint32_t banks = dram_vault_bank_count(&c->dram), line_bytes = (uint32_t)c->l2.line_bytes;
	const bool is_divided = c->gpu.address_map == GPU_MAP_DIVIDED;

	if (c->gpu.address_map == GPU_MAP_TWO_BIT) {
		gpu_map_two_bit(c, (uint32_t)c->gpu.map_bit, line_bytes, out);
		return;
	}
	if (is_divided)
		mem_map_divided(&out->places, stacks(c), vaults(c), banks, row_bytes(c),
				(uint32_t)c->gpu.interleave_bytes, gpu_slice_bank_bits(c));
	else
		mem_map_baseline(&out->places, stacks(c), vaults(c), banks, row_bytes(c), line_bytes);
	hash_banks(c, &out->places, !is_divided);
	number(c, out, c->gpu.address_map != GPU_MAP_RANDOM_PAGE, line_bytes);
}
