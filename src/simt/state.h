/* state.h - functions on running warps and CTAs that several parts of simt/ use. Not for other folders. */
#ifndef STRATA_SIMT_STATE_H
#define STRATA_SIMT_STATE_H

#include "base/check.h"
#include "simt/priv.h"

/* ---- rows ---- */

extern const uint32_t simt_lane_bit[SIMT_LANES]; /* 1 << lane */

/* d = s on the lanes of mask. */
static inline void simt_row_copy32(uint32_t *restrict d, const uint32_t *restrict s, uint32_t mask)
{
	if (mask == SIMT_FULL_MASK) {
		__builtin_memcpy(d, s, SIMT_ROW_BYTES);
		return;
	}
	for (uint32_t i = 0; i < SIMT_LANES; i++)
		d[i] = mask & simt_lane_bit[i] ? s[i] : d[i];
}

static inline void simt_row_copy64(uint64_t *restrict d, const uint64_t *restrict s, uint32_t mask)
{
	if (mask == SIMT_FULL_MASK) {
		__builtin_memcpy(d, s, 2 * SIMT_ROW_BYTES);
		return;
	}
	for (uint32_t i = 0; i < SIMT_LANES; i++)
		d[i] = mask & simt_lane_bit[i] ? s[i] : d[i];
}

/* 64-bit values from, and to, their low and high words in two rows that follow each other. */
static inline void simt_row_join64(uint64_t *restrict d, const uint32_t *restrict words, uint32_t mask)
{
	for (uint32_t i = 0; i < SIMT_LANES; i++) {
		const uint64_t v = (uint64_t)words[SIMT_LANES + i] << 32 | words[i];

		d[i] = mask & simt_lane_bit[i] ? v : d[i];
	}
}

static inline void simt_row_split64(uint32_t *restrict words, const uint64_t *restrict s, uint32_t mask)
{
	for (uint32_t i = 0; i < SIMT_LANES; i++) {
		const bool is_in = mask & simt_lane_bit[i];

		words[i] = is_in ? (uint32_t)s[i] : words[i];
		words[SIMT_LANES + i] = is_in ? (uint32_t)(s[i] >> 32) : words[SIMT_LANES + i];
	}
}

/* Copies between rows of any two widths: to = low bits, or zero- or sign-extended. s and d may be the same row only if
 * the widths agree. */
void simt_row_convert(void *d, uint32_t d_bytes, const void *s, uint32_t s_bytes, bool sign, uint32_t mask);

/* Bytes [off, off + bytes) of a lane in interleaved rows: 4 bytes per lane and row. */
uint64_t simt_words_get(const uint8_t *rows, uint64_t off, uint32_t bytes, uint32_t lane);
void simt_words_set(uint8_t *rows, uint64_t off, uint32_t bytes, uint32_t lane, uint64_t value);

static inline uint8_t *simt_param_rows(const struct simt_launch *l, const struct simt_warp_state *s,
				       const struct simt_frame *f)
{
	return s->rows + (uint64_t)(f->row + simt_program_of(l)->funcs[f->func].param_row) * SIMT_ROW_BYTES;
}

/* ---- the SIMT stack (stack.c) ---- */

static inline struct simt_split *simt_split_of(struct simt_warp *w)
{
	return &w->state->splits[w->state->current];
}

/* Makes the warp ready to run lanes at pc 0 in the entry function's frame. */
void simt_stack_begin(const struct simt_launch *l, struct simt_warp *w, uint32_t lanes);
/* Writes pc to the top entry / reads the top entry and pops what has reached its reconvergence point. */
void simt_stack_save(struct simt_warp *w);
void simt_stack_load(struct simt_warp *w);
/* Continues the top entry at pc. */
void simt_stack_goto(struct simt_warp *w, uint32_t pc);
/* The top entry's lanes part: masks[i] go to pcs[i]; they meet again at rpc. */
void simt_stack_diverge(struct simt_warp *w, const uint32_t *pcs, const uint32_t *masks, uint32_t count, uint32_t rpc);
void simt_stack_push(struct simt_warp *w, const struct simt_entry *e);
/* Drops lanes from the current split's entries down to and including call depth `depth`; empty entries vanish. The top
 * entry is not loaded. */
void simt_stack_drop(struct simt_warp *w, uint32_t lanes, uint32_t depth);

/* ---- lanes that do not run together (split.c) ---- */

/* Moves lanes (some of the current split's, not all) to a new split and returns its index; neither is loaded. */
uint32_t simt_split_carve(struct simt_warp *w, uint32_t lanes);
/* Chooses a split that can run and loads it; or completes the warp; or lets it wait at its CTA barrier. False: none can
 * ever run (the fault is set). */
bool simt_split_schedule(struct simt_launch *l, struct simt_warp *w, struct simt_step *out);
/* Joins splits whose stacks are equal. The current split must be saved; loads it again. */
void simt_split_merge(struct simt_warp *w);
/* At a .sync instruction: lanes `mask` arrived and need `need`. SIMT_NEXT: *all can execute it now, end with
 * simt_sync_leave. SIMT_JUMPED: they wait, others run. */
enum simt_next simt_sync_enter(struct simt_launch *l, struct simt_warp *w, uint32_t mask, uint32_t need, uint32_t *all,
			       struct simt_step *out);
enum simt_next simt_sync_leave(struct simt_warp *w, uint32_t mask, uint32_t all);
/* After a backward branch of a diverged warp: lets other lanes run if this loop only polls. */
enum simt_next simt_spin_check(struct simt_launch *l, struct simt_warp *w, struct simt_step *out);

/* ---- exits and CTA barriers (barrier.c) ---- */

/* Lanes leave the kernel. */
enum simt_next simt_lanes_exit(struct simt_launch *l, struct simt_warp *w, uint32_t lanes, uint32_t resume_pc,
			       struct simt_step *out);
/* All live lanes of the warp wait at barrier id. */
bool simt_barrier_warp_arrived(struct simt_launch *l, struct simt_warp *w, uint32_t id, struct simt_step *out);
/* The warp is done: barriers may open. */
bool simt_barrier_warp_done(struct simt_launch *l, struct simt_warp *w, struct simt_step *out);

/* No lane is left. */
static inline bool simt_warp_end(struct simt_launch *l, struct simt_warp *w, struct simt_step *out)
{
	w->is_done = true;
	w->active_mask = 0;
	return w->state->is_guest || simt_barrier_warp_done(l, w, out);
}

/* ---- one instruction ---- */

/* simt_step, for those of simt/ who do many. */
static inline bool simt_step_now(struct simt_launch *l, struct simt_warp *w, struct simt_step *out)
{
	struct simt_warp_state *s = w->state;
	const uint32_t pc = w->pc;
	const struct simt_program_priv *p = simt_program_of(l);
	const struct simt_exec *e = &p->execs[pc];
	const uint32_t mask = w->active_mask & simt_pred_get(s, e->guard);

	out->inst = &p->insts[pc];
	out->pc = pc;
	out->exec_mask = mask;
	out->access_mask = 0;
	out->shared_mask = 0;
	out->space = SIMT_MEM_NONE;
	out->barrier_opened = false;
	out->branched = false;
	w->instruction_count++;
	l->state->steps++;
	enum simt_next next = likely(mask) ? e->run(l, w, e, mask, out) : SIMT_NEXT;

	if (likely(next == SIMT_NEXT)) {
		w->pc = pc + 1;
		if (unlikely(pc + 1 == s->rpc)) {
			simt_stack_goto(w, pc + 1);
			out->branched = w->pc != pc + 1;
		}
		return true;
	}
	if (next == SIMT_REPEATS)
		return true;
	out->branched = w->pc != pc + 1;
	return next == SIMT_JUMPED;
}

/* ---- host code of a program (native/turn.c) ---- */

void simt_native_begin(struct simt_program_priv *p);
void simt_native_end(struct simt_program_priv *p);

/* ---- frames (stack.c) ---- */

/* Makes room for the frame of its function at its row and predicate. */
void simt_frame_open(const struct simt_launch *l, struct simt_warp *w, const struct simt_frame *f);

/* launch.c: the pool of CTAs, of which none runs. */
void simt_cta_free_all(struct simt_launch_state *st);

/* launch.c: a warp's state, with no rows yet. */
struct simt_warp_state *simt_warp_state_new(const struct simt_launch *l);

/* ---- textures (tex_ops.c) ---- */

/* simt_peek_access of a texture instruction by lanes of mask. */
uint32_t simt_peek_texture(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t mask,
			   uint64_t *addr);
/* The object that a lane means, or NULL with the fault set. */
const struct simt_tex_desc *simt_texture_of_lane(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
						 uint32_t lane);

/* ---- special registers (special.c) ---- */

void simt_special_fill(const struct simt_launch *l, struct simt_warp *w);
/* This fills them again when the warp's place in the pool has run a CTA of this launch before. */
void simt_special_refill(const struct simt_launch *l, struct simt_warp *w);
void simt_special_clocks(const struct simt_launch *l, struct simt_warp *w);
/* Does a warp of a launch's pool find the same in it, whichever CTA it is of? */
bool simt_special_is_of_place(enum ptx_sreg sreg);

/* control.c: argument k of a call as a lane passes it; the call's result in a lane. For system calls. */
uint64_t simt_call_arg(const struct simt_launch *l, struct simt_warp *w, const struct simt_call_op *op, uint32_t k,
		       uint32_t lane);
/* 32-bit word number `word` of an argument that is an array in .param; 0 for any other. */
uint32_t simt_call_arg_word(const struct simt_launch *l, struct simt_warp *w, const struct simt_call_op *op, uint32_t k,
			    uint32_t word, uint32_t lane);
void simt_call_result(const struct simt_launch *l, struct simt_warp *w, const struct simt_call_op *op, uint32_t lane,
		      uint64_t value);

/* ---- faults (fault.c): all set l->fault once and return SIMT_FAULTED ---- */

enum simt_next simt_fault(struct simt_launch *l, const struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
			  enum simt_fault_kind kind, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
enum simt_next simt_fault_access(struct simt_launch *l, const struct simt_warp *w, const struct simt_exec *e,
				 uint32_t lane, bool is_store, enum simt_space space, uint64_t addr, uint32_t bytes,
				 uint64_t limit);
enum simt_next simt_fault_align(struct simt_launch *l, const struct simt_warp *w, const struct simt_exec *e,
				uint32_t lane, bool is_store, uint64_t addr, uint32_t bytes);

/* ---- system calls (syscall.c) ---- */

enum simt_next simt_builtin_call(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
				 const struct simt_call_op *op, enum simt_builtin builtin, uint32_t mask);

/* ---- addresses (memory_ops.c) ---- */

/* Loads elements of lanes from their host addresses in global memory. */
void simt_load_global(struct simt_warp_state *s, const struct simt_mem_op *op, const uint64_t *addr, uint32_t mask);

/* Lanes of a memory instruction by the memory they mean. */
struct simt_mem_lanes {
	uint32_t global, shared, local, param, frame;
};

/* Computes the addresses, relative to that memory, and sorts the lanes. Nothing is checked. */
struct simt_mem_lanes simt_mem_lanes(const struct simt_warp_state *s, const struct simt_mem_op *op, uint32_t mask,
				     uint64_t *addr);

/* Sorts lanes whose addresses are computed, and makes the addresses relative to the memory they mean. */
struct simt_mem_lanes simt_mem_sort(const struct simt_mem_op *op, uint32_t mask, uint64_t *addr);
/* Checks bounds and alignment of sorted lanes; afterwards those in global and local memory have host addresses. */
enum simt_next simt_mem_check(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
			      const struct simt_mem_op *op, bool is_store, const struct simt_mem_lanes *k,
			      uint64_t *addr);
/* Tells the timing model what out->addr is; of an access that simt_mem_check has passed. */
void simt_mem_report(const struct simt_mem_op *op, const struct simt_mem_lanes *k, struct simt_step *out);
/* matrix_ops.c: simt_mem_lanes of a wmma.load, wmma.store, ldmatrix or stmatrix. */
struct simt_mem_lanes simt_matrix_lanes(const struct simt_warp *w, const struct simt_exec *e, uint32_t mask,
					uint64_t *addr);

/* Copies bytes as one lane sees them through a generic pointer; false if they are not all readable. */
bool simt_generic_bytes(struct simt_launch *l, struct simt_warp *w, uint32_t lane, uint64_t addr, uint32_t bytes,
			void *to);
/* The other way: the low bytes of value; false if they cannot all be written. */
bool simt_generic_put(struct simt_launch *l, struct simt_warp *w, uint32_t lane, uint64_t addr, uint32_t bytes,
		      uint64_t value);

/* ---- dynamic parallelism (child.c) ---- */

/* What stands behind a function that CUDA's device runtime library leaves to the driver; SIMT_BUILTIN_NONE for a name
 * that is none. */
enum simt_builtin simt_child_builtin(const char *name);
uint32_t simt_child_argument_count(enum simt_builtin builtin);
/* (kernel, grid, block, shared bytes): where the thread is to put the parameters; 0 when there is none. */
uint64_t simt_child_buffer(struct simt_launch *l, struct simt_warp *w, const struct simt_call_op *op, uint32_t lane);
/* A lane's call of a function from SIMT_BUILTIN_ASK on, with its result. False: l->fault is set. */
bool simt_child_ask(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
		    const struct simt_call_op *op, enum simt_builtin builtin, uint32_t lane);

#endif
