/* alu.h - what one PTX arithmetic instruction computes on the 32 lanes of a warp, as pure functions on rows.
 *
 * A row is 32 lanes: uint32_t[32] (128 bytes) for types up to 32 bits, uint64_t[32] (256 bytes) for 64-bit types, both
 * 64-byte aligned. A value narrower than 32 bits sits in the low bits of its 32-bit lane; a writer of such a value
 * sign- or zero-extends it per the instruction's type (b8/b16/f16/bf16: zero), a reader looks at the low bits only.
 *
 * Lanes outside mask are neither written nor allowed to fault; rows of sources and destination may be the same row.
 * Every function exists in three builds of the same source (portable, AVX2, AVX-512) that agree bit for bit.
 */
#ifndef STRATA_SIMT_ALU_ALU_H
#define STRATA_SIMT_ALU_ALU_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

enum simt_isa { SIMT_ISA_PORTABLE, SIMT_ISA_AVX2, SIMT_ISA_AVX512, SIMT_ISA_COUNT };

/* Best ISA that this host can run; STRATA_ISA=portable|avx2|avx512 in the environment lowers it (read once by the
 * caller, passed here as name; NULL = best). An unknown or unavailable name returns SIMT_ISA_COUNT. */
enum simt_isa simt_isa_choose(const char *name);
bool simt_isa_available(enum simt_isa isa);

/* d: destination row (NULL for instructions that only return a mask). src: up to 4 source rows.
 * aux: see aux_kind. Returns the result mask where the instruction has one (setp: lanes where true; add.cc and the
 * like: carry out; shf etc.: 0), bits outside mask are zero. */
typedef uint32_t (*simt_alu_fn)(void *d, const void *const *src, uint32_t mask, uint32_t aux);

enum simt_alu_aux {
	SIMT_AUX_CONST, /* pass simt_alu.aux */
	SIMT_AUX_PRED,  /* pass the predicate operand's mask (selp, slct has rows instead; setp with boolop: operand c)
			 */
	SIMT_AUX_CARRY, /* pass the carry mask (addc, subc, madc) */
};

/* What execution resources the instruction uses; latencies and intervals are parameters of the SM. */
enum simt_unit {
	SIMT_UNIT_INT,	/* add, logic, shift, compare, select, move, min/max */
	SIMT_UNIT_IMUL, /* 32-bit mul/mad, dp4a */
	SIMT_UNIT_FP32,
	SIMT_UNIT_FP64,
	SIMT_UNIT_SFU,	/* rcp, rsqrt, sqrt, sin, cos, ex2, lg2, tanh approximations; f32/f64 div and sqrt sequences */
	SIMT_UNIT_LDST,
	SIMT_UNIT_CTRL, /* branch, call, ret, exit, barrier, vote, shuffle goes to LDST */
	SIMT_UNIT_TENSOR, /* mma, wmma.mma */
	SIMT_UNIT_COUNT
};

struct simt_alu {
	simt_alu_fn fn;
	enum simt_alu_aux aux_kind;
	uint32_t aux;
	enum simt_unit unit;
	uint8_t issue_slots; /* how many times the unit's initiation interval it holds the unit (64-bit int mul 4, IEEE
			      * division sequences 8, ...): documented beside the table */
	/* 4 or 8: width of the rows expected. 0: no row (unused; an immediate that aux carries). 1: the predicate
	 * operand, passed as aux; src[i] is then not read. lop3 with a predicate has its table as src[3] and the
	 * predicate, operand 4, in aux. cvt and selp read and write rows of these widths whatever the registers' own
	 * widths: the caller narrows or widens. */
	uint8_t src_bytes[4], dst_bytes;
	bool returns_mask; /* the result (setp) or a second result (carry) is the returned mask */
};

/* Finds the function for an instruction with its types and modifiers. Returns false for instructions that are not
 * arithmetic on rows (memory, control, warp-wide) and for unsupported combinations (*why then says which; static).
 *
 * setp p|q: the function returns p; q follows from p, the operand c and the lanes of mask: without boolop ~p, .and
 * c & ~p, .or c | ~p, .xor ~p. Types f16x2 and bf16x2 have no such rule: d then points to a uint32_t that receives q.
 */
bool simt_alu_find(const struct ptx_inst *inst, enum simt_isa isa, struct simt_alu *alu, const char **why);

#endif
