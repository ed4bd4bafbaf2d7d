/* simt.h - what a warp computes: decoded programs, warps, CTAs, and one step at a time.
 *
 * A program is an entry function with everything it can call, decoded once: PCs index one instruction array. A warp
 * executes one instruction per simt_step, values and memory included; the caller (the SM's timing model, or the
 * functional runner) decides when. The step reports what the timing model needs: the instruction, the lanes, the
 * addresses. Nothing in simt/ knows time; %clock and %globaltimer come from the launch's callback.
 *
 * Reconvergence: a SIMT stack per warp with reconvergence at the immediate post-dominator. Lanes that wait in
 * bar.warp.sync or *.sync with a partial mask (independent thread scheduling) are handled as docs/execution.md says.
 */
#ifndef STRATA_SIMT_SIMT_H
#define STRATA_SIMT_SIMT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "ptx/cfg.h"
#include "ptx/ptx.h"
#include "simt/alu/alu.h"
#include "simt/memory.h"

enum { SIMT_LANES = 32, SIMT_FULL_MASK_BITS = 32 };
#define SIMT_FULL_MASK UINT32_MAX

/* Lanes of a mask, most often all. Where there is no instruction for it, the builtin calls a function of a table. */
static inline uint32_t simt_lane_count(uint32_t mask)
{
	if (mask == SIMT_FULL_MASK)
		return SIMT_LANES;
#ifdef __POPCNT__
	return (uint32_t)__builtin_popcount(mask);
#else
	mask -= mask >> 1 & 0x55555555u;
	mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
	return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
#endif
}

/* ---- modules ---- */

/* A PTX module placed in device memory: every .global and .const variable has an address and its initial value. */
struct simt_module;

struct simt_module *simt_module_load(const struct ptx_module *ptx, struct simt_memory *mem,
				     struct base_diag_list *diag);
void simt_module_unload(struct simt_module *m); /* releases the variables; programs of it must be gone */
/* Device address and size of a module-scope variable; false if there is none of this name. A .texref or .surfref
 * variable is 8 bytes that hold an object's handle (simt/texture.h). */
bool simt_module_var(const struct simt_module *m, const char *name, uint64_t *addr, uint64_t *size_bytes);

/* ---- programs ---- */

enum simt_inst_flags {
	SIMT_LOAD = 1 << 0,	/* reads memory: ld, tex, suld, atom */
	SIMT_STORE = 1 << 1,	/* writes memory: st, sust, red, atom */
	SIMT_ATOMIC = 1 << 2,	/* atom, red */
	SIMT_BRANCH = 1 << 3,	/* may change the warp's pc: bra, brx, call, ret, exit, trap */
	SIMT_BARRIER = 1 << 4,	/* CTA barrier (bar/barrier sync, red; arrive does not wait) */
	SIMT_FENCE = 1 << 5,	/* membar, fence */
	SIMT_EXIT = 1 << 6,
	SIMT_BLOCK_BEGIN = 1 << 7, /* a near-data mechanism marked this pc, see simt_program_mark */
	SIMT_SHUFFLE = 1 << 8,
	SIMT_MATRIX = 1 << 9,	/* wmma.load, wmma.store, ldmatrix, stmatrix: the warp accesses one matrix together */
	SIMT_COPY = 1 << 10,	/* cp.async: global memory to shared memory, nothing waits for it but: */
	SIMT_COPY_WAIT = 1 << 11, /* issues when all but the last `groups` groups of the warp's copies are done */
	SIMT_COPY_COMMIT = 1 << 12, /* the copies since the last one are a group */
	SIMT_SPILL = 1 << 13,	/* a load or store of a register that is kept in local memory */
	SIMT_KERNEL_PARAM = 1 << 14, /* a load of a kernel's parameter, not of a function's */
	SIMT_OUTSIDE = 1 << 15, /* may touch more than its warp, the CTA's shared memory and barriers, but for reading
				 * global memory by simt_beside_step */
	SIMT_FROM_SHARED = 1 << 16, /* a store to global memory whose data is in shared memory: cp.async.bulk */
};

enum { SIMT_GROUPS_NONE = UINT8_MAX };

/* Kinds of arithmetic that may have latencies of their own within a unit. */
enum simt_kind {
	SIMT_KIND_MOVE, /* moves, logic, shifts, comparisons, conversions, branches: all that is none of these */
	SIMT_KIND_ADD, SIMT_KIND_MUL, SIMT_KIND_MAD, SIMT_KIND_MINMAX,
	SIMT_KIND_COUNT
};

/* Memory space of a memory instruction as decoded; generic resolves per access. */
enum simt_space { SIMT_MEM_NONE, SIMT_MEM_GLOBAL, SIMT_MEM_SHARED, SIMT_MEM_LOCAL, SIMT_MEM_CONST, SIMT_MEM_PARAM,
		  SIMT_MEM_GENERIC, SIMT_MEM_TEXTURE };

/* The part of a decoded instruction that timing reads; execution's part is private to simt/. 32 bytes. */
struct simt_inst {
	uint32_t flags;
	uint8_t unit;	     /* enum simt_unit */
	uint8_t issue_slots;
	uint8_t step_unit;   /* enum simt_unit that all issue slots but the first hold: special functions are refined on
			      * the floating-point unit, others stay on their own */
	uint8_t space;	     /* enum simt_space */
	uint8_t access_bytes; /* per lane and element: 1, 2, 4, 8, of matrices to 32; whole vector: times vec */
	uint8_t vec;
	uint8_t cache;	     /* enum ptx_cache */
	uint8_t sem;	     /* enum ptx_sem */
	uint8_t read_count, write_count;
	uint8_t kind;	     /* enum simt_kind */
	union {
		uint8_t barrier_id_imm;
		uint8_t groups; /* of SIMT_COPY_WAIT; SIMT_GROUPS_NONE: uncommitted copies must be done too */
	};
	uint32_t sb_first;   /* scoreboard ids at program->sb[sb_first]: read_count reads, then write_count writes */
	uint32_t line;	     /* in the PTX text */
	const struct ptx_inst *ptx;
	uint32_t func;	     /* index of the function in the program */
	uint32_t mark;	     /* simt_program_mark value, 0 = none */
};

/* Threads that a CTA can have on GPUs (CUDA programming guide, compute capability 2.0 and later). */
enum { SIMT_CTA_THREADS_MAX = 1024 };

/* Registers that a thread of real hardware can have (CUDA programming guide, compute capability 3.5 and later). */
enum { SIMT_REGISTER_MAX = 255 };

/* What the program's registers are allocated for. */
struct simt_register_bounds {
	uint32_t free_count; /* registers per thread that cost no warps: live ranges are whole up to here */
	uint32_t max;	     /* beyond, registers are spilled to local memory */
};

struct simt_program {
	const char *name; /* kernel name */
	const struct ptx_func *entry;
	const struct simt_inst *insts;
	uint32_t inst_count;
	/* Scoreboard ids: register slot s of the frame-relative window, or sb_pred_first + predicate. */
	const uint16_t *sb;
	/* 32-bit registers per thread incl. deepest static call chain, at most SIMT_REGISTER_MAX: what a CTA
	 * allocates. More than the bound only where spilling cannot reach it. */
	uint32_t slot_count;
	uint32_t needed_count; /* what spilling reached: above the bound, and above slot_count, where it could not */
	uint32_t spill_bytes_per_thread; /* of local_bytes_per_thread, those that hold spilled registers */
	uint32_t pred_count;
	uint32_t sb_count;   /* all scoreboard ids are below this */
	uint32_t sb_pred_first;
	uint64_t shared_static_bytes, local_bytes_per_thread, param_bytes;
	uint32_t max_threads_per_cta; /* from .maxntid/.reqntid, else UINT32_MAX: what the device has */
	bool threads_communicate; /* within a CTA: shared memory, a barrier, a warp-wide instruction */
	const struct ptx_cfg *entry_cfg;     /* pc of the entry function's instruction i is i */
	const struct ptx_alloc *entry_alloc;
	/* What the near-data mechanism of this run found out about the program, made at its first launch. Owned by the
	 * program; simt_program_free calls guest_free (when not NULL) on it. */
	void *guest_data;
	/* It replaces a program of the same kernel that was launched: what counts once per kernel is counted. */
	bool is_again;
	void (*guest_free)(void *guest_data);
};

/* May a thread wait for what another CTA's thread does: does a loop poll memory, or take a lock? Decided by the code
 * alone, and on the safe side. */
bool simt_program_may_wait(const struct simt_program *p);

/* Decodes entry and what it calls. bounds: NULL: whole live ranges, and SIMT_REGISTER_MAX. NULL with messages
 * (unsupported instruction with its line, undefined function). */
struct simt_program *simt_program_build(const struct simt_module *m, const char *entry, enum simt_isa isa,
					const struct simt_register_bounds *bounds, struct base_diag_list *diag);
void simt_program_free(struct simt_program *p);

/* True for a function that the device's run-time provides or would, which no module has to define: vprintf, malloc,
 * free, __assertfail, and what CUDA's device runtime library calls, of which some is there (child.c). */
bool simt_builtin_is(const char *name);

/* Marks the pc where a near-data block begins (the mechanism's block number + 1); 0 takes the mark away. */
void simt_program_mark(struct simt_program *p, uint32_t pc, uint32_t value);

/* ---- faults ---- */

enum simt_fault_kind {
	SIMT_FAULT_NONE,
	SIMT_FAULT_ADDRESS,    /* outside every allocation, window or the CTA's shared memory */
	SIMT_FAULT_ALIGNMENT,
	SIMT_FAULT_TRAP,
	SIMT_FAULT_ASSERT,     /* __assertfail */
	SIMT_FAULT_BARRIER,    /* deadlock: all live warps wait and none can go on */
	SIMT_FAULT_STACK,      /* call depth or local memory exhausted */
	SIMT_FAULT_INSTRUCTION, /* a call through a pointer that is no function */
	SIMT_FAULT_STOPPED,    /* interrupted by the user */
	SIMT_FAULT_TIMEOUT,    /* ended by a limit of time */
};

struct simt_fault {
	enum simt_fault_kind kind;
	char text[2048]; /* one message: kernel, PTX line, CTA and thread, address, nearest allocation */
};

/* ---- launches, CTAs, warps ---- */

struct simt_textures; /* texture and surface objects: simt/texture.h */

/* A grid that a thread of a kernel asks for (dynamic parallelism). */
struct simt_child {
	const struct ptx_func *func;
	uint32_t grid[3], block[3], shared_dynamic_bytes;
	const uint8_t *params; /* func->param_bytes, for the time of the call */
};

/* What threads ask of the device's run-time besides. The arguments are those of the function in CUDA's device runtime
 * with that name, without the address of a result. */
enum simt_ask_kind {
	SIMT_ASK_LAUNCH, /* (buffer, stream), with child */
	SIMT_ASK_STREAM_CREATE,
	SIMT_ASK_STREAM_DESTROY,
	SIMT_ASK_STREAM_WAIT,
	SIMT_ASK_EVENT_CREATE,
	SIMT_ASK_EVENT_RECORD,
	SIMT_ASK_EVENT_DESTROY,
	SIMT_ASK_LIMIT,
	SIMT_ASK_FUNC_ATTRIBUTE,
	SIMT_ASK_MAX_BLOCKS,
	SIMT_ASK_CACHE_CONFIG,
	SIMT_ASK_SHARED_CONFIG,
	SIMT_ASK_DEVICE_COUNT,
	SIMT_ASK_DEVICE,
	SIMT_ASK_DEVICE_ATTRIBUTE,
	SIMT_ASK_LAST_ERROR, /* the answer is the error itself */
	SIMT_ASK_SET_ERROR,
};

struct simt_ask {
	enum simt_ask_kind kind;
	uint64_t block, thread; /* who asks: numbers within the grid */
	uint64_t args[4];
	const struct simt_child *child;
	const struct ptx_func *func; /* the kernel whose address an argument is, NULL if it is none */
	uint64_t result;
};

struct simt_launch {
	const struct simt_program *program;
	struct simt_memory *mem;
	const struct simt_textures *textures; /* objects that handles mean; NULL: none */
	uint32_t grid[3], block[3];
	uint32_t cta_threads_max; /* of the device; 0: SIMT_CTA_THREADS_MAX */
	const uint8_t *params; /* program->param_bytes */
	uint32_t shared_dynamic_bytes;
	uint32_t stack_bytes; /* local memory per thread at least, where the program has any */
	uint64_t grid_id;
	uint32_t sm_count;     /* %nsmid */
	uint64_t (*clock_cycles)(void *ctx, uint32_t smid); /* %clock64; NULL: counts steps */
	uint64_t (*time_ns)(void *ctx);		      /* %globaltimer; NULL: 0 */
	void *clock_ctx;
	void (*print)(void *ctx, const char *text, uint32_t bytes); /* vprintf output, whole strings */
	void *print_ctx;
	/* Answers a thread: 0, or an error by the numbers between CUDA's device runtime and the driver. NULL: nothing
	 * can be asked. */
	uint32_t (*ask)(void *ctx, struct simt_ask *a);
	void *ask_ctx;
	struct simt_fault fault; /* first fault; the launch is over when kind != NONE */
	bool is_cooperative;
	const volatile int *stop; /* NULL or: not 0 when the device was told to end the launch */
	/* What turns (simt/turn.h) have done as host code, and why the last one was not; the program's text. */
	uint64_t compiled_warp_instructions;
	const char *interpreted_why;
	bool is_spread; /* several threads have run its CTAs (simt_limit.team) */
	/* Private execution state (heap, hints), created by simt_launch_begin. */
	struct simt_launch_state *state;
};

/* Checks dimensions against the program, prepares constant rows and local memory for at most resident_warp_count
 * warps at a time. False with a message for the user. */
bool simt_launch_begin(struct simt_launch *l, uint32_t resident_warp_count, struct base_diag_list *diag);
void simt_launch_end(struct simt_launch *l);

struct simt_cta;

/* One warp. Fields above "private" may be read by everybody; slots of finished warps are reused. */
struct simt_warp {
	uint32_t pc;	       /* next instruction of the top of the SIMT stack */
	uint32_t active_mask;  /* lanes that execute it */
	uint32_t live_mask;    /* lanes not exited */
	uint32_t index_in_cta; /* %warpid is this */
	bool is_done;	       /* all lanes exited */
	bool at_barrier;       /* waits for a CTA barrier; cleared when it opens */
	uint8_t barrier_id;
	uint16_t stack_depth;  /* SIMT stack entries in use; 1 = not diverged */
	struct simt_cta *cta;
	uint32_t smid, slot;   /* set by the owner */
	void *owner;	       /* the timing model's warp */
	uint64_t instruction_count; /* warp instructions stepped */
	/* private */
	struct simt_warp_state *state;
};

/* Bytes of which the mbarrier at this offset of the CTA's shared memory is to hear when they are there; 0: none. */
struct simt_complete {
	uint64_t at;
	uint32_t bytes;
};

/* What one step did. */
struct simt_step {
	const struct simt_inst *inst;
	uint32_t pc;
	uint32_t exec_mask;    /* lanes that really executed it (active and guard true) */
	uint32_t access_mask;  /* memory: lanes that accessed memory (exec_mask but for sinks and textures) */
	uint8_t space; /* enum simt_space, generic resolved; a generic access that mixes spaces reports GLOBAL for
			* its global lanes and access_mask covers only them; shared_mask the others */
	uint32_t shared_mask;
	bool barrier_opened;   /* this step completed a CTA barrier: the cta's waiting warps run again */
	bool branched;	       /* pc is not the next instruction */
	uint64_t addr[SIMT_LANES]; /* memory: per lane byte address: device address (global, const, texture), offset
				    * (shared), backing device address (local); valid for access_mask | shared_mask */
	/* of SIMT_COPY, lanes that write shared memory, of SIMT_FROM_SHARED, lanes that read it, and the offset there;
	 * the lanes of a bulk copy are parts of what one thread copies */
	uint32_t copy_mask;
	uint64_t copy_at[SIMT_LANES];
	struct simt_complete complete; /* of SIMT_COPY, where the warp has an owner */
};

/* The bytes have come: the mbarrier counts them. */
void simt_mbarrier_complete(struct simt_cta *c, const struct simt_complete *what);

struct simt_warp *simt_cta_warp(struct simt_cta *c, uint32_t index);
uint32_t simt_cta_warp_count(const struct simt_cta *c);
bool simt_cta_is_done(const struct simt_cta *c);

/* Takes a CTA from the launch's pool, ready to run at pc 0. Allocation only when the pool grows. */
struct simt_cta *simt_cta_begin(struct simt_launch *l, uint64_t linear_index, uint32_t smid);
void simt_cta_end(struct simt_cta *c);
/* Can one more CTA begin? As many as resident_warp_count has room for may be there at a time. */
bool simt_cta_has_room(const struct simt_launch *l);

/* The instruction the warp would execute next. */
static inline const struct simt_inst *simt_next(const struct simt_launch *l, const struct simt_warp *w)
{
	return &l->program->insts[w->pc];
}

/* Executes one instruction of the warp. Must not be called when done or at_barrier. On a fault sets l->fault and
 * returns false; the warp must not be stepped again. */
bool simt_step(struct simt_launch *l, struct simt_warp *w, struct simt_step *out);

/* ---- steps of several threads of the host beside each other ---- */

/* A launch as one of them sees it: with a fault of its own. Zeroed: none yet. */
struct simt_beside {
	struct simt_launch launch;
};

/* Makes it a view of a launch that has begun, and has no fault; frees what it holds, begun or not. */
void simt_beside_begin(struct simt_beside *b, const struct simt_launch *l);
void simt_beside_end(struct simt_beside *b);

/* What a step has read of global memory. */
struct simt_reading {
	uint32_t mask; /* 0: nothing */
	uint32_t frame_at;
	uint64_t first, last; /* bytes */
	struct simt_warp *warp;
	const struct simt_exec *exec;
	uint64_t addr[SIMT_LANES];
};

/* simt_step of an instruction without SIMT_OUTSIDE, while other threads step warps of other CTAs of the launch. A fault
 * is b->launch's. */
bool simt_beside_step(struct simt_beside *b, struct simt_warp *w, struct simt_step *out, struct simt_reading *r);
/* Memory has changed since: the step's registers get what is there now. Nothing may have used them meanwhile. */
void simt_read_again(const struct simt_reading *r);
/* The bytes of global memory that the step may have written: from *first to *last; false: none. */
bool simt_written(const struct simt_step *step, uint64_t *first, uint64_t *last);

/* How kernels run without timing: with the interpreter, as host code, or as host code once they have run for long. */
enum simt_host_code { SIMT_CODE_AUTO, SIMT_CODE_INTERPRETED, SIMT_CODE_COMPILED };

/* What ends a launch without timing from outside. */
struct simt_limit {
	const volatile int *stop; /* NULL or: not 0 */
	uint64_t warp_instructions, thread_instructions; /* the counter has come so far; 0: no limit */
	uint32_t turn_instructions; /* of a warp before another one has its turn; 0: as many as are fast */
	uint32_t resident_ctas; /* that take turns from the beginning; 0: one after the other */
	enum simt_host_code code;
	/* Hears of every step, after it; NULL: nobody looks on. */
	void (*observe)(void *self, const struct simt_warp *w, const struct simt_step *step);
	void *self;
	struct sim_team *team; /* runs CTAs that cannot tell in which order they run; NULL: one after the other */
	uint32_t team_items;   /* of it, at most SIM_TEAM_MAX are used */
};

/* The whole launch without timing: CTAs in order, warps take turns. Returns false on a fault. *warp_instruction_count
 * is counted up with every instruction, *thread_instruction_count is added to. Where the limit (which may be NULL) ends
 * it, the fault is SIMT_FAULT_STOPPED and its text what simt_where_end writes. */
bool simt_run_functional(struct simt_launch *l, uint64_t *warp_instruction_count, uint64_t *thread_instruction_count,
			 const struct simt_limit *limit);

/* Where warps stand, for a launch that is ended from outside. */
struct simt_where *simt_where_new(const struct simt_launch *l);
void simt_where_add(struct simt_where *where, const struct simt_warp *w);
/* Appends "; 32 warps at a.cu:12, a.ptx line 40 (bra $L1;), first CTA (0,0,0) warp 0; ..." to text, most warps first.
 * Frees where. */
void simt_where_end(struct simt_where *where, char *text, size_t size_bytes);

/* Value of a register slot (first of two for 64 bits) in one lane, for conditions that hardware reads from the register
 * file. sb is a scoreboard id of the warp's current function; bytes is 4 or 8. */
uint64_t simt_warp_slot_value(const struct simt_warp *w, uint16_t sb, uint32_t bytes, uint32_t lane);

/* Lanes, and their device addresses (addr[SIMT_LANES]), that the warp's next instruction would read or write in global
 * or local memory or in a texture; 0 when it would not. Nothing is executed or changed; what the access itself would be
 * refused for is found when it executes. */
uint32_t simt_peek_access(struct simt_launch *l, struct simt_warp *w, uint64_t *addr);
/* This is simt_peek_access for the instruction at pc of the warp's function, by the registers that it has now. */
uint32_t simt_peek_access_at(struct simt_launch *l, struct simt_warp *w, uint32_t pc, uint64_t *addr);

/* ---- a CTA that moves to another SM (context.c) ---- */

/* Do its lanes stand at different places? */
bool simt_warp_is_diverged(const struct simt_warp *w);
/* What of a CTA another SM needs: its shared memory, and of every warp that has not ended the registers of its live
 * lanes, the predicates, and a mask and two PCs per SIMT stack entry. */
uint64_t simt_cta_context_bytes(const struct simt_launch *l, const struct simt_cta *c);
/* A hash of the same, for comparing a CTA's state before and after. */
uint64_t simt_cta_digest(const struct simt_launch *l, const struct simt_cta *c);
/* The CTA is now on this SM: what its warps read of %smid. */
void simt_cta_move(struct simt_launch *l, struct simt_cta *c, uint32_t smid);

/* ---- near-data execution of a block of instructions ---- */

/* A guest is a warp context elsewhere (a stack SM, an NSU) that starts with only the registers that travelled. It
 * shares the home warp's CTA identity. All other registers and predicates hold poison (a pattern that makes results
 * wrong). */
struct simt_warp *simt_guest_begin(struct simt_launch *l, const struct simt_warp *home, uint32_t begin_pc,
				   uint32_t mask, const uint16_t *live_in_sb, uint32_t live_in_count, uint32_t smid);
/* A warp runs the first instructions of a block on trial: simt_trial_begin remembers where its lanes are, and
 * simt_trial_undo brings them back there, joined. Registers keep what the trial wrote: the guest made before the trial
 * has those that the block needs. The warp must not have left the block. */
void simt_trial_begin(struct simt_warp *w);
void simt_trial_undo(struct simt_warp *w);
/* A guest that is not wanted after all. */
void simt_guest_drop(struct simt_launch *l, struct simt_warp *guest);
/* True when the guest, at its outermost divergence level, has reached end_pc (or all its lanes are done). */
bool simt_guest_reached(const struct simt_warp *guest, uint32_t end_pc);
/* Copies the live-outs of the guest's lanes back into the home warp, sets the home's pc to end_pc, frees the guest. */
void simt_guest_end(struct simt_launch *l, struct simt_warp *home, struct simt_warp *guest, uint32_t end_pc,
		    const uint16_t *live_out_sb, uint32_t live_out_count);

#endif
