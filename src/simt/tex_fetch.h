/* tex_fetch.h - what one lane's texture fetch returns. Not for other folders. */
#ifndef STRATA_SIMT_TEX_FETCH_H
#define STRATA_SIMT_TEX_FETCH_H

#include "simt/memory.h"
#include "simt/texture.h"

/* Four channels: floats if is_float, else integers extended to 32 bits. */
struct simt_texel_value {
	float f[4];
	uint32_t i[4];
	bool is_float;
	uint64_t addr; /* of the first texel read; 0 if none was */
};

uint32_t simt_texel_bytes(const struct simt_tex_desc *d);

/* Fetches at integer coordinates (x, y, z) of layer: no filter. False if the texture's memory is not allocated. */
bool simt_tex_fetch_int(const struct simt_memory *m, const struct simt_tex_desc *d, const int32_t at[3], uint32_t layer,
			struct simt_texel_value *v);
/* Fetches at floating-point coordinates with the object's address modes and filter; dims: 1 to 3 of them are used.
 * Filter weights have 8 fraction bits (CUDA C++ Programming Guide, Linear Filtering). */
bool simt_tex_fetch_float(const struct simt_memory *m, const struct simt_tex_desc *d, const float at[3], uint32_t dims,
			  uint32_t layer, struct simt_texel_value *v);
/* The four texels that a bilinear fetch would use, channel c of each, in tld4's order. */
bool simt_tex_gather(const struct simt_memory *m, const struct simt_tex_desc *d, const float at[3], uint32_t layer,
		     uint32_t c, struct simt_texel_value *v);

#endif
