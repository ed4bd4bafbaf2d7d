/* ops.h - the operations of an array (ops.def): which one a PTX instruction is, its widths, base cycles and rows. */
#ifndef STRATA_DC_OPS_H
#define STRATA_DC_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

enum dc_op {
#define DC_OP(id, text, kind, base, usual, scratch, source) DC_OP_##id,
#include "dc/ops.def"
#undef DC_OP
	DC_OP_COUNT
};

enum dc_op_kind { DC_KIND_INT, DC_KIND_FLOAT, DC_KIND_PRED };

/* How conversions round. */
enum dc_direction { DC_TO_NEAREST, DC_TO_ZERO, DC_TO_LOWER, DC_TO_UPPER };

/* What an instruction asks of an array. */
struct dc_use {
	enum dc_op op;
	uint8_t n;    /* bits: of the integer, or e + m; FLOAT_TO_FLOAT: of the wider one */
	uint8_t e, m; /* FLOAT: bits of exponent, of mantissa with the hidden one */
	uint8_t to_e, to_m; /* FLOAT_TO_FLOAT: of the result */
	uint8_t rounding;   /* of conversions from floating point: enum dc_direction */
	uint8_t bits; /* of the integer side of a conversion from or to floating point */
	bool is_signed;
	bool is_difference; /* FADD: the second operand's sign is turned over */
	uint8_t times; /* 2: a pair, one half after the other */
	/* FADD, FMA, rounded to nearest: whose mantissas lie in two's complement (array/complement.h): DC_KEPT_A, B,
	 * C of operands, DC_KEPT_RESULT. COMPLEMENT: the one of A and RESULT that does. DC_KEPT_OPEN: these are
	 * open numbers (array/open.h). */
	uint8_t kept;
	bool is_approx; /* of f32: PTX leaves the last digits open */
	bool flushes;	/* .ftz: denormals are zero whatever the machine does */
	uint16_t least; /* exponent of the least normal number of a result that is rounded below it too; 0: none */
};

enum { DC_KEPT_A = 1, DC_KEPT_B = 2, DC_KEPT_C = 4, DC_KEPT_OPERANDS = 7, DC_KEPT_RESULT = 8, DC_KEPT_OPEN = 16 };

struct dc_arith {
	uint32_t cordic_iterations; /* k */
	bool is_truncated;	    /* else rounded to nearest */
	bool flushes;		    /* denormals of f16 and f64 become zero: the paper's numbers */
};

const char *dc_op_name(enum dc_op op);
enum dc_op_kind dc_op_kind(enum dc_op op);

/* False: no array does it (memory, warp-wide, matrices); *why (static) says what. Whether an amount is fixed is seen
 * from the instruction's operands: where a register of the kernel is equal in all lanes, the caller says so by
 * is_fixed. */
bool dc_use_of(const struct ptx_inst *inst, bool is_fixed, struct dc_use *use, const char **why);

/* Approximate roots by Table 1's algorithms: CORDIC, fast inverse square root. */
void dc_use_table_roots(struct dc_use *use);

/* use->kept from the registers of the bit set; NULL: none. A move between a register of the set and another one is a
 * conversion: its operation becomes COMPLEMENT. */
void dc_use_keep(struct dc_use *use, const uint64_t *kept, bool is_open, const struct ptx_inst *inst);
/* How many conversions of its operands an addition leaves out, and whether it leaves out that of its result. */
uint32_t dc_use_operands_kept(const struct dc_use *use);
bool dc_use_keeps_result(const struct dc_use *use);

/* Does the operation have gradual underflow? Of f16 and f64, rounded to nearest; those of f32 and bf16 are zero. */
bool dc_use_is_gradual(const struct dc_use *use, const struct dc_arith *a);
/* May a conversion have a denormal operand, or a denormal result? */
bool dc_use_takes_denormals(const struct dc_use *use, const struct dc_arith *a);
bool dc_use_makes_denormals(const struct dc_use *use, const struct dc_arith *a);
/* Operands that are looked at for denormals; cycles in which an operation, of a pair each half, finds out that it has
 * to be done again for them (array/gradual.h): 0 where it never has to. */
uint32_t dc_sensed_operands(const struct dc_use *use, const struct dc_arith *a);
uint64_t dc_sense_cycles(const struct dc_use *use, const struct dc_arith *a);

/* Cycles with every saving off; as a scheduler reckons; word-lines of scratch (without those of an overlap). */
uint64_t dc_base_cycles(const struct dc_use *use, const struct dc_arith *a);
uint64_t dc_usual_cycles(const struct dc_use *use, const struct dc_arith *a);
uint32_t dc_scratch_rows(const struct dc_use *use, const struct dc_arith *a);

#endif
