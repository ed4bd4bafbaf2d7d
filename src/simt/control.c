/* control.c - branches, calls, returns and traps. */
#include <string.h>

#include "base/check.h"
#include "simt/build.h"
#include "simt/state.h"

SIMT_RUN(simt_run_bra)
{
	const struct simt_branch_op *op = e->branch;
	const uint32_t stay = w->active_mask & ~mask;

	if (!stay) {
		const bool backward = op->target <= w->pc;

		simt_stack_goto(w, op->target);
		if (backward && unlikely(w->active_mask != w->live_mask))
			return simt_spin_check(l, w, out);
		return SIMT_JUMPED;
	}
	/* The fall-through path runs first: program order. */
	const uint32_t pcs[2] = {op->target, w->pc + 1}, masks[2] = {mask, stay};
	const bool backward = op->target <= w->pc;

	simt_stack_save(w);
	simt_stack_diverge(w, pcs, masks, 2, op->rpc);
	return backward ? simt_spin_check(l, w, out) : SIMT_JUMPED;
}

SIMT_RUN(simt_run_brx)
{
	const struct simt_branch_op *op = e->branch;
	const uint32_t *index = simt_row(w->state, op->index);
	uint32_t pcs[SIMT_LANES + 1], masks[SIMT_LANES + 1], count = 0, left = mask;

	while (left) {
		uint32_t lane = (uint32_t)__builtin_ctz(left), same = 0;

		if (index[lane] >= op->table_count)
			return simt_fault(l, w, e, lane, SIMT_FAULT_INSTRUCTION,
					  "brx.idx index %u; the target list has %u labels", index[lane],
					  op->table_count);
		uint32_t pc = op->table[index[lane]];

		SIMT_FOR_LANES(other, left)
			if (index[other] < op->table_count && op->table[index[other]] == pc)
				same |= 1u << other;
		pcs[count] = pc;
		masks[count++] = same;
		left &= ~same;
	}
	if (w->active_mask & ~mask) {
		pcs[count] = w->pc + 1;
		masks[count++] = w->active_mask & ~mask;
	}
	(void)out;
	if (count == 1) {
		simt_stack_goto(w, pcs[0]);
		return SIMT_JUMPED;
	}
	simt_stack_save(w);
	simt_stack_diverge(w, pcs, masks, count, op->rpc);
	return SIMT_JUMPED;
}

/* ---- calls ---- */

/* One side of an argument's copy: a byte range of param rows, a register row, or a constant row. */
struct place {
	uint8_t *rows; /* interleaved words, or NULL */
	uint64_t off;
	void *row;
	uint32_t row_bytes, bytes;
};

static struct place place_of_caller(const struct simt_launch *l, struct simt_warp_state *s,
				    const struct simt_frame *caller, const struct simt_call_place *at)
{
	if (at->is_param)
		return (struct place){.rows = simt_param_rows(l, s, caller), .off = at->off, .bytes = at->bytes};
	const uint8_t *base =
	    at->ref.base == SIMT_BASE_FRAME ? s->rows + (uint64_t)caller->row * SIMT_ROW_BYTES : s->base[at->ref.base];

	return (struct place){.row = (void *)(base + at->ref.off), .row_bytes = at->ref.bytes, .bytes = at->ref.bytes};
}

/* A formal parameter or result of a device function. Old PTX declares them as registers. */
static struct place place_of_callee(const struct simt_launch *l, struct simt_warp_state *s, const struct simt_frame *f,
				    const struct ptx_var *var)
{
	const struct simt_program_func *func = &simt_program_of(l)->funcs[f->func];

	if (var->space != PTX_REG)
		return (struct place){
		    .rows = simt_param_rows(l, s, f), .off = var->offset_bytes, .bytes = (uint32_t)var->size_bytes};
	for (uint32_t r = 0; r < func->ptx->reg_count; r++) {
		if (strcmp(func->ptx->regs[r].name, var->name) != 0)
			continue;
		uint32_t bytes = ptx_type_bytes(func->ptx->regs[r].type) == 8 ? 8 : 4;

		return (struct place){.row = s->rows + (uint64_t)(f->row + func->alloc->slot[r]) * SIMT_ROW_BYTES,
				      .row_bytes = bytes,
				      .bytes = bytes};
	}
	UNREACHABLE("a register parameter is among its function's registers");
}

static void copy_lane_bytes(const struct place *to, const struct place *from, uint32_t lane)
{
	uint32_t bytes = to->bytes < from->bytes ? to->bytes : from->bytes;

	for (uint32_t k = 0; k < bytes; k += 8) {
		uint32_t n = bytes - k < 8 ? bytes - k : 8;
		uint64_t v = from->rows ? simt_words_get(from->rows, from->off + k, n, lane)
					: simt_lane_get(from->row, from->row_bytes, lane);

		if (to->rows)
			simt_words_set(to->rows, to->off + k, n, lane, v);
		else
			simt_lane_set(to->row, to->row_bytes, lane, v);
	}
}

static void copy_place(const struct place *to, const struct place *from, uint32_t mask)
{
	const bool words = to->rows && from->rows && !((to->off | from->off | to->bytes | from->bytes) & 3);

	if (!words) {
		SIMT_FOR_LANES(lane, mask)
			copy_lane_bytes(to, from, lane);
		return;
	}
	for (uint32_t k = 0; k < to->bytes && k < from->bytes; k += 4)
		simt_row_copy32((uint32_t *)(to->rows + (to->off + k) / 4 * SIMT_ROW_BYTES),
				(const uint32_t *)(from->rows + (from->off + k) / 4 * SIMT_ROW_BYTES), mask);
}

uint64_t simt_call_arg(const struct simt_launch *l, struct simt_warp *w, const struct simt_call_op *op, uint32_t k,
		       uint32_t lane)
{
	struct place p = place_of_caller(l, w->state, &w->state->frame, &op->args[k]);

	return p.rows ? simt_words_get(p.rows, p.off, p.bytes < 8 ? p.bytes : 8, lane)
		      : simt_lane_get(p.row, p.row_bytes, lane);
}

uint32_t simt_call_arg_word(const struct simt_launch *l, struct simt_warp *w, const struct simt_call_op *op, uint32_t k,
			    uint32_t word, uint32_t lane)
{
	struct place p = place_of_caller(l, w->state, &w->state->frame, &op->args[k]);

	return p.rows && 4 * word + 4 <= p.bytes ? (uint32_t)simt_words_get(p.rows, p.off + 4 * word, 4, lane) : 0;
}

void simt_call_result(const struct simt_launch *l, struct simt_warp *w, const struct simt_call_op *op, uint32_t lane,
		      uint64_t value)
{
	if (!op->ret_count)
		return;
	struct place p = place_of_caller(l, w->state, &w->state->frame, &op->rets[0]);

	if (p.rows)
		simt_words_set(p.rows, p.off, p.bytes < 8 ? p.bytes : 8, lane, value);
	else
		simt_lane_set(p.row, p.row_bytes, lane, value);
}

static enum simt_next enter(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t func,
			    const struct simt_frame *caller, uint32_t lanes)
{
	struct simt_warp_state *s = w->state;
	const struct simt_program_priv *p = simt_program_of(l);
	const struct simt_call_op *op = e->call;
	const struct simt_program_func *from = &p->funcs[caller->func], *to = &p->funcs[func];
	struct simt_entry entry = {.pc = to->first_pc, .rpc = SIMT_NO_PC, .mask = lanes};

	entry.frame = (struct simt_frame){
	    .row = caller->row + from->row_count,
	    .pred = caller->pred + from->alloc->pred_count,
	    .local_at = caller->local_at - to->local_bytes,
	    .func = func,
	    .depth = caller->depth + 1,
	    .caller_row = caller->row,
	    .call = op,
	};
	if (entry.frame.depth > SIMT_CALL_DEPTH_MAX)
		return simt_fault(l, w, e, (uint32_t)__builtin_ctz(lanes), SIMT_FAULT_STACK,
				  "call depth exceeds %u in function %s", SIMT_CALL_DEPTH_MAX, to->ptx->name);
	if (caller->local_at - (SIMT_LOCAL_BASE - l->state->below_bytes) < to->local_bytes)
		return simt_fault(
		    l, w, e, (uint32_t)__builtin_ctz(lanes), SIMT_FAULT_STACK,
		    "local memory exhausted: function %s needs %u bytes at call depth %u, a thread has %llu",
		    to->ptx->name, to->local_bytes, entry.frame.depth,
		    (unsigned long long)(l->state->local_bytes + l->state->below_bytes));
	if (op->arg_count != to->ptx->param_count)
		return simt_fault(l, w, e, (uint32_t)__builtin_ctz(lanes), SIMT_FAULT_INSTRUCTION,
				  "call passes %u arguments; function %s takes %u", op->arg_count, to->ptx->name,
				  to->ptx->param_count);
	simt_frame_open(l, w, &entry.frame);
	for (uint32_t k = 0; k < op->arg_count; k++) {
		struct place a = place_of_caller(l, s, caller, &op->args[k]);
		struct place b = place_of_callee(l, s, &entry.frame, &to->ptx->params[k]);

		copy_place(&b, &a, lanes);
	}
	simt_stack_push(w, &entry);
	return SIMT_JUMPED;
}

/* Index of the function at a device function address, UINT32_MAX if there is none. */
static uint32_t function_at(const struct simt_program_priv *p, uint64_t addr)
{
	uint64_t n = (addr - SIMT_FUNC_BASE) / SIMT_FUNC_STEP;

	if (addr < SIMT_FUNC_BASE || addr % SIMT_FUNC_STEP || !n || n > p->module->ptx->func_count)
		return UINT32_MAX;
	return p->func_of_index[n - 1] - 1;
}

SIMT_RUN(simt_run_call)
{
	const struct simt_program_priv *p = simt_program_of(l);
	const struct simt_call_op *op = e->call;
	const struct simt_frame caller = w->state->frame;
	const uint32_t pc = w->pc;
	bool pushed = false;

	(void)out;
	for (uint32_t left = mask; left;) {
		uint32_t lane = (uint32_t)__builtin_ctz(left), func = op->func, group = left;

		if (func == UINT32_MAX) {
			const void *row = simt_row(w->state, op->target);
			uint64_t target = simt_lane_get(row, op->target.bytes, lane);

			func = function_at(p, target);
			if (func == UINT32_MAX)
				return simt_fault(
				    l, w, e, lane, SIMT_FAULT_INSTRUCTION,
				    "call through 0x%llx, which is not the address of a function this kernel can reach",
				    (unsigned long long)target);
			SIMT_FOR_LANES(other, left)
				if (simt_lane_get(row, op->target.bytes, other) != target)
					group &= ~(1u << other);
		}
		left &= ~group;
		if (p->funcs[func].builtin) {
			if (simt_builtin_call(l, w, e, op, p->funcs[func].builtin, group) == SIMT_FAULTED)
				return SIMT_FAULTED;
			continue;
		}
		if (!pushed) {
			w->pc = pc + 1;
			simt_stack_save(w);
			pushed = true;
		}
		if (enter(l, w, e, func, &caller, group) == SIMT_FAULTED)
			return SIMT_FAULTED;
		/* A deeper frame may have moved the rows. */
		w->state->base[SIMT_BASE_FRAME] = w->state->rows + (uint64_t)caller.row * SIMT_ROW_BYTES;
	}
	if (!pushed)
		return SIMT_NEXT;
	simt_stack_load(w);
	return SIMT_JUMPED;
}

SIMT_RUN(simt_run_ret)
{
	struct simt_warp_state *s = w->state;
	const struct simt_frame f = s->frame;
	const struct simt_program_func *func = &simt_program_of(l)->funcs[f.func];
	struct simt_frame caller = {.row = f.caller_row, .func = f.call->func_of_caller};

	(void)e, (void)out;
	for (uint32_t k = 0; k < f.call->ret_count && k < func->ptx->ret_count; k++) {
		struct place a = place_of_callee(l, s, &f, &func->ptx->rets[k]);
		struct place b = place_of_caller(l, s, &caller, &f.call->rets[k]);

		copy_place(&b, &a, mask);
	}
	w->pc++;
	simt_stack_save(w);
	simt_stack_drop(w, mask, f.depth);
	simt_stack_load(w);
	return SIMT_JUMPED;
}

SIMT_RUN(simt_run_exit)
{
	(void)e;
	return simt_lanes_exit(l, w, mask, w->pc + 1, out);
}

SIMT_RUN(simt_run_trap)
{
	(void)out;
	return simt_fault(l, w, e, (uint32_t)__builtin_ctz(mask), SIMT_FAULT_TRAP, "trap instruction executed");
}
