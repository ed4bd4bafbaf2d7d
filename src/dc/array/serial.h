/* serial.h - the arrays bit by bit: word-lines as planes of columns, and what a bit-line's periphery does in a cycle.
 *
 * A plane is a word-line of the same array in all four banks of a control block: 1,024 columns. In a cycle an array
 * activates one or more word-lines, senses AND on the bit-lines and NOR on their complements, and writes one word-line
 * back, in the columns whose write-enable (the guard, with the tag latch where an operation says so) is set. A column
 * has a carry latch, a tag latch and a predicate latch. The wired-OR of the tags reaches the controller in the same
 * cycle.
 *
 * Each function below that is said to take a cycle counts it; algorithms (serial_int.c, serial_float.c) are made of
 * nothing else, so that what they compute and how long they take come from the same steps.
 */
#ifndef STRATA_DC_ARRAY_SERIAL_H
#define STRATA_DC_ARRAY_SERIAL_H

#include "dc/array/cordic.h"
#include "dc/array/latency.h"

#define DC_NO_ROW UINT32_MAX
enum { DC_COLUMNS = 1024, DC_COLUMN_WORDS = DC_COLUMNS / 64, DC_SERIAL_ROWS = 1408 };
/* What serial_gradual.c keeps: the lanes that need an operation again, flags, an exponent, numbers. */
enum { DC_ROW_AGAIN = DC_SERIAL_ROWS - 1, DC_ROW_FLAGS = DC_ROW_AGAIN - 4, DC_ROW_AMOUNT = DC_ROW_FLAGS - 16,
       DC_ROW_WIDE = 920 };

struct dc_plane {
	uint64_t w[DC_COLUMN_WORDS];
};

/* Who is told of each word-line that is read or written; partial: not in all lanes of the guard. */
struct dc_serial_watch {
	void *self;
	void (*reads)(void *self, uint64_t cycle, uint32_t row);
	void (*writes)(void *self, uint64_t cycle, uint32_t row, bool is_partial);
};

/* Rows beyond 256 are there for what two arrays would share: fused multiply-add and 64-bit products; most_row tells. */
struct dc_serial {
	struct dc_plane row[DC_SERIAL_ROWS];
	struct dc_plane carry, tag, guard;
	bool is_tagged; /* writes only where the tag is set, too */
	uint64_t cycles;
	uint32_t most_row;
	uint32_t savings;
	const struct dc_serial_watch *watch; /* or NULL */
};

/* s is all zeros before the first operation. Values: DC_COLUMNS of them, n up to 64. */
void dc_serial_begin(struct dc_serial *s, uint32_t savings);
/* Values of the columns into rows first to first + n - 1, and back: no cycles, the TMU's work. */
void dc_serial_put(struct dc_serial *s, uint32_t first, uint32_t n, const uint64_t *values);
void dc_serial_get(const struct dc_serial *s, uint32_t first, uint32_t n, uint64_t *values);

/* ---- a cycle each ---- */
void dc_serial_copy(struct dc_serial *s, uint32_t d, uint32_t a);
void dc_serial_not(struct dc_serial *s, uint32_t d, uint32_t a);
void dc_serial_and(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b);
void dc_serial_or(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b);
void dc_serial_xor(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b);
/* d = a + b + carry, and the carry is what is left over. */
void dc_serial_add(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b);
/* d = a + carry. */
void dc_serial_add_one(struct dc_serial *s, uint32_t d, uint32_t a);
void dc_serial_write_carry(struct dc_serial *s, uint32_t d);
void dc_serial_tag(struct dc_serial *s, uint32_t a, bool is_inverted);
void dc_serial_tag_differs(struct dc_serial *s, uint32_t a, uint32_t b);
/* A value to so many word-lines at once. */
void dc_serial_fill(struct dc_serial *s, uint32_t first, uint32_t count, bool value);
/* d = 1 where all (or none) of the rows are set: up to 64, of each of two arrays where a number lies in two. */
void dc_serial_all(struct dc_serial *s, uint32_t d, uint32_t first, uint32_t count);
void dc_serial_none(struct dc_serial *s, uint32_t d, uint32_t first, uint32_t count);
/* d = 1 where they are all alike: all set, by AND, or none, by NOR, which are sensed in the same cycle. */
void dc_serial_same(struct dc_serial *s, uint32_t d, uint32_t first, uint32_t count);
/* d = 1 where one of them, or of row also, is set. */
void dc_serial_some(struct dc_serial *s, uint32_t d, uint32_t first, uint32_t count, uint32_t also);
/* d = a + bit + carry, of a constant's bit; DC_NO_ROW: of no row. */
void dc_serial_add_bit(struct dc_serial *s, uint32_t d, uint32_t a, bool bit);

/* Whether they are all set, in all columns of the guard: sensed and wired together, nothing written. */
bool dc_serial_are_set(struct dc_serial *s, uint32_t first, uint32_t count);

/* ---- two cycles: the tag is set where rows hold value; its old value is lost ---- */
void dc_serial_search(struct dc_serial *s, uint32_t first, uint32_t n, uint64_t value);

/* ---- no cycle of their own: part of the one that follows, or the controller's ---- */
void dc_serial_set_carry(struct dc_serial *s, bool value);
void dc_serial_set_carry_row(struct dc_serial *s, uint32_t a, bool is_inverted);
void dc_serial_tagged(struct dc_serial *s, bool is_tagged);
bool dc_serial_any(const struct dc_serial *s); /* wired-OR of the tags, of columns of the guard */
void dc_serial_idle(struct dc_serial *s, uint64_t cycles);
/* Leading zeros over all columns of the guard by bisection of both operands at once: the bits that are left. Takes
 * log2(n) + 1 cycles where count_cycles. */
uint32_t dc_serial_width(struct dc_serial *s, uint32_t first, uint32_t n);
/* Rows of zeros from the first on, up to n, in the same way: no cycles of its own. */
uint32_t dc_serial_zeros(const struct dc_serial *s, uint32_t first, uint32_t n);

/* ---- operations: operands at a and b, result at d, scratch from t on; rows do not overlap ---- */
/* variant: DIV 1: the rest; SHIFT 1: to the right; SHIFT_FIXED: amount * 2 + 1 to the right; LOGIC: enum dc_logic;
 * COMPARE: enum ptx_cmp of EQ, NE, LT, LE, GT, GE, LO, LS, HI, HS; MINMAX 1: the larger. */
enum dc_logic { DC_LOGIC_XOR, DC_LOGIC_AND, DC_LOGIC_OR, DC_LOGIC_NOT };
void dc_serial_int(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b, uint32_t c,
		   uint32_t t, uint32_t variant);
void dc_serial_fadd(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		    uint32_t b, uint32_t t);
void dc_serial_fmul(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		    uint32_t b, uint32_t t);
/* A truncated one is a product of 2 m bits, then algorithm 1. Formats of fewer than 5 bits of exponent, or too few of
 * mantissa for the cycles of DC_FMA_BASE, have none. */
bool dc_serial_has_fma(const struct dc_use *use);
void dc_serial_fma(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		   uint32_t b, uint32_t c, uint32_t t);
void dc_serial_fdiv(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		    uint32_t b, uint32_t t);
void dc_serial_fsqrt(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		     uint32_t a, uint32_t t);
/* Integers of use->bits at a; rounded to nearest. */
void dc_serial_itof(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		    uint32_t t);
/* To integers of use->bits, rounded as use says; what is beyond them is the nearest. */
void dc_serial_ftoi(struct dc_serial *s, const struct dc_use *use, bool is_signed, uint32_t d, uint32_t a, uint32_t t);
/* From use->e, m to use->to_e, to_m; to an integer in the same format. */
void dc_serial_ftof(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d, uint32_t a,
		    uint32_t t);
void dc_serial_fround(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t t);
/* gradual.h: the operation again, in lanes of which it has written that they need it, if there are any. Rows and
 * scratch are those of the operation. */
void dc_serial_again(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		     uint32_t a, uint32_t b, uint32_t c, uint32_t t);
void dc_serial_frsqrt(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		      uint32_t a, uint32_t t);
/* newton.h, of f32. */
void dc_serial_fnewton(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		       uint32_t a, uint32_t t);
void dc_serial_ftanh(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith, uint32_t d,
		     uint32_t a, uint32_t t);
/* cordic.h, of f32. */
void dc_serial_cordic(struct dc_serial *s, const struct dc_use *use, const struct dc_arith *arith,
		      enum dc_function function, uint32_t d, uint32_t a, uint32_t t);
/* Denormal operands of these count as the numbers that they are. */
void dc_serial_fcompare(struct dc_serial *s, const struct dc_use *use, enum ptx_cmp cmp, uint32_t d, uint32_t a,
			uint32_t b, uint32_t t);
void dc_serial_fminmax(struct dc_serial *s, const struct dc_use *use, bool is_max, uint32_t d, uint32_t a, uint32_t b,
		       uint32_t t);
/* complement.h: from magnitudes to two's complement, or back. */
void dc_serial_complement(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a);
/* open.h: to an open number where use says that the result is one, or back; a sum of which some are. */
void dc_serial_open(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t t);
void dc_serial_open_add(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b, uint32_t t);
enum dc_sign { DC_SIGN_NONE, DC_SIGN_SAME, DC_SIGN_CONTRARY };
void dc_serial_fsign(struct dc_serial *s, const struct dc_use *use, enum dc_sign sign, uint32_t d, uint32_t magnitude,
		     uint32_t of);
/* serial_int.c: 2 n rows of product at p; the savings are those of s. */
void dc_serial_mul_unsigned(struct dc_serial *s, uint32_t p, uint32_t a, uint32_t b, uint32_t n);

#endif
