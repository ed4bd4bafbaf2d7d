/* region.c - which instruction ranges may be offloaded, and which registers they need and make. */
#include "ndp/blocks/region.h"

#include <glib.h>
#include <string.h>

#include "ndp/blocks/bits.h"

static bool operand_reads_sreg(const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_SREG)
		return o->sreg != PTX_SREG_WARP_SZ && o->sreg != PTX_SREG_NTID && o->sreg != PTX_SREG_NCTAID;
	for (uint32_t e = 0; e < o->elem_count; e++)
		if (operand_reads_sreg(&o->elems[e]))
			return true;
	return false;
}

/* Spaces whose accesses a stack SM can make: global memory, and constants that every SM of the launch holds. Generic
 * addresses may be shared memory, so they are excluded. */
static bool space_is_allowed(uint8_t space)
{
	return space == PTX_GLOBAL || space == PTX_LOCAL || space == PTX_CONST || space == PTX_PARAM_ENTRY;
}

/* The limits of TOM section 3.1.4, and what its hardware cannot know on a stack SM. */
static bool inst_is_forbidden(const struct ptx_inst *i, bool allows_shuffles)
{
	switch (i->op) {
	case PTX_OP_LD:
	case PTX_OP_ST:
	case PTX_OP_LDU:
		return !space_is_allowed(i->mods.space) || i->mods.sem != PTX_SEM_WEAK;
	case PTX_OP_ATOM:
	case PTX_OP_RED:
	case PTX_OP_BAR:
	case PTX_OP_BARRIER:
	case PTX_OP_MEMBAR:
	case PTX_OP_FENCE:
	case PTX_OP_CALL:
	case PTX_OP_RET:
	case PTX_OP_EXIT:
	case PTX_OP_TRAP:
	case PTX_OP_BRKPT:
	case PTX_OP_BRX:
	case PTX_OP_ACTIVEMASK:
	case PTX_OP_ELECT:
	case PTX_OP_MMA:
	case PTX_OP_WMMA:
	case PTX_OP_LDMATRIX:
	case PTX_OP_STMATRIX:
	case PTX_OP_MOVMATRIX:
	case PTX_OP_CP:
	case PTX_OP_MBARRIER:
	case PTX_OP_SUST:
	case PTX_OP_SULD:
	case PTX_OP_SURED:
	case PTX_OP_NANOSLEEP:
	case PTX_OP_UNSUPPORTED:
		return true;
	case PTX_OP_SHFL:
	case PTX_OP_VOTE:
	case PTX_OP_MATCH:
	case PTX_OP_REDUX:
		if (!allows_shuffles)
			return true;
		break;
	default:
		break;
	}
	for (uint32_t s = 0; s < i->src_count; s++)
		if (operand_reads_sreg(&i->src[s]))
			return true;
	return i->mods.cc || i->op == PTX_OP_ADDC || i->op == PTX_OP_SUBC || i->op == PTX_OP_MADC;
}

double ndp_access_words(const struct ptx_inst *i)
{
	if (i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4)
		return 4;
	if (i->op != PTX_OP_LD && i->op != PTX_OP_ST && i->op != PTX_OP_LDU)
		return 0;
	if (i->mods.space != PTX_GLOBAL && i->mods.space != PTX_LOCAL)
		return 0;

	double words = ptx_type_bytes(i->type) / 4.0 * (i->mods.vec ? i->mods.vec : 1);

	return words < 1 ? 1 : words;
}

/* Remat: one definition, and that from what every SM of the launch has. */
static bool def_is_constant(const struct ndp_facts *f, const struct ptx_inst *i)
{
	if (i->has_guard)
		return false;
	switch (i->op) {
	case PTX_OP_LD:
		return i->mods.space == PTX_PARAM_ENTRY && i->src[0].reg == UINT32_MAX;
	case PTX_OP_MOV:
		return i->src[0].kind == PTX_OPND_IMM || i->src[0].kind == PTX_OPND_VAR;
	case PTX_OP_CVTA:
		return i->src[0].kind == PTX_OPND_VAR ||
		       (i->src[0].kind == PTX_OPND_REG && f->is_remat[i->src[0].reg]);
	default:
		return false;
	}
}

static void facts_find_remat(struct ndp_facts *f)
{
	const struct ptx_func *fn = f->cfg->func;
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t r = 0; r < fn->reg_count; r++) {
			if (f->is_remat[r] || f->def_count[r] != 1 || !def_is_constant(f, &fn->insts[f->def_inst[r]]))
				continue;
			f->is_remat[r] = changed = true;
		}
	}
}

/* True when the register was not known as an address, and is one now. */
static bool address_mark(struct ndp_facts *f, uint32_t reg)
{
	const struct ptx_reg *r = &f->cfg->func->regs[reg];

	if (f->is_address[reg] || r->type == PTX_PRED || r->vec > 1 || ptx_type_is_float(r->type) ||
	    ptx_type_bytes(r->type) != 8)
		return false;
	f->is_address[reg] = true;
	return true;
}

/* Does the instruction compute an address from what it reads? What a load returns came from memory, not from there. */
static bool inst_makes_address(const struct ndp_facts *f, uint32_t i)
{
	if (ptx_inst_is_load(&f->cfg->func->insts[i]))
		return false;
	for (uint32_t w = 0; w < f->uses[i].write_count; w++) {
		if (f->is_address[f->uses[i].writes[w]])
			return true;
	}
	return false;
}

/* The bases of accesses, and the 64-bit integers from which these are computed. */
static void facts_find_addresses(struct ndp_facts *f)
{
	const struct ptx_func *fn = f->cfg->func;
	bool is_new = true;

	for (uint32_t i = 0; i < fn->inst_count; i++) {
		for (uint32_t s = 0; s < fn->insts[i].src_count; s++) {
			const struct ptx_operand *o = &fn->insts[i].src[s];

			if (o->kind == PTX_OPND_ADDR && o->reg != UINT32_MAX)
				address_mark(f, o->reg);
		}
	}
	while (is_new) {
		is_new = false;
		for (uint32_t i = 0; i < fn->inst_count; i++) {
			if (!inst_makes_address(f, i))
				continue;
			for (uint32_t r = 0; r < f->uses[i].read_count; r++)
				is_new |= address_mark(f, f->uses[i].reads[r]);
		}
	}
}

struct ndp_facts *ndp_facts_new(const struct ptx_cfg *cfg, bool allows_shuffles)
{
	const struct ptx_func *fn = cfg->func;
	struct ndp_facts *f = g_new0(struct ndp_facts, 1);

	f->cfg = cfg;
	f->uses = g_new0(struct ptx_reg_use, fn->inst_count + 1);
	f->is_forbidden = g_new0(bool, fn->inst_count + 1);
	f->is_remat = g_new0(bool, fn->reg_count + 1);
	f->is_address = g_new0(bool, fn->reg_count + 1);
	f->def_count = g_new0(uint32_t, fn->reg_count + 1);
	f->def_inst = g_new0(uint32_t, fn->reg_count + 1);
	f->live_before = g_new0(uint64_t, (size_t)(fn->inst_count + 1) * cfg->live_words + 1);
	for (uint32_t i = 0; i < fn->inst_count; i++) {
		ptx_inst_regs(&fn->insts[i], &f->uses[i]);
		f->is_forbidden[i] = inst_is_forbidden(&fn->insts[i], allows_shuffles);
		ptx_live_before(cfg, i, f->live_before + (size_t)i * cfg->live_words);
		for (uint32_t w = 0; w < f->uses[i].write_count; w++) {
			f->def_count[f->uses[i].writes[w]]++;
			f->def_inst[f->uses[i].writes[w]] = i;
		}
	}
	facts_find_remat(f);
	facts_find_addresses(f);
	return f;
}

void ndp_facts_free(struct ndp_facts *f)
{
	g_free(f->uses);
	g_free(f->is_forbidden);
	g_free(f->is_remat);
	g_free(f->is_address);
	g_free(f->def_count);
	g_free(f->def_inst);
	g_free(f->live_before);
	g_free(f);
}

/* Is every edge into blocks [first, last] one to the first, and every edge out of them one to *exit? */
static bool blocks_are_sese(const struct ptx_cfg *cfg, uint32_t first, uint32_t last, bool is_first_trimmed,
			    uint32_t *exit)
{
	*exit = PTX_NO_BLOCK;
	for (uint32_t b = first; b <= last; b++) {
		const struct ptx_block *block = &cfg->blocks[b];

		if (!block->is_reachable)
			return false;
		for (uint32_t p = 0; p < block->pred_count; p++) {
			bool is_inside = block->preds[p] >= first && block->preds[p] <= last;

			/* A jump back to the first block would run the part before the region's begin. */
			if (b == first ? (is_inside && is_first_trimmed) : !is_inside)
				return false;
		}
		for (uint32_t s = 0; s < block->succ_count; s++) {
			uint32_t to = block->succs[s];

			if (to >= first && to <= last)
				continue;
			if (to >= cfg->block_count || (*exit != PTX_NO_BLOCK && *exit != to))
				return false;
			*exit = to;
		}
	}
	return *exit != PTX_NO_BLOCK;
}

bool ndp_region_of_blocks(const struct ndp_facts *f, uint32_t first_block, uint32_t last_block, struct ndp_region *r)
{
	const struct ptx_cfg *cfg = f->cfg;
	uint32_t exit;

	r->first_block = first_block;
	r->last_block = last_block;
	r->begin = cfg->blocks[first_block].first;
	r->last = cfg->blocks[last_block].last;
	for (uint32_t i = cfg->blocks[first_block].first; i <= cfg->blocks[first_block].last; i++)
		if (f->is_forbidden[i])
			r->begin = i + 1;
	if (r->begin > cfg->blocks[first_block].last)
		return false;
	for (uint32_t i = r->begin; i <= r->last; i++)
		if (f->is_forbidden[i])
			return false;
	if (!blocks_are_sese(cfg, first_block, last_block, r->begin != cfg->blocks[first_block].first, &exit))
		return false;
	r->end = cfg->blocks[exit].first;
	return true;
}

/* live := reads + (live - unguarded writes), over instructions (from, to] backwards. */
static void transfer_backwards(const struct ndp_facts *f, uint32_t from, uint32_t to, uint64_t *live)
{
	for (uint32_t i = to + 1; i-- > from;) {
		const struct ptx_reg_use *use = &f->uses[i];

		if (!f->cfg->func->insts[i].has_guard)
			for (uint32_t w = 0; w < use->write_count; w++)
				bits_clear(live, use->writes[w]);
		for (uint32_t n = 0; n < use->read_count; n++)
			bits_set(live, use->reads[n]);
	}
}

void ndp_region_liveness(const struct ndp_facts *f, const struct ndp_region *r, uint64_t *live_in, uint64_t *live_out)
{
	const struct ptx_cfg *cfg = f->cfg;
	const uint32_t words = cfg->live_words;
	const uint64_t *after = f->live_before + (size_t)r->end * words;
	uint32_t block_count = r->last_block - r->first_block + 1;

	memset(live_out, 0, sizeof(uint64_t) * words);
	for (uint32_t i = r->begin; i <= r->last; i++)
		for (uint32_t w = 0; w < f->uses[i].write_count; w++)
			bits_set(live_out, f->uses[i].writes[w]);
	for (uint32_t w = 0; w < words; w++)
		live_out[w] &= after[w];

	if (block_count == 1 && cfg->blocks[r->first_block].last != r->last) { /* ends inside its block */
		memcpy(live_in, live_out, sizeof(uint64_t) * words);
		transfer_backwards(f, r->begin, r->last, live_in);
		return;
	}

	uint64_t *at_begin = g_new0(uint64_t, (size_t)block_count * words);
	uint64_t *live = g_new(uint64_t, words);
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t n = block_count; n-- > 0;) {
			uint32_t b = r->first_block + n;
			const struct ptx_block *block = &cfg->blocks[b];
			uint64_t *entry = at_begin + (size_t)n * words;

			memset(live, 0, sizeof(uint64_t) * words);
			for (uint32_t s = 0; s < block->succ_count; s++) {
				uint32_t to = block->succs[s];
				bool is_inside = to >= r->first_block && to <= r->last_block;
				const uint64_t *from = is_inside ? at_begin + (size_t)(to - r->first_block) * words
								 : live_out;

				for (uint32_t w = 0; w < words; w++)
					live[w] |= from[w];
			}
			transfer_backwards(f, n == 0 ? r->begin : block->first, block->last, live);
			if (memcmp(live, entry, sizeof(uint64_t) * words)) {
				memcpy(entry, live, sizeof(uint64_t) * words);
				changed = true;
			}
		}
	}
	memcpy(live_in, at_begin, sizeof(uint64_t) * words);
	g_free(at_begin);
	g_free(live);
}
