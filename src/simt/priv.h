/* priv.h - what the parts of simt/ share: modules, decoded execution records, warp and CTA state. Not for other
 * folders.
 *
 * A program is decoded once into two parallel arrays: struct simt_inst (what timing reads) and struct simt_exec (what
 * execution reads). An operand is a row: a base (the warp's frame, the program's constants, the warp's special
 * registers) plus a byte offset, so that a handler finds its rows with two additions and no branch.
 */
#ifndef STRATA_SIMT_PRIV_H
#define STRATA_SIMT_PRIV_H

#include "ptx/spill.h"
#include "simt/native/turn.h"
#include "simt/simt.h"
#include "simt/tensor.h"
#include "simt/texture.h"

enum {
	SIMT_ROW_BYTES = 128, /* 32 lanes of 32 bits; a 64-bit row is two of these */
	SIMT_BARRIERS = 16,   /* named barriers of a CTA (PTX ISA, bar) */
	SIMT_BARRIER_CLUSTER = SIMT_BARRIERS, /* barrier.cluster, of clusters of one CTA */
	SIMT_BARRIER_COUNT,
	SIMT_SRC_ROWS = 4,
	SIMT_ELEMS = 8, /* elements of the widest vector access */
	SIMT_CALL_DEPTH_MAX = 512,
	/* Polls at backward branches before a diverged warp lets other lanes run; after the first such switch the warp
	 * is known to spin and yields sooner. Weak loads and atomics that count, which loops over arrays have, weigh
	 * little: the lanes that part here run the rest alone, up to the next barrier. See docs/execution.md. */
	SIMT_SPIN_FIRST = 1 << 20,
	SIMT_SPIN_NEXT = 1 << 14,
	SIMT_POLL_STRONG = 1 << 10,
	SIMT_POLL_WEAK = 1,
	/* Local memory per thread of a program that recurses or calls through pointers, beyond its static frames. */
	SIMT_RECURSION_BYTES = 16 << 10,
};

/* Shared memory that the device keeps for its run-time where a program names it (%reserved_smem_offset_*), before the
 * program's own; the second part, behind the first, is what cooperative groups use. */
enum { SIMT_RESERVED_SHARED_BYTES = 1024, SIMT_RESERVED_SHARED_1 = 512 };

#define SIMT_NO_PC UINT32_MAX
#define SIMT_NO_PRED UINT32_MAX
/* Function pointers: nothing can be loaded from here, and a call checks that it hits a function exactly. */
#define SIMT_FUNC_BASE 0x0000000003000000ull
#define SIMT_FUNC_STEP 16u

/* ---- modules ---- */

struct simt_module {
	const struct ptx_module *ptx;
	struct simt_memory *mem;
	uint64_t *addr;        /* [ptx->var_count]: device address of .global and .const variables, else 0 */
	uint64_t **local_addr; /* [func_count][local_count]: the same for function-scope variables */
};

/* Address of a .global or .const variable of module or function scope; 0 if it has none (extern, other space). */
uint64_t simt_module_var_addr(const struct simt_module *m, const struct ptx_var *var);
/* The function that f is another name for, through all its aliases; f if it is none. */
const struct ptx_func *simt_func_unaliased(const struct ptx_func *f);
uint64_t simt_func_addr(const struct ptx_func *f);

/* ---- decoded execution ---- */

enum simt_base { SIMT_BASE_FRAME, SIMT_BASE_CONST, SIMT_BASE_SPECIAL, SIMT_BASE_COUNT };

/* Where a row is. bytes 0: no operand (sink). */
struct simt_ref {
	uint32_t off;
	uint8_t base;  /* enum simt_base */
	uint8_t bytes; /* 4 or 8: what is there */
};

/* SIMT_REPEATS: the same instruction again, for it has not done all. */
enum simt_next { SIMT_NEXT, SIMT_JUMPED, SIMT_REPEATS, SIMT_FAULTED };

struct simt_exec;
typedef enum simt_next (*simt_run_fn)(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
				      uint32_t mask, struct simt_step *out);

/* A width change between an operand's row and what the instruction works on. */
enum simt_fix { SIMT_FIX_NONE, SIMT_FIX_LOW, SIMT_FIX_ZERO, SIMT_FIX_SIGN };

/* Predicate operand: mask = pred[index] ^ flip; index SIMT_NO_PRED: the constant flip. */
struct simt_pred_ref {
	uint32_t index, flip;
};

/* One lane's atomic at p: writes the new value, returns the old one. */
typedef uint64_t (*simt_atom_fn)(void *p, uint64_t b, uint64_t c);

enum simt_area { /* what an address is relative to */
		 SIMT_AREA_GLOBAL,
		 SIMT_AREA_SHARED,
		 SIMT_AREA_LOCAL,
		 SIMT_AREA_GENERIC,
		 SIMT_AREA_PARAM,
		 SIMT_AREA_FRAME /* call-site .param: rows of the frame */
};

struct simt_mem_op {
	uint8_t area, bytes, vec, align; /* align: bytes of the whole access */
	uint8_t natural;                 /* what the address must be a multiple of; nearly always align */
	bool is_frame_local;             /* the offset is relative to the frame's local memory */
	struct simt_ref addr;            /* bytes 0: absolute */
	int64_t offset;
	struct simt_ref elem[SIMT_ELEMS];
	simt_atom_fn atom;
	struct simt_ref b[SIMT_ELEMS], c; /* of an atomic: one value per element; the new value of cas */
	bool is_signed;
	simt_run_fn run; /* under a checker: what the checked access does then */
};

struct simt_call_place {
	bool is_param; /* off and bytes: byte range of the frame's param rows; else ref: a register or constant */
	uint32_t off, bytes;
	struct simt_ref ref;
};

struct simt_call_op {
	uint32_t func; /* index in the program; UINT32_MAX: through a pointer */
	uint32_t func_of_caller;
	struct simt_ref target;
	const struct ptx_inst *ptx;
	struct simt_call_place *args, *rets;
	uint32_t arg_count, ret_count;
};

struct simt_tex_op {
	struct simt_ref handle; /* bytes 0: the handle is the value of the variable at handle_addr */
	uint64_t handle_addr;
	bool has_sampler; /* a separate sampler, given like the handle; in a query: the handle is a sampler */
	struct simt_ref sampler;
	uint64_t sampler_addr;
	struct simt_ref coord[3], layer, value[SIMT_ELEMS];
	struct simt_ref lod, dx[3], dy[3], offset[3]; /* bytes 0 where the instruction has none */
	uint8_t dims, count, bytes;
	bool is_cube;
	simt_atom_fn atom; /* sured */
};

/* A matrix instruction. mem first: of loads and stores, the record's mem is it. */
struct simt_matrix_op {
	struct simt_mem_op mem; /* align: bytes of one lane's part of a matrix in memory */
	struct simt_tensor form;
	uint8_t which;  /* enum ptx_matrix_name: of wmma.load and wmma.store */
	uint8_t layout; /* enum ptx_layout: the same */
	uint8_t num;    /* ldmatrix, stmatrix: matrices */
	bool is_transposed, is_store;
	struct simt_ref stride; /* bytes 0: rows or columns lie close */
	struct simt_ref a[SIMT_ELEMS], b[SIMT_ELEMS], c[SIMT_ELEMS], d[SIMT_ELEMS]; /* ldmatrix and the like: d or a */
};

/* What a lane's part of a step of cp.async.bulk has: its size and addresses are multiples of it. */
enum { SIMT_BULK_BYTES = 16 };

/* cp.async. from first: the record's mem is it. */
struct simt_copy_op {
	struct simt_mem_op from, to;
	struct simt_ref from_bytes; /* bytes 0: as many as are written */
	bool may_ignore;            /* a predicate says where the source is ignored: the record's pred_src */
	struct simt_mem_op object;  /* cp.async.bulk from global memory: the mbarrier that is told of the bytes */
};

/* mbarrier: an object of 8 bytes in shared memory (mbarrier.c). */
struct simt_mbar_op {
	struct simt_mem_op at;
	struct simt_ref count, state; /* bytes 0: none; of a test, count is the parity */
	struct simt_ref dst;
};

struct simt_branch_op {
	uint32_t target, rpc;
	uint32_t *table, table_count; /* brx.idx */
	struct simt_ref index;
};

struct simt_exec {
	simt_run_fn run;
	struct simt_pred_ref guard;
	simt_alu_fn alu;
	uint32_t aux;
	uint8_t aux_kind, src_count;
	bool writes_carry;
	uint16_t polls; /* SIMT_POLL_*: may see another thread's write; or 0 */
	struct simt_ref dst, src[SIMT_SRC_ROWS];
	uint8_t fix_src[SIMT_SRC_ROWS], fix_dst;
	uint8_t dynamic_sreg; /* 1: refresh clocks before running */
	struct simt_pred_ref pred_src;
	uint32_t pred_dst, pred_dst2;
	uint8_t boolop;
	union {
		struct simt_mem_op *mem;
		struct simt_call_op *call;
		struct simt_branch_op *branch;
		struct simt_tex_op *tex;
		struct simt_matrix_op *matrix;
		struct simt_copy_op *copy;
		struct simt_mbar_op *mbar;
		struct simt_pack_op *pack;
		uint64_t imm;
	};
	const struct ptx_inst *ptx;
};

/* mov between a scalar and a vector of parts, or from the vector `from` to the vector `part`. */
struct simt_pack_op {
	struct simt_ref whole, part[SIMT_ELEMS], from[SIMT_ELEMS];
	uint8_t count, part_bytes;
};

enum simt_builtin {
	SIMT_BUILTIN_NONE,
	SIMT_BUILTIN_VPRINTF,
	SIMT_BUILTIN_MALLOC,
	SIMT_BUILTIN_FREE,
	SIMT_BUILTIN_ASSERTFAIL,
	SIMT_BUILTIN_PARAMETER_BUFFER, /* dynamic parallelism: memory for a child's parameters */
	SIMT_BUILTIN_DEVICE_RUNTIME, /* a call of CUDA's device runtime that is not there */
	SIMT_BUILTIN_ASK, /* + number of a row in child.c: one that is */
};

struct simt_program_func {
	const struct ptx_func *ptx;
	struct ptx_spill *spill; /* what ptx is then a part of; NULL: no register is spilled */
	struct ptx_cfg *cfg;
	struct ptx_alloc *alloc;
	enum simt_builtin builtin;
	uint32_t first_pc, inst_count;
	/* A frame is rows: registers by slot (64-bit ones below alloc->wide_slot_count, in two slots each), then .param
	 * variables. */
	uint32_t param_row;
	uint32_t row_count;   /* registers and param rows */
	uint64_t shared_base; /* of the function's own .shared variables */
	uint32_t local_bytes; /* frame, aligned as all frames of the program */
};

struct simt_sreg_use {
	uint8_t sreg, component;
	bool is_of_place; /* simt_special_is_of_place */
	uint32_t off;
};

struct simt_shared_var {
	const struct ptx_var *var;
	uint64_t offset;
};

struct simt_program_priv {
	struct simt_program pub;
	const struct simt_module *module;
	enum simt_isa isa; /* of the arithmetic functions */
	struct simt_inst *insts;
	struct simt_exec *execs;
	uint16_t *sb;
	struct simt_program_func *funcs;
	uint32_t func_count;
	uint32_t *func_of_index; /* [ptx->func_count]: index in funcs + 1, 0 = not in the program */
	uint8_t *rows;           /* constant rows */
	uint32_t rows_bytes;
	struct simt_sreg_use *sregs;
	uint32_t sreg_count, special_bytes;
	bool has_clock;
	uint64_t local_fixed, local_entry; /* in local memory: module-scope .local variables, the entry's frame below */
	bool is_recursive;
	uint32_t shared_reserved_bytes; /* at the begin of the CTA's shared memory */
	void *owned; /* list of small records */
	struct simt_native *native; /* its host code (native/) */
};

static inline const struct simt_program_priv *simt_program_of(const struct simt_launch *l)
{
	return (const struct simt_program_priv *)l->program;
}

/* ---- running state ---- */

/* A function activation, shared by the entries that run in it. */
struct simt_frame {
	uint32_t row, pred;   /* first row and predicate */
	uint32_t local_at;    /* the frame in local memory; those of its callees lie below */
	uint32_t func;
	uint32_t depth; /* 0 = entry function */
	uint32_t caller_row;
	const struct simt_call_op *call; /* NULL in the entry function */
};

struct simt_entry {
	uint32_t pc, rpc, mask;
	struct simt_frame frame;
};

enum simt_wait { SIMT_WAIT_NONE, SIMT_WAIT_SYNC, SIMT_WAIT_BARRIER };

/* Lanes that share a SIMT stack. Nearly always a warp has one. */
struct simt_split {
	struct simt_entry *stack;
	uint32_t depth, cap;
	uint32_t lanes; /* live lanes of this split */
	uint8_t wait;   /* enum simt_wait */
	uint32_t need;  /* SIMT_WAIT_SYNC: the lanes it waits for */
	bool is_let_go; /* SIMT_WAIT_SYNC: they all wait, at other places; it goes on by itself */
	/* SIMT_WAIT_BARRIER with a result */
	uint8_t barrier_id;
	const struct simt_exec *red;
	uint32_t red_mask;
	struct simt_frame red_frame;
};

struct simt_warp_state {
	const uint8_t *base[SIMT_BASE_COUNT]; /* the frame's rows may be written */
	uint32_t *pred;                       /* of the current frame */
	uint32_t rpc;                         /* of the top entry */
	uint32_t carry;
	struct simt_frame frame; /* of the top entry */
	uint8_t *rows;           /* all frames */
	uint32_t row_cap;
	uint32_t *preds;
	uint32_t pred_cap;
	uint8_t *special;
	/* Interleaved local memory of the warp: where row 0 would be, of what lies from SIMT_LOCAL_BASE on and of the
	 * unused stack below. */
	uint64_t local, below;
	uint64_t local_bytes, below_bytes; /* per thread */
	struct simt_split *splits; /* [32], allocated with room for one stack in [0] */
	uint32_t split_count, current;
	uint32_t spin_count, spin_budget;
	uint16_t polled; /* SIMT_POLL_* of loads and atomics since the last backward branch */
	bool is_guest;
	struct simt_entry trial; /* top entry when a trial began */
	uint32_t trial_depth;
	uint8_t *scratch;                   /* SIMT_SRC_ROWS + 1 rows of 256 bytes */
	struct simt_warp *next_free, *next; /* guests */
	uint32_t local_slot;
	struct turn *turn;    /* host code's view of the warp (native/turn.c); NULL: none yet */
	uint32_t ahead;	      /* instructions computed that are of turns to come (native/turn.c), */
	uint32_t ahead_lanes; /* by these lanes */
	uint32_t bulk_lanes;  /* of the bulk copy that is being done, those that have not all; 0: none is */
	uint64_t bulk_bytes;  /* what the first of them has copied */
};

struct simt_barrier {
	uint32_t waiting_warps, arrived_threads, expected_threads; /* expected 0: all of the CTA */
	uint32_t red_popc;
	bool red_and, red_or;
};

struct simt_cta {
	struct simt_launch *launch;
	uint32_t id[3];
	uint32_t smid;
	struct simt_warp *warps;
	uint32_t warp_count, live_warps, waiting_warps;
	uint8_t *shared;
	uint32_t shared_bytes;
	struct simt_barrier barriers[SIMT_BARRIER_COUNT];
	uint32_t arrived_barriers; /* bits of those at which threads have arrived */
	struct simt_check_cta *check; /* NULL: no checker */
	struct simt_cta *next_free, *next;
};

struct simt_launch_state {
	struct simt_hint *hints; /* [inst_count] */
	struct simt_cta *free_ctas, *all_ctas;
	struct simt_warp *free_guests, *all_guests;
	uint64_t cta_count;
	uint32_t threads_per_cta, warps_per_cta;
	/* Local memory from SIMT_LOCAL_BASE on, and the unused stack below it: device addresses, bytes per thread and
	 * per warp. */
	uint64_t local_addr, local_bytes, local_warp_bytes;
	uint64_t below_addr, below_bytes, below_warp_bytes;
	uint32_t local_slots, *local_free, local_free_count;
	uint64_t param_addr;
	uint64_t workspace_addr; /* of a cooperative launch, else 0 */
	uint64_t steps; /* %clock without a callback */
	struct simt_check_grid *check_grid; /* NULL: no checker */
	const struct simt_apart *apart; /* the CTAs run in any order (spread.c); NULL: one after the other */
};

/* ---- operands ---- */

static inline const void *simt_row(const struct simt_warp_state *s, struct simt_ref r)
{
	return s->base[r.base] + r.off;
}

static inline void *simt_row_mut(struct simt_warp_state *s, struct simt_ref r)
{
	return (uint8_t *)s->base[SIMT_BASE_FRAME] + r.off;
}

static inline uint32_t simt_pred_get(const struct simt_warp_state *s, struct simt_pred_ref p)
{
	return p.index == SIMT_NO_PRED ? p.flip : s->pred[p.index] ^ p.flip;
}

static inline void simt_pred_set(struct simt_warp_state *s, uint32_t index, uint32_t mask, uint32_t value)
{
	if (index != SIMT_NO_PRED)
		s->pred[index] = (s->pred[index] & ~mask) | (value & mask);
}

static inline uint64_t simt_lane_get(const void *row, uint32_t bytes, uint32_t lane)
{
	return bytes == 8 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

static inline void simt_lane_set(void *row, uint32_t bytes, uint32_t lane, uint64_t v)
{
	if (bytes == 8)
		((uint64_t *)row)[lane] = v;
	else
		((uint32_t *)row)[lane] = (uint32_t)v;
}

#define SIMT_FOR_LANES(lane, mask)                                                                           \
	for (uint32_t m_##lane = (mask), lane; m_##lane && (lane = (uint32_t)__builtin_ctz(m_##lane), true); \
	     m_##lane &= m_##lane - 1)

#endif
