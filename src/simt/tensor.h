/* tensor.h - what a matrix instruction computes, and where the elements of its operands are. Not for other folders.
 *
 * A matrix is an array of elements' bits, [outer][inner] as struct ptx_fragment says: A by rows, B by columns, so that
 * a product runs along both. One-bit elements are taken 32 at a time. docs/execution.md says how sums round.
 */
#ifndef STRATA_SIMT_TENSOR_H
#define STRATA_SIMT_TENSOR_H

#include "ptx/matrix.h"

enum { SIMT_MATRIX_ELEMS_MAX = 1024 };

/* A form of mma or wmma.mma, or the matrix of a wmma.load or wmma.store. */
struct simt_tensor {
	struct ptx_mma mma;
	uint8_t a_layout, b_layout; /* enum ptx_layout: they place the fragments of mma.m8n8k4 of f16, and only those */
	uint8_t round;              /* enum ptx_round: of f64 */
	bool is_satfinite, is_and;  /* is_and: one-bit elements are combined by AND, else by XOR */
};

/* The form of an instruction. False: PTX has no such one. */
bool simt_tensor_find(const struct ptx_inst *i, struct simt_tensor *out);

/* The place in its matrix of element e of a lane's fragment: outer * inner count + inner. */
uint32_t simt_fragment_place(const struct simt_tensor *t, enum ptx_matrix_name which, uint32_t lane, uint32_t e);

/* d = a * b + c, all as arrays of at most SIMT_MATRIX_ELEMS_MAX elements; d may be c. */
void simt_tensor_product(const struct simt_tensor *t, const uint64_t *a, const uint64_t *b, const uint64_t *c,
			 uint64_t *d);

/* Multiply-adds of 16-bit elements that take a tensor unit as long, in units of SIMT_TENSOR_SLOT. */
enum { SIMT_TENSOR_SLOT = 512 };
uint8_t simt_tensor_slots(const struct simt_tensor *t);

#endif
