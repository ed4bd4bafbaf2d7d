/* exec.c - see exec.h. */
#include "nsu/exec.h"

#include <glib.h>

#include "base/check.h"

struct nsu_program *nsu_program_build(const struct simt_program *program, const struct nsu_code_params *params)
{
	struct nsu_program *p = g_new0(struct nsu_program, 1);

	p->program = program;
	p->code = nsu_code_build(program->entry_cfg, params);
	g_autofree struct simt_code_inst *insts = g_new0(struct simt_code_inst, p->code->inst_count + 1);

	for (uint32_t k = 0; k < p->code->inst_count; k++) {
		const struct nsu_inst *n = &p->code->insts[k];

		if (n->op != NSU_OP_BEG && n->op != NSU_OP_END)
			insts[k] = (struct simt_code_inst){n->gpu_pc, p->code->blocks[n->block].slot};
	}
	p->exec = simt_code_build(program, insts, p->code->inst_count, p->code->register_count, p->code->pred_count);
	return p;
}

void nsu_program_free(struct nsu_program *p)
{
	if (!p)
		return;
	for (struct nsu_warp *w = p->all_warps, *next; w; w = next) {
		next = w->next;
		simt_code_regs_free(w->regs);
		g_free(w);
	}
	simt_code_free(p->exec);
	nsu_code_free(p->code);
	g_free(p);
}

static uint32_t list_sb(const struct nsu_program *p, const uint32_t *regs, uint32_t count, uint16_t *sb, uint32_t cap)
{
	const struct simt_program *prog = p->program;
	uint32_t n = 0;

	for (uint32_t k = 0; k < count; k++) {
		const enum ptx_type type = prog->entry->regs[regs[k]].type;
		const uint32_t slot = prog->entry_alloc->slot[regs[k]];
		const uint32_t words = type == PTX_PRED ? 1 : ptx_type_bytes(type) == 8 ? 2 : 1;

		for (uint32_t i = 0; i < words; i++, n++)
			if (n < cap)
				sb[n] = (uint16_t)(slot + i + (type == PTX_PRED ? prog->sb_pred_first : 0));
	}
	return n;
}

uint32_t nsu_block_live_in_sb(const struct nsu_program *p, uint32_t block, uint16_t *sb, uint32_t cap)
{
	const struct nsu_block *b = &p->code->blocks[block];

	return list_sb(p, b->live_in, b->live_in_count, sb, cap);
}

uint32_t nsu_block_live_out_sb(const struct nsu_program *p, uint32_t block, uint16_t *sb, uint32_t cap)
{
	const struct nsu_block *b = &p->code->blocks[block];

	return list_sb(p, b->live_out, b->live_out_count, sb, cap);
}

static struct nsu_warp *take_warp(struct nsu_program *p)
{
	struct nsu_warp *w = p->free_warps;

	if (w) {
		p->free_warps = w->next_free;
		simt_code_poison(p->exec, w->regs);
		return w;
	}
	w = g_new0(struct nsu_warp, 1);
	w->regs = simt_code_regs_new(p->exec);
	w->next = p->all_warps;
	p->all_warps = w;
	return w;
}

struct nsu_warp *nsu_warp_begin(struct nsu_program *p, const struct simt_launch *l, const struct simt_warp *home,
				uint32_t block)
{
	const struct nsu_block *b = &p->code->blocks[block];
	struct nsu_warp *w = take_warp(p);

	CHECK(home->pc == b->begin_pc && home->active_mask);
	w->block = block;
	w->inst = b->first_inst;
	w->mask = home->active_mask;
	for (uint32_t k = 0; k < b->live_in_count; k++)
		simt_code_send(l, home, w->regs, b->live_in[k], b->slot, w->mask);
	return w;
}

uint32_t nsu_warp_mask(const struct nsu_program *p, const struct nsu_warp *w)
{
	const uint8_t op = nsu_warp_next(p, w)->op;

	return op == NSU_OP_BEG || op == NSU_OP_END ? w->mask : simt_code_mask(p->exec, w->regs, w->inst, w->mask);
}

void nsu_warp_constant(const struct nsu_program *p, const struct nsu_warp *w, bool *is_param, uint64_t *at_bytes)
{
	bool is_constant = simt_code_constant(p->exec, w->inst, is_param, at_bytes);

	CHECK(is_constant);
}

void nsu_warp_step(struct nsu_program *p, struct simt_launch *l, struct nsu_warp *w, struct simt_access *access)
{
	const uint8_t op = nsu_warp_next(p, w)->op;

	CHECK(op != NSU_OP_END);
	if (op != NSU_OP_BEG)
		simt_code_run(l, p->exec, w->regs, w->inst, w->mask, access);
	w->inst++;
}

void nsu_warp_end(struct nsu_program *p, struct simt_launch *l, struct nsu_warp *w, struct simt_warp *home)
{
	const struct nsu_block *b = &p->code->blocks[w->block];

	CHECK(nsu_warp_next(p, w)->op == NSU_OP_END && home->pc == b->last_pc && home->active_mask == w->mask);
	for (uint32_t k = 0; k < b->live_out_count; k++)
		simt_code_return(l, home, w->regs, b->live_out[k], b->slot, w->mask);
	simt_skip(l, home);
	nsu_warp_drop(p, w);
}

void nsu_warp_drop(struct nsu_program *p, struct nsu_warp *w)
{
	w->next_free = p->free_warps;
	p->free_warps = w;
}
