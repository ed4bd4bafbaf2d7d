/* word.h - DC-PTX: the VLIW code of Duality Cache (ISCA'19, sections 3.3 and 3.4), between who makes it (dc/compile),
 * who checks it (dc/validate.c) and who runs it (the machine).
 *
 * A word has a slot for each array of a bank, and at most one operation of the C-Box (memory, crossbar, host). All
 * lanes of a control block execute the same word; a lane takes part in an operation where its guard is true. The next
 * word begins when every operation of this one has ended; its time is that of the longest.
 *
 * What an operation computes is said by a PTX instruction (`inst`) of the kernel's lowered function, whose registers
 * are only names: where the operands are is said by the operation, source by source in the order of inst->src. Inside
 * a word everything is read before anything is written. Words are executed as follows, per control block, from word 0:
 *
 *   1. begin: if flow is DC_FLOW_SKIP and flow_pred is true in no launched lane, go on at word `target`, and nothing
 *      of this word is executed. One cycle (the wired-OR).
 *   2. the slots and the C-Box operation.
 *   3. end: if flow is DC_FLOW_JUMP and flow_pred is true in any launched lane (jump_en), go on at `target`, which is
 *      not behind this word: a loop, kept in the ring buffer. DC_FLOW_END: the control block is done. Otherwise the
 *      next word.
 *
 * Lanes to which no thread was given at launch take part in nothing and count in no wired-OR; all other lanes execute
 * to the end: one that has left the kernel (ret, exit) has all masks false.
 *
 * At launch registers, predicates and spill slots hold anything: code reads nothing that it has not written in the
 * same lane, but for stale bits of lanes whose result is not used.
 */
#ifndef STRATA_DC_WORD_H
#define STRATA_DC_WORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ptx/cfg.h"

/* What an access is reckoned with where nothing is known of its place, and of one register that is spilled. A transpose
 * unit takes 128 rows for a register of 32 bits of a full control block, and an access two for an address and one for
 * data; with lines, and others who want the same unit, runs of workloads have 200 to 3,000 cycles an access, about a
 * thousand in the middle. */
enum { DC_ACCESS_CYCLES = 1000, DC_SPILL_CYCLES = 500 };

enum {
	DC_ARRAYS = 4,    /* of a bank: issue windows (3.3) */
	DC_ROWS = 256,    /* word-lines of an array */
	DC_REG_ROWS = 32, /* of a register */
	DC_REGS = DC_ROWS / DC_REG_ROWS,
	DC_SRCS = 7,  /* sources of an operation: PTX_SRC_MAX */
	DC_ELEMS = 8, /* of a vector access */
};
#define DC_NO_REG UINT8_MAX
#define DC_NO_PRED UINT16_MAX
#define DC_NO_WORD UINT32_MAX

/* A value in the registers of one array: `lo` for up to 32 bits; of 64 bits, bits 0 to 31 in lo and the others in hi,
 * any two registers of the same array. Values narrower than 32 bits are extended by the rule of simt/alu/alu.h. */
struct dc_loc {
	uint8_t array;
	uint8_t lo, hi; /* register numbers 0 to DC_REGS-1; hi DC_NO_REG: up to 32 bits; lo DC_NO_REG: no value */
};

enum dc_source_kind {
	DC_SRC_NONE,
	DC_SRC_LOC,  /* loc: in the array of the slot (the C-Box reads any array) */
	DC_SRC_PRED, /* predicate `pred`, inverted if negate */
	DC_SRC_IMM,  /* imm: the same bits in all lanes; costs no rows */
	DC_SRC_HOST, /* host value number `host`: known when the kernel is launched, then as an immediate */
	DC_SRC_SREG, /* special register inst->src[].sreg, component of the lane: only in mov; written through the TMU
		      */
};

struct dc_source {
	uint8_t kind; /* enum dc_source_kind */
	bool negate;
	struct dc_loc loc;
	uint16_t pred;
	uint32_t host;
	uint64_t imm; /* sign- or zero-extended as ptx_operand.imm */
};

/* Lanes that take part: all launched ones, or those where predicate `pred` is true (false if negate). */
struct dc_guard {
	uint16_t pred; /* DC_NO_PRED: all */
	bool negate;
};

enum dc_slot_kind {
	DC_SLOT_NONE,
	/* inst computes: every instruction that simt_alu_find knows, scalar mov, and and/or/xor/not/mov of predicates.
	 * src[k] is inst->src[k]. A source or result whose width is not that of the operation is extended or cut as
	 * simt/decode.c does (fix_source): sources by their type's sign, results by the type's. The result goes to dst
	 * (registers of this array), pred_dst (inst->dst is a predicate), pred_dst2 (inst->dst2: q of p|q). Only lanes
	 * of the guard are written. */
	DC_SLOT_ALU,
	/* dst = src[0], a location of another array whose slot of this word is DC_SLOT_BUSY. Only lanes of the guard
	 * are written: a copy is a write like any other. inst NULL. */
	DC_SLOT_COPY,
	DC_SLOT_BUSY, /* the other end of a copy, or an array that the C-Box operation reads or writes */
	/* Masks: pred_dst = a OP b of predicates or immediates 0 and 1, in all launched lanes, whatever the guard
	 * (there is none). inst NULL. */
	DC_SLOT_MASK,
};

enum dc_mask_op {
	DC_MASK_MOV, /* src[0] */
	DC_MASK_AND, /* src[0] & src[1] */
	DC_MASK_OR,  /* src[0] | src[1] */
};

/* One array's operation. */
struct dc_slot {
	uint8_t kind;    /* enum dc_slot_kind */
	uint8_t mask_op; /* enum dc_mask_op */
	uint8_t src_count;
	/* Registers of this array, a bit each, that the routine uses for itself and leaves with anything in them,
	 * beside rows above reg_rows (struct dc_kernel). */
	uint8_t scratch_regs;
	uint16_t scratch_rows; /* rows that the routine needs */
	/* How many of these rows found no room: what lies there leaves through a transpose unit, stays in it, and comes
	 * back behind the operation. The scheduler reckons with two cycles a row, in cycles here. */
	uint16_t swap_rows;
	uint16_t bits; /* n of the operation's latency: 1, 8, 16, 32, 64 */
	struct dc_guard guard;
	const struct ptx_inst *inst;
	struct dc_loc dst; /* may share registers with sources: the routine then delivers last */
	uint16_t pred_dst, pred_dst2;
	struct dc_source src[4];
	uint32_t reg;    /* COPY: the register of func whose value it is */
	uint32_t cycles; /* expected latency, what the scheduler reckoned with */
};

enum dc_box_kind {
	DC_BOX_NONE,
	DC_BOX_MEMORY, /* inst: ld, st, atom, red and their kind; of .param what the host cannot load */
	DC_BOX_SPILL,  /* src[0] to the lane's spill slot(s) `spill` */
	DC_BOX_FILL,   /* the lane's spill slot(s) `spill` to dst[0] */
	/* inst: shfl, vote, match, redux, activemask, elect among the 32 lanes of a warp, with the lanes of the guard
	 * as those that are active there. pred_dst, dst as the instruction says. */
	DC_BOX_WARP,
	/* inst: bar, barrier (sync, arrive, red): the lanes of the guard are those that arrive. A control block is in
	 * lock step, so sync does nothing if all are there: of each CTA the warps with a lane of `comes`, or as many
	 * threads as the barrier's count says. If not, others would come later: a fault. bar.red answers. */
	DC_BOX_BARRIER,
	DC_BOX_FENCE, /* inst: membar, fence; earlier accesses are done anyway: blocking execution */
	DC_BOX_CALL, /* inst: call of a function that the host serves (simt_builtin_is); src: the arguments' values, dst
			and elems: results */
	DC_BOX_TRAP, /* inst: trap, brkpt; with sources: src[0] is no label's number of the src[1] that brx has */
};

/* The operation of the C-Box. It occupies every array that it reads or writes: their slots are DC_SLOT_BUSY. */
struct dc_box {
	uint8_t kind; /* enum dc_box_kind */
	uint8_t src_count, elem_count;
	struct dc_guard guard;
	const struct ptx_inst *inst;
	/* MEMORY: src[0] is the address without inst->src[0].offset (which `offset` holds): a LOC of 64 or 32 bits, IMM
	 * or HOST; NONE: the offset is all of it. Then a store's elements, an atomic's operands, in the order of
	 * inst->src, a VEC element by element. Addresses are relative to the space of `space`. */
	struct dc_source src[2 + DC_ELEMS];
	int64_t offset;            /* variable included, where it is one of .shared or .local; see dc_var */
	const struct ptx_var *var; /* NULL, or a .global or .const variable whose address is added */
	/* src[0] is an offset of 32 bits, signed, and the last source, HOST or IMM, is the base that it is added to. */
	bool has_base;
	/* enum ptx_space: GLOBAL, CONST, SHARED, LOCAL, PARAM_ENTRY of a place in the launch's block, or NONE: generic,
	 * windows of simt/memory.h */
	uint8_t space;
	struct dc_loc dst[DC_ELEMS]; /* a load's elements (lo DC_NO_REG: sink) */
	uint16_t pred_dst;           /* predicate result; DC_NO_PRED */
	uint16_t comes; /* BARRIER: predicate of the lanes that may still come to a barrier; DC_NO_PRED: all */
	uint32_t reg;                /* SPILL, FILL: the register of func whose value it is */
	uint32_t spill;              /* SPILL, FILL: 32-bit slot of the lane; 64-bit values: this and the next */
	uint32_t cycles;             /* expected */
};

enum dc_flow { DC_FLOW_NEXT, DC_FLOW_SKIP, DC_FLOW_JUMP, DC_FLOW_END };

struct dc_word {
	struct dc_slot slot[DC_ARRAYS];
	struct dc_box box;
	uint8_t flow;       /* enum dc_flow */
	bool is_loop_begin; /* the target of a JUMP: the host keeps the words from here to it in the ring */
	uint16_t flow_pred;
	uint32_t target;     /* SKIP, JUMP: word */
	uint32_t block;      /* of kernel->cfg, whose code this is */
	bool is_edge;        /* after the last instruction of the block: masks of its successors */
	uint32_t loop_words; /* JUMP: words of the loop; more than the ring holds are fed again in every round */
};

/* A value that is equal in the whole grid: the host core computes them in order at launch, before word 0. */
struct dc_host_value {
	const struct ptx_inst *inst; /* an instruction as in DC_SLOT_ALU, or ld.param, ld.const of a fixed address */
	uint32_t reg;                /* the register of func that it stands for */
	uint8_t src_count;
	/* IMM, HOST, or SREG (only %ntid, %nctaid and what else is the same everywhere). A variable's address is
	 * inst->src[k] of kind PTX_OPND_VAR with kind NONE here. ld: nothing. */
	struct dc_source src[4];
};

/* Where the kernel's .shared and .local variables are: offset in the CTA's or the lane's segment. */
struct dc_var {
	const struct ptx_var *var;
	uint64_t offset_bytes;
};

/* A block of cfg in the order of words: words [first, edge) compute, [edge, end) make the masks of its successors. */
struct dc_range {
	uint32_t block, first, edge, end;
};

struct dc_counts {
	uint32_t insts;      /* of the lowered function */
	uint32_t words, ops; /* ops: slots that compute */
	uint32_t copies, masks, skips, loops;
	uint32_t accesses; /* C-Box memory operations of the program, without: */
	uint32_t spills, fills;
	uint32_t host_ops; /* instructions that the host computes */
	uint32_t swap_rows;
	uint32_t unrolled; /* loops */
	uint32_t split;    /* blocks that were copied, so that loops have one entry */
	uint32_t balanced; /* chains that became trees */
	uint32_t kept;     /* conversions of floats that are left out between additions */
	uint32_t converted; /* of floats that are operations of their own */
	uint64_t cycles;   /* expected, each word once */
	uint64_t weight;   /* the same, of loops eight rounds */
};

/* A compiled kernel. Immutable; owned by whoever compiled it, freed by dc_kernel_free. */
struct dc_kernel {
	const char *name;
	const struct ptx_func *source; /* the entry function as written */
	/* Lowered: calls inlined, loops unrolled, what no array computes replaced by what it does. inst of words and
	 * host values are of its insts; line is that of the source instruction. */
	struct ptx_func *func;
	struct ptx_cfg *cfg;  /* of func */
	uint32_t array_count; /* 1: the plain translator: four times the threads; 4 */
	struct dc_word *words;
	uint32_t word_count;
	struct dc_range *ranges; /* in the order of words; words between ranges are masks of loops, and skips */
	uint32_t range_count;
	uint32_t pred_count; /* predicates; each has one row in every array: row DC_ROWS - 1 - number */
	uint32_t
	    reg_count[DC_ARRAYS]; /* registers named in an array: 0 to this - 1, register r in rows 32 r .. 32 r + 31 */
	uint32_t reg_rows[DC_ARRAYS]; /* rows of them; rows from here to DC_ROWS - pred_count are scratch for all */
	uint32_t spill_slots;         /* 32 bits each, per lane */
	struct dc_host_value *hosts;
	uint32_t host_count;
	struct dc_var *vars;
	uint32_t var_count;
	uint64_t shared_bytes; /* static; .extern .shared arrays lie behind */
	uint64_t local_bytes;  /* per lane, without spills */
	uint64_t param_bytes;
	const struct ptx_var *param_block; /* stands for the address of the launch's parameters; NULL: unasked */
	bool has_barrier, has_warp_ops, has_shared; /* any of them: a CTA must fit one control block */
	uint64_t *is_host; /* bit set over func->regs: the value is a host value, in no array */
	uint64_t *is_kept; /* the same: a float whose mantissa lies in two's complement, array/complement.h */
	bool has_table_roots; /* approximate ones: dc_use_table_roots */
	bool splits_fma;      /* it was compiled with fma as mul and add */
	bool is_open; /* those are open numbers: array/open.h */
	uint32_t *host_of; /* [func->reg_count]: number of the host value, UINT32_MAX */
	struct dc_counts counts;
	void *owned; /* private to the compiler */
};

#endif
