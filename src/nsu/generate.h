/* generate.h - NSU code of one block. Not for other folders. */
#ifndef STRATA_NSU_GENERATE_H
#define STRATA_NSU_GENERATE_H

#include <glib.h>

#include "nsu/range.h"

/* Fills a block from its range, with its registers renumbered. False, with nothing filled, if it needs more registers
 * or predicates than the NSU has. */
bool nsu_block_make(struct nsu_block *b, const struct nsu_range *r, enum nsu_block_kind kind);
void nsu_block_clear(struct nsu_block *b);

/* Appends the block's code to insts (struct nsu_inst) and its scoreboard ids to sb (uint16_t). role: of all
 * instructions of the function. */
void nsu_block_generate(struct nsu_block *b, uint32_t number, const struct nsu_facts *f,
			const struct nsu_code_params *p, const uint8_t *role, GArray *insts, GArray *sb);

#endif
