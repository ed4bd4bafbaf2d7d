/* partition.c - executes instructions of a program with registers other than a warp's: see partition.h. */
#include "simt/partition.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/lanes.h"
#include "simt/state.h"

struct simt_code {
	struct simt_program_priv own; /* constant rows and small records of the instructions below */
	struct simt_exec *execs;
	uint8_t *space; /* enum simt_space of each */
	uint32_t count, slot_count, pred_count;
};

/* A warp with rows and nothing else: no CTA, no stack, no place in a program. */
struct simt_code_regs {
	struct simt_warp warp;
	struct simt_warp_state state;
};

void simt_skip(struct simt_launch *l, struct simt_warp *w)
{
	(void)l;
	simt_stack_goto(w, w->pc + 1);
}

/* ---- building ---- */

static void decode(struct simt_build *b, const struct simt_program_priv *p, struct simt_code *c, uint32_t n,
		   const struct simt_code_inst *at)
{
	struct ptx_alloc alloc = *p->funcs[0].alloc;
	struct simt_program_func func = p->funcs[0];
	struct simt_inst inst = {0};
	/* The decoder only looks slots up. */
	memcpy(&alloc.slot, &at->slot, sizeof(alloc.slot));
	func.alloc = &alloc;
	b->f = &func;
	b->pc = at->pc;
	b->i = func.ptx->insts + at->pc;
	simt_decode(b, &inst, &c->execs[n]);
	CHECK(!b->failed && !(inst.flags & (SIMT_BRANCH | SIMT_ATOMIC | SIMT_BARRIER)));
	c->space[n] = inst.space;
}

struct simt_code *simt_code_build(const struct simt_program *program, const struct simt_code_inst *insts,
				  uint32_t count, uint32_t slot_count, uint32_t pred_count)
{
	const struct simt_program_priv *p = (const struct simt_program_priv *)program;
	struct simt_code *c = calloc(1, sizeof(*c));
	struct base_diag_list diag;

	CHECK(c);
	c->execs = calloc(count + 1, sizeof(*c->execs));
	c->space = calloc(count + 1, 1);
	CHECK(c->execs && c->space);
	c->count = count;
	c->slot_count = slot_count;
	c->pred_count = pred_count;
	c->own.pub.name = program->name;
	base_diag_init(&diag);
	struct simt_build b = {.p = &c->own, .m = p->module, .isa = p->isa, .diag = &diag};

	for (uint32_t n = 0; n < count; n++)
		if (insts[n].slot)
			decode(&b, p, c, n, &insts[n]);
	base_diag_free(&diag);
	CHECK(!c->own.special_bytes);
	simt_rows_align(&c->own);
	return c;
}

void simt_code_free(struct simt_code *c)
{
	if (!c)
		return;
	simt_owned_free(&c->own);
	free(c->own.rows);
	free(c->execs);
	free(c->space);
	free(c);
}

bool simt_code_constant(const struct simt_code *c, uint32_t inst, bool *is_param, uint64_t *at_bytes)
{
	const struct simt_mem_op *op = c->execs[inst].mem;

	if (c->space[inst] != SIMT_MEM_PARAM && c->space[inst] != SIMT_MEM_CONST)
		return false;
	*is_param = op->area == SIMT_AREA_PARAM;
	*at_bytes = (uint64_t)op->offset;
	return true;
}

/* ---- registers ---- */

struct simt_code_regs *simt_code_regs_new(const struct simt_code *c)
{
	struct simt_code_regs *r = calloc(1, sizeof(*r));

	CHECK(r);
	/* One row more than registers: a file of none is still somewhere. */
	r->state.rows = aligned_alloc(64, (c->slot_count + 1) * SIMT_ROW_BYTES);
	r->state.preds = calloc(c->pred_count + 1, sizeof(*r->state.preds));
	r->state.scratch = aligned_alloc(64, (SIMT_SRC_ROWS + 1) * 2 * SIMT_ROW_BYTES);
	CHECK(r->state.rows && r->state.preds && r->state.scratch);
	memset(r->state.scratch, 0, (SIMT_SRC_ROWS + 1) * 2 * SIMT_ROW_BYTES);
	r->state.base[SIMT_BASE_FRAME] = r->state.rows;
	r->state.base[SIMT_BASE_CONST] = c->own.rows;
	r->state.base[SIMT_BASE_SPECIAL] = r->state.rows; /* nothing reads special registers */
	r->state.pred = r->state.preds;
	r->warp.state = &r->state;
	simt_code_poison(c, r);
	return r;
}

void simt_code_regs_free(struct simt_code_regs *r)
{
	if (!r)
		return;
	free(r->state.rows);
	free(r->state.preds);
	free(r->state.scratch);
	free(r);
}

void simt_code_poison(const struct simt_code *c, struct simt_code_regs *r)
{
	uint32_t *rows = (uint32_t *)(void *)r->state.rows;

	for (uint32_t k = 0; k < (c->slot_count + 1) * SIMT_LANES; k++)
		rows[k] = 0xdeadf00du ^ k * 0x01000193u;
	for (uint32_t k = 0; k < c->pred_count; k++)
		r->state.preds[k] = 0x5a5a5a5au ^ k * 0x01000193u;
}

static struct simt_ref ref_of(uint32_t slot, uint32_t bytes)
{
	return (struct simt_ref){slot * SIMT_ROW_BYTES, SIMT_BASE_FRAME, (uint8_t)bytes};
}

static void copy(const struct simt_launch *l, struct simt_warp_state *to, uint32_t to_slot,
		 const struct simt_warp_state *from, uint32_t from_slot, uint32_t reg, uint32_t mask)
{
	const enum ptx_type type = l->program->entry->regs[reg].type;
	const uint32_t bytes = ptx_type_bytes(type) == 8 ? 8 : 4;

	if (type == PTX_PRED)
		simt_pred_set(to, to_slot, mask, from->pred[from_slot]);
	else
		simt_row_convert(simt_row_mut(to, ref_of(to_slot, bytes)), bytes,
				 simt_row(from, ref_of(from_slot, bytes)), bytes, false, mask);
}

void simt_code_send(const struct simt_launch *l, const struct simt_warp *from, struct simt_code_regs *to, uint32_t reg,
		    const uint32_t *slot, uint32_t mask)
{
	CHECK(from->state->frame.func == 0);
	copy(l, &to->state, slot[reg], from->state, l->program->entry_alloc->slot[reg], reg, mask);
}

void simt_code_return(const struct simt_launch *l, struct simt_warp *to, const struct simt_code_regs *from,
		      uint32_t reg, const uint32_t *slot, uint32_t mask)
{
	CHECK(to->state->frame.func == 0);
	copy(l, to->state, l->program->entry_alloc->slot[reg], &from->state, slot[reg], reg, mask);
}

/* ---- executing ---- */

uint32_t simt_code_mask(const struct simt_code *c, const struct simt_code_regs *r, uint32_t inst, uint32_t mask)
{
	return mask & simt_pred_get(&r->state, c->execs[inst].guard);
}

static void take_bytes(struct simt_warp_state *s, const struct simt_mem_op *op, uint64_t base, const uint64_t *addr,
		       uint32_t mask)
{
	for (uint32_t k = 0; k < op->vec; k++)
		if (op->elem[k].bytes)
			simt_gather(simt_row_mut(s, op->elem[k]), op->elem[k].bytes, base + k * op->bytes, addr,
				    op->bytes, op->is_signed, mask);
}

/* Parameters and constant variables at a fixed address: the same for all lanes. */
static void run_constant(const struct simt_launch *l, struct simt_warp_state *s, const struct simt_mem_op *op,
			 uint32_t mask)
{
	const uint64_t at = (uint64_t)op->offset + (op->area == SIMT_AREA_PARAM ? l->state->param_addr : 0);
	uint64_t addr[SIMT_LANES] = {0};

	CHECK(!op->addr.bytes);
	take_bytes(s, op, at, addr, mask);
}

void simt_code_run(struct simt_launch *l, const struct simt_code *c, struct simt_code_regs *r, uint32_t inst,
		   uint32_t mask, struct simt_access *a)
{
	const struct simt_exec *e = &c->execs[inst];
	struct simt_warp_state *s = &r->state;
	uint64_t addr[SIMT_LANES];

	mask = simt_code_mask(c, r, inst, mask);
	if (!mask)
		return;
	if (c->space[inst] == SIMT_MEM_NONE) {
		CHECK(e->run(l, &r->warp, e, mask, NULL) == SIMT_NEXT);
		return;
	}
	if (c->space[inst] != SIMT_MEM_GLOBAL) {
		run_constant(l, s, e->mem, mask);
		return;
	}
	CHECK(a->mask == mask && a->lane_bytes == e->mem->align);
	for (uint32_t i = 0; i < SIMT_LANES; i++)
		addr[i] = (uint64_t)i * a->lane_bytes;
	if (e->ptx->op != PTX_OP_ST) {
		take_bytes(s, e->mem, (uintptr_t)a->bytes, addr, mask);
		return;
	}
	for (uint32_t k = 0; k < e->mem->vec; k++)
		simt_scatter(simt_row(s, e->mem->elem[k]), e->mem->elem[k].bytes,
			     (uintptr_t)a->bytes + k * e->mem->bytes, addr, e->mem->bytes, mask);
}
