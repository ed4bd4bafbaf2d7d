/* isa.h - what the controller of a core executes: see docs/csp.md for the text that it is written in. */
#ifndef STRATA_CSP_ISA_H
#define STRATA_CSP_ISA_H

#include <stdbool.h>
#include <stdint.h>

enum { CSP_INDEX_COUNT = 24, CSP_TERMS_MAX = 3, CSP_TARGETS_MAX = 8, CSP_LOOPS_MAX = 8 };

/* OP(name in the text, enumerator) */
#define CSP_OPS(X)                                                                                             \
	X(set, SET) X(mul, MUL) X(div, DIV) X(mod, MOD) X(and, AND) X(rev, REV) X(core, CORE)                  \
	X(loop, LOOP) X(end, END) X(jump, JUMP) X(branch, BRANCH) X(blt, BLT) X(bge, BGE) X(beq, BEQ) X(bne, BNE) \
	X(load, LOAD) X(store, STORE) X(send, SEND) X(signal, SIGNAL) X(wait, WAIT) X(arrived, ARRIVED) \
	X(cfma, CFMA) X(halt, HALT)
enum csp_op {
#define CSP_OP_ENUMERATOR(name, enumerator) CSP_##enumerator,
	CSP_OPS(CSP_OP_ENUMERATOR)
#undef CSP_OP_ENUMERATOR
};

/* constant + the index registers i[index[..]]. */
struct csp_expr {
	int64_t constant;
	uint8_t index[CSP_TERMS_MAX], index_count;
};

enum csp_space {
	CSP_REGISTERS, /* r[...]: of every functional unit */
	CSP_SCALARS,   /* s[...]: a value of the shared register file */
	CSP_VECTORS,   /* v[...]: a line of it */
	CSP_LINES,     /* [...]: a line of memory */
	CSP_ZERO,      /* zero: instead of an addend */
};
/* In a repeated instruction the nth repetition uses base + n * stride. */
struct csp_operand {
	enum csp_space space;
	struct csp_expr base, stride;
};

/* cfma d, c, a, b: d = c + a b (or c - a b; b may be conjugated). load: operands are destination and line; store and
 * send: line and register. Controls: value is what set, mul ... take, a count, a core, the right side of a
 * comparison. */
struct csp_instr {
	enum csp_op op;
	bool is_conjugate, is_negative;
	uint8_t index, source;	/* index registers: written, compared; read */
	uint8_t operand_count;
	uint8_t target_count;
	struct csp_operand operands[4];
	struct csp_expr value, count;
	uint32_t targets[CSP_TARGETS_MAX]; /* numbers of instructions; loop: behind its end; end: its loop */
	const char *file;		   /* of the program's (csp_program.files) */
	uint32_t line;			   /* of it */
};

#endif
