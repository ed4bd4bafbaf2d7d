/* registers.c - the registers of a program: callees first, so that a caller knows what its calls need; what does not
 * fit in the bound is spilled.
 */
#include <stdlib.h>

#include "base/check.h"
#include "simt/build.h"

/* Along the deepest chain of calls from a function on. */
struct chain {
	uint32_t slots;	      /* registers, if each function has those of its whole live ranges beside its caller's */
	uint32_t needed;      /* registers that a compiler can do with */
	uint32_t preds, local_bytes, spill_bytes;
	uint8_t state; /* 0 new, 1 being walked, 2 done */
};

struct allocator {
	struct simt_build *b;
	struct chain *chains;
	uint32_t max;
};

static uint32_t max_of(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void chain_max(struct chain *to, const struct chain *c)
{
	to->slots = max_of(to->slots, c->slots);
	to->needed = max_of(to->needed, c->needed);
	to->preds = max_of(to->preds, c->preds);
	to->local_bytes = max_of(to->local_bytes, c->local_bytes);
	to->spill_bytes = max_of(to->spill_bytes, c->spill_bytes);
}

/* What a call can reach: of a call through a pointer, everything. Functions that are being walked add nothing. */
static void callees_max(const struct allocator *a, const struct ptx_inst *call, struct chain *to)
{
	const struct simt_program_priv *p = a->b->p;

	if (call->src[0].kind == PTX_OPND_FUNC) {
		chain_max(to, &a->chains[p->func_of_index[call->src[0].func->index] - 1]);
		return;
	}
	for (uint32_t c = 1; c < p->func_count; c++)
		chain_max(to, &a->chains[c]);
}

static uint32_t call_slots(void *ctx, const struct ptx_inst *call)
{
	const struct allocator *a = ctx;
	struct chain deepest = {0};

	callees_max(a, call, &deepest);
	return deepest.needed;
}

static void walk(struct allocator *a, uint32_t at);

static void walk_callee(struct allocator *a, uint32_t callee)
{
	if (a->chains[callee].state == 1)
		a->b->p->is_recursive = true;
	else
		walk(a, callee);
}

static void walk_callees(struct allocator *a, const struct ptx_func *f, struct chain *deepest)
{
	const struct simt_program_priv *p = a->b->p;

	for (uint32_t k = 0; k < f->inst_count; k++) {
		const struct ptx_inst *i = &f->insts[k];

		if (i->op != PTX_OP_CALL)
			continue;
		if (i->src[0].kind == PTX_OPND_FUNC) {
			walk_callee(a, p->func_of_index[i->src[0].func->index] - 1);
		} else {
			for (uint32_t c = 1; c < p->func_count; c++)
				walk_callee(a, c);
		}
		callees_max(a, i, deepest);
	}
}

static void allocate(struct allocator *a, struct simt_program_func *f)
{
	const struct ptx_call_need need = {call_slots, a};

	f->spill = ptx_spill_build(f->ptx, a->max, &need);
	if (f->spill)
		f->ptx = ptx_spill_func(f->spill);
	f->cfg = ptx_cfg_build(f->ptx);
	f->alloc = ptx_alloc_build(f->cfg, &need);
	f->param_row = f->alloc->slot_count;
	f->row_count = f->param_row + (uint32_t)((f->ptx->frame_param_bytes + 3) / 4);
	f->local_bytes = (uint32_t)simt_local_aligned(a->b, f->ptx->frame_local_bytes);
}

static void walk(struct allocator *a, uint32_t at)
{
	struct simt_program_func *f = &a->b->p->funcs[at];
	struct chain deepest = {0};

	if (a->chains[at].state || f->builtin)
		return;
	a->chains[at].state = 1;
	walk_callees(a, f->ptx, &deepest);
	allocate(a, f);
	a->chains[at] = (struct chain){
	    .slots = f->alloc->whole_count + deepest.slots,
	    .needed = max_of(f->alloc->register_count, deepest.needed),
	    .preds = f->alloc->pred_count + deepest.preds,
	    .local_bytes = f->local_bytes + deepest.local_bytes,
	    .spill_bytes = (f->spill ? ptx_spill_bytes(f->spill) : 0) + deepest.spill_bytes,
	    .state = 2,
	};
}

/* A compiler saves registers where they would cost warps, and not below that. */
static uint32_t registers_of(const struct chain *c, const struct simt_register_bounds *bounds)
{
	const uint32_t wanted = c->slots < bounds->free_count ? c->slots : bounds->free_count;
	const uint32_t count = max_of(c->needed, wanted);

	return count < SIMT_REGISTER_MAX ? count : SIMT_REGISTER_MAX;
}

static void number_scoreboard(struct simt_build *b)
{
	uint32_t slots = 0, preds = 0;

	for (uint32_t i = 0; i < b->p->func_count; i++) {
		const struct ptx_alloc *a = b->p->funcs[i].alloc;

		slots = a ? max_of(slots, a->slot_count) : slots;
		preds = a ? max_of(preds, a->pred_count) : preds;
	}
	b->p->pub.pred_count = preds;
	b->p->pub.sb_pred_first = slots;
	b->p->pub.sb_count = slots + preds;
}

void simt_registers_allocate(struct simt_build *b, const struct simt_register_bounds *bounds)
{
	struct allocator a = {.b = b, .max = bounds->max};

	a.chains = calloc(b->p->func_count, sizeof(*a.chains));
	CHECK(a.chains);
	walk(&a, 0);
	/* Functions whose address is taken, and that nothing calls. */
	for (uint32_t i = 1; i < b->p->func_count; i++)
		walk(&a, i);
	b->p->pub.slot_count = registers_of(&a.chains[0], bounds);
	b->p->pub.needed_count = a.chains[0].needed;
	b->p->pub.local_bytes_per_thread = a.chains[0].local_bytes;
	b->p->pub.spill_bytes_per_thread = a.chains[0].spill_bytes;
	free(a.chains);
	number_scoreboard(b);
}
