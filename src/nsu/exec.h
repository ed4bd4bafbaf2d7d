/* exec.h - values: a warp of an NSU executes NSU code with its own registers (NSU, SC'17, section 4.1.2).
 *
 * Who calls when (timing decides; the order below is all that values need):
 *   1. the GPU warp stands at begin_pc: nsu_warp_begin copies the live-ins, which the command packet carries;
 *   2. the GPU warp goes through the block: role GPU and BOTH simt_step, role NSU simt_skip, LOAD and STORE
 *      simt_capture into a struct simt_access per instruction, then simt_skip - but not past last_pc: it waits there;
 *   3. the NSU warp executes nsu_warp_next() with nsu_warp_step, a LOAD with the access captured for it; after a STORE
 *      the access holds the bytes, and simt_access_write puts them into memory;
 *   4. the NSU warp stands at END: nsu_warp_end returns the live-outs to the GPU warp, which goes on at end_pc.
 */
#ifndef STRATA_NSU_EXEC_H
#define STRATA_NSU_EXEC_H

#include "nsu/code.h"
#include "simt/partition.h"

/* The NSU code of one simt program, ready to run. */
struct nsu_program {
	const struct simt_program *program;
	struct nsu_code *code;
	struct simt_code *exec; /* instruction i of the NSU code */
	struct nsu_warp *free_warps, *all_warps;
};

/* Scoreboard ids of the GPU that OFLD.BEG reads or OFLD.END writes; returns their number, at most cap are stored. */
uint32_t nsu_block_live_in_sb(const struct nsu_program *p, uint32_t block, uint16_t *sb, uint32_t cap);
uint32_t nsu_block_live_out_sb(const struct nsu_program *p, uint32_t block, uint16_t *sb, uint32_t cap);

/* Never NULL: every instruction of a block was decoded for the GPU as well. The program must live longer. */
struct nsu_program *nsu_program_build(const struct simt_program *program, const struct nsu_code_params *params);
void nsu_program_free(struct nsu_program *p);

/* A warp of an NSU that executes one block instance. */
struct nsu_warp {
	uint32_t block;
	uint32_t inst; /* next instruction in code->insts; its address is inst * inst_bytes */
	uint32_t mask; /* active lanes, from the command packet */
	/* private */
	struct simt_code_regs *regs;
	struct nsu_warp *next_free, *next;
};

/* A warp at OFLD.BEG of the block, with its live-ins copied from home's active lanes; everything else is poison. home
 * stands at the block's begin_pc. Allocates only when the pool of the program grows. */
struct nsu_warp *nsu_warp_begin(struct nsu_program *p, const struct simt_launch *l, const struct simt_warp *home,
				uint32_t block);

static inline const struct nsu_inst *nsu_warp_next(const struct nsu_program *p, const struct nsu_warp *w)
{
	return &p->code->insts[w->inst];
}

/* Lanes that would execute the next instruction: active, and its guard true. */
uint32_t nsu_warp_mask(const struct nsu_program *p, const struct nsu_warp *w);

/* Where the parameter or constant lies that the next instruction, a CONST, loads: see simt_code_constant. */
void nsu_warp_constant(const struct nsu_program *p, const struct nsu_warp *w, bool *is_param, uint64_t *at_bytes);

/* Executes the next instruction, which is not END. LOAD and STORE: *access is the one captured for it. */
void nsu_warp_step(struct nsu_program *p, struct simt_launch *l, struct nsu_warp *w, struct simt_access *access);

/* At END: copies the live-outs to home, which waits at last_pc, moves home on to end_pc and gives w back. */
void nsu_warp_end(struct nsu_program *p, struct simt_launch *l, struct nsu_warp *w, struct simt_warp *home);
/* Gives w back, wherever it stands. */
void nsu_warp_drop(struct nsu_program *p, struct nsu_warp *w);

#endif
