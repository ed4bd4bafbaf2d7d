/* ahead.c - what a block will touch behind its first access, as far as its registers tell before it runs.
 *
 * Hardware would keep, with each block, the places of its first loads whose address registers no instruction of the
 * block between writes: it reads these registers and coalesces, and executes nothing.
 */
#include "ndp/carry/priv.h"

static bool writes(const struct simt_program *p, const struct simt_inst *i, uint16_t sb)
{
	for (uint32_t k = 0; k < i->write_count; k++)
		if (p->sb[i->sb_first + i->read_count + k] == sb)
			return true;
	return false;
}

/* Does the instruction at pc read nothing that one from begin on, in text order, writes? */
static bool is_known(const struct simt_program *p, uint32_t begin, uint32_t pc)
{
	const struct simt_inst *i = &p->insts[pc];

	for (uint32_t k = 0; k < i->read_count; k++)
		for (uint32_t before = begin; before < pc; before++)
			if (writes(p, &p->insts[before], p->sb[i->sb_first + k]))
				return false;
	return true;
}

static bool is_plain_load(const struct simt_inst *i)
{
	return (i->flags & (SIMT_LOAD | SIMT_STORE | SIMT_ATOMIC | SIMT_MATRIX | SIMT_COPY)) == SIMT_LOAD &&
	       (i->space == SIMT_MEM_GLOBAL || i->space == SIMT_MEM_LOCAL || i->space == SIMT_MEM_GENERIC);
}

uint32_t carry_lines_ahead(struct gpu *g, struct simt_warp *w, uint32_t first_pc, const struct carry_block *b,
			   uint32_t loads, uint64_t *lines)
{
	const struct simt_program *p = g->launch->program;
	struct coalesced_line own[COALESCE_LINES_MAX];
	uint64_t addr[SIMT_LANES];
	uint32_t count = 0;

	for (uint32_t pc = first_pc + 1; pc <= b->last_pc && loads; pc++) {
		const struct simt_inst *i = &p->insts[pc];
		uint32_t mask, line_count;

		if (!is_plain_load(i) || !is_known(p, first_pc, pc))
			continue;
		mask = simt_peek_access_at(g->launch, w, pc, addr);
		if (!mask)
			continue;
		line_count = coalesce_lines(addr, mask, carry_access_bytes(i), own);
		for (uint32_t l = 0; l < line_count; l++)
			lines[count++] = own[l].addr_bytes;
		loads--;
	}
	return count;
}
