/* metadata.c - widths of the table's fields, and whether a block fits into them. */
#include "ndp/tom/metadata.h"

#include "base/units.h"
#include "ndp/blocks/auto.h"
#include "ndp/map/mapping.h"

static uint32_t bits_for(uint64_t values)
{
	uint32_t bits = 0;

	while (bits < 64 && 1ull << bits < values)
		bits++;
	return bits;
}

uint32_t tom_metadata_vector_bits(const struct tom_params *p)
{
	return (uint32_t)(p->tom_table_entry_bits - 2 * TOM_ENTRY_PC_BITS - TOM_ENTRY_TAG_BITS -
			  TOM_ENTRY_CONDITION_BITS) /
	       2;
}

uint32_t tom_metadata_threshold_bits(const struct tom_params *p)
{
	return TOM_ENTRY_CONDITION_BITS - TOM_ENTRY_FLAG_BITS - 2 * bits_for(tom_metadata_vector_bits(p));
}

static uint32_t highest(const uint16_t *sb, uint32_t count, uint32_t above)
{
	for (uint32_t i = 0; i < count; i++)
		above = sb[i] > above ? sb[i] : above;
	return above;
}

bool tom_metadata_describes(const struct tom_params *p, const struct ndp_block *b)
{
	int64_t bound = INT64_C(1) << (tom_metadata_threshold_bits(p) - 1);
	uint32_t most;

	most = highest(b->block.live_in_sb, b->packet_in_count, b->has_condition ? b->condition_sb : 0);
	most = b->is_difference && b->less_sb > most ? b->less_sb : most;
	most = highest(b->block.live_out_sb, b->block.live_out_count, most);
	return most < tom_metadata_vector_bits(p) &&
	       (!b->has_condition || (b->threshold < bound && b->threshold >= -bound));
}

uint64_t tom_metadata_table_bytes(const struct tom_params *p, uint32_t entry_count)
{
	return (entry_count * p->tom_table_entry_bits + 7) / 8;
}

uint32_t tom_metadata_passes(const struct tom_params *p, const struct gpu_config *c)
{
	const uint64_t pass_bits = c->sm.shared_bank_count * 32;

	return (uint32_t)((p->tom_table_entry_bits + pass_bits - 1) / pass_bits);
}

uint32_t tom_metadata_storage(const struct ndp_site *site, struct ndp_storage *items)
{
	const struct gpu_config *c = site->gpu;
	const struct tom_params *p = &site->ndp->tom;
	uint64_t warps = c->gpu.stack_sm_count * c->gpu.stack_sm_warp_slot_count;
	uint64_t window_cycles = p->tom_busy_window_ps * c->gpu.xbar_clock_khz / BASE_PS_PER_MS;
	uint32_t n = 0;

	items[n++] =
	    (struct ndp_storage){"offloading metadata table", p->tom_table_entry_count * p->tom_table_entry_bits,
				 c->gpu.sm_count, "SM", "TOM (ISCA'16) section 6.6: 10320 bits"};
	items[n++] = (struct ndp_storage){"outstanding stores, two epochs", 2 * bits_for(c->sm.store_count + 1) + 1,
					  c->gpu.sm_count, "SM", "section 4.4.2, step 1"};
	items[n++] = (struct ndp_storage){"pending requests per stack", c->gpu.stack_count * bits_for(warps + 1), 1,
					  "GPU", "section 3.3"};
	items[n++] = (struct ndp_storage){"channel busy monitor, a counter per channel",
					  2 * c->gpu.stack_count * bits_for(window_cycles + 1), 1, "GPU",
					  "section 4.1"};
	n += ndp_auto_storage(site, p->tom_table_entry_count, items + n);
	n += map_learned_storage(site, items + n);
	if (c->mmu.where != GPU_MMU_NONE)
		items[n++] = (struct ndp_storage){"TLB and MMU", gpu_mmu_bits(&c->mmu),
						  c->gpu.stack_count * c->gpu.stack_sm_count, "stack SM",
						  "section 4.4.1: 1 to 2 thousand flip-flops"};
	return n;
}

uint64_t tom_metadata_added_bits(const struct ndp_site *site)
{
	struct ndp_storage items[NDP_STORAGE_MAX];
	struct gpu_config without = *site->gpu;
	const struct ndp_site without_mmu = {.gpu = &without, .ndp = site->ndp};
	uint64_t bits = 0;

	without.mmu.where = GPU_MMU_NONE;
	for (uint32_t i = tom_metadata_storage(&without_mmu, items); i-- > 0;)
		bits += items[i].bits * items[i].count;
	return bits;
}
