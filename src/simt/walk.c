/* walk.c - makes plans of walks, and walks.
 *
 * A register is known if all that any instruction writes to it is made of what is known; a plan needs those of them
 * that addresses and branches are made of, which is found backwards, over all instructions of the function.
 */
#include "simt/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/state.h"

enum kind {
	KIND_PASS,  /* nothing that the plan needs */
	KIND_RUN,   /* is executed */
	KIND_SHOW,  /* an access whose address is known, whose value nobody needs */
	KIND_LOOK,  /* the same, and the value is needed */
	KIND_LOAD,  /* only its value is needed */
	KIND_LEAVE, /* lanes end */
	KIND_STOP,  /* nobody knows what comes next */
};

struct simt_walk {
	uint8_t *kinds; /* [count] of the entry function's instructions: enum kind */
	uint32_t count, known_count;
};

struct plan {
	const struct simt_program *p;
	struct ptx_reg_use *uses; /* [inst_count] */
	bool *is_unknown, *is_needed; /* [reg_count] */
};

/* ---- a plan ---- */

/* Does an operand have the same value whenever and wherever the CTA runs? */
static bool is_stable(const struct ptx_operand *o)
{
	for (uint32_t i = 0; i < o->elem_count; i++)
		if (!is_stable(&o->elems[i]))
			return false;
	if (o->kind != PTX_OPND_SREG)
		return true;
	switch (o->sreg) {
	case PTX_SREG_TID: case PTX_SREG_NTID: case PTX_SREG_CTAID: case PTX_SREG_NCTAID: case PTX_SREG_LANEID:
	case PTX_SREG_LANEMASK_EQ: case PTX_SREG_LANEMASK_LE: case PTX_SREG_LANEMASK_LT: case PTX_SREG_LANEMASK_GE:
	case PTX_SREG_LANEMASK_GT: case PTX_SREG_DYNAMIC_SMEM_SIZE: case PTX_SREG_WARP_SZ:
		return true;
	default:
		return false;
	}
}

static bool is_copy(const struct simt_inst *i)
{
	return i->flags & SIMT_COPY;
}

static bool is_global_load(const struct simt_inst *i)
{
	return i->ptx->op == PTX_OP_LD && i->ptx->mods.space == PTX_GLOBAL;
}

/* A load of what no thread writes, at an address that is in the instruction. */
static bool is_constant_load(const struct simt_inst *i)
{
	const struct ptx_operand *o = &i->ptx->src[0];

	if (i->ptx->op != PTX_OP_LD || o->kind != PTX_OPND_ADDR || o->reg != UINT32_MAX)
		return false;
	return i->ptx->mods.space == PTX_PARAM_ENTRY || i->ptx->mods.space == PTX_CONST;
}

/* Is what the instruction writes made of the registers that it reads alone? */
static bool is_plain(const struct simt_program *p, uint32_t pc)
{
	const struct simt_exec *e = &((const struct simt_program_priv *)p)->execs[pc];
	const struct simt_inst *i = &p->insts[pc];
	const uint32_t beyond = SIMT_STORE | SIMT_ATOMIC | SIMT_BRANCH | SIMT_BARRIER | SIMT_FENCE | SIMT_EXIT |
				SIMT_SHUFFLE | SIMT_MATRIX | SIMT_COPY | SIMT_COPY_WAIT | SIMT_SPILL;

	if (i->flags & SIMT_LOAD || i->ptx->op == PTX_OP_LD)
		return is_global_load(i) || is_constant_load(i);
	if (e->writes_carry || e->aux_kind == SIMT_AUX_CARRY)
		return false;
	if (i->flags & (beyond | SIMT_OUTSIDE) || ptx_inst_is_warp_wide(i->ptx) || ptx_inst_is_barrier(i->ptx))
		return false;
	for (uint32_t s = 0; s < i->ptx->src_count; s++)
		if (!is_stable(&i->ptx->src[s]))
			return false;
	return true;
}

static bool reads_unknown(const struct plan *p, uint32_t pc)
{
	for (uint32_t r = 0; r < p->uses[pc].read_count; r++)
		if (p->is_unknown[p->uses[pc].reads[r]])
			return true;
	return false;
}

static bool writes_any(const struct plan *p, uint32_t pc, const bool *set)
{
	for (uint32_t w = 0; w < p->uses[pc].write_count; w++)
		if (set[p->uses[pc].writes[w]])
			return true;
	return false;
}

/* True: the set has grown. */
static bool add(bool *set, const uint32_t *regs, uint32_t count)
{
	bool grows = false;

	for (uint32_t i = 0; i < count; i++) {
		grows |= !set[regs[i]];
		set[regs[i]] = true;
	}
	return grows;
}

static void find_unknown(struct plan *p)
{
	const struct ptx_func *fn = p->p->entry;
	bool grows = true;

	while (grows) {
		grows = false;
		for (uint32_t pc = 0; pc < fn->inst_count; pc++)
			if (!is_plain(p->p, pc) || reads_unknown(p, pc) || writes_any(p, pc, p->is_unknown))
				grows |= add(p->is_unknown, p->uses[pc].writes, p->uses[pc].write_count);
	}
}

static bool is_branch(const struct simt_inst *i)
{
	return i->ptx->op == PTX_OP_BRA || i->flags & SIMT_EXIT;
}

/* Whose registers a plan is for. */
static bool is_wanted(const struct plan *p, uint32_t pc)
{
	const struct simt_inst *i = &p->p->insts[pc];

	return (is_global_load(i) || is_copy(i) || is_branch(i)) && !reads_unknown(p, pc);
}

static void find_needed(struct plan *p)
{
	const struct ptx_func *fn = p->p->entry;
	bool grows = true;

	for (uint32_t pc = 0; pc < fn->inst_count; pc++)
		if (is_wanted(p, pc))
			add(p->is_needed, p->uses[pc].reads, p->uses[pc].read_count);
	while (grows) {
		grows = false;
		for (uint32_t pc = fn->inst_count; pc-- > 0;)
			if (writes_any(p, pc, p->is_needed))
				grows |= add(p->is_needed, p->uses[pc].reads, p->uses[pc].read_count);
	}
}

static enum kind kind_of(const struct plan *p, uint32_t pc)
{
	const struct simt_inst *i = &p->p->insts[pc];
	const bool is_known = !reads_unknown(p, pc), is_needed = writes_any(p, pc, p->is_needed);

	if (i->flags & SIMT_EXIT)
		return is_known ? KIND_LEAVE : KIND_STOP;
	if (is_branch(i))
		return is_known ? KIND_RUN : KIND_STOP;
	if (i->flags & SIMT_BRANCH || i->ptx->op == PTX_OP_CALL || ptx_inst_ends_block(i->ptx))
		return KIND_STOP;
	if (!is_known)
		return KIND_PASS;
	if (is_copy(i))
		return KIND_SHOW;
	if (is_global_load(i))
		return is_needed && !writes_any(p, pc, p->is_unknown) ? KIND_LOOK : KIND_SHOW;
	return is_needed && is_plain(p->p, pc) ? KIND_RUN : KIND_PASS;
}

/* Marks what lies between a branch and its target before it: loops, as compilers lay them out. */
static void find_loops(const struct ptx_func *fn, bool *is_in_loop)
{
	for (uint32_t pc = 0; pc < fn->inst_count; pc++) {
		const struct ptx_inst *i = &fn->insts[pc];

		if (i->op != PTX_OP_BRA)
			continue;
		for (uint32_t k = i->src[0].label; k <= pc; k++)
			is_in_loop[k] = true;
	}
}

static bool is_shown(enum kind kind)
{
	return kind == KIND_SHOW || kind == KIND_LOOK;
}

/* Where loops access what is known, that is most of what the kernel reads: the rest is not shown. */
static void keep_loops(struct simt_walk *k, const struct ptx_func *fn)
{
	bool *is_in_loop = calloc(fn->inst_count + 1, sizeof(bool)), any = false;

	CHECK(is_in_loop);
	find_loops(fn, is_in_loop);
	for (uint32_t pc = 0; pc < k->count; pc++)
		any |= is_in_loop[pc] && is_shown((enum kind)k->kinds[pc]);
	for (uint32_t pc = 0; pc < k->count && any; pc++) {
		if (is_in_loop[pc] || !is_shown((enum kind)k->kinds[pc]))
			continue;
		k->kinds[pc] = k->kinds[pc] == KIND_LOOK ? KIND_LOAD : KIND_PASS;
		k->known_count--;
	}
	free(is_in_loop);
}

struct simt_walk *simt_walk_new(const struct simt_program *program)
{
	const struct ptx_func *fn = program->entry;
	struct simt_walk *k = calloc(1, sizeof(*k));
	struct plan p = {.p = program};

	p.uses = calloc(fn->inst_count + 1, sizeof(*p.uses));
	p.is_unknown = calloc(fn->reg_count + 1, sizeof(bool));
	p.is_needed = calloc(fn->reg_count + 1, sizeof(bool));
	CHECK(k && p.uses && p.is_unknown && p.is_needed);
	for (uint32_t pc = 0; pc < fn->inst_count; pc++)
		ptx_inst_regs(&fn->insts[pc], &p.uses[pc]);
	find_unknown(&p);
	find_needed(&p);
	k->count = fn->inst_count;
	k->kinds = calloc(fn->inst_count + 1, sizeof(*k->kinds));
	CHECK(k->kinds);
	for (uint32_t pc = 0; pc < fn->inst_count; pc++) {
		k->kinds[pc] = (uint8_t)kind_of(&p, pc);
		k->known_count += is_shown((enum kind)k->kinds[pc]);
	}
	keep_loops(k, fn);
	free(p.uses);
	free(p.is_unknown);
	free(p.is_needed);
	return k;
}

void simt_walk_free(struct simt_walk *k)
{
	if (!k)
		return;
	free(k->kinds);
	free(k);
}

uint32_t simt_walk_known_count(const struct simt_walk *k)
{
	return k->known_count;
}

/* ---- a walk ---- */

struct walker {
	struct simt_launch *l;
	struct simt_warp *w;
	const struct simt_walk_bounds *bounds;
	struct simt_walked *out;
	struct simt_step step;
};

static const struct simt_exec *exec_of(const struct walker *k)
{
	return &simt_program_of(k->l)->execs[k->w->pc];
}

static uint32_t mask_of(const struct walker *k)
{
	return k->w->active_mask & simt_pred_get(k->w->state, exec_of(k)->guard);
}

/* Runs the instruction at the warp's pc by this function, or passes it by. False: it could not run. */
static bool step(struct walker *k, simt_run_fn run)
{
	const uint32_t pc = k->w->pc, mask = run ? mask_of(k) : 0;

	k->step.inst = simt_next(k->l, k->w);

	const enum simt_next next = mask ? run(k->l, k->w, exec_of(k), mask, &k->step) : SIMT_NEXT;

	if (next == SIMT_NEXT)
		simt_stack_goto(k->w, pc + 1);
	return next != SIMT_FAULTED;
}

/* What executes it; a checker is not to hear of loads. */
static simt_run_fn run_of(const struct simt_exec *e)
{
	return e->ptx->op == PTX_OP_LD && e->mem->run ? e->mem->run : e->run;
}

/* Is there memory for what each lane of an access wants? */
static bool is_there(const struct walker *k, const struct simt_mem_op *op, uint32_t mask, const uint64_t *addr)
{
	SIMT_FOR_LANES(lane, mask) {
		const struct simt_alloc *a = simt_memory_find(k->l->mem, addr[lane], op->align);

		if (!a || a->kind == SIMT_ALLOC_LOCAL || addr[lane] & (op->natural - 1u))
			return false;
	}
	return true;
}

static bool show(struct walker *k, enum kind kind)
{
	const bool is_value_needed = kind != KIND_SHOW;
	const struct simt_exec *e = exec_of(k);
	const struct simt_mem_op *op = is_copy(simt_next(k->l, k->w)) ? &e->copy->from : e->mem;
	uint64_t addr[SIMT_LANES];
	const uint32_t mask = simt_mem_lanes(k->w->state, op, mask_of(k), addr).global;

	if (!is_there(k, op, mask, addr))
		return false;
	if (mask && kind != KIND_LOAD) {
		k->out->accesses++;
		k->bounds->shows(k->bounds->self, addr, mask, op->align);
	}
	k->out->lookups += is_value_needed && mask;
	return step(k, is_value_needed ? run_of(e) : NULL);
}

/* Lanes end; the walk does with the last of them. */
static bool leave(struct walker *k)
{
	const uint32_t mask = mask_of(k);

	if (!mask)
		return step(k, NULL);
	if (!(simt_split_of(k->w)->lanes & ~mask))
		return false;
	return simt_lanes_exit(k->l, k->w, mask, k->w->pc + 1, &k->step) != SIMT_FAULTED;
}

static bool go(struct walker *k, enum kind kind)
{
	k->out->instructions += kind != KIND_PASS;
	switch (kind) {
	case KIND_PASS:
		return step(k, NULL);
	case KIND_RUN:
		return step(k, run_of(exec_of(k)));
	case KIND_SHOW:
	case KIND_LOOK:
	case KIND_LOAD:
		return show(k, kind);
	case KIND_LEAVE:
		return leave(k);
	default:
		return false;
	}
}

void simt_walk_run(const struct simt_walk *plan, struct simt_launch *l, const struct simt_warp *w,
		   const struct simt_walk_bounds *bounds, struct simt_walked *out)
{
	struct simt_warp *guest = simt_guest_begin(l, w, 0, w->live_mask, NULL, 0, w->smid);
	struct walker k = {.l = l, .w = guest, .bounds = bounds, .out = out};
	const uint64_t instructions = out->instructions + bounds->instructions,
		       accesses = out->accesses + bounds->accesses;

	while (out->instructions < instructions && out->accesses < accesses && guest->pc < plan->count &&
	       go(&k, (enum kind)plan->kinds[guest->pc]))
		;
	CHECK(l->fault.kind == SIMT_FAULT_NONE);
	simt_guest_drop(l, guest);
}
