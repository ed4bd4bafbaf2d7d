/* lanes.h - moving bytes between rows and memory, lane by lane. Not for other folders. */
#ifndef STRATA_SIMT_LANES_H
#define STRATA_SIMT_LANES_H

#include "simt/priv.h"

/* Lane i of mask: row[i] = the bytes at base + addr[i], zero- or sign-extended to row_bytes. Nothing is checked. */
void simt_gather(void *row, uint32_t row_bytes, uint64_t base, const uint64_t *addr, uint32_t bytes, bool is_signed,
		 uint32_t mask);
/* The bytes at base + addr[i] = low bytes of row[i]; lanes in ascending order, so the highest lane wins. */
void simt_scatter(const void *row, uint32_t row_bytes, uint64_t base, const uint64_t *addr, uint32_t bytes,
		  uint32_t mask);

/* One lane's atomic operation on type t, or NULL if PTX has no such one. */
simt_atom_fn simt_atom_find(enum ptx_atom op, enum ptx_type t);

/* atom.add.f32 on global memory flushes subnormals to zero, on shared memory it keeps them (PTX ISA, atom). */
uint64_t simt_atom_add_f32_flush(void *p, uint64_t b, uint64_t c);

/* IEEE half and bfloat16 by bits; to-half rounds to nearest even. */
float simt_half_to_float(uint16_t h);
uint16_t simt_float_to_half(float f);
float simt_bf16_to_float(uint16_t h);
uint16_t simt_float_to_bf16(float f);

#endif
