/* storage.c - structures of partitioned execution: widths are those of the packets (docs). */
#include "ndp/nsu/storage.h"

#include "ndp/blocks/auto.h"
#include "ndp/map/mapping.h"

enum {
	BITS_PER_BYTE = 8,
	PACKET_ENTRY_BYTES = 8,	  /* NSU (SC'17) Table 2 */
	BUFFER_ENTRY_BYTES = 128, /* the same: a word per thread */
	PACKET_ID_BITS = 20,	  /* SM, warp, sequence number */
	MASK_BITS = 32,
	LINE_BYTES = 128,
	LINE_WORDS = 32,
	WINDOWS = 40, /* of blocks, as many as TOM's table has; choice */
	TAG_BITS = 41, /* of 48 address bits */
	COMMAND_BITS = 48 + PACKET_ID_BITS + MASK_BITS, /* start PC, id, mask; registers lie in the read-data buffer's
							 * form and are not counted by the paper */
};

static uint32_t bits_for(uint64_t values)
{
	uint32_t bits = 0;

	while (bits < 64 && 1ull << bits < values)
		bits++;
	return bits;
}

uint32_t nsu_storage(const struct ndp_site *site, struct ndp_storage *items)
{
	const struct gpu_config *c = site->gpu;
	const struct nsu_params *p = &c->nsu;
	uint64_t credit_bits = bits_for(p->command_entry_count + 1) + bits_for(p->read_entry_count + 1) +
			       bits_for(p->write_entry_count + 1);
	uint32_t n = 0;

	items[n++] = (struct ndp_storage){"pending packet buffer",
					  p->pending_entry_count * PACKET_ENTRY_BYTES * BITS_PER_BYTE, c->gpu.sm_count,
					  "SM", "NSU (SC'17) section 7.5: 2.84 KB with the ready buffer"};
	items[n++] = (struct ndp_storage){"ready packet buffer",
					  p->ready_entry_count * PACKET_ENTRY_BYTES * BITS_PER_BYTE, c->gpu.sm_count,
					  "SM", "NSU (SC'17) section 7.5"};
	items[n++] = (struct ndp_storage){"credits of the buffer manager", c->gpu.stack_count * credit_bits, 1, "GPU",
					  "NSU (SC'17) section 4.3"};
	items[n++] = (struct ndp_storage){"write addresses under way, a counter per stack",
					  c->gpu.stack_count * 16, 1, "GPU",
					  "NSU (SC'17) sections 4.1.1, 4.2; choice: 16 bits"};
	items[n++] = (struct ndp_storage){"command buffer", p->command_entry_count * COMMAND_BITS, c->gpu.stack_count,
					  "stack", "NSU (SC'17) Table 2"};
	items[n++] = (struct ndp_storage){
	    "read-data buffer",
	    p->read_entry_count * (BUFFER_ENTRY_BYTES * BITS_PER_BYTE + PACKET_ID_BITS + MASK_BITS),
	    c->gpu.stack_count, "stack", "NSU (SC'17) Table 2"};
	items[n++] = (struct ndp_storage){
	    "write-address buffer",
	    p->write_entry_count * (BUFFER_ENTRY_BYTES * BITS_PER_BYTE + PACKET_ID_BITS + MASK_BITS),
	    c->gpu.stack_count, "stack", "NSU (SC'17) Table 2"};
	items[n++] = (struct ndp_storage){"instruction cache", p->inst_cache_bytes * BITS_PER_BYTE, c->gpu.stack_count,
					  "stack", "NSU (SC'17) Table 2"};
	items[n++] = (struct ndp_storage){"constant cache", p->const_cache_bytes * BITS_PER_BYTE, c->gpu.stack_count,
					  "stack", "NSU (SC'17) Table 2"};
	if (p->cache_bytes) {
		uint64_t lines = p->cache_bytes / LINE_BYTES;
		uint64_t entry_bits = TAG_BITS + LINE_WORDS + 1 + bits_for(lines) +
				      bits_for(p->read_entry_count + 1);

		items[n++] = (struct ndp_storage){"read-only cache: a line, valid words, turn",
						  lines * (LINE_BYTES * BITS_PER_BYTE + LINE_WORDS + 1),
						  c->gpu.stack_count, "stack",
						  "choice: NSU (SC'17) section 7.1 gives no size"};
		items[n++] = (struct ndp_storage){"directory of the read-only caches",
						  c->gpu.stack_count * lines * entry_bits, 1, "GPU",
						  "choice: tag, words, turn, LRU order, packets under way"};
	}
	n += ndp_auto_storage(site, WINDOWS, items + n);
	n += map_learned_storage(site, items + n);
	return n;
}
