/* partition.h - an instruction of a warp done in parts: addresses here, data and arithmetic elsewhere (NSU, SC'17,
 * section 4.1). The near-data side computes with registers of its own and never sees the warp's.
 */
#ifndef STRATA_SIMT_PARTITION_H
#define STRATA_SIMT_PARTITION_H

#include "simt/simt.h"

/* ---- on the warp ---- */

enum { SIMT_LANE_BYTES_MAX = 32 }; /* of the widest vector access */

/* One warp load or store as it travels: where each lane goes, and its bytes as they are in memory. */
struct simt_access {
	uint32_t mask;             /* lanes that access memory: active, and guard true */
	uint32_t lane_bytes;       /* of each lane, at bytes[lane * lane_bytes] */
	uint64_t addr[SIMT_LANES]; /* device addresses of lanes of mask */
	_Alignas(16) uint8_t bytes[SIMT_LANES * SIMT_LANE_BYTES_MAX];
};

/* The warp goes on to the next instruction without executing this one, which must not be a branch. Reconverges where
 * simt_step would. */
void simt_skip(struct simt_launch *l, struct simt_warp *w);

/* The next instruction of the warp is a load or store of global memory: computes its addresses and checks them as
 * executing it would; a load's bytes are read now. No register changes and the pc stays. out is filled as by simt_step.
 * False on a fault. */
bool simt_capture(struct simt_launch *l, struct simt_warp *w, struct simt_access *a, struct simt_step *out);

/* Writes a store's bytes to memory, lanes in ascending order. The addresses were checked by simt_capture. */
void simt_access_write(const struct simt_access *a);

/* ---- elsewhere: instructions of the program with other registers ---- */

/* One instruction of the entry function to be executed with register r of the function in slot[r] (a predicate number
 * for predicates). slot NULL: a place in the list that is never run. */
struct simt_code_inst {
	uint32_t pc;
	const uint32_t *slot; /* [reg_count of the entry function] */
};

struct simt_code;
/* A register file of slot_count 32-bit registers and pred_count predicates, each of 32 lanes. */
struct simt_code_regs;

/* Decodes instructions: arithmetic, moves, loads and stores of global memory, loads of parameters and constants at a
 * fixed address that lies inside the variable. They were decoded for the program already. The program must live
 * longer. */
struct simt_code *simt_code_build(const struct simt_program *p, const struct simt_code_inst *insts, uint32_t count,
				  uint32_t slot_count, uint32_t pred_count);
void simt_code_free(struct simt_code *c);

/* Instruction inst loads parameters or a constant: true, and where it lies: a byte offset in the parameters of the
 * launch (*is_param), or the device address of the constant. */
bool simt_code_constant(const struct simt_code *c, uint32_t inst, bool *is_param, uint64_t *at_bytes);

struct simt_code_regs *simt_code_regs_new(const struct simt_code *c);
void simt_code_regs_free(struct simt_code_regs *r);
/* Every register holds something that makes results wrong. */
void simt_code_poison(const struct simt_code *c, struct simt_code_regs *r);

/* Copies register reg of the entry function between the warp, which must be in the entry function, and slot[reg] of the
 * file, on lanes of mask. */
void simt_code_send(const struct simt_launch *l, const struct simt_warp *from, struct simt_code_regs *to, uint32_t reg,
		    const uint32_t *slot, uint32_t mask);
void simt_code_return(const struct simt_launch *l, struct simt_warp *to, const struct simt_code_regs *from,
		      uint32_t reg, const uint32_t *slot, uint32_t mask);

/* Lanes of mask on which the instruction's guard, a predicate of the file, is true. */
uint32_t simt_code_mask(const struct simt_code *c, const struct simt_code_regs *r, uint32_t inst, uint32_t mask);

/* Executes instruction `inst` of the list on the lanes of mask where its guard is true. A load takes the bytes of *a,
 * a store puts them there (addresses are not touched); others ignore it. */
void simt_code_run(struct simt_launch *l, const struct simt_code *c, struct simt_code_regs *r, uint32_t inst,
		   uint32_t mask, struct simt_access *a);

#endif
