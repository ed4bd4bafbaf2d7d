/* matrix.h - the matrices of mma and wmma: which forms PTX has, and how large the fragments are that lanes hold. */
#ifndef STRATA_PTX_MATRIX_H
#define STRATA_PTX_MATRIX_H

#include "ptx/ptx.h"

/* A lane's part of a matrix. outer and inner: rows and columns of A, C and D; columns and rows of B. */
struct ptx_fragment {
	enum ptx_type type;
	uint16_t outer, inner;
	uint8_t bits;      /* of an element */
	uint8_t reg_count; /* registers of a lane: 1 to PTX_FRAGMENT_REGS_MAX */
	uint8_t reg_bytes; /* 4 or 8 */
	uint8_t per_reg;   /* elements in a register */
	uint16_t count;    /* elements of a lane; the same ones again where fewer would do (wmma, f16 A and B) */
};
enum { PTX_FRAGMENT_REGS_MAX = 8 };

struct ptx_mma {
	uint16_t m, n, k;
	bool is_quad; /* mma.m8n8k4 of f16: four products, of eight lanes each */
	struct ptx_fragment a, b, c, d;
};

/* The matrices of an mma or wmma.mma by its shape and types; of a wmma.load or wmma.store the one that it names (only
 * that one is set). False: PTX has no such form. */
bool ptx_mma_find(const struct ptx_inst *i, struct ptx_mma *out);

/* Rows and columns of D and the depth of the product. */
void ptx_shape_size(enum ptx_shape s, uint16_t *m, uint16_t *n, uint16_t *k);

#endif
